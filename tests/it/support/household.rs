//! Owns the recorded household that tests write to: its YNAB, ids in it, and one call of each kind of write with its
//! question. Never a fault or an answer.

use std::collections::BTreeMap;

use avenir_mcp::demo::{Request, Ynab};
use serde_json::{Value, json};

use super::plan;
use super::ynab::Server;

/// The recorded household.
pub const FILE: &[u8] = include_bytes!("../../golden/household/plan.json");
/// Its plan's id.
pub const PLAN: &str = "7e38c991-f401-583b-b11d-ccd728b2f963";
/// Its everyday account.
pub const EVERYDAY: &str = "5b015333-9a13-5097-b30e-df9d9385ec97";
/// Two categories of the group Everyday.
pub const GROCERIES: &str = "7b1d368c-6353-5528-ae27-9900dd845c49";
pub const RESTAURANTS: &str = "2c1d23cf-6a85-5e98-8088-06e13e515578";
/// A category of the group Fun, and the group.
pub const BOOKS: &str = "3e639cb0-a1d5-51e4-9744-3d1b0fea5375";
pub const FUN: &str = "c3ef7ab0-c09a-5ffc-ab59-616c86b591bc";
/// Two more categories.
pub const RENT: &str = "f1b245f9-8866-5b5a-b717-dd2bfd083e04";
pub const FUEL: &str = "89b95893-5276-54bc-98ff-e5b05b2770ba";
/// Transactions without a category: 75.00 of 3 March, 0.00 of 24 February.
pub const REFUND: &str = "3069b4eb-4c2c-5b93-91e7-33efe85a937f";
pub const ZERO: &str = "7fd0c4a7-eb95-5032-8833-4a5d0b018036";
/// One of -75.00 of 7 March, without a category.
pub const TRANSFER_LIKE: &str = "0bf16c19-de5f-5145-b88e-f0c47efac230";
/// A payee with one transaction.
pub const SUPER_NOVA: &str = "bc420eb5-2b89-50a6-93d7-d26c3d871f19";

/// A YNAB that holds the household.
pub fn server() -> Server {
    Server::start(Ynab::from_json(FILE).expect("a plan file"))
}

/// Another client's request; what it is answered.
pub fn other_client(server: &Server, method: &str, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let given = server.ynab().handle(Request { method, path: &format!("/plans/{PLAN}{path}"), body: &body });
    assert!(given.status < 300, "{}", String::from_utf8_lossy(&given.body));
    serde_json::from_slice(&given.body).expect("JSON")
}

/// How many changing requests YNAB carried out.
pub fn carried_out(server: &Server) -> usize {
    server.writes().iter().filter(|request| request.status.is_some_and(|status| status < 300)).count()
}

/// The plan as YNAB exports it now.
pub fn export(server: &Server) -> Value {
    other_client(server, "GET", "", &Value::Null)["data"]["plan"].take()
}

/// All that writes change, without the payees that YNAB made of new names.
pub fn state(server: &Server) -> BTreeMap<String, Value> {
    let file: Value = serde_json::from_slice(FILE).expect("JSON");
    let known: Vec<&str> =
        file["plans"][0]["payees"].as_array().into_iter().flatten().filter_map(|payee| payee["id"].as_str()).collect();
    let mut all = plan::state(&export(server));
    all.retain(|key, _| key.strip_prefix("payees ").is_none_or(|key| known.iter().any(|id| key.starts_with(id))));
    all
}

/// The first thing that differs between two states, for a test's message.
pub fn difference(one: &BTreeMap<String, Value>, other: &BTreeMap<String, Value>) -> String {
    let differs = one.keys().chain(other.keys()).find(|key| one.get(*key) != other.get(*key));
    differs.map_or_else(String::new, |key| format!("{key}: {:?} is {:?}", one.get(key), other.get(key)))
}

/// One kind of write: a call that makes it, and what the user is asked.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// Its name in tables.
    pub name: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// The call's arguments.
    pub arguments: fn() -> Value,
    /// Another call of the same tool, for another change.
    pub another: fn() -> Value,
    /// The question; `None` where nothing is asked.
    pub question: Option<&'static str>,
    /// How many requests it sends that change something.
    pub requests: usize,
    /// Whether undo_operation takes it back.
    pub undoable: bool,
}

fn of(arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["plan_id"] = json!(PLAN);
    arguments
}

fn assignments(rows: &[(&str, &str)]) -> Value {
    let rows: Vec<Value> = rows.iter().map(|(id, c)| json!({ "transaction_id": id, "category_id": c })).collect();
    of(json!({ "assignments": rows }))
}

