//! What is compared: a system of the baseline with one of the current side.

use super::answers::AnswerSize;
use super::matching::{Matching, SharedItem};
use super::side::{SideData, SideVerdict};
use evenhand_core::whole_pairs;
use evenhand_stats::mean_value;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What is measured of a system on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Measure {
    /// The share of the current system against the baseline's in direct verdicts, less a half.
    HeadToHead,
    /// The share against opponents that both sides have, whose responses did not change.
    WinShare,
    /// The score.
    Score,
}

impl Measure {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Two systems that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The system of the baseline and that of the current side.
    pub(super) systems: [u32; 2],
    pub(super) measure: Measure,
    /// The opponents that count, by their places on both sides.
    pub(super) opponents: Vec<[u32; 2]>,
}

/// What both sides say of a subject on one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairedItem {
    pub(super) item: SharedItem,
    pub(super) baseline: f64,
    pub(super) current: f64,
    /// Whether the response changed; true where that is not known.
    pub(super) changed: bool,
    /// Verdicts that it rests on, and how many of those speak for the side of the mean.
    pub(super) verdicts: [u32; 2],
    /// A trial of the current side on it.
    pub(super) trial: Option<u64>,
}

impl PairedItem {
    pub(super) fn difference(&self) -> f64 {
        self.current - self.baseline
    }
}

/// The verdicts of a side, by item.
pub(super) struct ByItem<'a> {
    side: &'a SideData,
    verdicts: FxHashMap<u32, Vec<&'a SideVerdict>>,
    /// Of the items on which a pair has a verdict in one order and a failure in the other, the
    /// verdicts that say something of systems.
    of_whole_pairs: FxHashMap<u32, Vec<&'a SideVerdict>>,
    answers: FxHashMap<(u32, u32), AnswerSize>,
}

impl<'a> ByItem<'a> {
    pub(super) fn of(side: &'a SideData) -> ByItem<'a> {
        let mut verdicts: FxHashMap<u32, Vec<&SideVerdict>> = FxHashMap::default();
        for verdict in &side.verdicts {
            verdicts.entry(verdict.item).or_default().push(verdict);
        }
        let two_of = |systems: &[u32]| <[u32; 2]>::try_from(systems).ok();
        let failed = side.failed.iter();
        let failed = failed.filter_map(|one| Some((one.item, two_of(&one.systems)?)));
        let shown = side.verdicts.iter();
        let shown = shown.map(|one| (one.item, [one.first, one.second.unwrap_or(one.first)]));
        let counts = whole_pairs(shown, failed).unwrap_or_default();
        let mut of_whole_pairs: FxHashMap<u32, Vec<&SideVerdict>> = FxHashMap::default();
        let of_items = side.verdicts.iter().zip(&counts);
        for (verdict, _) in of_items.clone().filter(|(_, counts)| !**counts) {
            of_whole_pairs.insert(verdict.item, Vec::new());
        }
        for (verdict, _) in of_items.filter(|(_, counts)| **counts) {
            if let Some(whole) = of_whole_pairs.get_mut(&verdict.item) {
                whole.push(verdict);
            }
        }
        let answers = side.answers.iter();
        let answers = answers.map(|answer| ((answer.item, answer.system), answer.size()));
        let answers = answers.collect();
        ByItem {
            side,
            verdicts,
            of_whole_pairs,
            answers,
        }
    }

    pub(super) fn side(&self) -> &'a SideData {
        self.side
    }

