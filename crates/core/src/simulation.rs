//! Test only, with the feature `simulation`: what a simulation asks of the engine, and the bugs that it has to find.
//!
//! Nothing of this exists in a build without the feature. A bug that is planted is one that somebody could have
//! written; each breaks one rule of the protocol (`docs/architecture.md`).

/// How a simulated process runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulation {
    /// Whether heavy work is done in place and not on another thread, so that a run is a function of its seed.
    pub in_place: bool,
    /// The bug that this process has, if any.
    pub planted: Option<Planted>,
}

/// A bug to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Planted {
    /// A superseded keyring is deleted, so that its name is free for a writer that has stalled.
    FreedNames,
    /// A commit whose fate is unknown is taken for lost, and its commands run again at the next number.
    BlindRetry,
    /// The changes of a commit that lost go out again at the next number, without running the commands again.
    NoRerun,
    /// A create that failed is said to have changed nothing.
    FailedMeansLost,
    /// A create that failed is taken for a success.
    FailedMeansLanded,
    /// A commit that was read back is compared as a whole, stripped or not.
    WholeReadBack,
    /// What was found stripped once is not looked at again, so that a late strip brings back what another removed.
    NoSecondLook,
    /// A checkpoint from before a removal stays.
    LateCheckpoint,
    /// Errors of a group leave before its commit is decided.
    EarlyErrors,
    /// What changes nothing is answered without asking whether the state is current.
    StaleNoOp,
    /// A view is answered without asking whether the state is current.
    StaleView,
    /// A user is destroyed without ending the logs, so that whoever has one open goes on.
    OpenEnd,
    /// The keyring of a user that was destroyed stays under its older generations.
    KeptKeyrings,
}

impl Planted {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::FreedNames,
        Self::BlindRetry,
        Self::NoRerun,
        Self::FailedMeansLost,
        Self::FailedMeansLanded,
        Self::WholeReadBack,
        Self::NoSecondLook,
        Self::LateCheckpoint,
        Self::EarlyErrors,
        Self::StaleNoOp,
        Self::StaleView,
        Self::OpenEnd,
        Self::KeptKeyrings,
    ];
}
