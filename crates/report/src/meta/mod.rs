//! Meta-evaluation for people and programs.

mod atlas;
mod bencher;
mod conformal;
mod consistency;
mod head;
mod judge;
mod judge_notes;
mod paired;
mod people;
mod selection;
mod self_preference;
mod study;
mod study_extras;
mod study_labelled;
mod study_methods;
mod study_wide;
mod translations;
mod wordings;

pub use atlas::{AtlasSet, atlas_rows};
pub(crate) use bencher::BencherJson;
pub use bencher::{bencher_csv, bencher_json, bencher_table};
pub(crate) use conformal::ConformalJson;
pub use conformal::{conformal_csv, conformal_json, conformal_table};
pub(crate) use consistency::ConsistencyJson;
pub use consistency::{ConsistencyOf, consistency_csv, consistency_json, consistency_table};
pub use head::{head_csv, head_table};
pub(crate) use judge::JudgesJson;
pub use judge::{judges_csv, judges_json, judges_table};
pub use judge_notes::JudgeSettings;
pub(crate) use people::PeopleJson;
pub use people::{people_csv, people_json, people_table};
pub(crate) use selection::SelectionJson;
pub use selection::{selection_csv, selection_json, selection_table};
pub use self_preference::{self_preference_csv, self_preference_json, self_preference_table};
pub(crate) use study::StudyJson;
pub use study::{concordances_csv, study_csv, study_json, study_table};
pub(crate) use translations::TranslationsJson;
pub use translations::{translations_csv, translations_json, translations_table};
pub use wordings::{wordings_csv, wordings_json, wordings_table};

use crate::numbers::{bracketed_interval, or_dash, with_interval};
use evenhand_studies::Figure;
use evenhand_studies::study::StudyRow;

/// Returns a share in percent with its interval: `72.0 (64 to 79)`.
pub(crate) fn percent_with_interval(figure: &Figure) -> String {
    let ci = bracketed_interval(figure.ci, |end| format!("{:.0}", 100.0 * end));
    or_dash(figure.value, |value| format!("{:.1}{ci}", 100.0 * value))
}

/// Returns a coefficient with its interval: `0.53 (0.11 to 0.80)`.
fn coefficient_with_interval(figure: &Figure) -> String {
    // What rounds to 0 has no sign.
    with_interval(figure.value, figure.ci, |number| {
        format!("{:.2}", if number.abs() < 0.005 { 0.0 } else { number })
    })
}

/// Returns a bencher's name, without its reference.
fn bencher_label(row: &StudyRow) -> String {
    format!(
        "{} on {}: {}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}
