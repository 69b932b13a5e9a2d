//! Owns invented lives whose truth is known: a household's plan up to a day, and what that household did and would do.
//! Never looks at how the answers are made; the seeds used for tuning are not those of the figures.

#![allow(dead_code, missing_docs, reason = "shared by several programs, each using a part")]

pub mod bills;
pub mod chance;
pub mod labels;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use avenir_mcp::dates::{Date, Month, add_days, days_between};
use serde_json::Value;

use bills::{Amounts, Bill, Rhythm};
use chance::Chance;
use labels::{Bank, COUNTRIES, Country, Trade};

/// Months of history before today.
pub const HISTORY: i32 = 30;
/// Full months after today's that the truth reaches.
pub const AHEAD: i32 = 12;

/// A household: its plan as YNAB exports it, and the truth.
pub struct Life {
    pub country: Country,
    pub today: Date,
    /// The body of `GET /plans/{id}`, without its envelope.
    pub plan: Value,
    pub truth: Truth,
}

#[derive(Default)]
pub struct Truth {
    /// What the user would choose for each that waits; `None` where no category is right.
    pub categories: BTreeMap<String, Option<String>>,
    /// Of today's month and each after it: the balance at its end, and on its lowest day from tomorrow on.
    pub ends: Vec<i64>,
    pub lows: Vec<i64>,
    /// What is spent in an average month, positive.
    pub spending: f64,
    /// What comes back and goes on: its name, what it costs a year, negative, and whether its amount is the same
    /// each time.
    pub charges: Vec<(String, f64, bool)>,
    /// Names of what comes back and is not in `charges`: too new to be seen. Naming one is neither right nor wrong.
    pub unseen: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Account {
    pub name: String,
    pub kind: &'static str,
    pub on_budget: bool,
    pub start: f64,
}

/// Something that happened, or will.
#[derive(Clone, Debug)]
pub struct Event {
    pub date: Date,
    /// In milliunits.
    pub amount: i64,
    pub account: usize,
    pub to_account: Option<usize>,
    pub label: String,
    /// The name a household that tidies gives the payee later.
    pub tidied: Option<String>,
    pub category: Option<usize>,
    /// Split in these parts, when the household splits it.
    pub lines: Vec<(i64, usize)>,
    /// A word of YNAB's own, never waiting for a category.
    pub internal: bool,
}

pub const CATEGORIES: [(&str, &str); 34] = [
    ("Inflow: Ready to Assign", "Internal Master Category"),
    ("Rent & mortgage", "Bills"),
    ("Electricity", "Bills"),
    ("Water", "Bills"),
    ("Internet & phone", "Bills"),
    ("Insurance", "Bills"),
    ("Taxes", "Bills"),
    ("Subscriptions", "Bills"),
    ("Bank fees", "Bills"),
    ("Loans", "Bills"),
    ("Groceries", "Everyday"),
    ("Restaurants", "Everyday"),
    ("Coffee & snacks", "Everyday"),
    ("Fuel", "Everyday"),
    ("Transport", "Everyday"),
    ("Household", "Everyday"),
    ("Clothes", "Everyday"),
    ("Health", "Everyday"),
    ("Sport", "Fun"),
    ("Leisure", "Fun"),
    ("Books & games", "Fun"),
    ("Gifts", "Fun"),
    ("Holidays", "Fun"),
    ("Kids", "Family"),
    ("School", "Family"),
    ("Pets", "Family"),
    ("Hers", "Own money"),
    ("His", "Own money"),
    ("Home repairs", "Rare"),
    ("Car repairs", "Rare"),
    ("Furniture", "Rare"),
    ("Charity", "Rare"),
    ("Investing", "Saving"),
    ("Eating out (new)", "Everyday"),
];

fn category(name: &str) -> usize {
    CATEGORIES.iter().position(|(known, _)| *known == name).expect("a category of the list")
}

/// A shop somebody goes to.
#[derive(Clone, Debug)]
struct Shop {
    name: String,
    category: usize,
    /// Instead of `category`, at or above this amount.
    above: Option<(f64, usize)>,
    /// Any of these, whatever it was before.
    mixed: Vec<usize>,
    /// Split now and then with this category.
    splits: Option<(f64, usize)>,
    city: &'static str,
    weight: f64,
}

/// A kind of spending.
struct Habit {
    trade: Trade,
    category: usize,
    per_month: f64,
    median: f64,
    sigma: f64,
    season: [f64; 12],
    /// Shops gone to again, and how often it is a new one.
    shops: Vec<Shop>,
    new_shop: f64,
}

const FLAT: [f64; 12] = [1.0; 12];
const SUMMER: [f64; 12] = [0.3, 0.5, 0.5, 0.9, 0.8, 1.1, 2.8, 3.0, 0.7, 0.6, 0.3, 0.8];
const DECEMBER: [f64; 12] = [0.4, 0.7, 0.6, 0.7, 0.9, 1.0, 0.6, 0.5, 0.7, 0.9, 1.5, 4.0];
const SALES: [f64; 12] = [1.5, 0.8, 1.0, 1.0, 0.9, 1.2, 1.2, 0.6, 1.4, 1.0, 0.9, 1.3];

/// Everything about a household that its events are made from.
struct Household<'a> {
    chance: &'a mut Chance,
    country: Country,
    bank: Bank,
    second_bank: Bank,
    today: Date,
    start: Date,
    end: Date,
    /// What it spends a month, about, in its currency.
    pace: f64,
    accounts: Vec<Account>,
    events: Vec<Event>,
    bills: Vec<Bill>,
    /// Of each bill, its times.
    schedules: Vec<written::Schedule>,
    names: BTreeSet<String>,
    /// A category that gave way to another on a day.
    moved: Option<(usize, usize, Date)>,
    /// How often it goes somewhere new, and how often it slips, next to others.
    curious: f64,
    slips: f64,
    /// Cafés and clothes go to the purse of whose card it is.
    own_money: bool,
    family: Family,
    /// How often it tidies the payee of what it has categorised, and the chance that decides it.
    tidies: (f64, Chance),
}

