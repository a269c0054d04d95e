//! Files of requests, none longer than a provider takes.

use crate::EngineError;
use evenhand_core::{Cause, Refusal, RequestKey, Setting};
use evenhand_formats::parquet_of_texts;
use evenhand_models::{Api, EncodedRequest};
use evenhand_objects::{is_address, local_path, write_new};
use evenhand_store::begin_hidden_file;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How much one file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Requests.
    pub lines: usize,
    /// Bytes, as lines of JSON. A file is put together in memory.
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

/// How requests are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchFormat {
    /// A JSON object a line, as providers and `vllm run-batch` take them.
    #[default]
    JsonLines,
    /// A row a request, with the fields of a line as columns of text, for engines that read tables.
    Parquet,
}

impl BatchFormat {
    fn ending(self) -> &'static str {
        match self {
            BatchFormat::JsonLines => "jsonl",
            BatchFormat::Parquet => "parquet",
        }
    }
}

/// The files of one judge, begun one after the other.
pub(super) struct BatchFiles {
    dir: PathBuf,
    name: String,
    limits: FileLimits,
    format: BatchFormat,
    /// The requests of the file under way.
    rows: Vec<Row>,
    /// Their bytes, as lines.
    bytes: usize,
    /// Every file so far.
    pub(super) written: Vec<PathBuf>,
    /// The bytes of all bodies, and of these how many each has in common with the one before it in
    /// its file, from the beginning.
    pub(super) body_bytes: [u64; 2],
}

struct Row {
    key: RequestKey,
    encoded: EncodedRequest,
}

impl BatchFiles {
    /// Files `NAME-001.jsonl`, `NAME-002.jsonl`, ... in a directory or below an address; none that
    /// is there is touched.
    pub(super) fn new(
        dir: &Path,
        name: &str,
        limits: FileLimits,
        format: BatchFormat,
    ) -> BatchFiles {
        BatchFiles {
            dir: local_path(dir),
            name: name.into(),
            limits,
            format,
            rows: Vec::new(),
            bytes: 0,
            written: Vec::new(),
            body_bytes: [0; 2],
        }
    }

    /// Adds a request, to a new file where the last one is full.
    pub(super) fn add(
        &mut self,
        key: &RequestKey,
        encoded: EncodedRequest,
    ) -> Result<(), EngineError> {
        let size = encoded.batch_line(key).len() + 1;
        let most = self.limits.bytes;
        if size > most {
            let why = format!("one request alone takes {size} bytes; raise the limit");
            return Err(Refusal::of_value(Setting::MaxBytes, most, why).into());
        }
        if self.rows.len() >= self.limits.lines || self.bytes + size > most {
            self.close()?;
        }
        self.bytes += size;
        let key = *key;
        self.rows.push(Row { key, encoded });
        Ok(())
    }

    /// Writes the last file whole, under the first name that is free: whoever takes files by their
    /// names finds whole ones alone.
    ///
    /// Its requests are sorted by their bodies, so that neighbours begin alike and an engine that
    /// keeps the work of a prompt's beginning has the most of it.
    pub(super) fn close(&mut self) -> Result<(), EngineError> {
        let mut rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        rows.sort_by(|a, b| (&a.encoded.body, a.key).cmp(&(&b.encoded.body, b.key)));
        let mut before = "";
        for row in &rows {
            let body = row.encoded.body.as_str();
            let alike = body.bytes().zip(before.bytes()).take_while(|(a, b)| a == b);
            self.body_bytes[0] += body.len() as u64;
            self.body_bytes[1] += alike.count() as u64;
            before = body;
        }
        let unwritable = |e: io::Error| unwritable(&self.dir, &e);
        let contents = match self.format {
            BatchFormat::JsonLines => {
                let mut lines = String::new();
                for Row { key, encoded } in &rows {
                    lines += &encoded.batch_line(key);
                    lines.push('\n');
                }
                lines.into_bytes()
            }
            BatchFormat::Parquet => parquet_of_rows(&rows).map_err(unwritable)?,
        };
        // Only a directory has a file under way; an object is there whole or not at all.
        let is_object = is_address(&self.dir);
        let mut under_way = None;
        if !is_object {
            std::fs::create_dir_all(&self.dir).map_err(unwritable)?;
            let mut file = begin_hidden_file(&self.dir).map_err(unwritable)?;
            file.write_all(&contents).map_err(unwritable)?;
            under_way = Some(file);
        }
        for number in 1.. {
            let (name, ending) = (&self.name, self.format.ending());
            let path = self.dir.join(format!("{name}-{number:03}.{ending}"));
            let is_written = match under_way.take() {
                None => write_new(&path, contents.clone()),
                Some(file) => match file.persist_noclobber(&path) {
                    Ok(_) => Ok(true),
                    Err(e) if e.error.kind() == ErrorKind::AlreadyExists => {
                        under_way = Some(e.file);
                        Ok(false)
                    }
                    Err(e) => Err(e.error),
                },
            };
            if is_written.map_err(|e| self::unwritable(&path, &e))? {
                self.written.push(path);
                return Ok(());
            }
        }
        let refusal = Refusal::new(Setting::Out, Cause::File, "no free file name");
        Err(refusal.with_value(self.dir.display()).into())
    }
}

