//! Owns what undo finds left to take back: of several edits of one thing, of what YNAB made, of what is back already.
//! Never part of the binary.

use super::super::undo::undo;
use super::super::*;
use super::stage::*;
use crate::plan::{Line, Payee, Plan, Scheduled, Transaction};

/// An operation of those steps, all applied.
fn operation(plan: &Plan, kind: Kind, steps: Vec<(Step, Landed)>) -> Operation {
    let done = |(step, landed)| Done { step, state: StepState::Applied, landed };
    Operation {
        id: "op".into(),
        plan: plan.id.clone(),
        kind,
        at: "2026-03-17T12:00:00Z".into(),
        steps: steps.into_iter().map(done).collect(),
        undone: Vec::new(),
        closed: false,
    }
}

/// The same of steps carried out now.
fn applied(plan: &mut Plan, kind: Kind, steps: Vec<Step>) -> Operation {
    let steps = steps.into_iter().map(|step| {
        let landed = carry_out(plan, &step);
        (step, landed)
    });
    let steps = steps.collect();
    operation(plan, kind, steps)
}

fn change<T>(before: T, after: T) -> Option<Change<T>> {
    Some(Change { before, after })
}

/// A live transaction that is uncleared, unapproved, without a flag, in Books.
fn plain(plan: &mut Plan) -> TransactionId {
    let books = plan.categories.enumerate().find(|(_, c)| &*c.name == "Books").map(|(ix, _)| ix);
    let is = |t: &&Transaction| !t.is_split() && !t.is_transfer() && plan.accounts[t.account].on_budget;
    let id = plan.live().find(is).expect("one").id.clone();
    let at = plan.transactions.find(&id).expect("it");
    let row = plan.transactions.at_mut(at);
    (row.cleared, row.approved, row.flag, row.category) = (crate::plan::Cleared::Uncleared, false, None, books);
    id
}

/// What undo would put back of transactions.
fn edits(plan: &Plan, operation: &Operation) -> Vec<RowEdit> {
    let steps = undo_one(plan, operation).expect("an undo").proposal.map(|proposal| proposal.steps);
    let rows = |step| if let Step::Transactions { rows } = step { rows } else { Vec::new() };
    steps.unwrap_or_default().into_iter().flat_map(rows).collect()
}

#[test]
fn what_cannot_be_taken_back_says_where_it_can_be() {
    let plan = plan();
    let place = CategoryPlace { name: "Piano".into(), group: "g".into() };
    let cases = [
        (Kind::Split, Step::Split { id: "t".into(), before: None, lines: Vec::new() }, "edit the transaction in YNAB"),
        (Kind::CreateCategory, Step::CreateCategory { place }, "hide or delete it in YNAB"),
        (Kind::Import, Step::Import, "delete its transactions in YNAB"),
    ];
    for (kind, step, words) in cases {
        let operation = operation(&plan, kind, vec![(step, Landed::default())]);
        let refused = undo_one(&plan, &operation).expect_err("a refusal").to_string();
        assert!(refused.contains(words), "{refused}");
        let refused = undo(&plan, &[operation], None).expect_err("a refusal").to_string();
        assert!(refused.starts_with("Nothing to undo") && refused.contains(words), "{refused}");
    }
}

#[test]
fn several_edits_of_one_transaction_are_taken_back_to_the_first() {
    let mut plan = plan();
    let id = plain(&mut plan);
    let edit = |before: &str, after: &str| RowEdit {
        cleared: change(before.to_owned(), after.to_owned()),
        ..RowEdit::of(id.clone())
    };
    let approving = RowEdit { approved: change(false, true), ..RowEdit::of(id.clone()) };
    let rows = [edit("uncleared", "cleared"), edit("cleared", "reconciled"), approving];
    let steps = rows.map(|row| Step::Transactions { rows: vec![row] }).into();
    let operation = applied(&mut plan, Kind::Statement, steps);
    let back = RowEdit { approved: change(true, false), ..edit("reconciled", "uncleared") };
    assert_eq!(edits(&plan, &operation), [back]);
}

