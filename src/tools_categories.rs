//! Owns the tools that change categories: money assigned and moved, targets, names and groups. Never computes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::client::Age;
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::ids::PlanId;
use crate::money::Currency;
use crate::plan::{Category, Group, MonthBudget};
use crate::server::tool::{Call, Effect, Failure, Reply, Tool, Words};
use crate::server::write;
use crate::tools_budget::month_of;
use crate::writes::budget::{self, Assigned};
use crate::writes::category::{self, NewCategory, Shelf, Updated};
use crate::writes::moving::{self, Move, Moved};
use crate::writes::target::{self, Retargeted};

/// The tools of this file.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::write(SET_CATEGORY_BUDGET, Effect::Sets, set_category_budget),
        Tool::write(MOVE_MONEY, Effect::Changes, move_money),
        Tool::write(SET_CATEGORY_TARGET, Effect::Sets, set_category_target),
        Tool::write(UPDATE_CATEGORY, Effect::Sets, update_category),
        Tool::write(CREATE_CATEGORY, Effect::Adds, create_category),
    ]
}

/// A month as a write sees it, and the plan's currency.
async fn month_now(call: &Call, plan: &PlanId, month: Month) -> Result<(Currency, MonthBudget), Refusal> {
    let month = month_of(call, plan, month, Age::Now).await?;
    Ok((call.client().currency(&call.scope, plan).await?, month))
}

/// Groups and categories as a write sees them.
async fn shelf_now(call: &Call, plan: &PlanId) -> Result<(Vec<Group>, Vec<Category>), Refusal> {
    Ok(call.client().categories(&call.scope, plan, Age::Now).await?)
}

const SET_CATEGORY_BUDGET: Words = Words {
    name: "set_category_budget",
    title: "Set a category's budgeted amount",
    description: "Sets what a category has assigned for a month (the new total, not a change), after the user's yes. To \
        cover overspending from another category, move_money.",
};

#[derive(Deserialize, JsonSchema)]
struct BudgetAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// current, or YYYY-MM-01.
    month: String,
    category_id: String,
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: f64,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn set_category_budget(call: Arc<Call>, ask: BudgetAsk) -> Result<Reply<Assigned>, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let (currency, month) = month_now(&call, &plan, month).await?;
        budget::set_budget(&plan, &currency, &month, &ask.category_id, ask.amount)
    })
    .await
}

const MOVE_MONEY: Words = Words {
    name: "move_money",
    title: "Move money between categories",
    description: "Moves assigned money from one category to another for a month, after the user's yes: how to cover \
        overspending. One question and one undo for both.",
};

#[derive(Deserialize, JsonSchema)]
struct MoveAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// current, or YYYY-MM-01.
    month: String,
    from_category_id: String,
    to_category_id: String,
    #[schemars(range(max = 1e9), extend("exclusiveMinimum" = 0))]
    amount: f64,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn move_money(call: Arc<Call>, ask: MoveAsk) -> Result<Reply<Moved>, Failure> {
    let month = call.month(&ask.month)?;
    let plan = call.plan_id(&ask.plan_id).await?;
    let (from_category_id, to_category_id) = (ask.from_category_id.as_str(), ask.to_category_id.as_str());
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let (currency, month) = month_now(&call, &plan, month).await?;
        moving::move_money(&plan, &currency, &month, Move { from_category_id, to_category_id, amount: ask.amount })
    })
    .await
}

const SET_CATEGORY_TARGET: Words = Words {
    name: "set_category_target",
    title: "Set a category's target",
    description: "Sets, changes or removes a category's target, after the user's yes. Give by_date or frequency, not both; \
        with neither, a target keeps its kind and a new one is monthly; without amount it is removed. undoable false: \
        undo_operation cannot bring the previous one back.",
};

#[derive(Deserialize, JsonSchema)]
struct TargetAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    category_id: String,
    /// More than 0; leave out to remove the target.
    #[schemars(range(min = -1e9, max = 1e9))]
    amount: Option<f64>,
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    by_date: Option<Date>,
    frequency: Option<Frequency>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Frequency {
    Monthly,
    Weekly,
    Yearly,
}

impl Frequency {
    fn as_str(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Weekly => "weekly",
            Self::Yearly => "yearly",
        }
    }
}

async fn set_category_target(call: Arc<Call>, ask: TargetAsk) -> Result<Reply<Retargeted>, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    let wanted =
        target::Ask { amount: ask.amount, by_date: ask.by_date, frequency: ask.frequency.map(Frequency::as_str) };
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let (_, categories) = shelf_now(&call, &plan).await?;
        let currency = call.client().currency(&call.scope, &plan).await?;
        target::set_target(&plan, &currency, &categories, &ask.category_id, wanted)
    })
    .await
}

const UPDATE_CATEGORY: Words = Words {
    name: "update_category",
    title: "Rename or move a category",
    description: "Gives a category another name, another group, or both, after the user's yes. What is left out stays.",
};

#[derive(Deserialize, JsonSchema)]
struct UpdateAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    category_id: String,
    name: Option<String>,
    /// From list_category_groups.
    category_group_id: Option<String>,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn update_category(call: Arc<Call>, ask: UpdateAsk) -> Result<Reply<Updated>, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let (groups, categories) = shelf_now(&call, &plan).await?;
        let shelf = Shelf { plan: &plan, groups: &groups, categories: &categories };
        category::update(shelf, &ask.category_id, ask.name.as_deref(), ask.category_group_id.as_deref())
    })
    .await
}

const CREATE_CATEGORY: Words = Words {
    name: "create_category",
    title: "Create a category",
    description: "Creates a category in a group, after the user's yes. undo_operation cannot delete it.",
};

#[derive(Deserialize, JsonSchema)]
struct NewCategoryAsk {
    /// A plan's id, or last-used.
    plan_id: String,
    /// From list_category_groups.
    category_group_id: String,
    name: String,
    /// The code of the preview, once the user agreed.
    confirmation: Option<String>,
}

async fn create_category(call: Arc<Call>, ask: NewCategoryAsk) -> Result<Reply<NewCategory>, Failure> {
    let plan = call.plan_id(&ask.plan_id).await?;
    write::confirmed(&call, ask.confirmation.as_deref(), || async {
        let (groups, categories) = shelf_now(&call, &plan).await?;
        let shelf = Shelf { plan: &plan, groups: &groups, categories: &categories };
        category::create(shelf, &ask.category_group_id, &ask.name)
    })
    .await
}
