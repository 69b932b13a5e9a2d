//! Owns what happened: pay, bills, habits, cards, the loan, and the months that were out of the ordinary.
//! Never looks past today: the builder drops what has not happened yet.

use super::super::builder::{Builder, READY};
use super::habits::{BILLS, HABITS};
use super::{AZUR, CURRENT, FLAT, FUND, MORTGAGE, OLD_BANK, SAVINGS, STORE_CARD, WALLET};
use crate::dates::Month;
use crate::ids::TransactionId;

/// What is paid back to the store card each month, in milliunits.
pub(super) const REPAID: i64 = 60_000;
/// What is left for next month before anything goes to the emergency fund: one salary.
pub(super) const KEPT: i64 = 1_985_000;

/// Tells every month, the first to this one.
pub(super) fn tell(builder: &mut Builder) {
    let (first, last) = (builder.book.first_month, Month::of(builder.today));
    for month in first.through(last) {
        pay(builder, month);
        loan_and_fund(builder, month);
        bills(builder, month);
        habits(builder, month);
        cards(builder, month);
        move_money(builder, month);
        out_of_the_ordinary(builder, first, month);
    }
}

/// The month of the sofa, counted from the first.
const SOFA: i32 = 1;

/// Whether the store card was bought with that month.
pub(super) fn bought_the_sofa(builder: &Builder, month: Month) -> bool {
    builder.book.first_month.until(month) == SOFA
}

/// Whether the store card was bought with before that month.
pub(super) fn owes(builder: &Builder, month: Month) -> bool {
    builder.book.first_month.until(month) > SOFA
}

fn pay(builder: &mut Builder, month: Month) {
    let bonus = if month.number() == 12 { 420_000 } else { 0 };
    builder.entry(CURRENT, month.day(28), KEPT + bonus, "Atelier Nordique – salaire", READY);
    // A schedule that came due gives its transaction an id of this form.
    let walsh = builder.entry(CURRENT, month.first(), 1_336_500, "Studio Walsh", READY);
    walsh.id = TransactionId::from(format!("{}_{}", walsh.id, walsh.date).as_str());
    builder.entry(CURRENT, month.day(5), 148_520, "Allocations familiales", READY);
    if builder.dice.happens(30) {
        let day = month.day(builder.dice.between(8, 26) as i8);
        let amount = builder.dice.price(40, 120);
        builder.entry(CURRENT, day, amount, "Vide-grenier", READY).memo = Some("Sold some old things".into());
    }
}

fn loan_and_fund(builder: &mut Builder, month: Month) {
    // Interest of the month before, in thousandths of a percent a year, then the payment.
    let interest = builder.balance(MORTGAGE) * 2_150 / 100_000 / 12 / 10 * 10;
    let first = builder.book.first_month == month;
    for (amount, payee, kind) in [(interest, "Interest", "interest"), (-30_000, "Escrow", "escrow")] {
        if !first {
            builder.entry(MORTGAGE, month.day(4), amount, payee, "").debt_transaction_type = Some(kind.into());
        }
    }
    builder.transfer(CURRENT, MORTGAGE, month.day(4), 742_350, MORTGAGE);
    builder.transfer(CURRENT, FUND, month.day(8), 350_000, "Investing");
    let change = builder.balance(FUND) / 1000 * builder.dice.between(-22, 31);
    builder.entry(FUND, month.last(), change, "Market change", "");
    if month.number() == 1 {
        builder.entry(FLAT, month.day(2), 3_500_000, "Revaluation", "");
    }
}

fn bills(builder: &mut Builder, month: Month) {
    for bill in BILLS.iter().filter(|bill| (i32::from(month.number()) - 1) % bill.every == bill.rest) {
        let amount = builder.dice.between(bill.amount.0 / 10, bill.amount.1 / 10) * 10;
        builder.entry(CURRENT, month.day(bill.day), -amount, bill.payee, bill.category);
    }
}

