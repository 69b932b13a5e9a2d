//! Owns the search of transactions by date, amount, account, category, payee and memo.
//! Never reads the bank's words as anything but text, and never lets a question about a payee match everything.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{ROWS, Room, fit};
use crate::classifier::merchant::merchant;
use crate::dates::{Date, days_between};
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Category, Ix, Payee, Plan, Table, Transaction};
use crate::refuse;
use crate::text::{clean, safe};

/// The longest period that is searched or listed, in days.
pub const PERIOD_DAYS_MAX: i64 = 366;

/// What is looked for: a transaction must meet every condition given.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// The first day.
    pub since: Date,
    /// The last day; today when absent.
    pub until: Option<Date>,
    /// Exactly this amount.
    pub amount: Option<Milliunits>,
    /// At least this amount; spending is negative.
    pub amount_min: Option<Milliunits>,
    /// At most this amount; spending is negative.
    pub amount_max: Option<Milliunits>,
    /// In one of these accounts.
    pub account_ids: Option<&'a [String]>,
    /// In one of these categories, or with a live split line in one.
    pub category_ids: Option<&'a [String]>,
    /// A part of the payee's name or merchant.
    pub payee: Option<&'a str>,
    /// A part of the memo.
    pub memo: Option<&'a str>,
    /// At most so many transactions.
    pub limit: usize,
}

impl Search<'_> {
    /// Everything from that day until today, at most as many as usual.
    pub fn since(since: Date) -> Self {
        Self {
            since,
            until: None,
            amount: None,
            amount_min: None,
            amount_max: None,
            account_ids: None,
            category_ids: None,
            payee: None,
            memo: None,
            limit: ROWS,
        }
    }
}

/// What was found, newest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Found {
    /// Newest first.
    pub transactions: Vec<Row>,
    /// More match than are shown.
    pub truncated: bool,
    /// How many match.
    pub total: usize,
    /// How to get the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
}

/// A transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Row {
    pub transaction_id: TransactionId,
    #[schemars(with = "String")]
    pub date: Date,
    pub amount: Amount,
    pub payee: String,
    pub memo: Option<String>,
    pub account: String,
    /// Null when split, transferred or not categorized.
    pub category: Option<String>,
    pub split: bool,
    pub cleared: &'static str,
    pub approved: bool,
}

/// The transactions that meet the conditions; unknown ids and impossible periods are refused.
pub fn find(plan: &Plan, today: Date, search: &Search<'_>) -> Result<Found, Refusal> {
    let until = match search.until {
        Some(until) => until,
        None if search.since > today => {
            return Err(refuse!("since_date is after today. Give until_date too to look ahead."));
        }
        None => today,
    };
    check_period(search.since, until)?;
    if let (Some(min), Some(max)) = (search.amount_min, search.amount_max)
        && min > max
    {
        return Err(refuse!("amount_min is above amount_max. Spending is negative: -50 is below -20."));
    }
    let accounts = search.account_ids.map(|ids| chosen_accounts(plan, ids)).transpose()?;
    let categories = search.category_ids.map(|ids| chosen_categories(plan, ids)).transpose()?;
    let payees = search.payee.filter(|text| !clean(text).is_empty()).map(|text| named(&plan.payees, text));
    let memo = search.memo.map(clean).filter(|text| !text.is_empty()).map(|text| text.to_uppercase());

    let amounts =
        search.amount_min.unwrap_or(Milliunits::new(i64::MIN))..=search.amount_max.unwrap_or(Milliunits::new(i64::MAX));
    let has_memo = |text: &str, memo: &Option<std::sync::Arc<str>>| {
        memo.as_deref().is_some_and(|m| clean(m).to_uppercase().contains(text))
    };
    let meets = |t: &&Transaction| {
        (search.since..=until).contains(&t.date)
            && search.amount.is_none_or(|amount| t.amount == amount)
            && amounts.contains(&t.amount)
            && accounts.as_ref().is_none_or(|chosen| chosen.holds(t.account))
            && categories.as_ref().is_none_or(|chosen| {
                if t.is_split() {
                    t.live_lines().any(|line| line.category.is_some_and(|ix| chosen.holds(ix)))
                } else {
                    t.category.is_some_and(|ix| chosen.holds(ix))
                }
            })
            && payees.as_ref().is_none_or(|chosen| {
                let mut of = std::iter::once(t.payee).chain(t.live_lines().map(|line| line.payee));
                of.any(|payee| payee.is_some_and(|ix| chosen.holds(ix)))
            })
            && memo
                .as_deref()
                .is_none_or(|text| has_memo(text, &t.memo) || t.live_lines().any(|line| has_memo(text, &line.memo)))
    };
    let mut found: Vec<&Transaction> = plan.live().filter(meets).collect();
    found.sort_by_key(|t| Reverse(t.date));
    let total = found.len();
    let rows = found.iter().take(search.limit).map(|t| row(plan, t)).collect();
    let (transactions, left) = fit(rows, Room::of(search.limit));
    let last = transactions.last().filter(|_| left > 0);
    let mut more = last.map(|last| {
        let date = last.date;
        format!("{} of {total}: an answer holds no more. Ask again with until_date {date}.", transactions.len())
    });
    if let Some(name) = [("account_ids", search.account_ids), ("category_ids", search.category_ids)]
        .into_iter()
        .find_map(|(name, ids)| ids?.is_empty().then_some(name))
    {
        more = Some(format!("{name} names none, so nothing was looked at. Leave it out to look at all."));
    }
    Ok(Found { truncated: total > transactions.len(), total, more, transactions })
}

