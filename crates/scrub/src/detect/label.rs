//! Names of things, and what stands behind them: `DB_PASSWORD`, `apiKey`, `x-auth-token`.

/// What a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// Perhaps a key: only what looks random, and is no digest.
    Key,
    /// A secret that machines make.
    Secret,
    /// A secret that people make: it may look like anything.
    Password,
}

/// The most bytes of a name.
const LONGEST: usize = 96;

/// Whether a byte may stand in a name.
pub(crate) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

/// What the name promises; nothing if it is none of a secret.
pub(crate) fn promise(name: &[u8]) -> Option<Promise> {
    if name.len() > LONGEST {
        return None;
    }
    let words = Words::of(name);
    let mut words = words.as_slice();
    // What is only said of a secret, and is still it.
    while let Some((last, rest)) = words.split_last()
        && !rest.is_empty()
        && SAID.contains(&last.as_bytes())
    {
        words = rest;
    }
    let (last, rest) = words.split_last()?;
    let (last, before) = (last.as_bytes(), rest.last().map(Word::as_bytes).unwrap_or_default());
    if words.iter().any(|word| NEVER.contains(&word.as_bytes())) {
        return None;
    }
    let ends = |suffixes: &[&[u8]]| suffixes.iter().any(|suffix| last.ends_with(suffix));
    if ends(&[b"password", b"passwd", b"passwrd", b"passphrase", b"passcode", b"passwort", b"pwd"])
        || ends(&[b"storepass", b"keypass", b"dbpass", b"adminpass", b"rootpass", b"bindpass", b"masterpass"])
        || ends(&[b"requirepass"])
        || matches!(last, b"pass" | b"pw" | b"pword" | b"psw" | b"pswd" | b"userpass")
        || last == b"secrete"
        || last == b"phrase" && matches!(before, b"pass" | b"seed" | b"recovery" | b"mnemonic")
        || last == b"word" && before == b"pass"
        || last == b"mnemonic"
    {
        return Some(Promise::Password);
    }
    if ends(&[
        b"secret",
        b"token",
        b"apikey",
        b"secretkey",
        b"accesskey",
        b"authkey",
        b"privatekey",
        b"masterkey",
        b"secrets",
    ]) || matches!(
        last,
        b"credential" | b"credentials" | b"creds" | b"bearer" | b"crumb" | b"jwt" | b"cookie" | b"pat" | b"apitoken"
    ) {
        return Some(Promise::Secret);
    }
    if is_compound(name) {
        return Some(Promise::Secret);
    }
    if ends(&[b"key"]) || last == b"keys" {
        let pair: [&[u8]; 19] = [
            b"api",
            b"secret",
            b"access",
            b"private",
            b"auth",
            b"account",
            b"master",
            b"encryption",
            b"signing",
            b"license",
            b"service",
            b"deploy",
            b"admin",
            b"client",
            b"app",
            b"shared",
            b"subscription",
            b"storage",
            b"accesskey",
        ];
        if pair.contains(&before) {
            return Some(Promise::Secret);
        }
        let common: [&[u8]; 34] = [
            b"primary",
            b"foreign",
            b"cache",
            b"sort",
            b"partition",
            b"object",
            b"hash",
            b"map",
            b"lookup",
            b"dedup",
            b"idempotency",
            b"routing",
            b"row",
            b"index",
            b"unique",
            b"composite",
            b"host",
            b"store",
            b"node",
            b"file",
            b"image",
            b"content",
            b"etag",
            b"group",
            b"field",
            b"item",
            b"dict",
            b"translation",
            b"i18n",
            b"query",
            b"event",
            b"trace",
            b"bucket",
            b"commit",
        ];
        return (!common.contains(&before)).then_some(Promise::Key);
    }
    matches!(
        last,
        b"auth"
            | b"login"
            | b"authorization"
            | b"private"
            | b"sig"
            | b"signature"
            | b"sas"
            | b"connstr"
            | b"dsn"
            | b"access"
    )
    .then_some(Promise::Key)
}

