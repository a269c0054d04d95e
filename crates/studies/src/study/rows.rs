//! From cells to the rows of the study's table, and to everything that is computed of them.

use super::budget::{Split, budget_splits};
use super::cell::{Cell, CellMethod, RandomCell, Spending, Verdicts, with_reference};
use super::config::{Config, setting};
use super::random::RandomRow;
use super::reference::ReferenceStudy;
use super::rounds::Rounds;
use super::share::{SharePoint, share_curve};
use super::{StudyReport, costs};
use crate::bencher::{BencherRow, Rated, RatedRow};
use evenhand_core::Usage;
use evenhand_engine::{Aggregation, EngineError};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Estimate, PairMethod, Resampled, resample_pairs,
    resample_scores,
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
    /// Spearman's rho in every round: benchers of the same input set have the same rounds.
    pub rho_rounds: Vec<Estimate>,
}

/// Computes everything that the cells say.
pub(super) fn fill_report(
    report: &mut StudyReport,
    cells: &[Cell],
    rated: &Rated,
    config: &Config,
) -> Result<(), EngineError> {
    let aggregations = config.aggregations().map_err(setting)?;
    let mut rows = RowMaker {
        report,
        rated,
        thresholds: thresholds(config),
        config,
    };
    for cell in cells {
        rows.add_rows(cell, &aggregations)?;
    }
    costs::add_costs(report, config);
    Ok(())
}

/// Returns the thresholds of tau_u that were asked for; the advice's own comes last.
fn thresholds(config: &Config) -> Vec<f64> {
    let Config { u, advice, .. } = config;
    let closest = advice.closest.filter(|closest| !u.contains(closest));
    u.iter().copied().chain(closest).collect()
}

/// Says which systems of a cell have no rating.
fn unrated_systems(cell: &Cell) -> Option<String> {
    let names = cell.unrated_names();
    (!names.is_empty()).then(|| unrated_warning(cell, &names))
}

