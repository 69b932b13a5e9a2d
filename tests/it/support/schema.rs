//! Owns holding a value against a JSON schema, as far as this project's schemas go. Never accepts a keyword it does not know.

use serde_json::Value;

/// What of the value does not fit its schema: the first problem with its path.
pub fn misfit(schema: &Value, value: &Value, path: &str) -> Option<String> {
    let Value::Object(rules) = schema else {
        return (schema != true).then(|| format!("{path}: no schema"));
    };
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (keyword, rule) in rules {
        let problem = match keyword.as_str() {
            "type" => {
                let fits = |name: &Value| is_of_type(name.as_str().unwrap_or_default(), value);
                let any = rule.as_array().map_or_else(|| fits(rule), |names| names.iter().any(fits));
                (!any).then(|| format!("{path}: {value} is no {rule}"))
            }
            "enum" => {
                let any = rule.as_array().is_some_and(|values| values.contains(value));
                (!any).then(|| format!("{path}: {value} is none of {rule}"))
            }
            "const" => (rule != value).then(|| format!("{path}: {value} is not {rule}")),
            "anyOf" | "oneOf" => {
                let any = rule.as_array().is_some_and(|all| all.iter().any(|one| misfit(one, value, path).is_none()));
                (!any).then(|| format!("{path}: {value} fits none of {rule}"))
            }
            "properties" => rule.as_object().into_iter().flatten().find_map(|(name, schema)| {
                let value = value.as_object()?.get(name)?;
                misfit(schema, value, &at(name))
            }),
            "required" => rule.as_array().into_iter().flatten().filter_map(Value::as_str).find_map(|name| {
                let missing = value.as_object().is_some_and(|fields| !fields.contains_key(name));
                missing.then(|| format!("{}: is missing", at(name)))
            }),
            "additionalProperties" => {
                let known = rules.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                let mut others = others.filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)));
                match rule {
                    Value::Bool(false) => others.next().map(|(name, _)| format!("{}: is not in the schema", at(name))),
                    _ => others.find_map(|(name, value)| misfit(rule, value, &at(name))),
                }
            }
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .find_map(|(place, item)| misfit(rule, item, &format!("{path}[{place}]"))),
            "minItems" | "maxItems" => value
                .as_array()
                .filter(|items| {
                    let bound = rule.as_u64().unwrap_or_default() as usize;
                    if keyword == "minItems" { items.len() < bound } else { items.len() > bound }
                })
                .map(|items| format!("{path}: holds {}, {keyword} is {rule}", items.len())),
            "minimum" => value
                .as_f64()
                .zip(rule.as_f64())
                .filter(|(value, least)| value < least)
                .map(|_| format!("{path}: {value} is less than {rule}")),
            "maximum" => value
                .as_f64()
                .zip(rule.as_f64())
                .filter(|(value, most)| value > most)
                .map(|_| format!("{path}: {value} is more than {rule}")),
            "description" | "default" | "format" | "title" => None,
            other => Some(format!("{path}: the keyword {other} is not known here")),
        };
        if problem.is_some() {
            return problem;
        }
    }
    None
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_found() {
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {
                "a": { "type": ["integer", "null"], "minimum": 0 },
                "b": { "type": "array", "items": { "enum": ["x", "y"] } },
                "c": { "anyOf": [{ "type": "string" }, { "type": "null" }] }
            }
        });
        for good in [json!({ "a": null }), json!({ "a": 1, "b": ["x"], "c": null })] {
            assert_eq!(misfit(&schema, &good, ""), None);
        }
        for bad in [
            json!([]),
            json!({}),
            json!({ "a": -1 }),
            json!({ "a": 1.5 }),
            json!({ "a": 1, "b": ["z"] }),
            json!({ "a": 1, "c": 3 }),
            json!({ "a": 1, "d": 3 }),
        ] {
            assert!(misfit(&schema, &bad, "").is_some(), "{bad}");
        }
        assert!(misfit(&json!({ "surprise": 1 }), &json!(1), "").is_some());
    }
}
