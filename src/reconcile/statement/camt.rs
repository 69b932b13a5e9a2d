//! Owns CAMT.053, ISO 20022's statement: booked entries, batches as one row, reversals in either direction.
//! Never counts a pending entry, nor an amount twice because a batch lists its parts.

use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::figure::{Mark, figure};
use super::{Candidate, ReadAs, Row, Sheet, Sign, Stand, gathered, readings};
use crate::dates::{Date, parse_date_prefix};
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;

/// How deep elements may stand in each other.
const DEPTH_MAX: usize = 64;

/// An element without its prefix.
#[derive(Default)]
struct Element {
    name: String,
    text: String,
    inside: Vec<Element>,
}

impl Element {
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.inside.iter().filter(move |element| element.name == name)
    }

    /// The element at the end of a path such as `Acct/Id/IBAN`.
    fn at(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |element, name| element.inside.iter().find(|inner| inner.name == name))
    }

    fn text_at(&self, path: &str) -> Option<&str> {
        self.at(path).map(|element| element.text.trim()).filter(|text| !text.is_empty())
    }

    fn amount(&self) -> Option<Milliunits> {
        figure(self.text_at("Amt")?)?.value(Mark::Dot)
    }

    /// The amount with the direction the element gives it.
    fn signed(&self) -> Option<Milliunits> {
        let size = self.amount()?;
        Some(if self.text_at("CdtDbtInd") == Some("DBIT") { -size } else { size })
    }

    /// A day under `Dt` or `DtTm`: the day as it is written, whatever the zone.
    fn day(&self, path: &str) -> Option<Date> {
        let element = self.at(path)?;
        let text = element.text_at("Dt").or_else(|| element.text_at("DtTm")).unwrap_or(element.text.trim());
        parse_date_prefix(text)
    }

    fn find<'a>(&'a self, name: &str, into: &mut Vec<&'a Self>) {
        for inner in &self.inside {
            if inner.name == name {
                into.push(inner);
            } else {
                inner.find(name, into);
            }
        }
    }
}

/// Reads every statement; with reversals in it, both ways their direction may be meant.
pub(super) fn candidates(text: &str) -> Result<Vec<Candidate>, Refusal> {
    let root = tree(text).ok_or_else(|| refuse!("This CAMT.053 file is damaged XML. Export it again."))?;
    let mut statements = Vec::new();
    root.find("Stmt", &mut statements);
    if statements.is_empty() {
        return Err(refuse!("This CAMT.053 file holds no statement. Export it again."));
    }
    let reversals = statements.iter().any(|statement| statement.all("Ntry").any(is_reversal));
    let ways = if reversals { &[Sign::AsWritten, Sign::Inverted][..] } else { &[Sign::AsWritten] };
    let mut found = Vec::new();
    for way in ways {
        let mut number = 0;
        let parts: Result<Vec<Sheet>, Refusal> = statements.iter().map(|s| sheet(s, *way, &mut number)).collect();
        let read_as = ReadAs { sign: reversals.then_some(*way), ..ReadAs::default() };
        found.extend(readings(&read_as, gathered(parts?), true));
    }
    Ok(found)
}

fn is_reversal(entry: &Element) -> bool {
    entry.text_at("RvslInd") == Some("true") || entry.text_at("RvslInd") == Some("1")
}

fn sheet(statement: &Element, reversals: Sign, number: &mut usize) -> Result<Sheet, Refusal> {
    let account = ["Acct/Id/IBAN", "Acct/Id/Othr/Id"].iter().find_map(|path| statement.text_at(path));
    let mut sheet = Sheet {
        account: account.map(Arc::from),
        from: statement.day("FrToDt/FrDtTm").or_else(|| statement.day("FrToDt/FrDt")),
        to: statement.day("FrToDt/ToDtTm").or_else(|| statement.day("FrToDt/ToDt")),
        ..Sheet::default()
    };
    for balance in statement.all("Bal") {
        let code = balance.text_at("Tp/CdOrPrtry/Cd").or_else(|| balance.text_at("Tp/CdOrPrtry/Prtry"));
        let stand = balance.signed().map(|amount| Stand { date: balance.day("Dt"), amount });
        match code {
            Some("OPBD") => sheet.opening = stand,
            Some("PRCD") => sheet.opening = sheet.opening.or(stand),
            Some("CLBD") => sheet.closing = stand,
            _ => {}
        }
    }
    for entry in statement.all("Ntry") {
        let status = entry.text_at("Sts/Cd").or_else(|| entry.text_at("Sts/Prtry")).or_else(|| entry.text_at("Sts"));
        if status.is_some_and(|status| status != "BOOK") {
            sheet.pending += 1;
            continue;
        }
        *number += 1;
        sheet.rows.push(row(entry, *number, reversals)?);
    }
    Ok(sheet)
}

