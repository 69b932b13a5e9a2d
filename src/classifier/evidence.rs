//! Owns the weighing of what the past says of one payment: the payments most like it, and what they point to.
//! Never says how sure that makes it (that is `trust`).

use super::past::{Facts, Past};
use super::words::Word;
use crate::plan::{Category, Ix, Plan};

/// How many of the latest payments with a word are looked at.
const LATEST: usize = 60;
/// What each payment more lets count of those before it, by view.
const DECAYS: Views = [0.9, 0.5, 0.8, 0.8];
/// What the view from further away counts, in payments, when a nearer one is taken: of doubt itself, then of the
/// long run, of every account, of every amount.
const DOUBT: f64 = 0.3;
const AFAR: f64 = 1.0;
/// How far apart amounts are no longer near: a natural logarithm.
const NEAR_AMOUNT: f64 = 0.35;
/// What a payment of another account counts among the near ones.
const OTHER_ACCOUNT: f64 = 0.4;
/// From which likeness on two labels are the same, or alike.
const SAME: f64 = 0.9;
const ALIKE: f64 = 0.5;
/// How alike a label is at least that is all within this one: a name, and a bank's words around it.
const WITHIN: f64 = 0.92;
/// How much less a word may tell than the one that tells most, to be taken for its rarity.
const NEARLY: f64 = 0.12;
/// How many of the latest payments with a word say whether their labels are all within this one.
const ASKED_WITHIN: usize = 10;
/// The furthest an amount is told to be.
const FAR_AMOUNT: f64 = 2.0;

/// A category that past payments point to.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    /// Which.
    pub category: Ix<Category>,
    /// Its share of what they point to, 0 to 1.
    pub share: f64,
    /// How many of them had it.
    pub count: usize,
}

/// What the past says of one payment.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The categories it points to and that can still be given, strongest first; never empty.
    pub leads: Vec<Lead>,
    /// How many payments like it were found.
    pub alike: usize,
    /// How many of them have the same label but for numbers, worthless words and what stands around a name.
    pub same: usize,
    /// How alike the most alike label is.
    pub likeness: f64,
    /// What the words weigh that only one of this label and that one has.
    pub strangeness: f64,
    /// Whether the latest payment of the same label had the first category: 1 or 0, between them when there is none.
    pub latest_agrees: f64,
    /// How often the word they share told the same twice.
    pub agreement: f64,
    /// How far the nearest amount is that had the first category.
    pub amount_distance: f64,
    /// The last day the first category was given to one of them, and how many years before that is.
    pub last_day: i32,
    /// See above.
    pub years: f64,
    /// Whether it is money that came back from where it went.
    pub refund: bool,
    /// How odd the first category is for this account: 0 or less.
    pub account_oddness: f64,
}

/// What the past says of such a payment, or nothing when it knows no word of its label. Money in from where only
/// money went is looked at as money that came back.
pub fn gather(plan: &Plan, past: &Past, facts: Facts) -> Option<Evidence> {
    let words = past.words.get(facts.payee);
    let is_known = |money_out| words.iter().all(|word| !past.with(*word, money_out).is_empty());
    if !facts.money_out && !is_known(false) && is_known(true) {
        let found = gather_one_way(plan, past, Facts { money_out: true, ..facts })?;
        return Some(Evidence { refund: true, ..found });
    }
    gather_one_way(plan, past, facts)
}

/// Weights of one category, or of all: in the long run, lately, from the same account, of near amounts.
type Views = [f64; 4];

fn gather_one_way(plan: &Plan, past: &Past, facts: Facts) -> Option<Evidence> {
    let words = past.words.get(facts.payee);
    let (shared, agreement) = telling_word(past, words, facts.money_out)?;
    let own_weight: f64 = words.iter().map(|word| past.weight(*word, facts.money_out)).sum();
    let with = past.with(shared, facts.money_out);
    let latest = &with[with.len().saturating_sub(LATEST)..];

    let mut found: Vec<(Lead, Views)> = Vec::new();
    let (mut all, mut left): (Views, Views) = ([0.0; 4], [1.0; 4]);
    let mut likenesses = Vec::with_capacity(latest.len());
    for &at in latest.iter().rev() {
        let payment = &past.payments[at as usize];
        let likeness = if payment.facts.payee == facts.payee {
            1.0
        } else {
            likeness(past, words, own_weight, past.words.get(payment.facts.payee), facts.money_out)
        };
        likenesses.push(likeness);
        let weight = likeness * likeness;
        let same_account = payment.facts.account == facts.account;
        let distance = (payment.facts.size - facts.size) / NEAR_AMOUNT;
        let closeness = libm::exp(-0.5 * distance * distance) * if same_account { 1.0 } else { OTHER_ACCOUNT };
        // Each view has its own newest payments: a payment that does not belong to it makes none of them older.
        let mut views = [weight, weight, if same_account { weight } else { 0.0 }, weight * closeness];
        for ((view, left), decay) in views.iter_mut().zip(&mut left).zip(DECAYS) {
            let belongs = *view;
            *view *= *left;
            *left *= 1.0 - (1.0 - decay) * belongs;
        }
        add(&mut all, &views, 1.0);
        for &(category, part) in &payment.shares {
            let place = found.iter().position(|(lead, _)| lead.category == category).unwrap_or_else(|| {
                found.push((Lead { category, share: 0.0, count: 0 }, [0.0; 4]));
                found.len() - 1
            });
            let (lead, sums) = &mut found[place];
            lead.count += usize::from(category == payment.category());
            add(sums, &views, part);
        }
    }
    let can_be_given = |(lead, _): &(Lead, Views)| plan.categories[lead.category].is_assignable();
    let weighed = |(lead, sums): (Lead, Views)| Lead { share: share(&sums, &all), ..lead };
    let mut leads: Vec<Lead> = found.into_iter().filter(can_be_given).map(weighed).collect();
    leads.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.category.cmp(&b.category)));
    let first = leads.first()?.category;

    let newest_first = || latest.iter().rev().map(|&at| &past.payments[at as usize]).zip(&likenesses);
    let of_first = || newest_first().filter(|(payment, _)| payment.category() == first);
    let distances =
        of_first().filter(|(_, likeness)| **likeness > ALIKE).map(|(p, _)| (p.facts.size - facts.size).abs());
    let latest = newest_first().find(|(_, likeness)| **likeness > SAME);
    let nearest = newest_first().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (nearest_words, likeness) =
        nearest.map_or((&[][..], 0.0), |(payment, likeness)| (past.words.get(payment.facts.payee), *likeness));
    let last_day = of_first().next().map_or(facts.day, |(payment, _)| payment.facts.day);
    Some(Evidence {
        alike: likenesses.len(),
        same: likenesses.iter().filter(|likeness| **likeness > SAME).count(),
        likeness,
        strangeness: strangeness(past, words, nearest_words, facts.money_out),
        latest_agrees: latest.map_or(0.5, |(payment, _)| f64::from(u8::from(payment.category() == first))),
        agreement,
        amount_distance: distances.fold(FAR_AMOUNT, f64::min),
        last_day,
        years: f64::from((facts.day - last_day).max(0)) / 365.0,
        refund: false,
        account_oddness: past.oddness_of_account(first, facts.account),
        leads,
    })
}

