//! Owns the list of a plan's operations: what each changed, in words looked up now, and what of it can be undone.
//! Never changes one: that is `undo`.

use schemars::JsonSchema;
use serde::Serialize;

use super::effects::{self, Later};
use super::{Change, Done, GoalState, Kind, Operation, Step, StepState, names, target};
use crate::analytics::{Room, counted, fit};
use crate::ids::{CategoryId, OperationId, TransactionId};
use crate::plan::{Goal, Plan};
use crate::text::safe;

/// How many ids of things left alone are listed for an operation.
const CONFLICTS_MAX: usize = 10;

/// The answer of list_operations.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Operations {
    /// Newest first.
    pub operations: Vec<Listed>,
    /// Older ones not shown.
    pub more: usize,
    /// What stands out.
    pub message: String,
}

/// One operation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listed {
    /// Its id.
    pub operation_id: OperationId,
    /// What sort it is.
    #[schemars(with = "String")]
    pub kind: Kind,
    /// UTC.
    pub applied_at: String,
    /// What it changed.
    pub summary: String,
    /// applied, partly_applied, in_doubt, not_applied, undone or partly_undone.
    #[schemars(with = "String")]
    pub state: State,
    /// Whether anything can be undone now.
    pub undoable: bool,
    /// Changed since, first 10: undo leaves them alone.
    pub conflicts: Vec<String>,
}

/// How far an operation got, and how much of it was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// All of it.
    Applied,
    /// Some of it.
    PartlyApplied,
    /// Nobody knows yet.
    InDoubt,
    /// None of it.
    NotApplied,
    /// Taken back.
    Undone,
    /// Taken back in part.
    PartlyUndone,
}

/// Whether an operation is the plan's; an old line that says `last-used` is when the plan holds all it names.
pub fn is_of(operation: &Operation, plan: &Plan) -> bool {
    let holds = |done: &Done| match &done.step {
        Step::Transactions { rows } => rows.iter().all(|row| plan.transactions.get(&row.id).is_some()),
        Step::Create { .. } => done.landed.created.iter().all(|id| plan.transactions.get(id).is_some()),
        Step::Delete { id, .. } | Step::Split { id, .. } => plan.transactions.get(id).is_some(),
        Step::Budget { category, .. } | Step::Category { category, .. } | Step::Target { category, .. } => {
            plan.categories.get(category).is_some()
        }
        Step::CreateCategory { place } => plan.groups.get(&place.group).is_some(),
        Step::Payee { payee, .. } => plan.payees.get(payee).is_some(),
        Step::Import => false,
    };
    operation.plan == plan.id || (operation.plan.as_str() == "last-used" && operation.steps.iter().all(holds))
}

/// The plan's latest operations, at most `limit`; `operations` are in the journal's order, oldest first.
pub fn list(plan: &Plan, operations: &[Operation], limit: usize) -> Operations {
    let own: Vec<&Operation> = operations.iter().rev().filter(|operation| is_of(operation, plan)).collect();
    let mut later = Later::default();
    let next = |operation: &&Operation| {
        let listed = listed(plan, operation, &later);
        later.add(plan, operation);
        listed
    };
    let (listed, _) = fit(own.iter().take(limit).map(next).collect(), Room::of(limit));
    let undoable = listed.iter().filter(|operation| operation.undoable).count();
    let message = match own.len() {
        0 => "No change was made from here on this plan.".to_owned(),
        all if all == listed.len() => format!("{} on this plan; {undoable} can be undone.", counted(all, "operation")),
        all => format!("The latest {} of {all} operations; {undoable} of them can be undone.", listed.len()),
    };
    Operations { more: own.len() - listed.len(), operations: listed, message }
}

fn listed(plan: &Plan, operation: &Operation, later: &Later) -> Listed {
    let over = effects::is_over(operation);
    let remains = if over { effects::Remains::default() } else { effects::remains(plan, operation, later) };
    let conflicts = remains.conflicts.iter().take(CONFLICTS_MAX).map(|conflict| conflict.id.clone());
    Listed {
        operation_id: operation.id.clone(),
        kind: operation.kind,
        applied_at: operation.at.clone(),
        summary: summary(plan, operation),
        state: state(operation, over),
        undoable: effects::stuck(operation).is_none() && remains.is_ready(),
        conflicts: conflicts.collect(),
    }
}

