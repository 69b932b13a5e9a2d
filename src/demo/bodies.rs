//! Owns the shapes of YNAB's answers: rows with names joined, months' figures, amounts also written out.
//! Never changes a plan.

mod written;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use written::Written;

use super::Response;
use super::book::{Book, CategoryIx};
use super::rows::{
    Account, Category, CurrencyFormat, DateFormat, Goal, Group, Kept, Line, Payee, Scheduled, ScheduledLine, Text,
    Transaction,
};
use super::targets::Asked;
use crate::dates::Month;
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, PlanId, TransactionId};
use crate::money::Milliunits;

/// A successful answer: one named thing, and the plan's knowledge where the route gives it.
pub(super) fn answer(status: u16, key: &'static str, value: impl Serialize, knowledge: Option<i64>) -> Response {
    let body = Envelope { data: Data { key, value, knowledge } };
    Response { status, body: serde_json::to_vec(&body).unwrap_or_default() }
}

/// A successful answer of that shape.
pub(super) fn answer_data(status: u16, data: impl Serialize) -> Response {
    Response { status, body: serde_json::to_vec(&Envelope { data }).unwrap_or_default() }
}

#[derive(serde::Serialize)]
struct Envelope<T> {
    data: T,
}

struct Data<T> {
    key: &'static str,
    value: T,
    knowledge: Option<i64>,
}

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        map.serialize_entry(self.key, &self.value)?;
        if let Some(knowledge) = self.knowledge {
            map.serialize_entry("server_knowledge", &knowledge)?;
        }
        map.end()
    }
}

/// A plan in the list of plans.
#[derive(serde::Serialize)]
pub(super) struct PlanSummary<'a> {
    id: &'a PlanId,
    name: &'a Text,
    last_modified_on: &'a Text,
    first_month: Month,
    last_month: Month,
    date_format: &'a Option<DateFormat>,
    currency_format: &'a Option<CurrencyFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<Vec<AccountBody<'a>>>,
}

/// Whether something comes with its accounts.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Accounts {
    Included,
    #[default]
    LeftOut,
}

#[derive(serde::Serialize)]
pub(super) struct Settings<'a> {
    date_format: &'a Option<DateFormat>,
    currency_format: &'a Option<CurrencyFormat>,
}

#[derive(serde::Serialize)]
pub(super) struct AccountBody<'a> {
    #[serde(flatten)]
    row: &'a Account,
    #[serde(flatten)]
    written: Written<'a, 3>,
}

/// A category with a month's figures.
#[derive(serde::Serialize)]
pub(super) struct CategoryBase<'a> {
    id: &'a CategoryId,
    category_group_id: &'a GroupId,
    category_group_name: &'a str,
    name: &'a Text,
    hidden: bool,
    internal: bool,
    original_category_group_id: Option<&'a GroupId>,
    note: &'a Option<Text>,
    budgeted: Milliunits,
    activity: Milliunits,
    balance: Milliunits,
    #[serde(flatten)]
    goal: &'a Goal,
    goal_target_month: Option<Month>,
    #[serde(flatten)]
    asked: Asked,
    deleted: bool,
}

#[derive(serde::Serialize)]
pub(super) struct CategoryBody<'a> {
    #[serde(flatten)]
    base: CategoryBase<'a>,
    #[serde(flatten)]
    written: Written<'a, 7>,
}

#[derive(serde::Serialize)]
pub(super) struct GroupBody<'a> {
    #[serde(flatten)]
    row: &'a Group,
    categories: Vec<CategoryBody<'a>>,
}

#[derive(serde::Serialize)]
struct MonthBase<'a> {
    month: Month,
    note: Option<&'a Text>,
    income: Milliunits,
    budgeted: Milliunits,
    activity: Milliunits,
    to_be_budgeted: Milliunits,
    age_of_money: Option<i64>,
    deleted: bool,
}

