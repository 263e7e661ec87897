//! A store's confirmed state in memory, and how it follows the log.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use futures_util::future::join_all;
use memoseal_crypto::Keyring;
use object_store::path::Path;
use tokio::{
    sync::{Notify, OnceCell},
    task::JoinHandle,
};

use super::{
    StoreOptions, User,
    blocks::Gathered,
    cache::Cache,
    catalogue,
    checkpoints::Mark,
    freshness::{Asked, Freshness},
    keyrings::{self, Newest},
    reads::Reads,
    scrubbing::Bound,
};
use crate::{
    Error, Result,
    codec::{Block, ChainValue, Checkpoint, Commit, StoreKeys},
    log::{Log, for_each_commit, list, list::Head, names::LogName},
    state::{Memory, Replay, State, VersionId},
    witness::{LogId, Seen},
};

/// Contents are kept up to this many bytes a handle.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// After so many commits of others in a row, the head is listed and the rest read side by side.
const HITS_BEFORE_LISTING: usize = 4;

/// What the log amounts to as far as it was read. Its `seq` never goes back.
#[derive(Debug, Default)]
pub(super) struct Confirmed {
    pub(super) seq: u64,
    /// The chain value at `seq`; means nothing while `seq` is 0.
    chain: ChainValue,
    pub(super) state: State,
    /// How far the log has gone since the last checkpoint.
    pub(super) mark: Mark,
    /// The sealed headers of the block that is being filled.
    pub(super) gathered: Gathered,
}

impl Confirmed {
    pub(super) fn chain(&self, keys: &StoreKeys) -> ChainValue {
        if self.seq == 0 { keys.genesis() } else { self.chain }
    }
}

/// What ties a commit to the one before it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) previous: ChainValue,
    pub(super) chain: ChainValue,
    /// The size of the commit in bytes.
    pub(super) bytes: u64,
    /// Its sealed header.
    pub(super) header: Bytes,
}

/// Where a store lies, and what was seen of it before.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: LogId,
    pub(super) lives: Path,
    pub(super) user_life: u64,
    pub(super) store_life: u64,
    pub(super) floor: Option<Seen>,
    pub(super) log: Log,
    /// When the bucket was asked for it.
    pub(super) asked: Asked,
}

pub(super) fn rolled_back(problem: String) -> Error {
    Error::RolledBack { what: "the store's log".into(), problem }
}

/// One store as one handle sees it.
pub(super) struct Replica {
    pub(super) user: User,
    pub(super) store: String,
    pub(super) options: StoreOptions,
    pub(super) log: Log,
    pub(super) id: LogId,
    pub(super) lives: Path,
    pub(super) user_life: u64,
    pub(super) store_life: u64,
    /// What was seen of this log before it was opened. Its commit has to be the one that was seen.
    pub(super) floor: Option<Seen>,
    /// Set once the user exists.
    keys: OnceLock<StoreKeys>,
    /// Whether the catalogue names the store, where it has to.
    entered: OnceCell<()>,
    confirmed: RwLock<Confirmed>,
    cache: Mutex<Cache>,
    /// When the bucket last gave a definite answer.
    freshness: Freshness,
    /// What was read and is not noted in the log yet.
    reads: Mutex<Reads>,
    /// What scrubs by the policy that is in force.
    pub(super) bound: Bound,
    /// The block of history that was read last.
    block: Mutex<Option<(u64, Arc<Block>)>>,
    /// Whether this handle has replaced something since it was last asked.
    pub(super) replaced: AtomicBool,
    /// Whether maintenance is about to be started.
    pub(super) maintaining: AtomicBool,
    /// Tells what waits in the background that it should not wait any longer.
    pub(super) settling: Notify,
    /// Whether a checkpoint is being written.
    pub(super) checkpointing: AtomicBool,
    /// Whether the witness is being told.
    pub(super) witnessing: AtomicBool,
    background: Mutex<Vec<JoinHandle<()>>>,
}

impl fmt::Debug for Replica {
    /// Nothing of what lies in the store.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Replica");
        debug.field("id", &self.id).field("lives", &(self.user_life, self.store_life));
        debug.field("seq", &self.confirmed().seq).finish_non_exhaustive()
    }
}

