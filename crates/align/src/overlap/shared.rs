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
        let (numbers, count) = number_shared(types);
        SharedTypes {
            a: renumber(&types.a, &numbers),
            b: renumber(&types.b, &numbers),
            count,
        }
    }

    /// Returns the types for the pieces of both answers in reverse order.
    pub(super) fn reversed(&self) -> SharedTypes {
        SharedTypes {
            a: reverse_pieces(&self.a),
            b: reverse_pieces(&self.b),
            count: self.count,
        }
    }
}

/// Returns the new number of each type that both answers have, and how many those are.
fn number_shared(types: &TokenTypes) -> (Vec<Option<u32>>, usize) {
    let in_a = mark_types(&types.a, types.count);
    let (mut numbers, mut count) = (vec![None; types.count], 0);
    for &w in types.b.iter().flatten() {
        let is_shared = in_a.get(w as usize) == Some(&true);
        if let Some(number @ None) = numbers.get_mut(w as usize).filter(|_| is_shared) {
            *number = Some(count);
            count += 1;
        }
    }
    (numbers, count as usize)
}

fn reverse_pieces(pieces: &[Vec<u32>]) -> Vec<Vec<u32>> {
    pieces.iter().rev().cloned().collect()
}

fn mark_types(pieces: &[Vec<u32>], count: usize) -> Vec<bool> {
    let mut marks = vec![false; count];
    for &w in pieces.iter().flatten() {
        if let Some(mark) = marks.get_mut(w as usize) {
            *mark = true;
        }
    }
    marks
}

fn renumber(pieces: &[Vec<u32>], numbers: &[Option<u32>]) -> Vec<Vec<u32>> {
    pieces
        .iter()
        .map(|piece| renumber_piece(piece, numbers))
        .collect()
}

fn renumber_piece(piece: &[u32], numbers: &[Option<u32>]) -> Vec<u32> {
    piece
        .iter()
        .filter_map(|&w| *numbers.get(w as usize)?)
        .collect()
}
