//! `memoseal slot list|add|remove`.

use std::process::ExitCode;

use memoseal::{Error, KeySource, Slot, Vault};
use serde_json::{Value, json};

use crate::{
    args::{Common, SlotAdd, SlotRemove, SlotVerb},
    confirm::confirm,
    key::{self, Prompt},
    key_file::NewKeyFile,
    output,
};

pub(crate) async fn run(common: &Common, verb: &SlotVerb) -> anyhow::Result<ExitCode> {
    let vault = output::open_vault(common, Prompt::Once).await?;
    match verb {
        SlotVerb::List => list(common, &vault).await?,
        SlotVerb::Add(verb) => add(common, &vault, verb).await?,
        SlotVerb::Remove(verb) => remove(common, &vault, verb).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common, vault: &Vault) -> anyhow::Result<()> {
    let slots = vault.slots().await?;
    if common.json {
        return output::line(json!({ "slots": slots.iter().map(to_json).collect::<Vec<_>>() }));
    }
    for slot in &slots {
        output::line(to_text(slot))?;
    }
    Ok(())
}

async fn add(common: &Common, vault: &Vault, verb: &SlotAdd) -> anyhow::Result<()> {
    let slot = if let Some(path) = &verb.generate_key {
        common.interrupt.begin();
        let (file, key) = NewKeyFile::generate(path)?;
        file.keep_unless_failed(vault.add_slot(key).await)?
    } else {
        let file = verb.new_key_file.clone().map(KeySource::KeyFile);
        let passphrase = verb.new_passphrase_file.clone().map(KeySource::PassphraseFile);
        let kms = verb.new_kms.as_deref().map(|arn| key::kms(common, arn)).transpose()?;
        let key = key::new_key(file.or(passphrase).or(kms))?;
        common.interrupt.begin();
        vault.add_slot(key).await?
    };
    let key_file = verb.generate_key.as_ref().map(|path| path.display().to_string());
    if common.json {
        return output::line(json!({ "id": slot.id, "type": slot.kind, "key_file": key_file }));
    }
    output::line(format_args!("added slot {} ({}): its key opens the whole vault", slot.id, slot.kind))?;
    if let Some(path) = key_file {
        output::line(format_args!("its key is in {path}"))?;
    }
    Ok(())
}

async fn remove(common: &Common, vault: &Vault, verb: &SlotRemove) -> anyhow::Result<()> {
    let slots = vault.slots().await?;
    let found = slots.iter().find(|slot| slot.id == verb.id).ok_or_else(|| Error::NotFound {
        what: format!("slot {}", verb.id),
        hint: "`memoseal slot list` shows those that there are".into(),
    })?;
    if slots.len() == 1 {
        let problem =
            format!("slot {} is the last: without it nobody could open the vault; add another first", found.id);
        return Err(Error::Invalid(problem).into());
    }
    let slot = to_text(found);
    if verb.dry_run {
        return if common.json {
            output::line(json!({ "slot": found.id, "dry_run": true }))
        } else {
            output::line(format_args!("would remove slot {slot}"))
        };
    }
    if found.is_own && !verb.own {
        let problem =
            format!("slot {} is that of the key in use: give --own, or open the vault with another", found.id);
        return Err(Error::Invalid(problem).into());
    }
    confirm(&format!("This removes slot {slot}. Its key will no longer open the vault."), verb.yes)?;
    common.interrupt.begin();
    vault.remove_slot(&verb.id).await?;
    if common.json {
        return output::line(json!({ "slot": verb.id, "dry_run": false }));
    }
    output::line(format_args!("removed slot {}", verb.id))?;
    output::line(
        "whoever had its key keeps what they could already read, and it opens old headers in bucket versions and backups: \
         `memoseal rotate` gives the vault a new key",
    )
}

/// A slot as people read it.
pub(super) fn to_text(slot: &Slot) -> String {
    let key = slot.key.as_ref().map(|key| format!(" {key}")).unwrap_or_default();
    format!("{} {}{key}{}", slot.id, slot.kind, if slot.is_own { " (opened with this key)" } else { "" })
}

pub(super) fn to_json(slot: &Slot) -> Value {
    json!({ "id": slot.id, "type": slot.kind, "key": slot.key, "opened_with_this_key": slot.is_own })
}
