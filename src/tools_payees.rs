//! Owns the tools about payees. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analytics::ROWS;
use crate::analytics::payees::{self, Payees};
use crate::client::Age;
use crate::server::tool::{Call, Failure, Tool, Words};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![Tool::read(LIST_PAYEES, list_payees)]
}

const LIST_PAYEES: Words = Words {
    name: "list_payees",
    title: "List payees",
    description: "Payees, most used first, with how many transactions each has, the latest, and the merchant behind the \
        bank's label.",
};

#[derive(Deserialize, JsonSchema)]
struct PayeesAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// Part of a name or merchant.
    #[schemars(length(min = 1, max = 500))]
    search: Option<String>,
    #[serde(default = "rows")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
}

fn rows() -> usize {
    ROWS
}

async fn list_payees(call: Arc<Call>, ask: PayeesAsk) -> Result<Payees, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    Ok(payees::list(&plan, ask.search.as_deref(), ask.limit))
}
