//! Owns a plan of any size, for tests and benches of size: eight years, twelve accounts, sixty categories, 400 payees.
//! Never pleasant to read: the demo plan is `household`.

use super::book::Book;
use super::builder::{Bank, Builder, READY};
use super::rows::Goal;
use crate::dates::{Date, Month, add_days, days_between};
use crate::money::Milliunits;
use crate::plan::AccountKind;

/// How many months it goes back, this one included.
const MONTHS: i32 = 96;
const GROUPS: usize = 10;
const CATEGORIES_EACH: usize = 6;
const PAYEES: i64 = 400;
/// How many of the latest wait for the user.
const PENDING: usize = 40;

const SPENT_FROM: [&str; 7] = ["Checking 1", "Checking 2", "Checking 3", "Cash", "Card 1", "Card 2", "Savings 1"];
const FED: [&str; 6] = ["Card 1", "Card 2", "Savings 1", "Savings 2", "Cash", "Checking 2"];

/// A plan of that many transactions.
pub(super) fn book(today: Date, transactions: usize) -> Book {
    let first = Month::of(today).add(1 - MONTHS);
    let mut builder = Builder::new("Large", today, first, 2026);
    let mut categories = Vec::new();
    for group in 1..=GROUPS {
        builder.group(&format!("Group {group}"));
        for place in 1..=CATEGORIES_EACH {
            let name = format!("Category {group}.{place}");
            builder.category(&format!("Group {group}"), &name, monthly(place));
            categories.push(name);
        }
    }
    let opening = open_accounts(&mut builder);
    let days = days_between(first.first(), today);
    let mut left = transactions.saturating_sub(opening);
    while left > 0 {
        let done = transactions.saturating_sub(left);
        let ago = days - days * done as i64 / transactions.max(1) as i64;
        let entered = enter_one(&mut builder, &categories, add_days(today, -ago), left);
        if left <= PENDING {
            builder.leave_waiting();
        }
        left = left.saturating_sub(entered);
    }
    builder.enter();
    assign(&mut builder, &categories);
    builder.book
}

fn monthly(place: usize) -> Goal {
    if place > 2 {
        return Goal::default();
    }
    Goal {
        goal_type: Some("NEED".into()),
        goal_target: Some(Milliunits::new(100_000)),
        goal_cadence: Some(1),
        goal_cadence_frequency: Some(1),
        goal_needs_whole_amount: Some(place == 1),
        ..Goal::default()
    }
}

/// Opens the accounts; how many transactions that took.
fn open_accounts(builder: &mut Builder) -> usize {
    use AccountKind::{Cash, Checking, CreditCard, Mortgage, OtherAsset, OtherLiability, Savings};
    let accounts = [
        ("Checking 1", Checking, Bank::Linked, 5_000_000),
        ("Checking 2", Checking, Bank::Linked, 2_000_000),
        ("Checking 3", Checking, Bank::ByHand, 2_000_000),
        ("Savings 1", Savings, Bank::ByHand, 9_000_000),
        ("Savings 2", Savings, Bank::ByHand, 1_000_000),
        ("Cash", Cash, Bank::ByHand, 200_000),
        ("Card 1", CreditCard, Bank::Linked, 0),
        ("Card 2", CreditCard, Bank::Linked, 0),
        ("Mortgage", Mortgage, Bank::ByHand, -180_000_000),
        ("Fund", OtherAsset, Bank::ByHand, 20_000_000),
        ("House", OtherAsset, Bank::ByHand, 300_000_000),
        ("Owed", OtherLiability, Bank::ByHand, -500_000),
    ];
    for (name, kind, bank, balance) in &accounts {
        builder.account(name, kind, *bank, *balance);
    }
    accounts.iter().filter(|(.., balance)| *balance != 0).count()
}

/// Enters a purchase, a split, a refund, pay or a transfer; how many transactions that took, `left` at most.
fn enter_one(builder: &mut Builder, categories: &[String], day: Date, left: usize) -> usize {
    let account = builder.dice.pick(&SPENT_FROM).copied().unwrap_or_default();
    let category = builder.dice.pick(categories).cloned().unwrap_or_default();
    let payee = format!("Payee {:03}", builder.dice.between(1, PAYEES));
    let amount = builder.dice.price(2, 68);
    match builder.dice.between(1, 100) {
        1..=3 if left > 1 => {
            let to = builder.dice.pick(&FED).copied().unwrap_or_default();
            builder.transfer("Checking 1", to, day, amount * 8, "");
            2
        }
        4 if left > 1 => {
            builder.transfer("Checking 1", "Mortgage", day, amount * 10, &category);
            2
        }
        5..=8 => {
            let other = builder.dice.pick(categories).cloned().unwrap_or_default();
            builder.split(account, day, &payee, &[(&category, -amount, "first"), (&other, -amount / 2 / 10 * 10, "")]);
            1
        }
        9..=10 => {
            builder.entry(account, day, amount, &payee, &category);
            1
        }
        11..=14 => {
            builder.entry("Checking 1", day, amount * 35, "Employer", READY);
            1
        }
        _ => {
            builder.entry(account, day, -amount, &payee, &category);
            1
        }
    }
}

/// Assigns what was spent, month by month.
fn assign(builder: &mut Builder, categories: &[String]) {
    builder.book.settle();
    let places: Vec<_> = categories.iter().filter_map(|name| builder.category_ix(name)).collect();
    let months: Vec<Month> = builder.book.months().collect();
    let cells =
        |month: &Month| places.iter().map(|ix| (*month, *ix, builder.book.cell(*month, *ix).activity)).collect();
    let spent: Vec<Vec<_>> = months.iter().map(cells).collect();
    for (month, ix, activity) in spent.into_iter().flatten() {
        builder.book.assign(month, ix, -activity);
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde_json::Value;

    use super::super::large;
    use super::super::tests::get;

    #[test]
    fn it_has_as_many_transactions_as_asked_and_its_sums_hold() {
        for count in [0, 12, 13, 2_000] {
            let mut ynab = large(date(2026, 3, 17), count);
            let plan = get(&mut ynab, "/plans/last-used")["plan"].clone();
            let rows = plan["transactions"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert_eq!(rows.len(), count.max(10), "{count}");
            let sum = |rows: &[Value], key: &str| rows.iter().filter_map(|row| row[key].as_i64()).sum::<i64>();
            let accounts = plan["accounts"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert_eq!((accounts.len(), sum(accounts, "balance")), (12, sum(rows, "amount")));
            let months = plan["months"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert_eq!(months.len(), 97);
            assert!(months.iter().all(|month| month["to_be_budgeted"].as_i64() >= Some(0)));
        }
    }

    #[test]
    fn its_latest_wait_for_the_user() {
        let mut ynab = large(date(2026, 3, 17), 2_000);
        let waiting = get(&mut ynab, "/plans/last-used/transactions?type=uncategorized");
        assert!((20..=40).contains(&waiting["transactions"].as_array().map(Vec::len).unwrap_or_default()));
    }
}
