//! Owns the search for small sets of amounts that add up to a given one; bounded work, a fixed order.
//! Never knows what the amounts stand for.

use std::collections::HashMap;

use crate::money::Milliunits;

/// Sets of 2 to 4 places in `amounts` that add up to `target`, smallest sets first, at most `limit`. A set is left out
/// when a part of it adds up on its own. Work grows with the square of the number of amounts: give a hundred, not more.
pub(super) fn adding_up(amounts: &[Milliunits], target: Milliunits, limit: usize) -> Vec<Vec<usize>> {
    let amounts: Vec<i128> = amounts.iter().map(|amount| amount.wide()).collect();
    let mut search = Search { target: target.wide(), limit, found: Vec::new(), amounts: &amounts };
    search.two();
    search.three();
    search.four();
    search.found
}

struct Search<'a> {
    amounts: &'a [i128],
    target: i128,
    limit: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, i128)> + use<'_> {
        let numbered = self.amounts.iter().enumerate();
        numbered.flat_map(move |(i, a)| self.amounts.iter().enumerate().skip(i + 1).map(move |(j, b)| (i, j, a + b)))
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    fn two(&mut self) {
        let room = self.limit;
        let hits = self.pairs().filter(|(i, j, sum)| *sum == self.target && self.is_minimal(&[*i, *j]));
        self.found = hits.take(room).map(|(i, j, _)| vec![i, j]).collect();
    }

    fn three(&mut self) {
        let mut places: HashMap<i128, Vec<usize>> = HashMap::new();
        for (k, amount) in self.amounts.iter().enumerate() {
            places.entry(*amount).or_default().push(k);
        }
        let mut hits = Vec::new();
        'all: for (i, j, sum) in self.pairs() {
            let last = places.get(&(self.target - sum)).map_or(&[][..], Vec::as_slice);
            for k in &last[last.partition_point(|k| *k <= j)..] {
                if self.found.len() + hits.len() >= self.limit {
                    break 'all;
                }
                if self.is_minimal(&[i, j, *k]) {
                    hits.push(vec![i, j, *k]);
                }
            }
        }
        self.found.extend(hits);
    }

    fn four(&mut self) {
        if self.is_full() {
            return;
        }
        let mut later: HashMap<i128, Vec<(usize, usize)>> = HashMap::new();
        for (k, l, sum) in self.pairs() {
            later.entry(sum).or_default().push((k, l));
        }
        let mut hits = Vec::new();
        'all: for (i, j, sum) in self.pairs() {
            let last = later.get(&(self.target - sum)).map_or(&[][..], Vec::as_slice);
            for (k, l) in &last[last.partition_point(|(k, _)| *k <= j)..] {
                if self.found.len() + hits.len() >= self.limit {
                    break 'all;
                }
                if self.is_minimal(&[i, j, *k, *l]) {
                    hits.push(vec![i, j, *k, *l]);
                }
            }
        }
        self.found.extend(hits);
    }

    /// Whether no part of the set adds up on its own.
    fn is_minimal(&self, set: &[usize]) -> bool {
        let whole = (1_u32 << set.len()) - 1;
        (1..whole).all(|part| {
            let inside = set.iter().enumerate().filter(|(bit, _)| part & (1 << bit) != 0);
            inside.map(|(_, at)| self.amounts[*at]).sum::<i128>() != self.target
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(amounts: &[i64], target: i64) -> Vec<Vec<usize>> {
        let amounts: Vec<Milliunits> = amounts.iter().copied().map(Milliunits::new).collect();
        adding_up(&amounts, Milliunits::new(target), 1000)
    }

    #[test]
    fn small_sets_first_and_none_that_holds_another() {
        assert_eq!(found(&[1, 2, 4, 8], 15), [vec![0, 1, 2, 3]]);
        assert_eq!(found(&[5, 7, -7, 3, 2], 5), [vec![3, 4]]);
        assert_eq!(found(&[10, 20, 30, 40], 50), [vec![0, 3], vec![1, 2]]);
        assert!(found(&[], 1).is_empty());
    }

    #[test]
    fn a_hundred_equal_amounts_stay_cheap() {
        assert_eq!(adding_up(&[Milliunits::new(1); 100], Milliunits::new(4), 10).len(), 10);
    }

    proptest! {
        #[test]
        fn the_same_as_trying_every_set(amounts in prop::collection::vec(-9_i64..9, 0..9), target in -20_i64..20) {
            let sum = |set: u32| -> i64 { (0..amounts.len()).filter(|i| set & (1 << i) != 0).map(|i| amounts[i]).sum() };
            let every = (1_u32..1 << amounts.len()).filter(|set| (2..=4).contains(&set.count_ones()));
            let hits = every.filter(|set| sum(*set) == target);
            let minimal = hits.filter(|set| (1..*set).all(|part| part & set != part || sum(part) != target));
            let mut want: Vec<Vec<usize>> =
                minimal.map(|set| (0..amounts.len()).filter(|i| set & (1 << i) != 0).collect()).collect();
            let mut got = found(&amounts, target);
            want.sort();
            got.sort();
            prop_assert_eq!(got, want);
        }
    }
}
