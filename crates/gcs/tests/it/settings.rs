//! URLs and variables.

use memoseal_core::Backend;
use memoseal_gcs::Error;

const SECRET: &str = "hunter2SECRET";

fn open(url: &str, variable: (&str, &str)) -> Result<Backend, Error> {
    memoseal_gcs::open(&url.parse().unwrap(), |name| (name == variable.0).then(|| variable.1.to_owned()))
}

#[test]
fn the_creates_are_sent_once_and_the_rest_again() {
    let backend = open("gs://memory/a/b?anonymous=true", ("", "")).unwrap();
    assert_eq!(backend.prefix().as_ref(), "a/b");
    assert!(format!("{:?}", backend.creates()).contains("max_retries: 0"), "{:?}", backend.creates());
    assert!(format!("{:?}", backend.rest()).contains("max_retries: 10"), "{:?}", backend.rest());
}

#[test]
fn without_credentials_nobody_is_asked_for_a_token() {
    let backend = open("gs://memory?anonymous=true", ("", "")).unwrap();
    for store in [backend.creates(), backend.rest()] {
        let store = format!("{store:?}");
        assert!(store.contains("StaticCredentialProvider") && !store.contains("169.254.169.254"), "{store}");
    }
}

#[test]
fn the_server_is_googles_unless_the_url_names_another() {
    for (url, server) in [
        ("gs://memory", "https://storage.googleapis.com"),
        ("gs://memory?endpoint=http://127.0.0.1:4443&allow_http=true", "http://127.0.0.1:4443"),
    ] {
        let store = format!("{:?}", open(url, ("", "")).unwrap().creates());
        assert!(store.contains(&format!("base_url: \"{server}\"")), "{url}: {store}");
    }
}

#[test]
fn what_cannot_be_used_is_said_without_secrets() {
    let none = ("", "");
    for (url, variable, parts) in [
        ("s3://memory", none, ["the scheme s3:", "give one like gs://bucket/prefix"]),
        ("gs://memory?token=hunter2SECRET", none, ["no option `token`", "endpoint, anonymous, allow_http, timeout"]),
        ("gs://memory?anonymous=perhaps", none, ["`anonymous`", "true or false"]),
        ("gs://memory?endpoint=http://a.example.com", none, ["`endpoint`", "allow_http=true"]),
        (
            "gs://memory",
            ("GOOGLE_SERVICE_ACCOUNT_KEY", "{\"private_key\": \"hunter2SECRET\"}"),
            ["the bucket `memory`", "check the GOOGLE_… variables"],
        ),
        (
            "gs://memory",
            ("GOOGLE_SERVICE_ACCOUNT_KEY", "hunter2SECRET"),
            ["the bucket `memory`", "check the GOOGLE_… variables"],
        ),
        (
            "gs://memory",
            ("GOOGLE_SERVICE_ACCOUNT", "/nonexistent/key.json"),
            ["/nonexistent/key.json", "check the GOOGLE_… variables"],
        ),
    ] {
        let text = open(url, variable).map(drop).unwrap_err().to_string();
        assert!(text.starts_with("cannot ") && parts.iter().all(|part| text.contains(part)), "{url}: {text}");
        assert!(!text.contains(SECRET), "{text}");
    }
}
