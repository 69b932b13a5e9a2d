//! Owns how long the money at hand would last at the past pace of spending, if nothing came in.
//! Never counts tracking accounts as money at hand.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::accounts::is_users;
use crate::analytics::flows::{Kind, complete_months, for_each_flow};
use crate::analytics::{YearMonth, counted};
use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::money::{Amount, Currency, Milliunits, div_half_even};
use crate::plan::{Account, AccountKind, Group, Plan};
use crate::refuse;
use crate::text::{clean, safe};

/// How long the money lasts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Runway {
    pub message: String,
    /// Money at hand, less what cards owe.
    pub liquid: Amount,
    /// Part of liquid; negative.
    pub owed_on_cards: Amount,
    pub spending: Pace,
    /// Of the essential groups alone.
    pub essential: Option<Pace>,
    pub essential_groups: Vec<String>,
    /// Complete months averaged, oldest first.
    pub months: Vec<YearMonth>,
    pub accounts: Vec<Liquid>,
    /// Open accounts not counted.
    pub left_out: Vec<String>,
    pub notes: Vec<String>,
}

/// A pace of spending.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Pace {
    /// Negative, net of refunds.
    pub monthly_spending: Amount,
    /// Null when nothing was spent.
    pub runway_months: Option<f64>,
}

/// An account counted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Liquid {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub balance: Amount,
}

/// Whether savings accounts are money at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Savings {
    Include,
    LeaveOut,
}

/// The runway at the pace of the last `months_count` complete months, and at that of the groups named essential (by id
/// or name); a group the plan lacks is refused.
pub fn runway(
    plan: &Plan,
    today: Date,
    months_count: usize,
    essential_groups: Option<&[String]>,
    savings: Savings,
) -> Result<Runway, Refusal> {
    let chosen = essential_groups.map(|wanted| chosen_groups(plan, wanted)).transpose()?;
    let open = plan.accounts.iter().filter(|account| !account.closed && !account.deleted);
    let (counted_in, left_out): (Vec<&Account>, Vec<&Account>) = open.partition(|account| is_liquid(account, savings));
    let liquid: Milliunits = counted_in.iter().map(|account| account.balance).sum();
    let cards: Milliunits = counted_in.iter().filter(|a| a.kind.is_card()).map(|account| account.balance).sum();

    let months = complete_months(plan, today, months_count);
    let [mut all, mut essential] = [Milliunits::ZERO; 2];
    for_each_flow(plan, &months, |flow| {
        if flow.kind == Kind::Spending {
            all += flow.amount;
            let group = flow.category.map(|ix| &plan.categories[ix].group);
            if group.is_some_and(|id| chosen.iter().flatten().any(|chosen| chosen.id == *id)) {
                essential += flow.amount;
            }
        }
    });
    let pace = |total: Milliunits| pace(liquid, total, months.len());
    let spending = pace(all);
    let essential = chosen.as_ref().map(|_| pace(essential));

    let currency = &plan.currency;
    let mut notes = vec![
        "No income is assumed. Spending is net of refunds and holds payments to loans outside the budget, not moves to \
         budget accounts or tracking assets."
            .to_owned(),
    ];
    if cards.is_negative() {
        notes.push(format!("{} owed on cards is taken off.", currency.show(-cards)));
    }
    if !months.is_empty() && months.len() < months_count {
        notes.push(format!("Only {} of spending on record.", counted(months.len(), "complete month")));
    }
    Ok(Runway {
        message: message(currency, liquid, &months, &spending, essential.as_ref()),
        liquid: liquid.into(),
        owed_on_cards: cards.into(),
        spending,
        essential,
        essential_groups: chosen.iter().flatten().map(|group| safe(&group.name).into_owned()).collect(),
        months: months.into_iter().map(YearMonth).collect(),
        accounts: counted_in
            .into_iter()
            .map(|account| Liquid {
                name: safe(&account.name).into_owned(),
                kind: safe(account.kind.as_str()).into_owned(),
                balance: account.balance.into(),
            })
            .collect(),
        left_out: left_out.into_iter().map(|account| safe(&account.name).into_owned()).collect(),
        notes,
    })
}

