use proptest::prelude::*;

use super::*;
use crate::analytics::testing::{self, Book, chars, day};
use crate::dates::add_days;
use crate::fixtures;
use crate::forecast::recurring::charges;
use crate::plan::AccountKind;

const TODAY: &str = "2026-06-15";

fn book() -> (Book, Ix<Account>) {
    let mut book = Book::new();
    let account = book.account("Everyday", AccountKind::Checking, true);
    (book, account)
}

fn ask(until: &str) -> Ask<'static> {
    let until = Month::parse(&format!("{until}-01")).expect("a month");
    Ask { until, account_ids: None, monthly_income: None, variable_monthly: None, one_offs: &[] }
}

fn forecast(book: &Book, until: &str) -> Forecast {
    project(&book.plan, &ask(until), day(TODAY)).expect("a forecast")
}

fn units(amount: Amount) -> f64 {
    amount.0.get() as f64 / 1000.0
}

/// Inflows and outflows of each month.
fn flows(forecast: &Forecast) -> Vec<(f64, f64)> {
    forecast.months.iter().map(|month| (units(month.inflows), units(month.outflows))).collect()
}

fn monthly(day_of_month: i8) -> impl Iterator<Item = String> {
    testing::monthly(day_of_month, TODAY)
}

/// Point 17.
#[test]
fn money_to_a_tracking_account_is_money_out() {
    let (mut book, account) = book();
    let loan = book.account("Home loan", AccountKind::Mortgage, false);
    for date in monthly(5) {
        book.transfer(&date, account, loan, None, 1_000_000);
    }
    assert_eq!(flows(&forecast(&book, "2026-08")), [(0.0, 0.0), (0.0, -1000.0), (0.0, -1000.0)]);
}

/// Point 18.
#[test]
fn a_schedule_stands_for_one_bill_only() {
    let (mut book, account) = book();
    for date in monthly(3) {
        for week in 0..4 {
            let date = add_days(day(&date), week * 7).min(day(TODAY));
            book.put(date, account, None, None, None, 0);
            book.pay(&date.to_string(), account, "Super Nova", None, -52_500);
        }
    }
    let before = flows(&forecast(&book, "2026-09"));
    book.schedule(account, "Super", "never", "2026-07-02", -1_000);
    let after = flows(&forecast(&book, "2026-09"));
    let gap: Vec<f64> = before.iter().zip(&after).map(|(a, b)| ((a.1 - b.1) * 100.0).round() / 100.0).collect();
    assert_eq!(gap, [0.0, 1.0, 0.0, 0.0]);
}

/// Point 18.
#[test]
fn a_schedule_replaces_its_bill_by_name_amount_and_rhythm_in_any_script() {
    for (schedule, label) in [("Électricité", "PRLV ÉLECTRICITÉ DE L'EST 7781"), ("ТЕПЛО", "ОПЛАТА ТЕПЛО 55")]
    {
        let (mut book, account) = book();
        for date in monthly(20) {
            book.pay(&date, account, label, None, -80_000);
        }
        for date in monthly(7) {
            book.pay(&date, account, "PRLV AUTRE CHOSE", None, -31_000);
        }
        book.schedule(account, schedule, "monthly", "2026-06-20", -84_000);
        assert_eq!(flows(&forecast(&book, "2026-07")), [(0.0, -84.0), (0.0, -115.0)], "{schedule}");
    }
}

/// Point 18.
#[test]
fn before_a_schedules_first_date_the_bill_still_comes() {
    let (mut book, account) = book();
    for date in monthly(20) {
        book.pay(&date, account, "INTERNET", None, -30_000);
    }
    book.schedule(account, "INTERNET", "monthly", "2026-08-20", -35_000);
    assert_eq!(flows(&forecast(&book, "2026-08")), [(0.0, -30.0), (0.0, -30.0), (0.0, -35.0)]);
}

