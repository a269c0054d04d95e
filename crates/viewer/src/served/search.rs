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
        let version = reader.version()?;
        if kept.version != version {
            // The run has grown.
            *kept = Kept {
                version,
                found: VecDeque::new(),
            };
        }
        if let Some((_, found)) = kept.found.iter().find(|(known, _)| known == words) {
            return Ok(found.clone());
        }
        let found = Arc::new(search_texts(&reader, words)?);
        if kept.found.len() == MOST_KEPT {
            kept.found.pop_front();
        }
        kept.found.push_back((words.into(), found.clone()));
        Ok(found)
    }
}
