//! OpenAI's embeddings (`POST /v1/embeddings`), which many servers follow.

use super::reply::read_usage;
use crate::served::codec::json::{Json, malformed};
use crate::served::codec::{Dialect, invalid};
use crate::served::fault::Fault;
use evenhand_core::{CallError, Embeddings, Reply, Setting};
use serde_json::json;

/// Makes the body of a request: all texts at once. A model's extra fields are for its chats, and
/// stay out.
pub(in crate::served::codec) fn encode_embeddings(
    dialect: &Dialect,
    pieces: &[String],
) -> Result<String, CallError> {
    let model = &dialect.model;
    if !dialect.embeddings {
        let embedder = Setting::Embedder;
        return Err(invalid(format!(
            "the API of {model} has no embeddings: name another model with {embedder}, or align by \
             token overlap (portia without `embedding`)"
        )));
    }
    Ok(json!({"model": model, "input": pieces, "encoding_format": "float"}).to_string())
}

/// Reads a reply to so many texts, whose embeddings say themselves which text they are of.
pub(in crate::served::codec) fn decode_embeddings(
    count: usize,
    value: &Json,
) -> Result<Reply, Fault> {
    let data = match value.get("data") {
        Some(Json::List(data)) => data,
        Some(_) => return Err(malformed("the reply's data are not a list")),
        None => {
            return Err(malformed(
                "the reply has no field `data`: is the address that of an embeddings API?",
            ));
        }
    };
    if data.len() != count {
        let found = data.len();
        return Err(malformed(format!(
            "the reply has {found} embeddings of {count} texts"
        )));
    }
    let mut vectors = vec![Vec::new(); count];
    for object in data {
        let numbers = object.get("embedding").and_then(Json::as_array);
        let numbers = numbers.into_iter().flatten();
        let vector: Option<Vec<f32>> = numbers
            .map(|number| Some(number.as_f64()? as f32))
            .collect();
        let Some(vector) = vector.filter(|vector| !vector.is_empty()) else {
            return Err(malformed(
                "an embedding of the reply is not a list of numbers",
            ));
        };
        let index = object.get("index").and_then(Json::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| vectors.get_mut(index)) {
            Some(place) if place.is_empty() => *place = vector,
            _ => {
                return Err(malformed(
                    "the indices of the reply's embeddings are not those of the texts",
                ));
            }
        }
    }
    let embeddings = Embeddings::new(&vectors).map_err(malformed)?;
    Ok(Reply {
        embeddings: Some(embeddings),
        usage: read_usage(value),
        ..Reply::default()
    })
}
