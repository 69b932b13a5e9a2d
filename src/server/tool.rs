//! Owns what a tool is: one value with its name, its words, its schemas and one async function. Never knows which tools
//! there are.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, InputRequiredResult, InputResponses, JsonObject, ToolAnnotations};
use rmcp::service::RequestContext;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{App, schema, settle};
use crate::client::{Client, Scope};
use crate::confirm::GateError;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::ids::PlanId;
use crate::refuse;
use crate::writes::Operation;

/// Whether a tool changes anything in YNAB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It adds something new each time.
    Adds,
    /// It changes what is there; the same call again changes nothing more.
    Sets,
    /// It changes what is there, again with each call.
    Changes,
    /// It adds, and the same call again adds nothing more.
    Marks,
}

impl Effect {
    fn annotations(self, title: &str) -> ToolAnnotations {
        let hints = ToolAnnotations::with_title(title).open_world(true);
        match self {
            Self::Read => hints.read_only(true).idempotent(true),
            Self::Adds => hints.read_only(false).destructive(false).idempotent(false),
            Self::Sets => hints.read_only(false).destructive(true).idempotent(true),
            Self::Changes => hints.read_only(false).destructive(true).idempotent(false),
            Self::Marks => hints.read_only(false).destructive(false).idempotent(true),
        }
    }
}

/// What a tool is called and says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Its name.
    pub name: &'static str,
    /// Its title for a person.
    pub title: &'static str,
    /// What it is for, for the agent.
    pub description: &'static str,
}

/// How a call of a tool ends, if not with an answer.
#[derive(Debug)]
pub enum Failure {
    /// A tool error: the agent can read it and do something else.
    Refused(Refusal),
    /// A protocol error.
    Protocol(ErrorData),
}

impl<E: Into<Refusal>> From<E> for Failure {
    fn from(refusal: E) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<GateError> for Failure {
    fn from(error: GateError) -> Self {
        match error {
            GateError::Refused(refusal) => Self::Refused(refusal),
            GateError::State(error) => Self::Protocol(error),
        }
    }
}

/// What a call of a tool ends with.
pub enum Reply<A> {
    /// Its answer.
    Answer(A),
    /// A question that the client is to bring back answered.
    Waiting(Box<InputRequiredResult>),
}

type Running = Pin<Box<dyn Future<Output = Result<Reply<Value>, Failure>> + Send>>;

/// A tool.
pub struct Tool {
    /// Its words.
    pub words: Words,
    /// What it changes.
    pub effect: Effect,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    checked_by: OnceLock<JsonObject>,
    run: Box<dyn Fn(Arc<Call>, Value) -> Running + Send + Sync>,
}

impl Tool {
    /// A tool that reads.
    pub fn read<In, Out, F, Fut>(words: Words, run: F) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + Send + 'static,
        F: Fn(Arc<Call>, In) -> Fut + Send + Sync + Copy + 'static,
        Fut: Future<Output = Result<Out, Failure>> + Send + 'static,
    {
        Self::new(words, Effect::Read, move |call, input| async move { run(call, input).await.map(Reply::Answer) })
    }

    /// A tool that writes, through the gate.
    pub fn write<In, Out, F, Fut>(words: Words, effect: Effect, run: F) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + Send + 'static,
        F: Fn(Arc<Call>, In) -> Fut + Send + Sync + Copy + 'static,
        Fut: Future<Output = Result<Reply<Out>, Failure>> + Send + 'static,
    {
        Self::new(words, effect, run)
    }

    fn new<In, Out, F, Fut>(words: Words, effect: Effect, run: F) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + Send + 'static,
        F: Fn(Arc<Call>, In) -> Fut + Send + Sync + Copy + 'static,
        Fut: Future<Output = Result<Reply<Out>, Failure>> + Send + 'static,
    {
        let run = move |call: Arc<Call>, arguments: Value| -> Running {
            Box::pin(async move {
                let input = serde_json::from_value(arguments).map_err(|error| {
                    refuse!("The arguments cannot be read: {}.", crate::text::safe(&error.to_string()))
                })?;
                Ok(match run(call, input).await? {
                    Reply::Answer(answer) => Reply::Answer(serde_json::to_value(answer).map_err(|_| unprintable())?),
                    Reply::Waiting(question) => Reply::Waiting(question),
                })
            })
        };
        Self {
            words,
            effect,
            input: schema::of_arguments::<In>,
            output: schema::of_answer::<Out>,
            checked_by: OnceLock::new(),
            run: Box::new(run),
        }
    }

    /// Whether it writes to YNAB.
    pub fn writes(&self) -> bool {
        self.effect != Effect::Read
    }

    /// The tool as it is listed.
    pub fn listed(&self) -> rmcp::model::Tool {
        let mut tool = rmcp::model::Tool::new(self.words.name, self.words.description, (self.input)());
        tool.title = Some(self.words.title.to_owned());
        tool.output_schema = Some(Arc::new((self.output)()));
        tool.annotations = Some(self.effect.annotations(self.words.title));
        tool
    }

    /// Checks the arguments against the listed schema, then runs.
    pub async fn call(&self, call: Arc<Call>, mut arguments: Value) -> Result<Reply<Value>, Failure> {
        let schema = self.checked_by.get_or_init(self.input);
        schema::check_arguments(schema, &mut arguments).map_err(Refusal::new)?;
        (self.run)(call, arguments).await
    }
}

fn unprintable() -> Refusal {
    Refusal::new("The answer could not be written down. This is a fault of avenir-mcp: please report it.")
}

/// One call of a tool: what its function may use.
pub struct Call {
    /// The server.
    pub app: Arc<App>,
    /// What the client counts, notes and watches for this call.
    pub scope: Scope,
    pub(super) context: RequestContext<RoleServer>,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl Call {
    /// YNAB.
    pub fn client(&self) -> &Client {
        &self.app.client
    }

    /// Today.
    pub fn today(&self) -> Date {
        self.app.clock.today()
    }

    /// The month that an argument names: `current` or `YYYY-MM-01`.
    pub fn month(&self, text: &str) -> Result<Month, Refusal> {
        match text {
            "current" => Ok(Month::of(self.today())),
            _ => Month::parse(text).ok_or_else(|| {
                refuse!("month: must be 'current' or the first day of a month, such as {}.", Month::of(self.today()))
            }),
        }
    }

    /// The plan's operations in the journal, oldest first. Old lines that name no real plan come last in `undo`'s trust:
    /// they are kept for every plan, and refused there unless the plan holds all they name.
    pub fn operations(&self, plan: &PlanId) -> Result<Vec<Operation>, Refusal> {
        let mut operations = self.app.journal.read()?.operations;
        operations.retain(|operation| operation.plan == *plan || operation.plan.as_str() == "last-used");
        Ok(operations)
    }

    /// The plan that an argument names, `last-used` made its real id; what an earlier call left open on it is settled.
    pub async fn plan_id(&self, text: &str) -> Result<PlanId, Refusal> {
        let plan = self.app.client.resolve(&self.scope, text).await?;
        settle::once(self, &plan).await;
        Ok(plan)
    }
}
