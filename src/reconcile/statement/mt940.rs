//! Owns MT940, SWIFT's statement: its fields, what tells a field from text that looks like one, and its `:86:` styles.
//! Never moves a day: the entry date is the booking day, its year the one that brings it nearest to the value date.

use std::sync::Arc;

use super::day::nearest;
use super::figure::{Mark, figure};
use super::{Candidate, ReadAs, Row, Sheet, Stand, gathered, readings};
use crate::dates::Date;
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;

/// A field: its tag and its lines.
struct Field<'a> {
    tag: &'a str,
    lines: Vec<&'a str>,
}

/// Reads every message; one reading, as the format says everything.
pub(super) fn candidates(text: &str) -> Result<Vec<Candidate>, Refusal> {
    let (mut parts, mut sheet, mut number) = (Vec::new(), Sheet::default(), 0);
    let mut fields = fields(text).into_iter().peekable();
    while let Some(field) = fields.next() {
        let first = field.lines.first().copied().unwrap_or_default();
        match field.tag {
            "20" => parts.push(std::mem::take(&mut sheet)),
            "25" | "25P" => sheet.account = Some(first.trim().into()),
            "60F" | "60M" => sheet.opening = sheet.opening.or(balance(first)),
            "62F" | "62M" => sheet.closing = balance(first),
            "61" => {
                let about = fields.next_if(|next| next.tag == "86").map(|next| next.lines).unwrap_or_default();
                let Some(entry) = entry(first) else {
                    return Err(refuse!("Entry {} of this MT940 file cannot be read. Export it again.", number + 1));
                };
                if entry.expected {
                    sheet.pending += 1;
                    continue;
                }
                number += 1;
                let (payee, memo) = told(&about, &entry, field.lines.get(1..).unwrap_or_default());
                sheet.rows.push(Row {
                    number,
                    date: entry.booked.unwrap_or(entry.value),
                    other_date: entry.booked.map(|_| entry.value),
                    amount: entry.amount,
                    payee,
                    memo,
                    balance: None,
                });
            }
            _ => {}
        }
    }
    parts.push(sheet);
    parts.retain(|part| !part.rows.is_empty() || part.opening.is_some() || part.closing.is_some());
    if parts.is_empty() {
        return Err(refuse!("This MT940 file holds neither entries nor balances. Export it again."));
    }
    Ok(readings(&ReadAs::default(), gathered(parts), true).collect())
}

/// The fields of all messages. Inside an `:86:`, a line that looks like a tag is text unless it has the tag's shape in
/// a place where the tag may stand.
fn fields(text: &str) -> Vec<Field<'_>> {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end().trim_start_matches('\u{1}')).collect();
    let mut fields: Vec<Field<'_>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.find("{4:").map_or(*line, |start| line.get(start + 3..).unwrap_or_default());
        let next = || lines.iter().skip(at + 1).find(|line| !line.is_empty()).copied().unwrap_or_default();
        if line.is_empty() || line.starts_with("{1:") || line == "-}" || line.starts_with("-}{") {
            continue;
        }
        if line == "-" && (next().is_empty() || next().starts_with(":20:") || next().starts_with('{')) {
            continue;
        }
        let before = fields.last().map(|field| field.tag);
        match tag(line).filter(|(tag, value)| may_stand(tag, value, before, &lines, at)) {
            Some((tag, value)) => fields.push(Field { tag, lines: vec![value] }),
            None => {
                if let Some(field) = fields.last_mut() {
                    field.lines.push(line);
                }
            }
        }
    }
    fields
}

fn tag(line: &str) -> Option<(&str, &str)> {
    let (tag, value) = line.strip_prefix(':')?.split_once(':')?;
    let shaped = (2..=3).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    shaped.then_some((tag, value))
}

fn may_stand(tag: &str, value: &str, before: Option<&str>, lines: &[&str], at: usize) -> bool {
    let closed = |tag: &str| matches!(tag, "62F" | "62M" | "64" | "65");
    match tag {
        "61" => entry(value).is_some(),
        "60F" | "60M" | "62F" | "62M" | "64" | "65" => balance(value).is_some(),
        "86" => before.is_some_and(|before| before == "61" || closed(before)),
        // A message starts here when nothing but the rest of its head stands before its opening balance.
        "20" => {
            let head =
                lines.iter().skip(at + 1).filter(|line| !line.is_empty()).take_while(|line| !line.starts_with(":60"));
            let known = |line: &&str| {
                [":21:", ":25:", ":25P:", ":28:", ":28C:", ":NS:"].iter().any(|tag| line.starts_with(tag))
            };
            head.take(9).all(known)
        }
        // Only the head of a message holds these.
        _ => before
            .is_none_or(|before| matches!(before, "20" | "21" | "25" | "25P" | "28" | "28C" | "13" | "13D" | "NS")),
    }
}

