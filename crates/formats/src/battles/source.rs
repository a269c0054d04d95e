//! A file that is to be read.

use crate::error::{DataError, DataProblem, Place};
use crate::source::container::{Opened, open};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard};

/// Anything that a file can be read from.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// A file and its name. It is read from its beginning, wherever it stands.
pub struct BattleSource {
    pub(super) name: Arc<str>,
    pub(super) input: SharedInput,
    /// The table that is read in place of the input.
    #[cfg(feature = "arrow")]
    pub(super) table: Option<super::Table>,
}

impl BattleSource {
    /// Names a table in memory. The name is for errors.
    #[cfg(feature = "arrow")]
    pub fn of_table(name: impl Into<Arc<str>>, table: super::Table) -> Self {
        BattleSource {
            table: Some(table),
            ..BattleSource::new(name, io::Cursor::new([]))
        }
    }

    /// Names a file. The name is for errors; its ending `.tsv` (or `.tsv.gz`) says that the
    /// separator is a tab.
    ///
    /// ```
    /// use evenhand_formats::battles::{Options, BattleSource, read_counts};
    ///
    /// let file = "model_a,model_b,winner\nx,y,model_a\ny,x,tie\n";
    /// let source = BattleSource::new("battles.csv", std::io::Cursor::new(file));
    /// let counts = read_counts(&mut [source], &Options::default())?;
    /// assert_eq!(counts.names, ["x", "y"]);
    /// assert_eq!((counts.pairs[0].wins_a, counts.pairs[0].ties), (1.0, 1.0));
    /// # Ok::<(), evenhand_formats::DataError>(())
    /// ```
    pub fn new(name: impl Into<Arc<str>>, input: impl Input + 'static) -> Self {
        BattleSource {
            name: name.into(),
            input: SharedInput(Arc::new(Mutex::new(Box::new(input)))),
            #[cfg(feature = "arrow")]
            table: None,
        }
    }

    /// Whether each column is of one type: in Parquet, and in a table in memory.
    pub fn has_typed_columns(&mut self) -> bool {
        #[cfg(feature = "arrow")]
        if self.table.is_some() {
            return true;
        }
        self.is_parquet()
    }

    /// Whether it is a Parquet file.
    pub(super) fn is_parquet(&mut self) -> bool {
        #[cfg(feature = "arrow")]
        if self.table.is_some() {
            return false;
        }
        matches!(self.open(), Ok(Opened::Parquet(_)))
    }

    pub(super) fn file_error(&self, problem: DataProblem) -> DataError {
        problem.at(&Place::file(self.name.clone()))
    }

    /// Opens the file from its beginning.
    pub(super) fn open(&mut self) -> Result<Opened<SharedInput>, DataError> {
        let opened = self.input.rewind().and_then(|()| open(self.input.clone()));
        opened.map_err(|error| self.file_error(DataProblem::Io(error.to_string())))
    }
}

/// An input with one position, which several readers of a Parquet file take in turns.
#[derive(Clone)]
pub(super) struct SharedInput(Arc<Mutex<Box<dyn Input>>>);

impl SharedInput {
    fn lock(&self) -> io::Result<MutexGuard<'_, Box<dyn Input>>> {
        self.0
            .lock()
            .map_err(|_| io::Error::other("another reader of the file has failed"))
    }

    /// Returns how many bytes it has. The position is then at the end.
    #[cfg(feature = "parquet")]
    pub(super) fn len(&self) -> io::Result<u64> {
        self.lock()?.seek(SeekFrom::End(0))
    }

    /// Reads from this position on.
    #[cfg(feature = "parquet")]
    pub(super) fn read_at(&self, position: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut input = self.lock()?;
        input.seek(SeekFrom::Start(position))?;
        input.read(bytes)
    }
}

impl Read for SharedInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.lock()?.read(bytes)
    }
}

impl Seek for SharedInput {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.lock()?.seek(position)
    }
}
