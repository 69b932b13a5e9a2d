//! Owns the search of transactions by date, amount, account, category, payee and memo.
//! Never reads the bank's words as anything but text, and never lets a question about a payee match everything.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{ROWS_CHARS, ROWS_CHARS_ASKED, fit};
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
#[derive(Debug, Clone, Default)]
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
    /// At most so many transactions; 50 when absent.
    pub limit: Option<usize>,
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
    found.sort_by_key(|row| std::cmp::Reverse(row.date));
    let total = found.len();
    let limit = search.limit.unwrap_or(50);
    let rows = found.iter().take(limit).map(|t| row(plan, t)).collect();
    let (transactions, _) = fit(rows, if search.limit.is_some() { ROWS_CHARS_ASKED } else { ROWS_CHARS });
    Ok(Found { truncated: total > transactions.len(), total, transactions })
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
