//! Owns the shapes of YNAB's rows, and how each becomes a row of the plan.
//! Never joins rows with each other (that is `merge`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::fields::{List, Number, Text};
use super::words::Words;
use crate::dates::{Date, parse_date};
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, PlanId};
use crate::money::{Currency, Milliunits};
use crate::plan::{Account, AccountKind, Category, DebtTerms, Goal, Group, MonthBudget, Payee, PlanSummary};

/// A plan in the list of plans.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct PlanBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default, borrow)]
    first_month: Text<'a>,
    #[serde(default, borrow)]
    last_month: Text<'a>,
    #[serde(default, borrow)]
    last_modified_on: Text<'a>,
    #[serde(default, borrow)]
    currency_format: Option<CurrencyBody<'a>>,
    #[serde(default)]
    accounts: List<AccountBody<'a>>,
}

impl PlanBody<'_> {
    pub(super) fn summary(&self) -> PlanSummary {
        PlanSummary {
            id: PlanId::from(self.id.as_str()),
            name: self.name.arc(),
            first_month: self.first_month.month(),
            last_month: self.last_month.month(),
            last_modified_on: self.last_modified_on.some().map(Into::into),
            currency: self.currency_format.as_ref().map(CurrencyBody::currency).unwrap_or_default(),
            accounts: self.accounts.0.iter().map(|account| AccountId::from(account.id.as_str())).collect(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct CurrencyBody<'a> {
    #[serde(default, borrow)]
    pub(super) iso_code: Text<'a>,
    #[serde(default)]
    pub(super) decimal_digits: Number,
}

impl CurrencyBody<'_> {
    pub(super) fn currency(&self) -> Currency {
        Currency {
            code: self.iso_code.some().map(Into::into),
            decimals: self.decimal_digits.0.map(|digits| digits.clamp(0, 3) as u8),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct AccountBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default)]
    pub(super) on_budget: Option<bool>,
    #[serde(default)]
    pub(super) closed: Option<bool>,
    #[serde(default)]
    pub(super) balance: Number,
    #[serde(default)]
    pub(super) cleared_balance: Number,
    #[serde(default)]
    pub(super) uncleared_balance: Number,
    #[serde(default, borrow)]
    pub(super) transfer_payee_id: Text<'a>,
    #[serde(default)]
    pub(super) direct_import_linked: Option<bool>,
    #[serde(default)]
    pub(super) direct_import_in_error: Option<bool>,
    #[serde(default, borrow)]
    pub(super) last_reconciled_at: Text<'a>,
    #[serde(default)]
    pub(super) debt_interest_rates: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    pub(super) debt_minimum_payments: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    pub(super) debt_escrow_amounts: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
}

fn dated<T>(from: Option<BTreeMap<String, Number>>, read: impl Fn(i64) -> T) -> BTreeMap<Date, T> {
    let rows = from.into_iter().flatten();
    rows.filter_map(|(day, value)| Some((parse_date(&day)?, read(value.0?)))).collect()
}

impl AccountBody<'_> {
    pub(super) fn account(self) -> Account {
        let debt = DebtTerms {
            interest_rates: dated(self.debt_interest_rates, |rate| rate),
            minimum_payments: dated(self.debt_minimum_payments, Milliunits::new),
            escrow_amounts: dated(self.debt_escrow_amounts, Milliunits::new),
        };
        Account {
            id: AccountId::new(self.id.arc()),
            name: self.name.arc(),
            kind: AccountKind::of(self.kind.as_str()),
            on_budget: self.on_budget.unwrap_or_default(),
            closed: self.closed.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
            balance: self.balance.money(),
            cleared: self.cleared_balance.money(),
            uncleared: self.uncleared_balance.money(),
            transfer_payee: self.transfer_payee_id.some().map(PayeeId::from),
            linked: self.direct_import_linked.unwrap_or_default(),
            link_error: self.direct_import_in_error.unwrap_or_default(),
            last_reconciled_at: self.last_reconciled_at.some().map(Into::into),
            debt: (debt != DebtTerms::default()).then(|| Box::new(debt)),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct PayeeBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transfer_account_id: Text<'a>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
}

impl PayeeBody<'_> {
    pub(super) fn payee(&self) -> Payee {
        Payee {
            id: PayeeId::new(self.id.arc()),
            name: self.name.arc(),
            transfer_account: self.transfer_account_id.some().map(AccountId::from),
            deleted: self.deleted.unwrap_or_default(),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct GroupBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) hidden: Option<bool>,
    #[serde(default)]
    pub(super) internal: Option<bool>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
    #[serde(default)]
    pub(super) categories: List<CategoryBody<'a>>,
}

impl GroupBody<'_> {
    pub(super) fn group(&self) -> Group {
        Group {
            id: GroupId::new(self.id.arc()),
            name: self.name.arc(),
            hidden: self.hidden.unwrap_or_default(),
            internal: self.internal.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct CategoryBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_group_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_group_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default)]
    pub(super) hidden: Option<bool>,
    #[serde(default)]
    pub(super) internal: Option<bool>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
    #[serde(default)]
    pub(super) budgeted: Number,
    #[serde(default)]
    pub(super) activity: Number,
    #[serde(default)]
    pub(super) balance: Number,
    #[serde(default, borrow)]
    pub(super) goal_type: Text<'a>,
    #[serde(default)]
    pub(super) goal_needs_whole_amount: Option<bool>,
    #[serde(default)]
    pub(super) goal_day: Number,
    #[serde(default)]
    pub(super) goal_cadence: Number,
    #[serde(default)]
    pub(super) goal_cadence_frequency: Number,
    #[serde(default, borrow)]
    pub(super) goal_creation_month: Text<'a>,
    #[serde(default)]
    pub(super) goal_target: Number,
    #[serde(default, borrow)]
    pub(super) goal_target_date: Text<'a>,
    #[serde(default, borrow)]
    pub(super) goal_target_month: Text<'a>,
    #[serde(default)]
    pub(super) goal_percentage_complete: Number,
    #[serde(default)]
    pub(super) goal_months_to_budget: Number,
    #[serde(default)]
    pub(super) goal_under_funded: Number,
    #[serde(default)]
    pub(super) goal_overall_funded: Number,
    #[serde(default)]
    pub(super) goal_overall_left: Number,
    #[serde(default, borrow)]
    pub(super) goal_snoozed_at: Text<'a>,
}

impl<'a> CategoryBody<'a> {
    pub(super) fn goal(&self, words: &mut Words<'a>) -> Option<Box<Goal>> {
        self.goal_type.some().map(|_| {
            Box::new(Goal {
                kind: words.share(&self.goal_type),
                needs_whole_amount: self.goal_needs_whole_amount,
                day: self.goal_day.0,
                cadence: self.goal_cadence.0,
                cadence_frequency: self.goal_cadence_frequency.0,
                creation_month: self.goal_creation_month.month(),
                target: self.goal_target.some_money(),
                target_date: self.goal_target_date.date().or_else(|| self.goal_target_month.date()),
                percentage_complete: self.goal_percentage_complete.0,
                months_to_budget: self.goal_months_to_budget.0,
                under_funded: self.goal_under_funded.some_money(),
                overall_funded: self.goal_overall_funded.some_money(),
                overall_left: self.goal_overall_left.some_money(),
                snoozed_at: self.goal_snoozed_at.some().map(Into::into),
            })
        })
    }

    pub(super) fn category(&self, words: &mut Words<'a>) -> Category {
        Category {
            id: CategoryId::new(words.share(&self.id)),
            group: GroupId::new(words.share(&self.category_group_id)),
            group_name: words.share(&self.category_group_name),
            name: words.share(&self.name),
            hidden: self.hidden.unwrap_or_default(),
            internal: self.internal.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
            budgeted: self.budgeted.money(),
            activity: self.activity.money(),
            balance: self.balance.money(),
            goal: self.goal(words),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct MonthBody<'a> {
    #[serde(default, borrow)]
    pub(super) month: Text<'a>,
    #[serde(default)]
    pub(super) income: Number,
    #[serde(default)]
    pub(super) budgeted: Number,
    #[serde(default)]
    pub(super) activity: Number,
    #[serde(default)]
    pub(super) to_be_budgeted: Number,
    #[serde(default)]
    pub(super) age_of_money: Number,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
    #[serde(default)]
    pub(super) categories: List<CategoryBody<'a>>,
}

impl<'a> MonthBody<'a> {
    /// The month without its categories, and those.
    pub(super) fn parts(self) -> Option<(MonthBudget, Vec<CategoryBody<'a>>)> {
        let month = MonthBudget {
            month: self.month.month()?,
            income: self.income.money(),
            budgeted: self.budgeted.money(),
            activity: self.activity.money(),
            to_be_budgeted: self.to_be_budgeted.money(),
            age_of_money: self.age_of_money.0,
            deleted: self.deleted.unwrap_or_default(),
            categories: Vec::new(),
        };
        Some((month, self.categories.0))
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct TransactionBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) date: Text<'a>,
    #[serde(default)]
    pub(super) amount: Number,
    #[serde(default, borrow)]
    pub(super) memo: Text<'a>,
    #[serde(default, borrow)]
    pub(super) cleared: Text<'a>,
    #[serde(default)]
    pub(super) approved: Option<bool>,
    #[serde(default, borrow)]
    pub(super) flag_color: Text<'a>,
    #[serde(default, borrow)]
    pub(super) account_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) account_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transfer_account_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transfer_transaction_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) import_id: Text<'a>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
    #[serde(default)]
    pub(super) subtransactions: List<LineBody<'a>>,
}

#[derive(Deserialize)]
pub(super) struct LineBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transaction_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) scheduled_transaction_id: Text<'a>,
    #[serde(default)]
    pub(super) amount: Number,
    #[serde(default, borrow)]
    pub(super) memo: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transfer_account_id: Text<'a>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct ScheduledBody<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) date_first: Text<'a>,
    #[serde(default, borrow)]
    pub(super) date_next: Text<'a>,
    #[serde(default, borrow)]
    pub(super) frequency: Text<'a>,
    #[serde(default)]
    pub(super) amount: Number,
    #[serde(default, borrow)]
    pub(super) memo: Text<'a>,
    #[serde(default, borrow)]
    pub(super) account_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) account_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payee_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) category_name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) transfer_account_id: Text<'a>,
    #[serde(default)]
    pub(super) deleted: Option<bool>,
    #[serde(default)]
    pub(super) subtransactions: List<LineBody<'a>>,
}
