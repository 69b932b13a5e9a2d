//! Owns how banks write a day, and which day that is under each order of day, month and year.
//! Never decides which order a file uses, and never moves a day by a time zone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::fold;
use crate::dates::{Date, days_between};
use crate::reconcile::unworded;

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = unworded)]
pub enum Order {
    /// Day first.
    Dmy,
    /// Month first.
    Mdy,
    /// Year first.
    Ymd,
}

impl Order {
    /// All of them, the commonest first.
    pub const ALL: [Self; 3] = [Self::Ymd, Self::Dmy, Self::Mdy];
}

/// A number of a date with its count of digits.
type Part = (i32, usize);

/// A day as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Three numbers; whether dots stand between them.
    Numbers([Part; 3], bool),
    /// Eight digits in a row.
    Compact(u32),
    /// A day, the month by name, a year; whether the month stands first.
    Named { day: Part, month: i32, year: Option<Part>, month_first: bool },
    /// Day and month, or month and day; whether dots stand between them.
    Yearless([Part; 2], bool),
}

/// Month names by their first letters, January to December, in the languages of the banks.
const MONTHS: [&str; 12] = [
    "jan ene gen sty led oca tam",
    "feb fev lut uno sub hel",
    "mar maart mrt brezen",
    "apr avr abr kwi dub nis",
    "may mai mei mag maj kve",
    "juin jun giu cze haz",
    "juil jul lug lip tem",
    "aug aou ago sie srp",
    "sep set wrz eyl",
    "oct okt ott out paz",
    "nov lis",
    "dec dez dic des gru ara",
];

fn month_of(name: &str) -> Option<i32> {
    let name = fold(name);
    let at = MONTHS.iter().position(|starts| starts.split(' ').any(|start| name.starts_with(start)))?;
    Some(at as i32 + 1)
}

enum Token {
    Number(i32, usize),
    Name(i32),
}

/// Reads the shape of a day, a time after it left aside; `None` for anything else.
pub(super) fn written(text: &str) -> Option<Written> {
    let text = text.trim();
    if text.len() > 60 || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut tokens, mut separators, mut rest) = (Vec::new(), Vec::new(), text);
    while tokens.len() < 3 {
        let Some(c) = rest.chars().next() else { break };
        if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let digits = rest.get(..end)?;
            if tokens.is_empty() && matches!(end, 8 | 14) {
                let after = rest.get(end..)?;
                let compact = Written::Compact(digits.get(..8)?.parse().ok()?);
                let is_day = Order::ALL.iter().any(|order| compact.day(*order, Date::ZERO).is_some());
                return (is_day && (end == 14 || is_time(after))).then_some(compact);
            }
            if end > 4 {
                return None;
            }
            tokens.push(Token::Number(digits.parse().ok()?, end));
            rest = rest.get(end..)?;
        } else if c.is_alphabetic() && !matches!(c, '年' | '月' | '日' | '년' | '월' | '일' | 'T') {
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            tokens.push(Token::Name(month_of(rest.get(..end)?)?));
            rest = rest.get(end..)?;
        } else {
            return None;
        }
        let before = rest;
        rest = rest.trim_start_matches(['/', '.', '-', ' ', ',', '\'', '年', '月', '년', '월']);
        let separator = before.get(..before.len() - rest.len())?;
        // A clock after two parts ("12 Jan 13:45") is no third part.
        if separator.contains(' ') && tokens.len() == 2 && is_time(&format!(" {rest}")) {
            break;
        }
        // Two parts then letters or digits at once: "12.5kg".
        if separator.is_empty() && !rest.is_empty() && tokens.len() < 3 && !rest.starts_with(char::is_alphabetic) {
            return None;
        }
        separators.push(separator.to_owned());
    }
    let ends = rest.trim_start_matches(['日', '일']);
    let glued = separators.last().is_some_and(String::is_empty) && tokens.len() == 3;
    if !(is_time(ends) || (!glued && is_time(&format!(" {ends}")))) {
        return None;
    }
    let dotted = separators.first().is_some_and(|s| s.trim() == ".");
    // "2.400,00" is an amount: between three numbers the same sign stands twice, but for Quicken's "1/31'26".
    let alike = match separators.as_slice() {
        [first, second, ..] => first.trim() == second.trim() || matches!(second.trim(), "'" | "月" | "월"),
        _ => true,
    };
    let read = match tokens.as_slice() {
        [Token::Number(..), Token::Number(..), Token::Number(..)] if !alike => None,
        [Token::Number(a, m), Token::Number(b, n), Token::Number(c, o)] => {
            Some(Written::Numbers([(*a, *m), (*b, *n), (*c, *o)], dotted))
        }
        [Token::Number(day, m), Token::Name(month), Token::Number(year, n)] => {
            let (day, year) = if *m == 4 { ((*year, *n), (*day, *m)) } else { ((*day, *m), (*year, *n)) };
            Some(Written::Named { day, month: *month, year: Some(year), month_first: false })
        }
        [Token::Name(month), Token::Number(day, m), Token::Number(year, n)] => {
            Some(Written::Named { day: (*day, *m), month: *month, year: Some((*year, *n)), month_first: true })
        }
        [Token::Number(day, m), Token::Name(month)] => {
            Some(Written::Named { day: (*day, *m), month: *month, year: None, month_first: false })
        }
        [Token::Name(month), Token::Number(day, m)] if *m <= 2 => {
            Some(Written::Named { day: (*day, *m), month: *month, year: None, month_first: true })
        }
        [Token::Number(a, m), Token::Number(b, n)] if *m <= 2 && *n <= 2 => {
            let first = separators.first()?.trim().to_owned();
            // "12.05" is an amount, "12.05." a day.
            let dated = first == "/" || first == "-" || (first == "." && separators.get(1)?.starts_with('.'));
            dated.then_some(Written::Yearless([(*a, *m), (*b, *n)], dotted))
        }
        _ => None,
    };
    let leap = Date::new(2024, 12, 31).ok()?;
    read.filter(|read| Order::ALL.iter().any(|order| read.day(*order, leap).is_some()))
}

