//! Owns how the tour looks: colours or none, lines that fit the terminal, bars. Never decides what is said.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use crate::text;

/// The width of a terminal that does not say.
const WIDTH_USUAL: usize = 80;
/// The narrowest and the widest that lines are laid out for.
const WIDTHS: std::ops::RangeInclusive<usize> = 32..=100;
/// Below this, a row of a table takes two lines.
const WIDTH_TABLE: usize = 64;
/// Eighths of a bar's last block.
const BLOCKS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A page that is written from top to bottom.
pub struct Page {
    colour: bool,
    width: usize,
    text: String,
}

impl Page {
    /// A page for this process's terminal; plain is without colours, as `NO_COLOR` or a pipe is.
    pub fn here(plain: bool) -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let colour = !plain && set("NO_COLOR").is_none() && std::io::stdout().is_terminal();
        let width = set("COLUMNS").and_then(|columns| columns.parse().ok()).unwrap_or(WIDTH_USUAL);
        Self::new(colour, width)
    }

    fn new(colour: bool, width: usize) -> Self {
        Self { colour, width: width.clamp(*WIDTHS.start(), *WIDTHS.end()), text: String::new() }
    }

    /// What was written.
    pub fn text(self) -> String {
        self.text
    }

    fn ink(&self, code: &str, words: &str) -> String {
        if self.colour { format!("\x1b[{code}m{words}\x1b[0m") } else { words.to_owned() }
    }

    fn paragraph(&mut self, code: &str, first: &str, indent: &str, words: &str) {
        let mut before = first;
        for line in wrapped(words, self.width.saturating_sub(indent.chars().count().max(first.chars().count()))) {
            let line = if code.is_empty() { line } else { self.ink(code, &line) };
            self.text.push_str(&format!("{before}{line}\n"));
            before = indent;
        }
    }

    /// A heading.
    pub fn title(&mut self, words: &str) {
        self.text.push('\n');
        self.paragraph("1", "", "", words);
    }

    /// What the person says.
    pub fn you(&mut self, words: &str) {
        self.text.push('\n');
        self.paragraph("36;1", "", "", &format!("You: {words}"));
    }

    /// A sentence of the answer.
    pub fn says(&mut self, words: &str) {
        self.paragraph("", "  ", "  ", words);
    }

    /// A sentence that needs attention.
    pub fn warns(&mut self, words: &str) {
        self.paragraph("31", "  ", "  ", words);
    }

    /// A step to take, with its number.
    pub fn step(&mut self, number: usize, words: &str) {
        self.paragraph("", &format!("  {number}. "), "     ", words);
    }

    /// A question that the client shows, and the person's yes.
    pub fn asks(&mut self, question: &str) {
        self.says("Your client shows:");
        let edge = self.ink("33", "  ┃ ");
        for line in question.lines() {
            let width = self.width.saturating_sub(4);
            for (at, part) in wrapped(line, width.saturating_sub(2)).into_iter().enumerate() {
                let part = if at > 0 && line.starts_with("- ") { format!("  {part}") } else { part };
                let _ = writeln!(self.text, "{edge}{part}");
            }
        }
        let edge = self.ink("33", "  ┗ ");
        let _ = writeln!(self.text, "{edge}you tick \"Confirm\"");
    }

    /// A row: a day, an amount, who, and what of it.
    pub fn row(&mut self, day: &str, amount: &str, who: &str, what: &str) {
        let row = if self.width < WIDTH_TABLE {
            let room = self.width - 4;
            format!("  {day} {amount:>10}\n    {}\n    {}\n", fit(who, room), fit(what, room))
        } else {
            let room = self.width - 26;
            let (left, right) = (room * 3 / 5, room - room * 3 / 5);
            format!("  {day} {amount:>10}  {:<left$} {}\n", fit(who, left), fit(what, right - 1))
        };
        self.text.push_str(&row);
    }

    /// A row with a bar; `share` is of the largest, from 0 to 1.
    pub fn bar(&mut self, label: &str, amount: &str, share: f64, code: &str) {
        let left = (self.width / 3).min(24);
        let room = self.width.saturating_sub(left + 14);
        let bar = self.ink(code, &blocks(share, room));
        let _ = writeln!(self.text, "{}", format!("  {:<left$} {amount:>10} {bar}", fit(label, left)).trim_end());
    }

    /// A bar of what is there.
    pub const CALM: &str = "32";
    /// A bar of what is missing.
    pub const ALARM: &str = "31";
}

fn fit(words: &str, room: usize) -> String {
    text::cut(words.into(), room).into_owned()
}

/// The words in lines of at most that many characters; a longer word is broken.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut room = width;
    for word in words.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        if rest.len() + 1 > room && room < width {
            lines.push(String::new());
            room = width;
        }
        if room < width {
            lines.iter_mut().last().into_iter().for_each(|line| line.push(' '));
            room -= 1;
        }
        while rest.len() > room {
            let next = rest.split_off(room.max(1));
            lines.iter_mut().last().into_iter().for_each(|line| line.extend(&rest));
            lines.push(String::new());
            (rest, room) = (next, width);
        }
        room -= rest.len();
        lines.iter_mut().last().into_iter().for_each(|line| line.extend(&rest));
    }
    lines
}

/// A bar of that share of the room.
fn blocks(share: f64, room: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * room as f64 * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((eighths % 8).checked_sub(1).and_then(|last| BLOCKS.get(last)));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn colours_only_where_they_are_wanted() {
        let write = |colour| {
            let mut page = Page::new(colour, 80);
            page.title("T");
            page.you("Q");
            page.warns("W");
            page.asks("A?");
            page.bar("x", "1.00", 0.5, Page::CALM);
            page.text()
        };
        assert!(write(true).contains("\x1b[36;1mYou: Q\x1b[0m"));
        assert!(!write(false).contains('\x1b'));
    }

    #[test]
    fn bars() {
        assert_eq!([0.0, 0.0626, 0.5, 1.0, 2.0].map(|share| blocks(share, 2)), ["", "▏", "█", "██", "██"]);
    }

    proptest! {
        #[test]
        fn every_line_fits_and_no_word_is_lost(words in "([a-zé]{1,50} ){0,20}", width in 0usize..200) {
            let mut page = Page::new(false, width);
            page.title(&words);
            page.you(&words);
            page.says(&words);
            page.step(1, &words);
            page.asks(&format!("{words}\n- {words}"));
            page.row("2026-01-01", "-1234.50", &words, &words);
            page.bar(&words, "-1234.50", 1.0, Page::ALARM);
            let most = page.width;
            let text = page.text();
            for line in text.lines() {
                prop_assert!(line.chars().count() <= most, "{line}");
            }
            let whole: String = words.split_whitespace().collect();
            let shown: String = wrapped(&words, most).concat().split_whitespace().collect();
            prop_assert_eq!(shown, whole);
        }
    }
}