#[derive(serde::Serialize)]
pub(super) struct MonthSummary<'a> {
    #[serde(flatten)]
    base: MonthBase<'a>,
    #[serde(flatten)]
    written: Written<'a, 4>,
}

#[derive(serde::Serialize)]
pub(super) struct MonthDetail<'a> {
    #[serde(flatten)]
    summary: MonthSummary<'a>,
    categories: Vec<CategoryBody<'a>>,
}

#[derive(serde::Serialize)]
struct MonthExport<'a> {
    #[serde(flatten)]
    base: MonthBase<'a>,
    categories: Vec<CategoryBase<'a>>,
}

#[derive(serde::Serialize)]
struct LineBase<'a> {
    #[serde(flatten)]
    row: Line,
    payee_name: Option<&'a Text>,
    category_name: Option<&'a str>,
}

#[derive(serde::Serialize)]
pub(super) struct LineBody<'a> {
    #[serde(flatten)]
    base: LineBase<'a>,
    #[serde(flatten)]
    written: Written<'a, 1>,
}

#[derive(serde::Serialize)]
pub(super) struct TransactionBody<'a> {
    #[serde(flatten)]
    row: &'a Transaction,
    #[serde(flatten)]
    written: Written<'a, 1>,
    account_name: &'a str,
    payee_name: Option<&'a Text>,
    category_name: Option<&'a str>,
    subtransactions: Vec<LineBody<'a>>,
}

/// A transaction, or a line standing for one.
#[derive(serde::Serialize)]
pub(super) struct HybridBody<'a> {
    #[serde(flatten)]
    row: Transaction,
    #[serde(flatten)]
    written: Written<'a, 1>,
    #[serde(rename = "type")]
    kind: &'static str,
    parent_transaction_id: Option<&'a TransactionId>,
    account_name: &'a str,
    payee_name: Option<&'a Text>,
    category_name: Option<&'a str>,
}

#[derive(serde::Serialize)]
struct ScheduledLineBase<'a> {
    #[serde(flatten)]
    row: &'a ScheduledLine,
    payee_name: Option<&'a Text>,
    category_name: Option<&'a str>,
}

#[derive(serde::Serialize)]
struct ScheduledLineBody<'a> {
    #[serde(flatten)]
    base: ScheduledLineBase<'a>,
    #[serde(flatten)]
    written: Written<'a, 1>,
}

#[derive(serde::Serialize)]
pub(super) struct ScheduledBody<'a> {
    #[serde(flatten)]
    row: &'a Scheduled,
    #[serde(flatten)]
    written: Written<'a, 1>,
    account_name: &'a str,
    payee_name: Option<&'a Text>,
    category_name: Option<&'a str>,
    subtransactions: Vec<ScheduledLineBody<'a>>,
}

/// A whole plan: rows without names, lines in lists of their own.
#[derive(serde::Serialize)]
pub(super) struct Export<'a> {
    #[serde(flatten)]
    summary: PlanSummary<'a>,
    accounts: Vec<&'a Account>,
    payees: Vec<&'a Payee>,
    payee_locations: &'a [Box<RawValue>],
    category_groups: Vec<&'a Group>,
    categories: Vec<CategoryBase<'a>>,
    months: Vec<MonthExport<'a>>,
    transactions: Vec<&'a Transaction>,
    subtransactions: Vec<LineBase<'a>>,
    scheduled_transactions: Vec<&'a Scheduled>,
    scheduled_subtransactions: Vec<ScheduledLineBase<'a>>,
}

/// What of a plan an answer lists.
#[derive(Clone, Copy)]
pub(super) enum Since {
    /// What is not deleted.
    Ever,
    /// What changed after that knowledge, deleted rows too.
    Known(i64),
}

impl Since {
    /// Whether a row is listed.
    pub(super) fn lists(self, row: &impl Kept) -> bool {
        match self {
            Self::Ever => !row.deleted(),
            Self::Known(knowledge) => row.stamp() > knowledge,
        }
    }
}

