//! Sentence-embedding models: llama.cpp's own pooling against a slow twin.
//!
//! `record_sentence_vectors.py` is the twin: the model in 64-bit floats, from the published
//! weights.

use super::embeddings::{embed, vectors};
use super::{common::generate, embeddings::cosine};
use evenhand_core::CallErrorKind;
use evenhand_models::embedded::{Embedded, Options};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Recorded {
    texts: Vec<String>,
    /// Unit vectors, a text each.
    vectors: Vec<Vec<f32>>,
}

fn open_embedder() -> Option<Embedded> {
    let path: PathBuf = evenhand_testing::sentence_embedder()?;
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    Some(Embedded::open(path, &options).expect("the model opens"))
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("../../sentence_vectors.json")).expect("the recorded vectors")
}

/// The weights are 16-bit floats here and 32-bit floats there, so directions agree to a thousandth.
#[test]
fn the_models_own_pooling_agrees_with_a_slow_twin() {
    let Some(mut model) = open_embedder() else {
        return;
    };
    let Recorded {
        texts,
        vectors: expected,
    } = recorded();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for ((text, vector), expected) in texts.iter().zip(vectors(&mut model, &texts)).zip(expected) {
        assert_eq!(vector.len(), 384, "{text}");
        let cosine = cosine(&vector, &expected);
        assert!(cosine > 0.999, "{text}: {cosine}");
    }
}

/// A text that is longer than the model can read in one go is read in stretches: one that says the
/// same over and over has the vector of as much of it as fits.
#[test]
fn a_long_text_is_read_in_stretches() {
    let Some(mut model) = open_embedder() else {
        return;
    };
    let sentence = "Paris is the capital of France. ";
    let (fits, long) = (sentence.repeat(70), sentence.repeat(280));
    let vectors = vectors(&mut model, &[&fits, &long]);
    let cosine = cosine(&vectors[0], &vectors[1]);
    assert!(cosine > 0.99, "{cosine}");
}

#[test]
fn a_sentence_embedding_model_cannot_judge() {
    let Some(mut model) = open_embedder() else {
        return;
    };
    let error = model
        .answer_one(&generate("Which is better?", 1, 0.0, None))
        .expect_err("it writes nothing");
    assert_eq!(error.kind, CallErrorKind::Invalid);
    assert!(
        error.message.contains("embeds texts and writes none"),
        "{}",
        error.message
    );
    // It still embeds afterwards.
    model.answer_one(&embed(&["Cats."])).expect("embeddings");
}
