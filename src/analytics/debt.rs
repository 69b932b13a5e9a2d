//! Owns the plan to pay debts off: what is owed on which terms, with what budget, in which order, until when.
//! Never takes a card that is paid in full each month for a debt, nor what is paid on it for a payment of debts.

mod payoff;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analytics::flows::is_correction;
use crate::analytics::{YearMonth, counted, told_apart};
use crate::dates::{Date, Month, add_days};
use crate::error::Refusal;
use crate::ids::AccountId;
use crate::money::{Amount, Currency, Milliunits};
use crate::plan::{Account, AccountKind, DebtTerms, Ix, Plan, Transaction};
use crate::refuse;
use crate::text::{clean, safe};

/// Days of purchases that a card paid in full may owe: a month's statement and the wait until it is paid.
const STATEMENT_DAYS: i64 = 60;
/// Complete months whose payments make the budget when minimum payments are missing.
const PAST_MONTHS: i32 = 3;

/// Which debt is paid first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Strategy {
    /// The highest rate.
    Avalanche,
    /// The smallest debt.
    Snowball,
}

/// Which strategies to work out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Strategies {
    Avalanche,
    Snowball,
    #[default]
    Both,
}

/// Terms that the caller knows better than YNAB.
#[derive(Debug, Clone)]
pub struct Override {
    /// The account's id or name.
    pub account: String,
    /// Thousandths of a percent a year.
    pub interest_rate: Option<i64>,
    /// A month.
    pub minimum_payment: Option<Milliunits>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// Which strategies to work out.
    pub strategies: Strategies,
    /// What can be paid a month.
    pub monthly_budget: Option<Milliunits>,
    /// Terms that replace YNAB's.
    pub overrides: &'a [Override],
    /// How far to look.
    pub max_months: usize,
}

/// How the debts get paid.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PayoffPlan {
    pub message: String,
    pub monthly_budget: Amount,
    pub budget_from: BudgetFrom,
    pub first_month: YearMonth,
    pub debts: Vec<Debt>,
    pub plans: Vec<Payoff>,
    pub interest_saved_by_avalanche: Option<Amount>,
    pub months_saved_by_avalanche: Option<i64>,
    pub notes: Vec<String>,
}

/// Where the monthly budget comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BudgetFrom {
    Given,
    #[serde(rename = "minimum payments")]
    Minimums,
    #[serde(rename = "past payments")]
    Past,
}

/// Where a term comes from; missing counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TermFrom {
    #[serde(rename = "YNAB")]
    Ynab,
    #[serde(rename = "override")]
    Override,
    #[serde(rename = "missing")]
    Missing,
}

/// A debt and its terms.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Debt {
    pub account_id: AccountId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub owed: Amount,
    /// Percent a year.
    pub interest_rate: f64,
    pub rate_from: TermFrom,
    pub minimum_payment: Amount,
    pub minimum_from: TermFrom,
    /// Paid on top, not in the figures.
    pub escrow: Amount,
}

/// A strategy worked out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Payoff {
    pub strategy: Strategy,
    /// First paid off first.
    pub debts: Vec<PaidDebt>,
    /// Null: not within max_months.
    pub months_to_debt_free: Option<i64>,
    pub debt_free_month: Option<YearMonth>,
    pub total_interest: Amount,
    pub total_paid: Amount,
}

/// A debt's end.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PaidDebt {
    pub name: String,
    pub payoff_month: Option<YearMonth>,
    pub months: Option<i64>,
    pub interest: Amount,
    pub paid: Amount,
}

/// What is owed on an account, with the terms in force.
struct Owing<'a> {
    ix: Ix<Account>,
    account: &'a Account,
    owed: Milliunits,
    rate: (i64, TermFrom),
    minimum: (Milliunits, TermFrom),
    escrow: Milliunits,
}

