//! What was given: tables that are rankings already, and judgments that become one here.

use super::contest::Over;
use super::judged::{Aggregate, JudgedOptions, leaderboard_options};
use super::standing::Standings;
use super::table::{Columns, Purpose, Table};
use super::universe::{Universe, universes};
use super::{BencherOptions, BencherSource, Items};
use evenhand_core::Setting;
use evenhand_engine::files::files;
use evenhand_engine::{
    Aggregation, Coverage, EngineError, Sample, SampleRanking, Votes, check_conditions,
    conditions_of,
};
use evenhand_stats::Bootstrap;
use std::collections::HashSet;
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

/// One bencher before it is ranked.
pub(super) struct Bencher {
    pub(super) name: String,
    kind: BencherKind,
}

enum BencherKind {
    Table(Standings, Over),
    Judged {
        sample: usize,
        aggregation: Option<Aggregation>,
    },
}

/// Everything that was read.
pub(super) struct Inputs {
    pub(super) benchers: Vec<Bencher>,
    samples: Vec<Sample>,
    universes: Vec<Universe>,
    ratings: Option<Standings>,
    labels: Option<Sample>,
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

impl Inputs {
    pub(super) fn read(options: &BencherOptions) -> Result<Inputs, EngineError> {
        let mut inputs = Inputs {
            benchers: Vec::new(),
            samples: Vec::new(),
            universes: Vec::new(),
            ratings: None,
            labels: None,
        };
        check_conditions(&options.judged.filter, &every_file(options)?)?;
        for source in &options.rankings {
            inputs.add_source(source, options)?;
        }
        match &options.reference {
            Reference::Ratings { path, columns } => {
                inputs.ratings = Some(read_ratings(path, columns, options)?);
            }
            Reference::Labels { paths, votes } => {
                inputs.labels = Some(read_labels(paths, *votes, &options.judged)?);
            }
        }
        inputs.universes = universes(&inputs.samples, inputs.labels.as_ref());
        Ok(inputs)
    }

    fn add_source(
        &mut self,
        source: &BencherSource,
        options: &BencherOptions,
    ) -> Result<(), EngineError> {
        let tables = score_tables(source, options)?;
        if tables.is_empty() {
            return self.add_judged(source, &options.judged);
        }
        let several = tables.len() > 1;
        for (column, table) in tables {
            let name = if several {
                format!("{}/{column}", source.name)
            } else {
                source.name.clone()
            };
            let table = table.only_systems(options.judged.systems.as_deref());
            let (standings, over) = standings_of(table, &name, &options.plan)?;
            self.benchers.push(Bencher {
                name,
                kind: BencherKind::Table(standings, over),
            });
        }
        Ok(())
    }

    /// Adds a bencher for each aggregation of a source's judgments.
    fn add_judged(
        &mut self,
        source: &BencherSource,
        judged: &JudgedOptions,
    ) -> Result<(), EngineError> {
        let chosen: Vec<Option<Aggregate>> = match judged.aggregates.as_slice() {
            [] => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        // Length control reads the judgments in another way.
        let mut known: [Option<usize>; 2] = [None, None];
        for aggregate in &chosen {
            let length_control = *aggregate == Some(Aggregate::LengthControl);
            let known = &mut known[usize::from(length_control)];
            let sample = match *known {
                Some(sample) => sample,
                None => *known.insert(self.read_sample(source, judged, length_control)?),
            };
            let aggregation = aggregate.and_then(Aggregate::aggregation);
            let name = if chosen.len() > 1 {
                let aggregation = self.aggregation_name(sample, aggregation);
                format!("{}/{aggregation}", source.name)
            } else {
                source.name.clone()
            };
            let kind = BencherKind::Judged {
                sample,
                aggregation,
            };
            self.benchers.push(Bencher { name, kind });
        }
        Ok(())
    }

    /// Reads the judgments of a source, and returns their place among the samples.
    fn read_sample(
        &mut self,
        source: &BencherSource,
        judged: &JudgedOptions,
        length_control: bool,
    ) -> Result<usize, EngineError> {
        let judged = &JudgedOptions {
            filter: conditions_of(&judged.filter, &source.files),
            ..judged.clone()
        };
        let options = leaderboard_options(&source.files, judged, length_control);
        self.samples.push(Sample::read(&options, Votes::Each)?);
        Ok(self.samples.len() - 1)
    }

    fn aggregation_name(&self, sample: usize, aggregation: Option<Aggregation>) -> &'static str {
        self.samples[sample].aggregation(&SampleRanking {
            aggregation,
            ..SampleRanking::default()
        })
    }

