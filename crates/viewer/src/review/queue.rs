//! Which pairs are looked at, in which order.

use super::sides::draw_place;
use super::votes::{PairNumber, Votes};
use crate::answer::Failure;
use crate::{ReviewOptions, Sample};
use evenhand_pages::{OpenRun, RowFacts, RowsError, RunIndex};
use std::collections::HashSet;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Which pairs an annotator is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Queue {
    /// All, in a random order that is the same for everybody.
    Random,
    /// All, those first of which the judge is least certain.
    Uncertain,
    /// Those whose orders, votes or people disagree.
    Disagreed,
    /// Those whose annotators disagree.
    Adjudicate,
}

impl Queue {
    /// Reads the name of a queue; none is that of the sample.
    pub(super) fn parse(name: Option<&str>, sample: Sample) -> Result<Queue, Failure> {
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Ok(Queue::of(sample));
        };
        name.parse().map_err(|_| {
            let known = Queue::VARIANTS.join(", ");
            Failure::Bad(format!("queue: expected one of {known}, found {name:?}"))
        })
    }

    fn of(sample: Sample) -> Queue {
        match sample {
            Sample::Random => Queue::Random,
            Sample::Uncertain => Queue::Uncertain,
            Sample::Disagreed => Queue::Disagreed,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// A pair of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRow {
    pub(super) row: u32,
    pub(super) pair: PairNumber,
}

/// The pairs of a run in the orders in which they are given out.
#[derive(Debug)]
pub(crate) struct Queues {
    pub(super) random: Vec<PairRow>,
    uncertain: Vec<PairRow>,
}

impl Queues {
    /// Finds the pairs that are asked: those that pass the filter, and of them the first of the
    /// sample by what the judge alone said. They are the same for everybody and after a restart, as
    /// long as the run does not grow and the filter has nothing of what people said.
    pub(crate) fn of(run: &OpenRun, options: &ReviewOptions) -> Result<Queues, RowsError> {
        let index = run.index();
        let rows = match &options.filter {
            Some(filter) => run.select(filter)?.rows,
            None => (0..index.row_count() as u32).collect(),
        };
        // Each pair once, by its first row.
        let mut seen = HashSet::new();
        let mut random = Vec::new();
        for row in rows {
            if let Some(pair) = pair_of(&index.facts(row))
                && seen.insert(pair)
            {
                random.push(PairRow { row, pair });
            }
        }
        random.sort_by_cached_key(|row| draw_place(options.seed, names_of(index, row.pair)));
        let mut uncertain = random.clone();
        // Infinity, which comes last, where the judge said nothing.
        let confidence = |row: &PairRow| {
            let sure = index.facts(row.row).confidence();
            sure.unwrap_or(f64::INFINITY)
        };
        uncertain.sort_by(|one, other| confidence(one).total_cmp(&confidence(other)));
        if let Some(most) = options.items {
            let mut asked = match options.sample {
                Sample::Random => random.clone(),
                Sample::Uncertain => uncertain.clone(),
                Sample::Disagreed => keep(&uncertain, |row| {
                    let facts = index.facts(row.row);
                    facts.flipped || facts.split
                }),
            };
            asked.truncate(most);
            let asked: HashSet<PairNumber> = asked.iter().map(|row| row.pair).collect();
            random.retain(|row| asked.contains(&row.pair));
            uncertain.retain(|row| asked.contains(&row.pair));
        }
        Ok(Queues { random, uncertain })
    }

    /// How many pairs are asked.
    pub(crate) fn count(&self) -> usize {
        self.random.len()
    }

    /// Whether a pair is one of those that are asked.
    pub(super) fn ask(&self, pair: PairNumber) -> bool {
        self.random.iter().any(|row| row.pair == pair)
    }

    /// Lists the pairs of a queue.
    pub(super) fn list(&self, queue: Queue, index: &RunIndex, votes: &Votes<'_>) -> Vec<PairRow> {
        let disputed = votes.disputed(index);
        match queue {
            Queue::Random => self.random.clone(),
            Queue::Uncertain => self.uncertain.clone(),
            Queue::Disagreed => keep(&self.uncertain, |row| {
                let facts = index.facts(row.row);
                let people = index.people_of(row.row).zip(facts.outcome);
                facts.flipped
                    || facts.split
                    || people.is_some_and(|(said, outcome)| said != outcome)
                    || disputed.contains(&row.pair)
            }),
            Queue::Adjudicate => keep(&self.random, |row| disputed.contains(&row.pair)),
        }
    }
}

fn keep(rows: &[PairRow], is_wanted: impl Fn(&PairRow) -> bool) -> Vec<PairRow> {
    rows.iter().filter(|row| is_wanted(row)).copied().collect()
}

/// Returns the pair that a row is of; None for single responses and lists.
pub(super) fn pair_of(facts: &RowFacts) -> Option<PairNumber> {
    Some([facts.item, facts.a, facts.b?])
}

pub(super) fn names_of(index: &RunIndex, [item, a, b]: PairNumber) -> [&str; 3] {
    let systems = index.systems();
    [index.items().get(item), systems.get(a), systems.get(b)]
}