/// The debts and how long they take; overrides of unknown debts and a budget that cannot work are refused.
pub fn plan_payoff(plan: &Plan, today: Date, ask: &Ask<'_>) -> Result<PayoffPlan, Refusal> {
    let mut owing: Vec<Owing<'_>> = owing(plan, today);
    let mut named = vec![false; owing.len()];
    for change in ask.overrides {
        let place = overridden(&owing, change)?;
        let (debt, named) = (&mut owing[place], &mut named[place]);
        *named = true;
        debt.rate = change.interest_rate.map_or(debt.rate, |rate| (rate, TermFrom::Override));
        debt.minimum = change.minimum_payment.map_or(debt.minimum, |payment| (payment, TermFrom::Override));
    }
    let recent = purchases(plan, add_days(today, -STATEMENT_DAYS), today);
    let paid_in_full = |debt: &Owing<'_>| {
        debt.account.kind == AccountKind::CreditCard
            && debt.owed <= recent.get(debt.ix.get()).copied().unwrap_or_default()
    };
    let mut named = named.into_iter();
    let (debts, cards): (Vec<_>, Vec<_>) =
        owing.into_iter().partition(|debt| named.next() == Some(true) || !paid_in_full(debt));

    let first_month = Month::of(today).add(1);
    let (budget, budget_from) = budget(plan, today, ask, &debts)?;
    let names = told_apart(debts.iter().map(|debt| (&*debt.account.name, debt.account.kind.as_str())));
    let strategies: &[Strategy] = match ask.strategies {
        Strategies::Avalanche => &[Strategy::Avalanche],
        Strategies::Snowball => &[Strategy::Snowball],
        Strategies::Both => &[Strategy::Avalanche, Strategy::Snowball],
    };
    let worked_out =
        |strategy: &Strategy| payoff(&debts, &names, *strategy, budget, ask.max_months, first_month, &plan.currency);
    let plans: Vec<Payoff> = if debts.is_empty() { Vec::new() } else { strategies.iter().map(worked_out).collect() };
    let both = match plans.as_slice() {
        [avalanche, snowball] => avalanche
            .months_to_debt_free
            .zip(snowball.months_to_debt_free)
            .map(|(a, s)| (Amount(snowball.total_interest.0 - avalanche.total_interest.0), s - a)),
        _ => None,
    };
    let owed = debts.iter().map(|debt| debt.owed).sum();
    Ok(PayoffPlan {
        message: message(&plan.currency, owed, &debts, budget, &plans, both.map(|(saved, _)| saved.0)),
        monthly_budget: budget.into(),
        budget_from,
        first_month: YearMonth(first_month),
        notes: notes(&plan.currency, &debts, &cards, &names, (!plans.is_empty()).then_some(budget_from)),
        debts: debts.iter().zip(names).map(|(debt, name)| shown(debt, name)).collect(),
        plans,
        interest_saved_by_avalanche: both.map(|(saved, _)| saved),
        months_saved_by_avalanche: both.map(|(_, months)| months),
    })
}

/// The open debt accounts that owe, with YNAB's terms in force today.
fn owing(plan: &Plan, today: Date) -> Vec<Owing<'_>> {
    let none = DebtTerms::default();
    let debts = plan.accounts.enumerate().filter(|(_, account)| {
        account.kind.is_debt() && !account.closed && !account.deleted && account.balance.is_negative()
    });
    debts
        .map(|(ix, account)| {
            let terms = account.debt.as_deref().unwrap_or(&none);
            let rate = terms.interest_rates.range(..=today).next_back().map(|(_, rate)| (*rate, TermFrom::Ynab));
            let minimum = terms
                .minimum_payments
                .range(..=today)
                .next_back()
                .map(|(_, pay)| ((*pay).max(Milliunits::ZERO), TermFrom::Ynab));
            Owing {
                ix,
                account,
                owed: -account.balance,
                rate: rate.unwrap_or((0, TermFrom::Missing)),
                minimum: minimum.unwrap_or((Milliunits::ZERO, TermFrom::Missing)),
                escrow: terms.escrow_amounts.range(..=today).next_back().map(|(_, sum)| *sum).unwrap_or_default(),
            }
        })
        .collect()
}

