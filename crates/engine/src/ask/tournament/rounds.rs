//! The rounds of a tournament: chosen by how the systems stand, played on the deciding items, and
//! at last all pairs that met on the other items.

use super::found::{MeetingRow, TournamentReport};
use super::split::TournamentItems;
use crate::ask::chosen::{Chooser, share_of_lower};
use crate::{EngineError, Job};
use evenhand_core::{Judgment, Trial};
use evenhand_stats::Error;
use evenhand_stats::tournament::Meeting;
use std::collections::VecDeque;

/// The state of a tournament.
pub(super) struct Rounds<'a> {
    items: &'a TournamentItems,
    past: Vec<Meeting>,
    /// The pairs of the round under way, the lower number first, each with the sum of its shares
    /// and how many there are.
    round: Vec<([usize; 2], f64, usize)>,
    /// Trials that are not handed out yet.
    ready: VecDeque<Trial>,
    /// Trials of the round whose judgments are awaited.
    awaited: usize,
    /// Whether who meets whom is decided.
    is_decided: bool,
    /// The index of the next trial.
    next: u64,
    failed: u64,
    error: Option<Error>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(items: &'a TournamentItems) -> Rounds<'a> {
        Rounds {
            items,
            past: Vec::new(),
            round: Vec::new(),
            ready: VecDeque::new(),
            awaited: 0,
            is_decided: false,
            next: 0,
            failed: 0,
            error: None,
        }
    }

    /// Plans the next round; after the last, all pairs that met on the other items.
    fn choose(&mut self, job: &Job) {
        let TournamentItems {
            tournament,
            deciding,
            ranking,
            ..
        } = self.items;
        let systems = job.dataset.systems.len();
        match tournament.next_round(systems, job.seed, &self.past) {
            Err(error) => self.error = Some(error),
            Ok(pairs) if pairs.is_empty() => {
                self.is_decided = true;
                let mut pairs: Vec<[usize; 2]> = self.past.iter().map(|one| one.pair).collect();
                pairs.sort_unstable();
                self.plan_trials(job, ranking, &pairs);
            }
            Ok(pairs) => {
                let sorted = pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]);
                let pairs: Vec<[usize; 2]> = sorted.collect();
                self.plan_trials(job, deciding, &pairs);
                self.awaited = self.ready.len();
                self.round = pairs.into_iter().map(|pair| (pair, 0.0, 0)).collect();
            }
        }
    }

    /// Plans the trials of these pairs, item by item.
    fn plan_trials(&mut self, job: &Job, items: &[u32], pairs: &[[usize; 2]]) {
        for &item in items {
            let orders = pairs.iter().flat_map(|pair| {
                let pair = pair.map(|system| system as u32);
                job.plan.orders_of_group(item as usize, &pair)
            });
            for systems in orders {
                self.ready.push_back(Trial {
                    index: self.next,
                    item,
                    systems,
                    replicate: 0,
                });
                self.next += 1;
            }
        }
    }

    /// Counts a share of the system with the lower number in a trial of the round; the last of the
    /// round ends it.
    fn take_share(&mut self, systems: &[u32], share: f64) {
        let (low, high) = match *systems {
            [a, b] => (a.min(b) as usize, a.max(b) as usize),
            _ => return,
        };
        let mut round = self.round.iter_mut();
        if let Some((_, sum, count)) = round.find(|(pair, ..)| *pair == [low, high]) {
            *sum += share;
            *count += 1;
        }
        self.awaited -= 1;
        if self.awaited > 0 {
            return;
        }
        let number = self.past.last().map_or(0, |meeting| meeting.round + 1);
        for (pair, sum, count) in std::mem::take(&mut self.round) {
            self.past.push(Meeting {
                round: number,
                pair,
                share: (sum / count.max(1) as f64).clamp(0.0, 1.0),
                items: self.items.deciding.len(),
            });
        }
    }

    /// Plays a tournament in which every verdict is even, and returns its trials.
    pub(super) fn play_even(mut self, job: &Job) -> Result<Vec<Trial>, EngineError> {
        let mut trials = Vec::new();
        while let Some(trial) = self.next_trial(job) {
            if !self.is_decided {
                self.take_share(&trial.systems, 0.5);
            }
            trials.push(trial);
        }
        match self.error {
            Some(error) => Err(error.into()),
            None => Ok(trials),
        }
    }

    /// Returns who met whom.
    ///
    /// # Errors
    /// What the tournament refused while the run went on.
    pub(super) fn report(self, job: &Job) -> Result<TournamentReport, EngineError> {
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let systems = &job.dataset.systems;
        let name = |system: usize| {
            let name = systems.get(system);
            name.map(|name| name.to_string()).unwrap_or_default()
        };
        let rows = self.past.iter().map(|meeting| MeetingRow {
            round: meeting.round + 1,
            a: name(meeting.pair[0]),
            b: name(meeting.pair[1]),
            share: meeting.share,
        });
        let items = self.items.deciding.len() + self.items.ranking.len();
        let all_pairs = systems.len() * systems.len().saturating_sub(1) / 2;
        Ok(TournamentReport {
            design: job.design.to_string(),
            deciding_items: self.items.deciding.len(),
            ranking_items: self.items.ranking.len(),
            left_out: self.items.left_out,
            judged: (self.past.len() * items) as u64,
            of: (all_pairs * items) as u64,
            failed: self.failed,
            meetings: rows.collect(),
        })
    }
}

impl Chooser for Rounds<'_> {
    fn next_trial(&mut self, job: &Job) -> Option<Trial> {
        let is_idle = self.ready.is_empty() && self.awaited == 0;
        if is_idle && !self.is_decided && self.error.is_none() {
            self.choose(job);
        }
        self.ready.pop_front()
    }

    fn take_judgment(&mut self, judgment: &Judgment) {
        if self.is_decided {
            return;
        }
        let share = share_of_lower(judgment);
        self.failed += u64::from(share.is_none());
        // What has no verdict says nothing for either.
        self.take_share(&judgment.trial.systems, share.unwrap_or(0.5));
    }
}
