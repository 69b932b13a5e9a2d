//! Owns the answers to a life's three questions, from three sides: this crate, a simple model, the reference.
//! Never sees the truth.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::process::Command;
use std::sync::Arc;

use avenir_mcp::client::wire;
use avenir_mcp::dates::{Date, Month, days_between};
use avenir_mcp::forecast::balance::{Ask, project};
use avenir_mcp::forecast::recurring::charges;
use avenir_mcp::plan::Plan;
use avenir_mcp::triage;
use serde_json::{Value, json};

use crate::lives::{AHEAD, Life};

/// What was answered.
#[derive(Default)]
pub struct Answers {
    /// Transaction to suggested category, with the confidence and why.
    pub suggestions: BTreeMap<String, (String, f64, String)>,
    /// Payee and yearly amount.
    pub charges: Vec<(String, f64)>,
    /// Each month's end, and its range where one was given.
    pub ends: Vec<f64>,
    pub ranges: Vec<(f64, f64)>,
    /// Months from today's to the first shortfall.
    pub shortfall: Option<usize>,
}

pub fn plan_of(life: &Life) -> Plan {
    let body = json!({ "data": { "plan": life.plan, "server_knowledge": 1 } }).to_string();
    let mut plan = Arc::new(Plan::default());
    wire::merge(&mut plan, body.as_bytes(), Month::of(life.today)).expect("a readable plan");
    Arc::unwrap_or_clone(plan)
}

/// This crate's.
pub fn ours(life: &Life) -> Answers {
    let plan = plan_of(life);
    let ask = triage::Ask { limit: 100_000, cursor: None, threshold: None };
    let suggestions = triage::suggest(&plan, &ask, life.today).expect("suggestions");
    let until = Month::of(life.today).add(AHEAD);
    let ask = Ask { until, account_ids: None, monthly_income: None, variable_monthly: None, one_offs: &[] };
    let forecast = project(&plan, &ask, life.today).expect("a forecast");
    let recurring = charges(&plan, false, life.today);
    read(
        &serde_json::to_value(suggestions).expect("JSON"),
        &serde_json::to_value(recurring).expect("JSON"),
        &serde_json::to_value(forecast).expect("JSON"),
    )
}

fn read(suggestions: &Value, recurring: &Value, forecast: &Value) -> Answers {
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let months = list(&forecast["months"]);
    let suggested = list(&suggestions["items"]).into_iter().filter(|item| !item["suggestion"].is_null());
    Answers {
        suggestions: suggested
            .map(|item| {
                let suggestion = &item["suggestion"];
                let (category, why) = (text(&suggestion["category_id"]), text(&suggestion["why"]));
                (text(&item["transaction_id"]), (category, number(&suggestion["confidence"]), why))
            })
            .collect(),
        charges: list(&recurring["charges"])
            .iter()
            .map(|charge| (text(&charge["payee"]), number(&charge["yearly_amount"])))
            .collect(),
        ends: months.iter().map(|month| number(&month["end"])).collect(),
        ranges: months
            .iter()
            .filter(|month| month["range"].is_object())
            .map(|month| (number(&month["range"]["low"]), number(&month["range"]["high"])))
            .collect(),
        shortfall: months.iter().position(|month| number(&month["lowest"]) < 0.0),
    }
}

/// The reference's, in one run of its own functions.
pub fn reference(python: &str, lives: &[Life]) -> Vec<Answers> {
    let folder = std::env::temp_dir().join(format!("avenir-mcp-lives-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (n, life) in lives.iter().enumerate() {
        let until = Month::of(life.today).add(AHEAD);
        let body = json!({ "today": life.today.to_string(), "until": until.to_string()[..7], "plan": life.plan });
        std::fs::write(folder.join(format!("{n:05}.json")), body.to_string()).expect("a file");
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/reference.py");
    let run = Command::new(python).arg(program).arg(&folder).output().expect("the reference");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    std::fs::remove_dir_all(&folder).expect("the folder");
    let lines = String::from_utf8(run.stdout).expect("text");
    lines
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).expect("JSON");
            read(&value["suggestions"], &value["recurring"], &value["forecast"])
        })
        .collect()
}

