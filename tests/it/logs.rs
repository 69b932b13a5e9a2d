//! The log on stderr: one line per call that names the tool and how it went, and nothing of the user's.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::home::Home;

/// The log of a short session on the invented plan, at that level and in that format.
fn log(level: &str, format: &str) -> String {
    let home = Home::new();
    let mut command = home.binary(&["--demo"]);
    command.env("AVENIR_MCP_LOG_LEVEL", level).env("AVENIR_MCP_LOG_FORMAT", format).env("AVENIR_MCP_WRITE", "1");
    command.env("AVENIR_MCP_FROB", "1").env("AVENIR_MCP_TODAY", super::DAY);
    let mut running =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let call = |id: u32, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "log", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        call(1, "get_monthly_summary", json!({ "plan_id": "last-used" })),
        call(
            2,
            "find_transactions",
            json!({ "plan_id": "last-used", "since_date": "2026-03-01", "payee": "Super Lune" }),
        ),
        call(3, "create_category", json!({ "plan_id": "last-used", "category_group_id": "nope", "name": "Secret" })),
    ];
    let mut input = running.stdin.take().expect("its input");
    for line in lines {
        writeln!(input, "{line}").expect("sent");
    }
    drop(input);
    let output = running.wait_with_output().expect("it ends");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_line_per_call_and_nothing_of_the_users() {
    let text = log("INFO", "json");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut calls: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line["fields"]["message"] == "call")
        .map(|line| {
            let fields = &line["fields"];
            assert!(fields["milliseconds"].is_u64() && fields["requests"].is_u64(), "{line}");
            (fields["tool"].as_str().unwrap_or_default(), fields["outcome"].as_str().unwrap_or_default())
        })
        .collect();
    calls.sort_unstable();
    assert_eq!(
        calls,
        [("create_category", "refused"), ("find_transactions", "answered"), ("get_monthly_summary", "answered")]
    );
    assert!(lines.iter().any(|line| line["level"] == "WARN" && line.to_string().contains("AVENIR_MCP_FROB")));
    for level in ["INFO", "DEBUG"] {
        let text = log(level, "text");
        for secret in ["Lune", "Secret", "Chez nous", "last-used", "38.25", "nope", "Compte"] {
            assert!(!text.contains(secret), "{level}: {secret} in {text}");
        }
        assert!(text.contains("get_monthly_summary"));
    }
}

#[test]
fn the_level_is_kept() {
    let warning = log("WARNING", "text");
    assert_eq!((warning.lines().count(), warning.contains("AVENIR_MCP_FROB")), (1, true), "{warning}");
    assert_eq!(log("ERROR", "text"), "");
    assert_eq!(log("CRITICAL", "json"), "");
}
