//! Setting 3 (Gao et al. 2025, section 2.3): people's labels and the judge's verdicts on the same
//! pairs, both aggregated to a ranking of systems, compared.

use super::JudgedPairs;
use crate::Figure;
use evenhand_stats::inference::{
    AgreementBounds, Contributions, InferenceError, compare_jointly, strict_agreement_bounds,
};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Correlation, Error, Estimate, PairMethod,
};
use schemars::JsonSchema;
use serde::Serialize;

/// How the judge's ranking of the systems agrees with people's.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SystemLevel {
    /// Systems.
    pub n: usize,
    /// Spearman's rho of the two Bradley-Terry rankings. Its interval holds what rho would be of
    /// these systems without noise: noise only brings ranks nearer to chance, so that it is made
    /// of the pairs of systems that each ranking tells apart, and not of resamples
    /// ([`evenhand_stats::inference::AgreementBounds::spearman_rho`]).
    #[schemars(rename = "spearman")]
    pub rho: Figure,
    /// Kendall's tau-b of the two rankings, with its interval likewise.
    #[schemars(rename = "kendall_tau_b")]
    pub tau: Figure,
}

impl JudgedPairs {
    /// Compares both rankings; None where the pairs name fewer than 3 systems, or are of several
    /// input sets.
    ///
    /// # Errors
    /// What is wrong with the data.
    pub fn system_level(&self, plan: &Bootstrap) -> Result<Option<SystemLevel>, Error> {
        let systems = self.systems.len();
        if systems < 3 || self.is_merged {
            return Ok(None);
        }
        let (mut people, mut judge) = (Vec::new(), Vec::new());
        for pair in &self.pairs {
            let Some([a, b]) = pair.systems else { continue };
            let row = |[wins_a, ties, wins_b]: [f64; 3]| Comparison {
                item: pair.cluster,
                a: a as u16,
                b: b as u16,
                wins_a,
                ties,
                wins_b,
            };
            people.push(row(pair.label.certain()));
            judge.extend(pair.verdicts().map(row));
        }
        let [people, judge] = [
            Comparisons::new(systems, people)?,
            Comparisons::new(systems, judge)?,
        ];
        let [x, y] = [&people, &judge].map(|data| PairMethod::BradleyTerry.scores(&data.tally()));
        // Ranks are turned so that the larger is better.
        let ranks = x.ranks.iter().zip(&y.ranks);
        let ranks = ranks.filter_map(|(x, y)| Some((-f64::from((*x)?), -f64::from((*y)?))));
        let (first, second): (Vec<f64>, Vec<f64>) = ranks.unzip();
        let bounds = match first.len() == systems {
            true => self.bounds([&people, &judge], [&x.estimates, &y.estimates], plan),
            false => Err("a system has no rank in both".into()),
        };
        let figure = |which: Correlation, ends: fn(&AgreementBounds) -> [f64; 2]| {
            let mut figure = match which.correlate(&first, &second) {
                Ok(value) => Figure::of_value(value),
                Err(Error::Undefined(why)) => return Ok(Figure::undefined(why.to_string())),
                Err(error) => return Err(error),
            };
            match (&bounds, figure.value) {
                (Ok(bounds), Some(value)) => {
                    let [low, high] = ends(bounds);
                    figure.ci = Some([Some(low.min(value)), Some(high.max(value))]);
                }
                (Err(why), _) => figure.note = Some(why.clone()),
                (_, None) => {}
            }
            Ok(figure)
        };
        Ok(Some(SystemLevel {
            n: systems,
            rho: figure(Correlation::Spearman, AgreementBounds::spearman_rho)?,
            tau: figure(Correlation::KendallTauB, AgreementBounds::kendall_tau)?,
        }))
    }

    /// Returns which pairs of systems people and the judge surely order alike, or why that is not
    /// known. Each side errs in at most half of what the level leaves.
    fn bounds(
        &self,
        sides: [&Comparisons; 2],
        strengths: [&[Estimate]; 2],
        plan: &Bootstrap,
    ) -> Result<AgreementBounds, String> {
        let plan = Bootstrap {
            level: f64::midpoint(1.0, plan.level),
            ..*plan
        };
        let compare = |side: usize| {
            let found =
                Contributions::of_strengths(sides[side], Cluster::Item, strengths[side], &plan);
            compare_jointly(&found?, &plan)
        };
        let bounds = || strict_agreement_bounds(&compare(0)?, &compare(1)?);
        bounds().map_err(|error: InferenceError| error.with_names(&self.systems))
    }
}
