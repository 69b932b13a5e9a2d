//! Owns a YNAB over HTTP on loopback: the in-memory one, with faults injected and every request logged.
//! Never holds a rule of YNAB itself, its token aside.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use avenir_mcp::demo::{Request, Ynab};

/// The one token that is let in.
pub const TOKEN: &str = "the-users-token";

/// How long a connection may say nothing.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// How long a head may be.
const HEAD_MAX: usize = 64 * 1024;

/// What goes wrong with a request.
#[derive(Clone, Debug)]
pub enum Action {
    /// Not carried out; answered with that status, and `Retry-After` in seconds.
    Status(u16, Option<u64>),
    /// Not carried out; answered with that status and these bytes.
    StatusBody(u16, Vec<u8>),
    /// Carried out, then answered with that status.
    StatusAfter(u16),
    /// Not carried out; the connection is reset.
    ResetBefore,
    /// Carried out, then the connection is reset.
    ResetAfter,
    /// Carried out, answered after that time.
    Delay(Duration),
    /// Carried out, answered with the first half of the body as if it were all of it.
    Truncate,
    /// Carried out, then the connection closes half-way through the body.
    CloseMidBody,
    /// Not carried out; answered 200 with these bytes.
    RawBody(Vec<u8>),
    /// Not carried out; answered 307 with that place.
    RedirectTo(String),
    /// Carried out, answered with that header besides.
    Header(&'static str, String),
    /// Carried out, answered byte by byte with that pause between.
    SlowDrip(Duration),
    /// Not carried out before the server is told to go on; nothing happens while it holds.
    HoldBefore,
    /// Carried out, answered only once the server is told to go on.
    HoldAfter,
}

/// An action, and the requests it happens to.
#[derive(Clone, Debug)]
pub struct Fault {
    method: Option<String>,
    path: Option<String>,
    writes_only: bool,
    skip: usize,
    times: usize,
    action: Action,
}

impl Fault {
    /// The action, once, at the next request.
    pub fn new(action: Action) -> Self {
        Self { method: None, path: None, writes_only: false, skip: 0, times: 1, action }
    }

    /// Only at requests of that method.
    pub fn method(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Only at requests that change something.
    pub fn writes(mut self) -> Self {
        self.writes_only = true;
        self
    }

    /// Only at requests whose path and query hold that text.
    pub fn path(mut self, text: &str) -> Self {
        self.path = Some(text.to_owned());
        self
    }

    /// Only after that many requests it would have happened to.
    pub fn after(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// That many times.
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Whether it happens to this request, and counts it.
    fn happens(&mut self, request: &Logged) -> bool {
        let meant = self.method.as_ref().is_none_or(|method| *method == request.method)
            && self.path.as_ref().is_none_or(|text| request.path.contains(text))
            && !(self.writes_only && request.method == "GET");
        if !meant || self.times == 0 {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.times -= 1;
        true
    }
}

/// A request that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Its method.
    pub method: String,
    /// Its path after `/v1`, with its query.
    pub path: String,
    /// Its body.
    pub body: Vec<u8>,
    /// The bearer token it carried.
    pub token: Option<String>,
    /// The connection it arrived on, counted from 1.
    pub connection: usize,
    /// The status YNAB gave it; `None` where a fault kept it from YNAB.
    pub status: Option<u16>,
    /// How long YNAB took until the last byte of a whole answer was handed over.
    pub took: Duration,
    /// How many bytes YNAB answered.
    pub answered: usize,
}

impl Logged {
    /// Its body as JSON; null where it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

struct Shared {
    ynab: Mutex<Ynab>,
    log: Mutex<Vec<Logged>>,
    faults: Mutex<Vec<Fault>>,
    /// How many requests are held now, and whether they may go on.
    held: AtomicUsize,
    going: AtomicBool,
    /// After how many changing requests no reading one is answered any more.
    unread_after: AtomicUsize,
    stopped: AtomicBool,
}

/// A running server; it stops when dropped.
pub struct Server {
    url: String,
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Serves that YNAB on a free port.
    #[expect(clippy::expect_used, reason = "a test without a port cannot go on")]
    pub fn start(ynab: Ynab) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            ynab: Mutex::new(ynab),
            log: Mutex::default(),
            faults: Mutex::default(),
            held: AtomicUsize::new(0),
            going: AtomicBool::new(false),
            unread_after: AtomicUsize::new(usize::MAX),
            stopped: AtomicBool::new(false),
        });
        let serving = shared.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                if serving.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), shared) = (stream, serving.clone()) else { continue };
                thread::spawn(move || serve(stream, number + 1, &shared));
            }
        });
        Self { url: format!("http://{address}/v1"), address, shared }
    }

    /// Where it answers, for `AVENIR_MCP_YNAB_URL`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far, in the order they were answered.
    pub fn log(&self) -> Vec<Logged> {
        lock(&self.shared.log).clone()
    }

    /// The writes so far: every request but a GET.
    pub fn writes(&self) -> Vec<Logged> {
        self.log().into_iter().filter(|request| request.method != "GET").collect()
    }

    /// Makes something go wrong. Of several faults that are due, the first given happens.
    pub fn fault(&self, fault: Fault) {
        lock(&self.shared.faults).push(fault);
    }

    /// Whether a request is held now.
    pub fn is_holding(&self) -> bool {
        self.shared.held.load(Ordering::SeqCst) > 0
    }

    /// Once that many changing requests have arrived, no reading one is answered.
    pub fn unreadable_after_writes(&self, writes: usize) {
        let so_far = self.writes().len();
        self.shared.unread_after.store(so_far + writes, Ordering::SeqCst);
    }

    /// Nothing goes wrong any more, as far as it has not yet.
    pub fn mend(&self) {
        lock(&self.shared.faults).clear();
        self.shared.unread_after.store(usize::MAX, Ordering::SeqCst);
    }

    /// Lets go on what is held now.
    pub fn go_on(&self) {
        self.shared.going.store(true, Ordering::SeqCst);
        while self.shared.held.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        self.shared.going.store(false, Ordering::SeqCst);
    }

    /// YNAB itself: another client's requests go straight to its `handle`.
    pub fn ynab(&self) -> MutexGuard<'_, Ynab> {
        lock(&self.shared.ynab)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // A last connection wakes the listener, which then sees that it is stopped.
        drop(TcpStream::connect(self.address));
    }
}

