//! Owns the environment: every setting, read once, a bad value refused in one sentence. Never prints the token.

use std::fmt;
use std::path::PathBuf;

use crate::dates::{Date, parse_date};

/// YNAB's own address.
pub const YNAB_URL: &str = "https://api.ynab.com/v1";
/// The confidence a suggested category must reach when the user sets none.
pub const CONFIDENCE_THRESHOLD: f64 = 0.90;

/// The user's YNAB token. It has no `Display`, and its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token: visible ASCII without spaces.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// The secret itself, for the one header that carries it and for hiding it in what others wrote.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(…)")
    }
}

/// Where the token comes from. It is looked up when the first request needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// `YNAB_API_KEY`.
    Given(Token),
    /// `YNAB_API_KEY_FILE`.
    File(PathBuf),
    /// Neither is set.
    Missing,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// One line per call.
    Info,
    /// What needs attention.
    Warning,
    /// What failed.
    Error,
    /// Nothing but the end.
    Critical,
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

/// Every setting.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the token comes from.
    pub token: TokenSource,
    /// YNAB's address, without a slash at its end.
    pub url: String,
    /// Whether write tools exist.
    pub write: bool,
    /// Whether only the user's own answer counts as a yes.
    pub require_elicitation: bool,
    /// The journal's file, where the user names one.
    pub journal: Option<PathBuf>,
    /// The folder of the journal when none is named: `$XDG_STATE_HOME/avenir-mcp` or `~/.local/state/avenir-mcp`.
    pub state: Option<PathBuf>,
    /// The day that stands for today.
    pub today: Option<Date>,
    /// The confidence a suggested category must reach, 0 to 1.
    pub confidence_threshold: f64,
    /// How much is logged.
    pub log_level: LogLevel,
    /// How it is written.
    pub log_format: LogFormat,
    /// The folder that statements may be read from.
    pub statements: Option<PathBuf>,
    /// Variables that start with `AVENIR_MCP_` and mean nothing.
    pub unknown: Vec<String>,
}

/// A setting that cannot be used, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

fn bad<T>(sentence: impl Into<String>) -> Result<T, ConfigError> {
    Err(ConfigError(sentence.into()))
}

const KNOWN: [&str; 10] = [
    "AVENIR_MCP_WRITE",
    "AVENIR_MCP_REQUIRE_ELICITATION",
    "AVENIR_MCP_JOURNAL",
    "AVENIR_MCP_YNAB_URL",
    "AVENIR_MCP_TODAY",
    "AVENIR_MCP_CONFIDENCE_THRESHOLD",
    "AVENIR_MCP_LOG_LEVEL",
    "AVENIR_MCP_LOG_FORMAT",
    "AVENIR_MCP_STATEMENTS",
    // The Python server's switch; there is no update check here to switch off.
    "AVENIR_MCP_NO_UPDATE_CHECK",
];

