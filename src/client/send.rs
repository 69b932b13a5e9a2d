//! Owns one request from its first try to its answer: the token, the count, the tries, and the words for a failure.
//! Never decides what to ask.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};

use super::error::{Detail, Error, Minutes, TokenFault, Why};
use super::http::{self, Fault, Reply};
use super::pace::Wait;
use super::retry::{self, Failure, Sends};
use super::scope::{Progress, Scope};
use super::share::Shared;
use super::step::Request;
use super::wire::{self, WireError};
use super::{Client, Http, secret};
use crate::config::{Token, TokenSource};
use crate::demo::{self, Ynab};

/// What answers requests.
pub(super) enum Link {
    /// YNAB over HTTP, with a token and a limit.
    Http { http: http::Http, token: TokenSource, shared: Shared },
    /// The demo, in memory.
    Memory(Mutex<Ynab>),
}

/// A request that brought nothing.
pub(super) struct Failed {
    pub(super) why: Why,
    /// Whether it may have arrived and been carried out all the same.
    pub(super) arrived: bool,
    /// What a retry may make of it.
    failure: Option<Failure>,
}

impl Failed {
    /// It provably never left, and trying again at once is of no use.
    fn before(why: Why) -> Self {
        Self { why, arrived: false, failure: None }
    }
}

impl Link {
    pub(super) fn http(settings: Http) -> Self {
        Self::Http {
            shared: Shared::new(&settings.url, settings.shared_rate),
            http: http::Http::new(settings.url, settings.request_max),
            token: settings.token,
        }
    }

    pub(super) async fn used(&self, now: u64) -> Option<usize> {
        let Self::Http { token, shared, .. } = self else { return None };
        Some(shared.used(&secret::read(token).ok()?, now).await)
    }

    /// One try.
    async fn exchange(&self, request: &Request, scope: &Scope, now: u64) -> Result<Reply, Failed> {
        let (http, token, shared) = match self {
            Self::Http { http, token, shared } => (http, token, shared),
            Self::Memory(ynab) => {
                scope.sent();
                let body = request.body().unwrap_or_default().as_bytes();
                let asked = demo::Request { method: request.method().as_str(), path: request.path(), body };
                let given = ynab.lock().unwrap_or_else(PoisonError::into_inner).handle(asked);
                scope.received(given.body.len());
                let reply = Reply { status: given.status, retry_after: None, date: None, body: given.body };
                return if is_success(&reply) { Ok(reply) } else { Err(failed(&reply, None)) };
            }
        };
        let token = secret::read(token).map_err(|fault: TokenFault| Failed::before(fault.into()))?;
        shared.admit(&token, now).await.map_err(|wait| {
            Failed::before(match wait {
                Wait::Full(seconds) => Why::Spent(Minutes(seconds)),
                Wait::Paused(seconds) => Why::TooMany(Minutes(seconds)),
            })
        })?;
        scope.sent();
        match http.exchange(request, &token, scope).await {
            Ok(reply) if is_success(&reply) => Ok(reply),
            Ok(reply) => {
                let mut failed = failed(&reply, Some(&token));
                if reply.status == 429 {
                    failed.why = Why::TooMany(Minutes(shared.pause(&token, now, reply.retry_after).await));
                }
                Err(failed)
            }
            Err(Fault::NeverLeft(why)) => {
                let failure = (why != Why::Tls).then_some(Failure::NeverLeft);
                Err(Failed { why, arrived: false, failure })
            }
            Err(Fault::Lost(why)) => {
                let failure = (why == Why::Broken).then_some(Failure::Broken);
                Err(Failed { why, arrived: true, failure })
            }
        }
    }
}

fn is_success(reply: &Reply) -> bool {
    (200..300).contains(&reply.status)
}

/// What an answer other than success means.
fn failed(reply: &Reply, token: Option<&Token>) -> Failed {
    let (id, detail) = wire::error_detail(&reply.body).unwrap_or_default();
    let detail = || Detail(secret::safe_detail(&detail, token));
    let why = match reply.status {
        300..400 => Why::Redirect,
        401 => Why::TokenRefused,
        403 => match id.as_str() {
            "403.1" | "403.2" => Why::Lapsed,
            "403.3" => Why::Scope,
            _ => Why::Forbidden(detail()),
        },
        404 => Why::NotFound(detail()),
        408 => Why::TimedOut,
        400..500 => Why::Refused(detail()),
        500..600 => Why::Server(reply.status),
        _ => Why::Unreadable,
    };
    // A clear no is a 4xx that is no time-out; whatever else answered may have let the request through before.
    let arrived = !(400..500).contains(&reply.status) || reply.status == 408;
    Failed { why, arrived, failure: Some(Failure::Status(reply.status)) }
}

impl Client {
    /// Sends a request, again where that does no harm, and reads its answer.
    pub(super) async fn send<T>(
        &self,
        scope: &Scope,
        request: &Request,
        sends: Sends,
        mut take: impl FnMut(&Reply) -> Result<T, WireError>,
    ) -> Result<T, Failed> {
        let began = self.now().steady;
        let mut tries = 0;
        loop {
            if scope.is_cancelled() {
                return Err(Failed::before(Why::Cancelled));
            }
            let tried = self.0.link.exchange(request, scope, self.now().unix).await;
            tries += 1;
            let failed = match tried.map(|reply| take(&reply)) {
                Ok(Ok(taken)) => return Ok(taken),
                Ok(Err(cut)) if cut.is_cut() => {
                    Failed { why: Why::Broken, arrived: true, failure: Some(Failure::Broken) }
                }
                Ok(Err(_)) => Failed { why: Why::Unreadable, arrived: true, failure: None },
                Err(failed) => failed,
            };
            let now = self.now().steady;
            let jitter = f64::from(now.subsec_nanos() % 1_000_000) / 1_000_000.0;
            let wait = failed.failure.and_then(|failure| retry::wait(sends, failure, tries, now - began, jitter));
            let Some(wait) = wait else { return Err(failed) };
            scope.progress(Progress::Retrying { attempt: tries + 1 });
            if scope.cancel().run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                return Err(Failed::before(Why::Cancelled));
            }
        }
    }

    /// Sends a reading request.
    pub(super) async fn read<T>(
        &self,
        scope: &Scope,
        request: &Request,
        take: impl FnMut(&Reply) -> Result<T, WireError>,
    ) -> Result<T, Error> {
        let answer = self.send(scope, request, Sends::Read, take).await;
        answer.map_err(|failed| Error::new(request.doing(), failed.why))
    }
}
