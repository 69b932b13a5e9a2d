//! Owns chance in tests: numbers from a seed, the loop that draws cases for as long as it may, and small changes to JSON
//! and bytes. Never draws a number that the seed does not decide.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A small generator of numbers: the same seed, the same numbers.
pub struct Random(u64);

impl Random {
    /// The generator of that seed.
    pub fn new(seed: u64) -> Self {
        // Mixed, so that neighbouring seeds have nothing in common.
        let mixed = (seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Self((mixed ^ (mixed >> 31)).max(1))
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `most`; 0 when there is none.
    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    /// One time in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Draws one case after the other for `AVENIR_FUZZ_SECONDS`, or a moment where that is not set, and prints how many they
/// were. A case that fails names its seed.
pub fn cases(name: &str, mut case: impl FnMut(&mut Random)) {
    struct Told<'a>(&'a str, u64);
    impl Drop for Told<'_> {
        fn drop(&mut self) {
            #[expect(clippy::print_stdout, reason = "the failing case must be found again")]
            if std::thread::panicking() {
                println!("{}: the case of seed {} fails", self.0, self.1);
            }
        }
    }
    let seconds = std::env::var("AVENIR_FUZZ_SECONDS").ok().and_then(|text| text.parse::<u64>().ok());
    let length = seconds.map_or(Duration::from_millis(300), Duration::from_secs);
    // A short run draws the same cases each time.
    let first = match seconds {
        None => 1,
        Some(_) => u64::from(std::process::id()) << 32,
    };
    let (began, mut count) = (Instant::now(), 0);
    while began.elapsed() < length {
        let seed = first + count;
        let _told = Told(name, seed);
        case(&mut Random::new(seed));
        count += 1;
    }
    #[expect(clippy::print_stdout, reason = "how many cases were drawn is part of the result")]
    {
        println!("{name}: {count} cases in {:.1} s", began.elapsed().as_secs_f64());
    }
}

/// Any JSON value, odd ones first.
pub fn any_value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 8 } else { 10 }) {
        0 => Value::Null,
        1 => json!(random.once_in(2)),
        2 => json!(random.next() as i64),
        3 => json!(-(random.below(1000) as i64)),
        4 => json!(random.next() as f64 / 1e9),
        5 => json!("x".repeat(random.below(40))),
        6 => json!(*random.of(&ODD_TEXTS)),
        7 => json!(u64::MAX),
        8 => (0..random.below(4)).map(|_| any_value(random, depth + 1)).collect(),
        _ => {
            let names =
                ["name", "arguments", "plan_id", "limit", "uri", "_meta", "cursor", "requestState", "inputResponses"];
            let fields = (0..random.below(4)).map(|_| (random.of(&names).to_string(), any_value(random, depth + 1)));
            Value::Object(fields.collect())
        }
    }
}

const ODD_TEXTS: [&str; 14] = [
    "last-used",
    "tools/call",
    "\u{202e}\u{0}",
    "../..",
    "2026-07-28",
    "",
    "\u{1f600}",
    "9999-12-31",
    "-9999-01-01",
    "2026-02-30",
    "line\nbreak\u{2028}",
    "1e999",
    "null",
    "cleared",
];

/// A number that sums and dates trip over.
fn odd_number(random: &mut Random) -> Value {
    let numbers = [0, 1, -1, i64::MAX, i64::MIN, i64::MAX / 2 + 1, 1_000_000_000_000, 253_402_300_800, -999, 13, 366];
    match random.below(6) {
        0 => json!(1e300),
        1 => json!(0.5),
        2 => json!(random.next() as i64),
        _ => json!(*random.of(&numbers)),
    }
}

/// Changes one place in a value: what stands there becomes something else of its own sort or of another, or is taken out,
/// doubled or put elsewhere.
pub fn change_value(random: &mut Random, value: &mut Value) {
    // Down at every level with a good chance, so that leaves are reached.
    match value {
        Value::Array(items) if !items.is_empty() && !random.once_in(6) => {
            let at = random.below(items.len());
            return match random.below(8) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                _ => change_value(random, &mut items[at]),
            };
        }
        Value::Object(fields) if !fields.is_empty() && !random.once_in(8) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let (name, other) = (random.of(&names), random.of(&names));
            return match random.below(8) {
                0 => drop(fields.remove(name)),
                1 => {
                    let value = fields[name].clone();
                    fields.insert(other.clone(), value);
                }
                _ => change_value(random, &mut fields[name]),
            };
        }
        _ => {}
    }
    *value = match (&*value, random.below(5)) {
        (_, 0) => any_value(random, 2),
        (_, 1) => odd_number(random),
        (Value::Number(number), _) => match number.as_i64() {
            Some(number) => json!(number.wrapping_add(random.below(2001) as i64 - 1000)),
            None => odd_number(random),
        },
        (Value::Bool(so), _) => json!(!so),
        (Value::String(text), _) => json!(changed_text(random, text)),
        (_, 2) => Value::Null,
        _ => any_value(random, 3),
    };
}

/// The text with one small change.
pub fn changed_text(random: &mut Random, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.below(letters.len());
    match random.below(7) {
        0 if !letters.is_empty() => drop(letters.remove(at)),
        1 if !letters.is_empty() => letters[at] = char::from_u32(random.below(0x11_0000) as u32).unwrap_or('\u{fffd}'),
        2 => letters.splice(at..at, random.of(&ODD_TEXTS).chars()).for_each(drop),
        3 => letters.truncate(at),
        4 => letters.extend(text.chars()),
        5 if !letters.is_empty() => {
            letters[at] = *random.of(&['0', '9', '-', '/', ' ', '*', 'A', '\u{202e}', '\u{200d}'])
        }
        _ => letters = std::iter::repeat_n(letters, random.below(4)).flatten().collect(),
    }
    letters.into_iter().collect()
}

/// Changes a few bytes: turned, taken out, doubled, or the rest cut off.
pub fn change_bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        if bytes.is_empty() {
            return;
        }
        match random.below(5) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, *random.of(b"{}[]\",:\n0\\ \x00\xff")),
            _ => bytes.truncate(at),
        }
    }
}
