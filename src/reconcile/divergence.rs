//! Owns the first day on which the bank's running balance and YNAB's part.
//! Never counts a late booking: what is matched stands on the bank's day on both sides.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::matching::{Matching, is_start};
use super::statement::Sheet;
use super::statement::proof::breaks;
use crate::dates::{Date, days_between};
use crate::money::Milliunits;
use crate::plan::{Account, Cleared, Ix, Plan, Transaction};

/// How long after the last day a closing balance may be dated and still speak for it, in days.
const AFTER_DAYS: i64 = 3;

/// Where two running balances part.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The first day on which they differ.
    pub date: Date,
    /// The bank's at the end of that day.
    pub bank: Milliunits,
    /// YNAB's at the end of that day.
    pub ynab: Milliunits,
    /// Places of the rows of that day.
    pub rows: Vec<usize>,
    /// YNAB's transactions of that day, those matched on the bank's day.
    pub transactions: Vec<Ix<Transaction>>,
}

/// The bank's balance before the first row; `None` when the file has no balance that speaks for its rows.
pub(super) fn opening(sheet: &Sheet, period: (Date, Date)) -> Option<Milliunits> {
    if let Some(opening) = sheet.opening {
        return Some(opening.amount);
    }
    let closing = sheet.closing?;
    let at = closing.date.unwrap_or(period.1);
    let before = sheet.rows.iter().filter(|row| row.date <= at).map(|row| row.amount).sum::<Milliunits>();
    (days_between(period.1, at) <= AFTER_DAYS).then_some(closing.amount - before)
}

/// The day a transaction is compared on: the bank's where it is matched.
pub(super) fn bank_days(sheet: &Sheet, matching: &Matching) -> HashMap<Ix<Transaction>, Date> {
    let mut days = HashMap::new();
    for pair in &matching.pairs {
        let last = pair.rows.iter().filter_map(|at| sheet.rows.get(*at)).map(|row| row.date).max();
        for (ix, date) in pair.transactions.iter().zip(std::iter::repeat(last)) {
            days.extend(date.map(|date| (*ix, date)));
        }
    }
    days
}

/// Finds the day; `None` when the balances agree to the end.
pub fn first(
    plan: &Plan,
    account: Ix<Account>,
    sheet: &Sheet,
    matching: &Matching,
    period: (Date, Date),
) -> Option<Divergence> {
    let days = bank_days(sheet, matching);
    let matched_rows: HashSet<usize> = matching.pairs.iter().flat_map(|pair| pair.rows.iter().copied()).collect();
    let ours: Vec<(Ix<Transaction>, &Transaction)> = plan
        .transactions
        .enumerate()
        .filter(|(ix, t)| t.account == account && !t.deleted && !days.contains_key(ix))
        .collect();
    // Before its starting balance YNAB knows nothing of the account.
    let start = ours.iter().filter(|(_, t)| is_start(plan, t)).map(|(_, t)| t.date).min();
    let from = start.map_or(period.0, |start| start.max(period.0));
    if from > period.1 {
        return None;
    }
    let base: Milliunits = ours
        .iter()
        .filter(|(_, t)| is_start(plan, t) || (t.date < from && t.cleared != Cleared::Uncleared))
        .map(|(_, t)| t.amount)
        .sum();
    let before: Milliunits = sheet.rows.iter().filter(|row| row.date < from).map(|row| row.amount).sum();
    let known = opening(sheet, period).map(|opening| opening + before);
    let bank_before = known.unwrap_or(base);
    // What each day adds to the bank's balance, and to the difference between the two.
    let mut moves: BTreeMap<Date, (Milliunits, Milliunits)> = BTreeMap::from([(from, Default::default())]);
    let mut add = |date: Date, bank: Milliunits, apart: Milliunits| {
        let day = moves.entry(date).or_default();
        day.0 += bank;
        day.1 += apart;
    };
    for (at, row) in sheet.rows.iter().enumerate().filter(|(_, row)| row.date >= from) {
        add(row.date, row.amount, if matched_rows.contains(&at) { Milliunits::ZERO } else { row.amount });
    }
    let within = |t: &Transaction| (from..=period.1).contains(&t.date) && !is_start(plan, t);
    for (_, t) in ours.iter().filter(|(_, t)| within(t)) {
        add(t.date, Milliunits::ZERO, -t.amount);
    }
    let mut unexplained = Milliunits::ZERO;
    for (date, amount) in breaks(&sheet.rows) {
        unexplained += amount;
        add(date.max(from), amount, amount);
    }
    if let (Some(opening), Some(closing)) = (sheet.opening, sheet.closing) {
        let rest = closing.amount - opening.amount - unexplained - sheet.sum();
        if !rest.is_zero() {
            add(closing.date.unwrap_or(period.1).clamp(from, period.1), rest, rest);
        }
    }
    let (mut bank, mut apart) = (bank_before, bank_before - base);
    for (date, (moved, parted)) in moves {
        bank += moved;
        apart += parted;
        if !apart.is_zero() {
            let rows = sheet.rows.iter().enumerate().filter(|(_, row)| row.date == date).map(|(at, _)| at).collect();
            let mut transactions: Vec<Ix<Transaction>> =
                ours.iter().filter(|(_, t)| t.date == date).map(|(ix, _)| *ix).collect();
            transactions.extend(days.iter().filter(|(_, day)| **day == date).map(|(ix, _)| *ix));
            transactions.sort_unstable();
            return Some(Divergence { date, bank, ynab: bank - apart, rows, transactions });
        }
    }
    None
}
