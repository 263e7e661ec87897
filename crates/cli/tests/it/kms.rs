//! A key in AWS KMS, as somebody at a shell names it. With a server in `MEMOSEAL_TEST_KMS_URL` and the feature `s3`, all of it.

use std::fs;

use serde_json::Value;

use crate::support::*;

const KEY: &str = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";

#[test]
fn what_is_no_arn_or_a_second_key_is_refused_before_anything_is_done() {
    let place = Place::empty();
    let vault = place.vault();
    let run = |kms: &str, more: &[(&str, &str)]| {
        let mut command = bare();
        command.env("MEMOSEAL_VAULT", &vault).envs(more.iter().copied()).args(["init", "--kms", kms]);
        Ended::of(&mut command)
    };
    let no_arn =
        if cfg!(feature = "s3") { "it is not the ARN of a KMS key" } else { "build memoseal with the feature `s3`" };
    run("my-key", &[]).fails(2, no_arn);
    if cfg!(feature = "s3") {
        run("arn:aws:kms:eu-west-1:111122223333:alias/mine", &[]).fails(2, "which can be pointed at another key");
        run(KEY, &[("MEMOSEAL_PASSPHRASE", "horse")]).fails(3, "more than one key was given");
        run(KEY, &[("AWS_ENDPOINT_URL_KMS", "http://kms.example.com")]).fails(2, "`AWS_ENDPOINT_URL_KMS`");
    }
    assert!(!vault.exists());
}

#[test]
fn config_tells_where_a_kms_key_comes_from() {
    let place = Place::empty();
    fs::write(place.path().join("memoseal.toml"), format!("vault = \"vault\"\nkms = \"{KEY}\"\n")).unwrap();
    let other = KEY.replace("1234abcd", "4321abcd");
    for (variable, option, place_of, from) in [
        (None, None, KEY, "memoseal.toml"),
        (Some(other.as_str()), None, &other, "MEMOSEAL_KMS"),
        (Some(KEY), Some(other.as_str()), &other, "--kms"),
        (Some(""), Some(""), KEY, "memoseal.toml"),
    ] {
        let mut command = bare();
        command.current_dir(place.path()).args(["config", "--json"]);
        command.envs(variable.map(|arn| ("MEMOSEAL_KMS", arn)));
        command.args(option.iter().flat_map(|arn| ["--kms", arn]));
        let shown: Value = serde_json::from_str(&Ended::of(&mut command).ok()).unwrap();
        let keys = shown["keys"].as_array().unwrap();
        assert_eq!((keys.len(), keys[0]["type"].as_str(), keys[0]["place"].as_str()), (1, Some("kms"), Some(place_of)));
        assert!(keys[0]["from"].as_str().unwrap().ends_with(from), "{shown}");
    }
}

#[cfg(feature = "s3")]
mod server {
    use std::{
        env,
        io::{Read, Write},
        net::TcpStream,
    };

    use super::*;

    /// A key, made on the server; its ARN.
    fn make_key(url: &str) -> String {
        let host = url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let signed =
            "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/kms/aws4_request, SignedHeaders=host, Signature=0";
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: {host}\r\nX-Amz-Target: TrentService.CreateKey\r\nAuthorization: {signed}\r\n\
             Content-Type: application/x-amz-json-1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let json: Value = serde_json::from_str(&body[body.find('{').unwrap()..=body.rfind('}').unwrap()]).unwrap();
        json["KeyMetadata"]["Arn"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_vault_moves_from_a_key_file_to_kms_and_on_to_another_key_and_back() {
        let Ok(url) = env::var("MEMOSEAL_TEST_KMS_URL") else {
            let required = env::var("MEMOSEAL_TEST_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
            assert!(!required, "MEMOSEAL_TEST_KMS_URL names no server, and MEMOSEAL_TEST_REQUIRE_SERVERS is 1");
            eprintln!("skipped: MEMOSEAL_TEST_KMS_URL names no server");
            return;
        };
        let (first, second) = (make_key(&url), make_key(&url));
        let place = Place::new();
        place.run_with(&["put", "n", "-"], b"kept").ok();
        let aws =
            [("AWS_ENDPOINT_URL_KMS", url.as_str()), ("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")];
        let with = |kms: &str, arguments: &[&str]| {
            let mut command = bare();
            command.envs(aws).env("MEMOSEAL_VAULT", place.vault()).env("MEMOSEAL_KMS", kms).args(arguments);
            Ended::of(&mut command)
        };
        let by_file = |arguments: &[&str]| Ended::of(place.command(arguments).envs(aws));

        let added: Value =
            serde_json::from_str(&by_file(&["slot", "add", "--new-kms", &first, "--json"]).ok()).unwrap();
        assert_eq!(added["type"], "aws-kms");
        assert_eq!(with(&first, &["cat", "n"]).ok(), "kept");
        with(&second, &["cat", "n"]).fails(3, "no slot for the key");
        with(&first, &["slot", "add", "--new-kms", &second]).ok();
        let listed = with(&second, &["slot", "list"]).ok();
        assert!(listed.contains(&format!("aws-kms {first}\n")), "{listed}");
        assert!(listed.contains(&format!("aws-kms {second} (opened with this key)\n")), "{listed}");

        with(&second, &["rotate", "--yes"]).fails(2, "--also-kms");
        let key_file = place.key().display().to_string();
        let rotated = with(&second, &["rotate", "--yes", "--also-key-file", &key_file, "--drop-others"]).ok();
        assert!(rotated.contains("epoch 2") && rotated.contains(&second), "{rotated}");
        with(&first, &["cat", "n"]).fails(3, "no slot for the key");
        assert_eq!(with(&second, &["cat", "n"]).ok(), "kept");
        by_file(&["rotate", "--yes", "--also-kms", &second]).ok();
        assert_eq!(with(&second, &["cat", "n"]).ok(), "kept");

        let slots: Value = serde_json::from_str(&by_file(&["slot", "list", "--json"]).ok()).unwrap();
        let kms = slots["slots"].as_array().unwrap().iter().find(|slot| slot["key"] == second.as_str()).unwrap();
        by_file(&["slot", "remove", kms["id"].as_str().unwrap(), "--yes"]).ok();
        with(&second, &["cat", "n"]).fails(3, "no slot for the key");
        assert_eq!(by_file(&["cat", "n"]).ok(), "kept");

        let made = Place::empty();
        let mut init = bare();
        init.envs(aws).env("MEMOSEAL_VAULT", made.vault()).args(["init", "--kms", &first]);
        Ended::of(&mut init).ok();
    }
}
