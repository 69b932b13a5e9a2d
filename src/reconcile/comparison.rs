//! Owns the comparison of a statement with an account: what is asked back, what is listed, and how it is told.
//! Never changes anything: what could be changed is in `application`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::divergence::{self, Divergence};
use super::matching::{self, Kind, Matching};
use super::statement::{self, Format, Known, Mark, Order, Possible, Proof, ReadAs, Reading, Sign, Statement};
use super::{Listed, listed, unworded};
use crate::dates::{Date, days_between};
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Ix, Plan};
use crate::refuse;
use crate::text::safe;

/// How many of each list are shown unless asked otherwise.
pub const LIMIT: usize = 50;
/// How many of each list are shown at most.
pub const LIMIT_MAX: usize = 5_000;
/// How near a schedule's next day is to the row it may be, in days.
const SCHEDULED_DAYS: i64 = 7;

/// A statement compared with an account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Match {
    /// What the file is.
    pub format: Format,
    /// How it was read.
    #[schemars(with = "BTreeMap<String, String>")]
    pub read_as: ReadAs,
    /// Readings that remain possible; nothing else is then decided.
    #[schemars(with = "Option<Vec<BTreeMap<String, String>>>")]
    pub ambiguous: Option<Vec<ReadAs>>,
    /// What the statement covers.
    pub period: Period,
    /// As the file says.
    pub opening_balance: Option<Amount>,
    /// As the file says.
    pub closing_balance: Option<Amount>,
    /// Whatever the limit.
    #[schemars(with = "BTreeMap<String, usize>")]
    pub counts: Counts,
    /// Rows are numbered from 1.
    pub matches: Vec<Matched>,
    /// Untrusted bank text.
    pub missing_in_ynab: Vec<MissingRow>,
    /// Untrusted bank text.
    pub missing_at_bank: Vec<Listed>,
    /// Likely the same, with another amount or date.
    pub uncertain: Vec<Uncertain>,
    /// Likely entered twice.
    pub duplicates: Vec<Duplicate>,
    /// The first day the running balances differ.
    pub divergence: Option<Parting>,
    /// How many the limit hid, per list.
    #[schemars(with = "BTreeMap<String, usize>")]
    pub more: More,
    /// The conclusion.
    pub message: String,
}

/// The first and last day.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Period {
    /// First.
    #[schemars(with = "Option<String>")]
    pub from: Option<Date>,
    /// Last.
    #[schemars(with = "Option<String>")]
    pub to: Option<Date>,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Counts {
    /// Booked rows of the statement.
    pub rows: usize,
    /// Rows matched.
    pub matched: usize,
    /// Rows YNAB lacks.
    pub missing_in_ynab: usize,
    /// Transactions the statement lacks.
    pub missing_at_bank: usize,
    /// Rows in doubt.
    pub uncertain: usize,
    /// Likely doubles.
    pub duplicates: usize,
}

/// Rows and transactions that are the same.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Matched {
    /// Row numbers.
    pub rows: Vec<usize>,
    /// Transactions.
    pub transaction_ids: Vec<TransactionId>,
    /// How.
    pub kind: Kind,
}

/// A row that YNAB does not have.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct MissingRow {
    /// Row number.
    pub row: usize,
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Spending is negative.
    pub amount: Amount,
    /// Untrusted bank text.
    pub payee: String,
}

/// A row that is likely a transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Uncertain {
    /// Row number.
    pub row: usize,
    /// Transaction.
    pub transaction_id: TransactionId,
    /// What differs.
    pub why: String,
}

/// Transactions that are likely one payment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Duplicate {
    /// Both.
    pub transaction_ids: Vec<TransactionId>,
}

/// The day on which the running balances part.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Parting {
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// At the end of that day.
    pub bank_balance: Amount,
    /// At the end of that day.
    pub ynab_balance: Amount,
    /// Rows of that day.
    pub rows: Vec<usize>,
    /// Transactions of that day.
    pub transaction_ids: Vec<TransactionId>,
}

