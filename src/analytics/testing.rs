//! Owns small plans for unit tests of the read tools. Never part of the binary.

use crate::dates::{Date, Month, parse_date};
use crate::money::{Currency, Milliunits};
use crate::plan::{
    Account, AccountKind, Category, Cleared, Group, INTERNAL_GROUP, Ix, Line, MonthBudget, Payee, Plan, Scheduled,
    Transaction, UNCATEGORIZED,
};

/// A plan in the making, in euros, with YNAB's own categories.
pub(crate) struct Book {
    pub(crate) plan: Plan,
    pub(crate) ready: Ix<Category>,
}

pub(crate) fn day(text: &str) -> Date {
    parse_date(text).unwrap()
}

/// That day of each month from 2025-01 until a day.
pub(crate) fn monthly(day_of_month: i8, until: &str) -> impl Iterator<Item = String> {
    let first = Month::parse("2025-01-01").unwrap();
    let days = (0..).map(move |n| first.add(n).day(day_of_month).to_string());
    days.take_while(move |date| date.as_str() <= until)
}

pub(crate) fn chars(answer: &impl serde::Serialize) -> usize {
    serde_json::to_string(answer).unwrap().chars().count()
}

impl Book {
    pub(crate) fn new() -> Self {
        let mut plan = Plan { currency: Currency::new("EUR", 2), ..Plan::default() };
        let ready = category(&mut plan, INTERNAL_GROUP, "Inflow: Ready to Assign");
        category(&mut plan, INTERNAL_GROUP, UNCATEGORIZED);
        Self { plan, ready }
    }

    pub(crate) fn account(&mut self, name: &str, kind: AccountKind, on_budget: bool) -> Ix<Account> {
        self.plan.accounts.put(Account { id: name.into(), name: name.into(), kind, on_budget, ..Account::default() })
    }

    pub(crate) fn category(&mut self, group: &str, name: &str) -> Ix<Category> {
        category(&mut self.plan, group, name)
    }

    /// Money out (negative) or in; an empty payee is none.
    pub(crate) fn pay(
        &mut self,
        date: &str,
        account: Ix<Account>,
        payee: &str,
        category: Option<Ix<Category>>,
        amount: i64,
    ) -> Ix<Transaction> {
        let payee = (!payee.is_empty()).then(|| payee_of(&mut self.plan, payee));
        self.put(day(date), account, payee, category, None, amount)
    }

    /// Both sides of a transfer; the category is that of the side it leaves.
    pub(crate) fn transfer(
        &mut self,
        date: &str,
        from: Ix<Account>,
        to: Ix<Account>,
        category: Option<Ix<Category>>,
        amount: i64,
    ) {
        self.put(day(date), from, None, category, Some(to), -amount);
        self.put(day(date), to, None, None, Some(from), amount);
    }

    pub(crate) fn put(
        &mut self,
        date: Date,
        account: Ix<Account>,
        payee: Option<Ix<Payee>>,
        category: Option<Ix<Category>>,
        transfer_account: Option<Ix<Account>>,
        amount: i64,
    ) -> Ix<Transaction> {
        let amount = Milliunits::new(amount);
        self.plan.accounts.at_mut(account).balance += amount;
        self.plan.transactions.put(Transaction {
            id: format!("t{}", self.plan.transactions.len()).as_str().into(),
            date,
            amount,
            cleared: Cleared::Cleared,
            approved: true,
            deleted: false,
            flag: None,
            account,
            payee,
            category,
            transfer_account,
            transfer_transaction: None,
            memo: None,
            import_id: None,
            lines: Vec::new(),
        })
    }

    /// Splits a transaction into lines of these categories and amounts.
    pub(crate) fn split(&mut self, ix: Ix<Transaction>, lines: &[(Option<Ix<Category>>, i64)]) {
        let row = self.plan.transactions.at_mut(ix);
        row.category = None;
        row.lines = lines
            .iter()
            .enumerate()
            .map(|(n, (category, amount))| Line {
                id: format!("l{n}").as_str().into(),
                amount: Milliunits::new(*amount),
                memo: None,
                payee: None,
                category: *category,
                transfer_account: None,
                deleted: false,
            })
            .collect();
    }

    pub(crate) fn schedule(
        &mut self,
        account: Ix<Account>,
        payee: &str,
        frequency: &str,
        next: &str,
        amount: i64,
    ) -> Ix<Scheduled> {
        let payee = Some(payee_of(&mut self.plan, payee));
        self.plan.scheduled.put(Scheduled {
            id: format!("s{}", self.plan.scheduled.len()).as_str().into(),
            date_first: day(next),
            date_next: day(next),
            frequency: frequency.into(),
            amount: Milliunits::new(amount),
            account,
            payee,
            category: None,
            transfer_account: None,
            memo: None,
            deleted: false,
            lines: Vec::new(),
        })
    }

    /// A month whose categories have these figures: assigned, activity, balance.
    pub(crate) fn month(&mut self, month: &str, age_of_money: Option<i64>, figures: &[(Ix<Category>, [i64; 3])]) {
        let categories = figures.iter().map(|(ix, [budgeted, activity, balance])| Category {
            budgeted: Milliunits::new(*budgeted),
            activity: Milliunits::new(*activity),
            balance: Milliunits::new(*balance),
            ..self.plan.categories[*ix].clone()
        });
        let month = Month::parse(month).unwrap();
        let held = MonthBudget { categories: categories.collect(), age_of_money, ..empty_month(month) };
        self.plan.months.insert(month, held);
    }
}

pub(crate) fn empty_month(month: Month) -> MonthBudget {
    let zero = Milliunits::ZERO;
    MonthBudget {
        month,
        income: zero,
        budgeted: zero,
        activity: zero,
        to_be_budgeted: zero,
        age_of_money: None,
        deleted: false,
        categories: Vec::new(),
    }
}

fn category(plan: &mut Plan, group: &str, name: &str) -> Ix<Category> {
    plan.groups.put(Group {
        id: group.into(),
        name: group.into(),
        internal: group == INTERNAL_GROUP,
        ..Group::default()
    });
    plan.categories.put(Category {
        id: format!("{group}/{name}").as_str().into(),
        group: group.into(),
        group_name: group.into(),
        name: name.into(),
        ..Category::default()
    })
}

fn payee_of(plan: &mut Plan, name: &str) -> Ix<Payee> {
    let known = plan.payees.find(name);
    known.unwrap_or_else(|| plan.payees.put(Payee { id: name.into(), name: name.into(), ..Payee::default() }))
}