/// Nothing, or a time of day.
fn is_time(text: &str) -> bool {
    let Some(time) = text.strip_prefix([' ', 'T', ',', ';']) else { return text.is_empty() };
    let time = time.trim_start_matches([' ', ',']);
    if time.is_empty() {
        return true;
    }
    let clock = time.split_once([':', 'h']).is_some_and(|(hour, minute)| {
        (1..=2).contains(&hour.len())
            && hour.bytes().all(|b| b.is_ascii_digit())
            && minute.starts_with(|c: char| c.is_ascii_digit())
    });
    clock && time.len() <= 30
}

impl Written {
    /// The day in that order; one without a year is the last such day not after `near`, give or take a week. `None` when
    /// it is no day.
    pub(super) fn day(self, order: Order, near: Date) -> Option<Date> {
        match self {
            Self::Numbers([a, b, c], dotted) => match order {
                Order::Ymd => made(year(a)?, b, c),
                Order::Dmy => made(year(c)?, b, a),
                Order::Mdy if !dotted => made(year(c)?, a, b),
                Order::Mdy => None,
            },
            Self::Compact(digits) => {
                let (front, middle, back) = (digits / 10_000, digits / 100, digits % 10_000);
                let part = |n: u32| ((n % 100) as i32, 2);
                match order {
                    Order::Ymd => {
                        made((1900..2200).contains(&front).then_some(front as i32)?, part(middle), part(digits))
                    }
                    _ if !(1900..2200).contains(&back) => None,
                    Order::Dmy => made(back as i32, part(front), part(front / 100)),
                    Order::Mdy => made(back as i32, part(front / 100), part(front)),
                }
            }
            Self::Named { day, month, year: written, month_first } => {
                if month_first != (order == Order::Mdy) || (order == Order::Ymd) {
                    return None;
                }
                match written {
                    Some(written) => made(year(written)?, (month, 1), day),
                    None => latest((month, 1), day, near),
                }
            }
            Self::Yearless([a, b], dotted) => match order {
                Order::Dmy => latest(b, a, near),
                Order::Mdy if !dotted => latest(a, b, near),
                _ => None,
            },
        }
    }
}

fn year(part: Part) -> Option<i32> {
    match part.1 {
        4 => Some(part.0),
        2 => Some(if part.0 < 80 { 2000 + part.0 } else { 1900 + part.0 }),
        _ => None,
    }
}

fn made(year: i32, month: Part, day: Part) -> Option<Date> {
    (month.1 <= 2 && day.1 <= 2)
        .then(|| Date::new(i16::try_from(year).ok()?, i8::try_from(month.0).ok()?, i8::try_from(day.0).ok()?).ok())?
}

/// The day of that month in the year that brings it nearest to `near`.
pub(super) fn nearest(month: Part, day: Part, near: Date) -> Option<Date> {
    let around = i32::from(near.year());
    let days = (around - 1..=around + 1).filter_map(|year| made(year, month, day));
    days.min_by_key(|date| days_between(near, *date).abs())
}

