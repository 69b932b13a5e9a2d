//! Owns the two tools about a bank's statement: comparing it with an account, and applying it. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::error::Refusal;
use crate::reconcile::comparison::{self, LIMIT, Match};
use crate::reconcile::statement::ReadAs;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::writes::checks;
use crate::writes::statement::{self, Applied};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![Tool::read(MATCH_STATEMENT, match_statement), Tool::write(APPLY_STATEMENT, Effect::Changes, apply_statement)]
}

/// A statement, and the account it is about.
#[derive(Deserialize, JsonSchema)]
struct Ask {
    /// A plan's id, or last-used.
    plan_id: String,
    account_id: String,
    /// The statement's text, unless file.
    content: Option<String>,
    /// A path in the user's folder of statements.
    file: Option<String>,
    /// A reading that was asked about; account: of a file of several.
    read_as: Option<ReadAs>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 5000))]
    limit: usize,
}

fn limit() -> usize {
    LIMIT
}

impl Ask {
    fn bytes(&self, call: &Call) -> Result<Vec<u8>, Refusal> {
        match (&self.content, &self.file) {
            (Some(text), None) => Ok(text.clone().into_bytes()),
            (None, Some(path)) => call.app.statements.read(path),
            _ => Err(Refusal::new("Give the statement either as content or as file.")),
        }
    }
}

const MATCH_STATEMENT: Words = Words {
    name: "match_statement",
    title: "Compare a bank statement",
    description: "Reads a bank's file (CSV, OFX, QFX, QIF, CAMT.053, MT940) and says what YNAB or the bank lacks, what \
        is doubtful, and the first day the balances part. If `ambiguous`, ask the user and call again with one as \
        read_as.",
};

async fn match_statement(call: Arc<Call>, ask: Ask) -> Result<Match, Failure> {
    let bytes = ask.bytes(&call)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let plan = call.client().plan(&call.scope, &plan, Age::Recent).await?;
    let account = checks::account(&plan, &ask.account_id, "account_id")?;
    Ok(comparison::matched(&plan, account, &bytes, ask.read_as.as_ref(), ask.limit, call.today())?)
}

const APPLY_STATEMENT: Words = Words {
    name: "apply_statement",
    title: "Apply a bank statement",
    description: "After match_statement, with the user's yes: creates rows YNAB lacks, marks matched ones cleared and, when \
        the balances then agree, reconciled. Doubtful rows are left alone.",
};

#[derive(Deserialize, JsonSchema)]
struct ApplyAsk {
    #[serde(flatten)]
    ask: Ask,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn apply_statement(call: Arc<Call>, ApplyAsk { ask, confirmation }: ApplyAsk) -> Result<Reply<Applied>, Failure> {
    let bytes = ask.bytes(&call)?;
    let plan_id = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, confirmation.as_deref(), || async {
        let operations = call.operations(&plan_id)?;
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        let account = checks::account(&plan, &ask.account_id, "account_id")?;
        let statement = statement::Ask { account, bytes: &bytes, read_as: ask.read_as.as_ref(), today: call.today() };
        statement::apply(&plan, &operations, statement)
    })
    .await
}
