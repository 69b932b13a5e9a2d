//! Owns what is expected of a set of accounts: schedules, bills that come back, one-offs, and the rest by month.
//! Never adds it up to a balance.

use std::collections::BTreeMap;

use super::balance::{Ask, Assumptions, Bill, Matter, ScheduledLine};
use super::covered::covered;
use super::moves::{Accounts, Move, moves};
use super::rest::Rest;
use super::rhythm::Rhythm;
use super::schedule::{days, occurrences};
use super::series::{self, Names, Series};
use crate::analytics::scheduled::Occurrence;
use crate::dates::{Date, Month, add_days, day_number};
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Ix, Plan, Scheduled};
use crate::text::safe;

/// A schedule that was due so many days ago and did not come is still expected.
const OVERDUE_DAYS: i64 = 31;
/// A payment so many days before its schedule's next date may be the one it was for.
const EARLY_DAYS: i64 = 10;
/// How many assumptions are told to matter most.
const MATTER_MOST: usize = 3;
/// How many bills, and schedules, are listed at most.
const LISTED_MAX: usize = 25;
/// 8 of 10 errors lie within so many standard deviations. Normal ones lie within 1.28; lives also change.
const EIGHT_OF_TEN: f64 = 1.5;
/// How much of a middle month's money a year's forecast is off beside what months differ by.
const DRIFT: f64 = 0.015;

/// What is expected.
pub struct Outlook {
    /// What falls on a day.
    dated: BTreeMap<Date, Vec<Milliunits>>,
    bills: Vec<Bill>,
    scheduled: Vec<ScheduledLine>,
    matters: Vec<(String, Milliunits)>,
    spending: Rest,
    income: Rest,
    given_spending: Option<Milliunits>,
    given_income: Option<Milliunits>,
    /// How far past full months were from what is expected of such months.
    residuals: Vec<f64>,
    step: Milliunits,
}

impl Outlook {
    /// What is expected of those accounts.
    pub fn of(plan: &Plan, ask: &Ask<'_>, chosen: &[Ix<Account>], today: Date) -> Self {
        let accounts = if ask.account_ids.is_some() { Accounts::of(plan, chosen) } else { Accounts::budget(plan) };
        let moves = moves(plan, &accounts, today);
        let names = Names::of(plan);
        let found = series::find(&moves, &names, today);
        let covers = covered(plan, &accounts, &moves, &names, &found);

        let mut in_series = vec![false; moves.len()];
        found.iter().flat_map(|one| &one.moves).for_each(|&at| in_series[at] = true);
        let first = first_whole(&moves, today);
        let money = money_out(&moves, first, today);
        let rest = |wanted: fn(&Plan, &Move) -> bool| {
            let apart = moves.iter().zip(&in_series).filter(|(one, is_in)| !**is_in && wanted(plan, one));
            Rest::of(apart.map(|(one, _)| one), first, money, today)
        };
        let (spending, income) = (rest(|plan, one| !is_income(plan, one)), rest(is_income));
        let mut outlook = Self {
            residuals: residuals([&spending, &income], &moves, &found, today),
            dated: BTreeMap::new(),
            bills: Vec::new(),
            scheduled: Vec::new(),
            matters: Vec::new(),
            spending,
            income,
            given_spending: ask.variable_monthly,
            given_income: ask.monthly_income,
            step: plan.currency.step(),
        };
        outlook.follow_schedules(plan, ask, &accounts, (&moves, &names), (&found, &covers), today);
        outlook.follow_series(plan, ask, &moves, (&found, &covers), today);
        for once in ask.one_offs {
            outlook.dated.entry(once.date).or_default().push(once.amount.0);
            outlook.matters.push((safe(&once.label).into_owned(), once.amount.0));
        }
        outlook.weigh_rest(ask, today);
        outlook
    }

    /// Every date of the schedules of those accounts. What is due today or was before is expected today.
    fn follow_schedules(
        &mut self,
        plan: &Plan,
        ask: &Ask<'_>,
        accounts: &Accounts,
        (moves, names): (&[Move], &Names),
        (found, covers): (&[Series], &[Vec<usize>]),
        today: Date,
    ) {
        for (place, schedule) in plan.scheduled.iter().enumerate() {
            let amount = accounts.change(schedule.amount, schedule.transfer_account, &schedule.lines);
            let is_replaced = ask.monthly_income.is_some() && amount.is_positive();
            if schedule.deleted || !accounts.has(schedule.account) || amount.is_zero() || is_replaced {
                continue;
            }
            let stands_for = covers.iter().position(|covering| covering.contains(&place)).map(|n| &found[n]);
            let paid = is_paid(schedule, amount, stands_for, (moves, names), today);
            let since = add_days(today, -OVERDUE_DAYS);
            let dates: Vec<Date> = occurrences(schedule, since, ask.until.last())
                .filter(|date| !(paid && *date == schedule.date_next))
                .map(|date| date.max(today))
                .collect();
            let Some(&first) = dates.first() else { continue };
            let total = Milliunits::from_wide(amount.wide() * dates.len() as i128);
            for date in &dates {
                self.dated.entry(*date).or_default().push(amount);
            }
            let mut next = Occurrence::of(plan, first, schedule);
            next.amount = amount.into();
            self.matters.push((format!("{} (scheduled)", next.payee), total));
            self.scheduled.push(ScheduledLine { next, times: dates.len() as i64, total: total.into() });
        }
    }

