//! Owns time: today in the machine's own time zone, the moment now. Never computes with dates.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::dates::Date;

/// What day it is: the machine's, or the one that `AVENIR_MCP_TODAY` pins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    pinned: Option<Date>,
}

impl Clock {
    /// The machine's clock, or that day for ever.
    pub fn new(pinned: Option<Date>) -> Self {
        Self { pinned }
    }

    /// Today, in the machine's time zone.
    pub fn today(self) -> Date {
        self.pinned.unwrap_or_else(|| jiff::Zoned::now().date())
    }

    /// The moment now: UTC, RFC 3339, whole seconds.
    pub fn timestamp(self) -> String {
        let now = jiff::Timestamp::now();
        now.round(jiff::Unit::Second).unwrap_or(now).to_string()
    }

    /// Seconds since 1970-01-01 UTC.
    pub fn unix(self) -> u64 {
        u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default()
    }
}

/// Time since some moment of this process; it never goes back.
pub fn monotonic() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
