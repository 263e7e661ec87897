//! Integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod settings;

use memoseal_bucket::{Error, Location, Scheme};

const SCHEME: Scheme = Scheme { name: "s3", example: "s3://bucket/prefix", options: &["endpoint", "region"] };

const SECRET: &str = "hunter2SECRET";

fn parse(url: &str) -> Result<Location, Error> {
    Location::parse(&url.parse().unwrap(), &SCHEME)
}

#[test]
fn a_url_names_bucket_prefix_and_options() {
    for (url, bucket, prefix) in [
        ("s3://memory", "memory", ""),
        ("s3://memory/", "memory", ""),
        ("s3://memory/a/b/", "memory", "a/b"),
        ("s3://My.memory_1/a%20b/c", "My.memory_1", "a b/c"),
        ("s3://memory/a/../b?region=x", "memory", "b"),
    ] {
        let location = parse(url).unwrap();
        assert_eq!((location.bucket(), location.prefix().as_ref()), (bucket, prefix), "{url}");
    }
    let location = parse("s3://memory?region=eu-central-1&allow_http=true").unwrap();
    assert_eq!(location.option("region"), Some("eu-central-1"));
    assert_eq!(location.option("endpoint"), None);
    assert!(location.flag("allow_http").unwrap());
    assert!(!parse("s3://memory?allow_http=false").unwrap().flag("allow_http").unwrap());
}

#[test]
fn what_is_no_such_url_is_refused_without_repeating_a_secret() {
    for (url, problem) in [
        ("gs://memory/a", "the scheme gs:"),
        ("s3:///a", "no bucket"),
        ("s3:memory", "no bucket"),
        ("s3://key:hunter2SECRET@memory/a", "a user name or password"),
        ("s3://hunter2SECRET@memory/a", "a user name or password"),
        ("s3://memory:9000/a", "a port"),
        ("s3://memory/a#hunter2SECRET", "a fragment"),
        ("s3://hunter2%2FSECRET/a", "a bucket that cannot be one"),
        ("s3://memory/a//b", "a prefix with empty segments"),
        ("s3://memory/a?secret_access_key=hunter2SECRET", "there is no option `secret_access_key`"),
        ("s3://memory/a?hunter2SECRET", "there is no option `…`"),
        ("s3://memory/a?region=hunter2SECRET&region=x", "it has twice the option `region`"),
        ("s3://memory/a?region=", "the setting `region`: it is not allowed to be empty"),
    ] {
        let text = parse(url).map(drop).unwrap_err().to_string();
        assert!(text.starts_with("cannot ") && text.contains(problem), "{url}: {text}");
        assert!(!text.contains(SECRET), "{text}");
        assert!(text.matches(": ").count() >= 2, "three parts: {text}");
    }
    let text = parse("s3://memory?allow_http=hunter2SECRET").unwrap().flag("allow_http").unwrap_err().to_string();
    assert_eq!(text, "cannot use the setting `allow_http`: it is not true or false: write it in lower case");
    let debug = format!("{:?}", parse("s3://memory/a?region=hunter2SECRET").unwrap());
    assert!(!debug.contains(SECRET), "{debug}");
}

#[test]
fn an_endpoint_is_a_server_and_encrypted_unless_that_is_waived() {
    let none = |_: &str| None;
    let endpoint = |options: &str| parse(&format!("s3://memory?{options}")).unwrap().endpoint(&["A", "B"], none);
    assert_eq!(endpoint("").unwrap(), None);
    assert_eq!(endpoint("endpoint=https://a.example.com/").unwrap().as_deref(), Some("https://a.example.com"));
    let local = endpoint("endpoint=http://127.0.0.1:9000&allow_http=true").unwrap();
    assert_eq!(local.as_deref(), Some("http://127.0.0.1:9000"));
    for (options, problem) in [
        ("endpoint=http://127.0.0.1:9000", "begins with http:"),
        ("endpoint=http://127.0.0.1:9000&allow_http=false", "begins with http:"),
        ("endpoint=ftp://a.example.com", "is not the URL of a server"),
        ("endpoint=hunter2SECRET", "is not the URL of a server"),
        ("endpoint=https://user:hunter2SECRET@a.example.com", "is not the URL of a server"),
        ("endpoint=https://a.example.com?hunter2SECRET", "is not the URL of a server"),
    ] {
        let text = endpoint(options).unwrap_err().to_string();
        assert!(text.contains(problem) && text.contains("`endpoint`") && !text.contains(SECRET), "{options}: {text}");
    }

    // The option, then the variables in order; an empty one is as if it were not there.
    let location = parse("s3://memory").unwrap();
    let both = |name: &str| Some(format!("https://{}.example.com", name.to_lowercase()));
    assert_eq!(location.endpoint(&["A", "B"], both).unwrap().as_deref(), Some("https://a.example.com"));
    let second = |name: &str| Some(if name == "A" { String::new() } else { "https://b.example.com".into() });
    assert_eq!(location.endpoint(&["A", "B"], second).unwrap().as_deref(), Some("https://b.example.com"));
    let clear = |_: &str| Some("http://a.example.com".to_owned());
    assert!(location.endpoint(&["A"], clear).unwrap_err().to_string().contains("the endpoint in `A`"));
}
