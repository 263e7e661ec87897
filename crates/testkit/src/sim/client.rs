//! The store as one process sees it.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::{StreamExt as _, TryStreamExt as _, future, stream, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, path::Path,
};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use super::{
    Bucket, Weather,
    bucket::{Effect, meta},
    weather::{Fate, Kind, Outcome},
};

/// One process's way to a [`Bucket`]. Clones belong to the same process.
#[derive(Clone)]
pub struct Client {
    bucket: Bucket,
    name: Arc<str>,
    weather: Weather,
    dead: Arc<AtomicBool>,
    storm_until: Arc<Mutex<Option<Instant>>>,
}

impl Client {
    /// A way to `bucket` in this weather.
    pub fn new(bucket: &Bucket, name: impl Into<Arc<str>>, weather: Weather) -> Self {
        let (dead, storm_until) = (Arc::default(), Arc::default());
        Self { bucket: bucket.clone(), name: name.into(), weather, dead, storm_until }
    }

    /// The process is gone: no request is answered any more. Of the writes that were under way some still arrive.
    pub fn kill(&self) {
        self.bucket.say(|| format!("{} dies", self.name));
        self.dead.store(true, Ordering::Relaxed);
    }

    fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Answers, unless the process is dead by now.
    async fn answer<T>(&self, answer: Result<T>) -> Result<T> {
        if self.is_dead() { future::pending().await } else { answer }
    }

    fn fate(&self, kind: Kind, what: &str, path: &Path) -> Fate {
        let now = Instant::now();
        let mut until = self.storm_until.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(length) = self.bucket.with_rng(|rng| self.weather.storm_for(rng)) {
            *until = Some(now + length);
        }
        let in_storm = until.is_some_and(|until| now < until);
        let fate = self.bucket.with_rng(|rng| self.weather.fate(rng, kind, in_storm));
        self.bucket.say(|| {
            let (outcome, to) = (&fate.outcome, fate.to);
            let told = match outcome {
                Outcome::Answered => String::new(),
                other => format!(" -- {other:?}, arrives in {to:?}, told in {:?}", fate.back),
            };
            format!("{} {what} {}{told}", self.name, short(path))
        });
        fate
    }

    async fn read<T>(&self, what: &str, path: &Path, look: impl FnOnce(&Bucket) -> Result<T>) -> Result<T> {
        if self.is_dead() {
            return future::pending().await;
        }
        let fate = self.fate(Kind::Read, what, path);
        pass(fate.to).await;
        if self.is_dead() {
            return future::pending().await;
        }
        let answer = match fate.outcome {
            Outcome::Silent => return future::pending().await,
            Outcome::Lost(fault) | Outcome::AnswerLost(fault) | Outcome::Late(fault) => Err(fault.error(path)),
            Outcome::Answered => look(&self.bucket),
        };
        pass(fate.back).await;
        self.answer(answer).await
    }

    async fn write(&self, what: &'static str, path: &Path, effect: Effect) -> Result<()> {
        if self.is_dead() {
            return future::pending().await;
        }
        let kind = if matches!(effect, Effect::Create(_)) { Kind::Create } else { Kind::Write };
        let Fate { to, back, outcome, survives } = self.fate(kind, what, path);
        if let Outcome::Lost(fault) = outcome {
            pass(to + back).await;
            return self.answer(Err(fault.error(path))).await;
        }
        if to.is_zero() && back.is_zero() && matches!(outcome, Outcome::Answered) {
            return self.bucket.apply(path, effect);
        }
        // It is on its way whether anybody waits for the answer or not.
        let (arrived, arrival) = oneshot::channel();
        let (this, place) = (self.clone(), path.clone());
        tokio::spawn(async move {
            pass(to).await;
            if this.is_dead() && !survives {
                return;
            }
            let done = this.bucket.apply(&place, effect);
            this.bucket.say(|| format!("{} {what} {} arrives: {}", this.name, short(&place), done.is_ok()));
            // Nobody waits any more where the caller gave up.
            let _ = arrived.send(done);
        });
        let answer = match outcome {
            Outcome::Late(fault) => Err(fault.error(path)),
            Outcome::AnswerLost(fault) => {
                let _ = arrival.await;
                Err(fault.error(path))
            }
            _ => match arrival.await {
                Ok(done) => done,
                Err(_) => return future::pending().await,
            },
        };
        pass(back).await;
        self.answer(answer).await
    }
}

async fn pass(time: std::time::Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

/// The end of a name: what tells objects apart.
fn short(path: &Path) -> &str {
    let text = path.as_ref();
    text.get(text.len().saturating_sub(24)..).unwrap_or(text)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({})", self.name)
    }
}

fn unused(what: &'static str) -> Error {
    Error::NotSupported { source: what.into() }
}

#[async_trait]
impl ObjectStore for Client {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let bytes = payload.into();
        let (what, effect) = match opts.mode {
            PutMode::Create => ("create", Effect::Create(bytes)),
            PutMode::Overwrite => ("put", Effect::Overwrite(bytes)),
            PutMode::Update(_) => return Err(unused("a put that depends on a version")),
        };
        self.write(what, location, effect).await?;
        Ok(PutResult { e_tag: None, version: None, extensions: Default::default() })
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        Err(unused("a multipart upload"))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let object =
            self.read(if options.head { "head" } else { "get" }, location, |bucket| bucket.get(location)).await?;
        let meta = meta(location, &object);
        let range = match &options.range {
            None => 0..meta.size,
            Some(range) => {
                range.as_range(meta.size).map_err(|error| Error::Generic { store: "sim", source: Box::new(error) })?
            }
        };
        let at = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let bytes = object.bytes.slice(at(range.start)..at(range.end));
        let payload = GetResultPayload::Stream(stream::once(future::ok::<_, Error>(bytes)).boxed());
        Ok(GetResult { payload, meta, range, attributes: Default::default(), extensions: Default::default() })
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let this = self.clone();
        locations
            .then(move |location| {
                let this = this.clone();
                async move {
                    let location = location?;
                    this.write("delete", &location, Effect::Delete).await.map(|()| location)
                }
            })
            .boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (this, prefix) = (self.clone(), prefix.cloned().unwrap_or_default());
        stream::once(async move {
            let listed = this.read("list", &prefix, |bucket| Ok(bucket.list(&prefix))).await?;
            Ok::<_, Error>(stream::iter(listed.into_iter().map(Ok)))
        })
        .try_flatten()
        .boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let prefix = prefix.cloned().unwrap_or_default();
        let listed = self.read("list", &prefix, |bucket| Ok(bucket.list(&prefix))).await?;
        let mut folders = BTreeSet::new();
        let mut objects = Vec::new();
        for meta in listed {
            let parts: Vec<_> = meta.location.prefix_match(&prefix).into_iter().flatten().collect();
            match parts.as_slice() {
                [] => {}
                [_] => objects.push(meta),
                [folder, ..] => {
                    folders.insert(prefix.clone().join(folder.clone()));
                }
            }
        }
        Ok(ListResult { common_prefixes: folders.into_iter().collect(), objects, extensions: Default::default() })
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(unused("a copy"))
    }
}
