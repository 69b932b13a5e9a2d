//! Owns nothing yet.

pub mod merchant;
