//! Do the three ways of choosing a judge agree (Gao et al. 2024, section 3.4, figure 3)?

use super::packs::protocol;
use super::{StudyReport, StudyRow};
use crate::Figure;
use evenhand_protocols::Slots;
use evenhand_ranking::Aggregation;
use evenhand_stats::{Bootstrap, Correlation, Error, correlation_interval};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A measure of judges: one column of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    for (at, a) in measures.iter().enumerate() {
        for b in &measures[at + 1..] {
            let (x, y): (Vec<f64>, Vec<f64>) = a
                .judges
                .iter()
                .filter_map(|(judge, x)| Some((*x, *b.judges.get(judge)?)))
                .unzip();
            found.push(Concordance {
                a: (a.setting, a.input.clone()),
                b: (b.setting, b.input.clone()),
                judges: x.len(),
                rho: order_agreement(&x, &y, Correlation::Spearman, plan)?,
                tau_b: order_agreement(&x, &y, Correlation::KendallTauB, plan)?,
            });
        }
    }
    Ok(found)
}

/// Returns how alike two columns order the judges.
fn order_agreement(
    x: &[f64],
    y: &[f64],
    which: Correlation,
    plan: &Bootstrap,
) -> Result<Figure, Error> {
    let judges = x.len();
    if judges < 3 {
        return Ok(Figure::undefined(format!(
            "{judges} judges have both; an order of judges needs at least 3"
        )));
    }
    let interval = correlation_interval(x, y, which, plan);
    Figure::new(which.correlate(x, y), interval)
}

/// Returns every measure of the judges in the three settings, by the first evaluation type that
/// compares pairs; in settings 1 and 3 by Bradley-Terry, as in the paper.
pub(super) fn measures_of(report: &StudyReport) -> Vec<Measure> {
    let mut found = Vec::new();
    for row in &report.rows {
        if is_measured(row) {
            let rho = row.bencher.figures.spearman.value;
            note_figure(&mut found, (1, &row.input), &row.judge, rho);
        }
    }
    for (input, evaluation) in &report.labelled {
        if compares_pairs(&evaluation.kind) {
            let judge = &evaluation.judge;
            let accuracy = evaluation.total.measures.accuracy.value;
            let systems = evaluation.systems.as_ref();
            let rho = systems.and_then(|systems| systems.rho.value);
            note_figure(&mut found, (2, input), judge, accuracy);
            note_figure(&mut found, (3, input), judge, rho);
        }
    }
    found
}

/// Notes a judge's figure, unless it has one in this setting on this input set.
fn note_figure(
    measures: &mut Vec<Measure>,
    (setting, input): (u8, &str),
    judge: &str,
    value: Option<f64>,
) {
    let Some(value) = value else { return };
    let is_of = |measure: &Measure| measure.setting == setting && measure.input == input;
    let at = measures.iter().position(is_of).unwrap_or(measures.len());
    if at == measures.len() {
        measures.push(Measure {
            setting,
            input: input.into(),
            judges: BTreeMap::new(),
        });
    }
    let judges = &mut measures[at].judges;
    judges.entry(judge.into()).or_insert(value);
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
