//! Owns the rows of a plan as YNAB keeps them, close to its JSON.
//! Never holds a figure that follows from other rows, a balance of an account excepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::book::CategoryIx;
use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, ScheduledId, TransactionId};
use crate::money::Milliunits;
use crate::plan::{AccountKind, Row};

/// A text that may be shared.
pub(super) type Text = Arc<str>;

/// A row that answers can list: found by id, deleted rather than removed, and knowing when it last changed.
pub(super) trait Kept: Row {
    fn deleted(&self) -> bool;
    /// The plan's knowledge when it last changed.
    fn stamp(&self) -> i64;
    fn set_stamp(&mut self, knowledge: i64);
}

macro_rules! kept {
    ($($row:ty),*) => {$(
        impl Row for $row {
            fn key(&self) -> &Arc<str> {
                self.id.arc()
            }
        }
        impl Kept for $row {
            fn deleted(&self) -> bool {
                self.deleted
            }
            fn stamp(&self) -> i64 {
                self.stamp
            }
            fn set_stamp(&mut self, knowledge: i64) {
                self.stamp = knowledge;
            }
        }
    )*};
}
kept!(Account, Payee, Group, Category, Transaction, Scheduled);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Account {
    pub id: AccountId,
    pub name: Text,
    #[serde(rename = "type")]
    pub kind: Text,
    pub on_budget: bool,
    pub closed: bool,
    pub note: Option<Text>,
    pub balance: Milliunits,
    pub cleared_balance: Milliunits,
    pub uncleared_balance: Milliunits,
    pub transfer_payee_id: Option<PayeeId>,
    pub direct_import_linked: bool,
    pub direct_import_in_error: bool,
    pub last_reconciled_at: Option<Text>,
    pub debt_original_balance: Option<Milliunits>,
    pub debt_interest_rates: BTreeMap<Date, i64>,
    pub debt_minimum_payments: BTreeMap<Date, Milliunits>,
    pub debt_escrow_amounts: BTreeMap<Date, Milliunits>,
    pub deleted: bool,
    /// The category that holds the money for the payment, when it is a card of the budget.
    #[serde(skip)]
    pub payment: Option<CategoryIx>,
    #[serde(skip)]
    pub stamp: i64,
}

impl Account {
    /// Its balance, cleared and uncleared.
    pub(super) fn balances(&self) -> [Milliunits; 3] {
        [self.balance, self.cleared_balance, self.uncleared_balance]
    }

    /// Whether it is a card or a line of credit of the budget.
    pub(super) fn is_card(&self) -> bool {
        self.on_budget && AccountKind::of(&self.kind).is_card()
    }

    /// Whether it is a loan: a debt that is not spent from.
    pub(super) fn is_loan(&self) -> bool {
        let kind = AccountKind::of(&self.kind);
        kind.is_debt() && !kind.is_card() && kind != AccountKind::OtherLiability
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Payee {
    pub id: PayeeId,
    pub name: Text,
    pub transfer_account_id: Option<AccountId>,
    pub deleted: bool,
    #[serde(skip)]
    pub stamp: i64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub id: GroupId,
    pub name: Text,
    pub hidden: bool,
    pub internal: bool,
    pub deleted: bool,
    #[serde(skip)]
    pub stamp: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Category {
    pub id: CategoryId,
    pub category_group_id: GroupId,
    pub name: Text,
    pub hidden: bool,
    pub internal: bool,
    pub note: Option<Text>,
    #[serde(flatten)]
    pub goal: Goal,
    pub deleted: bool,
    /// Whether it is paired to a loan.
    #[serde(skip)]
    pub loan: bool,
    #[serde(skip)]
    pub stamp: i64,
}

/// What of a target the user chose; what it asks for in a month is computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Goal {
    pub goal_type: Option<Text>,
    pub goal_needs_whole_amount: Option<bool>,
    pub goal_day: Option<i64>,
    pub goal_cadence: Option<i64>,
    pub goal_cadence_frequency: Option<i64>,
    pub goal_creation_month: Option<Month>,
    pub goal_target: Option<Milliunits>,
    pub goal_target_date: Option<Date>,
    pub goal_snoozed_at: Option<Text>,
}

/// Whether the bank has shown a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Clearing {
    #[default]
    Uncleared,
    Cleared,
    Reconciled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Flag {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Transaction {
    pub id: TransactionId,
    pub date: Date,
    pub amount: Milliunits,
    pub memo: Option<Text>,
    pub cleared: Clearing,
    pub approved: bool,
    pub flag_color: Option<Flag>,
    pub flag_name: Option<Text>,
    pub account_id: AccountId,
    pub payee_id: Option<PayeeId>,
    pub category_id: Option<CategoryId>,
    pub transfer_account_id: Option<AccountId>,
    pub transfer_transaction_id: Option<TransactionId>,
    pub matched_transaction_id: Option<TransactionId>,
    pub import_id: Option<Text>,
    pub import_payee_name: Option<Text>,
    pub import_payee_name_original: Option<Text>,
    pub debt_transaction_type: Option<Text>,
    pub deleted: bool,
    #[serde(skip)]
    pub lines: Vec<Line>,
    #[serde(skip)]
    pub stamp: i64,
}

impl Transaction {
    /// Its lines that are not deleted.
    pub(super) fn live_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.deleted)
    }

    /// Whether it is split.
    pub(super) fn is_split(&self) -> bool {
        self.live_lines().next().is_some()
    }
}

/// A line of a split transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub id: TransactionId,
    pub transaction_id: TransactionId,
    pub amount: Milliunits,
    pub memo: Option<Text>,
    pub payee_id: Option<PayeeId>,
    pub category_id: Option<CategoryId>,
    pub transfer_account_id: Option<AccountId>,
    pub transfer_transaction_id: Option<TransactionId>,
    pub deleted: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Scheduled {
    pub id: ScheduledId,
    pub date_first: Date,
    pub date_next: Date,
    pub frequency: Text,
    pub amount: Milliunits,
    pub memo: Option<Text>,
    pub flag_color: Option<Flag>,
    pub flag_name: Option<Text>,
    pub account_id: AccountId,
    pub payee_id: Option<PayeeId>,
    pub category_id: Option<CategoryId>,
    pub transfer_account_id: Option<AccountId>,
    pub deleted: bool,
    #[serde(skip)]
    pub lines: Vec<ScheduledLine>,
    #[serde(skip)]
    pub stamp: i64,
}

/// A line of a split schedule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ScheduledLine {
    pub id: TransactionId,
    pub scheduled_transaction_id: ScheduledId,
    pub amount: Milliunits,
    pub memo: Option<Text>,
    pub payee_id: Option<PayeeId>,
    pub category_id: Option<CategoryId>,
    pub transfer_account_id: Option<AccountId>,
    pub deleted: bool,
}

/// How a plan writes its amounts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CurrencyFormat {
    pub iso_code: Text,
    pub example_format: Text,
    pub decimal_digits: u8,
    pub decimal_separator: Text,
    pub symbol_first: bool,
    pub group_separator: Text,
    pub currency_symbol: Text,
    pub display_symbol: bool,
}

/// How a plan writes its dates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DateFormat {
    pub format: Text,
}
