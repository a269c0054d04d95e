//! What each cluster says of whether two strengths differ where covariates are controlled for.

use crate::linear::dot;
use crate::special::win_chance;

/// A logistic fit of strengths and coefficients, with the rows that it was made on.
#[derive(Clone, Debug)]
pub(super) struct StyledFit {
    pub(super) rows: Vec<StyledRow>,
    /// For each row its covariates.
    pub(super) covariates: Vec<f64>,
    /// n x n: the inverse of the information; strengths by place, then coefficients.
    pub(super) inverse: Vec<f64>,
    /// For each system its place among the strengths.
    pub(super) places: Vec<Option<usize>>,
    /// By place.
    pub(super) strengths: Vec<f64>,
    pub(super) clusters: usize,
}

/// A comparison of two systems, by place.
#[derive(Clone, Copy, Debug)]
pub(super) struct StyledRow {
    pub(super) cluster: u32,
    pub(super) pair: [u32; 2],
    /// The share that the first won.
    pub(super) won: f64,
    pub(super) weight: f64,
    /// The log-odds of the fit.
    pub(super) lead: f64,
}

impl StyledRow {
    /// What the row won beyond its chance at a lead.
    pub(super) fn surprise(&self, lead: f64) -> f64 {
        self.weight * (self.won * win_chance(-lead) - (1.0 - self.won) * win_chance(lead))
    }
}

impl StyledFit {
    /// What each cluster adds to the effective score of d = s_a - s_b at d = `lead`. With w the
    /// difference of the rows a and b of A⁻¹, a comparison of gradient x adds w'x times its surprise
    /// at the strengths and coefficients that the pair would have if it were so far apart, one Newton
    /// step from the fit (Hemerik, Goeman and Finos 2020, section 3).
    pub(super) fn contributions(&self, [a, b]: [usize; 2], lead: f64) -> Vec<f64> {
        let mut found = vec![0.0; self.clusters];
        let (Some(i), Some(j)) = (self.places[a], self.places[b]) else {
            return found;
        };
        let m = self.strengths.len();
        let n = m + self.covariates.len() / self.rows.len().max(1);
        let row = |place: usize| &self.inverse[place * n..(place + 1) * n];
        let direction: Vec<f64> = row(i).iter().zip(row(j)).map(|(x, y)| x - y).collect();
        let variance = direction[i] - direction[j];
        let step = (self.strengths[i] - self.strengths[j] - lead) / variance;
        for (number, row) in self.rows.iter().enumerate() {
            let [first, second] = row.pair.map(|place| place as usize);
            let covariates = &self.covariates[number * (n - m)..(number + 1) * (n - m)];
            let along = direction[first] - direction[second] + dot(&direction[m..], covariates);
            found[row.cluster as usize] += along * row.surprise(row.lead - along * step);
        }
        found
    }
}
