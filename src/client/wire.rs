//! Owns YNAB's JSON: reading its bodies into what the logic uses, straight from the bytes, no tree in between.
//! Never sends a request, and never breaks on a field, a word or a null it does not know.

mod bodies;
mod fields;
mod merge;
pub mod saved;
#[cfg(test)]
mod tests;
mod words;

use serde::{Deserialize, de, de::DeserializeOwned};

use self::bodies::{AccountBody, CurrencyBody, GroupBody, MonthBody, PlanBody};
use self::fields::{List, Text};
pub use self::merge::merge;
use self::words::Words;
use crate::dates::Month;
use crate::ids::TransactionId;
use crate::money::Currency;
use crate::plan::{Account, Category, Group, MonthBudget, PlanSummary};

/// A body that is not what YNAB's contract says.
#[derive(Debug, thiserror::Error)]
#[error("YNAB's answer could not be read")]
pub enum WireError {
    /// Not the JSON that was expected.
    Json(#[from] serde_json::Error),
    /// Not text.
    Text(#[from] std::str::Utf8Error),
}

impl WireError {
    /// Whether the body ends too early.
    pub fn is_cut(&self) -> bool {
        match self {
            Self::Json(error) => error.is_eof(),
            Self::Text(error) => error.error_len().is_none(),
        }
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

fn data<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, WireError> {
    Ok(serde_json::from_slice::<Envelope<T>>(body)?.data)
}

/// The accounts of `GET /plans/{id}/accounts`.
pub fn accounts(body: &[u8]) -> Result<Vec<Account>, WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Accounts<'a> {
        #[serde(borrow)]
        accounts: List<AccountBody<'a>>,
    }
    Ok(data::<Accounts<'_>>(body)?.accounts.0.into_iter().map(AccountBody::account).collect())
}

/// The groups and categories of `GET /plans/{id}/categories`.
pub fn categories(body: &[u8]) -> Result<(Vec<Group>, Vec<Category>), WireError> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "'de: 'a"))]
    struct Groups<'a> {
        #[serde(borrow)]
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
        #[serde(borrow)]
        plans: List<PlanBody<'a>>,
    }
    Ok(data::<Plans<'_>>(body)?.plans.0.iter().map(PlanBody::summary).collect())
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
        #[serde(borrow)]
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
        #[serde(borrow)]
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
