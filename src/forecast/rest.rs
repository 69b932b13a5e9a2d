//! Owns what comes and goes beside bills and income that come back: an amount for each calendar month ahead.
//! Never places it on days.

use super::moves::Move;
use crate::dates::{Date, Month};
use crate::money::Milliunits;

/// How many full months are looked at, at most: whole years, so that each season counts as often.
const MONTHS_MAX: usize = 24;
/// After so many months a month counts half as much: lives change.
const HALF_LIFE: f64 = 9.0;
/// A payment above this part of a month's money is a peak.
const PEAK: f64 = 0.3;
/// What the part of a peak above that counts: it may have been the only one of its kind, yet others will come.
const PEAK_COUNTS: f64 = 0.5;
/// How much a calendar month's own past counts next to the average.
const SEASON: f64 = 0.3;
/// Calendar months are told apart from this many months of history on.
const SEASON_MONTHS_MIN: usize = 12;

/// One direction of money by calendar month.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// What is expected in an average month.
    pub average: f64,
    /// What each month of the year adds to it, January first.
    season: [f64; 12],
    /// How far past full months were from what this would have said of them, oldest first.
    pub residuals: Vec<f64>,
    /// Since the current month's first day.
    pub this_month: Milliunits,
}

impl Rest {
    /// What those payments teach. `first` is the first month that is known whole, `money` what goes out in a month, all
    /// told.
    pub fn of<'a>(moves: impl Iterator<Item = &'a Move>, first: Month, money: f64, today: Date) -> Self {
        let current = Month::of(today);
        let count = usize::try_from(first.until(current)).unwrap_or(0).min(MONTHS_MAX);
        let start = current.add(-(count as i32));
        let mut rest = Self::default();
        let (mut months, mut damped) = (vec![0.0; count], vec![0.0; count]);
        for one in moves {
            let (month, amount) = (Month::of(one.date), one.amount.get() as f64);
            let place = usize::try_from(start.until(month)).ok().filter(|place| *place < count);
            if month == current {
                rest.this_month += one.amount;
            } else if let Some(place) = place {
                months[place] += amount;
                let usual = amount.clamp(-PEAK * money, PEAK * money);
                damped[place] += usual + PEAK_COUNTS * (amount - usual);
            }
        }
        rest.average = recent_mean(&damped);
        if count >= SEASON_MONTHS_MIN {
            rest.season = season(&damped, start);
        }
        rest.residuals = months.iter().zip(0..).map(|(total, n)| total - rest.expected(start.add(n))).collect();
        rest
    }

    /// What is expected in such a month.
    pub fn expected(&self, month: Month) -> f64 {
        self.average + self.season[month.number() as usize - 1]
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The average, recent months weighing more.
fn recent_mean(months: &[f64]) -> f64 {
    let weights = (0..months.len()).rev().map(|age| 0.5_f64.powf(age as f64 / HALF_LIFE));
    let (sum, all) = months.iter().zip(weights).fold((0.0, 0.0), |(sum, all), (month, w)| (sum + w * month, all + w));
    if all > 0.0 { sum / all } else { 0.0 }
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
