//! The judges of an input set, ranked by how well their benchers agree with people (Gao et al. 2024,
//! table 2).

use super::{StudyReport, StudyRow, settings};
use crate::Figure;
use evenhand_stats::{Error, Estimate, RankInterval, Undefined, competition_ranks, rank_interval};
use serde::Serialize;

/// Differences of rho below this are rounding, and no difference of judges.
const RESOLUTION: f64 = 1e-9;

/// One judge on one input set.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    let mut ranked = Vec::new();
    for group in measured_groups(&report.rows) {
        ranked.extend(group.ranks(report.plan.level)?);
    }
    Ok(ranked)
}

/// Returns the benchers that judges are measured by, one for each judge of an input set.
fn measured_groups(rows: &[StudyRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in rows.iter().filter(|row| settings::is_measured(row)) {
        match groups.iter_mut().find(|group| group.is_of(row)) {
            Some(group) => group.add(row),
            None => groups.push(Group(vec![row])),
        }
    }
    groups
}

/// The benchers of one input set.
struct Group<'a>(Vec<&'a StudyRow>);

impl<'a> Group<'a> {
    fn is_of(&self, row: &StudyRow) -> bool {
        self.0.first().is_some_and(|first| first.input == row.input)
    }

    /// Adds a judge's bencher, unless an earlier evaluation type has measured the judge.
    fn add(&mut self, row: &'a StudyRow) {
        if !self.0.iter().any(|known| known.judge == row.judge) {
            self.0.push(row);
        }
    }

    fn ranks(&self, level: f64) -> Result<Vec<JudgeRank>, Error> {
        let ranks = competition_ranks(&self.estimates(), RESOLUTION);
        let rounds = self.ranks_in_rounds();
        let judges = self.0.iter().zip(ranks).enumerate();
        judges
            .map(|(at, (row, rank))| {
                let own: Vec<Option<u32>> = rounds.iter().map(|round| round[at]).collect();
                let interval = self.interval(&own, level)?;
                Ok(judge_rank(row, rank, interval))
            })
            .collect()
    }

    fn estimates(&self) -> Vec<Estimate> {
        let values = self.0.iter().map(|row| row.bencher.figures.spearman.value);
        values.map(rho_estimate).collect()
    }

    /// Returns the ranks of the judges in every round; none unless all judges have as many rounds.
    /// Judges of the same items have the same rounds, so that what the items have in common cancels.
    fn ranks_in_rounds(&self) -> Vec<Vec<Option<u32>>> {
        let counts = self.0.iter().map(|row| row.rho_rounds.len());
        let rounds = counts.min().unwrap_or(0);
        (0..rounds).map(|round| self.ranks_in(round)).collect()
    }

    fn ranks_in(&self, round: usize) -> Vec<Option<u32>> {
        let rhos = self.0.iter().map(|row| row.rho_rounds[round]);
        competition_ranks(&rhos.collect::<Vec<_>>(), RESOLUTION)
    }

    fn interval(&self, rounds: &[Option<u32>], level: f64) -> Result<Option<RankInterval>, Error> {
        match rank_interval(rounds, self.0.len(), level) {
            Ok(interval) => Ok(Some(interval)),
            Err(Error::Undefined(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn rho_estimate(rho: Option<f64>) -> Estimate {
    match rho {
        Some(rho) => Estimate::Finite(rho),
        None => Estimate::Undefined(Undefined::NoRank),
    }
}

fn judge_rank(row: &StudyRow, rank: Option<u32>, interval: Option<RankInterval>) -> JudgeRank {
    let interval = interval.filter(|_| rank.is_some());
    JudgeRank {
        input: row.input.clone(),
        judge: row.judge.clone(),
        kind: row.kind.clone(),
        rho: row.bencher.figures.spearman.clone(),
        rank,
        rank_low: interval.as_ref().map(|interval| interval.low),
        rank_high: interval.as_ref().map(|interval| interval.high),
    }
}