/// Point 19.
#[test]
fn opening_balances_refunds_and_moves_are_no_income() {
    let (mut book, account) = book();
    let (savings, food) = (book.account("Savings", AccountKind::Savings, true), book.category("Everyday", "Food"));
    let ready = book.ready;
    book.pay("2026-05-02", account, "Starting Balance", Some(ready), 9_000_000);
    book.pay("2026-05-03", account, "Reconciliation Balance Adjustment", Some(ready), 700_000);
    book.pay("2026-05-04", account, "Market", Some(food), -300_000);
    book.pay("2026-05-20", account, "Market", Some(food), 120_000);
    book.pay("2026-05-22", account, "TO SAVINGS", None, -500_000);
    book.pay("2026-05-23", savings, "FROM EVERYDAY", None, 500_000);
    let forecast = forecast(&book, "2026-07");
    assert_eq!(forecast.assumptions.monthly_income, Amount(Milliunits::ZERO));
    assert!(forecast.months.iter().all(|month| month.inflows.0.is_zero()), "{:?}", forecast.months);
    assert!(units(forecast.assumptions.variable_monthly) >= -300.0);
}

/// Point 20.
#[test]
fn a_bill_paid_early_is_not_expected_again_and_a_late_one_still_comes() {
    let outflows = |last: &str, today: &str| {
        let (mut book, account) = book();
        for date in monthly(12).filter(|date| date.as_str() < "2026-06-01") {
            book.pay(&date, account, "CLUB", None, -30_000);
        }
        if !last.is_empty() {
            book.pay(last, account, "CLUB", None, -30_000);
        }
        let forecast = project(&book.plan, &ask("2026-07"), day(today)).expect("a forecast");
        flows(&forecast).iter().map(|(_, out)| *out).collect::<Vec<_>>()
    };
    assert_eq!(outflows("2026-06-09", "2026-06-10"), [0.0, -30.0]);
    assert_eq!(outflows("", "2026-06-15"), [-30.0, -30.0]);
    assert_eq!(outflows("", "2026-06-10"), [-30.0, -30.0]);
}

/// Point 20.
#[test]
fn a_scheduled_bill_paid_early_is_not_expected_again() {
    let (mut book, account) = book();
    for date in monthly(18).filter(|date| date.as_str() < "2026-06-01") {
        book.pay(&date, account, "CLUB", None, -30_000);
    }
    book.pay("2026-06-14", account, "CLUB", None, -30_000);
    book.schedule(account, "CLUB", "monthly", "2026-06-18", -30_000);
    assert_eq!(flows(&forecast(&book, "2026-07")), [(0.0, 0.0), (0.0, -30.0)]);
}

/// Point 22.
#[test]
fn an_invisible_letter_counts_nothing_twice() {
    let (mut book, account) = book();
    for date in monthly(20) {
        book.pay(&date, account, "Gym\u{200B}Club", None, -30_000);
    }
    assert_eq!(flows(&forecast(&book, "2026-07")), [(0.0, -30.0), (0.0, -30.0)]);
}

/// Point 24.
#[test]
fn what_cannot_be_projected_is_refused() {
    let (book, _) = book();
    let once = |date: &str| [OneOff { date: day(date), amount: Amount(Milliunits::new(-5)), label: "Tax".into() }];
    let refused = |ask: Ask<'_>| project(&book.plan, &ask, day(TODAY)).is_err();
    assert!(refused(Ask { one_offs: &once("2026-06-14"), ..ask("2026-08") }));
    assert!(refused(Ask { one_offs: &once("2026-09-01"), ..ask("2026-08") }));
    assert!(!refused(Ask { one_offs: &once(TODAY), ..ask("2026-08") }));
    assert!(refused(Ask { account_ids: Some(&[]), ..ask("2026-08") }));
    assert!(refused(Ask { account_ids: Some(&["nobody".into()]), ..ask("2026-08") }));
    assert!(refused(Ask { variable_monthly: Some(Milliunits::new(1)), ..ask("2026-08") }));
    assert!(refused(Ask { monthly_income: Some(Milliunits::new(-1)), ..ask("2026-08") }));
    assert!(refused(ask("2026-05")) && refused(ask("2028-07")) && !refused(ask("2028-06")));
}

/// Point 24.
#[test]
fn a_one_off_of_today_counts() {
    let (book, _) = book();
    let once = [OneOff { date: day(TODAY), amount: Amount(Milliunits::new(-5_000)), label: "Tax".into() }];
    let forecast = project(&book.plan, &Ask { one_offs: &once, ..ask("2026-06") }, day(TODAY)).expect("a forecast");
    assert_eq!(flows(&forecast), [(0.0, -5.0)]);
    assert_eq!(forecast.first_shortfall.as_deref(), Some("2026-06"));
}

