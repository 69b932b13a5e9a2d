//! A yes and a record are made by the gate and the journal alone.

use avenir_mcp::confirm::Confirmed;
use avenir_mcp::journal::Recorded;
use avenir_mcp::writes::Proposal;

fn forge(proposal: Proposal) -> Confirmed {
    Confirmed { proposal, ticket: None }
}

fn turn(confirmed: &mut Confirmed, proposal: Proposal) {
    confirmed.proposal = proposal;
}

fn take(recorded: &Recorded) -> &Proposal {
    &recorded.proposal
}

fn main() {}
