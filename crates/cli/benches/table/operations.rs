//! The rows of the table: what is done, by whom, over which memories.

use std::{
    fs::{self, File},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use futures_util::TryStreamExt as _;
use memoseal_testkit::measure::{self, Shot, WARM_UP};
use object_store::{ObjectStore as _, ObjectStoreExt as _, PutMode, local::LocalFileSystem, path::Path as Location};
use serde_json::{Value, json};

use crate::{
    Rounds,
    competitors::{Library, Site, Who},
    driver::Driver,
    trees::{self, Tree, text},
};

pub(crate) const CREATE: &str = "create, 4 KiB";
pub(crate) const VIEW: &str = "view 4 KiB, cached";
pub(crate) const VIEW_UNCACHED: &str = "view 4 KiB, not cached";
pub(crate) const STR_REPLACE: &str = "str_replace in 4 KiB";
pub(crate) const VIEW_DIRECTORY: &str = "view a directory of 100";
pub(crate) const RENAME_100: &str = "rename a directory of 100";
const RENAME_10: &str = "rename a directory of 10";
const RENAME_10_000: &str = "rename a directory of 10,000";
const OPEN_10: &str = "open 10 memories";
const OPEN_100_000: &str = "open 100,000 memories";

/// The same operations where only two take turns: what one writes does not keep the disk busy for a third.
pub(crate) const CREATE_BY_TWO: &str = "create, 4 KiB, by two in turns";
pub(crate) const STR_REPLACE_BY_TWO: &str = "str_replace in 4 KiB, by two in turns";
pub(crate) const RENAME_100_BY_TWO: &str = "rename a directory of 100, by two in turns";
#[cfg(feature = "scrub")]
pub(crate) const CREATE_SCRUBBED: &str = "create, 4 KiB, by the library with and without scrubbing";
pub(crate) const VIEW_BY_TWO: &str = "view 4 KiB, cached, by two in turns";
pub(crate) const VIEW_DIRECTORY_BY_TWO: &str = "view a directory of 100, by two in turns";

const OURS: [Who; 2] = [Who::Library, Who::Tool];
const DRIVERS: [Who; 3] = [Who::Tool, Who::Python, Who::TypeScript];

/// One operation, measured.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The seconds of each competitor, by rounds.
    pub(crate) times: Vec<(Who, Vec<f64>)>,
}

impl Row {
    pub(crate) fn of(&self, who: Who) -> Option<&[f64]> {
        self.times.iter().find(|(of, _)| *of == who).map(|(_, times)| &times[..])
    }
}

/// Measures every row.
pub(crate) fn run(site: &Site, rounds: Rounds) -> anyhow::Result<Vec<Row>> {
    let mut rows = small(site, rounds)?;
    rows.extend(by_two(site, rounds)?);
    #[cfg(feature = "scrub")]
    rows.push(scrubbed(site, rounds.pairs)?);
    rows.push(large_rename(site, rounds)?);
    rows.push(open(site, OPEN_10, 10, rounds.slow)?);
    rows.push(open(site, OPEN_100_000, 100_000, rounds.slowest)?);
    Ok(rows)
}

/// Everything that needs a few hundred memories.
fn small(site: &Site, rounds: Rounds) -> anyhow::Result<Vec<Row>> {
    let mut tree: Tree = vec![("v.md".into(), text(0)), ("e.md".into(), text(0))];
    tree.extend((0..100).map(|i| (format!("d/{i}.md"), text(i))));
    tree.extend((0..WARM_UP + rounds.cheap).map(|i| (format!("u/{i}.md"), text(i))));
    for size in [10, 100] {
        tree.extend((0..size).map(|i| (format!("{}/{i}.md", renamed(size, 0)), text(i))));
    }
    let mut field = Field::lay(site, "small", &tree)?;
    let bare = site.bare(&place("small", Who::Bare))?;
    let bare_root = site.plain(&place("small", Who::Bare)).join("memories");
    let view = |path: String| json!({ "command": "view", "path": path });
    let n = rounds.cheap;
    Ok(vec![
        // First, while nothing is in a cache but what the operating system keeps.
        field.row(
            VIEW_UNCACHED,
            n,
            |i| view(format!("/memories/u/{i}.md")),
            |i| get(site, &bare, format!("u/{i}.md")),
        )?,
        field.row(VIEW, n, |_| view("/memories/v.md".into()), |_| get(site, &bare, "v.md".into()))?,
        field.row(VIEW_DIRECTORY, n, |_| view("/memories/d".into()), |_| list(site, &bare))?,
        field.row(
            CREATE,
            n,
            |i| json!({ "command": "create", "path": format!("/memories/c/{i}.md"), "file_text": text(i) }),
            |i| create(site, &bare, format!("c/{i}.md"), i),
        )?,
        field.row(
            STR_REPLACE,
            n,
            replace,
            // An edit writes a whole new object, as a create does.
            |i| create(site, &bare, format!("e/{i}.md"), i),
        )?,
        field.row(RENAME_10, n, |i| rename(10, i), |i| rename_bare(&bare_root, 10, i))?,
        field.row(RENAME_100, n, |i| rename(100, i), |i| rename_bare(&bare_root, 100, i))?,
    ])
}

