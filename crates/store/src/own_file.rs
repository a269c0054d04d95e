//! Files that a command writes, in directories that may have come from elsewhere.
//!
//! Whoever made a directory chose what stands in it: a link under the name of a file of ours would
//! have us write where it leads, a pipe or device would have us wait or read without end. So a file
//! of ours is opened only where it is a regular file with one name ([`open_own_file`]), a file that
//! is written whole takes its place under a random name that nobody could prepare ([`NewFile`]),
//! and below a run no link is followed at all.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Opens a file of ours, as the options say, if it is a regular file that has this name alone. No
/// link is followed in the last part of the path, and nothing is waited for.
///
/// `options` must not truncate: the file is looked at when it is open.
///
/// # Errors
/// A link, a directory, a pipe, a device, a file with a second name (which others may have kept as
/// theirs), and what the system says.
pub fn open_own_file(path: &Path, options: &OpenOptions) -> io::Result<File> {
    check_way_from_run(path)?;
    // Looked at first, since to open some devices is to act on them; and again when it is open,
    // since another file may have taken the name meanwhile.
    match path.symlink_metadata() {
        Ok(found) => check_own(path, &found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = options.clone();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    check_own(path, &file.metadata()?)?;
    Ok(file)
}

/// Checks that what stands at a path, looked at without following links, may be a file of ours.
fn check_own(path: &Path, found: &Metadata) -> io::Result<()> {
    if !found.is_file() {
        return Err(refuse_kind(path, found.file_type()));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(found) > 1 {
        return Err(io::Error::other(
            "it has a second name (a hard link), and writing to it would change that file too; \
             copy it",
        ));
    }
    Ok(())
}

fn refuse_kind(path: &Path, kind: FileType) -> io::Error {
    if kind.is_symlink() {
        let target = std::fs::read_link(path).unwrap_or_default();
        return io::Error::other(format!(
            "it is a symbolic link to {}, and none is followed here; name that file itself, or \
             remove the link",
            target.display()
        ));
    }
    let what = if kind.is_dir() {
        "a directory"
    } else {
        "a pipe or a device"
    };
    io::Error::other(format!("it is {what}; expected a file"))
}

/// Makes a file under a hidden, random name that no pattern of results finds, which is removed
/// unless it is given another name.
///
/// # Errors
/// A directory that cannot be written.
pub fn begin_hidden_file(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".evenhand-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir)
}

/// A file under way to its place: what stood there stays until all is written, and is then
/// replaced. A pipe or a terminal that the user names is written to as it is.
#[derive(Debug)]
pub struct NewFile {
    place: PathBuf,
    out: Out,
}

#[derive(Debug)]
enum Out {
    Beside(NamedTempFile),
    Into(File),
}

impl NewFile {
    /// Begins a file that will stand here.
    ///
    /// # Errors
    /// A symbolic link, but for the system's own, such as `/dev/stdout`; below a run also a pipe, a
    /// device, and a directory that is a link; a place that cannot be written.
    pub fn begin(path: &Path) -> io::Result<NewFile> {
        let in_run = check_way_from_run(path)?;
        let mut place = path.to_path_buf();
        let out = match path.symlink_metadata() {
            Ok(found) if found.is_file() => None,
            Ok(found) if found.is_dir() || in_run => {
                return Err(refuse_kind(path, found.file_type()));
            }
            Ok(found) if found.is_symlink() => {
                if !is_of_system(directory_of(path)) {
                    return Err(refuse_kind(path, found.file_type()));
                }
                // The name of a pipe that a process has open leads nowhere, and can be opened.
                place = path.canonicalize().unwrap_or(place);
                (!place.is_file()).then_some(&place)
            }
            Ok(_) => Some(&place),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let out = match out {
            Some(open) => Out::Into(OpenOptions::new().write(true).open(open)?),
            None => Out::Beside(begin_hidden_file(directory_of(&place))?),
        };
        Ok(NewFile { place, out })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub fn finish(self) -> io::Result<()> {
        if let Out::Beside(file) = self.out {
            file.persist(&self.place)?;
        }
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Beside(file) => file.write(bytes),
            Out::Into(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Beside(file) => file.flush(),
            Out::Into(file) => file.flush(),
        }
    }
}

/// Writes a file in place of what stands there, as [`NewFile`] does.
///
/// # Errors
/// As of [`NewFile::begin`].
pub fn write_whole_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::begin(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// The right to change a file that is read and then written anew: a locked file beside it, which is
/// removed at the end. The file itself cannot be locked, since another takes its name when it is
/// written.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    _file: File,
}

impl FileLock {
    /// Waits until no other process has it.
    ///
    /// # Errors
    /// A directory that cannot be written, or that has no locks.
    pub fn wait(path: &Path) -> io::Result<FileLock> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = path.with_file_name(format!(".{name}.lock"));
        loop {
            let file = open_own_file(&path, OpenOptions::new().create(true).append(true))?;
            file.lock()?;
            // Whoever had it before may have removed the file that was waited for.
            if is_file_at(&file, &path) {
                return Ok(FileLock { path, _file: file });
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Where files cannot be told apart, one that is waited for must stay.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: Metadata| (found.dev(), found.ino());
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(own), Ok(there)) => identity(own) == identity(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_file_at(_: &File, _: &Path) -> bool {
    true
}

/// Returns the directory of a file; a file of no stated directory is in the current one, whose name
/// is not the empty path.
pub fn directory_of(file: &Path) -> &Path {
    let dir = file.parent();
    let dir = dir.filter(|dir| !dir.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}

/// Whether a path lies below a run.
///
/// # Errors
/// A directory between the run and the file that is a link: it was made by who made the run.
fn check_way_from_run(path: &Path) -> io::Result<bool> {
    let path = std::path::absolute(path)?;
    let mut between = Vec::new();
    for dir in path.ancestors().skip(1) {
        if dir.join("run.sqlite").symlink_metadata().is_ok() {
            for dir in between {
                let found = Path::symlink_metadata(dir);
                if let Some(link) = found.ok().filter(Metadata::is_symlink) {
                    let why = refuse_kind(dir, link.file_type());
                    return Err(io::Error::other(format!("{}: {why}", dir.display())));
                }
            }
            return Ok(true);
        }
        between.push(dir);
    }
    Ok(false)
}

/// Whether the links of a directory are the system's own: names of what a process has open.
fn is_of_system(dir: &Path) -> bool {
    let dir = dir.canonicalize().unwrap_or_default();
    dir.starts_with("/dev") || dir.starts_with("/proc")
}

#[cfg(all(test, unix))]
#[path = "tests/own_file.rs"]
mod tests;
