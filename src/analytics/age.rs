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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};

    fn book(figures: &[(&str, Option<i64>)]) -> Book {
        let mut book = Book::new();
        figures.iter().for_each(|(month, days)| book.month(month, *days, &[]));
        book
    }

    #[test]
    fn the_change_is_over_the_months_that_have_a_figure() {
        let months =
            [("2026-01-01", None), ("2026-02-01", Some(20)), ("2026-03-01", Some(26)), ("2026-04-01", Some(99))];
        let answer = age(&book(&months).plan, day("2026-03-10"), 12);
        assert_eq!((answer.days, answer.change, answer.trend), (Some(26), Some(6), Some(Trend::Up)));
        assert_eq!(answer.months.iter().map(|month| month.change).collect::<Vec<_>>(), [None, None, Some(6)]);
        assert_eq!(answer.message, "Money spent in 2026-03 was 26 days old, +6 since 2026-02.");
        assert_eq!(answer.notes.len(), 2, "the plan holds fewer months than asked");
    }

    #[test]
    fn point_33_months_to_come_are_not_shown() {
        let months = [("2026-03-01", Some(9)), ("2026-04-01", Some(50))];
        let answer = age(&book(&months).plan, day("2026-03-31"), 12);
        assert_eq!((answer.days, answer.months.len(), answer.change, answer.trend), (Some(9), 1, None, None));
        assert_eq!(answer.message, "Money spent in 2026-03 was 9 days old.");
    }

    #[test]
    fn a_gap_has_no_change_and_no_figure_at_all_is_said() {
        let months = [("2026-01-01", Some(8)), ("2026-02-01", None), ("2026-03-01", Some(8))];
        let answer = age(&book(&months).plan, day("2026-03-10"), 3);
        assert_eq!((answer.change, answer.trend), (Some(0), Some(Trend::Steady)));
        assert!(answer.months.iter().all(|month| month.change.is_none()));
        let none = age(&book(&[]).plan, day("2026-03-10"), 3);
        assert_eq!((none.days, none.as_of, none.trend), (None, None, None));
        assert!(none.message.starts_with("YNAB gives no Age of Money"));
    }
}
