//! The statistics as functions of numbers. Texts, names and results with names are Python's
//! (`python/evenhand/stats.py`).

use evenhand_stats::prediction_powered::{self, Judged, Labelled, Measured, Tuning};
use evenhand_stats::{
    Bootstrap, Bounded, Comparison, Comparisons, Confusion, Correlation, Disagreement, Estimate,
    Interval, Measurement, StrengthScale,
};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt::Display;

create_exception!(
    evenhand.stats,
    StatisticsError,
    PyValueError,
    "Numbers that a statistic cannot be made of, or of which it is undefined."
);

fn refuse(error: impl Display) -> PyErr {
    StatisticsError::new_err(error.to_string())
}

/// The correlation of two lists: `pearson`, `spearman` or `kendall`.
#[pyfunction]
pub(crate) fn correlate(name: &str, x: Vec<f64>, y: Vec<f64>) -> PyResult<f64> {
    correlation_named(name)?.correlate(&x, &y).map_err(refuse)
}

/// Its bootstrap interval; an end is None where it is not finite.
#[pyfunction]
pub(crate) fn correlation_interval(
    name: &str,
    x: Vec<f64>,
    y: Vec<f64>,
    plan: (usize, f64, u64),
) -> PyResult<(Option<f64>, Option<f64>)> {
    let which = correlation_named(name)?;
    let interval = evenhand_stats::correlation_interval(&x, &y, which, &bootstrap(plan));
    ends_of(interval)
}

/// The ends of an interval, None where there is none: the value is there without it, as where all
/// agree and every resample says the same.
fn ends_of(
    interval: Result<Interval, evenhand_stats::Error>,
) -> PyResult<(Option<f64>, Option<f64>)> {
    match interval {
        Ok(found) => Ok((found.low, found.high)),
        Err(evenhand_stats::Error::Undefined(_)) => Ok((None, None)),
        Err(error) => Err(refuse(error)),
    }
}

fn correlation_named(name: &str) -> PyResult<Correlation> {
    match name {
        "pearson" => Ok(Correlation::Pearson),
        "spearman" => Ok(Correlation::Spearman),
        "kendall" => Ok(Correlation::KendallTauB),
        name => Err(refuse(format!("no correlation is called {name}"))),
    }
}

/// Rounds, level and seed as the plan of a bootstrap.
fn bootstrap((rounds, level, seed): (usize, f64, u64)) -> Bootstrap {
    Bootstrap {
        rounds,
        level,
        seed,
        threads: 1,
    }
}

/// tau_u of scores against ratings with intervals `(score, low, high)`: the tau, the share of pairs
/// that count, and how many pairs people tell apart.
#[pyfunction]
pub(crate) fn tau_u(
    scores: Vec<f64>,
    ratings: Vec<(f64, f64, f64)>,
    u: f64,
) -> PyResult<(f64, f64, u64)> {
    let bounded = |(score, low, high)| Bounded { score, low, high };
    let ratings: Vec<Bounded> = ratings.into_iter().map(bounded).collect();
    let found = evenhand_stats::tau_u(&scores, &ratings, u).map_err(refuse)?;
    Ok((found.tau, found.share, found.told_apart))
}

/// Cohen's kappa of labels that are numbers from 0, and its standard error where it has one.
#[pyfunction]
pub(crate) fn cohen_kappa(
    first: Vec<usize>,
    second: Vec<usize>,
    categories: usize,
    weights: &str,
) -> PyResult<(f64, Option<f64>)> {
    let weights = match weights {
        "linear" => Disagreement::Linear,
        "quadratic" => Disagreement::Quadratic,
        "any" => Disagreement::Any,
        other => return Err(refuse(format!("no weights are called {other}"))),
    };
    let table = Confusion::of_labels(&first, &second, categories).map_err(refuse)?;
    let kappa = evenhand_stats::cohen_kappa(&table, weights).map_err(refuse)?;
    Ok((kappa.value, kappa.standard_error.ok()))
}

/// Alpha, the ends of its interval, units and ratings.
type AlphaFound = (f64, Option<f64>, Option<f64>, usize, usize);

/// Krippendorff's alpha, its interval over units, and how many units and ratings it rests
/// on.
#[pyfunction]
pub(crate) fn krippendorff_alpha(
    units: Vec<Vec<Option<f64>>>,
    scale: &str,
    level: f64,
) -> PyResult<AlphaFound> {
    let scale = match scale {
        "nominal" => Measurement::Nominal,
        "ordinal" => Measurement::Ordinal,
        "interval" => Measurement::Interval,
        "ratio" => Measurement::Ratio,
        name => {
            return Err(refuse(format!(
                "level={name}: expected nominal, ordinal, interval or ratio"
            )));
        }
    };
    let alpha = evenhand_stats::krippendorff_alpha(&units, scale).map_err(refuse)?;
    let interval = evenhand_stats::krippendorff_alpha_interval(&units, scale, level);
    let (low, high) = ends_of(interval)?;
    Ok((alpha.value, low, high, alpha.units, alpha.ratings))
}

