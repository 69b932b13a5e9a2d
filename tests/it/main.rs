//! Everything that needs more than one room: one binary, so that it links once.
#![expect(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod architecture;
mod client;
mod doctor;
mod install;

mod support {
    pub mod golden;
    pub mod home;
    pub mod ynab;
}
