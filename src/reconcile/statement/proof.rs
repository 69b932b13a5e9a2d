//! Owns the choice between readings: what the balances, the calendar, the file's order and YNAB's rows prove.
//! Never takes an unproved reading when another is left; it gives them all back.

use std::collections::{HashMap, HashSet};

use super::{Candidate, Format, Known, Possible, Proof, READINGS_MAX, ReadAs, Reading, Row, Sheet, Statement};
use crate::dates::{Date, days_between};
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;

/// How many bits more than another reading YNAB's rows must give: a thousand to one.
const BITS_MIN: f64 = 10.0;
/// How far after today no row is dated, in days.
const FAR_DAYS: i64 = 366;
/// How far after today a booked row may be dated.
const AHEAD_DAYS: i64 = 7;

/// How the running balances follow the amounts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chain {
    /// Steps from one balance to the next.
    pub(super) links: usize,
    /// Steps that the amounts explain.
    pub(super) held: usize,
    /// The balance before the first row.
    pub(super) opening: Milliunits,
    /// The balance after the last.
    pub(super) closing: Milliunits,
    /// Whether the file goes from old to new.
    forwards: bool,
}

impl Chain {
    /// The share of the steps that the amounts explain; none without a step.
    pub(super) fn share(&self) -> f64 {
        if self.links == 0 { 0.0 } else { self.held as f64 / self.links as f64 }
    }
}

/// The chain of the rows' balances, in the file's order or against it; `None` without a balance. Days in order say which:
/// a column of balances before each row would hold the other way round, with every sign inverted.
pub(super) fn chain(rows: &[Row]) -> Option<Chain> {
    let (first, last) = (rows.first()?.date, rows.last()?.date);
    let oldest_first = first < last && rows.is_sorted_by_key(|row| row.date);
    let newest_first = first > last && rows.is_sorted_by(|a, b| a.date >= b.date);
    let forwards = follow(rows.iter(), true)?;
    let backwards = follow(rows.iter().rev(), false)?;
    let best = match backwards.held.cmp(&forwards.held) {
        _ if oldest_first => forwards,
        _ if newest_first => backwards,
        std::cmp::Ordering::Greater => backwards,
        std::cmp::Ordering::Equal if first > last => backwards,
        _ => forwards,
    };
    Some(shuffled(rows).filter(|any| any.held > best.held).unwrap_or(best))
}

fn follow<'a>(rows: impl Iterator<Item = &'a Row>, forwards: bool) -> Option<Chain> {
    let (mut sum, mut before): (i128, Option<i128>) = (0, None);
    let mut chain: Option<Chain> = None;
    for row in rows {
        sum += row.amount.wide();
        let Some(balance) = row.balance else { continue };
        let base = balance.wide() - sum;
        let chain = chain.get_or_insert(Chain {
            links: 0,
            held: 0,
            opening: Milliunits::from_wide(base),
            closing: balance,
            forwards,
        });
        if let Some(before) = before.replace(base) {
            chain.links += 1;
            chain.held += usize::from(before == base);
        }
    }
    let (chain, base) = (chain.as_mut()?, before?);
    chain.closing = Milliunits::from_wide(base + sum);
    Some(*chain)
}

