//! How uncertain a fit is, whatever the model gets wrong about the variance: the sandwich A^-1 B
//! A^-1, where A is the information matrix and B the sum over clusters of the outer products of
//! their gradients (Huber 1967; White 1980, HC0; Liang and Zeger 1986 for clusters). Of clusters it
//! is also made with each gradient raised by the cluster's leverage (CR2); the intervals of
//! coefficients have a correction of their own (CR3 and Student's t).

use super::design::Design;
use super::pass;
use crate::linear::{Cholesky, add_scaled, mirror, raise_by_leverage};
use rayon::prelude::*;

/// A cluster and one of its rows.
type Member = (u32, u32);

/// In so many parts the clusters are added up, each with a table of its own, whatever the number of
/// threads.
const PARTS: usize = 16;
/// A standard error below this, in log-odds, is the rounding of residuals that are all 0.
const RESOLUTION: f64 = 1e-10;

/// A number with its standard error and symmetric interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NormalInterval {
    /// The number.
    pub value: f64,
    /// Its standard error, above 0.
    pub standard_error: f64,
    /// Lower end: value - q * standard error, q the (1 + level) / 2 quantile of the standard normal
    /// distribution, or of Student's t where that is said.
    pub low: f64,
    /// Upper end: value + q * standard error.
    pub high: f64,
}

impl NormalInterval {
    /// So many standard errors to each side; None if the variance is no more than rounding. `scale`
    /// is the most that a change of 1 changes a lead.
    pub(super) fn new(
        value: f64,
        variance: f64,
        scale: f64,
        quantile: f64,
    ) -> Option<NormalInterval> {
        let standard_error = variance.max(0.0).sqrt();
        let half = quantile * standard_error;
        let known = standard_error * scale > RESOLUTION && half.is_finite();
        known.then_some(NormalInterval {
            value,
            standard_error,
            low: value - half,
            high: value + half,
        })
    }

