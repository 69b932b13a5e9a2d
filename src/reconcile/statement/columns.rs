//! Owns what each column of a table is: by its heading where the words are known, by its content always.
//! Never decides a date order, a decimal mark or a sign.

use super::day::{Order, Written, written};
use super::figure::{Figure, figure};
use super::words::{self, Role, is_out, role};
use crate::dates::Date;

/// How many ways the number columns may be meant are tried at most.
const WAYS_MAX: usize = 12;
/// How far above the first row its heading is looked for.
const ABOVE_MAX: usize = 30;

/// A cell, and what its text may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) day: Option<Written>,
    pub(super) figure: Option<Figure>,
}

impl Cell {
    pub(super) fn new(text: &str) -> Self {
        // Marks of direction stand around what is read from left to right within another script.
        let edge = |c: char| c.is_whitespace() || matches!(c, '\'' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}');
        let text = text.trim_matches(edge);
        // Excel's way to keep digits as text: ="0012".
        let text = text.strip_prefix("=\"").and_then(|t| t.strip_suffix('"')).unwrap_or(text);
        let day = written(text);
        // Eight digits in a row are a day only where the column says so.
        let figure = figure(text).filter(|_| day.is_none() || matches!(day, Some(Written::Compact(_))));
        Self { text: text.to_owned(), day, figure }
    }

    fn is_empty(&self) -> bool {
        matches!(self.text.as_str(), "" | "-" | "–" | "—" | "--" | "n/a" | "N/A" | "null")
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.is_empty() || self.figure.as_ref().is_some_and(Figure::is_zero)
    }
}

/// A table without its empty lines.
pub(super) type Table = Vec<Vec<Cell>>;

/// How the amount stands in the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Money {
    /// One column with its own sign.
    Signed(usize),
    /// A column for money out, one for money in.
    Split { debit: Option<usize>, credit: Option<usize> },
    /// An unsigned column, and a word beside it.
    Marked { size: usize, mark: usize },
}

impl Money {
    pub(super) fn columns(self) -> Vec<usize> {
        match self {
            Self::Signed(column) => vec![column],
            Self::Split { debit, credit } => debit.into_iter().chain(credit).collect(),
            Self::Marked { size, .. } => vec![size],
        }
    }
}

/// What the columns are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The first record that may be a row.
    pub(super) start: usize,
    /// The column of the booking day.
    pub(super) booked: usize,
    /// Whether its heading says that it is.
    pub(super) booked_named: bool,
    /// Another column of days.
    pub(super) other_day: Option<usize>,
    /// How the amounts may stand, with the column of the balance; the likeliest first.
    pub(super) ways: Vec<(Money, Option<usize>)>,
    /// A fee beside the amount.
    pub(super) fee: Option<usize>,
    /// Who; the first that is not empty counts.
    pub(super) payee: Vec<usize>,
    /// What for.
    pub(super) memo: Vec<usize>,
    /// Whose account, in which currency, where the rows differ in it.
    pub(super) account: Vec<usize>,
    /// Whether nothing but the balances can say which column is the amount.
    pub(super) unsure: bool,
    /// Whether a second table follows, with other columns.
    pub(super) another: bool,
    /// How many records look like rows.
    pub(super) rows: usize,
}

/// What a column holds, counted over the records that look like rows.
#[derive(Clone, Default)]
struct Count {
    filled: usize,
    days: usize,
    figures: usize,
    references: usize,
    negative: usize,
    outs: usize,
    distinct: std::collections::BTreeSet<String>,
}

