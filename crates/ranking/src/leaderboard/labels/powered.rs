//! Prediction-powered scores, and what labels and judge say alone beside them.

use super::matched::MatchedRows;
use crate::leaderboard::gathered::FileSummary;
use crate::leaderboard::options::LeaderboardOptions;
use crate::method::{Ci, Method};
use crate::report::data::{Intervals, LabelledSystem, Labels, SourceScore};
use crate::score::Scored;
use crate::{Aggregation, Report, Warning, WarningKind};
use evenhand_core::p_value_text;
use evenhand_stats::prediction_powered::{Measured, SamplingCheck};

/// Below this p-value the labelled rows do not look like a random sample.
const UNLIKELY: f64 = 0.01;

/// Scores, and what is said of the labels: one entry for each system, in the order of their
/// numbers.
pub(super) struct Powered {
    pub(super) scored: Scored,
    pub(super) labels: Labels,
    pub(super) warnings: Vec<Warning>,
}

impl Powered {
    pub(super) fn report(
        self,
        options: &LeaderboardOptions,
        mut files: FileSummary,
        aggregation: Aggregation,
        method: &Method,
    ) -> Report {
        let order = self.scored.rank_order().into_iter();
        let systems = order.map(|system| self.labels.systems[system].clone());
        let labels = Labels {
            systems: systems.collect(),
            ..self.labels
        };
        let (unmatched, all) = (labels.unmatched, labels.matched + labels.unmatched);
        let unmatched = (unmatched > 0).then(|| {
            format!(
                "{unmatched} of {all} labelled rows have no verdict of the judge; they are excluded"
            )
        });
        let unlikely = labels.sampling_p.filter(|p| *p < UNLIKELY).map(|p| {
            format!(
                "the labelled rows do not look like a random sample of all rows (p {}), but the \
                 ranking assumes that they are",
                p_value_text(p)
            )
        });
        files
            .warnings
            .extend(label_warnings(unmatched.into_iter().chain(unlikely)));
        files.warnings.extend(self.warnings);
        let mut report = files.report(options, aggregation, method);
        report.ci = report
            .ci
            .made_by(Intervals::PredictionPowered, method.rank.ci);
        report.labels = Some(labels);
        report.with_scores(&files.names, self.scored, method, options.rank.scale)
    }
}

/// Turns texts into warnings of labels.
pub(super) fn label_warnings(texts: impl Iterator<Item = String>) -> Vec<Warning> {
    texts.map(|text| WarningKind::Labels.says(text)).collect()
}

/// Says what labels and judge each give alone of a system, shown by `show`, and by how much the two
/// together are better: its measures are those of both, of the labels and of the judge.
pub(super) fn beside(
    name: &str,
    [both, labels, judge]: [Option<Measured>; 3],
    method: &Method,
    show: impl Fn(f64) -> f64,
) -> LabelledSystem {
    let wanted = method.rank.ci != Ci::None;
    let alone = |one: Measured| {
        let ends = one.uncertainty.ok().filter(|_| wanted);
        SourceScore {
            score: show(one.value),
            ci: ends.map(|ends| [show(ends.low), show(ends.high)]),
        }
    };
    let error = |one: Option<Measured>| Some(one?.uncertainty.ok()?.standard_error);
    let errors = error(both).zip(error(labels)).filter(|_| wanted);
    LabelledSystem {
        system: name.into(),
        labels_only: labels.map(alone),
        judge_only: judge.map(alone),
        narrower: errors.map(|(both, labels)| 1.0 - both / labels),
        lambda: None,
        effective_labels: None,
        corrected: None,
    }
}

/// Says what is known of the labels whatever the estimator.
pub(super) fn describe_labels(rows: &MatchedRows, systems: Vec<LabelledSystem>) -> Labels {
    let known: Vec<f64> = systems.iter().filter_map(|one| one.narrower).collect();
    let narrower = known.iter().sum::<f64>() / known.len() as f64;
    Labels {
        matched: rows.matched(),
        unmatched: rows.unmatched,
        labelled_share: rows.matched() as f64 / rows.all.len() as f64,
        narrower: (!known.is_empty()).then_some(narrower),
        systems,
        ..Labels::default()
    }
}

pub(super) fn sampling_p_value(check: &SamplingCheck) -> Option<f64> {
    check.test.ok().map(|test| test.p_value)
}
