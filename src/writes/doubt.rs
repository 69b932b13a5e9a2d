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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Category, Transaction};
    use crate::writes::Change;
    use crate::writes::laws::stage::{books, carry_out, creating, plan, recategorised_since};

    #[test]
    fn rows_that_are_neither_as_before_nor_as_asked_tell_nothing() {
        let mut plan = plan();
        let step = books(&plan, 2).steps.remove(0);
        let Step::Transactions { rows } = &step else { panic!("{step:?}") };
        rows.iter().for_each(|row| recategorised_since(&mut plan, &row.id, "Rent"));
        assert!(matches!(judge(&step, &plan, &[]), Verdict::Unclear(_)));
    }

    #[test]
    fn a_row_stands_where_all_its_fields_do() {
        let mut plan = plan();
        let Step::Transactions { mut rows } = books(&plan, 1).steps.remove(0) else { panic!("edits") };
        let row = plan.transactions.get(&rows[0].id).expect("the row");
        rows[0].approved = Some(Change { before: row.approved, after: !row.approved });
        let step = Step::Transactions { rows: rows.clone() };
        assert_eq!(judge(&step, &plan, &[]), Verdict::NotApplied);
        carry_out(&mut plan, &Step::Transactions { rows: vec![RowEdit { approved: None, ..rows[0].clone() }] });
        assert!(matches!(judge(&step, &plan, &[]), Verdict::Unclear(_)), "only one of two fields");
        carry_out(&mut plan, &step);
        assert_eq!(judge(&step, &plan, &[]), Verdict::Applied(Landed::default()));
    }

    #[test]
    fn a_deletion_was_applied_when_the_transaction_is_gone() {
        let mut plan = plan();
        let step = creating(&plan, 1).steps.remove(0);
        let id = carry_out(&mut plan, &step).created.remove(0);
        let Step::Create { mut rows, .. } = step else { panic!("{step:?}") };
        let step = Step::Delete { id, row: rows.remove(0) };
        assert_eq!(judge(&step, &plan, &[]), Verdict::NotApplied);
        carry_out(&mut plan, &step);
        assert_eq!(judge(&step, &plan, &[]), Verdict::Applied(Landed::default()));
        let unknown = match step {
            Step::Delete { row, .. } => Step::Delete { id: "unknown".into(), row },
            other => other,
        };
        assert_eq!(judge(&unknown, &plan, &[]), Verdict::Applied(Landed::default()));
    }

    #[test]
    fn a_category_was_created_when_a_live_one_of_that_name_is_in_that_group() {
        let mut plan = plan();
        let group = plan.groups.iter().find(|group| &*group.name == "Fun").expect("the group").id.clone();
        let step = Step::CreateCategory { place: CategoryPlace { name: "Piano".into(), group: group.clone() } };
        let piano = Category { id: "piano".into(), name: "PIANO".into(), group, ..Category::default() };
        let others = [
            Category { id: "gone".into(), deleted: true, ..piano.clone() },
            Category { id: "elsewhere".into(), group: "another".into(), ..piano.clone() },
            Category { id: "organ".into(), name: "Organ".into(), ..piano.clone() },
        ];
        for other in others {
            plan.categories.put(other);
            assert_eq!(judge(&step, &plan, &[]), Verdict::NotApplied);
        }
        plan.categories.put(piano);
        let landed = Landed { category: Some("piano".into()), ..Landed::default() };
        assert_eq!(judge(&step, &plan, &[]), Verdict::Applied(landed));
    }

    #[test]
    fn a_split_was_applied_when_the_lines_are_as_asked_in_any_order() {
        let mut plan = plan();
        let is = |t: &&Transaction| t.is_split() && t.live_lines().all(|line| line.category.is_some());
        let row = plan.live().find(is).expect("a split").clone();
        let lines: Vec<NewLine> = row
            .live_lines()
            .map(|line| {
                let category = plan.categories[line.category.expect("a category")].id.clone();
                NewLine { amount: line.amount, category, memo: None }
            })
            .collect();
        let split = |lines: Vec<NewLine>| Step::Split { id: row.id.clone(), before: None, lines };
        let reversed = lines.iter().rev().cloned().collect();
        assert_eq!(judge(&split(reversed), &plan, &[]), Verdict::Applied(Landed::default()));
        let unclear = |plan: &Plan, step: &Step| matches!(judge(step, plan, &[]), Verdict::Unclear(_));
        assert!(unclear(&plan, &split(lines[1..].to_vec())), "other lines");
        let at = plan.transactions.find(&row.id).expect("the row");
        let set = |plan: &mut Plan, change: fn(&mut Transaction)| change(plan.transactions.at_mut(at));
        set(&mut plan, |row| row.lines.clear());
        assert_eq!(judge(&split(lines.clone()), &plan, &[]), Verdict::NotApplied);
        let elsewhere = Step::Split { id: row.id.clone(), before: Some("other".into()), lines: lines.clone() };
        assert!(unclear(&plan, &elsewhere), "another category since");
        set(&mut plan, |row| row.deleted = true);
        assert!(unclear(&plan, &split(lines)), "deleted since");
    }

    #[test]
    fn an_import_brought_what_is_new_imported_and_unapproved() {
        let mut plan = plan();
        let ids: Vec<TransactionId> = plan.live().take(4).map(|row| row.id.clone()).collect();
        assert_eq!(judge(&Step::Import, &plan, &[]), Verdict::NotApplied);
        let brought =
            |row: &mut Transaction| (row.approved, row.import_id) = (false, Some("YNAB:-1500:2026-03-01:1".into()));
        let otherwise: [fn(&mut Transaction); 4] =
            [|_| (), |row| row.deleted = true, |row| row.approved = true, |row| row.import_id = None];
        for (id, change) in ids.iter().zip(otherwise) {
            let at = plan.transactions.find(id).expect("the row");
            brought(plan.transactions.at_mut(at));
            change(plan.transactions.at_mut(at));
        }
        assert_eq!(judge(&Step::Import, &plan, &ids[1..]), Verdict::NotApplied);
        let landed = Landed { created: vec![ids[0].clone()], ..Landed::default() };
        assert_eq!(judge(&Step::Import, &plan, &ids), Verdict::Applied(landed));
    }
}
