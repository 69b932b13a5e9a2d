//! Owns the balance ahead, month by month, with what was assumed to get there.
//! Never hides an assumption: the caller sees each one and can replace it.

use schemars::JsonSchema;
use serde::Serialize;

use super::outlook::Outlook;
use super::year_month;
use crate::analytics::scheduled::Occurrence;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::ids::AccountId;
use crate::money::{Amount, Currency, Milliunits};
use crate::plan::{Account, Ix, Plan};
use crate::{refuse, text};

/// How many months ahead can be asked for.
pub const MONTHS_MAX: i32 = 24;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The last month to project.
    pub until: Month,
    /// Which budget accounts; all open ones when not given.
    pub account_ids: Option<&'a [AccountId]>,
    /// Income a month to expect, in the place of what history and schedules say.
    pub monthly_income: Option<Milliunits>,
    /// Other spending a month, negative, in the place of history's average.
    pub variable_monthly: Option<Milliunits>,
    /// Amounts expected once.
    pub one_offs: &'a [OneOff],
}

/// An amount expected once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct OneOff {
    #[schemars(with = "String")]
    pub date: Date,
    /// The amount; a payment is negative.
    pub amount: Amount,
    pub label: String,
}

/// The balances ahead.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Forecast {
    /// The conclusion.
    pub message: String,
    /// The accounts projected together.
    pub accounts: Vec<String>,
    /// Their balance today.
    pub start_balance: Amount,
    /// What was assumed.
    pub assumptions: Assumptions,
    /// From this month on.
    pub months: Vec<MonthAhead>,
    /// The first month that dips below zero, YYYY-MM.
    pub first_shortfall: Option<String>,
}

/// What a forecast assumes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Assumptions {
    /// Bills and income that come back and no schedule covers.
    pub recurring: Vec<Bill>,
    /// Other spending in an average month.
    pub variable_monthly: Amount,
    /// Other income in an average month.
    pub monthly_income: Amount,
    /// As given.
    pub one_offs: Vec<OneOff>,
    /// YNAB's schedules, one line each.
    pub scheduled: Vec<ScheduledLine>,
    /// The three that matter most, each with what it comes to until the end.
    pub matter_most: Vec<Matter>,
}

/// An assumption and its weight.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Matter {
    /// Which.
    pub what: String,
    /// What it adds until the end; out is negative.
    pub total: Amount,
}

/// A bill or an income that comes back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Bill {
    pub payee: String,
    /// Each time.
    pub amount: Amount,
    /// Usual day of the month.
    pub day: i64,
    /// In how many months it was seen.
    pub months_seen: i64,
    /// How often.
    pub rhythm: String,
}

/// A schedule's part in the forecast.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledLine {
    /// Its next date.
    #[serde(flatten)]
    pub next: Occurrence,
    /// How many times until the end.
    pub times: i64,
    /// What they come to.
    pub total: Amount,
}

/// A projected month.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct MonthAhead {
    pub month: String,
    /// At its start; today's balance for the current one.
    pub start: Amount,
    pub inflows: Amount,
    /// Money out, negative.
    pub outflows: Amount,
    pub end: Amount,
    /// Its lowest day.
    pub lowest: Amount,
    /// Where its end falls 8 times of 10.
    pub range: Range,
}

/// From, to.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Range {
    /// From.
    pub low: Amount,
    /// To.
    pub high: Amount,
}

/// The balance of those accounts to the end of that month. Refused: a month before this one or more than
/// [`MONTHS_MAX`] ahead, no account or one that is unknown, closed or not budgeted, spending above zero, income below
/// zero, and a one-off outside the time projected.
pub fn project(plan: &Plan, ask: &Ask<'_>, today: Date) -> Result<Forecast, Refusal> {
    let chosen = chosen(plan, ask.account_ids)?;
    check(ask, today)?;
    let outlook = Outlook::of(plan, ask, &chosen, today);
    let start = balance_today(plan, &chosen, today);
    let months = walk(plan, ask, &outlook, start, today);
    let first_shortfall = months.iter().find(|month| month.lowest.0.is_negative()).map(|month| month.month.clone());
    Ok(Forecast {
        message: message(plan, ask, &months, first_shortfall.as_deref()) + &outlook.cut_off(),
        accounts: chosen.iter().map(|&ix| text::safe(&plan.accounts[ix].name).into_owned()).collect(),
        start_balance: start.into(),
        assumptions: outlook.assumptions(ask),
        months,
        first_shortfall,
    })
}

/// What the accounts hold today: YNAB's balance less what is dated later.
fn balance_today(plan: &Plan, chosen: &[Ix<Account>], today: Date) -> Milliunits {
    let balances: i128 = chosen.iter().map(|&ix| plan.accounts[ix].balance.wide()).sum();
    let later = plan.live().filter(|t| t.date > today && chosen.contains(&t.account));
    Milliunits::from_wide(balances - later.map(|t| t.amount.wide()).sum::<i128>())
}

