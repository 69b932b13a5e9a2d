//! Kills the real binary at every moment of every kind of write, starts it again, and holds it to this: nothing is lost,
//! nothing is made twice, what was done is told and can be undone.
//!
//! A few moments of each write run always; `AVENIR_CRASH_ROUNDS=3 cargo test --test it crash` runs all of them three
//! times, more than 300 kills. How often it was killed, by moment and kind of write, is printed as a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::household::{self, PLAN, WRITES, Write, carried_out, difference, state};
use crate::support::session::{Session, Setup, User};
use crate::support::ynab::{Action, Fault, Server};

/// When the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// The plan is being read again after the yes; nothing is recorded yet.
    Reading,
    /// The journal has just grown by the intent: the request may have left or not.
    Intent,
    /// That request has arrived and is not carried out.
    Sent(usize),
    /// That request is carried out and not answered.
    Applied(usize),
    /// That request is answered and its outcome is not in the journal yet.
    Answered(usize),
    /// The call is answered.
    Settled,
}

/// A kill to make: during the call of a write, or during the undo of it.
#[derive(Clone, Copy, Debug)]
struct Kill {
    write: Write,
    moment: Moment,
    in_undo: bool,
}

/// A moment in words.
fn named(moment: Moment) -> String {
    match moment {
        Moment::Reading => "reading".into(),
        Moment::Intent => "intent recorded".into(),
        Moment::Sent(at) => format!("request {} sent", at + 1),
        Moment::Applied(at) => format!("request {} applied", at + 1),
        Moment::Answered(at) => format!("request {} answered", at + 1),
        Moment::Settled => "call answered".into(),
    }
}

fn moments(requests: usize) -> Vec<Moment> {
    let each = |of: fn(usize) -> Moment| (0..requests).map(of);
    let once = [Moment::Reading, Moment::Intent, Moment::Settled];
    once.into_iter().chain(each(Moment::Sent)).chain(each(Moment::Applied)).chain(each(Moment::Answered)).collect()
}

fn kills(writes: &[Write], all: bool) -> Vec<Kill> {
    let mut kills = Vec::new();
    for write in writes.iter().copied() {
        for in_undo in [false, true].into_iter().take(1 + usize::from(write.undoable)) {
            let requests = requests(write, in_undo);
            for moment in moments(requests) {
                let is_last = matches!(moment, Moment::Sent(at) | Moment::Applied(at) if at + 1 == requests);
                let thorough = ["create", "move", "adjust", "many", "statement"].contains(&write.name);
                let chosen = match in_undo {
                    false => is_last || (thorough && moment != Moment::Settled),
                    true => is_last && thorough,
                };
                if all || chosen {
                    kills.push(Kill { write, moment, in_undo });
                }
            }
        }
    }
    kills
}

/// How many changing requests a write sends, or the undo of it.
fn requests(write: Write, in_undo: bool) -> usize {
    match (write.name, in_undo) {
        // Two transactions are deleted one by one.
        ("create", true) => 2,
        // So are the two that a statement created, after its marks are taken back.
        ("statement", true) => 3,
        _ => write.requests,
    }
}

#[test]
fn killed_at_any_moment_nothing_is_lost_and_nothing_made_twice() {
    let rounds = std::env::var("AVENIR_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse::<usize>().ok());
    let listed = Setup::demo().env("AVENIR_MCP_WRITE", "1").open().request("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().cloned().expect("tools");
    let is_listed = |write: &&Write| listed.iter().any(|tool| tool["name"] == write.tool);
    let writes: Vec<Write> = WRITES.iter().filter(is_listed).copied().collect();
    let once = kills(&writes, rounds.is_some());
    let all: Vec<Kill> = (0..rounds.unwrap_or(1)).flat_map(|_| once.clone()).collect();
    let (next, made, failed) = (AtomicUsize::new(0), Mutex::new(Made::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(kill) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match crash(*kill) {
                        Ok(killed) => {
                            let place = (kill.in_undo, kill.moment, kill.write.name);
                            *made.lock().expect("kills").entry(place).or_default() += usize::from(killed);
                        }
                        Err(problem) => {
                            let Kill { write, moment, in_undo } = *kill;
                            let undo = if in_undo { "the undo of " } else { "" };
                            let told = format!("{undo}{}, {}: {problem}", write.name, named(moment));
                            failed.lock().expect("failures").push(told);
                        }
                    }
                }
            });
        }
    });
    let (table, failed) = (made.into_inner().expect("kills"), failed.into_inner().expect("failures"));
    let made: usize = table.values().sum();
    #[expect(clippy::print_stdout, reason = "how often it was killed is part of the result")]
    {
        println!("{}", shown(&table, &writes));
        println!("{made} kills of {} writes: {} lost, doubled or not undoable", writes.len(), failed.len());
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(rounds.is_none_or(|rounds| rounds < 3) || made >= 300, "{made} kills");
}

