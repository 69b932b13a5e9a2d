//! Owns the table of small statements with known truth, kept under `tests/statements`. Never part of the binary.

use std::path::PathBuf;

use serde_json::Value;

use super::comparison::{Compared, Outcome, compare, matched};
use super::desk::{Desk, day};
use super::statement::{Proof, ReadAs};
use crate::money::{Currency, Milliunits};
use crate::plan::Cleared;

const WIDTH: usize = 74;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/statements")
}

fn units(value: &Value) -> Option<Milliunits> {
    value.as_f64().and_then(Milliunits::read)
}

fn desk(case: &Value) -> Desk {
    let code = case["currency"].as_str().expect("a currency");
    let decimals = match code {
        "JPY" => 0,
        "JOD" => 3,
        _ => 2,
    };
    let mut desk = Desk::new(Currency::new(code, decimals), case["account"].as_str().expect("a kind"));
    for row in case["ynab"].as_array().into_iter().flatten() {
        let amount = units(&row[1]).expect("an amount");
        desk.add(day(row[0].as_str().expect("a day")), amount, row[2].as_str().unwrap_or_default(), Cleared::Cleared);
    }
    desk
}

/// Whether every field asked for is there.
fn holds(got: &ReadAs, want: &Value) -> bool {
    let got = serde_json::to_value(got).expect("JSON");
    want.as_object().into_iter().flatten().all(|(field, value)| got.get(field) == Some(value))
}

/// What is wrong with the outcome; nothing when the truth was met.
fn wrong(case: &Value) -> (String, Vec<String>) {
    let want = &case["expect"];
    let bytes = std::fs::read(folder().join(case["file"].as_str().expect("a file"))).expect("the statement");
    let desk = desk(case);
    let told: Option<ReadAs> =
        case.get("read_as").map(|value| serde_json::from_value(value.clone()).expect("a reading"));
    let today = day(case["today"].as_str().expect("today"));
    match compare(&desk.plan, desk.account, &bytes, told.as_ref(), today) {
        Err(refusal) => {
            let name = want["refused"].as_str();
            let met = name.is_some_and(|name| refusal.to_string().contains(name));
            (format!("refused: {refusal}"), if met { vec![] } else { vec![refusal.to_string()] })
        }
        Ok(Outcome::Open(_)) => {
            let answer = matched(&desk.plan, desk.account, &bytes, told.as_ref(), 50, today).expect("an answer");
            let (asked, want) = (answer.ambiguous.unwrap_or_default(), want["ambiguous"].as_array());
            let met = want.is_some_and(|want| {
                want.len() == asked.len() && want.iter().all(|one| asked.iter().any(|read_as| holds(read_as, one)))
            });
            (format!("asked: {} readings", asked.len()), if met { vec![] } else { vec![answer.message] })
        }
        Ok(Outcome::Compared(compared)) => {
            let problems = compared_wrong(&desk, &compared, want);
            (format!("read as {}: {:?}", compared.statement.format.name(), compared.statement.proof), problems)
        }
    }
}

