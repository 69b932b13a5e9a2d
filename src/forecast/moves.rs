//! Owns the money that came into and went out of a set of accounts, one entry a transaction.
//! Never counts what moves inside the set, an opening balance, or a correction of one.

use crate::analytics::flows::is_correction;
use crate::dates::{Date, day_number};
use crate::money::Milliunits;
use crate::plan::{Account, Category, Ix, Line, Payee, Plan, Transaction};
use crate::triage;

/// Money in or out.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Its day, and its day as a number.
    pub date: Date,
    /// See above.
    pub day: i32,
    /// Out is negative; never nothing.
    pub amount: Milliunits,
    /// Who.
    pub payee: Option<Ix<Payee>>,
    /// Its category, that of its largest line when it is split.
    pub category: Option<Ix<Category>>,
    /// The account outside the set that it came from or went to.
    pub other: Option<Ix<Account>>,
}

/// A set of a plan's accounts.
#[derive(Clone, Debug)]
pub struct Accounts(Vec<bool>);

impl Accounts {
    /// Every budget account, closed ones too: what was paid from them is still paid.
    pub fn budget(plan: &Plan) -> Self {
        Self(plan.accounts.iter().map(|account| account.on_budget && !account.deleted).collect())
    }

    /// Those accounts.
    pub fn of(plan: &Plan, chosen: &[Ix<Account>]) -> Self {
        Self(plan.accounts.enumerate().map(|(ix, _)| chosen.contains(&ix)).collect())
    }

    /// Whether the account is one of them.
    pub fn has(&self, account: Ix<Account>) -> bool {
        self.0.get(account.get()).copied().unwrap_or_default()
    }

    /// What a transaction or a schedule on one of them changes in their total: its amount, less the lines that stay
    /// inside.
    pub fn change(&self, amount: Milliunits, other: Option<Ix<Account>>, lines: &[Line]) -> Milliunits {
        let stays = |other: Option<Ix<Account>>| other.is_some_and(|ix| self.has(ix));
        if stays(other) {
            return Milliunits::ZERO;
        }
        let inside = lines.iter().filter(|line| !line.deleted && stays(line.transfer_account));
        amount - inside.map(|line| line.amount).sum()
    }
}

/// The money in and out of those accounts up to that day, oldest first. Both halves of a transfer that the bank
/// brought in as two are left out.
pub fn moves(plan: &Plan, accounts: &Accounts, today: Date) -> Vec<Move> {
    let corrections: Vec<bool> = plan.payees.iter().map(|payee| is_correction(&payee.name)).collect();
    let corrects = |payee: Option<Ix<Payee>>| payee.is_some_and(|ix| corrections.get(ix.get()) == Some(&true));
    let halves = triage::likely_transfers(plan);
    let read = |(ix, transaction): (Ix<Transaction>, &Transaction)| {
        let amount = accounts.change(transaction.amount, transaction.transfer_account, &transaction.lines);
        let counts = !transaction.deleted
            && transaction.date <= today
            && accounts.has(transaction.account)
            && !amount.is_zero()
            && !corrects(transaction.payee)
            && !halves.get(&ix).is_some_and(|other| accounts.has(plan.transactions[*other].account));
        let largest = || transaction.live_lines().max_by_key(|line| line.amount.abs())?.category;
        counts.then(|| Move {
            date: transaction.date,
            day: day_number(transaction.date),
            amount,
            payee: transaction.payee,
            category: transaction.category.or_else(largest),
            other: transaction.transfer_account,
        })
    };
    let mut moves: Vec<Move> = plan.transactions.enumerate().filter_map(read).collect();
    moves.sort_by_key(|one| one.day);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::Book;
    use crate::plan::AccountKind;

    #[test]
    fn what_stays_inside_is_no_change() {
        let mut book = Book::new();
        let [bank, savings, outside] =
            ["Bank", "Savings", "Outside"].map(|name| book.account(name, AccountKind::Checking, name != "Outside"));
        let shop = book.pay("2026-01-02", bank, "Shop", None, -30_000);
        book.split(shop, &[(None, -10_000), (None, -15_000), (None, -5_000)]);
        let accounts = Accounts::budget(&book.plan);
        let mut lines = book.plan.transactions[shop].lines.clone();
        (lines[1].transfer_account, lines[2].transfer_account) = (Some(savings), Some(outside));
        let change = |other, lines: &[Line]| accounts.change(Milliunits::new(-30_000), other, lines).get();
        assert_eq!((change(Some(savings), &[]), change(Some(outside), &[]), change(None, &[])), (0, -30_000, -30_000));
        assert_eq!(change(None, &lines), -15_000, "without the line to the savings");
        lines[1].deleted = true;
        assert_eq!(change(None, &lines), -30_000);
    }
}
