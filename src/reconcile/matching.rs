//! Owns the pairing of a statement's rows with YNAB's transactions: one to one, then one against several, then doubts.
//! Never needs a payee to agree: it only decides between pairs that amount and day leave open.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::statement::Row;
use crate::dates::{Date, add_days, day_number};
use crate::money::{Currency, Milliunits};
use crate::plan::{Account, Cleared, Ix, Plan, STARTING_BALANCE, Transaction};

mod assign;
mod doubts;
mod groups;
mod likeness;
mod offsets;

use likeness::Likeness;
use offsets::{Costs, Offsets};

/// How many weekdays a bank may book before or after YNAB's day.
const WEEKDAYS_MAX: i32 = 5;
/// How far from the statement's days transactions are looked at, in days.
const FAR_DAYS: i64 = 31;

/// How a match came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Same amount, same day.
    Exact,
    /// Same amount, another day.
    Date,
    /// One against several.
    Group,
}

/// Rows and transactions that are the same payment.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Places in the rows given, in order.
    pub rows: Vec<usize>,
    /// The transactions, in order of their days.
    pub transactions: Vec<Ix<Transaction>>,
    /// How they were found.
    pub kind: Kind,
}

/// A row that may be a transaction, with another amount or day.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// The place of the row.
    pub row: usize,
    /// The transaction it may be.
    pub transaction: Ix<Transaction>,
    /// What differs, for people.
    pub why: String,
}

/// What pairing found.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// Matches, by their first row.
    pub pairs: Vec<Pair>,
    /// Rows that YNAB does not have.
    pub missing_rows: Vec<usize>,
    /// Transactions of the period that the statement does not have.
    pub missing_transactions: Vec<Ix<Transaction>>,
    /// Rows that are likely a transaction with another amount or day.
    pub doubts: Vec<Doubt>,
    /// Transactions that are likely one payment entered twice.
    pub duplicates: Vec<Vec<Ix<Transaction>>>,
}

/// Rows and transactions that may be each other's.
#[derive(Default)]
struct Bunch {
    rows: Vec<usize>,
    ours: Vec<usize>,
}

/// One row or transaction as pairing sees it.
struct Item {
    day: i32,
    amount: Milliunits,
    /// Whether the bank is known to have shown it already.
    shown: bool,
}

/// Pairs the rows with the account's transactions; `period` is what the statement covers.
pub fn pair(plan: &Plan, account: Ix<Account>, rows: &[Row], period: (Date, Date)) -> Matching {
    let near = (add_days(period.0, -FAR_DAYS), add_days(period.1, FAR_DAYS));
    let is_near = |t: &Transaction| t.account == account && !t.deleted && (near.0..=near.1).contains(&t.date);
    let mut places: Vec<Ix<Transaction>> =
        plan.transactions.enumerate().filter(|(_, t)| is_near(t)).map(|(ix, _)| ix).collect();
    places.sort_by_key(|ix| plan.transactions[*ix].date);
    let theirs: Vec<Item> =
        rows.iter().map(|row| Item { day: day_number(row.date), amount: row.amount, shown: true }).collect();
    let ours: Vec<Item> = places
        .iter()
        .map(|ix| &plan.transactions[*ix])
        .map(|t| Item { day: day_number(t.date), amount: t.amount, shown: t.cleared != Cleared::Uncleared })
        .collect();
    let labels = rows.iter().map(|row| format!("{} {}", row.payee, row.memo));
    let names = places.iter().map(|ix| plan.payee_name(plan.transactions[*ix].payee));
    let mut sides = Sides {
        plan,
        places: &places,
        likeness: Likeness::new(labels, names),
        partner: vec![None; theirs.len()],
        taken: vec![false; ours.len()],
        costs: Offsets::new().costs(),
        start: places.iter().position(|ix| is_start(plan, &plan.transactions[*ix])),
        theirs,
        ours,
    };
    sides.one_to_one();
    let mut pairs = sides.pairs();
    pairs.extend(sides.one_to_several(&plan.currency));
    pairs.sort_by_key(|pair| pair.rows.first().copied());
    let doubts = sides.doubts();
    let duplicates = sides.duplicates(period);
    let doubted: HashSet<usize> = doubts.iter().map(|doubt| doubt.row).collect();
    let free = |at: &usize| !sides.is_paired(*at) && !doubted.contains(at);
    let missing_rows = (0..rows.len()).filter(free).collect();
    let missing_transactions = sides.missing(period);
    Matching { pairs, missing_rows, missing_transactions, doubts, duplicates }
}

