//! BEHAVIOUR, "Paths".

use memoseal_core::path::{MemoryPath, PathError, ToolPath};
use proptest::prelude::*;

fn resolved(given: &str) -> Result<String, PathError> {
    ToolPath::parse(given).map(|path| path.resolved().to_string())
}

#[test]
fn lexical_resolution() {
    for (given, expected) in [
        ("/memories", "/memories"),
        ("/memories/", "/memories"),
        ("/memories//", "/memories"),
        ("/memories/.", "/memories"),
        ("/memories/sub/..", "/memories"),
        ("/memories/a/b/../..", "/memories"),
        ("/memories/a", "/memories/a"),
        ("/memories/a/", "/memories/a"),
        ("/memories//a", "/memories/a"),
        ("/memories/./a/.//b///", "/memories/a/b"),
        ("/memories/x/../a", "/memories/a"),
        ("/memories/...", "/memories/..."),
        ("/memories/.hidden", "/memories/.hidden"),
        ("/memories/..a", "/memories/..a"),
        ("/memories/A", "/memories/A"),
        ("/memories/ a b ", "/memories/ a b "),
        ("/memories/100%", "/memories/100%"),
        ("/memories/%41%zz", "/memories/%41%zz"),
        ("/memories/日本.md", "/memories/日本.md"),
        // Names are kept in NFC.
        ("/memories/cafe\u{301}", "/memories/caf\u{e9}"),
        ("/memories/\u{212b}", "/memories/\u{c5}"),
    ] {
        assert_eq!(resolved(given).as_deref(), Ok(expected), "{given}");
    }
}

#[test]
fn the_root_is_the_empty_path() {
    let root = ToolPath::parse("/memories/a/..").unwrap();
    assert!(root.resolved().is_root());
    assert_eq!(*root.resolved(), MemoryPath::root());
    assert_eq!(ToolPath::parse("/memories/a").unwrap().resolved().as_str(), "/a");
}

#[test]
fn the_path_is_shown_as_given_less_its_trailing_slashes() {
    for (given, shown, ends_in_slash) in [
        ("/memories", "/memories", false),
        ("/memories/", "/memories", true),
        ("/memories/./a//", "/memories/./a", true),
        ("/memories/x/../cafe\u{301}", "/memories/x/../cafe\u{301}", false),
        ("/memories/a/.", "/memories/a/.", false),
    ] {
        let path = ToolPath::parse(given).unwrap();
        assert_eq!((path.to_string().as_str(), path.ends_in_slash()), (shown, ends_in_slash), "{given}");
    }
}

#[test]
fn outside() {
    for given in [
        "",
        "/",
        ".",
        "memories",
        "memories/a",
        "/memoriesX",
        "/memories_backup/x",
        "/memories.txt",
        "/Memories/a",
        "//memories",
        "/etc/passwd",
        "./memories",
        " /memories",
        "/memor",
        "/./memories",
        "../memories",
    ] {
        assert_eq!(resolved(given), Err(PathError::Outside), "{given}");
    }
}

#[test]
fn escapes() {
    for given in [
        "/memories/..",
        "/memories/../",
        "/memories/../memories/a",
        "/memories/../../secrets.env",
        "/memories/a/../../b",
        "/memories/./../etc/passwd",
        "/memories//../a",
    ] {
        assert_eq!(resolved(given), Err(PathError::Escapes), "{given}");
    }
}

#[test]
fn percent_encoded_separators_are_refused_and_never_decoded() {
    for given in [
        "/memories/%2e%2e/x",
        "/memories/%2E",
        "/memories/a%2fb",
        "/memories/a%2Fb",
        "/memories/a%5cb",
        "/memories/a%5Cb",
        "/memories/%252e%252e/x",
        "/memories/%25252F",
        "/memories/%%32%65",
        "/memories/%2%35%32e",
        "/memories/%25%32%66",
        "/memories/100%%2e",
        "/memories/..%2f..",
    ] {
        assert_eq!(resolved(given), Err(PathError::Encoded), "{given}");
    }
}

#[test]
fn control_and_format_characters_are_refused() {
    for c in [
        '\\',
        '\0',
        '\t',
        '\n',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{ad}',
        '\u{61c}',
        '\u{180e}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{fffb}',
        '\u{1bca0}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
    ] {
        assert_eq!(resolved(&format!("/memories/a{c}b")), Err(PathError::Character(c)), "{c:?}");
    }
    for c in
        ['\u{a0}', '\u{ac}', '\u{ae}', '\u{2010}', '\u{2027}', '\u{202f}', '\u{2065}', '\u{fe0f}', '\u{1f600}', 'ß']
    {
        assert!(resolved(&format!("/memories/a{c}b")).is_ok(), "{c:?}");
    }
}

