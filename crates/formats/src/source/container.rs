//! What a file is, by its first bytes, since files are renamed and piped. It is decided here alone,
//! for every reader.

use super::archive::Archive;
use super::foreign::Foreign;
use flate2::bufread::MultiGzDecoder;
use std::collections::VecDeque;
use std::io::{self, BufReader, Chain, Cursor, Read};

/// How many bytes tell what a file is: of a zip file the name of the first file within it.
const ENOUGH: usize = 128;

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Container {
    /// Text in UTF-8, as far as anything is known of it.
    Text,
    /// Text in UTF-16.
    Utf16(ByteOrder),
    Gzip,
    Parquet,
    /// A ZIP archive: an Inspect log, or one that may hold a file of records.
    Zip,
    Foreign(Foreign),
}

/// Which byte of two comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// Returns what a file is that begins with these bytes.
fn recognise(first: &[u8]) -> Container {
    let foreign = match first {
        [b'P', b'A', b'R', b'1', ..] => return Container::Parquet,
        // RFC 1952, section 2.3.1.
        [0x1f, 0x8b, ..] => return Container::Gzip,
        [0xff, 0xfe, ..] => return Container::Utf16(ByteOrder::Little),
        [0xfe, 0xff, ..] => return Container::Utf16(ByteOrder::Big),
        // ASCII in two bytes each, without a byte order mark: no text in UTF-8 holds a zero byte.
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => return Container::Utf16(ByteOrder::Little),
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => return Container::Utf16(ByteOrder::Big),
        // The signature of a local file header (APPNOTE.TXT 4.3.7), or of an empty archive.
        [b'P', b'K', 3, 4, ..] if is_workbook(first.get(30..).unwrap_or_default()) => {
            Foreign::Workbook
        }
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Container::Zip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Foreign::Packed("zstd"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Foreign::Packed("xz"),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => Foreign::Packed("bzip2"),
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Foreign::Packed("7-Zip"),
        // A protocol of 2 or later, which begins with its own number.
        [0x80, 2..=5, ..] => Foreign::Pickle,
        _ if first.starts_with(b"SQLite format 3\0") => Foreign::Sqlite,
        _ if first.starts_with(b"ARROW1") => Foreign::Arrow,
        _ if first.starts_with(b"%PDF-") => Foreign::Pdf,
        _ => return Container::Text,
    };
    Container::Foreign(foreign)
}

/// Whether the first file of a zip file, whose name begins here, is that of a workbook.
fn is_workbook(name: &[u8]) -> bool {
    let known = [
        "[Content_Types].xml",
        "xl/",
        "_rels/.rels",
        "mimetypeapplication/vnd.oasis",
    ];
    known.iter().any(|known| name.starts_with(known.as_bytes()))
}

/// The text of a file, unpacked and in UTF-8.
pub(crate) struct Text<R: Read> {
    from: Unpacked<Begun<R>>,
    /// What was read of it to know what it is.
    head: Cursor<Vec<u8>>,
    /// Why the head ends where it does, if that is no end of the file.
    failed: Option<io::Error>,
    utf16: Option<Utf16>,
}

/// A stream of which the first bytes were read, and stand before the others again.
pub(crate) type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

enum Unpacked<R: Read> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<BufReader<R>>>),
    Zip(Archive),
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(input) => input.read(bytes),
            Unpacked::Gzip(input) => input.read(bytes),
            Unpacked::Zip(archive) => archive.read(bytes),
        }
    }
}

/// A file that was opened, by its first bytes.
pub(crate) enum Opened<R: Read> {
    Text(Box<Text<R>>),
    Parquet(Begun<R>),
    Foreign(Foreign),
}

/// Opens a file.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn open<R: Read>(mut input: R) -> io::Result<Opened<R>> {
    let mut first = Vec::new();
    (&mut input).take(ENOUGH as u64).read_to_end(&mut first)?;
    let container = recognise(&first);
    let mut begun = Cursor::new(first).chain(input);
    let mut from = match container {
        Container::Parquet => return Ok(Opened::Parquet(begun)),
        Container::Gzip => {
            let packed = BufReader::with_capacity(1 << 16, begun);
            Unpacked::Gzip(Box::new(MultiGzDecoder::new(packed)))
        }
        // The directory of an archive stands at its end, so that it is held whole.
        Container::Zip => {
            let mut packed = Vec::new();
            begun.read_to_end(&mut packed)?;
            match Archive::open(packed) {
                Ok(archive) => Unpacked::Zip(archive),
                Err(foreign) => return Ok(Opened::Foreign(foreign)),
            }
        }
        _ => Unpacked::Plain(begun),
    };
    // What was read of the text before an error comes before it.
    let mut head = Vec::new();
    let read = (&mut from).take(ENOUGH as u64).read_to_end(&mut head);
    let utf16 = match recognise(&head) {
        Container::Foreign(foreign) => return Ok(Opened::Foreign(foreign)),
        // Within gzip, or within another.
        Container::Zip => return Ok(Opened::Foreign(Foreign::Packed("zip"))),
        Container::Utf16(order) => Some(Utf16 {
            order,
            begun: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
        }),
        Container::Text | Container::Gzip | Container::Parquet => None,
    };
    Ok(Opened::Text(Box::new(Text {
        from,
        head: Cursor::new(head),
        failed: read.err(),
        utf16,
    })))
}

