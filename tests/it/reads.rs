//! The read tools as a client sees them, on the demo: small enough to list, and true to the schemas they list.

use serde_json::{Value, json};

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
fn the_read_tools_fit_in_what_an_agent_is_given_to_read() {
    let (mut plain, mut whole) = (0, 0);
    for tool in tools(&mut demo()) {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{}", tool["name"]);
        let said = json!({"name": tool["name"], "title": tool["title"], "description": tool["description"],
            "inputSchema": tool["inputSchema"]});
        plain += said.to_string().len();
        whole += tool.to_string().len();
    }
    assert!(plain <= 16_000, "{plain} bytes of words and arguments");
    assert!(whole <= 40_000, "{whole} bytes in all");
}

#[test]
fn every_answer_holds_to_the_schema_that_is_listed_for_it() {
    let mut session = demo();
    let tools = tools(&mut session);
    for (name, arguments) in questions() {
        let answer = session.call(name, arguments.clone());
        assert!(!answer.is_error(), "{name} {arguments}: {}", answer.text());
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        if let Err(problem) = fits(&tool["outputSchema"], answer.structured()) {
            panic!("{name} {arguments}: {problem}");
        }
    }
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

/// Holds a value against the part of JSON schema that the tools use.
fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let named = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |wanted: &Value| wanted == named || (wanted == "number" && named == "integer");
    if let Value::Array(choices) = &schema["anyOf"] {
        let misfits: Result<Vec<_>, _> = choices.iter().map(|choice| fits(choice, value).err().ok_or(())).collect();
        return misfits.map_or(Ok(()), |misfits| Err(misfits.join(", ")));
    }
    match &schema["type"] {
        Value::Array(kinds) if !kinds.iter().any(is) => return Err(format!("{value} is none of {kinds:?}")),
        Value::String(_) if !is(&schema["type"]) => return Err(format!("{value} is no {}", schema["type"])),
        _ => {}
    }
    if let Value::Array(allowed) = &schema["enum"]
        && !allowed.contains(value)
    {
        return Err(format!("{value} is none of {allowed:?}"));
    }
    for item in value.as_array().into_iter().flatten() {
        fits(&schema["items"], item)?;
    }
    let Value::Object(fields) = value else { return Ok(()) };
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        fields.get(required).ok_or_else(|| format!("{required} is missing"))?;
    }
    for (name, field) in fields {
        let known = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
        if *known == false {
            return Err(format!("{name} is not listed"));
        }
        fits(known, field).map_err(|problem| format!("{name}: {problem}"))?;
    }
    Ok(())
}
