//! Users are apart, and what they write shows nowhere.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use memoseal_core::{Actor, Key, Vault, VaultOptions};

use super::scene::{ALICE, ALICE_WORK, BOB, HEAD, Scene, open};
use crate::{
    Failure, Place,
    bucket::{Bucket, Edits, KEY, Objects, create, key, ok, put, rename},
    check,
};

pub(crate) async fn a_keyring_of_another_user_opens_nothing(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, BOB]).await?;
    for (whose, other) in [(ALICE, BOB), (BOB, ALICE)] {
        let keyring = vec![(scene.keyring(whose)?, Some(scene.bytes(&scene.keyring(other)?)?.clone()))];
        scene.attack("a keyring of another user", keyring.clone()).must_be_noticed().await?;
        // With nothing in the log that could not be opened.
        let bare: Edits = [keyring.clone(), scene.without_newest(whose, 0)?].concat();
        scene.bucket.apply(&bare).await?;
        let vault = scene.bucket.open().await?;
        let opened = open(&vault, whose).await;
        let is_damaged = matches!(&opened, Err(memoseal_core::Error::Damaged { .. }));
        check!(is_damaged, "{whose:?} is opened with the keyring of another user: {opened:?}");
        scene.bucket.apply(&scene.undo(&bare)).await?;
        // Everything of one user under the name of another.
        let all = [keyring, scene.log_instead(whose, scene.log(other)?, &scene.objects)?].concat();
        scene.attack("another user whole", all).must_be_noticed().await?;
    }
    scene.is_whole().await
}

pub(crate) async fn a_log_of_another_user_or_store_opens_nothing(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE, ALICE_WORK, BOB]).await?;
    for (whose, other) in [(ALICE, BOB), (BOB, ALICE), (ALICE, ALICE_WORK), (ALICE_WORK, ALICE), (BOB, ALICE_WORK)] {
        let log = scene.log_instead(whose, scene.log(other)?, &scene.objects)?;
        let vault = scene.bucket.open().await?;
        let running = scene.behind(whose, 0).await?;
        scene
            .attack(format!("the log of {other:?} as that of {whose:?}"), log.clone())
            .by(&running)
            .must_be_noticed()
            .await?;
        running.is_whole().await?;
        // As the log of a store that does not exist yet.
        let first = scene.log_instead(whose, scene.log(other)?, &scene.objects)?;
        let first: Edits =
            first.into_iter().filter(|(name, _)| scene.commit(whose, 1).is_ok_and(|one| one == *name)).collect();
        let short = [scene.without_newest(whose, 1)?, first].concat();
        scene.bucket.apply(&short).await?;
        let opened = open(&vault, whose).await;
        let is_damaged = matches!(&opened, Err(memoseal_core::Error::Damaged { .. }));
        check!(is_damaged, "{whose:?} is opened with the first commit of {other:?}: {opened:?}");
        scene.bucket.apply(&scene.undo(&short)).await?;
    }
    check!(HEAD > 1);
    scene.is_whole().await
}

/// No user, store, path, content, actor or key in any name or byte.
pub(crate) async fn what_is_written_shows_nowhere(place: &dyn Place) -> Result<(), Failure> {
    const USER: &str = "ada.lovelace@example.com";
    const STORE: &str = "analytical-engine";
    const PASSPHRASE: &str = "it weaves algebraical patterns";
    let bucket = Bucket::fresh(place).await?;
    let vault = Vault::create(bucket.backend(), key(), VaultOptions::default()).await?;
    vault.add_slot(Key::passphrase(PASSPHRASE)).await?;
    let actor = Actor::Session { session_id: "session-of-1843".into() };
    let store = vault.user(USER).store(STORE).actor(actor).open().await?;
    ok(&store, create("translations/menabrea.md", "sketch of the engine\n")).await?;
    ok(&store, put("translations/note-g.png", b"\x89PNG\r\n\x1a\nBernoulli numbers")).await?;
    ok(&store, rename("translations/menabrea.md", "published/taylor.md")).await?;
    for n in 0..30 {
        ok(&store, create(&format!("loop-{n}"), "variable cards")).await?;
    }
    store.settle().await;
    vault.rotate(vec![key(), Key::passphrase(PASSPHRASE)], false, |_, _| {}).await?.keyrings?;
    let objects = bucket.objects().await?;
    check!(objects.keys().any(|name| name.ends_with(".checkpoint")), "no checkpoint was written");
    let text = [
        USER,
        "lovelace",
        STORE,
        "analytical",
        PASSPHRASE,
        "session-of-1843",
        "translations",
        "menabrea",
        "sketch of",
        "note-g",
        "Bernoulli",
        "published",
        "taylor",
        "loop-",
        "variable cards",
        "default",
        "memories",
    ];
    let keys: [&[u8]; 2] = [&KEY, &KEY[..16]];
    for secret in text.iter().map(|text| text.as_bytes()).chain(keys) {
        shows_nowhere(&objects, secret)?;
    }
    Ok(())
}

/// Not as it is, in whatever case, nor in hex or base64.
fn shows_nowhere(objects: &Objects, secret: &[u8]) -> Result<(), Failure> {
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_ascii_lowercase(), hex.into_bytes()];
    for skipped in 0..3 {
        // What stands before it shifts it; the digits that it shares with what stands around it are left out.
        let text = STANDARD_NO_PAD.encode([&[0; 2][..skipped], secret].concat());
        let inner = text.get(skipped + usize::from(skipped > 0)..text.len().saturating_sub(2)).unwrap_or_default();
        forms.push(inner.to_ascii_lowercase().into_bytes());
    }
    forms.retain(|form| form.len() >= 5);
    let lies_in = |bytes: &[u8]| {
        let bytes = bytes.to_ascii_lowercase();
        forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == form))
    };
    let shown = String::from_utf8_lossy(secret);
    for (name, bytes) in objects {
        check!(!lies_in(name.as_bytes()), "{shown:?} shows in the name {name}");
        check!(!lies_in(bytes), "{shown:?} shows in the bytes of {name}");
    }
    Ok(())
}
