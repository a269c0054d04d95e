//! From cells to the rows of the study's table, and to everything that is computed of them.

use super::budget::budget_splits;
use super::cell::{Cell, CellMethod, Spending, Verdicts, with_reference};
use super::config::{Config, setting};
use super::reference::ReferenceStudy;
use super::rounds::Rounds;
use super::share::share_curve;
use super::{StudyReport, costs};
use crate::bencher::{BencherRow, Rated};
use evenhand_engine::{Aggregation, EngineError};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, PairMethod, Resampled, resample_pairs, resample_scores,
};

/// A bencher: input set x judge x evaluation type x aggregation x reference system.
#[derive(Clone, Debug)]
pub struct StudyRow {
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

/// Computes everything that the cells say.
pub(super) fn fill_report(
    report: &mut StudyReport,
    cells: &[Cell],
    rated: &Rated,
    config: &Config,
) -> Result<(), EngineError> {
    let mut thresholds = config.u.clone();
    thresholds.extend(config.advice.closest.filter(|u| !config.u.contains(u)));
    let mut rows = RowMaker {
        report,
        rated,
        thresholds,
        config,
    };
    let aggregations = config.aggregations().map_err(setting)?;
    for cell in cells {
        for aggregation in &aggregations {
            rows.add_cell(cell, *aggregation)?;
        }
        rows.report.warnings.extend(unrated_systems(cell));
    }
    costs::add_costs(report, config);
    Ok(())
}

/// Says which systems of a cell have no rating.
fn unrated_systems(cell: &Cell) -> Option<String> {
    let systems = cell.systems.iter().zip(&cell.ratings);
    let without: Vec<&str> = systems
        .filter(|(_, rating)| rating.is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let (judge, input, names) = (&cell.judge, &cell.input, without.join(", "));
    (!without.is_empty()).then(|| {
        format!("{judge} on {input}: no rating is known of {names}; left out of the correlations")
    })
}

/// Adds rows to a report.
struct RowMaker<'a> {
    report: &'a mut StudyReport,
    rated: &'a Rated,
    /// Further thresholds of tau_u.
    thresholds: Vec<f64>,
    config: &'a Config,
}

impl RowMaker<'_> {
    /// Adds the row of a cell and an aggregation, where the judgments have it; one for each
    /// reference that was named; and what is computed once for the cell's own row.
    fn add_cell(&mut self, cell: &Cell, aggregation: Aggregation) -> Result<(), EngineError> {
        let own = self.report.rows.len();
        self.add_row(cell, None, aggregation)?;
        self.add_named_references(cell, aggregation)?;
        if self.report.rows.len() > own {
            self.add_extras(own, cell, aggregation)?;
        }
        Ok(())
    }

    fn add_row(
        &mut self,
        cell: &Cell,
        reference: Option<&String>,
        aggregation: Aggregation,
    ) -> Result<(), EngineError> {
        let Some(method) = cell.verdicts.method(aggregation) else {
            return Ok(());
        };
        let plan = self.report.plan;
        let bencher = self.rated.row(
            (cell.judge.as_str(), aggregation.name()),
            &cell.systems,
            &resampled(&method, &plan)?,
            &self.thresholds,
            &plan,
        )?;
        let rounds = self.rounds(self.config.share_rounds);
        let curve = share_curve(method, &cell.ratings, &self.config.shares, rounds)?;
        self.report.shares.push(curve);
        self.report
            .rows
            .push(StudyRow::new(cell, reference, aggregation, bencher));
        Ok(())
    }

    fn add_named_references(
        &mut self,
        cell: &Cell,
        aggregation: Aggregation,
    ) -> Result<(), EngineError> {
        for (at, system) in cell.systems.iter().enumerate() {
            if !self.config.is_named(system) {
                continue;
            }
            if let Some(part) = part_with_reference(cell, at)? {
                self.add_row(&part, Some(system), aggregation)?;
            }
        }
        Ok(())
    }