/// The chain whatever the order of the rows: each balance but the last is the start of another row.
fn shuffled(rows: &[Row]) -> Option<Chain> {
    let mut open: HashMap<i128, i64> = HashMap::new();
    for row in rows {
        let balance = row.balance?.wide();
        *open.entry(balance).or_default() += 1;
        *open.entry(balance - row.amount.wide()).or_default() -= 1;
    }
    let ends: Vec<(i128, i64)> = open.into_iter().filter(|(_, count)| *count != 0).collect();
    let (closing, opening) = match ends.as_slice() {
        [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => (*a, *b),
        _ => return None,
    };
    let (first, last) = (rows.iter().map(|row| row.date).min()?, rows.iter().map(|row| row.date).max()?);
    let ends = |row: &Row| row.date == last && row.balance.is_some_and(|balance| balance.wide() == closing);
    let starts =
        |row: &Row| row.date == first && row.balance.is_some_and(|balance| (balance - row.amount).wide() == opening);
    if !rows.iter().any(ends) || !rows.iter().any(starts) {
        return None;
    }
    let links = rows.len().saturating_sub(1);
    let (opening, closing) = (Milliunits::from_wide(opening), Milliunits::from_wide(closing));
    Some(Chain { links, held: links, opening, closing, forwards: true })
}

/// Where the running balances move by something that no row explains, and by how much.
pub(in crate::reconcile) fn breaks(rows: &[Row]) -> Vec<(Date, Milliunits)> {
    let Some(chain) = chain(rows).filter(|chain| chain.held < chain.links && chain.held * 2 >= chain.links) else {
        return Vec::new();
    };
    let mut order: Vec<&Row> = rows.iter().collect();
    if !chain.forwards {
        order.reverse();
    }
    let (mut sum, mut before, mut found) = (Milliunits::ZERO, None, Vec::new());
    for row in order {
        sum += row.amount;
        let Some(balance) = row.balance else { continue };
        let base = balance - sum;
        if let Some(before) = before.replace(base).filter(|before| *before != base) {
            found.push((row.date, base - before));
        }
    }
    found
}

/// How far the file's own balances hold: from 0 to 1, `None` when it has none to tell.
fn inside(sheet: &Sheet) -> Option<f64> {
    let chain = chain(&sheet.rows).filter(|chain| chain.links > 0).map(|chain| chain.share());
    let ends = sheet.opening.zip(sheet.closing);
    let sum = ends.map(|(opening, closing)| if opening.amount + sheet.sum() == closing.amount { 1.0 } else { 0.0 });
    chain.or(sum.filter(|_| !sheet.rows.is_empty()))
}

/// Whether the rows stand in the order of their days, one way or the other.
fn is_in_order(sheet: &Sheet) -> bool {
    let days: Vec<Date> = sheet.rows.iter().map(|row| row.date).collect();
    days.is_sorted() || days.is_sorted_by(|a, b| a >= b)
}

fn is_told(read: &ReadAs, told: &ReadAs) -> bool {
    fn agrees<T: PartialEq>(read: &Option<T>, told: &Option<T>) -> bool {
        told.is_none() || read.is_none() || read == told
    }
    agrees(&read.account, &told.account)
        && agrees(&read.date_order, &told.date_order)
        && agrees(&read.decimal_mark, &told.decimal_mark)
        && agrees(&read.sign, &told.sign)
}

/// Keeps the candidates that pass, among those of one account, where any does.
fn prefer(candidates: &mut Vec<Candidate>, passes: impl Fn(&Candidate) -> bool) {
    let passed: Vec<Option<String>> =
        candidates.iter().filter(|c| passes(c)).map(|c| c.read_as.account.clone()).collect();
    candidates.retain(|c| passes(c) || !passed.contains(&c.read_as.account));
}

/// One reading where something decides, else all that remain possible.
pub(super) fn settle(
    format: Format,
    mut candidates: Vec<Candidate>,
    told: &ReadAs,
    known: &Known,
) -> Result<Reading, Refusal> {
    candidates.retain(|c| is_told(&c.read_as, told));
    if candidates.is_empty() {
        return Err(refuse!(
            "The {} file cannot be read that way. Leave `read_as` out to see how it can.",
            format.name()
        ));
    }
    if told.sign.is_some() {
        candidates.iter_mut().for_each(|c| c.likely = true);
    }
    let whole = |c: &Candidate| c.sheet.rows.iter().all(|row| known.currency.holds(row.amount));
    prefer(&mut candidates, whole);
    // A currency without a smaller coin writes no decimals.
    if known.currency.decimals == Some(0) {
        let largest = |c: &Candidate| -> i128 { c.sheet.rows.iter().map(|row| row.amount.wide().abs()).sum() };
        let most = candidates.iter().map(largest).max().unwrap_or_default();
        prefer(&mut candidates, |c| largest(c) == most);
    }
    // A year that has not come is one of another calendar.
    let far = |c: &Candidate| {
        c.sheet.rows.iter().map(|row| row.date).find(|date| days_between(known.today, *date) > FAR_DAYS)
    };
    if let Some(far) = candidates.iter().map(far).min().flatten() {
        return Err(refuse!(
            "The {} file's rows lie in the year {}. Export it with the usual years.",
            format.name(),
            far.year()
        ));
    }
    let past = |c: &Candidate| c.sheet.rows.iter().all(|row| days_between(known.today, row.date) <= AHEAD_DAYS);
    prefer(&mut candidates, past);
    let recent = |c: &Candidate| {
        c.sheet.rows.iter().all(|row| (-12 * 366..=AHEAD_DAYS).contains(&days_between(known.today, row.date)))
    };
    prefer(&mut candidates, recent);
    let held: Vec<Option<f64>> = candidates.iter().map(|c| inside(&c.sheet)).collect();
    let best = held.iter().flatten().copied().fold(0.0, f64::max);
    if best >= 0.6 {
        prefer(&mut candidates, |c| inside(&c.sheet).is_some_and(|share| share >= best - 0.2));
    }
    prefer(&mut candidates, |c| is_in_order(&c.sheet));
    let bits: Vec<f64> = candidates.iter().map(|c| known.evidence(&c.sheet)).collect();
    let most = bits.iter().copied().fold(0.0, f64::max);
    let mut left: Vec<(Candidate, f64)> = candidates.into_iter().zip(bits).collect();
    let all = left.len();
    left.retain(|(_, bits)| bits + BITS_MIN > most);
    let by_rows = left.len() < all;
    if left.iter().any(|(candidate, _)| candidate.likely) {
        left.retain(|(candidate, _)| candidate.likely);
    }
    let mut alone: Vec<(Candidate, f64)> = Vec::new();
    for (candidate, bits) in left {
        match alone.iter_mut().find(|(other, _)| other.sheet == candidate.sheet) {
            Some((other, _)) => other.read_as.forget_what_differs(&candidate.read_as),
            None => alone.push((candidate, bits)),
        }
    }
    if alone.len() > 1 {
        alone.truncate(READINGS_MAX);
        return Ok(open(format, alone.into_iter().map(|(candidate, _)| candidate).collect()));
    }
    let Some((Candidate { read_as, mut sheet, .. }, bits)) = alone.pop() else {
        return Err(refuse!("The {} file cannot be read.", format.name()));
    };
    let proof = match inside(&sheet) {
        Some(share) if share >= 0.99 => Proof::Balances,
        _ if by_rows || bits >= BITS_MIN => Proof::Rows,
        _ if *told != ReadAs::default() => Proof::Told,
        _ => Proof::File,
    };
    take_value_days(&mut sheet, known);
    take_hidden_fees(&mut sheet);
    Ok(Reading::Settled(Box::new(Statement { format, read_as, sheet, proof })))
}

/// The question that is left: each reading, with a row that the readings tell apart.
fn open(format: Format, left: Vec<Candidate>) -> Reading {
    let row = |candidate: &Candidate, at: usize| candidate.sheet.rows.get(at).map(|row| (row.date, row.amount));
    let count = left.iter().map(|candidate| candidate.sheet.rows.len()).max().unwrap_or_default();
    let differs =
        |at: &usize| left.windows(2).any(|two| two.iter().map(|c| row(c, *at)).collect::<HashSet<_>>().len() > 1);
    let at = (0..count).find(differs).unwrap_or_default();
    let example = |candidate: Candidate| Possible { example: row(&candidate, at), read_as: candidate.read_as };
    Reading::Open { format, row: at + 1, readings: left.into_iter().map(example).collect() }
}

impl ReadAs {
    /// What two equal readings differ in did not matter.
    fn forget_what_differs(&mut self, other: &Self) {
        if self.decimal_mark != other.decimal_mark {
            self.decimal_mark = None;
        }
        if self.sign != other.sign {
            self.sign = None;
        }
    }
}

/// The other day of the file counts when it alone agrees with YNAB throughout.
fn take_value_days(sheet: &mut Sheet, known: &Known) {
    let (mut other_only, mut apart) = (0, false);
    for row in &sheet.rows {
        let Some(other) = row.other_date else { continue };
        match (known.has(row.amount, row.date), known.has(row.amount, other)) {
            (false, true) => other_only += 1,
            (true, false) => apart = true,
            _ => {}
        }
    }
    if other_only >= 2 && !apart {
        for row in &mut sheet.rows {
            if let Some(other) = row.other_date {
                (row.date, row.other_date) = (other, Some(row.date));
            }
        }
    }
}

/// A fee that only the running balance shows belongs to the row it was taken with: the balance falls by a little more
/// than the amount. Nothing is changed when any step is off in another way.
fn take_hidden_fees(sheet: &mut Sheet) {
    let Some(chain) = chain(&sheet.rows).filter(|chain| chain.held < chain.links && chain.held * 2 >= chain.links)
    else {
        return;
    };
    let mut order: Vec<usize> = (0..sheet.rows.len()).collect();
    if !chain.forwards {
        order.reverse();
    }
    let mut fees = Vec::new();
    let mut before: Option<Milliunits> = None;
    for at in order {
        let Some(row) = sheet.rows.get(at) else { continue };
        // Without a balance at each row it is not known which one a fee was taken with.
        let Some(balance) = row.balance else { return };
        let fee = before.map_or(Milliunits::ZERO, |before| before + row.amount - balance);
        let taken = fee.is_positive() && row.amount.is_negative() && fee < row.amount.abs();
        if !(fee.is_zero() || taken) {
            return;
        }
        fees.push((at, fee));
        before = Some(balance);
    }
    for (at, fee) in fees {
        if let Some(row) = sheet.rows.get_mut(at) {
            row.amount -= fee;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn rows(cells: &[(i64, Option<i64>)]) -> Vec<Row> {
        let row = |(at, (amount, balance)): (usize, &(i64, Option<i64>))| Row {
            number: at + 1,
            date: date(2026, 1, 5),
            other_date: None,
            amount: Milliunits::new(*amount),
            payee: "".into(),
            memo: "".into(),
            balance: balance.map(Milliunits::new),
        };
        cells.iter().enumerate().map(row).collect()
    }

    #[test]
    fn balances_are_followed_in_any_order() {
        let ends = |cells: &[(i64, Option<i64>)]| {
            let chain = chain(&rows(cells)).expect("a chain");
            (chain.share(), chain.opening.get(), chain.closing.get())
        };
        assert_eq!(ends(&[(-10, Some(90)), (-20, Some(70)), (5, Some(75))]), (1.0, 100, 75));
        assert_eq!(ends(&[(5, Some(75)), (-20, Some(70)), (-10, Some(90))]), (1.0, 100, 75));
        assert_eq!(ends(&[(-20, Some(70)), (-10, Some(90)), (5, Some(75))]), (1.0, 100, 75));
        assert_eq!(ends(&[(-10, None), (-20, Some(70)), (5, None), (1, Some(76))]), (1.0, 100, 76));
    }

    #[test]
    fn rows_that_fit_both_ways_are_read_by_their_days() {
        let mut both = rows(&[(5, Some(75)), (-5, Some(70))]);
        let ends = |rows: &[Row]| chain(rows).map(|chain| (chain.opening.get(), chain.closing.get()));
        assert_eq!(ends(&both), Some((70, 70)));
        both[0].date = date(2026, 1, 6);
        assert_eq!(ends(&both), Some((75, 75)), "newest first");
        both[0].date = date(2026, 1, 4);
        assert_eq!(ends(&both), Some((70, 70)), "oldest first");
        let mut inverted = rows(&[(-10, Some(90)), (-20, Some(70)), (5, Some(75))]);
        inverted.iter_mut().zip([7, 6, 5]).for_each(|(row, day)| row.date = date(2026, 1, day));
        assert_eq!(
            chain(&inverted).map(|chain| chain.share()),
            Some(0.0),
            "newest first, though it holds the other way"
        );
    }

    #[test]
    fn what_is_no_fee_changes_no_row() {
        // More on an inflow, less on an outflow, more than the amount.
        for last in [(50, Some(119)), (-20, Some(51)), (-1, Some(67))] {
            let cells = [(-10, Some(90)), (-20, Some(70)), last];
            let mut sheet = Sheet { rows: rows(&cells), ..Sheet::default() };
            take_hidden_fees(&mut sheet);
            assert_eq!(sheet.rows, rows(&cells));
        }
    }

    #[test]
    fn a_fee_that_only_the_balance_shows_belongs_to_its_row() {
        let mut sheet = Sheet {
            rows: rows(&[(-10, Some(90)), (-20, Some(69)), (5, Some(74)), (-4, Some(70))]),
            ..Sheet::default()
        };
        take_hidden_fees(&mut sheet);
        assert_eq!(sheet.rows.iter().map(|row| row.amount.get()).collect::<Vec<_>>(), [-10, -21, 5, -4]);
    }
}
