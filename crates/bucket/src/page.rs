//! A page of HTML is no answer of a store.
//!
//! A network that wants a password first, or a proxy with a message for people, answers 200 to everything. The client
//! library would read a page as a listing of nothing: a vault that is there would be told missing, a memory empty.

use std::fmt;

use object_store::client::{HttpError, HttpErrorKind, HttpResponse};

/// Refuses a success that is a page for people.
///
/// # Errors
///
/// [`Page`], of a kind that is not tried again: whoever sits there will say the same.
pub(crate) fn refuse(response: &HttpResponse) -> Result<(), HttpError> {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_page = kind.trim_start().to_ascii_lowercase().starts_with("text/html");
    if is_page && response.status().is_success() {
        return Err(HttpError::new(HttpErrorKind::Decode, Page));
    }
    Ok(())
}

#[derive(Debug)]
struct Page;

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of HTML came instead of the store's answer: something in the network answers in its place")
    }
}

impl std::error::Error for Page {}
