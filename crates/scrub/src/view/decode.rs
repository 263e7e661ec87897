//! Runs of base64 and hex that decode to text.

use std::ops::Range;

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use crate::text::Bytes;

/// The fewest signs of a run: no secret worth the name is shorter.
const SHORTEST: usize = 20;
/// The signs from which it is seen at once that a run is no text.
const GLANCE: usize = 8;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// A run, and the text in it.
pub(crate) struct Decoded {
    pub(crate) span: Range<usize>,
    pub(crate) bytes: Vec<u8>,
}

/// Every run of a text that decodes to text.
pub(crate) fn runs(text: &[u8]) -> impl Iterator<Item = Decoded> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = SIGNS.next(text, at)?;
            at = SIGNS.run(text, start);
            if at - start < SHORTEST {
                continue;
            }
            let padding = text[at..].iter().take(2).take_while(|&&byte| byte == b'=').count();
            let run = &text[start..at];
            if let Some(bytes) = hex(run).or_else(|| base64(run)) {
                return Some(Decoded { span: start..at + padding, bytes });
            }
        }
    })
}

/// What base64 and hex are written in, the padding apart.
const SIGNS: Bytes = Bytes::new(b"+/-_", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]);

fn base64(run: &[u8]) -> Option<Vec<u8>> {
    let mut glance = [0; 6];
    let engine = if run.iter().any(|byte| matches!(byte, b'-' | b'_')) { URL_SAFE } else { STANDARD };
    engine.decode_slice(&run[..GLANCE], &mut glance).ok()?;
    let wide = is_wide(&glance);
    if !wide && !is_text(&glance) {
        return None;
    }
    // What is one sign too long is cut: that sign holds six bits of nothing.
    let whole = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
    let bytes = engine.decode(whole).ok()?;
    let bytes = if wide && is_wide(&bytes) { bytes.into_iter().step_by(2).collect() } else { bytes };
    is_text(&bytes).then_some(bytes)
}

/// Whether bytes are ASCII in UTF-16, as PowerShell's encoded commands are.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.chunks(2).all(|pair| pair[0] != 0 && pair.get(1).is_none_or(|&high| high == 0))
}

fn hex(run: &[u8]) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| {
        let digit = |byte: u8| (byte as char).to_digit(16);
        u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()
    };
    let run = run.strip_prefix(b"0x").unwrap_or(run);
    let glance: Vec<u8> = run.get(..GLANCE)?.chunks_exact(2).map_while(pair).collect();
    if glance.len() * 2 < GLANCE || !is_text(&glance) || run.len() % 2 == 1 {
        return None;
    }
    let bytes: Option<Vec<u8>> = run.chunks_exact(2).map(pair).collect();
    bytes.filter(|bytes| is_text(bytes))
}

/// Printable, in UTF-8; a glance may end inside a character, which ASCII text does not.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte >= 0x20 && byte != 0x7f || matches!(byte, b'\t' | b'\n' | b'\r'))
        && (bytes.is_ascii() || bytes.len() > GLANCE && std::str::from_utf8(bytes).is_ok())
}
