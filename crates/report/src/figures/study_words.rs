//! Words and names that several figures of a study have.

use super::{Figure, NamedFigure};
use evenhand_studies::study::StudyReport;

pub(super) const RHO: &str = "Spearman's rho with people's ratings";
pub(super) const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns a figure with a name for its file, where there is a figure.
pub(super) fn named(name: &str, figure: Option<Figure>) -> Option<NamedFigure> {
    figure.map(|figure| (name.to_owned(), figure))
}

/// Returns a note that says what the intervals are over.
pub(super) fn spread_note(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {drawn}",
        100.0 * report.plan.level
    )
}
