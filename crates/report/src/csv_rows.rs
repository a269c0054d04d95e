//! The ranking as CSV.

use evenhand_engine::{Report, Row};

/// Columns of the ranking; the last only where a system has a standard error.
const COLUMNS: [&str; 10] = [
    "system",
    "score",
    "ci_low",
    "ci_high",
    "rank",
    "rank_low",
    "rank_high",
    "n",
    "note",
    "standard_error",
];

/// One row for each system, with a header.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let columns = if report
        .ranking
        .iter()
        .any(|row| row.standard_error.is_some())
    {
        10
    } else {
        9
    };
    out.write_record(COLUMNS.iter().take(columns))?;
    for row in &report.ranking {
        out.write_record(cells(row).iter().take(columns))?;
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(row: &Row) -> [String; 10] {
    let number = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    let whole = |value: Option<u32>| value.map(|v| v.to_string()).unwrap_or_default();
    let end = |at: usize| number(row.ci.and_then(|ci| ci[at]));
    let rank_end = |at: usize| whole(row.rank_ci.map(|ci| ci[at]));
    let note = row.note.clone().unwrap_or_default();
    let [rank, rank_low, rank_high] = [whole(row.rank), rank_end(0), rank_end(1)];
    let (score, error) = (number(row.score), number(row.standard_error));
    [
        row.system.clone(),
        score,
        end(0),
        end(1),
        rank,
        rank_low,
        rank_high,
        row.n.to_string(),
        note,
        error,
    ]
}
