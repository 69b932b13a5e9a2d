//! Owns the words banks head their columns and balances with, in many languages, compared without accents or case.
//! Never reads an amount or a day.

/// The text in lower case, without accents, everything but letters and digits turned into single spaces.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ā' | 'ă' => folded.push('a'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'ď' | 'đ' => folded.push('d'),
            'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' | 'ē' => folded.push('e'),
            'ğ' => folded.push('g'),
            'ì' | 'í' | 'î' | 'ï' | 'ı' | 'ī' => folded.push('i'),
            'ł' | 'ľ' => folded.push('l'),
            'ñ' | 'ń' | 'ň' => folded.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => folded.push('o'),
            'ř' => folded.push('r'),
            'ś' | 'š' | 'ş' | 'ș' => folded.push('s'),
            'ť' | 'ţ' | 'ț' => folded.push('t'),
            'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'ū' => folded.push('u'),
            'ý' | 'ÿ' => folded.push('y'),
            'ź' | 'ż' | 'ž' => folded.push('z'),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            '\u{300}'..='\u{36F}' => {}
            c if c.is_alphanumeric() => folded.push(c),
            _ if folded.is_empty() || folded.ends_with(' ') => {}
            _ => folded.push(' '),
        }
    }
    while folded.ends_with(' ') {
        folded.pop();
    }
    folded
}

/// Whether the folded text holds one of the phrases (separated by `|`) as whole words.
pub(super) fn holds(folded: &str, phrases: &str) -> bool {
    let padded = format!(" {folded} ");
    phrases.split('|').any(|phrase| {
        // Scripts without spaces hold a phrase anywhere.
        if phrase.is_ascii() { padded.contains(&format!(" {phrase} ")) } else { padded.contains(phrase) }
    })
}

/// Whether the folded text is one of the words (separated by `|`).
pub(super) fn is_one(folded: &str, words: &str) -> bool {
    words.split('|').any(|word| word == folded)
}

/// What a column holds, by its heading; the number ranks columns of one kind, the highest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Day(u8),
    ValueDay,
    Amount(u8),
    Debit,
    Credit,
    Balance,
    Fee,
    Payee(u8),
    Memo,
    Account,
    Currency,
    Status,
}

const VALUE_DAY: &str = "value date|val date|date de valeur|date valeur|valeur|valuta|valutadatum|wertstellung|\
    wertstellungstag|valutadatum|wert|data valuta|fecha valor|f valor|data valor|rentedatum|rentedato|data waluty|\
    arvopaiva|erteknap|valutadag|valutadato|valor tarihi|valor|datum valuty|interest date|effective date";
const DAY_BOOKED: &str = "booking date|booked|date booked|posting date|posted date|post date|date posted|posted|\
    buchungstag|buchungsdatum|buchung|date de comptabilisation|date comptable|comptabilisation|data contabile|\
    data registrazione|fecha contable|fecha operacion|f operacion|fecha de operacion|data ksiegowania|bokforingsdag|\
    bokforingsdatum|bokforingsdato|bogforingsdato|bogfort|bokfort|kirjauspaiva|completed date|date completed|boekdatum|\
    boekingsdatum|datum zauctovani|konyveles datuma|konyveles|data mov|data lancamento|data do movimento|settlement date|\
    entry date|datum uctovani|fecha de contabilizacion|date of booking";
const DAY_OTHER: &str = "transaction date|trans date|started date|date started|date of transaction|purchase date|\
    data transakcji|data operacji|datum provedeni|umsatzdatum|belegdatum|kaufdatum|date achat|transaktionsdag|\
    transaktionsdatum|transaction posted|date d achat|data acquisto|created on|order date|date de l achat";
const DAY: &str = "date|datum|fecha|data|dato|pvm|paivays|tarih|tarihi|day|dia|dag|datums|fec|kelt|日付|取引日|年月日|お取引日|交易日期|日期|거래일";
const BALANCE: &str = "balance|bal|running balance|saldo|solde|kontostand|kontosaldo|stan|stan konta|zustatek|zostatok|bakiye|egyenleg|\
    残高|余额|잔액|restsaldo|saldo posterior|closing balance";
const FEE: &str =
    "fee|fees|frais|gebuhr|gebuhren|commission|commissione|commissioni|comision|oplata|avgift|kosten|spese";
const DEBIT: &str = "debit|debits|debit amount|withdrawal|withdrawals|withdrawal amt|paid out|money out|amount out|outflow|soll|belastung|lastschrift|\
    ausgang|ausgange|ausgaben|uscite|uscita|addebiti|addebito|dare|cargo|cargos|debito|debitos|debet|debe|afschrijving|\
    spent|spend|payments out|uttag|ut fra konto|ut av konto|obciazenia|wydatki|出金|出金金額|お支払金額|引出|支出|charges|borc|terheles|vydaje";
