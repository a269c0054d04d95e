//! Gathers verdicts and scores: numbers for names, and one sort of judgments only.

use super::verdicts::{RecordedComparison, RecordedJudgments, RecordedScore};
use super::{Error, JudgmentFormat, Result, UNPARSED};
use crate::battles::Outcome;
use crate::records::Place;
use evenhand_core::Side;
use std::collections::HashMap;

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

/// The item and the system of a score.
#[derive(Clone, Copy)]
pub(super) struct JudgedResponse {
    pub(super) item: u32,
    pub(super) system: u16,
}

impl JudgedResponse {
    pub(super) fn scored(self, score: f64) -> RecordedScore {
        RecordedScore {
            item: self.item,
            system: self.system,
            score,
        }
    }
}

impl JudgedPair {
    pub(super) fn systems(self) -> [u16; 2] {
        [self.a, self.b]
    }

    pub(super) fn responses(self) -> [JudgedResponse; 2] {
        let item = self.item;
        [self.a, self.b].map(|system| JudgedResponse { item, system })
    }
    /// Returns a verdict on it, with no weight yet.
    pub(super) fn unweighted(self) -> RecordedComparison {
        RecordedComparison::unweighted(self.item, self.a, self.b)
    }

    /// Returns a verdict for one side.
    pub(super) fn won_by(self, side: Side) -> RecordedComparison {
        self.ended_with(match side {
            Side::First => Outcome::A,
            Side::Tie => Outcome::Tie,
            Side::Second => Outcome::B,
        })
    }

    /// Returns a verdict with this outcome.
    pub(super) fn ended_with(self, outcome: Outcome) -> RecordedComparison {
        let mut verdict = self.unweighted();
        *verdict.weight_mut(outcome) = 1.0;
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

/// The sort of a record, its place and the format of its file.
#[derive(Clone, Copy)]
pub(super) struct RecordSort<'r> {
    pub(super) sort: VerdictSort,
    pub(super) place: &'r Place,
    pub(super) kind: JudgmentFormat,
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
    judges: HashMap<String, u32>,
    /// The `question_id` of the record that is read, where it has one.
    pub(super) question: Option<String>,
    first: Option<FirstRecord>,
}

impl Builder {
    /// Refuses a record of another sort than the first one's.
    pub(super) fn expect_sort(&mut self, record: RecordSort<'_>) -> Result {
        self.recorded.are_scores = record.sort == VerdictSort::Score;
        match &self.first {
            Some(first) if first.sort == record.sort => Ok(()),
            Some(first) => Err(first.mixed_with(record)),
            None => {
                self.first = Some(FirstRecord::new(record));
                Ok(())
            }
        }
    }

    /// Returns the number of a system, which may be new.
    pub(super) fn number_system(&mut self, name: String, place: &Place) -> Result<u16> {
        if let Some(&number) = self.systems.get(&name) {
            return Ok(number);
        }
        self.add_system(name, place)
    }

    fn add_system(&mut self, name: String, place: &Place) -> Result<u16> {
        let number = u16::try_from(self.systems.len()).unwrap_or(u16::MAX);
        if number == u16::MAX {
            return Err(too_many_systems(place));
        }
        self.recorded.systems.push(name.clone());
        self.systems.insert(name, number);
        Ok(number)
    }

    /// Returns the number of an item, which may be new.
    pub(super) fn number_item(&mut self, name: String, place: &Place) -> Result<u32> {
        if let Some(&number) = self.items.get(&name) {
            return Ok(number);
        }
        self.add_item(name, place)
    }

    fn add_item(&mut self, name: String, place: &Place) -> Result<u32> {
        let number = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if number == u32::MAX {
            return Err(too_many_items(place));
        }
        self.recorded.items.push(name.clone());
        let question = self.question.clone();
        self.recorded
            .questions
            .push(question.filter(|question| *question != name));
        self.items.insert(name, number);
        Ok(number)
    }

    pub(super) fn number_pair(
        &mut self,
        item: String,
        [a, b]: [String; 2],
        place: &Place,
    ) -> Result<JudgedPair> {
        Ok(JudgedPair {
            item: self.number_item(item, place)?,
            a: self.number_system(a, place)?,
            b: self.number_system(b, place)?,
        })
    }

    /// Keeps the name of a judge or annotator, where there is one.
    pub(super) fn add_judge(&mut self, name: Option<String>) {
        if let Some(name) = name {
            self.number_judge(name);
        }
    }

    /// Keeps the name of a judge that is a model, where there is one, and which systems it judged.
    pub(super) fn add_judge_of(&mut self, systems: &[u16], name: Option<String>) {
        let Some(name) = name else {
            return;
        };
        let judge = self.number_judge(name);
        let judges_of = &mut self.recorded.judges_of;
        for &system in systems {
            let at = usize::from(system);
            judges_of.resize_with(judges_of.len().max(at + 1), Default::default);
            judges_of.get_mut(at).map(|judges| judges.insert(judge));
        }
    }

    fn number_judge(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.judges.len()).unwrap_or(u32::MAX);
        *self.judges.entry(name.clone()).or_insert_with(|| {
            self.recorded.judges.push(name);
            next
        })
    }

    /// Keeps a verdict, and counts one on a system and itself.
    pub(super) fn add_comparison(&mut self, verdict: RecordedComparison) {
        // AlpacaEval has its reference as its own opponent: that ranks no system.
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

    /// Keeps a score, or counts a failure of this kind where there is none.
    pub(super) fn add_score_or(
        &mut self,
        response: JudgedResponse,
        score: Option<f64>,
        failure: &str,
    ) {
        match score {
            Some(score) => self.add_score(response.scored(score)),
            None => self.add_failure(failure),
        }
    }

    pub(super) fn add_failure(&mut self, kind: &str) {
        *self.recorded.failures.entry(kind.to_owned()).or_default() += 1;
    }
}

impl FirstRecord {
    fn new(record: RecordSort<'_>) -> Self {
        FirstRecord {
            sort: record.sort,
            place: record.place.clone(),
            kind: record.kind,
        }
    }

    /// Returns the error for a record of the other sort.
    fn mixed_with(&self, record: RecordSort<'_>) -> Error {
        let first = (self.place.clone(), self.kind);
        let other = (record.place.clone(), record.kind);
        match self.sort {
            VerdictSort::Comparison => mixed_sorts(first, other),
            VerdictSort::Score => mixed_sorts(other, first),
        }
    }
}

fn mixed_sorts(
    (comparisons, comparisons_kind): (Place, JudgmentFormat),
    (scores, scores_kind): (Place, JudgmentFormat),
) -> Error {
    Error::Mixed {
        comparisons,
        comparisons_kind,
        scores,
        scores_kind,
    }
}

// The last number stays free in both cases: where names do not fit, `unwrap_or` makes it of them.
fn too_many_systems(place: &Place) -> Error {
    Error::TooManySystems {
        place: place.clone(),
        limit: u64::from(u16::MAX),
    }
}

fn too_many_items(place: &Place) -> Error {
    Error::TooManyItems {
        place: place.clone(),
        limit: u64::from(u32::MAX),
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
