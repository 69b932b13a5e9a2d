//! The mirror against the in-memory YNAB: deltas in any order of changes give what a whole load gives.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::demo::{Request, Ynab};
use crate::plan::{Line, Payee};

const HOUSEHOLD: &str = "household";
const YEN: &str = "yen";

fn ynab(name: &str) -> Ynab {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).join("plan.json");
    Ynab::from_json(&std::fs::read(path).expect("the recorded plan")).expect("a plan file")
}

fn now(ynab: &Ynab) -> Month {
    Month::of(ynab.today())
}

fn get(ynab: &mut Ynab, path: &str) -> Vec<u8> {
    let given = ynab.handle(Request { method: "GET", path, body: &[] });
    assert_eq!(given.status, 200, "{path}");
    given.body
}

fn send(ynab: &mut Ynab, method: &str, path: &str, body: &Value) -> u16 {
    ynab.handle(Request { method, path, body: body.to_string().as_bytes() }).status
}

fn whole(ynab: &mut Ynab) -> Mirror {
    let (body, now) = (get(ynab, "/plans/last-used"), now(ynab));
    Mirror::whole(&"p".into(), &body, now).expect("a plan")
}

fn catch_up(ynab: &mut Ynab, mirror: &mut Mirror) {
    let path = format!("/plans/last-used?last_knowledge_of_server={}", mirror.knowledge());
    let (body, now) = (get(ynab, &path), now(ynab));
    assert!(mirror.absorb(&body, now).expect("a delta"));
}

/// Everything that is there, by id, independent of the order in which it came.
fn view(mirror: &Mirror, now: Month) -> BTreeMap<String, String> {
    let plan = mirror.plan();
    let mut view = BTreeMap::new();
    let mut put = |id: &str, what: String| {
        view.insert(id.to_owned(), what);
    };
    plan.accounts.iter().filter(|row| !row.deleted).for_each(|row| put(row.id.as_str(), format!("{row:?}")));
    plan.payees.iter().filter(|row| !row.deleted).for_each(|row| put(row.id.as_str(), format!("{row:?}")));
    plan.groups.iter().filter(|row| !row.deleted).for_each(|row| put(row.id.as_str(), format!("{row:?}")));
    plan.categories.iter().filter(|row| !row.deleted).for_each(|row| put(row.id.as_str(), format!("{row:?}")));
    for month in plan.months.values().filter(|month| !month.deleted) {
        put(&month.month.to_string(), format!("{:?}", MonthBudget { categories: Vec::new(), ..month.clone() }));
        for row in month.categories.iter().filter(|row| !row.deleted) {
            let goal = row.goal.as_deref().filter(|_| month.month == now);
            let row = Category { goal: None, ..row.clone() };
            put(&format!("{} {}", month.month, row.id), format!("{row:?} {goal:?}"));
        }
    }
    let line = |line: &Line| {
        let payee = line.payee.map(|ix| plan.payees[ix].id.clone());
        let category = line.category.map(|ix| plan.categories[ix].id.clone());
        format!("{} {:?} {:?} {payee:?} {category:?}", line.id, line.amount, line.memo)
    };
    for row in plan.live() {
        let payee = row.payee.map(|ix| plan.payees[ix].id.clone());
        let category = row.category.map(|ix| plan.categories[ix].id.clone());
        let account = plan.accounts[row.account].id.clone();
        let lines: BTreeMap<_, _> = row.live_lines().map(|part| (part.id.clone(), line(part))).collect();
        let own =
            format!("{:?}{:?}{:?}{}{:?}{:?}", row.date, row.amount, row.cleared, row.approved, row.flag, row.memo);
        put(row.id.as_str(), format!("{own}{account}{payee:?}{category:?}{:?}{lines:?}", row.transfer_transaction));
    }
    for row in plan.scheduled.iter().filter(|row| !row.deleted) {
        let account = plan.accounts[row.account].id.clone();
        put(
            row.id.as_str(),
            format!("{:?}{:?}{}{:?}{account}", row.date_first, row.date_next, row.frequency, row.amount),
        );
    }
    view
}

