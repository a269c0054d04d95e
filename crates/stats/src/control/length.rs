//! Length-controlled win rates: what a model would win from the reference if its outputs were as
//! long.

use super::climb::climb;
use super::design::Design;
use super::input::{check_covariate, check_share, on_threads, same_length};
use super::logistic::{Chance, chance};
use super::newton::Maximum;
use super::sandwich::{self, NormalInterval};
use super::{ControlError, pass};
use crate::{Fit, Undefined};

/// The weights of the model, in log-odds that the model (not the reference) is preferred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthWeights {
    /// What the model is worth: `w_model`, or theta.
    pub model: f64,
    /// What the reference being longer is worth: `w_length`, or phi; as a rule negative.
    pub length: f64,
    /// What an instruction's difficulty is worth: `w_difficulty`, or psi; 0 if none was given.
    pub difficulty: f64,
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
    same_length(reference.len(), [("model".to_string(), model.len())])?;
    check_covariate(0, reference)?;
    check_covariate(1, model)?;
    let differences: Vec<f64> = reference.iter().zip(model).map(|(r, m)| r - m).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let sd = (differences
        .iter()
        .map(|x| (x - mean) * (x - mean))
        .sum::<f64>()
        / (n - 1.0))
        .sqrt();
    let largest = differences
        .iter()
        .fold(0.0, |most, x| f64::max(most, x.abs()));
    if !sd.is_finite() || sd <= 1e-12 * largest {
        return Err(ControlError::Constant {
            rows: differences.len(),
        });
    }
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
    if difficulty.is_empty() {
        return Err(Undefined::NoData.into());
    }
    let wins = |d: &f64| chance(weights.model + weights.difficulty * d).wins;
    Ok(difficulty.iter().map(wins).sum::<f64>() / difficulty.len() as f64)
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
    let n = difficulty.len();
    if n < 2 {
        return Err(Undefined::TooFewClusters { clusters: n }.into());
    }
    let beyond = |d: &f64| chance(weights.model + weights.difficulty * d).wins - mean;
    let squares: f64 = difficulty.iter().map(beyond).map(|x| x * x).sum();
    let error = (squares / (n - 1) as f64 / n as f64).sqrt();
    if error > 1e-15 {
        Ok(error)
    } else {
        Err(Undefined::NoVariance.into())
    }
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
    crate::bootstrap::check_level(level)?;
    check(data)?;
    on_threads(1, || fit(data, level))?
}

fn check(data: &Preferences) -> Result<(), ControlError> {
    let difficulty = data.difficulty.map(|d| ("difficulty".to_string(), d.len()));
    let lengths = [("length".to_string(), data.length.len())]
        .into_iter()
        .chain(difficulty);
    same_length(data.preferred.len(), lengths)?;
    for (row, preferred) in data.preferred.iter().enumerate() {
        preferred.map_or(Ok(()), |share| check_share(row, "preferred", share))?;
    }
    check_covariate(0, data.length)?;
    check_covariate(2, data.difficulty.unwrap_or(&[]))
}

fn fit(data: &Preferences, level: f64) -> Result<LengthControlled, ControlError> {
    let design = design(data);
    let (items, parameters) = (design.won.len(), design.columns.len());
    if items < parameters {
        return Err(ControlError::TooFewRows {
            rows: items,
            parameters,
        });
    }
    let found = climb(&design, &vec![0.0; parameters], 0.0)?;
    let weight = |i: usize| found.at.get(i).copied().unwrap_or(0.0);
    let weights = LengthWeights {
        length: weight(0),
        model: weight(1),
        difficulty: weight(2),
    };
    let win_rate = length_controlled_win_rate(&weights, &difficulties(data))?;
    let raw_win_rate = design.won.iter().sum::<f64>() / items as f64;
    let [length, model, difficulty] = weight_intervals(&design, &found, level);
    Ok(LengthControlled {
        win_rate,
        interval: interval(data, &design, &found, win_rate, level),
        raw_win_rate,
        weights,
        weight_intervals: [model, length, difficulty],
        items,
        fit: found.fit,
    })
}

