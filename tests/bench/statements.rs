//! Owns the measure of match_statement: precision, recall and the day of parting on invented years, and the time taken.
//! Run it with `cargo bench --bench statements` (a number after `--` says how many years); it fails when a goal is missed.

#![expect(clippy::print_stdout, reason = "a measure prints its figures")]

#[path = "statements_year.rs"]
mod year;

use std::time::Instant;

use avenir_mcp::dates::{Date, add_days};
use avenir_mcp::ids::{AccountId, PayeeId, TransactionId};
use avenir_mcp::money::{Currency, Milliunits};
use avenir_mcp::plan::{Account, Cleared, Ix, Payee, Plan, Transaction};
use avenir_mcp::reconcile::comparison::{Compared, Outcome, compare, matched};
use year::{NOISE, Payment, Year, year};

/// 2025-01-01.
const FIRST_DAY: i64 = 20_089;
/// Where the years that no constant of the code was chosen on begin.
const SEED: u64 = 9_000;
/// How many of them are measured unless the command says otherwise.
const YEARS: u64 = 40;

fn date(day: i64) -> Date {
    add_days(Date::constant(1970, 1, 1), day)
}

fn plan(opening: i64, payments: &[Payment], first_day: i64) -> (Plan, Ix<Account>) {
    let mut plan = Plan { currency: Currency::new("EUR", 2), ..Plan::default() };
    let account = plan.accounts.put(Account { id: AccountId::from("a"), on_budget: true, ..Account::default() });
    let start = Payment { day: first_day - 30, amount: opening, name: "Starting Balance".to_owned() };
    for (at, payment) in std::iter::once(&start).chain(payments).enumerate() {
        let payee =
            Payee { id: PayeeId::from(payment.name.as_str()), name: payment.name.as_str().into(), ..Payee::default() };
        let payee = Some(plan.payees.put(payee));
        let held = plan.accounts.at_mut(account);
        held.balance += Milliunits::new(payment.amount);
        held.cleared += Milliunits::new(payment.amount);
        plan.transactions.put(Transaction {
            id: TransactionId::new(format!("t{at}")),
            date: date(payment.day),
            amount: Milliunits::new(payment.amount),
            cleared: if at % 3 == 0 { Cleared::Reconciled } else { Cleared::Cleared },
            approved: true,
            deleted: false,
            flag: None,
            account,
            payee,
            category: None,
            transfer_account: None,
            transfer_transaction: None,
            memo: None,
            import_id: None,
            lines: Vec::new(),
        });
    }
    (plan, account)
}

fn compared(year: &Year, plan: &Plan, account: Ix<Account>) -> Option<Box<Compared>> {
    let csv = year.csv(|day| date(day).to_string());
    match compare(plan, account, csv.as_bytes(), None, date(FIRST_DAY + 400)) {
        Ok(Outcome::Compared(compared)) => Some(compared),
        _ => None,
    }
}

fn found(compared: &Compared) -> Vec<(Vec<usize>, Vec<usize>)> {
    // The starting balance stands first in the plan.
    let ours = |ix: &Ix<Transaction>| ix.get().wrapping_sub(1);
    compared
        .matching
        .pairs
        .iter()
        .map(|pair| (pair.rows.clone(), pair.transactions.iter().map(ours).collect()))
        .collect()
}

fn main() {
    let (mut right, mut got, mut truth, mut days, mut worst) = (0, 0, 0, 0_u64, 1.0_f64);
    let years = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(YEARS);
    for seed in SEED..SEED + years {
        let year = year(seed, 1_500, FIRST_DAY, NOISE);
        let (plan, account) = plan(year.opening, &year.ynab, FIRST_DAY);
        let Some(compared) = compared(&year, &plan, account) else {
            println!("year {seed}: not read");
            continue;
        };
        let found = found(&compared);
        let good = year.right(&found);
        let parting = compared.divergence.as_ref().map(|parting| parting.date);
        let same_day = parting == year.parting().map(date);
        if !same_day {
            println!("year {seed}: parts on {parting:?}, not {:?}", year.parting().map(date));
        }
        (right, got, truth, days) =
            (right + good, got + found.len(), truth + year.pairs.len(), days + u64::from(same_day));
        worst = worst.min(good as f64 / found.len() as f64);
    }
    let (precision, recall) = (right as f64 / got as f64, right as f64 / truth as f64);
    println!("{years} years of 1500 payments: precision {precision:.5} (worst {worst:.5}), recall {recall:.5}");
    println!("first day of divergence right: {days} of {years}");
    let slowest = times();
    assert!(precision >= 0.999 && recall >= 0.995 && days == years && slowest < 1.0, "a goal was missed");
}

/// The slowest of a large statement, one whose amounts are all the same, and one that shares nothing with YNAB.
fn times() -> f64 {
    let large = year(1, 20_000, FIRST_DAY, NOISE);
    let mut slowest = 0.0_f64;
    let mut same = year(2, 5_000, FIRST_DAY, NOISE);
    same.bank.iter_mut().for_each(|row| row.amount = -10_000);
    let mut strange = year(3, 5_000, FIRST_DAY, NOISE);
    strange.bank.iter_mut().enumerate().for_each(|(at, row)| row.amount = row.amount * 10 + 10 * at as i64);
    let mut part = year(1, 20_000, FIRST_DAY, NOISE);
    part.bank.truncate(5_000);
    for (name, bank) in [("a quarter of it", part), ("one amount", same), ("nothing shared", strange)] {
        let mut ynab = large.ynab.clone();
        if name == "one amount" {
            ynab.iter_mut().for_each(|payment| payment.amount = -10_000);
        }
        let (plan, account) = plan(large.opening, &ynab, FIRST_DAY);
        let csv = bank.csv(|day| date(day).to_string());
        let start = Instant::now();
        let answer = matched(&plan, account, csv.as_bytes(), None, 50, date(FIRST_DAY + 400));
        let seconds = start.elapsed().as_secs_f64();
        let counts = answer.map(|answer| answer.counts);
        println!("{} rows against {} transactions, {name}: {seconds:.3} s, {counts:?}", bank.bank.len(), ynab.len());
        slowest = slowest.max(seconds);
    }
    slowest
}
