//! Owns the text of an answer: every value of the structured answer in fewer bytes. Never leaves a value out but null.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// From how many rows a list is written as columns.
const ROWS_MIN: usize = 3;

type Fields = Map<String, Value>;

/// The answer as compact JSON: what is null is left out, and names that would come again and again are written once.
///
/// - A list of [`ROWS_MIN`] or more objects is `{"columns": […], "rows": [[…], …]}`; what all rows share is in `each`.
/// - Where rows of the same text in a column follow each other, that text stands over them, if that is shorter:
///   `{"columns": […], "by": "name", "rows": {"text": [[…], …], …}}`.
/// - A column of objects is named `{"name": [inner columns]}`, a column of lists of objects `{"name": [[inner columns]]}`;
///   their cells are written the same way.
/// - As many lists by name, of the same length and columns, are `{"same": {…}, "columns": […], "rows": {"name": […]}}`:
///   `same` holds the columns in which the lists are equal; where one column differs, its values stand without brackets.
pub fn compact(answer: &Value) -> String {
    shrunk(answer).to_string()
}

fn shrunk(value: &Value) -> Value {
    match value {
        Value::Object(fields) => series(fields).unwrap_or_else(|| {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(name, value)| (name.clone(), shrunk(value))).collect::<Fields>().into()
        }),
        Value::Array(items) => match objects(items) {
            Some(rows) if rows.len() >= ROWS_MIN => table(&rows),
            _ => items.iter().map(shrunk).collect(),
        },
        plain => plain.clone(),
    }
}

fn objects(items: &[Value]) -> Option<Vec<&Fields>> {
    items.iter().map(Value::as_object).collect()
}

/// The names of the fields, in the order in which they first come.
fn names<'a>(rows: impl Iterator<Item = &'a Fields>) -> Vec<&'a str> {
    let mut known = HashSet::new();
    rows.flat_map(Map::keys).map(String::as_str).filter(|name| known.insert(*name)).collect()
}

fn cell<'a>(row: &'a Fields, name: &str) -> &'a Value {
    row.get(name).unwrap_or(&Value::Null)
}

fn table(rows: &[&Fields]) -> Value {
    let (mut columns, mut each) = (Vec::new(), Fields::new());
    for name in names(rows.iter().copied()) {
        let first = cell(rows[0], name);
        if rows.iter().any(|row| cell(row, name) != first) {
            columns.push(Column::of(name, rows));
        } else if !first.is_null() {
            each.insert(name.to_owned(), shrunk(first));
        }
    }
    let over = columns.iter().enumerate().filter_map(|(at, column)| Some((saved(column, rows)?, at)));
    let over = over.max_by_key(|(saved, at)| (*saved, std::cmp::Reverse(*at))).map(|(_, at)| columns.remove(at).name);
    let line = |row: &&Fields| columns.iter().map(|column| column.written(cell(row, column.name))).collect::<Value>();
    let mut table = Fields::new();
    if !each.is_empty() {
        table.insert("each".into(), each.into());
    }
    table.insert("columns".into(), columns.iter().map(Column::title).collect());
    let rows = match over {
        None => rows.iter().map(line).collect(),
        Some(name) => {
            table.insert("by".into(), name.into());
            let same = rows.chunk_by(|a, b| cell(a, name) == cell(b, name));
            let under = |rows: &[&Fields]| {
                let text = cell(rows[0], name).as_str().unwrap_or_default();
                (text.to_owned(), rows.iter().map(line).collect())
            };
            Value::Object(same.map(under).collect())
        }
    };
    table.insert("rows".into(), rows);
    table.into()
}

/// The bytes saved by writing the texts of a column once over the rows they follow each other in; nothing where they do
/// not, or where the column holds something else.
fn saved(column: &Column<'_>, rows: &[&Fields]) -> Option<usize> {
    let texts: Vec<&str> = rows.iter().map(|row| cell(row, column.name).as_str()).collect::<Option<_>>()?;
    let runs: Vec<&[&str]> = texts.chunk_by(|a, b| a == b).collect();
    let mut over = HashSet::new();
    if !runs.iter().all(|run| over.insert(run[0])) {
        return None;
    }
    let written = |text: &str| text.len() + r#""","#.len();
    let before: usize = texts.iter().map(|text| written(text)).sum();
    let after: usize = runs.iter().map(|run| written(run[0]) + ":[]".len()).sum::<usize>() + r#""by":,"#.len();
    before.checked_sub(after).filter(|saved| *saved > 0)
}

/// A column of a table, and how its cells are written.
struct Column<'a> {
    name: &'a str,
    cells: Cells<'a>,
}

