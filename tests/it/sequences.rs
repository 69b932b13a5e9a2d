//! Sequences of writes and undos with another client at work in between: nothing of the other client's is lost, and
//! undoing everything brings back the rest.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::household::{self, EVERYDAY, PLAN, export, other_client};
use crate::support::plan::{live, named, restored, state};
use crate::support::session::{Answer, Session, Setup, User};
use crate::support::ynab::Server;

/// How many steps a sequence has.
const STEPS: usize = 30;

/// A YNAB, a server on it whose user says yes, and what the other client did.
struct Stage {
    ynab: Server,
    session: Session,
    _folder: Folder,
    start: Value,
    rows: Vec<String>,
    /// Fields that the other client wrote, each once, with its value.
    theirs: BTreeMap<String, Value>,
    made: BTreeSet<String>,
}

/// Categories that moves use; the other client leaves their amounts alone, because a move with one side changed since is
/// left alone whole.
const MOVED: [&str; 2] = ["Rent", "Groceries"];
/// Categories whose amounts anybody changes.
const ASSIGNED: [&str; 4] = ["Restaurants", "Fuel", "Sport", "Clothes"];

impl Stage {
    fn new() -> Self {
        let ynab = household::server();
        let folder = Folder::new();
        let session = Setup::on(&ynab, &folder.journal()).user(User::yes()).open();
        let start = export(&ynab);
        let accounts: BTreeSet<&str> = live(&start, "accounts")
            .filter(|account| account["on_budget"] == true)
            .filter_map(|account| account["id"].as_str())
            .collect();
        let split: BTreeSet<&str> =
            live(&start, "subtransactions").filter_map(|line| line["transaction_id"].as_str()).collect();
        let plain = |row: &&Value| {
            let (id, account) = (row["id"].as_str().expect("an id"), row["account_id"].as_str().expect("an account"));
            accounts.contains(account) && !split.contains(id) && row["transfer_account_id"].is_null()
        };
        // The newest forty, so that writes meet each other.
        let mut plain: Vec<&Value> = live(&start, "transactions").filter(plain).collect();
        plain.sort_by_key(|row| row["date"].as_str().unwrap_or_default().to_owned());
        let rows = plain.iter().rev().take(40).filter_map(|row| row["id"].as_str()).map(str::to_owned).collect();
        Self { ynab, session, _folder: folder, rows, theirs: BTreeMap::new(), made: BTreeSet::new(), start }
    }

    fn category(&self, name: &str) -> String {
        named(&self.start, "categories", name)
    }

    fn row(&self, seed: usize) -> &str {
        &self.rows[seed % self.rows.len()]
    }

    fn call(&mut self, tool: &str, fields: Value) -> Answer {
        let mut arguments = fields;
        arguments["plan_id"] = json!(PLAN);
        self.session.call(tool, arguments)
    }

    /// One write of ours; whatever it answers, it may only be done or found done.
    fn write(&mut self, kind: usize, seed: usize) {
        let pick = |names: &[&str]| names[seed % names.len()].to_owned();
        let amount = 1.0 + (seed % 500) as f64;
        let answer = match kind {
            0 => {
                let category = self.category(&pick(&["Books", "Sport", "Clothes"]));
                let assignment = |n: usize| json!({ "transaction_id": self.row(seed + n), "category_id": category });
                let rows: Vec<Value> = (0..1 + seed % 5).map(assignment).collect();
                self.call("apply_categories", json!({ "assignments": rows }))
            }
            1 => {
                let category = self.category(&pick(&[MOVED, [ASSIGNED[0], ASSIGNED[1]]].concat()));
                self.call(
                    "set_category_budget",
                    json!({ "month": "current", "category_id": category, "amount": amount }),
                )
            }
            2 => {
                let [from, to] = [0, 1].map(|n| self.category(MOVED[(seed + n) % 2]));
                let fields =
                    json!({ "month": "current", "from_category_id": from, "to_category_id": to, "amount": amount });
                self.call("move_money", fields)
            }
            3 => {
                let new =
                    |n: usize| json!({ "date": "2026-03-10", "amount": -amount - n as f64, "payee_name": "A shop" });
                let rows: Vec<Value> = (0..1 + seed % 3).map(new).collect();
                let answer = self.call("create_transactions", json!({ "account_id": EVERYDAY, "transactions": rows }));
                let ids = answer.structured()["created_ids"].as_array().cloned().unwrap_or_default();
                self.made.extend(ids.iter().filter_map(Value::as_str).map(str::to_owned));
                answer
            }
            4 => {
                let color = pick(&["red", "orange", "yellow"]);
                let flag = |n: usize| json!({ "transaction_id": self.row(seed + n), "color": color });
                let rows: Vec<Value> = (0..1 + seed % 4).map(flag).collect();
                self.call("flag_transactions", json!({ "flags": rows }))
            }
            5 => {
                let payee = named(&self.start, "payees", &pick(&["Twin shop", "Garage Beta", "Cloud Locker"]));
                self.call("rename_payee", json!({ "payee_id": payee, "name": format!("Renamed {seed}") }))
            }
            6 => {
                let category = self.category(&pick(&["Transport", "Health", "Gifts"]));
                self.call("update_category", json!({ "category_id": category, "name": format!("Another {seed}") }))
            }
            7 => {
                let category = self.category(&pick(&["Holidays ✈️", "Sport", "Insurance"]));
                self.call("set_category_target", json!({ "category_id": category, "amount": amount }))
            }
            8 => {
                let rows: Vec<&str> = (0..1 + seed % 4).map(|n| self.row(seed + n)).collect();
                let fields = json!({ "tx_ids": rows });
                self.call("approve_transactions", fields)
            }
            _ => {
                let accounts = self.call("list_accounts", json!({}));
                let of = |row: &&Value| row["id"] == EVERYDAY;
                let listed = accounts.structured()["result"].as_array().cloned().unwrap_or_default();
                let cleared = listed.iter().find(of).expect("the account")["cleared_balance"].as_f64().expect("one");
                let balance = ((cleared + (seed % 3) as f64) * 1000.0).round() / 1000.0;
                self.call(
                    "reconcile_account",
                    json!({ "account_id": EVERYDAY, "bank_balance": balance, "adjust": true }),
                )
            }
        };
        // A name may be taken by then.
        let fine =
            matches!(answer.status(), "applied" | "nothing_to_do") || (matches!(kind, 5 | 6) && answer.is_refused());
        assert!(fine, "write {kind}: {answer:?}");
    }

