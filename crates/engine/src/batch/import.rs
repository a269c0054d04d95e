//! Results of batch files, in any order.

use crate::{EngineError, open_input};
use evenhand_core::{CallResult, Refusal, RequestKey};
use evenhand_models::Answer;
use evenhand_models::served::{BatchLine, BatchReader};
use evenhand_store::{Call, ExportedRequest, Store};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is read.
const LONGEST_LINE: u64 = 64 << 20;
/// Problems that are listed one by one; more are counted.
const LISTED: usize = 100;

/// The result of an import, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
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
    /// The lines that something was wrong with, at most 100 of them.
    pub problems: Vec<LineProblem>,
}

/// A line that something was wrong with.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LineProblem {
    /// The file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: u64,
    /// The problem.
    pub why: String,
}

/// Takes the results in these files, in any order.
///
/// # Errors
/// A file that cannot be read or has a line of more than 64 MB, and what the store may meet. What
/// is wrong with a single line is in [`Imported::problems`] instead.
pub fn import(store: &mut Store, files: &[PathBuf]) -> Result<Imported, EngineError> {
    let mut import = Import {
        store,
        done: Imported::default(),
        readers: BatchReader::default(),
    };
    for path in files {
        import.import_file(path)?;
    }
    import.finish()
}

struct Import<'a> {
    store: &'a mut Store,
    done: Imported,
    readers: BatchReader,
}

impl Import<'_> {
    fn import_file(&mut self, path: &Path) -> Result<(), EngineError> {
        let mut lines = Lines::open(path)?;
        while lines.read_next()? {
            if lines.line.trim_ascii().is_empty() {
                continue;
            }
            if let Some(why) = self.import_line(&lines.line)? {
                self.list_problem(path, lines.number, why);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, EngineError> {
        self.store.commit()?;
        self.done.left = self.store.count_exported()?;
        Ok(self.done)
    }

    fn list_problem(&mut self, file: &Path, line: u64, why: String) {
        if self.done.problems.len() < LISTED {
            let file = file.into();
            self.done.problems.push(LineProblem { file, line, why });
        }
    }

    /// Takes a line; returns what was wrong with it, if anything.
    fn import_line(&mut self, line: &[u8]) -> Result<Option<String>, EngineError> {
        self.done.lines += 1;
        match BatchLine::read(line) {
            Ok(line) => self.import_result(&line),
            Err(why) => {
                self.done.unreadable += 1;
                Ok(Some(why))
            }
        }
    }

    fn import_result(&mut self, line: &BatchLine) -> Result<Option<String>, EngineError> {
        let Some(key) = line.key() else {
            return Ok(Some(self.count_unknown(line)));
        };
        // A live run may have asked since the export.
        if self.store.result(&key)?.is_some() {
            return Ok(Some(self.count_duplicate(line)));
        }
        match self.store.exported_request(&key)? {
            Some(exported) => self.keep_result(&key, &exported, line),
            None => Ok(Some(self.count_unknown(line))),
        }
    }

    fn count_duplicate(&mut self, line: &BatchLine) -> String {
        self.done.duplicates += 1;
        format!("request {} has a result already", line.custom_id)
    }

    fn count_unknown(&mut self, line: &BatchLine) -> String {
        self.done.unknown += 1;
        format!("request {} was not exported by this run", line.custom_id)
    }

    fn keep_result(
        &mut self,
        key: &RequestKey,
        exported: &ExportedRequest,
        line: &BatchLine,
    ) -> Result<Option<String>, EngineError> {
        let request = serde_json::from_str(&exported.request).map_err(unreadable_request)?;
        let answer = self.readers.read_answer(&request, line)?;
        // What may pass is not stored, so that the next export writes the request again.
        if self.count_result(&answer.result) {
            self.store
                .import_result(&imported_call(key, exported, &answer))?;
        }
        let error = answer.result.err();
        Ok(error.map(|error| format!("request {}: {}", line.custom_id, error.message)))
    }

    /// Counts a result; whether it is to be kept.
    fn count_result(&mut self, result: &CallResult) -> bool {
        match result {
            Ok(_) => self.done.replies += 1,
            Err(error) if error.kind.is_final() => self.done.final_errors += 1,
            Err(_) => {
                self.done.passing_errors += 1;
                return false;
            }
        }
        true
    }
}

fn imported_call<'a>(
    key: &'a RequestKey,
    exported: &'a ExportedRequest,
    answer: &'a Answer,
) -> Call<'a> {
    Call {
        key,
        judge: &exported.judge,
        request: &exported.request,
        result: &answer.result,
        raw: answer.raw.as_deref(),
        batch: true,
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
    fn open(path: &Path) -> Result<Lines<'_>, Refusal> {
        let input = open_input(path).map_err(|e| unreadable(path, &e))?;
        Ok(Lines {
            path,
            input: BufReader::new(input),
            line: Vec::new(),
            number: 0,
        })
    }

    /// Reads the next line; false at the end.
    fn read_next(&mut self) -> Result<bool, Refusal> {
        self.number += 1;
        let found = read_line(&mut self.input, &mut self.line);
        let found = found.map_err(|e| unreadable(self.path, &e))?;
        self.check_length()?;
        Ok(found)
    }

    fn check_length(&self) -> Result<(), Refusal> {
        if self.line.len() as u64 == LONGEST_LINE {
            return Err(too_long(self.path, self.number));
        }
        Ok(())
    }
}

/// Reads the next line, or as much of it as is taken; false at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let length = input.take(LONGEST_LINE).read_until(b'\n', line)?;
    Ok(length > 0)
}

fn too_long(path: &Path, line: u64) -> Refusal {
    Refusal::of_input(format!(
        "{}, line {line}: longer than {LONGEST_LINE} bytes",
        path.display()
    ))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::of_input(format!("{}: cannot be read: {error}", path.display()))
}

fn unreadable_request(error: serde_json::Error) -> Refusal {
    Refusal::of_input(format!(
        "the run's database holds a request that cannot be read: {error}"
    ))
}
