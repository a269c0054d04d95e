//! The beginning of a stream: what it is packed in, its encoding, and a byte order mark.

use super::error::{DataProblem, Place, Result};
use crate::container::Text;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

type Stream<'a> = Box<dyn BufRead + 'a>;

/// Returns the text of a file, unpacked, in UTF-8 and without a byte order mark, and how many bytes
/// the mark was.
pub(super) fn open_text<'a>(input: Stream<'a>, file: &Arc<str>) -> Result<(Stream<'a>, u64)> {
    let file = Place::file(file.clone());
    let failed = |e: io::Error| DataProblem::Io(e.to_string()).at(&file);
    let text = Text::open(input).map_err(failed)?;
    let text = text.map_err(|foreign| DataProblem::Foreign(foreign).at(&file))?;
    let text: Stream<'a> = Box::new(BufReader::with_capacity(1 << 16, text));
    skip_mark(text).map_err(failed)
}

/// Returns the stream without a byte order mark, and how many bytes that was.
fn skip_mark(input: Stream<'_>) -> io::Result<(Stream<'_>, u64)> {
    let (first, mut input) = peek_first::<3>(input)?;
    // The byte order mark in UTF-8.
    if first != [0xef, 0xbb, 0xbf] {
        return Ok((input, 0));
    }
    input.read_exact(&mut [0; 3])?;
    Ok((input, 3))
}

/// Returns the first N bytes (fewer if there are no more), and the whole stream.
pub(super) fn peek_first<'a, const N: usize>(
    mut input: Stream<'a>,
) -> io::Result<(Vec<u8>, Stream<'a>)> {
    let mut first = Vec::new();
    (&mut *input).take(N as u64).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(io::Cursor::new(first).chain(input))))
}
