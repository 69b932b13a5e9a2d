//! Owns the arithmetic of a plan: running totals of what transactions move, and from them every month's figures.
//! Never reads a row: what moves arrives as a [`Posting`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::age;
use super::book::{AccountIx, CategoryIx};
use super::rows::Clearing;
use crate::dates::{Date, Month};
use crate::money::Milliunits;

/// What one transaction moves.
pub(super) struct Posting {
    pub account: AccountIx,
    pub date: Date,
    pub amount: Milliunits,
    pub cleared: Clearing,
    /// How it counts in the budget; nothing on a tracking account.
    pub budget: Option<BudgetPosting>,
}

/// What a transaction of a budget account moves in the budget.
pub(super) struct BudgetPosting {
    /// The payment category, when it is on a card.
    pub card: Option<CategoryIx>,
    /// Whether it brings cash from, or takes it to, the world outside the budget.
    pub flows: bool,
    pub lines: Vec<PostedLine>,
}

/// A line of it, or the whole of one that is not split.
pub(super) struct PostedLine {
    pub amount: Milliunits,
    pub goes: Goes,
}

/// Where a line's money goes.
pub(super) enum Goes {
    /// To another account of the budget.
    Within,
    /// To Ready to Assign.
    Ready,
    /// To a category.
    To(CategoryIx),
    /// To none yet, which counts in Uncategorized.
    Nowhere(Option<CategoryIx>),
}

/// Whether a posting is entered or taken back.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    Entered,
    TakenBack,
}

impl Direction {
    /// The amount, or its opposite when it is taken back.
    pub(super) fn of(self, amount: Milliunits) -> Milliunits {
        if self == Self::Entered { amount } else { -amount }
    }
}

/// Running totals of all postings, by month.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    activity: HashMap<(Month, CategoryIx), Milliunits>,
    /// Spent on cards (positive), by category and payment category.
    on_cards: HashMap<(Month, CategoryIx), BTreeMap<CategoryIx, Milliunits>>,
    /// Paid to cards (negative), by payment category.
    paid: HashMap<(Month, CategoryIx), Milliunits>,
    income: HashMap<Month, Milliunits>,
    total: HashMap<Month, Milliunits>,
    flows: age::Flows,
    ages: BTreeMap<Month, Option<i64>>,
    flowed: bool,
}

impl Tallies {
    /// Enters a posting, or takes it back.
    pub(super) fn post(&mut self, posting: &Posting, direction: Direction) {
        let Some(budget) = &posting.budget else { return };
        let month = Month::of(posting.date);
        if budget.flows {
            self.flowed = true;
            let count = self.flows.entry((posting.date, Reverse(posting.amount))).or_default();
            *count = if direction == Direction::Entered { *count + 1 } else { count.saturating_sub(1) };
        }
        for line in &budget.lines {
            let amount = direction.of(line.amount);
            let spent_in = match line.goes {
                Goes::Within => {
                    if let Some(card) = budget.card {
                        *self.paid.entry((month, card)).or_default() -= amount;
                    }
                    continue;
                }
                Goes::Ready => {
                    *self.income.entry(month).or_default() += amount;
                    continue;
                }
                Goes::To(category) => {
                    if let Some(card) = budget.card {
                        *self.on_cards.entry((month, category)).or_default().entry(card).or_default() -= amount;
                    }
                    Some(category)
                }
                Goes::Nowhere(uncategorized) => uncategorized,
            };
            *self.total.entry(month).or_default() += amount;
            if let Some(category) = spent_in {
                *self.activity.entry((month, category)).or_default() += amount;
            }
        }
    }

    /// Every month's figures.
    pub(super) fn figures(&mut self, budget: &Budget<'_>) -> BTreeMap<Month, Figures> {
        if self.flowed || self.ages.len() != budget.months.len() {
            self.ages = age::of_money(&self.flows, budget.months, budget.today);
            self.flowed = false;
        }
        let mut carried = vec![Milliunits::ZERO; budget.kinds.len()];
        let (mut ready, mut overspent_before) = (Milliunits::ZERO, Milliunits::ZERO);
        let mut found = BTreeMap::new();
        for month in budget.months {
            let (cells, overspent) = self.cells(*month, budget, &mut carried);
            let income = self.income.get(month).copied().unwrap_or_default();
            let budgeted = budget.of_month(*month).map(|(_, amount)| amount).sum();
            ready = ready + income - budgeted - overspent_before;
            overspent_before = overspent;
            found.insert(
                *month,
                Figures {
                    income,
                    budgeted,
                    activity: self.total.get(month).copied().unwrap_or_default(),
                    ready,
                    age: self.ages.get(month).copied().flatten(),
                    stamp: 0,
                    cells,
                },
            );
        }
        hold_back_what_later_months_need(&mut found);
        found
    }

