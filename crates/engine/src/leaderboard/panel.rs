//! Battles of several judges: each has a discrimination of its own, so that better judges count
//! more.

use super::battles::{points_of_first, verdicts_only};
use super::gathered::FileSummary;
use super::options::LeaderboardOptions;
use super::reading::{battle_reading, open_all_battles};
use super::sort::FileSort;
use crate::rank::method::{Ci, plan_if_used};
use crate::rank::score::scored_by_rounds_alone;
use crate::rank::scored::Scored;
use crate::report::PanelJudge;
use crate::report::data::Outcomes;
use crate::{Aggregation, EngineError, Report};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::battles::{Column, Rows, read_rows};
use evenhand_stats::{
    Cluster, Comparison, Estimate, JudgeAwareResampled, JudgeStanding, JudgedComparison,
    resample_judge_aware,
};

/// Ranks by Bradley-Terry with a discrimination for each judge of a column.
pub(super) fn rank_with_judges(
    options: &LeaderboardOptions,
    column: &str,
    sort: FileSort,
) -> Result<Report, EngineError> {
    check_panel(options, sort)?;
    let (rows, judges) = read_panel(options, column)?;
    let method = options.rank.method(Aggregation::BradleyTerry)?;
    let cluster = rows
        .cluster
        .as_ref()
        .map_or(Cluster::None, |_| Cluster::Item);
    let plan = plan_if_used(method.ci == Ci::Bootstrap, &method.plan);
    let compared = comparisons(&rows, &judges);
    let (systems, names) = (rows.names.len(), &judges.cluster_values);
    let found = resample_judge_aware(systems, names.len(), &compared, cluster, &plan)?;
    let scored = match method.ci {
        Ci::None => without_intervals(&found),
        _ => scored_by_rounds_alone(&found.systems, &method)?,
    };
    let files = summarise(&rows, names);
    let report = Report {
        panel: panel_of(&found, names, method.ci != Ci::None),
        ..files.report(options, Aggregation::BradleyTerry, &method)
    };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

const COUNTS: &str = "counts do not say who judged; give the battles themselves";
const RECORDED: &str = "it is for battles; where the files are some, say `battles` as their format";

/// Refuses judges beside published weights, which are of no battles.
pub(super) fn refuse_with_weights() -> Refusal {
    let weights = Setting::LengthControlWeights;
    refuse(Cause::Conflict(weights), format!("leave {weights} out"))
}

fn check_panel(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    match sort {
        FileSort::Battles => {}
        FileSort::Counts => return Err(refuse(Cause::Data, COUNTS)),
        FileSort::Recorded => return Err(refuse(Cause::Data, RECORDED)),
    }
    let other = options.rank.aggregation;
    if other.is_some_and(|other| other != Aggregation::BradleyTerry) {
        return Err(refuse(
            Cause::Conflict(Setting::Aggregate),
            "it is for bradley-terry",
        ));
    }
    if !matches!(options.rank.ci, Ci::Bootstrap | Ci::None) {
        let why = format!("its intervals are {0} bootstrap, or {0} none", Setting::Ci);
        return Err(refuse(Cause::Conflict(Setting::Ci), why));
    }
    check_taken(options)
}

/// Refuses what the model has no place for.
fn check_taken(options: &LeaderboardOptions) -> Result<(), Refusal> {
    let others = [
        (options.systems.is_some(), Setting::Systems),
        (options.rank.prior.is_some(), Setting::Prior),
        (options.rank.drop, Setting::Drop),
        (!options.control.is_empty(), Setting::Control),
        (!options.labels.is_empty(), Setting::Labels),
        (options.length_control, Setting::LengthControl),
    ];
    match others.into_iter().find(|(given, _)| *given) {
        Some((_, other)) => Err(refuse(Cause::Conflict(other), format!("leave {other} out"))),
        None => Ok(()),
    }
}

fn refuse(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::JudgeColumn, cause, why)
}

