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
use crate::support::household::{self, PLAN, WRITES, Write, difference, state};
use crate::support::session::{Answer, Session, Setup, User, with_code};
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
    let written = writes_done(&ynab);
    if !kill_at(&mut session, &ynab, &folder, &kill, tool, &arguments) {
        return Ok(false);
    }
    while ynab.is_holding() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let done = writes_done(&ynab) - written;
    let sent = ynab.writes().len();
    ynab.mend();

    // The next process tells what became of it, at its first call, read-only or not.
    let mut reader = setup.clone().env("AVENIR_MCP_WRITE", "0").open();
    let told = reader.call("list_accounts", json!({ "plan_id": PLAN }));
    hold!(!told.is_error(), "the first call fails: {told:?}");
    let told = told.text();
    let is_import = kill.write.name == "import";
    let lines = std::fs::read_to_string(folder.journal()).unwrap_or_default();
    // Killed while it wrote the intent: nothing was sent.
    let is_torn = lines.lines().last().is_none_or(|line| serde_json::from_str::<Value>(line).is_err());
    let found = match kill.moment {
        Moment::Reading | Moment::Settled => "",
        _ if is_torn => "",
        _ if is_import => "interrupted",
        _ if done == 0 => "its change was not applied",
        _ if done < requests => "its change was partly applied",
        _ => "its change was applied",
    };
    let is_told = if found.is_empty() { !told.contains("interrupted") } else { told.contains(found) };
    hold!(is_told, "{done} of {} requests were carried out; told: {}", requests, last_line(&told));
    let again = reader.call("list_accounts", json!({ "plan_id": PLAN })).text();
    hold!(is_import || !again.contains("interrupted"), "told twice: {}", last_line(&again));
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

/// How many changing requests YNAB carried out.
fn writes_done(ynab: &Server) -> usize {
    ynab.writes().iter().filter(|request| request.status.is_some_and(|status| status < 300)).count()
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
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

#[test]
fn point_3_a_journal_that_cannot_be_written_refuses_before_anything_is_sent() {
    let ynab = household::server();
    let folder = Folder::new();
    std::fs::write(folder.path().join("file"), "").expect("a file");
    let places = [
        (folder.path().join("file/journal.jsonl"), "not a folder"),
        (folder.path().into(), "folder"),
        ("/dev/null".into(), "not a file"),
    ];
    for (place, words) in places {
        let mut session = Setup::on(&ynab, &place).user(User::yes()).open();
        for name in ["categorize", "approve"] {
            let write = household::write(name);
            let answer = session.call(write.tool, (write.arguments)());
            let text = answer.text();
            assert!(answer.is_refused() && text.contains("nothing was sent") && text.contains(words), "{text}");
        }
        assert!(ynab.writes().is_empty(), "{}", place.display());
    }
}

#[test]
fn point_3_a_disk_that_is_full_refuses_and_keeps_no_half_line() {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    // Files of this process may grow to 1 KiB; the journal is nearly there.
    let filler = format!("{{\"undone\":\"{}\"}}\n", "x".repeat(900));
    std::fs::write(folder.journal(), &filler).expect("a journal");
    let mut session = setup.within_file_size(1).open();
    let write = household::write("categorize");
    let answer = session.call(write.tool, (write.arguments)());
    assert!(answer.is_refused() && answer.text().contains("nothing was sent"), "{answer:?}");
    assert!(ynab.writes().is_empty());
    assert_eq!(std::fs::read_to_string(folder.journal()).expect("the journal"), filler);
    assert!(!session.call("list_accounts", json!({ "plan_id": PLAN })).is_error());
}

#[test]
fn point_4_a_code_that_comes_back_after_its_answer_was_lost_says_what_became_of_it() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).open();
    let write = household::write("create");
    let arguments = (write.arguments)();
    let preview = session.call(write.tool, arguments.clone());
    if preview.protocol_error().is_some() {
        return;
    }
    let coded = with_code(&arguments, preview.code());
    // Neither the answer nor the plan comes through.
    ynab.fault(Fault::new(Action::ResetAfter).writes());
    ynab.fault(Fault::new(Action::Status(500, None)).method("GET").after(1).times(2));
    let doubt = session.call(write.tool, coded.clone());
    assert!(doubt.is_refused() && doubt.text().starts_with("In doubt: "), "{doubt:?}");
    ynab.mend();
    let again = session.call(write.tool, coded);
    assert!(again.is_refused() && again.text().contains("its change was applied (operation "), "{again:?}");
    let preview = session.call(write.tool, arguments);
    assert!(preview.text().contains("already made this change"), "{preview:?}");
    assert_eq!(writes_done(&ynab), 1);
}

#[test]
fn a_call_cancelled_while_it_writes_is_carried_through_and_told_later() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).user(User::yes()).open();
    let write = household::write("categorize");
    for action in [Action::HoldAfter, Action::HoldBefore] {
        ynab.fault(Fault::new(action).writes());
        let id = session.start_round(write.tool, &(write.arguments)(), None);
        assert!(session.until(id, || ynab.is_holding()));
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
        std::thread::sleep(Duration::from_millis(30));
        ynab.go_on();
        let undone = loop {
            // The write may still be on its way to the journal.
            let undone = session.call("undo_operation", json!({ "plan_id": PLAN }));
            if !undone.is_refused() {
                break undone;
            }
        };
        assert_eq!(undone.status(), "applied", "{undone:?}");
    }
    assert_eq!(writes_done(&ynab), 4);
}

