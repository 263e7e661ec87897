//! What stands in the place of a secret and is none: a name of it, an example, nothing.

use memchr::memchr;

/// Whether a value only says where the secret comes from, or that there is none: `$TOKEN`, `${{ secrets.TOKEN }}`,
/// `<your token>`, `os.environ[...]`, `****`, `null`.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some((&first, rest)) = value.split_first() else { return true };
    match first {
        b'$' => is_variable(rest),
        b'%' => {
            let is_name_between =
                rest.last() == Some(&b'%') && rest[..rest.len() - 1].iter().all(|&byte| is_name(byte));
            is_name_between || is_template(value)
        }
        b'{' => braced(value, b"{", b"}") || is_template(value),
        b'<' => rest.last() == Some(&b'>') && memchr(b'>', rest) == Some(rest.len() - 1),
        b'@' => rest.starts_with(b"Microsoft.KeyVault(") || rest.starts_with(b"@"),
        b'#' => braced(value, b"#{", b"}"),
        b':' => rest.iter().all(|&byte| is_name(byte)) && !rest.iter().any(u8::is_ascii_digit),
        b'!' => rest.starts_with(b"Ref ") || rest.starts_with(b"Sub ") || rest.starts_with(b"vault"),
        _ if is_template(value) => true,
        _ => is_masked(value) || is_nothing(value) || is_lookup(value),
    }
}

/// After a dollar sign: `NAME`, `{...}`, `(...)`, `{{...}}`.
fn is_variable(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'{') => braced(rest, b"{", b"}"),
        Some(b'(') => braced(rest, b"(", b")"),
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
            // A name of a variable, and what is reached through it; a token after a dollar sign has digits within.
            let name = rest.iter().take_while(|&&byte| is_name(byte)).count();
            let after = &rest[name..];
            let path = after.is_empty()
                || after.starts_with(b"/")
                || after.starts_with(b"->")
                || after.starts_with(b"[")
                || after.starts_with(b".");
            path && rest[..name].iter().filter(|byte| byte.is_ascii_digit()).count() <= 2
        }
        Some(byte) => rest.len() == 1 && byte.is_ascii_digit(),
        None => true,
    }
}

fn braced(value: &[u8], open: &[u8], close: &[u8]) -> bool {
    value.len() >= open.len() + close.len()
        && value.starts_with(open)
        && value.ends_with(close)
        && !value[open.len()..value.len() - close.len()].contains(&b'\n')
}

/// What is filled in later, and nothing else: `%s:%s`, `{user}:{password}`.
fn is_template(value: &[u8]) -> bool {
    let mut rest = value;
    let mut some = false;
    while let Some((&first, after)) = rest.split_first() {
        let length = match first {
            b'{' => rest
                .iter()
                .position(|&byte| byte == b'}')
                .filter(|&end| rest[1..end].iter().all(|&byte| is_name(byte) || b".:!?".contains(&byte))),
            b'%' => matches!(after.first(), Some(b's' | b'd' | b'r' | b'v' | b'q' | b'@')).then_some(1),
            byte if byte.is_ascii_alphanumeric() => return false,
            _ => Some(0),
        };
        let Some(length) = length else { return false };
        some |= length > 0;
        rest = &rest[length + 1..];
    }
    some
}

/// The same mark over and over: `****`, `xxxx`, `....`.
fn is_masked(value: &[u8]) -> bool {
    let first = value[0].to_ascii_lowercase();
    let mark = matches!(first, b'*' | b'x' | b'.' | b'-' | b'_' | b'#' | b'?' | b'0');
    mark && value.iter().all(|byte| byte.to_ascii_lowercase() == first)
        || value.starts_with("•".as_bytes())
        || value.starts_with("…".as_bytes())
}

fn is_nothing(value: &[u8]) -> bool {
    const NOTHING: [&[u8]; 26] = [
        b"null",
        b"nil",
        b"none",
        b"undefined",
        b"true",
        b"false",
        b"yes",
        b"no",
        b"empty",
        b"todo",
        b"tbd",
        b"n/a",
        b"optional",
        b"required",
        b"string",
        b"str",
        b"bytes",
        b"redacted",
        b"hidden",
        b"unset",
        b"missing",
        b"int",
        b"bool",
        b"self",
        b"this",
        b"void",
    ];
    value.len() <= 9 && NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// A look-up in the environment or a vault.
fn is_lookup(value: &[u8]) -> bool {
    const LOOKUPS: [&[u8]; 24] = [
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"getenv(",
        b"env(",
        b"env.",
        b"env:",
        b"ENV[",
        b"System.getenv",
        b"std::env",
        b"import.meta.env",
        b"secrets.",
        b"vars.",
        b"vault:",
        b"op://",
        b"ref+",
        b"arn:aws",
        b"keyring:",
        b"var.",
        b"local.",
        b"data.",
        b"config.",
        b"settings.",
        b"sm://",
    ];
    LOOKUPS.iter().any(|prefix| value.starts_with(prefix))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
