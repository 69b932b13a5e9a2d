//! Owns the list of payees with how much each is used.
//! Never lists the payees that stand for transfers.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::search::Wanted;
use crate::analytics::{ROWS_CHARS, ROWS_CHARS_ASKED, fit};
use crate::classifier::merchant::merchant;
use crate::dates::Date;
use crate::ids::PayeeId;
use crate::plan::Plan;
use crate::text::safe;

/// Payees, most used first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Payees {
    /// Most used first.
    pub payees: Vec<Row>,
    /// How many there are, or match.
    pub total: usize,
    /// How many are listed.
    pub shown: usize,
}

/// A payee.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Row {
    pub payee_id: PayeeId,
    pub name: String,
    /// The name without what banks add.
    pub merchant: String,
    pub transactions: usize,
    #[schemars(with = "Option<String>")]
    pub last_date: Option<Date>,
}

/// The payees whose name or merchant holds the text, or all; at most `limit`, 50 when absent.
pub fn list(plan: &Plan, search: Option<&str>, limit: Option<usize>) -> Payees {
    let mut uses: Vec<(usize, Option<Date>)> = vec![(0, None); plan.payees.len()];
    for t in plan.live() {
        let mut payees: Vec<_> = t.payee.into_iter().chain(t.live_lines().filter_map(|line| line.payee)).collect();
        payees.sort_unstable();
        payees.dedup();
        for ix in payees {
            if let Some((count, last)) = uses.get_mut(ix.get()) {
                *count += 1;
                *last = (*last).max(Some(t.date));
            }
        }
    }
    let wanted = search.map(Wanted::new);
    let live = plan.payees.enumerate().filter(|(_, payee)| !payee.deleted && payee.transfer_account.is_none());
    let found = live.filter(|(_, payee)| wanted.as_ref().is_none_or(|wanted| wanted.is_in(&payee.name)));
    let mut found: Vec<_> = found.collect();
    let uses = |at: usize| uses.get(at).copied().unwrap_or_default();
    found.sort_by_cached_key(|(ix, payee)| (Reverse(uses(ix.get()).0), payee.name.to_lowercase()));
    let total = found.len();
    let rows = found.into_iter().take(limit.unwrap_or(50)).map(|(ix, payee)| {
        let (transactions, last_date) = uses(ix.get());
        Row {
            payee_id: payee.id.clone(),
            name: safe(&payee.name).into_owned(),
            merchant: safe(&merchant(&payee.name)).into_owned(),
            transactions,
            last_date,
        }
    });
    let (payees, _) = fit(rows.collect(), if limit.is_some() { ROWS_CHARS_ASKED } else { ROWS_CHARS });
    Payees { shown: payees.len(), payees, total }
}
