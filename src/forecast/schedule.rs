//! Owns the days a schedule falls on.
//! Never says what is paid then, and never looks at what was paid.

use crate::dates::{Date, Month, add_days, days_between};
use crate::plan::Scheduled;

/// How a schedule goes on from its next date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// No further.
    Once,
    /// Every so many days.
    Days(i64),
    /// Every so many months, on the day of the first date.
    Months(i32),
    /// On the day of the first date and 15 days later, each month.
    TwiceAMonth,
}

/// The step of YNAB's word; an unknown one goes no further than the next date.
fn step(frequency: &str) -> Step {
    match frequency {
        "daily" => Step::Days(1),
        "weekly" => Step::Days(7),
        "everyOtherWeek" => Step::Days(14),
        "every4Weeks" => Step::Days(28),
        "twiceAMonth" => Step::TwiceAMonth,
        "monthly" => Step::Months(1),
        "everyOtherMonth" => Step::Months(2),
        "every3Months" => Step::Months(3),
        "every4Months" => Step::Months(4),
        "twiceAYear" => Step::Months(6),
        "yearly" => Step::Months(12),
        "everyOtherYear" => Step::Months(24),
        _ => Step::Once,
    }
}

/// About how many days lie between two times of a schedule with that word; `None` when it falls once within what is
/// forecast.
pub fn days(frequency: &str) -> Option<f64> {
    const MONTH: f64 = 365.25 / 12.0;
    match step(frequency) {
        Step::Once | Step::Months(24..) => None,
        Step::Days(days) => Some(days as f64),
        Step::Months(months) => Some(f64::from(months) * MONTH),
        Step::TwiceAMonth => Some(MONTH / 2.0),
    }
}

/// Days between the two dates of a schedule that falls twice a month.
const SECOND_AFTER_DAYS: i64 = 15;

