//! Owns the balance ahead, month by month, with what was assumed to get there.
//! Never hides an assumption: the caller sees each one and can replace it.

use schemars::JsonSchema;
use serde::Serialize;

use super::year_month;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::ids::AccountId;
use crate::money::{Amount, Milliunits};
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
pub struct OneOff {
    /// The day.
    #[schemars(with = "String")]
    pub date: Date,
    /// The amount; a payment is negative.
    pub amount: Amount,
    /// What it is.
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
}

/// A bill or an income that comes back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Bill {
    /// Who.
    pub payee: String,
    /// Each time.
    pub amount: Amount,
    /// Usual day of the month.
    pub day: i64,
    /// In how many months it was seen.
    pub months_seen: i64,
}

/// A schedule's part in the forecast.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledLine {
    /// Its id.
    pub scheduled_id: String,
    /// Its next date.
    #[schemars(with = "String")]
    pub date: Date,
    /// Each time.
    pub amount: Amount,
    /// Its account.
    pub account: String,
    /// Its category.
    pub category: Option<String>,
    /// Who.
    pub payee: String,
    /// Its memo.
    pub memo: Option<String>,
    /// YNAB's word.
    pub frequency: String,
    /// Whether it moves money between accounts.
    pub transfer: bool,
}

/// A projected month.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MonthAhead {
    /// YYYY-MM.
    pub month: String,
    /// At its start; today's balance for the current one.
    pub start: Amount,
    /// Money in.
    pub inflows: Amount,
    /// Money out, negative.
    pub outflows: Amount,
    /// At its end.
    pub end: Amount,
    /// Its lowest day.
    pub lowest: Amount,
}

/// The balance of those accounts to the end of that month. Refused: a month before this one or more than
/// [`MONTHS_MAX`] ahead, no account or one that is unknown, closed or not budgeted, spending above zero, income below
/// zero, and a one-off outside the time projected.
pub fn project(plan: &Plan, ask: &Ask<'_>, today: Date) -> Result<Forecast, Refusal> {
    let accounts = accounts(plan, ask.account_ids)?;
    check(ask, today)?;
    let start: Milliunits = accounts.iter().map(|&ix| plan.accounts[ix].balance).sum();
    let (income, spending) = (ask.monthly_income.unwrap_or_default(), ask.variable_monthly.unwrap_or_default());
    let mut balance = start;
    let mut months = Vec::new();
    for month in Month::of(today).through(ask.until) {
        let once = ask.one_offs.iter().filter(|once| Month::of(once.date) == month).map(|once| once.amount.0);
        let (ins, outs): (Vec<_>, Vec<_>) = once.partition(|amount| amount.is_positive());
        let (inflows, outflows) = (income + ins.iter().sum(), spending + outs.iter().sum());
        let end = balance + inflows + outflows;
        months.push(MonthAhead {
            month: year_month(month),
            start: balance.into(),
            inflows: inflows.into(),
            outflows: outflows.into(),
            end: end.into(),
            lowest: balance.min(end).into(),
        });
        balance = end;
    }
    let first_shortfall = months.iter().find(|month| month.lowest.0.is_negative()).map(|month| month.month.clone());
    let message = match &first_shortfall {
        Some(month) => format!("The balance falls below zero in {month}."),
        None => format!("The balance stays above zero until the end of {}.", year_month(ask.until)),
    };
    Ok(Forecast {
        message,
        accounts: accounts.iter().map(|&ix| text::safe(&plan.accounts[ix].name).into_owned()).collect(),
        start_balance: start.into(),
        assumptions: Assumptions {
            recurring: Vec::new(),
            variable_monthly: spending.into(),
            monthly_income: income.into(),
            one_offs: ask.one_offs.to_vec(),
            scheduled: Vec::new(),
        },
        months,
        first_shortfall,
    })
}

/// The accounts to project: those given, each once, else every open budget account.
fn accounts(plan: &Plan, given: Option<&[AccountId]>) -> Result<Vec<Ix<Account>>, Refusal> {
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
