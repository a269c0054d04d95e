//! Standard errors of shares of comparisons won.

use crate::data::ClusterSizes;
use crate::index::distinct;
use crate::{Cluster, Comparisons, Tally};

/// The standard error of each system's [`crate::win_ratio`], by the deviations of its clusters;
/// None with fewer than 2 of them.
///
/// With the points p and the weight n of the system in cluster g, and its share v: the square root
/// of G/(G-1) times the sum of (p - v n)^2, over the sum of n. Where each cluster is one comparison
/// of weight 1, that is the sample's standard deviation over the root of n, as AlpacaEval publishes
/// it (Li et al. 2023; Dubois et al. 2024). Clusters are taken as a sample of many. Where they are
/// of unlike weight, heavy ones draw the share to themselves, and the factor is more than G/(G-1)
/// ([`ClusterSizes`]): with G/(G-1) the error is 0.74 of what shares vary by where one of 100 items
/// has 30 % of the weight. An error times 1.96 is no interval: those are made elsewhere.
pub fn win_ratio_errors(data: &Comparisons, cluster: Cluster) -> Vec<Option<f64>> {
    let shares = won_shares(&data.tally());
    let mut deviations = vec![Deviations::default(); data.systems()];
    for rows in data.rows_by_cluster(cluster) {
        // A cluster has few rows, so that looking through them for each of their systems costs
        // little.
        let systems = rows.iter().flat_map(|row| [row.a, row.b]);
        for system in distinct(systems.collect()) {
            let (mut weight, mut points) = (0.0, 0.0);
            for row in rows.iter().filter(|row| system == row.a || system == row.b) {
                let won = if system == row.a {
                    row.wins_a
                } else {
                    row.wins_b
                };
                // One term at a time: the rounding of each sum is part of the result.
                weight = weight + row.wins_a + row.ties + row.wins_b;
                points = points + won + 0.5 * row.ties;
            }
            let system = usize::from(system);
            deviations[system].add(weight, points - shares[system] * weight);
        }
    }
    deviations.iter().map(Deviations::standard_error).collect()
}

/// Like [`win_ratio_errors`], from counts, of which each comparison is a cluster of weight 1.
pub fn win_ratio_errors_of_counts(tally: &Tally) -> Vec<Option<f64>> {
    let shares = won_shares(tally).into_iter().enumerate();
    let errors = shares.map(|(i, share)| {
        let (mut games, mut squares) = (0.0, 0.0);
        for j in 0..tally.systems() {
            let [wins, ties, losses] = tally.outcome(i, j);
            for (points, count) in [(1.0, wins), (0.5, ties), (0.0, losses)] {
                games += count;
                squares += count * (points - share) * (points - share);
            }
        }
        (games > 1.0).then(|| (squares * games / (games - 1.0)).sqrt() / games)
    });
    errors.collect()
}

fn won_shares(tally: &Tally) -> Vec<f64> {
    (0..tally.systems())
        .map(|i| tally.points_of(i) / tally.games_of(i))
        .collect()
}

/// Sums over one system's clusters.
#[derive(Clone, Copy, Debug, Default)]
struct Deviations {
    sizes: ClusterSizes,
    weight: f64,
    squares: f64,
}

impl Deviations {
    /// One cluster of this weight, which is this far off.
    fn add(&mut self, weight: f64, deviation: f64) {
        self.sizes.add(weight);
        self.weight += weight;
        self.squares += deviation * deviation;
    }

    fn standard_error(&self) -> Option<f64> {
        let corrected = self.squares * self.sizes.correction();
        (self.sizes.clusters() > 1).then(|| corrected.sqrt() / self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Comparison;
    use proptest::prelude::*;

    fn comparison(item: u32, preference: f64) -> Comparison {
        Comparison {
            item,
            a: 0,
            b: 1,
            wins_a: preference,
            ties: 0.0,
            wins_b: 1.0 - preference,
        }
    }

    fn is_near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() <= 1e-12 * expected.max(1.0))
    }

