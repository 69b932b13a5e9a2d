//! Owns matches of one against several: an exact sum, near days, and a set that is the only one.
//! Never takes a set that chance alone could give.

use std::collections::HashMap;

use super::{Item, WEEKDAYS_MAX, weekdays};
use crate::money::{Currency, Milliunits};
use crate::reconcile::sets;

/// How many parts near one day are combined at most.
const PARTS_MAX: usize = 20;
/// How many there may be near one day for it to be worth a search.
const CROWD_MAX: usize = 200;
/// How many sets chance may give at most for one to be believed.
const CHANCE_MAX: f64 = 0.02;
/// The same, for a set with a part farther away than that many days.
const CHANCE_FAR_MAX: f64 = 0.002;
const FAR_DAYS: i32 = 2;

/// One item and the two to four of the other side that add up to it. `alike` tells whether the two names agree.
pub(super) fn find(
    (ones, one_items): (&[usize], &[Item]),
    (parts, part_items): (&[usize], &[Item]),
    currency: &Currency,
    alike: &dyn Fn(usize, usize) -> bool,
) -> Vec<(usize, Vec<usize>)> {
    let day = |at: &usize| part_items.get(*at).map_or(0, |item| item.day);
    let mut parts: Vec<usize> = parts.to_vec();
    parts.sort_by_key(|at| (day(at), *at));
    let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
    for one in ones {
        let Some(item) = one_items.get(*one).filter(|item| !item.amount.is_zero()) else { continue };
        // Five weekdays are at most nine days.
        let start = parts.partition_point(|at| day(at) < item.day - 9);
        let near = parts.iter().skip(start).take_while(|at| day(at) <= item.day + 9).copied();
        let mut near: Vec<usize> =
            near.filter(|at| weekdays(day(at), item.day) <= WEEKDAYS_MAX).take(CROWD_MAX + 1).collect();
        if near.len() > CROWD_MAX {
            continue;
        }
        // In a crowd only a name can tell the parts.
        if near.len() > PARTS_MAX {
            near.retain(|at| alike(*one, *at));
        }
        near.sort_by_key(|at| ((day(at) - item.day).abs(), *at));
        near.truncate(PARTS_MAX);
        let amounts: Vec<Milliunits> =
            near.iter().filter_map(|at| part_items.get(*at)).map(|part| part.amount).collect();
        if amounts.len() < 2 {
            continue;
        }
        if let [set] = sets::adding_up(&amounts, item.amount, 2).as_slice() {
            let mut members: Vec<usize> = set.iter().filter_map(|at| near.get(*at).copied()).collect();
            members.sort_unstable();
            let named = members.iter().all(|part| alike(*one, *part));
            let far = members.iter().any(|part| (day(part) - item.day).abs() > FAR_DAYS);
            let bound = if far { CHANCE_FAR_MAX } else { CHANCE_MAX };
            if named || chance(&amounts, set.len(), currency) <= bound {
                found.push((*one, members));
            }
        }
    }
    // A part claimed twice leaves both claims open.
    let mut claims: HashMap<usize, usize> = HashMap::new();
    found.iter().flat_map(|(_, members)| members).for_each(|part| *claims.entry(*part).or_default() += 1);
    found.retain(|(_, members)| members.iter().all(|part| claims.get(part) == Some(&1)));
    found
}

/// How many sets of up to that size would add up by chance, the sums being spread evenly over the amounts' coins.
fn chance(amounts: &[Milliunits], size: usize, currency: &Currency) -> f64 {
    let coin = currency.step().get() as f64;
    let spread: i128 = amounts.iter().map(|amount| amount.wide().abs()).sum();
    let k = amounts.len() as f64;
    let pairs = k * (k - 1.0) / 2.0;
    let sets = [pairs, pairs * (k - 2.0) / 3.0, pairs * (k - 2.0) * (k - 3.0) / 12.0];
    let tried: f64 = sets.iter().take(size.saturating_sub(1)).sum();
    tried * 2.0 * coin / (spread as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(cells: &[(i32, i64)]) -> Vec<Item> {
        cells.iter().map(|(day, amount)| Item { day: *day, amount: Milliunits::new(*amount), shown: true }).collect()
    }

    fn found(ones: &[(i32, i64)], parts: &[(i32, i64)]) -> Vec<(usize, Vec<usize>)> {
        let (ones, parts) = (items(ones), items(parts));
        let (o, p): (Vec<usize>, Vec<usize>) = ((0..ones.len()).collect(), (0..parts.len()).collect());
        find((&o, &ones), (&p, &parts), &Currency::new("EUR", 2), &|_, _| false)
    }

    #[test]
    fn an_exact_sum_of_near_days_that_is_the_only_one() {
        assert_eq!(found(&[(5, -45_670)], &[(4, -12_340), (5, -33_330), (6, -7_770)]), [(0, vec![0, 1])]);
        assert!(found(&[(5, -30_000)], &[(5, -10_000), (5, -20_000), (6, -20_000)]).is_empty(), "two sets");
        assert!(found(&[(5, -45_670)], &[(40, -12_340), (41, -33_330)]).is_empty(), "another month");
        assert!(
            found(&[(5, -45_670), (5, -46_690)], &[(5, -12_340), (5, -33_330), (5, -34_350)]).is_empty(),
            "claimed twice"
        );
    }

    #[test]
    fn what_chance_could_give_is_not_believed() {
        let crowd: Vec<(i32, i64)> = (0..12).map(|n| (5, -1_230 - (1 << n) * 10)).collect();
        let four = crowd[..4].iter().map(|(_, amount)| amount).sum();
        assert!(found(&[(5, four)], &crowd).is_empty());
        assert_eq!(found(&[(5, -30_000)], &[(5, -10_000), (5, -20_000)]).len(), 1);
    }
}
