//! Owns what holds for every write: undo takes back what was done and nothing else, a doubt is settled from the plan.
//! Never part of the binary.

use proptest::prelude::*;

use super::approve::approve;
use super::budget::set_budget;
use super::categorize::{Assignment, Recategorisation, categorize};
use super::doubt::judge;
use super::undo::{choose, undo};
use super::*;
use crate::error::Refusal;
use crate::fixtures::corpus;
use crate::plan::{Category, Cleared, Payee, Plan, Transaction};

/// Carries a step out on the plan, as YNAB would.
pub(super) fn carry_out(plan: &mut Plan, step: &Step) -> Landed {
    let mut landed = Landed::default();
    match step {
        Step::Transactions { rows } => rows.iter().for_each(|row| edit(plan, row)),
        Step::Create { rows, .. } => landed.created = rows.iter().map(|row| create(plan, row)).collect(),
        Step::Delete { id, .. } => {
            let ix = plan.transactions.find(id).expect("the transaction");
            plan.transactions.at_mut(ix).deleted = true;
        }
        Step::Budget { month, category, budgeted } => {
            let rows = &mut plan.months.get_mut(month).expect("the month").categories;
            let row = rows.iter_mut().find(|row| row.id == *category).expect("the category");
            row.balance += budgeted.after - row.budgeted;
            row.budgeted = budgeted.after;
        }
        Step::Category { category, place } => {
            let group_name = plan.groups.get(&place.after.group).expect("the group").name.clone();
            with_category(plan, category, |row| {
                row.name = place.after.name.as_str().into();
                row.group = place.after.group.clone();
                row.group_name = group_name;
            });
        }
        Step::Payee { payee, name } => {
            let ix = plan.payees.find(payee).expect("the payee");
            plan.payees.at_mut(ix).name = name.after.as_str().into();
        }
        other => panic!("not carried out in tests: {other:?}"),
    }
    landed
}

fn with_category(plan: &mut Plan, id: &CategoryId, change: impl FnOnce(&mut Category)) {
    let ix = plan.categories.find(id).expect("the category");
    change(plan.categories.at_mut(ix));
}

fn edit(plan: &mut Plan, edit: &RowEdit) {
    let category = edit.category.as_ref().map(|c| c.after.as_ref().and_then(|id| plan.categories.find(id)));
    let ix = plan.transactions.find(&edit.id).expect("the transaction");
    let row = plan.transactions.at_mut(ix);
    if let Some(category) = category {
        row.category = category;
    }
    if let Some(flag) = &edit.flag {
        row.flag = flag.after.as_deref().map(Into::into);
    }
    if let Some(cleared) = &edit.cleared {
        row.cleared = Cleared::of(&cleared.after);
    }
    if let Some(approved) = &edit.approved {
        row.approved = approved.after;
    }
}

fn create(plan: &mut Plan, row: &NewRow) -> TransactionId {
    let known = plan.payees.enumerate().find(|(_, p)| *p.name == *row.payee).map(|(ix, _)| ix);
    let id = PayeeId::from(format!("payee-{}", plan.payees.len()).as_str());
    let payee =
        known.unwrap_or_else(|| plan.payees.put(Payee { id, name: row.payee.as_str().into(), ..Payee::default() }));
    let id = TransactionId::from(format!("made-{}", plan.transactions.len()).as_str());
    plan.transactions.put(Transaction {
        id: id.clone(),
        date: row.date,
        amount: row.amount,
        cleared: Cleared::of(&row.cleared),
        approved: row.approved,
        deleted: false,
        flag: None,
        account: plan.accounts.find(&row.account).expect("the account"),
        payee: Some(payee),
        category: row.category.as_ref().and_then(|id| plan.categories.find(id)),
        transfer_account: None,
        transfer_transaction: None,
        memo: row.memo.as_deref().map(Into::into),
        import_id: row.import_id.as_deref().map(Into::into),
        lines: Vec::new(),
    });
    id
}

/// Carries a proposal out; the operation as the journal would hold it.
pub(super) fn carried(plan: &mut Plan, proposal: &Proposal) -> Operation {
    let done = |plan: &mut Plan, step: &Step| {
        let landed = carry_out(plan, step);
        Done { step: step.clone(), state: StepState::Applied, landed }
    };
    Operation {
        id: OperationId::from(format!("op-{}", proposal.fingerprint()).as_str()),
        plan: plan.id.clone(),
        kind: proposal.kind,
        at: "2026-03-17T12:00:00Z".into(),
        steps: proposal.steps.iter().map(|step| done(plan, step)).collect(),
        undone: Vec::new(),
        closed: false,
    }
}

/// Takes the operation back as far as it goes, and notes it there.
fn take_back(plan: &mut Plan, operation: &mut Operation) -> Result<Recategorisation, Refusal> {
    let proposed = undo(plan, operation)?;
    if let Some(proposal) = &proposed.proposal {
        operation.undone.extend(carried(plan, proposal).steps);
    }
    Ok(proposed.answer)
}

