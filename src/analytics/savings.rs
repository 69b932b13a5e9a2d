//! Owns the savings rate: how much of what came in stayed, month by month.
//! Never counts a month that is not over.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::flows::{Kind, complete_months, for_each_flow};
use crate::analytics::{YearMonth, counted};
use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits, percent};
use crate::plan::Plan;

/// What was saved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SavingsRate {
    pub message: String,
    /// Complete months, oldest first.
    pub months: Vec<Saved>,
    pub income: Amount,
    /// Negative.
    pub spending: Amount,
    pub saved: Amount,
    /// saved / income in percent.
    pub rate: Option<f64>,
    /// A month.
    pub average_saved: Amount,
    pub best_month: Option<YearMonth>,
    pub worst_month: Option<YearMonth>,
    /// Part of saved.
    pub moved_to_tracking: Amount,
    pub notes: Vec<String>,
}

/// A month's saving.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Saved {
    pub month: YearMonth,
    pub income: Amount,
    pub spending: Amount,
    pub saved: Amount,
    pub rate: Option<f64>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    income: Milliunits,
    spending: Milliunits,
}

impl Sums {
    fn saved(self) -> Milliunits {
        self.income + self.spending
    }

    /// In percent of the income; nothing can be said where none came in.
    fn rate(self) -> Option<f64> {
        self.income.is_positive().then(|| percent(self.saved(), self.income)).flatten()
    }
}

/// The last `months_count` complete months.
pub fn rate(plan: &Plan, today: Date, months_count: usize) -> SavingsRate {
    let months = complete_months(plan, today, months_count);
    let mut sums = vec![Sums::default(); months.len()];
    let [mut tracking, mut unsorted, mut corrections] = [Milliunits::ZERO; 3];
    for_each_flow(plan, &months, |flow| {
        let place = months.first().map(|first| first.until(flow.month)).and_then(|place| usize::try_from(place).ok());
        let Some(month) = place.and_then(|place| sums.get_mut(place)) else { return };
        match flow.kind {
            Kind::Income => month.income += flow.amount,
            Kind::Spending => month.spending += flow.amount,
            Kind::ToTracking => tracking -= flow.amount,
            Kind::Unsorted => unsorted += flow.amount,
            Kind::Correction => corrections += flow.amount.abs(),
        }
    });

    let total = sums
        .iter()
        .fold(Sums::default(), |a, b| Sums { income: a.income + b.income, spending: a.spending + b.spending });
    let rated = || months.iter().zip(&sums).filter_map(|(month, sums)| Some((*month, sums.rate()?)));
    // Of equal months, the earliest.
    let best = rated().reduce(|best, next| if next.1 > best.1 { next } else { best });
    let worst = rated().reduce(|worst, next| if next.1 < worst.1 { next } else { worst });

    let show = |amount: Milliunits| plan.currency.show(plan.currency.round(amount));
    let mut notes = vec![
        "Income is what was put in Ready to Assign. Spending is net of refunds and holds payments to loans outside the \
         budget. Moves between budget accounts are neither."
            .to_owned(),
    ];
    if !tracking.is_zero() {
        notes.push(format!("{} went to tracking assets: saved, not spent.", show(tracking)));
    }
    if !unsorted.is_zero() {
        notes.push(format!("{} came in without a category and is in no figure. Categorize it first.", show(unsorted)));
    }
    if !corrections.is_zero() {
        notes.push(format!("Opening balances and adjustments ({}) are left out.", show(corrections)));
    }
    SavingsRate {
        message: message(&months, total, best, worst, &show),
        months: months
            .iter()
            .zip(&sums)
            .map(|(month, sums)| Saved {
                month: YearMonth(*month),
                income: sums.income.into(),
                spending: sums.spending.into(),
                saved: sums.saved().into(),
                rate: sums.rate(),
            })
            .collect(),
        income: total.income.into(),
        spending: total.spending.into(),
        saved: total.saved().into(),
        rate: total.rate(),
        average_saved: total.saved().divided(months.len()).into(),
        best_month: best.map(|(month, _)| YearMonth(month)),
        worst_month: worst.map(|(month, _)| YearMonth(month)),
        moved_to_tracking: tracking.into(),
        notes,
    }
}