/// Every day the schedule falls on between the two days, both included, from its next date on, earliest first.
pub fn occurrences(schedule: &Scheduled, since: Date, until: Date) -> impl Iterator<Item = Date> + use<> {
    let (first, next) = (schedule.date_first, schedule.date_next);
    let later: Box<dyn Iterator<Item = Date>> = match step(&schedule.frequency) {
        Step::Once => Box::new(std::iter::empty()),
        Step::Days(days) => {
            let from = days_between(next, since).div_euclid(days).max(0).max(1);
            let to = days_between(next, until).div_euclid(days);
            Box::new((from..=to).map(move |count| add_days(next, count * days)))
        }
        Step::Months(months) => {
            let start = Month::of(next);
            let from = (start.until(Month::of(since)) / months).max(1);
            let to = start.until(Month::of(until)) / months;
            Box::new((from..=to).map(move |count| start.add(count * months).day(first.day())))
        }
        Step::TwiceAMonth => {
            // The dates come half a month apart: one within a week of the next date is that date, moved.
            let after = add_days(next, SECOND_AFTER_DAYS / 2);
            let months = Month::of(since.max(next)).add(-1).through(Month::of(until));
            let both = months.flat_map(move |month| {
                let day = month.day(first.day());
                [day, add_days(day, SECOND_AFTER_DAYS)]
            });
            Box::new(both.filter(move |date| *date > after))
        }
    };
    std::iter::once(next).chain(later).filter(move |date| (since..=until).contains(date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    use crate::fixtures;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn days(frequency: &str, first: Date, next: Date, since: Date, until: Date) -> Vec<String> {
        static ANY: LazyLock<Scheduled> =
            LazyLock::new(|| fixtures::corpus("household").plans[0].scheduled.iter().next().unwrap().clone());
        let mut schedule = ANY.clone();
        (schedule.date_first, schedule.date_next, schedule.frequency) = (first, next, frequency.into());
        occurrences(&schedule, since, until).map(|date| date.to_string()).collect()
    }

    #[test]
    fn each_word_has_its_step() {
        let (first, until) = (date(2026, 1, 5), date(2028, 1, 5));
        for (word, second) in [
            ("daily", "2026-01-06"),
            ("weekly", "2026-01-12"),
            ("everyOtherWeek", "2026-01-19"),
            ("twiceAMonth", "2026-01-20"),
            ("every4Weeks", "2026-02-02"),
            ("monthly", "2026-02-05"),
            ("everyOtherMonth", "2026-03-05"),
            ("every3Months", "2026-04-05"),
            ("every4Months", "2026-05-05"),
            ("twiceAYear", "2026-07-05"),
            ("yearly", "2027-01-05"),
            ("everyOtherYear", "2028-01-05"),
        ] {
            assert_eq!(days(word, first, first, first, until)[..2], ["2026-01-05", second], "{word}");
        }
        for word in ["never", "onBlueMoons", ""] {
            assert_eq!(days(word, first, first, first, until), ["2026-01-05"], "{word}");
        }
    }

    #[test]
    fn the_31st_falls_on_the_last_day_and_comes_back() {
        let first = date(2026, 1, 31);
        let got = days("monthly", first, date(2026, 2, 28), first, date(2026, 5, 31));
        assert_eq!(got, ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]);
        let leap = date(2024, 2, 29);
        let got = days("yearly", leap, leap, leap, date(2028, 12, 31));
        assert_eq!(got, ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]);
    }

    #[test]
    fn point_21_twice_a_month_is_never_doubled() {
        let got = days("twiceAMonth", date(2026, 1, 1), date(2026, 4, 16), date(2026, 4, 1), date(2026, 5, 31));
        assert_eq!(got, ["2026-04-16", "2026-05-01", "2026-05-16"]);
        let got = days("twiceAMonth", date(2026, 1, 20), date(2026, 3, 4), date(2026, 3, 1), date(2026, 4, 30));
        assert_eq!(got, ["2026-03-04", "2026-03-20", "2026-04-04", "2026-04-20"]);
        let got = days("twiceAMonth", date(2026, 1, 31), date(2026, 2, 15), date(2026, 2, 1), date(2026, 3, 31));
        assert_eq!(got, ["2026-02-15", "2026-02-28", "2026-03-15", "2026-03-31"]);
    }

    #[test]
    fn a_schedule_left_for_years_is_listed_at_once_and_the_calendars_end_is_an_end() {
        let got = days("daily", date(1990, 1, 1), date(1990, 1, 1), date(2026, 1, 1), date(2026, 1, 3));
        assert_eq!(got, ["2026-01-01", "2026-01-02", "2026-01-03"]);
        for word in ["daily", "weekly", "monthly", "twiceAMonth", "everyOtherYear"] {
            let last = date(9999, 12, 31);
            assert!(days(word, last, last, date(9999, 12, 1), last).ends_with(&["9999-12-31".into()]), "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_period_is_the_sum_of_its_parts(
            word in 0_usize..12, first in 0_i64..900, late in 0_i64..60, since in -60_i64..400, a in 0_i64..400, b in 1_i64..400,
        ) {
            let words = ["daily", "weekly", "everyOtherWeek", "every4Weeks", "twiceAMonth", "monthly", "everyOtherMonth",
                "every3Months", "every4Months", "twiceAYear", "yearly", "everyOtherYear"];
            let day = |n: i64| add_days(date(2024, 1, 1), n);
            let (first, next) = (day(first), day(first + late));
            let (from, middle, to) = (day(first_of(first) + since), day(first_of(first) + since + a), day(first_of(first) + since + a + b));
            let whole = days(words[word], first, next, from, to);
            let mut parts = days(words[word], first, next, from, middle);
            parts.extend(days(words[word], first, next, add_days(middle, 1), to));
            prop_assert!(whole.is_sorted() && whole.windows(2).all(|pair| pair[0] != pair[1]));
            prop_assert_eq!(whole, parts);
        }
    }

    fn first_of(first: Date) -> i64 {
        days_between(date(2024, 1, 1), first)
    }
}