enum Cells<'a> {
    /// As they are.
    Plain,
    /// Objects of these fields, as their values.
    Objects(Vec<&'a str>),
    /// Lists of objects of these fields, as lists of their values.
    Lists(Vec<&'a str>),
}

impl<'a> Column<'a> {
    fn of(name: &'a str, rows: &[&'a Fields]) -> Self {
        let cells: Vec<&Value> = rows.iter().map(|row| cell(row, name)).filter(|cell| !cell.is_null()).collect();
        let lists: Option<Vec<Vec<&Fields>>> = cells.iter().map(|cell| objects(cell.as_array()?)).collect();
        let objects: Option<Vec<&Fields>> = cells.iter().map(|cell| cell.as_object()).collect();
        let inner = match (objects, lists) {
            _ if cells.len() < ROWS_MIN => Cells::Plain,
            (Some(objects), _) => Cells::Objects(names(objects.into_iter())),
            (_, Some(lists)) => Cells::Lists(names(lists.into_iter().flatten())),
            _ => Cells::Plain,
        };
        Self { name, cells: inner }
    }

    fn title(&self) -> Value {
        let inner = match &self.cells {
            Cells::Plain => return self.name.into(),
            Cells::Objects(inner) => Value::from(inner.clone()),
            Cells::Lists(inner) => vec![inner.clone()].into(),
        };
        Fields::from_iter([(self.name.to_owned(), inner)]).into()
    }

    fn written(&self, value: &Value) -> Value {
        let values = |row: &Value, inner: &[&str]| -> Value {
            let Value::Object(row) = row else { return Value::Null };
            inner.iter().map(|name| shrunk(cell(row, name))).collect()
        };
        match (&self.cells, value) {
            (Cells::Objects(inner), Value::Object(_)) => values(value, inner),
            (Cells::Lists(inner), Value::Array(items)) => items.iter().map(|item| values(item, inner)).collect(),
            _ => shrunk(value),
        }
    }
}

