//! Models of ties with covariates: strengths with the effect of the order of presentation, or of
//! style, taken out where a tie has a chance of its own.

use super::style::{coefficient_interval, put_in_strengths};
use super::{
    Battles, ControlError, NormalInterval, StyleControl, StyleControlled, StyleUncertainty,
    sandwich::{CoefficientSpread, add_outer_product},
    style_controlled,
};
use crate::checks::{check_clusters, check_probability, ensure};
use crate::data::ClusterSizes;
use crate::index::places_of;
use crate::linear::{Cholesky, Derivatives, dot, largest, mirror, raise_by_leverage, sandwiched};
use crate::pairwise::{LogLikelihood, PairShares, Terms, TieLaw, maximise};
use crate::special::two_sided_quantile;
use crate::{Estimate, Undefined};

/// Strengths, coefficients and the tie parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TieControlled {
    /// The strengths and coefficients, as of [`style_controlled`].
    pub fit: StyleControlled,
    /// The tie parameter: Davidson's nu, 0 or more, or Rao and Kupper's theta, 1 or more; its lower
    /// bound if there are no ties.
    pub tie: Estimate,
}

/// Maximum-likelihood strengths, coefficients and tie parameter in the model of ties of this law,
/// in which the lead of the first system is `s_first - s_second + sum_t b_t * x_t`. `ties` has for
/// each row the share that was tied, which [`Battles::won`] counts half, as everywhere.
///
/// A covariate that is 1 throughout is what it is worth to be first: Davidson and Beaver (1977,
/// "On extending the Bradley-Terry model to incorporate within-pair order effects") for Davidson's
/// law, whose order effect gamma is exp(-b) here, and Beaver and Gokhale (1975) for Rao and
/// Kupper's. It is told from the strengths where no strengths alone give every first system the
/// same lead: where one system is always first, or one always second, it is
/// [`ControlError::Collinear`].
///
/// Which systems are fitted, and what is collinear or separating, is as in [`style_controlled`],
/// which is also the fit where nothing was tied. Intervals are those of [`style_controlled`], by
/// the sandwich of this model: intervals of coefficients with CR3 and Student's t.
///
/// # Errors
/// Those of [`style_controlled`]; a share of ties that is none, or more than twice what the first
/// system or the second one got; [`Undefined::InfiniteTies`] where ties and wins never contradict
/// each other, so that the tie parameter grows without end.
pub fn tie_controlled(
    law: TieLaw,
    battles: &Battles,
    ties: &[f64],
    level: f64,
) -> Result<TieControlled, ControlError> {
    ensure(ties.len() == battles.rows(), || ControlError::Length {
        column: "ties".into(),
        expected: battles.rows(),
        found: ties.len(),
    })?;
    for (row, tied) in ties.iter().enumerate() {
        check_probability(row, "ties", *tied)?;
    }
    // It says which systems are finite and which covariates have no coefficient, and is where the
    // search starts.
    let plan = StyleControl {
        level,
        ..StyleControl::default()
    };
    let plain = style_controlled(battles, &plan)?;
    let rows = Rows::of_battles(battles, ties, &plain);
    let tied: f64 = rows.all.iter().map(|row| row.shares.ties).sum();
    if tied == 0.0 {
        return Ok(TieControlled {
            fit: plain,
            tie: Estimate::Finite(law.without_ties()),
        });
    }
    let likelihood = Likelihood { law, rows: &rows };
    let all: f64 = rows
        .all
        .iter()
        .map(|row| row.shares.wins + row.shares.ties + row.shares.losses)
        .sum();
    let mut start: Vec<f64> = (plain.systems.iter())
        .filter_map(|&system| plain.scores.estimates[system].finite())
        .collect();
    let coefficients = plain.coefficients.iter().zip(&rows.scale);
    start.extend(coefficients.map(|(coefficient, scale)| coefficient * scale));
    start.push(law.parameter_for(tied / all));
    let (point, fit) = maximise(&likelihood, start);
    ensure(fit.converged, || Undefined::InfiniteTies)?;
    let systems = plain.systems.len();
    let unscaled = point[systems..].iter().zip(&rows.scale);
    let fitted = StyleControlled {
        uncertainty: measure_uncertainty(&likelihood, &point, battles, &plain, level),
        coefficients: unscaled.map(|(x, scale)| x / scale).collect(),
        scores: put_in_strengths(plain.scores, &plain.systems, &point[..systems], fit, 0.0),
        rows: plain.rows,
        systems: plain.systems,
    };
    let tie = point.last().map_or(f64::INFINITY, |t| t.exp());
    ensure(tie.is_finite(), || Undefined::InfiniteTies)?;
    Ok(TieControlled {
        fit: fitted,
        tie: Estimate::Finite(tie),
    })
}

