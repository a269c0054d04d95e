//! Takes the judgments of live judges as they come: as they were read, and with random verdicts in
//! the place of failures where that was asked for.

use super::asks::Ask;
use super::cell::Verdicts;
use super::random::RandomReader;
use crate::judge::{JudgedPairs, LiveGames};
use evenhand_core::{Item, Judgment, RequestKey, Response};
use evenhand_engine::{EngineError, Job, Progress, Sink};
use evenhand_ranking::{Collected, StepWeights, by_question};
use evenhand_stats::{Comparisons, ItemScores};
use std::collections::HashSet;

/// Is told how a study goes on.
pub trait Watch {
    /// A cell begins, with so many trials.
    fn begin(&mut self, cell: &str, trials: u64);
    /// It goes on.
    fn progress(&mut self, progress: Progress);
    /// What the user must know.
    fn note(&mut self, note: &str);
    /// The cell is done.
    fn end(&mut self);
}

/// Shows judgments to `see`, and how the session goes on to those who watch.
pub(crate) struct Watched<'a, F> {
    watch: &'a mut dyn Watch,
    see: F,
}

impl<'a, F: FnMut(Judgment, &Item, &[Response])> Watched<'a, F> {
    pub(crate) fn new(watch: &'a mut dyn Watch, see: F) -> Watched<'a, F> {
        Watched { watch, see }
    }
}

impl<F: FnMut(Judgment, &Item, &[Response])> Sink for Watched<'_, F> {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        (self.see)(judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.watch.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.watch.note(note);
    }
}

/// The verdicts of a cell, as one reading of the replies has them.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) collected: Collected,
    /// Games of labelled pairs, in place of what is collected.
    games: Option<LiveGames>,
}

impl Reading {
    pub(super) fn new(strength: Option<StepWeights>) -> Reading {
        let mut reading = Reading::default();
        reading.collected.strength = strength;
        reading
    }

    pub(super) fn of_pairs(job: &Job) -> Result<Reading, EngineError> {
        Ok(Reading {
            games: Some(LiveGames::new(job)?),
            ..Reading::default()
        })
    }

    fn add(&mut self, judgment: &Judgment, responses: &[Response]) {
        match &mut self.games {
            Some(games) => games.add(judgment),
            None => self.collected.add(judgment, responses),
        }
    }

    pub(super) fn finish_games(self, ask: &Ask<'_>) -> JudgedPairs {
        JudgedPairs {
            judge: ask.judge.to_string(),
            protocol: ask.kind.to_string(),
            prompts: ask.pack.map(|pack| pack.name.clone()),
            ..self.games.map(LiveGames::finish).unwrap_or_default()
        }
    }
}

/// The tolerant reading.
pub(super) struct RandomReading {
    pub(super) reader: RandomReader,
    pub(super) reading: Reading,
}

/// Takes the judgments of a cell.
pub(super) struct Gather<'a> {
    pub(super) reading: Reading,
    pub(super) random: Option<RandomReading>,
    pub(super) calls: HashSet<RequestKey>,
    pub(super) watch: &'a mut dyn Watch,
}

impl<'a> Gather<'a> {
    pub(super) fn new(watch: &'a mut dyn Watch, reading: Reading) -> Gather<'a> {
        Gather {
            reading,
            random: None,
            calls: HashSet::new(),
            watch,
        }
    }
}

impl Sink for Gather<'_> {
    fn judgment(&mut self, judgment: Judgment, _: &Item, responses: &[Response]) {
        self.calls.extend(judgment.calls.iter().copied());
        self.reading.add(&judgment, responses);
        if let Some(random) = &mut self.random {
            let read = random.reader.read(&judgment);
            random.reading.add(&read, responses);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.watch.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.watch.note(note);
    }
}

/// Returns the verdicts that were collected, as statistics need them.
pub(super) fn verdicts_of(job: &Job, collected: Collected) -> Result<Verdicts, EngineError> {
    let systems = job.dataset.systems.len();
    Ok(if job.compares() {
        let whole = collected.in_whole_pairs();
        let rows = by_question(whole.comparisons.rows().collect(), &job.clusters);
        Verdicts::Pairs(Comparisons::new(systems, rows)?)
    } else {
        let question_of = |item| job.clusters.of(item);
        let scores = ItemScores::clustered(systems, collected.scores, question_of)?;
        Verdicts::of_scores(scores)?
    })
}
