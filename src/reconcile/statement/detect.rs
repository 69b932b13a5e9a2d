//! Owns what kind of file the bytes are, by their content: its text, its format, or the name of what it is instead.
//! Never reads a row.

use std::borrow::Cow;

use super::Format;
use crate::error::Refusal;
use crate::refuse;

/// What the 27 characters of windows-1252 between 0x80 and 0x9F stand for; 0 where it has none.
const WINDOWS: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0, 0,
    0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

/// The bytes as text: UTF-8, UTF-16 with its mark, else Latin-1 as Windows has it. Refused when they are no text.
pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    let named = [
        (&b"%PDF"[..], "a PDF"),
        (b"PK\x03\x04", "a spreadsheet or a zip file"),
        (b"\xD0\xCF\x11\xE0", "an old Excel file"),
        (b"{\\rtf", "an RTF document"),
        (b"\x89PNG", "an image"),
        (b"\xFF\xD8\xFF", "an image"),
        (b"GIF8", "an image"),
        (b"\x1F\x8B", "a compressed file"),
    ];
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    let content = bytes.get(start..).unwrap_or_default();
    if content.is_empty() {
        return Err(refuse!("The statement is empty. Give the text of the bank's file."));
    }
    if let Some((_, name)) = named.iter().find(|(magic, _)| content.starts_with(magic)) {
        return Err(no_statement(name));
    }
    let wide = |high: usize, from: &[u8]| -> String {
        let units = from.chunks_exact(2).map(|pair| u16::from(pair[high]) << 8 | u16::from(pair[1 - high]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect()
    };
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(wide(1, rest)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(wide(0, rest)),
        [0xEF, 0xBB, 0xBF, rest @ ..] => narrow(rest)?,
        _ => narrow(bytes)?,
    };
    if text.chars().take(4096).filter(|c| *c == '\0').count() > 0 {
        return Err(no_statement("a binary file"));
    }
    Ok(text)
}

fn narrow(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text.trim_start_matches('\u{FEFF}')));
    }
    // A bank may cut its UTF-8 within a letter.
    let text = String::from_utf8_lossy(bytes);
    let cut = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    if text.chars().filter(|c| !c.is_ascii()).count() > 2 * cut {
        return Ok(text);
    }
    if is_other_script(bytes) {
        return Err(refuse!(
            "The file's letters are neither in UTF-8 nor in Latin-1. Save it as UTF-8, then try again."
        ));
    }
    Ok(Cow::Owned(bytes.iter().map(|b| windows(*b)).collect()))
}

/// Whether the bytes cannot be Latin-1: one has no letter there, or most that are not ASCII stand side by side, as the
/// letters of another script do.
fn is_other_script(bytes: &[u8]) -> bool {
    let pairs = bytes.windows(2).filter(|two| two.iter().all(|byte| *byte >= 0x80)).count();
    let high = bytes.iter().filter(|byte| **byte >= 0x80);
    let is_none = |byte: &u8| matches!(windows(*byte), '\u{80}'..='\u{9F}');
    high.clone().any(is_none) || (pairs >= 4 && pairs * 5 > high.count() * 2)
}

fn windows(byte: u8) -> char {
    let special = byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at))).copied();
    special.filter(|code| *code != 0).and_then(|code| char::from_u32(u32::from(code))).unwrap_or(char::from(byte))
}

/// The refusal of a file that is something else.
fn no_statement(name: &str) -> Refusal {
    refuse!("This is {name}, not a bank statement. Export the account as CSV, OFX, QIF, CAMT.053 or MT940.")
}

/// Which format the text is in; what is known to be something else is refused by its name.
pub(super) fn format(text: &str) -> Result<Format, Refusal> {
    let head: String = text.chars().take(4000).collect::<String>().to_ascii_lowercase();
    let start = head.trim_start();
    if start.starts_with("ofxheader") || head.contains("<?ofx") || start.starts_with("<ofx>") || head.contains("<ofx>")
    {
        return Ok(Format::Ofx);
    }
    if start.starts_with('<') {
        let page = ["<!doctype html", "<html", "<table", "<body"].iter().any(|tag| head.contains(tag));
        return if page { Err(no_statement("an HTML page")) } else { xml(text, &head) };
    }
    if start.starts_with('{') && head.contains("{1:") || swift(text) {
        return mt(text);
    }
    if start.starts_with('{') || start.starts_with("[{") || start.starts_with("[\n") {
        return Err(no_statement("a JSON file"));
    }
    let qif = |line: &str| ["!type:", "!account", "!option:", "!clear:"].iter().any(|tag| line.starts_with(tag));
    if head.lines().map(str::trim_start).any(qif) {
        return Ok(Format::Qif);
    }
    Ok(Format::Csv)
}