/// How many the limit hid, per list.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct More {
    /// Of the list of that name.
    pub matches: usize,
    /// Of the list of that name.
    pub missing_in_ynab: usize,
    /// Of the list of that name.
    pub missing_at_bank: usize,
    /// Of the list of that name.
    pub uncertain: usize,
    /// Of the list of that name.
    pub duplicates: usize,
}

/// A statement read and paired.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What the file says.
    pub statement: Statement,
    /// The days it speaks of.
    pub period: (Date, Date),
    /// What pairing found.
    pub matching: Matching,
    /// Where the balances part.
    pub divergence: Option<Divergence>,
}

/// What came of comparing.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Read one way, and paired.
    Compared(Box<Compared>),
    /// The user has to say how the file is read.
    Open(Question),
}

/// How a file may be read, to be asked.
#[derive(Clone, Debug)]
pub struct Question {
    format: Format,
    row: usize,
    readings: Vec<Possible>,
}

/// Reads the statement and pairs it with the account.
pub fn compare(
    plan: &Plan,
    account: Ix<Account>,
    bytes: &[u8],
    read_as: Option<&ReadAs>,
    today: Date,
) -> Result<Outcome, Refusal> {
    let statement = match statement::read(bytes, read_as, &Known::new(plan, account, today))? {
        Reading::Settled(statement) => *statement,
        Reading::Open { format, row, readings } => return Ok(Outcome::Open(Question { format, row, readings })),
    };
    let Some(period) = statement.sheet.period() else {
        return Err(refuse!(
            "The {} file holds neither rows nor balances. Export a longer period.",
            statement.format.name()
        ));
    };
    let matching = matching::pair(plan, account, &statement.sheet.rows, period);
    let divergence = divergence::first(plan, account, &statement.sheet, &matching, period);
    Ok(Outcome::Compared(Box::new(Compared { statement, period, matching, divergence })))
}

/// The answer of match_statement; `limit` is how many of each list it shows.
pub fn matched(
    plan: &Plan,
    account: Ix<Account>,
    bytes: &[u8],
    read_as: Option<&ReadAs>,
    limit: usize,
    today: Date,
) -> Result<Match, Refusal> {
    Ok(match compare(plan, account, bytes, read_as, today)? {
        Outcome::Compared(compared) => compared.answer(plan, account, limit.min(LIMIT_MAX)),
        Outcome::Open(question) => question.answer(plan),
    })
}

impl Question {
    /// The question in words, with what each reading makes of one row.
    pub fn message(&self, plan: &Plan) -> String {
        let ways: Vec<String> = self.readings.iter().map(|possible| possible.words(plan)).collect();
        let several = self.readings.iter().any(|possible| possible.read_as.account.is_some());
        let what = if several { "account and reading" } else { "reading" };
        format!(
            "This {} file can be read in {} ways. Row {} is: {}. Ask the user which {what} is right, then call again with \
             it as read_as.",
            self.format.name(),
            ways.len(),
            self.row,
            ways.join("; or ")
        )
    }

    fn answer(&self, plan: &Plan) -> Match {
        Match {
            format: self.format,
            read_as: self.shared(),
            ambiguous: Some(self.readings.iter().map(|possible| possible.read_as.clone()).collect()),
            period: Period::default(),
            opening_balance: None,
            closing_balance: None,
            counts: Counts::default(),
            matches: Vec::new(),
            missing_in_ynab: Vec::new(),
            missing_at_bank: Vec::new(),
            uncertain: Vec::new(),
            duplicates: Vec::new(),
            divergence: None,
            more: More::default(),
            message: self.message(plan),
        }
    }

