//! Batch files for people and programs: what was written, and what became of what came back.

use crate::columns::{Column, csv_of};
use crate::numbers::group_digits;
use crate::serialize::csv_of_records;
use evenhand_engine::batch::{BatchRun, Exported, Imported, LineProblem};
use std::path::PathBuf;

/// Returns the files and what they hold, for people.
pub fn exported_table(done: &Exported) -> String {
    let mut text = String::new();
    for file in &done.files {
        text += &format!("{}\n", file.display());
    }
    let before = match done.exported_before {
        0 => String::new(),
        count => format!(", of which {count} were exported before and have no result yet"),
    };
    text += &format!(
        "{} requests{before}; {} of {} trials wait for a reply\n",
        done.requests, done.waiting, done.trials
    );
    if done.requests > 1 {
        let share = 100.0 * done.shared_bytes as f64 / done.body_bytes as f64;
        text += &format!("{share:.0} % of their text repeats the start of the request before\n");
    }
    text
}

/// Returns one file a row.
///
/// # Errors
/// Those of the CSV writer; no export is known to cause one.
pub fn exported_csv(done: &Exported) -> Result<String, csv::Error> {
    let columns: [Column<PathBuf>; 1] = [("file", |file| file.display().to_string())];
    csv_of(&columns, &done.files)
}

/// Returns the problems, one a line, then results that are there twice in one line, and counts.
pub fn imported_table(done: &Imported) -> String {
    let mut text = String::new();
    for LineProblem { file, line, why } in &done.problems {
        text += &format!("{}:{line}: {why}\n", file.display());
    }
    // Only so many problems are kept.
    let lines_without_reply =
        done.final_errors + done.passing_errors + done.unknown + done.unreadable;
    match lines_without_reply.saturating_sub(done.problems.len() as u64) {
        0 => {}
        more => text += &format!("... and {more} more\n"),
    }
    if let Some(LineProblem { file, line, why }) = &done.first_duplicate {
        let more = match done.duplicates.saturating_sub(1) {
            0 => String::new(),
            1 => "; so has that of 1 further line".into(),
            more => format!("; so have those of {} further lines", group_digits(more)),
        };
        text += &format!("{}:{line}: {why}{more}\n", file.display());
    }
    text + &format!(
        "{} lines: {} replies, {} final errors, {} errors that may pass, {} duplicates, {} \
         unknown, {} unreadable; {} exported requests have no result yet\n",
        done.lines,
        done.replies,
        done.final_errors,
        done.passing_errors,
        done.duplicates,
        done.unknown,
        done.unreadable,
        done.left
    )
}

/// Returns one problem a row, of results that are there twice the first.
///
/// # Errors
/// Those of the CSV writer; no import is known to cause one.
pub fn imported_csv(done: &Imported) -> Result<String, csv::Error> {
    let columns: [Column<LineProblem>; 3] = [
        ("file", |problem| problem.file.display().to_string()),
        ("line", |problem| problem.line.to_string()),
        ("problem", |problem| problem.why.clone()),
    ];
    csv_of(&columns, done.problems.iter().chain(&done.first_duplicate))
}

/// Returns what a run by batches took, for people.
pub fn batch_run_table(done: &BatchRun) -> String {
    format!(
        "{} waves: {} replies from {} batches, {} final errors, {} errors that may pass; {} \
         exported requests have no result yet\n",
        done.waves, done.replies, done.batches, done.final_errors, done.passing_errors, done.left
    )
}

/// Returns what a run by batches took as one row.
///
/// # Errors
/// Those of the CSV writer; no run is known to cause one.
pub fn batch_run_csv(done: &BatchRun) -> Result<String, csv::Error> {
    csv_of_records(&done, [done])
}
