//! What was given: tables that are rankings already, and judgments that become one here.

use super::contest::Over;
use super::judged::{Aggregate, JudgedOptions, leaderboard_options};
use super::standing::Standings;
use super::table::Table;
use super::table_record::{Columns, Purpose};
use super::universe::{Universe, universes};
use super::{BencherOptions, BencherSource, Items};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::files::label_files;
use evenhand_engine::{Coverage, EngineError, check_conditions, conditions_of};
use evenhand_ranking::{Aggregation, Sample, SampleRanking, Votes};
use evenhand_stats::{Bootstrap, Resampled};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// What benchers are held against.
#[derive(Clone, Debug)]
pub enum Reference {
    /// A table of ratings (setting 1).
    Ratings {
        /// The file.
        path: PathBuf,
        /// Its columns.
        columns: Columns,
    },
    /// People's judgments, aggregated as the bencher's are (setting 3).
    Labels {
        /// The files.
        paths: Vec<PathBuf>,
        /// What several labels of the same pair count.
        votes: Votes,
    },
}

impl Reference {
    fn files(&self) -> Result<Vec<PathBuf>, EngineError> {
        match self {
            Reference::Ratings { path, .. } => Ok(vec![path.clone()]),
            Reference::Labels { paths, .. } => label_files(paths),
        }
    }
}

/// One bencher before it is ranked.
pub(super) struct Bencher {
    pub(super) name: String,
    kind: BencherKind,
}

enum BencherKind {
    Table(Standings, Over),
    /// A sample of judgments, by its number, and how it is aggregated.
    Judged(usize, Option<Aggregation>),
}

/// A bencher and the reference, ranked.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) bencher: Standings,
    pub(super) reference: Standings,
    pub(super) over: Over,
    pub(super) aggregation: Option<&'static str>,
    /// Benchers of the same group were resampled together.
    pub(super) group: Option<usize>,
    pub(super) coverage: Option<Coverage>,
    pub(super) items: Option<Items>,
    pub(super) notes: Vec<String>,
}

/// Everything that was read.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) benchers: Vec<Bencher>,
    samples: Vec<Sample>,
    universes: Vec<Universe>,
    /// What benchers are held against, where there are no labels.
    ratings: Standings,
    labels: Option<Sample>,
}

impl Inputs {
    pub(super) fn read(options: &BencherOptions) -> Result<Inputs, EngineError> {
        let rankings = options.rankings.iter();
        let mut files: Vec<PathBuf> = rankings.flat_map(|source| source.files.clone()).collect();
        files.extend(options.reference.files()?);
        check_conditions(&options.judged.filter, &files)?;

        let mut inputs = Inputs::default();
        for source in &options.rankings {
            let tables = score_tables(source, options)?;
            if tables.is_empty() {
                inputs.add_judged(source, &options.judged)?;
            }
            let several = tables.len() > 1;
            for (column, table) in tables {
                let name = bencher_name(source, several.then_some(column));
                let table = table.only_systems(options.judged.systems.as_deref());
                let (standings, over) = standings_of(table, &name, &options.plan)?;
                let kind = BencherKind::Table(standings, over);
                inputs.benchers.push(Bencher { name, kind });
            }
        }
        match &options.reference {
            Reference::Ratings { path, columns } => {
                inputs.ratings = read_ratings(path, columns, options)?;
            }
            Reference::Labels { votes, .. } => {
                let paths = &options.reference.files()?;
                let judged = JudgedOptions {
                    filter: conditions_of(&options.judged.filter, paths),
                    outcomes: options.judged.outcomes.clone(),
                    ..JudgedOptions::default()
                };
                let read = leaderboard_options(paths, &judged, false);
                inputs.labels = Some(Sample::read(&read, *votes)?);
            }
        }
        inputs.universes = universes(&inputs.samples, inputs.labels.as_ref());
        Ok(inputs)
    }