/// The place of the debt that an override names; an unknown or ambiguous name is refused.
fn overridden(owing: &[Owing<'_>], change: &Override) -> Result<usize, Refusal> {
    if let Some(place) = owing.iter().position(|debt| debt.account.id.as_str() == change.account) {
        return Ok(place);
    }
    let key = |name: &str| clean(name).to_lowercase();
    let name = key(&change.account);
    let mut found =
        owing.iter().enumerate().filter(|(_, debt)| key(&debt.account.name) == name).map(|(place, _)| place);
    match (found.next(), found.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => {
            let ids: Vec<_> =
                owing.iter().filter(|d| key(&d.account.name) == name).map(|d| d.account.id.as_str()).collect();
            Err(refuse!("Several debts are called '{}'. Name it by its id: {}.", safe(&change.account), ids.join(", ")))
        }
        _ => {
            let names: Vec<_> = owing.iter().map(|debt| safe(&debt.account.name)).collect();
            let held = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Err(refuse!("No open debt that owes money is called '{}'. Debts: {held}.", safe(&change.account)))
        }
    }
}

/// What was bought on each account between the two days, along the table of accounts.
fn purchases(plan: &Plan, after: Date, until: Date) -> Vec<Milliunits> {
    let mut sums = vec![Milliunits::ZERO; plan.accounts.len()];
    let bought = |t: &&Transaction| {
        t.date > after && t.date <= until && !t.is_transfer() && !is_correction(plan.payee_name(t.payee))
    };
    for t in plan.live().filter(bought) {
        if let Some(sum) = sums.get_mut(t.account.get()) {
            *sum -= t.amount;
        }
    }
    sums
}

/// What can be paid a month, and how that is known.
fn budget(plan: &Plan, today: Date, ask: &Ask<'_>, debts: &[Owing<'_>]) -> Result<(Milliunits, BudgetFrom), Refusal> {
    let show = |amount: Milliunits| plan.currency.show(amount);
    let minimums: Milliunits = debts.iter().map(|debt| debt.minimum.0).sum();
    if let Some(given) = ask.monthly_budget {
        if !given.is_positive() {
            return Err(refuse!("monthly_budget rounds to nothing. Give what can be paid each month."));
        }
        if given < minimums {
            let (given, minimums) = (show(given), show(minimums));
            return Err(refuse!(
                "The minimum payments take {minimums} a month, more than {given}. Give at least that."
            ));
        }
        return Ok((given, BudgetFrom::Given));
    }
    let missing = debts.iter().any(|debt| debt.minimum.1 == TermFrom::Missing);
    let past = if missing { past_payments(plan, today, debts) } else { Milliunits::ZERO };
    match () {
        () if past > minimums => Ok((past, BudgetFrom::Past)),
        () if minimums.is_positive() || debts.is_empty() => Ok((minimums, BudgetFrom::Minimums)),
        () => Err(refuse!(
            "YNAB holds no minimum payment for these debts and none was paid in the last {PAST_MONTHS} months. Give \
             monthly_budget, or minimum_payment in overrides."
        )),
    }
}

/// What was paid into the debts by transfer, a month, over the last complete months; what was bought on a card meanwhile
/// is taken off, since paying it back reduced no debt.
fn past_payments(plan: &Plan, today: Date, debts: &[Owing<'_>]) -> Milliunits {
    let this_month = Month::of(today);
    let months = this_month.add(-PAST_MONTHS)..this_month;
    let mut paid = vec![Milliunits::ZERO; plan.accounts.len()];
    for t in plan.live().filter(|t| months.contains(&Month::of(t.date)) && t.is_transfer() && t.amount.is_positive()) {
        if let Some(sum) = paid.get_mut(t.account.get()) {
            *sum += t.amount;
        }
    }
    let bought = purchases(plan, add_days(months.start.first(), -1), months.end.add(-1).last());
    let reduced = debts.iter().map(|debt| {
        let at = |sums: &[Milliunits]| sums.get(debt.ix.get()).copied().unwrap_or_default();
        let bought = if debt.account.kind.is_card() { at(&bought).max(Milliunits::ZERO) } else { Milliunits::ZERO };
        (at(&paid) - bought).max(Milliunits::ZERO)
    });
    plan.currency.round(reduced.sum::<Milliunits>().divided(PAST_MONTHS as usize))
}

/// One strategy worked out.
fn payoff(
    debts: &[Owing<'_>],
    names: &[String],
    strategy: Strategy,
    budget: Milliunits,
    max_months: usize,
    first_month: Month,
    currency: &Currency,
) -> Payoff {
    let mut order: Vec<usize> = (0..debts.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&debts[*a], &debts[*b]);
        let (rate, owed) = (b.rate.0.cmp(&a.rate.0), a.owed.cmp(&b.owed));
        let first = if strategy == Strategy::Avalanche { rate.then(owed) } else { owed.then(rate) };
        first.then_with(|| a.account.name.cmp(&b.account.name))
    });
    let loan = |debt: &Owing<'_>| payoff::Loan { owed: debt.owed, rate: debt.rate.0, minimum: debt.minimum.0 };
    let ends = payoff::run(&debts.iter().map(loan).collect::<Vec<_>>(), &order, budget, max_months, currency);

    let month = |months: Option<usize>| months.map(|count| YearMonth(first_month.add(count as i32 - 1)));
    let all = ends.iter().map(|end| end.months).collect::<Option<Vec<_>>>().and_then(|months| months.into_iter().max());
    // An unpaid debt comes last.
    order.sort_by_key(|place| ends[*place].months.unwrap_or(usize::MAX));
    Payoff {
        strategy,
        debts: order
            .iter()
            .map(|place| (&ends[*place], &names[*place]))
            .map(|(end, name)| PaidDebt {
                name: name.clone(),
                payoff_month: month(end.months),
                months: end.months.map(|count| count as i64),
                interest: end.interest.into(),
                paid: end.paid.into(),
            })
            .collect(),
        months_to_debt_free: all.map(|count| count as i64),
        debt_free_month: month(all),
        total_interest: ends.iter().map(|end| end.interest).sum::<Milliunits>().into(),
        total_paid: ends.iter().map(|end| end.paid).sum::<Milliunits>().into(),
    }
}

