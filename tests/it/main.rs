//! Everything that needs more than one room: one binary, so that it links once.

mod support {
    pub mod ynab;
}
