//! Owns the laws of reading and matching: nothing breaks them, and what is written is read. Never part of the binary.

use proptest::prelude::*;

use super::comparison::{Compared, Outcome, compare, matched};
use super::desk::{Desk, day};
use super::statement::{Known, Order, ReadAs, Reading, Sheet, read};
use super::year::{NOISE, year};
use crate::dates::{Date, add_days, day_number};
use crate::money::{Currency, Milliunits};
use crate::plan::{Cleared, Ix, Transaction};

const TODAY: &str = "2027-01-15";

/// Rows as a file would hold them: day, milliunits, text.
fn rows() -> impl Strategy<Value = Vec<(Date, i64, String)>> {
    let row = (0_i64..360, -5_000_000_i64..5_000_000, "[A-Z][a-z]{2,8}");
    prop::collection::vec(row, 1..12).prop_map(|mut rows| {
        rows.sort();
        let first = day("2026-01-14");
        rows.into_iter().map(|(at, amount, text)| (add_days(first, at), amount * 10, text)).collect()
    })
}

fn units(amount: i64, mark: char) -> String {
    let (sign, size) = (if amount < 0 { "-" } else { "" }, amount.abs());
    format!("{sign}{}{mark}{:02}", size / 1000, size % 1000 / 10)
}

fn settled(text: &str, told: &ReadAs) -> Option<Sheet> {
    let desk = Desk::new(Currency::new("EUR", 2), "checking");
    match read(text.as_bytes(), Some(told), &Known::new(&desk.plan, desk.account, day(TODAY))) {
        Ok(Reading::Settled(statement)) => Some(statement.sheet),
        _ => None,
    }
}

fn told(order: Order) -> ReadAs {
    ReadAs { date_order: Some(order), sign: Some(super::statement::Sign::AsWritten), ..ReadAs::default() }
}

