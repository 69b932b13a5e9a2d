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
