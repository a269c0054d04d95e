//! Token overlap of segments: how many token types two segments share, for all ends of two segments that begin at given pieces.
//!
//! A segment of answer a is pieces i..j, one of b pieces p..q. A type is in both if it first occurs in a, from piece i on, before
//! j, and in b, from p on, before q. So for fixed starts each shared type is one point, and the number of types in both
//! segments is the number of points left of j and below q: adding the points row by row gives it for all ends together.

use crate::search::Similarity;
use crate::tokens::Types;
use std::ops::Range;
use std::sync::OnceLock;

/// |intersection| / max(|set|, |set|) of the token types of two segments; 0 where neither has a token.
///
/// PORTIA, section 3.2 ("token overlap").
pub(crate) struct TokenOverlap {
    types: Types,
    forward: Half,
    /// The same with the pieces of both answers in reverse order, made when it is first wanted.
    backward: OnceLock<Half>,
}

impl TokenOverlap {
    pub(crate) fn new(types: Types) -> TokenOverlap {
        let forward = Half::new(&types.a, &types.b, types.count);
        TokenOverlap { types, forward, backward: OnceLock::new() }
    }

    fn backward(&self) -> &Half {
        self.backward.get_or_init(|| {
            let reversed = |pieces: &[Vec<u32>]| pieces.iter().rev().cloned().collect::<Vec<_>>();
            Half::new(&reversed(&self.types.a), &reversed(&self.types.b), self.types.count)
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
        self.forward.exact(i, p, &mut row);
    }

    fn similarities_to(&self, (j, q): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let (n, m) = self.pieces();
        self.backward().exact(n - j, m - q, &mut |mirrored, row_of_b| row(n - mirrored, row_of_b));
    }

    fn approximate_from(&self, (i, p): (usize, usize), buffers: &mut [Vec<f32>; 2], mut row: impl FnMut(usize, &[f32])) {
        self.forward.approximate(i, p, buffers, &mut row);
    }

    fn approximate_to(&self, (j, q): (usize, usize), buffers: &mut [Vec<f32>; 2], mut row: impl FnMut(usize, &[f32])) {
        let (n, m) = self.pieces();
        self.backward().approximate(n - j, m - q, buffers, &mut |mirrored, row_of_b| row(n - mirrored, row_of_b));
    }
}

/// One direction.
struct Half {
    n: usize,
    m: usize,
    /// For each start i in a, and each piece u from i on, the shared types that first occur in u: `arrivals[bounds[i][u]]`.
    arrivals: Vec<u32>,
    bounds: Vec<u32>,
    /// For each start p in b and each shared type, the first piece from p on that has it, or m.
    next: Vec<u16>,
    shared: usize,
    a: Distinct,
    b: Distinct,
}

impl Half {
    fn new(a: &[Vec<u32>], b: &[Vec<u32>], types: usize) -> Half {
        let (shared, count) = shared(a, b, types);
        let of = |pieces: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let dense = |&w: &u32| shared.get(w as usize).copied().filter(|&dense| dense != NOT_SHARED);
            pieces.iter().map(|piece| piece.iter().filter_map(dense).collect()).collect()
        };
        let (arrivals, bounds) = arrivals(&of(a), count);
        let next = next(&of(b), count);
        let (n, m) = (a.len(), b.len());
        Half { n, m, arrivals, bounds, next, shared: count, a: Distinct::new(a, types), b: Distinct::new(b, types) }
    }

    /// The shared types that first occur in piece u when a begins at i.
    fn arriving(&self, i: usize, u: usize) -> &[u32] {
        let bound = |at: usize| self.bounds.get(i * (self.n + 1) + at).map_or(0, |&bound| bound as usize);
        self.arrivals.get(bound(u)..bound(u + 1)).unwrap_or_default()
    }

    fn next_from(&self, p: usize) -> &[u16] {
        self.next.get(p * self.shared..(p + 1) * self.shared).unwrap_or_default()
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let next = self.next_from(b.start);
        let within = |&&w: &&u32| next.get(w as usize).is_some_and(|&v| usize::from(v) < b.end);
        let both: usize = a.clone().map(|u| self.arriving(a.start, u).iter().filter(within).count()).sum();
        ratio(both as f32, self.a.distinct(a.start, a.end).max(self.b.distinct(b.start, b.end)))
    }

    /// Calls `row(j, s)` for j = i + 1..=n with s[q] the number of types shared by i..j and p..q, q = 0..=m, in `counts`.
    fn count_rows(&self, i: usize, p: usize, counts: &mut Vec<f32>, mut row: impl FnMut(usize, &[f32])) {
        counts.clear();
        counts.resize(self.m + 1, 0.0);
        let next = self.next_from(p);
        for u in i..self.n {
            for &w in self.arriving(i, u) {
                let v = next.get(w as usize).map_or(self.m, |&v| usize::from(v));
                counts.iter_mut().skip(v + 1).for_each(|count| *count += 1.0);
            }
            row(u + 1, counts);
        }
    }

    fn exact(&self, i: usize, p: usize, row: &mut impl FnMut(usize, &[f64])) {
        let (mut counts, mut similarities) = (Vec::new(), vec![0.0; self.m + 1]);
        let b = self.b.from(p);
        self.count_rows(i, p, &mut counts, |j, counts| {
            let a = self.a.distinct(i, j);
            for ((out, &both), &b) in similarities.iter_mut().zip(counts).zip(b) {
                *out = ratio(both, a.max(b));
            }
            row(j, &similarities);
        });
    }

    fn approximate(&self, i: usize, p: usize, buffers: &mut [Vec<f32>; 2], row: &mut impl FnMut(usize, &[f32])) {
        let [counts, similarities] = buffers;
        similarities.clear();
        similarities.resize(self.m + 1, 0.0);
        let b = self.b.inverse_from(p);
        self.count_rows(i, p, counts, |j, counts| {
            let a = self.a.inverse(i, j);
            for ((out, &both), &b) in similarities.iter_mut().zip(counts).zip(b) {
                *out = both * if a < b { a } else { b };
            }
            row(j, similarities);
        });
    }
}

/// both / most; 0 if there is nothing.  Counts are below 2^24, so f32 holds them exactly.
fn ratio(both: f32, most: f32) -> f64 {
    if most > 0.0 { f64::from(both) / f64::from(most) } else { 0.0 }
}

/// How many token types the segments of one answer have.
struct Distinct {
    n: usize,
    counts: Vec<f32>,
    inverses: Vec<f32>,
}

impl Distinct {
    fn new(pieces: &[Vec<u32>], types: usize) -> Distinct {
        let n = pieces.len();
        let mut counts = vec![0.0; (n + 1) * (n + 1)];
        // A type that occurs in piece u and before it last in piece r counts for segments that begin after r and end after u.
        let mut begins = vec![0; types];
        for (u, piece) in pieces.iter().enumerate() {
            for &w in piece {
                let Some(begin) = begins.get_mut(w as usize) else { continue };
                counts.iter_mut().skip(u + 1).step_by(n + 1).take(u + 1).skip(*begin).for_each(|count| *count += 1.0);
                *begin = u + 1;
            }
        }
        for row in counts.chunks_exact_mut(n + 1) {
            row.iter_mut().fold(0.0, |sum, count| {
                *count += sum;
                *count
            });
        }
        // A segment without types shares none: any finite number will do as its inverse.
        let inverses = counts.iter().map(|&count: &f32| 1.0 / count.max(1.0)).collect();
        Distinct { n, counts, inverses }
    }

