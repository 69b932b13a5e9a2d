//! Owns what comes and goes beside bills and income that come back: an amount for each calendar month ahead.
//! Never places it on days.

use super::moves::Move;
use crate::dates::{Date, Month};
use crate::money::Milliunits;

/// How many full months are looked at, at most.
const MONTHS_MAX: usize = 36;
/// After so many months a month counts half as much.
const HALF_LIFE: f64 = 12.0;
/// A payment above this part of a middle month is a peak: it belongs to no month of the year, and to no recent past.
const PEAK: f64 = 0.3;
/// What peaks of the past make expect of the future.
const PEAK_DAMPING: f64 = 0.9;
/// How much a calendar month's own past counts next to the year's average: seen once, twice, more often.
const SEASON: [f64; 3] = [0.3, 0.45, 0.55];
/// Calendar months are told apart from this many months of history on.
const SEASON_MONTHS_MIN: usize = 12;

/// One direction of money by calendar month.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// An average month.
    level: f64,
    /// By month of the year, around 1.
    season: [f64; 12],
    /// Peaks a month.
    peaks: f64,
    /// How far past full months were from what this would have said of them, oldest first.
    pub residuals: Vec<f64>,
    /// Since the current month's first day.
    pub this_month: Milliunits,
}

impl Rest {
    /// What those payments teach. `first` is the first month that is known whole.
    pub fn of<'a>(moves: impl Iterator<Item = &'a Move>, first: Month, today: Date) -> Self {
        let current = Month::of(today);
        let count = usize::try_from(first.until(current)).unwrap_or(0).min(MONTHS_MAX);
        let start = current.add(-(count as i32));
        let mut by_month: Vec<Vec<f64>> = vec![Vec::new(); count];
        let mut this_month = Milliunits::ZERO;
        for one in moves {
            let month = Month::of(one.date);
            match usize::try_from(start.until(month)) {
                _ if month == current => this_month += one.amount,
                Ok(place) if place < count => by_month[place].push(one.amount.get() as f64),
                _ => {}
            }
        }
        let totals: Vec<f64> = by_month.iter().map(|month| month.iter().sum()).collect();
        let limit = PEAK * median(&totals).abs();
        let is_peak = |amount: &&f64| limit > 0.0 && amount.abs() > limit;
        let peaks = by_month.iter().flatten().filter(is_peak).sum::<f64>() / count.max(1) as f64;
        let base: Vec<f64> = by_month.iter().map(|month| month.iter().filter(|one| !is_peak(one)).sum()).collect();
        let level = weighted(&base);
        let season = season(&base, start, level);
        let mut rest = Self { level, season, peaks: peaks * PEAK_DAMPING, residuals: Vec::new(), this_month };
        rest.residuals = totals.iter().zip(0..).map(|(total, n)| total - rest.expected(start.add(n))).collect();
        rest
    }

    /// What is expected in such a month.
    pub fn expected(&self, month: Month) -> f64 {
        self.level * self.season[month.number() as usize - 1] + self.peaks
    }

    /// What is expected in an average month.
    pub fn average(&self) -> f64 {
        self.level + self.peaks
    }
}

/// The average of months, the recent ones weighing more.
fn weighted(months: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (age, month) in months.iter().rev().enumerate() {
        let weight = 0.5_f64.powf(age as f64 / HALF_LIFE);
        (sum, weights) = (sum + weight * month, weights + weight);
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// Each calendar month next to the average, as far as the past shows.
fn season(months: &[f64], start: Month, level: f64) -> [f64; 12] {
    let mut season = [1.0; 12];
    if months.len() < SEASON_MONTHS_MIN || level == 0.0 {
        return season;
    }
    let mean = months.iter().sum::<f64>() / months.len() as f64;
    if mean == 0.0 {
        return season;
    }
    let mut seen = [(0.0, 0_usize); 12];
    for (month, n) in months.iter().zip(0..) {
        let (sum, count) = &mut seen[start.add(n).number() as usize - 1];
        (*sum, *count) = (*sum + month / mean, *count + 1);
    }
    for (factor, (sum, count)) in season.iter_mut().zip(seen) {
        if count > 0 {
            let share = SEASON[count.min(SEASON.len()) - 1];
            *factor = 1.0 + share * (sum / count as f64 - 1.0);
        }
    }
    let mean = season.iter().sum::<f64>() / 12.0;
    season.map(|factor| factor / mean)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}
