//! Everything that needs more than one room: one binary, so that it links once.

mod client;

mod support {
    pub mod ynab;
}
