//! Owns the text of an answer: every value of the structured answer in fewer bytes. Never leaves a value out but null.

use serde_json::{Map, Value};

/// From how many rows a list is written as columns.
const ROWS_MIN: usize = 3;

/// The answer as compact JSON. A list of [`ROWS_MIN`] or more objects becomes `{"columns": […], "rows": [[…], …]}`, with
/// the columns whose value is the same in every row once in `each`; a null is left out, and so is a column of nulls.
pub fn compact(answer: &Value) -> String {
    shrunk(answer).to_string()
}

fn shrunk(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), shrunk(value))).collect())
        }
        Value::Array(items) => match objects(items) {
            Some(rows) if rows.len() >= ROWS_MIN => table(&rows),
            _ => items.iter().map(shrunk).collect(),
        },
        plain => plain.clone(),
    }
}

fn objects(items: &[Value]) -> Option<Vec<&Map<String, Value>>> {
    items.iter().map(Value::as_object).collect()
}

fn table(rows: &[&Map<String, Value>]) -> Value {
    let mut names: Vec<&String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if known.insert(name) {
            names.push(name);
        }
    }
    let (mut columns, mut each) = (Vec::new(), Map::new());
    for name in names {
        let first = rows.first().and_then(|row| row.get(name)).unwrap_or(&Value::Null);
        if rows.iter().any(|row| row.get(name).unwrap_or(&Value::Null) != first) {
            columns.push(name);
        } else if !first.is_null() {
            each.insert(name.clone(), shrunk(first));
        }
    }
    let cells = |row: &&Map<String, Value>| -> Value {
        columns.iter().map(|name| row.get(*name).map_or(Value::Null, shrunk)).collect()
    };
    let lines: Vec<Value> = rows.iter().map(cells).collect();
    let mut table = Map::new();
    if !each.is_empty() {
        table.insert("each".into(), Value::Object(each));
    }
    table.insert("columns".into(), columns.iter().map(|name| Value::from(name.as_str())).collect());
    table.insert("rows".into(), Value::Array(lines));
    Value::Object(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// The structured answer back from its text, nulls left out.
    fn rebuilt(value: &Value) -> Value {
        match value {
            Value::Object(fields) if fields.contains_key("columns") && fields.contains_key("rows") => {
                let names: Vec<&str> =
                    fields["columns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let each = fields.get("each").and_then(Value::as_object).cloned().unwrap_or_default();
                let rows = fields["rows"].as_array().into_iter().flatten();
                rows.map(|row| {
                    let mut object =
                        each.iter().map(|(name, value)| (name.clone(), rebuilt(value))).collect::<Map<_, _>>();
                    for (name, cell) in names.iter().zip(row.as_array().into_iter().flatten()) {
                        if !cell.is_null() {
                            object.insert((*name).to_owned(), rebuilt(cell));
                        }
                    }
                    Value::Object(object)
                })
                .collect()
            }
            Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), rebuilt(value))).collect(),
            Value::Array(items) => items.iter().map(rebuilt).collect(),
            plain => plain.clone(),
        }
    }

    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let kept = fields.iter().filter(|(_, value)| !value.is_null());
                kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
            }
            Value::Array(items) => items.iter().map(without_nulls).collect(),
            plain => plain.clone(),
        }
    }

    #[test]
    fn a_long_list_names_its_columns_once() {
        let answer = json!({"truncated": false, "more": null, "transactions": [
            {"id": "a", "account": "Everyday", "memo": null, "amount": -1.5, "lines": null},
            {"id": "b", "account": "Everyday", "memo": "m", "amount": 2, "lines": null},
            {"id": "c", "account": "Everyday", "memo": null, "amount": 3, "lines": null},
        ]});
        let want = r#"{"truncated":false,"transactions":{"each":{"account":"Everyday"},"columns":["id","memo","amount"],"rows":[["a",null,-1.5],["b","m",2],["c",null,3]]}}"#;
        assert_eq!(compact(&answer), want);
        let text: Value = serde_json::from_str(want).expect("JSON");
        assert_eq!(rebuilt(&text), without_nulls(&answer));
    }

    #[test]
    fn a_short_list_stays_a_list() {
        assert_eq!(compact(&json!({"rows": [{"a": 1}, {"a": null}]})), r#"{"rows":[{"a":1},{}]}"#);
        assert_eq!(compact(&json!([1, 2, 3, null])), "[1,2,3,null]");
    }

    fn any_answer() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z]{0,3}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-e]", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn the_structured_answer_can_be_rebuilt(answer in any_answer()) {
            let text: Value = serde_json::from_str(&compact(&answer)).map_err(|_| TestCaseError::fail("not JSON"))?;
            prop_assert_eq!(rebuilt(&text), without_nulls(&answer));
        }
    }
}
