//! Owns the files that recorded plans are kept in: a head and the plans as `GET /plans/{id}` gives them, deleted rows
//! included. Figures in them are not believed: they are computed again from the rows.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Ynab;
use super::book::Book;
use super::entries::SaveTransaction;
use super::rows::{
    Account, Category, CurrencyFormat, DateFormat, Group, Line, Payee, Scheduled, ScheduledLine, Text, Transaction,
};
use super::uuid;
use crate::dates::{Date, Month};
use crate::ids::{CategoryId, PlanId};
use crate::money::Milliunits;

#[derive(Deserialize)]
struct File {
    today: Date,
    user: Option<User>,
    last_used: Option<PlanId>,
    default_plan: Option<PlanId>,
    #[serde(default = "hundred")]
    server_knowledge: i64,
    #[serde(default)]
    imports: BTreeMap<PlanId, Vec<SaveTransaction>>,
    plans: Vec<PlanFile>,
}

fn hundred() -> i64 {
    100
}

#[derive(Deserialize)]
struct User {
    id: Text,
}

#[derive(Deserialize)]
struct PlanFile {
    id: PlanId,
    name: Text,
    last_modified_on: Option<Text>,
    first_month: Month,
    last_month: Month,
    date_format: Option<DateFormat>,
    currency_format: Option<CurrencyFormat>,
    #[serde(default)]
    accounts: Vec<Account>,
    #[serde(default)]
    payees: Vec<Payee>,
    #[serde(default)]
    payee_locations: Vec<Box<RawValue>>,
    #[serde(default)]
    category_groups: Vec<Group>,
    #[serde(default)]
    categories: Vec<Category>,
    #[serde(default)]
    months: Vec<MonthFile>,
    #[serde(default)]
    transactions: Vec<Transaction>,
    #[serde(default)]
    subtransactions: Vec<Line>,
    #[serde(default)]
    scheduled_transactions: Vec<Scheduled>,
    #[serde(default)]
    scheduled_subtransactions: Vec<ScheduledLine>,
}

#[derive(Deserialize)]
struct MonthFile {
    month: Month,
    note: Option<Text>,
    #[serde(default)]
    categories: Vec<Assigned>,
}

#[derive(Deserialize)]
struct Assigned {
    id: CategoryId,
    #[serde(default)]
    budgeted: Milliunits,
}

/// Reads such a file.
pub(super) fn read(bytes: &[u8]) -> Result<Ynab, serde_json::Error> {
    let mut file: File = serde_json::from_slice(bytes)?;
    let first = file.plans.first().map(|plan| plan.id.clone());
    let plans = file.plans.into_iter().map(|plan| {
        let imports = file.imports.remove(&plan.id).unwrap_or_default();
        plan.book(file.today, file.server_knowledge, imports)
    });
    Ok(Ynab {
        today: file.today,
        user: file.user.map_or_else(|| uuid::named("user").into(), |user| user.id),
        plans: plans.collect(),
        last_used: file.last_used.or(first),
        default_plan: file.default_plan,
    })
}

impl PlanFile {
    fn book(self, today: Date, knowledge: i64, imports: Vec<SaveTransaction>) -> Book {
        let mut book = Book::new(self.id, self.name, today, knowledge);
        (book.first_month, book.last_month) = (self.first_month, self.last_month);
        (book.date_format, book.currency) = (self.date_format, self.currency_format);
        (book.locations, book.imports) = (self.payee_locations, imports);
        if let Some(modified) = self.last_modified_on {
            book.last_modified_on = modified;
        }
        self.category_groups.into_iter().for_each(|group| book.put_group(group));
        for category in self.categories {
            book.put_category(category);
        }
        for account in self.accounts {
            book.put_account(account);
        }
        for payee in self.payees {
            book.put_payee(payee);
        }
        for month in self.months {
            if let Some(note) = month.note {
                book.notes.insert(month.month, note);
            }
            for assigned in month.categories.into_iter().filter(|assigned| !assigned.budgeted.is_zero()) {
                if let Some(category) = book.categories.find(&assigned.id) {
                    book.assign(month.month, category, assigned.budgeted);
                }
            }
        }
        let mut lines: HashMap<_, Vec<Line>> = HashMap::new();
        for line in self.subtransactions {
            lines.entry(line.transaction_id.clone()).or_default().push(line);
        }
        for mut row in self.transactions {
            row.lines = lines.remove(&row.id).unwrap_or_default();
            book.put_transaction(row);
        }
        let mut lines: HashMap<_, Vec<ScheduledLine>> = HashMap::new();
        for line in self.scheduled_subtransactions {
            lines.entry(line.scheduled_transaction_id.clone()).or_default().push(line);
        }
        for mut row in self.scheduled_transactions {
            row.lines = lines.remove(&row.id).unwrap_or_default();
            book.put_scheduled(row);
        }
        book
    }
}
