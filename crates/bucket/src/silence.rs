//! A limit on how long a server may be silent.
//!
//! The HTTP library has two limits. That on the whole request would cut off a large answer that is still coming; that
//! on reading begins before the body of a request is sent, so that a slow line could never send a large one. This one
//! counts from when the body should have been sent, and again from each piece of the answer.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
        ReqwestConnector,
    },
};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::{Settings, page};

/// The slowest line that a body is thought to go through: half a megabit a second.
const BYTES_A_SECOND: usize = 64 * 1024;

impl Settings {
    /// What makes the HTTP client, with the limit on silence, and without pages for people.
    pub fn connector(&self) -> impl HttpConnector + use<> {
        Connector { limit: self.timeout }
    }
}

#[derive(Debug)]
struct Connector {
    limit: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Limited { client, limit: self.limit }))
    }
}

#[derive(Debug)]
struct Limited {
    client: HttpClient,
    limit: Duration,
}

#[async_trait]
impl HttpService for Limited {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let sending = (request.body().content_length() / BYTES_A_SECOND) as u64;
        let limit = self.limit.saturating_add(Duration::from_secs(sending));
        // Given up, the request takes its connection along: the next attempt has another.
        let response = timeout(limit, self.client.execute(request)).await.map_err(|_| silence(limit))??;
        page::refuse(&response)?;
        let (parts, body) = response.into_parts();
        let watched = Watched { body, limit: self.limit, end: Box::pin(sleep(self.limit)) };
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(watched)))
    }
}

/// The body of an answer, as long as pieces of it come.
struct Watched {
    body: HttpResponseBody,
    limit: Duration,
    end: Pin<Box<Sleep>>,
}

impl Body for Watched {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            let end = Instant::now() + self.limit;
            self.end.as_mut().reset(end);
            return Poll::Ready(frame);
        }
        self.end.as_mut().poll(context).map(|()| Some(Err(silence(self.limit))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Debug)]
struct Silence(Duration);

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server was silent for {:?} (the option `timeout` sets how long it may be)", self.0)
    }
}

impl std::error::Error for Silence {}

fn silence(limit: Duration) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, Silence(limit))
}