fn shown(debt: &Owing<'_>, name: String) -> Debt {
    Debt {
        account_id: debt.account.id.clone(),
        name,
        kind: safe(debt.account.kind.as_str()).into_owned(),
        owed: debt.owed.into(),
        interest_rate: debt.rate.0 as f64 / 1000.0,
        rate_from: debt.rate.1,
        minimum_payment: debt.minimum.0.into(),
        minimum_from: debt.minimum.1,
        escrow: debt.escrow.into(),
    }
}

fn message(
    currency: &Currency,
    owed: Milliunits,
    debts: &[Owing<'_>],
    budget: Milliunits,
    plans: &[Payoff],
    saved: Option<Milliunits>,
) -> String {
    let show = |amount: Milliunits| currency.show(amount);
    let Some(first) = plans.first() else { return "No open debt to pay off.".to_owned() };
    let owing = format!("{} owed on {}", show(owed), counted(debts.len(), "debt"));
    let strategy = if first.strategy == Strategy::Avalanche { "avalanche" } else { "snowball" };
    let mut words = match (first.months_to_debt_free, first.debt_free_month) {
        (Some(months), Some(month)) => format!(
            "{owing}: paid off by {month}, in {}, at {} a month with {} of interest ({strategy}).",
            counted(months as usize, "month"),
            show(budget),
            show(first.total_interest.0),
        ),
        _ if first.total_paid.0 <= first.total_interest.0 => {
            format!("{owing}: {} a month does not cover the interest, so they are never paid off.", show(budget))
        }
        _ => format!("{owing}: not paid off within max_months at {} a month ({strategy}).", show(budget)),
    };
    if let Some(saved) = saved.filter(|saved| !saved.is_zero()) {
        let (better, saved) = if saved.is_positive() { ("Avalanche", saved) } else { ("Snowball", -saved) };
        words += &format!(" {better} saves {} of interest.", show(saved));
    }
    let unknown = debts.iter().filter(|debt| debt.rate.1 == TermFrom::Missing).count();
    if unknown > 0 {
        words += &format!(" {} counted without interest: no rate is known.", counted(unknown, "debt"));
    }
    words
}

fn notes(
    currency: &Currency,
    debts: &[Owing<'_>],
    cards: &[Owing<'_>],
    names: &[String],
    planned_from: Option<BudgetFrom>,
) -> Vec<String> {
    let list = |wanted: &dyn Fn(&Owing<'_>) -> bool| {
        let named = debts.iter().zip(names).filter(|(debt, _)| wanted(debt)).map(|(_, name)| name.as_str());
        named.collect::<Vec<_>>().join(", ")
    };
    let mut notes = Vec::new();
    if planned_from.is_some() {
        notes.push("Today's rates and minimums are kept, and nothing new is borrowed.".to_owned());
    }
    let no_rate = list(&|debt| debt.rate.1 == TermFrom::Missing);
    if !no_rate.is_empty() {
        notes.push(format!("No rate known, so 0 % counted: {no_rate}. Ask the user; give interest_rate in overrides."));
    }
    let no_minimum = list(&|debt| debt.minimum.1 == TermFrom::Missing);
    if !no_minimum.is_empty() {
        notes.push(format!("No minimum payment known, so 0 counted: {no_minimum}."));
    }
    let escrow: Milliunits = debts.iter().map(|debt| debt.escrow).sum();
    if !escrow.is_zero() {
        let held = match planned_from {
            Some(BudgetFrom::Past) => " The past ones may hold it: then give monthly_budget without.",
            _ => "",
        };
        notes.push(format!("Escrow ({} a month) comes on top of the payments.{held}", currency.show(escrow)));
    }
    if !cards.is_empty() {
        let named: Vec<_> = cards.iter().map(|card| safe(&card.account.name)).collect();
        let named = named.join(", ");
        notes.push(format!(
            "Left out as paid in full (it owes no more than the last {STATEMENT_DAYS} days' purchases): {named}. To \
             count one, name it in overrides."
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
