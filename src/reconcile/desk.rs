//! Owns small invented plans for the tests of this room. Never part of the binary.

use std::sync::Arc;

use crate::dates::{Date, parse_date};
use crate::ids::{AccountId, PayeeId, TransactionId};
use crate::money::{Currency, Milliunits};
use crate::plan::{Account, AccountKind, Cleared, Ix, Payee, Plan, Transaction};

/// A plan with one account.
pub(super) struct Desk {
    pub(super) plan: Plan,
    pub(super) account: Ix<Account>,
}

impl Desk {
    pub(super) fn new(currency: Currency, kind: &str) -> Self {
        let mut plan = Plan { currency, ..Plan::default() };
        let id = AccountId::from("account");
        let account =
            plan.accounts.put(Account { id, kind: AccountKind::of(kind), on_budget: true, ..Account::default() });
        Self { plan, account }
    }

    /// An account in euro with these rows.
    pub(super) fn euro(rows: &[(&str, i64, &str)]) -> Self {
        let mut desk = Self::new(Currency::new("EUR", 2), "checking");
        for (date, amount, payee) in rows {
            desk.add(day(date), Milliunits::new(*amount), payee, Cleared::Uncleared);
        }
        desk
    }

    pub(super) fn add(&mut self, date: Date, amount: Milliunits, payee: &str, cleared: Cleared) -> Ix<Transaction> {
        let payee = (!payee.is_empty())
            .then(|| self.plan.payees.put(Payee { id: PayeeId::new(payee), name: payee.into(), ..Payee::default() }));
        let held = self.plan.accounts.at_mut(self.account);
        held.balance += amount;
        if cleared != Cleared::Uncleared {
            held.cleared += amount;
        }
        let id = TransactionId::new(Arc::from(format!("t{}", self.plan.transactions.len() + 1)));
        self.plan.transactions.put(Transaction {
            id,
            date,
            amount,
            cleared,
            approved: true,
            deleted: false,
            flag: None,
            account: self.account,
            payee,
            category: None,
            transfer_account: None,
            transfer_transaction: None,
            memo: None,
            import_id: None,
            lines: Vec::new(),
        })
    }
}

/// A statement with a running balance, from these rows on top of an opening balance.
pub(super) fn csv(opening: i64, rows: &[(&str, i64, &str)]) -> String {
    let units = |milliunits: i64| {
        let (sign, size) = (if milliunits < 0 { "-" } else { "" }, milliunits.abs());
        let cents = format!("{:03}", size % 1000);
        format!("{sign}{}.{}", size / 1000, cents.strip_suffix('0').unwrap_or(&cents))
    };
    let mut balance = opening;
    let mut text = "Date,Payee,Amount,Balance\n".to_owned();
    for (date, amount, payee) in rows {
        balance += amount;
        text.push_str(&format!("{date},{payee},{},{}\n", units(*amount), units(balance)));
    }
    text
}

pub(super) fn day(text: &str) -> Date {
    parse_date(text).expect("a day")
}
