//! How likely people are to give each verdict, as far as the judge's tells it.

use crate::checks::{check_finite, check_lengths};
use crate::linear::Derivatives;
use crate::pairwise::{LogLikelihood, PairShares, TieLaw, maximise};
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// The chances of people's verdicts by the judge's lean: Rao and Kupper's model of ties, in which
/// the lead of the first response is `slope` times the lean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictChances {
    /// How many log-odds a lean of 1 is worth.
    pub slope: f64,
    /// The logarithm of the tie parameter, above 0.
    pub tie: f64,
}

/// What a fit begins with, so that few or clear labels have one: at a lean of 1, of -1 and of 0, so
/// many labels of each verdict, in clusters.
const BEFOREHAND: f64 = 0.25;

impl VerdictChances {
    /// The chances of the first being better, of a tie and of the second being better, where the
    /// judge leans so far to the first, from -1 to 1.
    pub fn at(&self, lean: f64) -> [f64; 3] {
        let lead = self.slope * lean;
        let first = crate::sigmoid(lead - self.tie);
        let second = crate::sigmoid(-lead - self.tie);
        [first, (1.0 - first - second).max(0.0), second]
    }
}

/// Fits the chances to the labels of judged pairs: `leans` are from -1 (the second) to 1 (the
/// first), `labels` 0 (the first), 1 (a tie) or 2 (the second). Each cluster has the same weight,
/// shared by its rows. The two responses count alike: which is called the first changes nothing.
///
/// # Errors
/// Columns of different lengths, a lean that is not finite, a label above 2.
pub fn fit_verdicts(
    clusters: &[u32],
    leans: &[f64],
    labels: &[usize],
) -> Result<VerdictChances, Error> {
    check_lengths(clusters.len(), leans.len())?;
    check_lengths(clusters.len(), labels.len())?;
    check_finite("lean", leans)?;
    let mut sizes: BTreeMap<u32, f64> = BTreeMap::new();
    for cluster in clusters {
        *sizes.entry(*cluster).or_default() += 1.0;
    }
    let mut rows: Vec<(f64, [f64; 3])> = [-1.0, 0.0, 1.0].map(|x| (x, [BEFOREHAND; 3])).to_vec();
    for ((cluster, lean), label) in clusters.iter().zip(leans).zip(labels) {
        let mut outcome = [0.0; 3];
        let place = outcome.get_mut(*label).ok_or(Undefined::NoData)?;
        *place = 1.0 / sizes[cluster];
        rows.push((*lean, outcome));
    }
    let likelihood = LabelLikelihood { rows: &rows };
    let start = TieLaw::RaoKupper.parameter_for(1.0 / 3.0);
    let (point, _) = maximise(&likelihood, vec![0.0, start]);
    Ok(VerdictChances {
        slope: point[0],
        tie: point[1],
    })
}

/// The log-likelihood of the slope and of the logarithm of the tie parameter.
struct LabelLikelihood<'a> {
    rows: &'a [(f64, [f64; 3])],
}

impl LabelLikelihood<'_> {
    fn derivatives(&self, point: &[f64]) -> (f64, Derivatives) {
        let mut found = Derivatives::zero(2);
        let mut value = 0.0;
        for (lean, [wins, ties, losses]) in self.rows {
            let shares = PairShares {
                i: 0,
                j: 1,
                wins: *wins,
                ties: *ties,
                losses: *losses,
            };
            let terms = TieLaw::RaoKupper.terms(point[0] * lean, point[1], &shares);
            let (twice, mixed, own) = terms.curvature;
            value += terms.value;
            found.gradient[0] += terms.slope.0 * lean;
            found.gradient[1] += terms.slope.1;
            found.information[0] += twice * lean * lean;
            found.information[2] += mixed * lean;
            found.information[3] += own;
        }
        (value, found)
    }
}

impl LogLikelihood for LabelLikelihood<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        self.derivatives(point).0
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point).1.gradient
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        self.derivatives(point).1.solve()
    }
}
