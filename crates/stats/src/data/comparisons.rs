//! Judged comparisons of two systems, each under its item.

use super::{ClusterSizes, Tally};
use crate::checks::{check_pair, check_rows, check_systems, check_weight, check_weight_count};
use crate::index::saturating_size;
use crate::{Cluster, Error};

/// One judged comparison, or several of the same pair on the same item.
///
/// A verdict is a distribution over (a won, tie, b won), so the three weights of one judgment
/// usually sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The item; any number, the same for all rows that belong together.
    pub item: u32,
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// Weight of "a is better", from 0 to 1e100.
    pub wins_a: f64,
    /// Weight of "equally good", from 0 to 1e100.
    pub ties: f64,
    /// Weight of "b is better", from 0 to 1e100.
    pub wins_b: f64,
}

impl Comparison {
    /// One comparison of weight 1 that `a` won, or else `b`.
    pub fn won(item: u32, a: u16, b: u16, a_won: bool) -> Self {
        let [wins_a, wins_b] = if a_won { [1.0, 0.0] } else { [0.0, 1.0] };
        Comparison::of_outcome(item, [a, b], [wins_a, 0.0, wins_b])
    }

    /// One comparison of weight 1 that was a tie.
    pub fn tied(item: u32, a: u16, b: u16) -> Self {
        Comparison::of_outcome(item, [a, b], [0.0, 1.0, 0.0])
    }

    /// A comparison with the weights of (a won, tie, b won).
    pub(crate) fn of_outcome(item: u32, [a, b]: [u16; 2], outcome: [f64; 3]) -> Self {
        let [wins_a, ties, wins_b] = outcome;
        Comparison {
            item,
            a,
            b,
            wins_a,
            ties,
            wins_b,
        }
    }

    /// The weights of (a won, tie, b won).
    pub(crate) fn outcome(&self) -> [f64; 3] {
        [self.wins_a, self.ties, self.wins_b]
    }

    /// How much it counts.
    pub(crate) fn weight(&self) -> f64 {
        self.wins_a + self.ties + self.wins_b
    }

    #[inline]
    fn pair(&self) -> (u16, u16) {
        (self.a, self.b)
    }
}

/// The comparisons of k systems, grouped by item: 32 bytes a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparisons {
    systems: usize,
    /// Ordered by item; the lower system number is `a`.
    rows: Vec<Comparison>,
    /// Where each item's rows begin, and the end of the last: one more than there are items.
    starts: Vec<u32>,
    /// Whether a row is as many judgments as its weights sum to, and not one.
    counted: bool,
}

impl Comparisons {
    /// Groups `rows` by item. A row of weight 0 is no evidence and is left out; the order of the
    /// rest does not matter, but for rounding.
    ///
    /// # Errors
    /// Too many systems or rows; an unknown system, a system against itself, or a weight that is
    /// negative, NaN, infinite or too large, with the position of the row.
    pub fn new(systems: usize, mut rows: Vec<Comparison>) -> Result<Self, Error> {
        check_systems(systems)?;
        check_rows(rows.len())?;
        for (position, row) in rows.iter_mut().enumerate() {
            check_pair(position, row.a.into(), row.b.into(), systems)?;
            check_weight(position, "wins_a", row.wins_a)?;
            check_weight(position, "ties", row.ties)?;
            check_weight(position, "wins_b", row.wins_b)?;
            if row.a > row.b {
                std::mem::swap(&mut row.a, &mut row.b);
                std::mem::swap(&mut row.wins_a, &mut row.wins_b);
            }
        }
        rows.retain(|row| row.wins_a + row.ties + row.wins_b != 0.0);
        // Most files come sorted, and looking is cheaper than sorting. The sort is stable, so that
        // equal inputs give equal sums.
        if !rows.is_sorted_by_key(|row| row.item) {
            rows.sort_by_key(|row| row.item);
        }
        Ok(Comparisons::of_sorted(systems, rows))
    }

    /// Groups counts by item: the weights of a row are how many judgments of this pair on this item
    /// ended so. Scores and intervals by item are those of the judgments one by one.
    ///
    /// # Errors
    /// Those of [`Comparisons::new`].
    pub fn of_counts(systems: usize, rows: Vec<Comparison>) -> Result<Self, Error> {
        Ok(Comparisons {
            counted: true,
            ..Comparisons::new(systems, rows)?
        })
    }

    /// From rows that are in order of item.
    fn of_sorted(systems: usize, rows: Vec<Comparison>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for run in rows.chunk_by(|x, y| x.item == y.item) {
            end += run.len() as u32;
            starts.push(end);
        }
        Comparisons {
            systems,
            rows,
            starts,
            counted: false,
        }
    }

