//! Owns how an invented plan is put together by names: accounts, categories, payees, then entries in any order.
//! Never refuses anything: what it makes is checked by tests.

use std::collections::HashMap;

use super::book::{Book, CategoryIx};
use super::dice::Dice;
use super::rows::{
    Account, Category, Clearing, CurrencyFormat, DateFormat, Goal, Group, Line, Payee, Text, Transaction,
};
use super::uuid;
use crate::dates::{Date, Month, add_days, days_between};
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, TransactionId};
use crate::money::Milliunits;
use crate::plan::{AccountKind, CARD_PAYMENTS_GROUP, HIDDEN_GROUP, INTERNAL_GROUP, STARTING_BALANCE, UNCATEGORIZED};

/// YNAB's category of money that waits for a job.
pub(super) const READY: &str = "Inflow: Ready to Assign";

/// How long ago the accounts were last reconciled, and how long the bank takes to show a payment, in days.
const RECONCILED_DAYS: i64 = 38;
const SHOWN_DAYS: i64 = 3;

/// A plan in the making.
pub(super) struct Builder {
    pub book: Book,
    pub dice: Dice,
    pub today: Date,
    entries: Vec<Transaction>,
    accounts: HashMap<Text, AccountId>,
    categories: HashMap<Text, CategoryId>,
    groups: HashMap<Text, GroupId>,
    made: HashMap<&'static str, u32>,
}

/// Whether a bank connection feeds an account.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Bank {
    Linked,
    ByHand,
}

impl Builder {
    /// A plan in euros that begins with that month, with the groups and categories that are YNAB's own.
    pub(super) fn new(name: &str, today: Date, first: Month, seed: u64) -> Self {
        let id = uuid::named(&format!("{name}/plan"));
        let mut book = Book::new(id.as_str().into(), name.into(), today, 1000);
        (book.first_month, book.last_month) = (first, Month::of(today).add(1));
        book.date_format = Some(DateFormat { format: "DD/MM/YYYY".into() });
        book.currency = Some(CurrencyFormat {
            iso_code: "EUR".into(),
            example_format: "123 456,78".into(),
            decimal_digits: 2,
            decimal_separator: ",".into(),
            symbol_first: false,
            group_separator: " ".into(),
            currency_symbol: "€".into(),
            display_symbol: true,
        });
        let mut builder = Self {
            book,
            dice: Dice::new(seed),
            today,
            entries: Vec::new(),
            accounts: HashMap::new(),
            categories: HashMap::new(),
            groups: HashMap::new(),
            made: HashMap::new(),
        };
        for (name, hidden) in [(INTERNAL_GROUP, false), (CARD_PAYMENTS_GROUP, false), (HIDDEN_GROUP, true)] {
            builder.put_group(Group { name: name.into(), internal: true, hidden, ..Group::default() });
        }
        for name in [READY, UNCATEGORIZED] {
            builder.put_category(INTERNAL_GROUP, Category { name: name.into(), internal: true, ..Category::default() });
        }
        builder
    }

    fn id(&mut self, kind: &'static str) -> Text {
        let count = self.made.entry(kind).or_default();
        *count += 1;
        uuid::named(&format!("{}/{kind}/{count}", self.book.name)).into()
    }

    fn put_group(&mut self, group: Group) {
        let id = GroupId::new(self.id("group"));
        self.groups.insert(group.name.clone(), id.clone());
        self.book.put_group(Group { id, ..group });
    }

    fn put_category(&mut self, group: &str, category: Category) {
        let id = CategoryId::new(self.id("category"));
        let category_group_id = self.groups.get(group).cloned().unwrap_or_default();
        self.categories.insert(category.name.clone(), id.clone());
        self.book.put_category(Category { id, category_group_id, ..category });
    }

    pub(super) fn group(&mut self, name: &str) {
        self.put_group(Group { name: name.into(), ..Group::default() });
    }

    pub(super) fn category(&mut self, group: &str, name: &str, goal: Goal) {
        let goal = Goal { goal_creation_month: goal.goal_type.as_ref().map(|_| self.book.first_month), ..goal };
        self.put_category(group, Category { name: name.into(), goal, ..Category::default() });
    }

    pub(super) fn hidden_category(&mut self, group: &str, name: &str) {
        self.put_category(group, Category { name: name.into(), hidden: true, ..Category::default() });
    }