impl Config {
    /// The settings of this process's environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_pairs(&Self::variables()?)
    }

    /// The variables of this process that are settings, or that say where the home folder is.
    pub fn variables() -> Result<Vec<(String, String)>, ConfigError> {
        let mut set = Vec::new();
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str() else { continue };
            let others = ["YNAB_API_KEY", "YNAB_API_KEY_FILE", "HOME", "USERPROFILE", "XDG_STATE_HOME"];
            if !name.starts_with("AVENIR_MCP_") && !others.contains(&name) {
                continue;
            }
            match value.into_string() {
                Ok(value) => set.push((name.to_owned(), value)),
                Err(_) => return bad(format!("{name} is not valid text: set it to plain UTF-8.")),
            }
        }
        Ok(set)
    }

    /// The settings of these variables.
    pub fn from_pairs(set: &[(String, String)]) -> Result<Self, ConfigError> {
        let get = |wanted: &str| {
            set.iter().find(|(name, value)| name == wanted && !value.is_empty()).map(|(_, value)| value.as_str())
        };
        let token = match (get("YNAB_API_KEY"), get("YNAB_API_KEY_FILE")) {
            (Some(text), _) => match Token::new(text) {
                Some(token) => TokenSource::Given(token),
                None => return bad("YNAB_API_KEY holds characters that no token has: copy the token again from YNAB."),
            },
            (None, Some(file)) => TokenSource::File(file.into()),
            (None, None) => TokenSource::Missing,
        };
        let absolute = |path: &str| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        let state = get("XDG_STATE_HOME")
            .and_then(absolute)
            .or_else(|| get("HOME").or_else(|| get("USERPROFILE")).and_then(absolute).map(|h| h.join(".local/state")))
            .map(|folder| folder.join("avenir-mcp"));
        Ok(Self {
            token,
            url: url(get("AVENIR_MCP_YNAB_URL"))?,
            write: switch("AVENIR_MCP_WRITE", get("AVENIR_MCP_WRITE"))?,
            require_elicitation: switch("AVENIR_MCP_REQUIRE_ELICITATION", get("AVENIR_MCP_REQUIRE_ELICITATION"))?,
            journal: get("AVENIR_MCP_JOURNAL").map(PathBuf::from),
            state,
            today: match get("AVENIR_MCP_TODAY").map(|text| (text, parse_date(text))) {
                None => None,
                Some((_, Some(date))) => Some(date),
                Some((text, None)) => {
                    return bad(format!("AVENIR_MCP_TODAY must be a day such as 2026-03-17, not {text:?}."));
                }
            },
            confidence_threshold: threshold(get("AVENIR_MCP_CONFIDENCE_THRESHOLD"))?,
            log_level: log_level(get("AVENIR_MCP_LOG_LEVEL"))?,
            log_format: log_format(get("AVENIR_MCP_LOG_FORMAT"))?,
            statements: get("AVENIR_MCP_STATEMENTS").map(PathBuf::from),
            unknown: set
                .iter()
                .map(|(name, _)| name.clone())
                .filter(|name| name.starts_with("AVENIR_MCP_") && !KNOWN.contains(&name.as_str()))
                .collect(),
        })
    }
}

fn switch(name: &str, value: Option<&str>) -> Result<bool, ConfigError> {
    match value {
        // The words are what a switch of a Claude Desktop extension gives.
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(other) => bad(format!("{name} must be 1 (on) or 0 (off), not {other:?}.")),
    }
}

fn threshold(value: Option<&str>) -> Result<f64, ConfigError> {
    let Some(text) = value else { return Ok(CONFIDENCE_THRESHOLD) };
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => bad(format!("AVENIR_MCP_CONFIDENCE_THRESHOLD must be a number from 0 to 1, not {text:?}.")),
    }
}

fn log_level(value: Option<&str>) -> Result<LogLevel, ConfigError> {
    Ok(match value.map(str::to_ascii_uppercase).as_deref() {
        None | Some("WARNING") => LogLevel::Warning,
        Some("DEBUG") => LogLevel::Debug,
        Some("INFO") => LogLevel::Info,
        Some("ERROR") => LogLevel::Error,
        Some("CRITICAL") => LogLevel::Critical,
        Some(other) => {
            return bad(format!(
                "AVENIR_MCP_LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not {other:?}."
            ));
        }
    })
}

fn log_format(value: Option<&str>) -> Result<LogFormat, ConfigError> {
    Ok(match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("text") => LogFormat::Text,
        Some("json") => LogFormat::Json,
        Some(other) => return bad(format!("AVENIR_MCP_LOG_FORMAT must be text or json, not {other:?}.")),
    })
}