/// Finds the layout; `None` when no column holds days or none amounts.
pub(super) fn layout(table: &Table, near: Date) -> Option<Layout> {
    let width = table.iter().map(Vec::len).max()?;
    let like_row = |record: &[Cell]| {
        let days = record.iter().filter(|cell| cell.day.is_some()).count();
        days > 0 && record.iter().any(|cell| cell.figure.is_some() && (cell.day.is_none() || days > 1))
    };
    let body: Vec<&Vec<Cell>> = table.iter().filter(|record| like_row(record)).collect();
    let counts = counted(&body, width);
    let days: Vec<usize> = (0..width).filter(|at| is_day(&body, &counts, *at, near)).collect();
    let numbers: Vec<usize> = (0..width).filter(|at| !days.contains(at) && is_number(counts.get(*at))).collect();
    if days.is_empty() || numbers.is_empty() {
        return None;
    }
    let in_rows = |record: &[Cell]| {
        let has =
            |columns: &[usize], test: fn(&Cell) -> bool| columns.iter().any(|at| record.get(*at).is_some_and(test));
        has(&days, |cell| cell.day.is_some()) && has(&numbers, |cell| cell.figure.is_some())
    };
    let first = table.iter().position(|record| in_rows(record))?;
    let (heading, roles) = roles(table, first, &days, &numbers);
    let find = |test: &dyn Fn(Role) -> bool| roles.iter().position(|r| r.is_some_and(test));
    let ranked = |rank: &dyn Fn(Role) -> Option<u8>| {
        let mut ranked: Vec<(u8, usize)> =
            roles.iter().enumerate().filter_map(|(at, r)| Some((rank((*r)?)?, at))).collect();
        ranked.sort_by_key(|(rank, at)| (std::cmp::Reverse(*rank), *at));
        ranked
    };
    let named_days = ranked(&|role| if let Role::Day(rank) = role { Some(rank) } else { None });
    let value_day = find(&|role| role == Role::ValueDay);
    let booked_named = named_days.first().map(|(_, at)| *at);
    let spare = || days.iter().copied().find(|at| Some(*at) != value_day);
    let booked = booked_named.or_else(spare).or(value_day)?;
    let other_day = value_day.into_iter().chain(days.iter().copied()).find(|at| *at != booked);
    let balance = find(&|role| role == Role::Balance);
    let fee = find(&|role| role == Role::Fee);
    let free: Vec<usize> = numbers.iter().copied().filter(|at| roles.get(*at).is_none_or(Option::is_none)).collect();
    let named_money = |r: &Option<Role>| matches!(r, Some(Role::Amount(1..) | Role::Debit | Role::Credit));
    let plain = |at: &&usize| counts.get(**at).is_some_and(|c| c.references * 2 <= c.figures);
    let below = |at: &&usize| counts.get(**at).is_some_and(|c| c.negative > 0);
    let unsure = !roles.iter().any(named_money)
        && free.iter().filter(plain).count() > 1
        && free.iter().filter(plain).filter(below).count() != 1;
    let ways = ways(&body, &counts, &free, balance, &|wanted| {
        ranked(&|role| match (role, wanted) {
            (Role::Amount(rank), Role::Amount(_)) => Some(rank),
            (role, wanted) => (role == wanted).then_some(1),
        })
    });
    let texts: Vec<usize> = (0..width)
        .filter(|at| !days.contains(at) && !numbers.contains(at) && counts.get(*at).is_some_and(|c| c.filled > 0))
        .collect();
    let (payee, memo) = who(&roles, &counts, &texts);
    let distinct = |at: usize| counts.get(at).map_or(0, |count| count.distinct.len());
    let owned = roles.iter().enumerate().filter(|(at, r)| match r {
        Some(Role::Account) => distinct(*at) > 1 && distinct(*at) * 2 <= body.len(),
        Some(Role::Currency) => distinct(*at) > 1,
        _ => false,
    });
    Some(Layout {
        start: first,
        booked,
        booked_named: booked_named.is_some(),
        unsure,
        another: has_another(table, heading, first),
        other_day,
        fee,
        payee,
        memo,
        account: owned.map(|(at, _)| at).collect(),
        rows: table.iter().filter(|record| in_rows(record)).count(),
        ways,
    })
}

