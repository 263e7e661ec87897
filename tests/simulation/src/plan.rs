//! What a client asks next.

use memoseal_core::{
    Operation,
    command::{Command, Restore},
    state::{Retention, VersionId},
};
use memoseal_testkit::sim::{Rng, Weather};

use crate::record::{Ask, Listed};

/// How often what is asked in one history; weights.
#[derive(Clone, Debug)]
pub struct Mix {
    changes: u64,
    views: u64,
    turns: u64,
    history: u64,
    removals: u64,
    maintenance: u64,
    rotations: u64,
    reopens: u64,
    destructions: u64,
}

/// What a history is mostly about: some faults need a crowd of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Everything.
    Any,
    /// Turns that meet in one commit.
    Contention,
    /// Redaction and maintenance beside strips that land late.
    Removal,
    /// Rotations.
    Keys,
    /// The user and the store are destroyed, and come anew.
    Destruction,
}

impl Theme {
    /// The theme of a seed.
    pub fn of(rng: &mut Rng) -> Self {
        match rng.below(100) {
            0..36 => Self::Any,
            36..54 => Self::Contention,
            54..82 => Self::Removal,
            82..90 => Self::Keys,
            _ => Self::Destruction,
        }
    }

    /// The weather for this theme.
    pub fn weather(self, rng: &mut Rng) -> Weather {
        if rng.permille(50) {
            return Weather::default();
        }
        let mut weather = Weather::of(rng);
        if self == Self::Removal && rng.permille(700) {
            // Most of what is sent arrives well, so that a redaction comes as far as its strip.
            weather.lost = weather.lost.min(20);
            weather.silent = 0;
            weather.storm = 0;
            weather.stalled = rng.below(250);
            weather.very_late = rng.between(20, 250);
        }
        weather
    }
}

impl Mix {
    /// The mix of a seed.
    pub fn of(rng: &mut Rng, theme: Theme) -> Self {
        match theme {
            Theme::Any => Self::any(rng),
            Theme::Contention => Self {
                changes: 60,
                views: rng.below(30),
                turns: rng.below(60),
                history: 0,
                removals: 0,
                maintenance: 0,
                rotations: 0,
                reopens: rng.below(3),
                destructions: 0,
            },
            Theme::Removal => Self {
                changes: 20,
                views: rng.below(8),
                turns: rng.below(30),
                history: rng.below(6),
                removals: rng.between(20, 50),
                maintenance: rng.between(5, 25),
                rotations: 0,
                reopens: rng.below(4),
                destructions: 0,
            },
            Theme::Keys => Self { changes: 30, rotations: 30, reopens: 10, ..Self::any(rng) },
            Theme::Destruction => Self { destructions: rng.between(2, 12), reopens: 10, ..Self::any(rng) },
        }
    }

    fn any(rng: &mut Rng) -> Self {
        let mut some = |most: u64| if rng.permille(300) { 0 } else { rng.between(1, most) };
        Self {
            changes: 20 + some(60),
            views: some(40),
            turns: some(30),
            history: some(12),
            removals: some(25),
            maintenance: some(8),
            rotations: some(6),
            reopens: some(6),
            destructions: 0,
        }
    }
}

/// What one client does next.
#[derive(Clone, Debug)]
pub enum Step {
    /// It asks something.
    Ask(Ask),
    /// It removes some of the versions that it has seen.
    RedactSome,
    /// It drops its handle and opens another.
    Reopen,
}

/// Where files stand at first.
const FILES: [&str; 6] =
    ["/memories/a", "/memories/b", "/memories/d/a", "/memories/d/b", "/memories/d/t", "/memories/e/f/a"];
const FOLDERS: [&str; 5] = ["/memories", "/memories/d", "/memories/e", "/memories/e/f", "/memories/s"];
/// Where files stand that only a template makes, each of its own commit.
pub const SEEDED: [&str; 4] = ["/memories/s/0", "/memories/s/1", "/memories/s/2", "/memories/s/3"];

/// A client that makes up its mind.
#[derive(Clone, Debug)]
pub struct Mind {
    rng: Rng,
    mix: Mix,
    theme: Theme,
    /// Makes what it writes its own.
    name: String,
    asked: u64,
    /// Where files may stand by now.
    known: Vec<String>,
    /// The last history that it has seen.
    pub listed: Vec<Listed>,
    /// The commit that it has removed something from.
    removed_from: Option<u64>,
}

impl Mind {
    /// A client of this name.
    pub fn new(rng: Rng, mix: Mix, theme: Theme, name: String) -> Self {
        Self {
            rng,
            mix,
            theme,
            name,
            asked: 0,
            known: SEEDED.map(str::to_owned).to_vec(),
            listed: Vec::new(),
            removed_from: None,
        }
    }

    /// How long it waits before it asks again, in milliseconds.
    pub fn pause_ms(&mut self) -> u64 {
        let at_once = match self.theme {
            Theme::Contention => 900,
            Theme::Removal => 600,
            Theme::Any | Theme::Keys | Theme::Destruction => 0,
        };
        if self.rng.permille(at_once) {
            return 0;
        }
        match self.rng.below(100) {
            0..50 => 0,
            50..80 => self.rng.below(60),
            80..95 => self.rng.below(4_000),
            95..99 => self.rng.below(90_000),
            _ => self.rng.below(8 * 3_600_000),
        }
    }

