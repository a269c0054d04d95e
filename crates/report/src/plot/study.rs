//! The figures of a study, as in RealRank: agreement against the inputs, the reference, the split
//! of a budget, the cost, and how close systems are.

use super::{Axis, Curve, Grid, GridCell, Mark, Panel, Plot};
use crate::numbers::bracketed_interval;
use evenhand_studies::Figure;
use evenhand_studies::study::{
    Concordance, CostUnit, FrontierPoint, Measure, StudyReport, StudyRow,
};
use std::collections::BTreeSet;

const RHO: &str = "Spearman's rho with people's ratings";
const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns all figures that the study has data for, each with a name for its file.
pub fn study_plots(report: &StudyReport) -> Vec<(String, Plot)> {
    let groups: BTreeSet<(&str, &str)> = report
        .rows
        .iter()
        .map(|row| (row.input.as_str(), row.judge.as_str()))
        .collect();
    let inputs: BTreeSet<&str> = groups.iter().map(|(input, _)| *input).collect();
    let of_groups = groups.iter().flat_map(|(input, judge)| {
        Group {
            report,
            input,
            judge,
        }
        .plots()
    });
    let frontiers = inputs.iter().map(|input| {
        let name = format!("frontier-{}", file_name(input));
        (name, frontier_plot(report, input))
    });
    of_groups
        .chain(frontiers)
        .filter(|(_, plot)| !plot.panels.is_empty())
        .collect()
}

/// Returns how alike the settings order the judges (figure 3); None where there are not two measures
/// of them.
pub fn concordance_grid(report: &StudyReport) -> Option<Grid> {
    let mut cells = Vec::new();
    for found in &report.concordances {
        let a = measure_place(report, &found.a)?;
        let b = measure_place(report, &found.b)?;
        cells.push(concordance_cell(found, (a, b), &found.rho));
        cells.push(concordance_cell(found, (b, a), &found.tau_b));
    }
    let level = 100.0 * report.plan.level;
    (!cells.is_empty()).then(|| Grid {
        title: "Do the settings order the judges alike?".into(),
        caption: format!(
            "above the diagonal Spearman's rho, below it Kendall's tau-b; {level:.0} % intervals \
             over judges"
        ),
        names: report.measures.iter().map(measure_name).collect(),
        cells,
    })
}

fn measure_place(report: &StudyReport, (setting, input): &(u8, String)) -> Option<usize> {
    report
        .measures
        .iter()
        .position(|measure| measure.setting == *setting && measure.input == *input)
}

fn measure_name(measure: &Measure) -> String {
    format!("setting {}, {}", measure.setting, measure.input)
}

fn concordance_cell(
    found: &Concordance,
    (row, column): (usize, usize),
    figure: &Figure,
) -> GridCell {
    let range = bracketed_interval(figure.ci, |end| format!("{end:.2}"));
    GridCell {
        row,
        column,
        value: figure.value,
        below: [
            range.trim_start().to_string(),
            format!("{} judges", found.judges),
        ],
    }
}

/// Returns a name that a file may have on any system.
fn file_name(name: &str) -> String {
    name.replace(
        |c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c),
        "-",
    )
}

/// The benchers of a judge on an input set: a panel for each evaluation type, a curve for each
/// aggregation.
#[derive(Clone, Copy)]
struct Group<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
}

/// The words around a plot of a group.
struct PlotWords<'a> {
    title: &'a str,
    /// What was drawn anew for the intervals.
    drawn: &'a str,
    x_label: &'a str,
    y_label: &'a str,
}

impl<'a> Group<'a> {
    fn plots(self) -> Vec<(String, Plot)> {
        let end = format!("{}-{}", file_name(self.input), file_name(self.judge));
        [
            ("shares", self.shares_plot()),
            ("tau-u", self.tau_u_plot()),
            ("references", self.references_plot()),
            ("budget", self.budget_plot()),
        ]
        .map(|(what, plot)| (format!("{what}-{end}"), plot))
        .into()
    }

    /// Returns the rows that have no reference, each with its place.
    fn rows(self) -> impl Iterator<Item = (usize, &'a StudyRow)> {
        self.report.rows.iter().enumerate().filter(move |(_, row)| {
            row.input == self.input && row.judge == self.judge && row.reference.is_none()
        })
    }

    fn panels(self, curve: impl Fn(usize, &'a StudyRow) -> Curve) -> Vec<Panel> {
        let mut kinds: Vec<&str> = self.rows().map(|(_, row)| row.kind.as_str()).collect();
        kinds.dedup();
        kinds
            .into_iter()
            .map(|kind| Panel {
                title: kind.to_string(),
                curves: self
                    .rows()
                    .filter(|(_, row)| row.kind == kind)
                    .map(|(at, row)| curve(at, row))
                    .collect(),
            })
            .collect()
    }

    fn plot(self, words: &PlotWords<'_>, curve: impl Fn(usize, &'a StudyRow) -> Curve) -> Plot {
        Plot {
            title: format!("{}: {} on {}", words.title, self.judge, self.input),
            caption: interval_caption(self.report, words.drawn),
            x_label: words.x_label.into(),
            y_label: words.y_label.into(),
            panels: self.panels(curve),
            ..Plot::default()
        }
        .with_points_only()
    }

