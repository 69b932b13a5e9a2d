//! Owns the gate: the only way from a proposal to a confirmed change. Never writes, reads YNAB or touches the disk.
//! It has no children but its tests: a child could forge its tokens.
//!
//! Whatever is unclear is a no. Only the boolean `true` in an accepted form is a yes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, ErrorData, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
    RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::Refusal;
use crate::ids::{OperationId, PlanId};
use crate::writes::{Answer, Kind, Outcome, Proposal, Proposed, Status, canonical};

/// How long a code or a state may be answered.
pub const ANSWER_TTL: Duration = Duration::from_secs(600);
/// How long a question asked during a call waits for the user.
pub const QUESTION_TTL: Duration = Duration::from_secs(600);
/// How many codes and states already answered are remembered for the sentence that says what became of them; those that
/// could still be answered always are.
const REMEMBERED_MAX: usize = 4096;

/// The page's sentence for a code or state that confirms nothing.
pub const CODE_REFUSED: &str = "This confirmation code is unknown, expired, already used, or was issued for different \
    changes. Call again without confirmation to get a new preview.";
/// The page's sentence for a plan that changed meanwhile.
pub const PLAN_CHANGED: &str = "The plan changed between the preview and the answer";
/// What became of a change whose yes was refused.
pub const REFUSED_THEN: &str = "It was refused then, and nothing was changed.";
const CODES_OFF: &str = "Confirmation codes are switched off here (AVENIR_MCP_REQUIRE_ELICITATION=1): only the user's \
    own answer in the client counts. Nothing was changed. Call again without confirmation.";
const CANNOT_ASK: &str = "This client cannot ask the user, and AVENIR_MCP_REQUIRE_ELICITATION=1 allows changes only on \
    the user's own answer. Nothing was changed.";

/// A change that the user said yes to, or one of the two that need no question. Only this file makes one.
pub struct Confirmed {
    proposal: Proposal,
    ticket: Option<String>,
}

impl Confirmed {
    /// The change.
    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// What the yes was given with, to remember what became of it.
    pub fn ticket(&self) -> Option<&str> {
        self.ticket.as_deref()
    }

    /// The change, to be recorded.
    pub fn into_proposal(self) -> Proposal {
        self.proposal
    }
}

/// The two tools that write without a question, and no others: approving and asking the bank for what is new.
pub fn without_question(proposal: Proposal) -> Result<Confirmed, Refusal> {
    match proposal.kind {
        Kind::Approve | Kind::Import => Ok(Confirmed { proposal, ticket: None }),
        _ => Err(Refusal::new("This change needs the user's yes. Nothing was changed.")),
    }
}

/// What the user's client can be asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    /// The call returns a question and is made again with the answer (2026-07-28).
    InputRequired,
    /// The question is asked during the call (earlier protocols).
    Elicit,
    /// The client cannot ask: a code.
    Code,
}

/// What the gate needs to know of the call.
pub struct Asking<'a> {
    /// The request.
    pub context: &'a RequestContext<RoleServer>,
    /// The tool's name.
    pub tool: &'static str,
    /// The arguments, without `confirmation`.
    pub arguments: &'a Value,
    /// The code passed as `confirmation`.
    pub code: Option<&'a str>,
    /// The answers to the questions of the previous round.
    pub responses: Option<&'a InputResponses>,
    /// The state of the previous round.
    pub state: Option<&'a str>,
}

/// Where a write stands after the gate.
#[expect(clippy::large_enum_variant, reason = "made once a write; a box would only move the answer about")]
pub enum Asked<A> {
    /// The call is over: nothing to do, declined, or a code given out.
    Settled(A),
    /// The client is asked to come back with the user's answer.
    Waiting(Box<InputRequiredResult>),
    /// The user said yes to this.
    Yes(A, Confirmed),
}

/// Why the gate gives no answer.
#[derive(Debug)]
pub enum GateError {
    /// The tool's own refusal, or the gate's.
    Refused(Refusal),
    /// A state that confirms nothing: a protocol error.
    State(ErrorData),
}

impl From<Refusal> for GateError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A code given out, and what it confirms.
struct Issued {
    code: String,
    bound: Bound,
    expires: Duration,
}

/// What an answer confirms: one change, seen with these values before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Bound {
    tool: String,
    plan: PlanId,
    fingerprint: String,
    basis: String,
}