fn plan() -> Plan {
    corpus("household").plans.remove(0)
}

fn march() -> Month {
    Month::at(2026 * 12 + 2)
}

fn budget(plan: &Plan, name: &str, amount: f64) -> Proposal {
    let month = plan.months.get(&march()).expect("March 2026");
    let id = month.categories.iter().find(|c| &*c.name == name).expect("the category").id.to_string();
    let proposed = set_budget(&plan.id, &plan.currency, month, &id, amount).expect("a proposal");
    proposed.proposal.expect("a question")
}

/// A proposal to give Books to the first live transactions that take a category.
fn books(plan: &Plan, count: usize) -> Proposal {
    let books = plan.categories.iter().find(|c| &*c.name == "Books").expect("Books").id.to_string();
    let plain = |t: &&Transaction| {
        let other = categorize::category_id(plan, t).is_some_and(|id| id.as_str() != books);
        other && !t.is_split() && !t.is_transfer() && plan.accounts[t.account].on_budget
    };
    let rows: Vec<&Transaction> = plan.live().filter(plain).take(count).collect();
    let assign = |t: &&Transaction| (t.id.to_string(), books.clone());
    let pairs: Vec<(String, String)> = rows.iter().map(assign).collect();
    let asked: Vec<Assignment<'_>> =
        pairs.iter().map(|(t, c)| Assignment { transaction_id: t, category_id: c }).collect();
    categorize(plan, &asked).expect("a proposal").proposal.expect("a question")
}

fn edited_row(operation: &Operation, at: usize) -> TransactionId {
    match &operation.steps[0].step {
        Step::Transactions { rows } => rows[at].id.clone(),
        other => panic!("{other:?}"),
    }
}

/// Another client gives the transaction another category.
fn recategorised_since(plan: &mut Plan, id: &TransactionId, name: &str) {
    let category = plan.categories.enumerate().find(|(_, c)| &*c.name == name).map(|(ix, _)| ix);
    let ix = plan.transactions.find(id).expect("the transaction");
    plan.transactions.at_mut(ix).category = category;
}

fn assigned_since(plan: &mut Plan, name: &str, amount: i64) {
    let rows = &mut plan.months.get_mut(&march()).expect("March 2026").categories;
    rows.iter_mut().find(|c| &*c.name == name).expect("the category").budgeted = Milliunits::new(amount);
}

fn assigned(plan: &Plan, name: &str) -> Milliunits {
    let rows = &plan.months.get(&march()).expect("March 2026").categories;
    rows.iter().find(|c| &*c.name == name).expect("the category").budgeted
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
    assert_eq!(choose(&operations, &plan, None).expect("one").id, operations[1].id);

    assigned_since(&mut plan, "Fuel", 33_000);
    assert_eq!(choose(&operations, &plan, None).expect("one").id, operations[0].id);
    let named = operations[1].id.to_string();
    let left = choose(&operations, &plan, Some(&named)).and_then(|o| undo(&plan, o)).expect("an answer").answer;
    assert_eq!((left.outcome.status, left.conflicts.len()), (Status::NothingToDo, 1));

    take_back(&mut plan, &mut operations[0]).expect("an undo");
    assert_eq!(choose(&operations, &plan, None).expect("one").id, operations[1].id);
    assigned_since(&mut plan, "Fuel", 20_000);
    take_back(&mut plan, &mut operations[1]).expect("an undo");
    assert!(choose(&operations, &plan, None).is_err());
    assert!(choose(&operations, &plan, Some("abc")).is_err());
    assert!(choose(&[], &plan, None).is_err());
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
    let question = undo(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, format!("Undo: mark {} transaction(s) not approved?", ids.len()));
    take_back(&mut plan, &mut operation).expect("an undo");
    assert_eq!(plan.live().filter(|t| !t.approved).count(), ids.len());
}

#[test]
fn undo_questions_are_the_recorded_ones() {
    let mut plan = plan();
    let proposal = budget(&plan, "Fuel", 20.0);
    let operation = carried(&mut plan, &proposal);
    let question = undo(&plan, &operation).expect("an undo").proposal.expect("a question").question;
    assert_eq!(question, "Undo: set Fuel for 2026-03-01 back to -15.00?");
}

/// An undo that died half-way can be finished: what is back already is not written again.
#[test]
fn an_undo_that_died_half_way_is_finished() {
    let mut plan = plan();
    let proposal = books(&plan, 150);
    let mut operation = carried(&mut plan, &proposal);
    let steps = undo(&plan, &operation).expect("an undo").proposal.expect("a question").steps;
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
    let answer = undo(&plan, &operation).expect("an answer").answer;
    assert_eq!((answer.outcome.status, answer.conflicts.len()), (Status::NothingToDo, 1));
}

