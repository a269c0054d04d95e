//! Evaluation types held against a baseline, with what they cost: PORTIA's tables 1, 2, 8 and 16,
//! and the mean relative gains that PRePair and PORTIA lead with.

use super::asks::protocol;
use super::cell::Spending;
use super::config::Config;
use super::totals::{JudgedSets, TOTAL, merge_totals};
use crate::judge::{JudgedPairs, Labels, MethodColumn, MethodFigures, Settings, measure_method};
use evenhand_core::in_order;
use evenhand_engine::EngineError;
use evenhand_protocols::{Pack, Protocol};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A judge by one evaluation type, on one set of pairs or on several together.
#[derive(Clone, Debug)]
pub struct MethodRow {
    /// The set, or the name of the total.
    pub input: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type, with the name of the prompts where they are not the built-in ones.
    pub kind: String,
    /// The form of its verdicts; the evaluation type where that is no protocol.
    pub form: String,
    /// Its calibration; likewise.
    pub method: String,
    /// The evaluation type that it is compared with; None of a baseline, and where there is none.
    pub baseline: Option<String>,
    /// How it does.
    pub figures: MethodFigures,
    /// What it takes when it is asked alone; None of recorded judges.
    pub spent: Option<Spending>,
    /// The same over what the cost's baseline takes, the first of the study's baselines.
    pub relative: RelativeCost,
}

/// A method by all judges.
#[derive(Clone, Debug)]
pub struct MethodMean {
    /// The set, or the name of the total.
    pub input: String,
    /// The evaluation type; the calibration where the mean is over several forms.
    pub method: String,
    /// What each is compared with.
    pub baselines: Vec<String>,
    /// How many judges there are.
    pub judges: usize,
    /// How many forms.
    pub forms: usize,
    /// Judges by forms: what the mean is over.
    pub columns: usize,
    /// Means over the columns.
    pub figures: MethodFigures,
    /// The same of costs.
    pub relative: RelativeCost,
}

/// What a method takes as a multiple of what its baseline does; None where either is not known, or
/// the baseline's is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct RelativeCost {
    /// Of calls.
    pub relative_calls: Option<f64>,
    /// Of tokens, of prompts and replies together.
    pub relative_tokens: Option<f64>,
    /// Of US dollars.
    pub relative_usd: Option<f64>,
    /// Of seconds, and so of energy and carbon.
    pub relative_seconds: Option<f64>,
}

/// What all methods of one judge took together: a call that several share is asked once.
#[derive(Clone, Debug)]
pub struct TogetherCost {
    /// The judge.
    pub judge: String,
    /// What they took.
    pub spent: Spending,
}

/// What a judge said of a set by one evaluation type, and what that takes alone.
pub(super) struct MethodCell {
    pub(super) input: String,
    pub(super) judged: JudgedPairs,
    pub(super) spent: Option<Spending>,
}

/// Makes the rows of all sets and totals, and the means over judges and forms. `labelled` and
/// `unlabelled` are what judges said of the sets with and without labels.
///
/// # Errors
/// A bad level.
pub(super) fn compare_methods(
    config: &Config,
    labelled: Vec<MethodCell>,
    unlabelled: Vec<MethodCell>,
    settings: &Settings,
) -> Result<(Vec<MethodRow>, Vec<MethodMean>), EngineError> {
    let mut cells = labelled;
    let sets: JudgedSets = cells
        .iter()
        .map(|cell| (cell.input.clone(), cell.judged.clone()))
        .collect();
    let of_totals: Vec<MethodCell> = merge_totals(config, &sets)
        .iter()
        .flat_map(|(total, merged)| {
            let several = merged.iter().filter(|one| one.subsets.len() > 1);
            several.map(|judged| MethodCell {
                input: total.clone(),
                spent: spent_on(config, total, judged, &cells),
                judged: judged.clone(),
            })
        })
        .collect();
    cells.extend(of_totals);
    cells.extend(unlabelled);
    let grid = Grid { config, cells };
    let mut rows = Vec::new();
    for cell in &grid.cells {
        let column = grid.column(cell);
        let kind = &cell.judged.protocol;
        let asked = parsed(kind);
        let form = asked.as_ref().map(|asked| asked.form().to_string());
        let method = asked.and_then(|asked| asked.calibration_name());
        rows.push(MethodRow {
            input: cell.input.clone(),
            judge: cell.judged.judge.clone(),
            kind: cell.judged.protocol_name(),
            form: form.unwrap_or_else(|| kind.clone()),
            method: method.unwrap_or_else(|| kind.clone()),
            baseline: column.baseline.map(|one| one.protocol.clone()),
            figures: measure_method(&[column], settings)?,
            spent: cell.spent,
            relative: grid.relative_cost(cell),
        });
    }
    let means = grid.means(settings)?;
    Ok((rows, means))
}

