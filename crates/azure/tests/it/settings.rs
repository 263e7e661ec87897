//! URLs and variables.

use std::collections::HashMap;

use memoseal_azure::Error;
use memoseal_core::Backend;

/// Base64, as keys of accounts are.
const SECRET: &str = "aHVudGVyMg==";

fn open(url: &str, variables: &[(&str, &str)]) -> Result<Backend, Error> {
    let variables: HashMap<_, _> = variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    memoseal_azure::open(&url.parse().unwrap(), |name| variables.get(name).cloned())
}

const KEY: [(&str, &str); 2] = [("AZURE_STORAGE_ACCOUNT_NAME", "example"), ("AZURE_STORAGE_ACCOUNT_KEY", SECRET)];

#[test]
fn the_creates_are_sent_once_and_the_rest_again() {
    let backend = open("az://memory/a/b", &KEY).unwrap();
    assert_eq!(backend.prefix().as_ref(), "a/b");
    assert!(format!("{:?}", backend.creates()).contains("max_retries: 0"), "{:?}", backend.creates());
    assert!(format!("{:?}", backend.rest()).contains("max_retries: 10"), "{:?}", backend.rest());
    assert!(!format!("{backend:?}").contains(SECRET), "{backend:?}");
}

#[test]
fn account_and_endpoint_come_from_the_url_before_the_environment() {
    for (url, variables, account) in [
        ("az://memory", &KEY[..], "example"),
        ("az://memory?account=other", &KEY[..], "other"),
        ("az://memory", &[("AZURE_STORAGE_ACCOUNT", "short"), KEY[1]][..], "short"),
        ("az://memory", &[("AZURE_STORAGE_ACCOUNT", "short"), KEY[0], KEY[1]][..], "example"),
    ] {
        let store = format!("{:?}", open(url, variables).unwrap().creates());
        assert!(store.contains(&format!("account: \"{account}\"")), "{url}: {store}");
        assert!(store.contains(&format!("{account}.blob.core.windows.net")), "{url}: {store}");
    }
    let store = format!("{:?}", open("az://memory?endpoint=https://a.example.com", &KEY).unwrap().creates());
    assert!(store.contains("a.example.com") && !store.contains("windows.net"), "{store}");
}

#[test]
fn what_cannot_be_used_is_said_without_secrets() {
    for (url, variables, parts) in [
        ("s3://memory", &KEY[..], ["the scheme s3:", "give one like az://container/prefix"]),
        (
            "az://memory?sas=aHVudGVyMg==",
            &KEY[..],
            ["no option `sas`", "account, endpoint, emulator, allow_http, timeout, connect_timeout"],
        ),
        ("az://memory?emulator=perhaps", &KEY[..], ["`emulator`", "true or false"]),
        ("az://memory", &KEY[1..], ["the container `memory`", "check the AZURE_… variables"]),
        (
            "az://memory",
            &[KEY[0], ("AZURE_STORAGE_ACCOUNT_KEY", "%aHVudGVyMg==")],
            ["the container `memory`", "check the AZURE_… variables"],
        ),
        ("az://memory?endpoint=http://a.example.com", &KEY[..], ["`endpoint`", "allow_http=true"]),
    ] {
        let text = open(url, variables).map(drop).unwrap_err().to_string();
        assert!(text.starts_with("cannot ") && parts.iter().all(|part| text.contains(part)), "{url}: {text}");
        assert!(!text.contains(SECRET), "{text}");
    }
}
