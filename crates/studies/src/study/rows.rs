//! From cells to the rows of the study's table, and to everything that is computed of them.

use super::advice::recommend;
use super::cell::{Cell, Method, Spending, Verdicts, with_reference};
use super::config::{Config, setting};
use super::frontier::{Priced, Unit, frontier};
use super::settings::Measure;
use super::{StudyReport, budget, live, reference, share};
use crate::bencher::{BencherRow, Rated};
use evenhand_engine::{Aggregation, EngineError};
use evenhand_protocols::Slots;
use evenhand_stats::{Bootstrap, Cluster, Resampled, resample_pairs, resample_scores};

/// A bencher: input set x judge x evaluation type x aggregation x reference system.
#[derive(Clone, Debug)]
pub struct Row {
    /// The input set.
    pub input: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    pub kind: String,
    /// The reference system, where all others are compared with one alone.
    pub reference: Option<String>,
    /// The aggregation.
    pub aggregation: &'static str,
    /// Whether responses were judged one at a time.
    pub pointwise: bool,
    /// Judgments planned and with a verdict; of the reference's row, those with a verdict twice.
    pub trials: u64,
    /// See `trials`.
    pub judged: u64,
    /// What they took; of a reference's row its share by number of judgments.
    pub spent: Option<Spending>,
    /// Its agreement with people.
    pub bencher: BencherRow,
}

/// Everything that the cells say.
pub(super) fn fill(
    report: &mut StudyReport,
    cells: &[Cell],
    rated: &Rated,
    config: &Config,
) -> Result<(), EngineError> {
    let aggregations = config.aggregations().map_err(setting)?;
    let mut thresholds = config.u.clone();
    thresholds.extend(config.advice.closest.filter(|u| !config.u.contains(u)));
    for cell in cells {
        for aggregation in &aggregations {
            let before = report.rows.len();
            add(report, cell, *aggregation, rated, &thresholds, config)?;
            if report.rows.len() > before {
                extras(report, before, cell, *aggregation, config)?;
            }
        }
        report.warnings.extend(unrated(cell));
    }
    cost(report, config);
    Ok(())
}

