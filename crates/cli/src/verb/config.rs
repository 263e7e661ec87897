//! `memoseal config`.

use std::{io::IsTerminal, process::ExitCode};

use serde_json::{Value, json};

use crate::{
    args::Common,
    config::{Origin, Setting},
    exit::printable,
    key, output,
};

/// One place that a key may come from, without the key.
struct KeySource {
    kind: &'static str,
    /// A path or the name of a variable.
    place: String,
    origin: Origin,
}

pub(crate) fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let config = &common.config;
    let keys = keys(common);
    let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
    if common.json {
        let settings = config.settings.iter().map(|setting| {
            (setting.name.to_owned(), json!({ "value": shown(setting), "from": setting.origin.to_string() }))
        });
        let settings: serde_json::Map<String, Value> = settings.collect();
        let keys: Vec<Value> = keys
            .iter()
            .map(|key| json!({ "type": key.kind, "place": key.place, "from": key.origin.to_string() }))
            .collect();
        output::line(json!({ "files": files, "settings": settings, "keys": keys }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for setting in &config.settings {
        row(setting.name, shown(setting).as_deref().unwrap_or("-"), &setting.origin)?;
    }
    for key in &keys {
        row(key.kind, &key.place, &key.origin)?;
    }
    match keys.len() {
        0 if std::io::stdin().is_terminal() => output::line("no key: a passphrase is asked for")?,
        0 => output::line("no key")?,
        1 => {}
        _ => output::line("more than one key: leave one")?,
    }
    match files.as_slice() {
        [] => output::line("no memoseal.toml was found"),
        files => output::line(format_args!("read: {}", files.join(", "))),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn row(name: &str, value: &str, origin: &Origin) -> anyhow::Result<()> {
    output::line(printable(&format!("{name:<15} {value}  ({origin})")))
}

/// The value, without a password in a URL, and without what its options are set to: somebody may have put a secret
/// there, which the backend would refuse.
fn shown(setting: &Setting) -> Option<String> {
    let value = setting.value.clone().filter(|value| !value.is_empty())?;
    match memoseal::parse_url(&value) {
        Ok(mut url) if value.contains("://") && (url.password().is_some() || url.query().is_some()) => {
            if url.password().is_some() {
                // A URL that has a password can have another.
                let _ = url.set_password(Some("…"));
            }
            let options: Vec<_> = url.query_pairs().map(|(name, value)| option(&name, &value)).collect();
            url.set_query(None);
            let options = options.join("&");
            Some(if options.is_empty() { url.into() } else { format!("{url}?{options}") })
        }
        _ => Some(value),
    }
}

/// An option of a URL, with its value only if the backends have such an option.
fn option(name: &str, value: &str) -> String {
    match name {
        "region" | "profile" | "endpoint" | "path_style" | "anonymous" | "account" | "emulator" | "allow_http"
        | "timeout" | "connect_timeout" | "idle_timeout" | "retries" | "retry_timeout"
            if !value.contains(['@', '?']) =>
        {
            format!("{name}={value}")
        }
        _ => "…".to_owned(),
    }
}

/// Where a key comes from: all that is given, or what a file names.
fn keys(common: &Common) -> Vec<KeySource> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut keys = Vec::new();
    let variable =
        |kind, name: &'static str| KeySource { kind, place: name.to_owned(), origin: Origin::Variable(name) };
    if is_set("MEMOSEAL_KEY") {
        keys.push(variable("key_env", "MEMOSEAL_KEY"));
    }
    let from_variable = || std::env::var_os("MEMOSEAL_KEY_FILE").filter(|value| !value.is_empty());
    if let Some(file) = &common.key_file {
        let place = file.display().to_string();
        keys.push(KeySource { kind: "key_file", place, origin: Origin::Option("--key-file") });
    } else if let Some(file) = from_variable() {
        let place = file.to_string_lossy().into_owned();
        keys.push(KeySource { kind: "key_file", place, origin: Origin::Variable("MEMOSEAL_KEY_FILE") });
    }
    if is_set("MEMOSEAL_PASSPHRASE") {
        keys.push(variable("passphrase_env", "MEMOSEAL_PASSPHRASE"));
    }
    if let Some(file) = &common.passphrase_file {
        let place = file.display().to_string();
        keys.push(KeySource { kind: "passphrase_file", place, origin: Origin::Option("--passphrase-file") });
    }
    if let Some(place) = key::kms_given(common) {
        let is_option = common.kms.as_ref().is_some_and(|arn| !arn.is_empty());
        let origin = if is_option { Origin::Option("--kms") } else { Origin::Variable("MEMOSEAL_KMS") };
        keys.push(KeySource { kind: "kms", place, origin });
    }
    if let (true, Some(key)) = (keys.is_empty(), &common.config.key) {
        let (place, origin) = (key.place.clone(), Origin::File(key.file.clone()));
        keys.push(KeySource { kind: key.kind, place, origin });
    }
    keys
}
