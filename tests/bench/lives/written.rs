//! Owns how a life is written down: YNAB's export of it up to today, and the truth beside it.
//! Never invents an event.

use std::collections::BTreeMap;

use avenir_mcp::dates::{Date, Month, add_days, days_between};
use serde_json::{Value, json};

use super::bills::{Amounts, Rhythm};
use super::{AHEAD, CATEGORIES, Event, Household, Life, Truth, category};

/// A schedule in YNAB.
pub struct Schedule {
    pub name: String,
    pub frequency: &'static str,
    pub next: Date,
    pub amount: i64,
    pub account: usize,
    pub to_account: Option<usize>,
    pub category: usize,
}

fn category_id(place: usize) -> String {
    format!("c{place:02}")
}

fn account_id(place: usize) -> String {
    format!("a{place}")
}

/// Rows with ids, made as they are needed.
#[derive(Default)]
struct Rows {
    payees: BTreeMap<String, usize>,
    payee_rows: Vec<Value>,
    transactions: Vec<Value>,
    lines: Vec<Value>,
}

impl Rows {
    fn payee(&mut self, name: &str, account: Option<usize>) -> String {
        let next = self.payees.len();
        let place = *self.payees.entry(name.to_owned()).or_insert(next);
        if place == next {
            let account = account.map(account_id);
            self.payee_rows.push(
                json!({ "id": format!("p{place}"), "name": name, "transfer_account_id": account, "deleted": false }),
            );
        }
        format!("p{place}")
    }

    fn transaction(
        &mut self,
        event: &Event,
        account: usize,
        amount: i64,
        payee: &str,
        category: Option<usize>,
    ) -> String {
        let id = format!("t{}", self.transactions.len());
        self.transactions.push(json!({
            "id": id, "date": event.date.to_string(), "amount": amount, "cleared": "cleared", "approved": true,
            "account_id": account_id(account), "payee_id": payee, "category_id": category.map(category_id),
            "deleted": false,
        }));
        id
    }
}

