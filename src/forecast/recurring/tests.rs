use super::*;
use crate::analytics::testing::{Book, day};
use crate::dates::add_days;
use crate::fixtures;
use crate::money::Currency;
use crate::plan::{Account, AccountKind, Ix};

const TODAY: &str = "2026-06-15";

fn book() -> (Book, Ix<Account>) {
    let mut book = Book::new();
    let account = book.account("Everyday", AccountKind::Checking, true);
    (book, account)
}

/// Pays on each day of a rhythm that ends before today.
fn pay(book: &mut Book, account: Ix<Account>, payee: &str, amount: i64, days: impl Iterator<Item = Date>) {
    for day in days.filter(|day| day.to_string().as_str() <= TODAY) {
        book.pay(&day.to_string(), account, payee, None, amount);
    }
}

fn monthly(every: i32, day: i8) -> impl Iterator<Item = Date> {
    let first = Month::parse("2024-01-01").expect("a month");
    (0..40).map(move |n| first.add(n * every).day(day))
}

fn every(days: i64) -> impl Iterator<Item = Date> {
    (0..200).map(move |n| add_days(jiff::civil::date(2024, 1, 5), n * days))
}

fn found(book: &Book) -> Vec<(String, String, f64, f64)> {
    let answer = charges(&book.plan, false, day(TODAY));
    let units = |amount: Amount| amount.0.get() as f64 / 1000.0;
    let one = |c: Charge| (c.payee, c.rhythm, units(c.amount), units(c.yearly_amount));
    answer.charges.into_iter().map(one).collect()
}

fn row(payee: &str, rhythm: &str, amount: f64, yearly: f64) -> (String, String, f64, f64) {
    (payee.to_owned(), rhythm.to_owned(), amount, yearly)
}

/// Point 23.
#[test]
fn every_rhythm_is_found() {
    let (mut book, account) = book();
    pay(&mut book, account, "VEG BOX", -20_000, every(7));
    pay(&mut book, account, "CLEANER", -60_000, every(14));
    pay(&mut book, account, "GYM", -40_000, every(28));
    pay(&mut book, account, "RENT", -900_000, monthly(1, 1));
    pay(&mut book, account, "WATER", -70_000, monthly(2, 9));
    pay(&mut book, account, "SCHOOL", -150_000, monthly(3, 12));
    pay(&mut book, account, "TAX HALF", -410_000, monthly(6, 20));
    pay(&mut book, account, "HOME INSURANCE", -240_000, monthly(12, 3));
    let want = [
        row("RENT", "monthly", -900.0, -10_800.0),
        row("CLEANER", "every 2 weeks", -60.0, -1560.0),
        row("VEG BOX", "weekly", -20.0, -1040.0),
        row("TAX HALF", "every 6 months", -410.0, -820.0),
        row("SCHOOL", "every 3 months", -150.0, -600.0),
        row("GYM", "every 4 weeks", -40.0, -520.0),
        row("WATER", "every 2 months", -70.0, -420.0),
        row("HOME INSURANCE", "yearly", -240.0, -240.0),
    ];
    assert_eq!(found(&book), want);
}

/// Point 23.
#[test]
fn what_stopped_is_not_listed_and_two_of_one_merchant_are_two() {
    let (mut book, account) = book();
    pay(&mut book, account, "STREAMLY", -9_990, monthly(1, 4));
    pay(&mut book, account, "STREAMLY", -2_990, monthly(1, 21));
    let stopped = monthly(1, 8).take_while(|day| day.to_string().as_str() < "2026-04-01");
    pay(&mut book, account, "OLD GYM", -30_000, stopped);
    let want = [row("STREAMLY", "monthly", -9.99, -119.88), row("STREAMLY", "monthly", -2.99, -35.88)];
    assert_eq!(found(&book), want);
}

#[test]
fn the_last_working_day_is_a_day_of_the_month() {
    let (mut book, account) = book();
    let last = monthly(1, 31).map(|day| {
        let past_friday = i64::from(day.weekday().to_monday_one_offset()) - 5;
        add_days(day, -past_friday.max(0))
    });
    pay(&mut book, account, "LEASE", -300_000, last);
    let answer = charges(&book.plan, false, day(TODAY));
    assert_eq!(answer.charges.len(), 1);
    assert!((28..=31).contains(&answer.charges[0].day), "{:?}", answer.charges);
    assert_eq!(Month::of(answer.charges[0].next_date), Month::of(day(TODAY)));
}

