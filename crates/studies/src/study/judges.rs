//! Judges held against each other: do the three ways of choosing one agree (Gao et al. 2025,
//! section 3.4, figure 3), and how do the judges of an input set rank (table 2)?

use super::joint_order::{JointOrder, RESOLUTION};
use super::{StudyReport, StudyRow};
use crate::Figure;
use crate::bencher::{BencherRow, CorrelationEnds};
use evenhand_protocols::{Protocol, Slots};
use evenhand_ranking::Aggregation;
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Undefined, competition_ranks, correlation_interval,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A measure of judges: one column of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Measure {
    /// 1: rankings of systems against ratings; 2: accuracy on labelled pairs; 3: rankings against
    /// people's labels aggregated.
    pub setting: u8,
    /// The input set.
    pub input: String,
    /// Each judge's figure: rho in settings 1 and 3, accuracy in setting 2.
    pub judges: BTreeMap<String, f64>,
}

/// How two measures order the judges that both have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Concordance {
    /// The first: its setting and input set.
    pub a: (u8, String),
    /// The second.
    pub b: (u8, String),
    /// Judges that have both.
    pub judges: usize,
    /// Spearman's rho of the two orders of the judges, as in the paper; its interval is over
    /// judges.
    pub rho: Figure,
    /// Kendall's tau-b of the two, likewise.
    pub tau_b: Figure,
}

/// Compares every two measures.
///
/// # Errors
/// A bad level or number of rounds.
pub(super) fn concordances(
    measures: &[Measure],
    plan: &Bootstrap,
) -> Result<Vec<Concordance>, Error> {
    let mut found = Vec::new();
    for (at, a) in measures.iter().enumerate() {
        for b in &measures[at + 1..] {
            let (x, y): (Vec<f64>, Vec<f64>) = a
                .judges
                .iter()
                .filter_map(|(judge, x)| Some((*x, *b.judges.get(judge)?)))
                .unzip();
            found.push(Concordance {
                a: (a.setting, a.input.clone()),
                b: (b.setting, b.input.clone()),
                judges: x.len(),
                rho: order_agreement(&x, &y, Correlation::Spearman, plan)?,
                tau_b: order_agreement(&x, &y, Correlation::KendallTauB, plan)?,
            });
        }
    }
    Ok(found)
}

/// Returns how alike two columns order the judges.
fn order_agreement(
    x: &[f64],
    y: &[f64],
    which: Correlation,
    plan: &Bootstrap,
) -> Result<Figure, Error> {
    let judges = x.len();
    if judges < 3 {
        return Ok(Figure::undefined(format!(
            "{judges} judges have both; an order of judges needs at least 3"
        )));
    }
    let interval = correlation_interval(x, y, which, plan);
    Figure::new(which.correlate(x, y), interval)
}

/// Returns every measure of the judges in the three settings, by the first evaluation type that
/// compares pairs; in settings 1 and 3 by Bradley-Terry, as in the paper.
pub(super) fn measures_of(report: &StudyReport) -> Vec<Measure> {
    let mut found = Vec::new();
    for row in &report.rows {
        if is_measured(row) {
            let rho = row.bencher.figures.spearman.value;
            note_figure(&mut found, (1, &row.input), &row.judge, rho);
        }
    }
    for (input, evaluation) in &report.labelled {
        if compares_pairs(&evaluation.kind) {
            let judge = &evaluation.judge;
            let accuracy = evaluation.total.measures.accuracy.value;
            let systems = evaluation.systems.as_ref();
            let rho = systems.and_then(|systems| systems.rho.value);
            note_figure(&mut found, (2, input), judge, accuracy);
            note_figure(&mut found, (3, input), judge, rho);
        }
    }
    found
}

/// Notes a judge's figure, unless it has one in this setting on this input set.
fn note_figure(
    measures: &mut Vec<Measure>,
    (setting, input): (u8, &str),
    judge: &str,
    value: Option<f64>,
) {
    let Some(value) = value else { return };
    let is_of = |measure: &Measure| measure.setting == setting && measure.input == input;
    let at = measures.iter().position(is_of).unwrap_or(measures.len());
    if at == measures.len() {
        measures.push(Measure {
            setting,
            input: input.into(),
            judges: BTreeMap::new(),
        });
    }
    let judges = &mut measures[at].judges;
    judges.entry(judge.into()).or_insert(value);
}

/// Whether a row is what its judge is measured by in setting 1.
fn is_measured(row: &StudyRow) -> bool {
    row.reference.is_none() && !row.pointwise && row.aggregation == Aggregation::BradleyTerry.name()
}

/// Whether a type compares two responses. One that is no protocol of ours is a name that a recorded
/// judge was given: its games are of pairs.
fn compares_pairs(kind: &str) -> bool {
    Protocol::parse(kind).map_or(true, |protocol| protocol.form().slots() == Slots::Two)
}

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
    /// The ends of the rank's interval over items, which hold for all judges of the input set
    /// together; None without rounds.
    pub rank_low: Option<u32>,
    /// See `rank_low`.
    pub rank_high: Option<u32>,
    /// How many rounds it takes to exclude any rank of so many judges, where there are fewer: the
    /// interval then holds all ranks. None where there are enough, or none.
    pub rounds_needed: Option<usize>,
}