#[test]
fn limits() {
    let segment = |len: usize| "x".repeat(len);
    assert!(resolved(&format!("/memories/{}", segment(255))).is_ok());
    assert_eq!(resolved(&format!("/memories/{}", segment(256))), Err(PathError::NameTooLong(256)));
    assert_eq!(resolved(&format!("/memories/{}", "é".repeat(128))), Err(PathError::NameTooLong(256)));

    assert!(resolved(&format!("/memories{}", "/a".repeat(20))).is_ok());
    assert_eq!(resolved(&format!("/memories{}", "/a".repeat(21))), Err(PathError::TooDeep(21)));

    // 9 bytes of `/memories`, four times 1 + 252, and 3 more.
    let long = format!("/memories{}", format!("/{}", segment(252)).repeat(4));
    assert!(resolved(&format!("{long}/ab")).is_ok());
    assert_eq!(resolved(&format!("{long}/abc")), Err(PathError::TooLong(1_025)));

    // What counts is the resolved path in NFC.
    assert!(resolved(&format!("/memories/{}", "/./x/..".repeat(10_000))).is_ok());
    assert!(resolved(&format!("/memories/{}/../a", segment(2_000))).is_ok());
    assert!(resolved(&format!("/memories/{}", "e\u{301}".repeat(127))).is_ok());
}

#[test]
fn paths_are_ordered_by_segments() {
    let order = ["/a", "/a/b", "/a/b/c", "/a/c", "/a!", "/a-b", "/a.md", "/b", "/é"];
    let mut paths: Vec<MemoryPath> = order
        .iter()
        .rev()
        .map(|path| ToolPath::parse(&format!("/memories{path}")).unwrap().resolved().clone())
        .collect();
    paths.sort();
    assert_eq!(paths.iter().map(MemoryPath::as_str).collect::<Vec<_>>(), order);
}

/// Strings that look like paths more often than not.
pub(crate) fn any_path() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        4 => "[a-c]",
        1 => Just(".".to_owned()),
        1 => Just("..".to_owned()),
        1 => Just(String::new()),
        1 => "[a-z.%25eEfF\\\\]{0,6}",
        1 => any::<String>(),
        1 => "(e\u{301}|\u{212b}|\u{1100}\u{1161}|\u{344}|\u{202e}|\u{ad}){1,3}",
    ];
    (prop_oneof![9 => Just("/memories"), 1 => Just("/memories_"), 1 => Just("")], prop::collection::vec(segment, 0..6))
        .prop_map(|(prefix, segments)| {
            segments.into_iter().fold(prefix.to_owned(), |path, segment| format!("{path}/{segment}"))
        })
}

proptest! {
    #[test]
    fn what_was_resolved_resolves_to_itself(given in any_path()) {
        let Ok(path) = ToolPath::parse(&given) else { return Ok(()) };
        let shown = path.resolved().to_string();
        let again = ToolPath::parse(&shown).unwrap();
        prop_assert_eq!(again.resolved(), path.resolved());
        prop_assert_eq!(again.to_string(), shown);
    }

    #[test]
    fn what_was_resolved_is_clean(given in any_path()) {
        use unicode_normalization::UnicodeNormalization as _;
        let Ok(path) = ToolPath::parse(&given) else { return Ok(()) };
        let shown = path.resolved().to_string();
        prop_assert_eq!(shown.nfc().collect::<String>(), shown.clone());
        let refused = |c: char| c.is_control() || "\\\u{ad}\u{202e}\u{2028}\u{200b}".contains(c);
        prop_assert!(!shown.chars().any(refused), "{shown:?}");
        prop_assert!(shown.len() <= 1_024);
        prop_assert!(shown == "/memories" || shown.split('/').skip(2).all(|name| !["", ".", ".."].contains(&name)));
    }

    #[test]
    fn encodings_are_found_however_deep(byte in prop::sample::select(vec!['.', '/', '\\']), rounds in prop::collection::vec(any::<bool>(), 0..5), upper in any::<bool>()) {
        let mut encoded = format!("%{:02x}", u32::from(byte));
        for everything in rounds {
            encoded = if everything && encoded.len() < 100 {
                encoded.bytes().map(|byte| format!("%{byte:02x}")).collect()
            } else {
                encoded.replacen('%', "%25", 1)
            };
        }
        let encoded = if upper { encoded.to_uppercase() } else { encoded };
        prop_assert_eq!(resolved(&format!("/memories/a{encoded}b")), Err(PathError::Encoded));
    }
}