    fn file(&mut self) -> String {
        if self.rng.permille(200)
            && let Some(known) = self.rng.pick(&self.known)
        {
            return known.clone();
        }
        let files = if self.theme == Theme::Contention { FILES.get(..3).unwrap_or(&FILES) } else { &FILES[..] };
        (*self.rng.pick(files).unwrap_or(&"/memories/a")).into()
    }

    fn folder(&mut self) -> String {
        (*self.rng.pick(&FOLDERS).unwrap_or(&"/memories")).into()
    }

    fn mark(&mut self) -> String {
        self.asked += 1;
        format!("[{}.{}]", self.name, self.asked)
    }

    fn change(&mut self) -> Command {
        let mark = self.mark();
        match self.rng.below(100) {
            0..20 => Command::Create { path: self.file(), file_text: format!("{mark}\nline\n") },
            20..50 => Command::Put { path: self.file(), content: format!("{mark}\nline\n").into() },
            50..62 => {
                Command::StrReplace { path: self.file(), old_str: "line".into(), new_str: format!("{mark}\nline") }
            }
            62..72 => {
                let insert_line = self.rng.between(0, 3) as i64;
                Command::Insert { path: self.file(), insert_line, insert_text: mark }
            }
            72..82 => {
                let path = if self.rng.permille(850) { self.file() } else { self.folder() };
                Command::Delete { path }
            }
            82..98 => {
                let old_path = if self.rng.permille(800) { self.file() } else { self.folder() };
                let own = format!("/memories/d/r{}", mark.trim_matches(['[', ']']));
                let new_path = if self.rng.permille(700) { own } else { self.file() };
                self.known.push(new_path.clone());
                Command::Rename { old_path, new_path }
            }
            _ => Command::Clear,
        }
    }

    fn view(&mut self) -> Command {
        let path = if self.rng.permille(600) { self.file() } else { self.folder() };
        Command::View { path, view_range: None }
    }

    /// What comes next.
    pub fn next_step(&mut self) -> Step {
        let mix = self.mix.clone();
        let parts = [
            mix.changes,
            mix.views,
            mix.turns,
            mix.history,
            mix.removals,
            mix.maintenance,
            mix.rotations,
            mix.destructions,
            mix.reopens,
        ];
        let mut roll = self.rng.below(parts.iter().sum());
        let part = parts.iter().position(|part| {
            let here = roll < *part;
            roll = roll.saturating_sub(*part);
            here
        });
        Step::Ask(match part {
            Some(0) | None => Ask::Turn(vec![self.change()]),
            Some(1) => match self.rng.below(4) {
                0 => Ask::Read(self.file()),
                _ => Ask::Turn(vec![self.view()]),
            },
            Some(2) => {
                let length = self.rng.between(2, 3);
                Ask::Turn(
                    (0..length).map(|_| if self.rng.permille(650) { self.change() } else { self.view() }).collect(),
                )
            }
            Some(3) => match self.rng.below(3) {
                0 => Ask::History,
                1 => match self.rng.pick(&self.listed).map(|listed| listed.id) {
                    Some(id) => Ask::ReadVersion(id),
                    None => Ask::History,
                },
                _ => {
                    let restore = Restore { path: Some(self.file()), ..Restore::default() };
                    Ask::Turn(vec![Command::Restore(restore)])
                }
            },
            Some(4) => return Step::RedactSome,
            Some(5) => match self.rng.below(10) {
                0 => Ask::Retain(match self.rng.below(4) {
                    0 => Retention::Forever,
                    1 => Retention::Days(30),
                    _ => Retention::Days(0),
                }),
                1 => Ask::MaintainVault,
                _ => Ask::Maintain,
            },
            Some(6) => Ask::Rotate,
            Some(7) => match self.rng.below(2) {
                0 => Ask::DestroyUser,
                _ => Ask::DestroyStore,
            },
            _ => return Step::Reopen,
        })
    }

    /// Some of the versions that were replaced by what is in `listed`, mostly the newest.
    pub fn some_replaced(&mut self, replaced: &[Listed]) -> Vec<VersionId> {
        // Whose place is its own leaves a trace that can be told from others'.
        let is_own =
            |listed: &&Listed| listed.path.as_ref().is_some_and(|path| path.contains("/s/") || path.contains("/d/r"));
        let own: Vec<_> = replaced.iter().filter(is_own).map(|listed| listed.id).collect();
        let replaced: Vec<_> = replaced.iter().map(|listed| listed.id).collect();
        if self.rng.permille(350)
            && let Some(own) = self.rng.pick(&own)
        {
            return vec![*own];
        }
        // What is left of a commit that lost something already can be stripped in part only.
        let beside: Vec<_> = replaced.iter().filter(|id| Some(id.seq) == self.removed_from).copied().collect();
        if self.rng.permille(600)
            && let Some(beside) = self.rng.pick(&beside)
        {
            return vec![*beside];
        }
        let most = if self.rng.permille(700) { 4 } else { replaced.len() };
        let near = replaced.get(..most.min(replaced.len())).unwrap_or_default();
        let count = self.rng.between(1, 3);
        let mut some: Vec<_> = (0..count).filter_map(|_| self.rng.pick(near).copied()).collect();
        some.sort_unstable();
        some.dedup();
        self.removed_from = some.first().map(|id| id.seq);
        some
    }
}

/// Whether a version holds something.
pub fn holds_something(listed: &Listed) -> bool {
    listed.operation != Operation::Deleted && listed.path.is_some()
}