/// One comparison between systems that are fitted, by place.
struct Row {
    shares: PairShares,
    cluster: u32,
}

/// The rows of a fit, those of one cluster together.
struct Rows {
    all: Vec<Row>,
    /// Row by row the covariates, over their scale.
    covariates: Vec<f64>,
    /// The largest value of each covariate.
    scale: Vec<f64>,
    systems: usize,
}

impl Rows {
    fn of_battles(battles: &Battles, ties: &[f64], plain: &StyleControlled) -> Rows {
        let places = places_of(&plain.systems, battles.systems);
        let scale: Vec<f64> = (battles.covariates.iter())
            .map(|column| largest(column))
            .collect();
        let weights = battles.weight.map_or(1.0, largest);
        let cluster_of = |row: usize| battles.cluster.map_or(row as u32, |all| all[row]);
        let mut order: Vec<usize> = (0..battles.rows()).collect();
        order.sort_by_key(|&row| cluster_of(row));
        let mut rows = Rows {
            all: Vec::with_capacity(plain.rows),
            covariates: Vec::new(),
            scale,
            systems: plain.systems.len(),
        };
        for row in order {
            let pair = [battles.a[row], battles.b[row]].map(|system| places[usize::from(system)]);
            let weight = battles.weight_of(row) / weights;
            let [Some(i), Some(j)] = pair else { continue };
            if weight <= 0.0 {
                continue;
            }
            let (won, half) = (battles.won[row], ties[row] / 2.0);
            rows.all.push(Row {
                shares: PairShares {
                    i,
                    j,
                    // What rounding leaves below 0 is nothing.
                    wins: weight * (won - half).max(0.0),
                    ties: weight * ties[row],
                    losses: weight * (1.0 - won - half).max(0.0),
                },
                cluster: cluster_of(row),
            });
            let columns = battles.covariates.iter().zip(&rows.scale);
            rows.covariates
                .extend(columns.map(|(column, scale)| column[row] / scale));
        }
        rows
    }

    /// The covariates of a row.
    fn covariates_of(&self, row: usize) -> &[f64] {
        let count = self.scale.len();
        &self.covariates[row * count..(row + 1) * count]
    }

    /// How many numbers are to be found: strengths, coefficients, the tie parameter.
    fn size(&self) -> usize {
        self.systems + self.scale.len() + 1
    }
}

/// The log-likelihood of strengths, coefficients times their scale, and the logarithm of the tie
/// parameter.
struct Likelihood<'a> {
    law: TieLaw,
    rows: &'a Rows,
}

impl Likelihood<'_> {
    /// The lead of the first system of a row at a point.
    fn lead(&self, point: &[f64], row: usize) -> f64 {
        let PairShares { i, j, .. } = self.rows.all[row].shares;
        let coefficients = &point[self.rows.systems..self.rows.size() - 1];
        point[i] - point[j] + dot(self.rows.covariates_of(row), coefficients)
    }

    fn derivatives(&self, point: &[f64]) -> Derivatives {
        let (systems, n) = (self.rows.systems, self.rows.size());
        let last = n - 1;
        let mut found = Derivatives::zero(n);
        for (number, row) in self.rows.all.iter().enumerate() {
            let pair @ (i, j) = (row.shares.i, row.shares.j);
            let terms = self
                .law
                .terms(self.lead(point, number), point[last], &row.shares);
            let (twice, mixed, own) = terms.curvature;
            found.add_slope(pair, terms.slope.0);
            found.add_curvature(pair, twice);
            let covariates = self.rows.covariates_of(number);
            for (q, x) in covariates.iter().enumerate() {
                found.gradient[systems + q] += terms.slope.0 * x;
                let line = &mut found.information[(systems + q) * n..][..n];
                line[i] += twice * x;
                line[j] -= twice * x;
                for (entry, y) in line[systems..=systems + q].iter_mut().zip(covariates) {
                    *entry += twice * x * y;
                }
            }
            found.gradient[last] += terms.slope.1;
            let line = &mut found.information[last * n..];
            line[i] += mixed;
            line[j] -= mixed;
            for (entry, x) in line[systems..last].iter_mut().zip(covariates) {
                *entry += mixed * x;
            }
            line[last] += own;
        }
        // The strengths are known up to their mean: a constant of the size of the entries makes
        // the information regular, and keeps steps and sandwich at a mean of 0.
        let trace: f64 = (0..systems).map(|i| found.information[i * n + i]).sum();
        let constant = trace / (systems * systems) as f64;
        for i in 0..systems {
            for entry in &mut found.information[i * n..=i * n + i] {
                *entry += constant;
            }
        }
        found
    }
}