/// Refuses a period that runs backwards or is too long.
pub fn check_period(since: Date, until: Date) -> Result<(), Refusal> {
    if until < since {
        return Err(refuse!("The period ends ({until}) before it begins ({since}). Swap the two dates."));
    }
    let days = days_between(since, until);
    if days > PERIOD_DAYS_MAX {
        return Err(refuse!("{since} to {until} is {days} days. Ask for at most {PERIOD_DAYS_MAX} days at a time."));
    }
    Ok(())
}

/// Some rows of a table.
pub struct Chosen<T> {
    marks: Vec<bool>,
    table: std::marker::PhantomData<fn() -> T>,
}

impl<T> Chosen<T> {
    fn of(marks: Vec<bool>) -> Self {
        Self { marks, table: std::marker::PhantomData }
    }

    /// Whether the row at that place is among them.
    pub fn holds(&self, ix: Ix<T>) -> bool {
        self.marks.get(ix.get()).copied().unwrap_or_default()
    }
}

/// The accounts of those ids; an unknown or deleted one is refused.
pub fn chosen_accounts(plan: &Plan, ids: &[String]) -> Result<Chosen<Account>, Refusal> {
    let mut marks = vec![false; plan.accounts.len()];
    for id in ids {
        match plan.accounts.find(id).filter(|ix| !plan.accounts[*ix].deleted) {
            Some(ix) => marks[ix.get()] = true,
            None => return Err(refuse!("The plan has no account {}. Take ids from list_accounts.", safe(id))),
        }
    }
    Ok(Chosen::of(marks))
}

fn chosen_categories(plan: &Plan, ids: &[String]) -> Result<Chosen<Category>, Refusal> {
    let mut marks = vec![false; plan.categories.len()];
    for id in ids {
        match plan.categories.find(id).filter(|ix| !plan.categories[*ix].deleted) {
            Some(ix) => marks[ix.get()] = true,
            None => return Err(refuse!("The plan has no category {}. Take ids from get_category_balances.", safe(id))),
        }
    }
    Ok(Chosen::of(marks))
}

/// The payees whose label or merchant holds the text, in any case.
fn named(payees: &Table<Payee>, text: &str) -> Chosen<Payee> {
    let wanted = Wanted::new(text);
    Chosen::of(payees.iter().map(|payee| wanted.is_in(&payee.name)).collect())
}

/// A text to look for in labels.
pub struct Wanted {
    raw: String,
    cleaned: String,
    merchant: String,
}