    /// The interval of the number in another unit, of which `factor`, above 0, make one of this.
    pub(super) fn scaled(self, factor: f64) -> NormalInterval {
        NormalInterval {
            value: self.value * factor,
            standard_error: self.standard_error * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

/// How far the gradients spread.
pub(super) struct GradientSpread {
    /// B, row-major, lower triangle.
    pub(super) plain: Vec<f64>,
    /// Of clusters, the same with each gradient raised by its leverage.
    pub(super) raised: Option<Vec<f64>>,
    /// How many clusters, or rows, they rest on.
    pub(super) clusters: usize,
}

/// The spread at a fit, whose information has this factor.
pub(super) fn gradient_spread(design: &Design, at: &[f64], factor: &Cholesky) -> GradientSpread {
    let Some(cluster) = &design.cluster else {
        return GradientSpread {
            plain: pass::spread_of_rows(design, at),
            raised: None,
            clusters: design.rows(),
        };
    };
    let inverse = factor.inverse();
    let run_of = runs_of_rows(design);
    let surprises = pass::surprises(design, at);
    let order = sort_by_cluster(cluster);
    let members: Vec<&[Member]> = order.chunk_by(|x, y| x.0 == y.0).collect();
    // A fixed number of parts, so that sums are the same for every number of threads.
    let parts = members.par_chunks(members.len().div_ceil(PARTS).max(1));
    let tables =
        parts.map(|clusters| outer_products(design, &run_of, &surprises, &inverse, clusters));
    let tables: Vec<[Vec<f64>; 2]> = tables.collect();
    let [mut plain, mut raised] = [0, 1].map(|_| vec![0.0; at.len() * at.len()]);
    for [plain_part, raised_part] in tables {
        add_scaled(&mut plain, &plain_part, 1.0);
        add_scaled(&mut raised, &raised_part, 1.0);
    }
    GradientSpread {
        plain,
        raised: Some(raised),
        clusters: members.len(),
    }
}

/// The sums of the outer products of the gradients of some clusters, as they are and raised by
/// leverage, lower triangles.
fn outer_products(
    design: &Design,
    run_of: &[u32],
    surprises: &[f64],
    inverse: &[f64],
    clusters: &[&[Member]],
) -> [Vec<f64>; 2] {
    let n = design.size();
    let mut tables = [vec![0.0; n * n], vec![0.0; n * n]];
    let pair_of = |row: usize| design.runs[run_of[row] as usize].pair;
    // What the cluster at hand touches of the sparse design, and its gradient and information
    // there.
    let (mut touched, mut gradient, mut information) = (vec![], vec![], vec![]);
    // The entries of a row of the design.
    let mut entries: Vec<(usize, f64)> = vec![];
    for rows in clusters {
        touched.clear();
        let pairs = rows.iter().filter_map(|&(_, row)| pair_of(row as usize));
        touched.extend(pairs.flat_map(|(i, j)| [i, j]));
        touched.extend(design.systems..n);
        touched.sort_unstable();
        touched.dedup();
        let t = touched.len();
        gradient.clear();
        gradient.resize(t, 0.0);
        information.clear();
        information.resize(t * t, 0.0);
        for row in rows.iter().map(|&(_, row)| row as usize) {
            let place_of = |i: usize| touched.partition_point(|&other| other < i);
            entries.clear();
            if let Some((i, j)) = pair_of(row) {
                entries.extend([(place_of(i), 1.0), (place_of(j), -1.0)]);
            }
            let columns = design.columns.iter().map(|column| column[row]);
            entries.extend((t - design.columns.len()..).zip(columns));
            let curvature = design.curvature(row, surprises[row]);
            for &(i, x) in &entries {
                gradient[i] += surprises[row] * x;
                for &(j, y) in &entries {
                    information[i * t + j] += curvature * x * y;
                }
            }
        }
        add_outer_product(&mut tables[0], n, &touched, &gradient);
        raise_by_leverage(&mut gradient, &information, inverse, n, &touched);
        add_outer_product(&mut tables[1], n, &touched, &gradient);
    }
    tables
}

/// Adds the outer product of a gradient that is 0 but at `touched` to a lower triangle, n x n.
pub(super) fn add_outer_product(table: &mut [f64], n: usize, touched: &[usize], gradient: &[f64]) {
    for (position, (&i, x)) in touched.iter().zip(gradient).enumerate() {
        for (&j, y) in touched[..=position].iter().zip(gradient) {
            table[i * n + j] += x * y;
        }
    }
}

/// The cluster and the number of each row, in order of both.
fn sort_by_cluster(cluster: &[u32]) -> Vec<Member> {
    let mut order: Vec<_> = cluster.iter().copied().zip(0..).collect();
    order.par_sort_unstable();
    order
}

/// For each row the number of its run.
fn runs_of_rows(design: &Design) -> Vec<u32> {
    let runs = design.runs.iter().zip(0..);
    runs.flat_map(|(run, number)| std::iter::repeat_n(number, run.rows.len()))
        .collect()
}

/// What the clusters say of the coefficient of one covariate.
pub(super) struct CoefficientSpread {
    /// Its variance, corrected for few clusters.
    pub(super) variance: f64,
    /// Clusters in which the covariate is not 0 throughout.
    pub(super) varying: usize,
    /// How many clusters of equal weight would say as much: (sum of h)^2 / sum of h^2, h being the
    /// share of a cluster in the information about the coefficient.
    pub(super) effective: f64,
}

/// How uncertain the coefficient of each covariate is, by the clusters that say anything of it.
///
/// A cluster's own error of the coefficient is its gradient times the row of A^-1, and h is the
/// share of the information that it holds, once strengths and other covariates are taken out. The
/// fit gives way to the cluster by that share, so error / (1 - h) is what it would be without it,
/// and the sum of the squares is the variance (the jackknife over clusters to first order: CR3 of
/// Bell and McCaffrey 2002, in one number). HC0 has no 1 - h and is near 0 where one cluster says
/// nearly everything: the fit meets it exactly. Student's t with one degree of freedom fewer than
/// effective clusters (Carter, Schnepel and Steigerwald 2017) goes with it.
pub(super) fn coefficient_spreads(
    design: &Design,
    at: &[f64],
    factor: &Cholesky,
) -> Vec<CoefficientSpread> {
    let surprises = pass::surprises(design, at);
    let run_of = runs_of_rows(design);
    let order: Vec<Member> = match &design.cluster {
        Some(cluster) => sort_by_cluster(cluster),
        None => (0..design.rows() as u32).map(|row| (row, row)).collect(),
    };
    let spread = |covariate: usize| {
        let own = design.systems + covariate;
        let mut inverse = vec![0.0; design.size()];
        inverse[own] = 1.0;
        factor.solve(&mut inverse);
        let by_cluster = order.chunk_by(|x, y| x.0 == y.0).map(|rows| {
            let (mut error, mut share, mut varies) = (0.0, 0.0, false);
            for row in rows.iter().map(|(_, row)| *row as usize) {
                let pair = design.runs[run_of[row] as usize].pair;
                let lead = pair.map_or(0.0, |(i, j)| inverse[i] - inverse[j]);
                let covariates = design.columns.iter().zip(&inverse[design.systems..]);
                let step = lead + covariates.map(|(x, by)| x[row] * by).sum::<f64>();
                let curvature = design.curvature(row, surprises[row]);
                error += step * surprises[row];
                share += step * step * curvature / inverse[own];
                varies |= design.columns[covariate][row] != 0.0;
            }
            (error, share, varies)
        });
        let (mut variance, mut shares, mut squares, mut varying) = (0.0, 0.0, 0.0, 0);
        for (error, share, varies) in by_cluster {
            let left: f64 = error / (1.0 - share).max(f64::EPSILON);
            variance += left * left;
            shares += share;
            squares += share * share;
            varying += usize::from(varies);
        }
        CoefficientSpread {
            variance,
            varying,
            effective: shares * shares / squares,
        }
    };
    let covariates = (0..design.columns.len()).into_par_iter();
    covariates.map(spread).collect()
}

/// A^-1 B A^-1, row-major and whole, from the factor of A and the lower triangle of B.
pub(super) fn covariance_matrix(factor: &Cholesky, mut spread: Vec<f64>, n: usize) -> Vec<f64> {
    let solve_rows = |table: &mut [f64]| {
        let rows = table.par_chunks_mut(n.max(1));
        rows.for_each(|row| factor.solve(row));
    };
    mirror(&mut spread, n);
    solve_rows(&mut spread);
    let transposed = (0..n * n).map(|at| spread[at % n * n + at / n]);
    let mut covariance: Vec<f64> = transposed.collect();
    solve_rows(&mut covariance);
    mirror(&mut covariance, n);
    covariance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandwich_by_hand() {
        // A = [[2, 0], [0, 4]], B = [[4, 8], [8, 64]]: A^-1 B A^-1 = [[1, 1], [1, 4]].
        let factor = Cholesky::new(2, vec![2.0, 0.0, 0.0, 4.0]).unwrap();
        let found = covariance_matrix(&factor, vec![4.0, 0.0, 8.0, 64.0], 2);
        assert!(
            found
                .iter()
                .zip([1.0, 1.0, 1.0, 4.0])
                .all(|(x, y)| (x - y).abs() < 1e-14),
            "{found:?}"
        );
    }

    #[test]
    fn an_interval_by_hand() {
        let z = 1.959_963_984_540_054;
        let found = NormalInterval::new(1.0, 0.25, 1.0, z).unwrap();
        assert_eq!(found.standard_error, 0.5);
        assert!(
            (found.high - 1.979_981_992_270_027).abs() < 1e-12
                && (found.low - 0.020_018_007_729_973).abs() < 1e-12
        );
        assert_eq!(NormalInterval::new(1.0, 1e-30, 1.0, z), None);
    }

    #[test]
    fn each_row_its_own_cluster_is_no_cluster() {
        let column = vec![vec![1.0, -2.0, 0.5, 3.0]];
        let mut design =
            Design::of_columns(vec![1.0, 0.0, 0.5, 1.0], vec![1.0, 2.0, 1.0, 1.0], column);
        let factor = Cholesky::new(1, vec![20.0]).unwrap();
        let rows = gradient_spread(&design, &[0.3], &factor);
        design.cluster = Some(vec![4, 3, 2, 1]);
        let clusters = gradient_spread(&design, &[0.3], &factor);
        assert!((rows.plain[0] - clusters.plain[0]).abs() < 1e-14);
        assert_eq!((rows.clusters, clusters.clusters), (4, 4));
        assert!(rows.raised.is_none() && clusters.raised.unwrap()[0] > clusters.plain[0]);
    }
}
