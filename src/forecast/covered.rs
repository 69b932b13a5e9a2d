//! Owns which schedule stands for which bill of the past, by name, amount and rhythm together.
//! Never lets one schedule stand for more money than it moves, nor for a whole merchant.

use super::moves::{Accounts, Move};
use super::schedule::days;
use super::series::{Names, Series};
use crate::dates::day_number;
use crate::money::Milliunits;
use crate::plan::{Plan, Scheduled};

/// How far amounts may be apart, in percent of the bill's: of one name and rhythm, of one name and two rhythms, and
/// without a common name.
const NAMED_PERCENT: f64 = 40.0;
const OTHER_RHYTHM_PERCENT: f64 = 10.0;
const UNNAMED_PERCENT: f64 = 2.0;

/// That a schedule stands for a series.
struct Fit {
    /// How well, higher for better.
    points: i32,
    /// The part of the schedule's times that it takes: a half, of one that falls twice a month for two monthly bills.
    part: f64,
}

/// For each series, the places of the schedules of those accounts that stand for it: one that repeats at most, and any
/// number that fall once.
pub fn covered(plan: &Plan, accounts: &Accounts, moves: &[Move], names: &Names, series: &[Series]) -> Vec<Vec<usize>> {
    let mut pairs: Vec<(Fit, usize, usize)> = Vec::new();
    for (place, schedule) in plan.scheduled.iter().enumerate() {
        if schedule.deleted || !accounts.has(schedule.account) {
            continue;
        }
        let amount = accounts.change(schedule.amount, schedule.transfer_account, &schedule.lines);
        let matched = |(n, one): (usize, &Series)| Some((fit(schedule, amount, moves, names, one)?, place, n));
        pairs.extend(series.iter().enumerate().filter_map(matched));
    }
    pairs.sort_by(|a, b| b.0.points.cmp(&a.0.points).then((a.1, a.2).cmp(&(b.1, b.2))));
    let is_repeated: Vec<bool> = plan.scheduled.iter().map(|one| days(&one.frequency).is_some()).collect();
    let mut covered: Vec<Vec<usize>> = vec![Vec::new(); series.len()];
    let mut free = vec![1.0; is_repeated.len()];
    for (fit, place, n) in pairs {
        let has_one = covered[n].iter().any(|&other| is_repeated[other]);
        if fit.part <= free[place] && !(has_one && is_repeated[place]) {
            free[place] -= fit.part;
            covered[n].push(place);
        }
    }
    covered
}

/// How a schedule fits a series; `None` when it is another thing's.
fn fit(schedule: &Scheduled, amount: Milliunits, moves: &[Move], names: &Names, series: &Series) -> Option<Fit> {
    if !series.active {
        return None;
    }
    let bill = series.amount.get() as f64;
    let is_near = |amount: f64, percent: f64| (amount - bill).abs() * 100.0 <= bill.abs() * percent;
    let amount = amount.get() as f64;
    // The nearest of the series' days to the schedule's next.
    let apart = day_number(schedule.date_next) - day_number(series.next);
    let period = series.rhythm.days();
    let off = (f64::from(apart) - (f64::from(apart) / period).round() * period).abs();
    let same_day = off <= f64::from(series.rhythm.window());
    let named = match (schedule.transfer_account, series.other) {
        (None, None) => series.moves.last().is_some_and(|&at| names.is_named(schedule.payee, &moves[at])),
        (one, other) => one == other,
    };
    let transfers = schedule.transfer_account.is_some() || series.other.is_some();
    // How often the schedule falls for each time of the series.
    let times = days(&schedule.frequency).map(|days| period / days);
    let part = match times {
        None => (named && same_day && is_near(amount, NAMED_PERCENT)).then_some(1.0),
        Some(1.0) => {
            let unnamed = same_day && !transfers && is_near(amount, UNNAMED_PERCENT);
            (unnamed || named && is_near(amount, NAMED_PERCENT)).then_some(1.0)
        }
        Some(_) if !named => None,
        // Another rhythm for the same money, or one that falls on the series' days and on others.
        Some(times) if is_near(amount * times, OTHER_RHYTHM_PERCENT) => Some(1.0),
        Some(times) => (times > 1.0 && is_near(amount, OTHER_RHYTHM_PERCENT)).then_some(1.0 / times),
    };
    let same_amount = is_near(amount, UNNAMED_PERCENT);
    let points = [(named, 8), (same_amount, 4), (same_day, 2), (schedule.category == series.category, 1)];
    let points = points.iter().filter(|(holds, _)| *holds).map(|(_, worth)| worth).sum();
    part.map(|part| Fit { points, part })
}

