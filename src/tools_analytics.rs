//! Owns the tools that tell what the plan's figures say: spending, saving, worth, debts, targets. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analytics::age::AgeOfMoney;
use crate::analytics::budget_vs_actual::BudgetVsActual;
use crate::analytics::debt::{Override, PayoffPlan, Strategies};
use crate::analytics::net_worth::NetWorthTrend;
use crate::analytics::runway::{Runway, Savings};
use crate::analytics::savings::SavingsRate;
use crate::analytics::targets::Underfunded;
use crate::analytics::trends::Trends;
use crate::analytics::{age, budget_vs_actual, debt, net_worth, runway, savings, targets, trends};
use crate::client::Age;
use crate::money::Milliunits;
use crate::plan::Plan;
use crate::server::tool::{Call, Failure, Tool, Words};
use crate::tools_budget::{OfMonth, current, month_of};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::read(GET_BUDGET_VS_ACTUAL, get_budget_vs_actual),
        Tool::read(GET_SPENDING_TRENDS, get_spending_trends),
        Tool::read(GET_NET_WORTH_TREND, get_net_worth_trend),
        Tool::read(GET_SAVINGS_RATE, get_savings_rate),
        Tool::read(GET_RUNWAY, get_runway),
        Tool::read(GET_AGE_OF_MONEY, get_age_of_money),
        Tool::read(GET_DEBT_PAYOFF_PLAN, get_debt_payoff_plan),
        Tool::read(GET_UNDERFUNDED_TARGETS, get_underfunded_targets),
    ]
}

/// The arguments of a tool that looks back over some months: three, six or twelve when not said.
macro_rules! months_back {
    ($name:ident, $default:literal) => {
        #[derive(Deserialize, JsonSchema)]
        struct $name {
            /// A plan's id, or last-used.
            plan_id: String,
            #[serde(default = $default)]
            #[schemars(range(min = 1, max = 24))]
            months_count: usize,
        }
    };
}

months_back!(ThreeMonths, "three");
months_back!(SixMonths, "six");
months_back!(TwelveMonths, "twelve");

fn three() -> usize {
    3
}

fn six() -> usize {
    6
}

fn twelve() -> usize {
    12
}

async fn whole(call: &Call, plan_id: &str) -> Result<Arc<Plan>, Failure> {
    let plan = call.plan_id(plan_id).await?;
    Ok(call.client().plan(&call.scope, &plan, Age::Recent).await?)
}

const GET_BUDGET_VS_ACTUAL: Words = Words {
    name: "get_budget_vs_actual",
    title: "Budget vs actual",
    description: "Per category of a month: assigned, left from earlier months, spent (positive; refunds make it negative) \
        and the percentage used. For several months, get_spending_trends.",
};

async fn get_budget_vs_actual(call: Arc<Call>, ask: OfMonth) -> Result<BudgetVsActual, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let month = month_of(&call, &plan, month, Age::Recent).await?;
    Ok(budget_vs_actual::compare(&month, &call.client().currency(&call.scope, &plan).await?))
}

const GET_SPENDING_TRENDS: Words = Words {
    name: "get_spending_trends",
    title: "Spending trends",
    description: "What each category spent in each of the last months, this one included, oldest first. Spending is \
        positive; a month of refunds is negative.",
};

async fn get_spending_trends(call: Arc<Call>, ask: ThreeMonths) -> Result<Trends, Failure> {
    Ok(trends::trends(&*whole(&call, &ask.plan_id).await?, call.today(), ask.months_count))
}

const GET_NET_WORTH_TREND: Words = Words {
    name: "get_net_worth_trend",
    title: "Net worth month by month",
    description: "Assets, debts (negative) and net worth at each month's end, this month's as of today. All accounts, \
        tracking ones too.",
};

async fn get_net_worth_trend(call: Arc<Call>, ask: TwelveMonths) -> Result<NetWorthTrend, Failure> {
    Ok(net_worth::trend(&*whole(&call, &ask.plan_id).await?, call.today(), ask.months_count))
}

const GET_SAVINGS_RATE: Words = Words {
    name: "get_savings_rate",
    title: "Savings rate month by month",
    description: "Income, spending (negative, net of refunds) and what was saved, per complete month, with the rate in \
        percent of income.",
};

async fn get_savings_rate(call: Arc<Call>, ask: SixMonths) -> Result<SavingsRate, Failure> {
    Ok(savings::rate(&*whole(&call, &ask.plan_id).await?, call.today(), ask.months_count))
}

