//! Rows of a report: the ranking, its fit, and the judgments that carry the leader.

use super::data::{DroppedJudgments, FitRow, LeaderDrop, NoScore, RankingRow};
use crate::scored::{NoDrop, Scored, Standing};
use evenhand_stats::inference::{JudgmentDrop, PairOutcome};
use evenhand_stats::{Estimate, Fit};

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
    let is_joint = scored.joint.is_some();
    let rows = order.iter().map(|&system| {
        let standing = &scored.systems[system];
        let interval = standing.interval.as_ref();
        let interval = interval.and_then(|interval| interval.as_ref().ok());
        RankingRow {
            system: names[system].clone(),
            score: standing.estimate.finite(),
            ci: interval.map(|interval| [interval.low, interval.high]),
            rank: standing.rank,
            rank_ci: standing.rank_interval,
            better_than: is_joint.then(|| ranges_of(&mut below[system])),
            standard_error: standing.standard_error,
            n: standing.n,
            raw_win_rate: None,
            no_score: match standing.estimate {
                Estimate::Finite(_) => None,
                Estimate::PlusInfinity => Some(NoScore::WonAll),
                Estimate::MinusInfinity => Some(NoScore::LostAll),
                Estimate::Undefined(_) => Some(NoScore::Undefined),
            },
            note: note_on_standing(standing),
        }
    });
    rows.collect()
}

/// Numbers as ranges, first and last, in ascending order.
fn ranges_of(numbers: &mut [usize]) -> Vec<[usize; 2]> {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|number, next| number + 1 == *next);
    runs.map(|run| [run[0], run[run.len() - 1]]).collect()
}

/// Says why a score, its interval or an end of that is missing.
fn note_on_standing(standing: &Standing) -> Option<String> {
    match standing.estimate {
        Estimate::PlusInfinity => {
            return Some("it won every comparison: no finite score exists".into());
        }
        Estimate::MinusInfinity => {
            return Some("it lost every comparison: no finite score exists".into());
        }
        Estimate::Undefined(why) => return Some(format!("no score: {why}")),
        Estimate::Finite(_) => {}
    }
    match standing.interval.as_ref()? {
        Err(why) => Some(format!("no interval: {why}")),
        Ok(interval) => {
            let (rounds, infinite) = (interval.rounds, interval.infinite + interval.undefined);
            let is_open = interval.low.is_none() || interval.high.is_none();
            is_open.then(|| format!("no finite score in {infinite} of {rounds} resamples"))
        }
    }
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
    let named = |group: &Vec<usize>| group.iter().map(|system| names[*system].clone()).collect();
    scored.components.iter().map(named).collect()
}

pub(super) fn dropped_judgments(
    names: &[String],
    found: &Result<JudgmentDrop, NoDrop>,
) -> LeaderDrop {
    let unknown = |why: String| LeaderDrop {
        note: Some(why),
        ..LeaderDrop::default()
    };
    let drop = match found {
        Ok(drop) => drop,
        Err(NoDrop::Method(why)) => return unknown((*why).into()),
        Err(NoDrop::Data(why)) => return unknown(why.with_names(names)),
    };
    let removed = drop.cells.iter().map(|cell| DroppedJudgments {
        a: names[cell.a].clone(),
        b: names[cell.b].clone(),
        winner: winner_name(cell.outcome),
        judgments: cell.weight,
    });
    LeaderDrop {
        leader: Some(names[drop.above].clone()),
        instead: Some(names[drop.below].clone()),
        judgments: Some(drop.removed),
        share: Some(drop.share),
        verified: drop.verified,
        removed: removed.collect(),
        note: None,
    }
}

fn winner_name(outcome: PairOutcome) -> &'static str {
    match outcome {
        PairOutcome::Win => "a",
        PairOutcome::Tie => "tie",
        PairOutcome::Loss => "b",
    }
}
