//! Owns a plan as the logic sees it: accounts, payees, categories, months, transactions, schedules, joined by index.
//! Never knows where they came from (that is `client/wire`) nor what is asked of them (that is logic).

mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::table::{Ix, Row, Table};

use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, PlanId, ScheduledId, TransactionId};
use crate::money::{Currency, Milliunits};

/// YNAB's own group that holds Ready to Assign and Uncategorized.
pub const INTERNAL_GROUP: &str = "Internal Master Category";
/// YNAB's own group of the cards' payment categories.
pub const CARD_PAYMENTS_GROUP: &str = "Credit Card Payments";
/// YNAB's own group of hidden categories.
pub const HIDDEN_GROUP: &str = "Hidden Categories";
/// YNAB's category of what has none.
pub const UNCATEGORIZED: &str = "Uncategorized";
/// The payee of an account's opening balance.
pub const STARTING_BALANCE: &str = "Starting Balance";

/// Everything one plan holds. Rows are never removed from a table, only marked deleted, so an index stays good.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Its id, never `last-used`.
    pub id: PlanId,
    /// Its name, raw.
    pub name: Arc<str>,
    /// Its currency.
    pub currency: Currency,
    /// The first month it budgets.
    pub first_month: Option<Month>,
    /// The last month it budgets.
    pub last_month: Option<Month>,
    /// Accounts, closed and deleted ones included.
    pub accounts: Table<Account>,
    /// Payees.
    pub payees: Table<Payee>,
    /// Category groups, in the plan's order.
    pub groups: Table<Group>,
    /// Categories with the current month's figures, in the plan's order.
    pub categories: Table<Category>,
    /// Months with their categories' figures.
    pub months: BTreeMap<Month, MonthBudget>,
    /// Transactions of all time.
    pub transactions: Table<Transaction>,
    /// Schedules.
    pub scheduled: Table<Scheduled>,
}

impl Plan {
    /// The name a transaction's payee goes by, raw; empty when it has none.
    pub fn payee_name(&self, payee: Option<Ix<Payee>>) -> &str {
        payee.map_or("", |ix| &self.payees[ix].name)
    }

    /// Live transactions, in the table's order.
    pub fn live(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.iter().filter(|t| !t.deleted)
    }
}

macro_rules! rows {
    ($($row:ty),*) => {$(impl Row for $row { fn key(&self) -> &Arc<str> { self.id.arc() } })*};
}
rows!(Account, Payee, Group, Category, Transaction, Scheduled);

/// A type of account, as YNAB words it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum AccountKind {
    /// `checking`
    #[default]
    Checking,
    /// `savings`
    Savings,
    /// `cash`
    Cash,
    /// `creditCard`
    CreditCard,
    /// `lineOfCredit`
    LineOfCredit,
    /// `otherAsset`
    OtherAsset,
    /// `otherLiability`
    OtherLiability,
    /// `mortgage`
    Mortgage,
    /// `autoLoan`
    AutoLoan,
    /// `studentLoan`
    StudentLoan,
    /// `personalLoan`
    PersonalLoan,
    /// `medicalDebt`
    MedicalDebt,
    /// `otherDebt`
    OtherDebt,
    /// A word YNAB did not have when this was written.
    Other(Arc<str>),
}

impl AccountKind {
    const WORDS: [(&'static str, Self); 13] = [
        ("checking", Self::Checking),
        ("savings", Self::Savings),
        ("cash", Self::Cash),
        ("creditCard", Self::CreditCard),
        ("lineOfCredit", Self::LineOfCredit),
        ("otherAsset", Self::OtherAsset),
        ("otherLiability", Self::OtherLiability),
        ("mortgage", Self::Mortgage),
        ("autoLoan", Self::AutoLoan),
        ("studentLoan", Self::StudentLoan),
        ("personalLoan", Self::PersonalLoan),
        ("medicalDebt", Self::MedicalDebt),
        ("otherDebt", Self::OtherDebt),
    ];

    /// The kind of that word.
    pub fn of(word: &str) -> Self {
        Self::WORDS.into_iter().find(|(known, _)| *known == word).map_or_else(|| Self::Other(word.into()), |(_, k)| k)
    }

    /// YNAB's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(word) => word,
            known => Self::WORDS.iter().find(|(_, kind)| kind == known).map_or("", |(word, _)| word),
        }
    }

    /// Whether what it holds is owed.
    pub fn is_debt(&self) -> bool {
        use AccountKind::*;
        matches!(
            self,
            CreditCard
                | LineOfCredit
                | OtherLiability
                | Mortgage
                | AutoLoan
                | StudentLoan
                | PersonalLoan
                | MedicalDebt
                | OtherDebt
        )
    }

    /// Whether it is a card or a line of credit: a debt that is spent from.
    pub fn is_card(&self) -> bool {
        matches!(self, Self::CreditCard | Self::LineOfCredit)
    }
}

