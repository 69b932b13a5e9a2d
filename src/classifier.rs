//! Owns what the past says about a transaction's category.
//! Never lists what waits for one (that is `triage`) and never changes one.

pub mod merchant;

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::dates::{Date, days_between};
use crate::plan::{Category, Ix, Plan, Transaction};

/// The confidence a suggestion needs when the caller names none.
pub const THRESHOLD: f64 = 0.90;
/// How many categories are offered where none is suggested.
const CANDIDATES_MAX: usize = 3;

/// What is said of one transaction.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The category that is sure enough.
    pub suggestion: Option<Guess>,
    /// What the past offers when none is sure enough, with how many times.
    pub candidates: Vec<(Ix<Category>, usize)>,
}

/// A category and how sure it is.
#[derive(Clone, Debug)]
pub struct Guess {
    /// Which category.
    pub category: Ix<Category>,
    /// How often such evidence was right, 0 to 1, in hundredths.
    pub confidence: f64,
    /// The evidence in a few words.
    pub why: String,
}

/// A category a merchant had: which, how many times, and the last day.
type Had = (Ix<Category>, usize, Date);

/// What one plan's past teaches.
pub struct Classifier<'a> {
    plan: &'a Plan,
    threshold: f64,
    today: Date,
    /// Per merchant and direction of money, first met first.
    past: HashMap<(String, bool), Vec<Had>>,
}

impl<'a> Classifier<'a> {
    /// Learns from the plan's categorised transactions.
    pub fn learn(plan: &'a Plan, threshold: Option<f64>, today: Date) -> Self {
        let mut past: HashMap<(String, bool), Vec<Had>> = HashMap::new();
        for transaction in plan.live().filter(|t| !t.is_transfer() && !t.is_split()) {
            let assigned = transaction.category.filter(|&ix| plan.categories[ix].is_assignable());
            let (Some(category), Some(key)) = (assigned, key(plan, transaction)) else { continue };
            let counts = past.entry(key).or_default();
            match counts.iter_mut().find(|(known, ..)| *known == category) {
                Some((_, count, last)) => (*count, *last) = (*count + 1, (*last).max(transaction.date)),
                None => counts.push((category, 1, transaction.date)),
            }
        }
        Self { plan, threshold: threshold.unwrap_or(THRESHOLD), today, past }
    }

    /// What the past says of that transaction; nothing of a split.
    pub fn judge(&self, transaction: &Transaction) -> Verdict {
        let key = key(self.plan, transaction).filter(|_| !transaction.is_split());
        let Some(counts) = key.and_then(|key| self.past.get(&key)) else { return Verdict::default() };
        let mut ranked = counts.clone();
        ranked.sort_by_key(|&(category, count, last)| (Reverse((count, last)), category));
        let Some(&(category, count, last)) = ranked.first() else { return Verdict::default() };
        let total: usize = ranked.iter().map(|(_, count, _)| count).sum();
        // One more that went wrong is assumed, so that a single example is never certain.
        let confidence = (count as f64 / (total + 1) as f64 * 100.0).round() / 100.0;
        if confidence >= self.threshold {
            let days = days_between(last, self.today).max(0);
            let why = format!("{count} of {total} like it, last {days} days ago");
            return Verdict { suggestion: Some(Guess { category, confidence, why }), candidates: Vec::new() };
        }
        let candidates = ranked.into_iter().take(CANDIDATES_MAX).map(|(category, count, _)| (category, count));
        Verdict { suggestion: None, candidates: candidates.collect() }
    }
}

/// The merchant and the direction of money.
fn key(plan: &Plan, transaction: &Transaction) -> Option<(String, bool)> {
    let merchant = merchant::merchant(plan.payee_name(transaction.payee));
    (!merchant.is_empty()).then(|| (merchant, transaction.amount.is_negative()))
}
