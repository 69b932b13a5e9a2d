//! Owns the tests of how a client is asked: a real one at the other end of a pipe. Never compiled outside of tests.

use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc;

use super::*;

/// A server whose calls never end: what they were called with is handed to the test.
struct Holding(mpsc::UnboundedSender<RequestContext<RoleServer>>);

impl ServerHandler for Holding {
    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.send(context).expect("the test waits");
        std::future::pending().await
    }
}

/// A client that has called a tool, and the gate's side of that call.
struct Calling {
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    context: RequestContext<RoleServer>,
}

impl Calling {
    /// A client of the generation that is greeted.
    async fn greeted(capabilities: Value) -> Self {
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": { "name": "a client", "version": "1" },
        });
        let greeting = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ];
        Self::new(&greeting, json!({})).await
    }

    /// A client of the generation that says with each call what it is.
    async fn ungreeted(capabilities: Value) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        Self::new(&[], meta).await
    }

    async fn new(greeting: &[Value], meta: Value) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (calls, mut called) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let serving = Holding(calls).serve(tokio::io::split(far)).await.expect("served");
            drop(serving.waiting().await);
        });
        let (read, mut out) = tokio::io::split(near);
        let mut lines = BufReader::new(read);
        let params = json!({ "name": "tool", "arguments": {}, "_meta": meta });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        for message in greeting.iter().chain([&call]) {
            write(&mut out, message).await;
            if message["id"] == 1 {
                read_line(&mut lines).await;
            }
        }
        let context = called.recv().await.expect("the call");
        Self { lines, out, context }
    }

    /// Asks as a tool would, while the client answers what it is asked with `answer`. `propose` is told how often it was
    /// called before.
    async fn asked(
        &mut self,
        gate: &Gate,
        answer: Value,
        propose: impl Fn(usize) -> Proposed<Plain>,
    ) -> Result<Asked<Plain>, GateError> {
        let Self { lines, out, context } = self;
        let asking = asking(context);
        let times = std::cell::Cell::new(0);
        let propose = || {
            let proposed = propose(times.replace(times.get() + 1));
            async { Ok(proposed) }
        };
        let client = async {
            let question = read_line(lines).await;
            assert_eq!(question["params"]["message"], "Budget?", "{question}");
            let mut reply = json!({ "jsonrpc": "2.0", "id": question["id"] });
            reply.as_object_mut().expect("an object").extend(answer.as_object().cloned().unwrap_or_default());
            write(out, &reply).await;
            std::future::pending().await
        };
        tokio::select! {
            asked = ask(gate, &asking, propose) => asked,
            () = client => unreachable!("a client waits"),
        }
    }
}

async fn write(out: &mut WriteHalf<DuplexStream>, message: &Value) {
    out.write_all(format!("{message}\n").as_bytes()).await.expect("sent");
}

async fn read_line(lines: &mut BufReader<ReadHalf<DuplexStream>>) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).await.expect("a line");
    serde_json::from_str(&line).expect("JSON")
}

fn asking(context: &RequestContext<RoleServer>) -> Asking<'_> {
    Asking { context, tool: "tool", arguments: &Value::Null, code: None, responses: None, state: None }
}

fn new_gate(require_elicitation: bool) -> Gate {
    Gate::new(|| Duration::from_secs(1), require_elicitation)
}

fn accepted(value: bool) -> Value {
    json!({ "result": { "action": "accept", "content": { "value": value } } })
}

fn closed() -> Value {
    json!({ "result": { "action": "cancel" } })
}

fn nothing() -> Proposed<Plain> {
    Proposed { answer: Plain(Outcome::nothing("It is so.")), proposal: None }
}

/// What the agent is told, where nothing is written.
fn settled(asked: Result<Asked<Plain>, GateError>) -> Outcome {
    match asked {
        Ok(Asked::Settled(answer)) => answer.0,
        other => panic!("{}", told(other)),
    }
}

#[tokio::test]
async fn a_client_is_asked_in_the_best_way_it_has() {
    let cases = [
        (json!({ "elicitation": {} }), Channel::InputRequired, Channel::Elicit),
        (json!({ "elicitation": { "form": {} } }), Channel::InputRequired, Channel::Elicit),
        (json!({ "elicitation": { "form": {}, "url": {} } }), Channel::InputRequired, Channel::Elicit),
        (json!({ "elicitation": { "url": {} } }), Channel::Code, Channel::Code),
        (json!({}), Channel::Code, Channel::Code),
    ];
    for (capabilities, ungreeted, greeted) in cases {
        assert_eq!(channel(&Calling::ungreeted(capabilities.clone()).await.context), ungreeted, "{capabilities}");
        assert_eq!(channel(&Calling::greeted(capabilities.clone()).await.context), greeted, "{capabilities}");
    }
}

