//! Owns the smallest readers of YNAB's JSON: a text, a number, a list, each of which may be null.
//! Never copies a text that can be borrowed from the body.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, SeqAccess, Visitor};

use crate::dates::{Date, Month, parse_date};
use crate::money::Milliunits;

/// A text that may be null, borrowed from the body where it has no escapes.
#[derive(Default)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(super) fn some(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(super) fn arc(&self) -> Arc<str> {
        self.as_str().into()
    }

    pub(super) fn month(&self) -> Option<Month> {
        self.some().and_then(Month::parse)
    }

    pub(super) fn date(&self) -> Option<Date> {
        self.some().and_then(parse_date)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string or null")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Text<'de>, E> {
                Ok(Text(None))
            }
        }
        from.deserialize_any(Read)
    }
}

/// A whole number that may be null; `3.0` is one.
#[derive(Clone, Copy, Default)]
pub(super) struct Number(pub(super) Option<i64>);

impl Number {
    pub(super) fn money(self) -> Milliunits {
        Milliunits::new(self.0.unwrap_or_default())
    }

    pub(super) fn some_money(self) -> Option<Milliunits> {
        self.0.map(Milliunits::new)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Number;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a whole number or null")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number(Some(number)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Number, E> {
                i64::try_from(number).map(|n| Number(Some(n))).map_err(|_| E::custom("a number too large"))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Number, E> {
                if number.fract() == 0.0 && number.abs() < 9e15 {
                    Ok(Number(Some(number as i64)))
                } else {
                    Err(E::custom("not a whole number"))
                }
            }
            fn visit_unit<E: de::Error>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
        }
        from.deserialize_any(Read)
    }
}

/// A list that may be null.
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut list = Vec::new();
        Rows::new(|row| list.push(row)).deserialize(from)?;
        Ok(Self(list))
    }
}

/// Reads a list, or null, handing on each row as it comes.
pub(super) struct Rows<T, F> {
    each: F,
    row: PhantomData<fn() -> T>,
}

impl<T, F: FnMut(T)> Rows<T, F> {
    pub(super) fn new(each: F) -> Self {
        Self { each, row: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> DeserializeSeed<'de> for Rows<T, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for Rows<T, F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list or null")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(mut self, mut rows: S) -> Result<(), S::Error> {
        while let Some(row) = rows.next_element()? {
            (self.each)(row);
        }
        Ok(())
    }
}
