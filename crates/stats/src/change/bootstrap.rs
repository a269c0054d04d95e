//! The studentised bootstrap of a mean, or of what is made of several means.

use super::MeanChange;
use crate::inference::InferenceError;
use crate::{Bootstrap, Undefined, resample};

/// A statistic and its standard error on a resample.
#[derive(Clone, Copy)]
pub(super) struct Studentised {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// The mean of paired differences by the symmetric studentised bootstrap (Hall 1992, "The Bootstrap
/// and Edgeworth Expansion", section 3.6; Davison and Hinkley 1997, sections 2.4 and 4.4.1).
///
/// `differences` has one number for each independent item. In each of `plan.rounds` resamples of the
/// items t* = (mean* - mean) / se* is found; the interval is mean ± q se with q the share `level`
/// of
/// |t*|, and p = (1 + #{|t*| >= |mean| / se}) / (R + 1).
///
/// # Errors
/// A plan that cannot be run; a number that is not finite; fewer than 2 items; differences that do
/// not vary, or so seldom that too many resamples have none ([`Undefined::NoVariance`]).
pub fn paired_change(differences: &[f64], plan: &Bootstrap) -> Result<MeanChange, InferenceError> {
    check_finite(differences.iter().copied())?;
    studentised_bootstrap(differences.len(), plan, |weights| {
        mean_with_error(differences, weights)
    })
}

pub(super) fn check_finite(values: impl Iterator<Item = f64>) -> Result<(), InferenceError> {
    for (row, value) in values.enumerate() {
        if !value.is_finite() {
            let (field, expected) = ("difference", "");
            let odd = crate::Error::Value {
                row,
                field,
                value,
                expected,
            };
            return Err(odd.into());
        }
    }
    Ok(())
}

/// The weighted mean and its standard error.
fn mean_with_error(values: &[f64], weights: &[f64]) -> Option<Studentised> {
    let total: f64 = weights.iter().sum();
    let rows = || values.iter().zip(weights);
    let mean = rows().map(|(x, w)| x * w).sum::<f64>() / total;
    let squares: f64 = rows().map(|(x, w)| w * (x - mean).powi(2)).sum();
    Some(Studentised {
        value: mean,
        error: (squares / (total * (total - 1.0))).sqrt(),
    })
}

/// Bootstraps a statistic of items that is given with its standard error; None where a resample has
/// no such statistic.
pub(super) fn studentised_bootstrap(
    items: usize,
    plan: &Bootstrap,
    statistic: impl Fn(&[f64]) -> Option<Studentised> + Sync,
) -> Result<MeanChange, InferenceError> {
    let clusters = items;
    let too_few = Undefined::TooFewClusters { clusters };
    let all = (items > 1).then(|| vec![1.0; items]).ok_or(too_few)?;
    let found = statistic(&all).ok_or(Undefined::NoData)?;
    if is_none(found.error, found.value) {
        return Err(Undefined::NoVariance.into());
    }
    let distances = resample(items, plan, |weights| distance(&statistic, weights, found))?;
    summarise(found, distances, plan.level)
}

/// Whether a standard error is but the rounding of a value that does not vary.
fn is_none(error: f64, value: f64) -> bool {
    error <= 1e-12 * value.abs().max(f64::MIN_POSITIVE)
}

/// |t*| of a resample; infinite where its statistic does not vary or is not there.
fn distance(
    statistic: impl Fn(&[f64]) -> Option<Studentised>,
    weights: &[f64],
    found: Studentised,
) -> f64 {
    let Some(drawn) = statistic(weights) else {
        return f64::INFINITY;
    };
    let gap = (drawn.value - found.value).abs();
    if is_none(drawn.error, drawn.value) {
        return f64::INFINITY;
    }
    gap / drawn.error
}

fn summarise(
    found: Studentised,
    mut distances: Vec<f64>,
    level: f64,
) -> Result<MeanChange, InferenceError> {
    distances.sort_by(f64::total_cmp);
    let reach = quantile(&distances, level) * found.error;
    if !reach.is_finite() {
        return Err(Undefined::NoVariance.into());
    }
    let t = (found.value / found.error).abs();
    let extreme = distances.len() - distances.partition_point(|drawn| *drawn < t);
    Ok(MeanChange {
        difference: found.value,
        standard_error: found.error,
        interval: [found.value - reach, found.value + reach],
        p_value: (1 + extreme) as f64 / (1 + distances.len()) as f64,
    })
}

/// The smallest of the ascending numbers that at least this share of them, and one more, do not
/// exceed.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = ((sorted.len() + 1) as f64 * share).ceil() as usize;
    sorted
        .get(place.max(1) - 1)
        .copied()
        .unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(count: usize, mut state: u64) -> Vec<f64> {
        let mut uniform = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count).map(|_| uniform() - uniform()).collect()
    }

    #[test]
    fn interval_and_p_value_agree() {
        for seed in 1..40 {
            let mut differences = draws(25, seed);
            differences.iter_mut().for_each(|x| *x += 0.15);
            let found = paired_change(&differences, &Bootstrap::default()).unwrap();
            let apart = found.interval[0] > 0.0 || found.interval[1] < 0.0;
            assert_eq!(apart, found.p_value < 0.05, "{found:?}");
        }
    }

    #[test]
    fn it_is_the_t_interval_for_many_items() {
        let found = paired_change(&draws(4000, 5), &Bootstrap::default()).unwrap();
        let reach = (found.interval[1] - found.interval[0]) / 2.0;
        assert!(
            (reach / found.standard_error - 1.96).abs() < 0.12,
            "{found:?}"
        );
    }

    #[test]
    fn threads_do_not_matter() {
        let plan = |threads| Bootstrap {
            threads,
            ..Bootstrap::default()
        };
        let differences = draws(60, 3);
        let run = |threads| paired_change(&differences, &plan(threads)).unwrap();
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn what_is_undefined_is_said() {
        let run = |differences: &[f64]| paired_change(differences, &Bootstrap::default());
        let none = InferenceError::Undefined(Undefined::NoVariance);
        assert_eq!(run(&[0.3; 20]), Err(none.clone()));
        assert_eq!(run(&[0.0, 0.0, 0.0, 0.0, 1.0]), Err(none));
        assert!(run(&[1.0]).is_err() && run(&[]).is_err());
        assert!(run(&[1.0, f64::NAN]).is_err());
    }
}
