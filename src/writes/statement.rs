//! Owns applying a bank statement: what is created, marked cleared and marked reconciled, as one change.
//! Never reads or matches the statement itself (that is `reconcile`).

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, Change, Kind, Landed, NewRow, Operation, Outcome, Proposal, Proposed, ROWS_MAX, RowEdit, Step};
use super::{in_steps, names, stand};
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::plan::{Account, Cleared, Ix, Plan, Transaction};
use crate::reconcile::application::{self, Application};
use crate::reconcile::comparison::{self, Compared};
use crate::reconcile::statement::ReadAs;
use crate::reconcile::unworded;
use crate::refuse;
use crate::text::{safe, with_lines};

/// The answer of apply_statement.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Applied {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Transactions created.
    pub created_ids: Vec<TransactionId>,
    /// Transactions marked cleared.
    pub cleared_ids: Vec<TransactionId>,
    /// Created ones included.
    pub reconciled_count: usize,
    /// Rows that were not created.
    pub not_created: Vec<NotCreated>,
    /// The rows to create, by their import ids.
    #[serde(skip)]
    rows: Vec<(usize, Option<String>)>,
}

/// A row of the statement that was not created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct NotCreated {
    /// Its number.
    pub row: usize,
    /// Why.
    pub why: String,
}

impl Answer for Applied {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        self.created_ids.extend(landed.created.iter().cloned());
        let known = |id: &Option<String>| id.as_ref().is_some_and(|id| landed.duplicates.contains(id));
        let twice = self.rows.iter().filter(|(_, id)| known(id)).map(|(row, _)| NotCreated {
            row: *row,
            why: "YNAB knows its import id already, perhaps of a deleted transaction".into(),
        });
        self.not_created.extend(twice);
        if !landed.duplicates.is_empty() {
            // The marks that follow a creation are not sent when some of it was not made: the balances would not agree.
            (self.cleared_ids, self.reconciled_count) = (Vec::new(), 0);
            self.outcome.message = format!(
                "Created {} transaction(s); {} more were not created (not_created) and nothing was marked. Call \
                 again: those rows then get import ids of their own.",
                landed.created.len(),
                landed.duplicates.len()
            );
        }
    }
}

/// What is asked of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The account.
    pub account: Ix<Account>,
    /// The statement.
    pub bytes: &'a [u8],
    /// How it is read, where that was settled.
    pub read_as: Option<&'a ReadAs>,
    /// Today.
    pub today: Date,
}

/// Import ids that earlier operations sent to that account.
fn used(operations: &[Operation], account: &Account) -> HashSet<Arc<str>> {
    let steps = operations.iter().flat_map(|operation| &operation.steps);
    let rows = steps.filter_map(|done| match &done.step {
        Step::Create { rows, .. } => Some(rows),
        _ => None,
    });
    let ids = rows.flatten().filter(|row| row.account == account.id).filter_map(|row| row.import_id.as_deref());
    ids.map(Arc::from).collect()
}

