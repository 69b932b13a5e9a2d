//! Owns JSON schemas: making a portable one from a type, and holding a value against one. Never knows a tool.

use rmcp::model::JsonObject;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::dates::parse_date;

/// The schema of a tool's arguments: portable, every object closed, optional ones simply not required.
pub fn of_arguments<T: JsonSchema>() -> JsonObject {
    made::<T>(false)
}

/// The schema of a tool's answer: the same, null allowed where a value may be null.
pub fn of_answer<T: JsonSchema>() -> JsonObject {
    made::<T>(true)
}

fn made<T: JsonSchema>(answer: bool) -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    if answer {
        settings = settings.for_serialize();
    }
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema;
    RecursiveTransform(move |schema: &mut Schema| portable(schema, answer)).transform(&mut schema);
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.remove("title");
    object.remove("description");
    object
}

fn portable(schema: &mut Schema, answer: bool) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("title");
    if object.get("format").and_then(Value::as_str).is_some_and(|format| format != "date") {
        object.remove("format");
    }
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    // What a list holds is said by the list.
    if let Some(Value::Object(items)) = object.get_mut("items") {
        items.retain(|name, _| name != "description");
    }
    if object.contains_key("properties") {
        object.insert("additionalProperties".into(), Value::Bool(false));
    } else if object.get("type") == Some(&json!("object")) && !object.contains_key("additionalProperties") {
        object.insert("properties".into(), json!({}));
        object.insert("additionalProperties".into(), Value::Bool(false));
    }
    if answer {
        // Bounds are the caller's to keep, and a field that may be left out is never null.
        object.retain(|name, _| name != "minimum");
        let required = object.get("required").cloned().unwrap_or_default();
        let required: Vec<&str> = required.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
            field.as_object_mut().filter(|_| !required.contains(&name.as_str())).map(drop_null);
        }
        part_null(object);
    } else {
        drop_null(object);
    }
    gather_words(object);
}

/// Words with a description each are one list of words, which is what arguments are checked against.
fn gather_words(object: &mut JsonObject) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    let Some(words) = words.filter(|words| words.iter().all(Value::is_string)) else { return };
    object.retain(|name, _| name != "oneOf");
    object.insert("type".into(), "string".into());
    object.insert("enum".into(), words.into());
}

/// What may be null is written as a choice between two schemas: clients that know one type at a time read that.
fn part_null(object: &mut JsonObject) {
    let Some(Value::Array(types)) = object.get("type") else { return };
    let [only, null] = types.as_slice() else { return };
    if null != "null" {
        return;
    }
    let only = only.clone();
    let mut choice = std::mem::take(object);
    object.extend(choice.remove_entry("description"));
    choice.insert("type".into(), only);
    if let Some(Value::Array(values)) = choice.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    object.insert("anyOf".into(), json!([choice, { "type": "null" }]));
}

/// An optional argument is written without its null, which some clients reject; null still means absent.
fn drop_null(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        match (choices.len(), choices.pop()) {
            (1, Some(Value::Object(only))) => object.extend(only),
            (_, Some(last)) => {
                choices.push(last);
                object.insert("anyOf".into(), choices.into());
            }
            (_, None) => {}
        }
    }
}

/// Holds arguments against their schema, naming the first that does not fit. What is lenient is made plain: `null`
/// becomes absent, `3.0` and `"3"` become 3, `"yes"` true, midnight of a day the day.
pub fn check_arguments(schema: &JsonObject, arguments: &mut Value) -> Result<(), String> {
    check(schema, arguments, "").map_err(|Misfit { path, problem }| {
        if path.is_empty() { format!("The arguments {problem}.") } else { format!("{path}: {problem}.") }
    })
}

struct Misfit {
    path: String,
    problem: String,
}

fn misfit<T>(path: &str, problem: impl Into<String>) -> Result<T, Misfit> {
    Err(Misfit { path: path.to_owned(), problem: problem.into() })
}

fn check(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let words: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        return misfit(path, format!("must be one of {}", words.join(", ")));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => check_object(schema, value, path),
        Some("array") => check_array(schema, value, path),
        Some("string") => check_string(schema, value, path),
        Some("integer") => check_integer(schema, value, path),
        Some("number") => check_number(schema, value, path),
        Some("boolean") => check_boolean(value, path),
        _ => Ok(()),
    }
}

