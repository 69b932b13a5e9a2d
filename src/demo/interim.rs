//! Owns a stand-in until the demo plan lands: delete this file when `Ynab::demo` exists elsewhere. Never ships.

use super::Ynab;
use crate::dates::Date;

impl Ynab {
    /// A recorded plan in place of the demo plan.
    #[expect(clippy::expect_used, reason = "the recorded plan is whole")]
    pub fn demo(_today: Date) -> Self {
        Self::from_json(include_bytes!("../../tests/golden/household/plan.json")).expect("the recorded plan")
    }
}
