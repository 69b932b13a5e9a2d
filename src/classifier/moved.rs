//! Owns the search for categories that were given up for another: what had the one is taken to have the other.
//! Never guesses from one shop: several must have moved, and the old category must be out of use.

use std::collections::BTreeMap;

use super::past::Past;
use super::words::Word;
use crate::plan::{Category, Ix};

/// The least agreement of a word that can stand for a shop.
const AGREEMENT_MIN: f64 = 0.6;
/// The share the new category needs of what the shops of the old one had since, in percent.
const SHARE_MIN: usize = 85;
/// The most it may have had of what they had before: else nothing changed, they always had both.
const BEFORE_MAX: usize = 15;
/// The least payments, and shops, that must have moved.
const PAYMENTS_MIN: usize = 3;
const SHOPS_MIN: usize = 2;
/// The old category's uses since, next to what its pace made expect: at most this share of at least that many.
const USES_LEFT: f64 = 0.12;
const USES_EXPECTED_MIN: f64 = 3.0;

/// A payment at a shop that first had some category.
struct Since {
    day: i32,
    category: Ix<Category>,
    shop: Word,
}

/// The category that took another's place.
#[derive(Clone, Copy, Debug)]
pub struct Heir {
    /// Which.
    pub category: Ix<Category>,
    /// The first day it had it.
    pub since: i32,
}

/// Each category that was given up, with its heir, in a past that has passed.
pub fn find(past: &Past) -> BTreeMap<Ix<Category>, Heir> {
    let last_day = past.payments.last().map_or(0, |payment| payment.facts.day);
    let mut uses: BTreeMap<Ix<Category>, Vec<i32>> = BTreeMap::new();
    for payment in &past.payments {
        uses.entry(payment.category()).or_default().push(payment.facts.day);
    }
    let shops = by_first_category(past);
    let taken =
        |(old, since): (&Ix<Category>, &Vec<Since>)| Some((*old, became(*old, since, uses.get(old)?, last_day)?));
    shops.iter().filter_map(taken).collect()
}

/// The payments at each shop, by the category that the shop had first.
fn by_first_category(past: &Past) -> BTreeMap<Ix<Category>, Vec<Since>> {
    let mut first: Vec<[Option<Ix<Category>>; 2]> = vec![[None; 2]; past.words.count()];
    let mut shops: BTreeMap<Ix<Category>, Vec<Since>> = BTreeMap::new();
    for payment in &past.payments {
        let (facts, category) = (payment.facts, payment.category());
        let (words, side) = (past.words.get(facts.payee), usize::from(facts.money_out));
        let met = words.iter().copied().filter(|word| first[*word as usize][side].is_some());
        let agreement = |word: Word| past.agreement(word, facts.money_out);
        let shop = met.max_by(|a, b| agreement(*a).total_cmp(&agreement(*b)).then(b.cmp(a)));
        if let Some(shop) = shop.filter(|shop| agreement(*shop) >= AGREEMENT_MIN)
            && let Some(home) = first[shop as usize][side]
        {
            shops.entry(home).or_default().push(Since { day: facts.day, category, shop });
        }
        for word in words {
            first[*word as usize][side].get_or_insert(category);
        }
    }
    shops
}

/// What a category became: the longest end of its shops' payments in which one other has nearly all of them, that
/// had few of them before.
fn became(old: Ix<Category>, since: &[Since], uses: &[i32], last_day: i32) -> Option<Heir> {
    let mut before: BTreeMap<Ix<Category>, usize> = BTreeMap::new();
    since.iter().for_each(|one| *before.entry(one.category).or_default() += 1);
    let mut counts: BTreeMap<Ix<Category>, usize> = BTreeMap::new();
    let mut shops: Vec<Word> = Vec::new();
    let mut found = None;
    for (n, one) in since.iter().rev().enumerate() {
        *counts.entry(one.category).or_default() += 1;
        before.entry(one.category).and_modify(|count| *count -= 1);
        if one.category != old && shops.len() < SHOPS_MIN && !shops.contains(&one.shop) {
            shops.push(one.shop);
        }
        let most = counts.iter().max_by_key(|(_, count)| **count);
        let Some((&new, &count)) = most else { continue };
        let used = uses.partition_point(|day| *day < one.day);
        let after = (uses.len() - used) as f64;
        let first_use = uses.first().copied().unwrap_or(one.day);
        let expected = used as f64 * f64::from(last_day - one.day) / f64::from((one.day - first_use).max(30));
        let out_of_use = expected >= USES_EXPECTED_MIN && after <= USES_LEFT * expected;
        let enough = n + 1 >= PAYMENTS_MIN && shops.len() >= SHOPS_MIN && count * 100 >= (n + 1) * SHARE_MIN;
        let is_change = before[&new] * 100 <= (since.len() - n - 1) * BEFORE_MAX;
        if new != old && enough && out_of_use && is_change {
            found = Some(Heir { category: new, since: one.day });
        }
    }
    found
}