fn difficulties(data: &Preferences) -> Vec<f64> {
    data.difficulty
        .map_or_else(|| vec![0.0; data.preferred.len()], <[f64]>::to_vec)
}

/// The items with a preference: length, constant and, if there is one, difficulty.
fn design(data: &Preferences) -> Design {
    let judged = |column: &[f64]| -> Vec<f64> {
        column
            .iter()
            .zip(data.preferred)
            .filter_map(|(&x, preferred)| preferred.map(|_| x))
            .collect()
    };
    let won: Vec<f64> = data.preferred.iter().copied().flatten().collect();
    let ones = vec![1.0; won.len()];
    let mut columns = vec![judged(data.length), ones.clone()];
    columns.extend(data.difficulty.map(judged));
    Design::of_columns(won, ones, columns)
}

fn weight_intervals(design: &Design, found: &Maximum, level: f64) -> [Option<NormalInterval>; 3] {
    let (n, scale) = (design.size(), design.scale());
    let covariance = sandwich::covariance(&found.factor, sandwich::spread(design, &found.at).0, n);
    let one = |i: usize| NormalInterval::new(found.at[i], covariance[i * n + i], scale[i], level);
    std::array::from_fn(|i| (i < n).then(|| one(i)).flatten())
}

/// The variance is the sum over items of the squared influence: what the item's own chance adds to
/// the mean, and what its preference adds through the weights (the delta method).
fn interval(
    data: &Preferences,
    design: &Design,
    found: &Maximum,
    win_rate: f64,
    level: f64,
) -> Result<NormalInterval, Undefined> {
    let items = data.preferred.len();
    if design.won.len() < 2 {
        return Err(Undefined::TooFewClusters {
            clusters: design.won.len(),
        });
    }
    let predicted = |i: usize| {
        let difficulty = data.difficulty.map_or(0.0, |d| d[i]);
        let weight = found.at.get(2).copied().unwrap_or(0.0);
        (difficulty, chance(found.at[1] + weight * difficulty))
    };
    let direction = pull(found, (0..items).map(predicted), items as f64);
    let mut surprises = pass::surprises(design, &found.at).into_iter();
    let influence = |i: usize| {
        let (difficulty, chance) = predicted(i);
        let row = [data.length[i], 1.0, difficulty];
        let lead: f64 = direction.iter().zip(row).map(|(d, x)| d * x).sum();
        let surprise = data.preferred[i]
            .and_then(|_| surprises.next())
            .unwrap_or(0.0);
        (chance.wins - win_rate) / items as f64 + surprise * lead
    };
    let variance: f64 = (0..items).map(influence).map(|x| x * x).sum();
    on_log_odds(win_rate, variance, level).ok_or(Undefined::NoVariance)
}

/// A^-1 times the gradient of the mean chance.
fn pull(found: &Maximum, predicted: impl Iterator<Item = (f64, Chance)>, items: f64) -> Vec<f64> {
    let mut gradient = vec![0.0; found.at.len()];
    for (difficulty, chance) in predicted {
        gradient
            .iter_mut()
            .zip([0.0, 1.0, difficulty])
            .for_each(|(sum, x)| *sum += chance.slope * x / items);
    }
    found.factor.solve(&mut gradient);
    gradient
}

fn on_log_odds(share: f64, variance: f64, level: f64) -> Option<NormalInterval> {
    let stretch = share * (1.0 - share);
    let odds = NormalInterval::new(
        (share / (1.0 - share)).ln(),
        variance / (stretch * stretch),
        1.0,
        level,
    )?;
    let back = |x: f64| chance(x).wins;
    Some(NormalInterval {
        value: share,
        standard_error: variance.sqrt(),
        low: back(odds.low),
        high: back(odds.high),
    })
}
