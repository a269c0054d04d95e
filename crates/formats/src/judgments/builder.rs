//! Gathers verdicts and scores: numbers for names, and one sort of judgments only. Each format adds
//! the methods that read its records.

use super::judgment_row::JudgmentRow;
use super::verdicts::{RecordedComparison, RecordedJudgments, RecordedScore};
use super::{JudgmentFormat, Options, UNPARSED};
use crate::error::{DataError, DataProblem, Place, Result};
use crate::outcomes::BattleOutcome;
use evenhand_core::Side;
use std::collections::{HashMap, HashSet};

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

    /// Returns a verdict for one side.
    pub(super) fn won_by(self, side: Side) -> RecordedComparison {
        self.ended_with(match side {
            Side::First => BattleOutcome::A,
            Side::Tie => BattleOutcome::Tie,
            Side::Second => BattleOutcome::B,
        })
    }

    /// Returns a verdict with this outcome.
    pub(super) fn ended_with(self, outcome: BattleOutcome) -> RecordedComparison {
        let mut verdict = self.weighted([0.0; 3]);
        let weight = match outcome {
            BattleOutcome::A => &mut verdict.wins_a,
            BattleOutcome::Tie => &mut verdict.ties,
            BattleOutcome::BothBad => &mut verdict.both_bad,
            BattleOutcome::B => &mut verdict.wins_b,
        };
        *weight = 1.0;
        verdict
    }

    /// Returns a verdict with the weights of "a is better", a tie and "b is better".
    pub(super) fn weighted(self, [wins_a, ties, wins_b]: [f64; 3]) -> RecordedComparison {
        RecordedComparison {
            item: self.item,
            a: self.a,
            b: self.b,
            wins_a,
            ties,
            both_bad: 0.0,
            wins_b,
            in_order: false,
            strength: None,
            length_a: None,
            length_b: None,
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

/// The judgments so far.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) recorded: RecordedJudgments,
    systems: HashMap<String, u16>,
    items: HashMap<String, u32>,
    judges: HashMap<String, u32>,
    /// The question of the record that is read, where it names one.
    pub(super) question: Option<String>,
    /// Where the first record stands, and what its file is.
    first: Option<(Place, JudgmentFormat)>,
    /// Places of people's votes among the comparisons, and whether each decides between others.
    votes: Vec<(usize, bool)>,
}

impl Builder {
    /// Refuses a record of another sort than the first one's: a score among comparisons, or a
    /// comparison among scores.
    pub(super) fn expect_sort(
        &mut self,
        is_score: bool,
        place: &Place,
        kind: JudgmentFormat,
    ) -> Result {
        let Some((first, first_kind)) = &self.first else {
            self.recorded.are_scores = is_score;
            self.first = Some((place.clone(), kind));
            return Ok(());
        };
        if self.recorded.are_scores == is_score {
            return Ok(());
        }
        let (first, other) = ((first, *first_kind), (place, kind));
        let (comparison, score) = if is_score {
            (first, other)
        } else {
            (other, first)
        };
        Err(DataError::new(DataProblem::Mixed {
            comparisons: comparison.0.clone(),
            comparisons_kind: comparison.1.what(),
            scores: score.0.clone(),
            scores_kind: score.1.what(),
        }))
    }

    /// Returns the number of a system, which may be new.
    pub(super) fn number_system(&mut self, name: String, place: &Place) -> Result<u16> {
        if let Some(&number) = self.systems.get(&name) {
            return Ok(number);
        }
        // The last number stays free: where names do not fit, `unwrap_or` makes it of them.
        let number = u16::try_from(self.systems.len()).unwrap_or(u16::MAX);
        if number == u16::MAX {
            let (what, limit) = ("system", u64::from(u16::MAX));
            return Err(DataProblem::OneTooMany { what, limit }.at(place));
        }
        self.recorded.systems.push(name.clone());
        self.systems.insert(name, number);
        Ok(number)
    }

    /// Returns the number of an item, which may be new.
    pub(super) fn number_item(&mut self, name: String, place: &Place) -> Result<u32> {
        let question = self.question.clone();
        let question = question.filter(|question| *question != name);
        if let Some(&number) = self.items.get(&name) {
            // Another file may know the question of an item that the first one only names.
            if let Some(known) = self.recorded.questions.get_mut(number as usize)
                && known.is_none()
            {
                *known = question;
            }
            return Ok(number);
        }
        let number = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if number == u32::MAX {
            let (what, limit) = ("item", u64::from(u32::MAX));
            return Err(DataProblem::OneTooMany { what, limit }.at(place));
        }
        self.recorded.items.push(name.clone());
        self.recorded.questions.push(question);
        self.items.insert(name, number);
        Ok(number)
    }

    /// Keeps the name of a judge or annotator, where there is one.
    pub(super) fn add_judge(&mut self, name: Option<String>) {
        self.add_judge_of(&[], name);
    }

    /// Keeps the name of a judge that is a model, where there is one, and which systems it judged.
    pub(super) fn add_judge_of(&mut self, systems: &[u16], name: Option<String>) {
        let Some(name) = name else {
            return;
        };
        let next = u32::try_from(self.judges.len()).unwrap_or(u32::MAX);
        let judge = *self.judges.entry(name.clone()).or_insert_with(|| {
            self.recorded.judges.push(name);
            next
        });
        let judges_of = &mut self.recorded.judges_of;
        for &system in systems {
            let at = usize::from(system);
            judges_of.resize_with(judges_of.len().max(at + 1), Default::default);
            judges_of.get_mut(at).map(|judges| judges.insert(judge));
        }
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

    /// Keeps a person's vote, which may decide between others on its pair.
    pub(super) fn add_vote(&mut self, vote: RecordedComparison, decides: bool) {
        let before = self.recorded.comparisons.len();
        self.add_comparison(vote);
        if self.recorded.comparisons.len() > before {
            self.votes.push((before, decides));
        }
    }

    /// Leaves out the votes on pairs on which another vote decides.
    pub(super) fn settle_votes(&mut self) {
        let pair_of =
            |vote: &RecordedComparison| (vote.item, vote.a.min(vote.b), vote.a.max(vote.b));
        let all = &mut self.recorded.comparisons;
        let decide = self.votes.iter().filter(|(_, decides)| *decides);
        let decided: HashSet<_> = decide.map(|(at, _)| pair_of(&all[*at])).collect();
        let others = self.votes.iter().filter(|(_, decides)| !*decides);
        let replaced = others.filter(|(at, _)| decided.contains(&pair_of(&all[*at])));
        let replaced: HashSet<usize> = replaced.map(|(at, _)| *at).collect();
        if !replaced.is_empty() {
            let mut places = 0..;
            all.retain(|_| places.next().is_none_or(|at| !replaced.contains(&at)));
        }
    }

    /// Keeps a verdict for one side of a pair, which is `in_order` where it is known to have been
    /// shown in this order, or counts a reply without a verdict.
    pub(super) fn add_side(&mut self, pair: JudgedPair, side: Option<Side>, in_order: bool) {
        match side {
            Some(side) => self.add_comparison(RecordedComparison {
                in_order,
                ..pair.won_by(side)
            }),
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

/// One record, and where its judgments go.
pub(super) struct RecordReader<'r> {
    pub(super) row: JudgmentRow<'r>,
    /// From 0, in its file.
    pub(super) position: u64,
    pub(super) options: &'r Options,
    pub(super) builder: &'r mut Builder,
}

impl RecordReader<'_> {
    pub(super) fn number_pair(&mut self, item: String, [a, b]: [String; 2]) -> Result<JudgedPair> {
        let place = self.row.place;
        Ok(JudgedPair {
            item: self.builder.number_item(item, place)?,
            a: self.builder.number_system(a, place)?,
            b: self.builder.number_system(b, place)?,
        })
    }

    /// Numbers an item and the systems that these fields name.
    pub(super) fn number_pair_in(&mut self, item: String, fields: [&str; 2]) -> Result<JudgedPair> {
        let systems = self.row.required_names(fields)?;
        self.number_pair(item, systems)
    }

    /// Numbers an item and the system that this field names.
    pub(super) fn number_response_in(
        &mut self,
        item: String,
        field: &str,
    ) -> Result<JudgedResponse> {
        // The item comes first, so that one of too many is named before the system is looked at.
        let item = self.builder.number_item(item, self.row.place)?;
        let system = self.row.required_name(field)?;
        let system = self.builder.number_system(system, self.row.place)?;
        Ok(JudgedResponse { item, system })
    }

    /// Keeps the name of the judge in this field, where it has one, as that of these systems.
    pub(super) fn add_judge_in(&mut self, systems: &[u16], field: &str) -> Result {
        let judge = self.row.optional_name(field)?;
        self.builder.add_judge_of(systems, judge);
        Ok(())
    }
}

impl JudgmentRow<'_> {
    /// Returns the error for a record whose systems are not named.
    pub(super) fn unnamed_systems(&self, kind: JudgmentFormat) -> DataError {
        let kind = kind.what();
        DataProblem::NoSystems { kind }.at(self.place)
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
