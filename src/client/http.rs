//! Owns one exchange with YNAB over HTTP: the connection, its limits, and what each failure means.
//! Never retries, counts or follows a redirect, and connects to nothing before the first exchange.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;

use super::error::Why;
use super::scope::{Progress, Scope};
use super::step::{Method, Request};
use crate::config::Token;

/// How long a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long a request may take with its whole answer.
pub(super) const REQUEST_MAX: Duration = Duration::from_secs(35);
/// How long an idle connection is kept.
const IDLE_MAX: Duration = Duration::from_secs(50);
/// The largest answer that is read, unpacked.
const BODY_MAX: usize = 256 << 20;
/// The largest part of an error's body that is read.
const ERROR_MAX: usize = 64 << 10;
/// How much of an answer arrives between two reports of progress.
const REPORT_EVERY: usize = 1 << 20;

/// An answer.
pub(super) struct Reply {
    pub(super) status: u16,
    /// Seconds that a 429 asks to wait.
    pub(super) retry_after: Option<u64>,
    /// YNAB's clock, in seconds since 1970.
    pub(super) date: Option<i64>,
    pub(super) body: Vec<u8>,
}

/// An exchange without an answer.
pub(super) enum Fault {
    /// The request provably never left.
    NeverLeft(Why),
    /// It may have arrived.
    Lost(Why),
}

/// The way to YNAB.
pub(super) struct Http {
    url: String,
    request_max: Duration,
    client: OnceLock<Option<reqwest::Client>>,
}

impl Http {
    pub(super) fn new(url: String, request_max: Duration) -> Self {
        Self { url, request_max, client: OnceLock::new() }
    }

    fn build(&self) -> Option<reqwest::Client> {
        // Another part of the process may have installed one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .user_agent(concat!("avenir-mcp/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_MAX)
            .timeout(self.request_max)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(IDLE_MAX)
            .redirect(Policy::none())
            .referer(false);
        // Plain HTTP is for this machine alone: the system's certificates need not be read for it.
        let plain = self.url.starts_with("http://");
        let builder = if plain { builder.tls_certs_only([]) } else { builder };
        builder.build().inspect_err(|error| tracing::debug!(%error, "no HTTP client")).ok()
    }

    pub(super) async fn exchange(&self, request: &Request, token: &Token, scope: &Scope) -> Result<Reply, Fault> {
        let Some(client) = self.client.get_or_init(|| self.build()) else { return Err(Fault::NeverLeft(Why::Tls)) };
        let Ok(mut bearer) = HeaderValue::try_from(format!("Bearer {}", token.reveal())) else {
            return Err(Fault::NeverLeft(Why::TokenRefused));
        };
        bearer.set_sensitive(true);
        let method = match request.method() {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut sent = client
            .request(method, format!("{}{}", self.url, request.path()))
            .header(AUTHORIZATION, bearer)
            .header(ACCEPT, "application/json");
        if let Some(body) = request.body() {
            sent = sent.header(CONTENT_TYPE, "application/json").body(body.to_owned());
        }
        let response = sent.send().await.map_err(fault)?;
        let status = response.status().as_u16();
        let (retry_after, date) = (retry_after(response.headers()), date(response.headers()));
        let good = response.status().is_success();
        let body = match body(response, if good { BODY_MAX } else { ERROR_MAX }, scope).await {
            Ok(body) => body,
            Err(why) if good => return Err(Fault::Lost(why)),
            Err(_) => Vec::new(),
        };
        Ok(Reply { status, retry_after, date, body })
    }
}

async fn body(mut response: reqwest::Response, most: usize, scope: &Scope) -> Result<Vec<u8>, Why> {
    let total = response.content_length();
    let mut body = Vec::with_capacity(total.map_or(0, |bytes| bytes.min(most as u64) as usize));
    let mut told = 0;
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if body.len() + chunk.len() > most {
                    return Err(Why::TooLarge);
                }
                body.extend_from_slice(&chunk);
                scope.received(chunk.len());
                if body.len() - told >= REPORT_EVERY {
                    told = body.len();
                    scope.progress(Progress::Downloading { bytes: told as u64, total });
                }
            }
            Ok(None) => return Ok(body),
            Err(error) if error.is_timeout() => return Err(Why::TimedOut),
            Err(_) => return Err(Why::Broken),
        }
    }
}

