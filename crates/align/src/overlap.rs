//! Token overlap of segments: how many token types two segments share, for all ends of two segments
//! that begin at given pieces.
//!
//! A segment of answer a is pieces i..j, one of b pieces p..q. A type is in both if it first occurs
//! in a, from piece i on, before j, and in b, from p on, before q. So for fixed starts each shared
//! type is one point, and the number of types in both segments is the number of points left of j
//! and below q: adding the points row by row gives it for all ends together.

use crate::search::Similarity;
use crate::tokens::Types;
use std::ops::Range;
use std::sync::OnceLock;

/// |intersection| / max(|set|, |set|) of the token types of two segments; 0 where neither has a token.
///
/// PORTIA, section 3.2 ("token overlap").
pub(crate) struct TokenOverlap {
    /// The shared types of each piece of a and of b, and how many there are.
    shared: (Vec<Vec<u32>>, Vec<Vec<u32>>, usize),
    forward: Half,
    /// The same with the pieces of both answers in reverse order, made when it is first wanted.
    backward: OnceLock<Half>,
}

impl TokenOverlap {
    pub(crate) fn new(types: &Types) -> TokenOverlap {
        let shared = shared(types);
        let distinct = |pieces: &[Vec<u32>]| Distinct::new(pieces, types.count);
        let forward = Half::new(
            &shared.0,
            &shared.1,
            shared.2,
            distinct(&types.a),
            distinct(&types.b),
        );
        TokenOverlap {
            shared,
            forward,
            backward: OnceLock::new(),
        }
    }

