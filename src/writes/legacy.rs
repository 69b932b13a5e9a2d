//! Owns the lines that the Python server wrote in its journal: reading one as an operation. Never writes one.

use serde::Deserialize;
use serde_json::Value;

use super::{Change, Done, GoalSent, GoalState, Kind, Landed, Operation, RowEdit, Step, StepState, target};
use crate::dates::{Date, Month, parse_date};
use crate::ids::{CategoryId, OperationId, PayeeId, PlanId, TransactionId};
use crate::money::Milliunits;
use crate::plan::Cleared;

/// A line: which operation, on which plan (older lines say budget), and what undoing it needs.
#[derive(Deserialize)]
struct Line {
    operation_id: OperationId,
    #[serde(alias = "budget_id")]
    plan_id: PlanId,
    kind: Kind,
    applied_at: String,
    #[serde(default)]
    moves: Vec<Recategorised>,
    #[serde(default)]
    details: Value,
}

#[derive(Deserialize)]
struct Recategorised {
    transaction_id: TransactionId,
    from_category_id: Option<CategoryId>,
    to_category_id: Option<CategoryId>,
}

#[derive(Deserialize)]
struct Budget {
    month: Month,
    category_id: CategoryId,
    from: Milliunits,
    to: Milliunits,
}

#[derive(Deserialize)]
struct Moved {
    month: Month,
    changes: Vec<Side>,
}

#[derive(Deserialize)]
struct Side {
    category_id: CategoryId,
    from: Milliunits,
    to: Milliunits,
}

#[derive(Deserialize)]
struct Created {
    transaction_ids: Vec<TransactionId>,
}

#[derive(Deserialize)]
struct Flagged {
    changes: Vec<Flag>,
}

#[derive(Deserialize)]
struct Flag {
    transaction_id: TransactionId,
    from: Option<String>,
    to: Option<String>,
}

#[derive(Deserialize)]
struct Reconciled {
    reconciled_ids: Vec<TransactionId>,
    adjustment_id: Option<TransactionId>,
}

#[derive(Deserialize)]
struct Renamed {
    payee_id: PayeeId,
    from: String,
    to: String,
}

#[derive(Deserialize)]
struct Targeted {
    category_id: CategoryId,
    undo: Restoring,
    after: String,
}

/// What the Python server would send to bring a target back.
#[derive(Deserialize)]
struct Restoring {
    goal_target: Option<Milliunits>,
    goal_target_date: Option<String>,
    goal_frequency: Option<String>,
    goal_needs_whole_amount: Option<bool>,
}

/// The operation that a line of the Python server records; `None` when it is none of its kinds.
pub fn operation(line: &Value) -> Option<Operation> {
    let line = Line::deserialize(line).ok()?;
    Some(Operation {
        steps: steps(line.kind, &line.details, line.moves)?,
        id: line.operation_id,
        plan: line.plan_id,
        kind: line.kind,
        at: line.applied_at,
        undone: Vec::new(),
        closed: false,
    })
}

fn steps(kind: Kind, details: &Value, moves: Vec<Recategorised>) -> Option<Vec<Done>> {
    fn read<'a, T: Deserialize<'a>>(details: &'a Value) -> Option<T> {
        T::deserialize(details).ok()
    }
    let plain = |step| Done { step, state: StepState::Applied, landed: Landed::default() };
    // These lines do not say what a transaction was created as; undo shows it and asks.
    let created = |ids| Done {
        step: Step::Create { rows: Vec::new(), twins: Vec::new() },
        state: StepState::Applied,
        landed: Landed { created: ids, ..Landed::default() },
    };
    let edits = |rows| vec![plain(Step::Transactions { rows })];
    Some(match kind {
        Kind::Categorize => edits(moves.into_iter().map(recategorised).collect()),
        Kind::Budget => {
            let Budget { month, category_id, from, to } = read(details)?;
            vec![plain(budget(month, category_id, from, to))]
        }
        Kind::Move => {
            let Moved { month, changes } = read(details)?;
            changes.into_iter().map(|side| plain(budget(month, side.category_id, side.from, side.to))).collect()
        }
        Kind::Create => vec![created(read::<Created>(details)?.transaction_ids)],
        Kind::Flag => edits(read::<Flagged>(details)?.changes.into_iter().map(flagged).collect()),
        Kind::Reconcile => {
            let Reconciled { reconciled_ids, adjustment_id } = read(details)?;
            let marked = edits(reconciled_ids.into_iter().map(reconciled).collect());
            adjustment_id.map(|id| created(vec![id])).into_iter().chain(marked).collect()
        }
        Kind::Payee => {
            let Renamed { payee_id, from, to } = read(details)?;
            vec![plain(Step::Payee { payee: payee_id, name: Change { before: from, after: to } })]
        }
        Kind::Target => vec![plain(targeted(read(details)?)?)],
        _ => return None,
    })
}

