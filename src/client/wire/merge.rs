//! Owns merging a body of YNAB's into a plan, whole or a delta, row by row as it is read, joined by id.
//! Never removes a row, and never touches a plan that nothing changed in.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::WireError;
use super::bodies::{
    AccountBody, CategoryBody, CurrencyBody, GroupBody, LineBody, MonthBody, PayeeBody, ScheduledBody, TransactionBody,
};
use super::fields::{Number, Rows, Text};
use super::words::Words;
use crate::dates::Month;
use crate::ids::{AccountId, CategoryId, PayeeId, PlanId, ScheduledId, TransactionId};
use crate::plan::{Account, Category, Cleared, Ix, Line, MonthBudget, Payee, Plan, Row, Scheduled, Table, Transaction};

/// How long a transaction is in a whole plan's body, about, in bytes.
const TRANSACTION_LENGTH: usize = 600;

/// Merges the body of `GET /plans/{id}`, or of one of the plan's lists, whole or a delta. `now` is the month whose
/// figures YNAB's categories carry. Returns YNAB's knowledge after it.
pub fn merge(plan: &mut Arc<Plan>, body: &[u8], now: Month) -> Result<i64, WireError> {
    if plan.transactions.is_empty() {
        Arc::make_mut(plan).transactions.reserve(body.len() / TRANSACTION_LENGTH);
    }
    let mut merge = Merge::new(plan);
    let mut reader = serde_json::Deserializer::from_str(std::str::from_utf8(body)?);
    Object { merge: &mut merge, at: At::Top }.deserialize(&mut reader)?;
    reader.end()?;
    // In the order in which they refer to each other.
    for rows in std::mem::take(&mut merge.later.transactions) {
        read_rows(rows, |body| merge.transaction(body))?;
    }
    for rows in std::mem::take(&mut merge.later.lines) {
        read_rows(rows, |body| merge.transaction_line(&body))?;
    }
    for rows in std::mem::take(&mut merge.later.scheduled) {
        read_rows(rows, |body| merge.scheduled(body))?;
    }
    for rows in std::mem::take(&mut merge.later.scheduled_lines) {
        read_rows(rows, |body| merge.scheduled_line(&body))?;
    }
    merge.join(now);
    Ok(merge.knowledge)
}

fn read_rows<'de, T: Deserialize<'de>>(rows: &'de RawValue, each: impl FnMut(T)) -> Result<(), serde_json::Error> {
    Rows::new(each).deserialize(&mut serde_json::Deserializer::from_str(rows.get()))
}

/// Rows that came before those they refer to, kept as they are until the end.
#[derive(Default)]
struct Later<'a> {
    transactions: Vec<&'a RawValue>,
    lines: Vec<&'a RawValue>,
    scheduled: Vec<&'a RawValue>,
    scheduled_lines: Vec<&'a RawValue>,
}

/// Which lists have been read.
#[derive(Default)]
struct Seen {
    accounts: bool,
    payees: bool,
    categories: bool,
    transactions: bool,
    scheduled: bool,
}

impl Seen {
    /// Whether everything that transactions refer to has been read.
    fn all_named(&self) -> bool {
        self.accounts && self.payees && self.categories
    }
}

struct Merge<'a, 'p> {
    plan: &'p mut Arc<Plan>,
    words: Words<'a>,
    later: Later<'a>,
    seen: Seen,
    knowledge: i64,
    /// Whether categories, their groups or months came, so that they must be joined anew.
    unjoined: bool,
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

fn line<'a>(plan: &mut Plan, words: &mut Words<'a>, body: &LineBody<'a>) -> Line {
    Line {
        id: TransactionId::from(body.id.as_str()),
        amount: body.amount.money(),
        memo: words.share_some(&body.memo),
        payee: payee_place(plan, &body.payee_id, &body.payee_name),
        category: category_place(plan, &body.category_id, &body.category_name),
        transfer_account: account_place(plan, &body.transfer_account_id, &Text::default()),
        deleted: body.deleted.unwrap_or_default(),
    }
}

