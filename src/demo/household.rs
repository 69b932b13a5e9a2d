//! Owns the demo plan: eighteen months of an invented household near Lyon, told relative to today.
//! Never draws on a real person, bank or shop.

mod habits;
mod pending;
mod schedules;
mod story;

use super::book::Book;
use super::builder::{Bank, Builder};
use super::rows::{Goal, Text};
use crate::dates::{Date, Month};
use crate::money::Milliunits;
use crate::plan::AccountKind;

/// How many months it goes back, this one included.
const MONTHS: i32 = 18;

// Accounts.
const CURRENT: &str = "Compte courant";
const SAVINGS: &str = "Livret vert";
const WALLET: &str = "Portefeuille 👛";
const AZUR: &str = "Carte Azur";
const STORE_CARD: &str = "Carte Magasin";
const MORTGAGE: &str = "Prêt maison";
const FLAT: &str = "L'appartement";
const FUND: &str = "Fonds indiciel";
const OLD_BANK: &str = "Ancienne banque";

/// A category, what it is given each month in milliunits, and its target.
struct Envelope {
    group: &'static str,
    name: &'static str,
    monthly: i64,
    /// Whether each month adds that much, or only brings it back up to it.
    fill: Rollover,
    goal: fn(&Calendar) -> Goal,
}

/// The days that targets are due on.
struct Calendar {
    month: Month,
}

impl Calendar {
    /// The next time that month of the year comes, its 15th.
    fn next(&self, number: i8) -> Date {
        let ahead = (i32::from(number) - i32::from(self.month.number())).rem_euclid(12);
        self.month.add(ahead).day(15)
    }
}

const HOME: &str = "Maison 🏠";
const EVERYDAY: &str = "Everyday";
const AROUND: &str = "Getting around 🚲";
const KIDS: &str = "Les enfants";
const LATER: &str = "Not every month";
const FUN: &str = "Fun";
const GOALS: &str = "Projets & savings";
const RETIRED: &str = "Archives";

/// No target.
fn free(_: &Calendar) -> Goal {
    Goal::default()
}

/// A target of that type.
fn goal(kind: &str, target: i64) -> Goal {
    Goal { goal_type: Some(kind.into()), goal_target: Some(Milliunits::new(target)), ..Goal::default() }
}

