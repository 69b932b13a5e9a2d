//! Owns what comes and goes beside bills and income that come back: an amount for each calendar month ahead.
//! Never places it on days.

use super::moves::Move;
use crate::dates::{Date, Month};
use crate::money::Milliunits;

/// How many full months are looked at, at most, and how many are averaged: whole years, so that each season counts as
/// often.
const MONTHS_MAX: usize = 36;
const AVERAGED_MAX: usize = 24;
/// After so many months a month counts half as much: lives change.
const HALF_LIFE: f64 = 18.0;
/// The part by which a household's money grows or shrinks in a year, give or take, before its own past is asked.
const GROWTH: f64 = 0.06;
/// How many times that is believed at most.
const GROWTH_MAX: f64 = 2.0;
/// How many months with the same month a year before tell a growth from chance.
const GROWTH_MONTHS_MIN: usize = 3;
/// A payment above this part of a month's money is a peak.
const PEAK: f64 = 0.3;
/// What the part of a peak above that counts: it may have been the only one of its kind, yet others will come.
const PEAK_COUNTS: f64 = 0.5;
/// How much a calendar month's own past counts next to the average.
const SEASON: f64 = 0.3;
/// Calendar months are told apart from this many months of history on.
const SEASON_MONTHS_MIN: usize = 12;

/// One direction of money by calendar month.
#[derive(Clone, Debug)]
pub struct Rest {
    /// What is expected in an average month, from now on.
    pub average: f64,
    /// What each month of the year adds to it, January first.
    season: [f64; 12],
    growth: Growth,
    current: Month,
    /// How many months ago the average was right.
    age: f64,
    /// How far past full months were from what this would have said of them, oldest first.
    pub residuals: Vec<f64>,
    /// Since the current month's first day.
    pub this_month: Milliunits,
}

/// What each month is more than the one before, and how far that may be off: a standard deviation.
#[derive(Clone, Copy, Debug)]
struct Growth {
    monthly: f64,
    error: f64,
}

impl Rest {
    /// What those payments teach. `first` is the first month that is known whole, `money` what goes out in a month, all
    /// told.
    pub fn of<'a>(moves: impl Iterator<Item = &'a Move>, first: Month, money: f64, today: Date) -> Self {
        let current = Month::of(today);
        let count = usize::try_from(first.until(current)).unwrap_or(0).min(MONTHS_MAX);
        let start = current.add(-(count as i32));
        let (mut months, mut damped) = (vec![0.0; count], vec![0.0; count]);
        let mut this_month = Milliunits::ZERO;
        for one in moves {
            let (month, amount) = (Month::of(one.date), one.amount.get() as f64);
            let place = usize::try_from(start.until(month)).ok().filter(|place| *place < count);
            if month == current {
                this_month += one.amount;
            } else if let Some(place) = place {
                months[place] += amount;
                let usual = amount.clamp(-PEAK * money, PEAK * money);
                damped[place] += usual + PEAK_COUNTS * (amount - usual);
            }
        }
        let averaged = count.min(AVERAGED_MAX);
        let start = current.add(-(averaged as i32));
        let recent = &damped[count - averaged..];
        let (average, age) = recent_mean(recent);
        let growth = growth(&damped, average);
        let mut rest = Self {
            average: average + growth.monthly * age,
            season: if averaged >= SEASON_MONTHS_MIN { season(recent, start) } else { [0.0; 12] },
            growth,
            current,
            age,
            residuals: Vec::new(),
            this_month,
        };
        let came = months[count - averaged..].iter().zip(0..);
        rest.residuals = came.map(|(total, n)| total - rest.expected(start.add(n))).collect();
        rest
    }

    /// What is expected in such a month.
    pub fn expected(&self, month: Month) -> f64 {
        let grown = self.growth.monthly * f64::from(self.current.until(month));
        self.average + self.season[month.number() as usize - 1] + grown
    }

    /// How far the sum of so many months may be off for a growth that is not what it was taken for: a standard deviation.
    pub fn drift(&self, months: f64) -> f64 {
        self.growth.error * months * (self.age + months / 2.0)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The average, recent months weighing more, and how many months ago its middle is.
fn recent_mean(months: &[f64]) -> (f64, f64) {
    let ages = (1..=months.len()).rev().map(|age| age as f64);
    let (mut sum, mut all, mut old) = (0.0, 0.0, 0.0);
    for (month, age) in months.iter().zip(ages) {
        let weight = libm::exp2(-age / HALF_LIFE);
        (sum, all, old) = (sum + weight * month, all + weight, old + weight * age);
    }
    if all > 0.0 { (sum / all, old / all) } else { (0.0, 0.0) }
}

/// What months are more than the same months a year before, as far as that is more than chance.
fn growth(months: &[f64], average: f64) -> Growth {
    let usual = GROWTH * average.abs() / 12.0;
    let steps: Vec<f64> = months.iter().skip(12).zip(months).map(|(month, before)| (month - before) / 12.0).collect();
    if steps.len() < GROWTH_MONTHS_MIN || usual == 0.0 {
        return Growth { monthly: 0.0, error: usual };
    }
    let seen = mean(&steps);
    let variance = steps.iter().map(|step| (step - seen).powi(2)).sum::<f64>() / (steps.len() - 1) as f64;
    // Beyond a year the same months are in two steps.
    let chance = variance / steps.len().min(12) as f64;
    let believed = usual * usual / (usual * usual + chance);
    let monthly = (believed * seen).clamp(-GROWTH_MAX * usual, GROWTH_MAX * usual);
    Growth { monthly, error: (believed * chance).sqrt() }
}

/// How far each calendar month is from the average, as far as the past is to be believed; nothing over a year.
fn season(months: &[f64], start: Month) -> [f64; 12] {
    let average = mean(months);
    let mut seen: [Vec<f64>; 12] = Default::default();
    for (month, n) in months.iter().zip(0..) {
        seen[start.add(n).number() as usize - 1].push(month - average);
    }
    let season = seen.map(|months| SEASON * mean(&months));
    let over_a_year = mean(&season);
    season.map(|away| away - over_a_year)
}
