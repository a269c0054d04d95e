//! How well benchers distinguish systems that people find close (RealRank, figure 15).

use super::{Curve, Mark, Panel, Plot};
use crate::numbers::or_blank;
use evenhand_studies::bencher::{BencherReport, BencherRow, Over, TauRow};

/// How many points of [`BencherRow::tau_u`] are the curve; the others are thresholds that the user
/// asked for.
const CURVE: usize = 20;

/// The quantity on the x axis.
#[derive(Clone, Copy)]
enum Across {
    /// The largest difference of ratings that counts.
    Threshold,
    /// The share of the pairs that people distinguish, in percent.
    Share,
}

/// Returns the curves of tau_u of all benchers, with their intervals as bands.
///
/// x is u, the largest difference of ratings that counts, where all benchers have the same
/// thresholds; otherwise it is the share of the pairs that people distinguish.
pub fn tau_u_plot(report: &BencherReport) -> Plot {
    let across = Across::choose(&report.benchers);
    let plot = Plot {
        title: "Agreement on close systems: controllable Kendall's tau".into(),
        caption: caption(report),
        x_label: across.label().into(),
        y_label: "tau_u".into(),
        panels: vec![bencher_panel(report, across)],
        ..Plot::default()
    };
    plot.with_points_only()
}

fn bencher_panel(report: &BencherReport, across: Across) -> Panel {
    let benchers = report.benchers.iter();
    Panel::untitled(benchers.map(|row| bencher_curve(row, across)))
}

fn have_same_thresholds(benchers: &[BencherRow]) -> bool {
    benchers
        .windows(2)
        .all(|two| thresholds(&two[0]).eq(thresholds(&two[1])))
}

fn thresholds(row: &BencherRow) -> impl Iterator<Item = Option<f64>> {
    row.tau_u.iter().take(CURVE).map(|tau| tau.u)
}

fn caption(report: &BencherReport) -> String {
    or_blank(report.benchers.first(), |first| {
        format!(
            "bands: {:.0} % bootstrap intervals over {}",
            100.0 * first.ci.level,
            units_of(report).join(" or ")
        )
    })
}

fn units_of(report: &BencherReport) -> Vec<&str> {
    let rows = report.benchers.iter();
    let mut units: Vec<&str> = rows.map(|row| resampled_units(row.ci.over)).collect();
    units.dedup();
    units
}

fn resampled_units(over: Over) -> &'static str {
    match over {
        Over::Items => "items",
        Over::Comparisons => "comparisons",
        Over::Systems => "systems",
        Over::Rounds => "the file's rounds",
    }
}

impl Across {
    fn choose(benchers: &[BencherRow]) -> Self {
        if have_same_thresholds(benchers) {
            Across::Threshold
        } else {
            Across::Share
        }
    }
    fn label(self) -> &'static str {
        match self {
            Across::Threshold => "u: largest difference of the ratings (in their unit)",
            Across::Share => "closest pairs that people distinguish (%)",
        }
    }

    fn place_of(self, tau: &TauRow) -> Option<f64> {
        match self {
            Across::Threshold => tau.u,
            Across::Share => tau.share.map(|share| 100.0 * share),
        }
    }
}

fn bencher_curve(row: &BencherRow, across: Across) -> Curve {
    let name = format!("{} ({} systems)", row.bencher, row.n);
    let taus = row.tau_u.iter().take(CURVE);
    Curve::marked(name, Mark::Line)
        .with_figures(taus.filter_map(|tau| Some((across.place_of(tau)?, &tau.tau))))
}
