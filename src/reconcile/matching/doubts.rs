//! Owns what is likely but not certain: the same payment with another amount or day, and payments entered twice.
//! Never marks anything as matched.

use std::collections::HashMap;

use super::{Doubt, Sides, WEEKDAYS_MAX, is_start, weekdays};
use crate::dates::{Date, day_number};
use crate::money::Milliunits;
use crate::plan::{Cleared, Ix, Transaction};

/// How far apart two entries of one payment may be, in days.
const TWICE_DAYS: i32 = 5;
/// How far a transaction that waits for the bank may be from its row, in days.
const WAIT_DAYS: i32 = 31;
/// How many transactions near a row are looked at for another amount.
const LOOKED_AT_MAX: usize = 60;

impl Sides<'_> {
    /// Rows that are likely a transaction; each of both sides at most once, the likeliest first.
    pub(super) fn doubts(&mut self) -> Vec<Doubt> {
        let mut likely: Vec<(i64, usize, usize, String)> = Vec::new();
        let free: Vec<usize> = (0..self.ours.len()).filter(|at| self.taken.get(*at) == Some(&false)).collect();
        let mut by_amount: HashMap<Milliunits, Vec<usize>> = HashMap::new();
        for at in &free {
            if let Some(item) = self.ours.get(*at) {
                by_amount.entry(item.amount).or_default().push(*at);
            }
        }
        for row in (0..self.theirs.len()).filter(|row| !self.is_paired(*row)) {
            likely.extend(self.before_the_start(row));
            likely.extend(self.another_day(row, &by_amount));
            likely.extend(self.another_amount(row, &free));
        }
        likely.sort();
        let mut doubts = Vec::new();
        for (_, row, our, why) in likely {
            let start = self.transaction(our).is_some_and(|t| is_start(self.plan, t));
            if !self.is_paired(row) && (start || self.taken.get(our) == Some(&false)) {
                if !start {
                    self.take(row, our);
                } else if let Some(partner) = self.partner.get_mut(row) {
                    *partner = Some(our);
                }
                doubts.extend(self.places.get(our).map(|ix| Doubt { row, transaction: *ix, why }));
            }
        }
        doubts.sort_by_key(|doubt| doubt.row);
        doubts
    }

    /// A row older than the account's starting balance in YNAB is part of that balance.
    fn before_the_start(&self, row: usize) -> Option<(i64, usize, usize, String)> {
        let (day, start) = (self.theirs.get(row)?.day, self.start?);
        let (at, date) = (self.ours.get(start)?.day, self.transaction(start)?.date);
        (day < at).then(|| (0, row, start, format!("before the starting balance of {date} in YNAB")))
    }

    /// The same amount, too far away to be sure; the nearest one that the bank has not shown.
    fn another_day(
        &self,
        row: usize,
        by_amount: &HashMap<Milliunits, Vec<usize>>,
    ) -> Option<(i64, usize, usize, String)> {
        let theirs = self.theirs.get(row).filter(|item| !item.amount.is_zero())?;
        let same = by_amount.get(&theirs.amount)?;
        let apart = |at: &usize| self.ours.get(*at).map_or(i32::MAX, |item| (item.day - theirs.day).abs());
        let middle = same.partition_point(|at| self.ours.get(*at).is_some_and(|item| item.day < theirs.day));
        let near = same.iter().skip(middle.saturating_sub(LOOKED_AT_MAX / 2)).take(LOOKED_AT_MAX).copied();
        let near = near.filter(|at| self.transaction(*at).is_some_and(|t| !is_start(self.plan, t)));
        let our = near.min_by_key(apart)?;
        let waits = self.transaction(our)?.cleared == Cleared::Uncleared;
        let far = apart(&our);
        let believed =
            far <= WAIT_DAYS && (waits || far <= WAIT_DAYS / 2) && (waits || self.likeness.is_alike(row, our));
        let date = self.transaction(our)?.date;
        believed.then(|| (i64::from(far) * 10, row, our, format!("same amount, dated {date} in YNAB")))
    }

    /// Near days and either the same name with a near amount, or a slip of the pen.
    fn another_amount(&self, row: usize, free: &[usize]) -> Option<(i64, usize, usize, String)> {
        let theirs = self.theirs.get(row).filter(|item| !item.amount.is_zero())?;
        let day = |at: &usize| self.ours.get(*at).map_or(0, |item| item.day);
        let start = free.partition_point(|at| day(at) < theirs.day - 9);
        let near = free.iter().skip(start).take_while(|at| day(at) <= theirs.day + 9).take(LOOKED_AT_MAX);
        let near = near.filter(|at| weekdays(day(at), theirs.day) <= WEEKDAYS_MAX);
        let scored = near.filter_map(|at| {
            let ours = self.ours.get(*at)?;
            let t = self.transaction(*at)?;
            if is_start(self.plan, t) || ours.amount == theirs.amount || t.cleared == Cleared::Reconciled {
                return None;
            }
            let (alike, apart) = (self.likeness.is_alike(row, *at), i64::from((ours.day - theirs.day).abs()));
            let slip = is_slip(ours.amount, theirs.amount);
            let near_amount = alike && is_near(ours.amount, theirs.amount);
            (near_amount || (slip && (alike || apart <= 1))).then(|| {
                let score = 1_000 + apart * 10 + if alike { 0 } else { 50 };
                let amount = self.plan.currency.show(ours.amount);
                (score, row, *at, format!("{amount} on {} in YNAB", t.date))
            })
        });
        scored.min()
    }

    /// Transactions that the bank has once: one that is not at the bank beside one of the same amount a few days away.
    pub(super) fn duplicates(&self, period: (Date, Date)) -> Vec<Vec<Ix<Transaction>>> {
        let (from, to) = (day_number(period.0), day_number(period.1));
        let mut by_amount: HashMap<Milliunits, Vec<usize>> = HashMap::new();
        for (at, item) in self.ours.iter().enumerate().filter(|(_, item)| !item.amount.is_zero()) {
            by_amount.entry(item.amount).or_default().push(at);
        }
        let mut found = Vec::new();
        for (at, item) in self.ours.iter().enumerate() {
            if self.taken.get(at) == Some(&true) || !(from..=to).contains(&item.day) {
                continue;
            }
            let same = by_amount.get(&item.amount).map_or(&[][..], Vec::as_slice);
            let start =
                same.partition_point(|other| self.ours.get(*other).is_some_and(|o| o.day < item.day - TWICE_DAYS));
            let near = same
                .iter()
                .skip(start)
                .take_while(|other| self.ours.get(**other).is_some_and(|o| o.day <= item.day + TWICE_DAYS));
            // Its twin is the one that the bank has, else the one before it.
            let twin =
                near.take(LOOKED_AT_MAX).copied().filter(|other| *other != at && self.is_twice(at, *other)).min_by_key(
                    |other| {
                        (
                            self.taken.get(*other) != Some(&true),
                            (self.ours.get(*other).map_or(0, |o| o.day) - item.day).abs(),
                        )
                    },
                );
            if let Some(twin) = twin.filter(|twin| self.taken.get(*twin) == Some(&true) || *twin < at) {
                let mut both = [at, twin];
                both.sort_unstable();
                found.push(both.iter().filter_map(|at| self.places.get(*at).copied()).collect());
            }
        }
        found
    }

    /// Whether the two may be one payment: the same name, the same day, or one of them imported and the other not.
    fn is_twice(&self, one: usize, other: usize) -> bool {
        let (Some(a), Some(b)) = (self.transaction(one), self.transaction(other)) else { return false };
        if is_start(self.plan, a) || is_start(self.plan, b) {
            return false;
        }
        self.likeness.are_names_alike(one, other) || a.date == b.date || a.import_id.is_some() != b.import_id.is_some()
    }
}

