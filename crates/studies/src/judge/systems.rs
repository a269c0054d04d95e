//! Setting 3 (Gao et al. 2025, section 2.3): people's labels and the judge's verdicts on the same
//! pairs, both aggregated to a ranking of systems, compared.

use super::{JudgedPairs, LabelledPair};
use crate::Figure;
use evenhand_stats::{Bootstrap, Correlation, Error, PairMethod, Tally};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How the judge's ranking of the systems agrees with people's.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SystemLevel {
    /// Systems.
    pub n: usize,
    /// Spearman's rho of the two Bradley-Terry rankings; its interval is over clusters of pairs,
    /// drawn on both sides together.
    #[schemars(rename = "spearman")]
    pub rho: Figure,
    /// Kendall's tau-b of the two rankings.
    #[schemars(rename = "kendall_tau_b")]
    pub tau: Figure,
}

impl JudgedPairs {
    /// Compares both rankings; None where the pairs name fewer than 3 systems.
    ///
    /// # Errors
    /// A bad level, number of rounds or threads.
    pub fn system_level(&self, plan: &Bootstrap) -> Result<Option<SystemLevel>, Error> {
        let systems = self.systems.len();
        if systems < 3 {
            return Ok(None);
        }
        let mut clusters: BTreeMap<u32, Vec<(&LabelledPair, [u32; 2])>> = BTreeMap::new();
        for pair in &self.pairs {
            if let Some(systems) = pair.systems {
                let cluster = clusters.entry(pair.cluster).or_default();
                cluster.push((pair, systems));
            }
        }
        let clusters: Vec<Vec<(&LabelledPair, [u32; 2])>> = clusters.into_values().collect();
        let figure = |which: Correlation| {
            Figure::resampled(clusters.len(), plan, |weights| {
                correlate_rankings(&clusters, weights, systems, which)
            })
        };
        Ok(Some(SystemLevel {
            n: systems,
            rho: figure(Correlation::Spearman)?,
            tau: figure(Correlation::KendallTauB)?,
        }))
    }
}

fn add_game(
    tally: &mut Tally,
    systems: [u32; 2],
    shares: [f64; 3],
    times: f64,
) -> Result<(), Error> {
    let [a, b] = systems.map(|system| system as usize);
    let [wins_a, ties, wins_b] = shares.map(|share| times * share);
    tally.add(a, b, wins_a, ties, wins_b)
}

/// Correlates the Bradley-Terry rankings of people and of the judge over weighted clusters, of the
/// systems that have a rank in both.
fn correlate_rankings(
    clusters: &[Vec<(&LabelledPair, [u32; 2])>],
    weights: &[f64],
    systems: usize,
    which: Correlation,
) -> Result<f64, Error> {
    let (mut people, mut judge) = (Tally::new(systems)?, Tally::new(systems)?);
    for (cluster, weight) in clusters.iter().zip(weights) {
        // A cluster that was not drawn must not make two systems known to each other.
        if *weight <= 0.0 {
            continue;
        }
        for (pair, systems) in cluster {
            add_game(&mut people, *systems, pair.label.certain(), *weight)?;
            for verdict in pair.verdicts() {
                add_game(&mut judge, *systems, verdict, *weight)?;
            }
        }
    }
    let [people, judge] =
        [people, judge].map(|tally| PairMethod::BradleyTerry.scores(&tally).ranks);
    // Ranks are turned so that the larger is better.
    let (x, y): (Vec<f64>, Vec<f64>) = people
        .into_iter()
        .zip(judge)
        .filter_map(|(x, y)| Some((-f64::from(x?), -f64::from(y?))))
        .unzip();
    which.correlate(&x, &y)
}
