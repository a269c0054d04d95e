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

/// A tensor, as the table describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// How many values it has.
    pub values: u64,
    /// The number of its kind.
    pub kind: u32,
    /// Where its data begins, in bytes from [`Header::data_start`].
    pub offset: u64,
}

impl Tensor {
    /// Returns the bytes of its data; 0 for a kind that is not known here.
    fn size(&self) -> u64 {
        let (values, bytes) = tensor_types::block_size(self.kind).unwrap_or((1, 0));
        self.values.div_ceil(values).saturating_mul(bytes)
    }
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
    ///
    /// # Errors
    ///
    /// The [`Fault`] of a source that is not a GGUF model, is cut short, contradicts itself, or
    /// would make llama.cpp end the program.
    pub fn read(source: impl Read, length: u64) -> Result<Header, Fault> {
        let mut reader = ByteReader::new(source, length);
        check_magic(&mut reader)?;
        let tensors = read_count(&mut reader)?;
        let pairs = read_count(&mut reader)?;
        let mut header = Header::default();
        let vocabulary = header.read_metadata(&mut reader, pairs)?;
        header.read_tensors(&mut reader, tensors)?;
        header.data_start = reader.at().next_multiple_of(header.alignment()?);
        header.check_loadable(&vocabulary)?;
        Ok(header)
    }

    fn read_tensors(
        &mut self,
        reader: &mut ByteReader<impl Read>,
        count: u64,
    ) -> Result<(), Fault> {
        for _ in 0..count {
            self.tensors.push(read_tensor(reader)?);
        }
        Ok(())
    }

    /// Reads so many pairs of a key and a value, and what is kept of the vocabulary among them.
    fn read_metadata(
        &mut self,
        reader: &mut ByteReader<impl Read>,
        pairs: u64,
    ) -> Result<Vocabulary, Fault> {
        let mut vocabulary = Vocabulary::default();
        for _ in 0..pairs {
            let key = read_key(reader)?;
            let value = read_value(reader, &key, &mut vocabulary)?;
            self.metadata.insert(key, value);
        }
        Ok(vocabulary)
    }

    /// Returns a text of the metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        find_text(&self.metadata, key)
    }

    /// Returns a whole number of the metadata.
    pub fn number(&self, key: &str) -> Option<u64> {
        find_number(&self.metadata, key)
    }

    /// Returns a number that the metadata keep under the architecture's name, such as
    /// `llama.context_length`.
    pub fn of_architecture(&self, name: &str) -> Option<u64> {
        self.number(&format!("{}.{name}", self.text("general.architecture")?))
    }

    /// Returns how many values all tensors have together.
    pub fn parameters(&self) -> u64 {
        self.tensors
            .iter()
            .fold(0, |sum, tensor| sum.saturating_add(tensor.values))
    }

    /// Checks that a file of this many bytes can hold all tensors, and holds a whole model.
    ///
    /// # Errors
    ///
    /// [`Fault::Truncated`] if it is too short, [`Fault::Split`] if it is one of several parts.
    pub fn check_length(&self, actual: u64) -> Result<(), Fault> {
        if let Some(parts @ 2..) = self.number("split.count") {
            return Err(Fault::Split(parts));
        }
        let expected = self.least_length();
        if expected > actual {
            Err(Fault::Truncated { expected, actual })
        } else {
            Ok(())
        }
    }

    /// Returns the bytes that a file with these tensors has at least.
    fn least_length(&self) -> u64 {
        let ends = self.tensors.iter().map(|tensor| self.end_of(tensor));
        ends.max().unwrap_or(self.data_start)
    }

    /// Refuses a file where llama.cpp would end the program while it loads the model or makes
    /// tokens of a text.
    fn check_loadable(&self, vocabulary: &Vocabulary) -> Result<(), Fault> {
        if self.of_architecture("block_count") == Some(0) {
            return Err(Fault::damaged("a model of 0 layers"));
        }
        check_vocabulary(&self.metadata, vocabulary)
    }

    fn end_of(&self, tensor: &Tensor) -> u64 {
        let start = self.data_start.saturating_add(tensor.offset);
        start.saturating_add(tensor.size())
    }

    fn alignment(&self) -> Result<u64, Fault> {
        let alignment = self.number("general.alignment");
        let alignment = alignment.unwrap_or(DEFAULT_ALIGNMENT);
        if alignment.is_power_of_two() && alignment <= MOST_ALIGNMENT {
            Ok(alignment)
        } else {
            Err(Fault::damaged(format!("general.alignment is {alignment}")))
        }
    }
}

fn check_magic(reader: &mut ByteReader<impl Read>) -> Result<(), Fault> {
    let magic = reader.read_bytes::<4>().map_err(|_| Fault::NotGguf)?;
    if magic != *b"GGUF" {
        return Err(Fault::NotGguf);
    }
    check_version(reader.read_u32()?)
}

