//! Warns the reader of a ranking of what limits it.

use super::data::Report;
use super::measured::likelihood_limits;
use crate::plan::marks::marks_warning;
use crate::rank::scored::Scored;
use crate::{AdaptiveReport, Job, Warning, WarningKind};
use evenhand_core::VerdictSource;
use std::collections::HashSet;

/// Above this share of failures a ranking may be that of the answers that the judge could judge.
const MANY_FAILURES: f64 = 0.05;
/// Above this share a judge has not answered what it was asked.
const MUCH_OUTSIDE: f64 = 0.5;
/// More pairs than these are only counted.
const MANY_PAIRS: usize = 20;
/// More notes than these are only counted.
const MANY_NOTES: usize = 20;
/// More items than these are only counted.
const MANY_ITEMS: usize = 3;

/// Returns the warnings about the judge and its verdicts.
pub(super) fn warn_of_judgments(job: &Job, report: &Report) -> Vec<Warning> {
    warnings_with_text([
        (WarningKind::Position, position_bias(report)),
        (WarningKind::SmallModel, likelihood_limits(job)),
        (WarningKind::OtherData, foreign_weights(job)),
        (WarningKind::Failures, many_failures(report)),
        (WarningKind::Outside, much_outside(report)),
        (WarningKind::TextAlone, read_from_text(job, report)),
        (WarningKind::ChatMarks, marks_warning(job)),
        (WarningKind::MissingResponses, missing_responses(job)),
    ])
}

/// Returns the warnings about the scores that were made of them.
pub(super) fn warn_of_scores(report: &Report, scored: &Scored) -> Vec<Warning> {
    warnings_with_text([
        (WarningKind::Prior, shrunk_scores(report)),
        (WarningKind::Disconnected, disconnected_groups(report)),
        (WarningKind::Unconverged, unconverged_fit(scored)),
        (WarningKind::Unconverged, unconverged_rounds(scored)),
        (WarningKind::FewRounds, few_rounds(scored)),
        (WarningKind::NotToldApart, close_neighbours(report, scored)),
    ])
}

/// Returns the warnings about how the judge served, where a run was disturbed.
pub(super) fn warn_of_service(notes: &[String]) -> Vec<Warning> {
    let shown = notes.iter().take(MANY_NOTES).cloned();
    let more = notes.len().saturating_sub(MANY_NOTES);
    let rest = (more > 0).then(|| format!("{more} more such notes on how the judge served"));
    let texts = shown.chain(rest);
    texts.map(|text| WarningKind::Service.says(text)).collect()
}

/// Returns the warnings about what an adaptive design chose to judge.
pub(super) fn warn_of_certified(found: &AdaptiveReport) -> Vec<Warning> {
    let chosen = "the scores' intervals do not know that judgments were chosen by what was found; \
                  the certified orders and the differences do";
    let failed = (found.failed > 0).then(|| {
        format!(
            "{} trials without a verdict count for neither side in what is certified",
            found.failed
        )
    });
    warnings_with_text([
        (WarningKind::Adaptive, Some(chosen.into())),
        (WarningKind::Failures, failed),
    ])
}

/// Keeps those warnings that there is something to say of.
fn warnings_with_text<const N: usize>(
    warnings: [(WarningKind, Option<String>); N],
) -> Vec<Warning> {
    let warnings = warnings.into_iter();
    warnings
        .filter_map(|(kind, text)| Some(kind.says(text?)))
        .collect()
}

/// A judge that decides by position is consistent on no pair, one that tosses a coin on half of
/// them.
fn position_bias(report: &Report) -> Option<String> {
    let share = report.consistency.as_ref()?;
    let high = share.ci.map_or(share.value, |ci| ci[1]);
    (high <= 0.5).then(|| {
        format!(
            "the judge keeps its verdict on {:.0} % of pairs when the two responses change places \
             (a coin: 50 %): the order of this ranking is not supported by it",
            100.0 * share.value
        )
    })
}

fn foreign_weights(job: &Job) -> Option<String> {
    job.protocol.is_weighed().then(|| {
        "the panel's weights come from labels of other data: how far they hold on data like these \
         is measured with meta judge on some labels of them"
            .into()
    })
}

fn many_failures(report: &Report) -> Option<String> {
    let coverage = &report.coverage;
    let failed = coverage.trials - coverage.verdicts;
    if failed as f64 <= MANY_FAILURES * coverage.trials as f64 {
        return None;
    }
    let kinds = coverage.failures.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    Some(format!(
        "{failed} of {} trials have no verdict ({}); they are excluded",
        coverage.trials,
        kinds.join(", ")
    ))
}