fn xml(text: &str, head: &str) -> Result<Format, Refusal> {
    // The first element inside <Document> says which message it is, whatever its prefix.
    let named = [
        ("bktocstmracctrpt", "camt.052", "a CAMT.052 account report, whose entries are not final"),
        ("bktocstmrdbtcdtntfctn", "camt.054", "a CAMT.054 notification of single entries"),
        ("cstmrcdttrfinitn", "pain.001", "a payment order (pain.001)"),
        ("cstmrdrctdbtinitn", "pain.008", "a direct debit order (pain.008)"),
        ("cstmrpmtstsrpt", "pain.002", "a payment status report (pain.002)"),
    ];
    if head.contains("bktocstmrstmt") || head.contains("camt.053") {
        return Ok(Format::Camt053);
    }
    if let Some((_, _, name)) = named.iter().find(|(element, space, _)| head.contains(element) || head.contains(space))
    {
        return Err(no_statement(name));
    }
    if head.contains("urn:schemas-microsoft-com:office:spreadsheet") || head.contains("<workbook") {
        return Err(no_statement("an Excel workbook in XML"));
    }
    if text.contains("BkToCstmrStmt") {
        return Ok(Format::Camt053);
    }
    Err(no_statement("an XML file of another kind"))
}

fn starts_line(text: &str, tags: &[&str]) -> bool {
    text.lines().any(|line| tags.iter().any(|tag| line.trim_start().starts_with(tag)))
}

fn swift(text: &str) -> bool {
    let has = |tags: &[&str]| starts_line(text, tags);
    has(&[":20:", ":25:", ":28C:", ":28:"]) && has(&[":60F:", ":60M:", ":61:", ":62F:", ":62M:", ":34F:", ":13D:"])
}

fn mt(text: &str) -> Result<Format, Refusal> {
    let interim = starts_line(text, &[":34F:", ":13D:"]) && !starts_line(text, &[":60F:", ":60M:"]);
    if interim || text.contains("{2:O942") || text.contains("{2:I942") {
        return Err(no_statement("an MT942 interim report, whose entries are not final"));
    }
    if text.contains("{2:O941") || text.contains("{2:I941") {
        return Err(no_statement("an MT941 balance report, which has no entries"));
    }
    Ok(Format::Mt940)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> Result<Format, String> {
        text(bytes).and_then(|text| format(&text)).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn formats_by_content() {
        let cases: [(&[u8], Format); 9] = [
            (b"OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX>", Format::Ofx),
            (b"<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?><OFX></OFX>", Format::Ofx),
            (b"!Type:Bank\nD1/2/2026\n", Format::Qif),
            (b"\xEF\xBB\xBF<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\">", Format::Camt053),
            (b"<?xml version='1.0'?><ns2:Document><ns2:BkToCstmrStmt>", Format::Camt053),
            (b":20:STARTUMS\r\n:25:123/456\r\n:60F:C260101EUR0,00\r\n", Format::Mt940),
            (b"{1:F01BANK}{2:O940}{4:\r\n:20:X\r\n:60F:C260101EUR0,\r\n-}", Format::Mt940),
            (b"Date;Amount\n2026-01-01;1\n", Format::Csv),
            (b"\xFF\xFED\0a\0t\0e\0", Format::Csv),
        ];
        for (bytes, want) in cases {
            assert_eq!(kind(bytes), Ok(want), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_is_no_statement_is_refused_by_its_name() {
        let cases: [(&[u8], &str); 10] = [
            (b"%PDF-1.7 ...", "PDF"),
            (b"<!DOCTYPE html><html><body>", "HTML"),
            (b"  <table><tr>", "HTML"),
            (b"PK\x03\x04....", "spreadsheet"),
            (
                b"<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.052.001.02\"><BkToCstmrAcctRpt>",
                "account report",
            ),
            (b"<Document><BkToCstmrDbtCdtNtfctn>", "CAMT.054"),
            (b":20:X\n:25:1\n:34F:EURD0,\n:13D:2601011200+0100\n", "MT942"),
            (b"{\"transactions\": []}", "JSON"),
            (b"\0\x01\x02\x03", "binary"),
            (b"  \r\n", "empty"),
        ];
        for (bytes, name) in cases {
            let refusal = kind(bytes).expect_err("a refusal");
            assert!(refusal.contains(name), "{refusal}");
        }
    }

    #[test]
    fn latin_and_utf_text() {
        assert_eq!(text(b"Libell\xE9 \x80").ok().as_deref(), Some("Libellé €"));
        assert_eq!(text("Libellé €".as_bytes()).ok().as_deref(), Some("Libellé €"));
        assert_eq!(text(b"\xFE\xFF\0D\0\xE9").ok().as_deref(), Some("Dé"));
        assert_eq!(text(b"Caf\xC3\xA9, M\xC3\xBCller, Ren\xC3").ok().as_deref(), Some("Café, Müller, Ren\u{FFFD}"));
        for other in [&b"\x83J\x81[\x83h"[..], b"\xCE\xEF\xEB\xE0\xF2\xE0 \xEF\xEE \xEA\xE0\xF0\xF2\xE5"] {
            assert!(text(other).is_err_and(|refusal| refusal.to_string().contains("UTF-8")), "{other:?}");
        }
    }
}