/// What a loan charges, by the day each figure came into force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebtTerms {
    /// Yearly rates in thousandths of a percent.
    pub interest_rates: BTreeMap<Date, i64>,
    /// Least payments a month.
    pub minimum_payments: BTreeMap<Date, Milliunits>,
    /// Part of a payment that goes to escrow.
    pub escrow_amounts: BTreeMap<Date, Milliunits>,
}

/// An account.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name, raw.
    pub name: Arc<str>,
    /// Its type.
    pub kind: AccountKind,
    /// Whether its money is budgeted; a tracking account otherwise.
    pub on_budget: bool,
    /// Whether it is closed.
    pub closed: bool,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Its balance, uncleared transactions included.
    pub balance: Milliunits,
    /// What the bank has shown, reconciled included.
    pub cleared: Milliunits,
    /// What the bank has not shown yet.
    pub uncleared: Milliunits,
    /// The payee that transfers to it name.
    pub transfer_payee: Option<PayeeId>,
    /// Whether a bank connection feeds it.
    pub linked: bool,
    /// Whether that connection is broken.
    pub link_error: bool,
    /// When it was last reconciled: YNAB's timestamp.
    pub last_reconciled_at: Option<Arc<str>>,
    /// A loan's terms.
    pub debt: Option<Box<DebtTerms>>,
}

/// Who is paid, or pays.
#[derive(Clone, Debug, Default)]
pub struct Payee {
    /// Its id.
    pub id: PayeeId,
    /// Its name, raw.
    pub name: Arc<str>,
    /// The account it stands for when it is a transfer's payee.
    pub transfer_account: Option<AccountId>,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// A group of categories.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// Its name, raw.
    pub name: Arc<str>,
    /// Whether the user hid it.
    pub hidden: bool,
    /// Whether it is YNAB's own.
    pub internal: bool,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// A target, in YNAB's fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// `TB`, `TBD`, `MF`, `NEED`, `DEBT`, or a newer word.
    pub kind: Arc<str>,
    /// For `NEED`: true sets aside another amount each time, false refills up to it.
    pub needs_whole_amount: Option<bool>,
    /// Weekly: 0 = Sunday to 6; else the day of the month, `None` its last.
    pub day: Option<i64>,
    /// 0 none, 1 monthly, 2 weekly, 13 yearly; 3 to 12 every 2 to 11 months; 14 every 2 years.
    pub cadence: Option<i64>,
    /// How many of the cadence's steps apart.
    pub cadence_frequency: Option<i64>,
    /// The month it was made.
    pub creation_month: Option<Month>,
    /// The amount aimed at.
    pub target: Option<Milliunits>,
    /// The day it is due.
    pub target_date: Option<Date>,
    /// How far it is, in percent.
    pub percentage_complete: Option<i64>,
    /// Months left until it is due.
    pub months_to_budget: Option<i64>,
    /// What is still to assign this month.
    pub under_funded: Option<Milliunits>,
    /// What is assigned towards it.
    pub overall_funded: Option<Milliunits>,
    /// What is left to assign until it is due.
    pub overall_left: Option<Milliunits>,
    /// When it was snoozed: YNAB's timestamp.
    pub snoozed_at: Option<Arc<str>>,
}

/// A category with one month's figures.
#[derive(Clone, Debug, Default)]
pub struct Category {
    /// Its id.
    pub id: CategoryId,
    /// Its group.
    pub group: GroupId,
    /// Its group's name, raw.
    pub group_name: Arc<str>,
    /// Its name, raw.
    pub name: Arc<str>,
    /// Whether the user hid it.
    pub hidden: bool,
    /// Whether it is YNAB's own.
    pub internal: bool,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Assigned in the month.
    pub budgeted: Milliunits,
    /// Spent (negative) or received in the month.
    pub activity: Milliunits,
    /// Available at the month's end.
    pub balance: Milliunits,
    /// Its target.
    pub goal: Option<Box<Goal>>,
}

impl Category {
    /// Visible, not deleted, not in YNAB's own master group.
    pub fn is_usable(&self) -> bool {
        !self.hidden && !self.deleted && !self.in_internal_group()
    }

    /// Whether it is in YNAB's own master group.
    pub fn in_internal_group(&self) -> bool {
        &*self.group_name == INTERNAL_GROUP
    }

    /// YNAB's own category of what has none.
    pub fn is_uncategorized(&self) -> bool {
        self.in_internal_group() && &*self.name == UNCATEGORIZED
    }

    /// Whether it holds the money for a card's payment.
    pub fn is_card_payment(&self) -> bool {
        &*self.group_name == CARD_PAYMENTS_GROUP
    }

