//! Owns the faults of the Python server's undo, each with its test, by its number.
//! Never part of the binary.

use super::super::approve::approve;
use super::super::undo::undo;
use super::super::*;
use super::stage::*;
use crate::plan::{Cleared, Plan, Transaction};

/// The operation that undo without an id takes back.
fn chosen(operations: &[Operation], plan: &Plan) -> OperationId {
    let proposed = undo(plan, operations, None).expect("one");
    proposed.proposal.and_then(|proposal| proposal.undoes).expect("an operation to take back")
}

/// Point 10: a partial undo leaves the rest undoable.
#[test]
fn p10_a_partial_undo_leaves_the_rest_undoable() {
    let mut plan = plan();
    let proposal = books(&plan, 2);
    let mut operation = carried(&mut plan, &proposal);
    let changed = edited_row(&operation, 0);
    recategorised_since(&mut plan, &changed, "Rent");

    let first = take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!((first.changes.len(), first.conflicts.as_slice()), (1, &[changed.to_string()][..]));
    let again = take_back(&mut plan, &mut operation).expect("an answer");
    assert_eq!((again.outcome.status, again.conflicts.len()), (Status::NothingToDo, 1));
    assert!(again.outcome.message.contains("its category changed since"), "{}", again.outcome.message);

    recategorised_since(&mut plan, &changed, "Books");
    assert_eq!(take_back(&mut plan, &mut operation).expect("an undo").changes.len(), 1);
    assert!(take_back(&mut plan, &mut operation).is_err(), "undone twice");
}

/// Point 11: a conflicting latest operation does not hide the earlier ones.
#[test]
fn p11_the_latest_that_can_be_undone_is_chosen() {
    let mut plan = plan();
    let first = budget(&plan, "Restaurants", 75.0);
    let first = carried(&mut plan, &first);
    let second = budget(&plan, "Fuel", 20.0);
    let second = carried(&mut plan, &second);
    let mut operations = vec![first, second];
    assert_eq!(chosen(&operations, &plan), operations[1].id);

    assigned_since(&mut plan, "Fuel", 33_000);
    assert_eq!(chosen(&operations, &plan), operations[0].id);
    let named = operations[1].id.to_string();
    let left = undo(&plan, &operations, Some(&named)).expect("an answer").answer;
    assert_eq!((left.outcome.status, left.conflicts.len()), (Status::NothingToDo, 1));

    take_back(&mut plan, &mut operations[0]).expect("an undo");
    let left = undo(&plan, &operations, None).expect("an answer").answer;
    assert_eq!((left.outcome.status, left.conflicts.len()), (Status::NothingToDo, 1));
    assigned_since(&mut plan, "Fuel", 20_000);
    take_back(&mut plan, &mut operations[1]).expect("an undo");
    assert!(undo(&plan, &operations, None).is_err());
    assert!(undo(&plan, &operations, Some("abc")).is_err());
    assert!(undo(&plan, &[], None).is_err());
}

/// A later operation is later work, even where it made things as the earlier one had.
#[test]
fn what_a_later_operation_has_in_effect_is_left_alone() {
    let mut plan = plan();
    let write = |plan: &mut Plan, amount| {
        let proposal = budget(plan, "Restaurants", amount);
        carried(plan, &proposal)
    };
    let first = write(&mut plan, 75.0);
    assigned_since(&mut plan, "Restaurants", 33_000);
    let second = write(&mut plan, 75.0);
    let id = first.id.to_string();
    let mut operations = vec![first, second];
    operations[1].id = "second".into();
    let left = undo(&plan, &operations, Some(&id)).expect("an answer");
    assert_eq!((left.answer.conflicts.len(), left.proposal.is_none()), (1, true));
    assert_eq!(chosen(&operations, &plan).as_str(), "second");
    take_back(&mut plan, &mut operations[1]).expect("an undo");
    assert_eq!(assigned(&plan, "Restaurants").get(), 33_000);
    assert!(undo(&plan, &operations, Some(&id)).expect("an answer").proposal.is_none(), "someone else's amount");
}

/// Point 41: approving is undone, and only of what it approved.
#[test]
fn p41_approving_can_be_undone() {
    let mut plan = plan();
    let waiting: Vec<String> = plan.live().filter(|t| !t.approved).map(|t| t.id.to_string()).collect();
    let ids: Vec<&str> = waiting.iter().map(String::as_str).collect();
    let proposal = approve(&plan, &ids).expect("a proposal").proposal.expect("a write");
    let mut operation = carried(&mut plan, &proposal);
    assert!(plan.live().all(|t| t.approved));
    let question = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, format!("Undo: mark {} transaction(s) not approved?", ids.len()));
    take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!(plan.live().filter(|t| !t.approved).count(), ids.len());
}

