//! Batch files for people and programs: what was written, and what became of what came back.

use crate::serialize::{csv_text, json_text};
use evenhand_engine::batch::{Exported, Imported, LineProblem};

/// Returns the files and what they hold, for people.
pub fn exported_table(done: &Exported) -> String {
    let mut lines: Vec<String> = done
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    lines.push(format!(
        "{} requests{}; {} of {} trials wait for a reply",
        done.requests,
        exported_before(done),
        done.waiting,
        done.trials
    ));
    lines.join("\n") + "\n"
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
    let rows = done
        .files
        .iter()
        .map(|file| vec![file.display().to_string()]);
    csv_text(["file"], rows)
}

/// Returns the problems, one a line, then the counts.
pub fn imported_table(done: &Imported) -> String {
    let problems: String = done.problems.iter().map(problem_line).collect();
    let more = unlisted_problems(done);
    format!(
        "{problems}{more}{} lines: {} replies, {} final errors, {} errors that may pass, {} \
         duplicates, {} unknown, {} unreadable; {} exported requests have no result yet\n",
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

fn problem_line(problem: &LineProblem) -> String {
    let file = problem.file.display();
    format!("{file}:{}: {}\n", problem.line, problem.why)
}

fn unlisted_problems(done: &Imported) -> String {
    let all =
        done.final_errors + done.passing_errors + done.duplicates + done.unknown + done.unreadable;
    match all.saturating_sub(done.problems.len() as u64) {
        0 => String::new(),
        more => format!("... and {more} more\n"),
    }
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