/// The plan up to today and what is true beyond it.
pub fn life(mut home: Household<'_>) -> Life {
    let today = home.today;
    home.events.sort_by_key(|event| event.date);
    choose_balance(&mut home);
    let truth_ahead = ahead(&home);

    let mut rows = Rows::default();
    let mut truth = Truth { ends: truth_ahead.0, lows: truth_ahead.1, ..Truth::default() };
    let names: Vec<String> = home.accounts.iter().map(|account| account.name.clone()).collect();
    let start = add_days(home.start, -1);
    for (place, account) in home.accounts.iter().enumerate() {
        let (amount, inflow) = ((account.start * 1000.0) as i64 / 1000 * 1000, account.on_budget.then_some(0));
        let payee = rows.payee("Starting Balance", None);
        let event = Event {
            date: start,
            amount,
            account: place,
            to_account: None,
            label: String::new(),
            tidied: None,
            category: inflow,
            lines: Vec::new(),
            internal: true,
        };
        rows.transaction(&event, place, amount, &payee, inflow);
    }

    // The last weeks wait for their categories, and a few that were forgotten.
    let waiting_since = add_days(today, -home.chance.whole(8, 40));
    let past: Vec<Event> = home.events.iter().filter(|event| event.date <= today).cloned().collect();
    for event in &past {
        let to_budget = event.to_account.is_some_and(|to| home.accounts[to].on_budget);
        let recent = event.date >= waiting_since;
        if let Some(to) = event.to_account {
            let unlinked = to_budget && recent && home.chance.yes(0.3);
            if unlinked {
                for (account, amount, incoming) in [(event.account, event.amount, false), (to, -event.amount, true)] {
                    let label = home.bank.clone().transfer(home.chance, "ENTRE COMPTES", incoming);
                    let payee = rows.payee(&label, None);
                    let id = rows.transaction(event, account, amount, &payee, None);
                    truth.categories.insert(id, None);
                }
                continue;
            }
            let there = rows.payee(&format!("Transfer : {}", names[to]), Some(to));
            let here = rows.payee(&format!("Transfer : {}", names[event.account]), Some(event.account));
            let category = event.category.filter(|_| !to_budget);
            let first = rows.transaction(event, event.account, event.amount, &there, category);
            let second = rows.transaction(event, to, -event.amount, &here, None);
            for (row, account, other) in [(2, to, &second), (1, event.account, &first)] {
                let place = rows.transactions.len() - row;
                rows.transactions[place]["transfer_account_id"] = account_id(account).into();
                rows.transactions[place]["transfer_transaction_id"] = other.clone().into();
            }
            continue;
        }
        let forgotten = days_between(event.date, today) < 200 && home.chance.yes(0.01);
        let waits = (recent && home.chance.yes(0.9)) || forgotten;
        let (tidies, tidying) = &mut home.tidies;
        let tidied = event.tidied.as_deref().filter(|_| !waits && tidying.yes(*tidies));
        let payee = rows.payee(tidied.unwrap_or(&event.label), None);
        // Everybody is wrong now and then, or meant something else that time.
        let slip = event.amount < 0 && home.chance.yes(home.slips);
        let chosen = if slip { Some(home.chance.whole(10, 31) as usize) } else { event.category };
        let category = chosen.filter(|_| !waits && event.lines.is_empty());
        let id = rows.transaction(event, event.account, event.amount, &payee, category);
        if waits {
            truth.categories.insert(id, event.category.map(category_id));
        } else {
            for (n, (amount, category)) in event.lines.iter().enumerate() {
                rows.lines.push(json!({
                    "id": format!("{id}-{n}"), "transaction_id": id, "amount": amount,
                    "category_id": category_id(*category), "deleted": false,
                }));
            }
        }
    }

    charges(&home, &mut truth);
    let spent: i64 = past
        .iter()
        .filter(|event| event.amount < 0 && !event.to_account.is_some_and(|to| home.accounts[to].on_budget))
        .map(|event| event.amount)
        .sum();
    truth.spending = -(spent as f64) / (f64::from(days_between(home.start, today) as i32) / 30.44);
    Life { country: home.country, today, plan: plan(&home, rows, &past), truth }
}

/// Gives the checking account what makes the total of today what chance says.
fn choose_balance(home: &mut Household<'_>) {
    let wanted = home.chance.lognormal(home.pace * 1.1, 0.8);
    let flow: i64 =
        home.events.iter().filter(|event| event.date <= home.today).map(|event| budget_flow(home, event)).sum();
    let others: f64 = home.accounts[1..].iter().filter(|account| account.on_budget).map(|account| account.start).sum();
    home.accounts[0].start = (wanted - flow as f64 / 1000.0 - others).round();
}

/// What an event changes in the total of the budget accounts.
fn budget_flow(home: &Household<'_>, event: &Event) -> i64 {
    let to_budget = event.to_account.is_some_and(|to| home.accounts[to].on_budget);
    if to_budget { 0 } else { event.amount }
}

/// Per month from today's on: the end and the lowest day from tomorrow.
fn ahead(home: &Household<'_>) -> (Vec<i64>, Vec<i64>) {
    let mut balance: i64 =
        home.accounts.iter().filter(|a| a.on_budget).map(|a| (a.start * 1000.0) as i64 / 1000 * 1000).sum();
    let mut flows: BTreeMap<Date, i64> = BTreeMap::new();
    for event in &home.events {
        let flow = budget_flow(home, event);
        if event.date <= home.today {
            balance += flow;
        } else {
            *flows.entry(event.date).or_default() += flow;
        }
    }
    let (mut ends, mut lows) = (Vec::new(), Vec::new());
    for month in Month::of(home.today).through(Month::of(home.today).add(AHEAD)) {
        let mut low = balance;
        for (_, flow) in flows.range(month.first()..=month.last()) {
            balance += flow;
            low = low.min(balance);
        }
        ends.push(balance);
        lows.push(low);
    }
    (ends, lows)
}

