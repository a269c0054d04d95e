//! A file of labels: a line is on the disk before anybody is told so.

use super::label::Label;
use crate::ViewError;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    lines: Vec<Line>,
}

impl LabelFile {
    /// Reads a file, or makes it. A last line that was cut off when the machine or the server
    /// stopped was never said to be saved; it is taken off.
    pub(super) fn open(path: &Path) -> Result<LabelFile, ViewError> {
        let unusable = |why: io::Error| unusable(path, why.to_string());
        let is_new = !path.exists();
        let text = if is_new {
            Vec::new()
        } else {
            std::fs::read(path).map_err(unusable)?
        };
        let (lines, whole) = read_lines(path, &text)?;
        let mut file = open_to_append(path).map_err(unusable)?;
        repair(&mut file, &text, whole).map_err(unusable)?;
        if is_new {
            sync_folder(path).map_err(unusable)?;
        }
        Ok(LabelFile {
            path: path.into(),
            file,
            lines,
        })
    }

    pub(super) fn labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.lines.iter().map(|line| &line.label)
    }

    /// Adds a label; it is on the disk when this returns. Where it cannot be, nothing of it stays.
    pub(super) fn append(&mut self, label: Label) -> io::Result<()> {
        let text = serde_json::to_string(&label)?;
        let before = self.file.metadata()?.len();
        if let Err(error) = self.write(&text) {
            self.file.set_len(before)?;
            return Err(error);
        }
        self.lines.push(Line { text, label });
        Ok(())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(format!("{text}\n").as_bytes())?;
        self.file.sync_data()
    }

    /// Takes out the labels that are not to be kept; returns whether there were any. The file is
    /// the old one or the new one at any moment.
    pub(super) fn retain(&mut self, keep: impl Fn(&Label) -> bool) -> io::Result<bool> {
        let kept: Vec<Line> = self
            .lines
            .iter()
            .filter(|line| keep(&line.label))
            .cloned()
            .collect();
        if kept.len() == self.lines.len() {
            return Ok(false);
        }
        self.replace(&kept)?;
        self.lines = kept;
        Ok(true)
    }

    fn replace(&mut self, lines: &[Line]) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file = File::create(&new)?;
        for line in lines {
            writeln!(file, "{}", line.text)?;
        }
        file.sync_data()?;
        std::fs::rename(&new, &self.path)?;
        sync_folder(&self.path)?;
        self.file = open_to_append(&self.path)?;
        Ok(())
    }
}

fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// Ends the last line, or takes off what is none.
fn repair(file: &mut File, text: &[u8], whole: usize) -> io::Result<()> {
    if whole < text.len() {
        file.set_len(whole as u64)?;
    } else if text.last().is_some_and(|last| *last != b'\n') {
        file.write_all(b"\n")?;
    } else {
        return Ok(());
    }
    file.sync_data()
}

/// Makes sure that a name stays in its folder.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Reads lines, and returns where the last whole one ends.
fn read_lines(path: &Path, text: &[u8]) -> Result<(Vec<Line>, usize), ViewError> {
    let (mut lines, mut end) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        match read_line(line) {
            Ok(read) => lines.extend(read),
            Err(_) if is_torn(line) => break,
            Err(why) => return Err(unusable(path, format!("line {number}: {why}"))),
        }
        end += line.len();
    }
    Ok((lines, end))
}

/// Whether a line is the last one, and was not written to its end.
fn is_torn(line: &[u8]) -> bool {
    line.last() != Some(&b'\n')
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

fn unusable(path: &Path, why: String) -> ViewError {
    ViewError::Labels {
        path: path.into(),
        why,
    }
}
