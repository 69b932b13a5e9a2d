//! Owns the lists of accounts and of category groups as the agent sees them.
//! Never shows a deleted one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{Room, fit};
use crate::dates::{Date, parse_date_prefix};
use crate::ids::{AccountId, GroupId};
use crate::money::Amount;
use crate::plan::{Account, CARD_PAYMENTS_GROUP, Group, HIDDEN_GROUP, INTERNAL_GROUP};
use crate::text::safe;

/// The accounts of a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Accounts {
    /// Open accounts and closed ones.
    pub result: Vec<AccountRow>,
    /// Closed accounts left out for length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// An account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it; each doc would cost the agent bytes")]
pub struct AccountRow {
    pub id: AccountId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// False: a tracking account.
    pub on_budget: bool,
    pub closed: bool,
    pub balance: Amount,
    pub cleared_balance: Amount,
    pub uncleared_balance: Amount,
    pub bank_link: BankLink,
    #[schemars(with = "Option<String>")]
    pub last_reconciled: Option<Date>,
}

/// How a bank connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BankLink {
    Healthy,
    Broken,
    None,
}

/// Every account not deleted, in the plan's order. Where they are too many, closed ones give way.
pub fn list<'a>(accounts: impl IntoIterator<Item = &'a Account>) -> Accounts {
    let live: Vec<_> = accounts.into_iter().filter(|account| !account.deleted).collect();
    let (result, left) = fit(live.iter().map(|account| row(account)).collect(), Room::USUAL);
    if left == 0 {
        return Accounts { result, more: None };
    }
    let (open, closed): (Vec<_>, Vec<_>) = live.into_iter().partition(|account| !account.closed);
    let (result, left) = fit(open.into_iter().chain(closed).map(row).collect(), Room::USUAL);
    Accounts { result, more: Some(left) }
}

fn row(account: &Account) -> AccountRow {
    AccountRow {
        id: account.id.clone(),
        name: safe(&account.name).into_owned(),
        kind: safe(account.kind.as_str()).into_owned(),
        on_budget: account.on_budget,
        closed: account.closed,
        balance: account.balance.into(),
        cleared_balance: account.cleared.into(),
        uncleared_balance: account.uncleared.into(),
        bank_link: match (account.linked, account.link_error) {
            (false, _) => BankLink::None,
            (true, true) => BankLink::Broken,
            (true, false) => BankLink::Healthy,
        },
        last_reconciled: account.last_reconciled_at.as_deref().and_then(parse_date_prefix),
    }
}

/// The groups of a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Groups {
    pub result: Vec<GroupRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// A group of categories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct GroupRow {
    pub id: GroupId,
    pub name: String,
}

/// The groups that the user sees and made, in the plan's order.
pub fn groups<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Groups {
    let shown = groups.into_iter().filter(|group| !group.hidden && is_users(group));
    let rows = shown.map(|group| GroupRow { id: group.id.clone(), name: safe(&group.name).into_owned() });
    let (result, left) = fit(rows.collect(), Room::USUAL);
    Groups { result, more: (left > 0).then_some(left) }
}

/// Whether the group is live and not one of YNAB's own.
pub fn is_users(group: &Group) -> bool {
    !group.deleted && !group.internal && ![INTERNAL_GROUP, CARD_PAYMENTS_GROUP, HIDDEN_GROUP].contains(&&*group.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str) -> Account {
        Account { id: id.into(), name: id.into(), ..Account::default() }
    }

    #[test]
    fn a_bank_link_is_healthy_broken_or_none() {
        for (linked, link_error, want) in [
            (false, false, BankLink::None),
            (false, true, BankLink::None),
            (true, true, BankLink::Broken),
            (true, false, BankLink::Healthy),
        ] {
            let account = Account { linked, link_error, ..account("a") };
            assert_eq!(list([&account]).result[0].bank_link, want);
        }
    }

    #[test]
    fn closed_is_listed_deleted_is_not_and_only_the_day_of_reconciling_is_shown() {
        let closed = Account { closed: true, last_reconciled_at: Some("2026-02-05T18:22:10Z".into()), ..account("b") };
        let deleted = Account { deleted: true, ..account("c") };
        let rows = list([&account("a"), &closed, &deleted]).result;
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].last_reconciled, Some(jiff::civil::date(2026, 2, 5)));
    }

    #[test]
    fn closed_accounts_give_way_when_there_are_too_many() {
        let many: Vec<_> = (0..200).map(|n| Account { closed: n % 2 == 0, ..account(&format!("a{n}")) }).collect();
        let answer = list(&many);
        assert_eq!(answer.result.len() + answer.more.unwrap_or_default(), 200);
        assert!(answer.result.iter().take(100).all(|row| !row.closed), "open ones first");
        assert!(serde_json::to_string(&answer).unwrap().len() < 25_000);
    }

    #[test]
    fn point_43_names_are_shown_safe() {
        let odd = Account { name: "Bank\u{202E}ing\u{200B}".into(), ..account("a") };
        assert_eq!(list([&odd]).result[0].name, "Banking");
        let group = Group { name: "Fun\u{2028}stuff".into(), ..Group::default() };
        assert_eq!(groups([&group]).result[0].name, "Fun stuff");
    }

    #[test]
    fn ynabs_own_and_hidden_groups_are_not_listed() {
        let named = |name: &str| Group { name: name.into(), ..Group::default() };
        let rows = [
            named(INTERNAL_GROUP),
            named(CARD_PAYMENTS_GROUP),
            named(HIDDEN_GROUP),
            Group { hidden: true, ..named("Hidden") },
            Group { deleted: true, ..named("Deleted") },
            named("Bills"),
        ];
        let shown: Vec<_> = groups(&rows).result.into_iter().map(|row| row.name).collect();
        assert_eq!(shown, ["Bills"]);
    }
}
