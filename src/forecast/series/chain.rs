//! Owns the search for chains: payments of one merchant that follow each other in a rhythm.
//! Never decides alone: a chain says how much speaks for it.

use super::Move;
use crate::dates::{Date, day_number};
use crate::forecast::rhythm::{RHYTHMS, Rhythm};

/// The least evidence worth keeping, in natural logarithms.
const KEPT_MIN: f64 = 2.0;
/// What a time that did not come costs.
const MISSED: f64 = -2.0;
/// What the same amount again gives hope for, and from where on a chain is given up: among many payments at random every
/// day has one that fits.
const HOPE: f64 = 2.0;
const HOPELESS: f64 = -5.0;
/// How many ends are tried in a group of many payments.
const ENDS_MAX: usize = 60;
/// How many days apart payments come at the same time.
const SAME_TIME: i32 = 3;
/// How many of them are tried.
const SAME_TIME_MAX: usize = 3;
/// How far apart amounts are that are the same, nearly the same, or alike: natural logarithms.
const SAME: f64 = 0.006;
const NEARLY: f64 = 0.03;
const ALIKE: f64 = 0.15;
/// Beyond it an amount is another thing's.
const OTHER: f64 = 1.1;

/// Payments that follow each other.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Their places among the moves, oldest first.
    pub moves: Vec<usize>,
    pub rhythm: Rhythm,
    /// How much more likely they are to be one thing that comes back than chance: a natural logarithm.
    pub evidence: f64,
}

/// A payment of the group under search.
struct Paid {
    at: usize,
    day: i32,
    date: Date,
    size: f64,
    taken: bool,
}

/// The chains of one merchant's payments, each payment in one at most.
pub fn chains(moves: &[Move], group: &[usize]) -> Vec<Chain> {
    if group.len() < 2 {
        return Vec::new();
    }
    let paid = |&at: &usize| {
        let one = &moves[at];
        let size = libm::log(one.amount.get().unsigned_abs().max(1) as f64);
        Paid { at, day: one.day, date: one.date, size, taken: false }
    };
    let mut group: Vec<Paid> = group.iter().map(paid).collect();
    let mut found = Vec::new();
    let mut tried = 0;
    let mut end = group.len();
    while end > 0 && tried < ENDS_MAX {
        let last = end - 1;
        if group[last].taken {
            end -= 1;
            continue;
        }
        tried += 1;
        let free = group.iter().filter(|paid| !paid.taken).count();
        let ending = |end: usize| {
            let chains = RHYTHMS.into_iter().filter_map(|rhythm| longest(&group, end, rhythm, free));
            chains.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, evidence, _)| *evidence >= KEPT_MIN)
        };
        // Of what came within days, the one that fits the past best: a bonus comes with the salary and is not it.
        let best = ending(last).map(|own| {
            let near = (0..last).rev().take_while(|&at| group[last].day - group[at].day <= SAME_TIME);
            let others = near.filter(|&at| !group[at].taken).take(SAME_TIME_MAX).filter_map(ending);
            others.fold(own, |best, other| if other.1 > best.1 { other } else { best })
        });
        let Some((places, evidence, rhythm)) = best else {
            end -= 1;
            continue;
        };
        places.iter().for_each(|&place| group[place].taken = true);
        found.push(Chain { moves: places.iter().map(|&place| group[place].at).collect(), rhythm, evidence });
    }
    found
}

