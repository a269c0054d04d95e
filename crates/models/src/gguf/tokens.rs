//! The vocabulary of a model file, checked for what would make llama.cpp end the program.

use super::error::Fault;
use super::scan::Scan;
use std::collections::HashMap;
use std::io::Read;

/// The key of the list of tokens.
pub(super) const TOKENS: &str = "tokenizer.ggml.tokens";

/// Real vocabularies have some hundred thousand tokens.
const MOST_TOKENS: u64 = 1 << 22;

/// Reads the list's tokens, which have to differ: llama.cpp asserts it.
pub(super) fn check_tokens(scan: &mut Scan<impl Read>, length: u64) -> Result<(), Fault> {
    if length > MOST_TOKENS {
        return Err(Fault::damaged(format!("a vocabulary of {length} tokens")));
    }
    // Digests, so that memory is bounded by the number of tokens and not by their length.
    let mut seen = HashMap::new();
    for number in 0..length {
        let token = named(scan.raw_string()?, number);
        if let Some(first) = seen.insert(digest(&token), number) {
            let token = String::from_utf8_lossy(&token[..token.len().min(40)]).into_owned();
            return Err(Fault::damaged(format!("token {number} is {token:?}, as token {first} is already")));
        }
    }
    Ok(())
}

/// The name that llama.cpp gives a token without one.
fn named(token: Vec<u8>, number: u64) -> Vec<u8> {
    if token.is_empty() { format!("[EMPTY_{number}]").into_bytes() } else { token }
}

fn digest(token: &[u8]) -> [u8; 32] {
    *blake3::hash(token).as_bytes()
}