/// What kind of lives these are: each next to the usual.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// How many surprises come.
    surprises: f64,
    /// What prices rise by in a year, beside 0 to 4 %.
    inflation: f64,
    /// How far habits grow or fade.
    drift: f64,
    /// How often an income varies.
    free: f64,
    /// How often a household tidies its payees, so that only what waits has a bank's label.
    tidy: f64,
}

/// The kinds that are measured, the usual first.
pub const FAMILIES: [Family; 4] = [
    Family { name: "usual", surprises: 1.0, inflation: 0.0, drift: 1.0, free: 0.12, tidy: 0.0 },
    Family { name: "calm", surprises: 0.25, inflation: 0.0, drift: 0.5, free: 0.0, tidy: 0.5 },
    Family { name: "changing", surprises: 0.7, inflation: 0.05, drift: 3.0, free: 0.12, tidy: 0.2 },
    Family { name: "irregular", surprises: 2.0, inflation: 0.0, drift: 1.0, free: 0.6, tidy: 0.2 },
];

/// The life of a seed.
pub fn life(family: Family, seed: u64) -> Life {
    let mut chance = Chance::new(seed);
    let country = COUNTRIES[seed as usize % COUNTRIES.len()];
    let today = Date::new(2026, 1, 1).map(|day| add_days(day, chance.whole(0, 364))).expect("a day");
    let start = Month::of(today).add(-HISTORY).first();
    let end = Month::of(today).add(AHEAD).last();
    let clean = chance.yes(0.25);
    let bank = Bank::new(country, &mut chance, clean);
    let second_bank = if chance.yes(0.6) { bank.clone() } else { Bank::new(country, &mut chance, clean) };
    let pace = chance.lognormal(2600.0, 0.35) * country.scale();
    let own_money = chance.yes(0.3);
    let (curious, slips) = (chance.between(0.3, 1.6), chance.between(0.0, 0.02));
    let mut tidying = Chance::new(seed ^ 0x71D7);
    let tidies = if tidying.yes(family.tidy) { tidying.between(0.6, 1.0) } else { 0.0 };
    let mut home = Household {
        chance: &mut chance,
        country,
        bank,
        second_bank,
        today,
        start,
        end,
        pace,
        accounts: Vec::new(),
        events: Vec::new(),
        bills: Vec::new(),
        schedules: Vec::new(),
        names: BTreeSet::new(),
        moved: None,
        curious,
        slips,
        own_money,
        family,
        tidies: (tidies, tidying),
    };
    home.open_accounts();
    home.choose_bills();
    home.earn();
    home.pay_bills();
    home.spend();
    home.meet_surprises();
    home.move_money();
    written::life(home)
}

