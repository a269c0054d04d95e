//! The items of a tournament: those on which it is played, and those on which it is ranked.

use crate::plan::groups::{random_stream, shuffle};
use crate::{Design, Job};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::tournament::{DECIDING_SHARE, Tournament};
use std::collections::{BTreeMap, BTreeSet};

/// The items of a tournament: those that all systems have answered.
#[derive(Clone, Debug)]
pub struct TournamentItems {
    pub(super) tournament: Tournament,
    /// Items that decide who meets whom, in ascending order.
    pub(super) deciding: Vec<u32>,
    /// Items that the ranking rests on, in ascending order.
    pub(super) ranking: Vec<u32>,
    /// Items that some system has not answered.
    pub(super) left_out: usize,
}

/// The stream of random numbers that splits the items, beside those of items and pairs.
const SPLIT: u64 = u64::MAX;

impl TournamentItems {
    /// Splits the items of a job, by the questions that they ask; None where its design is no
    /// tournament.
    ///
    /// # Errors
    /// A number of rounds that does not fit the systems; fewer than two questions that all systems
    /// have answered.
    pub fn of_job(job: &Job) -> Result<Option<TournamentItems>, Refusal> {
        let Design::Tournament(tournament) = job.design else {
            return Ok(None);
        };
        let systems = job.dataset.systems.len();
        if tournament.check(systems).is_err() {
            let range = Tournament::swiss_rounds(systems.max(2));
            let (least, most) = (range.start(), range.end());
            let why = format!(
                "{systems} systems need {least} to {most} rounds: fewer do not link all of them, \
                 and more have no opponents left"
            );
            let refusal = Refusal::new(Setting::Design, Cause::Data, why);
            return Err(refusal.with_value(&job.design));
        }
        let mut questions: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut left_out = 0;
        for item in 0..job.dataset.items.len() as u32 {
            let has_response = |system: usize| job.dataset.has_response(item as usize, system);
            if (0..systems).all(has_response) {
                questions
                    .entry(job.clusters.of(item))
                    .or_default()
                    .push(item);
            } else {
                left_out += 1;
            }
        }
        if questions.len() < 2 {
            let why = format!(
                "it is played on some questions and ranked on others, and all systems have \
                 answered {} of them; expected at least 2",
                questions.len()
            );
            let refusal = Refusal::new(Setting::Design, Cause::Data, why);
            return Err(refusal.with_value(&job.design));
        }
        let mut order: Vec<u32> = questions.keys().copied().collect();
        shuffle(&mut order, &mut random_stream(job.seed, SPLIT));
        let count = (DECIDING_SHARE * order.len() as f64).floor().max(1.0) as usize;
        let deciding: BTreeSet<u32> = order.into_iter().take(count).collect();
        let items_where = |decides: bool| {
            let wanted = questions
                .iter()
                .filter(|(one, _)| deciding.contains(one) == decides);
            let mut items: Vec<u32> = wanted
                .flat_map(|(_, items)| items.iter().copied())
                .collect();
            items.sort_unstable();
            items
        };
        Ok(Some(TournamentItems {
            tournament,
            deciding: items_where(true),
            ranking: items_where(false),
            left_out,
        }))
    }

    /// Whether an item decides who meets whom: the ranking must not rest on it.
    pub fn decides(&self, item: u32) -> bool {
        self.deciding.binary_search(&item).is_ok()
    }

    /// Returns how many items the ranking rests on.
    pub fn ranked(&self) -> usize {
        self.ranking.len()
    }

    /// Returns how many trials there are at most.
    pub fn most_trials(&self, job: &Job) -> u64 {
        let meetings = self.tournament.most_meetings(job.dataset.systems.len());
        let orders = job.plan.orders_of_group(0, &[0, 1]).len();
        (meetings * orders * (self.deciding.len() + self.ranking.len())) as u64
    }
}
