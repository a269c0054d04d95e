//! The figures of a study, as in RealRank: agreement against the inputs, the reference, the split
//! of a budget, the cost, and how close systems are.

use super::{Curve, Grid, GridCell, Mark, Panel, Plot, Scale};
use evenhand_studies::Figure;
use evenhand_studies::study::{FrontierPoint, Row, StudyReport, Unit};
use std::collections::BTreeSet;

const RHO: &str = "Spearman's rho with people's ratings";

/// All figures that the study has data for, each with a name for its file.
pub fn study_plots(report: &StudyReport) -> Vec<(String, Plot)> {
    let groups: BTreeSet<(&str, &str)> = report
        .rows
        .iter()
        .map(|row| (row.input.as_str(), row.judge.as_str()))
        .collect();
    let mut plots = Vec::new();
    for (input, judge) in &groups {
        let group = Group {
            report,
            input,
            judge,
        };
        let name = |what: &str| format!("{what}-{}-{}", plain(input), plain(judge));
        plots.push((name("shares"), group.shares()));
        plots.push((name("tau-u"), group.tau_u()));
        plots.push((name("references"), group.references()));
        plots.push((name("budget"), group.budget()));
    }
    for input in groups
        .iter()
        .map(|(input, _)| *input)
        .collect::<BTreeSet<_>>()
    {
        plots.push((
            format!("frontier-{}", plain(input)),
            frontier(report, input),
        ));
    }
    plots.retain(|(_, plot)| !plot.panels.is_empty());
    plots
}

/// How alike the settings order the judges (figure 3); None where there are not two measures of
/// them.
pub fn concordance_grid(report: &StudyReport) -> Option<Grid> {
    let place = |named: &(u8, String)| {
        report
            .measures
            .iter()
            .position(|of| (of.setting, &of.input) == (named.0, &named.1))
    };
    let mut cells = Vec::new();
    for found in &report.concordances {
        let (a, b) = (place(&found.a)?, place(&found.b)?);
        let cell = |row, column, figure: &Figure| {
            let below = [range(figure), format!("{} judges", found.judges)];
            GridCell {
                row,
                column,
                value: figure.value,
                below,
            }
        };
        cells.extend([cell(a, b, &found.rho), cell(b, a, &found.tau_b)]);
    }
    let level = 100.0 * report.plan.level;
    let caption = format!(
        "above the diagonal Spearman's rho, below it Kendall's tau-b; {level:.0} % intervals over \
         judges"
    );
    let names = report
        .measures
        .iter()
        .map(|measure| format!("setting {}, {}", measure.setting, measure.input))
        .collect();
    (!cells.is_empty()).then(|| Grid {
        title: "Do the settings order the judges alike?".into(),
        caption,
        names,
        cells,
    })
}

fn range(figure: &Figure) -> String {
    let end = |end: Option<f64>| end.map_or("?".into(), |end| format!("{end:.2}"));
    figure
        .ci
        .map(|[low, high]| format!("({} to {})", end(low), end(high)))
        .unwrap_or_default()
}

/// A name that is a file's on any system.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}

/// The benchers of a judge on an input set: a panel for each evaluation type, a curve for each
/// aggregation.
struct Group<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
}

