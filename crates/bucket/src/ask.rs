//! Questions to a provider's own API, which `object_store` does not ask: one request, one answer.

use futures_util::TryStreamExt;
use object_store::client::{HttpClient, HttpRequest};

use crate::Element;

/// The largest answer that is read, in bytes.
const MOST: usize = 1024 * 1024;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// Sends a request, signed already, and reads the answer.
    ///
    /// # Errors
    ///
    /// Why there was none, in words.
    pub async fn to(client: &HttpClient, request: HttpRequest) -> Result<Self, String> {
        let failed = |error: object_store::client::HttpError| chain(&error);
        let (parts, body) = client.execute(request).await.map_err(failed)?.into_parts();
        let mut stream = body.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = stream.try_next().await.map_err(failed)? {
            if body.len() + piece.len() > MOST {
                return Err("an answer of more than 1 MiB".to_owned());
            }
            body.extend_from_slice(&piece);
        }
        let headers = parts
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        Ok(Self { status: parts.status.as_u16(), headers: headers.collect(), body })
    }

    /// An answer of a test's own.
    pub fn of(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    /// It with a header more, by its name in lower case.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The status code.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// What it says.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// What it says, as XML.
    pub fn xml(&self) -> Option<Element> {
        Element::parse(&self.body)
    }

    /// The code of an error in XML, as S3 and Azure write it.
    pub fn code(&self) -> Option<String> {
        let root = self.xml()?;
        let error = if root.name() == "ErrorResponse" { root.child("Error")?.clone() } else { root };
        error.at(&["Code"]).map(str::to_owned)
    }
}

/// An error with what lies under it, in one line.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        // Some repeat what they wrap.
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        next = error.source();
    }
    text.replace('\n', " ")
}
