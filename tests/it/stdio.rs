//! The process on its pipes: broken input, odd requests, how it ends, and what it tells in read-only mode.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::household::{self, PLAN, other_client};
use crate::support::random::{Random, any_value};
use crate::support::session::{ERAS, Era, Session, Setup, User};
use crate::support::ynab::{Action, Fault};

const METHODS: [&str; 16] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "server/discover",
    "logging/setLevel",
    "completion/complete",
    "no/such",
    "",
    "notifications/initialized",
];

/// What each request of 2026-07-28 carries.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn any_params(random: &mut Random, method: &str) -> Value {
    let tool = *random.of(&["list_plans", "list_accounts", "apply_categories", "undo_operation", "nothing", ""]);
    match (random.below(6), method) {
        (0, _) => any_value(random, 0),
        (1, _) => json!(*random.of(&["text", ""])),
        (2, _) => json!([1, "two", null]),
        (3, "tools/call") => json!({ "name": tool, "arguments": any_value(random, 1) }),
        (4, "tools/call") => json!({ "name": tool, "arguments": { "plan_id": any_value(random, 1) } }),
        (3, "initialize") => json!({ "protocolVersion": any_value(random, 4), "capabilities": any_value(random, 2) }),
        (4, "resources/read") => json!({ "uri": any_value(random, 4) }),
        (5, "initialize") => {
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "0" } })
        }
        (5, "tools/call") => json!({ "name": "list_plans", "arguments": {}, "_meta": meta() }),
        (5, _) => json!({ "_meta": meta() }),
        _ => json!({ "_meta": any_value(random, 1) }),
    }
}

/// A line of broken or odd JSON-RPC, and how many answers its id may get at least and at most, where it has a usable one.
pub(crate) fn any_line(random: &mut Random, number: usize) -> (Vec<u8>, Option<(Value, usize)>) {
    let id = match random.below(6) {
        0 => json!(format!("id-{number}")),
        1 => json!(-(number as i64) - 1),
        _ => json!(number),
    };
    let method = *random.of(&METHODS);
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": any_params(random, method) });
    let text = request.to_string();
    match random.below(20) {
        0..=7 => (text.into_bytes(), Some((id, 1))),
        // Without params.
        8 => (json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string().into_bytes(), Some((id, 1))),
        // Cut.
        9 | 10 => {
            let mut bytes = text.into_bytes();
            bytes.truncate(random.below(bytes.len()));
            (bytes, None)
        }
        // A byte turned into another, UTF-8 or not; the id may be hit.
        11 => {
            let mut bytes = text.into_bytes();
            let place = random.below(bytes.len());
            bytes[place] = (random.next() % 256) as u8;
            (bytes.into_iter().filter(|byte| *byte != b'\n').collect(), None)
        }
        // Deep.
        12 => {
            let depth = random.below(2000);
            (format!("{}{}", "[".repeat(depth), "]".repeat(random.below(depth + 1))).into_bytes(), None)
        }
        // Long.
        13 => {
            let long = "a".repeat(random.below(100_000));
            (
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": long } })
                    .to_string()
                    .into_bytes(),
                Some((id, 1)),
            )
        }
        // A batch.
        14 => (format!("[{text},{text}]").into_bytes(), None),
        // An odd id.
        15 => {
            let odd = any_value(random, 4);
            let odd = if odd.is_i64() || odd.is_string() { Value::Null } else { odd };
            (json!({ "jsonrpc": "2.0", "id": odd, "method": method, "params": {} }).to_string().into_bytes(), None)
        }
        // The wrong version, or none.
        16 => {
            let version = random.of(&[json!("1.0"), json!(2), Value::Null]).clone();
            (json!({ "jsonrpc": version, "id": id, "method": method }).to_string().into_bytes(), Some((id, 1)))
        }
        // Notifications and answers that nobody waits for.
        17 => {
            let method =
                *random.of(&["notifications/cancelled", "notifications/progress", "notifications/nothing", "x"]);
            (
                json!({ "jsonrpc": "2.0", "method": method, "params": any_value(random, 0) }).to_string().into_bytes(),
                None,
            )
        }
        18 => {
            let body = any_value(random, 0);
            (json!({ "jsonrpc": "2.0", "id": random.below(100), "result": body }).to_string().into_bytes(), None)
        }
        // No JSON-RPC at all.
        _ => match random.below(4) {
            0 => (Vec::new(), None),
            1 => (any_value(random, 0).to_string().into_bytes(), None),
            2 => ((0..random.below(200)).map(|_| (random.next() % 256) as u8).filter(|b| *b != b'\n').collect(), None),
            _ => (b"GET / HTTP/1.1".to_vec(), None),
        },
    }
}

