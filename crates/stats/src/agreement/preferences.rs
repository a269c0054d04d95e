//! Agreement on which of two responses is better, whichever of the two is named first.
//!
//! A win of one response is a loss of the other, and which of the two a file names first says
//! nothing. So every preference counts both ways: as it is, and of the two the other way round.
//! Agreement by chance is then that of people who prefer either response equally often, and no
//! figure depends on the order of names.

use super::{
    Alpha, Confusion, Disagreement, Kappa, Measurement, cohen_kappa, krippendorff_alpha,
    krippendorff_alpha_cluster_interval,
};
use crate::checks::check_lengths;
use crate::{Bootstrap, Error, Interval};

/// Krippendorff's alpha of preferences, each counted both ways: [`krippendorff_alpha`] over every
/// unit and its mirror image.
///
/// `units[u]` holds what people said of one pair of responses: 1 for the first, 0 for a tie, -1 for
/// the second; None where somebody said nothing. Units and ratings of the result are counted once.
///
/// # Errors
/// As [`krippendorff_alpha`].
pub fn preference_alpha<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
) -> Result<Alpha, Error> {
    let alpha = krippendorff_alpha(&both_ways(units), scale)?;
    Ok(Alpha {
        units: alpha.units / 2,
        ratings: alpha.ratings / 2,
        ..alpha
    })
}

/// The percentile bootstrap interval of [`preference_alpha`] over clusters of units.
///
/// # Errors
/// As [`krippendorff_alpha_cluster_interval`].
pub fn preference_alpha_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    clusters: &[u32],
    scale: Measurement,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    check_lengths(units.len(), clusters.len())?;
    krippendorff_alpha_cluster_interval(&both_ways(units), &clusters.repeat(2), scale, plan)
}

/// Cohen's kappa of two who say which of two responses is better, each preference counted both
/// ways. The categories stand in order, such as a, tie, b, so that the last is the first of the two
/// the other way round.
///
/// # Errors
/// As [`cohen_kappa`].
pub fn preference_kappa(table: &Confusion) -> Result<Kappa, Error> {
    let categories = table.categories();
    let last = categories.saturating_sub(1);
    let cells = (0..categories).flat_map(|i| (0..categories).map(move |j| (i, j)));
    let counts = cells.map(|(i, j)| table.count(i, j) + table.count(last - i, last - j));
    cohen_kappa(
        &Confusion::new(categories, counts.collect())?,
        Disagreement::Any,
    )
}

fn both_ways<U: AsRef<[Option<f64>]>>(units: &[U]) -> Vec<Vec<Option<f64>>> {
    let units = || units.iter().map(AsRef::as_ref);
    let mirrored = units().map(|unit| {
        unit.iter()
            .map(|said| said.map(|said| 0.0 - said))
            .collect()
    });
    units().map(<[_]>::to_vec).chain(mirrored).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two or three people say of 40 pairs; they often agree.
    fn said(seed: u64) -> Vec<Vec<Option<f64>>> {
        let draws: Vec<u32> = crate::draw_numbers(seed, 2, 100).take(160).collect();
        let units = draws.chunks(4).map(|draws| {
            let truth = f64::from(draws[0] % 3) - 1.0;
            let of = |draw: u32| {
                if draw < 60 {
                    truth
                } else {
                    f64::from(draw % 3) - 1.0
                }
            };
            let third = (draws[0] > 50).then(|| of(draws[3]));
            vec![Some(of(draws[1])), Some(of(draws[2])), third]
        });
        units.collect()
    }

    fn kappa_of(units: &[Vec<Option<f64>>]) -> f64 {
        let code = |at: usize| {
            let said = units.iter().map(|unit| (unit[at].unwrap() + 1.0) as usize);
            said.collect::<Vec<_>>()
        };
        let table = Confusion::of_labels(&code(0), &code(1), 3).unwrap();
        preference_kappa(&table).unwrap().value
    }

    #[test]
    fn which_response_is_named_first_changes_nothing() {
        for seed in 0..20 {
            let units = said(seed);
            let turned: Vec<Vec<Option<f64>>> = units
                .iter()
                .enumerate()
                .map(|(at, unit)| match at % 3 {
                    0 => unit.iter().map(|said| said.map(|said| -said)).collect(),
                    _ => unit.clone(),
                })
                .collect();
            for scale in [Measurement::Nominal, Measurement::Ordinal] {
                let [one, other] =
                    [&units, &turned].map(|units| preference_alpha(units, scale).unwrap());
                assert!((one.value - other.value).abs() < 1e-12, "{one:?} {other:?}");
                assert_eq!((one.units, one.ratings), (other.units, other.ratings));
                let clusters: Vec<u32> = (0..40).map(|at| at / 2).collect();
                let plan = Bootstrap {
                    rounds: 50,
                    ..Bootstrap::default()
                };
                let [one, other] = [&units, &turned].map(|units| {
                    preference_alpha_interval(units, &clusters, scale, &plan).unwrap()
                });
                assert!((one.low.unwrap() - other.low.unwrap()).abs() < 1e-12);
            }
            assert!((kappa_of(&units) - kappa_of(&turned)).abs() < 1e-12);
        }
    }

    #[test]
    fn by_hand() {
        // Two people on three pairs: first and first, first and second, tie and tie. Both ways: 12
        // ratings, 4 of each; of six units two disagree, which is 4 ordered pairs over 1.
        let units = [[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]].map(|unit| unit.map(Some));
        let found = preference_alpha(&units, Measurement::Nominal).unwrap();
        // first 3, tie 2, second 1; both ways 4, 4, 4.
        let chance = (144.0 - 3.0 * 16.0) / 11.0;
        assert!(
            (found.value - (1.0 - 4.0 / chance)).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!((found.units, found.ratings), (3, 6));
        // Kappa: 4 of 6 the same; each says each thing a third of the time.
        assert!((kappa_of(&units.map(|unit| unit.to_vec())) - 0.5).abs() < 1e-12);
    }
}
