//! Owns the tests of what a write is. Never compiled outside of tests.

use super::*;
use serde_json::json;

fn proposal(subject: Value, before: i64) -> Proposal {
    Proposal {
        plan: "p".into(),
        kind: Kind::Budget,
        subject,
        guard: Value::Null,
        question: String::new(),
        done: String::new(),
        steps: vec![Step::Budget {
            month: Month::at(24_315),
            category: "c".into(),
            budgeted: Change { before: Milliunits::new(before), after: Milliunits::new(75_000) },
        }],
        undoes: None,
    }
}

#[test]
fn the_fingerprint_is_the_pages() {
    let subject = json!({"month": "2026-03-01", "category_id": "c", "budgeted": 75000});
    let text = r#"["p",{"budgeted":75000,"category_id":"c","month":"2026-03-01"}]"#;
    let want: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(proposal(subject, 20_000).fingerprint(), want);
}

#[test]
fn a_list_of_changes_is_the_same_in_any_order() {
    let (one, two) = (json!([["t1", "c"], ["t2", "d"]]), json!([["t2", "d"], ["t1", "c"]]));
    assert_eq!(proposal(one.clone(), 1).fingerprint(), proposal(two, 1).fingerprint());
    assert_ne!(proposal(one, 1).fingerprint(), proposal(json!([["t1", "d"], ["t2", "d"]]), 1).fingerprint());
}

#[test]
fn another_value_before_is_another_basis() {
    let subject = json!("same");
    assert_eq!(proposal(subject.clone(), 1).fingerprint(), proposal(subject.clone(), 2).fingerprint());
    assert_ne!(proposal(subject.clone(), 1).basis(), proposal(subject.clone(), 2).basis());
    assert_eq!(proposal(subject.clone(), 2).basis(), proposal(subject, 2).basis());
}

#[test]
fn the_schema_lists_how_a_write_can_end() {
    let schema = serde_json::to_value(schemars::schema_for!(Outcome)).unwrap_or_default();
    let listed = &schema["properties"]["status"]["enum"];
    let all = [Status::Applied, Status::ConfirmationRequired, Status::Declined, Status::NothingToDo];
    assert_eq!(listed, &json!(all), "a difference is found by a reconciliation only, which has a schema of its own");
}
