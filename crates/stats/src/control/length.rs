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
use crate::linear::{largest, mean, sample_deviation};
use crate::{Error, Fit, Undefined};

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
    let sd = spread_of(&differences)?;
    Ok(differences.iter().map(|x| (x / sd).tanh()).collect())
}

/// The sample standard deviation of differences that vary by more than rounding.
fn spread_of(differences: &[f64]) -> Result<f64, ControlError> {
    let rounding = 1e-12 * largest(differences);
    varied_spread(sample_deviation(differences), rounding, differences.len())
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
    let beyond = difficulty.iter().map(|&d| weights.chance_at(d).wins - mean);
    let squares = beyond.map(|x| x * x).sum();
    Ok(error_of_mean(squares, difficulty.len())?)
}

/// The standard error of the mean of n numbers, from the squares of what is beyond it.
fn error_of_mean(squares: f64, n: usize) -> Result<f64, Undefined> {
    above_rounding((squares / (n - 1) as f64 / n as f64).sqrt(), 1e-15)
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
    check_columns(data)?;
    run_on_threads(1, || fit_weights(data, level))?
}

fn check_columns(data: &Preferences) -> Result<(), ControlError> {
    let items = data.preferred.len();
    check_column("length", data.length.len(), items)?;
    check_optional("difficulty", data.difficulty, items)?;
    check_shares(data.preferred)?;
    check_covariate(0, data.length)?;
    check_covariate(2, data.difficulty.unwrap_or(&[]))
}

fn check_shares(preferred: &[Option<f64>]) -> Result<(), Error> {
    for (row, preferred) in preferred.iter().enumerate() {
        if let Some(share) = *preferred {
            check_probability(row, "preferred", share)?;
        }
    }
    Ok(())
}

fn fit_weights(data: &Preferences, level: f64) -> Result<LengthControlled, ControlError> {
    let design = design_of_judged(data);
    check_row_count(design.rows(), design.columns.len())?;
    let found = climb(&design, &vec![0.0; design.columns.len()], 0.0)?;
    let weights = weights_at(&found.at);
    let win_rate = length_controlled_win_rate(&weights, &difficulties(data))?;
    let estimate = WinRate {
        data,
        weights,
        win_rate,
        level,
    };
    Ok(LengthControlled {
        win_rate,
        interval: estimate.interval(&design, &found),
        raw_win_rate: mean(&design.won),
        weights,
        weight_intervals: weight_intervals(&design, &found, level),
        items: design.rows(),
        fit: found.fit,
    })
}

/// The weights from the coefficients of length, constant and difficulty.
fn weights_at(at: &[f64]) -> LengthWeights {
    LengthWeights {
        length: weight_or_zero(at, 0),
        model: weight_or_zero(at, 1),
        difficulty: weight_or_zero(at, 2),
    }
}

/// A weight that was not fitted is 0.
fn weight_or_zero(at: &[f64], i: usize) -> f64 {
    at.get(i).copied().unwrap_or(0.0)
}

fn difficulties(data: &Preferences) -> Vec<f64> {
    data.difficulty
        .map_or_else(|| vec![0.0; data.preferred.len()], <[f64]>::to_vec)
}

/// The items with a preference: length, constant and, if there is one, difficulty.
fn design_of_judged(data: &Preferences) -> Design {
    let won: Vec<f64> = data.preferred.iter().copied().flatten().collect();
    let ones = vec![1.0; won.len()];
    let mut columns = vec![judged_values(data, data.length), ones.clone()];
    columns.extend(data.difficulty.map(|column| judged_values(data, column)));
    Design::of_columns(won, ones, columns)
}

/// The values of a column at the items with a preference.
fn judged_values(data: &Preferences, column: &[f64]) -> Vec<f64> {
    let judged = column.iter().zip(data.preferred);
    judged
        .filter_map(|(&x, preferred)| preferred.map(|_| x))
        .collect()
}

/// In the order of [`LengthControlled::weight_intervals`].
fn weight_intervals(design: &Design, found: &Maximum, level: f64) -> [Option<NormalInterval>; 3] {
    let (n, scale) = (design.size(), design.scale());
    let spread = sandwich::gradient_spread(design, &found.at).0;
    let covariance = sandwich::covariance_matrix(&found.factor, spread, n);
    let interval = |i: usize| {
        let variance = *covariance.get(i * n + i)?;
        NormalInterval::new(found.at[i], variance, scale[i], level)
    };
    // The third is there only if a difficulty was given.
    [interval(1), interval(0), interval(2)]
}

/// A win rate whose interval is wanted.
struct WinRate<'a> {
    data: &'a Preferences<'a>,
    weights: LengthWeights,
    win_rate: f64,
    level: f64,
}

impl WinRate<'_> {
    /// The variance is the sum over items of the squared influence: what the item's own chance adds
    /// to the mean, and what its preference adds through the weights (the delta method).
    fn interval(&self, design: &Design, found: &Maximum) -> Result<NormalInterval, Undefined> {
        check_clusters(design.rows())?;
        let direction = self.pull(found);
        let surprises = pass::surprises(design, &found.at);
        let variance = self.variance(&surprises, &direction);
        on_log_odds(self.win_rate, variance, self.level).ok_or(Undefined::NoVariance)
    }

    /// `surprises` holds those of the items with a preference.
    fn variance(&self, surprises: &[f64], direction: &[f64]) -> f64 {
        let mut surprises = surprises.iter();
        let squares = self.items().map(|(i, difficulty)| {
            let judged = self.data.preferred[i].and_then(|_| surprises.next());
            let influence = self.influence(i, difficulty, *judged.unwrap_or(&0.0), direction);
            influence * influence
        });
        squares.sum()
    }

    /// All items with their difficulty.
    fn items(&self) -> impl Iterator<Item = (usize, f64)> {
        let difficulty = self.data.difficulty;
        (0..self.data.preferred.len()).map(move |i| (i, difficulty.map_or(0.0, |d| d[i])))
    }

    fn influence(&self, i: usize, difficulty: f64, surprise: f64, direction: &[f64]) -> f64 {
        let items = self.data.preferred.len() as f64;
        let row = [self.data.length[i], 1.0, difficulty];
        let lead: f64 = direction.iter().zip(row).map(|(d, x)| d * x).sum();
        (self.weights.chance_at(difficulty).wins - self.win_rate) / items + surprise * lead
    }

    /// A^-1 times the gradient of the mean chance.
    fn pull(&self, found: &Maximum) -> Vec<f64> {
        let items = self.data.preferred.len() as f64;
        let mut gradient = vec![0.0; found.at.len()];
        for (_, difficulty) in self.items() {
            let slope = self.weights.chance_at(difficulty).slope;
            for (sum, x) in gradient.iter_mut().zip([0.0, 1.0, difficulty]) {
                *sum += slope * x / items;
            }
        }
        found.factor.solve(&mut gradient);
        gradient
    }
}

fn on_log_odds(share: f64, variance: f64, level: f64) -> Option<NormalInterval> {
    let stretch = share * (1.0 - share);
    let log_odds = (share / (1.0 - share)).ln();
    let odds = NormalInterval::new(log_odds, variance / (stretch * stretch), 1.0, level)?;
    Some(NormalInterval {
        value: share,
        standard_error: variance.sqrt(),
        low: chance_at(odds.low).wins,
        high: chance_at(odds.high).wins,
    })
}
