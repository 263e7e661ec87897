//! The servers that tests were told of.

use std::{
    env,
    time::{SystemTime, UNIX_EPOCH},
};

use memoseal_testproxy::Proxy;

/// The bucket, or container, that each has.
const BUCKET: &str = "memoseal";
/// With this at 1 a server that is not named is a failure and not skipped.
const REQUIRE: &str = "MEMOSEAL_TEST_REQUIRE_SERVERS";

/// A server that `cargo xtask test` has started.
#[derive(Clone, Debug)]
pub struct Server {
    /// What it is called.
    pub name: &'static str,
    kind: Kind,
    /// Its address, `http://127.0.0.1:port`.
    pub url: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    LocalStack,
    Ceph,
    Azurite,
    FakeGcs,
}

const ALL: [(&str, &str, Kind); 4] = [
    ("LocalStack", "MEMOSEAL_TEST_LOCALSTACK", Kind::LocalStack),
    ("Ceph", "MEMOSEAL_TEST_CEPH", Kind::Ceph),
    ("Azurite", "MEMOSEAL_TEST_AZURITE", Kind::Azurite),
    ("fake-gcs-server", "MEMOSEAL_TEST_FAKE_GCS", Kind::FakeGcs),
];

impl Server {
    /// The one of this name; nothing, which is said, if it was not started and need not be.
    ///
    /// # Panics
    ///
    /// It has to be there, or nobody knows it.
    pub fn named(name: &str) -> Option<Self> {
        let known = ALL.iter().find(|(known, ..)| *known == name);
        assert!(known.is_some(), "nobody knows a server {name}");
        let (name, variable, kind) = *known?;
        Some(Self { name, kind, url: variable_of(variable)? })
    }

    /// A proxy before it.
    ///
    /// # Errors
    ///
    /// As of [`Proxy::start`].
    pub async fn proxy(&self) -> std::io::Result<Proxy> {
        match self.kind {
            Kind::FakeGcs => Proxy::start_gcs(&self.url).await,
            _ => Proxy::start(&self.url).await,
        }
    }

    /// The URL of a new place on it, reached through `proxy`.
    pub fn place(&self, proxy: &Proxy) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        self.place_at(proxy, &format!("across/{now:x}-{}", std::process::id()))
    }

    /// The URL of the place below `prefix`, reached through `proxy`.
    pub fn place_at(&self, proxy: &Proxy, prefix: &str) -> String {
        self.url_of(&proxy.url(), prefix)
    }

    /// The URL of the place below `prefix`, reached at `endpoint`: that of a proxy, or the server's own.
    pub fn url_of(&self, endpoint: &str, prefix: &str) -> String {
        match self.kind {
            Kind::LocalStack | Kind::Ceph => format!("s3://{BUCKET}/{prefix}?endpoint={endpoint}&allow_http=true"),
            Kind::Azurite => format!("az://{BUCKET}/{prefix}?emulator=true"),
            Kind::FakeGcs => format!("gs://{BUCKET}/{prefix}?endpoint={endpoint}&allow_http=true&anonymous=true"),
        }
    }

    /// The bucket, or container, in which these places are.
    pub fn bucket(&self) -> &'static str {
        BUCKET
    }

    /// The credentials, as environment variables; none where nobody asks for any.
    pub fn keys(&self) -> Vec<(&'static str, String)> {
        let keys = |secret: &str| vec![("AWS_ACCESS_KEY_ID", "test".into()), ("AWS_SECRET_ACCESS_KEY", secret.into())];
        match self.kind {
            Kind::LocalStack => keys("test"),
            Kind::Ceph => keys("testtest"),
            Kind::Azurite | Kind::FakeGcs => vec![],
        }
    }

    /// What the program needs in its environment to reach it through `proxy`.
    pub fn environment(&self, proxy: &Proxy) -> Vec<(&'static str, String)> {
        match self.kind {
            Kind::Azurite => vec![("AZURITE_BLOB_STORAGE_URL", proxy.url())],
            _ => self.keys(),
        }
    }
}

/// What a variable says; nothing, which is said, if it is not set and need not be.
///
/// # Panics
///
/// It has to be set.
pub fn variable_of(variable: &str) -> Option<String> {
    let value = env::var(variable).ok().filter(|value| !value.is_empty());
    let is_required = env::var(REQUIRE).is_ok_and(|value| value == "1");
    assert!(value.is_some() || !is_required, "{variable} is not set, and {REQUIRE} is 1");
    if value.is_none() {
        eprintln!("SKIPPED: {variable} is not set; `cargo xtask test --only servers` sets it");
    }
    value
}
