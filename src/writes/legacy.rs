//! Owns the lines that the Python server wrote in its journal: reading one as an operation. Never writes one.

use serde_json::Value;

use super::Operation;

/// The operation that a line of the Python server records; `None` when it is none of its kinds.
pub fn operation(_line: &Value) -> Option<Operation> {
    None
}
