//! Which URLs lead to a backend, and what is said of the others.

use memoseal::{Error, Key};

async fn refusal(url: &str) -> String {
    match memoseal::open(url, Key::raw([7; 32])).await {
        Err(Error::Invalid(text)) => text,
        Err(other) => panic!("{url}: {other}"),
        Ok(_) => panic!("{url} was opened"),
    }
}

#[tokio::test]
async fn what_is_no_url_is_not_repeated() {
    for url in ["s3://user:hunter2@:9000/a", "http://user:hunter2@", "s3://[hunter2/a"] {
        let text = refusal(url).await;
        assert!(text.contains("is not a vault URL") && text.contains("give one such as"), "{url}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_scheme_without_a_backend_is_named_and_nothing_else() {
    let text = refusal("ftp://user:hunter2@example.com/a?token=hunter2").await;
    assert!(text.starts_with("cannot open the vault: no backend serves `ftp:` URLs, this build has "), "{text}");
    assert!(text.contains("begin with file:, s3:, gs: or az:") && !text.contains("hunter2"), "{text}");
    let Err(Error::Invalid(text)) = memoseal::create("ftp://example.com", Key::raw([7; 32])).await else {
        panic!("a vault was made at an ftp: URL")
    };
    assert!(text.starts_with("cannot make the vault: "), "{text}");
}

/// With the feature the backend's own refusal, without it the name of the feature: neither sends anything.
#[tokio::test]
async fn buckets_are_served_by_their_features() {
    for (scheme, feature, is_built) in [
        ("s3", "s3", cfg!(feature = "s3")),
        ("gs", "gcs", cfg!(feature = "gcs")),
        ("az", "azure", cfg!(feature = "azure")),
    ] {
        let text = refusal(&format!("{scheme}://user:hunter2@memory/a?token=hunter2")).await;
        let expected = match is_built {
            true => "a user name or password".to_owned(),
            false => format!("build memoseal with the feature `{feature}`"),
        };
        assert!(text.contains(&expected) && !text.contains("hunter2"), "{scheme}: {text}");
    }
}