impl Book {
    fn written<const N: usize>(&self, amounts: [(&'static str, Option<Milliunits>); N]) -> Written<'_, N> {
        Written { format: self.currency.as_ref(), amounts }
    }

    pub(super) fn summary(&self, accounts: Accounts) -> PlanSummary<'_> {
        let live = || self.accounts.iter().filter(|account| !account.deleted);
        PlanSummary {
            id: &self.id,
            name: &self.name,
            last_modified_on: &self.last_modified_on,
            first_month: self.first_month,
            last_month: self.last_month,
            date_format: &self.date_format,
            currency_format: &self.currency,
            accounts: (accounts == Accounts::Included).then(|| live().map(|a| self.account_body(a)).collect()),
        }
    }

    pub(super) fn settings(&self) -> Settings<'_> {
        Settings { date_format: &self.date_format, currency_format: &self.currency }
    }

    pub(super) fn account_body<'a>(&'a self, row: &'a Account) -> AccountBody<'a> {
        let written = self.written([
            ("balance", Some(row.balance)),
            ("cleared_balance", Some(row.cleared_balance)),
            ("uncleared_balance", Some(row.uncleared_balance)),
        ]);
        AccountBody { row, written }
    }

    fn category_base(&self, ix: CategoryIx, month: Month) -> CategoryBase<'_> {
        let (row, cell) = (&self.categories[ix], self.cell(month, ix));
        CategoryBase {
            id: &row.id,
            category_group_id: &row.category_group_id,
            category_group_name: self.groups.get(&row.category_group_id).map_or("", |group| &group.name),
            name: &row.name,
            hidden: row.hidden,
            internal: row.internal,
            original_category_group_id: None,
            note: &row.note,
            budgeted: cell.budgeted,
            activity: cell.activity,
            balance: cell.balance,
            goal: &row.goal,
            goal_target_month: None,
            asked: row.goal.asked(month, &cell),
            deleted: row.deleted,
        }
    }