    /// Whether a transaction can be given it: visible, not deleted, not Uncategorized, no card's payment category.
    pub fn is_assignable(&self) -> bool {
        !self.hidden && !self.deleted && !self.is_uncategorized() && !self.is_card_payment()
    }
}

/// A month of the plan.
#[derive(Clone, Debug)]
pub struct MonthBudget {
    /// Which month.
    pub month: Month,
    /// Money received to assign.
    pub income: Milliunits,
    /// Money assigned.
    pub budgeted: Milliunits,
    /// Money moved in categories; spending is negative.
    pub activity: Milliunits,
    /// Ready to Assign.
    pub to_be_budgeted: Milliunits,
    /// Age of Money in days.
    pub age_of_money: Option<i64>,
    /// Whether it is deleted.
    pub deleted: bool,
    /// The categories with that month's figures, in the plan's order.
    pub categories: Vec<Category>,
}

/// Whether the bank has shown a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cleared {
    /// Not yet.
    #[default]
    Uncleared,
    /// It has.
    Cleared,
    /// It has, and the account was reconciled since.
    Reconciled,
}

impl Cleared {
    /// The status of that word; an unknown one is taken for uncleared.
    pub fn of(word: &str) -> Self {
        match word {
            "cleared" => Self::Cleared,
            "reconciled" => Self::Reconciled,
            _ => Self::Uncleared,
        }
    }

    /// YNAB's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uncleared => "uncleared",
            Self::Cleared => "cleared",
            Self::Reconciled => "reconciled",
        }
    }
}

/// A transaction.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Its id; not always a UUID.
    pub id: TransactionId,
    /// Its day.
    pub date: Date,
    /// Its amount; spending is negative.
    pub amount: Milliunits,
    /// Whether the bank has shown it.
    pub cleared: Cleared,
    /// Whether the user approved it.
    pub approved: bool,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Its flag's colour, YNAB's word.
    pub flag: Option<Arc<str>>,
    /// Its account.
    pub account: Ix<Account>,
    /// Its payee.
    pub payee: Option<Ix<Payee>>,
    /// Its category; none when split, transferred between budget accounts or not yet given.
    pub category: Option<Ix<Category>>,
    /// The other account of a transfer.
    pub transfer_account: Option<Ix<Account>>,
    /// The other side of a transfer.
    pub transfer_transaction: Option<TransactionId>,
    /// Its memo, raw.
    pub memo: Option<Arc<str>>,
    /// What the import knows it by.
    pub import_id: Option<Arc<str>>,
    /// Its split lines, deleted ones too.
    pub lines: Vec<Line>,
}

impl Transaction {
    /// Its split lines that are not deleted.
    pub fn live_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.deleted)
    }

    /// Whether it is split.
    pub fn is_split(&self) -> bool {
        self.lines.iter().any(|line| !line.deleted)
    }

    /// Whether it moves money between two accounts.
    pub fn is_transfer(&self) -> bool {
        self.transfer_account.is_some()
    }
}

/// A line of a split transaction or schedule.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its id.
    pub id: TransactionId,
    /// Its amount; spending is negative.
    pub amount: Milliunits,
    /// Its memo, raw.
    pub memo: Option<Arc<str>>,
    /// Its payee, where it differs.
    pub payee: Option<Ix<Payee>>,
    /// Its category.
    pub category: Option<Ix<Category>>,
    /// The other account when the line is a transfer.
    pub transfer_account: Option<Ix<Account>>,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// A scheduled transaction.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Its id.
    pub id: ScheduledId,
    /// The day it first fell on.
    pub date_first: Date,
    /// The day it next falls on.
    pub date_next: Date,
    /// How often, YNAB's word.
    pub frequency: Arc<str>,
    /// Its amount; spending is negative.
    pub amount: Milliunits,
    /// Its account.
    pub account: Ix<Account>,
    /// Its payee.
    pub payee: Option<Ix<Payee>>,
    /// Its category.
    pub category: Option<Ix<Category>>,
    /// The other account when it is a transfer.
    pub transfer_account: Option<Ix<Account>>,
    /// Its memo, raw.
    pub memo: Option<Arc<str>>,
    /// Whether it is deleted.
    pub deleted: bool,
    /// Its split lines.
    pub lines: Vec<Line>,
}

/// A plan in the list of plans.
#[derive(Clone, Debug)]
pub struct PlanSummary {
    /// Its id.
    pub id: PlanId,
    /// Its name, raw.
    pub name: Arc<str>,
    /// The first month it budgets.
    pub first_month: Option<Month>,
    /// The last month it budgets.
    pub last_month: Option<Month>,
    /// Its currency.
    pub currency: Currency,
    /// When it was last changed: YNAB's timestamp.
    pub last_modified_on: Option<Arc<str>>,
    /// Its accounts' ids, where they were asked for.
    pub accounts: Vec<AccountId>,
}
