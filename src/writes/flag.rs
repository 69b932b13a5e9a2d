//! Owns flags of transactions.
//! Never touches the names that the user gave to colours.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Change, Kind, Outcome, Proposal, Proposed, RowEdit, checks, in_steps, names};
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::money::Amount;
use crate::plan::{Plan, Transaction};
use crate::refuse;
use crate::text::{safe, with_lines};

/// YNAB's colours.
pub const COLORS: [&str; 6] = ["red", "orange", "yellow", "green", "blue", "purple"];

/// A flag to give to a transaction, or to take from it.
#[derive(Clone, Copy, Debug)]
pub struct Flag<'a> {
    /// Which transaction.
    pub transaction_id: &'a str,
    /// One of [`COLORS`]; `None` removes the flag.
    pub color: Option<&'a str>,
}

/// The answer of flag_transactions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Flagging {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What changes, one entry a transaction.
    pub changes: Vec<Flagged>,
    /// Already so.
    pub unchanged_count: usize,
}

impl Answer for Flagging {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// One transaction's flag before and after.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Flagged {
    /// Its id.
    pub transaction_id: TransactionId,
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Untrusted bank text.
    pub payee: String,
    /// Spending is negative.
    pub amount: Amount,
    /// Before; null: none.
    pub from_color: Option<String>,
    /// After; null: none.
    pub to_color: Option<String>,
}

/// What giving these flags would change.
pub fn flag(plan: &Plan, flags: &[Flag<'_>]) -> Result<Proposed<Flagging>, Refusal> {
    if flags.is_empty() {
        return Err(refuse!("flags is empty. Name at least one transaction."));
    }
    let (mut seen, mut rows, mut changes) = (HashSet::new(), Vec::new(), Vec::new());
    for (at, asked) in flags.iter().enumerate() {
        let row = checks::row(plan, asked.transaction_id, &format!("flags[{at}].transaction_id"))?;
        checks::once(&mut seen, asked.transaction_id, &format!("flags[{at}].transaction_id"))?;
        if asked.color.is_some_and(|color| !COLORS.contains(&color)) {
            return Err(refuse!("flags[{at}].color must be one of {}, or null.", COLORS.join(", ")));
        }
        let from = row.flag.as_deref().filter(|color| !color.is_empty());
        if from != asked.color {
            rows.push(row);
            changes.push(Flagged {
                transaction_id: row.id.clone(),
                date: row.date,
                payee: safe(plan.payee_name(row.payee)).into_owned(),
                amount: row.amount.into(),
                from_color: from.map(str::to_owned),
                to_color: asked.color.map(str::to_owned),
            });
        }
    }
    let count = changes.len();
    let unchanged_count = flags.len() - count;
    if count == 0 {
        let outcome = Outcome::nothing("Every transaction has that flag already.");
        return Ok(Proposed { answer: Flagging { outcome, changes, unchanged_count }, proposal: None });
    }
    let edit = |change: &Flagged| {
        let flag = Some(Change { before: change.from_color.clone(), after: change.to_color.clone() });
        RowEdit { flag, ..RowEdit::of(change.transaction_id.clone()) }
    };
    let subject: Vec<_> = changes.iter().map(|c| serde_json::json!([c.transaction_id, c.to_color])).collect();
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Flag,
        subject: serde_json::json!({ "flags": subject }),
        guard: serde_json::Value::Null,
        question: with_lines(&format!("Change the flag of {count} transaction(s)?"), &lines(plan, &rows, &changes)),
        done: format!("Changed the flag of {count} transaction(s)."),
        steps: in_steps(changes.iter().map(edit).collect()),
        undoes: None,
    };
    let answer = Flagging { outcome: Outcome::proposed(), changes, unchanged_count };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

fn lines(plan: &Plan, rows: &[&Transaction], changes: &[Flagged]) -> Vec<String> {
    let shown = |color: &Option<String>| safe(color.as_deref().unwrap_or("none")).into_owned();
    let line = |(head, change): (String, &Flagged)| {
        format!("{head}: {} → {}", shown(&change.from_color), shown(&change.to_color))
    };
    names::rows(plan, rows).into_iter().zip(changes).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::writes::Status;

    const TWIN: &str = "2b41235e-1fb0-5d15-80cc-5135193d380a";
    const OTHER_TWIN: &str = "75ec098d-836c-55b3-9d95-188cf40193d4";

    fn asked<'a>(transaction_id: &'a str, color: Option<&'a str>) -> Flag<'a> {
        Flag { transaction_id, color }
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let flags = [asked(TWIN, Some("green")), asked(OTHER_TWIN, Some("blue"))];
        let proposal = flag(plan, &flags).expect("a proposal").proposal.expect("a question");
        assert_eq!(
            proposal.question,
            "Change the flag of 2 transaction(s)?\n- 2026-02-25 Twin shop -33.33: red → green\n\
             - 2026-02-26 Twin shop -33.33: none → blue"
        );
    }

    #[test]
    fn what_is_so_already_changes_nothing() {
        let plan = &corpus("household").plans[0];
        let same = flag(plan, &[asked(TWIN, Some("red")), asked(OTHER_TWIN, None)]).expect("an answer");
        assert_eq!((same.answer.outcome.status, same.answer.unchanged_count), (Status::NothingToDo, 2));
        let one = flag(plan, &[asked(TWIN, Some("red")), asked(OTHER_TWIN, Some("red"))]).expect("a proposal");
        assert_eq!((one.answer.changes.len(), one.answer.unchanged_count), (1, 1));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let plan = &corpus("household").plans[0];
        assert!(flag(plan, &[]).is_err());
        assert!(flag(plan, &[asked(TWIN, Some("red")), asked(TWIN, None)]).is_err());
        for color in ["pink", "", "RED"] {
            assert!(flag(plan, &[asked(TWIN, Some(color))]).is_err(), "{color}");
        }
        let deleted = plan.transactions.iter().find(|t| t.deleted).expect("a deleted one").id.as_str();
        assert!(flag(plan, &[asked(deleted, Some("red"))]).is_err());
    }

    /// Point 40: at most 20 lines, then how many more.
    #[test]
    fn p40_a_long_list_is_counted() {
        let plan = &corpus("household").plans[0];
        let ids: Vec<&str> = plan.live().filter(|t| t.flag.is_none()).take(25).map(|t| t.id.as_str()).collect();
        let flags: Vec<Flag<'_>> = ids.iter().map(|id| asked(id, Some("blue"))).collect();
        let question = flag(plan, &flags).expect("a proposal").proposal.expect("a question").question;
        assert!(question.ends_with("- … and 5 more"), "{question}");
        assert_eq!(question.lines().count(), 22);
    }
}
