//! Ctrl-C: before anything was begun it ends the program; after that what was begun is brought to an end, and told.
//! A second one ends it at once.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::watch;

use crate::exit;

/// Whether somebody has pressed Ctrl-C, and what then. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Whether something was begun that has to come to an end. Locked while the program is ended from beside.
    has_begun: Mutex<bool>,
    is_stopped: watch::Sender<bool>,
}

impl Default for Interrupt {
    fn default() -> Self {
        Self(Arc::new(Inner { has_begun: Mutex::new(false), is_stopped: watch::Sender::new(false) }))
    }
}

/// Ctrl-C was pressed: what was done until then, and what to do.
#[derive(Debug)]
pub(crate) struct Stopped(pub(crate) String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped by Ctrl-C: {}", self.0)
    }
}

impl std::error::Error for Stopped {}

impl Interrupt {
    /// Listens from now on, on a thread of its own: neither what blocks nor the end of the runtime keeps Ctrl-C away.
    pub(crate) fn listen(&self, as_json: bool) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let signal = runtime.block_on(async { listener() })?;
        let interrupt = self.clone();
        std::thread::Builder::new().name("ctrl-c".into()).spawn(move || {
            runtime.block_on(interrupt.serve(signal, as_json));
        })?;
        Ok(())
    }

    async fn serve(&self, mut signal: Signal, as_json: bool) {
        signal.next().await;
        {
            let has_begun = self.has_begun();
            if !*has_begun {
                exit::end_at_once("stopped by Ctrl-C: nothing was changed", as_json);
            }
            let stop = || _ = self.0.is_stopped.send_replace(true);
            exit::tell_after(stop, "stopping: what was begun is finished; Ctrl-C again ends it at once", as_json);
        }
        signal.next().await;
        exit::end_at_once("stopped at once by Ctrl-C: look at what is there before you try again", as_json);
    }

    fn has_begun(&self) -> MutexGuard<'_, bool> {
        self.0.has_begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on Ctrl-C does not end the program, but asks it to stop: something is begun.
    pub(crate) fn begin(&self) {
        *self.has_begun() = true;
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.0.is_stopped.borrow()
    }

    /// Waits until Ctrl-C is pressed.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as this handle.
        let _ = self.0.is_stopped.subscribe().wait_for(|stopped| *stopped).await;
    }

    /// Begins `work`, and lets go of it when Ctrl-C is pressed: nothing comes of it then. Only for what may be left at
    /// any moment.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.begin();
        tokio::select! {
            biased;
            () = self.stopped() => None,
            done = work => Some(done),
        }
    }
}

#[cfg(unix)]
struct Signal(tokio::signal::unix::Signal);
#[cfg(unix)]
fn listener() -> std::io::Result<Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).map(Signal)
}

#[cfg(windows)]
struct Signal(tokio::signal::windows::CtrlC);
#[cfg(windows)]
fn listener() -> std::io::Result<Signal> {
    tokio::signal::windows::ctrl_c().map(Signal)
}

impl Signal {
    async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            // No signal will ever come.
            std::future::pending::<()>().await;
        }
    }
}

/// How far a work has come that somebody else does, so that it can be told when that is let go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter(Arc<(AtomicU64, AtomicU64)>);

impl Counter {
    pub(crate) fn set(&self, done: u64, total: u64) {
        self.0.0.store(done, Ordering::Relaxed);
        self.0.1.store(total, Ordering::Relaxed);
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed)) {
            (done, 0) => write!(f, "{done}"),
            (done, total) => write!(f, "{done} of {total}"),
        }
    }
}
