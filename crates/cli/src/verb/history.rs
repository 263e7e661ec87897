//! `memoseal history`.

use std::process::ExitCode;

use jiff::{Timestamp, civil, tz::TimeZone};
use memoseal::{
    Actor, Error, HistoryQuery, Store, Version, VersionId,
    core::{
        env::{Clock, SystemClock},
        hex,
        scrub::{Finding, Findings},
    },
};
use serde_json::{Value, json};

use crate::{
    args::{Common, History},
    output::{self, time},
};

/// How many versions are asked for at once.
const PAGE: usize = 1_000;

pub(crate) async fn run(common: &Common, verb: &History) -> anyhow::Result<ExitCode> {
    let mut query = HistoryQuery::default();
    query.path = verb.path.as_deref().map(output::memory_path).transpose()?;
    query.memory = verb.memory;
    query.since_ms = verb.since.as_deref().map(|when| since(when, SystemClock.now_ms())).transpose()?;
    (query.before, query.audit) = (verb.before, verb.audit);
    let store = output::open_store(common).await?;
    let listed = list(&store, query, usize::try_from(verb.limit).unwrap_or(usize::MAX), verb.findings).await;
    store.settle().await;
    let (versions, next) = listed?;
    if common.json {
        let versions = versions.iter().map(json).collect::<anyhow::Result<Vec<Value>>>()?;
        output::line(json!({ "versions": versions, "next": next.map(|next| next.to_string()) }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (row, version) in table(&versions, verb.audit).into_iter().zip(&versions) {
        output::line(row)?;
        if verb.findings {
            found(&version.findings)?;
        }
    }
    if let Some(next) = next {
        output::line(format_args!("more: repeat with --before {next}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// At most `limit` versions, with `findings` only those from which something was taken out, and where those before them begin.
async fn list(
    store: &Store,
    mut query: HistoryQuery,
    limit: usize,
    findings: bool,
) -> Result<(Vec<Version>, Option<VersionId>), Error> {
    let mut versions = Vec::new();
    loop {
        query.limit = PAGE.min(limit - versions.len());
        let page = store.history(&query).await?;
        versions.extend(page.versions.into_iter().filter(|version| !findings || version.findings.count() > 0));
        query.before = page.next;
        if versions.len() >= limit || query.before.is_none() {
            return Ok((versions, query.before));
        }
    }
}

/// A time, a date in UTC, or how long ago, as milliseconds since the Unix epoch.
fn since(when: &str, now_ms: i64) -> Result<i64, Error> {
    if let Ok(time) = when.parse::<Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let day = when.parse::<civil::Date>().ok().and_then(|date| date.to_zoned_datetime(TimeZone::UTC).ok());
    let ago = || {
        let span: jiff::Span = when.parse().ok()?;
        let now = Timestamp::from_millisecond(now_ms).ok()?.to_zoned_datetime(TimeZone::UTC);
        now.checked_sub(span.abs()).ok()
    };
    let time = day.or_else(ago).ok_or_else(|| {
        Error::Invalid(format!(
            "cannot read {when:?} as a time: give one such as 2026-01-31T12:00:00Z, a date such as 2026-01-31, or an age such as 7d"
        ))
    })?;
    Ok(time.timestamp().as_millisecond())
}

/// One line for each version, in columns.
fn table(versions: &[Version], audit: bool) -> Vec<String> {
    let cells: Vec<[String; 6]> = versions
        .iter()
        .map(|version| {
            [
                version.id.to_string(),
                time(version.at_ms, 0),
                version.operation.as_str().to_owned(),
                version.size.map_or_else(|| "-".to_owned(), |size| size.to_string()),
                who(&version.actor),
                if audit { format!("memory {}", version.memory) } else { place(version) },
            ]
        })
        .collect();
    let width = |column: fn(&[String; 6]) -> &String| cells.iter().map(|row| column(row).chars().count()).max();
    let widths = (
        width(|[version, ..]| version).unwrap_or(0),
        width(|[_, time, ..]| time).unwrap_or(0),
        width(|[_, _, operation, ..]| operation).unwrap_or(0),
        width(|[_, _, _, size, ..]| size).unwrap_or(0),
        width(|[_, _, _, _, who, _]| who).unwrap_or(0),
    );
    let row = |[version, time, operation, size, who, path]: &[String; 6]| {
        let (v, t, o, s, w) = widths;
        format!("{version:<v$}  {time:<t$}  {operation:<o$}  {size:>s$}  {who:<w$}  {path}")
    };
    cells.iter().map(row).collect()
}

/// What was taken out of a version, a line each.
fn found(findings: &Findings) -> anyhow::Result<()> {
    for Finding { kind, rule, line } in &findings.listed {
        output::line(format_args!("    line {line}: {kind} was taken out (rule {rule})"))?;
    }
    if findings.more > 0 {
        output::line(format_args!("    and {} more", findings.more))?;
    }
    Ok(())
}

/// Where it stood, or why that is not known.
fn place(version: &Version) -> String {
    match (&version.path, &version.redacted) {
        (Some(path), _) => path.to_string(),
        (None, Some(redaction)) => format!("(redacted {} by {})", time(redaction.at_ms, 0), who(&redaction.actor)),
        (None, None) => "(removed)".to_owned(),
    }
}

/// Who made a change, in a few words that no terminal takes for commands.
fn who(actor: &Actor) -> String {
    let (kind, name) = match actor {
        Actor::Session { session_id } => ("session ", session_id.as_str()),
        Actor::Api { api_key_id } => ("key ", api_key_id.as_str()),
        Actor::User { user_id } => ("user ", user_id.as_str()),
        Actor::ServiceAccount { service_account_id } => ("service ", service_account_id.as_str()),
        Actor::Local { name } => ("", name.as_str()),
        _ => ("", "unknown"),
    };
    let shown = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    kind.chars().chain(shown).collect()
}

/// A version as `--json` shows it.
pub(super) fn json(version: &Version) -> anyhow::Result<Value> {
    Ok(json!({
        "version": version.id.to_string(),
        "memory": version.memory.to_string(),
        "operation": version.operation.as_str(),
        "previous": version.previous.map(|previous| previous.to_string()),
        "path": version.path.as_ref().map(ToString::to_string),
        "size": version.size,
        "sha256": version.sha256.map(|sha256| hex(&sha256)),
        "has_content": version.has_content(),
        "time": time(version.at_ms, 3),
        "actor": serde_json::to_value(&version.actor)?,
        "findings": version.findings.listed.iter().map(|Finding { kind, rule, line }| {
            json!({ "kind": kind, "rule": rule, "line": line, "decision": "redacted" })
        }).collect::<Vec<_>>(),
        "more_findings": version.findings.more,
        "redacted": version.redacted.as_ref().map(|redaction| {
            json!({ "time": time(redaction.at_ms, 3), "actor": redaction.actor })
        }),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_dates_and_ages() {
        const NOW: i64 = 1_800_000_000_000;
        const DAY: i64 = 86_400_000;
        for (when, expected) in [
            ("1970-01-01T00:00:01Z", 1_000),
            ("1970-01-01T01:00:00+01:00", 0),
            ("1970-01-02", DAY),
            ("7d", NOW - 7 * DAY),
            ("1w", NOW - 7 * DAY),
            ("90min", NOW - 5_400_000),
            ("1h 30m", NOW - 5_400_000),
            ("2 days", NOW - 2 * DAY),
            ("-2d", NOW - 2 * DAY),
            ("PT1S", NOW - 1_000),
        ] {
            assert_eq!(since(when, NOW).unwrap(), expected, "{when}");
        }
        for when in ["", "yesterday", "7", "2026-13-01", "99999999999999d"] {
            assert!(since(when, NOW).is_err(), "{when:?}");
        }
    }

    #[test]
    fn a_name_cannot_command_a_terminal() {
        assert_eq!(who(&Actor::Local { name: "a\u{1b}[2Jb".into() }), "a\u{fffd}[2Jb");
    }
}