const CREDIT: &str = "credit|credits|credit amount|deposit|deposits|deposit amt|paid in|money in|amount in|inflow|haben|gutschrift|gutschriften|\
    eingang|eingange|einnahmen|entrate|entrata|accrediti|accredito|avere|abono|abonos|credito|creditos|kredit|haber|bijschrijving|\
    received|payments in|insattning|inn pa konto|uznania|wplywy|入金|入金金額|お預り金額|預入|收入|alacak|jovairas|prijmy";
const AMOUNT: &str = "amount|amt|betrag|umsatz|montant|importo|importe|valor|bedrag|kwota|kwota operacji|belopp|belob|belop|summa|maara|castka|\
    osszeg|tutar|suma|quantia|montante|value|金額|交易金额|거래금액|transaction amount|soll haben|debit credit|monto|iznos|total";
const AMOUNT_NET: &str = "net|net amount|netto|amount net";
const AMOUNT_FOREIGN: &str = "original|foreign|fremd|fremdwahrung|fremdwahrungsbetrag|devise etrangere|auslandsentgelt|gross|brutto|usd equivalent|\
    source|exchange|local|divisa|ursprung|ursprungsbetrag|tax|vat|cashback|lastschrift ursprungsbetrag|rate|kurs|limit|available|disponible|points";
const PAYEE_NAME: &str = "payee|payee name|auftraggeber|empfanger|zahlungsempfanger|zahlungsempfanger in|zahlungspflichtiger|begunstigter|beguenstigter|name zahlungsbeteiligter|\
    naam tegenpartij|tegenpartij|counterparty|counterparty name|counter party|merchant|merchant name|beneficiaire|beneficiario|ordenante|\
    controparte|odbiorca|nadawca|kontrahent|nazwa kontrahenta|saaja|maksaja|saaja maksaja|mottagare|modtager|mottaker|beneficiary|partner name|partner|\
    protistrana|nazev protiuctu|nazev protistrany|nom|contrepartie|name";
const PAYEE_VAGUE: &str =
    "details|detail|transaction|transactions|operation|operazione|type operation|umsatztyp|bewegungstyp";
const PAYEE_TEXT: &str = "description|descriptions|libelle|libelle simplifie|libelle operation|descrizione|descripcion|concepto|narrative|narration|\
    tekst|text|opis|opis operacji|rubrik|beskrivelse|beskrivning|forklaring|selite|popis|descricao|aciklama|摘要|内容|お取引内容|适用|적요|naam omschrijving|\
    omschrijving|transaction details|transaction description|particulars|movimiento|specification|kozlemeny|name description|title";
const MEMO: &str = "memo|verwendungszweck|buchungstext|reference|referenz|mededelingen|mededeling|notes|note|communication|causale|observaciones|\
    informations complementaires|additional information|remarks|message|tytul|tytul operacji|viesti|meddelande|zprava|zprava pro prijemce|poznamka|libelle complementaire|info|mehr details|extra";
const ACCOUNT: &str = "account|account number|account name|account no|auftragskonto|konto|iban bban|iban auftragskonto|rekening|rekeningnummer|compte|numero de compte|\
    numero compte|eigen rekening|bezeichnung auftragskonto|cuenta|conto|product|numer rachunku|rachunek|ucet|kontonummer|konto nr|numero conto";
const CURRENCY: &str = "currency|devise|wahrung|valuta|munt|muntsoort|divisa|moneda|moeda|waluta|mena|valuutta|para birimi|通貨|ccy|valutakod|cur|penznem";
const STATUS: &str =
    "status|state|etat|estado|stato|info|stan operacji|tila|booking status|umsatzart status|statut|durum";
/// Headings of columns that are no own account, amount or day although they hold such a word.
const OTHER_PARTY: &str = "gegenkonto|tegenrekening|counterparty account|counter account|to account|kontonummer iban|iban zahlungsbeteiligter|protiucet|\
    cuenta destino|conto controparte|counterparty iban|gegenkonto iban|kontrahenta|payee account|compte beneficiaire|beneficiary account|from account|transfer account";

