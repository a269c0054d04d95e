//! People's ratings of the systems of a study, with their intervals (Gao et al. 2024, figure 14).

use super::{Curve, Mark, Panel, Plot};
use evenhand_studies::bencher::SystemRow;
use evenhand_studies::study::StudyReport;
use std::collections::BTreeMap;

/// Returns a dot for each rated system, from the best to the worst; no panel where no rating has
/// an interval.
pub(super) fn ratings_plot(report: &StudyReport) -> Plot {
    let systems = rated_systems(report);
    let has_intervals = systems.iter().any(|system| system.rating_ci.is_some());
    let panels = has_intervals.then(|| ratings_panel(&systems));
    Plot {
        title: "People's ratings of the systems".into(),
        caption: "bars: the intervals in the table of ratings".into(),
        x_label: "systems, from the best rating to the worst".into(),
        y_label: "rating".into(),
        panels: panels.into_iter().collect(),
        ..Plot::default()
    }
}

/// Returns the systems of all benchers that have a rating, each once, the best first.
fn rated_systems(report: &StudyReport) -> Vec<&SystemRow> {
    let mut systems = systems_once(report);
    systems.sort_by(|a, b| rating_of(b).total_cmp(&rating_of(a)));
    systems
}

fn rating_of(system: &SystemRow) -> f64 {
    system.rating.unwrap_or(0.0)
}

/// Returns each system that people rated, once, in alphabetical order.
fn systems_once(report: &StudyReport) -> Vec<&SystemRow> {
    let systems = report.rows.iter().flat_map(|row| &row.bencher.systems);
    let by_name: BTreeMap<&str, &SystemRow> = systems
        .filter(|system| system.rating.is_some())
        .map(|system| (system.rated_as.as_str(), system))
        .collect();
    by_name.into_values().collect()
}

fn ratings_panel(systems: &[&SystemRow]) -> Panel {
    let mut curve = Curve::marked("rating", Mark::Points);
    for (place, system) in (1u32..).zip(systems) {
        add_system(&mut curve, f64::from(place), system);
    }
    Panel::untitled([curve])
}

fn add_system(curve: &mut Curve, place: f64, system: &SystemRow) {
    if let Some(rating) = system.rating {
        curve.points.push((place, rating));
        curve.names.push(system.rated_as.clone());
    }
    if let Some([low, high]) = system.rating_ci {
        curve.band.push((place, low, high));
    }
}