fn compared_wrong(desk: &Desk, compared: &Compared, want: &Value) -> Vec<String> {
    let (sheet, matching) = (&compared.statement.sheet, &compared.matching);
    let mut wrong = Vec::new();
    let mut check = |what: &str, got: String, wanted: String| {
        if got != wanted {
            wrong.push(format!("{what}: {got}, not {wanted}"));
        }
    };
    check(
        "format",
        serde_json::to_value(compared.statement.format).expect("JSON").to_string(),
        want["format"].to_string(),
    );
    if want.get("read_as").is_some_and(|read_as| !holds(&compared.statement.read_as, read_as)) {
        check("read_as", format!("{:?}", compared.statement.read_as), want["read_as"].to_string());
    }
    let rows = want["rows"].as_array().map_or(&[][..], Vec::as_slice);
    check("rows", sheet.rows.len().to_string(), rows.len().to_string());
    for (got, truth) in sheet.rows.iter().zip(rows) {
        check("date", got.date.to_string(), truth[0].as_str().unwrap_or_default().to_owned());
        check("amount", got.amount.get().to_string(), units(&truth[1]).expect("an amount").get().to_string());
        for (text, truth) in [(&got.payee, truth.get(2)), (&got.memo, truth.get(3))] {
            if let Some(truth) = truth.and_then(Value::as_str) {
                check("text", text.to_string(), truth.to_owned());
            }
        }
    }
    let mut number = |what: &str, got: usize| {
        if let Some(truth) = want.get(what) {
            check(what, got.to_string(), truth.to_string());
        }
    };
    number("matched", matching.pairs.iter().map(|pair| pair.rows.len()).sum());
    number("at_bank", matching.missing_transactions.len());
    number("duplicates", matching.duplicates.len());
    let of = |places: Vec<usize>| {
        format!("[{}]", places.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(","))
    };
    let mut places = |what: &str, got: Vec<usize>| {
        if let Some(truth) = want.get(what) {
            check(what, of(got), truth.to_string());
        }
    };
    places("missing", matching.missing_rows.clone());
    places("uncertain", matching.doubts.iter().map(|doubt| doubt.row).collect());
    if let Some(kinds) = want["kinds"].as_array() {
        let word = |kind| serde_json::to_value(kind).expect("JSON").to_string();
        let mut got: Vec<String> = matching.pairs.iter().map(|pair| word(pair.kind)).collect();
        let mut truth: Vec<String> = kinds.iter().map(Value::to_string).collect();
        got.sort();
        truth.sort();
        check("kinds", got.join(","), truth.join(","));
    }
    if let Some(truth) = want.get("divergence") {
        let got = compared.divergence.as_ref().map(|parting| parting.date.to_string());
        check("divergence", format!("{:?}", got.as_deref()), format!("{:?}", truth.as_str()));
    }
    for (what, stand) in [("opening", sheet.opening), ("closing", sheet.closing)] {
        if let Some(truth) = want.get(what) {
            check(what, format!("{:?}", stand.map(|stand| stand.amount)), format!("{:?}", units(truth)));
        }
    }
    if let Some(truth) = want["period"].as_array() {
        let truth: Vec<&str> = truth.iter().filter_map(Value::as_str).collect();
        check("period", format!("{} {}", compared.period.0, compared.period.1), truth.join(" "));
    }
    if let Some(truth) = want["proof"].as_str() {
        let word = match compared.statement.proof {
            Proof::Balances => "balances",
            Proof::Rows => "rows",
            Proof::File => "file",
            Proof::Told => "told",
        };
        check("proof", word.to_owned(), truth.to_owned());
    }
    for word in ["refused", "ambiguous"] {
        if want.get(word).is_some() {
            check("outcome", "read".to_owned(), word.to_owned());
        }
    }
    let message = compared.message(&desk.plan, desk.account);
    if message.len() > 700 {
        check("message", message.len().to_string(), "short".to_owned());
    }
    wrong
}

#[test]
fn small_statements_are_read_right_or_asked_about() {
    let file: Value =
        serde_json::from_slice(&std::fs::read(folder().join("cases.json")).expect("the cases")).expect("JSON");
    let cases = file["cases"].as_array().expect("cases");
    let (mut failed, mut table) = (0, String::new());
    for case in cases {
        let (outcome, problems) = wrong(case);
        failed += usize::from(!problems.is_empty());
        let about =
            format!("{} ({})", case["about"].as_str().unwrap_or_default(), case["file"].as_str().unwrap_or_default());
        let mark = if problems.is_empty() { "right" } else { "WRONG" };
        table.push_str(&format!("{mark}  {about:<WIDTH$}  {outcome}\n"));
        for problem in problems {
            table.push_str(&format!("       {problem}\n"));
        }
    }
    assert_eq!(failed, 0, "\n{table}");
    let results = format!("# Small statements\n\n{} cases, {failed} wrong.\n\n```\n{table}```\n", cases.len());
    let path = folder().join("results.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &results).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, results, "the table of results is old: run this test with UPDATE=1");
}