/// How often it was killed: in the undo or not, at that moment, of the write of that name.
type Made = BTreeMap<(bool, Moment, &'static str), usize>;

/// One line a moment, one column a write.
fn shown(made: &Made, writes: &[Write]) -> String {
    let mut table = format!("{:25}", "killed at");
    writes.iter().for_each(|write| table += &format!(" {:>width$}", write.name, width = write.name.len().max(4)));
    let lines: BTreeSet<(bool, Moment)> = made.keys().map(|(in_undo, moment, _)| (*in_undo, *moment)).collect();
    for (in_undo, moment) in lines {
        let undo = if in_undo { "undo, " } else { "" };
        table += &format!("\n{:25}", format!("{undo}{}", named(moment)));
        for write in writes {
            let count = made.get(&(in_undo, moment, write.name)).map_or_else(|| "-".to_owned(), usize::to_string);
            table += &format!(" {count:>width$}", width = write.name.len().max(4));
        }
    }
    table
}

/// Fails with a sentence unless that is so.
macro_rules! hold {
    ($so:expr, $($words:tt)*) => { if !$so { return Err(format!($($words)*)); } };
}

/// Makes one kill and checks everything after it; whether there was such a moment to kill at.
fn crash(kill: Kill) -> Result<bool, String> {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let before = state(&ynab);
    let mut session = setup.open();
    let undo = json!({ "plan_id": PLAN });
    let arguments = (kill.write.arguments)();
    let (tool, arguments) = if kill.in_undo {
        let applied = session.call(kill.write.tool, arguments);
        hold!(!applied.is_error(), "it was not applied: {applied:?}");
        ("undo_operation", undo.clone())
    } else {
        (kill.write.tool, arguments)
    };
    let requests = requests(kill.write, kill.in_undo);
    let whole = state_after(&kill, &ynab);
    let written = carried_out(&ynab);
    if !kill_at(&mut session, &ynab, &folder, &kill, tool, &arguments) {
        return Ok(false);
    }
    while ynab.is_holding() {
        std::thread::sleep(Duration::from_millis(1));
    }
    if kill.moment == Moment::Intent {
        // The request may be on its way still.
        std::thread::sleep(Duration::from_millis(150));
    }
    // On a busy machine the kill may come after the outcome is in the journal.
    let lines = std::fs::read_to_string(folder.journal()).unwrap_or_default();
    let outcomes = lines.rsplit("\"event\":\"intent\"").next().unwrap_or_default().lines().count().saturating_sub(1);
    // Killed while it wrote the intent: nothing was sent.
    let is_torn = lines.lines().last().is_none_or(|line| serde_json::from_str::<Value>(line).is_err());
    let is_late = kill.moment == Moment::Intent && outcomes == requests && !is_torn;
    let done = carried_out(&ynab) - written;
    let sent = ynab.writes().len();
    ynab.mend();

    // The next process tells what became of it, at its first call, read-only or not.
    let mut reader = setup.clone().env("AVENIR_MCP_WRITE", "0").open();
    let told = reader.call("list_accounts", json!({ "plan_id": PLAN }));
    hold!(!told.is_error(), "the first call fails: {told:?}");
    let told = told.text();
    let is_import = kill.write.name == "import";
    let found = match kill.moment {
        Moment::Reading | Moment::Settled => "",
        _ if is_torn || is_late => "",
        _ if is_import => "interrupted",
        _ if done == 0 => "its change was not applied",
        _ if done < requests => "its change was partly applied",
        _ => "its change was applied",
    };
    let is_told = if found.is_empty() { !told.contains("interrupted") } else { told.contains(found) };
    hold!(
        is_told,
        "{done} of {} requests were carried out; told: {}",
        requests,
        told.lines().last().unwrap_or_default()
    );
    let again = reader.call("list_accounts", json!({ "plan_id": PLAN })).text();
    hold!(is_import || !again.contains("interrupted"), "told twice: {}", again.lines().last().unwrap_or_default());
    hold!(ynab.writes().len() == sent, "finding out sent a change");
    drop(reader);

    // Asked for again, it is known.
    let mut session = setup.clone().user(User::Nobody).open();
    if !kill.in_undo && kill.write.question.is_some() && done == requests {
        let preview = session.call(tool, arguments.clone());
        let knows = match preview.status() {
            "nothing_to_do" | "error" => true,
            _ => preview.text().contains("already made this change"),
        };
        hold!(knows, "the same call is asked about as if it were new: {preview:?}");
        hold!(ynab.writes().len() == sent, "a preview sent a change");
    }
    drop(session);

    // What was done can be undone, and then everything is as before.
    let mut session = setup.open();
    let partly_back = kill.in_undo && done < requests;
    if kill.write.undoable && (partly_back || (!kill.in_undo && done > 0)) {
        let undone = session.call("undo_operation", undo.clone());
        hold!(undone.status() == "applied", "it cannot be undone: {undone:?}");
    }
    let after = state(&ynab);
    if kill.write.undoable || done == 0 {
        hold!(after == before, "not as before: {}", difference(&before, &after));
        let nothing = session.call("undo_operation", undo);
        hold!(nothing.is_refused(), "something is left to undo: {nothing:?}");
    } else {
        hold!(after == whole, "not as asked: {}", difference(&whole, &after));
    }
    Ok(true)
}

/// The state once the write is applied as a whole, for a write that cannot be undone.
fn state_after(kill: &Kill, ynab: &Server) -> BTreeMap<String, Value> {
    if kill.write.undoable {
        return BTreeMap::new();
    }
    let (other, folder) = (household::server(), Folder::new());
    let mut session = Setup::on(&other, &folder.journal()).user(User::yes()).open();
    let applied = session.call(kill.write.tool, (kill.write.arguments)());
    assert!(!applied.is_error(), "{applied:?}");
    assert!(ynab.writes().is_empty());
    state(&other)
}

/// Calls the tool and kills the process at that moment; false when the call has none.
fn kill_at(session: &mut Session, ynab: &Server, folder: &Folder, kill: &Kill, tool: &str, arguments: &Value) -> bool {
    let Kill { write, moment, in_undo } = *kill;
    let is_asked = in_undo || write.question.is_some();
    let journal = folder.journal();
    let size = || std::fs::metadata(&journal).map_or(0, |file| file.len());
    let size_before = size();
    match moment {
        Moment::Sent(at) => ynab.fault(Fault::new(Action::HoldBefore).writes().after(at)),
        Moment::Applied(at) | Moment::Answered(at) => ynab.fault(Fault::new(Action::HoldAfter).writes().after(at)),
        // Without a question, what is read before it.
        Moment::Reading if !is_asked => ynab.fault(Fault::new(Action::HoldBefore).method("GET")),
        Moment::Reading => session.user(User::Silent),
        Moment::Intent | Moment::Settled => {}
    }
    let id = session.start_round(tool, arguments, None);
    if moment == Moment::Reading && is_asked {
        session.wait_for_question();
        ynab.fault(Fault::new(Action::HoldBefore).method("GET"));
        session.user(User::yes());
        session.answer_question();
    }
    match moment {
        Moment::Settled => drop(session.wait(id)),
        Moment::Intent => _ = session.until(id, || size() > size_before),
        _ if !session.until(id, || ynab.is_holding()) => return false,
        Moment::Answered(_) => {
            // While another holds the journal, the process cannot say what came of it.
            let lock = OpenOptions::new().append(true).open(&journal).expect("the journal");
            lock.lock().expect("the lock");
            ynab.go_on();
            std::thread::sleep(Duration::from_millis(60));
            session.kill();
            return true;
        }
        _ => {}
    }
    session.kill();
    true
}
