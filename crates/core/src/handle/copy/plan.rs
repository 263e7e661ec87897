//! What a pass is to do. Both places are read for it; nothing is written.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    super::{Vault, directory::Standing, keyrings},
    Copied, SIDE_BY_SIDE, Task,
    listing::Listing,
    merge::Merge,
    transfer::Transfer,
};
use crate::{
    Error, Result,
    log::names::{self, KeyedHash, Name},
    state::Closing,
};

/// What is to be done with one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The target has nothing there.
    Create,
    /// The target holds more there.
    Overwrite {
        /// Whether the source has no newer generation of it.
        is_newest: bool,
    },
    /// What was destroyed in the source, name and all, is emptied in the target. Its maintenance frees the name.
    Empty,
    /// A checkpoint that the source does not have any more.
    Delete,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    tasks: Vec<Task>,
    unchanged: u64,
    kept: u64,
    bytes: u64,
}

/// What may be done side by side, chain by chain; within a chain one task comes after the other.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) chains: Vec<Vec<Task>>,
}

impl Plan {
    /// Compares the two places. `changed` are the names of the source to look at: new ones, and some that are gone.
    ///
    /// # Errors
    /// [`Error::Diverged`], [`Error::AlreadyExists`] as [`Vault::copy_to`].
    pub(super) async fn new(
        transfer: &Transfer<'_>,
        source: &Listing,
        target: &Listing,
        changed: &[Name],
        each: &mut (dyn FnMut() + Send),
    ) -> Result<Self> {
        refuse_another(transfer, target).await?;
        let newest = newest(source);
        let is_newest = |name: &Name| newest.contains(name);
        let mut plan = Self::default();
        let mut both = Vec::new();
        for name in changed {
            match (source.objects.get(name), target.objects.contains_key(name)) {
                (Some(_), true) => both.push(*name),
                (Some(object), false) => {
                    plan.tasks.push((*name, Action::Create));
                    plan.bytes += object.size;
                    each();
                }
                // Below, with what the target alone has.
                (None, _) => each(),
            }
        }
        let compared = stream::iter(both).map(|name| {
            let sizes = [&source.objects, &target.objects].map(|place| place.get(&name).map_or(0, |there| there.size));
            let is_newest = is_newest(&name);
            async move { transfer.compare(&name, is_newest, sizes).await.map(|merge| (name, is_newest, merge)) }
        });
        let mut compared = compared.buffer_unordered(SIDE_BY_SIDE);
        while let Some((name, is_newest, merge)) = compared.try_next().await? {
            match merge {
                // It went meanwhile, and the next pass sees that.
                None => {}
                Some(Merge::Same) => plan.unchanged += 1,
                Some(Merge::Less) => plan.kept += 1,
                Some(Merge::Overwrite(bytes)) => {
                    plan.bytes += bytes.len() as u64;
                    plan.tasks.push((name, Action::Overwrite { is_newest }));
                }
                Some(Merge::Differs) => {
                    let problem = "it is neither the same as in the source nor an earlier form of it";
                    return Err(diverged(transfer, &name, problem));
                }
            }
            each();
        }
        drop(compared);
        plan.alone(transfer, source, target).await?;
        Ok(plan)
    }

