//! What a file holds, told from its content and its name.

use crate::path::MemoryPath;

/// What a file holds.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// Valid UTF-8, whatever the name.
    Text(&'a str),
    /// An image under the name of an image, with its media type.
    Image(&'static str),
    /// Anything else.
    Other,
}

/// The first bytes of a PNG: PNG specification, section 5.2.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The start-of-image marker of a JPEG and the beginning of the marker that follows: ITU-T T.81, annex B.
const JPEG: &[u8] = b"\xff\xd8\xff";

/// What `content` under the name `path` is. The media type of an image comes from its content.
pub(super) fn kind<'a>(path: &MemoryPath, content: &'a [u8]) -> Kind<'a> {
    if let Ok(text) = std::str::from_utf8(content) {
        return Kind::Text(text);
    }
    let extension = path.name().rsplit_once('.').map_or("", |(_, extension)| extension);
    if !["jpg", "jpeg", "png"].iter().any(|image| extension.eq_ignore_ascii_case(image)) {
        Kind::Other
    } else if content.starts_with(PNG) {
        Kind::Image("image/png")
    } else if content.starts_with(JPEG) {
        Kind::Image("image/jpeg")
    } else {
        Kind::Other
    }
}
