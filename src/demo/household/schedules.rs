//! Owns what is scheduled: at least one of every frequency, one due today and one overdue.
//! Never enters a transaction.

use super::super::builder::{Builder, READY};
use super::super::rows::{Scheduled, ScheduledLine};
use super::{AZUR, CURRENT, MORTGAGE, WALLET};
use crate::dates::{Date, Month, add_days};
use crate::ids::{ScheduledId, TransactionId};
use crate::money::Milliunits;

/// When a schedule next falls.
enum Next {
    /// In so many days, first so many days ago.
    In(i64, i64),
    /// On the next such day of a month, first a year ago.
    Day(i8),
    /// On that day of the month, in so many months, first a year ago.
    Months(i32, i8),
}
use Next::{Day, In, Months};

type Row = (&'static str, Next, &'static str, i64, &'static str, &'static str);

/// Frequency, when, account, amount, payee, category.
const ROWS: [Row; 24] = [
    ("monthly", Day(28), CURRENT, 1_985_000, "Atelier Nordique – salaire", READY),
    ("monthly", Day(1), CURRENT, 1_336_500, "Studio Walsh", READY),
    ("monthly", Day(5), CURRENT, 148_520, "Allocations familiales", READY),
    ("monthly", Day(4), CURRENT, -742_350, "Transfer : Prêt maison", MORTGAGE),
    ("monthly", Day(8), CURRENT, -350_000, "Transfer : Fonds indiciel", "Investing"),
    ("monthly", Day(29), CURRENT, -60_000, "Transfer : Livret vert", ""),
    ("monthly", Day(12), CURRENT, -118_000, "Voltéo", "Électricité & gaz"),
    ("monthly", Day(7), CURRENT, -32_990, "FibreLibre", "Internet & phones"),
    ("monthly", Day(31), CURRENT, -13_990, "Streamly", "Subscriptions"),
    ("monthly", Day(17), CURRENT, -15_990, "Tunebox Family", "Subscriptions"),
    ("weekly", In(3, 63), WALLET, -5_000, "Zoé & Malo", "Pocket money"),
    ("everyOtherWeek", In(5, 70), CURRENT, -42_000, "Clean & Clair", "Household"),
    ("every4Weeks", In(9, 84), CURRENT, -24_500, "Coupe & Cie", "Sorties"),
    ("twiceAMonth", Day(1), CURRENT, -56_000, "Mrs Okafor – piano", "Piano & judo"),
    ("everyOtherMonth", Months(1, 18), CURRENT, -21_000, "Revue du Jardin", "Books & cinéma"),
    ("every3Months", Months(2, 20), CURRENT, -96_000, "Eaux du Vallon", "Eau"),
    ("every4Months", Months(3, 21), CURRENT, -95_000, "Judo Club des Monts", "Piano & judo"),
    ("twiceAYear", Months(4, 18), CURRENT, -190_000, "Garage Perrin", "Car upkeep"),
    ("yearly", Months(7, 15), CURRENT, -1_138_000, "Trésor public", "Taxe foncière"),
    ("everyOtherYear", Months(11, 3), CURRENT, -78_000, "Contrôle technique", "Car upkeep"),
    ("daily", In(1, 20), WALLET, -1_300, "Café du coin", "Restaurants & cafés"),
    ("never", In(10, 0), CURRENT, -240_000, "Plomberie Santos", "Furniture & repairs"),
    ("never", In(0, 0), CURRENT, -12_000, "École des Tilleuls", "Cantine & école"),
    ("monthly", In(-2, 0), AZUR, -2_990, "Cloud Locker", "Subscriptions"),
];

/// Puts the schedules in.
pub(super) fn plan(builder: &mut Builder) {
    let (today, month) = (builder.today, Month::of(builder.today));
    for (place, (frequency, next, account, amount, payee, category)) in ROWS.iter().enumerate() {
        let (date_next, date_first) = match next {
            In(days, before) => (add_days(today, *days), add_days(today, days - before)),
            Day(day) => next_day(today, month, *day),
            Months(ahead, day) => (month.add(*ahead).day(*day), month.add(ahead - 24).day(*day)),
        };
        let payee_id = builder.payee(payee);
        let other = builder.book.payees.get(&payee_id).and_then(|payee| payee.transfer_account_id.clone());
        builder.book.put_scheduled(Scheduled {
            id: scheduled_id(place),
            date_first,
            date_next,
            frequency: (*frequency).into(),
            amount: Milliunits::new(*amount),
            account_id: builder.account_id(account),
            payee_id: Some(payee_id),
            category_id: builder.category_id(category),
            transfer_account_id: other,
            ..Scheduled::default()
        });
    }
    shop_for_the_month(builder);
}

/// The next such day from tomorrow, and that day a year before.
fn next_day(today: Date, month: Month, day: i8) -> (Date, Date) {
    let this = if month.day(day) > today { month } else { month.add(1) };
    (this.day(day), this.add(-12).day(day))
}

/// A split schedule: the big shop of every month.
fn shop_for_the_month(builder: &mut Builder) {
    let id = scheduled_id(ROWS.len());
    let (date_next, date_first) = next_day(builder.today, Month::of(builder.today), 23);
    let lines = [("Groceries", -70_000, 0_u8), ("Household", -20_000, 1)];
    let line = |(category, amount, place): (&str, i64, u8)| ScheduledLine {
        id: TransactionId::from(format!("{id}-{place}").as_str()),
        scheduled_transaction_id: id.clone(),
        amount: Milliunits::new(amount),
        category_id: builder.category_id(category),
        ..ScheduledLine::default()
    };
    let lines = lines.map(line).to_vec();
    let payee_id = Some(builder.payee("Super Lune"));
    builder.book.put_scheduled(Scheduled {
        id,
        date_first,
        date_next,
        frequency: "monthly".into(),
        amount: Milliunits::new(-90_000),
        memo: Some("The big shop".into()),
        account_id: builder.account_id(CURRENT),
        payee_id,
        lines,
        ..Scheduled::default()
    });
}

fn scheduled_id(place: usize) -> ScheduledId {
    ScheduledId::from(super::super::uuid::named(&format!("Chez nous/scheduled/{place}")).as_str())
}
