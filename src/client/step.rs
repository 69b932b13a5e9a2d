//! Owns how a step of a recorded change is worded as a request, and what YNAB's answer to it says.
//! Never sends it. Only a recorded change becomes a request that changes something.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::error::{Error, Why};
use super::wire::WireError;
use super::wire::saved::{self, Saved, SavedRow};
use crate::ids::{CategoryId, PlanId, is_segment};
use crate::journal::Recorded;
use crate::plan::{Goal, UNCATEGORIZED};
use crate::text;
use crate::writes::{GoalSent, GoalState, Landed, NewLine, NewRow, RowEdit, Step};

/// How a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// A request to YNAB. One that is no GET comes from [`Request::change`] alone.
pub(super) struct Request {
    method: Method,
    path: String,
    body: Option<String>,
    doing: String,
}

impl Request {
    /// A reading request; every id in the path has been checked.
    pub(super) fn get(path: String, doing: &str) -> Self {
        Self { method: Method::Get, path, body: None, doing: doing.to_owned() }
    }

    /// The request of one step of a recorded change, and the step.
    pub(super) fn change(recorded: &Recorded, step: usize) -> Result<(Self, &Step), Error> {
        let Some(step) = recorded.steps().get(step) else {
            return Err(Error::new("make the change", Why::NoSuchStep));
        };
        let doing = doing(step);
        let (method, path, body) = match word(recorded.plan(), step) {
            Ok(worded) => worded,
            Err(id) => return Err(Error::new(doing, Why::NotAnId(text::safe(&id).into_owned()))),
        };
        Ok((Self { method, path, body: body.map(|body| body.to_string()), doing }, step))
    }

    pub(super) fn method(&self) -> Method {
        self.method
    }

    /// The path below YNAB's address, with its query.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }

    /// What it does, as a verb.
    pub(super) fn doing(&self) -> &str {
        &self.doing
    }
}

/// What a step does, as a verb.
fn doing(step: &Step) -> String {
    let many = |verb: &str, rows: usize| match rows {
        1 => format!("{verb} the transaction"),
        rows => format!("{verb} {rows} transactions"),
    };
    match step {
        Step::Transactions { rows } => many("change", rows.len()),
        Step::Create { rows, .. } => many("create", rows.len()),
        Step::Delete { .. } => "delete the transaction".into(),
        Step::Split { .. } => "split the transaction".into(),
        Step::Budget { .. } => "assign the money".into(),
        Step::Category { .. } => "change the category".into(),
        Step::CreateCategory { .. } => "create the category".into(),
        Step::Target { .. } => "change the target".into(),
        Step::Payee { .. } => "rename the payee".into(),
        Step::Import => "import from the bank".into(),
    }
}

/// An id that may become part of a path; else its text.
fn segment(id: &str) -> Result<&str, String> {
    if is_segment(id) { Ok(id) } else { Err(id.to_owned()) }
}

/// Method, path and body of a step; the id that cannot be one otherwise.
fn word(plan: &PlanId, step: &Step) -> Result<(Method, String, Option<Value>), String> {
    let plan = segment(plan.as_str())?;
    let rows = |rows: Vec<Value>| Some(json!({ "transactions": rows }));
    Ok(match step {
        Step::Transactions { rows: edits } => {
            (Method::Patch, format!("/plans/{plan}/transactions"), rows(edits.iter().map(edit).collect()))
        }
        Step::Create { rows: new, .. } => {
            (Method::Post, format!("/plans/{plan}/transactions"), rows(new.iter().map(new_row).collect()))
        }
        Step::Delete { id, .. } => {
            (Method::Delete, format!("/plans/{plan}/transactions/{}", segment(id.as_str())?), None)
        }
        Step::Split { id, lines, .. } => {
            let lines: Vec<Value> = lines.iter().map(new_line).collect();
            let row = json!({ "id": id, "category_id": null, "subtransactions": lines });
            (Method::Patch, format!("/plans/{plan}/transactions"), rows(vec![row]))
        }
        Step::Budget { month, category, budgeted } => (
            Method::Patch,
            format!("/plans/{plan}/months/{month}/categories/{}", segment(category.as_str())?),
            Some(json!({ "category": { "budgeted": budgeted.after } })),
        ),
        Step::Category { category, place } => {
            let mut fields = Map::new();
            if place.before.name != place.after.name {
                fields.insert("name".into(), json!(place.after.name));
            }
            if place.before.group != place.after.group {
                fields.insert("category_group_id".into(), json!(place.after.group));
            }
            (Method::Patch, category_path(plan, category)?, Some(json!({ "category": fields })))
        }
        Step::CreateCategory { place } => (
            Method::Post,
            format!("/plans/{plan}/categories"),
            Some(json!({ "category": { "name": place.name, "category_group_id": place.group } })),
        ),
        Step::Target { category, sent, .. } => {
            (Method::Patch, category_path(plan, category)?, Some(json!({ "category": target(sent) })))
        }
        Step::Payee { payee, name } => (
            Method::Patch,
            format!("/plans/{plan}/payees/{}", segment(payee.as_str())?),
            Some(json!({ "payee": { "name": name.after } })),
        ),
        Step::Import => (Method::Post, format!("/plans/{plan}/transactions/import"), None),
    })
}

