//! Do the three ways of choosing a judge agree (Gao et al. 2024, section 3.4, figure 3)?

use super::packs::protocol;
use super::{StudyReport, StudyRow};
use crate::Figure;
use crate::judge::Evaluation;
use evenhand_engine::Aggregation;
use evenhand_protocols::Slots;
use evenhand_stats::{Bootstrap, Correlation, Error, correlation_interval};
use serde::Serialize;
use std::collections::BTreeMap;

/// A measure of judges: one column of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// 1: rankings of systems against ratings; 2: accuracy on labelled pairs; 3: rankings against
    /// people's labels aggregated.
    pub setting: u8,
    /// The input set.
    pub input: String,
    /// Each judge's figure: rho in settings 1 and 3, accuracy in setting 2.
    pub judges: BTreeMap<String, f64>,
}

/// How two measures order the judges that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concordance {
    /// The first: its setting and input set.
    pub a: (u8, String),
    /// The second.
    pub b: (u8, String),
    /// Judges that have both.
    pub judges: usize,
    /// Spearman's rho of the two orders of the judges, as in the paper; its interval is over
    /// judges.
    pub rho: Figure,
    /// Kendall's tau-b of the two, likewise.
    pub tau_b: Figure,
}

/// Compares every two measures.
///
/// # Errors
/// A bad level or number of rounds.
pub(super) fn concordances(
    measures: &[Measure],
    plan: &Bootstrap,
) -> Result<Vec<Concordance>, Error> {
    let mut found = Vec::new();
    for (a, b) in every_two(measures) {
        found.push(concordance_of(a, b, plan)?);
    }
    Ok(found)
}

fn every_two(all: &[Measure]) -> impl Iterator<Item = (&Measure, &Measure)> {
    let firsts = all.iter().enumerate();
    firsts.flat_map(|(at, a)| all[at + 1..].iter().map(move |b| (a, b)))
}

fn concordance_of(a: &Measure, b: &Measure, plan: &Bootstrap) -> Result<Concordance, Error> {
    let (x, y) = figures_of_both(a, b);
    Ok(Concordance {
        a: a.key(),
        b: b.key(),
        judges: x.len(),
        rho: order_agreement(&x, &y, Correlation::Spearman, plan)?,
        tau_b: order_agreement(&x, &y, Correlation::KendallTauB, plan)?,
    })
}

/// Returns the figures of the judges that both measures have.
fn figures_of_both(a: &Measure, b: &Measure) -> (Vec<f64>, Vec<f64>) {
    let shared = a
        .judges
        .iter()
        .filter(|(judge, _)| b.judges.contains_key(*judge));
    shared.map(|(judge, x)| (*x, b.judges[judge])).unzip()
}

impl Measure {
    fn new((setting, input): (u8, &str)) -> Measure {
        Measure {
            setting,
            input: input.into(),
            ..Measure::default()
        }
    }

    fn has_key(&self, key: (u8, &str)) -> bool {
        (self.setting, self.input.as_str()) == key
    }

    fn key(&self) -> (u8, String) {
        (self.setting, self.input.clone())
    }
}

/// Returns how alike two columns order the judges.
fn order_agreement(
    x: &[f64],
    y: &[f64],
    which: Correlation,
    plan: &Bootstrap,
) -> Result<Figure, Error> {
    if x.len() < 3 {
        return Ok(too_few_judges(x.len()));
    }
    let interval = correlation_interval(x, y, which, plan);
    Figure::new(which.correlate(x, y), interval)
}

fn too_few_judges(judges: usize) -> Figure {
    Figure::undefined(format!(
        "{judges} judges have both; an order of judges needs at least 3"
    ))
}

/// Returns every measure of the judges in the three settings, by the first evaluation type that
/// compares pairs; in settings 1 and 3 by Bradley-Terry, as in the paper.
pub(super) fn measures_of(report: &StudyReport) -> Vec<Measure> {
    let mut found = Measures::default();
    for row in &report.rows {
        found.add_row(row);
    }
    for (input, evaluation) in &report.labelled {
        found.add_evaluation(input, evaluation);
    }
    found.0
}

/// Whether a row is what its judge is measured by in setting 1.
pub(super) fn is_measured(row: &StudyRow) -> bool {
    row.reference.is_none() && !row.pointwise && row.aggregation == Aggregation::BradleyTerry.name()
}

/// Whether a type compares two responses. One that is no protocol of ours is a name that a recorded
/// judge was given: its games are of pairs.
fn compares_pairs(kind: &str) -> bool {
    protocol(kind).map_or(true, |protocol| protocol.form().slots() == Slots::Two)
}

impl Evaluation {
    /// Returns Spearman's rho of the two rankings of systems, where they are known.
    fn rank_agreement(&self) -> Option<f64> {
        self.systems.as_ref()?.rho.value
    }
}

/// Measures that are being put together.
#[derive(Default)]
struct Measures(Vec<Measure>);

impl Measures {
    /// Adds the rank agreement of a bencher.
    fn add_row(&mut self, row: &StudyRow) {
        if is_measured(row) {
            let rho = row.bencher.figures.spearman.value;
            self.add((1, &row.input), &row.judge, rho);
        }
    }

    /// Adds accuracy and rank agreement of a judge on labelled pairs.
    fn add_evaluation(&mut self, input: &str, evaluation: &Evaluation) {
        if compares_pairs(&evaluation.kind) {
            let judge = &evaluation.judge;
            self.add((2, input), judge, evaluation.total.measures.accuracy.value);
            self.add((3, input), judge, evaluation.rank_agreement());
        }
    }

    /// Notes a judge's figure, unless it has one in this setting on this input set.
    fn add(&mut self, key: (u8, &str), judge: &str, value: Option<f64>) {
        let Some(value) = value else { return };
        let judges = &mut self.measure(key).judges;
        judges.entry(judge.into()).or_insert(value);
    }

    /// Returns the measure of a setting on an input set, which is added if it is new.
    fn measure(&mut self, key: (u8, &str)) -> &mut Measure {
        let known = self.0.iter().position(|measure| measure.has_key(key));
        let at = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(Measure::new(key));
        }
        &mut self.0[at]
    }
}
