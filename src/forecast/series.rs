//! Owns what comes back in a plan's past: each bill and each income with its rhythm, its amount and its next day.
//! Never asks what a schedule says of it.

mod chain;
mod names;

use std::collections::HashMap;

use super::moves::Move;
use super::rhythm::{Rhythm, usual_day};
use crate::classifier::merchant::merchant;
use crate::dates::{Date, Month, add_days, day_number};
use crate::money::Milliunits;
use crate::plan::{Account, Category, Ix, Plan};
use crate::text::safe;
use chain::Chain;
pub use names::Names;

/// The evidence a chain needs to be something that comes back, in natural logarithms.
const EVIDENCE_MIN: f64 = 5.5;
/// The most that a word or a category adds to it, or takes away.
const COMPANY_MAX: f64 = 2.0;
/// The share of steps without a change that makes an amount a price.
const STEADY_MIN: f64 = 0.5;
/// Beyond this factor an amount seen once is no new price but a thing of its own; an income changes less than a price.
const PRICE_CHANGE_MAX: f64 = 1.7;
const INCOME_CHANGE_MAX: f64 = 1.15;

/// Something that comes back.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its payments' places among the moves, oldest first.
    pub moves: Vec<usize>,
    /// How often.
    pub rhythm: Rhythm,
    /// The day of the month it is usually due on.
    pub day: i8,
    /// What it comes to each time from now on; out is negative.
    pub amount: Milliunits,
    /// The amount before the last change of price, and the day of that change.
    pub before: Option<(Milliunits, Date)>,
    /// Whether the amount stays the same from one time to the next.
    pub steady: bool,
    /// The first day it is expected on after the last payment.
    pub next: Date,
    /// Whether it is still expected.
    pub active: bool,
    /// Its usual category.
    pub category: Option<Ix<Category>>,
    /// The account outside that it goes to or comes from.
    pub other: Option<Ix<Account>>,
}

impl Series {
    /// What it comes to on a day ahead: its price, or between its average and the same month of last year, as far as one
    /// year was like the next.
    pub fn expected(&self, moves: &[Move], date: Date) -> f64 {
        let average = self.amount.get() as f64;
        if self.steady {
            return average;
        }
        let paid = || self.moves.iter().map(|&at| &moves[at]);
        let year_before = |month: Month| {
            let before = paid().rev().filter(move |one| Month::of(one.date) < month);
            let same = |one: &&Move| (month.index() - Month::of(one.date).index()).rem_euclid(12) == 0;
            before.clone().find(same).map(|one| one.amount.get() as f64)
        };
        let Some(last_year) = year_before(Month::of(date)) else { return average };
        let guesses = paid().filter_map(|one| Some((one.amount.get() as f64, year_before(Month::of(one.date))?)));
        let errors = guesses.map(|(came, guess)| ((came - average).powi(2), (came - guess).powi(2)));
        let (of_average, of_last_year) = errors.fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        // Their correlation: last year's is twice as far off as the average where months have nothing in common.
        let share = if of_average > 0.0 { (1.0 - of_last_year / (2.0 * of_average)).clamp(0.0, 1.0) } else { 0.0 };
        share * last_year + (1.0 - share) * average
    }

    /// Who, as the bank last wrote it, reduced to the merchant.
    pub fn payee(&self, plan: &Plan, moves: &[Move]) -> String {
        let last = self.moves.last().and_then(|&at| moves[at].payee);
        match (plan.payee_name(last), self.other) {
            ("", Some(other)) => format!("Transfer : {}", safe(&plan.accounts[other].name)),
            (label, _) => safe(&merchant(label)).into_owned(),
        }
    }

    /// In how many months it was seen.
    pub fn months_seen(&self, moves: &[Move]) -> i64 {
        let mut months: Vec<Month> = self.moves.iter().map(|&at| Month::of(moves[at].date)).collect();
        months.dedup();
        months.len() as i64
    }
}

