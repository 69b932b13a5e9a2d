//! Owns the end of doubt: reading YNAB to find out what became of a write whose answer was lost, and telling the
//! journal. Never sends a change.

use std::sync::atomic::Ordering;

use super::tool::Call;
use crate::client::{Age, Client, Scope};
use crate::ids::{PlanId, TransactionId};
use crate::journal::{Doubtful, Heard, Recorded, Unheard};
use crate::writes::{Kind, Step, StepState, Verdict, doubt};

/// What became of a step of this very call; `None` when YNAB cannot be read either.
pub async fn judged(call: &Call, recorded: &Recorded, place: usize) -> Option<Verdict> {
    let step = recorded.steps().get(place)?;
    // A call that was taken back finds out all the same.
    verdict(&call.app.client, &Scope::default(), recorded.plan(), recorded.knowledge(), step).await
}

async fn verdict(client: &Client, scope: &Scope, plan: &PlanId, knowledge: i64, step: &Step) -> Option<Verdict> {
    let fresh: Vec<TransactionId> = match step {
        // Nothing was read before it was asked for.
        Step::Import if knowledge == 0 => {
            return Some(Verdict::Unclear("what an import brought cannot be told; asking again does no harm".into()));
        }
        Step::Create { .. } | Step::Import => client.changed_since(scope, plan, knowledge).await.ok()?,
        _ => Vec::new(),
    };
    let now = client.plan(scope, plan, Age::Now).await.ok()?;
    Some(doubt::judge(step, &now, &fresh))
}

/// What does not begin with a capital or end with a stop, as a sentence.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// Settles, at the first call that touches the plan, what a process that is gone left open on it. What it finds is
/// told beside the answer; calls that come meanwhile wait, so that none asks about what is being found out.
pub async fn once(call: &Call, plan: &PlanId) {
    let touched = call.app.touched(plan);
    let mut told = touched.told.lock().await;
    if touched.settled.swap(true, Ordering::Relaxed) {
        return;
    }
    let contents = match call.app.journal.read() {
        Ok(contents) => contents,
        Err(refusal) => return call.scope.note(refusal.to_string()),
    };
    if call.app.first_damage() {
        if !contents.torn.is_empty() {
            call.scope.note(format!(
                "The journal was cut short by a crash at {}: nothing is lost, and the rest goes on on a new line.",
                contents.torn.join(", ")
            ));
        }
        if !contents.damaged.is_empty() {
            call.scope.note(format!(
                "The journal has damaged lines, kept as they are: {}. What they recorded cannot be undone here.",
                contents.damaged.join(", ")
            ));
        }
    }
    for doubtful in contents.doubtful.iter().filter(|doubtful| doubtful.operation.plan == *plan) {
        match settle(call, doubtful).await {
            Some(sentence) => {
                call.app.gate.learn(&doubtful.operation.id, &sentence);
                if told.insert((doubtful.operation.id.clone(), sentence.clone())) {
                    call.scope.note(sentence);
                }
            }
            None => {
                touched.settled.store(false, Ordering::Relaxed);
                call.scope.note(
                    "An earlier call was interrupted while it wrote, and YNAB cannot be read now: whether its change was \
                     applied is in doubt. The next call tries again to find out."
                        .to_owned(),
                );
            }
        }
    }
}

/// Judges every doubtful step of an operation and tells the journal; the sentence says what was found.
async fn settle(call: &Call, doubtful: &Doubtful) -> Option<String> {
    let operation = &doubtful.operation;
    let (mut applied, mut partly, mut unclear) = (0, false, None);
    for (place, done) in operation.steps.iter().enumerate() {
        let (state, landed) = match done.state {
            StepState::Doubt => {
                let verdict = verdict(&call.app.client, &call.scope, &operation.plan, doubtful.knowledge, &done.step);
                match verdict.await? {
                    Verdict::Applied(landed) => (StepState::Applied, landed),
                    Verdict::Partly(landed) => {
                        partly = true;
                        (StepState::Applied, landed)
                    }
                    Verdict::NotApplied => (StepState::NotApplied, Default::default()),
                    Verdict::Unclear(why) => {
                        unclear = Some(why);
                        continue;
                    }
                }
            }
            state => {
                applied += usize::from(state == StepState::Applied);
                continue;
            }
        };
        applied += usize::from(state == StepState::Applied);
        if let Err(error) = call.app.journal.settle(&operation.id, place, state, landed, Heard::Perhaps) {
            tracing::error!(%error, "the journal could not be told what came of an earlier write");
        }
    }
    let what = named(operation.kind, doubtful.undoes.is_some());
    let (id, rest) = match &doubtful.undoes {
        None => (&operation.id, "takes back what was done"),
        Some(undone) => (undone, "takes back the rest"),
    };
    Some(match (unclear, applied) {
        (Some(why), _) => format!("An earlier call was interrupted ({what}, operation {id}). {}", sentence(&why)),
        (None, 0) => format!("An earlier call was interrupted ({what}): its change was not applied."),
        (None, all) if all == operation.steps.len() && !partly => {
            format!("An earlier call was interrupted ({what}): its change was applied (operation {id}).")
        }
        (None, _) => format!(
            "An earlier call was interrupted ({what}): its change was partly applied; undo_operation {rest} (operation {id})."
        ),
    })
}

/// The sentence that comes before a question about a change that an interrupted call already made, or part of it.
pub fn already(call: &Call, fingerprint: &str) -> Option<String> {
    let contents = call.app.journal.read().ok()?;
    let Unheard { operation, whole } = contents.unheard.get(fingerprint)?;
    Some(match whole {
        true => format!(
            "An earlier, interrupted call already made this change (operation {operation}). A yes makes it once more."
        ),
        false => format!(
            "An earlier, interrupted call already made part of this change (operation {operation}; undo_operation takes \
             that back). A yes makes all of it once more."
        ),
    })
}

/// What sort of change it was, in a person's words.
fn named(kind: Kind, undo: bool) -> String {
    let what = match kind {
        Kind::Categorize => "categories of transactions",
        Kind::Reconcile => "a reconciliation",
        Kind::Budget => "an assigned amount",
        Kind::Move => "a move of money",
        Kind::Create => "new transactions",
        Kind::Flag => "flags",
        Kind::Target => "a target",
        Kind::Payee => "a payee's name",
        Kind::Approve => "approvals",
        Kind::Split => "a split",
        Kind::Category => "a category's name or group",
        Kind::CreateCategory => "a new category",
        Kind::Import => "a bank import",
        Kind::Statement => "a bank statement",
    };
    if undo { format!("taking back {what}") } else { what.to_owned() }
}