#[cfg(test)]
mod tests {
    use crate::analytics::testing::{Book, day, monthly};
    use crate::dates::Month;
    use crate::forecast::balance::{Ask, project};
    use crate::forecast::recurring::charges;
    use crate::plan::AccountKind;

    const TODAY: &str = "2026-06-15";

    /// A bill of a payee and amount, monthly on a day: what was paid.
    type Bill = (&'static str, i64, i8);
    /// A schedule's payee, word, next date and amount.
    type Written = (&'static str, &'static str, &'static str, i64);

    fn book(bills: &[Bill], schedules: &[Written]) -> Book {
        let mut book = Book::new();
        let account = book.account("Everyday", AccountKind::Checking, true);
        for (payee, amount, on) in bills {
            for date in monthly(*on, TODAY) {
                book.pay(&date, account, payee, None, *amount);
            }
        }
        for (payee, frequency, next, amount) in schedules {
            book.schedule(account, payee, frequency, next, *amount);
        }
        book
    }

    /// Of each bill, costliest first, whether a schedule covers it.
    fn scheduled(bills: &[Bill], schedules: &[Written]) -> Vec<bool> {
        let found = charges(&book(bills, schedules).plan, true, day(TODAY)).charges;
        assert_eq!(found.len(), bills.len());
        found.iter().map(|charge| charge.scheduled).collect()
    }

    #[test]
    fn a_schedule_stands_for_a_bill_by_name_amount_rhythm_and_day() {
        let cases: &[(Written, bool)] = &[
            // Of its name: the amount may have changed, the day too.
            (("CLUB", "monthly", "2026-06-20", -100_000), true),
            (("CLUB", "monthly", "2026-07-05", -100_000), true),
            (("CLUB", "monthly", "2026-06-20", -140_000), true),
            (("CLUB", "monthly", "2026-06-20", -60_000), true),
            (("CLUB", "monthly", "2026-06-20", -141_000), false),
            (("CLUB", "monthly", "2026-06-20", -59_000), false),
            (("CLUB", "monthly", "2026-06-20", 100_000), false),
            // Of another name: the same amount on the same day.
            (("OTHER", "monthly", "2026-06-20", -102_000), true),
            (("OTHER", "monthly", "2026-06-20", -98_000), true),
            (("OTHER", "monthly", "2026-06-20", -103_000), false),
            (("OTHER", "monthly", "2026-06-26", -100_000), true),
            (("OTHER", "monthly", "2026-06-27", -100_000), false),
            (("OTHER", "monthly", "2026-08-14", -100_000), true),
            (("OTHER", "monthly", "2026-08-12", -100_000), false),
            // Once: that name, about that day and amount.
            (("CLUB", "never", "2026-06-20", -130_000), true),
            (("CLUB", "never", "2026-06-20", -141_000), false),
            (("CLUB", "never", "2026-07-05", -100_000), false),
            (("OTHER", "never", "2026-06-20", -100_000), false),
            // In another rhythm: that name, for the same money, or as much each time and more often.
            (("CLUB", "twiceAMonth", "2026-06-20", -50_000), true),
            (("CLUB", "twiceAMonth", "2026-06-20", -56_000), false),
            (("CLUB", "twiceAMonth", "2026-06-20", -44_000), false),
            (("CLUB", "twiceAMonth", "2026-06-20", -100_000), true),
            (("CLUB", "weekly", "2026-06-20", -23_000), true),
            (("CLUB", "every4Weeks", "2026-06-20", -92_000), true),
            (("CLUB", "every3Months", "2026-06-20", -300_000), true),
            (("CLUB", "every3Months", "2026-06-20", -100_000), false),
            (("OTHER", "twiceAMonth", "2026-06-20", -50_000), false),
        ];
        for (schedule, covers) in cases {
            assert_eq!(scheduled(&[("CLUB", -100_000, 20)], &[*schedule]), [*covers], "{schedule:?}");
        }
    }

    #[test]
    fn a_schedule_stands_for_no_more_money_than_it_moves() {
        let two = [("CLUB", -105_000, 5), ("CLUB", -100_000, 20)];
        assert_eq!(scheduled(&two, &[("CLUB", "monthly", "2026-06-20", -105_000)]), [true, false], "the amount first");
        assert_eq!(scheduled(&two, &[("CLUB", "monthly", "2026-06-20", -115_000)]), [false, true], "then the day");
        assert_eq!(scheduled(&two, &[("CLUB", "twiceAMonth", "2026-06-20", -100_000)]), [true, true]);
        let three = [("CLUB", -109_000, 12), two[0], two[1]];
        let covered = scheduled(&three, &[("CLUB", "twiceAMonth", "2026-06-20", -100_000)]);
        assert_eq!(covered.iter().filter(|covered| **covered).count(), 2);
        // The name counts before the amount.
        let bills = [("BAKERY", -101_000, 20), ("CLUB", -130_000, 20)];
        assert_eq!(scheduled(&bills, &[("CLUB", "monthly", "2026-06-20", -101_000)]), [true, false]);
    }

    #[test]
    fn between_two_bills_alike_the_category_decides() {
        for chosen in ["Sports", "Fun"] {
            let mut book = Book::new();
            let account = book.account("Everyday", AccountKind::Checking, true);
            for (category, amount, on) in [("Sports", -105_000, 5), ("Fun", -100_000, 20)] {
                let category = Some(book.category("Home", category));
                for date in monthly(on, TODAY) {
                    book.pay(&date, account, "CLUB", category, amount);
                }
            }
            let ix = book.schedule(account, "CLUB", "monthly", "2026-07-12", -102_500);
            let category = book.plan.categories.enumerate().find(|(_, one)| &*one.name == chosen).map(|(ix, _)| ix);
            book.plan.scheduled.at_mut(ix).category = category;
            let found = charges(&book.plan, true, day(TODAY)).charges;
            let covered: Vec<&str> =
                found.iter().filter(|one| one.scheduled).filter_map(|one| one.category.as_deref()).collect();
            assert_eq!((found.len(), covered), (2, vec![chosen]));
        }
    }

    #[test]
    fn a_transfer_is_matched_by_its_other_account() {
        let mut book = book(&[], &[]);
        let account = book.plan.accounts.enumerate().next().expect("an account").0;
        let [loan, other] = ["Loan", "Boat"].map(|name| book.account(name, AccountKind::Mortgage, false));
        for date in monthly(10, TODAY) {
            book.transfer(&date, account, loan, None, 100_000);
        }
        let ix = book.schedule(account, "Anything", "monthly", "2026-06-20", -100_000);
        for (to, next, covers) in [
            (Some(loan), "2026-06-20", true),
            (Some(other), "2026-06-20", false),
            (Some(other), "2026-06-10", false),
            (None, "2026-06-10", false),
        ] {
            let schedule = book.plan.scheduled.at_mut(ix);
            (schedule.transfer_account, schedule.date_next) = (to, day(next));
            let found = charges(&book.plan, true, day(TODAY)).charges;
            assert_eq!(found.iter().map(|charge| charge.scheduled).collect::<Vec<_>>(), [covers], "{to:?} {next}");
        }
    }

    /// Outflows of the two months after this one.
    fn ahead(bills: &[Bill], schedules: &[Written]) -> [i64; 2] {
        let until = Month::of(day(TODAY)).add(2);
        let ask = Ask { until, account_ids: None, monthly_income: None, variable_monthly: None, one_offs: &[] };
        let months = project(&book(bills, schedules).plan, &ask, day(TODAY)).expect("a forecast").months;
        [1, 2].map(|n| months[n].outflows.0.get())
    }

    #[test]
    fn what_a_schedule_splits_or_joins_is_counted_once() {
        let half = ("CLUB", "twiceAMonth", "2026-06-20", -56_000);
        assert_eq!(ahead(&[("CLUB", -112_000, 20)], &[half]), [-112_000; 2]);
        assert_eq!(ahead(&[("CLUB", -56_000, 5), ("CLUB", -56_000, 20)], &[half]), [-112_000; 2]);
        // One schedule stands for a bill, however many would.
        let monthly = ("CLUB", "monthly", "2026-06-20", -112_000);
        assert_eq!(ahead(&[("CLUB", -112_000, 20)], &[half, monthly]), [-224_000; 2]);
    }
}
