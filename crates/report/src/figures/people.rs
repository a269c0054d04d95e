//! The figures of how far people agree among themselves.

use super::words::Written;
use super::{Axis, DotRow, Dots, Figure};
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};

/// Annotators that are drawn, those with the most shared pairs first.
const ANNOTATORS: usize = 40;

/// Returns the figures of people's agreement, whose intervals have this level.
pub fn figures_of_people(report: &PeopleReport, level: f64) -> Vec<Figure> {
    let people = People {
        report,
        written: Written::share(level),
    };
    let figures = [
        people.agreement("How far people agree", "share", shares),
        people.agreement("Krippendorff's alpha", "alpha", alphas),
        people.annotators("Annotators: as most others", "share", |row| &row.agreement),
        people.annotators("Annotators: kappa with others", "Cohen's kappa", |row| {
            &row.kappa
        }),
    ];
    figures.into_iter().flatten().collect()
}

/// A report and how its numbers are written.
#[derive(Clone, Copy)]
struct People<'a> {
    report: &'a PeopleReport,
    written: Written,
}

/// Figures with their names.
type Named<'a> = Vec<(&'static str, &'a CountedFigure)>;

impl People<'_> {
    /// Returns some figures over all pairs and over those of each category.
    fn agreement(self, title: &str, axis: &str, of: fn(&Agreement) -> Named<'_>) -> Option<Figure> {
        let whole = [("all", &self.report.all)].into_iter();
        let parts = self
            .report
            .parts
            .iter()
            .map(|(name, part)| (name.as_str(), part));
        let rows = whole.chain(parts).flat_map(|(part, agreement)| {
            let figures = of(agreement).into_iter();
            figures.map(move |(name, figure)| self.part_row(name, part, figure))
        });
        self.dots(title, axis, rows.collect())
    }

    fn part_row(self, name: &str, part: &str, figure: &CountedFigure) -> DotRow {
        let row = self.row(name, figure);
        if self.report.parts.is_empty() {
            return row;
        }
        row.in_group(part)
    }

    fn row(self, label: &str, counted: &CountedFigure) -> DotRow {
        let row = self.written.row(label, &counted.figure);
        row.saying(&format!("of {}", counted.n))
    }

    fn annotators(
        self,
        title: &str,
        axis: &str,
        of: fn(&AnnotatorRow) -> &CountedFigure,
    ) -> Option<Figure> {
        let shown = self.report.annotators.iter().take(ANNOTATORS);
        let rows = shown.map(|row| self.row(&row.annotator, of(row)));
        self.dots(title, axis, rows.collect())
    }

    fn dots(self, title: &str, axis: &str, rows: Vec<DotRow>) -> Option<Figure> {
        let dots = Dots {
            title: title.into(),
            note: Some(format!(
                "points and {:.0} % intervals over items",
                100.0 * self.written.level
            )),
            axis: Axis::linear(axis),
            rows,
        };
        dots.if_any()
    }
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