    /// Opens an account with a balance, on the plan's first day.
    pub(super) fn account(&mut self, name: &str, kind: &AccountKind, bank: Bank, balance: i64) {
        let on_budget =
            matches!(kind, AccountKind::Checking | AccountKind::Savings | AccountKind::Cash) || kind.is_card();
        if kind.is_card() {
            self.category(CARD_PAYMENTS_GROUP, name, Goal::default());
        }
        let (id, payee) = (AccountId::new(self.id("account")), PayeeId::new(self.id("payee")));
        self.accounts.insert(name.into(), id.clone());
        self.book.put_payee(Payee {
            id: payee.clone(),
            name: format!("Transfer : {name}").into(),
            transfer_account_id: Some(id.clone()),
            ..Payee::default()
        });
        let linked = bank == Bank::Linked;
        let reconciled = add_days(self.today, -RECONCILED_DAYS);
        self.book.put_account(Account {
            id,
            name: name.into(),
            kind: kind.as_str().into(),
            on_budget,
            direct_import_linked: linked,
            transfer_payee_id: Some(payee),
            last_reconciled_at: linked.then(|| format!("{reconciled}T19:04:11Z").into()),
            ..Account::default()
        });
        if balance != 0 {
            let day = self.book.first_month.first();
            self.entry(name, day, balance, STARTING_BALANCE, if on_budget { READY } else { "" });
        }
    }

    /// Changes an account after it was opened: its terms, its note.
    pub(super) fn amend_account(&mut self, name: &str, change: impl FnOnce(&mut Account)) {
        if let Some(ix) = self.accounts.get(name).and_then(|id| self.book.accounts.find(id)) {
            change(self.book.accounts.at_mut(ix));
        }
    }

    pub(super) fn account_id(&self, name: &str) -> AccountId {
        self.accounts.get(name).cloned().unwrap_or_default()
    }

    pub(super) fn category_id(&self, name: &str) -> Option<CategoryId> {
        self.categories.get(name).cloned()
    }

    /// The place of that category in the plan.
    pub(super) fn category_ix(&self, name: &str) -> Option<CategoryIx> {
        self.categories.get(name).and_then(|id| self.book.categories.find(id))
    }

    /// The payee of that name, made when it is new; an account's name after `Transfer : ` is its payee.
    pub(super) fn payee(&mut self, name: &str) -> PayeeId {
        if let Some(ix) = self.book.payee_named(name) {
            return self.book.payees[ix].id.clone();
        }
        let id = PayeeId::new(self.id("payee"));
        self.book.put_payee(Payee { id: id.clone(), name: name.into(), ..Payee::default() });
        id
    }

    /// Enters a transaction of an account; money out is negative. A category of no name is none.
    pub(super) fn entry(
        &mut self,
        account: &str,
        date: Date,
        amount: i64,
        payee: &str,
        category: &str,
    ) -> &mut Transaction {
        let row = Transaction {
            id: TransactionId::new(self.id("transaction")),
            date,
            amount: Milliunits::new(amount),
            approved: true,
            account_id: self.account_id(account),
            payee_id: Some(self.payee(payee)),
            category_id: self.category_id(category),
            ..Transaction::default()
        };
        let place = self.entries.len();
        self.entries.push(row);
        &mut self.entries[place]
    }

    /// Enters a transaction split into lines of category, amount and memo.
    pub(super) fn split(
        &mut self,
        account: &str,
        date: Date,
        payee: &str,
        lines: &[(&str, i64, &str)],
    ) -> &mut Transaction {
        let whole = lines.iter().map(|(_, amount, _)| amount).sum();
        let line = |builder: &mut Self, (category, amount, memo): &(&str, i64, &str)| Line {
            id: TransactionId::new(builder.id("subtransaction")),
            amount: Milliunits::new(*amount),
            memo: Some(*memo).filter(|memo| !memo.is_empty()).map(Into::into),
            category_id: builder.category_id(category),
            ..Line::default()
        };
        let lines: Vec<Line> = lines.iter().map(|made| line(self, made)).collect();
        let row = self.entry(account, date, whole, payee, "");
        row.lines = lines.into_iter().map(|line| Line { transaction_id: row.id.clone(), ..line }).collect();
        row
    }

