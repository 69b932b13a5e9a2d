//! What holds for every tool: its hints, its schemas, its words, how its arguments are checked, and the listed JSON as a
//! golden file.

use serde_json::{Map, Value, json};

use crate::support::golden::golden;
use crate::support::household::{self, PLAN, WRITES};
use crate::support::session::{ERAS, Setup};

/// The two about bank statements have a budget of their own.
const STATEMENTS: [&str; 2] = ["match_statement", "apply_statement"];
const STATEMENTS_BYTES_MAX: (usize, usize) = (2_500, 7_000);

/// How many bytes of names, titles, descriptions and input schemas, and of everything: read-only, then with writes.
const BYTES_MAX: [(&str, usize, usize); 2] = [("0", 16_000, 40_000), ("1", 26_000, 70_000)];

fn listed(write: &str) -> Vec<Value> {
    let mut session = Setup::demo().env("AVENIR_MCP_WRITE", write).open();
    session.request("tools/list", json!({}))["result"]["tools"].as_array().cloned().expect("tools")
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

#[test]
fn the_listed_tools_are_those_of_the_golden_file() {
    golden("tools.json", &(serde_json::to_string_pretty(&listed("1")).expect("JSON") + "\n"));
}

#[test]
fn every_tool_says_what_it_does_to_the_plan() {
    let reads = listed("0");
    for tool in listed("1") {
        let hints = &tool["annotations"];
        let reads = reads.iter().any(|read| read["name"] == tool["name"]);
        assert_eq!(hints["readOnlyHint"], reads, "{}", name(&tool));
        assert_eq!(hints["title"], tool["title"], "{}", name(&tool));
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{}", name(&tool));
        assert_eq!(hints["openWorldHint"], true, "{}", name(&tool));
        assert!(hints["idempotentHint"].is_boolean(), "{}", name(&tool));
        // What only reads destroys nothing; saying so of a write is a promise.
        assert_eq!(hints["destructiveHint"].is_boolean(), !reads, "{}", name(&tool));
        assert_eq!(
            tool["inputSchema"]["properties"]["confirmation"].is_object(),
            asks(name(&tool), reads),
            "{}",
            name(&tool)
        );
    }
}

/// Every write but two asks.
fn asks(name: &str, reads: bool) -> bool {
    !reads && !["approve_transactions", "import_transactions"].contains(&name)
}

#[test]
fn every_schema_is_portable() {
    for tool in listed("1") {
        for (side, schema) in [("input", &tool["inputSchema"]), ("output", &tool["outputSchema"])] {
            assert_eq!(schema["type"], "object", "{} {side}", name(&tool));
            portable(schema, side == "input", &format!("{} {side}", name(&tool)));
        }
    }
}

fn portable(schema: &Value, input: bool, at: &str) {
    let Some(rules) = schema.as_object() else { panic!("{at}: {schema} is no schema") };
    for absent in ["$schema", "$defs", "$ref", "title", "allOf", "oneOf", "not", "if", "patternProperties"] {
        assert!(!rules.contains_key(absent), "{at}: {absent}");
    }
    assert!(rules.get("format").is_none_or(|format| format == "date"), "{at}: {schema}");
    assert!(!(input && schema.to_string().contains("\"null\"")), "{at}: an optional argument is simply not required");
    assert!(!(input && rules.contains_key("anyOf")), "{at}: anyOf");
    if rules.get("type") == Some(&json!("object")) {
        let closed = rules.get("additionalProperties");
        assert!(closed == Some(&json!(false)) || (!input && closed.is_some_and(Value::is_object)), "{at}: it is open");
    }
    for (name, schema) in rules.get("properties").and_then(Value::as_object).into_iter().flatten() {
        portable(schema, input, &format!("{at}.{name}"));
    }
    for inner in ["items", "additionalProperties"] {
        rules.get(inner).filter(|inner| inner.is_object()).into_iter().for_each(|inner| portable(inner, input, at));
    }
    for choice in rules.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        portable(choice, input, at);
    }
}

#[test]
fn the_list_is_small() {
    for (write, words_max, all_max) in BYTES_MAX {
        let (statements, others): (Vec<Value>, Vec<Value>) =
            listed(write).into_iter().partition(|tool| STATEMENTS.contains(&name(tool)));
        for (tools, (words_max, all_max)) in [(others, (words_max, all_max)), (statements, STATEMENTS_BYTES_MAX)] {
            let (words, all) = bytes(&tools);
            let names: Vec<&str> = tools.iter().map(name).collect();
            assert!(words <= words_max && all <= all_max, "{names:?}: {words} bytes of words, {all} in all");
        }
    }
}

