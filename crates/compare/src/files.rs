//! Opens the files that sides are read from.

use evenhand_core::Refusal;
use evenhand_engine::{EngineError, open_input};
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Opens a file that one side is read from.
pub(super) fn open_side(path: &Path) -> Result<impl BufRead, EngineError> {
    let opened = open_input(path).map_err(|error| unreadable(path, &error))?;
    Ok(BufReader::with_capacity(1 << 16, opened))
}

pub(super) fn unreadable(path: &Path, error: &dyn Display) -> Refusal {
    Refusal::of_input(format!("{}: cannot be read: {error}", path.display()))
}