/// Point 37.
#[test]
fn spreading_loses_nothing_and_uses_the_currencys_coins() {
    for (code, decimals, amount) in [("JOD", 3, -100_001), ("JPY", 0, -100_000), ("EUR", 2, -100_010)] {
        let (mut book, _) = book();
        book.plan.currency = Currency::new(code, decimals);
        let ask = Ask { variable_monthly: Some(Milliunits::new(amount)), ..ask("2026-07") };
        let forecast = project(&book.plan, &ask, day(TODAY)).expect("a forecast");
        assert_eq!(forecast.months[1].outflows, Amount(Milliunits::new(amount)), "{code}");
        let july: Vec<i64> =
            (0..31).map(|n| part(Milliunits::new(amount), (n, 31), &book.plan.currency).get()).collect();
        assert_eq!(july.iter().sum::<i64>(), amount);
        assert!(july.iter().all(|part| book.plan.currency.holds(Milliunits::new(*part))), "{code}");
    }
}

/// Point 55.
#[test]
fn what_is_due_today_or_overdue_is_expected_today() {
    let (mut book, account) = book();
    book.schedule(account, "Due today", "never", TODAY, -20_000);
    book.schedule(account, "Overdue thing", "monthly", "2026-06-13", -7_000);
    book.schedule(account, "Long gone", "never", "2026-01-13", -9_000);
    let forecast = forecast(&book, "2026-07");
    assert_eq!(flows(&forecast), [(0.0, -27.0), (0.0, -7.0)]);
    let lines: Vec<_> =
        forecast.assumptions.scheduled.iter().map(|l| (l.next.payee.as_str(), l.next.date, l.times)).collect();
    assert_eq!(lines, [("Due today", day(TODAY), 1), ("Overdue thing", day(TODAY), 2)]);
}

#[test]
fn given_income_replaces_all_other_and_what_came_already_counts() {
    let (mut book, account) = book();
    let ready = book.ready;
    for date in monthly(25) {
        book.pay(&date, account, "EMPLOYER", Some(ready), 2_000_000);
    }
    book.schedule(account, "EMPLOYER", "monthly", "2026-06-25", 2_000_000);
    let given = Ask { monthly_income: Some(Milliunits::new(1_500_000)), ..ask("2026-07") };
    let forecast = project(&book.plan, &given, day(TODAY)).expect("a forecast");
    assert_eq!(flows(&forecast), [(1500.0, 0.0), (1500.0, 0.0)]);
}

#[test]
fn recorded_plans_are_answered_in_short() {
    for name in ["household", "yen", "two-plans"] {
        let corpus = fixtures::corpus(name);
        for plan in &corpus.plans {
            let until = Month::of(corpus.today).add(12);
            let answer = project(plan, &Ask { until, ..ask("2026-06") }, corpus.today).expect("a forecast");
            assert!(chars(&answer) < 12_000, "{name}: {}", chars(&answer));
            assert_eq!(answer.months.len(), 13);
            assert_eq!(answer.assumptions.matter_most.len().min(3), answer.assumptions.matter_most.len());
            for month in &answer.months {
                let sum = month.start.0 + month.inflows.0 + month.outflows.0;
                assert_eq!(sum, month.end.0);
                assert!(month.lowest <= month.end && month.lowest <= month.start);
                assert!(month.range.low <= month.end && month.end <= month.range.high);
            }
            assert_eq!(answer.start_balance, answer.months[0].start);
        }
    }
}

/// One line a schedule, and no list cut silently.
#[test]
fn lists_stay_short_and_say_so() {
    let (mut book, account) = book();
    for n in 0..40 {
        book.schedule(account, &format!("SCHEDULE {n}"), "weekly", "2026-06-20", -1_000 - n);
    }
    let answer = forecast(&book, "2027-06");
    assert_eq!((answer.assumptions.scheduled.len(), answer.assumptions.scheduled[0].times), (25, 54));
    assert!(answer.message.contains(" Listed are 25 of 40 schedules, soonest first; all count."), "{}", answer.message);
    assert!(chars(&answer) < 12_000, "{}", chars(&answer));
    let (mut book, account) = self::book();
    book.schedule(account, "RENT", "monthly", "2026-06-20", -1_000);
    assert!(!forecast(&book, "2027-06").message.contains("Listed"));
}

