//! The judgments of all slices, under common numbers of systems and items.

use crate::control::Columns;
use crate::score::Evidence;
use evenhand_stats::interaction::{
    Residual, comparison_residuals, controlled_residuals, score_residuals,
};
use evenhand_stats::{Cluster, Comparison, ItemScore, Tally};
use std::collections::HashMap;

/// Beyond this many, counts are not taken apart into comparisons again.
const MANY_COMPARISONS: f64 = 5e6;

/// Judgments of one sort.
#[derive(Clone, Debug)]
pub(crate) enum SliceRows {
    Comparisons(Vec<Comparison>),
    /// Comparisons, and a column for each covariate whose effect is taken out.
    Controlled(Vec<Comparison>, Vec<Vec<f64>>),
    Scores(Vec<ItemScore>),
}

impl SliceRows {
    /// Returns the rows of evidence; None for evidence that has none.
    pub(crate) fn of_evidence(evidence: &Evidence, cluster: Cluster) -> Option<SliceRows> {
        match evidence {
            Evidence::Comparisons(data) => Some(SliceRows::Comparisons(match cluster {
                Cluster::Item => data.rows().to_vec(),
                Cluster::None => number_rows(data.rows().iter().copied()),
            })),
            Evidence::Counts(tally) => rows_of_counts(tally).map(SliceRows::Comparisons),
            Evidence::Scores(scores) => Some(SliceRows::Scores(scores.cluster_rows())),
            Evidence::Games(_) | Evidence::Rated { .. } => None,
        }
    }
}

impl From<Columns> for SliceRows {
    fn from(columns: Columns) -> SliceRows {
        let rows = columns.outcome.iter().enumerate().map(|(at, outcome)| {
            let weight = columns.weight.as_ref().map_or(1.0, |weights| weights[at]);
            let [wins_a, ties, wins_b] = outcome.map(|share| weight * share);
            Comparison {
                item: columns
                    .cluster
                    .as_ref()
                    .map_or(at as u32, |cluster| cluster[at]),
                a: columns.a[at],
                b: columns.b[at],
                wins_a,
                ties,
                wins_b,
            }
        });
        SliceRows::Controlled(rows.collect(), columns.covariates)
    }
}

/// Makes every row an item of its own.
fn number_rows(rows: impl Iterator<Item = Comparison>) -> Vec<Comparison> {
    (0..)
        .zip(rows)
        .map(|(item, row)| Comparison { item, ..row })
        .collect()
}

/// Returns counts as single comparisons; None where they are not whole, or too many.
fn rows_of_counts(tally: &Tally) -> Option<Vec<Comparison>> {
    let mut rows = Vec::new();
    for a in 0..tally.systems() {
        for b in a + 1..tally.systems() {
            let counts = [tally.wins(a, b), tally.ties(a, b), tally.wins(b, a)];
            let is_whole = counts.iter().all(|count| count.fract() == 0.0);
            if !is_whole || rows.len() as f64 + counts.iter().sum::<f64>() > MANY_COMPARISONS {
                return None;
            }
            let (a, b) = (a as u16, b as u16);
            let kinds = [
                Comparison::won(0, a, b, true),
                Comparison::tied(0, a, b),
                Comparison::won(0, a, b, false),
            ];
            for (kind, count) in kinds.iter().zip(counts) {
                rows.extend(std::iter::repeat_n(*kind, count as usize));
            }
        }
    }
    Some(number_rows(rows.into_iter()))
}

/// The judgments of all slices.
#[derive(Clone, Debug, Default)]
pub(crate) struct SliceEvidence {
    pub(crate) systems: Vec<String>,
    comparisons: Vec<Comparison>,
    /// Of each covariate whose effect is taken out, a number for each comparison.
    covariates: Vec<Vec<f64>>,
    scores: Vec<ItemScore>,
    /// The slice of each item: what counts once, as far as it is in that slice.
    pub(crate) slices: Vec<u32>,
    /// The number of what counts once, under which it is in several slices.
    pub(crate) clusters: Vec<u32>,
    /// These numbers by name.
    numbers: HashMap<String, u32>,
    /// How many there are.
    count: u32,
}