fn unrated_warning(Cell { judge, input, .. }: &Cell, names: &str) -> String {
    format!("{judge} on {input}: no rating is known of {names}; left out of the correlations")
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
    fn add_rows(&mut self, cell: &Cell, all: &[Aggregation]) -> Result<(), EngineError> {
        for aggregation in all {
            self.add_cell(cell, *aggregation)?;
        }
        self.report.warnings.extend(unrated_systems(cell));
        Ok(())
    }

    /// Adds the row of a cell and an aggregation, where the judgments have it; one for each
    /// reference that was named; and what is computed once for the cell's own row.
    fn add_cell(&mut self, cell: &Cell, aggregation: Aggregation) -> Result<(), EngineError> {
        let own = self.report.rows.len();
        self.add_row(cell, None, aggregation)?;
        self.add_named_references(cell, aggregation)?;
        if self.report.rows.len() > own {
            self.add_random_row(own, cell, aggregation)?;
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
        let bencher = self.rated_row(cell, method, aggregation)?;
        self.report.shares.push(self.share_curve(cell, method)?);
        let row = StudyRow::new(cell, reference, aggregation, bencher);
        self.report.rows.push(row);
        Ok(())
    }

    fn rated_row(
        &self,
        cell: &Cell,
        method: CellMethod<'_>,
        aggregation: Aggregation,
    ) -> Result<RatedRow, EngineError> {
        let plan = &self.report.plan;
        let names = (cell.judge.as_str(), aggregation.name());
        let resampled = resampled(&method, plan)?;
        self.rated
            .row(names, &cell.systems, &resampled, &self.thresholds, plan)
    }

    /// Adds a cell's own row with random verdicts in the place of failures, where they were drawn.
    fn add_random_row(
        &mut self,
        row: usize,
        cell: &Cell,
        aggregation: Aggregation,
    ) -> Result<(), EngineError> {
        let Some(random) = &cell.random else {
            return Ok(());
        };
        if let Some(method) = random.verdicts.method(aggregation) {
            let rated = self.rated_row(cell, method, aggregation)?;
            let found = random.row(rated.row, self.report.plan.seed);
            self.report.random_rows.push((row, found));
        }
        Ok(())
    }

    fn share_curve(
        &self,
        cell: &Cell,
        method: CellMethod<'_>,
    ) -> Result<Vec<SharePoint>, EngineError> {
        let rounds = self.rounds(self.config.share_rounds);
        Ok(share_curve(
            method,
            &cell.ratings,
            &self.config.shares,
            rounds,
        )?)
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
        if let Some((pairs, method)) = verdicts {
            let extras = Extras {
                row,
                cell,
                pairs,
                method,
            };
            self.add_references(extras)?;
            self.add_budget(extras)?;
        }
        Ok(())
    }

    fn add_budget(&mut self, extras: Extras<'_>) -> Result<(), EngineError> {
        if self.config.fixed_budget {
            let rounds = self.rounds(self.config.budget_rounds);
            let splits = extras.budget_splits(rounds)?;
            self.report.budgets.push((extras.row, splits));
        }
        Ok(())
    }

    fn add_references(&mut self, extras: Extras<'_>) -> Result<(), EngineError> {
        let config = self.config;
        let is_wanted = |name: &str| config.is_reference(name);
        if extras.cell.systems.iter().any(|system| is_wanted(system)) {
            let study = extras.reference_study(&self.report.plan);
            let found = study.references(is_wanted)?;
            self.report.references.push((extras.row, found));
        }
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

/// A row whose pairs all met, of which more can be computed.
#[derive(Clone, Copy)]
struct Extras<'a> {
    row: usize,
    cell: &'a Cell,
    pairs: &'a Comparisons,
    method: PairMethod,
}

impl<'a> Extras<'a> {
    fn reference_study(self, plan: &'a Bootstrap) -> ReferenceStudy<'a> {
        ReferenceStudy {
            pairs: self.pairs,
            method: self.method,
            systems: &self.cell.systems,
            ratings: &self.cell.ratings,
            plan,
        }
    }

    fn budget_splits(self, rounds: Rounds) -> Result<Vec<Split>, EngineError> {
        let ratings = &self.cell.ratings;
        Ok(budget_splits(self.pairs, self.method, ratings, rounds)?)
    }
}

impl Cell {
    fn unrated_names(&self) -> String {
        let systems = self.systems.iter().zip(&self.ratings);
        let unrated = systems.filter(|(_, rating)| rating.is_none());
        let names: Vec<&str> = unrated.map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }

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
    let (part, whole) = (own.rows().len(), pairs.rows().len());
    let is_part = part > 0 && part < whole;
    Ok(is_part.then(|| part_of_cell(cell, own, part as f64 / whole as f64)))
}

/// Returns the part of a cell with these of its comparisons.
fn part_of_cell(cell: &Cell, pairs: Comparisons, share: f64) -> Cell {
    Cell {
        trials: part_of(cell.trials, share),
        judged: pairs.rows().len() as u64,
        spent: cell.spent.map(|spent| spent.part(share)),
        random: None,
        verdicts: Verdicts::Pairs(pairs),
        ..cell.clone()
    }
}

impl StudyRow {
    fn new(
        cell: &Cell,
        reference: Option<&String>,
        aggregation: Aggregation,
        rated: RatedRow,
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
            bencher: rated.row,
            rho_rounds: rated.rho_rounds,
        }
    }
}

impl RandomCell {
    fn row(&self, bencher: BencherRow, seed: u64) -> RandomRow {
        RandomRow {
            counts: self.counts,
            seed,
            spearman: bencher.figures.spearman,
            kendall_tau_b: bencher.figures.kendall_tau_b,
        }
    }
}

impl Spending {
    /// Returns a share of it.
    fn part(self, share: f64) -> Spending {
        Spending {
            calls: part_of(self.calls, share),
            usage: usage_part(self.usage, share),
            usd: self.usd.map(|usd| usd * share),
        }
    }
}

fn usage_part(usage: Usage, share: f64) -> Usage {
    let part = |count| part_of(count, share);
    Usage {
        prompt_tokens: part(usage.prompt_tokens),
        completion_tokens: part(usage.completion_tokens),
        cached_tokens: part(usage.cached_tokens),
        reasoning_tokens: part(usage.reasoning_tokens),
    }
}

fn part_of(count: u64, share: f64) -> u64 {
    (count as f64 * share).round() as u64
}

fn resampled(method: &CellMethod<'_>, plan: &Bootstrap) -> Result<Resampled, EngineError> {
    Ok(match method {
        CellMethod::Pairs(pairs, method) => resample_pairs(pairs, *method, Cluster::Item, plan)?,
        CellMethod::Points(scores, method) => {
            resample_scores(scores, *method, Cluster::Item, plan)?
        }
    })
}
