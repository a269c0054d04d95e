//! Where the kernels' libraries are, in a program that is handed out with one for each processor.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Says where the kernels' libraries are, before the first model is opened. Only the first call
/// counts.
pub fn set_kernel_folder(folder: PathBuf) {
    FOLDER.get_or_init(|| folder);
}

/// Returns that folder; None where nobody said it.
pub(super) fn kernel_folder() -> Option<&'static Path> {
    FOLDER.get().map(PathBuf::as_path)
}
