//! What lists hold: by date, by type, by what changed.

use serde_json::{Value, json};

use super::{Demo, get};
use crate::demo::{Ynab, large};

fn rows<'a>(data: &'a Value, key: &str) -> &'a [Value] {
    data[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn a_list_without_since_date_goes_back_one_year() {
    let mut demo = Demo::new();
    let oldest = |data: &Value| {
        rows(data, "transactions").iter().filter_map(|row| row["date"].as_str()).min().map(str::to_owned)
    };
    for list in [
        "/transactions",
        "/accounts/<accounts/Compte courant>/transactions",
        "/payees/<payees/Voltéo>/transactions",
        "/categories/<categories/Groceries>/transactions",
    ] {
        let year = oldest(&demo.get(list));
        assert!(("2025-03-17".."2025-04-20").contains(&year.as_deref().unwrap_or_default()), "{list} {year:?}");
        let all = oldest(&demo.get(&format!("{list}?since_date=2000-01-01")));
        assert!(all.as_deref().is_some_and(|day| day < "2024-11-01"), "{list} {all:?}");
    }
    // The list of a month and the whole plan have no such limit.
    assert!(!rows(&demo.get("/months/2024-12-01/transactions"), "transactions").is_empty());
    let until = demo.get("/transactions?since_date=2024-10-01&until_date=2024-10-02");
    assert!(rows(&until, "transactions").iter().all(|row| row["date"].as_str() <= Some("2024-10-02")));
}

#[test]
fn lists_of_a_category_or_a_payee_hold_single_lines() {
    let mut demo = Demo::new();
    let groceries = demo.get("/categories/<categories/Groceries>/transactions");
    let (lines, whole): (Vec<_>, Vec<_>) =
        rows(&groceries, "transactions").iter().partition(|row| row["type"] == "subtransaction");
    assert!(!lines.is_empty() && whole.len() > lines.len());
    assert!(lines.iter().all(|row| row["parent_transaction_id"].is_string() && row["payee_name"] == "Super Lune"));
    assert!(whole.iter().all(|row| row["parent_transaction_id"].is_null() && row["category_name"] == "Groceries"));
    let payee = demo.get("/payees/<payees/Super Lune>/transactions");
    let split = |row: &&Value| row["category_name"] == "Split";
    assert!(rows(&payee, "transactions").iter().any(|row| split(&row)));
}

#[test]
fn a_delta_holds_what_changed_since_and_nothing_else() {
    let mut demo = Demo::new();
    let known = demo.before["server_knowledge"].as_i64().expect("knowledge");
    let delta = |demo: &mut Demo, known: i64| demo.get(&format!("?last_knowledge_of_server={known}"));
    let counts = |data: &Value| {
        let plan = &data["plan"];
        ["accounts", "payees", "category_groups", "categories", "months", "transactions", "scheduled_transactions"]
            .map(|key| rows(plan, key).len())
    };
    assert_eq!(counts(&delta(&mut demo, known)), [0; 7]);

    // A memo: its transaction alone.
    demo.granted("PUT", "/transactions/<transactions/Streamly>", r#"{"transaction":{"memo":"x"}}"#);
    assert_eq!(counts(&delta(&mut demo, known)), [0, 0, 0, 0, 0, 1, 0]);
    // An amount assigned: its category in its month, and what its month and later ones carry.
    let after_memo = known + 1;
    let budget = r#"{"category":{"budgeted":1000}}"#;
    demo.granted("PATCH", "/months/2026-03-01/categories/<categories/Household>", budget);
    let changed = delta(&mut demo, after_memo);
    assert_eq!(counts(&changed)[3], 1);
    let month = rows(&changed["plan"], "months").iter().find(|month| month["month"] == "2026-03-01");
    let categories = rows(month.expect("the month"), "categories");
    assert_eq!(categories.iter().map(|row| row["name"].as_str()).collect::<Vec<_>>(), [Some("Household")]);
    assert!(categories.len() < rows(&demo.before["plan"], "categories").len());
    // A deletion: the row comes once more, marked.
    let after_budget = known + 2;
    demo.granted("DELETE", "/transactions/<transactions/Streamly>", "");
    let changed = delta(&mut demo, after_budget);
    let deleted: Vec<_> = rows(&changed["plan"], "transactions").iter().map(|row| row["deleted"].clone()).collect();
    assert_eq!((deleted, rows(&changed["plan"], "accounts").len()), (vec![json!(true)], 1));
    let full = demo.get("");
    assert!(rows(&full["plan"], "transactions").iter().all(|row| row["deleted"] == false));
    assert_eq!(full["server_knowledge"], known + 3);
    // A new name of a payee does not touch its transactions.
    demo.granted("PATCH", "/payees/<payees/Super Lune>", r#"{"payee":{"name":"Soleil"}}"#);
    assert_eq!(counts(&delta(&mut demo, known + 3)), [0, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_delta_without_since_date_loses_an_older_change_for_good() {
    let mut demo = Demo::new();
    let old = rows(&demo.before["plan"], "transactions")[30]["id"].as_str().expect("an id").to_owned();
    let known = demo.before["server_knowledge"].as_i64().expect("knowledge");
    demo.granted("PUT", &format!("/transactions/{old}"), r#"{"transaction":{"memo":"late"}}"#);
    let delta = demo.get(&format!("/transactions?last_knowledge_of_server={known}"));
    assert_eq!((rows(&delta, "transactions").len(), &delta["server_knowledge"]), (0, &json!(known + 1)));
    let wide = demo.get(&format!("/transactions?since_date=2000-01-01&last_knowledge_of_server={known}"));
    assert_eq!(rows(&wide, "transactions").len(), 1);
}

#[test]
fn every_list_gives_the_knowledge_that_the_next_delta_starts_from() {
    let mut demo = Demo::new();
    let known = demo.before["server_knowledge"].clone();
    for list in ["/accounts", "/categories", "/months", "/payees", "/transactions", "/scheduled_transactions"] {
        assert_eq!(demo.get(list)["server_knowledge"], known, "{list}");
        let delta = demo.get(&format!("{list}?last_knowledge_of_server={known}"));
        let lists = delta.as_object().expect("data").values().filter_map(Value::as_array);
        assert_eq!(lists.map(Vec::len).sum::<usize>(), 0, "{list}");
    }
}

#[test]
fn plans_are_found_by_id_and_by_last_used() {
    let (mut ynab, _) = super::recorded("two-plans");
    let plans = get(&mut ynab, "/plans?include_accounts=true");
    assert_eq!((rows(&plans, "plans").len(), &plans["default_plan"]), (2, &Value::Null));
    assert!(rows(&plans, "plans").iter().all(|plan| rows(plan, "accounts").iter().all(|a| a["deleted"] == false)));
    assert_eq!(get(&mut ynab, "/plans/last-used")["plan"]["name"], "Club's plan");
    for id in ["default", "00000000-0000-0000-0000-000000000000", "LAST-USED"] {
        let (status, answer) = super::call(&mut ynab, "GET", &format!("/plans/{id}/settings"), Value::Null);
        assert_eq!((status, &answer["error"]["id"]), (404, &json!("404.2")), "{id}");
    }
    assert!(get(&mut ynab, "/user")["user"]["id"].is_string());
}

#[test]
fn the_rows_of_a_full_plan_and_of_the_lists_agree() {
    let mut demo = Demo::new();
    let plan = demo.before["plan"].clone();
    let listed = demo.get("/transactions?since_date=2000-01-01");
    assert_eq!(rows(&listed, "transactions").len(), rows(&plan, "transactions").len());
    for (detail, base) in rows(&listed, "transactions").iter().zip(rows(&plan, "transactions")) {
        for (key, value) in base.as_object().expect("a row") {
            assert_eq!(&detail[key], value, "{key}");
        }
    }
    let month = demo.get("/months/current");
    assert_eq!(month, demo.get("/months/2026-03-01"));
    let groups = demo.get("/categories");
    let of_groups: Vec<_> =
        rows(&groups, "category_groups").iter().flat_map(|group| rows(group, "categories")).collect();
    assert_eq!(of_groups.len(), rows(&month["month"], "categories").len());
    let one = demo.get("/months/2026-03-01/categories/<categories/Groceries>");
    assert!(of_groups.contains(&&one["category"]));
    assert_eq!(demo.get("/settings")["settings"]["currency_format"], plan["currency_format"]);
    let schedule = rows(&plan, "scheduled_transactions")[0]["id"].as_str().expect("an id");
    assert_eq!(
        demo.get(&format!("/scheduled_transactions/{schedule}"))["scheduled_transaction"]["account_name"],
        "Compte courant"
    );
}

#[test]
fn a_large_plan_is_answered_without_a_quadratic_step() {
    let mut ynab: Ynab = large(super::TODAY, 20_000);
    let known = get(&mut ynab, "/plans/last-used/accounts")["server_knowledge"].clone();
    let accounts = get(&mut ynab, "/plans/last-used/accounts");
    let account = accounts["accounts"][0]["id"].clone();
    let items: Vec<_> = (0..2_000)
        .map(|n| json!({"account_id": account, "date": "2026-03-16", "amount": -n - 1, "payee_name": format!("P{n}"), "import_id": format!("i{n}")}))
        .collect();
    let (status, _) = super::call(&mut ynab, "POST", "/plans/last-used/transactions", json!({ "transactions": items }));
    assert_eq!(status, 201);
    let delta = get(&mut ynab, &format!("/plans/last-used?last_knowledge_of_server={known}"));
    assert_eq!(rows(&delta["plan"], "transactions").len(), 2_000);
}
