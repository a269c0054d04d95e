//! Rankings for people and programs: terminal tables, JSON, CSV. Pure: every function gives a text.

pub mod audit;
mod batch;
mod check;
mod csv_rows;
mod estimate;
mod json;
mod judgments;
pub mod meta;
mod models;
pub mod plot;
mod recorded;
mod runs;
mod table;
mod terminal;
mod view;

pub use batch::{
    exported_csv, exported_json, exported_table, imported_csv, imported_json, imported_table,
};
pub use check::{check_csv, check_json, check_table};
pub use csv_rows::ranking_csv;
pub use estimate::{EstimateReport, JudgeEstimateRow, estimate_csv, estimate_json, estimate_table};
pub use json::{JudgeUsage, Usage, ranking_json};
pub use judgments::{JudgmentRow, JudgmentWriter};
pub use models::{ModelRow, models_csv, models_json, models_table};
pub use recorded::recorded_table;
pub use runs::{runs_csv, runs_json, runs_table};
pub use table::{ranking_table, summary_table};
pub use terminal::{excerpt, printable, printable_lines};
pub use view::View;

/// A number with thin groups of three, for people: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// USD, for people: cents, and four decimals below one dollar.
pub(crate) fn dollars(usd: f64) -> String {
    if usd < 1.0 {
        format!("{usd:.4} USD")
    } else {
        format!("{usd:.2} USD")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(super::grouped(number), text);
        }
    }
}
