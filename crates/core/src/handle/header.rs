//! The vault's header as a process has it: read anew when something says that it has changed, and written anew by
//! what changes its slots or its key.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use bytes::Bytes;
use memoseal_crypto::{self as crypto, MAX_HEADER_LEN, OpenVault, Random};

use super::{
    Vault,
    vault::{blocking, opening_error},
};
use crate::{
    Error, Result,
    key_service::{self, Opening},
    log::{
        Backoff, Created, create, names,
        series::{Kind, Listing, Series},
    },
};

const WHAT: &str = "the vault's header";

/// The newest generation that this process has seen, byte for byte and opened.
#[derive(Clone)]
pub(super) struct Header {
    pub(super) open: Arc<OpenVault>,
    pub(super) bytes: Bytes,
}

/// The header at hand. It is replaced by newer ones and never goes back.
pub(super) struct AtHand(RwLock<Header>);

impl AtHand {
    pub(super) fn new(header: Header) -> Self {
        Self(RwLock::new(header))
    }

    pub(super) fn get(&self) -> Header {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, header: Header) {
        let mut at_hand = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if header.open.generation() > at_hand.open.generation() {
            *at_hand = header;
        }
    }
}

/// What the next generation of the header is to bring.
pub(super) trait Change: Send + Sync + 'static {
    /// The next generation after `now`. May take long.
    fn apply(&self, now: &Header, random: &dyn Random) -> Result<(Vec<u8>, OpenVault)>;

    /// Whether `now`, which is newer than what was sent, holds what `sent` was to bring.
    fn is_in(&self, now: &OpenVault, sent: &OpenVault) -> bool;
}

/// The series of the headers of the vault at a backend.
pub(super) fn headers(backend: &crate::Backend, limit: Duration) -> Series<'_> {
    Series::new(
        backend,
        limit,
        names::headers(backend.prefix()),
        Kind { what: WHAT, max: MAX_HEADER_LEN as u64, kept: None },
    )
}

impl Vault {
    /// Looks whether the vault's header has changed (a slot was added or removed, the key was rotated) and goes on with
    /// the newest. One request, and another if there is a newer one.
    ///
    /// # Errors
    /// [`Error::Key`] if the slot of this process is gone; [`Error::Damaged`] if the newest header is older than one that
    /// this process has seen, or is no header; [`Error::NewerFormat`]; [`Error::Backend`].
    pub async fn refresh(&self) -> Result<()> {
        self.relist().await.map(drop)
    }

    /// Overwrites superseded headers with stubs that a process which stopped in between has left. One listing, a request for
    /// each superseded header, and a put for each that is no stub.
    pub(super) async fn finish_superseding(&self) -> Result<()> {
        let listing = self.relist().await?;
        let newest = self.header().open.generation();
        headers(self.backend(), self.patience().read).supersede_closely(&listing, newest, |_, _| false).await;
        Ok(())
    }

    /// [`refresh`](Self::refresh); the listing that comes back begins with the header that is now at hand.
    async fn relist(&self) -> Result<Listing> {
        let series = headers(self.backend(), self.patience().read);
        loop {
            // Read before the listing that it is compared with: another task may go on to a newer one meanwhile.
            let seen = self.header();
            let floor = seen.open.generation();
            let listing = series.list().await?;
            let newest = listing.newest().unwrap_or(0);
            if newest < floor {
                let problem = format!(
                    "the newest is generation {newest}, but this process has seen {floor}: an older copy was put in place"
                );
                return Err(Error::damaged(WHAT, problem));
            }
            if newest == floor {
                return Ok(listing);
            }
            let (generation, bytes) = series.follow(newest).await?;
            let open = self.reopened(&seen.open, &bytes, generation).await?;
            self.at_hand().replace(Header { open: Arc::new(open), bytes });
            if generation == newest {
                return Ok(listing);
            }
        }
    }

    /// A newer header, opened with the slot of this process.
    async fn reopened(&self, seen: &OpenVault, bytes: &Bytes, generation: u64) -> Result<OpenVault> {
        let error = match (seen.reopen(bytes, generation), &self.0.service) {
            (Ok(open), _) => return Ok(open),
            // The slot may have another secret since a rotation.
            (Err(crypto::Error::WrongKey), Some(service)) => {
                let open = |with: &crypto::Unlock<'_>| seen.reopen_with(bytes, generation, with);
                match key_service::open_with(service, bytes, self.patience().read, open).await {
                    Ok(open) => return Ok(open),
                    Err(error) => error,
                }
            }
            (Err(error), _) => Opening::Header(error),
        };
        Err(match error {
            Opening::Header(crypto::Error::WrongKey | crypto::Error::NoSlot { .. }) => Error::Key(REMOVED.into()),
            other => opening_error(other),
        })
    }

    /// Creates the next generation of the header, whatever others do at the same time, then overwrites the older ones
    /// with stubs. Gives what was written.
    ///
    /// One listing, one create, and one put for each header that is not a stub yet.
    pub(super) async fn write_header(&self, change: impl Change) -> Result<Arc<OpenVault>> {
        self.probe().await?;
        let change = Arc::new(change);
        let series = headers(self.backend(), self.patience().read);
        let mut backoff = Backoff::new(self.env(), self.patience());
        let mut sent: Option<Arc<OpenVault>> = None;
        // The number at which another was first.
        let mut lost = 0;
        loop {
            let listing = self.relist().await?;
            if listing.newest().unwrap_or(0) < lost {
                return Err(series.hidden(lost));
            }
            let now = self.header();
            // A lost answer may have been our success, and another's next generation may stand on it already.
            if let Some(sent) = sent.take_if(|sent| change.is_in(&now.open, sent)) {
                series.supersede(&listing, now.open.generation()).await;
                return Ok(sent);
            }
            let (task, base, random) = (Arc::clone(&change), now.clone(), Arc::clone(&self.env().random));
            // A passphrase costs seconds of work and 64 MiB: not on a thread that serves others.
            let (bytes, next) = blocking(self.env(), move || task.apply(&base, random.as_ref())).await?;
            let (bytes, next) = (Bytes::from(bytes), Arc::new(next));
            let path = series.path(next.generation());
            let new = series.new_generation(&path, &bytes);
            match create(self.backend(), self.env(), self.patience(), new, |there| *there == bytes).await? {
                Created::Ours => {
                    self.at_hand().replace(Header { open: Arc::clone(&next), bytes });
                    series.supersede(&listing, next.generation()).await;
                    return Ok(next);
                }
                Created::Theirs(_) => {
                    lost = next.generation();
                    sent = Some(next);
                    backoff.pause().await?;
                }
            }
        }
    }
}

const REMOVED: &str = "the slot that this process opened the vault with was removed: open it with the key or passphrase \
                       of a slot that is there";
