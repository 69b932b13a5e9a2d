//! The tour as a person sees it: the same each time, plain where asked, within any terminal.

use crate::support::golden::golden;
use crate::support::home::{Home, code};

/// What the tour prints on that day, in a terminal that wide.
pub fn tour(columns: &str) -> String {
    let home = Home::new();
    let mut command = home.binary(&["tour", "--plain"]);
    let output = command.env("AVENIR_MCP_TODAY", super::DAY).env("COLUMNS", columns).output().expect("the tour plays");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(code(&output), 0, "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!home.at(".local").exists(), "the user's journal is not opened");
    text
}

#[test]
fn the_tour_is_a_minutes_reading() {
    let text = tour("80");
    assert!(!text.contains('\x1b'));
    assert!(text.lines().count() <= 90, "{} lines", text.lines().count());
    golden("tour.txt", &text);
}

#[test]
fn it_fits_a_narrow_terminal() {
    for columns in [40, 60, 80] {
        for line in tour(&columns.to_string()).lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn it_has_a_story_on_any_day() {
    let home = Home::new();
    for day in ["2024-02-29", "2025-12-31", "2026-01-01", "2026-08-15"] {
        let output = home.binary(&["tour"]).env("AVENIR_MCP_TODAY", day).output().expect("the tour plays");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(code(&output), 0, "{day}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(text.matches("you tick").count(), 3, "{day}: {text}");
    }
}
