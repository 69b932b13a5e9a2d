//! Owns the tour: a short conversation with the real server on the invented plan, printed for a person. Never talks to
//! YNAB.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use crate::cli::print;
use crate::error::Refusal;
use crate::refuse;
use crate::server::transport::Pipes;
use crate::server::{App, Server};

/// Plays the tour.
pub async fn play(app: Arc<App>, plain: bool) -> Result<(), Refusal> {
    let ink = Ink { plain: plain || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) };
    let mut client = Client::connect(app).await?;
    print(
        &ink.title("avenir-mcp: a short tour, on an invented household's plan (no token, nothing leaves this machine)"),
    )?;

    ink.says("How is this month going?")?;
    let month = client.call("get_monthly_summary", json!({"plan_id": "last-used"})).await?;
    print(&format!(
        "  {}: income {}, assigned {}, spent {}, ready to assign {}.\n",
        text(&month["month"]),
        money(&month["income"]),
        money(&month["budgeted"]),
        money(&month["activity"]),
        money(&month["ready_to_assign"]),
    ))?;
    for row in month["overspent"].as_array().into_iter().flatten() {
        print(&format!("  Overspent: {} {}\n", text(&row["name"]), money(&row["balance"])))?;
    }

    ink.says("Which payments have no category yet?")?;
    let waiting = client.call("suggest_categories", json!({"plan_id": "last-used"})).await?;
    let items: Vec<&Value> = waiting["items"].as_array().into_iter().flatten().collect();
    print(&format!("  {} are waiting.\n", waiting["pending_count"]))?;
    for item in items.iter().take(8) {
        let suggestion = match &item["suggestion"] {
            Value::Null => "no suggestion".to_owned(),
            found => text(&found["category_name"]).to_owned(),
        };
        print(&format!(
            "  {}  {:>10}  {:<40} {suggestion}\n",
            text(&item["date"]),
            money(&item["amount"]),
            text(&item["payee"])
        ))?;
    }

    ink.says("Apply the first two suggestions.")?;
    let assignments: Vec<Value> = items
        .iter()
        .filter(|item| !item["suggestion"].is_null())
        .take(2)
        .map(|item| json!({"transaction_id": item["transaction_id"], "category_id": item["suggestion"]["category_id"]}))
        .collect();
    client.ink = Some(ink);
    let applied = client.call("apply_categories", json!({"plan_id": "last-used", "assignments": assignments})).await?;
    print(&format!("  {}: {}\n", text(&applied["status"]), text(&applied["message"])))?;

    ink.says("I changed my mind: take that back.")?;
    let undone = client.call("undo_operation", json!({"plan_id": "last-used"})).await?;
    print(&format!("  {}: {}\n", text(&undone["status"]), text(&undone["message"])))?;

    print(&ink.title("Now with your own plan"))?;
    print(
        "  1. Get a token: YNAB, Account Settings, Developer Settings, New Token; put it in a file only you can read.\n  \
         2. Tell your client to start this program with YNAB_API_KEY_FILE set to that file (README, \"Install\").\n  \
         3. It can only read until you also set AVENIR_MCP_WRITE=1; even then every change is asked first.\n",
    )
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn money(value: &Value) -> String {
    value.as_f64().map(|units| format!("{units:.2}")).unwrap_or_default()
}

/// How it looks: with colours, or plain.
#[derive(Clone, Copy)]
struct Ink {
    plain: bool,
}

impl Ink {
    fn title(self, line: &str) -> String {
        if self.plain { format!("\n{line}\n") } else { format!("\n\x1b[1m{line}\x1b[0m\n") }
    }

    fn says(self, line: &str) -> Result<(), Refusal> {
        print(&if self.plain { format!("\nYou: {line}\n") } else { format!("\n\x1b[36mYou: {line}\x1b[0m\n") })
    }

    fn asks(self, question: &str) -> Result<(), Refusal> {
        let mut shown = String::from("  The client asks you:\n");
        for line in question.lines() {
            shown.push_str(&format!("  | {line}\n"));
        }
        shown.push_str("  You answer: yes\n");
        print(&shown)
    }
}

/// A client at the other end of the server's pipes, of the generation that is asked during a call.
struct Client {
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    next: u64,
    ink: Option<Ink>,
}

impl Client {
    async fn connect(app: Arc<App>) -> Result<Self, Refusal> {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(async move {
            let pipes = Pipes::new(read, write, CancellationToken::new());
            if let Ok(service) = Server::new(app).serve(pipes).await {
                drop(service.waiting().await);
            }
        });
        let (read, out) = tokio::io::split(near);
        let mut client = Self { lines: BufReader::new(read), out, next: 0, ink: None };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "tour", "version": env!("CARGO_PKG_VERSION") }
        });
        client.request("initialize", hello).await?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(client)
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Refusal> {
        let result = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?;
        if result["isError"] == true {
            return Err(refuse!("{tool} was refused: {}", text(&result["content"][0]["text"])));
        }
        Ok(result["structuredContent"].clone())
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).await.map_err(|_| broken())?;
            let message: Value = serde_json::from_str(&line).map_err(|_| broken())?;
            if read == 0 {
                return Err(broken());
            }
            if message["method"] == "elicitation/create" {
                if let Some(ink) = self.ink {
                    ink.asks(text(&message["params"]["message"]))?;
                }
                let yes = json!({ "action": "accept", "content": { "value": true } });
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": yes })).await?;
            } else if message["id"] == id {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(refuse!("{method} failed: {}", text(&message["error"]["message"]))),
                };
            }
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), Refusal> {
        self.out.write_all(format!("{message}\n").as_bytes()).await.map_err(|_| broken())?;
        self.out.flush().await.map_err(|_| broken())
    }
}

fn broken() -> Refusal {
    Refusal::new("The tour's server stopped unexpectedly.")
}
