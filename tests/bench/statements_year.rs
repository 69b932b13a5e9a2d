//! Owns an invented year of one account, seen by its bank and by YNAB, with noise whose truth is known.
//! Never uses the code it measures: days are numbers, amounts milliunits, pairs places in the two lists.

use std::collections::{BTreeMap, HashMap, HashSet};

/// A small generator of numbers, the same for the same seed.
pub struct Random(u64);

impl Random {
    /// One that starts at the seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// Whether something of that chance in a thousand happens.
    pub fn happens(&mut self, permille: i64) -> bool {
        self.within(0, 999) < permille
    }
}

/// A payment on one of the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Days since 1970-01-01.
    pub day: i64,
    /// Milliunits; spending is negative.
    pub amount: i64,
    /// The bank's label or YNAB's payee.
    pub name: String,
}

/// A year, both sides, and the truth.
pub struct Year {
    /// The smallest coin, in milliunits.
    pub coin: i64,
    /// The balance before it.
    pub opening: i64,
    /// The bank's rows, in order of their days.
    pub bank: Vec<Payment>,
    /// YNAB's transactions.
    pub ynab: Vec<Payment>,
    /// Places in `bank` and in `ynab` that are the same payments.
    pub pairs: Vec<(Vec<usize>, Vec<usize>)>,
    /// Of what was entered twice, the second and the first: either may stand for the bank's.
    pub doubles: HashMap<usize, usize>,
}

/// How often each kind of noise happens, in a thousand payments.
#[derive(Clone, Copy)]
pub struct Noise {
    /// Not entered in YNAB.
    pub missing: i64,
    /// Entered in YNAB alone.
    pub invented: i64,
    /// Entered twice.
    pub doubled: i64,
    /// Entered up to five days before or after.
    pub shifted: i64,
    /// Entered with another amount.
    pub changed: i64,
    /// One bank row for two to four in YNAB.
    pub merged: i64,
    /// Two or three bank rows for one in YNAB.
    pub split: i64,
    /// Twice the same amount on the same day, for true.
    pub twin: i64,
    /// The same amount on the same day at two shops.
    pub rival: i64,
    /// The smallest coin, in milliunits.
    pub coin: i64,
}

/// The noise of the measure.
pub const NOISE: Noise = Noise {
    missing: 15,
    invented: 10,
    doubled: 8,
    shifted: 120,
    changed: 10,
    merged: 12,
    split: 6,
    twin: 20,
    rival: 0,
    coin: 10,
};

const SHOPS: [&str; 40] = [
    "Aldi",
    "Lidl",
    "Carrefour",
    "Tesco",
    "Rewe",
    "Migros",
    "Coop",
    "Shell",
    "Total",
    "Esso",
    "Netflix",
    "Spotify",
    "Amazon",
    "Zalando",
    "Ikea",
    "Decathlon",
    "Fnac",
    "Boots",
    "Pharmacie Centrale",
    "Boulangerie Martin",
    "Cafe Central",
    "Pizzeria Roma",
    "Sushi Bar",
    "Deutsche Bahn",
    "Ryanair",
    "Uber",
    "Vodafone",
    "Orange",
    "Electricity Works",
    "City Water",
    "Landlord",
    "Gym Club",
    "Kindergarten",
    "Dentist Dr Weber",
    "Garage Muller",
    "Bookshop",
    "Florist",
    "Cinema Rex",
    "Hairdresser",
    "Pet Shop",
];
const CITIES: [&str; 5] = ["PARIS", "BERLIN", "LONDON", "UTRECHT", "ZURICH"];

