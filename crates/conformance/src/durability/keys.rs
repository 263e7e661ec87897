//! Slots and the vault key: nobody who should open the vault is locked out, and nobody who should not gets in.

use memoseal_core::{Error, Key, MaintainOptions, Vault, VaultOptions};

use super::crash::{Attempts, has_crashed, hasty, is_clean};
use crate::{
    Failure, Place,
    bucket::{Bucket, Clients, Crash, Objects, create, key, ok, store},
    check, check_eq,
};

fn second() -> Key {
    Key::raw([8; 32])
}

fn third() -> Key {
    Key::raw([9; 32])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Add,
    Remove,
    Rotate,
    Reseal,
}

impl Verb {
    async fn run(self, vault: &Vault, id: &str) -> memoseal_core::Result<()> {
        match self {
            Self::Add => vault.add_slot(third()).await.map(drop),
            Self::Remove => vault.remove_slot(id).await,
            Self::Rotate => vault.rotate(vec![key(), second()], false, |_, _| {}).await?.keyrings.map(drop),
            Self::Reseal => vault.reseal_keyrings(|_, _| {}).await.map(drop),
        }
    }
}

/// A vault with two users, which two keys open.
struct World {
    bucket: Bucket,
    objects: Objects,
    /// The slot of the second key.
    id: String,
}

impl World {
    async fn fresh(place: &dyn Place) -> Result<Self, Failure> {
        let (bucket, vault) = Bucket::with_vault(place).await?;
        let id = vault.add_slot(second()).await?.id;
        for user in ["alice", "bob"] {
            ok(&store(&vault, user).await?, create("n", user)).await?;
        }
        let objects = bucket.objects().await?;
        Ok(Self { bucket, objects, id })
    }

    async fn open(&self, key: Key) -> memoseal_core::Result<Vault> {
        Vault::open(self.bucket.backend(), key, VaultOptions::default()).await
    }

    async fn is_whole(&self, vault: &Vault) -> Result<(), Failure> {
        for user in ["alice", "bob"] {
            let store = store(vault, user).await.map_err(|error| Failure::from(error).about(user))?;
            check_eq!(store.read("/memories/n").await?, user.as_bytes(), "what {user} wrote");
        }
        Ok(())
    }

    /// The verb ends at its `n`-th request.
    async fn attempt(&self, verb: Verb, n: u64, how: Crash) -> Result<bool, Failure> {
        self.bucket.put_back(&self.objects).await?;
        let clients = Clients::of(&self.bucket);
        let vault = clients.bucket().open_with(hasty()).await?;
        clients.crash(n, how);
        let answer = verb.run(&vault, &self.id).await;
        let crashed = has_crashed(&clients, n, &answer)?;

        // Who comes then opens it with every key that has a slot, and with no other.
        let next = self.bucket.open().await?;
        self.is_whole(&next).await?;
        let slots = next.slots().await?;
        let has_second = slots.iter().any(|slot| slot.id == self.id);
        let opened = [self.open(second()).await, self.open(third()).await];
        let [by_second, by_third] = opened.each_ref().map(Result::is_ok);
        check_eq!(by_second, has_second, "the second key opens it");
        check_eq!(by_third, slots.len() == 3, "the third key opens it");
        check!(by_second || verb == Verb::Remove, "the second key is locked out");
        for vault in opened.iter().flatten() {
            self.is_whole(vault).await?;
        }
        // What was answered has happened.
        match verb {
            Verb::Add => check!(answer.is_err() || by_third, "a slot was added and does not open"),
            Verb::Remove => check!(answer.is_err() || !by_second, "a slot was removed and opens"),
            Verb::Rotate | Verb::Reseal => {}
        }
        // Done again it is completed, or was.
        match verb.run(&next, &self.id).await {
            Ok(()) => {}
            Err(Error::AlreadyExists { .. }) if verb == Verb::Add && by_third => {}
            Err(Error::NotFound { .. }) if verb == Verb::Remove && !by_second => {}
            Err(error) => return Err(Failure::from(error).about("done again")),
        }
        check_eq!(next.reseal_keyrings(|_, _| {}).await?.resealed, 0, "keyrings left behind");
        self.is_whole(&self.bucket.open().await?).await?;
        // Superseded headers that are left are the maintenance's.
        next.maintain(&MaintainOptions::default(), |_, _| {}).await?;
        is_clean(&self.bucket).await?;
        // The process goes on, if it was only cut off for a while.
        clients.mend();
        vault.refresh().await?;
        self.is_whole(&vault).await?;
        Ok(crashed)
    }

    async fn at_every_request(&self, verb: Verb, least: u64) -> Result<(), Failure> {
        let mut attempts = Attempts::of(least);
        while let Some((n, how)) = attempts.next() {
            attempts.ended(self.attempt(verb, n, how).await)?;
        }
        Ok(())
    }
}

/// The probe, a listing, the new header, stubs over the older.
pub(crate) async fn a_crash_while_a_slot_is_added_locks_nobody_out(place: &dyn Place) -> Result<(), Failure> {
    World::fresh(place).await?.at_every_request(Verb::Add, 4).await
}

pub(crate) async fn a_crash_while_a_slot_is_removed_locks_nobody_out(place: &dyn Place) -> Result<(), Failure> {
    World::fresh(place).await?.at_every_request(Verb::Remove, 4).await
}

/// The same, then each user: a listing, the keyring, the new keyring, a stub.
pub(crate) async fn a_crash_in_a_rotation_locks_nobody_out(place: &dyn Place) -> Result<(), Failure> {
    World::fresh(place).await?.at_every_request(Verb::Rotate, 12).await
}

pub(crate) async fn a_crash_while_keyrings_are_sealed_anew_locks_nobody_out(place: &dyn Place) -> Result<(), Failure> {
    let mut world = World::fresh(place).await?;
    // A rotation that ended when the header was written: the probe, a listing, the header, its stub.
    let clients = Clients::of(&world.bucket);
    let vault = clients.bucket().open_with(hasty()).await?;
    clients.crash(5, Crash::Before);
    let rotation = vault.rotate(vec![key(), second()], false, |_, _| {}).await?;
    check!(rotation.keyrings.is_err(), "keyrings were sealed anew: {:?}", rotation.keyrings);
    world.objects = world.bucket.objects().await?;
    world.at_every_request(Verb::Reseal, 9).await
}
