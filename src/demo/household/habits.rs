//! Owns what the household buys in an ordinary month: where, how often, for how much.
//! Never says when: the story throws the days.

use super::{AZUR, CURRENT, WALLET};

/// Something bought over and over.
pub(super) struct Habit {
    pub category: &'static str,
    pub payees: &'static [&'static str],
    pub accounts: &'static [&'static str],
    /// How often a month, at least and at most.
    pub times: (i64, i64),
    /// For how much each time, in euros.
    pub price: (i64, i64),
}

const fn habit(
    category: &'static str,
    payees: &'static [&'static str],
    accounts: &'static [&'static str],
    times: (i64, i64),
    price: (i64, i64),
) -> Habit {
    Habit { category, payees, accounts, times, price }
}

/// Mostly the current account's debit card, now and then the credit card.
const MIXED: &[&str] = &[CURRENT, CURRENT, CURRENT, CURRENT, CURRENT, CURRENT, AZUR];
const DEBIT: &[&str] = &[CURRENT];
const CASH: &[&str] = &[WALLET];

pub(super) const HABITS: [Habit; 22] = [
    habit("Groceries", &["Super Lune", "Super Lune", "Bio des Remparts", "Épicerie Lulu"], DEBIT, (7, 9), (20, 78)),
    habit("Groceries", &["Marché Saint-Clair", "Fromagerie Belle Meule"], &[CURRENT, WALLET], (3, 4), (12, 34)),
    habit("Boulangerie", &["Boulangerie Petit Four"], &[CURRENT, CURRENT, WALLET], (9, 12), (2, 8)),
    habit("Restaurants & cafés", &["Le Comptoir Bleu", "Chez Amina", "Pizzeria Vesuvia"], DEBIT, (2, 3), (24, 62)),
    habit("Restaurants & cafés", &["Café Pérou ☕", "Café Pérou ☕", "The Crooked Spoon"], DEBIT, (4, 6), (3, 12)),
    habit("Restaurants & cafés", &["Sushi Kōji"], &[AZUR], (0, 1), (28, 44)),
    habit("Household", &["Bazar & Cie", "Brico Malin"], MIXED, (2, 3), (9, 48)),
    habit("Pharmacy & doctors", &["Pharmacie des Arcades", "Dr Lefèvre"], DEBIT, (1, 3), (8, 27)),
    habit("Clothes", &["Fil & Coton", "Petit Pas", "Fripes d'Or"], MIXED, (1, 2), (19, 58)),
    habit("Tram & train", &["Rail Express"], &[CURRENT, AZUR], (1, 2), (18, 49)),
    habit("Tram & train", &["TramLigne"], CASH, (0, 2), (2, 5)),
    habit("Fuel & tolls", &["Station Galaxie"], DEBIT, (1, 2), (44, 63)),
    habit("Fuel & tolls", &["Péage Autoroute Sud"], DEBIT, (0, 2), (6, 19)),
    habit("Pocket money", &["Zoé & Malo"], CASH, (4, 4), (5, 5)),
    habit("Toys & birthdays", &["Jouets Malice"], DEBIT, (0, 2), (12, 32)),
    habit("Gifts 🎁", &["Fleurs de Mai", "Librairie du Quai", "Atelier Terre Cuite"], MIXED, (0, 2), (15, 46)),
    habit("Sport & climbing", &["Piscine municipale"], DEBIT, (1, 3), (5, 12)),
    habit("Books & cinéma", &["Librairie du Quai", "Cinéma Lumière"], MIXED, (2, 4), (9, 24)),
    habit("Sorties", &["La Halle aux Vins", "Théâtre du Fleuve", "O'Malley's"], MIXED, (1, 3), (14, 38)),
    habit("Furniture & repairs", &["Brico Malin", "Plomberie Santos"], DEBIT, (0, 1), (22, 70)),
    habit("Dentist", &["Cabinet dentaire Roche"], DEBIT, (0, 1), (0, 23)),
    habit("Charity", &["Les Restos du Port"], DEBIT, (1, 1), (20, 20)),
];

/// Something paid on a day of the month, every so many months.
pub(super) struct Bill {
    pub category: &'static str,
    pub payee: &'static str,
    pub day: i8,
    /// Once in that many months, in those whose number leaves that rest.
    pub every: i32,
    pub rest: i32,
    /// At least and at most, in milliunits.
    pub amount: (i64, i64),
}

const fn bill(
    category: &'static str,
    payee: &'static str,
    day: i8,
    (every, rest): (i32, i32),
    amount: (i64, i64),
) -> Bill {
    Bill { category, payee, day, every, rest, amount }
}

/// The months' numbers run from 0, January.
pub(super) const BILLS: [Bill; 18] = [
    bill("Électricité & gaz", "Voltéo", 12, (1, 0), (96_400, 131_900)),
    bill("Eau", "Eaux du Vallon", 20, (3, 2), (84_100, 99_600)),
    bill("Internet & phones", "FibreLibre", 7, (1, 0), (32_990, 32_990)),
    bill("Internet & phones", "Mobilo", 9, (1, 0), (25_980, 25_980)),
    bill("Insurance", "Assurances Prudente", 15, (12, 2), (268_300, 268_300)),
    bill("Insurance", "Assurances Prudente", 16, (1, 0), (46_300, 46_300)),
    bill("Taxe foncière", "Trésor public", 15, (12, 9), (1_138_000, 1_138_000)),
    bill("Tram & train", "TramLigne Abonnement", 2, (1, 0), (66_800, 66_800)),
    bill("Car upkeep", "Garage Perrin", 18, (6, 3), (148_000, 262_000)),
    bill("Cantine & école", "Cantine municipale", 10, (1, 0), (84_600, 101_200)),
    bill("Cantine & école", "École des Tilleuls", 4, (12, 8), (62_000, 78_000)),
    bill("Piano & judo", "Mrs Okafor – piano", 6, (1, 0), (112_000, 112_000)),
    bill("Piano & judo", "Judo Club des Monts", 21, (4, 0), (95_000, 95_000)),
    bill("Subscriptions", "Streamly", 31, (1, 0), (13_990, 13_990)),
    bill("Subscriptions", "Tunebox Family", 17, (1, 0), (15_990, 15_990)),
    bill("Subscriptions", "Le Quotidien", 3, (1, 0), (8_900, 8_900)),
    bill("Sport & climbing", "Bloc & Corde", 1, (1, 0), (39_000, 39_000)),
    bill("Pharmacy & doctors", "Mutuelle Horizon", 5, (1, 0), (18_400, 18_400)),
];
