//! Length-controlled win rates: what a model would win from the reference if its outputs were as
//! long.

use super::climb::climb;
use super::design::Design;
use super::input::{
    check_column, check_covariate, check_optional, check_row_count, run_on_threads,
};
use super::logistic::{Chance, chance_at};
use super::newton::Maximum;
use super::normalise::varied_spread;
use super::sandwich::{self, NormalInterval};
use super::{ControlError, pass};
use crate::checks::{above_rounding, check_clusters, check_level, check_probability, check_some};
use crate::linear::{error_of_mean, largest, mean, sample_deviation};
use crate::special::two_sided_quantile;
use crate::{Fit, Undefined};

/// The weights of the model, in log-odds that the model (not the reference) is preferred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthWeights {
    /// The worth of the model: `w_model`, or theta.
    pub model: f64,
    /// The worth of the reference being longer: `w_length`, or phi; as a rule negative.
    pub length: f64,
    /// The worth of an instruction's difficulty: `w_difficulty`, or psi; 0 if none was given.
    pub difficulty: f64,
}

impl LengthWeights {
    /// The chance that the model is preferred on an instruction of this difficulty, at equal
    /// lengths.
    fn chance_at(&self, difficulty: f64) -> Chance {
        chance_at(self.model + self.difficulty * difficulty)
    }
}

/// One model's preferences, in columns with one entry for each item.
#[derive(Clone, Copy, Debug)]
pub struct Preferences<'a> {
    /// The share or probability, from 0 to 1, with which the model was preferred to the reference;
    /// None without a verdict: such an item is not fitted, but counts in the mean.
    pub preferred: &'a [Option<f64>],
    /// [`length_feature`]: above 0 where the reference's output is longer.
    pub length: &'a [f64],
    /// The difficulty of each instruction; None leaves it out of the model.
    pub difficulty: Option<&'a [f64]>,
}

/// A fitted length-controlled win rate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LengthControlled {
    /// The win rate at equal lengths, from 0 to 1.
    pub win_rate: f64,
    /// Its standard error and interval, which is normal on the log-odds scale, so that it stays
    /// within 0 and 1. The items are taken as a sample; a given difficulty is taken as known.
    pub interval: Result<NormalInterval, Undefined>,
    /// The mean of the preferences themselves.
    pub raw_win_rate: f64,
    /// The weights.
    pub weights: LengthWeights,
    /// Sandwich (HC0) intervals of `model`, `length` and `difficulty`; None where the data do not
    /// vary, or it was left out.
    pub weight_intervals: [Option<NormalInterval>; 3],
    /// Items with a preference.
    pub items: usize,
    /// How the fit ended.
    pub fit: Fit,
}

/// The length feature of each item, `tanh((reference - model) / sd)`, where sd is the sample
/// standard deviation of the differences (Dubois et al. 2024, equation 2; the sign is that of the
/// published weights: output 1 is the reference). Lengths in any unit (AlpacaEval: Unicode
/// characters), 0 to 1e30.
///
/// # Errors
/// Columns of different lengths, a bad length, differences that do not vary.
pub fn length_feature(reference: &[f64], model: &[f64]) -> Result<Vec<f64>, ControlError> {
    check_column("model", model.len(), reference.len())?;
    check_covariate(0, reference)?;
    check_covariate(1, model)?;
    let differences: Vec<f64> = reference.iter().zip(model).map(|(r, m)| r - m).collect();
    let rounding = 1e-12 * largest(&differences);
    let sd = varied_spread(sample_deviation(&differences), rounding, differences.len())?;
    Ok(differences.iter().map(|x| (x / sd).tanh()).collect())
}

/// The win rate at equal lengths, from 0 to 1: the mean over instructions of `1 / (1 +
/// exp(-(w_model + w_difficulty * difficulty)))` (Dubois et al. 2024, section 3; AlpacaEval 2). For
/// two models of which neither is the reference, give the difference of their weights.
///
/// # Errors
/// A weight or difficulty that is not between -1e30 and 1e30; no instructions
/// ([`Undefined::NoData`]).
pub fn length_controlled_win_rate(
    weights: &LengthWeights,
    difficulty: &[f64],
) -> Result<f64, ControlError> {
    check_covariate(0, &[weights.model, weights.difficulty])?;
    check_covariate(1, difficulty)?;
    check_some(difficulty.len())?;
    let wins = difficulty.iter().map(|&d| weights.chance_at(d).wins);
    Ok(wins.sum::<f64>() / difficulty.len() as f64)
}

/// The standard error of [`length_controlled_win_rate`] where the instructions are a sample and the
/// weights are known: the sample standard deviation of their chances over the square root of their
/// number (AlpacaEval's `lc_standard_error`). It says nothing of how uncertain the weights are.
///
/// # Errors
/// As [`length_controlled_win_rate`]; fewer than two instructions, chances that do not vary.
pub fn length_controlled_error(
    weights: &LengthWeights,
    difficulty: &[f64],
) -> Result<f64, ControlError> {
    let mean = length_controlled_win_rate(weights, difficulty)?;
    check_clusters(difficulty.len())?;
    let chances: Vec<f64> = difficulty
        .iter()
        .map(|&d| weights.chance_at(d).wins)
        .collect();
    Ok(above_rounding(error_of_mean(&chances, mean), 1e-15)?)
}

