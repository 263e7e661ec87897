//! From a URL to a bucket, a prefix and options.

use std::{borrow::Cow, fmt, time::Duration};

use object_store::path::Path;
use url::Url;

use crate::{Error, settings};

/// The URLs of one backend.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// What they begin with, without the colon.
    pub name: &'static str,
    /// A good one, for errors.
    pub example: &'static str,
    /// The options that may stand in the query, beside those of [`Settings`](crate::Settings). None of them is a secret:
    /// those come from the environment.
    pub options: &'static [&'static str],
}

/// What a URL says: which bucket, where in it, with which options.
pub struct Location {
    bucket: String,
    prefix: Path,
    options: Vec<(&'static str, String)>,
}

/// Without the options, whose values nobody should have to think about before printing them.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Location").field("bucket", &self.bucket).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Location {
    /// Reads `url` as one of `scheme`: `scheme://bucket/prefix?option=value&…`.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] if it has another form, [`Error::Option`] for an option that is unknown or stands there twice,
    /// [`Error::Setting`] for an empty one.
    pub fn parse(url: &Url, scheme: &Scheme) -> Result<Self, Error> {
        let example = scheme.example;
        let bad = |problem: &str, todo| Error::Url { problem: problem.to_owned(), example, todo };
        if url.scheme() != scheme.name {
            return Err(bad(&format!("the scheme {}:", url.scheme()), ""));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("a user name or password", ", and the credentials in the environment"));
        }
        if url.port().is_some() {
            return Err(bad("a port", "?endpoint=https://host:port for a server of your own"));
        }
        if url.fragment().is_some() {
            return Err(bad("a fragment", ""));
        }
        let bucket = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| bad("no bucket", ""))?;
        if !bucket.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.$".contains(&byte)) {
            return Err(bad("a bucket that cannot be one", ""));
        }
        let prefix = Path::from_url_path(url.path().trim_end_matches('/'))
            .map_err(|_| bad("a prefix with empty segments, dots alone, or characters that no key may have", ""))?;

        let known = || scheme.options.iter().chain(&settings::OPTIONS).copied();
        let mut options = Vec::<(&'static str, String)>::new();
        for (name, value) in url.query_pairs() {
            let refused = |problem| Error::Option {
                problem,
                name: shown(&name),
                scheme: scheme.name,
                known: known().collect::<Vec<_>>().join(", "),
            };
            let name = known().find(|known| *known == name).ok_or_else(|| refused("there is no option"))?;
            if options.iter().any(|(other, _)| *other == name) {
                return Err(refused("it has twice the option"));
            }
            if value.is_empty() {
                let todo = "give it a value, or leave it out";
                return Err(Error::Setting { name: name.into(), expected: "allowed to be empty", todo });
            }
            options.push((name, value.into_owned()));
        }
        Ok(Self { bucket: bucket.to_owned(), prefix, options })
    }

    /// The bucket, or container.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The path in it below which the vault lies; may be empty.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The value of an option, if it is there.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    /// An option that is `true` or `false`; false if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if it is something else.
    pub fn flag(&self, name: &str) -> Result<bool, Error> {
        match self.option(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => {
                Err(Error::Setting { name: name.into(), expected: "true or false", todo: "write it in lower case" })
            }
        }
    }

    /// An option that is a time: `500ms`, `10s`, `2min`; from a millisecond to an hour.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if it is something else.
    pub fn time(&self, name: &str) -> Result<Option<Duration>, Error> {
        let Some(value) = self.option(name) else { return Ok(None) };
        let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = value.split_at(digits);
        let unit = match unit {
            "ms" => Some(Duration::from_millis(1)),
            "s" => Some(Duration::from_secs(1)),
            "min" => Some(Duration::from_secs(60)),
            _ => None,
        };
        let time = unit.zip(number.parse().ok()).and_then(|(unit, number)| unit.checked_mul(number));
        let time = time.filter(|time| (Duration::from_millis(1)..=Duration::from_secs(3600)).contains(time));
        let refused = || Error::Setting {
            name: name.into(),
            expected: "a time from 1ms to 60min",
            todo: "write it as 500ms, 10s or 2min",
        };
        time.map(Some).ok_or_else(refused)
    }

    /// An option that says how often: a whole number from 0 to 100.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if it is something else.
    pub fn count(&self, name: &str) -> Result<Option<usize>, Error> {
        let Some(value) = self.option(name) else { return Ok(None) };
        let refused = || Error::Setting {
            name: name.into(),
            expected: "a whole number from 0 to 100",
            todo: "write it in digits",
        };
        value.parse().ok().filter(|number| *number <= 100).map(Some).ok_or_else(refused)
    }

    /// The endpoint in the option `endpoint`, or else in the first of the `variables` that `variable` knows, without a
    /// slash at its end.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if it is not a URL of a server, [`Error::InTheClear`] if it is not encrypted and the option
    /// `allow_http` does not allow that.
    pub fn endpoint(
        &self,
        variables: &[&str],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<String>, Error> {
        let given = self.option("endpoint").map(|value| (Cow::from("endpoint"), value.to_owned()));
        let found = given.or_else(|| {
            let mut known = variables.iter().filter_map(|name| Some((Cow::from(name.to_string()), variable(name)?)));
            known.find(|(_, value)| !value.is_empty())
        });
        let Some((name, value)) = found else { return Ok(None) };
        let refused = || Error::Setting {
            name: name.to_string(),
            expected: "the URL of a server",
            todo: "give one like https://storage.example.com:9000, without user, password, query or fragment",
        };
        let url = Url::parse(&value).map_err(|_| refused())?;
        let plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.has_host();
        match url.scheme() {
            "https" if plain => {}
            "http" if plain && self.flag("allow_http")? => {}
            "http" if plain => return Err(Error::InTheClear { name: name.into_owned() }),
            _ => return Err(refused()),
        }
        Ok(Some(value.trim_end_matches('/').to_owned()))
    }
}

/// The name of an option as it may stand in an error: a secret that was pasted without a name looks like a name.
fn shown(name: &str) -> String {
    let harmless = name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if harmless { name.to_owned() } else { "…".to_owned() }
}
