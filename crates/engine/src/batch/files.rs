//! Files of lines, none longer than a provider takes.

use crate::{EngineError, whole_file};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How much one file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for Limits {
    /// Those of OpenAI's batch API: 50,000 requests and 200 MB.
    fn default() -> Self {
        Limits {
            lines: 50_000,
            bytes: 200_000_000,
        }
    }
}

/// The files of one judge, begun one after the other.
pub(super) struct Files {
    dir: PathBuf,
    name: String,
    limits: Limits,
    open: Option<Open>,
    /// Every file so far.
    pub(super) written: Vec<PathBuf>,
}

/// A file under way, which has its name once it is whole.
struct Open {
    out: BufWriter<NamedTempFile>,
    lines: usize,
    bytes: usize,
}

impl Files {
    /// Files `NAME-001.jsonl`, `NAME-002.jsonl`, ... in a directory; none that is there is touched.
    pub(super) fn new(dir: &Path, name: &str, limits: Limits) -> Files {
        Files {
            dir: dir.into(),
            name: name.into(),
            limits,
            open: None,
            written: Vec::new(),
        }
    }

    /// Writes a line, in a new file where the last one is full.
    pub(super) fn line(&mut self, line: &str) -> Result<(), EngineError> {
        let size = line.len() + 1;
        if size > self.limits.bytes {
            return Err(EngineError::Setting(format!(
                "--max-bytes {}: one request alone takes {size} bytes; raise the limit",
                self.limits.bytes
            )));
        }
        let full =
            |open: &Open| open.lines >= self.limits.lines || open.bytes + size > self.limits.bytes;
        if self.open.as_ref().is_some_and(full) {
            self.close()?;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.begin()?,
        };
        let open = self.open.insert(open);
        (open.lines, open.bytes) = (open.lines + 1, open.bytes + size);
        writeln!(open.out, "{line}").map_err(|e| unwritable(&self.dir, &e))
    }

    /// Ends the last file, and gives it the first name that is free: whoever takes files by their
    /// names finds whole ones alone.
    pub(super) fn close(&mut self) -> Result<(), EngineError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let mut file = open
            .out
            .into_inner()
            .map_err(|e| unwritable(&self.dir, e.error()))?;
        for number in 1.. {
            let path = self.dir.join(format!("{}-{number:03}.jsonl", self.name));
            match file.persist_noclobber(&path) {
                Ok(_) => {
                    self.written.push(path);
                    return Ok(());
                }
                Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => file = e.file,
                Err(e) => return Err(unwritable(&path, &e.error)),
            }
        }
        Err(EngineError::Setting(format!(
            "--out {}: no free file name",
            self.dir.display()
        )))
    }

    fn begin(&mut self) -> Result<Open, EngineError> {
        std::fs::create_dir_all(&self.dir).map_err(|e| unwritable(&self.dir, &e))?;
        let file = whole_file::begin(&self.dir).map_err(|e| unwritable(&self.dir, &e))?;
        Ok(Open {
            out: BufWriter::new(file),
            lines: 0,
            bytes: 0,
        })
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Setting(format!(
        "--out: {} cannot be written: {error}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(limits: Limits, lines: &[&str]) -> (tempfile::TempDir, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("batch-001.jsonl"), "mine").unwrap();
        let mut files = Files::new(dir.path(), "batch", limits);
        lines.iter().for_each(|line| files.line(line).unwrap());
        files.close().unwrap();
        let texts = files
            .written
            .iter()
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect();
        assert_eq!(
            std::fs::read_to_string(dir.path().join("batch-001.jsonl")).unwrap(),
            "mine"
        );
        (dir, texts)
    }

    #[test]
    fn files_are_split_by_lines_and_by_bytes() {
        let many = usize::MAX;
        assert_eq!(
            written(
                Limits {
                    lines: 2,
                    bytes: many
                },
                &["a", "b", "c"]
            )
            .1,
            ["a\nb\n", "c\n"]
        );
        assert_eq!(
            written(
                Limits {
                    lines: many,
                    bytes: 5
                },
                &["a", "b", "c", "long"]
            )
            .1,
            ["a\nb\n", "c\n", "long\n"]
        );
        assert!(written(Limits::default(), &[]).1.is_empty());
    }

    /// What a killed process leaves is found by nobody who looks for results.
    #[test]
    fn no_file_has_its_name_before_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Files::new(
            dir.path(),
            "batch",
            Limits {
                lines: 1,
                bytes: 100,
            },
        );
        let named = || {
            let names = std::fs::read_dir(dir.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.ends_with(".jsonl")).count()
        };
        files.line("a").unwrap();
        assert_eq!(named(), 0);
        files.line("b").unwrap();
        assert_eq!(named(), 1);
        files.close().unwrap();
        assert_eq!(
            (named(), std::fs::read_dir(dir.path()).unwrap().count()),
            (2, 2)
        );
    }

    #[test]
    fn a_line_that_fits_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Files::new(dir.path(), "batch", Limits { lines: 1, bytes: 3 });
        assert!(
            files
                .line("long")
                .unwrap_err()
                .to_string()
                .starts_with("--max-bytes 3: one request alone takes 5 bytes")
        );
    }
}
