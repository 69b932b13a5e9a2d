//! Owns the stage for the laws: steps carried out on a plan as YNAB would, ready-made proposals, the state to compare.
//! Never asserts a law itself.

use std::sync::LazyLock;

use super::super::approve::approve;
use super::super::budget::set_budget;
use super::super::categorize::{Assignment, Recategorisation, categorize};
use super::super::category::Shelf;
use super::super::create::{Creation, New};
use super::super::flag::Flag;
use super::super::moving::{Move, move_money};
use super::super::reconciling::{Adjust, reconcile};
use super::super::undo::undo;
use super::super::*;
use crate::error::Refusal;
use crate::fixtures::corpus;
use crate::plan::{Category, Cleared, Payee, Plan, Transaction};

/// Carries a step out on the plan, as YNAB would.
pub(crate) fn carry_out(plan: &mut Plan, step: &Step) -> Landed {
    let mut landed = Landed::default();
    match step {
        Step::Transactions { rows } => rows.iter().for_each(|row| edit(plan, row)),
        Step::Create { rows, .. } => landed.created = rows.iter().map(|row| create(plan, row)).collect(),
        Step::Delete { id, .. } => {
            let ix = plan.transactions.find(id).expect("the transaction");
            plan.transactions.at_mut(ix).deleted = true;
        }
        Step::Budget { month, category, budgeted } => {
            let rows = &mut plan.months.get_mut(month).expect("the month").categories;
            let row = rows.iter_mut().find(|row| row.id == *category).expect("the category");
            row.balance += budgeted.after - row.budgeted;
            row.budgeted = budgeted.after;
        }
        Step::Category { category, place } => {
            let group_name = plan.groups.get(&place.after.group).expect("the group").name.clone();
            with_category(plan, category, |row| {
                row.name = place.after.name.as_str().into();
                row.group = place.after.group.clone();
                row.group_name = group_name;
            });
        }
        Step::Payee { payee, name } => {
            let ix = plan.payees.find(payee).expect("the payee");
            plan.payees.at_mut(ix).name = name.after.as_str().into();
        }
        Step::Target { category, sent, .. } => with_category(plan, category, |row| {
            let had = row.goal.as_deref().cloned();
            row.goal = target::expected(row, had.as_ref(), sent).map(Box::new);
            if let (Some(goal), Some(whole)) = (row.goal.as_mut(), sent.whole) {
                goal.needs_whole_amount = Some(whole);
            }
            landed.goal = row.goal.as_deref().map(GoalState::of);
        }),
        other => panic!("not carried out in tests: {other:?}"),
    }
    landed
}

pub(crate) fn with_category(plan: &mut Plan, id: &CategoryId, change: impl FnOnce(&mut Category)) {
    let ix = plan.categories.find(id).expect("the category");
    change(plan.categories.at_mut(ix));
}

pub(crate) fn edit(plan: &mut Plan, edit: &RowEdit) {
    let category = edit.category.as_ref().map(|c| c.after.as_ref().and_then(|id| plan.categories.find(id)));
    let ix = plan.transactions.find(&edit.id).expect("the transaction");
    let row = plan.transactions.at_mut(ix);
    if let Some(category) = category {
        row.category = category;
    }
    if let Some(flag) = &edit.flag {
        row.flag = flag.after.as_deref().map(Into::into);
    }
    if let Some(cleared) = &edit.cleared {
        row.cleared = Cleared::of(&cleared.after);
    }
    if let Some(approved) = &edit.approved {
        row.approved = approved.after;
    }
}

