//! What the user named: files, and directories with files.

use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_input};
use flate2::read::MultiGzDecoder;
use std::io::{BufRead, BufReader, Read};
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
        match text.split_once('=') {
            Some((name, paths)) if !Path::new(text).exists() && !name.trim().is_empty() => {
                let files: Result<Vec<_>, _> = paths
                    .split(',')
                    .map(|path| files(Path::new(path)))
                    .collect();
                Ok(BencherSource {
                    name: name.trim().into(),
                    files: files?.concat(),
                })
            }
            _ => Ok(BencherSource {
                name: stem(Path::new(text)),
                files: files(Path::new(text))?,
            }),
        }
    }
}

/// Opens a file, plain or gzip.
pub(super) fn open_decompressed(path: &Path) -> Result<Box<dyn BufRead>, EngineError> {
    let unreadable = |e: std::io::Error| {
        EngineError::Setting(format!("{}: cannot be read: {e}", path.display()))
    };
    let mut file = BufReader::new(open_input(path).map_err(unreadable)?);
    let gzip = file
        .fill_buf()
        .map_err(unreadable)?
        .starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read> = if gzip {
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
