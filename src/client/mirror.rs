//! Owns the copy of one plan: a whole load, deltas merged into it, and the proof that it is right.
//! Never asks YNAB for anything.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::wire::{self, WireError};
use crate::dates::Month;
use crate::ids::PlanId;
use crate::money::Milliunits;
use crate::plan::{Category, Cleared, Goal, Group, MonthBudget, Plan};

/// A plan as YNAB had it at some knowledge.
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    plan: Arc<Plan>,
    knowledge: i64,
}

impl Mirror {
    /// An empty plan of that id, to be filled list by list.
    pub fn of(plan: Plan) -> Self {
        Self { plan: Arc::new(plan), knowledge: 0 }
    }

    /// The plan in the body of `GET /plans/{id}`; `now` is YNAB's current month.
    pub fn whole(id: &PlanId, body: &[u8], now: Month) -> Result<Self, WireError> {
        let mut mirror = Self::of(Plan { id: id.clone(), ..Plan::default() });
        mirror.absorb(body, now)?;
        Ok(mirror)
    }

    /// Merges a delta of `GET /plans/{id}`. A body that cannot be read to its end may leave parts of itself; asking
    /// again from the same knowledge sets them right. Says whether YNAB's knowledge went on (and not back).
    pub fn absorb(&mut self, body: &[u8], now: Month) -> Result<bool, WireError> {
        let knowledge = self.absorb_list(body, now)?;
        let on = knowledge >= self.knowledge;
        self.knowledge = knowledge;
        Ok(on)
    }

    /// Merges one list of the plan; gives YNAB's knowledge after it.
    pub fn absorb_list(&mut self, body: &[u8], now: Month) -> Result<i64, WireError> {
        wire::merge(&mut self.plan, body, now)
    }

    /// Sets the knowledge that the next delta starts from.
    pub fn set_knowledge(&mut self, knowledge: i64) {
        self.knowledge = knowledge;
    }

    /// Puts in a month that was read on its own.
    pub fn put_month(&mut self, month: MonthBudget) {
        Arc::make_mut(&mut self.plan).months.insert(month.month, month);
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// YNAB's knowledge that it stands at.
    pub fn knowledge(&self) -> i64 {
        self.knowledge
    }

    /// The accounts whose transactions do not add up to YNAB's balances, cleared and uncleared apart.
    pub fn unproven(&self) -> Vec<Arc<str>> {
        let plan = &self.plan;
        let mut sums = vec![(0_i128, 0_i128); plan.accounts.len()];
        for row in plan.live() {
            if let Some((cleared, uncleared)) = sums.get_mut(row.account.get()) {
                let sum = if row.cleared == Cleared::Uncleared { uncleared } else { cleared };
                *sum += row.amount.wide();
            }
        }
        let wrong = plan.accounts.iter().zip(sums).filter(|(account, (cleared, uncleared))| {
            !account.deleted
                && (Milliunits::from_wide(*cleared) != account.cleared
                    || Milliunits::from_wide(*uncleared) != account.uncleared
                    || Milliunits::from_wide(cleared + uncleared) != account.balance)
        });
        wrong.map(|(account, _)| account.name.clone()).collect()
    }

    /// Groups and categories as `GET /plans/{id}/categories` lists them: by group, none deleted.
    pub fn categories(&self) -> (Vec<Group>, Vec<Category>) {
        let plan = &self.plan;
        let groups: Vec<Group> = plan.groups.iter().filter(|group| !group.deleted).cloned().collect();
        let mut places: Vec<(usize, &Category)> = plan
            .categories
            .iter()
            .filter(|category| !category.deleted)
            .filter_map(|category| Some((plan.groups.find(&category.group)?.get(), category)))
            .collect();
        places.sort_by_key(|(group, _)| *group);
        (groups, places.into_iter().map(|(_, category)| category.clone()).collect())
    }

    /// A month as `GET /plans/{id}/months/{month}` shows it; none where the mirror cannot tell all of it: when it holds
    /// no categories of that month, or a target changed and YNAB did not send that month again.
    pub fn month(&self, month: Month) -> Option<MonthBudget> {
        let found = self.plan.months.get(&month).filter(|found| !found.deleted && !found.categories.is_empty())?;
        let mut shown = found.clone();
        shown.categories.retain(|row| !row.deleted);
        let told = shown.categories.iter().all(|row| {
            let known = self.plan.categories.get(&row.id);
            known.is_none_or(|known| is_same_goal(row.goal.as_deref(), known.goal.as_deref()))
        });
        told.then_some(shown)
    }

    /// The first month that holds its categories, when earlier ones do not.
    pub fn months_from(&self) -> Option<Month> {
        let mut months = self.plan.months.values().filter(|month| !month.deleted).peekable();
        months.next_if(|month| month.categories.is_empty())?;
        months.find(|month| !month.categories.is_empty()).map(|month| month.month)
    }
}

/// Whether two targets are the same apart from how far a month is with it.
fn is_same_goal(one: Option<&Goal>, two: Option<&Goal>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) => {
            (&one.kind, one.target, one.target_date, one.cadence, one.cadence_frequency, one.day)
                == (&two.kind, two.target, two.target_date, two.cadence, two.cadence_frequency, two.day)
                && one.needs_whole_amount == two.needs_whole_amount
        }
        _ => false,
    }
}
