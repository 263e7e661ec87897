//! Which lifecycle rules touch a vault, and what they and versioning mean.

use memoseal_doctor::{
    Grade,
    lifecycle::{Action, Rule, Versioning, check, old_versions_expire, versioning},
};

fn rule(prefixes: &[&str], action: Action) -> Rule {
    Rule {
        id: "tidy".into(),
        prefixes: prefixes.iter().map(|prefix| (*prefix).to_owned()).collect(),
        is_narrowed: false,
        actions: vec![action],
    }
}

fn expires() -> Action {
    Action::Expires("after 30 days".into())
}

#[test]
fn a_rule_touches_what_the_vault_holds_and_nothing_beside_it() {
    for (prefixes, is_touched) in [
        (&[][..], true),
        (&[""], true),
        (&["te"], true),
        (&["team"], true),
        (&["team/"], true),
        (&["team/a/users/"], true),
        (&["team/a/users/0"], true),
        (&["team/a/vault/fff"], true),
        (&["team/a/clock"], true),
        (&["team/a/c"], true),
        (&["team/a/memoseal-test/"], false),
        (&["team/a/memoseal-doctor/"], false),
        (&["team/b"], false),
        (&["logs/"], false),
        (&["logs/", "team/a/"], true),
    ] {
        let found = check(&[rule(prefixes, expires())], &"team/a".into());
        assert_eq!(found.grade == Grade::Danger, is_touched, "{prefixes:?}: {found}");
    }
    assert_eq!(check(&[rule(&["users/"], expires())], &"".into()).grade, Grade::Danger);
    assert_eq!(check(&[rule(&["other/"], expires())], &"".into()).grade, Grade::Good);
}

#[test]
fn what_deletes_or_archives_memory_is_a_danger() {
    let line = check(&[rule(&[], expires())], &"a".into()).to_string();
    assert!(
        line.contains("the rule `tidy` deletes objects after 30 days") && line.contains("take the rule away"),
        "{line}"
    );
    let line = check(&[rule(&[], Action::Archives("GLACIER".into()))], &"a".into()).to_string();
    assert!(line.starts_with("danger") && line.contains("moves objects to GLACIER"), "{line}");
    let old = [rule(&[], Action::ExpiresOld("after 7 days".into()))];
    assert_eq!(check(&old, &"a".into()).grade, Grade::Good);
    assert_eq!(check(&[], &"a".into()).to_string(), "ok           lifecycle          no rules");
}

#[test]
fn kept_versions_are_a_warning_unless_they_go() {
    let old = [rule(&["a/"], Action::ExpiresOld("after 7 days".into()))];
    assert_eq!(old_versions_expire(&old, &"a".into()).as_deref(), Some("after 7 days"));
    assert_eq!(old_versions_expire(&old, &"b".into()), None);
    // Only a part of the vault, or not all of what is old.
    let part = [rule(&["a/users/"], Action::ExpiresOld("after 7 days".into()))];
    assert_eq!(old_versions_expire(&part, &"a".into()), None);
    let narrowed = [Rule { is_narrowed: true, ..rule(&[], Action::ExpiresOld("after 7 days".into())) }];
    assert_eq!(old_versions_expire(&narrowed, &"a".into()), None);
    assert_eq!(versioning(Versioning::Suspended, None).grade, Grade::Warning);
    assert_eq!(versioning(Versioning::Never, None).grade, Grade::Good);
    assert_eq!(versioning(Versioning::On, None).grade, Grade::Warning);
    let gone = versioning(Versioning::On, Some("after 7 days".into()));
    assert!(gone.grade == Grade::Good && gone.found.contains("after 7 days"), "{gone}");
}