/// Within a quarter of each other, and of one sign.
fn is_near(a: Milliunits, b: Milliunits) -> bool {
    let (a, b) = (a.wide(), b.wide());
    a.signum() == b.signum() && (a - b).abs() * 4 <= a.abs().max(b.abs())
}

/// What a hand gets wrong: the sign, the place of the decimal mark, or two neighbouring digits.
fn is_slip(a: Milliunits, b: Milliunits) -> bool {
    let (a, b) = (a.wide(), b.wide());
    if a == -b {
        return true;
    }
    if a.signum() != b.signum() {
        return false;
    }
    let (a, b) = (a.abs(), b.abs());
    let (small, large) = (a.min(b), a.max(b));
    if small > 0 && (large == small * 10 || large == small * 100) {
        return true;
    }
    let digits = |n: i128| format!("{n:015}").into_bytes();
    let (x, y) = (digits(a), digits(b));
    let differing: Vec<usize> = (0..x.len().min(y.len())).filter(|at| x.get(*at) != y.get(*at)).collect();
    matches!(differing.as_slice(), [p, q] if *q == *p + 1 && x.get(*p) == y.get(*q) && x.get(*q) == y.get(*p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen() {
        let slip = |a: i64, b: i64| is_slip(Milliunits::new(a), Milliunits::new(b));
        assert!(slip(-12_340, -13_240) && slip(-12_340, 12_340) && slip(-12_340, -123_400) && slip(-1_200, -120_000));
        assert!(!slip(-12_340, -12_440) && !slip(-12_340, -14_230) && !slip(-1_000, -2_000));
    }
}
