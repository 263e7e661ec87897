//! Latency against the size of the store: the library over five stores, interleaved.

use memoseal_testkit::measure::{self, Shot, Spread};
use serde_json::{Value, json};

use crate::{
    Rounds,
    competitors::{Library, Site},
    operations, trees,
};

pub(crate) const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// One line of the plot.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// Seconds at each of [`SIZES`].
    pub(crate) points: Vec<Spread>,
}

/// Measures every line, and a bare create among the rest.
pub(crate) fn run(site: &Site, rounds: Rounds) -> anyhow::Result<Vec<Line>> {
    let user = |size: usize| format!("growth-{size}");
    for size in SIZES {
        eprintln!("{size} memories …");
        let mut tree = trees::of_size(size);
        // The directory that is renamed.
        for (path, _) in &mut tree[5..10] {
            path.insert_str(0, "r5-a/");
        }
        trees::lay_sealed(site, &user(size), &tree)?;
    }
    trees::lay_plain(site, "growth", &trees::of_size(1))?;
    trees::sync(&site.plain("growth"))?;
    let bare = site.bare("growth")?;
    let view = json!({ "command": "view", "path": "/memories/00000/0.md" });

    let open = |size| {
        let (view, user) = (&view, user(size));
        Box::new(move |_| site.open(&user, view)) as Shot<'_, anyhow::Error>
    };
    let opened = measure::rounds(rounds.slowest, SIZES.map(open).into())?;
    let mut lines = vec![line("open, to the first answer", &opened)];

    let stores: Vec<Library<'_>> =
        SIZES.iter().map(|size| site.library(&user(*size))).collect::<anyhow::Result<_>>()?;
    let over = |name, command: &dyn Fn(usize) -> Value| -> anyhow::Result<Vec<Line>> {
        let mut shots: Vec<Shot<'_, anyhow::Error>> =
            stores.iter().map(|store| Box::new(move |i| store.ask(&command(i))) as Shot<'_, anyhow::Error>).collect();
        let is_create = name == operations::CREATE;
        if is_create {
            shots.push(Box::new(|i| operations::create(site, &bare, format!("c/{i}.md"), i)));
        }
        let mut times = measure::rounds(rounds.plot, shots)?;
        let mut lines = Vec::new();
        if is_create && let Some(bare) = times.pop() {
            lines.push(line("bare create, fsynced", &vec![bare; SIZES.len()]));
        }
        lines.push(line(name, &times));
        Ok(lines)
    };
    let create = |i| json!({ "command": "create", "path": format!("/memories/c/{i}.md"), "file_text": trees::text(i) });
    let replace = |i: usize| {
        let (old, new) = (format!("number {i:08}"), format!("number {:08}", i + 1));
        json!({ "command": "str_replace", "path": "/memories/00000/0.md", "old_str": old, "new_str": new })
    };
    lines.extend(over(operations::VIEW, &|_| view.clone())?);
    lines.extend(over("view a directory of 5", &|_| json!({ "command": "view", "path": "/memories/00000" }))?);
    lines.extend(over(operations::CREATE, &create)?);
    lines.extend(over(operations::STR_REPLACE, &replace)?);
    lines.extend(over("rename a directory of 5", &|i| operations::rename(5, i))?);
    Ok(lines)
}

fn line(name: &'static str, times: &[Vec<f64>]) -> Line {
    Line { name, points: times.iter().map(|times| Spread::of(times)).collect() }
}
