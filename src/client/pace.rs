//! Owns the count of requests in a rolling hour, and the pause that YNAB's 429 asks for: arithmetic and the file's words.
//! Never reads a clock or a file: the second it is comes as an argument.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Requests sent in a rolling hour at most; YNAB's own limit is 200 for a token, other apps included.
pub const HOURLY_MAX: usize = 180;
/// The hour, in seconds.
const WINDOW: u64 = 3600;
/// The pause after a 429 that names none, in seconds.
const PAUSE_DEFAULT: u64 = 600;
/// The least and the longest pause after a 429, in seconds.
const PAUSE_MIN: u64 = 60;
const PAUSE_MAX: u64 = 3600;
/// The first line of the shared file.
const HEAD: &str = "avenir-mcp requests 1";

/// Why a request must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The hour's requests are used up; the first comes free in so many seconds.
    Full(u64),
    /// YNAB said 429; its pause lasts so many seconds more.
    Paused(u64),
}

/// When requests were sent, in seconds since 1970, oldest first, and until when to pause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    sent: VecDeque<u64>,
    paused_until: u64,
}

impl Pace {
    /// Forgets what is over an hour old; a clock that was set back counts as now, so that nothing blocks for longer.
    fn forget(&mut self, now: u64) {
        while self.sent.front().is_some_and(|at| at.saturating_add(WINDOW) <= now) {
            self.sent.pop_front();
        }
        for at in &mut self.sent {
            *at = (*at).min(now);
        }
        self.paused_until = self.paused_until.min(now.saturating_add(PAUSE_MAX));
    }

    /// Counts a request that is about to leave, or says why it must wait.
    pub fn admit(&mut self, now: u64) -> Result<(), Wait> {
        self.forget(now);
        if self.paused_until > now {
            return Err(Wait::Paused(self.paused_until - now));
        }
        if let Some(over) = self.sent.len().checked_sub(HOURLY_MAX) {
            let first = self.sent.get(over).copied().unwrap_or(now);
            return Err(Wait::Full((first + WINDOW).saturating_sub(now).max(1)));
        }
        self.sent.push_back(now);
        Ok(())
    }

    /// Starts the pause of a 429, and says how long it is.
    pub fn pause(&mut self, now: u64, retry_after: Option<u64>) -> u64 {
        let pause = retry_after.map_or(PAUSE_DEFAULT, |seconds| seconds.clamp(PAUSE_MIN, PAUSE_MAX));
        self.paused_until = self.paused_until.max(now.saturating_add(pause)).min(now.saturating_add(PAUSE_MAX));
        self.paused_until - now
    }

    /// How many requests were sent in the hour up to now.
    pub fn used(&mut self, now: u64) -> usize {
        self.forget(now);
        self.sent.len()
    }

    /// Reads the shared file; a line that is not understood is left out.
    pub fn parse(text: &str) -> Self {
        let mut pace = Self::default();
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            return pace;
        }
        for line in lines {
            match line.split_once(' ') {
                Some(("pause", until)) => pace.paused_until = until.parse().unwrap_or_default(),
                Some((at, count)) => {
                    if let (Ok(at), Ok(count)) = (at.parse::<u64>(), count.parse::<usize>()) {
                        pace.sent.extend(std::iter::repeat_n(at, count.min(HOURLY_MAX)));
                    }
                }
                None => {}
            }
        }
        pace.sent.make_contiguous().sort_unstable();
        let excess = pace.sent.len().saturating_sub(HOURLY_MAX);
        pace.sent.drain(..excess);
        pace
    }

    /// The shared file's text: one line for each second in which something was sent, with how many.
    pub fn render(&self) -> String {
        let mut text = format!("{HEAD}\npause {}\n", self.paused_until);
        let mut sent = self.sent.iter().peekable();
        while let Some(at) = sent.next() {
            let mut count = 1;
            while sent.next_if_eq(&at).is_some() {
                count += 1;
            }
            let _ = writeln!(text, "{at} {count}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hundred_and_eighty_in_a_rolling_hour() {
        let mut pace = Pace::default();
        for n in 0..180 {
            assert_eq!(pace.admit(1000 + n), Ok(()));
        }
        assert_eq!(pace.admit(1200), Err(Wait::Full(3400)));
        assert_eq!(pace.used(1200), 180);
        assert_eq!(pace.admit(4599), Err(Wait::Full(1)));
        assert_eq!(pace.admit(4600), Ok(()));
        assert_eq!(pace.admit(4600), Err(Wait::Full(1)));
    }

    #[test]
    fn a_429_pauses_for_its_time_within_bounds() {
        for (asked, pause) in [(None, 600), (Some(5), 60), (Some(120), 120), (Some(999_999), 3600)] {
            let mut pace = Pace::default();
            assert_eq!(pace.pause(1000, asked), pause);
            assert_eq!(pace.admit(1000), Err(Wait::Paused(pause)));
            assert_eq!(pace.admit(1000 + pause), Ok(()));
        }
    }

    #[test]
    fn a_clock_set_back_blocks_for_an_hour_at_most() {
        let mut pace = Pace::default();
        (0..180).for_each(|_| assert_eq!(pace.admit(1_000_000), Ok(())));
        pace.pause(1_000_000, Some(3600));
        assert_eq!(pace.admit(500), Err(Wait::Paused(3600)));
        assert_eq!(pace.admit(4100), Ok(()));
    }

    proptest! {
        #[test]
        fn never_more_than_the_limit_in_any_hour(gaps in prop::collection::vec(0u64..60, 1..600)) {
            let (mut pace, mut now, mut sent) = (Pace::default(), 10_000, Vec::new());
            for gap in gaps {
                now += gap;
                if pace.admit(now).is_ok() {
                    sent.push(now);
                }
                let recent = sent.iter().filter(|at| **at + 3600 > now).count();
                prop_assert!(recent <= HOURLY_MAX);
            }
        }

        #[test]
        fn the_file_gives_back_what_was_written(steps in prop::collection::vec(0u64..3, 0..170), pause in 0u64..5000) {
            let (mut pace, mut now) = (Pace::default(), 10_000);
            for step in steps {
                now += step;
                prop_assert_eq!(pace.admit(now), Ok(()));
            }
            pace.pause(now, Some(pause));
            prop_assert_eq!(Pace::parse(&pace.render()), pace);
        }

        #[test]
        fn a_file_of_anything_is_read(text in ".*", lines in prop::collection::vec("(pause )?[0-9a-z ]{0,30}", 0..20)) {
            let _ = Pace::parse(&text).admit(5);
            let mut pace = Pace::parse(&format!("{HEAD}\n{}", lines.join("\n")));
            prop_assert!(pace.used(5) <= HOURLY_MAX);
        }
    }
}
