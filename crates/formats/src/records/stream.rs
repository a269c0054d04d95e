//! The beginning of a stream: compression and a byte order mark.

use super::error::{DataProblem, Place, Result};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

type Stream<'a> = Box<dyn BufRead + 'a>;

/// Returns the text of a file, decompressed and without a byte order mark, and how many bytes the
/// mark was.
pub(super) fn open_text<'a>(input: Stream<'a>, file: &Arc<str>) -> Result<(Stream<'a>, u64)> {
    let opened = decompress(input).and_then(skip_mark);
    opened.map_err(|e| {
        let file = Place::file(file.clone());
        DataProblem::Io(e.to_string()).at(&file)
    })
}

/// Returns the stream, decompressed if it is gzip.
fn decompress(input: Stream<'_>) -> io::Result<Stream<'_>> {
    let (first, input) = peek_first::<2>(input)?;
    // The magic bytes of gzip (RFC 1952, section 2.3.1).
    if first != [0x1f, 0x8b] {
        return Ok(input);
    }
    let text = MultiGzDecoder::new(input);
    Ok(Box::new(BufReader::with_capacity(1 << 16, text)))
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
