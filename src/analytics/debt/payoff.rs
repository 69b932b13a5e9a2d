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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loan(owed: i64, rate: i64, minimum: i64) -> Loan {
        Loan { owed: Milliunits::new(owed), rate, minimum: Milliunits::new(minimum) }
    }

    #[test]
    fn the_rest_goes_down_the_order_and_a_freed_minimum_follows() {
        let loans = [loan(100_000, 0, 10_000), loan(30_000, 0, 10_000)];
        let ends = run(&loans, &[1, 0], Milliunits::new(30_000), 600, &Currency::new("EUR", 2));
        assert_eq!(ends.iter().map(|end| end.months).collect::<Vec<_>>(), [Some(5), Some(2)]);
    }

    #[test]
    fn a_century_at_a_terrible_rate_ends_quietly() {
        let loans = [loan(i64::MAX, 100_000, 0), loan(1_000_000, 0, 0)];
        let ends = run(&loans, &[1, 0], Milliunits::new(i64::MAX / 2), 1200, &Currency::new("EUR", 2));
        assert_eq!(ends[1].months, Some(1));
    }

    proptest! {
        /// What is paid is what was owed and charged, less what is still owed; never more than the budget.
        #[test]
        fn money_is_kept(
            loans in prop::collection::vec((1_i64..5_000_000, 0_i64..30_000, 0_i64..60_000), 1..6),
            spare in 1_i64..500_000, decimals in 0_u8..=3, max in 1_usize..200,
        ) {
            let loans: Vec<Loan> = loans.into_iter().map(|(owed, rate, minimum)| loan(owed, rate, minimum)).collect();
            let minimums: Milliunits = loans.iter().map(|loan| loan.minimum).sum();
            let budget = minimums + Milliunits::new(spare);
            let order: Vec<usize> = (0..loans.len()).rev().collect();
            let ends = run(&loans, &order, budget, max, &Currency::new("XXX", decimals));
            for (loan, end) in loans.iter().zip(&ends) {
                let left = loan.owed + end.interest - end.paid;
                prop_assert!(!left.is_negative() && (end.months.is_some() == left.is_zero()));
            }
            let paid: Milliunits = ends.iter().map(|end| end.paid).sum();
            prop_assert!(paid.get() <= budget.get() * max as i64);
        }
    }
}
