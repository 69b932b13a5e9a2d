//! Owns what is asked: the heavy tools with arguments that never come twice, a conversation of 25 questions that only
//! read, and one of 40 questions with nine writes. Never measures.

use avenir_mcp::dates::{Month, add_days};
use avenir_mcp::demo::{Request, Ynab};
use jiff::civil::Date;
use serde_json::{Value, json};

/// What is known of the plan beforehand, so that every server is asked the same.
pub struct Known {
    today: Date,
    plan: String,
    accounts: Vec<(String, i64)>,
    groups: Vec<String>,
    categories: Vec<(String, String)>,
    payees: Vec<String>,
    /// Transactions that wait for a category, latest first.
    waiting: Vec<String>,
    /// Purchases that wait for nothing, latest first.
    done: Vec<(String, i64)>,
}

/// The name of the row, and the call.
pub type Call = (&'static str, Value);

impl Known {
    /// What that YNAB's plan holds, and its body as YNAB sends it.
    pub fn of(ynab: &mut Ynab) -> (Self, Vec<u8>) {
        let body = ynab.handle(Request { method: "GET", path: "/plans/last-used", body: &[] }).body;
        let whole: Value = serde_json::from_slice(&body).expect("JSON");
        let plan = &whole["data"]["plan"];
        let rows = |list: &str| plan[list].as_array().cloned().unwrap_or_default();
        let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let ids = |list: &str| rows(list).iter().map(|row| text(row, "id")).collect();
        let (mut waiting, mut done) = (Vec::new(), Vec::new());
        let split: std::collections::HashSet<String> =
            rows("subtransactions").iter().map(|row| text(row, "transaction_id")).collect();
        let mut transactions = rows("transactions");
        transactions.sort_by_key(|row| std::cmp::Reverse(text(row, "date")));
        for row in transactions.iter().filter(|row| row["transfer_account_id"].is_null()) {
            let id = text(row, "id");
            match (row["category_id"].is_null(), split.contains(&id), row["amount"].as_i64()) {
                (true, false, _) => waiting.push(id),
                (false, false, Some(amount)) if amount < 0 && row["approved"] == true => done.push((id, amount)),
                _ => {}
            }
        }
        let known = Self {
            today: ynab.today(),
            plan: text(plan, "id"),
            accounts: rows("accounts")
                .iter()
                .map(|row| (text(row, "id"), row["cleared_balance"].as_i64().unwrap_or_default()))
                .collect(),
            groups: ids("category_groups"),
            categories: rows("categories")
                .iter()
                .filter(|row| text(row, "name").starts_with("Category"))
                .map(|row| (text(row, "id"), text(row, "category_group_id")))
                .collect(),
            payees: rows("payees")
                .iter()
                .filter(|row| text(row, "name").starts_with("Payee"))
                .map(|row| text(row, "id"))
                .collect(),
            waiting,
            done,
        };
        (known, body)
    }

    fn month(&self, ahead: i32) -> String {
        Month::of(self.today).add(ahead).to_string()
    }

    /// As forecast_balance wants it.
    fn until(&self, ahead: i32) -> String {
        self.month(ahead)[..7].to_owned()
    }

    fn day(&self, ahead: i64) -> String {
        add_days(self.today, ahead).to_string()
    }

    fn with(&self, mut arguments: Value) -> Value {
        arguments["plan_id"] = json!(self.plan);
        arguments
    }

    /// Every tool that needs more than a small answer of YNAB's; arguments of another number are others.
    pub fn heavy(&self, n: usize) -> Vec<Call> {
        let months = 24 - n % 22;
        let calls = [
            ("find_transactions", json!({"since_date": self.day(-360 + n as i64), "payee": format!("Payee {n:03}")})),
            ("list_payees", json!({"search": format!("{n:02}")})),
            ("suggest_categories", json!({"limit": 10 + n})),
            ("get_spending_trends", json!({"months_count": months})),
            ("get_net_worth_trend", json!({"months_count": months})),
            ("get_savings_rate", json!({"months_count": months})),
            ("get_runway", json!({"months_count": months})),
            ("get_age_of_money", json!({"months_count": months})),
            ("get_debt_payoff_plan", json!({"monthly_budget": 9000 + n})),
            ("find_recurring_charges", json!({"include_income": n % 2 == 1})),
            ("forecast_balance", json!({"until": self.until(1 + n as i32 % 12), "monthly_income": 5000 + n})),
        ];
        calls.into_iter().map(|(tool, arguments)| (tool, self.with(arguments))).collect()
    }

    /// A conversation of 25 questions that only read.
    pub fn reads(&self) -> Vec<Call> {
        let (account, category) = (&self.accounts[0].0, &self.categories[7].0);
        let calls = [
            ("list_plans", json!({})),
            ("get_monthly_summary", json!({"month": "current"})),
            ("list_accounts", json!({})),
            ("get_category_balances", json!({})),
            ("get_budget_vs_actual", json!({})),
            ("get_budget_vs_actual", json!({"month": self.month(-1)})),
            ("get_monthly_summary", json!({"month": self.month(-1)})),
            ("list_category_groups", json!({})),
            ("suggest_categories", json!({"limit": 20})),
            ("find_transactions", json!({"since_date": self.day(-60), "payee": "Payee 040"})),
            ("find_transactions", json!({"since_date": self.day(-365), "amount": -20})),
            ("find_transactions", json!({"since_date": self.day(-30), "category_ids": [category]})),
            ("find_transactions", json!({"since_date": self.day(-14), "account_ids": [account]})),
            ("get_spending_trends", json!({"months_count": 6})),
            ("get_net_worth_trend", json!({})),
            ("get_savings_rate", json!({"months_count": 12})),
            ("get_runway", json!({})),
            ("get_age_of_money", json!({})),
            ("get_debt_payoff_plan", json!({"monthly_budget": 9000})),
            ("get_underfunded_targets", json!({})),
            ("list_scheduled_transactions", json!({})),
            ("find_recurring_charges", json!({})),
            ("forecast_balance", json!({"until": self.until(3)})),
            ("list_payees", json!({"search": "12"})),
            ("get_category_balances", json!({"month": self.month(-2)})),
        ];
        self.planned(calls)
    }

    /// 40 questions of a user, as the calls that an agent makes for each, nine of them writes that the user agrees to.
    pub fn questions(&self) -> Vec<(&'static str, Vec<Call>)> {
        let [_, (card, _), ..] = &self.accounts[..] else { return Vec::new() };
        let account = |n: usize| self.accounts[n].0.as_str();
        let category = |n: usize| self.categories[n * 7 % self.categories.len()].0.as_str();
        let search = |days: i64, more: Value| {
            let mut arguments = json!({"since_date": self.day(-days)});
            arguments.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            ("find_transactions", arguments)
        };
        let assigned = |from: usize, count: usize| -> Value {
            let rows = self.waiting.iter().skip(from).take(count).enumerate();
            rows.map(|(n, id)| json!({"transaction_id": id, "category_id": category(n)})).collect()
        };
        let flags: Value =
            self.done.iter().take(3).map(|(id, _)| json!({"transaction_id": id, "color": "red"})).collect();
        let (split, amount) = &self.done[5];
        let half = *amount as f64 / 2000.0;
        let half = (half * 100.0).round() / 100.0;
        let rest = (*amount as f64 / 1000.0 - half) * 1000.0;
        let rest = rest.round() / 1000.0;
        let asked: Vec<(&'static str, Vec<(&'static str, Value)>)> = vec![
            ("Which plans do I have?", vec![("list_plans", json!({}))]),
            (
                "How is this month going?",
                vec![("get_monthly_summary", json!({})), ("get_category_balances", json!({}))],
            ),
            ("What did I overspend?", vec![("get_budget_vs_actual", json!({}))]),
            ("And last month?", vec![("get_budget_vs_actual", json!({"month": self.month(-1)}))]),
            ("What is in my accounts?", vec![("list_accounts", json!({}))]),
            ("What waits for a category?", vec![("suggest_categories", json!({"limit": 50}))]),
            ("How much at that shop this year?", vec![search(365, json!({"payee": "Payee 040"}))]),
            ("What were my latest purchases?", vec![search(14, json!({"limit": 25}))]),
            ("Where did the money go lately?", vec![("get_spending_trends", json!({"months_count": 3}))]),
            ("And over half a year?", vec![("get_spending_trends", json!({"months_count": 6}))]),
            ("What am I worth?", vec![("get_net_worth_trend", json!({}))]),
            ("Do I save?", vec![("get_savings_rate", json!({"months_count": 12}))]),
            ("How long would it last?", vec![("get_runway", json!({}))]),
            ("How old is my money?", vec![("get_age_of_money", json!({}))]),
            ("When are my debts paid?", vec![("get_debt_payoff_plan", json!({"monthly_budget": 9000}))]),
            (
                "What bills come?",
                vec![("list_scheduled_transactions", json!({})), ("find_recurring_charges", json!({}))],
            ),
            ("How will the year end?", vec![("forecast_balance", json!({"until": self.until(6)}))]),
            (
                "What if I earn less?",
                vec![("forecast_balance", json!({"until": self.until(6), "monthly_income": 4000}))],
            ),
            ("What do my targets need?", vec![("get_underfunded_targets", json!({}))]),
            ("Who do I pay most?", vec![("list_payees", json!({}))]),
            ("Give these their categories.", vec![("apply_categories", json!({"assignments": assigned(0, 5)}))]),
            (
                "And the next ones.",
                vec![
                    ("suggest_categories", json!({"limit": 20})),
                    ("apply_categories", json!({"assignments": assigned(5, 5)})),
                ],
            ),
            (
                "Did that change anything?",
                vec![("get_category_balances", json!({})), ("get_monthly_summary", json!({}))],
            ),
            (
                "Cover the overspending.",
                vec![
                    ("get_category_balances", json!({"include_empty": true})),
                    (
                        "move_money",
                        json!({"month": "current", "from_category_id": category(1), "to_category_id": category(2),
                    "amount": 25}),
                    ),
                ],
            ),
            (
                "Assign 150 there.",
                vec![
                    ("list_category_groups", json!({})),
                    ("set_category_budget", json!({"month": "current", "category_id": category(3), "amount": 150})),
                ],
            ),
            (
                "How does the month look now?",
                vec![("get_monthly_summary", json!({})), ("get_budget_vs_actual", json!({}))],
            ),
            (
                "Enter what I paid in cash.",
                vec![
                    ("list_accounts", json!({})),
                    (
                        "create_transactions",
                        json!({"account_id": account(5), "transactions": [
                    {"date": self.day(-1), "amount": -12.5, "payee_name": "Bakery", "category_id": category(4)},
                    {"date": self.day(0), "amount": -8, "payee_name": "Kiosk"}]}),
                    ),
                ],
            ),
            (
                "Split that one.",
                vec![
                    search(30, json!({"limit": 10})),
                    (
                        "split_transaction",
                        json!({"transaction_id": split, "lines": [
                    {"amount": half, "category_id": category(5)}, {"amount": rest, "category_id": category(6)}]}),
                    ),
                ],
            ),
            ("Flag these three.", vec![("flag_transactions", json!({"flags": flags}))]),
            (
                "Rename that payee.",
                vec![
                    ("list_payees", json!({"search": "Payee 02"})),
                    ("rename_payee", json!({"payee_id": self.payees[20], "name": "Corner shop"})),
                ],
            ),
            ("What did the corner shop cost?", vec![search(180, json!({"payee": "Corner shop"}))]),
            ("Take the last change back.", vec![("undo_operation", json!({}))]),
            (
                "Are the savings right?",
                vec![search(90, json!({"account_ids": [account(3)]})), ("list_accounts", json!({}))],
            ),
            ("What went over the card?", vec![search(30, json!({"account_ids": [card], "limit": 40}))]),
            ("Anything of 20.00?", vec![search(365, json!({"amount": -20}))]),
            (
                "How much for this category?",
                vec![
                    search(90, json!({"category_ids": [category(8)]})),
                    ("get_spending_trends", json!({"months_count": 12})),
                ],
            ),
            (
                "How did two years go?",
                vec![
                    ("get_net_worth_trend", json!({"months_count": 24})),
                    ("get_savings_rate", json!({"months_count": 24})),
                ],
            ),
            (
                "What if only the essentials?",
                vec![
                    ("list_category_groups", json!({})),
                    ("get_runway", json!({"essential_groups": [self.groups.last().cloned().unwrap_or_default()]})),
                ],
            ),
            (
                "Which debt first?",
                vec![
                    ("get_debt_payoff_plan", json!({"monthly_budget": 12000, "strategy": "snowball"})),
                    ("get_debt_payoff_plan", json!({"monthly_budget": 12000, "strategy": "avalanche"})),
                ],
            ),
            (
                "What remains to do?",
                vec![
                    ("suggest_categories", json!({})),
                    ("get_underfunded_targets", json!({})),
                    ("get_monthly_summary", json!({})),
                    ("get_category_balances", json!({"month": self.month(-1)})),
                ],
            ),
        ];
        asked.into_iter().map(|(question, calls)| (question, self.planned(calls))).collect()
    }

    fn planned(&self, calls: impl IntoIterator<Item = Call>) -> Vec<Call> {
        let planned =
            |(tool, arguments): Call| (tool, if tool == "list_plans" { arguments } else { self.with(arguments) });
        calls.into_iter().map(planned).collect()
    }
}