fn unrated(cell: &Cell) -> Option<String> {
    let without: Vec<&str> = cell
        .systems
        .iter()
        .zip(&cell.ratings)
        .filter(|(_, rating)| rating.is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let (judge, input) = (&cell.judge, &cell.input);
    (!without.is_empty()).then(|| {
        format!(
            "{judge} on {input}: no rating is known of {}; left out of the correlations",
            without.join(", ")
        )
    })
}

/// The row of a cell and an aggregation, where the judgments have it; and one for each reference
/// that was named.
fn add(
    report: &mut StudyReport,
    cell: &Cell,
    aggregation: Aggregation,
    rated: &Rated,
    u: &[f64],
    config: &Config,
) -> Result<(), EngineError> {
    let mut with =
        |cell: &Cell, verdicts: &Verdicts, reference: Option<&String>| -> Result<(), EngineError> {
            let Some(method) = verdicts.method(aggregation) else {
                return Ok(());
            };
            let name = (cell.judge.as_str(), aggregation.name());
            let bencher = rated.row(
                name,
                &cell.systems,
                &resampled(&method, &report.plan)?,
                u,
                &report.plan,
            )?;
            let shares = share::curve(
                method,
                &cell.ratings,
                &config.shares,
                config.share_rounds,
                (config.level, config.seed),
            )?;
            report.shares.push(shares);
            report
                .rows
                .push(Row::new(cell, verdicts, reference, aggregation, bencher));
            Ok(())
        };
    with(cell, &cell.verdicts, None)?;
    let Verdicts::Pairs(pairs) = &cell.verdicts else {
        return Ok(());
    };
    for (at, system) in cell
        .systems
        .iter()
        .enumerate()
        .filter(|(_, system)| config.is_named(system))
    {
        let part = with_reference(pairs, at)?;
        let share = part.rows().len() as f64 / pairs.rows().len().max(1) as f64;
        if share > 0.0 && share < 1.0 {
            let spent = cell.spent.map(|spent| part_of(spent, share));
            let trials = (cell.trials as f64 * share).round() as u64;
            let of = Cell {
                trials,
                judged: part.rows().len() as u64,
                spent,
                ..cell.clone()
            };
            with(&of, &Verdicts::Pairs(part), Some(system))?;
        }
    }
    Ok(())
}

impl Row {
    fn new(
        cell: &Cell,
        verdicts: &Verdicts,
        reference: Option<&String>,
        aggregation: Aggregation,
        bencher: BencherRow,
    ) -> Row {
        Row {
            input: cell.input.clone(),
            judge: cell.judge.clone(),
            kind: cell.kind.clone(),
            reference: reference.cloned(),
            aggregation: aggregation.name(),
            pointwise: verdicts.is_pointwise(),
            trials: cell.trials,
            judged: cell.judged,
            spent: cell.spent,
            bencher,
        }
    }
}

fn part_of(spent: Spending, part: f64) -> Spending {
    let of = |count: u64| (count as f64 * part).round() as u64;
    let mut usage = spent.usage;
    (usage.prompt_tokens, usage.completion_tokens) =
        (of(usage.prompt_tokens), of(usage.completion_tokens));
    (usage.cached_tokens, usage.reasoning_tokens) =
        (of(usage.cached_tokens), of(usage.reasoning_tokens));
    Spending {
        calls: of(spent.calls),
        usage,
        usd: spent.usd.map(|usd| usd * part),
    }
}

fn resampled(method: &Method<'_>, plan: &Bootstrap) -> Result<Resampled, EngineError> {
    Ok(match method {
        Method::Pairs(pairs, method) => resample_pairs(pairs, *method, Cluster::Item, plan)?,
        Method::Points(scores, method) => resample_scores(scores, *method, Cluster::Item, plan)?,
    })
}

/// What is computed once for a cell's own row: every system as the reference, and the fixed budget.
fn extras(
    report: &mut StudyReport,
    row: usize,
    cell: &Cell,
    aggregation: Aggregation,
    config: &Config,
) -> Result<(), EngineError> {
    let (Verdicts::Pairs(pairs), Some(method)) = (&cell.verdicts, aggregation.pair_method(None))
    else {
        return Ok(());
    };
    let per_item = pairs.rows().len() / pairs.clusters(Cluster::Item).max(1);
    let compares_all = per_item > 2 * cell.systems.len().saturating_sub(1);
    if compares_all
        && cell
            .systems
            .iter()
            .any(|system| config.is_reference(system))
    {
        let found = reference::references(
            pairs,
            method,
            (&cell.systems, &cell.ratings),
            |name| config.is_reference(name),
            &report.plan,
        )?;
        report.references.push((row, found));
    }
    if config.fixed_budget && compares_all {
        let found = budget::splits(
            pairs,
            method,
            &cell.ratings,
            config.budget_rounds,
            (config.level, config.seed),
        )?;
        report.budgets.push((row, found));
    }
    Ok(())
}

/// The frontier and the recommendation, in US dollars of the rows with a price where there are any,
/// else in tokens.
fn cost(report: &mut StudyReport, config: &Config) {
    report.unit = if report
        .rows
        .iter()
        .any(|row| spent(row, Unit::Usd).is_some())
    {
        Unit::Usd
    } else {
        Unit::Tokens
    };
    let unit = report.unit;
    let all = benchers(report, |row| spent(row, unit));
    let frontier = frontier(&all);
    let candidates = match config.advice.budget {
        Some(_) => all,
        // Where cost does not decide, none is left out for want of a price.
        None => benchers(report, |row| {
            Some(spent(row, unit).unwrap_or(f64::INFINITY))
        }),
    };
    let recommendation = recommend(&report.rows, &candidates, unit, &config.advice);
    let warnings = cost_warnings(report, config);
    (report.frontier, report.recommendation) = (frontier, recommendation);
    report.warnings.extend(warnings);
}

/// What a row took; None where that is not known.
fn spent(row: &Row, unit: Unit) -> Option<f64> {
    let spent = row.spent?;
    match unit {
        Unit::Usd => spent.usd,
        Unit::Tokens => Some((spent.usage.prompt_tokens + spent.usage.completion_tokens) as f64)
            .filter(|n| *n > 0.0),
    }
}

fn cost_warnings(report: &StudyReport, config: &Config) -> Vec<String> {
    let without: Vec<&Row> = report
        .rows
        .iter()
        .filter(|row| spent(row, report.unit).is_none())
        .collect();
    let mut warnings = Vec::new();
    if let [first, ..] = without.as_slice() {
        let mut names = without
            .iter()
            .map(|row| format!("{} on {}", row.judge, row.input))
            .collect::<Vec<_>>();
        names.dedup();
        let (count, names) = (without.len(), names.join(", "));
        let priced = if spent(first, Unit::Tokens).is_some() {
            "price"
        } else {
            "cost"
        };
        warnings.push(format!(
            "no {priced} is known of {names} (benchers: {count}): not on the frontier, nor \
             recommended within a budget; \
             give --prices, or cost-usd of [[recorded]]"
        ));
    }
    if config.advice.budget.is_some() && report.unit != Unit::Usd {
        warnings.push(
            "the budget is in US dollars, and no bencher has a price: nothing is recommended"
                .into(),
        );
    }
    warnings
}

/// The rows that have a cost.
fn benchers(report: &StudyReport, cost: impl Fn(&Row) -> Option<f64>) -> Vec<Priced<'_>> {
    let rows = report.rows.iter().zip(&report.shares).enumerate();
    rows.filter_map(|(at, (row, curve))| {
        Some(Priced {
            row: at,
            input: &row.input,
            cost: cost(row)?,
            curve,
        })
    })
    .collect()
}

/// Every measure of the judges in the three settings, by the first evaluation type that compares
/// pairs; in settings 1 and 3 by Bradley-Terry, as in the paper.
pub(super) fn measures(report: &StudyReport) -> Vec<Measure> {
    let mut found: Vec<Measure> = Vec::new();
    let mut note = |setting: u8, input: &str, judge: &str, value: Option<f64>| {
        let Some(value) = value else { return };
        let at = found
            .iter()
            .position(|measure| measure.setting == setting && measure.input == input)
            .unwrap_or_else(|| {
                found.push(Measure {
                    setting,
                    input: input.into(),
                    ..Measure::default()
                });
                found.len() - 1
            });
        found[at].judges.entry(judge.into()).or_insert(value);
    };
    for row in report.rows.iter().filter(|row| {
        row.reference.is_none() && !row.pointwise && row.aggregation == "bradley-terry"
    }) {
        note(
            1,
            &row.input,
            &row.judge,
            row.bencher.figures.spearman.value,
        );
    }
    // A type that is no protocol of ours is a name that a recorded judge was given: its games are
    // of pairs.
    let compares = |kind: &str| {
        live::protocol(kind).map_or(true, |protocol| protocol.form().slots() == Slots::Two)
    };
    for (input, evaluation) in report
        .labelled
        .iter()
        .filter(|(_, evaluation)| compares(&evaluation.protocol))
    {
        note(
            2,
            input,
            &evaluation.judge,
            evaluation.total.measures.accuracy.value,
        );
        note(
            3,
            input,
            &evaluation.judge,
            evaluation
                .systems
                .as_ref()
                .and_then(|systems| systems.rho.value),
        );
    }
    found
}