/// McNemar's exact p-value and the p-value of its corrected chi-square.
#[pyfunction]
pub(crate) fn mcnemar(only_first: u32, only_second: u32) -> PyResult<(f64, f64)> {
    let found = evenhand_stats::mcnemar(only_first, only_second).map_err(refuse)?;
    Ok((found.exact_p, found.corrected_p))
}

/// A share with its Wilson interval.
#[pyfunction]
pub(crate) fn wilson(successes: f64, trials: f64, level: f64) -> PyResult<(f64, f64, f64)> {
    let share = evenhand_stats::wilson(successes, trials, level).map_err(refuse)?;
    Ok((share.value, share.low, share.high))
}

/// Adjusted p-values by `holm` or `benjamini-hochberg`.
#[pyfunction]
pub(crate) fn adjust(name: &str, p: Vec<f64>) -> PyResult<Vec<f64>> {
    match name {
        "holm" => evenhand_stats::holm(&p).map_err(refuse),
        "benjamini-hochberg" => evenhand_stats::benjamini_hochberg(&p).map_err(refuse),
        other => Err(refuse(format!("no adjustment is called {other}"))),
    }
}

/// A value with its standard error and the ends of its interval, where it has them.
type Powered = (f64, Option<f64>, Option<f64>, Option<f64>);

/// A prediction-powered mean, the mean of the labels alone, the lambda, and how many labels alone
/// would be as exact. Rows are `(cluster, human, judge)` and `(cluster, judge)`.
#[pyfunction]
pub(crate) fn ppi_mean(
    labelled: Vec<(u32, f64, f64)>,
    judged: Vec<(u32, f64)>,
    power: Option<f64>,
    level: f64,
) -> PyResult<(Powered, Powered, f64, Option<f64>)> {
    let labelled = labelled.into_iter();
    let labelled: Vec<Labelled> = labelled
        .map(|(cluster, human, judge)| Labelled {
            cluster,
            human,
            judge,
        })
        .collect();
    let judged = judged.into_iter();
    let judged: Vec<Judged> = judged
        .map(|(cluster, judge)| Judged { cluster, judge })
        .collect();
    let tuning = power.map_or(Tuning::Tuned, Tuning::Given);
    let found = prediction_powered::mean(&labelled, &judged, tuning, level).map_err(refuse)?;
    let effective = found.effective_labels.as_ref().ok().copied();
    let (estimate, alone) = (describe(&found.estimate), describe(&found.labels_only));
    Ok((estimate, alone, found.lambda, effective))
}

fn describe(measured: &Measured) -> Powered {
    match &measured.uncertainty {
        Ok(found) => (
            measured.value,
            Some(found.standard_error),
            Some(found.low),
            Some(found.high),
        ),
        Err(_) => (measured.value, None, None, None),
    }
}

/// Bradley-Terry strengths of systems that are numbers from 0. A row is `(a, b, outcome, weight)`
/// with the outcome for `a`: 1, 0.5 or 0. A strength is infinite where a system won or lost
/// everything, and NaN where the data do not determine it.
#[pyfunction]
pub(crate) fn bradley_terry(
    systems: usize,
    rows: Vec<(u16, u16, f64, f64)>,
    elo: bool,
) -> PyResult<Vec<f64>> {
    let rows = rows.into_iter();
    let rows: Vec<Comparison> = rows
        .map(|(a, b, outcome, weight)| Comparison {
            item: 0,
            a,
            b,
            wins_a: outcome * weight,
            ties: 0.0,
            wins_b: (1.0 - outcome) * weight,
        })
        .collect();
    let data = Comparisons::new(systems, rows).map_err(refuse)?;
    let scale = if elo {
        StrengthScale::Elo
    } else {
        StrengthScale::LogOdds
    };
    let fitted = evenhand_stats::bradley_terry(&data.tally());
    let strengths = fitted.scores.estimates.iter();
    Ok(strengths
        .map(|strength| match *strength {
            Estimate::Finite(value) => scale.from_log_odds(value),
            Estimate::PlusInfinity => f64::INFINITY,
            Estimate::MinusInfinity => f64::NEG_INFINITY,
            Estimate::Undefined(_) => f64::NAN,
        })
        .collect())
}

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let error = module.py().get_type::<StatisticsError>();
    module.add("StatisticsError", error)?;
    module.add_function(wrap_pyfunction!(correlate, module)?)?;
    module.add_function(wrap_pyfunction!(correlation_interval, module)?)?;
    module.add_function(wrap_pyfunction!(tau_u, module)?)?;
    module.add_function(wrap_pyfunction!(cohen_kappa, module)?)?;
    module.add_function(wrap_pyfunction!(krippendorff_alpha, module)?)?;
    module.add_function(wrap_pyfunction!(mcnemar, module)?)?;
    module.add_function(wrap_pyfunction!(wilson, module)?)?;
    module.add_function(wrap_pyfunction!(adjust, module)?)?;
    module.add_function(wrap_pyfunction!(ppi_mean, module)?)?;
    module.add_function(wrap_pyfunction!(bradley_terry, module)?)
}
