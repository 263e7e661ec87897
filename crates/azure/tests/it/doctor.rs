//! The look at a container, on the server that `MEMOSEAL_TEST_AZURE_URL` names.

use std::env;

use memoseal_doctor::{Check, Grade, Provider, Trial};

fn of<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("{name} is not in {checks:#?}"))
}

#[tokio::test]
async fn a_container_of_the_server_can_hold_a_vault() {
    let Ok(url) = env::var("MEMOSEAL_TEST_AZURE_URL") else {
        let required = env::var("MEMOSEAL_TEST_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
        assert!(!required, "MEMOSEAL_TEST_AZURE_URL names no server, and MEMOSEAL_TEST_REQUIRE_SERVERS is 1");
        eprintln!("skipped: MEMOSEAL_TEST_AZURE_URL names no server");
        return;
    };
    let (backend, container) = memoseal_azure::inspect(&url.parse().unwrap(), |name| env::var(name).ok()).unwrap();
    let mut checks = container.reach().await;
    let trial = Trial::new(&backend, container.permissions()).unwrap();
    trial.run(&mut |check| checks.push(check)).await;
    checks.push(trial.clean_up().await);
    checks.extend(container.settings().await);
    assert!(checks.iter().all(|check| check.grade != Grade::Danger), "{checks:#?}");
    for name in ["reachable", "put", "get", "list", "delete", "put-if-absent", "its races", "listing order", "clean up"]
    {
        assert_eq!(of(&checks, name).grade, Grade::Good, "{}", of(&checks, name));
    }
    for name in ["object lock", "public access", "encryption", "soft delete"] {
        assert_ne!(of(&checks, name).grade, Grade::Danger, "{}", of(&checks, name));
    }
    for name in ["versioning", "lifecycle"] {
        assert_eq!(of(&checks, name).grade, Grade::NotChecked, "{}", of(&checks, name));
    }
    println!("{checks:#?}");

    // Another container that is not there, on the same account.
    let (place, options) = url.split_once('?').unwrap_or((&url, ""));
    let absent = format!("az://memoseal-absent{}?{options}", if place.ends_with('/') { "/" } else { "" });
    let (_, container) = memoseal_azure::inspect(&absent.parse().unwrap(), |name| env::var(name).ok()).unwrap();
    let checks = container.reach().await;
    assert_eq!(of(&checks, "reachable").grade, Grade::Danger, "{checks:#?}");
}
