//! Owns nothing yet.

pub mod wire;