/// Everything that comes back among the moves, seen from that day; what stopped too.
pub fn find(moves: &[Move], names: &Names, today: Date) -> Vec<Series> {
    let mut chains: Vec<Chain> = Vec::new();
    for group in names.groups(moves) {
        chains.extend(chain::chains(moves, &group));
    }
    let company = Company::of(moves, names, &chains);
    chains.retain(|chain| chain.evidence + company.speaks_for(moves, names, chain) >= EVIDENCE_MIN);
    let mut series: Vec<Series> = chains.iter().map(|chain| series_of(moves, chain, today)).collect();
    series.sort_by_key(|one| one.moves.clone());
    series
}

/// What words and categories keep company with what surely comes back: `PRLV`, `Insurance`.
struct Company {
    words: HashMap<u32, (f64, f64)>,
    categories: HashMap<Ix<Category>, (f64, f64)>,
    all: (f64, f64),
}

impl Company {
    fn of(moves: &[Move], names: &Names, chains: &[Chain]) -> Self {
        let mut in_chain = vec![false; moves.len()];
        for chain in chains.iter().filter(|chain| chain.evidence >= EVIDENCE_MIN) {
            chain.moves.iter().for_each(|&at| in_chain[at] = true);
        }
        let mut company = Self { words: HashMap::new(), categories: HashMap::new(), all: (0.0, 0.0) };
        for (one, is_in) in moves.iter().zip(in_chain) {
            let add = |(part, all): &mut (f64, f64)| (*part, *all) = (*part + f64::from(u8::from(is_in)), *all + 1.0);
            add(&mut company.all);
            for word in names.words(one) {
                add(company.words.entry(*word).or_default());
            }
            if let Some(category) = one.category {
                add(company.categories.entry(category).or_default());
            }
        }
        company
    }

    /// How much more likely than others a chain's payments are to come back, by the company of its last payment: a
    /// natural logarithm. Its own payments prove nothing and are left out.
    fn speaks_for(&self, moves: &[Move], names: &Names, chain: &Chain) -> f64 {
        let Some(last) = chain.moves.last().map(|&at| &moves[at]) else { return 0.0 };
        let own = chain.moves.len() as f64;
        let own_part = if chain.evidence >= EVIDENCE_MIN { own } else { 0.0 };
        let base = (self.all.0 + 1.0) / (self.all.1 + 5.0);
        let odds = |(part, all): &(f64, f64)| {
            let (part, all) = ((part - own_part).max(0.0), (all - own).max(0.0));
            let share = (part + 4.0 * base) / (all + 4.0);
            libm::log(share / (1.0 - share).max(1e-3) / (base / (1.0 - base)))
        };
        let words = names.words(last).iter().filter_map(|word| self.words.get(word)).map(odds);
        let strongest = words.fold(0.0_f64, |most, odds| if odds.abs() > most.abs() { odds } else { most });
        let category = last.category.and_then(|category| self.categories.get(&category)).map_or(0.0, odds);
        ((strongest + category) / 2.0).clamp(-COMPANY_MAX, COMPANY_MAX)
    }
}

fn series_of(moves: &[Move], chain: &Chain, today: Date) -> Series {
    let paid: Vec<&Move> = chain.moves.iter().map(|&at| &moves[at]).collect();
    let last = paid[paid.len() - 1];
    let dates: Vec<Date> = paid.iter().map(|one| one.date).collect();
    let day = usual_day(&dates[dates.len().saturating_sub(12)..]);
    let next = next_day(chain.rhythm, last.date, day);
    let (amount, before, steady) = amount(&paid);
    Series {
        moves: chain.moves.clone(),
        rhythm: chain.rhythm,
        day,
        amount,
        before,
        steady,
        next,
        active: day_number(today) <= day_number(next) + chain.rhythm.patience(),
        category: usual_category(&paid),
        other: last.other,
    }
}

