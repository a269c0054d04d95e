//! Names of segments, and the files of a directory.
//!
//! Among objects there is `NAME.seg` alone.
//!
//! `NAME.open` has a writer, who appends to it; `NAME.seg` is closed, and never changed again;
//! `NAME.new` is being made of others. A name is 32 random digits.

use crate::SharedStoreError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What has a writer.
pub(super) const OPEN: &str = "open";
/// What is closed.
pub(super) const CLOSED: &str = "seg";
/// What is being made of others.
pub(super) const NEW: &str = "new";

/// Lists the segments of a directory by name, and whether each is closed. Other files are none of
/// ours, and links are not followed. One that is listed under both names is closed.
pub(super) fn list_segments(dir: &Path) -> Result<BTreeMap<String, bool>, SharedStoreError> {
    let mut segments = BTreeMap::new();
    for entry in std::fs::read_dir(dir).map_err(|e| refused(dir, &e))? {
        let entry = entry.map_err(|e| refused(dir, &e))?;
        let name = entry.file_name();
        let Some((stem, ending)) = name.to_str().and_then(read_name) else {
            continue;
        };
        let is_closed = ending == CLOSED;
        if (is_closed || ending == OPEN) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            *segments.entry(stem.to_string()).or_default() |= is_closed;
        }
    }
    Ok(segments)
}

/// Returns the name of a segment and its ending, where the name of a file is one.
pub(super) fn read_name(file: &str) -> Option<(&str, &str)> {
    let (stem, ending) = file.split_once('.')?;
    let is_name = stem.len() == 32 && stem.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_name.then_some((stem, ending))
}

/// Returns the address of a segment among objects.
pub(super) fn address_of(folder: &Path, name: &str) -> PathBuf {
    let folder = folder.to_string_lossy();
    format!("{}/{name}.{CLOSED}", folder.trim_end_matches('/')).into()
}

/// Returns the path of a segment.
pub(super) fn path_of(dir: &Path, name: &str, ending: &str) -> PathBuf {
    dir.join(format!("{name}.{ending}"))
}

/// Draws a name.
pub(super) fn draw_name(dir: &Path) -> Result<String, SharedStoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| SharedStoreError::Directory {
        name: dir.display().to_string(),
        why: format!("no random name can be drawn: {e}"),
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the error of a path that the system refused, or of an address that storage did.
pub(super) fn refused(path: &Path, error: &std::io::Error) -> SharedStoreError {
    let (name, why) = (path.display().to_string(), error.to_string());
    match evenhand_objects::is_address(path) {
        true => SharedStoreError::Server { name, why },
        false => SharedStoreError::Directory { name, why },
    }
}
