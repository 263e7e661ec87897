//! What holds for every text.

use std::sync::LazyLock;

use memoseal_scrub::{Mode, Policy, Scrubber, kinds, placeholders};
use proptest::prelude::*;

/// Everything is looked for, also what is off by default.
static EVERYTHING: LazyLock<Scrubber> = LazyLock::new(|| {
    let policy = Policy { no_default_allowlist: true, ..Policy::all() };
    Scrubber::new(kinds().iter().fold(policy, |policy, (kind, _)| policy.with_mode(kind, Mode::Redact))).unwrap()
});

/// Pieces of which texts that hold secrets are made, whole, broken and disguised.
fn piece() -> impl Strategy<Value = String> {
    let github = || format!("ghp_{}", "A1b2C3d4E5f6".repeat(3));
    let words = prop::sample::select(vec![
        "password",
        "token",
        " = ",
        ": ",
        "\"",
        "'",
        "`",
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "//",
        "://",
        "@",
        "user:",
        "+",
        " is ",
        "**",
        "\\n",
        "\\u0067",
        "&#95;",
        "%5F",
        "\u{200b}",
        "р",
        "ｇ",
        "é",
        "大",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.",
        "Authorization: Bearer ",
        "curl -u ",
        "kind: Secret\ndata:\n  a: ",
        "machine a login b password ",
        "[REDACTED:",
        "[REDACTED:email]",
        "]",
        "<",
        ">",
        "${TOKEN}",
        "{",
        "}",
        "$",
        "\\",
        "=",
        "\" + \"",
        "_",
        "-",
        ".",
        ";",
        "&",
        "/",
        ",",
        "(",
        ")",
        "|",
        "```\n",
        "API key\n",
        "name: TOKEN\n",
        "value: ",
        "<key>token</key>\n<string>",
        "default = ",
        "setToken(",
        "tomtom SECRET ",
        "zenkit",
        "密码",
        "：",
        "senha: ",
        "IDENTIFIED BY ",
        "ConvertTo-SecureString ",
        " -AsPlainText",
        "redis-cli -a ",
        "!!str ",
        "|-\n",
        " || ",
        "0x",
        "hunter2",
        "born ",
        "phone ",
        "tax id ",
        "Password1!",
        "+49 151 23456789",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "536-22-1234",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "Z2hwXzEyMzQ1Njc4OTA=",
        "6768705f",
    ]);
    prop_oneof![
        6 => words.prop_map(str::to_owned),
        1 => Just(github()),
        1 => Just("ada@corp.dev".to_owned()),
        1 => "[A-Za-z0-9+/_-]{8,44}",
        1 => "[a-f0-9]{32}",
        1 => "[0-9]{1,24}",
        1 => "\\PC{0,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

/// The line ends of a text, in order.
fn line_ends(text: &str) -> Vec<&str> {
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| if line.ends_with("\r\n") { "\r\n" } else { "\n" })
        .collect()
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let scrubbed = EVERYTHING.scrub(text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let again = EVERYTHING.scrub(&scrubbed.text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&again.text, &scrubbed.text, "scrubbing twice changes nothing");
    prop_assert!(again.findings.is_empty(), "nothing that is found is left: {:?}", again.findings);
    prop_assert_eq!(line_ends(&scrubbed.text), line_ends(text), "lines and their ends stay");
    prop_assert_eq!(scrubbed.findings.is_empty(), scrubbed.text == text);
    for found in &scrubbed.findings {
        prop_assert!(found.start < found.end, "{found:?}");
        prop_assert!(text.get(found.start..found.end).is_some(), "on character boundaries: {found:?}");
        prop_assert!(found.line >= 1 && found.line <= text.split('\n').count(), "{found:?}");
    }
    let starts: Vec<usize> = scrubbed.findings.iter().map(|found| found.start).collect();
    prop_assert!(starts.is_sorted(), "in the order of the text: {starts:?}");
    prop_assert!(placeholders(&scrubbed.text).len() >= placeholders(text).len().min(1));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_of_secrets_and_their_pieces_is_clean_after_one_scrub(text in text()) {
        check(&text)?;
    }

    #[test]
    fn any_text_at_all_is_clean_after_one_scrub(text in "(?s).{0,200}") {
        check(&text)?;
    }

    #[test]
    fn a_token_is_nowhere_in_the_result(before in text(), after in "[ \n\"';,)]\\PC{0,20}") {
        let token = format!("ghp_{}", "Z9y8X7w6V5u4".repeat(3));
        let text = format!("{before} {token}{after}");
        let scrubbed = EVERYTHING.scrub(&text).unwrap();
        prop_assert!(!scrubbed.text.contains(&token), "{}", scrubbed.text);
    }

    #[test]
    fn a_policy_that_is_off_changes_nothing(text in text()) {
        let off = Scrubber::new(Policy::off()).unwrap();
        prop_assert_eq!(&off.scrub(&text).unwrap().text, &text);
    }
}