const GET_RUNWAY: Words = Words {
    name: "get_runway",
    title: "Months of runway",
    description: "How many months the money at hand would last at the past pace of spending if nothing came in. With \
        essential_groups, also at their pace alone.",
};

#[derive(Deserialize, JsonSchema)]
struct RunwayAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// Complete months to average.
    #[serde(default = "six")]
    #[schemars(range(min = 1, max = 24))]
    months_count: usize,
    /// Ids or names of category groups.
    #[schemars(length(min = 1, max = 50), inner(length(min = 1, max = 200)))]
    essential_groups: Option<Vec<String>>,
    #[serde(default = "yes")]
    include_savings: bool,
}

fn yes() -> bool {
    true
}

async fn get_runway(call: Arc<Call>, ask: RunwayAsk) -> Result<Runway, Failure> {
    let savings = if ask.include_savings { Savings::Include } else { Savings::LeaveOut };
    let plan = whole(&call, &ask.plan_id).await?;
    Ok(runway::runway(&plan, call.today(), ask.months_count, ask.essential_groups.as_deref(), savings)?)
}

const GET_AGE_OF_MONEY: Words = Words {
    name: "get_age_of_money",
    title: "Age of Money month by month",
    description: "YNAB's Age of Money, in days, at each month's end, and where it goes.",
};

async fn get_age_of_money(call: Arc<Call>, ask: TwelveMonths) -> Result<AgeOfMoney, Failure> {
    Ok(age::age(&*whole(&call, &ask.plan_id).await?, call.today(), ask.months_count))
}

const GET_DEBT_PAYOFF_PLAN: Words = Words {
    name: "get_debt_payoff_plan",
    title: "Debt payoff plan",
    description: "When the open debts are paid off and what interest they cost, highest rate first (avalanche), smallest \
        debt first (snowball) or both. YNAB knows loans' terms, not cards': ask the user, give them in overrides.",
};

#[derive(Deserialize, JsonSchema)]
struct PayoffAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[serde(default)]
    strategy: Strategies,
    /// What can be paid in all; else worked out.
    #[schemars(range(max = 1e9), extend("exclusiveMinimum" = 0))]
    monthly_budget: Option<f64>,
    #[schemars(length(min = 1, max = 50))]
    overrides: Option<Vec<OverrideAsk>>,
    #[serde(default = "fifty_years")]
    #[schemars(range(min = 12, max = 1200))]
    max_months: usize,
}

#[derive(Deserialize, JsonSchema)]
struct OverrideAsk {
    /// Its id or name.
    #[schemars(length(min = 1, max = 200))]
    account: String,
    /// Percent a year.
    #[schemars(range(min = 0, max = 100))]
    interest_rate: Option<f64>,
    #[schemars(range(min = 0, max = 1e9))]
    minimum_payment: Option<f64>,
}

fn fifty_years() -> usize {
    600
}

async fn get_debt_payoff_plan(call: Arc<Call>, ask: PayoffAsk) -> Result<PayoffPlan, Failure> {
    let plan = whole(&call, &ask.plan_id).await?;
    let overrides: Vec<Override> = ask.overrides.into_iter().flatten().map(Override::from).collect();
    let ask = debt::Ask {
        strategies: ask.strategy,
        monthly_budget: ask.monthly_budget.and_then(Milliunits::read),
        overrides: &overrides,
        max_months: ask.max_months,
    };
    Ok(debt::plan_payoff(&plan, call.today(), &ask)?)
}

impl From<OverrideAsk> for Override {
    fn from(ask: OverrideAsk) -> Self {
        Self {
            account: ask.account,
            // A percentage is read to its thousandths, as an amount is.
            interest_rate: ask.interest_rate.and_then(Milliunits::read).map(Milliunits::get),
            minimum_payment: ask.minimum_payment.and_then(Milliunits::read),
        }
    }
}

const GET_UNDERFUNDED_TARGETS: Words = Words {
    name: "get_underfunded_targets",
    title: "Underfunded targets",
    description: "The targets that still need money in a month, most urgent first, and whether Ready to Assign covers \
        them.",
};

#[derive(Deserialize, JsonSchema)]
struct TargetsAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// current, or YYYY-MM-01.
    #[serde(default = "current")]
    month: String,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

async fn get_underfunded_targets(call: Arc<Call>, ask: TargetsAsk) -> Result<Underfunded, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let month = month_of(&call, &plan, month, Age::Recent).await?;
    Ok(targets::underfunded(&month, &call.client().currency(&call.scope, &plan).await?, ask.limit))
}