    /// What all readings agree on.
    fn shared(&self) -> ReadAs {
        fn agreed<T: Clone + PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
            let first = values.next()??;
            values.all(|value| value.as_ref() == Some(&first)).then_some(first)
        }
        let each = || self.readings.iter().map(|possible| &possible.read_as);
        ReadAs {
            account: agreed(each().map(|read_as| read_as.account.clone())),
            delimiter: agreed(each().map(|read_as| read_as.delimiter.clone())),
            date_order: agreed(each().map(|read_as| read_as.date_order)),
            decimal_mark: agreed(each().map(|read_as| read_as.decimal_mark)),
            sign: agreed(each().map(|read_as| read_as.sign)),
        }
    }
}

impl Possible {
    fn words(&self, plan: &Plan) -> String {
        let row = self.example.map(|(date, amount)| format!("{date} {}", plan.currency.show(amount)));
        format!("{} ({})", row.unwrap_or_else(|| "nothing".to_owned()), self.read_as.words())
    }
}

impl ReadAs {
    /// The reading, for people.
    fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.account.as_ref().map(|account| format!("account {}", safe(account))));
        words.extend(self.delimiter.as_ref().map(|delimiter| match delimiter.as_str() {
            "\t" => "tabs".to_owned(),
            other => format!("delimiter '{}'", safe(other)),
        }));
        words.extend(self.date_order.map(|order| match order {
            Order::Dmy => "day first".to_owned(),
            Order::Mdy => "month first".to_owned(),
            Order::Ymd => "year first".to_owned(),
        }));
        words.extend(self.decimal_mark.map(|mark| match mark {
            Mark::Dot => "decimal point".to_owned(),
            Mark::Comma => "decimal comma".to_owned(),
        }));
        words.extend(self.sign.filter(|sign| *sign == Sign::Inverted).map(|_| "signs inverted".to_owned()));
        if words.is_empty() { "as the format says".to_owned() } else { words.join(", ") }
    }
}

impl Compared {
    fn numbers(&self, places: &[usize]) -> Vec<usize> {
        places.iter().filter_map(|at| self.statement.sheet.rows.get(*at)).map(|row| row.number).collect()
    }

    fn counts(&self) -> Counts {
        let matching = &self.matching;
        Counts {
            rows: self.statement.sheet.rows.len(),
            matched: matching.pairs.iter().map(|pair| pair.rows.len()).sum(),
            missing_in_ynab: matching.missing_rows.len(),
            missing_at_bank: matching.missing_transactions.len(),
            uncertain: matching.doubts.len(),
            duplicates: matching.duplicates.len(),
        }
    }

    fn answer(&self, plan: &Plan, account: Ix<Account>, limit: usize) -> Match {
        let (matching, sheet, counts) = (&self.matching, &self.statement.sheet, self.counts());
        let id = |ix| plan.transactions[ix].id.clone();
        let missing_row = |at: &usize| {
            let row = sheet.rows.get(*at)?;
            let payee = safe(&row.payee).into_owned();
            Some(MissingRow { row: row.number, date: row.date, amount: row.amount.into(), payee })
        };
        Match {
            format: self.statement.format,
            read_as: self.statement.read_as.clone(),
            ambiguous: None,
            period: Period { from: Some(self.period.0), to: Some(self.period.1) },
            opening_balance: sheet.opening.map(|stand| stand.amount.into()),
            closing_balance: sheet.closing.map(|stand| stand.amount.into()),
            counts,
            matches: matching
                .pairs
                .iter()
                .take(limit)
                .map(|pair| Matched {
                    rows: self.numbers(&pair.rows),
                    transaction_ids: pair.transactions.iter().copied().map(id).collect(),
                    kind: pair.kind,
                })
                .collect(),
            missing_in_ynab: matching.missing_rows.iter().take(limit).filter_map(missing_row).collect(),
            missing_at_bank: matching
                .missing_transactions
                .iter()
                .take(limit)
                .map(|ix| listed(plan, &plan.transactions[*ix]))
                .collect(),
            uncertain: matching
                .doubts
                .iter()
                .take(limit)
                .filter_map(|doubt| {
                    let row = sheet.rows.get(doubt.row)?.number;
                    Some(Uncertain { row, transaction_id: id(doubt.transaction), why: doubt.why.clone() })
                })
                .collect(),
            duplicates: matching
                .duplicates
                .iter()
                .take(limit)
                .map(|both| Duplicate { transaction_ids: both.iter().copied().map(id).collect() })
                .collect(),
            divergence: self.divergence.as_ref().map(|parting| Parting {
                date: parting.date,
                bank_balance: parting.bank.into(),
                ynab_balance: parting.ynab.into(),
                rows: self.numbers(&parting.rows).into_iter().take(limit).collect(),
                transaction_ids: parting.transactions.iter().copied().take(limit).map(id).collect(),
            }),
            more: More {
                matches: matching.pairs.len().saturating_sub(limit),
                missing_in_ynab: counts.missing_in_ynab.saturating_sub(limit),
                missing_at_bank: counts.missing_at_bank.saturating_sub(limit),
                uncertain: counts.uncertain.saturating_sub(limit),
                duplicates: counts.duplicates.saturating_sub(limit),
            },
            message: self.message(plan, account),
        }
    }

