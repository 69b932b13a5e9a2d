//! Owns the answer about charges that come back: what each costs in a year, when, and whether a schedule covers it.
//! Never projects a balance.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::covered::covered;
use super::moves::{Accounts, Move, moves};
use super::series::{self, Names, Series};
use super::year_month;
use crate::analytics::search::shown_category;
use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits};
use crate::plan::Plan;

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
    /// How often.
    pub rhythm: String,
    /// Each time.
    pub amount: Amount,
    /// Next expected.
    #[schemars(with = "String")]
    pub next_date: Date,
    /// Its last change of price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Change>,
}

/// A change of price.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Change {
    /// Each time before.
    pub before: Amount,
    /// Since.
    #[schemars(with = "String")]
    pub since: Date,
}

/// What comes back in this plan's past, seen from that day.
pub fn charges(plan: &Plan, include_income: bool, today: Date) -> Recurring {
    let accounts = Accounts::budget(plan);
    let moves = moves(plan, &accounts, today);
    let names = Names::of(plan);
    let found = series::find(&moves, &names, today);
    let covers = covered(plan, &accounts, &moves, &names, &found);

    let listed = found.iter().zip(&covers).filter(|(series, _)| series.active);
    let listed = listed.filter(|(series, _)| include_income || series.amount.is_negative());
    let mut charges: Vec<Charge> =
        listed.map(|(series, covers)| charge(plan, &moves, series, !covers.is_empty())).collect();
    charges.sort_by_key(|charge| (charge.amount.0.is_positive(), Reverse(charge.yearly_amount.0.abs())));
    let costs = charges.iter().map(|charge| charge.yearly_amount.0).filter(|yearly| yearly.is_negative());
    let this_month = Month::of(today);
    let first = moves.first().map_or(this_month, |first| Month::of(first.date));
    Recurring {
        yearly_total: Amount(costs.sum()),
        months_looked_at: first.through(this_month.add(-1)).map(year_month).collect(),
        charges,
    }
}

fn charge(plan: &Plan, moves: &[Move], series: &Series, scheduled: bool) -> Charge {
    let amount = plan.currency.round(series.amount);
    let yearly = Milliunits::from_wide(amount.wide() * i128::from(series.rhythm.per_year()));
    Charge {
        payee: series.payee(plan, moves),
        monthly_amount: Amount(yearly.divided(12)),
        yearly_amount: Amount(yearly),
        day: i64::from(series.day),
        months_seen: series.months_seen(moves),
        category: series.category.and_then(|ix| shown_category(plan, ix)),
        scheduled,
        rhythm: series.rhythm.word().to_owned(),
        amount: Amount(amount),
        next_date: series.next,
        changed: series.before.map(|(before, since)| Change { before: Amount(before), since }),
    }
}

#[cfg(test)]
mod tests;