/// What applying the statement would change. `operations` are the plan's in the journal.
pub fn apply(plan: &Plan, operations: &[Operation], ask: Ask<'_>) -> Result<Proposed<Applied>, Refusal> {
    let compared = match comparison::compare(plan, ask.account, ask.bytes, ask.read_as, ask.today)? {
        comparison::Outcome::Compared(compared) => compared,
        comparison::Outcome::Open(question) => return Err(Refusal::new(question.message(plan))),
    };
    let account = &plan.accounts[ask.account];
    if account.closed {
        return Err(refuse!("'{}' is closed. Reopen it in YNAB, or choose another account.", safe(&account.name)));
    }
    let change = application::to_apply(plan, ask.account, &compared, &used(operations, account), ask.today);
    let rows: Vec<NewRow> = change.create.iter().map(|new| new_row(account, new, &change)).collect();
    let edits = edits(plan, &change);
    let reconciled = |cleared: &str| cleared == Cleared::Reconciled.as_str();
    let reconciled_count = rows.iter().filter(|row| reconciled(&row.cleared)).count()
        + edits.iter().filter(|edit| edit.cleared.as_ref().is_some_and(|change| reconciled(&change.after))).count();
    let mut answer = Applied {
        outcome: Outcome::proposed(),
        created_ids: Vec::new(),
        cleared_ids: change.clear.iter().map(|ix| plan.transactions[*ix].id.clone()).collect(),
        reconciled_count,
        not_created: change.not_created.iter().map(|row| NotCreated { row: row.row, why: row.why.clone() }).collect(),
        rows: change.create.iter().map(|new| (new.row, Some(new.import_id.clone()))).collect(),
    };
    if rows.is_empty() && edits.is_empty() {
        answer.outcome = Outcome::nothing(format!("Nothing to apply. {}", compared.message(plan, ask.account)));
        return Ok(Proposed { answer, proposal: None });
    }
    let (question, done) = words(plan, account, &change, &rows, reconciled_count);
    let subject = json!({ "account_id": account.id, "create": rows, "mark": edits });
    let step = |rows: &[NewRow]| {
        let alike = |t: &&Transaction| rows.iter().any(|row| stand::is_alike(plan, t, row));
        let twins = plan.live().filter(|t| t.account == ask.account).filter(alike).map(|t| t.id.clone());
        Step::Create { twins: twins.collect(), rows: rows.to_vec() }
    };
    let steps = rows.chunks(ROWS_MAX).map(step).chain(in_steps(edits)).collect();
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Statement,
        subject,
        guard: guard(plan, account, &compared),
        question,
        done,
        steps,
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

fn new_row(account: &Account, new: &application::NewRow, change: &Application) -> NewRow {
    // Created reconciled where its day is, so that no step hangs on its id.
    let settled = change.agrees() && !change.reconcile.is_empty() && new.date <= change.closing_date;
    NewRow {
        account: account.id.clone(),
        date: new.date,
        amount: new.amount,
        payee: new.payee.clone().unwrap_or_default(),
        memo: new.memo.clone(),
        category: None,
        cleared: if settled { Cleared::Reconciled } else { Cleared::Cleared }.as_str().into(),
        approved: false,
        import_id: Some(new.import_id.clone()),
    }
}

/// One change of status a transaction: to reconciled where the balances agree, else to cleared.
fn edits(plan: &Plan, change: &Application) -> Vec<RowEdit> {
    let reconcile: HashSet<Ix<Transaction>> = change.reconcile.iter().copied().collect();
    let clear = change.clear.iter().filter(|ix| !reconcile.contains(ix)).map(|ix| (*ix, Cleared::Cleared));
    let all = clear.chain(change.reconcile.iter().map(|ix| (*ix, Cleared::Reconciled)));
    all.map(|(ix, after)| {
        let row = &plan.transactions[ix];
        let cleared = Change { before: row.cleared.as_str().into(), after: after.as_str().into() };
        RowEdit { cleared: Some(cleared), ..RowEdit::of(row.id.clone()) }
    })
    .collect()
}

/// The question, and what is said once it is done.
fn words(plan: &Plan, account: &Account, change: &Application, rows: &[NewRow], reconciled: usize) -> (String, String) {
    let name = names::account(plan, account);
    let what = format!(
        "create {} transaction(s), mark {} cleared and {reconciled} reconciled up to {}",
        rows.len(),
        change.clear.len(),
        change.closing_date
    );
    let balances = match change.bank_balance {
        Some(bank) => format!(
            "Balance on {}: {} at the bank, {} in YNAB once this is done.",
            change.closing_date,
            plan.currency.of(bank),
            plan.currency.of(change.ynab_balance)
        ),
        None => format!(
            "The statement has no closing balance; YNAB's cleared one on {} is then {}.",
            change.closing_date,
            plan.currency.of(change.ynab_balance)
        ),
    };
    let lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let memo = row.memo.as_deref().map(|memo| format!(" ({})", safe(memo))).unwrap_or_default();
            format!("{} {} {}{memo}", row.date, safe(&row.payee), plan.currency.of(row.amount))
        })
        .collect();
    let first = format!("Apply the statement to {name}: {what}?\n{balances}");
    let mut question = with_lines(&first, &lines);
    if !rows.is_empty() {
        question.push_str(
            "\nCreated unapproved, with an import id, so that the bank's own import does not add them again.",
        );
    }
    (question, format!("Applied the statement to {name}: {what}."))
}

/// What the yes holds for: the account's cleared balance and the matched transactions, beyond the steps' own values.
fn guard(plan: &Plan, account: &Account, compared: &Compared) -> serde_json::Value {
    let matched = compared.matching.pairs.iter().flat_map(|pair| pair.transactions.iter());
    let mut ids: Vec<&str> = matched.map(|ix| plan.transactions[*ix].id.as_str()).collect();
    ids.sort_unstable();
    json!({ "cleared_balance": account.cleared, "matched": ids })
}
