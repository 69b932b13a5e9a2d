//! Owns YNAB's JSON: reading its bodies into a plan, straight from the bytes, without a tree in between.
//! Never sends a request, and never breaks on a field, a word or a null it does not know.

pub mod saved;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, de::DeserializeOwned};

use crate::dates::{Date, Month, parse_date};
use crate::ids::{AccountId, CategoryId, GroupId, PayeeId, PlanId, ScheduledId, TransactionId};
use crate::money::{Currency, Milliunits};
use crate::plan::{
    Account, AccountKind, Category, Cleared, DebtTerms, Goal, Group, Ix, Line, MonthBudget, Payee, Plan, PlanSummary,
    Row, Scheduled, Table, Transaction,
};

/// A body that is not what YNAB's contract says.
#[derive(Debug, thiserror::Error)]
#[error("YNAB's answer could not be read")]
pub struct WireError(#[from] serde_json::Error);

impl WireError {
    /// Whether the body ends too early.
    pub fn is_cut(&self) -> bool {
        self.0.is_eof()
    }
}

/// A text that may be null, borrowed from the body where it has no escapes.
#[derive(Default)]
struct Text<'a>(Option<Cow<'a, str>>);

impl Text<'_> {
    fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    fn some(&self) -> Option<&str> {
        self.0.as_deref()
    }

    fn arc(&self) -> Arc<str> {
        self.as_str().into()
    }

    fn month(&self) -> Option<Month> {
        self.some().and_then(Month::parse)
    }

    fn date(&self) -> Option<Date> {
        self.some().and_then(parse_date)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string or null")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Text<'de>, E> {
                Ok(Text(None))
            }
        }
        from.deserialize_any(Read)
    }
}

/// A whole number that may be null; `3.0` is one.
#[derive(Clone, Copy, Default)]
struct Number(Option<i64>);

impl Number {
    fn money(self) -> Milliunits {
        Milliunits::new(self.0.unwrap_or_default())
    }

    fn some_money(self) -> Option<Milliunits> {
        self.0.map(Milliunits::new)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Number;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a whole number or null")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number(Some(number)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Number, E> {
                i64::try_from(number).map(|n| Number(Some(n))).map_err(|_| E::custom("a number too large"))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Number, E> {
                if number.fract() == 0.0 && number.abs() < 9e15 {
                    Ok(Number(Some(number as i64)))
                } else {
                    Err(E::custom("not a whole number"))
                }
            }
            fn visit_unit<E: de::Error>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
        }
        from.deserialize_any(Read)
    }
}

/// A list that may be null.
struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::<Vec<T>>::deserialize(from).map(|list| Self(list.unwrap_or_default()))
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
struct PlanData<'a> {
    #[serde(borrow)]
    plan: PlanBody<'a>,
    #[serde(default)]
    server_knowledge: Number,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct PlanBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default, borrow)]
    first_month: Text<'a>,
    #[serde(default, borrow)]
    last_month: Text<'a>,
    #[serde(default, borrow)]
    currency_format: Option<CurrencyBody<'a>>,
    #[serde(default)]
    accounts: List<AccountBody<'a>>,
    #[serde(default)]
    payees: List<PayeeBody<'a>>,
    #[serde(default)]
    category_groups: List<GroupBody<'a>>,
    #[serde(default)]
    categories: List<CategoryBody<'a>>,
    #[serde(default)]
    months: List<MonthBody<'a>>,
    #[serde(default)]
    transactions: List<TransactionBody<'a>>,
    #[serde(default)]
    subtransactions: List<LineBody<'a>>,
    #[serde(default)]
    scheduled_transactions: List<ScheduledBody<'a>>,
    #[serde(default)]
    scheduled_subtransactions: List<LineBody<'a>>,
}

#[derive(Deserialize)]
struct CurrencyBody<'a> {
    #[serde(default, borrow)]
    iso_code: Text<'a>,
    #[serde(default)]
    decimal_digits: Number,
}