/// The weights by maximum likelihood in `log odds(model preferred) = w_model + w_length * length +
/// w_difficulty * difficulty`, for preferences that may be fractions (the log-loss;
/// quasi-binomial), and the win rate at `length` 0.
///
/// AlpacaEval's own fit differs: an L1 penalty whose strength is chosen by five-fold
/// cross-validation, and two further baselines with weight 0.1 each, which draw the weights towards
/// what they do to a model known to be padded.
///
/// `level` is the coverage of the intervals, strictly between 0 and 1.
///
/// # Errors
/// A column of another length, a value out of range; [`ControlError::Collinear`] and
/// [`ControlError::Separated`], where covariate 0 is the length, 1 the constant and 2 the
/// difficulty; [`ControlError::TooFewRows`].
pub fn fit_length_control(
    data: &Preferences,
    level: f64,
) -> Result<LengthControlled, ControlError> {
    check_level(level)?;
    let items = data.preferred.len();
    check_column("length", data.length.len(), items)?;
    check_optional("difficulty", data.difficulty, items)?;
    for (row, preferred) in data.preferred.iter().enumerate() {
        if let Some(share) = *preferred {
            check_probability(row, "preferred", share)?;
        }
    }
    check_covariate(0, data.length)?;
    check_covariate(2, data.difficulty.unwrap_or(&[]))?;
    run_on_threads(1, || fit_weights(data, level))?
}

fn fit_weights(data: &Preferences, level: f64) -> Result<LengthControlled, ControlError> {
    // The items with a preference: length, constant and, if there is one, difficulty.
    let judged_values = |column: &[f64]| -> Vec<f64> {
        let judged = column.iter().zip(data.preferred);
        let judged = judged.filter(|(_, preferred)| preferred.is_some());
        judged.map(|(&x, _)| x).collect()
    };
    let won: Vec<f64> = data.preferred.iter().copied().flatten().collect();
    let ones = vec![1.0; won.len()];
    let mut columns = vec![judged_values(data.length), ones.clone()];
    columns.extend(data.difficulty.map(judged_values));
    let design = Design::of_columns(won, ones, columns);
    check_row_count(design.rows(), design.columns.len())?;
    let found = climb(&design, &vec![0.0; design.columns.len()], 0.0)?;
    // A weight that was not fitted is 0.
    let weight = |i: usize| found.at.get(i).copied().unwrap_or(0.0);
    let weights = LengthWeights {
        length: weight(0),
        model: weight(1),
        difficulty: weight(2),
    };
    let difficulties = data
        .difficulty
        .map_or_else(|| vec![0.0; data.preferred.len()], <[f64]>::to_vec);
    let win_rate = length_controlled_win_rate(&weights, &difficulties)?;
    let n = design.size();
    let scale = design.scale();
    let spread = pass::spread_of_rows(&design, &found.at);
    let covariance = sandwich::covariance_matrix(&found.factor, spread, n);
    let quantile = two_sided_quantile(level);
    let weight_interval = |i: usize| {
        let variance = *covariance.get(i * n + i)?;
        NormalInterval::new(found.at[i], variance, scale[i], quantile)
    };
    Ok(LengthControlled {
        win_rate,
        interval: interval_of_win_rate(
            data,
            &difficulties,
            &design,
            &found,
            (weights, win_rate),
            level,
        ),
        raw_win_rate: mean(&design.won),
        weights,
        // The third is there only if a difficulty was given.
        weight_intervals: [weight_interval(1), weight_interval(0), weight_interval(2)],
        items: design.rows(),
        fit: found.fit,
    })
}

/// The variance is the sum over items of the squared influence: what the item's own chance adds to
/// the mean, and what its preference adds through the weights (the delta method).
fn interval_of_win_rate(
    data: &Preferences,
    difficulties: &[f64],
    design: &Design,
    found: &Maximum,
    (weights, win_rate): (LengthWeights, f64),
    level: f64,
) -> Result<NormalInterval, Undefined> {
    check_clusters(design.rows())?;
    let items = difficulties.len() as f64;
    // A^-1 times the gradient of the mean chance.
    let mut direction = vec![0.0; found.at.len()];
    for &difficulty in difficulties {
        let slope = weights.chance_at(difficulty).slope;
        for (sum, x) in direction.iter_mut().zip([0.0, 1.0, difficulty]) {
            *sum += slope * x / items;
        }
    }
    found.factor.solve(&mut direction);
    // Only items with a preference have a surprise.
    let surprises = pass::surprises(design, &found.at);
    let mut surprises = surprises.iter();
    let squares = difficulties.iter().enumerate().map(|(i, &difficulty)| {
        let judged = data.preferred[i].and_then(|_| surprises.next());
        let surprise = *judged.unwrap_or(&0.0);
        let row = [data.length[i], 1.0, difficulty];
        let lead: f64 = direction.iter().zip(row).map(|(d, x)| d * x).sum();
        let own = (weights.chance_at(difficulty).wins - win_rate) / items;
        let influence = own + surprise * lead;
        influence * influence
    });
    let variance = squares.sum();
    on_log_odds(win_rate, variance, level).ok_or(Undefined::NoVariance)
}

fn on_log_odds(share: f64, variance: f64, level: f64) -> Option<NormalInterval> {
    let stretch = share * (1.0 - share);
    let log_odds = (share / (1.0 - share)).ln();
    let variance_of_odds = variance / (stretch * stretch);
    let quantile = two_sided_quantile(level);
    let odds = NormalInterval::new(log_odds, variance_of_odds, 1.0, quantile)?;
    Some(NormalInterval {
        value: share,
        standard_error: variance.sqrt(),
        low: chance_at(odds.low).wins,
        high: chance_at(odds.high).wins,
    })
}
