//! Owns what was assigned to each category of a month against what was spent from it.
//! Never lists card-payment categories: what moves in them is the cards' own money, not spending.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{Room, fit};
use crate::ids::CategoryId;
use crate::money::{Amount, Currency, percent};
use crate::plan::{Category, MonthBudget};
use crate::text::safe;

/// A month's categories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BudgetVsActual {
    /// In the plan's order.
    pub result: Vec<Row>,
    /// Categories with the smallest figures, left out for length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// A category's month.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Row {
    pub id: CategoryId,
    pub name: String,
    pub group: String,
    pub budgeted: Amount,
    /// Left by earlier months.
    pub carried_over: Amount,
    /// Spent less refunds; negative when refunds are more.
    pub actual: Amount,
    /// Available.
    pub balance: Amount,
    /// actual / budgeted; 0 when nothing is budgeted.
    pub utilization_pct: f64,
    /// Spending that nothing was budgeted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The month's usable categories, card payments left out.
pub fn compare(month: &MonthBudget, currency: &Currency) -> BudgetVsActual {
    let mut usable: Vec<_> =
        month.categories.iter().filter(|c| c.is_usable() && !c.is_card_payment()).enumerate().collect();
    let (result, left) = fit(usable.iter().map(|(_, category)| row(category, currency)).collect(), Room::USUAL);
    if left == 0 {
        return BudgetVsActual { result, more: None };
    }
    usable.sort_by_key(|(_, c)| Reverse(c.budgeted.wide().abs().max(c.activity.wide().abs())));
    let (largest, left) = fit(usable.iter().map(|(_, category)| row(category, currency)).collect(), Room::USUAL);
    let mut placed: Vec<_> = usable.iter().map(|(place, _)| *place).zip(largest).collect();
    placed.sort_by_key(|(place, _)| *place);
    BudgetVsActual { result: placed.into_iter().map(|(_, row)| row).collect(), more: Some(left) }
}

fn row(category: &Category, currency: &Currency) -> Row {
    let actual = -category.activity;
    let budget = category.budgeted;
    let unbudgeted = !budget.is_positive() && actual.is_positive();
    let assigned = if budget.is_zero() { "nothing".to_owned() } else { currency.show(budget) };
    Row {
        id: category.id.clone(),
        name: safe(&category.name).into_owned(),
        group: safe(&category.group_name).into_owned(),
        budgeted: budget.into(),
        carried_over: (category.balance - budget - category.activity).into(),
        actual: actual.into(),
        balance: category.balance.into(),
        utilization_pct: if budget.is_positive() { percent(actual, budget).unwrap_or_default() } else { 0.0 },
        note: unbudgeted.then(|| format!("{} spent, {assigned} budgeted this month", currency.show(actual))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::empty_month;
    use crate::dates::Month;
    use crate::money::Milliunits;
    use crate::plan::CARD_PAYMENTS_GROUP;
    use proptest::prelude::*;

    fn category(budgeted: i64, activity: i64, balance: i64) -> Category {
        let money = Milliunits::new;
        let (budgeted, activity, balance) = (money(budgeted), money(activity), money(balance));
        Category { name: "Food".into(), budgeted, activity, balance, ..Category::default() }
    }

    fn month(categories: Vec<Category>) -> MonthBudget {
        MonthBudget { categories, ..empty_month(Month::at(24_000)) }
    }

    fn one(category: Category) -> Row {
        compare(&month(vec![category]), &Currency::new("EUR", 2)).result.remove(0)
    }

    #[test]
    fn point_14_refunds_beyond_spending_are_negative() {
        let row = one(category(50_000, 60_000, 110_000));
        assert_eq!((row.actual, row.utilization_pct), (Milliunits::new(-60_000).into(), -120.0));
        assert_eq!(row.carried_over, Milliunits::ZERO.into());
    }

    #[test]
    fn point_15_unbudgeted_spending_is_told_and_has_no_percentage() {
        let row = one(category(0, -50_000, -50_000));
        assert_eq!((row.utilization_pct, row.note.as_deref()), (0.0, Some("50.00 spent, nothing budgeted this month")));
        let row = one(category(-15_000, -87_330, -60_960));
        assert_eq!((row.utilization_pct, row.note.as_deref()), (0.0, Some("87.33 spent, -15.00 budgeted this month")));
        assert_eq!(one(category(0, 50_000, 50_000)).note, None);
        assert_eq!(one(category(30_000, -10_000, 20_000)).utilization_pct, 33.3);
    }

    #[test]
    fn point_15_card_payments_are_no_spending() {
        let card = Category { group_name: CARD_PAYMENTS_GROUP.into(), ..category(0, 89_070, 226_200) };
        assert!(compare(&month(vec![card]), &Currency::default()).result.is_empty());
    }

    #[test]
    fn a_long_list_keeps_the_largest_in_the_plans_order() {
        let many: Vec<_> =
            (0..300).map(|n| Category { name: n.to_string().into(), ..category(n % 200, 0, 0) }).collect();
        let answer = compare(&month(many), &Currency::new("EUR", 2));
        assert_eq!(answer.result.len() + answer.more.unwrap_or_default(), 300);
        assert!(answer.result.is_sorted_by_key(|row| row.name.parse::<u32>().unwrap()));
        assert!(answer.result.iter().any(|row| row.name == "199"));
        assert!(!answer.result.iter().any(|row| row.name == "0"));
        assert!(serde_json::to_string(&answer).unwrap().len() < 25_000);
    }

    proptest! {
        #[test]
        fn what_was_carried_budgeted_and_spent_is_what_is_left(budgeted in -1i64<<40..1i64<<40, activity in -1i64<<40..1i64<<40, balance in -1i64<<40..1i64<<40) {
            let row = one(category(budgeted, activity, balance));
            prop_assert_eq!(row.carried_over.0 + row.budgeted.0 - row.actual.0, row.balance.0);
        }
    }
}
