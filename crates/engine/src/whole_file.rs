//! Files that are put in their place whole: what stood there stays until all is written.

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
pub(crate) fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let place = path.canonicalize().unwrap_or_else(|_| path.into());
    if place.exists() && !place.is_file() {
        return std::fs::OpenOptions::new()
            .write(true)
            .open(&place)?
            .write_all(bytes);
    }
    let dir = place
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = begin(dir)?;
    file.write_all(bytes)?;
    file.persist(&place).map(|_| ()).map_err(|e| e.error)
}
