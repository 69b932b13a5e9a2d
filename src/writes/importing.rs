//! Owns asking YNAB to fetch what the banks have.
//! Never asks the user: it is one of the two writes that are applied at once.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Answer, Kind, Landed, Outcome, Proposal, Proposed, Step};
use crate::ids::{PlanId, TransactionId};

/// The answer of import_transactions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Imported {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How many came.
    pub imported: usize,
    /// What came.
    pub transaction_ids: Vec<TransactionId>,
}

impl Answer for Imported {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        self.transaction_ids.extend(landed.created.iter().cloned());
        self.imported = self.transaction_ids.len();
    }
}

/// What asking for the banks' latest transactions does.
pub fn import(plan: &PlanId) -> Proposed<Imported> {
    let proposal = Proposal {
        plan: plan.clone(),
        kind: Kind::Import,
        subject: json!({ "import": plan }),
        guard: Value::Null,
        question: "Import the banks' latest transactions?".to_owned(),
        done: "Asked the linked banks for what is new. undo_operation cannot take an import back: \
               delete transactions in YNAB."
            .to_owned(),
        steps: vec![Step::Import],
        undoes: None,
    };
    let answer = Imported { outcome: Outcome::proposed(), imported: 0, transaction_ids: Vec::new() };
    Proposed { answer, proposal: Some(proposal) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_is_counted() {
        let mut answer = import(&"p".into()).answer;
        answer.landed(&Landed { created: vec!["a".into(), "b".into()], ..Landed::default() });
        assert_eq!((answer.imported, answer.transaction_ids.len()), (2, 2));
    }
}
