//! The notes below the figures of judges: how they were made, and what the reader must know.

use super::paired::paired_note;
use super::{coefficient_with_interval, percent_with_interval};
use crate::numbers::{group_digits, or_dash};
use crate::view::{Line, summary_text, unsorted_warning_lines};
use crate::{Usage, View};
use evenhand_core::Setting;
use evenhand_engine::InteractionReport;
use evenhand_stats::Bootstrap;
use evenhand_studies::judge::{
    Evaluation, Failures, PairedDifference, Repeats, Settings, SystemLevel, Ties,
};
use serde_json::{Value, json};

/// How the figures were made, for people and programs.
#[derive(Clone, Copy, Debug)]
pub struct JudgeSettings<'a> {
    /// How the figures are made.
    pub settings: &'a Settings,
    /// Differences between the judges on the same pairs; empty where there is one judge.
    pub differences: &'a [PairedDifference],
    /// Whether judges are more often right on some parts; None where there is one part.
    pub interaction: Option<&'a InteractionReport>,
    /// The calls and costs of a live run; None where no model was queried.
    pub usage: Option<&'a Usage>,
}

/// Returns how the figures were made, as members of an object.
pub(super) fn settings_json(settings: &Settings) -> [(String, Value); 4] {
    let plan = &settings.bootstrap;
    [
        ("ties".into(), json!(ties_name(settings.ties))),
        ("failures".into(), json!(failures_name(settings.failures))),
        ("ci".into(), interval_json(plan)),
        ("seed".into(), json!(plan.seed)),
    ]
}

pub(super) fn interval_json(plan: &Bootstrap) -> Value {
    json!({
        "method": "bootstrap",
        "cluster": "item",
        "rounds": plan.rounds,
        "level": plan.level,
    })
}

fn ties_name(ties: Ties) -> &'static str {
    match ties {
        Ties::Class => "class",
        Ties::Half => "half",
        Ties::Exclude => "exclude",
    }
}

fn failures_name(failures: Failures) -> &'static str {
    match failures {
        Failures::Wrong => "wrong",
        Failures::Exclude => "exclude",
    }
}

/// Returns the lines below the table of judges.
pub(super) fn notes_text(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let mut lines = settings_lines(with.settings);
    lines.extend(lines_of_judges(judges));
    lines.extend(paired_note(with.differences).map(|note| ("compared", note)));
    lines.extend(reread_verdicts(judges));
    lines.extend(with.usage.map(|usage| ("usage", usage.total_line())));
    lines.extend(unsorted_warning_lines(&judge_warnings(judges), view));
    summary_text(lines, view)
}

/// Returns what is known of each judge: its ranking of systems, its forecasts, its repeats.
fn lines_of_judges(judges: &[Evaluation]) -> impl Iterator<Item = Line> {
    let systems = judges.iter().filter_map(systems_line);
    let forecasts = judges.iter().filter_map(forecast_line);
    let repeats = judges.iter().filter_map(repeats_line);
    systems.chain(forecasts).chain(repeats)
}

fn settings_lines(settings: &Settings) -> Vec<Line> {
    vec![
        ("intervals", interval_text(&settings.bootstrap)),
        ("ties", ties_text(settings.ties).into()),
        ("failures", failures_text(settings.failures).into()),
    ]
}

pub(super) fn interval_text(plan: &Bootstrap) -> String {
    format!(
        "{:.0} %, {} bootstrap rounds over items, seed {}",
        100.0 * plan.level,
        plan.rounds,
        plan.seed
    )
}

fn ties_text(ties: Ties) -> &'static str {
    match ties {
        Ties::Class => "an outcome of their own: a verdict is right if it is the label",
        Ties::Half => "half of either outcome",
        Ties::Exclude => "left out, of labels and of verdicts",
    }
}

fn failures_text(failures: Failures) -> &'static str {
    match failures {
        Failures::Wrong => "count as wrong",
        Failures::Exclude => "left out of the accuracy",
    }
}

fn systems_line(judge: &Evaluation) -> Option<Line> {
    let SystemLevel { n, rho, tau } = judge.systems.as_ref()?;
    let [rho, tau] = [rho, tau].map(coefficient_with_interval);
    let text = format!(
        "{}: {n} systems ranked by the judge and by people: rho {rho}, tau-b {tau}",
        judge.judge
    );
    Some(("systems", text))
}

fn forecast_line(judge: &Evaluation) -> Option<Line> {
    let measures = &judge.total.measures;
    // Without a Brier score the verdicts are no probabilities, and forecast nothing.
    measures.brier.value?;
    let [error, brier] =
        [&measures.calibration_error, &measures.brier].map(coefficient_with_interval);
    let text = format!("{}: calibration error {error}, Brier {brier}", judge.judge);
    Some(("forecast", text))
}

fn repeats_line(judge: &Evaluation) -> Option<Line> {
    let repeats = judge.repeats.as_ref()?;
    let text = format!("{}: {}", judge.judge, repeats_text(repeats));
    Some(("repeats", text))
}

/// Returns the accuracy in each repeat, the mean and the spread, in percent.
pub(super) fn repeats_text(repeats: &Repeats) -> String {
    let each = repeats.accuracies.iter();
    let each: Vec<String> = each.map(|one| percent_value(one.value)).collect();
    format!(
        "{} times, accuracy % {}: mean {}, standard deviation {}",
        each.len(),
        each.join(", "),
        percent_with_interval(&repeats.mean),
        percent_value(repeats.sd.value)
    )
}

fn percent_value(value: Option<f64>) -> String {
    or_dash(value, |value| format!("{:.1}", 100.0 * value))
}

/// Says how many recorded verdicts were read differently than by their source.
fn reread_verdicts(judges: &[Evaluation]) -> Option<Line> {
    let (mut differing, mut recorded) = (0, 0);
    for judge in judges {
        if let Some(differences) = &judge.differences {
            differing += differences.len() as u64;
            recorded += judge.total.measures.coverage.trials;
        }
    }
    (recorded > 0).then(|| ("read anew", reread_text(differing, recorded)))
}

fn reread_text(differing: u64, recorded: u64) -> String {
    format!(
        "{} of {} verdicts were read differently than by their source (listed by {} json)",
        group_digits(differing),
        group_digits(recorded),
        Setting::Format
    )
}

fn judge_warnings(judges: &[Evaluation]) -> Vec<String> {
    judges.iter().flat_map(warnings_of_judge).collect()
}

fn warnings_of_judge(judge: &Evaluation) -> impl Iterator<Item = String> {
    let warnings = judge.warnings.iter();
    warnings.map(|warning| format!("{}: {warning}", judge.judge))
}
