//! Owns the one path of every write: ask, record, apply, settle, answer. Never decides what a write is.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tool::{Call, Failure, Reply};
use super::{Writing, settle};
use crate::client::{ApplyError, Scope};
use crate::confirm::{self, Asked, Asking, Confirmed};
use crate::error::Refusal;
use crate::ids::OperationId;
use crate::journal::{Heard, Recorded};
use crate::refuse;
use crate::writes::{Answer, Change, Kind, Landed, Outcome, Proposed, Status, Step, StepState, Verdict};

/// Asks about what `propose` proposes and, on a yes, writes it.
pub async fn confirmed<A: Answer + Send, F: Future<Output = Result<Proposed<A>, Refusal>> + Send>(
    call: &Call,
    code: Option<&str>,
    propose: impl Fn() -> F + Sync,
) -> Result<Reply<A>, Failure> {
    let asking = Asking {
        context: &call.context,
        tool: call.tool,
        arguments: &call.arguments,
        code,
        responses: call.responses.as_ref(),
        state: call.state.as_deref(),
    };
    let seen = AtomicU64::new(0);
    let propose = || async {
        seen.store(call.app.journal.length(), Ordering::Relaxed);
        let mut proposed = propose().await?;
        if let Some(proposal) = &mut proposed.proposal
            && let Some(told) = settle::already(call, &proposal.fingerprint())
        {
            proposal.question = format!("{told}\n{}", proposal.question);
        }
        Ok(proposed)
    };
    match confirm::ask(&call.app.gate, &asking, propose).await? {
        Asked::Settled(answer) => Ok(Reply::Answer(answer)),
        Asked::Waiting(question) => Ok(Reply::Waiting(question)),
        Asked::Yes(answer, confirmed) => {
            let refused = || call.app.gate.remember(confirmed.ticket(), None, confirm::REFUSED_THEN);
            let turn = call.app.turn_to_write(&confirmed.proposal().plan).await.inspect_err(|_| refused())?;
            if call.app.journal.length() != seen.load(Ordering::Relaxed) {
                // Someone else wrote since the plan was read: what it left must still be what the yes was given to.
                let now = propose().await.inspect_err(|_| refused())?;
                let Some(proposal) = now.proposal else { return Ok(Reply::Answer(now.answer)) };
                if !confirmed.proposal().is_same(&proposal) {
                    refused();
                    return Err(confirm::plan_changed().into());
                }
            }
            Ok(Reply::Answer(carry_out(call, answer, confirmed, turn).await?))
        }
    }
}

/// Writes what needs no question: approving, and asking the bank for what is new.
pub async fn unasked<A: Answer + Send>(call: &Call, proposed: Proposed<A>) -> Result<A, Failure> {
    let Some(proposal) = proposed.proposal else { return Ok(proposed.answer) };
    let turn = call.app.turn_to_write(&proposal.plan).await?;
    Ok(carry_out(call, proposed.answer, confirm::without_question(proposal)?, turn).await?)
}

/// Writes while it is this call's turn.
async fn carry_out<A: Answer + Send>(
    call: &Call,
    mut answer: A,
    confirmed: Confirmed,
    _turn: Writing<'_>,
) -> Result<A, Refusal> {
    let app = &call.app;
    let ticket = confirmed.ticket().map(str::to_owned);
    let (kind, plan) = (confirmed.proposal().kind, confirmed.proposal().plan.clone());
    let operation = OperationId::new(confirm::new_operation_id());
    let remember = |became: String| app.gate.remember(ticket.as_deref(), Some(&operation), became);
    if call.scope.is_cancelled() {
        remember("Its call was cancelled, and nothing was changed.".into());
        return Err(refuse!("The call was cancelled. Nothing was changed."));
    }
    let recorded = app
        .journal
        .record(confirmed, operation.clone(), app.clock.timestamp(), app.client.knowledge(&plan))
        .inspect_err(|_| remember("Its change was not applied.".into()))?;
    let run = run(call, &recorded).await;
    let became = run.became(&recorded);
    remember(became.clone());
    if let Some(trouble) = &run.trouble {
        return Err(refuse!("{became} {trouble}"));
    }
    *answer.outcome() = Outcome {
        status: Status::Applied,
        message: recorded.done().to_owned(),
        confirmation: None,
        operation_id: match recorded.undoes() {
            None => Some(operation),
            // As recorded of the Python server: of the undos, only this one names what it took back.
            Some(undone) => (kind == Kind::Categorize).then(|| undone.clone()),
        },
    };
    answer.landed(&run.landed);
    Ok(answer)
}

