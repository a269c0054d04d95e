//! Gathers verdicts and scores: numbers for names, and one sort of judgments only.

use super::{Compared, Error, Kind, Recorded, Scored};
use crate::records::Place;
use std::collections::{HashMap, HashSet};

/// What a record says: which of two systems is better, or how good one is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Comparison,
    Score,
}

/// The item and the systems of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) item: u32,
    pub(super) a: u16,
    pub(super) b: u16,
}

impl Pair {
    /// A verdict on it, with no weight yet.
    pub(super) fn verdict(self) -> Compared {
        Compared::of(self.item, self.a, self.b)
    }

    /// With the systems exchanged.
    pub(super) fn swapped(self) -> Self {
        Pair {
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// The judgments so far.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) recorded: Recorded,
    systems: HashMap<String, u16>,
    items: HashMap<String, u32>,
    judges: HashSet<String>,
    /// The first record, where it stands and what its file is.
    first: Option<(Sort, Place, Kind)>,
}

impl Builder {
    /// Refuses a record of another sort than the first one's.
    pub(super) fn expect(&mut self, sort: Sort, place: &Place, kind: Kind) -> Result<(), Error> {
        let (first, first_place, first_kind) = match &self.first {
            Some((first, ..)) if *first == sort => return Ok(()),
            Some((first, place, kind)) => (*first, place.clone(), *kind),
            None => {
                self.first = Some((sort, place.clone(), kind));
                return Ok(());
            }
        };
        let (place, kind) = (place.clone(), kind);
        Err(match first {
            Sort::Comparison => Error::Mixed {
                comparisons: first_place,
                comparisons_kind: first_kind,
                scores: place,
                scores_kind: kind,
            },
            Sort::Score => Error::Mixed {
                comparisons: place,
                comparisons_kind: kind,
                scores: first_place,
                scores_kind: first_kind,
            },
        })
    }

    pub(super) fn system(&mut self, name: String, place: &Place) -> Result<u16, Error> {
        if let Some(&number) = self.systems.get(&name) {
            return Ok(number);
        }
        let limit = u64::from(u16::MAX);
        let too_many = || Error::TooManySystems {
            place: place.clone(),
            limit,
        };
        let number = u16::try_from(self.systems.len())
            .ok()
            .filter(|&n| n < u16::MAX)
            .ok_or_else(too_many)?;
        self.recorded.systems.push(name.clone());
        self.systems.insert(name, number);
        Ok(number)
    }

    pub(super) fn item(&mut self, name: String, place: &Place) -> Result<u32, Error> {
        if let Some(&number) = self.items.get(&name) {
            return Ok(number);
        }
        let limit = u64::from(u32::MAX);
        let too_many = || Error::TooManyItems {
            place: place.clone(),
            limit,
        };
        let number = u32::try_from(self.items.len())
            .ok()
            .filter(|&n| n < u32::MAX)
            .ok_or_else(too_many)?;
        self.recorded.items.push(name.clone());
        self.items.insert(name, number);
        Ok(number)
    }

    pub(super) fn pair(
        &mut self,
        item: String,
        a: String,
        b: String,
        place: &Place,
    ) -> Result<Pair, Error> {
        Ok(Pair {
            item: self.item(item, place)?,
            a: self.system(a, place)?,
            b: self.system(b, place)?,
        })
    }

    pub(super) fn judge(&mut self, name: Option<String>) {
        let new = name.filter(|name| self.judges.insert(name.clone()));
        self.recorded.judges.extend(new);
    }

    /// Keeps a verdict, and counts one on a system and itself.
    pub(super) fn compare(&mut self, verdict: Compared) {
        if verdict.a == verdict.b {
            self.recorded.self_comparisons += 1;
        } else {
            self.recorded.comparisons.push(verdict);
        }
    }

    pub(super) fn score(&mut self, scored: Scored) {
        self.recorded.scores.push(scored);
    }

    pub(super) fn fail(&mut self, kind: &str) {
        *self.recorded.failures.entry(kind.to_owned()).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_numbered_as_they_appear_until_there_are_too_many() {
        let (mut builder, place) = (Builder::default(), Place::file("f").at_line(7));
        for number in 0..u16::MAX {
            assert_eq!(builder.system(number.to_string(), &place).unwrap(), number);
        }
        assert_eq!(builder.system("5".to_owned(), &place).unwrap(), 5);
        let error = builder
            .system("one more".to_owned(), &place)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "f:7: this is system number 65536; at most 65535 can be read together"
        );
        assert_eq!(builder.recorded.systems.len(), 65_535);
    }
}