    /// A month's cells, and what was overspent in cash.
    fn cells(&self, month: Month, budget: &Budget<'_>, carried: &mut [Milliunits]) -> (Vec<Cell>, Milliunits) {
        let mut cells = vec![Cell::default(); budget.kinds.len()];
        for (category, amount) in budget.of_month(month) {
            cells[category.get()].budgeted = amount;
        }
        for (place, (cell, carried)) in cells.iter_mut().zip(carried.iter()).enumerate() {
            cell.carried = *carried;
            let category = budget.categories[place];
            cell.activity = self.activity.get(&(month, category)).copied().unwrap_or_default();
        }
        let mut overspent = Milliunits::ZERO;
        let mut set_aside: HashMap<usize, Milliunits> = HashMap::new();
        for (place, kind) in budget.kinds.iter().enumerate() {
            let cell = &mut cells[place];
            match kind {
                Kind::Internal => {
                    *cell = Cell { activity: cell.activity, ..Cell::default() };
                    continue;
                }
                Kind::Payment => continue,
                Kind::Plain => {}
            }
            cell.balance = cell.carried + cell.budgeted + cell.activity;
            carried[place] = cell.balance.max(Milliunits::ZERO);
            let short = (-cell.balance).max(Milliunits::ZERO);
            let cards = self.on_cards.get(&(month, budget.categories[place]));
            let spent: Milliunits = cards.into_iter().flatten().map(|(_, amount)| *amount).sum();
            // What a card paid beyond the category's money stays a debt of the card.
            let mut owed = short.min(spent.max(Milliunits::ZERO));
            overspent += short - owed;
            for (card, spent) in cards.into_iter().flatten() {
                let uncovered = owed.min((*spent).max(Milliunits::ZERO));
                owed -= uncovered;
                *set_aside.entry(card.get()).or_default() += *spent - uncovered;
            }
        }
        for (place, _) in budget.kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Payment) {
            let cell = &mut cells[place];
            let paid = self.paid.get(&(month, budget.categories[place])).copied().unwrap_or_default();
            cell.activity = set_aside.get(&place).copied().unwrap_or_default() + paid;
            cell.balance = cell.carried + cell.budgeted + cell.activity;
            carried[place] = cell.balance.max(Milliunits::ZERO);
            overspent += (-cell.balance).max(Milliunits::ZERO);
        }
        (cells, overspent)
    }
}

/// Ready to Assign shows no more than every later month can spare.
fn hold_back_what_later_months_need(months: &mut BTreeMap<Month, Figures>) {
    let mut least: Option<Milliunits> = None;
    for figures in months.values_mut().rev() {
        let spare = least.map_or(figures.ready, |least| least.min(figures.ready));
        least = Some(spare);
        if figures.ready.is_positive() {
            figures.ready = spare.max(Milliunits::ZERO);
        }
    }
}

/// What the figures are made from, beside the tallies.
pub(super) struct Budget<'a> {
    pub today: Date,
    pub months: &'a [Month],
    /// Every category, by its place.
    pub categories: &'a [CategoryIx],
    /// How each counts, by its place.
    pub kinds: &'a [Kind],
    pub assigned: &'a BTreeMap<(Month, CategoryIx), Milliunits>,
}

impl Budget<'_> {
    fn of_month(&self, month: Month) -> impl Iterator<Item = (CategoryIx, Milliunits)> {
        let first = self.categories.first().map(|first| (month, *first));
        let rows = first.into_iter().flat_map(|first| self.assigned.range(first..));
        rows.take_while(move |((of, _), _)| *of == month).map(|((_, category), amount)| (*category, *amount))
    }
}

/// How a category counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The user's own.
    Plain,
    /// YNAB's own: it holds nothing.
    Internal,
    /// It holds the money for a card's payment.
    Payment,
}

/// A category in a month.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub budgeted: Milliunits,
    pub activity: Milliunits,
    pub balance: Milliunits,
    /// What the month before left.
    pub carried: Milliunits,
    /// The knowledge when it last changed.
    pub stamp: i64,
}

/// A month.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    pub income: Milliunits,
    pub budgeted: Milliunits,
    pub activity: Milliunits,
    pub ready: Milliunits,
    pub age: Option<i64>,
    /// The knowledge when it last changed, its cells aside.
    pub stamp: i64,
    pub cells: Vec<Cell>,
}

impl Figures {
    /// Keeps the stamps of what is as it was; what is not gets this one.
    pub(super) fn stamp_changes(&mut self, before: Option<&Self>, knowledge: i64) {
        let own = |f: &Self| (f.income, f.budgeted, f.activity, f.ready, f.age);
        self.stamp = before.filter(|old| own(old) == own(self)).map_or(knowledge, |old| old.stamp);
        let same = |a: &Cell, b: &Cell| (a.budgeted, a.activity, a.balance) == (b.budgeted, b.activity, b.balance);
        for (place, cell) in self.cells.iter_mut().enumerate() {
            let old = before.and_then(|old| old.cells.get(place)).filter(|old| same(old, cell));
            cell.stamp = old.map_or(knowledge, |old| old.stamp);
        }
    }
}