impl LogLikelihood for Likelihood<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        let last = self.rows.size() - 1;
        let rows = self.rows.all.iter().enumerate();
        let values = rows.map(|(number, row)| {
            let lead = self.lead(point, number);
            self.law.terms(lead, point[last], &row.shares).value
        });
        values.sum()
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point).gradient
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        self.derivatives(point).solve()
    }
}

/// The sandwich, as of style control without ties.
fn measure_uncertainty(
    likelihood: &Likelihood,
    point: &[f64],
    battles: &Battles,
    plain: &StyleControlled,
    level: f64,
) -> Result<StyleUncertainty, Undefined> {
    let rows = likelihood.rows;
    let (systems, n) = (rows.systems, rows.size());
    let information = likelihood.derivatives(point).information;
    let factor = Cholesky::new(n, information).ok_or(Undefined::NoVariance)?;
    let inverse = factor.inverse();
    let sums = ClusterSums::of(likelihood, point, &inverse);
    check_clusters(sums.clusters)?;
    let [covariance, corrected] = sums.spreads.map(|spread| sandwiched(&inverse, &spread, n));
    let quantile = two_sided_quantile(level);
    let interval = |i: usize| NormalInterval::new(point[i], covariance[i * n + i], 1.0, quantile);
    let some_vary = (0..n - 1).any(|i| interval(i).is_some());
    ensure(some_vary, || Undefined::NoVariance)?;
    let places = places_of(&plain.systems, battles.systems);
    let strengths = places.iter().map(|place| place.and_then(interval));
    let coefficients = sums.coefficients.iter().zip(&rows.scale).enumerate();
    let coefficients = coefficients.map(|(q, (sums, scale))| {
        let found = coefficient_interval(point[systems + q], &sums.spread(), 1.0, level)?;
        Ok(found.scaled(1.0 / scale))
    });
    // The tie parameter is left out, and coefficients are per unit of their covariate.
    let unit = |i: usize| i.checked_sub(systems).map_or(1.0, |q| 1.0 / rows.scale[q]);
    let without_tie = |matrix: &[f64]| -> Vec<f64> {
        let entries = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j)));
        let entries = entries.map(|(i, j)| matrix[i * n + j] * unit(i) * unit(j));
        entries.collect()
    };
    let clusters_of = places
        .iter()
        .map(|place| place.map_or(0, |i| sums.sizes[i].clusters()));
    Ok(StyleUncertainty {
        clusters: sums.clusters,
        strengths: strengths.collect(),
        coefficients: coefficients.collect(),
        covariance: without_tie(&covariance),
        corrected: battles.cluster.map(|_| without_tie(&corrected)),
        clusters_of: clusters_of.collect(),
    })
}

/// What the clusters say, at the maximum.
struct ClusterSums {
    clusters: usize,
    /// n x n: the sums of the outer products of their gradients, as they are and raised by
    /// leverage.
    spreads: [Vec<f64>; 2],
    /// Those that each system is in.
    sizes: Vec<ClusterSizes>,
    /// What they say of each coefficient.
    coefficients: Vec<SpreadSums>,
}

impl ClusterSums {
    fn of(likelihood: &Likelihood, point: &[f64], inverse: &[f64]) -> ClusterSums {
        let rows = likelihood.rows;
        let (systems, n) = (rows.systems, rows.size());
        let mut sums = ClusterSums {
            clusters: 0,
            spreads: [vec![0.0; n * n], vec![0.0; n * n]],
            sizes: vec![ClusterSizes::default(); systems],
            coefficients: rows.scale.iter().map(|_| SpreadSums::default()).collect(),
        };
        for (first, members) in chunks_by_cluster(&rows.all) {
            sums.clusters += 1;
            let terms: Vec<(usize, Terms)> = (first..first + members.len())
                .map(|row| {
                    let lead = likelihood.lead(point, row);
                    let shares = &rows.all[row].shares;
                    (row, likelihood.law.terms(lead, point[n - 1], shares))
                })
                .collect();
            sums.add_gradient(rows, &terms, inverse);
            for (q, of_one) in sums.coefficients.iter_mut().enumerate() {
                let own = systems + q;
                of_one.add_cluster(rows, &terms, &inverse[own * n..(own + 1) * n], own);
            }
        }
        for spread in &mut sums.spreads {
            mirror(spread, n);
        }
        sums
    }

