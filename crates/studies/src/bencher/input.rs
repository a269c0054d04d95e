//! What was given: tables that are rankings already, and judgments that become one here.

use super::contest::Over;
use super::judged::{Aggregate, JudgedOptions, leaderboard_options};
use super::ranked_sample::{RankedSample, Sides};
use super::standing::Standings;
use super::table::{Columns, Purpose, Table};
use super::universe::{Universe, universes};
use super::{BencherOptions, BencherSource};
use evenhand_core::Setting;
use evenhand_engine::files::files;
use evenhand_engine::{
    Aggregation, EngineError, Sample, SampleRanking, Votes, check_conditions, conditions_of,
};
use evenhand_stats::Bootstrap;
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
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) benchers: Vec<Bencher>,
    samples: Vec<Sample>,
    universes: Vec<Universe>,
    ratings: Option<Standings>,
    labels: Option<Sample>,
}

impl Inputs {
    pub(super) fn read(options: &BencherOptions) -> Result<Inputs, EngineError> {
        check_conditions(&options.judged.filter, &every_file(options)?)?;
        let mut inputs = Inputs::default();
        for source in &options.rankings {
            inputs.add_source(source, options)?;
        }
        inputs.read_reference(options)?;
        inputs.universes = universes(&inputs.samples, inputs.labels.as_ref());
        Ok(inputs)
    }

    fn read_reference(&mut self, options: &BencherOptions) -> Result<(), EngineError> {
        match &options.reference {
            Reference::Ratings { path, columns } => {
                self.ratings = Some(read_ratings(path, columns, options)?);
            }
            Reference::Labels { paths, votes } => {
                self.labels = Some(read_labels(paths, *votes, &options.judged)?);
            }
        }
        Ok(())
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
            let name = bencher_name(source, several.then_some(&column));
            self.add_table(name, table, options)?;
        }
        Ok(())
    }

    fn add_table(
        &mut self,
        name: String,
        table: Table,
        options: &BencherOptions,
    ) -> Result<(), EngineError> {
        let table = table.only_systems(options.judged.systems.as_deref());
        let (standings, over) = standings_of(table, &name, &options.plan)?;
        let kind = BencherKind::Table(standings, over);
        self.benchers.push(Bencher { name, kind });
        Ok(())
    }

    /// Adds a bencher for each aggregation of a source's judgments.
    fn add_judged(
        &mut self,
        source: &BencherSource,
        judged: &JudgedOptions,
    ) -> Result<(), EngineError> {
        let chosen = chosen_aggregates(judged);
        let mut reader = SourceReader::new(source, judged);
        for aggregate in &chosen {
            let sample = reader.place_for(*aggregate, &mut self.samples)?;
            let aggregation = aggregate.and_then(Aggregate::aggregation);
            let part = (chosen.len() > 1).then(|| self.aggregation_name(sample, aggregation));
            self.benchers.push(Bencher {
                name: bencher_name(source, part),
                kind: BencherKind::Judged {
                    sample,
                    aggregation,
                },
            });
        }
        Ok(())
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
        Ok(Sides {
            bencher: standings.clone(),
            reference: self.table_reference(&options.plan)?,
            over,
            ..Sides::default()
        })
    }

    /// Returns what a table is held against.
    fn table_reference(&self, plan: &Bootstrap) -> Result<Standings, EngineError> {
        let Some(labels) = self.labels.as_ref().filter(|_| self.ratings.is_none()) else {
            return Ok(self.ratings.clone().unwrap_or_default());
        };
        let ranked = labels.rank(&SampleRanking::default(), &labels.items, plan)?;
        // Rounds of a table are not of the labels' items.
        Ok(Standings {
            rounds: Vec::new(),
            ..Standings::of_resampled(&labels.systems, &ranked)
        })
    }

    fn judged_sides(
        &self,
        number: usize,
        aggregation: Option<Aggregation>,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        self.sides_of_sample(&RankedSample {
            sample: &self.samples[number],
            universe: &self.universes[number],
            how: SampleRanking {
                aggregation,
                prior: options.judged.prior,
                equal: options.judged.equal,
            },
            plan: &options.plan,
        })
    }

    fn sides_of_sample(&self, ranked: &RankedSample<'_>) -> Result<Sides, EngineError> {
        let warnings = ranked.sample.warnings.iter();
        let mut notes: Vec<String> = warnings.map(ToString::to_string).collect();
        let reference = match &self.labels {
            Some(labels) => ranked.rank_labels(labels, &mut notes)?,
            None => self.ratings.clone().unwrap_or_default(),
        };
        Ok(Sides {
            reference,
            items: ranked.items(self.labels.as_ref()),
            notes,
            ..ranked.bencher_side()?
        })
    }
}