/// Merges a line by id into those of its parent.
fn put_line(lines: &mut Vec<Line>, line: Line) {
    match lines.iter_mut().find(|old| old.id == line.id) {
        Some(old) => *old = line,
        None => lines.push(line),
    }
}

/// The old lines with the new ones in their places.
fn put_lines(mut lines: Vec<Line>, new: Vec<Line>) -> Vec<Line> {
    for line in new {
        put_line(&mut lines, line);
    }
    lines
}

/// The old rows with the new ones in their places: a delta's month carries only what changed.
fn put_categories(rows: &mut Vec<Category>, new: impl Iterator<Item = Category>) {
    if rows.is_empty() {
        rows.extend(new);
        return;
    }
    for (at, row) in new.enumerate() {
        // Mostly in the same order.
        let same = |old: &Category| old.id == row.id;
        let place = if rows.get(at).is_some_and(same) { Some(at) } else { rows.iter().position(same) };
        match place.and_then(|place| rows.get_mut(place)) {
            Some(old) => *old = row,
            None => rows.push(row),
        }
    }
}

impl<'a, 'p> Merge<'a, 'p> {
    fn new(plan: &'p mut Arc<Plan>) -> Self {
        Self {
            plan,
            words: Words::default(),
            later: Later::default(),
            seen: Seen::default(),
            knowledge: 0,
            unjoined: false,
        }
    }

    fn set_id(&mut self, id: &Text<'_>) {
        if let Some(id) = id.some().filter(|id| *id != self.plan.id.as_str()) {
            Arc::make_mut(self.plan).id = PlanId::from(id);
        }
    }

    fn set_name(&mut self, name: &Text<'_>) {
        if let Some(name) = name.some().filter(|name| **name != *self.plan.name) {
            Arc::make_mut(self.plan).name = name.into();
        }
    }

    fn set_currency(&mut self, body: Option<&CurrencyBody<'_>>) {
        if let Some(currency) = body.map(CurrencyBody::currency).filter(|currency| *currency != self.plan.currency) {
            Arc::make_mut(self.plan).currency = currency;
        }
    }

    fn set_months(&mut self, first: Option<Month>, last: Option<Month>) {
        let (first, last) = (first.or(self.plan.first_month), last.or(self.plan.last_month));
        if (first, last) != (self.plan.first_month, self.plan.last_month) {
            let plan = Arc::make_mut(self.plan);
            (plan.first_month, plan.last_month) = (first, last);
        }
    }

    fn account(&mut self, body: AccountBody<'a>) {
        Arc::make_mut(self.plan).accounts.put(body.account());
    }

    fn payee(&mut self, body: &PayeeBody<'a>) {
        Arc::make_mut(self.plan).payees.put(body.payee());
    }

    fn category(&mut self, body: &CategoryBody<'a>) {
        self.unjoined = true;
        Arc::make_mut(self.plan).categories.put(body.category(&mut self.words));
    }

    fn group(&mut self, body: &GroupBody<'a>) {
        self.unjoined = true;
        Arc::make_mut(self.plan).groups.put(body.group());
        for category in &body.categories.0 {
            self.category(category);
        }
    }

    fn month(&mut self, body: MonthBody<'a>) {
        let Some((month, categories)) = body.parts() else { return };
        self.unjoined = true;
        let old = Arc::make_mut(self.plan).months.remove(&month.month);
        let mut rows = old.map(|old| old.categories).unwrap_or_default();
        put_categories(&mut rows, categories.iter().map(|body| body.category(&mut self.words)));
        Arc::make_mut(self.plan).months.insert(month.month, MonthBudget { categories: rows, ..month });
    }