    /// Adds a bencher for each aggregation of a source's judgments.
    fn add_judged(
        &mut self,
        source: &BencherSource,
        judged: &JudgedOptions,
    ) -> Result<(), EngineError> {
        let judged = JudgedOptions {
            filter: conditions_of(&judged.filter, &source.files),
            ..judged.clone()
        };
        let chosen: Vec<Option<Aggregate>> = match &judged.aggregates[..] {
            [] => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        // Judgments are read once, and once more where length control is asked for, which reads
        // them in another way.
        let mut read: [Option<usize>; 2] = [None, None];
        for aggregate in &chosen {
            let length_control = *aggregate == Some(Aggregate::LengthControl);
            let read = &mut read[usize::from(length_control)];
            if read.is_none() {
                let options = leaderboard_options(&source.files, &judged, length_control);
                self.samples.push(Sample::read(&options, Votes::Each)?);
            }
            let sample = *read.get_or_insert(self.samples.len() - 1);
            let aggregation = aggregate.and_then(Aggregate::aggregation);
            let part = (chosen.len() > 1).then(|| {
                self.samples[sample].aggregation(&SampleRanking {
                    aggregation,
                    ..SampleRanking::default()
                })
            });
            self.benchers.push(Bencher {
                name: bencher_name(source, part),
                kind: BencherKind::Judged(sample, aggregation),
            });
        }
        Ok(())
    }

    /// Ranks a bencher and its reference.
    pub(super) fn sides(
        &self,
        bencher: &Bencher,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        let plan = &options.plan;
        let (sample, aggregation) = match &bencher.kind {
            BencherKind::Judged(sample, aggregation) => (*sample, *aggregation),
            BencherKind::Table(standings, over) => {
                let reference = match &self.labels {
                    Some(labels) => {
                        let how = SampleRanking::default();
                        let ranked = labels.rank(&how, &labels.items, plan)?;
                        // Rounds of a table are not of the labels' items.
                        Standings::of_resampled(&labels.systems, &ranked, None).without_rounds()
                    }
                    None => self.ratings.clone(),
                };
                return Ok(Sides {
                    bencher: standings.clone(),
                    reference,
                    over: *over,
                    ..Sides::default()
                });
            }
        };
        let universe = &self.universes[sample];
        let sample = &self.samples[sample];
        let how = SampleRanking {
            aggregation,
            prior: options.judged.prior,
            equal: options.judged.equal,
        };
        let mut notes: Vec<String> = sample.warnings.iter().map(ToString::to_string).collect();
        let reference = match &self.labels {
            Some(labels) => {
                let ranked = rank_labels(labels, (sample, &how), universe, plan, &mut notes)?;
                let (how, ranked) = ranked;
                let compared = labels.compare(&how, &ranked, &self.joint_plan(plan));
                Standings::of_resampled(&labels.systems, &ranked, compared)
            }
            None => self.ratings.clone(),
        };
        let ranked = sample.rank(&how, &universe.items, plan)?;
        let compared = sample.compare(&how, &ranked, &self.joint_plan(plan));
        // Judgments need not name items.
        let has_items = !sample.items.is_empty();
        let own: HashSet<&String> = sample.items.iter().collect();
        let is_both = |id: &&String| own.contains(id);
        Ok(Sides {
            bencher: Standings::of_resampled(&sample.systems, &ranked, compared),
            reference,
            over: match sample.by_item {
                true => Over::Items,
                false => Over::Comparisons,
            },
            aggregation: Some(sample.aggregation(&how)),
            group: has_items.then_some(universe.group),
            coverage: Some(sample.coverage.clone()),
            items: has_items.then(|| Items {
                judged: own.len(),
                labelled: self.labels.as_ref().map(|labels| labels.items.len()),
                both: self
                    .labels
                    .as_ref()
                    .map(|labels| labels.items.iter().filter(is_both).count()),
            }),
            notes,
        })
    }
}

impl Inputs {
    /// Returns the plan of a joint test of either side: with labels each errs in at most half of
    /// what the level leaves, and together they hold at the level.
    fn joint_plan(&self, plan: &Bootstrap) -> Bootstrap {
        let level = match self.labels {
            Some(_) => f64::midpoint(1.0, plan.level),
            None => plan.level,
        };
        Bootstrap { level, ..*plan }
    }
}

/// What makes the draws of one side independent of those of the other.
const OTHER_SEED: u64 = 0x6c61_6265_6c73;

const RESAMPLED_APART: &str = "the judgments or the labels name no items, so the two sides were \
                               resampled each on its own";

/// Ranks the labels as the judge's verdicts are, on the same resamples; on their own where there
/// are no items to go by. Returns how, and the ranking.
fn rank_labels(
    labels: &Sample,
    (sample, how): (&Sample, &SampleRanking),
    universe: &Universe,
    plan: &Bootstrap,
    notes: &mut Vec<String>,
) -> Result<(SampleRanking, Resampled), EngineError> {
    // As the verdicts, unless that needs scores that the labels lack.
    let has_scores = labels.has_scores();
    let can_rank = |by: &Aggregation| has_scores || !by.needs_scores();
    let labels_how = SampleRanking {
        aggregation: how.aggregation.filter(can_rank),
        ..*how
    };
    let aggregation = labels.aggregation(&labels_how);
    if aggregation != sample.aggregation(how) {
        notes.push(format!(
            "the labels are aggregated by {aggregation} because they are of another sort"
        ));
    }
    let ranked = if sample.items.is_empty() || labels.items.is_empty() {
        notes.push(RESAMPLED_APART.into());
        let other_plan = Bootstrap {
            seed: plan.seed ^ OTHER_SEED,
            ..*plan
        };
        labels.rank(&labels_how, &labels.items, &other_plan)?
    } else {
        labels.rank(&labels_how, &universe.items, plan)?
    };
    Ok((labels_how, ranked))
}

/// Returns a bencher's name: its source's, and which part of it where there are several.
fn bencher_name(source: &BencherSource, part: Option<impl Display>) -> String {
    match part {
        Some(part) => format!("{}/{part}", source.name),
        None => source.name.clone(),
    }
}

/// Reads the tables that all files of a source are, each with the name of its score column, empty
/// where none was asked for; none where they hold judgments.
fn score_tables(
    source: &BencherSource,
    options: &BencherOptions,
) -> Result<Vec<(String, Table)>, EngineError> {
    // A format that was named is one of judgments.
    if options.judged.format.is_some() {
        return Ok(Vec::new());
    }
    let mut tables = Vec::new();
    for column in &options.score_columns {
        let table = whole_table(source, options, Some(column))?;
        tables.extend(table.map(|table| (column.clone(), table)));
    }
    if !tables.is_empty() {
        return Ok(tables);
    }
    match whole_table(source, options, None)? {
        Some(table) if options.score_columns.is_empty() => Ok(vec![(String::new(), table)]),
        // A table that has none of the columns that were asked for; anything else may be judgments.
        Some(_) => {
            let reason = format!(
                "the table of {} has none of the columns {}",
                source.name,
                options.score_columns.join(", ")
            );
            Err(Refusal::new(Setting::ScoreColumn, Cause::Data, reason).into())
        }
        None => Ok(Vec::new()),
    }
}

/// Reads all files of a source as one table; None where one is no table.
fn whole_table(
    source: &BencherSource,
    options: &BencherOptions,
    score: Option<&String>,
) -> Result<Option<Table>, EngineError> {
    let columns = Columns {
        system: options.system_column.clone(),
        score: score.cloned(),
        filter: options.judged.filter.clone(),
    };
    let mut whole: Option<Table> = None;
    for file in &source.files {
        let Some(table) = Table::read(file, &columns, Purpose::Ranking)? else {
            return Ok(None);
        };
        whole = Some(match whole {
            None => table,
            Some(before) => before.joined_with(table, &file.display().to_string())?,
        });
    }
    Ok(whole)
}

fn standings_of(
    table: Table,
    name: &str,
    plan: &Bootstrap,
) -> Result<(Standings, Over), EngineError> {
    if !table.rows.is_empty() && table.rows.iter().all(|row| !row.draws.is_empty()) {
        let standings = Standings::of_draws(table, name, plan.level, plan.seed)?;
        return Ok((standings, Over::Rounds));
    }
    Ok((Standings::of_table(table, name), Over::Systems))
}

fn read_ratings(
    path: &Path,
    columns: &Columns,
    options: &BencherOptions,
) -> Result<Standings, EngineError> {
    let name = path.display().to_string();
    let columns = Columns {
        filter: options.judged.filter.clone(),
        ..columns.clone()
    };
    let Some(table) = Table::read(path, &columns, Purpose::Ratings)? else {
        let reason = format!(
            "expected a table with one row for each system, its name in `system` or `model` and \
             its rating in `rating`; name others with {} and {}",
            Setting::RatingColumn,
            Setting::RatingSystemColumn
        );
        let refusal = Refusal::new(Setting::Ratings, Cause::File, reason);
        return Err(refusal.with_value(name).into());
    };
    let (standings, _) = standings_of(table, &name, &options.plan)?;
    // Rounds of ratings are not those of a bencher.
    Ok(standings.without_rounds().without_notes())
}