fn counted(body: &[&Vec<Cell>], width: usize) -> Vec<Count> {
    let mut counts = vec![Count::default(); width];
    for record in body {
        for (count, cell) in counts.iter_mut().zip(record.iter()) {
            let sided = is_out(&cell.text).is_some();
            if cell.is_empty() && !sided {
                continue;
            }
            count.outs += usize::from(sided);
            count.filled += 1;
            count.days += usize::from(cell.day.is_some());
            if let Some(figure) = &cell.figure {
                count.figures += 1;
                count.references += usize::from(figure.is_reference());
                count.negative += usize::from(figure.is_negative());
            }
            if count.distinct.len() < 2_000 {
                count.distinct.insert(cell.text.clone());
            }
        }
    }
    counts
}

/// Most of its cells are days, in one order.
fn is_day(body: &[&Vec<Cell>], counts: &[Count], at: usize, near: Date) -> bool {
    // A last line with a balance or a sum may have a word there, in however short a file.
    let mostly = |c: &&Count| c.days > 0 && (c.days * 10 >= c.filled * 9 || (c.days >= 3 && c.filled - c.days == 1));
    let Some(count) = counts.get(at).filter(mostly) else { return false };
    if count.days * 2 < body.len() {
        return false;
    }
    let fits = |order: &Order| {
        let written = body.iter().filter_map(|record| record.get(at)?.day);
        written.filter(|day| day.day(*order, near).is_some()).count() * 10 >= count.days * 9
    };
    Order::ALL.iter().any(fits)
}

fn is_number(count: Option<&Count>) -> bool {
    // A lone "-" counts as empty among numbers.
    count.is_some_and(|c| c.figures > 0 && (c.figures + c.outs) * 10 >= c.filled * 9)
}

/// The heading and the roles that it gives, where the content does not contradict them.
fn roles(table: &Table, first: usize, days: &[usize], numbers: &[usize]) -> (Option<usize>, Vec<Option<Role>>) {
    let fitting = |record: &Vec<Cell>| -> Vec<Option<Role>> {
        let fits = |(at, cell): (usize, &Cell)| {
            let (day, number) = (days.contains(&at), numbers.contains(&at));
            match role(&cell.text)? {
                Role::Day(_) | Role::ValueDay if day => role(&cell.text),
                Role::ValueDay if number => Some(Role::Amount(2)),
                Role::ValueDay if words::fold(&cell.text) == "valuta" => Some(Role::Currency),
                Role::Day(_) | Role::ValueDay => None,
                Role::Amount(_) | Role::Debit | Role::Credit | Role::Balance | Role::Fee if number => role(&cell.text),
                Role::Amount(_) | Role::Debit | Role::Credit | Role::Balance | Role::Fee => None,
                Role::Account => role(&cell.text),
                _ if day || number => None,
                known => Some(known),
            }
        };
        record.iter().enumerate().map(fits).collect()
    };
    // The nearest of the best: `max_by_key` keeps the last of equals.
    let above = table.iter().enumerate().take(first).skip(first.saturating_sub(ABOVE_MAX));
    let known = |(_, roles): &(usize, Vec<Option<Role>>)| roles.iter().flatten().count();
    let best = above.map(|(at, record)| (at, fitting(record))).max_by_key(known);
    best.filter(|best| known(best) >= 2).map_or((None, Vec::new()), |(at, roles)| (Some(at), roles))
}

/// Whether another heading follows, with its columns in another order.
fn has_another(table: &Table, heading: Option<usize>, first: usize) -> bool {
    let named = |record: &Vec<Cell>| -> Vec<Option<Role>> { record.iter().map(|cell| role(&cell.text)).collect() };
    let Some(own) = heading.and_then(|at| table.get(at)).map(named) else { return false };
    let is_heading = |record: &&Vec<Cell>| {
        let has = |test: fn(Role) -> bool| named(record).into_iter().flatten().any(test);
        record.iter().all(|cell| cell.day.is_none() && cell.figure.is_none())
            && has(|role| matches!(role, Role::Day(_) | Role::ValueDay))
            && has(|role| matches!(role, Role::Amount(_) | Role::Debit | Role::Credit))
    };
    table.iter().skip(first).filter(is_heading).any(|record| named(record) != own)
}

