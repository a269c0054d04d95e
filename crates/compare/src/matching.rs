//! Which items, systems and responses two sides share, found by content where texts are known.

use super::side::{Digest, SideData};
use evenhand_core::Clusters;
use rustc_hash::{FxHashMap, FxHashSet};

/// An item that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedItem {
    /// Its place in the baseline.
    pub(super) baseline: u32,
    /// Its place in the current side.
    pub(super) current: u32,
}

/// The items and systems that two sides have in common.
#[derive(Debug)]
pub(super) struct Matching {
    /// In the order of the baseline.
    pub(super) items: Vec<SharedItem>,
    /// Items of one id whose content differs, which are left out.
    pub(super) rewritten: usize,
    /// Whether the item, by its place in the baseline, is among the anchors.
    anchors: FxHashSet<u32>,
    /// The question of each shared item, by its place in the baseline.
    questions: FxHashMap<u32, u32>,
    responses: [FxHashMap<(u32, u32), Digest>; 2],
    /// The shared items, by their place in the baseline.
    places: FxHashMap<u32, SharedItem>,
}

/// Finds what two sides share: items of the same id and content, then those of the same content
/// under another id. `anchors` are ids of items that are known not to have changed.
pub(super) fn match_sides(baseline: &SideData, current: &SideData, anchors: &[String]) -> Matching {
    let mut items = Vec::new();
    let mut taken: FxHashSet<u32> = FxHashSet::default();
    let mut rewritten: Vec<u32> = Vec::new();
    let named = current.items.iter().zip(0..);
    let named: FxHashMap<&str, u32> = named.map(|(item, place)| (&*item.id, place)).collect();
    for (item, place) in baseline.items.iter().zip(0..) {
        let Some(found) = named.get(&*item.id).copied() else {
            continue;
        };
        match (&item.digest, &current.items[found as usize].digest) {
            (Some(old), Some(new)) if old != new => rewritten.push(place),
            _ => {
                items.push(SharedItem {
                    baseline: place,
                    current: found,
                });
                taken.insert(found);
            }
        }
    }

    let known: FxHashSet<u32> = items.iter().map(|item| item.baseline).collect();
    let rest = unique_digests(current, |place| !taken.contains(&place));
    for (digest, place) in unique_digests(baseline, |place| !known.contains(&place)) {
        if let Some(found) = rest.get(digest) {
            items.push(SharedItem {
                baseline: place,
                current: *found,
            });
        }
    }
    items.sort_by_key(|item| item.baseline);
    let places: FxHashMap<u32, SharedItem> =
        items.iter().map(|item| (item.baseline, *item)).collect();
    rewritten.retain(|place| !places.contains_key(place));

    // Items that ask one question on either side ask one: a side that was read without its texts
    // does not know.
    let (before, now) = (baseline.questions(), current.questions());
    let both = items
        .iter()
        .map(|item| [before[item.baseline as usize], now[item.current as usize]]);
    let clusters = Clusters::of_both(both);
    let questions = items.iter().map(|item| item.baseline);
    let questions = questions.zip(clusters.numbers().iter().copied()).collect();

    let wanted: FxHashSet<&str> = anchors.iter().map(String::as_str).collect();
    let anchors = baseline.items.iter().zip(0..);
    let anchors = anchors.filter(|(item, _)| wanted.contains(&*item.id));
    Matching {
        anchors: anchors.map(|(_, place)| place).collect(),
        rewritten: rewritten.len(),
        questions,
        responses: [responses_of(baseline), responses_of(current)],
        items,
        places,
    }
}

fn responses_of(side: &SideData) -> FxHashMap<(u32, u32), Digest> {
    let responses = side.responses.iter();
    responses
        .map(|response| ((response.item, response.system), response.digest.clone()))
        .collect()
}

impl Matching {
    /// Returns the number of the question that an item of the baseline asks.
    pub(super) fn question_of(&self, place: u32) -> u32 {
        self.questions[&place]
    }

    /// Counts the questions of the items that are no anchors.
    pub(super) fn count_questions(&self) -> usize {
        let places = self.items.iter().map(|item| item.baseline);
        let own = places.filter(|place| !self.is_anchor(*place));
        let questions: FxHashSet<u32> = own.map(|place| self.question_of(place)).collect();
        questions.len()
    }

    /// Whether the item at this place of the baseline is known not to have changed.
    pub(super) fn is_anchor(&self, baseline: u32) -> bool {
        self.anchors.contains(&baseline)
    }

    /// The item at this place of the baseline; None where the current side lacks it.
    pub(super) fn find(&self, baseline: u32) -> Option<SharedItem> {
        self.places.get(&baseline).copied()
    }

    /// How many of the baseline's anchors the current side lacks, and how many there are.
    pub(super) fn lost_anchors(&self) -> [usize; 2] {
        let all = self.anchors.len();
        [all - self.count_anchors(), all]
    }

    /// How many of the anchors both sides have.
    pub(super) fn count_anchors(&self) -> usize {
        let items = self.items.iter();
        items.filter(|item| self.is_anchor(item.baseline)).count()
    }

    /// Whether the responses of two systems to an item are the same, by their content or because
    /// the item is an anchor; false where that is not known.
    pub(super) fn is_unchanged(&self, item: SharedItem, [old, new]: [u32; 2]) -> bool {
        let [before, now] = &self.responses;
        match (
            before.get(&(item.baseline, old)),
            now.get(&(item.current, new)),
        ) {
            (Some(old), Some(new)) => old == new,
            _ => self.is_anchor(item.baseline),
        }
    }

    /// Whether neither side, or only one, knows the text of a response.
    pub(super) fn lacks_texts(&self, item: SharedItem, [old, new]: [u32; 2]) -> bool {
        let [before, now] = &self.responses;
        !before.contains_key(&(item.baseline, old)) || !now.contains_key(&(item.current, new))
    }
}

/// The places of items by their digest, of those that no other item of the side has.
fn unique_digests(side: &SideData, wanted: impl Fn(u32) -> bool) -> FxHashMap<&str, u32> {
    let mut found: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    for (item, place) in side.items.iter().zip(0..) {
        if let Some(digest) = item.digest.as_deref().filter(|_| wanted(place)) {
            let entry = found.entry(digest);
            entry
                .and_modify(|place| *place = None)
                .or_insert(Some(place));
        }
    }
    let unique = found.into_iter();
    unique
        .filter_map(|(digest, place)| Some((digest, place?)))
        .collect()
}
