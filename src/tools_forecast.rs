//! Owns the tools that look ahead: recurring charges, and the balance to come. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::forecast::balance::{self, Forecast, OneOff};
use crate::forecast::recurring::{self, Recurring};
use crate::ids::AccountId;
use crate::money::{Amount, Milliunits};
use crate::refuse;
use crate::server::tool::{Call, Failure, Tool, Words};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![Tool::read(FIND_RECURRING_CHARGES, find_recurring_charges), Tool::read(FORECAST_BALANCE, forecast_balance)]
}

const FIND_RECURRING_CHARGES: Words = Words {
    name: "find_recurring_charges",
    title: "Find recurring charges",
    description: "Subscriptions and bills that come back, from weekly to yearly, costliest first, with what each costs a \
        year and whether a schedule covers it. yearly_total counts charges alone. Dates to come: \
        list_scheduled_transactions.",
};

#[derive(Deserialize, JsonSchema)]
struct RecurringAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[serde(default)]
    include_income: bool,
}

async fn find_recurring_charges(call: Arc<Call>, ask: RecurringAsk) -> Result<Recurring, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    Ok(recurring::charges(&plan, ask.include_income, call.today()))
}

const FORECAST_BALANCE: Words = Words {
    name: "forecast_balance",
    title: "Forecast the balance",
    description: "The balance of the open budget accounts, or those given, month by month to the end of `until`, with the \
        lowest day, the first month below zero and the assumptions made. Overrides: monthly_income (0 or more), \
        variable_monthly (other spending, 0 or less), one_offs.",
};

#[derive(Deserialize, JsonSchema)]
struct ForecastAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// YYYY-MM, at most 24 months ahead.
    until: String,
    account_ids: Option<Vec<AccountId>>,
    #[schemars(range(min = -1e9, max = 1e9))]
    monthly_income: Option<f64>,
    #[schemars(range(min = -1e9, max = 1e9))]
    variable_monthly: Option<f64>,
    one_offs: Option<Vec<OneOffAsk>>,
}

#[derive(Deserialize, JsonSchema)]
struct OneOffAsk {
    #[schemars(with = "String", extend("format" = "date"))]
    date: Date,
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: f64,
    label: String,
}

async fn forecast_balance(call: Arc<Call>, ask: ForecastAsk) -> Result<Forecast, Failure> {
    let until = until(&ask.until, call.today())?;
    let one_offs = ask.one_offs.unwrap_or_default().into_iter().enumerate();
    let one_offs = one_offs.map(|(at, once)| {
        let amount = Amount(amount(once.amount, &format!("one_offs[{at}].amount"))?);
        Ok(OneOff { date: once.date, amount, label: once.label })
    });
    let one_offs = one_offs.collect::<Result<Vec<OneOff>, Refusal>>()?;
    let monthly_income = ask.monthly_income.map(|units| amount(units, "monthly_income")).transpose()?;
    let variable_monthly = ask.variable_monthly.map(|units| amount(units, "variable_monthly")).transpose()?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    let ask = balance::Ask {
        until,
        account_ids: ask.account_ids.as_deref(),
        monthly_income,
        variable_monthly,
        one_offs: &one_offs,
    };
    Ok(balance::project(&plan, &ask, call.today())?)
}

fn until(text: &str, today: Date) -> Result<Month, Refusal> {
    let month = text.trim().split_once('-').map(|(year, month)| format!("{year}-{month:0>2}-01"));
    month.and_then(|text| Month::parse(&text)).ok_or_else(|| {
        refuse!("until: must be a month written YYYY-MM, such as {}.", &Month::of(today).to_string()[..7])
    })
}

fn amount(units: f64, at: &str) -> Result<Milliunits, Refusal> {
    Milliunits::read(units).ok_or_else(|| refuse!("{at}: must be a number between -1,000,000,000 and 1,000,000,000."))
}
