//! Splits two answers into segments that belong together, as PORTIA does ("Split and Merge:
//! Aligning Position Biases in LLM-based Evaluators", algorithms 1 to 3), and finds the split whose
//! segments are most alike exactly.
//!
//! 1. [`split`] finds the places where an answer may be cut: between sentences, list items, and
//!    statements of code.
//! 2. [`by_length`] cuts two answers into k segments of comparable length.
//! 3. [`by_meaning`] cuts them so that segments of the same number share the most tokens,
//!    [`by_embedding`] so that their embeddings are most alike.
//!
//! Everything is a pure function of its arguments. The segments of an answer concatenate to it,
//! byte for byte.
//!
//! ```
//! use evenhand_align::{Segmentation, by_length, by_meaning, split};
//!
//! let a = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
//! let b = "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at all cars.";
//! let (cuts_a, cuts_b) = (split(a, Segmentation::Full), split(b, Segmentation::Full));
//! assert!(by_length(&cuts_a, &cuts_b, 2).is_some());
//! let found = by_meaning((a, &cuts_a), (b, &cuts_b), 2).unwrap();
//! let segments = found.alignment.segments(a, b);
//! assert_eq!(segments[1], ("Dogs bark at cars.", "Dogs bark at all cars."));
//! ```

mod embedding;
mod full;
mod length;
mod meaning;
mod overlap;
mod plain;
mod search;
mod segment;
mod tokens;

pub use embedding::{EmbeddingSimilarity, by_embedding, pieces_to_embed};
pub use length::by_length;
pub use meaning::{MAX_PIECES, MAX_SEGMENTS, by_meaning, by_similarity};
pub use search::Similarity;
pub use segment::{Cut, Cuts, Segmentation, split};

/// Where two answers are cut into k segments each: k - 1 places in both, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The cuts of the first answer.
    pub a: Vec<Cut>,
    /// The cuts of the second.
    pub b: Vec<Cut>,
}

impl Alignment {
    /// The k pairs of segments. Those of each answer concatenate to it.
    pub fn segments<'t>(&self, a: &'t str, b: &'t str) -> Vec<(&'t str, &'t str)> {
        segment::segments(a, &self.a)
            .into_iter()
            .zip(segment::segments(b, &self.b))
            .collect()
    }
}

/// The alignment with the greatest sum of similarities.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    /// Where the answers are cut.
    pub alignment: Alignment,
    /// The sum over the k pairs of segments: above 0, at most k.
    pub score: f64,
    /// For the first and the second answer: `None` if every allowed place was looked at, else how
    /// many were.
    pub searched: [Option<usize>; 2],
}