    /// How many systems there are.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// The rows, ordered by item.
    pub fn rows(&self) -> &[Comparison] {
        &self.rows
    }

    /// How many clusters can be resampled: items that have rows, or rows.
    pub fn clusters(&self, cluster: Cluster) -> usize {
        match cluster {
            Cluster::Item => self.starts.len().saturating_sub(1),
            Cluster::None => self.rows.len(),
        }
    }

    /// All rows added up.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::sized(self.systems);
        add_rows(&mut tally, &self.rows, 1.0);
        tally
    }

    /// All rows added up, each times the weight of its cluster; `weights` is indexed by item in
    /// ascending order of item number, or by row.
    ///
    /// # Errors
    /// Not exactly one weight for each cluster.
    pub fn weighted_tally(&self, cluster: Cluster, weights: &[f64]) -> Result<Tally, Error> {
        check_weight_count(self.clusters(cluster), weights.len())?;
        Ok(self.tally_with(cluster, weights))
    }

    pub(crate) fn tally_with(&self, cluster: Cluster, weights: &[f64]) -> Tally {
        let mut tally = Tally::sized(self.systems);
        for (rows, &weight) in self.rows_by_cluster(cluster).zip(weights) {
            add_rows(&mut tally, rows, weight);
        }
        tally
    }

    /// How many judgments each system is in.
    pub fn judgments(&self) -> Vec<u64> {
        let mut counts = vec![0; self.systems];
        for row in &self.rows {
            let judgments = self.judgments_of(row);
            counts[usize::from(row.a)] += judgments;
            counts[usize::from(row.b)] += judgments;
        }
        counts
    }

    /// Whether every item has one judgment alone.
    pub(crate) fn is_of_single(&self) -> bool {
        let items = self.clusters(Cluster::Item);
        items == self.rows.len() && self.rows.iter().all(|row| self.judgments_of(row) == 1)
    }

    fn judgments_of(&self, row: &Comparison) -> u64 {
        match self.counted {
            true => row.weight().round() as u64,
            false => 1,
        }
    }

    /// As how many clusters of one size those are that each system is in ([`ClusterSizes`]), by
    /// the weight of its rows.
    pub fn clusters_of_systems(&self, cluster: Cluster) -> Vec<usize> {
        if cluster == Cluster::None && self.counted {
            return self.judgments().into_iter().map(saturating_size).collect();
        }
        let mut found = vec![ClusterSizes::default(); self.systems];
        let mut sizes = vec![0.0; self.systems];
        for rows in self.rows_by_cluster(cluster) {
            for row in rows {
                sizes[usize::from(row.a)] += row.weight();
                sizes[usize::from(row.b)] += row.weight();
            }
            // A cluster counts once for a system, however many rows it has there.
            for system in systems_of(rows) {
                found[system].add(std::mem::take(&mut sizes[system]));
            }
        }
        found.iter().map(ClusterSizes::clusters).collect()
    }

    /// Adds up the rows of the same pair within each item: fewer rows, the same tally of every
    /// item.
    pub fn merged(&self) -> Comparisons {
        // Room for all: pages that are not written to take no memory.
        let mut rows: Vec<Comparison> = Vec::with_capacity(self.rows.len());
        for item in self.items() {
            let begin = rows.len();
            rows.extend_from_slice(item);
            rows[begin..].sort_by_key(Comparison::pair);
            // Neighbours of the same pair are added up in place.
            let mut last = begin;
            for next in begin + 1..rows.len() {
                let row = rows[next];
                let into = &mut rows[last];
                if into.pair() == row.pair() {
                    into.wins_a += row.wins_a;
                    into.ties += row.ties;
                    into.wins_b += row.wins_b;
                } else {
                    last += 1;
                    rows[last] = row;
                }
            }
            rows.truncate(last + 1);
        }
        rows.shrink_to_fit();
        Comparisons {
            counted: self.counted,
            ..Comparisons::of_sorted(self.systems, rows)
        }
    }

    /// Whether no pair has two rows on one item, and all are in order: [`Comparisons::merged`] is
    /// then the same.
    pub(crate) fn is_merged(&self) -> bool {
        self.items().all(|rows| {
            let pairs = rows.windows(2);
            pairs.into_iter().all(|two| two[0].pair() < two[1].pair())
        })
    }

    /// Where the rows of each item begin, and the end of the last.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The rows of each cluster.
    pub(crate) fn rows_by_cluster(&self, cluster: Cluster) -> impl Iterator<Item = &[Comparison]> {
        let by_item = cluster == Cluster::Item;
        let same = move |x: &Comparison, y: &Comparison| by_item && x.item == y.item;
        self.rows.chunk_by(same)
    }

    fn items(&self) -> impl Iterator<Item = &[Comparison]> {
        self.starts
            .windows(2)
            .map(|ends| &self.rows[ends[0] as usize..ends[1] as usize])
    }
}