fn message(plan: &Plan, ask: &Ask<'_>, months: &[MonthAhead], shortfall: Option<&str>) -> String {
    let until = year_month(ask.until);
    let end = months.last().map_or(Milliunits::ZERO, |month| month.end.0);
    let end = plan.currency.show(end);
    let conclusion = match shortfall {
        Some(month) => format!("The balance goes below zero in {month}; at the end of {until} it is {end}."),
        None => format!("The balance stays above zero until the end of {until}, when it is {end}."),
    };
    format!("{conclusion} This rests on the assumptions listed: check them with the user.")
}

/// Each month's figures, day by day from today: what is due now, then what is dated, then the rest spread evenly.
fn walk(plan: &Plan, ask: &Ask<'_>, outlook: &Outlook, start: Milliunits, today: Date) -> Vec<MonthAhead> {
    let mut balance = start.wide();
    let mut months = Vec::new();
    for month in Month::of(today).through(ask.until) {
        let opening = balance;
        let first_day = if month == Month::of(today) { today.day() } else { 1 };
        // Nothing is spread over today: it is nearly over.
        let spread_from = if month == Month::of(today) { today.day() + 1 } else { 1 };
        let (spending, income) = outlook.rest(month, today);
        let (mut lowest, mut inflows, mut outflows) = (balance, 0, 0);
        for day in first_day..=month.days() {
            let mut flows = outlook.on(month.day(day)).to_vec();
            if day >= spread_from {
                let days = (i64::from(day - spread_from), i64::from(month.days() - spread_from + 1));
                flows.extend([part(spending, days, &plan.currency), part(income, days, &plan.currency)]);
            }
            for flow in flows {
                let side = if flow.is_negative() { &mut outflows } else { &mut inflows };
                *side += flow.wide();
                balance += flow.wide();
            }
            lowest = lowest.min(balance);
        }
        let wide = |amount: i128| Amount(Milliunits::from_wide(amount));
        let away = outlook.away(month, today);
        let range = Range { low: wide(balance - away.wide()), high: wide(balance + away.wide()) };
        months.push(MonthAhead {
            month: year_month(month),
            start: wide(opening),
            inflows: wide(inflows),
            outflows: wide(outflows),
            end: wide(balance),
            lowest: wide(lowest),
            range,
        });
    }
    months
}

/// The share of one day of so many, in whole coins: the first days take what is left over.
fn part(total: Milliunits, (day, days): (i64, i64), currency: &Currency) -> Milliunits {
    let step = currency.step().get();
    let coins = total.get() / step;
    let left_over = coins % days;
    let extra = if day < left_over.abs() { left_over.signum() } else { 0 };
    Milliunits::new((coins / days + extra) * step)
}

/// The accounts to project: those given, each once, else every open budget account.
fn chosen(plan: &Plan, given: Option<&[AccountId]>) -> Result<Vec<Ix<Account>>, Refusal> {
    let open = |account: &Account| account.on_budget && !account.closed && !account.deleted;
    let Some(ids) = given else {
        return Ok(plan.accounts.enumerate().filter(|(_, account)| open(account)).map(|(ix, _)| ix).collect());
    };
    if ids.is_empty() {
        return Err(refuse!("account_ids names no account. Leave it out for every open budget account."));
    }
    let mut accounts = Vec::new();
    for id in ids {
        let found = plan.accounts.find(id).filter(|&ix| !plan.accounts[ix].deleted);
        let ix = found.ok_or_else(|| refuse!("No such account in this plan: take its id from list_accounts."))?;
        let account = &plan.accounts[ix];
        if !open(account) {
            let name = text::safe(&account.name);
            let state = if account.closed { "closed" } else { "a tracking account" };
            return Err(refuse!("{name} is {state}. Forecasts are made for open budget accounts."));
        }
        if !accounts.contains(&ix) {
            accounts.push(ix);
        }
    }
    Ok(accounts)
}

fn check(ask: &Ask<'_>, today: Date) -> Result<(), Refusal> {
    let ahead = Month::of(today).until(ask.until);
    if !(0..=MONTHS_MAX).contains(&ahead) {
        let (first, last) = (year_month(Month::of(today)), year_month(Month::of(today).add(MONTHS_MAX)));
        return Err(refuse!("until is outside what can be forecast. Give a month from {first} to {last}."));
    }
    if ask.variable_monthly.is_some_and(Milliunits::is_positive) {
        return Err(refuse!("variable_monthly is spending: give it as a negative amount, or 0."));
    }
    if ask.monthly_income.is_some_and(Milliunits::is_negative) {
        return Err(refuse!("monthly_income is money received: give it as a positive amount, or 0."));
    }
    for (n, once) in ask.one_offs.iter().enumerate() {
        if once.date < today {
            return Err(refuse!("one_offs[{n}] is dated before today: it is in the balance already. Leave it out."));
        }
        if once.date > ask.until.last() {
            return Err(refuse!(
                "one_offs[{n}] is dated after {}: forecast further, or leave it out.",
                ask.until.last()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
