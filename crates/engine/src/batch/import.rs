//! Results of batch files, in any order.

use crate::files::files;
use crate::{EngineError, open_buffered, unreadable_input};
use evenhand_core::Refusal;
use evenhand_formats::{ParquetRows, Place};
use evenhand_models::served::{BatchLine, BatchReader};
use evenhand_store::{Call, Store};
use schemars::JsonSchema;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is read.
const LONGEST_LINE: u64 = 64 << 20;
/// Problems that are listed one by one; more are counted.
const LISTED: usize = 100;

/// The result of an import, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Imported {
    /// Lines that are not empty.
    pub lines: u64,
    /// Replies that were taken.
    pub replies: u64,
    /// Requests that cannot have a reply; their failure is kept.
    pub final_errors: u64,
    /// Requests with an error that may pass; the next export writes them again.
    pub passing_errors: u64,
    /// Further results of requests that have one.
    pub duplicates: u64,
    /// Results of requests that this run did not export.
    pub unknown: u64,
    /// Lines that are no results.
    pub unreadable: u64,
    /// Exported requests that still have no result.
    pub left: u64,
    /// The lines that something was wrong with, at most 100 of them; further results of requests
    /// that have one are not among them.
    pub problems: Vec<LineProblem>,
    /// The first further result; null without any.
    pub first_duplicate: Option<LineProblem>,
}

/// A line that something was wrong with.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct LineProblem {
    /// The file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: u64,
    /// The problem.
    pub why: String,
}

/// Takes the results in these files, or in the files of these directories and folders of object
/// storage, in any order: JSON lines, or Parquet with the fields of a line as columns.
///
/// # Errors
/// A file that cannot be read or has a line of more than 64 MB, and what the store may meet. What
/// is wrong with a single line is in [`Imported::problems`] instead.
pub fn import(store: &mut Store, paths: &[PathBuf]) -> Result<Imported, EngineError> {
    let mut import = Import {
        store,
        done: Imported::default(),
        readers: BatchReader::default(),
    };
    for path in paths {
        for file in files(path)? {
            let mut input = open_buffered(&file)?;
            let head = input.fill_buf().map_err(|e| unreadable_input(&file, &e))?;
            if head.starts_with(b"PAR1") {
                let place = Place::file(file.display().to_string());
                let mut rows = ParquetRows::open(input, &place)?;
                let mut number = 0;
                while let Some((row, _)) = rows.next_row()? {
                    number += 1;
                    import.import_line(BatchLine::of_row(row), &file, number)?;
                }
                continue;
            }
            let mut lines = Lines {
                path: &file,
                input,
                line: Vec::new(),
                number: 0,
            };
            while lines.read_next()? {
                if !lines.line.trim_ascii().is_empty() {
                    import.import_line(BatchLine::read(&lines.line), &file, lines.number)?;
                }
            }
        }
    }
    let Import {
        store, mut done, ..
    } = import;
    store.commit()?;
    done.left = store.count_exported()?;
    Ok(done)
}

struct Import<'a> {
    store: &'a mut Store,
    done: Imported,
    readers: BatchReader,
}

impl Import<'_> {
    /// Takes a line, and notes what was wrong with it, if anything.
    fn import_line(
        &mut self,
        line: Result<BatchLine, String>,
        file: &Path,
        number: u64,
    ) -> Result<(), EngineError> {
        self.done.lines += 1;
        let duplicates = self.done.duplicates;
        let Some(why) = self.take(line)? else {
            return Ok(());
        };
        let problem = LineProblem {
            file: file.to_path_buf(),
            line: number,
            why,
        };
        // Whoever takes the same results twice has as many of these as there are lines.
        if self.done.duplicates > duplicates {
            self.done.first_duplicate.get_or_insert(problem);
        } else if self.done.problems.len() < LISTED {
            self.done.problems.push(problem);
        }
        Ok(())
    }

    /// Takes a line; returns what was wrong with it, if anything.
    fn take(&mut self, line: Result<BatchLine, String>) -> Result<Option<String>, EngineError> {
        let line = match line {
            Ok(line) => line,
            Err(why) => {
                self.done.unreadable += 1;
                return Ok(Some(why));
            }
        };
        let id = &line.custom_id;
        let key = line.key();
        if let Some(key) = &key
            && self.store.result(key)?.is_some()
        {
            // A live run may have asked since the export.
            self.done.duplicates += 1;
            return Ok(Some(format!(
                "request {id} has a result already, which stays"
            )));
        }
        let exported = match &key {
            Some(key) => self.store.exported_request(key)?,
            None => None,
        };
        let (Some(key), Some(exported)) = (key, exported) else {
            self.done.unknown += 1;
            return Ok(Some(format!("request {id} was not exported by this run")));
        };

        let request = serde_json::from_str(&exported.request).map_err(|error| {
            Refusal::of_input(format!(
                "the run's database holds a request that cannot be read: {error}"
            ))
        })?;
        let answer = self.readers.read_answer(&request, &line)?;
        let is_kept = match &answer.result {
            Ok(_) => {
                self.done.replies += 1;
                true
            }
            Err(error) if error.kind.is_final() => {
                self.done.final_errors += 1;
                true
            }
            // What may pass is not stored, so that the next export writes the request again.
            Err(_) => {
                self.done.passing_errors += 1;
                false
            }
        };
        if is_kept {
            self.store.import_result(&Call {
                key: &key,
                judge: &exported.judge,
                request: &exported.request,
                about: &exported.about,
                result: &answer.result,
                raw: answer.raw.as_deref(),
                batch: true,
            })?;
        }
        let error = answer.result.err();
        Ok(error.map(|error| format!("request {id}: {}", error.message)))
    }
}

/// The lines of a file, one at a time.
struct Lines<'a> {
    path: &'a Path,
    input: BufReader<File>,
    line: Vec<u8>,
    /// From 1.
    number: u64,
}

impl Lines<'_> {
    /// Reads the next line; false at the end.
    fn read_next(&mut self) -> Result<bool, Refusal> {
        self.number += 1;
        self.line.clear();
        let mut limited = (&mut self.input).take(LONGEST_LINE);
        let length = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|e| unreadable_input(self.path, &e))?;
        if length as u64 == LONGEST_LINE {
            return Err(Refusal::of_input(format!(
                "{}, line {}: longer than {LONGEST_LINE} bytes",
                self.path.display(),
                self.number
            )));
        }
        Ok(length > 0)
    }
}
