//! Owns how many days this bank books after YNAB, learnt from the pairs that have no rival.
//! Never forbids a day: it only says what one costs.

/// The farthest days that can be in the window: five weekdays and two weekends.
const DAYS: usize = 9;
/// How many pairs the first guess weighs as much as.
const GUESS: f64 = 5.0;
/// The share of payments that follow no habit.
const ODD: f64 = 0.05;
/// How many units of cost one natural unit of unlikeliness is.
const UNIT: f64 = 10.0;

/// How often each number of days was seen.
pub(super) struct Offsets {
    seen: [u32; 2 * DAYS + 1],
}

impl Offsets {
    /// Nothing seen yet.
    pub(super) fn new() -> Self {
        Self { seen: [0; 2 * DAYS + 1] }
    }

    /// Counts a pair whose row is that many days after its transaction.
    pub(super) fn learn(&mut self, days: i32) {
        if let Some(count) = place(days).and_then(|at| self.seen.get_mut(at)) {
            *count += 1;
        }
    }

    /// What each number of days costs, the likeliest nothing.
    pub(super) fn costs(&self) -> Costs {
        let all: f64 = self.seen.iter().copied().map(f64::from).sum();
        let guess = |at: usize| 1.0 / (1.0 + at.abs_diff(DAYS) as f64);
        let guesses: f64 = (0..self.seen.len()).map(guess).sum();
        let likely = |at: usize, seen: u32| {
            let first = guess(at) / guesses;
            (1.0 - ODD) * (f64::from(seen) + GUESS * first) / (all + GUESS) + ODD * first
        };
        let likely: Vec<f64> = self.seen.iter().enumerate().map(|(at, seen)| likely(at, *seen)).collect();
        let best = likely.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Costs(likely.into_iter().map(|likely| (UNIT * libm::log(best / likely)) as i64).collect())
    }
}

/// What each number of days costs.
pub(super) struct Costs(Vec<i64>);

impl Costs {
    /// The cost of that many days; `None` beyond the window.
    pub(super) fn of(&self, days: i32) -> Option<i64> {
        self.0.get(place(days)?).copied()
    }
}

fn place(days: i32) -> Option<usize> {
    usize::try_from(days + DAYS as i32).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_delay_costs_nothing() {
        let mut offsets = Offsets::new();
        let cost = |offsets: &Offsets, days: i32| offsets.costs().of(days).expect("in the window");
        assert_eq!(cost(&offsets, 0), 0);
        assert!(cost(&offsets, 1) > 0 && cost(&offsets, -5) > cost(&offsets, 1));
        (0..50).for_each(|_| offsets.learn(2));
        assert_eq!(cost(&offsets, 2), 0);
        assert!(cost(&offsets, 0) > 20 && cost(&offsets, 9) < 90);
        assert!(offsets.costs().of(10).is_none() && offsets.costs().of(-10).is_none());
    }
}
