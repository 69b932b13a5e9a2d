//! Owns how text written by banks and users is shown: safe, on one line, not too long.
//! Never changes what is sent to YNAB or matched against it.

use std::borrow::Cow;

/// How many characters of a bank's or user's text are shown.
pub const SHOWN_MAX: usize = 80;
/// How many lines a question shows before it counts the rest.
pub const LINES_MAX: usize = 20;

/// Unicode's format characters (general category Cf), Unicode 16.
const FORMAT: [(u32, u32); 21] = [
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
];

/// Scripts whose words need a joiner or a non-joiner: Arabic and Syriac to N'Ko, Indic to Tibetan, Myanmar, Khmer,
/// Mongolian, and the Arabic presentation forms.
const JOINED: [(u32, u32); 7] = [
    (0x0600, 0x08FF),
    (0x0900, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x18AF),
    (0xA840, 0xA9FF),
    (0xAA60, 0xAAFF),
    (0xFB50, 0xFDFF),
];

/// Emoji and the signs that follow one.
const EMOJI: [(u32, u32); 9] = [
    (0x00A9, 0x00AE),
    (0x203C, 0x2049),
    (0x2122, 0x2139),
    (0x2190, 0x21FF),
    (0x2300, 0x27BF),
    (0x2900, 0x2BFF),
    (0x3030, 0x3299),
    (0xFE0F, 0xFE0F),
    (0x1F000, 0x1FAFF),
];

fn within(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}

/// Whether the character is one of Unicode's format characters.
pub fn is_format(c: char) -> bool {
    within(&FORMAT, c)
}

/// Whether a joiner between these two belongs to the text: letters of one script that joins, or two emoji.
fn joins(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let letters = within(&JOINED, before) && within(&JOINED, after) && !is_format(before) && !is_format(after);
    letters || (joiner == '\u{200D}' && within(&EMOJI, before) && within(&EMOJI, after))
}

/// Whether a character breaks a line or is a control.
fn is_break(c: char) -> bool {
    c.is_control() || c == '\u{2028}' || c == '\u{2029}'
}

/// The text on one line, without what is not seen: format characters dropped (a joiner that its letters or emoji need
/// stays), controls and separators turned into spaces, runs of spaces collapsed. Not shortened.
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !c.is_control() && (c == ' ' || !c.is_whitespace()) && !is_format(c);
    if text.chars().all(plain) && !text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' ') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_format(c) {
            if matches!(c, '\u{200C}' | '\u{200D}') && joins(before, c, chars.peek().copied()) {
                shown.push(c);
            }
        } else if is_break(c) || c.is_whitespace() {
            if !shown.is_empty() && !shown.ends_with(' ') {
                shown.push(' ');
            }
            before = Some(' ');
        } else {
            shown.push(c);
            before = Some(c);
        }
    }
    while shown.ends_with(' ') {
        shown.pop();
    }
    Cow::Owned(shown)
}

/// The text as an answer or a question shows it: [`clean`], and at most [`SHOWN_MAX`] characters, cut with `…`.
pub fn safe(text: &str) -> Cow<'_, str> {
    cut(clean(text), SHOWN_MAX)
}

/// At most `count` characters, the last one `…` where something was cut.
pub fn cut(text: Cow<'_, str>, count: usize) -> Cow<'_, str> {
    if text.len() <= count || text.chars().count() <= count {
        return text;
    }
    let mut shown: String = text.chars().take(count.saturating_sub(1)).collect();
    while shown.ends_with(' ') {
        shown.pop();
    }
    shown.push('…');
    Cow::Owned(shown)
}

/// A question: its first line, then at most [`LINES_MAX`] lines, then how many more there are.
pub fn with_lines(first: &str, lines: &[String]) -> String {
    let mut question = first.to_owned();
    for line in lines.iter().take(LINES_MAX) {
        question.push_str("\n- ");
        question.push_str(line);
    }
    if lines.len() > LINES_MAX {
        question.push_str(&format!("\n- … and {} more", lines.len() - LINES_MAX));
    }
    question
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_seen_is_dropped() {
        assert_eq!(safe("Gym\u{200B}Club"), "GymClub");
        assert_eq!(safe("Shop\u{202E}txt.exe"), "Shoptxt.exe");
        assert_eq!(safe("a\n- b\u{2028}c\t d"), "a - b c d");
        assert_eq!(safe("  spaced   out "), "spaced out");
        assert_eq!(safe("no\u{00A0}break"), "no break");
    }

    #[test]
    fn joiners_that_belong_to_the_text_stay() {
        let family = "👨\u{200D}👩\u{200D}👧";
        assert_eq!(safe(family), family);
        let persian = "می\u{200C}خواهم";
        assert_eq!(safe(persian), persian);
        assert_eq!(safe("pay\u{200D}pal"), "paypal");
        assert_eq!(safe("\u{200D}x\u{200C}"), "x");
    }

    #[test]
    fn long_text_is_cut_at_eighty() {
        let long = "é".repeat(200);
        let shown = safe(&long);
        assert_eq!(shown.chars().count(), SHOWN_MAX);
        assert!(shown.ends_with('…'));
        let exact = "é".repeat(80);
        assert_eq!(safe(&exact), exact);
    }

    #[test]
    fn a_question_counts_what_it_does_not_show() {
        let lines: Vec<String> = (0..23).map(|n| format!("line {n}")).collect();
        let question = with_lines("Sure?", &lines);
        assert_eq!(question.lines().count(), 22);
        assert!(question.ends_with("- … and 3 more"));
    }

    proptest! {
        #[test]
        fn safe_is_one_short_visible_line(text in "\\PC*|.*") {
            let shown = safe(&text).into_owned();
            prop_assert!(shown.chars().count() <= SHOWN_MAX);
            prop_assert!(!shown.chars().any(is_break));
            prop_assert!(!shown.contains("  "));
            prop_assert_eq!(safe(&shown).into_owned(), shown.clone());
        }
    }
}
