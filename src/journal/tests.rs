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
        fs::set_permissions(place.file(), fs::Permissions::from_mode(0o644)).expect("opened to others");
        settle(&journal, "op", StepState::Applied, Heard::Yes);
        assert_eq!(mode(&place.file()), 0o600, "closed to them again");
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
        (place.0.clone(), "folder"),
        (PathBuf::from("/dev/null"), "not a file"),
    ];
    for (path, words) in cases {
        if path.starts_with("/dev") && !path.exists() {
            continue;
        }
        let journal = Journal::on_disk(Some(path.clone()), None, "one".into());
        let exists = path.exists() || path.starts_with(place.0.join("file"));
        assert_eq!(journal.read().is_err(), exists, "{}", path.display());
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