fn check_object(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let Value::Object(fields) = value else { return misfit(path, "must be an object with named fields") };
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    fields.retain(|_, value| !value.is_null());
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if let Some(unknown) = fields.keys().find(|name| !properties.contains_key(*name)) {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none is taken".into() } else { format!("known: {}", known.join(", ")) };
        return misfit(&at(&crate::text::safe(unknown)), format!("is not an argument here ({known})"));
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            return misfit(&at(name), "is required");
        }
    }
    for (name, value) in fields.iter_mut() {
        if let Some(Value::Object(schema)) = properties.get(name) {
            check(schema, value, &at(name))?;
        }
    }
    Ok(())
}

fn check_array(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let Value::Array(items) = value else { return misfit(path, "must be a list") };
    if let Some(least) = bound(schema, "minItems").filter(|least| (items.len() as f64) < *least) {
        return misfit(path, format!("must hold at least {least}"));
    }
    if let Some(most) = bound(schema, "maxItems").filter(|most| (items.len() as f64) > *most) {
        return misfit(path, format!("must hold at most {most}"));
    }
    if let Some(Value::Object(schema)) = schema.get("items") {
        for (place, item) in items.iter_mut().enumerate() {
            check(schema, item, &format!("{path}[{place}]"))?;
        }
    }
    Ok(())
}

fn check_boolean(value: &mut Value, path: &str) -> Result<(), Misfit> {
    let word = value.as_str().map(str::to_ascii_lowercase);
    let read = match word.as_deref() {
        Some("true" | "yes") => Some(true),
        Some("false" | "no") => Some(false),
        _ => value.as_bool(),
    };
    let Some(read) = read else { return misfit(path, "must be true or false") };
    *value = read.into();
    Ok(())
}

fn check_string(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let Value::String(text) = value else { return misfit(path, "must be a text") };
    if schema.get("format").and_then(Value::as_str) == Some("date")
        && let Some(day) = text.strip_suffix("T00:00:00")
    {
        *text = day.to_owned();
    }
    let length = text.chars().count() as f64;
    if let Some(least) = bound(schema, "minLength").filter(|least| length < *least) {
        return misfit(path, format!("must have at least {least} character{}", if least == 1.0 { "" } else { "s" }));
    }
    if let Some(most) = bound(schema, "maxLength").filter(|most| length > *most) {
        return misfit(path, format!("must have at most {most} characters"));
    }
    if schema.get("format").and_then(Value::as_str) == Some("date") && parse_date(text).is_none() {
        return misfit(path, "must be a day written YYYY-MM-DD");
    }
    Ok(())
}

fn check_integer(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let written = value.as_str().and_then(|text| text.parse().ok());
    let whole = value.as_i64().or(written).or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)?;
        Some(float as i64)
    });
    let Some(whole) = whole else { return misfit(path, "must be a whole number") };
    *value = whole.into();
    within(schema, whole as f64, path)
}

fn check_number(schema: &JsonObject, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let plain = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
    if let Some(number) = value.as_str().filter(plain).and_then(|text| text.parse::<f64>().ok()) {
        *value = number.into();
    }
    match value.as_f64().filter(|number| number.is_finite()) {
        Some(number) => within(schema, number, path),
        None => misfit(path, "must be a number"),
    }
}

fn within(schema: &JsonObject, number: f64, path: &str) -> Result<(), Misfit> {
    if bound(schema, "exclusiveMinimum").is_some_and(|least| number <= least) {
        return misfit(path, format!("must be more than {}", bound(schema, "exclusiveMinimum").unwrap_or_default()));
    }
    if let Some(least) = bound(schema, "minimum").filter(|least| number < *least) {
        return misfit(path, format!("must be at least {least}"));
    }
    if let Some(most) = bound(schema, "maximum").filter(|most| number > *most) {
        return misfit(path, format!("must be at most {most}"));
    }
    Ok(())
}

