//! Bodies as YNAB never promised them, and what reading a large one costs.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::demo::{self, Request, Ynab};
use crate::plan::Plan;

static SMALL: OnceLock<Vec<u8>> = OnceLock::new();
const NOW: &str = "2026-03-01";

fn now() -> Month {
    Month::parse(NOW).expect("a month")
}

fn merged(body: &str) -> Result<Arc<Plan>, WireError> {
    let mut plan = Arc::default();
    merge(&mut plan, body.as_bytes(), now()).map(|_| plan)
}

/// The body of `GET /plans/{id}`.
fn whole(mut ynab: Ynab) -> Vec<u8> {
    ynab.handle(Request { method: "GET", path: "/plans/last-used", body: &[] }).body
}

#[test]
fn nonsense_is_refused_and_never_taken_for_nothing() {
    let deep = format!("{{\"data\":{}", "[".repeat(100_000));
    for body in ["", "null", "[]", "<html>", "{}", r#"{"data":null}"#, r#"{"data":{}}"#, r#"{"data":7}"#, &deep] {
        let bytes = body.as_bytes();
        assert!(merged(body).is_err(), "{body:.40}");
        assert!(plans(bytes).is_err() && accounts(bytes).is_err() && categories(bytes).is_err(), "{body:.40}");
        assert!(month(bytes).is_err() && month_names(bytes).is_err() && transaction_ids(bytes).is_err(), "{body:.40}");
        assert!(settings(bytes).is_err() && user(bytes).is_err(), "{body:.40}");
        assert!(saved::category(bytes).is_err() && saved::payee(bytes).is_err(), "{body:.40}");
        assert_eq!(error_detail(bytes), None);
    }
    for body in [r#"{"data":{"plan":{}}}"#, r#"{"data":{"plan":[]}}"#, r#"{"data":{"plan":{"id":"p","accounts":{}}}}"#]
    {
        assert!(merged(body).is_err(), "{body}");
    }
    assert!(merged(r#"{"data":{"plan":{"id":"p""#).is_err_and(|error| error.is_cut()));
}

#[test]
fn unknown_words_nulls_and_fields_break_nothing() {
    let plan = json!({
        "new": {}, "id": "p", "name": "A \"quoted\" name", "currency_format": null, "first_month": null,
        "accounts": [{ "id": "a", "name": null, "type": "cryptoWallet", "balance": 3.0, "new": [1, { "x": null }] }],
        "payees": null,
        "category_groups": [{ "id": "g", "name": "G" }],
        "categories": [{ "id": "c", "category_group_id": "g", "name": "C", "goal_type": "NEWEST", "goal_day": null }],
        "months": [{ "month": "not a month" }, { "month": "2026-03-01", "age_of_money": null }],
        "transactions": [
            { "id": "t_2026-01-31", "date": "2026-01-31", "amount": -5, "account_id": "a", "payee_id": "unknown",
              "category_id": "gone", "cleared": "someday", "approved": null, "flag_color": "", "memo": null },
            { "id": "no day", "amount": 1, "account_id": "a" },
        ],
        "scheduled_transactions": [{ "id": "s", "date_next": "2026-04-01", "account_id": "a", "frequency": "hourly" }],
    });
    let plan = merged(&json!({ "data": { "plan": plan } }).to_string()).expect("readable");
    let row = plan.live().next().expect("the transaction");
    assert_eq!((plan.transactions.len(), plan.currency.decimals), (1, None));
    assert!(plan.payees[row.payee.expect("kept")].deleted && plan.categories[row.category.expect("kept")].deleted);
    assert_eq!((row.flag.as_ref(), row.cleared.as_str()), (None, "uncleared"));
    assert_eq!(plan.accounts.get("a").map(|a| (a.kind.as_str(), a.balance.get())), Some(("cryptoWallet", 3)));
    assert_eq!(plan.scheduled.iter().next().map(|s| &*s.frequency), Some("hourly"));
}

#[test]
fn the_order_of_the_lists_does_not_matter() {
    let body: Value = serde_json::from_slice(&whole(Ynab::demo(now().first()))).expect("JSON");
    let lists = body["data"]["plan"].as_object().expect("a plan");
    let written = |keys: &mut dyn Iterator<Item = &String>| {
        let lists: Vec<String> = keys.map(|key| format!("{key:?}:{}", lists[key])).collect();
        merged(&format!(r#"{{"data":{{"server_knowledge":3,"plan":{{{}}}}}}}"#, lists.join(","))).expect("a plan")
    };
    let (forth, back) = (written(&mut lists.keys()), written(&mut lists.keys().rev()));
    assert!(forth.transactions.iter().any(|row| row.is_split()));
    let shown = |plan: &Plan| {
        let rows = plan.transactions.iter().map(|row| {
            let names = (plan.payee_name(row.payee), &plan.accounts[row.account].name);
            format!(
                "{} {names:?} {:?}",
                row.id,
                row.lines.iter().map(|line| (&line.id, line.amount)).collect::<Vec<_>>()
            )
        });
        let months = plan.months.values().flat_map(|month| &month.categories).map(|row| format!("{row:?}"));
        rows.chain(months).chain(plan.categories.iter().map(|row| format!("{row:?}"))).collect::<Vec<_>>()
    };
    assert_eq!(shown(&forth), shown(&back));
}

/// A real plan's body with a few rows of each list.
fn small() -> Vec<u8> {
    let mut body: Value = serde_json::from_slice(&whole(Ynab::demo(now().first()))).expect("JSON");
    for list in body["data"]["plan"].as_object_mut().into_iter().flat_map(|plan| plan.values_mut()) {
        if let Some(rows) = list.as_array_mut() {
            rows.truncate(4);
        }
    }
    body.to_string().into_bytes()
}

proptest! {
    #[test]
    fn a_damaged_body_is_read_or_refused_and_never_ends_the_process(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..40), 1..6),
    ) {
        let mut body = SMALL.get_or_init(small).clone();
        for (place, byte, removed) in places {
            let at = place.index(body.len());
            body.splice(at..(at + removed).min(body.len()), [byte]);
        }
        let mut plan = Arc::default();
        let _ = merge(&mut plan, &body, now());
        let _ = (plans(&body), accounts(&body), categories(&body), month(&body), settings(&body), user(&body));
        let _ = (saved::transactions(&body).map(drop), saved::category(&body), saved::payee(&body), error_detail(&body));
        // Whatever was read is whole: every place a row refers to is there.
        for row in plan.transactions.iter() {
            let _ = (&plan.accounts[row.account], plan.payee_name(row.payee), row.category.map(|ix| &plan.categories[ix]));
        }
    }
}

/// Memory that the process holds, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number") * 4096
}

/// What a plain typed reading of the same body would hold.
mod typed {
    use serde::Deserialize;

    #[derive(Deserialize)]
    pub(super) struct Body {
        pub(super) data: Data,
    }
    #[derive(Deserialize)]
    pub(super) struct Data {
        pub(super) plan: Plan,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read for its cost")]
    pub(super) struct Plan {
        pub(super) transactions: Vec<Transaction>,
        months: Vec<Month>,
        payees: Vec<Payee>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read for its cost")]
    pub(super) struct Payee {
        id: String,
        name: String,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read for its cost")]
    pub(super) struct Month {
        month: String,
        categories: Vec<Category>,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read for its cost")]
    pub(super) struct Category {
        id: String,
        name: String,
        budgeted: i64,
        activity: i64,
        balance: i64,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "read for its cost")]
    pub(super) struct Transaction {
        id: String,
        date: String,
        amount: i64,
        memo: Option<String>,
        cleared: String,
        approved: bool,
        flag_color: Option<String>,
        account_id: String,
        payee_id: Option<String>,
        category_id: Option<String>,
        transfer_account_id: Option<String>,
        transfer_transaction_id: Option<String>,
        import_id: Option<String>,
        deleted: bool,
    }
}

#[test]
#[ignore = "a measurement: cargo test --release --lib -- --ignored --nocapture a_large_plan"]
#[expect(clippy::print_stderr, reason = "it is there to print")]
fn a_large_plan_costs_little_more_than_one_typed_parse() {
    let body = whole(demo::large(now().first(), 50_000));
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    let best = |times: &[Duration]| times.iter().min().copied().unwrap_or_default();
    for _ in 0..7 {
        let began = Instant::now();
        let typed: typed::Body = serde_json::from_slice(&body).expect("a typed plan");
        times[0].push(began.elapsed());
        let rows = typed.data.plan.transactions.len();
        drop(typed);
        let began = Instant::now();
        let mut plan = Arc::default();
        merge(&mut plan, &body, now()).expect("a plan");
        times[1].push(began.elapsed());
        assert_eq!(plan.transactions.len(), rows);
    }
    let before = resident();
    let mut plan = Arc::default();
    merge(&mut plan, &body, now()).expect("a plan");
    let held = resident().saturating_sub(before);
    eprintln!(
        "body {} MB; typed parse {:?}; into the plan {:?}; held {} MB; a transaction is {} bytes",
        body.len() >> 20,
        best(&times[0]),
        best(&times[1]),
        held >> 20,
        size_of::<crate::plan::Transaction>(),
    );
    assert!(best(&times[1]) < 2 * best(&times[0]));
}
