//! Style control of what exists already: comparisons with their covariates, from files.

use super::battles::{RowsRead, points_of_first};
use super::gathered::{FileSummary, KeptSystems};
use super::options::{ClusterBy, LeaderboardOptions};
use super::reading::{battle_reading, open_all_battles};
use super::recorded::{read_judgments, share_of_first, summarise_recorded};
use super::sort::FileSort;
use crate::rank::control::{
    Columns, check_control, covariate_difference, refuse_control, score_controlled,
};
use crate::{Aggregation, EngineError, Report};
use evenhand_core::{Cause, Refusal, Setting, split_unquoted, unquote};
use evenhand_formats::StyleCovariate;
use evenhand_formats::battles::{BattleProblem, Error, Options, Rows, read_rows};
use evenhand_formats::judgments::{RecordedComparison, RecordedJudgments};

/// Ranks by Bradley-Terry with covariates.
pub(super) fn rank_with_control(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<Report, EngineError> {
    let chosen = options.rank.aggregation;
    let aggregation = chosen.unwrap_or(Aggregation::BradleyTerry);
    check_control(aggregation, &options.rank)?;
    check_systems(options)?;
    let (files, columns) = read_columns(options, sort)?;
    let method = options.rank.method(aggregation)?;
    let systems = files.names.len();
    let (scored, style) = score_controlled(&columns, &options.control, systems, &method)?;
    let report = files.report(options, aggregation, &method);
    let report = Report { style, ..report };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

fn read_columns(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<(FileSummary, Columns), EngineError> {
    match sort {
        FileSort::Battles => controlled_battles(options),
        FileSort::Recorded => controlled_judgments(options),
        FileSort::Counts => Err(refuse_counts().into()),
    }
}

fn check_systems(options: &LeaderboardOptions) -> Result<(), Refusal> {
    match options.systems {
        Some(_) => Err(refuse_systems()),
        None => Ok(()),
    }
}

fn refuse_systems() -> Refusal {
    let systems = Setting::Systems;
    let reason = format!("it takes all systems of the files; leave {systems} out");
    refuse_control(Cause::Conflict(systems), reason)
}

fn refuse_counts() -> Refusal {
    let reason = "counts have no covariates; give the comparisons themselves";
    refuse_control(Cause::Data, reason)
}

/// Where a covariate of battles comes from.
enum Origin<'a> {
    /// A column that is used as it is.
    Column(&'a str),
    /// `A/B`: two columns, of which the normalised difference is taken.
    Columns(&'a str, &'a str),
    /// Both responses' texts, likewise.
    Texts(StyleCovariate),
}

impl<'a> Origin<'a> {
    /// The four names of style mean columns of these names unless texts are given.
    fn of(name: &'a str, options: &LeaderboardOptions) -> Origin<'a> {
        let counted = StyleCovariate::from_name(name).filter(|_| options.texts.is_some());
        let halves = split_unquoted(name, '/');
        let halves = match halves.as_slice() {
            [a, b] => Some((*a, *b)),
            _ => None,
        };
        match (counted, halves) {
            (Some(counted), _) => Origin::Texts(counted),
            (None, Some((a, b))) => Origin::Columns(a, b),
            (None, None) => Origin::Column(name),
        }
    }

    /// Returns the columns of numbers that are read for it.
    fn number_columns(&self) -> Vec<String> {
        match *self {
            Origin::Column(name) => vec![unquote(name)],
            Origin::Columns(a, b) => vec![unquote(a), unquote(b)],
            Origin::Texts(_) => Vec::new(),
        }
    }

    fn counted(&self) -> Option<StyleCovariate> {
        match self {
            Origin::Texts(covariate) => Some(*covariate),
            _ => None,
        }
    }
}

fn controlled_battles(options: &LeaderboardOptions) -> Result<(FileSummary, Columns), EngineError> {
    let names = options.control.iter();
    let origins: Vec<Origin> = names.map(|name| Origin::of(name, options)).collect();
    let reading = reading_with_covariates(options, &origins);
    let mut rows = read_rows(&mut open_all_battles(options)?, &reading)
        .map_err(|error| explain_missing_column(error, options))?;
    let mut columns = CovariateColumns::take(&mut rows, &reading);
    let covariates = columns.by_name(options, &origins)?;
    Ok((summarise_rows(&rows), columns_of_battles(rows, covariates)))
}

fn columns_of_battles(rows: Rows, covariates: Vec<Vec<f64>>) -> Columns {
    let outcomes = rows.outcome.into_iter();
    Columns {
        a: rows.a,
        b: rows.b,
        won: outcomes.map(points_of_first).collect(),
        weight: rows.weight,
        cluster: rows.cluster,
        covariates,
    }
}

fn summarise_rows(rows: &Rows) -> FileSummary {
    let read = RowsRead {
        verdicts: rows.a.len() as u64,
        dropped: rows.dropped,
        skipped: &rows.skipped,
    };
    FileSummary {
        names: rows.names.clone(),
        warnings: read.warnings(&rows.names),
        coverage: read.coverage(),
        formats: vec!["battles".into()],
        by_item: rows.cluster.is_some(),
        ..FileSummary::default()
    }
}

fn reading_with_covariates(options: &LeaderboardOptions, origins: &[Origin]) -> Options {
    let mut reading = battle_reading(options);
    reading.columns.covariates = origins.iter().flat_map(Origin::number_columns).collect();
    reading.columns.counted = origins.iter().filter_map(Origin::counted).collect();
    reading.columns.texts = options.texts.iter().flatten().cloned().collect();
    reading
}

/// The columns that covariates are made of, in the order in which they are used.
struct CovariateColumns {
    numbers: std::vec::IntoIter<Vec<f64>>,
    counts_a: std::vec::IntoIter<Vec<f64>>,
    counts_b: std::vec::IntoIter<Vec<f64>>,
}

impl CovariateColumns {
    /// Takes them out of the rows, which hold the columns of numbers, then the counts of all first
    /// texts, then those of all second ones.
    fn take(rows: &mut Rows, reading: &Options) -> CovariateColumns {
        let mut counts_a = rows.covariates.split_off(reading.columns.covariates.len());
        let counts_b = counts_a.split_off(reading.columns.counted.len());
        CovariateColumns {
            numbers: std::mem::take(&mut rows.covariates).into_iter(),
            counts_a: counts_a.into_iter(),
            counts_b: counts_b.into_iter(),
        }
    }

    /// Returns the covariates in the order of their names.
    fn by_name(
        &mut self,
        options: &LeaderboardOptions,
        origins: &[Origin],
    ) -> Result<Vec<Vec<f64>>, Refusal> {
        let named = options.control.iter().zip(origins);
        named
            .map(|(name, origin)| self.next_covariate(name, origin))
            .collect()
    }

    fn next_covariate(&mut self, name: &str, origin: &Origin) -> Result<Vec<f64>, Refusal> {
        let (a, b) = match origin {
            Origin::Column(_) => return Ok(self.numbers.next().unwrap_or_default()),
            Origin::Columns(..) => (self.numbers.next(), self.numbers.next()),
            Origin::Texts(_) => (self.counts_a.next(), self.counts_b.next()),
        };
        covariate_difference(name, &a.unwrap_or_default(), &b.unwrap_or_default())
    }
}

/// Where a count of style is missing, says the ways to have it.
fn explain_missing_column(error: Error, options: &LeaderboardOptions) -> EngineError {
    match missing_style(&error, options) {
        Some(name) => refuse_without_counts(&error, name).into(),
        None => error.into(),
    }
}

/// Finds the covariate of style, wanted by its name and without texts, whose column is missing.
fn missing_style<'a>(error: &'a Error, options: &LeaderboardOptions) -> Option<&'a str> {
    let name = missing_column(error)?;
    let wanted = options.texts.is_none() && options.control.contains(name);
    let is_style = StyleCovariate::from_name(name).is_some();
    (wanted && is_style).then_some(name)
}

fn missing_column(error: &Error) -> Option<&String> {
    match &*error.problem {
        BattleProblem::Columns { missing, .. } => missing.first(),
        _ => None,
    }
}

fn refuse_without_counts(error: &Error, name: &str) -> Refusal {
    let (texts, control) = (Setting::Texts, Setting::Control);
    Refusal::of_input(format!(
        "{error}; name the columns of the two responses' texts with {texts} A,B, or those of their \
         counts with {control} A/B in place of {name}"
    ))
}

/// Judgments know the lengths of the responses, if anything.
fn controlled_judgments(
    options: &LeaderboardOptions,
) -> Result<(FileSummary, Columns), EngineError> {
    check_length_alone(options)?;
    let recorded = read_judgments(&options.paths, options)?;
    let columns = columns_with_length(&recorded, options.cluster != ClusterBy::None)?;
    let files = summarise_recorded(&recorded, &KeptSystems::all(&recorded.systems));
    Ok((files, columns))
}

fn check_length_alone(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.control == ["length"] {
        return Ok(());
    }
    let reason = "of judgments only `length` is known";
    Err(refuse_control(Cause::Data, reason))
}

fn columns_with_length(recorded: &RecordedJudgments, by_item: bool) -> Result<Columns, Refusal> {
    let rows = &recorded.comparisons;
    let clusters = recorded.clusters();
    Ok(Columns {
        a: rows.iter().map(|row| row.a).collect(),
        b: rows.iter().map(|row| row.b).collect(),
        won: rows.iter().map(share_of_first).collect(),
        weight: None,
        cluster: by_item.then(|| rows.iter().map(|row| clusters.of(row.item)).collect()),
        covariates: vec![length_difference(recorded)?],
    })
}

fn length_difference(recorded: &RecordedJudgments) -> Result<Vec<f64>, Refusal> {
    let a = lengths_of(recorded, |row| row.length_a);
    let b = lengths_of(recorded, |row| row.length_b);
    match a.zip(b) {
        Some((a, b)) if !a.is_empty() => covariate_difference("length", &a, &b),
        _ => Err(refuse_without_lengths()),
    }
}

/// Returns the length of every response; None where one is not known.
fn lengths_of(
    recorded: &RecordedJudgments,
    length: fn(&RecordedComparison) -> Option<f64>,
) -> Option<Vec<f64>> {
    recorded.comparisons.iter().map(length).collect()
}

fn refuse_without_lengths() -> Refusal {
    let reason = "the files do not say how long the responses are";
    refuse_control(Cause::Data, reason).with_value("length")
}
