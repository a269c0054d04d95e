//! Style control of what exists already: comparisons with their covariates, from files.

use super::evidence::{Sort, sources};
use super::{About, ClusterBy, LeaderboardOptions, battles, recorded, report};
use crate::rank::control::{Columns, check, controlled, difference};
use crate::{Aggregation, Coverage, EngineError, Report};
use evenhand_formats::StyleCovariate;
use evenhand_formats::battles::{Error, Problem, read_rows};
use evenhand_formats::judgments::Compared;

/// Ranks by Bradley-Terry with covariates.
pub(crate) fn leaderboard(options: &LeaderboardOptions, sort: Sort) -> Result<Report, EngineError> {
    let aggregation = options
        .rank
        .aggregation
        .unwrap_or(Aggregation::BradleyTerry);
    check(aggregation, &options.rank)?;
    if options.systems.is_some() {
        return Err(EngineError::Setting(
            "--control: it takes all systems of the files; leave --systems out".into(),
        ));
    }
    let (about, columns) = match sort {
        Sort::Battles => of_battles(options)?,
        Sort::Recorded => of_judgments(options)?,
        Sort::Counts => {
            return Err(EngineError::Setting(
                "--control: counts have no covariates; give the comparisons themselves".into(),
            ));
        }
    };
    let method = options.rank.method(aggregation)?;
    let (scored, style) = controlled(&columns, &options.control, about.names.len(), &method)?;
    let report = report(options, &about, aggregation, &method).with(
        &about.names,
        scored,
        &method,
        options.rank.scale,
    );
    Ok(Report { style, ..report })
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

/// The four names of style mean columns of these names unless texts are given.
fn origin<'a>(name: &'a str, options: &LeaderboardOptions) -> Origin<'a> {
    let counted = StyleCovariate::named(name).filter(|_| options.texts.is_some());
    match (counted, name.split_once('/')) {
        (Some(counted), _) => Origin::Texts(counted),
        (_, Some((a, b))) => Origin::Columns(a, b),
        _ => Origin::Column(name),
    }
}

/// Refuses texts of which nothing is counted.
pub(crate) fn check_texts(options: &LeaderboardOptions) -> Result<(), EngineError> {
    let counts = options
        .control
        .iter()
        .any(|name| StyleCovariate::named(name).is_some());
    if options.texts.is_none() || counts {
        return Ok(());
    }
    let names = StyleCovariate::ALL.map(StyleCovariate::name).join(",");
    Err(EngineError::Setting(format!(
        "--texts: nothing is counted in them; say which with --control {names}, or leave it out"
    )))
}

fn of_battles(options: &LeaderboardOptions) -> Result<(About, Columns), EngineError> {
    let origins: Vec<Origin> = options
        .control
        .iter()
        .map(|name| origin(name, options))
        .collect();
    let mut reading = battles::reading(options);
    reading.columns.covariates = origins
        .iter()
        .flat_map(Origin::columns)
        .map(String::from)
        .collect();
    reading.columns.counted = origins.iter().filter_map(Origin::counted).collect();
    reading.columns.texts = options.texts.iter().flatten().cloned().collect();
    let mut rows =
        read_rows(&mut sources(options)?, &reading).map_err(|error| explained(error, options))?;
    let mut a = rows.covariates.split_off(reading.columns.covariates.len());
    let b = a.split_off(reading.columns.counted.len());
    let covariates = covariates(options, &origins, rows.covariates, a.into_iter().zip(b))?;
    let won = rows
        .outcome
        .iter()
        .map(|outcome| battles::points(*outcome))
        .collect();
    let verdicts = rows.a.len() as u64;
    let coverage = Coverage {
        trials: verdicts,
        verdicts,
        ..Coverage::default()
    };
    let by_item = rows.cluster.is_some();
    let about = About {
        names: rows.names,
        coverage,
        formats: vec!["battles".into()],
        by_item,
        ..About::default()
    };
    Ok((
        about,
        Columns {
            a: rows.a,
            b: rows.b,
            won,
            weight: rows.weight,
            cluster: rows.cluster,
            covariates,
        },
    ))
}

impl<'a> Origin<'a> {
    /// The columns of numbers that are read for it.
    fn columns(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (a, b) = match *self {
            Origin::Column(name) => (Some(name), None),
            Origin::Columns(a, b) => (Some(a), Some(b)),
            Origin::Texts(_) => (None, None),
        };
        [a, b].into_iter().flatten()
    }

    fn counted(&self) -> Option<StyleCovariate> {
        match self {
            Origin::Texts(covariate) => Some(*covariate),
            _ => None,
        }
    }
}

/// The covariates in their order, of the columns of numbers and of the counts of both texts, each
/// in theirs.
fn covariates(
    options: &LeaderboardOptions,
    origins: &[Origin],
    columns: Vec<Vec<f64>>,
    mut counts: impl Iterator<Item = (Vec<f64>, Vec<f64>)>,
) -> Result<Vec<Vec<f64>>, EngineError> {
    let mut columns = columns.into_iter();
    let mut next = || columns.next().unwrap_or_default();
    let one = |(name, origin): (&String, &Origin)| {
        let (a, b) = match origin {
            Origin::Column(_) => return Ok(next()),
            Origin::Columns(..) => (next(), next()),
            Origin::Texts(_) => counts.next().unwrap_or_default(),
        };
        difference(name, &a, &b)
    };
    options.control.iter().zip(origins).map(one).collect()
}

/// The error; where a count of style is missing, with the ways to have it.
fn explained(error: Error, options: &LeaderboardOptions) -> EngineError {
    let missing = match &*error.problem {
        Problem::Columns { missing, .. } => missing.first(),
        _ => None,
    };
    match missing
        .filter(|name| StyleCovariate::named(name).is_some() && options.control.contains(name))
    {
        Some(name) if options.texts.is_none() => EngineError::Setting(format!(
            "{error}; name the columns of the two responses' texts with --texts A,B, or those of \
             their counts with --control A/B in place of {name}"
        )),
        _ => error.into(),
    }
}

/// Judgments know the lengths of the responses, if anything.
fn of_judgments(options: &LeaderboardOptions) -> Result<(About, Columns), EngineError> {
    if options.control != ["length"] {
        return Err(EngineError::Setting(
            "--control: of judgments only `length` is known".into(),
        ));
    }
    let recorded = recorded::read(&options.paths, options)?;
    let rows = &recorded.comparisons;
    let of = |length: fn(&Compared) -> Option<f64>| {
        rows.iter().map(length).collect::<Option<Vec<f64>>>()
    };
    let (Some(a), Some(b), false) = (
        of(|row| row.length_a),
        of(|row| row.length_b),
        rows.is_empty(),
    ) else {
        return Err(EngineError::Setting(
            "--control length: the files do not say how long the responses are".into(),
        ));
    };
    let columns = Columns {
        a: rows.iter().map(|row| row.a).collect(),
        b: rows.iter().map(|row| row.b).collect(),
        won: rows.iter().map(recorded::won).collect(),
        weight: None,
        cluster: (options.cluster != ClusterBy::None)
            .then(|| rows.iter().map(|row| row.item).collect()),
        covariates: vec![difference("length", &a, &b)?],
    };
    let keep: Vec<Option<u16>> = (0..recorded.systems.len() as u16).map(Some).collect();
    Ok((recorded::about(&recorded, &keep), columns))
}
