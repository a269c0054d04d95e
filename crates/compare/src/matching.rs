//! Which items, systems and responses two sides share, found by content where texts are known.

use super::side::{Digest, Side};
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

/// What two sides share.
#[derive(Debug, Default)]
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
pub(super) fn match_sides(baseline: &Side, current: &Side, anchors: &[String]) -> Matching {
    let mut matching = Matching {
        responses: [responses_of(baseline), responses_of(current)],
        ..Matching::default()
    };
    let (taken, rewritten) = matching.match_by_id(baseline, current);
    matching.match_by_content(baseline, current, &taken);
    let known = matching.baseline_places();
    matching.rewritten = rewritten
        .iter()
        .filter(|place| !known.contains(place))
        .count();
    matching.items.sort_by_key(|item| item.baseline);
    matching.places = matching
        .items
        .iter()
        .map(|item| (item.baseline, *item))
        .collect();
    matching.anchors = anchors_in(baseline, anchors);
    matching.questions = matching.join_questions(baseline, current);
    matching
}

fn responses_of(side: &Side) -> FxHashMap<(u32, u32), Digest> {
    let responses = side.responses.iter();
    responses
        .map(|response| ((response.item, response.system), response.digest.clone()))
        .collect()
}

fn anchors_in(side: &Side, anchors: &[String]) -> FxHashSet<u32> {
    let wanted: FxHashSet<&str> = anchors.iter().map(String::as_str).collect();
    let items = side.items.iter().zip(0..);
    let found = items.filter(|(item, _)| wanted.contains(item.id.as_str()));
    found.map(|(_, place)| place).collect()
}

impl Matching {
    /// Returns the places in the current side that have been taken, and those in the baseline whose
    /// item has another content now.
    fn match_by_id(&mut self, baseline: &Side, current: &Side) -> (FxHashSet<u32>, Vec<u32>) {
        let places: FxHashMap<&str, u32> = current
            .items
            .iter()
            .zip(0..)
            .map(|(item, place)| (item.id.as_str(), place))
            .collect();
        let (mut taken, mut rewritten) = (FxHashSet::default(), Vec::new());
        for (item, place) in baseline.items.iter().zip(0..) {
            let Some(found) = places.get(item.id.as_str()).copied() else {
                continue;
            };
            if differ(&item.digest, &current.items[found as usize].digest) {
                rewritten.push(place);
                continue;
            }
            self.add(place, found);
            taken.insert(found);
        }
        (taken, rewritten)
    }

    fn add(&mut self, baseline: u32, current: u32) {
        self.items.push(SharedItem { baseline, current });
    }

    fn match_by_content(&mut self, baseline: &Side, current: &Side, taken: &FxHashSet<u32>) {
        let known = self.baseline_places();
        let rest = unique_digests(current, |place| !taken.contains(&place));
        for (digest, place) in unique_digests(baseline, |place| !known.contains(&place)) {
            if let Some(found) = rest.get(digest) {
                self.add(place, *found);
            }
        }
    }

    fn baseline_places(&self) -> FxHashSet<u32> {
        self.items.iter().map(|item| item.baseline).collect()
    }

    /// Items that ask one question on either side ask one: a side that was read without its texts
    /// does not know.
    fn join_questions(&self, baseline: &Side, current: &Side) -> FxHashMap<u32, u32> {
        let (before, now) = (baseline.questions(), current.questions());
        let both = self.items.iter().map(|item| {
            let (old, new) = (item.baseline as usize, item.current as usize);
            [before[old], now[new]]
        });
        let clusters = Clusters::of_both(both);
        let places = self.items.iter().map(|item| item.baseline);
        places.zip(clusters.numbers().iter().copied()).collect()
    }

    /// Returns the number of the question that an item of the baseline asks.
    pub(super) fn question_of(&self, place: u32) -> u32 {
        self.questions[&place]
    }

    /// Counts the questions of the items that are no anchors.
    pub(super) fn count_questions(&self) -> usize {
        let items = self.items.iter().filter(|item| !self.is_anchor(**item));
        let questions: FxHashSet<u32> = items.map(|item| self.question_of(item.baseline)).collect();
        questions.len()
    }

    /// Whether the item is known not to have changed.
    pub(super) fn is_anchor(&self, item: SharedItem) -> bool {
        self.anchors.contains(&item.baseline)
    }

    /// The item at this place of the baseline; None where the current side lacks it.
    pub(super) fn find(&self, baseline: u32) -> Option<SharedItem> {
        self.places.get(&baseline).copied()
    }

    /// Whether the item at this place of the baseline is an anchor.
    pub(super) fn is_anchor_place(&self, baseline: u32) -> bool {
        self.anchors.contains(&baseline)
    }

    /// How many anchors the baseline has.
    pub(super) fn all_anchors(&self) -> usize {
        self.anchors.len()
    }

    /// How many of them the current side lacks.
    pub(super) fn lost_anchors(&self) -> usize {
        self.anchors.len() - self.count_anchors()
    }

    /// How many of the anchors both sides have.
    pub(super) fn count_anchors(&self) -> usize {
        let items = self.items.iter();
        items.filter(|item| self.is_anchor(**item)).count()
    }

    /// Whether the responses of two systems to an item are the same, by their content or because
    /// the item is an anchor; false where that is not known.
    pub(super) fn is_unchanged(&self, item: SharedItem, [old, new]: [u32; 2]) -> bool {
        let [before, now] = &self.responses;
        let digests = (
            before.get(&(item.baseline, old)),
            now.get(&(item.current, new)),
        );
        match digests {
            (Some(old), Some(new)) => old == new,
            _ => self.is_anchor(item),
        }
    }

    /// Whether neither side, or only one, knows the text of a response.
    pub(super) fn lacks_texts(&self, item: SharedItem, [old, new]: [u32; 2]) -> bool {
        let [before, now] = &self.responses;
        !before.contains_key(&(item.baseline, old)) || !now.contains_key(&(item.current, new))
    }
}

/// Whether both are known and differ.
fn differ(one: &Option<Digest>, other: &Option<Digest>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

/// The places of items by their digest, of those that no other item of the side has.
fn unique_digests(side: &Side, wanted: impl Fn(u32) -> bool) -> FxHashMap<&str, u32> {
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