/// The day after the last payment on which the next is due: of a monthly bill paid early, not the day it was paid for.
fn next_day(rhythm: Rhythm, last: Date, day: i8) -> Date {
    match rhythm {
        Rhythm::Days(_) => rhythm.step(last, 1, day),
        Rhythm::Months(months) => {
            // The due day nearest to the payment is the one it was for.
            let month = Month::of(last);
            let due = (-1..=1).map(|shift| month.add(shift).day(day));
            let paid_for = due.min_by_key(|due| (day_number(*due) - day_number(last)).abs()).unwrap_or(last);
            Month::of(paid_for).add(months).day(day)
        }
    }
}

/// What is paid from now on, what was paid before the last change of price and since when, and whether it is a price.
fn amount(paid: &[&Move]) -> (Milliunits, Option<(Milliunits, Date)>, bool) {
    let amounts: Vec<Milliunits> = paid.iter().map(|one| one.amount).collect();
    let same = |a: Milliunits, b: Milliunits| (a - b).abs().wide() * 200 <= a.abs().wide();
    let steps = amounts.windows(2).count().max(1) as f64;
    let unchanged = amounts.windows(2).filter(|pair| same(pair[0], pair[1])).count() as f64;
    let last = amounts[amounts.len() - 1];
    if unchanged / steps >= STEADY_MIN || amounts.len() == 2 {
        let change = (1..amounts.len()).rev().find(|&at| !same(amounts[at - 1], amounts[at]));
        let before = change.map(|at| (amounts[at - 1], paid[at].date));
        let change_max = if last.is_positive() { INCOME_CHANGE_MAX } else { PRICE_CHANGE_MAX };
        let ratio = |a: Milliunits, b: Milliunits| a.wide() as f64 / b.wide() as f64;
        // A last amount that is far from all others is an exception, unless it came twice.
        if let Some((usual, since)) = before
            && since == paid[paid.len() - 1].date
            && !(1.0 / change_max..=change_max).contains(&ratio(last, usual))
        {
            return (usual, None, true);
        }
        return (last, before, true);
    }
    // No price: the average of whole years, so that each season counts as often. Bills rise, an income goes up and down.
    let years_ago = |years: i64| add_days(paid[paid.len() - 1].date, 5 - 365 * years);
    let years = if last.is_positive() && paid[0].date <= years_ago(2) { 2 } else { 1 };
    let recent: Vec<Milliunits> = paid.iter().filter(|one| one.date > years_ago(years)).map(|one| one.amount).collect();
    (recent.iter().sum::<Milliunits>().divided(recent.len()), None, false)
}

/// The category most of the latest payments had.
fn usual_category(paid: &[&Move]) -> Option<Ix<Category>> {
    let mut counts: Vec<(Ix<Category>, usize)> = Vec::new();
    for category in paid.iter().rev().take(6).filter_map(|one| one.category) {
        match counts.iter_mut().find(|(known, _)| *known == category) {
            Some((_, count)) => *count += 1,
            None => counts.push((category, 1)),
        }
    }
    // Of two as frequent, the later.
    counts.iter().rev().max_by_key(|(_, count)| *count).map(|(category, _)| *category)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::dates::day_number;

    #[test]
    fn the_usual_category_is_that_of_most_of_the_latest_and_of_two_the_later() {
        let mut book = Book::new();
        let [food, fun] = ["Food", "Fun"].map(|name| book.category("Home", name));
        let usual = |categories: &[Option<Ix<Category>>]| {
            let date = day("2026-01-05");
            let (day, amount) = (day_number(date), Milliunits::new(-1_000));
            let paid = |category: &Option<Ix<Category>>| Move {
                date,
                day,
                amount,
                payee: None,
                category: *category,
                other: None,
            };
            let paid: Vec<Move> = categories.iter().map(paid).collect();
            usual_category(&paid.iter().collect::<Vec<_>>())
        };
        assert_eq!(usual(&[Some(food), Some(food), Some(fun)]), Some(food));
        assert_eq!(usual(&[Some(food), Some(fun)]), Some(fun));
        assert_eq!(usual(&[Some(food), Some(food), Some(fun), None, Some(fun), Some(fun), None, None]), Some(fun));
        assert_eq!(usual(&[None]), None);
    }
}
