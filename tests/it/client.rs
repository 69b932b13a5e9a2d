//! The client against YNAB over HTTP, with everything that can go wrong on the way.
#![expect(clippy::expect_used, reason = "a test whose set-up fails should stop")]

use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use avenir_mcp::client::{Age, Client, Error, Http, Progress, Scope, Why};
use avenir_mcp::config::{Token, TokenSource};
use avenir_mcp::dates::Month;
use avenir_mcp::demo::{Request, Ynab};
use avenir_mcp::ids::PlanId;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::home::Home;
use crate::support::ynab::{Action, Fault, Server, TOKEN};

const HOUSEHOLD: &[u8] = include_bytes!("../golden/household/plan.json");
const YEN: &[u8] = include_bytes!("../golden/yen/plan.json");
const TWO_PLANS: &[u8] = include_bytes!("../golden/two-plans/plan.json");

fn server(file: &[u8]) -> Server {
    Server::start(Ynab::from_json(file).expect("a plan file"))
}

fn client(server: &Server) -> Client {
    client_with(server.url(), TOKEN)
}

fn client_with(url: &str, token: &str) -> Client {
    Client::over_http(Http::new(url, TokenSource::Given(Token::new(token).expect("a token"))))
}

async fn only_plan(client: &Client) -> PlanId {
    client.resolve(&Scope::default(), "last-used").await.expect("the plan")
}

fn paths(server: &Server) -> Vec<String> {
    server.log().into_iter().map(|request| request.path).collect()
}

/// Another client's change.
fn change(server: &Server, method: &str, path: &str, body: &Value) -> Value {
    let given = server.ynab().handle(Request { method, path, body: body.to_string().as_bytes() });
    assert!(given.status < 300, "{}", String::from_utf8_lossy(&given.body));
    serde_json::from_slice(&given.body).expect("JSON")
}

#[tokio::test]
async fn nothing_is_connected_before_the_first_request() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    assert!(matches!(client.resolve(&Scope::default(), "a/b").await, Err(Error { why: Why::NotAnId(_), .. })));
    assert_eq!(client.resolve(&Scope::default(), "any-id").await.expect("an id").as_str(), "any-id");
    assert!(server.log().is_empty());
}

#[tokio::test]
async fn point_51_one_connection_serves_every_request() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (scope, id) = (Scope::default(), only_plan(&client).await);
    client.accounts(&scope, &id, Age::Recent).await.expect("accounts");
    client.plan(&scope, &id, Age::Recent).await.expect("the plan");
    client.plan(&scope, &id, Age::Now).await.expect("the plan again");
    let log = server.log();
    assert_eq!(log.len(), 4);
    assert!(log.iter().all(|request| request.connection == 1 && request.token.as_deref() == Some(TOKEN)));
    assert_eq!(scope.requests(), 3);
    assert!(scope.bytes() > 100_000);
}

#[tokio::test]
async fn point_49_last_used_is_an_id_and_costs_nothing_with_one_plan() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (first, again) = (only_plan(&client).await, only_plan(&client).await);
    assert_eq!(first, again);
    assert_eq!(paths(&server), ["/plans?include_accounts=true"]);
}

#[tokio::test]
async fn with_several_plans_the_accounts_say_which_was_used_last() {
    let file: Value = serde_json::from_slice(TWO_PLANS).expect("JSON");
    let server = server(TWO_PLANS);
    let client = client(&server);
    assert_eq!(only_plan(&client).await.as_str(), file["last_used"]);
    assert_eq!(paths(&server), ["/plans?include_accounts=true", "/plans/last-used/accounts"]);
}

#[tokio::test]
async fn small_questions_do_not_download_the_plan() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (scope, id) = (Scope::default(), only_plan(&client).await);
    let month = Month::parse("2026-03-01").expect("a month");
    client.month(&scope, &id, month, Age::Recent).await.expect("the month");
    client.currency(&scope, &id).await.expect("its currency");
    client.categories(&scope, &id, Age::Recent).await.expect("categories");
    assert_eq!(paths(&server)[1..], [format!("/plans/{id}/months/2026-03-01"), format!("/plans/{id}/categories")]);
}

