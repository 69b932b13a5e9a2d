//! Owns which schedule stands for which bill of the past, by name, amount and rhythm together.
//! Never lets one schedule stand for two bills, nor for a whole merchant.

use super::moves::{Accounts, Move};
use super::rhythm::Rhythm;
use super::series::{Names, Series};
use crate::dates::day_number;
use crate::money::Milliunits;
use crate::plan::{Plan, Scheduled};

/// How far amounts may be apart, in percent of the bill's: of one name and rhythm, and without a common name.
const NAMED_PERCENT: i128 = 40;
const UNNAMED_PERCENT: i128 = 2;

/// For each series, the places of the schedules of those accounts that stand for it: one that repeats at most, and any
/// number that fall once.
pub fn covered(plan: &Plan, accounts: &Accounts, moves: &[Move], names: &Names, series: &[Series]) -> Vec<Vec<usize>> {
    let mut pairs: Vec<(i32, usize, usize)> = Vec::new();
    for (place, schedule) in plan.scheduled.iter().enumerate() {
        if schedule.deleted || !accounts.has(schedule.account) {
            continue;
        }
        let amount = accounts.change(schedule.amount, schedule.transfer_account, &schedule.lines);
        let matched = |(n, one): (usize, &Series)| Some((fit(schedule, amount, moves, names, one)?, place, n));
        pairs.extend(series.iter().enumerate().filter_map(matched));
    }
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut covered: Vec<Vec<usize>> = vec![Vec::new(); series.len()];
    let mut taken: Vec<usize> = Vec::new();
    for (_, place, n) in pairs {
        let repeats = |place: usize| plan.scheduled.iter().nth(place).is_some_and(is_repeated);
        let has_one = covered[n].iter().any(|&other| repeats(other));
        if !(taken.contains(&place) || has_one && repeats(place)) {
            taken.push(place);
            covered[n].push(place);
        }
    }
    covered
}

/// Whether the schedule falls more than once.
pub fn is_repeated(schedule: &Scheduled) -> bool {
    Rhythm::of_schedule(&schedule.frequency).is_some() || matches!(&*schedule.frequency, "daily" | "twiceAMonth")
}

/// How well a schedule fits a series, higher for better; `None` when it is another thing's.
fn fit(schedule: &Scheduled, amount: Milliunits, moves: &[Move], names: &Names, series: &Series) -> Option<i32> {
    let away = (amount - series.amount).abs().wide() * 100;
    let within = |percent: i128| away <= series.amount.abs().wide() * percent;
    if amount.is_negative() != series.amount.is_negative() || !series.active {
        return None;
    }
    let same_rhythm = Rhythm::of_schedule(&schedule.frequency) == Some(series.rhythm);
    // The nearest of the series' days to the schedule's next.
    let apart = day_number(schedule.date_next) - day_number(series.next);
    let period = series.rhythm.days();
    let off = (f64::from(apart) - (f64::from(apart) / period).round() * period).abs();
    let same_day = off <= f64::from(series.rhythm.window());
    let named = match (schedule.transfer_account, series.other) {
        (None, None) => series.moves.last().is_some_and(|&at| names.is_named(schedule.payee, &moves[at])),
        (one, other) => one == other,
    };
    let transfers = schedule.transfer_account.is_some() || series.other.is_some();
    let is_fit = if is_repeated(schedule) {
        same_rhythm && ((named && within(NAMED_PERCENT)) || (same_day && !transfers && within(UNNAMED_PERCENT)))
    } else {
        named && same_day && within(NAMED_PERCENT)
    };
    let points = [(named, 8), (within(UNNAMED_PERCENT), 4), (same_day, 2), (schedule.category == series.category, 1)];
    is_fit.then(|| points.iter().filter(|(holds, _)| *holds).map(|(_, worth)| worth).sum())
}
