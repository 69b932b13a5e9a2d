//! Owns the order of the house: its rooms in reading order, in five groups. Never holds code of its own.
//!
//! 1. Vocabulary: words every room shares; touches nothing.
//! 2. Logic: pure functions from a plan and arguments to answers and proposals; no async, clock, network or disk.
//! 3. The gate: `confirm`, the only way to a write.
//! 4. The edges: YNAB over HTTP, the journal on disk, the environment, the clock, the demo plan.
//! 5. What the agent sees: the server and its tools; they fetch, call logic and carry answers.

// Vocabulary.
pub mod dates;
pub mod error;
pub mod ids;
pub mod money;
pub mod plan;
pub mod text;

// Logic.
pub mod analytics;
pub mod classifier;
pub mod forecast;
pub mod reconcile;
pub mod triage;
pub mod writes;

// The gate.
pub mod confirm;

// The edges.
pub mod client;
pub mod clock;
pub mod config;
pub mod demo;
pub mod journal;
pub mod statements;

// What the agent sees.
pub mod bundle;
pub mod cli;
pub mod context;
pub mod doctor;
pub mod install;
pub mod reference;
pub mod server;
pub mod tools_accounts;
pub mod tools_analytics;
pub mod tools_budget;
pub mod tools_categories;
pub mod tools_classify;
pub mod tools_forecast;
pub mod tools_payees;
pub mod tools_statement;
pub mod tools_undo;
pub mod tour;

#[cfg(test)]
mod fixtures;
