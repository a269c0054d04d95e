//! Files of lines, none longer than a provider takes.

use crate::EngineError;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_store::begin_hidden_file;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How much one file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Lines.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for FileLimits {
    /// Those of OpenAI's batch API: 50,000 requests and 200 MB.
    fn default() -> Self {
        FileLimits {
            lines: 50_000,
            bytes: 200_000_000,
        }
    }
}

/// The files of one judge, begun one after the other.
pub(super) struct BatchFiles {
    dir: PathBuf,
    name: String,
    limits: FileLimits,
    open: Option<OpenFile>,
    /// Every file so far.
    pub(super) written: Vec<PathBuf>,
}

/// A file under way, which has its name once it is whole.
struct OpenFile {
    out: BufWriter<NamedTempFile>,
    lines: usize,
    bytes: usize,
}

impl BatchFiles {
    /// Files `NAME-001.jsonl`, `NAME-002.jsonl`, ... in a directory; none that is there is touched.
    pub(super) fn new(dir: &Path, name: &str, limits: FileLimits) -> BatchFiles {
        BatchFiles {
            dir: dir.into(),
            name: name.into(),
            limits,
            open: None,
            written: Vec::new(),
        }
    }

    /// Writes a line, in a new file where the last one is full.
    pub(super) fn write_line(&mut self, line: &str) -> Result<(), EngineError> {
        let size = line.len() + 1;
        self.check_size(size)?;
        let mut open = self.file_with_room(size)?;
        open.lines += 1;
        open.bytes += size;
        let written = writeln!(open.out, "{line}");
        self.open = Some(open);
        written.map_err(|e| unwritable(&self.dir, &e))
    }

    fn check_size(&self, size: usize) -> Result<(), Refusal> {
        if size > self.limits.bytes {
            return Err(refuse_size(size, self.limits.bytes));
        }
        Ok(())
    }

    /// Takes the file under way, or begins another where it is full.
    fn file_with_room(&mut self, size: usize) -> Result<OpenFile, EngineError> {
        match self.open.take() {
            Some(open) if self.has_room(&open, size) => return Ok(open),
            full => self.open = full,
        }
        self.close()?;
        self.begin_file()
    }

    fn has_room(&self, open: &OpenFile, size: usize) -> bool {
        open.lines < self.limits.lines && open.bytes + size <= self.limits.bytes
    }

    /// Ends the last file, and gives it the first name that is free: whoever takes files by their
    /// names finds whole ones alone.
    pub(super) fn close(&mut self) -> Result<(), EngineError> {
        if let Some(open) = self.open.take() {
            let path = self.finish_file(open)?;
            self.written.push(path);
        }
        Ok(())
    }

    fn finish_file(&self, open: OpenFile) -> Result<PathBuf, EngineError> {
        let file = open.out.into_inner();
        self.name_file(file.map_err(|e| unwritable(&self.dir, e.error()))?)
    }

    /// Gives a file the first name that is free; returns its path.
    fn name_file(&self, mut file: NamedTempFile) -> Result<PathBuf, EngineError> {
        for number in 1.. {
            let path = self.dir.join(format!("{}-{number:03}.jsonl", self.name));
            match file.persist_noclobber(&path) {
                Ok(_) => return Ok(path),
                Err(e) if e.error.kind() == ErrorKind::AlreadyExists => file = e.file,
                Err(e) => return Err(unwritable(&path, &e.error)),
            }
        }
        Err(self.refuse_names().into())
    }

    fn refuse_names(&self) -> Refusal {
        let refusal = Refusal::new(Setting::Out, Cause::File, "no free file name");
        refusal.with_value(self.dir.display())
    }

    fn begin_file(&mut self) -> Result<OpenFile, EngineError> {
        let file = begin_in(&self.dir).map_err(|e| unwritable(&self.dir, &e))?;
        Ok(OpenFile {
            out: BufWriter::new(file),
            lines: 0,
            bytes: 0,
        })
    }
}

fn refuse_size(size: usize, most: usize) -> Refusal {
    let why = format!("one request alone takes {size} bytes; raise the limit");
    Refusal::of_value(Setting::MaxBytes, most, why)
}

fn begin_in(dir: &Path) -> io::Result<NamedTempFile> {
    std::fs::create_dir_all(dir)?;
    begin_hidden_file(dir)
}

fn unwritable(path: &Path, error: &io::Error) -> EngineError {
    let why = format!("{} cannot be written: {error}", path.display());
    Refusal::new(Setting::Out, Cause::File, why).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(limits: FileLimits, lines: &[&str]) -> (tempfile::TempDir, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("batch-001.jsonl"), "mine").unwrap();
        let mut files = BatchFiles::new(dir.path(), "batch", limits);
        for line in lines {
            files.write_line(line).unwrap();
        }
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
            write_all(
                FileLimits {
                    lines: 2,
                    bytes: many
                },
                &["a", "b", "c"]
            )
            .1,
            ["a\nb\n", "c\n"]
        );
        assert_eq!(
            write_all(
                FileLimits {
                    lines: many,
                    bytes: 5
                },
                &["a", "b", "c", "long"]
            )
            .1,
            ["a\nb\n", "c\n", "long\n"]
        );
        assert!(write_all(FileLimits::default(), &[]).1.is_empty());
    }

    /// What a killed process leaves is found by nobody who looks for results.
    #[test]
    fn no_file_has_its_name_before_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = BatchFiles::new(
            dir.path(),
            "batch",
            FileLimits {
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
        files.write_line("a").unwrap();
        assert_eq!(named(), 0);
        files.write_line("b").unwrap();
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
        let mut files = BatchFiles::new(dir.path(), "batch", FileLimits { lines: 1, bytes: 3 });
        assert!(
            files
                .write_line("long")
                .unwrap_err()
                .to_string()
                .starts_with("`max-bytes` 3: one request alone takes 5 bytes")
        );
    }
}