impl Replica {
    /// A store of which nothing has been read yet.
    pub(super) fn new(place: Place, user: User, store: String, options: StoreOptions) -> Self {
        let Place { id, lives, user_life, store_life, floor, log, asked } = place;
        Self {
            freshness: Freshness::since(asked),
            log,
            user,
            store,
            options,
            id,
            lives,
            user_life,
            store_life,
            floor,
            keys: OnceLock::new(),
            entered: OnceCell::new(),
            confirmed: RwLock::default(),
            cache: Mutex::new(Cache::new(CACHE_BYTES)),
            bound: Bound::default(),
            reads: Mutex::default(),
            block: Mutex::default(),
            replaced: AtomicBool::new(false),
            maintaining: AtomicBool::new(false),
            settling: Notify::new(),
            checkpointing: AtomicBool::new(false),
            witnessing: AtomicBool::new(false),
            background: Mutex::default(),
        }
    }

    /// Whether what is known here is more than a day old.
    pub(super) fn is_stale(&self) -> bool {
        self.freshness.is_stale(self.user.vault().env())
    }

    /// To be taken before the bucket is asked for what [`Replica::answered`] is told of.
    pub(super) fn asks(&self) -> Asked {
        Asked::now(self.user.vault().env())
    }

    /// Notes a definite answer about the head of the log.
    pub(super) fn answered(&self, asked: Asked) {
        self.freshness.renew(asked);
    }

    /// Goes on from what was read anew.
    pub(super) fn replace_by(&self, fresh: Self) -> Result<()> {
        if (fresh.user_life, fresh.store_life) != (self.user_life, self.store_life) {
            return Err(self.destroyed());
        }
        self.answered(fresh.freshness.last());
        let fresh = fresh.confirmed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut confirmed = self.confirmed_mut();
        if fresh.seq >= confirmed.seq {
            *confirmed = fresh;
        }
        Ok(())
    }

    /// Begins at a checkpoint of this size in bytes.
    pub(super) fn begin_at(&self, checkpoint: Checkpoint, bytes: u64) {
        let mut confirmed = self.confirmed_mut();
        confirmed.seq = checkpoint.seq;
        confirmed.chain = checkpoint.chain;
        confirmed.state = checkpoint.into_state();
        confirmed.mark = Mark::after(bytes);
    }

    /// The newest commit that is confirmed; nothing while there is none.
    pub(super) fn seen(&self) -> Option<Seen> {
        let confirmed = self.confirmed();
        let seen =
            Seen { user_life: self.user_life, store_life: self.store_life, seq: confirmed.seq, chain: confirmed.chain };
        (seen.seq > 0).then_some(seen)
    }

    /// What the first page of the log's listing tells now, if that is of the life of the user that is read here. One
    /// request.
    pub(super) async fn head(&self) -> Result<Option<Head>> {
        let vault = self.user.vault();
        list::of_life(list::head(vault.backend(), vault.patience().read, &self.lives).await?, self.user_life)
    }

    /// Notes that a checkpoint has been written.
    pub(super) fn checkpointed(&self, mark: impl FnOnce(&Mark) -> Mark) {
        let mut confirmed = self.confirmed_mut();
        confirmed.mark = mark(&confirmed.mark);
    }

    /// Runs `work` on a task of its own.
    pub(super) fn in_background(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut background = self.background.lock().unwrap_or_else(PoisonError::into_inner);
        background.retain(|task| !task.is_finished());
        background.push(tokio::spawn(work));
    }

    /// Waits until nothing runs in the background any more.
    pub(super) async fn settle(&self) {
        loop {
            let next = self.background.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(task) = next else { break };
            if self.maintaining.load(Ordering::Acquire) {
                self.settling.notify_one();
            }
            if let Err(stopped) = task.await {
                tracing::warn!("work in the background was stopped: {stopped}");
            }
        }
        if let Some(seen) = self.seen() {
            self.user.vault().saw(&self.id, &seen).await;
        }
    }

    pub(super) fn set_keys(&self, keyring: Arc<Keyring>) -> &StoreKeys {
        let vault = self.user.vault().id();
        self.keys.get_or_init(|| StoreKeys::new(keyring, vault, self.id.store, self.store_life))
    }

