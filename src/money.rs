//! Owns amounts of money: YNAB's milliunits, a plan's currency, how an amount is read and shown.
//! Never holds a float between the two edges (reading an argument, writing an answer).

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// The largest amount that may be given as an argument, in currency units (source: the tool contract).
pub const UNITS_MAX: f64 = 1_000_000_000.0;

/// An amount in YNAB's integers: 1000 milliunits are one currency unit. Arithmetic saturates, it never panics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Milliunits(i64);

impl Milliunits {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount of that many milliunits.
    pub const fn new(milliunits: i64) -> Self {
        Self(milliunits)
    }

    /// A wide sum brought back, held at the ends of the range.
    pub const fn from_wide(milliunits: i128) -> Self {
        if milliunits > i64::MAX as i128 {
            Self(i64::MAX)
        } else if milliunits < i64::MIN as i128 {
            Self(i64::MIN)
        } else {
            Self(milliunits as i64)
        }
    }

    /// The number of milliunits.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The number of milliunits, wide enough to add without a thought.
    pub const fn wide(self) -> i128 {
        self.0 as i128
    }

    /// The size without the sign.
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// Whether it is exactly nothing.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it is less than nothing.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is more than nothing.
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// The share of one in `parts`, half to even; nothing when there are no parts.
    pub fn divided(self, parts: usize) -> Self {
        Self::from_wide(div_half_even(self.wide(), parts as i128))
    }

    /// An argument in currency units read to the nearest milliunit, float noise removed. `None` when it is not a
    /// number within ±[`UNITS_MAX`].
    pub fn read(units: f64) -> Option<Self> {
        (units.is_finite() && units.abs() <= UNITS_MAX).then(|| Self((units * 1000.0).round_ties_even() as i64))
    }
}

/// `a / b` to the nearest whole number, half to even; 0 when `b` is 0.
pub const fn div_half_even(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let (floor, rest) = (a.div_euclid(b), a.rem_euclid(b));
    // With a Euclidean rest, 0 <= rest < |b|; a negative divisor steps the other way.
    let (twice, size, step) = (rest * 2, b.abs(), if b > 0 { 1 } else { -1 });
    if twice > size || (twice == size && floor % 2 != 0) { floor + step } else { floor }
}

/// `part / whole` in percent with one decimal, half to even; `None` when the whole is nothing.
pub fn percent(part: Milliunits, whole: Milliunits) -> Option<f64> {
    (!whole.is_zero()).then(|| div_half_even(part.wide() * 1000, whole.wide()) as f64 / 10.0)
}

impl Add for Milliunits {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Milliunits {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Milliunits {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Milliunits {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Milliunits {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Milliunits {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        Self::from_wide(amounts.map(Self::wide).sum())
    }
}

impl<'a> Sum<&'a Milliunits> for Milliunits {
    fn sum<I: Iterator<Item = &'a Self>>(amounts: I) -> Self {
        amounts.copied().sum()
    }
}

/// An amount as an answer carries it: a JSON number in currency units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub Milliunits);

impl From<Milliunits> for Amount {
    fn from(amount: Milliunits) -> Self {
        Self(amount)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let milliunits = self.0.get();
        if milliunits % 1000 == 0 {
            out.serialize_i64(milliunits / 1000)
        } else {
            out.serialize_f64(milliunits as f64 / 1000.0)
        }
    }
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// A plan's currency, as far as the plan says: its code may be missing, its decimals unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Currency {
    /// The ISO 4217 code, such as `EUR`.
    pub code: Option<Arc<str>>,
    /// Decimals an amount is written with: 0 for yen, 2 for euro, 3 for dinar; `None` when the plan does not say.
    pub decimals: Option<u8>,
}

/// Why an amount cannot be written to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Not a number, or beyond ±1,000,000,000.
    #[error("must be a number between -1,000,000,000 and 1,000,000,000")]
    OutOfRange,
    /// Finer than the currency's smallest coin.
    #[error("has more decimals than the plan's currency, which has {decimals}")]
    TooFine {
        /// The currency's own number of decimals.
        decimals: u8,
    },
}

impl Currency {
    /// A currency of that code and number of decimals.
    pub fn new(code: &str, decimals: u8) -> Self {
        Self { code: Some(code.into()), decimals: Some(decimals.min(3)) }
    }

    /// The smallest coin: 1 milliunit for a dinar or where the plan does not say, 10 for a euro, 1000 for a yen.
    pub fn step(&self) -> Milliunits {
        Milliunits(10_i64.pow(3 - u32::from(self.decimals.unwrap_or(3).min(3))))
    }

    /// Whether the amount can be paid in this currency's coins.
    pub fn holds(&self, amount: Milliunits) -> bool {
        amount.get() % self.step().get() == 0
    }

    /// The nearest amount in whole coins, half to even.
    pub fn round(&self, amount: Milliunits) -> Milliunits {
        let step = self.step().wide();
        Milliunits::from_wide(div_half_even(amount.wide(), step) * step)
    }

    /// An amount to be written: noise below 0.000001 is removed, anything else finer than the currency is refused.
    pub fn read(&self, units: f64) -> Result<Milliunits, AmountError> {
        let amount = Milliunits::read(units).ok_or(AmountError::OutOfRange)?;
        let noise = (units - amount.get() as f64 / 1000.0).abs();
        if noise >= 1e-6 || !self.holds(amount) {
            return Err(AmountError::TooFine { decimals: self.decimals.unwrap_or(3) });
        }
        Ok(amount)
    }

