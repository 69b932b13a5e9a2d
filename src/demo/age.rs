//! Owns the Age of Money: how long money was held before it was spent, the oldest spent first.
//! Never counts cards, nor what stays within the budget.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use crate::dates::{Date, Month, add_days, day_number};
use crate::money::Milliunits;

/// How many payments the figure is an average of.
const PAYMENTS: usize = 10;

/// Cash in and out by day, money in first; each with how often it happened.
pub(super) type Flows = BTreeMap<(Date, Reverse<Milliunits>), u32>;

/// The age at the end of each month, or today; `None` before the tenth payment and after today's month.
pub(super) fn of_money(flows: &Flows, months: &[Month], today: Date) -> BTreeMap<Month, Option<i64>> {
    let mut purse = Purse::default();
    let mut flows = flows.iter().flat_map(|(flow, count)| std::iter::repeat_n(flow, *count as usize)).peekable();
    let mut ages = BTreeMap::new();
    for month in months {
        let end = month.add(1).first().min(add_days(today, 1));
        while let Some((day, Reverse(amount))) = flows.next_if(|(day, _)| *day < end) {
            purse.take(day_number(*day), *amount);
        }
        ages.insert(*month, purse.age().filter(|_| *month <= Month::of(today)));
    }
    ages
}

/// Money held, and how old what was last spent was.
#[derive(Default)]
struct Purse {
    /// The day it came, and how much of it is left.
    held: VecDeque<(i32, i64)>,
    /// The age of the money of the last payments, in days.
    recent: VecDeque<f64>,
}

impl Purse {
    fn take(&mut self, day: i32, amount: Milliunits) {
        if amount.is_positive() {
            self.held.push_back((day, amount.get()));
            return;
        }
        let (mut left, mut days, mut spent) = (amount.abs().get(), 0_i128, 0_i64);
        while left > 0 {
            let Some((came, rest)) = self.held.front_mut() else { break };
            let used = left.min(*rest);
            days += i128::from(used) * i128::from(day - *came);
            spent += used;
            left -= used;
            *rest -= used;
            if *rest == 0 {
                self.held.pop_front();
            }
        }
        if self.recent.len() == PAYMENTS {
            self.recent.pop_front();
        }
        self.recent.push_back(if spent > 0 { days as f64 / spent as f64 } else { 0.0 });
    }

    fn age(&self) -> Option<i64> {
        let sum: f64 = self.recent.iter().sum();
        (self.recent.len() == PAYMENTS).then(|| (sum / PAYMENTS as f64).round_ties_even() as i64)
    }
}
