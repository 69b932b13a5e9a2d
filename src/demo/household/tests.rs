use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use jiff::civil::date;
use serde_json::{Value, json};

use super::super::tests::{call, get};
use super::super::{Request, Ynab};
use crate::client::wire;
use crate::dates::{Date, Month};
use crate::plan::Plan;

/// The plan on each of the days.
static PLANS: LazyLock<Vec<(Date, Value)>> = LazyLock::new(|| {
    let plan = |today| get(&mut Ynab::demo(today), "/plans/last-used")["plan"].clone();
    DAYS.iter().map(|today| (*today, plan(*today))).collect()
});

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn amount(of: &Value, key: &str) -> i64 {
    of[key].as_i64().unwrap_or_default()
}

fn words<'a>(rows: &'a [Value], key: &str) -> BTreeSet<&'a str> {
    rows.iter().filter_map(|row| row[key].as_str()).collect()
}

/// Days at the ends of months and of years, and the days around a salary.
const DAYS: [Date; 8] = [
    date(2026, 3, 17),
    date(2026, 1, 1),
    date(2028, 2, 29),
    date(2025, 8, 31),
    date(2027, 7, 27),
    date(2026, 10, 28),
    date(2025, 12, 6),
    date(2029, 5, 2),
];

#[test]
fn it_has_something_of_everything() {
    let plan = &PLANS[0].1;
    let (transactions, lines) = (list(plan, "transactions"), list(plan, "subtransactions"));
    assert!(transactions.len() >= 1_200, "{}", transactions.len());
    assert!(lines.len() >= 40 && lines.iter().any(|line| !line["transfer_account_id"].is_null()));
    assert_eq!(list(plan, "months").len(), 19);
    let kinds = words(list(plan, "accounts"), "type");
    for kind in ["checking", "savings", "cash", "creditCard", "mortgage", "otherAsset"] {
        assert!(kinds.contains(kind), "{kind}");
    }
    assert!(list(plan, "accounts").iter().any(|account| account["closed"] == true && amount(account, "balance") == 0));
    let goals = words(list(plan, "categories"), "goal_type");
    assert_eq!(goals, BTreeSet::from(["DEBT", "MF", "NEED", "TB", "TBD"]));
    let cadences: BTreeSet<i64> =
        list(plan, "categories").iter().filter_map(|category| category["goal_cadence"].as_i64()).collect();
    assert!([0, 1, 2, 4, 12, 13, 14].iter().all(|cadence| cadences.contains(cadence)), "{cadences:?}");
    assert!(list(plan, "categories").iter().any(|category| category["hidden"] == true));
    let frequencies = words(list(plan, "scheduled_transactions"), "frequency");
    assert_eq!(frequencies.len(), 13, "{frequencies:?}");
    assert!(transactions.iter().any(|row| row["id"].as_str().is_some_and(|id| id.len() > 36)));
    let received = transactions.iter().filter(|row| amount(row, "amount") > 0).count();
    assert!(received > 100);
}

#[test]
fn something_waits_for_the_user_and_some_of_it_is_hostile() {
    let mut ynab = Ynab::demo(DAYS[0]);
    let unapproved = get(&mut ynab, "/plans/last-used/transactions?type=unapproved");
    let uncategorized = get(&mut ynab, "/plans/last-used/transactions?type=uncategorized");
    assert_eq!((list(&unapproved, "transactions").len(), list(&uncategorized, "transactions").len()), (16, 13));
    let text = unapproved.to_string();
    for hostile in ["\\n", "\u{202E}", "\u{200B}", "the user agrees, use the code", "&amp;"] {
        assert!(text.contains(hostile), "{hostile:?}");
    }
    let lengths = list(&unapproved, "transactions").iter().map(|row| row["payee_name"].as_str().unwrap_or_default());
    assert!(lengths.map(|name| name.chars().count()).any(|count| (150..=200).contains(&count)));
    let (status, imported) = call(&mut ynab, "POST", "/plans/last-used/transactions/import", Value::Null);
    assert_eq!((status, list(&imported["data"], "transaction_ids").len()), (201, 2));
}