/// A test that fails elsewhere must not fail again here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is sent back.
struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    fn new(status: u16, body: Vec<u8>) -> Self {
        Self { status, headers: String::new(), body }
    }

    fn error(status: u16, name: &str, detail: &str) -> Self {
        let error = serde_json::json!({ "id": status.to_string(), "name": name, "detail": detail });
        Self::new(status, serde_json::json!({ "error": error }).to_string().into_bytes())
    }

    fn header(mut self, line: &str) -> Self {
        self.headers.push_str(line);
        self.headers.push_str("\r\n");
        self
    }

    /// The head of an answer whose body is said to be that long.
    fn head(&self, length: usize) -> Vec<u8> {
        let Self { status, headers, .. } = self;
        let head = format!(
            "HTTP/1.1 {status} \r\nContent-Type: application/json; charset=utf-8\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        head.into_bytes()
    }

    fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(&[&self.head(self.body.len())[..], &self.body].concat())
    }
}

/// Answers a connection's requests until it closes.
fn serve(mut stream: TcpStream, connection: usize, shared: &Shared) {
    let prepared = stream.set_read_timeout(Some(SILENCE_MAX)).and_then(|()| stream.set_nodelay(true));
    if prepared.is_err() {
        return;
    }
    while let Ok(Some((request, keep_alive))) = read_request(&mut stream, connection) {
        let open = answer(&mut stream, request, shared).unwrap_or(false);
        if !open || !keep_alive || shared.stopped.load(Ordering::SeqCst) {
            break;
        }
    }
}

