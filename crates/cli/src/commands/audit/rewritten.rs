//! The file of rewritten responses.

use crate::Failed;
use evenhand_engine::NewFile;
use evenhand_studies::audit::AuditReport;
use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes the rewritten responses of all audits, each once, as JSON objects, a line each.
pub(super) fn write_rewritten(reports: &[AuditReport], path: &Path) -> Result<(), Failed> {
    write_lines(reports, path)
        .map_err(|e| Failed::run(format!("--rewritten {}: {e}", path.display())))
}

fn write_lines(reports: &[AuditReport], path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(NewFile::begin(path)?);
    let mut seen = HashSet::new();
    for rewritten in reports.iter().flat_map(|report| &report.rewritten) {
        // Several judges are mostly shown the same ones.
        if seen.insert((&rewritten.rewrite, &rewritten.system, &rewritten.item)) {
            writeln!(file, "{}", serde_json::to_string(rewritten)?)?;
        }
    }
    file.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()
}