    /// Ranks a bencher and its reference.
    pub(super) fn sides(
        &self,
        bencher: &Bencher,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        match &bencher.kind {
            BencherKind::Table(standings, over) => self.table_sides(standings, *over, options),
            BencherKind::Judged {
                sample,
                aggregation,
            } => self.judged_sides(*sample, *aggregation, options),
        }
    }

    fn table_sides(
        &self,
        standings: &Standings,
        over: Over,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        let reference = match (&self.ratings, &self.labels) {
            (Some(ratings), _) => ratings.clone(),
            (None, Some(labels)) => {
                let found = labels.rank(&SampleRanking::default(), &labels.items, &options.plan)?;
                // Rounds of a table are not of the labels' items.
                Standings {
                    rounds: Vec::new(),
                    ..Standings::of_resampled(&labels.systems, &found)
                }
            }
            (None, None) => Standings::default(),
        };
        Ok(Sides {
            bencher: standings.clone(),
            reference,
            over,
            ..Sides::default()
        })
    }

    fn judged_sides(
        &self,
        number: usize,
        aggregation: Option<Aggregation>,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        let ranked = RankedSample {
            sample: &self.samples[number],
            universe: &self.universes[number],
            how: SampleRanking {
                aggregation,
                prior: options.judged.prior,
                equal: options.judged.equal,
            },
            plan: &options.plan,
        };
        let sample = ranked.sample;
        let mut notes: Vec<String> = sample.warnings.iter().map(ToString::to_string).collect();
        let reference = match (&self.ratings, &self.labels) {
            (_, Some(labels)) => ranked.rank_labels(labels, &mut notes)?,
            (Some(ratings), None) => ratings.clone(),
            (None, None) => Standings::default(),
        };
        let has_items = !sample.items.is_empty();
        Ok(Sides {
            bencher: ranked.rank()?,
            reference,
            over: if sample.by_item {
                Over::Items
            } else {
                Over::Comparisons
            },
            aggregation: Some(sample.aggregation(&ranked.how)),
            group: has_items.then_some(ranked.universe.group),
            coverage: Some(sample.coverage.clone()),
            items: has_items.then(|| items_of(sample, self.labels.as_ref())),
            notes,
        })
    }
}

/// Judgments, and how they are ranked.
struct RankedSample<'a> {
    sample: &'a Sample,
    universe: &'a Universe,
    how: SampleRanking,
    plan: &'a Bootstrap,
}

/// What makes the draws of one side independent of those of the other.
const OTHER_SEED: u64 = 0x6c61_6265_6c73;

impl RankedSample<'_> {
    fn rank(&self) -> Result<Standings, EngineError> {
        let found = self
            .sample
            .rank(&self.how, &self.universe.items, self.plan)?;
        Ok(Standings::of_resampled(&self.sample.systems, &found))
    }

    /// Ranks the labels as the judge's verdicts are, on the same resamples.
    fn rank_labels(
        &self,
        labels: &Sample,
        notes: &mut Vec<String>,
    ) -> Result<Standings, EngineError> {
        let needs_scores = self.how.aggregation.is_some_and(Aggregation::needs_scores);
        let lacks_scores = needs_scores && !labels.has_scores();
        let how = SampleRanking {
            aggregation: self.how.aggregation.filter(|_| !lacks_scores),
            ..self.how
        };
        if labels.aggregation(&how) != self.sample.aggregation(&self.how) {
            notes.push(format!(
                "the labels are aggregated by {} because they are of another sort",
                labels.aggregation(&how)
            ));
        }
        let found = if self.sample.items.is_empty() || labels.items.is_empty() {
            notes.push(
                "the judgments or the labels name no items, so the two sides were resampled each \
                 on its own"
                    .into(),
            );
            let plan = Bootstrap {
                seed: self.plan.seed ^ OTHER_SEED,
                ..*self.plan
            };
            labels.rank(&how, &labels.items, &plan)?
        } else {
            labels.rank(&how, &self.universe.items, self.plan)?
        };
        Ok(Standings::of_resampled(&labels.systems, &found))
    }
}

