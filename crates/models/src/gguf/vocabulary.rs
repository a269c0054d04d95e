//! The vocabulary of a model file, checked for what would make llama.cpp end the program.

use super::error::Fault;
use super::metadata::{Metadata, Value};
use super::reader::ByteReader;
use std::collections::{BTreeSet, HashMap};
use std::io::Read;

/// The key of the list of tokens.
pub(super) const TOKENS: &str = "tokenizer.ggml.tokens";
const SCORES: &str = "tokenizer.ggml.scores";
const TYPES: &str = "tokenizer.ggml.token_type";
const FLOAT: u32 = 6;
const INTEGER: u32 = 5;

/// Real vocabularies have some hundred thousand tokens.
const MOST_TOKENS: u64 = 1 << 22;

/// The part of a list of tokens that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Vocabulary {
    tokens: u64,
    /// Which bytes have a token of their own.
    bytes: BTreeSet<u8>,
}

/// How many bytes of a token are shown.
const SHOWN: usize = 40;

/// Reads the list's tokens, which have to differ: llama.cpp asserts it.
pub(super) fn read_tokens(
    reader: &mut ByteReader<impl Read>,
    length: u64,
) -> Result<Vocabulary, Fault> {
    if length > MOST_TOKENS {
        return Err(Fault::damaged(format!("a vocabulary of {length} tokens")));
    }
    let mut bytes = BTreeSet::new();
    // Digests, so that memory is bounded by the number of tokens and not by their length.
    let mut seen = HashMap::new();
    for number in 0..length {
        let mut token = reader.read_raw_string()?;
        if token.is_empty() {
            // The name that llama.cpp gives a token without one.
            token = format!("[EMPTY_{number}]").into_bytes();
        }
        bytes.extend(byte_of(&token));
        let digest = *blake3::hash(&token).as_bytes();
        if let Some(first) = seen.insert(digest, number) {
            let text = String::from_utf8_lossy(&token[..token.len().min(SHOWN)]);
            return Err(Fault::damaged(format!(
                "token {number} is {text:?}, as token {first} is already"
            )));
        }
    }
    Ok(Vocabulary {
        tokens: length,
        bytes,
    })
}

/// Returns the byte that a token stands for by itself: it alone, or its number as in `<0x0A>`.
fn byte_of(token: &[u8]) -> Option<u8> {
    match token {
        [byte] => Some(*byte),
        [b'<', b'0', b'x', digits @ .., b'>']
            if digits.len() == 2 && !digits.iter().any(u8::is_ascii_lowercase) =>
        {
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        }
        _ => None,
    }
}

/// Refuses a file where a list of the vocabulary is not of the kind of values that llama.cpp takes.
pub(super) fn check_kind(key: &str, kind: u32, texts: u32) -> Result<(), Fault> {
    let right = match key {
        TOKENS => kind == texts,
        SCORES => matches!(kind, FLOAT | INTEGER),
        TYPES => kind == INTEGER,
        _ => true,
    };
    if !right {
        return Err(Fault::damaged(format!(
            "{key} is a list of values of kind {kind}"
        )));
    }
    Ok(())
}

/// Refuses a file where text cannot be made tokens by this vocabulary, or where a list is shorter
/// than its tokens.
pub(super) fn check_vocabulary(metadata: &Metadata, vocabulary: &Vocabulary) -> Result<(), Fault> {
    let model = metadata.get("tokenizer.ggml.model").and_then(Value::text);
    if matches!(model, Some("none" | "no_vocab")) {
        return Err(Fault::NoVocabulary);
    }
    // Whatever is in no token is spelt in bytes, each of which needs a token then.
    let missing = (0..=u8::MAX).find(|byte| !vocabulary.bytes.contains(byte));
    if model == Some("llama")
        && vocabulary.tokens > 0
        && let Some(byte) = missing
    {
        return Err(Fault::damaged(format!(
            "its vocabulary has no token for the byte <0x{byte:02X}>"
        )));
    }
    for key in [SCORES, TYPES] {
        if let Some(Value::List(length)) = metadata.get(key)
            && *length < vocabulary.tokens
        {
            let tokens = vocabulary.tokens;
            return Err(Fault::damaged(format!(
                "{key} has {length} values for {tokens} tokens"
            )));
        }
    }
    Ok(())
}
