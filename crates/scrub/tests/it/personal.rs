//! Personal data. What is to go is between ⟦ and ⟧.

use memoseal_scrub::{Class, Mode, Policy, Scrubber, kinds};

#[track_caller]
fn goes_under(policy: Policy, marked: &str) {
    let text = marked.replace(['⟦', '⟧'], "");
    let scrubbed = Scrubber::new(policy).unwrap().scrub(&text).unwrap();
    let mut shown = text.clone();
    for found in scrubbed.findings.iter().rev() {
        shown.insert(found.end, '⟧');
        shown.insert(found.start, '⟦');
    }
    assert_eq!(shown, marked, "{:?}", scrubbed.findings);
}

#[track_caller]
fn goes(marked: &str) {
    goes_under(Policy::all(), marked);
}

#[track_caller]
fn goes_as(kind: &str, marked: &str) {
    let found = kinds().into_iter().find(|(known, _)| known == kind).unwrap();
    assert_eq!(found.1, Class::OptIn);
    goes_under(Policy::off().with_mode(kind, Mode::Redact), marked);
    // Nobody asked for it.
    let text = marked.replace(['⟦', '⟧'], "");
    assert_eq!(Scrubber::new(Policy::all()).unwrap().scrub(&text).unwrap().text, text);
}

#[test]
fn personal_data_belongs_to_the_level_all_and_not_to_secrets() {
    let text = "ada@corp.dev 4111111111111111 DE89370400440532013000 536-22-1234 +4915123456789";
    assert_eq!(Scrubber::new(Policy::secrets()).unwrap().scrub(text).unwrap().text, text);
    goes("⟦ada@corp.dev⟧ ⟦4111111111111111⟧ ⟦DE89370400440532013000⟧ ⟦536-22-1234⟧ ⟦+4915123456789⟧");
}

#[test]
fn an_address_is_one_with_a_domain_that_exists() {
    goes("mail <⟦ada.l+x@mail.corp.dev⟧>, or ⟦bob@corp.dev⟧.");
    goes("ada@example.com, ada@localhost, git@github.com:a/b, a@b, @user, user@, ssh://me@host.corp/x");
    let all = Policy { no_default_allowlist: true, ..Policy::all() };
    goes_under(all, "⟦ada@example.com⟧");
}

#[test]
fn a_card_has_an_issuer_a_length_and_a_check_digit() {
    goes(
        "⟦4111 1111 1111 1111⟧, ⟦5500-0000-0000-0004⟧, ⟦378282246310005⟧, ⟦30569309025904⟧ and ⟦6011000400000000⟧, ⟦122000000000003⟧.",
    );
    goes("4111111111111112 0.4111111111111111 a4111111111111111 1234567812345670 id-4111111111111111");
}

#[test]
fn an_account_has_a_country_a_length_and_check_digits() {
    goes("⟦DE89 3704 0044 0532 0130 00⟧ ⟦GB29NWBK60161331926819⟧ ⟦MT84MALT011000012345MTLCAST001S⟧ then words");
    goes("DE89370400440532013001 DE8937040044053201300 ZZ89370400440532013000 xDE89370400440532013000");
}

#[test]
fn a_social_security_number_was_issued() {
    goes("⟦536-22-1234⟧ ⟦536 22 1234⟧ ssn: ⟦536221234⟧");
    goes("⟦536221234⟧");
    goes("⟦53622-1234⟧");
    goes("zip 53622-1234");
    goes("000-22-1234 666-22-1234 900-22-1234 536-00-1234 536-22-0000 078-05-1120 536-22 1234 536221234 x536-22-1234");
}

#[test]
fn a_phone_number_has_a_country_and_its_digits() {
    goes("⟦+49 151 23456789⟧, ⟦+1 (415) 555-0132⟧; ⟦+4420 7946 0958⟧ ⟦+690 3101⟧");
    goes("+0100 +12 a+4915123456789 +1 115 555 0132 1+491512345678 +999 1234567 x = y +3");
    // What is added in a diff.
    goes("diff --git a/x b/x\n@@ -1,2 +1,3 @@\n+4915123456789\n-4915123456788\n");
}