    fn shares_plot(self) -> Plot {
        let words = PlotWords {
            title: "Agreement and the number of inputs",
            drawn: "draws of inputs with replacement",
            x_label: "inputs",
            y_label: MEAN_RHO,
        };
        self.plot(&words, |at, row| {
            let points = self.report.shares.get(at).into_iter().flatten();
            let figures = points.map(|point| (point.items as f64, &point.spread.rho));
            aggregation_curve(row, Mark::Line, figures)
        })
    }

    fn tau_u_plot(self) -> Plot {
        let words = PlotWords {
            title: "Agreement on close systems",
            drawn: "items",
            x_label: "u: largest difference of the ratings (in their unit)",
            y_label: "tau_u",
        };
        self.plot(&words, |_, row| {
            aggregation_curve(row, Mark::Line, tau_by_threshold(row))
        })
    }

    fn references_plot(self) -> Plot {
        let words = PlotWords {
            title: "Agreement and the reference system",
            drawn: "items",
            x_label: "people's rating of the reference system",
            y_label: RHO,
        };
        self.plot(&words, |at, row| {
            let all = self.report.references.iter();
            let points = all
                .filter(|(row, _)| *row == at)
                .flat_map(|(_, found)| &found.points);
            let figures = points.map(|point| (point.rating, &point.rho));
            aggregation_curve(row, Mark::Points, figures)
        })
    }

    fn budget_plot(self) -> Plot {
        let words = PlotWords {
            title: "A fixed number of judgments",
            drawn: "draws of inputs and comparisons with replacement",
            x_label: "comparisons on each input (with as many fewer inputs)",
            y_label: MEAN_RHO,
        };
        self.plot(&words, |at, row| {
            let all = self.report.budgets.iter();
            let splits = all
                .filter(|(row, _)| *row == at)
                .flat_map(|(_, splits)| splits);
            let figures = splits.map(|split| (split.comparisons as f64, &split.spread.rho));
            aggregation_curve(row, Mark::Line, figures)
        })
    }
}

fn tau_by_threshold(row: &StudyRow) -> Vec<(f64, &Figure)> {
    let mut points: Vec<(f64, &Figure)> = row
        .bencher
        .tau_u
        .iter()
        .filter_map(|point| Some((point.u?, &point.tau)))
        .collect();
    points.sort_by(|x, y| x.0.total_cmp(&y.0));
    points
}

fn aggregation_curve<'a>(
    row: &StudyRow,
    mark: Mark,
    figures: impl IntoIterator<Item = (f64, &'a Figure)>,
) -> Curve {
    curve_of(row.aggregation.to_string(), mark, figures)
}

fn curve_of<'a>(
    name: String,
    mark: Mark,
    figures: impl IntoIterator<Item = (f64, &'a Figure)>,
) -> Curve {
    let mut curve = Curve {
        name,
        mark,
        ..Curve::default()
    };
    for (x, figure) in figures {
        curve.add_figure(x, figure);
    }
    curve
}

fn interval_caption(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {drawn}",
        100.0 * report.plan.level
    )
}

/// Draws the frontier as a line, and its points by bencher.
fn frontier_plot(report: &StudyReport, input: &str) -> Plot {
    let unit = match report.unit {
        CostUnit::Usd => "US dollars",
        CostUnit::Tokens => "tokens",
    };
    Plot {
        title: format!("The best bencher at every cost: {input}"),
        caption: interval_caption(report, "draws of inputs with replacement"),
        x_label: format!("cost in {unit} (logarithmic)"),
        y_label: MEAN_RHO.into(),
        x_scale: Axis::Log10,
        panels: vec![Panel {
            curves: frontier_curves(report, input),
            ..Panel::default()
        }],
        ..Plot::default()
    }
    .with_points_only()
}

fn frontier_curves(report: &StudyReport, input: &str) -> Vec<Curve> {
    let points: Vec<&FrontierPoint> = report
        .frontier
        .iter()
        .filter(|point| point.input == input && point.cost > 0.0)
        .collect();
    let rows: BTreeSet<usize> = points.iter().map(|point| point.row).collect();
    let of_rows = rows.into_iter().map(|row| {
        let own = points.iter().filter(|point| point.row == row);
        let figures = own.map(|point| (libm::log10(point.cost), &point.rho));
        curve_of(bencher_name(&report.rows[row]), Mark::Points, figures)
    });
    of_rows.chain([frontier_line(&points)]).collect()
}

fn frontier_line(points: &[&FrontierPoint]) -> Curve {
    Curve {
        name: "frontier".into(),
        points: points
            .iter()
            .filter_map(|point| Some((libm::log10(point.cost), point.rho.value?)))
            .collect(),
        ..Curve::default()
    }
}

fn bencher_name(row: &StudyRow) -> String {
    let reference = row
        .reference
        .as_ref()
        .map_or_else(String::new, |reference| format!(", against {reference}"));
    format!(
        "{}, {}, {}{reference}",
        row.judge, row.kind, row.aggregation
    )
}