fn much_outside(report: &Report) -> Option<String> {
    let outside = report.outside.filter(|outside| *outside > MUCH_OUTSIDE)?;
    Some(format!(
        "on average {:.0} % of the judge's probability lay on none of the answers asked for: it \
         hardly answers the question",
        100.0 * outside
    ))
}

/// A served judge whose server gives no log probabilities, or not where an answer was due.
fn read_from_text(job: &Job, report: &Report) -> Option<String> {
    if !job.judges.served || !job.protocol.wants_probabilities() || gives_none_by_design(job) {
        return None;
    }
    let count = |source: VerdictSource| report.sources.get(source.name()).copied().unwrap_or(0);
    match (
        count(VerdictSource::Text),
        count(VerdictSource::Probabilities),
    ) {
        (0, _) => None,
        (_, 0) => Some(
            "the server gave no log probabilities: every verdict is read from the text, and is \
             all or nothing"
                .into(),
        ),
        (text, probable) => Some(format!(
            "{text} of {} verdicts are read from the text, all or nothing: the server gave no log \
             probabilities where the answer was due",
            text + probable
        )),
    }
}

/// An API that never gives log probabilities is no fault of the run: docs/served.md says so of
/// Anthropic's.
fn gives_none_by_design(job: &Job) -> bool {
    let mut judges = job.judges.panel.iter();
    judges.all(|judge| judge.starts_with("anthropic:"))
}

fn missing_responses(job: &Job) -> Option<String> {
    let missing = &job.dataset.missing;
    if missing.is_empty() {
        return None;
    }
    let shown: Vec<String> = missing
        .iter()
        .take(MANY_ITEMS)
        .map(ToString::to_string)
        .collect();
    let more = missing.len() - shown.len();
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Some(format!(
        "{} of {} items lack a response of some system: {}{rest}",
        missing.len(),
        job.dataset.items.len(),
        shown.join(", ")
    ))
}

fn disconnected_groups(report: &Report) -> Option<String> {
    if report.components.is_empty() {
        return None;
    }
    let groups = report.components.iter();
    let groups: Vec<String> = groups.map(|group| group.join(", ")).collect();
    Some(format!(
        "no chain of comparisons links these groups, and nothing can be said between them: {}",
        groups.join(" | ")
    ))
}

fn shrunk_scores(report: &Report) -> Option<String> {
    let weight = report.prior?;
    Some(format!(
        "scores are shrunk towards the mean by a ridge prior of weight {weight:?}: they are finite \
         whatever was won"
    ))
}

fn unconverged_fit(scored: &Scored) -> Option<String> {
    let fit = scored.fit.filter(|fit| !fit.converged)?;
    Some(format!(
        "the fit did not converge in {} iterations (gradient {:.2e}): do not trust the scores",
        fit.iterations, fit.gradient
    ))
}

fn unconverged_rounds(scored: &Scored) -> Option<String> {
    let rounds = scored.unconverged_rounds;
    (rounds > 0).then(|| {
        format!("the fit did not converge in {rounds} of the resamples: do not trust the intervals")
    })
}

fn few_rounds(scored: &Scored) -> Option<String> {
    let needed = scored.rounds_needed?;
    Some(format!(
        "too few resamples for rank intervals at this level: they need at least {needed}"
    ))
}

/// Neighbours in the ranking that the rank intervals do not distinguish.
fn close_neighbours(report: &Report, scored: &Scored) -> Option<String> {
    let mut pairs = undistinguished_neighbours(report, scored)?;
    if pairs.is_empty() {
        return None;
    }
    let more = pairs.len().saturating_sub(MANY_PAIRS);
    pairs.truncate(MANY_PAIRS);
    let rest = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    Some(format!(
        "these neighbours are not distinguishable at this level: {}{rest}",
        pairs.join("; ")
    ))
}

fn undistinguished_neighbours(report: &Report, scored: &Scored) -> Option<Vec<String>> {
    let apart: HashSet<(usize, usize)> = scored.apart.as_ref()?.iter().copied().collect();
    let order = scored.rank_order();
    let neighbours = order.windows(2).zip(report.ranking.windows(2));
    let near = neighbours.filter(|(numbers, rows)| {
        let mut rows = rows.iter();
        let ranked = rows.all(|row| row.score.is_some() && row.rank_ci.is_some());
        ranked && !apart.contains(&(numbers[0], numbers[1]))
    });
    let names = near.map(|(_, rows)| format!("{} and {}", rows[0].system, rows[1].system));
    Some(names.collect())
}