fn is_liquid(account: &Account, savings: Savings) -> bool {
    let kind = match &account.kind {
        AccountKind::Checking | AccountKind::Cash => true,
        kind if kind.is_card() => true,
        AccountKind::Savings => savings == Savings::Include,
        _ => false,
    };
    account.on_budget && kind
}

fn pace(liquid: Milliunits, total: Milliunits, months: usize) -> Pace {
    let monthly = total.divided(months);
    let lasts = || div_half_even(liquid.wide() * 10, -monthly.wide()).max(0) as f64 / 10.0;
    Pace { monthly_spending: monthly.into(), runway_months: monthly.is_negative().then(lasts) }
}

/// The groups of those ids or names, in any case, each once.
fn chosen_groups<'a>(plan: &'a Plan, wanted: &[String]) -> Result<Vec<&'a Group>, Refusal> {
    let key = |name: &str| clean(name).to_lowercase();
    let mut chosen: Vec<&Group> = Vec::new();
    for text in wanted {
        let name = key(text);
        let found = plan.groups.iter().filter(|group| is_users(group));
        let found: Vec<_> =
            found.filter(|group| group.id.as_str() == text.trim() || key(&group.name) == name).collect();
        if found.is_empty() {
            let shown = plan.groups.iter().filter(|group| is_users(group) && !group.hidden);
            let names: Vec<_> = shown.map(|group| safe(&group.name).into_owned()).collect();
            let held = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(refuse!("The user has no group called '{}'. Groups: {held}.", safe(text)));
        }
        for group in found {
            if !chosen.iter().any(|known| known.id == group.id) {
                chosen.push(group);
            }
        }
    }
    Ok(chosen)
}