fn digits(text: &str) -> Option<i32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

fn day(text: &str) -> Option<Date> {
    let (year, month, day) = (digits(text.get(..2)?)?, digits(text.get(2..4)?)?, digits(text.get(4..6)?)?);
    Date::new((2000 + year) as i16, month as i8, day as i8).ok()
}

fn amount(text: &str) -> Option<Milliunits> {
    let mark = if text.contains(',') { Mark::Comma } else { Mark::Dot };
    figure(text)?.value(mark)
}

fn balance(value: &str) -> Option<Stand> {
    let owed = match value.get(..1)? {
        "C" => false,
        "D" => true,
        _ => return None,
    };
    let date = day(value.get(1..7)?);
    let currency = value.get(7..10)?;
    let size = amount(value.get(10..)?.trim())?;
    let shaped = currency.bytes().all(|b| b.is_ascii_uppercase()) && value.get(1..7).and_then(digits).is_some();
    shaped.then_some(Stand { date, amount: if owed { -size } else { size } })
}

/// What an `:61:` line says.
struct Entry<'a> {
    value: Date,
    booked: Option<Date>,
    amount: Milliunits,
    /// Announced, not booked.
    expected: bool,
    reference: &'a str,
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let value = day(line)?;
    let rest = line.get(6..)?;
    let entry_day = rest.get(..4).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let rest = if entry_day.is_some() { rest.get(4..)? } else { rest };
    // The mark, then perhaps the third letter of the currency: "CR" is a credit in EUR, "RC" a credit taken back.
    let (out, expected, rest) = [("RC", true, false), ("RD", false, false), ("EC", false, true), ("ED", true, true)]
        .into_iter()
        .chain([("C", false, false), ("D", true, false)])
        .find_map(|(mark, out, expected)| Some((out, expected, rest.strip_prefix(mark)?)))?;
    let rest = rest.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').unwrap_or(rest.len());
    let size = amount(rest.get(..end)?)?;
    let booked = entry_day.and_then(|text| {
        let (month, day) = (digits(text.get(..2)?)?, digits(text.get(2..)?)?);
        nearest((month, 2), (day, 2), value)
    });
    let reference = rest.get(end..)?.get(4..).unwrap_or_default();
    Some(Entry { value, booked, amount: if out { -size } else { size }, expected, reference })
}

/// Who and what for.
fn told(about: &[&str], entry: &Entry<'_>, more: &[&str]) -> (Arc<str>, Arc<str>) {
    let joined = about.concat();
    let (payee, memo) = numbered(&joined)
        .or_else(|| slashed(&joined))
        .or_else(|| worded(&about.join(" ")))
        .unwrap_or_else(|| match about.split_first() {
            Some((first, rest)) => ((*first).to_owned(), rest.join(" ")),
            None => (more.join(" "), entry.reference.split("//").next().unwrap_or_default().to_owned()),
        });
    let payee = if payee.trim().is_empty() { &memo } else { &payee };
    (payee.trim().into(), memo.trim().into())
}

/// `166?00GUTSCHRIFT?20For this?21and that?32Name`: numbered parts after a three-digit code.
fn numbered(text: &str) -> Option<(String, String)> {
    text.get(..3).and_then(digits)?;
    let separator = text.get(3..)?.chars().next().filter(|c| !c.is_ascii_alphanumeric() && *c != ' ')?;
    let (mut payee, mut memo, mut title) = (String::new(), String::new(), String::new());
    for part in text.split(separator).skip(1) {
        let (Some(code), Some(value)) = (part.get(..2).and_then(digits), part.get(2..)) else { continue };
        match code {
            0 => title = value.to_owned(),
            20..=29 | 60..=63 => {
                memo.push_str(value);
                if value.len() < 27 {
                    memo.push(' ');
                }
            }
            32 | 33 => payee.push_str(value),
            _ => {}
        }
    }
    if payee.is_empty() && memo.is_empty() && title.is_empty() {
        return None;
    }
    Some((payee, if memo.is_empty() { title } else { memo }))
}

