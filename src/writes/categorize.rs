//! Owns giving categories to transactions: what would change, what YNAB would not take.
//! Never chooses a category (that is `classifier`).

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Change, Kind, Outcome, Proposal, Proposed, RowEdit, checks, in_steps, names};
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::{CategoryId, TransactionId};
use crate::money::Amount;
use crate::plan::{Plan, Transaction};
use crate::refuse;
use crate::text::{safe, with_lines};

/// A category to give to a transaction.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// Which transaction.
    pub transaction_id: &'a str,
    /// Which category.
    pub category_id: &'a str,
}

/// The answer of apply_categories and undo_operation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recategorisation {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What changes, one entry a transaction.
    pub changes: Vec<Recategorised>,
    /// Already so.
    pub unchanged_count: usize,
    /// Ids left alone: changed since.
    pub conflicts: Vec<String>,
}

impl Answer for Recategorisation {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// One transaction's category before and after.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recategorised {
    /// Its id.
    pub transaction_id: TransactionId,
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Spending is negative.
    pub amount: Amount,
    /// Untrusted bank text.
    pub payee: String,
    /// Before.
    pub from_category_id: Option<CategoryId>,
    /// Before.
    pub from_category: Option<String>,
    /// After.
    pub to_category_id: Option<CategoryId>,
    /// After.
    pub to_category: Option<String>,
}

impl Recategorised {
    /// A transaction's category as it is and as it is to be.
    pub fn new(plan: &Plan, row: &Transaction, to: Option<CategoryId>) -> Self {
        let named = |id: &Option<CategoryId>| id.as_ref().and_then(|id| plan.categories.get(id));
        let shown = |id: &Option<CategoryId>| named(id).map(|category| safe(&category.name).into_owned());
        let from = category_id(plan, row);
        Self {
            transaction_id: row.id.clone(),
            date: row.date,
            amount: row.amount.into(),
            payee: safe(plan.payee_name(row.payee)).into_owned(),
            from_category: shown(&from),
            from_category_id: from,
            to_category: shown(&to),
            to_category_id: to,
        }
    }
}

/// The id of a transaction's category.
pub(super) fn category_id(plan: &Plan, row: &Transaction) -> Option<CategoryId> {
    row.category.map(|ix| plan.categories[ix].id.clone())
}