impl Household<'_> {
    /// A name that nobody else in this life has.
    fn name(&mut self, trade: Trade) -> String {
        loop {
            let name = self.country.name(self.chance, trade);
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    fn open_accounts(&mut self) {
        let mut open = |name: &str, kind, on_budget| {
            self.accounts.push(Account { name: name.to_owned(), kind, on_budget, start: 0.0 });
        };
        open("Checking", "checking", true);
        open("Savings", "savings", true);
        open("Mortgage", "mortgage", false);
        open("Brokerage", "otherAsset", false);
        open("Car loan", "autoLoan", false);
        open("Card", "creditCard", true);
        open("Partner", "checking", true);
        self.accounts[1].start = self.pace * self.chance.between(0.0, 1.0);
        self.accounts[2].start = -self.pace * 60.0;
        self.accounts[3].start = self.pace * 5.0;
        self.accounts[4].start = -self.pace * 5.0;
        if self.chance.yes(0.4) {
            let month = self.chance.whole(-9, -1) as i32;
            self.moved =
                Some((category("Restaurants"), category("Eating out (new)"), Month::of(self.today).add(month).first()));
        }
    }

    /// A bill of that share of a month's spending.
    fn bill(&mut self, name: String, rhythm: Rhythm, share: f64, what: &str) -> &mut Bill {
        let amount = -(self.pace * share * self.chance.between(0.7, 1.4));
        let amount = if amount.abs() > 20.0 * self.country.scale() || self.country == Country::Japan {
            amount.round()
        } else {
            amount.round() + if self.chance.yes(0.5) { 0.01 } else { 0.5 }
        };
        let phase = self.chance.whole(0, 400);
        let start = match rhythm {
            Rhythm::Months(every, _) => Month::of(self.start).add(-(phase % i64::from(every)) as i32).first(),
            Rhythm::Days(step) => add_days(self.start, -(phase % step)),
            Rhythm::LastWorkingDay => self.start,
        };
        let late = if self.chance.yes(0.5) { self.chance.whole(1, 3) } else { 0 };
        let bill = Bill {
            name,
            mandate: self.chance.text("ABCDEFGHKLM0123456789", 8),
            rhythm,
            amounts: Amounts::Fixed,
            amount,
            changes: Vec::new(),
            start,
            end: self.end,
            late,
            skips_weekend: self.chance.yes(0.6),
            account: 0,
            to_account: None,
            category: category(what),
            is_charge: true,
            by_card: false,
        };
        self.bills.push(bill);
        self.bills.last_mut().expect("the bill just pushed")
    }

    /// A rise each year, or now and then.
    fn rises(&mut self, probability: f64, low: f64, high: f64) {
        let (mut day, end) = (add_days(self.start, self.chance.whole(0, 364)), self.end);
        let mut changes = Vec::new();
        while day < end {
            if self.chance.yes(probability) {
                let factor = 1.0 + self.chance.between(low, high);
                changes.push((day, factor));
            }
            day = add_days(day, 365);
        }
        let bill = self.bills.last_mut().expect("a bill");
        // A rise makes a price, not a fraction of a coin.
        let mut level = bill.amount;
        for (_, factor) in &mut changes {
            let next = (level * *factor * 10.0).round() / 10.0;
            *factor = next / level;
            level = next;
        }
        bill.changes = changes;
    }

    /// Begins late, or stops.
    fn comes_or_goes(&mut self, comes: f64, goes: f64) {
        let span = days_between(self.start, self.today);
        let from = self.chance.yes(comes).then(|| add_days(self.start, self.chance.whole(60, span - 20)));
        let until = self.chance.yes(goes).then(|| add_days(self.start, self.chance.whole(200, span + 300)));
        let bill = self.bills.last_mut().expect("a bill");
        if let Some(from) = from {
            bill.start = match bill.rhythm {
                Rhythm::Months(..) => Month::of(from).first(),
                _ => from,
            };
        }
        if let Some(until) = until {
            bill.end = until;
        }
    }

    fn choose_bills(&mut self) {
        let company = |home: &mut Self| home.name(Trade::Other);
        let day = |home: &mut Self| home.chance.whole(1, 28) as i8;
        let monthly = |home: &mut Self| Rhythm::Months(1, day(home));

        // A roof.
        let rhythm = Rhythm::Months(1, self.chance.whole(1, 6) as i8);
        if self.chance.yes(0.4) {
            let bill = self.bill("MORTGAGE".into(), rhythm, 0.27, "Rent & mortgage");
            (bill.to_account, bill.late) = (Some(2), 0);
        } else {
            let name = company(self);
            self.bill(name, rhythm, 0.28, "Rent & mortgage");
            self.rises(0.6, 0.01, 0.035);
        }
        if self.chance.yes(0.3) {
            let rhythm = monthly(self);
            let bill = self.bill("CAR LOAN".into(), rhythm, 0.07, "Loans");
            (bill.to_account, bill.late) = (Some(4), 0);
            self.comes_or_goes(0.2, 0.2);
        }
        if self.chance.yes(0.4) {
            let rhythm = monthly(self);
            let bill = self.bill("SAVING PLAN".into(), rhythm, 0.06, "Investing");
            (bill.to_account, bill.late) = (Some(3), 0);
        }

        // Energy and water.
        let (name, rhythm) = (company(self), Rhythm::Months(self.chance.pick(&[1, 1, 1, 2]), day(self)));
        let levelled = self.chance.yes(0.6);
        self.bill(name, rhythm, if rhythm.per_year() > 6.0 { 0.035 } else { 0.07 }, "Electricity").amounts =
            if levelled { Amounts::Fixed } else { Amounts::Winter };
        self.rises(0.8, -0.04, 0.12);
        if self.chance.yes(0.7) {
            let (name, rhythm) = (company(self), Rhythm::Months(self.chance.pick(&[3, 3, 6, 2]), day(self)));
            self.bill(name, rhythm, 0.03, "Water").amounts = Amounts::Around(0.09);
        }

        // Phone and line.
        let (name, rhythm) = (company(self), monthly(self));
        self.bill(name.clone(), rhythm, 0.013, "Internet & phone");
        self.rises(0.5, 0.03, 0.1);
        for n in 0..self.chance.whole(1, 2) {
            // Two numbers with one company, on two days, are two.
            let name = if n == 0 && self.chance.yes(0.4) { name.clone() } else { company(self) };
            let rhythm = monthly(self);
            self.bill(name, rhythm, 0.006, "Internet & phone");
            self.comes_or_goes(0.2, 0.15);
        }

        // Insurance and taxes.
        for share in [0.012, 0.02, 0.016] {
            if self.chance.yes(0.75) {
                let every = self.chance.pick(&[1, 1, 3, 6, 12]);
                let (name, rhythm) = (company(self), Rhythm::Months(every, day(self)));
                self.bill(name, rhythm, share * f64::from(every), "Insurance");
                self.rises(0.8, 0.01, 0.08);
            }
        }
        if self.chance.yes(0.7) {
            let every = self.chance.pick(&[12, 12, 6, 3]);
            let (name, rhythm) = (company(self), Rhythm::Months(every, day(self)));
            let bill = self.bill(name, rhythm, 0.035 * f64::from(every), "Taxes");
            bill.amounts = if every == 12 { Amounts::Around(0.02) } else { Amounts::Fixed };
        }

        // Subscriptions, often by card.
        for _ in 0..self.chance.whole(1, 6) {
            let name = if self.chance.yes(0.15) { format!("PAYPAL *{}", company(self)) } else { company(self) };
            let rhythm = match self.chance.whole(0, 9) {
                0 => Rhythm::Months(12, day(self)),
                1 => Rhythm::Days(28),
                _ => monthly(self),
            };
            let share = if rhythm.per_year() < 2.0 { 0.03 } else { 0.005 };
            let bill = self.bill(name, rhythm, share, "Subscriptions");
            bill.by_card = true;
            (bill.late, bill.skips_weekend) = (bill.late.min(1), false);
            self.rises(0.35, 0.08, 0.3);
            self.comes_or_goes(0.35, 0.3);
        }
        if self.chance.yes(0.3) {
            let name = company(self);
            for share in [0.0015, 0.006] {
                let rhythm = monthly(self);
                let bill = self.bill(name.clone(), rhythm, share, "Subscriptions");
                (bill.by_card, bill.late, bill.skips_weekend) = (true, 0, false);
            }
        }

        // The rest.
        if self.chance.yes(0.45) {
            let (name, rhythm) = (company(self), if self.chance.yes(0.7) { monthly(self) } else { Rhythm::Days(28) });
            self.bill(name, rhythm, 0.014, "Sport");
            self.comes_or_goes(0.3, 0.35);
        }
        if self.chance.yes(0.2) {
            let (name, start) = (self.name(Trade::Person), self.start);
            let rhythm = Rhythm::Days(self.chance.pick(&[7, 14, 14]));
            let bill = self.bill(name, rhythm, 0.02, "Household");
            (bill.start, bill.late) = (add_days(start, 3), 1);
        }
        if self.chance.yes(0.35) {
            let (name, rhythm) = (company(self), Rhythm::Months(self.chance.pick(&[1, 2, 3]), day(self)));
            self.bill(name, rhythm, 0.03, "School").amounts = Amounts::Around(0.06);
        }
        if self.chance.yes(0.4) {
            let (name, rhythm) = (company(self), Rhythm::Months(self.chance.pick(&[1, 1, 12]), day(self)));
            self.bill(name, rhythm, 0.008, "Charity");
        }
        if self.chance.yes(0.5) {
            let rhythm = Rhythm::Months(self.chance.pick(&[1, 3]), 28);
            let name = self.name(Trade::Other);
            self.bill(name, rhythm, 0.002, "Bank fees");
        }
    }

    fn earn(&mut self) {
        let country = self.country;
        // What comes in is a little more or less than what goes out.
        let total = self.pace * self.chance.between(0.9, 1.12);
        let earners = self.chance.whole(1, 2);
        for n in 0..earners {
            let name = self.name(Trade::Other);
            let share = if earners == 1 {
                1.0
            } else if n == 0 {
                0.58
            } else {
                0.42
            };
            let amount = total * share;
            let rhythm = match (country, self.chance.whole(0, 3)) {
                (Country::America, _) => Rhythm::Days(14),
                (_, 0) => Rhythm::LastWorkingDay,
                (_, _) => Rhythm::Months(1, self.chance.whole(24, 30) as i8),
            };
            let free = self.chance.yes(self.family.free);
            let bill = self.bill(name.clone(), rhythm, 0.1, "Inflow: Ready to Assign");
            bill.amount = (amount * 12.0 / rhythm.per_year() / 1.02).round();
            bill.amounts = if free { Amounts::Around(0.3) } else { Amounts::Fixed };
            bill.is_charge = false;
            (bill.late, bill.account) = (0, if n == 1 { 6 } else { 0 });
            self.rises(0.8, 0.0, 0.04);
            if self.chance.yes(0.3) {
                // A thirteenth month.
                let month = self.chance.pick(&[6, 11, 12]);
                let first = Month::of(self.start).through(Month::of(self.start).add(11)).find(|m| m.number() == month);
                let bill = self.bill(name, Rhythm::Months(12, 25), 0.1, "Inflow: Ready to Assign");
                bill.amount = (amount * 0.7).round();
                (bill.start, bill.is_charge) = (first.expect("a month").first(), false);
                bill.amounts = Amounts::Around(0.05);
            }
        }
        if self.chance.yes(0.4) {
            let name = self.name(Trade::Other);
            let bill = self.bill(name, Rhythm::Months(1, 5), 0.06, "Inflow: Ready to Assign");
            (bill.amount, bill.is_charge) = (-bill.amount, false);
        }
    }

    /// In whole coins.
    fn milliunits(&self, amount: f64) -> i64 {
        let step = if self.country == Country::Japan { 1000.0 } else { 10.0 };
        ((amount * 1000.0 / step).round() * step) as i64
    }

    fn pay_bills(&mut self) {
        let uses_schedules = self.chance.yes(0.5);
        for n in 0..self.bills.len() {
            let bill = self.bills[n].clone();
            let scheduled = uses_schedules && bill.end > self.end
                || uses_schedules && bill.end == self.end && self.chance.yes(0.45);
            // A bill entered by its schedule has the schedule's payee, not the bank's label.
            let enters = scheduled && self.chance.yes(0.4);
            let times = bill.times(self.chance);
            if scheduled
                && let (Some(frequency), Some((due, ..))) =
                    (bill.rhythm.word(), times.iter().find(|(due, day, _)| *due > self.today && *day > self.today))
            {
                let amount = self.milliunits(bill.level(self.today));
                self.schedules.push(written::Schedule {
                    name: Bank::tidy(bill.name.trim_start_matches("PAYPAL *")),
                    frequency,
                    next: *due,
                    amount,
                    account: bill.account,
                    to_account: bill.to_account,
                    category: bill.category,
                });
            }
            let bank = if bill.account == 6 { self.second_bank.clone() } else { self.bank.clone() };
            for (_, date, amount) in times {
                let chance = &mut *self.chance;
                let city = if bill.by_card { bank.city(chance) } else { "" };
                let label = if enters {
                    Bank::tidy(bill.name.trim_start_matches("PAYPAL *"))
                } else if bill.amount > 0.0 {
                    bank.transfer(chance, &bill.name, true)
                } else if bill.by_card {
                    bank.card(chance, &bill.name, city, date)
                } else {
                    bank.debit(chance, &bill.name, &bill.mandate, date)
                };
                let amount = self.milliunits(amount);
                self.add(date, amount, bill.account, label, bill.category);
                self.events.last_mut().expect("the event just added").to_account = bill.to_account;
            }
        }
    }

    fn add(&mut self, date: Date, amount: i64, account: usize, label: String, category: usize) {
        let category = match self.moved {
            Some((old, new, from)) if category == old && date >= from => new,
            _ => category,
        };
        let lines = Vec::new();
        self.events.push(Event {
            date,
            amount,
            account,
            to_account: None,
            label,
            tidied: None,
            category: Some(category),
            lines,
            internal: false,
        });
    }

    fn shop(&mut self, trade: Trade, category: usize) -> Shop {
        let name = self.name(trade);
        let city = self.bank.city(self.chance);
        Shop { name, category, above: None, mixed: Vec::new(), splits: None, city, weight: 1.0 }
    }

    fn habit(&mut self, trade: Trade, what: &str, per_month: f64, median: f64, shops: i64, new_shop: f64) -> Habit {
        let category = category(what);
        let shops = (0..shops).map(|n| Shop { weight: 1.0 / (n + 1) as f64, ..self.shop(trade, category) }).collect();
        let per_month = per_month * self.chance.between(0.6, 1.4);
        let median = median * self.country.scale() * self.chance.between(0.8, 1.25);
        Habit { trade, category, per_month, median, sigma: 0.5, season: FLAT, shops, new_shop }
    }

    fn spend(&mut self) {
        let one_of = |home: &mut Self, names: &[&str]| category(home.chance.pick(names));
        let mut habits = Vec::new();

        let mut food = self.habit(Trade::Food, "Groceries", 9.0, 42.0, 5, 0.05);
        if self.chance.yes(0.35) {
            // A supermarket whose bill is split now and then.
            food.shops[0].splits = Some((self.chance.between(0.05, 0.4), category("Household")));
        }
        habits.push(food);
        let mut table = self.habit(Trade::Table, "Restaurants", 5.0, 28.0, 7, 0.3);
        table.shops[1].category = one_of(self, &["Restaurants", "Coffee & snacks", "Leisure"]);
        habits.push(table);
        let purse = if self.own_money { "Hers" } else { "Coffee & snacks" };
        habits.push(self.habit(Trade::Table, purse, 5.0, 5.5, 4, 0.12));
        let mut fuel = self.habit(Trade::Fuel, "Fuel", 2.5, 58.0, 2, 0.1);
        (fuel.sigma, fuel.category) = (0.25, category("Fuel"));
        habits.push(fuel);
        let transport = self.habit(Trade::Other, "Transport", 4.0, 9.0, 4, 0.1);
        habits.push(transport);
        let mut clothes = self.habit(Trade::Other, if self.own_money { "His" } else { "Clothes" }, 1.4, 46.0, 6, 0.25);
        clothes.season = SALES;
        habits.push(clothes);
        let mut health = self.habit(Trade::Health, "Health", 2.0, 24.0, 5, 0.15);
        health.sigma = 0.7;
        habits.push(health);
        habits.push(self.habit(Trade::Other, "Household", 1.8, 32.0, 5, 0.18));
        habits.push(self.habit(Trade::Other, "Leisure", 2.2, 24.0, 6, 0.3));
        habits.push(self.habit(Trade::Other, "Books & games", 1.0, 18.0, 4, 0.2));
        let mut gifts = self.habit(Trade::Other, "Gifts", 1.0, 40.0, 4, 0.4);
        gifts.season = DECEMBER;
        habits.push(gifts);
        let mut travel = self.habit(Trade::Other, "Holidays", 1.6, 85.0, 3, 0.75);
        (travel.season, travel.sigma) = (SUMMER, 0.9);
        habits.push(travel);
        if self.chance.yes(0.5) {
            habits.push(self.habit(Trade::Other, "Kids", 2.5, 26.0, 5, 0.2));
        }
        if self.chance.yes(0.3) {
            habits.push(self.habit(Trade::Other, "Pets", 1.2, 30.0, 2, 0.1));
        }
        // A marketplace sells everything, and money to people is for anything.
        let mut market = self.habit(Trade::Other, "Household", 3.0, 26.0, 1, 0.0);
        market.sigma = 0.8;
        let things = ["Household", "Books & games", "Clothes", "Kids", "Gifts", "Leisure"];
        market.shops[0].mixed = things.iter().map(|name| category(name)).collect();
        habits.push(market);
        let mut people = self.habit(Trade::Person, "Gifts", 1.2, 30.0, 5, 0.2);
        for shop in &mut people.shops {
            let first = self.chance.pick(&things);
            shop.category = category(first);
            if self.chance.yes(0.6) {
                shop.mixed = vec![category("Gifts"), category("Leisure"), category("Restaurants"), shop.category];
            }
        }
        habits.push(people);
        // Petrol stations sell sandwiches as well.
        if self.chance.yes(0.7) {
            let limit = self.chance.between(16.0, 28.0) * self.country.scale();
            let names: Vec<Shop> = habits[3].shops.clone();
            let mut snacks = self.habit(Trade::Fuel, "Coffee & snacks", 1.8, 8.0, 1, 0.0);
            snacks.shops = names;
            for habit in [&mut snacks, &mut habits[3]] {
                for shop in &mut habit.shops {
                    (shop.category, shop.above) = (category("Coffee & snacks"), Some((limit, category("Fuel"))));
                }
            }
            habits.push(snacks);
        }
        // What the bills leave is spent, whatever the country's prices.
        let monthly: f64 = habits.iter().map(|h| h.per_month * h.median * (h.sigma * h.sigma / 2.0).exp()).sum();
        let bills: f64 =
            self.bills.iter().filter(|b| b.amount < 0.0).map(|b| b.amount * b.rhythm.per_year() / 12.0).sum();
        let scale = ((self.pace * 0.93 + bills).max(self.pace * 0.25) / monthly).clamp(0.3, 3.0);
        for habit in habits {
            self.follow(habit, scale);
        }
    }

    fn follow(&mut self, mut habit: Habit, scale: f64) {
        let inflation = self.chance.between(0.0, 0.04) + self.family.inflation;
        // Ways of life drift: a habit grows, fades, and has good and bad months.
        let drift = self.chance.normal() * 0.08 * self.family.drift;
        let mut mood = 1.0;
        let uses_card = self.chance.yes(0.3);
        for month in Month::of(self.start).through(Month::of(self.end)) {
            let years = f64::from(Month::of(self.start).until(month)) / 12.0;
            mood = 1.0 + 0.6 * (mood - 1.0) + 0.12 * self.chance.normal();
            let season = habit.season[month.number() as usize - 1];
            let mean = habit.per_month * season * (1.0 + drift * years).max(0.2) * mood.max(0.2);
            // Now and then one shop gives way to another.
            if !habit.shops.is_empty() && self.chance.yes(0.03) && habit.shops[0].mixed.is_empty() {
                let place = self.chance.whole(0, habit.shops.len() as i64 - 1) as usize;
                let old = habit.shops[place].clone();
                habit.shops[place] = Shop { weight: old.weight, ..self.shop(habit.trade, old.category) };
            }
            // Or its owner thinks of it otherwise.
            if self.chance.yes(0.005) && !habit.shops.is_empty() {
                let place = self.chance.whole(0, habit.shops.len() as i64 - 1) as usize;
                habit.shops[place].category = self.chance.whole(10, 31) as usize;
            }
            for _ in 0..self.chance.poisson(mean) {
                let date = add_days(month.first(), self.chance.whole(0, i64::from(month.days()) - 1));
                self.buy(&habit, date, scale * (1.0 + inflation).powf(years), uses_card);
            }
        }
    }

    fn buy(&mut self, habit: &Habit, date: Date, scale: f64, uses_card: bool) {
        let shop = if self.chance.yes((habit.new_shop * self.curious).min(0.9)) {
            let mut shop = self.shop(habit.trade, habit.category);
            if self.chance.yes(0.12) {
                shop.category = self.chance.whole(10, 31) as usize;
            }
            shop
        } else {
            let weights: Vec<f64> = habit.shops.iter().map(|shop| shop.weight).collect();
            habit.shops[self.chance.weighted(&weights)].clone()
        };
        let amount = (self.chance.lognormal(habit.median, habit.sigma) * scale).max(0.5 * self.country.scale());
        let amount = if self.chance.yes(0.2) { amount.round().max(1.0) } else { amount };
        let account = match (uses_card, self.chance.whole(0, 9)) {
            (true, 0..=6) => 5,
            (_, 7..) => 6,
            _ => 0,
        };
        let mut chosen = match shop.above {
            Some((limit, above)) if amount >= limit => above,
            _ => shop.category,
        };
        if !shop.mixed.is_empty() {
            chosen = self.chance.pick(&shop.mixed);
        }
        if self.own_money && (chosen == category("Hers") || chosen == category("His")) {
            chosen = if account == 6 { category("His") } else { category("Hers") };
        }
        let bank = if account == 6 { self.second_bank.clone() } else { self.bank.clone() };
        let city = if self.chance.yes(0.1) { bank.city(self.chance) } else { shop.city };
        let label = if habit.trade == Trade::Person {
            bank.transfer(self.chance, &shop.name, false)
        } else {
            bank.card(self.chance, &shop.name, city, date)
        };
        let amount = self.milliunits(-amount);
        self.add(date, amount, account, label.clone(), chosen);
        self.events.last_mut().expect("the event just added").tidied = Some(Bank::tidy(&shop.name));
        if let Some((share, other)) = shop.splits
            && self.chance.yes(share)
        {
            let part = self.chance.between(0.1, 0.4);
            let part = self.milliunits(amount as f64 / 1000.0 * part);
            let event = self.events.last_mut().expect("the event just added");
            event.lines = vec![(amount - part, chosen), (part, other)];
        }
        if self.chance.yes(0.012) {
            // Brought back.
            let back = add_days(date, self.chance.whole(3, 15));
            if back <= self.end {
                self.add(back, -amount, account, label, chosen);
            }
        }
    }

    fn meet_surprises(&mut self) {
        let per_month = self.chance.between(0.1, 0.3) * self.family.surprises;
        let rare = ["Home repairs", "Car repairs", "Furniture", "Health", "Holidays", "Gifts"];
        for month in Month::of(self.start).through(Month::of(self.end)) {
            for _ in 0..self.chance.poisson(per_month) {
                let date = add_days(month.first(), self.chance.whole(0, 27));
                let amount = self.chance.lognormal(self.pace * 0.16, 0.75).min(self.pace * 1.5);
                let (what, name) = (category(self.chance.pick(&rare)), self.name(Trade::Other));
                let (bank, city) = (self.bank.clone(), self.bank.city(self.chance));
                let label = bank.card(self.chance, &name, city, date);
                let amount = self.milliunits(-amount);
                self.add(date, amount, 0, label, what);
            }
            // A tax refund, a sale, a present.
            if self.chance.yes(0.07) {
                let date = add_days(month.first(), self.chance.whole(0, 27));
                let amount = self.chance.lognormal(self.pace * 0.1, 0.8).min(self.pace);
                let name = self.name(Trade::Other);
                let label = self.bank.clone().transfer(self.chance, &name, true);
                let amount = self.milliunits(amount);
                self.add(date, amount, 0, label, 0);
            }
            // The health fund pays back.
            if self.country == Country::France {
                for _ in 0..self.chance.poisson(1.0) {
                    let date = add_days(month.first(), self.chance.whole(0, 27));
                    let amount = self.chance.lognormal(18.0, 0.6);
                    let label = self.bank.clone().transfer(self.chance, "CPAM DU RHONE", true);
                    let amount = self.milliunits(amount);
                    self.add(date, amount, 0, label, category("Health"));
                }
            }
        }
    }

    /// Between the household's own accounts: cards are paid, some is put aside and taken back.
    fn move_money(&mut self) {
        let month_of = |date: Date| Month::of(date);
        let mut card: BTreeMap<i32, i64> = BTreeMap::new();
        let mut partner: BTreeMap<i32, i64> = BTreeMap::new();
        for event in &self.events {
            match event.account {
                5 => *card.entry(month_of(event.date).index()).or_default() += event.amount,
                6 => *partner.entry(month_of(event.date).index()).or_default() += event.amount,
                _ => {}
            }
        }
        let mut moves = Vec::new();
        for (index, owed) in card {
            moves.push((Month::at(index).add(1).day(4), owed, 5));
        }
        for (index, rest) in partner {
            moves.push((Month::at(index).day(26), rest, 6));
        }
        for (date, amount, to) in moves {
            if amount != 0 && date <= self.end {
                self.add(date, amount, 0, String::new(), 0);
                self.events.last_mut().expect("the event just added").to_account = Some(to);
            }
        }
    }
}
