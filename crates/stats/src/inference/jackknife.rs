//! Leaving out clusters: for any statistic by computing it again, for Bradley-Terry strengths and
//! means by their influence.

use super::InferenceError;
use super::bca::Moments;
use super::influence::Influence;
use super::sandwich::each_cluster;
use crate::checks::{check_clusters, check_rows};
use crate::data::Cell;
use crate::linear::{add_scaled, mean_of};
use crate::{Cluster, Comparisons, Estimate, ItemScores, Tally};
use std::collections::BTreeMap;

/// The most groups that [`jackknife`] leaves out in turn.
pub const JACKKNIFE_GROUPS: usize = 200;

/// A statistic without each cluster in turn, or, above [`JACKKNIFE_GROUPS`] clusters, without each
/// of that many groups: group g holds the clusters whose number is g modulo the number of groups
/// (the delete-a-group jackknife; Kott 2001).
///
/// `statistic` gets one weight for each cluster, 1 or 0, and gives the scores of k systems. The
/// outer list has one entry for each group.
///
/// # Errors
/// Fewer than 2 clusters.
pub fn jackknife(
    clusters: usize,
    statistic: impl Fn(&[f64]) -> Vec<Estimate>,
) -> Result<Vec<Vec<Estimate>>, InferenceError> {
    check_clusters(clusters)?;
    check_rows(clusters)?;
    // Each group costs a fit of its own.
    let groups = clusters.min(JACKKNIFE_GROUPS);
    let without = (0..groups).map(|group| {
        let weights = (0..clusters).map(|cluster| f64::from(cluster % groups != group));
        statistic(&weights.collect::<Vec<f64>>())
    });
    Ok(without.collect())
}

/// The acceleration of each system's Bradley-Terry strength by the infinitesimal jackknife: with
/// ψ_c = A⁻¹ u_c, the influence of cluster c's score u_c, a_i = Σ ψ_ci³ / (6 (Σ ψ_ci²)^1.5) (Efron
/// 1987).
///
/// Clusters are items or rows; `strengths` are the [`crate::bradley_terry`] strengths of
/// `data.tally()`. A list of length k: None for a system whose strength is not finite or does not
/// vary.
///
/// # Errors
/// Those of [`super::sandwich`].
pub fn strength_accelerations(
    data: &Comparisons,
    cluster: Cluster,
    strengths: &[Estimate],
) -> Result<Vec<Option<f64>>, InferenceError> {
    let influence = Influence::new(&data.tally(), strengths)?;
    let mut moments = vec![Moments::default(); influence.systems.len()];
    let mut change = vec![0.0; influence.systems.len()];
    each_cluster(data, cluster, &influence, |_, touched, score| {
        // What the cluster does to the strengths.
        change.fill(0.0);
        for &place in touched {
            add_scaled(&mut change, influence.row(place), score[place]);
        }
        for (moments, change) in moments.iter_mut().zip(&change) {
            moments.add(1.0, *change);
        }
    });
    Ok(accelerations_of(&influence, &moments))
}

/// Like [`strength_accelerations`], from pair counts alone, every comparison of weight 1 a row of
/// its own.
///
/// # Errors
/// Those of [`super::sandwich`].
pub fn strength_accelerations_of_tally(
    tally: &Tally,
    strengths: &[Estimate],
) -> Result<Vec<Option<f64>>, InferenceError> {
    let influence = Influence::new(tally, strengths)?;
    let mut moments = vec![Moments::default(); influence.systems.len()];
    for cell in influence.cells(tally) {
        let rows = (influence.row(cell.pair.0).iter()).zip(influence.row(cell.pair.1));
        for (moments, (x, y)) in moments.iter_mut().zip(rows) {
            moments.add(cell.count, cell.residual * (x - y));
        }
    }
    Ok(accelerations_of(&influence, &moments))
}

/// Of each system, finite or not.
fn accelerations_of(influence: &Influence, moments: &[Moments]) -> Vec<Option<f64>> {
    influence
        .places
        .iter()
        .map(|place| moments[(*place)?].acceleration())
        .collect()
}

