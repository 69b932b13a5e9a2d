//! Owns the MCP server: which tools there are, how a call is answered, what a client of any generation sees. Never
//! computes anything about money.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{QuitReason, RequestContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Progress, Scope};
use crate::clock::Clock;
use crate::confirm::Gate;
use crate::error::Refusal;
use crate::ids::{OperationId, PlanId};
use crate::journal::{self, Journal};
use crate::statements::Statements;
use crate::{context, refuse};

pub mod render;
pub mod schema;
pub mod settle;
pub mod tool;
pub mod transport;
pub mod write;

use tool::{Call, Failure, Reply, Tool};

/// How long running calls may go on once the client is gone, and how long one that is writing may.
const GRACE: Duration = Duration::from_millis(500);
const GRACE_WRITING: Duration = Duration::from_secs(5);
/// How long a write waits for another process's; YNAB may take half a minute to answer one request.
const TURN_MAX: Duration = Duration::from_secs(60);

/// Every tool, in the order of the rooms.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    [
        crate::tools_budget::tools(),
        crate::tools_classify::tools(),
        crate::tools_accounts::tools(),
        crate::tools_categories::tools(),
        crate::tools_payees::tools(),
        crate::tools_analytics::tools(),
        crate::tools_forecast::tools(),
        crate::tools_statement::tools(),
        crate::tools_undo::tools(),
        #[cfg(test)]
        tests::tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Every tool, those that write included.
pub fn all_tools() -> &'static [Tool] {
    &TOOLS
}

/// What the tools share.
pub struct App {
    /// YNAB.
    pub client: Client,
    /// The day.
    pub clock: Clock,
    /// The gate.
    pub gate: Gate,
    /// The journal.
    pub journal: Journal,
    /// Whether write tools exist.
    pub write: bool,
    /// The confidence a suggested category must reach.
    pub confidence_threshold: f64,
    /// Where statements may be read from.
    pub statements: Statements,
    /// Cancelled once the client is gone: what is answered from then on, nobody hears.
    pub left: CancellationToken,
    touched: Mutex<HashMap<PlanId, Arc<Touched>>>,
    damage_told: AtomicBool,
    turn: tokio::sync::Mutex<()>,
    writing: AtomicBool,
}

impl App {
    /// An application of these parts.
    pub fn new(
        client: Client,
        clock: Clock,
        gate: Gate,
        journal: Journal,
        write: bool,
        confidence_threshold: f64,
    ) -> Self {
        Self {
            client,
            clock,
            gate,
            journal,
            write,
            confidence_threshold,
            statements: Statements::default(),
            left: CancellationToken::new(),
            touched: Mutex::default(),
            damage_told: AtomicBool::new(false),
            turn: tokio::sync::Mutex::default(),
            writing: AtomicBool::new(false),
        }
    }

    /// The same, with a folder that statements may be read from.
    pub fn with_statements(self, statements: Statements) -> Self {
        Self { statements, ..self }
    }

    /// What is known of the plan's doubts.
    fn touched(&self, plan: &PlanId) -> Arc<Touched> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).entry(plan.clone()).or_default().clone()
    }

    fn first_damage(&self) -> bool {
        !self.damage_told.swap(true, Ordering::Relaxed)
    }

    /// Waits until nobody else writes, in this process or in another of the user's, and lets nobody before the guard is
    /// dropped: what is read before a write is still so when it is sent. However it ends, the next call on the plan looks
    /// for what it left open.
    async fn turn_to_write(&self, plan: &PlanId) -> Result<Writing<'_>, Refusal> {
        let here = self.turn.lock().await;
        let end = Instant::now() + TURN_MAX;
        let everywhere = loop {
            match self.journal.turn()? {
                Some(turn) => break turn,
                None if Instant::now() < end => tokio::time::sleep(Duration::from_millis(20)).await,
                None => {
                    return Err(refuse!(
                        "Another avenir-mcp process is writing to YNAB, so nothing was sent. Call again in a minute."
                    ));
                }
            }
        };
        self.writing.store(true, Ordering::Relaxed);
        Ok(Writing { app: self, plan: plan.clone(), _turns: (everywhere, here) })
    }

    /// The tools that a client may see.
    pub fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        let write = self.write;
        TOOLS.iter().filter(move |tool| write || !tool.writes())
    }
}