/// What an amount each month comes to a year ahead, in a month, and the range there.
fn year_ahead(amounts: impl Fn(i32) -> i64) -> (f64, f64) {
    let (mut book, account) = book();
    let food = book.category("Everyday", "Food");
    let first = Month::parse("2024-01-01").expect("a month");
    for n in 0..29 {
        // Five shops a month that are never seen again, so that nothing comes back.
        for (on, percent) in [(3, 17), (9, 19), (14, 20), (20, 21), (26, 23)] {
            let letter = |n: i32| char::from(b'A' + (n % 26) as u8);
            let shop = format!("{}{}{}", letter(n), letter(n / 26), letter(percent)).repeat(2);
            book.pay(
                &first.add(n).day(on).to_string(),
                account,
                &shop,
                Some(food),
                -amounts(n) * 10 * i64::from(percent),
            );
        }
    }
    let month = forecast(&book, "2027-06").months.pop().expect("a month");
    (units(month.outflows), units(month.range.high) - units(month.range.low))
}

#[test]
fn what_grows_every_month_is_expected_to_go_on_and_chance_is_not() {
    let level = year_ahead(|_| 1_000);
    assert_eq!(level.0, -1000.0);
    // 6 % a year, seen without a doubt: in June 2027 41 months after the first.
    let (grown, _) = year_ahead(|n| 1_000 + 5 * i64::from(n));
    assert!((-1_210.0..-1_190.0).contains(&grown), "{grown}");
    let (fallen, _) = year_ahead(|n| 1_000 - 5 * i64::from(n));
    assert!((-810.0..-790.0).contains(&fallen), "{fallen}");
    // A collapse is not drawn on below nothing.
    let (gone, _) = year_ahead(|n| if n < 20 { 2_000 } else { 100 });
    assert!(gone < 0.0, "{gone}");
    // The same growth among months that differ by half is hardly one, and the range is wide.
    let noise = |n: i32| [0, 500, -500, 0, -400, 0, 0][(n * n % 7) as usize];
    let (doubted, range) = year_ahead(|n| 1_000 + 5 * i64::from(n) + noise(n));
    let (without, _) = year_ahead(|n| 1_000 + noise(n));
    assert!((60.0..170.0).contains(&(without - doubted)), "{without} {doubted}");
    assert!(range > 4.0 * level.1, "{range} {level:?}");
}

/// An income that comes back and varies is as uncertain as what varies without coming back.
#[test]
fn the_range_is_wide_where_an_income_varies() {
    let range = |amounts: [i64; 4]| {
        let (mut book, account) = book();
        let ready = book.ready;
        for (n, date) in monthly(12).enumerate() {
            book.pay(&date, account, "STUDIO", Some(ready), amounts[n % 4] * 1_000);
        }
        let month = forecast(&book, "2026-12").months.pop().expect("a month");
        units(month.range.high) - units(month.range.low)
    };
    assert!(range([2_000, 2_900, 1_300, 2_400]) > 10.0 * range([2_150; 4]));
}

/// A bonus is no salary, and the salary stays what it was.
#[test]
fn a_bonus_on_the_salarys_day_is_none() {
    let (mut book, account) = book();
    let ready = book.ready;
    for date in monthly(12) {
        book.pay(&date, account, "VIR EMPLOYER NOVA", Some(ready), 2_000_000);
        if date.ends_with("-06-12") {
            book.pay(&date, account, "VIR EMPLOYER NOVA", Some(ready), 1_400_000);
        }
    }
    let months = flows(&forecast(&book, "2027-05"));
    assert!(months[1..].iter().all(|month| *month == (2000.0, 0.0)), "{months:?}");
}