fn recategorised(moved: Recategorised) -> RowEdit {
    let category = Some(Change { before: moved.from_category_id, after: moved.to_category_id });
    RowEdit { category, ..RowEdit::of(moved.transaction_id) }
}

fn flagged(flag: Flag) -> RowEdit {
    let change = Some(Change { before: flag.from, after: flag.to });
    RowEdit { flag: change, ..RowEdit::of(flag.transaction_id) }
}

fn reconciled(id: TransactionId) -> RowEdit {
    let word = |status: Cleared| status.as_str().to_owned();
    let cleared = Some(Change { before: word(Cleared::Cleared), after: word(Cleared::Reconciled) });
    RowEdit { cleared, ..RowEdit::of(id) }
}

fn budget(month: Month, category: CategoryId, before: Milliunits, after: Milliunits) -> Step {
    Step::Budget { month, category, budgeted: Change { before, after } }
}

/// A change of target: what it was is told by what would bring it back, what it became by the words shown then.
fn targeted(line: Targeted) -> Option<Step> {
    let after = shown(&line.after)?;
    let undo = &line.undo;
    let date = undo.goal_target_date.as_deref().map(|text| parse_date(text).ok_or(())).transpose().ok()?;
    let only_amount = date.is_none() && undo.goal_frequency.is_none() && undo.goal_needs_whole_amount.is_none();
    let before = undo.goal_target.map(|amount| match &after {
        Some(after) if only_amount => GoalState { target: Some(amount), ..after.clone() },
        _ => GoalState {
            kind: "NEED".into(),
            target: Some(amount),
            date,
            cadence: Some(undo.goal_frequency.as_deref().and_then(target::cadence).unwrap_or(0)),
            whole: undo.goal_needs_whole_amount,
            ..GoalState::default()
        },
    });
    let mut sent = GoalSent { target: after.as_ref().and_then(|goal| goal.target), ..GoalSent::default() };
    if let Some(goal) = after.as_ref().filter(|_| !(only_amount && before.is_some())) {
        sent.date = goal.date;
        sent.frequency = goal.cadence.filter(|_| goal.kind == "NEED").and_then(target::frequency).map(str::to_owned);
    }
    Some(Step::Target { category: line.category_id, goal: Change { before, after }, sent })
}

