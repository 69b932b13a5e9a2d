//! What YNAB refuses, and what it does with what it accepts.

use serde_json::{Value, json};

use super::Demo;

#[test]
fn what_ynab_refuses_is_refused_and_changes_nothing() {
    let long = |count: usize| "é".repeat(count);
    let new = |fields: &str| {
        format!(
            r#"{{"transaction":{{"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000{fields}}}}}"#
        )
    };
    let change = |fields: &str| format!(r#"{{"transaction":{{{fields}}}}}"#);
    let category = |fields: &str| format!(r#"{{"category":{{{fields}}}}}"#);
    let line = r#"{"amount":-2500,"category_id":"<categories/Groceries>"}"#;
    let split = |lines: &[&str]| format!(r#","subtransactions":[{}]"#, lines.join(","));
    let post = "POST /transactions";
    let put = "PUT /transactions/<transactions/Boulangerie Petit Four>";
    let groceries = "PATCH /categories/<categories/Groceries>";
    let card = "PATCH /categories/<categories/Carte Azur>";
    let loan = "PATCH /categories/<categories/Prêt maison>";
    let cases: Vec<(&str, String, u16, &str)> = vec![
        // Bodies.
        (post, "{".into(), 400, "invalid"),
        (post, r#"{"transaction":{"memo":"a\u0000b"}}"#.into(), 400, "null byte"),
        (post, "{}".into(), 400, "required"),
        (post, r#"{"transactions":[]}"#.into(), 400, "required"),
        // New transactions.
        (post, new("").replace("<accounts/Compte courant>", "unknown"), 400, "account_id"),
        (post, new("").replace(r#""amount":-5000"#, r#""memo":null"#), 400, "required"),
        (post, new("").replace("-5000", "-5000.5"), 400, "invalid"),
        (post, new("").replace("-5000", r#""-5000""#), 400, "invalid"),
        (post, new("").replace("-5000", "9007199254740993"), 400, "amount"),
        (post, new("").replace("2026-03-16", "2026-03-18"), 400, "future"),
        (post, new("").replace("2026-03-16", "2021-03-16"), 400, "5 years"),
        (post, new("").replace("2026-03-16", "2026-02-30"), 400, "date"),
        (post, new("").replace("2026-03-16", "2026-3-16"), 400, "date"),
        (post, new(&format!(r#","payee_name":"{}""#, long(201))), 400, "payee_name"),
        (post, new(&format!(r#","memo":"{}""#, long(501))), 400, "memo"),
        (post, new(&format!(r#","import_id":"{}""#, long(37))), 400, "import_id"),
        (post, new(r#","import_id":"""#), 400, "import_id"),
        (post, new(r#","payee_name":"Transfer : Livret vert""#), 400, "internal"),
        (post, new(r#","payee_name":"Starting Balance""#), 400, "internal"),
        (post, new(r#","payee_name":" starting balance of mine""#), 400, "internal"),
        (post, new(r#","payee_name":"Manual Balance Adjustment""#), 400, "internal"),
        (post, new(r#","payee_name":"Reconciliation Balance Adjustment""#), 400, "internal"),
        (post, new(r#","payee_id":"unknown""#), 400, "payee_id"),
        (post, new(r#","payee_id":"<payees/Transfer : Compte courant>""#), 400, "two accounts"),
        (post, new(r#","category_id":"unknown""#), 400, "category_id"),
        (post, new(r#","cleared":"maybe""#), 400, "invalid"),
        (post, new(r#","flag_color":"pink""#), 400, "invalid"),
        (post, new(r#","approved":1"#), 400, "invalid"),
        // Splits.
        (post, new(&split(&[line])), 400, "add up"),
        (post, new(&split(&[line, r#"{"amount":-2500,"category_id":"unknown"}"#])), 400, "category_id"),
        (post, new(&split(&[line, r#"{"amount":-2500,"payee_name":"Transfer : x"}"#])), 400, "internal"),
        (post, new(&split(&[line, line])).replace("Compte courant", "Fonds indiciel"), 400, "tracking"),
        (post, new(&(split(&[line, line]) + r#","payee_id":"<payees/Transfer : Livret vert>""#)), 400, "transfer"),
        ("PUT /transactions/<splits/Super Lune>", change(&split(&[line, line])[1..]), 400, "existing split"),
        // Changes.
        (put, change(r#""date":"2026-03-18""#), 400, "future"),
        (put, change(r#""amount":null,"payee_name":"Transfer : x""#), 400, "internal"),
        ("PUT /transactions/unknown", change(""), 404, "Resource"),
        ("DELETE /transactions/unknown", String::new(), 404, "Resource"),
        ("PATCH /transactions", r#"{"transactions":[{"memo":"x"}]}"#.into(), 400, "index: 0"),
        ("PATCH /transactions", r#"{"transactions":[{"id":"unknown"}]}"#.into(), 400, "does not exist"),
        ("PATCH /transactions", r#"{"transactions":[{"id":"a","import_id":"b"}]}"#.into(), 400, "both"),
        (
            "PATCH /transactions",
            r#"{"transactions":[{"id":"<transactions/Streamly>"},{"id":"<transactions/Streamly>"}]}"#.into(),
            400,
            "only once",
        ),
        (
            "PATCH /transactions",
            r#"{"transactions":[{"id":"<transactions/Streamly>","memo":"x"},{"id":"<transactions/Voltéo>","amount":"x"}]}"#
                .into(),
            400,
            "invalid",
        ),
        // Categories and their months.
        ("PATCH /months/2026-03-01/categories/<categories/Inflow: Ready to Assign>", category(r#""budgeted":1"#), 400, "internal"),
        ("PATCH /months/2026-03-01/categories/<categories/Groceries>", category(r#""budgeted":1.5"#), 400, "invalid"),
        ("PATCH /months/2026-03-01/categories/<categories/Groceries>", category(""), 400, "budgeted"),
        ("PATCH /months/2026-03-02/categories/<categories/Groceries>", category(r#""budgeted":1"#), 400, "month"),
        ("PATCH /months/2031-01-01/categories/<categories/Groceries>", category(r#""budgeted":1"#), 404, "Resource"),
        ("PATCH /categories/<categories/Uncategorized>", category(r#""name":"Mine""#), 400, "internal"),
        (groceries, category(r#""name":"  ""#), 400, "blank"),
        (groceries, category(r#""category_group_id":"<category_groups/Credit Card Payments>""#), 400, "category_group_id"),
        (groceries, category(r#""category_group_id":"unknown""#), 400, "category_group_id"),
        (card, category(r#""name":"Mine""#), 400, "payment"),
        ("POST /categories", category(r#""name":"New""#), 400, "category_group_id"),
        ("POST /categories", category(r#""category_group_id":"<category_groups/Fun>""#), 400, "blank"),
        (
            "POST /categories",
            category(r#""name":"x","category_group_id":"<category_groups/Internal Master Category>""#),
            400,
            "category_group_id",
        ),
        // Targets.
        (groceries, category(r#""goal_target":0"#), 400, "greater"),
        (groceries, category(r#""goal_frequency":"monthly""#), 400, "requires"),
        (groceries, category(r#""goal_target":null,"goal_frequency":"monthly""#), 400, "requires"),
        (groceries, category(r#""goal_target":1000,"goal_frequency":"daily""#), 400, "invalid"),
        (groceries, category(r#""goal_target":1000,"goal_frequency":"weekly","goal_target_date":"2026-10-01""#), 400, "combined"),
        (groceries, category(r#""goal_target":null,"goal_target_date":"2026-10-01""#), 400, "required"),
        (
            "PATCH /categories/<categories/Household>",
            category(r#""goal_target_date":"2026-10-01""#),
            400,
            "required",
        ),
        (
            "PATCH /categories/<categories/Car upkeep>",
            category(r#""goal_needs_whole_amount":true"#),
            400,
            "NEED",
        ),
        (card, category(r#""goal_target":1000,"goal_frequency":"monthly""#), 400, "card"),
        (card, category(r#""goal_target":1000,"goal_needs_whole_amount":true"#), 400, "card"),
        (loan, category(r#""goal_target":1000,"goal_frequency":"monthly""#), 400, "loan"),
        (loan, category(r#""goal_target_date":"2026-10-01""#), 400, "loan"),
        // Groups and payees.
        ("POST /category_groups", format!(r#"{{"category_group":{{"name":"{}"}}}}"#, long(51)), 400, "too long"),
        ("PATCH /category_groups/<category_groups/Credit Card Payments>", r#"{"category_group":{"name":"x"}}"#.into(), 400, "internal"),
        ("POST /payees", format!(r#"{{"payee":{{"name":"{}"}}}}"#, long(501)), 400, "too long"),
        ("PATCH /payees/<payees/Super Lune>", r#"{"payee":{"name":" "}}"#.into(), 400, "blank"),
        ("PATCH /payees/<payees/Super Lune>", r#"{"payee":{"name":"Transfer : x"}}"#.into(), 400, "internal"),
        ("PATCH /payees/<payees/Transfer : Livret vert>", r#"{"payee":{"name":"x"}}"#.into(), 400, "internal"),
        ("PATCH /payees/unknown", r#"{"payee":{"name":"x"}}"#.into(), 404, "Resource"),
        // Routes and queries.
        ("GET /transactions?since_date=yesterday", String::new(), 400, "since_date"),
        ("GET /transactions?type=late", String::new(), 400, "type"),
        ("GET /transactions?last_knowledge_of_server=x", String::new(), 400, "last_knowledge"),
        ("GET /months/2026-03", String::new(), 400, "month"),
        ("GET /nothing", String::new(), 404, "Not found"),
        ("POST /months", String::new(), 404, "Not found"),
        ("GET /accounts/unknown/transactions", String::new(), 404, "Resource"),
    ];
    let mut demo = Demo::new();
    for (request, body, status, says) in cases {
        let (method, path) = request.split_once(' ').expect("a method");
        let (given, answer) = demo.call(method, path, &body);
        assert_eq!(given, status, "{request} {body}: {answer}");
        let error = &answer["error"];
        let ids = [(400, "400", "bad_request"), (404, "404.1", "not_found"), (404, "404.2", "resource_not_found")];
        assert!(
            ids.contains(&(given, error["id"].as_str().unwrap_or(""), error["name"].as_str().unwrap_or(""))),
            "{error}"
        );
        assert!(error["detail"].as_str().is_some_and(|detail| detail.contains(says)), "{request} {body}: {error}");
    }
    assert_eq!(demo.get(""), demo.before);
}

#[test]
fn the_longest_texts_and_the_oldest_day_are_accepted() {
    let mut demo = Demo::new();
    let (name, memo, import_id) = ("é".repeat(200), "é".repeat(500), "i".repeat(36));
    let body = json!({"transaction": {
        "account_id": demo.id("accounts", "Compte courant"), "date": "2021-03-17", "amount": -1,
        "payee_name": name, "memo": memo, "import_id": import_id,
    }});
    let made = demo.granted("POST", "/transactions", &body.to_string());
    assert_eq!(made["transaction"]["payee_name"], name);
    assert_eq!(demo.get("")["plan"]["first_month"], "2021-03-01");
}

#[test]
fn a_new_transaction_gets_ynabs_defaults() {
    let mut demo = Demo::new();
    let body = r#"{"transaction":{"account_id":"<accounts/Carte Azur>","date":"2026-03-16","amount":-5000,
        "payee_name":" Super Lune ","category_id":"<categories/Carte Azur>"}}"#;
    let made = demo.granted("POST", "/transactions", body)["transaction"].clone();
    assert_eq!((&made["approved"], &made["cleared"]), (&json!(false), &json!("uncleared")));
    // The payee of that name is found; a card's payment category is as if not given.
    assert_eq!((&made["payee_id"], &made["category_id"]), (&json!(demo.id("payees", "Super Lune")), &Value::Null));
    assert_eq!((&made["payee_name"], &made["category_name"]), (&json!("Super Lune"), &json!("Uncategorized")));
    let tracked =
        body.replace("Carte Azur", "Fonds indiciel").replace("categories/Fonds indiciel", "categories/Groceries");
    let tracked = demo.granted("POST", "/transactions", &tracked)["transaction"].clone();
    assert_eq!((&tracked["category_id"], &tracked["category_name"]), (&Value::Null, &Value::Null));
}

#[test]
fn ids_of_created_things_depend_only_on_how_many_there_were() {
    let body = r#"{"transactions":[
        {"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000,"payee_name":"New one"},
        {"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-6000,"payee_name":"New one"}]}"#;
    let made = || Demo::new().granted("POST", "/transactions", body);
    assert_eq!(made()["transaction_ids"], made()["transaction_ids"]);
    let made = made();
    let payees = [0, 1].map(|place| made["transactions"][place]["payee_id"].clone());
    assert_eq!(payees[0], payees[1]);
    // The very ids that the recordings hold.
    let (mut household, _) = super::recorded("household");
    let account = "5b015333-9a13-5097-b30e-df9d9385ec97";
    let body = json!({"transaction": {"account_id": account, "date": "2026-03-16", "amount": -1}});
    let (_, first) = super::call(&mut household, "POST", "/plans/last-used/transactions", body);
    assert_eq!(first["data"]["transaction_ids"], json!(["ed5289c9-e416-5e07-9970-43834af6bff0"]));
}

#[test]
fn an_import_id_is_taken_once_an_account_even_by_a_deleted_row() {
    let mut demo = Demo::new();
    let item = r#"{"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000,"import_id":"mine"}"#;
    let one = format!(r#"{{"transaction":{item}}}"#);
    let made = demo.granted("POST", "/transactions", &one);
    assert_eq!(demo.call("POST", "/transactions", &one).0, 409);
    let id = made["transaction_ids"][0].as_str().expect("an id").to_owned();
    let updated = demo.granted("PATCH", "/transactions", r#"{"transactions":[{"import_id":"mine","memo":"found"}]}"#);
    assert_eq!((&updated["transaction_ids"], &updated["transactions"][0]["memo"]), (&json!([id]), &json!("found")));
    demo.granted("DELETE", &format!("/transactions/{id}"), "");
    let (status, answer) = demo.call("POST", "/transactions", &one);
    assert_eq!((status, &answer["error"]["id"], &answer["error"]["name"]), (409, &json!("409"), &json!("conflict")));
    let other = item.replace("Compte courant", "Carte Azur");
    let many = demo.granted("POST", "/transactions", &format!(r#"{{"transactions":[{item},{other},{other}]}}"#));
    assert_eq!(many["transaction_ids"].as_array().map(Vec::len), Some(1));
    assert_eq!(many["duplicate_import_ids"], json!(["mine", "mine"]));
}

#[test]
fn a_transfer_has_two_sides_that_move_together() {
    let mut demo = Demo::new();
    let body = r#"{"transaction":{"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000,
        "payee_id":"<payees/Transfer : Livret vert>","category_id":"<categories/Groceries>","memo":"m"}}"#;
    let mine = demo.granted("POST", "/transactions", body)["transaction"].clone();
    assert_eq!(mine["category_id"], Value::Null);
    let path = |row: &Value, key: &str| format!("/transactions/{}", row[key].as_str().expect("an id"));
    let other = demo.get(&path(&mine, "transfer_transaction_id"))["transaction"].clone();
    assert_eq!((&other["amount"], &other["transfer_transaction_id"]), (&json!(5000), &mine["id"]));
    assert_eq!(other["payee_name"], "Transfer : Compte courant");

    // A new amount moves both; another payee ends the transfer; a deletion takes both.
    demo.granted("PUT", &path(&other, "id"), r#"{"transaction":{"amount":7000,"date":"2026-03-15"}}"#);
    let mine = demo.get(&path(&mine, "id"))["transaction"].clone();
    assert_eq!((&mine["amount"], &mine["date"]), (&json!(-7000), &json!("2026-03-15")));
    let again = demo.granted("POST", "/transactions", body)["transaction"].clone();
    demo.granted("DELETE", &path(&again, "transfer_transaction_id"), "");
    assert_eq!(demo.call("GET", &path(&again, "id"), "").0, 404);
    let ended = demo.granted("PUT", &path(&mine, "id"), r#"{"transaction":{"payee_name":"A shop"}}"#);
    assert_eq!(ended["transaction"]["transfer_account_id"], Value::Null);
    assert_eq!(demo.call("GET", &path(&other, "id"), "").0, 404);
    let spent = demo.get("/accounts/<accounts/Compte courant>")["account"]["balance"].as_i64();
    let before = demo.before["plan"]["accounts"][0]["balance"].as_i64();
    assert_eq!(spent, before.map(|balance| balance - 7000));
}

#[test]
fn a_transfer_out_of_the_budget_keeps_its_category_and_may_be_split() {
    let mut demo = Demo::new();
    let body = |more: &str| {
        format!(
            r#"{{"transaction":{{"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000,
            "payee_id":"<payees/Transfer : Fonds indiciel>"{more}}}}}"#
        )
    };
    let one = demo.granted("POST", "/transactions", &body(r#","category_id":"<categories/Investing>""#));
    assert_eq!(one["transaction"]["category_name"], "Investing");
    let lines = r#","subtransactions":[{"amount":-3000,"category_id":"<categories/Investing>"},{"amount":-2000}]"#;
    let split = demo.granted("POST", "/transactions", &body(lines))["transaction"].clone();
    assert_eq!((&split["category_id"], &split["category_name"]), (&Value::Null, &json!("Split")));
    let names = [0, 1].map(|place| split["subtransactions"][place]["category_name"].clone());
    assert_eq!(names, [json!("Investing"), json!("Uncategorized")]);
}

#[test]
fn a_line_may_be_a_transfer() {
    let mut demo = Demo::new();
    let body = r#"{"transaction":{"account_id":"<accounts/Compte courant>","date":"2026-03-16","amount":-5000,
        "subtransactions":[{"amount":-3000,"category_id":"<categories/Groceries>"},
        {"amount":-2000,"payee_id":"<payees/Transfer : Portefeuille 👛>","category_id":"<categories/Groceries>"}]}}"#;
    let row = demo.granted("POST", "/transactions", body)["transaction"].clone();
    let line = &row["subtransactions"][1];
    assert_eq!((&line["category_id"], &line["payee_name"]), (&Value::Null, &json!("Transfer : Portefeuille 👛")));
    let side = format!("/transactions/{}", line["transfer_transaction_id"].as_str().expect("the other side"));
    assert_eq!(demo.get(&side)["transaction"]["amount"], 2000);
    demo.granted("PUT", &side, r#"{"transaction":{"memo":"cash"}}"#);
    let id = format!("/transactions/{}", row["id"].as_str().expect("an id"));
    assert_eq!(demo.get(&id)["transaction"], row);
    demo.granted("DELETE", &id, "");
    assert_eq!(demo.call("GET", &side, "").0, 404);
}

#[test]
fn a_split_keeps_its_date_amount_and_category() {
    let mut demo = Demo::new();
    let path = "/transactions/<splits/Super Lune>";
    let before = demo.get(path)["transaction"].clone();
    let body =
        r#"{"transaction":{"date":"2026-01-01","amount":-1,"category_id":"<categories/Groceries>","memo":"new"}}"#;
    let after = demo.granted("PUT", path, body)["transaction"].clone();
    for key in ["date", "amount", "category_id", "subtransactions"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["memo"], "new");
}

#[test]
fn a_change_leaves_alone_what_it_does_not_name() {
    let mut demo = Demo::new();
    let path = "/transactions/<transactions/Vétérinaire des Quais>";
    let before = demo.get(path)["transaction"].clone();
    // Null takes off a memo, a flag and a category; of the others it says nothing.
    let nulls = r#"{"transaction":{"cleared":null,"approved":null,"amount":null,"date":null,"account_id":null}}"#;
    assert_eq!(demo.granted("PUT", path, nulls)["transaction"], before);
    assert_eq!(before["flag_color"], "blue");
    let off = r#"{"transaction":{"flag_color":"","memo":null,"category_id":null,"payee_id":null}}"#;
    let after = demo.granted("PUT", path, off)["transaction"].clone();
    let gone = ["flag_color", "memo", "category_id", "payee_id"].map(|key| after[key].clone());
    assert_eq!(gone, [Value::Null, Value::Null, Value::Null, Value::Null]);
    let card = r#"{"transaction":{"category_id":"<categories/Carte Azur>"}}"#;
    let streamly = "/transactions/<transactions/Streamly>";
    assert_eq!(demo.granted("PUT", streamly, card)["transaction"]["category_name"], "Subscriptions");
}

#[test]
fn the_bank_brings_its_rows_once() {
    let mut demo = Demo::new();
    let ids = demo.granted("POST", "/transactions/import", "")["transaction_ids"].clone();
    let first = demo.get(&format!("/transactions/{}", ids[0].as_str().expect("an id")))["transaction"].clone();
    assert_eq!((&first["cleared"], &first["approved"]), (&json!("cleared"), &json!(false)));
    assert_eq!(first["import_payee_name"], "CB LIBRAIRIE DU QUAI 17/03");
    assert_eq!(demo.call("POST", "/transactions/import", ""), (200, json!({"data": {"transaction_ids": []}})));
}

#[test]
fn payees_categories_and_groups_can_be_made_and_renamed() {
    let mut demo = Demo::new();
    let payee = demo.granted("POST", "/payees", r#"{"payee":{"name":" Ann "}}"#)["payee"].clone();
    assert_eq!(payee["name"], "Ann");
    demo.granted("PATCH", "/payees/<payees/Super Lune>", r#"{"payee":{"name":"Soleil"}}"#);
    let found = demo.get("/transactions/<transactions/Super Lune>");
    assert_eq!(found["transaction"]["payee_name"], "Soleil");
    let group =
        demo.granted("POST", "/category_groups", r#"{"category_group":{"name":"New"}}"#)["category_group"].clone();
    let id = group["id"].as_str().expect("an id");
    demo.granted("PATCH", &format!("/category_groups/{id}"), r#"{"category_group":{"name":"Newer"}}"#);
    let made = demo.granted(
        "POST",
        "/categories",
        &format!(r#"{{"category":{{"name":"Piano","category_group_id":"{id}"}}}}"#),
    );
    assert_eq!(made["category"]["category_group_name"], "Newer");
    // `budgeted` is ignored in silence, as YNAB does.
    let id = made["category"]["id"].as_str().expect("an id");
    let body = r#"{"category":{"name":"Accordion","note":"loud","budgeted":5000}}"#;
    let renamed = demo.granted("PATCH", &format!("/categories/{id}"), body)["category"].clone();
    let shown = ["name", "note", "budgeted"].map(|key| renamed[key].clone());
    assert_eq!(shown, [json!("Accordion"), json!("loud"), json!(0)]);
}
