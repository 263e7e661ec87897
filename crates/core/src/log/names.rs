//! The names of objects in the bucket.
//!
//! Everything that has generations is a numbered series: put-if-absent, newest first in a lexicographic listing,
//! because the number is written as 16 hex digits of `u64::MAX - n`. Names of users and stores are keyed hashes.
//!
//! ```text
//! vault/{generation}                                     the vault header
//! clock                                                  overwritten by maintenance, for the time that it then has
//! users/{user}/keyring/{generation}                      a user's keyring
//! users/{user}/hist/{store}/{user life}.{store life}/{block}                      256 sealed headers of commits
//! users/{user}/log/{store}/{user life}.{store life}/{first 13 digits}/{last 3}     a commit
//!                                                     …/{last 3}.checkpoint  the state after it
//! ```

use memoseal_crypto::{NameKey, keyed_name};
use object_store::path::Path;

/// A keyed hash that stands for a user or a store.
pub(crate) type KeyedHash = [u8; 16];

/// The part of a commit's number that names its folder, so that no folder on disk holds more than 4,096 files.
const FOLDER_DIGITS: usize = 13;

/// Where the vault's header lies.
pub(crate) fn headers(vault: &Path) -> Path {
    vault.clone().join("vault")
}

/// One generation of the vault's header.
pub(crate) fn header(vault: &Path, generation: u64) -> Path {
    headers(vault).join(newest_first(generation))
}

/// The object by which the store's own clock is read.
pub(crate) fn clock(vault: &Path) -> Path {
    vault.clone().join("clock")
}

/// Where the users lie.
pub(crate) fn users(vault: &Path) -> Path {
    vault.clone().join("users")
}

/// The keyed hash of a user's name.
pub(crate) fn user_hash(key: &NameKey, user: &str) -> KeyedHash {
    keyed_name(key, "user", &[user.as_bytes()])
}

/// The keyed hash of a store's name; the same name gives another hash for another user.
pub(crate) fn store_hash(key: &NameKey, user: &str, store: &str) -> KeyedHash {
    keyed_name(key, "store", &[user.as_bytes(), store.as_bytes()])
}

/// Where everything of a user lies.
pub(crate) fn user(vault: &Path, user: &KeyedHash) -> Path {
    users(vault).join(hex(user))
}

/// Where everything lies of a vault, or of its header and one user.
pub(crate) fn folders_of(vault: &Path, only: Option<KeyedHash>) -> Vec<Path> {
    match only {
        None => vec![vault.clone()],
        Some(hash) => vec![headers(vault), user(vault, &hash)],
    }
}

/// Where a user's keyrings lie.
pub(crate) fn keyrings(vault: &Path, hash: &KeyedHash) -> Path {
    user(vault, hash).join("keyring")
}

/// One generation of a user's keyring.
pub(crate) fn keyring(vault: &Path, hash: &KeyedHash, generation: u64) -> Path {
    keyrings(vault, hash).join(newest_first(generation))
}

/// Where the logs of a user's stores lie.
pub(crate) fn logs(vault: &Path, hash: &KeyedHash) -> Path {
    user(vault, hash).join("log")
}

/// Where the lives of a store's log lie.
pub(crate) fn lives(vault: &Path, user_hash: &KeyedHash, store: &KeyedHash) -> Path {
    logs(vault, user_hash).join(hex(store))
}

/// Where the lives of the blocks of history of a store lie.
pub(crate) fn history_lives(vault: &Path, user_hash: &KeyedHash, store: &KeyedHash) -> Path {
    histories(vault, user_hash).join(hex(store))
}

/// Where the commits of one life of a store lie.
pub(crate) fn log(lives: &Path, user_life: u64, store_life: u64) -> Path {
    lives.clone().join(format!("{}.{}", newest_first(user_life), newest_first(store_life)))
}

/// One commit.
pub(crate) fn commit(log: &Path, seq: u64) -> Path {
    let number = newest_first(seq);
    let (folder, file) = number.split_at(FOLDER_DIGITS);
    log.clone().join(folder).join(file)
}

/// The checkpoint of the state after commit `seq`: right behind it in a listing.
pub(crate) fn checkpoint(log: &Path, seq: u64) -> Path {
    Path::from(format!("{}{CHECKPOINT}", commit(log, seq)))
}

/// Where the blocks of history of the log at `log` lie: beside it, so that they are on no page of its listing.
pub(crate) fn history(log: &Path) -> Path {
    let parts: Vec<_> = log.parts().collect();
    let at = parts.len().saturating_sub(LOG_PARTS);
    let part = |(n, part)| if n == at { HISTORY.into() } else { part };
    parts.into_iter().enumerate().map(part).collect()
}

/// Where the blocks of history of all logs of a user lie.
pub(crate) fn histories(vault: &Path, hash: &KeyedHash) -> Path {
    user(vault, hash).join(HISTORY)
}

