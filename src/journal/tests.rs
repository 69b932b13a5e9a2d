//! Owns the tests of the journal. Never compiled outside of tests.

use super::*;
use crate::dates::Month;
use crate::money::Milliunits;
use crate::writes::Change;
use proptest::prelude::*;

/// A file of its own in a folder of its own, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("avenir-mcp-journal-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    fn journal(&self, process: &str) -> Journal {
        Journal::on_disk(Some(self.file()), None, process.to_owned())
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("the journal")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn proposal(after: i64) -> Proposal {
    let budgeted = Change { before: Milliunits::new(1), after: Milliunits::new(after) };
    Proposal {
        plan: "p".into(),
        kind: Kind::Budget,
        subject: serde_json::json!(after),
        guard: Value::Null,
        question: "Budget?".into(),
        done: "Done.".into(),
        steps: vec![Step::Budget { month: Month::at(24_315), category: "c".into(), budgeted }],
        undoes: None,
    }
}

fn intend(journal: &Journal, id: &str, proposal: &Proposal) -> Result<Flight, Refusal> {
    journal.intend(proposal, &id.into(), "2026-03-17T10:00:00Z".into(), 7)
}

fn settle(journal: &Journal, id: &str, state: StepState, heard: Heard) {
    journal.settle(&id.into(), 0, state, Landed::default(), heard).expect("a line");
}

fn doubts(journal: &Journal) -> Vec<String> {
    let contents = journal.read().expect("the journal");
    contents.doubtful.into_iter().map(|doubtful| doubtful.operation.id.to_string()).collect()
}

#[test]
fn an_intent_is_on_disk_before_anything_else_and_only_for_its_owner() {
    let place = Place::new("intent");
    let journal = place.journal("one");
    let _flight = intend(&journal, "op", &proposal(2)).expect("recorded");
    let line: Value = serde_json::from_str(place.text().trim_end()).expect("JSON");
    assert_eq!((&line["event"], &line["v"], &line["knowledge"]), (&"intent".into(), &2.into(), &7.into()));
    assert_eq!(line["steps"][0]["budgeted"], serde_json::json!({ "before": 1, "after": 2 }));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&place.file()), mode(&place.0)), (0o600, 0o700));
        for (before, after) in [(0o644, 0o600), (0o700, 0o700)] {
            fs::set_permissions(place.file(), fs::Permissions::from_mode(before)).expect("a mode");
            settle(&journal, "op", StepState::Applied, Heard::Yes);
            assert_eq!(mode(&place.file()), after, "closed to others, its owner's part left alone");
        }
    }
}

#[test]
fn what_is_under_way_here_is_no_doubt_and_what_is_over_without_a_word_is_one() {
    let place = Place::new("flight");
    let journal = place.journal("one");
    let flight = intend(&journal, "op", &proposal(2)).expect("recorded");
    assert!(doubts(&journal).is_empty());
    drop(flight);
    assert_eq!(doubts(&journal), ["op"]);
    settle(&journal, "op", StepState::NotApplied, Heard::Perhaps);
    assert!(doubts(&journal).is_empty());
    let memory = Journal::in_memory();
    drop(intend(&memory, "op", &proposal(2)).expect("recorded"));
    assert_eq!(doubts(&memory), ["op"]);
}

#[test]
fn another_process_is_judged_only_when_it_is_gone() {
    let place = Place::new("processes");
    let (one, two) = (place.journal("one"), place.journal("two"));
    let _flight = intend(&one, "op", &proposal(2)).expect("recorded");
    assert!(doubts(&two).is_empty(), "it lives");
    one.leave();
    assert_eq!(doubts(&two), ["op"], "it ended");
    assert!(!alive_path(&place.file(), "one").exists());
}

