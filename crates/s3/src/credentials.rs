//! Credentials, kept as long as they are good and renewed ahead of their end.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use memoseal_core::env::Clock;
use object_store::{CredentialProvider, aws::AwsCredential};

/// Where credentials are fetched.
#[async_trait]
pub(crate) trait Source: fmt::Debug + Send + Sync + 'static {
    /// Fetches credentials, which may take a request or a program that is run.
    async fn fetch(&self) -> object_store::Result<Fetched>;
}

/// Credentials as they came.
#[derive(Clone)]
pub(crate) struct Fetched {
    pub(crate) credential: Arc<AwsCredential>,
    /// When they end, in milliseconds since the Unix epoch; none if they do not.
    pub(crate) expires_ms: Option<i64>,
}

/// They are renewed from 5 minutes before their end on, beside the work, so that no command waits for it, and one try in
/// five may fail. Those that live for less than 20 minutes are renewed in the last quarter of it.
const AHEAD_MS: i64 = 5 * 60 * 1000;
/// In their last seconds they are waited for: a request that is signed now may be read when they have ended.
const LAST_MS: i64 = 15 * 1000;
/// How long after a renewal that failed the next is tried, as long as the old ones are good.
const PAUSE_MS: i64 = 60 * 1000;

/// Credentials of a source, each fetched once for all who ask.
#[derive(Clone)]
pub(crate) struct Kept(Arc<Inner>);

struct Inner {
    source: Box<dyn Source>,
    clock: Arc<dyn Clock>,
    held: Mutex<Option<Held>>,
    /// Whoever fetches has it, so that one does at a time.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Held {
    fetched: Fetched,
    /// From when on they are to be renewed.
    renew_ms: i64,
}

/// No secrets.
impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("source", &self.0.source).finish_non_exhaustive()
    }
}

impl Kept {
    pub(crate) fn new(source: impl Source, clock: Arc<dyn Clock>) -> Self {
        let (held, fetching) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Inner { source: Box::new(source), clock, held, fetching }))
    }
}

#[async_trait]
impl CredentialProvider for Kept {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let inner = &self.0;
        if let Some(held) = inner.good() {
            if held.renew_ms <= inner.clock.now_ms() {
                self.renew_beside();
            }
            return Ok(held.fetched.credential);
        }
        let _one = inner.fetching.lock().await;
        // Whoever had the turn before may have fetched them.
        match inner.good() {
            Some(held) => Ok(held.fetched.credential),
            None => inner.fetch().await,
        }
    }
}

impl Kept {
    /// Renews them on a task of its own, unless somebody does already.
    fn renew_beside(&self) {
        let this = self.clone();
        tokio::spawn(async move {
            let inner = &this.0;
            let Ok(_one) = inner.fetching.try_lock() else { return };
            let now = inner.clock.now_ms();
            if inner.held().is_some_and(|held| held.renew_ms > now) {
                return;
            }
            if let Err(error) = inner.fetch().await {
                tracing::warn!("AWS credentials could not be renewed yet: {error}");
                inner.put_off(now.saturating_add(PAUSE_MS));
            }
        });
    }
}

impl Inner {
    fn held(&self) -> Option<Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is held, if a request may be signed with it.
    fn good(&self) -> Option<Held> {
        let end = self.clock.now_ms().saturating_add(LAST_MS);
        self.held().filter(|held| held.fetched.expires_ms.is_none_or(|expires| expires > end))
    }

    async fn fetch(&self) -> object_store::Result<Arc<AwsCredential>> {
        let fetched = self.source.fetch().await?;
        let now = self.clock.now_ms();
        let renew_ms = fetched.expires_ms.map_or(i64::MAX, |expires| {
            let left = expires.saturating_sub(now).max(0);
            expires.saturating_sub(AHEAD_MS.min(left / 4))
        });
        let credential = Arc::clone(&fetched.credential);
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(Held { fetched, renew_ms });
        Ok(credential)
    }