/// Lists by name that share columns, those columns once; nothing where the fields are not that.
fn series(fields: &Fields) -> Option<Value> {
    let lists: Vec<Vec<&Fields>> = fields.values().map(|list| objects(list.as_array()?)).collect::<Option<_>>()?;
    let first = lists.first().filter(|first| lists.len() >= ROWS_MIN && !first.is_empty())?;
    if lists.iter().any(|list| list.len() != first.len()) {
        return None;
    }
    let equal =
        |name: &&str| lists.iter().all(|list| list.iter().zip(first).all(|(a, b)| cell(a, name) == cell(b, name)));
    let (same, columns): (Vec<&str>, Vec<&str>) = names(lists.iter().flatten().copied()).into_iter().partition(equal);
    if same.is_empty() || columns.is_empty() {
        return None;
    }
    let line = |row: &&Fields| -> Value {
        match columns[..] {
            [only] => shrunk(cell(row, only)),
            _ => columns.iter().map(|name| shrunk(cell(row, name))).collect(),
        }
    };
    let shared = |name: &&str| ((*name).to_owned(), first.iter().map(|row| shrunk(cell(row, name))).collect());
    let rows = fields.keys().zip(&lists).map(|(name, list)| (name.clone(), list.iter().map(line).collect()));
    Some(Value::Object(Fields::from_iter([
        ("same".to_owned(), Value::Object(same.iter().map(shared).collect())),
        ("columns".to_owned(), columns.clone().into()),
        ("rows".to_owned(), Value::Object(rows.collect())),
    ])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// The structured answer back from its text, nulls left out.
    fn rebuilt(value: &Value) -> Value {
        match value {
            Value::Object(fields) if fields.contains_key("by") => {
                let lists = fields["rows"].as_object().expect("rows by a text");
                let mut object = fields.clone();
                let all = lists.iter().flat_map(|(text, rows)| {
                    let with = |row: &Value| {
                        json!([text]).as_array().into_iter().chain(row.as_array()).flatten().cloned().collect::<Value>()
                    };
                    rows.as_array().expect("rows").iter().map(with).collect::<Vec<_>>()
                });
                object["rows"] = all.collect();
                let columns = [&fields["by"]].into_iter().chain(fields["columns"].as_array().expect("columns"));
                object["columns"] = columns.cloned().collect();
                object.remove("by");
                rebuilt(&Value::Object(object))
            }
            Value::Object(fields) => match (fields.get("columns"), fields.get("rows")) {
                (Some(Value::Array(columns)), Some(Value::Array(rows))) => {
                    let each = fields.get("each").and_then(Value::as_object).cloned().unwrap_or_default();
                    rows.iter()
                        .map(|row| {
                            let mut object: Fields =
                                each.iter().map(|(name, value)| (name.clone(), rebuilt(value))).collect();
                            object.extend(row_of(columns, row));
                            Value::Object(object)
                        })
                        .collect()
                }
                (Some(Value::Array(columns)), Some(Value::Object(lists))) => {
                    let same = fields["same"].as_object().expect("what is the same");
                    let list = |values: &Value| -> Value {
                        let values = values.as_array().expect("a list").iter().enumerate();
                        values
                            .map(|(n, value)| {
                                let of_same = same.iter().map(|(name, values)| (name.clone(), &values[n]));
                                let mut object: Fields = of_same
                                    .filter(|(_, value)| !value.is_null())
                                    .map(|(name, value)| (name, rebuilt(value)))
                                    .collect();
                                let row = if columns.len() == 1 { json!([value]) } else { value.clone() };
                                object.extend(row_of(columns, &row));
                                Value::Object(object)
                            })
                            .collect()
                    };
                    lists.iter().map(|(name, values)| (name.clone(), list(values))).collect::<Fields>().into()
                }
                _ => fields.iter().map(|(name, value)| (name.clone(), rebuilt(value))).collect::<Fields>().into(),
            },
            Value::Array(items) => items.iter().map(rebuilt).collect(),
            plain => plain.clone(),
        }
    }

    /// The fields of a row from its cells, nulls left out.
    fn row_of(columns: &[Value], cells: &Value) -> Fields {
        let cells = cells.as_array().expect("a row");
        let field = |(column, cell): (&Value, &Value)| match column {
            Value::String(name) => (name.clone(), rebuilt(cell)),
            Value::Object(column) => {
                let (name, inner) = column.iter().next().expect("a name");
                let inner = inner.as_array().expect("inner columns");
                let value = match &inner[..] {
                    [Value::Array(inner)] => {
                        cell.as_array().expect("a list").iter().map(|row| Value::Object(row_of(inner, row))).collect()
                    }
                    _ => Value::Object(row_of(inner, cell)),
                };
                (name.clone(), value)
            }
            other => panic!("a column named {other}"),
        };
        columns.iter().zip(cells).filter(|(_, cell)| !cell.is_null()).map(field).collect()
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
    fn a_text_stands_once_over_the_rows_that_share_it() {
        let row = |id: u32, group: &str| json!({"id": id, "group": group});
        let rows = |groups: [&str; 5]| groups.iter().zip(1..).map(|(group, id)| row(id, group)).collect::<Value>();
        let answer = rows(["Home", "Home", "Home", "Leisure", "Leisure"]);
        let want = r#"{"columns":["id"],"by":"group","rows":{"Home":[[1],[2],[3]],"Leisure":[[4],[5]]}}"#;
        assert_eq!(compact(&answer), want);
        assert_eq!(rebuilt(&serde_json::from_str(want).expect("JSON")), answer);
        let apart = compact(&rows(["Home", "Leisure", "Leisure", "Leisure", "Home"]));
        assert!(apart.contains(r#""columns":["id","group"]"#), "{apart}");
    }

    #[test]
    fn a_short_list_stays_a_list() {
        assert_eq!(compact(&json!({"rows": [{"a": 1}, {"a": null}]})), r#"{"rows":[{"a":1},{}]}"#);
        assert_eq!(compact(&json!([1, 2, 3, null])), "[1,2,3,null]");
    }

    #[test]
    fn inner_columns_are_named_once() {
        let answer = json!([
            {"id": 1, "suggestion": {"name": "A", "sure": 0.9}, "candidates": []},
            {"id": 2, "suggestion": {"name": "B", "sure": null}, "candidates": [{"name": "A", "count": 2}]},
            {"id": 3, "suggestion": null, "candidates": [{"name": "C", "count": 1}, {"name": "D"}]},
            {"id": 4, "suggestion": {"name": "C", "sure": 1}},
        ]);
        let columns = r#"["id",{"suggestion":["name","sure"]},{"candidates":[["name","count"]]}]"#;
        let rows = r#"[[1,["A",0.9],[]],[2,["B",null],[["A",2]]],[3,null,[["C",1],["D",null]]],[4,["C",1],null]]"#;
        let want = format!(r#"{{"columns":{columns},"rows":{rows}}}"#);
        assert_eq!(compact(&answer), want);
        assert_eq!(rebuilt(&serde_json::from_str(&want).expect("JSON")), without_nulls(&answer));
    }

    #[test]
    fn lists_by_name_say_once_what_they_share() {
        let list = |amounts: [f64; 2]| json!([{"month": 1, "amount": amounts[0]}, {"month": 2, "amount": amounts[1]}]);
        let answer = json!({"Food": list([1.5, 2.0]), "Rent": list([7.0, 7.0]), "rows": list([0.5, 0.25])});
        let rows = r#"{"Food":[1.5,2.0],"Rent":[7.0,7.0],"rows":[0.5,0.25]}"#;
        let want = format!(r#"{{"same":{{"month":[1,2]}},"columns":["amount"],"rows":{rows}}}"#);
        assert_eq!(compact(&answer), want);
        assert_eq!(rebuilt(&serde_json::from_str(&want).expect("JSON")), answer);
    }

    #[test]
    fn lists_of_other_lengths_or_with_nothing_in_common_stay_lists() {
        for answer in [
            json!({"a": [{"x": 1}], "b": [{"x": 1}, {"x": 2}], "c": [{"x": 1}]}),
            json!({"a": [{"x": 1}], "b": [{"x": 2}], "c": [{"x": 3}]}),
            json!({"a": [], "b": [], "c": []}),
        ] {
            assert_eq!(compact(&answer), answer.to_string());
        }
    }

    fn any_answer() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "(a|b|a longer text)".prop_map(Value::from)
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
