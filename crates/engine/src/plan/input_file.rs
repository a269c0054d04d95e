//! Opens input files; a pipe, which can be read only once, is copied so that it can be read again.

use super::memory::{open_in_memory, reopen};
use crate::files::hint_at_missing;
use evenhand_core::Refusal;
use evenhand_objects::{copy_of, is_address, local_path};
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Opens a file for reading from its beginning. A file is looked into before it is read, which
/// loses the beginning of a pipe: a pipe is copied to a temporary file the first time, and the copy
/// is opened every time. So is an object of object storage. `-` is the standard input. A name of an
/// input in memory opens its rows.
///
/// # Errors
/// A file that cannot be opened, or a pipe or an object that cannot be copied.
pub fn open_input(path: &Path) -> io::Result<File> {
    if let Some(opened) = open_in_memory(path) {
        return opened;
    }
    if is_address(path) {
        return reopen(&*copy_of(path)?);
    }
    let path = match path == Path::new("-") {
        true => PathBuf::from("/dev/stdin"),
        false => local_path(path),
    };
    if is_pipe(&path)? {
        copy_of_pipe(&path)
    } else {
        File::open(&path)
    }
}

/// Opens an input as [`open_input`] does, to be read in large pieces.
///
/// # Errors
/// [`unreadable_input`] where it cannot be opened.
pub fn open_buffered(path: &Path) -> Result<BufReader<File>, Refusal> {
    let opened = open_input(path).map_err(|error| unreadable_input(path, &error))?;
    Ok(BufReader::with_capacity(1 << 16, opened))
}

/// Returns the refusal of an input that cannot be opened or read, with the reason.
pub fn unreadable_input(path: &Path, error: &dyn Display) -> Refusal {
    let hint = hint_at_missing(path);
    Refusal::of_input(format!("{}: cannot be read: {error}{hint}", path.display()))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path)?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// The copies of all pipes that were opened.
static COPIES: OnceLock<Mutex<HashMap<PathBuf, File>>> = OnceLock::new();

/// The copy of this pipe, made when it is first asked for. It has no name, and is gone when the
/// process is.
fn copy_of_pipe(path: &Path) -> io::Result<File> {
    let copies = COPIES.get_or_init(Mutex::default).lock();
    let mut copies = copies.unwrap_or_else(PoisonError::into_inner);
    if let Some(copy) = copies.get(path) {
        return reopen(copy);
    }
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut File::open(path)?, &mut copy)?;
    let again = reopen(&copy)?;
    copies.insert(path.to_path_buf(), copy);
    Ok(again)
}