/// A year of about `count` payments from that day on.
pub fn year(seed: u64, count: usize, first_day: i64, noise: Noise) -> Year {
    let mut random = Random::new(seed);
    let coin = noise.coin;
    let mut made = Year {
        coin,
        opening: 250_000 * coin,
        bank: Vec::new(),
        ynab: Vec::new(),
        pairs: Vec::new(),
        doubles: HashMap::new(),
    };
    let mut plain: Vec<Payment> = Vec::new();
    let mut renamed: Vec<Option<&str>> = Vec::new();
    for at in 0..SHOPS.len() {
        renamed.push(if at % 6 == 5 { Some(["Household", "Fun", "Car", "Health"][at % 4]) } else { None });
    }
    while plain.len() < count {
        let shop = random.within(0, SHOPS.len() as i64 - 1) as usize;
        let amount = match shop {
            10 | 11 | 31 => -[1_399, 1_099, 2_990][shop % 3] * coin,
            20 | 19 => -[350, 420, 280][random.within(0, 2) as usize] * coin,
            30 => -82_000 * coin,
            _ if random.happens(60) => random.within(1_000, 250_000) * coin,
            _ => -random.within(150, 12_000) * coin,
        };
        let payment = Payment { day: first_day + random.within(0, 364), amount, name: SHOPS[shop].to_owned() };
        if random.happens(noise.twin) {
            plain.push(payment.clone());
        }
        if random.happens(noise.rival) {
            plain.push(Payment { name: SHOPS[(shop + 1) % SHOPS.len()].to_owned(), ..payment.clone() });
        }
        plain.push(payment);
    }
    plain.sort_by_key(|payment| payment.day);
    let mut at = 0;
    while at < plain.len() {
        let payment = plain[at].clone();
        let label = |random: &mut Random, payment: &Payment| Payment {
            name: format!(
                "CARD {} {} {}",
                random.within(1000, 9999),
                payment.name.to_uppercase(),
                CITIES[random.within(0, 4) as usize]
            ),
            ..payment.clone()
        };
        let enter = |random: &mut Random, payment: &Payment| {
            let shop = SHOPS.iter().position(|shop| *shop == payment.name).unwrap_or(0);
            let day = payment.day + if random.happens(noise.shifted) { random.within(-5, 5) } else { 0 };
            Payment { day, name: renamed[shop].unwrap_or(&payment.name).to_owned(), ..payment.clone() }
        };
        let mut push = |bank: Vec<Payment>, ynab: Vec<Payment>, paired: bool| {
            let (rows, ours) = (made.bank.len(), made.ynab.len());
            let pair = ((rows..rows + bank.len()).collect(), (ours..ours + ynab.len()).collect());
            made.bank.extend(bank);
            made.ynab.extend(ynab);
            if paired {
                made.pairs.push(pair);
            }
        };
        at += 1;
        if random.happens(noise.missing) {
            push(vec![label(&mut random, &payment)], vec![], false);
        } else if random.happens(noise.invented) {
            let amount = payment.amount - random.within(1, 3_000) * coin;
            push(vec![], vec![enter(&mut random, &Payment { amount, ..payment.clone() })], false);
        } else if random.happens(noise.changed) {
            let other = Payment { amount: payment.amount - random.within(1, 900) * coin, ..payment.clone() };
            push(vec![label(&mut random, &payment)], vec![enter(&mut random, &other)], false);
        } else if random.happens(noise.merged) {
            let size = random.within(2, 4);
            let parts: Vec<Payment> =
                (0..size).map(|_| Payment { amount: -random.within(150, 9_000) * coin, ..payment.clone() }).collect();
            let whole = Payment { amount: parts.iter().map(|part| part.amount).sum(), ..payment.clone() };
            push(vec![label(&mut random, &whole)], parts.iter().map(|part| Payment { ..part.clone() }).collect(), true);
        } else if random.happens(noise.split) {
            let size = random.within(2, 3);
            let parts: Vec<Payment> =
                (0..size).map(|_| Payment { amount: -random.within(150, 9_000) * coin, ..payment.clone() }).collect();
            let whole = Payment { amount: parts.iter().map(|part| part.amount).sum(), ..payment.clone() };
            push(parts.iter().map(|part| label(&mut random, part)).collect(), vec![whole], true);
        } else {
            let entered = enter(&mut random, &payment);
            push(vec![label(&mut random, &payment)], vec![entered.clone()], true);
            if random.happens(noise.doubled) {
                push(vec![], vec![Payment { day: entered.day + random.within(0, 2), ..entered }], false);
                made.doubles.insert(made.ynab.len() - 1, made.ynab.len() - 2);
            }
        }
    }
    sorted(made)
}

