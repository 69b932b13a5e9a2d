//! What each failure means for a change: a clear no, never sent, or in doubt.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::*;

/// What a server does with a connection.
type Answering = &'static (dyn Fn(&mut TcpStream) + Sync);

/// What became of a change: nothing wrong, or whether it may have arrived and why it failed.
type Became = Result<(), (bool, Why)>;

/// A server that does the same to every connection; how many it had.
fn serve(answer: Answering) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (url, count) =
        (format!("http://{}", listener.local_addr().expect("an address")), Arc::new(AtomicUsize::new(0)));
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            counted.fetch_add(1, Ordering::SeqCst);
            answer(&mut stream);
        }
    });
    (url, count)
}

fn say(stream: &mut TcpStream, text: &str) {
    let mut seen = [0; 4096];
    let _ = stream.read(&mut seen);
    let _ = stream.write_all(text.as_bytes());
}

fn client(url: &str, token: TokenSource) -> Client {
    Client::over_http(Http::new(url, token))
}

fn token() -> TokenSource {
    TokenSource::Given(Token::new("the-users-token").expect("a token"))
}

async fn change(client: &Client, scope: &Scope) -> Became {
    let request = Request::get("/x".into(), "change something");
    let answer = client.send(scope, &request, Sends::Change, |reply| wire::user(&reply.body)).await;
    answer.map_err(|failed| (failed.arrived, failed.why))
}

#[tokio::test]
async fn a_clear_no_is_told_from_doubt() {
    macro_rules! answer {
        ($text:literal) => {
            &|stream: &mut TcpStream| say(stream, concat!("HTTP/1.1 ", $text))
        };
    }
    let refused = || Why::Refused(Detail(None));
    let cases: [(Answering, Became); 15] = [
        (answer!("200 OK\r\nContent-Length: 29\r\n\r\n{\"data\":{\"user\":{\"id\":\"u\"}}}\n"), Ok(())),
        (answer!("400 Bad\r\nContent-Length: 0\r\n\r\n"), Err((false, refused()))),
        (answer!("400 Bad\r\nContent-Length: 99\r\n\r\n{\"err"), Err((false, refused()))),
        (answer!("401 Who\r\nContent-Length: 0\r\n\r\n"), Err((false, Why::TokenRefused))),
        (answer!("404 None\r\nContent-Length: 0\r\n\r\n"), Err((false, Why::NotFound(Detail(None))))),
        (answer!("409 Twice\r\nContent-Length: 0\r\n\r\n"), Err((false, refused()))),
        (answer!("429 Slow\r\nRetry-After: 70\r\nContent-Length: 0\r\n\r\n"), Err((false, Why::TooMany(Minutes(70))))),
        (answer!("408 Late\r\nContent-Length: 0\r\n\r\n"), Err((true, Why::TimedOut))),
        (answer!("303 See\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n"), Err((true, Why::Redirect))),
        (answer!("500 Oh\r\nContent-Length: 0\r\n\r\n"), Err((true, Why::Server(500)))),
        (answer!("503 No\r\nContent-Length: 0\r\n\r\n"), Err((true, Why::Server(503)))),
        (answer!("200 OK\r\nContent-Length: 6\r\n\r\n<html>"), Err((true, Why::Unreadable))),
        (answer!("200 OK\r\nContent-Length: 8\r\n\r\n{\"data\":"), Err((true, Why::Broken))),
        (answer!("200 OK\r\nContent-Length: 80\r\n\r\n{\"data\":"), Err((true, Why::Broken))),
        (answer!(""), Err((true, Why::Broken))),
    ];
    for (n, (answer, meant)) in cases.into_iter().enumerate() {
        let (url, count) = serve(answer);
        assert_eq!(change(&client(&url, token()), &Scope::default()).await, meant, "case {n}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "case {n}: a change is never sent twice");
    }
}

#[tokio::test]
async fn what_never_left_changed_nothing() {
    let nobody = client("http://127.0.0.1:9", token());
    let scope = Scope::default();
    assert_eq!(change(&nobody, &scope).await, Err((false, Why::Unreachable)));
    assert_eq!(scope.requests(), 3);
    let (url, count) = serve(&|_| {});
    let unset = change(&client(&url, TokenSource::Missing), &Scope::default()).await;
    assert_eq!(unset, Err((false, TokenFault::Unset.into())));
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(change(&client(&url, token()), &Scope::new(cancel)).await, Err((false, Why::Cancelled)));
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_hour_used_up_here_is_told_with_when_to_come_back() {
    let (url, _) = serve(&|stream| {
        let user = "HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\n{\"data\":{\"user\":{\"id\":\"u\"}}}";
        while let Ok(1..) = stream.read(&mut [0; 4096]) {
            let _ = stream.write_all(user.as_bytes());
        }
    });
    let client = client(&url, token());
    for _ in 0..180 {
        assert_eq!(change(&client, &Scope::default()).await, Ok(()));
    }
    assert_eq!(client.requests_used().await, Some(180));
    let (arrived, why) = change(&client, &Scope::default()).await.expect_err("used up");
    assert!(!arrived);
    let told = Error::new("list the plans", why).to_string();
    assert!(told.contains("Try again in 60 minutes") || told.contains("Try again in 59 minutes"), "{told}");
}
