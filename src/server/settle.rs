//! Owns the end of doubt: reading YNAB to find out what became of a write whose answer was lost, and telling the
//! journal. Never sends a change.

use super::tool::Call;
use crate::client::Age;
use crate::ids::{PlanId, TransactionId};
use crate::journal::{Doubtful, Heard, Recorded};
use crate::writes::{Kind, Step, StepState, Verdict, doubt};

/// What became of a step of this very call; `None` when YNAB cannot be read either.
pub async fn judged(call: &Call, recorded: &Recorded, place: usize) -> Option<Verdict> {
    let step = recorded.steps().get(place)?;
    verdict(call, recorded.plan(), recorded.knowledge(), step).await
}

async fn verdict(call: &Call, plan: &PlanId, knowledge: i64, step: &Step) -> Option<Verdict> {
    let client = &call.app.client;
    let fresh: Vec<TransactionId> = match step {
        Step::Create { .. } => client.changed_since(&call.scope, plan, knowledge).await.ok()?,
        _ => Vec::new(),
    };
    let now = client.plan(&call.scope, plan, Age::Now).await.ok()?;
    Some(doubt::judge(step, &now, &fresh))
}

/// Settles, at the first call that touches the plan, what a process that is gone left open on it. What it finds is
/// told beside the answer.
pub async fn once(call: &Call, plan: &PlanId) {
    if !call.app.first_touch(plan) {
        return;
    }
    let contents = match call.app.journal.read() {
        Ok(contents) => contents,
        Err(refusal) => return call.scope.note(refusal.to_string()),
    };
    if !contents.damaged.is_empty() && call.app.first_damage() {
        call.scope.note(format!(
            "The journal has damaged lines, kept as they are: {}. What they recorded cannot be undone here.",
            contents.damaged.join(", ")
        ));
    }
    for doubtful in contents.doubtful.iter().filter(|doubtful| doubtful.operation.plan == *plan) {
        match settle(call, doubtful).await {
            Some(sentence) => call.scope.note(sentence),
            None => {
                call.app.touch_again(plan);
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
    let (mut applied, mut unclear) = (0, None);
    for (place, done) in operation.steps.iter().enumerate() {
        let (state, landed) = match done.state {
            StepState::Doubt => match verdict(call, &operation.plan, doubtful.knowledge, &done.step).await? {
                Verdict::Applied(landed) | Verdict::Partly(landed) => (StepState::Applied, landed),
                Verdict::NotApplied => (StepState::NotApplied, Default::default()),
                Verdict::Unclear(why) => {
                    unclear = Some(why);
                    continue;
                }
            },
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
    let id = &operation.id;
    Some(match (unclear, applied) {
        (Some(why), _) => format!("An earlier call was interrupted ({what}, operation {id}): {why}"),
        (None, 0) => format!("An earlier call was interrupted ({what}): its change was not applied."),
        (None, all) if all == operation.steps.len() => {
            format!("An earlier call was interrupted ({what}): its change was applied (operation {id}).")
        }
        (None, _) => format!(
            "An earlier call was interrupted ({what}): its change was partly applied; undo_operation takes back what was \
             done (operation {id})."
        ),
    })
}

/// The sentence that comes before a question about a change that an interrupted call already made.
pub fn already(call: &Call, fingerprint: &str) -> Option<String> {
    let contents = call.app.journal.read().ok()?;
    let operation = contents.unheard.get(fingerprint)?;
    Some(format!(
        "An earlier, interrupted call already made this change (operation {operation}). A yes makes it once more."
    ))
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
