//! Owns an MCP client over the real binary's stdio, in either protocol generation, with a user who answers its
//! questions. Never interprets what a tool answers; every line that comes out must be JSON-RPC.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::ynab::{Server, TOKEN};

/// How long anything may take before the test gives up; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(90);

/// A generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize` with this version; questions come during the call.
    Legacy(&'static str),
    /// 2026-07-28: no greeting, `_meta` with each request; a question ends the call.
    Modern,
}

/// Both generations.
pub const ERAS: [Era; 2] = [Era::Legacy("2025-06-18"), Era::Modern];

/// How the user answers a question.
#[derive(Clone, Debug)]
pub enum User {
    /// The client cannot ask, and says so.
    Nobody,
    /// The client declares that it opens addresses only.
    OnlyUrl,
    /// With this result, whatever it is.
    Says(Value),
    /// The client answers with an error.
    Fails,
    /// Never.
    Silent,
}

impl User {
    /// Accepts, the box ticked or not.
    pub fn ticks(value: impl Into<Value>) -> Self {
        Self::Says(json!({ "action": "accept", "content": { "value": value.into() } }))
    }

    /// Accepts with the box ticked.
    pub fn yes() -> Self {
        Self::ticks(true)
    }

    /// Closes the form in that way.
    pub fn action(action: &str) -> Self {
        Self::Says(json!({ "action": action }))
    }
}

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct Setup {
    era: Era,
    user: User,
    /// The program and its arguments.
    pub words: Vec<String>,
    env: HashMap<String, String>,
    file_size_max: Option<u32>,
}

impl Setup {
    /// The server on that YNAB, with writes on and this journal; nobody can be asked, by the older protocol.
    pub fn on(ynab: &Server, journal: &Path) -> Self {
        let today = ynab.ynab().today().to_string();
        let mut setup = Self::bare();
        for (name, value) in [
            ("YNAB_API_KEY", TOKEN),
            ("AVENIR_MCP_YNAB_URL", ynab.url()),
            ("AVENIR_MCP_JOURNAL", &journal.display().to_string()),
            ("AVENIR_MCP_TODAY", &today),
            ("AVENIR_MCP_WRITE", "1"),
        ] {
            setup = setup.env(name, value);
        }
        setup
    }

    /// The server on its demo plan, read-only.
    pub fn demo() -> Self {
        let mut setup = Self::bare();
        setup.words.push("--demo".into());
        setup
    }

    /// The server with an empty environment.
    pub fn bare() -> Self {
        let words = vec![env!("CARGO_BIN_EXE_avenir-mcp").into()];
        Self { era: ERAS[0], user: User::Nobody, words, env: HashMap::new(), file_size_max: None }
    }

    /// In that generation.
    pub fn era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// With that user.
    pub fn user(mut self, user: User) -> Self {
        self.user = user;
        self
    }

    /// With that variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// With files that can grow to that many blocks (512 bytes, or 1 KiB), as on a full disk.
    pub fn within_file_size(mut self, blocks: u32) -> Self {
        self.file_size_max = Some(blocks);
        self
    }

