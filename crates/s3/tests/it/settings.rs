//! URLs and variables.

use std::collections::HashMap;

use memoseal_core::Backend;
use memoseal_s3::Error;

const SECRET: &str = "hunter2SECRET";

fn open(url: &str, variables: &[(&str, &str)]) -> Result<Backend, Error> {
    let variables: HashMap<_, _> = variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    memoseal_s3::open(&url.parse().unwrap(), |name| variables.get(name).cloned())
}

/// What the store of the creates says about itself.
fn store(url: &str, variables: &[(&str, &str)]) -> String {
    format!("{:?}", open(url, variables).unwrap().creates())
}

const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "AKEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", SECRET)];

#[test]
fn the_creates_are_sent_once_and_the_rest_again() {
    let backend = open("s3://memory/a/b", &KEYS).unwrap();
    assert_eq!(backend.prefix().as_ref(), "a/b");
    assert!(format!("{:?}", backend.creates()).contains("max_retries: 0"), "{:?}", backend.creates());
    assert!(format!("{:?}", backend.rest()).contains("max_retries: 10"), "{:?}", backend.rest());
    assert!(!format!("{backend:?}").contains(SECRET), "{backend:?}");
}

#[test]
fn region_and_endpoint_come_from_the_url_before_the_environment() {
    let with = |url, more: (&'static str, &'static str)| store(url, &[KEYS[0], KEYS[1], more]);
    for (url, more, bucket_endpoint) in [
        ("s3://memory", ("", ""), "https://s3.us-east-1.amazonaws.com/memory"),
        ("s3://memory", ("AWS_REGION", "eu-west-1"), "https://s3.eu-west-1.amazonaws.com/memory"),
        ("s3://memory", ("AWS_DEFAULT_REGION", "eu-west-1"), "https://s3.eu-west-1.amazonaws.com/memory"),
        ("s3://memory?region=eu-north-1", ("AWS_REGION", "x"), "https://s3.eu-north-1.amazonaws.com/memory"),
        ("s3://memory?path_style=false", ("", ""), "https://memory.s3.us-east-1.amazonaws.com"),
        ("s3://memory?path_style=true", ("", ""), "https://s3.us-east-1.amazonaws.com/memory"),
        ("s3://memory", ("AWS_ENDPOINT_URL", "https://a.example.com"), "https://a.example.com/memory"),
        ("s3://memory?endpoint=https://b.example.com/", ("AWS_ENDPOINT_URL", "x"), "https://b.example.com/memory"),
        ("s3://memory?endpoint=http://127.0.0.1:9000&allow_http=true", ("", ""), "http://127.0.0.1:9000/memory"),
    ] {
        let store = with(url, more);
        assert!(store.contains(&format!("bucket_endpoint: \"{bucket_endpoint}\"")), "{url} {more:?}: {store}");
    }
}

#[test]
fn what_cannot_be_used_is_said_without_secrets() {
    for (url, variables, parts) in [
        ("gs://memory", &KEYS[..], ["the scheme gs:", "give one like s3://bucket/prefix"]),
        (
            "s3://memory?secret=hunter2SECRET",
            &KEYS[..],
            ["no option `secret`", "region, profile, endpoint, path_style, allow_http, timeout"],
        ),
        ("s3://memory--use1-az4--x-s3", &KEYS[..], ["directory bucket", "general purpose"]),
        ("s3://memory?path_style=perhaps", &KEYS[..], ["`path_style`", "true or false"]),
        ("s3://memory", &KEYS[1..], ["`AWS_SECRET_ACCESS_KEY`: it is not of use alone", "set AWS_ACCESS_KEY_ID and"]),
        ("s3://memory", &KEYS[..1], ["`AWS_ACCESS_KEY_ID`: it is not of use alone", "set AWS_ACCESS_KEY_ID and"]),
        ("s3://memory?retries=many", &KEYS[..], ["`retries`", "a whole number from 0 to 100"]),
        ("s3://memory?endpoint=http://a.example.com", &KEYS[..], ["`endpoint`", "allow_http=true"]),
    ] {
        let text = open(url, variables).map(drop).unwrap_err().to_string();
        assert!(text.starts_with("cannot ") && parts.iter().all(|part| text.contains(part)), "{url}: {text}");
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_bucket_in_the_environment_changes_nothing() {
    let odd = [KEYS[0], KEYS[1], ("AWS_BUCKET", "other"), ("AWS_CONDITIONAL_PUT", "disabled")];
    assert_eq!(store("s3://memory", &odd), store("s3://memory", &KEYS));
}
