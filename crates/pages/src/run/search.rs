//! Where a text stands in a run: its instructions, responses and replies.

use super::OpenRun;
use crate::TextHits;
use evenhand_store::{Reader, StoreError};
use rustc_hash::FxHashSet;

/// Where a text stands in a store, whatever of it is in memory.
#[derive(Clone, Debug, Default)]
pub struct FoundTexts {
    /// Items, by their ids.
    items: Vec<String>,
    /// Items and systems.
    responses: Vec<(String, String)>,
    /// Calls, by their ids.
    calls: FxHashSet<u32>,
}

/// Finds the items, responses and calls whose texts hold these words, in any case. All texts are
/// read, so a large run takes seconds.
///
/// # Errors
/// A store that cannot be read.
pub fn search_texts(reader: &Reader, words: &str) -> Result<FoundTexts, StoreError> {
    let mut found = FoundTexts::default();
    reader.for_each_item_with(words, |item| found.items.push(item.into()))?;
    reader.for_each_response_with(words, |item, system| {
        found.responses.push((item.into(), system.into()));
    })?;
    let calls = reader.find_replies_with(words)?.into_iter();
    found.calls = calls.filter_map(|call| u32::try_from(call).ok()).collect();
    Ok(found)
}

impl OpenRun {
    /// Finds the items, responses and judgments whose texts hold these words, in any case.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn search(&self, words: &str) -> Result<TextHits, StoreError> {
        Ok(self.place_hits(&search_texts(&self.reader, words)?))
    }

    /// Returns what was found as it is in memory.
    pub fn place_hits(&self, found: &FoundTexts) -> TextHits {
        let (items, systems) = (self.index.items(), self.index.systems());
        let place = |(item, system): &(String, String)| items.find(item).zip(systems.find(system));
        let mut judgments = FxHashSet::default();
        if !found.calls.is_empty() {
            let rests_on = |judgment: &u32| {
                let calls = self.index.columns.calls(*judgment);
                calls.iter().any(|call| found.calls.contains(call))
            };
            judgments.extend((0..self.index.judgments() as u32).filter(rests_on));
        }
        TextHits {
            items: found
                .items
                .iter()
                .filter_map(|item| items.find(item))
                .collect(),
            responses: found.responses.iter().filter_map(place).collect(),
            judgments,
        }
    }
}
