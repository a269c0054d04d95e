//! Segments whose embeddings point the same way.

use crate::meaning::{MAX_PIECES, aligned, coarse};
use crate::search::{Grid, Similarity};
use crate::{Aligned, Cuts};
use std::ops::Range;

/// The cosine of two segments' embeddings, 0 where it is negative or a segment's embedding is zero:
/// from 0 to 1, as token overlap is.
///
/// The embedding of a segment is the sum of those of its pieces. |X| is kept for every segment of
/// one answer. The scalar product of two segments X and Y is the sum of those of their pieces, a
/// block of the table of all products; with the sums of all blocks that begin at its corner, each
/// block is three differences. So a similarity takes a fixed number of steps, whatever the segments
/// and the vectors.
///
/// The differences lose at most about 1e-15 of the product of both whole answers' lengths: of a
/// segment that has one part in ten thousand of an answer, the cosine with another such is right to
/// about 1e-7.
#[derive(Debug)]
pub struct EmbeddingSimilarity {
    n: usize,
    m: usize,
    /// Of (j, q): the scalar product of pieces 0..j and pieces 0..q.
    products: Grid<f64>,
    /// Of (i, j): 1 / |X|, X being pieces i..j of a; 0 where |X| is.
    of_a: Grid<f64>,
    /// The same for b.
    of_b: Grid<f64>,
}

impl EmbeddingSimilarity {
    /// The similarity over pieces with these vectors, of the same length in both answers; their
    /// lengths are weights.
    ///
    /// `None` where vectors differ in length, or an answer has no piece or more than
    /// [`MAX_PIECES`].
    pub fn new(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<EmbeddingSimilarity> {
        let dimensions = a.first()?.len();
        let same = a.iter().chain(b).all(|vector| vector.len() == dimensions);
        let few = (1..=MAX_PIECES).contains(&a.len()) && (1..=MAX_PIECES).contains(&b.len());
        (same && few).then(|| EmbeddingSimilarity {
            n: a.len(),
            m: b.len(),
            products: products(a, b),
            of_a: inverse_lengths(a),
            of_b: inverse_lengths(b),
        })
    }
}

impl Similarity for EmbeddingSimilarity {
    fn pieces(&self) -> (usize, usize) {
        (self.n, self.m)
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let at = |grid: &Grid<f64>, row: usize, column: usize| {
            grid.row(row).get(column).copied().unwrap_or_default()
        };
        let product = |j: usize, q: usize| at(&self.products, j, q);
        let corner = product(a.end, b.start) - product(a.start, b.start);
        let block = product(a.end, b.end) - product(a.start, b.end) - corner;
        cosine(
            block,
            at(&self.of_a, a.start, a.end),
            at(&self.of_b, b.start, b.end),
        )
    }

    fn similarities_from(&self, (i, p): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let mut values = vec![0.0; self.m + 1];
        let above = self.products.row(i);
        for j in i + 1..=self.n {
            let below = self.products.row(j);
            let corner = below
                .get(p)
                .zip(above.get(p))
                .map_or(0.0, |(below, above)| below - above);
            let of_a = self.of_a.row(i).get(j).copied().unwrap_or_default();
            let ends = values
                .iter_mut()
                .zip(below)
                .zip(above)
                .zip(self.of_b.row(p))
                .skip(p + 1);
            ends.for_each(|(((value, below), above), of_b)| {
                *value = cosine(below - above - corner, of_a, *of_b)
            });
            row(j, &values);
        }
    }
}

/// The comparison is false for what is no number.
fn cosine(product: f64, of_a: f64, of_b: f64) -> f64 {
    let cosine = product * of_a * of_b;
    if cosine > 0.0 { cosine.min(1.0) } else { 0.0 }
}

fn products(a: &[Vec<f64>], b: &[Vec<f64>]) -> Grid<f64> {
    let mut sums = Grid::new(a.len(), b.len(), 0.0);
    let mut above = vec![0.0; b.len() + 1];
    for (j, u) in a.iter().enumerate() {
        let mut sum = 0.0;
        for (value, v) in above.iter_mut().skip(1).zip(b) {
            sum += dot(u, v);
            *value += sum;
        }
        sums.row_mut(j + 1).copy_from_slice(&above);
    }
    sums
}

fn inverse_lengths(vectors: &[Vec<f64>]) -> Grid<f64> {
    let mut inverse = Grid::new(vectors.len(), vectors.len(), 0.0);
    for i in 0..vectors.len() {
        let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
        let ends = inverse.row_mut(i).iter_mut().skip(i + 1);
        for (value, vector) in ends.zip(vectors.iter().skip(i)) {
            add(&mut sum, vector);
            let length = dot(&sum, &sum).sqrt();
            *value = if length > 0.0 { 1.0 / length } else { 0.0 };
        }
    }
    inverse
}

/// Four sums side by side, added in a fixed order.
fn dot(u: &[f64], v: &[f64]) -> f64 {
    let ((u, u_rest), (v, v_rest)) = (u.as_chunks::<4>(), v.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (u, v) in u.iter().zip(v) {
        sums.iter_mut()
            .zip(u.iter().zip(v))
            .for_each(|(sum, (u, v))| *sum += u * v);
    }
    let rest: f64 = u_rest.iter().zip(v_rest).map(|(u, v)| u * v).sum();
    sums.iter().sum::<f64>() + rest
}

fn add(sum: &mut [f64], vector: &[f64]) {
    sum.iter_mut()
        .zip(vector)
        .for_each(|(sum, value)| *sum += value);
}

/// The texts whose embeddings [`by_embedding`] wants for an answer: what lies between the places
/// that it looks at, without the white space around it. At most [`MAX_PIECES`], and for a text that
/// the cuts were made of none is empty.
pub fn pieces_to_embed<'t>(text: &'t str, cuts: &Cuts) -> Vec<&'t str> {
    let trimmed = |piece: &'t str| {
        if piece.trim().is_empty() {
            piece
        } else {
            piece.trim()
        }
    };
    coarse(cuts, MAX_PIECES)
        .pieces(text)
        .into_iter()
        .map(trimmed)
        .collect()
}

