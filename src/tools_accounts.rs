//! Owns the tools about an account's transactions: creating, splitting, flagging, reconciling, importing. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::dates::Date;
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::writes::create::{self, Created, Creation, New};
use crate::writes::flag::{self, Flag, Flagging};
use crate::writes::importing::{self, Imported};
use crate::writes::reconciling::{self, Adjust, Reconciled};
use crate::writes::split::{self, Line, Split};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::write(CREATE_TRANSACTIONS, Effect::Adds, create_transactions),
        Tool::write(SPLIT_TRANSACTION, Effect::Changes, split_transaction),
        Tool::write(FLAG_TRANSACTIONS, Effect::Marks, flag_transactions),
        Tool::write(RECONCILE_ACCOUNT, Effect::Changes, reconcile_account),
        Tool::write(IMPORT_TRANSACTIONS, Effect::Marks, import_transactions),
    ]
}

const CREATE_TRANSACTIONS: Words = Words {
    name: "create_transactions",
    title: "Create transactions",
    description: "Enters transactions on an account, after the user's yes: today or earlier, spending negative. For what \
        the bank can send, import_transactions.",
};

#[derive(Deserialize, JsonSchema)]
struct CreateAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    account_id: String,
    transactions: Vec<NewAsk>,
    #[serde(default)]
    approved: bool,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct NewAsk {
    #[schemars(with = "String", extend("format" = "date"))]
    date: Date,
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: f64,
    #[schemars(length(min = 1, max = 200))]
    payee_name: String,
    #[schemars(length(max = 500))]
    memo: Option<String>,
    category_id: Option<String>,
    /// cleared when left out.
    cleared: Option<Clearing>,
}

impl NewAsk {
    fn read(&self) -> New<'_> {
        New {
            date: self.date,
            amount: self.amount,
            payee_name: &self.payee_name,
            memo: self.memo.as_deref(),
            category_id: self.category_id.as_deref(),
            cleared: self.cleared.map(Clearing::as_str),
        }
    }
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Clearing {
    Cleared,
    Uncleared,
}

impl Clearing {
    fn as_str(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Uncleared => "uncleared",
        }
    }
}

async fn create_transactions(call: Arc<Call>, ask: CreateAsk) -> Result<Reply<Created>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let transactions: Vec<New<'_>> = ask.transactions.iter().map(NewAsk::read).collect();
    let wanted = Creation { account_id: &ask.account_id, transactions: &transactions, approved: ask.approved };
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        create::create(&plan, call.today(), wanted)
    })
    .await
}

const SPLIT_TRANSACTION: Words = Words {
    name: "split_transaction",
    title: "Split a transaction across categories",
    description: "Splits a transaction into lines of several categories, after the user's yes. The lines, signed as the \
        transaction, add up to it. undo_operation cannot take a split back.",
};

#[derive(Deserialize, JsonSchema)]
struct SplitAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    transaction_id: String,
    lines: Vec<LineAsk>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct LineAsk {
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: f64,
    category_id: String,
    #[schemars(length(max = 500))]
    memo: Option<String>,
}

impl LineAsk {
    fn read(&self) -> Line<'_> {
        Line { amount: self.amount, category_id: &self.category_id, memo: self.memo.as_deref() }
    }
}

async fn split_transaction(call: Arc<Call>, ask: SplitAsk) -> Result<Reply<Split>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let lines: Vec<Line<'_>> = ask.lines.iter().map(LineAsk::read).collect();
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        split::split(&plan, &ask.transaction_id, &lines)
    })
    .await
}

const FLAG_TRANSACTIONS: Words = Words {
    name: "flag_transactions",
    title: "Flag transactions",
    description: "Gives transactions a coloured flag, or removes it (no color), after the user's yes.",
};

#[derive(Deserialize, JsonSchema)]
struct FlagsAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    flags: Vec<FlagAsk>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct FlagAsk {
    transaction_id: String,
    color: Option<Color>,
}

impl FlagAsk {
    fn read(&self) -> Flag<'_> {
        Flag { transaction_id: &self.transaction_id, color: self.color.map(Color::as_str) }
    }
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Color {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
}

impl Color {
    fn as_str(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Purple => "purple",
        }
    }
}

async fn flag_transactions(call: Arc<Call>, ask: FlagsAsk) -> Result<Reply<Flagging>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let flags: Vec<Flag<'_>> = ask.flags.iter().map(FlagAsk::read).collect();
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        flag::flag(&plan, &flags)
    })
    .await
}

const RECONCILE_ACCOUNT: Words = Words {
    name: "reconcile_account",
    title: "Reconcile an account with the bank",
    description: "Compares YNAB's cleared balance with the bank's. Equal: marks what is cleared reconciled, after the \
        user's yes. Different: changes nothing and says what may explain it; adjust=true, only if the user wants it, \
        adds the difference to Ready to Assign.",
};

#[derive(Deserialize, JsonSchema)]
struct ReconcileAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    account_id: String,
    /// Debts are negative.
    #[schemars(range(min = -1e9, max = 1e9))]
    bank_balance: f64,
    #[serde(default)]
    adjust: bool,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn reconcile_account(call: Arc<Call>, ask: ReconcileAsk) -> Result<Reply<Reconciled>, Failure> {
    let plan_id = call.plan_id(&ask.plan_id).await?;
    let adjust = if ask.adjust { Adjust::Difference } else { Adjust::Nothing };
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let plan = call.client().plan(&call.scope, &plan_id, Age::Now).await?;
        reconciling::reconcile(&plan, call.today(), &ask.account_id, ask.bank_balance, adjust)
    })
    .await
}

const IMPORT_TRANSACTIONS: Words = Words {
    name: "import_transactions",
    title: "Import the bank's latest transactions",
    description: "Makes YNAB fetch what linked banks have, at once, without a question: only when the user asked for it. \
        Cannot be undone. Then suggest_categories.",
};

#[derive(Deserialize, JsonSchema)]
struct ImportAsk {
    /// A plan's id, or last-used.
    plan_id: String,
}

async fn import_transactions(call: Arc<Call>, ask: ImportAsk) -> Result<Reply<Imported>, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    Ok(Reply::Answer(write::unasked(&call, importing::import(&plan)).await?))
}
