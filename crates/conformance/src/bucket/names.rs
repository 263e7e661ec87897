//! What the name of an object says, as `docs/format.md` has it.

/// The name of an object below the vault's prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A generation of the vault's header.
    Header(u64),
    /// A generation of the keyrings in a folder.
    Keyring(String, u64),
    /// A commit of the log in a folder.
    Commit(String, u64),
    /// A checkpoint beside a commit.
    Checkpoint(String, u64),
    /// None that a vault has.
    Other,
}

impl Name {
    pub(crate) fn of(name: &str) -> Self {
        Self::parse(name).unwrap_or(Self::Other)
    }

    fn parse(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('/').collect();
        match parts.as_slice() {
            ["vault", generation] => Some(Self::Header(number(generation)?)),
            [.., "keyring", generation] => {
                Some(Self::Keyring(name.strip_suffix(generation)?.trim_end_matches('/').into(), number(generation)?))
            }
            ["users", _, "log", _, _, folder, file] => {
                let log = name.strip_suffix(&format!("/{folder}/{file}"))?.to_owned();
                match file.strip_suffix(".checkpoint") {
                    Some(file) => Some(Self::Checkpoint(log, number(&format!("{folder}{file}"))?)),
                    None => Some(Self::Commit(log, number(&format!("{folder}{file}"))?)),
                }
            }
            _ => None,
        }
    }

    pub(crate) fn is_header(&self) -> bool {
        matches!(self, Self::Header(_))
    }

    pub(crate) fn is_keyring(&self) -> bool {
        matches!(self, Self::Keyring(..))
    }

    pub(crate) fn is_checkpoint(&self) -> bool {
        matches!(self, Self::Checkpoint(..))
    }

    /// The number of a commit.
    pub(crate) fn commit(&self) -> Option<u64> {
        match self {
            Self::Commit(_, seq) => Some(*seq),
            _ => None,
        }
    }

    /// What an inspection calls such an object.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Commit(_, seq) => format!("commit {seq}"),
            Self::Checkpoint(_, seq) => format!("checkpoint {seq}"),
            Self::Keyring(..) => "keyring".into(),
            Self::Header(_) | Self::Other => String::new(),
        }
    }
}

fn number(digits: &str) -> Option<u64> {
    if digits.len() != 16 {
        return None;
    }
    u64::from_str_radix(digits, 16).ok().map(|digits| u64::MAX - digits)
}

/// The name of a commit.
pub(crate) fn commit_name(log: &str, seq: u64) -> String {
    let digits = format!("{:016x}", u64::MAX - seq);
    let (folder, file) = digits.split_at(13);
    format!("{log}/{folder}/{file}")
}

/// The name of a header or keyring.
pub(crate) fn generation_name(folder: &str, generation: u64) -> String {
    format!("{folder}/{:016x}", u64::MAX - generation)
}
