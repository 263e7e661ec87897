//! The scrubber as a caller sees it.

use memoseal_scrub::{Allowed, Error, Mode, Policy, Scrubber, cuts_placeholder, placeholders};

fn scrubber(policy: Policy) -> Scrubber {
    Scrubber::new(policy).unwrap()
}

#[test]
fn a_value_goes_and_the_lines_stay() {
    let text = "first\r\nwrite to ada@corp.dev.\r\nlast";
    let scrubbed = scrubber(Policy::all()).scrub(text).unwrap();
    assert_eq!(scrubbed.text, "first\r\nwrite to [REDACTED:email].\r\nlast");
    let found = &scrubbed.findings[0];
    assert_eq!((found.kind.as_str(), found.line, &text[found.start..found.end]), ("email", 2, "ada@corp.dev"));
}

#[test]
fn a_level_and_a_mode_say_what_is_looked_for() {
    let text = "ada@corp.dev";
    assert_eq!(scrubber(Policy::off()).scrub(text).unwrap().text, text);
    assert_eq!(scrubber(Policy::secrets()).scrub(text).unwrap().text, text);
    assert_eq!(scrubber(Policy::all().with_mode("email", Mode::Off)).scrub(text).unwrap().text, text);
    assert_eq!(scrubber(Policy::secrets().with_mode("email", Mode::Redact)).scrub(text).unwrap().findings.len(), 1);
    let refused = scrubber(Policy::all().with_mode("email", Mode::Reject)).scrub(text).unwrap_err();
    assert!(matches!(&refused, Error::Rejected(findings) if findings.len() == 1));
    assert!(!refused.to_string().contains("ada"), "{refused}");
}

#[test]
fn a_kind_that_does_not_exist_cannot_be_taken_out() {
    for mode in [Mode::Redact, Mode::Reject] {
        let refused = Scrubber::new(Policy::all().with_mode("e-mail", mode)).unwrap_err();
        assert!(refused.to_string().contains("there is no kind e-mail"), "{refused}");
    }
    // Another process may have rules that find it; this one finds none, as was wanted.
    scrubber(Policy::all().with_mode("house-badge", Mode::Off));
}

#[test]
fn a_policy_is_json_that_a_log_can_keep() {
    let policy =
        Policy { allowed: Allowed::new([7; 32]).value("ada@corp.dev").pattern(".*@corp\\.test"), ..Policy::all() };
    let json = serde_json::to_string(&policy).unwrap();
    assert!(!json.contains("ada@corp.dev"), "an exact value is kept as a hash only: {json}");
    let read: Policy = serde_json::from_str(&json).unwrap();
    assert_eq!(read, policy);
    assert_eq!(scrubber(read).scrub("ada@corp.dev").unwrap().findings, []);
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::secrets());
    assert!(serde_json::from_str::<Policy>(r#"{"later":1}"#).is_err(), "what is not understood is not obeyed");
}

#[test]
fn a_path_is_refused_whatever_the_mode() {
    let refused = scrubber(Policy::all()).check_path("/memories/ada@corp.dev.md").unwrap_err();
    assert!(matches!(refused, Error::Rejected(_)));
    scrubber(Policy::all()).check_path("/memories/notes.md").unwrap();
}

#[test]
fn an_edit_that_covers_a_part_of_a_placeholder_is_seen() {
    let text = "a [REDACTED:email] b";
    assert_eq!(placeholders(text), vec![2..18]);
    assert!(!cuts_placeholder(text, 2..18));
    assert!(!cuts_placeholder(text, 0..20));
    assert!(!cuts_placeholder(text, 0..2));
    assert!(!cuts_placeholder(text, 2..2));
    assert!(cuts_placeholder(text, 3..18));
    assert!(cuts_placeholder(text, 0..17));
    assert!(cuts_placeholder(text, 5..6));
    assert!(cuts_placeholder(text, 5..5));
    for not_one in ["[REDACTED:]", "[REDACTED:Email]", "[REDACTED:a--b]", "[REDACTED:9a]", "[REDACTED:a12345]"] {
        assert!(placeholders(not_one).is_empty(), "{not_one}");
    }
}
