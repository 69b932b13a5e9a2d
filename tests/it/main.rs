//! Everything that needs more than one room: one binary, so that it links once.
#![expect(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod architecture;
mod client;
mod compile_fail;
mod confirm;
mod crash;
mod doctor;
mod faults;
mod fuzz;
mod golden;
mod growth;
mod install;
mod journal;
mod logs;
mod progress;
mod readme;
mod reads;
mod sequences;
mod statements;
mod stdio;
mod tools;
mod tour;
mod writes;

/// The day of what is shown.
const DAY: &str = "2026-03-17";

mod support {
    pub mod folder;
    pub mod golden;
    pub mod home;
    pub mod household;
    pub mod plan;
    pub mod random;
    pub mod schema;
    pub mod session;
    pub mod ynab;
}
