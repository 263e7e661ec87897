//! What a folder's system knows of it, for who looks whether it can hold a vault.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use memoseal_doctor::{Check, Permissions, Provider};
use object_store::path::Path as Location;

/// A folder, for who looks whether it can hold a vault.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A vault of some thousand memories has this much, with room to write it anew.
const LITTLE: u64 = 1024 * 1024 * 1024;

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Whether a file can be made durable.
    fn fsync(&self) -> Check {
        const NAME: &str = "fsync";
        let name = self.path.join(format!("memoseal-doctor-{}.tmp", std::process::id()));
        let written = File::create_new(&name).and_then(|mut file| {
            file.write_all(b"memoseal doctor")?;
            file.sync_all()?;
            File::open(&self.path)?.sync_all()
        });
        let removed = match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        match written.and(removed) {
            Ok(()) => Check::good(NAME, "files and folders can be synced"),
            Err(error) => Check::danger(
                NAME,
                format!("a file cannot be written and synced here: {error}"),
                "make the folder writable, or keep the vault on a disk that can sync",
            ),
        }
    }

    fn case(&self) -> Check {
        const NAME: &str = "case of names";
        let small = self.path.join(format!("memoseal-doctor-{}-case.tmp", std::process::id()));
        let large = self.path.join(format!("MEMOSEAL-DOCTOR-{}-CASE.TMP", std::process::id()));
        let found = File::create_new(&small).and_then(|_| {
            let is_same = large.try_exists();
            fs::remove_file(&small)?;
            is_same
        });
        match found {
            Ok(false) => Check::good(NAME, "told apart"),
            Ok(true) => Check::good(NAME, "not told apart, which a vault's own names do not need"),
            Err(error) => {
                Check::not_checked(NAME, format!("no file can be made here: {error}"), "make the folder writable")
            }
        }
    }
}

#[async_trait]
impl Provider for Folder {
    fn permissions(&self) -> Permissions {
        Permissions::new(
            "writing in the folder",
            "reading in the folder",
            "listing of the folder",
            "writing in the folder",
        )
    }

    async fn reach(&self) -> Vec<Check> {
        vec![Check::good("reachable", format!("the folder {}", self.path.display())), access(&self.path)]
    }

    async fn settings(&self) -> Vec<Check> {
        vec![self.fsync(), system::kind(&self.path), self.case(), system::space(&self.path)]
    }

