//! BEHAVIOUR: what the model reads when storage fails, and that the next call finds out what became of the one before.

use std::{sync::Arc, time::Duration};

use memoseal_core::{Backend, VaultOptions, command::Limits};
use memoseal_testkit::{FaultStore, Op, errors};

use super::{
    input::{create, delete, rename, str_replace, view},
    session::{Answer, Session},
};
use crate::{Failure, Place, check_eq};

const UNREACHABLE: &str = "Error: The memory cannot be reached; nothing was changed. Try again.";

/// A store whose clients fail when they are told to.
struct Failing {
    session: Session,
    creates: FaultStore,
    rest: FaultStore,
}

impl Failing {
    async fn with(place: &dyn Place, files: &[(&str, &str)]) -> Result<Self, Failure> {
        let backend = place.fresh().await?;
        let creates = FaultStore::new(Arc::clone(backend.creates()));
        let rest = FaultStore::new(Arc::clone(backend.rest()));
        let clients = Backend::new(Arc::new(creates.clone()), Arc::new(rest.clone()));
        let clients = clients.with_prefix(backend.prefix().clone());
        let mut options = VaultOptions::default();
        // Long enough for a slow store, short enough to wait for.
        options.patience.create = Duration::from_secs(3);
        let session = Session::over(clients, options, Limits::default()).await?;
        session.make(files).await?;
        Ok(Self { session, creates, rest })
    }

    fn mend(&self) {
        self.creates.clear();
        self.rest.clear();
    }
}

/// Out of reach: an error that says that nothing was changed, and nothing was.
pub(crate) async fn storage_out_of_reach_is_said(place: &dyn Place) -> Result<(), Failure> {
    let failing = Failing::with(place, &[("/memories/a", "1")]).await?;
    failing.rest.on(Op::Get).always().fail_before(errors::connection_reset());
    failing.session.fails(view("/memories"), UNREACHABLE).await?;
    failing.session.fails(view("/memories/a"), UNREACHABLE).await?;
    // That nobody else has deleted `a` since cannot be known either.
    failing.session.fails(create("/memories/a", "2"), UNREACHABLE).await?;
    failing.mend();
    failing.creates.on(Op::PutCreate).always().fail_before(errors::permission_denied());
    for input in [create("/memories/b", "1"), str_replace("/memories/a", "1", "2"), delete("/memories/a")] {
        failing.session.fails(input, UNREACHABLE).await?;
    }
    failing.mend();
    failing.session.text(create("/memories/b", "2")).await?;
    failing.session.ends_with(&[("/memories/a", "1"), ("/memories/b", "2")]).await
}

/// An answer that was lost on the way is looked up: a success, and the change stands once.
pub(crate) async fn a_lost_answer_is_looked_up(place: &dyn Place) -> Result<(), Failure> {
    let failing = Failing::with(place, &[("/memories/a", "1")]).await?;
    failing.creates.on(Op::PutCreate).land_then_fail(errors::timeout());
    failing.session.says(create("/memories/b", "2"), "File created successfully at: /memories/b").await?;
    failing.creates.on(Op::PutCreate).fail_before(errors::unavailable());
    failing.session.says(create("/memories/c", "3"), "File created successfully at: /memories/c").await?;
    failing.session.ends_with(&[("/memories/a", "1"), ("/memories/b", "2"), ("/memories/c", "3")]).await
}

/// An outcome that cannot be found out is said, with the path to look at, whether or not the change landed.
pub(crate) async fn an_unknown_outcome_is_said(place: &dyn Place) -> Result<(), Failure> {
    let unknown =
        |path: &str| format!("Error: It is not known whether this change was saved. View {path} before you try again.");
    let failing = Failing::with(place, &[("/memories/a", "1")]).await?;
    let session = &failing.session;

    failing.rest.on(Op::Get).always().fail_before(errors::unavailable());
    failing.creates.on(Op::PutCreate).always().land_then_fail(errors::timeout());
    let answers = session.turn(&[create("/memories/b", "2"), rename("/memories/a", "/memories/c")]).await?;
    check_eq!(answers, [unknown("/memories/b"), unknown("/memories/c")].map(Answer::Error));
    failing.mend();
    // It did land, which this handle learns now.
    let exists = Answer::Error("Error: File /memories/b already exists".into());
    check_eq!(session.call(&create("/memories/b", "2")).await?, exists);
    session.says(view("/memories/c"), "Here's the content of /memories/c with line numbers:\n     1\t1").await?;

    failing.rest.on(Op::Get).always().fail_before(errors::unavailable());
    failing.creates.on(Op::PutCreate).always().fail_before(errors::timeout());
    session.fails(delete("/memories/b"), &unknown("/memories/b")).await?;
    failing.mend();
    // It did not.
    session.says(delete("/memories/b"), "Successfully deleted /memories/b").await?;
    failing.session.ends_with(&[("/memories/c", "1")]).await
}
