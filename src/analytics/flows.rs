//! Owns the one notion of money coming into and going out of the budget accounts, line by line.
//! Never counts a move between budget accounts, an opening balance or a correction of one.

use crate::dates::{Date, Month};
use crate::money::Milliunits;
use crate::plan::{Account, Category, Ix, Payee, Plan, STARTING_BALANCE};
use crate::text::clean;

/// What a line of money is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To or from Ready to Assign; a correction of a salary is negative.
    Income,
    /// Out of the budget accounts, to a loan outside them too; a refund is positive.
    Spending,
    /// Moved to a tracking account that holds an asset: still the user's.
    ToTracking,
    /// In, without a category yet.
    Unsorted,
    /// An opening balance or an adjustment of one: neither income nor spending.
    Correction,
}

/// A line of money of a budget account.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Its month.
    pub month: Month,
    /// What it is.
    pub kind: Kind,
    /// Out is negative.
    pub amount: Milliunits,
    /// Its category.
    pub category: Option<Ix<Category>>,
}

/// Shows every live line of the budget accounts in those months, which follow each other, but those that are moves
/// between the accounts or money back from outside.
pub fn for_each_flow(plan: &Plan, months: &[Month], mut see: impl FnMut(Flow)) {
    let (Some(first), Some(last)) = (months.first(), months.last()) else { return };
    let (first, last) = (first.first(), last.last());
    let corrections: Vec<bool> = plan.payees.iter().map(|payee| is_correction(&payee.name)).collect();
    // Days first: most rows of an old plan are read no further.
    let held = plan.live().filter(|t| first <= t.date && t.date <= last);
    for t in held.filter(|t| plan.accounts[t.account].on_budget) {
        let month = Month::of(t.date);
        let mut line = |amount: Milliunits, category: Option<Ix<Category>>, other: Option<Ix<Account>>, payee| {
            let corrects = || payee_among(&corrections, payee);
            let kind = match other.map(|ix| &plan.accounts[ix]) {
                _ if amount.is_zero() => return,
                Some(other) if other.on_budget || amount.is_positive() => return,
                Some(other) if other.kind.is_debt() => Kind::Spending,
                Some(_) => Kind::ToTracking,
                None => kind(amount, category.map(|ix| &plan.categories[ix]), corrects),
            };
            see(Flow { month, kind, amount, category });
        };
        if t.is_split() {
            t.live_lines().for_each(|l| line(l.amount, l.category, l.transfer_account, l.payee.or(t.payee)));
        } else {
            line(t.amount, t.category, t.transfer_account, t.payee);
        }
    }
}

fn payee_among(marks: &[bool], payee: Option<Ix<Payee>>) -> bool {
    payee.and_then(|ix| marks.get(ix.get())).copied().unwrap_or_default()
}

fn kind(amount: Milliunits, category: Option<&Category>, corrects: impl FnOnce() -> bool) -> Kind {
    let own = category.filter(|category| !category.is_uncategorized());
    match own {
        Some(category) if !category.in_internal_group() => Kind::Spending,
        _ if corrects() => Kind::Correction,
        Some(_) => Kind::Income,
        None if amount.is_positive() => Kind::Unsorted,
        None => Kind::Spending,
    }
}

/// Whether the payee is the one of an opening balance or of a reconciliation's adjustment.
pub fn is_correction(name: &str) -> bool {
    let name = clean(name);
    let own = [
        STARTING_BALANCE,
        "Opening Balance",
        "Reconciliation Balance Adjustment",
        "Manual Balance Adjustment",
        "Balance adjustment",
    ];
    own.iter().any(|own| own.eq_ignore_ascii_case(&name))
}

