//! The README against the program: its exchanges, its reference and its settings are what the program says today.
//! `UPDATE=1 cargo test` writes the exchanges and the reference anew.

use std::collections::BTreeSet;
use std::path::Path;

use avenir_mcp::config::Config;

use crate::support::golden::file;
use crate::support::home::{Home, code};
use crate::tour::tour;

const README: &str = include_str!("../../README.md");

/// The text with what stands between each pair of marks replaced.
fn filled(text: &str, mark: &str, fill: impl Fn(&str) -> String) -> String {
    let (open, close) = (format!("<!-- {mark}"), format!("<!-- /{mark} -->"));
    let mut parts = text.split(&open);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("-->").expect("a mark is closed");
        let (_, after) = rest.split_once(&close).expect("a mark has an end");
        out.push_str(&format!("{open}{name}-->\n{}{close}{after}", fill(name.trim_start_matches(':').trim())));
    }
    out
}

/// What the tour says from the line that begins so, to the next question of the person.
fn exchange(tour: &str, begins: &str) -> String {
    let start = tour.find(&format!("You: {begins}")).expect("the tour asks this");
    let rest = &tour[start..];
    let mut asked = rest.match_indices("\nYou: ").map(|(at, _)| at);
    // A request that follows from an answer belongs to it.
    let follows = |at: &usize| ["Take", "I changed"].iter().any(|word| rest[*at + 6..].starts_with(word));
    let end = asked.find(|at| !follows(at)).or_else(|| rest.find("\nNow with")).unwrap_or(rest.len());
    format!("```text\n{}\n```\n", rest[..end].trim_end())
}

#[test]
fn the_exchanges_and_the_reference_are_what_the_program_says() {
    let tour = tour("78");
    let text = filled(README, "tour", |begins| exchange(&tour, begins));
    let home = Home::new();
    let output = home.binary(&["reference"]).env("AVENIR_MCP_TODAY", super::DAY).output().expect("it runs");
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    let reference = String::from_utf8(output.stdout).expect("text");
    let text = filled(&text, "reference", |_| format!("\n{reference}\n"));
    file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"), &text);
}

#[test]
fn the_settings_are_those_that_exist() {
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        words.filter(|word| word.starts_with("AVENIR_MCP_") && word.len() > 11).map(str::to_owned).collect()
    };
    let told = names(README);
    let pairs: Vec<(String, String)> = told.iter().map(|name| (name.clone(), String::new())).collect();
    let unknown = Config::from_pairs(&pairs).expect("empty is unset").unknown;
    assert!(unknown.is_empty(), "the README tells of {unknown:?}");
    let source = include_str!("../../src/config.rs").split("#[cfg(test)]").next().expect("the code");
    let silent: Vec<_> = names(source).difference(&told).cloned().collect();
    assert_eq!(silent, ["AVENIR_MCP_NO_UPDATE_CHECK"], "the README says nothing of these");
}

#[test]
fn its_commands_exist() {
    let home = Home::new();
    let help = home.binary(&["--help"]).output().expect("it runs").stdout;
    let help = String::from_utf8_lossy(&help);
    for line in README.lines().map(str::trim) {
        let command = line.strip_prefix("avenir-mcp ").or_else(|| line.strip_prefix("cargo run --release -- "));
        if let Some(word) = command.and_then(|rest| rest.split_whitespace().next()) {
            assert!(help.contains(&format!("avenir-mcp {word}")), "{line}");
        }
    }
}