#[test]
fn ten_thousand_broken_lines_end_nothing() {
    let mut random = Random::new(0x5EED_0001);
    let mut session = Setup::demo().env("AVENIR_MCP_WRITE", "1").era(Era::Modern).start();
    let mut wanted: HashMap<String, usize> = HashMap::new();
    for number in 1..=10_000 {
        let (line, expected) = any_line(&mut random, number);
        session.send_line(&line);
        if let Some((id, answers)) = expected {
            *wanted.entry(id.to_string()).or_default() += answers;
        }
        if number == 3_000 || number == 7_000 {
            // Longer than any line that is read.
            session.send_line(&vec![b'{'; 17 << 20]);
        }
    }
    // A good call is answered after all that; what came before it has been read by then.
    let good = json!({ "jsonrpc": "2.0", "id": "good", "method": "tools/call", "params": {
        "name": "list_plans", "arguments": {}, "_meta": meta() } });
    session.send(&good);
    wanted.insert(json!("good").to_string(), 1);
    let mut answered: HashMap<String, usize> = HashMap::new();
    let missing = |answered: &HashMap<String, usize>| wanted.keys().filter(|id| !answered.contains_key(*id)).count();
    while missing(&answered) > 0 {
        let Some(message) = session.next_message() else { panic!("the process ended") };
        if message.get("method").is_some() {
            continue;
        }
        assert!(message.get("result").is_some() != message.get("error").is_some(), "{message}");
        if message["id"] == "good" {
            assert!(message["result"]["structuredContent"]["result"].is_array(), "{message}");
        }
        *answered.entry(message["id"].to_string()).or_default() += 1;
    }
    assert_eq!(session.end(), Some(0));
    while let Some(message) = session.next_message() {
        *answered.entry(message["id"].to_string()).or_default() += 1;
    }
    for (id, answers) in &wanted {
        assert_eq!(answered.get(id), Some(answers), "answers to {id}");
    }
}

#[test]
fn point_67_odd_params_are_answered() {
    for era in ERAS {
        let mut session = Setup::demo().era(era).open();
        for (number, params) in
            [json!([1, 2]), json!("text"), json!(7), json!(true), Value::Null].into_iter().enumerate()
        {
            for method in ["tools/call", "tools/list", "resources/read", "prompts/get", "no/such"] {
                let id = 1_000 + number as i64 * 10;
                session.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
                let answer = session.wait(id);
                let listed = method == "tools/list" && answer["result"]["tools"].is_array();
                assert!(listed || answer["error"]["code"].as_i64().is_some_and(|code| code < -32_000), "{answer}");
            }
        }
    }
}

#[test]
fn what_does_not_exist_is_said_so() {
    for era in ERAS {
        let mut session = Setup::demo().era(era).open();
        let answer = session.request("tools/call", json!({ "name": "no_such\n\u{202e}tool", "arguments": {} }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["message"], "There is no tool named 'no_such tool'. tools/list names them.");
        let answer = session.request("no/such", json!({}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        let answer = session.request("resources/read", json!({ "uri": "ynab://nothing" }));
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("no resource")), "{answer}");
        let answer = session.request("prompts/get", json!({ "name": "nothing" }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn messages_before_the_greeting_are_dropped() {
    for era in ERAS {
        let mut session = Setup::demo().era(era).start();
        let mut unknown = meta();
        unknown["io.modelcontextprotocol/protocolVersion"] = json!("2026-/7-28");
        session.send(&json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/list", "params": { "_meta": unknown } }));
        assert!(session.wait(900)["error"].is_object(), "a version that nobody knows greets nothing");
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} }));
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
        session.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
        let answer = session.request("ping", json!({}));
        assert!(answer["result"].is_object(), "{era:?} {answer}");
        if era == Era::Modern {
            assert!(session.request("tools/list", json!({}))["result"]["tools"].is_array());
        } else {
            let client = json!({ "name": "it", "version": "0" });
            let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client });
            assert_eq!(session.request("initialize", params)["result"]["protocolVersion"], "2024-11-05");
        }
    }
}

