//! Owns what every write refuses before it asks: rows, categories, amounts and texts that YNAB would not take.
//! Never reads more of the plan than it is given, and names the argument that is wrong.

use std::collections::HashSet;

use crate::dates::{Date, Month};
use crate::error::Refusal;
use crate::money::{AmountError, Currency, Milliunits};
use crate::plan::{Account, Category, Ix, Plan, Transaction};
use crate::refuse;
use crate::text::{clean, safe};

/// Characters of a payee's name on a transaction (source: YNAB's API).
const PAYEE_MAX: usize = 200;
/// Characters of a memo (source: YNAB's API).
const MEMO_MAX: usize = 500;
/// How old a transaction may be (source: YNAB's API).
const YEARS_MAX: i32 = 5;
/// How the names of YNAB's own payees begin.
const OWN_PAYEES: [&str; 4] =
    ["Transfer : ", "Starting Balance", "Manual Balance Adjustment", "Reconciliation Balance Adjustment"];

/// The live transaction of that id; `at` is the argument that names it.
pub fn row<'a>(plan: &'a Plan, id: &str, at: &str) -> Result<&'a Transaction, Refusal> {
    match plan.transactions.get(id) {
        Some(row) if !row.deleted => Ok(row),
        Some(_) => Err(refuse!("{at}: this transaction is deleted in YNAB. Take one that find_transactions lists.")),
        None => Err(refuse!("{at}: no such transaction in this plan. Take a transaction_id from find_transactions.")),
    }
}

/// Refuses an id that is given twice; `at` is the argument that repeats it.
pub fn once<'a>(seen: &mut HashSet<&'a str>, id: &'a str, at: &str) -> Result<(), Refusal> {
    if seen.insert(id) { Ok(()) } else { Err(refuse!("{at}: this transaction is given twice. Keep one of them.")) }
}

/// The category of that id, neither deleted, hidden nor YNAB's own; `at` is the argument that names it.
pub fn category<'a>(all: impl IntoIterator<Item = &'a Category>, id: &str, at: &str) -> Result<&'a Category, Refusal> {
    let found = all.into_iter().find(|category| category.id.as_str() == id && !category.deleted);
    let category = found.ok_or_else(|| {
        refuse!("{at}: no such category in this plan. Take a category_id from get_category_balances.")
    })?;
    if category.in_internal_group() {
        let name = safe(&category.name);
        return Err(refuse!("{at}: '{name}' is YNAB's own category. Choose one of the plan's."));
    }
    visible(category, at)
}

/// A category that a transaction can be given: as [`category`], Ready to Assign too, but no card's payment category.
pub fn assignable<'a>(
    all: impl IntoIterator<Item = &'a Category>,
    id: &str,
    at: &str,
) -> Result<&'a Category, Refusal> {
    let found = all.into_iter().find(|category| category.id.as_str() == id && !category.deleted);
    let category = found
        .ok_or_else(|| refuse!("{at}: no such category in this plan. Take a category_id from suggest_categories."))?;
    let name = safe(&category.name);
    if category.is_uncategorized() {
        return Err(refuse!("{at}: '{name}' is YNAB's word for no category. Choose a real one."));
    }
    if category.is_card_payment() {
        return Err(refuse!(
            "{at}: '{name}' holds a card's payments, which YNAB fills itself. Choose another category."
        ));
    }
    visible(category, at)
}

fn visible<'a>(category: &'a Category, at: &str) -> Result<&'a Category, Refusal> {
    if category.hidden {
        return Err(refuse!("{at}: '{}' is hidden. Show it again in YNAB first.", safe(&category.name)));
    }
    Ok(category)
}

/// An amount to write, in currency units: within the range and not finer than the currency.
pub fn amount(currency: &Currency, units: f64, at: &str) -> Result<Milliunits, Refusal> {
    currency.read(units).map_err(|error| fineness(currency, error, at))
}

