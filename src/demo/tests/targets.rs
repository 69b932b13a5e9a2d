//! What targets ask for, and what a change of one makes of it.

use serde_json::{Value, json};

use super::Demo;
use crate::dates::{Date, Month};
use crate::demo::rows::Goal;
use crate::demo::sums::Cell;
use crate::money::Milliunits;

fn goal(kind: &str, cadence: Option<i64>, frequency: Option<i64>, due: Option<Date>) -> Goal {
    Goal {
        goal_type: Some(kind.into()),
        goal_target: Some(Milliunits::new(120_000)),
        goal_cadence: cadence,
        goal_cadence_frequency: frequency,
        goal_target_date: due,
        ..Goal::default()
    }
}

#[test]
fn a_target_asks_for_what_is_missing_until_it_is_due() {
    let date = jiff::civil::date;
    let whole = |goal: Goal| Goal { goal_needs_whole_amount: Some(true), ..goal };
    let weekly = |day: Option<i64>, frequency| Goal { goal_day: day, ..goal("NEED", Some(2), Some(frequency), None) };
    // The target of 120; 30 carried and 20 assigned; percent, months, asked this month, funded, left.
    let cases: [(&str, Goal, [Option<i64>; 5]); 13] = [
        (
            "monthly funding",
            goal("MF", Some(1), Some(1), None),
            [Some(17), Some(1), Some(100_000), Some(20_000), Some(100_000)],
        ),
        ("loan", goal("DEBT", Some(1), Some(1), None), [Some(17), Some(1), Some(100_000), Some(20_000), Some(100_000)]),
        ("balance", goal("TB", None, None, None), [Some(42), None, Some(70_000), Some(50_000), Some(70_000)]),
        (
            "balance by a date",
            goal("TBD", None, None, Some(date(2026, 5, 31))),
            [Some(42), Some(3), Some(10_000), Some(50_000), Some(70_000)],
        ),
        (
            "past its date",
            goal("TBD", None, None, Some(date(2026, 1, 31))),
            [Some(42), Some(1), Some(70_000), Some(50_000), Some(70_000)],
        ),
        ("refill", goal("NEED", Some(1), Some(1), None), [Some(42), Some(1), Some(70_000), Some(50_000), Some(70_000)]),
        (
            "set aside",
            whole(goal("NEED", Some(1), Some(1), None)),
            [Some(17), Some(1), Some(100_000), Some(20_000), Some(100_000)],
        ),
        (
            "once, by a date",
            goal("NEED", Some(0), Some(1), Some(date(2026, 4, 30))),
            [Some(42), Some(2), Some(25_000), Some(50_000), Some(70_000)],
        ),
        (
            "every 3 months",
            goal("NEED", Some(4), Some(9), Some(date(2026, 2, 1))),
            [Some(42), Some(3), Some(10_000), Some(50_000), Some(70_000)],
        ),
        (
            "yearly",
            goal("NEED", Some(13), Some(1), Some(date(2025, 8, 1))),
            [Some(42), Some(6), Some(0), Some(50_000), Some(70_000)],
        ),
        (
            "every 2 years",
            goal("NEED", Some(14), None, Some(date(2026, 3, 1))),
            [Some(42), Some(1), Some(70_000), Some(50_000), Some(70_000)],
        ),
        // March 2026 has five Sundays and four Saturdays.
        ("weekly", weekly(None, 1), [Some(8), Some(1), Some(550_000), Some(50_000), Some(550_000)]),
        ("every 2 weeks", weekly(Some(6), 2), [Some(21), Some(1), Some(190_000), Some(50_000), Some(190_000)]),
    ];
    let cell = Cell { carried: Milliunits::new(30_000), budgeted: Milliunits::new(20_000), ..Cell::default() };
    let month = Month::of(date(2026, 3, 1));
    for (name, goal, want) in cases {
        let asked = goal.asked(month, &cell);
        let got = [
            asked.goal_percentage_complete,
            asked.goal_months_to_budget,
            asked.goal_under_funded.map(Milliunits::get),
            asked.goal_overall_funded.map(Milliunits::get),
            asked.goal_overall_left.map(Milliunits::get),
        ];
        assert_eq!(got, want, "{name}");
    }
    assert_eq!(Goal::default().asked(month, &cell), Default::default());
}

#[test]
fn a_change_keeps_the_kind_unless_it_gives_a_date_or_a_frequency() {
    // Category, change, then type, cadence, date, set aside.
    let cases = [
        ("Household", json!({"goal_target": 5000}), json!(["NEED", 1, null, false])),
        ("Household", json!({"goal_target": 5000, "goal_needs_whole_amount": true}), json!(["NEED", 1, null, true])),
        ("Household", json!({"goal_target": 5000, "goal_frequency": "weekly"}), json!(["NEED", 2, null, false])),
        (
            "Household",
            json!({"goal_target": 5000, "goal_frequency": "yearly"}),
            json!(["NEED", 13, "2027-03-01", false]),
        ),
        (
            "Household",
            json!({"goal_target": 5000, "goal_target_date": "2026-10-03"}),
            json!(["NEED", 0, "2026-10-03", false]),
        ),
        ("Car upkeep", json!({"goal_target": 5000}), json!(["TB", null, null, null])),
        ("Restaurants & cafés", json!({"goal_target": 5000}), json!(["MF", 1, null, null])),
        ("Insurance", json!({"goal_target_date": "2026-10-03"}), json!(["NEED", 0, "2026-10-03", false])),
        ("Taxe foncière", json!({"goal_needs_whole_amount": false}), json!(["NEED", 13, "2026-10-15", false])),
        ("Groceries", json!({"goal_target": null}), json!([null, null, null, null])),
        ("Groceries", json!({"name": "Food"}), json!(["NEED", 2, null, true])),
        ("Carte Azur", json!({"goal_target": 5000}), json!(["MF", 1, null, null])),
        ("Prêt maison", json!({"goal_target": 5000}), json!(["DEBT", 1, null, null])),
    ];
    for (name, change, want) in cases {
        let mut demo = Demo::new();
        let path = format!("/categories/<categories/{name}>");
        let after = demo.granted("PATCH", &path, &json!({ "category": change }).to_string())["category"].clone();
        let got =
            ["goal_type", "goal_cadence", "goal_target_date", "goal_needs_whole_amount"].map(|key| after[key].clone());
        assert_eq!(json!(got), want, "{name} {change}");
    }
    // A loan's category stays one when its target is removed.
    let mut demo = Demo::new();
    let path = "/categories/<categories/Prêt maison>";
    assert_eq!(
        demo.granted("PATCH", path, r#"{"category":{"goal_target":null}}"#)["category"]["goal_type"],
        Value::Null
    );
    assert_eq!(demo.granted("PATCH", path, r#"{"category":{"goal_target":1000}}"#)["category"]["goal_type"], "DEBT");
}
