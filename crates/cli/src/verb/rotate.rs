//! `memoseal rotate`.

use std::process::ExitCode;

use memoseal::{Error, Key, KeySource, Rotation, Slot};
use serde_json::{Value, json};

use super::slot::{to_json, to_text};
use crate::{
    args::{Common, Rotate},
    confirm::confirm,
    exit,
    key::{self, Prompt},
    output,
    progress::Progress,
};

/// What a new vault key cannot do.
const REACH: &str = "\
Whoever had the old key keeps what they could already read. Bucket versions, backups and copies keep old headers and
keyrings, which old keys still open; users keep their keys, so such a copy also opens what they write from now on.";

pub(crate) async fn run(common: &Common, verb: &Rotate) -> anyhow::Result<ExitCode> {
    let own = key::key(common, Prompt::Once)?;
    let files = verb.also_key_file.iter().cloned().map(KeySource::KeyFile);
    let passphrases = verb.also_passphrase_file.iter().cloned().map(KeySource::PassphraseFile);
    let mut keys = vec![own.duplicate()];
    let kms = verb.also_kms.iter().map(|arn| key::kms(common, arn)).collect::<Result<Vec<_>, _>>()?;
    for source in files.chain(passphrases).chain(kms) {
        keys.push(Key::from_sources(vec![source])?);
    }
    let vault = memoseal::open(output::vault_url(common)?, own).await?;
    let kept = vault.slots_of(keys.iter().map(Key::duplicate).collect()).await.map_err(|error| match error {
        Error::WrongKey => Error::Key("one of the keys given with --also-… opens no slot of this vault: leave it out, or give another; `memoseal slot list` \
             shows the slots".into()),
        other => other,
    })?;
    let dropped: Vec<Slot> = vault.slots().await?.into_iter().filter(|slot| !kept.contains(slot)).collect();
    if !dropped.is_empty() && !verb.drop_others {
        let problem = format!(
            "the keys of these slots were not given: {}; give them with --also-key-file, --also-passphrase-file or --also-kms, or \
             let the slots go with --drop-others",
            names(&dropped)
        );
        return Err(Error::Invalid(problem).into());
    }
    let drops = if dropped.is_empty() { String::new() } else { format!(" and drops {}", names(&dropped)) };
    if verb.dry_run {
        if common.json {
            output::line(json!({ "dry_run": true, "slots": all(&kept), "dropped": all(&dropped) }))?;
        } else {
            let drops = if dropped.is_empty() { String::new() } else { format!(" and drop {}", names(&dropped)) };
            output::line(format_args!(
                "would give the vault a new key, keep {}{drops}, and seal every keyring anew",
                names(&kept)
            ))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    confirm(&format!("This gives the vault a new key, keeps {}{drops}.\n{REACH}", names(&kept)), verb.yes)?;
    common.interrupt.begin();
    let progress = Progress::new("sealing anew", "keyrings").into_fn();
    let rotation = vault.rotate(keys, verb.drop_others, progress).await?;
    report(common, &rotation, &dropped)
}

fn report(common: &Common, rotation: &Rotation, dropped: &[Slot]) -> anyhow::Result<ExitCode> {
    let epoch = rotation.epoch;
    let keyrings = match &rotation.keyrings {
        Ok(keyrings) => keyrings,
        Err(error) => {
            return Err(anyhow::Error::new(error.clone()).context(format!(
                "the vault has a new key (epoch {epoch}), but not every keyring is sealed under it yet; the next \
                 `memoseal rotate` goes on with them"
            )));
        }
    };
    let damaged: Vec<Value> =
        keyrings.damaged.iter().map(|(user, error)| json!({ "user": user, "problem": error.to_string() })).collect();
    if common.json {
        output::line(json!({ "epoch": epoch, "slots": all(&rotation.slots), "dropped": all(dropped),
            "users": keyrings.users, "resealed": keyrings.resealed, "damaged": damaged }))?;
    } else {
        output::line(format_args!(
            "the vault has a new key (epoch {epoch}); slots: {}; {} of {} keyrings sealed anew",
            names(&rotation.slots),
            keyrings.resealed,
            keyrings.users
        ))?;
        if !dropped.is_empty() {
            output::line(format_args!("dropped: {}", names(dropped)))?;
        }
        for (user, error) in &keyrings.damaged {
            output::line(format_args!("user {user}: {error}"))?;
        }
        output::line(REACH)?;
    }
    Ok(if damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::DAMAGE) })
}

fn names(slots: &[Slot]) -> String {
    slots.iter().map(to_text).collect::<Vec<_>>().join(", ")
}

fn all(slots: &[Slot]) -> Vec<Value> {
    slots.iter().map(to_json).collect()
}
