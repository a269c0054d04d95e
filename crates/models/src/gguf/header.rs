//! The header of a GGUF file: its metadata and its table of tensors.

use super::error::Fault;
use super::metadata::{Value, find_number, find_text};
use super::reader::ByteReader;
use super::tensor_types;
use super::vocabulary::{TOKENS, Vocabulary, check_kind, check_vocabulary, read_tokens};
use std::collections::BTreeMap;
use std::io::Read;

/// The header of a GGUF file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The metadata, by key.
    pub metadata: BTreeMap<String, Value>,
    /// The tensors, in the order of the table.
    pub tensors: Vec<Tensor>,
    /// Where the tensors' data begins, in bytes from the start of the file.
    pub data_start: u64,
}

/// A tensor, as the table tells about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// How many values it has.
    pub values: u64,
    /// The number of its kind.
    pub kind: u32,
    /// Where its data begins, in bytes from [`Header::data_start`].
    pub offset: u64,
}

/// ggml's limit.
const MOST_DIMENSIONS: u32 = 4;
const MOST_ENTRIES: u64 = 1 << 20;
const DEFAULT_ALIGNMENT: u64 = 32;
const MOST_ALIGNMENT: u64 = 1 << 20;

impl Header {
    /// Reads a header from the start of a source that has this many bytes in all.
    ///
    /// Time and memory are bounded by the length, whatever the bytes say.
    pub fn read(source: impl Read, length: u64) -> Result<Header, Fault> {
        let mut scan = ByteReader::new(source, length);
        check_magic(&mut scan)?;
        let (tensors, pairs) = (read_count(&mut scan)?, read_count(&mut scan)?);
        let (mut header, mut vocabulary) = (Header::default(), Vocabulary::default());
        for _ in 0..pairs {
            let key = scan.string()?;
            if key.is_empty() {
                return Err(Fault::damaged("a value without a name"));
            }
            let value = read_value(&mut scan, &key, &mut vocabulary)?;
            header.metadata.insert(key, value);
        }
        for _ in 0..tensors {
            header.tensors.push(read_tensor(&mut scan)?);
        }
        header.data_start = scan.at().next_multiple_of(header.alignment()?);
        header.check_loadable(&vocabulary)?;
        Ok(header)
    }

    /// A text of the metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        find_text(&self.metadata, key)
    }

    /// A whole number of the metadata.
    pub fn number(&self, key: &str) -> Option<u64> {
        find_number(&self.metadata, key)
    }

    /// A number that the metadata keep under the architecture's name, such as
    /// `llama.context_length`.
    pub fn of_architecture(&self, name: &str) -> Option<u64> {
        self.number(&format!("{}.{name}", self.text("general.architecture")?))
    }

    /// How many values all tensors have together.
    pub fn parameters(&self) -> u64 {
        self.tensors
            .iter()
            .fold(0, |sum, tensor| sum.saturating_add(tensor.values))
    }

    /// Fails where a file of this many bytes cannot hold all tensors, or holds only a part of a
    /// model.
    pub fn check_length(&self, actual: u64) -> Result<(), Fault> {
        if let Some(parts @ 2..) = self.number("split.count") {
            return Err(Fault::Split(parts));
        }
        let expected = self
            .tensors
            .iter()
            .map(|tensor| self.end(tensor))
            .max()
            .unwrap_or(self.data_start);
        if expected > actual {
            Err(Fault::Truncated { expected, actual })
        } else {
            Ok(())
        }
    }

    /// Fails where llama.cpp would end the program while it loads the model or makes tokens of a
    /// text.
    fn check_loadable(&self, vocabulary: &Vocabulary) -> Result<(), Fault> {
        if self.of_architecture("block_count") == Some(0) {
            return Err(Fault::damaged("a model of 0 layers"));
        }
        check_vocabulary(&self.metadata, vocabulary)
    }

    fn end(&self, tensor: &Tensor) -> u64 {
        let (values, bytes) = tensor_types::block(tensor.kind).unwrap_or((1, 0));
        let size = tensor.values.div_ceil(values).saturating_mul(bytes);
        self.data_start
            .saturating_add(tensor.offset)
            .saturating_add(size)
    }

    fn alignment(&self) -> Result<u64, Fault> {
        match self
            .number("general.alignment")
            .unwrap_or(DEFAULT_ALIGNMENT)
        {
            alignment @ 1..=MOST_ALIGNMENT if alignment.is_power_of_two() => Ok(alignment),
            alignment => Err(Fault::damaged(format!("general.alignment is {alignment}"))),
        }
    }
}

