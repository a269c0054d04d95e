//! Rows of a report: the ranking, its fit, and the judgments that carry the leader.

use super::data::{DroppedJudgments, FitRow, LeaderDrop, NoScore, RankingRow};
use crate::rank::scored::{Scored, Standing};
use evenhand_stats::inference::{Dropped, JudgmentDrop, PairOutcome};
use evenhand_stats::{Estimate, Fit, Interval};

/// Returns a row for each system, in rank order.
pub(super) fn ranking_rows(names: &[String], scored: &Scored) -> Vec<RankingRow> {
    let order = scored.rank_order().into_iter();
    order
        .map(|system| ranking_row(&names[system], &scored.systems[system]))
        .collect()
}

fn ranking_row(name: &str, standing: &Standing) -> RankingRow {
    let interval = standing.interval.as_ref();
    RankingRow {
        system: name.into(),
        score: standing.estimate.finite(),
        ci: interval
            .and_then(|interval| interval.as_ref().ok())
            .map(|interval| [interval.low, interval.high]),
        rank: standing.rank,
        rank_ci: standing.rank_interval,
        standard_error: standing.standard_error,
        n: standing.n,
        raw_win_rate: None,
        no_score: no_score(standing.estimate),
        note: note_on_standing(standing),
    }
}

fn no_score(estimate: Estimate) -> Option<NoScore> {
    match estimate {
        Estimate::Finite(_) => None,
        Estimate::PlusInfinity => Some(NoScore::WonAll),
        Estimate::MinusInfinity => Some(NoScore::LostAll),
        Estimate::Undefined(_) => Some(NoScore::Undefined),
    }
}

/// Says why a score, its interval or an end of that is missing.
fn note_on_standing(standing: &Standing) -> Option<String> {
    match (standing.estimate, &standing.interval) {
        (Estimate::PlusInfinity, _) => {
            Some("it won every comparison: no finite score exists".into())
        }
        (Estimate::MinusInfinity, _) => {
            Some("it lost every comparison: no finite score exists".into())
        }
        (Estimate::Undefined(why), _) => Some(format!("no score: {why}")),
        (_, Some(Err(why))) => Some(format!("no interval: {why}")),
        (_, Some(Ok(interval))) => note_on_open_interval(standing, interval),
        _ => None,
    }
}

fn note_on_open_interval(standing: &Standing, interval: &Interval) -> Option<String> {
    if interval.low.is_some() && interval.high.is_some() {
        return None;
    }
    let unranked = if standing.rank_interval.is_none() {
        ", so that its rank has no interval"
    } else {
        ""
    };
    Some(format!(
        "no finite score in {} of {} resamples{unranked}",
        interval.infinite + interval.undefined,
        interval.rounds
    ))
}

pub(super) fn fit_row(fit: Fit) -> FitRow {
    FitRow {
        iterations: fit.iterations,
        gradient: fit.gradient,
        converged: fit.converged,
    }
}

/// Returns the groups of systems that comparisons link; none where they link all.
pub(super) fn components_by_name(names: &[String], scored: &Scored) -> Vec<Vec<String>> {
    if scored.components.len() < 2 {
        return Vec::new();
    }
    let groups = scored.components.iter();
    groups
        .map(|group| group.iter().map(|&system| names[system].clone()).collect())
        .collect()
}

pub(super) fn dropped_judgments(
    names: &[String],
    found: &Result<JudgmentDrop, String>,
) -> LeaderDrop {
    match found {
        Ok(drop) => LeaderDrop {
            leader: Some(names[drop.above].clone()),
            instead: Some(names[drop.below].clone()),
            judgments: Some(drop.removed),
            share: Some(drop.share),
            verified: drop.verified,
            removed: drop
                .cells
                .iter()
                .map(|cell| dropped_row(names, cell))
                .collect(),
            note: None,
        },
        Err(why) => LeaderDrop {
            note: Some(why.clone()),
            ..LeaderDrop::default()
        },
    }
}

fn dropped_row(names: &[String], cell: &Dropped) -> DroppedJudgments {
    let winner = match cell.outcome {
        PairOutcome::Win => "a",
        PairOutcome::Tie => "tie",
        PairOutcome::Loss => "b",
    };
    DroppedJudgments {
        a: names[cell.a].clone(),
        b: names[cell.b].clone(),
        winner,
        judgments: cell.weight,
    }
}
