//! Owns the tools closest to YNAB: plans, accounts, groups, a month, transactions, schedules, and approving. Never
//! computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analytics::accounts::{Accounts, Groups};
use crate::analytics::month::{Balances, Empty, Summary};
use crate::analytics::scheduled::{Period, Upcoming};
use crate::analytics::search::{Found, Search};
use crate::analytics::{ROWS, accounts, month, plans, scheduled, search};
use crate::client::Age;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::ids::PlanId;
use crate::money::Milliunits;
use crate::plan::MonthBudget;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::writes::approve::{self, Approval};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::read(LIST_PLANS, list_plans),
        Tool::read(LIST_ACCOUNTS, list_accounts),
        Tool::read(LIST_CATEGORY_GROUPS, list_category_groups),
        Tool::read(GET_MONTHLY_SUMMARY, get_monthly_summary),
        Tool::read(GET_CATEGORY_BALANCES, get_category_balances),
        Tool::read(FIND_TRANSACTIONS, find_transactions),
        Tool::read(LIST_SCHEDULED_TRANSACTIONS, list_scheduled_transactions),
        Tool::write(APPROVE_TRANSACTIONS, Effect::Marks, approve_transactions),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// The arguments of a tool that asks about a whole plan.
#[derive(Deserialize, JsonSchema)]
pub struct OfPlan {
    /// A plan's id, or last-used.
    pub plan_id: String,
}

/// The arguments of a tool that asks about a month.
#[derive(Deserialize, JsonSchema)]
pub struct OfMonth {
    /// A plan's id, or last-used.
    pub plan_id: String,
    /// current, or YYYY-MM-01.
    #[serde(default = "current")]
    pub month: String,
}

/// A month of the plan; one that the plan lacks is refused with those it has.
pub async fn month_of(call: &Call, plan: &PlanId, month: Month, age: Age) -> Result<MonthBudget, Refusal> {
    match call.client().month(&call.scope, plan, month, age).await {
        Err(error) if error.is_not_found() => {
            let plans = call.client().plans(&call.scope).await?;
            let plan = plans.iter().find(|known| known.id == *plan);
            Err(plan.map_or_else(|| error.into(), |plan| month::lacking(month, plan)))
        }
        read => Ok(read?),
    }
}

/// The month that is asked about when none is named.
pub fn current() -> String {
    "current".into()
}

const LIST_PLANS: Words = Words {
    name: "list_plans",
    title: "List plans",
    description: "The user's plans (budgets) with their ids, currency, and first and last months. Start here.",
};

async fn list_plans(call: Arc<Call>, _: Nothing) -> Result<plans::Plans, Failure> {
    Ok(plans::list(&call.client().plans(&call.scope).await?))
}

const LIST_ACCOUNTS: Words = Words {
    name: "list_accounts",
    title: "List accounts",
    description: "Every account with its balances now, closed ones included. on_budget false: a tracking account. \
        Debts are negative.",
};

async fn list_accounts(call: Arc<Call>, ask: OfPlan) -> Result<Accounts, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    Ok(accounts::list(&call.client().accounts(&call.scope, &plan, Age::Recent).await?))
}

const LIST_CATEGORY_GROUPS: Words = Words {
    name: "list_category_groups",
    title: "List category groups",
    description: "The user's visible category groups. For the categories, get_category_balances.",
};

async fn list_category_groups(call: Arc<Call>, ask: OfPlan) -> Result<Groups, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let (groups, _) = call.client().categories(&call.scope, &plan, Age::Recent).await?;
    Ok(accounts::groups(&groups))
}

const GET_MONTHLY_SUMMARY: Words = Words {
    name: "get_monthly_summary",
    title: "Month summary",
    description: "A month in figures: income, assigned, activity (spending is negative), Ready to Assign, Age of Money \
        in days, and the overspent categories.",
};

async fn get_monthly_summary(call: Arc<Call>, ask: OfMonth) -> Result<Summary, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    Ok(month::summary(&month_of(&call, &plan, month, Age::Recent).await?))
}

