//! Owns OFX 1 (SGML), OFX 2 (XML) and QFX: one tolerant reader of tags for all of them, closed or not.
//! Never moves a day by a time zone, and never takes a repeated or empty FITID for a doubled row.

use std::sync::Arc;

use super::figure::{Figure, Mark, figure};
use super::{Candidate, Known, ReadAs, Row, Sheet, Sign, Stand, gathered, readings};
use crate::dates::{Date, add_days};
use crate::error::Refusal;
use crate::refuse;

/// The text with its entities read.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find('&') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let end = from.find(';').filter(|end| *end <= 9);
        let read = end.and_then(|end| {
            let c = match from.get(1..end)? {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                "nbsp" => ' ',
                code => {
                    let code = code.strip_prefix('#')?;
                    let hex = code.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
                    char::from_u32(hex.unwrap_or_else(|| code.parse()).ok()?)?
                }
            };
            Some((c, end))
        });
        match read {
            Some((c, end)) => {
                out.push(c);
                rest = from.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Every tag with the text after it, in order; a closing tag keeps its slash. Names in capitals.
fn tags(text: &str) -> impl Iterator<Item = (String, &str)> {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '/' || c == '?' || c == '!';
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find('<')?;
            let inside = rest.get(open + 1..)?;
            if !inside.starts_with(starts) {
                rest = inside;
                continue;
            }
            let close = inside.find('>')?;
            let name = inside.get(..close)?.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
            let after = inside.get(close + 1..)?;
            // The value ends at the next tag; "a < b" is no tag.
            let mut end = 0;
            while let Some(at) = after.get(end..).and_then(|from| from.find('<')) {
                end += at;
                if after.get(end + 1..).is_some_and(|from| from.starts_with(starts)) {
                    break;
                }
                end += 1;
            }
            let end = if after.get(end..).is_some_and(|from| from.starts_with('<')) { end } else { after.len() };
            rest = after.get(end..).unwrap_or_default();
            let name = name.rsplit(':').next().map(str::to_owned).filter(|_| !name.starts_with('/')).unwrap_or(name);
            return Some((name.trim_end_matches('/').to_owned(), after.get(..end).unwrap_or_default()));
        }
    })
}

/// A transaction as the file has it.
#[derive(Default)]
struct Entry {
    kind: String,
    amount: String,
    posted: Option<Day>,
    user: Option<Day>,
    available: Option<Day>,
    name: String,
    memo: String,
    check: String,
}

/// A day, and whether the clock beside it stands in the last two hours of Greenwich's.
#[derive(Clone, Copy)]
struct Day {
    date: Date,
    late: bool,
}

/// Where a tag stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Entry,
    Pending,
    Ledger,
    Other,
    From,
    To,
}

#[derive(Default)]
struct Part {
    sheet: Sheet,
    closing: Option<(String, Option<Date>)>,
    entries: Vec<Entry>,
}

/// Reads every account; both signs and every decimal mark the amounts allow.
pub(super) fn candidates(text: &str, known: &Known) -> Result<Vec<Candidate>, Refusal> {
    let parts = parts(text)?;
    let figures: Vec<Figure> = parts.iter().flat_map(|part| &part.entries).filter_map(|e| figure(&e.amount)).collect();
    let mut found = Vec::new();
    for mark in Mark::ALL.into_iter().filter(|mark| figures.iter().all(|f| f.value(*mark).is_some())) {
        for sign in [Sign::AsWritten, Sign::Inverted] {
            let (mut sheets, mut number) = (Vec::new(), 0);
            let (mut backwards, mut forwards) = (0, 0);
            for part in &parts {
                let unsigned =
                    part.entries.iter().all(|e| !e.amount.contains('-')) && part.entries.iter().any(is_debit);
                let mut sheet = part.sheet.clone();
                let shift = is_shifted(&part.entries);
                for entry in &part.entries {
                    number += 1;
                    let row = row(entry, number, mark, unsigned, shift)?;
                    let against = row.amount.is_negative() != is_debit(entry) && !row.amount.is_zero();
                    match entry.kind.as_str() {
                        "DEBIT" | "CREDIT" if against => backwards += 1,
                        "DEBIT" | "CREDIT" => forwards += 1,
                        _ => {}
                    }
                    let amount = if sign == Sign::Inverted { -row.amount } else { row.amount };
                    sheet.rows.push(Row { amount, ..row });
                }
                sheet.closing = part.closing.as_ref().and_then(|(text, date)| {
                    let amount = figure(text).and_then(|f| f.value(mark).or(f.value(Mark::Dot)))?;
                    Some(Stand { date: *date, amount: known.as_owed(amount) })
                });
                sheets.push(sheet);
            }
            let odd = backwards > forwards;
            let read_as = ReadAs { decimal_mark: Some(mark), sign: Some(sign), ..ReadAs::default() };
            found.extend(readings(&read_as, gathered(sheets), odd || sign == Sign::AsWritten));
        }
    }
    if found.is_empty() {
        return Err(refuse!("An amount of this OFX file cannot be read. Export it again."));
    }
    Ok(found)
}