#[test]
fn of_an_edit_taken_back_in_part_the_other_fields_are_left() {
    let mut plan = plan();
    let id = plain(&mut plan);
    let of = |name: &str| Some(CategoryId::from(category_id(&plan, name).as_str()));
    let whole = RowEdit {
        id: id.clone(),
        category: change(of("Books"), of("Rent")),
        flag: change(None, Some("red".into())),
        cleared: change("uncleared".into(), "cleared".into()),
        approved: change(false, true),
    };
    let mut operation = applied(&mut plan, Kind::Statement, vec![Step::Transactions { rows: vec![whole] }]);
    let all = edits(&plan, &operation).remove(0);
    let parts = [
        RowEdit { category: all.category.clone(), ..RowEdit::of(id.clone()) },
        RowEdit { flag: all.flag.clone(), ..RowEdit::of(id.clone()) },
        RowEdit { cleared: all.cleared.clone(), ..RowEdit::of(id.clone()) },
        RowEdit { approved: all.approved.clone(), ..RowEdit::of(id.clone()) },
    ];
    let back = |plan: &mut Plan, operation: &mut Operation, part: &RowEdit| {
        let step = Step::Transactions { rows: vec![part.clone()] };
        let landed = carry_out(plan, &step);
        operation.undone.push(Done { step, state: StepState::Applied, landed });
    };
    for last in 0..parts.len() {
        let (mut plan, mut operation) = (plan.clone(), operation.clone());
        let others = (0..parts.len()).filter(|at| *at != last);
        others.for_each(|at| back(&mut plan, &mut operation, &parts[at]));
        assert_eq!(edits(&plan, &operation), [parts[last].clone()], "{last}");
        back(&mut plan, &mut operation, &parts[last]);
        assert!(undo_one(&plan, &operation).is_err(), "undone");
    }
    // Someone else's way back is none of the operation's: the field is as before, and the rest is left.
    let step = Step::Transactions {
        rows: vec![RowEdit { flag: change(Some("red".into()), Some("blue".into())), ..RowEdit::of(id) }],
    };
    operation.undone.push(Done { step, state: StepState::Applied, landed: Landed::default() });
    assert_eq!(edits(&plan, &operation), [all]);
}

/// A line of a split.
fn line() -> Line {
    Line {
        id: "line".into(),
        amount: Milliunits::new(-1_500),
        memo: None,
        payee: None,
        category: None,
        transfer_account: None,
        deleted: false,
    }
}

#[test]
fn the_category_of_what_was_split_or_made_a_transfer_since_is_left_alone() {
    let first = plan();
    let line = line();
    let other = first.accounts.enumerate().map(|(ix, _)| ix).next();
    let taken_back = |edit: &dyn Fn(&mut Transaction)| {
        let mut plan = first.clone();
        let proposal = books(&plan, 1);
        let operation = carried(&mut plan, &proposal);
        edit(plan.transactions.at_mut(plan.transactions.find(edited_row(&operation, 0)).expect("it")));
        undo_one(&plan, &operation).expect("an answer").proposal.is_some()
    };
    assert!(taken_back(&|_| ()));
    assert!(!taken_back(&|row| row.lines.push(line.clone())));
    assert!(!taken_back(&|row| row.transfer_account = other));
}

#[test]
fn a_created_transaction_is_known_by_its_own_row_and_by_any_where_ynab_does_not_tell() {
    let mut plan = plan();
    let proposal = creating(&plan, 2);
    let mut operation = carried(&mut plan, &proposal);
    let [first, second] = [0, 1].map(|at| operation.steps[0].landed.created[at].clone());
    let at = plan.transactions.find(&first).expect("it");
    let like_second = Transaction { id: first.clone(), ..plan.transactions.get(&second).expect("it").clone() };
    *plan.transactions.at_mut(at) = like_second;
    let left = undo_one(&plan, &operation).expect("an undo").answer;
    assert_eq!(left.conflicts, [first.to_string()], "it is no longer what was created");
    operation.steps[0].landed.created.pop();
    let back = undo_one(&plan, &operation).expect("an undo");
    assert_eq!((back.answer.conflicts.len(), back.proposal.expect("a deletion").steps.len()), (0, 1));
}

