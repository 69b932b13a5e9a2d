//! Owns the routes below one plan: which request does what, and in which shape it is answered.
//! Never knows of other plans, nor of HTTP beyond a method, a path and a body.

mod transactions;

use serde::Deserialize;
use transactions::{LinesOf, Of};

use super::bodies::answer;
use super::book::{Book, CategoryIx, live};
use super::entries::not_internal;
use super::inputs::{Query, body};
use super::refused::Refused;
use super::rows::{Category, Group, Kept, Text};
use super::targets::{Paired, SaveCategory};
use super::{Request, Response};
use crate::dates::Month;
use crate::ids::{CategoryId, GroupId};
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
            (_, ["transactions", rest @ ..]) => self.route_transactions(request, rest, query),
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
}
