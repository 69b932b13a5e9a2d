//! Owns reconciling an account: what is marked, what adjustment is added.
//! Never compares with the bank itself (that is `reconcile`), and adjusts nothing while YNAB's figures disagree.

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Answer, Change, Kind, Landed, NewRow, Outcome, Proposal, Proposed, RowEdit, Status, Step, checks, in_steps, names,
};
use crate::dates::Date;
use crate::error::Refusal;
use crate::money::{Amount, AmountError, Milliunits};
use crate::plan::{Account, Category, Cleared, Ix, Plan};
use crate::reconcile::{self, Analysis};
use crate::refuse;
use crate::text::safe;

/// The answer of reconcile_account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = with_difference_found)]
pub struct Reconciled {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The account's name.
    pub account: String,
    /// YNAB and the bank compared.
    pub analysis: Analysis,
    /// What was added to Ready to Assign.
    pub adjustment: Option<Amount>,
}

/// Adds the status that only a reconciliation has.
fn with_difference_found(schema: &mut Schema) {
    if let Some(Value::Array(statuses)) = schema.pointer_mut("/properties/status/enum") {
        statuses.push("difference_found".into());
    }
}

impl Answer for Reconciled {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        if !landed.created.is_empty() {
            self.adjustment = Some(self.analysis.difference);
        }
    }
}

/// What reconciling an account with the bank's balance (currency units) would do; `adjust` adds what differs.
pub fn reconcile(
    plan: &Plan,
    today: Date,
    account_id: &str,
    bank_balance: f64,
    adjust: Adjust,
) -> Result<Proposed<Reconciled>, Refusal> {
    let ix = checks::account(plan, account_id, "account_id")?;
    let account = &plan.accounts[ix];
    let bank = Milliunits::read(bank_balance).ok_or_else(|| refuse!("bank_balance {}.", AmountError::OutOfRange))?;
    let analysis = reconcile::analyse(plan, ix, bank, today);
    let (difference, name) = (analysis.difference.0, names::account(plan, account));
    let mut answer = Reconciled {
        outcome: Outcome::proposed(),
        account: safe(&account.name).into_owned(),
        analysis,
        adjustment: None,
    };
    if let Some((status, message)) = stopped(plan, &answer.analysis, adjust) {
        answer.outcome = Outcome { status, ..Outcome::nothing(message) };
        return Ok(Proposed { answer, proposal: None });
    }
    let rows = reconcile::to_reconcile(plan, ix);
    let count = rows.len();
    let mut question = format!("Reconcile {name}: mark {count} cleared transaction(s) reconciled");
    let mut done = format!("Reconciled {name}: marked {count} cleared transaction(s) reconciled");
    if !difference.is_zero() {
        let adjusted = format!("a balance adjustment of {}", plan.currency.of(difference));
        question += &format!(" and add {adjusted}");
        done += &format!(" and added {adjusted}");
    }
    let mark = |row| {
        let cleared = Change { before: Cleared::Cleared.as_str().into(), after: Cleared::Reconciled.as_str().into() };
        RowEdit { cleared: Some(cleared), ..RowEdit::of(plan.transactions[row].id.clone()) }
    };
    let adjustment = (!difference.is_zero()).then(|| adjustment(plan, account, today, difference));
    let steps = adjustment.into_iter().chain(in_steps(rows.into_iter().map(mark).collect()));
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Reconcile,
        subject: json!({ "account_id": account.id, "bank_balance": bank, "adjustment": difference }),
        guard: guard(plan, ix),
        question: format!("{question}?{}", mirrored(&answer.analysis, "\n")),
        done: done + ".",
        steps: steps.collect(),
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// Whether what differs from the bank is added as an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjust {
    /// Yes, into Ready to Assign.
    Difference,
    /// No: a difference is only explained.
    Nothing,
}

