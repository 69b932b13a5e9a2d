//! Owns the time of the pure parts alone, in this process, on plans of each size. Never starts a server.

use std::time::Duration;

use avenir_mcp::analytics::debt::{self, Strategies};
use avenir_mcp::analytics::runway::{self, Savings};
use avenir_mcp::analytics::search::{self, Search};
use avenir_mcp::analytics::{age, net_worth, payees, savings, trends};
use avenir_mcp::client::mirror::Mirror;
use avenir_mcp::dates::{Month, add_days};
use avenir_mcp::demo::{Request, Ynab};
use avenir_mcp::forecast::{balance, recurring};
use avenir_mcp::money::Milliunits;
use avenir_mcp::plan::Plan;
use avenir_mcp::triage;
use jiff::civil::Date;

use crate::clock::timed;
use crate::table::median;
use crate::typed;

/// How often each part is run.
const TIMES: usize = 15;

/// A part: its name, and what it does with a plan and its body.
type Part = (&'static str, fn(&Body) -> Duration);

struct Body {
    body: Vec<u8>,
    mirror: Mirror,
    today: Date,
}

const PARTS: [Part; 14] = [
    ("one typed parse", |plan| typed::parse(&plan.body)),
    ("reading the plan", |plan| timed(|| Mirror::whole(&plan.plan().id, &plan.body, Month::of(plan.today)))),
    ("proving its sums", |plan| timed(|| plan.mirror.unproven())),
    ("find_transactions", |plan| {
        let since = Search { payee: Some("payee 04"), ..Search::since(add_days(plan.today, -360)) };
        timed(|| search::find(plan.plan(), plan.today, &since))
    }),
    ("list_payees", |plan| timed(|| payees::list(plan.plan(), Some("1"), 50))),
    ("get_spending_trends", |plan| timed(|| trends::trends(plan.plan(), plan.today, 24))),
    ("get_net_worth_trend", |plan| timed(|| net_worth::trend(plan.plan(), plan.today, 24))),
    ("get_savings_rate", |plan| timed(|| savings::rate(plan.plan(), plan.today, 24))),
    ("get_runway", |plan| timed(|| runway::runway(plan.plan(), plan.today, 24, None, Savings::Include))),
    ("get_age_of_money", |plan| timed(|| age::age(plan.plan(), plan.today, 24))),
    ("get_debt_payoff_plan", |plan| {
        let budget = Some(Milliunits::new(9_000_000));
        let ask = debt::Ask { strategies: Strategies::Both, monthly_budget: budget, overrides: &[], max_months: 600 };
        timed(|| debt::plan_payoff(plan.plan(), plan.today, &ask))
    }),
    ("suggest_categories", |plan| {
        timed(|| triage::suggest(plan.plan(), &triage::Ask { limit: 50, cursor: None, threshold: None }, plan.today))
    }),
    ("find_recurring_charges", |plan| timed(|| recurring::charges(plan.plan(), true, plan.today))),
    ("forecast_balance", |plan| {
        let until = Month::of(plan.today).add(12);
        let ask =
            balance::Ask { until, account_ids: None, monthly_income: None, variable_monthly: None, one_offs: &[] };
        timed(|| balance::project(plan.plan(), &ask, plan.today))
    }),
];

impl Body {
    fn of(mut ynab: Ynab) -> Self {
        let today = ynab.today();
        let body = ynab.handle(Request { method: "GET", path: "/plans/last-used", body: &[] }).body;
        let mirror = Mirror::whole(&"plan".into(), &body, Month::of(today)).expect("a plan");
        Self { body, mirror, today }
    }

    fn plan(&self) -> &Plan {
        self.mirror.plan()
    }
}

/// Each part on each plan, the middle of several runs, in seconds.
pub fn times(ynabs: impl IntoIterator<Item = Ynab>) -> Vec<(String, Vec<f64>)> {
    let mut rows: Vec<(String, Vec<f64>)> = PARTS.iter().map(|(name, _)| ((*name).to_owned(), Vec::new())).collect();
    for ynab in ynabs {
        let plan = Body::of(ynab);
        for ((_, part), row) in PARTS.iter().zip(&mut rows) {
            row.1.push(median((0..TIMES).map(|_| part(&plan)).collect()).as_secs_f64());
        }
    }
    rows
}
