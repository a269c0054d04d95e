//! How the settings of a study order its judges (RealRank, figure 3 and table 2).

use super::study_words::named;
use super::words::Written;
use super::{Axis, Cell, DotRow, Dots, Figure, Grid, NamedFigure, Scale};
use evenhand_studies::Figure as Measured;
use evenhand_studies::study::{Concordance, JudgeRank, Measure, StudyReport};

const CORRELATION: &str = "correlation of two orders of the judges";

/// Returns the judges of every input set by their agreement with people.
pub(super) fn judge_rank_figure(report: &StudyReport) -> Option<Figure> {
    let dots = Dots {
        title: "Judges, by rankings of systems".into(),
        note: Some(
            "Spearman's rho of a judge's ranking and people's ratings, by Bradley-Terry".into(),
        ),
        axis: Axis::linear("Spearman's rho"),
        rows: judge_rows(report),
    };
    dots.if_any()
}

fn judge_rows(report: &StudyReport) -> Vec<DotRow> {
    let ranks = report.judge_ranks.iter();
    let rows = ranks.map(|rank| judge_row(rank, report.plan.level));
    rows.collect()
}

fn judge_row(rank: &JudgeRank, level: f64) -> DotRow {
    let row = Written::share(level).row(format!("{}: {}", rank.judge, rank.kind), &rank.rho);
    row.saying(&rank_words(rank)).in_group(rank.input.as_str())
}

fn rank_words(rank: &JudgeRank) -> String {
    let Some(place) = rank.rank else {
        return "no rank".into();
    };
    match (rank.rank_low, rank.rank_high) {
        (Some(low), Some(high)) => format!("rank {place} ({low} to {high})"),
        _ => format!("rank {place}"),
    }
}

/// Returns how alike the settings order the judges (figure 3), and the intervals of that; none
/// where there are not two measures of them.
pub(super) fn concordance_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let grid = named("concordance", concordance_grid(report));
    let dots = named("concordance-intervals", concordance_dots(report));
    grid.into_iter().chain(dots).collect()
}

fn concordance_grid(report: &StudyReport) -> Option<Figure> {
    let names = numbered_names(report);
    let cells = concordance_cells(report)?;
    Some(Figure::Grid(Grid {
        title: "Do the settings order the judges alike?".into(),
        note: Some("above the diagonal Spearman's rho, below it Kendall's tau-b".into()),
        rows: names.clone(),
        columns: names,
        cells,
        scale: correlation_scale(),
    }))
}

fn correlation_scale() -> Scale {
    Scale {
        low: -1.0,
        high: 1.0,
        label: CORRELATION.into(),
    }
}

fn numbered_names(report: &StudyReport) -> Vec<String> {
    let measures = report.measures.iter().zip(1..);
    measures.map(numbered_name).collect()
}

fn numbered_name((measure, number): (&Measure, usize)) -> String {
    format!("{number}  {}", measure_name(measure))
}

fn measure_name(measure: &Measure) -> String {
    format!("setting {}, {}", measure.setting, measure.input)
}

/// The cells of every row.
type Cells = Vec<Vec<Option<Cell>>>;

/// Returns the cells of both halves; None where there are none, or a measure is not known.
fn concordance_cells(report: &StudyReport) -> Option<Cells> {
    if report.concordances.is_empty() {
        return None;
    }
    let count = report.measures.len();
    let mut cells = vec![vec![None; count]; count];
    for found in &report.concordances {
        place_concordance(report, found, &mut cells)?;
    }
    Some(cells)
}

fn place_concordance(report: &StudyReport, found: &Concordance, cells: &mut Cells) -> Option<()> {
    let a = measure_place(report, &found.a)?;
    let b = measure_place(report, &found.b)?;
    cells[a][b] = Some(concordance_cell(&found.rho));
    cells[b][a] = Some(concordance_cell(&found.tau_b));
    Some(())
}

fn measure_place(report: &StudyReport, (setting, input): &(u8, String)) -> Option<usize> {
    report
        .measures
        .iter()
        .position(|measure| measure.setting == *setting && measure.input == *input)
}

fn concordance_cell(figure: &Measured) -> Cell {
    let value = figure.value.filter(|value| value.is_finite());
    let text = value.map_or("-".into(), |value| format!("{value:.2}"));
    Cell { value, text }
}

fn concordance_dots(report: &StudyReport) -> Option<Figure> {
    let dots = Dots {
        title: "Do the settings order the judges alike? With intervals".into(),
        note: Some(format!(
            "{:.0} % intervals over judges",
            100.0 * report.plan.level
        )),
        axis: Axis::linear(CORRELATION),
        rows: all_concordance_rows(report),
    };
    dots.if_any()
}

fn all_concordance_rows(report: &StudyReport) -> Vec<DotRow> {
    let found = report.concordances.iter();
    let rows = found.flat_map(|found| concordance_rows(found, report.plan.level));
    rows.collect()
}

fn concordance_rows(found: &Concordance, level: f64) -> [DotRow; 2] {
    let both = [
        ("Spearman's rho", &found.rho),
        ("Kendall's tau-b", &found.tau_b),
    ];
    both.map(|(group, figure)| concordance_row(found, figure, level).in_group(group))
}

fn concordance_row(found: &Concordance, figure: &Measured, level: f64) -> DotRow {
    let [a, b] = [&found.a, &found.b].map(|(setting, input)| format!("setting {setting}, {input}"));
    let row = Written::share(level).row(format!("{a} and {b}"), figure);
    row.saying(&format!("{} judges", found.judges))
}
