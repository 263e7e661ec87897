//! KMS on the server that `MEMOSEAL_TEST_KMS_URL` names; keys are made and disabled there.

use std::{env, sync::Arc};

use aws_sdk_kms::{Client, config::Region};
use memoseal_core::{Backend, Error, Key, Vault, VaultOptions};
use memoseal_s3::Kms;
use object_store::memory::InMemory;

/// The server, or nothing, told, where it may be absent.
fn server() -> Option<String> {
    let url = env::var("MEMOSEAL_TEST_KMS_URL").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        let required = env::var("MEMOSEAL_TEST_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
        assert!(!required, "MEMOSEAL_TEST_KMS_URL names no server, and MEMOSEAL_TEST_REQUIRE_SERVERS is 1");
        eprintln!("skipped: MEMOSEAL_TEST_KMS_URL names no server");
    }
    url
}

struct Server {
    url: String,
    client: Client,
}

impl Server {
    async fn new(url: String) -> Self {
        let config = aws_config::defaults(aws_config::BehaviorVersion::latest())
            .region(Region::new("eu-west-1"))
            .endpoint_url(&url)
            .test_credentials()
            .load()
            .await;
        Self { url, client: Client::new(&config) }
    }

    async fn make_key(&self) -> String {
        let made = self.client.create_key().send().await.unwrap();
        made.key_metadata.unwrap().arn.unwrap()
    }

    fn key(&self, arn: &str) -> Key {
        let kms = Kms::new(arn, None, |name| match name {
            "AWS_ENDPOINT_URL_KMS" => Some(self.url.clone()),
            "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".to_owned()),
            _ => None,
        });
        Key::Service(Arc::new(kms.unwrap()))
    }
}

async fn open(backend: &Backend, key: Key) -> Result<Vault, Error> {
    Vault::open(backend.clone(), key, VaultOptions::default()).await
}

#[tokio::test]
async fn a_vault_is_made_opened_moved_and_rotated() {
    let Some(url) = server() else { return };
    let server = Server::new(url).await;
    let (arn, other) = (server.make_key().await, server.make_key().await);
    let backend = Backend::single(Arc::new(InMemory::new()));
    let vault = Vault::create(backend.clone(), server.key(&arn), VaultOptions::default()).await.unwrap();
    assert_eq!(vault.slots().await.unwrap()[0].key.as_deref(), Some(arn.as_str()));
    let warm = open(&backend, server.key(&arn)).await.unwrap();

    vault.add_slot(Key::raw([7; 32])).await.unwrap();
    vault.add_slot(server.key(&other)).await.unwrap();
    for key in [server.key(&arn), server.key(&other), Key::raw([7; 32])] {
        assert_eq!(open(&backend, key).await.unwrap().id(), vault.id());
    }

    let by_raw = open(&backend, Key::raw([7; 32])).await.unwrap();
    let rotation = by_raw.rotate(vec![Key::raw([7; 32]), server.key(&arn)], true, |_, _| {}).await.unwrap();
    assert_eq!((rotation.epoch, rotation.slots.len()), (2, 2));
    warm.refresh().await.unwrap();
    assert!(open(&backend, server.key(&arn)).await.is_ok());
    assert!(matches!(open(&backend, server.key(&other)).await, Err(Error::Key(_))));

    let slots = warm.slots().await.unwrap();
    let raw = slots.iter().find(|slot| slot.kind == "raw").unwrap();
    warm.remove_slot(&raw.id).await.unwrap();
    assert!(open(&backend, Key::raw([7; 32])).await.is_err());
    assert!(open(&backend, server.key(&arn)).await.is_ok());
}

#[tokio::test]
async fn a_key_that_is_disabled_or_not_there_is_said_to_be() {
    let Some(url) = server() else { return };
    let server = Server::new(url).await;
    let arn = server.make_key().await;
    let backend = Backend::single(Arc::new(InMemory::new()));
    Vault::create(backend.clone(), server.key(&arn), VaultOptions::default()).await.unwrap();

    let refusal = async |key: Key| match open(&backend, key).await {
        Err(Error::Key(text)) => text,
        other => panic!("{other:?}"),
    };
    server.client.disable_key().key_id(&arn).send().await.unwrap();
    let text = refusal(server.key(&arn)).await;
    assert!(text.contains("DisabledException") && text.contains("enable-key"), "{text}");
    server.client.enable_key().key_id(&arn).send().await.unwrap();
    assert!(open(&backend, server.key(&arn)).await.is_ok());

    let elsewhere = arn.replace("eu-west-1", "us-east-2");
    let text = refusal(server.key(&elsewhere)).await;
    assert!(text.contains("no slot for the key"), "{text}");
    let made =
        Vault::create(Backend::single(Arc::new(InMemory::new())), server.key(&elsewhere), VaultOptions::default())
            .await;
    let Err(Error::Key(text)) = made else { panic!("{made:?}") };
    assert!(text.contains("NotFoundException") && text.contains("us-east-2"), "{text}");
}
