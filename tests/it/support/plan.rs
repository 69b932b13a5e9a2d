//! Owns looking into a plan as YNAB exports it: things by name, all that a write can change, and what an undo cannot
//! bring back. Never changes one.

use std::collections::BTreeMap;

use serde_json::Value;

/// The live rows of a list.
pub fn live<'a>(plan: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    plan[list].as_array().expect("a list").iter().filter(|row| row["deleted"] != true)
}

/// The id of the live row of that name.
pub fn named(plan: &Value, list: &str, name: &str) -> String {
    let found = live(plan, list).find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{list}: {name}"))["id"].as_str().expect("an id").to_owned()
}

/// The fields that a write can change, by list.
const FIELDS: [(&str, &[&str]); 3] = [
    (
        "transactions",
        &["account_id", "date", "amount", "payee_id", "category_id", "memo", "flag_color", "cleared", "approved"],
    ),
    ("payees", &["name"]),
    (
        "categories",
        &[
            "name",
            "category_group_id",
            "goal_type",
            "goal_target",
            "goal_target_date",
            "goal_cadence",
            "goal_cadence_frequency",
            "goal_day",
            "goal_needs_whole_amount",
        ],
    ),
];

/// All that writes change, one entry a field: transactions with their split lines, payees, categories with their
/// targets, what each month assigns. What undo cannot bring back is left out: when a target was made
/// (goal_creation_month) and snoozed (goal_snoozed_at), the user's name of a colour (flag_name), when an account was
/// last reconciled (last_reconciled_at), and deleted rows, which YNAB keeps for its deltas.
pub fn state(plan: &Value) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (list, fields) in FIELDS {
        for row in live(plan, list) {
            for field in fields {
                let key = format!("{list} {} {field}", row["id"].as_str().expect("an id"));
                // YNAB's word for no flag is null or an empty text.
                let value = if row[field] == "" { Value::Null } else { row[field].clone() };
                all.insert(key, value);
            }
        }
    }
    for line in live(plan, "subtransactions") {
        let id = line["id"].as_str().expect("an id");
        all.insert(format!("line {id}"), Value::from(vec![line["amount"].clone(), line["category_id"].clone()]));
    }
    for month in live(plan, "months") {
        let categories = month["categories"].as_array().expect("categories");
        for row in categories {
            let (month, id) = (month["month"].as_str().expect("a month"), row["id"].as_str().expect("an id"));
            all.insert(format!("month {month} {id} budgeted"), row["budgeted"].clone());
        }
    }
    all
}

/// The same without the payees that YNAB made since: no route takes them back.
pub fn restored(plan: &Value, before: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let mut all = state(plan);
    all.retain(|key, _| !key.starts_with("payees ") || before.contains_key(key));
    all
}

/// What differs, a line a field, with names for the ids of the plan.
pub fn differences(before: &Value, after: &Value) -> String {
    let (old, new) = (state(before), state(after));
    let mut names: Vec<(String, String)> = Vec::new();
    for list in ["accounts", "categories", "category_groups", "payees"] {
        for row in [before, after].into_iter().flat_map(|plan| live(plan, list)) {
            let (Some(id), Some(name)) = (row["id"].as_str(), row["name"].as_str()) else { continue };
            names.push((id.to_owned(), format!("<{name}>")));
        }
    }
    let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut text = String::new();
    for key in keys {
        let (was, is) = (old.get(key), new.get(key));
        let is_void = |value: Option<&Value>| value.is_none_or(|value| value.is_null() || *value == 0);
        if was != is && !(is_void(was) && is_void(is)) {
            let shown = |value: Option<&Value>| value.map_or_else(|| "absent".into(), Value::to_string);
            text.push_str(&format!("  {key}: {} → {}\n", shown(was), shown(is)));
        }
    }
    names.into_iter().fold(text, |text, (id, name)| text.replace(&id, &name))
}
