//! Lines of bounded length from a stream of unbounded ones.

use std::io::{self, BufRead};

/// The longest line that is taken, in bytes, its newline not counted.
pub(crate) const MAX_LINE: usize = 32 * 1024 * 1024;

/// One line, without its newline.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Bytes(Vec<u8>),
    /// It was longer than allowed, and was passed over without being kept.
    TooLong,
}

/// Reads the next line; nothing at the end of the stream. Holds at most `max` bytes of it.
pub(crate) fn next(reader: &mut impl BufRead, max: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut too_long = false;
    let mut started = false;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        started = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        if !too_long && bytes.len() + part.len() <= max {
            bytes.extend_from_slice(part);
        } else {
            too_long = true;
            bytes = Vec::new();
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(started.then_some(if too_long { Line::TooLong } else { Line::Bytes(bytes) }))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(input: &[u8], max: usize, buffer: usize) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(buffer, input);
        std::iter::from_fn(|| next(&mut reader, max).unwrap()).collect()
    }

    #[test]
    fn lines_come_whole_or_not_at_all_whatever_the_buffer() {
        let bytes = |text: &str| Line::Bytes(text.into());
        for buffer in 1..12 {
            let lines = read(b"one\n\nthree\r\ntoo long a line\nlast", 6, buffer);
            assert_eq!(lines, [bytes("one"), bytes(""), bytes("three\r"), Line::TooLong, bytes("last")], "{buffer}");
        }
        assert_eq!(read(b"", 6, 4), []);
        assert_eq!(read(b"\n", 6, 4), [bytes("")]);
    }
}
