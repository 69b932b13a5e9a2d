//! Owns the list of plans as an answer. Never reads a plan's content.

use schemars::JsonSchema;
use serde::Serialize;

use crate::dates::Month;
use crate::ids::PlanId;
use crate::plan::PlanSummary;
use crate::text::safe;

/// The user's plans.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Plans {
    /// One row a plan.
    pub result: Vec<Listed>,
}

/// A plan in the list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Listed {
    pub id: PlanId,
    pub name: String,
    /// The ISO 4217 code of every amount of the plan, such as `EUR`; null when YNAB does not say.
    pub currency: Option<String>,
    pub first_month: Option<Month>,
    pub last_month: Option<Month>,
}

/// The plans, in YNAB's order.
pub fn list(plans: &[PlanSummary]) -> Plans {
    let row = |plan: &PlanSummary| Listed {
        id: plan.id.clone(),
        name: safe(&plan.name).into_owned(),
        currency: plan.currency.code.as_deref().map(|code| safe(code).into_owned()),
        first_month: plan.first_month,
        last_month: plan.last_month,
    };
    Plans { result: plans.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;

    #[test]
    fn a_plan_is_named_safely_with_its_currency() {
        let plan = PlanSummary {
            id: "p".into(),
            name: "Home\u{202E} plan".into(),
            first_month: Month::parse("2025-01-01"),
            last_month: None,
            last_modified_on: None,
            currency: Currency { code: Some("EUR".into()), ..Default::default() },
            accounts: Vec::new(),
        };
        let json = serde_json::json!(list(&[plan]));
        assert_eq!(
            json,
            serde_json::json!({"result": [{
                "id": "p", "name": "Home plan", "currency": "EUR", "first_month": "2025-01-01", "last_month": null
            }]})
        );
    }
}
