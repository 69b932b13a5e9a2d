//! Owns what the past says about a transaction's category.
//! Never lists what waits for one (that is `triage`) and never changes one.

mod evidence;
pub mod merchant;
mod moved;
pub mod past;
mod trust;
pub mod words;

use crate::dates::{Date, day_number};
use crate::plan::{Category, Ix, Plan, Transaction};
use evidence::{Evidence, Lead, gather};
use past::{Facts, Past};
use trust::{Signs, Trust};

/// The confidence a suggestion needs when the caller names none.
pub const THRESHOLD: f64 = 0.90;
/// How many categories are offered where none is suggested.
const CANDIDATES_MAX: usize = 3;
/// What share of the past must point to a category for it to be worth offering, and how far behind the first it may be.
const SHARE_MIN: f64 = 0.15;
const BEHIND_MAX: f64 = 3.0;
/// How alike a label must be for its categories to be worth offering.
const ALIKE_MIN: f64 = 0.4;

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

/// What one plan's past teaches.
pub struct Classifier<'a> {
    plan: &'a Plan,
    threshold: f64,
    today: i32,
    past: Past,
    trust: Trust,
}

impl<'a> Classifier<'a> {
    /// Learns from the plan's categorised transactions.
    pub fn learn(plan: &'a Plan, threshold: Option<f64>, today: Date) -> Self {
        let mut past = Past::of(plan);
        past.pass_until(i32::MAX);
        let heirs = moved::find(&past);
        let mut past = past.again(plan, &heirs);
        let trust = Trust::learn(plan, &mut past);
        Self { plan, threshold: threshold.unwrap_or(THRESHOLD), today: day_number(today), past, trust }
    }

    /// What the past says of that transaction; nothing of a split.
    pub fn judge(&self, transaction: &Transaction) -> Verdict {
        let facts = Some(Facts::of(transaction)).filter(|_| !transaction.is_split());
        let Some(evidence) = facts.and_then(|facts| gather(self.plan, &self.past, facts)) else {
            return Verdict::default();
        };
        let confidence = self.trust.confidence(&evidence);
        let category = evidence.leads[0].category;
        if confidence >= self.threshold && !self.past.is_heir_after(category, day_number(transaction.date)) {
            let confidence = (confidence * 100.0).floor() / 100.0;
            let guess = Guess { category, confidence, why: self.why(&evidence) };
            return Verdict { suggestion: Some(guess), candidates: Vec::new() };
        }
        let least = evidence.leads.first().map_or(0.0, |lead| lead.share / BEHIND_MAX).max(SHARE_MIN);
        let likely = |lead: &&Lead| evidence.likeness >= ALIKE_MIN && lead.count > 0 && lead.share >= least;
        let likely = evidence.leads.iter().filter(likely);
        let candidates = likely.take(CANDIDATES_MAX).map(|lead| (lead.category, lead.count)).collect();
        Verdict { suggestion: None, candidates }
    }

    /// The category the past points to and the signs of its evidence, from which their weights are fitted
    /// (`tests/bench/fit.rs`).
    pub fn signs(&self, transaction: &Transaction) -> Option<(Ix<Category>, Signs)> {
        let evidence = gather(self.plan, &self.past, Facts::of(transaction))?;
        Some((evidence.leads[0].category, self.trust.signs(&evidence)))
    }

    /// The evidence in a few words: `42 of 43 like it, last 12 days ago`.
    fn why(&self, evidence: &Evidence) -> String {
        let ago = match self.today - evidence.last_day {
            days if days <= 0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            days => format!("{days} days ago"),
        };
        let (count, alike) = (evidence.leads[0].count, evidence.alike);
        let kind = if evidence.refund { "paid where this comes from" } else { "like it" };
        format!("{count} of {alike} {kind}, last {ago}")
    }
}

#[cfg(test)]
mod tests;