/// The word that tells most, and how often it told the same twice: where a word of the label was never met, from one
/// label to another, unless the labels it was met in are all within this one. Of words nearly as telling, the rarest.
fn telling_word(past: &Past, words: &[Word], money_out: bool) -> Option<(Word, f64)> {
    let times = |word: Word| past.with(word, money_out).len();
    let has_unmet = words.iter().any(|word| times(*word) == 0);
    let agreement = |word: Word| {
        let agreement = past.agreement(word, money_out);
        if has_unmet {
            past.agreement_elsewhere(word, money_out).max(agreement * share_within(past, words, word, money_out))
        } else {
            agreement
        }
    };
    let met = words.iter().copied().filter(|word| times(*word) > 0);
    let ranked: Vec<(Word, f64)> = met.map(|word| (word, agreement(word))).collect();
    let most = ranked.iter().map(|(_, agreement)| *agreement).fold(0.0, f64::max);
    // What a bank writes around names may tell a lot by chance: the rarer word is the name.
    let telling = ranked.into_iter().filter(|(_, agreement)| *agreement >= most - NEARLY);
    telling.min_by_key(|(word, _)| (past.words.is_number(*word), times(*word), *word))
}

/// How many of the latest payments with that word have a label that is all within this one, 0 to 1.
fn share_within(past: &Past, words: &[Word], word: Word, money_out: bool) -> f64 {
    let with = past.with(word, money_out);
    let latest = &with[with.len().saturating_sub(ASKED_WITHIN)..];
    let labels = latest.iter().map(|&at| past.words.get(past.payments[at as usize].facts.payee));
    labels.filter(|label| is_within(label, words)).count() as f64 / latest.len().max(1) as f64
}

fn is_within(label: &[Word], words: &[Word]) -> bool {
    label.iter().all(|word| words.binary_search(word).is_ok())
}

/// The weight of the words two labels share, next to that of all their words.
fn likeness(past: &Past, words: &[Word], own_weight: f64, others: &[Word], money_out: bool) -> f64 {
    let (mut shared, mut all) = (0.0, own_weight);
    for word in others {
        let weight = past.weight(*word, money_out);
        if words.binary_search(word).is_ok() { shared += weight } else { all += weight }
    }
    let likeness = if all > 0.0 { shared / all } else { 0.0 };
    if is_within(others, words) { likeness.max(WITHIN) } else { likeness }
}

/// The weight of the words that only one of two labels has, but for numbers and what a bank writes around names: words
/// not met before that stand in several labels.
fn strangeness(past: &Past, words: &[Word], others: &[Word], money_out: bool) -> f64 {
    let is_bank = |word: Word| past.with(word, money_out).is_empty() && !past.words.is_alone(word);
    let only_in = |these: &[Word], those: &[Word]| -> f64 {
        let only = these.iter().copied().filter(|word| those.binary_search(word).is_err());
        let names = only.filter(|word| !past.words.is_number(*word) && !is_bank(*word));
        names.map(|word| past.weight(word, money_out)).sum()
    };
    only_in(words, others) + only_in(others, words)
}

fn add(sums: &mut Views, views: &Views, part: f64) {
    for (sum, view) in sums.iter_mut().zip(views) {
        *sum += view * part;
    }
}

/// A category's share, each nearer view leaning on the one before where it has little to say.
fn share(sums: &Views, all: &Views) -> f64 {
    let long_run = sums[0] / (all[0] + DOUBT);
    let nearer = sums[1..].iter().zip(&all[1..]);
    nearer.fold(long_run, |further, (sum, all)| (sum + AFAR * further) / (all + AFAR))
}