/// What the steps of a proposal touch, as text that differs when a value differs.
fn touched(plan: &Plan, steps: &[Step]) -> Vec<String> {
    let row = |row: &RowEdit| {
        let t = plan.transactions.get(&row.id).expect("the transaction");
        let category = categorize::category_id(plan, t);
        format!("{} {category:?} {:?} {:?} {} {}", t.id, t.flag, t.cleared, t.approved, t.deleted)
    };
    let step = |step: &Step| match step {
        Step::Transactions { rows } => rows.iter().map(row).collect(),
        Step::Budget { month, category, .. } => {
            let rows = &plan.months.get(month).expect("the month").categories;
            let of = rows.iter().find(|c| c.id == *category).expect("the category");
            vec![format!("{category} {month} {:?} {:?}", of.budgeted, of.balance)]
        }
        other => panic!("{other:?}"),
    };
    steps.iter().flat_map(step).collect()
}

fn some_write(plan: &Plan, which: u8, size: usize) -> Proposal {
    match which % 3 {
        0 => books(plan, size),
        1 => {
            let names = ["Restaurants", "Fuel", "Groceries", "Rent"];
            let name = names[size % names.len()];
            budget(plan, name, assigned(plan, name).get() as f64 / 1000.0 + 1.0 + size as f64)
        }
        _ => {
            let live: Vec<&str> = plan.live().filter(|t| !t.approved).take(size).map(|t| t.id.as_str()).collect();
            approve(plan, &live).expect("a proposal").proposal.unwrap_or_else(|| books(plan, size))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn undo_takes_back_exactly_what_was_done(writes in prop::collection::vec((any::<u8>(), 1_usize..130), 1..5)) {
        let mut plan = plan();
        let mut operations = Vec::new();
        let mut earlier = Vec::new();
        for (which, size) in writes {
            let proposal = some_write(&plan, which, size);
            earlier.push((proposal.steps.clone(), touched(&plan, &proposal.steps)));
            operations.push(carried(&mut plan, &proposal));
        }
        while let (Some(mut operation), Some((steps, before))) = (operations.pop(), earlier.pop()) {
            take_back(&mut plan, &mut operation).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(touched(&plan, &steps), before);
            prop_assert!(take_back(&mut plan, &mut operation).is_err());
        }
    }

    #[test]
    fn a_doubt_is_settled_by_what_is_there(which: u8, size in 1_usize..130) {
        let mut plan = plan();
        for step in some_write(&plan, which, size).steps {
            prop_assert_eq!(judge(&step, &plan, &[]), Verdict::NotApplied);
            carry_out(&mut plan, &step);
            prop_assert_eq!(judge(&step, &plan, &[]), Verdict::Applied(Landed::default()));
        }
    }
}

#[test]
fn a_row_that_someone_changed_since_is_missed_not_applied() {
    let mut plan = plan();
    let proposal = books(&plan, 3);
    let operation = carried(&mut plan, &proposal);
    let changed = edited_row(&operation, 1);
    recategorised_since(&mut plan, &changed, "Rent");
    let landed = Landed { missed: vec![changed], ..Landed::default() };
    assert_eq!(judge(&proposal.steps[0], &plan, &[]), Verdict::Partly(landed));
}

#[test]
fn created_transactions_are_found_among_the_new_ones_only() {
    let mut plan = plan();
    let account = plan.accounts.iter().find(|a| a.on_budget && !a.closed).expect("an account").id.clone();
    let row = NewRow {
        account,
        date: jiff::civil::date(2026, 3, 16),
        amount: Milliunits::new(-12_500),
        payee: "New shop".into(),
        memo: None,
        category: None,
        cleared: "cleared".into(),
        approved: false,
        import_id: None,
    };
    let twin = create(&mut plan, &row);
    let step = Step::Create { rows: vec![row.clone(), row.clone()], twins: vec![twin.clone()] };
    assert_eq!(judge(&step, &plan, std::slice::from_ref(&twin)), Verdict::NotApplied);
    let one = create(&mut plan, &row);
    let fresh = [twin.clone(), one.clone()];
    let landed = |created: &[&TransactionId]| Landed {
        created: created.iter().map(|id| (*id).clone()).collect(),
        ..Landed::default()
    };
    assert_eq!(judge(&step, &plan, &fresh), Verdict::Partly(landed(&[&one])));
    let two = create(&mut plan, &row);
    // Approved by hand meanwhile: it is the created one all the same.
    let ix = plan.transactions.find(&two).expect("the row");
    plan.transactions.at_mut(ix).approved = true;
    let fresh = [two.clone(), one.clone()];
    assert_eq!(judge(&step, &plan, &fresh), Verdict::Applied(landed(&[&one, &two])));
}
