//! Embeddings that count words: like texts get like vectors, with no weights.

use super::make_reply;
use evenhand_core::{CallError, CallErrorKind, CallResult, Embeddings, Reply, Request};

/// How many numbers a vector has.
const DIMENSIONS: usize = 256;

/// Counts for each piece how often words of each hash stand in it. No seed and no defect changes
/// that.
pub(super) fn embed_pieces(request: &Request, pieces: &[String]) -> CallResult {
    let vectors: Vec<Vec<f32>> = pieces.iter().map(|piece| count_by_hash(piece)).collect();
    let embeddings = Embeddings::new(&vectors).map_err(|message| CallError {
        kind: CallErrorKind::Invalid,
        message,
    })?;
    Ok(Reply {
        embeddings: Some(embeddings),
        ..make_reply(request, String::new())
    })
}

/// Counts words, which are runs of letters and digits, in small letters.
fn count_by_hash(piece: &str) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let lower = piece.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let place = blake3::hash(word.as_bytes()).as_bytes()[0];
        if let Some(count) = counts.get_mut(usize::from(place)) {
            *count += 1.0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{About, Task};

    fn embedded(pieces: &[&str]) -> CallResult {
        let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
        let task = Task::Embed {
            pieces: pieces.clone(),
        };
        let request = Request {
            judge: "x".into(),
            messages: Vec::new(),
            task,
            sample: 0,
            about: About::default(),
        };
        embed_pieces(&request, &pieces)
    }

    #[test]
    fn the_same_words_give_the_same_vector() {
        let reply =
            embedded(&["The cat, the dog.", "THE dog; the CAT!", "A bird?", "..."]).unwrap();
        let embeddings = reply.embeddings.unwrap();
        let vectors: Vec<&[f32]> = embeddings.vectors().collect();
        assert!(vectors[0] == vectors[1] && vectors[0] != vectors[2]);
        let sums: Vec<f32> = vectors.iter().map(|vector| vector.iter().sum()).collect();
        assert_eq!(sums, [4.0, 4.0, 2.0, 0.0]);
        // 44 bytes are 11 tokens.
        assert_eq!(
            (reply.usage.prompt_tokens, reply.usage.completion_tokens),
            (11, 0)
        );
        assert_eq!(embedded(&[]).unwrap_err().kind, CallErrorKind::Invalid);
    }
}
