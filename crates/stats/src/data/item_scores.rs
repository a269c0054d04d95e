//! Scores given to one response at a time, each under its item.

use super::{ClusterSizes, Comparison, Comparisons};
use crate::checks::{check_number, check_rows, check_system, check_systems};
use crate::index::distinct;
use crate::linear::mean_of;
use crate::{Cluster, Error};

/// One score of one system's response to one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemScore {
    /// The item; any number, the same for all rows that belong together.
    pub item: u32,
    /// The system.
    pub system: u16,
    /// The score, in any unit, higher is better; at most 1e100 in size.
    pub score: f64,
}

impl ItemScore {
    /// The score of a system's response to an item.
    pub fn new(item: u32, system: u16, score: f64) -> Self {
        ItemScore {
            item,
            system,
            score,
        }
    }

    /// The system and the item, which replicates share.
    fn place(&self) -> (u16, u32) {
        (self.system, self.item)
    }
}

/// The score of a system on an item, replicates averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) score: f64,
    /// Which weight of a resampling belongs to this cell.
    pub(crate) cluster: u32,
}

/// The scores of k systems on items; a system may lack any item.
///
/// Several scores of the same response (replicates, judges) are averaged first: they are looks at
/// one thing, never independent evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemScores {
    systems: usize,
    /// The cluster of each item that has a score, items in ascending order.
    cluster_of: Vec<u32>,
    /// How many clusters those are.
    clusters: usize,
    /// For each system its cells in ascending order of score; clusters are positions of items in
    /// ascending order.
    columns: Vec<Vec<Cell>>,
    /// For each system the number of scores given.
    judgments: Vec<u64>,
}

impl ItemScores {
    /// Groups `rows` by system and item, and averages replicates.
    ///
    /// # Errors
    /// Too many systems or rows; an unknown system, or a score that is NaN, infinite or too large,
    /// with the row's position.
    pub fn new(systems: usize, rows: Vec<ItemScore>) -> Result<Self, Error> {
        ItemScores::clustered(systems, rows, |item| item)
    }

    /// The same with items that are not independent, such as several of one question: `cluster_of`
    /// says which are resampled together. Scores are still means over items.
    ///
    /// # Errors
    /// Those of [`ItemScores::new`].
    pub fn clustered(
        systems: usize,
        mut rows: Vec<ItemScore>,
        cluster_of: impl Fn(u32) -> u32,
    ) -> Result<Self, Error> {
        check_systems(systems)?;
        check_rows(rows.len())?;
        for (position, row) in rows.iter().enumerate() {
            check_system(position, row.system.into(), systems)?;
            check_number(position, "score", row.score)?;
        }
        // By score too, so that the order of the input cannot show in the rounding of an average.
        rows.sort_by(|x, y| {
            let places = x.place().cmp(&y.place());
            places.then(x.score.total_cmp(&y.score))
        });
        let items = distinct(rows.iter().map(|row| row.item).collect());
        let named: Vec<u32> = items.iter().map(|item| cluster_of(*item)).collect();
        let known = distinct(named.clone());
        let place = |name: &u32| known.partition_point(|other| other < name) as u32;
        let (mut columns, mut judgments) = (vec![Vec::new(); systems], vec![0; systems]);
        for replicates in rows.chunk_by(|x, y| x.place() == y.place()) {
            let ItemScore { item, system, .. } = replicates[0];
            columns[usize::from(system)].push(Cell {
                score: mean_of(replicates.iter().map(|row| row.score)),
                cluster: items.partition_point(|&other| other < item) as u32,
            });
            judgments[usize::from(system)] += replicates.len() as u64;
        }
        for column in &mut columns {
            column.sort_by(|x, y| x.score.total_cmp(&y.score));
        }
        Ok(ItemScores {
            systems,
            cluster_of: named.iter().map(place).collect(),
            clusters: known.len(),
            columns,
            judgments,
        })
    }

