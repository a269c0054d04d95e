//! The figures of a study, as in RealRank: agreement against the inputs, the reference, the split
//! of a budget, the cost, and how close systems are.

use super::ratings::ratings_plot;
use super::{Axis, Curve, Grid, GridCell, Mark, Panel, Plot, without_empty};
use crate::numbers::{bracketed_interval, or_blank};
use crate::order::sort_by_number;
use evenhand_studies::Figure;
use evenhand_studies::study::{
    Concordance, CostUnit, FrontierPoint, Measure, ReferencePoint, StudyReport, StudyRow,
};
use std::collections::BTreeSet;

const RHO: &str = "Spearman's rho with people's ratings";
const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns all figures that the study has data for, each with a name for its file.
pub fn study_plots(report: &StudyReport) -> Vec<(String, Plot)> {
    let groups = groups_of(report);
    let frontiers = frontier_plots(report, &groups);
    let of_groups = groups.iter().flat_map(|group| group.plots());
    let ratings = (String::from("ratings"), ratings_plot(report));
    without_empty(of_groups.chain(frontiers).chain([ratings]))
}

/// Returns a plot of the frontier for each input set, in alphabetical order.
fn frontier_plots(report: &StudyReport, groups: &[Group<'_>]) -> Vec<(String, Plot)> {
    let inputs: BTreeSet<&str> = groups.iter().map(|group| group.input).collect();
    let inputs = inputs.into_iter();
    inputs.map(|input| named_frontier(report, input)).collect()
}

fn named_frontier(report: &StudyReport, input: &str) -> (String, Plot) {
    let name = format!("frontier-{}", file_name(input));
    (name, frontier_plot(report, input))
}

/// Returns the groups of benchers, in alphabetical order of input sets and judges.
fn groups_of(report: &StudyReport) -> Vec<Group<'_>> {
    let rows = report.rows.iter();
    let names: BTreeSet<(&str, &str)> = rows.map(|row| (&*row.input, &*row.judge)).collect();
    names
        .into_iter()
        .map(|(input, judge)| Group {
            report,
            input,
            judge,
        })
        .collect()
}

/// Returns how alike the settings order the judges (figure 3); None where there are not two measures
/// of them.
pub fn concordance_grid(report: &StudyReport) -> Option<Grid> {
    let cells = concordance_cells(report)?;
    (!cells.is_empty()).then(|| Grid {
        title: "Do the settings order the judges alike?".into(),
        caption: concordance_caption(report),
        names: report.measures.iter().map(measure_name).collect(),
        cells,
    })
}

/// Returns the cells of both halves; None where a measure is not known.
fn concordance_cells(report: &StudyReport) -> Option<Vec<GridCell>> {
    let mut cells = Vec::new();
    for found in &report.concordances {
        cells.extend(cells_of_settings(report, found)?);
    }
    Some(cells)
}

/// Returns the cell above the diagonal and the one below it.
fn cells_of_settings(report: &StudyReport, found: &Concordance) -> Option<[GridCell; 2]> {
    let a = measure_place(report, &found.a)?;
    let b = measure_place(report, &found.b)?;
    Some([
        concordance_cell(found, (a, b), &found.rho),
        concordance_cell(found, (b, a), &found.tau_b),
    ])
}

fn concordance_caption(report: &StudyReport) -> String {
    let level = 100.0 * report.plan.level;
    format!(
        "above the diagonal Spearman's rho, below it Kendall's tau-b; {level:.0} % intervals over \
         judges"
    )
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
    let judges = format!("{} judges", found.judges);
    GridCell {
        row,
        column,
        value: figure.value,
        below: [interval_text(figure), judges],
    }
}