#[tokio::test]
async fn once_the_plan_is_loaded_small_questions_are_answered_from_it_alike() {
    let server = server(HOUSEHOLD);
    let (small, large) = (client(&server), client(&server));
    let (scope, id) = (Scope::default(), only_plan(&small).await);
    large.plan(&scope, &id, Age::Recent).await.expect("the plan");
    let asked = server.log().len();
    let month = Month::parse("2026-01-01").expect("a month");
    let from_mirror = (
        format!("{:?}", large.accounts(&scope, &id, Age::Recent).await.expect("accounts")),
        format!("{:?}", large.categories(&scope, &id, Age::Recent).await.expect("categories")),
        format!("{:?}", large.month(&scope, &id, month, Age::Recent).await.expect("the month")),
    );
    assert_eq!(server.log().len(), asked);
    let from_lists = (
        format!("{:?}", small.accounts(&scope, &id, Age::Recent).await.expect("accounts")),
        format!("{:?}", small.categories(&scope, &id, Age::Recent).await.expect("categories")),
        format!("{:?}", client(&server).month(&scope, &id, month, Age::Recent).await.expect("the month")),
    );
    assert_eq!(from_mirror, from_lists);
}

#[tokio::test]
async fn the_third_small_question_loads_the_plan_where_that_can_be_loaded() {
    let server = server(HOUSEHOLD);
    let (client, scope) = (client(&server), Scope::default());
    let id = only_plan(&client).await;
    let month = Month::parse("2026-03-01").expect("a month");
    client.month(&scope, &id, month, Age::Recent).await.expect("the month");
    client.month(&scope, &id, month.add(-1), Age::Recent).await.expect("the month before");
    server.fault(Fault::new(Action::StatusBody(200, b"nothing to read".to_vec())).path(&format!("/plans/{id}")));
    client.accounts(&scope, &id, Age::Recent).await.expect("accounts, though the plan cannot be read");
    let whole = format!("/plans/{id}");
    assert_eq!(paths(&server)[3..], [whole.clone(), format!("{whole}/accounts")]);
    let asked = server.log().len();
    client.categories(&scope, &id, Age::Recent).await.expect("categories");
    client.accounts(&scope, &id, Age::Recent).await.expect("accounts");
    client.month(&scope, &id, month.add(-2), Age::Recent).await.expect("a month");
    assert_eq!(paths(&server)[asked..], [whole]);
}

#[tokio::test]
async fn point_50_one_delta_brings_everything_up_to_date() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (scope, id) = (Scope::default(), only_plan(&client).await);
    let before = client.plan(&scope, &id, Age::Recent).await.expect("the plan");
    let row = before.live().find(|row| !row.is_split() && row.category.is_some()).expect("a transaction");
    let old = before.live().filter(|old| old.id != row.id).min_by_key(|row| row.date).expect("the oldest");
    change(
        &server,
        "PATCH",
        &format!("/plans/{id}/transactions"),
        &json!({ "transactions": [{ "id": row.id, "flag_color": "purple" }, { "id": old.id, "memo": "old" }] }),
    );
    let knowledge = client.knowledge(&id);
    let reused = client.plan(&scope, &id, Age::Recent).await.expect("the plan");
    assert_ne!(reused.transactions.get(&row.id).and_then(|row| row.flag.as_deref()), Some("purple"));
    let after = client.plan(&scope, &id, Age::Now).await.expect("the plan");
    assert_eq!(after.transactions.get(&row.id).and_then(|row| row.flag.as_deref()), Some("purple"));
    assert_eq!(after.transactions.get(&old.id).and_then(|row| row.memo.as_deref()), Some("old"));
    assert_eq!(
        paths(&server)[1..],
        [format!("/plans/{id}"), format!("/plans/{id}?last_knowledge_of_server={knowledge}")]
    );
    let changed = client.changed_since(&scope, &id, knowledge).await.expect("ids");
    assert_eq!(changed.len(), 2);
    assert!(scope.notes().is_empty(), "{:?}", scope.notes());
}

