//! Owns the tools about payees. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analytics::ROWS;
use crate::analytics::payees::{self, Payees};
use crate::client::Age;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::writes::payee::{self, Renamed};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![Tool::read(LIST_PAYEES, list_payees), Tool::write(RENAME_PAYEE, Effect::Sets, rename_payee)]
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

const RENAME_PAYEE: Words = Words {
    name: "rename_payee",
    title: "Rename a payee",
    description: "Gives a payee another name, on all its transactions, after the user's yes. A name that another payee has \
        is refused: merge them in YNAB.",
};

#[derive(Deserialize, JsonSchema)]
struct RenameAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// From list_payees.
    payee_id: String,
    #[schemars(length(min = 1, max = 500))]
    name: String,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn rename_payee(call: Arc<Call>, ask: RenameAsk) -> Result<Reply<Renamed>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        payee::rename(&plan, &ask.payee_id, &ask.name)
    })
    .await
}