fn check_version(version: u32) -> Result<(), Fault> {
    match version {
        2 | 3 => Ok(()),
        // A small number whose bytes come in the other order.
        version if version & 0xffff == 0 => Err(Fault::BigEndian),
        version => Err(Fault::Version(version)),
    }
}

/// Reads a count of tensors or of pairs. Real models have some thousands.
fn read_count(reader: &mut ByteReader<impl Read>) -> Result<u64, Fault> {
    match reader.read_u64()? {
        count @ ..=MOST_ENTRIES => Ok(count),
        count => Err(Fault::damaged(format!("{count} entries"))),
    }
}

const TEXT: u32 = 8;
const LIST: u32 = 9;

fn read_key(reader: &mut ByteReader<impl Read>) -> Result<String, Fault> {
    let key = reader.read_string()?;
    if key.is_empty() {
        return Err(Fault::damaged("a value without a name"));
    }
    Ok(key)
}

fn read_value(
    reader: &mut ByteReader<impl Read>,
    key: &str,
    vocabulary: &mut Vocabulary,
) -> Result<Value, Fault> {
    match reader.read_u32()? {
        TEXT => Ok(Value::Text(reader.read_string()?)),
        LIST => skip_list(reader, key, vocabulary),
        kind => read_number(reader, kind),
    }
}

/// Reads a number, or a truth value, of the kind that has this number in the format.
fn read_number(reader: &mut ByteReader<impl Read>, kind: u32) -> Result<Value, Fault> {
    Ok(match kind {
        0 | 7 => Value::Unsigned(reader.read_bytes::<1>()?[0].into()),
        1 => Value::from_signed(i8::from_le_bytes(reader.read_bytes()?).into()),
        2 => Value::Unsigned(u16::from_le_bytes(reader.read_bytes()?).into()),
        3 => Value::from_signed(i16::from_le_bytes(reader.read_bytes()?).into()),
        4 => Value::Unsigned(reader.read_u32()?.into()),
        5 => Value::from_signed(i32::from_le_bytes(reader.read_bytes()?).into()),
        6 => Value::Float(f32::from_le_bytes(reader.read_bytes()?).into()),
        10 => Value::Unsigned(reader.read_u64()?),
        11 => Value::from_signed(i64::from_le_bytes(reader.read_bytes()?)),
        12 => Value::Float(f64::from_le_bytes(reader.read_bytes()?)),
        kind => return Err(Fault::damaged(format!("a value of unknown kind {kind}"))),
    })
}

fn skip_list(
    reader: &mut ByteReader<impl Read>,
    key: &str,
    vocabulary: &mut Vocabulary,
) -> Result<Value, Fault> {
    let kind = reader.read_u32()?;
    let length = reader.read_u64()?;
    check_kind(key, kind, TEXT)?;
    match kind {
        TEXT if key == TOKENS => *vocabulary = read_tokens(reader, length)?,
        TEXT => skip_strings(reader, length)?,
        kind => reader.skip_bytes(length.saturating_mul(size_of_kind(kind)?))?,
    }
    Ok(Value::List(length))
}

fn skip_strings(reader: &mut ByteReader<impl Read>, count: u64) -> Result<(), Fault> {
    for _ in 0..count {
        reader.skip_string()?;
    }
    Ok(())
}

fn size_of_kind(kind: u32) -> Result<u64, Fault> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        kind => Err(Fault::damaged(format!("a list of values of kind {kind}"))),
    }
}

fn read_tensor(reader: &mut ByteReader<impl Read>) -> Result<Tensor, Fault> {
    reader.skip_string()?;
    Ok(Tensor {
        values: read_dimensions(reader)?,
        kind: reader.read_u32()?,
        offset: reader.read_u64()?,
    })
}

/// Reads the sizes of a tensor in all directions, and returns how many values it has.
fn read_dimensions(reader: &mut ByteReader<impl Read>) -> Result<u64, Fault> {
    let mut values = 1_u64;
    for _ in 0..read_dimension_count(reader)? {
        values = values.saturating_mul(read_dimension(reader)?);
    }
    Ok(values)
}

fn read_dimension_count(reader: &mut ByteReader<impl Read>) -> Result<u32, Fault> {
    match reader.read_u32()? {
        count @ ..=MOST_DIMENSIONS => Ok(count),
        count => Err(Fault::damaged(format!("a tensor of {count} dimensions"))),
    }
}

/// Reads the size of a tensor in one direction. By one of 0 llama.cpp would divide.
fn read_dimension(reader: &mut ByteReader<impl Read>) -> Result<u64, Fault> {
    match reader.read_u64()? {
        0 => Err(Fault::damaged("a tensor of size 0")),
        size => Ok(size),
    }
}