#[tokio::test]
async fn calls_made_together_share_requests() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (scope, id) = (Scope::default(), only_plan(&client).await);
    server.fault(Fault::new(Action::Delay(Duration::from_millis(50))).path(&format!("/plans/{id}")));
    let (a, b, c, d) = tokio::join!(
        client.plan(&scope, &id, Age::Recent),
        client.plan(&scope, &id, Age::Recent),
        client.plan(&scope, &id, Age::Recent),
        client.plan(&scope, &id, Age::Recent),
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok() && d.is_ok());
    assert_eq!(server.log().len(), 2);
    // The reads of writes share one request too, when it is sent after they all began.
    let (a, b, c) = tokio::join!(
        client.plan(&scope, &id, Age::Now),
        client.plan(&scope, &id, Age::Now),
        client.plan(&scope, &id, Age::Now)
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(server.log().len(), 3);
}

#[tokio::test]
async fn a_read_is_tried_three_times_and_no_more() {
    for (action, times, good, requests) in [
        (Action::Status(503, None), 2, true, 3),
        (Action::Status(502, None), 3, false, 3),
        (Action::Status(504, None), 1, true, 2),
        (Action::ResetBefore, 2, true, 3),
        (Action::CloseMidBody, 1, true, 2),
        (Action::Truncate, 1, true, 2),
        (Action::Status(500, None), 1, false, 1),
        (Action::RawBody(b"<html>".to_vec()), 1, false, 1),
        (Action::RawBody(b"".to_vec()), 1, true, 2),
        (Action::RawBody(br#"{"data":{"plans":7}}"#.to_vec()), 1, false, 1),
        (Action::RawBody("[".repeat(10_000).into_bytes()), 1, false, 1),
    ] {
        let server = server(HOUSEHOLD);
        server.fault(Fault::new(action.clone()).times(times));
        let answer = client(&server).plans(&Scope::default()).await;
        assert_eq!((answer.is_ok(), server.log().len()), (good, requests), "{action:?} {answer:?}");
    }
}

#[tokio::test]
async fn every_failure_is_told_in_words_with_what_next() {
    let cases: [(Action, &str); 8] = [
        (Action::Status(401, None), "does not accept the token"),
        (Action::Status(403, None), "\"injected by the test\""),
        (Action::Status(404, None), "Could not list the plans: YNAB does not find it"),
        (Action::Status(429, Some(125)), "Try again in 3 minutes."),
        (Action::Status(429, None), "Try again in 10 minutes."),
        (Action::Status(500, None), "status 500"),
        (Action::RedirectTo("http://127.0.0.1:9/".into()), "a redirect, which is never followed"),
        (Action::RawBody(b"<html>".to_vec()), "not one of YNAB's"),
    ];
    for (action, words) in cases {
        let server = server(HOUSEHOLD);
        server.fault(Fault::new(action.clone()).times(3));
        let error = client(&server).plans(&Scope::default()).await.expect_err("a failure").to_string();
        assert!(error.contains(words), "{action:?}: {error}");
        assert!(!error.contains(TOKEN) && error.ends_with('.'), "{error}");
    }
    let error = client_with("http://127.0.0.1:9/v1", TOKEN).plans(&Scope::default()).await.expect_err("nobody there");
    assert_eq!(error.why, Why::Unreachable);
    let error = client_with("https://127.0.0.1:9/v1", TOKEN).plans(&Scope::default()).await.expect_err("nobody there");
    assert_eq!(error.why, Why::Unreachable);
}

#[tokio::test]
async fn a_429_pauses_every_later_request() {
    let server = server(HOUSEHOLD);
    server.fault(Fault::new(Action::Status(429, Some(90))));
    let client = client(&server);
    for _ in 0..2 {
        let error = client.plans(&Scope::default()).await.expect_err("paused");
        assert!(matches!(error.why, Why::TooMany(wait) if (60..=90).contains(&wait.0)), "{error}");
    }
    assert_eq!(server.log().len(), 1);
}

#[tokio::test]
async fn the_token_goes_to_no_other_host() {
    let (server, other) = (server(HOUSEHOLD), server(TWO_PLANS));
    server.fault(Fault::new(Action::RedirectTo(format!("{}/plans", other.url()))).times(9));
    let error = client(&server).plans(&Scope::default()).await.expect_err("a redirect");
    assert_eq!(error.why, Why::Redirect);
    assert!(other.log().is_empty());
}

/// The first line that a proxy is told by `doctor` with these variables.
fn told_to_proxy(variable: &str, url: Option<&str>) -> String {
    let proxy = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", proxy.local_addr().expect("an address"));
    let home = Home::new();
    let mut doctor = home.binary(&["doctor"]);
    doctor.env(variable, address).env("YNAB_API_KEY", TOKEN).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(url) = url {
        doctor.env("AVENIR_MCP_YNAB_URL", url);
    }
    let mut running = doctor.spawn().expect("the binary starts");
    let (mut stream, _) = proxy.accept().expect("a connection");
    let mut seen = [0; 4096];
    let count = stream.read(&mut seen).expect("a request");
    running.kill().and_then(|()| running.wait()).expect("it ends");
    String::from_utf8_lossy(&seen[..count]).into_owned()
}

#[test]
fn the_usual_variables_name_a_proxy() {
    let plain = told_to_proxy("HTTP_PROXY", Some("http://127.0.0.1:9/v1"));
    assert!(plain.starts_with("GET http://127.0.0.1:9/v1/user "), "{plain}");
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let secure = told_to_proxy(variable, None);
        assert!(secure.starts_with("CONNECT api.ynab.com:443 ") && !secure.contains(TOKEN), "{variable}: {secure}");
    }
}

#[test]
fn what_no_proxy_names_is_reached_without_one() {
    let (server, home) = (server(HOUSEHOLD), Home::new());
    let mut doctor = home.binary(&["doctor"]);
    doctor.env("HTTP_PROXY", "http://127.0.0.1:9").env("NO_PROXY", "127.0.0.1");
    doctor.env("YNAB_API_KEY", TOKEN).env("AVENIR_MCP_YNAB_URL", server.url());
    let told = doctor.output().expect("it ends");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stdout));
    assert!(!server.log().is_empty());
}

