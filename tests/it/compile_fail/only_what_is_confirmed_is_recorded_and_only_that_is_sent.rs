//! The way of every write, and no step of it left out.

use avenir_mcp::client::{Client, Scope};
use avenir_mcp::confirm::Confirmed;
use avenir_mcp::journal::Journal;
use avenir_mcp::writes::Proposal;

fn record(journal: &Journal, proposal: Proposal) {
    let _ = journal.record(proposal, "operation".into(), String::new(), 0);
}

async fn send_proposed(client: &Client, proposal: &Proposal) {
    let _ = client.apply(&Scope::default(), proposal, 0).await;
}

async fn send_unrecorded(client: &Client, confirmed: &Confirmed) {
    let _ = client.apply(&Scope::default(), confirmed, 0).await;
}

fn use_twice(journal: &Journal, confirmed: Confirmed) {
    let _ = journal.record(confirmed, "one".into(), String::new(), 0);
    let _ = journal.record(confirmed, "two".into(), String::new(), 0);
}

fn main() {}
