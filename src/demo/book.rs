//! Owns one plan: its tables, what changed when, the ids it gives out, and the figures that follow from its rows.
//! Never decides whether a request is allowed: that is `entries`, `targets` and `routes`.

use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;

use super::entries::SaveTransaction;
use super::refused::Refused;
use super::rows::{
    Account, Category, Clearing, CurrencyFormat, DateFormat, Group, Kept, Payee, Scheduled, Text, Transaction,
};
use super::sums::{Budget, BudgetPosting, Cell, Direction, Figures, Goes, Kind, PostedLine, Posting, Tallies};
use super::uuid;
use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, PlanId};
use crate::money::Milliunits;
use crate::plan::{CARD_PAYMENTS_GROUP, INTERNAL_GROUP, Ix, Table, UNCATEGORIZED};

pub(super) type AccountIx = Ix<Account>;
pub(super) type PayeeIx = Ix<Payee>;
pub(super) type CategoryIx = Ix<Category>;
pub(super) type TransactionIx = Ix<Transaction>;

/// A plan.
#[derive(Clone, Debug)]
pub(super) struct Book {
    pub id: PlanId,
    pub name: Text,
    pub today: Date,
    pub date_format: Option<DateFormat>,
    pub currency: Option<CurrencyFormat>,
    pub last_modified_on: Text,
    pub first_month: Month,
    pub last_month: Month,
    pub knowledge: i64,
    pub accounts: Table<Account>,
    pub payees: Table<Payee>,
    pub locations: Vec<Box<RawValue>>,
    pub groups: Table<Group>,
    pub categories: Table<Category>,
    pub transactions: Table<Transaction>,
    pub scheduled: Table<Scheduled>,
    pub notes: BTreeMap<Month, Text>,
    /// What the bank will bring at the next import.
    pub imports: Vec<SaveTransaction>,
    assigned: BTreeMap<(Month, CategoryIx), Milliunits>,
    tallies: Tallies,
    figures: BTreeMap<Month, Figures>,
    settled: bool,
    made: BTreeMap<&'static str, u64>,
    payees_by_name: HashMap<Text, PayeeIx>,
    imported: HashMap<Text, Vec<TransactionIx>>,
    ready: Option<CategoryIx>,
    uncategorized: Option<CategoryIx>,
}

impl Book {
    /// A plan without rows.
    pub(super) fn new(id: PlanId, name: Text, today: Date, knowledge: i64) -> Self {
        let month = Month::of(today);
        Self {
            id,
            name,
            today,
            date_format: None,
            currency: None,
            last_modified_on: format!("{today}T08:00:00Z").into(),
            first_month: month,
            last_month: month,
            knowledge,
            accounts: Table::default(),
            payees: Table::default(),
            locations: Vec::new(),
            groups: Table::default(),
            categories: Table::default(),
            transactions: Table::default(),
            scheduled: Table::default(),
            notes: BTreeMap::new(),
            imports: Vec::new(),
            assigned: BTreeMap::new(),
            tallies: Tallies::default(),
            figures: BTreeMap::new(),
            settled: false,
            made: BTreeMap::new(),
            payees_by_name: HashMap::new(),
            imported: HashMap::new(),
            ready: None,
            uncategorized: None,
        }
    }

    // What changed when.

    /// Starts a change: whatever is written next is news to a client that knew the plan before.
    pub(super) fn begin(&mut self) {
        self.knowledge += 1;
        self.last_modified_on = format!("{}T12:00:00Z", self.today).into();
    }

    /// An id for a created thing: it depends only on how many of its kind were created before.
    pub(super) fn new_id(&mut self, kind: &'static str) -> Text {
        let count = self.made.entry(kind).or_default();
        *count += 1;
        uuid::named(&format!("{}/{kind}/{count}", self.id)).into()
    }

    // Rows.

    /// Puts an account in, before its transactions; a card finds its payment category by its name.
    pub(super) fn put_account(&mut self, mut account: Account) -> AccountIx {
        account.stamp = self.knowledge;
        (account.balance, account.cleared_balance, account.uncleared_balance) = Default::default();
        let of_that_name =
            |category: &&Category| category.name == account.name && self.group_is(category, CARD_PAYMENTS_GROUP);
        let payment = self.categories.iter().find(of_that_name).and_then(|c| self.categories.find(&c.id));
        account.payment = payment.filter(|_| account.is_card());
        let loan = self.categories.enumerate().find(|(_, c)| account.is_loan() && c.name == account.name);
        if let Some((ix, _)) = loan {
            self.categories.at_mut(ix).loan = true;
        }
        self.accounts.put(account)
    }

    /// Puts a group in, before its categories.
    pub(super) fn put_group(&mut self, mut group: Group) {
        group.stamp = self.knowledge;
        self.groups.put(group);
    }

