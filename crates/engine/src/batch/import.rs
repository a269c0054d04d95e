//! Results of batch files, in any order.

use crate::{EngineError, open_input};
use evenhand_core::{CallError, Request, RequestKey};
use evenhand_models::Answer;
use evenhand_models::served::{BatchLine, BatchReader};
use evenhand_store::{Call, Exported, Store};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The longest line that is read.
const LONGEST_LINE: u64 = 64 << 20;
/// Problems that are listed one by one; more are counted.
const LISTED: usize = 100;

/// What became of the lines.
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
    /// What was wrong, line by line, at most 100 of them.
    pub problems: Vec<Problem>,
}

/// What was wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: u64,
    /// What was wrong.
    pub why: String,
}

/// Takes the results in these files.
pub fn import(store: &mut Store, files: &[PathBuf]) -> Result<Imported, EngineError> {
    let mut import = Import {
        store,
        done: Imported::default(),
        readers: BatchReader::default(),
    };
    for path in files {
        import.file(path)?;
    }
    import.store.commit()?;
    import.done.left = import.store.exported_left()?;
    Ok(import.done)
}

struct Import<'a> {
    store: &'a mut Store,
    done: Imported,
    readers: BatchReader,
}

impl Import<'_> {
    fn file(&mut self, path: &Path) -> Result<(), EngineError> {
        let unreadable = |e: std::io::Error| {
            EngineError::Setting(format!("{}: cannot be read: {e}", path.display()))
        };
        let mut input = BufReader::new(open_input(path).map_err(unreadable)?);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let length = std::io::Read::take(&mut input, LONGEST_LINE)
                .read_until(b'\n', &mut bytes)
                .map_err(unreadable)?;
            if length as u64 == LONGEST_LINE {
                return Err(EngineError::Setting(format!(
                    "{}, line {number}: longer than {LONGEST_LINE} bytes",
                    path.display()
                )));
            }
            if length == 0 {
                break;
            }
            let problem = if bytes.trim_ascii().is_empty() {
                None
            } else {
                self.line(&bytes)?
            };
            problem
                .into_iter()
                .for_each(|why| self.problem(path, number, why));
        }
        Ok(())
    }

    fn problem(&mut self, file: &Path, line: u64, why: String) {
        if self.done.problems.len() < LISTED {
            self.done.problems.push(Problem {
                file: file.into(),
                line,
                why,
            });
        }
    }

    /// What was wrong with a line, if anything.
    fn line(&mut self, line: &[u8]) -> Result<Option<String>, EngineError> {
        self.done.lines += 1;
        match BatchLine::read(line) {
            Ok(line) => self.result(&line),
            Err(why) => {
                self.done.unreadable += 1;
                Ok(Some(why))
            }
        }
    }

    fn result(&mut self, line: &BatchLine) -> Result<Option<String>, EngineError> {
        let Some(key) = line.key() else {
            return Ok(Some(self.unknown(line)));
        };
        // A live run may have asked since the export.
        if self.store.result(&key)?.is_some() {
            self.done.duplicates += 1;
            return Ok(Some(format!(
                "request {} has a result already",
                line.custom_id
            )));
        }
        match self.store.exported(&key)? {
            Some(exported) => self.take(&key, &exported, line),
            None => Ok(Some(self.unknown(line))),
        }
    }

    fn unknown(&mut self, line: &BatchLine) -> String {
        self.done.unknown += 1;
        format!("request {} was not exported by this run", line.custom_id)
    }

    fn take(
        &mut self,
        key: &RequestKey,
        exported: &Exported,
        line: &BatchLine,
    ) -> Result<Option<String>, EngineError> {
        let request: Request = serde_json::from_str(&exported.request).map_err(|e| {
            EngineError::Setting(format!(
                "the run's database holds a request that cannot be read: {e}"
            ))
        })?;
        let Answer { result, raw } = self.readers.read_answer(&request, line)?;
        let problem = result
            .as_ref()
            .err()
            .map(|error| format!("request {}: {}", line.custom_id, error.message));
        match &result {
            Err(CallError { kind, .. }) if !kind.is_final() => {
                self.done.passing_errors += 1;
                return Ok(problem);
            }
            Err(_) => self.done.final_errors += 1,
            Ok(_) => self.done.replies += 1,
        }
        let call = Call {
            key,
            judge: &exported.judge,
            request: &exported.request,
            result: &result,
            raw: raw.as_deref(),
            batch: true,
        };
        self.store.import(&call)?;
        Ok(problem)
    }
}
