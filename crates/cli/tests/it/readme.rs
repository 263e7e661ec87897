//! The walk in README.md, followed word for word.
#![cfg(unix)]

use std::{fs, path::Path, process::Command};

use crate::support::*;

#[test]
fn somebody_who_has_only_the_readme_imports_looks_around_undoes_and_exports() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let lines = readme.lines().skip_while(|line| !line.contains("mkdir -p ~/sealed"));
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("The other verbs")).collect();
    let walk = lines.iter().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n");
    assert!(
        walk.ends_with("memoseal export ./out                         # plain files again, in out/memories\n"),
        "{walk}"
    );

    let place = Place::empty();
    let program = Path::new(env!("CARGO_BIN_EXE_memoseal")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
    let mut shell = Command::new("sh");
    shell.env_clear().env("PATH", path).env("HOME", place.path()).args(["-e", "-c", &walk]);
    let shown = Ended::of(&mut shell);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    for expected in
        ["imported 1 file ", "/memories/tea.md:1: likes it green\n", "\nlikes it green\n", "exported 1 file "]
    {
        assert!(shown.stdout.contains(expected), "{expected:?}: {shown:?}");
    }
    let out = place.path().join("sealed/out/memories/tea.md");
    assert_eq!(fs::read_to_string(out).unwrap(), "likes it green\n");
}
