//! Vaults that a key service opens, with a service of the tests that counts what it is asked.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use memoseal_core::{
    Error, Key, Result, Vault,
    key_service::{KeyService, RawKey, ServiceError, ServiceKind, service_context},
};
use object_store::ObjectStoreExt;

use crate::support::*;

const KEY: &str = "arn:aws:kms:eu-west-1:111122223333:key/1a2b";
const OTHER: &str = "arn:aws:kms:eu-west-1:111122223333:key/3c4d";

/// A key's name, and what was wrapped.
type Wrapped = (String, [u8; 32]);

/// What a key has wrapped, by the numbers that it gave out for it: no secret can be guessed from one.
#[derive(Debug)]
struct Service {
    key: String,
    wrapped: Mutex<HashMap<Vec<u8>, Wrapped>>,
    wraps: AtomicU64,
    unwraps: AtomicU64,
    mood: Mutex<Mood>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Willing,
    Refuses,
    OnlyWraps,
    Away,
    Silent,
}

impl Service {
    fn new(key: &str) -> Arc<Self> {
        Arc::new(Self {
            key: key.to_owned(),
            wrapped: Mutex::default(),
            wraps: AtomicU64::new(0),
            unwraps: AtomicU64::new(0),
            mood: Mutex::new(Mood::Willing),
        })
    }

    fn key(self: &Arc<Self>) -> Key {
        let this: Arc<Self> = Arc::clone(self);
        Key::Service(this)
    }

    fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Calls since the last time: to wrap, to unwrap.
    fn asked(&self) -> (u64, u64) {
        (self.wraps.swap(0, Ordering::SeqCst), self.unwraps.swap(0, Ordering::SeqCst))
    }

    async fn answer(&self, only_wraps: bool) -> Result<(), ServiceError> {
        let mood = *self.mood.lock().unwrap();
        match mood {
            Mood::Willing => Ok(()),
            Mood::OnlyWraps if only_wraps => Ok(()),
            Mood::Refuses | Mood::OnlyWraps => Err(ServiceError::Refused("cannot: no access: allow it".into())),
            Mood::Away => Err(ServiceError::Unreachable("no route".into())),
            Mood::Silent => std::future::pending().await,
        }
    }
}

#[async_trait]
impl KeyService for Service {
    fn kind(&self) -> ServiceKind {
        ServiceKind::AwsKms
    }

    fn key(&self) -> &str {
        &self.key
    }

    async fn wrap(&self, vault: &[u8; 16], secret: &RawKey) -> Result<Vec<u8>, ServiceError> {
        let number = self.wraps.fetch_add(1, Ordering::SeqCst);
        self.answer(true).await?;
        let bytes = format!("wrapped {number} {}", self.wrapped.lock().unwrap().len()).into_bytes();
        let entry = (service_context(vault).1, *secret.expose());
        assert!(self.wrapped.lock().unwrap().insert(bytes.clone(), entry).is_none());
        Ok(bytes)
    }

    async fn unwrap(&self, vault: &[u8; 16], wrapped: &[u8]) -> Result<RawKey, ServiceError> {
        self.unwraps.fetch_add(1, Ordering::SeqCst);
        self.answer(false).await?;
        let all = self.wrapped.lock().unwrap();
        let (context, secret) = all.get(wrapped).ok_or(ServiceError::NotWrappedHere)?;
        if *context != service_context(vault).1 {
            return Err(ServiceError::NotWrappedHere);
        }
        Ok(RawKey::from_bytes(*secret))
    }
}

async fn open_with(bucket: &Bucket, key: Key) -> Result<Vault> {
    Vault::open(bucket.backend(), key, options()).await
}

async fn put(vault: &Vault, path: &str, text: &str) {
    ok(&roomy(vault, "alice").await, create(path, text)).await;
}

