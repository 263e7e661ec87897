//! The probe: whether the store honours put-if-absent. Everything rests on it.

use object_store::{PutMode, PutOptions};
use tokio::time::Instant;

use super::Vault;
use crate::{
    Error, Result,
    log::{Backoff, in_time, names},
};

impl Vault {
    /// Makes sure, once a process, that the store honours put-if-absent: everything rests on it. The header is
    /// created again with its own bytes, so that a store which ignores the condition changes nothing either.
    ///
    /// # Errors
    /// [`Error::Unsuitable`] if the store overwrote an object that it was told to create.
    pub(crate) async fn probe(&self) -> Result<()> {
        self.0.probed.get_or_try_init(|| self.probe_once()).await.copied()
    }

    async fn probe_once(&self) -> Result<()> {
        let header = self.header();
        let path = names::header(self.prefix(), header.open.generation());
        let deadline = self.patience().deadline(0);
        let mut backoff = Backoff::new(self.env(), self.patience());
        loop {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            let put = self.backend().creates().put_opts(&path, header.bytes.clone().into(), options);
            match in_time(deadline.saturating_duration_since(Instant::now()), put).await {
                Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                    return Ok(());
                }
                Ok(_) => {
                    return Err(Error::Unsuitable(
                        "it ignores put-if-absent (or the vault's header was deleted under this process), so two writers \
                         could overwrite each other: use a store that honours `If-None-Match: *`"
                            .into(),
                    ));
                }
                Err(error) if Instant::now() >= deadline || crate::log::is_refusal(&error) => {
                    return Err(Error::backend("cannot write to the vault", error));
                }
                Err(_) => backoff.pause().await?,
            }
        }
    }
}
