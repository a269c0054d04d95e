//! What each cluster says of whether two strengths differ where covariates are controlled for.

use super::{Covariance, InferenceError};
use crate::control::{Battles, StyleControlled};
use crate::index::places_of;
use crate::linear::{Cholesky, dot, mirror};
use crate::special::{surprise, win_information};

/// The sandwich covariance of style-controlled strengths, coefficients left out. Where rows are in
/// clusters it is corrected for their leverage and is one of few clusters, as with
/// [`SmallSample::Clusters`](super::SmallSample::Clusters).
///
/// # Errors
/// Those of [`StyleControlled::uncertainty`].
pub fn style_covariance(found: &StyleControlled) -> Result<Covariance, InferenceError> {
    let uncertainty = found.uncertainty.as_ref().map_err(|reason| *reason)?;
    let (m, n) = (
        found.systems.len(),
        found.systems.len() + found.coefficients.len(),
    );
    let corrected = uncertainty.corrected.as_ref();
    // The strengths come before the coefficients in rows and columns.
    let rows = corrected.unwrap_or(&uncertainty.covariance).chunks_exact(n);
    let covariance = Covariance::new(
        found.scores.estimates.clone(),
        rows.take(m).flat_map(|row| &row[..m]).copied().collect(),
        uncertainty.clusters as f64,
        uncertainty.clusters_of.clone(),
    )?;
    Ok(match corrected {
        Some(_) => covariance.of_few_clusters(),
        None => covariance,
    })
}

/// A logistic fit of strengths and coefficients, with the rows that it was made on.
#[derive(Clone, Debug)]
pub(super) struct StyledFit {
    rows: Vec<StyledRow>,
    /// For each row its covariates.
    covariates: Vec<f64>,
    /// n x n: the inverse of the information; strengths by place, then coefficients.
    inverse: Vec<f64>,
    /// For each system its place among the strengths.
    places: Vec<Option<usize>>,
    /// By place.
    pub(super) strengths: Vec<f64>,
    clusters: usize,
}

/// A comparison of two systems, by place.
#[derive(Clone, Copy, Debug)]
struct StyledRow {
    cluster: u32,
    pair: [u32; 2],
    /// The share that the first won.
    won: f64,
    weight: f64,
    /// The log-odds of the fit.
    lead: f64,
}

impl StyledRow {
    /// What the row won beyond its chance at a lead.
    fn surprise(&self, lead: f64) -> f64 {
        self.weight * surprise(self.won, 1.0, lead)
    }
}

impl StyledFit {
    /// The fit `found` of `battles`, of whose rows `cluster_of` gives the cluster below `clusters`,
    /// and the gradient of each cluster, clusters x n.
    ///
    /// # Errors
    /// An information that cannot be inverted.
    pub(super) fn new(
        battles: &Battles,
        found: &StyleControlled,
        clusters: usize,
        cluster_of: impl Fn(usize) -> u32,
    ) -> Result<(StyledFit, Vec<f64>), InferenceError> {
        let places = places_of(&found.systems, battles.systems);
        let strengths = found.systems.iter();
        let strengths = strengths.filter_map(|&system| found.scores.estimates[system].finite());
        let strengths: Vec<f64> = strengths.collect();
        let m = strengths.len();
        let n = m + found.coefficients.len();
        // Of the symmetric information the lower triangle. Strengths are known up to their mean,
        // which no difference depends on: a constant makes it regular.
        let mut information = vec![0.0; n * n];
        for i in 0..m {
            information[i * n..=i * n + i].fill(1.0);
        }
        let mut gradients = vec![0.0; clusters * n];
        let (mut rows, mut covariates) = (Vec::with_capacity(found.rows), Vec::new());
        for row in 0..battles.rows() {
            let pair = [battles.a[row], battles.b[row]].map(|system| places[usize::from(system)]);
            let weight = battles.weight_of(row);
            let [Some(i), Some(j)] = pair else { continue };
            if weight <= 0.0 {
                continue;
            }
            let from = covariates.len();
            covariates.extend(battles.covariates.iter().map(|column| column[row]));
            let values = &covariates[from..];
            let row = StyledRow {
                cluster: cluster_of(row),
                pair: [i as u32, j as u32],
                won: battles.won[row],
                weight,
                lead: strengths[i] - strengths[j] + dot(values, &found.coefficients),
            };
            let surprise = row.surprise(row.lead);
            let gradient = &mut gradients[row.cluster as usize * n..][..n];
            gradient[i] += surprise;
            gradient[j] -= surprise;
            let curvature = win_information(weight, row.lead);
            information[i * n + i] += curvature;
            information[j * n + j] += curvature;
            information[i.max(j) * n + i.min(j)] -= curvature;
            for (q, x) in values.iter().enumerate() {
                gradient[m + q] += surprise * x;
                let line = &mut information[(m + q) * n..][..n];
                line[i] += curvature * x;
                line[j] -= curvature * x;
                for (entry, y) in line[m..=m + q].iter_mut().zip(values) {
                    *entry += curvature * x * y;
                }
            }
            rows.push(row);
        }
        mirror(&mut information, n);
        let factor = Cholesky::new(n, information).ok_or(InferenceError::Singular)?;
        let fit = StyledFit {
            rows,
            covariates,
            inverse: factor.inverse(),
            places,
            strengths,
            clusters,
        };
        Ok((fit, gradients))
    }

    /// How many numbers were estimated: strengths and coefficients.
    pub(super) fn size(&self) -> usize {
        self.strengths.len() + self.covariates.len() / self.rows.len().max(1)
    }

    /// A row of the inverse of the information.
    pub(super) fn inverse_row(&self, place: usize) -> &[f64] {
        let n = self.size();
        &self.inverse[place * n..(place + 1) * n]
    }

    /// What each cluster adds to the effective score of d = s_a - s_b at d = `lead`. With w the
    /// difference of the rows a and b of A⁻¹, a comparison of gradient x adds w'x times its
    /// surprise at the strengths and coefficients that the pair would have if it were so far apart,
    /// one Newton step from the fit (Hemerik, Goeman and Finos 2020, section 3).
    pub(super) fn contributions(&self, (a, b): (usize, usize), lead: f64) -> Vec<f64> {
        let mut found = vec![0.0; self.clusters];
        let (Some(i), Some(j)) = (self.places[a], self.places[b]) else {
            return found;
        };
        let m = self.strengths.len();
        let n = self.size();
        let rows = self.inverse_row(i).iter().zip(self.inverse_row(j));
        let direction: Vec<f64> = rows.map(|(x, y)| x - y).collect();
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
