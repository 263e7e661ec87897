//! Throughput on one core, the time to compile, and memory: `cargo bench -p memoseal-scrub [-- DIR]`.
//!
//! DIR holds `benign/*.txt`, of which the first 256 KiB are read, and `dev/*.jsonl`, of which the texts are. Without
//! it, texts that are made here stand in, and say so.

use std::{
    fs,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use memoseal_scrub::{Policy, Scrubber};

const HEAD: usize = 256 << 10;
/// How long each text is measured.
const LONG_ENOUGH: Duration = Duration::from_millis(700);

fn main() {
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let folder =
        folder.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/scrub").to_owned());
    let before = resident();
    let started = Instant::now();
    let scrubber = scrubber(Policy::secrets());
    drop(black_box(scrubber.scrub("a text without any secret").map(|scrubbed| scrubbed.findings.len())));
    println!("ready for a first text           {:>8.1} ms", ms(started.elapsed()));
    let started = Instant::now();
    if let Err(error) = memoseal_scrub::compile() {
        println!("{error}");
    }
    println!("every rule compiled              {:>8.1} ms", ms(started.elapsed()));

    let texts = texts(Path::new(&folder));
    for (name, policy) in [("secrets", Policy::secrets()), ("all", Policy::all())] {
        let scrubber = self::scrubber(policy);
        let (mut bytes, mut seconds) = (0, 0.0);
        for (file, parts) in &texts {
            let size: usize = parts.iter().map(String::len).sum();
            let took = time(|| {
                parts.iter().map(|part| scrubber.scrub(part).map_or(0, |scrubbed| scrubbed.findings.len())).sum()
            });
            println!("{name:<8} {file:<24} {:>8.1} MB/s  ({size} bytes)", size as f64 / 1e6 / took);
            bytes += size;
            seconds += took;
        }
        println!("{name:<8} together                 {:>8.1} MB/s", bytes as f64 / 1e6 / seconds);
    }
    match (before, resident()) {
        (Some(before), Some(after)) => {
            let texts: usize = texts.iter().flat_map(|(_, parts)| parts).map(String::len).sum();
            let grown = after.saturating_sub(before) as f64 / 1e6 - texts as f64 / 1e6;
            println!("memory, without the texts        {grown:>8.1} MB");
        }
        _ => println!("memory: not known on this system"),
    }
}

fn scrubber(policy: Policy) -> Scrubber {
    Scrubber::new(policy).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1)
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The fastest of several rounds, in seconds: what others do on the machine only makes a round slower.
fn time(work: impl Fn() -> usize) -> f64 {
    let started = Instant::now();
    let mut best = f64::MAX;
    while started.elapsed() < LONG_ENOUGH || best == f64::MAX {
        let round = Instant::now();
        black_box(work());
        best = best.min(round.elapsed().as_secs_f64());
    }
    best
}

fn texts(folder: &Path) -> Vec<(String, Vec<String>)> {
    let mut texts = Vec::new();
    for file in files(&folder.join("benign"), "txt") {
        let text = fs::read_to_string(&file.1).unwrap_or_default();
        let end = text.floor_char_boundary(HEAD);
        texts.push((file.0, vec![text[..end].to_owned()]));
    }
    for file in files(&folder.join("dev"), "jsonl") {
        let lines = fs::read_to_string(&file.1).unwrap_or_default();
        let records = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let parts = records.filter_map(|record| record["text"].as_str().map(str::to_owned)).collect();
        texts.push((file.0, parts));
    }
    if texts.is_empty() {
        println!("there are no texts in {}: a made-up one stands in", folder.display());
        let line =
            "The deploy runs at 14:05 on node-7 (commit 3f2a9c1e), see docs/deploy.md; key decisions are below.\n";
        texts.push(("made-up prose".to_owned(), vec![line.repeat(HEAD / line.len())]));
    }
    texts
}

fn files(folder: &Path, extension: &str) -> Vec<(String, std::path::PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let named = entries.filter(|path| path.extension().is_some_and(|known| known == extension));
    let mut files: Vec<_> = named
        .map(|path| (path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(), path))
        .collect();
    files.sort();
    files
}

/// Resident memory in bytes, at its peak.
fn resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib << 10)
}
