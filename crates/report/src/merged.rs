//! Runs that were put together, for people and programs.

use crate::columns::{Column, csv_of, table_of};
use crate::numbers::group_digits;
use crate::serialize::optional_cell;
use evenhand_engine::{Merged, MergedRow};

const COLUMNS: [Column<MergedRow>; 10] = [
    ("run", |row| row.run.clone()),
    ("shard", |row| {
        row.shard.clone().unwrap_or_else(|| "whole".into())
    }),
    ("judgments", |row| row.brought.judgments.to_string()),
    ("missing", |row| optional_cell(row.missing())),
    ("twice", |row| row.brought.judgments_twice.to_string()),
    ("differ", |row| row.brought.judgments_differ.to_string()),
    ("calls", |row| row.brought.calls.to_string()),
    ("calls twice", |row| row.brought.calls_twice.to_string()),
    ("calls differ", |row| row.brought.calls_differ.to_string()),
    ("calls damaged", |row| row.brought.calls_damaged.to_string()),
];

/// Returns a header and a row for each run.
///
/// # Errors
/// Those of the CSV writer; no merge is known to cause one.
pub fn merged_csv(merged: &Merged) -> Result<String, csv::Error> {
    csv_of(&COLUMNS, &merged.merged)
}

/// Returns whether the run is whole, then what each run brought, then what is not as it should be.
pub fn merged_table(merged: &Merged) -> String {
    let (judgments, verdicts) = (
        group_digits(merged.judgments),
        group_digits(merged.verdicts),
    );
    let whole = match merged.complete {
        true => "the whole job is judged",
        false => "the job is not judged as a whole",
    };
    let mut text = format!(
        "{}: {judgments} judgments of {} runs, {verdicts} with a verdict; {whole}.\n\n{}\n",
        merged.run,
        merged.merged.len(),
        table_of(&COLUMNS, &merged.merged)
            .with_numbers_from(2)
            .to_text()
    );
    if !merged.missing_shards.is_empty() {
        text += &format!(
            "\nno run was given of the shards {}\n",
            merged.missing_shards.join(", ")
        );
    }
    for row in &merged.merged {
        if let Some(missing @ 1..) = row.missing() {
            text += &format!(
                "\n{}: {} of its trials have no judgment here\n",
                row.run,
                group_digits(missing)
            );
        }
        // Who imports a batch file's replies does not judge them.
        if row.brought.judgments + row.brought.judgments_twice == 0 && row.brought.calls > 0 {
            text += &format!(
                "\n{}: its {} replies have no judgment yet; `judge` or `rank` on the merged run \
                 judges them without asking again\n",
                row.run,
                group_digits(row.brought.calls)
            );
        }
        if row.brought.judgments_differ > 0 {
            let trials: Vec<String> = row
                .brought
                .differing_trials
                .iter()
                .map(u64::to_string)
                .collect();
            text += &format!(
                "\n{}: {} judgments were left out, as an earlier run has another verdict or other \
                 calls for them: trials {}\n",
                row.run,
                group_digits(row.brought.judgments_differ),
                trials.join(", ")
            );
        }
    }
    text
}
