//! Owns how banks of eight countries write a payment: payment words, cities, card numbers, references around a name.
//! Never decides who is paid.

use avenir_mcp::dates::Date;

use super::chance::Chance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Country {
    France,
    Germany,
    Britain,
    America,
    Spain,
    Italy,
    Japan,
    Netherlands,
}

pub const COUNTRIES: [Country; 8] = [
    Country::France,
    Country::Germany,
    Country::Britain,
    Country::America,
    Country::Spain,
    Country::Italy,
    Country::Japan,
    Country::Netherlands,
];

impl Country {
    pub fn currency(self) -> (&'static str, u8) {
        match self {
            Self::Britain => ("GBP", 2),
            Self::America => ("USD", 2),
            Self::Japan => ("JPY", 0),
            _ => ("EUR", 2),
        }
    }

    /// How many of its money make about one euro.
    pub fn scale(self) -> f64 {
        if self == Self::Japan { 160.0 } else { 1.0 }
    }

    fn cities(self) -> &'static [&'static str] {
        match self {
            Self::France => &["LYON", "PARIS 11", "VILLEURBANNE", "NANTES", "ANNECY", "ST ETIENNE", "LILLE", "BRON"],
            Self::Germany => &["Koeln", "BERLIN", "Muenchen", "HAMBURG", "Bonn", "LEIPZIG", "Essen"],
            Self::Britain => &["LONDON", "LEEDS", "BRISTOL", "MANCHESTER", "YORK", "READING", "BATH"],
            Self::America => &["AUSTIN TX", "SEATTLE WA", "PORTLAND OR", "CHICAGO IL", "DENVER CO", "ROUND ROCK TX"],
            Self::Spain => &["MADRID", "VALENCIA", "SEVILLA", "BILBAO", "GETAFE", "ALCORCON"],
            Self::Italy => &["MILANO", "TORINO", "ROMA", "BOLOGNA", "MONZA", "BERGAMO"],
            Self::Japan => &["渋谷店", "新宿店", "池袋店", "横浜店", "大宮店", "品川店"],
            Self::Netherlands => &["AMSTERDAM", "UTRECHT", "HAARLEM", "LEIDEN", "DELFT", "GOUDA"],
        }
    }

    fn syllables(self) -> &'static [&'static str] {
        match self {
            Self::France => &["bel", "mar", "tin", "dou", "val", "ri", "lor", "che", "fon", "gal", "mi", "ro", "san"],
            Self::Germany => &["berg", "hof", "mann", "stein", "wald", "kru", "lin", "schul", "her", "dorf", "bach"],
            Self::Britain => &["ash", "ton", "well", "brook", "ford", "win", "ches", "ham", "ley", "wick", "mer"],
            Self::America => &["blue", "oak", "sun", "ridge", "lake", "star", "hill", "bay", "red", "fox", "elm"],
            Self::Spain => &["la", "mer", "ca", "ren", "do", "sol", "ver", "na", "ri", "tor", "gue", "ro"],
            Self::Italy => &["bel", "la", "ro", "ma", "ni", "co", "ver", "di", "pia", "get", "ti", "lu"],
            Self::Japan => &["サク", "ラ", "マツ", "ミヤ", "タケ", "ハナ", "フジ", "ヤマ", "キタ", "ナカ", "モリ"],
            Self::Netherlands => &["van", "der", "huis", "kaas", "veld", "zee", "dam", "bloem", "water", "vis"],
        }
    }

    /// Words that say what a shop is; several shops share one.
    fn trade(self, trade: Trade) -> &'static [&'static str] {
        use Trade::*;
        match (self, trade) {
            (Self::France, Food) => &["SUPER", "MARCHE", "PRIMEUR", "BOULANGERIE"],
            (Self::France, Table) => &["RESTAURANT", "BRASSERIE", "PIZZERIA", "CAFE"],
            (Self::France, Health) => &["PHARMACIE", "DR", "OPTIQUE"],
            (Self::France, Fuel) => &["STATION", "RELAIS"],
            (Self::Germany, Food) => &["MARKT", "BAECKEREI", "METZGEREI"],
            (Self::Germany, Table) => &["GASTHAUS", "PIZZERIA", "CAFE"],
            (Self::Germany, Health) => &["APOTHEKE", "PRAXIS"],
            (Self::Germany, Fuel) => &["TANKSTELLE"],
            (Self::Spain, Food) => &["SUPERMERCADOS", "FRUTERIA", "PANADERIA"],
            (Self::Spain, Table) => &["BAR", "RESTAURANTE", "CAFETERIA"],
            (Self::Spain, Health) => &["FARMACIA", "CLINICA"],
            (Self::Italy, Food) => &["SUPERMERCATO", "PANIFICIO"],
            (Self::Italy, Table) => &["TRATTORIA", "BAR", "RISTORANTE"],
            (Self::Italy, Health) => &["FARMACIA", "STUDIO"],
            (Self::Japan, Food) => &["スーパー", "マート"],
            (Self::Japan, Table) => &["食堂", "カフェ"],
            (Self::Japan, Health) => &["薬局", "クリニック"],
            (Self::Netherlands, Food) => &["BAKKERIJ", "SLAGERIJ"],
            (Self::Netherlands, Table) => &["RESTAURANT", "CAFE"],
            (Self::Netherlands, Health) => &["APOTHEEK"],
            (_, Food) => &["MARKET", "BAKERY", "FOODS", "GROCERY"],
            (_, Table) => &["CAFE", "GRILL", "KITCHEN", "PIZZA"],
            (_, Health) => &["PHARMACY", "DENTAL"],
            (_, Fuel) => &["GAS", "FUEL"],
            (_, Person | Other) => &[],
        }
    }

    /// An invented name, in the country's way.
    pub fn name(self, chance: &mut Chance, trade: Trade) -> String {
        let part = |chance: &mut Chance| -> String {
            let count = chance.whole(2, 4);
            (0..count).map(|_| chance.pick(self.syllables())).collect()
        };
        let mut name = part(chance);
        let words = self.trade(trade);
        if !words.is_empty() && chance.yes(0.45) {
            let word = chance.pick(words);
            let trailing = matches!(self, Self::Britain | Self::America);
            name = match (self, trailing) {
                (Self::Japan, _) => format!("{name}{word}"),
                (_, true) => format!("{name} {word}"),
                (_, false) => format!("{word} {name}"),
            };
        } else if chance.yes(0.25) && self != Self::Japan {
            name = format!("{name} {}", part(chance));
        }
        if trade == Trade::Person && self != Self::Japan {
            name = format!("{} {name}", chance.pick(&["M", "MME", "ANNA", "JAN", "LUCA", "MARIA"]));
        }
        name.to_uppercase()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trade {
    Food,
    Table,
    Health,
    Fuel,
    Person,
    Other,
}

/// One bank's way of writing.
#[derive(Clone, Debug)]
pub struct Bank {
    pub country: Country,
    /// The user has clean payees instead of the bank's labels.
    clean: bool,
    form: usize,
    card: String,
    home: &'static str,
    upper: bool,
}

impl Bank {
    pub fn new(country: Country, chance: &mut Chance, clean: bool) -> Self {
        let home = chance.pick(country.cities());
        let (form, card, upper) = (chance.whole(0, 2) as usize, chance.digits(4), chance.yes(0.7));
        Self { country, clean, form, card, home, upper }
    }

    fn case(&self, text: String) -> String {
        if self.upper || self.country == Country::Japan { text.to_uppercase() } else { text }
    }

    /// The name as a person would write it.
    pub fn tidy(name: &str) -> String {
        let word = |word: &str| {
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            first + &letters.as_str().to_lowercase()
        };
        name.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    pub fn city(&self, chance: &mut Chance) -> &'static str {
        if chance.yes(0.8) { self.home } else { chance.pick(self.country.cities()) }
    }

    /// A purchase by card.
    pub fn card(&self, chance: &mut Chance, name: &str, city: &str, day: Date) -> String {
        if self.clean {
            return Self::tidy(name);
        }
        let (d, m, y) = (day.day(), day.month(), day.year());
        let card = &self.card;
        let reference = chance.digits(7);
        let label = match (self.country, self.form) {
            (Country::France, 0) => {
                format!("CB {name} {city} FACT {d:02}{m:02}{:02} {card}****{}", y % 100, &card[2..])
            }
            (Country::France, 1) => format!("CARTE {d:02}/{m:02}/{:02} {name} {city} CB*{card}", y % 100),
            (Country::France, _) => format!("PAIEMENT CB {d:02}{m:02} {city} {name}"),
            (Country::Germany, 0) => {
                format!("{name} {city}//{city}/DE {y}-{m:02}-{d:02}T{:02}:{:02}", d % 12 + 8, m * 3)
            }
            (Country::Germany, 1) => format!("Kartenzahlung {name} SAGT DANKE. {reference}//{city}/DE"),
            (Country::Germany, _) => format!("GIROCARD {name} {city} {reference}"),
            (Country::Britain, 0) => format!("{name} {} {city} GB", &reference[..4]),
            (Country::Britain, 1) => format!("CARD PAYMENT TO {name},{city} ON {d:02}-{m:02}-{y}"),
            (Country::Britain, _) => format!("{name} {city} CD {card}"),
            (Country::America, 0) => format!("POS DEBIT {card} {name} #{} {city}", &reference[..4]),
            (Country::America, 1) => format!("{name} {reference} {city}"),
            (Country::America, _) => {
                format!("PURCHASE AUTHORIZED ON {m:02}/{d:02} {name} {city} S{reference} CARD {card}")
            }
            (Country::Spain, 0) => format!("COMPRA TARJ. {card}XXXXXXXX{} {name}-{city}", &reference[..4]),
            (Country::Spain, 1) => format!("PAGO EN {name}, {city}, ES"),
            (Country::Spain, _) => format!("COMPRA {name} {city} {d:02}/{m:02}"),
            (Country::Italy, 0) => format!("PAGAMENTO POS {d:02}/{m:02}/{y} CARTA *{card} {name} {city} ITA"),
            (Country::Italy, 1) => format!("{name} {city} OPERAZIONE {reference}"),
            (Country::Italy, _) => format!("POS {reference} {name} {city}"),
            (Country::Japan, 0) => format!("VISAデビット {reference} {name} {city}"),
            (Country::Japan, 1) => format!("{name}{city}"),
            (Country::Japan, _) => format!("{name} {city} カード"),
            (Country::Netherlands, 0) => format!("BEA, Betaalpas {name},PAS{} NR:{reference}, {city}", &card[1..]),
            (Country::Netherlands, 1) => format!("{name} {city} NLD {d:02}-{m:02} {card}"),
            (Country::Netherlands, _) => format!("CCV*{name} {city} Betaalautomaat {reference}"),
        };
        self.case(label)
    }

    /// A direct debit, with the mandate it always names.
    pub fn debit(&self, chance: &mut Chance, name: &str, mandate: &str, day: Date) -> String {
        if self.clean {
            return Self::tidy(name);
        }
        let (m, y) = (day.month(), day.year());
        let reference = chance.text("ABCDEFGHJKLMNP0123456789", 9);
        let label = match (self.country, self.form) {
            (Country::France, 0) => format!("PRLV SEPA {name} ECH {m:02}/{y} MDT {mandate} REF {reference}"),
            (Country::France, 1) => format!("PRLV {name} {reference}"),
            (Country::France, _) => format!("PRELEVEMENT EUROPEEN {} DE: {name} MOTIF: {m:02}{y}", chance.digits(10)),
            (Country::Germany, 0) => format!("SEPA-LASTSCHRIFT {name} MREF+{mandate} SVWZ+RG {reference}"),
            (Country::Germany, _) => format!("LASTSCHRIFT {name} Rechnung {reference} Kd-Nr {mandate}"),
            (Country::Britain, 0) => format!("DIRECT DEBIT PAYMENT TO {name} REF {mandate}"),
            (Country::Britain, _) => format!("{name} DD {mandate}"),
            (Country::America, 0) => format!("ACH WEB PMT {name} WEB ID: {mandate}"),
            (Country::America, _) => format!("{name} DES:BILLPAY ID:{reference} INDN:{mandate}"),
            (Country::Spain, 0) => format!("RECIBO {name} Nº {reference}"),
            (Country::Spain, _) => format!("ADEUDO DE {name} REF. MANDATO {mandate}"),
            (Country::Italy, 0) => format!("ADDEBITO SDD {name} MANDATO {mandate} {reference}"),
            (Country::Italy, _) => format!("SDD CORE {name} FATT. {reference}"),
            (Country::Japan, 0) => format!("口座振替 {name}"),
            (Country::Japan, _) => format!("{name} ﾌﾘｶｴ {m:02}ガツ"),
            (Country::Netherlands, 0) => format!("SEPA Incasso {name} Machtiging: {mandate} Kenmerk: {reference}"),
            (Country::Netherlands, _) => format!("/TRTP/SEPA Incasso/MARF/{mandate}/NAME/{name}/REMI/{reference}"),
        };
        self.case(label)
    }

    /// A payment to or from an account.
    pub fn transfer(&self, chance: &mut Chance, name: &str, incoming: bool) -> String {
        if self.clean {
            return Self::tidy(name);
        }
        let reference = chance.digits(8);
        let label = match self.country {
            Country::France if incoming => format!("VIR SEPA RECU /DE {name} /REF {reference}"),
            Country::France => format!("VIR INST {name} {reference}"),
            Country::Germany if incoming => format!("GUTSCHRIFT {name} SVWZ+{reference}"),
            Country::Germany => format!("UEBERWEISUNG {name} {reference}"),
            Country::Britain if incoming => format!("BANK GIRO CREDIT REF {name}"),
            Country::Britain => format!("FASTER PAYMENT TO {name} REF {reference}"),
            Country::America if incoming => format!("{name} DIRECT DEP ID:{reference}"),
            Country::America => format!("ZELLE PAYMENT TO {name} {reference}"),
            Country::Spain if incoming => format!("TRANSFERENCIA DE {name}, CONCEPTO {reference}"),
            Country::Spain => format!("BIZUM A {name}"),
            Country::Italy if incoming => format!("BONIFICO A VOSTRO FAVORE {name} {reference}"),
            Country::Italy => format!("BONIFICO {name} CRO {reference}"),
            Country::Japan if incoming => format!("振込 {name}"),
            Country::Japan => format!("振込 {name} ﾃｽｳﾘﾖｳ"),
            Country::Netherlands if incoming => format!("SEPA Overboeking Naam: {name} Kenmerk: {reference}"),
            Country::Netherlands => format!("Overboeking {name} {reference}"),
        };
        self.case(label)
    }
}