/// Why nothing is written, where nothing is.
fn stopped(plan: &Plan, analysis: &Analysis, adjust: Adjust) -> Option<(Status, String)> {
    let show = |amount: Milliunits| plan.currency.show(amount);
    if !analysis.is_sound() {
        let (own, sum) = (show(analysis.cleared_balance.0), show(analysis.cleared_by_transactions));
        let words = format!(
            "YNAB's cleared balance is {own}, but the transactions read add up to {sum}. Nothing was written. Try again \
             in a minute; if it stays so, reconcile in YNAB."
        );
        return Some((Status::DifferenceFound, words));
    }
    if analysis.is_even() {
        let done = analysis.to_reconcile_count == 0;
        return done.then(|| (Status::NothingToDo, "The balances agree and everything cleared is reconciled.".into()));
    }
    (adjust == Adjust::Nothing).then(|| {
        let sign = mirrored(analysis, " ");
        let words = format!(
            "The bank has {}, YNAB has {} cleared: {} differs.{sign} Nothing was written. Look at explained_by, \
             explained_by_sets and possible_duplicates with the user; adjust=true records what still differs.",
            show(analysis.bank_balance.0),
            show(analysis.cleared_balance.0),
            show(analysis.difference.0)
        );
        (Status::DifferenceFound, words)
    })
}

/// After `gap`, what explains two balances that differ in nothing but their sign; nothing where they do not.
fn mirrored(analysis: &Analysis, gap: &str) -> String {
    let is_so = !analysis.is_even() && analysis.bank_balance.0 == -analysis.cleared_balance.0;
    if is_so { format!("{gap}Only the sign differs: what is owed is negative.") } else { String::new() }
}

/// The transaction that makes up for the difference. It is created reconciled, so that no step hangs on its id.
fn adjustment(plan: &Plan, account: &Account, today: Date, amount: Milliunits) -> Step {
    let is_inflow = |c: &&Category| c.in_internal_group() && !c.is_uncategorized() && !c.deleted;
    // YNAB keeps no category in a tracking account.
    let inflow = plan.categories.iter().find(is_inflow).filter(|_| account.on_budget);
    let row = NewRow {
        account: account.id.clone(),
        date: today,
        amount,
        payee: "Balance adjustment".into(),
        memo: Some("Entered by reconcile_account".into()),
        category: inflow.map(|category| category.id.clone()),
        cleared: Cleared::Reconciled.as_str().into(),
        approved: true,
        import_id: None,
    };
    let twins = plan.live().filter(|t| super::stand::is_alike(plan, t, &row)).map(|t| t.id.clone()).collect();
    Step::Create { rows: vec![row], twins }
}

