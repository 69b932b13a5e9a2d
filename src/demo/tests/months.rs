//! The arithmetic of months, on a plan of two accounts and a card.

use serde_json::{Value, json};

use super::{call, get};
use crate::demo::Ynab;

/// A plan with a current account, a card and three categories: `food`, `fun` and the card's payment.
fn small() -> Ynab {
    let group = |id: &str, name: &str| json!({"id": id, "name": name, "internal": id != "own"});
    let category = |id: &str, group: &str, name: &str| json!({"id": id, "category_group_id": group, "name": name});
    let account = |id: &str, kind: &str, on_budget: bool| json!({"id": id, "name": id, "type": kind, "on_budget": on_budget, "transfer_payee_id": format!("to-{id}")});
    let payee =
        |id: &str| json!({"id": format!("to-{id}"), "name": format!("Transfer : {id}"), "transfer_account_id": id});
    let plan = json!({
        "id": "plan", "name": "Small", "first_month": "2026-01-01", "last_month": "2026-04-01", "currency_format": null,
        "category_groups": [group("in", "Internal Master Category"), group("cards", "Credit Card Payments"), group("own", "Own")],
        "categories": [
            category("ready", "in", "Inflow: Ready to Assign"), category("none", "in", "Uncategorized"),
            category("payment", "cards", "card"), category("food", "own", "Food"), category("fun", "own", "Fun"),
        ],
        "accounts": [account("cash", "checking", true), account("card", "creditCard", true), account("fund", "otherAsset", false)],
        "payees": [payee("cash"), payee("card"), payee("fund")],
    });
    let file = json!({"today": "2026-03-20", "plans": [plan]}).to_string();
    Ynab::from_json(file.as_bytes()).expect("a plan file")
}

fn enter(ynab: &mut Ynab, account: &str, date: &str, amount: i64, more: Value) {
    let mut item =
        json!({"account_id": account, "date": date, "amount": amount, "approved": true, "cleared": "cleared"});
    if let (Some(item), Value::Object(more)) = (item.as_object_mut(), more) {
        item.extend(more);
    }
    let (status, answer) = call(ynab, "POST", "/plans/plan/transactions", json!({ "transaction": item }));
    assert_eq!(status, 201, "{answer}");
}

fn assign(ynab: &mut Ynab, month: &str, category: &str, amount: i64) {
    let path = format!("/plans/plan/months/{month}/categories/{category}");
    assert_eq!(call(ynab, "PATCH", &path, json!({"category": {"budgeted": amount}})).0, 200);
}

/// A category's budgeted, activity and balance in a month.
fn cell(ynab: &mut Ynab, month: &str, category: &str) -> [i64; 3] {
    let found = get(ynab, &format!("/plans/plan/months/{month}/categories/{category}"))["category"].clone();
    ["budgeted", "activity", "balance"].map(|key| found[key].as_i64().expect("an amount"))
}

/// A month's income, budgeted, activity and Ready to Assign.
fn month(ynab: &mut Ynab, month: &str) -> [i64; 4] {
    let found = get(ynab, &format!("/plans/plan/months/{month}"))["month"].clone();
    ["income", "budgeted", "activity", "to_be_budgeted"].map(|key| found[key].as_i64().expect("an amount"))
}

const JANUARY: &str = "2026-01-01";
const FEBRUARY: &str = "2026-02-01";
const MARCH: &str = "2026-03-01";

#[test]
fn what_is_left_carries_over_and_cash_overspending_is_taken_from_next_month() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-05", 100_000, json!({"category_id": "ready"}));
    assign(&mut ynab, JANUARY, "food", 60_000);
    enter(&mut ynab, "cash", "2026-01-10", -45_000, json!({"category_id": "food"}));
    enter(&mut ynab, "cash", "2026-01-11", -7_000, json!({"category_id": "fun"}));
    assert_eq!(cell(&mut ynab, JANUARY, "food"), [60_000, -45_000, 15_000]);
    assert_eq!(cell(&mut ynab, JANUARY, "fun"), [0, -7_000, -7_000]);
    assert_eq!(cell(&mut ynab, FEBRUARY, "food"), [0, 0, 15_000]);
    assert_eq!(cell(&mut ynab, FEBRUARY, "fun"), [0, 0, 0]);
    // 40 were left in January, but February can spare only 33.
    assert_eq!(month(&mut ynab, JANUARY), [100_000, 60_000, -52_000, 33_000]);
    assert_eq!(month(&mut ynab, FEBRUARY), [0, 0, 0, 33_000]);
}

#[test]
fn money_assigned_ahead_is_not_ready_now() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-05", 100_000, json!({"category_id": "ready"}));
    assign(&mut ynab, MARCH, "food", 80_000);
    assert_eq!(month(&mut ynab, JANUARY)[3], 20_000);
    assign(&mut ynab, JANUARY, "food", 130_000);
    assert_eq!(month(&mut ynab, JANUARY)[3], -30_000);
    assert_eq!(month(&mut ynab, MARCH)[3], -110_000);
}

