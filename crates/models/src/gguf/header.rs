//! The header of a GGUF file: its metadata and its table of tensors.

use super::error::Fault;
use super::metadata::Value;
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
    /// Whether a tensor is a head that makes a score of a text.
    pub has_score_head: bool,
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
    /// Where in the model it stands.
    pub part: Part,
}

/// The parts of a model, in the order in which a token goes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The embeddings of the tokens.
    Input,
    /// The layer of this number, from 0 on.
    Layer(u64),
    /// The matrix that makes logits of a state. A model without one uses its embeddings again.
    Output,
    /// All else, which is small.
    Rest,
}

impl Part {
    /// Reads the part off a tensor's name, as llama.cpp writes it.
    fn of(name: &str) -> Part {
        let layer = name.strip_prefix("blk.").and_then(|rest| {
            let (number, _) = rest.split_once('.')?;
            number.parse().ok()
        });
        match (layer, name) {
            (Some(layer), _) => Part::Layer(layer),
            (None, "token_embd.weight") => Part::Input,
            (None, "output.weight") => Part::Output,
            _ => Part::Rest,
        }
    }
}

impl Tensor {
    /// Returns the bytes of its data; 0 for a kind that is not known here.
    pub fn size(&self) -> u64 {
        let (values, bytes) = tensor_types::block_size(self.kind).unwrap_or((1, 0));
        self.values.div_ceil(values).saturating_mul(bytes)
    }
}

/// ggml's limit.
const MOST_DIMENSIONS: u32 = 4;
const MOST_ENTRIES: u64 = 1 << 20;
/// llama.cpp's number for the pooling that makes a score of a text.
const RANK_POOLING: u64 = 4;
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
        let magic = reader.read_bytes::<4>().map_err(|_| Fault::NotGguf)?;
        if magic != *b"GGUF" {
            return Err(Fault::NotGguf);
        }
        match reader.read_u32()? {
            2 | 3 => {}
            // A small number whose bytes come in the other order.
            version if version & 0xffff == 0 => return Err(Fault::BigEndian),
            version => return Err(Fault::Version(version)),
        }
        let tensors = read_count(&mut reader)?;
        let pairs = read_count(&mut reader)?;
        let mut header = Header::default();
        let mut vocabulary = Vocabulary::default();
        for _ in 0..pairs {
            let key = reader.read_string()?;
            if key.is_empty() {
                return Err(Fault::damaged("a value without a name"));
            }
            let value = match reader.read_u32()? {
                TEXT => Value::Text(reader.read_string()?),
                LIST => skip_list(&mut reader, &key, &mut vocabulary)?,
                kind => read_number(&mut reader, kind)?,
            };
            header.metadata.insert(key, value);
        }
        for _ in 0..tensors {
            let name = reader.read_string()?;
            header.has_score_head |= match name.as_str() {
                "cls.output.weight" => true,
                // A layer before the head in all but this one.
                "cls.weight" => header.text("general.architecture") == Some("jina-bert-v2"),
                _ => false,
            };
            header
                .tensors
                .push(read_tensor(&mut reader, Part::of(&name))?);
        }
        header.data_start = reader.at.next_multiple_of(header.alignment()?);
        // With either of these llama.cpp would end the program, while it loads the model or makes
        // tokens of a text.
        if header.of_architecture("block_count") == Some(0) {
            return Err(Fault::damaged("a model of 0 layers"));
        }
        check_vocabulary(&header.metadata, &vocabulary)?;
        Ok(header)
    }

    /// Returns a text of the metadata.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key)?.text()
    }

    /// Returns a whole number of the metadata.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.metadata.get(key)? {
            Value::Unsigned(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the length of a list of the metadata.
    pub fn list_length(&self, key: &str) -> Option<u64> {
        match self.metadata.get(key)? {
            Value::List(length) => Some(*length),
            _ => None,
        }
    }

    /// Returns a number that the metadata keep under the architecture's name, such as
    /// `llama.context_length`.
    pub fn of_architecture(&self, name: &str) -> Option<u64> {
        self.number(&format!("{}.{name}", self.text("general.architecture")?))
    }

    /// Whether the model gives a number for a whole text, and neither writes nor embeds.
    pub fn scores(&self) -> bool {
        self.of_architecture("pooling_type") == Some(RANK_POOLING)
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
        let ends = self.tensors.iter().map(|tensor| {
            let start = self.data_start.saturating_add(tensor.offset);
            start.saturating_add(tensor.size())
        });
        let expected = ends.max().unwrap_or(self.data_start);
        if expected > actual {
            return Err(Fault::Truncated { expected, actual });
        }
        Ok(())
    }

    fn alignment(&self) -> Result<u64, Fault> {
        match self
            .number("general.alignment")
            .unwrap_or(DEFAULT_ALIGNMENT)
        {
            fine @ ..=MOST_ALIGNMENT if fine.is_power_of_two() => Ok(fine),
            wrong => Err(Fault::damaged(format!("general.alignment is {wrong}"))),
        }
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

/// Skips a list but for its length, and for what is kept of the vocabulary.
fn skip_list(
    reader: &mut ByteReader<impl Read>,
    key: &str,
    vocabulary: &mut Vocabulary,
) -> Result<Value, Fault> {
    let kind = reader.read_u32()?;
    let length = reader.read_u64()?;
    check_kind(key, kind, TEXT)?;
    let size = match kind {
        TEXT if key == TOKENS => {
            *vocabulary = read_tokens(reader, length)?;
            return Ok(Value::List(length));
        }
        TEXT => {
            for _ in 0..length {
                reader.skip_string()?;
            }
            return Ok(Value::List(length));
        }
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        kind => return Err(Fault::damaged(format!("a list of values of kind {kind}"))),
    };
    reader.skip_bytes(length.saturating_mul(size))?;
    Ok(Value::List(length))
}

fn read_tensor(reader: &mut ByteReader<impl Read>, part: Part) -> Result<Tensor, Fault> {
    let dimensions = reader.read_u32()?;
    if dimensions > MOST_DIMENSIONS {
        return Err(Fault::damaged(format!(
            "a tensor of {dimensions} dimensions"
        )));
    }
    let mut values = 1_u64;
    for _ in 0..dimensions {
        let size = reader.read_u64()?;
        // By a size of 0 llama.cpp would divide.
        if size == 0 {
            return Err(Fault::damaged("a tensor of size 0"));
        }
        values = values.saturating_mul(size);
    }
    Ok(Tensor {
        values,
        kind: reader.read_u32()?,
        offset: reader.read_u64()?,
        part,
    })
}
