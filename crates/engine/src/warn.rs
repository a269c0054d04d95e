//! What the reader of a ranking must know.

use crate::{Job, Report, Row};
use evenhand_protocols::Form;
use evenhand_stats::Ranking;

/// Above this share of failures a ranking may be that of the answers that the judge could judge.
const MANY_FAILURES: f64 = 0.05;
/// Above this share a judge has not answered what it was asked.
const MUCH_OUTSIDE: f64 = 0.5;

/// About the judge and its verdicts.
pub(crate) fn of_judgments(job: &Job, report: &Report) -> Vec<String> {
    [position(report), small_judge(job), failures(report), outside(report), missing(job)].into_iter().flatten().collect()
}

/// About the scores that were made of them.
pub(crate) fn of_ranking(report: &Report, ranking: &Ranking) -> Vec<String> {
    [disconnected(report), unfinished(ranking), unseparated(report)].into_iter().flatten().collect()
}

/// A judge that decides by position is consistent on no pair, one that tosses a coin on half of them.
fn position(report: &Report) -> Option<String> {
    let share = report.consistency.as_ref()?;
    let high = share.ci.map_or(share.value, |ci| ci[1]);
    (high <= 0.5).then(|| {
        format!(
            "the judge keeps its verdict on {:.0} % of pairs when the two responses change places (a coin: 50 %): the order of this ranking is not supported by it",
            100.0 * share.value
        )
    })
}

/// What was measured of the likelihood form with the small default model; see docs/design/embedded-engine.md.
fn small_judge(job: &Job) -> Option<String> {
    (job.protocol.form() == Form::Likelihood).then(|| {
        "the likelihood of a small model tells answers that are on topic from those that are off, and weak systems from strong ones; it does not tell strong from stronger, and it leans to short answers and to words of its own (self-preference)".into()
    })
}

fn failures(report: &Report) -> Option<String> {
    let coverage = &report.coverage;
    let failed = coverage.trials - coverage.verdicts;
    let kinds: Vec<String> = coverage.failures.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let many = failed as f64 > MANY_FAILURES * coverage.trials as f64;
    many.then(|| format!("{failed} of {} trials have no verdict ({}); they count for nobody", coverage.trials, kinds.join(", ")))
}

fn outside(report: &Report) -> Option<String> {
    report.outside.filter(|outside| *outside > MUCH_OUTSIDE).map(|outside| {
        format!(
            "on average {:.0} % of the judge's probability lay on none of the answers asked for: it hardly answers the question",
            100.0 * outside
        )
    })
}

fn missing(job: &Job) -> Option<String> {
    let items = job.dataset.missing.len();
    (items > 0).then(|| {
        let shown: Vec<String> = job.dataset.missing.iter().take(3).map(ToString::to_string).collect();
        let more = if items > shown.len() { format!(" and {} more", items - shown.len()) } else { String::new() };
        format!("{items} of {} items lack a response of some system: {}{more}", job.dataset.items.len(), shown.join(", "))
    })
}

fn disconnected(report: &Report) -> Option<String> {
    (!report.components.is_empty()).then(|| {
        let groups: Vec<String> = report.components.iter().map(|group| group.join(", ")).collect();
        format!("no chain of comparisons links these groups, and nothing can be said between them: {}", groups.join(" | "))
    })
}

fn unfinished(ranking: &Ranking) -> Option<String> {
    let fit = ranking.fit.filter(|fit| !fit.converged)?;
    Some(format!(
        "the fit did not converge in {} iterations (gradient {:.2e}): do not trust the scores",
        fit.iterations, fit.gradient
    ))
}

/// Neighbours in the ranking whose rank intervals both cover the other's rank.
fn unseparated(report: &Report) -> Option<String> {
    let covers = |row: &Row, other: &Row| {
        let (Some([low, high]), Some(rank)) = (row.rank_ci, other.rank) else { return false };
        (low..=high).contains(&rank)
    };
    let pairs: Vec<String> = report
        .ranking
        .windows(2)
        .filter(|pair| covers(&pair[0], &pair[1]) && covers(&pair[1], &pair[0]))
        .map(|pair| format!("{} and {}", pair[0].system, pair[1].system))
        .collect();
    (!pairs.is_empty()).then(|| format!("these neighbours are not told apart: {}", pairs.join("; ")))
}
