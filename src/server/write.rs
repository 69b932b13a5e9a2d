//! Owns the one path of every write: ask, record, apply, settle, answer. Never decides what a write is.

use super::settle;
use super::tool::{Call, Failure, Reply};
use crate::client::ApplyError;
use crate::confirm::{self, Asked, Asking, Confirmed};
use crate::error::Refusal;
use crate::ids::OperationId;
use crate::journal::{Heard, Recorded};
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
    let propose = || async {
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
        Asked::Yes(answer, confirmed) => Ok(Reply::Answer(carry_out(call, answer, confirmed).await?)),
    }
}

/// Writes what needs no question: approving, and asking the bank for what is new.
pub async fn unasked<A: Answer + Send>(call: &Call, proposed: Proposed<A>) -> Result<A, Failure> {
    let Some(proposal) = proposed.proposal else { return Ok(proposed.answer) };
    Ok(carry_out(call, proposed.answer, confirm::without_question(proposal)?).await?)
}

async fn carry_out<A: Answer + Send>(call: &Call, mut answer: A, confirmed: Confirmed) -> Result<A, Refusal> {
    let app = &call.app;
    let _writing = app.writing();
    let ticket = confirmed.ticket().map(str::to_owned);
    let plan = confirmed.proposal().plan.clone();
    let (kind, undoes) = (confirmed.proposal().kind, confirmed.proposal().undoes.clone());
    let operation = OperationId::new(confirm::new_operation_id());
    let recorded = app
        .journal
        .record(confirmed, operation.clone(), app.clock.timestamp(), app.client.knowledge(&plan))
        .inspect_err(|_| app.gate.remember(ticket.as_deref(), "Its change was not applied."))?;
    let run = run(call, &recorded).await;
    let became = run.became(&operation);
    let result = match &run.trouble {
        None => {
            answer.landed(&run.landed);
            *answer.outcome() = Outcome {
                status: Status::Applied,
                message: recorded.done().to_owned(),
                confirmation: None,
                operation_id: match undoes {
                    None => Some(operation),
                    // As recorded of the Python server: of the undos, only this one names what it took back.
                    Some(undone) => (kind == Kind::Categorize).then_some(undone),
                },
            };
            Ok(answer)
        }
        Some(trouble) => Err(Refusal::new(format!("{became} {trouble}"))),
    };
    app.gate.remember(ticket.as_deref(), became);
    result
}

/// How the steps of a write went.
struct Run {
    landed: Landed,
    applied: usize,
    steps: usize,
    doubt: bool,
    put_back: bool,
    trouble: Option<String>,
}

impl Run {
    /// The first sentence of what is told: which of the four it was.
    fn became(&self, operation: &OperationId) -> String {
        let rows = self.landed.missed.len();
        match (&self.trouble, self.doubt) {
            (None, _) => format!("The change was applied (operation {operation})."),
            (Some(_), true) => format!(
                "In doubt: YNAB gave no answer and cannot be read now, so nobody knows yet whether the change was applied \
                 (operation {operation}). The next call that reaches YNAB finds out."
            ),
            (Some(_), false) if self.put_back => "Not applied: the first half was put back, nothing is changed.".into(),
            (Some(_), false) if self.applied == 0 => "Not applied: nothing was changed in YNAB.".into(),
            (Some(_), false) if self.applied == self.steps => format!(
                "Partly applied: YNAB left {rows} transaction{} as {}; undo_operation takes back the rest (operation \
                 {operation}).",
                if rows == 1 { "" } else { "s" },
                if rows == 1 { "it was" } else { "they were" },
            ),
            (Some(_), false) => format!(
                "Partly applied: {} of {} parts were written; undo_operation takes them back (operation {operation}).",
                self.applied, self.steps
            ),
        }
    }
}

async fn run(call: &Call, recorded: &Recorded) -> Run {
    let steps = recorded.steps().len();
    let mut run = Run { landed: Landed::default(), applied: 0, steps, doubt: false, put_back: false, trouble: None };
    for place in 0..steps {
        let (state, landed, trouble) = match call.app.client.apply(&call.scope, recorded, place).await {
            Ok(landed) => (StepState::Applied, landed, None),
            Err(ApplyError::Refused(error)) => (StepState::NotApplied, Landed::default(), Some(Refusal::from(error))),
            Err(ApplyError::Doubt(error)) => {
                tracing::warn!("YNAB gave no clear answer to a write; reading the plan to find out");
                match settle::judged(call, recorded, place).await {
                    Some(Verdict::Applied(landed)) => (StepState::Applied, landed, None),
                    Some(Verdict::Partly(landed)) => (StepState::Applied, landed, Some(Refusal::from(error))),
                    Some(Verdict::NotApplied) => (StepState::NotApplied, Landed::default(), Some(Refusal::from(error))),
                    Some(Verdict::Unclear(why)) => (StepState::Doubt, Landed::default(), Some(Refusal::new(why))),
                    None => (StepState::Doubt, Landed::default(), Some(Refusal::from(error))),
                }
            }
        };
        let missed_all = !landed.missed.is_empty() && landed.missed.len() >= rows_of(&recorded.steps()[place]);
        let state = if missed_all { StepState::NotApplied } else { state };
        let missed = !landed.missed.is_empty();
        if state != StepState::Doubt {
            keep(call, recorded, place, state, &landed);
        }
        run.doubt |= state == StepState::Doubt;
        run.applied += usize::from(state == StepState::Applied);
        gather(&mut run.landed, landed);
        run.trouble = trouble.map(|refusal| refusal.to_string());
        if missed && run.trouble.is_none() {
            run.trouble =
                Some("YNAB answered without making the change: read the plan again before trying once more.".into());
        }
        if run.trouble.is_some() && (state != StepState::Applied || !missed || missed_all) {
            // What was never sent is known not to be applied.
            for unsent in place + 1..steps {
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

/// How many rows a step changes one by one.
fn rows_of(step: &Step) -> usize {
    match step {
        Step::Transactions { rows } => rows.len(),
        Step::Create { rows, .. } => rows.len(),
        _ => 1,
    }
}

fn keep(call: &Call, recorded: &Recorded, place: usize, state: StepState, landed: &Landed) {
    let heard = if call.scope.is_cancelled() { Heard::Perhaps } else { Heard::Yes };
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
    let Ok(now) = call.app.client.month(&call.scope, recorded.plan(), *month, crate::client::Age::Now).await else {
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
    let (state, landed) = match call.app.client.apply(&call.scope, &back, 0).await {
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
