//! Setting 3 (Gao et al. 2024, section 2.3): people's labels and the judge's verdicts on the same
//! pairs, both aggregated to a ranking of systems, compared.

use super::{JudgedPairs, LabelledPair};
use crate::Figure;
use evenhand_stats::{Bootstrap, Correlation, Error, PairMethod, Tally};
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
    /// Kendall's tau-b of the two rankings.
    pub tau: Figure,
}

/// What a labelled pair says of two systems.
struct PairVotes {
    systems: [usize; 2],
    label: [f64; 3],
    verdicts: Vec<[f64; 3]>,
}

/// The pairs of one cluster.
type Cluster = Vec<PairVotes>;

/// The clusters of pairs between so many systems.
struct Clusters {
    systems: usize,
    clusters: Vec<Cluster>,
}

impl JudgedPairs {
    /// Compares both rankings; None where the pairs name fewer than 3 systems.
    ///
    /// # Errors
    /// A bad level, number of rounds or threads.
    pub fn system_level(&self, plan: &Bootstrap) -> Result<Option<SystemLevel>, Error> {
        let clusters = Clusters::of_pairs(self);
        let is_ranking = clusters.systems >= 3;
        is_ranking.then(|| clusters.system_level(plan)).transpose()
    }
}

impl PairVotes {
    /// Returns the votes with their cluster; None where the systems are not known.
    fn of_pair(pair: &LabelledPair) -> Option<(u32, PairVotes)> {
        let systems = pair.systems?.map(|system| system as usize);
        Some((pair.cluster, PairVotes::new(pair, systems)))
    }

    fn new(pair: &LabelledPair, systems: [usize; 2]) -> PairVotes {
        PairVotes {
            systems,
            label: pair.label.certain(),
            verdicts: pair.verdicts().collect(),
        }
    }

    /// Adds the label to people's tally and the verdicts to the judge's, so many times.
    fn add_to(&self, tallies: &mut BothTallies, times: f64) -> Result<(), Error> {
        add_game(&mut tallies.people, self.systems, self.label, times)?;
        for verdict in &self.verdicts {
            add_game(&mut tallies.judge, self.systems, *verdict, times)?;
        }
        Ok(())
    }
}

impl Clusters {
    fn of_pairs(judged: &JudgedPairs) -> Clusters {
        let mut clusters: BTreeMap<u32, Cluster> = BTreeMap::new();
        for (cluster, votes) in judged.pairs.iter().filter_map(PairVotes::of_pair) {
            clusters.entry(cluster).or_default().push(votes);
        }
        Clusters {
            systems: judged.systems.len(),
            clusters: clusters.into_values().collect(),
        }
    }

    fn system_level(&self, plan: &Bootstrap) -> Result<SystemLevel, Error> {
        let figure = |which| self.figure(which, plan);
        Ok(SystemLevel {
            n: self.systems,
            rho: figure(Correlation::Spearman)?,
            tau: figure(Correlation::KendallTauB)?,
        })
    }

    /// Returns a correlation of the two rankings, with its interval over clusters.
    fn figure(&self, which: Correlation, plan: &Bootstrap) -> Result<Figure, Error> {
        Figure::resampled(self.clusters.len(), plan, |weights| {
            self.correlation(weights, which)
        })
    }

    fn correlation(&self, weights: &[f64], which: Correlation) -> Result<f64, Error> {
        let mut tallies = BothTallies::new(self.systems)?;
        let weighted = self.clusters.iter().zip(weights);
        // A cluster that was not drawn must not make two systems known to each other.
        for (cluster, weight) in weighted.filter(|(_, weight)| **weight > 0.0) {
            tallies.add_cluster(cluster, *weight)?;
        }
        tallies.correlation(which)
    }
}

fn add_game(
    tally: &mut Tally,
    [a, b]: [usize; 2],
    shares: [f64; 3],
    times: f64,
) -> Result<(), Error> {
    let [wins_a, ties, wins_b] = shares.map(|share| times * share);
    tally.add(a, b, wins_a, ties, wins_b)
}

/// The games of people and of the judge.
struct BothTallies {
    people: Tally,
    judge: Tally,
}

impl BothTallies {
    fn new(systems: usize) -> Result<BothTallies, Error> {
        Ok(BothTallies {
            people: Tally::new(systems)?,
            judge: Tally::new(systems)?,
        })
    }

    fn add_cluster(&mut self, cluster: &[PairVotes], times: f64) -> Result<(), Error> {
        cluster
            .iter()
            .try_for_each(|votes| votes.add_to(self, times))
    }

    /// Correlates the two rankings over the systems that have a rank in both.
    fn correlation(&self, which: Correlation) -> Result<f64, Error> {
        let people = ranks_of(&self.people).into_iter();
        let both = people.zip(ranks_of(&self.judge)).filter_map(negated_ranks);
        let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
        which.correlate(&x, &y)
    }
}

/// Returns two ranks as numbers of which the larger is better; None where one is missing.
fn negated_ranks((x, y): (Option<u32>, Option<u32>)) -> Option<(f64, f64)> {
    Some((-f64::from(x?), -f64::from(y?)))
}

fn ranks_of(tally: &Tally) -> Vec<Option<u32>> {
    PairMethod::BradleyTerry.scores(tally).ranks
}