fn is_debit(entry: &Entry) -> bool {
    matches!(
        entry.kind.as_str(),
        "DEBIT" | "CHECK" | "PAYMENT" | "POS" | "FEE" | "SRVCHG" | "DIRECTDEBIT" | "REPEATPMT" | "CASH" | "ATM"
    )
}

/// Whether every row stands at Greenwich's late evening: midnight of a bank further east.
fn is_shifted(entries: &[Entry]) -> bool {
    !entries.is_empty() && entries.iter().all(|entry| entry.posted.is_some_and(|day| day.late))
}

fn row(entry: &Entry, number: usize, mark: Mark, unsigned: bool, shifted: bool) -> Result<Row, Refusal> {
    let size = figure(&entry.amount).and_then(|figure| figure.value(mark));
    let day = entry.posted.or(entry.user).or(entry.available);
    let (Some(size), Some(day)) = (size, day) else {
        return Err(refuse!("Transaction {number} of this OFX file has no readable amount or date. Export it again."));
    };
    let amount = if unsigned && is_debit(entry) { -size } else { size };
    let date = if shifted { add_days(day.date, 1) } else { day.date };
    let other = entry.available.or(entry.user).map(|day| day.date).filter(|other| *other != date);
    let clean = |text: &str| -> Arc<str> {
        unescaped(&unescaped(text)).split_whitespace().collect::<Vec<_>>().join(" ").into()
    };
    let payee = if entry.name.is_empty() { &entry.memo } else { &entry.name };
    let memo = if entry.memo.is_empty() { &entry.check } else { &entry.memo };
    Ok(Row { number, date, other_date: other, amount, payee: clean(payee), memo: clean(memo), balance: None })
}

