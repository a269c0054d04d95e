//! Keeps the findings of comparisons with one baseline, look by look: the trend of a branch.

use super::{Comparison, Measure};
use evenhand_core::Refusal;
use evenhand_engine::{EngineError, unreadable_input};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// Looks that a file keeps of a system; older ones are left out.
const KEPT: usize = 500;

/// The finding of one comparison on one system: a line of a history's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryRow {
    /// The look's name, such as a commit.
    pub look: String,
    /// Where the baseline was read from.
    pub baseline: String,
    /// The system of the current side.
    pub system: String,
    /// The system of the baseline.
    pub baseline_system: String,
    /// The measure of the difference.
    pub measure: Measure,
    /// The mean difference, without the judge's own change where that was measured.
    pub difference: f64,
    /// The ends of its interval; null where it is undefined.
    pub ci: Option<[f64; 2]>,
    /// Coverage of the interval.
    pub level: f64,
    /// Items that it rests on.
    pub items: usize,
}

/// Reads a history; a file that is not there yet has none.
///
/// # Errors
/// A file that cannot be read, and a line that is none of a history.
pub fn read_history(path: &Path) -> Result<Vec<HistoryRow>, EngineError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable_input(path, &error).into()),
    };
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let path = path.display();
            let why =
                format!("{path}, line {number}: this is not a look of a comparison ({error})");
            Refusal::of_input(why).into()
        })
    });
    rows.collect()
}

/// Returns a history as the text of its file: JSON lines.
///
/// # Errors
/// Numbers that JSON cannot hold.
pub fn history_text(rows: &[HistoryRow]) -> serde_json::Result<String> {
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(row)?;
        text.push('\n');
    }
    Ok(text)
}

impl Comparison {
    /// Adds this comparison to a history, under the name of its look. A look of the same name is
    /// replaced, so that a job that runs again counts once; the oldest are left out.
    pub fn add_to_history(&self, mut rows: Vec<HistoryRow>, look: &str) -> Vec<HistoryRow> {
        let is_same = |row: &HistoryRow| row.look == look && row.baseline == self.baseline;
        rows.retain(|row| !is_same(row));
        rows.extend(self.systems.iter().map(|system| {
            let change = system.change();
            HistoryRow {
                look: look.into(),
                baseline: self.baseline.clone(),
                system: system.current.clone(),
                baseline_system: system.baseline.clone(),
                measure: system.measure,
                difference: change.difference,
                ci: change.interval,
                level: self.level,
                items: change.items,
            }
        }));
        let most = KEPT * self.systems.len().max(1);
        rows.split_off(rows.len().saturating_sub(most))
    }

    /// Returns the looks at a pair of systems in a history, with this baseline and this measure,
    /// the oldest first.
    pub fn trend(&self, place: usize) -> impl Iterator<Item = &HistoryRow> {
        let system = self.systems.get(place);
        self.history.iter().filter(move |row| {
            system.is_some_and(|system| {
                row.baseline == self.baseline
                    && row.system == system.current
                    && row.baseline_system == system.baseline
                    && row.measure == system.measure
            })
        })
    }
}