fn state(operation: &Operation, over: bool) -> State {
    let has = |wanted: StepState| operation.steps.iter().any(|done| done.state == wanted);
    let missed = operation.steps.iter().any(|done| !done.landed.missed.is_empty());
    let taken = operation.undone.iter().any(|done| done.state == StepState::Applied);
    match () {
        () if has(StepState::Doubt) => State::InDoubt,
        () if !has(StepState::Applied) => State::NotApplied,
        () if over && (taken || operation.closed) => State::Undone,
        () if taken => State::PartlyUndone,
        () if missed || has(StepState::NotApplied) => State::PartlyApplied,
        () => State::Applied,
    }
}

/// One line that says what the operation changed; names are the plan's now.
fn summary(plan: &Plan, operation: &Operation) -> String {
    let (mut rows, mut made) = (Vec::new(), Vec::new());
    for done in operation.steps.iter().filter(|done| done.state != StepState::NotApplied) {
        match &done.step {
            Step::Transactions { rows: edits } => rows.extend(edits.iter().map(|edit| &edit.id)),
            Step::Create { .. } => made.extend(&done.landed.created),
            _ => {}
        }
    }
    let first = |ids: &[&TransactionId]| {
        let row = ids.first().and_then(|id| plan.transactions.get(*id)).map(|row| names::row(plan, row));
        match (row, ids.len()) {
            (None, _) => String::new(),
            (Some(row), 1) => format!(": {row}"),
            (Some(row), count) => format!(": {row}, and {} more", count - 1),
        }
    };
    let changed = counted(rows.len(), "transaction");
    match operation.kind {
        Kind::Categorize => format!("Recategorised {changed}{}", first(&rows)),
        Kind::Flag => format!("Changed the flag of {changed}{}", first(&rows)),
        Kind::Approve => format!("Approved {changed}{}", first(&rows)),
        Kind::Create => format!("Created {}{}", counted(made.len(), "transaction"), first(&made)),
        Kind::Reconcile => {
            let adjusted = if made.is_empty() { "" } else { " with a balance adjustment" };
            format!("Reconciled {changed}{adjusted}")
        }
        Kind::Statement => {
            format!("Applied a statement: created {}, changed {changed}", counted(made.len(), "transaction"))
        }
        Kind::Import => {
            let count = operation.steps.iter().map(|done| done.landed.created.len()).sum();
            format!("Imported {}", counted(count, "transaction"))
        }
        _ => single(plan, operation),
    }
}

/// A line for what has one thing to say: a category, a month, a payee, a split.
fn single(plan: &Plan, operation: &Operation) -> String {
    let show = |amount| plan.currency.show(amount);
    match operation.steps.iter().map(|done| &done.step).collect::<Vec<_>>()[..] {
        [Step::Budget { month, category: from, budgeted }, Step::Budget { category: to, .. }, ..] => {
            let amount = show(budgeted.before - budgeted.after);
            format!("Moved {amount} from {} to {} for {month}", named(plan, from), named(plan, to))
        }
        [Step::Budget { month, category, budgeted }, ..] => {
            let Change { before, after } = budgeted;
            format!("Budgeted {} for {month}: {} → {}", named(plan, category), show(*before), show(*after))
        }
        [Step::Category { place: Change { before, after }, .. }, ..] if before.name == after.name => {
            format!("Moved category '{}' to another group", safe(&after.name))
        }
        [Step::Category { place, .. }, ..] => {
            format!("Renamed category '{}' to '{}'", safe(&place.before.name), safe(&place.after.name))
        }
        [Step::CreateCategory { place }, ..] => format!("Created category '{}'", safe(&place.name)),
        [Step::Target { category, goal, .. }, ..] => {
            let shown =
                |goal: &Option<GoalState>| target::shown(goal.as_ref().map(Goal::from).as_ref(), &plan.currency);
            format!("Set the target of {}: {} → {}", named(plan, category), shown(&goal.before), shown(&goal.after))
        }
        [Step::Payee { name, .. }, ..] => {
            format!("Renamed payee '{}' to '{}'", safe(&name.before), safe(&name.after))
        }
        [Step::Split { id, lines, .. }, ..] => {
            let row = plan.transactions.get(id).map_or_else(String::new, |row| names::row(plan, row));
            format!("Split {row} into {} lines", lines.len())
        }
        _ => String::new(),
    }
}

fn named(plan: &Plan, id: &CategoryId) -> String {
    let known = plan.categories.get(id).map(|category| names::category(&plan.categories, category));
    known.unwrap_or_else(|| "a category that is gone".to_owned())
}

