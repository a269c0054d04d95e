//! The ranking as CSV.

use evenhand_engine::{Report, Row};

/// One row for each system, with a header.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["system", "score", "ci_low", "ci_high", "rank", "rank_low", "rank_high", "n", "note"])?;
    for row in &report.ranking {
        out.write_record(cells(row))?;
    }
    let bytes = out.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(row: &Row) -> [String; 9] {
    let number = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    let whole = |value: Option<u32>| value.map(|v| v.to_string()).unwrap_or_default();
    let end = |at: usize| number(row.ci.and_then(|ci| ci[at]));
    let rank_end = |at: usize| whole(row.rank_ci.map(|ci| ci[at]));
    let note = row.note.clone().unwrap_or_default();
    [row.system.clone(), number(row.score), end(0), end(1), whole(row.rank), rank_end(0), rank_end(1), row.n.to_string(), note]
}
