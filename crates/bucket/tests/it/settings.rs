//! Time limits and retries: from a URL, and against a server that falls silent.

use std::time::Duration;

use memoseal_bucket::Settings;
use object_store::client::{HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::parse;

fn read(options: &str) -> Result<Settings, String> {
    let location = parse(&format!("s3://memory?{options}")).map_err(|error| error.to_string())?;
    Settings::read(&location).map_err(|error| error.to_string())
}

#[test]
fn a_url_sets_times_and_retries() {
    assert_eq!(read("region=x").unwrap(), Settings::default());
    let settings =
        read("timeout=500ms&connect_timeout=2s&idle_timeout=1min&retries=3&retry_timeout=20s&allow_http=true").unwrap();
    let mut expected = Settings::default();
    expected.timeout = Duration::from_millis(500);
    expected.connect_timeout = Duration::from_secs(2);
    expected.idle_timeout = Duration::from_secs(60);
    expected.retries = 3;
    expected.retry_timeout = Duration::from_secs(20);
    expected.allow_http = true;
    assert_eq!(settings, expected);
    assert_eq!((settings.retry().max_retries, settings.retry().retry_timeout), (3, Duration::from_secs(20)));
}

#[test]
fn what_is_no_time_or_number_is_refused() {
    for (options, problem) in [
        ("timeout=10", "the setting `timeout`: it is not a time from 1ms to 60min: write it as 500ms, 10s or 2min"),
        ("timeout=0s", "not a time from 1ms"),
        ("timeout=-1s", "not a time from 1ms"),
        ("timeout=s", "not a time from 1ms"),
        ("idle_timeout=61min", "not a time from 1ms"),
        ("connect_timeout=99999999999999999999s", "not a time from 1ms"),
        ("retry_timeout=4294967295min", "not a time from 1ms"),
        ("retries=101", "the setting `retries`: it is not a whole number from 0 to 100"),
        ("retries=-1", "not a whole number"),
        ("allow_http=yes", "not true or false"),
    ] {
        let text = read(options).unwrap_err();
        assert!(text.contains(problem), "{options}: {text}");
    }
}

#[test]
fn creates_are_sent_once_and_the_rest_again() {
    let settings = Settings::default();
    assert_eq!(settings.no_retries().max_retries, 0);
    assert!(settings.retry().max_retries > 0);
    // A connection that hangs is given up early enough for another try within what the engine is patient with.
    assert!(settings.timeout * 2 < memoseal_core::Patience::default().read);
}

/// What a server does with a connection.
type Serve = fn(TcpStream) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// One request with a body of so many bytes, to a server that does this.
async fn ask(limit: Duration, len: usize, serve: Serve) -> Result<HttpResponse, HttpError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        serve(stream).await;
    });
    let mut settings = Settings::default();
    settings.timeout = limit;
    settings.allow_http = true;
    let client = settings.connector().connect(&settings.client_options()).unwrap();
    let mut request = HttpRequest::new(HttpRequestBody::from(vec![0; len]));
    *request.uri_mut() = format!("http://{address}/").parse().unwrap();
    client.execute(request).await
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(50);

async fn read_head(stream: &mut TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let error = ask(SHORT, 0, |mut stream| {
        Box::pin(async move {
            read_head(&mut stream).await;
            // Until the client goes away.
            let _ = stream.read_u8().await;
        })
    })
    .await
    .map(drop)
    .unwrap_err();
    assert_eq!(error.kind(), HttpErrorKind::Timeout);
    let text = std::error::Error::source(&error).unwrap().to_string();
    assert!(text.contains("was silent for 50ms") && text.contains("`timeout`"), "{text}");
}

#[tokio::test]
async fn an_answer_that_stops_in_its_midst_is_given_up() {
    let response = ask(LONG, 0, |mut stream| {
        Box::pin(async move {
            read_head(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").await.unwrap();
            let _ = stream.read_u8().await;
        })
    })
    .await
    .unwrap();
    // From here on time passes when nothing else happens.
    tokio::time::pause();
    let error = response.into_body().bytes().await.unwrap_err();
    assert_eq!(error.kind(), HttpErrorKind::Timeout);
}

#[tokio::test]
async fn a_page_for_people_is_no_answer() {
    let error = ask(LONG, 0, |mut stream| {
        Box::pin(async move {
            read_head(&mut stream).await;
            let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 4\r\n\r\npage";
            stream.write_all(page).await.unwrap();
        })
    })
    .await
    .map(drop)
    .unwrap_err();
    let text = std::error::Error::source(&error).unwrap().to_string();
    assert!(text.contains("a page of HTML came instead of the store's answer"), "{text}");
}

#[tokio::test]
async fn an_answer_that_comes_slowly_is_read_to_its_end() {
    let response = ask(LONG, 0, |mut stream| {
        Box::pin(async move {
            read_head(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n").await.unwrap();
            for byte in b"slow" {
                tokio::task::yield_now().await;
                stream.write_all(&[*byte]).await.unwrap();
            }
        })
    })
    .await
    .unwrap();
    assert_eq!(response.into_body().bytes().await.unwrap(), "slow");
}

/// A body of 128 KiB has two seconds more: the limit alone would be over before the request is sent.
#[tokio::test]
async fn sending_a_large_body_is_no_silence() {
    let response = ask(Duration::ZERO, 128 * 1024, |mut stream| {
        Box::pin(async move {
            read_head(&mut stream).await;
            let mut body = vec![0; 128 * 1024];
            stream.read_exact(&mut body).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        })
    })
    .await
    .unwrap();
    assert_eq!(response.status(), 200);
}
