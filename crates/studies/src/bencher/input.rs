//! What was given: tables that are rankings already, and judgments that become one here.

use super::contest::Over;
use super::judged::{Aggregate, JudgedOptions, leaderboard_options};
use super::ranked_sample::{RankedSample, Sides};
use super::score_tables::{ScoreTable, TableSource};
use super::source::files_of_all;
use super::standing::Standings;
use super::table::{Columns, Purpose, Table};
use super::universe::{Universe, universes};
use super::{BencherOptions, BencherSource};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, check_conditions, conditions_of};
use evenhand_ranking::{Aggregation, Sample, SampleRanking, Votes};
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

impl Reference {
    fn files(&self) -> Result<Vec<PathBuf>, EngineError> {
        match self {
            Reference::Ratings { path, .. } => Ok(vec![path.clone()]),
            Reference::Labels { paths, .. } => files_of_all(paths.iter().map(PathBuf::as_path)),
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
    Judged(JudgedBencher),
}

/// A sample of judgments, and how it is aggregated.
#[derive(Clone, Copy)]
struct JudgedBencher {
    sample: usize,
    aggregation: Option<Aggregation>,
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
        let tables = TableSource { source, options }.read()?;
        if tables.is_empty() {
            return self.add_judged(source, &options.judged);
        }
        let several = tables.len() > 1;
        for ScoreTable { column, table } in tables {
            let name = bencher_name(source, several.then_some(column));
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
        let chosen = chosen_aggregates(&judged.aggregates);
        let several = chosen.len() > 1;
        let mut reader = SourceReader::new(source, judged);
        for aggregate in chosen {
            let bencher = JudgedBencher {
                sample: reader.place_for(aggregate, &mut self.samples)?,
                aggregation: aggregate.and_then(Aggregate::aggregation),
            };
            self.push_judged(source, bencher, several);
        }
        Ok(())
    }

    fn push_judged(&mut self, source: &BencherSource, judged: JudgedBencher, several: bool) {
        let part = several.then(|| self.aggregation_name(judged));
        self.benchers.push(Bencher {
            name: bencher_name(source, part),
            kind: BencherKind::Judged(judged),
        });
    }

    fn aggregation_name(&self, judged: JudgedBencher) -> &'static str {
        self.samples[judged.sample].aggregation(&SampleRanking {
            aggregation: judged.aggregation,
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
            BencherKind::Judged(judged) => {
                self.sides_of_sample(&self.ranked_sample(*judged, options))
            }
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

    /// Returns what a table is held against: the ranking that the labels give, or the ratings.
    fn table_reference(&self, plan: &Bootstrap) -> Result<Standings, EngineError> {
        match &self.labels {
            Some(labels) => rank_labels(labels, plan),
            None => Ok(self.given_ratings()),
        }
    }

    fn given_ratings(&self) -> Standings {
        self.ratings.clone().unwrap_or_default()
    }

    fn ranked_sample<'a>(
        &'a self,
        judged: JudgedBencher,
        options: &'a BencherOptions,
    ) -> RankedSample<'a> {
        RankedSample {
            sample: &self.samples[judged.sample],
            universe: &self.universes[judged.sample],
            how: SampleRanking {
                aggregation: judged.aggregation,
                prior: options.judged.prior,
                equal: options.judged.equal,
            },
            plan: &options.plan,
        }
    }

    fn sides_of_sample(&self, ranked: &RankedSample<'_>) -> Result<Sides, EngineError> {
        let mut notes = ranked.warnings();
        let reference = match &self.labels {
            Some(labels) => ranked.rank_labels(labels, &mut notes)?,
            None => self.given_ratings(),
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

fn chosen_aggregates(aggregates: &[Aggregate]) -> Vec<Option<Aggregate>> {
    match aggregates {
        [] => vec![None],
        all => all.iter().copied().map(Some).collect(),
    }
}

/// Ranks labels that tables are held against.
fn rank_labels(labels: &Sample, plan: &Bootstrap) -> Result<Standings, EngineError> {
    let ranked = labels.rank(&SampleRanking::default(), &labels.items, plan)?;
    // Rounds of a table are not of the labels' items.
    Ok(Standings::of_resampled(&labels.systems, &ranked).without_rounds())
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
        match self.places[usize::from(length_control)] {
            Some(place) => Ok(place),
            None => self.add_sample(length_control, samples),
        }
    }

    fn add_sample(
        &mut self,
        length_control: bool,
        samples: &mut Vec<Sample>,
    ) -> Result<usize, EngineError> {
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
        let options = leaderboard_options(files, &judged, length_control);
        Sample::read(&options, Votes::Each)
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
    let table = ratings_table(path, columns, options)?;
    let table = table.ok_or_else(|| no_ratings(&name))?;
    let (standings, _) = standings_of(table, &name, &options.plan)?;
    // Rounds of ratings are not those of a bencher.
    Ok(standings.without_rounds().without_notes())
}

fn ratings_table(
    path: &Path,
    columns: &Columns,
    options: &BencherOptions,
) -> Result<Option<Table>, EngineError> {
    let columns = Columns {
        filter: options.judged.filter.clone(),
        ..columns.clone()
    };
    Table::read(path, &columns, Purpose::Ratings)
}

fn no_ratings(name: &str) -> Refusal {
    let reason = format!(
        "expected a table with one row for each system, its name in `system` or `model` and its \
         rating in `rating`; name others with {} and {}",
        Setting::RatingColumn,
        Setting::RatingSystemColumn
    );
    Refusal::new(Setting::Ratings, Cause::File, reason).with_value(name)
}

/// Returns the files of all benchers and of the reference.
fn every_file(options: &BencherOptions) -> Result<Vec<PathBuf>, EngineError> {
    let rankings = options
        .rankings
        .iter()
        .flat_map(|source| source.files.clone());
    let reference = options.reference.files()?;
    Ok(rankings.chain(reference).collect())
}

fn read_labels(
    paths: &[PathBuf],
    votes: Votes,
    judged: &JudgedOptions,
) -> Result<Sample, EngineError> {
    let paths = &files_of_all(paths.iter().map(PathBuf::as_path))?;
    let judged = JudgedOptions {
        filter: conditions_of(&judged.filter, paths),
        outcomes: judged.outcomes.clone(),
        ..JudgedOptions::default()
    };
    Sample::read(&leaderboard_options(paths, &judged, false), votes)
}
