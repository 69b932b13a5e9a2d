//! Owns how banks write an amount: signs, currencies, groups, and what it is worth under each decimal mark.
//! Never decides which mark a file uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::money::Milliunits;
use crate::reconcile::unworded;

/// The largest amount read, in milliunits: a thousand times what may be written to YNAB.
const MILLIUNITS_MAX: i128 = 1_000_000_000_000_000;

/// The sign between units and cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = unworded)]
pub enum Mark {
    /// `1,234.56`
    #[serde(rename = ".")]
    Dot,
    /// `1.234,56`
    #[serde(rename = ",")]
    Comma,
}

impl Mark {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Dot, Self::Comma];

    fn decimal(self) -> char {
        match self {
            Self::Dot => '.',
            Self::Comma => ',',
        }
    }

    fn group(self) -> char {
        match self {
            Self::Dot => ',',
            Self::Comma => '.',
        }
    }
}

/// An amount as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    /// Digits and marks alone.
    digits: String,
    negative: bool,
}

/// Reads the shape of an amount; `None` for anything else (text, a date, a long reference).
pub(super) fn figure(text: &str) -> Option<Figure> {
    let text = text.trim();
    let (mut digits, mut word, mut minus) = (String::new(), String::new(), 0);
    let (mut ended, mut gap, mut bracket) = (false, false, false);
    for c in text.chars() {
        match c {
            '0'..='9' | '.' | ',' => {
                if c == '.' && (digits.is_empty() || ended) && !word.is_empty() {
                    continue; // "Rs. 12", "12 kr."
                }
                if ended {
                    return None;
                }
                gap = false;
                digits.push(c);
            }
            ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}' | '\'' | '’' | '`' => {
                if !digits.is_empty() && !ended && !gap {
                    gap = true;
                    digits.push(' ');
                }
            }
            '-' | '\u{2212}' | '\u{2013}' | '\u{2014}' | '+' => {
                ended = !digits.is_empty();
                minus += if c == '+' { 10 } else { 1 };
            }
            '(' if digits.is_empty() && !bracket => bracket = true,
            ')' if bracket && !digits.is_empty() => ended = true,
            '$' | '€' | '£' | '¥' | '￥' | '₹' | '₺' | '₽' | '₩' | '฿' | '₫' | '₱' | '₴' | '₪' | '₦' | '₡' =>
            {
                ended |= !digits.is_empty();
            }
            c if c.is_alphabetic() => {
                ended |= !digits.is_empty();
                word.extend(c.to_uppercase());
            }
            _ => return None,
        }
    }
    let digits = digits.trim_end();
    if digits.contains(' ') && !is_spaced(digits) {
        return None;
    }
    let digits = digits.replace(' ', "");
    if !digits.contains(|c: char| c.is_ascii_digit()) || !is_money_word(&word) || minus % 10 > 1 || minus > 10 {
        return None;
    }
    let owed = ["DR", "DB"].iter().any(|side| word.ends_with(side)) || word == "D" || word == "S";
    Some(Figure { digits, negative: (minus == 1) || bracket || owed })
}

/// Whether the letters beside the digits may name a currency or a side: three letters of a code, or a known word.
fn is_money_word(word: &str) -> bool {
    const KNOWN: &str = "KR ZŁ KČ FT TL RS LEI R RM DR CR DB D C S H K B L ЛВ РУБ ГРН Р 円 元 원";
    let code = |word: &str| word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase());
    let side = ["DR", "CR", "DB"].iter().find_map(|side| word.strip_suffix(side)).unwrap_or_default();
    word.is_empty() || code(word) || code(side) || KNOWN.split(' ').any(|known| known == word)
}

/// Whether the groups between the spaces are of three digits, but for the first and for the cents.
fn is_spaced(digits: &str) -> bool {
    let whole = digits.split(['.', ',']).next().unwrap_or_default();
    let cents = digits.get(whole.len()..).unwrap_or_default();
    let mut groups = whole.split(' ');
    let first = groups.next().map_or(0, str::len);
    (1..=3).contains(&first) && groups.all(|group| group.len() == 3) && !cents.contains(' ')
}

impl Figure {
    /// The amount when `mark` stands before the cents; `None` when it is not written that way.
    pub(super) fn value(&self, mark: Mark) -> Option<Milliunits> {
        let (whole, cents) = match self.digits.split_once(mark.decimal()) {
            Some((whole, cents)) => (whole, cents),
            None => (self.digits.as_str(), ""),
        };
        let cents = if cents.len() > 3 { cents.trim_end_matches('0') } else { cents };
        if cents.len() > 3 || !cents.bytes().all(|b| b.is_ascii_digit()) || !is_grouped(whole, mark.group()) {
            return None;
        }
        let number = |digits: &str| -> Option<i128> {
            digits
                .bytes()
                .filter(u8::is_ascii_digit)
                .try_fold(0_i128, |n, b| Some(n.checked_mul(10)? + i128::from(b - b'0')))
        };
        let size = number(whole)?.checked_mul(1000)? + number(&format!("{cents:0<3}"))?;
        (size <= MILLIUNITS_MAX).then(|| Milliunits::from_wide(if self.negative { -size } else { size }))
    }

