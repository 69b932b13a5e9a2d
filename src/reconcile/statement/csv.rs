//! Owns CSV: its delimiter, its rows, and the balances and dates that stand around them.
//! Never decides between two readings that both hold; it lists them.

use std::sync::Arc;

use super::columns::{Cell, Layout, Money, Table, layout};
use super::day::{Order, written};
use super::figure::{Figure, Mark, figure};
use super::proof::chain;
use super::words::{Named, balance_alone, balance_named, fold, is_out, is_pending, is_sum};
use super::{Candidate, Known, ReadAs, Row, Sheet, Sign, Stand, gathered, readings};
use crate::dates::Date;
use crate::error::Refusal;
use crate::money::Milliunits;
use crate::refuse;

/// Delimiters that are tried, the commonest first.
const DELIMITERS: [u8; 8] = *b";,\t|~^:\x1F";
/// How many lines decide which delimiters are tried.
const LINES_TRIED: usize = 200;

/// Every reading that the whole file allows.
pub(super) fn candidates(text: &str, told: &ReadAs, known: &Known) -> Result<Vec<Candidate>, Refusal> {
    let (delimiter, table, layout) = table(text, told, known).ok_or_else(|| {
        refuse!("No column of dates with one of amounts was found, so this is no bank statement that can be read here.")
    })?;
    if layout.another {
        return Err(refuse!("This CSV file holds several tables with other columns. Give one of them alone."));
    }
    let read_as = ReadAs { delimiter: Some(char::from(delimiter).to_string()), ..ReadAs::default() };
    let file = File { table, layout, known };
    let mut best: (f64, Vec<Candidate>) = (-1.0, Vec::new());
    let mut refused = None;
    for way in &file.layout.ways {
        let found = match file.read(*way, &read_as) {
            Ok(found) => found,
            Err(refusal) => {
                refused = refused.or(Some(refusal));
                continue;
            }
        };
        // A balance that does not follow the amounts is none; the first way that holds best is meant.
        let proof = found.iter().filter_map(|c| chain(&c.sheet.rows).map(|chain| chain.share())).fold(0.0, f64::max);
        let proof = if way.1.is_some() && proof < 0.5 && file.layout.ways.len() > 1 { -0.5 } else { proof };
        if !found.is_empty() && proof > best.0 {
            best = (proof, found);
        }
    }
    if file.layout.unsure && best.0 <= 0.0 {
        return Err(refuse!(
            "This CSV file has several columns of numbers, and nothing says which is the amount. Add headings."
        ));
    }
    match (best.1.is_empty(), refused) {
        (false, _) => Ok(best.1),
        (true, Some(refusal)) => Err(refusal),
        (true, None) => {
            Err(refuse!("No order of day, month and year fits every row of this CSV file. Export it again."))
        }
    }
}

/// The table under the delimiter that gives most rows.
fn table(text: &str, told: &ReadAs, known: &Known) -> Option<(u8, Table, Layout)> {
    let (declared, text) = match text.split_once(['\n', '\r']) {
        Some((first, rest)) if first.to_ascii_lowercase().trim_matches('"').starts_with("sep=") => {
            (first.trim_matches('"').as_bytes().get(4).copied(), rest)
        }
        _ => (None, text),
    };
    let asked = told.delimiter.as_deref().and_then(|d| d.bytes().next()).filter(u8::is_ascii);
    let tried: Vec<u8> = match asked.or(declared.filter(|_| told.delimiter.is_none())) {
        Some(one) => vec![one],
        None => DELIMITERS.into_iter().filter(|delimiter| is_common(text, *delimiter)).collect(),
    };
    let mut best: Option<(u8, Table, Layout)> = None;
    for delimiter in tried {
        for quoting in [true, false] {
            let table = records(text, delimiter, quoting);
            if let Some(found) = layout(&table, known.today)
                && best.as_ref().is_none_or(|(_, _, layout)| found.rows > layout.rows)
            {
                best = Some((delimiter, table, found));
            }
            // Without a quote in the text both are the same.
            if !text.contains('"') {
                break;
            }
        }
    }
    best
}

