//! Patterns as Go reads them, for which gitleaks' rules are written, as this crate's engine reads them.

/// The pattern with what only Go takes for itself escaped: a brace that begins no repetition, and inside a class a
/// bracket and doubled signs. What is between `\Q` and `\E` is spelled out.
pub(super) fn from_go(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    // Where the class that is open began in `out`, if one is.
    let mut class: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' if rest.starts_with("\\Q") => {
                let quoted = rest[2..].split("\\E").next().unwrap_or_default();
                out.push_str(&regex::escape(quoted));
                length = (2 + quoted.len() + 2).min(rest.len());
            }
            '\\' => {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..length]);
            }
            '[' if class.is_some() => match rest.find(":]").filter(|_| rest.starts_with("[:")) {
                Some(end) => {
                    length = end + 2;
                    out.push_str(&rest[..length]);
                }
                None => out.push_str("\\["),
            },
            '[' => {
                class = Some(out.len());
                out.push('[');
                if rest[1..].starts_with('^') {
                    out.push('^');
                    length += 1;
                }
                // A bracket that comes first closes nothing.
                if rest[length..].starts_with(']') {
                    out.push_str("\\]");
                    length += 1;
                }
            }
            ']' if class.is_some() => {
                class = None;
                out.push(']');
            }
            '&' | '~' if class.is_some() => {
                out.push('\\');
                out.push(c);
            }
            '{' if class.is_none() && !is_repetition(rest) => out.push_str("\\{"),
            c => out.push(c),
        }
        rest = &rest[length..];
    }
    out
}

/// Whether a repetition begins here: `{3}`, `{3,}`, `{3,5}`.
fn is_repetition(text: &str) -> bool {
    let Some((inside, _)) = text[1..].split_once('}') else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && is_number(least) && is_number(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_takes_for_itself_is_escaped_and_the_rest_stays() {
        for (go, ours) in [
            ("a{2}b{3,}c{4,5}", "a{2}b{3,}c{4,5}"),
            ("{{x}}", "\\{\\{x}}"),
            ("\\{\\d{2}", "\\{\\d{2}"),
            ("[[a]", "[\\[a]"),
            ("[[:alpha:]_]", "[[:alpha:]_]"),
            ("[]a]", "[\\]a]"),
            ("[^]a]", "[^\\]a]"),
            ("[a&&b]&&", "[a\\&\\&b]&&"),
            ("[{]{", "[{]\\{"),
            ("\\Qa.b\\E.", "a\\.b."),
            ("é{x", "é\\{x"),
        ] {
            assert_eq!(from_go(go), ours, "{go}");
            assert!(regex::bytes::Regex::new(ours).is_ok(), "{ours}");
        }
    }
}