#[test]
fn card_spending_moves_money_to_the_payment_and_beyond_it_is_debt() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-05", 100_000, json!({"category_id": "ready"}));
    assign(&mut ynab, JANUARY, "food", 30_000);
    enter(&mut ynab, "card", "2026-01-10", -50_000, json!({"category_id": "food"}));
    assert_eq!(cell(&mut ynab, JANUARY, "food"), [30_000, -50_000, -20_000]);
    assert_eq!(cell(&mut ynab, JANUARY, "payment"), [0, 30_000, 30_000]);
    // The 20 that the card lent are no loss of February's.
    assert_eq!(month(&mut ynab, FEBRUARY)[3], 70_000);
    enter(&mut ynab, "cash", "2026-02-03", -30_000, json!({"payee_id": "to-card"}));
    assert_eq!(cell(&mut ynab, FEBRUARY, "payment"), [0, -30_000, 0]);
    enter(&mut ynab, "card", "2026-02-10", 5_000, json!({"category_id": "food"}));
    assert_eq!(cell(&mut ynab, FEBRUARY, "food"), [0, 5_000, 5_000]);
    let account = get(&mut ynab, "/plans/plan/accounts/card")["account"].clone();
    assert_eq!((&account["balance"], &account["uncleared_balance"]), (&json!(-15_000), &json!(30_000)));
}

#[test]
fn what_has_no_category_counts_in_uncategorized_and_tracking_accounts_in_none() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-10", -4_000, Value::Null);
    enter(&mut ynab, "fund", "2026-01-10", 9_000, Value::Null);
    enter(&mut ynab, "cash", "2026-01-11", -1_000, json!({"payee_id": "to-fund", "category_id": "fun"}));
    assert_eq!(cell(&mut ynab, JANUARY, "none"), [0, -4_000, 0]);
    assert_eq!(cell(&mut ynab, JANUARY, "fun"), [0, -1_000, -1_000]);
    assert_eq!(month(&mut ynab, JANUARY), [0, 0, -5_000, 0]);
    // Only what was overspent in a category of the user's is missing next month.
    assert_eq!(month(&mut ynab, FEBRUARY)[3], -1_000);
}

#[test]
fn every_write_moves_the_sums_and_taking_it_back_restores_them() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-05", 100_000, json!({"category_id": "ready"}));
    enter(&mut ynab, "card", "2026-01-10", -50_000, json!({"category_id": "food"}));
    let figures = |ynab: &mut Ynab| {
        let plan = get(ynab, "/plans/plan")["plan"].clone();
        [plan["months"].clone(), plan["accounts"].clone()]
    };
    let before = figures(&mut ynab);
    let row = get(&mut ynab, "/plans/plan")["plan"]["transactions"][1].clone();
    let path = format!("/plans/plan/transactions/{}", row["id"].as_str().expect("an id"));
    let moved = json!({"account_id": "cash", "date": "2026-03-02", "amount": -7_000, "category_id": "fun", "cleared": "uncleared"});
    assert_eq!(call(&mut ynab, "PUT", &path, json!({ "transaction": moved })).0, 200);
    assert_eq!((cell(&mut ynab, JANUARY, "payment"), cell(&mut ynab, MARCH, "fun")), ([0, 0, 0], [0, -7_000, -7_000]));
    let back = json!({"account_id": "card", "date": "2026-01-10", "amount": -50_000, "category_id": "food", "cleared": "cleared"});
    assert_eq!(call(&mut ynab, "PUT", &path, json!({ "transaction": back })).0, 200);
    assert_eq!(figures(&mut ynab), before);
    assert_eq!(call(&mut ynab, "DELETE", &path, Value::Null).0, 200);
    assert_eq!(cell(&mut ynab, JANUARY, "food"), [0, 0, 0]);
}

#[test]
fn age_of_money_is_how_long_the_oldest_money_waited() {
    let mut ynab = small();
    enter(&mut ynab, "cash", "2026-01-01", 100_000, json!({"category_id": "ready"}));
    for day in 11..=20 {
        assert_eq!(get(&mut ynab, "/plans/plan/months/2026-01-01")["month"]["age_of_money"], Value::Null);
        enter(&mut ynab, "cash", &format!("2026-01-{day}"), -1_000, json!({"category_id": "food"}));
    }
    // Ten payments, 10 to 19 days after the money came: 14.5 on average, half to even.
    assert_eq!(get(&mut ynab, "/plans/plan/months/2026-01-01")["month"]["age_of_money"], 14);
    assert_eq!(get(&mut ynab, "/plans/plan/months/2026-04-01")["month"]["age_of_money"], Value::Null);
}
