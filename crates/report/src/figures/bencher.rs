//! The figures of benchers against people: correlations, scores against ratings, tau_u.

use super::ranking::number_of;
use super::words::Written;
use super::{Axis, DotRow, Dots, Figure, LinePoint, Lines, Point, Points, Series};
use crate::order::sort_by_number;
use evenhand_studies::Figure as Measured;
use evenhand_studies::bencher::{BencherReport, BencherRow, Figures, Over, SystemRow, TauRow};

/// How many points of [`BencherRow::tau_u`] are the curve; the others are thresholds that the user
/// asked for.
const CURVE: usize = 20;

/// Returns the figures of benchers, their correlations with people first.
pub fn figures_of_benchers(report: &BencherReport) -> Vec<Figure> {
    let benchers = &report.benchers;
    let mut figures: Vec<Figure> = CORRELATIONS
        .iter()
        .filter_map(|of| of.figure(benchers))
        .collect();
    figures.extend(difference_figure(report));
    figures.extend(benchers.iter().filter_map(scores_figure));
    figures.extend(tau_u_figure(report));
    figures.extend(OTHERS.iter().filter_map(|of| of.figure(benchers)));
    figures
}

/// One figure of every bencher.
struct OfAll {
    title: &'static str,
    axis: &'static str,
    of: fn(&Figures) -> &Measured,
}

const CORRELATIONS: [OfAll; 2] = [
    OfAll {
        title: "Spearman's rho with people",
        axis: "Spearman's rho",
        of: |figures| &figures.spearman,
    },
    OfAll {
        title: "Kendall's tau-b with people",
        axis: "Kendall's tau-b",
        of: |figures| &figures.kendall_tau_b,
    },
];

const OTHERS: [OfAll; 5] = [
    OfAll {
        title: "Agreement with confidence",
        axis: "agreement, from -1 to 1",
        of: |figures| &figures.agreement_with_confidence,
    },
    OfAll {
        title: "Separability",
        axis: "share of pairs that the intervals tell apart",
        of: |figures| &figures.separability,
    },
    OfAll {
        title: "Strict agreement",
        axis: "share of pairs in the same order",
        of: |figures| &figures.strict_agreement,
    },
    OfAll {
        title: "Brier score of forecasts",
        axis: "Brier score, lower is better",
        of: |figures| &figures.brier,
    },
    OfAll {
        title: "Log loss of forecasts",
        axis: "log loss in nats, lower is better",
        of: |figures| &figures.log_loss,
    },
];

impl OfAll {
    fn figure(&self, benchers: &[BencherRow]) -> Option<Figure> {
        let rows = benchers.iter().map(|row| {
            let written = Written::share(row.ci.level);
            written.row(bencher_label(row), (self.of)(&row.figures))
        });
        let dots = Dots {
            title: self.title.into(),
            note: None,
            axis: Axis::linear(self.axis),
            rows: rows.collect(),
        };
        dots.if_any()
    }
}

fn bencher_label(row: &BencherRow) -> String {
    format!("{} ({} systems)", row.bencher, row.n)
}

/// Returns the benchers less the first, where they share its rounds.
fn difference_figure(report: &BencherReport) -> Option<Figure> {
    let level = report.benchers.first()?.ci.level;
    let rows = report.differences.iter().flat_map(|row| {
        let label = format!("{} - {}", row.bencher, row.less);
        [
            ("Spearman's rho", &row.spearman),
            ("Kendall's tau-b", &row.kendall_tau_b),
        ]
        .map(|(group, found)| difference_row(&label, group, found, level))
    });
    let dots = Dots {
        title: "Differences to the first bencher".into(),
        note: Some("the tick is at no difference".into()),
        axis: Axis::linear("difference"),
        rows: rows.collect(),
    };
    dots.if_any()
}

fn difference_row(label: &str, group: &str, found: &Measured, level: f64) -> DotRow {
    let row = Written::share(level).row(label, found);
    row.in_group(group).against(Some(0.0))
}

/// Returns a bencher's scores against people's ratings.
fn scores_figure(row: &BencherRow) -> Option<Figure> {
    let points = row
        .systems
        .iter()
        .filter_map(|system| system_point(system, row.ci.level));
    let points = Points {
        title: format!("Scores and people's ratings: {}", row.bencher),
        note: Some(scores_note(row)),
        x: Axis::linear("people's rating"),
        y: Axis::linear("bencher's score"),
        points: points.collect(),
    };
    points.if_any()
}

