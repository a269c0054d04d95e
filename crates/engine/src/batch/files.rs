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
        let most = self.limits.bytes;
        if size > most {
            let why = format!("one request alone takes {size} bytes; raise the limit");
            return Err(Refusal::of_value(Setting::MaxBytes, most, why).into());
        }
        let has_room =
            |open: &OpenFile| open.lines < self.limits.lines && open.bytes + size <= most;
        if !self.open.as_ref().is_some_and(has_room) {
            self.close()?;
        }
        let unwritable = |e: io::Error| unwritable(&self.dir, &e);
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                std::fs::create_dir_all(&self.dir).map_err(unwritable)?;
                let file = begin_hidden_file(&self.dir).map_err(unwritable)?;
                none.insert(OpenFile {
                    out: BufWriter::new(file),
                    lines: 0,
                    bytes: 0,
                })
            }
        };
        open.lines += 1;
        open.bytes += size;
        writeln!(open.out, "{line}").map_err(unwritable)
    }

    /// Ends the last file, and gives it the first name that is free: whoever takes files by their
    /// names finds whole ones alone.
    pub(super) fn close(&mut self) -> Result<(), EngineError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let file = open.out.into_inner();
        let mut file = file.map_err(|e| unwritable(&self.dir, e.error()))?;
        for number in 1.. {
            let path = self.dir.join(format!("{}-{number:03}.jsonl", self.name));
            match file.persist_noclobber(&path) {
                Ok(_) => {
                    self.written.push(path);
                    return Ok(());
                }
                Err(e) if e.error.kind() == ErrorKind::AlreadyExists => file = e.file,
                Err(e) => return Err(unwritable(&path, &e.error)),
            }
        }
        let refusal = Refusal::new(Setting::Out, Cause::File, "no free file name");
        Err(refusal.with_value(self.dir.display()).into())
    }
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
