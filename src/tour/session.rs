//! Owns a client at the other end of the server's pipes, which answers every question with yes and keeps it. Never leaves
//! the process.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::io::SyncIoBridge;
use tokio_util::sync::CancellationToken;

use crate::error::Refusal;
use crate::refuse;
use crate::server::transport::Pipes;
use crate::server::{App, Server};

/// A session with the real server, of the generation that is asked during a call.
pub struct Session {
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    next: u64,
    questions: Vec<String>,
}

/// What a call brought.
pub struct Called {
    /// The answer.
    pub answer: Value,
    /// What was asked before it, each answered with yes.
    pub questions: Vec<String>,
}

impl Session {
    /// Greets a server of that application.
    pub async fn connect(app: Arc<App>) -> Result<Self, Refusal> {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(async move {
            let pipes = Pipes::new(read, SyncIoBridge::new(write), CancellationToken::new());
            if let Ok(service) = Server::new(app).serve(pipes).await {
                drop(service.waiting().await);
            }
        });
        let (read, out) = tokio::io::split(near);
        let mut session = Self { lines: BufReader::new(read), out, next: 0, questions: Vec::new() };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "tour", "version": env!("CARGO_PKG_VERSION") }
        });
        session.request("initialize", hello).await?;
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(session)
    }

    /// Calls a tool on the plan that was used last.
    pub async fn call(&mut self, tool: &str, mut arguments: Value) -> Result<Called, Refusal> {
        if arguments.get("plan_id").is_none() && tool != "list_plans" {
            arguments["plan_id"] = "last-used".into();
        }
        let result = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?;
        if result["isError"] == true {
            return Err(refuse!("{tool} was refused: {}", result["content"][0]["text"].as_str().unwrap_or_default()));
        }
        Ok(Called { answer: result["structuredContent"].clone(), questions: std::mem::take(&mut self.questions) })
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).await.map_err(|_| broken())?;
            if read == 0 {
                return Err(broken());
            }
            let message: Value = serde_json::from_str(&line).map_err(|_| broken())?;
            if message["method"] == "elicitation/create" {
                self.questions.extend(message["params"]["message"].as_str().map(str::to_owned));
                let yes = json!({ "action": "accept", "content": { "value": true } });
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": yes })).await?;
            } else if message["id"] == id {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => {
                        Err(refuse!("{method} failed: {}", message["error"]["message"].as_str().unwrap_or_default()))
                    }
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
    Refusal::new("The server inside stopped unexpectedly.")
}
