//! Owns how alike a bank's label and YNAB's payee are: by the words they share, rare words telling more.
//! Never decides that two are a pair; it only ranks them.

use std::collections::{HashMap, HashSet};

use crate::text::clean;

/// What a pair whose names share nothing costs; three days.
const STRANGE: f64 = 30.0;

/// The words of both sides.
pub(super) struct Likeness {
    rows: Vec<Vec<u32>>,
    names: Vec<Vec<u32>>,
    /// How much each word tells.
    weights: Vec<f64>,
    /// Labels and names that were seen together where nothing else was possible.
    learnt: HashSet<(u64, u64)>,
    row_keys: Vec<u64>,
    name_keys: Vec<u64>,
}

impl Likeness {
    /// The words of the bank's labels and of YNAB's payees.
    pub(super) fn new<'a>(labels: impl Iterator<Item = String>, names: impl Iterator<Item = &'a str>) -> Self {
        let (mut known, mut counts) = (HashMap::new(), Vec::new());
        let mut row_keys = Vec::new();
        let rows: Vec<Vec<u32>> = labels
            .map(|label| {
                let words = words(&label, &mut known, &mut counts);
                row_keys.push(key(&words));
                words
            })
            .collect();
        let mut name_keys = Vec::new();
        let names: Vec<Vec<u32>> = names
            .map(|name| {
                let words = words(name, &mut known, &mut counts);
                name_keys.push(key(&words));
                words
            })
            .collect();
        let all = (rows.len() + names.len()) as f64;
        let rareness = |count: &u32| libm::log((all + 1.0) / (f64::from(*count) + 0.5));
        let weights = counts.iter().map(|count| rareness(count).max(0.05)).collect();
        Self { rows, names, weights, learnt: HashSet::new(), row_keys, name_keys }
    }

    /// Remembers that this label stands for this payee.
    pub(super) fn learn(&mut self, row: usize, name: usize) {
        if let Some(keys) = self.keys(row, name) {
            self.learnt.insert(keys);
        }
    }

    fn keys(&self, row: usize, name: usize) -> Option<(u64, u64)> {
        Some((*self.row_keys.get(row)?, *self.name_keys.get(name)?)).filter(|(row, name)| *row != 0 && *name != 0)
    }

    /// From 0 (nothing in common) to 1 (the shorter is in the longer).
    fn share(&self, row: usize, name: usize) -> f64 {
        let (Some(a), Some(b)) = (self.rows.get(row), self.names.get(name)) else { return 0.0 };
        if self.keys(row, name).is_some_and(|keys| self.learnt.contains(&keys)) {
            return 1.0;
        }
        let weight = |words: &[u32]| -> f64 { words.iter().filter_map(|word| self.weights.get(*word as usize)).sum() };
        let shared: Vec<u32> = a.iter().filter(|word| b.contains(word)).copied().collect();
        let least = weight(a).min(weight(b));
        if least > 0.0 { weight(&shared) / least } else { 0.0 }
    }

    /// What pairing these two names costs.
    pub(super) fn strangeness(&self, row: usize, name: usize) -> i64 {
        (STRANGE * (1.0 - self.share(row, name))) as i64
    }

    /// Whether the two name the same.
    pub(super) fn is_alike(&self, row: usize, name: usize) -> bool {
        self.share(row, name) >= 0.5
    }

    /// Whether two of YNAB's payees name the same.
    pub(super) fn are_names_alike(&self, one: usize, other: usize) -> bool {
        let (Some(a), Some(b)) = (self.names.get(one), self.names.get(other)) else { return false };
        (a.is_empty() && b.is_empty()) || a.iter().any(|word| b.contains(word))
    }
}

/// The telling words of a text, each once, as numbers.
fn words(text: &str, known: &mut HashMap<String, u32>, counts: &mut Vec<u32>) -> Vec<u32> {
    let text = clean(text).to_uppercase();
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if word.chars().count() < 2 || digits * 2 > word.len() {
            continue;
        }
        let next = counts.len() as u32;
        let number = *known.entry(word.to_owned()).or_insert(next);
        if number == next {
            counts.push(0);
        }
        if !words.contains(&number) {
            words.push(number);
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        }
    }
    words
}

/// A number for a list of words; 0 for none.
fn key(words: &[u32]) -> u64 {
    words.iter().fold(0, |key: u64, word| key.wrapping_mul(1_000_003).wrapping_add(u64::from(*word) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_tell_more_and_what_was_seen_is_learnt() {
        let labels = ["CARTE 12/01 ALDI PARIS", "CARTE 13/01 LIDL PARIS", "PRLV EDF PARIS"].map(str::to_owned);
        let mut likeness = Likeness::new(labels.into_iter(), ["Aldi", "Lidl Paris", "Electricity"].into_iter());
        assert!(likeness.is_alike(0, 0) && likeness.is_alike(1, 1));
        assert!(!likeness.is_alike(0, 1) && !likeness.is_alike(2, 2));
        assert!(likeness.strangeness(0, 1) > likeness.strangeness(1, 1));
        likeness.learn(2, 2);
        assert_eq!(likeness.strangeness(2, 2), 0);
    }
}
