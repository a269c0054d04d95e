//! Where a text stands in a run: its instructions, responses and replies.

use super::OpenRun;
use crate::{RunIndex, TextHits};
use evenhand_store::StoreError;
use rustc_hash::FxHashSet;

impl OpenRun {
    /// Finds the items, responses and judgments whose texts hold these words, in any case.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn search(&self, words: &str) -> Result<TextHits, StoreError> {
        let mut hits = TextHits::default();
        let index = &self.index;
        self.reader.for_each_item_with(words, |item| {
            hits.items.extend(index.items().find(item));
        })?;
        self.reader.for_each_response_with(words, |item, system| {
            let place = index.items().find(item).zip(index.systems().find(system));
            hits.responses.extend(place);
        })?;
        let mut calls = FxHashSet::default();
        self.reader.for_each_reply_with(words, |call| {
            calls.extend(u32::try_from(call));
        })?;
        hits.judgments = judgments_with(index, &calls);
        Ok(hits)
    }
}

fn judgments_with(index: &RunIndex, calls: &FxHashSet<u32>) -> FxHashSet<u32> {
    let all = 0..index.judgments() as u32;
    let holds = |judgment: &u32| {
        let rests_on = index.calls_of(*judgment);
        rests_on.iter().any(|call| calls.contains(call))
    };
    all.filter(holds).collect()
}