pub(crate) fn create(plan: &mut Plan, row: &NewRow) -> TransactionId {
    let known = plan.payees.enumerate().find(|(_, p)| *p.name == *row.payee).map(|(ix, _)| ix);
    let id = PayeeId::from(format!("payee-{}", plan.payees.len()).as_str());
    let payee =
        known.unwrap_or_else(|| plan.payees.put(Payee { id, name: row.payee.as_str().into(), ..Payee::default() }));
    let id = TransactionId::from(format!("made-{}", plan.transactions.len()).as_str());
    plan.transactions.put(Transaction {
        id: id.clone(),
        date: row.date,
        amount: row.amount,
        cleared: Cleared::of(&row.cleared),
        approved: row.approved,
        deleted: false,
        flag: None,
        account: plan.accounts.find(&row.account).expect("the account"),
        payee: Some(payee),
        category: row.category.as_ref().and_then(|id| plan.categories.find(id)),
        transfer_account: None,
        transfer_transaction: None,
        memo: row.memo.as_deref().map(Into::into),
        import_id: row.import_id.as_deref().map(Into::into),
        lines: Vec::new(),
    });
    id
}

/// Carries a proposal out; the operation as the journal would hold it.
pub(crate) fn carried(plan: &mut Plan, proposal: &Proposal) -> Operation {
    let done = |plan: &mut Plan, step: &Step| {
        let landed = carry_out(plan, step);
        Done { step: step.clone(), state: StepState::Applied, landed }
    };
    Operation {
        id: OperationId::from(format!("op-{}", proposal.fingerprint()).as_str()),
        plan: plan.id.clone(),
        kind: proposal.kind,
        at: "2026-03-17T12:00:00Z".into(),
        steps: proposal.steps.iter().map(|step| done(plan, step)).collect(),
        undone: Vec::new(),
        closed: false,
    }
}

/// What taking back that operation, the only one, would do.
pub(crate) fn undo_one(plan: &Plan, operation: &Operation) -> Result<Proposed<Recategorisation>, Refusal> {
    undo(plan, std::slice::from_ref(operation), Some(operation.id.as_str()))
}

/// Takes the operation back as far as it goes, and notes it there.
pub(crate) fn take_back(plan: &mut Plan, operation: &mut Operation) -> Result<Recategorisation, Refusal> {
    let proposed = undo_one(plan, operation)?;
    if let Some(proposal) = &proposed.proposal {
        operation.undone.extend(carried(plan, proposal).steps);
    }
    Ok(proposed.answer)
}

pub(crate) fn plan() -> Plan {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| corpus("household").plans.remove(0));
    PLAN.clone()
}

pub(crate) fn march() -> Month {
    Month::at(2026 * 12 + 2)
}

pub(crate) fn budget(plan: &Plan, name: &str, amount: f64) -> Proposal {
    let month = plan.months.get(&march()).expect("March 2026");
    let id = month.categories.iter().find(|c| &*c.name == name).expect("the category").id.to_string();
    let proposed = set_budget(&plan.id, &plan.currency, month, &id, amount).expect("a proposal");
    proposed.proposal.expect("a question")
}

/// A proposal to give Books to the first live transactions that take a category.
pub(crate) fn books(plan: &Plan, count: usize) -> Proposal {
    let books = plan.categories.iter().find(|c| &*c.name == "Books").expect("Books").id.to_string();
    let plain = |t: &&Transaction| {
        let other = categorize::category_id(plan, t).is_some_and(|id| id.as_str() != books);
        other && !t.is_split() && !t.is_transfer() && plan.accounts[t.account].on_budget
    };
    let rows: Vec<&Transaction> = plan.live().filter(plain).take(count).collect();
    let assign = |t: &&Transaction| (t.id.to_string(), books.clone());
    let pairs: Vec<(String, String)> = rows.iter().map(assign).collect();
    let asked: Vec<Assignment<'_>> =
        pairs.iter().map(|(t, c)| Assignment { transaction_id: t, category_id: c }).collect();
    categorize(plan, &asked).expect("a proposal").proposal.expect("a question")
}

pub(crate) fn edited_row(operation: &Operation, at: usize) -> TransactionId {
    match &operation.steps[0].step {
        Step::Transactions { rows } => rows[at].id.clone(),
        other => panic!("{other:?}"),
    }
}

