//! A token in disguise, alone and in two at once: whatever it was written as goes.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use memoseal_scrub::{Policy, Scrubber};

/// In two parts, so that this file holds none.
fn token() -> String {
    ["ghp", "_Zk3Qm8Vx2Rt7Ln4Wp9Ys6Bd1Hc5Jf0Gk2Mn8"].concat()
}

fn each(text: &str, one: impl Fn(char) -> String) -> String {
    text.chars().map(one).collect()
}

fn hex(text: &str) -> String {
    each(text, |c| format!("{:02x}", u32::from(c)))
}

fn base64(text: &str) -> String {
    BASE64.encode(text)
}

fn wide(text: &str) -> String {
    each(text, |c| char::from_u32(u32::from(c) + 0xfee0).unwrap().to_string())
}

fn inside(text: &str, sign: &str) -> String {
    format!("{}{sign}{}{sign}{}", &text[..9], &text[9..20], &text[20..])
}

fn pieces(text: &str, joint: &str) -> String {
    format!("\"{}{joint}{}{joint}{}\"", &text[..12], &text[12..25], &text[25..])
}

/// The name of a disguise, and how it is put on.
type Disguise = (&'static str, fn(&str) -> String);

/// The disguises that are undone.
fn disguises() -> Vec<Disguise> {
    vec![
        ("zero width space", |text| inside(text, "\u{200b}")),
        ("word joiner", |text| inside(text, "\u{2060}")),
        ("soft hyphen", |text| inside(text, "\u{ad}")),
        ("left-to-right mark", |text| inside(text, "\u{200e}")),
        ("combining joiner", |text| inside(text, "\u{34f}")),
        ("full width", wide),
        ("look-alikes", |text| text.replace('p', "р").replace('M', "М").replace('c', "с")),
        ("\\u", |text| each(text, |c| format!("\\u{:04x}", u32::from(c)))),
        ("\\x", |text| each(text, |c| format!("\\x{:02x}", u32::from(c)))),
        ("percent", |text| each(text, |c| format!("%{:02X}", u32::from(c)))),
        ("HTML, decimal", |text| each(text, |c| format!("&#{};", u32::from(c)))),
        ("HTML, hex", |text| each(text, |c| format!("&#x{:x};", u32::from(c)))),
        ("base64", base64),
        ("base64 of UTF-16", |text| base64(&each(text, |c| format!("{c}\0")))),
        ("hex", hex),
        ("hex with 0x", |text| format!("0x{}", hex(text))),
        ("strings added", |text| pieces(text, "\" + \"")),
        ("strings added over lines", |text| pieces(text, "\" +\n    \"")),
        ("strings beside each other", |text| pieces(text, "\"\n    \"")),
        ("lines with a backslash", |text| format!("\"{}\\\n{}\"", &text[..20], &text[20..])),
        ("lines", |text| format!("{}\n    {}", &text[..20], &text[20..])),
        ("emphasis", |text| format!("**{}**{}", &text[..4], &text[4..])),
        ("escaped signs", |text| text.replace('_', "\\_")),
    ]
}

#[track_caller]
fn goes(name: &str, text: &str) {
    let note = format!("a note: {text} and so on\n");
    let clean = Scrubber::new(Policy::secrets()).unwrap().scrub(&note).unwrap();
    assert!(clean.findings.iter().any(|found| found.kind == "github-token"), "{name}: {text}: {:?}", clean.findings);
}

#[test]
fn each_disguise_is_undone() {
    for (name, disguise) in disguises() {
        goes(name, &disguise(&token()));
    }
}

#[test]
fn what_is_decoded_is_decoded_again() {
    let folded = base64(&base64(&base64(&token())));
    goes("base64 three times", &folded);
    goes("base64 of hex", &base64(&hex(&token())));
    goes("hex of base64", &hex(&base64(&token())));
    for (name, disguise) in disguises() {
        goes(name, &base64(&format!("the token is {} and so on", disguise(&token()))));
    }
    goes("zero width in base64", &inside(&base64(&token()), "\u{200b}"));
    goes("base64 in percent", &each(&base64(&token()), |c| format!("%{:02X}", u32::from(c))));
    goes("full width in \\u", &each(&wide(&token()), |c| format!("\\u{:04x}", u32::from(c))));
    goes("zero width in added strings", &pieces(&token(), "\u{200b}\" + \""));
}
