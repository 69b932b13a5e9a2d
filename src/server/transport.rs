//! Owns the pipes: one JSON-RPC message a line, whatever comes in answered, nothing but JSON-RPC going out. Never acts
//! on what a message asks for.
//!
//! rmcp's own stdio transport leaves broken lines, overlong lines and a second request of the same id unanswered, and a
//! notification before the greeting ends its session; this one answers or drops them.

use std::collections::HashSet;
use std::io::Write;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, GetMeta as _, JsonRpcMessage, NumberOrString, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The longest line that is read, in bytes.
pub const LINE_MAX: usize = 16 * 1024 * 1024;
/// How many messages may wait to be written before others wait too.
const WAITING_MAX: usize = 64;

/// JSON-RPC over a pair of pipes.
pub struct Pipes<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of an overlong line is still being thrown away.
    discarding: bool,
    /// An answer to a broken line that has yet to be handed to the writer.
    reply: Option<Vec<u8>>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    greeted: bool,
    in_flight: HashSet<NumberOrString>,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> Pipes<R> {
    /// Reads from one pipe and writes to the other, on a thread of its own; `ended` is cancelled when there is no more to
    /// read.
    pub fn new<W: Write + Send + 'static>(read: R, mut write: W, ended: CancellationToken) -> Self {
        let (out, mut waiting) = mpsc::channel::<Vec<u8>>(WAITING_MAX);
        let writer = tokio::task::spawn_blocking(move || {
            while let Some(line) = waiting.blocking_recv() {
                if write.write_all(&line).and_then(|()| write.flush()).is_err() {
                    break;
                }
            }
        });
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            discarding: false,
            reply: None,
            out: Some(out),
            writer: Some(writer),
            greeted: false,
            in_flight: HashSet::new(),
            ended,
        }
    }

    /// Reads on until a line is whole in `self.line`. Dropped half-way, it loses nothing.
    async fn read_line(&mut self) -> Read {
        loop {
            let Ok(bytes) = self.read.fill_buf().await else { return Read::End };
            if bytes.is_empty() {
                return Read::End;
            }
            let newline = bytes.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(bytes.len(), |place| place + 1);
            if !self.discarding {
                self.line.extend_from_slice(&bytes[..newline.unwrap_or(taken)]);
            }
            self.read.consume(taken);
            if self.line.len() > LINE_MAX {
                self.line = Vec::new();
                self.discarding = true;
            }
            if newline.is_some() {
                return if std::mem::take(&mut self.discarding) { Read::TooLong } else { Read::Line };
            }
        }
    }

    /// The message of a line, or the answer that its sender gets instead.
    fn message(&mut self, line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Value> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let message = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
            Ok(message) => message,
            Err(error) if error.is_data() => return answer_to_misshapen(line),
            Err(_) => return Err(failure(Value::Null, -32700, "This line is not JSON.")),
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.in_flight.insert(request.id.clone()) {
                    let id = serde_json::to_value(&request.id).unwrap_or_default();
                    return Err(failure(id, -32600, "A request of this id is still being answered."));
                }
                self.greeted |= greets(&request.request);
            }
            _ if !self.greeted => {
                tracing::debug!("dropped a message that came before the greeting");
                return Ok(None);
            }
            JsonRpcMessage::Notification(notice) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notice.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A cancelled request is not answered, so its id is free again.
                    self.in_flight.remove(id);
                }
            }
            _ => {}
        }
        Ok(Some(message))
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Pipes<R> {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(response) => _ = self.in_flight.remove(&response.id),
            JsonRpcMessage::Error(error) => _ = error.id.as_ref().map(|id| self.in_flight.remove(id)),
            _ => {}
        }
        let out = self.out.clone();
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let closed = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
            out.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.reply.is_some() {
                let permit = self.out.as_ref()?.reserve().await.ok()?;
                permit.send(self.reply.take().unwrap_or_default());
            }
            let read = self.read_line().await;
            let line = std::mem::take(&mut self.line);
            let message = match read {
                Read::TooLong => Err(failure(Value::Null, -32600, "This line is longer than 16 MiB.")),
                Read::End if line.trim_ascii().is_empty() => {
                    self.ended.cancel();
                    return None;
                }
                Read::Line | Read::End => self.message(&line),
            };
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(answer) => self.reply = Some(format!("{answer}\n").into_bytes()),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.out = None;
        if let Some(writer) = self.writer.take() {
            // What is handed over is written; a pipe that nobody reads does not hold the end up.
            let _ = tokio::time::timeout(std::time::Duration::from_millis(500), writer).await;
        }
        Ok(())
    }
}

/// JSON that is no message: answered with its id where it has one; a notification or an answer gets none.
fn answer_to_misshapen<T>(line: &[u8]) -> Result<Option<T>, Value> {
    let value: Value = serde_json::from_slice(line).unwrap_or_default();
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
    match (id, value.get("method")) {
        (Some(id), Some(Value::String(_))) => Err(failure(id, -32600, "This request does not have the shape of one.")),
        (Some(id), _) => Err(failure(id, -32600, "A request needs a method.")),
        (None, Some(Value::String(method))) if method.starts_with("notifications/") => Ok(None),
        _ => Err(failure(Value::Null, -32600, "This is no JSON-RPC message.")),
    }
}

fn failure(id: Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// Whether the request chooses an era: `initialize`, or one whose `_meta` says version and capabilities.
fn greets(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        // A client that probes may still greet the old way, or withdraw its probe.
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        other => {
            let meta = other.get_meta();
            // A version that nobody knows is answered and greets nothing.
            let is_known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.protocol_version().is_some_and(is_known) && meta.client_capabilities().is_some()
        }
    }
}