/// A target to spend from, by its cadence: whether it sets aside another amount each time or refills.
fn spending(target: i64, cadence: i64, frequency: i64, rollover: Rollover) -> Goal {
    Goal {
        goal_cadence: Some(cadence),
        goal_cadence_frequency: Some(frequency),
        goal_needs_whole_amount: Some(rollover == Rollover::SetAside),
        ..goal("NEED", target)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Rollover {
    SetAside,
    Refill,
}
use Rollover::{Refill, SetAside};

/// A monthly target of that type.
fn monthly(kind: &str, target: i64) -> Goal {
    Goal { goal_cadence: Some(1), goal_cadence_frequency: Some(1), ..goal(kind, target) }
}

fn due(date: Date, goal: Goal) -> Goal {
    Goal { goal_target_date: Some(date), ..goal }
}

fn on_day(day: i64, goal: Goal) -> Goal {
    Goal { goal_day: Some(day), ..goal }
}

const fn envelope(
    group: &'static str,
    name: &'static str,
    (fill, monthly): (Rollover, i64),
    goal: fn(&Calendar) -> Goal,
) -> Envelope {
    Envelope { group, name, monthly, fill, goal }
}

/// Every category of the household, in its order; together about what it earns in a month.
const ENVELOPES: [Envelope; 35] = [
    envelope(HOME, MORTGAGE, (Refill, 742_350), |_| monthly("DEBT", 742_350)),
    envelope(HOME, "Électricité & gaz", (Refill, 118_000), |_| on_day(12, spending(118_000, 1, 1, Refill))),
    envelope(HOME, "Eau", (SetAside, 32_000), |c| {
        due(c.month.add(c.month.number() as i32 % 3).day(20), spending(96_000, 4, 1, SetAside))
    }),
    envelope(HOME, "Internet & phones", (Refill, 58_970), |_| spending(58_970, 1, 1, SetAside)),
    envelope(HOME, "Insurance", (SetAside, 70_000), |c| due(c.next(3), spending(268_000, 13, 1, Refill))),
    envelope(HOME, "Taxe foncière", (SetAside, 95_000), |c| due(c.next(10), spending(1_140_000, 13, 1, SetAside))),
    envelope(HOME, "Furniture & repairs", (SetAside, 45_000), |_| goal("TB", 800_000)),
    envelope(EVERYDAY, "Groceries", (Refill, 540_000), |_| on_day(6, spending(130_000, 2, 1, SetAside))),
    envelope(EVERYDAY, "Boulangerie", (Refill, 52_000), free),
    envelope(EVERYDAY, "Restaurants & cafés", (Refill, 190_000), |_| monthly("MF", 180_000)),
    envelope(EVERYDAY, "Household", (Refill, 70_000), free),
    envelope(EVERYDAY, "Pharmacy & doctors", (Refill, 45_000), |_| spending(60_000, 1, 1, Refill)),
    envelope(EVERYDAY, "Clothes", (Refill, 60_000), free),
    envelope(AROUND, "Tram & train", (Refill, 115_000), |c| {
        due(c.month.add(1).last(), spending(220_000, 1, 2, Refill))
    }),
    envelope(AROUND, "Fuel & tolls", (Refill, 105_000), free),
    envelope(AROUND, "Car upkeep", (SetAside, 40_000), |_| goal("TB", 600_000)),
    envelope(AROUND, "Vélo électrique ⚡", (SetAside, 25_000), |c| {
        due(c.month.add(14).day(1), goal("TBD", 1_400_000))
    }),
    envelope(KIDS, "Cantine & école", (Refill, 98_000), |c| due(c.next(9), spending(180_000, 12, 1, Refill))),
    envelope(KIDS, "Piano & judo", (Refill, 140_000), |_| spending(140_000, 1, 1, Refill)),
    envelope(KIDS, "Pocket money", (Refill, 22_000), |_| on_day(0, spending(5_000, 2, 1, SetAside))),
    envelope(KIDS, "Toys & birthdays", (Refill, 30_000), free),
    envelope(LATER, "Gifts 🎁", (SetAside, 48_000), |c| due(c.next(12), goal("TBD", 450_000))),
    envelope(LATER, "Été au Portugal ☀️", (SetAside, 150_000), |c| {
        due(c.next(7), spending(1_900_000, 0, 1, Refill))
    }),
    envelope(LATER, "Dentist", (SetAside, 8_000), |c| Goal {
        goal_snoozed_at: Some(format!("{}T09:12:00Z", c.month.first()).into()),
        ..spending(25_000, 1, 1, Refill)
    }),
    envelope(LATER, "New laptop", (SetAside, 20_000), |c| {
        due(c.month.add(9).day(1), spending(1_250_000, 14, 1, Refill))
    }),
    envelope(LATER, "Passports", (SetAside, 5_000), |c| due(c.month.add(20).day(28), spending(172_000, 13, 5, Refill))),
    envelope(FUN, "Subscriptions", (Refill, 39_000), |_| monthly("MF", 39_000)),
    envelope(FUN, "Sport & climbing", (Refill, 66_000), free),
    envelope(FUN, "Books & cinéma", (Refill, 48_000), free),
    envelope(FUN, "Sorties", (Refill, 60_000), free),
    envelope(FUN, "Chez Oncle Rémi \u{202E}♥\u{202C}", (Refill, 0), free),
    envelope(GOALS, "Emergency fund", (Refill, 0), |_| goal("TB", 3_000_000)),
    envelope(GOALS, "Investing", (Refill, 350_000), |_| monthly("MF", 350_000)),
    envelope(GOALS, "Cuisine de rêve", (SetAside, 30_000), |c| due(c.month.add(30).day(1), goal("TBD", 6_000_000))),
    envelope(GOALS, "Charity", (Refill, 20_000), |_| spending(20_000, 1, 1, SetAside)),
];

/// The plan as it stands that day.
pub(super) fn book(today: Date) -> Book {
    let month = Month::of(today);
    let mut builder = Builder::new("Chez nous", today, month.add(1 - MONTHS), 1789);
    let calendar = Calendar { month };
    for group in [HOME, EVERYDAY, AROUND, KIDS, LATER, FUN, GOALS] {
        builder.group(group);
        for envelope in ENVELOPES.iter().filter(|envelope| envelope.group == group) {
            builder.category(group, envelope.name, (envelope.goal)(&calendar));
        }
    }
    builder.hidden_category(KIDS, "Crèche");
    builder.group(RETIRED);
    builder.hidden_category(RETIRED, "Poterie");
    open_accounts(&mut builder);
    story::tell(&mut builder);
    pending::enter(&mut builder);
    builder.enter();
    schedules::plan(&mut builder);
    assign(&mut builder);
    builder.book.imports = pending::at_the_bank(&builder);
    builder.book.settle();
    builder.book
}

fn open_accounts(builder: &mut Builder) {
    builder.account(CURRENT, &AccountKind::Checking, Bank::Linked, 1_710_420);
    builder.account(SAVINGS, &AccountKind::Savings, Bank::ByHand, 900_000);
    builder.account(WALLET, &AccountKind::Cash, Bank::ByHand, 64_500);
    builder.account(AZUR, &AccountKind::CreditCard, Bank::Linked, 0);
    builder.account(STORE_CARD, &AccountKind::CreditCard, Bank::ByHand, 0);
    builder.account(MORTGAGE, &AccountKind::Mortgage, Bank::ByHand, -151_480_220);
    builder.account(FLAT, &AccountKind::OtherAsset, Bank::ByHand, 262_000_000);
    builder.account(FUND, &AccountKind::OtherAsset, Bank::ByHand, 6_870_000);
    builder.account(OLD_BANK, &AccountKind::Checking, Bank::ByHand, 187_340);
    let first = builder.book.first_month.first();
    builder.amend_account(MORTGAGE, |account| {
        account.debt_interest_rates = [(first, 2_150)].into();
        account.debt_minimum_payments = [(first, Milliunits::new(712_350))].into();
        account.debt_escrow_amounts = [(first, Milliunits::new(30_000))].into();
    });
    builder.amend_account(CURRENT, |account| account.note = note("Everything comes in and goes out here."));
    builder.amend_account(FUND, |account| account.note = note("World index, rebalanced every January."));
    builder.amend_account(OLD_BANK, |account| account.closed = true);
}

fn note(text: &str) -> Option<Text> {
    Some(text.into())
}

/// What is overspent this month, and by how much.
const OVERSPENT: (&str, Milliunits) = ("Restaurants & cafés", Milliunits::new(23_600));
/// What has not been given its money yet this month.
const STILL_WAITING: [&str; 4] = ["Gifts 🎁", "Été au Portugal ☀️", "Cuisine de rêve", "Charity"];
/// What waits in Ready to Assign this month, at least.
const WAITING: Milliunits = Milliunits::new(312_400);

/// Gives the money a job, month by month, as the household would: first what was spent, then what is planned while it
/// lasts. What stays beyond next month's first bills goes to the emergency fund.
fn assign(builder: &mut Builder) {
    let current = Month::of(builder.today);
    let months: Vec<Month> = builder.book.months().filter(|month| *month <= current).collect();
    let ahead = builder.book.last_month;
    for month in months {
        // With no month after it, a month's Ready to Assign is all that is there.
        builder.book.end_with(month);
        let kept = if month == current { WAITING } else { Milliunits::new(story::KEPT) };
        let left = assign_month(builder, month, kept);
        let fund = builder.category_ix("Emergency fund");
        if let Some(ix) = fund.filter(|_| left.is_positive() && month < current) {
            builder.book.assign(month, ix, left);
        }
    }
    builder.book.end_with(ahead);
    builder.book.notes.insert(current, "Portugal tickets go on sale this month!".into());
}

/// Assigns what a month needs and then what it can afford; what is left beyond what is kept.
fn assign_month(builder: &mut Builder, month: Month, kept: Milliunits) -> Milliunits {
    builder.book.settle();
    let current = month == Month::of(builder.today);
    let mut left = builder.book.figures(month).map_or(Milliunits::ZERO, |figures| figures.ready) - kept;
    let mut jobs = Vec::new();
    if let Some(ix) = builder.category_ix(STORE_CARD).filter(|_| story::owes(builder, month)) {
        jobs.push((ix, Milliunits::new(story::REPAID), Milliunits::ZERO));
    }
    for envelope in &ENVELOPES {
        let Some(ix) = builder.category_ix(envelope.name) else { continue };
        let cell = builder.book.cell(month, ix);
        let (short, planned) =
            ((-cell.carried - cell.activity).max(Milliunits::ZERO), Milliunits::new(envelope.monthly));
        let wanted = match envelope.fill {
            Refill => planned - cell.carried,
            SetAside => planned,
        };
        let needed = match envelope.name {
            name if name == OVERSPENT.0 && current => short - OVERSPENT.1,
            // What the store card lent for the sofa stays owed.
            "Furniture & repairs" if story::bought_the_sofa(builder, month) => Milliunits::ZERO,
            _ => short,
        };
        let held_back = envelope.name == OVERSPENT.0 || (current && STILL_WAITING.contains(&envelope.name));
        jobs.push((ix, needed, if held_back { Milliunits::ZERO } else { wanted - needed }));
    }
    left -= jobs.iter().map(|(_, needed, _)| *needed).sum();
    for (ix, needed, more) in jobs {
        let more = more.min(left).max(Milliunits::ZERO);
        left -= more;
        if !(needed + more).is_zero() {
            builder.book.assign(month, ix, needed + more);
        }
    }
    left
}

#[cfg(test)]
mod tests;
