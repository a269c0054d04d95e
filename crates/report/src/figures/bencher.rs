//! The figures of benchers against people: correlations, scores against ratings, tau_u.

use super::words::{Number, Written, dots, lines, points};
use super::{Axis, Figure, LinePoint, Point, Series};
use crate::numbers::chosen_percent;
use evenhand_studies::Figure as Measured;
use evenhand_studies::bencher::{
    BencherReport, BencherRow, CorrelationEnds, Figures, Over, TauRow,
};

/// How many points of [`BencherRow::tau_u`] are the curve; the others are thresholds that the user
/// asked for.
const CURVE: usize = 20;

/// Returns the figures of benchers, their correlations with people first.
pub fn figures_of_benchers(report: &BencherReport) -> Vec<Figure> {
    let benchers = &report.benchers;
    let of_all = |(title, axis, of): &OfAll| {
        let rows = benchers.iter().map(|row| {
            let written = Written::share(row.ci.level);
            written.row(bencher_label(row), of(&row.figures))
        });
        dots(*title, "", *axis, rows)
    };
    let mut figures: Vec<Figure> = CORRELATIONS.iter().filter_map(of_all).collect();
    figures.extend(difference_figure(report));
    figures.extend(benchers.iter().filter_map(scores_figure));
    figures.extend(tau_u_figure(report));
    figures.extend(OTHERS.iter().filter_map(of_all));
    figures
}

/// A figure of every bencher: its title, its axis, and where it is.
type OfAll = (&'static str, &'static str, fn(&Figures) -> &Measured);

const CORRELATIONS: [OfAll; 2] = [
    ("Spearman's rho with people", "Spearman's rho", |figures| {
        &figures.spearman
    }),
    (
        "Kendall's tau-b with people",
        "Kendall's tau-b",
        |figures| &figures.kendall_tau_b,
    ),
];

const OTHERS: [OfAll; 5] = [
    (
        "Agreement with confidence",
        "agreement, from -1 to 1",
        |figures| &figures.agreement_with_confidence,
    ),
    (
        "Separability",
        "share of pairs that the intervals tell apart",
        |figures| &figures.separability,
    ),
    (
        "Strict agreement",
        "share of pairs in the same order",
        |figures| &figures.strict_agreement,
    ),
    (
        "Brier score of forecasts",
        "Brier score, lower is better",
        |figures| &figures.brier,
    ),
    (
        "Log loss of forecasts",
        "log loss in nats, lower is better",
        |figures| &figures.log_loss,
    ),
];

fn bencher_label(row: &BencherRow) -> String {
    format!("{} ({} systems)", row.bencher, row.n)
}

/// Returns the benchers less the first, where they share its rounds.
fn difference_figure(report: &BencherReport) -> Option<Figure> {
    let written = Written::share(report.benchers.first()?.ci.level);
    let rows = report.differences.iter().flat_map(|row| {
        let label = format!("{} - {}", row.bencher, row.less);
        let both = [
            ("Spearman's rho", &row.spearman),
            ("Kendall's tau-b", &row.kendall_tau_b),
        ];
        both.map(|(group, found)| {
            let row = written.row(label.as_str(), found);
            row.in_group(group).against(Some(0.0))
        })
    });
    let title = "Differences to the first bencher";
    dots(title, "the tick is at no difference", "difference", rows)
}

/// Returns a bencher's scores against people's ratings.
fn scores_figure(row: &BencherRow) -> Option<Figure> {
    let written = Written {
        decimals: 2,
        level: row.ci.level,
    };
    let drawn = row.systems.iter().filter_map(|system| {
        let (score, rating) = (system.score?, system.rating?);
        let number = Number::closed(score, system.ci);
        let point = written.point(&*system.rated_as, rating, number)?;
        let text = format!("score {}, rating {rating:.2}", point.text);
        Some(Point { text, ..point })
    });
    let without = row.systems.iter().filter(|system| system.score.is_none());
    let names: Vec<&str> = without.map(|system| system.rated_as.as_str()).collect();
    let mut note = "bars: the intervals of the scores".to_string();
    if !names.is_empty() {
        note += &format!("; without a finite score: {}", names.join(", "));
    }
    points(
        format!("Scores and people's ratings: {}", row.bencher),
        note,
        [
            Axis::linear("people's rating"),
            Axis::linear("bencher's score"),
        ],
        drawn.collect(),
    )
}

/// Returns the curves of tau_u of all benchers with their intervals (RealRank, figure 15); None
/// where no bencher has one.
///
/// x is u, the largest difference of ratings that counts, where all benchers have the same
/// thresholds; otherwise it is the share of the pairs that people distinguish.
pub fn tau_u_figure(report: &BencherReport) -> Option<Figure> {
    let first = report.benchers.first()?;
    let thresholds = |row: &BencherRow| -> Vec<Option<f64>> {
        let curve = row.tau_u.iter().take(CURVE);
        curve.map(|tau| tau.u).collect()
    };
    let mut pairs = report.benchers.windows(2);
    let by_threshold = pairs.all(|two| thresholds(&two[0]) == thresholds(&two[1]));
    let series = report.benchers.iter().map(|row| {
        let curve = row.tau_u.iter().take(CURVE);
        let placed = curve.map(|tau| (if by_threshold { tau.u } else { tau.share }, tau));
        Series {
            label: bencher_label(row),
            dashed: false,
            points: tau_points(placed, Written::share(row.ci.level)),
        }
    });
    let over = report.benchers.iter().map(|row| match row.ci.over {
        _ if row.ci.correlations == CorrelationEnds::Bounds => {
            "bounds of what unlimited items would give"
        }
        Over::Items => "bootstrap intervals over items",
        Over::Comparisons => "bootstrap intervals over comparisons",
        Over::Systems => "bootstrap intervals over systems",
        Over::Rounds => "bootstrap intervals over the file's rounds",
    });
    let mut over: Vec<&str> = over.collect();
    over.dedup();
    let x = if by_threshold {
        "u: largest difference of the ratings (in their unit)"
    } else {
        "closest pairs that people distinguish (share)"
    };
    lines(
        "Agreement on close systems: controllable Kendall's tau",
        format!(
            "bands: {} % {}",
            chosen_percent(first.ci.level),
            over.join(" or ")
        ),
        [x, "tau_u"],
        series.collect(),
    )
}

/// Returns the points of a curve of tau_u by the numbers beside them, the least first.
pub(super) fn tau_points<'a>(
    taus: impl Iterator<Item = (Option<f64>, &'a TauRow)>,
    written: Written,
) -> Vec<LinePoint> {
    let placed = taus.filter_map(|(x, tau)| {
        let point = written.line_point(x.filter(|x| x.is_finite())?, &tau.tau);
        Some(point.saying(&format!("{} pairs", tau.pairs)))
    });
    let mut points: Vec<LinePoint> = placed.collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}