fn message(
    currency: &Currency,
    liquid: Milliunits,
    months: &[Month],
    spending: &Pace,
    essential: Option<&Pace>,
) -> String {
    let show = |amount: Milliunits| currency.show(currency.round(amount));
    let at_hand = currency.show(liquid);
    let lasts = |pace: &Pace| match pace.runway_months {
        Some(lasts) => format!("{lasts:.1} months at {} a month", show(-pace.monthly_spending.0)),
        None => "no limit, as nothing was spent".to_owned(),
    };
    if months.is_empty() {
        return format!("No month of spending is complete yet, so no runway can be given for the {at_hand} at hand.");
    }
    let over = counted(months.len(), "complete month");
    let mut words = format!("{at_hand} at hand lasts {} (average of {over}).", lasts(spending));
    if let Some(essential) = essential {
        words += &format!(" Essentials alone: {}.", lasts(essential));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::savings;
    use crate::analytics::testing::{Book, day};
    use crate::fixtures::corpus;

    fn book() -> Book {
        let mut book = Book::new();
        let bank = book.account("Bank", AccountKind::Checking, true);
        let food = book.category("Home", "Food");
        let (fun, ready) = (book.category("Leisure", "Fun"), book.ready);
        book.pay("2026-01-01", bank, "Starting Balance", Some(ready), 10_000_000);
        for month in ["2026-01", "2026-02"] {
            book.pay(&format!("{month}-02"), bank, "Shop", Some(food), -500_000);
            book.pay(&format!("{month}-03"), bank, "Shop", Some(food), 400_000);
            book.pay(&format!("{month}-04"), bank, "Cinema", Some(fun), -100_000);
        }
        book
    }

    fn ask(book: &Book, groups: Option<&[String]>) -> Result<Runway, Refusal> {
        runway(&book.plan, day("2026-03-10"), 6, groups, Savings::Include)
    }

    #[test]
    fn point_25_refunds_are_deducted_as_in_the_savings_rate() {
        let book = book();
        let answer = ask(&book, None).unwrap();
        assert_eq!(answer.spending.monthly_spending.0.get(), -200_000);
        assert_eq!(answer.spending.runway_months, Some(48.0));
        assert_eq!(
            answer.message,
            "9600.00 at hand lasts 48.0 months at 200.00 a month (average of 2 complete months)."
        );
        for name in ["household", "yen", "two-plans"] {
            let corpus = corpus(name);
            for plan in &corpus.plans {
                let pace = runway(plan, corpus.today, 6, None, Savings::Include).unwrap();
                let saved = savings::rate(plan, corpus.today, 6);
                assert_eq!(pace.spending.monthly_spending.0, saved.spending.0.divided(saved.months.len()), "{name}");
            }
        }
    }

    #[test]
    fn essential_groups_are_named_by_id_or_name_in_any_case_each_once() {
        let mut book = book();
        let bank = book.plan.accounts.find("Bank").unwrap();
        book.pay("2026-02-20", bank, "Zoo", Some(book.plan.categories.find("Leisure/Fun").unwrap()), -60_000);
        let wanted = [" HOME ".to_owned(), "Home".to_owned()];
        let answer = ask(&book, Some(&wanted)).unwrap();
        assert_eq!(answer.essential_groups, ["Home"]);
        let essential = answer.essential.unwrap();
        assert_eq!((essential.monthly_spending.0.get(), essential.runway_months), (-100_000, Some(95.4)));
        assert!(answer.message.ends_with("Essentials alone: 95.4 months at 100.00 a month."), "{}", answer.message);
    }

    #[test]
    fn unknown_and_ynabs_own_groups_are_refused_with_those_there_are() {
        let book = book();
        for wrong in ["Nope", "Internal Master Category"] {
            let refusal = ask(&book, Some(&[wrong.to_owned()])).unwrap_err().to_string();
            assert_eq!(refusal, format!("The user has no group called '{wrong}'. Groups: Home, Leisure."));
        }
        let empty = ask(&Book::new(), Some(&["Home".to_owned()])).unwrap_err().to_string();
        assert!(empty.ends_with("Groups: none."), "{empty}");
    }

    #[test]
    fn only_open_budget_money_is_at_hand_and_cards_are_taken_off() {
        let mut book = book();
        let [card, saved, broker, old] = [
            book.account("Card", AccountKind::CreditCard, true),
            book.account("Saved", AccountKind::Savings, true),
            book.account("Broker", AccountKind::OtherAsset, false),
            book.account("Old", AccountKind::Checking, true),
        ];
        for (account, amount) in [(card, -600_000), (saved, 1_000_000), (broker, 7), (old, 9)] {
            book.plan.accounts.at_mut(account).balance = Milliunits::new(amount);
        }
        book.plan.accounts.at_mut(old).closed = true;
        let answer = ask(&book, None).unwrap();
        assert_eq!((answer.liquid.0.get(), answer.owed_on_cards.0.get()), (10_000_000, -600_000));
        assert_eq!(answer.left_out, ["Broker"]);
        let without = runway(&book.plan, day("2026-03-10"), 6, None, Savings::LeaveOut).unwrap();
        assert_eq!(
            (without.liquid.0.get(), without.left_out),
            (9_000_000, vec!["Saved".to_owned(), "Broker".to_owned()])
        );
    }

    #[test]
    fn never_below_zero_and_no_figure_without_spending() {
        let mut book = book();
        let bank = book.plan.accounts.find("Bank").unwrap();
        book.plan.accounts.at_mut(bank).balance = Milliunits::new(-5_000_000);
        assert_eq!(ask(&book, None).unwrap().spending.runway_months, Some(0.0));
        let young = runway(&book.plan, day("2026-01-31"), 6, None, Savings::Include).unwrap();
        assert_eq!((young.months.len(), young.spending.runway_months), (0, None));
        assert!(young.message.starts_with("No month of spending is complete yet"), "{}", young.message);
        let (food, bank) = (book.plan.categories.find("Home/Food"), bank);
        book.pay("2026-02-20", bank, "Shop", food, 9_000_000);
        let refunded = ask(&book, None).unwrap();
        assert_eq!((refunded.spending.runway_months, refunded.spending.monthly_spending.0.is_positive()), (None, true));
    }
}
