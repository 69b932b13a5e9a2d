//! Owns what an operation did and what of it can be taken back now: each part as it was left, back, or changed since.
//! Never words a question (that is `undo`), and never takes back what someone changed since.

use std::collections::{HashMap, HashSet};

use super::stand::{self, Stand};
use super::{Change, Done, Kind, NewRow, Operation, RowEdit, Step, StepState, names, target};
use crate::ids::{CategoryId, TransactionId};
use crate::plan::{Category, Ix, Payee, Plan, Transaction};
use crate::text::safe;

/// What of an operation is left to take back.
#[derive(Clone, Debug, Default)]
pub(super) struct Remains {
    /// Transactions to put back: the edits that do it, only of fields that are as the operation left them.
    pub(super) edits: Vec<RowEdit>,
    /// Transactions to delete: created by the operation and unchanged.
    pub(super) deletes: Vec<(TransactionId, NewRow)>,
    /// Those of them that an old line does not describe: nobody but the user can tell whether they changed.
    pub(super) undescribed: Vec<TransactionId>,
    /// What else to put back, last done first.
    pub(super) others: Vec<Step>,
    /// What is left alone because it changed since.
    pub(super) conflicts: Vec<Conflict>,
    /// How many parts are as they were before, without this undo.
    pub(super) back: usize,
}

/// Something left alone.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    /// The id of what changed.
    pub(super) id: String,
    /// What it is and why it is left alone.
    pub(super) words: String,
}

impl Remains {
    /// Whether there is something to take back.
    pub(super) fn is_ready(&self) -> bool {
        !(self.edits.is_empty() && self.deletes.is_empty() && self.others.is_empty())
    }
}

/// Why nothing of this kind can be taken back; `None` where it can.
pub(super) fn stuck(operation: &Operation) -> Option<&'static str> {
    operation.steps.iter().filter(|done| done.state != StepState::NotApplied).find_map(|done| match &done.step {
        Step::Split { .. } => Some("A split cannot be taken back from here: edit the transaction in YNAB."),
        Step::CreateCategory { .. } => Some("A category cannot be deleted from here: hide or delete it in YNAB."),
        Step::Import => Some("An import cannot be taken back from here: delete its transactions in YNAB."),
        Step::Target { goal, sent, .. } if target::restoring(goal, sent).is_none() => {
            Some("The target it replaced is of a kind that cannot be set from here: set it in YNAB.")
        }
        _ => None,
    })
}

/// Whether every part was taken back by earlier undos, or nothing of it was ever applied.
pub(super) fn is_over(operation: &Operation) -> bool {
    let Parts { edits, created, others } = Parts::left(operation);
    operation.closed || (edits.is_empty() && created.is_empty() && others.is_empty())
}