fn bound(schema: &JsonObject, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Ask {
        plan_id: String,
        #[serde(default = "fifty")]
        #[schemars(range(min = 1, max = 200))]
        limit: i64,
        #[schemars(range(min = -1e9, max = 1e9))]
        amount: Option<f64>,
        #[schemars(length(max = 2))]
        rows: Option<Vec<Row>>,
        sure: Option<bool>,
        kind: Option<Kind>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        /// One.
        Plain,
        /// Another.
        Odd,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Row {
        #[schemars(with = "String", extend("format" = "date"))]
        date: String,
        #[schemars(length(min = 1, max = 3))]
        name: String,
    }

    fn fifty() -> i64 {
        50
    }

    fn refused(arguments: Value) -> String {
        let mut arguments = arguments;
        check_arguments(&of_arguments::<Ask>(), &mut arguments).err().unwrap_or_default()
    }

    #[test]
    fn the_schema_is_portable() {
        let text = serde_json::to_string(&of_arguments::<Ask>()).expect("JSON");
        for absent in ["$schema", "$defs", "null", "int64", "double", "anyOf", "oneOf", "\"title\""] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert!(text.contains(r#""additionalProperties":false"#) && text.contains(r#""default":50"#));
        assert!(text.contains(r#""format":"date""#));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        let cases = [
            (json!({}), "plan_id: is required."),
            (json!([]), "The arguments must be an object with named fields."),
            (json!({"plan_id": 3}), "plan_id: must be a text."),
            (json!({"plan_id": "p", "limit": 0}), "limit: must be at least 1."),
            (json!({"plan_id": "p", "limit": 3.5}), "limit: must be a whole number."),
            (json!({"plan_id": "p", "amount": true}), "amount: must be a number."),
            (json!({"plan_id": "p", "amount": 2e9}), "amount: must be at most 1000000000."),
            (json!({"plan_id": "p", "sure": 1}), "sure: must be true or false."),
            (json!({"plan_id": "p", "kind": "even"}), "kind: must be one of plain, odd."),
            (json!({"plan_id": "p", "rows": {}}), "rows: must be a list."),
            (
                json!({"plan_id": "p", "rows": [{"date": "2026-01-01", "name": "a"}, {"date": "1/1", "name": "a"}]}),
                "rows[1].date: must be a day written YYYY-MM-DD.",
            ),
            (
                json!({"plan_id": "p", "rows": [{"date": "2026-01-01", "name": ""}]}),
                "rows[0].name: must have at least 1 character.",
            ),
            (json!({"plan_id": "p", "rows": [1, 2, 3]}), "rows: must hold at most 2."),
        ];
        for (arguments, want) in cases {
            assert_eq!(refused(arguments), want);
        }
        assert!(refused(json!({"plan_id": "p", "plan": "x"})).starts_with("plan: is not an argument here"));
    }

    #[test]
    fn what_is_lenient_is_made_plain() {
        for (given, plain) in [
            (json!({"plan_id": "p", "limit": 3.0, "amount": null}), json!({"plan_id": "p", "limit": 3})),
            (
                json!({"plan_id": "p", "limit": "3", "amount": "-33.33"}),
                json!({"plan_id": "p", "limit": 3, "amount": -33.33}),
            ),
            (json!({"plan_id": "p", "sure": "No"}), json!({"plan_id": "p", "sure": false})),
            (
                json!({"plan_id": "p", "rows": [{"date": "2026-03-17T00:00:00", "name": "a"}]}),
                json!({"plan_id": "p", "rows": [{"date": "2026-03-17", "name": "a"}]}),
            ),
        ] {
            let mut arguments = given;
            check_arguments(&of_arguments::<Ask>(), &mut arguments).expect("fits");
            assert_eq!(arguments, plain);
        }
        for odd in [json!("1e3"), json!("inf"), json!(""), json!("12,5"), json!([1])] {
            assert_eq!(refused(json!({"plan_id": "p", "amount": odd})), "amount: must be a number.");
        }
    }

    #[test]
    fn an_error_about_a_long_list_is_short() {
        let rows: Vec<Value> = (0..10_000).map(|_| json!({"date": 1})).collect();
        assert!(refused(json!({"plan_id": "p", "rows": rows})).len() < 200);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("plan_id|limit|amount|rows|date|name|.", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn what_fits_can_be_decoded(mut arguments in any_json()) {
            if check_arguments(&of_arguments::<Ask>(), &mut arguments).is_ok() {
                prop_assert!(serde_json::from_value::<Ask>(arguments).is_ok());
            }
        }
    }
}