    fn transaction(&mut self, body: TransactionBody<'a>) {
        let (plan, words) = (Arc::make_mut(self.plan), &mut self.words);
        let Some(date) = body.date.date() else { return };
        let Some(account) = account_place(plan, &body.account_id, &body.account_name) else { return };
        let lines = body.subtransactions.0.iter().map(|body| line(plan, words, body)).collect();
        let row = Transaction {
            id: TransactionId::from(body.id.as_str()),
            date,
            amount: body.amount.money(),
            cleared: Cleared::of(body.cleared.as_str()),
            approved: body.approved.unwrap_or_default(),
            deleted: body.deleted.unwrap_or_default(),
            flag: words.share_some(&body.flag_color),
            account,
            payee: payee_place(plan, &body.payee_id, &body.payee_name),
            category: category_place(plan, &body.category_id, &body.category_name),
            transfer_account: account_place(plan, &body.transfer_account_id, &Text::default()),
            transfer_transaction: body.transfer_transaction_id.some().map(TransactionId::from),
            memo: body.memo.some().filter(|memo| !memo.is_empty()).map(Into::into),
            import_id: body.import_id.some().map(Into::into),
            lines,
        };
        plan.transactions.put_over(row, |row, old| {
            row.id = old.id;
            row.lines = put_lines(old.lines, std::mem::take(&mut row.lines));
        });
    }

    fn transaction_line(&mut self, body: &LineBody<'a>) {
        let Some(parent) = self.plan.transactions.find(body.transaction_id.as_str()) else { return };
        let plan = Arc::make_mut(self.plan);
        let line = line(plan, &mut self.words, body);
        put_line(&mut plan.transactions.at_mut(parent).lines, line);
    }

    fn scheduled(&mut self, body: ScheduledBody<'a>) {
        let (plan, words) = (Arc::make_mut(self.plan), &mut self.words);
        let Some(next) = body.date_next.date().or_else(|| body.date_first.date()) else { return };
        let Some(account) = account_place(plan, &body.account_id, &body.account_name) else { return };
        let lines = body.subtransactions.0.iter().map(|body| line(plan, words, body)).collect();
        let row = Scheduled {
            id: ScheduledId::from(body.id.as_str()),
            date_first: body.date_first.date().unwrap_or(next),
            date_next: next,
            frequency: words.share(&body.frequency),
            amount: body.amount.money(),
            account,
            payee: payee_place(plan, &body.payee_id, &body.payee_name),
            category: category_place(plan, &body.category_id, &body.category_name),
            transfer_account: account_place(plan, &body.transfer_account_id, &Text::default()),
            memo: words.share_some(&body.memo),
            deleted: body.deleted.unwrap_or_default(),
            lines,
        };
        plan.scheduled.put_over(row, |row, old| row.lines = put_lines(old.lines, std::mem::take(&mut row.lines)));
    }

    fn scheduled_line(&mut self, body: &LineBody<'a>) {
        let Some(parent) = self.plan.scheduled.find(body.scheduled_transaction_id.as_str()) else { return };
        let plan = Arc::make_mut(self.plan);
        let line = line(plan, &mut self.words, body);
        put_line(&mut plan.scheduled.at_mut(parent).lines, line);
    }

    /// Joins categories to their groups, and the months' rows to their categories: a delta sends a category that was
    /// renamed, hidden, moved or deleted without the months it is in. A target that changed is shown in the month of
    /// now, which the category's own figures are of.
    fn join(&mut self, now: Month) {
        if !self.unjoined {
            return;
        }
        let Plan { groups, categories, months, .. } = Arc::make_mut(self.plan);
        for row in categories.iter_mut() {
            if let Some(group) = groups.get(&row.group) {
                (row.group, row.group_name) = (group.id.clone(), group.name.clone());
            }
        }
        for month in months.values_mut() {
            for row in &mut month.categories {
                let Some(known) = categories.get(&row.id) else { continue };
                if month.month == now && has_figures_of(row, known) {
                    row.goal.clone_from(&known.goal);
                }
                (row.id, row.name) = (known.id.clone(), known.name.clone());
                (row.group, row.group_name) = (known.group.clone(), known.group_name.clone());
                (row.hidden, row.internal, row.deleted) = (known.hidden, known.internal, known.deleted);
            }
        }
    }
}

fn has_figures_of(one: &Category, two: &Category) -> bool {
    (one.budgeted, one.activity, one.balance) == (two.budgeted, two.activity, two.balance)
}