fn flags(rows: &[(&str, &str)]) -> Value {
    let rows: Vec<Value> = rows.iter().map(|(id, color)| json!({ "transaction_id": id, "color": color })).collect();
    of(json!({ "flags": rows }))
}

fn creation(amount: f64) -> Value {
    let row = json!({ "date": "2026-03-16", "amount": amount, "payee_name": "New shop", "category_id": GROCERIES, "memo": "m" });
    let second = json!({ "date": "2026-03-14", "amount": -7.12, "payee_name": "SUMUP *CHEZ NINO" });
    of(json!({ "account_id": EVERYDAY, "transactions": [row, second] }))
}

fn split(first: f64) -> Value {
    let lines = json!([
        { "amount": first, "category_id": GROCERIES, "memo": "food" },
        { "amount": -75.0 - first, "category_id": BOOKS },
    ]);
    of(json!({ "transaction_id": TRANSFER_LIKE, "lines": lines }))
}

fn assigned(amount: f64) -> Value {
    of(json!({ "month": "current", "category_id": RESTAURANTS, "amount": amount }))
}

fn moved(amount: f64) -> Value {
    of(json!({ "month": "current", "from_category_id": RENT, "to_category_id": RESTAURANTS, "amount": amount }))
}

fn reconciled(balance: f64) -> Value {
    of(json!({ "account_id": EVERYDAY, "bank_balance": balance, "adjust": true }))
}

/// The everyday account's statement of its last days: the bank shows six transactions that wait for it, one of them a day
/// later, and two that YNAB lacks; the balances then agree. With fewer rows they agree as well.
fn statement(rows: usize) -> Value {
    let shown = [
        ("2026-03-13", -10_230, "SUPER NOVA"),
        ("2026-03-13", -9_970, "SUPER NOVA"),
        ("2026-03-13", -1_900, "TRAMWAY"),
        ("2026-03-14", -6_800, "PHARMACIE DES ARCADES"),
        ("2026-03-14", -1_900, "CARTE METRO"),
        ("2026-03-14", -61_120, "SUPER NOVA"),
        ("2026-03-15", -4_350, "PARKING GARE"),
        ("2026-03-16", 12_400, "REMBOURSEMENT"),
    ];
    let units = |amount: i64| {
        format!("{}{}.{:03}", if amount < 0 { "-" } else { "" }, amount.abs() / 1000, amount.abs() % 1000)
    };
    let mut balance = 4_113_847;
    let mut content = "Date,Description,Amount,Balance\n".to_owned();
    for (date, amount, text) in shown.iter().take(rows) {
        balance += amount;
        content += &format!("{date},{text},{},{}\n", units(*amount), units(balance));
    }
    of(json!({ "account_id": EVERYDAY, "content": content }))
}

/// That many transactions of the everyday account that have a category, each to be Books.
fn many(count: usize) -> Value {
    let file: Value = serde_json::from_slice(FILE).expect("JSON");
    let plan = &file["plans"][0];
    let rows = plan["transactions"].as_array().expect("transactions").iter();
    let lines = plan["subtransactions"].as_array().expect("lines");
    let is_plain = |row: &&Value| {
        row["account_id"] == EVERYDAY
            && row["category_id"].as_str().is_some_and(|id| id != BOOKS)
            && row["deleted"] != true
            && row["transfer_account_id"].is_null()
            && !lines.iter().any(|line| line["transaction_id"] == row["id"])
    };
    let ids: Vec<&str> = rows.filter(is_plain).filter_map(|row| row["id"].as_str()).take(count).collect();
    assert_eq!(ids.len(), count, "the household has too few transactions");
    assignments(&ids.into_iter().map(|id| (id, BOOKS)).collect::<Vec<_>>())
}

