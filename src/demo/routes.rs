//! Owns the routes below one plan: which request does what, and in which shape it is answered.
//! Never knows of other plans, nor of HTTP beyond a method, a path and a body.

use serde::{Deserialize, Serialize};

use super::bodies::{TransactionBody, answer, answer_data};
use super::book::{Book, CategoryIx, TransactionIx, live};
use super::entries::{SaveTransaction, not_internal, years_before};
use super::inputs::{Only, Query, body};
use super::refused::Refused;
use super::rows::{Category, Group, Kept, Line, Text, Transaction};
use super::targets::{Paired, SaveCategory};
use super::{Request, Response};
use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, GroupId, TransactionId};
use crate::money::Milliunits;
use crate::plan::{CARD_PAYMENTS_GROUP, INTERNAL_GROUP, Ix};

/// The longest names, in characters.
const GROUP_NAME_MAX: usize = 50;
const PAYEE_NAME_MAX: usize = 500;

type Answered = Result<Response, Refused>;

#[derive(Deserialize)]
struct NamedCategory {
    category: SaveCategory,
}

#[derive(Deserialize)]
struct Budgeted {
    category: BudgetedAmount,
}

#[derive(Deserialize)]
struct BudgetedAmount {
    budgeted: i64,
}

#[derive(Deserialize)]
struct NamedGroup {
    category_group: Named,
}

#[derive(Deserialize)]
struct NamedPayee {
    payee: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

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

/// A name without the spaces around it.
fn name(text: &str, longest: usize) -> Result<Text, Refused> {
    let name = text.trim();
    match name {
        "" => Err(Refused::bad("name can't be blank")),
        _ if name.chars().count() > longest => {
            Err(Refused::bad(format!("name is too long (maximum is {longest} characters)")))
        }
        _ => Ok(name.into()),
    }
}

/// Which transactions a list is about.
#[derive(Clone, Copy)]
enum Of<'a> {
    Plan,
    Account(&'a str),
    Month(Month),
}

/// Whose lines a list is about.
#[derive(Clone, Copy)]
enum LinesOf<'a> {
    Category(&'a str),
    Payee(&'a str),
}

impl LinesOf<'_> {
    fn matches(self, category: Option<&str>, payee: Option<&str>) -> bool {
        match self {
            Self::Category(id) => category == Some(id),
            Self::Payee(id) => payee == Some(id),
        }
    }

    fn holds(self, row: &Transaction) -> bool {
        self.matches(row.category_id.as_ref().map(|id| id.as_str()), row.payee_id.as_ref().map(|id| id.as_str()))
    }

    fn holds_line(self, row: &Line) -> bool {
        self.matches(row.category_id.as_ref().map(|id| id.as_str()), row.payee_id.as_ref().map(|id| id.as_str()))
    }
}

impl Book {
    /// Answers a request; `steps` are what follows the plan's id in the path.
    pub(super) fn route(&mut self, request: &Request<'_>, steps: &[&str], query: &Query) -> Answered {
        self.settle();
        let since = query.since();
        let known = Some(self.knowledge);
        match (request.method, steps) {
            ("GET", []) => Ok(answer(200, "plan", self.export(since), known)),
            ("GET", ["settings"]) => Ok(answer(200, "settings", self.settings(), None)),
            ("GET", ["accounts"]) => {
                let listed = self.accounts.iter().filter(|row| since.lists(*row));
                Ok(answer(200, "accounts", listed.map(|row| self.account_body(row)).collect::<Vec<_>>(), known))
            }
            ("GET", ["accounts", id]) => {
                let ix = live(&self.accounts, id)?;
                Ok(answer(200, "account", self.account_body(&self.accounts[ix]), None))
            }
            ("GET", ["accounts", id, "transactions"]) => {
                live(&self.accounts, id)?;
                Ok(self.list(query, Of::Account(id)))
            }
            ("GET", ["categories"]) => Ok(answer(200, "category_groups", self.group_bodies(since), known)),
            ("POST", ["categories"]) => self.create_category(body(request.body)?),
            ("GET", ["categories", id]) => self.show_category(200, id, self.current_month(), None),
            ("PATCH", ["categories", id]) => self.update_category(id, body(request.body)?),
            ("GET", ["categories", id, "transactions"]) => {
                live(&self.categories, id)?;
                Ok(self.list_lines(query, LinesOf::Category(id)))
            }
            ("POST", ["category_groups"]) => self.create_group(body(request.body)?),
            ("PATCH", ["category_groups", id]) => self.update_group(id, body(request.body)?),
            ("GET", ["months"]) => Ok(answer(200, "months", self.month_summaries(since), known)),
            ("GET", ["months", month]) => {
                let month = self.month(month)?;
                let detail = self.month_detail(month).ok_or_else(Refused::missing)?;
                Ok(answer(200, "month", detail, None))
            }
            ("GET", ["months", month, "transactions"]) => Ok(self.list(query, Of::Month(self.month(month)?))),
            ("GET", ["months", month, "categories", id]) => self.show_category(200, id, self.month(month)?, None),
            ("PATCH", ["months", month, "categories", id]) => self.budget(month, id, body(request.body)?),
            ("GET", ["payees"]) => {
                let listed = self.payees.iter().filter(|row| since.lists(*row));
                Ok(answer(200, "payees", listed.collect::<Vec<_>>(), known))
            }
            ("POST", ["payees"]) => self.create_payee(body(request.body)?),
            ("GET", ["payees", id]) => {
                let ix = live(&self.payees, id)?;
                Ok(answer(200, "payee", &self.payees[ix], None))
            }
            ("PATCH", ["payees", id]) => self.update_payee(id, body(request.body)?),
            ("GET", ["payees", id, "transactions"]) => {
                live(&self.payees, id)?;
                Ok(self.list_lines(query, LinesOf::Payee(id)))
            }
            ("GET", ["transactions"]) => Ok(self.list(query, Of::Plan)),
            ("POST", ["transactions"]) => self.create(body(request.body)?),
            ("PATCH", ["transactions"]) => self.update_many(body(request.body)?),
            ("POST", ["transactions", "import"]) => self.bring_in(),
            ("GET", ["transactions", id]) => self.show_transaction(live(&self.transactions, id)?),
            ("PUT", ["transactions", id]) => self.update_one(id, body(request.body)?),
            ("DELETE", ["transactions", id]) => {
                let ix = live(&self.transactions, id)?;
                self.begin();
                self.delete(ix);
                self.show_transaction(ix)
            }
            ("GET", ["scheduled_transactions"]) => {
                let listed = self.scheduled.iter().filter(|row| since.lists(*row));
                let bodies: Vec<_> = listed.map(|row| self.scheduled_body(row)).collect();
                Ok(answer(200, "scheduled_transactions", bodies, known))
            }
            ("GET", ["scheduled_transactions", id]) => {
                let ix = live(&self.scheduled, id)?;
                Ok(answer(200, "scheduled_transaction", self.scheduled_body(&self.scheduled[ix]), None))
            }
            _ => Err(Refused::no_route()),
        }
    }