fn interval_text(figure: &Figure) -> String {
    let range = bracketed_interval(figure.ci, |end| format!("{end:.2}"));
    range.trim_start().into()
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
struct PlotWords {
    title: &'static str,
    /// The units that were drawn anew for the intervals.
    drawn: &'static str,
    x_label: &'static str,
    y_label: &'static str,
}

const SHARES: PlotWords = PlotWords {
    title: "Agreement and the number of inputs",
    drawn: "draws of inputs with replacement",
    x_label: "inputs",
    y_label: MEAN_RHO,
};

const TAU_U: PlotWords = PlotWords {
    title: "Agreement on close systems",
    drawn: "items",
    x_label: "u: largest difference of the ratings (in their unit)",
    y_label: "tau_u",
};

const REFERENCES: PlotWords = PlotWords {
    title: "Agreement and the reference system",
    drawn: "items",
    x_label: "people's rating of the reference system",
    y_label: RHO,
};

const BUDGET: PlotWords = PlotWords {
    title: "A fixed number of judgments",
    drawn: "draws of inputs and comparisons with replacement",
    x_label: "comparisons on each input (with as many fewer inputs)",
    y_label: MEAN_RHO,
};

impl<'a> Group<'a> {
    fn plots(self) -> [(String, Plot); 4] {
        let plots = [
            ("shares", self.shares_plot()),
            ("tau-u", self.tau_u_plot()),
            ("references", self.references_plot()),
            ("budget", self.budget_plot()),
        ];
        plots.map(|(name, plot)| (self.name_of_file(name), plot))
    }

    fn name_of_file(self, plot: &str) -> String {
        format!("{plot}-{}-{}", file_name(self.input), file_name(self.judge))
    }

    /// Returns the rows that have no reference, each with its place.
    fn rows(self) -> impl Iterator<Item = (usize, &'a StudyRow)> {
        let rows = self.report.rows.iter().enumerate();
        rows.filter(move |(_, row)| self.has(row) && row.reference.is_none())
    }

    fn has(self, row: &StudyRow) -> bool {
        row.input == self.input && row.judge == self.judge
    }

    /// Returns the evaluation types, in the order of the study.
    fn kinds(self) -> Vec<&'a str> {
        let mut kinds: Vec<&str> = self.rows().map(|(_, row)| row.kind.as_str()).collect();
        kinds.dedup();
        kinds
    }

    fn panels(self, curve: impl Fn(usize, &'a StudyRow) -> Curve) -> Vec<Panel> {
        let kinds = self.kinds().into_iter();
        let panels = kinds.map(|kind| Panel {
            title: kind.into(),
            curves: self.curves_of_kind(kind, &curve),
        });
        panels.collect()
    }

    fn curves_of_kind(
        self,
        kind: &str,
        curve: impl Fn(usize, &'a StudyRow) -> Curve,
    ) -> Vec<Curve> {
        let rows = self.rows().filter(|(_, row)| row.kind == kind);
        rows.map(|(at, row)| curve(at, row)).collect()
    }

    fn plot(self, words: &PlotWords, curve: impl Fn(usize, &'a StudyRow) -> Curve) -> Plot {
        Plot {
            panels: self.panels(curve),
            ..self.plot_without_panels(words)
        }
        .with_points_only()
    }

    fn plot_without_panels(self, words: &PlotWords) -> Plot {
        Plot {
            title: format!("{}: {} on {}", words.title, self.judge, self.input),
            caption: interval_caption(self.report, words.drawn),
            x_label: words.x_label.into(),
            y_label: words.y_label.into(),
            ..Plot::default()
        }
    }

    fn shares_plot(self) -> Plot {
        self.plot(&SHARES, |at, row| {
            let points = self.report.shares.get(at).into_iter().flatten();
            let figures = points.map(|point| (point.items as f64, &point.spread.rho));
            aggregation_curve(row, Mark::Line, figures)
        })
    }

    fn tau_u_plot(self) -> Plot {
        self.plot(&TAU_U, |_, row| {
            aggregation_curve(row, Mark::Line, tau_by_threshold(row))
        })
    }

    /// Draws the agreement by reference (figures 4 to 6). Names stand at one curve's points: the
    /// others have theirs at the same ratings.
    fn references_plot(self) -> Plot {
        let mut plot = self.named_references_plot();
        for panel in &mut plot.panels {
            for curve in panel.curves.iter_mut().skip(1) {
                curve.names.clear();
            }
        }
        plot
    }

    fn named_references_plot(self) -> Plot {
        self.plot(&REFERENCES, |at, row| {
            let found = found_for(&self.report.references, at);
            let points = found.flat_map(|found| &found.points);
            reference_curve(row, points.filter(|point| point.rho.value.is_some()))
        })
    }

    fn budget_plot(self) -> Plot {
        let mut plot = self.splits_plot();
        for panel in &mut plot.panels {
            let lines = self.budget_lines(panel);
            panel.curves.extend(lines);
        }
        plot
    }

    /// Returns the horizontal lines of figure 1: benchers that spend the budget on one look at each
    /// response, or on comparisons with one reference.
    fn budget_lines(self, panel: &Panel) -> Vec<Curve> {
        let Some(ends) = x_range(panel) else {
            return Vec::new();
        };
        let rows = self.report.rows.iter();
        rows.filter(|row| self.has(row) && is_level_in(row, &panel.title))
            .filter_map(|row| level_line(row, ends))
            .collect()
    }

    fn splits_plot(self) -> Plot {
        self.plot(&BUDGET, |at, row| {
            let splits = found_for(&self.report.budgets, at).flatten();
            let figures = splits.map(|split| (split.comparisons as f64, &split.spread.rho));
            aggregation_curve(row, Mark::Line, figures)
        })
    }
}

/// Whether a bencher has one way to spend the budget: a level line in the panel of this type.
fn is_level_in(row: &StudyRow, kind: &str) -> bool {
    row.pointwise || (row.reference.is_some() && row.kind == kind)
}

/// Returns the agreement by reference, each point with the name of its system.
fn reference_curve<'a>(row: &StudyRow, points: impl Iterator<Item = &'a ReferencePoint>) -> Curve {
    let (names, figures): (Vec<String>, Vec<(f64, &Figure)>) = points
        .map(|point| (point.system.clone(), (point.rating, &point.rho)))
        .unzip();
    Curve {
        names,
        ..aggregation_curve(row, Mark::Points, figures)
    }
}

/// Returns the least and the greatest x of a panel's points; None without points.
fn x_range(panel: &Panel) -> Option<[f64; 2]> {
    let points = panel.curves.iter().flat_map(|curve| &curve.points);
    let places = points.map(|point| point.0);
    let low = places.clone().reduce(f64::min)?;
    Some([low, places.reduce(f64::max)?])
}

/// Returns a bencher's agreement as a line from one x to another.
fn level_line(row: &StudyRow, ends: [f64; 2]) -> Option<Curve> {
    let rho = row.bencher.figures.spearman.value?;
    Some(Curve {
        points: ends.map(|x| (x, rho)).to_vec(),
        ..Curve::marked(level_name(row), Mark::Line)
    })
}

fn level_name(row: &StudyRow) -> String {
    match &row.reference {
        Some(system) => format!("{}, against {system}", row.aggregation),
        None => format!("{}, {}", row.aggregation, row.kind),
    }
}

/// Returns what the study computed for the row at this place.
fn found_for<T>(all: &[(usize, T)], at: usize) -> impl Iterator<Item = &T> {
    let own = all.iter().filter(move |(row, _)| *row == at);
    own.map(|(_, found)| found)
}

fn tau_by_threshold(row: &StudyRow) -> Vec<(f64, &Figure)> {
    let taus = row.bencher.tau_u.iter();
    sort_by_number(taus.filter_map(|point| Some((point.u?, &point.tau))))
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
    Curve::marked(name, mark).with_figures(figures)
}

fn interval_caption(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {drawn}",
        100.0 * report.plan.level
    )
}

/// Draws the frontier as a line, and its points by bencher.
fn frontier_plot(report: &StudyReport, input: &str) -> Plot {
    let plot = Plot {
        title: format!("The best bencher at every cost: {input}"),
        caption: interval_caption(report, "draws of inputs with replacement"),
        x_label: format!("cost in {} (logarithmic)", unit_name(report.unit)),
        y_label: MEAN_RHO.into(),
        x_scale: Axis::Log10,
        panels: vec![frontier_panel(report, input)],
        ..Plot::default()
    };
    plot.with_points_only()
}

fn unit_name(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Usd => "US dollars",
        CostUnit::Tokens => "tokens",
    }
}

