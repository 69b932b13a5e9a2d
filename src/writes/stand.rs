//! Owns where the plan stands on a change: as before it, as after it, or somewhere else.
//! Never decides what follows from that (`undo` and `doubt` do).

use super::{CategoryPlace, Change, GoalSent, GoalState, NewRow, RowEdit, categorize, target};
use crate::dates::Month;
use crate::ids::CategoryId;
use crate::money::Milliunits;
use crate::plan::{Category, Plan, Transaction};
use crate::text::clean;

/// Where the plan stands on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// As it was before.
    Before,
    /// As the change made it.
    After,
    /// Neither.
    Elsewhere,
}

impl Stand {
    fn of<T: PartialEq>(now: &T, change: &Change<T>) -> Self {
        match now {
            now if *now == change.after => Self::After,
            now if *now == change.before => Self::Before,
            _ => Self::Elsewhere,
        }
    }
}

/// Where a live transaction stands on each field of an edit, in the order category, flag, cleared, approved.
pub(super) fn fields(plan: &Plan, row: &Transaction, edit: &RowEdit) -> [Option<Stand>; 4] {
    let now = own_category(plan, categorize::category_id(plan, row));
    let category = edit.category.as_ref().map(|change| {
        let plain = |id: &Option<CategoryId>| own_category(plan, id.clone());
        let change = Change { before: plain(&change.before), after: plain(&change.after) };
        if row.is_split() || row.is_transfer() { Stand::Elsewhere } else { Stand::of(&now, &change) }
    });
    let flag = row.flag.as_deref().filter(|color| !color.is_empty()).map(str::to_owned);
    [
        category,
        edit.flag.as_ref().map(|change| Stand::of(&flag, change)),
        edit.cleared.as_ref().map(|change| Stand::of(&row.cleared.as_str().to_owned(), change)),
        edit.approved.as_ref().map(|change| Stand::of(&row.approved, change)),
    ]
}

/// Where the plan stands on an edit as a whole; elsewhere when its fields disagree or the transaction is gone.
pub(super) fn row(plan: &Plan, edit: &RowEdit) -> Stand {
    let Some(row) = plan.transactions.get(&edit.id).filter(|row| !row.deleted) else { return Stand::Elsewhere };
    let mut stands = fields(plan, row, edit).into_iter().flatten();
    let first = stands.next().unwrap_or(Stand::Elsewhere);
    if stands.all(|stand| stand == first) { first } else { Stand::Elsewhere }
}

/// A category of a transaction's own; YNAB's Uncategorized is none.
fn own_category(plan: &Plan, id: Option<CategoryId>) -> Option<CategoryId> {
    id.filter(|id| !plan.categories.get(id).is_some_and(Category::is_uncategorized))
}

/// Whether a transaction has the account, date, amount, payee and import id of one to create.
pub(super) fn is_alike(plan: &Plan, row: &Transaction, new: &NewRow) -> bool {
    plan.accounts[row.account].id == new.account
        && row.date == new.date
        && row.amount == new.amount
        && row.import_id.as_deref() == new.import_id.as_deref()
        && is_same_name(plan.payee_name(row.payee), &new.payee)
}

/// Whether a live transaction is still what was created: every field that was sent, no split, flag or bank match since.
pub(super) fn is_created(plan: &Plan, row: &Transaction, new: &NewRow) -> bool {
    // YNAB drops a category in a tracking account.
    let on_budget = plan.accounts[row.account].on_budget;
    let category = own_category(plan, new.category.clone()).filter(|_| on_budget);
    is_alike(plan, row, new)
        && !row.deleted
        && !row.is_split()
        && !row.is_transfer()
        && row.flag.as_deref().is_none_or(str::is_empty)
        && row.memo.as_deref().unwrap_or_default() == new.memo.as_deref().unwrap_or_default()
        && own_category(plan, categorize::category_id(plan, row)) == category
        && row.cleared.as_str() == new.cleared
        && row.approved == new.approved
}

/// A transaction in the words of one to create.
pub(super) fn as_new(plan: &Plan, row: &Transaction) -> NewRow {
    NewRow {
        account: plan.accounts[row.account].id.clone(),
        date: row.date,
        amount: row.amount,
        payee: plan.payee_name(row.payee).to_owned(),
        memo: row.memo.as_deref().map(str::to_owned),
        category: categorize::category_id(plan, row),
        cleared: row.cleared.as_str().to_owned(),
        approved: row.approved,
        import_id: row.import_id.as_deref().map(str::to_owned),
    }
}

/// Whether two names are one to YNAB: letter case and spaces around do not count.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    clean(one).to_lowercase() == clean(other).to_lowercase()
}

/// Where a month's assigned amount stands; elsewhere when the plan has no such month or category.
pub(super) fn budget(plan: &Plan, month: Month, category: &CategoryId, change: &Change<Milliunits>) -> Stand {
    let categories = plan.months.get(&month).map(|month| month.categories.as_slice()).unwrap_or_default();
    let found = categories.iter().find(|row| row.id == *category && !row.deleted);
    found.map_or(Stand::Elsewhere, |row| Stand::of(&row.budgeted, change))
}

/// A category's name and group as they are.
pub(super) fn place(category: &Category) -> CategoryPlace {
    CategoryPlace { name: category.name.to_string(), group: category.group.clone() }
}

/// Where a category's name and group stand.
pub(super) fn category(plan: &Plan, id: &CategoryId, change: &Change<CategoryPlace>) -> Stand {
    let found = plan.categories.get(id).filter(|category| !category.deleted);
    found.map_or(Stand::Elsewhere, |category| Stand::of(&place(category), change))
}

/// Where a category's target stands. It is as after when it is what YNAB answered, or, where that is not known, when it
/// shows what was sent.
pub(super) fn target(
    plan: &Plan,
    id: &CategoryId,
    change: &Change<Option<GoalState>>,
    sent: &GoalSent,
    answered: Option<&GoalState>,
) -> Stand {
    let Some(category) = plan.categories.get(id).filter(|category| !category.deleted) else { return Stand::Elsewhere };
    let now = category.goal.as_deref().map(GoalState::of);
    if now == change.before {
        return Stand::Before;
    }
    let is_after = match answered {
        Some(answered) => now.as_ref() == Some(answered),
        None => target::shows(now.as_ref(), change.before.as_ref(), sent),
    };
    if is_after { Stand::After } else { Stand::Elsewhere }
}

/// Where a payee's name stands.
pub(super) fn payee(plan: &Plan, id: &crate::ids::PayeeId, change: &Change<String>) -> Stand {
    let found = plan.payees.get(id).filter(|payee| !payee.deleted);
    found.map_or(Stand::Elsewhere, |payee| Stand::of(&payee.name.to_string(), change))
}
