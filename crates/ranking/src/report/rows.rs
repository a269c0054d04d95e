//! Rows of a report: the ranking, its fit, the judgments that carry the leader, and the differences
//! of two systems each.

use super::data::{DroppedJudgments, FitRow, LeaderDrop, NoScore, PairRow, RankingRow};
use crate::Adjust;
use crate::score::{NoDrop, Scored, Standing};
use evenhand_stats::inference::{JudgmentDrop, PairOutcome};
use evenhand_stats::{Estimate, Fit, benjamini_hochberg, holm};
use std::ops::Neg;

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
        // The places of those that it is better than, as ranges.
        let worse = &mut below[system];
        worse.sort_unstable();
        let runs = worse.chunk_by(|place, next| place + 1 == *next);
        let ranges = runs.map(|run| [run[0], run[run.len() - 1]]).collect();
        let standing = &scored.systems[system];
        let interval = standing.interval.as_ref();
        let interval = interval.and_then(|interval| interval.as_ref().ok());
        RankingRow {
            system: names[system].clone(),
            score: standing.estimate.finite(),
            ci: interval.map(|interval| [interval.low, interval.high]),
            rank: standing.rank,
            rank_ci: standing.rank_interval,
            better_than: is_joint.then_some(ranges),
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
        winner: match cell.outcome {
            PairOutcome::Win => "a",
            PairOutcome::Tie => "tie",
            PairOutcome::Loss => "b",
        },
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

/// Returns a row for each pair, the better system first, in rank order of the first and then of
/// the second.
pub(super) fn pair_rows(names: &[String], scored: &Scored, adjust: Adjust) -> Vec<PairRow> {
    let pairs = &scored.differences;
    // Where each system stands in the ranking.
    let order = scored.rank_order();
    let mut places = vec![0; order.len()];
    for (place, system) in order.iter().enumerate() {
        places[*system] = place;
    }
    let joint = scored.joint.as_ref();
    // A little more, so that rounding does not hide an equal.
    let least = joint
        .and_then(|joint| joint.least)
        .map(|least| least * (1.0 + 1e-9));
    let is_bound = |p: Option<f64>| p.zip(least).is_some_and(|(p, least)| p <= least);
    let p_values: Vec<f64> = pairs.iter().filter_map(|pair| pair.p_value).collect();
    let several = match adjust {
        Adjust::Joint => None,
        Adjust::Holm => holm(&p_values).ok(),
        Adjust::BenjaminiHochberg => benjamini_hochberg(&p_values).ok(),
        Adjust::None => Some(p_values),
    };
    let mut several = several.map(Vec::into_iter);
    let mut rows = Vec::new();
    for pair in pairs {
        let turned = places[pair.a] > places[pair.b];
        let [a, b] = match turned {
            true => [pair.b, pair.a],
            false => [pair.a, pair.b],
        };
        let sign = if turned { -1.0 } else { 1.0 };
        let (difference, note) = match &pair.difference {
            Ok(difference) => {
                // What was compared has an interval, but for means that differ alike throughout.
                let is_bare = pair.interval.is_none() && pair.p_value.is_some();
                let why =
                    is_bare.then(|| "no interval: the difference is the same throughout".into());
                (Some(sign * difference), why)
            }
            Err(reason) => (None, Some(reason.with_names(names))),
        };
        let ci = pair.interval.map(|interval| match turned {
            true => [interval.high, interval.low].map(|end| end.map(Neg::neg)),
            false => [interval.low, interval.high],
        });
        let p_adjusted = match &mut several {
            None => joint.and_then(|joint| joint.p_adjusted(pair.a, pair.b)),
            Some(adjusted) => pair.p_value.and_then(|_| adjusted.next()),
        };
        let row = PairRow {
            a: names[a].clone(),
            b: names[b].clone(),
            difference,
            ci,
            p: pair.p_value,
            p_adjusted,
            p_is_bound: is_bound(pair.p_value),
            p_adjusted_is_bound: match adjust {
                Adjust::Joint => is_bound(p_adjusted),
                _ => is_bound(pair.p_value),
            },
            note,
        };
        rows.push(([places[a], places[b]], row));
    }
    rows.sort_by_key(|(places, _)| *places);
    rows.into_iter().map(|(_, row)| row).collect()
}