/// A target from the words the Python server showed it in; the outer `None` when they are not its words.
fn shown(words: &str) -> Option<Option<GoalState>> {
    if words == "no target" {
        return Some(None);
    }
    let (amount, rest) = words.split_once(' ')?;
    let target = Milliunits::read(amount.parse().ok()?);
    let goal = |kind: &str, date: Option<Date>, cadence: Option<i64>| {
        Some(Some(GoalState { kind: kind.into(), target, date, cadence, ..GoalState::default() }))
    };
    match rest {
        "each month" => goal("NEED", None, Some(1)),
        "each week" => goal("NEED", None, Some(2)),
        "each year" => goal("NEED", None, Some(13)),
        "(spending target)" => goal("NEED", None, None),
        "(monthly funding)" => goal("MF", None, Some(1)),
        "(target balance)" => goal("TB", None, None),
        "(debt payment)" => goal("DEBT", None, None),
        "(target balance by date)" => goal("TBD", None, None),
        _ => goal("NEED", Some(parse_date(rest.strip_prefix("by ")?)?), None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::effects;
    use super::super::laws::stage::{self, carry_out, plan};
    use super::*;
    use crate::plan::Plan;

    const LINES: &str = include_str!("legacy/lines.jsonl");

    fn operations() -> Vec<Operation> {
        let line = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        LINES.lines().map(line).filter_map(|line| operation(&line)).collect()
    }

    /// The question that undoing the operation asks once the plan is as the operation left it.
    fn question(plan: &mut Plan, operation: &Operation) -> String {
        for done in &operation.steps {
            if !matches!(&done.step, Step::Create { .. }) {
                carry_out(plan, &done.step);
            }
        }
        let proposed = stage::undo_one(plan, operation).expect("an answer");
        proposed.proposal.map_or(proposed.answer.outcome.message, |proposal| proposal.question)
    }

    #[test]
    fn every_kind_of_the_python_servers_lines_is_read_and_can_be_undone() {
        let read = operations();
        let kinds: Vec<Kind> = read.iter().map(|operation| operation.kind).collect();
        use Kind::*;
        assert_eq!(
            kinds,
            [Categorize, Budget, Move, Flag, Create, Payee, Reconcile, Target, Target, Target, Target, Target]
        );
        let mut plan = plan();
        let made = read[4].steps[0].landed.created[0].clone();
        stage::put_created(&mut plan, &made, "New shop", -12_500);
        let adjustment = read[6].steps[0].landed.created[0].clone();
        stage::put_created(&mut plan, &adjustment, "Balance adjustment", -4_000);
        let asked = [
            "Undo: recategorise 1 transaction(s)?\n- 2026-02-24 Zero Corp 0.00: Groceries → no category",
            "Undo: set Restaurants for 2026-03-01 back to 20.00?",
            "Undo: move 5.00 back from Restaurants to Rent for 2026-03-01?",
            "Undo: put back the flag of 2 transaction(s)?",
            "Undo: delete the 1 transaction(s) this operation created?\n- 2026-03-16 New shop -12.50",
            "Undo: name the payee 'CB SUPER NOVA 11/10 4970****1234 LYRIC' again?",
            "Undo reconciliation: mark 7 transaction(s) back to cleared and delete the balance adjustment?\n\
             - 2026-03-16 Balance adjustment -4.00",
            "Undo: set the target of Fuel back?",
            "Undo: set the target of Fuel back?",
            "Undo: set the target of Fuel back?",
            "Undo: set the target of Car repairs back?",
            "Undo: set the target of Fuel back?",
        ];
        for (operation, asked) in read.iter().zip(asked) {
            assert_eq!(question(&mut plan, operation), asked);
            assert!(effects::stuck(operation).is_none());
        }
    }

    #[test]
    fn what_is_sent_to_bring_a_target_back_is_what_the_line_says() {
        let sent = |operation: &Operation| match &operation.steps[0].step {
            Step::Target { goal, sent, .. } => serde_json::json!(target::restoring(goal, sent)),
            other => panic!("{other:?}"),
        };
        let targets: Vec<Value> = operations().iter().filter(|o| o.kind == Kind::Target).map(sent).collect();
        let want = serde_json::json!([
            { "target": null },
            { "target": 80000, "frequency": "monthly", "whole": false },
            { "target": 90500, "date": "2026-10-03", "whole": false },
            { "target": 900000 },
            { "target": 33000, "date": "2027-03-01", "whole": false }
        ]);
        assert_eq!(Value::from(targets), want);
    }

    #[test]
    fn what_is_no_line_of_its_is_none() {
        let bad = [
            r#"{"undone":"8179572fd33f"}"#,
            "{}",
            "[]",
            "null",
            r#"{"operation_id":"a","plan_id":"p","kind":"dance","applied_at":"","moves":[],"details":{}}"#,
            r#"{"operation_id":"a","plan_id":"p","kind":"budget","applied_at":"","moves":[],"details":{}}"#,
            r#"{"operation_id":"a","plan_id":"p","kind":"budget","applied_at":"","moves":[],"details":{"month":"2026-03-02","category_id":"c","from":1,"to":2}}"#,
            r#"{"operation_id":"a","plan_id":"p","kind":"target","applied_at":"","moves":[],"details":{"category_id":"c","undo":{"goal_target":1},"after":"x"}}"#,
            r#"{"operation_id":"a","plan_id":"p","kind":"split","applied_at":"","moves":[],"details":{}}"#,
        ];
        for line in bad {
            let line: Value = serde_json::from_str(line).expect("JSON");
            assert!(operation(&line).is_none(), "{line}");
        }
        let older = r#"{"operation_id":"a","budget_id":"p","kind":"categorize","applied_at":"","moves":[]}"#;
        let older: Value = serde_json::from_str(older).expect("JSON");
        assert_eq!(operation(&older).map(|operation| operation.plan), Some("p".into()));
    }

    #[test]
    fn every_target_in_the_python_servers_words_is_known() {
        let state = |words: &str| shown(words).flatten().map(|goal| (goal.kind, goal.target, goal.date, goal.cadence));
        let known = |kind: &str, date, cadence| Some((kind.to_owned(), Some(Milliunits::new(12_500)), date, cadence));
        let cases = [
            ("12.50 each month", known("NEED", None, Some(1))),
            ("12.50 each week", known("NEED", None, Some(2))),
            ("12.50 each year", known("NEED", None, Some(13))),
            ("12.50 (spending target)", known("NEED", None, None)),
            ("12.50 (monthly funding)", known("MF", None, Some(1))),
            ("12.50 (target balance)", known("TB", None, None)),
            ("12.50 (debt payment)", known("DEBT", None, None)),
            ("12.50 (target balance by date)", known("TBD", None, None)),
            ("12.50 by 2026-10-03", known("NEED", parse_date("2026-10-03"), None)),
            ("12.50 each moon", None),
        ];
        for (words, want) in cases {
            assert_eq!(state(words), want, "{words}");
        }
    }

    #[test]
    fn a_target_with_a_frequency_before_is_not_taken_for_one_like_it_is_now() {
        let line = serde_json::json!({ "operation_id": "a", "plan_id": "p", "kind": "target", "applied_at": "",
            "details": { "category_id": "c", "undo": { "goal_target": 5000, "goal_frequency": "weekly" },
                "after": "12.50 (target balance)" } });
        let read = operation(&line).expect("a line of its");
        let Step::Target { goal, .. } = &read.steps[0].step else { panic!("{:?}", read.steps) };
        let before = goal.before.as_ref().map(|before| (before.kind.as_str(), before.cadence));
        assert_eq!(before, Some(("NEED", Some(2))));
    }
}
