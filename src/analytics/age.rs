//! Owns the Age of Money month by month, as YNAB worked it out.
//! Never works out a figure of its own, and never shows a month to come.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{YearMonth, counted};
use crate::dates::{Date, Month};
use crate::plan::Plan;

/// How old money is when it is spent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AgeOfMoney {
    pub message: String,
    /// The latest figure.
    pub days: Option<i64>,
    pub as_of: Option<YearMonth>,
    /// Oldest first.
    pub months: Vec<Age>,
    /// From the first figure to the latest.
    pub change: Option<i64>,
    pub trend: Option<Trend>,
    pub notes: Vec<String>,
}

/// A month's figure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Age {
    pub month: YearMonth,
    pub days: Option<i64>,
    /// Since the month before.
    pub change: Option<i64>,
}

/// Where the figure goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Trend {
    Up,
    Down,
    Steady,
}

/// The last `months_count` months that the plan holds up to today's.
pub fn age(plan: &Plan, today: Date, months_count: usize) -> AgeOfMoney {
    let held = plan.months.range(..=Month::of(today)).map(|(_, held)| held).filter(|held| !held.deleted);
    let mut figures: Vec<(Month, Option<i64>)> =
        held.rev().take(months_count).map(|held| (held.month, held.age_of_money)).collect();
    figures.reverse();

    let mut before = None;
    let months = figures.iter().map(|(month, days)| {
        let change = days.zip(before).map(|(days, before): (i64, i64)| days.saturating_sub(before));
        before = *days;
        Age { month: YearMonth(*month), days: *days, change }
    });
    let months: Vec<Age> = months.collect();

    let mut known = figures.iter().filter_map(|(month, days)| Some((*month, (*days)?)));
    let first = known.next();
    let latest = known.next_back();
    let change = first.zip(latest).map(|((_, first), (_, latest))| latest.saturating_sub(first));
    let latest = latest.or(first);
    let trend = change.map(|change| match change.signum() {
        1 => Trend::Up,
        -1 => Trend::Down,
        _ => Trend::Steady,
    });

    let message = match (latest, first, change) {
        (Some((month, days)), Some((since, _)), change) => {
            let moved = change.map_or(String::new(), |change| match change {
                0 => format!(", as in {}", YearMonth(since)),
                change => format!(", {change:+} since {}", YearMonth(since)),
            });
            let days = counted(usize::try_from(days).unwrap_or_default(), "day");
            format!("Money spent in {} was {days} old{moved}.", YearMonth(month))
        }
        _ => "YNAB gives no Age of Money for these months. It does once enough has been earned and spent.".to_owned(),
    };
    let mut notes = vec!["YNAB's own figure; this month's still moves.".to_owned()];
    if months.len() < months_count {
        notes.push(format!("The plan holds {} up to today: all are shown.", counted(months.len(), "month")));
    }
    AgeOfMoney {
        message,
        days: latest.map(|(_, days)| days),
        as_of: latest.map(|(month, _)| YearMonth(month)),
        months,
        change,
        trend,
        notes,
    }
}
