//! Owns the list of payees with how much each is used.
//! Never lists the payees that stand for transfers.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::search::Wanted;
use crate::analytics::{Room, fit};
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
    /// How to get the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
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

/// The payees whose name or merchant holds the text, or all; at most `limit`.
pub fn list(plan: &Plan, search: Option<&str>, limit: usize) -> Payees {
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
    let rows = found.into_iter().take(limit).map(|(ix, payee)| {
        let (transactions, last_date) = uses(ix.get());
        Row {
            payee_id: payee.id.clone(),
            name: safe(&payee.name).into_owned(),
            merchant: safe(&merchant(&payee.name)).into_owned(),
            transactions,
            last_date,
        }
    });
    let (payees, left) = fit(rows.collect(), Room::of(limit));
    let shown = payees.len();
    let more = (left > 0).then(|| format!("{shown} of {total}: an answer holds no more. Search for a part of a name."));
    Payees { payees, shown, total, more }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::ROWS;
    use crate::analytics::testing::{Book, chars, day};
    use crate::ids::AccountId;
    use crate::plan::AccountKind;

    fn book(uses: &[(&str, &str)]) -> Book {
        let mut book = Book::new();
        let bank = book.account("Bank", AccountKind::Checking, true);
        for (date, payee) in uses {
            book.pay(date, bank, payee, None, -1_000);
        }
        book
    }

    fn names(book: &Book, search: Option<&str>) -> Vec<String> {
        list(&book.plan, search, ROWS).payees.into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn most_used_first_then_by_name_in_any_case() {
        let book = book(&[("2018-01-01", "b"), ("2026-01-02", "C"), ("2026-01-01", "C"), ("2026-01-01", "A")]);
        assert_eq!(names(&book, None), ["C", "A", "b"]);
        let rows = list(&book.plan, None, 1);
        assert_eq!((rows.total, rows.shown, rows.payees[0].transactions), (3, 1, 2));
        assert_eq!(rows.payees[0].last_date, Some(day("2026-01-02")));
        assert_eq!(list(&book.plan, Some("b"), ROWS).payees[0].last_date, Some(day("2018-01-01")), "an old use counts");
    }

    #[test]
    fn transfers_and_deleted_payees_are_left_out_and_deleted_transactions_not_counted() {
        let mut book = book(&[("2026-01-01", "Shop"), ("2026-01-01", "Gone"), ("2026-01-01", "Transfer : Bank")]);
        let [shop, gone, transfer] =
            ["Shop", "Gone", "Transfer : Bank"].map(|name| book.plan.payees.find(name).unwrap());
        book.plan.payees.at_mut(gone).deleted = true;
        book.plan.payees.at_mut(transfer).transfer_account = Some(AccountId::from("Bank"));
        let first = book.plan.transactions.find("t0").unwrap();
        book.plan.transactions.at_mut(first).deleted = true;
        let rows = list(&book.plan, None, ROWS).payees;
        assert_eq!((rows.len(), rows[0].transactions, rows[0].last_date), (1, 0, None));
        assert_eq!(rows[0].payee_id, book.plan.payees[shop].id);
    }

    #[test]
    fn a_split_line_paid_to_someone_else_counts_for_both() {
        let mut book = book(&[("2026-01-01", "Market"), ("2026-02-01", "Baker")]);
        let market = book.plan.transactions.find("t0").unwrap();
        book.split(market, &[(None, -400), (None, -600)]);
        let baker = book.plan.payees.find("Baker");
        let lines = &mut book.plan.transactions.at_mut(market).lines;
        (lines[0].payee, lines[1].payee) = (baker, baker);
        let used: Vec<_> =
            list(&book.plan, None, ROWS).payees.iter().map(|row| (row.name.clone(), row.transactions)).collect();
        assert_eq!(used, [("Baker".to_owned(), 2), ("Market".to_owned(), 1)]);
    }

    #[test]
    fn points_43_and_44_names_are_safe_and_joiners_that_belong_stay() {
        let persian = "می\u{200C}خواهم";
        let book = book(&[
            ("2026-01-01", persian),
            ("2026-01-01", "Win\u{200B}dow\u{202E}"),
            ("2026-01-01", "👨\u{200D}👩\u{200D}👧 shop"),
        ]);
        let rows = list(&book.plan, None, ROWS).payees;
        let shown: Vec<_> = rows.iter().map(|row| &*row.name).collect();
        assert_eq!(shown, ["Window", persian, "👨\u{200D}👩\u{200D}👧 shop"]);
        assert_eq!(rows[0].merchant, "WINDOW");
        assert_eq!(names(&book, Some("\u{200B}")), ["Window"]);
        assert_eq!(names(&book, Some("window")), ["Window"]);
    }

    #[test]
    fn a_long_list_stays_short() {
        let long = "x".repeat(120);
        let uses: Vec<_> = (0..500).map(|n| format!("{n} {long}")).collect();
        let book = book(&uses.iter().map(|name| ("2026-01-01", &**name)).collect::<Vec<_>>());
        let answer = list(&book.plan, None, ROWS);
        assert_eq!((answer.total, answer.shown), (500, 50));
        assert!(chars(&answer) < 25_000);
    }
}