impl Wanted {
    /// The text, as it was typed and as a merchant.
    pub fn new(text: &str) -> Self {
        Self { raw: text.to_uppercase(), cleaned: clean(text).to_uppercase(), merchant: merchant(text) }
    }

    /// Whether the label, or the merchant it stands for, holds the text.
    pub fn is_in(&self, label: &str) -> bool {
        let holds = |label: &str, text: &str| !text.is_empty() && label.contains(text);
        holds(&label.to_uppercase(), &self.raw)
            || holds(&clean(label).to_uppercase(), &self.cleaned)
            || holds(&merchant(label), &self.merchant)
    }
}

fn row(plan: &Plan, t: &Transaction) -> Row {
    Row {
        transaction_id: t.id.clone(),
        date: t.date,
        amount: t.amount.into(),
        payee: safe(plan.payee_name(t.payee)).into_owned(),
        memo: t.memo.as_deref().map(|memo| safe(memo).into_owned()),
        account: safe(&plan.accounts[t.account].name).into_owned(),
        category: t.category.filter(|_| !t.is_split()).and_then(|ix| shown_category(plan, ix)),
        split: t.is_split(),
        cleared: t.cleared.as_str(),
        approved: t.approved,
    }
}

/// A category's name, hidden and deleted ones too; nothing where YNAB did not send it.
pub fn shown_category(plan: &Plan, ix: Ix<Category>) -> Option<String> {
    let name = safe(&plan.categories[ix].name);
    (!name.is_empty()).then(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, chars, day};
    use crate::plan::AccountKind;
    use proptest::prelude::*;

    /// Labels as banks write them, one a day from 2026-01-01.
    fn labels(labels: &[&str]) -> Book {
        let mut book = Book::new();
        let account = book.account("Everyday", AccountKind::Checking, true);
        let food = book.category("Home", "Food");
        for (n, label) in labels.iter().enumerate() {
            book.pay(&format!("2026-01-{:02}", n + 1), account, label, Some(food), -1_000 * (n as i64 + 1));
        }
        book
    }

    fn since(date: &str) -> Search<'static> {
        Search::since(day(date))
    }

    fn found(book: &Book, search: &Search<'_>) -> Vec<String> {
        let found = find(&book.plan, day("2026-03-10"), search).unwrap();
        assert_eq!((found.total, found.truncated), (found.transactions.len(), false));
        found.transactions.into_iter().map(|row| row.payee).collect()
    }

    fn refused(book: &Book, search: &Search<'_>) -> String {
        find(&book.plan, day("2026-03-10"), search).unwrap_err().to_string()
    }

    #[test]
    fn point_32_a_question_about_a_payee_is_read_as_it_stands() {
        let book = labels(&[
            "CB SUPER NOVA 02/01 4970****1234",
            "Bakery",
            "VIR 12345 RENT",
            "PRLV X - IBAN: FR76 1",
            "Gym\u{200B}Club",
        ]);
        let named = |payee| found(&book, &Search { payee: Some(payee), ..since("2026-01-01") });
        assert_eq!(named("12345"), ["VIR 12345 RENT"]);
        assert_eq!(named("cb"), ["CB SUPER NOVA 02/01 4970****1234"]);
        assert_eq!(named("IBAN"), ["PRLV X - IBAN: FR76 1"]);
        assert_eq!(named("CB SUPER NOVA 09/09 1111****2222"), ["CB SUPER NOVA 02/01 4970****1234"]);
        assert_eq!(named("gymclub"), ["GymClub"]);
        assert_eq!(named("99999"), Vec::<String>::new());
        assert_eq!(named("01/02"), Vec::<String>::new());
        assert_eq!(named(" ").len(), 5, "a blank question asks nothing");
    }

    #[test]
    fn more_rows_than_an_answer_holds_say_how_to_get_the_others() {
        let mut book = labels(&["Shop"]);
        let (account, label) = (book.plan.live().next().unwrap().account, "LONG NAME OF A SHOP ".repeat(3));
        for n in 0..200 {
            book.pay(&crate::dates::add_days(day("2025-08-01"), n).to_string(), account, &label, None, -1_000);
        }
        let found = find(&book.plan, day("2026-03-10"), &Search { limit: 200, ..since("2025-08-01") }).unwrap();
        let shown = found.transactions.len();
        assert!(found.truncated && found.total == 201 && (60..200).contains(&shown), "{shown} shown");
        let last = found.transactions.last().unwrap().date;
        let more = format!("{shown} of 201: an answer holds no more. Ask again with until_date {last}.");
        assert_eq!(found.more, Some(more));
        assert_eq!(
            find(&book.plan, day("2026-03-10"), &Search { limit: 9, ..since("2025-08-01") }).unwrap().more,
            None
        );
    }

    #[test]
    fn point_57_a_search_ahead_says_which_date_is_missing() {
        let book = labels(&["Shop"]);
        assert_eq!(
            refused(&book, &since("2026-03-11")),
            "since_date is after today. Give until_date too to look ahead."
        );
        let ahead = Search { until: Some(day("2026-04-01")), ..since("2026-03-11") };
        assert!(find(&book.plan, day("2026-03-10"), &ahead).is_ok());
        let backwards = Search { until: Some(day("2026-01-01")), ..since("2026-02-01") };
        assert!(refused(&book, &backwards).ends_with("Swap the two dates."));
        assert_eq!(
            refused(&book, &since("2025-03-08")),
            "2025-03-08 to 2026-03-10 is 367 days. Ask for at most 366 days at a time."
        );
        assert!(find(&book.plan, day("2026-03-10"), &since("2025-03-09")).is_ok());
    }

    #[test]
    fn point_31_a_hidden_category_is_shown_and_can_be_searched() {
        let mut book = labels(&["Shop"]);
        let hidden = book.category("Old", "Hobby");
        book.plan.categories.at_mut(hidden).hidden = true;
        let account = book.plan.accounts.find("Everyday").unwrap();
        book.pay("2026-02-01", account, "Club", Some(hidden), -5_000);
        let ids = ["Old/Hobby".to_owned()];
        let search = Search { category_ids: Some(&ids), ..since("2026-01-01") };
        let rows = find(&book.plan, day("2026-03-10"), &search).unwrap().transactions;
        assert_eq!(rows.iter().map(|row| row.category.as_deref()).collect::<Vec<_>>(), [Some("Hobby")]);
        book.plan.categories.at_mut(hidden).deleted = true;
        assert!(refused(&book, &search).starts_with("The plan has no category Old/Hobby."));
    }

    #[test]
    fn a_live_split_line_counts_for_category_payee_and_memo() {
        let mut book = labels(&["Market", "Shop"]);
        let (fun, food) = (book.category("Home", "Fun"), book.plan.categories.find("Home/Food"));
        let market = book.plan.transactions.find("t0").unwrap();
        book.split(market, &[(food, -400), (Some(fun), -600)]);
        let club = book.plan.payees.find("Shop");
        book.plan.transactions.at_mut(market).lines[1].payee = club;
        book.plan.transactions.at_mut(market).lines[1].memo = Some("birthday gift".into());
        let ids = ["Home/Fun".to_owned()];
        assert_eq!(found(&book, &Search { category_ids: Some(&ids), ..since("2026-01-01") }), ["Market"]);
        assert_eq!(found(&book, &Search { payee: Some("shop"), ..since("2026-01-01") }), ["Shop", "Market"]);
        assert_eq!(found(&book, &Search { memo: Some("BIRTHDAY"), ..since("2026-01-01") }), ["Market"]);
        let row = find(&book.plan, day("2026-03-10"), &since("2026-01-01")).unwrap().transactions.remove(1);
        assert_eq!((row.split, row.category), (true, None));
        book.plan.transactions.at_mut(market).lines[1].deleted = true;
        assert_eq!(found(&book, &Search { category_ids: Some(&ids), ..since("2026-01-01") }), Vec::<String>::new());
    }

    #[test]
    fn an_amount_range_is_signed_and_an_exact_amount_is_to_the_milliunit() {
        let book = labels(&["One", "Two", "Three"]);
        let money = |m| Some(Milliunits::new(m));
        let range = |min, max| Search { amount_min: min, amount_max: max, ..since("2026-01-01") };
        assert_eq!(found(&book, &range(money(-2_500), money(-1_500))), ["Two"]);
        assert_eq!(found(&book, &range(money(-2_000), None)), ["Two", "One"]);
        assert_eq!(found(&book, &range(None, money(-3_000))), ["Three"]);
        assert!(refused(&book, &range(money(1), money(-1))).starts_with("amount_min is above amount_max"));
        assert_eq!(found(&book, &Search { amount: money(-2_000), ..since("2026-01-01") }), ["Two"]);
        assert_eq!(found(&book, &Search { amount: money(-2_001), ..since("2026-01-01") }), Vec::<String>::new());
    }

    #[test]
    fn unknown_and_deleted_accounts_are_refused_and_no_account_finds_nothing() {
        let mut book = labels(&["Shop"]);
        let (known, unknown) = (["Everyday".to_owned()], ["no\u{202E}pe".to_owned()]);
        let of = |ids| Search { account_ids: Some(ids), ..since("2026-01-01") };
        assert_eq!(found(&book, &of(&known)), ["Shop"]);
        let none = find(&book.plan, day("2026-03-10"), &of(&[])).unwrap();
        let told = "account_ids names none, so nothing was looked at. Leave it out to look at all.";
        assert_eq!((none.total, none.more.as_deref()), (0, Some(told)));
        let none = Search { category_ids: Some(&[]), ..since("2026-01-01") };
        let told = find(&book.plan, day("2026-03-10"), &none).unwrap().more.unwrap_or_default();
        assert!(told.starts_with("category_ids names none"), "{told}");
        assert_eq!(refused(&book, &of(&unknown)), "The plan has no account nope. Take ids from list_accounts.");
        let account = book.plan.accounts.find("Everyday").unwrap();
        book.plan.accounts.at_mut(account).deleted = true;
        assert!(refused(&book, &of(&known)).starts_with("The plan has no account Everyday."));
    }

    #[test]
    fn a_long_list_says_how_many_match_and_stays_short() {
        let mut book = labels(&[]);
        let account = book.plan.accounts.find("Everyday").unwrap();
        let long = "é".repeat(300);
        for n in 0..2_000 {
            let ix = book.pay(&format!("2026-01-{:02}", n % 28 + 1), account, &long, None, -1_000);
            book.plan.transactions.at_mut(ix).memo = Some(long.as_str().into());
        }
        let found = find(&book.plan, day("2026-03-10"), &since("2026-01-01")).unwrap();
        assert_eq!((found.total, found.truncated), (2_000, true));
        assert!(chars(&found) < 25_000, "{}", chars(&found));
        assert!(found.transactions.is_sorted_by(|a, b| a.date >= b.date));
        let three = Search { limit: 3, ..since("2026-01-01") };
        assert_eq!(find(&book.plan, day("2026-03-10"), &three).unwrap().transactions.len(), 3);
    }

    proptest! {
        #[test]
        fn a_payees_own_name_finds_it_and_what_is_found_holds_the_question(names in prop::collection::vec("[A-Za-z0-9 /*éß:-]{1,20}", 1..8), part in "[A-Z0-9]{1,3}") {
            let book = labels(&names.iter().map(String::as_str).collect::<Vec<_>>());
            for name in names.iter().filter(|name| !name.trim().is_empty()) {
                let found = found(&book, &Search { payee: Some(name), ..since("2026-01-01") });
                let shown = safe(name);
                prop_assert!(found.iter().any(|payee| *payee == shown), "{name}: {found:?}");
            }
            for payee in found(&book, &Search { payee: Some(&part), ..since("2026-01-01") }) {
                prop_assert!(payee.to_uppercase().contains(&part), "{part} in {payee}");
            }
        }
    }
}