    /// Every date of what comes back, but those that a schedule stands for.
    fn follow_series(
        &mut self,
        plan: &Plan,
        ask: &Ask<'_>,
        moves: &[Move],
        (found, covers): (&[Series], &[Vec<usize>]),
        today: Date,
    ) {
        for (series, covering) in found.iter().zip(covers) {
            if !series.active || (ask.monthly_income.is_some() && series.amount.is_positive()) {
                continue;
            }
            let half = ((series.rhythm.days() / 2.0) as i32).max(1);
            // From its next date on, a schedule that repeats stands for every time, another for one.
            let is_free = |date: &Date| {
                let mut schedules = covering.iter().filter_map(|&place| plan.scheduled.iter().nth(place));
                schedules.all(|schedule| {
                    let later = day_number(*date) - day_number(schedule.date_next);
                    later <= -half || later >= half && days(&schedule.frequency).is_none()
                })
            };
            let due = (0..).map(|n| series.rhythm.step(series.next, n, series.day));
            let due = due.take_while(|date| *date <= ask.until.last()).filter(is_free);
            let mut total = Milliunits::ZERO;
            for date in due {
                let amount = self.rounded(series.expected(moves, date));
                total += amount;
                self.dated.entry(date.max(tomorrow(today, ask))).or_default().push(amount);
            }
            if total.is_zero() {
                continue;
            }
            let payee = series.payee(plan, moves);
            self.matters.push((format!("{payee}, {}", series.rhythm.word()), total));
            self.bills.push(Bill {
                payee,
                amount: plan.currency.round(series.amount).into(),
                day: i64::from(series.day),
                months_seen: series.months_seen(moves),
                rhythm: series.rhythm.word().to_owned(),
            });
        }
    }

    fn weigh_rest(&mut self, ask: &Ask<'_>, today: Date) {
        let months = || Month::of(today).through(ask.until);
        let (spending, income) = months()
            .map(|month| self.rest(month, today))
            .fold((Milliunits::ZERO, Milliunits::ZERO), |(spending, income), month| {
                (spending + month.0, income + month.1)
            });
        self.matters.push(("other spending".to_owned(), spending));
        self.matters.push(("other income".to_owned(), income));
    }

    /// What falls on a day.
    pub fn on(&self, date: Date) -> &[Milliunits] {
        self.dated.get(&date).map_or(&[], Vec::as_slice)
    }

    /// The other spending and income of a month, or of what is left of it.
    pub fn rest(&self, month: Month, today: Date) -> (Milliunits, Milliunits) {
        let is_current = month == Month::of(today);
        let left = if is_current { f64::from(month.days() - today.day()) / f64::from(month.days()) } else { 1.0 };
        let of = |rest: &Rest, given: Option<Milliunits>| match given {
            // Of an amount that was given, what the month has not used yet.
            Some(given) if is_current && given.is_negative() => (given - rest.this_month).min(Milliunits::ZERO),
            Some(given) if is_current => (given - rest.this_month).max(Milliunits::ZERO),
            Some(given) => given,
            None => self.rounded(rest.expected(month) * left),
        };
        (of(&self.spending, self.given_spending), of(&self.income, self.given_income))
    }

    /// How far from the forecast a month's end is, 2 times of 10 further.
    pub fn away(&self, month: Month, today: Date) -> Milliunits {
        let last_day = month.last();
        let months = f64::from(day_number(last_day) - day_number(today)) / 30.44;
        let count = self.residuals.len() as f64;
        let squares: f64 = self.residuals.iter().map(|residual| residual * residual).sum();
        // The average, its growth and the seasons were taken from the same months.
        let variance = squares / (count - 3.0).max(1.0);
        let dated: f64 =
            self.dated.range(..=last_day).flat_map(|(_, flows)| flows).map(|flow| flow.abs().get() as f64).sum();
        let drift = DRIFT * (dated + self.spending.average.abs() * months);
        let drifts = [drift, self.spending.drift(months), self.income.drift(months)];
        let drifts: f64 = drifts.iter().map(|drift| drift * drift).sum();
        let spread = (variance * months + variance * months * months / count.max(4.0) + drifts).sqrt();
        self.rounded(EIGHT_OF_TEN * spread)
    }

    /// To the nearest coin.
    fn rounded(&self, amount: f64) -> Milliunits {
        let step = self.step.get() as f64;
        Milliunits::new((amount / step).round_ties_even() as i64 * self.step.get())
    }

