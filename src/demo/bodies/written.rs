//! Owns amounts written out next to their milliunits: `x_formatted` in the plan's way, `x_currency` as a number.
//! Never computes with what it writes.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::demo::rows::CurrencyFormat;
use crate::money::Milliunits;

/// Amounts written out, as `x_formatted` and `x_currency`.
pub(super) struct Written<'a, const N: usize> {
    pub format: Option<&'a CurrencyFormat>,
    pub amounts: [(&'static str, Option<Milliunits>); N],
}

impl<const N: usize> Serialize for Written<'_, N> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(2 * N))?;
        for (name, amount) in self.amounts {
            let formatted = amount.zip(self.format).map(|(amount, format)| format.write(amount));
            map.serialize_entry(&format!("{name}_formatted"), &formatted)?;
            map.serialize_entry(&format!("{name}_currency"), &amount.map(|amount| amount.get() as f64 / 1000.0))?;
        }
        map.end()
    }
}

impl CurrencyFormat {
    /// An amount as the plan writes it, such as `1 234,50 €`.
    fn write(&self, amount: Milliunits) -> String {
        let digits = usize::from(self.decimal_digits.min(3));
        let step = 10_u64.pow(3 - digits as u32);
        let shown = (amount.get().unsigned_abs() + step / 2) / step * step;
        let (whole, rest) = ((shown / 1000).to_string(), format!("{:03}", shown % 1000));
        let mut text = String::new();
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place) % 3 == 0 {
                text.push_str(&self.group_separator);
            }
            text.push(digit);
        }
        if digits > 0 {
            text.push_str(&self.decimal_separator);
            text.push_str(&rest[..digits]);
        }
        let symbol = if self.display_symbol { &*self.currency_symbol } else { "" };
        let sign = if amount.is_negative() { "-" } else { "" };
        if self.symbol_first { format!("{sign}{symbol}{text}") } else { format!("{sign}{text}{symbol}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_in_the_plans_way() {
        let format = |digits, symbol: &str, first, separators: [&str; 2]| CurrencyFormat {
            decimal_digits: digits,
            currency_symbol: symbol.into(),
            display_symbol: true,
            symbol_first: first,
            decimal_separator: separators[0].into(),
            group_separator: separators[1].into(),
            ..CurrencyFormat::default()
        };
        let (euro, yen) = (format(2, "€", false, [",", " "]), format(0, "¥", true, [".", ","]));
        let dinar = CurrencyFormat { display_symbol: false, ..format(3, "JD", true, [".", ","]) };
        let cases = [
            (&euro, -1_234_567_890, "-1 234 567,89€"),
            (&euro, 0, "0,00€"),
            (&euro, 999, "1,00€"),
            (&yen, 1_500_000, "¥1,500"),
            (&yen, -500, "-¥1"),
            (&dinar, 12_345, "12.345"),
        ];
        for (format, amount, written) in cases {
            assert_eq!(format.write(Milliunits::new(amount)), written);
        }
    }
}
