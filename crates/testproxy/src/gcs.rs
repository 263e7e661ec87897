//! fake-gcs-server has no XML PUT, which the client sends. What it has, and honours the condition of, is an upload
//! through the JSON API with name and content in one body (`uploadType=multipart`). And it knows no offset in a
//! listing, which it always gives whole.

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

/// The name that a listing is to begin after.
pub(crate) fn offset(uri: &Uri) -> Option<String> {
    let offset = uri.query()?.split('&').find_map(|part| part.strip_prefix("start-after="))?;
    decoded(&offset.replace('+', " "))
}

/// A listing without the names up to the offset.
pub(crate) fn after(listing: &[u8], offset: &str) -> Option<Bytes> {
    const OPEN: &str = "<Contents><Key>";
    const CLOSE: &str = "</Contents>";

    let mut rest = std::str::from_utf8(listing).ok()?;
    let mut kept = String::new();
    while let Some((before, entry)) = rest.split_once(OPEN) {
        kept.push_str(before);
        let (entry, after) = entry.split_once(CLOSE)?;
        if unescaped(entry.split_once("</Key>")?.0).as_str() > offset {
            kept.extend([OPEN, entry, CLOSE]);
        }
        rest = after;
    }
    kept.push_str(rest);
    Some(kept.into())
}

/// The text of an XML element, as a server in Go writes it.
fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
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
    use super::{after, decoded};

    #[test]
    fn listings_begin_after_their_offset() {
        let entry = |name: &str| format!("<Contents><Key>{name}</Key><Size>2</Size></Contents>");
        let [a, b, c] = ["a", "b&amp;", "c"].map(entry);
        let listing = format!("<L><Prefix></Prefix>{a}{b}{c}</L>");
        let kept = |offset| after(listing.as_bytes(), offset).map(|kept| String::from_utf8_lossy(&kept).into_owned());
        assert_eq!(kept("a"), Some(format!("<L><Prefix></Prefix>{b}{c}</L>")));
        assert_eq!(kept("b&"), Some(format!("<L><Prefix></Prefix>{c}</L>")));
    }

    #[test]
    fn names_are_decoded() {
        assert_eq!(decoded("a/b%20c%C3%A9").as_deref(), Some("a/b cé"));
        assert_eq!(decoded("a%2"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