/// What a failed exchange means. A connection that was never made carried nothing.
fn fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    tracing::debug!(%error, "no answer from YNAB");
    match (error.is_connect() || error.is_builder(), error.is_timeout()) {
        (true, _) if is_tls(&error) => Fault::NeverLeft(Why::Tls),
        (true, true) => Fault::NeverLeft(Why::TimedOut),
        (true, false) => Fault::NeverLeft(Why::Unreachable),
        (false, true) => Fault::Lost(Why::TimedOut),
        (false, false) => Fault::Lost(Why::Broken),
    }
}

/// Whether TLS is what failed, somewhere inside; an I/O error hides what it holds from its own sources.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_tls(inner)) || error.source().is_some_and(is_tls)
}

fn moment(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Option<i64> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_second())
}

fn date(headers: &HeaderMap) -> Option<i64> {
    moment(headers, DATE)
}

/// Seconds to wait: a number, or a day and time less YNAB's own.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    text.parse().ok().or_else(|| u64::try_from(moment(headers, RETRY_AFTER)? - date(headers)?).ok())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// What one connection to a server that answers these bytes gives.
    async fn reply(scheme: &str, answer: &'static [u8]) -> Result<Reply, Fault> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
        });
        let token = Token::new("the-users-token").expect("a token");
        let request = Request::get("/x".into(), "read something");
        Http::new(url, REQUEST_MAX).exchange(&request, &token, &Scope::default()).await
    }

    #[tokio::test]
    async fn a_packed_answer_is_unpacked() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 45\r\n\r\n\
            \x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x49\x2c\x49\x54\xb2\xaa\x56\x2a\x2d\x4e\x2d\x02\xd1\
            \x99\x29\x4a\x56\x4a\xa5\x4a\xb5\xb5\xb5\x00\x1e\x45\x34\x48\x1c\x00\x00\x00";
        let unpacked = reply("http", answer).await.map(|reply| reply.body);
        assert_eq!(unpacked.ok().as_deref(), Some(&br#"{"data":{"user":{"id":"u"}}}"#[..]));
    }

    #[tokio::test]
    async fn an_answer_without_tls_is_no_secure_connection() {
        let fault = reply("https", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.map(drop);
        assert!(matches!(fault, Err(Fault::NeverLeft(Why::Tls))));
    }

    #[tokio::test]
    async fn more_than_the_most_is_not_read() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while stream.write_all(b"5\r\n[1,2,\r\n").is_ok() {}
        });
        let client = Http::new(url.clone(), REQUEST_MAX).build().expect("a client");
        let response = client.get(url).send().await.expect("an answer");
        assert_eq!(body(response, 100_000, &Scope::default()).await, Err(Why::TooLarge));
    }

    #[test]
    fn retry_after_is_seconds_or_a_moment() {
        let of = |pairs: &[(reqwest::header::HeaderName, &'static str)]| {
            retry_after(&pairs.iter().map(|(name, text)| (name.clone(), HeaderValue::from_static(text))).collect())
        };
        assert_eq!(of(&[(RETRY_AFTER, "120")]), Some(120));
        let date = (DATE, "Tue, 17 Mar 2026 10:00:00 GMT");
        assert_eq!(of(&[date.clone(), (RETRY_AFTER, "Tue, 17 Mar 2026 10:02:30 GMT")]), Some(150));
        assert_eq!(of(&[date, (RETRY_AFTER, "Tue, 17 Mar 2026 09:00:00 GMT")]), None);
        assert_eq!(of(&[(RETRY_AFTER, "soon")]), None);
        assert_eq!(of(&[]), None);
    }
}