    /// The command, its environment set and nothing else in it.
    pub fn command(&self) -> Command {
        let (program, arguments) = self.words.split_first().expect("a program");
        let mut command = match self.file_size_max {
            None => Command::new(program),
            Some(blocks) => {
                let mut shell = Command::new("/bin/bash");
                shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""), program]);
                shell
            }
        };
        command.args(arguments).env_clear().envs(&self.env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the process and says nothing to it.
    pub fn start(&self) -> Session {
        let mut child = self.command().spawn().expect("the binary starts");
        let (send, output) = channel();
        let out = BufReader::new(child.stdout.take().expect("its output"));
        thread::spawn(move || {
            for line in out.split(b'\n').map_while(Result::ok) {
                let read = serde_json::from_slice::<Value>(&line);
                let message = read.map_err(|_| String::from_utf8_lossy(&line).into_owned());
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut err = child.stderr.take().expect("its log");
        let log = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = err.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Session {
            input: child.stdin.take(),
            child,
            output,
            log: Some(log),
            era: self.era,
            user: self.user.clone(),
            next: 0,
            answers: HashMap::new(),
            hello: Value::Null,
            questions: Vec::new(),
            open_questions: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Starts the process and greets it.
    pub fn open(&self) -> Session {
        let mut session = self.start();
        if let Era::Legacy(version) = self.era {
            let client = json!({ "name": "it", "version": "0" });
            let params =
                json!({ "protocolVersion": version, "capabilities": session.capabilities(), "clientInfo": client });
            let hello = session.request("initialize", params);
            assert_eq!(hello["result"]["protocolVersion"], version, "{hello}");
            session.hello = hello;
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }
}

/// A running server and its client.
pub struct Session {
    /// The process.
    pub child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Result<Value, String>>,
    log: Option<JoinHandle<String>>,
    era: Era,
    user: User,
    next: i64,
    answers: HashMap<i64, Value>,
    /// What the server said of itself.
    pub hello: Value,
    /// The questions asked so far, each as its form's message.
    pub questions: Vec<String>,
    /// Questions that the user has not answered, by their request's id.
    pub open_questions: Vec<Value>,
    /// The notifications so far.
    pub notices: Vec<Value>,
}

impl Session {
    fn capabilities(&self) -> Value {
        match self.user {
            User::Nobody => json!({}),
            User::OnlyUrl => json!({ "elicitation": { "url": {} } }),
            _ if matches!(self.era, Era::Legacy(_)) => json!({ "elicitation": {} }),
            _ => json!({ "elicitation": { "form": {} } }),
        }
    }

    /// Changes how the user answers; whether the client can ask at all stays as it was greeted in the older protocol.
    pub fn user(&mut self, user: User) {
        self.user = user;
    }

    /// Sends a line of bytes as they are.
    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        let _ = input.write_all(line).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush());
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a request and returns its id.
    pub fn start(&mut self, method: &str, mut params: Value) -> i64 {
        self.next += 1;
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
                "io.modelcontextprotocol/clientInfo": { "name": "it", "version": "0" },
            });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Goes on until that is so, or until the request of that id is answered, whichever comes first; whether it is so.
    pub fn until(&mut self, id: i64, is_so: impl Fn() -> bool) -> bool {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if is_so() {
                return true;
            }
            if self.answers.contains_key(&id) {
                return is_so();
            }
            match self.output.recv_timeout(Duration::from_millis(1)) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Disconnected) => return is_so(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        panic!("neither an answer nor what is waited for")
    }

    /// The next message that comes out; `None` once there is no more.
    pub fn next_message(&mut self) -> Option<Value> {
        match self.output.recv_timeout(PATIENCE) {
            Ok(Ok(message)) => {
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                Some(message)
            }
            Ok(Err(line)) => panic!("a line of stdout is no JSON: {line:?}"),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing"),
        }
    }

    /// Takes in the next message: answers a question, keeps an answer. False once the server is gone.
    pub fn pump(&mut self) -> bool {
        let Some(message) = self.next_message() else { return false };
        self.take(Ok(message));
        true
    }

    fn take(&mut self, message: Result<Value, String>) {
        let message = message.unwrap_or_else(|line| panic!("a line of stdout is no JSON: {line:?}"));
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (Some("elicitation/create"), Some(id)) => {
                self.questions.push(message["params"]["message"].as_str().unwrap_or_default().to_owned());
                self.open_questions.push(id.clone());
                self.answer_question();
            }
            (Some(_), _) => self.notices.push(message),
            (None, _) => {
                let id = message["id"].as_i64().unwrap_or_default();
                assert!(self.answers.insert(id, message).is_none(), "request {id} is answered twice");
            }
        }
    }

    /// Answers the latest open question as the user does, unless they stay silent.
    pub fn answer_question(&mut self) {
        let answer = match &self.user {
            User::Silent => return,
            User::Says(result) => json!({ "result": result }),
            _ => json!({ "error": { "code": -32603, "message": "this client cannot show it" } }),
        };
        let Some(id) = self.open_questions.pop() else { return };
        let mut message = json!({ "jsonrpc": "2.0", "id": id });
        message
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(answer.as_object().cloned().unwrap_or_default()));
        self.send(&message);
    }

    /// Waits for a question that the user leaves open.
    pub fn wait_for_question(&mut self) {
        while self.open_questions.is_empty() {
            assert!(self.pump(), "the server ended before it asked");
        }
    }

    /// The answer to the request of that id.
    pub fn wait(&mut self, id: i64) -> Value {
        self.try_wait(id).unwrap_or_else(|| panic!("the server ended before it answered"))
    }

    /// The same, or nothing when the server ended first.
    pub fn try_wait(&mut self, id: i64) -> Option<Value> {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return Some(answer);
            }
            if !self.pump() {
                return self.answers.remove(&id);
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.wait(id)
    }

    /// Starts one round of a call of a tool; `answered` are the responses and the state of the round before.
    pub fn start_round(&mut self, tool: &str, arguments: &Value, answered: Option<(&Value, &str)>) -> i64 {
        let mut params = json!({ "name": tool, "arguments": arguments });
        if let Some((responses, state)) = answered {
            params["inputResponses"] = responses.clone();
            params["requestState"] = json!(state);
        }
        self.start("tools/call", params)
    }

    /// One round of a call.
    pub fn round(&mut self, tool: &str, arguments: &Value, answered: Option<(&Value, &str)>) -> Answer {
        let id = self.start_round(tool, arguments, answered);
        Answer(self.wait(id))
    }

    /// Calls a tool; the user answers what is asked, in as many rounds as it takes.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let mut answer = self.round(tool, &arguments, None);
        for _ in 0..3 {
            let Some(question) = answer.question() else { break };
            self.questions.push(question.to_owned());
            let User::Says(result) = self.user.clone() else { break };
            let state = answer.state().unwrap_or_default().to_owned();
            answer = self.round(tool, &arguments, Some((&json!({ "confirm": result }), &state)));
        }
        answer
    }

    /// Ends the input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Ends the input; the exit code, once the process is gone.
    pub fn end(&mut self) -> Option<i32> {
        self.close_input();
        self.exit_code()
    }

    /// The exit code, once the process is gone by itself.
    pub fn exit_code(&mut self) -> Option<i32> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child process") {
                return status.code();
            }
            assert!(Instant::now() < end, "the process does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends the process a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -{name}");
    }

    /// Kills the process at once and waits for its end.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What it wrote to stderr, once it is gone.
    pub fn log(&mut self) -> String {
        self.log.take().and_then(|log| log.join().ok()).unwrap_or_default()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The answer to a call of a tool, as it came.
#[derive(Clone, Debug)]
pub struct Answer(pub Value);

impl Answer {
    /// The structured answer; null where there is none.
    pub fn structured(&self) -> &Value {
        &self.0["result"]["structuredContent"]
    }

    /// The status of a write.
    pub fn status(&self) -> &str {
        self.structured()["status"].as_str().unwrap_or_else(|| if self.is_error() { "error" } else { "none" })
    }

    /// Every text of the answer, or the message of a protocol error.
    pub fn text(&self) -> String {
        if let Some(message) = self.0["error"]["message"].as_str() {
            return message.to_owned();
        }
        let blocks = self.0["result"]["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        texts.join("\n")
    }

    /// Whether the tool refused.
    pub fn is_refused(&self) -> bool {
        self.0["result"]["isError"] == true
    }

    /// The code of a protocol error.
    pub fn protocol_error(&self) -> Option<i64> {
        self.0["error"]["code"].as_i64()
    }

    /// Whether it is an error of either sort.
    pub fn is_error(&self) -> bool {
        self.is_refused() || self.protocol_error().is_some()
    }

    /// The question that the client is to bring back answered.
    pub fn question(&self) -> Option<&str> {
        self.0["result"]["inputRequests"]["confirm"]["params"]["message"].as_str()
    }

    /// The state that goes with it.
    pub fn state(&self) -> Option<&str> {
        self.0["result"]["requestState"].as_str()
    }

    /// The code of a preview.
    pub fn code(&self) -> &str {
        self.structured()["confirmation"].as_str().unwrap_or_default()
    }
}

/// The arguments with a code.
pub fn with_code(arguments: &Value, code: &str) -> Value {
    let mut arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    arguments.insert("confirmation".into(), json!(code));
    arguments.into()
}
