//! Owns the search for transfers that a bank import brought in as two transactions.
//! Never links them: only YNAB can.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::dates::day_number;
use crate::plan::{Account, Ix, Plan, Transaction};

/// How many days may lie between the two halves.
const DAYS_MAX: i32 = 3;

/// Incoming money of one amount that is still single: by day, then by account, first come first.
type Incoming = BTreeMap<i32, BTreeMap<Ix<Account>, VecDeque<Ix<Transaction>>>>;

/// Each half of a likely transfer with its other half: opposite amounts on different accounts, at most [`DAYS_MAX`]
/// days apart. The nearest dates are paired first; of two as near, the one where money arrives after it left.
pub fn likely_transfers(plan: &Plan, waiting: &[Ix<Transaction>]) -> HashMap<Ix<Transaction>, Ix<Transaction>> {
    let mut incoming: HashMap<i64, Incoming> = HashMap::new();
    let mut outgoing = Vec::new();
    for &ix in waiting.iter().rev() {
        let transaction = &plan.transactions[ix];
        let (amount, day) = (transaction.amount, day_number(transaction.date));
        if amount.is_zero() || transaction.is_split() {
            continue;
        } else if amount.is_negative() {
            outgoing.push((day, ix));
        } else {
            let same_day = incoming.entry(amount.get()).or_default().entry(day).or_default();
            same_day.entry(transaction.account).or_default().push_back(ix);
        }
    }
    let mut pairs = HashMap::new();
    for distance in 0..=DAYS_MAX {
        outgoing.retain(|&(day, out)| {
            let transaction = &plan.transactions[out];
            let Some(incoming) = incoming.get_mut(&transaction.amount.abs().get()) else { return false };
            let days = [day + distance, day - distance];
            let found = days.into_iter().find_map(|day| take(incoming.get_mut(&day)?, transaction.account));
            if let Some(other) = found {
                pairs.insert(out, other);
                pairs.insert(other, out);
            }
            found.is_none()
        });
    }
    pairs
}

/// The first of that day on another account, no longer single.
fn take(
    same_day: &mut BTreeMap<Ix<Account>, VecDeque<Ix<Transaction>>>,
    account: Ix<Account>,
) -> Option<Ix<Transaction>> {
    let others = same_day.iter_mut().filter(|(other, queue)| **other != account && !queue.is_empty());
    others.min_by_key(|(_, queue)| queue.front().copied()).and_then(|(_, queue)| queue.pop_front())
}
