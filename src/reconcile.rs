//! Owns the comparison of an account with what its bank says: a balance here, a whole statement in `statement`.
//! Never changes a plan: it says what differs and what could be marked or created.

use std::collections::HashMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::classifier::merchant::merchant;
use crate::dates::{Date, add_days, days_between};
use crate::ids::{AccountId, TransactionId};
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Cleared, Ix, Plan, Transaction};
use crate::text::safe;

pub mod application;
#[cfg(test)]
mod cases;
pub mod comparison;
#[cfg(test)]
mod desk;
pub mod divergence;
#[cfg(test)]
mod laws;
pub mod matching;
mod sets;
pub mod statement;
#[cfg(test)]
#[path = "../tests/bench/statements_year.rs"]
mod year;

/// The names here say what they are: no more words are listed of them.
pub(crate) fn unworded(schema: &mut Schema) {
    schema.remove("description");
    for (_, field) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        field.as_object_mut().into_iter().for_each(|field| field.retain(|name, _| name != "description"));
    }
}

/// How many rows each list of an analysis holds at most.
const LISTED_MAX: usize = 50;
/// How many combinations are listed at most.
const SETS_MAX: usize = 20;
/// How many of the uncleared transactions, oldest first, are combined.
const COMBINED_MAX: usize = 100;
/// How far apart two likely duplicates may be, in days.
const DUPLICATE_DAYS: i64 = 3;
/// How far back likely duplicates are looked for, in days.
const LOOKBACK_DAYS: i64 = 60;

/// An account compared with the bank's balance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Analysis {
    /// The account.
    pub account_id: AccountId,
    /// As given.
    pub bank_balance: Amount,
    /// YNAB's own, reconciled included.
    pub cleared_balance: Amount,
    /// YNAB's own, uncleared included.
    pub working_balance: Amount,
    /// Bank minus cleared.
    pub difference: Amount,
    /// Cleared, not yet reconciled.
    pub to_reconcile_count: usize,
    /// All of them.
    pub uncleared_count: usize,
    /// Oldest 50. Untrusted bank text.
    pub uncleared: Vec<Listed>,
    /// Uncleared ones equal to the difference.
    pub explained_by: Vec<TransactionId>,
    /// 2 to 4 uncleared ones that add up to it.
    pub explained_by_sets: Vec<Vec<TransactionId>>,
    /// Same amount and merchant within 3 days.
    pub possible_duplicates: Vec<[TransactionId; 2]>,
    /// What the cleared transactions add up to; differs from `cleared_balance` when the plan read is not whole.
    #[serde(skip)]
    #[schemars(skip)]
    pub cleared_by_transactions: Milliunits,
}

/// A transaction in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = unworded)]
pub struct Listed {
    /// Its id.
    pub transaction_id: TransactionId,
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Spending is negative.
    pub amount: Amount,
    /// Untrusted bank text.
    pub payee: String,
}

impl Analysis {
    /// Whether the bank has exactly what YNAB counts as cleared.
    pub fn is_even(&self) -> bool {
        self.difference.0.is_zero()
    }

    /// Whether YNAB's cleared balance is what its transactions add up to; nothing may be adjusted when it is not.
    pub fn is_sound(&self) -> bool {
        self.cleared_balance.0 == self.cleared_by_transactions
    }
}

/// Compares YNAB's own cleared balance with the bank's, and looks for what may explain the difference.
pub fn analyse(plan: &Plan, account: Ix<Account>, bank_balance: Milliunits, today: Date) -> Analysis {
    let held = &plan.accounts[account];
    let live = in_order(plan, account);
    let cleared = |t: &Transaction| t.cleared != Cleared::Uncleared;
    let uncleared: Vec<&Transaction> = live.iter().copied().filter(|t| !cleared(t)).collect();
    let difference = bank_balance - held.cleared;
    let since = add_days(today, -LOOKBACK_DAYS);
    Analysis {
        account_id: held.id.clone(),
        bank_balance: bank_balance.into(),
        cleared_balance: held.cleared.into(),
        working_balance: held.balance.into(),
        difference: difference.into(),
        to_reconcile_count: live.iter().filter(|t| t.cleared == Cleared::Cleared).count(),
        uncleared_count: uncleared.len(),
        uncleared: uncleared.iter().take(LISTED_MAX).map(|t| listed(plan, t)).collect(),
        explained_by: uncleared
            .iter()
            .filter(|t| !difference.is_zero() && t.amount == difference)
            .take(LISTED_MAX)
            .map(|t| t.id.clone())
            .collect(),
        explained_by_sets: explaining_sets(&uncleared, difference),
        possible_duplicates: duplicates(plan, live.iter().copied().filter(|t| t.date >= since)),
        cleared_by_transactions: live.iter().filter(|t| cleared(t)).map(|t| t.amount).sum(),
    }
}

/// What reconciling would mark: the account's live transactions that are cleared and not yet reconciled.
pub fn to_reconcile(plan: &Plan, account: Ix<Account>) -> Vec<Ix<Transaction>> {
    let waits = |t: &Transaction| t.account == account && !t.deleted && t.cleared == Cleared::Cleared;
    plan.transactions.enumerate().filter(|(_, t)| waits(t)).map(|(ix, _)| ix).collect()
}

/// The account's live transactions, oldest first.
fn in_order(plan: &Plan, account: Ix<Account>) -> Vec<&Transaction> {
    let mut live: Vec<&Transaction> = plan.live().filter(|t| t.account == account).collect();
    live.sort_by_key(|t| t.date);
    live
}

fn listed(plan: &Plan, t: &Transaction) -> Listed {
    let payee = safe(plan.payee_name(t.payee)).into_owned();
    Listed { transaction_id: t.id.clone(), date: t.date, amount: t.amount.into(), payee }
}