#[tokio::test]
async fn asked_during_the_call_only_a_yes_to_an_unchanged_plan_writes() {
    let gate = new_gate(false);
    let mut calling = Calling::greeted(json!({ "elicitation": {} })).await;
    let yes = calling.asked(&gate, accepted(true), |_| proposed(1, 2)).await;
    let Ok(Asked::Yes(_, confirmed)) = yes else { panic!("{}", told(yes)) };
    assert_eq!((confirmed.proposal().fingerprint(), confirmed.ticket()), (proposal(1, 2).fingerprint(), None));
    assert_eq!(confirmed.into_proposal().steps, proposal(1, 2).steps);

    let no = settled(calling.asked(&gate, accepted(false), |_| proposed(1, 2)).await);
    assert_eq!((no.status, no.message.as_str()), (Status::Declined, "The user did not agree. Nothing was changed."));
    let another = json!({ "result": { "roots": [] } });
    assert_eq!(settled(calling.asked(&gate, another, |_| proposed(1, 2)).await).status, Status::Declined);

    let changed = calling.asked(&gate, accepted(true), |times| proposed(1 + times as i64, 2)).await;
    assert!(told(changed).starts_with(PLAN_CHANGED));
    let done = calling.asked(&gate, accepted(true), |times| if times == 0 { proposed(1, 2) } else { nothing() }).await;
    assert_eq!(settled(done).message, "It is so.");
}

#[tokio::test]
async fn who_cannot_be_asked_is_given_a_code_unless_the_users_own_answer_is_required() {
    for answer in [closed(), json!({ "error": { "code": -32601, "message": "No forms here." } })] {
        let gate = new_gate(false);
        let mut calling = Calling::greeted(json!({ "elicitation": {} })).await;
        let given = settled(calling.asked(&gate, answer.clone(), |_| proposed(1, 2)).await);
        assert_eq!(given.status, Status::ConfirmationRequired);
        assert!(given.message.ends_with("\nBudget?"), "{}", given.message);
        assert_eq!(told(by_code(&gate, &given.confirmation.expect("a code"), 1, 2).await), "yes");

        let strict = new_gate(true);
        let declined = settled(calling.asked(&strict, answer, |_| proposed(1, 2)).await);
        assert_eq!((declined.status, declined.confirmation), (Status::Declined, None));
    }
}

#[tokio::test]
async fn a_client_without_forms_confirms_by_code_or_not_at_all() {
    let calling = Calling::ungreeted(json!({})).await;
    let change = || async { Ok(proposed(1, 2)) };
    let gate = new_gate(false);
    let given = settled(ask(&gate, &asking(&calling.context), change).await);
    assert_eq!(given.status, Status::ConfirmationRequired);
    let with_code = Asking { code: given.confirmation.as_deref(), ..asking(&calling.context) };
    assert_eq!(told(ask(&gate, &with_code, change).await), "yes");

    let strict = new_gate(true);
    assert_eq!(told(ask(&strict, &asking(&calling.context), change).await), CANNOT_ASK);
    assert_eq!(told(ask(&strict, &with_code, change).await), CODES_OFF);
    for gate in [&gate, &strict] {
        let told = settled(ask(gate, &asking(&calling.context), || async { Ok(nothing()) }).await);
        assert_eq!(told.status, Status::NothingToDo);
    }
}

#[tokio::test]
async fn nothing_to_do_asks_nothing() {
    let gate = new_gate(false);
    for calling in [Calling::greeted(json!({ "elicitation": {} })).await, Calling::ungreeted(json!({})).await] {
        let told = settled(ask(&gate, &asking(&calling.context), || async { Ok(nothing()) }).await);
        assert_eq!(told.message, "It is so.");
    }
}

#[tokio::test]
async fn a_cancelled_call_takes_its_question_back() {
    let gate = new_gate(false);
    let Calling { mut lines, context, .. } = Calling::greeted(json!({ "elicitation": {} })).await;
    let asking = asking(&context);
    let cancel = async {
        let question = read_line(&mut lines).await;
        context.ct.cancel();
        (question, read_line(&mut lines).await)
    };
    let (asked, (question, notice)) = tokio::join!(ask(&gate, &asking, || async { Ok(proposed(1, 2)) }), cancel);
    assert_eq!(told(asked), "The call was cancelled while the user was asked. Nothing was changed.");
    assert_eq!(notice["method"], "notifications/cancelled");
    assert_eq!(notice["params"]["requestId"], question["id"]);
}

