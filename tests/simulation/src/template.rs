//! Vaults to begin with, made once: an empty one, a young one, one whose next checkpoint is near, one that has some.

use std::sync::{Arc, OnceLock};

use memoseal_core::{Actor, Backend, Key, Vault, command::Command};
use memoseal_testkit::sim::{Bucket, Client, Objects, Rng, Weather};

use crate::{KEY, STORE, USER, observe, observe::Commit, plan, runtime, surroundings};

/// When the templates were made, in milliseconds since the Unix epoch.
pub const MADE_MS: i64 = 1_750_000_000_000;

/// A vault to begin with.
#[derive(Debug)]
pub struct Template {
    /// What lies in the bucket.
    pub objects: Objects,
    /// The log.
    pub commits: Vec<Commit>,
}

/// All of them.
pub fn all() -> &'static [Template] {
    static ALL: OnceLock<Vec<Template>> = OnceLock::new();
    ALL.get_or_init(|| [0, 3, 29, 38].into_iter().map(make).collect())
}

fn make(commits: u64) -> Template {
    runtime().block_on(async {
        let bucket = Bucket::new(Objects::new(), MADE_MS, Rng::new(commits));
        let backend = Backend::single(Arc::new(Client::new(&bucket, "template", Weather::default())));
        let options = surroundings::options(&bucket, Rng::new(commits + 1), 0, None);
        let Ok(vault) = Vault::create(backend, Key::raw(KEY), options).await else {
            return Template { objects: Objects::new(), commits: Vec::new() };
        };
        let before = bucket.objects();
        let actor = Actor::Local { name: "template".into() };
        if let Ok(store) = vault.user(USER).store(STORE).actor(actor).open().await {
            for n in 1..=commits {
                let path = format!("/memories/{}", ["a", "d/b", "d/c", "e/f/a"][n as usize % 4]);
                let put = Command::Put { path, content: format!("[t{n}]\nline\n").into() };
                // Commits of several changes can be stripped in part only.
                let other = Command::Put { path: "/memories/d/t".into(), content: format!("[u{n}]").into() };
                let seeded = plan::SEEDED.get(usize::try_from(n / 4).unwrap_or(0)).filter(|_| n % 4 == 1);
                let seeded =
                    seeded.map(|path| Command::Put { path: (*path).into(), content: format!("[s{n}]").into() });
                let turn = match (n % 3, seeded) {
                    (_, Some(seeded)) => vec![seeded],
                    (0, None) => vec![put, other],
                    _ => vec![put],
                };
                store.execute_turn(turn).await;
            }
            store.settle().await;
        }
        let objects = bucket.objects();
        let commits = observe::observe(&before, &objects, &bucket.landings()).await.unwrap_or_default();
        Template { objects, commits }
    })
}
