//! What the user named: files, and directories with files.

use evenhand_engine::{EngineError, open_input};
use flate2::read::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A bencher as the user gave it: a name, and its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is called.
    pub name: String,
    /// Its files, at least one.
    pub files: Vec<PathBuf>,
}

impl Source {
    /// Reads `PATH` or `NAME=PATH[,PATH...]`. A directory stands for the data files in it, in the order of their names; an
    /// unnamed bencher is called after its file or directory. What exists as a whole is a path, whatever is in it.
    ///
    /// # Errors
    /// A path where nothing is, or nothing that can be read.
    pub fn parse(text: &str) -> Result<Source, EngineError> {
        match text.split_once('=') {
            Some((name, paths)) if !Path::new(text).exists() && !name.trim().is_empty() => {
                let files: Result<Vec<_>, _> = paths.split(',').map(|path| files(Path::new(path))).collect();
                Ok(Source { name: name.trim().into(), files: files?.concat() })
            }
            _ => Ok(Source { name: stem(Path::new(text)), files: files(Path::new(text))? }),
        }
    }
}

/// The files that a path stands for.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let unreadable = |e: std::io::Error| EngineError::Setting(format!("{}: cannot be read: {e}", path.display()));
    if path == Path::new("-") || !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(unreadable)?.map(|entry| entry.map(|entry| entry.path()));
    let mut found: Vec<PathBuf> = entries.collect::<Result<_, _>>().map_err(unreadable)?;
    found.retain(|file| file.is_file() && is_data(file));
    found.sort();
    if found.is_empty() {
        return Err(EngineError::Setting(format!(
            "{}: the directory holds no .json, .jsonl, .csv, .tsv or .parquet",
            path.display()
        )));
    }
    Ok(found)
}

fn is_data(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".json", ".jsonl", ".csv", ".tsv", ".parquet"].iter().any(|end| name.ends_with(end))
}

/// A file's name without its endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".jsonl", ".json", ".csv", ".tsv", ".parquet"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).into()
}

/// A file, plain or gzip.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, EngineError> {
    let unreadable = |e: std::io::Error| EngineError::Setting(format!("{}: cannot be read: {e}", path.display()));
    let mut file = BufReader::new(open_input(path).map_err(unreadable)?);
    let gzip = file.fill_buf().map_err(unreadable)?.starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read> = if gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    Ok(Box::new(BufReader::with_capacity(1 << 16, reader)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bencher_is_called_after_its_file() {
        for (path, name) in [("a/b.c.jsonl.gz", "b.c"), ("x.csv", "x"), ("runs/one", "one"), ("v0.1.json", "v0.1")] {
            assert_eq!(stem(Path::new(path)), name);
        }
        assert!(is_data(Path::new("A.JSONL.gz")) && !is_data(Path::new("README.md")));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let error = Source::parse("mine=/no/such.csv").unwrap_err().to_string();
        assert!(error.starts_with("/no/such.csv: cannot be read: "), "{error}");
    }
}