    /// Puts a category in, after its group.
    pub(super) fn put_category(&mut self, mut category: Category) -> CategoryIx {
        category.stamp = self.knowledge;
        category.loan |= category.goal.goal_type.as_deref() == Some("DEBT");
        let internal = self.group_is(&category, INTERNAL_GROUP);
        let uncategorized = &*category.name == UNCATEGORIZED;
        let ix = self.categories.put(category);
        match (internal, uncategorized) {
            (true, true) => self.uncategorized = Some(ix),
            (true, false) => self.ready = self.ready.or(Some(ix)),
            (false, _) => {}
        }
        self.settled = false;
        ix
    }

    /// Changes a category.
    pub(super) fn change_category(&mut self, ix: CategoryIx, row: Category) {
        *self.categories.at_mut(ix) = row;
        self.categories.at_mut(ix).stamp = self.knowledge;
        self.settled = false;
    }

    /// Puts a payee in.
    pub(super) fn put_payee(&mut self, mut payee: Payee) -> PayeeIx {
        payee.stamp = self.knowledge;
        let (name, deleted) = (payee.name.clone(), payee.deleted);
        let ix = self.payees.put(payee);
        if !deleted {
            self.payees_by_name.entry(name).or_insert(ix);
        }
        ix
    }

    /// Gives a payee another name.
    pub(super) fn rename_payee(&mut self, ix: PayeeIx, name: Text) {
        let payee = self.payees.at_mut(ix);
        (payee.name, payee.stamp) = (name, self.knowledge);
        let live = self.payees.enumerate().filter(|(_, payee)| !payee.deleted);
        // The first payee of a name is the one a transaction finds, so the last put here must be the first.
        let mut names: Vec<_> = live.map(|(ix, payee)| (payee.name.clone(), ix)).collect();
        names.reverse();
        self.payees_by_name = names.into_iter().collect();
    }

    /// The payee of that name.
    pub(super) fn payee_named(&self, name: &str) -> Option<PayeeIx> {
        self.payees_by_name.get(name).copied()
    }

    /// Puts a schedule in.
    pub(super) fn put_scheduled(&mut self, mut scheduled: Scheduled) {
        scheduled.stamp = self.knowledge;
        self.scheduled.put(scheduled);
    }

    /// Enters a transaction; the plan's months reach to it.
    pub(super) fn put_transaction(&mut self, mut transaction: Transaction) -> TransactionIx {
        transaction.stamp = self.knowledge;
        self.reach(Month::of(transaction.date));
        let import_id = transaction.import_id.clone();
        let ix = self.transactions.put(transaction);
        if let Some(import_id) = import_id {
            self.imported.entry(import_id).or_default().push(ix);
        }
        self.post(ix, Direction::Entered);
        if let Some(account) = self.accounts.find(&self.transactions[ix].account_id) {
            self.accounts.at_mut(account).stamp = self.knowledge;
        }
        ix
    }

    /// Changes a transaction; its account, its import id and what it was imported as aside, every figure follows.
    pub(super) fn change_transaction(&mut self, ix: TransactionIx, row: Transaction) {
        let accounts = [&self.transactions[ix].account_id, &row.account_id].map(|id| self.accounts.find(id));
        let balances = accounts.map(|account| account.map(|ix| self.accounts[ix].balances()));
        self.post(ix, Direction::TakenBack);
        self.reach(Month::of(row.date));
        *self.transactions.at_mut(ix) = row;
        self.transactions.at_mut(ix).stamp = self.knowledge;
        self.post(ix, Direction::Entered);
        for (account, before) in accounts.into_iter().flatten().zip(balances.into_iter().flatten()) {
            if self.accounts[account].balances() != before {
                self.accounts.at_mut(account).stamp = self.knowledge;
            }
        }
    }

    /// The transactions of that import id, deleted ones too.
    pub(super) fn imported_as(&self, import_id: &str) -> impl Iterator<Item = TransactionIx> {
        self.imported.get(import_id).into_iter().flatten().copied()
    }

    /// Makes the plan's months reach to this one.
    pub(super) fn reach(&mut self, month: Month) {
        self.first_month = self.first_month.min(month);
        self.last_month = self.last_month.max(month);
    }

    /// Makes that the plan's last month.
    pub(super) fn end_with(&mut self, month: Month) {
        self.last_month = month;
        self.settled = false;
    }

    /// Assigns an amount to a category in a month.
    pub(super) fn assign(&mut self, month: Month, category: CategoryIx, amount: Milliunits) {
        self.assigned.insert((month, category), amount);
        self.settled = false;
    }

    // Figures.