fn row(entry: &Element, number: usize, reversals: Sign) -> Result<Row, Refusal> {
    let (booked, value) = (entry.day("BookgDt"), entry.day("ValDt"));
    let (Some(amount), Some(date)) = (entry.signed(), booked.or(value)) else {
        return Err(refuse!("Entry {number} of this CAMT.053 file has no readable amount or date. Export it again."));
    };
    let turned = reversals == Sign::Inverted && is_reversal(entry);
    let (payee, memo) = told(entry, amount);
    Ok(Row {
        number,
        date,
        other_date: value.filter(|value| *value != date),
        amount: if turned { -amount } else { amount },
        payee: payee.into(),
        memo: memo.into(),
        balance: None,
    })
}

/// Who and what for; of a batch, its parts.
fn told(entry: &Element, amount: Milliunits) -> (String, String) {
    let mut parts = Vec::new();
    entry.find("TxDtls", &mut parts);
    let about = entry.text_at("AddtlNtryInf").unwrap_or_default();
    let party = |part: &Element| {
        let side = if amount.is_negative() { "Cdtr" } else { "Dbtr" };
        let paths =
            [format!("RltdPties/{side}/Nm"), format!("RltdPties/{side}/Pty/Nm"), format!("RltdPties/Ultmt{side}/Nm")];
        paths.iter().find_map(|path| part.text_at(path)).map(str::to_owned)
    };
    let purpose = |part: &Element| {
        let lines: Vec<&str> =
            part.at("RmtInf").map_or_else(Vec::new, |info| info.all("Ustrd").map(|u| u.text.trim()).collect());
        let strict = || part.text_at("RmtInf/Strd/CdtrRefInf/Ref").or_else(|| part.text_at("AddtlTxInf"));
        if lines.is_empty() { strict().unwrap_or_default().to_owned() } else { lines.join(" ") }
    };
    match parts.as_slice() {
        [] => (about.to_owned(), String::new()),
        [one] => {
            let memo = purpose(one);
            let payee = party(one).unwrap_or_else(|| if about.is_empty() { memo.clone() } else { about.to_owned() });
            (payee, memo)
        }
        many => {
            let size = |part: &Element| {
                let paths = ["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt"];
                paths.iter().find_map(|path| part.text_at(path)).unwrap_or_default().to_owned()
            };
            let line = |part: &&Element| {
                let who = party(part).unwrap_or_else(|| purpose(part));
                format!("{who} {}", size(part)).trim().to_owned()
            };
            let lines: Vec<String> = many.iter().map(line).collect();
            let payee = if about.is_empty() { format!("{} payments", many.len()) } else { about.to_owned() };
            (payee, lines.join("; "))
        }
    }
}

fn tree(text: &str) -> Option<Element> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open = vec![Element::default()];
    let begin = |tag: &BytesStart<'_>| Element {
        name: String::from_utf8_lossy(tag.local_name().as_ref()).into_owned(),
        ..Element::default()
    };
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => {
                if open.len() > DEPTH_MAX {
                    return None;
                }
                open.push(begin(&tag));
            }
            Event::Empty(tag) => open.last_mut()?.inside.push(begin(&tag)),
            Event::End(_) => {
                let done = open.pop()?;
                open.last_mut()?.inside.push(done);
            }
            Event::Text(text) => open.last_mut()?.text.push_str(&String::from_utf8_lossy(&text)),
            Event::CData(text) => open.last_mut()?.text.push_str(&String::from_utf8_lossy(&text)),
            Event::GeneralRef(name) => open.last_mut()?.text.push_str(&entity(&name)),
            Event::Eof => break,
            _ => {}
        }
    }
    // What was left open by a cut file is no statement.
    (open.len() == 1).then(|| open.pop())?
}

fn entity(name: &BytesRef<'_>) -> String {
    super::ofx::unescaped(&format!("&{};", String::from_utf8_lossy(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pending_entry_is_counted_and_left_out() {
        let entry = |status: &str| {
            format!(
                "<Ntry><Amt Ccy=\"EUR\">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>{status}\
                 <BookgDt><Dt>2026-01-05</Dt></BookgDt></Ntry>"
            )
        };
        let words = ["<Sts>PDNG</Sts>", "<Sts><Cd>BOOK</Cd></Sts>", "<Sts><Cd>PDNG</Cd></Sts>", ""];
        let text = format!("<Document><Stmt>{}</Stmt></Document>", words.map(entry).concat());
        let sheet = candidates(&text).expect("readable").remove(0).sheet;
        assert_eq!(sheet.pending, 2);
        assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
    }
}