#[test]
fn a_new_price_is_the_price_and_told() {
    let (mut book, account) = book();
    for date in monthly(1, 7).filter(|day| day.to_string().as_str() <= TODAY) {
        let amount = if date.to_string().as_str() < "2026-03-01" { -10_990 } else { -13_490 };
        book.pay(&date.to_string(), account, "TUNEBOX", None, amount);
    }
    let charge = charges(&book.plan, false, day(TODAY)).charges.remove(0);
    assert_eq!(charge.amount, Amount(Milliunits::new(-13_490)));
    let changed = charge.changed.expect("a change");
    assert_eq!((changed.before, changed.since), (Amount(Milliunits::new(-10_990)), day("2026-03-07")));
}

/// Point 17.
#[test]
fn a_loan_paid_by_transfer_is_a_charge() {
    let (mut book, account) = book();
    let loan = book.account("Home loan", AccountKind::Mortgage, false);
    let savings = book.account("Savings", AccountKind::Savings, true);
    for date in monthly(1, 5).filter(|day| day.to_string().as_str() <= TODAY) {
        book.transfer(&date.to_string(), account, loan, None, 1_000_000);
        book.transfer(&date.to_string(), account, savings, None, 200_000);
    }
    assert_eq!(found(&book), [row("Transfer : Home loan", "monthly", -1000.0, -12_000.0)]);
}

/// Point 19.
#[test]
fn opening_balances_and_adjustments_are_none() {
    let (mut book, account) = book();
    let ready = book.ready;
    for date in monthly(1, 2).filter(|day| day.to_string().as_str() <= TODAY) {
        book.pay(&date.to_string(), account, "Reconciliation Balance Adjustment", Some(ready), 5_000);
        book.pay(&date.to_string(), account, "Starting Balance", Some(ready), -5_000);
    }
    assert!(charges(&book.plan, true, day(TODAY)).charges.is_empty());
}

/// Point 22.
#[test]
fn an_invisible_letter_makes_no_second_merchant() {
    let (mut book, account) = book();
    for (n, date) in monthly(1, 10).filter(|day| day.to_string().as_str() <= TODAY).enumerate() {
        let label = if n % 2 == 0 { "Gym\u{200B}Club" } else { "GymClub" };
        book.pay(&date.to_string(), account, label, None, -30_000);
    }
    assert_eq!(found(&book).len(), 1);
    assert_eq!(found(&book)[0].3, -360.0);
}

/// Point 36.
#[test]
fn yearly_amounts_have_the_currencys_decimals() {
    let (mut book, account) = book();
    book.plan.currency = Currency::new("JOD", 3);
    pay(&mut book, account, "NET", -1_001, monthly(1, 3));
    pay(&mut book, account, "TEL", -1_004, monthly(1, 8));
    let answer = charges(&book.plan, false, day(TODAY));
    assert_eq!(answer.yearly_total, Amount(Milliunits::new(-24_060)));
}

/// Point 36.
#[test]
fn an_average_is_in_whole_coins() {
    let (mut book, account) = book();
    for (n, date) in monthly(1, 10).filter(|day| day.to_string().as_str() <= TODAY).enumerate() {
        book.pay(&date.to_string(), account, "POWER", None, -80_000 - [0, 7_010, 3_330, 1_010, 9_990][n % 5]);
    }
    assert_eq!(found(&book), [row("POWER", "monthly", -84.47, -1013.64)]);
}

#[test]
fn shopping_is_no_charge() {
    let (mut book, account) = book();
    let food = book.category("Everyday", "Food");
    for n in 0..400_i64 {
        let date = add_days(jiff::civil::date(2024, 3, 1), n * 2 + n * n % 3);
        let amount = -12_000 - (n * n * 7919) % 60_000;
        book.put(date.min(day(TODAY)), account, None, Some(food), None, amount);
        book.pay(&date.min(day(TODAY)).to_string(), account, "SUPER NOVA", Some(food), amount);
    }
    assert!(found(&book).is_empty(), "{:?}", found(&book));
}

#[test]
fn recorded_plans_are_answered() {
    for name in ["household", "yen", "two-plans"] {
        let corpus = fixtures::corpus(name);
        for plan in &corpus.plans {
            let (without, with) = (charges(plan, false, corpus.today), charges(plan, true, corpus.today));
            assert_eq!(without.yearly_total, with.yearly_total);
            assert!(without.charges.iter().all(|charge| charge.amount.0.is_negative()));
            let twelve = with.charges.iter().map(|c| (c.yearly_amount.0 - c.monthly_amount.0).wide());
            assert_eq!(twelve.clone().count(), with.charges.len());
            for charge in &with.charges {
                let times = Milliunits::from_wide(charge.monthly_amount.0.wide() * 12);
                assert!((times - charge.yearly_amount.0).abs().get() <= 12, "{charge:?}");
            }
        }
    }
}
