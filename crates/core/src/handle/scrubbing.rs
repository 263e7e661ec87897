//! By which policy a store's texts are scrubbed: what its log says, or what the scrubber brings where it says nothing.

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
};

use super::{Store, order::Order, replica::Replica};
use crate::{
    Error, Result,
    command::Reply,
    scrub::{MAX_POLICY, Policy, Scrubbing},
    state::{Note, State},
};

/// What was made for a policy, kept until there is another.
#[derive(Debug, Default)]
pub(super) struct Bound(Mutex<Option<(Policy, Scrubbing)>>);

impl Replica {
    /// How texts are scrubbed on this state.
    pub(super) fn scrubbing(&self, state: &State) -> Scrubbing {
        let scrubber = self.user.vault().scrubber();
        let policy = match (state.scrub_policy(), scrubber) {
            // Every view comes this way: nothing is copied where the log holds a policy.
            (Some(policy), _) => Cow::Borrowed(policy),
            (None, Some(scrubber)) => Cow::Owned(scrubber.default_policy()),
            (None, None) => return Scrubbing::Off,
        };
        if policy.is_off() {
            return Scrubbing::Off;
        }
        let mut bound = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, scrubbing)) = bound.as_ref().filter(|(known, _)| *known == *policy) {
            return scrubbing.clone();
        }
        let by = match scrubber {
            Some(scrubber) => scrubber.under(&policy),
            None => Err("this program has no scrubber: build memoseal with its feature `scrub`".to_owned()),
        };
        let scrubbing = by.map_or_else(
            |problem| {
                tracing::error!("nothing can be written to store {}, by its policy: {problem}", self.store);
                Scrubbing::Impossible
            },
            Scrubbing::By,
        );
        *bound = Some((policy.into_owned(), scrubbing.clone()));
        scrubbing
    }

    /// A reply about an input that is no command, without what should not have been written there.
    pub(super) fn hidden(&self, reply: Reply) -> Reply {
        match (reply, self.scrubbing(&self.confirmed().state)) {
            (Reply::Error(text), Scrubbing::By(scrub)) => Reply::Error(scrub.hide(&text)),
            (reply, _) => reply,
        }
    }

    /// What the log is to say about scrubbing, where it says nothing and this process scrubs: it binds every other
    /// writer from then on.
    pub(super) fn unwritten_policy(&self) -> Option<Note> {
        let confirmed = self.confirmed();
        if confirmed.state.scrub_policy().is_some() {
            return None;
        }
        Some(Note::Scrub(self.user.vault().scrubber()?.default_policy()))
    }
}

impl Store {
    /// The store's policy: what its log says; what it gets with the next change where that says nothing; none where this
    /// process does not scrub either. One request.
    ///
    /// # Errors
    /// Those of [`Store::execute`].
    pub async fn scrub_policy(&self) -> Result<Option<Policy>> {
        self.replica.catch_up().await?;
        let said = self.replica.confirmed().state.scrub_policy().cloned();
        Ok(said.or_else(|| Some(self.replica.user.vault().scrubber()?.default_policy())))
    }

    /// How this process scrubs what is written to the store. One request.
    ///
    /// # Errors
    /// Those of [`Store::execute`].
    pub async fn scrubbing(&self) -> Result<Scrubbing> {
        self.replica.catch_up().await?;
        Ok(self.replica.scrubbing(&self.replica.confirmed().state))
    }

    /// Sets what is taken out of whatever is written to the store from now on, by any writer. What stands there stays as
    /// it is. Tells whether that is a change.
    ///
    /// # Errors
    /// [`Error::Invalid`] if this process could not obey the policy itself, if it is larger than [`MAX_POLICY`], or in a
    /// read-only handle; those of [`Store::execute`].
    pub async fn set_scrub_policy(&self, policy: Policy) -> Result<bool> {
        self.check_writable()?;
        let size = serde_json::to_vec(policy.fields()).map_or(usize::MAX, |json| json.len());
        if size > MAX_POLICY {
            let problem =
                format!("the policy has {size} bytes, and {MAX_POLICY} are allowed: leave values or patterns out");
            return Err(Error::Invalid(problem));
        }
        if !policy.is_off() {
            let missing =
                || Error::Invalid("this program has no scrubber: build memoseal with its feature `scrub`".into());
            let scrubber = self.replica.user.vault().scrubber().ok_or_else(missing)?;
            scrubber.under(&policy).map_err(Error::Invalid)?;
        }
        Ok(self.writer.order(Order::Scrub(policy)).await?.seq.is_some())
    }
}
