//! Segments whose embeddings point the same way.

use crate::best_alignment::{MAX_PIECES, align_within_limits, count_if_fewer, thin_out};
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
    inverse_a: Grid<f64>,
    /// Of (p, q): 1 / |Y|, Y being pieces p..q of b; 0 where |Y| is.
    inverse_b: Grid<f64>,
}

impl EmbeddingSimilarity {
    /// Returns the similarity over pieces with these vectors, of the same length in both answers;
    /// their lengths are weights.
    ///
    /// `None` where vectors differ in length, or an answer has no piece or more than
    /// [`MAX_PIECES`].
    pub fn new(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<EmbeddingSimilarity> {
        let dimensions = a.first()?.len();
        if !are_usable(a, dimensions) || !are_usable(b, dimensions) {
            return None;
        }
        Some(EmbeddingSimilarity {
            n: a.len(),
            m: b.len(),
            products: sum_products(a, b),
            inverse_a: inverse_lengths(a),
            inverse_b: inverse_lengths(b),
        })
    }
}

impl Similarity for EmbeddingSimilarity {
    fn pieces(&self) -> (usize, usize) {
        (self.n, self.m)
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let inverse_a = self.inverse_a.value_at(a.start, a.end);
        let inverse_b = self.inverse_b.value_at(b.start, b.end);
        let product = |j: usize, q: usize| self.products.value_at(j, q);
        let corner = product(a.end, b.start) - product(a.start, b.start);
        let block = product(a.end, b.end) - product(a.start, b.end) - corner;
        clamped_cosine(block, inverse_a, inverse_b)
    }

    fn similarities_from(&self, (i, p): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let mut values = vec![0.0; self.m + 1];
        let above = self.products.row(i);
        let inverse_b = self.inverse_b.row(p);
        for j in i + 1..=self.n {
            let below = self.products.row(j);
            let corner = self.products.value_at(j, p) - self.products.value_at(i, p);
            let inverse_a = self.inverse_a.value_at(i, j);
            let products = below.iter().zip(above).zip(inverse_b);
            for (value, ((below, above), inverse_b)) in values.iter_mut().zip(products).skip(p + 1)
            {
                *value = clamped_cosine(below - above - corner, inverse_a, *inverse_b);
            }
            row(j, &values);
        }
    }
}

/// Whether an answer has pieces, not too many, and each has a vector of this length.
fn are_usable(vectors: &[Vec<f64>], dimensions: usize) -> bool {
    let has_length = |vector: &Vec<f64>| vector.len() == dimensions;
    (1..=MAX_PIECES).contains(&vectors.len()) && vectors.iter().all(has_length)
}

/// Returns the cosine between 0 and 1; 0 also where it is not a number, for which the comparison is
/// false.
fn clamped_cosine(product: f64, inverse_a: f64, inverse_b: f64) -> f64 {
    let cosine = product * inverse_a * inverse_b;
    if cosine > 0.0 { cosine.min(1.0) } else { 0.0 }
}

/// Returns for each (j, q) the scalar product of pieces 0..j and pieces 0..q.
fn sum_products(a: &[Vec<f64>], b: &[Vec<f64>]) -> Grid<f64> {
    let mut sums = Grid::new(a.len(), b.len(), 0.0);
    let mut above = vec![0.0; b.len() + 1];
    for (j, u) in a.iter().enumerate() {
        let mut sum = 0.0;
        for (value, v) in above.iter_mut().skip(1).zip(b) {
            sum += dot_product(u, v);
            *value += sum;
        }
        sums.row_mut(j + 1).copy_from_slice(&above);
    }
    sums
}

/// Returns for each (i, j) one over the length of the sum of vectors i..j; 0 where that is 0.
fn inverse_lengths(vectors: &[Vec<f64>]) -> Grid<f64> {
    let mut inverses = Grid::new(vectors.len(), vectors.len(), 0.0);
    for i in 0..vectors.len() {
        let from_i = vectors.get(i..).unwrap_or_default();
        let ends = inverses.row_mut(i).get_mut(i + 1..).unwrap_or_default();
        let mut sum = vec![0.0; from_i.first().map_or(0, Vec::len)];
        for (inverse, vector) in ends.iter_mut().zip(from_i) {
            add_vector(&mut sum, vector);
            let length = dot_product(&sum, &sum).sqrt();
            *inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        }
    }
    inverses
}

/// Returns the scalar product, as four sums side by side that are added in a fixed order.
fn dot_product(u: &[f64], v: &[f64]) -> f64 {
    let ((u, u_rest), (v, v_rest)) = (u.as_chunks::<4>(), v.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (u, v) in u.iter().zip(v) {
        for (sum, (u, v)) in sums.iter_mut().zip(u.iter().zip(v)) {
            *sum += u * v;
        }
    }
    let rest: f64 = u_rest.iter().zip(v_rest).map(|(u, v)| u * v).sum();
    sums.iter().sum::<f64>() + rest
}

fn add_vector(sum: &mut [f64], vector: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += value;
    }
}

/// Returns the texts whose embeddings [`align_by_embedding`] needs for an answer: what lies between
/// the places that it compares, without the white space around it. There are at most
/// [`MAX_PIECES`]; of a text that the cuts were made of, none is empty.
pub fn pieces_to_embed<'t>(text: &'t str, cuts: &Cuts) -> Vec<&'t str> {
    let pieces = thin_out(cuts, MAX_PIECES).pieces(text).into_iter();
    pieces
        .map(|piece| match piece.trim() {
            "" => piece,
            trimmed => trimmed,
        })
        .collect()
}

