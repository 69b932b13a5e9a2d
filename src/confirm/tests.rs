//! Owns the tests of the gate. Never compiled outside of tests.

#[cfg(test)]
mod asking;

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::dates::Month;
use crate::money::Milliunits;
use crate::writes::{Change, Step};

/// A clock of its own for each test that turns it.
macro_rules! gate {
    ($seconds:ident, $require:expr) => {{
        static NOW: AtomicU64 = AtomicU64::new(1);
        let $seconds = &NOW;
        ($seconds, Gate::new(|| Duration::from_secs(NOW.load(Ordering::SeqCst)), $require))
    }};
}

fn proposal(before: i64, after: i64) -> Proposal {
    let budgeted = Change { before: Milliunits::new(before), after: Milliunits::new(after) };
    Proposal {
        plan: "p".into(),
        kind: Kind::Budget,
        subject: serde_json::json!({ "budgeted": after }),
        guard: Value::Null,
        question: "Budget?".into(),
        done: "Done.".into(),
        steps: vec![Step::Budget { month: Month::at(24_315), category: "c".into(), budgeted }],
        undoes: None,
    }
}

struct Plain(Outcome);

impl Answer for Plain {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.0
    }
}

fn proposed(before: i64, after: i64) -> Proposed<Plain> {
    Proposed { answer: Plain(Outcome::proposed()), proposal: Some(proposal(before, after)) }
}

async fn by_code(gate: &Gate, code: &str, before: i64, after: i64) -> Result<Asked<Plain>, GateError> {
    confirm_by_code(gate, "tool", code, &|| async move { Ok(proposed(before, after)) }).await
}

fn told<A>(given: Result<Asked<A>, GateError>) -> String {
    match given {
        Err(GateError::Refused(refusal)) => refusal.to_string(),
        Err(GateError::State(error)) => error.message.into_owned(),
        Ok(Asked::Yes(..)) => "yes".into(),
        Ok(_) => "no".into(),
    }
}

#[tokio::test]
async fn a_code_lives_ten_minutes_on_a_clock_that_never_goes_back() {
    let (now, gate) = gate!(seconds, false);
    let codes = [(); 2].map(|()| gate.issue(Bound::of("tool", &proposal(1, 2))));
    now.fetch_add(599, Ordering::SeqCst);
    assert_eq!(told(by_code(&gate, &codes[0], 1, 2).await), "yes");
    now.fetch_add(1, Ordering::SeqCst);
    assert_eq!(told(by_code(&gate, &codes[1], 1, 2).await), CODE_REFUSED);
    gate.issue(Bound::of("tool", &proposal(1, 2)));
    assert_eq!(held(&gate.issued).len(), 1, "codes that expired are forgotten");
}

#[tokio::test]
async fn a_code_is_spent_by_its_first_use_whatever_comes_of_it() {
    let (_, gate) = gate!(seconds, false);
    let code = gate.issue(Bound::of("tool", &proposal(1, 2)));
    assert_eq!(told(by_code(&gate, &code, 1, 3).await), CODE_REFUSED);
    assert_eq!(told(by_code(&gate, &code, 1, 2).await), format!("{CODE_REFUSED} {REFUSED_THEN}"));
    let code = gate.issue(Bound::of("another tool", &proposal(1, 2)));
    assert_eq!(told(by_code(&gate, &code, 1, 2).await), CODE_REFUSED, "of another tool");
    let code = gate.issue(Bound::of("tool", &proposal(1, 2)));
    assert!(told(by_code(&gate, &code, 9, 2).await).starts_with(PLAN_CHANGED));
    assert_eq!(told(by_code(&gate, &code, 1, 2).await), format!("{CODE_REFUSED} {REFUSED_THEN}"));
}

#[tokio::test]
async fn what_became_of_a_change_is_remembered_for_its_code() {
    let (_, gate) = gate!(seconds, false);
    let code = gate.issue(Bound::of("tool", &proposal(1, 2)));
    let Ok(Asked::Yes(_, confirmed)) = by_code(&gate, &code, 1, 2).await else { panic!("a yes") };
    gate.remember(confirmed.ticket(), Some(&"op".into()), "It is in doubt.");
    gate.learn(&"another".into(), "It was lost.");
    gate.learn(&"op".into(), "It was applied.");
    assert_eq!(told(by_code(&gate, &code, 1, 2).await), format!("{CODE_REFUSED} It was applied."));
    assert_eq!(told(by_code(&gate, "another code", 1, 2).await), CODE_REFUSED, "that says nothing of the first");
    gate.remember(Some("never given out"), None, "It was applied.");
    assert_eq!(gate.refused("never given out"), CODE_REFUSED);
}