impl SliceEvidence {
    /// Adds the judgments of the next slice, and returns how many items it has, or questions where
    /// several ask one. `clusters` has the names of these by number; without it none of them is in
    /// another slice.
    pub(crate) fn add(
        &mut self,
        slice: u32,
        names: &[String],
        rows: SliceRows,
        clusters: &[String],
    ) -> u64 {
        let systems: Vec<u16> = names.iter().map(|name| self.number(name)).collect();
        let system = |number: u16| systems.get(usize::from(number)).copied().unwrap_or(number);
        let first = self.slices.len();
        let (rows, covariates) = match rows {
            SliceRows::Controlled(rows, covariates) => (SliceRows::Comparisons(rows), covariates),
            rows => (rows, Vec::new()),
        };
        self.covariates.resize(covariates.len(), Vec::new());
        for (all, of_slice) in self.covariates.iter_mut().zip(covariates) {
            all.extend(of_slice);
        }
        match rows {
            SliceRows::Comparisons(rows) | SliceRows::Controlled(rows, _) => {
                let items = self.number_items(slice, rows.iter().map(|row| row.item), clusters);
                let rows = rows.into_iter().zip(items).map(|(row, item)| Comparison {
                    item,
                    a: system(row.a),
                    b: system(row.b),
                    ..row
                });
                self.comparisons.extend(rows);
            }
            SliceRows::Scores(rows) => {
                let items = self.number_items(slice, rows.iter().map(|row| row.item), clusters);
                let rows = rows.into_iter().zip(items).map(|(row, item)| ItemScore {
                    item,
                    system: system(row.system),
                    ..row
                });
                self.scores.extend(rows);
            }
        }
        (self.slices.len() - first) as u64
    }

    fn number(&mut self, name: &str) -> u16 {
        let found = self.systems.iter().position(|known| known == name);
        let at = found.unwrap_or_else(|| {
            self.systems.push(name.into());
            self.systems.len() - 1
        });
        at as u16
    }

    /// Returns the new number of each row's item.
    fn number_items(
        &mut self,
        slice: u32,
        items: impl Iterator<Item = u32>,
        names: &[String],
    ) -> Vec<u32> {
        let old: Vec<u32> = items.collect();
        let mut distinct = old.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let first = self.slices.len() as u32;
        self.slices.extend(distinct.iter().map(|_| slice));
        for item in &distinct {
            let next = self.count;
            let number = match names.get(*item as usize) {
                Some(name) => *self.numbers.entry(name.clone()).or_insert(next),
                None => next,
            };
            self.count += u32::from(number == next);
            self.clusters.push(number);
        }
        let number = |item: &u32| first + distinct.partition_point(|known| known < item) as u32;
        old.iter().map(number).collect()
    }

    /// Returns how many comparisons a slice has.
    pub(crate) fn comparisons_in(&self, slice: u32) -> u64 {
        let rows = self.comparisons.iter();
        let own = rows.filter(|row| self.slices[row.item as usize] == slice);
        let weights = own.map(|row| row.wins_a + row.ties + row.wins_b);
        weights.sum::<f64>().round() as u64
    }

    /// Whether what counts once has names.
    pub(crate) fn is_named(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Whether something that counts once is in several slices.
    pub(crate) fn is_shared(&self) -> bool {
        (self.count as usize) < self.slices.len()
    }

    pub(crate) fn is_of_scores(&self) -> bool {
        self.comparisons.is_empty()
    }

    /// Whether the effect of covariates is taken out.
    pub(crate) fn is_controlled(&self) -> bool {
        !self.covariates.is_empty()
    }

    /// Returns what each item shows beyond the scores over all items, and beyond what is controlled
    /// for, or why that is not known.
    pub(crate) fn residuals(&self, threads: usize) -> Result<Vec<Residual>, String> {
        let (systems, rows) = (self.systems.len(), &self.comparisons);
        if self.is_controlled() {
            let found = controlled_residuals(systems, rows, &self.covariates, threads);
            return found.map_err(|error| {
                format!("what is controlled for cannot be taken out of it ({error})")
            });
        }
        let found = match self.is_of_scores() {
            true => score_residuals(systems, &self.scores),
            false => comparison_residuals(systems, rows),
        };
        found.map_err(|error| error.to_string())
    }
}
