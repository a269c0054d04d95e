//! Recorded judgments under the names of their files, for studies that hold several recordings
//! against each other and need no labels.

use evenhand_core::{Refusal, Setting};
use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::judgments::{JudgmentReader, Options, RecordedJudgments};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the files of these paths, each given once.
///
/// # Errors
/// A path that is not there; a directory without data files; a file that is given twice, however it
/// is spelt: what a judge said once would count twice.
pub(crate) fn files_given_once(recorded: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut seen: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut all = Vec::new();
    for path in recorded {
        for file in files(path)? {
            // What is in no folder, such as standard input, has its own name alone.
            let place = file.canonicalize().unwrap_or_else(|_| file.clone());
            if let Some(first) = seen.insert(place, file.clone()) {
                let (file, first) = (file.display().to_string(), first.display().to_string());
                let spelt = match file == first {
                    true => String::new(),
                    false => format!(" (also as {first})"),
                };
                return Err(Refusal::of_input(format!(
                    "{} {file}: the file is given twice{spelt}; give it once",
                    Setting::Recorded
                ))
                .into());
            }
            all.push(file);
        }
    }
    Ok(all)
}

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
    for file in files_given_once(recorded)? {
        let name = stem(&file);
        let known = named.iter().position(|(other, _)| *other == name);
        let at = known.unwrap_or_else(|| {
            named.push((name, JudgmentReader::new(reading)));
            named.len() - 1
        });
        let source = open_buffered(&file)?;
        named[at].1.add_file(source, &file.display().to_string())?;
    }
    if named.is_empty() {
        return Err(Refusal::of_input(format!("{}: no file was given", Setting::Recorded)).into());
    }
    let read = named
        .into_iter()
        .map(|(name, reader)| Ok((name, reader.finish()?)));
    read.collect()
}
