//! Owns what a plan's figures say about the past: the answers of the read tools, one child for each question.
//! Never changes anything, never fetches; a day, a currency and the arguments come from the caller.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::dates::Month;

pub mod accounts;
pub mod age;
pub mod budget_vs_actual;
pub mod debt;
pub mod flows;
pub mod month;
pub mod net_worth;
pub mod outline;
pub mod payees;
pub mod plans;
pub mod runway;
pub mod savings;
pub mod scheduled;
pub mod search;
pub mod targets;
pub mod trends;

#[cfg(test)]
mod large;
#[cfg(test)]
mod odd;
#[cfg(test)]
pub(crate) mod testing;

/// Rows of a list when the caller does not say how many.
pub const ROWS: usize = 50;

/// How many characters the rows of a list may take, so that no answer is longer than 25,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Of JSON, names and all.
    Named(usize),
    /// Of values alone: what they take in the answer's text, where the names stand once.
    Values(usize),
}

impl Room {
    /// For a list whose length the caller did not choose: both forms of the answer stay short.
    pub const USUAL: Self = Self::Named(22_000);
    /// For one that the caller asked to be long: its text stays short.
    pub const ASKED: Self = Self::Values(24_300);
    /// The same where other lists or notes stand beside it.
    pub const ASKED_BESIDE: Self = Self::Values(20_000);

    /// For so many rows at most.
    pub fn of(limit: usize) -> Self {
        if limit > ROWS { Self::ASKED } else { Self::USUAL }
    }

    /// How many characters there are, and how many of them the row takes.
    fn taken(self, row: &impl Serialize) -> (usize, usize) {
        let row = serde_json::to_value(row).unwrap_or_default();
        match self {
            Self::Named(chars) => (chars, size(&row) + 1),
            Self::Values(chars) => (chars, values(&row) + 1),
        }
    }
}

fn size(json: &Value) -> usize {
    json.to_string().chars().count()
}

/// The characters of a value without the names of its fields.
fn values(json: &Value) -> usize {
    let all = |inner: &mut dyn Iterator<Item = &Value>| inner.map(|value| values(value) + 1).sum::<usize>() + 2;
    match json {
        Value::Object(fields) => all(&mut fields.values()),
        Value::Array(items) => all(&mut items.iter()),
        plain => size(plain),
    }
}

/// A month written `YYYY-MM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct YearMonth(pub Month);

impl std::fmt::Display for YearMonth {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:04}-{:02}", self.0.year(), self.0.number())
    }
}

impl Serialize for YearMonth {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl JsonSchema for YearMonth {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "YearMonth".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// As many of the first rows as fit, and how many were left out.
pub fn fit<T: Serialize>(mut rows: Vec<T>, room: Room) -> (Vec<T>, usize) {
    let (total, mut used) = (rows.len(), 0);
    let fits = |row: &&T| {
        let (chars, size) = room.taken(row);
        used += size;
        used <= chars
    };
    let kept = rows.iter().take_while(fits).count();
    rows.truncate(kept);
    (rows, total - kept)
}

/// `1 month`, `6 months`.
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Names as they are shown, each told apart from the others: with its hint where two look alike, then with a number.
pub fn told_apart<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    use crate::text::safe;
    use std::collections::HashMap;
    let rows: Vec<_> = rows.map(|(name, hint)| (safe(name), safe(hint))).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (name, _) in &rows {
        *uses.entry(name).or_default() += 1;
    }
    let alike = |name: &str| uses.get(name).is_some_and(|count| *count > 1);
    let mut taken: HashMap<String, usize> = HashMap::new();
    rows.iter()
        .map(|(name, hint)| if alike(name) { format!("{name} ({hint})") } else { name.to_string() })
        .map(|name| {
            let count = taken.entry(name.clone()).or_default();
            *count += 1;
            if *count == 1 { name } else { format!("{name} #{count}") }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_fits_is_whole_and_one_that_does_not_says_what_is_left() {
        let rows = vec!["aaaa"; 10];
        assert_eq!(fit(rows.clone(), Room::Named(70)), (rows.clone(), 0));
        assert_eq!(fit(rows, Room::Named(69)), (vec!["aaaa"; 9], 1));
        assert_eq!(fit(vec!["long", "s"], Room::Named(4)), (vec![], 2));
    }

    #[test]
    fn a_list_that_was_asked_to_be_long_counts_values_alone() {
        let rows = vec![std::collections::BTreeMap::from([("a_long_name", 1), ("b", 22)]); 3];
        assert_eq!(fit(rows.clone(), Room::Values(24)).1, 0);
        assert_eq!(fit(rows.clone(), Room::Values(23)).1, 1);
        assert_eq!(fit(rows, Room::Named(24)).1, 3);
    }

    #[test]
    fn point_45_names_that_look_alike_are_told_apart() {
        let long = |end: &str| format!("{}{end}", "a".repeat(90));
        let (one, two) = (long("1"), long("2"));
        let rows = [("Food", "Home"), ("Food", "Work"), ("Fun", "Home"), (&*one, "Home"), (&*two, "Home")];
        let names = told_apart(rows.into_iter());
        assert_eq!(names[..3], ["Food (Home)", "Food (Work)", "Fun"]);
        assert!(names[3].ends_with("… (Home)") && names[4].ends_with("… (Home) #2"), "{names:?}");
    }
}
