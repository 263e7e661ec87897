//! Recall and precision on labelled texts, per file: `measure DIR [--misses] [--no-default-allowlist] [--kind NAME]... [--general]`
//!
//! DIR holds `*.jsonl` with records `{"text", "label", "spans", "kind", "path"?}`: of a `positive`, every span must be
//! covered, or something be found where no spans are given; of a `negative`, nothing must be found of the record's
//! own kind of data (see [`counts`]). `--general` turns off what only rules of single providers find, and so tells how
//! a provider fares that no rule knows. Plain `*.txt` files are text in which no secret may be found.

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use memoseal_scrub::{Finding, Mode, Policy, Scrubber};
use serde::Deserialize;

#[derive(Deserialize)]
struct Record {
    id: String,
    #[serde(default)]
    kind: String,
    text: String,
    label: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    spans: Option<Vec<(usize, usize)>>,
    #[serde(default)]
    path: Option<String>,
}

/// Positives found of positives, negatives touched of negatives.
#[derive(Default)]
struct Count {
    found: usize,
    positives: usize,
    touched: usize,
    negatives: usize,
}

/// Kinds that no provider's rule finds.
const GENERAL: [&str; 13] = [
    "authorization",
    "command-password",
    "generic-secret",
    "jwt",
    "kubernetes-secret",
    "password",
    "private-key",
    "url-password",
    "email",
    "iban",
    "payment-card",
    "phone",
    "us-ssn",
];

fn main() -> ExitCode {
    let mut folder = None;
    let (mut misses, mut allow, mut general, mut kinds) = (false, true, false, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--misses" => misses = true,
            "--no-default-allowlist" => allow = false,
            "--general" => general = true,
            "--kind" => kinds.extend(args.next()),
            _ => folder = Some(arg),
        }
    }
    let Some(folder) = folder else {
        eprintln!("usage: measure DIR [--misses] [--no-default-allowlist] [--kind NAME]... [--general]");
        return ExitCode::from(2);
    };
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: there is no folder {folder}");
        return ExitCode::SUCCESS;
    };
    let mut policy = Policy { no_default_allowlist: !allow, ..Policy::all() };
    if general {
        let by_rule =
            memoseal_scrub::kinds().into_iter().map(|(kind, _)| kind).filter(|kind| !GENERAL.contains(&kind.as_str()));
        policy.modes.extend(by_rule.map(|kind| (kind, Mode::Off)));
    }
    kinds.iter().for_each(|kind| {
        policy.modes.insert(kind.clone(), Mode::Redact);
    });
    let scrubber = match Scrubber::new(policy) {
        Ok(scrubber) => scrubber,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => labelled(&scrubber, file, &text, misses),
            Some("txt") => benign(file, &text, misses),
            _ => {}
        }
    }
    ExitCode::SUCCESS
}

fn name(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn labelled(scrubber: &Scrubber, file: &Path, text: &str, misses: bool) {
    let mut total = Count::default();
    let mut groups: BTreeMap<String, Count> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let record: Record = match serde_json::from_str(line) {
            Ok(record) => record,
            Err(error) => {
                println!("  not a record: {error}");
                continue;
            }
        };
        let findings = match scrubber.scrub_file(&record.text, record.path.as_deref()) {
            Ok(scrubbed) => scrubbed.findings,
            Err(error) => {
                println!("  {}: {error}", record.id);
                continue;
            }
        };
        let group = groups.entry(group(&record.kind)).or_default();
        if record.label == "positive" {
            let found = covers(&record, &findings);
            [&mut total, group].into_iter().for_each(|count| {
                count.positives += 1;
                count.found += usize::from(found);
            });
            if misses && !found {
                println!("  missed  {} {}: {}", record.id, record.kind, shown(&record.text));
            }
        } else {
            let touched = findings.iter().any(|found| counts(&record, found));
            [&mut total, group].into_iter().for_each(|count| {
                count.negatives += 1;
                count.touched += usize::from(touched);
            });
            if misses && touched {
                let by: Vec<&str> = findings.iter().map(|found| found.rule.as_str()).collect();
                println!("  touched {} {} by {by:?}: {}", record.id, record.kind, shown(&record.text));
            }
        }
    }
    row(&name(file), &total);
    if groups.len() > 1 {
        groups.iter().for_each(|(group, count)| row(&format!("  {group}"), count));
    }
}

fn row(name: &str, count: &Count) {
    let percent = 100.0 * count.found as f64 / count.positives.max(1) as f64;
    let precision = 100.0 * count.found as f64 / (count.found + count.touched).max(1) as f64;
    println!(
        "{name:<28} recall {:>4} of {:>4} ({percent:5.1} %)   negatives touched {:>3} of {:>3}   precision {precision:5.1} %",
        count.found, count.positives, count.touched, count.negatives
    );
}

/// Personal data is counted a kind; secrets a file.
fn group(kind: &str) -> String {
    match kind.split_once(':') {
        Some((family @ ("pii" | "phone" | "df" | "sd"), rest)) => format!("{family}:{rest}"),
        _ => String::new(),
    }
}

/// Whether the record's secret is covered. Of a URL with a password in it, the password is the secret: user and host
/// stay.
fn covers(record: &Record, findings: &[Finding]) -> bool {
    let Some(spans) = record.spans.as_deref().filter(|spans| !spans.is_empty()) else { return !findings.is_empty() };
    spans.iter().all(|&(start, end)| {
        let (start, end) = password(&record.text, start, end).unwrap_or((start, end));
        (start..end).all(|at| {
            record.text.as_bytes()[at].is_ascii_whitespace()
                || findings.iter().any(|found| found.start <= at && at < found.end)
        })
    })
}

/// The password of a URL that the span is.
fn password(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let value = text.get(start..end)?;
    let scheme = value.find("://")?;
    let rest = &value[scheme + 3..];
    let host = rest.rfind('@')?;
    let colon = rest[..host].find(':')?;
    Some((start + scheme + 3 + colon + 1, start + scheme + 3 + host))
}

/// Whether a finding in a negative record is a false one: for structured personal data any kind of it, for the rest
/// what has the same name.
fn counts(record: &Record, found: &Finding) -> bool {
    let personal = ["email", "payment-card", "iban", "us-ssn", "phone"];
    match record.kind.split_once(':') {
        Some(("pii" | "df" | "sd", _)) => personal.contains(&found.kind.as_str()),
        _ => record.scope != "any",
    }
}

fn benign(file: &Path, text: &str, misses: bool) {
    let Ok(scrubber) = Scrubber::new(Policy::secrets()) else { return };
    let findings = match scrubber.scrub(text) {
        Ok(scrubbed) => scrubbed.findings,
        Err(error) => return println!("{:<28} {error}", name(file)),
    };
    println!("{:<28} {} secrets redacted", name(file), findings.len());
    if misses {
        for found in findings.iter().take(50) {
            let start = text[..found.start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[start..].lines().next().unwrap_or_default();
            println!("  {} in line {}: {}", found.rule, found.line, shown(line));
        }
    }
}

fn shown(text: &str) -> String {
    let text: String = text.chars().take(220).collect();
    format!("{text:?}")
}
