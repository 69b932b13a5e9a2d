//! What comes from outside, changed a little or made up, at random: nothing of it may end the process, hang it, write to
//! YNAB or pass for something else.
//!
//! Each test draws cases for a moment; `AVENIR_FUZZ_SECONDS=120 cargo test --test it fuzz` draws them for two minutes each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use avenir_mcp::classifier::merchant::merchant;
use avenir_mcp::client::wire;
use avenir_mcp::dates::{Month, parse_date};
use avenir_mcp::demo::Request;
use avenir_mcp::journal::Journal;
use avenir_mcp::money::{Amount, Currency, Milliunits, UNITS_MAX};
use avenir_mcp::plan::Plan;
use avenir_mcp::text;
use avenir_mcp::triage;
use avenir_mcp::writes::{operations, undo};
use serde_json::{Value, json};

use crate::stdio::{any_line, meta};
use crate::support::folder::Folder;
use crate::support::household::{self, EVERYDAY, PLAN, WRITES};
use crate::support::random::{Random, any_value, cases, change_bytes, change_value, changed_text};
use crate::support::session::{Era, Session, Setup, User};
use crate::support::ynab::{Action, Fault};

/// How many lines of JSON-RPC are sent between two calls that must be answered.
const LINES: usize = 50;
/// How long a tool may take on a small plan, on a busy machine.
const SLOW: Duration = Duration::from_secs(20);

