//! What the in-memory YNAB answers: its arithmetic against recorded plans, its rules in tables.

mod lists;
mod months;
mod rules;
mod targets;

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{Request, Ynab};
use crate::dates::Date;

pub(super) fn recorded(name: &str) -> (Ynab, Value) {
    let path = format!("{}/tests/golden/{name}/plan.json", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).expect("the recorded plan");
    (Ynab::from_json(&bytes).expect("a plan file"), serde_json::from_slice(&bytes).expect("JSON"))
}

/// Sends a request and reads the answer.
pub(super) fn call(ynab: &mut Ynab, method: &str, path: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let response = ynab.handle(Request { method, path, body: &body });
    (response.status, serde_json::from_slice(&response.body).expect("JSON"))
}

pub(super) fn get(ynab: &mut Ynab, path: &str) -> Value {
    let (status, body) = call(ynab, "GET", path, Value::Null);
    assert_eq!(status, 200, "{path}: {body}");
    body["data"].clone()
}

/// The day of the demo plan in these tests.
const TODAY: Date = jiff::civil::date(2026, 3, 17);

/// The demo plan, and its rows' ids by their names.
#[derive(Clone)]
struct Demo {
    ynab: Ynab,
    before: Value,
}

impl Demo {
    fn new() -> Self {
        static MADE: LazyLock<Demo> = LazyLock::new(|| {
            let mut ynab = Ynab::demo(TODAY);
            let before = get(&mut ynab, "/plans/last-used");
            Demo { ynab, before }
        });
        MADE.clone()
    }

    /// The text with `<accounts/Carte Azur>` and the like replaced by ids; a transaction goes by its payee, the last one
    /// that is no split.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once('<') {
            let (name, after) = tail.split_once('>').expect("a closed name");
            let (kind, name) = name.split_once('/').expect("a kind and a name");
            filled.push_str(head);
            filled.push_str(self.id(kind, name));
            rest = after;
        }
        filled + rest
    }

    fn id(&self, kind: &str, name: &str) -> &str {
        let rows = |kind: &str| self.before["plan"][kind].as_array().expect("rows").iter();
        let found = match kind {
            "transactions" | "splits" => {
                let payee = rows("payees").find(|row| row["name"] == name).map(|row| &row["id"]);
                let split = |row: &&Value| rows("subtransactions").any(|line| line["transaction_id"] == row["id"]);
                let mut mine = rows("transactions").filter(|row| Some(&row["payee_id"]) == payee);
                mine.rfind(|row| split(row) == (kind == "splits"))
            }
            kind => rows(kind).find(|row| row["name"] == name),
        };
        found.and_then(|row| row["id"].as_str()).unwrap_or_else(|| panic!("no {kind} {name}"))
    }

    /// Sends a request below the plan, names in it replaced by ids.
    fn call(&mut self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let (path, body) = (self.fill(&format!("/plans/last-used{path}")), self.fill(body));
        let response = self.ynab.handle(Request { method, path: &path, body: body.as_bytes() });
        (response.status, serde_json::from_slice(&response.body).expect("JSON"))
    }

    /// A request that is granted: its data.
    fn granted(&mut self, method: &str, path: &str, body: &str) -> Value {
        let (status, answer) = self.call(method, path, body);
        assert!((200..300).contains(&status), "{method} {path} {body}: {answer}");
        answer["data"].clone()
    }

    fn get(&mut self, path: &str) -> Value {
        self.granted("GET", path, "")
    }
}

/// Without the keys that are null: the recorded files leave them out.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            map.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), without_nulls(v))).collect()
        }
        Value::Array(list) => list.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_figure_is_computed_as_it_was_recorded() {
    for name in ["household", "yen", "two-plans"] {
        let (mut ynab, file) = recorded(name);
        for plan in file["plans"].as_array().expect("plans") {
            let id = plan["id"].as_str().expect("an id");
            let delta = get(&mut ynab, &format!("/plans/{id}?last_knowledge_of_server=0"));
            let (export, recorded) = (without_nulls(&delta["plan"]), without_nulls(plan));
            for key in recorded.as_object().expect("a plan").keys().filter(|key| *key != "months") {
                if key != "payee_locations" {
                    assert_eq!(export[key], recorded[key], "{name} {id} {key}");
                }
            }
            // A month lists no deleted category in the files.
            for (got, want) in export["months"].as_array().unwrap().iter().zip(recorded["months"].as_array().unwrap()) {
                let live = |c: &&Value| c["deleted"] == json!(false);
                let got_cells: Vec<_> = got["categories"].as_array().unwrap().iter().filter(live).collect();
                let want_cells: Vec<_> = want["categories"].as_array().unwrap().iter().filter(live).collect();
                assert_eq!(got_cells, want_cells, "{name} {}", want["month"]);
                for key in ["month", "income", "budgeted", "activity", "to_be_budgeted", "age_of_money", "note"] {
                    assert_eq!(got[key], want[key], "{name} {} {key}", want["month"]);
                }
            }
        }
    }
}