    fn distinct(&self, start: usize, end: usize) -> f32 {
        self.counts.get(start * (self.n + 1) + end).copied().unwrap_or_default()
    }

    fn inverse(&self, start: usize, end: usize) -> f32 {
        self.inverses.get(start * (self.n + 1) + end).copied().unwrap_or_default()
    }

    fn from(&self, start: usize) -> &[f32] {
        self.counts.get(start * (self.n + 1)..(start + 1) * (self.n + 1)).unwrap_or_default()
    }

    fn inverse_from(&self, start: usize) -> &[f32] {
        self.inverses.get(start * (self.n + 1)..(start + 1) * (self.n + 1)).unwrap_or_default()
    }
}

const NOT_SHARED: u32 = u32::MAX;

/// For each type its number among the types that both answers have, and how many those are.
fn shared(a: &[Vec<u32>], b: &[Vec<u32>], types: usize) -> (Vec<u32>, usize) {
    let marked = |pieces: &[Vec<u32>]| {
        let mut marks = vec![false; types];
        pieces.iter().flatten().for_each(|&w| marks.iter_mut().skip(w as usize).take(1).for_each(|mark| *mark = true));
        marks
    };
    let mut count = 0;
    let mut number = |(a, b): (bool, bool)| {
        count += usize::from(a && b);
        if a && b { count as u32 - 1 } else { NOT_SHARED }
    };
    let numbers = marked(a).into_iter().zip(marked(b)).map(&mut number).collect();
    (numbers, count)
}

/// [`Half::arrivals`] and its bounds.
fn arrivals(pieces: &[Vec<u32>], types: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut all, mut bounds) = (Vec::new(), Vec::new());
    let mut seen = vec![0; types];
    for i in 0..=pieces.len() {
        for (u, piece) in pieces.iter().enumerate() {
            bounds.push(all.len() as u32);
            if u >= i {
                all.extend(piece.iter().filter(|&&w| seen.get_mut(w as usize).is_some_and(|seen| first_since(seen, i))));
            }
        }
        bounds.push(all.len() as u32);
    }
    (all, bounds)
}

fn first_since(seen: &mut usize, start: usize) -> bool {
    std::mem::replace(seen, start + 1) != start + 1
}

/// [`Half::next`].
fn next(pieces: &[Vec<u32>], types: usize) -> Vec<u16> {
    let m = pieces.len();
    let mut all = vec![m as u16; (m + 1) * types];
    for (p, piece) in pieces.iter().enumerate().rev() {
        all.copy_within((p + 1) * types..(p + 2) * types, p * types);
        piece.iter().for_each(|&w| all.iter_mut().skip(p * types + w as usize).take(1).for_each(|next| *next = p as u16));
    }
    all
}
