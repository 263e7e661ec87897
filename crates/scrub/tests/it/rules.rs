//! Rules in gitleaks' format.

use memoseal_scrub::{Error, Policy, Rules, Scrubber};

fn scrub(rules: &str, text: &str, path: Option<&str>) -> String {
    let scrubber = Scrubber::with_rules(Policy::secrets(), Some(Rules::parse(rules).unwrap())).unwrap();
    scrubber.scrub_file(text, path).unwrap().text.into_owned()
}

#[test]
fn the_secret_is_the_named_group_or_the_first_that_matched() {
    let rule = |extra: &str| format!("[[rules]]\nid = \"door\"\nregex = '''(in|out) (\\d{{4}})'''\n{extra}");
    assert_eq!(scrub(&rule("secretGroup = 2"), "in 1234", None), "in [REDACTED:door]");
    assert_eq!(scrub(&rule(""), "in 1234", None), "[REDACTED:door] 1234");
    let none = "[[rules]]\nid = \"door\"\nregex = '''in \\d{4}'''";
    assert_eq!(scrub(none, "go in 1234.", None), "go [REDACTED:door].");
}

#[test]
fn keywords_are_asked_for_in_any_case_and_the_whole_text_is_searched() {
    let rule = "[[rules]]\nid = \"door\"\nregex = '''door(?:.|\\n){0,20}?(\\d{4})'''\nkeywords = [\"DOOR\"]";
    assert_eq!(scrub(rule, "door\n\nis 1234", None), "door\n\nis [REDACTED:door]");
    assert_eq!(scrub("[[rules]]\nid = \"door\"\nregex = '''\\d{4}'''\nkeywords = [\"gate\"]", "1234", None), "1234");
}

#[test]
fn a_value_that_is_not_random_enough_is_none() {
    let rule = "[[rules]]\nid = \"door\"\nregex = '''code ([a-z0-9]{8})'''\nentropy = 2.5";
    assert_eq!(scrub(rule, "code aaaabbbb code a1b2c3d4", None), "code aaaabbbb code [REDACTED:door]");
}

#[test]
fn allowlists_look_at_secret_match_line_or_path_and_join_their_conditions() {
    let rule =
        |list: &str| format!("[[rules]]\nid = \"door\"\nregex = '''code (\\d{{4}})'''\n[[rules.allowlists]]\n{list}");
    let text = "first code 1234 of line\ncode 5678";
    let all = "first code [REDACTED:door] of line\ncode [REDACTED:door]";
    let second = "first code 1234 of line\ncode [REDACTED:door]";
    assert_eq!(scrub(&rule("regexes = ['''^12''']"), text, None), second);
    assert_eq!(scrub(&rule("regexTarget = \"match\"\nregexes = ['''code 12''']"), text, None), second);
    assert_eq!(scrub(&rule("regexTarget = \"line\"\nregexes = ['''^first''']"), text, None), second);
    assert_eq!(scrub(&rule("regexes = ['''^first''']"), text, None), all);
    assert_eq!(scrub(&rule("stopwords = [\"23\"]"), text, None), second);
    assert_eq!(scrub(&rule("paths = ['''\\.lock$''']"), text, Some("a.lock")), text);
    assert_eq!(scrub(&rule("paths = ['''\\.lock$''']"), text, Some("a.md")), all);
    assert_eq!(scrub(&rule("paths = ['''\\.lock$''']"), text, None), all);
    let both = "condition = \"AND\"\npaths = ['''\\.lock$''']\nregexes = ['''^12''']";
    assert_eq!(scrub(&rule(both), text, Some("a.lock")), second);
    assert_eq!(scrub(&rule(both), text, Some("a.md")), all);
    let commit = "condition = \"AND\"\ncommits = [\"abc\"]\nregexes = ['''^12''']";
    assert_eq!(scrub(&rule(commit), text, None), all, "there are no commits here");
    let global = "[allowlist]\nregexes = ['''^12''']\n[[rules]]\nid = \"door\"\nregex = '''code (\\d{4})'''";
    assert_eq!(scrub(global, text, None), second);
    let others = "[[allowlists]]\ntargetRules = [\"gate\"]\nregexes = ['''^12''']\n[[rules]]\nid = \"door\"\nregex = '''code (\\d{4})'''";
    assert_eq!(scrub(others, text, None), all);
}