    // Categories.

    fn show_category(&self, status: u16, id: &str, month: Month, known: Option<i64>) -> Answered {
        let ix = live(&self.categories, id)?;
        Ok(answer(status, "category", self.category_body(ix, month), known))
    }

    /// Answers a write of a category, with the figures that it gives.
    fn show_saved(&mut self, status: u16, ix: CategoryIx, month: Month) -> Answered {
        self.settle();
        Ok(answer(status, "category", self.category_body(ix, month), Some(self.knowledge)))
    }

    /// A group that a category may be put in.
    fn open_group(&self, id: &GroupId) -> Result<GroupId, Refused> {
        let refused = || Refused::bad("category_group_id is invalid");
        let ix = live(&self.groups, id.as_str()).map_err(|_| refused())?;
        let own = [INTERNAL_GROUP, CARD_PAYMENTS_GROUP].contains(&&*self.groups[ix].name);
        if own { Err(refused()) } else { Ok(id.clone()) }
    }

    fn create_category(&mut self, NamedCategory { category: item }: NamedCategory) -> Answered {
        let name = name(item.name.as_deref().unwrap_or_default(), usize::MAX)?;
        let group = item.category_group_id.as_ref().ok_or_else(|| Refused::bad("category_group_id is required"))?;
        let row = Category {
            category_group_id: self.open_group(group)?,
            name,
            note: item.note.clone().flatten(),
            goal: item.goal(&Default::default(), Paired::Nothing, self.today)?,
            ..Category::default()
        };
        self.begin();
        let id = CategoryId::new(self.new_id("category"));
        let ix = self.put_category(Category { id, ..row });
        self.show_saved(201, ix, self.current_month())
    }