/// Cuts two answers into k segments each so that the embeddings of segments of the same number
/// point the same way as far as possible: [`by_meaning`](crate::by_meaning) with another
/// similarity.
///
/// Each answer comes with a vector for each of [`pieces_to_embed`]. The vector of a segment is the
/// sum of its pieces' vectors, each times the piece's number of characters; so, where a vector is
/// the mean over a text's tokens, that of a segment is about the sum over its tokens. Maximises Σ
/// over the k segments of max(0, cosine) ([`EmbeddingSimilarity`]), with the same sums, the same
/// rule for equal ones, and the same places left out of long answers and of those with very many
/// choices that are nearly equal.
///
/// `None` if an answer has fewer than k - 1 places, if no choice has a sum above 0, if k is not
/// from 2 to [`MAX_SEGMENTS`](crate::MAX_SEGMENTS), or if the vectors are not one for each piece
/// and all of one length.
pub fn by_embedding<V: AsRef<[f32]>>(
    a: (&Cuts, &[V]),
    b: (&Cuts, &[V]),
    k: usize,
) -> Option<Aligned> {
    let looked_at = [coarse(a.0, MAX_PIECES), coarse(b.0, MAX_PIECES)];
    let [weighted_a, weighted_b] = [weighted(&looked_at[0], a.1)?, weighted(&looked_at[1], b.1)?];
    let similarity = |kept_a: &Cuts, kept_b: &Cuts| {
        let [a, b] = &looked_at;
        EmbeddingSimilarity::new(
            &joined(&weighted_a, a, kept_a),
            &joined(&weighted_b, b, kept_b),
        )
    };
    let found = aligned(&looked_at[0], &looked_at[1], k, similarity)?;
    let all = [a.0, b.0];
    let searched = [0, 1].map(|at: usize| {
        let [all, kept] = [all[at], &looked_at[at]].map(|cuts| cuts.places().len());
        found.searched[at].or((kept < all).then_some(kept))
    });
    Some(Aligned { searched, ..found })
}

/// The vectors, each times the number of characters of its piece.
fn weighted<V: AsRef<[f32]>>(cuts: &Cuts, vectors: &[V]) -> Option<Vec<Vec<f64>>> {
    let ends: Vec<usize> = cuts
        .places()
        .iter()
        .chain([&cuts.end()])
        .map(|cut| cut.char)
        .collect();
    let lengths = std::iter::once(0)
        .chain(ends.iter().copied())
        .zip(&ends)
        .map(|(start, end)| end.saturating_sub(start) as f64);
    let scaled = |(vector, length): (&V, f64)| {
        vector
            .as_ref()
            .iter()
            .map(|value| f64::from(*value) * length)
            .collect()
    };
    (ends.len() == vectors.len()).then(|| vectors.iter().zip(lengths).map(scaled).collect())
}

/// The vectors of the pieces between those places that are kept.
fn joined(vectors: &[Vec<f64>], all: &Cuts, kept: &Cuts) -> Vec<Vec<f64>> {
    let mut joined: Vec<Vec<f64>> = Vec::with_capacity(kept.places().len() + 1);
    let mut begins = true;
    for (at, vector) in vectors.iter().enumerate() {
        match joined.last_mut() {
            Some(sum) if !begins => add(sum, vector),
            _ => joined.push(vector.clone()),
        }
        begins = all
            .places()
            .get(at)
            .is_some_and(|place| kept.places().binary_search(place).is_ok());
    }
    joined
}