    /// Adds the outer products of a cluster's gradient, which is sparse in the systems.
    fn add_gradient(&mut self, rows: &Rows, terms: &[(usize, Terms)], inverse: &[f64]) {
        let (systems, n) = (rows.systems, rows.size());
        let shares_of = |row: usize| &rows.all[row].shares;
        let pairs = terms.iter().map(|(row, _)| shares_of(*row));
        let mut touched: Vec<usize> = pairs.flat_map(|pair| [pair.i, pair.j]).collect();
        touched.sort_unstable();
        touched.dedup();
        for &system in &touched {
            let own = terms.iter().map(|(row, _)| shares_of(*row));
            let own = own.filter(|pair| [pair.i, pair.j].contains(&system));
            self.sizes[system].add(own.map(|pair| pair.wins + pair.ties + pair.losses).sum());
        }
        touched.extend(systems..n);
        let t = touched.len();
        let place_of = |i: usize| touched.partition_point(|&other| other < i);
        let (mut gradient, mut information) = (vec![0.0; t], vec![0.0; t * t]);
        for (row, terms) in terms {
            let PairShares { i, j, .. } = *shares_of(*row);
            // What each number adds to the lead; the last is the tie parameter.
            let mut lead = vec![(place_of(i), 1.0), (place_of(j), -1.0)];
            lead.extend((place_of(systems)..).zip(rows.covariates_of(*row).iter().copied()));
            let (twice, mixed, own) = terms.curvature;
            for &(at, x) in &lead {
                gradient[at] += terms.slope.0 * x;
                for &(other, y) in &lead {
                    information[at * t + other] += twice * x * y;
                }
                information[at * t + t - 1] += mixed * x;
                information[(t - 1) * t + at] += mixed * x;
            }
            gradient[t - 1] += terms.slope.1;
            information[t * t - 1] += own;
        }
        add_outer_product(&mut self.spreads[0], n, &touched, &gradient);
        raise_by_leverage(&mut gradient, &information, inverse, n, &touched);
        add_outer_product(&mut self.spreads[1], n, &touched, &gradient);
    }
}

/// The rows of each cluster, with the number of the first.
fn chunks_by_cluster(rows: &[Row]) -> Vec<(usize, &[Row])> {
    let mut first = 0;
    let chunks = rows.chunk_by(|x, y| x.cluster == y.cluster);
    chunks
        .map(|chunk| {
            let start = first;
            first += chunk.len();
            (start, chunk)
        })
        .collect()
}

/// What the clusters say of one coefficient, as they are gone through.
#[derive(Default)]
struct SpreadSums {
    variance: f64,
    varying: usize,
    shares: f64,
    squares: f64,
}

impl SpreadSums {
    /// Adds a cluster's error of the coefficient at `own`, whose row of the inverse is `along`, and
    /// its share of the information about it.
    fn add_cluster(&mut self, rows: &Rows, terms: &[(usize, Terms)], along: &[f64], own: usize) {
        let (systems, last) = (rows.systems, rows.size() - 1);
        let (mut error, mut share, mut varies) = (0.0, 0.0, false);
        let tie = along[last];
        for (row, terms) in terms {
            let PairShares { i, j, .. } = rows.all[*row].shares;
            let covariates = rows.covariates_of(*row);
            let lead = along[i] - along[j] + dot(covariates, &along[systems..last]);
            error += lead * terms.slope.0 + tie * terms.slope.1;
            let (twice, mixed, both) = terms.curvature;
            let information = lead * lead * twice + 2.0 * lead * tie * mixed + tie * tie * both;
            share += information / along[own];
            varies |= covariates[own - systems] != 0.0;
        }
        let left = error / (1.0 - share).max(f64::EPSILON);
        self.variance += left * left;
        self.varying += usize::from(varies);
        self.shares += share;
        self.squares += share * share;
    }

    fn spread(&self) -> CoefficientSpread {
        CoefficientSpread {
            variance: self.variance,
            varying: self.varying,
            effective: self.shares * self.shares / self.squares,
        }
    }
}
