//! A file of labels: a line is on the disk, under the file's name, before anybody is told so.
//!
//! The file is the user's: a colleague may add lines, an editor or git may put another in its place
//! while we serve. So before anything is told or written it is checked that the file is the one we
//! left, and it is read again where it is not.

use super::label::Label;
use crate::ViewError;
use evenhand_core::Setting;
use evenhand_store::{begin_hidden_file, directory_of, open_own_file};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How a line that we write begins.
const BEGINNING: &[u8] = b"{\"item\":";

/// How often a file is read that grows while it is read.
const TRIES: usize = 5;

/// A line with what it says. What others wrote in it stays as it is.
#[derive(Clone, Debug)]
struct Line {
    text: String,
    label: Label,
}

/// A file of labels, open for appending.
#[derive(Debug)]
pub(super) struct LabelFile {
    path: PathBuf,
    file: File,
    /// The file as we left it.
    left: State,
    lines: Vec<Line>,
}

/// What tells whether a file is another one, or was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    file: (u64, u64),
    length: u64,
    modified: Option<SystemTime>,
}

/// Why a label was not saved, or not taken back.
#[derive(Debug)]
pub(super) enum Unsaved {
    /// Somebody else changed the file meanwhile.
    Changed(String),
    /// It cannot be written.
    Failed(io::Error),
}

impl From<io::Error> for Unsaved {
    fn from(error: io::Error) -> Self {
        Unsaved::Failed(error)
    }
}

impl LabelFile {
    /// Reads a file, or makes it. A last line that was cut off when the machine or the server
    /// stopped was never said to be saved; it is put into a file beside, and taken off.
    pub(super) fn open(path: &Path) -> Result<LabelFile, ViewError> {
        let is_new = path.symlink_metadata().is_err();
        let opened = LabelFile::take(path, true);
        let opened = opened.and_then(|file| {
            if is_new {
                sync_folder(path).map_err(|error| error.to_string())?;
            }
            Ok(file)
        });
        opened.map_err(|why| ViewError::Labels {
            path: path.into(),
            why,
        })
    }

    /// Reads the file again, if it is not as we left it; returns whether it was.
    ///
    /// # Errors
    /// Why it cannot be gone on with: it is gone, or holds what is no label.
    pub(super) fn renew(&mut self) -> Result<bool, String> {
        if State::at(&self.path) == Some(self.left) {
            return Ok(false);
        }
        let again = LabelFile::take(&self.path, false);
        *self = again.map_err(|why| {
            format!(
                "nothing was saved: {} was changed by somebody else: {why}",
                self.path.display()
            )
        })?;
        Ok(true)
    }

