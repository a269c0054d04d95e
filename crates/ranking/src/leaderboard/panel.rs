//! Battles of several judges: each has a discrimination of its own, so that better judges count
//! more.

use super::battles::{comparison_of_game, points_of_first, summary_of_battles};
use super::files::{FileSort, battle_reading, open_all_battles};
use super::gathered::FileSummary;
use super::options::{BothBad, LeaderboardOptions};
use crate::control::ORDER;
use crate::method::{Ci, plan_if_used};
use crate::report::PanelJudge;
use crate::report::data::Outcomes;
use crate::score::{Scored, scored_by_rounds_alone};
use crate::{Aggregation, Report};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::battles::{Column, read_rows};
use evenhand_stats::{
    Cluster, Estimate, Game, JudgeAwareResampled, JudgedComparison, resample_judge_aware,
};

/// Ranks by Bradley-Terry with a discrimination for each judge of a column.
pub(super) fn rank_with_judges(
    options: &LeaderboardOptions,
    column: &str,
    sort: FileSort,
) -> Result<Report, EngineError> {
    check_panel(options, sort)?;
    // The battles under their items, and again under their judges.
    let rows = read_rows(&mut open_all_battles(options)?, &battle_reading(options))?;
    let mut reading = battle_reading(options);
    reading.columns.cluster = Column::Named(column.into());
    reading.columns.keep_clusters = true;
    let judges = read_rows(&mut open_all_battles(options)?, &reading)?;
    if judges.cluster_values.len() > usize::from(u16::MAX) {
        let refusal = refuse(Cause::Data, "it has more than 65535 values");
        return Err(refusal.with_value(column).into());
    }

    // What one reading leaves out the other may have, and a battle would be another judge's.
    if let Some(first) = rows.skipped.iter().chain(&judges.skipped).next() {
        let why = format!("it needs rows that can all be read: {first}");
        return Err(refuse(Cause::Data, why).with_value(column).into());
    }
    let weight_of = |row: usize| rows.weight.as_ref().map_or(1.0, |weights| weights[row]);
    let mut outcomes = Outcomes::default();
    for (row, outcome) in rows.outcome.iter().enumerate() {
        outcomes.add_row(*outcome, weight_of(row));
    }
    let mut compared = Vec::new();
    for (row, judge) in judges.cluster.iter().flatten().enumerate() {
        let game = Game {
            a: rows.a[row],
            b: rows.b[row],
            score: points_of_first(rows.outcome[row]),
            weight: weight_of(row),
        };
        let item = rows.cluster.as_ref().map_or(row as u32, |items| items[row]);
        compared.push(JudgedComparison {
            judge: *judge as u16,
            comparison: comparison_of_game(item, &game),
        });
    }
    let method = options.rank.method(Aggregation::BradleyTerry)?;
    let by_item = rows.cluster.is_some();
    let cluster = match by_item {
        true => Cluster::Item,
        false => Cluster::None,
    };
    let plan = plan_if_used(method.rank.ci == Ci::Bootstrap, &method.rank.bootstrap);
    let (systems, names, battles) = (rows.names.len(), judges.cluster_values, rows.a.len() as u64);
    let found = resample_judge_aware(systems, names.len(), &compared, cluster, &plan)?;
    let scored = if method.rank.ci == Ci::None {
        let ranking = found.systems.ranking();
        let n: Vec<u64> = ranking.systems.iter().map(|system| system.n).collect();
        Scored {
            components: ranking.components,
            ..Scored::without_intervals(&found.systems.point, &n)
        }
    } else {
        scored_by_rounds_alone(&found.systems, &method)?
    };
    let panel = panel_of(&found, &names, method.rank.ci != Ci::None);
    let files = FileSummary {
        judges: names,
        outcomes: Some(outcomes),
        by_item,
        ..summary_of_battles(rows.names, battles, rows.dropped, &[])
    };
    let report = Report {
        panel,
        ..files.report(options, Aggregation::BradleyTerry, &method)
    };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

/// Refuses judges beside published weights, which are of no battles.
pub(super) fn refuse_with_weights() -> Refusal {
    let weights = Setting::LengthControlWeights;
    refuse(Cause::Conflict(weights), format!("leave {weights} out"))
}

/// Refuses files that do not say who judged, and what the model has no place for.
fn check_panel(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    let why = match sort {
        FileSort::Battles => None,
        FileSort::Counts => Some("counts do not say who judged; give the battles themselves"),
        FileSort::Recorded => {
            Some("it is for battles; where the files are some, say `battles` as their format")
        }
    };
    if let Some(why) = why {
        return Err(refuse(Cause::Data, why));
    }
    let other = options.rank.aggregation;
    if other.is_some_and(|other| other != Aggregation::BradleyTerry) {
        let cause = Cause::Conflict(Setting::Aggregate);
        return Err(refuse(cause, "it is for bradley-terry"));
    }
    if options.control.iter().any(|name| name == ORDER) {
        let (control, only) = (Setting::Control, Setting::Where);
        let why = format!(
            "judges differ in what the first place is worth to them, and one effect for all of \
             them would pass for discrimination; take the order out of one judge's battles \
             ({only} {}=JUDGE, with {control} alone), or leave {control} out",
            options.judge_column.as_deref().unwrap_or("FIELD")
        );
        return Err(refuse(Cause::Conflict(control), why));
    }
    if !matches!(options.rank.ci, Ci::Bootstrap | Ci::None) {
        let why = format!("its intervals are {0} bootstrap, or {0} none", Setting::Ci);
        return Err(refuse(Cause::Conflict(Setting::Ci), why));
    }
    let others = [
        (options.min_battles > 0, Setting::MinBattles),
        (options.both_bad == Some(BothBad::Apart), Setting::BothBad),
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

/// The judges, the sharpest first.
fn panel_of(found: &JudgeAwareResampled, names: &[String], intervals: bool) -> Vec<PanelJudge> {
    let mut panel = Vec::new();
    for (standing, name) in found.judges.iter().zip(names) {
        let interval = standing.interval.ok().filter(|_| intervals);
        let ci = interval.and_then(|ends| Some([ends.low?, ends.high?]));
        // What a reader should know of the judge.
        let note = match (standing.discrimination, ci) {
            (Estimate::Undefined(reason), _) => Some(reason.to_string()),
            (_, Some([_, high])) if high < 0.0 => Some("judges against the others".into()),
            (_, Some([low, _])) if low <= 0.0 => Some("not shown to be better than chance".into()),
            _ => None,
        };
        panel.push(PanelJudge {
            judge: name.clone(),
            discrimination: standing.discrimination.finite(),
            ci,
            n: standing.n,
            note,
        });
    }
    let key = |judge: &PanelJudge| judge.discrimination.unwrap_or(f64::NEG_INFINITY);
    panel.sort_by(|a, b| {
        key(b)
            .total_cmp(&key(a))
            .then_with(|| a.judge.cmp(&b.judge))
    });
    panel
}
