//! Owns what is expected: recurring charges and the balances ahead.
//! Never changes a plan, and never reads the clock.

pub mod balance;
mod covered;
mod moves;
mod outlook;
pub mod recurring;
mod rest;
mod rhythm;
pub mod schedule;
mod series;

use crate::dates::Month;

/// A month as these answers write it, `YYYY-MM`.
fn year_month(month: Month) -> String {
    format!("{:04}-{:02}", month.year(), month.number())
}