async fn has(vault: &Vault, path: &str, text: &str) {
    assert!(tree(vault, "alice").await.contains(&(path.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn a_vault_is_made_and_opened_by_a_key_service_with_one_call_each() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    let vault = Vault::create(bucket.backend(), service.key(), options()).await.unwrap();
    assert_eq!(service.asked(), (1, 0));
    put(&vault, "/memories/n", "secret").await;
    let slots = vault.slots().await.unwrap();
    let slot = (slots[0].kind.as_str(), slots[0].key.as_deref(), slots[0].is_own);
    assert_eq!(slot, ("aws-kms", Some(KEY), true));
    assert_eq!(service.asked(), (0, 0), "work asks for nothing");

    let _ = bucket.spent();
    let opened = open_with(&bucket, service.key()).await.unwrap();
    assert_eq!(service.asked(), (0, 1));
    let spent = bucket.spent();
    assert_eq!((spent.list, spent.get, spent.total()), (1, 1, 2), "one level more, and no request more");
    has(&opened, "/memories/n", "secret").await;
}

#[tokio::test]
async fn a_vault_moves_between_all_kinds_of_keys() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    let keys: [&dyn Fn() -> Key; 3] = [&|| Key::raw([7; 32]), &|| Key::passphrase("correct horse"), &|| service.key()];
    let vault = Vault::create(bucket.backend(), keys[0](), options()).await.unwrap();
    put(&vault, "/memories/n", "moves").await;
    for (from, to) in [(0, 2), (2, 1), (1, 2), (2, 0)] {
        let vault = open_with(&bucket, keys[from]()).await.unwrap();
        let old = vault.slots().await.unwrap()[0].id.clone();
        let added = vault.add_slot(keys[to]()).await.unwrap();
        let again = vault.add_slot(keys[to]()).await;
        assert!(matches!(again, Err(Error::AlreadyExists { .. })), "a key has one slot: {again:?}");
        assert_eq!(added.key.is_some(), to == 2);
        let moved = open_with(&bucket, keys[to]()).await.unwrap();
        moved.remove_slot(&old).await.unwrap();
        has(&moved, "/memories/n", "moves").await;
        let gone = open_with(&bucket, keys[from]()).await;
        assert!(matches!(gone, Err(Error::Key(_) | Error::WrongKey)), "{gone:?}");
    }
}

#[tokio::test]
async fn a_rotation_wraps_afresh_and_running_processes_ask_once_more() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    let first = Vault::create(bucket.backend(), Key::raw([7; 32]), options()).await.unwrap();
    first.add_slot(service.key()).await.unwrap();
    put(&first, "/memories/n", "before").await;
    let warm = open_with(&bucket, service.key()).await.unwrap();
    has(&warm, "/memories/n", "before").await;
    let _ = service.asked();

    // Who rotates may wrap and not unwrap.
    service.is(Mood::OnlyWraps);
    let rotation = first.rotate(vec![Key::raw([7; 32]), service.key()], false, |_, _| {}).await.unwrap();
    assert_eq!((rotation.epoch, rotation.slots.len(), service.asked()), (2, 2, (1, 0)));

    let refused = warm.refresh().await;
    assert!(matches!(refused, Err(Error::Key(_))), "{refused:?}");
    service.is(Mood::Willing);
    let _ = service.asked();
    warm.refresh().await.unwrap();
    warm.refresh().await.unwrap();
    assert_eq!(service.asked(), (0, 1));
    put(&warm, "/memories/m", "after").await;
    has(&open_with(&bucket, service.key()).await.unwrap(), "/memories/m", "after").await;

    // Slots that come and go do not make it ask.
    let _ = service.asked();
    let added = first.add_slot(Key::raw([9; 32])).await.unwrap();
    warm.refresh().await.unwrap();
    first.remove_slot(&added.id).await.unwrap();
    warm.refresh().await.unwrap();
    assert_eq!(service.asked(), (0, 0));
}

#[tokio::test]
async fn a_rotation_by_the_service_alone_shuts_out_who_kept_the_old_secret() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    let vault = Vault::create(bucket.backend(), service.key(), options()).await.unwrap();
    put(&vault, "/memories/n", "kept").await;
    let warm = open_with(&bucket, service.key()).await.unwrap();
    let kept = vault.slots_of(vec![service.key()]).await.unwrap();
    assert_eq!((kept.len(), service.asked()), (1, (2, 1)));
    vault.rotate(vec![service.key()], false, |_, _| {}).await.unwrap();
    has(&vault, "/memories/n", "kept").await;

    // Access was taken away from the process that has it open.
    service.is(Mood::Refuses);
    assert!(matches!(warm.refresh().await, Err(Error::Key(_))));
    assert_eq!(service.asked(), (1, 1));
}

