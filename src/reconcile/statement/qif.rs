//! Owns QIF, Quicken's old text format: records of one-letter lines ended by `^`.
//! Never trusts its dates: the order is decided for the whole file, as for CSV.

use std::sync::Arc;

use super::day::{Order, Written, written};
use super::figure::{Figure, Mark, figure};
use super::words::fold;
use super::{Candidate, Known, ReadAs, Row, Sheet, Sign, Stand, gathered, readings};
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;

/// A record as the file has it.
#[derive(Default)]
struct Record {
    account: Option<Arc<str>>,
    date: String,
    amount: String,
    payee: String,
    memo: String,
    category: String,
    /// Memo and amount of its parts.
    parts: Vec<String>,
}

/// Reads every account; each date order, decimal mark and sign that the whole file allows.
pub(super) fn candidates(text: &str, known: &Known) -> Result<Vec<Candidate>, Refusal> {
    let records = records(text)?;
    let mut read: Vec<(Written, Figure)> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let (Some(day), Some(size)) = (written(&record.date), figure(&record.amount)) else {
            return Err(refuse!("Record {} of this QIF file has no readable date or amount. Export it again.", at + 1));
        };
        read.push((day, size));
    }
    let orders = Order::ALL.into_iter().filter(|o| read.iter().all(|(day, _)| day.day(*o, known.today).is_some()));
    let orders: Vec<Order> = orders.collect();
    let marks = Mark::ALL.into_iter().filter(|mark| read.iter().all(|(_, size)| size.value(*mark).is_some()));
    let mut found = Vec::new();
    for mark in marks {
        for order in &orders {
            for sign in [Sign::AsWritten, Sign::Inverted] {
                let read_as = ReadAs {
                    date_order: Some(*order),
                    decimal_mark: Some(mark),
                    sign: Some(sign),
                    ..ReadAs::default()
                };
                let sheets = gathered(sheets(&records, &read, (*order, mark, sign), known));
                found.extend(readings(&read_as, sheets, sign == Sign::AsWritten));
            }
        }
    }
    if found.is_empty() {
        return Err(refuse!(
            "No order of day, month and year, or no decimal mark, fits every record of this QIF file."
        ));
    }
    Ok(found)
}

fn sheets(
    records: &[Record],
    read: &[(Written, Figure)],
    (order, mark, sign): (Order, Mark, Sign),
    known: &Known,
) -> Vec<Sheet> {
    let (mut parts, mut number) = (Vec::new(), 0);
    for (record, (day, size)) in records.iter().zip(read) {
        let (Some(date), Some(size)) = (day.day(order, known.today), size.value(mark)) else { continue };
        let amount = if sign == Sign::Inverted { -size } else { size };
        let mut part = Sheet { account: record.account.clone(), ..Sheet::default() };
        // Quicken's first record of an account is no payment: it names the account as its own category.
        if fold(&record.payee) == "opening balance" && record.category.starts_with('[') {
            part.opening = Some(Stand { date: None, amount });
        } else {
            number += 1;
            part.rows.push(row(record, number, date, amount));
        }
        parts.push(part);
    }
    parts
}

fn row(record: &Record, number: usize, date: crate::dates::Date, amount: Milliunits) -> Row {
    let mut memo = vec![record.memo.as_str()];
    memo.extend(record.parts.iter().map(String::as_str));
    memo.retain(|part| !part.is_empty());
    let payee = if record.payee.is_empty() { &record.memo } else { &record.payee };
    Row {
        number,
        date,
        other_date: None,
        amount,
        payee: payee.as_str().into(),
        memo: memo.join("; ").into(),
        balance: None,
    }
}