fn same(sheet: Option<Sheet>, rows: &[(Date, i64, String)]) -> bool {
    let read = |sheet: Sheet| -> Vec<(Date, i64, String)> {
        sheet.rows.iter().map(|row| (row.date, row.amount.get(), row.payee.to_string())).collect()
    };
    sheet.map(read).as_deref() == Some(rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn csv_written_is_read(rows in rows(), delimiter in "[;|\t]", comma: bool, day_first: bool, balance: bool) {
        let (mark, mut sum) = (if comma { ',' } else { '.' }, 1_000_000);
        let mut text = ["Date", "Text", "Amount"].join(&delimiter);
        text.push_str(if balance { ";Balance\n" } else { "\n" }.replace(';', &delimiter).as_str());
        for (date, amount, payee) in &rows {
            sum += amount;
            let date = if day_first { date.strftime("%d/%m/%Y").to_string() } else { date.to_string() };
            let mut cells = vec![date, format!("\"{payee}\""), units(*amount, mark)];
            cells.extend(balance.then(|| units(sum, mark)));
            text.push_str(&cells.join(&delimiter));
            text.push('\n');
        }
        let sheet = settled(&text, &told(if day_first { Order::Dmy } else { Order::Ymd }));
        if balance {
            let closing = sheet.as_ref().and_then(|sheet| sheet.closing).map(|stand| stand.amount.get());
            prop_assert_eq!(closing, Some(sum));
        }
        prop_assert!(same(sheet, &rows), "{}", text);
    }

    #[test]
    fn ofx_written_is_read(rows in rows(), closed: bool) {
        let end = |tag: &str| if closed { format!("</{tag}>") } else { String::new() };
        let mut text = "OFXHEADER:100\n\n<OFX><STMTRS><BANKTRANLIST>".to_owned();
        for (date, amount, payee) in &rows {
            text.push_str(&format!(
                "<STMTTRN><DTPOSTED>{}{}<TRNAMT>{}{}<NAME>{payee}{}{}\n",
                date.strftime("%Y%m%d"), end("DTPOSTED"), units(*amount, '.'), end("TRNAMT"), end("NAME"), end("STMTTRN")
            ));
        }
        text.push_str("</BANKTRANLIST></STMTRS></OFX>");
        prop_assert!(same(settled(&text, &told(Order::Ymd)), &rows), "{}", text);
    }

    #[test]
    fn qif_written_is_read(rows in rows()) {
        let mut text = "!Type:Bank\n".to_owned();
        for (date, amount, payee) in &rows {
            text.push_str(&format!("D{}\nT{}\nP{payee}\n^\n", date.strftime("%m/%d'%y"), units(*amount, '.')));
        }
        prop_assert!(same(settled(&text, &told(Order::Mdy)), &rows), "{}", text);
    }

    #[test]
    fn mt940_written_is_read(rows in rows()) {
        let mut text = ":20:X\n:25:A\n:28C:1\n:60F:C260101EUR0,00\n".to_owned();
        for (date, amount, payee) in &rows {
            let mark = if *amount < 0 { "D" } else { "C" };
            let size = units(amount.abs(), ',');
            text.push_str(&format!(":61:{}{}{mark}R{size}NMSCX\n:86:{payee}\n", date.strftime("%y%m%d"), date.strftime("%m%d")));
        }
        text.push_str(":62F:C261231EUR0,00\n-\n");
        prop_assert!(same(settled(&text, &ReadAs::default()), &rows), "{}", text);
    }

    #[test]
    fn camt_written_is_read(rows in rows()) {
        let mut text = "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\"><BkToCstmrStmt><Stmt>".to_owned();
        for (date, amount, payee) in &rows {
            let (mark, side) = if *amount < 0 { ("DBIT", "Cdtr") } else { ("CRDT", "Dbtr") };
            text.push_str(&format!(
                "<Ntry><Amt>{}</Amt><CdtDbtInd>{mark}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>{date}</Dt></BookgDt>\
                 <NtryDtls><TxDtls><RltdPties><{side}><Nm>{payee}</Nm></{side}></RltdPties></TxDtls></NtryDtls></Ntry>",
                units(amount.abs(), '.')
            ));
        }
        text.push_str("</Stmt></BkToCstmrStmt></Document>");
        prop_assert!(same(settled(&text, &ReadAs::default()), &rows), "{}", text);
    }

    #[test]
    fn nothing_breaks_on_any_bytes(start in 0_usize..12, bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,200}|([-0-9/.:;,A-Z<>^!\n]{0,30}\n){0,8}") {
        let starts = ["", "OFXHEADER:100\n<OFX><STMTRS><STMTTRN>", "!Type:Bank\n", "<Document><BkToCstmrStmt><Stmt>", ":20:X\n:25:A\n:60F:C260101EUR0,\n:61:2601", "Date;Amount\n2026-01-01;1,00\n", "Date,Debit,Credit,Balance\n", "<", "{1:", "\u{feff}\"a\";\"b\"\n", "sep=;\n", ":20:\n:25:\n:61:260101D1,\n:86:"];
        let desk = Desk::euro(&[("2026-01-01", 1_000, "A")]);
        let mut raw = starts[start].as_bytes().to_vec();
        raw.extend(&bytes);
        let _ = matched(&desk.plan, desk.account, &raw, None, 50, day(TODAY));
        let worded = format!("{}{text}", starts[start]);
        let _ = matched(&desk.plan, desk.account, worded.as_bytes(), None, 50, day(TODAY));
    }

    #[test]
    fn a_statement_of_ynabs_own_rows_matches_whole(rows in rows()) {
        let mut desk = Desk::new(Currency::new("EUR", 2), "checking");
        let mut text = "Date;Text;Amount;Balance\n".to_owned();
        let mut sum = 0;
        for (date, amount, payee) in rows.iter().filter(|(_, amount, _)| *amount != 0) {
            desk.add(*date, Milliunits::new(*amount), payee, Cleared::Cleared);
            sum += amount;
            text.push_str(&format!("{date};{payee};{};{}\n", units(*amount, ','), units(sum, ',')));
        }
        if let Ok(got) = matched(&desk.plan, desk.account, text.as_bytes(), None, 50, day(TODAY)) {
            prop_assert_eq!((got.counts.matched, got.counts.missing_at_bank), (got.counts.rows, 0), "{}", text);
            prop_assert!(got.divergence.is_none(), "{}", text);
        }
    }
}

#[test]
fn a_short_noisy_year_is_matched_right() {
    let first = i64::from(day_number(day("2026-01-01")));
    let year = year(7, 400, first, NOISE);
    let mut desk = Desk::new(Currency::new("EUR", 2), "checking");
    desk.add(day("2025-12-01"), Milliunits::new(year.opening), "Starting Balance", Cleared::Cleared);
    let date = |day: i64| add_days(Date::constant(1970, 1, 1), day);
    for payment in &year.ynab {
        desk.add(date(payment.day), Milliunits::new(payment.amount), &payment.name, Cleared::Cleared);
    }
    let csv = year.csv(|day| date(day).to_string());
    let Ok(Outcome::Compared(compared)) = compare(&desk.plan, desk.account, csv.as_bytes(), None, day(TODAY)) else {
        panic!("not compared");
    };
    let found = found(&compared);
    let right = year.right(&found);
    assert!(right * 1000 >= found.len() * 999, "precision: {right} of {}", found.len());
    assert!(right * 1000 >= year.pairs.len() * 995, "recall: {right} of {}", year.pairs.len());
    assert_eq!(compared.divergence.as_ref().map(|parting| parting.date), year.parting(&found).map(date));
}

/// The matches as places in the year's two lists; the starting balance stands first in the plan.
fn found(compared: &Compared) -> Vec<(Vec<usize>, Vec<usize>)> {
    let ours = |ix: &Ix<Transaction>| ix.get() - 1;
    compared
        .matching
        .pairs
        .iter()
        .map(|pair| (pair.rows.clone(), pair.transactions.iter().map(ours).collect()))
        .collect()
}