#[test]
fn a_rule_about_paths_is_asked_when_a_path_is_checked() {
    let rules = Rules::parse("[[rules]]\nid = \"vault-file\"\npath = '''\\.kdbx$'''").unwrap();
    let scrubber = Scrubber::with_rules(Policy::secrets(), Some(rules)).unwrap();
    let refused = scrubber.check_path("/memories/me.kdbx").unwrap_err();
    assert!(matches!(&refused, Error::Rejected(found) if found[0].kind == "vault-file"), "{refused}");
    scrubber.check_path("/memories/me.md").unwrap();
    let only = "[[rules]]\nid = \"door\"\nregex = '''\\d{4}'''\npath = '''\\.env$'''";
    assert_eq!(scrub(only, "1234", Some("x.env")), "[REDACTED:door]");
    assert_eq!(scrub(only, "1234", Some("x.md")), "1234");
}

#[test]
fn what_cannot_be_obeyed_is_refused_with_the_reason() {
    for (file, reason) in [
        ("rules = 3", "not a rule file in gitleaks' format"),
        ("[[rules]]\nregex = '''x'''", "has no id"),
        ("[[rules]]\nid = \"a\"", "has neither regex nor path"),
        ("[[rules]]\nid = \"a\"\nregex = '''('''", "the pattern of a does not compile"),
        ("[[rules]]\nid = \"a\"\nregex = '''x'''\n[[rules.allowlists]]\ncondition = \"XOR\"", "write AND or OR"),
        (
            "[[rules]]\nid = \"a\"\nregex = '''x'''\n[[rules.allowlists]]\nregexTarget = \"file\"",
            "write secret, match or line",
        ),
        ("[extend]\npath = \"other.toml\"", "put those rules into this file"),
        ("[extend]\nuseDefault = true\ndisabledRules = [\"x\"]", "turn kinds off in the policy"),
    ] {
        let refused = Rules::parse(file).unwrap_err().to_string();
        assert!(refused.contains(reason), "{file}: {refused}");
    }
    Rules::parse("title = \"t\"\n[extend]\nuseDefault = true").unwrap();
    // What only its size makes impossible is known when it is first needed, and then nothing is let through.
    let huge = Rules::parse("[[rules]]\nid = \"huge\"\nregex = '''(?:[a-z]{900}){900}'''").unwrap();
    assert!(huge.compile().is_err());
    let scrubber = Scrubber::with_rules(Policy::secrets(), Some(huge)).unwrap();
    assert!(scrubber.scrub("any text").is_err());
}

#[test]
fn a_kind_of_a_rule_has_a_name_that_a_placeholder_can_hold() {
    for (id, kind) in [("My Rule_7", "my-rule-7"), ("9to5", "to5"), ("--", "secret"), ("É", "secret"), ("a--b", "a-b")]
    {
        let rule = format!("[[rules]]\nid = \"{id}\"\nregex = '''door \\d{{4}}'''");
        assert_eq!(scrub(&rule, "door 1234", None), format!("[REDACTED:{kind}]"), "{id}");
    }
}

#[test]
fn the_public_rules_of_gitleaks_load_unchanged() {
    let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/scrub/gitleaks.toml"));
    let Ok(text) = std::fs::read_to_string(file) else {
        eprintln!("skipped: there is no {}", file.display());
        return;
    };
    let rules = Rules::parse(&text).unwrap();
    assert_eq!(rules.len(), 222);
    rules.compile().unwrap();
    let scrubber = Scrubber::with_rules(Policy::secrets(), Some(rules)).unwrap();
    let key = format!("AGE-SECRET-KEY-1{}", "Q".repeat(58));
    assert!(scrubber.scrub(&key).unwrap().findings[0].kind.starts_with("age-secret-key"));
}

#[test]
fn our_own_rules_compile_and_name_at_least_120_kinds_that_a_placeholder_can_hold() {
    memoseal_scrub::compile().unwrap();
    let kinds = memoseal_scrub::kinds();
    assert!(kinds.len() >= 120, "{}", kinds.len());
    for (kind, _) in &kinds {
        let placeholder = memoseal_scrub::placeholder(kind);
        assert_eq!(memoseal_scrub::placeholders(&placeholder), vec![0..placeholder.len()], "{kind}");
    }
}