    /// The scores, replicates averaged, in order of system and score; items are numbered anew in
    /// their order.
    pub fn rows(&self) -> Vec<ItemScore> {
        let columns = (0..).zip(&self.columns);
        let rows = columns.flat_map(|(system, cells)| {
            cells
                .iter()
                .map(move |cell| ItemScore::new(cell.cluster, system, cell.score))
        });
        rows.collect()
    }

    /// The same under the cluster of each item.
    pub fn cluster_rows(&self) -> Vec<ItemScore> {
        let mut rows = self.rows();
        for row in &mut rows {
            row.item = self.cluster_of[row.item as usize];
        }
        rows
    }

    /// How many systems there are.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// How many items have a score.
    pub fn items(&self) -> usize {
        self.cluster_of.len()
    }

    /// How many clusters can be resampled: items that have a score, or questions that they ask
    /// where several ask one ([`ItemScores::clustered`]); or (item, system) averages.
    pub fn clusters(&self, cluster: Cluster) -> usize {
        match cluster {
            Cluster::Item => self.clusters,
            Cluster::None => self.columns.iter().map(Vec::len).sum(),
        }
    }

    /// Number of scores given to each system, replicates included.
    pub fn judgments(&self) -> &[u64] {
        &self.judgments
    }

    /// As how many clusters of one size those are that each system is in: the items it was scored
    /// on, or the questions that they ask, whichever way they are resampled ([`ClusterSizes`]).
    pub fn clusters_of_systems(&self) -> Vec<usize> {
        let columns = self.columns(Cluster::Item).into_iter();
        let clusters = columns.map(|column| {
            let mut asked = Vec::from_iter(column.iter().map(|cell| cell.cluster));
            asked.sort_unstable();
            let mut found = ClusterSizes::default();
            for items in asked.chunk_by(|one, other| one == other) {
                found.add(items.len() as f64);
            }
            found.clusters()
        });
        clusters.collect()
    }

    /// Of each system, whether all its scores are the same; true where it has none.
    pub fn constant_systems(&self) -> Vec<bool> {
        let is_constant =
            |column: &Vec<Cell>| column.iter().all(|cell| cell.score == column[0].score);
        self.columns.iter().map(is_constant).collect()
    }

    /// The comparisons that the scores imply: on every item each pair of systems is compared once,
    /// the higher average score wins, exactly equal ones tie (RealRank, Appendix A, which says
    /// nothing of ties). Their items are clusters, numbered in ascending order; where every item is
    /// a cluster of its own, by the item's position in ascending order.
    ///
    /// # Errors
    /// More comparisons than 32 bits can count.
    pub fn to_comparisons(&self) -> Result<Comparisons, Error> {
        let mut cells = self.rows();
        cells.sort_by_key(|cell| (cell.item, cell.system));
        let by_item = || cells.chunk_by(|x, y| x.item == y.item);
        // Pairs grow with the square of the systems: this is checked before any is made.
        let count = by_item()
            .map(|cells| cells.len() * (cells.len() - 1) / 2)
            .sum();
        check_rows(count)?;
        let mut rows = Vec::with_capacity(count);
        for cells in by_item() {
            let item = self.cluster_of[cells[0].item as usize];
            for (position, cell) in cells.iter().enumerate() {
                for other in &cells[position + 1..] {
                    let (a, b) = (cell.system, other.system);
                    rows.push(if cell.score == other.score {
                        Comparison::tied(item, a, b)
                    } else {
                        Comparison::won(item, a, b, cell.score > other.score)
                    });
                }
            }
        }
        Comparisons::new(self.systems, rows)
    }

