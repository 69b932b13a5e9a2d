//! Owns the chance that invented plans are made with: the same seed throws the same numbers.
//! Never good enough for a secret.

/// A sequence of numbers without pattern to the eye (a linear congruential generator, Knuth's constants).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1).max(1) as u64) as i64
    }

    /// One of them.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.next() as usize % from.len().max(1))
    }

    /// Whether something that happens so often in a hundred happens now.
    pub(super) fn happens(&mut self, in_hundred: i64) -> bool {
        self.between(1, 100) <= in_hundred
    }

    /// A price between two whole ones, in milliunits, ending as prices do.
    pub(super) fn price(&mut self, low: i64, high: i64) -> i64 {
        let ending = self.pick(&[0, 20, 35, 50, 75, 80, 90, 95, 99]).copied().unwrap_or_default();
        self.between(low, (high - 1).max(low)) * 1000 + ending * 10
    }
}