fn is_common(text: &str, delimiter: u8) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_TRIED);
    let (with, all) =
        lines.fold((0, 0), |(with, all), line| (with + usize::from(line.as_bytes().contains(&delimiter)), all + 1));
    with * 3 >= all && with > 0
}

fn records(text: &str, delimiter: u8, quoting: bool) -> Table {
    let escape = (text.contains("\\\"") && !text.contains("\"\"")).then_some(b'\\');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(quoting)
        .escape(escape)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut table = Table::new();
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let cells: Vec<Cell> =
            record.iter().map(|cell| Cell::new(String::from_utf8_lossy(cell).trim_matches(['"', ' ']))).collect();
        if cells.iter().any(|cell| !cell.text.is_empty()) {
            table.push(cells);
        }
    }
    table
}

/// A table with what its columns are.
struct File<'a> {
    table: Table,
    layout: Layout,
    known: &'a Known,
}

/// One way to read every cell.
#[derive(Clone, Copy)]
struct Way {
    order: Order,
    mark: Mark,
    money: Money,
    balance: Option<usize>,
}

/// A record of the table that stands for something.
enum Line<'a> {
    /// A booked row.
    Row(&'a [Cell]),
    /// An entry the bank has not booked.
    Pending,
    /// A balance in the place of a row.
    Balance(&'a [Cell], Named),
}

impl File<'_> {
    /// Every reading of the amounts in these columns.
    fn read(&self, (money, balance): (Money, Option<usize>), read_as: &ReadAs) -> Result<Vec<Candidate>, Refusal> {
        let lines = self.lines(money)?;
        let rows = || lines.iter().filter_map(|line| if let Line::Row(cells) = line { Some(*cells) } else { None });
        let columns: Vec<usize> = money.columns().into_iter().chain(balance).collect();
        let figures: Vec<&Figure> =
            rows().flat_map(|cells| columns.iter().filter_map(|at| cells.get(*at)?.figure.as_ref())).collect();
        let marks = Mark::ALL.into_iter().filter(|mark| figures.iter().all(|f| f.value(*mark).is_some()));
        let orders: Vec<Order> = Order::ALL
            .into_iter()
            .filter(|order| rows().all(|cells| self.day(cells, self.layout.booked, *order).is_some()))
            .collect();
        let mut found = Vec::new();
        for mark in marks {
            for order in &orders {
                let way = Way { order: *order, mark, money, balance };
                for sign in [Sign::AsWritten, Sign::Inverted] {
                    let read_as = ReadAs {
                        date_order: Some(*order),
                        decimal_mark: Some(mark),
                        sign: Some(sign),
                        ..read_as.clone()
                    };
                    let sheets = self.sheets(&lines, way, sign);
                    let likely = sheets.iter().all(|sheet| self.is_likely(sheet, money, sign));
                    found.extend(readings(&read_as, sheets, likely));
                }
            }
        }
        if found.is_empty() && !orders.is_empty() {
            return Err(refuse!(
                "The amounts of this CSV file are written in more than one way, so none can be trusted."
            ));
        }
        Ok(found)
    }

    /// The records that stand for something, from the first row on.
    fn lines(&self, money: Money) -> Result<Vec<Line<'_>>, Refusal> {
        let (mut lines, mut number, mut undated) = (Vec::new(), 0, false);
        let has = |cells: &[Cell], at: usize, test: fn(&Cell) -> bool| cells.get(at).is_some_and(test);
        for cells in self.table.iter().skip(self.layout.start) {
            let dated = has(cells, self.layout.booked, |cell| cell.day.is_some());
            let sized = money.columns().iter().any(|at| has(cells, *at, |cell| cell.figure.is_some()));
            let other = self.layout.other_day.is_some_and(|at| has(cells, at, |cell| cell.day.is_some()));
            let label = self.label(cells);
            if let Some(named) = balance_alone(&label).filter(|_| dated || sized) {
                lines.push(Line::Balance(cells, named));
            } else if !sized {
                // A date without an amount is a note; with text where the amount belongs it is damage.
                let damaged = |at: &usize| {
                    has(cells, *at, |cell| cell.text.len() > 1 && cell.text.contains(|c: char| c.is_ascii_digit()))
                };
                if dated && money.columns().iter().any(damaged) {
                    return Err(refuse!("The amount of row {} in this CSV file cannot be read.", number + 1));
                }
            } else if self.is_pending(cells) || (!dated && other && self.layout.booked_named) {
                lines.push(Line::Pending);
            } else if dated && undated {
                return Err(refuse!(
                    "After row {number} of this CSV file comes an amount with no date. Give each row its date."
                ));
            } else if dated {
                number += 1;
                lines.push(Line::Row(cells));
            } else {
                undated |=
                    !is_sum(&label) && money.columns().iter().any(|at| has(cells, *at, |cell| !cell.is_nothing()));
            }
        }
        Ok(lines)
    }

    fn is_pending(&self, cells: &[Cell]) -> bool {
        let told = |at: usize| self.layout.payee.contains(&at) || self.layout.memo.contains(&at);
        cells.iter().enumerate().any(|(at, cell)| !told(at) && is_pending(&cell.text))
    }

    fn label(&self, cells: &[Cell]) -> String {
        let texts = self.layout.payee.iter().chain(&self.layout.memo).filter_map(|at| cells.get(*at));
        texts.map(|cell| cell.text.as_str()).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    }

    fn day(&self, cells: &[Cell], at: usize, order: Order) -> Option<Date> {
        cells.get(at)?.day?.day(order, self.known.today)
    }

    fn value(&self, cells: &[Cell], at: usize, mark: Mark) -> Option<Milliunits> {
        cells.get(at)?.figure.as_ref()?.value(mark)
    }

    fn sheets(&self, lines: &[Line<'_>], way: Way, sign: Sign) -> Vec<Sheet> {
        let (mut parts, mut number) = (Vec::new(), 0);
        let debits_negative = self.are_debits_negative(lines, way);
        for line in lines {
            let mut part = Sheet::default();
            match line {
                Line::Pending => part.pending = 1,
                Line::Balance(cells, named) => {
                    let columns = way.balance.into_iter().chain(way.money.columns());
                    let amount = columns.filter_map(|at| self.value(cells, at, way.mark)).next();
                    let date = self.day(cells, self.layout.booked, way.order);
                    let stand = amount.map(|amount| Stand { date, amount });
                    if *named == Named::Opening { part.opening = stand } else { part.closing = stand }
                }
                Line::Row(cells) => {
                    number += 1;
                    let amount = self.amount(cells, way, debits_negative);
                    let amount = if sign == Sign::Inverted { -amount } else { amount };
                    part.rows.extend(self.row(cells, number, amount, way));
                }
            }
            if self.layout.account.is_empty() {
                parts.push(part);
                continue;
            }
            if let Line::Row(cells) = line {
                let key = self.layout.account.iter().filter_map(|at| cells.get(*at)).map(|cell| cell.text.as_str());
                part.account = Some(key.collect::<Vec<_>>().join(" ").into());
                parts.push(part);
            }
        }
        let mut sheets = gathered(parts);
        for sheet in &mut sheets {
            leave_out_sum(sheet);
            self.take_fees(sheet, lines, way);
            self.settle_balances(sheet, way);
        }
        sheets
    }

    fn row(&self, cells: &[Cell], number: usize, amount: Milliunits, way: Way) -> Option<Row> {
        let date = self.day(cells, self.layout.booked, way.order)?;
        let other = self.layout.other_day.and_then(|at| self.day(cells, at, way.order)).filter(|other| *other != date);
        let filled = |columns: &[usize]| -> Vec<&str> {
            columns
                .iter()
                .filter_map(|at| cells.get(*at))
                .map(|cell| cell.text.as_str())
                .filter(|t| !t.is_empty())
                .collect()
        };
        let who = filled(&self.layout.payee);
        let mut memo: Vec<&str> = who.iter().skip(1).copied().collect();
        memo.extend(filled(&self.layout.memo));
        let payee = if who.is_empty() { memo.first() } else { who.first() };
        Some(Row {
            number,
            date,
            other_date: other,
            amount,
            payee: Arc::from(payee.copied().unwrap_or_default()),
            memo: memo.join(" ").into(),
            balance: way.balance.and_then(|at| self.value(cells, at, way.mark)),
        })
    }

    /// The amount as the columns give it: out is negative.
    fn amount(&self, cells: &[Cell], way: Way, debits_negative: bool) -> Milliunits {
        let value = |at: usize| self.value(cells, at, way.mark).unwrap_or_default();
        match way.money {
            Money::Signed(at) => value(at),
            Money::Split { debit, credit } => {
                let out = debit.map_or(Milliunits::ZERO, value);
                let into = credit.map_or(Milliunits::ZERO, value);
                into + if debits_negative { out } else { -out }
            }
            Money::Marked { size, mark } => {
                let out = cells.get(mark).and_then(|cell| is_out(&cell.text)).unwrap_or_default();
                if out { -value(size) } else { value(size) }
            }
        }
    }

    /// Whether the column of money out already carries the minus: most of its cells do.
    fn are_debits_negative(&self, lines: &[Line<'_>], way: Way) -> bool {
        let Money::Split { debit: Some(debit), .. } = way.money else { return false };
        let signs = lines.iter().map(|line| match line {
            Line::Row(cells) => self.value(cells, debit, way.mark).map_or(0, |value| value.get().signum()),
            _ => 0,
        });
        signs.sum::<i64>() < 0
    }

    /// A fee beside the amount belongs to it when the balances say so.
    fn take_fees(&self, sheet: &mut Sheet, lines: &[Line<'_>], way: Way) {
        let Some(fee) = self.layout.fee else { return };
        let cells: Vec<&[Cell]> =
            lines.iter().filter_map(|line| if let Line::Row(cells) = line { Some(*cells) } else { None }).collect();
        let mut with: Vec<Row> = sheet.rows.clone();
        for row in &mut with {
            let fee = cells.get(row.number - 1).and_then(|cells| self.value(cells, fee, way.mark)).unwrap_or_default();
            row.amount -= fee.abs();
        }
        let share = |rows: &[Row]| chain(rows).map_or(0.0, |chain| chain.share());
        if share(&with) > share(&sheet.rows) {
            sheet.rows = with;
        }
    }

    /// The opening and closing balance: of the column, else of a heading where it is clear.
    fn settle_balances(&self, sheet: &mut Sheet, way: Way) {
        if self.known.debt && sheet.rows.iter().any(|row| row.balance.is_some()) {
            // What is owed may be written without its minus: the sign that follows the amounts is meant.
            let mut owed = sheet.rows.clone();
            for row in &mut owed {
                row.balance = row.balance.map(|balance| -balance);
            }
            let share = |rows: &[Row]| chain(rows).map_or(0.0, |chain| chain.share());
            if share(&owed) > share(&sheet.rows) {
                sheet.rows = owed;
            }
        }
        if let Some(chain) = chain(&sheet.rows).filter(|chain| chain.share() >= 0.5 || chain.links == 0) {
            sheet.opening = sheet.opening.or(Some(Stand { date: None, amount: chain.opening }));
            sheet.closing = sheet.closing.or(Some(Stand { date: None, amount: chain.closing }));
        }
        let days = || sheet.rows.iter().map(|row| row.date);
        let Some((first, last)) = days().min().zip(days().max()) else { return };
        for cells in self.table.iter().take(self.layout.start).chain(self.below()) {
            let around = Around::new(cells, way, self.known.today);
            if let [from, to] = around.days.as_slice()
                && *from <= first
                && *to >= last
            {
                (sheet.from, sheet.to) = (Some(*from), Some(*to));
            }
            let (Some(amount), Some(named)) = (around.amount, balance_named(&around.label)) else { continue };
            let date = around.days.last().copied();
            // A word that may be either, such as "Saldo", needs a day that says which.
            let opening = match (named, date) {
                (Named::Opening, _) => true,
                (Named::Closing, _) => false,
                (Named::Either, Some(date)) if date < first => true,
                (Named::Either, Some(date)) if date >= last => false,
                (Named::Either, _) => continue,
            };
            let amount = self.known.as_owed(amount);
            let place = if opening { &mut sheet.opening } else { &mut sheet.closing };
            *place = place.or(Some(Stand { date, amount }));
        }
    }

    /// The records below the first row that are no rows.
    fn below(&self) -> impl Iterator<Item = &Vec<Cell>> {
        let booked = self.layout.booked;
        let rows = self.table.iter().skip(self.layout.start);
        rows.filter(move |cells| cells.get(booked).is_none_or(|cell| cell.day.is_none()))
    }

    /// Whether this sign needs no proof.
    fn is_likely(&self, sheet: &Sheet, money: Money, sign: Sign) -> bool {
        if !matches!(money, Money::Signed(_)) {
            return sign == Sign::AsWritten;
        }
        let closing = sheet.closing.map_or(Milliunits::ZERO, |closing| closing.amount);
        if self.known.debt && self.known.balance.is_negative() && !closing.is_zero() {
            return closing.is_negative();
        }
        let out = sheet.rows.iter().filter(|row| row.amount.is_negative()).count();
        let into = sheet.rows.iter().filter(|row| row.amount.is_positive()).count();
        // Of a debt, what is spent outweighs what is paid back; elsewhere only a file without any minus is in doubt.
        sign == Sign::AsWritten || if self.known.debt { out > into } else { out > 0 && into == 0 }
    }
}

/// A last row that is called a sum, and is that of the others, is no row.
fn leave_out_sum(sheet: &mut Sheet) {
    let sum = sheet.sum();
    let is_it = |row: &mut Row| is_sum(&row.payee) && sum - row.amount == row.amount;
    if sheet.rows.len() > 2 {
        sheet.rows.pop_if(is_it);
    }
}

/// What a record around the rows says.
struct Around {
    /// Its words, folded, without days and amounts.
    label: String,
    days: Vec<Date>,
    amount: Option<Milliunits>,
}

impl Around {
    fn new(cells: &[Cell], way: Way, near: Date) -> Self {
        let mut around = Self { label: String::new(), days: Vec::new(), amount: None };
        let mut label = Vec::new();
        for cell in cells.iter().filter(|cell| !cell.text.is_empty()) {
            if let Some(day) = cell.day.and_then(|day| day.day(way.order, near)) {
                around.days.push(day);
            } else if let Some(amount) = cell.figure.as_ref().and_then(|figure| figure.value(way.mark)) {
                around.amount = around.amount.or(Some(amount));
            } else {
                let mut words: Vec<&str> = Vec::new();
                for word in cell.text.split_whitespace() {
                    let bare = word.trim_matches(['(', ')', ':', ',', ';']);
                    match written(bare).and_then(|day| day.day(way.order, near)) {
                        Some(day) => around.days.push(day),
                        None => words.push(word),
                    }
                }
                // The amount is what stands from the first digit on: "Solde au 31/01/2026 : 1 234,56 €".
                let start =
                    words.iter().position(|word| word.contains(|c: char| c.is_ascii_digit())).unwrap_or(words.len());
                let start = start - usize::from(start > 0 && matches!(words.get(start - 1), Some(&"-" | &"−" | &"–")));
                let tail = words.get(start..).unwrap_or_default().join(" ");
                let tail = tail.rsplit(':').next().unwrap_or_default();
                match figure(tail).and_then(|figure| figure.value(way.mark)) {
                    Some(amount) => {
                        around.amount = around.amount.or(Some(amount));
                        label.extend(words.into_iter().take(start));
                    }
                    None => label.extend(words),
                }
            }
        }
        around.label = fold(&label.join(" "));
        around
    }
}
