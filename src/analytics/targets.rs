//! Owns which targets still need money this month, most urgent first, and the words a target is told in.
//! Never works out what a target needs: the figures are YNAB's own.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{ROWS_CHARS, ROWS_CHARS_ASKED, YearMonth, counted, fit};
use crate::dates::{Date, Month};
use crate::ids::CategoryId;
use crate::money::{Amount, Currency, Milliunits};
use crate::plan::{Category, Goal, MonthBudget};
use crate::text::safe;

/// Targets that need money.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Underfunded {
    pub message: String,
    pub month: Month,
    /// Most urgent first.
    pub targets: Vec<Target>,
    /// Targets not shown; the sums count them.
    pub more: usize,
    /// By all of them this month.
    pub needed: Amount,
    pub ready_to_assign: Amount,
    pub enough: bool,
    pub covered: Amount,
    pub short_by: Amount,
    /// Targets that need nothing.
    pub on_track: usize,
    pub notes: Vec<String>,
}

/// A target that needs money.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Target {
    pub category_id: CategoryId,
    pub name: String,
    pub group: String,
    pub target: String,
    #[schemars(with = "Option<String>")]
    pub due: Option<Date>,
    /// This month.
    pub needed: Amount,
    /// Until it is met.
    pub left: Amount,
    pub percent_complete: Option<i64>,
    pub months_left: Option<i64>,
    pub urgency: Urgency,
}

/// What makes a target press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Urgency {
    DueDate,
    Repeating,
    Other,
}

/// The month's visible targets that need money; at most `limit` of them shown.
pub fn underfunded(month: &MonthBudget, currency: &Currency, limit: Option<usize>) -> Underfunded {
    let with_goal = month.categories.iter().filter(|category| category.is_usable());
    let with_goal = with_goal.filter_map(|category| Some((category, category.goal.as_deref()?)));
    let (snoozed, awake): (Vec<_>, Vec<_>) = with_goal.partition(|(_, goal)| goal.snoozed_at.is_some());
    let needs = |goal: &Goal| goal.under_funded.unwrap_or_default();
    let (mut wanting, on_track): (Vec<_>, Vec<_>) = awake.into_iter().partition(|(_, goal)| needs(goal).is_positive());
    wanting.sort_by_cached_key(|(category, goal)| {
        let urgency = urgency(goal);
        let due = goal.target_date.filter(|_| urgency == Urgency::DueDate);
        (urgency, due, Reverse(needs(goal)), category.name.to_lowercase())
    });

    let needed: Milliunits = wanting.iter().map(|(_, goal)| needs(goal)).sum();
    let ready = month.to_be_budgeted;
    let covered = ready.min(needed).max(Milliunits::ZERO);
    let rows =
        wanting.iter().take(limit.unwrap_or(usize::MAX)).map(|(category, goal)| target(category, goal, currency));
    let (targets, _) = fit(rows.collect(), if limit.is_some() { ROWS_CHARS_ASKED } else { ROWS_CHARS });
    let more = wanting.len() - targets.len();

    let mut notes = Vec::new();
    if more > 0 {
        notes.push(format!("{} of {} targets shown; the sums count all.", targets.len(), wanting.len()));
    }
    if !snoozed.is_empty() {
        let names: Vec<_> = snoozed.iter().take(20).map(|(category, _)| safe(&category.name)).collect();
        let others = snoozed.len() - names.len();
        let others = if others > 0 { format!(" and {others} more") } else { String::new() };
        notes.push(format!("Snoozed, so left out: {}{others}.", names.join(", ")));
    }
    let show = |amount: Milliunits| currency.show(currency.round(amount));
    let shown_month = YearMonth(month.month);
    let short_by = needed - covered;
    let message = if wanting.is_empty() && on_track.is_empty() {
        format!("No visible category has a target that asks for money in {shown_month}.")
    } else if wanting.is_empty() {
        format!("All {} are met for {shown_month}.", counted(on_track.len(), "target"))
    } else {
        let rest = if short_by.is_positive() {
            format!("{} short", show(short_by))
        } else {
            format!("enough, with {} left", show(ready - needed))
        };
        let count = counted(wanting.len(), "target");
        format!("{count} short of {} in {shown_month}; {} Ready to Assign: {rest}.", show(needed), show(ready))
    };
    Underfunded {
        message,
        month: month.month,
        targets,
        more,
        needed: needed.into(),
        ready_to_assign: ready.into(),
        enough: ready >= needed,
        covered: covered.into(),
        short_by: short_by.into(),
        on_track: on_track.len(),
        notes,
    }
}

fn urgency(goal: &Goal) -> Urgency {
    let repeats = matches!(&*goal.kind, "MF" | "DEBT") || matches!(goal.cadence, Some(1 | 2));
    match goal.target_date {
        _ if repeats => Urgency::Repeating,
        Some(_) => Urgency::DueDate,
        None => Urgency::Other,
    }
}

fn target(category: &Category, goal: &Goal, currency: &Currency) -> Target {
    Target {
        category_id: category.id.clone(),
        name: safe(&category.name).into_owned(),
        group: safe(&category.group_name).into_owned(),
        target: words(goal, currency),
        due: goal.target_date,
        needed: goal.under_funded.unwrap_or_default().into(),
        left: goal.overall_left.unwrap_or_default().into(),
        percent_complete: goal.percentage_complete,
        months_left: goal.months_to_budget,
        urgency: urgency(goal),
    }
}

/// A target in words: its amount in full, then by when and how it repeats, or its kind.
pub fn words(goal: &Goal, currency: &Currency) -> String {
    let amount = currency.show(goal.target.unwrap_or_default());
    let repeats = repetition(goal);
    match (&*goal.kind, goal.target_date, repeats) {
        ("TB", ..) => format!("{amount} (target balance)"),
        ("TBD", ..) => format!("{amount} (target balance by date)"),
        ("MF", ..) => format!("{amount} (monthly funding)"),
        ("DEBT", ..) => format!("{amount} (debt payment)"),
        ("NEED", Some(date), Some(repeats)) => format!("{amount} by {date}, then {repeats}"),
        ("NEED", Some(date), None) => format!("{amount} by {date}"),
        ("NEED", None, Some(repeats)) => format!("{amount} {repeats}"),
        _ => format!("{amount} (spending target)"),
    }
}

/// How often a target comes back, where it does and the word is known.
fn repetition(goal: &Goal) -> Option<String> {
    let times = goal.cadence_frequency.filter(|times| *times > 0).unwrap_or(1);
    let (unit, count) = match goal.cadence? {
        1 => ("month", times),
        2 => ("week", times),
        13 => ("year", times),
        months @ 3..=12 => ("month", months - 1),
        14 => ("year", 2),
        _ => return None,
    };
    Some(if count == 1 { format!("each {unit}") } else { format!("every {count} {unit}s") })
}
