//! Owns the list of transactions that wait for a category, with what is suggested for each, page by page.
//! Never decides a category itself (that is `classifier`) and never changes one (that is `writes`).

mod cursor;
mod pairs;
mod waiting;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::{Room, fit};
use crate::classifier::{Classifier, Verdict};
use crate::dates::Date;
use crate::error::Refusal;
use crate::money::Amount;
use crate::plan::{Category, Ix, Plan, Transaction};
use crate::text;

/// What the page and, on the first, the categories may take of an answer.
const ITEMS_ROOM: Room = Room::Values(14_000);
const CATEGORIES_ROOM: Room = Room::Values(9_000);

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// How many items a page holds at most.
    pub limit: usize,
    /// Where the page starts: the last page's `next_cursor`, nothing or an empty text for the first.
    pub cursor: Option<&'a str>,
    /// The confidence a suggestion needs, 0 to 1; the usual one when not given.
    pub threshold: Option<f64>,
}

/// One page of what waits for a category.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// All that wait, on every page.
    pub pending_count: usize,
    /// How many of them have a suggestion.
    pub suggested_count: usize,
    /// This page, newest first.
    pub items: Vec<Item>,
    /// What can be assigned; first page only.
    pub categories: Vec<Choice>,
    /// Where the other categories are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The next page's cursor.
    pub next_cursor: Option<String>,
}

/// A transaction that waits for a category.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Item {
    pub transaction_id: String,
    #[schemars(with = "String")]
    pub date: Date,
    pub amount: Amount,
    pub payee: String,
    pub memo: Option<String>,
    pub account: String,
    /// The category its history points to.
    pub suggestion: Option<Suggestion>,
    /// Other pending half of a likely transfer: link them in YNAB.
    pub possible_transfer_with: Option<String>,
    /// When not sure: what its history offers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// What to know before acting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A category that is suggested.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Suggestion {
    pub category_id: String,
    pub category_name: String,
    /// How often such evidence was right in this plan, 0 to 1.
    pub confidence: f64,
    pub why: String,
}

/// A category that history offers without being sure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Candidate {
    pub category_id: String,
    pub category_name: String,
    /// Past transactions like it in that category.
    pub count: usize,
}

/// A category that can be assigned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Choice {
    pub category_id: String,
    pub name: String,
    pub group: String,
}

/// One page of what waits for a category, newest first. Refused: a cursor that no page of this plan gave.
pub fn suggest(plan: &Plan, ask: &Ask<'_>, today: Date) -> Result<Suggestions, Refusal> {
    let given = ask.cursor.filter(|cursor| !cursor.is_empty());
    let after = given.map(|cursor| cursor::read(plan, cursor)).transpose()?;
    let waiting = waiting::newest_first(plan);
    let pairs = pairs::likely_transfers(plan, &waiting);
    let classifier = Classifier::learn(plan, ask.threshold, today);
    // What is likely a transfer is to be linked, not categorised.
    let judge = |&ix: &Ix<Transaction>| match pairs.get(&ix) {
        Some(_) => Verdict::default(),
        None => classifier.judge(&plan.transactions[ix]),
    };
    let verdicts: Vec<Verdict> = waiting.iter().map(judge).collect();

    let choices = if given.is_some() { Vec::new() } else { choices(plan) };
    let assignable = choices.len();
    let (categories, left) = fit(choices, CATEGORIES_ROOM);
    let more = (left > 0).then(|| {
        format!("{} of {assignable} categories are listed; get_category_balances has the others.", categories.len())
    });

    let start = after.map_or(0, |after| waiting.partition_point(|&ix| !after.precedes(plan, ix)));
    let page = waiting.iter().zip(&verdicts).skip(start).take(ask.limit);
    let page = page.map(|(&ix, verdict)| item(plan, ix, verdict, pairs.get(&ix).copied())).collect();
    let (items, _) = fit(page, ITEMS_ROOM);
    let end = start + items.len();
    let last = waiting.get(end.saturating_sub(1)).filter(|_| end > start && end < waiting.len());
    Ok(Suggestions {
        pending_count: waiting.len(),
        suggested_count: verdicts.iter().filter(|verdict| verdict.suggestion.is_some()).count(),
        items,
        categories,
        more,
        next_cursor: last.map(|&ix| cursor::after(plan, ix)),
    })
}

/// Each half of a likely transfer among what waits, with its other half.
pub fn likely_transfers(plan: &Plan) -> HashMap<Ix<Transaction>, Ix<Transaction>> {
    pairs::likely_transfers(plan, &waiting::newest_first(plan))
}

fn item(plan: &Plan, ix: Ix<Transaction>, verdict: &Verdict, other: Option<Ix<Transaction>>) -> Item {
    let transaction = &plan.transactions[ix];
    let name = |category: Ix<Category>| text::safe(&plan.categories[category].name).into_owned();
    let id = |category: Ix<Category>| plan.categories[category].id.to_string();
    Item {
        transaction_id: transaction.id.to_string(),
        date: transaction.date,
        amount: transaction.amount.into(),
        payee: text::safe(plan.payee_name(transaction.payee)).into_owned(),
        memo: transaction.memo.as_deref().filter(|memo| !memo.is_empty()).map(|memo| text::safe(memo).into_owned()),
        account: text::safe(&plan.accounts[transaction.account].name).into_owned(),
        suggestion: verdict.suggestion.as_ref().map(|guess| Suggestion {
            category_id: id(guess.category),
            category_name: name(guess.category),
            confidence: guess.confidence,
            why: guess.why.clone(),
        }),
        possible_transfer_with: other.map(|other| plan.transactions[other].id.to_string()),
        candidates: verdict
            .candidates
            .iter()
            .map(|&(category, count)| Candidate { category_id: id(category), category_name: name(category), count })
            .collect(),
        note: waiting::split_note(plan, transaction),
    }
}

/// The categories that can be assigned to a transaction, in the plan's order.
fn choices(plan: &Plan) -> Vec<Choice> {
    let assignable = plan.categories.iter().filter(|category| category.is_assignable());
    assignable
        .map(|category| Choice {
            category_id: category.id.to_string(),
            name: text::safe(&category.name).into_owned(),
            group: text::safe(&category.group_name).into_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
