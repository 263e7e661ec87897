//! Checks that return instead of panicking.

use std::{
    error::Error,
    fmt::{self, Debug},
    panic::Location,
};

/// Why a case failed: what was found, and where in the suite.
///
/// Any `std::error::Error` becomes one by `?`, with the place of the `?`. For that reason it is not one itself.
pub struct Failure {
    message: String,
    location: &'static Location<'static>,
}

impl Failure {
    /// A failure at the place of this call.
    #[track_caller]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), location: Location::caller() }
    }

    /// The same, told of `what`.
    pub(crate) fn about(self, what: impl fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// What was found.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in the suite.
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }
}

impl<E: Error + 'static> From<E> for Failure {
    #[track_caller]
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// The message and the place, in one line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {}:{})", self.message, self.location.file(), self.location.line())
    }
}

/// As `Display`, since this is what a test shows that returns it.
impl Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns a [`Failure`] from the function unless the condition holds: `check!(condition)` or
/// `check!(condition, "what is wrong: {}", …)`.
#[macro_export]
macro_rules! check {
    ($condition:expr $(,)?) => {
        if !$condition {
            return Err($crate::untrue(stringify!($condition)));
        }
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::Failure::new(format!($($message)+)));
        }
    };
}

/// Returns a [`Failure`] from the function unless both sides are equal: `check_eq!(found, expected)` or
/// `check_eq!(found, expected, "of what: {}", …)`.
#[macro_export]
macro_rules! check_eq {
    ($found:expr, $expected:expr $(,)?) => {
        $crate::check_eq!($found, $expected, "{}", stringify!($found))
    };
    ($found:expr, $expected:expr, $($message:tt)+) => {
        match (&$found, &$expected) {
            (found, expected) => {
                if !(*found == *expected) {
                    return Err($crate::unequal(&format!($($message)+), found, expected));
                }
            }
        }
    };
}

/// For [`check!`].
#[doc(hidden)]
#[track_caller]
pub fn untrue(condition: &str) -> Failure {
    Failure::new(format!("does not hold: {condition}"))
}

/// For [`check_eq!`].
#[doc(hidden)]
#[track_caller]
pub fn unequal(what: &str, found: &dyn Debug, expected: &dyn Debug) -> Failure {
    Failure::new(format!("{what}: found {}, expected {}", short(found), short(expected)))
}

/// How many characters of a value a failure shows.
const SHOWN: usize = 300;

fn short(value: &dyn Debug) -> String {
    let mut text = format!("{value:?}");
    if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(cut);
        text.push('…');
    }
    text
}