/// The columns are the fields of a line: OpenAI's, or those of Anthropic's message batches.
fn parquet_of_rows(rows: &[Row]) -> io::Result<Vec<u8>> {
    let keys: Vec<String> = rows.iter().map(|row| row.key.to_string()).collect();
    let keys = keys.iter().map(String::as_str).collect();
    let bodies = rows.iter().map(|row| row.encoded.body.as_str()).collect();
    match rows.first().map(|row| &row.encoded) {
        Some(first) if first.api == Api::OpenAi => parquet_of_texts(&[
            ("custom_id", keys),
            ("method", vec!["POST"; rows.len()]),
            ("url", vec![first.target.address(); rows.len()]),
            ("body", bodies),
        ]),
        _ => parquet_of_texts(&[("custom_id", keys), ("params", bodies)]),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> EngineError {
    let why = format!("{} cannot be written: {error}", path.display());
    Refusal::new(Setting::Out, Cause::File, why).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_models::Target;

    /// A request whose body is this text; its line is 160 bytes longer.
    fn request(body: &str) -> EncodedRequest {
        EncodedRequest::new(Api::OpenAi, Target::Chat, body.into())
    }

    fn write_all(limits: FileLimits, bodies: &[&str]) -> (tempfile::TempDir, Vec<Vec<String>>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("batch-001.jsonl"), "mine").unwrap();
        let mut files = BatchFiles::new(dir.path(), "batch", limits, BatchFormat::JsonLines);
        for (number, body) in (1..).zip(bodies) {
            files.add(&RequestKey([number; 32]), request(body)).unwrap();
        }
        files.close().unwrap();
        let bodies_of = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            let bodies = text.lines().map(|line| {
                let (_, body) = line.split_once("\"body\":").unwrap();
                body.trim_end_matches('}').to_owned()
            });
            bodies.collect::<Vec<_>>()
        };
        let texts = files.written.iter().map(bodies_of).collect();
        let first = std::fs::read_to_string(dir.path().join("batch-001.jsonl"));
        assert_eq!(first.unwrap(), "mine");
        (dir, texts)
    }

    #[test]
    fn files_are_split_by_lines_and_by_bytes_and_sorted_by_bodies() {
        let many = usize::MAX;
        let by_lines = FileLimits {
            lines: 2,
            bytes: many,
        };
        let files = write_all(by_lines, &["2", "1", "0"]).1;
        assert_eq!(files, [vec!["1", "2"], vec!["0"]]);
        let line = request("1").batch_line(&RequestKey([0; 32])).len() + 1;
        let by_bytes = FileLimits {
            lines: many,
            bytes: 2 * line + 3,
        };
        let files = write_all(by_bytes, &["1", "2", "3", "4444"]).1;
        assert_eq!(files, [vec!["1", "2"], vec!["3", "4444"]]);
        assert!(write_all(FileLimits::default(), &[]).1.is_empty());
    }

    #[test]
    fn what_neighbours_share_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let format = BatchFormat::Parquet;
        let mut files = BatchFiles::new(dir.path(), "batch", FileLimits::default(), format);
        for (number, body) in (1..).zip(["\"ab1\"", "\"b\"", "\"ab2\""]) {
            files.add(&RequestKey([number; 32]), request(body)).unwrap();
        }
        files.close().unwrap();
        // "ab1, "ab2 (3 alike), "b (1 alike).
        assert_eq!(files.body_bytes, [13, 4]);
        assert_eq!(files.written, [dir.path().join("batch-001.parquet")]);
    }

    /// What a killed process leaves is found by nobody who looks for results.
    #[test]
    fn no_file_has_its_name_before_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let limits = FileLimits {
            lines: 1,
            ..FileLimits::default()
        };
        let mut files = BatchFiles::new(dir.path(), "batch", limits, BatchFormat::JsonLines);
        let named = || std::fs::read_dir(dir.path()).unwrap().count();
        files.add(&RequestKey([1; 32]), request("1")).unwrap();
        assert_eq!(named(), 0);
        files.add(&RequestKey([2; 32]), request("2")).unwrap();
        assert_eq!(named(), 1);
        files.close().unwrap();
        assert_eq!(named(), 2);
    }

    #[test]
    fn a_request_that_fits_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let limits = FileLimits { lines: 1, bytes: 3 };
        let mut files = BatchFiles::new(dir.path(), "batch", limits, BatchFormat::JsonLines);
        let refused = files.add(&RequestKey([1; 32]), request("1")).unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.starts_with("`max-bytes` 3: one request alone takes "),
            "{refused}"
        );
    }
}
