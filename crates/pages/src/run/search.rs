//! Where a text stands in a run: its instructions, responses and replies.

use super::OpenRun;
use crate::{RunIndex, TextHits};
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
        let responses = found.responses.iter();
        let place = |(item, system): &(String, String)| items.find(item).zip(systems.find(system));
        TextHits {
            items: found
                .items
                .iter()
                .filter_map(|item| items.find(item))
                .collect(),
            responses: responses.filter_map(place).collect(),
            judgments: judgments_with(&self.index, &found.calls),
        }
    }
}

fn judgments_with(index: &RunIndex, calls: &FxHashSet<u32>) -> FxHashSet<u32> {
    if calls.is_empty() {
        return FxHashSet::default();
    }
    let all = 0..index.judgments() as u32;
    let holds = |judgment: &u32| {
        let rests_on = index.calls_of(*judgment);
        rests_on.iter().any(|call| calls.contains(call))
    };
    all.filter(holds).collect()
}
