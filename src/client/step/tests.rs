//! Each step's request as recorded, and what each answer to it means.

use super::*;
use crate::dates::{Month, parse_date};
use crate::ids::TransactionId;
use crate::money::Milliunits;
use crate::writes::{CategoryPlace, Change};

fn money(milliunits: i64) -> Milliunits {
    Milliunits::new(milliunits)
}

fn change<T>(before: T, after: T) -> Change<T> {
    Change { before, after }
}

fn edit(id: &str) -> RowEdit {
    RowEdit { id: id.into(), category: None, flag: None, cleared: None, approved: None }
}

fn new_row(amount: i64) -> NewRow {
    NewRow {
        account: "a1".into(),
        date: parse_date("2026-03-16").expect("a day"),
        amount: money(amount),
        payee: "New shop".into(),
        memo: None,
        category: None,
        cleared: "cleared".into(),
        approved: false,
        import_id: None,
    }
}

fn place(name: &str, group: &str) -> CategoryPlace {
    CategoryPlace { name: name.into(), group: group.into() }
}

fn split() -> Step {
    let line = |amount, category: &str, memo: Option<&str>| NewLine {
        amount: money(amount),
        category: category.into(),
        memo: memo.map(str::to_owned),
    };
    let lines = vec![line(-25_000, "c1", Some("food")), line(-50_000, "c2", None)];
    Step::Split { id: "t1".into(), before: Some("c0".into()), lines }
}

fn budget() -> Step {
    let month = Month::parse("2026-03-01").expect("a month");
    Step::Budget { month, category: "c1".into(), budgeted: change(money(20_000), money(75_000)) }
}

fn target(sent: GoalSent) -> Step {
    Step::Target { category: "c1".into(), goal: change(None, None), sent }
}

#[test]
fn each_step_is_the_recorded_request() {
    let transactions = |rows: Value| Some(json!({ "transactions": rows }));
    let category = |fields: Value| Some(json!({ "category": fields }));
    let (all, one) = ("/plans/p/transactions", "/plans/p/categories/c1");
    let named = |before, after| Step::Category { category: "c1".into(), place: change(before, after) };
    let cases = [
        (
            Step::Transactions {
                rows: vec![
                    RowEdit { category: Some(change(None, Some("c1".into()))), ..edit("t1") },
                    RowEdit { category: Some(change(Some("c1".into()), None)), ..edit("t2") },
                    RowEdit { flag: Some(change(None, Some("green".into()))), ..edit("t3") },
                    RowEdit { flag: Some(change(Some("red".into()), None)), ..edit("t4") },
                    RowEdit {
                        cleared: Some(change("cleared".into(), "reconciled".into())),
                        approved: Some(change(false, true)),
                        ..edit("t5_2026-01-01")
                    },
                ],
            },
            (
                "PATCH",
                all,
                transactions(json!([
                    { "id": "t1", "category_id": "c1" },
                    { "id": "t2", "category_id": null },
                    { "id": "t3", "flag_color": "green" },
                    { "id": "t4", "flag_color": null },
                    { "id": "t5_2026-01-01", "cleared": "reconciled", "approved": true },
                ])),
            ),
        ),
        (
            Step::Create {
                rows: vec![
                    NewRow { memo: Some("m".into()), category: Some("c1".into()), ..new_row(-12_500) },
                    NewRow { import_id: Some("YNAB:-7120:2026-03-16:1".into()), ..new_row(-7_120) },
                ],
                twins: vec!["t9".into()],
            },
            (
                "POST",
                all,
                transactions(json!([
                    {
                        "account_id": "a1", "date": "2026-03-16", "amount": -12500, "payee_name": "New shop", "memo": "m",
                        "category_id": "c1", "cleared": "cleared", "approved": false,
                    },
                    {
                        "account_id": "a1", "date": "2026-03-16", "amount": -7120, "payee_name": "New shop",
                        "cleared": "cleared", "approved": false, "import_id": "YNAB:-7120:2026-03-16:1",
                    },
                ])),
            ),
        ),
        (Step::Delete { id: "t1".into(), row: new_row(-1) }, ("DELETE", "/plans/p/transactions/t1", None)),
        (
            split(),
            (
                "PATCH",
                all,
                transactions(json!([{
                    "id": "t1", "category_id": null, "subtransactions": [
                        { "amount": -25000, "category_id": "c1", "memo": "food" },
                        { "amount": -50000, "category_id": "c2" },
                    ],
                }])),
            ),
        ),
        (budget(), ("PATCH", "/plans/p/months/2026-03-01/categories/c1", category(json!({ "budgeted": 75000 })))),
        (named(place("Books", "g"), place("Reading", "g")), ("PATCH", one, category(json!({ "name": "Reading" })))),
        (
            named(place("Books", "g"), place("Books", "h")),
            ("PATCH", one, category(json!({ "category_group_id": "h" }))),
        ),
        (
            Step::CreateCategory { place: place("Piano", "g") },
            ("POST", "/plans/p/categories", category(json!({ "name": "Piano", "category_group_id": "g" }))),
        ),
        (
            target(GoalSent { target: Some(money(80_000)), frequency: Some("weekly".into()), ..GoalSent::default() }),
            ("PATCH", one, category(json!({ "goal_target": 80000, "goal_frequency": "weekly" }))),
        ),
        (
            target(GoalSent {
                target: Some(money(44_000)),
                date: parse_date("2026-10-03"),
                whole: Some(false),
                frequency: None,
            }),
            (
                "PATCH",
                one,
                category(json!({
                    "goal_target": 44000, "goal_target_date": "2026-10-03", "goal_needs_whole_amount": false,
                })),
            ),
        ),
        (target(GoalSent::default()), ("PATCH", one, category(json!({ "goal_target": null })))),
        (
            Step::Payee { payee: "y1".into(), name: change("One".into(), "L'été".into()) },
            ("PATCH", "/plans/p/payees/y1", Some(json!({ "payee": { "name": "L'été" } }))),
        ),
        (Step::Import, ("POST", "/plans/p/transactions/import", None)),
    ];
    for (step, (method, path, body)) in cases {
        let worded = word(&"p".into(), &step).expect("good ids");
        assert_eq!((worded.0.as_str(), &*worded.1, worded.2), (method, path, body));
    }
}

