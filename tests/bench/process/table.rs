//! Owns how figures are printed: a title, columns side by side, times and bytes for a person. Never measures.

use std::time::Duration;

/// Prints a table: its title, its head, its rows.
#[expect(clippy::print_stdout, reason = "a program that prints a table")]
pub fn print(title: &str, head: &[&str], rows: &[Vec<String>]) {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    println!("\n{title}");
    for row in [&head].into_iter().chain(rows) {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("{cell:<0$}", width(column)),
            _ => format!("{cell:>0$}", width(column)),
        });
        println!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// A time in milliseconds.
pub fn time(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    if milliseconds < 100.0 { format!("{milliseconds:.2} ms") } else { format!("{milliseconds:.0} ms") }
}

/// Bytes in MiB.
pub fn memory(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}

/// How many times as much one is as the other.
pub fn ratio(one: f64, other: f64) -> String {
    let ratio = one / other;
    if ratio >= 20.0 { format!("{ratio:.0}x") } else { format!("{ratio:.2}x") }
}

/// The middle one.
pub fn median<T: Copy + Ord + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}