/// A question returned by a call, to be answered in the next one.
struct Returned {
    calling: Calling,
    gate: Gate,
    state: String,
}

impl Returned {
    async fn new(gate: Gate) -> Self {
        let calling = Calling::ungreeted(json!({ "elicitation": {} })).await;
        let asked = ask(&gate, &asking(&calling.context), || async { Ok(proposed(1, 2)) }).await;
        let Ok(Asked::Waiting(waiting)) = asked else { panic!("{}", told(asked)) };
        let question = serde_json::to_value(&waiting.input_requests).unwrap_or_default();
        assert_eq!(question["confirm"]["params"]["message"], "Budget?", "{question}");
        let value = &question["confirm"]["params"]["requestedSchema"]["properties"]["value"];
        assert_eq!((value["type"].as_str(), value["title"].as_str()), (Some("boolean"), Some("Confirm")));
        Self { calling, gate, state: waiting.request_state.expect("a state") }
    }

    /// Calls again with that answer, and what is proposed by now.
    async fn answered(&self, answer: Value, now: fn() -> Proposed<Plain>) -> Result<Asked<Plain>, GateError> {
        let responses = InputResponses::from([("confirm".to_owned(), answer)]);
        let asking = Asking { responses: Some(&responses), state: Some(&self.state), ..asking(&self.calling.context) };
        ask(&self.gate, &asking, || async { Ok(now()) }).await
    }
}

fn returned(answer: &Value) -> Value {
    answer["result"].clone()
}

#[tokio::test]
async fn asked_by_return_only_a_yes_to_an_unchanged_plan_writes_and_only_once() {
    let asked = Returned::new(new_gate(false)).await;
    let yes = asked.answered(returned(&accepted(true)), || proposed(1, 2)).await;
    let Ok(Asked::Yes(_, confirmed)) = yes else { panic!("{}", told(yes)) };
    asked.gate.remember(confirmed.ticket(), None, "It was applied.");
    let again = asked.answered(returned(&accepted(true)), || proposed(1, 2)).await;
    assert_eq!(told(again), format!("{CODE_REFUSED} It was applied."));

    let asked = Returned::new(new_gate(false)).await;
    let changed = asked.answered(returned(&accepted(true)), || proposed(9, 2)).await;
    assert!(told(changed).starts_with(PLAN_CHANGED));
    let asked = Returned::new(new_gate(false)).await;
    assert_eq!(settled(asked.answered(returned(&accepted(true)), nothing).await).message, "It is so.");
}

#[tokio::test]
async fn a_no_by_return_is_remembered() {
    for answer in [returned(&accepted(false)), json!({ "action": "decline" }), json!("yes")] {
        let asked = Returned::new(new_gate(false)).await;
        assert_eq!(settled(asked.answered(answer.clone(), || proposed(1, 2)).await).status, Status::Declined);
        let again = told(asked.answered(answer, || proposed(1, 2)).await);
        assert_eq!(again, format!("{CODE_REFUSED} The user did not agree to it, and nothing was changed."));
    }
    let asked = Returned::new(new_gate(false)).await;
    let none = settled(asked.answered(returned(&accepted(false)), nothing).await);
    assert_eq!(none.status, Status::NothingToDo, "a no to what is so already");
}

#[tokio::test]
async fn a_form_closed_without_an_answer_leaves_a_code_unless_the_users_own_answer_is_required() {
    let asked = Returned::new(new_gate(false)).await;
    let given = settled(asked.answered(returned(&closed()), || proposed(1, 2)).await);
    assert_eq!(told(by_code(&asked.gate, &given.confirmation.expect("a code"), 1, 2).await), "yes");
    let asked = Returned::new(new_gate(true)).await;
    let declined = settled(asked.answered(returned(&closed()), || proposed(1, 2)).await);
    assert_eq!((declined.status, declined.confirmation), (Status::Declined, None));
}

#[tokio::test]
async fn a_state_that_is_not_of_this_call_confirms_nothing() {
    let Returned { calling, gate, state } = Returned::new(new_gate(false)).await;
    let change = || async { Ok(proposed(1, 2)) };
    let same = Asking { state: Some(&state), ..asking(&calling.context) };
    assert!(matches!(ask(&gate, &same, change).await, Ok(Asked::Waiting(_))), "asked again without an answer");
    for other in [
        Asking { tool: "another", ..asking(&calling.context) },
        Asking { arguments: &json!({ "amount": 2 }), ..asking(&calling.context) },
    ] {
        assert_eq!(told(ask(&gate, &Asking { state: Some(&state), ..other }, change).await), CODE_REFUSED);
    }
}
