//! What goes wrong on the way to YNAB, for every kind of write: each cell is carried out, and what is told, journalled and
//! undone is held to what YNAB holds. Printed as a table.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::household::{self, PLAN, WRITES, Write, carried_out, difference, state};
use crate::support::session::{Answer, Session, Setup, User};
use crate::support::ynab::{Action, Fault, Server};

/// A fault: its name, what happens to the write's request, whether that is carried out, and whether YNAB can be read
/// afterwards.
struct Row {
    name: &'static str,
    action: Action,
    carried_out: bool,
    readable: bool,
}

fn rows() -> Vec<Row> {
    let row = |name, action, carried_out| Row { name, action, carried_out, readable: true };
    let html = b"<html><body>Bad gateway</body></html>".to_vec();
    let unread = |name, action, carried_out| Row { name, action, carried_out, readable: false };
    vec![
        row("400", Action::Status(400, None), false),
        row("401", Action::Status(401, None), false),
        row("403", Action::Status(403, None), false),
        row("404", Action::Status(404, None), false),
        row("409", Action::Status(409, None), false),
        row("429", Action::Status(429, None), false),
        row("500", Action::Status(500, None), false),
        row("502", Action::Status(502, None), false),
        row("503", Action::Status(503, None), false),
        row("504", Action::Status(504, None), false),
        row("reset before", Action::ResetBefore, false),
        row("a web page", Action::RawBody(html), false),
        row("nothing at all", Action::RawBody(Vec::new()), false),
        row("an empty object", Action::RawBody(b"{\"data\":{}}".to_vec()), false),
        row("deep nonsense", Action::RawBody("[".repeat(50_000).into_bytes()), false),
        row("redirect", Action::RedirectTo("http://127.0.0.1:9/v1".into()), false),
        row("500 after", Action::StatusAfter(500), true),
        row("503 after", Action::StatusAfter(503), true),
        row("reset after", Action::ResetAfter, true),
        row("cut body", Action::Truncate, true),
        row("closed in the body", Action::CloseMidBody, true),
        unread("reset before, then unread", Action::ResetBefore, false),
        unread("reset after, then unread", Action::ResetAfter, true),
        unread("503 after, then unread", Action::StatusAfter(503), true),
    ]
}

/// A column: a write and which of its requests is hit.
#[derive(Clone, Copy)]
struct Column {
    write: Write,
    request: usize,
}

impl Column {
    fn name(&self) -> String {
        let Self { write, request } = self;
        if write.requests == 1 { write.name.to_owned() } else { format!("{} {}", write.name, request + 1) }
    }
}

