//! Owns the test that the read tools stay short and linear on a plan of eight years. Never part of the binary.

use crate::analytics::ROWS;
use crate::analytics::testing::{Book, chars, day, empty_month};
use crate::analytics::{
    accounts, age, budget_vs_actual, debt, month, net_worth, payees, runway, savings, scheduled, search,
};
use crate::analytics::{targets, trends};
use crate::dates::{Month, add_days};
use crate::money::Milliunits;
use crate::plan::{AccountKind, Category, Goal, MonthBudget, Payee, Plan};

const TRANSACTIONS: usize = 50_000;

/// 50,000 transactions of 3,000 payees in 40 accounts and 150 categories, over eight years up to 2026-03-10.
fn large() -> Plan {
    let mut book = Book::new();
    let kinds = [AccountKind::Checking, AccountKind::Savings, AccountKind::CreditCard, AccountKind::Mortgage];
    let accounts: Vec<_> =
        (0..40).map(|n| book.account(&format!("Account number {n}"), kinds[n % 4].clone(), n % 4 != 3)).collect();
    let categories: Vec<_> =
        (0..150).map(|n| book.category(&format!("Group {}", n / 10), &format!("Category number {n}"))).collect();
    let payees: Vec<_> = (0..3_000)
        .map(|n| format!("CB SHOP NUMBER {n} 12/03 4970****1234"))
        .map(|name| book.plan.payees.put(Payee { id: name.as_str().into(), name: name.into(), ..Payee::default() }))
        .collect();
    let first = day("2018-03-11");
    for n in 0..TRANSACTIONS {
        let date = add_days(first, (n * 2_922 / TRANSACTIONS) as i64);
        let category = if n % 20 == 0 { book.ready } else { categories[n % 150] };
        let amount = if n % 20 == 0 { 900_000 } else { -10_000 - (n % 977) as i64 };
        book.put(date, accounts[n % 37], Some(payees[n * 7 % 3_000]), Some(category), None, amount);
    }
    let goal = Goal {
        kind: "MF".into(),
        target: Some(Milliunits::new(90_000)),
        under_funded: Some(Milliunits::new(9_000)),
        ..Goal::default()
    };
    let figures: Vec<Category> = categories
        .iter()
        .map(|ix| Category {
            activity: Milliunits::new(-33_000),
            balance: Milliunits::new(-1_000),
            goal: Some(Box::new(goal.clone())),
            ..book.plan.categories[*ix].clone()
        })
        .collect();
    for held in Month::of(first).through(Month::of(day("2026-03-10"))) {
        book.plan.months.insert(held, MonthBudget { categories: figures.clone(), ..empty_month(held) });
    }
    for n in 0..60 {
        book.schedule(accounts[0], &format!("Scheduled payee number {n}"), "weekly", "2026-03-12", -1_000);
    }
    book.plan
}

#[test]
fn every_answer_of_an_old_large_plan_is_short_and_counts_everything() {
    let (plan, today) = (large(), day("2026-03-10"));
    let this_month = &plan.months[&Month::of(today)];
    let search = search::Search::since(day("2025-03-10"));
    let found = search::find(&plan, today, &search).unwrap();
    assert_eq!(found.total, plan.live().filter(|t| t.date >= day("2025-03-10")).count());
    let used = payees::list(&plan, None, ROWS);
    assert_eq!(used.total, 3_060);
    let worth = net_worth::trend(&plan, today, 12);
    assert_eq!(worth.last_net_worth.0, plan.live().map(|t| t.amount).sum());
    let needs = targets::underfunded(this_month, &plan.currency, None);
    assert_eq!((needs.needed.0.get(), needs.targets.len() + needs.more), (150 * 9_000, 150));
    let due = scheduled::list(&plan, today, &scheduled::Period::default()).unwrap();
    assert_eq!(due.occurrences.len() + due.more.unwrap_or_default(), 60 * 5);
    let saved = savings::rate(&plan, today, 6);
    let lasts = runway::runway(&plan, today, 6, None, runway::Savings::Include).unwrap();
    let ask = debt::Ask {
        strategies: debt::Strategies::Both,
        monthly_budget: Some(Milliunits::new(900_000_000)),
        overrides: &[],
        max_months: 600,
    };
    let sizes = [
        ("find_transactions", chars(&found)),
        ("list_payees", chars(&used)),
        ("get_net_worth_trend", chars(&worth)),
        ("get_underfunded_targets", chars(&needs)),
        ("list_scheduled_transactions", chars(&due)),
        ("get_savings_rate", chars(&saved)),
        ("get_runway", chars(&lasts)),
        ("get_debt_payoff_plan", chars(&debt::plan_payoff(&plan, today, &ask).unwrap())),
        ("get_age_of_money", chars(&age::age(&plan, today, 12))),
        ("get_spending_trends", chars(&trends::trends(&plan, today, 3))),
        ("get_spending_trends of 24 months", chars(&trends::trends(&plan, today, 24))),
        ("get_budget_vs_actual", chars(&budget_vs_actual::compare(this_month, &plan.currency))),
        ("get_category_balances", chars(&month::balances(this_month, month::Empty::Include))),
        ("get_monthly_summary", chars(&month::summary(this_month))),
        ("list_accounts", chars(&accounts::list(&plan.accounts))),
        ("list_category_groups", chars(&accounts::groups(&plan.groups))),
    ];
    for (tool, size) in sizes {
        assert!(size < 25_000, "{tool}: {size}");
    }
}
