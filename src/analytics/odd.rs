//! Owns the test that odd and foreign plans get an answer or a refusal, never a crash. Never part of the binary.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::analytics::testing::day;
use crate::analytics::{
    accounts, age, budget_vs_actual, debt, month, net_worth, payees, runway, savings, scheduled, search,
};
use crate::analytics::{targets, trends};
use crate::client::wire;
use crate::dates::{Date, Month};
use crate::plan::Plan;

/// A plan with words nobody knows, rows nobody sent, nulls, extremes and the odd days of the calendar.
fn odd() -> Value {
    let category = |id: &str, goal: Value| {
        let mut category = json!({"id": id, "category_group_id": "g", "name": format!("Odd {id}"), "budgeted": i64::MAX,
            "activity": i64::MIN, "balance": null, "hidden": null, "deleted": null});
        category.as_object_mut().unwrap().extend(goal.as_object().unwrap().clone());
        category
    };
    let categories = [
        category("c1", json!({"goal_type": "BEYOND", "goal_cadence": 77, "goal_target": null, "goal_under_funded": 5})),
        category(
            "c2",
            json!({"goal_type": "NEED", "goal_cadence": -3, "goal_cadence_frequency": 0, "goal_target": i64::MIN,
            "goal_under_funded": i64::MAX, "goal_target_date": "2024-02-29"}),
        ),
        category("c3", json!({"goal_type": "TBD", "goal_target_month": "2026-02-30", "goal_under_funded": i64::MAX})),
    ];
    let row = |id: &str, date: &str, rest: Value| {
        let mut row = json!({"id": id, "date": date, "amount": i64::MIN, "account_id": "a1", "cleared": "perhaps"});
        row.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        row
    };
    json!({
        "id": "p", "name": "Odd", "currency_format": null, "first_month": null, "last_month": "soon",
        "accounts": [
            {"id": "a1", "name": "Vault", "type": "hyperCheque", "on_budget": true, "balance": i64::MAX},
            {"id": "a2", "name": "Loan", "type": "mortgage", "balance": i64::MIN, "debt_interest_rates": {"2024-02-30": 1,
                "2024-02-29": i64::MAX}, "debt_minimum_payments": {"2024-02-29": -5}, "debt_escrow_amounts": null},
            {"id": "a3", "name": null, "type": null, "on_budget": null, "last_reconciled_at": "yesterday"},
        ],
        "payees": [{"id": "y1", "name": "A &amp; B &#39;C&#39;"}, {"id": "y2", "name": null}, {"id": "y3", "name": "\u{200B}\u{202E}"}],
        "category_groups": [{"id": "g", "name": "Odd\u{2028}group"}],
        "categories": categories,
        "months": [
            {"month": "2024-02-01", "age_of_money": -7, "categories": categories},
            {"month": "2026-03-01", "income": null, "to_be_budgeted": i64::MIN, "categories": categories},
            {"month": "never", "categories": null},
        ],
        "transactions": [
            row("t1_2024-02-29", "2024-02-29", json!({"payee_id": "y1", "category_id": "c1"})),
            row("t2", "2026-02-28", json!({"account_id": "gone", "payee_id": "gone", "category_id": "gone"})),
            row("t3", "2026-02-15", json!({"transfer_account_id": "gone", "amount": i64::MAX})),
            row("t4", "2026-01-31", json!({"payee_id": "y2", "memo": "\u{0}\u{7}"})),
            row("t5", "2026-01-30", json!({"deleted": true})),
            row("t6", "0001-01-01", json!({"payee_id": "y3", "account_id": "a2"})),
            row("t7", "9999-12-31", json!({"account_id": "a2"})),
        ],
        "subtransactions": [
            {"id": "l1", "transaction_id": "t4", "amount": i64::MAX, "category_id": "c2", "payee_id": "gone too"},
            {"id": "l2", "transaction_id": "t4", "amount": 0, "transfer_account_id": "a2", "deleted": true},
            {"id": "l3", "transaction_id": "none", "amount": 1},
        ],
        "scheduled_transactions": [
            {"id": "s1", "date_first": "2024-01-31", "date_next": "2026-02-28", "frequency": "monthly", "account_id": "a1",
                "amount": i64::MIN},
            {"id": "s2", "date_first": "2024-02-29", "frequency": "everyOtherYear", "account_id": "gone", "amount": i64::MIN},
            {"id": "s3", "date_next": "9999-12-31", "frequency": "daily", "account_id": "a1"},
            {"id": "s4", "date_next": "2026-03-10", "frequency": "whenever", "account_id": "a1", "payee_id": "gone"},
        ],
    })
}

fn read(body: &Value) -> Plan {
    let mut plan = Arc::new(Plan::default());
    let body = json!({"data": {"plan": body, "server_knowledge": 1}}).to_string();
    wire::merge(&mut plan, body.as_bytes(), Month::of(day("2026-03-10"))).unwrap();
    Arc::unwrap_or_clone(plan)
}

/// Asks everything; the messages that came back.
fn ask_all(plan: &Plan, today: Date) -> Vec<String> {
    let since = search::Search::since(crate::dates::add_days(today, -366));
    let found = search::find(plan, today, &since).unwrap();
    assert_eq!(found.total, plan.live().filter(|t| (since.since..=today).contains(&t.date)).count());
    let sentence = search::Search { payee: Some("\u{200B}a & b"), memo: Some("\u{7}"), ..since };
    search::find(plan, today, &sentence).unwrap();
    scheduled::list(plan, today, &scheduled::Period::default()).unwrap();
    payees::list(plan, Some("b 'c'"), 50);
    trends::trends(plan, today, 24);
    net_worth::trend(plan, today, 24);
    accounts::list(&plan.accounts);
    accounts::groups(&plan.groups);
    let mut messages = vec![
        savings::rate(plan, today, 24).message,
        runway::runway(plan, today, 24, None, runway::Savings::LeaveOut).unwrap().message,
        age::age(plan, today, 24).message,
    ];
    for budget in plan.months.values() {
        month::summary(budget);
        month::balances(budget, month::Empty::Include);
        budget_vs_actual::compare(budget, &plan.currency);
        messages.push(targets::underfunded(budget, &plan.currency, None).message);
    }
    let ask = debt::Ask { strategies: debt::Strategies::Both, monthly_budget: None, overrides: &[], max_months: 1200 };
    messages.push(debt::plan_payoff(plan, today, &ask).map_or_else(|refusal| refusal.to_string(), |plan| plan.message));
    messages
}

#[test]
fn odd_data_gets_an_answer_or_a_refusal() {
    let plan = read(&odd());
    for today in ["2026-03-10", "2024-02-29", "2026-02-28", "0001-01-01", "9999-12-31"] {
        let messages = ask_all(&plan, day(today));
        assert!(messages.iter().all(|message| !message.is_empty() && !message.contains('\n')), "{messages:?}");
    }
}

#[test]
fn a_plan_with_nothing_in_it_gets_answers() {
    for body in [json!({"id": "p"}), json!({"id": "p", "accounts": null, "months": null, "transactions": null})] {
        assert_eq!(ask_all(&read(&body), day("2026-03-10")).len(), 4);
    }
}

#[test]
fn an_escaped_payee_is_found_as_a_person_would_write_it() {
    let plan = read(&odd());
    assert_eq!(payees::list(&plan, Some("a & b 'c'"), 50).total, 1);
    let search = search::Search { payee: Some("A & B"), ..search::Search::since(day("2024-02-01")) };
    assert_eq!(search::find(&plan, day("2024-03-01"), &search).unwrap().total, 1);
}