/// Cuts two answers into k segments each so that the embeddings of segments of the same number
/// point the same way as far as possible: [`align_by_tokens`](crate::align_by_tokens) with another
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
pub fn align_by_embedding<V: AsRef<[f32]>>(
    a: (&Cuts, &[V]),
    b: (&Cuts, &[V]),
    k: usize,
) -> Option<Aligned> {
    let (pieces_a, pieces_b) = (EmbeddedPieces::new(a)?, EmbeddedPieces::new(b)?);
    let similarity = |kept_a: &Cuts, kept_b: &Cuts| {
        EmbeddingSimilarity::new(&pieces_a.merge(kept_a), &pieces_b.merge(kept_b))
    };

    let found = align_within_limits(&pieces_a.cuts, &pieces_b.cuts, k, similarity)?;
    let [searched_a, searched_b] = found.searched;
    // The pieces may already be of fewer places than the caller gave.
    let searched = [
        searched_a.or(count_if_fewer(&pieces_a.cuts, a.0)),
        searched_b.or(count_if_fewer(&pieces_b.cuts, b.0)),
    ];
    Some(Aligned { searched, ..found })
}

/// The pieces of an answer, at most [`MAX_PIECES`], with their weighted vectors.
struct EmbeddedPieces {
    cuts: Cuts,
    vectors: Vec<Vec<f64>>,
}

impl EmbeddedPieces {
    /// Weighs each vector by the number of characters of its piece; `None` where there is not one
    /// vector for each piece.
    fn new<V: AsRef<[f32]>>((cuts, vectors): (&Cuts, &[V])) -> Option<Self> {
        let cuts = thin_out(cuts, MAX_PIECES);
        if cuts.piece_count() != vectors.len() {
            return None;
        }
        let mut weighted: Vec<Vec<f64>> = Vec::with_capacity(vectors.len());
        let mut start = 0;
        let ends = cuts.places().iter().copied().chain([cuts.end()]);
        for (vector, end) in vectors.iter().zip(ends) {
            let length = end.char.saturating_sub(start) as f64;
            let values = vector.as_ref().iter();
            weighted.push(values.map(|value| f64::from(*value) * length).collect());
            start = end.char;
        }
        Some(EmbeddedPieces {
            cuts,
            vectors: weighted,
        })
    }

    /// Returns the vectors of the pieces between the places that are kept.
    fn merge(&self, kept: &Cuts) -> Vec<Vec<f64>> {
        let mut merged: Vec<Vec<f64>> = Vec::with_capacity(kept.places().len() + 1);
        let mut begins = true;
        for (at, vector) in self.vectors.iter().enumerate() {
            match merged.last_mut() {
                Some(sum) if !begins => add_vector(sum, vector),
                _ => merged.push(vector.clone()),
            }
            let end = self.cuts.places().get(at);
            begins = end.is_some_and(|end| kept.places().binary_search(end).is_ok());
        }
        merged
    }
}