    fn backward(&self) -> &Half {
        self.backward.get_or_init(|| {
            let reversed = |pieces: &[Vec<u32>]| pieces.iter().rev().cloned().collect::<Vec<_>>();
            let (a, b, count) = &self.shared;
            Half::new(
                &reversed(a),
                &reversed(b),
                *count,
                self.forward.a.reversed(),
                self.forward.b.reversed(),
            )
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
        self.backward()
            .exact(n - j, m - q, &mut |mirrored, row_of_b| {
                row(n - mirrored, row_of_b)
            });
    }

    fn approximate_from(
        &self,
        (i, p): (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        self.forward.approximate(i, p, buffers, &mut row);
    }

    fn approximate_to(
        &self,
        (j, q): (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        let (n, m) = self.pieces();
        self.backward()
            .approximate(n - j, m - q, buffers, &mut |mirrored, row_of_b| {
                row(n - mirrored, row_of_b)
            });
    }
}

/// One direction.
struct Half {
    n: usize,
    m: usize,
    /// For each start i in a, and each piece u from i on, the shared types that first occur in u:
    /// `arrivals[bounds[i][u]]`.
    arrivals: Vec<u32>,
    bounds: Vec<u32>,
    /// For each start p in b and each shared type, the first piece from p on that has it, or m.
    next: Vec<u16>,
    shared: usize,
    a: Distinct,
    b: Distinct,
}

impl Half {
    fn new(of_a: &[Vec<u32>], of_b: &[Vec<u32>], shared: usize, a: Distinct, b: Distinct) -> Half {
        let (arrivals, bounds) = arrivals(of_a, shared);
        Half {
            n: of_a.len(),
            m: of_b.len(),
            arrivals,
            bounds,
            next: next(of_b, shared),
            shared,
            a,
            b,
        }
    }

    /// The shared types that first occur in piece u when a begins at i.
    fn arriving(&self, i: usize, u: usize) -> &[u32] {
        let bound = |at: usize| {
            self.bounds
                .get(i * (self.n + 1) + at)
                .map_or(0, |&bound| bound as usize)
        };
        self.arrivals
            .get(bound(u)..bound(u + 1))
            .unwrap_or_default()
    }

    fn next_from(&self, p: usize) -> &[u16] {
        self.next
            .get(p * self.shared..(p + 1) * self.shared)
            .unwrap_or_default()
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        let next = self.next_from(b.start);
        let within = |&&w: &&u32| {
            next.get(w as usize)
                .is_some_and(|&v| usize::from(v) < b.end)
        };
        let both: usize = a
            .clone()
            .map(|u| self.arriving(a.start, u).iter().filter(within).count())
            .sum();
        ratio(
            both as f32,
            self.a
                .distinct(a.start, a.end)
                .max(self.b.distinct(b.start, b.end)),
        )
    }

    /// Calls `row(j, s)` for j = i + 1..=end with s[q] the number of types shared by i..j and p..q,
    /// q = 0..=m, in `counts`.
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
            let arriving = self
                .arriving(i, u)
                .iter()
                .filter_map(|&w| next.get(w as usize))
                .map(|&v| usize::from(v));
            if self.m <= FEW {
                add_few(arriving, counts)
            } else {
                add_many(arriving, counts)
            }
            row(u + 1, counts);
        }
    }

    fn exact(&self, i: usize, p: usize, row: &mut impl FnMut(usize, &[f64])) {
        let (mut counts, mut similarities) = (Vec::new(), vec![0.0; self.m + 1]);
        let b = self.b.from(p).get(p + 1..).unwrap_or_default();
        self.count_rows((i, p), self.n, &mut counts, |j, counts| {
            let a = self.a.distinct(i, j);
            let (counts, out) = (
                counts.get(p + 1..).unwrap_or_default(),
                similarities.get_mut(p + 1..).unwrap_or_default(),
            );
            for ((out, &both), &b) in out.iter_mut().zip(counts).zip(b) {
                *out = ratio(both, a.max(b));
            }
            row(j, &similarities);
        });
    }

    fn approximate(
        &self,
        i: usize,
        p: usize,
        buffers: &mut [Vec<f32>; 2],
        row: &mut impl FnMut(usize, &[f32]),
    ) {
        let [counts, similarities] = buffers;
        similarities.clear();
        similarities.resize(self.m + 1, 0.0);
        let b = self.b.inverse_from(p).get(p + 1..).unwrap_or_default();
        self.count_rows((i, p), self.n - 1, counts, |j, counts| {
            let a = self.a.inverse(i, j);
            let (counts, out) = (
                counts.get(p + 1..).unwrap_or_default(),
                similarities.get_mut(p + 1..).unwrap_or_default(),
            );
            for ((out, &both), &b) in out.iter_mut().zip(counts).zip(b) {
                *out = both * if a < b { a } else { b };
            }
            row(j, similarities);
        });
    }
}

/// So many pieces of b are few: counting the types by piece first is cheaper then.
const FEW: usize = 24;

/// Adds 1 to the counts behind each of these pieces.
fn add_many(pieces: impl Iterator<Item = usize>, counts: &mut [f32]) {
    for v in pieces {
        for count in counts.get_mut(v + 1..).unwrap_or_default() {
            *count += 1.0;
        }
    }
}

/// The same for at most [`FEW`] pieces.
fn add_few(pieces: impl Iterator<Item = usize>, counts: &mut [f32]) {
    let mut types = [0u32; FEW + 1];
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

/// both / most; 0 if there is nothing.  Counts are below 2^24, so f32 holds them exactly.
fn ratio(both: f32, most: f32) -> f64 {
    if most > 0.0 {
        f64::from(both) / f64::from(most)
    } else {
        0.0
    }
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
        let mut begins = vec![0; types];
        // For a segment that ends after piece u, the types by the piece with which it begins.
        let mut by_start = vec![0.0; n];
        for (u, piece) in pieces.iter().enumerate() {
            // A type that is in piece u and was last in piece r is new to segments that begin after
            // r.
            for &w in piece {
                let Some(begin) = begins.get_mut(w as usize) else {
                    continue;
                };
                for count in by_start.get_mut(*begin..=u).unwrap_or_default() {
                    *count += 1.0;
                }
                *begin = u + 1;
            }
            let ends = counts.iter_mut().skip(u + 1).step_by(n + 1);
            ends.zip(&by_start)
                .take(u + 1)
                .for_each(|(count, &types)| *count = types);
        }
        Distinct::of(n, counts)
    }

    fn of(n: usize, counts: Vec<f32>) -> Distinct {
        // A segment without types shares none: any finite number will do as its inverse.
        let inverses = counts
            .iter()
            .map(|&count| 1.0 / if count > 1.0 { count } else { 1.0 })
            .collect();
        Distinct {
            n,
            counts,
            inverses,
        }
    }

    /// The same for the pieces in reverse order.
    fn reversed(&self) -> Distinct {
        let n = self.n;
        let row = |start: usize| (0..=n).map(move |end| self.distinct(n - end, n - start));
        Distinct::of(n, (0..=n).flat_map(row).collect())
    }

    fn distinct(&self, start: usize, end: usize) -> f32 {
        self.counts
            .get(start * (self.n + 1) + end)
            .copied()
            .unwrap_or_default()
    }

    fn inverse(&self, start: usize, end: usize) -> f32 {
        self.inverses
            .get(start * (self.n + 1) + end)
            .copied()
            .unwrap_or_default()
    }

    fn from(&self, start: usize) -> &[f32] {
        self.counts
            .get(start * (self.n + 1)..(start + 1) * (self.n + 1))
            .unwrap_or_default()
    }

    fn inverse_from(&self, start: usize) -> &[f32] {
        self.inverses
            .get(start * (self.n + 1)..(start + 1) * (self.n + 1))
            .unwrap_or_default()
    }
}

const NOT_SHARED: u32 = u32::MAX;

/// The types of each piece that both answers have, numbered anew, and how many there are.
fn shared(types: &Types) -> (Vec<Vec<u32>>, Vec<Vec<u32>>, usize) {
    let mut in_a = vec![false; types.count];
    types.a.iter().flatten().for_each(|&w| {
        in_a.iter_mut()
            .skip(w as usize)
            .take(1)
            .for_each(|mark| *mark = true)
    });
    let (mut numbers, mut count) = (vec![NOT_SHARED; types.count], 0);
    for &w in types
        .b
        .iter()
        .flatten()
        .filter(|&&w| in_a.get(w as usize) == Some(&true))
    {
        numbers
            .iter_mut()
            .skip(w as usize)
            .take(1)
            .filter(|number| **number == NOT_SHARED)
            .for_each(|number| {
                *number = count;
                count += 1;
            });
    }
    let number = |&w: &u32| {
        numbers
            .get(w as usize)
            .copied()
            .filter(|&number| number != NOT_SHARED)
    };
    let of = |pieces: &[Vec<u32>]| {
        pieces
            .iter()
            .map(|piece| piece.iter().filter_map(number).collect())
            .collect()
    };
    (of(&types.a), of(&types.b), count as usize)
}

/// [`Half::arrivals`] and its bounds.
fn arrivals(pieces: &[Vec<u32>], types: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut all, mut bounds) = (Vec::new(), Vec::new());
    let mut seen = vec![0; types];
    for i in 0..=pieces.len() {
        for (u, piece) in pieces.iter().enumerate() {
            bounds.push(all.len() as u32);
            if u >= i {
                all.extend(piece.iter().filter(|&&w| {
                    seen.get_mut(w as usize)
                        .is_some_and(|seen| first_since(seen, i))
                }));
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
        piece.iter().for_each(|&w| {
            all.iter_mut()
                .skip(p * types + w as usize)
                .take(1)
                .for_each(|next| *next = p as u16)
        });
    }
    all
}