#[test]
fn a_change_that_nobody_may_have_heard_of_is_known_by_its_fingerprint() {
    let place = Place::new("unheard");
    let print = proposal(2).fingerprint();
    let known = |journal: &Journal| {
        let unheard = journal.read().expect("the journal").unheard;
        unheard.get(&print).map(|unheard| (unheard.operation.to_string(), unheard.whole))
    };
    let (one, two) = (place.journal("one"), place.journal("two"));
    let _ = intend(&one, "heard", &proposal(2)).expect("recorded");
    settle(&one, "heard", StepState::Applied, Heard::Yes);
    assert_eq!(known(&two), None);
    // Killed right after: the lock is free, and the file still there.
    let (path, lock) = held(&one.alive).take().expect("alive");
    drop(lock);
    assert!(path.exists());
    assert_eq!(known(&two), Some(("heard".into(), true)));
    let _ = intend(&two, "cancelled", &proposal(2)).expect("recorded");
    settle(&two, "cancelled", StepState::Applied, Heard::Perhaps);
    assert_eq!(known(&two), Some(("cancelled".into(), true)));
    let _ = intend(&two, "again", &proposal(2)).expect("recorded");
    settle(&two, "again", StepState::Applied, Heard::Yes);
    assert_eq!(known(&two), None, "made again, and heard of");
    let steps = [proposal(2).steps, proposal(2).steps].concat();
    let _ = intend(&two, "half", &Proposal { steps, ..proposal(2) }).expect("recorded");
    settle(&two, "half", StepState::Applied, Heard::Perhaps);
    assert_eq!(known(&two), Some(("half".into(), false)));
}

#[test]
fn point_13_damaged_lines_are_named_and_kept_and_the_rest_is_read() {
    let place = Place::new("damaged");
    let journal = place.journal("one");
    let _ = intend(&journal, "first", &proposal(2)).expect("recorded");
    settle(&journal, "first", StepState::Applied, Heard::Yes);
    let text = place.text().replacen("\n", "\nnot json\n{\"event\":\"unknown\"}\n", 1);
    fs::write(place.file(), text.clone() + "{\"event\":\"intent\",\"v\":2,\"operation_id\":\"cu").expect("damaged");
    let contents = journal.read().expect("the journal");
    assert_eq!(contents.operations.len(), 1);
    assert_eq!(contents.operations[0].steps[0].state, StepState::Applied);
    let at = |line: usize| format!("line {line} of {}", place.file().display());
    assert_eq!((contents.damaged, contents.torn), (vec![at(2), at(3)], vec![at(5)]));
    let _ = intend(&journal, "next", &proposal(3)).expect("recorded");
    assert!(place.text().starts_with(&text), "nothing is dropped");
    assert_eq!(place.text().lines().count(), 6);
    let contents = journal.read().expect("the journal");
    assert_eq!((contents.operations.len(), contents.damaged.len(), contents.torn), (2, 2, vec![at(5)]));
}

#[test]
fn a_whole_line_without_its_end_is_read_and_ended() {
    let place = Place::new("unended");
    let journal = place.journal("one");
    let _ = intend(&journal, "first", &proposal(2)).expect("recorded");
    fs::write(place.file(), place.text().trim_end()).expect("cut");
    settle(&journal, "first", StepState::Applied, Heard::Yes);
    let contents = journal.read().expect("the journal");
    assert!(contents.torn.is_empty() && contents.damaged.is_empty() && contents.doubtful.is_empty());
}

#[test]
fn only_the_beginning_of_an_own_line_is_torn() {
    for torn in ["{", "{\"event\"", "{\"event\":\"intent\"", "{\"event\":\"step\",\"v\":2,\"operation_id\":\"x\""] {
        assert!(is_torn(torn.as_bytes()), "{torn}");
    }
    for damaged in ["x", "{\"operation_id\":\"a\",\"mov", "{\"event\":\"intent\"}", "{\"event\":}", "[", "\"event"] {
        assert!(!is_torn(damaged.as_bytes()), "{damaged}");
    }
}