/// What has a target, by the two whom it compares.
fn by_two(site: &Site, rounds: Rounds) -> anyhow::Result<Vec<Row>> {
    let mut tree: Tree = vec![("v.md".into(), text(0)), ("e.md".into(), text(0))];
    tree.extend((0..100).map(|i| (format!("d/{i}.md"), text(i))));
    tree.extend((0..100).map(|i| (format!("{}/{i}.md", renamed(100, 0)), text(i))));
    let mut field = Field::lay(site, "two", &tree)?;
    let bare = site.bare(&place("two", Who::Bare))?;
    let bare_root = site.plain(&place("two", Who::Bare)).join("memories");
    let (ours, tools) = ([Who::Bare, Who::Library], [Who::Tool, Who::Python]);
    let view = |path: &str| json!({ "command": "view", "path": path });
    let nobody = |_| anyhow::bail!("the bare store takes no part here");
    let n = rounds.pairs;
    Ok(vec![
        field.turns(VIEW_BY_TWO, n, &tools, |_| view("/memories/v.md"), nobody)?,
        field.turns(VIEW_DIRECTORY_BY_TWO, n, &tools, |_| view("/memories/d"), nobody)?,
        field.turns(
            CREATE_BY_TWO,
            n,
            &ours,
            |i| json!({ "command": "create", "path": format!("/memories/c/{i}.md"), "file_text": text(i) }),
            |i| create(site, &bare, format!("c/{i}.md"), i),
        )?,
        field.turns(STR_REPLACE_BY_TWO, n, &ours, replace, |i| create(site, &bare, format!("e/{i}.md"), i))?,
        field.turns(RENAME_100_BY_TWO, n, &ours, |i| rename(100, i), |i| rename_bare(&bare_root, 100, i))?,
    ])
}

#[cfg(feature = "scrub")]
fn scrubbed(site: &Site, rounds: usize) -> anyhow::Result<Row> {
    eprintln!("{CREATE_SCRUBBED} …");
    let (without, with) = (site.library("without-scrubbing")?, site.scrubbing_library("with-scrubbing")?);
    let create = |i| json!({ "command": "create", "path": format!("/memories/c/{i}.md"), "file_text": text(i) });
    let shots: Vec<Shot<'_, anyhow::Error>> =
        vec![Box::new(|i| without.ask(&create(i))), Box::new(|i| with.ask(&create(i)))];
    let times = measure::rounds(rounds, shots)?;
    Ok(Row { name: CREATE_SCRUBBED, times: [Who::Library, Who::Scrubbing].into_iter().zip(times).collect() })
}

fn replace(round: usize) -> Value {
    let (old, new) = (format!("number {round:08}"), format!("number {:08}", round + 1));
    json!({ "command": "str_replace", "path": "/memories/e.md", "old_str": old, "new_str": new })
}

fn large_rename(site: &Site, rounds: Rounds) -> anyhow::Result<Row> {
    let size = 10_000;
    let tree = (0..size).map(|i| (format!("{}/{}/{i}.md", renamed(size, 0), i / 100), "A line.\n".into())).collect();
    let mut field = Field::lay(site, "large", &tree)?;
    let root = site.plain(&place("large", Who::Bare)).join("memories");
    field.row(RENAME_10_000, rounds.slow, |i| rename(size, i), |i| rename_bare(&root, size, i))
}

/// From nothing to the first answer: a process is started, or a vault opened in this one.
fn open(site: &Site, name: &'static str, size: usize, rounds: usize) -> anyhow::Result<Row> {
    let place = format!("size-{size}");
    let tree = trees::of_size(size);
    trees::lay_plain(site, &place, &tree)?;
    trees::lay_sealed(site, &place, &tree)?;
    trees::sync(&site.plain(&place))?;
    let command = json!({ "command": "view", "path": "/memories/00000/0.md" });
    let bare = || {
        let begun = Instant::now();
        let bare = site.bare(&place)?;
        let objects: Vec<_> = site.runtime.block_on(bare.list(None).try_collect())?;
        let took = begun.elapsed();
        anyhow::ensure!(objects.len() == size, "{} objects instead of {size}", objects.len());
        Ok(took + get(site, &bare, "00000/0.md".into())?)
    };
    let mut whos = vec![Who::Bare, Who::Library];
    let mut shots: Vec<Shot<'_, anyhow::Error>> = vec![Box::new(|_| bare()), Box::new(|_| site.open(&place, &command))];
    for who in DRIVERS {
        // The first is only to see whether it takes part.
        if site.driver(who, &place)?.is_none() {
            continue;
        }
        let (place, command) = (&place, &command);
        whos.push(who);
        shots.push(Box::new(move |_| {
            let begun = Instant::now();
            let mut driver = site.driver(who, place)?.context("it was there before")?;
            driver.ask(command)?;
            Ok(begun.elapsed())
        }));
    }
    let times = measure::rounds(rounds, shots)?;
    Ok(Row { name, times: whos.into_iter().zip(times).collect() })
}

