//! Files of lines, none longer than a provider takes.

use crate::EngineError;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
        Limits { lines: 50_000, bytes: 200_000_000 }
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

struct Open {
    out: BufWriter<File>,
    path: PathBuf,
    lines: usize,
    bytes: usize,
}

impl Files {
    /// Files `NAME-001.jsonl`, `NAME-002.jsonl`, ... in a directory; none that is there is touched.
    pub(super) fn new(dir: &Path, name: &str, limits: Limits) -> Files {
        Files { dir: dir.into(), name: name.into(), limits, open: None, written: Vec::new() }
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
        let full = |open: &Open| open.lines >= self.limits.lines || open.bytes + size > self.limits.bytes;
        if self.open.as_ref().is_some_and(full) {
            self.close()?;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.begin()?,
        };
        let open = self.open.insert(open);
        (open.lines, open.bytes) = (open.lines + 1, open.bytes + size);
        writeln!(open.out, "{line}").map_err(|e| unwritable(&open.path, &e))
    }

    /// Ends the last file.
    pub(super) fn close(&mut self) -> Result<(), EngineError> {
        match self.open.take() {
            Some(mut open) => open.out.flush().map_err(|e| unwritable(&open.path, &e)),
            None => Ok(()),
        }
    }

    fn begin(&mut self) -> Result<Open, EngineError> {
        std::fs::create_dir_all(&self.dir).map_err(|e| unwritable(&self.dir, &e))?;
        for number in 1.. {
            let path = self.dir.join(format!("{}-{number:03}.jsonl", self.name));
            match File::create_new(&path) {
                Ok(file) => {
                    self.written.push(path.clone());
                    return Ok(Open { out: BufWriter::new(file), path, lines: 0, bytes: 0 });
                }
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(unwritable(&path, &e)),
            }
        }
        Err(EngineError::Setting(format!("--out {}: no free file name", self.dir.display())))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Setting(format!("--out: {} cannot be written: {error}", path.display()))
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
        let texts = files.written.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        assert_eq!(std::fs::read_to_string(dir.path().join("batch-001.jsonl")).unwrap(), "mine");
        (dir, texts)
    }

    #[test]
    fn files_are_split_by_lines_and_by_bytes() {
        let many = usize::MAX;
        assert_eq!(written(Limits { lines: 2, bytes: many }, &["a", "b", "c"]).1, ["a\nb\n", "c\n"]);
        assert_eq!(written(Limits { lines: many, bytes: 5 }, &["a", "b", "c", "long"]).1, ["a\nb\n", "c\n", "long\n"]);
        assert!(written(Limits::default(), &[]).1.is_empty());
    }

    #[test]
    fn a_line_that_fits_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Files::new(dir.path(), "batch", Limits { lines: 1, bytes: 3 });
        assert!(files.line("long").unwrap_err().to_string().starts_with("--max-bytes 3: one request alone takes 5 bytes"));
    }
}