impl Bound {
    fn of(tool: &str, proposal: &Proposal) -> Self {
        Self {
            tool: tool.to_owned(),
            plan: proposal.plan.clone(),
            fingerprint: proposal.fingerprint(),
            basis: proposal.basis(),
        }
    }
}

/// What the sealed state carries; readable by the client, not forgeable.
#[derive(Serialize, Deserialize)]
struct State {
    nonce: String,
    /// When it was given out, in seconds of the clock that never goes back.
    asked: u64,
    #[serde(flatten)]
    bound: Bound,
}

/// The memory of the gate; it ends with the process.
pub struct Gate {
    codec: RequestStateCodec,
    now: fn() -> Duration,
    require_elicitation: bool,
    issued: Mutex<Vec<Issued>>,
    spent: Mutex<Spent>,
}

/// Codes and states already answered, each with what became of its change.
#[derive(Default)]
struct Spent {
    became: HashMap<String, Became>,
    /// Oldest first, with when each was answered.
    order: VecDeque<(Duration, String)>,
}

/// What became of the change that a ticket confirmed, as far as it is known.
#[derive(Default)]
struct Became {
    operation: Option<OperationId>,
    words: Option<String>,
}

impl Gate {
    /// A gate with a key of its own and a clock that never goes back. With `require_elicitation` only the user's own
    /// answer counts.
    #[expect(clippy::expect_used, reason = "a key of 32 bytes is as long as the codec asks for")]
    pub fn new(now: fn() -> Duration, require_elicitation: bool) -> Self {
        let mut key = [0_u8; 32];
        rand::rng().fill(&mut key[..]);
        Self {
            codec: RequestStateCodec::try_new(key.to_vec()).expect("a key of 32 bytes"),
            now,
            require_elicitation,
            issued: Mutex::default(),
            spent: Mutex::default(),
        }
    }

    /// Notes what became of the change that a code or state confirmed, for whoever sends it again.
    pub fn remember(&self, ticket: Option<&str>, operation: Option<&OperationId>, became: impl Into<String>) {
        let mut spent = held(&self.spent);
        if let Some(known) = ticket.and_then(|ticket| spent.became.get_mut(ticket)) {
            *known = Became { operation: operation.cloned(), words: Some(became.into()) };
        }
    }

    /// Notes what was found out later about an operation.
    pub fn learn(&self, operation: &OperationId, became: &str) {
        let mut spent = held(&self.spent);
        for known in spent.became.values_mut().filter(|known| known.operation.as_ref() == Some(operation)) {
            known.words = Some(became.to_owned());
        }
    }

    /// Marks a ticket as answered. False when it was already.
    fn spend(&self, ticket: &str) -> bool {
        let now = (self.now)();
        let mut spent = held(&self.spent);
        if spent.became.contains_key(ticket) {
            return false;
        }
        while spent.order.len() >= REMEMBERED_MAX
            && spent.order.front().is_some_and(|(at, _)| now.saturating_sub(*at) > ANSWER_TTL)
        {
            let oldest = spent.order.pop_front();
            oldest.map(|(_, ticket)| spent.became.remove(&ticket));
        }
        spent.became.insert(ticket.to_owned(), Became::default());
        spent.order.push_back((now, ticket.to_owned()));
        true
    }

    /// The page's sentence, then what became of the change when the ticket was spent here.
    fn refused(&self, ticket: &str) -> String {
        match held(&self.spent).became.get(ticket) {
            Some(Became { words: Some(words), .. }) => format!("{CODE_REFUSED} {words}"),
            _ => CODE_REFUSED.to_owned(),
        }
    }

    /// A new code for that change: 11 URL-safe characters.
    fn issue(&self, bound: Bound) -> String {
        let code = random_text::<8>();
        let now = (self.now)();
        let mut issued = held(&self.issued);
        issued.retain(|known| known.expires > now);
        issued.push(Issued { code: code.clone(), bound, expires: now + ANSWER_TTL });
        code
    }