/// The last such day that is at most a week after `near`.
fn latest(month: Part, day: Part, near: Date) -> Option<Date> {
    let around = i32::from(near.year());
    let mut years = (around - 4..=around + 1).rev();
    years.find_map(|year| made(year, month, day).filter(|date| days_between(near, *date) <= 7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn read(text: &str, order: Order) -> Option<Date> {
        written(text)?.day(order, date(2026, 1, 5))
    }

    #[test]
    fn days_as_banks_write_them() {
        let cases = [
            ("2026-01-31", Order::Ymd, date(2026, 1, 31)),
            ("26-01-31", Order::Ymd, date(2026, 1, 31)),
            ("31/01/2026", Order::Dmy, date(2026, 1, 31)),
            ("01/31/2026", Order::Mdy, date(2026, 1, 31)),
            ("31.01.26", Order::Dmy, date(2026, 1, 31)),
            ("31.01.2026.", Order::Dmy, date(2026, 1, 31)),
            ("2026. 01. 31.", Order::Ymd, date(2026, 1, 31)),
            ("1/31'26", Order::Mdy, date(2026, 1, 31)),
            ("1/ 5'26", Order::Mdy, date(2026, 1, 5)),
            ("20260131", Order::Ymd, date(2026, 1, 31)),
            ("31012026", Order::Dmy, date(2026, 1, 31)),
            ("01312026", Order::Mdy, date(2026, 1, 31)),
            ("20260131235959", Order::Ymd, date(2026, 1, 31)),
            ("31-Jan-2026", Order::Dmy, date(2026, 1, 31)),
            ("31 janv. 2026", Order::Dmy, date(2026, 1, 31)),
            ("3 de", Order::Dmy, date(1, 1, 1)),
            ("Jan 31, 2026", Order::Mdy, date(2026, 1, 31)),
            ("2026-01-31 23:59:59", Order::Ymd, date(2026, 1, 31)),
            ("2026-01-31T23:59:59.000Z", Order::Ymd, date(2026, 1, 31)),
            ("31/01/2026 1:05 PM", Order::Dmy, date(2026, 1, 31)),
            ("2026年1月31日", Order::Ymd, date(2026, 1, 31)),
            ("28/12", Order::Dmy, date(2025, 12, 28)),
            ("12/28", Order::Mdy, date(2025, 12, 28)),
            ("02 Jan", Order::Dmy, date(2026, 1, 2)),
            ("1 août 2025", Order::Dmy, date(2025, 8, 1)),
        ];
        for (text, order, want) in cases {
            assert_eq!(read(text, order), (want.year() > 1).then_some(want), "{text}");
        }
    }

    #[test]
    fn an_order_that_gives_no_day_is_none() {
        assert_eq!(read("31/01/2026", Order::Mdy), None);
        assert_eq!(read("05.06.2026", Order::Mdy), None, "dots are day first");
        assert_eq!(read("2026-01-31", Order::Dmy), None);
        assert_eq!(read("30/02/2026", Order::Dmy), None);
        for order in [Order::Ymd, Order::Mdy] {
            assert_eq!(read("31-Jan-2026", order), None, "the name says where the month stands");
        }
        for order in [Order::Ymd, Order::Dmy] {
            assert_eq!(read("Jan 31, 2026", order), None);
        }
    }

    #[test]
    fn what_is_no_day() {
        for text in [
            "", "12.05", "1,234", "12.50", "hello", "12 rue 5", "123456", "1-2-3-4", "12.5kg", "45/2026", "4111",
            "18991231", "31121899", "22000131", "20261301", "20260132",
        ] {
            assert_eq!(
                written(text).and_then(|w| Order::ALL.iter().find_map(|o| w.day(*o, date(2026, 1, 1)))),
                None,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn reading_is_the_inverse_of_writing(day in 0_i64..36_000, separator in "[-/.]") {
            let day = crate::dates::add_days(date(2000, 1, 1), day);
            let (y, m, d) = (day.year(), day.month(), day.day());
            prop_assert_eq!(read(&format!("{y:04}{separator}{m:02}{separator}{d:02}"), Order::Ymd), Some(day));
            prop_assert_eq!(read(&format!("{d:02}{separator}{m:02}{separator}{y:04}"), Order::Dmy), Some(day));
        }

        #[test]
        fn nothing_breaks_it(text in "\\PC{0,20}|[-/. 0-9a-z':T]{0,16}") {
            if let Some(written) = written(&text) {
                let _ = Order::ALL.map(|order| written.day(order, date(2026, 1, 1)));
            }
        }
    }
}
