//! Owns how much was spent from each category, month by month.
//! Never counts card payments or a refund as spending, and lists no category that was always at zero.

use std::collections::HashMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::analytics::told_apart;
use crate::dates::{Date, Month};
use crate::money::{Amount, Milliunits};
use crate::plan::{Category, Plan};

/// How many characters of JSON the lists may take.
const CHARS_MAX: usize = 22_000;

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
    let mut left = CHARS_MAX;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, chars, day};
    use crate::fixtures::corpus;
    use crate::plan::CARD_PAYMENTS_GROUP;

    fn amounts(trends: &Trends, name: &str) -> Option<Vec<i64>> {
        let (_, months) = trends.0.iter().find(|(known, _)| known == name)?;
        Some(months.iter().map(|spent| spent.amount.0.get()).collect())
    }

    #[test]
    fn point_14_a_month_of_refunds_is_negative() {
        let mut book = Book::new();
        let food = book.category("Home", "Food");
        book.month("2026-02-01", None, &[(food, [0, -20_000, 0])]);
        book.month("2026-03-01", None, &[(food, [0, 60_000, 0])]);
        assert_eq!(amounts(&trends(&book.plan, day("2026-03-10"), 3), "Food"), Some(vec![20_000, -60_000]));
    }

    #[test]
    fn point_16_categories_of_one_name_are_kept_apart_and_those_at_zero_left_out() {
        let mut book = Book::new();
        let [home, work, idle] = ["Home", "Work", "Idle"].map(|group| book.category(group, "Food"));
        book.month("2026-03-01", None, &[(home, [0, -1, 0]), (work, [0, -2, 0]), (idle, [0, 0, 0])]);
        let trends = trends(&book.plan, day("2026-03-10"), 3);
        assert_eq!(amounts(&trends, "Food (Home)"), Some(vec![1]));
        assert_eq!(amounts(&trends, "Food (Work)"), Some(vec![2]));
        assert_eq!(trends.0.len(), 2);
    }

    #[test]
    fn point_15_card_payments_are_left_out_as_are_months_to_come_and_deleted_ones() {
        let mut book = Book::new();
        let (food, card) = (book.category("Home", "Food"), book.category(CARD_PAYMENTS_GROUP, "Card"));
        for month in ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"] {
            book.month(month, None, &[(food, [0, -1_000, 0]), (card, [0, -2_000, 0])]);
        }
        let february = crate::dates::Month::parse("2026-02-01").unwrap();
        book.plan.months.get_mut(&february).unwrap().deleted = true;
        let trends = trends(&book.plan, day("2026-03-10"), 2);
        assert_eq!(trends.0.len(), 1);
        let months: Vec<_> = trends.0[0].1.iter().map(|spent| spent.month.to_string()).collect();
        assert_eq!(months, ["2026-01-01", "2026-03-01"]);
    }

    #[test]
    fn too_many_categories_are_added_up_and_nothing_is_lost() {
        let mut book = Book::new();
        let many: Vec<_> =
            (0..400).map(|n| (book.category("Home", &format!("Category {n}")), [0, -1_000 - n, 0])).collect();
        for month in 1..=6 {
            book.month(&format!("2026-{month:02}-01"), None, &many);
        }
        let trends = trends(&book.plan, day("2026-06-10"), 6);
        assert!(chars(&trends) < 25_000);
        let (name, rest) = trends.0.last().unwrap();
        assert!(name.ends_with("smallest of 400 categories, together") && rest.len() == 6, "{name}");
        let june: i64 = trends.0.iter().map(|(_, months)| months.last().unwrap().amount.0.get()).sum();
        assert_eq!(june, (0..400).map(|n| 1_000 + n).sum::<i64>());
        assert!(amounts(&trends, "Category 399").is_some() && amounts(&trends, "Category 0").is_none());
    }

    #[test]
    fn every_recorded_month_adds_up_to_its_categories() {
        for name in ["household", "yen", "two-plans"] {
            let corpus = corpus(name);
            for plan in &corpus.plans {
                let shown = trends(plan, corpus.today, 24);
                for held in plan.months.values().filter(|held| held.month <= Month::of(corpus.today)) {
                    let counts = held.categories.iter().filter(|c| c.is_usable() && !c.is_card_payment());
                    let spent = shown.0.iter().flat_map(|(_, months)| months).filter(|spent| spent.month == held.month);
                    assert_eq!(
                        spent.map(|s| s.amount.0).sum::<Milliunits>(),
                        -counts.map(|c| c.activity).sum::<Milliunits>()
                    );
                }
            }
        }
    }
}