fn explaining_sets(uncleared: &[&Transaction], difference: Milliunits) -> Vec<Vec<TransactionId>> {
    if difference.is_zero() {
        return Vec::new();
    }
    let combined = &uncleared[..uncleared.len().min(COMBINED_MAX)];
    let amounts: Vec<Milliunits> = combined.iter().map(|t| t.amount).collect();
    let ids = |set: Vec<usize>| set.into_iter().filter_map(|at| combined.get(at)).map(|t| t.id.clone()).collect();
    sets::adding_up(&amounts, difference, SETS_MAX).into_iter().map(ids).collect()
}

/// Pairs of the same amount and merchant a few days apart, in the order given (oldest first).
fn duplicates<'a>(plan: &Plan, rows: impl Iterator<Item = &'a Transaction>) -> Vec<[TransactionId; 2]> {
    let mut alike: HashMap<(Milliunits, String), Vec<(usize, &Transaction)>> = HashMap::new();
    for (at, row) in rows.enumerate() {
        alike.entry((row.amount, merchant(plan.payee_name(row.payee)))).or_default().push((at, row));
    }
    let mut pairs = Vec::new();
    for group in alike.values() {
        for (first, rest) in group.iter().zip(1..).map(|(row, next)| (row, &group[next..])) {
            let near = |(_, row): &&(usize, &Transaction)| days_between(first.1.date, row.date) <= DUPLICATE_DAYS;
            pairs.extend(rest.iter().take_while(near).take(LISTED_MAX).map(|second| (first, second)));
        }
    }
    pairs.sort_by_key(|(first, second)| (first.0, second.0));
    pairs.truncate(LISTED_MAX);
    pairs.into_iter().map(|(first, second)| [first.1.id.clone(), second.1.id.clone()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;

    fn account(plan: &Plan, name: &str) -> Ix<Account> {
        plan.accounts.enumerate().find(|(_, a)| &*a.name == name).map(|(ix, _)| ix).expect("the account")
    }

    fn recorded(name: &str, bank_balance: i64) -> Analysis {
        let corpus = corpus(name);
        let plan = &corpus.plans[0];
        analyse(plan, account(plan, "Everyday account"), Milliunits::new(bank_balance), corpus.today)
    }

    #[test]
    fn an_even_account_as_recorded() {
        let even = recorded("household", 4_113_847);
        assert!(even.is_even() && even.is_sound());
        assert_eq!(even.working_balance.0, Milliunits::new(3_291_007));
        assert_eq!((even.to_reconcile_count, even.uncleared_count, even.uncleared.len()), (78, 20, 20));
        assert_eq!(even.uncleared[0].transaction_id.as_str(), "75ec098d-836c-55b3-9d95-188cf40193d4");
        assert_eq!(even.uncleared[3].date.to_string(), "2026-03-13");
        assert!(even.explained_by.is_empty() && even.explained_by_sets.is_empty());
        assert_eq!(even.possible_duplicates.len(), 11);
        let first = even.possible_duplicates[0].each_ref().map(TransactionId::as_str);
        assert_eq!(first, ["abed176a-74ab-5196-b4a9-b39bf939e8bf", "5aa01b0e-0aa2-51c8-8ccb-5fcc334c313f"]);
        assert_eq!(recorded("yen", 261_517_000).possible_duplicates.len(), 8);
    }

    #[test]
    fn a_difference_is_explained_by_the_uncleared_ones_equal_to_it() {
        let twin = recorded("household", 4_080_517);
        assert_eq!(twin.difference.0, Milliunits::new(-33_330));
        let ids: Vec<&str> = twin.explained_by.iter().map(TransactionId::as_str).collect();
        assert_eq!(ids, ["75ec098d-836c-55b3-9d95-188cf40193d4", "e7b0b721-125c-5187-b810-9acaee8e32b4"]);
    }

    #[test]
    fn a_difference_of_both_twins_is_explained_by_the_pair() {
        let both = recorded("household", 4_113_847 - 66_660);
        assert!(both.explained_by.is_empty());
        let first: Vec<&str> = both.explained_by_sets[0].iter().map(TransactionId::as_str).collect();
        assert_eq!(first, ["75ec098d-836c-55b3-9d95-188cf40193d4", "e7b0b721-125c-5187-b810-9acaee8e32b4"]);
        let plan = &corpus("household").plans[0];
        for set in &both.explained_by_sets {
            let sum: Milliunits = set.iter().filter_map(|id| plan.transactions.get(id)).map(|t| t.amount).sum();
            assert_eq!(sum, both.difference.0);
        }
    }

    #[test]
    fn ynabs_own_cleared_balance_is_the_truth_and_a_disagreement_is_told() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let everyday = account(plan, "Everyday account");
        plan.accounts.at_mut(everyday).cleared += Milliunits::new(5_000);
        let odd = analyse(plan, everyday, Milliunits::new(4_118_847), corpus.today);
        assert!(odd.is_even() && !odd.is_sound());
        assert_eq!(odd.cleared_by_transactions, Milliunits::new(4_113_847));
    }

    #[test]
    fn what_is_to_reconcile_is_live_cleared_and_of_the_account() {
        let plan = &corpus("household").plans[0];
        let everyday = account(plan, "Everyday account");
        let rows = to_reconcile(plan, everyday);
        assert_eq!(rows.len(), 78);
        assert!(
            rows.iter()
                .map(|ix| &plan.transactions[*ix])
                .all(|t| { t.account == everyday && !t.deleted && t.cleared == Cleared::Cleared })
        );
    }
}
