//! Slots, rotation, keyrings sealed anew, and what running processes make of them.

use futures_util::{TryStreamExt, future::join};
use memoseal_core::{Error, Key, Result, Slot, Vault};
use memoseal_testkit::{Counts, Fault, FaultStore, Op, errors};
use object_store::{ObjectStoreExt, path::Path};

use crate::support::*;

fn raw(byte: u8) -> Key {
    Key::raw([byte; 32])
}

async fn open_with(bucket: &Bucket, key: Key) -> Result<Vault> {
    Vault::open(bucket.backend(), key, options()).await
}

/// A vault that the raw keys 7 and 8 open, with something in it.
async fn lived_in() -> Bucket {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    vault.add_slot(raw(8)).await.unwrap();
    for user in ["alice", "bob"] {
        let store = roomy(&vault, user).await;
        ok(&store, create("/memories/n", user)).await;
        ok(&store, replace("/memories/n", user, &format!("{user}'s"))).await;
    }
    bucket
}

async fn is_whole(vault: &Vault) {
    for user in ["alice", "bob"] {
        assert_eq!(tree(vault, user).await, [("/memories/n".to_owned(), format!("{user}'s"))]);
    }
}

/// The objects below a part of a path, newest first.
async fn objects(bucket: &Bucket, part: &str) -> Vec<(Path, Vec<u8>)> {
    let metas: Vec<_> = bucket.memory.list(None).try_collect().await.unwrap();
    let mut objects = Vec::new();
    for path in metas.into_iter().map(|meta| meta.location).filter(|path| path.as_ref().contains(part)) {
        let bytes = bucket.memory.get(&path).await.unwrap().bytes().await.unwrap();
        objects.push((path, bytes.to_vec()));
    }
    objects.sort();
    objects
}

fn is_stub(bytes: &[u8]) -> bool {
    bytes == b"{\"memoseal\":\"superseded\",\"read\":\"the newest generation\"}\n"
}

/// Every generation of the header but the newest is a stub.
async fn only_the_newest_header_is_left(bucket: &Bucket) {
    let headers = objects(bucket, "vault/").await;
    assert!(!is_stub(&headers[0].1) && headers[1..].iter().all(|(_, bytes)| is_stub(bytes)));
}

fn id_of_own(slots: &[Slot]) -> String {
    slots.iter().find(|slot| slot.is_own).unwrap().id.clone()
}

#[tokio::test]
async fn slots_of_both_types_open_the_vault_in_any_order_until_they_are_removed() {
    let raw_key: fn() -> Key = || raw(9);
    let passphrase: fn() -> Key = || Key::passphrase("correct horse");
    for keys in [[raw_key, passphrase], [passphrase, raw_key]] {
        let bucket = Bucket::new();
        let vault = Vault::create(bucket.backend(), keys[0](), options()).await.unwrap();
        let added = vault.add_slot(keys[1]()).await.unwrap();
        let slots = vault.slots().await.unwrap();
        assert_eq!((slots.len(), slots[1].clone(), slots[0].is_own), (2, added.clone(), true));
        for key in keys {
            let opened = open_with(&bucket, key()).await.unwrap();
            let own = opened.slots().await.unwrap().into_iter().find(|slot| slot.is_own).unwrap();
            assert_eq!(own.kind, if matches!(key(), Key::Raw(_)) { "raw" } else { "passphrase" });
            let again = opened.add_slot(key()).await;
            assert!(matches!(again, Err(Error::AlreadyExists { .. })), "a key has one slot: {again:?}");
        }
        let wrong = open_with(&bucket, Key::passphrase("battery staple")).await;
        assert!(matches!(wrong, Err(Error::WrongKey)), "{wrong:?}");
        let missing = vault.remove_slot("00").await;
        assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
        vault.remove_slot(&slots[0].id).await.unwrap();
        let removed = open_with(&bucket, keys[0]()).await;
        assert!(matches!(removed, Err(Error::WrongKey | Error::Key(_))), "{removed:?}");
        open_with(&bucket, keys[1]()).await.unwrap();
        let last = vault.remove_slot(&added.id).await;
        assert!(matches!(last, Err(Error::Invalid(_))), "{last:?}");
        only_the_newest_header_is_left(&bucket).await;
    }
}

