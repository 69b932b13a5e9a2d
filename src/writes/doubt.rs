//! Owns the verdict on a write whose answer was lost: what the plan, read again, says became of it.
//! Never sends anything, and says so where the plan does not tell.

use std::collections::HashSet;

use super::stand::{self, Stand};
use super::{CategoryPlace, Landed, NewLine, NewRow, RowEdit, Step, Verdict, categorize, names};
use crate::ids::{CategoryId, TransactionId};
use crate::plan::{Plan, Transaction};

/// How many transactions a verdict names.
const NAMES_MAX: usize = 5;

/// What became of the step, seen from the plan read afterwards; `fresh` are the transactions that changed since the
/// step was recorded.
pub fn judge(step: &Step, plan: &Plan, fresh: &[TransactionId]) -> Verdict {
    match step {
        Step::Transactions { rows } => edited(plan, rows),
        Step::Create { rows, twins } => created(plan, rows, twins, fresh),
        Step::Delete { id, .. } => match plan.transactions.get(id) {
            Some(row) if !row.deleted => Verdict::NotApplied,
            _ => Verdict::Applied(Landed::default()),
        },
        Step::Split { id, before, lines } => split(plan, id, before.as_ref(), lines),
        Step::Budget { month, category, budgeted } => {
            verdict(stand::budget(plan, *month, category, budgeted), "the amount assigned")
        }
        Step::Category { category, place } => {
            verdict(stand::category(plan, category, place), "the category's name or group")
        }
        Step::CreateCategory { place } => match category_at(plan, place) {
            Some(id) => Verdict::Applied(Landed { category: Some(id), ..Landed::default() }),
            None => Verdict::NotApplied,
        },
        Step::Target { category, goal, sent } => {
            verdict(stand::target(plan, category, goal, sent, None), "the category's target")
        }
        Step::Payee { payee, name } => verdict(stand::payee(plan, payee, name), "the payee's name"),
        Step::Import => imported(plan, fresh),
    }
}

fn verdict(stand: Stand, what: &str) -> Verdict {
    match stand {
        Stand::After => Verdict::Applied(Landed::default()),
        Stand::Before => Verdict::NotApplied,
        Stand::Elsewhere => Verdict::Unclear(format!("{what} is neither as before nor as asked: it changed since")),
    }
}

/// A row that is elsewhere was changed by someone else since: it counts as missed, the others decide.
fn edited(plan: &Plan, rows: &[RowEdit]) -> Verdict {
    let stands: Vec<Stand> = rows.iter().map(|row| stand::row(plan, row)).collect();
    let has = |wanted: Stand| stands.contains(&wanted);
    let not_after = rows.iter().zip(&stands).filter(|(_, stand)| **stand != Stand::After);
    let missed: Vec<TransactionId> = not_after.map(|(row, _)| row.id.clone()).collect();
    match (has(Stand::After), missed.is_empty()) {
        (true, true) => Verdict::Applied(Landed::default()),
        (true, false) => Verdict::Partly(Landed { missed, ..Landed::default() }),
        (false, _) if has(Stand::Before) => Verdict::NotApplied,
        (false, _) => {
            Verdict::Unclear("the transactions are neither as before nor as asked: they changed since".into())
        }
    }
}

/// Each row is looked for among the transactions that are new since and equal in every field sent; one answers for one row.
/// Where more answer than were sent, another client made some of them, and none is claimed.
fn created(plan: &Plan, rows: &[NewRow], twins: &[TransactionId], fresh: &[TransactionId]) -> Verdict {
    let twins: HashSet<&TransactionId> = twins.iter().collect();
    let live = fresh.iter().filter(|id| !twins.contains(id)).filter_map(|id| plan.transactions.get(id));
    let answers = |t: &&Transaction| rows.iter().any(|row| stand::is_created(plan, t, row));
    let mut new: Vec<&Transaction> = live.filter(|row| !row.deleted).filter(answers).collect();
    let all = new.clone();
    let mut created = Vec::new();
    for row in rows {
        let found = new.iter().position(|t| stand::is_created(plan, t, row));
        created.extend(found.map(|at| new.remove(at).id.clone()));
    }
    match created.len() {
        _ if !new.is_empty() => {
            let names: Vec<String> = all.iter().take(NAMES_MAX).map(|row| names::row(plan, row)).collect();
            Verdict::Unclear(format!(
                "{} new transactions answer to the {} sent, so none is taken for one of them ({}): ask the user which of them \
                 to keep",
                all.len(),
                rows.len(),
                names.join("; ")
            ))
        }
        0 => Verdict::NotApplied,
        count if count == rows.len() => Verdict::Applied(Landed { created, ..Landed::default() }),
        _ => Verdict::Partly(Landed { created, ..Landed::default() }),
    }
}

fn split(plan: &Plan, id: &TransactionId, before: Option<&CategoryId>, lines: &[NewLine]) -> Verdict {
    let unclear =
        || Verdict::Unclear("the transaction is neither as before nor split as asked: it changed since".into());
    let Some(row) = plan.transactions.get(id).filter(|row| !row.deleted) else { return unclear() };
    if !row.is_split() {
        let same = categorize::category_id(plan, row).as_ref() == before;
        return if same { Verdict::NotApplied } else { unclear() };
    }
    let mut wanted: Vec<(_, &str)> = lines.iter().map(|line| (line.amount, line.category.as_str())).collect();
    let named = |ix| plan.categories[ix].id.as_str();
    let mut held: Vec<(_, &str)> =
        row.live_lines().map(|line| (line.amount, line.category.map_or("", named))).collect();
    wanted.sort_unstable();
    held.sort_unstable();
    if wanted == held { Verdict::Applied(Landed::default()) } else { unclear() }
}

/// The live category of that name in that group, letter case aside.
fn category_at(plan: &Plan, place: &CategoryPlace) -> Option<CategoryId> {
    let is =
        |c: &&crate::plan::Category| !c.deleted && c.group == place.group && stand::is_same_name(&c.name, &place.name);
    plan.categories.iter().find(is).map(|category| category.id.clone())
}

/// What an import brought: unapproved imported transactions among those that changed since.
fn imported(plan: &Plan, fresh: &[TransactionId]) -> Verdict {
    let is = |t: &&Transaction| !t.deleted && !t.approved && t.import_id.is_some();
    let created: Vec<TransactionId> =
        fresh.iter().filter_map(|id| plan.transactions.get(id)).filter(is).map(|t| t.id.clone()).collect();
    if created.is_empty() { Verdict::NotApplied } else { Verdict::Applied(Landed { created, ..Landed::default() }) }
}