    /// Enters a transaction in the sums, or takes it back.
    fn post(&mut self, ix: TransactionIx, direction: Direction) {
        let Some(posting) = self.posting(&self.transactions[ix]) else { return };
        let amount = direction.of(posting.amount);
        let account = self.accounts.at_mut(posting.account);
        account.balance += amount;
        if posting.cleared == Clearing::Uncleared {
            account.uncleared_balance += amount;
        } else {
            account.cleared_balance += amount;
        }
        self.tallies.post(&posting, direction);
        self.settled = false;
    }

    /// What a transaction moves; nothing when it is deleted.
    fn posting(&self, transaction: &Transaction) -> Option<Posting> {
        let account = self.accounts.find(&transaction.account_id)?;
        let row = &self.accounts[account];
        let on_budget = |id: &Option<AccountId>| {
            id.as_ref().and_then(|id| self.accounts.get(id)).is_some_and(|account| account.on_budget)
        };
        let line = |amount, category: &Option<CategoryId>, other: &Option<AccountId>| {
            let category = category.as_ref().and_then(|id| self.categories.find(id));
            let goes = match category {
                _ if on_budget(other) => Goes::Within,
                Some(category) if self.ready == Some(category) => Goes::Ready,
                Some(category) => Goes::To(category),
                None => Goes::Nowhere(self.uncategorized),
            };
            PostedLine { amount, goes }
        };
        let budget = row.on_budget.then(|| {
            let split = transaction.live_lines().map(|l| line(l.amount, &l.category_id, &l.transfer_account_id));
            let mut lines: Vec<_> = split.collect();
            if lines.is_empty() {
                lines.push(line(transaction.amount, &transaction.category_id, &transaction.transfer_account_id));
            }
            let outside = !on_budget(&transaction.transfer_account_id) && !transaction.amount.is_zero();
            BudgetPosting { card: row.payment, flows: outside && row.payment.is_none(), lines }
        });
        (!transaction.deleted).then_some(Posting {
            account,
            date: transaction.date,
            amount: transaction.amount,
            cleared: transaction.cleared,
            budget,
        })
    }

    /// Brings the months' figures up to date.
    pub(super) fn settle(&mut self) {
        if self.settled {
            return;
        }
        let months: Vec<Month> = self.months().collect();
        let categories: Vec<CategoryIx> = self.categories.enumerate().map(|(ix, _)| ix).collect();
        let cards: Vec<CategoryIx> = self.accounts.iter().filter_map(|account| account.payment).collect();
        let kind = |ix: &CategoryIx| match &self.categories[*ix] {
            row if self.group_is(row, INTERNAL_GROUP) => Kind::Internal,
            _ if cards.contains(ix) => Kind::Payment,
            _ => Kind::Plain,
        };
        let kinds: Vec<Kind> = categories.iter().map(kind).collect();
        let budget = Budget {
            today: self.today,
            months: &months,
            categories: &categories,
            kinds: &kinds,
            assigned: &self.assigned,
        };
        let mut figures = self.tallies.figures(&budget);
        for (month, figures) in &mut figures {
            figures.stamp_changes(self.figures.get(month), self.knowledge);
        }
        self.figures = figures;
        self.settled = true;
    }

    /// Its months, the oldest first.
    pub(super) fn months(&self) -> impl DoubleEndedIterator<Item = Month> + use<> {
        self.first_month.through(self.last_month)
    }

    /// The month that is today's, held within the plan's months.
    pub(super) fn current_month(&self) -> Month {
        Month::of(self.today).clamp(self.first_month, self.last_month)
    }

    /// A month's figures, as last settled.
    pub(super) fn figures(&self, month: Month) -> Option<&Figures> {
        self.figures.get(&month)
    }

    /// A category in a month, as last settled.
    pub(super) fn cell(&self, month: Month, category: CategoryIx) -> Cell {
        let figures = self.figures.get(&month);
        figures.and_then(|figures| figures.cells.get(category.get())).copied().unwrap_or_default()
    }

    // Looking things up.

    /// Whether a category is in the group of that name.
    pub(super) fn group_is(&self, category: &Category, name: &str) -> bool {
        self.groups.get(&category.category_group_id).is_some_and(|group| &*group.name == name)
    }

    /// Whether it is the category of what has none.
    pub(super) fn is_uncategorized(&self, category: &Option<CategoryId>) -> bool {
        category.as_ref().is_none_or(|id| self.categories.find(id) == self.uncategorized)
    }
}

/// The row of that id that is not deleted.
pub(super) fn live<T: Kept>(table: &Table<T>, id: &str) -> Result<Ix<T>, Refused> {
    table.find(id).filter(|ix| !table[*ix].deleted()).ok_or_else(Refused::missing)
}
