//! Listens, forwards, and does what the rule says.

use std::{
    fmt,
    future::poll_fn,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Response, StatusCode, Uri,
    body::Incoming,
    header,
    http::{request, response, uri::Authority},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

use crate::{
    Book, Fault, Request,
    body::{self, Body},
    gcs,
    request::CONDITIONS,
};

type Rule = Box<dyn FnMut(&Request) -> Option<Fault> + Send>;

/// A proxy that runs until this goes away.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    client: Client<HttpConnector, Full<Bytes>>,
    upstream: Authority,
    translates: bool,
    strips: AtomicBool,
    latency_ms: AtomicU64,
    number: AtomicU64,
    rule: Mutex<Option<Rule>>,
    book: Book,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Proxy {
    /// A proxy on a free port of 127.0.0.1 before the server at `upstream`, an `http:` URL without a path.
    ///
    /// # Errors
    ///
    /// `upstream` is no such URL, or there is no port.
    pub async fn start(upstream: &str) -> io::Result<Self> {
        Self::listen(upstream, 0, false).await
    }

    /// The same before fake-gcs-server, with PUTs translated.
    ///
    /// # Errors
    ///
    /// As of [`start`](Self::start).
    pub async fn start_gcs(upstream: &str) -> io::Result<Self> {
        Self::listen(upstream, 0, true).await
    }

    /// The same on the port `port`; any that is free if it is 0.
    ///
    /// # Errors
    ///
    /// As of [`start`](Self::start).
    pub async fn listen(upstream: &str, port: u16, translates: bool) -> io::Result<Self> {
        let bad = || io::Error::new(io::ErrorKind::InvalidInput, format!("{upstream} is no http://host:port"));
        let uri: Uri = upstream.parse().map_err(|_| bad())?;
        let plain = uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none();
        let upstream = uri.authority().filter(|_| plain).cloned().ok_or_else(bad)?;
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        // fake-gcs-server ends connections when it likes, also under a request that has just been sent.
        let kept = if translates { 0 } else { usize::MAX };
        let shared = Arc::new(Shared {
            client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(kept).build(connector),
            upstream,
            translates,
            strips: AtomicBool::new(false),
            latency_ms: AtomicU64::new(0),
            number: AtomicU64::new(0),
            rule: Mutex::new(None),
            book: Book::default(),
        });
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, task })
    }

    /// What to give to the program instead of the server's URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What went through.
    pub fn book(&self) -> &Book {
        &self.shared.book
    }

    /// From now on `rule` says what goes wrong with each request, in the order in which they come.
    pub fn set_rule(&self, rule: impl FnMut(&Request) -> Option<Fault> + Send + 'static) {
        self.put_rule(Some(Box::new(rule)));
    }

    /// From now on nothing goes wrong.
    pub fn clear_rule(&self) {
        self.put_rule(None);
    }

    fn put_rule(&self, rule: Option<Rule>) {
        *self.shared.rule.lock().unwrap_or_else(PoisonError::into_inner) = rule;
    }

    /// From now on each request waits so long before it is sent on.
    pub fn set_latency(&self, latency: Duration) {
        let ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
        self.shared.latency_ms.store(ms, Ordering::SeqCst);
    }

    /// Whether the header that asks for put-if-absent is taken off, as by a server that does not know it.
    pub fn strip_conditions(&self, strips: bool) {
        self.shared.strips.store(strips, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts until it is aborted; its connections end with it.
async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection(stream, Arc::clone(&shared)))),
                // Out of files, or gone before it was there: the next may be well.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    // Many small answers: none waits for the next packet. A socket that cannot do that only is slower.
    let _ = stream.set_nodelay(true);
    let is_reset = Arc::new(AtomicBool::new(false));
    let service = service_fn(|request| {
        let (shared, is_reset) = (Arc::clone(&shared), Arc::clone(&is_reset));
        Box::pin(async move {
            let answer = handle(&shared, request).await;
            if matches!(answer, Err(Planned::Reset)) {
                is_reset.store(true, Ordering::SeqCst);
            }
            answer
        })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // An error here is the client that went away, or a fault that was planned.
    let _ = poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
    if is_reset.load(Ordering::SeqCst) {
        // Closing it then sends RST and not FIN.
        let _ = connection.into_parts().io.into_inner().set_zero_linger();
    }
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
enum Planned {
    Reset,
    Closed,
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}, as planned")
    }
}

impl std::error::Error for Planned {}