impl<R: Read> Text<R> {
    /// Whether it is packed by gzip.
    pub(crate) fn is_gzip(&self) -> bool {
        matches!(self.from, Unpacked::Gzip(_))
    }

    /// Reads what stands in the file, in its own encoding.
    fn read_packed(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.head.read(bytes)?;
        if read > 0 || bytes.is_empty() {
            return Ok(read);
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.from.read(bytes),
        }
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Some(mut utf16) = self.utf16.take() else {
            return self.read_packed(bytes);
        };
        let mut read = Ok(0);
        while utf16.ready.is_empty() && !utf16.ended && !bytes.is_empty() {
            let mut units = [0; 1 << 13];
            match self.read_packed(&mut units) {
                Ok(read) => utf16.take_bytes(units.get(..read).unwrap_or_default()),
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        if read.is_ok() {
            read = utf16.ready.read(bytes);
        }
        self.utf16 = Some(utf16);
        read
    }
}

/// Text in UTF-16 on its way to UTF-8. Half of a pair without the other is U+FFFD.
struct Utf16 {
    order: ByteOrder,
    /// Bytes of a unit, or of the first half of a pair, whose rest is still to come.
    begun: Vec<u8>,
    /// What is ready in UTF-8.
    ready: VecDeque<u8>,
    ended: bool,
}

impl Utf16 {
    /// Takes more of the file; no bytes are its end.
    fn take_bytes(&mut self, bytes: &[u8]) {
        self.ended = bytes.is_empty();
        if self.ended {
            let has_rest = !self.begun.is_empty();
            self.ready.extend("\u{fffd}".bytes().filter(|_| has_rest));
            return;
        }
        self.begun.extend_from_slice(bytes);
        let (units, odd) = self.begun.as_chunks::<2>();
        let units = units.iter().map(|unit| match self.order {
            ByteOrder::Little => u16::from_le_bytes(*unit),
            ByteOrder::Big => u16::from_be_bytes(*unit),
        });
        let mut units: Vec<u16> = units.collect();
        let mut rest = odd.len();
        // The first half of a pair waits for the other.
        if units
            .pop_if(|last| (0xd800..0xdc00).contains(last))
            .is_some()
        {
            rest += 2;
        }
        let mut utf8 = [0; 4];
        for decoded in char::decode_utf16(units) {
            let found = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ready.extend(found.encode_utf8(&mut utf8).as_bytes());
        }
        self.begun.drain(..self.begun.len() - rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn read_all(bytes: &[u8]) -> Vec<u8> {
        let Opened::Text(mut opened) = open(bytes).unwrap() else {
            panic!("no text: {bytes:?}");
        };
        let mut text = Vec::new();
        opened.read_to_end(&mut text).unwrap();
        text
    }

    #[test]
    fn files_of_others_say_what_they_are() {
        let zip = |name: &str| [&b"PK\x03\x04"[..], &[0; 26], name.as_bytes()].concat();
        for (bytes, said) in [
            (zip("[Content_Types].xml"), "workbook"),
            (b"\x28\xb5\x2f\xfd....".to_vec(), "zstd"),
            (b"SQLite format 3\0....".to_vec(), "SQLite"),
            (b"\x80\x04\x95....".to_vec(), "pickle"),
        ] {
            for bytes in [gzip(&bytes), bytes] {
                let Opened::Foreign(foreign) = open(&bytes[..]).unwrap() else {
                    panic!("{said} is read");
                };
                assert!(foreign.to_string().contains(said), "{said}: {foreign}");
            }
        }
    }

    #[test]
    fn what_is_cut_short_at_the_end_is_one_character() {
        let units = [0xfeff_u16, 0x61, 0xd83d];
        let mut bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        bytes.push(0x3d);
        assert_eq!(read_all(&bytes), "\u{feff}a\u{fffd}".as_bytes());
    }

    proptest! {
        /// What is written in UTF-16 is read as what is written in UTF-8, packed or not.
        #[test]
        fn utf16_is_read_as_utf8(text in "[a-z{]{2}[a-zé\u{1f600}\u{ffff}\n]{0,3000}", mark in any::<bool>()) {
            let units: Vec<u16> = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16()).collect();
            let expected = if mark { format!("\u{feff}{text}") } else { text };
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            for bytes in [gzip(&little), little, gzip(&big), big] {
                prop_assert_eq!(String::from_utf8(read_all(&bytes)).unwrap(), expected.clone());
            }
        }

        /// Half a pair becomes U+FFFD, as the standard library has it.
        #[test]
        fn half_a_pair_is_no_error(units in prop::collection::vec(prop_oneof![0xd7ff_u16..=0xe000, 97..100_u16], 0..50)) {
            let units: Vec<u16> = [0xfeff].into_iter().chain(units).collect();
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            prop_assert_eq!(String::from_utf8(read_all(&bytes)).unwrap(), String::from_utf16_lossy(&units));
        }

        #[test]
        fn other_text_stays_as_it_is(bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'\n'), 32..127_u8, 0xc0..0xc2_u8], 0..600)) {
            prop_assert_eq!(read_all(&gzip(&bytes)), bytes.clone());
            prop_assert_eq!(read_all(&bytes), bytes);
        }
    }
}
