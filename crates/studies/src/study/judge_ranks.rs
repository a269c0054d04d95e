//! The judges of an input set, ranked by how well their benchers agree with people (Gao et al.
//! 2024, table 2).

use super::{StudyReport, StudyRow, settings};
use crate::Figure;
use evenhand_stats::{Error, Estimate, Undefined, competition_ranks, rank_interval};
use schemars::JsonSchema;
use serde::Serialize;

/// Differences of rho below this are rounding, and no difference of judges.
const RESOLUTION: f64 = 1e-9;

/// One judge on one input set.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgeRank {
    /// The input set.
    pub input: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type: the first of the judge's that compares pairs.
    #[serde(rename = "type")]
    pub kind: String,
    /// Spearman's rho of its ranking and people's ratings, by Bradley-Terry.
    pub rho: Figure,
    /// Its rank among the judges of the input set, 1 the best; equals share the better one. None
    /// where rho is undefined.
    pub rank: Option<u32>,
    /// The ends of the rank's interval over items; None without rounds.
    pub rank_low: Option<u32>,
    /// See `rank_low`.
    pub rank_high: Option<u32>,
}

/// Ranks the judges of every input set, in the order of its first bencher.
///
/// # Errors
/// A bad level.
pub(super) fn rank_judges(report: &StudyReport) -> Result<Vec<JudgeRank>, Error> {
    // The benchers that judges are measured by, by input set; one for each judge, of its first
    // evaluation type.
    let mut groups: Vec<Vec<&StudyRow>> = Vec::new();
    for row in report.rows.iter().filter(|row| settings::is_measured(row)) {
        match groups.iter_mut().find(|group| group[0].input == row.input) {
            Some(group) if group.iter().any(|known| known.judge == row.judge) => {}
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut ranked = Vec::new();
    for group in groups {
        ranked.extend(ranks_of(&group, report.plan.level)?);
    }
    Ok(ranked)
}

/// Ranks the judges of one input set.
fn ranks_of(group: &[&StudyRow], level: f64) -> Result<Vec<JudgeRank>, Error> {
    let rhos = group.iter().map(|row| row.bencher.figures.spearman.value);
    let estimates: Vec<Estimate> = rhos
        .map(|rho| rho.map_or(Estimate::Undefined(Undefined::NoRank), Estimate::Finite))
        .collect();
    let ranks = competition_ranks(&estimates, RESOLUTION);
    // Judges of the same items have the same rounds, so that what the items have in common cancels;
    // none unless all judges have as many.
    let counts = group.iter().map(|row| row.rho_rounds.len());
    let rounds: Vec<Vec<Option<u32>>> = (0..counts.min().unwrap_or(0))
        .map(|round| {
            let rhos = group.iter().map(|row| row.rho_rounds[round]);
            competition_ranks(&rhos.collect::<Vec<_>>(), RESOLUTION)
        })
        .collect();
    let mut found = Vec::new();
    for (at, (row, rank)) in group.iter().zip(ranks).enumerate() {
        let own: Vec<Option<u32>> = rounds.iter().map(|round| round[at]).collect();
        let interval = match rank_interval(&own, group.len(), level) {
            Ok(interval) => rank.is_some().then_some(interval),
            Err(Error::Undefined(_)) => None,
            Err(error) => return Err(error),
        };
        found.push(JudgeRank {
            input: row.input.clone(),
            judge: row.judge.clone(),
            kind: row.kind.clone(),
            rho: row.bencher.figures.spearman.clone(),
            rank,
            rank_low: interval.as_ref().map(|interval| interval.low),
            rank_high: interval.as_ref().map(|interval| interval.high),
        });
    }
    Ok(found)
}