#[test]
fn a_place_that_cannot_be_written_refuses_before_anything_is_sent() {
    let place = Place::new("blocked");
    fs::create_dir_all(&place.0).expect("a folder");
    fs::write(place.0.join("file"), "").expect("a file");
    let cases = [
        (place.0.join("file/below/journal.jsonl"), "not a folder"),
        (place.0.clone(), "it is a folder"),
        (PathBuf::from("/dev/null"), "not a file"),
    ];
    for (path, words) in cases {
        if path.starts_with("/dev") && !path.exists() {
            continue;
        }
        let journal = Journal::on_disk(Some(path.clone()), None, "one".into());
        let unread = journal.read().err().map(|told| told.to_string()).unwrap_or_default();
        assert!(unread.contains("cannot be read") && unread.contains(words), "{}: {unread}", path.display());
        let told = intend(&journal, "op", &proposal(2)).err().expect("refused").to_string();
        assert!(told.contains("nothing was sent to YNAB") && told.contains(words), "{}: {told}", path.display());
    }
    let nowhere = Journal::on_disk(None, None, "one".into());
    let told = intend(&nowhere, "op", &proposal(2)).err().expect("refused").to_string();
    assert!(told.contains("AVENIR_MCP_JOURNAL"), "{told}");
}

#[test]
fn a_journal_held_by_another_process_refuses_in_time() {
    let place = Place::new("held");
    let journal = place.journal("one");
    let _ = intend(&journal, "first", &proposal(2)).expect("recorded");
    let other = OpenOptions::new().append(true).open(place.file()).expect("the file");
    other.lock().expect("locked");
    let told = intend(&journal, "second", &proposal(2)).err().expect("refused").to_string();
    assert!(told.contains("another process holds it"), "{told}");
    assert!(journal.read().is_err());
    drop(other);
    assert!(intend(&journal, "third", &proposal(2)).is_ok());
}

#[test]
fn a_step_is_settled_by_the_latest_word() {
    let place = Place::new("latest");
    let journal = place.journal("one");
    let _ = intend(&journal, "op", &proposal(2)).expect("recorded");
    settle(&journal, "op", StepState::NotApplied, Heard::Yes);
    settle(&journal, "op", StepState::Applied, Heard::Yes);
    assert_eq!(journal.read().expect("it").operations[0].steps[0].state, StepState::Applied);
    assert!(journal.settle(&"unknown".into(), 0, StepState::Applied, Landed::default(), Heard::Yes).is_ok());
    assert_eq!(journal.read().expect("it").damaged.len(), 1, "a word about nothing is named");
}

#[test]
fn what_an_undo_did_stands_with_what_it_took_back() {
    let place = Place::new("undo");
    let journal = place.journal("one");
    let _ = intend(&journal, "op", &proposal(2)).expect("recorded");
    settle(&journal, "op", StepState::Applied, Heard::Yes);
    let _ = intend(&journal, "back", &Proposal { undoes: Some("op".into()), ..proposal(1) }).expect("recorded");
    settle(&journal, "back", StepState::Applied, Heard::Yes);
    let contents = journal.read().expect("it");
    assert_eq!((contents.operations.len(), contents.operations[0].undone.len()), (1, 1));
}

#[test]
fn what_is_recorded_is_what_was_confirmed_and_a_way_back_needs_no_yes_of_its_own() {
    let journal = Journal::in_memory();
    let confirmed = |proposal| crate::confirm::without_question(proposal).expect("one that needs no question");
    let proposal = Proposal { kind: Kind::Approve, ..proposal(2) };
    let steps = proposal.steps.clone();
    let recorded = journal.record(confirmed(proposal), "op".into(), String::new(), 7).expect("recorded");
    assert_eq!((recorded.operation(), recorded.plan()), (&"op".into(), &"p".into()));
    assert_eq!((recorded.kind(), recorded.steps()), (Kind::Approve, &steps[..]));
    assert_eq!((recorded.knowledge(), recorded.done(), recorded.undoes()), (7, "Done.", None));
    let back = journal.record_back(&recorded, Step::Import, "back".into(), String::new(), 8).expect("recorded");
    assert_eq!((back.operation(), back.steps()), (&"back".into(), &[Step::Import][..]));
    assert_eq!((back.knowledge(), back.undoes()), (8, Some(&"op".into())));
}

