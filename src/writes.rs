//! Owns what a write is: a proposal of steps with the values before and after, and the words for it.
//! Never asks, records or sends: it is a pure function of the plan and the arguments.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, GroupId, OperationId, PayeeId, PlanId, TransactionId};
use crate::money::Milliunits;

pub mod approve;
pub mod budget;
pub mod categorize;
pub mod category;
pub mod checks;
pub mod create;
pub mod doubt;
mod effects;
pub mod flag;
pub mod importing;
#[cfg(test)]
mod laws;
pub mod legacy;
pub mod moving;
mod names;
pub mod operations;
pub mod payee;
pub mod reconciling;
pub mod split;
mod stand;
pub mod statement;
pub mod target;
pub mod undo;

/// How many rows YNAB is sent in one bulk request.
pub const ROWS_MAX: usize = 100;

/// What sort of operation it is, in the journal's words; the first eight are the Python server's too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Categories of transactions.
    Categorize,
    /// An account's reconciliation, with its adjustment.
    Reconcile,
    /// Money assigned to a category.
    Budget,
    /// Money moved between two categories.
    Move,
    /// Transactions created.
    Create,
    /// Flags of transactions.
    Flag,
    /// A category's target.
    Target,
    /// A payee's name.
    Payee,
    /// Transactions approved.
    Approve,
    /// A transaction split.
    Split,
    /// A category's name or group.
    Category,
    /// A category created.
    CreateCategory,
    /// A bank import asked for.
    Import,
    /// A bank statement applied.
    Statement,
}

/// A value as it was and as it is to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change<T> {
    /// As it was when the change was proposed.
    pub before: T,
    /// As it is to be.
    pub after: T,
}

/// What changes of one transaction; a field left out stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowEdit {
    /// Which transaction.
    pub id: TransactionId,
    /// Its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Change<Option<CategoryId>>>,
    /// Its flag's colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Change<Option<String>>>,
    /// Whether the bank has shown it: `cleared`, `uncleared` or `reconciled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared: Option<Change<String>>,
    /// Whether it is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Change<bool>>,
}

impl RowEdit {
    /// An edit of that transaction that changes nothing yet.
    pub fn of(id: TransactionId) -> Self {
        Self { id, category: None, flag: None, cleared: None, approved: None }
    }
}

/// The edits in requests of at most [`ROWS_MAX`] rows.
fn in_steps(rows: Vec<RowEdit>) -> Vec<Step> {
    rows.chunks(ROWS_MAX).map(|rows| Step::Transactions { rows: rows.to_vec() }).collect()
}

/// A transaction to create, every field that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRow {
    /// Its account.
    pub account: AccountId,
    /// Its day.
    pub date: Date,
    /// Its amount.
    pub amount: Milliunits,
    /// Its payee's name.
    pub payee: String,
    /// Its memo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
    /// Its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryId>,
    /// `cleared`, `uncleared` or `reconciled`.
    pub cleared: String,
    /// Whether it is approved.
    pub approved: bool,
    /// What a bank import would know it by; only for rows of a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<String>,
}

/// A line of a split to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewLine {
    /// Its amount.
    pub amount: Milliunits,
    /// Its category.
    pub category: CategoryId,
    /// Its memo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
}

/// A category's name and group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryPlace {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: GroupId,
}

/// A target as far as a write can tell it apart from another; `None` where a category has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalState {
    /// YNAB's word: `TB`, `TBD`, `MF`, `NEED`, `DEBT`.
    pub kind: String,
    /// The amount aimed at.
    pub target: Option<Milliunits>,
    /// The day it is due.
    pub date: Option<Date>,
    /// YNAB's cadence number.
    pub cadence: Option<i64>,
    /// How many steps of the cadence apart.
    pub every: Option<i64>,
    /// Set aside another (true) or refill (false).
    pub whole: Option<bool>,
    /// Weekly: 0 = Sunday to 6; else the day of the month it is due.
    #[serde(default)]
    pub day: Option<i64>,
}

/// The target fields of one request; what is `None` is not sent, but `target` is always (null removes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalSent {
    /// The amount; `None` removes the target.
    pub target: Option<Milliunits>,
    /// The day it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// `monthly`, `weekly` or `yearly`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Set aside another (true) or refill (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<bool>,
}

/// One request to YNAB, with what is needed to tell afterwards whether it was applied and to take it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// Changes up to [`ROWS_MAX`] transactions.
    Transactions {
        /// What changes.
        rows: Vec<RowEdit>,
    },
    /// Creates up to [`ROWS_MAX`] transactions.
    Create {
        /// What to create.
        rows: Vec<NewRow>,
        /// Transactions equal to one of these that were there before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        twins: Vec<TransactionId>,
    },
    /// Deletes a transaction that was created; only undo makes one.
    Delete {
        /// Which.
        id: TransactionId,
        /// What it was created as.
        row: NewRow,
    },
    /// Splits a transaction.
    Split {
        /// Which.
        id: TransactionId,
        /// Its category before.
        before: Option<CategoryId>,
        /// Its lines.
        lines: Vec<NewLine>,
    },
    /// Assigns money to a category in a month.
    Budget {
        /// Which month.
        month: Month,
        /// Which category.
        category: CategoryId,
        /// Assigned before and after.
        budgeted: Change<Milliunits>,
    },
    /// Renames or moves a category.
    Category {
        /// Which.
        category: CategoryId,
        /// Its name and group.
        place: Change<CategoryPlace>,
    },
    /// Creates a category.
    CreateCategory {
        /// Its name and group.
        place: CategoryPlace,
    },
    /// Sets or removes a category's target.
    Target {
        /// Which category.
        category: CategoryId,
        /// The target before and after.
        goal: Change<Option<GoalState>>,
        /// What is sent.
        sent: GoalSent,
    },
    /// Renames a payee.
    Payee {
        /// Which.
        payee: PayeeId,
        /// Its name.
        name: Change<String>,
    },
    /// Asks the bank for what is new.
    Import,
}

