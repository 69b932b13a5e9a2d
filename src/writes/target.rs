//! Owns a category's target: what is asked for, what YNAB's API can set, what can be set back.
//! Never computes what a target needs (that is `analytics`).

use super::{GoalSent, GoalState};

/// What to send to bring a target back; `None` where the API cannot.
pub(super) fn restoring(before: Option<&GoalState>) -> Option<GoalSent> {
    match before {
        None => Some(GoalSent::default()),
        Some(_) => None,
    }
}
