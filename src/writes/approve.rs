//! Owns approving transactions: which of those named still wait for it.
//! Never asks: it is one of the two writes that are applied at once.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Change, Kind, Landed, Outcome, Proposal, Proposed, RowEdit, checks, in_steps};
use crate::error::Refusal;
use crate::plan::Plan;

/// The answer of approve_transactions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Approval {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How many were not approved before.
    pub approved: usize,
}

impl Answer for Approval {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        self.approved = self.approved.saturating_sub(landed.missed.len());
    }
}

/// What approving these transactions would change; an id given twice counts once.
pub fn approve(plan: &Plan, ids: &[&str]) -> Result<Proposed<Approval>, Refusal> {
    let (mut seen, mut edits) = (HashSet::new(), Vec::new());
    for (at, id) in ids.iter().enumerate() {
        let row = checks::row(plan, id, &format!("tx_ids[{at}]"))?;
        if seen.insert(*id) && !row.approved {
            let approved = Some(Change { before: false, after: true });
            edits.push(RowEdit { approved, ..RowEdit::of(row.id.clone()) });
        }
    }
    let count = edits.len();
    if count == 0 {
        let outcome = Outcome::nothing(match ids {
            [] => "No transaction was named.",
            _ => "Nothing to approve: every transaction named is approved already.",
        });
        return Ok(Proposed { answer: Approval { outcome, approved: 0 }, proposal: None });
    }
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Approve,
        subject: edits.iter().map(|edit| serde_json::json!(edit.id)).collect(),
        guard: serde_json::Value::Null,
        question: format!("Approve {count} transaction(s)?"),
        done: format!("Approved {count} transaction(s)."),
        steps: in_steps(edits),
        undoes: None,
    };
    Ok(Proposed { answer: Approval { outcome: Outcome::proposed(), approved: count }, proposal: Some(proposal) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::writes::Step;

    /// Point 41: only what changes is sent and counted, and an unknown id is refused in words.
    #[test]
    fn p41_counts_are_true_and_an_unknown_id_is_worded() {
        let plan = &corpus("household").plans[0];
        let new: Vec<&str> = plan.live().filter(|t| !t.approved).take(2).map(|t| t.id.as_str()).collect();
        let old = plan.live().find(|t| t.approved).expect("an approved one").id.as_str();
        let proposed = approve(plan, &[new[0], old, new[0], new[1]]).expect("a proposal");
        assert_eq!(proposed.answer.approved, 2);
        let steps = proposed.proposal.expect("a write").steps;
        let [Step::Transactions { rows }] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), new);

        let mut answer = proposed.answer;
        answer.landed(&Landed { missed: vec![new[1].into()], ..Landed::default() });
        assert_eq!(answer.approved, 1);

        for (ids, told) in [(&[old][..], "Nothing to approve: every"), (&[], "No transaction was named.")] {
            let Proposed { answer, proposal } = approve(plan, ids).expect("an answer");
            assert!(answer.outcome.message.starts_with(told) && proposal.is_none(), "{}", answer.outcome.message);
        }
        let refused = approve(plan, &[new[0], "00000000-0000-4000-8000-000000000000"]).expect_err("a refusal");
        assert!(refused.to_string().starts_with("tx_ids[1]: no such transaction"), "{refused}");
        let deleted = plan.transactions.iter().find(|t| t.deleted).expect("a deleted one").id.as_str();
        assert!(approve(plan, &[deleted]).is_err());
    }
}
