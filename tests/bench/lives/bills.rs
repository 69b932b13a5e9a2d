//! Owns what comes back: the days a bill or an income falls on and what it costs each time.
//! Never writes a label.

use avenir_mcp::dates::{Date, Month, add_days};

use super::chance::Chance;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rhythm {
    /// Every so many days.
    Days(i64),
    /// Every so many months, on a day.
    Months(i32, i8),
    /// The month's last working day.
    LastWorkingDay,
}

impl Rhythm {
    pub fn per_year(self) -> f64 {
        match self {
            Self::Days(7) => 52.0,
            Self::Days(14) => 26.0,
            Self::Days(28) => 13.0,
            Self::Days(days) => 365.25 / days as f64,
            Self::Months(every, _) => 12.0 / f64::from(every),
            Self::LastWorkingDay => 12.0,
        }
    }

    /// The days it is due on, from a start to an end.
    pub fn days(self, start: Date, end: Date) -> Vec<Date> {
        match self {
            Self::Days(step) => (0..).map(|n| add_days(start, n * step)).take_while(|day| *day <= end).collect(),
            Self::Months(every, day) => (0..)
                .map(|n| Month::of(start).add(n * every))
                .take_while(|month| month.first() <= end)
                .map(|month| month.day(day))
                .filter(|day| (start..=end).contains(day))
                .collect(),
            Self::LastWorkingDay => Month::of(start)
                .through(Month::of(end))
                .map(|month| {
                    let last = month.last();
                    add_days(last, -i64::from((last.weekday().to_monday_one_offset() - 5).max(0)))
                })
                .filter(|day| (start..=end).contains(day))
                .collect(),
        }
    }

    /// YNAB's word for it, where it has one.
    pub fn word(self) -> Option<&'static str> {
        Some(match self {
            Self::Days(7) => "weekly",
            Self::Days(14) => "everyOtherWeek",
            Self::Days(28) => "every4Weeks",
            Self::Months(1, _) | Self::LastWorkingDay => "monthly",
            Self::Months(2, _) => "everyOtherMonth",
            Self::Months(3, _) => "every3Months",
            Self::Months(6, _) => "twiceAYear",
            Self::Months(12, _) => "yearly",
            _ => return None,
        })
    }
}

/// How the amount moves from one time to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amounts {
    /// The same until it changes for good.
    Fixed,
    /// Around the same.
    Around(f64),
    /// More in winter.
    Winter,
}

/// Something that comes back.
#[derive(Clone, Debug)]
pub struct Bill {
    pub name: String,
    pub mandate: String,
    pub rhythm: Rhythm,
    pub amounts: Amounts,
    /// What it costs at the start; money in is positive.
    pub amount: f64,
    /// From each day on, times so much.
    pub changes: Vec<(Date, f64)>,
    pub start: Date,
    pub end: Date,
    /// Days it may be late, at most.
    pub late: i64,
    /// Whether it waits for Monday when it falls on a weekend.
    pub skips_weekend: bool,
    pub account: usize,
    pub to_account: Option<usize>,
    pub category: usize,
    /// Whether it counts as something that comes back for the one who asks.
    pub is_charge: bool,
    pub by_card: bool,
}

impl Bill {
    /// What it costs on a day, without chance.
    pub fn level(&self, day: Date) -> f64 {
        let factor: f64 = self.changes.iter().filter(|(from, _)| *from <= day).map(|(_, factor)| factor).product();
        self.amount * factor
    }

    /// Each time: the day it was due, the day it came and the amount.
    pub fn times(&self, chance: &mut Chance) -> Vec<(Date, Date, f64)> {
        let due = self.rhythm.days(self.start, self.end);
        due.into_iter()
            .map(|due| {
                let mut day = due;
                if self.late > 0 && chance.yes(0.6) {
                    day = add_days(day, chance.whole(0, self.late));
                }
                if self.skips_weekend {
                    let past_friday = day.weekday().to_monday_one_offset() - 5;
                    if past_friday > 0 {
                        day = add_days(day, i64::from(3 - past_friday));
                    }
                }
                let factor = match self.amounts {
                    Amounts::Fixed => 1.0,
                    Amounts::Around(sigma) => (sigma * chance.normal()).exp(),
                    Amounts::Winter => {
                        let season = f64::from(day.month() - 1) / 12.0 * std::f64::consts::TAU;
                        (1.0 + 0.45 * season.cos()) * (0.07 * chance.normal()).exp()
                    }
                };
                (due, day, self.level(due) * factor)
            })
            .collect()
    }
}
