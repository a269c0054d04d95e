//! Bradley-Terry strengths from a panel of judges, each with a discrimination of its own.

mod cells;
mod likelihood;
mod resampled;

use super::ascent::maximise;
use super::bradley_terry_near;
use super::tie_model::{replace_strengths, shift_to_origin};
use crate::index::finite_systems;
use crate::linear::mean;
use crate::{BradleyTerry, Comparison, Error, Estimate, Fit, Scores, Undefined};
use cells::{Cell, Cells};
use likelihood::Panel;
pub use resampled::{JudgeAwareResampled, JudgeStanding, resample_judge_aware};

/// Below this mean discrimination (of a fit whose strengths may be as large) judges cancel out.
const NO_MEAN: f64 = 1e-3;

/// One judged comparison, and who judged it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedComparison {
    /// The judge, from 0.
    pub judge: u16,
    /// What was judged.
    pub comparison: Comparison,
}

/// Strengths of systems and discriminations of judges.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct JudgeAware {
    /// For each system its strength in log-odds as the average judge sees them, with mean 0 over
    /// the systems that have a finite one.
    pub scores: Scores,
    /// For each judge its discrimination, with mean 1 over the judges that have one: 0 is chance,
    /// 2 sees differences twice as large as the average judge, below 0 judges against the others.
    pub discriminations: Vec<Estimate>,
    /// Groups of systems linked by comparisons, in ascending order. More than one: the graph is
    /// disconnected.
    pub components: Vec<Vec<usize>>,
}

/// Fits `P(a beats b | judge j) = logistic(d_j (s_a - s_b))`: the two-parameter logistic model
/// (Birnbaum 1968) with a pair of systems in place of a question, as judge-aware Bradley-Terry
/// models of 2026 have it (BT-sigma, arXiv 2602.16610). Weights multiply comparisons; a tie is half
/// a win for both.
///
/// The likelihood leaves the unit open: strengths may be multiplied by what discriminations are
/// divided by. Here **the mean discrimination is 1**, so that one judge, or equal ones, give
/// [`crate::bradley_terry`]. Discriminations may be negative; the sign is that of most of the
/// panel. Each has a normal prior around the mean with standard deviation 3.2 (weight 0.1), which
/// keeps that of a judge finite who agrees everywhere with the ranking, and moves one that rests on
/// a hundred comparisons by less than a hundredth.
///
/// Joint Newton steps, those of Fisher's scoring where the likelihood is not concave, start from
/// the strengths of all comparisons together and equal judges; the likelihood can have several
/// maxima, and this is the one beside the panel's opinion.
///
/// Systems are finite, infinite or undefined as in [`crate::bradley_terry`] of all comparisons
/// together. A judge without comparisons among the finite systems is [`Undefined::NoData`], a lone
/// one [`Undefined::OneJudge`] (its strengths stand). Where judges contradict each other so that no
/// order is common to them, discriminations and finite strengths are [`Undefined::NoCommonOrder`].
///
/// # Errors
/// Too many systems or rows; an unknown system or judge, a system against itself, or a bad weight.
pub fn judge_aware(
    systems: usize,
    judges: usize,
    rows: &[JudgedComparison],
) -> Result<JudgeAware, Error> {
    let cells = Cells::new(systems, judges, rows)?;
    Ok(fit_judges(&cells.all(), systems, judges, None).shown)
}

/// A fit as it is shown, and the discriminations before their mean was made 1.
struct Fitted {
    shown: JudgeAware,
    raw: Vec<f64>,
}

/// Fits cells, from `before` and on its origin where there is one.
fn fit_judges(cells: &[Cell], systems: usize, judges: usize, before: Option<&Fitted>) -> Fitted {
    let reference = before.map_or(&[][..], |before| &before.shown.scores.estimates);
    let base = bradley_terry_near(&cells::tally(cells, systems), reference);
    let cells = cells::among(cells, &base.scores.estimates);
    let heard = cells::judges_heard(&cells, judges);
    let start = start_point(&base, judges, before);
    let panel = Panel {
        systems,
        cells: &cells,
        judges,
    };
    let (point, fit) = maximise(&panel, start);
    let raw = point[systems..].to_vec();
    let shown = match mean_heard(&raw, &heard) {
        _ if count(&heard) < 2 => unheard(base, &heard),
        Some(unit) => show(base, &point, &heard, unit, fit, reference),
        None => contradicted(base, &heard),
    };
    Fitted { shown, raw }
}

/// Pooled strengths and equal judges, or those found before.
fn start_point(base: &BradleyTerry, judges: usize, before: Option<&Fitted>) -> Vec<f64> {
    let strengths = base
        .scores
        .estimates
        .iter()
        .map(|s| s.finite().unwrap_or(0.0));
    let raw = before.map_or_else(|| vec![1.0; judges], |before| before.raw.clone());
    strengths.chain(raw).collect()
}

fn count(heard: &[bool]) -> usize {
    heard.iter().filter(|&&heard| heard).count()
}

/// The mean discrimination of the judges that were heard; None where it is nearly 0 or below.
fn mean_heard(raw: &[f64], heard: &[bool]) -> Option<f64> {
    let known = raw.iter().zip(heard).filter(|(_, heard)| **heard);
    let unit = mean(&known.map(|(d, _)| *d).collect::<Vec<_>>());
    (unit > NO_MEAN).then_some(unit)
}

fn show(
    base: BradleyTerry,
    point: &[f64],
    heard: &[bool],
    unit: f64,
    fit: Fit,
    reference: &[Estimate],
) -> JudgeAware {
    let (strengths, raw) = point.split_at(point.len() - heard.len());
    let strengths = strengths_on_unit(&base, strengths, unit);
    let strengths = shift_to_origin(&base, strengths, reference);
    JudgeAware {
        scores: replace_strengths(&base, &strengths, fit),
        discriminations: discriminations(heard, |judge| Estimate::Finite(raw[judge] / unit)),
        components: base.components,
    }
}

/// The strengths of finite systems in units of the average judge; those of other parts as they are.
fn strengths_on_unit(base: &BradleyTerry, strengths: &[f64], unit: f64) -> Vec<f64> {
    let mut found = vec![0.0; strengths.len()];
    for (system, strength) in base.strengths_in_parts() {
        found[system] = strength;
    }
    for system in finite_systems(&base.scores.estimates) {
        found[system] = strengths[system] * unit;
    }
    found
}

fn discriminations(heard: &[bool], of: impl Fn(usize) -> Estimate) -> Vec<Estimate> {
    let judges = heard.iter().enumerate();
    judges
        .map(|(judge, heard)| match heard {
            true => of(judge),
            false => Estimate::Undefined(Undefined::NoData),
        })
        .collect()
}

/// With fewer than two judges the strengths are those of all comparisons together.
fn unheard(base: BradleyTerry, heard: &[bool]) -> JudgeAware {
    JudgeAware {
        scores: base.scores,
        discriminations: discriminations(heard, |_| Estimate::Undefined(Undefined::OneJudge)),
        components: base.components,
    }
}

/// Nothing finite is known where no order is common to the judges.
fn contradicted(base: BradleyTerry, heard: &[bool]) -> JudgeAware {
    let reason = Estimate::Undefined(Undefined::NoCommonOrder);
    let mut scores = base.scores;
    for system in finite_systems(&scores.estimates.clone()) {
        scores.estimates[system] = reason;
        scores.ranks[system] = None;
    }
    JudgeAware {
        scores,
        discriminations: discriminations(heard, |_| reason),
        components: base.components,
    }
}
