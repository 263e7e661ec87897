//! KMS against answers of the tests' own.

use memoseal_core::key_service::{KeyService, RawKey, ServiceError};
use memoseal_s3::{Error, Kms};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const KEY: &str = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const VAULT: [u8; 16] = [9; 16];

fn kms(arn: &str, variables: &[(&str, &str)]) -> Result<Kms, Error> {
    Kms::new(arn, None, |name| {
        let found = variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
        found.or_else(|| matches!(name, "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY").then(|| "hunter2".to_owned()))
    })
}

/// Answers one request, and gives its head in lower case and its body.
async fn serve(listener: TcpListener, status: &str, answer: &str) -> (String, String) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: {}\r\n\r\n{answer}",
        answer.len()
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
    (head, String::from_utf8(body).unwrap())
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

/// What unwrapping comes to when KMS answers so.
async fn unwrapped(status: &str, answer: &str) -> Result<RawKey, ServiceError> {
    let (listener, url) = listener().await;
    let kms = kms(KEY, &[("AWS_ENDPOINT_URL_KMS", &url)]).unwrap();
    let (answer, _) = tokio::join!(kms.unwrap(&VAULT, b"blob"), serve(listener, status, answer));
    answer
}

#[tokio::test]
async fn calls_name_the_key_and_the_vault_and_go_to_the_keys_region() {
    let (server, url) = listener().await;
    let kms = kms(KEY, &[("AWS_ENDPOINT_URL_KMS", &url), ("AWS_REGION", "us-west-2")]).unwrap();
    let secret = RawKey::from_bytes([3; 32]);
    let answer = serve(server, "200 OK", "{\"CiphertextBlob\":\"YmxvYg==\"}");
    let (wrapped, (head, body)) = tokio::join!(kms.wrap(&VAULT, &secret), answer);
    assert_eq!(wrapped.unwrap(), b"blob");
    assert!(head.contains("x-amz-target: trentservice.encrypt") && head.contains("/eu-west-1/kms/"), "{head}");
    let context = format!("\"memoseal:vault\":\"{}\"", "09".repeat(16));
    assert!(body.contains(KEY) && body.contains(&context), "{body}");
    // Nothing shows the secret but the call itself, which goes where KMS is.
    assert!(!format!("{kms:?}").contains("hunter2"), "{kms:?}");

    let answer = "{\"Plaintext\":\"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=\"}";
    assert!(unwrapped("200 OK", answer).await.unwrap().ct_eq(&secret));
}

#[tokio::test]
async fn what_kms_refuses_is_said_with_what_to_do() {
    for (code, part) in [
        ("AccessDeniedException", "allow kms:Decrypt on it"),
        ("DisabledException", "aws kms enable-key"),
        ("KMSInvalidStateException", "cancel-key-deletion"),
        ("NotFoundException", "check account and region of its ARN; KMS in eu-west-1 was asked"),
        ("InvalidKeyUsageException", "symmetric"),
        ("UnrecognizedClientException", "check the credentials"),
        ("SomethingNewException", "see the documentation"),
    ] {
        let answer = format!("{{\"__type\":\"{code}\",\"message\":\"words of KMS\"}}");
        let error = unwrapped("400 Bad Request", &answer).await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ServiceError::Refused(_)), "{code}: {error:?}");
        assert!(text.starts_with(&format!("cannot use the KMS key {KEY}: {code} (words of KMS): ")), "{text}");
        assert!(text.contains(part) && !text.contains("hunter2"), "{text}");
    }
    for code in ["InvalidCiphertextException", "IncorrectKeyException"] {
        let error = unwrapped("400 Bad Request", &format!("{{\"__type\":\"{code}\"}}")).await.unwrap_err();
        assert!(matches!(error, ServiceError::NotWrappedHere), "{code}: {error:?}");
    }
    let short = unwrapped("200 OK", "{\"Plaintext\":\"AwM=\"}").await.unwrap_err();
    assert!(matches!(short, ServiceError::NotWrappedHere), "{short:?}");
}

/// Pauses between attempts pass at once.
#[tokio::test(start_paused = true)]
async fn a_kms_that_cannot_be_reached_is_no_refusal() {
    let (listener, url) = listener().await;
    drop(listener);
    let kms = kms(KEY, &[("AWS_ENDPOINT_URL_KMS", &url)]).unwrap();
    let error = kms.unwrap(&VAULT, b"blob").await.unwrap_err();
    assert!(matches!(error, ServiceError::Unreachable(_)), "{error:?}");
    assert!(error.to_string().contains("KMS in eu-west-1 did not answer"), "{error}");
}

#[tokio::test]
async fn without_credentials_it_is_said_what_to_do() {
    let kms = Kms::new(KEY, Some("absent-profile-of-the-tests"), |name| match name {
        "AWS_CONFIG_FILE" | "AWS_SHARED_CREDENTIALS_FILE" => Some("/nonexistent/aws".to_owned()),
        "AWS_ENDPOINT_URL_KMS" => Some("http://127.0.0.1:1".to_owned()),
        _ => None,
    });
    let error = kms.unwrap().unwrap(&VAULT, b"blob").await.unwrap_err();
    assert!(matches!(error, ServiceError::Refused(_)), "{error:?}");
    assert!(error.to_string().contains("name a profile"), "{error}");
}

#[test]
fn only_the_arn_of_a_key_names_one() {
    assert!(kms(KEY, &[]).is_ok());
    assert!(kms("arn:aws-cn:kms:cn-north-1:111122223333:key/mrk-1234", &[]).is_ok());
    for arn in [
        "",
        "1234abcd-12ab-34cd-56ef-1234567890ab",
        "arn:aws:s3:eu-west-1:111122223333:key/1",
        "arn:aws:kms::111122223333:key/1",
        "arn:aws:kms:eu-west-1:111122223333:key/",
        "arn:aws:kms:eu-west-1:111122223333:key/1/2",
        "arn:aws:kms:eu-west-1:111122223333:key/1:2",
        "arn:aws:kms:eu-west-1:111122223333:key/1\u{1b}[0m",
    ] {
        let text = kms(arn, &[]).unwrap_err().to_string();
        assert!(text.contains("`kms`: it is not the ARN of a KMS key: give one like arn:aws:kms:"), "{arn}: {text}");
    }
    let text = kms("arn:aws:kms:eu-west-1:111122223333:alias/memory", &[]).unwrap_err().to_string();
    assert!(text.contains("of an alias, which can be pointed at another key"), "{text}");
}

#[test]
fn what_kms_decrypts_travels_encrypted() {
    for (url, is_taken) in [
        ("https://kms.example.com", true),
        ("http://127.0.0.1:4566", true),
        ("http://localhost:4566", true),
        ("http://[::1]:4566", true),
        ("http://kms.example.com", false),
        ("http://localhost.example.com", false),
        ("ftp://127.0.0.1", false),
        ("kms", false),
    ] {
        for name in ["AWS_ENDPOINT_URL_KMS", "AWS_ENDPOINT_URL"] {
            let made = kms(KEY, &[(name, url)]);
            assert_eq!(made.is_ok(), is_taken, "{url}: {made:?}");
            assert!(made.err().is_none_or(|error| error.to_string().contains(name)));
        }
    }
}