impl CurrencyBody<'_> {
    fn currency(&self) -> Currency {
        Currency {
            code: self.iso_code.some().map(Into::into),
            decimals: self.decimal_digits.0.map(|digits| digits.clamp(0, 3) as u8),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct AccountBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(rename = "type", default, borrow)]
    kind: Text<'a>,
    #[serde(default)]
    on_budget: Option<bool>,
    #[serde(default)]
    closed: Option<bool>,
    #[serde(default)]
    balance: Number,
    #[serde(default)]
    cleared_balance: Number,
    #[serde(default)]
    uncleared_balance: Number,
    #[serde(default, borrow)]
    transfer_payee_id: Text<'a>,
    #[serde(default)]
    direct_import_linked: Option<bool>,
    #[serde(default)]
    direct_import_in_error: Option<bool>,
    #[serde(default, borrow)]
    last_reconciled_at: Text<'a>,
    #[serde(default)]
    debt_interest_rates: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    debt_minimum_payments: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    debt_escrow_amounts: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    deleted: Option<bool>,
}

fn dated<T>(from: Option<BTreeMap<String, Number>>, read: impl Fn(i64) -> T) -> BTreeMap<Date, T> {
    let rows = from.into_iter().flatten();
    rows.filter_map(|(day, value)| Some((parse_date(&day)?, read(value.0?)))).collect()
}

impl AccountBody<'_> {
    fn account(self) -> Account {
        let debt = DebtTerms {
            interest_rates: dated(self.debt_interest_rates, |rate| rate),
            minimum_payments: dated(self.debt_minimum_payments, Milliunits::new),
            escrow_amounts: dated(self.debt_escrow_amounts, Milliunits::new),
        };
        Account {
            id: AccountId::new(self.id.arc()),
            name: self.name.arc(),
            kind: AccountKind::of(self.kind.as_str()),
            on_budget: self.on_budget.unwrap_or_default(),
            closed: self.closed.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
            balance: self.balance.money(),
            cleared: self.cleared_balance.money(),
            uncleared: self.uncleared_balance.money(),
            transfer_payee: self.transfer_payee_id.some().map(PayeeId::from),
            linked: self.direct_import_linked.unwrap_or_default(),
            link_error: self.direct_import_in_error.unwrap_or_default(),
            last_reconciled_at: self.last_reconciled_at.some().map(Into::into),
            debt: (debt != DebtTerms::default()).then(|| Box::new(debt)),
        }
    }
}

#[derive(Deserialize)]
struct PayeeBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default, borrow)]
    transfer_account_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
}

impl PayeeBody<'_> {
    fn payee(&self) -> Payee {
        Payee {
            id: PayeeId::new(self.id.arc()),
            name: self.name.arc(),
            transfer_account: self.transfer_account_id.some().map(AccountId::from),
            deleted: self.deleted.unwrap_or_default(),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct GroupBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default)]
    hidden: Option<bool>,
    #[serde(default)]
    internal: Option<bool>,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    categories: List<CategoryBody<'a>>,
}

impl GroupBody<'_> {
    fn group(&self) -> Group {
        Group {
            id: GroupId::new(self.id.arc()),
            name: self.name.arc(),
            hidden: self.hidden.unwrap_or_default(),
            internal: self.internal.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
        }
    }
}

#[derive(Deserialize)]
struct CategoryBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    category_group_id: Text<'a>,
    #[serde(default, borrow)]
    category_group_name: Text<'a>,
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default)]
    hidden: Option<bool>,
    #[serde(default)]
    internal: Option<bool>,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    budgeted: Number,
    #[serde(default)]
    activity: Number,
    #[serde(default)]
    balance: Number,
    #[serde(default, borrow)]
    goal_type: Text<'a>,
    #[serde(default)]
    goal_needs_whole_amount: Option<bool>,
    #[serde(default)]
    goal_day: Number,
    #[serde(default)]
    goal_cadence: Number,
    #[serde(default)]
    goal_cadence_frequency: Number,
    #[serde(default, borrow)]
    goal_creation_month: Text<'a>,
    #[serde(default)]
    goal_target: Number,
    #[serde(default, borrow)]
    goal_target_date: Text<'a>,
    #[serde(default, borrow)]
    goal_target_month: Text<'a>,
    #[serde(default)]
    goal_percentage_complete: Number,
    #[serde(default)]
    goal_months_to_budget: Number,
    #[serde(default)]
    goal_under_funded: Number,
    #[serde(default)]
    goal_overall_funded: Number,
    #[serde(default)]
    goal_overall_left: Number,
    #[serde(default, borrow)]
    goal_snoozed_at: Text<'a>,
}