/// As [`amount`], but what is left to take, to the milliunit, is accepted even where it is finer than the currency.
pub fn amount_or_rest(currency: &Currency, units: f64, rest: Milliunits, at: &str) -> Result<Milliunits, Refusal> {
    match currency.read(units) {
        Ok(amount) => Ok(amount),
        Err(AmountError::TooFine { .. }) if Milliunits::read(units) == Some(rest) && is_exact(units) => Ok(rest),
        Err(error) => Err(fineness(currency, error, at)),
    }
}

/// Whether the number is a whole count of milliunits but for noise.
fn is_exact(units: f64) -> bool {
    Currency::default().read(units).is_ok()
}

fn fineness(currency: &Currency, error: AmountError, at: &str) -> Refusal {
    let code = currency.code.as_deref().map(|code| format!(" ({})", safe(code))).unwrap_or_default();
    match error {
        AmountError::OutOfRange => refuse!("{at} {error}."),
        AmountError::TooFine { .. } => refuse!("{at} {error}{code}. Round it."),
    }
}

/// The live account of that id, closed ones too; `at` is the argument that names it.
pub fn account(plan: &Plan, id: &str, at: &str) -> Result<Ix<Account>, Refusal> {
    let found = plan.accounts.find(id).filter(|ix| !plan.accounts[*ix].deleted);
    found.ok_or_else(|| refuse!("{at}: no such account in this plan. Take an id from list_accounts."))
}

/// Refuses a day that YNAB takes no transaction on: after today, or over five years ago.
pub fn day(date: Date, today: Date, at: &str) -> Result<(), Refusal> {
    let earliest = Month::of(today).add(-12 * YEARS_MAX).day(today.day());
    if date > today {
        return Err(refuse!("{at}: {date} is after today, {today}. YNAB takes such a transaction as a schedule only."));
    }
    if date < earliest {
        return Err(refuse!("{at}: {date} is over five years ago. YNAB takes none before {earliest}."));
    }
    Ok(())
}

/// A payee's name for a transaction, without the spaces around: not empty, at most 200 characters, not YNAB's own.
pub fn payee_name<'a>(name: &'a str, at: &str) -> Result<&'a str, Refusal> {
    let name = one_line(name, PAYEE_MAX, at)?;
    own_payee(name, at).map(|()| name)
}

/// Refuses the beginnings that YNAB keeps for payees of its own.
pub fn own_payee(name: &str, at: &str) -> Result<(), Refusal> {
    let lower = name.to_lowercase();
    match OWN_PAYEES.iter().find(|own| lower.starts_with(&own.to_lowercase())) {
        Some(own) => {
            Err(refuse!("{at}: YNAB keeps names that begin with '{}' for itself. Choose another.", own.trim()))
        }
        None => Ok(()),
    }
}

/// A memo without the spaces around: at most 500 characters; `None` where it is empty.
pub fn memo<'a>(memo: Option<&'a str>, at: &str) -> Result<Option<&'a str>, Refusal> {
    let Some(memo) = memo.map(str::trim).filter(|memo| !memo.is_empty()) else { return Ok(None) };
    one_line(memo, MEMO_MAX, at).map(Some)
}

/// A text without the spaces around: not empty, visible, on one line, at most that many characters.
pub fn one_line<'a>(text: &'a str, count_max: usize, at: &str) -> Result<&'a str, Refusal> {
    let trimmed = text.trim();
    visible_text(text, at)?;
    if trimmed.is_empty() {
        return Err(refuse!("{at} is empty. Give it some visible text."));
    }
    if trimmed.chars().count() > count_max {
        return Err(refuse!("{at} has more than {count_max} characters. Shorten it."));
    }
    Ok(trimmed)
}