/// Reads the battles under their items, and again under their judges.
fn read_panel(options: &LeaderboardOptions, column: &str) -> Result<(Rows, Rows), EngineError> {
    let rows = read_rows(&mut open_all_battles(options)?, &battle_reading(options))?;
    let mut reading = battle_reading(options);
    reading.columns.cluster = Column::Named(column.into());
    reading.columns.keep_clusters = true;
    let judges = read_rows(&mut open_all_battles(options)?, &reading)?;
    if judges.cluster_values.len() > usize::from(u16::MAX) {
        return Err(refuse(Cause::Data, "it has more than 65535 values")
            .with_value(column)
            .into());
    }
    Ok((rows, judges))
}

fn comparisons(rows: &Rows, judges: &Rows) -> Vec<JudgedComparison> {
    let judges = judges.cluster.iter().flatten();
    let numbered = judges.enumerate();
    let compared = numbered.map(|(row, judge)| JudgedComparison {
        judge: *judge as u16,
        comparison: comparison(rows, row),
    });
    compared.collect()
}

fn comparison(rows: &Rows, row: usize) -> Comparison {
    let weight = rows.weight.as_ref().map_or(1.0, |weights| weights[row]);
    let points = points_of_first(rows.outcome[row]);
    let ties = if points == 0.5 { weight } else { 0.0 };
    let wins_a = points * (weight - ties);
    Comparison {
        item: rows.cluster.as_ref().map_or(row as u32, |items| items[row]),
        a: rows.a[row],
        b: rows.b[row],
        wins_a,
        ties,
        wins_b: weight - ties - wins_a,
    }
}

fn without_intervals(found: &JudgeAwareResampled) -> Scored {
    let ranking = found.systems.ranking();
    let n: Vec<u64> = ranking.systems.iter().map(|system| system.n).collect();
    Scored {
        components: ranking.components,
        ..Scored::without_intervals(&found.systems.point, &n)
    }
}

fn summarise(rows: &Rows, judges: &[String]) -> FileSummary {
    let mut outcomes = Outcomes::default();
    for (row, outcome) in rows.outcome.iter().enumerate() {
        outcomes.add_row(
            *outcome,
            rows.weight.as_ref().map_or(1.0, |weights| weights[row]),
        );
    }
    FileSummary {
        names: rows.names.clone(),
        coverage: verdicts_only(rows.a.len() as u64),
        judges: judges.to_vec(),
        formats: vec!["battles".into()],
        outcomes: Some(outcomes),
        by_item: rows.cluster.is_some(),
        ..FileSummary::default()
    }
}

/// The judges, the sharpest first.
fn panel_of(found: &JudgeAwareResampled, names: &[String], intervals: bool) -> Vec<PanelJudge> {
    let standings = found.judges.iter().zip(names);
    let mut panel: Vec<PanelJudge> = standings
        .map(|(judge, name)| panel_judge(judge, name, intervals))
        .collect();
    let key = |judge: &PanelJudge| judge.discrimination.unwrap_or(f64::NEG_INFINITY);
    panel.sort_by(|a, b| {
        key(b)
            .total_cmp(&key(a))
            .then_with(|| a.judge.cmp(&b.judge))
    });
    panel
}

fn panel_judge(standing: &JudgeStanding, name: &str, intervals: bool) -> PanelJudge {
    let interval = standing.interval.ok().filter(|_| intervals);
    let ci = interval.and_then(|ends| Some([ends.low?, ends.high?]));
    PanelJudge {
        judge: name.into(),
        discrimination: standing.discrimination.finite(),
        ci,
        n: standing.n,
        note: note_on(standing.discrimination, ci),
    }
}

/// Says what a reader should know of a judge.
fn note_on(discrimination: Estimate, ci: Option<[f64; 2]>) -> Option<String> {
    if let Estimate::Undefined(reason) = discrimination {
        return Some(reason.to_string());
    }
    let [low, high] = ci?;
    if high < 0.0 {
        return Some("judges against the others".into());
    }
    (low <= 0.0).then(|| "not shown to be better than chance".into())
}