fn message(
    months: &[Month],
    total: Sums,
    best: Option<(Month, f64)>,
    worst: Option<(Month, f64)>,
    show: &dyn Fn(Milliunits) -> String,
) -> String {
    if months.is_empty() {
        return "No month of the budget accounts is complete yet, so there is no savings rate.".to_owned();
    }
    let over = counted(months.len(), "complete month");
    let saved = match (total.rate(), total.saved()) {
        (Some(rate), saved) if saved.is_negative() => {
            format!("{} more was spent than came in ({rate:.1} %)", show(-saved))
        }
        (Some(rate), saved) => format!("{} saved, {rate:.1} % of income", show(saved)),
        (None, _) => "no income, so no rate".to_owned(),
    };
    let mut words = format!("{over}: {saved}. In: {}, out: {}.", show(total.income), show(-total.spending));
    if let (Some((best, high)), Some((worst, low))) = (best, worst)
        && best != worst
    {
        words += &format!(" Best {} ({high:.1} %), worst {} ({low:.1} %).", YearMonth(best), YearMonth(worst));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, day};
    use crate::dates::add_days;
    use crate::fixtures::corpus;
    use crate::money::Currency;
    use crate::plan::AccountKind;
    use proptest::prelude::*;

    fn book() -> Book {
        let mut book = Book::new();
        let bank = book.account("Bank", AccountKind::Checking, true);
        let broker = book.account("Broker", AccountKind::OtherAsset, false);
        let (food, ready) = (book.category("Home", "Food"), book.ready);
        for (month, income, out) in [("2026-01", 2_000_000, 1_500_000), ("2026-02", 2_000_000, 1_000_000)] {
            book.pay(&format!("{month}-01"), bank, "Job", Some(ready), income);
            book.pay(&format!("{month}-02"), bank, "Shop", Some(food), -out);
        }
        book.transfer("2026-02-03", bank, broker, Some(food), 150_000);
        book
    }

    #[test]
    fn what_stayed_and_what_went_to_tracking_assets_is_saved() {
        let answer = rate(&book().plan, day("2026-03-10"), 6);
        assert_eq!(answer.months.iter().map(|month| month.rate).collect::<Vec<_>>(), [Some(25.0), Some(50.0)]);
        assert_eq!((answer.saved.0.get(), answer.moved_to_tracking.0.get()), (1_500_000, 150_000));
        assert_eq!(answer.average_saved.0.get(), 750_000);
        let message = "2 complete months: 1500.00 saved, 37.5 % of income. In: 4000.00, out: 2500.00. \
                       Best 2026-02 (50.0 %), worst 2026-01 (25.0 %).";
        assert_eq!(answer.message, message);
        assert!(answer.notes.iter().any(|note| note == "150.00 went to tracking assets: saved, not spent."));
    }

    #[test]
    fn point_26_a_correction_of_a_salary_is_less_income_and_adjustments_are_told() {
        let mut book = book();
        let bank = book.plan.accounts.find("Bank").unwrap();
        book.pay("2026-02-20", bank, "Job", Some(book.ready), -500_000);
        book.pay("2026-02-21", bank, "Reconciliation Balance Adjustment", Some(book.ready), 40_000);
        book.pay("2026-02-22", bank, "Friend", None, 70_000);
        let answer = rate(&book.plan, day("2026-03-10"), 1);
        assert_eq!((answer.income.0.get(), answer.spending.0.get()), (1_500_000, -1_000_000));
        assert_eq!(answer.rate, Some(33.3));
        assert!(answer.notes.iter().any(|note| note.starts_with("Opening balances and adjustments (40.00)")));
        assert!(answer.notes.iter().any(|note| note.starts_with("70.00 came in without a category")));
    }

    #[test]
    fn a_plan_in_its_first_month_and_one_without_income_have_no_rate() {
        let mut book = Book::new();
        assert_eq!(rate(&book.plan, day("2026-03-10"), 6).months.len(), 0);
        let (bank, food) = (book.account("Bank", AccountKind::Checking, true), book.category("Home", "Food"));
        book.pay("2026-03-01", bank, "Shop", Some(food), -1_000);
        let first = rate(&book.plan, day("2026-03-10"), 6);
        assert_eq!((first.months.len(), first.rate, first.best_month), (0, None, None));
        assert!(first.message.starts_with("No month"), "{}", first.message);
        let next = rate(&book.plan, day("2026-04-10"), 6);
        assert_eq!((next.months[0].rate, next.saved.0.get()), (None, -1_000));
        assert_eq!(next.message, "1 complete month: no income, so no rate. In: 0.00, out: 1.00.");
    }

    #[test]
    fn more_out_than_in_is_said_so_in_the_plans_decimals() {
        let mut book = book();
        let (bank, food) = (book.plan.accounts.find("Bank").unwrap(), book.plan.categories.find("Home/Food"));
        book.pay("2026-02-25", bank, "Car", food, -3_000_000);
        book.plan.currency = Currency::new("JPY", 0);
        let answer = rate(&book.plan, day("2026-03-10"), 1);
        assert_eq!(answer.rate, Some(-100.0));
        assert_eq!(
            answer.message,
            "1 complete month: 2000 more was spent than came in (-100.0 %). In: 2000, out: 4000."
        );
    }

    #[test]
    fn moving_money_between_budget_accounts_changes_nothing() {
        let mut corpus = corpus("household");
        let plan = corpus.plans.remove(0);
        let before = rate(&plan, corpus.today, 24);
        let ready = plan.categories.enumerate().map(|(ix, _)| ix).next().unwrap();
        let mut book = Book { ready, plan };
        let open = book.plan.accounts.enumerate().filter(|(_, account)| account.on_budget && !account.closed);
        let budget: Vec<_> = open.map(|(ix, _)| ix).collect();
        book.transfer("2026-01-15", budget[0], budget[1], None, 123_450);
        let after = rate(&book.plan, corpus.today, 24);
        assert_eq!(serde_json::to_value(before).unwrap(), serde_json::to_value(after).unwrap());
    }

    proptest! {
        /// The totals are the months', and each month is the whole history's: a longer window changes no month.
        #[test]
        fn months_add_up_and_do_not_depend_on_the_window(rows in prop::collection::vec((0_i64..900, 0_usize..3, -9_999_i64..9_999), 1..50), count in 1_usize..24) {
            let mut book = Book::new();
            let bank = book.account("Bank", AccountKind::Checking, true);
            let categories = [Some(book.category("Home", "Food")), Some(book.ready), None];
            for (days, category, amount) in rows {
                book.put(add_days(day("2023-10-01"), days), bank, None, categories[category], None, amount);
            }
            let today = day("2026-03-10");
            let (short, long) = (rate(&book.plan, today, count), rate(&book.plan, today, 24));
            let sum = |pick: fn(&Saved) -> Amount| short.months.iter().map(|month| pick(month).0).sum::<Milliunits>();
            prop_assert_eq!(sum(|month| month.income), short.income.0);
            prop_assert_eq!(sum(|month| month.spending), short.spending.0);
            prop_assert_eq!(short.saved.0, short.income.0 + short.spending.0);
            let tail = &long.months[long.months.len() - short.months.len()..];
            let figures = |months: &[Saved]| months.iter().map(|m| (m.month, m.income, m.spending)).collect::<Vec<_>>();
            prop_assert_eq!(figures(tail), figures(&short.months));
        }
    }
}
