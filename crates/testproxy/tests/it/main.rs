//! Integration tests: what goes in comes out, and what is planned happens.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod upstream;

use std::time::Duration;

use memoseal_testproxy::{Fault, Kind, Op, Proxy, Weather, levels};

use crate::upstream::{Upstream, ask};

#[tokio::test]
async fn a_request_goes_through_as_it_is_and_is_counted() {
    let upstream = Upstream::start("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nx-some: thing\r\n\r\nhello").await;
    let proxy = Proxy::start(&upstream.url()).await.unwrap();
    let answer =
        ask(&proxy, "PUT /b/a%20b?x=%2F HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\nContent-Length: 2\r\n\r\nhi").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("x-some: thing") && answer.ends_with("hello"));
    let came = upstream.took();
    assert!(came[0].starts_with("PUT /b/a%20b?x=%2F HTTP/1.1"), "{came:?}");
    assert!(came[0].contains("if-none-match: *") && came[0].contains("host: h") && came[0].ends_with("hi"));
    assert_eq!(proxy.book().counts().into_iter().collect::<Vec<_>>(), [((Op::Create, Kind::Other), 1)]);
    assert_eq!(proxy.book().trace()[0].status, Some(200));
    assert_eq!(levels(&proxy.book().trace()), 1);
}

#[tokio::test]
async fn conditions_are_stripped_when_it_is_asked_for() {
    let upstream = Upstream::start("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let proxy = Proxy::start(&upstream.url()).await.unwrap();
    proxy.strip_conditions(true);
    ask(&proxy, "PUT /b/a HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\nContent-Length: 0\r\n\r\n").await;
    assert!(!upstream.took()[0].contains("if-none-match"));
}

#[tokio::test]
async fn each_fault_does_what_it_says() {
    let upstream = Upstream::start("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n12345678").await;
    let proxy = Proxy::start(&upstream.url()).await.unwrap();
    let get = "GET /b/a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";
    let late = Fault::Late(Duration::from_millis(1));
    for (fault, reaches, starts, ends) in [
        (Fault::Reset, false, "", ""),
        (Fault::LoseAnswer, true, "", ""),
        (late, true, "", ""),
        (Fault::Status(503, "<Error/>"), false, "HTTP/1.1 503", "<Error/>"),
        (Fault::Html, false, "HTTP/1.1 200", "</html>"),
        (Fault::Slow(Duration::from_millis(1)), true, "HTTP/1.1 200", "12345678"),
        (Fault::Truncate, true, "HTTP/1.1 200", "1234"),
    ] {
        proxy.set_rule({
            let fault = fault.clone();
            move |_| Some(fault.clone())
        });
        let answer = ask(&proxy, get).await;
        assert!(answer.starts_with(starts) && answer.ends_with(ends), "{fault:?}: {answer}");
        assert_eq!(answer.is_empty(), starts.is_empty(), "{fault:?}: {answer}");
        if reaches {
            upstream.comes().await;
        }
        assert_eq!(upstream.took().len(), usize::from(reaches), "{fault:?}");
    }
}

#[tokio::test]
async fn a_put_to_gcs_is_an_upload_on_the_other_side() {
    let about = r#"{"generation":"17","etag":"abc","name":"a b"}"#;
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{about}", about.len());
    let upstream = Upstream::start(&answer).await;
    let proxy = Proxy::start_gcs(&upstream.url()).await.unwrap();
    let put = "PUT /b/a%20b HTTP/1.1\r\nHost: h\r\nx-goog-if-generation-match: 0\r\nContent-Length: 2\r\n\r\nhi";
    let answer = ask(&proxy, put).await;
    assert!(answer.contains("x-goog-generation: 17") && answer.contains("etag: \"abc\""), "{answer}");
    let came = upstream.took();
    let line = "POST /upload/storage/v1/b/b/o?uploadType=multipart&ifGenerationMatch=0 HTTP/1.1";
    assert!(came[0].starts_with(line) && came[0].contains(r#"{"name":"a b"}"#), "{came:?}");
    assert!(came[0].contains("\r\n\r\nhi\r\n--"), "{came:?}");
}

#[test]
fn weather_is_the_same_for_the_same_seed_and_as_frequent_as_it_says() {
    let weather = Weather { resets: 100, lost: 100, late: 100, storms: 50, slow: 100, truncated: 100, html: 50 };
    let faults = |seed| {
        let mut rule = weather.seeded(seed);
        let request = upstream::some_request();
        (0..10_000).map(|_| rule(&request)).collect::<Vec<_>>()
    };
    assert_eq!(faults(7), faults(7));
    assert_ne!(faults(7), faults(8));
    let count = |is: fn(&Fault) -> bool| faults(7).iter().flatten().filter(|fault| is(fault)).count();
    assert!((700..1_300).contains(&count(|fault| *fault == Fault::LoseAnswer)));
    assert!((700..1_300).contains(&count(|fault| *fault == Fault::Truncate)));
    assert!(count(|fault| matches!(fault, Fault::Status(503, _))) > 700, "storms last");
}