/// `log`, the store, its lives: the last parts of where a log lies.
const LOG_PARTS: usize = 3;
const HISTORY: &str = "hist";

/// One block of history.
pub(crate) fn block(history: &Path, number: u64) -> Path {
    generation(history, number)
}

/// What a listing of a user says about one block of history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockName {
    pub(crate) store: KeyedHash,
    pub(crate) user_life: u64,
    pub(crate) store_life: u64,
    pub(crate) number: u64,
}

/// Reads the name of a block of history of a user, or nothing if the object is none.
pub(crate) fn parse_block(vault: &Path, user_hash: &KeyedHash, found: &Path) -> Option<BlockName> {
    let parts: Vec<_> = found.prefix_match(&user(vault, user_hash).join(HISTORY))?.collect();
    let [store, lives, number] = parts.as_slice() else { return None };
    let (user_life, store_life) = lives.as_ref().split_once('.')?;
    Some(BlockName {
        store: parse_hash(store.as_ref())?,
        user_life: parse_newest_first(user_life)?,
        store_life: parse_newest_first(store_life)?,
        number: parse_newest_first(number.as_ref())?,
    })
}

const CHECKPOINT: &str = ".checkpoint";

/// What a listing below [`lives`] says about one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogName {
    pub(crate) user_life: u64,
    pub(crate) store_life: u64,
    pub(crate) seq: u64,
    pub(crate) is_checkpoint: bool,
}

/// Reads the name of a commit or checkpoint, or nothing if the object is neither.
pub(crate) fn parse_log(lives: &Path, found: &Path) -> Option<LogName> {
    let parts: Vec<_> = found.prefix_match(lives)?.collect();
    let [life, folder, file] = parts.as_slice() else { return None };
    let (user_life, store_life) = life.as_ref().split_once('.')?;
    if folder.as_ref().len() != FOLDER_DIGITS {
        return None;
    }
    let (file, is_checkpoint) = match file.as_ref().strip_suffix(CHECKPOINT) {
        Some(file) => (file.to_owned(), true),
        None => (file.as_ref().to_owned(), false),
    };
    Some(LogName {
        user_life: parse_newest_first(user_life)?,
        store_life: parse_newest_first(store_life)?,
        seq: parse_newest_first(&format!("{}{file}", folder.as_ref()))?,
        is_checkpoint,
    })
}

/// Any object of a vault, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// A generation of the vault's header.
    Header(u64),
    /// The object by which the store's own clock is read.
    Clock,
    /// A generation of a user's keyring.
    Keyring { user: KeyedHash, generation: u64 },
    /// A commit or a checkpoint of a user's store.
    Log { user: KeyedHash, store: KeyedHash, name: LogName },
    /// A block of history of a user's store.
    Block { user: KeyedHash, name: BlockName },
}

impl Name {
    /// What lies at `found`, or nothing if memoseal writes no such name.
    pub(crate) fn parse(vault: &Path, found: &Path) -> Option<Self> {
        if let Some(generation) = parse_generation(&headers(vault), found) {
            return Some(Self::Header(generation));
        }
        if *found == clock(vault) {
            return Some(Self::Clock);
        }
        let parts: Vec<_> = found.prefix_match(&users(vault))?.collect();
        let user = parse_hash(parts.first()?.as_ref())?;
        if let Some(generation) = parse_generation(&keyrings(vault, &user), found) {
            return Some(Self::Keyring { user, generation });
        }
        if let Some(name) = parse_block(vault, &user, found) {
            return Some(Self::Block { user, name });
        }
        let store = parse_hash(parts.get(2)?.as_ref())?;
        let name = parse_log(&lives(vault, &user, &store), found)?;
        Some(Self::Log { user, store, name })
    }

    /// Where it lies in the vault at `vault`.
    pub(crate) fn path(&self, vault: &Path) -> Path {
        match self {
            Self::Header(generation) => header(vault, *generation),
            Self::Clock => clock(vault),
            Self::Keyring { user, generation } => keyring(vault, user, *generation),
            Self::Log { user, store, name } => {
                let log = log(&lives(vault, user, store), name.user_life, name.store_life);
                if name.is_checkpoint { checkpoint(&log, name.seq) } else { commit(&log, name.seq) }
            }
            Self::Block { user, name } => {
                let log = log(&lives(vault, user, &name.store), name.user_life, name.store_life);
                block(&history(&log), name.number)
            }
        }
    }
}

/// Reads the lives of the user and of the store from the name of the folder in which one life of a log lies.
pub(crate) fn parse_lives(folder: &Path) -> Option<(u64, u64)> {
    let (user_life, store_life) = folder.filename()?.split_once('.')?;
    Some((parse_newest_first(user_life)?, parse_newest_first(store_life)?))
}

