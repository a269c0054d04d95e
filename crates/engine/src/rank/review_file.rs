//! The file of `--for-review`: what people filled in is theirs, and stays.

use crate::rank::review::ForReview;
use crate::{EngineError, Job, whole_file};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines that people filled in, by item and systems.
type Filled = BTreeMap<[String; 3], Map<String, Value>>;

impl ForReview {
    /// That a file may be written: none is there, or one of ours.
    ///
    /// # Errors
    /// A file that is something else, or that cannot be read.
    pub fn check_file(path: &Path) -> Result<(), EngineError> {
        filled(path).map(|_| ())
    }

    /// Writes the pairs of which the judge is least sure (see [`ForReview::write`]) to a file, in
    /// place of those of an earlier run. What people filled in there is kept: in the line of its
    /// pair, or behind all others where that pair is none of these. Returns how many pairs were
    /// written, and how many filled-in lines were kept.
    ///
    /// # Errors
    /// A file that is something else, or cannot be written.
    pub fn write_file(
        &self,
        job: &Job,
        share: f64,
        path: &Path,
    ) -> Result<(usize, usize), EngineError> {
        let mut earlier = filled(path)?;
        let kept = earlier.len();
        let mut rows = Vec::new();
        let count = self.write(job, share, &mut rows)?;
        let mut out = Vec::new();
        for line in String::from_utf8_lossy(&rows).lines() {
            let mut row: Map<String, Value> =
                serde_json::from_str(line).map_err(|e| unwritable(path, &e))?;
            if let Some(preferred) = key(&row)
                .and_then(|key| earlier.remove(&key))
                .and_then(|mut line| line.remove("preferred"))
            {
                row.insert("preferred".into(), preferred);
                push(&mut out, &row, path)?;
            } else {
                out.extend_from_slice(line.as_bytes());
                out.push(b'\n');
            }
        }
        earlier
            .values()
            .try_for_each(|row| push(&mut out, row, path))?;
        whole_file::put(path, &out).map_err(|e| unwritable(path, &e))?;
        Ok((count, kept))
    }
}

fn push(out: &mut Vec<u8>, row: &Map<String, Value>, path: &Path) -> Result<(), EngineError> {
    serde_json::to_writer(&mut *out, row).map_err(|e| unwritable(path, &e))?;
    out.push(b'\n');
    Ok(())
}

fn key(row: &Map<String, Value>) -> Option<[String; 3]> {
    let text = |name: &str| row.get(name)?.as_str().map(String::from);
    Some([text("item")?, text("a")?, text("b")?])
}

/// The lines of an earlier file that hold a verdict; none where there is no file.
fn filled(path: &Path) -> Result<Filled, EngineError> {
    if !path.is_file() {
        return Ok(Filled::new());
    }
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| {
        EngineError::Setting(format!(
            "--for-review {shown}: is there and cannot be read: {e}"
        ))
    })?;
    let mut filled = Filled::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let row = serde_json::from_str::<Map<String, Value>>(line)
            .ok()
            .filter(is_ours);
        let Some((key, row)) = row.and_then(|row| Some((key(&row)?, row))) else {
            return Err(EngineError::Setting(format!(
                "--for-review {shown}: is there and is no file of pairs for review (line {}); it \
                 is left as it is: choose another name",
                number + 1
            )));
        };
        if !row["preferred"].is_null() {
            filled.insert(key, row);
        }
    }
    Ok(filled)
}

/// Whether a line is one that [`ForReview::write`] writes, filled in or not.
fn is_ours(row: &Map<String, Value>) -> bool {
    [
        "preferred",
        "entropy",
        "preferred_a",
        "preferred_b",
        "output_a",
        "output_b",
    ]
    .iter()
    .all(|name| row.contains_key(*name))
}

fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> EngineError {
    EngineError::Setting(format!(
        "--for-review {}: cannot be written: {why}",
        path.display()
    ))
}