impl<'a> Group<'a> {
    /// The rows that have no reference, each with its place.
    fn rows(&self) -> impl Iterator<Item = (usize, &'a Row)> + use<'a> {
        let (input, judge) = (self.input, self.judge);
        let of = move |(_, row): &(usize, &Row)| {
            row.input == input && row.judge == judge && row.reference.is_none()
        };
        self.report.rows.iter().enumerate().filter(of)
    }

    fn panels(&self, curve: impl Fn(usize, &'a Row) -> Curve) -> Vec<Panel> {
        let mut kinds: Vec<&str> = self.rows().map(|(_, row)| row.kind.as_str()).collect();
        kinds.dedup();
        let of = |kind: &str| {
            self.rows()
                .filter(|(_, row)| row.kind == kind)
                .map(|(at, row)| curve(at, row))
                .collect()
        };
        kinds
            .iter()
            .map(|kind| Panel {
                title: kind.to_string(),
                curves: of(kind),
            })
            .collect()
    }

    fn plot(
        &self,
        what: &str,
        bands: &str,
        [x_label, y_label]: [&str; 2],
        curve: impl Fn(usize, &'a Row) -> Curve,
    ) -> Plot {
        let plot = Plot {
            title: format!("{what}: {} on {}", self.judge, self.input),
            caption: intervals(self.report, bands),
            x_label: x_label.into(),
            y_label: y_label.into(),
            panels: self.panels(curve),
            ..Plot::default()
        };
        plot.with_points_only()
    }

    fn shares(&self) -> Plot {
        let labels = ["inputs", &format!("{RHO} (mean)")];
        self.plot(
            "Agreement and the number of inputs",
            "draws of inputs with replacement",
            labels,
            |at, row| {
                let points = self.report.shares.get(at).into_iter().flatten();
                curve(
                    row,
                    Mark::Line,
                    points.map(|point| (point.items as f64, &point.spread.rho)),
                )
            },
        )
    }

    fn tau_u(&self) -> Plot {
        let labels = [
            "u: largest difference of the ratings (in their unit)",
            "tau_u",
        ];
        self.plot("Agreement on close systems", "items", labels, |_, row| {
            let mut points: Vec<(f64, &Figure)> = row
                .bencher
                .tau_u
                .iter()
                .filter_map(|point| Some((point.u?, &point.tau)))
                .collect();
            points.sort_by(|x, y| x.0.total_cmp(&y.0));
            curve(row, Mark::Line, points.into_iter())
        })
    }

    fn references(&self) -> Plot {
        let labels = ["people's rating of the reference system", RHO];
        self.plot(
            "Agreement and the reference system",
            "items",
            labels,
            |at, row| {
                let found = self
                    .report
                    .references
                    .iter()
                    .filter(|(row, _)| *row == at)
                    .flat_map(|(_, found)| &found.points);
                curve(
                    row,
                    Mark::Points,
                    found.map(|point| (point.rating, &point.rho)),
                )
            },
        )
    }

    fn budget(&self) -> Plot {
        let labels = [
            "comparisons on each input (with as many fewer inputs)",
            &format!("{RHO} (mean)"),
        ];
        self.plot(
            "A fixed number of judgments",
            "draws of inputs and comparisons with replacement",
            labels,
            |at, row| {
                let splits = self
                    .report
                    .budgets
                    .iter()
                    .filter(|(row, _)| *row == at)
                    .flat_map(|(_, splits)| splits);
                curve(
                    row,
                    Mark::Line,
                    splits.map(|split| (split.comparisons as f64, &split.spread.rho)),
                )
            },
        )
    }
}

fn curve<'a>(row: &Row, mark: Mark, points: impl Iterator<Item = (f64, &'a Figure)>) -> Curve {
    drawn(row.aggregation.to_string(), mark, points)
}

fn drawn<'a>(name: String, mark: Mark, points: impl Iterator<Item = (f64, &'a Figure)>) -> Curve {
    let mut curve = Curve {
        name,
        mark,
        ..Curve::default()
    };
    for (x, figure) in points {
        curve.points.extend(figure.value.map(|value| (x, value)));
        if let Some([Some(low), Some(high)]) = figure.ci {
            curve.band.push((x, low, high));
        }
    }
    curve
}

fn intervals(report: &StudyReport, of: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {of}",
        100.0 * report.plan.level
    )
}

/// The frontier as a line, and its points by bencher.
fn frontier(report: &StudyReport, input: &str) -> Plot {
    let unit = if report.unit == Unit::Usd {
        "US dollars"
    } else {
        "tokens"
    };
    let plot = Plot {
        title: format!("The best bencher at every cost: {input}"),
        caption: intervals(report, "draws of inputs with replacement"),
        x_label: format!("cost in {unit} (logarithmic)"),
        y_label: format!("{RHO} (mean)"),
        x_scale: Scale::Log10,
        panels: vec![Panel {
            curves: frontier_curves(report, input),
            ..Panel::default()
        }],
        ..Plot::default()
    };
    plot.with_points_only()
}

fn frontier_curves(report: &StudyReport, input: &str) -> Vec<Curve> {
    let points = || {
        report
            .frontier
            .iter()
            .filter(|point| point.input == input && point.cost > 0.0)
    };
    let at = |point: &'_ FrontierPoint| (libm::log10(point.cost), point.rho.value);
    let line = points()
        .filter_map(|point| {
            let (x, y) = at(point);
            Some((x, y?))
        })
        .collect();
    let mut rows: Vec<usize> = points().map(|point| point.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let of = |row: &usize| {
        let of_row = points().filter(|point| point.row == *row);
        drawn(
            bencher(&report.rows[*row]),
            Mark::Points,
            of_row.map(|point| (libm::log10(point.cost), &point.rho)),
        )
    };
    let frontier = Curve {
        name: "frontier".into(),
        points: line,
        ..Curve::default()
    };
    rows.iter().map(of).chain([frontier]).collect()
}

fn bencher(row: &Row) -> String {
    let reference = row
        .reference
        .iter()
        .map(|reference| format!(", against {reference}"));
    format!("{}, {}, {}", row.judge, row.kind, row.aggregation) + &reference.collect::<String>()
}