/// Answers a request; whether the connection stays open.
fn answer(stream: &mut TcpStream, mut request: Logged, shared: &Shared) -> io::Result<bool> {
    let action = {
        let mut faults = lock(&shared.faults);
        let action = faults.iter_mut().find_map(|fault| fault.happens(&request).then(|| fault.action.clone()));
        faults.retain(|fault| fault.times > 0);
        let writes = lock(&shared.log).iter().filter(|request| request.method != "GET").count();
        let unread = request.method == "GET" && writes >= shared.unread_after.load(Ordering::SeqCst);
        action.or_else(|| unread.then_some(Action::Status(500, None)))
    };
    let withheld = match &action {
        Some(Action::Status(status, wait)) => {
            let answer = Answer::error(*status, "injected", "injected by the test");
            Some(wait.map_or(Answer::new(*status, answer.body.clone()), |wait| {
                Answer::new(*status, answer.body).header(&format!("Retry-After: {wait}"))
            }))
        }
        Some(Action::StatusBody(status, body)) => Some(Answer::new(*status, body.clone())),
        Some(Action::RawBody(body)) => Some(Answer::new(200, body.clone())),
        Some(Action::RedirectTo(place)) => Some(Answer::new(307, Vec::new()).header(&format!("Location: {place}"))),
        Some(Action::ResetBefore) => {
            lock(&shared.log).push(request);
            return Ok(false);
        }
        _ => None,
    };
    if let Some(answer) = withheld {
        lock(&shared.log).push(request);
        read_last_byte(stream)?;
        return answer.send(stream).map(|()| true);
    }
    if matches!(action, Some(Action::HoldBefore)) {
        read_last_byte(stream)?;
        if !hold(stream, shared, || lock(&shared.log).push(request.clone())) {
            return Ok(false);
        }
    }
    let began = Instant::now();
    let given = carry_out(&request, shared);
    (request.status, request.took, request.answered) = (Some(given.status), began.elapsed(), given.body.len());
    let place = {
        let mut log = lock(&shared.log);
        log.push(request);
        log.len() - 1
    };
    if matches!(action, Some(Action::ResetAfter)) {
        return Ok(false);
    }
    if !matches!(action, Some(Action::HoldBefore)) {
        read_last_byte(stream)?;
    }
    if matches!(action, Some(Action::HoldAfter)) && !hold(stream, shared, || ()) {
        return Ok(false);
    }
    match action {
        Some(Action::StatusAfter(status)) => Answer::error(status, "injected", "injected by the test").send(stream)?,
        Some(Action::Delay(wait)) => {
            thread::sleep(wait);
            given.send(stream)?;
        }
        Some(Action::Header(name, value)) => given.header(&format!("{name}: {value}")).send(stream)?,
        Some(Action::Truncate) => {
            let half = given.body.len() / 2;
            Answer { body: given.body[..half].to_vec(), ..given }.send(stream)?;
        }
        Some(Action::CloseMidBody) => {
            stream.write_all(&given.head(given.body.len()))?;
            stream.write_all(&given.body[..given.body.len() / 2])?;
            stream.shutdown(Shutdown::Both)?;
            return Ok(false);
        }
        Some(Action::SlowDrip(pause)) => {
            stream.write_all(&given.head(given.body.len()))?;
            for byte in &given.body {
                thread::sleep(pause);
                stream.write_all(&[*byte])?;
            }
        }
        _ => given.send(stream)?,
    }
    if let Some(request) = lock(&shared.log).get_mut(place) {
        request.took = began.elapsed();
    }
    Ok(true)
}

/// What YNAB answers, for whoever holds the token.
fn carry_out(request: &Logged, shared: &Shared) -> Answer {
    if request.token.as_deref() != Some(TOKEN) {
        return Answer::error(401, "unauthorized", "Unauthorized");
    }
    let given =
        lock(&shared.ynab).handle(Request { method: &request.method, path: &request.path, body: &request.body });
    Answer::new(given.status, given.body)
}

/// Holds a request; whether it may go on: not when its sender is gone, which is then noted.
fn hold(stream: &TcpStream, shared: &Shared, gone_for_good: impl FnOnce()) -> bool {
    shared.held.fetch_add(1, Ordering::SeqCst);
    let _ = stream.set_nonblocking(true);
    let is_gone = || match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    };
    let (mut gone, mut going) = (false, false);
    while !gone && !going && !shared.stopped.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(1));
        (gone, going) = (is_gone(), shared.going.load(Ordering::SeqCst));
    }
    let _ = stream.set_nonblocking(false);
    if gone || !going {
        gone_for_good();
    }
    shared.held.fetch_sub(1, Ordering::SeqCst);
    going && !gone
}

