//! What the rounds of a bootstrap over comparisons draw from.

use super::cells::Cells;
use super::draws::count_picks;
use crate::data::{Pairs, Sheet};
use crate::{Cluster, Comparison, Comparisons, Error, Tally};

/// The most comparisons that are resampled: 2^40.
const MOST: f64 = 1_099_511_627_776.0;

/// Comparisons, ready to be resampled many times.
#[derive(Debug)]
pub(crate) struct Population {
    pub(crate) pairs: Pairs,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Clusters of one row each: a round counts how often each kind of row is drawn.
    Rows(Cells),
    /// Clusters of several rows, one after the other, and where each begins and the last ends.
    Items { rows: Vec<Row>, starts: Vec<u32> },
}

/// One row: which pair, and what it adds to it.
#[derive(Clone, Copy, Debug)]
struct Row {
    pair: u32,
    outcome: [f64; 3],
}

impl Population {
    /// Rows, resampled by item or one by one.
    pub(crate) fn of_rows(data: &Comparisons, cluster: Cluster) -> Population {
        let pairs = Pairs::of_rows(data);
        let alone = cluster == Cluster::None || data.clusters(Cluster::Item) == data.rows().len();
        let kind = if alone {
            Kind::Rows(cells(data.rows(), &pairs))
        } else {
            items(data, &pairs)
        };
        Population { pairs, kind }
    }

    /// Counts of comparisons of weight 1, resampled one by one.
    ///
    /// # Errors
    /// A count that is not whole, or more than 2^40 comparisons in all.
    pub(crate) fn of_counts(tally: &Tally) -> Result<Population, Error> {
        let pairs = Pairs::of_tally(tally);
        let mut kinds = Vec::with_capacity(3 * pairs.list.len());
        for (pair, &[a, b]) in pairs.list.iter().enumerate() {
            let (i, j) = (usize::from(a), usize::from(b));
            let counts = [tally.wins(i, j), tally.ties(i, j), tally.wins(j, i)];
            for (outcome, count) in counts.into_iter().enumerate() {
                let count = whole(count)?;
                let mut one = [0.0; 3];
                one[outcome] = 1.0;
                kinds.extend((count > 0).then_some((pair as u32, one, count)));
            }
        }
        check_total(&kinds)?;
        Ok(Population {
            pairs,
            kind: Kind::Rows(Cells::new(kinds)),
        })
    }

    /// How many clusters a round draws.
    pub(crate) fn clusters(&self) -> usize {
        match &self.kind {
            Kind::Rows(cells) => usize::try_from(cells.total()).unwrap_or(usize::MAX),
            Kind::Items { starts, .. } => starts.len() - 1,
        }
    }

    /// The draws of one round, a function of the seed and the round's number alone.
    pub(crate) fn draw(&self, seed: u64, round: u64, scratch: &mut Vec<f64>, sheet: &mut Sheet) {
        sheet.clear();
        match &self.kind {
            Kind::Rows(cells) => {
                cells.draw(seed, round, scratch);
                cells
                    .drawn(scratch)
                    .for_each(|(pair, outcome, times)| sheet.add(pair, outcome, times));
            }
            Kind::Items { rows, starts } => {
                scratch.resize(starts.len() - 1, 0.0);
                count_picks(seed, round, scratch);
                for (ends, &times) in starts
                    .windows(2)
                    .zip(scratch.iter())
                    .filter(|(_, times)| **times > 0.0)
                {
                    let item = &rows[ends[0] as usize..ends[1] as usize];
                    item.iter()
                        .for_each(|row| sheet.add(row.pair, row.outcome, times));
                }
            }
        }
    }
}

/// A round takes time by the rows, if little; beyond this it would not end.
fn check_total(kinds: &[(u32, [f64; 3], u64)]) -> Result<(), Error> {
    let total = kinds.iter().map(|kind| kind.2 as f64).sum::<f64>();
    if total <= MOST {
        return Ok(());
    }
    Err(Error::Value {
        row: 0,
        field: "count",
        value: total,
        expected: "of at most 2^40 comparisons in all to be resampled",
    })
}

fn whole(count: f64) -> Result<u64, Error> {
    if count.fract() == 0.0 && count <= 9_007_199_254_740_992.0 {
        return Ok(count as u64);
    }
    Err(Error::Value {
        row: 0,
        field: "count",
        value: count,
        expected: "of whole comparisons, for they are resampled",
    })
}

fn outcome(row: &Comparison) -> [f64; 3] {
    [row.wins_a, row.ties, row.wins_b]
}

/// Equal rows put together.
fn cells(rows: &[Comparison], pairs: &Pairs) -> Cells {
    let mut kinds: Vec<(u32, [u64; 3])> = rows
        .iter()
        .map(|row| (pairs.number(row.a, row.b), outcome(row).map(f64::to_bits)))
        .collect();
    kinds.sort_unstable();
    let runs = kinds.chunk_by(|x, y| x == y);
    Cells::new(
        runs.map(|run| (run[0].0, run[0].1.map(f64::from_bits), run.len() as u64))
            .collect(),
    )
}

fn items(data: &Comparisons, pairs: &Pairs) -> Kind {
    let merged = data.merged();
    let rows = merged.rows().iter().map(|row| Row {
        pair: pairs.number(row.a, row.b),
        outcome: outcome(row),
    });
    Kind::Items {
        rows: rows.collect(),
        starts: merged.starts().to_vec(),
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