fn records(text: &str) -> Result<Vec<Record>, Refusal> {
    let (mut records, mut record, mut account) = (Vec::new(), Record::default(), None);
    let (mut names_account, mut rows, mut other) = (false, true, None);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(header) = line.strip_prefix('!') {
            let header = header.trim().to_ascii_lowercase();
            names_account = header == "account";
            if let Some(kind) = header.strip_prefix("type:") {
                let kind = kind.trim();
                rows = matches!(kind, "bank" | "cash" | "ccard" | "oth a" | "oth l" | "other" | "oth s");
                if !rows {
                    other = Some(kind.to_owned());
                }
            }
            continue;
        }
        let mut letters = line.chars();
        let (letter, value) = (letters.next().unwrap_or_default(), letters.as_str().trim());
        match letter {
            '^' => {
                let done = std::mem::take(&mut record);
                if rows && !names_account && !(done.date.is_empty() && done.amount.is_empty()) {
                    records.push(Record { account: account.clone(), ..done });
                }
            }
            'N' if names_account => account = Some(Arc::from(value)),
            'D' => record.date = value.to_owned(),
            'T' => record.amount = value.to_owned(),
            'U' if record.amount.is_empty() => record.amount = value.to_owned(),
            'P' => record.payee = value.to_owned(),
            'M' => record.memo = value.to_owned(),
            'L' => record.category = value.to_owned(),
            'S' => record.parts.push(String::new()),
            'E' | '$' => {
                if let Some(part) = record.parts.last_mut() {
                    part.push_str(if part.is_empty() { "" } else { " " });
                    part.push_str(value);
                }
            }
            _ => {}
        }
    }
    if rows && !names_account && !(record.date.is_empty() && record.amount.is_empty()) {
        records.push(Record { account, ..record });
    }
    match (records.is_empty(), other) {
        (false, _) => Ok(records),
        (true, Some(kind)) => Err(refuse!(
            "This QIF file lists \"{}\", not an account's transactions. Export the account itself.",
            crate::text::safe(&kind)
        )),
        (true, None) => Err(refuse!("This QIF file holds no transactions. Export a longer period.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> Vec<Candidate> {
        candidates(text, &Known::nothing(date(2026, 2, 1))).expect("readable")
    }

    #[test]
    fn records_with_quickens_dates_and_parts() {
        let found = read(
            "!Type:Bank\nD1/31'26\nT-1,234.56\nPShop\nSFood\nEapples\n$-1,000.00\nSHome\n$-234.56\n^\nD2/ 1'26\nT5.00\nPBack\nMthanks\n",
        );
        assert_eq!(found.len(), 2);
        let rows = &found[0].sheet.rows;
        assert_eq!((rows[0].date, rows[0].amount.get(), &*rows[0].payee), (date(2026, 1, 31), -1_234_560, "Shop"));
        assert_eq!(&*rows[0].memo, "apples -1,000.00; -234.56");
        assert_eq!((rows[1].date, rows[1].amount.get(), &*rows[1].memo), (date(2026, 2, 1), 5_000, "thanks"));
    }

    #[test]
    fn every_order_that_fits_the_whole_file_is_kept() {
        let orders = |text: &str| -> Vec<Order> {
            let as_written = read(text).into_iter().filter(|c| c.read_as.sign == Some(Sign::AsWritten));
            as_written.filter_map(|c| c.read_as.date_order).collect()
        };
        assert_eq!(orders("!Type:Bank\nD01/02/2026\nT1.00\n^\n"), [Order::Dmy, Order::Mdy]);
        assert_eq!(orders("!Type:Bank\nD01/02/2026\nT1.00\n^\nD13/02/2026\nT1.00\n^\n"), [Order::Dmy]);
    }

    #[test]
    fn an_opening_balance_is_no_row_and_lists_are_refused() {
        let found = read(
            "!Account\nNMy account\nTBank\n^\n!Type:Bank\nD2026-01-01\nT100.00\nPOpening Balance\nL[My account]\n^\nD2026-01-02\nT-1.00\n^\n",
        );
        assert_eq!(found[0].sheet.opening.map(|stand| stand.amount.get()), Some(100_000));
        assert_eq!((found[0].sheet.rows.len(), found[0].sheet.account.as_deref()), (1, Some("My account")));
        let refusal = candidates("!Type:Cat\nNFood\nE\n^\n", &Known::nothing(date(2026, 2, 1))).expect_err("a list");
        assert!(refusal.to_string().contains("cat"));
    }
}
