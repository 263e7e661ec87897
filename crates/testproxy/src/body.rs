//! Bodies of answers: whole, slow, or cut short.

use std::{convert::Infallible, io, time::Duration};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;

pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

pub(crate) fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never: Infallible| match never {}).boxed_unsync()
}

/// In 16 pieces, with a pause before each.
pub(crate) fn slow(bytes: Bytes, pause: Duration) -> Body {
    let size = bytes.len().div_ceil(16).max(1);
    let pieces: Vec<_> = (0..bytes.len()).step_by(size).map(|at| bytes.slice(at..bytes.len().min(at + size))).collect();
    let pieces = stream::iter(pieces).then(move |piece| async move {
        tokio::time::sleep(pause).await;
        Ok(Frame::data(piece))
    });
    StreamBody::new(pieces).boxed_unsync()
}

/// The first half, and then an error, which closes the connection.
pub(crate) fn cut_short(bytes: &Bytes) -> Body {
    let half = stream::iter([Ok(Frame::data(bytes.slice(..bytes.len() / 2)))]);
    let end = stream::once(async {
        // What was given is sent only when there is nothing more for the moment.
        tokio::task::yield_now().await;
        Err(io::Error::other("cut short, as planned"))
    });
    StreamBody::new(half.chain(end)).boxed_unsync()
}
