//! Batch files for people and programs: what was written, and what became of what came back.

use crate::serialize::{csv_text, json_text};
use evenhand_engine::batch::{Exported, Imported, LineProblem};

/// Returns the files and what they hold, for people.
pub fn exported_table(done: &Exported) -> String {
    let mut lines = file_names(done);
    lines.push(request_counts(done));
    lines.join("\n") + "\n"
}

fn request_counts(done: &Exported) -> String {
    format!(
        "{} requests{}; {} of {} trials wait for a reply",
        done.requests,
        exported_before(done),
        done.waiting,
        done.trials
    )
}

fn file_names(done: &Exported) -> Vec<String> {
    let files = done.files.iter();
    files.map(|file| file.display().to_string()).collect()
}

fn exported_before(done: &Exported) -> String {
    match done.exported_before {
        0 => String::new(),
        count => format!(", of which {count} were exported before and have no result yet"),
    }
}

/// Returns what was written as one JSON object.
///
/// # Errors
/// Those of the JSON writer; no export is known to cause one.
pub fn exported_json(done: &Exported) -> Result<String, serde_json::Error> {
    json_text(done)
}

/// Returns one file a row.
///
/// # Errors
/// Those of the CSV writer; no export is known to cause one.
pub fn exported_csv(done: &Exported) -> Result<String, csv::Error> {
    let files = file_names(done).into_iter();
    csv_text(["file"], files.map(|file| vec![file]))
}

/// Returns the problems, one a line, then the counts.
pub fn imported_table(done: &Imported) -> String {
    let problems: String = done.problems.iter().map(problem_line).collect();
    format!(
        "{problems}{}{} lines: {}; {} exported requests have no result yet\n",
        unlisted_problems(done),
        done.lines,
        line_counts(done),
        done.left
    )
}

fn line_counts(done: &Imported) -> String {
    format!(
        "{} replies, {} final errors, {} errors that may pass, {} duplicates, {} unknown, {} \
         unreadable",
        done.replies,
        done.final_errors,
        done.passing_errors,
        done.duplicates,
        done.unknown,
        done.unreadable
    )
}

fn problem_line(problem: &LineProblem) -> String {
    let file = problem.file.display();
    format!("{file}:{}: {}\n", problem.line, problem.why)
}

/// Says how many lines without a reply are not listed: only so many problems are kept.
fn unlisted_problems(done: &Imported) -> String {
    match problem_count(done).saturating_sub(done.problems.len() as u64) {
        0 => String::new(),
        more => format!("... and {more} more\n"),
    }
}

fn problem_count(done: &Imported) -> u64 {
    done.final_errors + done.passing_errors + done.duplicates + done.unknown + done.unreadable
}

/// Returns what came back as one JSON object.
///
/// # Errors
/// Those of the JSON writer; no import is known to cause one.
pub fn imported_json(done: &Imported) -> Result<String, serde_json::Error> {
    json_text(done)
}

/// Returns one problem a row.
///
/// # Errors
/// Those of the CSV writer; no import is known to cause one.
pub fn imported_csv(done: &Imported) -> Result<String, csv::Error> {
    csv_text(
        ["file", "line", "problem"],
        done.problems.iter().map(problem_cells),
    )
}

fn problem_cells(problem: &LineProblem) -> Vec<String> {
    vec![
        problem.file.display().to_string(),
        problem.line.to_string(),
        problem.why.clone(),
    ]
}
