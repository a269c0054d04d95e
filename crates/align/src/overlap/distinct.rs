//! How many token types the segments of one answer have.

/// The numbers of distinct token types of all segments of one answer, and their inverses.
pub(super) struct DistinctTypes {
    pieces: usize,
    counts: Vec<f32>,
    inverses: Vec<f32>,
}

impl DistinctTypes {
    /// Counts the types of every segment of these pieces; `types` is how many there are in all.
    pub(super) fn count(pieces: &[Vec<u32>], types: usize) -> DistinctTypes {
        let n = pieces.len();
        let mut counts = vec![0.0; (n + 1) * (n + 1)];
        let mut begins = vec![0; types];
        // For a segment that ends after piece u, the types by the piece with which it begins.
        let mut by_start = vec![0.0; n];
        for (u, piece) in pieces.iter().enumerate() {
            // A type that was last in piece r is new to segments that begin after r, where `begins`
            // points.
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
            for (count, &types) in ends.zip(&by_start).take(u + 1) {
                *count = types;
            }
        }
        DistinctTypes::with_counts(n, counts)
    }

    fn with_counts(pieces: usize, counts: Vec<f32>) -> DistinctTypes {
        // A segment without types shares none: any finite number will do as its inverse.
        let inverses = counts.iter().map(|count| 1.0 / count.max(1.0));
        DistinctTypes {
            pieces,
            inverses: inverses.collect(),
            counts,
        }
    }

    /// Returns the numbers for the pieces in reverse order.
    pub(super) fn reversed(&self) -> DistinctTypes {
        let n = self.pieces;
        let counts = (0..=n).flat_map(|start| {
            let ends = 0..=n;
            ends.map(move |end| self.count_of(n - end, n - start))
        });
        DistinctTypes::with_counts(n, counts.collect())
    }

    /// Returns how many types the segment `start..end` has.
    pub(super) fn count_of(&self, start: usize, end: usize) -> f32 {
        let counts = self.counts_from(start);
        counts.get(end).copied().unwrap_or_default()
    }

    /// Returns one over the number of types of the segment `start..end`.
    pub(super) fn inverse_of(&self, start: usize, end: usize) -> f32 {
        let inverses = self.inverses_from(start);
        inverses.get(end).copied().unwrap_or_default()
    }

    /// Returns the numbers for all ends of the segments that begin at `start`.
    pub(super) fn counts_from(&self, start: usize) -> &[f32] {
        self.counts.get(self.row(start)).unwrap_or_default()
    }

    /// Returns the inverses for all ends of the segments that begin at `start`.
    pub(super) fn inverses_from(&self, start: usize) -> &[f32] {
        self.inverses.get(self.row(start)).unwrap_or_default()
    }

    fn row(&self, start: usize) -> std::ops::Range<usize> {
        start * (self.pieces + 1)..(start + 1) * (self.pieces + 1)
    }
}
