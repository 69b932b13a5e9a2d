//! Owns targets: what one asks for in a month, and which changes of one YNAB allows.
//! Never assigns money.

use serde::{Deserialize, Serialize};

use super::inputs::{Day, Given};
use super::refused::Refused;
use super::rows::Goal;
use super::sums::Cell;
use crate::dates::{Date, Month};
use crate::ids::GroupId;
use crate::money::{Milliunits, div_half_even};

/// What a target asks for in a month; nothing without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Asked {
    pub goal_percentage_complete: Option<i64>,
    pub goal_months_to_budget: Option<i64>,
    pub goal_under_funded: Option<Milliunits>,
    pub goal_overall_funded: Option<Milliunits>,
    pub goal_overall_left: Option<Milliunits>,
}

/// `goal_cadence`: monthly, weekly, yearly and every other year; 3 to 12 are every 2 to 11 months.
const MONTHLY: i64 = 1;
const WEEKLY: i64 = 2;
const YEARLY: i64 = 13;
const EVERY_OTHER_YEAR: i64 = 14;

impl Goal {
    /// What it asks for in a month, given what the category holds.
    pub(super) fn asked(&self, month: Month, cell: &Cell) -> Asked {
        let (Some(kind), Some(target)) = (self.goal_type.as_deref(), self.goal_target) else {
            return Asked::default();
        };
        let carried = cell.carried.max(Milliunits::ZERO);
        let whole = self.goal_needs_whole_amount == Some(true);
        let frequency = self.goal_cadence_frequency.unwrap_or(1).max(1);
        // What is wanted by when: the amount, what counts towards it already, and over how many months.
        let (target, had, months) = match (kind, self.goal_cadence.unwrap_or(0)) {
            ("MF" | "DEBT", _) => (target, Milliunits::ZERO, Some(1)),
            ("TB", _) => (target, carried, None),
            ("NEED", WEEKLY) => {
                let weeks = weekdays(month, self.goal_day.unwrap_or(0));
                let times = weeks.div_ceil(frequency as usize);
                let target = Milliunits::from_wide(target.wide() * times as i128);
                (target, if whole { Milliunits::ZERO } else { carried }, Some(1))
            }
            (_, cadence) => {
                let every = match cadence {
                    MONTHLY => frequency,
                    YEARLY => 12 * frequency,
                    EVERY_OTHER_YEAR => 24,
                    several => (several - 1).max(0),
                };
                let had = if whole && every == 1 { Milliunits::ZERO } else { carried };
                let due = self.goal_target_date.filter(|_| every != 1);
                (target, had, Some(due.map_or(1, |due| months_left(month, Month::of(due), every as i32))))
            }
        };
        let funded = had + cell.budgeted;
        let share = (target - had).max(Milliunits::ZERO).get();
        let monthly = months.map_or(share, |months| share.div_euclid(months) + i64::from(share % months != 0));
        let percent = div_half_even(funded.wide() * 100, target.wide()).clamp(0, 100) as i64;
        Asked {
            goal_percentage_complete: Some(percent),
            goal_months_to_budget: months,
            goal_under_funded: Some((Milliunits::new(monthly) - cell.budgeted).max(Milliunits::ZERO)),
            goal_overall_funded: Some(funded),
            goal_overall_left: Some((target - funded).max(Milliunits::ZERO)),
        }
    }
}

/// How often a weekday (0 = Sunday) falls in a month.
fn weekdays(month: Month, weekday: i64) -> usize {
    let falls = |day: &i8| i64::from(month.day(*day).weekday().to_sunday_zero_offset()) == weekday;
    (1..=month.days()).filter(falls).count()
}

/// Months to save in, this one included, until the due month or its next repetition.
fn months_left(month: Month, mut due: Month, every: i32) -> i64 {
    while every > 0 && due < month {
        due = due.add(every);
    }
    i64::from(month.until(due) + 1).max(1)
}

