//! What a file of judgments is, by its first record.

use super::{JudgmentFormat, Options, battles, scores};
use crate::error::{DataProblem, Place, Result};
use crate::records::{Format, recognise_format};
use crate::source::json_words::{field_names, hint_at_lists};
use crate::source::values::Values;
use evenhand_core::Setting;
use serde_json::Value;
use std::io::BufRead;

/// Returns the format of a file, by its first record; `None` where that is not known or cannot be
/// read, which [`JudgmentReader::add_file`](super::JudgmentReader::add_file) explains.
pub fn detect_format(file: impl BufRead, options: &Options) -> Option<JudgmentFormat> {
    let (_, (first, _)) = Values::open(file, "").ok()?;
    let kind = recognise_judgments(&first, options)?;
    // A table of scores is recognised by the columns that the user names, which it may lack.
    let is_readable = kind != JudgmentFormat::Scores || scores::has_columns(&first, options);
    is_readable.then_some(kind)
}

/// Returns the format of a file with this first record.
///
/// # Errors
/// A data set's file; a format that is not known.
pub(super) fn find_format(
    first: &Value,
    place: &Place,
    options: &Options,
) -> Result<JudgmentFormat> {
    if let Some(kind) = recognise_judgments(first, options) {
        return Ok(kind);
    }
    let problem = match recognise_format(first) {
        Some(format) => DataProblem::DataSet {
            format: format.name(),
            hint: match format {
                Format::InspectSamples => format!(
                    "; to rank the scores that are in an Inspect log: {} output.model, {} id and \
                     {} scores.NAME.value",
                    Setting::SystemColumn,
                    Setting::ItemColumn,
                    Setting::ScoreColumn
                ),
                _ => String::new(),
            },
        },
        None => DataProblem::NoJudgments {
            has: field_names(first),
            known: JudgmentFormat::list_ranked(),
            battles: crate::battles::spell_usual_columns(),
            hint: battles::hint_at_item(first).unwrap_or_else(|| hint_at_lists(first)),
        },
    };
    Err(problem.at(place))
}

fn recognise_judgments(first: &Value, options: &Options) -> Option<JudgmentFormat> {
    if options.kind.is_some() {
        return options.kind;
    }
    // The columns that the user names say what the file has.
    let names_scores = options.system.is_some() || options.score.is_some();
    if options.battles && !names_scores && battles::has_columns(first, options) {
        return Some(JudgmentFormat::Battles);
    }
    if names_scores || options.item.is_some() {
        return Some(JudgmentFormat::Scores);
    }
    JudgmentFormat::of_record(first)
}
