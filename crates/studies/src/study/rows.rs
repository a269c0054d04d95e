//! From cells to the rows of the study's table, and to everything that is computed of them.

use super::StudyReport;
use super::agreement::Rounds;
use super::agreement::share_curve;
use super::budget::budget_splits;
use super::cell::{Cell, CellMethod, Spending, Verdicts, with_reference};
use super::config::{Config, setting};
use super::random::RandomRow;
use super::reference::ReferenceStudy;
use crate::bencher::{BencherRow, Rated, RatedRow};
use evenhand_core::Usage;
use evenhand_engine::EngineError;
use evenhand_ranking::Aggregation;
use evenhand_stats::inference::{Contributions, compare_jointly};
use evenhand_stats::{Cluster, Comparisons, Estimate, PairMethod, resample_pairs, resample_scores};

/// A bencher: input set x judge x evaluation type x aggregation x reference system.
#[derive(Clone, Debug, Default)]
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
    // The threshold of the advice comes last.
    let mut thresholds = config.u.clone();
    let closest = config.advice.closest;
    thresholds.extend(closest.filter(|closest| !config.u.contains(closest)));
    let mut rows = RowMaker {
        report,
        rated,
        thresholds,
        config,
    };
    for cell in cells {
        for aggregation in &aggregations {
            rows.add_cell(cell, *aggregation)?;
        }
        let systems = cell.systems.iter().zip(&cell.ratings);
        let unrated: Vec<&str> = systems
            .filter(|(_, rating)| rating.is_none())
            .map(|(name, _)| name.as_str())
            .collect();
        let names = unrated.join(", ");
        if !names.is_empty() {
            rows.report.warnings.push(format!(
                "{} on {}: no rating of {names} is known; left out of the correlations",
                cell.judge, cell.input
            ));
        }
    }
    Ok(())
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
        let config = self.config;
        let own = self.report.rows.len();
        self.add_row(cell, None, aggregation)?;
        for (at, system) in cell.systems.iter().enumerate() {
            if config.is_named(system)
                && let Some(part) = part_with_reference(cell, at)?
            {
                self.add_row(&part, Some(system), aggregation)?;
            }
        }
        if self.report.rows.len() == own {
            return Ok(());
        }

        // With random verdicts in the place of failures, where they were drawn.
        if let Some(random) = &cell.random
            && let Some(method) = random.verdicts.method(aggregation)
        {
            let figures = self.rated_row(cell, method, aggregation)?.row.figures;
            let row = RandomRow {
                counts: random.counts,
                seed: self.report.plan.seed,
                spearman: figures.spearman,
                kendall_tau_b: figures.kendall_tau_b,
            };
            self.report.random_rows.push((own, row));
        }
        // Every system as the reference, and the fixed budget, need pairs that all met.
        let Some((pairs, method)) = cell.all_pairs().zip(aggregation.pair_method(None)) else {
            return Ok(());
        };
        let is_reference = |name: &str| config.is_reference(name);
        if cell.systems.iter().any(|system| is_reference(system)) {
            let study = ReferenceStudy {
                pairs,
                method,
                systems: &cell.systems,
                ratings: &cell.ratings,
                plan: &self.report.plan,
            };
            let found = study.references(is_reference)?;
            self.report.references.push((own, found));
        }
        if config.fixed_budget {
            let rounds = self.rounds(config.budget_rounds);
            let splits = budget_splits(pairs, method, &cell.ratings, rounds)?;
            self.report.budgets.push((own, splits));
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
        let rated = self.rated_row(cell, method, aggregation)?;
        let rounds = self.rounds(self.config.share_rounds);
        let shares = share_curve(method, &cell.ratings, &self.config.shares, rounds)?;
        self.report.shares.push(shares);
        self.report.rows.push(StudyRow {
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
        });
        Ok(())
    }

    fn rated_row(
        &self,
        cell: &Cell,
        method: CellMethod<'_>,
        aggregation: Aggregation,
    ) -> Result<RatedRow, EngineError> {
        let plan = &self.report.plan;
        let (resampled, contributions) = match method {
            CellMethod::Pairs(pairs, method) => {
                let found = resample_pairs(pairs, method, Cluster::Item, plan)?;
                // A weakness is shown turned.
                let shown = found.point.estimates.iter().map(|estimate| match method {
                    PairMethod::Eigenvector => estimate.map(|weakness| -weakness),
                    _ => *estimate,
                });
                let shown: Vec<Estimate> = shown.collect();
                let added = Contributions::of_pairs(pairs, method, Cluster::Item, &shown, plan);
                (found, added)
            }
            CellMethod::Points(scores, method) => (
                resample_scores(scores, method, Cluster::Item, plan)?,
                Contributions::of_scores(scores, method, Cluster::Item, plan),
            ),
        };
        let compared = contributions.and_then(|found| compare_jointly(&found, plan));
        let names = (cell.judge.as_str(), aggregation.name());
        let found = (&resampled, compared);
        self.rated
            .row(names, &cell.systems, found, &self.thresholds, plan)
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
    let (part, whole) = (own.rows().len(), pairs.rows().len());
    if part == 0 || part == whole {
        return Ok(None);
    }
    let share = part as f64 / whole as f64;
    Ok(Some(Cell {
        trials: part_of(cell.trials, share),
        judged: part as u64,
        spent: cell.spent.map(|spent| spent.part(share)),
        random: None,
        verdicts: Verdicts::Pairs(own),
        ..cell.clone()
    }))
}

impl Spending {
    /// Returns a share of it.
    fn part(self, share: f64) -> Spending {
        Spending {
            calls: part_of(self.calls, share),
            usage: Usage {
                prompt_tokens: part_of(self.usage.prompt_tokens, share),
                completion_tokens: part_of(self.usage.completion_tokens, share),
                cached_tokens: part_of(self.usage.cached_tokens, share),
                reasoning_tokens: part_of(self.usage.reasoning_tokens, share),
            },
            usd: self.usd.map(|usd| usd * share),
            seconds: self.seconds.map(|seconds| seconds * share),
            kwh: self.kwh.map(|kwh| kwh * share),
            grams_co2: self.grams_co2.map(|grams| grams * share),
        }
    }
}

fn part_of(count: u64, share: f64) -> u64 {
    (count as f64 * share).round() as u64
}
