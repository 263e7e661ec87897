//! `memoseal demo`: a recorded session answered from a sealed vault, what an onlooker sees of it, and what happens
//! when the onlooker changes something.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use memoseal::{Depth, Error, Key, Store, VaultOptions, core::env};
use serde_json::Value;

use crate::{
    args::Common,
    exit::failed,
    interrupt::Stopped,
    output::{self, line},
};

/// The session that is played: a line is what `memoseal tool` would read.
const SESSION: &str = include_str!("../../../../examples/session.jsonl");

const USER: &str = "demo-user";

/// How much of an answer is shown.
const SHOWN_LINES: usize = 12;

pub(crate) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let shown = common.interrupt.unless_stopped(demo()).await;
    shown.unwrap_or_else(|| Err(Stopped("the demo's folder is gone again".into()).into()))
}

async fn demo() -> anyhow::Result<ExitCode> {
    let folder = tempfile::Builder::new()
        .prefix("memoseal-demo-")
        .tempdir()
        .map_err(|error| failed("cannot make a folder", &error, "set TMPDIR to one that you may write to"))?;
    let vault = folder.path().join("vault");
    let copy = folder.path().join("copy");
    let mut key = [0; 32];
    env::Random::fill(&env::OsRandom, &mut key).map_err(|_| Error::NoRandomness)?;

    title("A vault of its own, thrown away afterwards")?;
    line(vault.display())?;
    // What is thrown away needs no witness, and leaves none behind.
    let mut options = memoseal::default_options();
    options.witness = None;
    let made = memoseal::create_with(&url(&vault)?, Key::raw(key), options.clone()).await?;
    let store = made.user(USER).store("default").open().await?;

    title("A session, as Claude's memory tool would ask (examples/session.jsonl)")?;
    let calls = play(&store).await?;

    title("What the folder holds")?;
    onlooker(&vault, &calls)?;

    title("One byte of a copy is changed")?;
    tamper(&vault, &copy, key, options).await?;

    title("Done")?;
    line("The same for your own agent: memoseal init --vault DIR --generate-key FILE, then memoseal tool.")?;
    Ok(ExitCode::SUCCESS)
}

fn title(text: &str) -> anyhow::Result<()> {
    if output::is_coloured(&std::io::stdout()) {
        line(format_args!("\n\x1b[1m{text}\x1b[0m\n"))
    } else {
        line(format_args!("\n== {text}\n"))
    }
}

/// Plays the session and gives back its calls.
async fn play(store: &Store) -> anyhow::Result<Vec<Value>> {
    let mut calls = Vec::new();
    for text in SESSION.lines() {
        let message: Value = serde_json::from_str(text).context("the recorded session is not JSON")?;
        let turn = match message {
            Value::Array(turn) => turn,
            call => vec![call],
        };
        if turn.len() > 1 {
            line(format_args!("({} calls in one turn)", turn.len()))?;
        }
        for (call, result) in turn.iter().zip(store.handle_turn(&turn).await) {
            show(call, &result)?;
        }
        calls.extend(turn);
    }
    Ok(calls)
}

fn show(call: &Value, result: &Value) -> anyhow::Result<()> {
    let input = &call["input"];
    let field = |name: &str| input[name].as_str().unwrap_or_default().to_owned();
    let path =
        if input["path"].is_null() { format!("{} {}", field("old_path"), field("new_path")) } else { field("path") };
    line(format_args!("> {} {path}", field("command")))?;
    let text = result["content"].as_str().map_or_else(|| result["content"].to_string(), str::to_owned);
    let lines: Vec<_> = text.lines().collect();
    for shown in lines.iter().take(SHOWN_LINES) {
        line(format_args!("    {shown}"))?;
    }
    if lines.len() > SHOWN_LINES {
        line(format_args!("    … {} more lines", lines.len() - SHOWN_LINES))?;
    }
    Ok(())
}

/// Shows what somebody sees who has the folder and not the key.
fn onlooker(vault: &Path, calls: &[Value]) -> anyhow::Result<()> {
    let files = files(vault)?;
    let mut bytes = Vec::new();
    for file in &files {
        bytes.push(fs::read(file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    let total: usize = bytes.iter().map(Vec::len).sum();
    line(format_args!("{} objects, {total} bytes. The newest commit, and how it begins:", files.len()))?;
    let (newest, object) =
        newest_commit(&files).and_then(|at| files.get(at).zip(bytes.get(at))).context("no commit")?;
    line(format_args!("    {}", newest.strip_prefix(vault).unwrap_or(newest).display()))?;
    for row in object.chunks(32).take(4) {
        line(format_args!("    {}", memoseal::core::hex(row)))?;
    }
    let words = words(calls);
    for word in &words {
        let found = files.iter().zip(&bytes).find(|(file, object)| {
            file.strip_prefix(vault).is_ok_and(|name| name.to_string_lossy().contains(word.as_str()))
                || object.windows(word.len()).any(|window| window == word.as_bytes())
        });
        if let Some((file, _)) = found {
            bail!("`{word}` is readable in {}", file.display());
        }
    }
    line(format_args!("Of {} names and words of the session, none stands in any name or byte.", words.len()))
}

/// What an onlooker would like to find: the user, the names in the paths, the words of the contents.
fn words(calls: &[Value]) -> BTreeSet<String> {
    let mut words = BTreeSet::from([USER.to_owned()]);
    for call in calls {
        for field in ["path", "old_path", "new_path", "file_text", "new_str", "insert_text"] {
            let text = call["input"][field].as_str().unwrap_or_default();
            let split = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '@' && c != '-');
            // A short run of letters may stand in sealed bytes by chance.
            words.extend(split.filter(|word| word.len() >= 6).map(str::to_owned));
        }
    }
    // The one word that every object begins with says what it is.
    words.remove("memoseal");
    words
}

async fn tamper(vault: &Path, copy: &Path, key: [u8; 32], options: VaultOptions) -> anyhow::Result<()> {
    for file in files(vault)? {
        let target = copy.join(file.strip_prefix(vault).context("a file outside the vault")?);
        let parent = target.parent().context("a file without a folder")?;
        fs::create_dir_all(parent).and_then(|()| fs::copy(&file, &target)).context("cannot copy the vault")?;
    }
    let files = files(copy)?;
    let victim = newest_commit(&files).and_then(|at| files.get(at)).context("no commit")?;
    let mut bytes = fs::read(victim).context("cannot read the copy")?;
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 1;
    }
    fs::write(victim, bytes).context("cannot write the copy")?;

    let opened = memoseal::open_with(&url(copy)?, Key::raw(key), options).await?;
    let inspection = opened.inspect(Depth::Sections, |_, _| {}).await?;
    line("memoseal verify:")?;
    for finding in &inspection.findings {
        line(format_args!("    {}: {}\n    {}", finding.place, finding.problem, finding.advice))?;
    }
    ensure!(!inspection.findings.is_empty(), "the change was not noticed");
    match opened.user(USER).store("default").open().await {
        Err(error @ Error::Damaged { .. }) => line(format_args!("an agent that opens it:\n    {error}")),
        Err(error) => Err(error.into()),
        Ok(_) => bail!("an agent could open the copy"),
    }
}

fn url(folder: &Path) -> anyhow::Result<String> {
    Ok(memoseal::parse_url(folder.to_str().context("the temporary folder's name is not UTF-8")?)?.into())
}

/// Every file below `folder`, sorted by path.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry.context("cannot read the folder")?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// The first commit in the order of names is the newest.
fn newest_commit(files: &[PathBuf]) -> Option<usize> {
    files.iter().position(|file| file.components().any(|part| part.as_os_str() == "log"))
}