async fn handle(shared: &Arc<Shared>, request: hyper::Request<Incoming>) -> Result<Response<Body>, Planned> {
    let (parts, body) = request.into_parts();
    let number = shared.number.fetch_add(1, Ordering::SeqCst);
    // A request that does not come whole goes nowhere.
    let Ok(body) = body.collect().await else { return Err(Planned::Closed) };
    let body = body.to_bytes();
    let seen = Request::of(&parts.method, &parts.uri, &parts.headers, number);
    let fault = {
        let mut rule = shared.rule.lock().unwrap_or_else(PoisonError::into_inner);
        rule.as_mut().and_then(|rule| rule(&seen))
    };
    let span = shared.book.begin(seen, fault.clone());
    tokio::time::sleep(Duration::from_millis(shared.latency_ms.load(Ordering::SeqCst))).await;
    let answer = answer(shared, fault, parts, body).await;
    shared.book.end(span, answer.as_ref().ok().map(|answer| answer.status().as_u16()));
    answer
}

async fn answer(
    shared: &Arc<Shared>,
    fault: Option<Fault>,
    parts: request::Parts,
    body: Bytes,
) -> Result<Response<Body>, Planned> {
    match fault {
        Some(Fault::Reset) => return Err(Planned::Reset),
        Some(Fault::Status(status, text)) => {
            let kind = if text.starts_with("<html") { "text/html" } else { "application/xml" };
            return Ok(made_up(status, kind, text));
        }
        Some(Fault::Html) => {
            let page = "<!DOCTYPE html><html><body>Please sign in to this network.</body></html>";
            return Ok(made_up(200, "text/html", page));
        }
        Some(Fault::Late(by)) => {
            let shared = Arc::clone(shared);
            // It lands when nobody waits for it any more.
            tokio::spawn(async move {
                tokio::time::sleep(by).await;
                drop(forward(&shared, parts, body).await);
            });
            return Err(Planned::Closed);
        }
        _ => {}
    }
    let (mut parts, bytes) = match forward(shared, parts, body).await {
        Ok(answer) => answer,
        Err(error) => return Ok(made_up(502, "text/plain", &format!("the server behind the proxy: {error:#}"))),
    };
    if parts.status == StatusCode::NO_CONTENT || parts.status == StatusCode::NOT_MODIFIED {
        return Ok(Response::from_parts(parts, body::whole(Bytes::new())));
    }
    // A HEAD is answered with the length of what is not sent; hyper keeps it.
    if !bytes.is_empty() || !parts.headers.contains_key(header::CONTENT_LENGTH) {
        parts.headers.insert(header::CONTENT_LENGTH, bytes.len().into());
    }
    match fault {
        Some(Fault::LoseAnswer) => Err(Planned::Closed),
        Some(Fault::Slow(pause)) => Ok(Response::from_parts(parts, body::slow(bytes, pause))),
        Some(Fault::Truncate) => Ok(Response::from_parts(parts, body::cut_short(&bytes))),
        _ => Ok(Response::from_parts(parts, body::whole(bytes))),
    }
}

fn made_up(status: u16, kind: &'static str, text: &str) -> Response<Body> {
    let mut answer = Response::new(body::whole(Bytes::copy_from_slice(text.as_bytes())));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    answer
}

/// Sends it on, and takes the whole answer.
async fn forward(shared: &Shared, mut parts: request::Parts, body: Bytes) -> anyhow::Result<(response::Parts, Bytes)> {
    if shared.strips.load(Ordering::SeqCst) {
        for name in CONDITIONS {
            parts.headers.remove(name);
        }
    }
    let offset = gcs::offset(&parts.uri).filter(|_| shared.translates);
    let translated = shared.translates && gcs::is_put(&parts.method, &parts.uri);
    let body = match translated {
        true => gcs::upload(&mut parts, &body).ok_or_else(|| anyhow::anyhow!("a PUT that cannot be translated"))?,
        false => body,
    };
    if shared.translates {
        // It tells hosts apart, and knows only its own.
        parts.headers.insert(header::HOST, shared.upstream.as_str().parse()?);
    }
    // The body goes on as one piece.
    for name in [header::TRANSFER_ENCODING, header::CONNECTION, header::EXPECT] {
        parts.headers.remove(name);
    }
    parts.headers.insert(header::CONTENT_LENGTH, body.len().into());
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    parts.uri = Uri::builder().scheme("http").authority(shared.upstream.clone()).path_and_query(target).build()?;
    let answer = shared.client.request(hyper::Request::from_parts(parts, Full::new(body))).await?;
    let (mut parts, body) = answer.into_parts();
    let mut bytes = body.collect().await?.to_bytes();
    for name in [header::TRANSFER_ENCODING, header::CONNECTION] {
        parts.headers.remove(name);
    }
    if let Some(offset) = offset.filter(|_| parts.status.is_success()) {
        bytes = gcs::after(&bytes, &offset).ok_or_else(|| anyhow::anyhow!("a listing that cannot be read"))?;
    }
    if translated {
        gcs::answer(&mut parts.headers, &bytes);
        bytes = Bytes::new();
        parts.headers.insert(header::CONTENT_LENGTH, 0.into());
    }
    Ok((parts, bytes))
}