    /// Takes a code out of the memory: whatever comes of it, it cannot be used again.
    fn take(&self, code: &str) -> Option<Bound> {
        let now = (self.now)();
        let mut issued = held(&self.issued);
        // Every code is compared, each in constant time, so that time tells nothing.
        let mut found = None;
        for (place, known) in issued.iter().enumerate() {
            if equal(known.code.as_bytes(), code.as_bytes()) {
                found = Some(place);
            }
        }
        let taken = issued.swap_remove(found?);
        drop(issued);
        self.spend(&ticket_of(code));
        (taken.expires > now).then_some(taken.bound)
    }

    fn seal(&self, bind: &[u8], bound: Bound) -> Result<String, GateError> {
        let state = State { nonce: random_text::<16>(), asked: (self.now)().as_secs(), bound };
        let options = SealOptions::new().associated_data(bind).ttl(ANSWER_TTL);
        self.codec.seal_json_with(&state, &options).map_err(|_| Refusal::new("The question could not be made.").into())
    }

    fn open(&self, bind: &[u8], state: &str) -> Result<State, GateError> {
        let refused = || GateError::State(ErrorData::invalid_params(self.refused(&ticket_of(state)), None));
        let opened = self.codec.open_json_with::<State>(state, bind).map_err(|error| {
            tracing::debug!(%error, "a request state was refused");
            refused()
        })?;
        // The codec counts on the clock of the machine, which someone may set back.
        let lives = Duration::from_secs(opened.asked) + ANSWER_TTL > (self.now)();
        if lives { Ok(opened) } else { Err(refused()) }
    }
}

/// Asks the user about what `propose` proposes, in the way their client can. `propose` reads the plan afresh each
/// time it is called: an answer given during the call is checked against what it proposes then.
pub async fn ask<A: Answer, F: Future<Output = Result<Proposed<A>, Refusal>>>(
    gate: &Gate,
    asking: &Asking<'_>,
    propose: impl Fn() -> F,
) -> Result<Asked<A>, GateError> {
    if let Some(code) = asking.code {
        return confirm_by_code(gate, asking.tool, code, &propose).await;
    }
    match channel(asking.context) {
        Channel::InputRequired => ask_by_return(gate, asking, &propose).await,
        Channel::Elicit => ask_during_call(gate, asking, &propose).await,
        Channel::Code if gate.require_elicitation => {
            let proposed = propose().await?;
            match proposed.proposal {
                None => Ok(Asked::Settled(proposed.answer)),
                Some(_) => Err(Refusal::new(CANNOT_ASK).into()),
            }
        }
        Channel::Code => give_code(gate, asking.tool, propose().await?),
    }
}

async fn confirm_by_code<A: Answer, F: Future<Output = Result<Proposed<A>, Refusal>>>(
    gate: &Gate,
    tool: &str,
    code: &str,
    propose: &impl Fn() -> F,
) -> Result<Asked<A>, GateError> {
    if gate.require_elicitation {
        return Err(Refusal::new(CODES_OFF).into());
    }
    let ticket = ticket_of(code);
    let taken = gate.take(code);
    let not_made = |_: &Refusal| gate.remember(Some(&ticket), None, REFUSED_THEN);
    let proposed = propose().await;
    let Some(bound) = taken else {
        let mut proposed = proposed?;
        let refused = gate.refused(&ticket);
        // A call that comes back after it was applied finds nothing left to do: that is its answer, and what became of it.
        if proposed.proposal.is_none() {
            let outcome = proposed.answer.outcome();
            outcome.message = format!("{} {refused}", outcome.message);
            return Ok(Asked::Settled(proposed.answer));
        }
        return Err(Refusal::new(refused).into());
    };
    match proposed.and_then(|proposed| checked(tool, &bound, proposed)).inspect_err(not_made)? {
        (answer, None) => Ok(Asked::Settled(answer)),
        (answer, Some(proposal)) => Ok(Asked::Yes(answer, Confirmed { proposal, ticket: Some(ticket) })),
    }
}

/// What was proposed, if it is the very change that was shown.
fn checked<A>(tool: &str, bound: &Bound, proposed: Proposed<A>) -> Result<(A, Option<Proposal>), Refusal> {
    let Some(proposal) = proposed.proposal else { return Ok((proposed.answer, None)) };
    let now = Bound::of(tool, &proposal);
    let same = |a: &str, b: &str| equal(a.as_bytes(), b.as_bytes());
    if now.tool != bound.tool || now.plan != bound.plan || !same(&now.fingerprint, &bound.fingerprint) {
        return Err(Refusal::new(CODE_REFUSED));
    }
    if !same(&now.basis, &bound.basis) {
        return Err(plan_changed());
    }
    Ok((proposed.answer, Some(proposal)))
}

