//! Owns whether a failed request is sent again, and after which wait. Never sends, waits or draws a random number.

use std::time::Duration;

/// How often a request is sent at most.
pub const TRIES: u32 = 3;
/// No try starts later than this after the first.
const PATIENCE: Duration = Duration::from_secs(25);

/// What went wrong with one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No connection was made, so the request provably never left.
    NeverLeft,
    /// The connection broke, or the answer was cut.
    Broken,
    /// YNAB answered with this status.
    Status(u16),
}

/// Whether sending twice can do harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// It only reads.
    Read,
    /// It changes something.
    Change,
}

/// How long to wait before the next try, if there is one: `tries` were made in `elapsed`; `jitter` is from 0 to 1.
pub fn wait(sends: Sends, failure: Failure, tries: u32, elapsed: Duration, jitter: f64) -> Option<Duration> {
    let harmless = match (failure, sends) {
        (Failure::NeverLeft, _) => true,
        (_, Sends::Change) => false,
        (Failure::Broken | Failure::Status(502..=504), Sends::Read) => true,
        (Failure::Status(_), Sends::Read) => false,
    };
    if !harmless || tries >= TRIES || elapsed > PATIENCE {
        return None;
    }
    let most = Duration::from_millis(400) * 3_u32.pow(tries.saturating_sub(1).min(4));
    Some(most.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn a_change_is_sent_again_only_when_it_never_left() {
        assert!(wait(Sends::Change, Failure::NeverLeft, 1, NOW, 0.5).is_some());
        for failure in [Failure::Broken, Failure::Status(502), Failure::Status(503), Failure::Status(504)] {
            assert_eq!(wait(Sends::Change, failure, 1, NOW, 0.5), None);
        }
    }

    #[test]
    fn a_read_is_sent_three_times_in_all() {
        for failure in [Failure::NeverLeft, Failure::Broken, Failure::Status(502), Failure::Status(504)] {
            assert!(wait(Sends::Read, failure, 1, NOW, 0.5).is_some());
            assert!(wait(Sends::Read, failure, 2, NOW, 0.5).is_some());
            assert_eq!(wait(Sends::Read, failure, 3, NOW, 0.5), None);
        }
        for status in [400, 401, 404, 429, 500, 501] {
            assert_eq!(wait(Sends::Read, Failure::Status(status), 1, NOW, 0.5), None);
        }
    }

    #[test]
    fn waits_are_short_grow_and_differ() {
        let waits = |tries| [0.0, 1.0].map(|jitter| wait(Sends::Read, Failure::Broken, tries, NOW, jitter));
        assert_eq!(waits(1), [200, 400].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(waits(2), [600, 1200].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(wait(Sends::Read, Failure::Status(503), 1, Duration::from_secs(30), 0.5), None);
    }
}
