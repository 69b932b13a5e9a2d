//! Owns the refusal: one sentence or two that say what state things are in, then what to do next.
//! Never carries a secret, a stack trace or a library's own words.

use std::fmt;

/// Why a call was not carried out, in words for the agent. A tool answers it as an error result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// A refusal in these words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// A refusal in the words of a format string.
#[macro_export]
macro_rules! refuse {
    ($($words:tt)*) => { $crate::error::Refusal::new(format!($($words)*)) };
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}