impl<'a> CategoryBody<'a> {
    fn goal(&self, words: &mut Words<'a>) -> Option<Box<Goal>> {
        self.goal_type.some().map(|_| {
            Box::new(Goal {
                kind: words.share(&self.goal_type),
                needs_whole_amount: self.goal_needs_whole_amount,
                day: self.goal_day.0,
                cadence: self.goal_cadence.0,
                cadence_frequency: self.goal_cadence_frequency.0,
                creation_month: self.goal_creation_month.month(),
                target: self.goal_target.some_money(),
                target_date: self.goal_target_date.date().or_else(|| self.goal_target_month.date()),
                percentage_complete: self.goal_percentage_complete.0,
                months_to_budget: self.goal_months_to_budget.0,
                under_funded: self.goal_under_funded.some_money(),
                overall_funded: self.goal_overall_funded.some_money(),
                overall_left: self.goal_overall_left.some_money(),
                snoozed_at: self.goal_snoozed_at.some().map(Into::into),
            })
        })
    }

    fn category(&self, words: &mut Words<'a>) -> Category {
        Category {
            id: CategoryId::new(words.share(&self.id)),
            group: GroupId::new(words.share(&self.category_group_id)),
            group_name: words.share(&self.category_group_name),
            name: words.share(&self.name),
            hidden: self.hidden.unwrap_or_default(),
            internal: self.internal.unwrap_or_default(),
            deleted: self.deleted.unwrap_or_default(),
            budgeted: self.budgeted.money(),
            activity: self.activity.money(),
            balance: self.balance.money(),
            goal: self.goal(words),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct MonthBody<'a> {
    #[serde(default, borrow)]
    month: Text<'a>,
    #[serde(default)]
    income: Number,
    #[serde(default)]
    budgeted: Number,
    #[serde(default)]
    activity: Number,
    #[serde(default)]
    to_be_budgeted: Number,
    #[serde(default)]
    age_of_money: Number,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    categories: List<CategoryBody<'a>>,
}

impl<'a> MonthBody<'a> {
    /// The month without its categories, and those.
    fn parts(self) -> Option<(MonthBudget, Vec<CategoryBody<'a>>)> {
        let month = MonthBudget {
            month: self.month.month()?,
            income: self.income.money(),
            budgeted: self.budgeted.money(),
            activity: self.activity.money(),
            to_be_budgeted: self.to_be_budgeted.money(),
            age_of_money: self.age_of_money.0,
            deleted: self.deleted.unwrap_or_default(),
            categories: Vec::new(),
        };
        Some((month, self.categories.0))
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct TransactionBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    date: Text<'a>,
    #[serde(default)]
    amount: Number,
    #[serde(default, borrow)]
    memo: Text<'a>,
    #[serde(default, borrow)]
    cleared: Text<'a>,
    #[serde(default)]
    approved: Option<bool>,
    #[serde(default, borrow)]
    flag_color: Text<'a>,
    #[serde(default, borrow)]
    account_id: Text<'a>,
    #[serde(default, borrow)]
    account_name: Text<'a>,
    #[serde(default, borrow)]
    payee_id: Text<'a>,
    #[serde(default, borrow)]
    payee_name: Text<'a>,
    #[serde(default, borrow)]
    category_id: Text<'a>,
    #[serde(default, borrow)]
    category_name: Text<'a>,
    #[serde(default, borrow)]
    transfer_account_id: Text<'a>,
    #[serde(default, borrow)]
    transfer_transaction_id: Text<'a>,
    #[serde(default, borrow)]
    import_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    subtransactions: List<LineBody<'a>>,
}

#[derive(Deserialize)]
struct LineBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    transaction_id: Text<'a>,
    #[serde(default, borrow)]
    scheduled_transaction_id: Text<'a>,
    #[serde(default)]
    amount: Number,
    #[serde(default, borrow)]
    memo: Text<'a>,
    #[serde(default, borrow)]
    payee_id: Text<'a>,
    #[serde(default, borrow)]
    payee_name: Text<'a>,
    #[serde(default, borrow)]
    category_id: Text<'a>,
    #[serde(default, borrow)]
    category_name: Text<'a>,
    #[serde(default, borrow)]
    transfer_account_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct ScheduledBody<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    date_first: Text<'a>,
    #[serde(default, borrow)]
    date_next: Text<'a>,
    #[serde(default, borrow)]
    frequency: Text<'a>,
    #[serde(default)]
    amount: Number,
    #[serde(default, borrow)]
    memo: Text<'a>,
    #[serde(default, borrow)]
    account_id: Text<'a>,
    #[serde(default, borrow)]
    account_name: Text<'a>,
    #[serde(default, borrow)]
    payee_id: Text<'a>,
    #[serde(default, borrow)]
    payee_name: Text<'a>,
    #[serde(default, borrow)]
    category_id: Text<'a>,
    #[serde(default, borrow)]
    category_name: Text<'a>,
    #[serde(default, borrow)]
    transfer_account_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    subtransactions: List<LineBody<'a>>,
}

/// Texts that come again and again, held once.
#[derive(Default)]
struct Words<'a> {
    known: HashMap<Cow<'a, str>, Arc<str>>,
}

impl<'a> Words<'a> {
    fn share(&mut self, text: &Text<'a>) -> Arc<str> {
        let Some(text) = &text.0 else { return Arc::from("") };
        if let Some(word) = self.known.get(text) {
            return word.clone();
        }
        let word: Arc<str> = Arc::from(&**text);
        self.known.insert(text.clone(), word.clone());
        word
    }