    /// Adds what is computed once for a cell's own row: every system as the reference, and the fixed
    /// budget.
    fn add_extras(
        &mut self,
        row: usize,
        cell: &Cell,
        aggregation: Aggregation,
    ) -> Result<(), EngineError> {
        let verdicts = cell.all_pairs().zip(aggregation.pair_method(None));
        let Some((pairs, method)) = verdicts else {
            return Ok(());
        };
        self.add_references(row, cell, pairs, method)?;
        if self.config.fixed_budget {
            let rounds = self.rounds(self.config.budget_rounds);
            let splits = budget_splits(pairs, method, &cell.ratings, rounds)?;
            self.report.budgets.push((row, splits));
        }
        Ok(())
    }

    fn add_references(
        &mut self,
        row: usize,
        cell: &Cell,
        pairs: &Comparisons,
        method: PairMethod,
    ) -> Result<(), EngineError> {
        let config = self.config;
        let mut systems = cell.systems.iter();
        if !systems.any(|system| config.is_reference(system)) {
            return Ok(());
        }
        let study = ReferenceStudy {
            pairs,
            method,
            systems: &cell.systems,
            ratings: &cell.ratings,
            plan: &self.report.plan,
        };
        let found = study.references(|name| config.is_reference(name))?;
        self.report.references.push((row, found));
        Ok(())
    }

    fn rounds(&self, count: usize) -> Rounds {
        Rounds {
            count,
            level: self.config.level,
            seed: self.config.seed,
        }
    }
}

impl Cell {
    /// Returns the comparisons of a cell in which every system met others; None where one system
    /// was compared with all others alone, or responses were judged one at a time.
    fn all_pairs(&self) -> Option<&Comparisons> {
        let Verdicts::Pairs(pairs) = &self.verdicts else {
            return None;
        };
        let per_item = pairs.rows().len() / pairs.clusters(Cluster::Item).max(1);
        (per_item > 2 * self.systems.len().saturating_sub(1)).then_some(pairs)
    }
}

/// Returns the part of a cell in which a system is the reference; None where that is nothing, or
/// the cell.
fn part_with_reference(cell: &Cell, system: usize) -> Result<Option<Cell>, EngineError> {
    let Verdicts::Pairs(pairs) = &cell.verdicts else {
        return Ok(None);
    };
    let own = with_reference(pairs, system)?;
    let share = own.rows().len() as f64 / pairs.rows().len().max(1) as f64;
    let is_part = share > 0.0 && share < 1.0;
    Ok(is_part.then(|| part_of_cell(cell, own, share)))
}

/// Returns the part of a cell with these of its comparisons.
fn part_of_cell(cell: &Cell, pairs: Comparisons, share: f64) -> Cell {
    Cell {
        trials: (cell.trials as f64 * share).round() as u64,
        judged: pairs.rows().len() as u64,
        spent: cell.spent.map(|spent| spent.part(share)),
        verdicts: Verdicts::Pairs(pairs),
        ..cell.clone()
    }
}

impl StudyRow {
    fn new(
        cell: &Cell,
        reference: Option<&String>,
        aggregation: Aggregation,
        bencher: BencherRow,
    ) -> StudyRow {
        StudyRow {
            input: cell.input.clone(),
            judge: cell.judge.clone(),
            kind: cell.kind.clone(),
            reference: reference.cloned(),
            aggregation: aggregation.name(),
            pointwise: cell.verdicts.is_pointwise(),
            trials: cell.trials,
            judged: cell.judged,
            spent: cell.spent,
            bencher,
        }
    }
}

impl Spending {
    /// Returns a share of it.
    fn part(self, share: f64) -> Spending {
        let of = |count: u64| (count as f64 * share).round() as u64;
        let mut usage = self.usage;
        usage.prompt_tokens = of(usage.prompt_tokens);
        usage.completion_tokens = of(usage.completion_tokens);
        usage.cached_tokens = of(usage.cached_tokens);
        usage.reasoning_tokens = of(usage.reasoning_tokens);
        Spending {
            calls: of(self.calls),
            usage,
            usd: self.usd.map(|usd| usd * share),
        }
    }
}

fn resampled(method: &CellMethod<'_>, plan: &Bootstrap) -> Result<Resampled, EngineError> {
    Ok(match method {
        CellMethod::Pairs(pairs, method) => resample_pairs(pairs, *method, Cluster::Item, plan)?,
        CellMethod::Points(scores, method) => {
            resample_scores(scores, *method, Cluster::Item, plan)?
        }
    })
}
