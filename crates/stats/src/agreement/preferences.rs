//! Agreement on which of two responses is better, whichever of the two is named first.
//!
//! A win of one response is a loss of the other, and which of the two a file names first says
//! nothing. So every preference counts both ways: as it is, and of the two the other way round.
//! Agreement by chance is then that of people who prefer either response equally often, and no
//! figure depends on the order of names.

use super::alpha::alpha_interval;
use super::kappa::kappa_interval;
use super::{Alpha, Confusion, Disagreement, Kappa, Measurement, cohen_kappa, krippendorff_alpha};
use crate::checks::{check_lengths, ensure};
use crate::{Error, Interval, Undefined};

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

/// The interval of [`preference_alpha`] over clusters of units.
///
/// # Errors
/// As [`krippendorff_alpha_cluster_interval`].
pub fn preference_alpha_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    clusters: &[u32],
    scale: Measurement,
    level: f64,
) -> Result<Interval, Error> {
    check_lengths(units.len(), clusters.len())?;
    alpha_interval(&both_ways(units), &clusters.repeat(2), scale, 2.0, level)
}

/// Cohen's kappa of two who say which of two responses is better, each preference counted both
/// ways. The categories stand in order, such as a, tie, b, so that the last is the first of the two
/// the other way round.
///
/// # Errors
/// As [`cohen_kappa`].
pub fn preference_kappa(table: &Confusion) -> Result<Kappa, Error> {
    cohen_kappa(&halved_both_ways(table)?, Disagreement::Any)
}

/// The interval of [`preference_kappa`] of the sum of tables over these, one for each cluster such
/// as an item: that of the share that disagrees, with the variance of kappa.
///
/// # Errors
/// As [`cohen_kappa`]; tables of unlike numbers of categories; a bad level; fewer than 2 tables
/// with a count ([`crate::Undefined::TooFewClusters`]).
pub fn preference_kappa_interval(clusters: &[Confusion], level: f64) -> Result<Interval, Error> {
    let tables = clusters.iter().map(halved_both_ways);
    let tables: Vec<Confusion> = tables.collect::<Result<_, _>>()?;
    let categories = tables.first().map_or(0, Confusion::categories);
    let mut counts = vec![0.0; categories * categories];
    for table in &tables {
        check_lengths(categories, table.categories())?;
        for (i, j, count) in table.counted_cells() {
            counts[i * categories + j] += count;
        }
    }
    ensure(!tables.is_empty(), || Undefined::NoData)?;
    kappa_interval(
        &Confusion::new(categories, counts)?,
        &tables,
        Disagreement::Any,
        level,
    )
}

/// Half of the table and half of it the other way round, which counts each preference once.
fn halved_both_ways(table: &Confusion) -> Result<Confusion, Error> {
    let categories = table.categories();
    let last = categories.saturating_sub(1);
    let cells = (0..categories).flat_map(|i| (0..categories).map(move |j| (i, j)));
    let counts = cells.map(|(i, j)| (table.count(i, j) + table.count(last - i, last - j)) / 2.0);
    Confusion::new(categories, counts.collect())
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
                let [one, other] = [&units, &turned]
                    .map(|units| preference_alpha_interval(units, &clusters, scale, 0.95).unwrap());
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

    fn tables(rows: &[[usize; 2]]) -> Vec<Confusion> {
        let table = |[x, y]: &[usize; 2]| Confusion::of_labels(&[*x], &[*y], 3).unwrap();
        rows.iter().map(table).collect()
    }

    /// Without ties chance is a half whatever happens, and kappa 1 - 2 shares that disagree.
    #[test]
    fn without_ties_the_interval_is_that_of_the_share_that_disagrees() {
        let differs = |row: usize| row < 4;
        let rows = (0..20).map(|row| [2 * (row % 2), 2 * ((row + usize::from(differs(row))) % 2)]);
        let rows: Vec<[usize; 2]> = rows.collect();
        let found = preference_kappa_interval(&tables(&rows), 0.95).unwrap();
        let share = (0..20).map(|row| (f64::from(u8::from(differs(row))), 1.0));
        let share = crate::clustered_share(&share.collect::<Vec<_>>(), 0.95).unwrap();
        let [low, high] = share.interval.unwrap();
        assert!(
            (found.low.unwrap() - (1.0 - 2.0 * high)).abs() < 1e-12,
            "{found:?}"
        );
        assert!(
            (found.high.unwrap() - (1.0 - 2.0 * low)).abs() < 1e-12,
            "{found:?}"
        );
    }

    #[test]
    fn perfect_agreement_on_a_few_pairs_says_little() {
        let rows: Vec<[usize; 2]> = (0..10).map(|row| [2 * (row % 2); 2]).collect();
        let found = preference_kappa_interval(&tables(&rows), 0.95).unwrap();
        // 1 - 2 (1 - 0.025^(1/10)).
        assert!((found.low.unwrap() - 0.383).abs() < 1e-3, "{found:?}");
        assert_eq!(found.high, Some(1.0));
        let one = preference_kappa_interval(&tables(&rows[..1]), 0.95);
        assert_eq!(one, Err(Undefined::TooFewClusters { clusters: 1 }.into()));
        let ties = preference_kappa_interval(&tables(&[[1, 1]; 9]), 0.95);
        assert_eq!(ties, Err(Undefined::CertainByChance.into()));
        assert_eq!(
            preference_kappa_interval(&[], 0.95),
            Err(Undefined::NoData.into())
        );
        assert!(preference_kappa_interval(&tables(&rows), 1.0).is_err());
    }
}