/// The last `count` months before today's, none before the first transaction of a budget account; oldest first.
pub fn complete_months(plan: &Plan, today: Date, count: usize) -> Vec<Month> {
    let budget = plan.live().filter(|t| plan.accounts[t.account].on_budget);
    let current = Month::of(today);
    let Some(first) = budget.map(|t| t.date).min().map(Month::of) else { return Vec::new() };
    first.max(current.add(-(count as i32))).through(current.add(-1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::plan::AccountKind;

    /// One transaction on a budget account, among the accounts a line may move money to.
    fn kinds(make: impl FnOnce(&mut Book)) -> Vec<(Kind, i64)> {
        let mut book = Book::new();
        book.account("Bank", AccountKind::Checking, true);
        book.account("Savings", AccountKind::Savings, true);
        book.account("Broker", AccountKind::OtherAsset, false);
        book.account("Loan", AccountKind::AutoLoan, false);
        book.category("Home", "Food");
        make(&mut book);
        let mut seen = Vec::new();
        let months: Vec<Month> = Month::of(day("2026-01-01")).through(Month::of(day("2026-12-01"))).collect();
        for_each_flow(&book.plan, &months, |flow| seen.push((flow.kind, flow.amount.get())));
        seen
    }

    fn pay(payee: &str, category: Option<&str>, amount: i64) -> Vec<(Kind, i64)> {
        kinds(|book| {
            let bank = book.plan.accounts.find("Bank").unwrap();
            let category = category.map(|id| book.plan.categories.find(id).unwrap());
            book.pay("2026-03-01", bank, payee, category, amount);
        })
    }

    fn moved(from: &str, to: &str) -> Vec<(Kind, i64)> {
        kinds(|book| {
            let [from, to] = [from, to].map(|id| book.plan.accounts.find(id).unwrap());
            let food = book.plan.categories.find("Home/Food");
            book.transfer("2026-03-01", from, to, food, 500);
        })
    }

    const READY: Option<&str> = Some("Internal Master Category/Inflow: Ready to Assign");
    const UNSORTED: Option<&str> = Some("Internal Master Category/Uncategorized");

    #[test]
    fn what_each_line_is() {
        assert_eq!(pay("Shop", Some("Home/Food"), -500), [(Kind::Spending, -500)]);
        assert_eq!(pay("Shop", Some("Home/Food"), 500), [(Kind::Spending, 500)], "a refund lowers spending");
        assert_eq!(pay("Shop", None, -500), [(Kind::Spending, -500)]);
        assert_eq!(pay("Shop", UNSORTED, -500), [(Kind::Spending, -500)]);
        assert_eq!(pay("Someone", UNSORTED, 500), [(Kind::Unsorted, 500)]);
        assert_eq!(pay("Someone", None, 500), [(Kind::Unsorted, 500)]);
        assert_eq!(pay("Job", READY, 500), [(Kind::Income, 500)]);
        assert_eq!(pay("Job", READY, 0), []);
    }

    #[test]
    fn what_each_transfer_is() {
        assert_eq!(moved("Bank", "Savings"), []);
        assert_eq!(moved("Bank", "Broker"), [(Kind::ToTracking, -500)]);
        assert_eq!(moved("Bank", "Loan"), [(Kind::Spending, -500)]);
        assert_eq!(moved("Broker", "Bank"), [], "money back from outside");
        assert_eq!(moved("Loan", "Bank"), []);
    }

    #[test]
    fn point_26_corrections_are_no_income_whatever_their_spelling_and_a_salarys_correction_is_less() {
        for payee in
            ["Starting Balance", "starting balance ", "Reconciliation Balance Adjustment", "Balance adjustment"]
        {
            assert_eq!(pay(payee, READY, 500), [(Kind::Correction, 500)], "{payee}");
            assert_eq!(pay(payee, READY, -500), [(Kind::Correction, -500)], "{payee}");
            assert_eq!(pay(payee, None, -500), [(Kind::Correction, -500)], "{payee}");
            assert_eq!(pay(payee, Some("Home/Food"), -500), [(Kind::Spending, -500)], "{payee}, given a category");
        }
        assert_eq!(pay("Job", READY, -500), [(Kind::Income, -500)]);
    }

    #[test]
    fn split_lines_are_read_apart_and_deleted_rows_not_at_all() {
        let lines = kinds(|book| {
            let bank = book.plan.accounts.find("Bank").unwrap();
            let (food, ready) = (book.plan.categories.find("Home/Food"), Some(book.ready));
            let ix = book.pay("2026-03-01", bank, "Job", None, 700);
            book.split(ix, &[(ready, 1_000), (food, -200), (food, -100)]);
            book.plan.transactions.at_mut(ix).lines[2].deleted = true;
            let gone = book.pay("2026-03-01", bank, "Job", ready, 9_000);
            book.plan.transactions.at_mut(gone).deleted = true;
            let broker = book.plan.accounts.find("Broker").unwrap();
            book.pay("2026-03-01", broker, "Gain", ready, 9_000);
        });
        assert_eq!(lines, [(Kind::Income, 1_000), (Kind::Spending, -200)]);
    }

    #[test]
    fn complete_months_end_before_today_and_begin_with_the_first_budget_transaction() {
        let mut book = Book::new();
        let (bank, broker) =
            (book.account("Bank", AccountKind::Checking, true), book.account("B", AccountKind::OtherAsset, false));
        let months = |book: &Book, today: &str, count| {
            complete_months(&book.plan, day(today), count).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(months(&book, "2026-03-10", 6), Vec::<String>::new());
        book.pay("2025-01-01", broker, "Old", None, 1);
        book.pay("2026-01-20", bank, "First", None, 1);
        assert_eq!(months(&book, "2026-03-10", 6), ["2026-01-01", "2026-02-01"]);
        assert_eq!(months(&book, "2026-03-10", 1), ["2026-02-01"]);
        assert_eq!(months(&book, "2026-01-31", 6), Vec::<String>::new());
        assert_eq!(months(&book, "2025-12-31", 6), Vec::<String>::new());
    }
}
