//! Token overlap of segments: how many token types two segments share, for all ends of two segments
//! that begin at given pieces.
//!
//! A segment of answer a is pieces i..j, one of b pieces p..q. A type is in both if it first occurs
//! in a, from piece i on, before j, and in b, from p on, before q. So for fixed starts each shared
//! type is one point, and the number of types in both segments is the number of points left of j
//! and below q: adding the points row by row gives it for all ends together.

mod counter;
mod distinct;

use crate::search::Similarity;
use crate::tokens::TokenTypes;
use counter::OverlapCounter;
use distinct::DistinctTypes;
use std::ops::Range;
use std::sync::OnceLock;

/// |intersection| / max(|set|, |set|) of the token types of two segments; 0 where neither has a token.
///
/// PORTIA, section 3.2 ("token overlap").
pub(crate) struct TokenOverlap {
    shared: SharedTypes,
    forward: OverlapCounter,
    /// Counts with the pieces of both answers in reverse order; made when it is first wanted.
    backward: OnceLock<OverlapCounter>,
}

impl TokenOverlap {
    pub(crate) fn new(types: &TokenTypes) -> TokenOverlap {
        let shared = SharedTypes::new(types);
        let a = DistinctTypes::count(&types.a, types.count);
        let b = DistinctTypes::count(&types.b, types.count);
        TokenOverlap {
            forward: OverlapCounter::new(&shared, a, b),
            shared,
            backward: OnceLock::new(),
        }
    }

    fn backward_counter(&self) -> &OverlapCounter {
        self.backward.get_or_init(|| {
            let (a, b) = (self.forward.a.reversed(), self.forward.b.reversed());
            OverlapCounter::new(&self.shared.reversed(), a, b)
        })
    }
}

impl Similarity for TokenOverlap {
    fn pieces(&self) -> (usize, usize) {
        (self.forward.n, self.forward.m)
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        self.forward.similarity(a, b)
    }

    fn similarities_from(&self, (i, p): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        self.forward.exact_rows(i, p, &mut row);
    }

    fn similarities_to(&self, (j, q): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let (n, m) = self.pieces();
        let mut mirrored = |from_end: usize, row_of_b: &[f64]| row(n - from_end, row_of_b);
        self.backward_counter()
            .exact_rows(n - j, m - q, &mut mirrored);
    }

    fn approximate_from(
        &self,
        start: (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        self.forward.approximate_rows(start, buffers, &mut row);
    }

    fn approximate_to(
        &self,
        (j, q): (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        let (n, m) = self.pieces();
        let mut mirrored = |from_end: usize, row_of_b: &[f32]| row(n - from_end, row_of_b);
        self.backward_counter()
            .approximate_rows((n - j, m - q), buffers, &mut mirrored);
    }
}

/// The shared types of each piece of both answers, numbered anew.
struct SharedTypes {
    a: Vec<Vec<u32>>,
    b: Vec<Vec<u32>>,
    count: usize,
}

impl SharedTypes {
    /// Numbers the types that both answers have, in the order in which b has them.
    fn new(types: &TokenTypes) -> SharedTypes {
        let mut in_a = vec![false; types.count];
        for &w in types.a.iter().flatten() {
            if let Some(mark) = in_a.get_mut(w as usize) {
                *mark = true;
            }
        }
        let (mut numbers, mut count) = (vec![None; types.count], 0);
        for &w in types.b.iter().flatten() {
            let is_shared = in_a.get(w as usize) == Some(&true);
            if let Some(number @ None) = numbers.get_mut(w as usize).filter(|_| is_shared) {
                *number = Some(count);
                count += 1;
            }
        }
        let renumber = |pieces: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let number_of = |w: &u32| numbers.get(*w as usize).copied().flatten();
            pieces
                .iter()
                .map(|piece| piece.iter().filter_map(number_of).collect())
                .collect()
        };
        SharedTypes {
            a: renumber(&types.a),
            b: renumber(&types.b),
            count: count as usize,
        }
    }

    /// Returns the types for the pieces of both answers in reverse order.
    fn reversed(&self) -> SharedTypes {
        SharedTypes {
            a: self.a.iter().rev().cloned().collect(),
            b: self.b.iter().rev().cloned().collect(),
            count: self.count,
        }
    }
}