    /// The keys of the store; the user is made if there is none yet, and what has to be in the catalogue is entered.
    pub(super) async fn keys_or_create(&self) -> Result<&StoreKeys> {
        let keys = match self.keys.get() {
            Some(keys) => keys,
            None => self.take_keys(self.user.keyring_or_create(self.user_life).await?)?,
        };
        if self.confirmed().seq == 0 {
            self.entered.get_or_try_init(|| catalogue::enter(self, keys)).await?;
        }
        Ok(keys)
    }

    /// The keys of the store, where a commit says that the user exists.
    pub(super) async fn keys(&self) -> Result<&StoreKeys> {
        match self.keys.get() {
            Some(keys) => Ok(keys),
            None => self.take_keys(self.user.keyring().await?),
        }
    }

    /// Takes the user's keyring, if it is of the life that this replica reads.
    fn take_keys(&self, newest: Newest) -> Result<&StoreKeys> {
        match newest {
            Newest::Alive(keyring) if keyring.life() == self.user_life => Ok(self.set_keys(keyring)),
            Newest::Never => Err(Error::damaged(keyrings::WHAT, "the store has commits, but there is no keyring")),
            Newest::Alive(_) | Newest::Destroyed { .. } => Err(self.destroyed()),
        }
    }

    pub(super) fn confirmed(&self) -> RwLockReadGuard<'_, Confirmed> {
        self.confirmed.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn confirmed_mut(&self) -> RwLockWriteGuard<'_, Confirmed> {
        self.confirmed.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Block `number` of the history, if it is the one that was read last.
    pub(super) fn kept_block(&self, number: u64) -> Option<Arc<Block>> {
        let kept = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(kept, _)| *kept == number).map(|(_, block)| Arc::clone(block))
    }

    pub(super) fn keep_block(&self, number: u64, block: &Arc<Block>) {
        *self.block.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, Arc::clone(block)));
    }

    pub(super) fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows the log until the number after the confirmed one is missing: from then on the state was current at a
    /// moment after this call began. One request where nobody else has written.
    pub(super) async fn catch_up(&self) -> Result<()> {
        self.freshen().await?;
        self.unless_destroyed(self.to_the_head().await).await
    }

    async fn to_the_head(&self) -> Result<()> {
        let mut hits = 0;
        loop {
            let next = self.confirmed().seq + 1;
            let asked = self.asks();
            let Some(bytes) = self.log.bytes(next).await? else { return self.check_head(next, asked) };
            self.open_and_apply(next, bytes).await?;
            hits += 1;
            if hits == HITS_BEFORE_LISTING {
                let here = |name: &LogName| (name.user_life, name.store_life) == (self.user_life, self.store_life);
                let head = self.head().await?.map(|head| head.commit).filter(here);
                self.read_up_to(head.map_or(0, |commit| commit.seq)).await?;
            }
        }
    }

    /// Follows the log as [`Replica::catch_up`] does, then reads the state. Behind the head, on another task's way there,
    /// the state may be like none that ever was; from such a one nothing is read.
    pub(super) async fn at_head<T>(&self, read: impl Fn(&Confirmed) -> T) -> Result<T> {
        loop {
            self.catch_up().await?;
            let confirmed = self.confirmed();
            if !confirmed.state.has_skipped() {
                return Ok(read(&confirmed));
            }
        }
    }

    /// Whether the last known change of some memory was skipped, which can only be behind the head.
    pub(super) fn has_skipped(&self) -> bool {
        self.confirmed().state.has_skipped()
    }

    /// Where commit `next` does not exist, every memory that stands has its record: only what was replaced is ever
    /// removed.
    fn check_head(&self, next: u64, asked: Asked) -> Result<()> {
        self.answered(asked);
        self.check_open()?;
        let confirmed = self.confirmed();
        if confirmed.seq + 1 != next {
            return Ok(());
        }
        match confirmed.state.skipped().next() {
            None => Ok(()),
            Some((_, skipped)) => {
                let what = format!("version {}", skipped.version);
                Err(Error::damaged(what, "its record is missing, and nothing has replaced it"))
            }
        }
    }

    /// Whether nobody has written after `seq`; what was written is applied. One request where nobody has.
    pub(super) async fn is_current(&self, seq: u64) -> Result<bool> {
        if self.is_stale() {
            self.freshen().await?;
            return Ok(false);
        }
        let asked = self.asks();
        match self.log.bytes(seq + 1).await? {
            None => self.check_head(seq + 1, asked).map(|()| true),
            Some(bytes) => {
                self.take(seq + 1, bytes).await?;
                Ok(false)
            }
        }
    }

    /// Reads every commit up to `head` that is not confirmed yet.
    pub(super) async fn follow(&self, head: u64) -> Result<()> {
        self.unless_destroyed(self.read_up_to(head).await).await
    }

    async fn read_up_to(&self, head: u64) -> Result<()> {
        let keys = self.keys().await?;
        let next = self.confirmed().seq + 1;
        for_each_commit(self.log.commits(keys, next..=head), |commit| self.apply_commit(keys, &commit)).await
    }

    /// Applies the bytes that were found at `seq`.
    pub(super) async fn take(&self, seq: u64, bytes: Bytes) -> Result<()> {
        self.unless_destroyed(self.open_and_apply(seq, bytes).await).await
    }

    async fn open_and_apply(&self, seq: u64, bytes: Bytes) -> Result<()> {
        let keys = self.keys().await?;
        self.apply_commit(keys, &Commit::open(keys, seq, bytes)?)
    }

    pub(super) fn apply_commit(&self, keys: &StoreKeys, commit: &Commit) -> Result<()> {
        let (previous, header) = (commit.previous_chain, commit.sealed_header());
        let link = Link { seq: commit.seq, previous, chain: commit.chain, bytes: commit.len(), header };
        self.apply(keys, &link, commit.replay(keys)?)
    }

    /// Applies a commit, ours or another's, if it is the next. One that was applied already is passed over: a reader
    /// may have been faster than the writer whose commit it is.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it is the last that this log will ever have; it is applied all the same.
    pub(super) fn apply(&self, keys: &StoreKeys, link: &Link, changes: Vec<Replay>) -> Result<()> {
        let mut confirmed = self.confirmed_mut();
        if link.seq <= confirmed.seq {
            return Ok(());
        }
        let what = format!("commit {}", link.seq);
        if link.seq != confirmed.seq + 1 {
            return Err(Error::damaged(what, "the commits before it were not read"));
        }
        if link.previous != confirmed.chain(keys) {
            return Err(Error::damaged(what, "it does not follow from the commit before it"));
        }
        if self.floor.is_some_and(|floor| self.is_here(&floor) && floor.seq == link.seq && floor.chain != link.chain) {
            return Err(rolled_back(format!("commit {} is not the one that was seen before", link.seq)));
        }
        for change in changes {
            if let Replay::Note { note, .. } = &change {
                self.reads().in_log(note);
            }
            confirmed.state.replay(change);
        }
        confirmed.seq = link.seq;
        confirmed.chain = link.chain;
        confirmed.mark.commit(link.seq, link.bytes);
        confirmed.gathered.push(link.seq, &link.header);
        if confirmed.state.ledger().closed.is_some() { Err(self.destroyed()) } else { Ok(()) }
    }

    /// Whether `seen` belongs to the lives that this replica reads.
    pub(super) fn is_here(&self, seen: &Seen) -> bool {
        (seen.user_life, seen.store_life) == (self.user_life, self.store_life)
    }

    /// Gets the contents of `memories`, side by side, and keeps them in the cache.
    pub(super) async fn fetch(&self, memories: Vec<Memory>) -> HashMap<VersionId, Result<Bytes>> {
        let fetches = memories.into_iter().map(|memory| async move {
            let version = memory.content.version;
            let content = match self.keys().await {
                Ok(keys) => self.unless_destroyed(self.log.content(keys, &memory).await).await,
                Err(error) => Err(error),
            };
            if let Ok(content) = &content {
                self.cache().insert(version, content.clone());
            }
            (version, content)
        });
        join_all(fetches).await.into_iter().collect()
    }
}
