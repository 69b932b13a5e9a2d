//! Owns the cheapest pairing of two small sets in which anything may stay alone.
//! Never looks at more than a few dozen at once: larger sets are first thinned by equal days, then by near ones.

use std::collections::HashSet;

/// What leaving one row and one transaction alone costs together.
const ALONE: i64 = 100;
/// How many rows and how many transactions are weighed against each other at once.
const SIDE_MAX: usize = 32;
/// How far apart pairs of a large set may be, in days.
const DAYS_MAX: i32 = 7;

/// Pairs of the two sides at the least cost; `cost` is `None` for what cannot be paired.
pub(super) fn cheapest(
    rows: &[usize],
    ours: &[usize],
    cost: &dyn Fn(usize, usize) -> Option<i64>,
    row_day: &dyn Fn(usize) -> i32,
    our_day: &dyn Fn(usize) -> i32,
) -> Vec<(usize, usize)> {
    if let ([row], [our]) = (rows, ours) {
        return cost(*row, *our).map(|_| (*row, *our)).into_iter().collect();
    }
    if rows.len() <= SIDE_MAX && ours.len() <= SIDE_MAX {
        return hungarian(rows, ours, cost);
    }
    let (mut rows, mut ours) = (rows.to_vec(), ours.to_vec());
    let mut pairs = Vec::new();
    for apart in 0..=DAYS_MAX {
        let steps = [apart, -apart];
        for step in steps.into_iter().take(if apart == 0 { 1 } else { 2 }) {
            pairs.extend(stepped(&mut rows, &mut ours, step, cost, row_day, our_day));
        }
        if rows.len() <= SIDE_MAX && ours.len() <= SIDE_MAX {
            pairs.extend(hungarian(&rows, &ours, cost));
            break;
        }
    }
    pairs
}

/// Pairs rows with what stands `step` days later on the other side, and takes both off the lists.
fn stepped(
    rows: &mut Vec<usize>,
    ours: &mut Vec<usize>,
    step: i32,
    cost: &dyn Fn(usize, usize) -> Option<i64>,
    row_day: &dyn Fn(usize) -> i32,
    our_day: &dyn Fn(usize) -> i32,
) -> Vec<(usize, usize)> {
    let (mut pairs, mut left_rows, mut left_ours) = (Vec::new(), Vec::new(), Vec::new());
    let (mut r, mut o) = (0, 0);
    while let Some(row) = rows.get(r) {
        let day = row_day(*row);
        let bunch = rows[r..].iter().take_while(|row| row_day(**row) == day).count();
        while ours.get(o).is_some_and(|our| our_day(*our) < day + step) {
            left_ours.push(ours[o]);
            o += 1;
        }
        let facing = ours[o..].iter().take_while(|our| our_day(**our) == day + step).count();
        let (these, those) = (&rows[r..r + bunch], &ours[o..o + facing]);
        let found = if bunch <= SIDE_MAX && facing <= SIDE_MAX {
            hungarian(these, those, cost)
        } else {
            let both = these.iter().copied().zip(those.iter().copied());
            both.filter(|(row, our)| cost(*row, *our).is_some()).collect()
        };
        let paired: HashSet<usize> = found.iter().map(|(row, _)| *row).collect();
        let facing_paired: HashSet<usize> = found.iter().map(|(_, our)| *our).collect();
        left_rows.extend(these.iter().copied().filter(|at| !paired.contains(at)));
        left_ours.extend(those.iter().copied().filter(|at| !facing_paired.contains(at)));
        pairs.extend(found);
        (r, o) = (r + bunch, o + facing);
    }
    left_ours.extend(ours[o..].iter().copied());
    (*rows, *ours) = (left_rows, left_ours);
    pairs
}