fn category_path(plan: &str, category: &CategoryId) -> Result<String, String> {
    Ok(format!("/plans/{plan}/categories/{}", segment(category.as_str())?))
}

/// An object of the fields that have a value.
fn fields<const N: usize>(all: [(&str, Option<Value>); N]) -> Value {
    Value::Object(all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

fn edit(row: &RowEdit) -> Value {
    fields([
        ("id", Some(json!(row.id))),
        ("category_id", row.category.as_ref().map(|change| json!(change.after))),
        ("flag_color", row.flag.as_ref().map(|change| json!(change.after))),
        ("cleared", row.cleared.as_ref().map(|change| json!(change.after))),
        ("approved", row.approved.as_ref().map(|change| json!(change.after))),
    ])
}

fn new_row(row: &NewRow) -> Value {
    fields([
        ("account_id", Some(json!(row.account))),
        ("date", Some(json!(row.date.to_string()))),
        ("amount", Some(json!(row.amount))),
        ("payee_name", (!row.payee.is_empty()).then(|| json!(row.payee))),
        ("memo", row.memo.as_ref().map(|memo| json!(memo))),
        ("category_id", row.category.as_ref().map(|category| json!(category))),
        ("cleared", Some(json!(row.cleared))),
        ("approved", Some(json!(row.approved))),
        ("import_id", row.import_id.as_ref().map(|id| json!(id))),
    ])
}

fn new_line(line: &NewLine) -> Value {
    fields([
        ("amount", Some(json!(line.amount))),
        ("category_id", Some(json!(line.category))),
        ("memo", line.memo.as_ref().map(|memo| json!(memo))),
    ])
}

fn target(sent: &GoalSent) -> Value {
    fields([
        ("goal_target", Some(json!(sent.target))),
        ("goal_target_date", sent.date.map(|date| json!(date.to_string()))),
        ("goal_frequency", sent.frequency.as_ref().map(|word| json!(word))),
        ("goal_needs_whole_amount", sent.whole.map(|whole| json!(whole))),
    ])
}

/// What YNAB made of a step, from its answer.
pub(super) enum Answer {
    /// As asked, or with the rows that were not named.
    Landed(Landed),
    /// Something else than what was asked.
    Other,
}

/// Reads the answer to a step.
pub(super) fn read_back(step: &Step, body: &[u8]) -> Result<Answer, WireError> {
    let all = |good: bool| if good { Answer::Landed(Landed::default()) } else { Answer::Other };
    Ok(match step {
        Step::Transactions { rows } => {
            let saved = saved::transactions(body)?;
            let done = |edit: &RowEdit| saved.rows().any(|row| row.id() == edit.id.as_str() && is_edited(row, edit));
            let missed = rows.iter().filter(|edit| !done(edit)).map(|edit| edit.id.clone()).collect();
            Answer::Landed(Landed { missed, ..Landed::default() })
        }
        Step::Create { rows, .. } => created(rows, &saved::transactions(body)?),
        Step::Delete { id, .. } => {
            all(saved::transactions(body)?.rows().any(|row| row.id() == id.as_str() && row.deleted()))
        }
        Step::Split { id, lines, .. } => {
            let saved = saved::transactions(body)?;
            all(saved.rows().any(|row| row.id() == id.as_str() && is_split(row, lines)))
        }
        Step::Budget { category, budgeted, .. } => {
            let saved = saved::category(body)?;
            all(saved.id == *category && saved.budgeted == budgeted.after)
        }
        Step::Category { category, place } => {
            let saved = saved::category(body)?;
            all(saved.id == *category && *saved.name == *place.after.name && saved.group == place.after.group)
        }
        Step::CreateCategory { place } => {
            let saved = saved::category(body)?;
            if saved.id.as_str().is_empty() || *saved.name != *place.name || saved.group != place.group {
                return Ok(Answer::Other);
            }
            Answer::Landed(Landed { category: Some(saved.id), ..Landed::default() })
        }
        Step::Target { category, sent, .. } => {
            let saved = saved::category(body)?;
            if saved.id != *category || !is_target(saved.goal.as_deref(), sent) {
                return Ok(Answer::Other);
            }
            Answer::Landed(Landed { goal: saved.goal.as_deref().map(GoalState::of), ..Landed::default() })
        }
        Step::Payee { payee, name } => {
            let saved = saved::payee(body)?;
            all(saved.id == *payee && *saved.name == *name.after)
        }
        Step::Import => Answer::Landed(Landed { created: saved::imported(body)?, ..Landed::default() }),
    })
}

/// Whether a row's category is that one; YNAB gives what has none its own category Uncategorized.
fn is_category(row: &SavedRow<'_>, asked: Option<&CategoryId>) -> bool {
    match asked {
        Some(id) => row.category_id() == id.as_str(),
        None => row.category_id().is_empty() || row.category_name() == UNCATEGORIZED,
    }
}

fn is_edited(row: &SavedRow<'_>, edit: &RowEdit) -> bool {
    edit.category.as_ref().is_none_or(|change| is_category(row, change.after.as_ref()))
        && edit.flag.as_ref().is_none_or(|change| row.flag_color() == change.after.as_deref().unwrap_or_default())
        && edit.cleared.as_ref().is_none_or(|change| row.cleared() == change.after)
        && edit.approved.as_ref().is_none_or(|change| row.approved() == change.after)
}

/// Whether a row could be the one that was asked for: what YNAB never changes of its own is equal.
fn is_same_thing(row: &SavedRow<'_>, new: &NewRow) -> bool {
    row.account_id() == new.account.as_str()
        && row.date() == new.date.to_string()
        && row.amount() == new.amount
        && row.import_id() == new.import_id.as_deref().unwrap_or_default()
}

fn is_as_asked(row: &SavedRow<'_>, new: &NewRow) -> bool {
    let payee = |name: &str| name.trim().to_lowercase();
    is_same_thing(row, new)
        && row.memo() == new.memo.as_deref().unwrap_or_default()
        && row.cleared() == new.cleared
        && row.approved() == new.approved
        && is_category(row, new.category.as_ref())
        && payee(row.payee_name()) == payee(&new.payee)
}

/// The ids of what was created, in the order asked for. A row that is there but differs is named as missed too; when a
/// row is neither there nor known as a duplicate, the answer is something else than what was asked.
fn created(new: &[NewRow], saved: &Saved<'_>) -> Answer {
    let duplicates: Vec<String> = saved.duplicates().map(str::to_owned).collect();
    let wanted: Vec<&NewRow> =
        new.iter().filter(|row| !row.import_id.as_ref().is_some_and(|id| duplicates.contains(id))).collect();
    let mut rows: Vec<Option<&SavedRow<'_>>> = saved.rows().map(Some).collect();
    let mut found: Vec<Option<&SavedRow<'_>>> = vec![None; wanted.len()];
    for alike in [is_as_asked as fn(&SavedRow<'_>, &NewRow) -> bool, is_same_thing, |_, _| true] {
        for (place, new) in found.iter_mut().zip(&wanted).filter(|(place, _)| place.is_none()) {
            *place = rows.iter_mut().find(|row| row.is_some_and(|row| alike(row, new))).and_then(Option::take);
        }
    }
    let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Answer::Other };
    let missed = found.iter().zip(&wanted).filter(|(row, new)| !is_as_asked(row, new));
    Answer::Landed(Landed {
        missed: missed.map(|(row, _)| row.id().into()).collect(),
        created: found.iter().map(|row| row.id().into()).collect(),
        duplicates,
        ..Landed::default()
    })
}

fn is_split(row: &SavedRow<'_>, lines: &[NewLine]) -> bool {
    let mut left: Vec<&NewLine> = lines.iter().collect();
    let all_known = row.lines().all(|line| {
        let same = |new: &&NewLine| {
            line.amount() == new.amount
                && line.category_id() == new.category.as_str()
                && line.memo() == new.memo.as_deref().unwrap_or_default()
        };
        left.iter().position(same).map(|at| left.swap_remove(at)).is_some()
    });
    all_known && left.is_empty()
}

fn is_target(goal: Option<&Goal>, sent: &GoalSent) -> bool {
    let (Some(target), Some(goal)) = (sent.target, goal) else { return sent.target.is_none() && goal.is_none() };
    let cadence = sent.frequency.as_deref().and_then(|word| match word {
        "monthly" => Some(1),
        "weekly" => Some(2),
        "yearly" => Some(13),
        _ => None,
    });
    goal.target == Some(target)
        && sent.date.is_none_or(|date| goal.target_date == Some(date))
        && sent.whole.is_none_or(|whole| goal.needs_whole_amount == Some(whole))
        && cadence.is_none_or(|cadence| goal.cadence == Some(cadence))
}
