//! An attack and who has to notice it.

use memoseal_core::{Depth, Error, Finding, Vault};

use super::scene::{Reading, Scene, Warm};
use crate::{
    Failure,
    bucket::{Edits, Name},
    check,
};

/// What a reader is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Damaged,
    RolledBack,
    NewerFormat,
    WrongKey,
    NotFound,
    Unsuitable,
}

impl Sign {
    pub(super) fn of(error: &Error) -> Option<Self> {
        match error {
            Error::Damaged { .. } => Some(Self::Damaged),
            Error::RolledBack { .. } => Some(Self::RolledBack),
            Error::NewerFormat { .. } => Some(Self::NewerFormat),
            Error::WrongKey => Some(Self::WrongKey),
            Error::NotFound { .. } => Some(Self::NotFound),
            Error::Unsuitable(_) => Some(Self::Unsuitable),
            _ => None,
        }
    }
}

/// Something that is done to the bucket, and what has to come of it. Unless it is told otherwise: `Damaged`.
#[must_use = "nothing happens until `must_be_noticed`"]
pub(super) struct Attack<'a> {
    scene: &'a Scene,
    what: String,
    edits: Edits,
    signs: &'static [Sign],
    mentions: String,
    warm: Vec<&'a Warm>,
}

impl<'a> Attack<'a> {
    pub(super) fn new(scene: &'a Scene, what: String, edits: Edits) -> Self {
        // An inspection names the first object that is changed, unless told otherwise.
        let mentions = edits.first().map(|(name, _)| Name::of(name).in_words()).unwrap_or_default();
        Self { scene, what, edits, signs: &[Sign::Damaged], mentions, warm: Vec::new() }
    }

    /// What readers may say.
    pub(super) fn told_as(mut self, signs: &'static [Sign]) -> Self {
        self.signs = signs;
        self
    }

    /// What an inspection has to name.
    pub(super) fn found_as(mut self, words: impl Into<String>) -> Self {
        self.mentions = words.into();
        self
    }

    /// A running process that must notice too. If it is behind, it must not go on to write either.
    pub(super) fn by(mut self, warm: &'a Warm) -> Self {
        self.warm.push(warm);
        self
    }

    /// Carries the attack out, looks who notices, and puts back what was there.
    pub(super) async fn must_be_noticed(self) -> Result<(), Failure> {
        self.scene.bucket.apply(&self.edits).await?;
        let noticed = async {
            self.by_who_starts_now().await?;
            self.by_running_processes().await?;
            self.by_an_inspection().await
        };
        let noticed = noticed.await.map_err(|failure| failure.about(&self.what));
        self.scene.bucket.apply(&self.scene.undo(&self.edits)).await?;
        noticed
    }

    async fn by_who_starts_now(&self) -> Result<(), Failure> {
        self.judge("a process that starts now", &self.scene.cold().await)
    }

    async fn by_running_processes(&self) -> Result<(), Failure> {
        for warm in &self.warm {
            self.judge("a running process", &warm.read().await)?;
            if !warm.is_behind {
                continue;
            }
            let log = self.scene.log(warm.whose)?;
            let names = async || -> Result<Vec<String>, Failure> {
                let names = self.scene.bucket.names().await?;
                Ok(names.into_iter().filter(|name| name.starts_with(log)).collect())
            };
            let before = names().await?;
            let written = warm.write().await;
            let is_told = matches!(&written, Err(error) if self.is_told(error));
            check!(is_told, "a running process that writes is told {written:?}");
            check!(names().await? == before, "a running process has built on it");
        }
        Ok(())
    }

    async fn by_an_inspection(&self) -> Result<(), Failure> {
        match self.scene.bucket.open().await {
            Ok(vault) => is_found(&vault, &self.mentions).await,
            Err(error) if self.is_told(&error) => Ok(()),
            Err(error) => Err(Failure::new(format!("an inspection is told {error:?}"))),
        }
    }

    fn judge(&self, who: &str, reading: &Reading) -> Result<(), Failure> {
        reading.is_not_wrong().map_err(|failure| failure.about(who))?;
        check!(!reading.errors.is_empty(), "{who} notices nothing");
        let other = reading.errors.iter().find(|error| !self.is_told(error));
        check!(other.is_none(), "{who} is told {other:?}, not {:?}", self.signs);
        Ok(())
    }

    fn is_told(&self, error: &Error) -> bool {
        Sign::of(error).is_some_and(|sign| self.signs.contains(&sign))
    }
}

/// An inspection of this vault finds something, and names `what` in it.
pub(super) async fn is_found(vault: &Vault, what: &str) -> Result<(), Failure> {
    let findings = vault.inspect(Depth::Sections, |_, _| {}).await?.findings;
    check!(!findings.is_empty(), "an inspection finds nothing");
    let names = |finding: &Finding| format!("{}: {}", finding.place, finding.problem).contains(what);
    check!(findings.iter().any(names), "an inspection does not name {what:?}: {findings:?}");
    Ok(())
}
