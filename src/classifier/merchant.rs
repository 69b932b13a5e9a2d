//! Owns the merchant behind a bank's label: the label without what the bank put around the name.
//! Never empty for a label that shows anything, and never used to decide what is sent to YNAB.

use crate::text;

/// Words that say how it was paid, before the name.
const PAYMENT_WORDS: [&str; 5] = ["CB", "CARTE", "PRLV", "VIR", "VIREMENT"];
/// Words that may follow a debit's or a transfer's.
const PAYMENT_KINDS: [&str; 2] = ["SEPA", "INST"];

/// The label in upper case and single spaces, unescaped, without its payment words, IBAN, invoice number, masked card number,
/// dates and long numbers. A label made of nothing else stays whole.
pub fn merchant(label: &str) -> String {
    let label = unescaped(text::clean(label).to_uppercase());
    let words: Vec<&str> = label.split_whitespace().collect();
    let kept = without_payment_word(before_invoice(before_iban(&words)));
    let mut name = String::with_capacity(label.len());
    for word in kept.iter().filter(|word| !is_card(word) && !is_date(word)) {
        let start = name.len();
        if start > 0 {
            name.push(' ');
        }
        let bare = name.len();
        push_without_numbers(&mut name, word);
        if name.len() == bare {
            name.truncate(start);
        }
    }
    if name.is_empty() { words.join(" ") } else { name }
}

/// The label without the escapes of a bank that writes HTML.
fn unescaped(label: String) -> String {
    const ESCAPES: [(&str, &str); 6] =
        [("&#39;", "'"), ("&APOS;", "'"), ("&QUOT;", "\""), ("&LT;", "<"), ("&GT;", ">"), ("&AMP;", "&")];
    if !label.contains('&') {
        return label;
    }
    ESCAPES.iter().fold(label, |label, (escape, sign)| label.replace(escape, sign))
}

/// The words before an IBAN, and before the dash that led to it.
fn before_iban<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let follows = |at: usize| words.get(at + 1).is_some_and(|next| starts_iban(next));
    let start = words.iter().enumerate().position(|(at, word)| {
        let named =
            word.strip_prefix("IBAN").is_some_and(|rest| rest.starts_with(':') || rest.is_empty() && follows(at));
        named || (15..=34).contains(&word.len()) && starts_iban(word)
    });
    let mut kept = words.get(..start.unwrap_or(words.len())).unwrap_or_default();
    while let (Some(_), [before @ .., "-" | ":"]) = (start, kept) {
        kept = before;
    }
    kept
}

/// Two letters and two digits, then letters and digits.
fn starts_iban(word: &str) -> bool {
    let mut bytes = word.bytes();
    let mut next = |is: fn(&u8) -> bool| bytes.next().is_some_and(|b| is(&b));
    next(u8::is_ascii_uppercase)
        && next(u8::is_ascii_uppercase)
        && next(u8::is_ascii_digit)
        && next(u8::is_ascii_digit)
        && bytes.all(|b| b.is_ascii_alphanumeric())
}

/// The words before an invoice's number of six digits.
fn before_invoice<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let is_number = |word: &str| word.len() == 6 && word.bytes().all(|b| b.is_ascii_digit());
    let invoice = words.windows(2).skip(1).position(|pair| pair[0] == "FACT" && is_number(pair[1]));
    words.get(..invoice.map_or(words.len(), |at| at + 1)).unwrap_or_default()
}

/// The words after the one that says how it was paid, as long as some are left.
fn without_payment_word<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    match words {
        [first, kind, rest @ ..]
            if !rest.is_empty() && PAYMENT_WORDS[2..].contains(first) && PAYMENT_KINDS.contains(kind) =>
        {
            rest
        }
        [first, rest @ ..] if !rest.is_empty() && PAYMENT_WORDS.contains(first) => rest,
        _ => words,
    }
}

/// At least four digits, then asterisks.
fn is_card(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.len() - rest.len() >= 4 && rest.starts_with('*')
}

/// `dd/mm`, `dd/mm/yy` or `dd/mm/yyyy`.
fn is_date(word: &str) -> bool {
    let mut parts = word.split('/');
    let mut digits = |lengths: std::ops::RangeInclusive<usize>| {
        parts.next().map(|part| lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
    };
    digits(2..=2) == Some(true) && digits(2..=2) == Some(true) && digits(2..=4) != Some(false) && parts.next().is_none()
}

/// The word without its numbers of five digits or more; nothing when only signs would be left.
fn push_without_numbers(name: &mut String, word: &str) {
    let is_number = |run: &str| run.chars().count() >= 5 && run.chars().all(char::is_numeric);
    let runs = || word.split(|c: char| !c.is_alphanumeric());
    if !runs().any(is_number) {
        name.push_str(word);
    } else if runs().any(|run| !run.is_empty() && !is_number(run)) {
        for piece in word.split_inclusive(|c: char| !c.is_alphanumeric()) {
            let sign = piece.chars().next_back().filter(|c| !c.is_alphanumeric());
            let run = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
            if !is_number(run) {
                name.push_str(run);
            }
            name.extend(sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_iban_begins_with_two_letters_and_two_digits() {
        assert!(starts_iban("XX76") && starts_iban("FR7630001111"));
        assert!(["SHOP", "X176", "Xx76", "XX7A", "XX76-3"].iter().all(|word| !starts_iban(word)));
    }

    #[test]
    fn what_the_bank_added_falls_away() {
        let cases = [
            ("CB BIO DES COLLINES 01/01 4970****1234 LYRIC", "BIO DES COLLINES LYRIC"),
            ("CARTE STATION GALAXIE 02/05/2026", "STATION GALAXIE"),
            ("PRLV SEPA REGIE DES TILLEULS - IBAN: XX76 3000 1111 2222", "REGIE DES TILLEULS"),
            ("PRLV SEPA VOLT ET CIE FACT 202401 N7781234", "VOLT ET CIE"),
            ("VIR INST CAISSE SANTE", "CAISSE SANTE"),
            ("VIREMENT VERS LIVRET", "VERS LIVRET"),
            ("Miete DE89370400440532013000 Juli", "MIETE"),
            ("Café Pérou ☕️", "CAFÉ PÉROU ☕️"),
            ("shop 123456 paris", "SHOP PARIS"),
            ("REF:123456,A 1234", "REF:,A 1234"),
            ("  straße   bar ", "STRASSE BAR"),
            ("PAYPAL *Fil &amp; Coton d&#39;Or", "PAYPAL *FIL & COTON D'OR"),
            ("Mar\u{200B}ché\nde la\tplace", "MARCHÉ DE LA PLACE"),
        ];
        for (label, want) in cases {
            assert_eq!(merchant(label), want, "{label}");
        }
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for label in
            ["CB", "IBANEZ GUITARS", "VIRGIN", "SHOP IBAN", "497****1 BAR", "BUS 101/021", "CARTES X", "FACT 12"]
        {
            assert_eq!(merchant(label), label);
        }
    }

    #[test]
    fn a_label_of_numbers_alone_keeps_its_name() {
        for label in ["12345", "01/02", "IBAN: FR76", "4970****1234 01/02"] {
            assert_eq!(merchant(label), label);
        }
        assert_eq!(merchant(""), "");
    }

    proptest! {
        #[test]
        fn never_empty_and_always_on_one_line(label in "\\PC{0,60}|.{0,40}") {
            let name = merchant(&label);
            prop_assert_eq!(name.is_empty(), text::clean(&label).trim().is_empty());
            prop_assert!(!name.contains("  ") && !name.contains('\n') && name.trim() == name);
        }
    }
}
