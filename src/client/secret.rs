//! Owns the token: reading it when a request first needs it, and hiding it in what others wrote. Never logs or shows it.

use std::io::Read;
use std::path::Path;

use super::error::TokenFault;
use crate::config::{Token, TokenSource};
use crate::text;

/// How much of a token's file is read, in bytes; a real one has about 45.
const FILE_MAX: u64 = 4096;
/// How many characters of the token in a row are hidden.
const TELLING: usize = 8;
/// How much of an error's text is looked at, in bytes, and shown, in characters.
const DETAIL_READ: usize = 4096;
const DETAIL_SHOWN: usize = 200;

/// The token, from its variable or its file.
pub fn read(source: &TokenSource) -> Result<Token, TokenFault> {
    match source {
        TokenSource::Given(token) => Ok(token.clone()),
        TokenSource::File(path) => read_file(path),
        TokenSource::Missing => Err(TokenFault::Unset),
    }
}

fn read_file(path: &Path) -> Result<Token, TokenFault> {
    let own = || path.to_owned();
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => TokenFault::FileMissing(own()),
        std::io::ErrorKind::InvalidData => TokenFault::FileStrange(own()),
        _ => TokenFault::FileUnreadable(own()),
    };
    let about = std::fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(TokenFault::FileUnreadable(own()));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(TokenFault::FileOpen(own()));
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(FILE_MAX).read_to_string(&mut text).map_err(failed)?;
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if text.is_empty() {
        return Err(TokenFault::FileEmpty(own()));
    }
    Token::new(text).ok_or_else(|| TokenFault::FileStrange(own()))
}

/// Someone else's text as it may be shown: without any part of the token, on one line, at most 200 characters.
pub fn safe_detail(detail: &str, token: Option<&Token>) -> Option<String> {
    let mut end = detail.len().min(DETAIL_READ);
    while !detail.is_char_boundary(end) {
        end -= 1;
    }
    let hidden = token.map_or_else(|| detail[..end].to_owned(), |token| hide(&detail[..end], token.reveal()));
    let shown = text::cut(text::clean(&hidden), DETAIL_SHOWN).replace('"', "'");
    (!shown.is_empty()).then_some(shown)
}

/// Reads `%41` as `A`: the character and how many bytes it took.
fn unescape(text: &str) -> Option<(char, usize)> {
    if let Some(hex) = text.strip_prefix('%').and_then(|rest| rest.get(..2))
        && let Ok(byte) = u8::from_str_radix(hex, 16)
        && byte.is_ascii()
    {
        return Some((char::from(byte), 3));
    }
    text.chars().next().map(|c| (c, c.len_utf8()))
}

/// The text with every run that is part of the token replaced by `…`, however it is cased, percent-encoded or broken up
/// by characters that do not show.
fn hide(text: &str, token: &str) -> String {
    let token: Vec<char> = token.chars().map(|c| c.to_ascii_lowercase()).collect();
    let telling = TELLING.min(token.len());
    // Decoded characters with the bytes they stand for.
    let mut chars: Vec<(char, usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some((c, length)) = unescape(&text[at..]) {
        if !text::is_format(c) && !c.is_control() && !c.is_whitespace() {
            chars.push((c.to_ascii_lowercase(), at, at + length));
        }
        at += length;
    }
    let mut shown = String::with_capacity(text.len());
    let (mut kept, mut i) = (0, 0);
    while i < chars.len() {
        let run = (0..token.len())
            .map(|start| chars[i..].iter().zip(&token[start..]).take_while(|((c, ..), t)| c == *t).count())
            .max()
            .unwrap_or_default();
        if run >= telling && run > 0 {
            shown.push_str(&text[kept..chars[i].1]);
            shown.push('…');
            kept = chars[i + run - 1].2;
            i += run;
        } else {
            i += 1;
        }
    }
    shown.push_str(&text[kept..]);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECRET: &str = "k3R-q_9ZxW7bLm2PvT5yJc8NdHfGsA1o";

    fn token() -> Token {
        Token::new(SECRET).expect("a token")
    }

    fn shown(detail: &str) -> String {
        safe_detail(detail, Some(&token())).unwrap_or_default()
    }

    #[test]
    fn point_65_ynabs_text_is_safe_short_and_never_the_token() {
        assert_eq!(shown("date is invalid"), "date is invalid");
        assert_eq!(shown("a\n- forged\u{202E} line\u{0}"), "a - forged line");
        assert_eq!(shown(&"x".repeat(100_000)).chars().count(), 200);
        assert_eq!(shown(&format!("Bearer {SECRET} is bad")), "Bearer … is bad");
        assert_eq!(shown(&format!("half {} of it", &SECRET[4..20])), "half … of it");
        assert_eq!(shown(&SECRET.to_uppercase()), "…");
        let encoded: String = SECRET.bytes().map(|b| format!("%{b:02X}")).collect();
        assert_eq!(shown(&format!("token={encoded}&x")), "token=…&x");
        let broken: String = SECRET.chars().flat_map(|c| [c, '\u{200B}']).collect();
        assert!(!shown(&broken).contains("9ZxW"));
        assert_eq!(safe_detail("", Some(&token())), None);
        assert_eq!(safe_detail("\u{200B}\n", None), None);
    }

    proptest! {
        #[test]
        fn no_telling_part_of_the_token_is_left(before in ".{0,40}", start in 0usize..24, after in ".{0,40}") {
            let text = shown(&format!("{before}{}{after}", &SECRET[start..]));
            for window in SECRET.as_bytes().windows(TELLING) {
                prop_assert!(!text.contains(std::str::from_utf8(window).expect("ASCII")), "{}", text);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_token_file_is_the_users_own() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("avenir-token-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let case = |name: &str, text: &[u8], mode: u32| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("a file");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
            read(&TokenSource::File(path))
        };
        assert_eq!(
            case("good", b"\xEF\xBB\xBFsecret-token\r\n", 0o600).map(|t| t.reveal().to_owned()),
            Ok("secret-token".into())
        );
        assert!(matches!(case("open", b"secret-token", 0o640), Err(TokenFault::FileOpen(_))));
        assert!(matches!(case("all", b"secret-token", 0o604), Err(TokenFault::FileOpen(_))));
        assert!(matches!(case("empty", b" \n", 0o600), Err(TokenFault::FileEmpty(_))));
        assert!(matches!(case("two", b"two words", 0o600), Err(TokenFault::FileStrange(_))));
        assert!(matches!(case("binary", b"\xFF\xFE", 0o600), Err(TokenFault::FileStrange(_))));
        assert!(matches!(read(&TokenSource::File(folder.join("none"))), Err(TokenFault::FileMissing(_))));
        assert!(matches!(read(&TokenSource::File(folder.clone())), Err(TokenFault::FileUnreadable(_))));
        assert_eq!(read(&TokenSource::Missing), Err(TokenFault::Unset));
        let told = case("two", b"two words", 0o600).expect_err("no token").to_string();
        assert!(!told.contains("two words"));
        std::fs::remove_dir_all(&folder).expect("cleaned up");
    }
}