#[test]
fn two_processes_write_at_once() {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let (mut one, mut two) = (setup.open(), setup.open());
    let flags: Vec<(String, Value)> = ["categorize", "approve"]
        .map(household::write)
        .map(|write| (write.tool.to_owned(), (write.arguments)()))
        .into_iter()
        .collect();
    let mut operations = 0;
    for _ in 0..4 {
        let first = one.start_round(&flags[0].0, &flags[0].1, None);
        let second = two.start_round(&flags[1].0, &flags[1].1, None);
        let (first, second) = (Answer(one.wait(first)), Answer(two.wait(second)));
        assert!(!first.is_error() && !second.is_error(), "{first:?} {second:?}");
        operations += 2;
        // Each sees and takes back what the other did.
        for session in [&mut two, &mut one] {
            let undone = session.call("undo_operation", json!({ "plan_id": PLAN }));
            assert_eq!(undone.status(), "applied", "{undone:?}");
        }
    }
    let text = std::fs::read_to_string(folder.journal()).expect("the journal");
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
    assert_eq!(text.matches("\"event\":\"intent\"").count(), operations * 2);
    assert_eq!(text.matches("\"state\":\"applied\"").count(), operations * 2);
}

#[test]
fn a_write_in_flight_in_a_living_process_is_no_doubt() {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let mut writer = setup.open();
    let write = household::write("categorize");
    ynab.fault(Fault::new(Action::HoldBefore).writes());
    let id = writer.start_round(write.tool, &(write.arguments)(), None);
    assert!(writer.until(id, || ynab.is_holding()));
    let mut reader = setup.open();
    let seen = reader.call("list_accounts", json!({ "plan_id": PLAN }));
    assert!(!seen.is_error() && !seen.text().contains("interrupted"), "{seen:?}");
    ynab.go_on();
    assert_eq!(Answer(writer.wait(id)).status(), "applied");
}

#[test]
fn nothing_is_left_beside_the_journal_when_a_process_ends_well() {
    let ynab = household::server();
    let folder = Folder::new();
    let mut session = Setup::on(&ynab, &folder.journal()).user(User::yes()).open();
    let write = household::write("categorize");
    assert_eq!(session.call(write.tool, (write.arguments)()).status(), "applied");
    let beside = |folder: &Folder| {
        let names = std::fs::read_dir(folder.path()).expect("the folder").flatten();
        names.filter(|entry| entry.file_name().to_string_lossy().ends_with(".alive")).count()
    };
    assert_eq!(beside(&folder), 1);
    assert_eq!(session.end(), Some(0));
    assert_eq!(beside(&folder), 0);
}

#[test]
fn a_torn_and_a_damaged_journal_are_told_and_undo_goes_on() {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let write = household::write("categorize");
    assert_eq!(setup.open().call(write.tool, (write.arguments)()).status(), "applied");
    let whole = std::fs::read_to_string(folder.journal()).expect("the journal");
    let damaged = whole.replacen('\n', "\nnot a line\n", 1) + "{\"event\":\"intent\",\"v\":2,\"opera";
    std::fs::write(folder.journal(), &damaged).expect("damaged");
    let mut session = setup.open();
    let told = session.call("list_accounts", json!({ "plan_id": PLAN })).text();
    assert!(told.contains("damaged lines, kept as they are: line 2 of "), "{}", last_line(&told));
    assert!(told.contains("cut short by a crash at line 4 of "), "{}", last_line(&told));
    let told = session.call("list_accounts", json!({ "plan_id": PLAN })).text();
    assert!(!told.contains("damaged"), "it is told once");
    let undone = session.call("undo_operation", json!({ "plan_id": PLAN }));
    assert_eq!(undone.status(), "applied", "{undone:?}");
    let after = std::fs::read_to_string(folder.journal()).expect("the journal");
    assert!(after.starts_with(&damaged) && after.lines().count() == 6, "nothing is dropped: {after}");
}

#[test]
fn a_creation_beside_another_clients_equal_one_is_claimed_by_nobody() {
    let ynab = household::server();
    let folder = Folder::new();
    let setup = Setup::on(&ynab, &folder.journal()).user(User::yes());
    let mut session = setup.open();
    let write = household::write("create");
    ynab.fault(Fault::new(Action::HoldAfter).writes());
    let id = session.start_round(write.tool, &(write.arguments)(), None);
    assert!(session.until(id, || ynab.is_holding()));
    let sent = ynab.writes()[0].json();
    household::other_client(&ynab, "POST", "/transactions", &json!({ "transactions": [sent["transactions"][0]] }));
    session.kill();
    let mut next = setup.open();
    let told = next.call("list_accounts", json!({ "plan_id": PLAN })).text();
    assert!(told.contains("3 new transactions answer to the 2 sent"), "{}", last_line(&told));
    assert!(told.contains("New shop"), "{}", last_line(&told));
    let undone = next.call("undo_operation", json!({ "plan_id": PLAN }));
    assert!(undone.status() != "applied", "nothing is deleted on a guess: {undone:?}");
}