/// The same for an answer to the very arguments that were asked about: another change can only mean another plan.
fn unchanged<A>(tool: &str, bound: &Bound, proposed: Proposed<A>) -> Result<(A, Option<Proposal>), Refusal> {
    checked(tool, bound, proposed).map_err(|_| plan_changed())
}

/// The refusal of a yes to what is no longer so.
pub fn plan_changed() -> Refusal {
    Refusal::new(format!("{PLAN_CHANGED}: nothing was written. Call again without confirmation to get a new preview."))
}

fn give_code<A: Answer>(gate: &Gate, tool: &str, proposed: Proposed<A>) -> Result<Asked<A>, GateError> {
    let Proposed { mut answer, proposal } = proposed;
    if let Some(proposal) = proposal {
        let code = gate.issue(Bound::of(tool, &proposal));
        *answer.outcome() = Outcome {
            status: Status::ConfirmationRequired,
            message: format!(
                "Nothing is changed yet. Show the user this question; only if they agree, call again with the same \
                 arguments and this confirmation code.\n{}",
                proposal.question
            ),
            confirmation: Some(code),
            operation_id: None,
        };
    }
    Ok(Asked::Settled(answer))
}

fn declined<A: Answer>(mut answer: A) -> Asked<A> {
    *answer.outcome() = Outcome {
        status: Status::Declined,
        message: "The user did not agree. Nothing was changed.".into(),
        confirmation: None,
        operation_id: None,
    };
    Asked::Settled(answer)
}

/// What an answered form says.
enum Said {
    Yes,
    No,
    /// Closed without an answer, or shown by no one.
    Closed,
}

fn said(answer: &ElicitResult) -> Said {
    match answer.action {
        ElicitationAction::Accept => {
            let ticked = answer.content.as_ref().and_then(|content| content.get("value"));
            if matches!(ticked, Some(Value::Bool(true))) { Said::Yes } else { Said::No }
        }
        ElicitationAction::Cancel => Said::Closed,
        _ => Said::No,
    }
}

fn form(question: &str) -> Result<ElicitRequestParams, GateError> {
    let schema = ElicitationSchema::builder()
        .required_bool_with("value", |value| value.title("Confirm").description("Yes, do it"))
        .build()
        .map_err(|_| Refusal::new("The question could not be made."))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: schema,
    })
}

/// 2026-07-28: the call ends with the question, and comes back with the answer.
async fn ask_by_return<A: Answer, F: Future<Output = Result<Proposed<A>, Refusal>>>(
    gate: &Gate,
    asking: &Asking<'_>,
    propose: &impl Fn() -> F,
) -> Result<Asked<A>, GateError> {
    let bind = bind(asking);
    let response = asking.responses.and_then(|responses| responses.get("confirm"));
    if let (Some(state), Some(response)) = (asking.state, response) {
        let opened = gate.open(&bind, state)?;
        let ticket = ticket_of(state);
        if !gate.spend(&ticket) {
            return Err(GateError::State(ErrorData::invalid_params(gate.refused(&ticket), None)));
        }
        let answer = ElicitResult::deserialize(response).ok();
        let not_made = |_: &Refusal| gate.remember(Some(&ticket), None, REFUSED_THEN);
        let proposed = propose().await.inspect_err(not_made)?;
        return match answer.as_ref().map_or(Said::No, said) {
            Said::Yes => match unchanged(asking.tool, &opened.bound, proposed).inspect_err(not_made)? {
                (answer, None) => Ok(Asked::Settled(answer)),
                (answer, Some(proposal)) => Ok(Asked::Yes(answer, Confirmed { proposal, ticket: Some(ticket) })),
            },
            _ if proposed.proposal.is_none() => Ok(Asked::Settled(proposed.answer)),
            Said::Closed if !gate.require_elicitation => give_code(gate, asking.tool, proposed),
            Said::No | Said::Closed => {
                gate.remember(Some(&ticket), None, "The user did not agree to it, and nothing was changed.");
                Ok(declined(proposed.answer))
            }
        };
    }
    if let Some(state) = asking.state {
        // The state came back without an answer: it must at least be ours before the question is asked again.
        gate.open(&bind, state)?;
    }
    let Proposed { answer, proposal } = propose().await?;
    let Some(proposal) = proposal else { return Ok(Asked::Settled(answer)) };
    let state = gate.seal(&bind, Bound::of(asking.tool, &proposal))?;
    let request = InputRequest::Elicitation(ElicitRequest::new(form(&proposal.question)?));
    let requests = BTreeMap::from([("confirm".to_owned(), request)]);
    Ok(Asked::Waiting(Box::new(InputRequiredResult::new(Some(requests), Some(state)))))
}