/// Whether what was left open on a plan was looked for since the last write. One call at a time looks; what it finds is
/// told once.
#[derive(Default)]
struct Touched {
    told: tokio::sync::Mutex<HashSet<(OperationId, String)>>,
    settled: AtomicBool,
}

/// The turn of a call to write.
pub struct Writing<'a> {
    app: &'a App,
    plan: PlanId,
    _turns: (journal::Turn, tokio::sync::MutexGuard<'a, ()>),
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.app.writing.store(false, Ordering::Relaxed);
        self.app.touched(&self.plan).settled.store(false, Ordering::Relaxed);
    }
}

/// The server that rmcp drives.
#[derive(Clone)]
pub struct Server {
    app: Arc<App>,
}

impl Server {
    /// A server of that application.
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    fn scope(context: &RequestContext<RoleServer>) -> Scope {
        let scope = Scope::new(context.ct.clone());
        let Some(token) = context.meta.get_progress_token() else { return scope };
        let peer = context.peer.clone();
        let told = AtomicU64::new(0);
        scope.with_progress(Box::new(move |progress| {
            let (at, total, message) = match progress {
                Progress::Downloading { bytes, total } => (bytes, total, "Reading the plan from YNAB".to_owned()),
                Progress::Retrying { attempt } => (0, None, format!("YNAB did not answer; try {attempt}")),
            };
            // Progress only grows, though a second try begins anew.
            let at = at.max(told.load(Ordering::Relaxed) + 1);
            told.store(at, Ordering::Relaxed);
            let mut notice = ProgressNotificationParam::new(token.clone(), at as f64);
            notice.total = total.filter(|total| *total >= at).map(|total| total as f64);
            notice.message = Some(message);
            let peer = peer.clone();
            tokio::spawn(async move { drop(peer.notify_progress(notice).await) });
        }))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.app.tools().find(|tool| tool.words.name == request.name) else {
            let name = crate::text::safe(&request.name).into_owned();
            return Err(ErrorData::invalid_params(
                format!("There is no tool named '{name}'. tools/list names them."),
                None,
            ));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let mut bound = arguments.clone();
        if let Some(fields) = bound.as_object_mut() {
            fields.remove("confirmation");
        }
        let call = Arc::new(Call {
            app: self.app.clone(),
            scope: Self::scope(&context),
            context,
            tool: tool.words.name,
            arguments: bound,
            responses: request.input_responses,
            state: request.request_state,
        });
        let started = Instant::now();
        // A task of its own: a panic in a tool becomes an answer instead of silence.
        let running = tokio::spawn({
            let call = call.clone();
            async move { tool.call(call, arguments).await }
        });
        let reply = running.await.unwrap_or_else(|_| {
            Err(Failure::Refused(refuse!(
                "avenir-mcp failed inside {}. If it was writing, list_operations or the next call says what became of it. \
                 Please report this.",
                tool.words.name
            )))
        });
        let outcome = match &reply {
            Ok(Reply::Answer(_)) => "answered",
            Ok(Reply::Waiting(_)) => "asked",
            Err(Failure::Refused(_)) => "refused",
            Err(Failure::Protocol(_)) => "protocol error",
        };
        tracing::info!(
            tool = tool.words.name,
            outcome,
            milliseconds = started.elapsed().as_millis() as u64,
            requests = call.scope.requests(),
            "call"
        );
        answered(reply, &call.scope.notes())
    }
}

fn answered(reply: Result<Reply<Value>, Failure>, notes: &[String]) -> Result<CallToolResponse, ErrorData> {
    let notes = notes.iter().map(|note| ContentBlock::text(note.clone()));
    match reply {
        Ok(Reply::Answer(answer)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(render::compact(&answer))]);
            result.structured_content = Some(answer);
            result.content.extend(notes);
            Ok(result.into())
        }
        Ok(Reply::Waiting(question)) => Ok(CallToolResponse::InputRequired(*question)),
        // Text only: a structured error would be held against the tool's output schema by some clients.
        Err(Failure::Refused(refusal)) => {
            let mut content = vec![ContentBlock::text(refusal.to_string())];
            content.extend(notes);
            Ok(CallToolResult::error(content).into())
        }
        Err(Failure::Protocol(error)) => Err(error),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(context::guide(self.app.write));
        info.server_info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        info.server_info.title = Some("YNAB, with your own yes".into());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.app.tools().map(Tool::listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(context::resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(context::resource_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let scope = Self::scope(&context);
        Ok(context::read_resource(&self.app, &scope, &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(context::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(context::prompt(&request.name, request.arguments.as_ref(), self.app.write)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // Parameters that do not parse fall through rmcp's union of requests to here, under a method that exists.
        const KNOWN: [&str; 7] = [
            "initialize",
            "tools/call",
            "tools/list",
            "resources/read",
            "prompts/get",
            "resources/list",
            "prompts/list",
        ];
        let method = crate::text::safe(&request.method).into_owned();
        Err(if KNOWN.contains(&method.as_str()) {
            ErrorData::invalid_params(format!("The params of {method} do not have the shape that MCP asks for."), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method '{method}'."), None)
        })
    }
}

/// Serves MCP on stdin and stdout until the client leaves or the process is told to end.
pub async fn serve(app: Arc<App>) -> Result<(), Refusal> {
    let stop = CancellationToken::new();
    let pipes = transport::Pipes::new(tokio::io::stdin(), std::io::stdout(), app.left.clone());
    let watch = stop.clone();
    let running = app.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = signalled() => {}
            () = running.left.cancelled() => tokio::time::sleep(GRACE).await,
        }
        let end = Instant::now() + GRACE_WRITING;
        while running.writing.load(Ordering::Relaxed) && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        watch.cancel();
    });
    let ended = match Server::new(app.clone()).serve_with_ct(pipes, stop).await {
        Ok(service) => service.waiting().await,
        // The client left, or the process was told to end, before the first message.
        Err(_) => Ok(QuitReason::Closed),
    };
    app.journal.leave();
    match ended {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        _ => Err(refuse!("The connection to the client broke.")),
    }
}

/// Resolves when the process is asked to end.
async fn signalled() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio_util::io::SyncIoBridge;
    use tool::Words;

    const PANICS: Words = Words { name: "panics", title: "Panics", description: "Only in tests." };

    /// A tool that panics.
    pub(super) fn tools() -> Vec<Tool> {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct Nothing {}
        #[derive(serde::Serialize, schemars::JsonSchema)]
        struct Never {}
        async fn panics(_: Arc<tool::Call>, _: Nothing) -> Result<Never, Failure> {
            panic!("a fault of the tool's own")
        }
        vec![Tool::read(PANICS, panics)]
    }

    /// What a server on the demo plan answers to these requests, in order.
    async fn answers(requests: &[Value]) -> Vec<Value> {
        let clock = Clock::default();
        let client = Client::in_memory(crate::demo::Ynab::demo(clock.today()));
        let gate = Gate::new(crate::clock::monotonic, false);
        let app = Arc::new(App::new(client, clock, gate, Journal::in_memory(), false, 0.9));
        let (near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        let pipes = transport::Pipes::new(read, SyncIoBridge::new(write), app.left.clone());
        let server = tokio::spawn(Server::new(app).serve_with_ct(pipes, CancellationToken::new()));
        let (read, mut write) = tokio::io::split(near);
        let mut lines = BufReader::new(read).lines();
        let mut answers = Vec::new();
        for request in requests {
            write.write_all(format!("{request}\n").as_bytes()).await.expect("sent");
            let line = lines.next_line().await.expect("a line").expect("an answer");
            answers.push(serde_json::from_str(&line).expect("JSON"));
        }
        drop(server);
        answers
    }

    fn call(id: i64, name: &str) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": name, "arguments": {}, "_meta": meta });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    }

    #[tokio::test]
    async fn a_panic_in_a_tool_is_answered_and_ends_nothing() {
        let answers = answers(&[call(1, "panics"), call(2, "list_plans")]).await;
        assert_eq!(answers[0]["result"]["isError"], true, "{}", answers[0]);
        let text = answers[0]["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("failed inside panics") && !text.contains("fault of the tool's own"), "{text}");
        assert!(answers[1]["result"]["structuredContent"]["result"].is_array(), "{}", answers[1]);
    }
}