    /// The columns with the cluster of each cell.
    pub(crate) fn columns(&self, cluster: Cluster) -> Vec<Vec<Cell>> {
        let mut columns = self.columns.clone();
        for (cell, number) in columns.iter_mut().flatten().zip(0..) {
            cell.cluster = match cluster {
                Cluster::Item => self.cluster_of[cell.cluster as usize],
                Cluster::None => number,
            };
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PointMethod;

    #[test]
    fn replicates_are_averaged_within_an_item() {
        let data = ItemScores::new(
            2,
            vec![
                ItemScore::new(7, 0, 2.0),
                ItemScore::new(3, 0, 1.0),
                ItemScore::new(7, 0, 4.0),
            ],
        )
        .unwrap();
        assert_eq!(
            data.columns[0],
            [
                Cell {
                    score: 1.0,
                    cluster: 0
                },
                Cell {
                    score: 3.0,
                    cluster: 1
                }
            ]
        );
        assert_eq!(
            (data.judgments(), data.clusters_of_systems()),
            (&[3, 0][..], vec![2, 0])
        );
        assert_eq!(
            (data.clusters(Cluster::Item), data.clusters(Cluster::None)),
            (2, 2)
        );
    }

    /// Items 3 and 7 ask one question: it is drawn as one, and every item counts in the mean.
    #[test]
    fn items_of_one_question_are_one_cluster() {
        let rows = [
            (3, 0, 1.0),
            (5, 0, 4.0),
            (7, 0, 7.0),
            (5, 1, 2.0),
            (7, 1, 9.0),
        ];
        let rows = rows.map(|(i, s, x)| ItemScore::new(i, s, x)).to_vec();
        let data = ItemScores::clustered(2, rows, |item| item % 2 + item / 5 % 2).unwrap();
        // 3 -> 1, 5 -> 2, 7 -> 2.
        assert_eq!((data.items(), data.clusters(Cluster::Item)), (3, 2));
        assert_eq!(data.clusters_of_systems(), [2, 1]);
        assert_eq!(data.clusters(Cluster::None), 5);
        let scores = PointMethod::Mean.scores(&data);
        assert_eq!(scores.estimates[0].finite(), Some(4.0));
        let drawn = data
            .weighted_scores(PointMethod::Mean, &[0.0, 2.0])
            .unwrap();
        assert_eq!(drawn.estimates[0].finite(), Some(5.5));
        assert!(data.weighted_scores(PointMethod::Mean, &[1.0; 3]).is_err());
        let pairs = data.to_comparisons().unwrap();
        assert_eq!((pairs.rows().len(), pairs.clusters(Cluster::Item)), (2, 1));
    }

    #[test]
    fn the_higher_score_wins_the_comparison() {
        // Item 0: 5, 3, 3 -> 0 beats 1 and 2, which tie. Item 1: system 1 is missing, so only 0
        // meets 2 and loses.
        let rows = [
            (0, 0, 5.0),
            (0, 1, 3.0),
            (0, 2, 3.0),
            (1, 0, 1.0),
            (1, 2, 2.0),
        ];
        let data =
            ItemScores::new(3, rows.map(|(i, s, x)| ItemScore::new(i, s, x)).to_vec()).unwrap();
        let pairs = data.to_comparisons().unwrap();
        let tally = pairs.tally();
        assert_eq!(
            (
                tally.wins(0, 1),
                tally.wins(0, 2),
                tally.ties(1, 2),
                tally.wins(2, 0)
            ),
            (1.0, 1.0, 1.0, 1.0)
        );
        assert_eq!((pairs.rows().len(), pairs.clusters(Cluster::Item)), (4, 2));
    }

    #[test]
    fn bad_rows_are_errors() {
        assert!(matches!(
            ItemScores::new(1, vec![ItemScore::new(0, 1, 0.0)]),
            Err(Error::NoSuchSystem { row: 0, .. })
        ));
        for bad in [f64::NAN, f64::INFINITY, -1e101] {
            assert!(matches!(
                ItemScores::new(1, vec![ItemScore::new(0, 0, bad)]),
                Err(Error::Value { field: "score", .. })
            ));
        }
    }
}
