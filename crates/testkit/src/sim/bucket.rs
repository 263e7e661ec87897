//! The objects, and every change to them in order.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, UNIX_EPOCH},
};

use bytes::Bytes;
use object_store::{Error, ObjectMeta, Result, path::Path};
use tokio::time::Instant;

use super::Rng;

/// An object as it lies in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its bytes.
    pub bytes: Bytes,
    /// When it was written, in milliseconds since the Unix epoch.
    pub modified_ms: i64,
}

/// All objects of a bucket, by name.
pub type Objects = BTreeMap<Path, Object>;

/// One change that took effect.
#[derive(Clone, Debug)]
pub struct Landing {
    /// Its place among all events.
    pub event: u64,
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// Which object.
    pub path: Path,
    /// What was written; none for a delete.
    pub bytes: Option<Bytes>,
    /// Whether the object was not there before.
    pub is_new: bool,
}

/// What a write does.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Create(Bytes),
    Overwrite(Bytes),
    Delete,
}

/// A bucket in memory. Clones are the same bucket. It is to be made inside a tokio runtime, whose time is its own.
#[derive(Clone)]
pub struct Bucket {
    inner: Arc<Mutex<Inner>>,
    began: Instant,
    began_ms: i64,
}

struct Inner {
    objects: Objects,
    landings: Vec<Landing>,
    events: u64,
    rng: Rng,
    trace: bool,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("objects", &self.inner().objects.len()).finish()
    }
}

impl Bucket {
    /// A bucket with these objects, at this time of day in milliseconds since the Unix epoch. `rng` decides the fate of
    /// requests.
    pub fn new(objects: Objects, now_ms: i64, rng: Rng) -> Self {
        let inner = Inner { objects, landings: Vec::new(), events: 0, rng, trace: false };
        Self { inner: Arc::new(Mutex::new(inner)), began: Instant::now(), began_ms: now_ms }
    }

    /// Prints every event from now on.
    pub fn trace(&self) {
        self.inner().trace = true;
    }

    /// Prints an event, if that was asked for.
    pub fn say(&self, what: impl FnOnce() -> String) {
        if self.inner().trace {
            let elapsed = self.began.elapsed();
            println!("{:>12.3} {}", elapsed.as_secs_f64(), what());
        }
    }

    /// The number of a new event: larger than those of all before.
    pub fn event(&self) -> u64 {
        let mut inner = self.inner();
        inner.events += 1;
        inner.events
    }

    /// The time of day, in milliseconds since the Unix epoch.
    pub fn now_ms(&self) -> i64 {
        self.began_ms.saturating_add(i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// All objects as they are now.
    pub fn objects(&self) -> Objects {
        self.inner().objects.clone()
    }

    /// Every change so far, in the order in which they took effect.
    pub fn landings(&self) -> Vec<Landing> {
        self.inner().landings.clone()
    }

    /// Puts an object there, at once.
    pub fn put(&self, path: Path, bytes: Bytes) {
        let object = Object { bytes, modified_ms: self.now_ms() };
        self.inner().objects.insert(path, object);
    }

    pub(super) fn with_rng<T>(&self, draw: impl FnOnce(&mut Rng) -> T) -> T {
        draw(&mut self.inner().rng)
    }

    /// Lets a write take effect.
    pub(super) fn apply(&self, path: &Path, effect: Effect) -> Result<()> {
        let at_ms = self.now_ms();
        let event = self.event();
        let mut inner = self.inner();
        let was_there = inner.objects.contains_key(path);
        let bytes = match effect {
            Effect::Create(_) if was_there => {
                return Err(Error::AlreadyExists { path: path.to_string(), source: "412".into() });
            }
            Effect::Delete if !was_there => {
                return Err(Error::NotFound { path: path.to_string(), source: "404".into() });
            }
            Effect::Create(bytes) | Effect::Overwrite(bytes) => {
                inner.objects.insert(path.clone(), Object { bytes: bytes.clone(), modified_ms: at_ms });
                Some(bytes)
            }
            Effect::Delete => {
                inner.objects.remove(path);
                None
            }
        };
        inner.landings.push(Landing { event, at_ms, path: path.clone(), bytes, is_new: !was_there });
        Ok(())
    }

    pub(super) fn get(&self, path: &Path) -> Result<Object> {
        let missing = || Error::NotFound { path: path.to_string(), source: "404".into() };
        self.inner().objects.get(path).cloned().ok_or_else(missing)
    }

    /// Everything below `prefix`, in the order of names.
    pub(super) fn list(&self, prefix: &Path) -> Vec<ObjectMeta> {
        let inner = self.inner();
        let all = inner.objects.range(prefix.clone()..);
        let below = all.take_while(|(path, _)| path.as_ref().starts_with(prefix.as_ref()));
        below.filter(|(path, _)| path.prefix_matches(prefix)).map(|(path, object)| meta(path, object)).collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn meta(path: &Path, object: &Object) -> ObjectMeta {
    let since = Duration::from_millis(u64::try_from(object.modified_ms).unwrap_or(0));
    ObjectMeta {
        location: path.clone(),
        last_modified: (UNIX_EPOCH + since).into(),
        size: object.bytes.len() as u64,
        e_tag: None,
        version: None,
    }
}
