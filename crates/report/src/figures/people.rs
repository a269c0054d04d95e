//! The figures of how far people agree among themselves.

use super::words::{Written, dots, intervals};
use super::{DotRow, Figure};
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};

/// Annotators that are drawn, those with the most shared pairs first.
const ANNOTATORS: usize = 40;

/// Figures with their names.
type Named<'a> = Vec<(&'static str, &'a CountedFigure)>;

/// Returns the figures of people's agreement, whose intervals have this level.
pub fn figures_of_people(report: &PeopleReport, level: f64) -> Vec<Figure> {
    let written = Written::share(level);
    let row_of = |label: &str, counted: &CountedFigure| {
        let row = written.row(label, &counted.figure);
        row.saying(&format!("of {}", counted.n))
    };
    // Some figures over all pairs and over those of each category.
    let by_part = |of: fn(&Agreement) -> Named<'_>| {
        let parts = report.parts.iter();
        let parts = parts.map(|(name, part)| (name.as_str(), part));
        let mut rows: Vec<DotRow> = Vec::new();
        for (part, agreement) in [("all", &report.all)].into_iter().chain(parts) {
            for (name, counted) in of(agreement) {
                let row = row_of(name, counted);
                rows.push(if report.parts.is_empty() {
                    row
                } else {
                    row.in_group(part)
                });
            }
        }
        rows
    };
    let by_annotator = |of: fn(&AnnotatorRow) -> &CountedFigure| {
        let annotators = report.annotators.iter().take(ANNOTATORS);
        let rows = annotators.map(|one| row_of(&one.annotator, of(one)));
        rows.collect::<Vec<DotRow>>()
    };
    let note = format!("points and {} over items", intervals(level));
    let figures = [
        ("How far people agree", "share", by_part(shares)),
        ("Krippendorff's alpha", "alpha", by_part(alphas)),
        (
            "Annotators: as most others",
            "share",
            by_annotator(|row| &row.agreement),
        ),
        (
            "Annotators: kappa with others",
            "Cohen's kappa",
            by_annotator(|row| &row.kappa),
        ),
    ];
    let figures = figures.into_iter();
    figures
        .filter_map(|(title, axis, rows)| dots(title, note.as_str(), axis, rows))
        .collect()
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
