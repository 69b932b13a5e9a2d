//! Owns how the things of a write are named in questions and messages, so that two of them never look the same.
//! Never decides what is written.

use std::collections::HashMap;

use crate::money::Currency;
use crate::plan::{Account, Category, Payee, Plan, Transaction};
use crate::text::safe;

/// A category's name; with its group, then the end of its id, where another category of the plan would look the same.
pub fn category<'a>(all: impl IntoIterator<Item = &'a Category>, category: &Category) -> String {
    let name = safe(&category.name);
    let alike = |other: &&Category| !other.deleted && other.id != category.id && safe(&other.name) == name;
    let mut others = all.into_iter().filter(alike).peekable();
    if others.peek().is_none() {
        return name.into_owned();
    }
    let group = safe(&category.group_name);
    if others.any(|other| safe(&other.group_name) == group) {
        return format!("{name} ({group}, {})", end_of(category.id.as_str()));
    }
    format!("{name} ({group})")
}

/// An account's name; with the end of its id where another account of the plan would look the same.
pub fn account(plan: &Plan, account: &Account) -> String {
    let name = safe(&account.name);
    let alike = |other: &Account| !other.deleted && other.id != account.id && safe(&other.name) == name;
    told_apart(&name, account.id.as_str(), plan.accounts.iter().any(alike))
}

/// A payee's name in quotes; with the end of its id where another payee of the plan would look the same.
pub fn payee(plan: &Plan, payee: &Payee) -> String {
    let name = safe(&payee.name);
    let alike = |other: &Payee| !other.deleted && other.id != payee.id && safe(&other.name) == name;
    told_apart(&format!("'{name}'"), payee.id.as_str(), plan.payees.iter().any(alike))
}

fn told_apart(name: &str, id: &str, has_double: bool) -> String {
    if has_double { format!("{name} ({})", end_of(id)) } else { name.to_owned() }
}

/// A transaction's date, payee and amount.
pub fn row(plan: &Plan, row: &Transaction) -> String {
    head(row, plan.payee_name(row.payee), &plan.currency)
}

fn head(row: &Transaction, payee: &str, currency: &Currency) -> String {
    format!("{} {} {}", row.date, safe(payee), currency.of(row.amount))
}

/// Several transactions' dates, payees and amounts; with the account, then the end of the id, where two look the same.
pub fn rows(plan: &Plan, rows: &[&Transaction]) -> Vec<String> {
    let mut heads: Vec<String> = rows.iter().map(|row| self::row(plan, row)).collect();
    tell_apart(&mut heads, |at| rows.get(at).map(|row| account(plan, &plan.accounts[row.account])));
    tell_apart(&mut heads, |at| rows.get(at).map(|row| end_of(row.id.as_str())));
    heads
}

/// Adds, to each of the texts that is there more than once, what tells it apart.
fn tell_apart(texts: &mut [String], what: impl Fn(usize) -> Option<String>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for text in texts.iter() {
        *counts.entry(text.clone()).or_default() += 1;
    }
    for (at, text) in texts.iter_mut().enumerate() {
        if let (Some(2..), Some(more)) = (counts.get(text.as_str()), what(at)) {
            *text = format!("{text} ({more})");
        }
    }
}

/// The last four characters of an id.
fn end_of(id: &str) -> String {
    let skipped = id.chars().count().saturating_sub(4);
    format!("…{}", id.chars().skip(skipped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;

    fn named(plan: &Plan, name: &str, group: &str) -> String {
        let is = |c: &&Category| &*c.name == name && c.group_name.starts_with(group);
        category(&plan.categories, plan.categories.iter().find(is).expect("the category"))
    }

    /// Point 45: two names that would look alike get what tells them apart.
    #[test]
    fn p45_categories_of_one_name_are_shown_with_their_group() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        assert_eq!(named(plan, "Groceries", "Every"), "Groceries");
        assert_eq!(named(plan, "Subscriptions", "Fun"), "Subscriptions (Fun)");
        let mut twin = plan.categories.iter().find(|c| &*c.name == "Groceries").expect("Groceries").clone();
        twin.id = "0000-twin".into();
        plan.categories.put(twin);
        assert_eq!(named(plan, "Groceries", "Every"), "Groceries (Everyday, …5c49)");
    }

    #[test]
    fn p45_names_cut_to_the_same_eighty_characters_differ() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let long =
            |end: &str| Payee { id: end.into(), name: format!("{}{end}", "x".repeat(90)).into(), ..Payee::default() };
        let (one, two) = (long("id-1"), long("id-2"));
        plan.payees.put(one.clone());
        plan.payees.put(two.clone());
        assert_ne!(payee(plan, &one), payee(plan, &two));
        assert!(payee(plan, &one).ends_with("(…id-1)"));
    }

    #[test]
    fn p45_twins_among_rows_are_told_apart() {
        let corpus = corpus("household");
        let plan = &corpus.plans[0];
        let one = plan.live().next().expect("a transaction");
        let mut twin = one.clone();
        twin.id = "0000-twin".into();
        let heads = rows(plan, &[one, &twin]);
        assert_ne!(heads[0], heads[1]);
        assert!(heads[1].ends_with("(…twin)"), "{heads:?}");
        assert_eq!(rows(plan, &[one])[0], row(plan, one));
    }

    #[test]
    fn p45_accounts_of_one_name_are_told_apart_while_both_are_there() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        let one = plan.accounts.iter().find(|a| &*a.name == "Everyday account").expect("the account").clone();
        let twin = Account { id: "0000-twin".into(), ..one.clone() };
        plan.accounts.put(Account { deleted: true, ..twin.clone() });
        assert_eq!(account(plan, &one), "Everyday account");
        plan.accounts.put(twin.clone());
        assert_eq!(account(plan, &twin), "Everyday account (…twin)");
    }
}