/// Refuses a text whose shown form is not what would be written: control or format characters, a line break.
pub fn visible_text(text: &str, at: &str) -> Result<(), Refusal> {
    let is_ink = |c: &char| !c.is_whitespace();
    let breaks = text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if breaks || !clean(text).chars().filter(is_ink).eq(text.chars().filter(is_ink)) {
        return Err(refuse!("{at} holds characters that cannot be seen. Write it on one line without them."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;

    fn id_of(plan: &Plan, name: &str) -> String {
        plan.categories.iter().find(|c| &*c.name == name).expect("the category").id.to_string()
    }

    /// Points 42 and 58: what YNAB refuses, and what is hidden, is refused before any question, everywhere alike.
    #[test]
    fn p42_p58_internal_hidden_and_deleted_categories_are_refused() {
        let corpus = corpus("household");
        let plan = &corpus.plans[0];
        for name in ["Inflow: Ready to Assign", "Uncategorized", "Old hobby", "Long ago", "Erased hobby"] {
            assert!(category(&plan.categories, &id_of(plan, name), "category_id").is_err(), "{name}");
        }
        for name in ["Uncategorized", "Old hobby", "Nursery", "Gone category", "Blue Card"] {
            assert!(assignable(&plan.categories, &id_of(plan, name), "category_id").is_err(), "{name}");
        }
        assert!(category(&plan.categories, &id_of(plan, "Blue Card"), "category_id").is_ok());
        assert!(assignable(&plan.categories, &id_of(plan, "Inflow: Ready to Assign"), "category_id").is_ok());
        let hidden = category(&plan.categories, &id_of(plan, "Old hobby"), "category_id").expect_err("hidden");
        assert_eq!(hidden.to_string(), "category_id: 'Old hobby' is hidden. Show it again in YNAB first.");
    }

    /// Point 38: an amount finer than the currency is refused, float noise is not.
    #[test]
    fn p38_finer_than_the_currency_is_refused_unless_it_is_what_is_left() {
        let euro = Currency::new("EUR", 2);
        let refused = amount(&euro, -7.12569, "amount").expect_err("too fine").to_string();
        assert_eq!(refused, "amount has more decimals than the plan's currency, which has 2 (EUR). Round it.");
        assert!(amount(&Currency::new("JPY", 0), 1500.5, "amount").is_err());
        assert_eq!(amount(&euro, -0.1 - 0.2, "amount"), Ok(Milliunits::new(-300)));
        let rest = Milliunits::new(12_345);
        assert_eq!(amount_or_rest(&euro, 12.345, rest, "amount"), Ok(rest));
        assert!(amount_or_rest(&euro, 12.3451, rest, "amount").is_err());
        assert!(amount_or_rest(&euro, 12.344, rest, "amount").is_err());
    }

    /// Point 42: days that YNAB refuses are refused first.
    #[test]
    fn p42_days_ynab_does_not_take() {
        let today = jiff::civil::date(2026, 3, 17);
        for (date, good) in [
            (jiff::civil::date(2026, 3, 17), true),
            (jiff::civil::date(2026, 3, 18), false),
            (jiff::civil::date(2021, 3, 17), true),
            (jiff::civil::date(2021, 3, 16), false),
        ] {
            assert_eq!(day(date, today, "date").is_ok(), good, "{date}");
        }
        assert!(day(jiff::civil::date(2023, 2, 27), jiff::civil::date(2028, 2, 29), "date").is_err());
    }

    #[test]
    fn names_that_ynab_keeps_for_itself_are_refused() {
        for bad in ["Transfer : Savings", "starting balance", "Manual Balance Adjustment", "", " ", "\u{3000}"] {
            assert!(payee_name(bad, "payee_name").is_err(), "{bad:?}");
        }
        assert_eq!(payee_name(" Transferwise ", "payee_name"), Ok("Transferwise"));
        assert!(payee_name(&"x".repeat(201), "payee_name").is_err());
        assert!(payee_name(&"é".repeat(200), "payee_name").is_ok());
        assert_eq!(memo(Some("  "), "memo"), Ok(None));
        assert!(memo(Some(&"x".repeat(501)), "memo").is_err());
    }

    /// Point 56: what is not seen is not written.
    #[test]
    fn p56_text_that_cannot_be_shown_as_it_is_is_refused() {
        for bad in ["a\nb", "a\u{200B}b", "Shop\u{202E}txt.exe", "\u{0}", "tab\there"] {
            assert!(visible_text(bad, "payee_name").is_err(), "{bad:?}");
        }
        for good in ["a b", " a  b ", "12\u{A0}€", "L'été", "👨\u{200D}👩\u{200D}👧", "می\u{200C}خواهم", ""]
        {
            assert!(visible_text(good, "payee_name").is_ok(), "{good:?}");
        }
    }
}