/// What the yes holds for: the account's transactions with their statuses, and its cleared balance.
fn guard(plan: &Plan, account: Ix<Account>) -> Value {
    let rows = plan.live().filter(|t| t.account == account);
    let mut rows: Vec<(&str, &str)> = rows.map(|t| (t.id.as_str(), t.cleared.as_str())).collect();
    rows.sort_unstable();
    json!({ "cleared_balance": plan.accounts[account].cleared, "transactions": rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;

    const EVERYDAY: &str = "5b015333-9a13-5097-b30e-df9d9385ec97";

    fn day() -> Date {
        jiff::civil::date(2026, 3, 17)
    }

    fn ask(plan: &Plan, balance: f64, adjust: Adjust) -> Proposed<Reconciled> {
        reconcile(plan, day(), EVERYDAY, balance, adjust).expect("an answer")
    }

    #[test]
    fn an_even_account_as_recorded() {
        let plan = &corpus("household").plans[0];
        let proposal = ask(plan, 4113.847, Adjust::Nothing).proposal.expect("a question");
        assert_eq!(proposal.question, "Reconcile Everyday account: mark 78 cleared transaction(s) reconciled?");
        assert_eq!(proposal.done, "Reconciled Everyday account: marked 78 cleared transaction(s) reconciled.");
        assert_eq!(proposal.steps.len(), 1);
    }

    #[test]
    fn a_debt_given_as_positive_is_told_apart_from_a_difference() {
        let plan = &corpus("household").plans[0];
        let message = |balance| ask(plan, balance, Adjust::Nothing).answer.outcome.message;
        assert!(message(-4113.847).contains("Only the sign differs: what is owed is negative."));
        assert!(!message(-4113.848).contains("sign"));
        let question = |balance| ask(plan, balance, Adjust::Difference).proposal.expect("a question").question;
        assert!(question(-4113.847).ends_with("?\nOnly the sign differs: what is owed is negative."));
        assert!(!question(4113.847).contains("sign") && !question(-4113.848).contains("sign"));
    }

    #[test]
    fn a_difference_is_explained_or_adjusted() {
        let plan = &corpus("household").plans[0];
        let found = ask(plan, 4106.347, Adjust::Nothing);
        assert_eq!((found.answer.outcome.status, found.proposal.is_none()), (Status::DifferenceFound, true));
        let asked = ask(plan, 4106.347, Adjust::Difference);
        let proposal = asked.proposal.expect("a question");
        assert!(
            proposal.question.ends_with("reconciled and add a balance adjustment of -7.50?"),
            "{}",
            proposal.question
        );
        assert!(proposal.done.ends_with("reconciled and added a balance adjustment of -7.50."), "{}", proposal.done);
        let [Step::Create { rows, .. }, Step::Transactions { .. }] = &proposal.steps[..] else {
            panic!("{:?}", proposal.steps)
        };
        assert_eq!((rows[0].amount.get(), rows[0].cleared.as_str(), rows[0].approved), (-7_500, "reconciled", true));
        let mut answer = asked.answer;
        assert_eq!(answer.adjustment, None);
        answer.landed(&Landed { created: vec!["t".into()], ..Landed::default() });
        assert_eq!(answer.adjustment, Some(Milliunits::new(-7_500).into()));
    }

    #[test]
    fn figures_that_disagree_are_told_and_nothing_is_adjusted() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let ix = plan.accounts.find(EVERYDAY).expect("the account");
        plan.accounts.at_mut(ix).cleared += Milliunits::new(5_000);
        for adjust in [Adjust::Difference, Adjust::Nothing] {
            let odd = ask(plan, 4118.847, adjust);
            assert_eq!((odd.answer.outcome.status, odd.proposal.is_none()), (Status::DifferenceFound, true));
            assert!(odd.answer.outcome.message.contains("add up to 4113.847"), "{}", odd.answer.outcome.message);
        }
    }

    #[test]
    fn an_adjustment_goes_to_what_is_ready_to_assign_of_a_budget_account() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let (first, inflow) = plan.categories.enumerate().find(|(_, c)| c.in_internal_group()).expect("the inflow");
        let own = Category { id: "inflow".into(), ..inflow.clone() };
        plan.categories.at_mut(first).deleted = true;
        plan.categories.put(own);
        let account = plan.accounts.find(EVERYDAY).expect("the account");
        let category = |plan: &Plan| match adjustment(plan, &plan.accounts[account], day(), Milliunits::new(1)) {
            Step::Create { rows, .. } => rows[0].category.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(category(plan), Some("inflow".into()), "the live one, though not the first");
        plan.accounts.at_mut(account).on_budget = false;
        assert_eq!(category(plan), None, "where YNAB keeps no category");
    }

    #[test]
    fn its_schema_lists_the_status_that_only_it_has() {
        let schema = serde_json::to_value(schemars::schema_for!(Reconciled)).unwrap_or_default();
        let listed = schema["properties"]["status"]["enum"].as_array().cloned().unwrap_or_default();
        assert!(listed.contains(&json!(Status::DifferenceFound)) && listed.len() == 5, "{listed:?}");
    }

    /// Point 8: the yes holds for these transactions, these statuses, this cleared balance.
    #[test]
    fn p8_another_status_is_another_basis() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let first = ask(plan, 4113.847, Adjust::Nothing).proposal.expect("a question");
        let account = plan.accounts.find(EVERYDAY).expect("the account");
        let uncleared = |t: &&crate::plan::Transaction| t.account == account && t.cleared == Cleared::Uncleared;
        let id = plan.live().find(uncleared).expect("an uncleared one").id.clone();
        let ix = plan.transactions.find(&id).expect("it");
        plan.transactions.at_mut(ix).deleted = true;
        let second = ask(plan, 4113.847, Adjust::Nothing).proposal.expect("a question");
        assert_eq!(first.fingerprint(), second.fingerprint());
        assert_ne!(first.basis(), second.basis());
    }
}
