//! The recorded conversations, replayed on the project's own in-memory YNAB, with the deliberate differences of
//! `tests/golden/differences.txt` (the format of the oracle's `--allow`: `selector | json path | reason`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use avenir_mcp::demo::{Request, Ynab};
use serde_json::{Map, Value, json};

use crate::support::folder::Folder;
use crate::support::schema::misfit;
use crate::support::session::{Answer, Era, Session, Setup, User};
use crate::support::ynab::{Action, Fault, Logged, Server};

const DIFFERENCES: &str = include_str!("../golden/differences.txt");
const ABSENT: &str = "(absent)";

/// A corpus: its name, its plan and its lines.
struct Corpus {
    name: &'static str,
    plan: &'static [u8],
    cases: &'static str,
}

macro_rules! corpus {
    ($name:literal) => {
        Corpus {
            name: $name,
            plan: include_bytes!(concat!("../golden/", $name, "/plan.json")),
            cases: include_str!(concat!("../golden/", $name, "/cases.jsonl")),
        }
    };
}

#[test]
fn the_household_answers_as_recorded() {
    replay(&corpus!("household"));
}

#[test]
fn the_plan_in_yen_answers_as_recorded() {
    replay(&corpus!("yen"));
}

#[test]
fn the_two_plans_answer_as_recorded() {
    replay(&corpus!("two-plans"));
}

#[test]
fn every_difference_is_listed_with_its_selector_path_and_reason() {
    let rows = allowed();
    assert!(rows.iter().all(|row| row.iter().all(|part| !part.is_empty())), "{rows:?}");
    let mut seen = HashSet::new();
    assert!(rows.iter().all(|[selector, path, _]| seen.insert((selector, path))), "a difference is listed twice");
}

fn replay(corpus: &Corpus) {
    let lines: Vec<Value> = corpus.cases.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
    let mut conversations: Vec<(&str, Vec<&Value>)> = Vec::new();
    for line in &lines {
        let id = line["id"].as_str().and_then(|id| id.rsplit_once('/')).expect("an id").0;
        match conversations.last_mut() {
            Some((last, lines)) if *last == id => lines.push(line),
            _ => conversations.push((id, vec![line])),
        }
    }
    let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((_, lines)) = conversations.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut found = Report::default();
                    converse(corpus, lines, &mut found);
                    report.lock().expect("a report").add(found);
                }
            });
        }
    });
    let report = report.into_inner().expect("a report");
    assert!(report.differences.is_empty(), "{}", report.told());
}

/// What a replay found.
#[derive(Default)]
struct Report {
    calls: usize,
    differences: Vec<String>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.differences.extend(other.differences);
    }

    fn told(&self) -> String {
        format!("{} calls, {} differ:\n{}", self.calls, self.differences.len(), self.differences.join("\n"))
    }
}