/// A change to make, exactly as it is shown and sent.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The plan's real id.
    pub plan: PlanId,
    /// What sort it is.
    pub kind: Kind,
    /// The exact change as data; a list of changes in any order is the same change.
    pub subject: Value,
    /// What must still be so at the yes, beyond the steps' own values before.
    pub guard: Value,
    /// What the user is asked.
    pub question: String,
    /// What the answer says once it is applied.
    pub done: String,
    /// The requests, in order.
    pub steps: Vec<Step>,
    /// The operation that this one takes back, wholly or in part.
    pub undoes: Option<OperationId>,
}

impl Proposal {
    /// SHA-256 of the JSON `[plan_id, subject]`, keys sorted, a list in any order; in hexadecimal.
    pub fn fingerprint(&self) -> String {
        digest(&serde_json::json!([self.plan, in_any_order(self.subject.clone())]))
    }

    /// SHA-256 of the values before and of what else must still be so; in hexadecimal.
    pub fn basis(&self) -> String {
        let steps: Vec<Value> = self.steps.iter().map(|step| in_any_order(serde_json::json!(step))).collect();
        digest(&serde_json::json!([in_any_order(Value::Array(steps)), self.guard]))
    }

    /// Whether the other is the same change, to the same values before.
    pub fn is_same(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint() && self.basis() == other.basis()
    }
}

/// The same value with its list (or the `rows` of a step) sorted.
fn in_any_order(value: Value) -> Value {
    match value {
        Value::Array(mut items) => {
            items.sort_by_cached_key(canonical);
            Value::Array(items)
        }
        Value::Object(mut fields) => {
            if let Some(rows) = fields.get_mut("rows") {
                *rows = in_any_order(rows.take());
            }
            Value::Object(fields)
        }
        other => other,
    }
}

fn digest(value: &Value) -> String {
    Sha256::digest(canonical(value).as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The value as JSON with every object's keys sorted: the same text for the same value.
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(sorted).collect(),
            Value::Object(fields) => {
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| *name);
                Value::Object(fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
            }
            plain => plain.clone(),
        }
    }
    sorted(value).to_string()
}

/// How a write ended, or why it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Written to YNAB.
    Applied,
    /// Nothing written: the user has yet to agree.
    ConfirmationRequired,
    /// Nothing written: the user said no.
    Declined,
    /// Nothing written: it is so already.
    NothingToDo,
    /// Nothing written: the balances differ.
    DifferenceFound,
}

/// What every answer of a write carries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Outcome {
    /// How it ended.
    #[schemars(schema_with = "statuses")]
    pub status: Status,
    /// What that means, in words.
    pub message: String,
    /// The code to send back with the user's yes.
    pub confirmation: Option<String>,
    /// What undo_operation takes.
    pub operation_id: Option<OperationId>,
}

/// The words of a status, without the one that only a reconciliation has.
fn statuses(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["applied", "confirmation_required", "declined", "nothing_to_do"] })
}

impl Outcome {
    /// Nothing to write, and why.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self { status: Status::NothingToDo, message: message.into(), confirmation: None, operation_id: None }
    }

    /// To be asked: the gate fills in the rest.
    pub fn proposed() -> Self {
        Self { status: Status::ConfirmationRequired, message: String::new(), confirmation: None, operation_id: None }
    }
}

/// The answer of a write, which the gate completes.
pub trait Answer {
    /// The part every write shares.
    fn outcome(&mut self) -> &mut Outcome;

    /// Takes in what YNAB made: ids of created things, rows it refused as duplicates.
    fn landed(&mut self, _landed: &Landed) {}
}

/// What a write would do: the answer so far, and the proposal to ask about unless there is nothing to do.
#[derive(Clone, Debug)]
pub struct Proposed<A> {
    /// The answer, its outcome set where there is nothing to ask.
    pub answer: A,
    /// What to ask about.
    pub proposal: Option<Proposal>,
}

/// What YNAB made of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landed {
    /// Transactions created (or imported), in the order of the rows sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<TransactionId>,
    /// Import ids that YNAB knew already; their rows were not created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<String>,
    /// The category created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryId>,
    /// Rows of the step that YNAB did not change as asked, by id; undo leaves them alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<TransactionId>,
    /// The target as YNAB set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalState>,
}

/// What became of a step whose answer was lost, read from the plan afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was applied.
    Applied(Landed),
    /// It was not.
    NotApplied,
    /// Some of its rows were: those named in [`Landed::missed`] were not.
    Partly(Landed),
    /// The plan does not tell; why, in words.
    Unclear(String),
}

/// How far a step of an operation got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Applied, all of it or all but what is named as missed.
    Applied,
    /// Not applied: refused, never sent, or found so.
    NotApplied,
    /// Sent, and nobody knows yet.
    Doubt,
}

/// A step of an operation and how far it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The step.
    pub step: Step,
    /// How far it got.
    pub state: StepState,
    /// What YNAB made of it.
    pub landed: Landed,
}

/// An operation of the journal.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its id.
    pub id: OperationId,
    /// Its plan; `last-used` in old lines of the Python server.
    pub plan: PlanId,
    /// What sort it is.
    pub kind: Kind,
    /// When it was recorded: UTC, RFC 3339.
    pub at: String,
    /// Its steps.
    pub steps: Vec<Done>,
    /// The steps of the undo operations that took parts of it back, oldest first.
    pub undone: Vec<Done>,
    /// Whether the Python server's line says that it was undone as a whole.
    pub closed: bool,
}

#[cfg(test)]
mod tests;