/// Both systems of every row.
fn systems_of(rows: &[Comparison]) -> impl Iterator<Item = usize> {
    rows.iter()
        .flat_map(|row| [usize::from(row.a), usize::from(row.b)])
}

fn add_rows(tally: &mut Tally, rows: &[Comparison], weight: f64) {
    if weight == 0.0 {
        return;
    }
    for row in rows {
        let [wins_a, ties, wins_b] = row.outcome().map(|part| weight * part);
        tally.add_checked(row.a.into(), row.b.into(), wins_a, ties, wins_b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Comparisons {
        let rows = vec![
            Comparison::won(9, 0, 1, true),
            Comparison::tied(4, 2, 1),
            Comparison {
                item: 4,
                a: 1,
                b: 2,
                wins_a: 0.25,
                ties: 0.5,
                wins_b: 0.25,
            },
            Comparison::won(9, 1, 0, true),
            Comparison {
                item: 5,
                a: 0,
                b: 1,
                wins_a: 0.0,
                ties: 0.0,
                wins_b: 0.0,
            },
        ];
        Comparisons::new(3, rows).unwrap()
    }

    #[test]
    fn a_row_is_32_bytes() {
        // 990,000 judgments (11,000 items, 45 pairs, both orders) are then 31.7 MB.
        assert_eq!(size_of::<Comparison>(), 32);
    }

    #[test]
    fn rows_are_grouped_by_item_and_empty_ones_left_out() {
        let data = sample();
        assert_eq!(
            (data.clusters(Cluster::Item), data.clusters(Cluster::None)),
            (2, 4)
        );
        assert_eq!(data.judgments(), [2, 4, 2]);
        assert_eq!(data.clusters_of_systems(Cluster::Item), [1, 2, 1]);
        assert_eq!(
            Comparisons::new(3, vec![]).unwrap().clusters(Cluster::Item),
            0
        );
    }

    #[test]
    fn a_weight_multiplies_its_item() {
        // Item 4 (first in order) counts three times, item 9 not at all.
        let tally = sample().weighted_tally(Cluster::Item, &[3.0, 0.0]).unwrap();
        assert_eq!(
            (
                tally.ties(1, 2),
                tally.wins(1, 2),
                tally.wins(2, 1),
                tally.games(0, 1)
            ),
            (4.5, 0.75, 0.75, 0.0)
        );
        let found = sample().weighted_tally(Cluster::Item, &[1.0]);
        assert_eq!(
            found,
            Err(Error::Weights {
                expected: 2,
                found: 1
            })
        );
    }

    #[test]
    fn merging_keeps_the_tally_of_each_item() {
        let (data, merged) = (sample(), sample().merged());
        assert_eq!(merged.rows().len(), 2);
        for weights in [[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]] {
            assert_eq!(
                data.tally_with(Cluster::Item, &weights),
                merged.tally_with(Cluster::Item, &weights)
            );
        }
    }

    #[test]
    fn counts_are_as_many_judgments() {
        let row = |item, wins_a, ties| Comparison {
            item,
            a: 0,
            b: 1,
            wins_a,
            ties,
            wins_b: 0.0,
        };
        let data = Comparisons::of_counts(2, vec![row(3, 4.0, 2.0), row(5, 0.0, 1.0)]).unwrap();
        assert_eq!((data.judgments(), data.is_of_single()), (vec![7, 7], false));
        assert_eq!(data.clusters_of_systems(Cluster::Item), [2, 2]);
        assert!(data.is_merged() && data.merged() == data);
        let data = Comparisons::of_counts(2, vec![row(3, 1.0, 0.0), row(5, 0.0, 1.0)]).unwrap();
        assert!(data.is_of_single());
        assert!(!sample().is_merged() && sample().merged().is_merged());
    }

    #[test]
    fn errors_name_the_row() {
        let rows = vec![
            Comparison::won(0, 0, 1, true),
            Comparison::won(0, 0, 3, true),
        ];
        assert_eq!(
            Comparisons::new(3, rows),
            Err(Error::NoSuchSystem {
                row: 1,
                system: 3,
                systems: 3
            })
        );
    }
}
