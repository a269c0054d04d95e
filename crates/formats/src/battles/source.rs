//! A file that is to be read, and what it is by its first bytes.

use super::error::{At, Error, Problem};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a file is read from.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// A file and its name. It is read from its beginning, wherever it stands.
pub struct Source {
    pub(super) name: Arc<str>,
    pub(super) input: Shared,
}

impl Source {
    /// The name is for errors; its ending `.tsv` (or `.tsv.gz`) says that the separator is a tab.
    ///
    /// ```
    /// use evenhand_formats::battles::{Options, Source, read_counts};
    ///
    /// let file = "model_a,model_b,winner\nx,y,model_a\ny,x,tie\n";
    /// let source = Source::new("battles.csv", std::io::Cursor::new(file));
    /// let counts = read_counts(&mut [source], &Options::default())?;
    /// assert_eq!(counts.names, ["x", "y"]);
    /// assert_eq!((counts.pairs[0].wins_a, counts.pairs[0].ties), (1.0, 1.0));
    /// # Ok::<(), evenhand_formats::battles::Error>(())
    /// ```
    pub fn new(name: impl Into<Arc<str>>, input: impl Input + 'static) -> Self {
        Source {
            name: name.into(),
            input: Shared(Arc::new(Mutex::new(Box::new(input)))),
        }
    }

    pub(super) fn error(&self, problem: Problem) -> Error {
        problem.at(&self.name, At::File)
    }

    /// What separates the cells, if the file is CSV.
    pub(super) fn separator(&self) -> u8 {
        let name = self.name.to_ascii_lowercase();
        if name.trim_end_matches(".gz").ends_with(".tsv") {
            b'\t'
        } else {
            b','
        }
    }

    /// Goes to the beginning and says what stands there.
    pub(super) fn container(&mut self) -> Result<Container, Error> {
        let mut magic = Vec::new();
        let read = self
            .input
            .rewind()
            .and_then(|()| (&mut self.input).take(4).read_to_end(&mut magic));
        let rewound = read.and_then(|_| self.input.rewind());
        rewound.map_err(|error| self.error(Problem::Io(error.to_string())))?;
        Ok(match magic.as_slice() {
            b"PAR1" => Container::Parquet,
            [0x1f, 0x8b, ..] => Container::Gzip,
            _ => Container::Plain,
        })
    }

    /// The text of a file that is no Parquet file.
    pub(super) fn text(&self, container: Container) -> Box<dyn Read + Send> {
        match container {
            Container::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(
                1 << 16,
                self.input.clone(),
            ))),
            _ => Box::new(self.input.clone()),
        }
    }
}

/// An input with one position, which several readers of a Parquet file take in turns.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Box<dyn Input>>>);

impl Shared {
    fn lock(&self) -> io::Result<MutexGuard<'_, Box<dyn Input>>> {
        self.0
            .lock()
            .map_err(|_| io::Error::other("another reader of the file has failed"))
    }

    /// How many bytes it has. The position is then at the end.
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

impl Read for Shared {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.lock()?.read(bytes)
    }
}

impl Seek for Shared {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.lock()?.seek(position)
    }
}

/// What a file is packed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Plain,
    Gzip,
    Parquet,
}