#[test]
fn undo_questions_are_the_recorded_ones() {
    let mut plan = plan();
    let proposal = budget(&plan, "Fuel", 20.0);
    let operation = carried(&mut plan, &proposal);
    let question = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, "Undo: set Fuel for 2026-03-01 back to -15.00?");
}

/// An undo that died half-way can be finished: what is back already is not written again.
#[test]
fn an_undo_that_died_half_way_is_finished() {
    let mut plan = plan();
    let proposal = books(&plan, 150);
    let mut operation = carried(&mut plan, &proposal);
    let steps = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").steps;
    assert_eq!(steps.len(), 2);
    // The first chunk was applied and never noted.
    carry_out(&mut plan, &steps[0]);
    let rest = take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!((rest.changes.len(), rest.unchanged_count, rest.conflicts.len()), (50, 100, 0));
}

#[test]
fn a_category_deleted_since_is_not_given_back() {
    let mut plan = plan();
    let proposal = books(&plan, 1);
    let operation = carried(&mut plan, &proposal);
    let Step::Transactions { rows } = &operation.steps[0].step else { panic!("edits") };
    let before = rows[0].category.as_ref().and_then(|change| change.before.clone()).expect("a category before");
    with_category(&mut plan, &before, |category| category.deleted = true);
    let answer = undo_one(&plan, &operation).expect("an answer").answer;
    assert_eq!((answer.outcome.status, answer.conflicts.len()), (Status::NothingToDo, 1));
}

/// Point 1: of a move whose second half never happened, the first half is taken back.
#[test]
fn p1_of_half_a_move_the_half_is_taken_back() {
    let mut plan = plan();
    let proposal = moving(&plan, "Rent", "Restaurants", 5.0);
    let mut half = proposal.clone();
    half.steps.truncate(1);
    let mut operation = carried(&mut plan, &half);
    let step = proposal.steps[1].clone();
    operation.steps.push(Done { step, state: StepState::NotApplied, landed: Landed::default() });
    let question = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, "Undo: set Rent for 2026-03-01 back to 625.00?");
    take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!((assigned(&plan, "Rent").get(), assigned(&plan, "Restaurants").get()), (625_000, 20_000));
}

/// Point 2: a half undone move can be finished, and a move with later work on one side is left alone whole.
#[test]
fn p2_a_half_undone_move_is_finished() {
    let mut plan = plan();
    let proposal = moving(&plan, "Restaurants", "Fuel", 10.0);
    let mut operation = carried(&mut plan, &proposal);
    let back = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question");
    assert_eq!(back.question, "Undo: move 10.00 back from Fuel to Restaurants for 2026-03-01?");

    assigned_since(&mut plan, "Fuel", 99_000);
    let left = undo_one(&plan, &operation).expect("an answer");
    assert_eq!((left.answer.conflicts.len(), left.proposal.is_none()), (1, true), "both sides left alone");
    assigned_since(&mut plan, "Fuel", -5_000);

    let landed = carry_out(&mut plan, &back.steps[0]);
    operation.undone.push(Done { step: back.steps[0].clone(), state: StepState::Applied, landed });
    let refused = Done { step: back.steps[1].clone(), state: StepState::NotApplied, landed: Landed::default() };
    operation.undone.push(refused);
    take_back(&mut plan, &mut operation).expect("the rest");
    assert_eq!((assigned(&plan, "Restaurants").get(), assigned(&plan, "Fuel").get()), (20_000, -15_000));
    assert!(take_back(&mut plan, &mut operation).is_err(), "undone twice");
}

/// Point 5: an adjustment whose marking failed is still undone.
#[test]
fn p5_a_reconciliation_that_died_after_its_adjustment_is_undone() {
    let mut plan = plan();
    let before = state(&plan);
    let mut proposal = reconciling(&plan, -7.5);
    let marking = proposal.steps.pop().expect("the marking");
    let mut operation = carried(&mut plan, &proposal);
    operation.steps.push(Done { step: marking, state: StepState::NotApplied, landed: Landed::default() });
    assert_eq!(chosen(std::slice::from_ref(&operation), &plan), operation.id);
    take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!(state(&plan), before);
}

/// Point 6: a reconciliation is undone though its adjustment is gone.
#[test]
fn p6_a_reconciliation_is_undone_though_its_adjustment_is_gone() {
    let mut plan = plan();
    let before = state(&plan);
    let proposal = reconciling(&plan, -7.5);
    let mut operation = carried(&mut plan, &proposal);
    let made = operation.steps[0].landed.created[0].clone();
    let ix = plan.transactions.find(&made).expect("the adjustment");
    plan.transactions.at_mut(ix).deleted = true;
    let answer = take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!(answer.conflicts, [made.to_string()]);
    assert_eq!(state(&plan), before);
}