#[test]
fn every_fault_of_every_write_ends_in_what_is_told() {
    let columns: Vec<Column> =
        WRITES.iter().flat_map(|write| (0..write.requests).map(|request| Column { write: *write, request })).collect();
    let rows = rows();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![Vec::new(); columns.len()]));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(column) = columns.get(place) else { break };
                    let mut stage = None;
                    let cells = rows.iter().map(|row| cell(row, *column, &mut stage)).collect();
                    done.lock().expect("columns")[place] = cells;
                }
            });
        }
    });
    let done = done.into_inner().expect("columns");
    let mut table = format!("{:26}", "");
    for column in &columns {
        table += &format!(" {:>15}", column.name());
    }
    for (number, row) in rows.iter().enumerate() {
        table += &format!("\n{:26}", row.name);
        for cells in &done {
            table += &format!(" {:>15}", cells[number].as_deref().unwrap_or("WRONG"));
        }
    }
    let wrong: Vec<String> = columns
        .iter()
        .zip(&done)
        .flat_map(|(column, cells)| rows.iter().zip(cells).map(move |(row, cell)| (row, column, cell)))
        .filter_map(|(row, column, cell)| Some(format!("{} / {}: {}", row.name, column.name(), cell.as_ref().err()?)))
        .collect();
    #[expect(clippy::print_stdout, reason = "the table is the result")]
    {
        println!("{table}\n{} cells, {} wrong", rows.len() * columns.len(), wrong.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A YNAB and a server on it, used again as long as everything is as before.
struct Stage {
    ynab: Server,
    folder: Folder,
    session: Session,
    before: BTreeMap<String, Value>,
}

impl Stage {
    fn new() -> Self {
        let (ynab, folder) = (household::server(), Folder::new());
        let before = state(&ynab);
        let mut session = Setup::on(&ynab, &folder.journal()).user(User::yes()).open();
        // The plan is known, so that what an import brings can be told.
        session.call("suggest_categories", json!({ "plan_id": PLAN, "limit": 1 }));
        Self { ynab, folder, session, before }
    }
}

/// Fails with a sentence unless that is so.
macro_rules! hold {
    ($so:expr, $($words:tt)*) => { if !$so { return Err(format!($($words)*)); } };
}

/// Carries a cell out and checks it; its word for the table.
fn cell(row: &Row, column: Column, kept: &mut Option<Stage>) -> Result<&'static str, String> {
    let mut stage = kept.take().unwrap_or_else(Stage::new);
    let word = checked(row, column, &mut stage)?;
    // A 429 stops the client for a while, and an hour's requests are counted.
    let is_fresh = row.name != "429" && stage.ynab.log().len() < 120;
    *kept = Some(stage).filter(|stage| is_fresh && state(&stage.ynab) == stage.before);
    Ok(word)
}

fn checked(row: &Row, column: Column, stage: &mut Stage) -> Result<&'static str, String> {
    let Column { write, request } = column;
    let Stage { ynab, folder, session, before } = stage;
    let (base, undo) = (carried_out(ynab), json!({ "plan_id": PLAN }));
    ynab.fault(Fault::new(row.action.clone()).writes().after(request));
    if !row.readable {
        ynab.unreadable_after_writes(request + 1);
    }
    let answer = session.call(write.tool, (write.arguments)());
    ynab.mend();
    let (sent, done) = (ynab.writes().len(), carried_out(ynab) - base);
    let word = told(&answer);
    let want = expected(row, column);
    hold!(word == want, "expected {want}, told {word}: {}", answer.text());
    let is_short = !answer.text().contains("<html") && answer.text().len() < 1_000;
    hold!(is_short || word == "applied", "{}", answer.text());

    // The next call finds out what was in doubt, and sends nothing for it.
    let next = session.call("list_accounts", undo.clone()).text();
    hold!(next.contains("interrupted") == (word == "in doubt"), "{next}");
    if word == "in doubt" {
        let found = match done {
            0 => "its change was not applied",
            done if done == write.requests => "its change was applied",
            _ => "its change was partly applied",
        };
        hold!(
            next.contains(found),
            "{done} of {} requests: {}",
            write.requests,
            next.lines().last().unwrap_or_default()
        );
        let again = session.call("list_accounts", undo.clone()).text();
        hold!(!again.contains("interrupted"), "told twice: {again}");
    }
    hold!(ynab.writes().len() == sent, "finding out sent a change");

    // What is there can be undone, and what is not there is as before.
    let nothing_there = ["not applied", "put back"].contains(&word) || (word == "in doubt" && done == 0);
    if write.undoable && !nothing_there {
        let undone = if row.name == "429" {
            // Another place for the count of requests, which is paused here.
            let elsewhere = Folder::new();
            std::fs::copy(folder.journal(), elsewhere.journal()).expect("a copy");
            Setup::on(ynab, &elsewhere.journal()).user(User::yes()).open().call("undo_operation", undo)
        } else {
            session.call("undo_operation", undo)
        };
        hold!(undone.status() == "applied", "it cannot be undone: {undone:?}");
    }
    let after = state(ynab);
    if write.undoable || nothing_there {
        hold!(after == *before, "not as before: {}", difference(before, &after));
    } else {
        hold!(after != *before, "told as applied, and nothing changed");
    }
    Ok(word)
}

/// What the answer says came of it.
fn told(answer: &Answer) -> &'static str {
    if !answer.is_error() {
        return "applied";
    }
    let text = answer.text();
    for (first, word) in [
        ("Not applied: the first half was put back", "put back"),
        ("Not applied: ", "not applied"),
        ("Partly applied: ", "partly"),
        ("In doubt: ", "in doubt"),
    ] {
        if text.starts_with(first) {
            return word;
        }
    }
    "unclear words"
}

/// What must be told.
fn expected(row: &Row, column: Column) -> &'static str {
    let Column { write, request } = column;
    match (row.readable, row.carried_out) {
        (false, _) => "in doubt",
        // The rest of a write goes on once the doubt about a part is over.
        (true, true) => "applied",
        (true, false) if request == 0 => "not applied",
        (true, false) if write.name == "move" && row.name != "429" => "put back",
        (true, false) => "partly",
    }
}