/// What giving these categories would change.
pub fn categorize(plan: &Plan, assignments: &[Assignment<'_>]) -> Result<Proposed<Recategorisation>, Refusal> {
    let (mut seen, mut changed) = (HashSet::new(), Vec::new());
    for (at, assignment) in assignments.iter().enumerate() {
        let row = checks::row(plan, assignment.transaction_id, &format!("assignments[{at}].transaction_id"))?;
        checks::once(&mut seen, assignment.transaction_id, &format!("assignments[{at}].transaction_id"))?;
        let category =
            checks::assignable(&plan.categories, assignment.category_id, &format!("assignments[{at}].category_id"))?;
        takes_category(plan, row, &format!("assignments[{at}]"))?;
        if category_id(plan, row).as_ref() != Some(&category.id) {
            changed.push((row, category.id.clone()));
        }
    }
    let changes = changed.iter().map(|(row, to)| Recategorised::new(plan, row, Some(to.clone()))).collect();
    let mut answer = Recategorisation {
        outcome: Outcome::proposed(),
        changes,
        unchanged_count: assignments.len() - changed.len(),
        conflicts: Vec::new(),
    };
    if changed.is_empty() {
        answer.outcome = Outcome::nothing(match assignments {
            [] => "No assignment was given.",
            _ => "Every transaction has that category already.",
        });
        return Ok(Proposed { answer, proposal: None });
    }
    let edits = changed.iter().map(|(row, to)| {
        let before = category_id(plan, row);
        RowEdit { category: Some(Change { before, after: Some(to.clone()) }), ..RowEdit::of(row.id.clone()) }
    });
    let count = changed.len();
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Categorize,
        subject: changed.iter().map(|(row, to)| serde_json::json!([row.id, to])).collect(),
        guard: serde_json::Value::Null,
        question: with_lines(&format!("Recategorise {count} transaction(s)?"), &lines(plan, &answer.changes)),
        done: format!("Recategorised {count} transaction(s)."),
        steps: in_steps(edits.collect()),
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// A line a change: date, payee, amount, category before and after.
pub(super) fn lines(plan: &Plan, changes: &[Recategorised]) -> Vec<String> {
    let rows: Vec<&Transaction> = changes.iter().filter_map(|c| plan.transactions.get(&c.transaction_id)).collect();
    let named = |id: &Option<CategoryId>| match id.as_ref().and_then(|id| plan.categories.get(id)) {
        Some(category) => names::category(&plan.categories, category),
        None => "no category".to_owned(),
    };
    let line = |(head, change): (String, &Recategorised)| {
        format!("{head}: {} → {}", named(&change.from_category_id), named(&change.to_category_id))
    };
    names::rows(plan, &rows).into_iter().zip(changes).map(line).collect()
}

/// Refuses a transaction that YNAB gives no category of its own.
fn takes_category(plan: &Plan, row: &Transaction, at: &str) -> Result<(), Refusal> {
    let head = names::row(plan, row);
    if row.is_split() {
        return Err(refuse!("{at}: {head} is split; its lines have the categories. Change them in YNAB."));
    }
    if !plan.accounts[row.account].on_budget {
        return Err(refuse!("{at}: {head} is in a tracking account, where YNAB keeps no categories. Leave it out."));
    }
    if row.is_transfer() {
        return Err(refuse!("{at}: {head} is a transfer, which has no category. Leave it out."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::writes::{ROWS_MAX, Status, Step};

    const ZERO_CORP: &str = "7fd0c4a7-eb95-5032-8833-4a5d0b018036";
    const GROCERIES: &str = "7b1d368c-6353-5528-ae27-9900dd845c49";
    const BOOKS: &str = "3e639cb0-a1d5-51e4-9744-3d1b0fea5375";

    fn assign<'a>(transaction_id: &'a str, category_id: &'a str) -> Assignment<'a> {
        Assignment { transaction_id, category_id }
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let asked = [assign(ZERO_CORP, GROCERIES), assign("3069b4eb-4c2c-5b93-91e7-33efe85a937f", BOOKS)];
        let proposed = categorize(plan, &asked).expect("a proposal");
        let proposal = proposed.proposal.expect("a question");
        assert_eq!(
            proposal.question,
            "Recategorise 2 transaction(s)?\n- 2026-02-24 Zero Corp 0.00: no category → Groceries\n\
             - 2026-03-03 VIR REGULARISATION 75.00: no category → Books"
        );
        assert_eq!(proposal.subject, serde_json::json!([[ZERO_CORP, GROCERIES], [asked[1].transaction_id, BOOKS]]));
        assert_eq!((proposed.answer.unchanged_count, proposed.answer.changes.len()), (0, 2));
    }

    #[test]
    fn what_is_so_already_is_counted_and_nothing_is_asked() {
        let plan = &corpus("household").plans[0];
        let asked = [assign("2b41235e-1fb0-5d15-80cc-5135193d380a", BOOKS)];
        let proposed = categorize(plan, &asked).expect("an answer");
        assert!(proposed.proposal.is_none());
        assert_eq!((proposed.answer.outcome.status, proposed.answer.unchanged_count), (Status::NothingToDo, 1));
        assert_eq!(proposed.answer.outcome.message, "Every transaction has that category already.");
        let none = categorize(plan, &[]).expect("an answer").answer.outcome;
        assert_eq!((none.status, none.message.as_str()), (Status::NothingToDo, "No assignment was given."));
    }

    #[test]
    fn what_ynab_would_not_take_is_refused_and_the_row_named() {
        let plan = &corpus("household").plans[0];
        let row = |wanted: fn(&Plan, &Transaction) -> bool| {
            plan.transactions.iter().find(|t| wanted(plan, t)).expect("such a transaction").id.to_string()
        };
        let cases = [
            row(|_, t| t.deleted),
            row(|_, t| !t.deleted && t.is_split()),
            row(|_, t| !t.deleted && t.is_transfer()),
            row(|p, t| !t.deleted && !p.accounts[t.account].on_budget && !t.is_transfer()),
            "00000000-0000-4000-8000-000000000000".to_owned(),
            String::new(),
        ];
        for id in &cases {
            let asked = [assign(ZERO_CORP, GROCERIES), assign(id, GROCERIES)];
            let refused = categorize(plan, &asked).expect_err("a refusal").to_string();
            assert!(refused.starts_with("assignments[1]"), "{refused}");
        }
        let twice = categorize(plan, &[assign(ZERO_CORP, GROCERIES), assign(ZERO_CORP, BOOKS)]);
        assert!(twice.expect_err("a refusal").to_string().contains("given twice"));
    }

    /// Point 30: a transaction whose split lines are all deleted takes a category again; a card's payment is refused.
    #[test]
    fn p30_a_split_of_deleted_lines_is_no_split() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let split = plan.live().find(|t| t.is_split() && !t.is_transfer()).expect("a split").id.to_string();
        assert!(categorize(plan, &[assign(&split, GROCERIES)]).is_err());
        let ix = plan.transactions.find(&split).expect("it");
        plan.transactions.at_mut(ix).lines.iter_mut().for_each(|line| line.deleted = true);
        assert!(categorize(plan, &[assign(&split, GROCERIES)]).expect("an answer").proposal.is_some());
        let card = plan.categories.iter().find(|c| c.is_card_payment()).expect("a card's payments").id.to_string();
        assert!(categorize(plan, &[assign(&split, &card)]).is_err());
    }

    #[test]
    fn many_go_in_steps_of_a_hundred() {
        let plan = &corpus("household").plans[0];
        let plain = |t: &&Transaction| takes_category(plan, t, "").is_ok();
        let ids: Vec<String> = plan.live().filter(plain).take(250).map(|t| t.id.to_string()).collect();
        let asked: Vec<Assignment<'_>> = ids.iter().map(|id| assign(id, BOOKS)).collect();
        let proposed = categorize(plan, &asked).expect("a proposal");
        let proposal = proposed.proposal.expect("a question");
        let sizes: Vec<usize> =
            proposal.steps.iter().map(|s| if let Step::Transactions { rows } = s { rows.len() } else { 0 }).collect();
        assert!(sizes.iter().all(|size| (1..=ROWS_MAX).contains(size)), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), proposed.answer.changes.len());
        assert_eq!(proposal.question.lines().count(), 22);
    }
}
