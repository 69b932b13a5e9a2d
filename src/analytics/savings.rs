//! Owns the savings rate: how much of what came in stayed, month by month.
//! Never counts a month that is not over.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::flows::{Kind, complete_months, flows};
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
    for flow in flows(plan) {
        let place = months.first().map(|first| first.until(flow.month)).and_then(|place| usize::try_from(place).ok());
        let Some(month) = place.and_then(|place| sums.get_mut(place)) else { continue };
        match flow.kind {
            Kind::Income => month.income += flow.amount,
            Kind::Spending => month.spending += flow.amount,
            Kind::ToTracking => tracking -= flow.amount,
            Kind::Unsorted => unsorted += flow.amount,
            Kind::Correction => corrections += flow.amount.abs(),
        }
    }

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
