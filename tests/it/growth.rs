//! Owns the guard against work that grows faster than the plan: what looks through all history, on a plan of 12,500
//! transactions and on one of 50,000. Never times against a fixed limit.

use std::time::{Duration, Instant};

use avenir_mcp::client::mirror::Mirror;
use avenir_mcp::dates::Month;
use avenir_mcp::demo::{self, Request};
use avenir_mcp::forecast::balance::{Ask, project};
use avenir_mcp::forecast::recurring::charges;
use avenir_mcp::plan::Plan;
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 6, 15);
/// Four times the plan takes four times as long where work grows with it, sixteen times where it grows with its square.
const RATIO_MAX: f64 = 9.0;
const TIMES: usize = 5;

fn mirror(transactions: usize) -> Mirror {
    let request = Request { method: "GET", path: "/plans/last-used", body: &[] };
    let body = demo::large(TODAY, transactions).handle(request).body;
    Mirror::whole(&"plan".into(), &body, Month::of(TODAY)).expect("a plan")
}

/// The shortest of several runs: what else the machine does only makes one longer.
fn shortest(work: impl Fn()) -> Duration {
    let runs = (0..TIMES).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().expect("a run")
}

#[test]
fn looking_ahead_takes_no_more_than_its_share_of_time_on_a_longer_history() {
    let (small, large) = (mirror(12_500), mirror(50_000));
    let recurring: fn(&Plan) = |plan| drop(charges(plan, true, TODAY));
    let forecast: fn(&Plan) = |plan| {
        let until = Month::of(TODAY).add(12);
        let ask = Ask { until, account_ids: None, monthly_income: None, variable_monthly: None, one_offs: &[] };
        drop(project(plan, &ask, TODAY).expect("a forecast"));
    };
    for (name, part) in [("recurring charges", recurring), ("forecast", forecast)] {
        let (short, long) = (shortest(|| part(small.plan())), shortest(|| part(large.plan())));
        let ratio = long.as_secs_f64() / short.as_secs_f64();
        assert!(ratio < RATIO_MAX, "{name}: {ratio:.1} times as long, {short:?} and {long:?}");
    }
}