/// The same memories at every competitor's, who are all ready.
struct Field<'a> {
    library: Library<'a>,
    drivers: Vec<(Who, Driver)>,
}

impl<'a> Field<'a> {
    fn lay(site: &'a Site, name: &str, tree: &Tree) -> anyhow::Result<Self> {
        for who in OURS {
            trees::lay_sealed(site, &place(name, who), tree)?;
        }
        for who in [Who::Bare, Who::Python, Who::TypeScript] {
            trees::lay_plain(site, &place(name, who), tree)?;
        }
        trees::sync(&site.plain(name))?;
        let mut drivers = Vec::new();
        for who in DRIVERS {
            if let Some(mut driver) = site.driver(who, &place(name, who))? {
                // It has started when it has answered; nothing is cached by this.
                driver.ask(&json!({ "command": "view", "path": "/memories" }))?;
                drivers.push((who, driver));
            }
        }
        Ok(Self { library: site.library(&place(name, Who::Library))?, drivers })
    }

    fn row(
        &mut self,
        name: &'static str,
        rounds: usize,
        command: impl Fn(usize) -> Value,
        bare: impl FnMut(usize) -> anyhow::Result<Duration>,
    ) -> anyhow::Result<Row> {
        self.turns(name, rounds, [Who::Bare, Who::Library].iter().chain(&DRIVERS), command, bare)
    }

    /// A row in which only these take part, as far as they are there.
    fn turns<'w>(
        &mut self,
        name: &'static str,
        rounds: usize,
        among: impl IntoIterator<Item = &'w Who>,
        command: impl Fn(usize) -> Value,
        bare: impl FnMut(usize) -> anyhow::Result<Duration>,
    ) -> anyhow::Result<Row> {
        eprintln!("{name} …");
        let among: Vec<Who> = among.into_iter().copied().collect();
        let (mut whos, mut shots): (Vec<Who>, Vec<Shot<'_, anyhow::Error>>) = (Vec::new(), Vec::new());
        if among.contains(&Who::Bare) {
            whos.push(Who::Bare);
            shots.push(Box::new(bare));
        }
        if among.contains(&Who::Library) {
            whos.push(Who::Library);
            shots.push(Box::new(|i| self.library.ask(&command(i))));
        }
        for (who, driver) in self.drivers.iter_mut().filter(|(who, _)| among.contains(who)) {
            let command = &command;
            whos.push(*who);
            shots.push(Box::new(move |i| driver.ask(&command(i))));
        }
        let times = measure::rounds(rounds, shots)?;
        Ok(Row { name, times: whos.into_iter().zip(times).collect() })
    }
}

/// The user, or the folder, of a competitor.
fn place(name: &str, who: Who) -> String {
    format!("{name}-{who:?}")
}

/// The name of the directory of `size` after it was renamed so often.
fn renamed(size: usize, times: usize) -> String {
    format!("r{size}-{}", if times.is_multiple_of(2) { "a" } else { "b" })
}

pub(crate) fn rename(size: usize, round: usize) -> Value {
    let [old, new] = [round, round + 1].map(|times| format!("/memories/{}", renamed(size, times)));
    json!({ "command": "rename", "old_path": old, "new_path": new })
}

fn rename_bare(root: &Path, size: usize, round: usize) -> anyhow::Result<Duration> {
    let [old, new] = [round, round + 1].map(|times| root.join(renamed(size, times)));
    let begun = Instant::now();
    fs::rename(old, new)?;
    if cfg!(unix) {
        File::open(root)?.sync_all()?;
    }
    Ok(begun.elapsed())
}

pub(crate) fn create(site: &Site, bare: &LocalFileSystem, path: String, number: usize) -> anyhow::Result<Duration> {
    let (path, body) = (Location::from(path), text(number));
    site.runtime.block_on(async {
        let begun = Instant::now();
        bare.put_opts(&path, body.into(), PutMode::Create.into()).await?;
        Ok(begun.elapsed())
    })
}

fn get(site: &Site, bare: &LocalFileSystem, path: String) -> anyhow::Result<Duration> {
    let path = Location::from(path);
    site.runtime.block_on(async {
        let begun = Instant::now();
        bare.get(&path).await?.bytes().await?;
        Ok(begun.elapsed())
    })
}

fn list(site: &Site, bare: &LocalFileSystem) -> anyhow::Result<Duration> {
    site.runtime.block_on(async {
        let begun = Instant::now();
        let found = bare.list_with_delimiter(Some(&Location::from("d"))).await?;
        let took = begun.elapsed();
        anyhow::ensure!(found.objects.len() == 100, "{} objects instead of 100", found.objects.len());
        Ok(took)
    })
}