fn check_magic(scan: &mut ByteReader<impl Read>) -> Result<(), Fault> {
    if scan.bytes::<4>().map_err(|_| Fault::NotGguf)? != *b"GGUF" {
        return Err(Fault::NotGguf);
    }
    match scan.u32()? {
        2 | 3 => Ok(()),
        version if version & 0xffff == 0 => Err(Fault::BigEndian),
        version => Err(Fault::Version(version)),
    }
}

/// A count of tensors or of pairs. Real models have some thousands.
fn read_count(scan: &mut ByteReader<impl Read>) -> Result<u64, Fault> {
    match scan.u64()? {
        count @ ..=MOST_ENTRIES => Ok(count),
        count => Err(Fault::damaged(format!("{count} entries"))),
    }
}

const TEXT: u32 = 8;
const LIST: u32 = 9;

fn read_value(
    scan: &mut ByteReader<impl Read>,
    key: &str,
    vocabulary: &mut Vocabulary,
) -> Result<Value, Fault> {
    Ok(match scan.u32()? {
        0 | 7 => Value::Unsigned(scan.bytes::<1>()?[0].into()),
        1 => Value::from_signed(i8::from_le_bytes(scan.bytes()?).into()),
        2 => Value::Unsigned(u16::from_le_bytes(scan.bytes()?).into()),
        3 => Value::from_signed(i16::from_le_bytes(scan.bytes()?).into()),
        4 => Value::Unsigned(scan.u32()?.into()),
        5 => Value::from_signed(i32::from_le_bytes(scan.bytes()?).into()),
        6 => Value::Float(f32::from_le_bytes(scan.bytes()?).into()),
        TEXT => Value::Text(scan.string()?),
        LIST => skip_list(scan, key, vocabulary)?,
        10 => Value::Unsigned(scan.u64()?),
        11 => Value::from_signed(i64::from_le_bytes(scan.bytes()?)),
        12 => Value::Float(f64::from_le_bytes(scan.bytes()?)),
        kind => return Err(Fault::damaged(format!("a value of unknown kind {kind}"))),
    })
}

fn skip_list(
    scan: &mut ByteReader<impl Read>,
    key: &str,
    vocabulary: &mut Vocabulary,
) -> Result<Value, Fault> {
    let (kind, length) = (scan.u32()?, scan.u64()?);
    check_kind(key, kind, TEXT)?;
    match kind {
        TEXT if key == TOKENS => *vocabulary = read_tokens(scan, length)?,
        TEXT => (0..length).try_for_each(|_| scan.skip_string())?,
        kind => scan.skip(length.saturating_mul(fixed_size(kind)?))?,
    }
    Ok(Value::List(length))
}

fn fixed_size(kind: u32) -> Result<u64, Fault> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        kind => Err(Fault::damaged(format!("a list of values of kind {kind}"))),
    }
}

fn read_tensor(scan: &mut ByteReader<impl Read>) -> Result<Tensor, Fault> {
    scan.skip_string()?;
    let dimensions = scan.u32()?;
    if dimensions > MOST_DIMENSIONS {
        return Err(Fault::damaged(format!(
            "a tensor of {dimensions} dimensions"
        )));
    }
    let mut values = 1_u64;
    for _ in 0..dimensions {
        values = values.saturating_mul(dimension(scan)?);
    }
    Ok(Tensor {
        values,
        kind: scan.u32()?,
        offset: scan.u64()?,
    })
}

/// The size of a tensor in one direction. By one of 0 llama.cpp would divide.
fn dimension(scan: &mut ByteReader<impl Read>) -> Result<u64, Fault> {
    match scan.u64()? {
        0 => Err(Fault::damaged("a tensor of size 0")),
        size => Ok(size),
    }
}
