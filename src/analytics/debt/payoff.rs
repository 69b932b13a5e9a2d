//! Owns the month by month of paying debts: interest, then minimum payments, then the rest to the first in order.
//! Never knows an account, a name or a date.

use crate::money::{Currency, Milliunits, div_half_even};

/// A debt at the start.
#[derive(Clone, Copy, Debug)]
pub struct Loan {
    /// What is owed.
    pub owed: Milliunits,
    /// Thousandths of a percent a year.
    pub rate: i64,
    /// Least payment a month.
    pub minimum: Milliunits,
}

/// A debt at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// After how many months it was paid off.
    pub months: Option<usize>,
    /// Charged in all.
    pub interest: Milliunits,
    /// Paid in all.
    pub paid: Milliunits,
}

/// Pays the loans from the budget each month, what the minimums leave going down `order`. Ends when all are paid, after
/// `max_months`, or after the first month when its payments do not exceed its interest.
pub fn run(loans: &[Loan], order: &[usize], budget: Milliunits, max_months: usize, currency: &Currency) -> Vec<End> {
    let mut ends = vec![End::default(); loans.len()];
    let mut balances: Vec<Milliunits> = loans.iter().map(|loan| loan.owed).collect();
    for month in 1..=max_months {
        let mut charged = Milliunits::ZERO;
        for ((loan, balance), end) in loans.iter().zip(&mut balances).zip(&mut ends) {
            let interest = interest(*balance, loan.rate, currency);
            *balance += interest;
            end.interest += interest;
            charged += interest;
        }
        let mut left = budget;
        let minimums = (0..loans.len()).map(|place| (place, loans[place].minimum));
        let rest = order.iter().map(|place| (*place, Milliunits::new(i64::MAX)));
        for (place, most) in minimums.chain(rest) {
            let payment = most.min(balances[place]).min(left);
            balances[place] -= payment;
            ends[place].paid += payment;
            left -= payment;
        }
        for (balance, end) in balances.iter().zip(&mut ends).filter(|(balance, _)| balance.is_zero()) {
            end.months = end.months.or(Some(month));
            debug_assert!(!balance.is_negative());
        }
        let hopeless = month == 1 && budget - left <= charged;
        if hopeless || balances.iter().all(|balance| balance.is_zero()) {
            break;
        }
    }
    ends
}

/// A twelfth of the yearly interest in the currency's coins, half to even.
fn interest(balance: Milliunits, rate: i64, currency: &Currency) -> Milliunits {
    let step = currency.step().wide();
    Milliunits::from_wide(div_half_even(balance.wide() * i128::from(rate), 1_200_000 * step) * step)
}
