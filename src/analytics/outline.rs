//! Owns the short lists that the resources give: plans, open accounts, categories by group. Never a month's figures.

use serde::Serialize;

use crate::ids::{AccountId, CategoryId, PlanId};
use crate::money::Amount;
use crate::plan::{Account, Category, Group, PlanSummary};
use crate::text::safe;

/// A plan, in short.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PlanLine {
    pub plan_id: PlanId,
    pub name: String,
    pub last_modified_on: Option<String>,
}

/// An open account, in short.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AccountLine {
    pub account_id: AccountId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub on_budget: bool,
    pub balance: Amount,
}

/// A group with its usable categories.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct GroupLines {
    pub group: String,
    pub categories: Vec<CategoryLine>,
}

/// A category, in short.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct CategoryLine {
    pub category_id: CategoryId,
    pub name: String,
}

/// The plans, in YNAB's order.
pub fn plans(plans: &[PlanSummary]) -> Vec<PlanLine> {
    let line = |plan: &PlanSummary| PlanLine {
        plan_id: plan.id.clone(),
        name: safe(&plan.name).into_owned(),
        last_modified_on: plan.last_modified_on.as_deref().map(str::to_owned),
    };
    plans.iter().map(line).collect()
}

/// The accounts that are neither closed nor deleted.
pub fn accounts(accounts: &[Account]) -> Vec<AccountLine> {
    let line = |account: &Account| AccountLine {
        account_id: account.id.clone(),
        name: safe(&account.name).into_owned(),
        kind: safe(account.kind.as_str()).into_owned(),
        on_budget: account.on_budget,
        balance: account.balance.into(),
    };
    accounts.iter().filter(|account| !account.closed && !account.deleted).map(line).collect()
}

/// The groups that hold a usable category, in the plan's order.
pub fn categories(groups: &[Group], categories: &[Category]) -> Vec<GroupLines> {
    let lines = |group: &Group| GroupLines {
        group: safe(&group.name).into_owned(),
        categories: categories
            .iter()
            .filter(|category| category.group == group.id && category.is_usable())
            .map(|category| CategoryLine { category_id: category.id.clone(), name: safe(&category.name).into_owned() })
            .collect(),
    };
    groups.iter().map(lines).filter(|group| !group.categories.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_can_be_used_is_listed() {
        let account = |id: &str, closed| Account { id: id.into(), name: "A".into(), closed, ..Account::default() };
        let open = json!([{"account_id": "a", "name": "A", "type": "checking", "on_budget": false, "balance": 0}]);
        assert_eq!(json!(accounts(&[account("a", false), account("b", true)])), open);
        let group = |id: &str| Group { id: id.into(), name: "G".into(), ..Group::default() };
        let category = |id: &str, hidden| Category { id: id.into(), group: "g".into(), hidden, ..Category::default() };
        let listed = categories(&[group("g"), group("empty")], &[category("c", false), category("h", true)]);
        assert_eq!(json!(listed), json!([{"group": "G", "categories": [{"category_id": "c", "name": ""}]}]));
    }
}
