//! From one judge to another: what moves in a run whose judge retires.
//!
//! [`OldRun`] is what the old judge said of all items. The new judge is asked item by item, in an
//! order drawn from the seed and in batches that grow, until it is certain of every pair of systems
//! that the old judge tells apart whether it keeps its order, or until a limit ends it. A list of
//! several responses is asked once and says something of each two of them; bounds are over items.
//! [`evenhand_stats::migration`] has the tests; they hold whenever one stops.
//! docs/design/migrate.md.

mod agreement;
mod old;
mod population;
mod report;
#[cfg(test)]
mod tests;

pub use old::OldRun;
pub use report::{
    AgreementMoved, Consistency, ConsistencyMoved, MigratedPair, MigrationEnd, MigrationReport,
    MigrationUnit, PairFate, RankingFate,
};

use evenhand_core::Trial;
use evenhand_engine::{EngineError, Finished, Job, Limits, Passing, Session, Sink};
use evenhand_formats::judgments::games::PairLabel;
use evenhand_models::Model;
use evenhand_stats::migration::Migration;
use evenhand_store::Store;
use population::{Answers, Population};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Items of the first batch, and the least of any.
const LEAST_BATCH: usize = 8;
/// A batch has this share of the items that were asked before it.
const GROWTH: usize = 5;

/// Judgments without any verdict after which no more is asked.
const HOPELESS: u64 = 20;

/// How a migration is made.
#[derive(Clone, Debug)]
pub struct MigrationOptions {
    /// 1 less the chance, at most, of each kind of false claim; strictly between 0 and 1.
    pub confidence: f64,
    /// The seed of the order in which items are asked.
    pub seed: u64,
    /// What may be taken at most.
    pub limits: Limits,
    /// Whether everything is asked, whatever is certain before.
    pub all: bool,
    /// Labels of people beside those of the data.
    pub labels: Vec<PairLabel>,
}

/// Asks the new judge, whose job this is, as much as it takes, and returns what moves.
///
/// What the store has is not asked again: the same migration goes on where it was.
///
/// # Errors
/// A form that cannot be migrated, and as of [`Session::run`]; a limit is no error.
// Long: one loop, of whose state each step takes what the step before it left.
pub fn migrate(
    job: &Job,
    old: &OldRun,
    options: &MigrationOptions,
    model: &mut dyn Model,
    store: &mut Store,
    (sink, stop): (&mut dyn Sink, &AtomicBool),
) -> Result<(Finished, MigrationReport), EngineError> {
    let started = Instant::now();
    let level = options.confidence;
    let population = Population::new(job, old.said(&job.dataset), options.seed, level)?;
    let people = agreement::People::new(job, &population, &options.labels);
    let mut pairs = population.old_pairs();
    pairs.extend(people.old_pair());
    let mut migration = Migration::new(1.0 - level, pairs).map_err(as_refusal)?;
    let mut answers = Answers::default();
    let mut finished = None;
    let (mut asked, mut ended) = (0, MigrationEnd::Decided);
    loop {
        let size = (asked / GROWTH).max(LEAST_BATCH);
        let trials: Vec<Trial> = match options.all {
            true if asked == 0 => job.plan.trials().collect(),
            true => Vec::new(),
            false => population.next_trials(&migration, size, &answers),
        };
        // A session of nothing says where the run is.
        if trials.is_empty() && finished.is_some() {
            break;
        }
        asked += size;
        let limits = Limits {
            since: options.limits.since.or(Some(started)),
            ..options.limits.clone()
        };
        let mut watch = Passing::new(sink, |judgment, _, _| answers.add(judgment));
        let ran = Session::new(model, store, &mut watch)
            .with_limits(limits)
            .with_stop(stop)
            .run_part(job, trials);
        let is_over = match ran {
            Ok(found) => {
                finished = Some(found);
                false
            }
            Err(EngineError::Limit { limit, .. }) => {
                ended = MigrationEnd::Limit { limit };
                true
            }
            Err(error) => return Err(error),
        };
        population
            .observe(&mut migration, &answers)
            .map_err(as_refusal)?;
        people
            .observe(&mut migration, &population, &answers)
            .map_err(as_refusal)?;
        // A judge that is asked so often without a verdict gives none; its run says why.
        let is_dead = answers.verdicts == 0 && answers.asked() >= HOPELESS;
        if is_dead && !options.all && !options.limits.keep_going && model.is_live() {
            ended = MigrationEnd::NoVerdict;
            break;
        }
        if is_over {
            // What the run holds is said by a session of nothing, which no limit ends.
            let none = Session::new(model, store, sink).run_part(job, Vec::new())?;
            finished = Some(none);
            break;
        }
    }
    let Some(finished) = finished else {
        return Err(EngineError::Refused(evenhand_core::Refusal::of_input(
            "the migration made no session; this is a fault of the program",
        )));
    };
    let report = report::report(
        report::Inputs {
            job,
            old,
            population: &population,
            people: &people,
            answers: &answers,
            confidence: level,
        },
        &migration,
        ended,
    )?;
    Ok((finished, report))
}

fn as_refusal(error: evenhand_stats::migration::MigrationError) -> EngineError {
    EngineError::Refused(evenhand_core::Refusal::of_input(error.to_string()))
}
