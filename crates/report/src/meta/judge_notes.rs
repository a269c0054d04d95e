//! The notes below the figures of judges: how they were made, and what the reader must know.

use super::paired::paired_note;
use super::{coefficient_with_interval, percent_with_interval};
use crate::numbers::{chosen_percent, group_digits, or_blank, or_dash, percent};
use crate::view::{Line, summary_text, unsorted_warning_lines};
use crate::{Usage, View};
use evenhand_core::Setting;
use evenhand_ranking::{Cluster, InteractionReport, IntervalMethod, Intervals};
use evenhand_stats::Bootstrap;
use evenhand_studies::judge::{
    Evaluation, Failures, NotCompared, PairedDifference, Settings, Ties, Votes,
};

/// How the figures were made, for people and programs.
#[derive(Clone, Copy, Debug)]
pub struct JudgeSettings<'a> {
    /// How the figures are made.
    pub settings: &'a Settings,
    /// Differences between the judges on the same pairs; empty where there is one judge.
    pub differences: &'a [PairedDifference],
    /// Judges that could not be compared on the same pairs, with the reason.
    pub not_compared: &'a [NotCompared],
    /// Whether judges are more often right on some parts; None where there is one part.
    pub interaction: Option<&'a InteractionReport>,
    /// The calls and costs of a live run; None where no model was queried.
    pub usage: Option<&'a Usage>,
}

/// Returns how intervals over items were made, with what else JSON says of it.
pub(super) fn interval_method(plan: &Bootstrap) -> IntervalMethod {
    IntervalMethod {
        method: Intervals::Bootstrap,
        cluster: Cluster::Item,
        column: None,
        units: None,
        rounds: plan.rounds,
        level: plan.level,
    }
}

pub(super) fn interval_text(plan: &Bootstrap) -> String {
    format!(
        "{} %, over items; of scores of probabilities by {} bootstrap rounds, seed {}",
        chosen_percent(plan.level),
        plan.rounds,
        plan.seed
    )
}

/// Returns the lines below the table of judges.
pub(super) fn notes_text(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let ties = match with.settings.ties {
        Ties::Class => "an outcome of their own: a verdict is right if it is the label",
        Ties::Half => "half of either outcome",
        Ties::Exclude => "left out, of labels and of verdicts",
    };
    let failures = match with.settings.failures {
        Failures::Wrong => "count as wrong",
        Failures::Exclude => "left out of the accuracy",
    };
    let mut lines: Vec<Line> = vec![
        ("intervals", interval_text(&with.settings.bootstrap)),
        ("ties", ties.into()),
        ("failures", failures.into()),
    ];
    if judges.iter().any(|judge| judge.votes == Votes::Each) {
        let votes = "each counts: a verdict is compared with every label of its pair";
        lines.push(("votes", votes.into()));
    }
    lines.extend(judges.iter().filter_map(systems_line));
    lines.extend(judges.iter().filter_map(forecast_line));
    lines.extend(judges.iter().filter_map(repeats_line));
    lines.extend(paired_note(with.differences).map(|note| ("compared", note)));
    lines.extend(with.not_compared.iter().map(|one| {
        let [first, second] = &one.names;
        ("not compared", format!("{first} and {second}: {}", one.why))
    }));
    lines.extend(reread_line(judges));
    lines.extend(with.usage.map(|usage| ("usage", usage.total_line())));
    let warnings = judges.iter().flat_map(|judge| {
        let warnings = judge.warnings.iter();
        warnings.map(|warning| format!("{}: {warning}", judge.judge))
    });
    lines.extend(unsorted_warning_lines(&warnings.collect::<Vec<_>>(), view));
    summary_text(lines, view)
}

fn systems_line(judge: &Evaluation) -> Option<Line> {
    let systems = judge.systems.as_ref()?;
    // Of few systems one reason stands for both.
    let mut figures = [("rho", &systems.rho), ("tau-b", &systems.tau)].into_iter();
    let bare = figures.find(|(_, one)| one.value.is_some() && one.ci.is_none());
    let why = bare.and_then(|(name, one)| Some((name, one.note.as_ref()?)));
    let text = format!(
        "{}: {} systems ranked by the judge and by people: rho {}, tau-b {}{}",
        judge.judge,
        systems.n,
        coefficient_with_interval(&systems.rho),
        coefficient_with_interval(&systems.tau),
        or_blank(why, |(name, why)| format!(
            "; {name} has no interval: {why}"
        ))
    );
    Some(("systems", text))
}

fn forecast_line(judge: &Evaluation) -> Option<Line> {
    let measures = &judge.total.measures;
    // Without a Brier score the verdicts are no probabilities, and forecast nothing.
    measures.brier.value?;
    let text = format!(
        "{}: calibration error {}, Brier {}",
        judge.judge,
        coefficient_with_interval(&measures.calibration_error),
        coefficient_with_interval(&measures.brier)
    );
    Some(("forecast", text))
}

/// Returns the accuracy in each repeat, the mean and the spread, in per cent.
fn repeats_line(judge: &Evaluation) -> Option<Line> {
    let repeats = judge.repeats.as_ref()?;
    let accuracies = repeats.accuracies.iter();
    let each: Vec<String> = accuracies.map(|one| or_dash(one.value, percent)).collect();
    let text = format!(
        "{}: {} times, accuracy % {}: mean {}, standard deviation {}",
        judge.judge,
        each.len(),
        each.join(", "),
        percent_with_interval(&repeats.mean),
        or_dash(repeats.sd.value, percent)
    );
    Some(("repeats", text))
}

/// Says how many recorded verdicts were read differently than by their source.
fn reread_line(judges: &[Evaluation]) -> Option<Line> {
    let (mut differing, mut recorded) = (0, 0);
    for judge in judges {
        if let Some(differences) = &judge.differences {
            differing += differences.len() as u64;
            recorded += judge.total.measures.coverage.trials;
        }
    }
    let text = format!(
        "{} of {} verdicts were read differently than by their source (listed by {} json)",
        group_digits(differing),
        group_digits(recorded),
        Setting::Format
    );
    (recorded > 0).then_some(("read anew", text))
}