/// A request that a client may send.
fn good_request(random: &mut Random, id: &Value) -> Value {
    let call = |name: &str, arguments: Value| json!({ "method": "tools/call", "params": { "name": name, "arguments": arguments, "_meta": meta() } });
    let mut request = match random.below(9) {
        0 => json!({ "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "fuzz", "version": "0" } } }),
        1 => json!({ "method": "tools/list", "params": { "_meta": meta() } }),
        2 => json!({ "method": "prompts/get", "params": { "name": "reconcile", "_meta": meta(),
            "arguments": { "plan_id": "last-used", "account_id": "a", "bank_balance": "1.5" } } }),
        3 => json!({ "method": "resources/read", "params": { "uri": "avenir-mcp://guide", "_meta": meta() } }),
        4 => json!({ "method": "server/discover", "params": { "_meta": meta() } }),
        5 => call("get_monthly_summary", json!({ "plan_id": "last-used", "month": "2026-03-01" })),
        6 => call("find_transactions", json!({ "plan_id": "last-used", "since_date": "2026-03-01", "limit": 3 })),
        7 => call("suggest_categories", json!({ "plan_id": "last-used", "limit": 1, "cursor": "" })),
        _ => call(
            "undo_operation",
            json!({ "plan_id": "last-used", "operation_id": "a", "confirmation": "AAAAAAAAAAA" }),
        ),
    };
    request["jsonrpc"] = json!("2.0");
    request["id"] = id.clone();
    request
}

/// The id of a line that is a request and must be answered.
fn asks(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let id = value.get("id").filter(|id| id.is_i64() || id.is_string())?;
    (value["jsonrpc"] == "2.0" && value["method"].is_string()).then(|| id.to_string())
}

#[test]
fn a_line_of_json_rpc_is_answered_whatever_it_holds() {
    let mut session: Option<Session> = None;
    let mut number = 0;
    cases(&format!("JSON-RPC, {LINES} lines a case"), |random| {
        let mut talk =
            session.take().unwrap_or_else(|| Setup::demo().env("AVENIR_MCP_WRITE", "1").era(Era::Modern).start());
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for _ in 0..LINES {
            number += 1;
            let line = match random.below(3) {
                0 => any_line(random, number).0,
                _ => {
                    let mut request = good_request(random, &json!(number));
                    for _ in 0..1 + random.below(3) {
                        change_value(random, &mut request);
                    }
                    let mut line = request.to_string().into_bytes();
                    if random.once_in(4) {
                        change_bytes(random, &mut line);
                    }
                    line.retain(|byte| *byte != b'\n');
                    line
                }
            };
            asks(&line).into_iter().for_each(|id| *wanted.entry(id).or_default() += 1);
            talk.send_line(&line);
        }
        let good = format!("good-{number}");
        talk.send(&json!({ "jsonrpc": "2.0", "id": good, "method": "tools/call", "params": {
            "name": "list_plans", "arguments": {}, "_meta": meta() } }));
        wanted.insert(json!(good).to_string(), 1);
        let mut answered: HashMap<String, usize> = HashMap::new();
        while wanted.iter().any(|(id, times)| answered.get(id).is_none_or(|seen| seen < times)) {
            let message = talk.next_message().expect("the process goes on");
            if message.get("method").is_none() {
                assert!(message.get("result").is_some() != message.get("error").is_some(), "{message}");
                *answered.entry(message["id"].to_string()).or_default() += 1;
            }
        }
        // Another process now and then, for what depends on how a session begins.
        session = Some(talk).filter(|_| !random.once_in(20));
    });
}

/// What YNAB answers to a request.
fn body(method: &str, path: &str, body: &Value) -> Value {
    let server = household::server();
    let path = format!("/plans/{PLAN}{path}");
    let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let given = server.ynab().handle(Request { method, path: &path, body: &sent });
    serde_json::from_slice(&given.body).expect("JSON")
}

/// The household with few of its transactions and months, as YNAB exports it.
fn small_plan() -> Value {
    let mut export = body("GET", "", &Value::Null);
    let plan = &mut export["data"]["plan"];
    for list in ["transactions", "scheduled_transactions", "payees", "subtransactions"] {
        let rows = plan[list].as_array_mut().expect("a list");
        let keep = rows.len().min(120);
        rows.drain(..rows.len() - keep);
    }
    plan["months"].as_array_mut().expect("months").truncate(4);
    export
}

fn read(export: &Value) -> Arc<Plan> {
    let mut plan = Arc::new(Plan::default());
    wire::merge(&mut plan, export.to_string().as_bytes(), march()).expect("a readable plan");
    plan
}

fn march() -> Month {
    Month::parse("2026-03-01").expect("a month")
}

/// One of the bodies with some changes, as bytes.
fn changed(random: &mut Random, bodies: &[Value]) -> Vec<u8> {
    let mut value = random.of(bodies).clone();
    for _ in 0..random.below(4) {
        change_value(random, &mut value);
    }
    let mut bytes = value.to_string().into_bytes();
    if random.once_in(3) {
        change_bytes(random, &mut bytes);
    }
    if random.once_in(50) {
        bytes = vec![*random.of(b"[{\""); random.below(20_000)];
    }
    bytes
}

#[test]
fn a_body_of_ynabs_is_read_or_refused_whatever_it_holds() {
    let small = small_plan();
    let mut whole = body("GET", "/transactions", &Value::Null);
    whole["data"]["transactions"].as_array_mut().expect("rows").truncate(5);
    let mut bodies = vec![small.clone(), whole, json!({ "error": { "id": "400", "name": "bad", "detail": "date" } })];
    for path in ["/accounts", "/categories", "/payees", "/months/2026-03-01", "/settings", "/scheduled_transactions"] {
        let mut body = body("GET", path, &Value::Null);
        let lists = body["data"].as_object_mut().expect("data").values_mut();
        lists.filter_map(Value::as_array_mut).for_each(|rows| rows.truncate(4));
        bodies.push(body);
    }
    let row = json!({ "id": household::ZERO, "category_id": household::BOOKS });
    bodies.push(body("PATCH", "/transactions", &json!({ "transactions": [row] })));
    let new = json!({ "account_id": EVERYDAY, "date": "2026-03-10", "amount": -1000, "payee_name": "New" });
    bodies.push(body("POST", "/transactions", &json!({ "transactions": [new] })));
    bodies.push(body("POST", "/transactions/import", &json!({})));
    let category = format!("/categories/{}", household::BOOKS);
    bodies.push(body("PATCH", &category, &json!({ "category": { "name": "Read" } })));
    let known = read(&small);
    let today = parse_date("2026-03-17").expect("a day");
    cases("YNAB bodies", |random| {
        let bytes = changed(random, &bodies);
        let _ = (wire::accounts(&bytes), wire::categories(&bytes), wire::month(&bytes), wire::plans(&bytes));
        let _ = (wire::month_names(&bytes), wire::transaction_ids(&bytes), wire::settings(&bytes), wire::user(&bytes));
        let _ = (wire::error_detail(&bytes), wire::saved::category(&bytes), wire::saved::payee(&bytes));
        let _ = wire::saved::imported(&bytes);
        if let Ok(saved) = wire::saved::transactions(&bytes) {
            let _ = (saved.rows().count(), saved.ids().count(), saved.duplicates().count());
        }
        for mut plan in [Arc::default(), known.clone()] {
            if wire::merge(&mut plan, &bytes, march()).is_ok() {
                let ask = triage::Ask { limit: 5, cursor: None, threshold: None };
                let _ = triage::suggest(&plan, &ask, today);
            }
        }
    });
}

#[test]
fn a_plan_of_nonsense_ends_no_tool() {
    let small = small_plan();
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).env("AVENIR_MCP_LOG_LEVEL", "CRITICAL");
    let reads = setup.open().request("tools/list", json!({}))["result"]["tools"].as_array().expect("tools").clone();
    let is_read = |tool: &&Value| tool["annotations"]["readOnlyHint"] == true && tool["name"] != "list_plans";
    let reads: Vec<String> =
        reads.iter().filter(is_read).filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect();
    let mut session: Option<(Session, usize)> = None;
    let mut number = 0;
    cases("plans of nonsense, every tool a case", |random| {
        let (mut talk, calls) = session.take().unwrap_or_else(|| (setup.open(), 0));
        number += 1;
        let plan = format!("fuzz-{number}");
        let mut export = small.clone();
        for _ in 0..1 + random.below(12) {
            let fields = export["data"]["plan"].as_object_mut().expect("a plan");
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = random.of(&names).as_str();
            change_value(random, &mut fields[name]);
        }
        export["data"]["plan"]["id"] = json!(plan);
        ynab.fault(
            Fault::new(Action::RawBody(export.to_string().into_bytes())).path(&format!("/plans/{plan}")).times(1_000),
        );
        let mut call = |tool: &str, arguments: Value| {
            let mut arguments = arguments;
            arguments["plan_id"] = json!(plan);
            let began = Instant::now();
            let answer = talk.call(tool, arguments);
            assert!(!answer.text().contains("failed inside"), "{tool}: {} of {export}", answer.text());
            assert!(began.elapsed() < SLOW, "{tool} takes {:?}", began.elapsed());
        };
        for tool in &reads {
            call(
                tool,
                match tool.as_str() {
                    "find_transactions" => json!({ "since_date": "2026-01-01" }),
                    "forecast_balance" => json!({ "until": "2027-03-01" }),
                    "match_statement" => (household::write("statement").arguments)(),
                    _ => json!({}),
                },
            );
        }
        // Only their questions: nobody says yes.
        for write in WRITES.iter().filter(|write| write.question.is_some()) {
            call(write.tool, (write.arguments)());
        }
        ynab.mend();
        // A process may send 180 requests.
        session = Some((talk, calls + 1)).filter(|(_, calls)| *calls < 6);
    });
    assert!(ynab.writes().is_empty(), "{:?}", ynab.writes());
}

/// Lines that this server and the Python server wrote.
const OWN_LINES: &str = include_str!("../journal/lines.jsonl");
const PYTHON_LINES: &str = include_str!("../../src/writes/legacy/lines.jsonl");

#[test]
fn every_line_ever_written_is_still_read() {
    let folder = Folder::new();
    std::fs::write(folder.journal(), [OWN_LINES, PYTHON_LINES].concat()).expect("a journal");
    let contents = Journal::on_disk(Some(folder.journal()), None, "reader".into()).read().expect("it is read");
    assert_eq!((contents.damaged, contents.torn), (Vec::new(), Vec::new()));
    assert!(contents.doubtful.is_empty());
    assert_eq!(contents.operations.len(), 14 + PYTHON_LINES.lines().count());
    assert_eq!(contents.operations.iter().filter(|operation| !operation.undone.is_empty()).count(), 3);
}

#[test]
fn a_journal_is_read_whatever_it_holds() {
    let plan = read(&body("GET", "", &Value::Null));
    let folder = Folder::new();
    let lines: Vec<&str> = OWN_LINES.lines().chain(PYTHON_LINES.lines()).collect();
    cases("journals", |random| {
        let mut text = Vec::new();
        let mut kept = HashSet::new();
        let mut all = HashSet::new();
        for _ in 0..random.below(lines.len()) {
            let line = *random.of(&lines);
            let mut bytes = line.as_bytes().to_vec();
            match random.below(6) {
                0 => change_bytes(random, &mut bytes),
                1 => {
                    let mut value: Value = serde_json::from_str(line).expect("JSON");
                    change_value(random, &mut value);
                    bytes = value.to_string().into_bytes();
                }
                2 => bytes = any_value(random, 0).to_string().into_bytes(),
                _ => {}
            }
            bytes.retain(|byte| *byte != b'\n');
            let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let begins = value["event"] == "intent" || value.get("moves").is_some();
            // Of several beginnings of one id the first counts; what takes another back is listed with that one.
            if let Some(id) = value["operation_id"].as_str().filter(|_| begins)
                && all.insert(id.to_owned())
                && bytes == line.as_bytes()
                && value.get("undoes").is_none()
            {
                kept.insert(id.to_owned());
            }
            text.extend(bytes);
            text.push(b'\n');
        }
        if random.once_in(3) {
            let end = random.below(text.len());
            text.truncate(end);
            kept.clear();
        }
        std::fs::write(folder.journal(), &text).expect("a journal");
        let contents = Journal::on_disk(Some(folder.journal()), None, "fuzz".into()).read().expect("it is read");
        let lines = text.split(|byte| *byte == b'\n').count();
        assert!(contents.damaged.len() + contents.torn.len() <= lines);
        let ids: HashSet<&str> = contents.operations.iter().map(|operation| operation.id.as_str()).collect();
        assert!(kept.iter().all(|id| ids.contains(id.as_str())), "an operation is lost");
        let _ = operations::list(&plan, &contents.operations, 100);
        let named = contents.operations.get(random.below(contents.operations.len()));
        for id in [named.map(|operation| operation.id.as_str()), None] {
            if let Ok(undo) = undo::undo(&plan, &contents.operations, id)
                && let Some(proposal) = undo.proposal
            {
                assert_eq!(proposal.plan, plan.id);
            }
        }
    });
}

#[test]
fn a_request_state_that_was_changed_writes_nothing() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).era(Era::Modern).user(User::Silent).open();
    let write = household::write("categorize");
    let arguments = (write.arguments)();
    let state = session.call(write.tool, arguments.clone()).state().expect("a state").to_owned();
    let yes = json!({ "confirm": { "action": "accept", "content": { "value": true } } });
    let expired = Duration::from_secs(500);
    let began = Instant::now();
    cases("request states", |random| {
        let mut wrong = match random.below(4) {
            0 => changed_text(random, &state),
            1 => {
                let mut bytes = state.clone().into_bytes();
                change_bytes(random, &mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            // Two good halves that do not belong together.
            2 => {
                state.split('.').map(|part| if random.once_in(2) { part } else { "AAAA" }).collect::<Vec<_>>().join(".")
            }
            _ => any_value(random, 4).to_string(),
        };
        if wrong == state {
            wrong.push('A');
        }
        let answer = session.round(write.tool, &arguments, Some((&yes, &wrong)));
        assert_eq!(answer.protocol_error(), Some(-32602), "{wrong:?}: {answer:?}");
        assert!(began.elapsed() < expired, "the state lives for ten minutes");
    });
    assert!(ynab.writes().is_empty());
    // None of it spent the true one.
    assert_eq!(session.round(write.tool, &arguments, Some((&yes, &state))).status(), "applied");
}

#[test]
fn a_cursor_that_was_changed_is_refused() {
    let plan = read(&body("GET", "", &Value::Null));
    let today = parse_date("2026-03-17").expect("a day");
    let page = |cursor: Option<&str>| triage::suggest(&plan, &triage::Ask { limit: 2, cursor, threshold: None }, today);
    let mut good = vec![page(None).expect("a page").next_cursor.expect("more")];
    while let Some(next) = page(good.last().map(String::as_str)).expect("a page").next_cursor {
        good.push(next);
    }
    cases("cursors", |random| {
        let cursor = random.of(&good).clone();
        let wrong = match random.below(3) {
            0 => changed_text(random, &cursor),
            1 => {
                let other = random.of(&good);
                let at = random.below(cursor.len().min(other.len()));
                format!("{}{}", &cursor[..at], &other[at..])
            }
            _ => {
                let mut bytes = cursor.clone().into_bytes();
                change_bytes(random, &mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        // An empty one asks for the first page.
        let is_good = wrong.is_empty() || good.contains(&wrong);
        assert_eq!(page(Some(&wrong)).is_ok(), is_good, "{wrong:?}");
    });
}

#[test]
fn an_amount_is_read_exactly_or_refused() {
    cases("amounts", |random| {
        let currency = match random.below(5) {
            4 => Currency::default(),
            decimals => Currency::new("XXX", decimals as u8),
        };
        let units = match random.below(5) {
            0 => f64::from_bits(random.next()),
            1 => random.next() as i64 as f64 / 1000.0,
            2 => (random.below(2_000_001) as f64 - 1e6) / 100.0 + f64::from_bits(random.next() >> 13),
            3 => f64::from_bits(UNITS_MAX.to_bits() - 50 + random.below(100) as u64),
            _ => (random.below(4_000_001) as i64 - 2_000_000) as f64 / 1000.0,
        };
        if let Ok(amount) = currency.read(units) {
            assert!(currency.holds(amount) && units.abs() <= UNITS_MAX, "{units}");
            assert!((amount.get() as f64 / 1000.0 - units).abs() <= 1e-6_f64.max(units.abs() * 1e-15), "{units}");
            let shown = currency.show(amount);
            assert_eq!(shown.parse().ok().and_then(|units| currency.read(units).ok()), Some(amount), "{shown}");
            let answered = serde_json::to_string(&Amount(amount)).expect("JSON");
            assert_eq!(Milliunits::read(answered.parse().expect("a number")), Some(amount), "{answered}");
        }
        let any = Milliunits::new(random.next() as i64);
        let (shown, rounded) = (currency.show(any), currency.round(any));
        assert!(
            !shown.contains(['e', 'E']) && (rounded.wide() - any.wide()).abs() <= currency.step().wide(),
            "{shown}"
        );
        let _ = (any + rounded, any - rounded, -any, any.abs(), any.divided(random.below(3)));
    });
}

#[test]
fn a_payee_label_is_shown_on_one_line_and_named() {
    let plan = read(&body("GET", "", &Value::Null));
    let labels: Vec<String> = plan.payees.iter().map(|payee| payee.name.to_string()).collect();
    cases("payee labels", |random| {
        let mut label = random.of(&labels).clone();
        for _ in 0..random.below(5) {
            label = changed_text(random, &label);
        }
        let (shown, name) = (text::safe(&label), merchant(&label));
        let is_bad = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        // A joiner that its letters need is the one format character that is shown.
        let is_hidden = |c: char| text::is_format(c) && !matches!(c, '\u{200c}' | '\u{200d}');
        for text in [&*shown, &name] {
            assert!(!text.contains(|c| is_bad(c) || is_hidden(c)) && !text.contains("  "), "{label:?}: {text:?}");
        }
        assert!(shown.chars().count() <= text::SHOWN_MAX, "{label:?}");
        assert_eq!(text::safe(&shown), shown, "{label:?}");
        assert_eq!(name.is_empty(), text::clean(&label).trim().is_empty(), "{label:?}: {name:?}");
    });
}
