//! What the user named: files, and directories with files.

use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_input, unreadable_input};
use flate2::read::MultiGzDecoder;
use std::io::{BufRead, BufReader, Error, Read};
use std::path::{Path, PathBuf};

/// A bencher as the user gave it: a name, and its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BencherSource {
    /// What it is called.
    pub name: String,
    /// Its files, at least one.
    pub files: Vec<PathBuf>,
}

impl BencherSource {
    /// Reads `PATH` or `NAME=PATH[,PATH...]`. A directory stands for the data files in it, in the
    /// order of their names; an unnamed bencher is called after its file or directory. What exists
    /// as a whole is a path, whatever is in it.
    ///
    /// # Errors
    /// A path where nothing is, or nothing that can be read.
    pub fn parse(text: &str) -> Result<BencherSource, EngineError> {
        let named = text
            .split_once('=')
            .map(|(name, paths)| (name.trim(), paths));
        let named = named.filter(|(name, _)| !name.is_empty() && !Path::new(text).exists());
        Ok(match named {
            Some((name, paths)) => BencherSource {
                name: name.into(),
                files: files_of_all(paths.split(',').map(Path::new))?,
            },
            None => BencherSource {
                name: stem(Path::new(text)),
                files: files(Path::new(text))?,
            },
        })
    }
}

/// Returns the files that these paths stand for.
fn files_of_all<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Vec<PathBuf>, EngineError> {
    let all: Result<Vec<_>, _> = paths.map(files).collect();
    Ok(all?.concat())
}

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Opens a file, plain or gzip.
pub(super) fn open_decompressed(path: &Path) -> Result<Box<dyn BufRead>, EngineError> {
    let unreadable = |error: Error| unreadable_input(path, &error);
    let mut file = BufReader::new(open_input(path).map_err(unreadable)?);
    let begin = file.fill_buf().map_err(unreadable)?;
    let reader: Box<dyn Read> = if begin.starts_with(&GZIP) {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    Ok(Box::new(BufReader::with_capacity(1 << 16, reader)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said() {
        let error = BencherSource::parse("mine=/no/such.csv")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("/no/such.csv: cannot be read: "),
            "{error}"
        );
    }
}