/// Every kind of write, and one in two requests of a hundred rows at most.
pub const WRITES: [Write; 16] = [
    Write {
        name: "categorize",
        tool: "apply_categories",
        arguments: || assignments(&[(ZERO, GROCERIES), (REFUND, BOOKS)]),
        another: || assignments(&[(ZERO, RESTAURANTS), (REFUND, BOOKS)]),
        question: Some(
            "Recategorise 2 transaction(s)?\n\
             - 2026-02-24 Zero Corp 0.00: no category → Groceries\n\
             - 2026-03-03 VIR REGULARISATION 75.00: no category → Books",
        ),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "budget",
        tool: "set_category_budget",
        arguments: || assigned(75.0),
        another: || assigned(76.0),
        question: Some("Budget Restaurants for 2026-03-01: 20.00 → 75.00 (available -78.19 → -23.19)?"),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "move",
        tool: "move_money",
        arguments: || moved(25.5),
        another: || moved(25.51),
        question: Some(
            "Move 25.50 from Rent to Restaurants for 2026-03-01?\n\
             - Rent: 625.00 → 599.50 (available -15.00 → -40.50)\n\
             - Restaurants: 20.00 → 45.50 (available -78.19 → -52.69)",
        ),
        requests: 2,
        undoable: true,
    },
    Write {
        name: "flag",
        tool: "flag_transactions",
        arguments: || flags(&[(ZERO, "yellow"), (REFUND, "blue")]),
        another: || flags(&[(ZERO, "yellow"), (REFUND, "green")]),
        question: Some(
            "Change the flag of 2 transaction(s)?\n\
             - 2026-02-24 Zero Corp 0.00: none → yellow\n\
             - 2026-03-03 VIR REGULARISATION 75.00: none → blue",
        ),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "target",
        tool: "set_category_target",
        arguments: || of(json!({ "category_id": FUEL, "amount": 80 })),
        another: || of(json!({ "category_id": FUEL, "amount": 80, "frequency": "weekly" })),
        question: Some("Set the target of Fuel: no target → 80.00 each month?"),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "category",
        tool: "update_category",
        arguments: || of(json!({ "category_id": BOOKS, "name": "Reading" })),
        another: || of(json!({ "category_id": BOOKS, "name": "Read" })),
        question: Some("Change category 'Books' (Fun) to 'Reading' (Fun)?"),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "create category",
        tool: "create_category",
        arguments: || of(json!({ "category_group_id": FUN, "name": "Piano" })),
        another: || of(json!({ "category_group_id": FUN, "name": "Violin" })),
        question: Some("Create category 'Piano' in Fun?"),
        requests: 1,
        undoable: false,
    },
    Write {
        name: "create",
        tool: "create_transactions",
        arguments: || creation(-12.5),
        another: || creation(-12.51),
        question: Some("Create 2 transaction(s) on Everyday account?"),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "split",
        tool: "split_transaction",
        arguments: || split(-25.0),
        another: || split(-26.0),
        question: Some(
            "Split 2026-03-07 VIR REGULARISATION -75.00 into 2 lines?\n- -25.00 Groceries (food)\n- -50.00 Books",
        ),
        requests: 1,
        undoable: false,
    },
    Write {
        name: "payee",
        tool: "rename_payee",
        arguments: || of(json!({ "payee_id": SUPER_NOVA, "name": "Super Nova" })),
        another: || of(json!({ "payee_id": SUPER_NOVA, "name": "The Super Nova" })),
        question: Some(
            "Rename payee 'CB SUPER NOVA 11/10 4970****1234 LYRIC' to 'Super Nova'? 1 transaction(s) name it.",
        ),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "reconcile",
        tool: "reconcile_account",
        arguments: || reconciled(4113.847),
        another: || reconciled(4113.85),
        question: Some("Reconcile Everyday account: mark 78 cleared transaction(s) reconciled?"),
        requests: 1,
        undoable: true,
    },
    Write {
        name: "adjust",
        tool: "reconcile_account",
        arguments: || reconciled(4106.35),
        another: || reconciled(4106.34),
        question: Some("Reconcile Everyday account: mark 78 cleared transaction(s) reconciled"),
        requests: 2,
        undoable: true,
    },
    Write {
        name: "statement",
        tool: "apply_statement",
        arguments: || statement(8),
        another: || statement(7),
        question: Some(
            "Apply the statement to Everyday account: create 2 transaction(s), mark 6 cleared and 86 reconciled up to \
             2026-03-16?\n\
             Balance on 2026-03-16: 4029.977 at the bank, 4029.977 in YNAB once this is done.\n\
             - 2026-03-15 PARKING GARE -4.35\n\
             - 2026-03-16 REMBOURSEMENT 12.40\n\
             Created unapproved",
        ),
        requests: 2,
        undoable: true,
    },
    Write {
        name: "many",
        tool: "apply_categories",
        arguments: || many(150),
        another: || many(149),
        question: Some("Recategorise 150 transaction(s)?\n- "),
        requests: 2,
        undoable: true,
    },
    Write {
        name: "approve",
        tool: "approve_transactions",
        arguments: || of(json!({ "tx_ids": [REFUND, TRANSFER_LIKE] })),
        another: || of(json!({ "tx_ids": [REFUND] })),
        question: None,
        requests: 1,
        undoable: true,
    },
    Write {
        name: "import",
        tool: "import_transactions",
        arguments: || of(json!({})),
        another: || of(json!({})),
        question: None,
        requests: 1,
        undoable: false,
    },
];

/// The write of that name.
pub fn write(name: &str) -> Write {
    *WRITES.iter().find(|write| write.name == name).expect("a write of that name")
}
