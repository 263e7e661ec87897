//! The look at a folder.

use std::fs;

use memoseal_doctor::{Check, Grade, Provider, Trial};
use url::Url;

async fn look(folder: &std::path::Path) -> Vec<Check> {
    let (backend, folder) = memoseal_local::inspect(&Url::from_directory_path(folder).unwrap()).unwrap();
    let mut checks = folder.reach().await;
    let trial = Trial::new(&backend, folder.permissions()).unwrap();
    trial.run(&mut |check| checks.push(check)).await;
    checks.push(trial.clean_up().await);
    folder.tidy(trial.place()).unwrap();
    checks.extend(folder.settings().await);
    checks
}

#[tokio::test]
async fn a_folder_is_looked_at_and_left_as_it_was() {
    let parent = tempfile::tempdir().unwrap();
    let place = parent.path().join("place");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("mine"), "kept").unwrap();
    let checks = look(&place).await;
    for check in &checks {
        // Where tests run may be small, or in memory.
        let depends = ["file system", "free space", "latency"].contains(&check.name);
        assert!(check.grade == Grade::Good || depends, "{check}");
    }
    let left: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);
}

/// Somebody else's look is under way: its folder stays.
#[tokio::test]
async fn only_what_is_empty_is_tidied_away() {
    let place = tempfile::tempdir().unwrap();
    let other = place.path().join("memoseal-doctor/other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("file"), "x").unwrap();
    look(place.path()).await;
    assert_eq!(fs::read_dir(place.path().join("memoseal-doctor")).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_others_may_write_to_is_told() {
    use std::os::unix::fs::PermissionsExt;

    for (mode, grade) in [
        (0o700, Grade::Good),
        (0o755, Grade::Good),
        (0o775, Grade::Warning),
        (0o1777, Grade::Warning),
        (0o777, Grade::Danger),
    ] {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).unwrap();
        let (_, folder) = memoseal_local::inspect(&Url::from_directory_path(place.path()).unwrap()).unwrap();
        let checks = folder.reach().await;
        let access = checks.iter().find(|check| check.name == "access").unwrap();
        assert_eq!(access.grade, grade, "{mode:o}: {access}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let place = tempfile::tempdir().unwrap().path().join("absent");
    assert!(memoseal_local::inspect(&Url::from_directory_path(&place).unwrap()).is_err());
    assert!(!place.exists());
}