/// Point 7: a created transaction that was changed since is not deleted.
#[test]
fn p7_a_creation_changed_since_is_left_alone() {
    type Edit = fn(&mut Transaction);
    let edits: [(&str, Edit); 8] = [
        ("amount", |t| t.amount = Milliunits::new(-55_000)),
        ("memo", |t| t.memo = Some("mine".into())),
        ("date", |t| t.date = jiff::civil::date(2026, 3, 5)),
        ("cleared", |t| t.cleared = Cleared::Reconciled),
        ("approved", |t| t.approved = true),
        ("flag", |t| t.flag = Some("red".into())),
        ("payee", |t| t.payee = None),
        ("bank match", |t| t.import_id = Some("YNAB:-1500:2026-03-01:1".into())),
    ];
    for (what, edit) in edits {
        let mut plan = plan();
        let proposal = creating(&plan, 2);
        let mut operation = carried(&mut plan, &proposal);
        let changed = operation.steps[0].landed.created[0].clone();
        let ix = plan.transactions.find(&changed).expect("the transaction");
        edit(plan.transactions.at_mut(ix));
        let answer = take_back(&mut plan, &mut operation).expect("an undo");
        assert_eq!(answer.conflicts, [changed.to_string()], "{what}");
        assert!(!plan.transactions[ix].deleted, "{what}");
        let deleted = plan.transactions.get(&operation.steps[0].landed.created[1]).expect("the other");
        assert!(deleted.deleted, "{what}");
    }
}

/// Point 46: a category's rename is undone, unless the earlier name is taken by now.
#[test]
fn p46_a_category_rename_is_undone() {
    let mut plan = plan();
    let proposal = some_write(&plan, 6, 1);
    let operation = carried(&mut plan, &proposal);
    let question = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, "Undo: change category 'Getting around 1' (Everyday) back to 'Transport' (Everyday)?");
    let fuel = CategoryId::from(category_id(&plan, "Fuel").as_str());
    with_category(&mut plan, &fuel, |c| c.name = "Transport".into());
    let left = undo_one(&plan, &operation).expect("an answer");
    assert_eq!((left.answer.conflicts.len(), left.proposal.is_none()), (1, true));
}

/// Point 45: an apostrophe changes no quotes.
#[test]
fn p45_undo_questions_have_straight_quotes() {
    let mut plan = plan();
    let of = plan.payees.iter().find(|p| p.name.contains('\'') && p.transfer_account.is_none()).expect("a payee");
    let (id, name) = (of.id.to_string(), of.name.to_string());
    let proposal = payee::rename(&plan, &id, "Else").expect("a proposal").proposal.expect("a question");
    let operation = carried(&mut plan, &proposal);
    let question = undo_one(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, format!("Undo: name the payee '{name}' again?"));
}

/// Point 9: a target changed since is left alone, even in what was not sent; one of a kind the API cannot set says why.
#[test]
fn p9_undoing_a_target_loses_nothing() {
    let set = |plan: &Plan, name: &str, frequency| {
        let ask = target::Ask { amount: Some(44.0), frequency, by_date: None };
        let id = category_id(plan, name);
        let proposed = target::set_target(&plan.id, &plan.currency, plan.categories.iter().as_slice(), &id, ask);
        proposed.expect("a proposal").proposal.expect("a question")
    };
    let mut plan = plan();
    let proposal = set(&plan, "Insurance", Some("weekly"));
    let lost = carried(&mut plan, &proposal);
    let refused = undo_one(&plan, &lost).expect_err("a refusal").to_string();
    assert!(refused.starts_with("The target it replaced is of a kind"), "{refused}");
    assert!(undo(&plan, &[lost], None).is_err());

    let proposal = set(&plan, "Water", None);
    let mut kept = carried(&mut plan, &proposal);
    let water = CategoryId::from(category_id(&plan, "Water").as_str());
    let whole = |plan: &mut Plan, whole| {
        with_category(plan, &water, |c| c.goal.as_mut().expect("a target").needs_whole_amount = Some(whole));
    };
    whole(&mut plan, false);
    assert_eq!(undo_one(&plan, &kept).expect("an answer").answer.conflicts, [water.to_string()]);
    whole(&mut plan, true);
    let question = undo_one(&plan, &kept).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, "Undo: set the target of Water back?");
    take_back(&mut plan, &mut kept).expect("an undo");
    let goal = plan.categories.get(&water).and_then(|c| c.goal.clone()).expect("a target");
    assert_eq!((goal.target, goal.cadence), (Some(Milliunits::new(78_000)), Some(3)));
}