fn charges(home: &Household<'_>, truth: &mut Truth) {
    for bill in home.bills.iter().filter(|bill| bill.is_charge && bill.amount < 0.0) {
        let name = bill
            .to_account
            .map_or(bill.name.trim_start_matches("PAYPAL *").to_owned(), |to| home.accounts[to].name.to_uppercase());
        let due = bill.rhythm.days(bill.start, bill.end);
        let goes_on = due.iter().any(|day| *day > home.today);
        let seen = due.iter().filter(|day| (home.start..=home.today).contains(*day)).count();
        let enough = if bill.rhythm.per_year() <= 2.0 { 2 } else { 3 };
        if goes_on && seen >= enough {
            truth.charges.push((name, bill.level(home.today) * bill.rhythm.per_year(), bill.amounts == Amounts::Fixed));
        } else if goes_on || due.last().is_some_and(|last| is_still_awaited(bill.rhythm, *last, home.today)) {
            // Too new to be seen, or ended since it was last due: nobody can know.
            truth.unseen.push(name);
        }
    }
}

/// Whether what was last due then would not be missed yet.
fn is_still_awaited(rhythm: Rhythm, last: Date, today: Date) -> bool {
    let next = rhythm.days(last, add_days(last, 400)).into_iter().find(|day| *day > last);
    next.is_some_and(|next| days_between(next, today) < 10)
}

fn plan(home: &Household<'_>, mut rows: Rows, past: &[Event]) -> Value {
    let mut balances: Vec<i64> =
        home.accounts.iter().map(|account| (account.start * 1000.0) as i64 / 1000 * 1000).collect();
    for event in past {
        balances[event.account] += event.amount;
        if let Some(to) = event.to_account {
            balances[to] -= event.amount;
        }
    }
    let accounts: Vec<Value> = home.accounts.iter().zip(&balances).enumerate().map(|(place, (account, balance))| json!({
        "id": account_id(place), "name": account.name, "type": account.kind, "on_budget": account.on_budget,
        "closed": false, "balance": balance, "cleared_balance": balance, "uncleared_balance": 0, "deleted": false,
    })).collect();
    let scheduled: Vec<Value> = home
        .schedules
        .iter()
        .enumerate()
        .map(|(n, schedule)| {
            let payee = match schedule.to_account {
                Some(to) => rows.payee(&format!("Transfer : {}", home.accounts[to].name), Some(to)),
                None => rows.payee(&schedule.name, None),
            };
            json!({
                "id": format!("s{n}"), "date_first": schedule.next.to_string(), "date_next": schedule.next.to_string(),
                "frequency": schedule.frequency, "amount": schedule.amount, "account_id": account_id(schedule.account),
                "payee_id": payee, "category_id": category_id(schedule.category),
                "transfer_account_id": schedule.to_account.map(account_id), "deleted": false,
            })
        })
        .collect();
    let mut groups: Vec<&str> = Vec::new();
    for (_, group) in CATEGORIES {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let group_rows: Vec<Value> = groups
        .iter()
        .map(|group| {
            json!({
                "id": format!("g-{group}"), "name": group, "hidden": false, "internal": group.starts_with("Internal"),
                "deleted": false,
            })
        })
        .collect();
    let categories: Vec<Value> = CATEGORIES.iter().enumerate().map(|(place, (name, group))| json!({
        "id": category_id(place), "category_group_id": format!("g-{group}"), "category_group_name": group, "name": name,
        "hidden": false, "internal": group.starts_with("Internal"), "budgeted": 0, "activity": 0, "balance": 0,
        "deleted": false,
    })).collect();
    let (code, digits) = home.country.currency();
    let _ = category;
    json!({
        "id": "life", "name": "A life", "first_month": Month::of(home.start).to_string(),
        "last_month": Month::of(home.today).to_string(),
        "currency_format": { "iso_code": code, "decimal_digits": digits },
        "accounts": accounts, "payees": rows.payee_rows, "category_groups": group_rows, "categories": categories,
        "months": [], "transactions": rows.transactions, "subtransactions": rows.lines,
        "scheduled_transactions": scheduled, "scheduled_subtransactions": [],
    })
}