/// Replays one conversation: a fresh YNAB, a fresh server, an empty journal.
fn converse(corpus: &Corpus, lines: &[&Value], report: &mut Report) {
    let ynab = Server::start(Ynab::from_json(corpus.plan).expect("a plan file"));
    let folder = Folder::new();
    let user = match lines[0]["answer"].as_str() {
        Some("accept") => User::yes(),
        Some("untick") => User::ticks(false),
        Some(action @ ("decline" | "cancel")) => User::action(action),
        _ => User::Nobody,
    };
    let era = if lines[0]["protocol"].is_string() { Era::Modern } else { Era::Legacy("2025-11-25") };
    let mut setup = Setup::on(&ynab, &folder.journal()).era(era).user(user);
    for (name, value) in lines[0]["env"].as_object().into_iter().flatten() {
        setup = setup.env(name, value.as_str().unwrap_or_default());
    }
    let mut session = setup.open();
    let listed = session.request("tools/list", json!({}));
    let schemas: HashMap<String, Value> = listed["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| (tool["name"].as_str().unwrap_or_default().to_owned(), tool["outputSchema"].clone()))
        .collect();
    let mut memory = Memory::default();
    for line in lines {
        for step in line["before"].as_array().into_iter().flatten() {
            before(&ynab, step, &memory);
        }
        let (id, tool) = (line["id"].as_str().unwrap_or_default(), line["tool"].as_str().unwrap_or_default());
        report.calls += 1;
        let sent = ynab.writes().len();
        let got = one_call(&mut session, line, &mut memory, |answer| {
            if let Some(problem) = schemas.get(tool).and_then(|schema| misfit(schema, answer, "")) {
                report.differences.push(format!("{id} {tool}: its answer does not fit its schema: {problem}"));
            }
        });
        let requests: Vec<Value> = ynab.writes()[sent..].iter().map(written).collect();
        let mut found = Vec::new();
        for (key, value) in [
            ("outcome", &got.outcome),
            ("structured", &got.structured),
            ("question", &got.question),
            ("requests", &Value::from(requests)),
        ] {
            differences(&line[key], value, key, &mut found);
        }
        found.retain(|difference| !is_allowed(corpus.name, id, tool, &difference.path));
        if let Some(first) = found.first() {
            let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
            let text = if got.outcome == "error" { format!(" {:?}", got.text) } else { String::new() };
            let Difference { path, want, got } = first;
            report.differences.push(format!("{id} {tool}: {path}: expected {want}, got {got}{more}{text}"));
        }
    }
}

/// Another client's request, or a fault, just before a call.
fn before(ynab: &Server, step: &Value, memory: &Memory) {
    if let Some([method, path, body]) = step["http"].as_array().map(Vec::as_slice) {
        let (path, body) = (memory.fill(path), memory.fill(body));
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (method, path) = (method.as_str().unwrap_or_default(), path.as_str().unwrap_or_default());
        ynab.ynab().handle(Request { method, path, body: &body });
    }
    let fault = &step["fault"];
    if fault.is_null() {
        return;
    }
    let number = |name: &str| fault[name].as_u64();
    let status = u16::try_from(number("status").unwrap_or_default()).unwrap_or_default();
    let action = match fault["action"].as_str() {
        Some("status") => Action::Status(status, number("retry-after")),
        Some("status-after") => Action::StatusAfter(status),
        Some("reset-before") => Action::ResetBefore,
        Some("reset-after") => Action::ResetAfter,
        Some("truncate") => Action::Truncate,
        Some("delay") => Action::Delay(Duration::from_secs(number("seconds").unwrap_or(1))),
        other => panic!("no such fault: {other:?}"),
    };
    let mut made = Fault::new(action).times(number("times").map_or(1, |times| times as usize));
    if let Some(method) = fault["method"].as_str() {
        made = made.method(method);
    }
    if let Some(path) = fault["path"].as_str() {
        made = made.path(path);
    }
    ynab.fault(made);
}

/// What came of a call, in the words of the recordings.
struct Got {
    outcome: Value,
    structured: Value,
    question: Value,
    text: String,
}

fn one_call(session: &mut Session, line: &Value, memory: &mut Memory, check: impl FnOnce(&Value)) -> Got {
    session.questions.clear();
    let of = |outcome: &str, structured: Value, text: String| Got {
        outcome: json!(outcome),
        structured,
        question: Value::Null,
        text,
    };
    match line["kind"].as_str() {
        Some("tools") => {
            let listed = session.request("tools/list", json!({}));
            let tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
            let mut names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
            names.sort_unstable();
            of("result", json!({ "tools": names }), String::new())
        }
        Some("resource") => {
            let read = session.request("resources/read", json!({ "uri": line["uri"] }));
            match read["result"]["contents"][0]["text"].as_str().and_then(|text| serde_json::from_str(text).ok()) {
                Some(json @ Value::Array(_) | json @ Value::Object(_)) => {
                    of("result", json!({ "json": json }), String::new())
                }
                _ => of("error", Value::Null, read["error"]["message"].to_string()),
            }
        }
        _ => {
            let answer: Answer =
                session.call(line["tool"].as_str().unwrap_or_default(), memory.fill(&line["arguments"]));
            let question = session.questions.last().map_or(Value::Null, |question| json!(question));
            if answer.is_error() {
                return Got { question, ..of("error", Value::Null, answer.text()) };
            }
            check(answer.structured());
            memory.keep(line["as"].as_str(), answer.structured());
            Got { question, ..of("result", cleaned(answer.structured()), answer.text()) }
        }
    }
}

/// Codes, operations, cursors and ids seen in a conversation, for later arguments.
#[derive(Default)]
struct Memory(BTreeMap<String, Value>);

impl Memory {
    fn keep(&mut self, name: Option<&str>, structured: &Value) {
        for (key, label) in [("confirmation", "code"), ("operation_id", "op"), ("next_cursor", "cursor")] {
            let value = &structured[key];
            if !value.is_null() {
                self.0.insert(label.to_owned(), value.clone());
                name.map(|name| self.0.insert(format!("{label}:{name}"), value.clone()));
            }
        }
        for key in ["created_ids", "transaction_ids", "category_id"] {
            let value = &structured[key];
            if let Some(name) = name.filter(|_| !value.is_null() && *value != json!([])) {
                self.0.insert(format!("{key}:{name}"), value.clone());
            }
        }
    }

    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix('$') {
                Some(name) => self.0.get(name).cloned().unwrap_or_else(|| json!(format!("missing-{name}"))),
                None => value.clone(),
            },
            Value::Object(fields) => {
                let filled = fields.iter().map(|(name, value)| (name.clone(), self.fill(value)));
                Value::Object(filled.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            plain => plain.clone(),
        }
    }
}

/// A structured answer without free text and without what differs at each run.
fn cleaned(structured: &Value) -> Value {
    let mut kept = structured.clone();
    if let Some(fields) = kept.as_object_mut() {
        fields.remove("message");
        fields.remove("notes");
        for (key, label) in [("confirmation", "<code>"), ("operation_id", "<operation>")] {
            if let Some(value) = fields.get_mut(key).filter(|value| !value.is_null()) {
                *value = json!(label);
            }
        }
    }
    kept
}

/// A request as it is recorded: a bulk change in the order of its ids.
fn written(request: &Logged) -> Value {
    let mut body = request.json();
    if request.method == "PATCH"
        && let Some(rows) = body.get_mut("transactions").and_then(Value::as_array_mut)
    {
        rows.sort_by_key(|row| row["id"].as_str().map(str::to_owned));
    }
    json!({ "method": request.method, "path": request.path, "body": body })
}

struct Difference {
    path: String,
    want: Value,
    got: Value,
}

/// Every differing path, depth first. A field that only the answer has is no difference in what is structured.
fn differences(want: &Value, got: &Value, path: &str, found: &mut Vec<Difference>) {
    match (want, got) {
        (Value::Object(wanted), Value::Object(given)) => {
            let more = given.keys().filter(|key| !wanted.contains_key(*key) && !path.starts_with("structured"));
            let absent = json!(ABSENT);
            for key in wanted.keys().chain(more) {
                let (want, got) = (wanted.get(key).unwrap_or(&absent), given.get(key).unwrap_or(&absent));
                differences(want, got, &format!("{path}.{key}"), found);
            }
        }
        (Value::Array(wanted), Value::Array(given)) => {
            if wanted.len() != given.len() {
                let (want, got) = (json!(wanted.len()), json!(given.len()));
                found.push(Difference { path: format!("{path}.length"), want, got });
            }
            for (place, (want, got)) in wanted.iter().zip(given).enumerate() {
                differences(want, got, &format!("{path}[{place}]"), found);
            }
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        (want, got) if want == got => {}
        (want, got) => found.push(Difference { path: path.to_owned(), want: want.clone(), got: got.clone() }),
    }
}

/// The rows of the list of differences.
fn allowed() -> Vec<[&'static str; 3]> {
    let rows = DIFFERENCES.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| {
        let mut parts = line.splitn(3, '|').map(str::trim);
        [(); 3].map(|()| parts.next().unwrap_or_default())
    })
    .collect()
}

fn is_allowed(corpus: &str, id: &str, tool: &str, path: &str) -> bool {
    let names = [id.to_owned(), tool.to_owned(), format!("{corpus}:{id}"), format!("{corpus}:{tool}")];
    allowed().iter().any(|[selector, pattern, _]| {
        names.iter().any(|name| matches(selector.as_bytes(), name.as_bytes()))
            && matches(pattern.as_bytes(), path.as_bytes())
    })
}

/// Wildcards `*` and `?`; everything else is taken literally.
fn matches(pattern: &[u8], value: &[u8]) -> bool {
    match (pattern.split_first(), value.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=value.len()).any(|at| matches(rest, &value[at..])),
        (Some((b'?', rest)), Some((_, left))) => matches(rest, left),
        (Some((one, rest)), Some((other, left))) => one == other && matches(rest, left),
        _ => false,
    }
}
