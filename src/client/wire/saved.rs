//! Owns what YNAB answers to a change: the rows as they are now. Never decides whether that is what was asked.

use std::borrow::Cow;

use serde::Deserialize;

use super::bodies::{CategoryBody, PayeeBody};
use super::fields::{List, Number, Text};
use super::words::Words;
use super::{WireError, data};
use crate::ids::TransactionId;
use crate::money::Milliunits;
use crate::plan::{Category, Payee};

/// A transaction as a change's answer shows it.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct SavedRow<'a> {
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
    payee_name: Text<'a>,
    #[serde(default, borrow)]
    category_id: Text<'a>,
    #[serde(default, borrow)]
    category_name: Text<'a>,
    #[serde(default, borrow)]
    import_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    subtransactions: List<SavedLine<'a>>,
}

/// A split line as a change's answer shows it.
#[derive(Deserialize)]
pub struct SavedLine<'a> {
    #[serde(default)]
    amount: Number,
    #[serde(default, borrow)]
    memo: Text<'a>,
    #[serde(default, borrow)]
    category_id: Text<'a>,
    #[serde(default)]
    deleted: Option<bool>,
}

macro_rules! texts {
    ($row:ident: $($(#[$doc:meta])* $name:ident),* $(,)?) => {
        impl $row<'_> {$(
            $(#[$doc])*
            pub fn $name(&self) -> &str {
                self.$name.as_str()
            }
        )*}
    };
}

texts! { SavedRow:
    /// Its id.
    id,
    /// Its day, `YYYY-MM-DD`.
    date,
    /// Its memo; empty when it has none.
    memo,
    /// YNAB's word.
    cleared,
    /// YNAB's word; empty when it has none.
    flag_color,
    /// Its account.
    account_id,
    /// Its payee's name.
    payee_name,
    /// Its category; empty when it has none.
    category_id,
    /// Its category's name.
    category_name,
    /// What the import knows it by.
    import_id,
}

texts! { SavedLine:
    /// Its memo; empty when it has none.
    memo,
    /// Its category; empty when it has none.
    category_id,
}

impl<'a> SavedRow<'a> {
    /// Its amount.
    pub fn amount(&self) -> Milliunits {
        self.amount.money()
    }

    /// Whether it is approved.
    pub fn approved(&self) -> bool {
        self.approved.unwrap_or_default()
    }

    /// Whether it is deleted.
    pub fn deleted(&self) -> bool {
        self.deleted.unwrap_or_default()
    }

    /// Its split lines that are not deleted.
    pub fn lines(&self) -> impl Iterator<Item = &SavedLine<'a>> {
        self.subtransactions.0.iter().filter(|line| !line.deleted.unwrap_or_default())
    }
}

impl SavedLine<'_> {
    /// Its amount.
    pub fn amount(&self) -> Milliunits {
        self.amount.money()
    }
}

/// The answer to a change of transactions, one or many.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct Saved<'a> {
    #[serde(default, borrow)]
    transaction_ids: List<Cow<'a, str>>,
    #[serde(default)]
    transactions: List<SavedRow<'a>>,
    #[serde(default)]
    transaction: Option<SavedRow<'a>>,
    #[serde(default, borrow)]
    duplicate_import_ids: List<Cow<'a, str>>,
}

impl<'a> Saved<'a> {
    /// The transactions that changed or were made.
    pub fn rows(&self) -> impl Iterator<Item = &SavedRow<'a>> {
        self.transactions.0.iter().chain(&self.transaction)
    }

    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.transaction_ids.0.iter().map(|id| &**id)
    }

    /// Import ids that YNAB knew already.
    pub fn duplicates(&self) -> impl Iterator<Item = &str> {
        self.duplicate_import_ids.0.iter().map(|id| &**id)
    }
}

/// The answer to a change of transactions.
pub fn transactions(body: &[u8]) -> Result<Saved<'_>, WireError> {
    data(body)
}

/// The ids of what a bank import brought, from an answer that says so.
pub fn imported(body: &[u8]) -> Result<Vec<TransactionId>, WireError> {
    #[derive(Deserialize)]
    struct Brought {
        transaction_ids: Vec<TransactionId>,
    }
    Ok(data::<Brought>(body)?.transaction_ids)
}

/// The answer to a change of a category.
pub fn category(body: &[u8]) -> Result<Category, WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct One<'a> {
        #[serde(borrow)]
        category: CategoryBody<'a>,
    }
    Ok(data::<One<'_>>(body)?.category.category(&mut Words::default()))
}

/// The answer to a change of a payee.
pub fn payee(body: &[u8]) -> Result<Payee, WireError> {
    #[derive(Deserialize)]
    struct One<'a> {
        #[serde(borrow)]
        payee: PayeeBody<'a>,
    }
    Ok(data::<One<'_>>(body)?.payee.payee())
}
