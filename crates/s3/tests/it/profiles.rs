//! Profiles: files in the form of Amazon's own tools, and no network.

use std::{fs, path::Path};

use memoseal_core::Backend;
use object_store::ObjectStoreExt;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const SECRET: &str = "hunter2SECRET";

/// A folder with both files.
fn files(config: &str, credentials: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config"), config).unwrap();
    fs::write(folder.path().join("credentials"), credentials).unwrap();
    folder
}

fn open(url: &str, folder: &Path, more: &[(&str, &str)]) -> Backend {
    memoseal_s3::open(&url.parse().unwrap(), |name| match name {
        "AWS_CONFIG_FILE" => Some(folder.join("config").display().to_string()),
        "AWS_SHARED_CREDENTIALS_FILE" => Some(folder.join("credentials").display().to_string()),
        _ => more.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned()),
    })
    .unwrap()
}

/// The head of the request that reading an object through this URL (`{}` for the server) sends, in lower case.
async fn request(url: &str, folder: &Path, more: &[(&str, &str)]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("http://{}", listener.local_addr().unwrap());
    let backend = open(&url.replace("{}", &server), folder, more);
    let answer = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        String::from_utf8(head).unwrap().to_lowercase()
    };
    let path = "a".into();
    let (got, head) = tokio::join!(backend.rest().get(&path), answer);
    assert!(matches!(got, Err(object_store::Error::NotFound { .. })), "{got:?}");
    head
}

#[tokio::test]
async fn a_profile_gives_keys_and_region() {
    let folder = files(
        "[default]\nregion = eu-west-1\n[profile team]\nregion = eu-north-1\n",
        "[default]\naws_access_key_id = AKDEFAULT\naws_secret_access_key = hunter2SECRET\n\
         [team]\naws_access_key_id = AKTEAM\naws_secret_access_key = hunter2SECRET\naws_session_token = TOKEN\n",
    );
    let url = "s3://memory?endpoint={}&allow_http=true";
    let keys = [("AWS_ACCESS_KEY_ID", "AKENV"), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    for (options, more, id, region) in [
        ("", &[][..], "akdefault", "eu-west-1"),
        ("&profile=team", &[][..], "akteam", "eu-north-1"),
        ("", &[("AWS_PROFILE", "team")][..], "akteam", "eu-north-1"),
        ("&profile=default", &[("AWS_PROFILE", "team")][..], "akdefault", "eu-west-1"),
        ("&region=eu-south-1", &[("AWS_PROFILE", "team")][..], "akteam", "eu-south-1"),
        ("", &[("AWS_PROFILE", "team"), ("AWS_REGION", "eu-central-1")][..], "akteam", "eu-central-1"),
        // Keys in the environment come before a profile there, and after one in the URL.
        ("", &[("AWS_PROFILE", "team"), keys[0], keys[1]][..], "akenv", "eu-north-1"),
        ("&profile=team", &keys[..], "akteam", "eu-north-1"),
    ] {
        let head = request(&format!("{url}{options}"), folder.path(), more).await;
        let signer = format!("credential={id}/");
        assert!(head.contains(&signer) && head.contains(&format!("/{region}/s3/")), "{options} {more:?}: {head}");
        assert_eq!(head.contains("x-amz-security-token: token"), id == "akteam", "{head}");
        assert!(!head.contains("hunter2"), "{head}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_gives_keys_and_is_run_once() {
    let folder = files("", "");
    let runs = folder.path().join("runs");
    let program = folder.path().join("give");
    let answer = r#"{"Version":1,"AccessKeyId":"AKPROGRAM","SecretAccessKey":"hunter2SECRET","SessionToken":"T",
        "Expiration":"2999-01-01T00:00:00Z"}"#;
    fs::write(&program, format!("echo run >> {}\ncat <<'END'\n{answer}\nEND\n", runs.display())).unwrap();
    fs::write(folder.path().join("config"), format!("[default]\ncredential_process = sh {}\n", program.display()))
        .unwrap();

    let url = "s3://memory?endpoint={}&allow_http=true&region=eu-west-1&profile=default";
    assert!(!runs.exists());
    let head = request(url, folder.path(), &[]).await;
    assert!(head.contains("credential=akprogram/"), "{head}");

    let backend = open("s3://memory?profile=default", folder.path(), &[]);
    assert_eq!(fs::read_to_string(&runs).unwrap().lines().count(), 1, "opening fetches nothing");
    drop(backend);
}

#[tokio::test]
async fn where_there_are_none_it_is_said_what_to_do() {
    let folder = files("[profile team]\nregion = eu-west-1\n[profile broken]\ncredential_process = false\n", "");
    for (profile, parts) in [
        ("absent", ["cannot get AWS credentials", "absent", "name a profile"]),
        ("team", ["cannot get AWS credentials", "there are none", "name a profile"]),
        ("broken", ["cannot get AWS credentials", "refused or failed", "aws sso login"]),
    ] {
        // Whoever asks gets no further than the credentials: the server is never asked.
        let url = format!("s3://memory?endpoint=http://127.0.0.1:1&allow_http=true&profile={profile}");
        for store in [open(&url, folder.path(), &[]).creates(), open(&url, folder.path(), &[]).rest()] {
            let error = store.get(&"a".into()).await.map(drop).unwrap_err();
            assert!(matches!(error, object_store::Error::Unauthenticated { .. }), "{error:?}");
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{profile}: {text}");
        }
    }
}