    fn put_off(&self, until_ms: i64) {
        if let Some(held) = self.held.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            held.renew_ms = until_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

    use tokio::sync::Notify;

    use super::*;

    #[derive(Debug, Default)]
    struct Time(AtomicI64);

    impl Clock for Time {
        fn now_ms(&self) -> i64 {
            self.0.load(Ordering::SeqCst)
        }
    }

    /// Gives credentials that live for an hour, numbered, when it is let.
    #[derive(Debug, Default)]
    struct Counted {
        time: Arc<Time>,
        fetches: AtomicU64,
        fails: std::sync::atomic::AtomicBool,
        waits: std::sync::atomic::AtomicBool,
        go: Notify,
    }

    const HOUR_MS: i64 = 60 * 60 * 1000;

    #[async_trait]
    impl Source for Arc<Counted> {
        async fn fetch(&self) -> object_store::Result<Fetched> {
            let number = self.fetches.fetch_add(1, Ordering::SeqCst) + 1;
            if self.waits.load(Ordering::SeqCst) {
                self.go.notified().await;
            }
            if self.fails.load(Ordering::SeqCst) {
                return Err(object_store::Error::Generic { store: "S3", source: "refused".into() });
            }
            let credential = AwsCredential { key_id: number.to_string(), secret_key: "hunter2".into(), token: None };
            Ok(Fetched { credential: Arc::new(credential), expires_ms: Some(self.time.now_ms() + HOUR_MS) })
        }
    }

    impl Counted {
        fn fetches(&self) -> u64 {
            self.fetches.load(Ordering::SeqCst)
        }

        fn pass(&self, ms: i64) {
            self.time.0.fetch_add(ms, Ordering::SeqCst);
        }
    }

    fn kept() -> (Arc<Counted>, Kept) {
        let source = Arc::new(Counted::default());
        let clock = Arc::clone(&source.time);
        (Arc::clone(&source), Kept::new(source, clock))
    }

    async fn id(kept: &Kept) -> String {
        kept.get_credential().await.unwrap().key_id.clone()
    }

    /// Lets tasks beside run until they wait.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn many_who_ask_at_once_fetch_once() {
        let (source, kept) = kept();
        source.waits.store(true, Ordering::SeqCst);
        let askers: Vec<_> = (0..20)
            .map(|_| {
                let kept = kept.clone();
                tokio::spawn(async move { id(&kept).await })
            })
            .collect();
        settle().await;
        source.go.notify_one();
        for asker in askers {
            assert_eq!(asker.await.unwrap(), "1");
        }
        assert_eq!(source.fetches(), 1);
    }

    #[tokio::test]
    async fn they_are_renewed_ahead_of_their_end_and_nobody_waits() {
        let (source, kept) = kept();
        assert_eq!(id(&kept).await, "1");
        source.pass(HOUR_MS - AHEAD_MS - 1);
        assert_eq!(id(&kept).await, "1");
        settle().await;
        assert_eq!(source.fetches(), 1);

        source.pass(1);
        source.waits.store(true, Ordering::SeqCst);
        for _ in 0..5 {
            assert_eq!(id(&kept).await, "1", "the old ones, while the new ones are fetched");
            settle().await;
        }
        assert_eq!(source.fetches(), 2, "one renewal at a time");
        source.go.notify_one();
        settle().await;
        assert_eq!(id(&kept).await, "2");
    }

    #[tokio::test]
    async fn a_renewal_that_fails_costs_nothing_as_long_as_the_old_ones_are_good() {
        let (source, kept) = kept();
        assert_eq!(id(&kept).await, "1");
        source.fails.store(true, Ordering::SeqCst);
        source.pass(HOUR_MS - AHEAD_MS);
        for _ in 0..5 {
            assert_eq!(id(&kept).await, "1");
            settle().await;
        }
        assert_eq!(source.fetches(), 2, "not again at once");
        source.pass(PAUSE_MS);
        assert_eq!(id(&kept).await, "1");
        settle().await;
        assert_eq!(source.fetches(), 3);

        // In the last seconds there is no way around it.
        source.pass(AHEAD_MS - PAUSE_MS - LAST_MS);
        let error = kept.get_credential().await.unwrap_err();
        assert!(error.to_string().contains("refused"), "{error}");
        source.fails.store(false, Ordering::SeqCst);
        assert_eq!(id(&kept).await, "5");
    }

    #[tokio::test]
    async fn who_goes_away_in_the_midst_leaves_the_turn_to_the_next() {
        let (source, kept) = kept();
        source.waits.store(true, Ordering::SeqCst);
        let mut first = Box::pin(kept.get_credential());
        assert!(futures_util::poll!(&mut first).is_pending());
        drop(first);
        source.waits.store(false, Ordering::SeqCst);
        assert_eq!(id(&kept).await, "2");
    }

    #[tokio::test]
    async fn no_secret_shows() {
        let (_, kept) = kept();
        let credential = kept.get_credential().await.unwrap();
        assert!(!format!("{kept:?} {credential:?}").contains("hunter2"));
    }
}
