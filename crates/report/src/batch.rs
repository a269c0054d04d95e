//! Batch files for people and programs: what was written, and what became of what came back.

use evenhand_engine::batch::{Exported, Imported, Problem};

/// The files and what they hold.
pub fn exported_table(done: &Exported) -> String {
    let mut lines: Vec<String> = done
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let before = match done.exported_before {
        0 => String::new(),
        count => format!(", of which {count} were exported before and have no result yet"),
    };
    lines.push(format!(
        "{} requests{before}; {} of {} trials wait for a reply",
        done.requests, done.waiting, done.trials
    ));
    lines.join("\n") + "\n"
}

/// As one JSON object.
pub fn exported_json(done: &Exported) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(done).map(|text| text + "\n")
}

/// One file a row.
pub fn exported_csv(done: &Exported) -> Result<String, csv::Error> {
    rows(
        &["file"],
        done.files
            .iter()
            .map(|file| vec![file.display().to_string()]),
    )
}

/// The problems, one a line, then the counts.
pub fn imported_table(done: &Imported) -> String {
    let problem = |problem: &Problem| {
        format!(
            "{}:{}: {}\n",
            problem.file.display(),
            problem.line,
            problem.why
        )
    };
    let mut text: String = done.problems.iter().map(problem).collect();
    let all =
        done.final_errors + done.passing_errors + done.duplicates + done.unknown + done.unreadable;
    if all > done.problems.len() as u64 {
        text += &format!("... and {} more\n", all - done.problems.len() as u64);
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

/// As one JSON object.
pub fn imported_json(done: &Imported) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(done).map(|text| text + "\n")
}

/// One problem a row.
pub fn imported_csv(done: &Imported) -> Result<String, csv::Error> {
    let row = |problem: &Problem| {
        vec![
            problem.file.display().to_string(),
            problem.line.to_string(),
            problem.why.clone(),
        ]
    };
    rows(&["file", "line", "problem"], done.problems.iter().map(row))
}

fn rows(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(header)?;
    rows.into_iter().try_for_each(|row| out.write_record(row))?;
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