#[tokio::test]
async fn there_are_at_most_sixteen_slots() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    for byte in 100..115 {
        vault.add_slot(raw(byte)).await.unwrap();
    }
    let answer = vault.add_slot(raw(99)).await;
    assert!(matches!(answer, Err(Error::Invalid(_))), "{answer:?}");
    assert_eq!(vault.slots().await.unwrap().len(), 16);
}

#[tokio::test]
async fn a_warm_process_whose_slot_was_removed_says_so() {
    let bucket = lived_in().await;
    let warm = open_with(&bucket.again(), raw(8)).await.unwrap();
    let store = roomy(&warm, "alice").await;
    let id = id_of_own(&warm.slots().await.unwrap());
    let vault = bucket.open().await;
    vault.remove_slot(&id).await.unwrap();
    for answer in [warm.refresh().await, warm.slots().await.map(drop), warm.add_slot(raw(9)).await.map(drop)] {
        let Err(Error::Key(text)) = answer else { panic!("{answer:?}") };
        assert!(text.contains("was removed"), "{text}");
    }
    // What it has open it can go on with: it has that user's key. What was sealed since is out of its reach.
    ok(&store, view("/memories/n")).await;
    vault.rotate(vec![raw(7)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    let opened = warm.user("bob").store("default").open().await;
    assert!(matches!(&opened, Err(Error::Key(text)) if text.contains("was removed")), "{opened:?}");
}

#[tokio::test]
async fn a_warm_process_that_meets_a_keyring_of_a_new_epoch_reads_the_header_again() {
    let bucket = lived_in().await;
    let again = bucket.again();
    let warm = open_with(&again, raw(8)).await.unwrap();
    let vault = bucket.open().await;
    for epoch in [2, 3] {
        let rotation = vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap();
        assert_eq!(rotation.epoch, epoch);
        again.spent();
        is_whole(&warm).await;
        let headers = again.counting.ops().into_iter().filter(|(_, path)| path.starts_with("vault")).count();
        assert_eq!(headers, 2, "one listing, one header, for all users");
    }
    // It goes on from the header that it has read.
    warm.add_slot(raw(9)).await.unwrap();
    is_whole(&open_with(&bucket, raw(9)).await.unwrap()).await;
    ok(&roomy(&warm, "alice").await, create("/memories/after", "")).await;
}

#[tokio::test]
async fn an_epoch_that_no_header_holds_is_damage() {
    let bucket = lived_in().await;
    let (path, mut bytes) = objects(&bucket, "keyring/").await.remove(0);
    bytes[14] ^= 4;
    bucket.memory.put(&path, bytes.into()).await.unwrap();
    let vault = bucket.open().await;
    let mut damaged = 0;
    for user in ["alice", "bob"] {
        damaged += usize::from(matches!(vault.user(user).store("default").open().await, Err(Error::Damaged { .. })));
    }
    assert_eq!(damaged, 1);
    let resealed = vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    assert_eq!(
        (resealed.users, resealed.resealed, resealed.damaged.len()),
        (2, 1, 1),
        "the other one is not left behind"
    );
}

#[tokio::test(start_paused = true)]
async fn two_processes_that_add_slots_at_once_both_succeed() {
    let bucket = Bucket::new();
    let here = bucket.create().await;
    let there = bucket.again().open().await;
    let gate = bucket.faults.on(Op::PutCreate).path_contains("vault/").hold();
    let slow = tokio::spawn(async move { here.add_slot(raw(8)).await });
    gate.reached().await;
    there.add_slot(raw(9)).await.unwrap();
    gate.release();
    slow.await.unwrap().unwrap();
    for byte in [7, 8, 9] {
        assert_eq!(open_with(&bucket, raw(byte)).await.unwrap().slots().await.unwrap().len(), 3);
    }
    only_the_newest_header_is_left(&bucket).await;
}

/// A verb whose answer is lost, and whose header is superseded by another process before it can be looked at.
async fn superseded_unseen<T: Send + 'static>(
    bucket: &Bucket,
    verb: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    // The verb's first create is of the header: `lived_in` has probed.
    let create = || bucket.faults.on(Op::PutCreate).path_contains("vault/");
    create().land_then_fail(errors::timeout());
    let gate = create().hold_answer();
    let running = tokio::spawn(verb);
    gate.reached().await;
    bucket.again().open().await.add_slot(raw(9)).await.unwrap();
    gate.release();
    running.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_change_whose_answer_was_lost_and_that_was_superseded_since_is_not_made_twice() {
    let bucket = Bucket::new();
    let vault = bucket.create().await;
    let added = superseded_unseen(&bucket, async move { vault.add_slot(raw(8)).await }).await.unwrap();
    let opened = open_with(&bucket, raw(8)).await.unwrap();
    let slots = opened.slots().await.unwrap();
    assert_eq!((slots.len(), id_of_own(&slots)), (3, added.id.clone()));

    let bucket = lived_in().await;
    let vault = bucket.open().await;
    ok(&roomy(&vault, "alice").await, create("/memories/probed", "")).await;
    ok(&roomy(&vault, "alice").await, delete("/memories/probed")).await;
    let id = id_of_own(&open_with(&bucket, raw(8)).await.unwrap().slots().await.unwrap());
    superseded_unseen(&bucket, async move { vault.remove_slot(&id).await }).await.unwrap();
    assert!(matches!(open_with(&bucket, raw(8)).await, Err(Error::WrongKey)));

    let bucket = lived_in().await;
    let vault = bucket.open().await;
    ok(&roomy(&vault, "alice").await, create("/memories/probed", "")).await;
    ok(&roomy(&vault, "alice").await, delete("/memories/probed")).await;
    let rotation =
        superseded_unseen(&bucket, async move { vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await });
    let rotation = rotation.await.unwrap();
    assert_eq!(rotation.epoch, 2);
    let again = bucket.open().await.rotate(vec![raw(7), raw(8), raw(9)], false, |_, _| {}).await.unwrap();
    assert_eq!(again.epoch, 3, "it was rotated once");
    is_whole(&bucket.open().await).await;
}

#[tokio::test]
async fn rotation_keeps_the_slots_whose_keys_it_is_given_and_drops_others_only_when_told_to() {
    let bucket = lived_in().await;
    let vault = bucket.open().await;
    vault.add_slot(Key::passphrase("third")).await.unwrap();
    let before = vault.slots().await.unwrap();
    let headers = objects(&bucket, "vault/").await;

    let refused = vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await;
    assert!(matches!(&refused, Err(Error::Invalid(text)) if text.starts_with("1 more slot")), "{refused:?}");
    for drop_others in [false, true] {
        let mistyped = vault.rotate(vec![raw(7), raw(8), Key::passphrase("thirt")], drop_others, |_, _| {}).await;
        assert!(matches!(mistyped, Err(Error::WrongKey)), "{mistyped:?}");
    }
    let none = vault.rotate(vec![], true, |_, _| {}).await;
    assert!(matches!(none, Err(Error::WrongKey)), "{none:?}");
    assert_eq!(objects(&bucket, "vault/").await, headers, "nothing was written");

    let all = || vec![Key::passphrase("third"), raw(8), raw(7)];
    assert_eq!(vault.slots_of(all()).await.unwrap(), before);
    let rotation = vault.rotate(all(), false, |_, _| {}).await.unwrap();
    assert_eq!((rotation.epoch, &rotation.slots), (2, &before), "ids and types stay");
    for key in all() {
        is_whole(&open_with(&bucket, key).await.unwrap()).await;
    }
    assert_eq!(vault.slots_of(vec![raw(7)]).await.unwrap().len(), 1);
    let rotation = vault.rotate(vec![raw(7)], true, |_, _| {}).await.unwrap();
    assert_eq!((rotation.epoch, rotation.slots.len()), (3, 1));
    assert!(matches!(open_with(&bucket, raw(8)).await, Err(Error::WrongKey)));
    is_whole(&bucket.open().await).await;
}

#[tokio::test]
async fn rotation_touches_headers_and_keyrings_and_no_log() {
    let bucket = lived_in().await;
    let logs = objects(&bucket, "/log/").await;
    let old: Vec<_> = objects(&bucket, "keyring/").await.into_iter().chain(objects(&bucket, "vault/").await).collect();
    let vault = bucket.open().await;
    let mut seen = Vec::new();
    let rotation = vault.rotate(vec![raw(7), raw(8)], false, |done, total| seen.push((done, total))).await.unwrap();
    let resealed = rotation.keyrings.unwrap();
    assert_eq!((resealed.users, resealed.resealed, resealed.damaged.len()), (2, 2, 0));
    assert_eq!(seen, [(1, 2), (2, 2)]);
    assert_eq!(objects(&bucket, "/log/").await, logs);
    for (path, _) in &old {
        let now = bucket.memory.get(path).await.unwrap().bytes().await.unwrap();
        assert!(is_stub(&now), "{path}");
    }
    for (path, bytes) in objects(&bucket, "keyring/").await.into_iter().filter(|(_, bytes)| !is_stub(bytes)) {
        assert_eq!(bytes[11..15], [0, 0, 0, 2], "{path} is sealed under epoch 2");
    }
    // Warm and cold, of the same user keys.
    is_whole(&vault).await;
    is_whole(&bucket.open().await).await;
    let inspection = bucket.open().await.inspect(memoseal_core::Depth::Contents, |_, _| {}).await.unwrap();
    assert!(inspection.findings.is_empty(), "{:?}", inspection.findings);
}

#[tokio::test]
async fn a_user_that_a_process_made_under_the_old_vault_key_is_sealed_anew_by_the_next_look() {
    let bucket = lived_in().await;
    let stale = bucket.again().open().await;
    let vault = bucket.open().await;
    vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    ok(&roomy(&stale, "carol").await, create("/memories/n", "c")).await;
    assert_eq!(tree(&vault, "carol").await.len(), 1);
    let resealed = vault.reseal_keyrings(|_, _| {}).await.unwrap();
    assert_eq!((resealed.users, resealed.resealed), (3, 1));
    assert_eq!(vault.reseal_keyrings(|_, _| {}).await.unwrap().resealed, 0);
    // The process that made the user, warm, and one that opens it now.
    assert_eq!(tree(&stale, "carol").await.len(), 1);
    assert_eq!(tree(&bucket.open().await, "carol").await.len(), 1);
}

#[tokio::test]
async fn a_user_made_while_a_rotation_seals_keyrings_is_one_user() {
    let bucket = lived_in().await;
    let (one, other) = (roomy(&bucket.open().await, "carol").await, bucket.again());
    // One is about to make the user; another makes it, and it is sealed anew under a new vault key.
    let gate = bucket.faults.on(Op::PutCreate).path_contains("keyring").hold();
    let slow = tokio::spawn({
        let one = one.clone();
        async move { ok(&one, create("/memories/slow", "s")).await }
    });
    gate.reached().await;
    let vault = other.open().await;
    ok(&roomy(&vault, "carol").await, create("/memories/fast", "f")).await;
    vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    gate.release();
    slow.await.unwrap();
    assert_eq!(tree(&bucket.open().await, "carol").await.len(), 2);
}

#[tokio::test]
async fn two_processes_that_seal_keyrings_anew_at_once_agree() {
    let bucket = lived_in().await;
    let vault = bucket.open().await;
    // The keyrings stay behind.
    bucket.faults.on(Op::PutCreate).path_contains("keyring").always().fail_before(errors::permission_denied());
    let rotation = vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap();
    assert!(matches!(rotation.keyrings, Err(Error::Backend { .. })), "{rotation:?}");
    bucket.faults.clear();
    let again = bucket.again().open().await;
    let (here, there) = join(vault.reseal_keyrings(|_, _| {}), again.reseal_keyrings(|_, _| {})).await;
    assert_eq!(here.unwrap().resealed + there.unwrap().resealed, 2);
    assert_eq!(objects(&bucket, "keyring/").await.len(), 4);
    is_whole(&bucket.open().await).await;
}

#[tokio::test]
async fn a_header_or_keyring_older_than_the_process_has_seen_is_damage() {
    let bucket = lived_in().await;
    let (headers, keyrings) = (objects(&bucket, "vault/").await, objects(&bucket, "keyring/").await);
    let vault = bucket.open().await;
    vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    let roll_back = async |old: &[(Path, Vec<u8>)], part: &str| {
        for (path, _) in objects(&bucket, part).await {
            match old.iter().find(|(older, _)| *older == path) {
                Some((_, bytes)) => drop(bucket.memory.put(&path, bytes.clone().into()).await.unwrap()),
                None => bucket.memory.delete(&path).await.unwrap(),
            }
        }
    };
    roll_back(&keyrings, "keyring/").await;
    let opened = vault.user("alice").store("default").open().await;
    assert!(matches!(&opened, Err(Error::Damaged { problem, .. }) if problem.contains("older copy")), "{opened:?}");

    roll_back(&headers, "vault/").await;
    for answer in [vault.refresh().await, vault.add_slot(raw(9)).await.map(drop)] {
        assert!(matches!(&answer, Err(Error::Damaged { problem, .. }) if problem.contains("older copy")), "{answer:?}");
    }
    for (path, _) in objects(&bucket, "vault/").await {
        bucket.memory.delete(&path).await.unwrap();
    }
    assert!(matches!(vault.refresh().await, Err(Error::Damaged { .. })), "no header at all");
}

#[tokio::test]
async fn a_stub_where_a_generation_was_listed_is_looked_for_again_and_damage_if_it_is_the_newest() {
    let bucket = lived_in().await;
    bucket.open().await.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    for (part, prefix) in [("vault/", "vault"), ("keyring/", "keyring")] {
        // The first listing is of a moment before the newest generation was made.
        let newest = objects(&bucket, part).await;
        let is_newest = |at: usize| at == 0 || newest[at - 1].0.prefix_match(&parent(&newest[at].0)).is_none();
        for at in (0..newest.len()).filter(|at| is_newest(*at)) {
            let (path, bytes) = &newest[at];
            let again = bucket.again();
            let folder = parent(path);
            again.faults.on(Op::List).path_is(folder).missing(path.clone());
            is_whole(&again.open().await).await;
            assert!(again.faults.all_fired());

            let stub = objects(&bucket, part).await.into_iter().find(|(_, bytes)| is_stub(bytes)).unwrap().1;
            bucket.memory.put(path, stub.into()).await.unwrap();
            let opened = match open_with(&bucket, raw(7)).await {
                Err(error) => Err(error),
                Ok(vault) => {
                    let alice = vault.user("alice").store("default").open().await;
                    alice.and(vault.user("bob").store("default").open().await)
                }
            };
            assert!(matches!(opened, Err(Error::Damaged { .. })), "{prefix}: {opened:?}");
            bucket.memory.put(path, bytes.clone().into()).await.unwrap();
        }
    }
}

fn parent(path: &Path) -> Path {
    Path::from(path.as_ref().rsplit_once('/').unwrap().0)
}

#[tokio::test]
async fn a_listing_that_always_knows_a_newer_stub_is_not_followed_for_ever() {
    let bucket = lived_in().await;
    let stub = objects(&bucket, "vault/").await.remove(1).1;
    let name = |generation| Path::from(format!("vault/{:016x}", u64::MAX - generation));
    let last = 60;
    for generation in 1..=last {
        bucket.memory.put(&name(generation), stub.clone().into()).await.unwrap();
        for hidden in generation + 1..=last {
            bucket.faults.on(Op::List).path_is("vault").nth(generation).missing(name(hidden));
        }
    }
    bucket.spent();
    let opened = open_with(&bucket, raw(7)).await;
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
    assert!(bucket.spent().get < last);
}

#[tokio::test]
async fn stubs_that_a_crash_left_out_are_written_by_the_next_change() {
    let bucket = lived_in().await;
    let vault = bucket.open().await;
    bucket.faults.on(Op::PutOverwrite).always().fail_before(errors::permission_denied());
    vault.add_slot(raw(9)).await.unwrap();
    vault.rotate(vec![raw(7), raw(8), raw(9)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    is_whole(&bucket.open().await).await;
    assert!(objects(&bucket, "vault/").await[1..].iter().filter(|(_, bytes)| !is_stub(bytes)).count() >= 2);
    bucket.faults.clear();
    vault.add_slot(raw(10)).await.unwrap();
    only_the_newest_header_is_left(&bucket).await;
    assert_eq!(vault.reseal_keyrings(|_, _| {}).await.unwrap().resealed, 0);
    assert_eq!(objects(&bucket, "keyring/").await.iter().filter(|(_, bytes)| !is_stub(bytes)).count(), 2);
}

#[tokio::test]
async fn changes_of_keys_cost_what_they_say() {
    let counts =
        |list, get, put_create, put_overwrite| Counts { list, get, put_create, put_overwrite, ..Counts::default() };
    let bucket = lived_in().await;
    let vault = bucket.open().await;
    bucket.spent();
    let slot = vault.add_slot(raw(9)).await.unwrap();
    assert_eq!(bucket.spent(), counts(1, 0, 2, 1), "the process's first change: probe, listing, create, stub");
    vault.remove_slot(&slot.id).await.unwrap();
    assert_eq!(bucket.spent(), counts(1, 0, 1, 1), "listing, create, stub");
    vault.slots().await.unwrap();
    assert_eq!(bucket.spent(), counts(1, 0, 0, 0), "slots");
    vault.refresh().await.unwrap();
    assert_eq!(bucket.spent(), counts(1, 0, 0, 0), "refresh");
    vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap().keyrings.unwrap();
    let users = 2;
    assert_eq!(bucket.spent(), counts(2 + users, users, 1 + users, 1 + users), "header, listing of users, each user");
    vault.reseal_keyrings(|_, _| {}).await.unwrap();
    assert_eq!(bucket.spent(), counts(1 + users, users, 0, 0), "nothing to seal anew");
    roomy(&vault, "alice").await;
    assert_eq!(bucket.spent(), counts(2, 1 + 2, 0, 0), "opening a user costs what it cost before");
    bucket.open().await;
    assert_eq!(bucket.spent(), counts(1, 1, 0, 0), "opening the vault too");
}

#[derive(Clone, Copy, Debug)]
enum Verb {
    Add,
    Remove,
    Rotate,
    Reseal,
}

impl Verb {
    async fn run(self, vault: &Vault, id: &str) -> Result<()> {
        match self {
            Self::Add => vault.add_slot(raw(9)).await.map(drop),
            Self::Remove => vault.remove_slot(id).await,
            Self::Rotate => vault.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await?.keyrings.map(drop),
            Self::Reseal => vault.reseal_keyrings(|_, _| {}).await.map(drop),
        }
    }
}

/// What happens to the `n`-th request, and to those after it.
type Mishap = fn(&FaultStore, u64, Fault);

#[tokio::test(start_paused = true)]
async fn a_crash_between_any_two_requests_locks_nobody_out_and_loses_nothing() {
    let mishaps: [(Mishap, Fault); 4] = [
        (|faults, n, fault| faults.on_any().nth(n).fail_before(fault), errors::permission_denied()),
        (|faults, n, fault| faults.on_any().nth(n).land_then_fail(fault), errors::timeout()),
        (|faults, n, fault| faults.on_any().nth(n).always().fail_before(fault), errors::permission_denied()),
        (|faults, n, fault| faults.on_any().nth(n).always().land_then_fail(fault), errors::timeout()),
    ];
    for verb in [Verb::Add, Verb::Remove, Verb::Rotate, Verb::Reseal] {
        for (mishap, fault) in &mishaps {
            let mut n = 1;
            while crashes_well(verb, *mishap, fault, n).await {
                n += 1;
            }
            assert!(n > 4, "{verb:?}: {n} requests");
        }
    }
}

/// Whether the verb sends an `n`-th request, which went wrong then.
async fn crashes_well(verb: Verb, mishap: Mishap, fault: &Fault, n: u64) -> bool {
    let bucket = lived_in().await;
    let id = id_of_own(&open_with(&bucket, raw(8)).await.unwrap().slots().await.unwrap());
    if matches!(verb, Verb::Reseal) {
        let again = bucket.again();
        again.faults.on(Op::PutCreate).path_contains("keyring").always().fail_before(errors::permission_denied());
        let rotation = again.open().await.rotate(vec![raw(7), raw(8)], false, |_, _| {}).await.unwrap();
        assert!(rotation.keyrings.is_err());
    }
    let crashing = bucket.again();
    let vault = crashing.open().await;
    mishap(&crashing.faults, n, fault.clone());
    let answer = verb.run(&vault, &id).await;
    let fired = crashing.faults.all_fired();
    assert!(fired || answer.is_ok(), "{verb:?} {n}: {answer:?}");

    let told = |what: &str| format!("{verb:?}, request {n}, {fault:?}, answered {answer:?}: {what}");
    let survivor = bucket.open().await;
    is_whole(&survivor).await;
    let slots = survivor.slots().await.unwrap();
    let eight = open_with(&bucket, raw(8)).await;
    assert_eq!(eight.is_ok(), slots.iter().any(|slot| slot.id == id), "{}", told("key 8"));
    assert!(eight.is_ok() || matches!(verb, Verb::Remove), "{}", told("key 8"));
    if let Ok(eight) = eight {
        is_whole(&eight).await;
    }
    let nine = open_with(&bucket, raw(9)).await;
    assert_eq!(nine.is_ok(), slots.len() == 3, "{}", told("key 9"));

    // What was answered has happened.
    match verb {
        Verb::Add => assert!(answer.is_err() || nine.is_ok(), "{}", told("the slot")),
        Verb::Remove => assert!(answer.is_err() || slots.len() == 1, "{}", told("the slot")),
        Verb::Rotate | Verb::Reseal => {}
    }
    match verb.run(&survivor, &id).await {
        Ok(()) => {}
        Err(Error::AlreadyExists { .. }) if matches!(verb, Verb::Add) && slots.len() == 3 => {}
        Err(Error::NotFound { .. }) if matches!(verb, Verb::Remove) && slots.len() == 1 => {}
        Err(error) => panic!("{}: {error}", told("again")),
    }
    is_whole(&bucket.open().await).await;
    assert_eq!(bucket.open().await.reseal_keyrings(|_, _| {}).await.unwrap().resealed, 0);
    // A process that was warm through all of it.
    if !matches!(verb, Verb::Remove) {
        crashing.faults.clear();
        vault.refresh().await.unwrap();
        is_whole(&vault).await;
    }
    fired
}
