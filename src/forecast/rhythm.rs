//! Owns the rhythms in which money comes and goes, and the days they fall on.
//! Never looks at amounts.

use crate::dates::{Date, Month, add_days};

/// How often something comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rhythm {
    /// Every so many days.
    Days(i32),
    /// Every so many months.
    Months(i32),
}

/// Every rhythm that is looked for.
pub const RHYTHMS: [Rhythm; 9] = [
    Rhythm::Months(1),
    Rhythm::Days(7),
    Rhythm::Days(14),
    Rhythm::Days(28),
    Rhythm::Months(2),
    Rhythm::Months(3),
    Rhythm::Months(4),
    Rhythm::Months(6),
    Rhythm::Months(12),
];

/// The day of the month from which a bill is one of the month's end.
const MONTH_END: i8 = 28;

impl Rhythm {
    /// About how many days lie between two times.
    pub fn days(self) -> f64 {
        match self {
            Self::Days(days) => f64::from(days),
            Self::Months(months) => f64::from(months) * 365.25 / 12.0,
        }
    }

    /// How many times it falls in a year: 52 weeks, 12 months.
    pub fn per_year(self) -> i64 {
        match self {
            Self::Days(days) => i64::from(364 / days),
            Self::Months(months) => i64::from(12 / months),
        }
    }

    /// The usual distance in days, of one time from the day it is expected on.
    pub fn spread(self) -> f64 {
        match self {
            Self::Days(7) => 0.8,
            Self::Days(_) => 1.0,
            Self::Months(1) => 1.6,
            Self::Months(2..=3) => 2.0,
            Self::Months(4..=6) => 3.0,
            Self::Months(_) => 4.0,
        }
    }

    /// How many days early or late one time may be.
    pub fn window(self) -> i32 {
        match self {
            Self::Days(7) => 2,
            Self::Days(_) => 3,
            Self::Months(1) => 6,
            Self::Months(2..=3) => 8,
            Self::Months(4..=6) => 10,
            Self::Months(_) => 15,
        }
    }

    /// How many days after it was due something that does not come has stopped.
    pub fn patience(self) -> i32 {
        match self {
            Self::Days(7) => 4,
            Self::Days(_) => 6,
            Self::Months(1) => 9,
            Self::Months(2..=3) => 14,
            Self::Months(4..=6) => 20,
            Self::Months(_) => 30,
        }
    }

    /// The day `times` later (earlier when negative); `day` is the day of the month it is due on.
    pub fn step(self, from: Date, times: i32, day: i8) -> Date {
        match self {
            Self::Days(days) => add_days(from, i64::from(days * times)),
            Self::Months(months) => Month::of(from).add(months * times).day(day),
        }
    }

    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Days(7) => "weekly",
            Self::Days(14) => "every 2 weeks",
            Self::Days(_) => "every 4 weeks",
            Self::Months(1) => "monthly",
            Self::Months(2) => "every 2 months",
            Self::Months(3) => "every 3 months",
            Self::Months(4) => "every 4 months",
            Self::Months(6) => "every 6 months",
            Self::Months(_) => "yearly",
        }
    }

    /// The rhythm of YNAB's word for a schedule, where it is one of these.
    pub fn of_schedule(frequency: &str) -> Option<Self> {
        Some(match frequency {
            "weekly" => Self::Days(7),
            "everyOtherWeek" => Self::Days(14),
            "every4Weeks" => Self::Days(28),
            "monthly" => Self::Months(1),
            "everyOtherMonth" => Self::Months(2),
            "every3Months" => Self::Months(3),
            "every4Months" => Self::Months(4),
            "twiceAYear" => Self::Months(6),
            "yearly" => Self::Months(12),
            _ => return None,
        })
    }
}

/// The day of the month something is usually due on, from the days it came on: the middle one. What falls due at a
/// month's end is counted from there.
pub fn usual_day(dates: &[Date]) -> i8 {
    let mut days: Vec<i8> = dates.iter().map(|date| date.day()).collect();
    days.sort_unstable();
    let middle = days.get(days.len() / 2).copied().unwrap_or(1);
    // A bill of the 31st comes on the 28th to the 31st, one of the 1st may come on the 30th: look at it as a circle.
    let crosses = days.first().is_some_and(|day| *day <= 5) && days.last().is_some_and(|day| *day >= 25);
    if !crosses {
        return middle;
    }
    let late = days.iter().filter(|day| **day > 15).count();
    let mut turned: Vec<i8> = days.iter().map(|day| if *day <= 15 { day + 31 } else { *day }).collect();
    turned.sort_unstable();
    let middle = turned[turned.len() / 2];
    if late * 2 >= turned.len() { middle.min(31) } else { (middle - 31).clamp(1, MONTH_END) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedules_word_is_a_rhythm_where_it_is_one() {
        let cases = [
            ("weekly", Some("weekly")),
            ("everyOtherWeek", Some("every 2 weeks")),
            ("every4Weeks", Some("every 4 weeks")),
            ("monthly", Some("monthly")),
            ("everyOtherMonth", Some("every 2 months")),
            ("every3Months", Some("every 3 months")),
            ("every4Months", Some("every 4 months")),
            ("twiceAYear", Some("every 6 months")),
            ("yearly", Some("yearly")),
            ("never", None),
            ("twiceAMonth", None),
        ];
        for (word, want) in cases {
            assert_eq!(Rhythm::of_schedule(word).map(Rhythm::word), want, "{word}");
        }
    }
}
