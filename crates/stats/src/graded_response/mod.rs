//! The graded response model: what one judge's scores of the same responses, under several
//! wordings of its prompt, say of each wording and of the responses.
//!
//! Samejima 1969 (Psychometrika monograph 17): wording p gives response i a score of category k or
//! above with chance 1 / (1 + exp(-a_p (q_i - b_pk))), where q_i is the response's latent quality,
//! standard normal over responses, a_p > 0 the wording's discrimination and b_p1 < b_p2 < ... its
//! thresholds. Choi et al. 2026 (arXiv 2602.00521) read a judge's reliability off it: whether
//! wordings measure alike, and how much of the spread of qualities is not noise.

mod fit;
mod likelihood;
mod measures;

pub use fit::graded_response;
pub use measures::{Contrast, GradedResponse, Quality, Wording, WordingDifference, WordingFit};

/// Fewest clusters of responses with which intervals are made: with fewer they cover less than they
/// say (docs/design/statistics.md has how much).
pub const LEAST_CLUSTERS: usize = 50;
