//! Owns which targets still need money this month, most urgent first, and the words a target is told in.
//! Never works out what a target needs: the figures are YNAB's own.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{Room, YearMonth, counted, fit};
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
    let (targets, _) = fit(rows.collect(), if limit.is_some() { Room::ASKED_BESIDE } else { Room::USUAL });
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
        format!("{} on track for {shown_month}, none needs money.", counted(on_track.len(), "target"))
    } else {
        let rest = if short_by.is_positive() {
            format!("is {} short", show(short_by))
        } else {
            format!("covers it, {} left", show(ready - needed))
        };
        let count = counted(wanting.len(), "target");
        format!(
            "{} still to assign for {count} in {shown_month}. Ready to Assign ({}) {rest}.",
            show(needed),
            show(ready)
        )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{chars, day, empty_month};

    fn goal(kind: &str, cadence: Option<i64>, date: Option<&str>, needs: i64) -> Goal {
        Goal {
            kind: kind.into(),
            cadence,
            cadence_frequency: cadence.map(|_| 1),
            target: Some(Milliunits::new(540_000)),
            target_date: date.map(day),
            under_funded: Some(Milliunits::new(needs)),
            ..Goal::default()
        }
    }

    fn category(name: &str, goal: Goal) -> Category {
        Category { id: name.into(), name: name.into(), goal: Some(Box::new(goal)), ..Category::default() }
    }

    fn month(ready: i64, categories: Vec<Category>) -> MonthBudget {
        let to_be_budgeted = Milliunits::new(ready);
        MonthBudget { to_be_budgeted, categories, ..empty_month(Month::parse("2026-03-01").unwrap()) }
    }

    fn euro() -> Currency {
        Currency::new("EUR", 2)
    }

    #[test]
    fn most_urgent_first() {
        let month = month(
            0,
            vec![
                category("z other", goal("TB", None, None, 9)),
                category("b repeats", goal("MF", Some(1), None, 5)),
                category("a repeats", goal("NEED", Some(2), None, 5)),
                category("more repeats", goal("NEED", Some(1), Some("2026-03-31"), 8)),
                category("later", goal("NEED", Some(13), Some("2026-08-20"), 90)),
                category("soon", goal("TBD", None, Some("2026-04-01"), 1)),
            ],
        );
        let answer = underfunded(&month, &euro(), None);
        let names: Vec<_> = answer.targets.iter().map(|target| &*target.name).collect();
        assert_eq!(names, ["soon", "later", "more repeats", "a repeats", "b repeats", "z other"]);
    }

    #[test]
    fn the_sums_count_what_the_limit_hides() {
        let many = (0..9).map(|n| category(&n.to_string(), goal("MF", Some(1), None, 1_000)));
        let met = [category("met", goal("MF", Some(1), None, 0)), category("unknown", Goal::default())];
        let month = month(4_000, many.chain(met).collect());
        let answer = underfunded(&month, &euro(), Some(2));
        assert_eq!((answer.targets.len(), answer.more, answer.on_track), (2, 7, 2));
        let [needed, covered, short] = [answer.needed, answer.covered, answer.short_by].map(|amount| amount.0.get());
        assert_eq!((needed, covered, short, answer.enough), (9_000, 4_000, 5_000, false));
        assert_eq!(
            answer.message,
            "9.00 still to assign for 9 targets in 2026-03. Ready to Assign (4.00) is 5.00 short."
        );
        assert_eq!(answer.notes, ["2 of 9 targets shown; the sums count all."]);
    }

    #[test]
    fn less_than_nothing_ready_covers_nothing() {
        let short = underfunded(&month(-7_000, vec![category("a", goal("MF", Some(1), None, 1_000))]), &euro(), None);
        assert_eq!((short.covered.0.get(), short.short_by.0.get()), (0, 1_000));
        let none = underfunded(&month(-7_000, vec![]), &euro(), None);
        assert_eq!(none.message, "No visible category has a target that asks for money in 2026-03.");
        let met = underfunded(&month(0, vec![category("a", goal("MF", Some(1), None, 0))]), &euro(), None);
        assert_eq!(met.message, "1 target on track for 2026-03, none needs money.");
    }

    #[test]
    fn snoozed_and_hidden_targets_ask_for_nothing_and_the_snooze_is_told() {
        let snoozed = Goal { snoozed_at: Some("2026-03-01T09:00:00Z".into()), ..goal("MF", Some(1), None, 1_000) };
        let hidden = Category { hidden: true, ..category("hidden", goal("MF", Some(1), None, 1_000)) };
        let answer = underfunded(&month(0, vec![category("Gym\u{200B}", snoozed), hidden]), &euro(), None);
        assert_eq!((answer.targets.len(), answer.on_track, answer.enough), (0, 0, true));
        assert_eq!(answer.notes, ["Snoozed, so left out: Gym."]);
    }

    #[test]
    fn a_long_list_stays_short_without_being_asked() {
        let many = (0..400).map(|n| category(&format!("Category {n}"), goal("MF", Some(1), None, 1_000))).collect();
        let answer = underfunded(&month(0, many), &euro(), None);
        assert!(chars(&answer) < 25_000);
        assert_eq!(answer.targets.len() + answer.more, 400);
        assert_eq!(answer.needed.0.get(), 400_000);
    }

    #[test]
    fn point_34_and_9_words_hold_the_currencys_decimals_and_the_repetition() {
        let every = |cadence, frequency, date| Goal {
            cadence_frequency: Some(frequency),
            ..goal("NEED", Some(cadence), date, 0)
        };
        let due = Some("2026-08-20");
        for (goal, want) in [
            (goal("TB", None, None, 0), "540.00 (target balance)"),
            (goal("TBD", None, due, 0), "540.00 (target balance by date)"),
            (goal("MF", Some(1), None, 0), "540.00 (monthly funding)"),
            (goal("DEBT", Some(1), None, 0), "540.00 (debt payment)"),
            (goal("NEED", None, due, 0), "540.00 by 2026-08-20"),
            (every(0, 1, due), "540.00 by 2026-08-20"),
            (every(13, 1, due), "540.00 by 2026-08-20, then each year"),
            (every(13, 2, due), "540.00 by 2026-08-20, then every 2 years"),
            (every(14, 9, due), "540.00 by 2026-08-20, then every 2 years"),
            (every(3, 9, due), "540.00 by 2026-08-20, then every 2 months"),
            (every(12, 1, due), "540.00 by 2026-08-20, then every 11 months"),
            (every(1, 1, None), "540.00 each month"),
            (every(2, 1, None), "540.00 each week"),
            (every(2, 2, None), "540.00 every 2 weeks"),
            (every(99, 1, None), "540.00 (spending target)"),
            (goal("NEWKIND", None, None, 0), "540.00 (spending target)"),
        ] {
            assert_eq!(words(&goal, &euro()), want);
        }
        let dinar = Goal { target: Some(Milliunits::new(33_331)), ..goal("NEED", Some(1), None, 0) };
        assert_eq!(words(&dinar, &Currency::new("JOD", 3)), "33.331 each month");
        assert_eq!(words(&goal("NEED", Some(1), None, 0), &Currency::new("JPY", 0)), "540 each month");
        assert_eq!(words(&goal("NEED", Some(1), None, 0), &Currency::default()), "540 each month");
    }
}
