//! Owns the journal on disk: what is about to be written to YNAB, then what came of it. Never talks to YNAB.

use crate::confirm::Confirmed;
use crate::ids::{OperationId, PlanId};
use crate::writes::{Proposal, Step};

/// A confirmed change whose intent is on disk. Only this file makes one.
pub struct Recorded {
    operation: OperationId,
    proposal: Proposal,
}

impl Recorded {
    /// Its operation's id.
    pub fn operation(&self) -> &OperationId {
        &self.operation
    }

    /// The plan it changes.
    pub fn plan(&self) -> &PlanId {
        &self.proposal.plan
    }

    /// The requests it makes, in order.
    pub fn steps(&self) -> &[Step] {
        &self.proposal.steps
    }
}

/// Records the intent.
pub fn record(confirmed: Confirmed, operation: OperationId) -> Recorded {
    Recorded { operation, proposal: confirmed.into_proposal() }
}