    fn share_some(&mut self, text: &Text<'a>) -> Option<Arc<str>> {
        text.some().filter(|t| !t.is_empty())?;
        Some(self.share(text))
    }
}

/// The place of a row that something refers to. A reference to a row that was not sent is kept as a deleted row of
/// that id, so that nothing breaks and nothing is lost.
fn place<T: Row>(table: &mut Table<T>, id: &Text<'_>, missing: impl FnOnce(Arc<str>) -> T) -> Option<Ix<T>> {
    let id = id.some().filter(|id| !id.is_empty())?;
    Some(table.find(id).unwrap_or_else(|| table.put(missing(id.into()))))
}

fn account_place(plan: &mut Plan, id: &Text<'_>, name: &Text<'_>) -> Option<Ix<Account>> {
    place(&mut plan.accounts, id, |id| Account {
        id: AccountId::new(id),
        name: name.arc(),
        deleted: true,
        ..Account::default()
    })
}

fn payee_place(plan: &mut Plan, id: &Text<'_>, name: &Text<'_>) -> Option<Ix<Payee>> {
    place(&mut plan.payees, id, |id| Payee {
        id: PayeeId::new(id),
        name: name.arc(),
        deleted: true,
        ..Payee::default()
    })
}

fn category_place(plan: &mut Plan, id: &Text<'_>, name: &Text<'_>) -> Option<Ix<Category>> {
    place(&mut plan.categories, id, |id| Category {
        id: CategoryId::new(id),
        name: name.arc(),
        deleted: true,
        ..Category::default()
    })
}

/// Merges lines by id into those of their parent.
fn put_line(lines: &mut Vec<Line>, line: Line) {
    match lines.iter_mut().find(|old| old.id == line.id) {
        Some(old) => *old = line,
        None => lines.push(line),
    }
}

struct Merge<'a, 'p> {
    plan: &'p mut Plan,
    words: Words<'a>,
}

impl<'a> Merge<'a, '_> {
    fn line(&mut self, body: &LineBody<'a>) -> Line {
        Line {
            id: TransactionId::from(body.id.as_str()),
            amount: body.amount.money(),
            memo: self.words.share_some(&body.memo),
            payee: payee_place(self.plan, &body.payee_id, &body.payee_name),
            category: category_place(self.plan, &body.category_id, &body.category_name),
            transfer_account: account_place(self.plan, &body.transfer_account_id, &Text::default()),
            deleted: body.deleted.unwrap_or_default(),
        }
    }