#[test]
fn only_what_may_not_have_been_heard_is_marked() {
    let place = Place::new("heard");
    let journal = place.journal("one");
    let _ = intend(&journal, "op", &proposal(2)).expect("recorded");
    settle(&journal, "op", StepState::NotApplied, Heard::Yes);
    assert!(!place.text().contains("heard"));
    settle(&journal, "op", StepState::Applied, Heard::Perhaps);
    assert!(place.text().ends_with("\"heard\":\"perhaps\"}\n"));
}

#[test]
fn the_journal_is_where_the_user_says_or_beside_the_python_servers() {
    let place = Place::new("where");
    let named = place.journal("one");
    assert_eq!(named.path(), Some(&*place.file()));
    assert!(named.read().expect("nothing yet").operations.is_empty());
    let beside = Journal::on_disk(None, Some(place.0.clone()), "one".into());
    assert_eq!(beside.path(), Some(&*place.0.join("journal-v2.jsonl")));
    assert_eq!(Journal::in_memory().path(), None);
}

#[test]
fn the_python_servers_lines_are_read_and_judged_by_the_same_rules() {
    let place = Place::new("python");
    fs::create_dir_all(&place.0).expect("a folder");
    let flagged = |id: &str| {
        let change = serde_json::json!({ "transaction_id": "t", "from": null, "to": "red" });
        serde_json::json!({ "operation_id": id, "plan_id": "p", "kind": "flag", "applied_at": "2026-01-01T10:00:00Z",
            "details": { "changes": [change] } })
    };
    let undone = |id: &str| serde_json::json!({ "undone": id });
    let lines = [flagged("a"), flagged("b"), flagged("a"), undone("b"), undone("unknown"), serde_json::json!({})];
    fs::write(place.file(), lines.map(|line| line.to_string()).join("\n")).expect("written");
    let journal = Journal::on_disk(None, Some(place.0.clone()), "one".into());
    let contents = journal.read().expect("both");
    let known: Vec<_> = contents.operations.iter().map(|known| (known.id.as_str(), known.closed)).collect();
    assert_eq!(known, [("a", false), ("b", true)]);
    let at = |line: usize| format!("line {line} of {}", place.file().display());
    assert_eq!(
        contents.damaged,
        [at(3), at(5), at(6)],
        "one told twice, one that undoes nothing known, one of no kind"
    );
}

#[test]
fn whether_it_can_be_written_is_said_without_writing() {
    let place = Place::new("writable");
    let journal = place.journal("one");
    assert!(journal.writable().is_ok() && !place.file().exists(), "not there yet");
    let _ = intend(&journal, "op", &proposal(2)).expect("recorded");
    let text = place.text();
    assert!(journal.writable().is_ok() && place.text() == text);
    let told =
        Journal::on_disk(Some(place.0.clone()), None, "two".into()).writable().expect_err("a folder").to_string();
    assert!(told.contains("it is a folder") && told.contains("AVENIR_MCP_JOURNAL"), "{told}");
    assert!(Journal::on_disk(None, None, "one".into()).writable().is_err(), "nowhere");
    assert!(Journal::in_memory().writable().is_ok());
}