    /// What [`Self::assumptions`] leaves out of its lists, in a sentence with a space before it, or nothing.
    pub fn cut_off(&self) -> String {
        let lists = [(self.bills.len(), "bills, largest first"), (self.scheduled.len(), "schedules, soonest first")];
        let cut = lists.iter().filter(|(count, _)| *count > LISTED_MAX);
        let cut: Vec<String> = cut.map(|(count, what)| format!("{LISTED_MAX} of {count} {what}")).collect();
        if cut.is_empty() { String::new() } else { format!(" Listed are {}; all count.", cut.join(", and ")) }
    }

    /// What was assumed, for the reader.
    pub fn assumptions(self, ask: &Ask<'_>) -> Assumptions {
        let average = |rest: &Rest, given: Option<Milliunits>| given.unwrap_or_else(|| self.rounded(rest.average));
        let (variable, income) =
            (average(&self.spending, self.given_spending), average(&self.income, self.given_income));
        let mut matters = self.matters;
        matters.sort_by_key(|(_, total)| std::cmp::Reverse(total.abs()));
        matters.truncate(MATTER_MOST);
        let (mut bills, mut scheduled) = (self.bills, self.scheduled);
        bills.sort_by(|a, b| b.amount.0.abs().cmp(&a.amount.0.abs()).then_with(|| a.payee.cmp(&b.payee)));
        bills.truncate(LISTED_MAX);
        scheduled.sort_by(|a, b| (a.next.date, &a.next.payee).cmp(&(b.next.date, &b.next.payee)));
        scheduled.truncate(LISTED_MAX);
        Assumptions {
            recurring: bills,
            variable_monthly: variable.into(),
            monthly_income: income.into(),
            one_offs: ask.one_offs.to_vec(),
            scheduled,
            matter_most: matters.into_iter().map(|(what, total)| Matter { what, total: Amount(total) }).collect(),
        }
    }
}

/// The first day a late bill may still come.
fn tomorrow(today: Date, ask: &Ask<'_>) -> Date {
    add_days(today, 1).min(ask.until.last()).max(today)
}

/// The first month the moves cover whole.
fn first_whole(moves: &[Move], today: Date) -> Month {
    let first = moves.first().map_or(today, |first| first.date);
    let month = Month::of(first);
    if first.day() <= 3 { month } else { month.add(1) }
}

/// What goes out in an average month since that one.
fn money_out(moves: &[Move], first: Month, today: Date) -> f64 {
    let out = moves.iter().filter(|one| one.amount.is_negative() && one.date >= first.first());
    let days = f64::from((day_number(today) - day_number(first.first())).max(30));
    out.map(|one| -one.amount.get() as f64).sum::<f64>() / days * 30.44
}

/// How far past full months were from what is expected of such months, oldest first: of the rest, and of what comes back
/// with another amount each time.
fn residuals([spending, income]: [&Rest; 2], moves: &[Move], found: &[Series], today: Date) -> Vec<f64> {
    let mut residuals: Vec<f64> =
        spending.residuals.iter().zip(&income.residuals).map(|(out, income)| out + income).collect();
    let start = Month::of(today).add(-(residuals.len() as i32));
    for series in found.iter().filter(|series| series.active && !series.steady) {
        for one in series.moves.iter().map(|&at| &moves[at]) {
            let place = usize::try_from(start.until(Month::of(one.date))).ok();
            if let Some(residual) = place.and_then(|place| residuals.get_mut(place)) {
                *residual += (one.amount - series.amount).get() as f64;
            }
        }
    }
    residuals
}

/// Money in that is no refund: to Ready to Assign, or without a category.
fn is_income(plan: &Plan, one: &Move) -> bool {
    let is_own = one.category.is_some_and(|ix| !plan.categories[ix].in_internal_group());
    one.amount.is_positive() && !is_own
}

/// Whether the schedule's next date was paid before it came.
fn is_paid(
    schedule: &Scheduled,
    amount: Milliunits,
    stands_for: Option<&Series>,
    (moves, names): (&[Move], &Names),
    today: Date,
) -> bool {
    let next = schedule.date_next;
    let rhythm = Rhythm::of_schedule(&schedule.frequency);
    if let Some(series) = stands_for.filter(|series| rhythm == Some(series.rhythm)) {
        let half = (series.rhythm.days() / 2.0) as i32;
        return day_number(series.next) - day_number(next) >= half;
    }
    // Paid lately to that name, or the same amount to the same account outside.
    let since = add_days(next, -EARLY_DAYS);
    let lately = moves.iter().rev().take_while(|one| one.date >= since && one.date <= today);
    lately.into_iter().any(|one| {
        let same = (one.amount - amount).abs().wide() * 50 <= amount.abs().wide();
        let named = match schedule.transfer_account {
            Some(other) => one.other == Some(other),
            None => one.other.is_none() && names.is_named(schedule.payee, one),
        };
        same && named && rhythm.is_none()
    })
}