    /// Takes back the latest, or any; what another client wrote stays where it is.
    fn undo(&mut self, any: Option<usize>) {
        let mut fields = json!({});
        if let Some(seed) = any {
            let listed = self.call("list_operations", json!({ "limit": 100 }));
            let rows = listed.structured()["operations"].as_array().cloned().unwrap_or_default();
            if rows.is_empty() {
                return;
            }
            fields["operation_id"] = rows[seed % rows.len()]["operation_id"].clone();
        }
        let in_place = |stage: &Self| {
            let now = state(&export(&stage.ynab));
            let there = |(key, value): &(&String, &Value)| now.get(*key) == Some(*value);
            stage.theirs.iter().filter(there).map(|(key, _)| key.clone()).collect::<BTreeSet<String>>()
        };
        let before = in_place(self);
        self.call("undo_operation", fields);
        let after = in_place(self);
        assert!(after.is_superset(&before), "an undo lost what another client had written: {before:?} → {after:?}");
    }

    /// A change of another client's, to a value that nobody else writes; each field once.
    fn another_client(&mut self, seed: usize) {
        let now = state(&export(&self.ynab));
        let row = self.row(seed / 7).to_owned();
        let made: Vec<String> =
            self.made.iter().filter(|id| now.contains_key(&format!("transactions {id} memo"))).cloned().collect();
        let (path, body, key, value) = match seed % 6 {
            0 => {
                let value = json!(self.category("Water"));
                (
                    String::from("/transactions"),
                    json!({ "id": row, "category_id": value }),
                    format!("transactions {row} category_id"),
                    value,
                )
            }
            1 => {
                let fields = json!({ "id": row, "flag_color": "purple" });
                (String::from("/transactions"), fields, format!("transactions {row} flag_color"), json!("purple"))
            }
            2 => {
                let fields = json!({ "id": row, "cleared": "uncleared" });
                if now[&format!("transactions {row} cleared")] == "uncleared" {
                    return;
                }
                (String::from("/transactions"), fields, format!("transactions {row} cleared"), json!("uncleared"))
            }
            3 => {
                let category = self.category(ASSIGNED[seed % ASSIGNED.len()]);
                let value = json!(1_000_000_000 + seed as i64 * 10);
                let path = format!("/months/2026-03-01/categories/{category}");
                (path, json!({ "budgeted": value }), format!("month 2026-03-01 {category} budgeted"), value)
            }
            4 => {
                let payee = named(&self.start, "payees", ["Twin shop", "Garage Beta"][seed % 2]);
                let value = json!(format!("Theirs {seed}"));
                (format!("/payees/{payee}"), json!({ "name": value }), format!("payees {payee} name"), value)
            }
            _ => {
                let Some(row) = made.get(seed % made.len().max(1)).cloned() else { return };
                let value = json!(format!("theirs {seed}"));
                (
                    String::from("/transactions"),
                    json!({ "id": row, "memo": value }),
                    format!("transactions {row} memo"),
                    value,
                )
            }
        };
        if self.theirs.contains_key(&key) {
            return;
        }
        self.theirs.insert(key, value);
        let body = match path.split('/').nth(1) {
            Some("transactions") => json!({ "transactions": [body] }),
            Some("payees") => json!({ "payee": body }),
            _ => json!({ "category": body }),
        };
        other_client(&self.ynab, "PATCH", &path, &body);
    }

    /// Undoes until nothing more can be undone.
    fn undo_everything(&mut self) {
        for _ in 0..4 * STEPS {
            if self.call("undo_operation", json!({})).status() != "applied" {
                return;
            }
        }
        panic!("undo finds no end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_another_clients_is_lost_and_the_rest_comes_back(
        steps in prop::collection::vec((0_usize..16, 0_usize..5_000), STEPS),
    ) {
        let mut stage = Stage::new();
        for (kind, seed) in steps {
            match kind {
                0..=9 => stage.write(kind, seed),
                10 => stage.undo(None),
                11 => stage.undo(Some(seed)),
                _ => stage.another_client(seed),
            }
        }
        stage.undo_everything();
        let mut expected = state(&stage.start);
        expected.extend(stage.theirs.clone());
        let mut now = restored(&export(&stage.ynab), &state(&stage.start));
        // What they changed of a transaction created here stays with it.
        let kept: BTreeSet<&String> = stage.made.iter().filter(|id| stage.theirs.contains_key(&format!("transactions {id} memo"))).collect();
        now.retain(|key, _| !kept.iter().any(|id| key.contains(id.as_str())) || stage.theirs.contains_key(key));
        let differs: Vec<String> = expected
            .keys()
            .chain(now.keys())
            .filter(|key| expected.get(*key) != now.get(*key))
            .map(|key| format!("{key}: expected {:?}, is {:?}", expected.get(key), now.get(key)))
            .collect();
        prop_assert!(differs.is_empty(), "{differs:#?}");
    }
}