#[test]
fn a_process_that_ends_lets_go_and_one_that_cannot_be_looked_at_is_taken_for_living() {
    let place = Place::new("life");
    let (one, two) = (place.journal("one"), place.journal("two"));
    let _ = intend(&one, "op", &proposal(2)).expect("recorded");
    assert_eq!((one.life("one"), two.life("one"), two.life("never")), (Life::Here, Life::Elsewhere, Life::Ended));
    drop(one);
    assert_eq!(two.life("one"), Life::Ended);
    assert_eq!(two.life(&"x".repeat(400)), Life::Elsewhere, "no file can have that name");
    let odd = alive_path(&place.file(), "/elsewhere");
    fs::create_dir_all(odd.parent().expect("a folder")).expect("made");
    fs::write(odd, "").expect("written");
    assert_eq!(two.life("/elsewhere"), Life::Ended, "a name that would be a path is no process");
}

#[test]
fn a_file_held_for_a_moment_is_waited_for_and_one_that_cannot_be_locked_is_used() {
    let place = Place::new("moment");
    let journal = place.journal("one");
    let _ = intend(&journal, "first", &proposal(2)).expect("recorded");
    let other = OpenOptions::new().append(true).open(place.file()).expect("the file");
    other.lock().expect("locked");
    let moment = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(other);
    });
    assert!(intend(&journal, "second", &proposal(2)).is_ok());
    moment.join().expect("over");
    let failing = |kind: io::ErrorKind| wait_for(|| Err(fs::TryLockError::Error(kind.into())));
    assert!(failing(io::ErrorKind::Unsupported).is_ok(), "as on some network folders");
    assert!(failing(io::ErrorKind::PermissionDenied).is_err());
}

#[test]
fn an_error_of_the_disk_is_worded_for_a_person() {
    use io::ErrorKind::*;
    let cases = [
        (PermissionDenied, "access is denied"),
        (StorageFull, "the disk is full"),
        (QuotaExceeded, "the disk is full"),
        (ReadOnlyFilesystem, "the disk is read-only"),
        (NotADirectory, "part of its path is not a folder"),
        (AlreadyExists, "part of its path is not a folder"),
        (NotFound, "its folder does not exist"),
        (IsADirectory, "it is a folder"),
    ];
    for (kind, words) in cases {
        assert_eq!(worded(&kind.into()), words);
    }
    assert_eq!(worded(&io::Error::other("as the system says")), "as the system says");
}

proptest! {
    #[test]
    fn no_journal_is_too_odd_to_be_read(lines in prop::collection::vec(".*|\\{\"event\":\"(intent|step)\".*|\\{\"undone\":.*", 0..8)) {
        let mut reading = Reading::default();
        reading.take(Path::new("journal"), lines.join("\n").as_bytes());
        let found = reading.contents(|_| Life::Ended, |_| false);
        prop_assert!(found.damaged.len() + found.torn.len() + found.operations.len() <= lines.len() * 2);
    }

    #[test]
    fn a_cut_journal_loses_at_most_its_last_line(cut in 0_usize..2_000) {
        let lines: Vec<String> = (0..4).flat_map(|number| {
            let id = OperationId::new(format!("op{number}"));
            let line = Line::Intent { v: VERSION, operation_id: id.clone(), plan_id: "p".into(), kind: Kind::Budget,
                at: String::new(), process: "one".into(), knowledge: 1, fingerprint: String::new(), undoes: None,
                steps: proposal(number).steps };
            let step = Line::Step { v: VERSION, operation_id: id, step: 0, state: StepState::Applied,
                landed: Landed::default(), heard: Heard::Yes };
            [line, step].map(|line| serde_json::to_string(&line).unwrap_or_default())
        }).collect();
        let text = lines.join("\n");
        let cut = &text[..cut.min(text.len())];
        let whole = cut.matches('\n').count() + usize::from(lines.iter().any(|line| cut.ends_with(line.as_str())));
        let mut reading = Reading::default();
        reading.take(Path::new("journal"), cut.as_bytes());
        let found = reading.contents(|_| Life::Ended, |_| false);
        prop_assert!(found.damaged.is_empty());
        prop_assert!(found.torn.len() <= 1);
        prop_assert_eq!(found.operations.len(), whole.div_ceil(2));
        prop_assert_eq!(found.doubtful.len(), whole % 2);
    }
}
