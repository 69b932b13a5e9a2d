//! Owns how much was spent from each category, month by month.
//! Never counts card payments or a refund as spending, and lists no category that was always at zero.

use std::collections::HashMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::analytics::{ROWS_CHARS, told_apart};
use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits};
use crate::plan::{Category, Plan};

/// What was spent, by category in the plan's order: a JSON object of lists.
#[derive(Debug, Clone, Default)]
pub struct Trends(pub Vec<(String, Vec<Spent>)>);

/// What was spent in a month; negative when refunds were more.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Spent {
    pub month: Month,
    pub amount: Amount,
}

impl Serialize for Trends {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(name, months)| (name, months)))
    }
}

impl JsonSchema for Trends {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Trends".into()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": schemas.subschema_for::<Vec<Spent>>() })
    }
}

/// The last `months_count` months that the plan holds up to today's, oldest first. Where the categories are too many,
/// those with the least spending are added up under one name that says how many they are.
pub fn trends(plan: &Plan, today: Date, months_count: usize) -> Trends {
    let held = plan.months.range(..=Month::of(today)).map(|(_, held)| held).filter(|held| !held.deleted);
    let mut months: Vec<_> = held.rev().take(months_count).collect();
    months.reverse();
    let counts = |category: &&Category| category.is_usable() && !category.is_card_payment();

    // The newest month knows the plan's order best; a category that only older months hold comes after.
    let mut places = HashMap::new();
    let mut rows: Vec<(&Category, Vec<(Month, Milliunits)>)> = Vec::new();
    for category in months.iter().rev().flat_map(|held| held.categories.iter().filter(counts)) {
        places.entry(&category.id).or_insert_with(|| {
            rows.push((category, Vec::with_capacity(months.len())));
            rows.len() - 1
        });
    }
    for held in &months {
        for category in held.categories.iter().filter(counts) {
            if let Some((_, spent)) = places.get(&category.id).and_then(|place| rows.get_mut(*place)) {
                spent.push((held.month, -category.activity));
            }
        }
    }

    let names = told_apart(rows.iter().map(|(category, _)| (&*category.name, &*category.group_name)));
    let named = names.into_iter().zip(rows).map(|(name, (_, spent))| (name, spent));
    fitted(named.filter(|(_, spent)| spent.iter().any(|(_, amount)| !amount.is_zero())).collect())
}

type Named = (String, Vec<(Month, Milliunits)>);

/// The rows as they are when they are not too long, else the largest and the sum of the others.
fn fitted(rows: Vec<Named>) -> Trends {
    let chars = |(name, spent): &Named| name.chars().count() + 6 + spent.len() * 45;
    let total = rows.len();
    let mut left = ROWS_CHARS;
    let mut largest: Vec<usize> = (0..total).collect();
    if rows.iter().map(chars).sum::<usize>() > left {
        let size = |at: &usize| rows[*at].1.iter().map(|(_, amount)| amount.wide().abs()).sum::<i128>();
        largest.sort_by_key(|at| std::cmp::Reverse(size(at)));
    }
    let kept = largest.iter().take_while(|at| {
        let cost = chars(&rows[**at]);
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let kept = kept.count();
    let mut keep = vec![false; total];
    largest.iter().take(kept).for_each(|at| keep[*at] = true);

    let mut rest: std::collections::BTreeMap<Month, Milliunits> = std::collections::BTreeMap::new();
    let mut shown = Vec::with_capacity(kept + 1);
    for ((name, spent), keep) in rows.into_iter().zip(keep) {
        if keep {
            shown.push((name, spent));
        } else {
            spent.into_iter().for_each(|(month, amount)| *rest.entry(month).or_default() += amount);
        }
    }
    if !rest.is_empty() {
        shown.push((
            format!("The {} smallest of {total} categories, together", total - kept),
            rest.into_iter().collect(),
        ));
    }
    let spent = |(month, amount): (Month, Milliunits)| Spent { month, amount: amount.into() };
    Trends(shown.into_iter().map(|(name, months)| (name, months.into_iter().map(spent).collect())).collect())
}