    fn transaction(&mut self, body: TransactionBody<'a>) {
        let Some(date) = body.date.date() else { return };
        let Some(account) = account_place(self.plan, &body.account_id, &body.account_name) else { return };
        let old = self.plan.transactions.find(body.id.as_str());
        let mut lines = old.map(|ix| std::mem::take(&mut self.plan.transactions.at_mut(ix).lines)).unwrap_or_default();
        for line in &body.subtransactions.0 {
            let line = self.line(line);
            put_line(&mut lines, line);
        }
        let row = Transaction {
            id: old.map_or_else(|| TransactionId::from(body.id.as_str()), |ix| self.plan.transactions[ix].id.clone()),
            date,
            amount: body.amount.money(),
            cleared: Cleared::of(body.cleared.as_str()),
            approved: body.approved.unwrap_or_default(),
            deleted: body.deleted.unwrap_or_default(),
            flag: self.words.share_some(&body.flag_color),
            account,
            payee: payee_place(self.plan, &body.payee_id, &body.payee_name),
            category: category_place(self.plan, &body.category_id, &body.category_name),
            transfer_account: account_place(self.plan, &body.transfer_account_id, &Text::default()),
            transfer_transaction: body.transfer_transaction_id.some().map(TransactionId::from),
            memo: self.words.share_some(&body.memo),
            import_id: body.import_id.some().map(Into::into),
            lines,
        };
        self.plan.transactions.put(row);
    }

    fn scheduled(&mut self, body: ScheduledBody<'a>) {
        let Some(next) = body.date_next.date().or_else(|| body.date_first.date()) else { return };
        let Some(account) = account_place(self.plan, &body.account_id, &body.account_name) else { return };
        let old = self.plan.scheduled.find(body.id.as_str());
        let mut lines = old.map(|ix| std::mem::take(&mut self.plan.scheduled.at_mut(ix).lines)).unwrap_or_default();
        for line in &body.subtransactions.0 {
            let line = self.line(line);
            put_line(&mut lines, line);
        }
        let row = Scheduled {
            id: ScheduledId::from(body.id.as_str()),
            date_first: body.date_first.date().unwrap_or(next),
            date_next: next,
            frequency: self.words.share(&body.frequency),
            amount: body.amount.money(),
            account,
            payee: payee_place(self.plan, &body.payee_id, &body.payee_name),
            category: category_place(self.plan, &body.category_id, &body.category_name),
            transfer_account: account_place(self.plan, &body.transfer_account_id, &Text::default()),
            memo: self.words.share_some(&body.memo),
            deleted: body.deleted.unwrap_or_default(),
            lines,
        };
        self.plan.scheduled.put(row);
    }

    fn month(&mut self, body: MonthBody<'a>) {
        let Some((mut month, categories)) = body.parts() else { return };
        let old = self.plan.months.remove(&month.month).map(|old| old.categories).unwrap_or_default();
        let categories = categories.iter().map(|body| body.category(&mut self.words));
        month.categories = merged(old, categories.collect());
        self.plan.months.insert(month.month, month);
    }

