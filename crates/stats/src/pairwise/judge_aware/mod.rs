//! Bradley-Terry strengths from a panel of judges, each with a discrimination of its own.

mod cells;
mod likelihood;
mod resampled;

use super::ascent::maximise;
use super::bradley_terry_near;
use super::tie_model::{replace_strengths, shift_to_origin};
use crate::index::finite_systems;
use crate::linear::mean;
use crate::{Comparison, Error, Estimate, Scores, Undefined};
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
    let mut heard = vec![false; judges];
    for cell in &cells {
        heard[cell.judge] = true;
    }
    // From pooled strengths and equal judges, or those found before.
    let estimates = &base.scores.estimates;
    let mut start: Vec<f64> = estimates
        .iter()
        .map(|s| s.finite().unwrap_or(0.0))
        .collect();
    match before {
        Some(before) => start.extend(&before.raw),
        None => start.resize(systems + judges, 1.0),
    }
    let panel = Panel {
        systems,
        cells: &cells,
        judges,
    };
    let (point, fit) = maximise(&panel, start);
    let (strengths, raw) = point.split_at(systems);
    let of_heard = raw.iter().zip(&heard).filter(|(_, heard)| **heard);
    let of_heard: Vec<f64> = of_heard.map(|(d, _)| *d).collect();
    // The mean discrimination of the judges that were heard.
    let unit = mean(&of_heard);
    let (scores, discriminations) = if of_heard.len() < 2 {
        // The strengths are those of all comparisons together.
        let one = discriminations(&heard, |_| Estimate::Undefined(Undefined::OneJudge));
        (base.scores, one)
    } else if unit > NO_MEAN {
        // The strengths of finite systems are in units of the average judge; those of other parts
        // stay as they are.
        let mut on_unit = vec![0.0; systems];
        for (system, strength) in base.strengths_in_parts() {
            on_unit[system] = strength;
        }
        for system in finite_systems(&base.scores.estimates) {
            on_unit[system] = strengths[system] * unit;
        }
        let on_origin = shift_to_origin(&base, on_unit, reference);
        let shown = discriminations(&heard, |judge| Estimate::Finite(raw[judge] / unit));
        (replace_strengths(&base, &on_origin, fit), shown)
    } else {
        // Nothing finite is known where no order is common to the judges.
        let reason = Estimate::Undefined(Undefined::NoCommonOrder);
        let mut scores = base.scores;
        for system in finite_systems(&scores.estimates) {
            scores.estimates[system] = reason;
            scores.ranks[system] = None;
        }
        (scores, discriminations(&heard, |_| reason))
    };
    Fitted {
        shown: JudgeAware {
            scores,
            discriminations,
            components: base.components,
        },
        raw: raw.to_vec(),
    }
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