#[test]
fn point_64_no_id_leaves_its_place_in_the_path() {
    let bad = "../../user";
    let steps = [
        Step::Delete { id: bad.into(), row: new_row(1) },
        Step::Payee { payee: bad.into(), name: change("a".into(), "b".into()) },
        Step::Category { category: bad.into(), place: change(place("a", "g"), place("b", "g")) },
        Step::Target { category: bad.into(), goal: change(None, None), sent: GoalSent::default() },
    ];
    for step in steps {
        assert_eq!(word(&"p".into(), &step).map(drop), Err(bad.to_owned()));
    }
    assert_eq!(word(&"a/b".into(), &Step::Import).map(drop), Err("a/b".to_owned()));
}

/// What the answer with that data means: `None` for something else than asked.
fn meant(step: &Step, data: Value) -> Option<Landed> {
    match read_back(step, json!({ "data": data }).to_string().as_bytes()).expect("readable") {
        Answer::Landed(landed) => Some(landed),
        Answer::Other => None,
    }
}

#[test]
fn rows_that_did_not_change_as_asked_are_missed() {
    let step = Step::Transactions {
        rows: vec![
            RowEdit { category: Some(change(None, Some("c1".into()))), ..edit("t1") },
            RowEdit { category: Some(change(Some("c1".into()), None)), ..edit("t2") },
            RowEdit { flag: Some(change(Some("red".into()), None)), ..edit("t3") },
            RowEdit { approved: Some(change(false, true)), ..edit("t4") },
            RowEdit { cleared: Some(change("cleared".into(), "reconciled".into())), ..edit("t5") },
        ],
    };
    let done = json!([
        { "id": "t5", "cleared": "reconciled" },
        { "id": "t1", "category_id": "c1", "approved": false },
        { "id": "t2", "category_id": "u", "category_name": "Uncategorized" },
        { "id": "t3", "flag_color": "" },
        { "id": "t4", "approved": true },
    ]);
    assert_eq!(meant(&step, json!({ "transactions": done, "server_knowledge": 7 })), Some(Landed::default()));
    let not = json!([
        { "id": "t1", "category_id": null },
        { "id": "t2", "category_id": "c1", "category_name": "Food" },
        { "id": "t3", "flag_color": "red" },
        { "id": "t4" },
    ]);
    let missed = ["t1", "t2", "t3", "t4", "t5"].map(TransactionId::from).to_vec();
    assert_eq!(meant(&step, json!({ "transactions": not })), Some(Landed { missed, ..Landed::default() }));
}