    fn update_category(&mut self, id: &str, NamedCategory { category: item }: NamedCategory) -> Answered {
        let ix = live(&self.categories, id)?;
        let before = &self.categories[ix];
        let card = self.group_is(before, CARD_PAYMENTS_GROUP);
        let paired = match before.loan {
            _ if card => Paired::Card,
            true => Paired::Loan,
            false => Paired::Nothing,
        };
        if before.internal || self.group_is(before, INTERNAL_GROUP) {
            return Err(Refused::bad("an internal category may not be changed"));
        }
        let mut row = before.clone();
        if let Some(new) = &item.name {
            row.name = name(new, usize::MAX)?;
        }
        if let Some(group) = &item.category_group_id {
            row.category_group_id = self.open_group(group)?;
        }
        if card && (row.name != before.name || row.category_group_id != before.category_group_id) {
            return Err(Refused::bad("a credit card payment category may not be renamed or moved"));
        }
        if let Some(note) = &item.note {
            row.note = note.clone();
        }
        row.goal = item.goal(&before.goal, paired, self.today)?;
        self.begin();
        self.change_category(ix, row);
        self.show_saved(200, ix, self.current_month())
    }

    fn create_group(&mut self, NamedGroup { category_group }: NamedGroup) -> Answered {
        let name = name(&category_group.name, GROUP_NAME_MAX)?;
        self.begin();
        let id = GroupId::new(self.new_id("group"));
        self.put_group(Group { id: id.clone(), name, ..Group::default() });
        self.show_group(201, live(&self.groups, id.as_str())?)
    }

    fn update_group(&mut self, id: &str, NamedGroup { category_group }: NamedGroup) -> Answered {
        let ix = live(&self.groups, id)?;
        let name = name(&category_group.name, GROUP_NAME_MAX)?;
        if self.groups[ix].internal || [INTERNAL_GROUP, CARD_PAYMENTS_GROUP].contains(&&*self.groups[ix].name) {
            return Err(Refused::bad("an internal category group may not be changed"));
        }
        self.begin();
        let knowledge = self.knowledge;
        let group = self.groups.at_mut(ix);
        group.name = name;
        group.set_stamp(knowledge);
        self.show_group(200, ix)
    }

    fn show_group(&self, status: u16, ix: Ix<Group>) -> Answered {
        Ok(answer(status, "category_group", &self.groups[ix], Some(self.knowledge)))
    }

    // Months.

    /// A month of the plan, as a path names it.
    fn month(&self, text: &str) -> Result<Month, Refused> {
        let month = match text {
            "current" => Month::of(self.today),
            _ => Month::parse(text).ok_or_else(|| Refused::bad("month is invalid"))?,
        };
        let known = (self.first_month..=self.last_month).contains(&month);
        known.then_some(month).ok_or_else(Refused::missing)
    }

    fn budget(&mut self, month: &str, id: &str, Budgeted { category }: Budgeted) -> Answered {
        let (month, ix) = (self.month(month)?, live(&self.categories, id)?);
        let row = &self.categories[ix];
        if row.internal || self.group_is(row, INTERNAL_GROUP) {
            return Err(Refused::bad("an internal category has no assigned amount"));
        }
        self.begin();
        self.assign(month, ix, Milliunits::new(category.budgeted));
        self.show_saved(200, ix, month)
    }

    // Payees.

    fn create_payee(&mut self, NamedPayee { payee }: NamedPayee) -> Answered {
        let name = name(&payee.name, PAYEE_NAME_MAX)?;
        not_internal(&name)?;
        self.begin();
        let id = self.make_payee(name);
        let ix = live(&self.payees, id.as_str())?;
        Ok(answer(201, "payee", &self.payees[ix], Some(self.knowledge)))
    }

    fn update_payee(&mut self, id: &str, NamedPayee { payee }: NamedPayee) -> Answered {
        let ix = live(&self.payees, id)?;
        let name = name(&payee.name, PAYEE_NAME_MAX)?;
        not_internal(&name)?;
        let row = &self.payees[ix];
        if row.transfer_account_id.is_some() || not_internal(&row.name).is_err() {
            return Err(Refused::bad("an internal payee may not be renamed"));
        }
        self.begin();
        self.rename_payee(ix, name);
        Ok(answer(200, "payee", &self.payees[ix], Some(self.knowledge)))
    }

    // Transactions.

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

    fn list(&self, query: &Query, of: Of<'_>) -> Response {
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

    fn list_lines(&self, query: &Query, of: LinesOf<'_>) -> Response {
        let listed = self.transactions.iter().filter(|row| self.lists(query, self.year_ago(), row));
        let mut bodies = Vec::new();
        for row in listed {
            if of.holds(row) {
                bodies.push(self.hybrid_body(row, None));
            } else {
                let lines = row.live_lines().filter(|line| of.holds_line(line));
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
            let cleared = Some(super::rows::Clearing::Cleared);
            let draft = self.draft_new(&SaveTransaction { cleared, approved: Some(false), ..item })?;
            let ix = self.write(draft);
            ids.push(self.transactions[ix].id.clone());
        }
        Ok(answer(201, "transaction_ids", ids, None))
    }
}
