//! Gathers verdicts and scores: numbers for names, and one sort of judgments only.

use super::verdicts::{RecordedComparison, RecordedJudgments, RecordedScore};
use super::{Error, JudgmentFormat, UNPARSED};
use crate::records::Place;
use evenhand_core::Side;
use std::collections::{HashMap, HashSet};

/// The sort of a judgment: which of two systems is better, or how good one is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VerdictSort {
    Comparison,
    Score,
}

/// The item and the systems of a comparison.
#[derive(Clone, Copy)]
pub(super) struct JudgedPair {
    pub(super) item: u32,
    pub(super) a: u16,
    pub(super) b: u16,
}

impl JudgedPair {
    /// Returns a verdict on it, with no weight yet.
    pub(super) fn unweighted(self) -> RecordedComparison {
        RecordedComparison::unweighted(self.item, self.a, self.b)
    }

    /// Returns a verdict for one side.
    pub(super) fn won_by(self, side: Side) -> RecordedComparison {
        let mut verdict = self.unweighted();
        let weight = match side {
            Side::First => &mut verdict.wins_a,
            Side::Tie => &mut verdict.ties,
            Side::Second => &mut verdict.wins_b,
        };
        *weight = 1.0;
        verdict
    }

    /// Returns a verdict with the weights of "a is better", a tie and "b is better".
    pub(super) fn weighted(self, [wins_a, ties, wins_b]: [f64; 3]) -> RecordedComparison {
        RecordedComparison {
            wins_a,
            ties,
            wins_b,
            ..self.unweighted()
        }
    }

    /// Returns the pair with the systems exchanged.
    pub(super) fn swapped(self) -> Self {
        JudgedPair {
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// The first record: what it is, where it stands and what its file is.
struct FirstRecord {
    sort: VerdictSort,
    place: Place,
    kind: JudgmentFormat,
}

/// The judgments so far.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) recorded: RecordedJudgments,
    systems: HashMap<String, u16>,
    items: HashMap<String, u32>,
    judges: HashSet<String>,
    first: Option<FirstRecord>,
}

impl Builder {
    /// Refuses a record of another sort than the first one's.
    pub(super) fn expect_sort(
        &mut self,
        sort: VerdictSort,
        place: &Place,
        kind: JudgmentFormat,
    ) -> Result<(), Error> {
        match &self.first {
            Some(first) if first.sort == sort => Ok(()),
            Some(first) => Err(first.mixed_with(place, kind)),
            None => {
                self.first = Some(FirstRecord {
                    sort,
                    place: place.clone(),
                    kind,
                });
                Ok(())
            }
        }
    }

    /// Returns the number of a system, which may be new.
    pub(super) fn number_system(&mut self, name: String, place: &Place) -> Result<u16, Error> {
        if let Some(&number) = self.systems.get(&name) {
            return Ok(number);
        }
        let number = u16::try_from(self.systems.len()).unwrap_or(u16::MAX);
        if number == u16::MAX {
            return Err(Error::TooManySystems {
                place: place.clone(),
                limit: u64::from(u16::MAX),
            });
        }
        self.recorded.systems.push(name.clone());
        self.systems.insert(name, number);
        Ok(number)
    }

    /// Returns the number of an item, which may be new.
    pub(super) fn number_item(&mut self, name: String, place: &Place) -> Result<u32, Error> {
        if let Some(&number) = self.items.get(&name) {
            return Ok(number);
        }
        let number = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if number == u32::MAX {
            return Err(Error::TooManyItems {
                place: place.clone(),
                limit: u64::from(u32::MAX),
            });
        }
        self.recorded.items.push(name.clone());
        self.items.insert(name, number);
        Ok(number)
    }

    pub(super) fn number_pair(
        &mut self,
        item: String,
        [a, b]: [String; 2],
        place: &Place,
    ) -> Result<JudgedPair, Error> {
        Ok(JudgedPair {
            item: self.number_item(item, place)?,
            a: self.number_system(a, place)?,
            b: self.number_system(b, place)?,
        })
    }

    /// Keeps the name of a judge, where there is one.
    pub(super) fn add_judge(&mut self, name: Option<String>) {
        let new = name.filter(|name| self.judges.insert(name.clone()));
        self.recorded.judges.extend(new);
    }

    /// Keeps a verdict, and counts one on a system and itself.
    pub(super) fn add_comparison(&mut self, verdict: RecordedComparison) {
        if verdict.a == verdict.b {
            self.recorded.self_comparisons += 1;
        } else {
            self.recorded.comparisons.push(verdict);
        }
    }

    /// Keeps a verdict for one side, or counts a reply without a verdict.
    pub(super) fn add_side(&mut self, pair: JudgedPair, side: Option<Side>) {
        match side {
            Some(side) => self.add_comparison(pair.won_by(side)),
            None => self.add_failure(UNPARSED),
        }
    }

    pub(super) fn add_score(&mut self, scored: RecordedScore) {
        self.recorded.scores.push(scored);
    }

    pub(super) fn add_failure(&mut self, kind: &str) {
        *self.recorded.failures.entry(kind.to_owned()).or_default() += 1;
    }
}

impl FirstRecord {
    /// Returns the error for a record of the other sort.
    fn mixed_with(&self, place: &Place, kind: JudgmentFormat) -> Error {
        let (first, other) = ((self.place.clone(), self.kind), (place.clone(), kind));
        let (comparisons, scores) = match self.sort {
            VerdictSort::Comparison => (first, other),
            VerdictSort::Score => (other, first),
        };
        Error::Mixed {
            comparisons: comparisons.0,
            comparisons_kind: comparisons.1,
            scores: scores.0,
            scores_kind: scores.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_numbered_as_they_appear_until_there_are_too_many() {
        let (mut builder, place) = (Builder::default(), Place::file("f").at_line(7));
        for number in 0..u16::MAX {
            assert_eq!(
                builder.number_system(number.to_string(), &place).unwrap(),
                number
            );
        }
        assert_eq!(builder.number_system("5".to_owned(), &place).unwrap(), 5);
        let error = builder
            .number_system("one more".to_owned(), &place)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "f:7: this is system number 65536; at most 65535 can be read together"
        );
        assert_eq!(builder.recorded.systems.len(), 65_535);
    }
}