/// How the steps of a write went.
#[derive(Default)]
struct Run {
    landed: Landed,
    /// How many steps were applied, wholly or in part.
    applied: usize,
    /// How many rows are as asked, of the steps that have rows.
    rows: usize,
    doubt: Option<Doubt>,
    put_back: bool,
    /// What went wrong first.
    trouble: Option<String>,
}

/// Why nobody knows what became of a step.
#[derive(Clone, Copy)]
enum Doubt {
    /// YNAB cannot be read.
    Unread,
    /// The plan does not tell.
    Untold,
}

impl Run {
    /// The first sentence of what is told: which of the four it was.
    fn became(&self, recorded: &Recorded) -> String {
        let (operation, rest) = match recorded.undoes() {
            None => (recorded.operation(), "undo_operation takes them back"),
            Some(undone) => (undone, "undo_operation again takes back the rest"),
        };
        match (&self.trouble, self.doubt) {
            (None, _) if recorded.undoes().is_some() => format!("The change was taken back (operation {operation})."),
            (None, _) => format!("The change was applied (operation {operation})."),
            (Some(_), Some(Doubt::Unread)) => format!(
                "In doubt: YNAB gave no answer and cannot be read now, so nobody knows yet whether the change was applied \
                 (operation {operation}). The next call that reaches YNAB finds out."
            ),
            (Some(_), Some(Doubt::Untold)) => format!(
                "Unclear: YNAB gave no clear answer, and the plan, read again, does not tell whether the change was applied \
                 (operation {operation})."
            ),
            (Some(_), None) if self.put_back => "Not applied: the first half was put back, nothing is changed.".into(),
            (Some(_), None) if self.applied == 0 => "Not applied: nothing was changed in YNAB.".into(),
            (Some(_), None) => {
                let steps = recorded.steps();
                let (done, all, what) = match steps.iter().map(rows_of).sum::<Option<usize>>() {
                    Some(all) => (self.rows, all, "transactions"),
                    None => (self.applied, steps.len(), "parts"),
                };
                format!("Partly applied: {done} of {all} {what} are as asked; {rest} (operation {operation}).")
            }
        }
    }
}

async fn run(call: &Call, recorded: &Recorded) -> Run {
    let mut run = Run::default();
    // A call may be taken back until something is written; then the rest is carried through.
    let through = Scope::default();
    for (place, step) in recorded.steps().iter().enumerate() {
        let scope = if run.applied == 0 { &call.scope } else { &through };
        let (state, landed, trouble) = match call.app.client.apply(scope, recorded, place).await {
            Ok(landed) => (StepState::Applied, landed, None),
            Err(ApplyError::Refused(error)) => (StepState::NotApplied, Landed::default(), Some(Refusal::from(error))),
            Err(ApplyError::Doubt(error)) => {
                tracing::warn!("YNAB gave no clear answer to a write; reading the plan to find out");
                match settle::judged(call, recorded, place).await {
                    Some(Verdict::Applied(landed)) => (StepState::Applied, landed, None),
                    Some(Verdict::Partly(landed)) => (StepState::Applied, landed, Some(Refusal::from(error))),
                    Some(Verdict::NotApplied) => (StepState::NotApplied, Landed::default(), Some(Refusal::from(error))),
                    Some(Verdict::Unclear(why)) => {
                        run.doubt = Some(Doubt::Untold);
                        (StepState::Doubt, Landed::default(), Some(Refusal::new(settle::sentence(&why))))
                    }
                    None => {
                        run.doubt = Some(Doubt::Unread);
                        (StepState::Doubt, Landed::default(), Some(Refusal::from(error)))
                    }
                }
            }
        };
        let missed = landed.missed.len();
        let (rows, is_change) = match step {
            // What was created otherwise than asked is there all the same.
            Step::Create { .. } => (landed.created.len() + landed.duplicates.len(), false),
            step => (rows_of(step).unwrap_or_default(), true),
        };
        let state = if is_change && missed > 0 && missed >= rows { StepState::NotApplied } else { state };
        if state != StepState::Doubt {
            keep(call, recorded, place, state, &landed);
        }
        if state == StepState::Applied {
            run.applied += 1;
            run.rows += rows.saturating_sub(missed);
        }
        gather(&mut run.landed, landed);
        let trouble = trouble.map(|refusal| refusal.to_string()).or_else(|| (missed > 0).then(|| NOT_MADE.to_owned()));
        // Marks that rest on rows which YNAB called duplicates and did not create are not sent.
        let whole = run.landed.duplicates.is_empty();
        let goes_on = whole && state == StepState::Applied && (trouble.is_none() || missed > 0);
        run.trouble = run.trouble.or(trouble);
        if !goes_on {
            // What was never sent is known not to be applied.
            for unsent in place + 1..recorded.steps().len() {
                keep(call, recorded, unsent, StepState::NotApplied, &Landed::default());
            }
            if recorded.kind() == Kind::Move && place == 1 && state == StepState::NotApplied {
                run.put_back = put_back(call, recorded).await;
            }
            break;
        }
    }
    run
}

