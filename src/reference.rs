//! Owns the reference of the tools: each with its words, its arguments and a real answer on the invented plan, made from
//! the tools themselves. Never written by hand, and never about the user's plan.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::dates::Month;
use crate::error::Refusal;
use crate::refuse;
use crate::server::tool::Tool;
use crate::server::{App, all_tools};
use crate::tour::session::Session;
use crate::tour::spendable;

/// How many rows of a list, or entries of a map, are shown.
const ROWS: usize = 2;
/// How many fields an object of unlike parts has at most; more of a kind are a map.
const FIELDS: usize = 12;
/// How much of a text is shown.
const CHARS: usize = 240;

/// The whole reference, in Markdown: a table of the tools, then each with an example. `app` makes an application on the
/// invented plan, a new one for each tool, so that no example depends on another.
pub async fn page(app: impl Fn() -> Arc<App>) -> Result<String, Refusal> {
    let known = Known::find(&mut Session::connect(app()).await?).await?;
    let mut page = String::from("| tool | what for | arguments |\n|---|---|---|\n");
    for tool in all_tools() {
        let first = tool.words.description.split_inclusive(". ").next().unwrap_or_default().trim();
        let _ = writeln!(page, "| `{}` | {first} | {} |", tool.words.name, arguments(tool));
    }
    for tool in all_tools() {
        page.push('\n');
        page.push_str(&example(tool, &known, app()).await?);
    }
    Ok(page)
}