/// A payment, as the simple model sees it.
struct Payment<'a> {
    date: Date,
    amount: f64,
    id: &'a str,
    words: String,
    category: Option<&'a str>,
    in_budget: bool,
    is_transfer: bool,
}

/// What a few lines achieve: the same words in the label, the last year's average.
pub fn simple(life: &Life) -> Answers {
    let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
    let table = |name: &str| -> HashMap<String, &Value> {
        life.plan[name].as_array().into_iter().flatten().map(|row| (text(&row["id"]), row)).collect()
    };
    let (payees, accounts) = (table("payees"), table("accounts"));
    let on_budget = |id: &Value| accounts.get(&text(id)).is_some_and(|account| account["on_budget"] == true);
    let payments: Vec<Payment<'_>> = life.plan["transactions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|row| on_budget(&row["account_id"]))
        .map(|row| Payment {
            date: row["date"].as_str().and_then(avenir_mcp::dates::parse_date).expect("a date"),
            amount: row["amount"].as_f64().unwrap_or_default() / 1000.0,
            id: row["id"].as_str().unwrap_or_default(),
            words: words(payees.get(&text(&row["payee_id"])).map_or("", |payee| payee["name"].as_str().unwrap_or(""))),
            category: row["category_id"].as_str(),
            in_budget: !on_budget(&row["transfer_account_id"]),
            is_transfer: row["transfer_account_id"].is_string(),
        })
        .collect();

    let mut past: HashMap<(&str, bool), Vec<&str>> = HashMap::new();
    for payment in payments.iter().filter(|payment| !payment.is_transfer) {
        if let Some(category) = payment.category {
            past.entry((&payment.words, payment.amount < 0.0)).or_default().push(category);
        }
    }
    let lines = life.plan["subtransactions"].as_array().into_iter().flatten();
    let split: HashSet<&str> = lines.filter_map(|line| line["transaction_id"].as_str()).collect();
    let mut answers = Answers::default();
    for payment in payments.iter().filter(|p| !p.is_transfer && p.category.is_none() && !split.contains(p.id)) {
        let had = past.get(&(payment.words.as_str(), payment.amount < 0.0)).map_or(&[][..], Vec::as_slice);
        let recent = &had[had.len().saturating_sub(8)..];
        if recent.len() >= 3 && recent.iter().all(|category| category == &recent[0]) {
            answers.suggestions.insert(payment.id.to_owned(), (recent[0].to_owned(), 1.0, String::new()));
        }
    }

    // The last twelve full months' average; of the current month, what its last days brought in those.
    let mut balance: f64 = payments.iter().map(|payment| payment.amount).sum();
    let this_month = Month::of(life.today);
    let flows = |from_day: i8| {
        let counted = payments.iter().filter(|p| {
            let back = Month::of(p.date).until(this_month);
            p.in_budget && (1..=12).contains(&back) && p.date.day() > from_day && !p.words.contains("STARTING")
        });
        counted.map(|payment| payment.amount).sum::<f64>() / 12.0
    };
    let (rest, whole) = (flows(life.today.day()), flows(0));
    for n in 0..=AHEAD as usize {
        balance += if n == 0 { rest } else { whole };
        if balance < 0.0 && answers.shortfall.is_none() {
            answers.shortfall = Some(n);
        }
        answers.ends.push(balance);
    }

    let mut bills: BTreeMap<(&str, i64), Vec<Date>> = BTreeMap::new();
    for payment in payments.iter().filter(|payment| payment.amount < 0.0 && payment.in_budget) {
        bills.entry((&payment.words, (payment.amount * 100.0).round() as i64)).or_default().push(payment.date);
    }
    for ((words, amount), days) in bills {
        let gaps: Vec<i64> = days.windows(2).map(|pair| days_between(pair[0], pair[1])).collect();
        let Some(&last) = gaps.last() else { continue };
        let steady = days.len() >= 3 && last >= 6 && gaps.iter().all(|gap| (gap - last).abs() <= 4);
        if steady && days_between(days[days.len() - 1], life.today) <= last + 6 {
            answers.charges.push((words.to_owned(), amount as f64 / 100.0 * (365.25 / last as f64).round()));
        }
    }
    answers
}

/// The words of a label that have no digit.
fn words(label: &str) -> String {
    let upper = label.to_uppercase();
    let words = upper.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| !word.chars().any(|c| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
}
