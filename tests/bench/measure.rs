//! Owns the measuring of what is guessed (categories, recurring charges, balances) against invented lives.
//! Never tunes: it prints the figures of the seeds it is given, beside a simple model's and the reference's.
//!
//! `cargo bench --bench measure -- [FIRST_SEED COUNT [FAMILY]]`, every family of lives when none is named; with
//! `AVENIR_MCP_REFERENCE` set to a Python that has avenir-mcp 0.8.0, the reference answers the same lives in the same run.
//! `-- fit` fits the classifier's weights anew.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a program that measures and prints"
)]

mod answers;
mod fit;
mod lives;
mod score;

use answers::{Answers, ours, reference, simple};
use score::Scores;

/// Seeds never used for tuning start here.
const HELD_OUT: u64 = 1_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.first().is_some_and(|argument| argument == "fit") {
        return fit::print();
    }
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<u64>().ok());
    let (first, count) = (numbers.next().unwrap_or(HELD_OUT), numbers.next().unwrap_or(160));
    let named = |family: &&lives::Family| arguments.iter().any(|argument| argument == family.name);
    let any_named = lives::FAMILIES.iter().any(|family| named(&family));
    for family in lives::FAMILIES.iter().filter(|family| !any_named || named(family)) {
        measure(*family, first, count);
    }
}

fn measure(family: lives::Family, first: u64, count: u64) {
    let lives: Vec<lives::Life> = (first..first + count).map(|seed| lives::life(family, seed)).collect();
    let mut columns: Vec<(&str, Vec<Answers>)> = Vec::new();
    if let Ok(python) = std::env::var("AVENIR_MCP_REFERENCE") {
        columns.push(("reference", reference(&python, &lives)));
    }
    columns.push(("simple", lives.iter().map(simple).collect()));
    columns.push(("ours", lives.iter().map(ours).collect()));
    println!("{count} {} lives from seed {first}", family.name);
    let scores: Vec<(&str, Scores)> =
        columns.iter().map(|(name, answers)| (*name, Scores::of(&lives, answers))).collect();
    score::print(&scores);
    if let Ok(who) = std::env::var("AVENIR_MCP_EACH") {
        columns.iter().filter(|(name, _)| *name == who).for_each(|(_, answers)| score::print_each(&lives, answers));
    }
}