/// A change of a category, or a new one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct SaveCategory {
    pub name: Option<String>,
    #[serde(deserialize_with = "super::inputs::given")]
    pub note: Given<super::rows::Text>,
    pub category_group_id: Option<GroupId>,
    #[serde(deserialize_with = "super::inputs::given")]
    pub goal_target: Given<i64>,
    pub goal_target_date: Option<Day>,
    pub goal_frequency: Option<Frequency>,
    pub goal_needs_whole_amount: Option<bool>,
}

/// How often a target repeats.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Frequency {
    Monthly,
    Weekly,
    Yearly,
}

/// What a category is paired to, which decides what targets it may have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Paired {
    Nothing,
    Card,
    Loan,
}

impl SaveCategory {
    /// The target after the change.
    pub(super) fn goal(&self, before: &Goal, paired: Paired, today: Date) -> Result<Goal, Refused> {
        let refuse = |detail: &str| Err(Refused::bad(detail));
        if self.goal_frequency.is_some() && self.goal_target_date.is_some() {
            return refuse("goal_frequency cannot be combined with goal_target_date");
        }
        if self.goal_frequency.is_some() && self.goal_target.flatten().is_none() {
            return refuse("goal_frequency requires goal_target");
        }
        if self.goal_frequency.is_some() && paired != Paired::Nothing {
            return refuse("goal_frequency is not supported for card payment and loan categories");
        }
        if self.goal_target_date.is_some() && paired == Paired::Loan {
            return refuse("goal_target_date is not supported for loan categories");
        }
        if self.goal_needs_whole_amount.is_some() && paired != Paired::Nothing {
            return refuse("goal_needs_whole_amount is not supported for card payment and loan categories");
        }
        let target = match self.goal_target {
            Some(None) if self.goal_target_date.is_some() || self.goal_needs_whole_amount.is_some() => {
                return refuse("goal_target is required");
            }
            Some(None) => return Ok(Goal::default()),
            Some(Some(target)) if target <= 0 => return refuse("goal_target must be greater than 0"),
            Some(Some(target)) => Some(Milliunits::new(target)),
            None => before.goal_target,
        };
        let Some(target) = target else {
            let asks = self.goal_target_date.is_some() || self.goal_needs_whole_amount.is_some();
            return if asks { refuse("goal_target is required") } else { Ok(before.clone()) };
        };
        let mut goal = self.renewed(before, paired, target, today);
        if let Some(whole) = self.goal_needs_whole_amount {
            if goal.goal_type.as_deref() != Some("NEED") {
                return refuse("goal_needs_whole_amount is only supported for NEED goals");
            }
            goal.goal_needs_whole_amount = Some(whole);
        }
        Ok(goal)
    }

    /// The target with its new amount: of another kind when a date or a frequency is given or there was none.
    fn renewed(&self, before: &Goal, paired: Paired, target: Milliunits, today: Date) -> Goal {
        let new = |kind: &str, cadence| Goal {
            goal_type: Some(kind.into()),
            goal_needs_whole_amount: (kind == "NEED" && paired == Paired::Nothing).then_some(false),
            goal_cadence: Some(cadence),
            goal_cadence_frequency: Some(1),
            goal_creation_month: Some(Month::of(today)),
            goal_target: Some(target),
            ..Goal::default()
        };
        match (self.goal_frequency, self.goal_target_date, paired) {
            (Some(Frequency::Monthly), ..) => new("NEED", MONTHLY),
            (Some(Frequency::Weekly), ..) => new("NEED", WEEKLY),
            (Some(Frequency::Yearly), ..) => {
                let due = Month::of(today).add(12).first();
                Goal { goal_target_date: Some(due), ..new("NEED", YEARLY) }
            }
            (None, Some(Day(due)), _) => Goal { goal_target_date: Some(due), ..new("NEED", 0) },
            _ if before.goal_type.is_some() => Goal { goal_target: Some(target), ..before.clone() },
            (.., Paired::Card) => new("MF", MONTHLY),
            (.., Paired::Loan) => new("DEBT", MONTHLY),
            (.., Paired::Nothing) => new("NEED", MONTHLY),
        }
    }
}
