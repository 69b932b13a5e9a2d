//! The read tools as a client sees them, on the demo: small enough to list, and true to the schemas they list.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The binary on the invented plan, read-only, spoken to on stdio.
struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_avenir-mcp"))
            .arg("--demo")
            .env_remove("AVENIR_MCP_WRITE")
            .env("AVENIR_MCP_TODAY", "2026-05-20")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        let input = process.stdin.take().expect("its stdin");
        let output = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut client = Self { process, input, output };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "reads", "version": "1"}});
        client.ask("initialize", hello);
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("a line sent");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        let mut answer: Value = serde_json::from_str(&line).expect("JSON");
        answer["result"].take()
    }

    fn tools(&mut self) -> Vec<Value> {
        let mut listed = self.ask("tools/list", json!({}));
        listed["tools"].as_array_mut().expect("tools").drain(..).collect()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
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
    for tool in Client::start().tools() {
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
    let mut client = Client::start();
    let tools = client.tools();
    for (name, arguments) in questions() {
        let answer = client.call(name, arguments.clone());
        assert_ne!(answer["isError"], true, "{name} {arguments}: {answer}");
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        if let Err(problem) = fits(&tool["outputSchema"], &answer["structuredContent"]) {
            panic!("{name} {arguments}: {problem}");
        }
    }
}

#[test]
fn a_refusal_says_what_to_do_and_has_no_structure() {
    let mut client = Client::start();
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
        let answer = client.call(tool, arguments);
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        assert!(answer["isError"] == true && text.starts_with(words), "{tool}: {answer}");
        assert!(answer.get("structuredContent").is_none_or(Value::is_null), "{tool}");
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