/// One change that another client could make; `pick` chooses what of.
fn change(ynab: &mut Ynab, kind: u8, pick: usize, amount: i64) -> u16 {
    let mirror = whole(ynab);
    let (plan, day) = (mirror.plan().clone(), ynab.today());
    let rows: Vec<_> = plan.live().collect();
    let row = rows[pick % rows.len()];
    let usable: Vec<_> = plan.categories.iter().filter(|c| c.is_usable() && !c.is_card_payment()).collect();
    let category = usable[pick % usable.len()];
    let accounts: Vec<_> = plan.accounts.iter().filter(|a| !a.closed && !a.deleted && a.on_budget).collect();
    let account = accounts[pick % accounts.len()];
    let payees: Vec<_> = plan.payees.iter().filter(|p| !p.deleted && p.transfer_account.is_none()).collect();
    let payee = payees[pick % payees.len()];
    let groups: Vec<_> = plan.groups.iter().filter(|g| !g.deleted && !g.hidden && !g.internal).collect();
    let group = groups[pick % groups.len()];
    let months: Vec<_> = plan.months.keys().collect();
    let month = months[pick % months.len()];
    let p = "/plans/last-used";
    let rows_sent = |fields: Value| json!({ "transactions": [fields] });
    let lines = json!([
        { "amount": amount * 1000, "category_id": category.id },
        { "amount": row.amount.get() - amount * 1000, "category_id": usable[0].id, "memo": "rest" }
    ]);
    match kind {
        0 => send(
            ynab,
            "PATCH",
            &format!("{p}/transactions"),
            &rows_sent(json!({ "id": row.id, "category_id": category.id })),
        ),
        1 => send(
            ynab,
            "PATCH",
            &format!("{p}/transactions"),
            &rows_sent(
                json!({ "id": row.id, "flag_color": "blue", "memo": format!("m{amount}"), "approved": true, "cleared": "cleared" }),
            ),
        ),
        2 => send(
            ynab,
            "PATCH",
            &format!("{p}/transactions"),
            &rows_sent(json!({ "id": row.id, "amount": amount * 1000, "account_id": account.id })),
        ),
        3 => send(
            ynab,
            "POST",
            &format!("{p}/transactions"),
            &rows_sent(
                json!({ "account_id": account.id, "date": day.to_string(), "amount": amount * 1000, "payee_name": format!("New {amount}"), "category_id": category.id }),
            ),
        ),
        4 => send(
            ynab,
            "PATCH",
            &format!("{p}/transactions"),
            &rows_sent(json!({ "id": row.id, "category_id": null, "subtransactions": lines })),
        ),
        5 => send(ynab, "DELETE", &format!("{p}/transactions/{}", row.id), &Value::Null),
        6 => send(
            ynab,
            "PATCH",
            &format!("{p}/months/{month}/categories/{}", category.id),
            &json!({ "category": { "budgeted": amount * 1000 } }),
        ),
        7 => send(
            ynab,
            "PATCH",
            &format!("{p}/categories/{}", category.id),
            &json!({ "category": { "name": format!("Named {amount}"), "category_group_id": group.id } }),
        ),
        8 => send(
            ynab,
            "PATCH",
            &format!("{p}/categories/{}", category.id),
            &json!({ "category": { "goal_target": amount.abs() * 1000 } }),
        ),
        9 => send(
            ynab,
            "PATCH",
            &format!("{p}/payees/{}", payee.id),
            &json!({ "payee": { "name": format!("Renamed {amount}") } }),
        ),
        10 => send(
            ynab,
            "PATCH",
            &format!("{p}/category_groups/{}", group.id),
            &json!({ "category_group": { "name": format!("Group {amount}") } }),
        ),
        11 => send(
            ynab,
            "POST",
            &format!("{p}/categories"),
            &json!({ "category": { "name": format!("Made {amount}"), "category_group_id": group.id } }),
        ),
        12 => send(ynab, "POST", &format!("{p}/transactions/import"), &Value::Null),
        _ => send(ynab, "POST", &format!("{p}/payees"), &json!({ "payee": { "name": format!("Payee {amount}") } })),
    }
}

