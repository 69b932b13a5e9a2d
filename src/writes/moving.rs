//! Owns moving assigned money from one category of a month to another.
//! Never reads more than that month's categories.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::budget::Side;
use super::{Answer, Change, Kind, Outcome, Proposal, Proposed, Step, checks, names};
use crate::dates::Month;
use crate::error::Refusal;
use crate::ids::{CategoryId, PlanId};
use crate::money::{Amount, Currency, Milliunits};
use crate::plan::{Category, MonthBudget};
use crate::refuse;
use crate::text::{safe, with_lines};

/// The answer of move_money.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Moved {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The month.
    pub month: Month,
    /// How much moves.
    pub amount: Amount,
    /// Where it is taken from.
    pub from_category: MovedSide,
    /// Where it goes to.
    pub to_category: MovedSide,
}

impl Answer for Moved {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// One side of a move.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MovedSide {
    /// The category.
    pub category_id: CategoryId,
    /// Its name.
    pub name: String,
    /// Assigned before.
    pub from_amount: Amount,
    /// Assigned after.
    pub to_amount: Amount,
    /// Available before.
    pub available_before: Amount,
    /// Available after.
    pub available_after: Amount,
}

/// What is to be moved.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// The category it is taken from.
    pub from_category_id: &'a str,
    /// The category it goes to.
    pub to_category_id: &'a str,
    /// How much, in currency units; all that is available may be finer than the currency.
    pub amount: f64,
}

/// What the move would change.
pub fn move_money(
    plan: &PlanId,
    currency: &Currency,
    month: &MonthBudget,
    asked: Move<'_>,
) -> Result<Proposed<Moved>, Refusal> {
    let from = checks::category(&month.categories, asked.from_category_id, "from_category_id")?;
    let to = checks::category(&month.categories, asked.to_category_id, "to_category_id")?;
    if from.id == to.id {
        return Err(refuse!("to_category_id is the category the money is taken from. Choose another."));
    }
    let amount = checks::amount_or_rest(currency, asked.amount, from.balance, "amount")?;
    if !amount.is_positive() {
        return Err(refuse!("amount must be more than 0. To move the other way, swap the two categories."));
    }
    let side = |category: &Category, change: Milliunits| Side {
        before: category.budgeted,
        after: category.budgeted + change,
        available: category.balance,
    };
    let sides = [(from, side(from, -amount)), (to, side(to, amount))];
    let [from_name, to_name] = [from, to].map(|category| names::category(&month.categories, category));
    let lines = [&from_name, &to_name].into_iter().zip(sides);
    let lines: Vec<String> = lines.map(|(name, (_, side))| format!("{name}: {}", side.shown(currency))).collect();
    let what = format!("{} from {from_name} to {to_name} for {}", currency.of(amount), month.month);
    let step = |(category, side): (&Category, Side)| Step::Budget {
        month: month.month,
        category: category.id.clone(),
        budgeted: Change { before: side.before, after: side.after },
    };
    let proposal = Proposal {
        plan: plan.clone(),
        kind: Kind::Move,
        subject: json!({ "from": from.id, "to": to.id, "month": month.month, "amount": amount }),
        guard: serde_json::Value::Null,
        question: with_lines(&format!("Move {what}?"), &lines),
        done: format!("Moved {what}."),
        steps: sides.map(step).into(),
        undoes: None,
    };
    let [from_category, to_category] = sides.map(|(category, side)| MovedSide {
        category_id: category.id.clone(),
        name: safe(&category.name).into_owned(),
        from_amount: side.before.into(),
        to_amount: side.after.into(),
        available_before: side.available.into(),
        available_after: side.available_after().into(),
    });
    let answer =
        Moved { outcome: Outcome::proposed(), month: month.month, amount: amount.into(), from_category, to_category };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::plan::Plan;

    fn ask(plan: &Plan, from: &str, to: &str, amount: f64) -> Result<Proposed<Moved>, Refusal> {
        let month = plan.months.get(&Month::at(2026 * 12 + 2)).expect("March 2026");
        let [from, to] =
            [from, to].map(|name| month.categories.iter().find(|c| &*c.name == name).map_or(name, |c| c.id.as_str()));
        let asked = Move { from_category_id: from, to_category_id: to, amount };
        move_money(&plan.id, &plan.currency, month, asked)
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let proposal = ask(plan, "Rent", "Restaurants", 25.5).expect("a proposal").proposal.expect("a question");
        assert_eq!(
            proposal.question,
            "Move 25.50 from Rent to Restaurants for 2026-03-01?\n\
             - Rent: 625.00 → 599.50 (available -15.00 → -40.50)\n\
             - Restaurants: 20.00 → 45.50 (available -78.19 → -52.69)"
        );
        let [Step::Budget { budgeted: first, .. }, Step::Budget { budgeted: second, .. }] = &proposal.steps[..] else {
            panic!("{:?}", proposal.steps)
        };
        assert_eq!((first.after.get(), second.after.get()), (599_500, 45_500));
    }

    /// Points 39, 42, 58: nothing, YNAB's own and hidden categories are refused before any question.
    #[test]
    fn p39_p42_p58_what_cannot_be_moved_is_refused_first() {
        let plan = &corpus("household").plans[0];
        for amount in [0.0, -5.0, 0.0001, 5.001, f64::NAN] {
            assert!(ask(plan, "Rent", "Restaurants", amount).is_err(), "{amount}");
        }
        for (from, to) in [
            ("Rent", "Rent"),
            ("Rent", "Inflow: Ready to Assign"),
            ("Inflow: Ready to Assign", "Restaurants"),
            ("Old hobby", "Restaurants"),
            ("Rent", "00000000-0000-4000-8000-000000000000"),
        ] {
            assert!(ask(plan, from, to, 5.0).is_err(), "{from} → {to}");
        }
    }

    /// All that is left may be moved, to the milliunit.
    #[test]
    fn what_is_left_may_be_finer_than_the_currency() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let rows = &mut plan.months.get_mut(&Month::at(2026 * 12 + 2)).expect("March 2026").categories;
        rows.iter_mut().filter(|c| &*c.name == "Sport").for_each(|c| c.balance = Milliunits::new(7_123));
        let question = ask(plan, "Sport", "Restaurants", 7.123).expect("a proposal").proposal.expect("it").question;
        assert!(question.starts_with("Move 7.123 from Sport to Restaurants"), "{question}");
        assert!(ask(plan, "Sport", "Restaurants", 7.122).is_err());
    }
}