/// The bank's rows in order of their days, the pairs with them.
fn sorted(year: Year) -> Year {
    let mut order: Vec<usize> = (0..year.bank.len()).collect();
    order.sort_by_key(|at| year.bank[*at].day);
    let mut places = vec![0; order.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place;
    }
    let bank = order.iter().map(|at| year.bank[*at].clone()).collect();
    let pairs = year.pairs.into_iter().map(|(rows, ours)| {
        let mut rows: Vec<usize> = rows.into_iter().map(|at| places[at]).collect();
        rows.sort_unstable();
        (rows, ours)
    });
    Year { bank, pairs: pairs.collect(), ..year }
}

impl Year {
    /// The bank's file: CSV with a running balance. `date` writes a day.
    pub fn csv(&self, date: impl Fn(i64) -> String) -> String {
        let mut text = String::from("Date;Text;Amount;Balance\n");
        let mut balance = self.opening;
        for row in &self.bank {
            balance += row.amount;
            let (amount, balance) = (self.units(row.amount), self.units(balance));
            text.push_str(&format!("{};{};{amount};{balance}\n", date(row.day), row.name));
        }
        text
    }

    /// An amount as the bank writes it: with cents, where there are any.
    fn units(&self, milliunits: i64) -> String {
        let (sign, size) = (if milliunits < 0 { "-" } else { "" }, milliunits.abs());
        match self.coin {
            1000 => format!("{sign}{}", size / 1000),
            _ => format!("{sign}{},{:02}", size / 1000, size % 1000 / 10),
        }
    }

    /// The first day on which the two running balances part, matched pairs standing on the bank's day. Of what was entered
    /// twice either may be the bank's: the one that was found.
    pub fn parting(&self, found: &[(Vec<usize>, Vec<usize>)]) -> Option<i64> {
        let rows: HashSet<usize> = self.pairs.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        let mut ours: HashSet<usize> = self.pairs.iter().flat_map(|(_, ours)| ours.iter().copied()).collect();
        let taken: HashSet<usize> = found.iter().flat_map(|(_, ours)| ours.iter().copied()).collect();
        for (second, first) in
            self.doubles.iter().filter(|(second, first)| taken.contains(second) && !taken.contains(first))
        {
            ours.remove(first);
            ours.insert(*second);
        }
        let (first, last) = (self.bank.first()?.day, self.bank.last()?.day);
        let mut apart: BTreeMap<i64, i64> = BTreeMap::new();
        for (_, row) in self.bank.iter().enumerate().filter(|(at, _)| !rows.contains(at)) {
            *apart.entry(row.day).or_default() += row.amount;
        }
        // What YNAB has before the first day is in its balance on that day; what it has after the last is not asked.
        for (_, payment) in
            self.ynab.iter().enumerate().filter(|(at, payment)| !ours.contains(at) && payment.day <= last)
        {
            *apart.entry(payment.day.max(first)).or_default() -= payment.amount;
        }
        let mut sum = 0;
        let parts = |(_, amount): &(i64, i64)| {
            sum += amount;
            sum != 0
        };
        apart.into_iter().find(parts).map(|(day, _)| day)
    }

    /// How many of the matches found are right, a match being as good with any payment that cannot be told apart.
    pub fn right(&self, found: &[(Vec<usize>, Vec<usize>)]) -> usize {
        let key = |(rows, ours): &(Vec<usize>, Vec<usize>)| {
            let mut bank: Vec<(i64, i64, &str)> =
                rows.iter().map(|at| &self.bank[*at]).map(|p| (p.day, p.amount, shop(&p.name))).collect();
            let mut ynab: Vec<(i64, i64, &str)> = ours
                .iter()
                .map(|at| &self.ynab[*self.doubles.get(at).unwrap_or(at)])
                .map(|p| (p.day, p.amount, p.name.as_str()))
                .collect();
            bank.sort_unstable();
            ynab.sort_unstable();
            (bank, ynab)
        };
        let mut truth: HashMap<_, usize> = HashMap::new();
        for pair in &self.pairs {
            *truth.entry(key(pair)).or_default() += 1;
        }
        let mut right = 0;
        for pair in found {
            if let Some(left) = truth.get_mut(&key(pair)).filter(|left| **left > 0) {
                *left -= 1;
                right += 1;
            }
        }
        right
    }
}

/// The label without its number and city.
fn shop(label: &str) -> &str {
    label.get(10..).and_then(|rest| rest.rsplit_once(' ')).map_or(label, |(shop, _)| shop)
}
