//! fake-gcs-server has no XML PUT, which the client sends. What it has, and honours the condition of, is an upload
//! through the JSON API with name and content in one body (`uploadType=multipart`).

use std::fmt::Write as _;

use bytes::Bytes;
use hyper::{HeaderMap, Method, Uri, header, http::request::Parts};
use serde_json::{Value, json};

const BOUNDARY: &str = "memoseal-testproxy-boundary";

/// Whether this is a PUT of an object that has to be translated.
pub(crate) fn is_put(method: &Method, uri: &Uri) -> bool {
    method == Method::PUT && uri.path().trim_start_matches('/').contains('/')
}

/// The upload that does what the PUT asks for. Nothing if the object's name is no UTF-8.
pub(crate) fn upload(parts: &mut Parts, body: &[u8]) -> Option<Bytes> {
    let (bucket, object) = parts.uri.path().trim_start_matches('/').split_once('/')?;
    let mut target = format!("/upload/storage/v1/b/{bucket}/o?uploadType=multipart");
    if let Some(generation) = parts.headers.get("x-goog-if-generation-match") {
        write!(target, "&ifGenerationMatch={}", generation.to_str().ok()?).ok()?;
    }
    let about = json!({ "name": decoded(object)? });
    let mut upload = format!(
        "--{BOUNDARY}\r\nContent-Type: application/json\r\n\r\n{about}\r\n\
         --{BOUNDARY}\r\nContent-Type: application/octet-stream\r\n\r\n"
    )
    .into_bytes();
    upload.extend_from_slice(body);
    upload.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());

    parts.uri = target.parse().ok()?;
    parts.method = Method::POST;
    let kind = format!("multipart/related; boundary={BOUNDARY}");
    parts.headers.insert(header::CONTENT_TYPE, kind.parse().ok()?);
    Some(upload.into())
}

/// What the XML API would have answered to the PUT with: the same status, generation and ETag as headers, no body.
pub(crate) fn answer(headers: &mut HeaderMap, body: &[u8]) {
    let Ok(about) = serde_json::from_slice::<Value>(body) else { return };
    let text = |name: &str| about.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(generation) = text("generation").and_then(|text| text.parse().ok()) {
        headers.insert("x-goog-generation", generation);
    }
    if let Some(etag) = text("etag").and_then(|text| format!("\"{}\"", text.trim_matches('"')).parse().ok()) {
        headers.insert(header::ETAG, etag);
    }
    headers.remove(header::CONTENT_TYPE);
}

/// A path without its percent-encoding.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn names_are_decoded() {
        assert_eq!(decoded("a/b%20c%C3%A9").as_deref(), Some("a/b cé"));
        assert_eq!(decoded("a%2"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
