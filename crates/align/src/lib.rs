//! Splits two answers into segments that belong together, as PORTIA does ("Split and Merge:
//! Aligning Position Biases in LLM-based Evaluators", algorithms 1 to 3), and finds the split whose
//! segments are most alike exactly.
//!
//! 1. [`find_cuts`] finds the places where an answer may be cut: between sentences, list items, and
//!    statements of code.
//! 2. [`align_by_length`] cuts two answers into k segments of comparable length.
//! 3. [`align_by_tokens`] cuts them so that segments of the same number share the most tokens,
//!    [`align_by_embedding`] so that their embeddings are most alike.
//!
//! Everything is a pure function of its arguments. The segments of an answer concatenate to it,
//! byte for byte.
//!
//! ```
//! use evenhand_align::{Segmentation, align_by_length, align_by_tokens, find_cuts};
//!
//! let a = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
//! let b = "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at all cars.";
//! let (cuts_a, cuts_b) = (find_cuts(a, Segmentation::Full), find_cuts(b, Segmentation::Full));
//! assert!(align_by_length(&cuts_a, &cuts_b, 2).is_some());
//! let found = align_by_tokens((a, &cuts_a), (b, &cuts_b), 2).unwrap();
//! let segments = found.alignment.segments(a, b);
//! assert_eq!(segments[1], ("Dogs bark at cars.", "Dogs bark at all cars."));
//! ```

mod best_alignment;
mod cuts;
mod embedding;
mod equal_lengths;
mod full_rule;
mod overlap;
mod plain_rule;
mod search;
mod tokens;
mod unspaced;

pub use best_alignment::{MAX_PIECES, MAX_SEGMENTS, align_by_similarity, align_by_tokens};
pub use cuts::{Cut, Cuts, Segmentation, find_cuts};
pub use embedding::{EmbeddingSimilarity, align_by_embedding, pieces_to_embed};
pub use equal_lengths::align_by_length;
pub use search::Similarity;

/// Where two answers are cut into k segments each: k - 1 places in both, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Alignment {
    /// The cuts of the first answer.
    pub a: Vec<Cut>,
    /// The cuts of the second.
    pub b: Vec<Cut>,
}

impl Alignment {
    /// Returns the k pairs of segments. Those of each answer concatenate to it.
    pub fn segments<'t>(&self, a: &'t str, b: &'t str) -> Vec<(&'t str, &'t str)> {
        let (of_a, of_b) = (cuts::cut_text(a, &self.a), cuts::cut_text(b, &self.b));
        of_a.into_iter().zip(of_b).collect()
    }
}

/// The alignment with the greatest sum of similarities.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Aligned {
    /// Where the answers are cut.
    pub alignment: Alignment,
    /// The sum over the k pairs of segments: above 0, at most k.
    pub score: f64,
    /// For the first and the second answer: `None` if every allowed place was compared, else how
    /// many were.
    pub searched: [Option<usize>; 2],
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