#[tokio::test]
async fn a_warm_process_whose_slot_was_removed_says_so() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    let vault = bucket.create().await;
    let slot = vault.add_slot(service.key()).await.unwrap();
    let warm = open_with(&bucket, service.key()).await.unwrap();
    vault.remove_slot(&slot.id).await.unwrap();
    let Err(Error::Key(text)) = warm.refresh().await else { panic!("the slot is gone") };
    assert!(text.contains("was removed"), "{text}");
}

#[tokio::test]
async fn only_the_key_that_was_named_is_asked() {
    let (bucket, theirs, ours) = (Bucket::new(), Service::new(OTHER), Service::new(KEY));
    // Somebody has put a vault of their own there, under a key of their own.
    Vault::create(bucket.backend(), theirs.key(), options()).await.unwrap();
    let Err(Error::Key(text)) = open_with(&bucket, ours.key()).await else { panic!("it was opened") };
    assert!(text.contains("no slot for the key") && text.contains(KEY) && text.contains("slot list"), "{text}");
    assert_eq!(ours.asked(), (0, 0));
}

#[tokio::test]
async fn what_was_wrapped_elsewhere_is_said_to_be() {
    let (bucket, service) = (Bucket::new(), Service::new(KEY));
    Vault::create(bucket.backend(), service.key(), options()).await.unwrap();
    // A key of the same name that has not wrapped it.
    let Err(Error::Key(text)) = open_with(&bucket, Service::new(KEY).key()).await else { panic!("it was opened") };
    assert!(text.contains("does not unwrap") && text.contains("make this one anew"), "{text}");

    // The slot of another vault, whose wrapped secret opens for that one only.
    let other = Bucket::new();
    Vault::create(other.backend(), service.key(), options()).await.unwrap();
    let path = object_store::path::Path::from("vault/fffffffffffffffe");
    let read = async |bucket: &Bucket| {
        let bytes = bucket.memory.get(&path).await.unwrap().bytes().await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    let (here, there) = (read(&bucket).await, read(&other).await);
    let slots = |text: &str| {
        let (start, end) = (text.find("\"slots\"").unwrap(), text.find("],").unwrap());
        text[start..end].to_owned()
    };
    let moved = here.replace(&slots(&here), &slots(&there));
    bucket.memory.put(&path, moved.into_bytes().into()).await.unwrap();
    let opened = open_with(&bucket, service.key()).await;
    assert!(matches!(opened, Err(Error::Key(_))), "{opened:?}");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_refuses_or_is_away_or_silent_changes_nothing() {
    for (mood, is_key, part) in [
        (Mood::Refuses, true, "allow it"),
        (Mood::Away, false, "no route"),
        (Mood::Silent, false, "did not answer within"),
    ] {
        let (bucket, service) = (Bucket::new(), Service::new(KEY));
        service.is(mood);
        let error = Vault::create(bucket.backend(), service.key(), options()).await.unwrap_err();
        let fits = |error: &Error| {
            let kind = if is_key { matches!(error, Error::Key(_)) } else { matches!(error, Error::Backend { .. }) };
            kind && error.to_string().contains(part)
        };
        assert!(fits(&error), "{mood:?}: {error}");
        assert_eq!(bucket.spent().put_create, 0);

        let vault = bucket.create().await;
        let error = vault.add_slot(service.key()).await.unwrap_err();
        assert!(fits(&error), "{mood:?}: {error}");
        let error = vault.rotate(vec![key(), service.key()], false, |_, _| {}).await.unwrap_err();
        assert!(fits(&error), "{mood:?}: {error}");
        assert_eq!(vault.slots().await.unwrap().len(), 1);

        service.is(Mood::Willing);
        vault.add_slot(service.key()).await.unwrap();
        service.is(mood);
        let error = open_with(&bucket, service.key()).await.unwrap_err();
        assert!(fits(&error), "{mood:?}: {error}");
    }
}

#[tokio::test]
async fn no_key_shows() {
    let service = Service::new(KEY);
    assert_eq!(format!("{:?}", service.key()), "Key::Service(..)");
}