/// The ways the number columns may be meant.
fn ways(
    body: &[&Vec<Cell>],
    counts: &[Count],
    free: &[usize],
    balance: Option<usize>,
    ranked: &dyn Fn(Role) -> Vec<(u8, usize)>,
) -> Vec<(Money, Option<usize>)> {
    let mark = |size: usize| {
        let unsigned = counts.get(size).is_some_and(|count| count.negative == 0);
        let worded =
            |count: &Count| count.outs > 0 && count.outs == count.filled && count.filled * 20 >= body.len() * 19;
        unsigned.then(|| counts.iter().position(worded)).flatten()
    };
    let one = |size: usize| mark(size).map_or(Money::Signed(size), |mark| Money::Marked { size, mark });
    let (debit, credit, amounts) = (ranked(Role::Debit), ranked(Role::Credit), ranked(Role::Amount(0)));
    let first = |ranked: &[(u8, usize)]| ranked.first().map(|(_, at)| *at);
    let mut moneys = Vec::new();
    if let (Some(debit), Some(credit)) = (first(&debit), first(&credit)) {
        moneys.push(Money::Split { debit: Some(debit), credit: Some(credit) });
    } else if let Some((best, _)) = amounts.first().filter(|(rank, _)| *rank > 0) {
        moneys.extend(amounts.iter().filter(|(rank, _)| rank == best).map(|(_, at)| one(*at)));
    } else if !debit.is_empty() || !credit.is_empty() {
        moneys.push(Money::Split { debit: first(&debit), credit: first(&credit) });
    }
    let known = !moneys.is_empty();
    if !known {
        let apart = |a: usize, b: usize| {
            let nothing = |record: &Vec<Cell>, at: usize| record.get(at).is_none_or(Cell::is_nothing);
            body.iter().all(|record| nothing(record, a) || nothing(record, b))
        };
        for a in free {
            moneys.extend(
                free.iter()
                    .filter(|b| *b != a && apart(*a, **b))
                    .map(|b| Money::Split { debit: Some(*a), credit: Some(*b) }),
            );
        }
        // A column that goes below zero is an amount before one that does not; references come last.
        let mut single: Vec<usize> = free.to_vec();
        let weight = |at: &usize| {
            counts.get(*at).map_or(2, |c| if c.references * 2 > c.figures { 2 } else { usize::from(c.negative == 0) })
        };
        single.sort_by_key(weight);
        moneys.extend(single.into_iter().map(one));
    }
    let mut ways: Vec<(Money, Option<usize>)> = Vec::new();
    for money in moneys {
        let taken = money.columns();
        if balance.is_some() {
            ways.push((money, balance));
            continue;
        }
        ways.push((money, None));
        ways.extend(free.iter().filter(|at| !taken.contains(at)).map(|at| (money, Some(*at))));
    }
    ways.truncate(WAYS_MAX);
    ways
}

/// The columns of who and of what for.
fn who(roles: &[Option<Role>], counts: &[Count], texts: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let rank = |at: &usize| match roles.get(*at).copied().flatten() {
        Some(Role::Payee(rank)) => Some(rank),
        _ => None,
    };
    let sides = |at: &usize| counts.get(*at).is_some_and(|count| count.outs == count.filled);
    let mut payee: Vec<usize> = texts.iter().copied().filter(|at| rank(at).is_some() && !sides(at)).collect();
    payee.sort_by_key(|at| (std::cmp::Reverse(rank(at)), *at));
    let mut memo: Vec<usize> =
        texts.iter().copied().filter(|at| roles.get(*at).copied().flatten() == Some(Role::Memo)).collect();
    if payee.is_empty() && memo.is_empty() {
        // Without headings, the text that differs most says who.
        let plain = |at: &&usize| {
            roles.get(**at).is_none_or(Option::is_none) && counts.get(**at).is_some_and(|c| c.outs < c.filled)
        };
        payee = texts.iter().filter(plain).copied().collect();
        payee.sort_by_key(|at| std::cmp::Reverse(counts.get(*at).map_or(0, |count| count.distinct.len())));
    } else if payee.is_empty() {
        payee = memo.split_off(0);
    }
    (payee, memo)
}