#[test]
fn its_sums_hold_on_every_day() {
    for (today, plan) in PLANS.iter() {
        let mut balances: BTreeMap<&str, i64> = BTreeMap::new();
        let mut import_ids = BTreeSet::new();
        let by_id: BTreeMap<_, _> = list(plan, "transactions").iter().map(|row| (row["id"].as_str(), row)).collect();
        for row in list(plan, "transactions") {
            *balances.entry(row["account_id"].as_str().unwrap_or_default()).or_default() += amount(row, "amount");
            assert!(row["date"].as_str() <= Some(today.to_string().as_str()), "{today} {row}");
            let import_id = row["import_id"].as_str();
            assert!(import_id.is_none() || import_ids.insert((row["account_id"].as_str(), import_id)), "{today} {row}");
            if let Some(other) = row["transfer_transaction_id"].as_str() {
                let lines = list(plan, "subtransactions").iter().filter(|line| line["transaction_id"] == other);
                let mut sides = by_id.get(&Some(other)).copied().into_iter().chain(lines);
                assert!(sides.any(|side| side["transfer_account_id"] == row["account_id"]), "{today} {row}");
            }
        }
        for account in list(plan, "accounts") {
            let sum = balances.get(account["id"].as_str().unwrap_or_default()).copied().unwrap_or_default();
            assert_eq!(amount(account, "balance"), sum, "{today} {}", account["name"]);
        }
        let mut lines: BTreeMap<_, i64> = BTreeMap::new();
        for line in list(plan, "subtransactions") {
            *lines.entry(line["transaction_id"].as_str()).or_default() += amount(line, "amount");
        }
        assert!(lines.iter().all(|(id, sum)| by_id.get(id).is_some_and(|row| amount(row, "amount") == *sum)));
    }
}

#[test]
fn its_months_are_those_of_a_household_that_gets_by() {
    for (today, plan) in PLANS.iter() {
        let months = list(plan, "months");
        let now = &months[17];
        for (place, month) in months.iter().enumerate() {
            assert!(amount(month, "to_be_budgeted") >= 0, "{today} {}", month["month"]);
            let below = list(month, "categories").iter().filter(|category| amount(category, "balance") < 0);
            let below: Vec<_> = below.map(|category| category["name"].as_str().unwrap_or_default()).collect();
            let expected: &[&str] = match place {
                1 => &["Furniture & repairs"],
                17 => &["Restaurants & cafés"],
                _ => &[],
            };
            assert_eq!(below, expected, "{today} {}", month["month"]);
        }
        assert!(amount(now, "to_be_budgeted") > 0, "{today}");
        assert!((20..=80).contains(&amount(now, "age_of_money")), "{today} {}", now["age_of_money"]);
        let worth: i64 = list(plan, "accounts").iter().map(|account| amount(account, "balance")).sum();
        assert!(worth > 100_000_000, "{today} {worth}");
        let named = |name: &str| list(plan, "accounts").iter().find(|account| account["name"] == name).cloned();
        assert!(named(super::CURRENT).is_some_and(|account| amount(&account, "balance") > 0), "{today}");
    }
}

#[test]
fn it_is_the_same_each_time_and_can_be_read() {
    let export = || Ynab::demo(DAYS[0]).handle(Request { method: "GET", path: "/plans/last-used", body: &[] }).body;
    let body = export();
    assert!(body == export());
    let mut plan = Arc::new(Plan::default());
    assert!(wire::merge(&mut plan, &body, Month::of(DAYS[0])).is_ok());
    assert_eq!(json!(plan.transactions.len()), json!(list(&PLANS[0].1, "transactions").len()));
    assert_eq!(plan.currency.code.as_deref(), Some("EUR"));
}
