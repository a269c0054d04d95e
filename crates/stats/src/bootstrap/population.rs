//! The comparisons that the rounds of a bootstrap draw from.

use super::cells::{Cells, RowKind};
use super::draws::count_picks;
use crate::checks::check_argument;
use crate::data::{Pairs, Sheet};
use crate::index::saturating_size;
use crate::{Cluster, Comparisons, Error, Tally};
use std::borrow::Cow;

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
    /// Clusters of several rows of whole outcomes: what is won on the items, one after the other,
    /// and where each item begins and the last ends.
    Counted { won: Vec<Won>, starts: Vec<usize> },
    /// Clusters of several rows: the rows of items, one after the other, each with the position of
    /// its pair and what it adds to it; and where each item begins and the last ends.
    Items {
        rows: Vec<(u32, [f64; 3])>,
        starts: Vec<u32>,
    },
}

/// The place of a pair's outcome on the sheet, 24 bits, and how often it is there, 8 bits: a round
/// goes through all of them, and takes as long as that takes.
#[derive(Clone, Copy, Debug)]
struct Won(u32);

impl Won {
    const MOST_PLACES: usize = 1 << 24;
    const MOST_TIMES: u32 = 0xff;
    /// Above so many times in one row a row of its own is shorter.
    const MOST_IN_ROW: f64 = 1020.0;

    /// What is won on the items, where all of it is whole and has a place.
    fn of_items(pairs: &Pairs, data: &Comparisons) -> Option<(Vec<Won>, Vec<usize>)> {
        let is_small = |part: &f64| part.fract() == 0.0 && *part <= Won::MOST_IN_ROW;
        let mut rows = data.rows().iter();
        let are_small = rows.all(|row| row.outcome().iter().all(is_small));
        if !are_small || 3 * pairs.list.len() > Won::MOST_PLACES {
            return None;
        }
        let (mut won, mut starts) = (Vec::with_capacity(data.rows().len()), vec![0]);
        for item in data.rows_by_cluster(Cluster::Item) {
            for row in item {
                let first = 3 * pairs.position(row.a, row.b);
                for (place, times) in (first..).zip(row.outcome()) {
                    let mut left = times as u32;
                    while left > 0 {
                        let times = left.min(Won::MOST_TIMES);
                        won.push(Won((place << 8) | times));
                        left -= times;
                    }
                }
            }
            starts.push(won.len());
        }
        Some((won, starts))
    }
}

impl Population {
    /// Rows, resampled by item or one by one.
    pub(crate) fn of_rows(data: &Comparisons, cluster: Cluster) -> Population {
        let pairs = Pairs::of_rows(data);
        // Items of one judgment each are drawn faster as rows, and give the same distribution.
        let alone = cluster == Cluster::None || data.is_of_single();
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
            let merged = match data.is_merged() {
                true => Cow::Borrowed(data),
                false => Cow::Owned(data.merged()),
            };
            match Won::of_items(&pairs, &merged) {
                Some((won, starts)) => Clusters::Counted { won, starts },
                None => {
                    let rows = merged.rows().iter();
                    let rows = rows.map(|row| (pairs.position(row.a, row.b), row.outcome()));
                    Clusters::Items {
                        rows: rows.collect(),
                        starts: merged.starts().to_vec(),
                    }
                }
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
            Clusters::Counted { starts, .. } => starts.len() - 1,
            Clusters::Items { starts, .. } => starts.len() - 1,
        }
    }

    /// The draws of one round, a function of the seed and the round's number alone.
    // Deep: each shape has a loop of its own, as a resample spends its time here.
    pub(crate) fn draw(&self, seed: u64, round: u64, scratch: &mut Vec<f64>, sheet: &mut Sheet) {
        sheet.clear();
        match &self.clusters {
            Clusters::Rows(cells) => {
                cells.draw(seed, round, scratch);
                for (pair, outcome, times) in cells.drawn_kinds(scratch) {
                    sheet.add(pair, outcome, times);
                }
            }
            Clusters::Counted { won, starts } => {
                scratch.resize(starts.len() - 1, 0.0);
                count_picks(seed, round, scratch);
                let sheet = sheet.won.as_flattened_mut();
                for (ends, &times) in starts.windows(2).zip(&*scratch) {
                    if times > 0.0 {
                        for &Won(won) in &won[ends[0]..ends[1]] {
                            let count = f64::from(won & Won::MOST_TIMES);
                            sheet[(won >> 8) as usize] += times * count;
                        }
                    }
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
    use crate::Comparison;

    /// The tally of so many rounds, of rows and of the same rows in halves, which are no whole
    /// outcomes: twice the halves.
    #[test]
    fn whole_outcomes_are_drawn_as_any_others_are() {
        let row = |at: u32| Comparison {
            item: at * 7 % 13,
            a: (at % 3) as u16,
            b: 3 + (at * at % 4) as u16,
            wins_a: f64::from(at % 5),
            ties: f64::from(at % 2 * 300),
            wins_b: f64::from(at % 3),
        };
        let half = |row: Comparison| Comparison {
            wins_a: row.wins_a / 2.0,
            ties: row.ties / 2.0 + 0.25,
            wins_b: row.wins_b / 2.0,
            ..row
        };
        // With a quarter of a tie more, which is taken off again.
        let rows = || (0..200).map(row);
        let whole = Comparisons::new(7, rows().collect()).unwrap();
        let half = Comparisons::new(7, rows().map(half).collect()).unwrap();
        let quarter = rows().map(|row| Comparison {
            wins_a: 0.0,
            ties: 0.25,
            wins_b: 0.0,
            ..row
        });
        let quarter = Comparisons::new(7, quarter.collect()).unwrap();
        let [whole, half, quarter] =
            [whole, half, quarter].map(|data| Population::of_rows(&data, Cluster::Item));
        assert!(matches!(whole.clusters, Clusters::Counted { .. }));
        assert!(matches!(half.clusters, Clusters::Items { .. }));
        let drawn = |population: &Population, round| {
            let mut sheet = Sheet::new(&population.pairs);
            population.draw(3, round, &mut Vec::new(), &mut sheet);
            sheet.won
        };
        for round in 0..20 {
            let found = drawn(&whole, round);
            let halves = drawn(&half, round).into_iter().zip(drawn(&quarter, round));
            let expected =
                halves.map(|([x, ties, y], [_, more, _])| [2.0 * x, 2.0 * (ties - more), 2.0 * y]);
            assert_eq!(found, expected.collect::<Vec<_>>(), "{round}");
        }
    }

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
