//! What is compared: a system of the baseline with one of the current side.

use super::matching::{Matching, SharedItem};
use super::side::{Side, SideVerdict};
use rustc_hash::FxHashMap;

/// What is measured of a system on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of the current system against the baseline's in direct verdicts, less a half.
    HeadToHead,
    /// The share against opponents that both sides have, whose responses did not change.
    WinShare,
    /// The score.
    Score,
}

impl Measure {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            Measure::HeadToHead => "head-to-head",
            Measure::WinShare => "win-share",
            Measure::Score => "score",
        }
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
    side: &'a Side,
    verdicts: FxHashMap<u32, Vec<&'a SideVerdict>>,
}

impl<'a> ByItem<'a> {
    pub(super) fn of(side: &'a Side) -> ByItem<'a> {
        let mut verdicts: FxHashMap<u32, Vec<&SideVerdict>> = FxHashMap::default();
        for verdict in &side.verdicts {
            verdicts.entry(verdict.item).or_default().push(verdict);
        }
        ByItem { side, verdicts }
    }

    pub(super) fn side(&self) -> &'a Side {
        self.side
    }

    pub(super) fn of_item(&self, item: u32) -> &[&'a SideVerdict] {
        self.verdicts.get(&item).map_or(&[], Vec::as_slice)
    }

    /// The scores of a system on an item.
    pub(super) fn scores(&self, item: u32, system: u32) -> Values {
        let verdicts = self.of_item(item).iter();
        let own = verdicts.filter(|verdict| verdict.second.is_none() && verdict.first == system);
        own.map(|verdict| (verdict.value, verdict.trial)).collect()
    }

    /// The shares of a system against an opponent on an item, in both orders.
    pub(super) fn shares(&self, item: u32, system: u32, opponent: u32) -> Values {
        let verdicts = self.of_item(item).iter();
        let shares = verdicts.filter_map(|verdict| {
            let value = share_of(verdict, system, opponent)?;
            Some((value, verdict.trial))
        });
        shares.collect()
    }
}

fn share_of(verdict: &SideVerdict, system: u32, opponent: u32) -> Option<f64> {
    if (verdict.first, verdict.second) == (system, Some(opponent)) {
        Some(verdict.value)
    } else if (verdict.first, verdict.second) == (opponent, Some(system)) {
        Some(1.0 - verdict.value)
    } else {
        None
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
        mean(&self.numbers)
    }
}

impl Subject {
    /// Returns what both sides say on each item that both have a verdict for; anchors are no part
    /// of it.
    pub(super) fn pair_items(&self, sides: [&ByItem; 2], matching: &Matching) -> Vec<PairedItem> {
        let items = matching.items.iter().copied();
        let own = items.filter(|item| !matching.is_anchor(*item));
        own.filter_map(|item| self.pair_item(sides, matching, item))
            .collect()
    }

    fn pair_item(
        &self,
        sides: [&ByItem; 2],
        matching: &Matching,
        item: SharedItem,
    ) -> Option<PairedItem> {
        let read = match self.measure {
            Measure::HeadToHead => self.read_duel(sides[1], item),
            Measure::Score => self.read_scores(sides, item),
            Measure::WinShare => self.read_win_shares(sides, matching, item),
        }?;
        Some(PairedItem {
            item,
            baseline: read.baseline,
            current: read.current,
            changed: !matching.is_unchanged(item, self.systems),
            verdicts: read.verdicts,
            trial: read.trial,
        })
    }

    /// The share of the current system in direct verdicts, against a half.
    fn read_duel(&self, now: &ByItem, item: SharedItem) -> Option<Reading> {
        let [old, new] = self.systems;
        let shares = now.shares(item.current, new, old);
        let current = shares.mean()?;
        let side = (current - 0.5).signum();
        let agrees = |share: &&f64| (**share - 0.5) * side > 0.0;
        let agreeing = shares.numbers.iter().filter(agrees).count();
        Some(Reading {
            baseline: 0.5,
            current,
            verdicts: [shares.numbers.len() as u32, agreeing as u32],
            trial: shares.trial,
        })
    }

    fn read_scores(&self, [before, now]: [&ByItem; 2], item: SharedItem) -> Option<Reading> {
        let [old, new] = self.systems;
        let current = now.scores(item.current, new);
        Some(Reading {
            baseline: before.scores(item.baseline, old).mean()?,
            current: current.mean()?,
            verdicts: [1, 1],
            trial: current.trial,
        })
    }

    /// The mean shares against the opponents that both sides have a verdict on and that did not
    /// change on this item.
    fn read_win_shares(
        &self,
        [before, now]: [&ByItem; 2],
        matching: &Matching,
        item: SharedItem,
    ) -> Option<Reading> {
        let [old, new] = self.systems;
        let (mut baseline, mut current, mut trial) = (Vec::new(), Vec::new(), None);
        let opponents = self.opponents.iter();
        for [was, is] in opponents.filter(|pair| is_same_opponent(matching, item, **pair)) {
            let one = before.shares(item.baseline, old, *was).mean();
            let other = now.shares(item.current, new, *is);
            if let Some((one, mean)) = one.zip(other.mean()) {
                baseline.push(one);
                current.push(mean);
                trial = other.trial.or(trial);
            }
        }
        Some(Reading {
            baseline: mean(&baseline)?,
            current: mean(&current)?,
            verdicts: [1, 1],
            trial,
        })
    }
}

/// What both sides say on an item.
struct Reading {
    baseline: f64,
    current: f64,
    verdicts: [u32; 2],
    trial: Option<u64>,
}

/// An opponent whose text is not known on either side is taken for the same.
pub(super) fn is_same_opponent(matching: &Matching, item: SharedItem, opponent: [u32; 2]) -> bool {
    matching.is_unchanged(item, opponent) || matching.lacks_texts(item, opponent)
}

/// Returns the mean of values; None where there are none.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
