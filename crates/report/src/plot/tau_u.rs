//! How well benchers tell apart systems that people find close (RealRank, figure 15).

use super::{Curve, Panel, Plot};
use evenhand_studies::bencher::{BencherReport, BencherRow, Over, TauRow};

/// How many points of [`BencherRow::tau_u`] are the curve; the others are thresholds that the user
/// asked for.
const CURVE: usize = 20;

/// The curves of tau_u of all benchers, with their intervals as bands.
///
/// x is u, the largest difference of ratings that counts, where all benchers have the same
/// thresholds; otherwise it is the share of the pairs that people tell apart.
pub fn tau_u_plot(report: &BencherReport) -> Plot {
    let by_u = same_thresholds(&report.benchers);
    let x_label = match by_u {
        true => "u: largest difference of the ratings (in their unit)",
        false => "closest pairs that people tell apart (%)",
    };
    Plot {
        title: "Agreement on close systems: controllable Kendall's tau".into(),
        caption: caption(report),
        x_label: x_label.into(),
        y_label: "tau_u".into(),
        panels: vec![Panel {
            curves: report.benchers.iter().map(|row| curve(row, by_u)).collect(),
            ..Panel::default()
        }],
        ..Plot::default()
    }
    .with_points_only()
}

fn same_thresholds(benchers: &[BencherRow]) -> bool {
    let thresholds = |row: &BencherRow| {
        row.tau_u
            .iter()
            .take(CURVE)
            .map(|tau| tau.u)
            .collect::<Vec<_>>()
    };
    benchers
        .windows(2)
        .all(|two| thresholds(&two[0]) == thresholds(&two[1]))
}

fn caption(report: &BencherReport) -> String {
    let Some(first) = report.benchers.first() else {
        return String::new();
    };
    let over = |over: Over| match over {
        Over::Items => "items",
        Over::Comparisons => "comparisons",
        Over::Systems => "systems",
        Over::Rounds => "the file's rounds",
    };
    let mut kinds: Vec<&str> = report
        .benchers
        .iter()
        .map(|row| over(row.ci.over))
        .collect();
    kinds.dedup();
    format!(
        "bands: {:.0} % bootstrap intervals over {}",
        100.0 * first.ci.level,
        kinds.join(" or ")
    )
}

fn curve(row: &BencherRow, by_u: bool) -> Curve {
    let x = |tau: &TauRow| {
        if by_u {
            tau.u
        } else {
            tau.share.map(|share| 100.0 * share)
        }
    };
    let rows = || row.tau_u.iter().take(CURVE);
    let ends = |tau: &TauRow| {
        let [low, high] = tau.tau.ci?;
        Some((x(tau)?, low?, high?))
    };
    Curve {
        name: format!("{} ({} systems)", row.bencher, row.n),
        points: rows()
            .filter_map(|tau| Some((x(tau)?, tau.tau.value?)))
            .collect(),
        band: rows().filter_map(ends).collect(),
        ..Curve::default()
    }
}
