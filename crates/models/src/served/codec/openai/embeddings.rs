//! OpenAI's embeddings (`POST /v1/embeddings`), which many servers follow.

use super::reply::read_usage;
use crate::served::codec::json::malformed;
use crate::served::codec::{Dialect, invalid};
use crate::served::fault::Fault;
use evenhand_core::{CallError, Embeddings, Reply, Setting};
use serde_json::{Value, json};

/// Makes the body of a request: all texts at once. A model's extra fields are for its chats, and
/// stay out.
pub(in crate::served::codec) fn encode_embeddings(
    dialect: &Dialect,
    pieces: &[String],
) -> Result<String, CallError> {
    let model = &dialect.model;
    if !dialect.embeddings {
        return Err(no_embeddings(model));
    }
    Ok(json!({"model": model, "input": pieces, "encoding_format": "float"}).to_string())
}

/// Reads a reply to so many texts, whose embeddings say themselves which text they are of.
pub(in crate::served::codec) fn decode_embeddings(
    count: usize,
    value: &Value,
) -> Result<Reply, Fault> {
    let data = find_data(value)?;
    if data.len() != count {
        return Err(wrong_count(data.len(), count));
    }
    let mut vectors = vec![Vec::new(); count];
    for object in data {
        *find_place(object, &mut vectors)? = read_vector(object)?;
    }
    let embeddings = Embeddings::new(&vectors).map_err(malformed)?;
    Ok(Reply {
        embeddings: Some(embeddings),
        usage: read_usage(value),
        ..Reply::default()
    })
}

fn no_embeddings(model: &str) -> CallError {
    let embedder = Setting::Embedder;
    invalid(format!(
        "the API of {model} has no embeddings: name another model with {embedder}, or align by \
         token overlap (portia without `embedding`)"
    ))
}

fn wrong_count(found: usize, expected: usize) -> Fault {
    malformed(format!(
        "the reply has {found} embeddings of {expected} texts"
    ))
}

fn find_data(value: &Value) -> Result<&Vec<Value>, Fault> {
    match value.get("data") {
        Some(Value::Array(data)) => Ok(data),
        Some(_) => Err(malformed("the reply's data are no list")),
        None => Err(malformed(
            "the reply has no field `data`: is the address that of an embeddings API?",
        )),
    }
}

/// Finds the place of an embedding, which must be empty.
fn find_place<'a>(object: &Value, vectors: &'a mut [Vec<f32>]) -> Result<&'a mut Vec<f32>, Fault> {
    let place = read_index(object).and_then(|index| vectors.get_mut(index));
    place.filter(|place| place.is_empty()).ok_or_else(|| {
        malformed("the indices of the reply's embeddings are not those of the texts")
    })
}

fn read_index(object: &Value) -> Option<usize> {
    usize::try_from(object.get("index")?.as_u64()?).ok()
}

fn read_vector(object: &Value) -> Result<Vec<f32>, Fault> {
    read_numbers(object)
        .filter(|vector| !vector.is_empty())
        .ok_or_else(|| malformed("an embedding of the reply is no list of numbers"))
}

fn read_numbers(object: &Value) -> Option<Vec<f32>> {
    let numbers = object.get("embedding")?.as_array()?.iter();
    numbers
        .map(|number| number.as_f64().map(|number| number as f32))
        .collect()
}
