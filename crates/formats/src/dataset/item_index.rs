//! Every item that was read, selected or not, found again by its id or its conversation.

use super::marks::Mark;
use evenhand_core::Item;
use std::collections::HashMap;

/// Of an id or a conversation: an item that is not selected costs these few bytes.
type Digest = [u8; 16];

#[derive(Clone, Copy, Debug)]
pub(super) struct KnownItem {
    /// Its index, if it is selected.
    pub(super) index: Option<u32>,
    pub(super) conversation: Digest,
    pub(super) mark: Mark,
}

impl KnownItem {
    pub(super) fn new(item: &Item, index: Option<u32>, mark: Mark) -> Self {
        KnownItem {
            index,
            conversation: digest_conversation(item),
            mark,
        }
    }

    /// Whether an item has the same conversation.
    pub(super) fn has_conversation_of(&self, item: &Item) -> bool {
        self.conversation == digest_conversation(item)
    }
}

#[derive(Debug, Default)]
pub(super) struct ItemIndex {
    by_id: HashMap<Digest, KnownItem>,
    /// The first item with each conversation: where an item without an id is found again.
    by_text: HashMap<Digest, KnownItem>,
    /// The ids of items that only records hold which a filter leaves out, by their ids and by their
    /// conversations: another record that holds the item makes it one of ours, under the number
    /// that it would have had.
    passed: HashMap<Digest, String>,
}

impl ItemIndex {
    /// Finds an item again: by its id, or without one by its conversation.
    pub(super) fn find(&self, item: &Item) -> Option<&KnownItem> {
        if item.id.is_empty() {
            self.by_text.get(&digest_conversation(item))
        } else {
            self.find_id(&item.id)
        }
    }

    pub(super) fn find_id(&self, id: &str) -> Option<&KnownItem> {
        self.by_id.get(&digest_id(id))
    }

    /// Returns the item's position among all items as a string, or the next that is not an item's
    /// id.
    pub(super) fn next_number(&self) -> String {
        let mut number = self.by_id.len();
        while self.find_id(&number.to_string()).is_some() {
            number += 1;
        }
        number.to_string()
    }

    /// Adds a new item under this id. One with the same conversation is found by either.
    pub(super) fn insert(&mut self, id: &str, known: KnownItem) {
        self.by_id.insert(digest_id(id), known);
        // The first item keeps its place; a later one that is selected gives it an index.
        let first = self.by_text.entry(known.conversation).or_insert(known);
        first.index = first.index.or(known.index);
    }

    /// Adds an item that a filter leaves out, under this id. Where it `may_return`, another record
    /// that holds it makes it one of ours.
    pub(super) fn insert_left_out(&mut self, id: &str, known: KnownItem, may_return: bool) {
        let is_first = !self.by_text.contains_key(&known.conversation);
        self.by_id.insert(digest_id(id), known);
        self.by_text.entry(known.conversation).or_insert(known);
        if may_return {
            self.passed.insert(digest_id(id), id.to_owned());
        }
        if may_return && is_first {
            self.passed.insert(known.conversation, id.to_owned());
        }
    }

    /// Returns the id of an item that was left out until now, and will not be again.
    pub(super) fn take_passed(&mut self, item: &Item) -> Option<String> {
        let digest = match item.id.as_str() {
            "" => digest_conversation(item),
            id => digest_id(id),
        };
        self.passed.remove(&digest)
    }
}

fn digest_id(id: &str) -> Digest {
    shorten_hash(&blake3::hash(id.as_bytes()))
}

/// Digests who says what; two items with the same are the same question.
fn digest_conversation(item: &Item) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for message in &item.messages {
        hasher
            .update(&[message.role as u8])
            .update(&(message.content.len() as u64).to_le_bytes())
            .update(message.content.as_bytes());
    }
    shorten_hash(&hasher.finalize())
}

fn shorten_hash(hash: &blake3::Hash) -> Digest {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}
