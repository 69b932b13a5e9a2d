//! Owns the yardstick of a cold start: a plan read by serde_json into plain structs of the fields that are kept, and how
//! many bytes of compact JSON those fields are. Never anything of the server's own reading.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::timed;

/// Structs of fields that may be missing, empty or null, and are then left out.
macro_rules! plain {
    ($($name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {$(
        #[derive(Default, Deserialize, Serialize)]
        #[serde(default)]
        struct $name {
            $(#[serde(skip_serializing_if = "is_nothing")] $field: $kind),*
        }
    )*};
}

type Text = Option<String>;
type Number = Option<i64>;
type Yes = Option<bool>;

plain! {
    Body { data: Data }
    Data { plan: Plan, server_knowledge: Number }
    Plan {
        id: Text, name: Text, first_month: Text, last_month: Text, currency_format: Option<Currency>,
        accounts: Vec<Account>, payees: Vec<Payee>, category_groups: Vec<Group>, categories: Vec<Category>,
        months: Vec<Month>, transactions: Vec<Transaction>, subtransactions: Vec<Line>,
        scheduled_transactions: Vec<Scheduled>, scheduled_subtransactions: Vec<Line>,
    }
    Currency { iso_code: Text, decimal_digits: Number }
    Account {
        id: Text, name: Text, r#type: Text, on_budget: Yes, closed: Yes, balance: Number, cleared_balance: Number,
        uncleared_balance: Number, transfer_payee_id: Text, direct_import_linked: Yes, direct_import_in_error: Yes,
        last_reconciled_at: Text, deleted: Yes,
    }
    Payee { id: Text, name: Text, transfer_account_id: Text, deleted: Yes }
    Group { id: Text, name: Text, hidden: Yes, internal: Yes, deleted: Yes }
    Category {
        id: Text, category_group_id: Text, category_group_name: Text, name: Text, hidden: Yes, internal: Yes,
        deleted: Yes, budgeted: Number, activity: Number, balance: Number, goal_type: Text,
        goal_needs_whole_amount: Yes, goal_day: Number, goal_cadence: Number, goal_cadence_frequency: Number,
        goal_creation_month: Text, goal_target: Number, goal_target_date: Text, goal_percentage_complete: Number,
        goal_months_to_budget: Number, goal_under_funded: Number, goal_overall_funded: Number,
        goal_overall_left: Number, goal_snoozed_at: Text,
    }
    Month {
        month: Text, income: Number, budgeted: Number, activity: Number, to_be_budgeted: Number, age_of_money: Number,
        deleted: Yes, categories: Vec<Category>,
    }
    Transaction {
        id: Text, date: Text, amount: Number, memo: Text, cleared: Text, approved: Yes, flag_color: Text,
        account_id: Text, payee_id: Text, category_id: Text, transfer_account_id: Text, transfer_transaction_id: Text,
        import_id: Text, deleted: Yes,
    }
    Line {
        id: Text, transaction_id: Text, scheduled_transaction_id: Text, amount: Number, memo: Text, payee_id: Text,
        category_id: Text, transfer_account_id: Text, deleted: Yes,
    }
    Scheduled {
        id: Text, date_first: Text, date_next: Text, frequency: Text, amount: Number, memo: Text, account_id: Text,
        payee_id: Text, category_id: Text, transfer_account_id: Text, deleted: Yes,
    }
}

/// Whether a value says nothing: null, false, an empty list or object.
fn is_nothing(value: &impl Serialize) -> bool {
    matches!(serde_json::to_string(value).as_deref(), Ok("null" | "false" | "[]" | "{}"))
}

fn read(body: &[u8]) -> Body {
    serde_json::from_slice(body).expect("a plan's body")
}

/// How long one typed pass over a plan's body takes.
pub fn parse(body: &[u8]) -> Duration {
    timed(|| read(body))
}

/// How many bytes the fields that are kept are as compact JSON.
pub fn kept(body: &[u8]) -> u64 {
    serde_json::to_vec(&read(body).data.plan).map_or(0, |json| json.len() as u64)
}
