//! How the settings of a study order its judges (RealRank, figure 3 and table 2).

use super::words::{Written, dots, grid, intervals};
use super::{Cell, DotRow, Figure};
use evenhand_studies::Figure as Measured;
use evenhand_studies::study::StudyReport;

const CORRELATION: &str = "correlation of two orders of the judges";

/// Returns the judges of every input set by their agreement with people.
pub(super) fn judge_rank_figure(report: &StudyReport) -> Option<Figure> {
    let written = Written::share(report.plan.level);
    let rows = report.judge_ranks.iter().map(|rank| {
        let place = match (rank.rank, rank.rank_low, rank.rank_high) {
            (Some(place), Some(low), Some(high)) => format!("rank {place} ({low} to {high})"),
            (Some(place), ..) => format!("rank {place}"),
            (None, ..) => "no rank".into(),
        };
        let row = written.row(format!("{}: {}", rank.judge, rank.kind), &rank.rho);
        row.saying(&place).in_group(rank.input.as_str())
    });
    dots(
        "Judges, by rankings of systems",
        "Spearman's rho of a judge's ranking and people's ratings, by Bradley-Terry",
        "Spearman's rho",
        rows,
    )
}

/// Names what the judges are ordered by: the input set first, for that is where most differ.
fn measure_name(setting: u8, input: &str) -> String {
    format!("{input}, setting {setting}")
}

/// Returns how alike the settings order the judges (figure 3); None where there are not two
/// measures of them, or one is not known.
pub(super) fn concordance_grid(report: &StudyReport) -> Option<Figure> {
    if report.concordances.is_empty() {
        return None;
    }
    let place = |(setting, input): &(u8, String)| {
        let mut measures = report.measures.iter();
        measures.position(|measure| measure.setting == *setting && measure.input == *input)
    };
    let cell = |figure: &Measured| {
        let value = figure.value.filter(|value| value.is_finite());
        let text = value.map_or("-".into(), |value| format!("{value:.2}"));
        Some(Cell { value, text })
    };
    let count = report.measures.len();
    let mut cells = vec![vec![None; count]; count];
    for found in &report.concordances {
        let (a, b) = (place(&found.a)?, place(&found.b)?);
        cells[a][b] = cell(&found.rho);
        cells[b][a] = cell(&found.tau_b);
    }
    let measures = report.measures.iter();
    let names = measures.map(|measure| measure_name(measure.setting, &measure.input));
    let names: Vec<String> = names.collect();
    Some(grid(
        "Do the settings order the judges alike?",
        "above the diagonal Spearman's rho, below it Kendall's tau-b",
        [names.clone(), names],
        cells,
        ([-1.0, 1.0], CORRELATION),
    ))
}

/// Returns the intervals of how alike the settings order the judges.
pub(super) fn concordance_dots(report: &StudyReport) -> Option<Figure> {
    let written = Written::share(report.plan.level);
    let mut rows: Vec<DotRow> = Vec::new();
    for found in &report.concordances {
        let [a, b] = [&found.a, &found.b].map(|(setting, input)| measure_name(*setting, input));
        for (group, figure) in [
            ("Spearman's rho", &found.rho),
            ("Kendall's tau-b", &found.tau_b),
        ] {
            let row = written.row(format!("{a} and {b}"), figure);
            let row = row.saying(&format!("{} judges", found.judges));
            rows.push(row.in_group(group));
        }
    }
    let title = "Do the settings order the judges alike? With intervals";
    let note = format!("{} over judges", intervals(written.level));
    dots(title, note, CORRELATION, rows)
}