#[test]
fn point_69_it_ends_cleanly() {
    for signal in ["TERM", "INT"] {
        let mut silent = Setup::demo().start();
        // Its first answer shows that it listens to signals.
        silent.request("ping", json!({}));
        silent.signal(signal);
        assert_eq!(silent.exit_code(), Some(0), "{signal} before the greeting");
        let mut session = Setup::demo().open();
        session.call("list_plans", json!({}));
        session.signal(signal);
        assert_eq!(session.exit_code(), Some(0), "{signal}");
    }
    assert_eq!(Setup::demo().start().end(), Some(0), "the end of input before the first message");
    for era in ERAS {
        let mut session = Setup::demo().era(era).open();
        session.call("list_plans", json!({}));
        assert_eq!(session.end(), Some(0), "the end of input");
    }
}

/// Its answers fill the pipe and wait for ever.
#[test]
fn a_client_that_stops_reading_does_not_hold_the_end_up() {
    let piped = std::process::Stdio::piped;
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_avenir-mcp"));
    let mut server = program.arg("--demo").stdin(piped()).stdout(piped()).spawn().expect("a server");
    let mut input = server.stdin.take().expect("its input");
    let client = json!({ "name": "it", "version": "0" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let lists = (1..30).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }));
    for message in std::iter::once(hello).chain(lists) {
        writeln!(input, "{message}").expect("sent");
    }
    drop(input);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while server.try_wait().expect("a process").is_none() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let left = server.try_wait().expect("a process");
    drop(server.kill());
    assert_eq!(left.and_then(|status| status.code()), Some(0));
}