/// The two sides on the table, and what has been paired so far.
struct Sides<'a> {
    plan: &'a Plan,
    places: &'a [Ix<Transaction>],
    theirs: Vec<Item>,
    ours: Vec<Item>,
    likeness: Likeness,
    /// For each row, the transaction it is paired with one to one; of a group, any.
    partner: Vec<Option<usize>>,
    taken: Vec<bool>,
    /// What the days between cost.
    costs: Costs,
    /// The balance the account started with in YNAB, where it is near.
    start: Option<usize>,
}

impl<'a> Sides<'a> {
    fn is_paired(&self, row: usize) -> bool {
        self.partner.get(row).is_some_and(Option::is_some)
    }

    fn transaction(&self, at: usize) -> Option<&'a Transaction> {
        self.places.get(at).map(|ix| &self.plan.transactions[*ix])
    }

    /// Equal amounts in bunches of near days, each bunch paired at the least cost.
    fn one_to_one(&mut self) {
        let mut by_amount: HashMap<Milliunits, Bunch> = HashMap::new();
        for (at, item) in self.theirs.iter().enumerate() {
            by_amount.entry(item.amount).or_default().rows.push(at);
        }
        for (at, item) in self.ours.iter().enumerate() {
            if let Some(bunch) = by_amount.get_mut(&item.amount) {
                bunch.ours.push(at);
            }
        }
        let mut bunches: Vec<Bunch> = by_amount.into_values().flat_map(|bunch| self.split(bunch)).collect();
        // Pairs without a rival come first: they teach how late this bank books, and which payee a label stands for.
        bunches.sort_by_key(|bunch| (bunch.rows.len() * bunch.ours.len(), bunch.rows.first().copied()));
        let mut offsets = Offsets::new();
        let alone = bunches.partition_point(|bunch| bunch.rows.len() * bunch.ours.len() == 1);
        for (at, Bunch { rows, ours }) in bunches.into_iter().enumerate() {
            if at == alone {
                self.costs = offsets.costs();
            }
            for (row, our) in self.assign(&rows, &ours) {
                if at < alone {
                    self.likeness.learn(row, our);
                    offsets.learn(self.late(row, our));
                }
                self.take(row, our);
            }
        }
    }

    /// How many days after YNAB's the bank's day is.
    fn late(&self, row: usize, our: usize) -> i32 {
        self.theirs.get(row).map_or(0, |item| item.day) - self.ours.get(our).map_or(0, |item| item.day)
    }

    fn take(&mut self, row: usize, our: usize) {
        if let (Some(partner), Some(taken)) = (self.partner.get_mut(row), self.taken.get_mut(our)) {
            (*partner, *taken) = (Some(our), true);
        }
    }

    /// Splits rows and transactions of one amount where more than the window lies between two days.
    fn split(&self, bunch: Bunch) -> Vec<Bunch> {
        let day = |(theirs, at): &(bool, usize)| {
            let side = if *theirs { &self.theirs } else { &self.ours };
            side.get(*at).map_or(0, |item| item.day)
        };
        let mut all: Vec<(bool, usize)> = bunch.rows.into_iter().map(|at| (true, at)).collect();
        all.extend(bunch.ours.into_iter().map(|at| (false, at)));
        all.sort_by_key(|entry| (day(entry), entry.1));
        let mut bunches: Vec<Bunch> = Vec::new();
        let mut before = None;
        for entry in all {
            let today = day(&entry);
            if before.is_none_or(|before| weekdays(before, today) > WEEKDAYS_MAX) {
                bunches.push(Bunch::default());
            }
            before = Some(today);
            if let Some(bunch) = bunches.last_mut() {
                if entry.0 { bunch.rows.push(entry.1) } else { bunch.ours.push(entry.1) }
            }
        }
        bunches.retain(|bunch| !bunch.rows.is_empty() && !bunch.ours.is_empty());
        bunches
    }

    /// The pairs of one bunch.
    fn assign(&self, rows: &[usize], ours: &[usize]) -> Vec<(usize, usize)> {
        let cost = |row: usize, our: usize| self.cost(row, our);
        let day_of = |side: &[Item], at: usize| side.get(at).map_or(0, |item| item.day);
        assign::cheapest(rows, ours, &cost, &|row| day_of(&self.theirs, row), &|our| day_of(&self.ours, our))
    }

    /// What pairing the two costs; `None` when the days are too far apart.
    fn cost(&self, row: usize, our: usize) -> Option<i64> {
        let (theirs, ours) = (self.theirs.get(row)?, self.ours.get(our)?);
        if weekdays(theirs.day, ours.day) > WEEKDAYS_MAX {
            return None;
        }
        // A starting balance is no payment of the bank's, unless it is the very first one.
        let start = self.transaction(our).is_some_and(|t| is_start(self.plan, t));
        if start && theirs.day != ours.day {
            return None;
        }
        let late = self.late(row, our);
        // Of two pairings that are as likely, the one that leaves no pair far apart.
        let far = i64::from(late * late) / 5;
        Some(self.costs.of(late)? + far + self.likeness.strangeness(row, our) + i64::from(!ours.shown))
    }

    fn pairs(&self) -> Vec<Pair> {
        let pair = |(row, our): (usize, &Option<usize>)| {
            let our = (*our)?;
            let same_day = self.theirs.get(row)?.day == self.ours.get(our)?.day;
            let kind = if same_day { Kind::Exact } else { Kind::Date };
            Some(Pair { rows: vec![row], transactions: vec![*self.places.get(our)?], kind })
        };
        self.partner.iter().enumerate().filter_map(pair).collect()
    }

    fn one_to_several(&mut self, currency: &Currency) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for one_row in [true, false] {
            let rows: Vec<usize> = (0..self.theirs.len()).filter(|at| !self.is_paired(*at)).collect();
            let ours: Vec<usize> = (0..self.ours.len())
                .filter(|at| self.taken.get(*at) == Some(&false))
                .filter(|at| self.transaction(*at).is_some_and(|t| !is_start(self.plan, t)))
                .collect();
            let alike = |row: usize, our: usize| self.likeness.is_alike(row, our);
            let found = if one_row {
                groups::find((&rows, &self.theirs), (&ours, &self.ours), currency, &|row, our| alike(row, our))
            } else {
                groups::find((&ours, &self.ours), (&rows, &self.theirs), currency, &|our, row| alike(row, our))
            };
            for (one, several) in found {
                let (rows, ours) = if one_row { (vec![one], several) } else { (several, vec![one]) };
                for row in &rows {
                    ours.iter().for_each(|our| self.take(*row, *our));
                }
                let transactions = ours.iter().filter_map(|at| self.places.get(*at).copied()).collect();
                pairs.push(Pair { rows, transactions, kind: Kind::Group });
            }
        }
        pairs
    }

    /// The transactions of the period that are neither paired nor doubted nor the account's start.
    fn missing(&self, period: (Date, Date)) -> Vec<Ix<Transaction>> {
        let missing = |(at, ix): (usize, &Ix<Transaction>)| {
            let t = &self.plan.transactions[*ix];
            let within = (period.0..=period.1).contains(&t.date);
            (within && self.taken.get(at) == Some(&false) && !is_start(self.plan, t)).then_some(*ix)
        };
        self.places.iter().enumerate().filter_map(missing).collect()
    }
}

/// Whether it is the balance an account started with in YNAB.
pub(super) fn is_start(plan: &Plan, t: &Transaction) -> bool {
    plan.payee_name(t.payee) == STARTING_BALANCE
}

/// How many weekdays lie between two days, given as numbers.
fn weekdays(a: i32, b: i32) -> i32 {
    // Day 0 was a Thursday; counted from the Monday before it.
    let until = |day: i32| {
        let from_monday = day + 3;
        from_monday.div_euclid(7) * 5 + (from_monday.rem_euclid(7) + 1).min(5)
    };
    (until(a) - until(b)).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekend_is_no_distance() {
        let day = |d: i8| day_number(jiff::civil::date(2026, 1, d));
        // 2026-01-02 is a Friday.
        assert_eq!(weekdays(day(2), day(5)), 1);
        assert_eq!(weekdays(day(3), day(5)), 1);
        assert_eq!(weekdays(day(2), day(9)), 5);
        assert_eq!(weekdays(day(9), day(2)), 5);
        assert_eq!(weekdays(day(5), day(5)), 0);
    }
}
