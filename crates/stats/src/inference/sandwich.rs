//! The robust covariance of Bradley-Terry strengths.

use super::influence::Influence;
use super::{Covariance, InferenceError};
use crate::checks::check_clusters;
use crate::data::ClusterSizes;
use crate::linear::{add_edge, raise_by_leverage, sandwiched};
use crate::{Cluster, Comparison, Comparisons, Estimate, Tally};

/// The correction for few clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SmallSample {
    /// Nothing.
    #[default]
    Uncorrected,
    /// Each cluster's gradient raised by its leverage (CR2 of Bell and McCaffrey 2002; of G
    /// clusters that say equally much the covariance times G / (G - 1)), with the intervals and
    /// tests of [`Covariance::of_few_clusters`].
    Clusters,
}

/// The sandwich covariance A⁻¹ B A⁻¹ (Huber 1967; White 1982) of Bradley-Terry strengths, every
/// comparison of weight 1 an independent row, in the mean-0 gauge over the systems with finite
/// strengths:
///
/// - A = Σ over pairs of n p (1 - p) (e_i - e_j) (e_i - e_j)', the information;
/// - B = Σ over pairs of (W (1 - p)² + T (1/2 - p)² + L p²) (e_i - e_j) (e_i - e_j)',
///
/// where i won W, tied T and lost L of n comparisons with j, and p = 1 / (1 + exp(s_j - s_i)); A⁻¹
/// is the Moore-Penrose inverse. It reads pair counts alone, so its cost grows with systems, not
/// with comparisons. A weight w counts as w rows; where rows have other weights, or verdicts are
/// spread over outcomes, use [`sandwich_clustered`] with [`Cluster::None`], which is exact for
/// them.
///
/// `strengths` must be the [`crate::bradley_terry`] strengths of this tally. A system with fewer
/// than 2 comparisons against systems with finite strengths has no standard error.
///
/// # Errors
/// Not one strength for each system; fewer than two finite strengths; information too small to
/// invert.
pub fn sandwich(tally: &Tally, strengths: &[Estimate]) -> Result<Covariance, InferenceError> {
    let influence = Influence::new(tally, strengths)?;
    let m = influence.systems.len();
    let (mut meat, mut games) = (vec![0.0; m * m], vec![0.0; m]);
    for cell in influence.cells(tally) {
        let weight = cell.count * cell.residual * cell.residual;
        add_edge(&mut meat, m, cell.pair, weight);
        games[cell.pair.0] += cell.count;
        games[cell.pair.1] += cell.count;
    }
    let clusters = games.iter().sum::<f64>() / 2.0;
    // A share of a comparison does not count; the cast saturates.
    let counts: Vec<usize> = games.iter().map(|&count| count as usize).collect();
    covariance_of(&influence, strengths, &meat, clusters, &counts)
}

/// A⁻¹ B A⁻¹ with B, by place m x m, the clusters that it rests on and those of each place.
fn covariance_of(
    influence: &Influence,
    strengths: &[Estimate],
    meat: &[f64],
    clusters: f64,
    counts: &[usize],
) -> Result<Covariance, InferenceError> {
    let matrix = sandwiched(&influence.inverse, meat, influence.systems.len());
    let counts = influence
        .places
        .iter()
        .map(|place| place.map_or(0, |place| counts[place]));
    Covariance::new(strengths.to_vec(), matrix, clusters, counts.collect())
}

/// The covariance of [`sandwich`] with the scores of all rows of a cluster added up first: B = Σ
/// over clusters of u u' with u the sum of the rows' scores (points of i less n p) (e_i - e_j)
/// (Liang and Zeger 1986; Cameron and Miller 2015).
///
/// Clusters are items, or rows; a cluster without comparisons between systems of finite strengths
/// does not count. `strengths` must be those of `data.tally()`. A system in fewer than 2 clusters
/// has no standard error.
///
/// # Errors
/// Those of [`sandwich`]; fewer than 2 clusters.
pub fn sandwich_clustered(
    data: &Comparisons,
    cluster: Cluster,
    strengths: &[Estimate],
    correction: SmallSample,
) -> Result<Covariance, InferenceError> {
    let influence = Influence::new(&data.tally(), strengths)?;
    let m = influence.systems.len();
    let (mut meat, mut clusters) = (vec![0.0; m * m], 0);
    let (mut sizes, mut size) = (vec![ClusterSizes::default(); m], vec![0.0; m]);
    each_cluster(data, cluster, &influence, |rows, touched, score| {
        clusters += 1;
        let mut score: Vec<f64> = touched.iter().map(|&place| score[place]).collect();
        if correction == SmallSample::Clusters {
            let own = influence.information_of(rows, touched);
            raise_by_leverage(&mut score, &own, &influence.inverse, m, touched);
        }
        for row in rows {
            let places = [row.a, row.b].map(|system| influence.places[usize::from(system)]);
            if let [Some(i), Some(j)] = places {
                size[i] += row.weight();
                size[j] += row.weight();
            }
        }
        // u u', of which only the places touched are not 0.
        for (&i, x) in touched.iter().zip(&score) {
            sizes[i].add(std::mem::take(&mut size[i]));
            let row = &mut meat[i * m..];
            for (&j, y) in touched.iter().zip(&score) {
                row[j] += x * y;
            }
        }
    });
    check_clusters(clusters)?;
    let counts: Vec<usize> = sizes.iter().map(ClusterSizes::clusters).collect();
    let covariance = covariance_of(&influence, strengths, &meat, clusters as f64, &counts)?;
    Ok(match correction {
        SmallSample::Uncorrected => covariance,
        SmallSample::Clusters => covariance.of_few_clusters(),
    })
}

