//! Which file a run's database is, wherever its name leads later.

use std::path::Path;

/// The device and the number of a database; None where there is none, or files have no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity(Option<(u64, u64)>);

impl FileIdentity {
    #[cfg(unix)]
    pub(super) fn of(dir: &Path) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::metadata(dir.join("run.sqlite")).ok();
        FileIdentity(file.map(|file| (file.dev(), file.ino())))
    }

    #[cfg(not(unix))]
    pub(super) fn of(_: &Path) -> FileIdentity {
        FileIdentity(None)
    }
}
