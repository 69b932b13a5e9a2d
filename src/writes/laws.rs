//! Owns what holds for every write: undo takes back what was done and nothing else, a doubt is settled from the plan.
//! Never part of the binary.

mod left;
mod points;
pub(super) mod stage;

use proptest::prelude::*;

use self::stage::*;
use super::doubt::judge;
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn undo_takes_back_exactly_what_was_done(writes in prop::collection::vec((any::<u8>(), 1_usize..130), 1..6)) {
        let mut plan = plan();
        let (mut operations, mut earlier, mut renamed) = (Vec::new(), Vec::new(), false);
        for (which, size) in writes {
            // A category is renamed once: it is looked up by its first name.
            let which = if which % 10 == 6 && std::mem::replace(&mut renamed, true) { 0 } else { which };
            let proposal = some_write(&plan, which, size);
            earlier.push(state(&plan));
            operations.push(carried(&mut plan, &proposal));
        }
        while let (Some(mut operation), Some(before)) = (operations.pop(), earlier.pop()) {
            let question = undo_one(&plan, &operation).ok().and_then(|p| p.proposal).map(|p| p.question);
            prop_assert!(question.is_some_and(|question| question.starts_with("Undo")));
            take_back(&mut plan, &mut operation).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(state(&plan), before);
            prop_assert!(take_back(&mut plan, &mut operation).is_err(), "undone twice");
        }
    }

    #[test]
    fn a_doubt_is_settled_by_what_is_there(which: u8, size in 1_usize..130) {
        let mut plan = plan();
        for step in some_write(&plan, which, size).steps {
            prop_assert_eq!(judge(&step, &plan, &[]), Verdict::NotApplied);
            let landed = carry_out(&mut plan, &step);
            let told = Landed { goal: None, ..landed.clone() };
            prop_assert_eq!(judge(&step, &plan, &landed.created), Verdict::Applied(told));
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
    let fresh = [two.clone(), one.clone()];
    assert_eq!(judge(&step, &plan, &fresh), Verdict::Applied(landed(&[&two, &one])));
    // More than were sent: another client made one of them, and nobody knows which.
    let single = Step::Create { rows: vec![row.clone()], twins: vec![twin.clone()] };
    let Verdict::Unclear(why) = judge(&single, &plan, &fresh) else { panic!("it is claimed") };
    assert!(why.starts_with("2 new transactions answer to the 1 sent") && why.contains("New shop"), "{why}");
    // Approved or cleared otherwise than was sent: someone else's.
    let ix = plan.transactions.find(&two).expect("the row");
    plan.transactions.at_mut(ix).approved = true;
    assert_eq!(judge(&single, &plan, &fresh), Verdict::Applied(landed(&[&one])));
    assert_eq!(judge(&single, &plan, &[two]), Verdict::NotApplied);
}
