//! Owns renaming a payee.
//! Never merges two: a name that another payee has is refused.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, Change, Kind, Outcome, Proposal, Proposed, Step, checks, names, stand};
use crate::error::Refusal;
use crate::ids::PayeeId;
use crate::plan::{Payee, Plan};
use crate::refuse;
use crate::text::safe;

/// Characters of a payee's name (source: YNAB's API).
const NAME_MAX: usize = 500;

/// The answer of rename_payee.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Renamed {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The payee.
    pub payee_id: PayeeId,
    /// Before. Untrusted bank text.
    pub from_name: String,
    /// After.
    pub to_name: String,
    /// Live ones that name it.
    pub transactions: usize,
}

impl Answer for Renamed {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// What giving the payee that name would change.
pub fn rename(plan: &Plan, payee_id: &str, name: &str) -> Result<Proposed<Renamed>, Refusal> {
    let found = plan.payees.find(payee_id).filter(|ix| !plan.payees[*ix].deleted);
    let ix = found.ok_or_else(|| refuse!("payee_id: no such payee in this plan. Take one from list_payees."))?;
    let payee = &plan.payees[ix];
    if payee.transfer_account.is_some() {
        return Err(refuse!("'{}' stands for an account. Rename the account in YNAB.", safe(&payee.name)));
    }
    let name = checks::one_line(name, NAME_MAX, "name")?;
    let naming = |t: &&crate::plan::Transaction| t.payee == Some(ix) || t.live_lines().any(|l| l.payee == Some(ix));
    let count = plan.live().filter(naming).count();
    let mut answer = Renamed {
        outcome: Outcome::proposed(),
        payee_id: payee.id.clone(),
        from_name: safe(&payee.name).into_owned(),
        to_name: safe(name).into_owned(),
        transactions: count,
    };
    if *payee.name == *name {
        answer.outcome = Outcome::nothing(format!("The payee is named '{}' already.", safe(name)));
        return Ok(Proposed { answer, proposal: None });
    }
    checks::own_payee(name, "name")?;
    let has = |other: &Payee| other.id != payee.id && !other.deleted && stand::is_same_name(&other.name, name);
    if let Some(other) = plan.payees.iter().find(|other| has(other)) {
        return Err(refuse!(
            "Another payee is named '{}'. Merge the two in YNAB, or choose another.",
            safe(&other.name)
        ));
    }
    let what = format!("payee {} to '{}'", names::payee(plan, payee), safe(name));
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Payee,
        subject: json!({ "payee_id": payee.id, "name": name }),
        guard: serde_json::Value::Null,
        question: format!("Rename {what}? {count} transaction(s) name it."),
        done: format!("Renamed {what}."),
        steps: vec![Step::Payee {
            payee: payee.id.clone(),
            name: Change { before: payee.name.to_string(), after: name.to_owned() },
        }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::writes::Status;

    fn ask(plan: &Plan, from: &str, to: &str) -> Result<Proposed<Renamed>, Refusal> {
        let payee = plan.payees.iter().find(|p| &*p.name == from).expect("the payee");
        rename(plan, payee.id.as_str(), to)
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let proposed = ask(plan, "Twin shop", "L'ami d'en face").expect("a proposal");
        assert_eq!(
            proposed.proposal.expect("a question").question,
            "Rename payee 'Twin shop' to 'L'ami d'en face'? 2 transaction(s) name it."
        );
    }

    /// Point 59: the same name with spaces around is nothing to do; another case is a rename unless another has it.
    #[test]
    fn p59_a_blank_change_is_nothing_and_a_change_of_case_is_checked_against_others() {
        let plan = &corpus("household").plans[0];
        for same in ["Twin shop", " Twin shop "] {
            assert_eq!(ask(plan, "Twin shop", same).expect("an answer").answer.outcome.status, Status::NothingToDo);
        }
        assert!(ask(plan, "Twin shop", "twin SHOP").is_err(), "'TWIN SHOP' is another payee");
        assert!(ask(plan, "Garage Beta", "GARAGE BETA").expect("an answer").proposal.is_some());
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let plan = &corpus("household").plans[0];
        let long = "x".repeat(501);
        for bad in ["", "   ", "a\nb", "a\u{200B}b", "a\0b", "Garage Beta", "garage beta", "Transfer : x", &long] {
            assert!(ask(plan, "Twin shop", bad).is_err(), "{bad:?}");
        }
        assert!(ask(plan, "Twin shop", "Deleted payee").is_ok());
        assert!(ask(plan, "Deleted payee", "x").is_err());
        let transfer = plan.payees.iter().find(|p| p.transfer_account.is_some()).expect("a transfer's payee");
        assert!(rename(plan, transfer.id.as_str(), "x").is_err());
        assert!(rename(plan, "00000000-0000-4000-8000-000000000000", "x").is_err());
    }
}
