//! The figures of how far people agree among themselves.

use super::Figure;
use super::words::{Written, dots};
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};

/// Annotators that are drawn, those with the most shared pairs first.
const ANNOTATORS: usize = 40;

/// Returns the figures of people's agreement, whose intervals have this level.
pub fn figures_of_people(report: &PeopleReport, level: f64) -> Vec<Figure> {
    let written = Written::share(level);
    let figures = [
        agreement(report, written, "How far people agree", "share", shares),
        agreement(report, written, "Krippendorff's alpha", "alpha", alphas),
        annotators(
            report,
            written,
            "Annotators: as most others",
            "share",
            |row| &row.agreement,
        ),
        annotators(
            report,
            written,
            "Annotators: kappa with others",
            "Cohen's kappa",
            |row| &row.kappa,
        ),
    ];
    figures.into_iter().flatten().collect()
}

fn note_of(written: Written) -> String {
    format!(
        "points and {:.0} % intervals over items",
        100.0 * written.level
    )
}

/// Figures with their names.
type Named<'a> = Vec<(&'static str, &'a CountedFigure)>;

/// Returns some figures over all pairs and over those of each category.
fn agreement(
    report: &PeopleReport,
    written: Written,
    title: &str,
    axis: &str,
    of: fn(&Agreement) -> Named<'_>,
) -> Option<Figure> {
    let whole = [("all", &report.all)].into_iter();
    let parts = report.parts.iter();
    let parts = parts.map(|(name, part)| (name.as_str(), part));
    let rows = whole.chain(parts).flat_map(|(part, agreement)| {
        let figures = of(agreement).into_iter();
        figures.map(move |(name, counted)| {
            let row = written.row(name, &counted.figure);
            let row = row.saying(&format!("of {}", counted.n));
            if report.parts.is_empty() {
                row
            } else {
                row.in_group(part)
            }
        })
    });
    dots(title, note_of(written), axis, rows)
}

fn annotators(
    report: &PeopleReport,
    written: Written,
    title: &str,
    axis: &str,
    of: fn(&AnnotatorRow) -> &CountedFigure,
) -> Option<Figure> {
    let rows = report.annotators.iter().take(ANNOTATORS).map(|one| {
        let counted = of(one);
        let row = written.row(one.annotator.as_str(), &counted.figure);
        row.saying(&format!("of {}", counted.n))
    });
    dots(title, note_of(written), axis, rows)
}

fn shares(agreement: &Agreement) -> Named<'_> {
    vec![
        ("two labels agree", &agreement.agreement),
        (
            "two that are no tie agree",
            &agreement.agreement_without_ties,
        ),
        ("all agree", &agreement.unanimous),
        ("ties", &agreement.ties),
        ("as most others", &agreement.ceiling_leave_one_out),
        ("most frequent label", &agreement.ceiling_in_sample),
    ]
}

fn alphas(agreement: &Agreement) -> Named<'_> {
    vec![
        ("nominal", &agreement.alpha_nominal),
        ("ordinal", &agreement.alpha_ordinal),
    ]
}