/// The assignment of least total cost (Kuhn and Munkres, with potentials), each row with a place to stay alone.
fn hungarian(rows: &[usize], ours: &[usize], cost: &dyn Fn(usize, usize) -> Option<i64>) -> Vec<(usize, usize)> {
    const NEVER: i64 = 1_000_000;
    let (n, m) = (rows.len(), ours.len() + rows.len());
    let price: Vec<Vec<i64>> = rows
        .iter()
        .map(|row| {
            let real = ours.iter().map(|our| cost(*row, *our).unwrap_or(NEVER));
            real.chain(std::iter::repeat_n(ALONE, n)).collect()
        })
        .collect();
    // Places 1..=m hold the row assigned to each column; column 0 is where a search starts.
    let (mut by_row, mut by_column) = (vec![0_i64; n + 1], vec![0_i64; m + 1]);
    let mut holder = vec![0_usize; m + 1];
    for row in 1..=n {
        let mut at = 0;
        holder[0] = row;
        let (mut least, mut way) = (vec![i64::MAX; m + 1], vec![0_usize; m + 1]);
        let mut done = vec![false; m + 1];
        loop {
            done[at] = true;
            let (held, mut step, mut next) = (holder[at], i64::MAX, 0);
            for column in (1..=m).filter(|column| !done[*column]) {
                let reduced = price[held - 1][column - 1] - by_row[held] - by_column[column];
                if reduced < least[column] {
                    (least[column], way[column]) = (reduced, at);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            for column in 0..=m {
                if done[column] {
                    by_row[holder[column]] += step;
                    by_column[column] -= step;
                } else {
                    least[column] = least[column].saturating_sub(step);
                }
            }
            at = next;
            if holder[at] == 0 {
                break;
            }
        }
        while at != 0 {
            holder[at] = holder[way[at]];
            at = way[at];
        }
    }
    let held = holder.iter().enumerate().skip(1).take(ours.len()).filter(|(_, row)| **row > 0);
    let pairs = held.map(|(column, row)| (rows[row - 1], ours[column - 1]));
    pairs.filter(|(row, our)| cost(*row, *our).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 8;

    fn pairs(rows: &[i32], ours: &[i32]) -> Vec<(usize, usize)> {
        let cost = |row: usize, our: usize| {
            let apart = (rows[row] - ours[our]).abs();
            (apart <= DAYS_MAX).then_some(i64::from(apart) * DAY)
        };
        let (r, o): (Vec<usize>, Vec<usize>) = ((0..rows.len()).collect(), (0..ours.len()).collect());
        let mut pairs = cheapest(&r, &o, &cost, &|row| rows[row], &|our| ours[our]);
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn equal_days_are_paired_rather_than_shifting_a_whole_line() {
        assert_eq!(pairs(&[3, 10, 17], &[10, 17, 24]), [(1, 0), (2, 1)]);
        assert_eq!(pairs(&[1], &[4, 2]), [(0, 1)]);
        assert!(pairs(&[1], &[20]).is_empty());
    }

    #[test]
    fn a_large_set_is_paired_by_equal_then_by_near_days() {
        let rows: Vec<i32> = (0..400).collect();
        let ours: Vec<i32> = (0..400).map(|day| if day % 50 == 0 { day + 1 } else { day }).collect();
        assert_eq!(pairs(&rows, &ours).len(), 400);
        let (many, late) = (vec![0; 3_000], vec![1; 3_000]);
        assert_eq!(pairs(&many, &late).len(), 3_000);
    }

    proptest! {
        #[test]
        fn no_other_pairing_is_cheaper(rows in prop::collection::vec(0_i32..12, 0..5), ours in prop::collection::vec(0_i32..12, 0..5)) {
            fn least(rows: &[i32], ours: &mut Vec<Option<i32>>) -> i64 {
                let Some((row, rest)) = rows.split_first() else { return 0 };
                let mut best = ALONE + least(rest, ours);
                for at in 0..ours.len() {
                    if let Some(our) = ours[at] && (row - our).abs() <= DAYS_MAX {
                        ours[at] = None;
                        best = best.min(i64::from((row - our).abs()) * DAY + least(rest, ours));
                        ours[at] = Some(our);
                    }
                }
                best
            }
            let found = pairs(&rows, &ours);
            let cost: i64 = found.iter().map(|(r, o)| i64::from((rows[*r] - ours[*o]).abs()) * DAY).sum();
            let alone = (rows.len() - found.len()) as i64 * ALONE;
            prop_assert_eq!(cost + alone, least(&rows, &mut ours.iter().copied().map(Some).collect()));
        }
    }
}