/// The bytes of names, titles, descriptions and input schemas, and of everything.
fn bytes(tools: &[Value]) -> (usize, usize) {
    let words = |tool: &Value| {
        let kept = ["name", "title", "description", "inputSchema"].map(|key| (key.to_owned(), tool[key].clone()));
        Value::Object(kept.into_iter().collect::<Map<_, _>>())
    };
    (tools.iter().map(words).collect::<Value>().to_string().len(), Value::from(tools).to_string().len())
}

#[test]
fn both_generations_see_the_same_tools() {
    let of = |era| {
        let mut session = Setup::demo().env("AVENIR_MCP_WRITE", "1").era(era).open();
        session.request("tools/list", json!({}))["result"]["tools"].clone()
    };
    assert_eq!(of(ERAS[0]), of(ERAS[1]));
}

#[test]
fn every_kind_of_write_has_a_tool() {
    let tools = listed("1");
    let missing: Vec<&str> = WRITES
        .iter()
        .map(|write| write.tool)
        .filter(|tool| !tools.iter().any(|listed| name(listed) == *tool))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Values that no argument of this schema takes.
fn wrong(schema: &Value) -> Vec<Value> {
    match schema["type"].as_str() {
        Some("string") if schema["enum"].is_array() => vec![json!("nonsense"), json!(7)],
        Some("string") => vec![json!(7)],
        Some("array") => vec![json!("text")],
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let wrong_field = |(name, schema): (&String, &Value)| {
                wrong(schema).into_iter().map(|value| json!({ name: value })).collect::<Vec<_>>()
            };
            fields.flat_map(wrong_field).chain([json!([]), json!({ "surprise": 1 })]).collect()
        }
        _ => vec![json!("much")],
    }
}

#[test]
fn point_48_argument_errors_name_the_argument_and_nothing_of_the_library() {
    let mut session = Setup::demo().env("AVENIR_MCP_WRITE", "1").open();
    for tool in listed("1") {
        let name = name(&tool);
        let schema = &tool["inputSchema"];
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut cases = vec![(json!({ "surprise": 1 }), "surprise")];
        if let Some(first) = required.first() {
            cases.push((json!({}), first));
        }
        for (argument, schema) in schema["properties"].as_object().into_iter().flatten() {
            let mut arguments: Map<String, Value> =
                required.iter().map(|name| ((*name).to_owned(), json!("last-used"))).collect();
            arguments.retain(|name, _| schema_type(&tool, name) == Some("string"));
            for value in wrong(schema) {
                arguments.insert(argument.clone(), value);
                cases.push((arguments.clone().into(), argument));
            }
        }
        for (arguments, argument) in cases {
            let answer = session.call(name, arguments.clone());
            let text = answer.text();
            assert!(answer.is_refused(), "{name} {arguments}: {answer:?}");
            assert!(text.len() < 500 && text.lines().count() == 1, "{name} {arguments}: {text}");
            for leak in
                ["http", "serde", "schemars", "rmcp", "invalid type", "missing field", "expected", "at line", "Error"]
            {
                assert!(!text.contains(leak), "{name} {arguments}: {text}");
            }
            let named = text.starts_with(argument) || required.iter().any(|name| text.starts_with(name));
            assert!(named, "{name} {arguments}: {text}");
        }
    }
}

fn schema_type<'a>(tool: &'a Value, argument: &str) -> Option<&'a str> {
    tool["inputSchema"]["properties"][argument]["type"].as_str()
}

#[test]
fn point_67_an_error_about_a_long_list_is_short_and_true_is_no_number() {
    let ynab = household::server();
    let folder = crate::support::folder::Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).open();
    let rows: Vec<Value> = (0..10_000).map(|n| json!({ "transaction_id": n, "category_id": true })).collect();
    for arguments in [json!({ "plan_id": PLAN, "assignments": rows }), json!({ "assignments": rows })] {
        let answer = session.call("apply_categories", arguments);
        assert!(answer.is_refused() && answer.text().len() < 200, "{}", answer.text());
    }
    let unknown: Vec<Value> =
        (0..10_000).map(|n| json!({ "transaction_id": format!("t{n}"), "category_id": household::BOOKS })).collect();
    let answer = session.call("apply_categories", json!({ "plan_id": PLAN, "assignments": unknown }));
    assert!(answer.is_refused() && answer.text().len() < 2_000, "{}", answer.text().len());
    let answer = session.call("suggest_categories", json!({ "plan_id": PLAN, "limit": true }));
    assert!(answer.is_refused() && answer.text().starts_with("limit"), "{answer:?}");
    assert_eq!(session.call("suggest_categories", json!({ "plan_id": PLAN, "limit": 3.0 })).status(), "none");
    assert_eq!(session.call("suggest_categories", json!({ "plan_id": PLAN, "cursor": null })).status(), "none");
}
