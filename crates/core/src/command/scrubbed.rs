//! Taking secrets out of what a command writes, and telling the model.
//!
//! The whole resulting file is looked at, since a secret can arrive in two edits; paths too, where something is about to
//! stand at a new one.

use bytes::Bytes;

use super::{
    Outcome, Reply,
    context::{Context, Step, Stop, fail},
    kind::{Kind, kind},
    text,
};
use crate::{
    path::MemoryPath,
    scrub::{Finding, Refusal, Scrub, Scrubbing},
};

impl<'a> Context<'a> {
    /// The text as it may be kept, and what was taken out.
    pub(super) fn scrubbed(&self, path: &MemoryPath, text: String) -> Step<(String, Vec<Finding>)> {
        let Some(scrub) = self.scrub()? else { return Ok((text, Vec::new())) };
        match scrub.text(path, &text) {
            Ok(None) => Ok((text, Vec::new())),
            Ok(Some(scrubbed)) => Ok((scrubbed.text, scrubbed.findings)),
            Err(Refusal::Found(found)) => fail(text::holds_what_is_refused(&found)),
            Err(Refusal::Undecided(why)) => fail(text::cannot_decide(&why)),
        }
    }

    /// The same for a content of any kind: only text is looked at.
    pub(super) fn scrubbed_content(&self, path: &MemoryPath, content: Bytes) -> Step<(Bytes, Vec<Finding>)> {
        match (self.scrubbing, kind(path, &content)) {
            (Scrubbing::Off, _) | (Scrubbing::By(_), Kind::Image(_) | Kind::Other) => Ok((content, Vec::new())),
            (Scrubbing::Impossible, _) => fail(text::cannot_scrub()),
            (Scrubbing::By(_), Kind::Text(text)) => {
                let (scrubbed, found) = self.scrubbed(path, text.to_owned())?;
                Ok((if found.is_empty() { content } else { scrubbed.into() }, found))
            }
        }
    }

    /// Fails if nothing may stand at `path`.
    pub(super) fn check_path(&self, path: &MemoryPath) -> Step<()> {
        match self.scrub()?.map(|scrub| scrub.path(path)) {
            None | Some(Ok(())) => Ok(()),
            Some(Err(Refusal::Found(found))) => fail(text::path_holds_what_is_refused(&found)),
            Some(Err(Refusal::Undecided(why))) => fail(text::cannot_decide(&why)),
        }
    }

    /// A text of the model as a file would hold it by now, if something was taken out of it. Not where only placeholders
    /// are left: another value's would look the same.
    pub(super) fn as_kept(&self, text: &str) -> Option<String> {
        let Scrubbing::By(scrub) = self.scrubbing else { return None };
        if text.len() as u64 > self.limits.file_bytes {
            return None;
        }
        Some(scrub.hide(text)).filter(|kept| kept != text && says_more(kept))
    }

    /// Fails if an edit of this range of `text` would leave a part of a placeholder.
    pub(super) fn check_placeholders(&self, text: &str, range: std::ops::Range<usize>) -> Step<()> {
        match self.scrubbing {
            Scrubbing::By(scrub) if scrub.cuts_placeholder(text, range) => fail(text::cuts_placeholder()),
            _ => Ok(()),
        }
    }

    fn scrub(&self) -> Step<Option<&'a dyn Scrub>> {
        match self.scrubbing {
            Scrubbing::Off => Ok(None),
            Scrubbing::By(scrub) => Ok(Some(&**scrub)),
            Scrubbing::Impossible => Err(Stop::Failed(text::cannot_scrub())),
        }
    }
}

/// Whether a text holds more than placeholders.
fn says_more(text: &str) -> bool {
    let mut between = text.split("[REDACTED:");
    let is_word = |part: &str| part.chars().any(char::is_alphanumeric);
    between.next().is_some_and(is_word)
        || between.any(|part| is_word(part.split_once(']').map_or(part, |(_, after)| after)))
}

/// The outcome with a last line about what was taken out.
pub(super) fn told(mut outcome: Outcome) -> Outcome {
    if outcome.found.is_empty() {
        return outcome;
    }
    match &mut outcome.reply {
        Reply::Text(said) => {
            said.push('\n');
            said.push_str(&text::taken_out(&outcome.found));
        }
        Reply::Restored(restored) => restored.found.clone_from(&outcome.found),
        Reply::Image { .. } | Reply::Deleted(_) | Reply::Error(_) => {}
    }
    outcome
}

/// What a failed command says, without what the model should not have written.
pub(super) fn hidden(said: String, scrubbing: &Scrubbing) -> String {
    match scrubbing {
        Scrubbing::By(scrub) => scrub.hide(&said),
        Scrubbing::Off | Scrubbing::Impossible => said,
    }
}