    proptest! {
        /// One comparison an item: the sample's standard deviation over the root of n, by items, by
        /// rows and by counts.
        #[test]
        fn single_comparisons_have_the_samples_standard_error(half_points in proptest::collection::vec(0..3u8, 2..40)) {
            let x: Vec<f64> = half_points.iter().map(|x| f64::from(*x) / 2.0).collect();
            let (n, mean) = (x.len() as f64, x.iter().sum::<f64>() / x.len() as f64);
            let expected = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
            let row = |(item, x): (usize, &f64)| match x {
                x if *x == 0.5 => Comparison::tied(item as u32, 0, 1),
                x => Comparison::won(item as u32, 0, 1, *x == 1.0),
            };
            let data = Comparisons::new(2, x.iter().enumerate().map(row).collect()).unwrap();
            for found in [
                win_ratio_errors(&data, Cluster::Item),
                win_ratio_errors(&data, Cluster::None),
                win_ratio_errors_of_counts(&data.tally()),
            ] {
                prop_assert!(found.iter().all(|found| is_near(*found, expected)), "{found:?} \
                    {expected}");
            }
        }

        /// Looking twice at each item tells no more: the standard error of the items' means.
        #[test]
        fn repeated_looks_at_an_item_count_once(x in proptest::collection::vec(0.0..1.0f64, 2..20)) {
            let once = Comparisons::new(2, x.iter().enumerate().map(|(i, x)| comparison(i as u32, *x)).collect()).unwrap();
            let looks = x.iter().enumerate().flat_map(|(i, x)| [comparison(i as u32, *x); 2]).collect();
            let twice = Comparisons::new(2, looks).unwrap();
            let expected = win_ratio_errors(&once, Cluster::Item)[0].unwrap();
            prop_assert!(is_near(win_ratio_errors(&twice, Cluster::Item)[0], expected));
            prop_assert!(win_ratio_errors(&twice, Cluster::None)[0].unwrap() <= expected);
        }
    }

    /// All ways in which coins can fall, as often as they do: the mean squared error is the
    /// variance of the shares, whatever the weights, where outcomes are as likely to be won as
    /// lost.
    #[test]
    fn errors_of_unlike_weights_are_what_shares_vary_by() {
        for weights in [
            vec![1.0; 8],
            vec![9.0, 1.0, 1.0, 1.0, 1.0],
            vec![8.0, 4.0, 2.0, 1.0],
        ] {
            let (mut variance, mut stated) = (0.0, 0.0);
            let ways = 1_u32 << weights.len();
            for way in 0..ways {
                let row = |(item, weight): (usize, &f64)| {
                    let mut row = Comparison::won(item as u32, 0, 1, way >> item & 1 == 1);
                    (row.wins_a, row.wins_b) = (weight * row.wins_a, weight * row.wins_b);
                    row
                };
                let rows = weights.iter().enumerate().map(row).collect();
                let data = Comparisons::new(2, rows).unwrap();
                let share = won_shares(&data.tally())[0];
                variance += (share - 0.5).powi(2) / f64::from(ways);
                let error = win_ratio_errors(&data, Cluster::Item)[0].unwrap();
                stated += error * error / f64::from(ways);
            }
            assert!(
                (stated / variance - 1.0).abs() < 1e-9,
                "{weights:?}: {stated} {variance}"
            );
        }
    }

    #[test]
    fn one_cluster_or_none_has_no_standard_error() {
        let looks = vec![
            Comparison::won(7, 0, 1, true),
            Comparison::won(7, 0, 1, false),
        ];
        let data = Comparisons::new(3, looks).unwrap();
        assert_eq!(win_ratio_errors(&data, Cluster::Item), [None; 3]);
        assert!(
            is_near(win_ratio_errors(&data, Cluster::None)[1], 0.5)
                && win_ratio_errors_of_counts(&data.tally())[2].is_none()
        );
    }
}
