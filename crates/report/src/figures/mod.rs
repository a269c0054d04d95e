//! Figures from one description: plain data that the front end draws for a reader with a mouse, and
//! that [`draw_svg`] draws as a file.
//!
//! A command has one function that returns its figures, the most telling first. A number that is
//! undefined is None with its cause in words, so nothing is ever drawn at a place that it does not
//! have.

mod audit;
mod bencher;
mod check;
mod compare;
mod consistency;
mod describe;
mod judge;
mod judge_verdicts;
mod pdf;
mod people;
mod png;
mod ranking;
mod ranking_pairs;
mod study;
mod study_curves;
mod study_methods;
mod study_settings;
mod svg;
mod words;

pub use audit::{audit_figures, figures_of_audits, figures_over_judges};
pub use bencher::{figures_of_benchers, tau_u_figure};
pub use check::figures_of_check;
pub use compare::figures_of_comparison;
pub use consistency::figures_of_consistency;
pub use describe::{
    Axis, Cell, DotRow, Dots, Figure, Grid, LinePoint, Lines, Point, Points, Scale, Series,
};
pub use judge::figures_of_judges;
pub use pdf::draw_pdf;
pub use people::figures_of_people;
pub use png::draw_png;
pub use ranking::figures_of_ranking;
pub use study::{figures_of_study, study_figures};
pub use svg::draw_svg;
pub(crate) use svg::escape_xml;
pub(crate) use words::grid;

/// A figure with a name for its file.
pub type NamedFigure = (String, Figure);

/// Returns a figure with a name for its file, where there is a figure.
fn named(name: impl Into<String>, figure: Option<Figure>) -> Option<NamedFigure> {
    figure.map(|figure| (name.into(), figure))
}

/// Returns the figures without their names.
fn without_names(named: Vec<NamedFigure>) -> Vec<Figure> {
    named.into_iter().map(|(_, figure)| figure).collect()
}

/// Returns a name that a file may have on any system.
fn file_name(name: &str) -> String {
    name.replace(
        |c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c),
        "-",
    )
}
