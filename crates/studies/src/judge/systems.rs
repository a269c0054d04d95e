//! Setting 3 (Gao et al. 2024, section 2.3): people's labels and the judge's verdicts on the same
//! pairs, both aggregated to a ranking of systems, compared.

use super::pair::certain_shares;
use super::{Game, JudgedPairs, LabelledPair};
use crate::Figure;
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
        let systems = self.systems.len();
        if systems < 3 {
            return Ok(None);
        }
        let clusters = Clusters {
            systems,
            clusters: self.clusters(),
        };
        Ok(Some(SystemLevel {
            n: systems,
            rho: clusters.figure(Correlation::Spearman, plan)?,
            tau: clusters.figure(Correlation::KendallTauB, plan)?,
        }))
    }

    fn clusters(&self) -> Vec<Cluster> {
        let mut clusters: BTreeMap<u32, Cluster> = BTreeMap::new();
        for pair in &self.pairs {
            if let Some(systems) = pair.systems {
                let votes = PairVotes::new(pair, systems);
                clusters.entry(pair.cluster).or_default().push(votes);
            }
        }
        clusters.into_values().collect()
    }
}

impl PairVotes {
    fn new(pair: &LabelledPair, systems: [u32; 2]) -> PairVotes {
        let games = pair.games.iter().flatten();
        PairVotes {
            systems: systems.map(|system| system as usize),
            label: certain_shares(pair.label),
            verdicts: games.filter_map(Game::shares).collect(),
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
    /// Returns a correlation of the two rankings, with its interval over clusters.
    fn figure(&self, which: Correlation, plan: &Bootstrap) -> Result<Figure, Error> {
        let round = |weights: &[f64]| estimate(self.correlation(|at| weights[at], which));
        let rounds = resample(self.clusters.len(), plan, round);
        let interval = rounds.and_then(|rounds| percentile_interval(&rounds, plan.level));
        Figure::new(self.correlation(|_| 1.0, which), interval)
    }

    fn correlation(&self, weight: impl Fn(usize) -> f64, which: Correlation) -> Result<f64, Error> {
        let mut tallies = BothTallies {
            people: Tally::new(self.systems)?,
            judge: Tally::new(self.systems)?,
        };
        for (at, cluster) in self.clusters.iter().enumerate() {
            let times = weight(at);
            for votes in cluster.iter().filter(|_| times > 0.0) {
                votes.add_to(&mut tallies, times)?;
            }
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
    /// Correlates the two rankings over the systems that have a rank in both.
    fn correlation(&self, which: Correlation) -> Result<f64, Error> {
        let [people, judge] = [&self.people, &self.judge].map(ranks_of);
        let both = people.iter().zip(&judge);
        // A smaller rank is better, a larger number is here.
        let (x, y): (Vec<f64>, Vec<f64>) = both
            .filter_map(|(x, y)| Some((-f64::from((*x)?), -f64::from((*y)?))))
            .unzip();
        which.correlate(&x, &y)
    }
}

fn ranks_of(tally: &Tally) -> Vec<Option<u32>> {
    PairMethod::BradleyTerry.scores(tally).ranks
}

fn estimate(value: Result<f64, Error>) -> Estimate {
    match value {
        Ok(value) => Estimate::Finite(value),
        Err(Error::Undefined(why)) => Estimate::Undefined(why),
        Err(_) => Estimate::Undefined(Undefined::NoData),
    }
}
