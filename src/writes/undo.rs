//! Owns taking an operation back: which one, what of it, and the question.
//! Never overwrites later work: what changed since is left alone and named.

use serde_json::Value;

use super::categorize::{self, Recategorisation, Recategorised};
use super::effects::{self, Later, Remains};
use super::operations::is_of;
use super::{Kind, Operation, Outcome, Proposal, Proposed, Step, in_steps, names};
use crate::error::Refusal;
use crate::plan::Plan;
use crate::refuse;
use crate::text::{safe, with_lines};

/// What taking back an operation would change: the named one, else the latest of which something can be taken back now,
/// else the latest that is not over. `operations` are the plan's in the journal's order, oldest first.
pub fn undo(plan: &Plan, operations: &[Operation], id: Option<&str>) -> Result<Proposed<Recategorisation>, Refusal> {
    let (mut later, mut first) = (Later::default(), None);
    for operation in operations.iter().rev().filter(|operation| is_of(operation, plan)) {
        let takes_back = !effects::is_over(operation) && effects::stuck(operation).is_none();
        match id {
            Some(id) if operation.id.as_str() == id => return named(plan, operation, &later),
            None if takes_back => {
                let remains = effects::remains(plan, operation, &later);
                if remains.is_ready() {
                    return Ok(back(plan, operation, &remains));
                }
                first = first.or(Some((operation, remains)));
            }
            _ => {}
        }
        later.add(plan, operation);
    }
    match (id, first) {
        (Some(_), _) => Err(refuse!("No operation of this plan has this id. list_operations shows them.")),
        (None, Some((operation, remains))) => Ok(back(plan, operation, &remains)),
        (None, None) => Err(nothing_left(plan, operations)),
    }
}

/// What taking back the operation that was named would change, or why it cannot be.
fn named(plan: &Plan, operation: &Operation, later: &Later) -> Result<Proposed<Recategorisation>, Refusal> {
    if let Some(why) = effects::stuck(operation) {
        return Err(Refusal::new(why));
    }
    if effects::is_over(operation) {
        return Err(refuse!("This operation is undone already. list_operations shows what can still be undone."));
    }
    Ok(back(plan, operation, &effects::remains(plan, operation, later)))
}

fn nothing_left(plan: &Plan, operations: &[Operation]) -> Refusal {
    let own = operations.iter().rev().filter(|operation| is_of(operation, plan));
    match own.filter(|operation| !effects::is_over(operation)).find_map(effects::stuck) {
        Some(why) => refuse!("Nothing to undo: no operation of this plan can be taken back. {why}"),
        None => refuse!("Nothing to undo: no operation of this plan is in effect."),
    }
}

/// The proposal that takes back what remains, or what is left alone where there is nothing.
fn back(plan: &Plan, operation: &Operation, remains: &Remains) -> Proposed<Recategorisation> {
    let change = |edit: &super::RowEdit| {
        let to = edit.category.as_ref()?.after.clone();
        plan.transactions.get(&edit.id).map(|row| Recategorised::new(plan, row, to))
    };
    let mut answer = Recategorisation {
        outcome: Outcome::proposed(),
        changes: remains.edits.iter().filter_map(change).collect(),
        unchanged_count: remains.back,
        conflicts: remains.conflicts.iter().map(|conflict| conflict.id.clone()).collect(),
    };
    if !remains.is_ready() {
        answer.outcome = Outcome::nothing(left_alone("Nothing was undone.", remains));
        return Proposed { answer, proposal: None };
    }
    let shown: Vec<_> = remains.undescribed.iter().filter_map(|id| plan.transactions.get(id)).collect();
    let asked = with_lines(&asked(plan, operation, remains, &answer.changes), &names::rows(plan, &shown));
    let steps = in_steps(remains.edits.clone())
        .into_iter()
        .chain(remains.deletes.iter().map(|(id, row)| Step::Delete { id: id.clone(), row: row.clone() }))
        .chain(remains.others.iter().cloned());
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: operation.kind,
        subject: Value::String(operation.id.to_string()),
        guard: Value::Null,
        question: match remains.conflicts.len() {
            0 => asked,
            count => format!("{asked}\nLeft alone, changed since: {count}."),
        },
        done: left_alone("Undone.", remains),
        steps: steps.collect(),
        undoes: Some(operation.id.clone()),
    };
    Proposed { answer, proposal: Some(proposal) }
}

/// The first words, then what is left alone and why.
fn left_alone(first: &str, remains: &Remains) -> String {
    let words: Vec<String> = remains.conflicts.iter().map(|conflict| conflict.words.clone()).collect();
    match (words.len(), remains.back) {
        (0, 0) => first.to_owned(),
        (0, back) => format!("{first} As it was before already: {back}."),
        _ => with_lines(&format!("{first} Left alone:"), &words),
    }
}

/// The question, by what is to be put back.
fn asked(plan: &Plan, operation: &Operation, remains: &Remains, changes: &[Recategorised]) -> String {
    let (edits, deletes) = (remains.edits.len(), remains.deletes.len());
    match operation.kind {
        Kind::Categorize => {
            with_lines(&format!("Undo: recategorise {edits} transaction(s)?"), &categorize::lines(plan, changes))
        }
        Kind::Flag => format!("Undo: put back the flag of {edits} transaction(s)?"),
        Kind::Approve => format!("Undo: mark {edits} transaction(s) not approved?"),
        Kind::Create => format!("Undo: delete the {deletes} transaction(s) this operation created?"),
        Kind::Reconcile => {
            let and = if deletes == 0 { "" } else { " and delete the balance adjustment" };
            format!("Undo reconciliation: mark {edits} transaction(s) back to cleared{and}?")
        }
        Kind::Statement => format!(
            "Undo the statement: delete the {deletes} transaction(s) it created and put back the status of {edits}?"
        ),
        _ => match remains.others.as_slice() {
            [Step::Budget { month, category: from, budgeted }, Step::Budget { category: to, .. }] => {
                let amount = plan.currency.of(budgeted.before - budgeted.after);
                format!("Undo: move {amount} back from {} to {} for {month}?", name_of(plan, from), name_of(plan, to))
            }
            [step, ..] => format!("Undo: {}?", one(plan, step)),
            [] => String::new(),
        },
    }
}

/// What one step puts back.
fn one(plan: &Plan, step: &Step) -> String {
    match step {
        Step::Budget { month, category, budgeted } => {
            format!("set {} for {month} back to {}", name_of(plan, category), plan.currency.of(budgeted.after))
        }
        Step::Category { place, .. } => {
            let shown = |place: &super::CategoryPlace| {
                let group = plan.groups.get(&place.group).map(|group| safe(&group.name)).unwrap_or_default();
                format!("'{}' ({group})", safe(&place.name))
            };
            format!("change category {} back to {}", shown(&place.before), shown(&place.after))
        }
        Step::Target { category, .. } => format!("set the target of {} back", name_of(plan, category)),
        Step::Payee { name, .. } => format!("name the payee '{}' again", safe(&name.after)),
        _ => String::new(),
    }
}

fn name_of(plan: &Plan, id: &crate::ids::CategoryId) -> String {
    plan.categories.get(id).map(|category| names::category(&plan.categories, category)).unwrap_or_default()
}
