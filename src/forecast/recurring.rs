//! Owns the answer about charges that come back: what each costs in a year, when, and whether a schedule covers it.
//! Never projects a balance.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::year_month;
use crate::classifier::merchant::merchant;
use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits};
use crate::plan::{Category, Ix, Plan, Transaction};
use crate::text;

/// What comes back, costliest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Recurring {
    /// Charges, costliest first; then income, when asked for.
    pub charges: Vec<Charge>,
    /// What the charges cost in a year; income left out.
    pub yearly_total: Amount,
    /// The full months looked at, YYYY-MM.
    pub months_looked_at: Vec<String>,
}

/// A charge, or an income, that comes back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Charge {
    /// Who is paid.
    pub payee: String,
    /// A twelfth of the yearly amount.
    pub monthly_amount: Amount,
    /// What it comes to in a year.
    pub yearly_amount: Amount,
    /// Usual day of the month.
    pub day: i64,
    /// In how many months it was seen.
    pub months_seen: i64,
    /// Its usual category.
    pub category: Option<String>,
    /// Whether a schedule in YNAB covers it.
    pub scheduled: bool,
}

/// What comes back in this plan's past, seen from that day.
pub fn charges(plan: &Plan, include_income: bool, today: Date) -> Recurring {
    let this_month = Month::of(today);
    let months: Vec<Month> = (1..=4).rev().map(|back| this_month.add(-back)).collect();
    let mut groups: BTreeMap<(String, bool), Vec<&Transaction>> = BTreeMap::new();
    for transaction in plan.live().filter(|t| !t.is_transfer() && months.contains(&Month::of(t.date))) {
        let name = merchant(plan.payee_name(transaction.payee));
        if !name.is_empty() {
            groups.entry((name, transaction.amount.is_negative())).or_default().push(transaction);
        }
    }
    let mut charges: Vec<Charge> = groups.iter().filter_map(|((name, _), past)| charge(plan, name, past)).collect();
    charges.retain(|charge| include_income || charge.yearly_amount.0.is_negative());
    charges.sort_by_key(|charge| {
        let yearly = charge.yearly_amount.0;
        (yearly.is_positive(), if yearly.is_positive() { -yearly } else { yearly })
    });
    let costs = charges.iter().map(|charge| charge.yearly_amount.0).filter(|yearly| yearly.is_negative());
    Recurring {
        yearly_total: Amount(costs.sum()),
        months_looked_at: months.into_iter().map(year_month).collect(),
        charges,
    }
}

fn charge(plan: &Plan, name: &str, past: &[&Transaction]) -> Option<Charge> {
    let mut per_month: BTreeMap<Month, Milliunits> = BTreeMap::new();
    let mut categories: BTreeMap<Ix<Category>, usize> = BTreeMap::new();
    for transaction in past {
        *per_month.entry(Month::of(transaction.date)).or_default() += transaction.amount;
        if let Some(category) = transaction.category {
            *categories.entry(category).or_default() += 1;
        }
    }
    let mut amounts: Vec<Milliunits> = per_month.values().copied().collect();
    amounts.sort();
    let usual = *amounts.get(amounts.len() / 2)?;
    let steady = amounts.iter().all(|&amount| (amount - usual).abs().wide() * 5 <= usual.abs().wide());
    let mut days: Vec<i8> = past.iter().map(|t| t.date.day()).collect();
    days.sort();
    (amounts.len() >= 3 && steady && !usual.is_zero()).then(|| Charge {
        payee: text::safe(name).into_owned(),
        monthly_amount: Amount(usual),
        yearly_amount: Amount(Milliunits::from_wide(usual.wide() * 12)),
        day: i64::from(days[days.len() / 2]),
        months_seen: amounts.len() as i64,
        category: categories
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(&ix, _)| text::safe(&plan.categories[ix].name).into_owned()),
        scheduled: plan.scheduled.iter().any(|s| !s.deleted && merchant(plan.payee_name(s.payee)) == name),
    })
}
