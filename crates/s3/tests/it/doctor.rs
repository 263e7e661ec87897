//! The look at a bucket, on the server that `MEMOSEAL_TEST_S3_URL` names; where that is on this machine, with what endangers
//! memory planted in a bucket of the test's own.

use std::{
    env,
    io::{Read, Write},
    net::TcpStream,
};

use memoseal_doctor::{Check, Grade, Provider, Trial};

/// The server's URL, or nothing, told, where it may be absent.
fn server() -> Option<String> {
    let url = env::var("MEMOSEAL_TEST_S3_URL").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        let required = env::var("MEMOSEAL_TEST_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
        assert!(!required, "MEMOSEAL_TEST_S3_URL names no server, and MEMOSEAL_TEST_REQUIRE_SERVERS is 1");
        eprintln!("skipped: MEMOSEAL_TEST_S3_URL names no server");
    }
    url
}

async fn look(url: &str) -> Vec<Check> {
    let (backend, bucket) = memoseal_s3::inspect(&url.parse().unwrap(), |name| env::var(name).ok()).unwrap();
    let mut checks = bucket.reach().await;
    if checks.iter().all(|check| check.grade != Grade::Danger) {
        let trial = Trial::new(&backend, bucket.permissions()).unwrap();
        trial.run(&mut |check| checks.push(check)).await;
        checks.push(trial.clean_up().await);
        checks.extend(bucket.settings().await);
    }
    checks
}

fn of<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("{name} is not in {checks:#?}"))
}

#[tokio::test]
async fn a_bucket_of_the_server_can_hold_a_vault() {
    let Some(url) = server() else { return };
    let checks = look(&url).await;
    assert!(checks.iter().all(|check| check.grade != Grade::Danger), "{checks:#?}");
    for name in ["reachable", "put", "get", "list", "delete", "put-if-absent", "its races", "listing order", "clean up"]
    {
        assert_eq!(of(&checks, name).grade, Grade::Good, "{}", of(&checks, name));
    }
    for name in ["versioning", "lifecycle", "object lock", "public access", "encryption", "TLS", "credentials"] {
        of(&checks, name);
    }
}

/// One unsigned request, which only a server for tests takes; its status line.
fn plant(host: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "PUT {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_endangers_memory_is_found_on_the_server() {
    let Some(url) = server() else { return };
    let (_, options) = url.split_once('?').unwrap_or_default();
    let host = options.split('&').find_map(|option| option.strip_prefix("endpoint=http://"));
    let Some(host) = host.filter(|host| host.starts_with("127.0.0.1")) else {
        eprintln!("skipped: nothing is planted on a server that is not on this machine");
        return;
    };
    let name = format!("memoseal-doctor-{}", std::process::id());
    let place = format!("s3://{name}/team?{options}");
    let missing = look(&place).await;
    assert_eq!(of(&missing, "reachable").grade, Grade::Danger);
    assert!(of(&missing, "reachable").found.contains("there is no bucket"), "{missing:#?}");

    let made = plant(host, &format!("/{name}"), "");
    // The server that has KMS too, LocalStack, takes what is not signed.
    if made.contains(" 403") && env::var_os("MEMOSEAL_TEST_KMS_URL").is_none() {
        eprintln!("skipped: nothing is planted on a server that wants its requests signed");
        return;
    }
    assert!(made.contains(" 200"), "{made}");
    let enabled = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    assert!(plant(host, &format!("/{name}?versioning"), enabled).contains(" 200"));
    let rule = "<LifecycleConfiguration><Rule><ID>tidy</ID><Status>Enabled</Status><Filter><Prefix>team/</Prefix></Filter>\
                <Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>";
    assert!(plant(host, &format!("/{name}?lifecycle"), rule).contains(" 200"));
    let checks = look(&place).await;
    let lifecycle = of(&checks, "lifecycle");
    assert!(
        lifecycle.grade == Grade::Danger && lifecycle.found.contains("`tidy` deletes objects after 30 days"),
        "{lifecycle}"
    );
    assert_eq!(of(&checks, "versioning").grade, Grade::Warning);
    let beside = look(&place.replace("/team", "/other")).await;
    assert_eq!(of(&beside, "lifecycle").grade, Grade::Good);
}
