//! The comparisons that the rounds of a bootstrap draw from.

use super::cells::{Cells, RowKind};
use super::draws::count_picks;
use crate::checks::check_argument;
use crate::data::{Pairs, Sheet};
use crate::index::saturating_size;
use crate::{Cluster, Comparisons, Error, Tally};

/// Above 2^53 floating point skips whole numbers.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
/// The most comparisons that are resampled: 2^40.
const MOST: f64 = 1_099_511_627_776.0;

/// Comparisons, ready to be resampled many times.
#[derive(Debug)]
pub(crate) struct Population {
    pub(crate) pairs: Pairs,
    clusters: Clusters,
}

#[derive(Debug)]
enum Clusters {
    /// Clusters of one row each: a round counts how often each kind of row is drawn.
    Rows(Cells),
    /// Clusters of several rows: the rows of items, one after the other, each with the position of
    /// its pair and what it adds to it; and where each item begins and the last ends.
    Items {
        rows: Vec<(u32, [f64; 3])>,
        starts: Vec<u32>,
    },
}

impl Population {
    /// Rows, resampled by item or one by one.
    pub(crate) fn of_rows(data: &Comparisons, cluster: Cluster) -> Population {
        let pairs = Pairs::of_rows(data);
        // Items of one row each are drawn faster as rows, and give the same distribution.
        let alone = cluster == Cluster::None || data.clusters(Cluster::Item) == data.rows().len();
        let clusters = if alone {
            // Equal rows are put together. Outcomes are compared by their bits, which are equal
            // where the numbers are and have an order.
            let bits = data.rows().iter().map(|row| {
                let outcome = row.outcome().map(f64::to_bits);
                (pairs.position(row.a, row.b), outcome)
            });
            let mut rows: Vec<(u32, [u64; 3])> = bits.collect();
            rows.sort_unstable();
            let kinds = rows.chunk_by(|x, y| x == y).map(|run| RowKind {
                pair: run[0].0,
                outcome: run[0].1.map(f64::from_bits),
                rows: run.len() as u64,
            });
            Clusters::Rows(Cells::new(kinds.collect()))
        } else {
            let merged = data.merged();
            let rows = merged.rows().iter();
            let rows = rows.map(|row| (pairs.position(row.a, row.b), row.outcome()));
            Clusters::Items {
                rows: rows.collect(),
                starts: merged.starts().to_vec(),
            }
        };
        Population { pairs, clusters }
    }

    /// Counts of comparisons of weight 1, resampled one by one.
    ///
    /// # Errors
    /// A count that is not whole, or more than 2^40 comparisons in all.
    pub(crate) fn of_counts(tally: &Tally) -> Result<Population, Error> {
        let pairs = Pairs::of_tally(tally);
        const OUTCOMES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut kinds = Vec::with_capacity(3 * pairs.list.len());
        for (pair, &[a, b]) in (0..).zip(&pairs.list) {
            let counts = tally.outcome(a.into(), b.into());
            for (outcome, count) in OUTCOMES.into_iter().zip(counts) {
                let good = count.fract() == 0.0 && count <= LARGEST_WHOLE;
                let expected = "of whole comparisons, for they are resampled";
                check_argument("count", count, good, expected)?;
                let rows = count as u64;
                if rows > 0 {
                    kinds.push(RowKind {
                        pair,
                        outcome,
                        rows,
                    });
                }
            }
        }
        // A round takes time by the rows, if little; beyond this it would not end.
        let total = kinds.iter().map(|kind| kind.rows as f64).sum::<f64>();
        let expected = "of at most 2^40 comparisons in all to be resampled";
        check_argument("count", total, total <= MOST, expected)?;
        Ok(Population {
            pairs,
            clusters: Clusters::Rows(Cells::new(kinds)),
        })
    }

    /// How many clusters a round draws.
    pub(crate) fn clusters(&self) -> usize {
        match &self.clusters {
            Clusters::Rows(cells) => saturating_size(cells.total()),
            Clusters::Items { starts, .. } => starts.len() - 1,
        }
    }

    /// The draws of one round, a function of the seed and the round's number alone.
    pub(crate) fn draw(&self, seed: u64, round: u64, scratch: &mut Vec<f64>, sheet: &mut Sheet) {
        sheet.clear();
        match &self.clusters {
            Clusters::Rows(cells) => {
                cells.draw(seed, round, scratch);
                for (pair, outcome, times) in cells.drawn_kinds(scratch) {
                    sheet.add(pair, outcome, times);
                }
            }
            Clusters::Items { rows, starts } => {
                scratch.resize(starts.len() - 1, 0.0);
                count_picks(seed, round, scratch);
                for (ends, &times) in starts.windows(2).zip(&*scratch) {
                    if times > 0.0 {
                        for &(pair, outcome) in &rows[ends[0] as usize..ends[1] as usize] {
                            sheet.add(pair, outcome, times);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_can_be_drawn_is_said() {
        let mut tally = Tally::new(2).unwrap();
        tally.add(0, 1, 9e15, 0.0, 9e15).unwrap();
        assert!(matches!(
            Population::of_counts(&tally),
            Err(Error::Value {
                field: "count",
                value: 1.8e16,
                ..
            })
        ));
    }
}