    /// What the target alone has: checkpoints that were replaced, and what was destroyed in the source. Anything else
    /// was written to it.
    async fn alone(&mut self, transfer: &Transfer<'_>, source: &Listing, target: &Listing) -> Result<()> {
        // By what was asked: whether this life of a log has ended.
        let mut ended: BTreeMap<(KeyedHash, KeyedHash, u64, u64), bool> = BTreeMap::new();
        let alone = target.objects.iter().filter(|(name, _)| !source.objects.contains_key(name));
        for (name, object) in alone {
            let log = match name {
                Name::Log { name: log, .. } if log.is_checkpoint => {
                    self.tasks.push((*name, Action::Delete));
                    continue;
                }
                Name::Log { user, store, name } => (*user, *store, name.user_life, name.store_life),
                Name::Block { user, name } => (*user, name.store, name.user_life, name.store_life),
                _ => return Err(diverged(transfer, name, "the source never had it, or has lost it")),
            };
            let has_ended = match ended.get(&log) {
                Some(known) => *known,
                None => has_ended(transfer.vault, log).await?,
            };
            ended.insert(log, has_ended);
            if !has_ended {
                return Err(diverged(transfer, name, "the source never had it, or has lost it"));
            }
            if object.size > 0 {
                self.tasks.push((*name, Action::Empty));
            }
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// Whether the target holds what it would not hold afterwards. A checkpoint less is no loss: it follows from the log.
    pub(super) fn takes_something_away(&self) -> bool {
        self.tasks.iter().any(|(_, action)| matches!(action, Action::Overwrite { .. } | Action::Empty))
    }

    /// Notes what needs nothing to be done; where nothing is to be done at all, what would be.
    pub(super) fn add_to(&self, copied: &mut Copied, is_dry_run: bool) {
        copied.unchanged += self.unchanged;
        copied.kept += self.kept;
        if !is_dry_run {
            return;
        }
        copied.bytes += self.bytes;
        for (_, action) in &self.tasks {
            match action {
                Action::Create => copied.created += 1,
                Action::Overwrite { .. } | Action::Empty => copied.overwritten += 1,
                Action::Delete => copied.deleted += 1,
            }
        }
    }

    /// The order that keeps whoever opens the target meanwhile from taking it for damaged: keyrings before logs, the
    /// commits of a log one after another, checkpoints and blocks after them. The header comes first where the target is a
    /// vault already, since it opens newer keyrings; and last where it is none yet, so that nobody opens half of one.
    pub(super) fn steps(mut self, is_vault: bool) -> Vec<Step> {
        self.tasks.sort_by_key(|(name, _)| *name);
        let (mut headers, mut keyrings, mut commits, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut logs: BTreeMap<_, Vec<Task>> = BTreeMap::new();
        for task in self.tasks {
            match task.0 {
                Name::Header(_) => headers.push(task),
                Name::Keyring { .. } => keyrings.push(task),
                Name::Log { user, store, name } if !name.is_checkpoint => {
                    logs.entry((user, store, name.user_life, name.store_life)).or_default().push(task);
                }
                Name::Log { .. } | Name::Block { .. } | Name::Clock => rest.push(task),
            }
        }
        if is_vault {
            commits.extend(logs.into_values());
        } else {
            commits.extend(logs.into_values().flatten().map(|task| vec![task]));
        }
        let alone = |tasks: Vec<Task>| tasks.into_iter().map(|task| vec![task]).collect();
        // The newest generation first: a stub may stand only below one that is none.
        let newest_first = |tasks: &[Task]| tasks.iter().rev().copied().collect();
        let headers = Step { chains: vec![newest_first(&headers)] };
        let users = keyrings.chunk_by(|a, b| user(&a.0) == user(&b.0)).map(newest_first).collect();
        let mut steps = vec![Step { chains: users }, Step { chains: commits }, Step { chains: alone(rest) }];
        steps.insert(if is_vault { 0 } else { steps.len() }, headers);
        steps
    }
}

fn user(name: &Name) -> Option<KeyedHash> {
    if let Name::Keyring { user, .. } = name { Some(*user) } else { None }
}

/// The newest generation of each series.
fn newest(listing: &Listing) -> BTreeSet<Name> {
    let mut newest: BTreeMap<Option<KeyedHash>, Name> = BTreeMap::new();
    // In the order of generations, so that the last one stays.
    for name in listing.objects.keys().filter(|name| matches!(name, Name::Header(_) | Name::Keyring { .. })) {
        newest.insert(user(name), *name);
    }
    newest.into_values().collect()
}

/// Whether this life of a log was destroyed, with its user or alone. Two or four requests.
async fn has_ended(vault: &Vault, log: (KeyedHash, KeyedHash, u64, u64)) -> Result<bool> {
    let (user, store, user_life, store_life) = log;
    let newest = keyrings::newest(vault, &user).await?;
    if newest.life() > user_life {
        return Ok(true);
    }
    let Some(keyring) = newest.alive().filter(|keyring| keyring.life() == user_life) else { return Ok(false) };
    let lives = names::lives(vault.prefix(), &user, &store);
    let end = Standing::end_of(vault, &keyring, &lives, &store, store_life).await?;
    Ok(matches!(end, Some((Closing::Store, _))))
}

/// Makes sure that the target is this vault, or empty.
async fn refuse_another(transfer: &Transfer<'_>, target: &Listing) -> Result<()> {
    if let Some(foreign) = &target.first_foreign {
        let (count, hint) = (target.foreign, "choose an empty place, or an older copy of this vault".into());
        let what = format!("{count} objects which memoseal did not write, {foreign} among them, lie at the target: it");
        return Err(Error::AlreadyExists { what, hint });
    }
    let headers = target.objects.keys().rev().filter(|name| matches!(name, Name::Header(_)));
    for name in headers {
        let Some(bytes) = transfer.read_target(name).await? else { continue };
        let Some(id) = memoseal_crypto::vault_id(&bytes) else { continue };
        if id != transfer.vault.id() {
            let hint = "choose an empty place; into another vault goes `memoseal export` and `memoseal import`".into();
            return Err(Error::AlreadyExists { what: "another vault at the target".into(), hint });
        }
    }
    Ok(())
}

fn diverged(transfer: &Transfer<'_>, name: &Name, problem: &str) -> Error {
    Error::Diverged { object: name.path(transfer.target.prefix()).to_string(), problem: problem.into() }
}
