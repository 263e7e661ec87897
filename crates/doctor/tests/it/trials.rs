//! Trials against stores with planted faults: each fault is found, and nothing is called good that was not asked.

use memoseal_core::{Key, Vault, VaultOptions};
use memoseal_doctor::{Check, Grade, Permissions, Trial};

use crate::broken::{Broken, Fault};

/// What a trial says about a store with this fault, and what is left there.
async fn tried(fault: Fault) -> (Vec<Check>, Vec<String>) {
    let store = Broken::new(fault);
    let trial = Trial::new(
        &store.backend(),
        Permissions::new("s3:PutObject", "s3:GetObject", "s3:ListBucket", "s3:DeleteObject"),
    );
    let trial = trial.unwrap();
    assert!(trial.place().as_ref().starts_with("team/memoseal-doctor/"));
    let mut checks = Vec::new();
    trial.run(&mut |check| checks.push(check)).await;
    checks.push(trial.clean_up().await);
    (checks, store.names().await)
}

const NAMES: [&str; 13] = [
    "put",
    "get",
    "list",
    "missing object",
    "delete",
    "put-if-absent",
    "its races",
    "listing order",
    "read after write",
    "clock skew",
    "latency",
    "vault",
    "clean up",
];

#[tokio::test]
async fn a_good_store_is_good_and_nothing_is_left() {
    let (checks, left) = tried(Fault::None).await;
    assert_eq!(checks.iter().map(|check| check.name).collect::<Vec<_>>(), NAMES);
    assert!(checks.iter().all(|check| check.grade == Grade::Good && check.todo.is_empty()), "{checks:#?}");
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn each_fault_is_found_where_it_is() {
    let expected: &[(Fault, &str, Grade, &str)] = &[
        (Fault::IgnoresCreate, "put-if-absent", Grade::Danger, "honours `If-None-Match: *`"),
        (Fault::IgnoresCreateInRaces, "its races", Grade::Danger, "honours `If-None-Match: *`"),
        (Fault::RefusesCreateAndWrites, "put-if-absent", Grade::Danger, "has overwritten the object"),
        (Fault::LiesAboutCreate, "its races", Grade::Danger, "16 of 16 creators"),
        (Fault::ListsOutOfOrder, "listing order", Grade::Danger, "newest commit would not be found"),
        (Fault::HidesFromListings, "list", Grade::Danger, "what was written is not listed"),
        (Fault::ListsForEver, "list", Grade::Danger, "does not end"),
        (Fault::IgnoresOffset, "listing order", Grade::Danger, "from an offset gives other names"),
        (Fault::RefusesPut, "put", Grade::Danger, "allow s3:PutObject"),
        (Fault::RefusesGet, "get", Grade::Danger, "allow s3:GetObject"),
        (Fault::RefusesList, "list", Grade::Danger, "allow s3:ListBucket"),
        (Fault::RefusesDelete, "delete", Grade::Warning, "allow s3:DeleteObject"),
        (Fault::KeepsDeleted, "delete", Grade::Warning, "can still be read"),
        (Fault::IsStale, "read after write", Grade::Danger, "as it was before"),
        (Fault::ForbidsMissing, "missing object", Grade::Danger, "allow s3:GetObject"),
        (Fault::ClockIsBehind, "clock skew", Grade::Warning, "s behind"),
        (Fault::Garbles, "get", Grade::Danger, "other bytes"),
        (Fault::FailsNow, "put", Grade::Danger, "no route"),
    ];
    for (fault, name, grade, part) in expected {
        let (checks, _) = tried(*fault).await;
        let check = checks.iter().find(|check| check.name == *name).unwrap();
        assert_eq!(check.grade, *grade, "{fault:?}: {checks:#?}");
        let line = check.to_string();
        assert!(line.contains(part) && !line.contains('\n'), "{fault:?}: {line}");
        assert!(!check.todo.is_empty(), "{fault:?}: {line}");
        assert_eq!(checks.len(), NAMES.len(), "{fault:?}: every check has a line");
    }
}

#[tokio::test]
async fn a_missing_object_that_is_forbidden_points_at_the_permission_to_list() {
    let (checks, _) = tried(Fault::RefusesList).await;
    let missing = checks.iter().find(|check| check.name == "missing object").unwrap();
    assert_eq!((missing.grade, missing.todo.as_str()), (Grade::Danger, "allow s3:ListBucket"));
}

/// What needs something that is not allowed is not checked, and says what it needs.
#[tokio::test]
async fn what_cannot_be_asked_is_never_good() {
    for (fault, unasked, needs) in [
        (Fault::RefusesPut, &NAMES[5..11], "s3:PutObject"),
        (Fault::RefusesGet, &NAMES[5..11], "s3:GetObject"),
        (Fault::RefusesList, &NAMES[7..8], "s3:ListBucket"),
    ] {
        let (checks, _) = tried(fault).await;
        for check in checks.iter().filter(|check| unasked.contains(&check.name)) {
            assert_eq!(check.grade, Grade::NotChecked, "{fault:?}: {check}");
            assert!(check.todo.contains(needs), "{fault:?}: {check}");
        }
    }
    let (checks, _) = tried(Fault::FailsNow).await;
    assert!(checks.iter().all(|check| check.grade != Grade::Good || check.name == "clean up"), "{checks:#?}");
}

#[tokio::test]
async fn what_could_not_be_deleted_is_named() {
    for (fault, is_told) in [(Fault::RefusesDelete, true), (Fault::KeepsDeleted, false)] {
        let (checks, left) = tried(fault).await;
        let last = checks.last().unwrap();
        assert_eq!(last.grade == Grade::Warning, is_told, "{last}");
        assert!(!left.is_empty() && left.iter().all(|name| name.starts_with("team/memoseal-doctor/")), "{left:?}");
        assert!(!is_told || last.todo.contains("memoseal-doctor/"), "{last}");
    }
}

#[tokio::test]
async fn a_trial_that_is_cut_short_anywhere_leaves_nothing() {
    for polls in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233] {
        let store = Broken::new(Fault::None);
        let trial = Trial::new(&store.backend(), Permissions::default()).unwrap();
        {
            let mut tell = |_| {};
            let mut run = std::pin::pin!(trial.run(&mut tell));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            for _ in 0..polls {
                if run.as_mut().poll(&mut context).is_ready() {
                    break;
                }
            }
        }
        assert_eq!(trial.clean_up().await.grade, Grade::Good);
        assert_eq!(store.names().await, Vec::<String>::new(), "{polls}");
    }
}

