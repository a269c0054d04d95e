//! Agreement with people under both judges, on the labelled pairs of the run.

use super::population::{Answers, Population};
use evenhand_core::Side;
use evenhand_engine::Job;
use evenhand_formats::judgments::games::PairLabel;
use evenhand_stats::migration::{Migration, MigrationError, OldPair};
use std::collections::{BTreeMap, HashMap};

/// A difference below this is none.
const EVEN: f64 = 1e-9;

/// What people said of a pair: the item, two systems, whom people prefer, and whether the old judge
/// agrees.
type Labelled = (u32, [u32; 2], Side, bool);

/// What people said of pairs that the old judge has a verdict on.
#[derive(Debug)]
pub(super) struct People {
    /// The labelled pairs of each question, in the order in which they are asked.
    places: Vec<Vec<Labelled>>,
    most: usize,
    pub(super) labels: u64,
    pub(super) old_agrees: u64,
    /// The number of the agreement among the pairs of the migration.
    number: usize,
}

impl People {
    /// Takes the labels of the data and these. Several of one pair are one: what most say, else a
    /// tie.
    pub(super) fn new(job: &Job, population: &Population, more: &[PairLabel]) -> People {
        let data = &job.dataset;
        let items: HashMap<&str, u32> = (data.items.iter().zip(0..))
            .map(|(item, number)| (item.id.as_str(), number))
            .collect();
        let system = |name: &str| data.system_index(name).map(|system| system as u32);
        let mut votes: BTreeMap<(u32, [u32; 2]), [u32; 3]> = BTreeMap::new();
        let mut add = |item: u32, [a, b]: [u32; 2], side: Side| {
            let side = if a <= b { side } else { side.swapped() };
            let count = votes.entry((item, [a.min(b), a.max(b)])).or_default();
            count[match side {
                Side::First => 0,
                Side::Tie => 1,
                Side::Second => 2,
            }] += 1;
        };
        for label in &data.labels {
            add(label.item, [label.a, label.b], label.preferred);
        }
        for label in more {
            let Some(item) = items.get(label.item.as_str()) else {
                continue;
            };
            // A label without names is of the two systems of the run, in their order.
            let systems = match &label.systems {
                Some([a, b]) => system(a).zip(system(b)),
                None if data.systems.len() == 2 => Some((0, 1)),
                None => None,
            };
            if let Some((a, b)) = systems {
                label
                    .preferred
                    .iter()
                    .for_each(|side| add(*item, [a, b], *side));
            }
        }
        let mut people = People {
            places: Vec::new(),
            most: 0,
            labels: 0,
            old_agrees: 0,
            number: population.pairs.len(),
        };
        for items in &population.order {
            let mut place = Vec::new();
            for item in items {
                for ((_, systems), [first, tie, second]) in
                    votes.range((*item, [0, 0])..=(*item, [u32::MAX; 2]))
                {
                    if !population.compares(*item, *systems) {
                        continue;
                    }
                    let Some(old) = population.old_difference(*item, *systems) else {
                        continue;
                    };
                    let side = match (first.cmp(second), first.max(second) > tie) {
                        (std::cmp::Ordering::Greater, true) => Side::First,
                        (std::cmp::Ordering::Less, true) => Side::Second,
                        _ => Side::Tie,
                    };
                    let agrees = side_of(old) == side;
                    people.labels += 1;
                    people.old_agrees += u64::from(agrees);
                    place.push((*item, *systems, side, agrees));
                }
            }
            people.most = people.most.max(place.len());
            if !place.is_empty() {
                people.places.push(place);
            }
        }
        people
    }

    /// The old judge's agreement as a pair that is not apart: 1 where it agrees, else -1; None
    /// without labels.
    pub(super) fn old_pair(&self) -> Option<OldPair> {
        let value = |place: &Vec<Labelled>| {
            let sum: f64 = place
                .iter()
                .map(|label| if label.3 { 1.0 } else { -1.0 })
                .sum();
            sum / self.most as f64
        };
        (self.labels > 0).then(|| OldPair {
            old: self.places.iter().map(value).collect(),
            apart: false,
        })
    }

    /// Tells whether the new judge agrees, at the places of which all is asked.
    pub(super) fn observe(
        &self,
        migration: &mut Migration,
        population: &Population,
        answers: &Answers,
    ) -> Result<(), MigrationError> {
        let Some(asked) = migration.asked().get(self.number).copied() else {
            return Ok(());
        };
        for place in self.places.iter().skip(asked) {
            let (mut low, mut high) = (0.0, 0.0);
            for (item, systems, side, _) in place {
                let said = population.new_difference(*item, *systems, answers);
                let Some([least, most]) = said else {
                    return Ok(());
                };
                let (least, most) = (side_of(least), side_of(most));
                // What has no verdict in part agrees for certain only where that could not turn it.
                let agrees = least == most && least == *side;
                let differs = least == most && least != *side;
                low += if agrees { 1.0 } else { -1.0 };
                high += if differs { -1.0 } else { 1.0 };
            }
            let most = self.most as f64;
            migration.observe(self.number, [low / most, high / most])?;
        }
        Ok(())
    }

    /// The new judge's agreement: the least and the most that its share is, and of how many labels
    /// it is known.
    pub(super) fn new_share(&self, migration: &Migration) -> Option<([f64; 2], u64)> {
        let mean = migration.means().get(self.number).copied()?;
        let scale = self.places.len() as f64 * self.most as f64 / self.labels as f64;
        let share = |mean: f64| ((mean * scale + 1.0) / 2.0).clamp(0.0, 1.0);
        let known = self
            .places
            .iter()
            .take(mean.asked)
            .map(Vec::len)
            .sum::<usize>();
        Some(([share(mean.low), share(mean.high)], known as u64))
    }
}

/// The side that a difference is on.
pub(super) fn side_of(difference: f64) -> Side {
    match difference {
        difference if difference > EVEN => Side::First,
        difference if difference < -EVEN => Side::Second,
        _ => Side::Tie,
    }
}