#[tokio::test]
async fn point_68_a_slow_drip_times_out_as_a_whole() {
    let server = server(HOUSEHOLD);
    server.fault(Fault::new(Action::SlowDrip(Duration::from_millis(20))));
    let token = TokenSource::Given(Token::new(TOKEN).expect("a token"));
    let settings = Http { request_max: Duration::from_millis(300), ..Http::new(server.url(), token) };
    let began = Instant::now();
    let error = Client::over_http(settings).plans(&Scope::default()).await.expect_err("too slow");
    assert_eq!(error.why, Why::TimedOut);
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(server.log().len(), 1);
}

#[tokio::test]
async fn a_cancelled_read_stops_at_once() {
    let server = server(HOUSEHOLD);
    server.fault(Fault::new(Action::Delay(Duration::from_secs(5))));
    let cancel = CancellationToken::new();
    let scope = Scope::new(cancel.clone());
    let client = client(&server);
    let began = Instant::now();
    let (answer, ()) = tokio::join!(client.plans(&scope), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        cancel.cancel();
    });
    assert!(answer.expect_err("cancelled").is_cancelled());
    assert!(began.elapsed() < Duration::from_secs(2));
    assert!(client.plans(&Scope::default()).await.is_ok());
}

/// The plan as YNAB would give it, with an amount that its account's balance does not hold.
fn wrong_plan(server: &Server, id: &PlanId) -> Vec<u8> {
    let path = format!("/plans/{id}");
    let given = server.ynab().handle(Request { method: "GET", path: &path, body: &[] });
    let mut body: Value = serde_json::from_slice(&given.body).expect("JSON");
    body["data"]["plan"]["transactions"][0]["amount"] = json!(123_456_789);
    body.to_string().into_bytes()
}

#[tokio::test]
async fn a_plan_that_does_not_add_up_is_loaded_again_once_and_then_told() {
    let server = server(HOUSEHOLD);
    let client = client(&server);
    let (scope, id) = (Scope::default(), only_plan(&client).await);
    let wrong = Action::RawBody(wrong_plan(&server, &id));
    server.fault(Fault::new(wrong.clone()).path(&format!("/plans/{id}")));
    client.plan(&scope, &id, Age::Recent).await.expect("the plan");
    assert_eq!((scope.notes(), server.log().len()), (vec![], 3));

    let client = self::client(&server);
    let (first, later) = (Scope::default(), Scope::default());
    server.fault(Fault::new(wrong).path(&format!("/plans/{id}")).times(2));
    client.plan(&first, &id, Age::Recent).await.expect("the plan all the same");
    let asked = server.log().len();
    client.plan(&later, &id, Age::Recent).await.expect("the same, still known");
    client.plan(&later, &id, Age::Now).await.expect("a delta");
    assert_eq!(server.log().len(), asked + 1);
    for scope in [first, later] {
        assert_eq!(scope.notes().len(), 1, "{:?}", scope.notes());
        assert!(scope.notes()[0].contains("do not add up"));
    }
}

