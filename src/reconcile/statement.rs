//! Owns the bank's statement: from a file's bytes to rows with days and amounts, or to the question of how to read it.
//! Never guesses between two readings, never opens a file, and never compares with YNAB beyond what proves a reading.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::unworded;
use crate::dates::{Date, add_days, days_between};
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;
use crate::text::safe;

mod camt;
mod columns;
mod csv;
mod day;
mod detect;
mod figure;
mod known;
mod mt940;
mod ofx;
pub(in crate::reconcile) mod proof;
mod qif;
mod words;

pub use day::Order;
pub use figure::Mark;
pub use known::Known;

/// The largest statement read, in bytes.
pub const BYTES_MAX: usize = 2 * 1024 * 1024;
/// How many possible readings are listed at most.
const READINGS_MAX: usize = 12;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Values between delimiters.
    Csv,
    /// OFX 1 or 2, QFX.
    Ofx,
    /// Quicken's.
    Qif,
    /// ISO 20022's BankToCustomerStatement.
    Camt053,
    /// SWIFT's.
    Mt940,
}

impl Format {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Ofx => "OFX",
            Self::Qif => "QIF",
            Self::Camt053 => "CAMT.053",
            Self::Mt940 => "MT940",
        }
    }
}

/// Which way the file's signs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = unworded)]
pub enum Sign {
    /// Money out is negative, or in a column or with a word of its own.
    AsWritten,
    /// The other way round.
    Inverted,
}

/// How a statement was read, or is to be read; what does not apply is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = unworded)]
pub struct ReadAs {
    /// Of a file of several accounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// One character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Of the dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_order: Option<Order>,
    /// Of the amounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_mark: Option<Mark>,
    /// Of the amounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<Sign>,
}

/// A booked row of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place in the file, from 1.
    pub number: usize,
    /// The day the bank booked it.
    pub date: Date,
    /// Another day the file gives for it, such as the value date.
    pub other_date: Option<Date>,
    /// Signed as YNAB's.
    pub amount: Milliunits,
    /// Who, raw.
    pub payee: Arc<str>,
    /// What for, raw.
    pub memo: Arc<str>,
    /// The account's balance after it.
    pub balance: Option<Milliunits>,
}

/// A balance and its day, where the file says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// At the end of that day (an opening one: before the first row).
    pub date: Option<Date>,
    /// Signed as YNAB's.
    pub amount: Milliunits,
}

/// What a file says of one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The account, in the file's words.
    pub account: Option<Arc<str>>,
    /// Booked rows, in the file's order.
    pub rows: Vec<Row>,
    /// The balance before them.
    pub opening: Option<Stand>,
    /// The balance after them.
    pub closing: Option<Stand>,
    /// The first day it covers, where it says so.
    pub from: Option<Date>,
    /// The last day it covers, where it says so.
    pub to: Option<Date>,
    /// Entries left out because the bank has not booked them.
    pub pending: usize,
}

/// How far before the first row a file's own first day is believed, in days.
const EMPTY_DAYS_MAX: i64 = 45;

impl Sheet {
    /// The first and the last day it speaks of; `None` when it says nothing at all.
    pub fn period(&self) -> Option<(Date, Date)> {
        let days = || self.rows.iter().map(|row| row.date);
        // A bank dates an opening balance by the evening before, mostly.
        let after = self.opening.and_then(|opening| opening.date).map(|date| add_days(date, 1));
        let first = self.from.or(after);
        let last = self.to.or(self.closing.and_then(|closing| closing.date));
        let Some((from, to)) = days().min().zip(days().max()) else {
            let to = last.or(first)?;
            return Some((first.unwrap_or(to).min(to), to));
        };
        let believed = first.filter(|first| days_between(*first, from) <= EMPTY_DAYS_MAX);
        Some((believed.map_or(from, |first| first.min(from)), last.map_or(to, |last| last.max(to))))
    }

    /// What its rows add up to.
    pub(super) fn sum(&self) -> Milliunits {
        self.rows.iter().map(|row| row.amount).sum()
    }

    /// Adds what another part of the file says of the same account.
    fn add(&mut self, part: Self) {
        self.rows.extend(part.rows);
        let day = |stand: &Stand| stand.date.unwrap_or(Date::MIN);
        self.opening = [self.opening, part.opening].into_iter().flatten().min_by_key(day);
        self.closing = [self.closing, part.closing].into_iter().flatten().max_by_key(day);
        self.from = [self.from, part.from].into_iter().flatten().min();
        self.to = self.to.max(part.to);
        self.pending += part.pending;
    }
}

/// The parts of a file, one sheet for each account.
fn gathered(parts: Vec<Sheet>) -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = Vec::new();
    for part in parts {
        match sheets.iter_mut().find(|sheet| sheet.account == part.account) {
            Some(sheet) => sheet.add(part),
            None => sheets.push(part),
        }
    }
    sheets
}

/// One way to read a file that its own bytes allow.
#[derive(Clone, Debug)]
struct Candidate {
    read_as: ReadAs,
    sheet: Sheet,
    /// Whether it is asked about without proof; an unusual reading is taken only when something proves it.
    likely: bool,
}

/// One reading for each account of a file; the account is named where there are several.
fn readings(read_as: &ReadAs, sheets: Vec<Sheet>, likely: bool) -> impl Iterator<Item = Candidate> {
    let several = sheets.len() > 1;
    sheets.into_iter().enumerate().map(move |(at, sheet)| {
        let name = sheet.account.as_deref().map_or_else(|| (at + 1).to_string(), |name| safe(name).into_owned());
        let account = several.then_some(name);
        Candidate { read_as: ReadAs { account, ..read_as.clone() }, sheet, likely }
    })
}

/// A statement read one way only.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its format.
    pub format: Format,
    /// How it was read.
    pub read_as: ReadAs,
    /// What it says.
    pub sheet: Sheet,
    /// What proves the reading.
    pub proof: Proof,
}

/// What proves a reading, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Opening balance and rows make the closing balance, or every running balance follows.
    Balances,
    /// Rows that are in YNAB.
    Rows,
    /// The file itself leaves one reading.
    File,
    /// The caller's word.
    Told,
}

/// What came of reading a file.
#[derive(Clone, Debug)]
pub enum Reading {
    /// One reading.
    Settled(Box<Statement>),
    /// Several remain possible.
    Open {
        /// The file's format.
        format: Format,
        /// A row that they read differently, by its number.
        row: usize,
        /// Each of them.
        readings: Vec<Possible>,
    },
}

/// A reading that remains possible.
#[derive(Clone, Debug)]
pub struct Possible {
    /// To be given back.
    pub read_as: ReadAs,
    /// The day and amount it gives to the row that tells the readings apart.
    pub example: Option<(Date, Milliunits)>,
}

/// Reads a statement; `known` is what YNAB has of the account. Refused when it is no statement, or damaged.
pub fn read(bytes: &[u8], read_as: Option<&ReadAs>, known: &Known) -> Result<Reading, Refusal> {
    if bytes.len() > BYTES_MAX {
        return Err(refuse!("The statement is larger than 2 MB. Export a shorter period."));
    }
    let text = detect::text(bytes)?;
    let format = detect::format(&text)?;
    let told = read_as.cloned().unwrap_or_default();
    let candidates = match format {
        Format::Csv => csv::candidates(&text, &told, known)?,
        Format::Ofx => ofx::candidates(&text, known)?,
        Format::Qif => qif::candidates(&text, known)?,
        Format::Camt053 => camt::candidates(&text)?,
        Format::Mt940 => mt940::candidates(&text)?,
    };
    proof::settle(format, candidates, &told, known)
}
