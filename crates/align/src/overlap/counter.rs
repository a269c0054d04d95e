//! Counts of shared types for all ends of two segments that begin at given pieces.

use super::SharedTypes;
use super::distinct::DistinctTypes;
use std::mem::replace;
use std::ops::Range;

/// Counts shared types from given starts forward.
pub(super) struct OverlapCounter {
    /// How many pieces a and b have.
    pub(super) n: usize,
    pub(super) m: usize,
    arrivals: Arrivals,
    /// For each start p in b and each shared type, the first piece from p on that has it, or m.
    next: Vec<u16>,
    shared: usize,
    pub(super) a: DistinctTypes,
    pub(super) b: DistinctTypes,
}

impl OverlapCounter {
    pub(super) fn new(shared: &SharedTypes, a: DistinctTypes, b: DistinctTypes) -> Self {
        OverlapCounter {
            n: shared.a.len(),
            m: shared.b.len(),
            arrivals: Arrivals::new(&shared.a, shared.count),
            next: first_occurrences(&shared.b, shared.count),
            shared: shared.count,
            a,
            b,
        }
    }

    /// Returns for each shared type the first piece of b from p on that has it, or m.
    fn next_from(&self, p: usize) -> &[u16] {
        let types = p * self.shared..(p + 1) * self.shared;
        self.next.get(types).unwrap_or_default()
    }

    /// Returns the overlap of one segment of a and one of b.
    pub(super) fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let next = self.next_from(b.start);
        let is_within = |v: &u16| usize::from(*v) < b.end;
        let shared = a.clone().flat_map(|u| self.arrivals.at(a.start, u));
        let both = shared.filter(|&&w| next.get(w as usize).is_some_and(is_within));
        let of_a = self.a.count_of(a.start, a.end);
        divide(
            both.count() as f32,
            of_a.max(self.b.count_of(b.start, b.end)),
        )
    }

    /// Calls `row(j, s)` for j = i + 1..=end with `s[q]` the number of types shared by i..j and
    /// p..q, q = 0..=m, in `counts`.
    fn count_rows(
        &self,
        (i, p): (usize, usize),
        end: usize,
        counts: &mut Vec<f32>,
        mut row: impl FnMut(usize, &[f32]),
    ) {
        counts.clear();
        counts.resize(self.m + 1, 0.0);
        let next = self.next_from(p);
        for u in i..end {
            let arriving = self.arrivals.at(i, u).iter();
            let pieces = arriving.filter_map(|&w| next.get(w as usize).map(|&v| usize::from(v)));
            // Both give the same counts.
            if self.m <= FEW_PIECES {
                add_to_few(pieces, counts)
            } else {
                add_to_many(pieces, counts)
            }
            row(u + 1, counts);
        }
    }

    /// Calls `row(j, s)` for every j from i + 1 on with the similarities of i..j and p..q.
    pub(super) fn exact_rows(&self, i: usize, p: usize, row: &mut impl FnMut(usize, &[f64])) {
        let (mut counts, mut similarities) = (Vec::new(), vec![0.0; self.m + 1]);
        let b = tail(self.b.counts_from(p), p);
        self.count_rows((i, p), self.n, &mut counts, |j, counts| {
            let a = self.a.count_of(i, j);
            let ends = tail_mut(&mut similarities, p).iter_mut();
            for ((out, &both), &b) in ends.zip(tail(counts, p)).zip(b) {
                *out = divide(both, a.max(b));
            }
            row(j, &similarities);
        });
    }

    /// Calls `row(j, s)` for every j from i + 1 to n - 1 with those similarities in single
    /// precision.
    pub(super) fn approximate_rows(
        &self,
        (i, p): (usize, usize),
        [counts, similarities]: &mut [Vec<f32>; 2],
        row: &mut impl FnMut(usize, &[f32]),
    ) {
        similarities.clear();
        similarities.resize(self.m + 1, 0.0);
        let b = tail(self.b.inverses_from(p), p);
        self.count_rows((i, p), self.n - 1, counts, |j, counts| {
            let a = self.a.inverse_of(i, j);
            let ends = tail_mut(similarities, p).iter_mut();
            for ((out, &both), &b) in ends.zip(tail(counts, p)).zip(b) {
                // The lesser inverse belongs to the greater number of types: no division here.
                *out = both * if a < b { a } else { b };
            }
            row(j, similarities);
        });
    }
}