/// One generation of the series in `folder`.
pub(crate) fn generation(folder: &Path, number: u64) -> Path {
    folder.clone().join(newest_first(number))
}

/// Reads the number of an object of the series in `folder`.
pub(crate) fn parse_generation(folder: &Path, found: &Path) -> Option<u64> {
    let mut parts = found.prefix_match(folder)?;
    let number = parse_newest_first(parts.next()?.as_ref())?;
    parts.next().is_none().then_some(number)
}

/// Reads a keyed hash as it stands in a name.
pub(crate) fn parse_hash(text: &str) -> Option<KeyedHash> {
    (text.len() == 32 && is_lowercase_hex(text))
        .then(|| u128::from_str_radix(text, 16).ok())
        .flatten()
        .map(u128::to_be_bytes)
}

fn newest_first(n: u64) -> String {
    format!("{:016x}", u64::MAX - n)
}

/// Numbers begin at 1: no series has a 0.
fn parse_newest_first(text: &str) -> Option<u64> {
    if text.len() != 16 || !is_lowercase_hex(text) {
        return None;
    }
    u64::from_str_radix(text, 16).ok().map(|n| u64::MAX - n).filter(|n| *n > 0)
}

fn is_lowercase_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn hex(hash: &KeyedHash) -> String {
    format!("{:032x}", u128::from_be_bytes(*hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_commits_sort_before_older_ones_and_newer_lives_before_all_of_an_older() {
        let lives = Path::from("users/u/log/s");
        let numbers = [(1, 1, 1), (1, 1, 2), (1, 1, 4095), (1, 1, 4096), (1, 1, u64::MAX), (1, 2, 1), (2, 1, 7)];
        let names: Vec<_> =
            numbers.iter().map(|(user, store, seq)| commit(&log(&lives, *user, *store), *seq)).collect();
        assert!(names.windows(2).all(|pair| pair[1] < pair[0]), "{names:?}");
        for ((user_life, store_life, seq), name) in numbers.into_iter().zip(&names) {
            let name_of = |is_checkpoint| Some(LogName { user_life, store_life, seq, is_checkpoint });
            assert_eq!(parse_log(&lives, name), name_of(false));
            let beside = checkpoint(&log(&lives, user_life, store_life), seq);
            assert_eq!(parse_log(&lives, &beside), name_of(true));
            assert!(*name < beside);
        }
    }

    #[test]
    fn blocks_of_history_lie_beside_the_log_whatever_the_vaults_prefix_is() {
        for prefix in ["", "log", "a/log/b"] {
            let vault = Path::from(prefix);
            let (alice, store) = ([1; 16], [2; 16]);
            let log = log(&lives(&vault, &alice, &store), 3, 4);
            let block = block(&history(&log), 5);
            let name = BlockName { store, user_life: 3, store_life: 4, number: 5 };
            assert_eq!(parse_block(&vault, &alice, &block), Some(name));
            assert_eq!(parse_block(&vault, &store, &block), None, "another user's");
            assert_eq!(parse_log(&lives(&vault, &alice, &store), &block), None);
            assert!(block.as_ref().contains("/hist/") || block.as_ref().starts_with("hist"));
            assert_eq!(parse_block(&vault, &alice, &block.join("x")), None);
        }
    }

    #[test]
    fn a_name_says_where_it_lies_and_the_place_says_which_name_it_is() {
        let (user, store) = ([1; 16], [2; 16]);
        let log = |is_checkpoint| LogName { user_life: 3, store_life: 4, seq: 5000, is_checkpoint };
        let names = [
            Name::Header(7),
            Name::Clock,
            Name::Keyring { user, generation: 2 },
            Name::Log { user, store, name: log(false) },
            Name::Log { user, store, name: log(true) },
            Name::Block { user, name: BlockName { store, user_life: 3, store_life: 4, number: 9 } },
        ];
        for prefix in ["", "vault", "users/hist/log"] {
            let vault = Path::from(prefix);
            for name in names {
                assert_eq!(Name::parse(&vault, &name.path(&vault)), Some(name));
                assert_eq!(Name::parse(&vault, &name.path(&vault).join("x")), None);
            }
        }
    }

    #[test]
    fn other_names_are_neither_commits_nor_checkpoints() {
        let lives = Path::from("users/u/log/s");
        let life = "fffffffffffffffe.fffffffffffffffe";
        for name in [
            format!("{life}/ffffffffffff/ffff"),
            format!("{life}/fffffffffffff/FFE"),
            format!("{life}/fffffffffffff/fff"),
            format!("{life}/fffffffffffff/ffe.checkpoint.checkpoint"),
            "fffffffffffffffe/fffffffffffff/ffe".to_owned(),
            format!("{life}/fffffffffffff"),
        ] {
            assert_eq!(parse_log(&lives, &Path::from(format!("{lives}/{name}"))), None, "{name}");
        }
    }
}