#[test]
fn what_is_being_written_when_it_is_told_to_end_is_written_and_settled() {
    for (signal, action) in [(true, Action::HoldBefore), (false, Action::HoldAfter)] {
        let ynab = household::server();
        let folder = Folder::new();
        let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
        let mut session = setup.open();
        ynab.fault(Fault::new(action).method("PATCH"));
        let write = household::write("categorize");
        let id = session.start_round(write.tool, &(write.arguments)(), None);
        assert!(session.until(id, || ynab.is_holding()));
        if signal {
            session.signal("TERM");
        } else {
            session.close_input();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        ynab.go_on();
        assert_eq!(session.exit_code(), Some(0));
        drop(session.try_wait(id));
        let journal = std::fs::read_to_string(folder.journal()).expect("a journal");
        assert!(journal.lines().count() == 2 && journal.contains("\"applied\""), "{journal}");
        // The next process has nothing to find out, and takes it back.
        let mut next = setup.open();
        let undone = next.call("undo_operation", json!({ "plan_id": PLAN }));
        assert_eq!(undone.status(), "applied", "{undone:?}");
        assert!(!undone.text().contains("interrupted"), "{undone:?}");
    }
}

fn listed(session: &mut Session) -> Vec<Value> {
    session.request("tools/list", json!({}))["result"]["tools"].as_array().cloned().unwrap_or_default()
}

/// Everything that the server says of itself, as one text.
fn said(session: &mut Session, era: Era) -> String {
    let mut said = Value::from(listed(session)).to_string();
    for method in ["prompts/list", "resources/list", "resources/templates/list"] {
        said += &session.request(method, json!({}))["result"].to_string();
    }
    for prompt in ["classify_pending", "monthly_review", "reconcile", "plan_next_month"] {
        let arguments = json!({ "plan_id": "last-used", "account_id": "a", "bank_balance": "12.5" });
        let given = session.request("prompts/get", json!({ "name": prompt, "arguments": arguments }));
        assert!(given["result"]["messages"].is_array(), "{prompt}: {given}");
        said += &given.to_string();
    }
    said += &session.request("resources/read", json!({ "uri": "avenir-mcp://guide" })).to_string();
    if era == Era::Modern {
        session.hello = session.request("server/discover", json!({}));
    }
    assert!(session.hello["result"]["instructions"].is_string(), "{}", session.hello);
    said + &session.hello.to_string()
}

#[test]
fn point_66_read_only_names_no_write_tool() {
    for era in ERAS {
        let mut writing = Setup::demo().env("AVENIR_MCP_WRITE", "1").era(era).open();
        let all = listed(&mut writing);
        for off in [None, Some("0")] {
            let setup = Setup::demo().era(era);
            let mut reading = off.map_or(setup.clone(), |value| setup.env("AVENIR_MCP_WRITE", value)).open();
            let reads = listed(&mut reading);
            assert!(reads.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
            let is_write = |tool: &&Value| !reads.iter().any(|read| read["name"] == tool["name"]);
            let writes: Vec<&str> = all.iter().filter(is_write).filter_map(|tool| tool["name"].as_str()).collect();
            assert!(writes.contains(&"apply_categories") && writes.contains(&"undo_operation"));
            let said = said(&mut reading, era);
            for name in writes {
                assert!(!said.contains(name), "{name} is named in read-only mode");
                let answer = reading.call(name, json!({ "plan_id": "last-used" }));
                assert_eq!(answer.protocol_error(), Some(-32602), "{name} can be called in read-only mode");
            }
        }
        let said = Value::from(all).to_string();
        assert!(said.contains("undo_operation"));
    }
}

#[test]
fn bad_settings_and_arguments_are_one_sentence_and_code_2() {
    let run = |setup: &Setup, arguments: &[&str]| -> Output {
        setup.command().args(arguments).stdin(std::process::Stdio::null()).output().expect("it runs")
    };
    let bare = Setup::bare();
    for (name, value) in [
        ("AVENIR_MCP_WRITE", "yes"),
        ("AVENIR_MCP_TODAY", "soon"),
        ("AVENIR_MCP_YNAB_URL", "http://example.com/v1"),
        ("AVENIR_MCP_CONFIDENCE_THRESHOLD", "2"),
        ("AVENIR_MCP_LOG_LEVEL", "LOUD"),
        ("YNAB_API_KEY", "two words"),
    ] {
        let out = run(&bare.clone().env(name, value), &[]);
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{name}: {told}");
        assert!(told.lines().count() == 1 && told.contains(name) && !told.contains("two words"), "{told}");
        assert!(out.stdout.is_empty());
        for arguments in [["--help"], ["--version"]] {
            let out = run(&bare.clone().env(name, value), &arguments);
            assert_eq!(out.status.code(), Some(0), "{arguments:?} needs no settings");
            assert!(out.stderr.is_empty() && !out.stdout.is_empty());
        }
    }
    for arguments in [&["serve"][..], &["--demo", "x"], &["--write"], &["tour", "--loud"]] {
        let out = run(&bare, arguments);
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!((out.status.code(), told.lines().count()), (Some(2), 1), "{arguments:?}: {told}");
    }
    let version = run(&bare, &["--version"]);
    assert_eq!(String::from_utf8_lossy(&version.stdout), concat!("avenir-mcp ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_token_it_starts_and_a_call_says_what_is_missing() {
    let mut session = Setup::bare().open();
    assert!(!listed(&mut session).is_empty());
    let answer = session.call("list_plans", json!({}));
    assert!(answer.is_refused() && answer.text().contains("YNAB_API_KEY"), "{answer:?}");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn nothing_is_asked_of_ynab_before_a_call_needs_it() {
    let ynab = household::server();
    let folder = Folder::new();
    for era in ERAS {
        let mut session = Setup::on(&ynab, &folder.journal()).era(era).open();
        assert!(!listed(&mut session).is_empty());
        session.request("prompts/list", json!({}));
        session.request("resources/read", json!({ "uri": "avenir-mcp://guide" }));
        session.call("list_accounts", json!({ "plan_id": "a/b" }));
        session.call("list_accounts", json!({ "nothing": 1 }));
        session.call("get_monthly_summary", json!({ "plan_id": PLAN, "month": "2026-13-01" }));
    }
    assert!(ynab.log().is_empty(), "{:?}", ynab.log());
    assert!(!folder.journal().exists());
}

#[test]
fn point_64_an_id_with_a_slash_never_leaves() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).open();
    for id in ["a/b", "../user", "a?b", "a%2fb", "a#b", "", " ", "é", "-a", "a\nb"] {
        let answer = session.call("list_accounts", json!({ "plan_id": id }));
        assert!(answer.is_refused() && answer.text().contains("list_plans"), "{id:?}: {answer:?}");
    }
    assert!(ynab.log().is_empty(), "{:?}", ynab.log());
}

#[test]
fn point_65_what_ynab_says_is_made_safe() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).env("AVENIR_MCP_LOG_LEVEL", "DEBUG").open();
    let detail = format!("the-users-token is wrong\n- forged line \u{202e}\u{1b}[31m {}", "long ".repeat(20_000));
    let body = json!({ "error": { "id": "400", "name": "bad_request", "detail": detail } });
    for status in [400, 403, 404, 409, 500] {
        ynab.fault(Fault::new(Action::StatusBody(status, body.to_string().into_bytes())));
        let answer = session.call("list_accounts", json!({ "plan_id": PLAN }));
        let text = answer.text();
        assert!(answer.is_refused() && text.len() < 600 && text.lines().count() == 1, "{status}: {text}");
        assert!(!text.contains("the-users-token") && !text.contains(['\u{202e}', '\u{1b}']), "{status}: {text}");
    }
    session.end();
    let log = session.log();
    assert!(!log.contains("the-users-token") && !log.contains("forged line \u{202e}"), "{log}");
}

#[test]
fn the_demo_and_its_journal_leave_the_users_files_alone() {
    let folder = Folder::new();
    let home = folder.path().display().to_string();
    let setup = Setup::demo().env("HOME", &home).env("AVENIR_MCP_WRITE", "1").user(User::yes());
    let mut session = setup.open();
    let found = session.call("suggest_categories", json!({ "plan_id": "last-used", "limit": 20 }));
    let found = found.structured();
    let item = found["items"].as_array().and_then(|items| items.first()).expect("something that waits");
    let category = found["categories"].as_array().and_then(|all| all.last()).expect("a category");
    let one = json!({ "transaction_id": item["transaction_id"], "category_id": category["category_id"] });
    let applied = session.call("apply_categories", json!({ "plan_id": "last-used", "assignments": [one] }));
    assert_eq!(applied.status(), "applied", "{applied:?}");
    let undone = session.call("undo_operation", json!({ "plan_id": "last-used" }));
    assert_eq!(undone.status(), "applied", "{undone:?}");
    session.end();
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn the_journal_stands_where_it_is_documented() {
    let ynab = household::server();
    for (name, place) in [("HOME", ".local/state/avenir-mcp"), ("XDG_STATE_HOME", "avenir-mcp")] {
        let folder = Folder::new();
        let setup = Setup::on(&ynab, std::path::Path::new("")).env(name, &folder.path().display().to_string());
        let mut session = setup.user(User::yes()).open();
        let write = household::write("approve");
        assert!(!session.call(write.tool, (write.arguments)()).is_error());
        other_client(
            &ynab,
            "PATCH",
            "/transactions",
            &json!({ "transactions": [{ "id": household::REFUND, "approved": false }] }),
        );
        let journal = folder.path().join(place).join("journal-v2.jsonl");
        assert!(std::fs::read_to_string(&journal).expect("the journal").contains("\"approve\""), "{name}");
    }
}
