//! The rankings by single criteria, below the whole.

use super::table;
use crate::View;
use crate::numbers::count_of;
use crate::terminal::excerpt;
use evenhand_engine::{CriterionKind, CriterionRanking, Report, ScoreUnit};

/// Characters of a criterion's name that a heading shows.
const NAME: usize = 60;

/// Returns a table for each criterion that items share, and for those of single items together.
pub(super) fn criterion_tables(report: &Report, view: View) -> String {
    let criteria = report.criteria.iter();
    let rankings = criteria.flat_map(|criteria| &criteria.rankings);
    rankings
        .map(|by| criterion_table(by, report, view))
        .collect()
}

fn criterion_table(by: &CriterionRanking, report: &Report, view: View) -> String {
    let of_criterion = Report {
        ranking: by.ranking.clone(),
        ci: report.ci.clone(),
        unit: ScoreUnit::CriteriaShare,
        ..Report::default()
    };
    let table = table::leaderboard(&of_criterion, view);
    format!("\n\n{}\n{table}", heading(by))
}

pub(crate) fn heading(by: &CriterionRanking) -> String {
    let items = count_of(by.items, "item", "items");
    match by.kind {
        CriterionKind::Shared => format!("Criterion {}, {items}", shared_heading(by)),
        CriterionKind::OwnMerits => format!("Criteria of single items: share met, {items}"),
        CriterionKind::OwnFaults => format!("Faults of single items: share without them, {items}"),
    }
}

/// Returns the name of a criterion that items share, and what its scores are.
fn shared_heading(by: &CriterionRanking) -> String {
    let name = excerpt(by.criterion.as_deref().unwrap_or_default(), NAME);
    if by.fault {
        format!("{name}, a fault: share without it")
    } else {
        format!("{name}: share met")
    }
}

/// Returns a criterion's name for programs.
pub(super) fn name_criterion(by: &CriterionRanking) -> String {
    match (by.kind, &by.criterion) {
        (CriterionKind::OwnFaults, _) => "(faults of single items)".into(),
        (CriterionKind::OwnMerits, _) => "(criteria of single items)".into(),
        (CriterionKind::Shared, name) => name.clone().unwrap_or_default(),
    }
}
