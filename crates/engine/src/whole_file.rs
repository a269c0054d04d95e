//! Files that are put in their place whole: what stood there stays until all is written.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// A file beside its later place, under a hidden name that no pattern of results finds.
pub(crate) fn begin(dir: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".evenhand-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir)
}

/// Writes a file in place of what stands there; links are followed, and what is no file (a pipe, a
/// terminal) is written to.
///
/// # Errors
/// A place that cannot be written.
pub fn write_whole_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let place = path.canonicalize().unwrap_or_else(|_| path.into());
    if place.exists() && !place.is_file() {
        return write_into(&place, bytes);
    }
    let mut file = begin(directory_of(&place))?;
    file.write_all(bytes)?;
    file.persist(&place)?;
    Ok(())
}

fn write_into(place: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut out = OpenOptions::new().write(true).open(place)?;
    out.write_all(bytes)
}

/// A file of no stated directory is in the current one, whose name is not the empty path.
fn directory_of(file: &Path) -> &Path {
    let dir = file.parent();
    let dir = dir.filter(|dir| !dir.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}
