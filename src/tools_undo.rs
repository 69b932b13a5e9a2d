//! Owns the tools that list the operations made here and take one back. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::writes::categorize::Recategorisation;
use crate::writes::operations::{self, Operations};
use crate::writes::undo;

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![Tool::read(LIST_OPERATIONS, list_operations), Tool::write(UNDO_OPERATION, Effect::Changes, undo_operation)]
}

const LIST_OPERATIONS: Words = Words {
    name: "list_operations",
    title: "List the changes made here",
    description: "The plan's latest changes made from here, newest first: what each changed, whether it can still be undone, \
        and what was changed since.",
};

#[derive(Deserialize, JsonSchema)]
struct OperationsAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
}

fn twenty() -> usize {
    20
}

async fn list_operations(call: Arc<Call>, ask: OperationsAsk) -> Result<Operations, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let operations = call.operations(&plan_id)?;
    let plan = call.client().plan(&call.scope, &plan_id, Age::Recent).await?;
    Ok(operations::list(&plan, &operations, ask.limit))
}

const UNDO_OPERATION: Words = Words {
    name: "undo_operation",
    title: "Undo an operation",
    description: "Takes back the plan's latest change made here, or the one named, after the user's yes. What was \
        changed since is left alone and listed in conflicts.",
};

#[derive(Deserialize, JsonSchema)]
struct UndoAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// The operation_id of an applied change; the latest when left out.
    operation_id: Option<String>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn undo_operation(call: Arc<Call>, ask: UndoAsk) -> Result<Reply<Recategorisation>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let operations = call.operations(&plan_id)?;
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        undo::undo(&plan, &operations, ask.operation_id.as_deref())
    })
    .await
}