    /// Opens and reads a file. `at_start` one that is not there is made, and a torn line is cut
    /// off: while we serve, it may be one that somebody else is writing.
    fn take(path: &Path, at_start: bool) -> Result<LabelFile, String> {
        let mut how = OpenOptions::new();
        how.read(true).append(true).create(at_start);
        let file = open_own_file(path, &how).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it was moved or removed; put it back".into(),
            _ => error.to_string(),
        })?;
        let failed = |error: io::Error| error.to_string();
        for _ in 0..TRIES {
            let mut text = Vec::new();
            let mut from = &file;
            io::Seek::rewind(&mut from).map_err(failed)?;
            from.read_to_end(&mut text).map_err(failed)?;
            let (lines, whole) = read_lines(&text)?;
            if whole < text.len() {
                if !at_start {
                    return Err("its last line is not whole; try again when it is".into());
                }
                keep_torn(path, &text[whole..]).map_err(failed)?;
            }
            if file.metadata().map_err(failed)?.len() != text.len() as u64 {
                continue;
            }
            if whole < text.len() {
                file.set_len(whole as u64).map_err(failed)?;
                file.sync_data().map_err(failed)?;
            } else if text.last().is_some_and(|last| *last != b'\n') {
                from.write_all(b"\n").map_err(failed)?;
                file.sync_data().map_err(failed)?;
            }
            return Ok(LabelFile {
                path: path.into(),
                left: State::of(&file.metadata().map_err(failed)?),
                file,
                lines,
            });
        }
        Err("it is being written; try again".into())
    }

    pub(super) fn labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.lines.iter().map(|line| &line.label)
    }

    /// Adds a label; it is on the disk when this returns. Where it cannot be, nothing of it stays.
    pub(super) fn append(&mut self, label: Label) -> Result<(), Unsaved> {
        let text = serde_json::to_string(&label).map_err(io::Error::from)?;
        let before = self.file.metadata()?.len();
        let line = format!("{text}\n");
        let written = self.file.write_all(line.as_bytes());
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            self.file.set_len(before)?;
            return Err(error.into());
        }
        let now = State::of(&self.file.metadata()?);
        if State::at(&self.path).map(|there| there.file) != Some(now.file) {
            return Err(Unsaved::Changed(MOVED.into()));
        }
        self.lines.push(Line { text, label });
        // Where somebody else added lines at the same time, the file is read again.
        if now.length == self.left.length + line.len() as u64 {
            self.left = now;
        }
        Ok(())
    }

    /// Takes out the labels that are not to be kept; returns whether there were any. The file is
    /// the old one or the new one at any moment.
    pub(super) fn retain(&mut self, keep: impl Fn(&Label) -> bool) -> Result<bool, Unsaved> {
        let kept: Vec<Line> = self
            .lines
            .iter()
            .filter(|line| keep(&line.label))
            .cloned()
            .collect();
        if kept.len() == self.lines.len() {
            return Ok(false);
        }
        let text: String = kept.iter().flat_map(|line| [&*line.text, "\n"]).collect();
        let mut new = begin_hidden_file(directory_of(&self.path))?;
        new.as_file()
            .set_permissions(self.file.metadata()?.permissions())?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_data()?;
        if State::at(&self.path) != Some(self.left) {
            return Err(Unsaved::Changed(MOVED.into()));
        }
        new.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(&self.path)?;
        let mut how = OpenOptions::new();
        let mut file = open_own_file(&self.path, how.read(true).append(true))?;
        // Who added lines since we looked, added them to the file that has lost its name.
        let mut late = Vec::new();
        io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.left.length))?;
        self.file.read_to_end(&mut late)?;
        let added = !late.is_empty();
        if added {
            file.write_all(&late)?;
            file.sync_data()?;
        }
        self.left = State::of(&file.metadata()?);
        if added || self.left.length != text.len() as u64 {
            // To be read again.
            self.left.length = 0;
            self.left.modified = None;
        }
        self.file = file;
        self.lines = kept;
        Ok(true)
    }
}

const MOVED: &str = "the file of labels was changed or moved by somebody else at this moment; try \
                     again";

impl State {
    fn of(found: &Metadata) -> State {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt;
            (found.dev(), found.ino())
        };
        #[cfg(not(unix))]
        let file = (0, 0);
        State {
            file,
            length: found.len(),
            modified: found.modified().ok(),
        }
    }

    /// The state of what has this name now, links not followed.
    fn at(path: &Path) -> Option<State> {
        path.symlink_metadata().ok().map(|found| State::of(&found))
    }
}

/// Adds a line that is about to be cut off to a file beside, `labels.torn` for `labels.jsonl`.
fn keep_torn(path: &Path, torn: &[u8]) -> io::Result<()> {
    let mut how = OpenOptions::new();
    let mut file = open_own_file(&path.with_extension("torn"), how.create(true).append(true))?;
    file.write_all(torn)?;
    file.write_all(b"\n")?;
    file.sync_all()
}

/// Makes sure that a name stays in its folder.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(directory_of(path))?.sync_all()
}

/// Reads lines, and returns where the last whole one ends.
///
/// A line is torn if it is the last one, has no end, begins as ours do, is cut off within a JSON
/// object, and follows a label: anything else is somebody's, and stays as it is.
fn read_lines(text: &[u8]) -> Result<(Vec<Line>, usize), String> {
    let (mut lines, mut end) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        match read_line(line) {
            Ok(read) => lines.extend(read),
            Err(error)
                if error.is_eof()
                    && line.last() != Some(&b'\n')
                    && line.starts_with(BEGINNING)
                    && !lines.is_empty() =>
            {
                break;
            }
            Err(error) => {
                return Err(format!(
                    "line {number} is not a label ({error}); nothing was changed: fix it, or name \
                     another file with {}",
                    Setting::LabelsOut
                ));
            }
        }
        end += line.len();
    }
    Ok((lines, end))
}

/// Reads a line; None for an empty one.
fn read_line(line: &[u8]) -> serde_json::Result<Option<Line>> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some(Line {
        label: serde_json::from_slice(line)?,
        text: String::from_utf8_lossy(line).into_owned(),
    }))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
