//! What was asked, in the words of the three protocols and of memoseal's format.

use hyper::{HeaderMap, Method, Uri};

/// The headers that ask for put-if-absent, of S3 and Azure, and of GCS.
pub(crate) const CONDITIONS: [&str; 2] = ["if-none-match", "x-goog-if-generation-match"];

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Op {
    /// Put-if-absent.
    Create,
    /// A PUT that replaces.
    Put,
    /// A GET of an object.
    Get,
    /// A HEAD.
    Head,
    /// A page of a listing.
    List,
    /// A DELETE, of one object or of many.
    Delete,
    /// Anything else.
    Other,
}

/// What lies under the name that was asked for, as far as the name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A generation of the vault's header.
    Header,
    /// A generation of a user's keyring.
    Keyring,
    /// A commit.
    Commit,
    /// A checkpoint.
    Checkpoint,
    /// A block of history.
    History,
    /// Nothing of the format: a listing, or an object that is not a vault's.
    Other,
}

/// A request as the proxy sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it does.
    pub op: Op,
    /// To what.
    pub kind: Kind,
    /// The path of its URL, with the query of a listing.
    pub name: String,
    /// How many requests came before it.
    pub number: u64,
}

impl Request {
    pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap, number: u64) -> Self {
        let query = uri.query().unwrap_or_default();
        let has = |wanted: &str| query.split('&').any(|part| part == wanted || part.starts_with(&format!("{wanted}=")));
        let op = match *method {
            // A copy or a part of an upload is a PUT too; memoseal sends neither.
            Method::PUT if has("comp") || has("partNumber") || has("restype") => Op::Other,
            Method::PUT if CONDITIONS.iter().any(|name| headers.contains_key(*name)) => Op::Create,
            Method::PUT => Op::Put,
            Method::GET if has("list-type") || query.contains("comp=list") => Op::List,
            Method::GET => Op::Get,
            Method::HEAD => Op::Head,
            Method::DELETE => Op::Delete,
            Method::POST if has("delete") || query.contains("comp=batch") => Op::Delete,
            _ => Op::Other,
        };
        // The client for GCS encodes all but letters and digits.
        let path = uri.path().replace("%2F", "/").replace("%2E", ".").replace("%2D", "-");
        match op {
            Op::List => Self { op, kind: Kind::Other, name: format!("{path}?{query}"), number },
            _ => Self { op, kind: Kind::of(&path), name: path, number },
        }
    }
}

impl Kind {
    fn of(path: &str) -> Self {
        let parts: Vec<_> = path.rsplit('/').collect();
        let hex = |part: &str, len| part.len() == len && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        match parts.as_slice() {
            [generation, "vault", ..] if hex(generation, 16) => Self::Header,
            [generation, "keyring", ..] if hex(generation, 16) => Self::Keyring,
            [block, _, _, "hist", ..] if hex(block, 16) => Self::History,
            [file, folder, _, _, "log", ..] if hex(folder, 13) => match file.strip_suffix(".checkpoint") {
                Some(file) if hex(file, 3) => Self::Checkpoint,
                None if hex(file, 3) => Self::Commit,
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart() {
        let mut headers = HeaderMap::new();
        let of = |method: Method, uri: &str| {
            let request = Request::of(&method, &uri.parse().unwrap(), &headers, 0);
            (request.op, request.kind)
        };
        let log = "/b/p/users/u/log/s/0.0/fffffffffffff/";
        assert_eq!(of(Method::GET, &format!("{log}ffe")), (Op::Get, Kind::Commit));
        assert_eq!(of(Method::PUT, &format!("{log}ffe.checkpoint")), (Op::Put, Kind::Checkpoint));
        assert_eq!(of(Method::GET, "/b/vault/fffffffffffffffe"), (Op::Get, Kind::Header));
        assert_eq!(of(Method::GET, "/b/p%2Fvault%2Ffffffffffffffffe"), (Op::Get, Kind::Header));
        assert_eq!(of(Method::HEAD, "/b/users/u/keyring/fffffffffffffffe"), (Op::Head, Kind::Keyring));
        assert_eq!(of(Method::GET, "/b/users/u/hist/s/0.0/fffffffffffffffe"), (Op::Get, Kind::History));
        assert_eq!(of(Method::GET, "/b?list-type=2&prefix=a"), (Op::List, Kind::Other));
        assert_eq!(of(Method::GET, "/a/b?restype=container&comp=list"), (Op::List, Kind::Other));
        assert_eq!(of(Method::POST, "/b?delete"), (Op::Delete, Kind::Other));
        headers.insert("if-none-match", "*".parse().unwrap());
        let request = Request::of(&Method::PUT, &"/b/clock".parse().unwrap(), &headers, 0);
        assert_eq!((request.op, request.kind), (Op::Create, Kind::Other));
    }
}
