//! Setting 3 (Gao et al. 2024, section 2.3): people's labels and the judge's verdicts on the same
//! pairs, both aggregated to a ranking of systems, compared.

use super::Judged;
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, PairMethod, Tally, Undefined, percentile_interval,
    resample,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// How the judge's ranking of the systems agrees with people's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemLevel {
    /// Systems.
    pub n: usize,
    /// Spearman's rho of the two Bradley-Terry rankings; its interval is over clusters of pairs,
    /// drawn on both sides together.
    pub rho: Figure,
    /// Kendall's tau-b of the same.
    pub tau: Figure,
}

/// What one cluster of pairs says: of each, the systems, the label and the judge's verdicts.
type Cluster = Vec<([usize; 2], [f64; 3], Vec<[f64; 3]>)>;

impl Judged {
    /// Both rankings compared; None where the pairs name fewer than 3 systems.
    ///
    /// # Errors
    /// A bad level, number of rounds or threads.
    pub fn system_level(&self, plan: &Bootstrap) -> Result<Option<SystemLevel>, Error> {
        let n = self.systems.len();
        if n < 3 {
            return Ok(None);
        }
        let clusters = self.clusters();
        let value = |which| compared(&clusters, n, |_| 1.0, which);
        let figure = |which: Correlation| -> Result<Figure, Error> {
            let round = |weights: &[f64]| match compared(&clusters, n, |at| weights[at], which) {
                Ok(value) => Estimate::Finite(value),
                Err(Error::Undefined(why)) => Estimate::Undefined(why),
                Err(_) => Estimate::Undefined(Undefined::NoData),
            };
            let rounds = resample(clusters.len(), plan, round);
            Figure::new(
                value(which),
                rounds.and_then(|rounds| percentile_interval(&rounds, plan.level)),
            )
        };
        Ok(Some(SystemLevel {
            n,
            rho: figure(Correlation::Spearman)?,
            tau: figure(Correlation::KendallTauB)?,
        }))
    }

    fn clusters(&self) -> Vec<Cluster> {
        let mut clusters: BTreeMap<u32, Cluster> = BTreeMap::new();
        for pair in &self.pairs {
            let Some([a, b]) = pair.systems else { continue };
            let verdicts = pair
                .games
                .iter()
                .flatten()
                .filter_map(|game| game.outcome.as_ref().ok().copied())
                .collect();
            let label = match pair.label {
                Side::First => [1.0, 0.0, 0.0],
                Side::Tie => [0.0, 1.0, 0.0],
                Side::Second => [0.0, 0.0, 1.0],
            };
            clusters.entry(pair.cluster).or_default().push((
                [a as usize, b as usize],
                label,
                verdicts,
            ));
        }
        clusters.into_values().collect()
    }
}

fn compared(
    clusters: &[Cluster],
    n: usize,
    weight: impl Fn(usize) -> f64,
    which: Correlation,
) -> Result<f64, Error> {
    let (mut people, mut judge) = (Tally::new(n)?, Tally::new(n)?);
    for (at, cluster) in clusters
        .iter()
        .enumerate()
        .filter(|(at, _)| weight(*at) > 0.0)
    {
        let times = weight(at);
        for ([a, b], label, verdicts) in cluster {
            people.add(*a, *b, times * label[0], times * label[1], times * label[2])?;
            for verdict in verdicts {
                judge.add(
                    *a,
                    *b,
                    times * verdict[0],
                    times * verdict[1],
                    times * verdict[2],
                )?;
            }
        }
    }
    let [people, judge] =
        [people, judge].map(|tally| PairMethod::BradleyTerry.scores(&tally).ranks);
    let both = people
        .iter()
        .zip(&judge)
        .filter_map(|(x, y)| Some((-f64::from((*x)?), -f64::from((*y)?))));
    let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
    which.correlate(&x, &y)
}
