//! Owns the one notion of money coming into and going out of the budget accounts, line by line.
//! Never counts a move between budget accounts, an opening balance or a correction of one.

use crate::dates::{Date, Month};
use crate::money::Milliunits;
use crate::plan::{Category, Ix, Payee, Plan, STARTING_BALANCE};
use crate::text::clean;

/// What a line of money is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To or from Ready to Assign; a correction of a salary is negative.
    Income,
    /// Out of the budget accounts, to a loan outside them too; a refund is positive.
    Spending,
    /// Moved to a tracking account that holds an asset: still the user's.
    ToTracking,
    /// In, without a category yet.
    Unsorted,
    /// An opening balance or an adjustment of one: neither income nor spending.
    Correction,
}

/// A line of money of a budget account.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Its month.
    pub month: Month,
    /// What it is.
    pub kind: Kind,
    /// Out is negative.
    pub amount: Milliunits,
    /// Its category.
    pub category: Option<Ix<Category>>,
}

/// Every live line of the budget accounts but those that are moves between them or money back from outside.
pub fn flows(plan: &Plan) -> impl Iterator<Item = Flow> {
    let corrections: Vec<bool> = plan.payees.iter().map(|payee| is_correction(&payee.name)).collect();
    let corrects = move |payee: Option<Ix<Payee>>| payee.is_some_and(|ix| corrections.get(ix.get()) == Some(&true));
    plan.live().filter(|t| plan.accounts[t.account].on_budget).flat_map(move |t| {
        let mut lines = Vec::with_capacity(t.lines.len().max(1));
        if t.is_split() {
            lines.extend(t.live_lines().map(|l| (l.amount, l.category, l.transfer_account, l.payee.or(t.payee))));
        } else {
            lines.push((t.amount, t.category, t.transfer_account, t.payee));
        }
        let month = Month::of(t.date);
        let flows = lines.into_iter().filter_map(|(amount, category, transfer, payee)| {
            let kind = match transfer {
                _ if amount.is_zero() => None,
                Some(other) => {
                    let other = &plan.accounts[other];
                    let outside = if other.kind.is_debt() { Kind::Spending } else { Kind::ToTracking };
                    (!other.on_budget && amount.is_negative()).then_some(outside)
                }
                None => Some(kind(amount, category.map(|ix| &plan.categories[ix]), corrects(payee))),
            };
            kind.map(|kind| Flow { month, kind, amount, category })
        });
        flows.collect::<Vec<_>>()
    })
}

fn kind(amount: Milliunits, category: Option<&Category>, corrects: bool) -> Kind {
    let own = category.filter(|category| !category.is_uncategorized());
    match own {
        Some(category) if !category.in_internal_group() => Kind::Spending,
        _ if corrects => Kind::Correction,
        Some(_) => Kind::Income,
        None if amount.is_positive() => Kind::Unsorted,
        None => Kind::Spending,
    }
}

/// Whether the payee is the one of an opening balance or of a reconciliation's adjustment.
pub fn is_correction(name: &str) -> bool {
    let name = clean(name);
    let own = [
        STARTING_BALANCE,
        "Opening Balance",
        "Reconciliation Balance Adjustment",
        "Manual Balance Adjustment",
        "Balance adjustment",
    ];
    own.iter().any(|own| own.eq_ignore_ascii_case(&name))
}

/// The last `count` months before today's, none before the first transaction of a budget account; oldest first.
pub fn complete_months(plan: &Plan, today: Date, count: usize) -> Vec<Month> {
    let budget = plan.live().filter(|t| plan.accounts[t.account].on_budget);
    let current = Month::of(today);
    let Some(first) = budget.map(|t| t.date).min().map(Month::of) else { return Vec::new() };
    first.max(current.add(-(count as i32))).through(current.add(-1)).collect()
}
