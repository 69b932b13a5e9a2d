//! Owns how sure evidence makes: how often evidence of that kind was right, in general and then on this very plan.
//! Never gathers evidence.

use super::evidence::{Evidence, gather};
use super::past::Past;
use crate::plan::{Category, Ix, Plan};

/// How many of the latest payments are asked again, with only what was known before each.
const ASKED_AGAIN: usize = 1500;
/// How many days before a payment its past ends then: what waits for a category waits some time.
const WAIT_DAYS: i32 = 10;
/// What each guess more of a category lets count of those before it, when asking how they turned out lately, and how
/// many guesses outweigh that nothing is known of it.
const LATELY: f64 = 0.8;
const UNKNOWN: f64 = 0.5;
/// How many payments of this plan outweigh what holds for plans in general.
const GENERAL: f64 = 25.0;
/// The most that is ever told.
const CONFIDENCE_MAX: f64 = 0.99;
/// How much doubts are raised before they are told: a wrong category costs more than a right one brings.
const CAUTION: f64 = 1.7;
/// The part of its amount that a payment's category has, at least, for a guess to be right.
const MOST: f64 = 0.7;
/// Where one kind of evidence ends and a surer one begins, by its general chance of being right.
const KINDS: [f64; 9] = [0.5, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.985, 0.993];

/// How often each kind of evidence was right on one plan.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// By kind: how many, the sum of their general chances, how many were right.
    kinds: [(f64, f64, f64); KINDS.len() + 1],
    /// By category, of its latest guesses, each counted by its general chance: how many, and by how much more than that
    /// they were right. A category that others begin to take the place of is wrong where it never was.
    lately: Vec<(f64, f64)>,
}

/// A guess on a payment whose category is known.
struct Guessed {
    day: i32,
    category: Ix<Category>,
    chance: f64,
    right: f64,
}

impl Trust {
    /// Asks the plan's last payments again. On return everything has passed.
    pub fn learn(plan: &Plan, past: &mut Past) -> Self {
        let mut trust = Self { lately: vec![(0.0, 0.0); plan.categories.len()], ..Self::default() };
        let (mut guesses, mut known): (Vec<Guessed>, usize) = (Vec::new(), 0);
        for at in past.payments.len().saturating_sub(ASKED_AGAIN)..past.payments.len() {
            let facts = past.payments[at].facts;
            let until = facts.day - WAIT_DAYS;
            past.pass_until(until);
            while let Some(guess) = guesses.get(known).filter(|guess| guess.day <= until) {
                trust.see(guess);
                known += 1;
            }
            let Some(evidence) = gather(plan, past, facts) else { continue };
            let (truth, part) = past.payments[at].shares[0];
            let (category, chance) = (evidence.leads[0].category, trust.chance(&evidence));
            let right = f64::from(u8::from(category == truth && part >= MOST));
            let (count, chances, rights) = &mut trust.kinds[kind(chance)];
            (*count, *chances, *rights) = (*count + 1.0, *chances + chance, *rights + right);
            guesses.push(Guessed { day: facts.day, category, chance, right });
        }
        past.pass_until(i32::MAX);
        guesses[known..].iter().for_each(|guess| trust.see(guess));
        trust
    }

    /// Takes in how a guess turned out.
    fn see(&mut self, guess: &Guessed) {
        let (count, better) = &mut self.lately[guess.category.get()];
        let left = 1.0 - (1.0 - LATELY) * guess.chance;
        *count = *count * left + guess.chance;
        *better = *better * left + guess.chance * (guess.right - guess.chance);
    }

    /// How often such evidence was right, 0 to 1.
    pub fn confidence(&self, evidence: &Evidence) -> f64 {
        let chance = self.chance(evidence);
        let (count, sum, right) = self.kinds[kind(chance)];
        // What the plan has shown moves the general chance up or down, the more the more it has shown.
        let likely = (chance + (right - sum) / (count + GENERAL)).clamp(0.0, 1.0);
        (1.0 - (1.0 - likely) * CAUTION).clamp(0.0, CONFIDENCE_MAX)
    }

    /// How often such evidence is right in general: a logistic function of its [`Trust::signs`].
    fn chance(&self, evidence: &Evidence) -> f64 {
        let sum: f64 = self.signs(evidence).iter().zip(WEIGHTS).map(|(sign, weight)| sign * weight).sum();
        1.0 / (1.0 + libm::exp(-(sum + INTERCEPT)))
    }

    /// Of evidence, each one sign.
    pub fn signs(&self, evidence: &Evidence) -> Signs {
        let share = |place: usize| evidence.leads.get(place).map_or(0.0, |lead| lead.share);
        let (first, second) = (log_odds(share(0)), log_odds(share(1)));
        let same = libm::log(1.0 + evidence.same as f64);
        let (count, better) = self.lately[evidence.leads[0].category.get()];
        [
            first,
            first * second,
            same,
            first * same,
            evidence.agreement,
            evidence.amount_distance,
            evidence.years.min(2.0),
            evidence.account_oddness,
            evidence.strangeness.min(2.0),
            evidence.latest_agrees,
            better / (count + UNKNOWN),
        ]
    }
}

/// What makes evidence good or bad.
pub type Signs = [f64; 11];

/// Of each sign, found by logistic regression on invented lives (`cargo bench --bench measure -- fit`), never those of
/// the figures.
const WEIGHTS: Signs = [0.91, 0.10, -0.17, 0.17, 1.01, -0.35, -0.49, 1.29, -1.39, 0.65, 6.65];
const INTERCEPT: f64 = 0.18;

fn kind(chance: f64) -> usize {
    KINDS.partition_point(|limit| *limit <= chance)
}

fn log_odds(share: f64) -> f64 {
    let share = share.clamp(0.002, 0.998);
    libm::log(share / (1.0 - share))
}
