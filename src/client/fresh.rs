//! Owns how old something read from YNAB may be to be used again. Never reads a clock: moments come as arguments.

use std::time::Duration;

/// How long a read may use again what another has just read.
const REUSE: Duration = Duration::from_secs(5);

/// How fresh a reader wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// A few seconds old is good enough: reads.
    Recent,
    /// Asked of YNAB after this call began: writes.
    Now,
}

/// A moment on two clocks: the steady one may stand still while the machine sleeps, the other may be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Time since some moment in the past.
    pub steady: Duration,
    /// Seconds since 1970.
    pub unix: u64,
}

impl Moment {
    /// Whether less than `span` has passed on both clocks.
    pub fn is_within(self, span: Duration, now: Self) -> bool {
        let unix = Duration::from_secs(now.unix.abs_diff(self.unix));
        now.steady.saturating_sub(self.steady) < span && unix <= span
    }
}

/// When something was asked of YNAB: its turn among all that this client does, and the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Turns count up; a request sees every change made in an earlier turn.
    pub turn: u64,
    /// The time.
    pub at: Moment,
}

impl Asked {
    /// Whether a call that began in turn `began` may use it, `dirty` being the turn of the latest change sent.
    pub fn serves(self, age: Age, began: u64, dirty: u64, now: Moment) -> bool {
        self.turn > dirty && (self.turn >= began || (age == Age::Recent && self.at.is_within(REUSE, now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: u64) -> Moment {
        Moment { steady: Duration::from_secs(seconds), unix: 1_000_000 + seconds }
    }

    #[test]
    fn reads_reuse_for_seconds_writes_never() {
        let asked = Asked { turn: 5, at: moment(10) };
        assert!(asked.serves(Age::Recent, 9, 0, moment(14)));
        assert!(!asked.serves(Age::Recent, 9, 0, moment(15)));
        assert!(!asked.serves(Age::Now, 9, 0, moment(10)));
    }

    #[test]
    fn calls_made_together_share_what_was_asked_after_they_began() {
        let asked = Asked { turn: 5, at: moment(10) };
        assert!(asked.serves(Age::Now, 5, 0, moment(99)));
        assert!(asked.serves(Age::Now, 4, 0, moment(99)));
        assert!(!asked.serves(Age::Now, 6, 0, moment(10)));
    }

    #[test]
    fn nothing_read_before_a_change_is_used_after_it() {
        let asked = Asked { turn: 5, at: moment(10) };
        assert!(!asked.serves(Age::Recent, 9, 7, moment(10)));
        assert!(!asked.serves(Age::Recent, 5, 5, moment(10)));
    }

    #[test]
    fn a_machine_that_slept_does_not_call_it_recent() {
        let asked = Asked { turn: 5, at: moment(10) };
        let woken = Moment { steady: Duration::from_secs(11), unix: 1_000_000 + 8 * 3600 };
        assert!(!asked.serves(Age::Recent, 9, 0, woken));
    }
}
