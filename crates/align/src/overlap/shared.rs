//! The token types that both answers have.

use crate::tokens::TokenTypes;

/// The shared types of each piece of both answers, numbered anew.
pub(super) struct SharedTypes {
    pub(super) a: Vec<Vec<u32>>,
    pub(super) b: Vec<Vec<u32>>,
    pub(super) count: usize,
}

impl SharedTypes {
    /// Numbers the types that both answers have, in the order in which b has them.
    pub(super) fn new(types: &TokenTypes) -> SharedTypes {
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
    pub(super) fn reversed(&self) -> SharedTypes {
        SharedTypes {
            a: self.a.iter().rev().cloned().collect(),
            b: self.b.iter().rev().cloned().collect(),
            count: self.count,
        }
    }
}
