//! The rows of a regression, sorted so that those of one pair of systems stand together.

use super::input::Battles;
use crate::linear::largest;
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are worked on at once: their intermediate values fit in the nearest cache.
pub(super) const BLOCK: usize = 512;

/// Rows of one pair of systems, at most [`BLOCK`] of them.
pub(super) struct Run {
    /// Both systems, the lower first; None where the leads come from covariates alone.
    pub(super) pair: Option<(usize, usize)>,
    pub(super) rows: Range<usize>,
}

/// A logistic regression: the lead of a row is `strength(i) - strength(j) + sum over covariates of
/// coefficient * value`.
pub(super) struct Design {
    /// How many strengths there are.
    pub(super) systems: usize,
    pub(super) runs: Vec<Run>,
    /// The share that the lower system of the pair won of the other, from 0 to 1.
    pub(super) won: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// The covariates: how much more the lower system's response has of each.
    pub(super) columns: Vec<Vec<f64>>,
    /// The cluster that each row belongs to; None: itself.
    pub(super) cluster: Option<Vec<u32>>,
}

impl Design {
    /// The rows between systems that have a number in `index`, which grows with theirs, with a
    /// weight above 0.
    pub(super) fn of_battles(battles: &Battles, index: &[Option<usize>], systems: usize) -> Design {
        let (runs, places) = sort_rows(battles, index, systems);
        let kept = runs.last().map_or(0, |run| run.rows.end);
        let (won, weight) = rayon::join(
            || scatter(&places, kept, |row| battles.won_by_lower(row)),
            || scatter(&places, kept, |row| battles.weight_of(row)),
        );
        let column =
            |column: &Vec<f64>| scatter(&places, kept, |row| battles.more_of_lower(column, row));
        let cluster = battles.cluster;
        Design {
            systems,
            runs,
            won,
            weight,
            columns: battles.covariates.par_iter().map(column).collect(),
            cluster: cluster.map(|cluster| scatter(&places, kept, |row| cluster[row])),
        }
    }

    /// Rows without systems: a plain logistic regression on `columns`, without a constant.
    pub(super) fn of_columns(won: Vec<f64>, weight: Vec<f64>, columns: Vec<Vec<f64>>) -> Design {
        let rows = won.len();
        let mut runs = vec![];
        push_runs(&mut runs, None, 0, rows);
        Design {
            systems: 0,
            runs,
            won,
            weight,
            columns,
            cluster: None,
        }
    }

    /// How many numbers are to be found: strengths, then coefficients.
    pub(super) fn size(&self) -> usize {
        self.systems + self.columns.len()
    }

    /// The most that a change of 1 in each number changes a lead; 1 for a covariate that is 0
    /// throughout.
    pub(super) fn scale(&self) -> Vec<f64> {
        let mut scale = vec![1.0; self.systems];
        scale.par_extend(self.columns.par_iter().map(|column| {
            let most = largest(column);
            if most > 0.0 { most } else { 1.0 }
        }));
        scale
    }

    /// The information of a row about its lead, from its surprise: weight times (won - chance).
    pub(super) fn curvature(&self, row: usize, surprise: f64) -> f64 {
        let chance = self.won[row] - surprise / self.weight[row];
        self.weight[row] * chance * (1.0 - chance)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.won.len()
    }
}

/// A row that is left out.
const NOWHERE: u32 = u32::MAX;

/// The runs, and the place of each row among them (or [`NOWHERE`]), by counting.
fn sort_rows(battles: &Battles, index: &[Option<usize>], systems: usize) -> (Vec<Run>, Vec<u32>) {
    // The number of each row's pair.
    let pair_of_row = |row: usize| {
        let i = index[usize::from(battles.a[row])]?;
        let j = index[usize::from(battles.b[row])]?;
        (battles.weight_of(row) > 0.0).then(|| (i.min(j) * systems + i.max(j)) as u32)
    };
    let rows = (0..battles.rows()).into_par_iter();
    let places = rows.map(|row| pair_of_row(row).unwrap_or(NOWHERE));
    let mut places: Vec<u32> = places.collect();
    let mut next = vec![0; systems * systems];
    for &pair in places.iter().filter(|&&pair| pair != NOWHERE) {
        next[pair as usize] += 1;
    }
    // The number of rows of each pair becomes the place where they start.
    let (mut runs, mut start) = (vec![], 0);
    for (pair, next) in next.iter_mut().enumerate() {
        let end = start + *next;
        let ends = Some((pair / systems, pair % systems));
        push_runs(&mut runs, ends, start as usize, end as usize);
        *next = start;
        start = end;
    }
    for place in places.iter_mut().filter(|pair| **pair != NOWHERE) {
        let next = &mut next[*place as usize];
        *place = *next;
        *next += 1;
    }
    (runs, places)
}

fn push_runs(runs: &mut Vec<Run>, pair: Option<(usize, usize)>, start: usize, end: usize) {
    let blocks = (start..end).step_by(BLOCK);
    runs.extend(blocks.map(|first| Run {
        pair,
        rows: first..(first + BLOCK).min(end),
    }));
}

/// The values of the rows, each in its place; `places` has one for each row of the input, or
/// [`NOWHERE`], and so many are kept.
fn scatter<T: Copy + Default>(places: &[u32], kept: usize, value: impl Fn(usize) -> T) -> Vec<T> {
    let mut sorted = vec![T::default(); kept];
    for (row, &place) in places.iter().enumerate() {
        if place != NOWHERE {
            sorted[place as usize] = value(row);
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_turned_and_grouped() {
        let (a, b) = ([2, 0, 1, 0, 1], [0, 1, 0, 2, 2]);
        let covariates = [vec![1.0, 2.0, 3.0, 4.0, 5.0]];
        let weight = [1.0, 2.0, 3.0, 4.0, 0.0];
        let (won, cluster) = ([0.25, 1.0, 0.0, 0.5, 1.0], [9, 8, 7, 6, 5]);
        let battles = Battles {
            systems: 3,
            a: &a,
            b: &b,
            won: &won,
            weight: Some(&weight),
            cluster: Some(&cluster),
            covariates: &covariates,
        };
        let design = Design::of_battles(&battles, &[Some(0), Some(1), Some(2)], 3);
        let runs: Vec<_> = design
            .runs
            .iter()
            .map(|run| (run.pair.unwrap(), run.rows.clone()))
            .collect();
        assert_eq!(runs, [((0, 1), 0..2), ((0, 2), 2..4)]);
        assert_eq!(
            (design.won.clone(), design.weight.clone()),
            (vec![1.0, 1.0, 0.75, 0.5], vec![2.0, 3.0, 1.0, 4.0])
        );
        assert_eq!(
            (&design.columns[0][..], design.cluster.clone()),
            (&[2.0, -3.0, -1.0, 4.0][..], Some(vec![8, 7, 9, 6]))
        );
        assert_eq!(design.scale(), [1.0, 1.0, 1.0, 4.0]);
        let design = Design::of_battles(&battles, &[None, Some(0), Some(1)], 2);
        assert!(design.runs.is_empty() && design.won.is_empty());
    }

    #[test]
    fn long_runs_are_cut() {
        let rows = 2 * BLOCK + 1;
        let design = Design::of_columns(vec![0.5; rows], vec![1.0; rows], vec![]);
        let lengths: Vec<usize> = design.runs.iter().map(|run| run.rows.len()).collect();
        assert_eq!(lengths, [BLOCK, BLOCK, 1]);
    }
}
