//! Owns splitting a transaction over categories.
//! Never changes a split that is there: YNAB's API cannot.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Kind, NewLine, Outcome, Proposal, Proposed, Step, categorize, checks, names};
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::money::{Amount, Milliunits};
use crate::plan::{Plan, Transaction};
use crate::refuse;
use crate::text::{safe, with_lines};

/// A line to make.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// In currency units, signed as the transaction's.
    pub amount: f64,
    /// Its category.
    pub category_id: &'a str,
    /// Its memo.
    pub memo: Option<&'a str>,
}

/// The answer of split_transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Split {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The transaction.
    pub transaction_id: TransactionId,
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Untrusted bank text.
    pub payee: String,
    /// Spending is negative.
    pub amount: Amount,
    /// Its category before.
    pub from_category: Option<String>,
    /// Its lines.
    pub lines: Vec<SplitLine>,
}

impl Answer for Split {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// A line, as shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SplitLine {
    /// Spending is negative.
    pub amount: Amount,
    /// Its category.
    pub category: String,
    /// Its memo.
    pub memo: Option<String>,
}

/// What splitting the transaction into these lines would do.
pub fn split(plan: &Plan, transaction_id: &str, lines: &[Line<'_>]) -> Result<Proposed<Split>, Refusal> {
    let row = checks::row(plan, transaction_id, "transaction_id")?;
    takes_lines(plan, row)?;
    let amounts = amounts(plan, row, lines)?;
    let (mut made, mut shown, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (line, amount)) in lines.iter().zip(amounts).enumerate() {
        let category = checks::assignable(&plan.categories, line.category_id, &format!("lines[{at}].category_id"))?;
        let memo = checks::memo(line.memo, &format!("lines[{at}].memo"))?;
        let note = memo.map(|memo| format!(" ({})", safe(memo))).unwrap_or_default();
        let name = names::category(&plan.categories, category);
        asked.push(format!("{} {name}{note}", plan.currency.of(amount)));
        shown.push(SplitLine {
            amount: amount.into(),
            category: safe(&category.name).into_owned(),
            memo: memo.map(|memo| safe(memo).into_owned()),
        });
        made.push(NewLine { amount, category: category.id.clone(), memo: memo.map(str::to_owned) });
    }
    let what = format!("{} into {} lines", names::row(plan, row), made.len());
    let answer = Split {
        outcome: Outcome::proposed(),
        transaction_id: row.id.clone(),
        date: row.date,
        payee: safe(plan.payee_name(row.payee)).into_owned(),
        amount: row.amount.into(),
        from_category: row.category.map(|ix| safe(&plan.categories[ix].name).into_owned()),
        lines: shown,
    };
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Split,
        subject: serde_json::json!({ "transaction_id": row.id, "lines": made }),
        guard: serde_json::Value::Null,
        question: with_lines(&format!("Split {what}?"), &asked)
            + "\nundo_operation cannot revert a split: to undo it, edit the transaction in YNAB.",
        done: format!("Split {what}. To undo it, edit the transaction in YNAB."),
        steps: vec![Step::Split { id: row.id.clone(), before: categorize::category_id(plan, row), lines: made }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// Refuses a transaction that YNAB cannot split.
fn takes_lines(plan: &Plan, row: &Transaction) -> Result<(), Refusal> {
    let head = names::row(plan, row);
    if row.is_split() {
        return Err(refuse!("{head} is split already. Change its lines in YNAB."));
    }
    if !plan.accounts[row.account].on_budget {
        return Err(refuse!("{head} is in a tracking account, where YNAB keeps no categories."));
    }
    if row.transfer_account.is_some_and(|other| plan.accounts[other].on_budget) {
        return Err(refuse!("{head} is a transfer between budget accounts, which has no category to split."));
    }
    Ok(())
}

/// The lines' amounts: at least two, none of them nothing, adding up to the transaction's to the milliunit. One line may
/// be finer than the currency when the transaction's amount is.
fn amounts(plan: &Plan, row: &Transaction, lines: &[Line<'_>]) -> Result<Vec<Milliunits>, Refusal> {
    let currency = &plan.currency;
    if lines.len() < 2 {
        return Err(refuse!("A split needs at least two lines. To give one category, use apply_categories."));
    }
    let coarse: Vec<Option<Milliunits>> = lines.iter().map(|line| currency.read(line.amount).ok()).collect();
    let rest = match coarse.iter().filter(|amount| amount.is_none()).count() {
        1 => row.amount - coarse.iter().flatten().sum(),
        _ => Milliunits::ZERO,
    };
    let read = lines.iter().enumerate().map(|(at, line)| {
        let amount = checks::amount_or_rest(currency, line.amount, rest, &format!("lines[{at}].amount"))?;
        if amount.is_zero() {
            return Err(refuse!("lines[{at}].amount is 0. Leave the line out."));
        }
        Ok(amount)
    });
    let amounts = read.collect::<Result<Vec<Milliunits>, Refusal>>()?;
    let sum: Milliunits = amounts.iter().sum();
    if sum != row.amount {
        let (sum, whole, left) = (currency.of(sum), currency.of(row.amount), currency.of(row.amount - sum));
        return Err(refuse!("The lines add up to {sum}, the transaction is {whole}: {left} is left to place."));
    }
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;

    const ROW: &str = "0bf16c19-de5f-5145-b88e-f0c47efac230";

    fn id<'a>(plan: &'a Plan, name: &str) -> &'a str {
        plan.categories.iter().find(|c| &*c.name == name).expect("the category").id.as_str()
    }

    fn ask(plan: &Plan, row: &str, lines: &[(f64, &str, Option<&str>)]) -> Result<Proposed<Split>, Refusal> {
        let lines: Vec<Line<'_>> = lines
            .iter()
            .map(|(amount, name, memo)| Line { amount: *amount, category_id: id(plan, name), memo: *memo })
            .collect();
        split(plan, row, &lines)
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let lines = [(-25.0, "Groceries", Some("food")), (-50.0, "Books", None)];
        let proposed = ask(plan, ROW, &lines).expect("a proposal");
        assert_eq!(
            proposed.proposal.expect("a question").question,
            "Split 2026-03-07 VIR REGULARISATION -75.00 into 2 lines?\n- -25.00 Groceries (food)\n- -50.00 Books\n\
             undo_operation cannot revert a split: to undo it, edit the transaction in YNAB."
        );
        assert_eq!(proposed.answer.from_category, None);
    }

    /// Points 38 and 42: lines that YNAB would not take are refused first.
    #[test]
    fn p38_p42_lines_that_cannot_be_made_are_refused() {
        let plan = &corpus("household").plans[0];
        let cases: [&[(f64, &str, Option<&str>)]; 9] = [
            &[],
            &[(-75.0, "Groceries", None)],
            &[(-75.0, "Groceries", None), (0.0, "Books", None)],
            &[(-75.0, "Groceries", None), (0.01, "Books", None)],
            &[(-25.005, "Groceries", None), (-49.995, "Books", None)],
            &[(-25.0, "Blue Card", None), (-50.0, "Books", None)],
            &[(-25.0, "Uncategorized", None), (-50.0, "Books", None)],
            &[(-25.0, "Old hobby", None), (-50.0, "Books", None)],
            &[(-25.0, "Groceries", Some("a\nb")), (-50.0, "Books", None)],
        ];
        for lines in cases {
            assert!(ask(plan, ROW, lines).is_err(), "{lines:?}");
        }
    }

    #[test]
    fn what_is_left_to_place_is_said() {
        let plan = &corpus("household").plans[0];
        let told = ask(plan, ROW, &[(-25.0, "Groceries", None), (-40.0, "Books", None)]).expect_err("a refusal");
        assert_eq!(told.to_string(), "The lines add up to -65.00, the transaction is -75.00: -10.00 is left to place.");
    }

    #[test]
    fn transactions_that_ynab_cannot_split_are_refused() {
        let mut corpus = corpus("household");
        let find = |plan: &Plan, is: fn(&Plan, &Transaction) -> bool| {
            plan.transactions.iter().find(|t| is(plan, t)).expect("such a transaction").id.to_string()
        };
        let plan = &mut corpus.plans[0];
        let between = |p: &Plan, t: &Transaction| {
            !t.deleted && t.transfer_account.is_some_and(|other| p.accounts[other].on_budget)
        };
        let refused = [
            find(plan, |_, t| t.deleted),
            find(plan, |_, t| !t.deleted && t.is_split()),
            find(plan, |p, t| !t.deleted && !p.accounts[t.account].on_budget),
            find(plan, between),
        ];
        for id in &refused {
            let amount = plan.transactions.get(id).expect("it").amount.get() as f64 / 1000.0;
            assert!(ask(plan, id, &[(amount - 1.0, "Groceries", None), (1.0, "Books", None)]).is_err(), "{id}");
        }
        let out = find(plan, |p, t| {
            let outside = t.transfer_account.is_some_and(|other| !p.accounts[other].on_budget);
            outside && !t.deleted && p.accounts[t.account].on_budget && t.amount.get() == -150_000
        });
        assert!(ask(plan, &out, &[(-75.0, "Groceries", None), (-75.0, "Books", None)]).is_ok());
    }

    /// A line that takes exactly what is left keeps YNAB's finer remainder.
    #[test]
    fn the_rest_may_be_finer_than_the_currency() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let ix = plan.transactions.find(ROW).expect("the row");
        plan.transactions.at_mut(ix).amount = Milliunits::new(-75_001);
        let question =
            ask(plan, ROW, &[(-25.0, "Groceries", None), (-50.001, "Books", None)]).expect("one").proposal.expect("it");
        assert!(question.question.contains("- -50.001 Books"), "{}", question.question);
        assert!(ask(plan, ROW, &[(-25.003, "Groceries", None), (-49.998, "Books", None)]).is_err());
    }
}
