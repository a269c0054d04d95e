//! What keeps a leaderboard comparable from one edition to the next: a system that stays at its
//! rating, and a number of battles below which nobody is ranked.

use super::{LeaderboardOptions, leaderboard_of_files};
use crate::rank::method::Ci;
use crate::report::data::PairRow;
use crate::{EngineError, RankOptions, Report, ScoreUnit};
use evenhand_core::Refusal;
use serde::{Deserialize, Serialize};

/// A system whose rating stays what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The system.
    pub system: String,
    /// Its rating, in the ranking's unit.
    pub rating: f64,
}

/// What was done to keep the leaderboard comparable.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UpkeepReport {
    /// The system whose rating is fixed: scores are differences from it, and so are their
    /// intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The number of battles that a system must have; 0 for none.
    #[serde(skip_serializing_if = "is_none")]
    pub min_battles: u64,
    /// The systems that have fewer, which are left out with their battles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Ranks with upkeep: systems with few battles are left out first, then the anchor is set.
pub(super) fn rank_with_upkeep(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let (kept, left_out) = keep_frequent(options)?;
    let mut report = leaderboard_of_files(&kept)?;
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

/// Returns the options with the systems that have battles enough, and the names of the others.
fn keep_frequent(
    options: &LeaderboardOptions,
) -> Result<(LeaderboardOptions, Vec<String>), EngineError> {
    let mut kept = options.clone();
    // Scores without intervals have none to move.
    kept.rank.differences |= options.anchor.is_some() && options.rank.ci != Ci::None;
    if options.min_battles == 0 {
        return Ok((kept, Vec::new()));
    }
    let counted = leaderboard_of_files(&without_intervals(options))?;
    let is_frequent = |n: u64| n >= options.min_battles;
    let (frequent, rare): (Vec<_>, Vec<_>) =
        counted.ranking.iter().partition(|row| is_frequent(row.n));
    if frequent.is_empty() {
        return Err(refuse_all(options.min_battles).into());
    }
    kept.systems = Some(frequent.iter().map(|row| row.system.clone()).collect());
    Ok((kept, rare.iter().map(|row| row.system.clone()).collect()))
}

fn without_intervals(options: &LeaderboardOptions) -> LeaderboardOptions {
    LeaderboardOptions {
        rank: RankOptions {
            ci: Ci::None,
            differences: false,
            drop: false,
            ..options.rank.clone()
        },
        ..options.clone()
    }
}

fn refuse_all(battles: u64) -> Refusal {
    Refusal::of_input(format!("--min-battles {battles}: no system has as many"))
}

/// Moves all scores so that the anchor has its rating. The interval of a score becomes that of its
/// difference from the anchor: the anchor's own has no width.
fn set_anchor(report: &mut Report, anchor: &Anchor) -> Result<(), EngineError> {
    check_unit(report, anchor)?;
    let own = report
        .ranking
        .iter()
        .find(|row| row.system == anchor.system);
    let own = own.ok_or_else(|| refuse_anchor(anchor, "it is not ranked here"))?;
    let score = own
        .score
        .ok_or_else(|| refuse_anchor(anchor, "it has no finite score"))?;
    let differences = std::mem::take(&mut report.differences);
    for row in &mut report.ranking {
        row.score = row.score.map(|found| found - score + anchor.rating);
        row.ci = row.ci.and(ends_from(&differences, &row.system, anchor));
    }
    report.differences = differences;
    report.unit = ScoreUnit::AnchoredElo;
    Ok(())
}

/// The interval of a system's difference from the anchor, around the anchor's rating.
fn ends_from(differences: &[PairRow], system: &str, anchor: &Anchor) -> Option<[Option<f64>; 2]> {
    if system == anchor.system {
        return Some([Some(anchor.rating); 2]);
    }
    let is = |row: &&PairRow| {
        let pair = (row.a.as_str(), row.b.as_str());
        pair == (system, &anchor.system) || pair == (&anchor.system, system)
    };
    let row = differences.iter().find(is)?;
    let [low, high] = row.ci?;
    let ends = match row.a == system {
        true => [low, high],
        false => [high.map(|end| -end), low.map(|end| -end)],
    };
    Some(ends.map(|end| end.map(|end| end + anchor.rating)))
}

fn check_unit(report: &Report, anchor: &Anchor) -> Result<(), EngineError> {
    match report.unit {
        ScoreUnit::FittedElo => Ok(()),
        _ => Err(refuse_anchor(
            anchor,
            "only strengths on Elo's scale have an origin to choose",
        )
        .into()),
    }
}

fn refuse_anchor(anchor: &Anchor, why: &str) -> Refusal {
    let Anchor { system, rating } = anchor;
    Refusal::of_input(format!("--anchor {system}={rating}: {why}"))
}