/// Reads a request, its very last byte only looked at: a connection closed with a byte unread is reset.
fn read_request(stream: &mut TcpStream, connection: usize) -> io::Result<Option<(Logged, bool)>> {
    let mut seen = vec![0; HEAD_MAX];
    loop {
        let count = stream.peek(&mut seen)?;
        if count == 0 {
            return Ok(None);
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        let parsed = head.parse(&seen[..count]).map_err(io::Error::other)?;
        let httparse::Status::Complete(head_length) = parsed else {
            if count == HEAD_MAX {
                return Err(io::Error::other("the head is too long"));
            }
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        let value = |name: &str| {
            let header = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            header.and_then(|header| std::str::from_utf8(header.value).ok())
        };
        let length: usize = value("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let token = value("authorization").and_then(|text| text.strip_prefix("Bearer "));
        let path = head.path.unwrap_or_default();
        let mut request = Logged {
            method: head.method.unwrap_or_default().to_owned(),
            path: path.strip_prefix("/v1").unwrap_or(path).to_owned(),
            body: Vec::new(),
            token: token.map(str::to_owned),
            connection,
            status: None,
            took: Duration::ZERO,
            answered: 0,
        };
        let keep_alive = !value("connection").is_some_and(|word| word.eq_ignore_ascii_case("close"));
        let mut bytes = vec![0; head_length + length];
        let last = bytes.len() - 1;
        stream.read_exact(&mut bytes[..last])?;
        stream.peek(&mut bytes[last..])?;
        request.body = bytes.split_off(head_length);
        return Ok(Some((request, keep_alive)));
    }
}

/// Reads the byte that was left.
fn read_last_byte(stream: &mut TcpStream) -> io::Result<()> {
    stream.read_exact(&mut [0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const PLAN: &[u8] = include_bytes!("../../golden/two-plans/plan.json");

    fn server() -> Server {
        Server::start(Ynab::from_json(PLAN).expect("a plan file"))
    }

    /// Sends a request on its own connection; the status and the body, or the error.
    fn send(server: &Server, method: &str, path: &str, token: &str, body: &str) -> io::Result<(u16, Vec<u8>)> {
        let mut stream = TcpStream::connect(server.address)?;
        let length = body.len();
        write!(
            stream,
            "{method} /v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let status = bytes.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        Ok((status.unwrap_or_default(), bytes.split_off(end)))
    }

    #[test]
    fn it_answers_the_token_and_logs_every_request() {
        let server = server();
        let (status, body) = send(&server, "GET", "/plans?include_accounts=true", TOKEN, "").expect("an answer");
        let plans: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!((status, plans["data"]["plans"].as_array().map(Vec::len)), (200, Some(2)));
        let (status, _) = send(&server, "POST", "/plans/last-used/payees", "another", "{}").expect("an answer");
        assert_eq!(status, 401);
        assert_eq!(server.url(), format!("http://{}/v1", server.address));
        let log = server.log();
        assert_eq!(server.writes(), log[1..]);
        assert_eq!((log[0].path.as_str(), log[0].status), ("/plans?include_accounts=true", Some(200)));
        assert_eq!(
            (log[1].method.as_str(), log[1].token.as_deref(), log[1].json()),
            ("POST", Some("another"), json!({}))
        );
    }

    #[test]
    fn a_connection_is_kept_for_the_next_request() {
        let server = server();
        let mut stream = TcpStream::connect(server.address).expect("a connection");
        for _ in 0..2 {
            write!(stream, "GET /v1/user HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {TOKEN}\r\n\r\n").expect("sent");
            let mut seen = [0; 512];
            let count = stream.read(&mut seen).expect("an answer");
            assert!(seen[..count].starts_with(b"HTTP/1.1 200"));
        }
        assert!(server.log().iter().all(|request| request.connection == 1));
    }

    #[test]
    fn each_fault_does_what_it_says_to_the_requests_it_names() {
        let payees = |server: &Server| {
            let all = server.ynab().handle(Request { method: "GET", path: "/plans/last-used/payees", body: &[] }).body;
            let all: Value = serde_json::from_slice(&all).expect("JSON");
            let named = |payee: &&Value| payee["name"] == "New";
            all["data"]["payees"].as_array().into_iter().flatten().filter(named).count()
        };
        // The action; the status and how many bytes come (none: the connection is reset); whether it was carried out.
        let cases: [(Action, Option<u16>, usize); 9] = [
            (Action::Status(503, Some(30)), Some(503), 0),
            (Action::StatusAfter(503), Some(503), 1),
            (Action::ResetBefore, None, 0),
            (Action::ResetAfter, None, 1),
            (Action::Delay(Duration::from_millis(20)), Some(201), 1),
            (Action::Truncate, Some(201), 1),
            (Action::CloseMidBody, Some(201), 1),
            (Action::RawBody(b"<html>".to_vec()), Some(200), 0),
            (Action::SlowDrip(Duration::from_micros(10)), Some(201), 1),
        ];
        for (action, status, made) in cases {
            let server = server();
            server.fault(Fault::new(action.clone()).method("POST").path("/payees"));
            assert_eq!(send(&server, "GET", "/plans/last-used/payees", TOKEN, "").expect("an answer").0, 200);
            let body = r#"{"payee":{"name":"New"}}"#;
            let given = send(&server, "POST", "/plans/last-used/payees", TOKEN, body);
            match (&given, status) {
                (Ok((given, _)), Some(status)) => assert_eq!(*given, status, "{action:?}"),
                (Err(error), None) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{action:?}"),
                _ => panic!("{action:?}: {given:?}"),
            }
            assert_eq!(payees(&server), made, "{action:?}");
            let whole = given.is_ok_and(|(_, body)| serde_json::from_slice::<Value>(&body).is_ok());
            let cut = matches!(action, Action::Truncate | Action::CloseMidBody | Action::RawBody(_));
            assert_eq!(whole, !cut && status.is_some(), "{action:?}");
            assert_eq!(send(&server, "POST", "/plans/last-used/payees", TOKEN, body).expect("an answer").0, 201);
        }
    }

    #[test]
    fn a_fault_may_wait_and_come_back() {
        let server = server();
        server.fault(Fault::new(Action::Status(500, None)).after(1).times(2));
        server.fault(Fault::new(Action::RedirectTo("http://127.0.0.1:9/".into())).after(1));
        let statuses: Vec<u16> =
            (0..5).map(|_| send(&server, "GET", "/user", TOKEN, "").expect("an answer").0).collect();
        assert_eq!(statuses, [200, 500, 500, 307, 200]);
    }
}
