//! A file that has no name any more, opened again.

use std::fs::File;
use std::io::{self, Seek};

/// The file from its beginning, with a position of its own where the system can give one.
pub(super) fn reopen(file: &File) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        if let Ok(again) = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())) {
            return Ok(again);
        }
    }
    let mut again = file.try_clone()?;
    again.rewind()?;
    Ok(again)
}
