//! Scores to the rows of a report.

use crate::rank::score::{Adjust, Method, Scored, Standing};
use crate::report::warn::of_ranking;
use crate::report::{Drop, FitRow, NoScore, PairRow, Removed, Row};
use crate::{RankScale, Report};
use evenhand_stats::inference::{Dropped, JudgmentDrop, PairOutcome};
use evenhand_stats::{Estimate, StrengthScale, benjamini_hochberg, holm};

impl Report {
    /// The report with its ranking, and with all that the scores say.
    pub(crate) fn with(
        mut self,
        names: &[String],
        scored: Scored,
        method: &Method,
        scale: RankScale,
    ) -> Report {
        let scale = match scale {
            RankScale::Elo => StrengthScale::Elo,
            RankScale::LogOdds => StrengthScale::LogOdds,
        };
        let scored = if method.aggregation.is_log_odds() {
            scored.on(scale)
        } else {
            scored
        };
        self.ranking = order(&scored)
            .into_iter()
            .map(|system| row(&names[system], &scored.systems[system]))
            .collect();
        self.components = components(names, &scored);
        self.fit = scored.fit.map(|fit| FitRow {
            iterations: fit.iterations,
            gradient: fit.gradient,
            converged: fit.converged,
        });
        self.prior = method.prior.map(evenhand_stats::Ridge::weight);
        self.differences = differences(names, &scored, method.adjust);
        self.drop = scored.drop.as_ref().map(|found| dropped(names, found));
        self.warnings.extend(of_ranking(&self, &scored));
        self
    }
}

/// The systems in rank order; those without a rank last.
pub(crate) fn order(scored: &Scored) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scored.systems.len()).collect();
    let place = |system: &usize| {
        let standing = &scored.systems[*system];
        let infinite = match standing.estimate {
            Estimate::PlusInfinity => 0,
            Estimate::Finite(_) => 1,
            Estimate::MinusInfinity => 2,
            Estimate::Undefined(_) => 3,
        };
        (standing.rank.unwrap_or(u32::MAX), infinite)
    };
    order.sort_by_key(place);
    order
}

fn row(name: &str, standing: &Standing) -> Row {
    Row {
        system: name.into(),
        score: standing.estimate.finite(),
        ci: standing
            .interval
            .as_ref()
            .and_then(|interval| interval.as_ref().ok())
            .map(|ci| [ci.low, ci.high]),
        rank: standing.rank,
        rank_ci: standing.rank_interval,
        standard_error: standing.standard_error,
        n: standing.n,
        raw_win_rate: None,
        no_score: no_score(standing.estimate),
        note: note(standing),
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

fn note(standing: &Standing) -> Option<String> {
    match (standing.estimate, &standing.interval) {
        (Estimate::PlusInfinity, _) => {
            Some("it won every comparison: no finite score exists".into())
        }
        (Estimate::MinusInfinity, _) => {
            Some("it lost every comparison: no finite score exists".into())
        }
        (Estimate::Undefined(why), _) => Some(format!("no score: {why}")),
        (_, Some(Err(why))) => Some(format!("no interval: {why}")),
        (_, Some(Ok(ci))) if ci.low.is_none() || ci.high.is_none() => {
            let unranked = if standing.rank_interval.is_none() {
                ", so that its rank has no interval"
            } else {
                ""
            };
            Some(format!(
                "no finite score in {} of {} resamples{unranked}",
                ci.infinite + ci.undefined,
                ci.rounds
            ))
        }
        _ => None,
    }
}

fn components(names: &[String], scored: &Scored) -> Vec<Vec<String>> {
    let groups = || {
        scored
            .components
            .iter()
            .map(|group| group.iter().map(|&system| names[system].clone()).collect())
            .collect()
    };
    if scored.components.len() > 1 {
        groups()
    } else {
        Vec::new()
    }
}

/// The p-values of the pairs that have one, adjusted for their number.
fn adjusted(scored: &Scored, adjust: Adjust) -> Vec<f64> {
    let p: Vec<f64> = scored
        .differences
        .iter()
        .filter_map(|pair| Some(pair.difference.as_ref().ok()?.p_value))
        .collect();
    let adjusted = match (adjust, &scored.joint) {
        (Adjust::Joint, Some((joint, _))) => Ok(joint.iter().flatten().copied().collect()),
        (Adjust::Joint | Adjust::Holm, _) => holm(&p),
        (Adjust::BenjaminiHochberg, _) => benjamini_hochberg(&p),
        (Adjust::None, _) => Ok(p),
    };
    adjusted.unwrap_or_default()
}

/// In rank order of the first, then of the second.
fn differences(names: &[String], scored: &Scored, adjust: Adjust) -> Vec<PairRow> {
    let mut adjusted = adjusted(scored, adjust).into_iter();
    let least = scored
        .joint
        .as_ref()
        .map(|(_, least)| *least * (1.0 + 1e-9));
    let order = order(scored);
    let place = |system: usize| order.iter().position(|&other| other == system);
    let mut rows: Vec<_> = scored
        .differences
        .iter()
        .map(|pair| {
            let turn = place(pair.a) > place(pair.b);
            let (a, b) = if turn {
                (pair.b, pair.a)
            } else {
                (pair.a, pair.b)
            };
            let mut row = PairRow {
                a: names[a].clone(),
                b: names[b].clone(),
                difference: None,
                ci: None,
                p: None,
                p_adjusted: None,
                p_is_bound: false,
                p_adjusted_is_bound: false,
                note: None,
            };
            match &pair.difference {
                Ok(found) => {
                    row.difference = Some(if turn {
                        -found.difference
                    } else {
                        found.difference
                    });
                    let (low, high) = (found.interval.low, found.interval.high);
                    row.ci = Some(if turn {
                        [high.map(|x| -x), low.map(|x| -x)]
                    } else {
                        [low, high]
                    });
                    row.p = Some(found.p_value);
                    row.p_adjusted = adjusted.next();
                    row.p_is_bound = least.is_some_and(|least| found.p_value <= least);
                    let joint = adjust == Adjust::Joint;
                    let decides = if joint { row.p_adjusted } else { row.p };
                    row.p_adjusted_is_bound =
                        least.is_some_and(|least| decides.is_some_and(|p| p <= least));
                }
                Err(reason) => row.note = Some(reason.to_string()),
            }
            (place(a), place(b), row)
        })
        .collect();
    rows.sort_by_key(|row| (row.0, row.1));
    rows.into_iter().map(|row| row.2).collect()
}

fn dropped(names: &[String], found: &Result<JudgmentDrop, String>) -> Drop {
    match found {
        Ok(drop) => Drop {
            leader: Some(names[drop.above].clone()),
            instead: Some(names[drop.below].clone()),
            judgments: Some(drop.removed),
            share: Some(drop.share),
            verified: drop.verified,
            removed: drop.cells.iter().map(|cell| removed(names, cell)).collect(),
            note: None,
        },
        Err(why) => Drop {
            note: Some(why.clone()),
            ..Drop::default()
        },
    }
}

fn removed(names: &[String], cell: &Dropped) -> Removed {
    let winner = match cell.outcome {
        PairOutcome::Win => "a",
        PairOutcome::Tie => "tie",
        PairOutcome::Loss => "b",
    };
    Removed {
        a: names[cell.a].clone(),
        b: names[cell.b].clone(),
        winner,
        judgments: cell.weight,
    }
}
