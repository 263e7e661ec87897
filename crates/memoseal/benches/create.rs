//! What a sealed create costs over a bare one: pairs of both, interleaved in one run on one disk.
//!
//! Bare is `object_store`'s own local store with fsync: put-if-absent of the same 4 KiB.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use memoseal::{Command, Key, Limits};
use object_store::{ObjectStore, PutMode, local::LocalFileSystem, path::Path};

const PAIRS: usize = 1_000;
const WARM_UP: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let bare_folder = folder.path().join("bare");
    std::fs::create_dir(&bare_folder)?;
    let bare: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(&bare_folder)?.with_fsync(true));

    let url = folder.path().join("vault").display().to_string();
    let vault = memoseal::create(&url, Key::raw([7; 32])).await?;
    let mut limits = Limits::default();
    limits.files = usize::MAX;
    let store = vault.user("bench").store("default").limits(limits).open().await?;

    let text = "A line of a memory, as long as lines are.\n".repeat(98)[..4096].to_owned();
    let mut pairs = Vec::with_capacity(PAIRS);
    for i in 0..WARM_UP + PAIRS {
        let name = Path::from(format!("log/fffffffffffff/{i}"));
        let create = Command::Create { path: format!("/memories/{}/{i}.md", i / 100), file_text: text.clone() };
        let sealed = async {
            let begun = Instant::now();
            store.execute(create).await?;
            Ok::<_, Box<dyn Error>>(begun.elapsed())
        };
        let bare = async {
            let body = text.clone();
            let begun = Instant::now();
            bare.put_opts(&name, body.into(), PutMode::Create.into()).await?;
            Ok::<_, Box<dyn Error>>(begun.elapsed())
        };
        // Whoever goes first in a pair may pay for the file system's journal: they take turns.
        let pair = if i % 2 == 0 {
            let bare = bare.await?;
            (bare, sealed.await?)
        } else {
            let sealed = sealed.await?;
            (bare.await?, sealed)
        };
        if i >= WARM_UP {
            pairs.push(pair);
        }
    }

    let column = |of: fn(&(Duration, Duration)) -> Duration| {
        let mut column: Vec<_> = pairs.iter().map(|pair| of(pair).as_secs_f64()).collect();
        column.sort_by(f64::total_cmp);
        column
    };
    let mut ratios: Vec<_> = pairs.iter().map(|(bare, sealed)| sealed.as_secs_f64() / bare.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |column: &[f64], part: f64| column[((column.len() - 1) as f64 * part) as usize];
    println!("create of 4 KiB on local disk with fsync, {PAIRS} interleaved pairs");
    println!("{:<10} {:>10} {:>10} {:>10}", "", "25 %", "median", "75 %");
    for (name, column) in [("bare, µs", column(|pair| pair.0)), ("sealed, µs", column(|pair| pair.1))] {
        let quartile = |part| at(&column, part) * 1e6;
        println!("{name:<10} {:>10.0} {:>10.0} {:>10.0}", quartile(0.25), quartile(0.5), quartile(0.75));
    }
    println!("{:<10} {:>10.2} {:>10.2} {:>10.2}", "ratio", at(&ratios, 0.25), at(&ratios, 0.5), at(&ratios, 0.75));
    Ok(())
}
