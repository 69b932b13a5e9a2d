//! Owns how labels are taken apart: the words of every payee of a plan, words that always stand together as one.
//! Never knows a language, a bank or a country: a word's worth is what this plan's own history says of it.

use std::collections::HashMap;

use crate::plan::{Ix, Payee, Plan};

/// A word, or several that always stand together.
pub type Word = u32;

/// The words of every payee, each list sorted.
pub struct Words {
    starts: Vec<u32>,
    words: Vec<Word>,
    /// By word: whether it has a digit, each of them when it is several.
    numbers: Vec<bool>,
    /// By word: in how many labels it stands.
    labels: Vec<u32>,
}

impl Words {
    /// Takes apart the names of those payees (every index of the plan's table is answered, others with no word).
    pub fn of(plan: &Plan, payees: impl Iterator<Item = Ix<Payee>>) -> Self {
        let mut wanted = vec![false; plan.payees.len()];
        payees.for_each(|ix| wanted[ix.get()] = true);

        let mut numbers: HashMap<Box<str>, u32> = HashMap::new();
        let mut seen: Vec<Seen> = Vec::new();
        let mut starts = Vec::with_capacity(plan.payees.len() + 1);
        let mut parts: Vec<u32> = Vec::new();
        for (ix, payee) in plan.payees.enumerate() {
            let start = parts.len();
            starts.push(start as u32);
            if !wanted[ix.get()] {
                continue;
            }
            for_each_word(&payee.name, |word| {
                let next = seen.len() as u32;
                let number = match numbers.get(word) {
                    Some(number) => *number,
                    None => {
                        numbers.insert(word.into(), next);
                        seen.push(Seen::new(word));
                        next
                    }
                };
                if !parts[start..].contains(&number) {
                    parts.push(number);
                    seen[number as usize].stands_in(ix.get());
                }
            });
        }
        starts.push(parts.len() as u32);
        Self::together(&starts, &parts, &seen)
    }

    /// Gives one number to words of exactly the same labels, and drops a number seen in one label only, unless that
    /// label has nothing else.
    fn together(starts: &[u32], parts: &[u32], seen: &[Seen]) -> Self {
        let mut units: HashMap<(u64, u32), Word> = HashMap::new();
        let (mut numbers, mut labels) = (Vec::new(), Vec::new());
        let (mut words, mut new_starts) = (Vec::with_capacity(parts.len()), Vec::with_capacity(starts.len()));
        for range in starts.windows(2) {
            let label = &parts[range[0] as usize..range[1] as usize];
            let start = words.len();
            new_starts.push(start as u32);
            let is_noise = |part: &u32| seen[*part as usize].is_noise();
            let all_noise = label.iter().all(is_noise);
            for part in label.iter().filter(|part| all_noise || !is_noise(part)) {
                let next = units.len() as Word;
                let seen = &seen[*part as usize];
                let unit = *units.entry((seen.labels_hash, seen.labels)).or_insert(next);
                if unit == next {
                    numbers.push(true);
                    labels.push(seen.labels);
                }
                numbers[unit as usize] &= seen.has_digit;
                if !words[start..].contains(&unit) {
                    words.push(unit);
                }
            }
            words[start..].sort_unstable();
        }
        new_starts.push(words.len() as u32);
        Self { starts: new_starts, words, numbers, labels }
    }

    /// The words of a payee.
    pub fn get(&self, payee: Option<Ix<Payee>>) -> &[Word] {
        let Some(place) = payee.map(Ix::get) else { return &[] };
        let (start, end) = (self.starts.get(place), self.starts.get(place + 1));
        start.zip(end).map_or(&[], |(start, end)| &self.words[*start as usize..*end as usize])
    }

    /// How many there are: numbers go from 0 up to it.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Whether it stands in one label alone.
    pub fn is_alone(&self, word: Word) -> bool {
        self.labels[word as usize] == 1
    }

    /// Whether it is a number, a date, a reference: no name.
    pub fn is_number(&self, word: Word) -> bool {
        self.numbers[word as usize]
    }
}

/// Where a part of a label was seen.
struct Seen {
    has_digit: bool,
    labels: u32,
    /// A sum of scrambled label numbers: the same for words of the same labels.
    labels_hash: u64,
}

impl Seen {
    fn new(word: &str) -> Self {
        Self { has_digit: word.chars().any(|c| c.is_numeric()), labels: 0, labels_hash: 0 }
    }

    fn stands_in(&mut self, label: usize) {
        self.labels += 1;
        self.labels_hash = self.labels_hash.wrapping_add(scrambled(label as u64));
    }

    fn is_noise(&self) -> bool {
        self.has_digit && self.labels < 2
    }
}

fn scrambled(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^ (z >> 29)
}

/// A writing that needs no space to end a word where another begins.
#[derive(Clone, Copy, PartialEq)]
enum Script {
    Hiragana,
    Katakana,
    Han,
    Other,
}

impl Script {
    fn of(c: char) -> Self {
        match u32::from(c) {
            0x3041..=0x309F => Self::Hiragana,
            0x30A0..=0x30FF | 0xFF66..=0xFF9F => Self::Katakana,
            0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => Self::Han,
            _ => Self::Other,
        }
    }
}

/// Calls with each word in upper case: letters and digits of one script.
fn for_each_word(label: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut script = Script::Other;
    for c in label.chars() {
        if !c.is_alphanumeric() {
            // A mark inside a name (an accent of its own, a joiner) is no end of it.
            let is_inside = crate::text::is_format(c) || ('\u{300}'..='\u{36F}').contains(&c);
            if !is_inside && !word.is_empty() {
                found(&word);
                word.clear();
            }
            continue;
        }
        let next = Script::of(c);
        if next != script && !word.is_empty() {
            found(&word);
            word.clear();
        }
        script = next;
        word.extend(c.to_uppercase());
    }
    if !word.is_empty() {
        found(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(label: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(label, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn a_label_is_taken_apart_in_any_script() {
        assert_eq!(words("CB Café-Noir 12/01 n°5"), ["CB", "CAFÉ", "NOIR", "12", "01", "N", "5"]);
        assert_eq!(words("イオン渋谷店"), ["イオン", "渋谷店"]);
        assert_eq!(words("Gym\u{200B}Club"), ["GYMCLUB"]);
        assert_eq!(words("Магазин №7"), ["МАГАЗИН", "7"]);
        assert_eq!(words(" -- "), Vec::<String>::new());
    }
}