fn items_of(sample: &Sample, labels: Option<&Sample>) -> Items {
    let own: HashSet<&String> = sample.items.iter().collect();
    let both = |labels: &Sample| {
        let items = labels.items.iter();
        items.filter(|item| own.contains(item)).count()
    };
    Items {
        judged: own.len(),
        labelled: labels.map(|labels| labels.items.len()),
        both: labels.map(both),
    }
}

/// Returns the tables that all files of a source are, by score column; none where they hold
/// judgments.
fn score_tables(
    source: &BencherSource,
    options: &BencherOptions,
) -> Result<Vec<(String, Table)>, EngineError> {
    if options.judged.format.is_some() {
        return Ok(Vec::new());
    }
    if options.score_columns.is_empty() {
        let table = whole_table(source, &columns_of(options, None))?;
        return Ok(table
            .map(|table| (String::new(), table))
            .into_iter()
            .collect());
    }
    let mut found = Vec::new();
    for score in &options.score_columns {
        let table = whole_table(source, &columns_of(options, Some(score)))?;
        found.extend(table.map(|table| (score.clone(), table)));
    }
    if found.is_empty() && whole_table(source, &columns_of(options, None))?.is_some() {
        return Err(EngineError::Setting(format!(
            "{}: the table of {} has none of the columns {}",
            Setting::ScoreColumn,
            source.name,
            options.score_columns.join(", ")
        )));
    }
    Ok(found)
}

fn columns_of(options: &BencherOptions, score: Option<&String>) -> Columns {
    Columns {
        system: options.system_column.clone(),
        score: score.cloned(),
        filter: options.judged.filter.clone(),
    }
}

/// Reads all files of a source as one table; None where one is no table.
fn whole_table(source: &BencherSource, columns: &Columns) -> Result<Option<Table>, EngineError> {
    let mut whole: Option<Table> = None;
    for file in &source.files {
        let Some(table) = Table::read(file, columns, Purpose::Ranking)? else {
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
    let has_draws = !table.rows.is_empty() && table.rows.iter().all(|row| !row.draws.is_empty());
    if has_draws {
        let standings = Standings::of_draws(table, name, plan.level, plan.seed)?;
        Ok((standings, Over::Rounds))
    } else {
        Ok((Standings::of_table(table, name), Over::Systems))
    }
}

fn read_ratings(
    path: &Path,
    columns: &Columns,
    options: &BencherOptions,
) -> Result<Standings, EngineError> {
    let name = path.display().to_string();
    let columns = &Columns {
        filter: options.judged.filter.clone(),
        ..columns.clone()
    };
    let Some(table) = Table::read(path, columns, Purpose::Ratings)? else {
        return Err(EngineError::Setting(format!(
            "{} {name}: expected a table with one row for each system, its name in `system` or \
             `model` and its rating in `rating`; name others with {} and {}",
            Setting::Ratings,
            Setting::RatingColumn,
            Setting::RatingSystemColumn
        )));
    };
    let (standings, _) = standings_of(table, &name, &options.plan)?;
    Ok(Standings {
        rounds: Vec::new(),
        notes: Vec::new(),
        ..standings
    })
}

/// Returns the files of all benchers and of the reference.
fn every_file(options: &BencherOptions) -> Result<Vec<PathBuf>, EngineError> {
    let mut all: Vec<PathBuf> = options
        .rankings
        .iter()
        .flat_map(|source| source.files.clone())
        .collect();
    match &options.reference {
        Reference::Ratings { path, .. } => all.push(path.clone()),
        Reference::Labels { paths, .. } => all.extend(files_of_all(paths)?),
    }
    Ok(all)
}

fn files_of_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let all = paths.iter().map(|path| files(path));
    Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
}

fn read_labels(
    paths: &[PathBuf],
    votes: Votes,
    judged: &JudgedOptions,
) -> Result<Sample, EngineError> {
    let paths = &files_of_all(paths)?;
    let judged = JudgedOptions {
        filter: conditions_of(&judged.filter, paths),
        outcomes: judged.outcomes.clone(),
        ..JudgedOptions::default()
    };
    Sample::read(&leaderboard_options(paths, &judged, false), votes)
}