    /// The conclusion, what was assumed and what is missing.
    pub fn message(&self, plan: &Plan, account: Ix<Account>) -> String {
        let (counts, sheet, statement) = (self.counts(), &self.statement.sheet, &self.statement);
        let show = |amount: Milliunits| plan.currency.show(amount);
        let proof = match statement.proof {
            Proof::Balances => "proved by its balances",
            Proof::Rows => "proved by rows in YNAB",
            Proof::File => "the only reading it allows",
            Proof::Told => "as told",
        };
        let mut said = vec![format!(
            "Read as {} ({}), {proof}: {} of {} rows match, {} missing in YNAB, {} uncertain; {} missing at \
             the bank.",
            statement.format.name(),
            statement.read_as.words(),
            counts.matched,
            counts.rows,
            counts.missing_in_ynab,
            counts.uncertain,
            counts.missing_at_bank
        )];
        if sheet.pending > 0 {
            said.push(format!("{} pending entries were left out.", sheet.pending));
        }
        if let (Some(opening), Some(closing)) = (sheet.opening, sheet.closing) {
            let rest = closing.amount - opening.amount - sheet.sum();
            if !rest.is_zero() {
                said.push(format!(
                    "The file's rows and balances differ by {}: a fee or a row is missing in it.",
                    show(rest)
                ));
            }
        }
        match &self.divergence {
            Some(parting) => said.push(format!(
                "The running balances part on {}: {} at the bank, {} in YNAB.",
                parting.date,
                show(parting.bank),
                show(parting.ynab)
            )),
            None => said.push("The running balances agree.".to_owned()),
        }
        if divergence::opening(sheet, self.period).is_none() {
            said.push("The file has no balance for these rows, so YNAB's own before them was taken.".to_owned());
        }
        said.extend(self.scheduled(plan, account));
        said.join(" ")
    }

    /// Rows that YNAB will enter itself.
    fn scheduled(&self, plan: &Plan, account: Ix<Account>) -> Option<String> {
        let due = |at: &&usize| {
            let row = self.statement.sheet.rows.get(**at)?;
            let is_it = |s: &&crate::plan::Scheduled| {
                !s.deleted
                    && s.account == account
                    && s.amount == row.amount
                    && days_between(row.date, s.date_next).abs() <= SCHEDULED_DAYS
            };
            plan.scheduled.iter().find(is_it).map(|_| row.number.to_string())
        };
        let rows: Vec<String> = self.matching.missing_rows.iter().filter_map(|at| due(&at)).take(10).collect();
        (!rows.is_empty()).then(|| format!("Scheduled in YNAB and not entered yet: row {}.", rows.join(", ")))
    }
}

#[cfg(test)]
mod tests;
