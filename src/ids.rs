//! Owns YNAB's identifiers: opaque strings, one type for each kind of thing.
//! Never assumes a UUID, and never lets an unchecked one become part of a URL.

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Whether a text may become one segment of a URL: letters, digits, `_` and `-`, starting with a letter or digit.
pub fn is_segment(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id of that text, whatever it holds.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text, to share.
            pub fn arc(&self) -> &Arc<str> {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string" })
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
    )*};
}

ids! {
    /// A plan (YNAB's older word: budget).
    PlanId,
    /// An account.
    AccountId,
    /// A group of categories.
    GroupId,
    /// A category.
    CategoryId,
    /// A payee.
    PayeeId,
    /// A transaction; not always a UUID (`uuid_YYYY-MM-DD` exists).
    TransactionId,
    /// A scheduled transaction.
    ScheduledId,
    /// An operation in the journal.
    OperationId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_cannot_leave_its_place() {
        for good in ["last-used", "7e38c991-f401-583b-b11d-ccd728b2f963", "a_2026-01-01", "0"] {
            assert!(is_segment(good), "{good}");
        }
        for bad in ["", "a/b", "..", "-a", "a?b", "a#b", "a%2fb", "a b", "é", "a\n", "_a"] {
            assert!(!is_segment(bad), "{bad}");
        }
    }
}
