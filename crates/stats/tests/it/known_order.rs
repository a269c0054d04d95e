//! How often the bounds of a rank correlation with ratings miss what unlimited items would give:
//! systems that lie close or apart, ordered as people order them, the other way round, or anyhow.
//! A small part always, the whole table where EVENHAND_SLOW=1 is set.

use crate::common::Draws;
use evenhand_stats::inference::{Contributions, KnownOrder, compare_jointly};
use evenhand_stats::{
    Bootstrap, Cluster, ItemScore, ItemScores, PointMethod, percentile_interval, resample_scores,
    spearman,
};
use evenhand_testing::is_slow;

/// What the mean scores of systems are, in standard deviations of an item's score.
#[derive(Clone, Copy, Debug)]
enum Truth {
    /// Evenly from 0 to this.
    Over(f64),
    /// Every two of them equal, evenly from 0 to this.
    Twins(f64),
}

impl Truth {
    fn means(self, systems: usize) -> Vec<f64> {
        let place = |at: usize, of: usize| at as f64 / (of - 1) as f64;
        let each = 0..systems;
        match self {
            Truth::Over(spread) => each.map(|at| spread * place(at, systems)).collect(),
            Truth::Twins(spread) => each
                .map(|at| spread * place(at / 2, systems.div_ceil(2)))
                .collect(),
        }
    }
}

/// People's ratings of systems beside these means.
#[derive(Clone, Copy, Debug)]
enum Ratings {
    Same,
    Reversed,
    Independent,
}

#[derive(Default)]
struct Found {
    missed: f64,
    width: f64,
    missed_by_percentiles: f64,
}

#[test]
fn bounds_of_a_correlation_hold_what_unlimited_items_give() {
    let studies = if is_slow() { 200_u32 } else { 4 };
    let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(studies)).sqrt();
    for systems in [5, 8, 12] {
        for truth in [Truth::Over(0.3), Truth::Over(3.0), Truth::Twins(1.0)] {
            for items in [20, 100, 500] {
                let mut line = format!("{systems} systems, {truth:?}, {items} items:");
                for ratings in [Ratings::Same, Ratings::Reversed, Ratings::Independent] {
                    let mut found = Found::default();
                    for study in 0..studies {
                        found.add(truth, ratings, (systems, items), u64::from(study));
                    }
                    let [missed, width, by_percentiles] =
                        [found.missed, found.width, found.missed_by_percentiles]
                            .map(|sum| sum / f64::from(studies));
                    line += &format!(
                        " {ratings:?} missed {missed:.3} (width {width:.2}; percentiles \
                         {by_percentiles:.2})"
                    );
                    assert!(missed <= most, "{line}");
                }
                eprintln!("{line}");
            }
        }
    }
}

impl Found {
    fn add(
        &mut self,
        truth: Truth,
        ratings: Ratings,
        (systems, items): (usize, usize),
        study: u64,
    ) {
        let mut draws = Draws::new(study, 1);
        let means = truth.means(systems);
        let ratings: Vec<f64> = match ratings {
            Ratings::Same => (0..systems).map(|at| at as f64).collect(),
            Ratings::Reversed => (0..systems).map(|at| -(at as f64)).collect(),
            Ratings::Independent => (0..systems).map(|_| draws.uniform()).collect(),
        };
        let mut rows = Vec::new();
        for item in 0..items as u32 {
            // What all find hard or easy.
            let ease = draws.normal();
            for (system, mean) in means.iter().enumerate() {
                let score = mean + ease + draws.normal();
                rows.push(ItemScore::new(item, system as u16, score));
            }
        }
        let data = ItemScores::new(systems, rows).unwrap();
        let plan = Bootstrap {
            rounds: 400,
            seed: study,
            threads: 1,
            ..Bootstrap::default()
        };
        let contributions =
            Contributions::of_scores(&data, PointMethod::Mean, Cluster::Item, &plan).unwrap();
        let apart = compare_jointly(&contributions, &plan).unwrap().apart;
        let [low, high] = KnownOrder::new(systems, apart).spearman(&ratings).unwrap();
        let rho = spearman(&means, &ratings).unwrap();
        let is_missed = |[low, high]: [f64; 2]| f64::from(rho < low - 1e-9 || rho > high + 1e-9);
        self.missed += is_missed([low, high]);
        self.width += high - low;

        let resampled = resample_scores(&data, PointMethod::Mean, Cluster::Item, &plan).unwrap();
        let rho_of = |scores: &evenhand_stats::Scores| {
            let scores: Vec<f64> = scores.estimates.iter().filter_map(|x| x.finite()).collect();
            evenhand_stats::Estimate::Finite(spearman(&scores, &ratings).unwrap())
        };
        let rounds: Vec<_> = resampled.rounds.iter().map(rho_of).collect();
        let ends = percentile_interval(rho_of(&resampled.point), &rounds, 0.95).unwrap();
        self.missed_by_percentiles += is_missed([ends.low.unwrap(), ends.high.unwrap()]);
    }
}
