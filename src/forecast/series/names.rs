//! Owns who is who among a plan's payees: which labels are one merchant's, in the words of this plan.
//! Never looks at days or amounts.

use std::collections::BTreeMap;

use super::Move;
use crate::classifier::past::Past;
use crate::classifier::words::Word;
use crate::plan::{Account, Ix, Payee, Plan};

/// How much less telling a word may be than the label's best to be taken for its rarity.
const NEARLY: f64 = 0.12;

/// A word that tells the same so often names a merchant.
const TELLING: f64 = 0.6;

/// The words of a plan's labels and what they tell.
pub struct Names {
    past: Past,
}

/// What makes payments one merchant's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    /// The account outside that they go to.
    Account(Ix<Account>),
    /// A word they share.
    Word(Word),
    /// A label that says nothing.
    Payee(Option<Ix<Payee>>),
}

impl Names {
    /// Reads the labels of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut past = Past::of(plan);
        past.pass_until(i32::MAX);
        Self { past }
    }

    /// The words of a payment's label.
    pub fn words(&self, one: &Move) -> &[Word] {
        self.past.words.get(one.payee)
    }

    /// The places of the moves that may belong together, one merchant and one direction each, oldest first.
    pub fn groups(&self, moves: &[Move]) -> Vec<Vec<usize>> {
        let mut times: Vec<u32> = vec![0; self.past.words.count()];
        for word in moves.iter().flat_map(|one| self.words(one)) {
            times[*word as usize] += 1;
        }
        let mut groups: BTreeMap<(bool, Who), Vec<usize>> = BTreeMap::new();
        for (at, one) in moves.iter().enumerate() {
            let who = one.other.map_or_else(|| self.who(one, &times), Who::Account);
            groups.entry((one.amount.is_negative(), who)).or_default().push(at);
        }
        groups.into_values().collect()
    }

    /// The rarest of the words that tell about as much as the one that tells most. A number names nobody where a word
    /// tells as much: the day of a yearly bill comes back with it.
    fn who(&self, one: &Move, times: &[u32]) -> Who {
        let words = self.words(one);
        let agreement = |word: Word| self.past.agreement(word, one.amount.is_negative());
        let repeated = || words.iter().copied().filter(|word| times[*word as usize] > 1);
        let most = repeated().map(agreement).fold(0.0, f64::max);
        let telling = repeated().filter(|word| agreement(*word) >= most - NEARLY);
        let rank = |word: &Word| (self.past.words.is_number(*word), times[*word as usize], *word);
        telling.min_by_key(rank).map_or(Who::Payee(one.payee), Who::Word)
    }

    /// Whether a schedule's payee names who a payment went to: it is that payee, or half of its words or more are in the
    /// label and one of them is a merchant's.
    pub fn is_named(&self, payee: Option<Ix<Payee>>, one: &Move) -> bool {
        if payee.is_some() && payee == one.payee {
            return true;
        }
        let (own, label) = (self.past.words.get(payee), self.words(one));
        let shared: Vec<Word> = own.iter().copied().filter(|word| label.binary_search(word).is_ok()).collect();
        let tells = |word: &Word| self.past.agreement(*word, one.amount.is_negative()) >= TELLING;
        shared.len() * 2 >= own.len() && shared.iter().any(tells)
    }
}