/// What the heading says its column holds.
pub(super) fn role(heading: &str) -> Option<Role> {
    let folded = fold(heading);
    let has = |phrases: &str| holds(&folded, phrases);
    let is = |words: &str| is_one(&folded, words);
    if folded.is_empty() || has(OTHER_PARTY) {
        return None;
    }
    let dated = has(DAY) || has("time");
    if is(CURRENCY) && !is("valuta") {
        Some(Role::Currency)
    } else if is(VALUE_DAY) || (has(VALUE_DAY) && (dated || has("wertstellung|date de valeur|valutadatum|rentedatum")))
    {
        Some(Role::ValueDay)
    } else if has(DAY_OTHER) {
        Some(Role::Day(1))
    } else if has(DAY_BOOKED) && !has(AMOUNT) {
        Some(Role::Day(3))
    } else if dated && !has(BALANCE) && !has(AMOUNT) {
        Some(Role::Day(2))
    } else if is(STATUS) {
        Some(Role::Status)
    } else if has(BALANCE) {
        Some(Role::Balance)
    } else if has(FEE) && !has(PAYEE_TEXT) {
        Some(Role::Fee)
    } else if has(AMOUNT_FOREIGN) && (has(AMOUNT) || has(DEBIT) || has(CREDIT) || has("gross|brutto")) {
        Some(Role::Amount(0))
    } else if is(AMOUNT_NET) {
        Some(Role::Amount(3))
    } else if has(AMOUNT) && !(has(DEBIT) ^ has(CREDIT)) {
        Some(Role::Amount(2))
    } else if (has(DEBIT) && !has(CREDIT)) || is("out|af|ut|dr") {
        Some(Role::Debit)
    } else if (has(CREDIT) && !has(DEBIT)) || is("in|bij|inn|cr") {
        Some(Role::Credit)
    } else if is(ACCOUNT) {
        Some(Role::Account)
    } else if has(PAYEE_NAME) {
        Some(Role::Payee(3))
    } else if has(PAYEE_TEXT) {
        Some(Role::Payee(2))
    } else if has(MEMO) {
        Some(Role::Memo)
    } else if is(PAYEE_VAGUE) {
        Some(Role::Payee(1))
    } else {
        None
    }
}

const OUT: &str = "d|dr|db|dbit|debit|debet|deb|debito|s|soll|af|uit|out|withdrawal|cargo|debe|paid out|money out|ut|belastung|lastschrift|借|出金|borc";
const IN: &str = "c|cr|cred|crdt|credit|kredit|credito|h|haben|bij|in|deposit|abono|haber|paid in|money in|inn|gutschrift|貸|入金|alacak";

/// Which way money went, by the word beside an unsigned amount: `true` for out of the account.
pub(super) fn is_out(cell: &str) -> Option<bool> {
    let folded = fold(cell);
    match cell.trim() {
        "-" | "−" => Some(true),
        "+" => Some(false),
        _ if is_one(&folded, OUT) => Some(true),
        _ if is_one(&folded, IN) => Some(false),
        _ => None,
    }
}

const PENDING: &str = "pending|vorgemerkt|umsatz vorgemerkt|en attente|pendiente|in behandeling|reserviert|reserved|authorised|authorized|authorisation|in progress|\
    non comptabilise|da contabilizzare|in sospeso|oczekujaca|blokada|reverted|declined|failed|refuse|refusee|abgelehnt|rechazado|rechazada|rifiutato|afvist|avvist|nekad|geweigerd|hylatty|odrzucona|zamitnuto|cancelled|canceled|reservation|preliminar|pdng|rejected|uncompleted|\
    en cours|nicht gebucht|em processamento|pendente|reserverat|reservert|odota|odottaa|未確定";

/// Whether the cell says that the entry is not booked, or never will be.
pub(super) fn is_pending(cell: &str) -> bool {
    is_one(&fold(cell), PENDING)
}

const OPENING: &str = "opening balance|starting balance|balance brought forward|brought forward|previous balance|beginning balance|solde initial|ancien solde|solde precedent|\
    solde anterieur|solde de depart|anfangssaldo|alter kontostand|alter saldo|vortrag|saldovortrag|saldo iniziale|saldo precedente|saldo inicial|saldo anterior|beginsaldo|vorig saldo|\
    saldo poczatkowe|ingaende saldo|ingaende balans|inngaende saldo|primo saldo|pocatecni zustatek|nyito egyenleg|alkusaldo|balance forward|繰越";
const CLOSING: &str = "closing balance|ending balance|end balance|new balance|current balance|ledger balance|solde final|nouveau solde|solde de cloture|solde actuel|endsaldo|neuer kontostand|\
    neuer saldo|schlusssaldo|saldo finale|saldo contabile finale|saldo final|saldo actual|saldo attuale|eindsaldo|nieuw saldo|saldo koncowe|utgaende saldo|utgaende balans|ultimo saldo|\
    konecny zustatek|zaro egyenleg|loppusaldo";
const EITHER: &str = "kontostand|solde|saldo|balance|stand";

/// Which balance a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The one before the rows.
    Opening,
    /// The one after them.
    Closing,
    /// Either: its day decides.
    Either,
}