/// `/NAME/Someone/REMI/For this`: parts between slashes after words in capitals.
fn slashed(text: &str) -> Option<(String, String)> {
    const KEYS: &str = "NAME REMI EREF MARF CSID IBAN BIC TRTP ADDR ISDT PURP ORDP BENM CNTP ID ULTC ULTD TRCD RTRN PREF \
        NRTX USTD KREF SVCL UDTR";
    if !text.starts_with('/') {
        return None;
    }
    let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in text.split('/').skip(1) {
        match parts.last_mut() {
            _ if KEYS.split_whitespace().any(|key| key == word) => parts.push((word, Vec::new())),
            Some((_, values)) => values.push(word),
            None => {}
        }
    }
    let value = |key: &str| parts.iter().find(|(known, values)| *known == key && !values.is_empty());
    let full = |key: &str| value(key).map(|(_, values)| values.join("/").trim_matches('/').trim().to_owned());
    let party = value("CNTP").and_then(|(_, values)| values.get(2)).map(|name| (*name).to_owned());
    let payee = full("NAME").or(party).unwrap_or_default();
    let memo = full("REMI").filter(|memo| !memo.is_empty()).or_else(|| full("USTD")).unwrap_or_default();
    (!payee.is_empty() || !memo.is_empty()).then_some((payee, memo))
}

/// `… Naam: Someone Omschrijving: For this …`: words with a colon.
fn worded(text: &str) -> Option<(String, String)> {
    let keys =
        ["Naam:", "Name:", "Omschrijving:", "IBAN:", "BIC:", "Kenmerk:", "Machtiging:", "Incassant:", "Valutadatum:"];
    let after = |key: &str| {
        let start = text.find(key)? + key.len();
        let rest = text.get(start..)?;
        let end = keys.iter().filter_map(|key| rest.find(key)).min().unwrap_or(rest.len());
        rest.get(..end).map(|value| value.trim().to_owned())
    };
    let payee = after("Naam:").or_else(|| after("Name:"))?;
    Some((payee, after("Omschrijving:").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn sheet(text: &str) -> Sheet {
        candidates(text).expect("readable").remove(0).sheet
    }

    fn message(entries: &str) -> String {
        format!(":20:REF\n:25:DE12/345\n:28C:1/1\n:60F:C251231EUR100,00\n{entries}\n:62F:C260131EUR90,00\n-\n")
    }

    #[test]
    fn reversals_are_told_from_the_currencys_letter() {
        let marks = [("C", 1), ("D", -1), ("CR", 1), ("DR", -1), ("RC", -1), ("RD", 1), ("RCR", -1), ("RDR", 1)];
        for (mark, sign) in marks {
            let sheet = sheet(&message(&format!(":61:2601050105{mark}12,50NTRFNONREF")));
            assert_eq!(sheet.rows[0].amount, Milliunits::new(sign * 12_500), "{mark}");
        }
        assert_eq!(sheet(&message(":61:260105EC12,50NTRFNONREF")).pending, 1);
    }

    #[test]
    fn the_entry_date_takes_its_year_from_the_value_date() {
        let days = |line: &str| {
            let row = sheet(&message(line)).rows.remove(0);
            (row.date, row.other_date)
        };
        assert_eq!(days(":61:2512310102D1,NTRFX"), (date(2026, 1, 2), Some(date(2025, 12, 31))));
        assert_eq!(days(":61:2601021231D1,NTRFX"), (date(2025, 12, 31), Some(date(2026, 1, 2))));
        assert_eq!(days(":61:260102D1,NTRFX"), (date(2026, 1, 2), None));
    }

    #[test]
    fn text_that_looks_like_a_tag_stays_text() {
        let text = message(
            ":61:2601050105D10,00NTRFNONREF\n:86:Invoice\n:20:05 o'clock\n:61:not an entry\n:62F:neither\n:25:x\n:86:more\n-\n-5 off\n:61:2601060106C1,NTRFX",
        );
        let sheet = sheet(&text);
        assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(&*sheet.rows[0].payee, "Invoice");
        assert!(sheet.rows[0].memo.contains(":61:not an entry :62F:neither :25:x :86:more"), "{}", sheet.rows[0].memo);
        assert_eq!(sheet.closing.map(|stand| stand.amount), Some(Milliunits::new(90_000)));
    }

    #[test]
    fn who_and_what_for_in_three_styles() {
        let cases = [
            (
                "166?00GUTSCHRIFT?20Rent January?21 2026?30BANK?31DE1?32Erika Muster?33mann",
                "Erika Mustermann",
                "Rent January  2026",
            ),
            ("/TRTP/SEPA/IBAN/NL1/NAME/J. Jansen/REMI/Invoice 7/EREF/X", "J. Jansen", "Invoice 7"),
            ("SEPA Overboeking IBAN: NL1 BIC: X Naam: J Jansen Omschrijving: Huur", "J Jansen", "Huur"),
            ("CARD PAYMENT SHOP", "CARD PAYMENT SHOP", ""),
        ];
        for (about, payee, memo) in cases {
            let row = sheet(&message(&format!(":61:260105D1,NTRFX\n:86:{about}"))).rows.remove(0);
            assert_eq!((&*row.payee, &*row.memo), (payee, memo), "{about}");
        }
    }
}