/// A small life: payments by shop, day and amount, a rent, and two schedules, one of them the rent's.
fn life(payments: &[(u8, i64, i64)]) -> (Book, Ix<Account>, Ix<Account>) {
    let (mut book, account) = book();
    let other = book.account("Joint", AccountKind::Checking, true);
    let food = book.category("Everyday", "Food");
    let ready = book.ready;
    for (shop, days_ago, cents) in payments {
        let date = add_days(day(TODAY), -days_ago).to_string();
        let (place, category) = if shop % 2 == 0 { (account, food) } else { (other, food) };
        if shop % 7 == 6 {
            book.pay(&date, place, "EMPLOYER", Some(ready), cents * 100);
        } else {
            book.pay(&date, place, &format!("SHOP {}", (b'A' + shop) as char), Some(category), -cents * 10);
        }
    }
    for date in monthly(11) {
        book.pay(&date, account, "RENT", None, -512_340);
    }
    book.schedule(account, "RENT", "monthly", "2026-07-11", -512_340);
    book.schedule(account, "SCHOOL", "every3Months", "2026-07-01", -90_120);
    (book, account, other)
}

fn payments() -> impl Strategy<Value = Vec<(u8, i64, i64)>> {
    prop::collection::vec((0_u8..20, 0_i64..700, 1_i64..20_000), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_same_plan_and_day_give_the_same_answers(payments in payments()) {
        let ((one, ..), (again, ..)) = (life(&payments), life(&payments));
        prop_assert_eq!(format!("{:?}", forecast(&one, "2026-12")), format!("{:?}", forecast(&again, "2026-12")));
        let recurring = |book: &Book| format!("{:?}", charges(&book.plan, true, day(TODAY)));
        prop_assert_eq!(recurring(&one), recurring(&again));
    }

    #[test]
    fn a_transfer_inside_changes_nothing(payments in payments(), days_ago in 0_i64..400, amount in 1_i64..900_000) {
        let (mut book, account, other) = life(&payments);
        let ids: Vec<AccountId> = ["Everyday", "Joint"].map(AccountId::from).into();
        for account_ids in [None, Some(&ids[..])] {
            let asked = Ask { account_ids, ..ask("2026-12") };
            let recurring = |book: &Book| format!("{:?}", charges(&book.plan, true, day(TODAY)));
            let (before, listed) = (project(&book.plan, &asked, day(TODAY)).expect("a forecast"), recurring(&book));
            let date = add_days(day(TODAY), -days_ago).to_string();
            book.transfer(&date, account, other, None, amount);
            let after = project(&book.plan, &asked, day(TODAY)).expect("a forecast");
            prop_assert_eq!(format!("{before:?}"), format!("{after:?}"));
            prop_assert_eq!(listed, recurring(&book));
        }
    }

    #[test]
    fn twice_every_amount_is_twice_the_forecast(payments in payments()) {
        let (once, ..) = life(&payments);
        let mut twice = once.plan.clone();
        let rows: Vec<_> = twice.transactions.enumerate().map(|(ix, _)| ix).collect();
        for ix in rows {
            let row = twice.transactions.at_mut(ix);
            row.amount = row.amount + row.amount;
        }
        let accounts: Vec<_> = twice.accounts.enumerate().map(|(ix, _)| ix).collect();
        for ix in accounts {
            let row = twice.accounts.at_mut(ix);
            row.balance = row.balance + row.balance;
        }
        let schedules: Vec<_> = twice.scheduled.enumerate().map(|(ix, _)| ix).collect();
        for ix in schedules {
            let row = twice.scheduled.at_mut(ix);
            row.amount = row.amount + row.amount;
        }
        let one = project(&once.plan, &ask("2026-12"), day(TODAY)).expect("a forecast");
        let two = project(&twice, &ask("2026-12"), day(TODAY)).expect("a forecast");
        let (mut days, coin) = (0, 10);
        for (one, two) in one.months.iter().zip(&two.months) {
            days += 31;
            let ends = [(one.end, two.end), (one.lowest, two.lowest)];
            let flows = [(one.inflows, two.inflows), (one.outflows, two.outflows)];
            let ranges = [(one.range.low, two.range.low), (one.range.high, two.range.high)];
            for (one, two) in [ends, flows, ranges].concat() {
                prop_assert!((one.0 + one.0 - two.0).abs().get() <= days * coin, "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn looking_further_changes_no_nearer_month(payments in payments()) {
        let (book, ..) = life(&payments);
        let (near, far) = (forecast(&book, "2026-09"), forecast(&book, "2027-06"));
        prop_assert_eq!(format!("{:?}", near.months), format!("{:?}", &far.months[..near.months.len()]));
    }
}
