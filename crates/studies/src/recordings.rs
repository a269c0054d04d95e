//! Recorded judgments under the names of their files, for studies that hold several recordings
//! against each other and need no labels.

use evenhand_core::{Refusal, Setting};
use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::judgments::{JudgmentReader, Options, RecordedJudgments};
use std::path::PathBuf;

/// Reads recorded judgments; those of files of one name are together, under that name, in the order
/// of their first file.
///
/// # Errors
/// A path that is not there; a directory without data files; files that cannot be read.
pub(crate) fn read_by_name(
    recorded: &[PathBuf],
    reading: &Options,
) -> Result<Vec<(String, RecordedJudgments)>, EngineError> {
    let reading = &Options {
        battles: true,
        ..reading.clone()
    };
    let mut named: Vec<(String, JudgmentReader)> = Vec::new();
    for path in recorded {
        for file in files(path)? {
            let name = stem(&file);
            let known = named.iter().position(|(other, _)| *other == name);
            let at = known.unwrap_or_else(|| {
                named.push((name, JudgmentReader::new(reading)));
                named.len() - 1
            });
            let source = open_buffered(&file)?;
            named[at].1.add_file(source, &file.display().to_string())?;
        }
    }
    if named.is_empty() {
        return Err(Refusal::of_input(format!("{}: no file was given", Setting::Recorded)).into());
    }
    let read = named
        .into_iter()
        .map(|(name, reader)| Ok((name, reader.finish()?)));
    read.collect()
}