#[tokio::test]
async fn a_call_that_comes_back_after_it_was_applied_is_told_so() {
    let (_, gate) = gate!(seconds, false);
    let code = gate.issue(Bound::of("tool", &proposal(1, 2)));
    let Ok(Asked::Yes(_, confirmed)) = by_code(&gate, &code, 1, 2).await else { panic!("a yes") };
    gate.remember(confirmed.ticket(), None, "It was applied.");
    let nothing = || async { Ok(Proposed { answer: Plain(Outcome::nothing("It is so.")), proposal: None }) };
    let Ok(Asked::Settled(answer)) = confirm_by_code(&gate, "tool", &code, &nothing).await else { panic!("settled") };
    assert_eq!(answer.0.message, format!("It is so. {CODE_REFUSED} It was applied."));
}

#[test]
fn codes_and_ids_are_made_of_safe_characters() {
    for _ in 0..200 {
        let (code, id) = (random_text::<8>(), new_operation_id());
        assert_eq!((code.len(), id.len()), (11, 22));
        assert!(code.bytes().chain(id.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert!(id.as_bytes()[0].is_ascii_alphanumeric());
    }
}

#[test]
fn a_state_is_answered_once_as_long_as_it_lives() {
    let (now, gate) = gate!(seconds, false);
    assert!(gate.spend("first"));
    for number in 0..REMEMBERED_MAX * 2 {
        assert!(gate.spend(&number.to_string()));
    }
    assert!(!gate.spend("first"), "however many came after it");
    now.fetch_add(ANSWER_TTL.as_secs(), Ordering::SeqCst);
    assert!(gate.spend("in its last second") && !gate.spend("first"));
    now.fetch_add(1, Ordering::SeqCst);
    assert!(gate.spend("last"));
    let spent = held(&gate.spent);
    assert_eq!((spent.order.len(), spent.became.len()), (REMEMBERED_MAX, REMEMBERED_MAX), "what expired makes room");
}

#[test]
fn a_state_opens_for_its_own_binding_only() {
    let (clock, gate) = gate!(seconds, false);
    let Ok(state) = gate.seal(b"this call", Bound::of("tool", &proposal(1, 2))) else { panic!("sealed") };
    // What is sealed begins with when it expires, in milliseconds since 1970.
    let body = state.split('.').nth(1).and_then(|body| URL_SAFE_NO_PAD.decode(body).ok()).unwrap_or_default();
    let expires = body.first_chunk::<8>().map(|bytes| Duration::from_millis(u64::from_be_bytes(*bytes)));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let left = expires.unwrap_or_default().saturating_sub(now);
    assert!(left <= ANSWER_TTL && left > ANSWER_TTL - Duration::from_secs(60), "{left:?}");
    assert_eq!(gate.open(b"this call", &state).map(|state| state.bound).ok(), Some(Bound::of("tool", &proposal(1, 2))));
    assert!(gate.open(b"another call", &state).is_err());
    clock.fetch_add(ANSWER_TTL.as_secs() - 1, Ordering::SeqCst);
    assert!(gate.open(b"this call", &state).is_ok());
    clock.fetch_add(1, Ordering::SeqCst);
    assert!(gate.open(b"this call", &state).is_err(), "late, whatever the machine's clock says");
    assert!(Gate::new(|| Duration::ZERO, false).open(b"this call", &state).is_err(), "another process");
}

#[test]
fn only_approving_and_importing_need_no_question() {
    for kind in [Kind::Approve, Kind::Import] {
        assert!(without_question(Proposal { kind, ..proposal(1, 2) }).is_ok());
    }
    for kind in [
        Kind::Categorize,
        Kind::Reconcile,
        Kind::Budget,
        Kind::Move,
        Kind::Create,
        Kind::Flag,
        Kind::Target,
        Kind::Payee,
        Kind::Split,
        Kind::Category,
        Kind::CreateCategory,
        Kind::Statement,
    ] {
        assert!(without_question(Proposal { kind, ..proposal(1, 2) }).is_err());
    }
}

#[test]
fn only_true_is_a_yes() {
    let read =
        |json: Value| serde_json::from_value::<ElicitResult>(json).map(|answer| matches!(said(&answer), Said::Yes));
    for value in [serde_json::json!("true"), 1.into(), 1.0.into(), "yes".into(), "on".into(), Value::Null, false.into()]
    {
        let answer = read(serde_json::json!({ "action": "accept", "content": { "value": value } }));
        assert!(!answer.unwrap_or(false), "{value}");
    }
    assert!(read(serde_json::json!({ "action": "accept", "content": { "value": true } })).unwrap_or(false));
    assert!(!read(serde_json::json!({ "action": "cancel", "content": { "value": true } })).unwrap_or(false));
}

#[test]
fn texts_are_equal_when_every_byte_is() {
    assert!(equal(b"abc", b"abc") && equal(b"", b""));
    assert!(!equal(b"ab", b"ba") && !equal(b"abc", b"abd") && !equal(b"bbc", b"abc") && !equal(b"ab", b"abc"));
}
