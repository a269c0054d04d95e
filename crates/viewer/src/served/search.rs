//! Searches for texts, which take seconds in a large run: beside all other questions, and once.

use evenhand_pages::{FoundTexts, search_texts};
use evenhand_store::{Reader, StoreError};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Searches that are remembered.
const MOST_KEPT: usize = 8;

/// The searches of a run.
#[derive(Debug, Default)]
pub(super) struct Searches(Mutex<Kept>);

/// The latest searches, the last one last.
#[derive(Debug, Default)]
struct Kept {
    /// The run as it was searched.
    version: String,
    found: VecDeque<(String, Arc<FoundTexts>)>,
}

impl Searches {
    /// Finds where these words stand, or remembers it. Who asks while another is searching waits.
    pub(super) fn find(&self, dir: &Path, words: &str) -> Result<Arc<FoundTexts>, StoreError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = Reader::open(dir)?;
        kept.renew(reader.version()?);
        if let Some(found) = kept.find(words) {
            return Ok(found);
        }
        let found = Arc::new(search_texts(&reader, words)?);
        kept.add(words, found.clone());
        Ok(found)
    }
}

impl Kept {
    /// Forgets everything where the run has grown.
    fn renew(&mut self, version: String) {
        if self.version != version {
            *self = Kept {
                version,
                found: VecDeque::new(),
            };
        }
    }

    fn find(&self, words: &str) -> Option<Arc<FoundTexts>> {
        let mut found = self.found.iter();
        let found = found.find(|(known, _)| known == words);
        found.map(|(_, found)| found.clone())
    }

    fn add(&mut self, words: &str, found: Arc<FoundTexts>) {
        if self.found.len() == MOST_KEPT {
            self.found.pop_front();
        }
        self.found.push_back((words.into(), found));
    }
}