/// Whether a name ends as one of a secret does, however its words are written: `accessKEy`, `vendorPRIVATEkey`.
fn is_compound(name: &[u8]) -> bool {
    let tail = &name[name.len().saturating_sub(16)..];
    const COMPOUNDS: [&[u8]; 7] =
        [b"privatekey", b"accesskey", b"secretkey", b"apikey", b"authkey", b"secrettoken", b"accesstoken"];
    COMPOUNDS.iter().any(|compound| {
        tail.len().checked_sub(compound.len()).is_some_and(|at| tail[at..].eq_ignore_ascii_case(compound))
    })
}

/// Words after a secret's name that leave it what it is.
const SAID: &[&[u8]] = &[
    b"value",
    b"string",
    b"str",
    b"text",
    b"raw",
    b"prod",
    b"production",
    b"dev",
    b"test",
    b"testing",
    b"staging",
    b"live",
    b"default",
    b"current",
    b"old",
    b"new",
    b"base64",
    b"b64",
    b"hex",
    b"var",
    b"plain",
    b"plaintext",
    b"a",
    b"b",
    b"1",
    b"2",
    b"3",
    b"dsn",
    b"confirmation",
    b"confirm",
    b"hash",
];

/// Words that make a name another thing's.
const NEVER: &[&[u8]] = &[
    b"public",
    b"tokenizer",
    b"tokens",
    b"keyboard",
    b"keyword",
    b"keywords",
    b"author",
    b"authority",
    b"authors",
    b"count",
    b"len",
    b"length",
    b"max",
    b"min",
    b"type",
    b"keycode",
    b"hotkey",
    b"checksum",
    b"digest",
    b"sha256",
    b"sha1",
    b"md5",
    b"integrity",
    b"fingerprint",
    b"pubkey",
];

/// A word of a name, in lower case.
#[derive(Clone, Copy)]
struct Word {
    bytes: [u8; 20],
    length: u8,
}

impl Word {
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The last words of a name.
struct Words {
    words: [Word; 8],
    count: usize,
}

impl Words {
    fn as_slice(&self) -> &[Word] {
        &self.words[..self.count]
    }

    /// Splits at what is no letter or digit, before a capital after a small letter, and before the last of several
    /// capitals: `HTTPServerKey2` is http, server, key.
    fn of(name: &[u8]) -> Self {
        let mut words = Self { words: [Word { bytes: [0; 20], length: 0 }; 8], count: 0 };
        let mut fresh = true;
        for (i, &byte) in name.iter().enumerate() {
            if !byte.is_ascii_alphanumeric() {
                fresh = true;
                continue;
            }
            let before = i.checked_sub(1).map_or(0, |at| name[at]);
            let after = name.get(i + 1).copied().unwrap_or(0);
            let hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && after.is_ascii_lowercase());
            if fresh || hump {
                words.begin();
                fresh = false;
            }
            words.push(byte.to_ascii_lowercase());
        }
        words.words[..words.count].iter_mut().for_each(Word::trim);
        words
    }

    fn begin(&mut self) {
        if self.count == self.words.len() {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        self.words[self.count] = Word { bytes: [0; 20], length: 0 };
        self.count += 1;
    }

    fn push(&mut self, byte: u8) {
        let Some(word) = self.count.checked_sub(1).and_then(|last| self.words.get_mut(last)) else { return };
        if usize::from(word.length) == word.bytes.len() {
            // Only the end of a long word is kept.
            word.bytes.rotate_left(1);
            word.length -= 1;
        }
        word.bytes[usize::from(word.length)] = byte;
        word.length += 1;
    }
}

impl Word {
    /// `token1` is token.
    fn trim(&mut self) {
        let word = self.as_bytes();
        let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        if digits < word.len()
            && digits <= 2
            && !matches!(word, b"sha1" | b"sha256" | b"md5" | b"base64" | b"b64" | b"i18n")
        {
            self.length -= digits as u8;
        }
    }
}
