//! Inputs that are in memory: a program that calls the engine gives a table or a text a name, and
//! whatever takes a path takes that name.

use super::registry::{Registered, Registry};
#[cfg(feature = "arrow")]
use evenhand_formats::battles::Table;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The inputs in memory of this process, by their names.
static INPUTS: Registry<MemoryInput> = Registry::new();

/// An input in memory. It is read as a file where a file is needed.
pub struct MemoryInput {
    contents: Contents,
    /// Its rows as JSON lines, written when they are first asked for, without a name on any disk.
    file: OnceLock<File>,
}

/// What an input holds; a clone shares it.
#[derive(Clone)]
enum Contents {
    #[cfg(feature = "arrow")]
    Table(Table),
    /// JSON lines, or any other text that a file may hold.
    Text(Arc<[u8]>),
}

/// A name for an input in memory; the input is forgotten when this is dropped.
pub struct NamedInput(Registered<MemoryInput>);

impl MemoryInput {
    /// An input of a table's rows.
    #[cfg(feature = "arrow")]
    pub fn of_table(table: Table) -> MemoryInput {
        MemoryInput::new(Contents::Table(table))
    }

    /// An input of a text as a file might hold it.
    pub fn of_text(text: Vec<u8>) -> MemoryInput {
        MemoryInput::new(Contents::Text(text.into()))
    }

    fn new(contents: Contents) -> MemoryInput {
        MemoryInput {
            contents,
            file: OnceLock::new(),
        }
    }

    /// Gives the input the first free of the names `NAME`, `NAME 2`, `NAME 3`, .. The file that is
    /// written of it, if any, is gone with the name.
    pub fn named(&self, name: &str) -> NamedInput {
        let input = MemoryInput::new(self.contents.clone());
        NamedInput(INPUTS.add(name, " ", Arc::new(input)))
    }

    fn open(&self) -> io::Result<File> {
        if let Some(file) = self.file.get() {
            return reopen(file);
        }
        let file = tempfile::tempfile()?;
        let mut out = BufWriter::new(&file);
        match &self.contents {
            #[cfg(feature = "arrow")]
            Contents::Table(table) => {
                for row in table.json_rows() {
                    serde_json::to_writer(&mut out, &row)?;
                    out.write_all(b"\n")?;
                }
            }
            Contents::Text(text) => out.write_all(text)?,
        }
        out.flush()?;
        drop(out);
        reopen(self.file.get_or_init(|| file))
    }
}

impl NamedInput {
    /// Returns the name, which is given where a path is.
    pub fn path(&self) -> &Path {
        Path::new(&self.0.name)
    }
}

fn find(path: &Path) -> Option<Arc<MemoryInput>> {
    INPUTS.find(path.to_str()?)
}

/// Whether a name is that of an input in memory.
pub(crate) fn is_in_memory(path: &Path) -> bool {
    find(path).is_some()
}

/// Opens an input in memory as a file; None where there is none of this name.
pub(super) fn open_in_memory(path: &Path) -> Option<io::Result<File>> {
    find(path).map(|input| input.open())
}

/// Returns the table of this name.
#[cfg(feature = "arrow")]
pub fn table_in_memory(path: &Path) -> Option<Table> {
    match &find(path)?.contents {
        Contents::Table(table) => Some(table.clone()),
        Contents::Text(_) => None,
    }
}

/// Opens a file that has no name any more once again: from its beginning, with a position of its
/// own where the system can give one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn an_input_is_read_under_its_name_until_it_is_dropped() {
        let first = MemoryInput::of_text(b"{\"a\": 1}\n".to_vec()).named("memory test");
        let second = MemoryInput::of_text(b"second".to_vec()).named("memory test");
        assert_eq!(second.path(), Path::new("memory test 2"));
        for _ in 0..2 {
            let mut text = String::new();
            let file = crate::open_input(first.path());
            file.unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "{\"a\": 1}\n");
        }
        drop(first);
        assert!(crate::open_input(Path::new("memory test")).is_err());
        let files = crate::files::files(second.path()).unwrap();
        assert_eq!(files, [Path::new("memory test 2")]);
    }
}