impl From<&GoalState> for Goal {
    fn from(state: &GoalState) -> Self {
        Self {
            kind: state.kind.as_str().into(),
            target: state.target,
            target_date: state.date,
            cadence: state.cadence,
            cadence_frequency: state.every,
            needs_whole_amount: state.whole,
            day: state.day,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::stage::*;
    use super::super::undo::undo;
    use super::*;
    use crate::money::Milliunits;
    use crate::writes::{CategoryPlace, GoalSent, Landed, NewLine};

    /// A plan and one operation of each of ten kinds, oldest first.
    fn ten() -> (Plan, Vec<Operation>) {
        let mut plan = plan();
        let mut operations = Vec::new();
        for which in 0..10 {
            let proposal = some_write(&plan, which, 2);
            operations.push(carried(&mut plan, &proposal));
        }
        (plan, operations)
    }

    /// Point 11: operations are listed, newest first, with what each changed and whether it can be undone.
    #[test]
    fn p11_operations_are_listed() {
        let (plan, operations) = ten();
        let all = list(&plan, &operations, 20);
        let ids: Vec<&OperationId> = all.operations.iter().map(|listed| &listed.operation_id).collect();
        assert_eq!(ids, operations.iter().rev().map(|operation| &operation.id).collect::<Vec<_>>());
        assert!(all.operations.iter().all(|listed| listed.state == State::Applied && !listed.summary.is_empty()));
        assert_eq!(all.message, "10 operations on this plan; 8 can be undone.");
        let two = list(&plan, &operations, 2);
        assert_eq!((two.operations.len(), two.more), (2, 8));
        assert!(two.message.starts_with("The latest 2 of 10 operations"), "{}", two.message);
        let summaries: Vec<&str> = all.operations.iter().map(|listed| listed.summary.as_str()).collect();
        let expected = [
            "Reconciled 80 transactions with a balance adjustment",
            "Approved 2 transactions: 2026-02-27 GRAND BAZAR CENTRAL -50.00, and 1 more",
            "Set the target of Sport: no target → 3.00 each month",
            "Renamed category 'Transport' to 'Getting around 2'",
            "Renamed payee 'PRLV SEPA REGIE DES TILLEULS - IBAN: XX76 3000 1111 2222' to 'Renamed 2 485'",
            "Changed the flag of 2 transactions: 2024-10-01 Starting Balance 2400.00, and 1 more",
            "Created 2 transactions: 2026-03-01 A new shop -1.50, and 1 more",
            "Moved 2.00 from Groceries to Rent for 2026-03-01",
            "Budgeted Groceries for 2026-03-01: 464.00 → 467.00",
            "Recategorised 2 transactions: 2024-10-01 Starting Balance 2400.00, and 1 more",
        ];
        assert_eq!(summaries, expected);
    }

    #[test]
    fn what_was_taken_back_or_never_applied_is_told() {
        let (mut plan, mut operations) = ten();
        let last = operations.last_mut().expect("one");
        take_back(&mut plan, last).expect("an undo");
        let listed = list(&plan, &operations, 1).operations.remove(0);
        assert_eq!((listed.state, listed.undoable), (State::Undone, false));
        let last = operations.last_mut().expect("one");
        last.undone.clear();
        last.steps.iter_mut().for_each(|done| done.state = StepState::NotApplied);
        assert_eq!(list(&plan, &operations, 1).operations[0].state, State::NotApplied);
        operations[9].steps[0].state = StepState::Doubt;
        assert_eq!(list(&plan, &operations, 1).operations[0].state, State::InDoubt);
    }

    #[test]
    fn what_was_done_or_taken_back_in_part_is_told() {
        let mut plan = plan();
        let told =
            |plan: &Plan, operation: &Operation| list(plan, std::slice::from_ref(operation), 1).operations[0].state;
        let proposal = books(&plan, 3);
        let whole = carried(&mut plan, &proposal);
        let mut operation = whole.clone();
        let ids = [0, 1, 2].map(|at| edited_row(&whole, at));
        operation.steps[0].landed.missed = vec![ids[0].clone()];
        assert_eq!(told(&plan, &operation), State::PartlyApplied);
        operation.steps[0].landed.missed = ids.to_vec();
        assert_eq!(told(&plan, &operation), State::PartlyApplied, "none of its rows, though YNAB took the request");
        let mut operation = whole.clone();
        operation.steps.push(Done { state: StepState::NotApplied, ..whole.steps[0].clone() });
        assert_eq!(told(&plan, &operation), State::PartlyApplied);
        let mut operation = whole;
        recategorised_since(&mut plan, &ids[1], "Rent");
        take_back(&mut plan, &mut operation).expect("an undo");
        assert_eq!(told(&plan, &operation), State::PartlyUndone);
    }

    #[test]
    fn what_cannot_be_undone_and_targets_of_every_shape_are_put_into_words() {
        let plan = plan();
        let landed = Landed { created: vec!["one".into(), "two".into()], ..Landed::default() };
        let words = |kind: Kind, step: Step| {
            let steps = vec![Done { step, state: StepState::Applied, landed: landed.clone() }];
            let (id, at) = ("op".into(), String::new());
            let operation = Operation { id, plan: plan.id.clone(), kind, at, steps, undone: Vec::new(), closed: false };
            list(&plan, &[operation], 1).operations.remove(0).summary
        };
        let place = |name: &str, group: &str| CategoryPlace { name: name.into(), group: group.into() };
        assert_eq!(words(Kind::Import, Step::Import), "Imported 2 transactions");
        let statement = Step::Create { rows: Vec::new(), twins: Vec::new() };
        assert_eq!(
            words(Kind::Statement, statement),
            "Applied a statement: created 2 transactions, changed 0 transactions"
        );
        let create = Step::CreateCategory { place: place("Piano", "fun") };
        assert_eq!(words(Kind::CreateCategory, create), "Created category 'Piano'");
        let place = Change { before: place("Piano", "fun"), after: place("Piano", "work") };
        let moved = Step::Category { category: "piano".into(), place };
        assert_eq!(words(Kind::Category, moved), "Moved category 'Piano' to another group");
        let row = plan.live().next().expect("a transaction");
        let line = |amount| NewLine { amount: Milliunits::new(amount), category: "c".into(), memo: None };
        let split = Step::Split { id: row.id.clone(), before: None, lines: vec![line(1), line(2)] };
        assert_eq!(words(Kind::Split, split), format!("Split {} into 2 lines", names::row(&plan, row)));
        let target = |date: Option<&str>, cadence, every, whole, day| {
            let goal = GoalState {
                kind: "NEED".into(),
                target: Some(Milliunits::new(12_500)),
                date: date.and_then(crate::dates::parse_date),
                cadence: Some(cadence),
                every: Some(every),
                whole: Some(whole),
                day,
            };
            let goal = Change { before: None, after: Some(goal) };
            let category = category_id(&plan, "Sport").as_str().into();
            let summary = words(Kind::Target, Step::Target { category, goal, sent: GoalSent::default() });
            summary.strip_prefix("Set the target of Sport: no target → 12.50 ").unwrap_or(&summary).to_owned()
        };
        assert_eq!(target(Some("2026-10-03"), 0, 1, false, None), "by 2026-10-03");
        assert_eq!(target(None, 2, 3, false, Some(1)), "every 3 weeks, on Monday");
        assert_eq!(target(None, 1, 1, true, None), "each month, set aside another");
    }

    #[test]
    fn a_conflict_is_named_and_the_rest_stays_undoable() {
        let mut plan = plan();
        let proposal = books(&plan, 3);
        let operation = carried(&mut plan, &proposal);
        let changed = edited_row(&operation, 1);
        recategorised_since(&mut plan, &changed, "Rent");
        let listed = list(&plan, std::slice::from_ref(&operation), 5).operations.remove(0);
        assert_eq!((listed.undoable, listed.conflicts), (true, vec![changed.to_string()]));
        assert!(listed.summary.ends_with(", and 2 more"), "{}", listed.summary);
    }

    /// Point 12: an old line of `last-used` is this plan's only when the plan holds all it names.
    #[test]
    fn p12_an_old_line_of_last_used_is_matched_by_what_it_names() {
        let mut plan = plan();
        let proposal = budget(&plan, "Fuel", 20.0);
        let mut operation = carried(&mut plan, &proposal);
        operation.plan = "last-used".into();
        assert!(is_of(&operation, &plan));
        assert!(undo(&plan, std::slice::from_ref(&operation), None).is_ok());
        let other = Step::Budget {
            month: march(),
            category: "of-another-plan".into(),
            budgeted: Change { before: Milliunits::new(1), after: Milliunits::new(2) },
        };
        operation.steps[0] = Done { step: other, state: StepState::Applied, landed: Landed::default() };
        let id = operation.id.to_string();
        assert!(undo(&plan, std::slice::from_ref(&operation), None).is_err());
        assert!(undo(&plan, std::slice::from_ref(&operation), Some(&id)).is_err());
        assert_eq!(list(&plan, &[operation], 5).operations.len(), 0);
    }
}