    /// Whether it is written below zero.
    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is nothing, whatever the mark.
    pub(super) fn is_zero(&self) -> bool {
        !self.digits.bytes().any(|b| matches!(b, b'1'..=b'9'))
    }

    /// Whether it is one long number without marks, as references are.
    pub(super) fn is_reference(&self) -> bool {
        self.digits.bytes().all(|b| b.is_ascii_digit())
            && (self.digits.len() > 9 || (self.digits.len() > 1 && self.digits.starts_with('0')))
    }
}

/// Whether the digits stand in groups: of three, or of two before a last three (as in India), or not at all.
fn is_grouped(whole: &str, group: char) -> bool {
    let mut parts = whole.split(group);
    let first = parts.next().unwrap_or_default();
    if !first.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return true };
    let sized = |part: &str, sizes: std::ops::RangeInclusive<usize>| {
        sizes.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let lakh = !middle.is_empty() && middle.iter().all(|part| part.len() == 2) && first.len() <= 2;
    sized(first, 1..=3) && sized(last, 3..=3) && (lakh || middle.iter().all(|part| sized(part, 3..=3)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, mark: Mark) -> Option<i64> {
        figure(text)?.value(mark).map(Milliunits::get)
    }

    #[test]
    fn amounts_as_banks_write_them() {
        let cases = [
            ("1,234.56", Mark::Dot, 1_234_560),
            ("1.234,56", Mark::Comma, 1_234_560),
            ("1 234,56", Mark::Comma, 1_234_560),
            ("-1\u{202F}234,56 €", Mark::Comma, -1_234_560),
            ("1'234.50", Mark::Dot, 1_234_500),
            ("CHF 1’234’567.05", Mark::Dot, 1_234_567_050),
            ("12,50-", Mark::Comma, -12_500),
            ("(12.50)", Mark::Dot, -12_500),
            ("-$3.00", Mark::Dot, -3_000),
            ("$-3.00", Mark::Dot, -3_000),
            ("− 3.00", Mark::Dot, -3_000),
            ("+3.00", Mark::Dot, 3_000),
            ("12.50 DR", Mark::Dot, -12_500),
            ("12.50CR", Mark::Dot, 12_500),
            ("Rs. 1,23,456.78", Mark::Dot, 123_456_780),
            ("12,00 kr.", Mark::Comma, 12_000),
            ("12,5000", Mark::Comma, 12_500),
            (".5", Mark::Dot, 500),
            ("1234", Mark::Comma, 1_234_000),
            ("1 234 567", Mark::Dot, 1_234_567_000),
        ];
        for (text, mark, want) in cases {
            assert_eq!(read(text, mark), Some(want), "{text}");
        }
    }

    #[test]
    fn the_files_own_mark_decides_what_three_digits_are() {
        assert_eq!((read("25,000", Mark::Comma), read("25,000", Mark::Dot)), (Some(25_000), Some(25_000_000)));
        assert_eq!((read("-3.000", Mark::Dot), read("-3.000", Mark::Comma)), (Some(-3_000), Some(-3_000_000)));
        assert_eq!((read("12.50", Mark::Comma), read("1.234.567", Mark::Dot)), (None, None));
    }

    #[test]
    fn what_is_no_amount() {
        for text in ["", "-", "abc", "31.01.2026x", "2026-01-31", "FR76 3000", "12 34", "1-2", "12:30", "50%", "--5"] {
            assert_eq!(figure(text).and_then(|f| f.value(Mark::Dot).or(f.value(Mark::Comma))), None, "{text}");
        }
        assert_eq!(read("31.01.2026", Mark::Dot), None);
        assert!(figure("0012345").is_some_and(|f| f.is_reference()));
    }

    proptest! {
        #[test]
        fn reading_is_the_inverse_of_writing(milliunits in -999_999_999_999_i64..=999_999_999_999, comma: bool) {
            let size = milliunits.unsigned_abs();
            let mark = if comma { Mark::Comma } else { Mark::Dot };
            let sign = if milliunits < 0 { "-" } else { "" };
            let text = format!("{sign}{}{}{:03}", size / 1000, mark.decimal(), size % 1000);
            prop_assert_eq!(read(&text, mark), Some(milliunits));
        }

        #[test]
        fn nothing_breaks_it(text in "\\PC{0,20}|[-+0-9., ()'A-D]{0,12}") {
            if let Some(figure) = figure(&text) {
                let _ = (figure.value(Mark::Dot), figure.value(Mark::Comma));
            }
        }
    }
}
