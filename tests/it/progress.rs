//! Progress for the client that asks for it, and an end at once for the one that cancels.

use std::time::{Duration, Instant};

use avenir_mcp::dates::parse_date;
use avenir_mcp::demo::large;
use serde_json::json;

use crate::support::folder::Folder;
use crate::support::session::{Session, Setup};
use crate::support::ynab::{Action, Fault, Server};

/// A YNAB whose plan is some megabytes.
fn ynab() -> Server {
    Server::start(large(parse_date(super::DAY).expect("a day"), 8_000))
}

fn start(session: &mut Session, token: Option<&str>) -> i64 {
    let mut params = json!({ "name": "get_spending_trends", "arguments": { "plan_id": "last-used" } });
    if let Some(token) = token {
        params["_meta"] = json!({ "progressToken": token });
    }
    session.start("tools/call", params)
}

#[test]
fn a_download_and_a_second_try_are_told_to_whoever_asks() {
    for token in [Some("mine"), None] {
        let (ynab, folder) = (ynab(), Folder::new());
        ynab.fault(Fault::new(Action::Status(503, None)).path("/plans/"));
        let mut session = Setup::on(&ynab, &folder.journal()).open();
        let id = start(&mut session, token);
        assert_eq!(session.wait(id)["result"]["isError"], false);
        let told: Vec<_> =
            session.notices.iter().filter(|notice| notice["method"] == "notifications/progress").collect();
        let Some(token) = token else {
            assert!(told.is_empty(), "{told:?}");
            continue;
        };
        assert!(told.iter().all(|notice| notice["params"]["progressToken"] == token), "{told:?}");
        let says = |words: &str| told.iter().any(|notice| notice["params"]["message"].to_string().contains(words));
        assert!(says("try 2") && says("Reading the plan"), "{told:?}");
        let at: Vec<f64> = told.iter().filter_map(|notice| notice["params"]["progress"].as_f64()).collect();
        assert!(at.is_sorted_by(|a, b| a < b), "{at:?}");
    }
}

#[test]
fn a_cancelled_call_stops_at_once_and_holds_nobody_up() {
    let (ynab, folder) = (ynab(), Folder::new());
    let slow = Duration::from_secs(30);
    ynab.fault(Fault::new(Action::Delay(slow)).path("/plans/"));
    let mut session = Setup::on(&ynab, &folder.journal()).open();
    let id = start(&mut session, None);
    while ynab.log().iter().all(|request| !request.path.starts_with("/plans/")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let began = Instant::now();
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    let next = start(&mut session, None);
    assert_eq!(session.wait(next)["result"]["isError"], false);
    assert_eq!(session.end(), Some(0));
    assert!(began.elapsed() < slow, "{:?}", began.elapsed());
}