#[tokio::test]
async fn a_vault_that_is_there_is_told_of_and_left_alone() {
    let store = Broken::new(Fault::None);
    let vault = Vault::create(store.backend(), Key::raw([7; 32]), VaultOptions::default()).await.unwrap();
    let before = store.names().await;
    let trial = Trial::new(&store.backend(), Permissions::default()).unwrap();
    let mut checks = Vec::new();
    trial.run(&mut |check| checks.push(check)).await;
    trial.clean_up().await;
    assert_eq!(store.names().await, before);
    let found = &checks.last().unwrap().found;
    let id = memoseal_core::hex(&vault.id());
    assert!(found.contains(&format!("one is here: {id}, header 1, slots: raw")), "{found}");
}

#[tokio::test]
async fn what_lies_where_a_vaults_header_would_be_is_no_vault() {
    for bytes in ["", "{", "{\"memoseal\":\"other\",\"vault\":\"00\"}", "\u{1b}[31m"] {
        let store = Broken::new(Fault::None);
        store.write("team/vault/fffffffffffffffe", bytes).await;
        let trial = Trial::new(&store.backend(), Permissions::default()).unwrap();
        let mut checks = Vec::new();
        trial.run(&mut |check| checks.push(check)).await;
        let last = checks.last().unwrap();
        assert_eq!((last.name, last.grade), ("vault", Grade::Danger), "{bytes}: {last}");
    }
    let store = Broken::new(Fault::None);
    store
        .write(
            "team/vault/fffffffffffffffe",
            "{\"memoseal\":\"vault\",\"vault\":\"\\u001b[31m\",\"slots\":[{\"type\":\"\\n\"}]}\n",
        )
        .await;
    let trial = Trial::new(&store.backend(), Permissions::default()).unwrap();
    let mut checks = Vec::new();
    trial.run(&mut |check| checks.push(check)).await;
    let line = checks.last().unwrap().to_string();
    assert!(!line.contains(['\u{1b}', '\n']), "{line}");
}

#[tokio::test]
async fn a_trial_costs_some_hundred_requests() {
    let store = Broken::new(Fault::None);
    let trial = Trial::new(&store.backend(), Permissions::default()).unwrap();
    trial.run(&mut |_| {}).await;
    let requests = store.requests.load(std::sync::atomic::Ordering::SeqCst);
    assert!((300..500).contains(&requests), "{requests}");
}
