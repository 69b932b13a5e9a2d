//! Owns golden files: what is expected, kept beside the tests for readers. Never decides what is right.

use std::path::Path;

/// Holds the text against a file of `tests/golden`; with `UPDATE=1` the file is written instead.
pub fn golden(name: &str, text: &str) {
    file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), text);
}

/// The same for any file.
pub fn file(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, text).expect("the golden file is written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    if kept == text {
        return;
    }
    let differs = kept.lines().zip(text.lines()).position(|(a, b)| a != b).unwrap_or(kept.lines().count());
    let line = |text: &str| text.lines().nth(differs).unwrap_or("(the end)").to_owned();
    panic!(
        "{} differs at line {}:\n  kept: {}\n  now:  {}\nUPDATE=1 cargo test writes it anew.",
        path.display(),
        differs + 1,
        line(&kept),
        line(text)
    );
}
