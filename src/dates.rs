//! Owns days and months: strict reading, arithmetic that clamps to a month's end.
//! Never reads the clock: today is always an argument.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day of the Gregorian calendar.
pub type Date = jiff::civil::Date;

/// Reads `YYYY-MM-DD`, nothing looser.
pub fn parse_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() });
    if !shaped {
        return None;
    }
    Date::new(number(&bytes[..4]) as i16, number(&bytes[5..7]) as i8, number(&bytes[8..]) as i8).ok()
}

/// The day part of a timestamp such as `2026-02-05T18:22:10Z`.
pub fn parse_date_prefix(text: &str) -> Option<Date> {
    text.get(..10).and_then(parse_date)
}

fn number(digits: &[u8]) -> u16 {
    digits.iter().fold(0, |n, d| n * 10 + u16::from(d - b'0'))
}

/// The day `days` later (earlier when negative), held at the calendar's ends.
pub fn add_days(date: Date, days: i64) -> Date {
    date.saturating_add(jiff::Span::new().try_days(days).unwrap_or_default())
}

/// Days from `from` to `to`; negative when `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    i64::from(day_number(to) - day_number(from))
}

/// Days since 1970-01-01.
pub fn day_number(date: Date) -> i32 {
    // The civil-from-days arithmetic on a March-based year; exact over the whole calendar.
    let (y, m, d) = (i32::from(date.year()), i32::from(date.month()), i32::from(date.day()));
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((m + 9) % 12) + 2) / 5 + d - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    /// The month a day is in.
    pub fn of(date: Date) -> Self {
        Self { year: date.year(), month: date.month() }
    }

    /// Reads `YYYY-MM-01`, nothing looser.
    pub fn parse(text: &str) -> Option<Self> {
        parse_date(text).filter(|date| date.day() == 1).map(Self::of)
    }

    /// The calendar year.
    pub fn year(self) -> i16 {
        self.year
    }

    /// The month of the year, 1 to 12.
    pub fn number(self) -> i8 {
        self.month
    }

    /// Its first day.
    pub fn first(self) -> Date {
        Date::new(self.year, self.month, 1).unwrap_or(Date::MIN)
    }

    /// Its last day.
    pub fn last(self) -> Date {
        self.first().last_of_month()
    }

    /// How many days it has.
    pub fn days(self) -> i8 {
        self.first().days_in_month()
    }

    /// That day of it, or its last day where it is shorter.
    pub fn day(self, day: i8) -> Date {
        Date::new(self.year, self.month, day.clamp(1, self.days())).unwrap_or(Date::MIN)
    }

    /// The month `count` later (earlier when negative), held at the calendar's ends.
    #[expect(clippy::should_implement_trait, reason = "months are counted, not added to one another")]
    pub fn add(self, count: i32) -> Self {
        Self::at(self.index().saturating_add(count))
    }

    /// Months from this one to `other`; negative when `other` is earlier.
    pub fn until(self, other: Self) -> i32 {
        other.index() - self.index()
    }

    /// A number that grows by one each month.
    pub fn index(self) -> i32 {
        i32::from(self.year) * 12 + i32::from(self.month) - 1
    }

    /// The month of that [`Month::index`].
    pub fn at(index: i32) -> Self {
        let index = index.clamp(-9999 * 12, 9999 * 12 + 11);
        Self { year: index.div_euclid(12) as i16, month: (index.rem_euclid(12) + 1) as i8 }
    }

    /// Every month from this one to `last`, both included.
    pub fn through(self, last: Self) -> impl DoubleEndedIterator<Item = Self> {
        (self.index()..=last.index()).map(Self::at)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-01", self.year, self.month)
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a month"))
    }
}

impl JsonSchema for Month {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Month".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_strict_form_is_read() {
        assert!(parse_date("2028-02-29").is_some());
        for bad in ["2027-02-29", "2026-1-01", "2026-01-01T00:00:00Z", "20260101", "", "+026-01-01", "２026-01-01"] {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
        assert_eq!(Month::parse("2026-03-02"), None);
        assert_eq!(Month::parse("2026-03-01").map(|m| m.to_string()).as_deref(), Some("2026-03-01"));
    }

    #[test]
    fn the_31st_falls_on_the_last_day() {
        let january = Month::of(jiff::civil::date(2028, 1, 31));
        assert_eq!(january.add(1).day(31), jiff::civil::date(2028, 2, 29));
        assert_eq!(january.add(13).day(31), jiff::civil::date(2029, 2, 28));
        assert_eq!(january.add(-1).last(), jiff::civil::date(2027, 12, 31));
    }

    #[test]
    fn months_end_with_the_calendar() {
        assert_eq!(Month::at(i32::MAX).to_string(), "9999-12-01");
        assert_eq!(Month::at(i32::MAX - 5).add(i32::MAX), Month::at(9999 * 12 + 11));
    }

    proptest! {
        #[test]
        fn day_numbers_follow_the_calendar(days in -200_000_i64..200_000) {
            let epoch = jiff::civil::date(1970, 1, 1);
            let date = add_days(epoch, days);
            prop_assert_eq!(i64::from(day_number(date)), days);
            prop_assert_eq!(days_between(epoch, date), days);
            prop_assert_eq!(parse_date(&date.to_string()), (0..=9999).contains(&date.year()).then_some(date));
        }

        #[test]
        fn months_add_up(index in 0_i32..100_000, step in -2000_i32..2000) {
            let month = Month::at(index);
            prop_assert_eq!(month.add(step).until(month), -(month.add(step).index() - index));
        }
    }
}
