//! What keeps a leaderboard comparable from one edition to the next: a system that stays at its
//! rating, and a number of battles below which nobody is ranked.

use super::LeaderboardOptions;
use crate::method::Ci;
use crate::report::data::PairRow;
use crate::{RankOptions, Report, ScoreUnit};
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A system whose rating stays what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// The system.
    pub system: String,
    /// Its rating, in the ranking's unit.
    pub rating: f64,
}

/// What was done to keep the leaderboard comparable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct UpkeepReport {
    /// The system whose rating is fixed: scores are differences from it, and so are their
    /// intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The number of battles that a system must have; 0 for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub min_battles: u64,
    /// The systems that have fewer, which are left out with their battles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Ranks with upkeep: systems with few battles are left out first, then the anchor is set.
pub(super) fn rank_with_upkeep(
    options: &LeaderboardOptions,
    rank: fn(&LeaderboardOptions) -> Result<Report, EngineError>,
) -> Result<Report, EngineError> {
    let mut kept = options.clone();
    // The interval of a score becomes that of its difference from the anchor. Scores without
    // intervals have none to move.
    kept.rank.differences |= options.anchor.is_some() && options.rank.ci != Ci::None;
    let mut left_out = Vec::new();
    if options.min_battles > 0 {
        let without_intervals = LeaderboardOptions {
            rank: RankOptions {
                ci: Ci::None,
                differences: false,
                drop: false,
                ..options.rank.clone()
            },
            ..options.clone()
        };
        let counted = rank(&without_intervals)?;
        let mut frequent = Vec::new();
        for row in counted.ranking {
            if row.n >= options.min_battles {
                frequent.push(row.system);
            } else {
                left_out.push(row.system);
            }
        }
        if frequent.is_empty() {
            return Err(Refusal::of_input(format!(
                "--min-battles {}: no system has as many",
                options.min_battles
            ))
            .into());
        }
        kept.systems = Some(frequent);
    }
    let mut report = rank(&kept)?;
    report.upkeep = Some(UpkeepReport {
        anchor: options.anchor.clone(),
        min_battles: options.min_battles,
        left_out,
    });
    if let Some(anchor) = &options.anchor {
        set_anchor(&mut report, anchor)?;
        if !options.rank.differences {
            report.differences.clear();
        }
    }
    Ok(report)
}

/// Moves all scores so that the anchor has its rating. The interval of a score becomes that of its
/// difference from the anchor: the anchor's own has no width.
fn set_anchor(report: &mut Report, anchor: &Anchor) -> Result<(), Refusal> {
    let Anchor { system, rating } = anchor;
    let refuse = |why: &str| Refusal::of_input(format!("--anchor {system}={rating}: {why}"));
    if report.unit != ScoreUnit::FittedElo {
        return Err(refuse(
            "only strengths on Elo's scale have an origin to choose",
        ));
    }
    let own = report.ranking.iter().find(|row| row.system == *system);
    let own = own.ok_or_else(|| refuse("it is not ranked here"))?;
    let origin = own.score.ok_or_else(|| refuse("it has no finite score"))?;
    for row in &mut report.ranking {
        row.score = row.score.map(|score| score - origin + rating);
        let ends = if row.system == *system {
            Some([Some(*rating); 2])
        } else {
            let ends = difference_from(&report.differences, &row.system, system);
            ends.map(|ends| ends.map(|end| end.map(|end| end + rating)))
        };
        row.ci = row.ci.and(ends);
    }
    report.unit = ScoreUnit::AnchoredElo;
    Ok(())
}

/// The interval of one system's difference from another.
fn difference_from(differences: &[PairRow], system: &str, other: &str) -> Option<[Option<f64>; 2]> {
    differences.iter().find_map(|row| {
        let [low, high] = row.ci?;
        match (row.a.as_str(), row.b.as_str()) {
            (a, b) if (a, b) == (system, other) => Some([low, high]),
            (a, b) if (b, a) == (system, other) => {
                Some([high.map(|end| -end), low.map(|end| -end)])
            }
            _ => None,
        }
    })
}