/// Another client gives the transaction another category.
pub(crate) fn recategorised_since(plan: &mut Plan, id: &TransactionId, name: &str) {
    let category = plan.categories.enumerate().find(|(_, c)| &*c.name == name).map(|(ix, _)| ix);
    let ix = plan.transactions.find(id).expect("the transaction");
    plan.transactions.at_mut(ix).category = category;
}

pub(crate) fn assigned_since(plan: &mut Plan, name: &str, amount: i64) {
    let rows = &mut plan.months.get_mut(&march()).expect("March 2026").categories;
    rows.iter_mut().find(|c| &*c.name == name).expect("the category").budgeted = Milliunits::new(amount);
}

pub(crate) fn assigned(plan: &Plan, name: &str) -> Milliunits {
    let rows = &plan.months.get(&march()).expect("March 2026").categories;
    rows.iter().find(|c| &*c.name == name).expect("the category").budgeted
}

/// All that writes change, as text; payees that YNAB made for a created transaction stay, as in YNAB.
pub(crate) fn state(plan: &Plan) -> Vec<String> {
    let row = |t: &Transaction| {
        let category = categorize::category_id(plan, t);
        format!("{} {category:?} {:?} {:?} {}", t.id, t.flag, t.cleared, t.approved)
    };
    let budget = |c: &Category| format!("{} {:?} {:?}", c.id, c.budgeted, c.balance);
    let made = |p: &&Payee| !p.id.as_str().starts_with("payee-");
    let mut all: Vec<String> = plan.live().map(row).collect();
    all.extend(plan.months[&march()].categories.iter().map(budget));
    let goal = |c: &Category| c.goal.as_deref().map(GoalState::of);
    all.extend(plan.categories.iter().map(|c| format!("{} {} {} {:?}", c.id, c.name, c.group, goal(c))));
    all.extend(plan.payees.iter().filter(made).map(|p| format!("{} {}", p.id, p.name)));
    all
}

pub(crate) fn category_id(plan: &Plan, name: &str) -> String {
    plan.categories.iter().find(|c| &*c.name == name && c.is_usable()).expect("the category").id.to_string()
}

pub(crate) fn moving(plan: &Plan, from: &str, to: &str, amount: f64) -> Proposal {
    let asked = Move { from_category_id: &category_id(plan, from), to_category_id: &category_id(plan, to), amount };
    let proposed = move_money(&plan.id, &plan.currency, &plan.months[&march()], asked).expect("a proposal");
    proposed.proposal.expect("a question")
}

pub(crate) fn creating(plan: &Plan, count: usize) -> Proposal {
    let account = plan.accounts.iter().find(|a| &*a.name == "Everyday account").expect("the account").id.to_string();
    let day = |at: usize| jiff::civil::date(2026, 3, 1 + (at % 16) as i8);
    let new = |at: usize| New {
        date: day(at),
        amount: -1.5 - at as f64,
        payee_name: "A new shop",
        memo: at.is_multiple_of(2).then_some("memo"),
        category_id: None,
        cleared: None,
    };
    let rows: Vec<New<'_>> = (0..count).map(new).collect();
    let asked = Creation { account_id: &account, transactions: &rows, approved: false };
    let today = jiff::civil::date(2026, 3, 17);
    create::create(plan, today, asked).expect("a proposal").proposal.expect("a question")
}

pub(crate) fn reconciling(plan: &Plan, difference: f64) -> Proposal {
    let account = plan.accounts.iter().find(|a| &*a.name == "Everyday account").expect("the account");
    let cleared: Milliunits = plan
        .live()
        .filter(|t| plan.accounts[t.account].id == account.id && t.cleared != Cleared::Uncleared)
        .map(|t| t.amount)
        .sum();
    let balance = cleared.get() as f64 / 1000.0 + difference;
    let today = jiff::civil::date(2026, 3, 17);
    let mut plan = plan.clone();
    let ix = plan.accounts.find(&account.id).expect("the account");
    plan.accounts.at_mut(ix).cleared = cleared;
    let id = plan.accounts[ix].id.to_string();
    let proposed = reconcile(&plan, today, &id, balance, Adjust::Difference).expect("a proposal");
    proposed.proposal.expect("a question")
}

