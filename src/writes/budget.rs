//! Owns assigning money to a category in a month.
//! Never reads more than that month's categories.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, Change, Kind, Outcome, Proposal, Proposed, Step, checks, names};
use crate::dates::Month;
use crate::error::Refusal;
use crate::ids::{CategoryId, PlanId};
use crate::money::{Amount, Currency, Milliunits};
use crate::plan::MonthBudget;
use crate::text::safe;

/// The answer of set_category_budget.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Assigned {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The category.
    pub category_id: CategoryId,
    /// Its name.
    pub category: String,
    /// The month.
    pub month: Month,
    /// Assigned before.
    pub from_amount: Amount,
    /// Assigned after.
    pub to_amount: Amount,
    /// Available before.
    pub available_before: Amount,
    /// Available after.
    pub available_after: Amount,
}

impl Answer for Assigned {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// What assigning `amount` (currency units) to a category of the month would change.
pub fn set_budget(
    plan: &PlanId,
    currency: &Currency,
    month: &MonthBudget,
    category_id: &str,
    amount: f64,
) -> Result<Proposed<Assigned>, Refusal> {
    let category = checks::category(&month.categories, category_id, "category_id")?;
    let after = checks::amount(currency, amount, "amount")?;
    let side = Side { before: category.budgeted, after, available: category.balance };
    let name = names::category(&month.categories, category);
    let mut answer = Assigned {
        outcome: Outcome::proposed(),
        category_id: category.id.clone(),
        category: safe(&category.name).into_owned(),
        month: month.month,
        from_amount: side.before.into(),
        to_amount: side.after.into(),
        available_before: side.available.into(),
        available_after: side.available_after().into(),
    };
    if side.before == side.after {
        let shown = currency.of(after);
        answer.outcome = Outcome::nothing(format!("{name} has {shown} assigned for {} already.", month.month));
        return Ok(Proposed { answer, proposal: None });
    }
    let what = format!("{name} for {}: {}", month.month, side.shown(currency));
    let proposal = Proposal {
        plan: plan.clone(),
        kind: Kind::Budget,
        subject: json!({ "category_id": category.id, "month": month.month, "budgeted": after }),
        guard: serde_json::Value::Null,
        question: format!("Budget {what}?"),
        done: format!("Budgeted {what}."),
        steps: vec![Step::Budget {
            month: month.month,
            category: category.id.clone(),
            budgeted: Change { before: side.before, after },
        }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// A category's assigned amount before and after, and what is available before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// Assigned before.
    pub(super) before: Milliunits,
    /// Assigned after.
    pub(super) after: Milliunits,
    /// Available before.
    pub(super) available: Milliunits,
}

impl Side {
    /// Available after.
    pub(super) fn available_after(self) -> Milliunits {
        self.available + (self.after - self.before)
    }

    /// Before and after; what is available too where it differs from what is assigned.
    pub(super) fn shown(self, currency: &Currency) -> String {
        let assigned = format!("{} → {}", currency.of(self.before), currency.of(self.after));
        if self.available == self.before {
            return assigned;
        }
        let (before, after) = (signed(currency, self.available), signed(currency, self.available_after()));
        format!("{assigned} (available {before} → {after})")
    }
}

/// An amount with its sign, so that what is left cannot be read as what is missing.
fn signed(currency: &Currency, amount: Milliunits) -> String {
    let sign = if amount.is_positive() { "+" } else { "" };
    format!("{sign}{}", currency.of(amount))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::plan::{Category, Plan};
    use crate::writes::Status;

    fn month(plan: &Plan) -> &MonthBudget {
        plan.months.get(&Month::at(2026 * 12 + 2)).expect("March 2026")
    }

    fn ask(plan: &Plan, name: &str, amount: f64) -> Result<Proposed<Assigned>, Refusal> {
        let month = month(plan);
        let category = month.categories.iter().find(|c| &*c.name == name).expect("the category");
        set_budget(&plan.id, &plan.currency, month, category.id.as_str(), amount)
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let proposed = ask(plan, "Restaurants", 75.0).expect("a proposal");
        assert_eq!(
            proposed.proposal.expect("a question").question,
            "Budget Restaurants for 2026-03-01: 20.00 → 75.00 (available -78.19 → -23.19)?"
        );
        assert_eq!(proposed.answer.available_after.0, Milliunits::new(-23_190));
        let same = ask(plan, "Restaurants", 20.0).expect("an answer");
        assert_eq!((same.answer.outcome.status, same.proposal.is_none()), (Status::NothingToDo, true));
    }

    /// Point 34: as many decimals as the currency has, and all that are written.
    #[test]
    fn p34_questions_have_the_plans_decimals() {
        let side = |before, after| Side {
            before: Milliunits::new(before),
            after: Milliunits::new(after),
            available: Milliunits::new(before),
        };
        assert_eq!(side(12_344, 12_345).shown(&Currency::new("JOD", 3)), "12.344 → 12.345");
        assert_eq!(side(1_500_000, 2_000_000).shown(&Currency::new("JPY", 0)), "1500 → 2000");
        assert_eq!(side(120_000, 150_000).shown(&Currency::new("EUR", 2)), "120.00 → 150.00");
        assert_eq!(side(12_345, 20_000).shown(&Currency::new("EUR", 2)), "12.345 → 20.00");
        let left = Side { available: Milliunits::new(26_000), ..side(2_000, 5_000) };
        assert_eq!(left.shown(&Currency::new("EUR", 2)), "2.00 → 5.00 (available +26.00 → +29.00)");
    }

    /// Points 38, 42, 58: refused before any question.
    #[test]
    fn p38_p42_p58_what_cannot_be_written_is_refused_first() {
        let plan = &corpus("household").plans[0];
        assert!(ask(plan, "Restaurants", 12.3456).is_err());
        for name in ["Old hobby", "Inflow: Ready to Assign", "Uncategorized"] {
            assert!(ask(plan, name, 5.0).is_err(), "{name}");
        }
        assert!(ask(plan, "Blue Card", 5.0).is_ok());
    }

    /// Point 8: another value before is another basis for the yes.
    #[test]
    fn p8_the_value_before_is_part_of_what_is_confirmed() {
        let mut corpus = corpus("household");
        let first = ask(&corpus.plans[0], "Restaurants", 75.0).expect("a proposal").proposal.expect("a question");
        let plan = &mut corpus.plans[0];
        let rows = &mut plan.months.get_mut(&Month::at(2026 * 12 + 2)).expect("March 2026").categories;
        let set = |c: &mut Category| c.budgeted = Milliunits::new(400_000);
        rows.iter_mut().filter(|c| &*c.name == "Restaurants").for_each(set);
        let second = ask(plan, "Restaurants", 75.0).expect("a proposal").proposal.expect("a question");
        assert_eq!(first.fingerprint(), second.fingerprint());
        assert_ne!(first.basis(), second.basis());
    }
}
