//! Owns one month of the plan: its summary and its categories' balances, and the words for a month it lacks.
//! Never sums transactions: the figures are YNAB's own.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{Room, fit};
use crate::dates::Month;
use crate::error::Refusal;
use crate::ids::CategoryId;
use crate::money::Amount;
use crate::plan::{MonthBudget, PlanSummary};
use crate::refuse;
use crate::text::safe;

/// Why there is no answer about a month that the plan lacks: which months it has.
pub fn lacking(month: Month, plan: &PlanSummary) -> Refusal {
    match (plan.first_month, plan.last_month) {
        (Some(first), Some(last)) => refuse!("The plan has no month {month}. It has {first} to {last}."),
        _ => refuse!("The plan has no month {month}."),
    }
}

/// A month in a few figures.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Summary {
    pub month: Month,
    pub income: Amount,
    pub budgeted: Amount,
    /// Spending is negative.
    pub activity: Amount,
    pub ready_to_assign: Amount,
    /// Days.
    pub age_of_money: Option<i64>,
    pub overspent: Vec<Overspent>,
    /// Overspent categories left out for length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// A category whose balance is below zero.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Overspent {
    pub category_id: CategoryId,
    pub name: String,
    pub group: String,
    pub balance: Amount,
}

/// What happened in a month, and where it is overspent.
pub fn summary(month: &MonthBudget) -> Summary {
    let below_zero = month.categories.iter().filter(|c| c.is_usable() && c.balance.is_negative());
    let rows = below_zero.map(|category| Overspent {
        category_id: category.id.clone(),
        name: safe(&category.name).into_owned(),
        group: safe(&category.group_name).into_owned(),
        balance: category.balance.into(),
    });
    let (overspent, left) = fit(rows.collect(), Room::USUAL);
    Summary {
        month: month.month,
        income: month.income.into(),
        budgeted: month.budgeted.into(),
        activity: month.activity.into(),
        ready_to_assign: month.to_be_budgeted.into(),
        age_of_money: month.age_of_money,
        overspent,
        more: (left > 0).then_some(left),
    }
}

/// A month's categories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Balances {
    /// In the plan's order.
    pub result: Vec<Balance>,
    /// Categories left out for length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// What a category holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Balance {
    pub category_id: CategoryId,
    pub name: String,
    pub group: String,
    pub budgeted: Amount,
    /// Spending is negative.
    pub activity: Amount,
    /// Available.
    pub balance: Amount,
}

/// Whether to list categories with nothing budgeted, spent or left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Empty {
    Include,
    LeaveOut,
}

/// The month's usable categories.
pub fn balances(month: &MonthBudget, empty: Empty) -> Balances {
    let usable = month.categories.iter().filter(|category| category.is_usable());
    let listed = usable
        .filter(|c| empty == Empty::Include || !(c.budgeted.is_zero() && c.activity.is_zero() && c.balance.is_zero()));
    let rows = listed.map(|category| Balance {
        category_id: category.id.clone(),
        name: safe(&category.name).into_owned(),
        group: safe(&category.group_name).into_owned(),
        budgeted: category.budgeted.into(),
        activity: category.activity.into(),
        balance: category.balance.into(),
    });
    let (result, left) = fit(rows.collect(), Room::USUAL);
    Balances { result, more: (left > 0).then_some(left) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, chars};
    use crate::fixtures::corpus;

    #[test]
    fn a_month_the_plan_lacks_is_refused_with_those_it_has() {
        let [march, may, july] = ["2026-03-01", "2026-05-01", "2026-07-01"].map(Month::parse);
        let plan = |first_month, last_month| PlanSummary {
            id: "p".into(),
            name: "Home".into(),
            first_month,
            last_month,
            last_modified_on: None,
            currency: Default::default(),
            accounts: Vec::new(),
        };
        let words = |plan| lacking(july.unwrap(), &plan).to_string();
        assert_eq!(words(plan(march, may)), "The plan has no month 2026-07-01. It has 2026-03-01 to 2026-05-01.");
        assert_eq!(words(plan(march, None)), "The plan has no month 2026-07-01.");
    }

    #[test]
    fn point_43_category_names_are_shown_safe() {
        let household = &corpus("household").plans[0];
        let month = household.months.values().next().unwrap();
        let raw = month.categories.iter().find(|category| category.name.contains('\u{202E}')).unwrap();
        let shown = balances(month, Empty::Include).result.into_iter().find(|row| row.category_id == raw.id).unwrap();
        assert_eq!((&*raw.name, &*shown.name), ("Mar\u{200B}ket\u{202E}day", "Marketday"));
    }

    #[test]
    fn only_usable_categories_count_and_empty_ones_on_demand() {
        let mut book = Book::new();
        let [food, fun, gone] = ["Food", "Fun", "Gone"].map(|name| book.category("Home", name));
        book.plan.categories.at_mut(gone).hidden = true;
        let ready = book.ready;
        let figures = [(food, [0, -5_000, -5_000]), (fun, [0, 0, 0]), (gone, [0, -9, -9]), (ready, [0, 0, -7])];
        book.month("2026-03-01", Some(12), &figures);
        let month = book.plan.months.values().next().unwrap();
        assert_eq!(balances(month, Empty::LeaveOut).result.len(), 1);
        assert_eq!(balances(month, Empty::Include).result.len(), 2);
        let summary = summary(month);
        assert_eq!(summary.overspent.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["Food"]);
        assert_eq!(summary.age_of_money, Some(12));
    }

    #[test]
    fn a_long_month_stays_short_and_says_what_it_left_out() {
        let mut book = Book::new();
        let many: Vec<_> = (0..300).map(|n| (book.category("Home", &format!("Category {n}")), [1, -3, -2])).collect();
        book.month("2026-03-01", None, &many);
        let month = book.plan.months.values().next().unwrap();
        let (balances, summary) = (balances(month, Empty::LeaveOut), summary(month));
        assert!(chars(&balances) < 25_000 && chars(&summary) < 25_000);
        assert_eq!(balances.result.len() + balances.more.unwrap(), 300);
        assert_eq!(summary.overspent.len() + summary.more.unwrap(), 300);
    }
}
