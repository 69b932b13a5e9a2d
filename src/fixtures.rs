//! Owns the recorded plans that unit tests read. Never part of the binary.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::client::wire;
use crate::dates::{Date, Month, parse_date};
use crate::plan::Plan;

/// A recorded corpus: its day and its plans.
pub(crate) struct Corpus {
    pub(crate) today: Date,
    pub(crate) plans: Vec<Plan>,
}

/// Reads `household`, `yen` or `two-plans`.
pub(crate) fn corpus(name: &str) -> Corpus {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).join("plan.json");
    let file: Value = serde_json::from_slice(&std::fs::read(path).expect("the recorded plan")).expect("JSON");
    let today = parse_date(file["today"].as_str().expect("today")).expect("a day");
    let plans = file["plans"].as_array().expect("plans").iter().map(|body| {
        let body = serde_json::json!({ "data": { "plan": body, "server_knowledge": 1 } }).to_string();
        let mut plan = Arc::new(Plan::default());
        wire::merge(&mut plan, body.as_bytes(), Month::of(today)).expect("a readable plan");
        Arc::unwrap_or_clone(plan)
    });
    Corpus { today, plans: plans.collect() }
}

#[test]
fn the_recorded_plans_are_read_whole() {
    let household = corpus("household");
    let plan = &household.plans[0];
    assert_eq!((plan.accounts.len(), plan.groups.len(), plan.months.len()), (14, 13, 19));
    assert_eq!(plan.transactions.len(), 1442);
    assert_eq!(plan.transactions.iter().map(|t| t.lines.len()).sum::<usize>(), 20);
    assert_eq!(corpus("yen").plans[0].currency.decimals, Some(0));
    assert_eq!(corpus("two-plans").plans.len(), 2);
}
