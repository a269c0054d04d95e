//! Style and order control of what exists already: comparisons with their covariates, from files.

use super::battles::{chosen_aggregation, no_outcomes, summary_of_battles};
use super::files::{FileSort, battle_reading, open_all_battles};
use super::gathered::{FileSummary, KeptSystems};
use super::options::{ClusterBy, LeaderboardOptions};
use super::recorded::{read_judgments, summarise_recorded};
use crate::control::{
    Columns, ORDER, check_control, covariate_difference, refuse_control, score_controlled,
};
use crate::{Outcomes, Report, WarningKind};
use evenhand_core::{Cause, Refusal, Setting, split_unquoted, unquote};
use evenhand_engine::EngineError;
use evenhand_formats::battles::{self, BattleOutcome, RankedRows, Rows, SIDES, read_rows};
use evenhand_formats::judgments::{RecordedComparison, RecordedJudgments};
use evenhand_formats::{DataError, DataProblem, StyleCovariate};

/// Refuses covariates that files of this sort do not have, and settings that do not go with them.
pub(super) fn check_controlled(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<(), Refusal> {
    check_control(chosen_aggregation(options), &options.rank)?;
    let known = |name: &String| name == ORDER || name == StyleCovariate::Length.name();
    let reason = match sort {
        FileSort::Recorded if !options.control.iter().all(known) => {
            "of judgments only `length` and `order` are known"
        }
        FileSort::Counts => "counts have no covariates; give the comparisons themselves",
        _ => return Ok(()),
    };
    Err(refuse_control(Cause::Data, reason))
}

/// Ranks files of battles or judgments by Bradley-Terry, or a model of ties, with covariates.
pub(super) fn rank_controlled(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<Report, EngineError> {
    let (files, columns) = controlled_columns(options, sort)?;
    let aggregation = chosen_aggregation(options);
    let method = options.rank.method_for(aggregation, true)?;
    let systems = files.names.len();
    let (scored, style) = score_controlled(&columns, &options.control, systems, &method)?;
    let report = files.report(options, aggregation, &method);
    let report = Report { style, ..report };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

/// Reads the comparisons of files of battles or judgments with their covariates.
pub(super) fn controlled_columns(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<(FileSummary, Columns), EngineError> {
    if sort == FileSort::Recorded {
        return columns_of_judgments(&read_judgments(&options.paths, options)?, options);
    }
    let mut reading = battle_reading(options);
    // What is wrong with a battle that is left out is wrong with nothing that is ranked.
    reading.columns.covariates_of = RankedRows {
        systems: options.systems.clone(),
        without_both_bad: no_outcomes(options).apart,
    };
    let (rows, numbers) = read_controlled(options, reading)?;
    columns_of_battles(&rows, &numbers, options)
}

/// Where a covariate of battles comes from.
enum Origin<'a> {
    /// A column that is used as it is.
    Column(&'a str),
    /// `A/B`: two columns, of which the relative difference is taken.
    Columns(&'a str, &'a str),
    /// Both responses' texts, likewise.
    Texts(StyleCovariate),
    /// Which response was shown first: the one that a row names first.
    Order,
}

impl<'a> Origin<'a> {
    /// The four names of style mean columns of these names unless texts are given; `order` means
    /// none.
    fn of(name: &'a str, options: &LeaderboardOptions) -> Origin<'a> {
        if name == ORDER {
            return Origin::Order;
        }
        if let Some(counted) = StyleCovariate::from_name(name)
            && options.texts.is_some()
        {
            return Origin::Texts(counted);
        }
        match split_unquoted(name, '/').as_slice() {
            [a, b] => Origin::Columns(a, b),
            _ => Origin::Column(name),
        }
    }
}

/// The numbers of a covariate of battles.
pub(super) enum CovariateNumbers {
    /// The difference itself.
    One(Vec<f64>),
    /// Those of the first and of the second response.
    Two([Vec<f64>; 2]),
    /// None: the response that a row names first was shown first.
    Order,
}

impl CovariateNumbers {
    /// Returns those of one row.
    pub(super) fn of_row(&self, row: usize) -> Vec<f64> {
        let columns: &[Vec<f64>] = match self {
            CovariateNumbers::One(numbers) => std::slice::from_ref(numbers),
            CovariateNumbers::Two(numbers) => numbers,
            CovariateNumbers::Order => &[],
        };
        let numbers = columns.iter().filter_map(|numbers| numbers.get(row));
        numbers.copied().collect()
    }
}

/// Returns the columns that hold the numbers of a board's covariate of this position.
pub(super) fn board_columns(at: usize) -> [String; 2] {
    ["a", "b"].map(|side| format!("control {at} {side}"))
}

/// Reads battles with the numbers of each covariate.
pub(super) fn read_controlled(
    options: &LeaderboardOptions,
    mut reading: battles::Options,
) -> Result<(Rows, Vec<CovariateNumbers>), EngineError> {
    let control = options.control.iter();
    let origins: Vec<Origin> = control.map(|name| Origin::of(name, options)).collect();
    let wanted = &mut reading.columns;
    for (at, origin) in origins.iter().enumerate() {
        let [first, second] = board_columns(at);
        match *origin {
            Origin::Order => {}
            // A board keeps the numbers, whatever their columns were.
            Origin::Column(_) if options.of_board => wanted.covariates.push(first),
            _ if options.of_board => wanted.covariates.extend([first, second]),
            Origin::Column(name) => wanted.covariates.push(unquote(name)),
            Origin::Columns(a, b) => wanted.covariates.extend([unquote(a), unquote(b)]),
            Origin::Texts(counted) => wanted.counted.push(counted),
        }
    }
    if !options.of_board {
        wanted.texts = options.texts.iter().flatten().cloned().collect();
    }
    let mut rows = read_rows(&mut open_all_battles(options)?, &reading)
        .map_err(|error| explain_missing_column(error, options))?;

    // The rows hold the columns of numbers, then the counts of all first texts, then those of all
    // second ones.
    let mut counts_a = rows.covariates.split_off(reading.columns.covariates.len());
    let counts_b = counts_a.split_off(reading.columns.counted.len());
    let mut numbers = std::mem::take(&mut rows.covariates).into_iter();
    let mut number = || numbers.next().unwrap_or_default();
    let mut counts = counts_a.into_iter().zip(counts_b);
    let covariates = origins.iter().map(|origin| match origin {
        Origin::Order => CovariateNumbers::Order,
        Origin::Column(_) => CovariateNumbers::One(number()),
        Origin::Texts(_) if !options.of_board => {
            let (a, b) = counts.next().unwrap_or_default();
            CovariateNumbers::Two([a, b])
        }
        Origin::Columns(..) | Origin::Texts(_) => CovariateNumbers::Two([number(), number()]),
    });
    let covariates = covariates.collect();
    Ok((rows, covariates))
}

/// Lays out the battles of the kept systems. Those that decide nothing are left out before
/// covariates are normalised.
fn columns_of_battles(
    read: &Rows,
    numbers: &[CovariateNumbers],
    options: &LeaderboardOptions,
) -> Result<(FileSummary, Columns), EngineError> {
    let kept = KeptSystems::select(&read.names, options)?;
    let mut outcomes = no_outcomes(options);
    let (mut rows, mut a, mut b, mut shares) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, &outcome) in read.outcome.iter().enumerate() {
        let Some([first, second]) = kept.numbers([read.a[row], read.b[row]]) else {
            continue;
        };
        outcomes.add_row(
            outcome,
            read.weight.as_ref().map_or(1.0, |weights| weights[row]),
        );
        if outcomes.apart && outcome == BattleOutcome::BothBad {
            continue;
        }
        rows.push(row);
        a.push(first);
        b.push(second);
        shares.push(shares_of(outcome));
    }
    check_some(&rows, outcomes, options)?;
    let of_rows =
        |numbers: &Vec<f64>| -> Vec<f64> { rows.iter().map(|&row| numbers[row]).collect() };
    let is_normalised = |numbers: &CovariateNumbers| matches!(numbers, CovariateNumbers::Two(_));
    let normalised = numbers.iter().map(is_normalised).collect();
    let mut covariates = Vec::new();
    for (name, numbers) in options.control.iter().zip(numbers) {
        covariates.push(match numbers {
            CovariateNumbers::One(differences) => of_rows(differences),
            CovariateNumbers::Two([a, b]) => covariate_difference(name, &of_rows(a), &of_rows(b))?,
            CovariateNumbers::Order => vec![1.0; rows.len()],
        });
    }
    let files = FileSummary {
        by_item: read.cluster.is_some(),
        outcomes: Some(outcomes),
        left_out: read.a.len() as u64 - outcomes.rows,
        clusters: read.cluster_values.clone(),
        ..summary_of_battles(kept.names, outcomes.rows, read.dropped, &read.skipped)
    };
    let clusters = read.cluster.as_ref();
    let columns = Columns {
        a,
        b,
        outcome: shares,
        weight: read.weight.as_ref().map(of_rows),
        cluster: clusters.map(|clusters| rows.iter().map(|&row| clusters[row]).collect()),
        covariates,
        normalised,
    };
    Ok((files, columns))
}

/// Refuses to fit effects to nothing, with the cause.
fn check_some<T>(
    rows: &[T],
    outcomes: Outcomes,
    options: &LeaderboardOptions,
) -> Result<(), Refusal> {
    if !rows.is_empty() {
        return Ok(());
    }
    let reason = if outcomes.rows > 0 {
        let both_bad = Setting::BothBad;
        format!(
            "in every comparison both are bad, which decides nothing here; {both_bad} tie counts \
             them as ties"
        )
    } else if options.systems.is_some() {
        "no comparison of two of the systems that are kept is left; keep systems that were \
         compared with each other"
            .into()
    } else {
        "no comparison of two systems that are ranked is left".into()
    };
    Err(refuse_control(Cause::Data, reason))
}

/// The shares of (the first won, they tied, the second won).
fn shares_of(outcome: BattleOutcome) -> [f64; 3] {
    match outcome {
        BattleOutcome::A => [1.0, 0.0, 0.0],
        BattleOutcome::Tie | BattleOutcome::BothBad => [0.0, 1.0, 0.0],
        BattleOutcome::B => [0.0, 0.0, 1.0],
    }
}

/// Where a column is missing that was wanted by its name and without texts, says the ways to have
/// it: as the two columns that are named after it, or, of a count of style, from texts.
fn explain_missing_column(error: DataError, options: &LeaderboardOptions) -> EngineError {
    let (missing, has) = match &*error.problem {
        DataProblem::Columns { missing, has, .. } => (missing.first(), &has[..]),
        _ => (None, &[][..]),
    };
    let wanted = |name: &&String| options.texts.is_none() && options.control.contains(*name);
    let Some(name) = missing.filter(wanted) else {
        return error.into();
    };
    let (texts, control) = (Setting::Texts, Setting::Control);
    let pair = SIDES
        .iter()
        .flat_map(|[one, other, _]| {
            [
                [format!("{name}_{one}"), format!("{name}_{other}")],
                [format!("{one}_{name}"), format!("{other}_{name}")],
            ]
        })
        .find(|pair| pair.iter().all(|column| has.contains(column)));
    if let Some([one, other]) = pair {
        return Refusal::of_input(format!(
            "{error}; its two columns are given as {control} {one}/{other}"
        ))
        .into();
    }
    if StyleCovariate::from_name(name).is_none() {
        return error.into();
    }
    Refusal::of_input(format!(
        "{error}; name the columns of the two responses' texts with {texts} A,B, or those of their \
         counts with {control} A/B in place of {name}"
    ))
    .into()
}

/// Lays out the judgments of the kept systems.
fn columns_of_judgments(
    recorded: &RecordedJudgments,
    options: &LeaderboardOptions,
) -> Result<(FileSummary, Columns), EngineError> {
    let kept = KeptSystems::select(&recorded.systems, options)?;
    let (mut rows, mut a, mut b) = (Vec::new(), Vec::new(), Vec::new());
    for row in &recorded.comparisons {
        if let Some([first, second]) = kept.numbers([row.a, row.b]) {
            rows.push(row);
            a.push(first);
            b.push(second);
        }
    }
    // Files of scores hold none; that they do not know the covariates is said below.
    if !recorded.comparisons.is_empty() {
        check_some(&rows, Outcomes::default(), options)?;
    }
    let mut covariates = Vec::new();
    for name in &options.control {
        covariates.push(match name == ORDER {
            true => first_slots(&rows)?,
            false => length_differences(&rows)?,
        });
    }
    let clusters = recorded.clusters();
    let by_item = options.cluster != ClusterBy::None;
    let columns = Columns {
        a,
        b,
        outcome: rows.iter().map(|row| shares_of_row(row)).collect(),
        weight: None,
        cluster: by_item.then(|| rows.iter().map(|row| clusters.of(row.item)).collect()),
        covariates,
        normalised: options.control.iter().map(|name| name != ORDER).collect(),
    };
    let mut files = summarise_recorded(recorded, &kept);
    if options.control.iter().any(|name| name == ORDER) {
        // What the place does to the verdict is taken out.
        let warnings = &mut files.warnings;
        warnings.retain(|warning| warning.kind != WarningKind::OneOrder);
    }
    Ok((files, columns))
}

/// Returns the shares of (the first won, they tied, the second won) of a recorded verdict.
fn shares_of_row(row: &RecordedComparison) -> [f64; 3] {
    let total = row.wins_a + row.ties + row.both_bad + row.wins_b;
    [row.wins_a, row.ties + row.both_bad, row.wins_b].map(|part| part / total)
}

/// Returns 1 for each comparison: its first system was shown first.
fn first_slots(rows: &[&RecordedComparison]) -> Result<Vec<f64>, Refusal> {
    if rows.is_empty() || !rows.iter().all(|row| row.in_order) {
        let reason = "the files do not say which response was shown first, or their \
                      judgments are of both orders";
        return Err(refuse_control(Cause::Data, reason).with_value(ORDER));
    }
    Ok(vec![1.0; rows.len()])
}

/// Returns how much longer the first response of each comparison is, relative to both.
fn length_differences(rows: &[&RecordedComparison]) -> Result<Vec<f64>, Refusal> {
    let lengths = |length: fn(&RecordedComparison) -> Option<f64>| -> Option<Vec<f64>> {
        rows.iter().map(|row| length(row)).collect()
    };
    let both = lengths(|row| row.length_a).zip(lengths(|row| row.length_b));
    let (a, b) = both.filter(|(a, _)| !a.is_empty()).ok_or_else(|| {
        let reason = "the files do not say how long the responses are";
        refuse_control(Cause::Data, reason).with_value("length")
    })?;
    covariate_difference("length", &a, &b)
}