    fn all(&mut self, body: PlanBody<'a>) {
        if let Some(id) = body.id.some() {
            self.plan.id = PlanId::from(id);
        }
        if let Some(name) = body.name.some() {
            self.plan.name = name.into();
        }
        if let Some(currency) = &body.currency_format {
            self.plan.currency = currency.currency();
        }
        self.plan.first_month = body.first_month.month().or(self.plan.first_month);
        self.plan.last_month = body.last_month.month().or(self.plan.last_month);
        for account in body.accounts.0 {
            self.plan.accounts.put(account.account());
        }
        for payee in &body.payees.0 {
            self.plan.payees.put(payee.payee());
        }
        let mut categories = body.categories.0;
        for group in body.category_groups.0 {
            self.plan.groups.put(group.group());
            categories.extend(group.categories.0);
        }
        for category in &categories {
            let mut row = category.category(&mut self.words);
            if let Some(group) = self.plan.groups.get(&row.group) {
                row.group_name = group.name.clone();
            }
            self.plan.categories.put(row);
        }
        for month in body.months.0 {
            self.month(month);
        }
        self.plan.transactions.reserve(body.transactions.0.len());
        for transaction in body.transactions.0 {
            self.transaction(transaction);
        }
        for line in &body.subtransactions.0 {
            if let Some(parent) = self.plan.transactions.find(line.transaction_id.as_str()) {
                let line = self.line(line);
                put_line(&mut self.plan.transactions.at_mut(parent).lines, line);
            }
        }
        for scheduled in body.scheduled_transactions.0 {
            self.scheduled(scheduled);
        }
        for line in &body.scheduled_subtransactions.0 {
            if let Some(parent) = self.plan.scheduled.find(line.scheduled_transaction_id.as_str()) {
                let line = self.line(line);
                put_line(&mut self.plan.scheduled.at_mut(parent).lines, line);
            }
        }
    }
}

/// The old rows with the new ones in their places: a delta's month carries only what changed.
fn merged(old: Vec<Category>, new: Vec<Category>) -> Vec<Category> {
    if old.is_empty() {
        return new;
    }
    let mut rows = old;
    let mut places: HashMap<CategoryId, usize> = rows.iter().enumerate().map(|(i, c)| (c.id.clone(), i)).collect();
    for row in new {
        match places.get(&row.id) {
            Some(place) => rows[*place] = row,
            None => {
                places.insert(row.id.clone(), rows.len());
                rows.push(row);
            }
        }
    }
    rows
}

pub(super) fn data<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, WireError> {
    Ok(serde_json::from_slice::<Envelope<T>>(body)?.data)
}

/// Merges the body of `GET /plans/{id}`, whole or a delta, into the plan. Returns YNAB's knowledge after it.
pub fn merge_plan(plan: &mut Plan, body: &[u8]) -> Result<i64, WireError> {
    let read: PlanData<'_> = data(body)?;
    Merge { plan, words: Words::default() }.all(read.plan);
    Ok(read.server_knowledge.0.unwrap_or_default())
}

/// Merges what any list of one plan holds (`accounts`, `payees`, `category_groups`, `transactions`,
/// `scheduled_transactions`) into the plan. Returns YNAB's knowledge after it.
pub fn merge_collection(plan: &mut Plan, body: &[u8]) -> Result<i64, WireError> {
    #[derive(Deserialize, Default)]
    struct Knowledge {
        #[serde(default)]
        server_knowledge: Number,
    }
    let mut read: PlanBody<'_> = data(body)?;
    read.name = Text::default();
    read.id = Text::default();
    Merge { plan, words: Words::default() }.all(read);
    Ok(data::<Knowledge>(body).unwrap_or_default().server_knowledge.0.unwrap_or_default())
}

/// The accounts of `GET /plans/{id}/accounts`.
pub fn accounts(body: &[u8]) -> Result<Vec<Account>, WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Accounts<'a> {
        #[serde(default, borrow)]
        accounts: List<AccountBody<'a>>,
    }
    Ok(data::<Accounts<'_>>(body)?.accounts.0.into_iter().map(AccountBody::account).collect())
}

