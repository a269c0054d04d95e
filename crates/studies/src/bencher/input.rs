//! What was given: tables that are rankings already, and judgments that become one here.

use super::contest::Over;
use super::standing::Standings;
use super::table::{Columns, Purpose, Table};
use super::universe::{Universe, universes};
use super::{BencherOptions, Items, Source};
use evenhand_engine::files::files;
use evenhand_engine::{
    Aggregation, Ci, ClusterBy, Coverage, EngineError, EqualScores, LeaderboardOptions, Published,
    RankOptions, RecordedFormat, Sample, SampleRanking, StepWeights, Votes,
};
use evenhand_engine::{check_conditions, conditions_of};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::Filter;
use evenhand_stats::Bootstrap;
use std::path::PathBuf;

/// How judgments become a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// By an aggregation.
    By(Aggregation),
    /// AlpacaEval's length-controlled win rate.
    LengthControl,
}

/// How recorded judgments are read and aggregated; see [`LeaderboardOptions`].
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Each gives a bencher of its own; none: the usual one.
    pub aggregates: Vec<Aggregate>,
    /// What the files are, where that is not to be recognised.
    pub format: Option<RecordedFormat>,
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// MT-Bench's reading of the two games of a pair as one comparison.
    pub both_games: bool,
    /// What a strong, a weak and an equal verdict count.
    pub strength: Option<StepWeights>,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// What equal scores are, where scores are compared.
    pub equal: EqualScores,
    /// Which rows are read.
    pub filter: Filter,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
}

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
    kind: Kind,
}