#[test]
fn a_created_transaction_is_deleted_as_its_operation_left_it() {
    let mut plan = plan();
    let steps = creating(&plan, 1).steps;
    let id = carry_out(&mut plan, &steps[0]).created.remove(0);
    let edit = RowEdit {
        category: change(None, Some(CategoryId::from(category_id(&plan, "Books").as_str()))),
        cleared: change("cleared".into(), "reconciled".into()),
        approved: change(false, true),
        ..RowEdit::of(id.clone())
    };
    let edits = Step::Transactions { rows: vec![edit] };
    carry_out(&mut plan, &edits);
    let landed = Landed { created: vec![id.clone()], ..Landed::default() };
    let made = vec![(steps[0].clone(), landed), (edits, Landed::default())];
    let operation = operation(&plan, Kind::Statement, made);
    let Proposal { question, done, steps, .. } =
        undo_one(&plan, &operation).expect("an undo").proposal.expect("a deletion");
    assert!(matches!(&steps[..], [Step::Delete { id: deleted, .. }] if *deleted == id), "{steps:?}");
    assert_eq!(
        (question.as_str(), done.as_str()),
        ("Undo the statement: delete the 1 transaction(s) it created and put back the status of 0?", "Undone.")
    );
}

#[test]
fn what_became_of_a_created_transaction_is_said() {
    type Edit = fn(&mut Transaction);
    let line = line();
    let cases: [(&str, Edit, &str); 2] = [
        ("deleted", |row| row.deleted = true, ": deleted since"),
        ("approved", |row| row.approved = true, ": changed since"),
    ];
    let first = plan();
    for (what, edit, words) in cases {
        let mut plan = first.clone();
        let proposal = creating(&plan, 1);
        let operation = carried(&mut plan, &proposal);
        let at = plan.transactions.find(&operation.steps[0].landed.created[0]).expect("it");
        edit(plan.transactions.at_mut(at));
        let told = undo_one(&plan, &operation).expect("an answer").answer.outcome.message;
        assert!(told.contains(words), "{what}: {told}");
    }
    // Of an old line nothing is known but the id: what is split or a transfer now is not what was created.
    let undescribed = |edit: &dyn Fn(&mut Transaction)| {
        let mut plan = first.clone();
        let id = TransactionId::from("old");
        put_created(&mut plan, &id, "New shop", -1_500);
        edit(plan.transactions.at_mut(plan.transactions.find(&id).expect("it")));
        let landed = Landed { created: vec![id], ..Landed::default() };
        let old = operation(&plan, Kind::Create, vec![(Step::Create { rows: Vec::new(), twins: Vec::new() }, landed)]);
        undo_one(&plan, &old).expect("an answer").proposal.is_some()
    };
    let other = first.accounts.enumerate().map(|(ix, _)| ix).next();
    assert!(undescribed(&|_| ()));
    assert!(!undescribed(&|row| row.deleted = true));
    assert!(!undescribed(&|row| row.lines.push(line.clone())));
    assert!(!undescribed(&|row| row.transfer_account = other));
}

#[test]
fn what_is_back_already_is_counted_and_not_asked() {
    let mut plan = plan();
    let proposal = moving(&plan, "Rent", "Restaurants", 5.0);
    let before = (assigned(&plan, "Rent"), assigned(&plan, "Restaurants"));
    let operation = carried(&mut plan, &proposal);
    assigned_since(&mut plan, "Rent", before.0.get());
    assigned_since(&mut plan, "Restaurants", before.1.get());
    let told = undo_one(&plan, &operation).expect("an answer");
    assert_eq!((told.proposal.is_none(), told.answer.unchanged_count, told.answer.conflicts.len()), (true, 2, 0));
    assert_eq!(told.answer.outcome.message, "Nothing was undone. As it was before already: 2.");
}