const NOT_MADE: &str = "YNAB answered without making all of the change: read the plan again before trying once more.";

/// How many transactions a step is about; `None` for what is no list of transactions.
fn rows_of(step: &Step) -> Option<usize> {
    match step {
        Step::Transactions { rows } => Some(rows.len()),
        Step::Create { rows, .. } => Some(rows.len()),
        Step::Delete { .. } => Some(1),
        _ => None,
    }
}

fn keep(call: &Call, recorded: &Recorded, place: usize, state: StepState, landed: &Landed) {
    let alone = call.scope.is_cancelled() || call.app.left.is_cancelled();
    let heard = if alone { Heard::Perhaps } else { Heard::Yes };
    if let Err(error) = call.app.journal.settle(recorded.operation(), place, state, landed.clone(), heard) {
        // The intent is on disk: the next process finds out by reading YNAB, as after a crash.
        tracing::error!(%error, "the journal could not be told what came of a write");
    }
}

fn gather(all: &mut Landed, step: Landed) {
    all.created.extend(step.created);
    all.duplicates.extend(step.duplicates);
    all.missed.extend(step.missed);
    all.category = step.category.or(all.category.take());
}

/// The second half of a move was refused: the first is put back under the same yes, if nobody changed it since.
async fn put_back(call: &Call, recorded: &Recorded) -> bool {
    let Some(first) = recorded.steps().first() else { return false };
    let Step::Budget { month, category, budgeted } = first else { return false };
    let through = Scope::default();
    let Ok(now) = call.app.client.month(&through, recorded.plan(), *month, crate::client::Age::Now).await else {
        return false;
    };
    if now.categories.iter().find(|known| known.id == *category).map(|known| known.budgeted) != Some(budgeted.after) {
        return false;
    }
    let back = Step::Budget {
        month: *month,
        category: category.clone(),
        budgeted: Change { before: budgeted.after, after: budgeted.before },
    };
    let id = OperationId::new(confirm::new_operation_id());
    let knowledge = call.app.client.knowledge(recorded.plan());
    let Ok(back) = call.app.journal.record_back(recorded, back, id, call.app.clock.timestamp(), knowledge) else {
        return false;
    };
    let (state, landed) = match call.app.client.apply(&through, &back, 0).await {
        Ok(landed) => (StepState::Applied, landed),
        Err(ApplyError::Refused(_)) => (StepState::NotApplied, Landed::default()),
        Err(ApplyError::Doubt(_)) => match settle::judged(call, &back, 0).await {
            Some(Verdict::Applied(landed)) => (StepState::Applied, landed),
            Some(Verdict::NotApplied) => (StepState::NotApplied, Landed::default()),
            _ => return false,
        },
    };
    keep(call, &back, 0, state, &landed);
    state == StepState::Applied
}