    /// The amount in figures with the currency's decimals, more where they are needed to show it in full.
    pub fn show(&self, amount: Milliunits) -> String {
        let (sign, size) = (if amount.is_negative() { "-" } else { "" }, amount.get().unsigned_abs());
        let (whole, rest) = (size / 1000, size % 1000);
        let mut digits = format!("{rest:03}");
        let wanted = usize::from(self.decimals.unwrap_or(0).min(3));
        while digits.len() > wanted && digits.ends_with('0') {
            digits.pop();
        }
        if digits.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{digits}") }
    }
}

impl fmt::Display for AmountShown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.currency.show(self.amount))
    }
}

/// An amount next to its currency, for `format!`.
pub struct AmountShown<'a> {
    currency: &'a Currency,
    amount: Milliunits,
}

impl Currency {
    /// The same as [`Currency::show`], without a string of its own.
    pub fn of(&self, amount: Milliunits) -> AmountShown<'_> {
        AmountShown { currency: self, amount }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_goes_to_even() {
        let halves = [(5, 2, 2), (7, 2, 4), (-5, 2, -2), (-7, 2, -4), (5, -2, -2), (7, -2, -4), (-7, -2, 4)];
        let cases = halves.into_iter().chain([(1, 3, 0), (2, 3, 1), (-2, 3, -1), (2, -3, -1)]);
        for (a, b, want) in cases {
            assert_eq!(div_half_even(a, b), want, "{a} / {b}");
        }
        assert_eq!(div_half_even(1, 0), 0);
        assert_eq!(percent(Milliunits(1), Milliunits(3)), Some(33.3));
        assert_eq!(percent(Milliunits(1), Milliunits(0)), None);
    }

    #[test]
    fn shown_with_the_currencys_decimals_and_never_rounded() {
        let (yen, euro, dinar) = (Currency::new("JPY", 0), Currency::new("EUR", 2), Currency::new("JOD", 3));
        let show = |c: &Currency, m: i64| c.show(Milliunits(m));
        assert_eq!(show(&yen, 1_500_000), "1500");
        assert_eq!(show(&yen, 1_500_500), "1500.5");
        assert_eq!(show(&euro, -7_120), "-7.12");
        assert_eq!(show(&euro, 12_345), "12.345");
        assert_eq!(show(&euro, 0), "0.00");
        assert_eq!(show(&dinar, 12_340), "12.340");
        assert_eq!(show(&Currency::default(), 12_500), "12.5");
        assert_eq!(show(&euro, i64::MIN), "-9223372036854775.808");
    }

    #[test]
    fn finer_than_the_currency_is_refused_and_noise_removed() {
        let (yen, euro) = (Currency::new("JPY", 0), Currency::new("EUR", 2));
        assert_eq!(yen.read(1500.5), Err(AmountError::TooFine { decimals: 0 }));
        assert_eq!(euro.read(-7.12569), Err(AmountError::TooFine { decimals: 2 }));
        assert_eq!(euro.read(0.0001), Err(AmountError::TooFine { decimals: 2 }));
        assert_eq!(euro.read(-0.1 - 0.2), Ok(Milliunits(-300)));
        assert_eq!(euro.read(999_999_999.99), Ok(Milliunits(999_999_999_990)));
        assert_eq!(euro.read(1e9), Ok(Milliunits(1_000_000_000_000)));
        assert_eq!(euro.read(0.010_002), Err(AmountError::TooFine { decimals: 2 }));
        assert_eq!(euro.read(f64::NAN), Err(AmountError::OutOfRange));
        assert_eq!(euro.read(1e9 + 1.0), Err(AmountError::OutOfRange));
        assert_eq!(Milliunits::read(4113.847), Some(Milliunits(4_113_847)));
    }

    #[test]
    fn an_answer_carries_units() {
        let json = |m: i64| serde_json::to_string(&Amount(Milliunits(m))).unwrap_or_default();
        assert_eq!(json(4_113_847), "4113.847");
        assert_eq!(json(75_000), "75");
        assert_eq!(json(-10), "-0.01");
    }

    #[test]
    fn an_amount_is_a_plain_number_in_a_schema() {
        #[derive(JsonSchema)]
        struct Answer {
            #[expect(dead_code, reason = "only its schema is of interest")]
            balance: Amount,
        }
        let schema = schemars::schema_for!(Answer);
        assert_eq!(schema.get("properties"), Some(&serde_json::json!({ "balance": { "type": "number" } })));
    }

    #[test]
    fn what_is_too_wide_is_held_at_the_ends() {
        for (wide, held) in [(i128::MAX, i64::MAX), (i128::MIN, i64::MIN), (-12, -12)] {
            assert_eq!(Milliunits::from_wide(wide), Milliunits(held));
        }
    }

    proptest! {
        #[test]
        fn read_is_the_inverse_of_show(milliunits in -1_000_000_000_000_i64..=1_000_000_000_000, decimals in 0_u8..=3) {
            let currency = Currency::new("XXX", decimals);
            let amount = currency.round(Milliunits(milliunits));
            prop_assume!(amount.get().abs() <= 1_000_000_000_000);
            let shown: f64 = currency.show(amount).parse().map_err(|_| TestCaseError::fail("not a number"))?;
            prop_assert_eq!(currency.read(shown), Ok(amount));
        }

        #[test]
        fn arithmetic_never_panics(a: i64, b: i64, parts in 0_usize..5) {
            let (a, b) = (Milliunits(a), Milliunits(b));
            let _ = (a + b, a - b, -a, a.abs(), a.divided(parts), [a, b].iter().sum::<Milliunits>(), percent(a, b));
        }
    }
}
