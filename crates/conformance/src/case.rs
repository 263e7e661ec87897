//! Cases, and the places that they run in.

use std::fmt;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use memoseal_core::Backend;

use crate::Failure;

/// Where cases find room: a backend's way to make places.
#[async_trait]
pub trait Place: Send + Sync {
    /// A new and empty place, one that no other call has given or will give: a new folder, bucket, or prefix.
    ///
    /// The two clients of the backend must lead to the same objects and be clients as different as they are in
    /// production. Cleaning up is left to the implementation.
    ///
    /// # Errors
    ///
    /// The place could not be made. The case then fails with this.
    async fn fresh(&self) -> Result<Backend, Failure>;

    /// Why there is no such place today, and the tests that [`suite!`](crate::suite) makes are to say so and pass; `None`
    /// if there is one. Made for servers that not everybody has; a place that is there runs every case.
    ///
    /// # Errors
    ///
    /// There is none, but has to be.
    fn absent(&self) -> Result<Option<String>, Failure> {
        Ok(None)
    }
}

/// A named case.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Case {
    /// What the case is about: `objects`, ….
    pub group: &'static str,
    /// What it says, as an identifier that is unique within its group.
    pub name: &'static str,
    run: Run,
}

type Run = for<'a> fn(&'a dyn Place) -> BoxFuture<'a, Result<(), Failure>>;

impl Case {
    /// Runs the case in places of its own. It has no time limit, and needs a tokio runtime, since some
    /// cases race tasks against each other.
    ///
    /// # Errors
    ///
    /// What was found to be otherwise than it must be.
    pub async fn run(&self, place: &dyn Place) -> Result<(), Failure> {
        (self.run)(place).await
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Case({self})")
    }
}

/// `group::name`, the name that the test of the case has.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.group, self.name)
    }
}

macro_rules! collect {
    (() $($group:ident { $($name:ident,)* })*) => {
        vec![$($(
            Case {
                group: stringify!($group),
                name: stringify!($name),
                run: |place| Box::pin(crate::$group::$name(place)),
            },
        )*)*]
    };
}

/// All cases, in the order in which it makes sense to read their results.
pub fn cases() -> Vec<Case> {
    crate::__with_cases! { [collect]() }
}

/// Runs the case `name` of `group`.
///
/// # Errors
///
/// Those of [`Case::run`], and that there is no such case.
pub async fn run(group: &str, name: &str, place: &dyn Place) -> Result<(), Failure> {
    match cases().iter().find(|case| (case.group, case.name) == (group, name)) {
        Some(case) => case.run(place).await,
        None => Err(Failure::new(format!("there is no case {group}::{name}"))),
    }
}