/// Earlier protocols: the question is asked while the call waits, and the plan is read again after a yes.
async fn ask_during_call<A: Answer, F: Future<Output = Result<Proposed<A>, Refusal>>>(
    gate: &Gate,
    asking: &Asking<'_>,
    propose: &impl Fn() -> F,
) -> Result<Asked<A>, GateError> {
    let proposed = propose().await?;
    let Some(proposal) = &proposed.proposal else { return Ok(Asked::Settled(proposed.answer)) };
    let bound = Bound::of(asking.tool, proposal);
    match elicit(asking.context, form(&proposal.question)?).await? {
        Said::Yes => match unchanged(asking.tool, &bound, propose().await?)? {
            (answer, None) => Ok(Asked::Settled(answer)),
            (answer, Some(proposal)) => Ok(Asked::Yes(answer, Confirmed { proposal, ticket: None })),
        },
        Said::Closed if !gate.require_elicitation => give_code(gate, asking.tool, proposed),
        Said::No | Said::Closed => Ok(declined(proposed.answer)),
    }
}

/// Sends the form and waits for the user, the end of the call, or the time-out. An answer that cannot be read is a no.
async fn elicit(context: &RequestContext<RoleServer>, form: ElicitRequestParams) -> Result<Said, GateError> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let Ok(handle) = context.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await else {
        return Ok(Said::Closed);
    };
    let (id, peer) = (handle.id.clone(), context.peer.clone());
    let withdraw = move |why: &str| {
        let notice = CancelledNotificationParam::new(Some(id), Some(why.to_owned()));
        // Spawned: while the connection ends nobody serves it, and it must not hold the answer up.
        tokio::spawn(async move { drop(peer.notify_cancelled(notice).await) });
    };
    tokio::select! {
        biased;
        () = context.ct.cancelled() => {
            withdraw("the call was cancelled");
            Err(Refusal::new("The call was cancelled while the user was asked. Nothing was changed.").into())
        }
        response = handle.await_response() => Ok(match response {
            Ok(ClientResult::ElicitResult(answer)) => said(&answer),
            Ok(_) => Said::No,
            // A client that declares forms but cannot show one says so with an error.
            Err(_) => Said::Closed,
        }),
        () = tokio::time::sleep(QUESTION_TTL) => {
            withdraw("no answer");
            Err(Refusal::new("The user did not answer within ten minutes. Nothing was changed.").into())
        }
    }
}

fn channel(context: &RequestContext<RoleServer>) -> Channel {
    let modern = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let form = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
    match (form, modern) {
        (true, true) => Channel::InputRequired,
        (true, false) => Channel::Elicit,
        (false, _) => Channel::Code,
    }
}

/// What a state is bound to beside its content: this tool with these arguments.
fn bind(asking: &Asking<'_>) -> Vec<u8> {
    let text = canonical(&serde_json::json!([asking.tool, asking.arguments]));
    Sha256::digest(text.as_bytes()).to_vec()
}

/// What a code or a state is remembered by: its digest, so that no usable one lies in memory.
fn ticket_of(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

/// A new id for an operation: 22 URL-safe characters.
pub fn new_operation_id() -> String {
    loop {
        // An id that begins with a dash would look like an option on a command line.
        let id = random_text::<16>();
        if crate::ids::is_segment(&id) {
            return id;
        }
    }
}

fn random_text<const BYTES: usize>() -> String {
    let mut bytes = [0_u8; BYTES];
    rand::rng().fill(&mut bytes[..]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Equality that takes as long whatever differs, for texts of one length.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0_u8, |seen, (x, y)| seen | (x ^ y)) == 0
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