fn habits(builder: &mut Builder, month: Month) {
    for habit in &HABITS {
        for _ in 0..builder.dice.between(habit.times.0, habit.times.1) {
            let payee = builder.dice.pick(habit.payees).copied().unwrap_or_default();
            let account = builder.dice.pick(habit.accounts).copied().unwrap_or_default();
            let day = month.day(builder.dice.between(1, i64::from(month.days())) as i8);
            let amount = match habit.price {
                (low, high) if low == high => low * 1000,
                (low, high) => builder.dice.price(low, high),
            };
            if amount > 0 {
                builder.entry(account, day, -amount, payee, habit.category);
            }
        }
    }
}

/// The credit card is paid in full for the month before; the store card bit by bit.
fn cards(builder: &mut Builder, month: Month) {
    let spent = builder.sum(AZUR, month.add(-1));
    if spent < 0 {
        builder.transfer(CURRENT, AZUR, month.day(6), -spent, "");
    }
    if owes(builder, month) {
        builder.transfer(CURRENT, STORE_CARD, month.day(11), REPAID, "");
    }
}

fn move_money(builder: &mut Builder, month: Month) {
    builder.transfer(CURRENT, SAVINGS, month.day(29), 60_000, "");
    for day in [3, 19] {
        builder.transfer(CURRENT, WALLET, month.day(day), 45_000, "");
    }
}

/// What a household remembers.
fn out_of_the_ordinary(builder: &mut Builder, first: Month, month: Month) {
    match first.until(month) {
        SOFA => {
            let left = builder.balance(OLD_BANK);
            builder.transfer(OLD_BANK, CURRENT, month.day(14), left, "");
            let sofa = builder.entry(STORE_CARD, month.day(22), -1_490_000, "Canapé & Co", "Furniture & repairs");
            sofa.memo = Some("The green sofa".into());
        }
        3 => {
            let coat = builder.entry(CURRENT, month.day(9), -89_900, "Fil & Coton", "Clothes");
            coat.memo = Some("Winter coat".into());
            builder.entry(CURRENT, month.day(17), 89_900, "Fil & Coton", "Clothes").memo = Some("Coat returned".into());
        }
        6 => {
            builder.entry(CURRENT, month.day(11), -148_000, "Rail Express", "Tram & train");
            builder.entry(CURRENT, month.day(25), 214_000, "Rail Express", "Tram & train").memo =
                Some("Refund: strike, and last month's tickets".into());
        }
        10 => {
            builder.entry(WALLET, month.day(13), -35_000, "Vétérinaire des Quais", "Pharmacy & doctors").flag_color =
                Some(super::super::rows::Flag::Blue);
        }
        _ => {}
    }
    match month.number() {
        7 => {
            for (day, amount, payee) in [
                (3, -612_000, "Ferry Atlantique"),
                (11, -540_000, "Casa do Mar"),
                (14, -96_400, "Tasca da Esquina"),
                (19, -58_200, "Mercado da Ribeira"),
            ] {
                builder.entry(CURRENT, month.day(day), amount, payee, "Été au Portugal ☀️");
            }
        }
        12 => {
            for (day, amount, payee) in
                [(9, -64_000, "Jouets Malice"), (16, -82_500, "Librairie du Quai"), (20, -45_900, "Fleurs de Mai")]
            {
                builder.entry(CURRENT, month.day(day), amount, payee, "Gifts 🎁");
            }
        }
        _ => {}
    }
    let lines = [
        ("Groceries", -builder.dice.price(40, 70), ""),
        ("Household", -builder.dice.price(8, 22), "Laundry & bulbs"),
        ("Toys & birthdays", -builder.dice.price(9, 18), "Gift for Malo's friend"),
    ];
    builder.split(CURRENT, month.day(23), "Super Lune", &lines);
    if month.number() % 3 == 0 {
        let lines = [("Groceries", -builder.dice.price(30, 55), ""), ("", -40_000, "Cash back")];
        builder.split(CURRENT, month.day(27), "Super Lune", &lines);
        builder.pay_out_last_line(WALLET);
    }
}