    pub(super) fn of_item(&self, item: u32) -> &[&'a SideVerdict] {
        self.verdicts.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Returns what is known of a system's answer to an item.
    pub(super) fn answer(&self, item: u32, system: u32) -> Option<AnswerSize> {
        self.answers.get(&(item, system)).copied()
    }

    /// The scores of a system on an item.
    pub(super) fn scores(&self, item: u32, system: u32) -> Values {
        let verdicts = self.of_item(item).iter();
        let own = verdicts.filter(|verdict| verdict.second.is_none() && verdict.first == system);
        own.map(|verdict| (verdict.value, verdict.trial)).collect()
    }

    /// The shares of a system against an opponent on an item, in both orders: where one of them
    /// failed, the other counts for nothing.
    pub(super) fn shares(&self, item: u32, system: u32, opponent: u32) -> Values {
        let whole = self.of_whole_pairs.get(&item);
        let verdicts = whole.map_or(self.of_item(item), Vec::as_slice).iter();
        let shares = verdicts.filter_map(|verdict| {
            let pair = (verdict.first, verdict.second);
            let value = if pair == (system, Some(opponent)) {
                verdict.value
            } else if pair == (opponent, Some(system)) {
                1.0 - verdict.value
            } else {
                return None;
            };
            Some((value, verdict.trial))
        });
        shares.collect()
    }
}

/// Numbers that a side gives for one thing, and the last trial that gave one.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) numbers: Vec<f64>,
    trial: Option<u64>,
}

impl FromIterator<(f64, Option<u64>)> for Values {
    fn from_iter<I: IntoIterator<Item = (f64, Option<u64>)>>(rows: I) -> Values {
        let mut values = Values::default();
        for (number, trial) in rows {
            values.numbers.push(number);
            values.trial = trial.or(values.trial);
        }
        values
    }
}

impl Values {
    pub(super) fn mean(&self) -> Option<f64> {
        mean_value(&self.numbers)
    }
}

impl Subject {
    /// Returns what both sides say on each item that both have a verdict for; anchors are no part
    /// of it.
    pub(super) fn pair_items(&self, sides: [&ByItem; 2], matching: &Matching) -> Vec<PairedItem> {
        let items = matching.items.iter().copied();
        let own = items.filter(|item| !matching.is_anchor(item.baseline));
        own.filter_map(|item| self.pair_item(sides, matching, item))
            .collect()
    }

    fn pair_item(
        &self,
        [before, now]: [&ByItem; 2],
        matching: &Matching,
        item: SharedItem,
    ) -> Option<PairedItem> {
        let [old, new] = self.systems;
        let (baseline, current, verdicts, trial) = match self.measure {
            // The share of the current system in direct verdicts, against a half.
            Measure::HeadToHead => {
                let shares = now.shares(item.current, new, old);
                let current = shares.mean()?;
                let side = (current - 0.5).signum();
                let agrees = |share: &&f64| (**share - 0.5) * side > 0.0;
                let agreeing = shares.numbers.iter().filter(agrees).count();
                let verdicts = [shares.numbers.len() as u32, agreeing as u32];
                (0.5, current, verdicts, shares.trial)
            }
            Measure::Score => {
                let current = now.scores(item.current, new);
                let baseline = before.scores(item.baseline, old).mean()?;
                (baseline, current.mean()?, [1, 1], current.trial)
            }
            // The mean shares against the opponents that both sides have a verdict on and that did
            // not change on this item.
            Measure::WinShare => {
                let (mut baseline, mut current, mut trial) = (Vec::new(), Vec::new(), None);
                let same = |pair: &&[u32; 2]| is_same_opponent(matching, item, **pair);
                for [was, is] in self.opponents.iter().filter(same) {
                    let one = before.shares(item.baseline, old, *was).mean();
                    let other = now.shares(item.current, new, *is);
                    if let (Some(one), Some(mean)) = (one, other.mean()) {
                        baseline.push(one);
                        current.push(mean);
                        trial = other.trial.or(trial);
                    }
                }
                (mean_value(&baseline)?, mean_value(&current)?, [1, 1], trial)
            }
        };
        Some(PairedItem {
            item,
            baseline,
            current,
            changed: !matching.is_unchanged(item, self.systems),
            verdicts,
            trial,
        })
    }
}

/// An opponent whose text is not known on either side is taken for the same.
pub(super) fn is_same_opponent(matching: &Matching, item: SharedItem, opponent: [u32; 2]) -> bool {
    matching.is_unchanged(item, opponent) || matching.lacks_texts(item, opponent)
}