/// Returns what the sets of a total took together; None where that of one is not known.
fn spent_on(
    config: &Config,
    total: &str,
    judged: &JudgedPairs,
    cells: &[MethodCell],
) -> Option<Spending> {
    let sets = config.totals.get(total);
    let is_in = |cell: &&MethodCell| {
        let of_total = sets.map_or(total == TOTAL, |sets| sets.contains(&cell.input));
        of_total && cell.judged.is_same_judge(judged)
    };
    let spent = cells.iter().filter(is_in).map(|cell| cell.spent);
    let spent: Vec<Spending> = spent.collect::<Option<_>>()?;
    spent.into_iter().reduce(Spending::and)
}

/// All cells, and what each is held against.
struct Grid<'a> {
    config: &'a Config,
    cells: Vec<MethodCell>,
}

impl Grid<'_> {
    /// Returns the cell of the same judge and set by another evaluation type.
    fn sibling(&self, cell: &MethodCell, kind: &str) -> Option<&MethodCell> {
        self.find(&cell.input, &cell.judged.judge, kind, &cell.judged.prompts)
    }

    fn find(
        &self,
        input: &str,
        judge: &str,
        kind: &str,
        prompts: &Option<String>,
    ) -> Option<&MethodCell> {
        self.cells.iter().find(|other| {
            let JudgedPairs {
                judge: by,
                protocol,
                prompts: asked,
                ..
            } = &other.judged;
            other.input == input && by == judge && protocol == kind && asked == prompts
        })
    }

    /// Returns the baseline of an evaluation type: the one of its form, or else the first.
    fn baseline_of(&self, kind: &str) -> Option<&str> {
        let baselines = &self.config.baselines;
        if baselines.iter().any(|baseline| baseline == kind) {
            return None;
        }
        let form = parsed(kind).map(|protocol| protocol.form());
        let alike = |one: &&String| form.is_some() && parsed(one).map(|one| one.form()) == form;
        let own = baselines.iter().find(alike).or(baselines.first());
        own.map(String::as_str)
    }

    fn column<'c>(&'c self, cell: &'c MethodCell) -> MethodColumn<'c> {
        let kind = &cell.judged.protocol;
        let baseline = self.baseline_of(kind);
        let labels = match self.config.unlabelled.get(&cell.input) {
            None => Labels::People,
            // The gold judge is asked without the method, as in PORTIA's table 8.
            Some(set) => {
                let gold = set.gold.as_ref().filter(|gold| **gold != cell.judged.judge);
                let by = baseline.unwrap_or(kind);
                let gold = gold.and_then(|gold| self.find(&cell.input, gold, by, &None));
                gold.map_or(Labels::None, |gold| Labels::Judge(&gold.judged))
            }
        };
        MethodColumn {
            method: &cell.judged,
            baseline: baseline.and_then(|kind| Some(&self.sibling(cell, kind)?.judged)),
            labels,
        }
    }

    /// Returns the cost of a cell over that of the first baseline.
    fn relative_cost(&self, cell: &MethodCell) -> RelativeCost {
        let first = self.config.baselines.first();
        let baseline = first.and_then(|kind| self.sibling(cell, kind)?.spent);
        let Some((own, baseline)) = cell.spent.zip(baseline) else {
            return RelativeCost::default();
        };
        let over = |own: f64, baseline: f64| (baseline > 0.0).then(|| own / baseline);
        RelativeCost {
            relative_calls: over(own.calls as f64, baseline.calls as f64),
            relative_tokens: over(own.tokens() as f64, baseline.tokens() as f64),
            relative_usd: own
                .usd
                .zip(baseline.usd)
                .and_then(|(own, base)| over(own, base)),
            relative_seconds: own
                .seconds
                .zip(baseline.seconds)
                .and_then(|(own, base)| over(own, base)),
        }
    }

    /// Returns the means over judges of each evaluation type, where there are several judges; and
    /// those over judges and forms of each calibration that is asked for in several forms.
    fn means(&self, settings: &Settings) -> Result<Vec<MethodMean>, EngineError> {
        let plain = || {
            self.cells
                .iter()
                .filter(|cell| cell.judged.prompts.is_none())
        };
        let mut found = Vec::new();
        for input in in_order(plain().map(|cell| &cell.input)) {
            // By evaluation type and by calibration, in the order in which they come first.
            let mut groups: Vec<(String, bool, Vec<&MethodCell>)> = Vec::new();
            for cell in plain().filter(|cell| cell.input == *input) {
                let kind = &cell.judged.protocol;
                let calibration = parsed(kind).and_then(|one| one.calibration_name());
                let names = [
                    Some((kind.clone(), false)),
                    calibration.map(|name| (name, true)),
                ];
                for (name, of_forms) in names.into_iter().flatten() {
                    let known = groups
                        .iter_mut()
                        .find(|one| one.0 == name && one.1 == of_forms);
                    match known {
                        Some((.., cells)) => cells.push(cell),
                        None => groups.push((name, of_forms, vec![cell])),
                    }
                }
            }
            groups.sort_by_key(|(_, of_forms, _)| *of_forms);
            for (method, of_forms, cells) in groups {
                found.extend(self.mean(input, method, of_forms, &cells, settings)?);
            }
        }
        Ok(found)
    }

    /// Returns the mean over these cells; None where there is one alone, and over forms where one
    /// form is there twice or alone.
    fn mean(
        &self,
        input: &str,
        method: String,
        of_forms: bool,
        cells: &[&MethodCell],
        settings: &Settings,
    ) -> Result<Option<MethodMean>, EngineError> {
        let kinds: BTreeSet<&str> = cells
            .iter()
            .map(|cell| cell.judged.protocol.as_str())
            .collect();
        let forms: BTreeMap<String, usize> =
            kinds.iter().fold(BTreeMap::new(), |mut forms, kind| {
                let form =
                    parsed(kind).map_or_else(|| (*kind).into(), |one| one.form().to_string());
                *forms.entry(form).or_default() += 1;
                forms
            });
        let is_one_a_form = forms.len() == kinds.len() && forms.len() > 1;
        if cells.len() < 2 || (of_forms && !is_one_a_form) {
            return Ok(None);
        }
        let columns: Vec<MethodColumn<'_>> = cells.iter().map(|cell| self.column(cell)).collect();
        let judges: BTreeSet<&str> = cells
            .iter()
            .map(|cell| cell.judged.judge.as_str())
            .collect();
        let compared = columns.iter().filter_map(|column| column.baseline);
        let baselines: BTreeSet<String> = compared.map(|one| one.protocol.clone()).collect();
        let costs: Vec<RelativeCost> = cells.iter().map(|cell| self.relative_cost(cell)).collect();
        let mean = |of: fn(&RelativeCost) -> Option<f64>| {
            let all: Option<Vec<f64>> = costs.iter().map(of).collect();
            all.and_then(|all| evenhand_stats::mean_value(&all))
        };
        Ok(Some(MethodMean {
            input: input.into(),
            method,
            baselines: baselines.into_iter().collect(),
            judges: judges.len(),
            forms: forms.len(),
            columns: columns.len(),
            figures: measure_method(&columns, settings)?,
            relative: RelativeCost {
                relative_calls: mean(|one| one.relative_calls),
                relative_tokens: mean(|one| one.relative_tokens),
                relative_usd: mean(|one| one.relative_usd),
                relative_seconds: mean(|one| one.relative_seconds),
            },
        }))
    }
}

/// Returns an evaluation type as a protocol, whose form and calibration are those under any
/// prompts; None of what recordings call theirs.
fn parsed(kind: &str) -> Option<Protocol> {
    protocol(kind, &Pack::default()).ok()
}
