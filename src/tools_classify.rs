//! Owns the tools that find and give categories. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::triage::{self, Suggestions};
use crate::writes::categorize::{self, Assignment, Recategorisation};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::read(SUGGEST_CATEGORIES, suggest_categories),
        Tool::write(APPLY_CATEGORIES, Effect::Sets, apply_categories),
    ]
}

const SUGGEST_CATEGORIES: Words = Words {
    name: "suggest_categories",
    title: "Suggest categories for pending transactions",
    description: "Transactions that wait for a category, newest first, each with the category its own history points to \
        (if any), and the transaction it looks like a transfer with. `categories` (first page only) lists what can be \
        assigned. next_cursor gives the next page.",
};

#[derive(Deserialize, JsonSchema)]
struct SuggestAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
    /// next_cursor of the page before.
    cursor: Option<String>,
}

fn fifty() -> usize {
    50
}

async fn suggest_categories(call: Arc<Call>, ask: SuggestAsk) -> Result<Suggestions, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    let ask =
        triage::Ask { limit: ask.limit, cursor: ask.cursor.as_deref(), threshold: Some(call.app.confidence_threshold) };
    Ok(triage::suggest(&plan, &ask, call.today())?)
}

const APPLY_CATEGORIES: Words = Words {
    name: "apply_categories",
    title: "Assign categories to transactions",
    description: "Gives transactions a category, after the user's yes. Ids from suggest_categories or \
        find_transactions. Not for transfers, splits or tracking accounts.",
};

#[derive(Deserialize, JsonSchema)]
struct ApplyAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    assignments: Vec<AssignmentAsk>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct AssignmentAsk {
    transaction_id: String,
    category_id: String,
}

async fn apply_categories(call: Arc<Call>, ask: ApplyAsk) -> Result<Reply<Recategorisation>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let assignments: Vec<Assignment<'_>> = ask
        .assignments
        .iter()
        .map(|one| Assignment { transaction_id: &one.transaction_id, category_id: &one.category_id })
        .collect();
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        categorize::categorize(&plan, &assignments)
    })
    .await
}