/// Ranks the judges of every input set, in the order of its first bencher.
pub(super) fn rank_judges(report: &StudyReport) -> Vec<JudgeRank> {
    // The benchers that judges are measured by, by input set; one for each judge, of its first
    // evaluation type.
    let mut groups: Vec<Vec<&StudyRow>> = Vec::new();
    for row in report.rows.iter().filter(|row| is_measured(row)) {
        match groups.iter_mut().find(|group| group[0].input == row.input) {
            Some(group) if group.iter().any(|known| known.judge == row.judge) => {}
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut ranked = Vec::new();
    for group in groups {
        ranked.extend(ranks_of(&group, report.plan.level));
    }
    ranked
}

/// Ranks the judges of one input set.
fn ranks_of(group: &[&StudyRow], level: f64) -> Vec<JudgeRank> {
    let rhos = group.iter().map(|row| row.bencher.figures.spearman.value);
    let estimates: Vec<Estimate> = rhos
        .map(|rho| rho.map_or(Estimate::Undefined(Undefined::NoRank), Estimate::Finite))
        .collect();
    let ranks = competition_ranks(&estimates, RESOLUTION);
    // Judges of the same items have the same rounds, so that what the items have in common cancels;
    // none unless all judges have some.
    let order = JointOrder::new(group.iter().map(|row| &row.rho_rounds[..]).collect(), level);
    let has_rounds = group.iter().all(|row| !row.rho_rounds.is_empty());
    let end = |at: usize, side: usize| {
        let bencher: &BencherRow = &group[at].bencher;
        let ends = bencher.figures.spearman.ci;
        ends.filter(|_| bencher.ci.correlations == CorrelationEnds::Bounds)?[side]
    };
    let is_above = |one: usize, other: usize| {
        let ends = end(one, 0).zip(end(other, 1));
        order.is_better(one, other) && ends.is_some_and(|(low, high)| low > high)
    };
    let others = |at: usize| (0..group.len()).filter(move |other| *other != at);
    let mut found = Vec::new();
    for (at, (row, rank)) in group.iter().zip(ranks).enumerate() {
        // Those that are shown to be better are above it, and those that it is shown to be better
        // than are not (Mogstad et al. 2024). In rounds noise draws the rho of a noisy judge
        // further towards 0 than that of a steady one with the same order, so that the bounds of
        // what unlimited items would give must be apart too.
        let better = others(at).filter(|other| is_above(*other, at));
        let perhaps_above = others(at).filter(|other| !is_above(at, *other));
        let ends = rank.filter(|_| has_rounds).map(|rank| {
            let [low, high] = [better.count(), perhaps_above.count()];
            [rank.min(1 + low as u32), rank.max(1 + high as u32)]
        });
        found.push(JudgeRank {
            input: row.input.clone(),
            judge: row.judge.clone(),
            kind: row.kind.clone(),
            rho: row.bencher.figures.spearman.clone(),
            rank,
            rank_low: ends.map(|[low, _]| low),
            rank_high: ends.map(|[_, high]| high),
            rounds_needed: ends.and_then(|_| order.rounds_needed()),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_stats::draw_numbers;

    fn rows(rhos: &[f64], rounds: &[Vec<Estimate>]) -> Vec<StudyRow> {
        let both = rhos.iter().zip(rounds);
        both.map(|(rho, rounds)| {
            let mut row = StudyRow::default();
            row.bencher.figures.spearman = Figure {
                ci: Some([rho - 0.01, rho + 0.01].map(Some)),
                ..Figure::of_value(*rho)
            };
            row.bencher.ci.correlations = CorrelationEnds::Bounds;
            row.rho_rounds.clone_from(rounds);
            row
        })
        .collect()
    }

    fn ends(rows: &[StudyRow]) -> Vec<Option<(u32, u32)>> {
        let ranks = ranks_of(&rows.iter().collect::<Vec<_>>(), 0.95);
        let ends = ranks.iter().map(|one| one.rank_low.zip(one.rank_high));
        ends.collect()
    }

    /// Judges that are alike stand in any order in a round; each may be the first.
    #[test]
    fn judges_that_are_alike_may_all_be_first() {
        for judges in [2, 3, 5, 10] {
            let mut draws = draw_numbers(judges as u64, 1, 1 << 20);
            let mut round = || Estimate::Finite(f64::from(draws.next().unwrap()));
            let rounds: Vec<Vec<Estimate>> = (0..judges)
                .map(|_| (0..2000).map(|_| round()).collect())
                .collect();
            let found = ends(&rows(&vec![0.5; judges], &rounds));
            assert_eq!(found, vec![Some((1, judges as u32)); judges]);
        }
    }

    #[test]
    fn who_is_above_in_all_rounds_is_better() {
        let constant = |rho: f64, rounds: usize| vec![Estimate::Finite(rho); rounds];
        let of = |rounds: usize| {
            let unknown = vec![Estimate::Undefined(Undefined::NoRank); rounds];
            let all = [0.9, 0.9, 0.5].map(|rho| constant(rho, rounds));
            rows(&[0.9, 0.9, 0.5, 0.4], &[&all[..], &[unknown]].concat())
        };
        // Ties share the better rank, and either may be the better one; of the last nothing is
        // known.
        let found = ends(&of(239));
        assert_eq!(
            found,
            [Some((1, 3)), Some((1, 3)), Some((3, 4)), Some((1, 4))]
        );
        // One round fewer than 12 orders take says nothing of any, and how many it takes.
        assert_eq!(ends(&of(238)), vec![Some((1, 4)); 4]);
        let few = of(238);
        let ranks = ranks_of(&few.iter().collect::<Vec<_>>(), 0.95);
        assert!(ranks.iter().all(|one| one.rounds_needed == Some(239)));
        assert_eq!(ends(&of(0)), vec![None; 4]);
        // A judge with more noise is below in all rounds, and its order may be as good.
        let mut wide = of(239);
        wide[2].bencher.figures.spearman.ci = Some([Some(-1.0), Some(1.0)]);
        assert_eq!(ends(&wide)[2], Some((1, 4)));
    }
}