fn scores_note(row: &BencherRow) -> String {
    let without = row.systems.iter().filter(|system| system.score.is_none());
    let names: Vec<&str> = without.map(|system| system.rated_as.as_str()).collect();
    if names.is_empty() {
        return "bars: the intervals of the scores".into();
    }
    format!(
        "bars: the intervals of the scores; without a finite score: {}",
        names.join(", ")
    )
}

fn system_point(system: &SystemRow, level: f64) -> Option<Point> {
    let (score, rating) = (system.score?, system.rating?);
    let written = Written { decimals: 2, level };
    let point = written.point(&*system.rated_as, rating, number_of(score, system.ci))?;
    let text = format!("score {}, rating {rating:.2}", point.text);
    Some(Point { text, ..point })
}

/// The quantity on the x axis of tau_u.
#[derive(Clone, Copy)]
enum Across {
    /// The largest difference of ratings that counts.
    Threshold,
    /// The share of the pairs that people distinguish.
    Share,
}

/// Returns the curves of tau_u of all benchers with their intervals (RealRank, figure 15); None
/// where no bencher has one.
///
/// x is u, the largest difference of ratings that counts, where all benchers have the same
/// thresholds; otherwise it is the share of the pairs that people distinguish.
pub fn tau_u_figure(report: &BencherReport) -> Option<Figure> {
    let across = Across::choose(&report.benchers);
    let benchers = report.benchers.iter();
    let series = benchers.map(|row| tau_series(row, across));
    let lines = Lines {
        title: "Agreement on close systems: controllable Kendall's tau".into(),
        note: tau_note(report),
        x: Axis::linear(across.label()),
        y: Axis::linear("tau_u"),
        series: series.collect(),
    };
    lines.if_any()
}

fn tau_note(report: &BencherReport) -> Option<String> {
    let first = report.benchers.first()?;
    let mut units: Vec<&str> = report
        .benchers
        .iter()
        .map(|row| unit_of(row.ci.over))
        .collect();
    units.dedup();
    Some(format!(
        "bands: {:.0} % bootstrap intervals over {}",
        100.0 * first.ci.level,
        units.join(" or ")
    ))
}

fn unit_of(over: Over) -> &'static str {
    match over {
        Over::Items => "items",
        Over::Comparisons => "comparisons",
        Over::Systems => "systems",
        Over::Rounds => "the file's rounds",
    }
}

impl Across {
    fn choose(benchers: &[BencherRow]) -> Self {
        let mut pairs = benchers.windows(2);
        if pairs.all(|two| thresholds(&two[0]).eq(thresholds(&two[1]))) {
            Across::Threshold
        } else {
            Across::Share
        }
    }

    fn label(self) -> &'static str {
        match self {
            Across::Threshold => "u: largest difference of the ratings (in their unit)",
            Across::Share => "closest pairs that people distinguish (share)",
        }
    }

    fn place_of(self, tau: &TauRow) -> Option<f64> {
        let place = match self {
            Across::Threshold => tau.u,
            Across::Share => tau.share,
        };
        place.filter(|place| place.is_finite())
    }
}

fn thresholds(row: &BencherRow) -> impl Iterator<Item = Option<f64>> {
    row.tau_u.iter().take(CURVE).map(|tau| tau.u)
}

fn tau_series(row: &BencherRow, across: Across) -> Series {
    let written = Written::share(row.ci.level);
    let curve = row.tau_u.iter().take(CURVE);
    let placed = curve.filter_map(|tau| Some((across.place_of(tau)?, tau)));
    let points = sort_by_number(placed);
    let points = points
        .into_iter()
        .map(|(x, tau)| tau_point(written, x, tau));
    Series {
        label: bencher_label(row),
        dashed: false,
        points: points.collect(),
    }
}

fn tau_point(written: Written, x: f64, tau: &TauRow) -> LinePoint {
    let point = written.line_point(x, &tau.tau);
    let text = format!("{}, {} pairs", point.text, tau.pairs);
    LinePoint { text, ..point }
}