    fn tidy(&self, prefix: &Location) -> io::Result<()> {
        let mut path = self.path.clone();
        path.extend(prefix.parts().map(|part| part.as_ref().to_owned()));
        remove_empty(&path)?;
        // Others may be at work in the one above.
        match path.parent().map(fs::remove_dir) {
            Some(Err(error)) if !is_harmless(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

fn is_harmless(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty)
}

/// Removes empty folders below this one, and it if it is one then.
fn remove_empty(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty(&entry.path())?;
        }
    }
    match fs::remove_dir(folder) {
        Err(error) if !is_harmless(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Who may do what with the folder.
#[cfg(unix)]
fn access(folder: &Path) -> Check {
    use std::os::unix::fs::PermissionsExt;

    const NAME: &str = "access";
    let mode = match fs::metadata(folder) {
        Ok(found) => found.permissions().mode() & 0o7777,
        Err(error) => return Check::not_checked(NAME, format!("cannot look: {error}"), "make the folder readable"),
    };
    let is_sticky = mode & 0o1000 != 0;
    let todo = format!("chmod go-w {}", folder.display());
    match mode {
        mode if mode & 0o002 != 0 && !is_sticky => {
            Check::danger(NAME, format!("everybody on this machine may delete what lies here (mode {mode:04o})"), todo)
        }
        mode if mode & 0o022 != 0 => Check::warning(NAME, format!("others may write here (mode {mode:04o})"), todo),
        mode => Check::good(NAME, format!("nobody else may write (mode {mode:04o})")),
    }
}

#[cfg(not(unix))]
fn access(_: &Path) -> Check {
    Check::not_checked("access", "this system's permissions are not looked at", "let nobody else write to the folder")
}

#[cfg(unix)]
mod system {
    use std::path::Path;

    use memoseal_doctor::Check;

    /// Room, and files that may still be made.
    pub(super) fn space(folder: &Path) -> Check {
        match rustix::fs::statvfs(folder) {
            Ok(found) => super::space(found.f_bavail.saturating_mul(found.f_frsize), found.f_files, found.f_favail),
            Err(error) => Check::not_checked("free space", format!("the system does not say: {error}"), "see `df`"),
        }
    }

    /// Whether the disk is in this machine.
    #[cfg(target_os = "linux")]
    pub(super) fn kind(folder: &Path) -> Check {
        match rustix::fs::statfs(folder) {
            // Its type is signed on some machines and not on others; the numbers are 32 bits wide.
            Ok(found) => super::kind(found.f_type as u32),
            Err(error) => Check::not_checked("file system", format!("the system does not say: {error}"), "see `df -T`"),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn kind(_: &Path) -> Check {
        Check::not_checked("file system", "its kind is only known on Linux", "keep vaults off network drives")
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;

    use memoseal_doctor::Check;

    pub(super) fn space(_: &Path) -> Check {
        Check::not_checked("free space", "only known on Unix", "look at the disk's properties")
    }

    pub(super) fn kind(_: &Path) -> Check {
        Check::not_checked("file system", "its kind is only known on Linux", "keep vaults off network drives")
    }
}

/// What so much room means.
#[cfg(unix)]
fn space(bytes: u64, files: u64, files_left: u64) -> Check {
    const NAME: &str = "free space";
    let gib = bytes as f64 / (1024.0 * 1024.0 * 1024.0);
    let found = format!("{gib:.1} GiB");
    // Some file systems have no number of files.
    if files > 0 && files_left < 100_000 {
        return Check::warning(NAME, format!("{found}, and {files_left} files"), "free inodes: a commit is a file");
    }
    match bytes {
        bytes if bytes < LITTLE / 16 => Check::danger(NAME, found, "free some space before it runs out"),
        bytes if bytes < LITTLE => Check::warning(NAME, found, "free some space before it runs out"),
        _ => Check::good(NAME, found),
    }
}

/// What a file system's number means, as statfs(2) lists them.
#[cfg(target_os = "linux")]
fn kind(number: u32) -> Check {
    const NAME: &str = "file system";
    let network = match number {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9p"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        0x6573_5546 => Some("FUSE, behind which anything may lie"),
        _ => None,
    };
    match (network, number) {
        (Some(name), _) => Check::warning(
            NAME,
            format!(
                "a network file system ({name}): creating a file once, and syncing it, hold as far as its server keeps to that"
            ),
            "keep the vault on a disk of this machine, or in a bucket",
        ),
        (None, 0x0102_1994 | 0x8584_58f6) => {
            Check::danger(NAME, "it lies in memory: it is gone after a restart", "keep the vault on a disk")
        }
        (None, 0x794c_7630) => Check::warning(
            NAME,
            "the layer of a container (overlayfs): it goes with the container, unless it is kept on purpose",
            "keep the vault on a volume",
        ),
        // ext2 to 4, XFS, Btrfs, ZFS, F2FS, bcachefs, JFS.
        (None, 0xef53 | 0x5846_5342 | 0x9123_683e | 0x2fc1_2fc1 | 0xf2f5_2010 | 0xca45_1a4e | 0x3153_464a) => {
            Check::good(NAME, "a disk of this machine")
        }
        (None, other) => Check::not_checked(
            NAME,
            format!("a kind that is not known here ({other:#x})"),
            "make sure that it is a disk of this machine; `df -T` names it",
        ),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use memoseal_doctor::Grade;

    use super::*;

    #[test]
    fn file_systems_over_a_network_or_in_memory_are_told() {
        for (number, grade, part) in [
            (0xef53, Grade::Good, "a disk of this machine"),
            (0x9123_683e, Grade::Good, "a disk of this machine"),
            (0x6969, Grade::Warning, "NFS"),
            (0xff53_4d42, Grade::Warning, "SMB"),
            (0x6573_5546, Grade::Warning, "FUSE"),
            (0x0102_1994, Grade::Danger, "in memory"),
        ] {
            let check = kind(number);
            assert!(check.grade == grade && check.found.contains(part), "{number:x}: {check}");
        }
    }

    #[test]
    fn little_room_is_told() {
        const GIB: u64 = 1024 * 1024 * 1024;
        for (bytes, files, left, grade) in [
            (20 * GIB, 1_000_000, 900_000, Grade::Good),
            (20 * GIB, 0, 0, Grade::Good),
            (GIB / 2, 1_000_000, 900_000, Grade::Warning),
            (1024, 1_000_000, 900_000, Grade::Danger),
            (20 * GIB, 1_000_000, 5, Grade::Warning),
        ] {
            assert_eq!(space(bytes, files, left).grade, grade, "{bytes} {files} {left}");
        }
    }
}