/// Calls `with` for each cluster that has comparisons between systems of finite strengths: its
/// rows, the places it touches, and its score by place.
pub(super) fn each_cluster(
    data: &Comparisons,
    cluster: Cluster,
    influence: &Influence,
    mut with: impl FnMut(&[Comparison], &[usize], &[f64]),
) {
    let (mut score, mut touched) = (vec![0.0; influence.systems.len()], Vec::new());
    for rows in data.rows_by_cluster(cluster) {
        influence.add_scores(rows, &mut score, &mut touched);
        if !touched.is_empty() {
            with(rows, &touched, &score);
        }
        // Only what was touched is cleared: most clusters touch few of many systems.
        for &place in &touched {
            score[place] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;
    use crate::testing::tally_of;
    use crate::{Comparison, bradley_terry};

    fn of(tally: &Tally) -> Result<Covariance, InferenceError> {
        sandwich(tally, &bradley_terry(tally).scores.estimates)
    }

    #[test]
    fn two_systems_by_hand() {
        // 6 won, 2 lost: p = 3/4, A = 8 * 3/16 = 1.5 and B = 6 / 16 + 2 * 9 / 16 = 1.5 for the
        // difference, so its variance is 1.5 / 1.5^2 = 2/3; each strength is half the difference.
        let found = of(&tally_of(2, &[(0, 1, 6.0, 0.0, 2.0)])).unwrap();
        let (difference, error) = found.difference(0, 1).unwrap();
        assert!(
            (difference - 3f64.ln()).abs() < 1e-9 && (error - (2f64 / 3.0).sqrt()).abs() < 1e-9
        );
        assert!((found.standard_error(1).unwrap() - error / 2.0).abs() < 1e-12);
        let interval = found.interval(0, 0.95).unwrap();
        assert!(
            (interval.high.unwrap() - 3f64.ln() / 2.0 - 1.959_963_984_540_054 * error / 2.0).abs()
                < 1e-9
        );
        assert_eq!((found.clusters(), found.systems()), (8.0, &[0, 1][..]));
        // 5 won, 2 tied, 1 lost has the same p and a smaller B: 5 / 16 + 2 / 16 + 9 / 16 = 1.
        let (_, error) = of(&tally_of(2, &[(0, 1, 5.0, 2.0, 1.0)]))
            .unwrap()
            .difference(0, 1)
            .unwrap();
        assert!((error - 1.0 / 1.5).abs() < 1e-9, "{error}");
    }

    #[test]
    fn a_cluster_counts_once() {
        // Every item judged twice with the same result: half the information that rows would have.
        let rows = (0..8)
            .flat_map(|item| [Comparison::won(item, 0, 1, item < 6); 2])
            .collect();
        let data = Comparisons::new(2, rows).unwrap();
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let error = |cluster, correction| {
            let found = sandwich_clustered(&data, cluster, &strengths, correction).unwrap();
            found.difference(0, 1).unwrap().1
        };
        assert!(
            (error(Cluster::Item, SmallSample::Uncorrected) - (2f64 / 3.0).sqrt()).abs() < 1e-9
        );
        assert!(
            (error(Cluster::Item, SmallSample::Clusters) - (2f64 / 3.0 * 8.0 / 7.0).sqrt()).abs()
                < 1e-9
        );
        assert!(
            (error(Cluster::None, SmallSample::Uncorrected) - (1f64 / 3.0).sqrt()).abs() < 1e-9
        );
    }

    #[test]
    fn what_is_undefined_is_said() {
        let one_sided = of(&tally_of(2, &[(0, 1, 3.0, 0.0, 0.0)])).unwrap_err();
        assert_eq!(one_sided, InferenceError::Infinite { system: 0 });
        assert_eq!(
            of(&tally_of(1, &[])).unwrap_err(),
            Undefined::OneSystem.into()
        );
        assert_eq!(of(&tally_of(2, &[])).unwrap_err(), Undefined::NoData.into());
        assert!(matches!(
            sandwich(&tally_of(2, &[]), &[]),
            Err(InferenceError::Length {
                found: 0,
                expected: 2,
                ..
            })
        ));
        // Systems 0 and 1 only tied: no variance.  2 beat both, 3 met nobody.
        let rows = [
            (0, 1, 0.0, 4.0, 0.0),
            (2, 0, 3.0, 0.0, 0.0),
            (2, 1, 3.0, 0.0, 0.0),
        ];
        let found = of(&tally_of(4, &rows)).unwrap();
        assert_eq!(found.standard_error(0), Err(Undefined::NoVariance.into()));
        assert_eq!(
            found.difference(0, 2),
            Err(InferenceError::Infinite { system: 2 })
        );
        assert_eq!(found.interval(3, 0.95), Err(Undefined::NoData.into()));
        assert!(matches!(
            found.standard_error(9),
            Err(InferenceError::Input(crate::Error::NoSuchSystem { .. }))
        ));
    }

    #[test]
    fn a_system_in_one_cluster_has_no_error() {
        let mut rows: Vec<Comparison> = (0..9)
            .map(|item| Comparison::won(item, 0, 1, item % 3 > 0))
            .collect();
        rows.extend([
            Comparison::won(0, 2, 1, true),
            Comparison::won(0, 2, 0, false),
        ]);
        let data = Comparisons::new(3, rows).unwrap();
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let found =
            sandwich_clustered(&data, Cluster::Item, &strengths, SmallSample::Uncorrected).unwrap();
        assert_eq!(
            found.standard_error(2),
            Err(Undefined::TooFewClusters { clusters: 1 }.into())
        );
        assert!(found.standard_error(0).is_ok());
    }
}
