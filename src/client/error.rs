//! Owns what can go wrong between here and YNAB, in words for the agent: what was being done, what happened, what next.
//! Never holds the token, a library's own words, or YNAB's text as it came.

use std::path::PathBuf;

use crate::error::Refusal;

/// A request to YNAB that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Could not {doing}: {why}")]
pub struct Error {
    /// What was being done, as a verb: "list the plans".
    pub doing: String,
    /// What happened.
    #[source]
    pub why: Why,
}

impl Error {
    pub(super) fn new(doing: impl Into<String>, why: Why) -> Self {
        Self { doing: doing.into(), why }
    }

    /// Whether YNAB says that the thing does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self.why, Why::NotFound(_))
    }

    /// Whether the client took the call back.
    pub fn is_cancelled(&self) -> bool {
        self.why == Why::Cancelled
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::new(error.to_string())
    }
}

/// How a change ended that was not simply applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// YNAB clearly said no, or the request provably never left: nothing changed.
    #[error("{0}")]
    Refused(Error),
    /// It was sent, and whether it was applied is not known.
    #[error("{0}")]
    Doubt(Error),
}

/// What is wrong with the token or its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Neither variable is set.
    #[error(
        "no YNAB token is set. Make one at app.ynab.com under Account Settings, Developer Settings, put it in a file \
         that only you can read, name that file in YNAB_API_KEY_FILE and restart the server"
    )]
    Unset,
    /// The file is not there.
    #[error("the token's file {} does not exist. Correct YNAB_API_KEY_FILE or create the file", .0.display())]
    FileMissing(PathBuf),
    /// The file cannot be read.
    #[error("the token's file {} cannot be read. Check YNAB_API_KEY_FILE and the file's permissions", .0.display())]
    FileUnreadable(PathBuf),
    /// Others may read the file.
    #[error("the token's file {} can be read by others, so it is not used. Run: chmod 600 {}", .0.display(), .0.display())]
    FileOpen(PathBuf),
    /// The file holds no token.
    #[error("the token's file {} is empty. Put the YNAB token in it, nothing else", .0.display())]
    FileEmpty(PathBuf),
    /// The file holds something else.
    #[error("the token's file {} holds something that is no token. Put the YNAB token in it, nothing else", .0.display())]
    FileStrange(PathBuf),
}

/// What happened to a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// There is no usable token.
    #[error("{0}.")]
    Token(#[from] TokenFault),
    /// 401.
    #[error(
        "YNAB does not accept the token. Make a new one at app.ynab.com under Account Settings, Developer Settings, \
         and set it in YNAB_API_KEY_FILE or YNAB_API_KEY."
    )]
    TokenRefused,
    /// 403.1 or 403.2.
    #[error("the YNAB subscription or trial has ended. YNAB answers again once the user has renewed it.")]
    Lapsed,
    /// 403.3.
    #[error("the token may not do this (it may be limited to reading). Use a personal access token of the user.")]
    Scope,
    /// 403.4 and newer kinds, with YNAB's detail.
    #[error("YNAB refuses this for this account{0}.")]
    Forbidden(Detail),
    /// 404, with YNAB's detail.
    #[error(
        "YNAB does not find it{0}. list_plans gives the plans' ids; an account, category or transaction may have been \
         deleted since it was listed."
    )]
    NotFound(Detail),
    /// 400, 409 and other clear refusals, with YNAB's detail.
    #[error("YNAB refuses it{0}.")]
    Refused(Detail),
    /// 429, or the pause that follows one.
    #[error("YNAB has had too many requests with this token in the last hour. Try again in {0}.")]
    TooMany(Minutes),
    /// The hour's requests are used up here.
    #[error(
        "the 180 requests an hour that this server allows itself are used up (YNAB's limit is 200). Try again in {0}."
    )]
    Spent(Minutes),
    /// No answer in time.
    #[error("YNAB did not answer in time. Try again in a minute.")]
    TimedOut,
    /// No connection.
    #[error("YNAB cannot be reached. Check the internet connection (and proxy, if any), then try again.")]
    Unreachable,
    /// No trusted connection.
    #[error(
        "no secure connection to YNAB could be made. Check the machine's clock and its certificates; something between \
         may be intercepting the connection."
    )]
    Tls,
    /// The connection broke, or the answer was cut.
    #[error("the connection to YNAB broke before its answer was complete. Try again.")]
    Broken,
    /// The answer points elsewhere.
    #[error(
        "the answer is a redirect, which is never followed since the token would go with it. Check AVENIR_MCP_YNAB_URL \
         and the network."
    )]
    Redirect,
    /// The answer is larger than what is read.
    #[error("YNAB's answer is too large to be read.")]
    TooLarge,
    /// The answer is not what YNAB's contract says.
    #[error(
        "the answer is not one of YNAB's (something between may have answered instead). Try again; if it persists, \
         check AVENIR_MCP_YNAB_URL and the network."
    )]
    Unreadable,
    /// 5xx.
    #[error("YNAB has a problem of its own (status {0}). Try again in a few minutes.")]
    Server(u16),
    /// YNAB says done, and shows something else than what was asked.
    #[error("YNAB's answer does not show the change that was asked for.")]
    NotAsAsked,
    /// An id that cannot be one.
    #[error("{0:?} is not an id. list_plans gives the plans' ids, and the other lists those of what a plan holds.")]
    NotAnId(String),
    /// `last-used` with nothing to tell it by.
    #[error("which plan was used last cannot be told. Name one by its id: list_plans gives them.")]
    LastUsedUnclear,
    /// There is no plan.
    #[error("this token reaches no plan. Create one in YNAB first.")]
    NoPlan,
    /// A step that the change does not have.
    #[error("the change has no such step.")]
    NoSuchStep,
    /// The client took the call back.
    #[error("the call was cancelled.")]
    Cancelled,
}

/// YNAB's own words on an error, made safe and short; shown with a colon before them, or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail(pub Option<String>);

impl std::fmt::Display for Detail {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(words) => write!(out, ": \"{words}\""),
            None => Ok(()),
        }
    }
}

/// A wait in seconds, shown in whole minutes, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes(pub u64);

impl std::fmt::Display for Minutes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.div_ceil(60) {
            0 | 1 => out.write_str("1 minute"),
            minutes => write!(out, "{minutes} minutes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_was_done_what_happened_and_what_next() {
        let shown = |why| Error::new("list the plans", why).to_string();
        assert_eq!(
            shown(Why::TooMany(Minutes(61))),
            "Could not list the plans: YNAB has had too many requests with this token in the last hour. Try again in 2 \
             minutes."
        );
        assert_eq!(shown(Why::Refused(Detail(Some("date is invalid".into())))).matches('"').count(), 2);
        assert!(shown(Why::NotFound(Detail(None))).contains("does not find it. list_plans"));
        assert!(shown(TokenFault::Unset.into()).contains("YNAB_API_KEY_FILE"));
    }
}