#[test]
fn created_rows_are_named_in_the_order_they_were_sent() {
    let step = Step::Create {
        rows: vec![
            new_row(-1),
            NewRow { import_id: Some("i2".into()), ..new_row(-2) },
            NewRow { memo: Some("m".into()), ..new_row(-3) },
            new_row(-3),
        ],
        twins: Vec::new(),
    };
    let row = |id: &str, amount: i64, memo: Value, payee: &str| {
        json!({
            "id": id, "account_id": "a1", "date": "2026-03-16", "amount": amount, "payee_name": payee, "memo": memo,
            "cleared": "cleared", "approved": false, "category_id": null,
        })
    };
    let rows = json!([
        row("t4", -3, Value::Null, "new SHOP"),
        row("t3", -3, json!("m"), "New shop"),
        row("t1", -1, Value::Null, "New shop"),
    ]);
    let data = json!({ "transactions": rows, "transaction_ids": ["t4", "t3", "t1"], "duplicate_import_ids": ["i2"] });
    let ids = |ids: &[&str]| ids.iter().map(|id| TransactionId::from(*id)).collect::<Vec<_>>();
    let landed = meant(&step, data).expect("landed");
    assert_eq!(
        (landed.created, landed.duplicates, landed.missed),
        (ids(&["t1", "t3", "t4"]), vec!["i2".into()], vec![])
    );
    // One is there but not as asked; one is nowhere.
    let other = json!({ "transactions": [row("t1", -1, json!("other"), "New shop")] });
    let one = Step::Create { rows: vec![new_row(-1)], twins: Vec::new() };
    let landed = meant(&one, other.clone()).expect("landed");
    assert_eq!((landed.created, landed.missed), (ids(&["t1"]), ids(&["t1"])));
    assert_eq!(meant(&step, other), None);
    assert_eq!(meant(&one, json!({ "transaction_ids": [] })), None);
}

#[test]
fn a_200_that_shows_something_else_is_not_taken_for_done() {
    let rename = Step::Payee { payee: "y1".into(), name: change("One".into(), "Two".into()) };
    let moved = Step::Category { category: "c1".into(), place: change(place("A", "g"), place("B", "h")) };
    let weekly =
        target(GoalSent { target: Some(money(80_000)), frequency: Some("weekly".into()), ..GoalSent::default() });
    let gone = Step::Delete { id: "t1".into(), row: new_row(1) };
    let lines = |memo: &str| {
        json!({ "transactions": [{ "id": "t1", "subtransactions": [
            { "amount": -50000, "category_id": "c2", "memo": null },
            { "amount": -9, "category_id": "c3", "deleted": true },
            { "amount": -25000, "category_id": "c1", "memo": memo },
        ] }] })
    };
    let goal = |cadence: i64, target: i64| json!({ "category": { "id": "c1", "goal_type": "NEED", "goal_target": target, "goal_cadence": cadence } });
    let category =
        |name: &str, group: &str| json!({ "category": { "id": "c1", "name": name, "category_group_id": group } });
    let cases = [
        (&rename, json!({ "payee": { "id": "y1", "name": "Two" } }), true),
        (&rename, json!({ "payee": { "id": "y1", "name": "One" } }), false),
        (&moved, category("B", "h"), true),
        (&moved, category("B", "g"), false),
        (&budget(), json!({ "category": { "id": "c1", "budgeted": 75000 } }), true),
        (&budget(), json!({ "category": { "id": "c1", "budgeted": 20000 } }), false),
        (&weekly, goal(2, 80_000), true),
        (&weekly, goal(1, 80_000), false),
        (&weekly, goal(2, 79_000), false),
        (&target(GoalSent::default()), json!({ "category": { "id": "c1", "goal_type": null } }), true),
        (&target(GoalSent::default()), goal(1, 1), false),
        (&gone, json!({ "transaction": { "id": "t1", "deleted": true } }), true),
        (&gone, json!({ "transaction": { "id": "t1", "deleted": false } }), false),
        (&split(), lines("food"), true),
        (&split(), lines("drink"), false),
    ];
    for (step, data, good) in cases {
        assert_eq!(meant(step, data.clone()).is_some(), good, "{step:?} {data}");
    }
    let created = Step::CreateCategory { place: place("B", "h") };
    assert_eq!(meant(&created, category("B", "h")).and_then(|landed| landed.category), Some("c1".into()));
    assert_eq!(meant(&created, category("C", "h")), None);
    let imported = meant(&Step::Import, json!({ "transaction_ids": ["t1", "t2"] })).expect("landed");
    assert_eq!(imported.created.len(), 2);
    assert!(read_back(&Step::Import, b"<html>").is_err());
}