/// The arguments by name, those that may be left out with a question mark.
fn arguments(tool: &Tool) -> String {
    let schema = tool.listed().input_schema;
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let named = properties.into_iter().flatten().filter(|(name, _)| *name != "confirmation");
    let words: Vec<String> =
        named.map(|(name, _)| format!("`{name}{}`", if required(name) { "" } else { "?" })).collect();
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

async fn example(tool: &Tool, known: &Known, app: Arc<App>) -> Result<String, Refusal> {
    let name = tool.words.name;
    let mut session = Session::connect(app).await?;
    if matches!(name, "undo_operation" | "list_operations") {
        session.call("flag_transactions", known.arguments("flag_transactions")?).await?;
    }
    let given = known.arguments(name)?;
    let called = session.call(name, given.clone()).await?;
    let mut asked = given;
    if name != "list_plans" {
        asked["plan_id"] = "last-used".into();
    }
    let mut text = format!(
        "<details>\n<summary><code>{name}</code>: {}</summary>\n\n{}\n\n```text\n{name} {}\n",
        tool.words.title,
        tool.words.description,
        spaced(&short(&asked))
    );
    for question in called.questions {
        text.push_str("\nthe user is asked:\n");
        question.lines().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    let _ = writeln!(text, "\n{}\n```\n\n</details>", by_field(&short(&called.answer)));
    Ok(text)
}

/// What the examples name, found in the plan itself.
struct Known {
    month: String,
    account: Value,
    accounts: Vec<Value>,
    categories: Vec<Value>,
    group: Value,
    payee: Value,
    waiting: Vec<Value>,
    recent: Vec<Value>,
}

impl Known {
    async fn find(session: &mut Session) -> Result<Self, Refusal> {
        let month = session.call("get_monthly_summary", json!({})).await?.answer;
        let month = month["month"].as_str().unwrap_or_default().to_owned();
        let accounts = list(session, "list_accounts", json!({}), "result").await?;
        let open = |account: &&Value| account["type"] == "checking" && account["closed"] == false;
        let account = accounts.iter().find(open).cloned().unwrap_or_default();
        let since = json!({ "since_date": month, "account_ids": [account["id"]] });
        Ok(Self {
            categories: list(session, "get_category_balances", json!({}), "result").await?,
            group: list(session, "list_category_groups", json!({}), "result").await?.remove(1),
            payee: list(session, "list_payees", json!({ "limit": 1 }), "payees").await?.remove(0),
            waiting: list(session, "suggest_categories", json!({}), "items").await?,
            recent: list(session, "find_transactions", since, "transactions").await?,
            month,
            account,
            accounts,
        })
    }

    /// A bank's file with what the account has, and one row that it lacks.
    fn statement(&self) -> String {
        let row = |row: &Value| format!("{},{},{}\n", text(row, "date"), text(row, "payee"), row["amount"]);
        let plain = |row: &&Value| !text(row, "payee").contains([',', '"']);
        let rows: String = self.recent.iter().filter(plain).take(6).map(row).collect();
        let last = self.recent.first().map(|row| text(row, "date")).unwrap_or_default();
        format!("Date,Description,Amount\n{last},PARKING GARE,-3.2\n{rows}")
    }

    /// Arguments that make the tool answer.
    fn arguments(&self, tool: &str) -> Result<Value, Refusal> {
        let spendable = spendable(&self.categories);
        let id = |row: Option<&&Value>| row.map(|row| row["category_id"].clone()).unwrap_or_default();
        let (rich, poor) = (id(spendable.last()), id(spendable.first()));
        let suggested = self.waiting.iter().find(|item| !item["suggestion"].is_null()).unwrap_or(&Value::Null);
        let sorted = |row: &&Value| row["category"].is_string() && row["split"] == false;
        let recent = self.recent.iter().find(sorted).unwrap_or(&Value::Null);
        let card = self.accounts.iter().find(|row| row["type"] == "creditCard").unwrap_or(&Value::Null);
        let later = Month::parse(&self.month).map(|month| month.add(6).to_string()[..7].to_owned());
        Ok(match tool {
            "list_plans"
            | "list_accounts"
            | "list_category_groups"
            | "get_monthly_summary"
            | "get_category_balances"
            | "list_scheduled_transactions"
            | "get_budget_vs_actual"
            | "get_savings_rate"
            | "get_runway"
            | "get_age_of_money"
            | "find_recurring_charges"
            | "import_transactions"
            | "list_operations"
            | "undo_operation" => json!({}),
            "find_transactions" => json!({ "since_date": self.month, "payee": self.payee["name"], "limit": 2 }),
            "get_spending_trends" | "get_net_worth_trend" => json!({ "months_count": 3 }),
            "get_debt_payoff_plan" => json!({
                "strategy": "avalanche",
                "overrides": [{ "account": card["name"], "interest_rate": 15, "minimum_payment": 30 }]
            }),
            "get_underfunded_targets" | "suggest_categories" => json!({ "limit": 2 }),
            "list_payees" => json!({ "search": self.payee["merchant"], "limit": 2 }),
            "forecast_balance" => json!({ "until": later }),
            "match_statement" | "apply_statement" => {
                json!({ "account_id": self.account["id"], "content": self.statement() })
            }
            "approve_transactions" => json!({ "tx_ids": [suggested["transaction_id"]] }),
            "apply_categories" => json!({ "assignments": [{
                "transaction_id": suggested["transaction_id"], "category_id": suggested["suggestion"]["category_id"]
            }] }),
            "create_transactions" => json!({ "account_id": self.account["id"], "transactions": [
                { "date": self.month, "amount": -12.5, "payee_name": self.payee["name"], "category_id": poor }
            ] }),
            "split_transaction" => {
                let part = recent["amount"].as_f64().map_or(0.0, |amount| (amount * 50.0).trunc() / 100.0);
                let rest = recent["amount"].as_f64().map_or(0.0, |amount| ((amount - part) * 100.0).round() / 100.0);
                json!({ "transaction_id": recent["transaction_id"], "lines": [
                    { "amount": part, "category_id": rich }, { "amount": rest, "category_id": poor, "memo": "for the trip" }
                ] })
            }
            "flag_transactions" => {
                json!({ "flags": [{ "transaction_id": recent["transaction_id"], "color": "blue" }] })
            }
            "reconcile_account" => {
                json!({ "account_id": self.account["id"], "bank_balance": self.account["cleared_balance"] })
            }
            "set_category_budget" => json!({ "month": self.month, "category_id": poor, "amount": 300 }),
            "move_money" => json!({
                "month": self.month, "from_category_id": rich, "to_category_id": poor, "amount": 20
            }),
            "set_category_target" => json!({ "category_id": poor, "amount": 250, "frequency": "monthly" }),
            "update_category" => json!({ "category_id": poor, "name": "Eating out" }),
            "create_category" => json!({ "category_group_id": self.group["id"], "name": "Birthday party" }),
            "rename_payee" => json!({ "payee_id": self.payee["payee_id"], "name": "The bakery" }),
            other => return Err(refuse!("{other} has no example: give it one in reference.rs.")),
        })
    }
}

async fn list(session: &mut Session, tool: &str, arguments: Value, field: &str) -> Result<Vec<Value>, Refusal> {
    match session.call(tool, arguments).await?.answer[field].take() {
        Value::Array(rows) if rows.len() > 1 || field == "payees" && !rows.is_empty() => Ok(rows),
        _ => Err(refuse!("{tool} lists too little of the invented plan for an example.")),
    }
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

/// The value with long lists, maps and texts cut short, and ids only begun.
fn short(value: &Value) -> Value {
    match value {
        Value::Array(all) => {
            let mut rows: Vec<Value> = all.iter().take(ROWS).map(short).collect();
            rows.extend(more(all.len()).map(Value::from));
            Value::Array(rows)
        }
        Value::Object(all) => {
            let is_map = all.len() > FIELDS && all.values().all(|one| one.is_array() || one.is_object());
            let shown = if is_map { ROWS } else { all.len() };
            let mut fields: Map<String, Value> =
                all.iter().take(shown).map(|(name, one)| (name.clone(), short_field(name, one))).collect();
            if is_map && let Some(words) = more(all.len()) {
                fields.insert("…".into(), words.into());
            }
            Value::Object(fields)
        }
        Value::String(text) if is_uuid(text) => format!("{}…", &text[..8]).into(),
        Value::String(text) => crate::text::cut(text.as_str().into(), CHARS).into(),
        other => other.clone(),
    }
}

fn short_field(name: &str, value: &Value) -> Value {
    match (name, value) {
        // These differ from one run to the next.
        ("operation_id" | "applied_at" | "next_cursor", Value::String(_)) => "…".into(),
        _ => short(value),
    }
}

fn more(all: usize) -> Option<String> {
    all.checked_sub(ROWS).filter(|more| *more > 0).map(|more| format!("{more} more"))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The value as JSON, each field of the outermost object on its own line.
fn by_field(value: &Value) -> String {
    let Some(fields) = value.as_object().filter(|fields| !fields.is_empty()) else { return spaced(value) };
    let lines: Vec<String> =
        fields.iter().map(|(name, one)| format!("  {}: {}", Value::from(name.as_str()), spaced(one))).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

/// The value as JSON on one line, with spaces after commas and colons.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(all) => format!("[{}]", all.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(all) => {
            let fields: Vec<String> =
                all.iter().map(|(name, one)| format!("{}: {}", Value::from(name.as_str()), spaced(one))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_short_and_the_same_each_time() {
        let answer = json!({
            "id": "ae532c89-7dae-508a-b600-64f23aae4299",
            "rows": [1, 2, 3, 4],
            "operation_id": "r4nd0m",
            "note": "é".repeat(500),
        });
        let short = short(&answer);
        assert_eq!(short["id"], "ae532c89…");
        assert_eq!(short["rows"], json!([1, 2, "2 more"]));
        assert_eq!(short["operation_id"], "…");
        assert_eq!(short["note"].as_str().map(|note| note.chars().count()), Some(CHARS));
        let map: Map<String, Value> = (0..20).map(|n| (n.to_string(), json!([n]))).collect();
        assert_eq!(spaced(&super::short(&Value::Object(map))), r#"{"0": [0], "1": [1], "…": "18 more"}"#);
        assert_eq!(by_field(&json!({ "a": [1, { "b": null }] })), "{\n  \"a\": [1, {\"b\": null}]\n}");
    }
}