/// What later operations have in effect: they are later work too, even where they made things as an earlier one did.
#[derive(Clone, Debug, Default)]
pub(super) struct Later(HashSet<(String, &'static str)>);

impl Later {
    /// Adds an operation, later than those looked at next.
    pub(super) fn add(&mut self, plan: &Plan, operation: &Operation) {
        let parts = Parts::left(operation);
        for edit in &parts.edits {
            if let Some(row) = plan.transactions.get(&edit.id) {
                let stands = stand::fields(plan, row, edit).into_iter().zip(FIELDS);
                let in_effect = stands.filter(|(stand, _)| *stand == Some(Stand::After));
                self.0.extend(in_effect.map(|(_, (_, field))| (edit.id.to_string(), field)));
            }
        }
        let in_effect = parts.others.iter().filter(|done| other_stand(plan, done) == Stand::After);
        self.0.extend(in_effect.filter_map(|done| key(&done.step)));
    }

    /// Where the plan stands, seen from an earlier operation.
    fn seen(&self, stand: Stand, key: Option<(String, &'static str)>) -> Stand {
        let taken = stand == Stand::After && key.is_some_and(|key| self.0.contains(&key));
        if taken { Stand::Elsewhere } else { stand }
    }
}

/// The fields of an edit in their order: in words, and as keys.
const FIELDS: [(&str, &str); 4] =
    [("category", "category"), ("flag", "flag"), ("cleared status", "cleared"), ("approval", "approved")];

/// What a step on a category, a month or a payee writes.
fn key(step: &Step) -> Option<(String, &'static str)> {
    Some(match step {
        Step::Budget { month, category, .. } => (format!("{category} {month}"), "budget"),
        Step::Category { category, .. } => (category.to_string(), "place"),
        Step::Target { category, .. } => (category.to_string(), "target"),
        Step::Payee { payee, .. } => (payee.to_string(), "payee"),
        _ => return None,
    })
}

/// What of the operation can be taken back now, with what later ones have in effect.
pub(super) fn remains(plan: &Plan, operation: &Operation, later: &Later) -> Remains {
    let parts = Parts::left(operation);
    let mut found = Remains::default();
    for edit in parts.edits {
        row(plan, edit, later, &mut found);
    }
    for (id, rows) in parts.created {
        creation(plan, id, &rows, &mut found);
    }
    for done in parts.others.iter().rev() {
        other(plan, done, later, &mut found);
    }
    if operation.kind == Kind::Move && !found.conflicts.is_empty() {
        found.others.clear();
    }
    found
}

/// The parts of an operation that no earlier undo took back.
struct Parts<'a> {
    /// The net change of each transaction that was there before.
    edits: Vec<RowEdit>,
    /// Each transaction created, and what it may have been created as, later edits of the operation included.
    created: Vec<(TransactionId, Vec<NewRow>)>,
    /// The other steps.
    others: Vec<&'a Done>,
}

impl<'a> Parts<'a> {
    fn left(operation: &'a Operation) -> Self {
        let mut parts = Self::done(operation);
        for undone in operation.undone.iter().filter(|done| done.state == StepState::Applied) {
            parts.without(undone);
        }
        parts
    }

    fn done(operation: &'a Operation) -> Self {
        let (mut edits, mut created, mut others) = (Net::default(), Vec::new(), Vec::new());
        for done in operation.steps.iter().filter(|done| done.state != StepState::NotApplied) {
            match &done.step {
                Step::Transactions { rows } => {
                    rows.iter().filter(|row| !done.landed.missed.contains(&row.id)).for_each(|row| edits.add(row));
                }
                Step::Create { rows, .. } => created.extend(creations(rows, done)),
                _ => others.push(done),
            }
        }
        for (id, rows) in &mut created {
            if let Some(edit) = edits.take(id) {
                rows.iter_mut().for_each(|row| edited(row, &edit));
            }
        }
        Self { edits: edits.edits.into_iter().flatten().collect(), created, others }
    }

    /// Leaves out what an undo took back.
    fn without(&mut self, undone: &Done) {
        match &undone.step {
            Step::Transactions { rows } => {
                let back: HashMap<&TransactionId, &RowEdit> = rows
                    .iter()
                    .filter(|row| !undone.landed.missed.contains(&row.id))
                    .map(|row| (&row.id, row))
                    .collect();
                self.edits.retain_mut(|edit| back.get(&edit.id).is_none_or(|back| !takes_all(edit, back)));
            }
            Step::Delete { id, .. } => self.created.retain(|(created, _)| created != id),
            step => self.others.retain(|other| inverse(&other.step).is_none_or(|back| !is_same(&back, step))),
        }
    }
}

/// The transactions a step created, each with what it was created as; any of the rows where YNAB's answer does not tell.
fn creations(rows: &[NewRow], done: &Done) -> Vec<(TransactionId, Vec<NewRow>)> {
    let is_double = |row: &&NewRow| row.import_id.as_ref().is_some_and(|id| done.landed.duplicates.contains(id));
    let made: Vec<&NewRow> = rows.iter().filter(|row| !is_double(row)).collect();
    let ids = &done.landed.created;
    let known = made.len() == ids.len();
    let of = |at: usize| if known { made.get(at..=at) } else { Some(&made[..]) };
    let all = |at: usize| of(at).unwrap_or_default().iter().map(|row| (*row).clone()).collect();
    ids.iter().enumerate().map(|(at, id)| (id.clone(), all(at))).collect()
}

/// Edits added up by transaction: the first value before, the last one after.
#[derive(Default)]
struct Net {
    edits: Vec<Option<RowEdit>>,
    places: HashMap<TransactionId, usize>,
}

impl Net {
    fn add(&mut self, edit: &RowEdit) {
        let place = *self.places.entry(edit.id.clone()).or_insert(self.edits.len());
        match self.edits.get_mut(place) {
            Some(Some(net)) => {
                chain(&mut net.category, &edit.category);
                chain(&mut net.flag, &edit.flag);
                chain(&mut net.cleared, &edit.cleared);
                chain(&mut net.approved, &edit.approved);
            }
            _ => self.edits.push(Some(edit.clone())),
        }
    }

    fn take(&mut self, id: &TransactionId) -> Option<RowEdit> {
        self.places.get(id).and_then(|place| self.edits.get_mut(*place)).and_then(Option::take)
    }
}

fn chain<T: Clone>(net: &mut Option<Change<T>>, next: &Option<Change<T>>) {
    match (net.as_mut(), next) {
        (Some(net), Some(next)) => net.after = next.after.clone(),
        (None, Some(next)) => *net = Some(next.clone()),
        (_, None) => {}
    }
}

/// A created row as a later step of the same operation left it.
fn edited(row: &mut NewRow, edit: &RowEdit) {
    if let Some(category) = &edit.category {
        row.category = category.after.clone();
    }
    if let Some(cleared) = &edit.cleared {
        row.cleared = cleared.after.clone();
    }
    if let Some(approved) = &edit.approved {
        row.approved = approved.after;
    }
}

/// Takes out of the edit the fields that `back` put back; true when none is left.
fn takes_all(edit: &mut RowEdit, back: &RowEdit) -> bool {
    fn take<T: PartialEq>(done: &mut Option<Change<T>>, back: &Option<Change<T>>) {
        if matches!((&done, back), (Some(done), Some(back)) if done.before == back.after) {
            *done = None;
        }
    }
    take(&mut edit.category, &back.category);
    take(&mut edit.flag, &back.flag);
    take(&mut edit.cleared, &back.cleared);
    take(&mut edit.approved, &back.approved);
    edit.category.is_none() && edit.flag.is_none() && edit.cleared.is_none() && edit.approved.is_none()
}

/// Whether two steps write the same thing, whatever it was before.
fn is_same(one: &Step, other: &Step) -> bool {
    match (one, other) {
        (Step::Budget { month, category, budgeted }, Step::Budget { month: m, category: c, budgeted: b }) => {
            (month, category, budgeted.after) == (m, c, b.after)
        }
        (Step::Category { category, place }, Step::Category { category: c, place: p }) => {
            (category, &place.after) == (c, &p.after)
        }
        (Step::Target { category, .. }, Step::Target { category: c, .. }) => category == c,
        (Step::Payee { payee, name }, Step::Payee { payee: p, name: n }) => (payee, &name.after) == (p, &n.after),
        _ => false,
    }
}

/// The step that takes this one back; `None` where there is none.
fn inverse(step: &Step) -> Option<Step> {
    fn turned<T: Clone>(change: &Change<T>) -> Change<T> {
        Change { before: change.after.clone(), after: change.before.clone() }
    }
    Some(match step {
        Step::Budget { month, category, budgeted } => {
            Step::Budget { month: *month, category: category.clone(), budgeted: turned(budgeted) }
        }
        Step::Category { category, place } => Step::Category { category: category.clone(), place: turned(place) },
        Step::Target { category, goal, sent } => {
            Step::Target { category: category.clone(), goal: turned(goal), sent: target::restoring(goal, sent)? }
        }
        Step::Payee { payee, name } => Step::Payee { payee: payee.clone(), name: turned(name) },
        _ => return None,
    })
}

/// A transaction's edit, turned round where it is as the operation left it.
fn row(plan: &Plan, edit: RowEdit, later: &Later, found: &mut Remains) {
    let mut leave = |words: String| found.conflicts.push(Conflict { id: edit.id.to_string(), words });
    let Some(row) = plan.transactions.get(&edit.id) else {
        return leave("a transaction that is no longer in the plan".into());
    };
    let head = names::row(plan, row);
    if row.deleted {
        return leave(format!("{head}: deleted since"));
    }
    let mut stands = stand::fields(plan, row, &edit);
    for (stand, (_, field)) in stands.iter_mut().zip(FIELDS) {
        *stand = stand.map(|stand| later.seen(stand, Some((edit.id.to_string(), field))));
    }
    if let Some((_, (what, _))) = stands.iter().zip(FIELDS).find(|(stand, _)| **stand == Some(Stand::Elsewhere)) {
        return leave(format!("{head}: its {what} changed since"));
    }
    let [category, flag, cleared, approved] = stands;
    let earlier = edit.category.as_ref().and_then(|change| change.before.as_ref());
    if category == Some(Stand::After) && earlier.is_some_and(|id| plan.categories.get(id).is_none_or(|c| c.deleted)) {
        return leave(format!("{head}: the category it had is deleted"));
    }
    let back = RowEdit {
        category: turned(edit.category, category),
        flag: turned(edit.flag, flag),
        cleared: turned(edit.cleared, cleared),
        approved: turned(edit.approved, approved),
        id: edit.id,
    };
    if back == RowEdit::of(back.id.clone()) {
        found.back += 1;
    } else {
        found.edits.push(back);
    }
}

/// The change that puts a field back, where it is as the operation left it.
fn turned<T>(change: Option<Change<T>>, stand: Option<Stand>) -> Option<Change<T>> {
    change.filter(|_| stand == Some(Stand::After)).map(|change| Change { before: change.after, after: change.before })
}

/// A created transaction, deleted where it is still what was created.
fn creation(plan: &Plan, id: TransactionId, rows: &[NewRow], found: &mut Remains) {
    let now: Option<&Transaction> = plan.transactions.get(&id);
    let live = now.filter(|now| !now.deleted && !now.is_split() && !now.is_transfer());
    if let Some(live) = live.filter(|_| rows.is_empty()) {
        found.undescribed.push(id.clone());
        found.deletes.push((id, stand::as_new(plan, live)));
        return;
    }
    let same = live.and_then(|now| rows.iter().find(|row| stand::is_created(plan, now, row)));
    if let Some(same) = same {
        found.deletes.push((id, same.clone()));
        return;
    }
    let words = match now {
        None => "a created transaction that is no longer in the plan".to_owned(),
        Some(row) if row.deleted => format!("{}: deleted since", names::row(plan, row)),
        Some(row) => format!("{}: changed since it was created", names::row(plan, row)),
    };
    found.conflicts.push(Conflict { id: id.to_string(), words });
}

/// Where the plan stands on a step on a category, a month or a payee.
fn other_stand(plan: &Plan, done: &Done) -> Stand {
    match &done.step {
        Step::Budget { month, category, budgeted } => stand::budget(plan, *month, category, budgeted),
        Step::Category { category, place } => stand::category(plan, category, place),
        Step::Target { category, goal, sent } => stand::target(plan, category, goal, sent, done.landed.goal.as_ref()),
        Step::Payee { payee, name } => stand::payee(plan, payee, name),
        _ => Stand::Elsewhere,
    }
}

/// A step on a category, a month or a payee, turned round where it is as the operation left it.
fn other(plan: &Plan, done: &Done, later: &Later, found: &mut Remains) {
    let step = &done.step;
    let category = |id: &CategoryId| {
        let known = plan.categories.get(id).map(|c| names::category(&plan.categories, c));
        (id.to_string(), known.unwrap_or_else(|| "a category that is no longer in the plan".into()))
    };
    let ((id, name), what) = match step {
        Step::Budget { month, category: of, .. } => {
            let (id, name) = category(of);
            ((id, format!("{name} for {month}")), "its amount changed since")
        }
        Step::Category { category: of, .. } => (category(of), "its name or group changed since"),
        Step::Target { category: of, .. } => (category(of), "its target changed since"),
        Step::Payee { payee: of, .. } => {
            let known = plan.payees.get(of).filter(|payee| !payee.deleted);
            let name = known.map_or_else(|| "a payee that is gone".into(), |payee| names::payee(plan, payee));
            ((of.to_string(), name), "renamed since")
        }
        _ => return,
    };
    match (later.seen(other_stand(plan, done), key(step)), inverse(step)) {
        (Stand::After, Some(back)) => match taken(plan, step) {
            Some(words) => found.conflicts.push(Conflict { id, words }),
            None => found.others.push(back),
        },
        (Stand::Before, _) => found.back += 1,
        _ => found.conflicts.push(Conflict { id, words: format!("{name}: {what}") }),
    }
}

/// Why the earlier name or group cannot be given again; `None` where it can.
fn taken(plan: &Plan, step: &Step) -> Option<String> {
    match step {
        Step::Category { category, place } => {
            let before = &place.before;
            if plan.groups.get(&before.group).is_none_or(|group| group.deleted) {
                return Some(format!("{}: the group it was in is deleted", safe(&place.after.name)));
            }
            let has =
                |c: &Category| c.id != *category && !c.deleted && c.group == before.group && *c.name == *before.name;
            let words =
                || format!("{}: another category is named '{}' now", safe(&place.after.name), safe(&before.name));
            plan.categories.iter().any(has).then(words)
        }
        Step::Payee { payee, name } => {
            let before = name.before.as_str();
            // A payee that YNAB made and nothing names any more does not stand in the way.
            let has =
                |(ix, p): (Ix<Payee>, &Payee)| p.id != *payee && !p.deleted && *p.name == *before && is_named(plan, ix);
            let words = || format!("'{}': another payee is named '{}' now", safe(&name.after), safe(before));
            plan.payees.enumerate().any(has).then(words)
        }
        _ => None,
    }
}

/// Whether a live transaction or schedule names the payee.
fn is_named(plan: &Plan, payee: Ix<Payee>) -> bool {
    let names = |row: &Transaction| row.payee == Some(payee) || row.live_lines().any(|line| line.payee == Some(payee));
    plan.live().any(names) || plan.scheduled.iter().any(|row| !row.deleted && row.payee == Some(payee))
}