/// The acceleration of each system's mean over items, from its influences x - mean, summed by
/// cluster; None for a
/// system whose scores do not vary or are fewer than 2.
pub fn mean_accelerations(data: &ItemScores) -> Vec<Option<f64>> {
    let columns = data.columns(Cluster::Item);
    let columns = columns.iter().map(AsRef::as_ref);
    columns.map(mean_acceleration).collect()
}

fn mean_acceleration(column: &[Cell]) -> Option<f64> {
    let mean = mean_of(column.iter().map(|cell| cell.score));
    let mut influences: BTreeMap<u32, f64> = BTreeMap::new();
    for cell in column {
        *influences.entry(cell.cluster).or_default() += cell.score - mean;
    }
    let mut moments = Moments::default();
    for influence in influences.into_values() {
        moments.add(1.0, influence);
    }
    // The mean of equal scores may be a rounding away from them.
    let is_varied = column.iter().any(|cell| cell.score != column[0].score);
    moments.acceleration().filter(|_| is_varied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;
    use crate::inference::jackknife_acceleration;
    use crate::{Comparison, ItemScore, bradley_terry, bradley_terry_near};

    /// Three systems on 60 items, two comparisons an item, 2 mostly better than 1 and 1 than 0.
    fn data() -> Comparisons {
        let rows = (0..60).flat_map(|item| {
            let (a, b) = ((item % 3) as u16, ((item + 1) % 3) as u16);
            [
                Comparison::won(item, a, b, (item * 7 % 10 < 3) == (a < b)),
                Comparison::won(item, b, a, item * 3 % 11 < 5),
            ]
        });
        Comparisons::new(3, rows.collect()).unwrap()
    }

    #[test]
    fn influences_come_near_the_real_jackknife() {
        let data = data();
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let without = |weights: &[f64]| {
            bradley_terry_near(&data.tally_with(Cluster::Item, weights), &strengths)
                .scores
                .estimates
        };
        let values = jackknife(60, without).unwrap();
        let fast = strength_accelerations(&data, Cluster::Item, &strengths).unwrap();
        for system in 0..3 {
            let real: Vec<Estimate> = values.iter().map(|round| round[system]).collect();
            let (real, fast) = (
                jackknife_acceleration(&real).unwrap(),
                fast[system].unwrap(),
            );
            assert!((real - fast).abs() < 0.005, "{real} {fast}");
        }
    }

    #[test]
    fn counts_and_rows_agree() {
        let data = data();
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let by_rows = strength_accelerations(&data, Cluster::None, &strengths).unwrap();
        let by_counts = strength_accelerations_of_tally(&data.tally(), &strengths).unwrap();
        for (x, y) in by_rows.iter().zip(by_counts) {
            assert!((x.unwrap() - y.unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn groups_are_left_out_in_turn() {
        let sums = jackknife(450, |weights| vec![Estimate::Finite(weights.iter().sum())]).unwrap();
        // 450 clusters in 200 groups: 50 of three, 150 of two.
        assert_eq!(sums.len(), 200);
        assert_eq!(
            (sums[49][0], sums[50][0]),
            (Estimate::Finite(447.0), Estimate::Finite(448.0))
        );
        assert_eq!(
            jackknife(1, |_| vec![]),
            Err(Undefined::TooFewClusters { clusters: 1 }.into())
        );
    }

    #[test]
    fn the_mean_by_hand() {
        // 0, 0, 3 less their mean 1: cubes -1, -1, 8 and squares 6, so a = 6 / (6 * 6^1.5).
        let rows = [0.0, 0.0, 3.0]
            .iter()
            .zip(0..)
            .map(|(&score, item)| ItemScore::new(item, 0, score));
        let found = mean_accelerations(&ItemScores::new(2, rows.collect()).unwrap());
        assert!((found[0].unwrap() - 6f64.powf(-1.5)).abs() < 1e-15 && found[1].is_none());
    }
}