/// Which balance the folded text names, among other words.
pub(super) fn balance_named(folded: &str) -> Option<Named> {
    if holds(folded, "available|disponible|verfugbar|verfugbarer|limit|beschikbaar|disponibile") {
        return None;
    }
    let known = [(OPENING, Named::Opening), (CLOSING, Named::Closing), (EITHER, Named::Either)];
    known.into_iter().find(|(phrases, _)| holds(folded, phrases)).map(|(_, named)| named)
}

/// Which balance the text names when it says nothing else but a day or a currency.
pub(super) fn balance_alone(text: &str) -> Option<Named> {
    let bare = bare(text);
    let known = [(OPENING, Named::Opening), (CLOSING, Named::Closing)];
    known.into_iter().find(|(phrases, _)| is_one(&bare, phrases)).map(|(_, named)| named)
}

const SUM: &str = "total|totals|total amount|grand total|sum|summe|gesamt|gesamtsumme|endsumme|totaal|som|totale|somme|total general|suma|\
    soma|totais|razem|summa|yhteensa|celkem|spolu|osszesen|toplam|合計|总计|합계";

/// Whether the text names a sum and nothing else; a shop may be called so too.
pub(super) fn is_sum(text: &str) -> bool {
    is_one(&bare(text), SUM)
}

/// The folded text without numbers, currencies and the words that tie them.
fn bare(text: &str) -> String {
    const SMALL: &str = "au|vom|am|al|del|on|at|as|of|du|per|op|den|the|date|eur|usd|gbp|chf";
    let folded = fold(text);
    let small = |word: &str| word.bytes().all(|b| b.is_ascii_digit()) || is_one(word, SMALL);
    folded.split(' ').filter(|word| !small(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_every_bank_fold_to_plain_ones() {
        assert_eq!(fold("ÀĄ Ç Ď É Ğ Î Ł Ñ Ő Ř Ş Ť Ů Ý Ž ß Æ Œ"), "aa c d e g i l n o r s t u y z ss ae oe");
    }

    #[test]
    fn headings_of_many_banks() {
        let cases = [
            ("Date", Role::Day(2)),
            ("Posting Date", Role::Day(3)),
            ("Transaction Date", Role::Day(1)),
            ("Date de comptabilisation", Role::Day(3)),
            ("Date opération", Role::Day(2)),
            ("Date de valeur", Role::ValueDay),
            ("Valutadatum", Role::ValueDay),
            ("Buchungstag", Role::Day(3)),
            ("Wertstellung", Role::ValueDay),
            ("Datum", Role::Day(2)),
            ("Rentedatum", Role::ValueDay),
            ("F. Valor", Role::ValueDay),
            ("Completed Date", Role::Day(3)),
            ("Started Date", Role::Day(1)),
            ("Betrag (EUR)", Role::Amount(2)),
            ("Umsatz in EUR", Role::Amount(2)),
            ("Amount", Role::Amount(2)),
            ("Débit", Role::Debit),
            ("Crédit", Role::Credit),
            ("Debit Amount", Role::Debit),
            ("Paid in", Role::Credit),
            ("Money Out", Role::Debit),
            ("Saldo na mutatie", Role::Balance),
            ("Solde", Role::Balance),
            ("Balance", Role::Balance),
            ("Fee", Role::Fee),
            ("Libellé", Role::Payee(2)),
            ("Beguenstigter/Zahlungspflichtiger", Role::Payee(3)),
            ("Naam tegenpartij", Role::Payee(3)),
            ("Verwendungszweck", Role::Memo),
            ("Währung", Role::Currency),
            ("Auftragskonto", Role::Account),
            ("State", Role::Status),
            ("残高", Role::Balance),
            ("日付", Role::Day(2)),
        ];
        for (heading, want) in cases {
            assert_eq!(role(heading), Some(want), "{heading}");
        }
        assert_eq!(role("Tegenrekening"), None);
        assert_eq!(role("Original Amount"), Some(Role::Amount(0)));
    }

    #[test]
    fn words_beside_an_amount() {
        assert_eq!(
            (is_out("Af"), is_out("Bij"), is_out("S"), is_out("H"), is_out("-")),
            (Some(true), Some(false), Some(true), Some(false), Some(true))
        );
        assert_eq!(is_out("Groceries"), None);
        assert!(is_pending("PENDING") && is_pending("Umsatz vorgemerkt") && !is_pending("Umsatz gebucht"));
        assert_eq!(balance_named(&fold("Ancien solde au 01/01")), Some(Named::Opening));
        assert_eq!(balance_named(&fold("Kontostand vom 31.01.2026:")), Some(Named::Either));
        assert_eq!(balance_named(&fold("Solde disponible")), None);
        assert_eq!(balance_alone("SOLDE INITIAL AU 01/01/2026"), Some(Named::Opening));
        assert_eq!((balance_alone("Balance adjustment"), balance_alone("Saldo")), (None, None));
    }
}
