//! Owns what the plan was worth at the end of each month.
//! Never counts what is dated later than the moment shown: for this month that is today.

use schemars::JsonSchema;
use serde::Serialize;

use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Plan};
use crate::text::safe;

/// Net worth, oldest month first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NetWorthTrend {
    pub months: Vec<NetWorth>,
    pub first_net_worth: Amount,
    pub last_net_worth: Amount,
    pub change: Amount,
    /// Accounts counted; a closed one only if it held money at a month end shown.
    pub accounts: Vec<String>,
}

/// A month's end; this month's is today.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NetWorth {
    pub month: Month,
    pub assets: Amount,
    /// Negative.
    pub debts: Amount,
    pub net_worth: Amount,
}

/// The last `months_count` months, today's included: each account's balance less what came after.
pub fn trend(plan: &Plan, today: Date, months_count: usize) -> NetWorthTrend {
    let last = Month::of(today);
    let first = last.add(1 - months_count.max(1) as i32);
    let months: Vec<Month> = first.through(last).collect();

    // What is dated in each month shown, and beyond today, by account.
    let width = months.len() + 1;
    let mut dated = vec![0_i128; plan.accounts.len() * width];
    for t in plan.live() {
        let place = if t.date > today { months.len() as i32 } else { first.until(Month::of(t.date)) };
        if let Some(sum) = usize::try_from(place).ok().and_then(|place| dated.get_mut(t.account.get() * width + place))
        {
            *sum += t.amount.wide();
        }
    }

    let mut totals = vec![(0_i128, 0_i128); months.len()];
    let mut accounts = Vec::new();
    for (account, dated) in plan.accounts.iter().zip(dated.chunks_exact(width)).filter(|(account, _)| !account.deleted)
    {
        let ends = month_ends(account, dated);
        if !account.closed || ends.iter().any(|end| *end != 0) {
            accounts.push(safe(&account.name).into_owned());
        }
        for ((assets, debts), end) in totals.iter_mut().zip(ends) {
            *if account.kind.is_debt() { debts } else { assets } += end;
        }
    }

    let amount = |wide: i128| Amount(Milliunits::from_wide(wide));
    let net = |at: Option<&(i128, i128)>| at.map_or(0, |(assets, debts)| assets + debts);
    let (oldest, newest) = (net(totals.first()), net(totals.last()));
    let months = months.into_iter().zip(&totals).map(|(month, (assets, debts))| NetWorth {
        month,
        assets: amount(*assets),
        debts: amount(*debts),
        net_worth: amount(assets + debts),
    });
    NetWorthTrend {
        months: months.collect(),
        first_net_worth: amount(oldest),
        last_net_worth: amount(newest),
        change: amount(newest - oldest),
        accounts,
    }
}

/// The account's balance at each month's end, oldest first; the last figure dated is what comes after today.
fn month_ends(account: &Account, dated: &[i128]) -> Vec<i128> {
    let mut balance = account.balance.wide();
    let mut ends: Vec<i128> = dated
        .iter()
        .skip(1)
        .rev()
        .map(|later| {
            balance -= later;
            balance
        })
        .collect();
    ends.reverse();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::dates::add_days;
    use crate::plan::AccountKind;
    use proptest::prelude::*;

    fn figures(trend: &NetWorthTrend) -> Vec<(i64, i64)> {
        trend.months.iter().map(|month| (month.assets.0.get(), month.debts.0.get())).collect()
    }

    #[test]
    fn assets_and_debts_by_type_at_each_months_end() {
        let mut book = Book::new();
        let bank = book.account("Bank", AccountKind::Checking, true);
        let loan = book.account("Loan", AccountKind::Mortgage, false);
        book.pay("2026-01-10", bank, "Job", None, 5_000);
        book.pay("2026-01-31", loan, "Start", None, -90_000);
        book.transfer("2026-02-01", bank, loan, None, 1_000);
        let trend = trend(&book.plan, day("2026-03-10"), 4);
        assert_eq!(figures(&trend), [(0, 0), (5_000, -90_000), (4_000, -89_000), (4_000, -89_000)]);
        assert_eq!((trend.first_net_worth.0.get(), trend.last_net_worth.0.get()), (0, -85_000));
    }

    #[test]
    fn point_33_what_is_dated_after_today_is_not_in_todays_figure() {
        let mut book = Book::new();
        let bank = book.account("Bank", AccountKind::Checking, true);
        book.pay("2026-03-10", bank, "Job", None, 5_000);
        book.pay("2026-03-11", bank, "Later this month", None, 700);
        book.pay("2026-05-01", bank, "Later", None, 80);
        assert_eq!(figures(&trend(&book.plan, day("2026-03-10"), 2)), [(0, 0), (5_000, 0)]);
        assert_eq!(figures(&trend(&book.plan, day("2026-03-11"), 1)), [(5_700, 0)]);
    }

    #[test]
    fn a_closed_account_is_named_only_when_it_held_something_and_a_deleted_one_never() {
        let mut book = Book::new();
        let [old, gone] = ["Old", "Gone"].map(|name| book.account(name, AccountKind::Savings, true));
        book.pay("2025-01-01", old, "In", None, 100);
        book.pay("2026-01-15", old, "Out", None, -100);
        book.plan.accounts.at_mut(old).closed = true;
        book.plan.accounts.at_mut(gone).deleted = true;
        assert_eq!(trend(&book.plan, day("2026-03-10"), 4).accounts, ["Old"]);
        assert_eq!(trend(&book.plan, day("2026-03-10"), 2).accounts, Vec::<String>::new());
    }

    #[test]
    fn a_plan_without_anything_is_worth_nothing() {
        let trend = trend(&Book::new().plan, day("2026-03-10"), 12);
        assert_eq!((trend.months.len(), trend.change, trend.accounts.len()), (12, Milliunits::ZERO.into(), 0));
    }

    proptest! {
        /// Whatever the window, a month's figure is the sum of all that is dated up to its end: old plans too.
        #[test]
        fn a_months_end_is_all_that_came_before(rows in prop::collection::vec((0_i64..4000, -9_999_i64..9_999), 0..60), count in 1_usize..24) {
            let mut book = Book::new();
            let bank = book.account("Bank", AccountKind::Checking, true);
            let start = day("2016-01-01");
            for (days, amount) in &rows {
                book.put(add_days(start, *days), bank, None, None, None, *amount);
            }
            let today = day("2026-01-20");
            for month in trend(&book.plan, today, count).months {
                let end = month.month.last().min(today);
                let want: i64 = rows.iter().filter(|(days, _)| add_days(start, *days) <= end).map(|(_, amount)| amount).sum();
                prop_assert_eq!(month.net_worth.0.get(), want);
            }
        }
    }
}