#[test]
fn the_recorded_plans_prove_themselves() {
    for name in [HOUSEHOLD, YEN, "two-plans"] {
        assert_eq!(whole(&mut ynab(name)).unproven(), Vec::<Arc<str>>::new(), "{name}");
    }
}

#[test]
fn every_kind_of_change_is_one_that_ynab_accepts() {
    let mut ynab = ynab(YEN);
    for kind in 0..14 {
        let accepted = (0..40).any(|pick| change(&mut ynab, kind, pick, 7 + pick as i64) < 300);
        assert!(accepted, "{kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_whole_load_is_any_sequence_of_deltas(
        changes in prop::collection::vec((0u8..14, 0usize..5000, 1i64..900, any::<bool>()), 1..14),
    ) {
        let mut ynab = ynab(YEN);
        let mut mirror = whole(&mut ynab);
        for (kind, pick, amount, catches_up) in changes {
            change(&mut ynab, kind, pick, amount);
            if catches_up {
                catch_up(&mut ynab, &mut mirror);
                prop_assert_eq!(mirror.unproven().len(), 0);
            }
        }
        catch_up(&mut ynab, &mut mirror);
        let (now, fresh) = (now(&ynab), whole(&mut ynab));
        let (merged, loaded) = (view(&mirror, now), view(&fresh, now));
        for (id, what) in &loaded {
            prop_assert_eq!(merged.get(id), Some(what));
        }
        prop_assert_eq!(merged.len(), loaded.len());
    }
}

#[test]
fn a_mirror_whose_sums_are_wrong_names_the_account() {
    let mut ynab = ynab(YEN);
    let mut mirror = whole(&mut ynab);
    let mut plan = Plan::clone(mirror.plan());
    let account = plan.live().next().map(|row| row.account).expect("a transaction");
    let name = plan.accounts[account].name.clone();
    let ix = plan.transactions.find(&plan.live().next().expect("one").id).expect("its place");
    plan.transactions.at_mut(ix).amount += Milliunits::new(1);
    mirror.plan = Arc::new(plan);
    assert_eq!(mirror.unproven(), [name]);
}

#[test]
fn a_delta_in_which_nothing_changed_leaves_the_plan_alone() {
    let mut ynab = ynab(YEN);
    let mut mirror = whole(&mut ynab);
    let reader = mirror.plan().clone();
    catch_up(&mut ynab, &mut mirror);
    assert!(Arc::ptr_eq(&reader, mirror.plan()));
}

#[test]
fn point_52_a_renamed_payee_is_renamed_everywhere() {
    let mut ynab = ynab(YEN);
    let mut mirror = whole(&mut ynab);
    let plan = mirror.plan().clone();
    let named = |plan: &Plan, name: &str| plan.live().filter(|row| plan.payee_name(row.payee) == name).count();
    let often = |payee: &&Payee| payee.transfer_account.is_none() && named(&plan, &payee.name) > 20;
    let payee = plan.payees.iter().find(often).cloned().expect("a payee");
    let path = format!("/plans/last-used/payees/{}", payee.id);
    assert_eq!(send(&mut ynab, "PATCH", &path, &json!({ "payee": { "name": "Another name" } })), 200);
    catch_up(&mut ynab, &mut mirror);
    assert_eq!(named(mirror.plan(), "Another name"), named(&plan, &payee.name));
    assert_eq!(named(mirror.plan(), &payee.name), 0);
}
