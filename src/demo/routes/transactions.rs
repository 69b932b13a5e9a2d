//! Owns the routes of transactions: their lists, their creation, their changes, the bank's import.
//! Never checks a field: that is `entries`.

use serde::{Deserialize, Serialize};

use super::Answered;
use crate::dates::{Date, Month};
use crate::demo::bodies::{TransactionBody, answer, answer_data};
use crate::demo::book::{Book, TransactionIx, live};
use crate::demo::entries::{SaveTransaction, years_before};
use crate::demo::inputs::{Only, Query, body};
use crate::demo::refused::Refused;
use crate::demo::rows::{Clearing, Text, Transaction};
use crate::demo::{Request, Response};
use crate::ids::{AccountId, CategoryId, PayeeId, TransactionId};

#[derive(Deserialize)]
struct One {
    transaction: SaveTransaction,
}

#[derive(Deserialize)]
struct Many {
    transactions: Vec<SaveTransaction>,
}

#[derive(Deserialize)]
struct OneOrMany {
    transaction: Option<SaveTransaction>,
    transactions: Option<Vec<SaveTransaction>>,
}

#[derive(Serialize)]
struct Saved<'a> {
    transaction_ids: Vec<&'a TransactionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction: Option<TransactionBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transactions: Option<Vec<TransactionBody<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_import_ids: Option<Vec<Text>>,
    server_knowledge: i64,
}

/// Which transactions a list is about.
#[derive(Clone, Copy)]
pub(super) enum Of<'a> {
    Plan,
    Account(&'a str),
    Month(Month),
}

/// Whose lines a list is about.
#[derive(Clone, Copy)]
pub(super) enum LinesOf<'a> {
    Category(&'a str),
    Payee(&'a str),
}

impl LinesOf<'_> {
    fn holds(self, category: &Option<CategoryId>, payee: &Option<PayeeId>) -> bool {
        match self {
            Self::Category(id) => category.as_ref().is_some_and(|category| category.as_str() == id),
            Self::Payee(id) => payee.as_ref().is_some_and(|payee| payee.as_str() == id),
        }
    }
}

impl Book {
    /// Answers a request below `/transactions`.
    pub(super) fn route_transactions(&mut self, request: &Request<'_>, steps: &[&str], query: &Query) -> Answered {
        match (request.method, steps) {
            ("GET", []) => Ok(self.list(query, Of::Plan)),
            ("POST", []) => self.create(body(request.body)?),
            ("PATCH", []) => self.update_many(body(request.body)?),
            ("POST", ["import"]) => self.bring_in(),
            ("GET", [id]) => self.show_transaction(live(&self.transactions, id)?),
            ("PUT", [id]) => self.update_one(id, body(request.body)?),
            ("DELETE", [id]) => {
                let ix = live(&self.transactions, id)?;
                self.begin();
                self.delete(ix);
                self.show_transaction(ix)
            }
            _ => Err(Refused::no_route()),
        }
    }

    /// Whether a list with that query holds a transaction; without `since_date` it goes back to `oldest`.
    fn lists(&self, query: &Query, oldest: Date, row: &Transaction) -> bool {
        let from = query.since_date.unwrap_or(oldest);
        let dated = from <= row.date && query.until_date.is_none_or(|until| row.date <= until);
        dated
            && query.since().lists(row)
            && match query.only {
                None => true,
                Some(Only::Unapproved) => !row.approved,
                Some(Only::Uncategorized) => self.lacks_category(row),
            }
    }

    fn lacks_category(&self, row: &Transaction) -> bool {
        let lacks = |category, other: &Option<AccountId>| {
            self.is_uncategorized(category) && !other.as_ref().is_some_and(|other| self.on_budget(other))
        };
        let any = if row.is_split() {
            row.live_lines().any(|line| lacks(&line.category_id, &line.transfer_account_id))
        } else {
            lacks(&row.category_id, &row.transfer_account_id)
        };
        self.on_budget(&row.account_id) && any
    }

    /// The first day of a list that names none: a year ago.
    fn year_ago(&self) -> Date {
        years_before(self.today, 1)
    }

    /// The transactions of the plan, of an account or of a month.
    pub(super) fn list(&self, query: &Query, of: Of<'_>) -> Response {
        // The list of a month is the only one that does not stop a year ago.
        let oldest = if matches!(of, Of::Month(_)) { Date::MIN } else { self.year_ago() };
        let within = |row: &&Transaction| match of {
            Of::Plan => true,
            Of::Account(id) => row.account_id.as_str() == id,
            Of::Month(month) => Month::of(row.date) == month,
        };
        let listed = self.transactions.iter().filter(within).filter(|row| self.lists(query, oldest, row));
        let bodies: Vec<_> = listed.map(|row| self.transaction_body(row)).collect();
        answer(200, "transactions", bodies, Some(self.knowledge))
    }

