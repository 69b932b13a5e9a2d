//! Owns the tour: a short conversation with the real server on the invented plan, for a person to read. Never talks to
//! YNAB, and never opens the user's journal.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::print;
use crate::dates::Month;
use crate::error::Refusal;
use crate::server::App;

pub mod look;
pub mod session;

use look::Page;
use session::Session;

/// How many rows of a list are shown.
const ROWS: usize = 6;

/// How far the forecast looks.
const MONTHS_AHEAD: i32 = 5;

/// Plays the tour.
pub async fn play(app: Arc<App>, plain: bool) -> Result<(), Refusal> {
    let mut tour = Tour { session: Session::connect(app).await?, page: Page::here(plain), month: Value::Null };
    tour.page.title("avenir-mcp: a short tour on an invented household's plan. No token, nothing leaves this machine.");
    tour.month().await?;
    tour.money_went().await?;
    tour.suggestions().await?;
    tour.forecast().await?;
    tour.cover().await?;
    tour.change_of_mind().await?;
    tour.end();
    print(&tour.page.text())
}

struct Tour {
    session: Session,
    page: Page,
    /// The month's summary.
    month: Value,
}

impl Tour {
    async fn ask(&mut self, tool: &str, arguments: Value) -> Result<Value, Refusal> {
        let called = self.session.call(tool, arguments).await?;
        called.questions.iter().for_each(|question| self.page.asks(question));
        Ok(called.answer)
    }

    async fn month(&mut self) -> Result<(), Refusal> {
        self.page.you("How is this month going?");
        let month = self.ask("get_monthly_summary", json!({})).await?;
        self.page.says(&format!(
            "In {} so far: {} came in, {} was spent, {} is assigned and {} is ready to assign.",
            text(&month["month"]).get(..7).unwrap_or_default(),
            money(&month["income"]),
            money(&json!(-number(&month["activity"]))),
            money(&month["budgeted"]),
            money(&month["ready_to_assign"]),
        ));
        if let Some(days) = month["age_of_money"].as_i64() {
            self.page.says(&format!("Your money is {days} days old when you spend it."));
        }
        for row in rows(&month["overspent"]) {
            self.page.warns(&format!("{} is overspent: {}.", text(&row["name"]), money(&row["balance"])));
        }
        self.month = month;
        Ok(())
    }

    async fn money_went(&mut self) -> Result<(), Refusal> {
        self.page.you("Where did the money go?");
        let balances = self.ask("get_category_balances", json!({})).await?;
        let mut spent: Vec<(&str, f64)> =
            rows(&balances["result"]).iter().map(|row| (text(&row["name"]), -number(&row["activity"]))).collect();
        spent.sort_by(|a, b| b.1.total_cmp(&a.1));
        let most = spent.first().map_or(1.0, |(_, most)| *most);
        for (name, amount) in spent.iter().take(ROWS).filter(|(_, amount)| *amount > 0.0) {
            self.page.bar(name, &money(&json!(amount)), amount / most, Page::CALM);
        }
        Ok(())
    }

    async fn suggestions(&mut self) -> Result<(), Refusal> {
        self.page.you("Which payments have no category yet?");
        let waiting = self.ask("suggest_categories", json!({})).await?;
        let items = rows(&waiting["items"]);
        self.page
            .says(&format!("{} are waiting. The latest, with what their past suggests:", waiting["pending_count"]));
        for item in items.iter().take(ROWS) {
            let what = match &item["suggestion"] {
                Value::Null => "? (you decide)".to_owned(),
                found => format!("→ {}", text(&found["category_name"])),
            };
            self.page.row(text(&item["date"]), &money(&item["amount"]), text(&item["payee"]), &what);
        }
        if let Some(found) = items.iter().map(|item| &item["suggestion"]).find(|found| found["why"].is_string()) {
            let (name, why) = (text(&found["category_name"]), text(&found["why"]));
            self.page.says(&format!("Why {name}? {why}."));
        }
        self.page.you("Take the first two suggestions.");
        let assignments: Vec<Value> = items
            .iter()
            .filter(|item| !item["suggestion"].is_null())
            .take(2)
            .map(|item| {
                json!({"transaction_id": item["transaction_id"], "category_id": item["suggestion"]["category_id"]})
            })
            .collect();
        let applied = self.ask("apply_categories", json!({ "assignments": assignments })).await?;
        self.page.says(text(&applied["message"]));
        Ok(())
    }

    async fn forecast(&mut self) -> Result<(), Refusal> {
        self.page.you("Will the money last? Show me the next half year.");
        let until = Month::parse(text(&self.month["month"])).map(|month| month.add(MONTHS_AHEAD).to_string());
        let until = until.as_deref().and_then(|month| month.get(..7)).unwrap_or_default();
        let ahead = self.ask("forecast_balance", json!({ "until": until })).await?;
        let months: Vec<(&str, f64)> =
            rows(&ahead["months"]).iter().map(|row| (text(&row["month"]), number(&row["end"]))).collect();
        let most = months.iter().map(|(_, end)| end.abs()).fold(1.0, f64::max);
        for (month, end) in months {
            let ink = if end < 0.0 { Page::ALARM } else { Page::CALM };
            self.page.bar(
                &format!("end of {}", month.get(..7).unwrap_or(month)),
                &money(&json!(end)),
                end.abs() / most,
                ink,
            );
        }
        self.page.says(text(&ahead["message"]));
        Ok(())
    }

    async fn cover(&mut self) -> Result<(), Refusal> {
        let short = self.month["overspent"][0].take();
        let balances = self.session.call("get_category_balances", json!({})).await?.answer;
        let Some(rich) = spendable(rows(&balances["result"])).pop().filter(|_| !short.is_null()) else { return Ok(()) };
        self.page.you(&format!("Cover {} from {}.", text(&short["name"]), text(&rich["name"])));
        let change = json!({
            "month": "current",
            "from_category_id": rich["category_id"],
            "to_category_id": short["category_id"],
            "amount": -number(&short["balance"]),
        });
        let moved = self.ask("move_money", change).await?;
        self.page.says(text(&moved["message"]));
        Ok(())
    }

    async fn change_of_mind(&mut self) -> Result<(), Refusal> {
        self.page.you("I changed my mind: take that back.");
        let undone = self.ask("undo_operation", json!({})).await?;
        self.page.says(text(&undone["message"]));
        Ok(())
    }

    fn end(&mut self) {
        self.page.title("Now with your own plan");
        self.page.step(1, "Make a token: app.ynab.com, Account Settings, Developer Settings, New Token.");
        self.page.step(2, "avenir-mcp install claude-desktop --apply (or claude-code, cursor, vscode, lm-studio).");
        self.page.step(3, "Restart the client and ask. It can only read, until you install it with --write.");
    }
}

/// The categories that money was spent from this month, those of card payments apart; the one with most comes last.
pub fn spendable(balances: &[Value]) -> Vec<&Value> {
    let spent = |row: &&Value| number(&row["activity"]) < 0.0 && row["group"] != "Credit Card Payments";
    let mut found: Vec<&Value> = balances.iter().filter(spent).collect();
    found.sort_by(|a, b| number(&a["balance"]).total_cmp(&number(&b["balance"])));
    found
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

fn money(value: &Value) -> String {
    format!("{:.2}", number(value))
}
