//! The read tools as a client sees them, on the demo: true to the schemas they list.

use serde_json::{Value, json};

use crate::support::schema::misfit;
use crate::support::session::{Session, Setup};

/// The binary on the invented plan, read-only, on a day of its middle.
fn demo() -> Session {
    Setup::demo().env("AVENIR_MCP_TODAY", "2026-05-20").open()
}

fn tools(session: &mut Session) -> Vec<Value> {
    let listed = session.request("tools/list", json!({}));
    listed["result"]["tools"].as_array().expect("tools").clone()
}

/// Every read tool with arguments that make it answer.
fn questions() -> Vec<(&'static str, Value)> {
    let since = "2026-03-01";
    vec![
        ("list_plans", json!({})),
        ("list_accounts", json!({"plan_id": "last-used"})),
        ("list_category_groups", json!({"plan_id": "last-used"})),
        ("get_monthly_summary", json!({"plan_id": "last-used"})),
        ("get_category_balances", json!({"plan_id": "last-used", "include_empty": true})),
        ("find_transactions", json!({"plan_id": "last-used", "since_date": since, "limit": 200})),
        ("list_scheduled_transactions", json!({"plan_id": "last-used"})),
        ("suggest_categories", json!({"plan_id": "last-used"})),
        ("list_payees", json!({"plan_id": "last-used"})),
        ("get_budget_vs_actual", json!({"plan_id": "last-used"})),
        ("get_spending_trends", json!({"plan_id": "last-used"})),
        ("get_net_worth_trend", json!({"plan_id": "last-used"})),
        ("get_savings_rate", json!({"plan_id": "last-used"})),
        ("get_savings_rate", json!({"plan_id": "last-used", "months_count": 24})),
        ("get_runway", json!({"plan_id": "last-used"})),
        ("get_age_of_money", json!({"plan_id": "last-used"})),
        ("get_debt_payoff_plan", json!({"plan_id": "last-used"})),
        ("get_debt_payoff_plan", json!({"plan_id": "last-used", "max_months": 12})),
        ("get_underfunded_targets", json!({"plan_id": "last-used"})),
    ]
}

#[test]
fn every_answer_holds_to_the_schema_that_is_listed_for_it() {
    let mut session = demo();
    let tools = tools(&mut session);
    for (name, arguments) in questions() {
        let answer = session.call(name, arguments.clone());
        assert!(!answer.is_error(), "{name} {arguments}: {}", answer.text());
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        if let Some(problem) = misfit(&tool["outputSchema"], answer.structured(), "") {
            panic!("{name} {arguments}: {problem}");
        }
    }
}

/// The most characters of an answer's text.
const TEXT_MAX: usize = 25_000;

#[test]
fn the_most_rows_one_can_ask_for_fit_an_answer() {
    let mut session = demo();
    let mut asked = |tool: &str, arguments: Value, list: &str| {
        let answer = session.call(tool, arguments);
        let (length, shown) = (answer.text().chars().count(), answer.structured()[list].as_array().map_or(0, Vec::len));
        assert!(!answer.is_error() && length <= TEXT_MAX, "{tool}: {length} characters, {shown} rows");
        shown
    };
    let year = json!({"plan_id": "last-used", "since_date": "2025-05-20", "until_date": "2026-05-20", "limit": 200});
    assert!(asked("find_transactions", year, "transactions") > 100);
    assert!(asked("list_payees", json!({"plan_id": "last-used", "limit": 200}), "payees") > 20);
    assert!(asked("suggest_categories", json!({"plan_id": "last-used", "limit": 200}), "items") > 5);
    assert!(asked("get_underfunded_targets", json!({"plan_id": "last-used", "limit": 200}), "targets") > 0);
}

#[test]
fn a_refusal_says_what_to_do_and_has_no_structure() {
    let mut session = demo();
    for (tool, arguments, words) in [
        ("get_budget_vs_actual", json!({"month": "1999-01-01"}), "The plan has no month 1999-01-01. It has"),
        ("get_spending_trends", json!({"months_count": 25}), "months_count: must be at most 24."),
        ("find_transactions", json!({"since_date": "2026-06-01"}), "since_date is after today."),
        ("get_runway", json!({"essential_groups": ["Nope"]}), "The user has no group called 'Nope'. Groups: "),
        ("get_debt_payoff_plan", json!({"monthly_budget": 0.0001}), "monthly_budget rounds to nothing."),
        ("get_debt_payoff_plan", json!({"overrides": [{"account": "Nobody"}]}), "No open debt that owes money"),
    ] {
        let mut arguments = arguments;
        arguments["plan_id"] = "last-used".into();
        let answer = session.call(tool, arguments);
        assert!(answer.is_refused() && answer.text().starts_with(words), "{tool}: {}", answer.text());
        assert!(answer.structured().is_null(), "{tool}");
    }
}