    /// The transactions and lines of a category or a payee.
    pub(super) fn list_lines(&self, query: &Query, of: LinesOf<'_>) -> Response {
        let listed = self.transactions.iter().filter(|row| self.lists(query, self.year_ago(), row));
        let mut bodies = Vec::new();
        for row in listed {
            if of.holds(&row.category_id, &row.payee_id) {
                bodies.push(self.hybrid_body(row, None));
            } else {
                let lines = row.live_lines().filter(|line| of.holds(&line.category_id, &line.payee_id));
                bodies.extend(lines.map(|line| self.hybrid_body(row, Some(line))));
            }
        }
        answer(200, "transactions", bodies, Some(self.knowledge))
    }

    fn show_transaction(&self, ix: TransactionIx) -> Answered {
        let body = self.transaction_body(&self.transactions[ix]);
        Ok(answer(200, "transaction", body, Some(self.knowledge)))
    }

    fn create(&mut self, item: OneOrMany) -> Answered {
        match item {
            OneOrMany { transaction: Some(item), transactions: None } => self.create_one(&item),
            OneOrMany { transaction: None, transactions: Some(items) } if !items.is_empty() => self.create_many(&items),
            _ => Err(Refused::bad("either transaction or transactions is required")),
        }
    }

    fn create_one(&mut self, item: &SaveTransaction) -> Answered {
        let draft = self.draft_new(item)?;
        if self.is_duplicate(item) {
            return Err(Refused::taken());
        }
        self.begin();
        let ix = self.write(draft);
        let row = &self.transactions[ix];
        let saved = Saved {
            transaction_ids: vec![&row.id],
            transaction: Some(self.transaction_body(row)),
            transactions: None,
            duplicate_import_ids: None,
            server_knowledge: self.knowledge,
        };
        Ok(answer_data(201, saved))
    }

    fn create_many(&mut self, items: &[SaveTransaction]) -> Answered {
        for (index, item) in items.iter().enumerate() {
            self.draft_new(item).map_err(|refused| refused.of_item(index))?;
        }
        self.begin();
        let (mut made, mut duplicates) = (Vec::new(), Vec::new());
        for item in items {
            match item.import_id.clone().filter(|_| self.is_duplicate(item)) {
                Some(import_id) => duplicates.push(import_id),
                None => {
                    let draft = self.draft_new(item)?;
                    made.push(self.write(draft));
                }
            }
        }
        Ok(self.show_many(201, &made, duplicates))
    }

    fn show_many(&self, status: u16, rows: &[TransactionIx], duplicates: Vec<Text>) -> Response {
        let rows = || rows.iter().map(|ix| &self.transactions[*ix]);
        let saved = Saved {
            transaction_ids: rows().map(|row| &row.id).collect(),
            transaction: None,
            transactions: Some(rows().map(|row| self.transaction_body(row)).collect()),
            duplicate_import_ids: Some(duplicates),
            server_knowledge: self.knowledge,
        };
        answer_data(status, saved)
    }

    fn update_one(&mut self, id: &str, One { transaction }: One) -> Answered {
        let ix = live(&self.transactions, id)?;
        let draft = self.draft_change(ix, &transaction)?;
        self.begin();
        self.write(draft);
        self.show_transaction(ix)
    }

    /// The transaction that an item of a bulk change is about.
    fn meant(&self, item: &SaveTransaction) -> Result<TransactionIx, Refused> {
        let unknown = || Refused::bad("transaction does not exist in this plan");
        match (&item.id, &item.import_id) {
            (Some(_), Some(_)) => Err(Refused::bad("id and import_id may not both be given")),
            (Some(id), None) => live(&self.transactions, id.as_str()).map_err(|_| unknown()),
            (None, Some(import_id)) => {
                let mut rows = self.imported_as(import_id).filter(|ix| !self.transactions[*ix].deleted);
                rows.next().ok_or_else(unknown)
            }
            (None, None) => Err(Refused::bad("id or import_id is required")),
        }
    }

    fn update_many(&mut self, Many { transactions: items }: Many) -> Answered {
        if items.is_empty() {
            return Err(Refused::bad("transactions is required"));
        }
        let mut rows = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let checked = self.meant(item).and_then(|ix| self.draft_change(ix, item).map(|_| ix));
            rows.push(checked.map_err(|refused| refused.of_item(index))?);
        }
        let mut once = rows.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() < rows.len() {
            return Err(Refused::bad("a transaction may be given only once"));
        }
        self.begin();
        for (ix, item) in rows.iter().zip(&items) {
            // Checked already; made again because an item before may have changed the other side of its transfer.
            let draft = self.draft_change(*ix, item)?;
            self.write(draft);
        }
        Ok(self.show_many(200, &rows, Vec::new()))
    }

    /// Enters what the bank holds: cleared, unapproved, and each import id once.
    fn bring_in(&mut self) -> Answered {
        let items = std::mem::take(&mut self.imports);
        let new: Vec<_> = items.into_iter().filter(|item| !self.is_duplicate(item)).collect();
        if new.is_empty() {
            return Ok(answer(200, "transaction_ids", [(); 0], None));
        }
        self.begin();
        let mut ids = Vec::new();
        for item in new {
            let cleared = Some(Clearing::Cleared);
            let draft = self.draft_new(&SaveTransaction { cleared, approved: Some(false), ..item })?;
            let ix = self.write(draft);
            ids.push(self.transactions[ix].id.clone());
        }
        Ok(answer(201, "transaction_ids", ids, None))
    }
}
