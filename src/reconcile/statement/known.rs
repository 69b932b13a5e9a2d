//! Owns what YNAB's rows of an account say about a statement: which amounts it knows, on which days.
//! Never pairs rows; it only weighs how well a reading fits.

use std::collections::HashMap;

use super::{Row, Sheet};
use crate::dates::{Date, day_number};
use crate::money::{Currency, Milliunits};
use crate::plan::{Account, Ix, Plan};

/// How far a row may be from YNAB's day to speak for a reading, in days.
const NEAR_DAYS: i32 = 3;
/// The least span of history a coincidence is measured against, in days.
const SPAN_MIN: i32 = 365;

/// What YNAB knows of an account.
#[derive(Clone, Debug)]
pub struct Known {
    /// Days on which each amount occurs, in order.
    days: HashMap<Milliunits, Vec<i32>>,
    span: i32,
    /// Whether what the account holds is owed.
    pub(super) debt: bool,
    /// Its balance in YNAB.
    pub(super) balance: Milliunits,
    /// The plan's currency.
    pub(super) currency: Currency,
    /// The day of the call.
    pub(super) today: Date,
}

impl Known {
    /// What the plan knows of the account.
    pub fn new(plan: &Plan, account: Ix<Account>, today: Date) -> Self {
        let mut days: HashMap<Milliunits, Vec<i32>> = HashMap::new();
        let (mut first, mut last) = (i32::MAX, i32::MIN);
        for t in plan.live().filter(|t| t.account == account) {
            let day = day_number(t.date);
            (first, last) = (first.min(day), last.max(day));
            days.entry(t.amount).or_default().push(day);
        }
        for known in days.values_mut() {
            known.sort_unstable();
        }
        let held = &plan.accounts[account];
        Self {
            days,
            span: last.saturating_sub(first).max(SPAN_MIN),
            debt: held.kind.is_debt(),
            balance: held.balance,
            currency: plan.currency.clone(),
            today,
        }
    }

    /// An account of which YNAB knows nothing.
    #[cfg(test)]
    pub(super) fn nothing(today: Date) -> Self {
        let currency = Currency::default();
        Self { days: HashMap::new(), span: SPAN_MIN, debt: false, balance: Milliunits::ZERO, currency, today }
    }

    /// A balance as YNAB signs it: of a debt that YNAB has below zero, a bank may write what is owed as positive.
    pub(super) fn as_owed(&self, balance: Milliunits) -> Milliunits {
        if self.debt && self.balance.is_negative() && balance.is_positive() { -balance } else { balance }
    }

    /// Whether YNAB has that amount on that very day.
    pub(super) fn has(&self, amount: Milliunits, date: Date) -> bool {
        self.days.get(&amount).is_some_and(|days| days.binary_search(&day_number(date)).is_ok())
    }

    fn has_near(&self, row: &Row) -> Option<usize> {
        let (days, day) = (self.days.get(&row.amount)?, day_number(row.date));
        let at = days.partition_point(|known| *known < day - NEAR_DAYS);
        (*days.get(at)? <= day + NEAR_DAYS).then_some(days.len())
    }

    /// How strongly YNAB's rows speak for these, in bits: the rarer an amount is, the less likely a coincidence.
    pub(super) fn evidence(&self, sheet: &Sheet) -> f64 {
        let mut used: HashMap<Milliunits, usize> = HashMap::new();
        let mut bits = 0.0;
        for row in &sheet.rows {
            let Some(known) = self.has_near(row).filter(|_| !row.amount.is_zero()) else { continue };
            let taken = used.entry(row.amount).or_default();
            if *taken < known {
                *taken += 1;
                let odds = f64::from(self.span) / (f64::from(2 * NEAR_DAYS + 1) * known as f64);
                bits += libm::log2(odds.max(1.1));
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::plan::AccountKind;

    #[test]
    fn an_amount_is_near_within_three_days_either_way() {
        let mut book = Book::new();
        let account = book.account("Bank", AccountKind::Checking, true);
        book.pay("2026-01-10", account, "Shop", None, -1_000);
        let known = Known::new(&book.plan, account, day("2026-02-01"));
        let near = |date: &str| {
            let amount = Milliunits::new(-1_000);
            let (payee, memo) = ("".into(), "".into());
            let row = Row { number: 1, date: day(date), other_date: None, amount, payee, memo, balance: None };
            known.has_near(&row).is_some()
        };
        let days = ["2026-01-06", "2026-01-07", "2026-01-10", "2026-01-13", "2026-01-14"];
        assert_eq!(days.map(near), [false, true, true, true, false]);
    }
}
