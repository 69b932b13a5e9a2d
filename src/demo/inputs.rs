//! Owns how a request is read: its query, its body, fields that may be absent or null.
//! Never knows what a field is for.

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize};

use super::bodies::{Accounts, Since};
use super::refused::Refused;
use crate::dates::{Date, parse_date};

/// A field that may be absent, null or a value.
pub(super) type Given<T> = Option<Option<T>>;

/// Reads a field that is present: null or a value. With `#[serde(default)]`, an absent one is `None`.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Given<T>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// A day, strictly `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Day(pub Date);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        parse_date(&text).map(Self).ok_or_else(|| D::Error::custom("date is invalid"))
    }
}

/// Reads a body.
pub(super) fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    let text = std::str::from_utf8(bytes).map_err(|_| Refused::bad("the request body is not UTF-8"))?;
    if text.contains('\0') || text.contains("\\u0000") {
        return Err(Refused::bad("string contains null byte"));
    }
    serde_json::from_str(text).map_err(|error| Refused::bad(format!("the request body is invalid: {error}")))
}

/// A list's `type`.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Only {
    Uncategorized,
    Unapproved,
}

/// A request's query, as far as any route reads it.
#[derive(Default)]
pub(super) struct Query {
    pub since_date: Option<Date>,
    pub until_date: Option<Date>,
    pub only: Option<Only>,
    pub known: Option<i64>,
    pub accounts: Accounts,
}

impl Query {
    /// Reads it; a key that no route knows is nothing.
    pub(super) fn read(text: &str) -> Result<Self, Refused> {
        let day = |key, value| parse_date(value).map(Some).ok_or_else(|| Refused::bad(format!("{key} is invalid")));
        let mut query = Self::default();
        for (key, value) in text.split('&').filter_map(|pair| pair.split_once('=')) {
            match key {
                "since_date" => query.since_date = day(key, value)?,
                "until_date" => query.until_date = day(key, value)?,
                "type" => {
                    query.only = Some(match value {
                        "uncategorized" => Only::Uncategorized,
                        "unapproved" => Only::Unapproved,
                        _ => return Err(Refused::bad("type is invalid")),
                    });
                }
                "last_knowledge_of_server" => {
                    let known = value.parse().map_err(|_| Refused::bad("last_knowledge_of_server is invalid"))?;
                    query.known = Some(known);
                }
                "include_accounts" if value == "true" => query.accounts = Accounts::Included,
                _ => {}
            }
        }
        Ok(query)
    }

    /// What a list holds.
    pub(super) fn since(&self) -> Since {
        self.known.map_or(Since::Ever, Since::Known)
    }
}
