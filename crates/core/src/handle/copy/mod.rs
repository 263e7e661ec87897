//! Copying a vault to another place, sealed as it is.
//!
//! Nothing is opened on the way: each object is created under its name, or compared with what lies there. The only
//! thing that is ever overwritten is an object of which the source holds less: a commit that was stripped, a
//! generation that was superseded, what was destroyed. So that damage in the source does not go on to a good copy, it
//! is verified before anything is written to one: as much of it as is copied.
//!
//! | module | what it holds |
//! |---|---|
//! | `listing` | what lies at a place |
//! | `plan` | what is to be done, and whether the target is an older copy at all |
//! | `merge` | one object against another of the same name |
//! | `transfer` | one object to the target |

mod listing;
mod merge;
mod plan;
mod transfer;

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::Semaphore;

use self::{
    listing::{Listing, Scope},
    plan::{Plan, Step},
    transfer::{Done, Transfer},
};
use super::{Depth, Vault};
use crate::{Backend, Error, Result, log::names::Name};

/// A name, and what is to be done with it.
type Task = (Name, plan::Action);

/// How many objects are under way side by side.
const SIDE_BY_SIDE: usize = 16;

/// How many MiB of objects are in memory at most, but for one that is larger.
const ROOM: usize = 128;

/// So often what was changed in the source meanwhile is fetched after the first pass. The source is verified for each.
const PASSES: usize = 3;

/// What to copy.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CopyOptions {
    /// Only this user, with the header of the vault; everything if none is given.
    pub user: Option<String>,
    /// Whether only to tell what would be done. Both places are read and compared all the same.
    pub dry_run: bool,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Objects that the target did not have.
    pub created: u64,
    /// Objects of the target that held what the source has removed or destroyed since.
    pub overwritten: u64,
    /// Checkpoints of the target that the source does not have any more.
    pub deleted: u64,
    /// Objects that were the same already.
    pub unchanged: u64,
    /// Objects of which the target holds less than the source, and that were left so.
    pub kept: u64,
    /// The size of what was created and overwritten, in bytes.
    pub bytes: u64,
    /// Objects of the source that are not memoseal's, and were left out.
    pub foreign: u64,
    /// Whether the source was still being changed when the last pass ended.
    pub is_behind: bool,
}

impl Vault {
    /// Copies the sealed objects of this vault to `target`: an empty place, or an older copy of the same vault. May be
    /// run again after anything that stopped it, and goes on then. `progress` is told, after each object, how many of
    /// how many were looked at.
    ///
    /// Writers may go on in the source meanwhile. Afterwards only one of the two may be written to: they are the same
    /// vault, and would part.
    ///
    /// # Errors
    /// [`Error::Diverged`] if the target holds what the source never had, [`Error::AlreadyExists`] if it is another
    /// vault, [`Error::Damaged`] if the source is damaged and the target is a vault already: nothing was written then.
    /// [`Error::Unsuitable`] if the target ignores put-if-absent; [`Error::NotFound`] if the user does not exist;
    /// [`Error::Backend`], after which what was copied stays.
    pub async fn copy_to(
        &self,
        target: &Backend,
        options: &CopyOptions,
        mut progress: impl FnMut(u64, u64) + Send,
    ) -> Result<Copied> {
        let scope = Scope::new(self, options.user.as_deref()).await?;
        let room = Semaphore::new(ROOM);
        let transfer = Transfer { vault: self, target, room: &room };
        let mut copied = Copied::default();
        let mut seen = Listing::default();
        for pass in 0..=PASSES {
            let source = Listing::of(self.backend(), self.patience(), &scope).await?;
            copied.foreign = source.foreign;
            let changed = source.changed_since(&seen);
            copied.is_behind = !changed.is_empty();
            if !copied.is_behind || pass == PASSES {
                break;
            }
            let there = Listing::of(target, self.patience(), &scope).await?;
            let total = changed.len() as u64;
            let mut count = 0;
            let plan = Plan::new(&transfer, &source, &there, &changed, &mut || {
                count += 1;
                progress(count, total);
            })
            .await?;
            plan.add_to(&mut copied, options.dry_run);
            if options.dry_run {
                copied.is_behind = false;
                break;
            }
            if plan.len() > 0 && (there.has_header() || plan.takes_something_away()) {
                self.refuse_damage(&scope).await?;
            }
            if pass == 0 {
                transfer.probe().await?;
            }
            let (mut count, total) = (0, plan.len());
            let mut each = |done: Done| {
                copied.add(done);
                count += 1;
                progress(count, total);
            };
            for step in plan.steps(there.has_header()) {
                step.run(&transfer, &mut each).await?;
            }
            seen = source;
        }
        Ok(copied)
    }

    /// Makes sure that nothing is wrong with what is copied, before what it lacks is taken out elsewhere.
    ///
    /// All of it is read for that, and what is new is read again to be copied: whether a log is sound is known at its end, and
    /// nothing may be written before, nor is there room to keep it until then.
    async fn refuse_damage(&self, scope: &Scope) -> Result<()> {
        let inspection = self.inspect_only(scope.user, Depth::Sections, |_, _| {}).await?;
        let mut damage = inspection.findings.iter().filter(|finding| finding.is_damage);
        let Some(first) = damage.next() else { return Ok(()) };
        let more = damage.count();
        let problem = format!(
            "{}: {} (and {more} more): the target was left as it is, and may be the better copy: run `memoseal verify` on \
             both",
            first.place, first.problem
        );
        Err(Error::damaged("the vault to copy from", problem))
    }
}

impl Copied {
    fn add(&mut self, done: Done) {
        match done {
            Done::Created { bytes } => {
                self.created += 1;
                self.bytes += bytes;
            }
            Done::Overwritten { bytes } => {
                self.overwritten += 1;
                self.bytes += bytes;
            }
            Done::Deleted => self.deleted += 1,
            Done::Kept => self.kept += 1,
            Done::Unchanged => self.unchanged += 1,
            Done::Gone => {}
        }
    }
}

impl Step {
    /// Does all of it. One chain after another where their order matters, side by side where it does not.
    async fn run(self, transfer: &Transfer<'_>, each: &mut (dyn FnMut(Done) + Send)) -> Result<()> {
        let chains = stream::iter(self.chains).map(|chain| {
            stream::iter(chain).then(move |(name, action)| async move { transfer.run(&name, action).await }).boxed()
        });
        let mut done = chains.flatten_unordered(SIDE_BY_SIDE);
        while let Some(done) = done.try_next().await? {
            each(done);
        }
        Ok(())
    }
}
