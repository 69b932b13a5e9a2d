//! Owns the gate: the only way from a proposal to a confirmed change. Never writes, reads YNAB or touches the disk.
//! It has no children: a child could forge its tokens.

use crate::writes::Proposal;

/// A change that the user said yes to, or one of the two that need no question. Only this file makes one.
pub struct Confirmed {
    proposal: Proposal,
}

impl Confirmed {
    /// The change.
    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// The change, to be recorded.
    pub fn into_proposal(self) -> Proposal {
        self.proposal
    }
}