/// A valid write of one of ten kinds, each of which can be undone.
pub(crate) fn some_write(plan: &Plan, which: u8, size: usize) -> Proposal {
    let names = ["Restaurants", "Fuel", "Groceries", "Rent"];
    let name = names[size % names.len()];
    match which % 10 {
        0 => books(plan, size),
        1 => budget(plan, name, assigned(plan, name).get() as f64 / 1000.0 + 1.0 + size as f64),
        2 => moving(plan, name, names[(size + 1) % names.len()], size as f64),
        3 => creating(plan, size),
        4 => {
            let color = flag::COLORS[size % flag::COLORS.len()];
            let other = |t: &&Transaction| t.flag.as_deref() != Some(color);
            let ids: Vec<&str> = plan.live().filter(other).take(size).map(|t| t.id.as_str()).collect();
            let flags: Vec<Flag<'_>> = ids.iter().map(|id| Flag { transaction_id: id, color: Some(color) }).collect();
            flag::flag(plan, &flags).expect("a proposal").proposal.expect("a question")
        }
        5 => {
            let own = |p: &&Payee| p.transfer_account.is_none() && !p.deleted && &*p.name != "Starting Balance";
            let payees: Vec<&Payee> = plan.payees.iter().filter(own).collect();
            let name = format!("Renamed {size} {}", plan.payees.len());
            let id = payees[size % 50].id.as_str();
            let proposed = payee::rename(plan, id, &name).expect("a proposal");
            proposed.proposal.unwrap_or_else(|| books(plan, size))
        }
        6 => {
            let (groups, categories) = (plan.groups.iter().as_slice(), plan.categories.iter().as_slice());
            let id = category_id(plan, "Transport");
            let shelf = Shelf { plan: &plan.id, groups, categories };
            let new = format!("Getting around {size}");
            let proposed = category::update(shelf, &id, Some(&new), None);
            proposed.expect("a proposal").proposal.unwrap_or_else(|| books(plan, size))
        }
        7 => {
            let target = [("Holidays ✈️", "weekly"), ("Internet & phone", "yearly"), ("Sport", "monthly")];
            let (name, frequency) = target[size % target.len()];
            let ask = target::Ask { amount: Some(1.0 + size as f64), frequency: Some(frequency), by_date: None };
            let categories = plan.categories.iter().as_slice();
            let id = category_id(plan, name);
            let set = target::set_target(&plan.id, &plan.currency, categories, &id, ask).expect("a proposal");
            set.proposal.filter(|_| set.answer.undoable).unwrap_or_else(|| books(plan, size))
        }
        8 => {
            let ids: Vec<&str> = plan.live().filter(|t| !t.approved).take(size).map(|t| t.id.as_str()).collect();
            approve(plan, &ids).expect("a proposal").proposal.unwrap_or_else(|| books(plan, size))
        }
        _ => reconciling(plan, (size % 3) as f64 - 1.5),
    }
}

/// A transaction on the first account, as the Python server would have created it.
pub(crate) fn put_created(plan: &mut Plan, id: &TransactionId, payee: &str, amount: i64) {
    let account = plan.accounts.iter().find(|a| &*a.name == "Everyday account").expect("the account").id.clone();
    let made = create(
        plan,
        &NewRow {
            account,
            date: jiff::civil::date(2026, 3, 16),
            amount: Milliunits::new(amount),
            payee: payee.into(),
            memo: None,
            category: None,
            cleared: "reconciled".into(),
            approved: true,
            import_id: None,
        },
    );
    let row = Transaction { id: id.clone(), ..plan.transactions.get(&made).expect("it").clone() };
    plan.transactions.put(row);
}
