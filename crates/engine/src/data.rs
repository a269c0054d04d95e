//! Opening the user's files.

use crate::spill::Spill;
use crate::{EngineError, open_input};
use evenhand_core::formats::{DataError, Format, Input, Kind, Mapping, Place, Problem, Shape, inspect, read};
use evenhand_core::{Dataset, DatasetBuilder, Selection};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Which files are read, and how.
#[derive(Clone, Debug, Default)]
pub struct DataOptions {
    /// Files, or directories of files.
    pub paths: Vec<PathBuf>,
    /// The user's mapping of fields; it then holds for every file.
    pub mapping: Option<Mapping>,
    /// The format of every file, where it is not to be recognised.
    pub format: Option<Format>,
    /// Which items and systems are kept.
    pub selection: Selection,
    /// Whether systems may lack responses.
    pub allow_missing: bool,
}

/// Reads a data set: files that define items first, whatever the order in which they were named.
pub fn load(options: &DataOptions) -> Result<Dataset, EngineError> {
    let mut sources = Vec::new();
    for path in options.paths.iter().map(|path| files(path)) {
        for file in path? {
            let kind = options.input(&file, inspect)?.kind;
            sources.push((rank(kind), file));
        }
    }
    sources.sort_by_key(|(rank, _)| *rank);
    let mut builder = DatasetBuilder::new(options.selection.clone(), Box::<Spill>::default());
    for (_, file) in &sources {
        options.input(file, |file, input| read(file, input, &mut |record, place| builder.add(record, place)))?;
    }
    Ok(builder.finish(options.allow_missing)?)
}

impl DataOptions {
    fn input<T>(
        &self,
        path: &Path,
        use_it: impl FnOnce(BufReader<File>, &Input) -> Result<T, DataError>,
    ) -> Result<T, EngineError> {
        let name = path.display().to_string();
        let file = open_input(path).map_err(|e| unreadable(path, &e))?;
        let stem = stem(path);
        let shape = match (&self.mapping, self.format) {
            (Some(mapping), _) => Shape::Mapped(mapping),
            (None, Some(format)) => Shape::Known(format),
            (None, None) => Shape::Recognise,
        };
        let input = Input { shape, default_system: Some(&stem), ..Input::new(&name) };
        Ok(use_it(BufReader::with_capacity(1 << 16, file), &input)?)
    }
}

/// What defines items comes before what speaks of them.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Items => 0,
        Kind::Pairs => 1,
        Kind::Responses => 2,
        Kind::Labels => 3,
        Kind::Ratings => 4,
    }
}

/// The files of a path: itself, or the data files of a directory in the order of their names.
fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| unreadable(path, &e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|file| is_data(file)).collect();
    files.sort();
    let own: Vec<PathBuf> = files.iter().filter(|file| OWN.contains(&stem(file).as_str())).cloned().collect();
    match (own.iter().any(|file| stem(file) == "items"), files.is_empty()) {
        (true, _) => Ok(own),
        (false, false) => Ok(files),
        (false, true) => Err(EngineError::Setting(format!(
            "--data {}: the directory holds no data files; expected items.jsonl and responses.jsonl, or other .json, .jsonl or .csv files, plain or .gz",
            path.display()
        ))),
    }
}

/// The files of our own directory format.
const OWN: [&str; 4] = ["items", "responses", "labels", "ratings"];

fn is_data(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    path.is_file() && [".json", ".jsonl", ".csv"].iter().any(|ending| plain.ends_with(ending))
}

/// The file's name without `.json`, `.jsonl`, `.csv` and `.gz`: the name of a system whose file does not name it.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    [".jsonl", ".json", ".csv"].iter().find_map(|ending| plain.strip_suffix(ending)).unwrap_or(plain).to_string()
}

fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    Problem::Io(error.to_string()).at(&Place::file(path.display().to_string())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_named_after_its_file() {
        for (path, name) in [("x/gpt-4.jsonl.gz", "gpt-4"), ("claude-2.1.json", "claude-2.1"), ("m", "m"), ("a.csv", "a")] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