/// Returns the values behind place p.
fn tail<T>(values: &[T], p: usize) -> &[T] {
    values.get(p + 1..).unwrap_or_default()
}

fn tail_mut<T>(values: &mut [T], p: usize) -> &mut [T] {
    values.get_mut(p + 1..).unwrap_or_default()
}

/// Returns both / most; 0 if there is nothing. Counts are below 2^24, so f32 holds them exactly.
fn divide(both: f32, most: f32) -> f64 {
    if most > 0.0 {
        f64::from(both) / f64::from(most)
    } else {
        0.0
    }
}

/// Up to so many pieces of b, counting the types by piece first is cheaper.
const FEW_PIECES: usize = 24;

/// Adds 1 to the counts behind each of these pieces.
fn add_to_many(pieces: impl Iterator<Item = usize>, counts: &mut [f32]) {
    for v in pieces {
        for count in tail_mut(counts, v) {
            *count += 1.0;
        }
    }
}

/// Adds 1 to the counts behind each of these pieces, of which there are at most [`FEW_PIECES`].
fn add_to_few(pieces: impl Iterator<Item = usize>, counts: &mut [f32]) {
    let mut types = [0u32; FEW_PIECES + 1];
    for v in pieces {
        if let Some(types) = types.get_mut(v) {
            *types += 1;
        }
    }
    let mut sum = 0;
    for (count, types) in counts.iter_mut().skip(1).zip(types) {
        sum += types;
        *count += sum as f32;
    }
}

/// For each start i in a, and each piece u from i on, the shared types that first occur in u:
/// `types[bounds[i][u]]`.
struct Arrivals {
    types: Vec<u32>,
    bounds: Vec<u32>,
    pieces: usize,
}

impl Arrivals {
    fn new(pieces: &[Vec<u32>], types: usize) -> Arrivals {
        let mut arrivals = Arrivals {
            types: Vec::new(),
            bounds: Vec::new(),
            pieces: pieces.len(),
        };
        // One more than the last start for which each type arrived.
        let mut last_starts = vec![0; types];
        for i in 0..=pieces.len() {
            for (u, piece) in pieces.iter().enumerate() {
                arrivals.bounds.push(arrivals.types.len() as u32);
                if u >= i {
                    let arriving = piece.iter().filter(|&&w| {
                        let last = last_starts.get_mut(w as usize);
                        last.is_some_and(|last| replace(last, i + 1) != i + 1)
                    });
                    arrivals.types.extend(arriving);
                }
            }
            arrivals.bounds.push(arrivals.types.len() as u32);
        }
        arrivals
    }

    /// Returns the shared types that first occur in piece u when a begins at i.
    fn at(&self, i: usize, u: usize) -> &[u32] {
        let bounds = self.bound(i, u)..self.bound(i, u + 1);
        self.types.get(bounds).unwrap_or_default()
    }

    fn bound(&self, i: usize, u: usize) -> usize {
        let bound = self.bounds.get(i * (self.pieces + 1) + u);
        bound.map_or(0, |&bound| bound as usize)
    }
}

/// Returns [`OverlapCounter::next`].
fn first_occurrences(pieces: &[Vec<u32>], types: usize) -> Vec<u16> {
    let m = pieces.len();
    let mut next = vec![m as u16; (m + 1) * types];
    for (p, piece) in pieces.iter().enumerate().rev() {
        next.copy_within((p + 1) * types..(p + 2) * types, p * types);
        for &w in piece {
            if let Some(next) = next.get_mut(p * types + w as usize) {
                *next = p as u16;
            }
        }
    }
    next
}
