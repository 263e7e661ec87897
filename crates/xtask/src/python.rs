//! A virtual environment under the target folder that holds the official SDK and what else the Python tests need.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};

use crate::{place::Place, tool::Tool};

const REQUIREMENTS: &str = "tests/python/requirements.txt";

/// The oldest Python that the pinned packages run on.
const OLDEST: (u32, u32) = (3, 11);

/// The interpreter of the environment, which is made where it is missing or holds something else.
pub(crate) fn venv(place: &Place) -> anyhow::Result<PathBuf> {
    let folder = place.scratch().join("python-venv");
    let python = if cfg!(windows) { folder.join("Scripts/python.exe") } else { folder.join("bin/python") };
    let stamp = folder.join("memoseal-requirements.txt");
    let wanted = fs::read_to_string(place.root.join(REQUIREMENTS)).with_context(|| format!("no {REQUIREMENTS}"))?;
    // The stamp is written last: an environment that was left half made has none.
    if fs::read_to_string(&stamp).is_ok_and(|made_with| made_with == wanted) && version(&python).is_some() {
        return Ok(python);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Tool::new(place, find()?).args(["-m", "venv"]).arg(&folder).run()?;
    Tool::new(place, &python).args(["-m", "pip", "install", "--requirement", REQUIREMENTS]).run()?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

/// A Python that is new enough and can make virtual environments.
pub(crate) fn find() -> anyhow::Result<PathBuf> {
    let mut tried = Vec::new();
    for name in ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "/usr/bin/python3"] {
        match version(Path::new(name)) {
            Some((major, minor, true)) if (major, minor) >= OLDEST => return Ok(name.into()),
            Some((major, minor, false)) if (major, minor) >= OLDEST => {
                tried.push(format!("{name} is Python {major}.{minor} without venv and pip"));
            }
            Some((major, minor, _)) => tried.push(format!("{name} is Python {major}.{minor}")),
            None => {}
        }
    }
    let (major, minor) = OLDEST;
    let found = if tried.is_empty() { "none was found".to_owned() } else { tried.join(", ") };
    bail!(
        "the tests against the official SDK need Python {major}.{minor} or later with venv and pip on the PATH: {found} \
         (on Debian: apt-get install python3 python3-venv)"
    )
}

/// The version of an interpreter, and whether it can make virtual environments; nothing if it does not run.
pub(crate) fn version(python: &Path) -> Option<(u32, u32, bool)> {
    let program = "import sys, importlib.util as u\n\
                   print(*sys.version_info[:2], int(all(map(u.find_spec, ('venv', 'ensurepip')))))";
    let output = Command::new(python).args(["-c", program]).current_dir(env::temp_dir()).stderr(Stdio::null()).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u32>);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()? == 1))
}