    /// Moves money between two accounts; money that leaves the budget is spent in a category.
    pub(super) fn transfer(&mut self, from: &str, to: &str, date: Date, amount: i64, category: &str) {
        let (source, target) = (self.account_id(from), self.account_id(to));
        let out = self.entry(from, date, -amount, &format!("Transfer : {to}"), category);
        out.transfer_account_id = Some(target);
        let out = out.id.clone();
        let back = self.entry(to, date, amount, &format!("Transfer : {from}"), "");
        (back.transfer_account_id, back.transfer_transaction_id) = (Some(source), Some(out.clone()));
        let back = back.id.clone();
        self.last_mut(1, |row| row.transfer_transaction_id = Some(back.clone()));
    }

    /// Makes the last line of the last split a transfer: money back in cash.
    pub(super) fn pay_out_last_line(&mut self, to: &str) {
        let (target, payee) = (self.account_id(to), self.payee(&format!("Transfer : {to}")));
        let Some(parent) = self.entries.last() else { return };
        let Some(amount) = parent.lines.last().map(|line| line.amount) else { return };
        let (date, source, parent_id) = (parent.date, parent.account_id.clone(), parent.id.clone());
        let name = self.book.accounts.get(&source).map(|account| account.name.to_string()).unwrap_or_default();
        let side = self.entry(to, date, -amount.get(), &format!("Transfer : {name}"), "");
        (side.transfer_account_id, side.transfer_transaction_id) = (Some(source), Some(parent_id));
        let side = side.id.clone();
        self.last_mut(1, |row| {
            if let Some(line) = row.lines.last_mut() {
                line.payee_id = Some(payee);
                line.transfer_account_id = Some(target);
                line.transfer_transaction_id = Some(side);
            }
        });
    }

    /// Leaves the last entry uncategorised and unapproved, unless it is a split or a transfer.
    pub(super) fn leave_waiting(&mut self) {
        self.last_mut(0, |row| {
            if row.lines.is_empty() && row.transfer_account_id.is_none() {
                (row.category_id, row.approved) = (None, false);
            }
        });
    }

    /// Changes the entry that many before the last.
    fn last_mut(&mut self, before: usize, change: impl FnOnce(&mut Transaction)) {
        if let Some(row) = self.entries.iter_mut().rev().nth(before) {
            change(row);
        }
    }

    /// What an account's entries of a month add up to.
    pub(super) fn sum(&self, account: &str, month: Month) -> i64 {
        let id = self.account_id(account);
        let mine = self.entries.iter().filter(|row| row.account_id == id && Month::of(row.date) == month);
        mine.map(|row| row.amount.get()).sum()
    }

    /// What an account holds after its entries so far.
    pub(super) fn balance(&self, account: &str) -> i64 {
        let id = self.account_id(account);
        self.entries.iter().filter(|row| row.account_id == id).map(|row| row.amount.get()).sum()
    }

    /// Enters everything up to today in the plan, in the order of its days, as the bank would have shown it.
    pub(super) fn enter(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|row| row.date <= self.today);
        entries.sort_by_key(|row| row.date);
        let mut occurrences: HashMap<(AccountId, Date, Milliunits), u32> = HashMap::new();
        for mut row in entries {
            let days = days_between(row.date, self.today);
            let account = self.book.accounts.get(&row.account_id);
            let linked = account.is_some_and(|account| account.direct_import_linked);
            row.cleared = match days {
                RECONCILED_DAYS.. => Clearing::Reconciled,
                SHOWN_DAYS.. => Clearing::Cleared,
                _ if linked && row.approved => Clearing::Uncleared,
                _ => Clearing::Cleared,
            };
            let opening = account.is_some_and(|_| row.date == self.book.first_month.first());
            if linked && !opening && row.transfer_account_id.is_none() && row.cleared != Clearing::Uncleared {
                let same = occurrences.entry((row.account_id.clone(), row.date, row.amount)).or_default();
                *same += 1;
                row.import_id = Some(format!("YNAB:{}:{}:{same}", row.amount.get(), row.date).into());
                let payee = row.payee_id.as_ref().and_then(|id| self.book.payees.get(id));
                row.import_payee_name = payee.map(|payee| payee.name.clone());
                row.import_payee_name_original = payee.map(|payee| payee.name.to_uppercase().into());
            }
            self.book.put_transaction(row);
        }
    }
}