const GET_CATEGORY_BALANCES: Words = Words {
    name: "get_category_balances",
    title: "Category balances for a month",
    description: "Each visible category's id and, for a month, what was assigned, its activity (spending is negative) \
        and what is available. All-zero ones only with include_empty.",
};

#[derive(Deserialize, JsonSchema)]
struct BalancesAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// current, or YYYY-MM-01.
    #[serde(default = "current")]
    month: String,
    #[serde(default)]
    include_empty: bool,
}

async fn get_category_balances(call: Arc<Call>, ask: BalancesAsk) -> Result<Balances, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let month = month_of(&call, &plan, month, Age::Recent).await?;
    Ok(month::balances(&month, if ask.include_empty { Empty::Include } else { Empty::LeaveOut }))
}

const FIND_TRANSACTIONS: Words = Words {
    name: "find_transactions",
    title: "Find transactions",
    description: "Transactions between two dates (at most 366 days), newest first, that meet every filter given. Amounts \
        are signed: spending is negative. `truncated`: more match, `total` in all.",
};

#[derive(Deserialize, JsonSchema)]
struct FindAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[schemars(with = "String", extend("format" = "date"))]
    since_date: Date,
    /// Today when absent.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    until_date: Option<Date>,
    /// Exactly.
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: Option<f64>,
    #[schemars(range(min = -1e9, max = 1e9))]
    amount_min: Option<f64>,
    #[schemars(range(min = -1e9, max = 1e9))]
    amount_max: Option<f64>,
    account_ids: Option<Vec<String>>,
    /// Split lines count.
    category_ids: Option<Vec<String>>,
    /// Part of the payee's name or merchant.
    payee: Option<String>,
    /// Part of the memo.
    memo: Option<String>,
    #[serde(default = "rows")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
}

fn rows() -> usize {
    ROWS
}

async fn find_transactions(call: Arc<Call>, ask: FindAsk) -> Result<Found, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    let search = Search {
        since: ask.since_date,
        until: ask.until_date,
        amount: ask.amount.and_then(Milliunits::read),
        amount_min: ask.amount_min.and_then(Milliunits::read),
        amount_max: ask.amount_max.and_then(Milliunits::read),
        account_ids: ask.account_ids.as_deref(),
        category_ids: ask.category_ids.as_deref(),
        payee: ask.payee.as_deref(),
        memo: ask.memo.as_deref(),
        limit: ask.limit,
    };
    Ok(search::find(&plan, call.today(), &search)?)
}

const LIST_SCHEDULED_TRANSACTIONS: Words = Words {
    name: "list_scheduled_transactions",
    title: "List scheduled transactions",
    description: "Every date a schedule falls on in a period (default: today and the next 30 days, at most 366), what is \
        overdue, and the period's inflows and outflows, transfers left out. For balances ahead, forecast_balance.",
};

#[derive(Deserialize, JsonSchema)]
struct ScheduledAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    since_date: Option<Date>,
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    until_date: Option<Date>,
    account_ids: Option<Vec<String>>,
}

async fn list_scheduled_transactions(call: Arc<Call>, ask: ScheduledAsk) -> Result<Upcoming, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    let period = Period { since: ask.since_date, until: ask.until_date, account_ids: ask.account_ids.as_deref() };
    Ok(scheduled::list(&plan, call.today(), &period)?)
}

const APPROVE_TRANSACTIONS: Words = Words {
    name: "approve_transactions",
    title: "Approve transactions",
    description: "Marks transactions approved at once, without a question: only when the user asked for it. `approved` \
        counts those that were not yet. undo_operation takes it back.",
};

#[derive(Deserialize, JsonSchema)]
struct ApproveAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    tx_ids: Vec<String>,
}

async fn approve_transactions(call: Arc<Call>, ask: ApproveAsk) -> Result<Reply<Approval>, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Now).await?;
    let ids: Vec<&str> = ask.tx_ids.iter().map(String::as_str).collect();
    Ok(Reply::Answer(write::unasked(&call, approve::approve(&plan, &ids)?).await?))
}