/// https anywhere, http on this machine only: the token must not cross a network in the clear.
fn url(value: Option<&str>) -> Result<String, ConfigError> {
    let Some(text) = value else { return Ok(YNAB_URL.to_owned()) };
    let told = "AVENIR_MCP_YNAB_URL must be an https address, or http on this machine (127.0.0.1, localhost, [::1])";
    let Ok(address) = reqwest::Url::parse(text) else { return bad(format!("{told}.")) };
    let local = matches!(address.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let allowed = match address.scheme() {
        "https" => address.host_str().is_some(),
        "http" => local,
        _ => false,
    };
    if !allowed {
        return bad(format!("{told}."));
    }
    if !address.username().is_empty() || address.password().is_some() {
        return bad("AVENIR_MCP_YNAB_URL must not hold a name or a password.");
    }
    if address.query().is_some() || address.fragment().is_some() {
        return bad("AVENIR_MCP_YNAB_URL must end with its path, without ? or #.");
    }
    Ok(address.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let set: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Config::from_pairs(&set)
    }

    #[test]
    fn nothing_set_is_read_only_at_ynab() {
        let config = read(&[("HOME", "/home/me")]).expect("defaults");
        assert_eq!((config.url.as_str(), config.write, config.require_elicitation), (YNAB_URL, false, false));
        assert_eq!(config.state, Some("/home/me/.local/state/avenir-mcp".into()));
        assert_eq!(config.token, TokenSource::Missing);
        let config = read(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/state")]).expect("a state folder");
        assert_eq!(config.state, Some("/state/avenir-mcp".into()));
        let relative = read(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "state")]).expect("a relative one is ignored");
        assert_eq!(relative.state, Some("/home/me/.local/state/avenir-mcp".into()));
    }

    #[test]
    fn a_bad_value_is_one_sentence_that_names_the_variable() {
        let cases = [
            ("AVENIR_MCP_WRITE", "yes"),
            ("AVENIR_MCP_REQUIRE_ELICITATION", "on"),
            ("AVENIR_MCP_TODAY", "17/03/2026"),
            ("AVENIR_MCP_CONFIDENCE_THRESHOLD", "1.5"),
            ("AVENIR_MCP_CONFIDENCE_THRESHOLD", "nan"),
            ("AVENIR_MCP_LOG_LEVEL", "LOUD"),
            ("AVENIR_MCP_LOG_FORMAT", "xml"),
            ("AVENIR_MCP_YNAB_URL", "http://api.ynab.com/v1"),
            ("AVENIR_MCP_YNAB_URL", "http://127.0.0.1.evil.example/v1"),
            ("AVENIR_MCP_YNAB_URL", "https://me:secret@example.com"),
            ("AVENIR_MCP_YNAB_URL", "ftp://example.com"),
            ("AVENIR_MCP_YNAB_URL", "api.ynab.com"),
            ("YNAB_API_KEY", "two words"),
        ];
        for (name, value) in cases {
            let error = read(&[(name, value)]).expect_err(value).to_string();
            assert!(error.contains(name) && error.ends_with('.') && !error.contains('\n'), "{error}");
        }
        let error = read(&[("YNAB_API_KEY", "sec ret")]).expect_err("spaces").to_string();
        assert!(!error.contains("sec ret"));
    }

    #[test]
    fn good_values_in_any_case() {
        let config = read(&[
            ("AVENIR_MCP_LOG_LEVEL", "debug"),
            ("AVENIR_MCP_LOG_FORMAT", "JSON"),
            ("AVENIR_MCP_YNAB_URL", "http://[::1]:8080/v1/"),
            ("AVENIR_MCP_WRITE", "1"),
            ("AVENIR_MCP_REQUIRE_ELICITATION", "true"),
            ("AVENIR_MCP_FROBNICATE", "1"),
        ])
        .expect("good values");
        assert_eq!((config.log_level, config.log_format), (LogLevel::Debug, LogFormat::Json));
        assert_eq!(config.url, "http://[::1]:8080/v1");
        assert!(config.write && config.require_elicitation);
        assert!(!read(&[("AVENIR_MCP_WRITE", "false")]).expect("off").write);
        assert_eq!(config.unknown, ["AVENIR_MCP_FROBNICATE"]);
    }

    #[test]
    fn the_token_does_not_print() {
        let token = Token::new("very-secret").expect("a token");
        assert!(!format!("{token:?}").contains("secret"));
    }
}