enum Kind {
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
            inputs.add(source, options)?;
        }
        match &options.reference {
            Reference::Ratings { path, columns } => {
                inputs.ratings = Some(ratings(path, columns, options)?)
            }
            Reference::Labels { paths, votes } => {
                inputs.labels = Some(labels(paths, *votes, &options.judged)?)
            }
        }
        inputs.universes = universes(&inputs.samples, inputs.labels.as_ref());
        Ok(inputs)
    }

    fn add(&mut self, source: &Source, options: &BencherOptions) -> Result<(), EngineError> {
        let tables = tables(source, options)?;
        if tables.is_empty() {
            return self.add_judged(source, options);
        }
        let several = tables.len() > 1;
        for (column, table) in tables {
            let name = if several {
                format!("{}/{column}", source.name)
            } else {
                source.name.clone()
            };
            let (standings, over) =
                standings(only(table, &options.judged.systems), &name, &options.plan)?;
            self.benchers.push(Bencher {
                name,
                kind: Kind::Table(standings, over),
            });
        }
        Ok(())
    }

    fn add_judged(&mut self, source: &Source, options: &BencherOptions) -> Result<(), EngineError> {
        let judged = &options.judged;
        let chosen: Vec<Option<Aggregate>> = match judged.aggregates.as_slice() {
            [] => vec![None],
            all => all.iter().copied().map(Some).collect(),
        };
        let (mut plain, mut controlled) = (None, None);
        for aggregate in &chosen {
            let lengths = *aggregate == Some(Aggregate::LengthControl);
            let known = if lengths { &mut controlled } else { &mut plain };
            let sample = match *known {
                Some(sample) => sample,
                None => {
                    let filter = conditions_of(&judged.filter, &source.files);
                    let judged = &Judged {
                        filter,
                        ..judged.clone()
                    };
                    self.samples.push(Sample::read(
                        &reading(&source.files, judged, lengths),
                        Votes::Each,
                    )?);
                    *known.insert(self.samples.len() - 1)
                }
            };
            let aggregation = match aggregate {
                Some(Aggregate::By(aggregation)) => Some(*aggregation),
                _ => None,
            };
            let how = SampleRanking {
                aggregation,
                ..SampleRanking::default()
            };
            let name = match chosen.len() {
                1 => source.name.clone(),
                _ => format!("{}/{}", source.name, self.samples[sample].aggregation(&how)),
            };
            self.benchers.push(Bencher {
                name,
                kind: Kind::Judged {
                    sample,
                    aggregation,
                },
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
        match &bencher.kind {
            Kind::Table(standings, over) => self.table_sides(standings, *over, options),
            Kind::Judged {
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
        let (aggregation, group, coverage, items, notes) = (None, None, None, None, Vec::new());
        Ok(Sides {
            bencher: standings.clone(),
            reference,
            over,
            aggregation,
            group,
            coverage,
            items,
            notes,
        })
    }

    fn judged_sides(
        &self,
        number: usize,
        aggregation: Option<Aggregation>,
        options: &BencherOptions,
    ) -> Result<Sides, EngineError> {
        let (sample, universe) = (&self.samples[number], &self.universes[number]);
        let how = SampleRanking {
            aggregation,
            prior: options.judged.prior,
            equal: options.judged.equal,
        };
        let bencher = Standings::of_resampled(
            &sample.systems,
            &sample.rank(&how, &universe.items, &options.plan)?,
        );
        let mut notes: Vec<String> = sample.warnings.iter().map(ToString::to_string).collect();
        let reference = match (&self.ratings, &self.labels) {
            (_, Some(labels)) => {
                labelled(labels, sample, &how, universe, &options.plan, &mut notes)?
            }
            (Some(ratings), None) => ratings.clone(),
            (None, None) => Standings::default(),
        };
        Ok(Sides {
            bencher,
            reference,
            over: if sample.by_item {
                Over::Items
            } else {
                Over::Comparisons
            },
            aggregation: Some(sample.aggregation(&how)),
            group: (!sample.items.is_empty()).then_some(universe.group),
            coverage: Some(sample.coverage.clone()),
            items: (!sample.items.is_empty()).then(|| items(sample, self.labels.as_ref())),
            notes,
        })
    }
}

/// The labels, ranked as the judge's verdicts are, on the same resamples.
fn labelled(
    labels: &Sample,
    sample: &Sample,
    how: &SampleRanking,
    universe: &Universe,
    plan: &Bootstrap,
    notes: &mut Vec<String>,
) -> Result<Standings, EngineError> {
    let lacks = how.aggregation.is_some_and(Aggregation::needs_scores) && !labels.has_scores();
    let usual = SampleRanking {
        aggregation: how.aggregation.filter(|_| !lacks),
        ..*how
    };
    if labels.aggregation(&usual) != sample.aggregation(how) {
        notes.push(format!(
            "the labels are aggregated by {}, for they are of another sort",
            labels.aggregation(&usual)
        ));
    }
    let joint = !sample.items.is_empty() && !labels.items.is_empty();
    let found = if joint {
        labels.rank(&usual, &universe.items, plan)?
    } else {
        notes.push(
            "the judgments or the labels name no items, so the two sides were resampled \
                    each on its own"
                .into(),
        );
        labels.rank(
            &usual,
            &labels.items,
            &Bootstrap {
                seed: plan.seed ^ OTHER_SEED,
                ..*plan
            },
        )?
    };
    Ok(Standings::of_resampled(&labels.systems, &found))
}

/// What makes the draws of one side independent of those of the other.
const OTHER_SEED: u64 = 0x6c61_6265_6c73;

fn items(sample: &Sample, labels: Option<&Sample>) -> Items {
    let own: std::collections::HashSet<&String> = sample.items.iter().collect();
    let both = labels.map(|labels| {
        labels
            .items
            .iter()
            .filter(|item| own.contains(item))
            .count()
    });
    Items {
        judged: own.len(),
        labelled: labels.map(|labels| labels.items.len()),
        both,
    }
}

/// The tables that all files of a source are, by score column; none where they hold judgments.
fn tables(source: &Source, options: &BencherOptions) -> Result<Vec<(String, Table)>, EngineError> {
    if options.judged.format.is_some() {
        return Ok(Vec::new());
    }
    let named: Vec<Option<String>> = match options.score_columns.as_slice() {
        [] => vec![None],
        all => all.iter().cloned().map(Some).collect(),
    };
    let mut found = Vec::new();
    for score in named {
        let filter = options.judged.filter.clone();
        let columns = Columns {
            system: options.system_column.clone(),
            score,
            filter,
        };
        found.extend(
            table(source, &columns)?.map(|table| (columns.score.unwrap_or_default(), table)),
        );
    }
    let filter = options.judged.filter.clone();
    let usual = Columns {
        system: options.system_column.clone(),
        score: None,
        filter,
    };
    if found.is_empty() && !options.score_columns.is_empty() && table(source, &usual)?.is_some() {
        let (name, columns) = (&source.name, options.score_columns.join(", "));
        return Err(EngineError::Setting(format!(
            "--score-column: the table of {name} has none of the columns {columns}"
        )));
    }
    Ok(found)
}

fn table(source: &Source, columns: &Columns) -> Result<Option<Table>, EngineError> {
    let mut whole: Option<Table> = None;
    for file in &source.files {
        let Some(table) = Table::read(file, columns, Purpose::Ranking)? else {
            return Ok(None);
        };
        whole = Some(match whole {
            None => table,
            Some(before) => before.and(table, &file.display().to_string())?,
        });
    }
    Ok(whole)
}

fn only(mut table: Table, systems: &Option<Vec<String>>) -> Table {
    if let Some(systems) = systems {
        table.rows.retain(|row| systems.contains(&row.system));
        table.without.retain(|system| systems.contains(system));
    }
    table
}

fn standings(table: Table, name: &str, plan: &Bootstrap) -> Result<(Standings, Over), EngineError> {
    match table.rows.iter().all(|row| !row.draws.is_empty()) && !table.rows.is_empty() {
        true => Ok((
            Standings::of_draws(table, name, plan.level, plan.seed)?,
            Over::Rounds,
        )),
        false => Ok((Standings::of_table(table, name), Over::Systems)),
    }
}

fn ratings(
    path: &std::path::Path,
    columns: &Columns,
    options: &BencherOptions,
) -> Result<Standings, EngineError> {
    let name = path.display().to_string();
    let columns = &Columns {
        filter: options.judged.filter.clone(),
        ..columns.clone()
    };
    let table = Table::read(path, columns, Purpose::Ratings)?;
    let table = table.ok_or_else(|| {
        EngineError::Setting(format!(
            "--ratings {name}: expected a table with one row for each system, its name in `system` \
             or `model` and its rating in `rating`; name others with --rating-column and \
             --rating-system-column"
        ))
    })?;
    let (standings, _) = standings(table, &name, &options.plan)?;
    Ok(Standings {
        rounds: Vec::new(),
        notes: Vec::new(),
        ..standings
    })
}

/// The files of all benchers and of the reference.
fn every_file(options: &BencherOptions) -> Result<Vec<PathBuf>, EngineError> {
    let rankings = options
        .rankings
        .iter()
        .flat_map(|source| source.files.clone());
    let reference = match &options.reference {
        Reference::Ratings { path, .. } => vec![path.clone()],
        Reference::Labels { paths, .. } => all_files(paths)?,
    };
    Ok(rankings.chain(reference).collect())
}

fn all_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    Ok(paths
        .iter()
        .map(|path| files(path))
        .collect::<Result<Vec<_>, _>>()?
        .concat())
}

fn labels(paths: &[PathBuf], votes: Votes, judged: &Judged) -> Result<Sample, EngineError> {
    let paths = &all_files(paths)?;
    let judged = Judged {
        filter: conditions_of(&judged.filter, paths),
        outcomes: judged.outcomes.clone(),
        ..Judged::default()
    };
    Sample::read(&reading(paths, &judged, false), votes)
}

pub(crate) fn reading(
    files: &[PathBuf],
    judged: &Judged,
    length_control: bool,
) -> LeaderboardOptions {
    let ci = if length_control {
        Ci::None
    } else {
        Ci::Bootstrap
    };
    LeaderboardOptions {
        paths: files.to_vec(),
        filter: judged.filter.clone(),
        outcomes: judged.outcomes.clone(),
        left: None,
        right: None,
        winner: None,
        weight: None,
        format: judged.format,
        cluster: ClusterBy::Auto,
        both_bad: None,
        control: Vec::new(),
        texts: None,
        columns: [None, None, None],
        systems: judged.systems.clone().filter(|_| !length_control),
        baseline: judged.baseline.clone(),
        both_games: judged.both_games,
        strength: judged.strength.filter(|_| !length_control),
        labels: Vec::new(),
        length_control,
        published: Published::default(),
        rank: RankOptions {
            ci,
            ..RankOptions::default()
        },
    }
}
