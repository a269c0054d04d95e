//! What the reader of a ranking must know.

use crate::plan::marks;
use crate::rank::score::Scored;
use crate::report::measured;
use crate::{Job, Report, Warning, WarningKind};
use evenhand_core::Source;
use std::collections::HashSet;

/// Above this share of failures a ranking may be that of the answers that the judge could judge.
const MANY_FAILURES: f64 = 0.05;
/// Above this share a judge has not answered what it was asked.
const MUCH_OUTSIDE: f64 = 0.5;
/// More pairs than these are only counted.
const MANY_PAIRS: usize = 20;
/// More notes than these are only counted.
const MANY_NOTES: usize = 20;

/// About the judge and its verdicts.
pub(crate) fn of_judgments(job: &Job, report: &Report) -> Vec<Warning> {
    said([
        (WarningKind::Position, position(report)),
        (WarningKind::SmallModel, measured::likelihood(job)),
        (WarningKind::OtherData, calibrated(job)),
        (WarningKind::Failures, failures(report)),
        (WarningKind::Outside, outside(report)),
        (WarningKind::TextAlone, text_alone(job, report)),
        (WarningKind::ChatMarks, marks::marks_warning(job)),
        (WarningKind::MissingResponses, missing(job)),
    ])
}

/// Those warnings whose sentence is there.
fn said<const N: usize>(warnings: [(WarningKind, Option<String>); N]) -> Vec<Warning> {
    warnings
        .into_iter()
        .filter_map(|(kind, text)| Some(kind.says(text?)))
        .collect()
}

/// About how the judge served, where a run was disturbed.
pub(crate) fn of_service(notes: &[String]) -> Vec<Warning> {
    let more = notes.len().saturating_sub(MANY_NOTES);
    let rest = (more > 0).then(|| format!("{more} more such notes on how the judge served"));
    notes
        .iter()
        .take(MANY_NOTES)
        .cloned()
        .chain(rest)
        .map(|note| WarningKind::Service.says(note))
        .collect()
}

/// About the scores that were made of them.
pub(crate) fn of_ranking(report: &Report, scored: &Scored) -> Vec<Warning> {
    said([
        (WarningKind::Prior, prior(report)),
        (WarningKind::Disconnected, disconnected(report)),
        (WarningKind::Unconverged, unfinished(scored)),
        (WarningKind::Unconverged, unfinished_rounds(scored)),
        (WarningKind::FewRounds, few_rounds(scored)),
        (WarningKind::NotToldApart, unseparated(report, scored)),
    ])
}

/// A judge that decides by position is consistent on no pair, one that tosses a coin on half of
/// them.
fn position(report: &Report) -> Option<String> {
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

fn calibrated(job: &Job) -> Option<String> {
    job.protocol.is_weighed().then(|| {
        "the panel's weights come from labels of other data: how far they hold on data like these \
         is measured with meta judge on some labels of them"
            .into()
    })
}

fn failures(report: &Report) -> Option<String> {
    let coverage = &report.coverage;
    let failed = coverage.trials - coverage.verdicts;
    let kinds: Vec<String> = coverage
        .failures
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let many = failed as f64 > MANY_FAILURES * coverage.trials as f64;
    many.then(|| {
        format!(
            "{failed} of {} trials have no verdict ({}); they count for nobody",
            coverage.trials,
            kinds.join(", ")
        )
    })
}

fn outside(report: &Report) -> Option<String> {
    report.outside.filter(|outside| *outside > MUCH_OUTSIDE).map(|outside| {
        format!(
            "on average {:.0} % of the judge's probability lay on none of the answers asked for: \
             it hardly answers the question",
            100.0 * outside
        )
    })
}

/// A served judge whose server gives no log probabilities, or not where an answer was due. An API
/// that never gives any is no fault of the run: docs/served.md says so of Anthropic's.
fn text_alone(job: &Job, report: &Report) -> Option<String> {
    if job
        .judges
        .panel
        .iter()
        .all(|judge| judge.starts_with("anthropic:"))
    {
        return None;
    }
    let count = |source: Source| report.sources.get(source.name()).copied().unwrap_or(0);
    let (text, probable) = (count(Source::Text), count(Source::Probabilities));
    let asked = job.judges.served && job.protocol.wants_probabilities() && text > 0;
    asked.then(|| match probable {
        0 => "the server gave no log probabilities: every verdict is read from the text, and is \
              all or nothing"
            .into(),
        _ => format!(
            "{text} of {} verdicts are read from the text, all or nothing: the server \
                      gave no log probabilities where the answer was due",
            text + probable
        ),
    })
}

fn missing(job: &Job) -> Option<String> {
    let items = job.dataset.missing.len();
    (items > 0).then(|| {
        let shown: Vec<String> = job
            .dataset
            .missing
            .iter()
            .take(3)
            .map(ToString::to_string)
            .collect();
        let more = if items > shown.len() {
            format!(" and {} more", items - shown.len())
        } else {
            String::new()
        };
        format!(
            "{items} of {} items lack a response of some system: {}{more}",
            job.dataset.items.len(),
            shown.join(", ")
        )
    })
}

fn disconnected(report: &Report) -> Option<String> {
    (!report.components.is_empty()).then(|| {
        let groups: Vec<String> = report
            .components
            .iter()
            .map(|group| group.join(", "))
            .collect();
        format!(
            "no chain of comparisons links these groups, and nothing can be said between them: {}",
            groups.join(" | ")
        )
    })
}

fn prior(report: &Report) -> Option<String> {
    report.prior.map(|weight| {
        format!(
            "scores are shrunk towards the mean by a ridge prior of weight {weight:?}: they \
                 are finite whatever was won"
        )
    })
}

fn unfinished(scored: &Scored) -> Option<String> {
    let fit = scored.fit.filter(|fit| !fit.converged)?;
    Some(format!(
        "the fit did not converge in {} iterations (gradient {:.2e}): do not trust the scores",
        fit.iterations, fit.gradient
    ))
}

fn few_rounds(scored: &Scored) -> Option<String> {
    scored.rounds_needed.map(|needed| {
        format!("too few resamples for rank intervals at this level: they need at least {needed}")
    })
}

fn unfinished_rounds(scored: &Scored) -> Option<String> {
    let rounds = scored.unconverged_rounds;
    (rounds > 0).then(|| {
        format!("the fit did not converge in {rounds} of the resamples: do not trust the intervals")
    })
}

/// Neighbours in the ranking that the rank intervals do not tell apart.
fn unseparated(report: &Report, scored: &Scored) -> Option<String> {
    let apart: HashSet<(usize, usize)> = scored.apart.as_ref()?.iter().copied().collect();
    let order = crate::report::rows::order(scored);
    let near = order
        .windows(2)
        .zip(report.ranking.windows(2))
        .filter(|(numbers, rows)| {
            let ranked = rows
                .iter()
                .all(|row| row.score.is_some() && row.rank_ci.is_some());
            ranked && !apart.contains(&(numbers[0], numbers[1]))
        });
    let mut pairs: Vec<String> = near
        .map(|(_, rows)| format!("{} and {}", rows[0].system, rows[1].system))
        .collect();
    let more = pairs.len().saturating_sub(MANY_PAIRS);
    pairs.truncate(MANY_PAIRS);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    (!pairs.is_empty()).then(|| {
        format!(
            "these neighbours are not told apart: {}{more}",
            pairs.join("; ")
        )
    })
}
