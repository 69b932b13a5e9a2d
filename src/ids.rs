//! Owns YNAB's identifiers: opaque strings, one type for each kind of thing.
//! Never assumes a UUID, and never lets an unchecked one become part of a URL.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
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

/// Builds the hasher of tables of ids: far quicker than the standard one on short texts, and seeded like it, so that
/// nobody can choose ids that collide.
#[derive(Clone, Debug)]
pub struct IdState(u64);

impl Default for IdState {
    fn default() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }
}

impl BuildHasher for IdState {
    type Hasher = IdHasher;
    fn build_hasher(&self) -> IdHasher {
        IdHasher(self.0)
    }
}

/// Hashes a text eight bytes at a time.
#[derive(Clone, Debug)]
pub struct IdHasher(u64);

impl IdHasher {
    fn fold(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.fold(rest.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.fold(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_differ_a_little_hash_apart() {
        let state = IdState::default();
        let hash = |n: u32| state.hash_one(format!("7e38c991-f401-583b-b11d-{n:012x}"));
        let mut low: Vec<u64> = (0..10_000).map(|n| hash(n) & 0xFFFF).collect();
        low.sort_unstable();
        low.dedup();
        // 10,000 of 65,536 places by chance: 9,270 different ones.
        assert!(low.len() > 9_000, "{}", low.len());
        assert_eq!(hash(7), hash(7));
    }

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