/// The chain that ends with that payment, followed back in that rhythm, with its evidence.
fn longest(group: &[Paid], end: usize, rhythm: Rhythm, free: usize) -> Option<(Vec<usize>, f64, Rhythm)> {
    let span = f64::from(group[group.len() - 1].day - group[0].day) + rhythm.days();
    let rate = free as f64 / span;
    let mut places = vec![end];
    let (mut evidence, mut missed) = (prior(rhythm), 0);
    let mut steps: Vec<f64> = Vec::new();
    let mut hope = evidence;
    loop {
        let current = &group[places[places.len() - 1]];
        let back = |times: i32| {
            let expected = rhythm.step(current.date, -times, current.date.day());
            best_near(group, current, day_number(expected), rhythm, rate)
        };
        let found = back(1).map(|found| (found, 0)).or_else(|| back(2).map(|found| (found, 1)));
        let Some(((place, time), misses)) = found.filter(|(_, misses)| missed + misses <= places.len() / 4 + 1) else {
            break;
        };
        if misses > 0 && places.len() < 3 {
            break;
        }
        missed += misses;
        evidence += time + MISSED * misses as f64;
        let step = (group[place].size - current.size).abs();
        hope += time + MISSED * misses as f64 + if step <= NEARLY { HOPE } else { 0.0 };
        if hope < HOPELESS {
            return None;
        }
        steps.push(step);
        places.push(place);
    }
    places.reverse();
    let rare = matches!(rhythm, Rhythm::Months(6..));
    if places.len() < if rare { 2 } else { 3 } {
        return None;
    }
    evidence += amounts(group, &places, &steps);
    Some((places, evidence, rhythm))
}

/// What rhythms are worth before anything is seen.
fn prior(rhythm: Rhythm) -> f64 {
    match rhythm {
        Rhythm::Months(1) => 0.0,
        Rhythm::Months(3 | 12) => -0.5,
        Rhythm::Months(4) => -2.0,
        _ => -1.0,
    }
}

/// The free payment nearest to what is expected, in days and in size, with what its day speaks for the rhythm.
fn best_near(group: &[Paid], current: &Paid, expected: i32, rhythm: Rhythm, rate: f64) -> Option<(usize, f64)> {
    let window = rhythm.window();
    let start = group.partition_point(|paid| paid.day < expected - window);
    let near = group[start..].iter().enumerate().take_while(|(_, paid)| paid.day <= expected + window);
    let fits =
        near.filter(|(_, paid)| !paid.taken && paid.day < current.day && (paid.size - current.size).abs() <= OTHER);
    let scored = fits.map(|(n, paid)| {
        let late = f64::from((paid.day - expected).abs());
        let (spread, width) = (rhythm.spread() * 1.3, f64::from(2 * window + 1));
        let likely = 0.9 / (2.0 * spread) * libm::exp(-late / spread) + 0.1 / width;
        let time = libm::log(likely / rate);
        let size = (paid.size - current.size).abs();
        (start + n, time, time - 12.0 * size.min(0.5))
    });
    scored.max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0))).map(|(place, time, _)| (place, time))
}

/// What the amounts speak for the chain: the same again is unlikely by chance, unless others of the merchant's have
/// it too.
fn amounts(group: &[Paid], places: &[usize], steps: &[f64]) -> f64 {
    let mut is_in = vec![false; group.len()];
    places.iter().for_each(|&place| is_in[place] = true);
    let others: Vec<f64> = group.iter().zip(&is_in).filter(|(_, is_in)| !**is_in).map(|(paid, _)| paid.size).collect();
    let count = others.len() as f64;
    let last = group[places[places.len() - 1]].size;
    let by_chance = |within: f64, floor: f64| {
        let as_near = others.iter().filter(|size| (**size - last).abs() <= within).count() as f64;
        ((as_near + 2.0 * floor) / (count + 2.0)).max(floor)
    };
    let (same, nearly, alike) = (by_chance(SAME, 0.04), by_chance(NEARLY, 0.1), by_chance(ALIKE, 0.3));
    let worth = |step: &f64| match *step {
        step if step <= SAME => libm::log(0.75 / same),
        step if step <= NEARLY => libm::log(0.3 / nearly),
        step if step <= ALIKE => libm::log(0.35 / alike).min(0.3),
        step if step <= 0.6 => -0.3,
        _ => -1.5,
    };
    steps.iter().map(worth).sum()
}