/// Returns a bencher's name: its source's, and which part of it where there are several.
fn bencher_name(source: &BencherSource, part: Option<impl Display>) -> String {
    match part {
        Some(part) => format!("{}/{part}", source.name),
        None => source.name.clone(),
    }
}

fn chosen_aggregates(judged: &JudgedOptions) -> Vec<Option<Aggregate>> {
    match judged.aggregates.as_slice() {
        [] => vec![None],
        all => all.iter().copied().map(Some).collect(),
    }
}

/// Reads the judgments of a source: once, and once more where length control is asked for, which
/// reads them in another way.
struct SourceReader<'a> {
    source: &'a BencherSource,
    judged: &'a JudgedOptions,
    /// The places among the samples, without and with length control.
    places: [Option<usize>; 2],
}

impl<'a> SourceReader<'a> {
    fn new(source: &'a BencherSource, judged: &'a JudgedOptions) -> SourceReader<'a> {
        SourceReader {
            source,
            judged,
            places: [None, None],
        }
    }

    /// Returns the place of the judgments among the samples, to which new ones are added.
    fn place_for(
        &mut self,
        aggregate: Option<Aggregate>,
        samples: &mut Vec<Sample>,
    ) -> Result<usize, EngineError> {
        let length_control = aggregate == Some(Aggregate::LengthControl);
        if let Some(place) = self.places[usize::from(length_control)] {
            return Ok(place);
        }
        let place = samples.len();
        samples.push(self.read(length_control)?);
        self.places[usize::from(length_control)] = Some(place);
        Ok(place)
    }

    fn read(&self, length_control: bool) -> Result<Sample, EngineError> {
        let files = &self.source.files;
        let judged = JudgedOptions {
            filter: conditions_of(&self.judged.filter, files),
            ..self.judged.clone()
        };
        Sample::read(
            &leaderboard_options(files, &judged, length_control),
            Votes::Each,
        )
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
        return Ok(Vec::from_iter(table.map(|table| (String::new(), table))));
    }
    let tables = tables_of_columns(source, options)?;
    if tables.is_empty() && whole_table(source, &columns_of(options, None))?.is_some() {
        return Err(no_score_column(source, options));
    }
    Ok(tables)
}

fn tables_of_columns(
    source: &BencherSource,
    options: &BencherOptions,
) -> Result<Vec<(String, Table)>, EngineError> {
    let mut tables = Vec::new();
    for score in &options.score_columns {
        let table = whole_table(source, &columns_of(options, Some(score)))?;
        tables.extend(table.map(|table| (score.clone(), table)));
    }
    Ok(tables)
}

fn no_score_column(source: &BencherSource, options: &BencherOptions) -> EngineError {
    EngineError::Setting(format!(
        "{}: the table of {} has none of the columns {}",
        Setting::ScoreColumn,
        source.name,
        options.score_columns.join(", ")
    ))
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
        whole = Some(join_tables(whole, table, file)?);
    }
    Ok(whole)
}

fn join_tables(before: Option<Table>, table: Table, file: &Path) -> Result<Table, EngineError> {
    match before {
        None => Ok(table),
        Some(before) => before.joined_with(table, &file.display().to_string()),
    }
}

fn standings_of(
    table: Table,
    name: &str,
    plan: &Bootstrap,
) -> Result<(Standings, Over), EngineError> {
    if has_draws(&table) {
        let standings = Standings::of_draws(table, name, plan.level, plan.seed)?;
        return Ok((standings, Over::Rounds));
    }
    Ok((Standings::of_table(table, name), Over::Systems))
}

fn has_draws(table: &Table) -> bool {
    !table.rows.is_empty() && table.rows.iter().all(|row| !row.draws.is_empty())
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
    let table = Table::read(path, &columns, Purpose::Ratings)?;
    let table = table.ok_or_else(|| no_ratings(&name))?;
    let (standings, _) = standings_of(table, &name, &options.plan)?;
    Ok(Standings {
        rounds: Vec::new(),
        notes: Vec::new(),
        ..standings
    })
}

fn no_ratings(name: &str) -> EngineError {
    EngineError::Setting(format!(
        "{} {name}: expected a table with one row for each system, its name in `system` or \
         `model` and its rating in `rating`; name others with {} and {}",
        Setting::Ratings,
        Setting::RatingColumn,
        Setting::RatingSystemColumn
    ))
}

/// Returns the files of all benchers and of the reference.
fn every_file(options: &BencherOptions) -> Result<Vec<PathBuf>, EngineError> {
    let sources = options.rankings.iter();
    let rankings = sources.flat_map(|source| source.files.clone());
    let mut all: Vec<PathBuf> = rankings.collect();
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
