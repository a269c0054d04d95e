//! A run that is open for pages: its judgments in memory, its texts in its store.

mod calls;
mod detail;
mod labels;
mod load;
mod looks;
mod overview;
mod rows;
mod search;
mod summary;

pub use detail::{CallDetail, CallTokens, Detail, ItemText, OtherRun, ResponseText};
pub use looks::LookDetail;
use overview::About;
pub use overview::{Overview, PageOverview, Sample};
pub use rows::{Cell, Row, RowPage, RowsError};
pub use search::{FoundTexts, search_texts};
pub use summary::{RunSummary, Summing};

use crate::{PersonLabel, RunIndex};
pub(crate) use calls::CallTable;
pub(crate) use detail::{describe_call, text_of_item, text_of_response};
use evenhand_engine::PriceTable;
use evenhand_store::{Answered, Reader, StoreError};
pub use labels::majority_labels;
pub(crate) use looks::describe_looks;
use std::path::Path;

/// A run directory, open for reading; its owner may go on judging.
#[derive(Debug)]
pub struct OpenRun {
    pub(crate) reader: Reader,
    pub(crate) index: RunIndex,
    pub(crate) calls: CallTable,
    prices: PriceTable,
    /// The protocol's full name, as the manifest has it.
    protocol: String,
    /// Who answered the calls in memory.
    answered_by: Vec<Answered>,
    /// The run's own labels.
    kept_labels: Vec<PersonLabel>,
    /// Labels from elsewhere.
    given_labels: Vec<PersonLabel>,
    /// What the store said beside the judgments when these were read.
    about: About,
    version: String,
}

impl OpenRun {
    /// Opens a run and reads all its judgments, some 80 bytes each; texts stay in the store.
    ///
    /// # Errors
    /// A directory that holds no run, and one that cannot be read.
    pub fn open(dir: &Path, prices: PriceTable) -> Result<OpenRun, StoreError> {
        let reader = Reader::open(dir)?;
        let mut manifest = reader.manifest()?;
        let mut run = OpenRun {
            reader,
            protocol: manifest.settings.remove("protocol").unwrap_or_default(),
            index: RunIndex::default(),
            calls: CallTable::default(),
            answered_by: Vec::new(),
            prices,
            kept_labels: Vec::new(),
            given_labels: Vec::new(),
            about: About::default(),
            version: String::new(),
        };
        run.refresh()?;
        Ok(run)
    }

    /// Sets what people said beside the labels that the run keeps, in place of earlier ones that
    /// were set; where both are of one pair, these count.
    pub fn set_people(&mut self, labels: Vec<PersonLabel>) {
        self.given_labels = labels;
        self.place_labels();
    }

    fn place_labels(&mut self) {
        let labels = [&*self.kept_labels, &*self.given_labels].concat();
        self.index.set_people(&labels);
    }

    /// Reads what the run has grown by since it was last read; returns whether it has.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        if self.reader.version()? == self.version {
            return Ok(false);
        }
        self.read_new()?;
        self.place_labels();
        Ok(true)
    }

    /// Returns the text that changes whenever the run has grown.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the protocol's full name; empty where the run does not name one.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Returns the judgments in memory.
    pub fn index(&self) -> &RunIndex {
        &self.index
    }

    /// Returns the store.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }
}