fn frontier_panel(report: &StudyReport, input: &str) -> Panel {
    let points = frontier_points(report, input);
    let rows: BTreeSet<usize> = points.iter().map(|point| point.row).collect();
    let benchers = rows.into_iter();
    let curves = benchers.map(|row| bencher_curve(report, row, &points));
    Panel::untitled(curves.chain([frontier_line(&points)]))
}

/// Returns the frontier of an input set; a cost of nothing has no place on a logarithmic axis.
fn frontier_points<'a>(report: &'a StudyReport, input: &str) -> Vec<&'a FrontierPoint> {
    let points = report.frontier.iter();
    points
        .filter(|point| point.input == input && point.cost > 0.0)
        .collect()
}

fn bencher_curve(report: &StudyReport, row: usize, points: &[&FrontierPoint]) -> Curve {
    let own = points.iter().filter(|point| point.row == row);
    let figures = own.map(|point| (libm::log10(point.cost), &point.rho));
    curve_of(bencher_name(&report.rows[row]), Mark::Points, figures)
}

fn frontier_line(points: &[&FrontierPoint]) -> Curve {
    let points = points.iter();
    let known = points.filter_map(|point| Some((libm::log10(point.cost), point.rho.value?)));
    Curve {
        points: known.collect(),
        ..Curve::marked("frontier", Mark::Line)
    }
}

fn bencher_name(row: &StudyRow) -> String {
    let reference = or_blank(row.reference.as_ref(), |reference| {
        format!(", against {reference}")
    });
    format!(
        "{}, {}, {}{reference}",
        row.judge, row.kind, row.aggregation
    )
}