#[tokio::test]
async fn a_client_that_asked_hears_of_the_wait() {
    let server = server(HOUSEHOLD);
    server.fault(Fault::new(Action::Status(503, None)));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (hearing, client) = (heard.clone(), client(&server));
    let hear = move |progress| hearing.lock().expect("no panic").push(progress);
    let scope = Scope::default().with_progress(Box::new(hear));
    let id = client.resolve(&scope, "last-used").await.expect("the plan");
    assert_eq!(*heard.lock().expect("no panic"), [Progress::Retrying { attempt: 2 }]);
    client.plan(&scope, &id, Age::Recent).await.expect("the plan");
    let size = scope.bytes() as usize;
    let arriving = heard.lock().expect("no panic").iter().filter(|p| matches!(p, Progress::Downloading { .. })).count();
    assert!(arriving <= size >> 20 && arriving + 1 >= size >> 20, "{arriving} for {size}");
}

#[tokio::test]
async fn the_demo_answers_in_memory_as_over_http() {
    let server = server(YEN);
    let over_http = client(&server);
    let in_memory = Client::in_memory(Ynab::from_json(YEN).expect("a plan file"));
    let (scope, id) = (Scope::default(), only_plan(&over_http).await);
    assert_eq!(only_plan(&in_memory).await, id);
    let count = |plan: &avenir_mcp::plan::Plan| (plan.transactions.len(), plan.months.len(), plan.payees.len());
    let one = over_http.plan(&scope, &id, Age::Now).await.expect("the plan");
    let two = in_memory.plan(&scope, &id, Age::Now).await.expect("the plan");
    assert_eq!(count(&one), count(&two));
    assert_eq!(in_memory.requests_used().await, None);
    let reached = over_http.user_reachable(&scope).await.expect("reached");
    assert_eq!(reached.clock_ahead, None);
    assert!(in_memory.user_reachable(&scope).await.is_ok());
    let error = in_memory.accounts(&scope, &"nowhere".into(), Age::Now).await.expect_err("no such plan");
    assert!(error.is_not_found());
}

#[tokio::test]
async fn a_plan_too_large_to_send_is_read_list_by_list() {
    for action in [Action::Status(503, None), Action::Status(504, None)] {
        let server = server(HOUSEHOLD);
        let (whole, listed) = (client(&server), client(&server));
        let (scope, id) = (Scope::default(), only_plan(&whole).await);
        only_plan(&listed).await;
        let whole = whole.plan(&scope, &id, Age::Recent).await.expect("the plan");
        server.fault(Fault::new(action).path(&format!("/plans/{id}")).times(3));
        let plan = listed.plan(&scope, &id, Age::Recent).await.expect("the plan, list by list");
        assert!(scope.notes().is_empty(), "{:?}", scope.notes());
        assert_eq!(plan.currency, whole.currency);
        assert_eq!(plan.live().count(), whole.live().count());
        assert_eq!(plan.months.len(), whole.months.len());
        let figures = |plan: &avenir_mcp::plan::Plan| {
            let months = plan.months.values().flat_map(|month| &month.categories);
            months.filter(|row| !row.deleted).map(|row| row.balance.wide()).sum::<i128>()
        };
        assert_eq!(figures(&plan), figures(&whole));
        let asked = server.log().len();
        change(
            &server,
            "PATCH",
            &format!("/plans/{id}/transactions"),
            &json!({ "transactions": [{ "id": plan.live().next().expect("one").id, "memo": "changed" }] }),
        );
        let again = listed.plan(&scope, &id, Age::Now).await.expect("a delta");
        assert_eq!(again.live().filter(|row| row.memo.as_deref() == Some("changed")).count(), 1);
        assert_eq!(server.log().len(), asked + 1);
        assert!(scope.notes().is_empty(), "{:?}", scope.notes());
    }
}
