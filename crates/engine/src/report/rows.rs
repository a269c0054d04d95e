//! Rows of a report: the ranking, its fit, and the judgments that carry the leader.

use super::data::{DroppedJudgments, FitRow, LeaderDrop, NoScore, RankingRow};
use crate::rank::scored::{NoDrop, Scored, Standing};
use evenhand_stats::inference::{Dropped, JudgmentDrop, PairOutcome};
use evenhand_stats::{Estimate, Fit, Interval};

/// Returns a row for each system, in rank order.
pub(super) fn ranking_rows(names: &[String], scored: &Scored) -> Vec<RankingRow> {
    let order = scored.rank_order();
    let mut places = vec![0; order.len()];
    for (place, &system) in (1..).zip(&order) {
        places[system] = place;
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for &(better, worse) in scored.joint.iter().flat_map(|joint| &joint.apart) {
        below[better].push(places[worse]);
    }
    let rows = order.iter().map(|&system| RankingRow {
        better_than: scored
            .joint
            .is_some()
            .then(|| ranges_of(&mut below[system])),
        ..ranking_row(&names[system], &scored.systems[system])
    });
    rows.collect()
}

/// Numbers as ranges, first and last, in ascending order.
fn ranges_of(numbers: &mut [usize]) -> Vec<[usize; 2]> {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|number, next| number + 1 == *next);
    runs.map(|run| [run[0], run[run.len() - 1]]).collect()
}

fn ranking_row(name: &str, standing: &Standing) -> RankingRow {
    RankingRow {
        system: name.into(),
        score: standing.estimate.finite(),
        ci: ends_of_interval(standing),
        rank: standing.rank,
        rank_ci: standing.rank_interval,
        better_than: None,
        standard_error: standing.standard_error,
        n: standing.n,
        raw_win_rate: None,
        no_score: no_score(standing.estimate),
        note: note_on_standing(standing),
    }
}

fn ends_of_interval(standing: &Standing) -> Option<[Option<f64>; 2]> {
    let interval = standing.interval.as_ref()?.as_ref().ok()?;
    Some([interval.low, interval.high])
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
    match standing.estimate {
        Estimate::PlusInfinity => Some(WON_ALL.into()),
        Estimate::MinusInfinity => Some(LOST_ALL.into()),
        Estimate::Undefined(why) => Some(format!("no score: {why}")),
        Estimate::Finite(_) => note_on_interval(standing),
    }
}

const WON_ALL: &str = "it won every comparison: no finite score exists";
const LOST_ALL: &str = "it lost every comparison: no finite score exists";

fn note_on_interval(standing: &Standing) -> Option<String> {
    match standing.interval.as_ref()? {
        Err(why) => Some(format!("no interval: {why}")),
        Ok(interval) => note_on_open_interval(interval),
    }
}

fn note_on_open_interval(interval: &Interval) -> Option<String> {
    let (rounds, infinite) = (interval.rounds, interval.infinite + interval.undefined);
    let is_open = interval.low.is_none() || interval.high.is_none();
    is_open.then(|| format!("no finite score in {infinite} of {rounds} resamples"))
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
    groups.map(|group| names_of(group, names)).collect()
}

fn names_of(systems: &[usize], names: &[String]) -> Vec<String> {
    let systems = systems.iter();
    systems.map(|system| names[*system].clone()).collect()
}

pub(super) fn dropped_judgments(
    names: &[String],
    found: &Result<JudgmentDrop, NoDrop>,
) -> LeaderDrop {
    match found {
        Ok(drop) => describe_drop(names, drop),
        Err(NoDrop::Method(why)) => unknown_drop((*why).into()),
        Err(NoDrop::Data(why)) => unknown_drop(why.with_names(names)),
    }
}

fn unknown_drop(why: String) -> LeaderDrop {
    LeaderDrop {
        note: Some(why),
        ..LeaderDrop::default()
    }
}

fn describe_drop(names: &[String], drop: &JudgmentDrop) -> LeaderDrop {
    let cells = drop.cells.iter();
    LeaderDrop {
        leader: Some(names[drop.above].clone()),
        instead: Some(names[drop.below].clone()),
        judgments: Some(drop.removed),
        share: Some(drop.share),
        verified: drop.verified,
        removed: cells.map(|cell| dropped_row(names, cell)).collect(),
        note: None,
    }
}

fn dropped_row(names: &[String], cell: &Dropped) -> DroppedJudgments {
    DroppedJudgments {
        a: names[cell.a].clone(),
        b: names[cell.b].clone(),
        winner: winner_name(cell.outcome),
        judgments: cell.weight,
    }
}

fn winner_name(outcome: PairOutcome) -> &'static str {
    match outcome {
        PairOutcome::Win => "a",
        PairOutcome::Tie => "tie",
        PairOutcome::Loss => "b",
    }
}
