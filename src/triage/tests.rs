use super::*;
use crate::fixtures::corpus;
use crate::ids::TransactionId;
use crate::money::Milliunits;
use crate::plan::{Line, Table};

fn ask(limit: usize, cursor: Option<&str>) -> Ask<'_> {
    Ask { limit, cursor, threshold: None }
}

/// The household with these transactions, each made from the first pending one.
fn with(changes: &[&dyn Fn(&mut Transaction)]) -> (Plan, Date) {
    let mut corpus = corpus("household");
    let mut plan = corpus.plans.remove(0);
    let model = plan.transactions[waiting::newest_first(&plan)[0]].clone();
    plan.transactions = Table::default();
    for (n, change) in changes.iter().enumerate() {
        let mut row = Transaction { id: TransactionId::new(n.to_string()), ..model.clone() };
        change(&mut row);
        plan.transactions.put(row);
    }
    (plan, corpus.today)
}

fn line(id: &str, category: Option<Ix<Category>>, deleted: bool) -> Line {
    let (amount, id) = (Milliunits::new(-1000), id.into());
    Line { id, amount, memo: None, payee: None, category, transfer_account: None, deleted }
}

#[test]
fn recorded_plans_are_answered_page_by_page() {
    for name in ["household", "yen", "two-plans"] {
        let corpus = corpus(name);
        for plan in &corpus.plans {
            let whole = suggest(plan, &ask(200, None), corpus.today).expect("an answer");
            let (mut seen, mut cursor) = (Vec::new(), None::<String>);
            loop {
                let page = suggest(plan, &ask(3, cursor.as_deref()), corpus.today).expect("a page");
                assert_eq!(page.categories.is_empty(), cursor.is_some());
                assert_eq!(page.pending_count, whole.items.len());
                seen.extend(page.items.into_iter().map(|item| item.transaction_id));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            let ids: Vec<String> = whole.items.into_iter().map(|item| item.transaction_id).collect();
            assert_eq!(seen, ids);
        }
    }
}

#[test]
fn a_page_too_long_for_an_answer_ends_earlier_and_loses_nothing() {
    let name = "NAME ".repeat(16);
    let named = |row: &mut Transaction| row.memo = Some(name.as_str().into());
    let (plan, today) = with(&vec![&named as &dyn Fn(&mut Transaction); 150]);
    let (mut seen, mut cursor) = (0, None::<String>);
    for _ in 0..10 {
        let page = suggest(&plan, &ask(200, cursor.as_deref()), today).expect("a page");
        assert!((1..150).contains(&page.items.len()), "{}", page.items.len());
        seen += page.items.len();
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, 150);
}

#[test]
fn more_categories_than_an_answer_holds_are_counted() {
    let mut corpus = corpus("household");
    let mut plan = corpus.plans.remove(0);
    let model = plan.categories[choosable(&plan)].clone();
    for n in 0..400 {
        plan.categories.put(Category { id: format!("more-{n}").as_str().into(), ..model.clone() });
    }
    let page = suggest(&plan, &ask(3, None), corpus.today).expect("a page");
    let all = choices(&plan).len();
    let shown = page.categories.len();
    assert!(shown > 50 && shown < all, "{shown} of {all}");
    assert!(page.more.expect("words").starts_with(&format!("{shown} of {all} categories")));
}

fn choosable(plan: &Plan) -> Ix<Category> {
    let found = plan.categories.enumerate().find(|(_, category)| category.is_assignable());
    found.expect("a category that can be assigned").0
}

#[test]
fn a_changed_cursor_is_refused() {
    let mut corpus = corpus("household");
    let plan = corpus.plans.remove(0);
    let first = suggest(&plan, &ask(2, None), corpus.today).expect("a page");
    let cursor = first.next_cursor.expect("more pages");
    for (at, _) in cursor.char_indices() {
        let other = if cursor[at..].starts_with('A') { "B" } else { "A" };
        let changed = format!("{}{other}{}", &cursor[..at], &cursor[at + 1..]);
        assert!(suggest(&plan, &ask(2, Some(&changed)), corpus.today).is_err(), "{changed}");
    }
    for bad in ["!!", "AAAA", "é", "b2Zmc2V0OjU=", &cursor[1..], &format!("{cursor}A"), &"A".repeat(1_000_000)] {
        assert!(suggest(&plan, &ask(2, Some(bad)), corpus.today).is_err());
    }
    let other = Plan { id: "other".into(), ..plan.clone() };
    assert!(suggest(&other, &ask(2, Some(&cursor)), corpus.today).is_err());
    assert!(!suggest(&plan, &ask(2, Some("")), corpus.today).expect("the first page").categories.is_empty());
}

#[test]
fn what_was_categorised_between_two_pages_skips_nothing() {
    let mut corpus = corpus("household");
    let mut plan = corpus.plans.remove(0);
    let order = waiting::newest_first(&plan);
    let cursor = suggest(&plan, &ask(4, None), corpus.today).expect("a page").next_cursor;
    let category = plan.categories.enumerate().find(|(_, c)| c.is_assignable()).map(|(ix, _)| ix);
    for &ix in &order[..4] {
        plan.transactions.at_mut(ix).category = category;
    }
    let next = suggest(&plan, &ask(4, cursor.as_deref()), corpus.today).expect("a page");
    assert_eq!(next.items[0].transaction_id, plan.transactions[order[4]].id.as_str());
}

/// Point 29.
#[test]
fn the_nearest_date_makes_the_pair() {
    let base = corpus("household");
    let accounts: Vec<_> = base.plans[0].accounts.enumerate().filter(|(_, a)| a.on_budget).map(|(ix, _)| ix).collect();
    let half = |account: usize, day: i8, amount: i64| {
        let account = accounts[account];
        move |t: &mut Transaction| {
            (t.account, t.date, t.amount) = (account, jiff::civil::date(2026, 3, day), Milliunits::new(amount));
        }
    };
    let (plan, today) = with(&[
        &half(0, 2, -5000),
        &half(1, 5, 5000),
        &half(1, 2, 5000),
        &half(0, 2, 5000),
        &half(0, 9, -7000),
        &half(1, 8, 7000),
    ]);
    let answer = suggest(&plan, &ask(10, None), today).expect("an answer");
    let other = |id: &str| {
        let item = answer.items.iter().find(|item| item.transaction_id == id).expect("listed");
        item.possible_transfer_with.clone()
    };
    assert_eq!(other("0").as_deref(), Some("2"));
    assert_eq!((other("1"), other("3")), (None, None));
    assert_eq!(other("4").as_deref(), Some("5"), "one half may be booked before the other leaves");
}

/// Point 30.
#[test]
fn a_split_without_all_its_categories_waits() {
    let base = corpus("household");
    let some = base.plans[0].categories.enumerate().find(|(_, c)| c.is_assignable()).map(|(ix, _)| ix);
    let (plan, today) = with(&[
        &|t| t.lines = vec![line("a", some, false), line("b", None, false)],
        &|t| t.lines = vec![line("a", some, false), line("b", None, true)],
        &|t| t.lines = vec![line("a", some, true), line("b", None, true)],
        &|t| {
            t.lines = vec![line("a", some, false), Line { transfer_account: Some(t.account), ..line("b", None, false) }]
        },
    ]);
    let answer = suggest(&plan, &ask(10, None), today).expect("an answer");
    let listed: Vec<_> = answer.items.iter().map(|item| (item.transaction_id.as_str(), item.note.as_deref())).collect();
    let split = "1 of 2 split lines without a category: set in YNAB itself";
    assert_eq!(listed, [("0", Some(split)), ("2", None)]);
}

/// Point 30.
#[test]
fn only_what_can_be_assigned_is_offered() {
    let corpus = corpus("household");
    let plan = &corpus.plans[0];
    let answer = suggest(plan, &ask(200, None), corpus.today).expect("an answer");
    let suggested = answer.items.iter().filter_map(|item| item.suggestion.as_ref()).map(|s| &s.category_id);
    let offered = answer.items.iter().flat_map(|item| &item.candidates).map(|c| &c.category_id);
    for id in answer.categories.iter().map(|c| &c.category_id).chain(suggested).chain(offered) {
        assert!(plan.categories.get(id).is_some_and(Category::is_assignable), "{id}");
    }
    assert!(answer.categories.iter().all(|c| c.group != crate::plan::CARD_PAYMENTS_GROUP));
}