fn parts(text: &str) -> Result<Vec<Part>, Refusal> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut place, mut other) = (Place::Outside, None);
    for (name, value) in tags(text) {
        let value = value.trim();
        match name.as_str() {
            "STMTRS" | "CCSTMTRS" | "STMTTRNRS" | "CCSTMTTRNRS" => {
                let fresh = parts.last().is_none_or(|part| !part.entries.is_empty() || part.sheet.account.is_some());
                if fresh {
                    parts.push(Part::default());
                }
                place = Place::Outside;
            }
            "INVSTMTRS" | "INVSTMTTRNRS" => other = Some("an OFX file of investments"),
            "ACCTINFORS" | "ACCTINFOTRNRS" => other = Some("an OFX list of accounts"),
            "BANKACCTFROM" | "CCACCTFROM" => place = Place::From,
            "BANKACCTTO" | "CCACCTTO" => place = Place::To,
            "/BANKACCTTO" | "/CCACCTTO" => place = Place::Entry,
            "STMTTRNP" => place = Place::Pending,
            "LEDGERBAL" => place = Place::Ledger,
            "AVAILBAL" | "BALLIST" | "BAL" => place = Place::Other,
            "/STMTTRN" | "/STMTTRNP" | "/LEDGERBAL" | "/AVAILBAL" | "/BALLIST" | "/BANKACCTFROM" | "/CCACCTFROM" => {
                place = Place::Outside;
            }
            "BANKTRANLIST" => place = Place::Outside,
            _ => {}
        }
        if name == "STMTTRN" && parts.is_empty() {
            parts.push(Part::default());
        }
        let Some(part) = parts.last_mut() else { continue };
        match (name.as_str(), place) {
            ("STMTTRN", _) => {
                place = Place::Entry;
                part.entries.push(Entry::default());
            }
            ("STMTTRNP", _) => part.sheet.pending += 1,
            ("ACCTID", Place::From) => part.sheet.account = Some(unescaped(value).into()),
            ("DTSTART", Place::Outside) => part.sheet.from = day(value).map(|day| day.date),
            ("DTEND", Place::Outside) => part.sheet.to = day(value).map(|day| day.date),
            ("BALAMT", Place::Ledger) => part.closing = Some((value.to_owned(), None)),
            ("DTASOF", Place::Ledger) => {
                if let Some((_, date)) = &mut part.closing {
                    *date = day(value).map(|day| day.date);
                }
            }
            (_, Place::Entry) => {
                if let Some(entry) = part.entries.last_mut() {
                    entry.take(&name, value);
                }
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.entries.is_empty() || part.closing.is_some() || part.sheet.from.is_some());
    match (parts.is_empty(), other) {
        (false, _) => Ok(parts),
        (true, Some(name)) => Err(refuse!("This is {name}, not a bank statement. Export the account's transactions.")),
        (true, None) => Err(refuse!("This OFX file holds no statement. Export the account's transactions again.")),
    }
}

impl Entry {
    fn take(&mut self, name: &str, value: &str) {
        match name {
            "TRNTYPE" => self.kind = value.to_ascii_uppercase(),
            "TRNAMT" => self.amount = value.to_owned(),
            "DTPOSTED" => self.posted = day(value),
            "DTUSER" => self.user = day(value),
            "DTAVAIL" => self.available = day(value),
            "NAME" => self.name = value.to_owned(),
            "MEMO" => self.memo = value.to_owned(),
            "CHECKNUM" => self.check = value.to_owned(),
            _ => {}
        }
    }
}

/// `20260131`, `20260131120000`, `20260131120000.000[-5:EST]`: the day as it is written.
fn day(text: &str) -> Option<Day> {
    let part = |from: usize, to: usize| {
        text.get(from..to).filter(|t| t.bytes().all(|b| b.is_ascii_digit()))?.parse::<i16>().ok()
    };
    let written = || Date::new(part(0, 4)?, part(4, 6)? as i8, part(6, 8)? as i8).ok();
    let date = written().or_else(|| crate::dates::parse_date_prefix(text))?;
    let greenwich = text.contains("[0")
        || text.contains("[+0")
        || text.contains("[-0")
        || text.contains("GMT")
        || text.contains("UTC");
    let late = greenwich && part(8, 10).is_some_and(|hour| hour >= 22) && part(10, 14) == Some(0);
    Some(Day { date, late })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Milliunits;
    use jiff::civil::date;

    fn first(text: &str) -> Sheet {
        candidates(text, &Known::nothing(date(2026, 2, 1))).expect("readable").remove(0).sheet
    }

    fn file(rows: &str) -> String {
        format!(
            "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>123\n</BANKACCTFROM><BANKTRANLIST><DTSTART>20260101<DTEND>20260131{rows}</BANKTRANLIST><LEDGERBAL><BALAMT>90.00<DTASOF>20260131</LEDGERBAL><AVAILBAL><BALAMT>1000.00<DTASOF>20260131</AVAILBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
        )
    }

    #[test]
    fn rows_without_closing_tags_and_with_repeated_or_empty_fitids() {
        let sheet = first(&file(
            "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260105<TRNAMT>-5.00<FITID>1<NAME>A &amp; B\n<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>20260105\n<TRNAMT>-5.00\n<FITID>1\n<NAME>A &amp;amp; B\n<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260106<TRNAMT>+1.5<FITID><NAME>C<MEMO>a < b",
        ));
        let rows: Vec<_> = sheet.rows.iter().map(|row| (row.number, row.amount.get(), &*row.payee)).collect();
        assert_eq!(rows, [(1, -5_000, "A & B"), (2, -5_000, "A & B"), (3, 1_500, "C")]);
        assert_eq!(&*sheet.rows[2].memo, "a < b");
        assert_eq!(sheet.closing, Some(Stand { date: Some(date(2026, 1, 31)), amount: Milliunits::new(90_000) }));
        assert_eq!(sheet.period(), Some((date(2026, 1, 1), date(2026, 1, 31))));
        assert_eq!(sheet.account.as_deref(), Some("123"));
    }

    #[test]
    fn midnight_and_time_zones_move_no_day() {
        let day = |text: &str| {
            first(&file(&format!("<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{text}<TRNAMT>-5.00<FITID>1<NAME>A</STMTTRN>"))).rows
                [0]
            .date
        };
        let cases = [
            ("20260105", 5),
            ("20260105000000", 5),
            ("20260105000000[-5:EST]", 5),
            ("20260105000000.000[+1:CET]", 5),
            ("20260105235959[-8:PST]", 5),
            ("20260105120000[0:GMT]", 5),
            ("20260105230000[0:GMT]", 6),
            ("20260105220000.000[0:UTC]", 6),
            ("2026-01-05", 5),
        ];
        for (text, want) in cases {
            assert_eq!(day(text), date(2026, 1, want), "{text}");
        }
    }

    #[test]
    fn what_holds_no_statement_is_named() {
        let said = |text: &str| candidates(text, &Known::nothing(date(2026, 2, 1))).expect_err("a refusal").to_string();
        assert!(said("<OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS>").contains("investments"));
        assert!(said("<OFX><SIGNUPMSGSRSV1><ACCTINFOTRNRS><ACCTINFORS>").contains("list of accounts"));
    }
}
