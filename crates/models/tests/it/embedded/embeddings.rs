//! Vectors for texts.

use super::common::*;
use evenhand_core::{CallErrorKind, Message, Request, Task};
use evenhand_models::Model;
use evenhand_models::embedded::{Embedded, Options};

pub(super) fn embed(pieces: &[&str]) -> Request {
    request(
        Vec::new(),
        Task::Embed {
            pieces: pieces.iter().map(ToString::to_string).collect(),
        },
    )
}

pub(super) fn vectors(model: &mut Embedded, pieces: &[&str]) -> Vec<Vec<f32>> {
    let reply = model.answer_one(&embed(pieces)).expect("embeddings");
    reply
        .embeddings
        .expect("embeddings")
        .vectors()
        .map(<[f32]>::to_vec)
        .collect()
}

/// Returns the cosine of the angle between two vectors.
pub(super) fn cosine(u: &[f32], v: &[f32]) -> f64 {
    dot(u, v) / (dot(u, u) * dot(v, v)).sqrt()
}

fn dot(u: &[f32], v: &[f32]) -> f64 {
    let products = u.iter().zip(v).map(|(u, v)| f64::from(*u) * f64::from(*v));
    products.sum()
}

/// A text's vector is its own: not of the texts beside it, of what was asked before, of threads,
/// nor of prefix sharing. Replies to other requests stay as they were.
#[test]
fn embeddings_are_a_function_of_the_text() {
    let Some((mut model, _turn)) = open(&Options::default()) else {
        return;
    };
    let long = "A word and another. ".repeat(110);
    let texts = [
        "Cats sleep a lot.",
        "A cat sleeps all day.",
        "The bank raised its rates.",
        "x",
        &long,
        "<|im_end|>",
    ];
    let before = logprob(&mut model, &[Message::user("Why?")], "Because.");
    let together = vectors(&mut model, &texts);
    assert!(
        together
            .iter()
            .all(|vector| vector.len() == 576 && vector.iter().all(|value| value.is_finite()))
    );
    let mut reordered = vectors(&mut model, &[texts[3], texts[2], texts[1], texts[0]]);
    reordered.reverse();
    assert_eq!(together[..4], reordered);
    assert_eq!(
        logprob(&mut model, &[Message::user("Why?")], "Because."),
        before
    );
    let options = Options {
        threads: Some(2),
        share_prefixes: false,
        ..Options::default()
    };
    let mut other = reopen(&options).expect("the model opens");
    let requests: Vec<Request> = texts.iter().map(|text| embed(&[text])).collect();
    let mut queue = Queue::new(&requests);
    other.serve(&mut queue).expect("it serves");
    for (request, expected) in requests.iter().zip(&together) {
        let reply = queue.replies[&request.key()].as_ref().expect("embeddings");
        assert_eq!(
            reply
                .embeddings
                .as_ref()
                .expect("embeddings")
                .vectors()
                .next(),
            Some(expected.as_slice())
        );
    }
    let cosine = |u: usize, v: usize| cosine(&together[u], &together[v]);
    assert!(
        cosine(0, 1) > cosine(0, 2),
        "cats are like cats: {} and {}",
        cosine(0, 1),
        cosine(0, 2)
    );
}

#[test]
fn an_empty_text_has_no_embedding() {
    let Some((mut model, _turn)) = open(&Options::default()) else {
        return;
    };
    for pieces in [&[][..], &[""], &["One.", ""]] {
        let error = model
            .answer_one(&embed(pieces))
            .expect_err("nothing to embed");
        assert_eq!(error.kind, CallErrorKind::Invalid);
        assert_eq!(error.message.as_str(), "an empty text has no embedding");
    }
}
