//! Owns applying a bank statement: what is created, marked cleared and marked reconciled, as one change.
//! Never reads or matches the statement itself (that is `reconcile`).

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, Change, Kind, Landed, NewRow, Operation, Outcome, Proposal, Proposed, ROWS_MAX, RowEdit, Step};
use super::{in_steps, names};
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
    // Import ids that were never used have no twins.
    let step = |rows: &[NewRow]| Step::Create { rows: rows.to_vec(), twins: Vec::new() };
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
    let (new, cleared, until) = (rows.len(), change.clear.len(), change.closing_date);
    let what = |create: &str, mark: &str| {
        format!("{create} {new} transaction(s), {mark} {cleared} cleared and {reconciled} reconciled up to {until}")
    };
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
    let first = format!("Apply the statement to {name}: {}?\n{balances}", what("create", "mark"));
    let mut question = with_lines(&first, &lines);
    if !rows.is_empty() {
        question.push_str(
            "\nCreated unapproved, with an import id, so that the bank's own import does not add them again.",
        );
    }
    (question, format!("Applied the statement to {name}: {}.", what("created", "marked")))
}

/// What the yes holds for: the account's cleared balance and the matched transactions, beyond the steps' own values.
fn guard(plan: &Plan, account: &Account, compared: &Compared) -> serde_json::Value {
    let matched = compared.matching.pairs.iter().flat_map(|pair| pair.transactions.iter());
    let mut ids: Vec<&str> = matched.map(|ix| plan.transactions[*ix].id.as_str()).collect();
    ids.sort_unstable();
    json!({ "cleared_balance": account.cleared, "matched": ids })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::ids::OperationId;
    use crate::money::Milliunits;
    use crate::plan::AccountKind;
    use crate::writes::{Done, Status, StepState};

    /// A statement that has it all: a row marked in YNAB, one only entered there, one that is missing.
    const STATEMENT: &str = "Date,Payee,Amount,Balance\n2026-01-05,SHOP,-12.34,87.66\n2026-01-05,RENT,-50.00,37.66\n\
        2026-01-09,NEW,-7.77,29.89\n";

    /// An account of a hundred euros, a shop not cleared yet and a rent that is.
    fn plan() -> Plan {
        let mut book = Book::new();
        let account = book.account("Everyday", AccountKind::of("checking"), true);
        let rows = [
            ("2025-12-31", "Starting Balance", 100_000, Cleared::Reconciled),
            ("2026-01-04", "Shop", -12_340, Cleared::Uncleared),
            ("2026-01-05", "Rent", -50_000, Cleared::Cleared),
        ];
        for (date, payee, amount, cleared) in rows {
            let ix = book.pay(date, account, payee, None, amount);
            book.plan.transactions.at_mut(ix).cleared = cleared;
        }
        book.plan.accounts.at_mut(account).cleared = Milliunits::new(50_000);
        book.plan
    }

    fn ask(plan: &Plan, operations: &[Operation], text: &str) -> Result<Proposed<Applied>, Refusal> {
        let account = plan.accounts.find("Everyday").expect("the account");
        apply(plan, operations, Ask { account, bytes: text.as_bytes(), read_as: None, today: day("2026-02-05") })
    }

    fn proposed(plan: &Plan, text: &str) -> (Applied, Proposal) {
        let Proposed { answer, proposal } = ask(plan, &[], text).expect("a proposal");
        (answer, proposal.expect("a question"))
    }

    /// Each row created and each mark, with its status after.
    fn statuses(proposal: &Proposal) -> Vec<String> {
        let created = |rows: &[NewRow]| rows.iter().map(|row| format!("{} {}", row.payee, row.cleared)).collect();
        let marked = |rows: &[RowEdit]| {
            let after = |row: &RowEdit| row.cleared.as_ref().map(|change| change.after.clone()).unwrap_or_default();
            rows.iter().map(|row| format!("{} {}", row.id, after(row))).collect()
        };
        let of = |step: &Step| -> Vec<String> {
            match step {
                Step::Create { rows, .. } => created(rows),
                Step::Transactions { rows } => marked(rows),
                other => panic!("{other:?}"),
            }
        };
        proposal.steps.iter().flat_map(of).collect()
    }

    #[test]
    fn a_statement_that_agrees_is_created_and_reconciled() {
        let (answer, proposal) = proposed(&plan(), STATEMENT);
        assert_eq!(
            proposal.question,
            "Apply the statement to Everyday: create 1 transaction(s), mark 1 cleared and 3 reconciled up to 2026-01-09?\n\
             Balance on 2026-01-09: 29.89 at the bank, 29.89 in YNAB once this is done.\n\
             - 2026-01-09 NEW -7.77\n\
             Created unapproved, with an import id, so that the bank's own import does not add them again."
        );
        assert_eq!(
            proposal.done,
            "Applied the statement to Everyday: created 1 transaction(s), marked 1 cleared and 3 reconciled up to \
             2026-01-09."
        );
        assert_eq!(statuses(&proposal), ["NEW reconciled", "t1 reconciled", "t2 reconciled"]);
        assert_eq!((answer.cleared_ids, answer.reconciled_count), (vec!["t1".into()], 3));
    }

    #[test]
    fn one_that_does_not_agree_is_created_and_cleared_only() {
        let mut differs = plan();
        let rent = differs.transactions.find("t2").expect("the rent");
        let other = Transaction { id: "t3".into(), ..differs.transactions[rent].clone() };
        differs.transactions.put(Transaction { date: day("2026-01-06"), amount: Milliunits::new(-1_000), ..other });
        let account = differs.accounts.find("Everyday").expect("the account");
        differs.accounts.at_mut(account).cleared += Milliunits::new(-1_000);
        let mut broken = plan();
        broken.accounts.at_mut(account).cleared += Milliunits::new(5);
        for (what, plan) in [("a row the bank has not", differs), ("a balance that is no sum", broken)] {
            let (answer, proposal) = proposed(&plan, STATEMENT);
            assert_eq!(statuses(&proposal), ["NEW cleared", "t1 cleared"], "{what}");
            assert_eq!(answer.reconciled_count, 0, "{what}");
        }
    }

    #[test]
    fn marks_alone_are_asked_and_what_is_all_there_is_not() {
        let marks = STATEMENT.rsplit_once("2026-01-09").expect("the last row").0;
        let (answer, proposal) = proposed(&plan(), marks);
        assert_eq!(statuses(&proposal), ["t1 reconciled", "t2 reconciled"]);
        assert!(!proposal.question.contains("Created"), "{}", proposal.question);
        assert_eq!(answer.reconciled_count, 2);
        let mut done = plan();
        for id in ["t1", "t2"] {
            let ix = done.transactions.find(id).expect("it");
            done.transactions.at_mut(ix).cleared = Cleared::Reconciled;
        }
        let account = done.accounts.find("Everyday").expect("the account");
        done.accounts.at_mut(account).cleared = Milliunits::new(37_660);
        let nothing = ask(&done, &[], marks).expect("an answer");
        assert_eq!((nothing.answer.outcome.status, nothing.proposal.is_none()), (Status::NothingToDo, true));
        done.accounts.at_mut(account).closed = true;
        assert!(ask(&done, &[], marks).is_err(), "a closed account");
    }

    #[test]
    fn without_a_closing_balance_that_is_said() {
        let (_, proposal) = proposed(&plan(), "Date,Payee,Amount\n2026-01-05,SHOP,-12.34\n2026-01-09,NEW,-7.77\n");
        let said = "The statement has no closing balance; YNAB's cleared one on 2026-01-09 is then 29.89.";
        assert!(proposal.question.contains(said), "{}", proposal.question);
    }

    #[test]
    fn another_balance_is_another_basis() {
        let basis = |cleared: i64| {
            let mut plan = plan();
            let account = plan.accounts.find("Everyday").expect("the account");
            plan.accounts.at_mut(account).cleared = Milliunits::new(cleared);
            proposed(&plan, STATEMENT).1.basis()
        };
        assert_ne!(basis(50_005), basis(50_006), "though the steps are the same");
    }

    #[test]
    fn an_import_id_sent_before_is_not_sent_again() {
        let id_after = |account: &str| {
            let (plan, row) = (plan(), proposed(&plan(), STATEMENT).1.steps.remove(0));
            let Step::Create { mut rows, twins } = row else { panic!("{row:?}") };
            assert_eq!(rows[0].import_id.as_deref(), Some("YNAB:-7770:2026-01-09:1"));
            rows[0].account = account.into();
            let step = |step| Done { step, state: StepState::NotApplied, landed: Landed::default() };
            let earlier = Operation {
                id: OperationId::from("earlier"),
                plan: plan.id.clone(),
                kind: Kind::Statement,
                at: String::new(),
                steps: vec![step(Step::Import), step(Step::Create { rows, twins })],
                undone: Vec::new(),
                closed: false,
            };
            let again = ask(&plan, &[earlier], STATEMENT).expect("an answer").proposal.expect("a question");
            match &again.steps[0] {
                Step::Create { rows, .. } => rows[0].import_id.clone().unwrap_or_default(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(id_after("Everyday"), "YNAB:-7770:2026-01-09:2");
        assert_eq!(id_after("Another"), "YNAB:-7770:2026-01-09:1");
    }

    #[test]
    fn what_ynab_made_of_it_is_in_the_answer() {
        let (answer, _) = proposed(&plan(), STATEMENT);
        let mut whole = answer.clone();
        whole.landed(&Landed { created: vec!["made".into()], ..Landed::default() });
        assert_eq!((whole.created_ids.len(), whole.not_created.len(), whole.reconciled_count), (1, 0, 3));
        let mut known = answer;
        known.landed(&Landed { duplicates: vec!["YNAB:-7770:2026-01-09:1".into()], ..Landed::default() });
        assert_eq!((known.not_created[0].row, known.cleared_ids.len(), known.reconciled_count), (3, 0, 0));
        assert!(known.outcome.message.starts_with("Created 0 transaction(s); 1 more"), "{}", known.outcome.message);
    }
}