#[test]
fn kinds_that_are_off_are_found_where_they_are_named() {
    goes_as("ip-address", "at ⟦192.168.1.1⟧:80 and (⟦2001:db8::1⟧), not 1.2.3 or 1.2.3.4.5 or std::cout or 256.1.1.1");
    goes_as("mac-address", "if ⟦01:23:45:67:89:ab⟧ up, not 01:23-45:67:89:ab or 01:23:45:67:89:ab:cd");
    goes_as("date-of-birth", "born ⟦1990-01-31⟧, seen 2020-01-31; dob: ⟦31.1.1990⟧; born 111111111111");
    goes_as("national-phone", "phone: ⟦(415) 555-0132⟧, order 415 555 0132 99");
    goes_as("national-id", "NIF ⟦12345678Z⟧ not 12345678A, NI ⟦AB 12 34 56 C⟧, ⟦131052-308T⟧");
    goes_as("crypto-address", "to ⟦1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2⟧ not 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3");
    goes_as(
        "crypto-address",
        "to ⟦bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4⟧ not bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
    );
}

#[test]
fn personal_data_goes_however_it_is_parted_and_what_only_looks_like_it_stays() {
    for text in [
        "mail ⟦ada.lovelace+tag@corp-mail.dev⟧ or <⟦bob_b@sub.corp.co.uk⟧>",
        "mailto:⟦ada@corp.dev⟧?subject=x",
        r#""⟦o'brien@corp.ie⟧""#,
        "⟦ADA@CORP.DEV⟧,⟦x.y-z@corp.io⟧;",
        "card ⟦4111 1111 1111 1111⟧ exp 12/27",
        "⟦4111-1111-1111-1111⟧",
        "⟦378282246310005⟧ ⟦3782 822463 10005⟧ ⟦3782-822463-10005⟧",
        "⟦5555555555554444⟧ ⟦2223003122003222⟧ ⟦2720990000000007⟧",
        "⟦6011111111111117⟧ ⟦6500000000000002⟧ ⟦3530111333300000⟧ ⟦3566002020360505⟧",
        "⟦30569309025904⟧ ⟦3056 930902 5904⟧ ⟦38520000023237⟧",
        "⟦6200000000000005⟧ ⟦6759649826438453⟧ ⟦4222222222222⟧",
        "cc=⟦4012888888881881⟧&x",
        "IBAN: ⟦DE89 3704 0044 0532 0130 00⟧",
        "⟦GB82 WEST 1234 5698 7654 32⟧ ⟦FR14 2004 1010 0505 0001 3M02 606⟧",
        "⟦NO93 8601 1117 947⟧ ⟦BE68 5390 0754 7034⟧ ⟦CH93 0076 2011 6238 5295 7⟧",
        "⟦SA03 8000 0000 6080 1016 7519⟧ ⟦BR18 0036 0305 0000 1000 9795 493C 1⟧ ⟦MT84 MALT 0110 0001 2345 MTLC AST0 01S⟧",
        "⟦LC55HEMM000100010012001200023015⟧ ⟦UA213223130000026007233566001⟧ ⟦EG380019000500000000263180002⟧",
        "⟦DE89-3704-0044-0532-0130-00⟧",
        "SSN ⟦536-22-1234⟧ ⟦536 22 1234⟧",
        "ssn: ⟦536221234⟧",
        "000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000",
        "⟦+49 151 23456789⟧ ⟦+1 (415) 555-2671⟧ ⟦+44 20 7946 0958⟧ ⟦+33 1 23 45 67 89⟧",
        "⟦+1-415-555-2671⟧ ⟦+1.415.555.2671⟧ ⟦+14155552671⟧ ⟦+44 (0)20 7946 0958⟧ ⟦+49 (0) 30 123456⟧",
        "⟦+86 138 0013 8000⟧ ⟦+91 98765 43210⟧ ⟦+7 (912) 345-67-89⟧ ⟦+81-90-1234-5678⟧ ⟦+55 (11) 91234-5678⟧ ⟦+972-50-123-4567⟧",
        "order 4111111111111112 v1.2.3.4 2026-11-30T10:00:00+01:00 192.168.1.1 ISBN 978-3-16-148410-0",
        "2026-11-30 12:30:45 1700000000 1700000000000 10.0.0.1:8080 build 20241130123456 commit 94709c3c7a398cee",
        "timestamp +0100 UTC+02:00 offset +12345678 +1 +22 +333 x+1234567890 1+1234567",
        "invoice 2024-0012345 tracking 1Z999AA10123456784 978-0-306-40615-7 EAN 4006381333931",
        "⟦+1-415-555-2671⟧ 20261130 12345",
    ] {
        goes(text);
    }
}