    pub(super) fn category_body(&self, ix: CategoryIx, month: Month) -> CategoryBody<'_> {
        let base = self.category_base(ix, month);
        let written = self.written([
            ("balance", Some(base.balance)),
            ("activity", Some(base.activity)),
            ("budgeted", Some(base.budgeted)),
            ("goal_target", base.goal.goal_target),
            ("goal_under_funded", base.asked.goal_under_funded),
            ("goal_overall_funded", base.asked.goal_overall_funded),
            ("goal_overall_left", base.asked.goal_overall_left),
        ]);
        CategoryBody { base, written }
    }

    /// Whether a category with a month's figures is listed.
    fn lists_category(&self, since: Since, ix: CategoryIx, month: Month) -> bool {
        let row = &self.categories[ix];
        since.lists(row) || matches!(since, Since::Known(known) if self.cell(month, ix).stamp > known)
    }

    /// The categories listed, of one group or of all, in the plan's order.
    fn listed_categories(&self, since: Since, month: Month) -> impl Iterator<Item = (CategoryIx, &Category)> {
        self.categories.enumerate().filter(move |(ix, _)| self.lists_category(since, *ix, month))
    }

    pub(super) fn group_bodies(&self, since: Since) -> Vec<GroupBody<'_>> {
        let month = self.current_month();
        let bodies = self.groups.iter().filter_map(|row| {
            let mine = self.listed_categories(since, month).filter(|(_, c)| c.category_group_id == row.id);
            let categories: Vec<_> = mine.map(|(ix, _)| self.category_body(ix, month)).collect();
            let listed = since.lists(row) || (matches!(since, Since::Known(_)) && !categories.is_empty());
            listed.then_some(GroupBody { row, categories })
        });
        bodies.collect()
    }

    fn month_base(&self, month: Month) -> Option<MonthBase<'_>> {
        self.figures(month).map(|figures| MonthBase {
            month,
            note: self.notes.get(&month),
            income: figures.income,
            budgeted: figures.budgeted,
            activity: figures.activity,
            to_be_budgeted: figures.ready,
            age_of_money: figures.age,
            deleted: false,
        })
    }

    fn month_summary(&self, month: Month) -> Option<MonthSummary<'_>> {
        self.month_base(month).map(|base| {
            let written = self.written([
                ("income", Some(base.income)),
                ("budgeted", Some(base.budgeted)),
                ("activity", Some(base.activity)),
                ("to_be_budgeted", Some(base.to_be_budgeted)),
            ]);
            MonthSummary { base, written }
        })
    }

    pub(super) fn month_detail(&self, month: Month) -> Option<MonthDetail<'_>> {
        let live = self.listed_categories(Since::Ever, month);
        let categories = live.map(|(ix, _)| self.category_body(ix, month)).collect();
        self.month_summary(month).map(|summary| MonthDetail { summary, categories })
    }

    /// Whether a month is listed: a change of one of its categories is one of it.
    fn lists_month(&self, since: Since, month: Month) -> bool {
        let Since::Known(known) = since else { return true };
        let itself = self.figures(month).is_some_and(|figures| figures.stamp > known);
        itself || self.listed_categories(since, month).next().is_some()
    }

    /// The months, the latest first.
    pub(super) fn month_summaries(&self, since: Since) -> Vec<MonthSummary<'_>> {
        let listed = self.months().rev().filter(|month| self.lists_month(since, *month));
        listed.filter_map(|month| self.month_summary(month)).collect()
    }

    fn payee_name(&self, id: &Option<PayeeId>) -> Option<&Text> {
        id.as_ref().and_then(|id| self.payees.get(id)).map(|payee| &payee.name)
    }

    /// The name of a line's category; a transfer or a line of a tracking account has none.
    fn category_name(
        &self,
        category: &Option<CategoryId>,
        other: &Option<AccountId>,
        account: &AccountId,
    ) -> Option<&str> {
        match category {
            Some(id) => self.categories.get(id).map(|category| &*category.name),
            None if other.is_some() || !self.on_budget(account) => None,
            None => Some(crate::plan::UNCATEGORIZED),
        }
    }

    fn account_name(&self, id: &AccountId) -> &str {
        self.accounts.get(id).map_or("", |account| &account.name)
    }

    fn line_base<'a>(&'a self, parent: &'a Transaction, line: &'a Line) -> LineBase<'a> {
        LineBase {
            row: Line { transaction_id: parent.id.clone(), deleted: line.deleted || parent.deleted, ..line.clone() },
            payee_name: self.payee_name(&line.payee_id),
            category_name: self.category_name(&line.category_id, &line.transfer_account_id, &parent.account_id),
        }
    }

    pub(super) fn transaction_body<'a>(&'a self, row: &'a Transaction) -> TransactionBody<'a> {
        let category = self.category_name(&row.category_id, &row.transfer_account_id, &row.account_id);
        let line = |line: &'a Line| {
            let written = self.written([("amount", Some(line.amount))]);
            LineBody { base: self.line_base(row, line), written }
        };
        TransactionBody {
            row,
            written: self.written([("amount", Some(row.amount))]),
            account_name: self.account_name(&row.account_id),
            payee_name: self.payee_name(&row.payee_id),
            category_name: if row.is_split() { Some("Split") } else { category },
            subtransactions: row.lines.iter().map(line).collect(),
        }
    }

    /// A transaction as the lists of a category or a payee give it, or one of its lines.
    pub(super) fn hybrid_body<'a>(&'a self, parent: &'a Transaction, line: Option<&'a Line>) -> HybridBody<'a> {
        let row = match line {
            None => Transaction { lines: Vec::new(), ..parent.clone() },
            Some(line) => Transaction {
                id: line.id.clone(),
                amount: line.amount,
                memo: line.memo.clone().or_else(|| parent.memo.clone()),
                payee_id: line.payee_id.clone().or_else(|| parent.payee_id.clone()),
                category_id: line.category_id.clone(),
                transfer_account_id: line.transfer_account_id.clone(),
                transfer_transaction_id: line.transfer_transaction_id.clone(),
                lines: Vec::new(),
                ..parent.clone()
            },
        };
        let category = self.category_name(&row.category_id, &row.transfer_account_id, &row.account_id);
        let split = line.is_none() && parent.is_split();
        HybridBody {
            written: self.written([("amount", Some(row.amount))]),
            kind: if line.is_some() { "subtransaction" } else { "transaction" },
            parent_transaction_id: line.map(|_| &parent.id),
            account_name: self.account_name(&row.account_id),
            payee_name: self.payee_name(&row.payee_id),
            category_name: if split { Some("Split") } else { category },
            row,
        }
    }

    fn scheduled_line<'a>(&'a self, parent: &'a Scheduled, row: &'a ScheduledLine) -> ScheduledLineBase<'a> {
        ScheduledLineBase {
            row,
            payee_name: self.payee_name(&row.payee_id),
            category_name: self.category_name(&row.category_id, &row.transfer_account_id, &parent.account_id),
        }
    }

    pub(super) fn scheduled_body<'a>(&'a self, row: &'a Scheduled) -> ScheduledBody<'a> {
        let category = self.category_name(&row.category_id, &row.transfer_account_id, &row.account_id);
        let split = row.lines.iter().any(|line| !line.deleted);
        let line = |line: &'a ScheduledLine| {
            let written = self.written([("amount", Some(line.amount))]);
            ScheduledLineBody { base: self.scheduled_line(row, line), written }
        };
        ScheduledBody {
            row,
            written: self.written([("amount", Some(row.amount))]),
            account_name: self.account_name(&row.account_id),
            payee_name: self.payee_name(&row.payee_id),
            category_name: if split { Some("Split") } else { category },
            subtransactions: row.lines.iter().map(line).collect(),
        }
    }

    /// The whole plan, or what changed in it.
    pub(super) fn export(&self, since: Since) -> Export<'_> {
        let month = self.current_month();
        let transactions: Vec<_> = self.transactions.iter().filter(|row| since.lists(*row)).collect();
        let scheduled: Vec<_> = self.scheduled.iter().filter(|row| since.lists(*row)).collect();
        let delta = matches!(since, Since::Known(_));
        let listed_months = self.months().filter(|month| self.lists_month(since, *month));
        let export_month = |month| {
            let listed = self.listed_categories(since, month);
            let categories = listed.map(|(ix, _)| self.category_base(ix, month)).collect();
            self.month_base(month).map(|base| MonthExport { base, categories })
        };
        let lines = transactions.iter().flat_map(|row| row.lines.iter().map(move |line| (*row, line)));
        let lines = lines.filter(|(_, line)| delta || !line.deleted);
        let scheduled_lines = scheduled.iter().flat_map(|row| row.lines.iter().map(move |line| (*row, line)));
        Export {
            summary: self.summary(Accounts::LeftOut),
            accounts: self.accounts.iter().filter(|row| since.lists(*row)).collect(),
            payees: self.payees.iter().filter(|row| since.lists(*row)).collect(),
            payee_locations: if delta { &[] } else { &self.locations },
            category_groups: self.groups.iter().filter(|row| since.lists(*row)).collect(),
            categories: self.listed_categories(since, month).map(|(ix, _)| self.category_base(ix, month)).collect(),
            months: listed_months.filter_map(export_month).collect(),
            subtransactions: lines.map(|(row, line)| self.line_base(row, line)).collect(),
            scheduled_subtransactions: scheduled_lines.map(|(row, line)| self.scheduled_line(row, line)).collect(),
            transactions,
            scheduled_transactions: scheduled,
        }
    }
}