/// The groups and categories of `GET /plans/{id}/categories`.
pub fn categories(body: &[u8]) -> Result<(Vec<Group>, Vec<Category>), WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Groups<'a> {
        #[serde(default, borrow)]
        category_groups: List<GroupBody<'a>>,
    }
    let read: Groups<'_> = data(body)?;
    let (mut words, mut groups, mut categories) = (Words::default(), Vec::new(), Vec::new());
    for body in &read.category_groups.0 {
        let group = body.group();
        categories.extend(body.categories.0.iter().map(|category| {
            let mut row = category.category(&mut words);
            row.group = group.id.clone();
            row.group_name = group.name.clone();
            row
        }));
        groups.push(group);
    }
    Ok((groups, categories))
}

/// The month of `GET /plans/{id}/months/{month}`; `None` when the body names none.
pub fn month(body: &[u8]) -> Result<Option<MonthBudget>, WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Month<'a> {
        #[serde(borrow)]
        month: MonthBody<'a>,
    }
    let mut words = Words::default();
    Ok(data::<Month<'_>>(body)?.month.parts().map(|(mut month, categories)| {
        month.categories = categories.iter().map(|body| body.category(&mut words)).collect();
        month
    }))
}

/// The plans of `GET /plans`, with their accounts' ids where they were asked for.
pub fn plans(body: &[u8]) -> Result<Vec<PlanSummary>, WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Plans<'a> {
        #[serde(default, borrow)]
        plans: List<PlanBody<'a>>,
    }
    let read: Plans<'_> = data(body)?;
    let summary = |body: &PlanBody<'_>| PlanSummary {
        id: PlanId::from(body.id.as_str()),
        name: body.name.arc(),
        first_month: body.first_month.month(),
        last_month: body.last_month.month(),
        currency: body.currency_format.as_ref().map(CurrencyBody::currency).unwrap_or_default(),
        accounts: body.accounts.0.iter().map(|account| AccountId::from(account.id.as_str())).collect(),
    };
    Ok(read.plans.0.iter().map(summary).collect())
}

/// The months that a list of months names.
pub fn month_names(body: &[u8]) -> Result<Vec<Month>, WireError> {
    #[derive(Deserialize)]
    struct Name<'a> {
        #[serde(default, borrow)]
        month: Text<'a>,
    }
    #[derive(Deserialize)]
    struct Months<'a> {
        #[serde(default, borrow)]
        months: List<Name<'a>>,
    }
    Ok(data::<Months<'_>>(body)?.months.0.iter().filter_map(|name| name.month.month()).collect())
}

/// The ids of a list of transactions.
pub fn transaction_ids(body: &[u8]) -> Result<Vec<TransactionId>, WireError> {
    #[derive(Deserialize)]
    struct Name<'a> {
        #[serde(default, borrow)]
        id: Text<'a>,
    }
    #[derive(Deserialize)]
    struct Names<'a> {
        #[serde(default, borrow)]
        transactions: List<Name<'a>>,
    }
    Ok(data::<Names<'_>>(body)?.transactions.0.iter().map(|row| TransactionId::new(row.id.arc())).collect())
}

/// The currency of `GET /plans/{id}/settings`.
pub fn settings(body: &[u8]) -> Result<Currency, WireError> {
    #[derive(Deserialize)]
    struct Settings<'a> {
        #[serde(default, borrow)]
        currency_format: Option<CurrencyBody<'a>>,
    }
    #[derive(Deserialize)]
    struct Held<'a> {
        #[serde(borrow)]
        settings: Settings<'a>,
    }
    Ok(data::<Held<'_>>(body)?.settings.currency_format.map(|currency| currency.currency()).unwrap_or_default())
}

/// Whether a body is that of `GET /user`.
pub fn user(body: &[u8]) -> Result<(), WireError> {
    #[derive(Deserialize)]
    struct User {
        #[serde(rename = "user")]
        _user: de::IgnoredAny,
    }
    data::<User>(body).map(drop)
}

/// YNAB's error detail, raw, where the body is its error envelope.
pub fn error_detail(body: &[u8]) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Failure {
        error: Detail,
    }
    #[derive(Deserialize)]
    struct Detail {
        #[serde(default)]
        id: String,
        #[serde(default)]
        detail: String,
    }
    read::<Failure>(body).map(|failure| (failure.error.id, failure.error.detail))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}