/// Which object of a body is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// The envelope.
    Top,
    /// What is in `data`: lists, or the plan.
    Data,
    /// The plan.
    Plan,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Data,
    Plan,
    ServerKnowledge,
    Id,
    Name,
    FirstMonth,
    LastMonth,
    CurrencyFormat,
    Accounts,
    Payees,
    CategoryGroups,
    Categories,
    Months,
    Transactions,
    Subtransactions,
    ScheduledTransactions,
    ScheduledSubtransactions,
    #[serde(other)]
    Other,
}

/// Reads an object of the body into the plan.
struct Object<'m, 'a, 'p> {
    merge: &'m mut Merge<'a, 'p>,
    at: At,
}

impl<'de> DeserializeSeed<'de> for Object<'_, 'de, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, 'de, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { merge, at } = self;
        let mut found = false;
        // One list alone refers to what is known already.
        let ordered = |seen: &Seen| at == At::Data || seen.all_named();
        while let Some(key) = map.next_key::<Key>()? {
            found |= match at {
                At::Top => matches!(key, Key::Data),
                At::Data => !matches!(key, Key::ServerKnowledge | Key::Other),
                At::Plan => matches!(key, Key::Id),
            };
            match key {
                Key::Data if at == At::Top => {
                    map.next_value_seed(Object { merge, at: At::Data })?;
                }
                _ if at == At::Top => drop(map.next_value::<IgnoredAny>()?),
                Key::Plan if at == At::Data => map.next_value_seed(Object { merge, at: At::Plan })?,
                Key::ServerKnowledge => merge.knowledge = map.next_value::<Number>()?.0.unwrap_or_default(),
                Key::Id => merge.set_id(&map.next_value()?),
                Key::Name => merge.set_name(&map.next_value()?),
                Key::FirstMonth => merge.set_months(map.next_value::<Text<'_>>()?.month(), None),
                Key::LastMonth => merge.set_months(None, map.next_value::<Text<'_>>()?.month()),
                Key::CurrencyFormat => merge.set_currency(map.next_value::<Option<_>>()?.as_ref()),
                Key::Accounts => {
                    merge.seen.accounts = true;
                    map.next_value_seed(Rows::new(|body| merge.account(body)))?;
                }
                Key::Payees => {
                    merge.seen.payees = true;
                    map.next_value_seed(Rows::new(|body| merge.payee(&body)))?;
                }
                Key::CategoryGroups => map.next_value_seed(Rows::new(|body| merge.group(&body)))?,
                Key::Categories => {
                    merge.seen.categories = true;
                    map.next_value_seed(Rows::new(|body| merge.category(&body)))?;
                }
                Key::Months => map.next_value_seed(Rows::new(|body| merge.month(body)))?,
                Key::Transactions if ordered(&merge.seen) => {
                    merge.seen.transactions = true;
                    map.next_value_seed(Rows::new(|body| merge.transaction(body)))?;
                }
                Key::Transactions => merge.later.transactions.extend(map.next_value::<Option<&RawValue>>()?),
                Key::Subtransactions if merge.seen.transactions => {
                    map.next_value_seed(Rows::new(|body| merge.transaction_line(&body)))?;
                }
                Key::Subtransactions => merge.later.lines.extend(map.next_value::<Option<&RawValue>>()?),
                Key::ScheduledTransactions if ordered(&merge.seen) => {
                    merge.seen.scheduled = true;
                    map.next_value_seed(Rows::new(|body| merge.scheduled(body)))?;
                }
                Key::ScheduledTransactions => merge.later.scheduled.extend(map.next_value::<Option<&RawValue>>()?),
                Key::ScheduledSubtransactions if merge.seen.scheduled => {
                    map.next_value_seed(Rows::new(|body| merge.scheduled_line(&body)))?;
                }
                Key::ScheduledSubtransactions => {
                    merge.later.scheduled_lines.extend(map.next_value::<Option<&RawValue>>()?);
                }
                Key::Data | Key::Plan | Key::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let missing = match at {
            At::Top => "data",
            At::Data => "plan",
            At::Plan => "id",
        };
        if found { Ok(()) } else { Err(serde::de::Error::missing_field(missing)) }
    }
}