#[test]
fn a_later_operation_stands_in_the_way_of_the_same_thing_only() {
    let first = plan();
    let fun = first.groups.iter().find(|group| &*group.name == "Fun").expect("the group").id.clone();
    let payees: Vec<&Payee> = first.payees.iter().filter(|p| !p.deleted && p.transfer_account.is_none()).collect();
    let renaming = |payee: &Payee, before: &str, after: &str| Step::Payee {
        payee: payee.id.clone(),
        name: Change { before: before.into(), after: after.into() },
    };
    let named = |name: &str, before: &str, after: &str| Step::Category {
        category: CategoryId::from(category_id(&first, name).as_str()),
        place: Change {
            before: CategoryPlace { name: before.into(), group: fun.clone() },
            after: CategoryPlace { name: after.into(), group: fun.clone() },
        },
    };
    let targeted = |plan: &Plan, name: &str, amount| {
        let ask = target::Ask { amount: Some(amount), frequency: None, by_date: None };
        let categories = plan.categories.iter().as_slice();
        let set = target::set_target(&plan.id, &plan.currency, categories, &category_id(plan, name), ask);
        set.expect("a proposal").proposal.expect("a question").steps.remove(0)
    };
    let (one, other) = (payees[1], payees[2]);
    let mut other_target = first.clone();
    carry_out(&mut other_target, &targeted(&first, "Water", 99.0));
    // What the earlier did, what the later did to the same thing, what the later did to another.
    let cases = [
        (
            Kind::Payee,
            renaming(one, &one.name, "New"),
            renaming(one, "Between", "New"),
            renaming(other, &other.name, "Newer"),
        ),
        (
            Kind::Category,
            named("Books", "Books", "New"),
            named("Books", "Between", "New"),
            named("Sport", "Sport", "Newer"),
        ),
        (
            Kind::Target,
            targeted(&first, "Water", 44.0),
            targeted(&other_target, "Water", 44.0),
            targeted(&first, "Sport", 44.0),
        ),
    ];
    for (kind, step, same, another) in cases {
        let mut plan = first.clone();
        let earlier = applied(&mut plan, kind, vec![step]);
        let undone = |plan: &Plan, later: Operation| {
            let later = Operation { id: "later".into(), ..later };
            undo(plan, &[earlier.clone(), later], Some("op")).expect("an answer").proposal.is_some()
        };
        let later = applied(&mut plan, kind, vec![another]);
        assert!(undone(&plan, later), "{kind:?}");
        let later = applied(&mut plan, kind, vec![same]);
        assert!(!undone(&plan, later), "{kind:?}");
    }
}

#[test]
fn a_payee_is_not_given_a_name_that_another_has_by_now() {
    let mut plan = plan();
    let is = |p: &&Payee| !p.deleted && p.transfer_account.is_none() && &*p.name != "Starting Balance";
    let (id, name) = plan.payees.iter().find(is).map(|p| (p.id.clone(), p.name.to_string())).expect("a payee");
    let step = Step::Payee { payee: id.clone(), name: Change { before: name.clone(), after: "New".into() } };
    let operation = applied(&mut plan, Kind::Payee, vec![step]);
    let row = plain(&mut plan);
    let other = plan.payees.put(Payee { id: "other".into(), name: name.as_str().into(), ..Payee::default() });
    assert!(undo_one(&plan, &operation).expect("an undo").proposal.is_some(), "one that nothing names");
    let schedule = plan.scheduled.iter().next().expect("a schedule").clone();
    let naming = Scheduled { id: "naming".into(), payee: Some(other), deleted: true, ..schedule };
    plan.scheduled.put(naming.clone());
    assert!(undo_one(&plan, &operation).expect("an undo").proposal.is_some(), "one that a deleted schedule names");
    plan.scheduled.put(Scheduled { deleted: false, ..naming.clone() });
    assert!(undo_one(&plan, &operation).expect("an answer").proposal.is_none(), "one that a schedule names");
    plan.scheduled.put(naming);
    plan.transactions.at_mut(plan.transactions.find(&row).expect("it")).payee = Some(other);
    let told = undo_one(&plan, &operation).expect("an answer");
    assert!(told.proposal.is_none());
    assert!(told.answer.outcome.message.contains("another payee is named"), "{}", told.answer.outcome.message);
    plan.payees.at_mut(other).deleted = true;
    assert!(undo_one(&plan, &operation).expect("an undo").proposal.is_some(), "a deleted one");
    let at = plan.payees.find(&id).expect("it");
    plan.payees.at_mut(at).deleted = true;
    let told = undo_one(&plan, &operation).expect("an answer").answer.outcome.message;
    assert!(told.contains("a payee that is gone: renamed since"), "{told}");
}
