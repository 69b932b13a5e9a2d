//! Owns which transactions wait for a category.
//! Never says which one they should get.

use std::cmp::Reverse;

use crate::plan::{Category, Ix, Line, Plan, Transaction};

/// What waits for a category, newest first, then in the plan's order.
pub fn newest_first(plan: &Plan) -> Vec<Ix<Transaction>> {
    let rows = plan.transactions.enumerate();
    let mut waiting: Vec<Ix<Transaction>> = rows.filter(|(_, t)| waits(plan, t)).map(|(ix, _)| ix).collect();
    waiting.sort_by_key(|&ix| (Reverse(plan.transactions[ix].date), ix));
    waiting
}

/// Live, on a budget account, no transfer, and without a category: its own, or a live split line's.
fn waits(plan: &Plan, transaction: &Transaction) -> bool {
    if transaction.deleted || transaction.is_transfer() || !plan.accounts[transaction.account].on_budget {
        return false;
    }
    if transaction.is_split() {
        return lines_without_category(plan, transaction) > 0;
    }
    has_none(plan, transaction.category)
}

fn has_none(plan: &Plan, category: Option<Ix<Category>>) -> bool {
    category.is_none_or(|ix| plan.categories[ix].is_uncategorized())
}

/// Live lines that still need a category; money moved to another budget account needs none.
fn lines_without_category(plan: &Plan, transaction: &Transaction) -> usize {
    let moved = |line: &Line| line.transfer_account.is_some_and(|ix| plan.accounts[ix].on_budget);
    transaction.live_lines().filter(|line| !moved(line) && has_none(plan, line.category)).count()
}

/// What to say of a split that waits: YNAB's API cannot change its lines.
pub fn split_note(plan: &Plan, transaction: &Transaction) -> Option<String> {
    let (all, without) = (transaction.live_lines().count(), lines_without_category(plan, transaction));
    (all > 0).then(|| format!("{without} of {all} split lines without a category: set in YNAB itself"))
}
