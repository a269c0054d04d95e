//! The judge's own change, looked for after each of several runs: the chance of a false alarm is
//! bounded over all looks together.

use super::CompareOptions;
use super::drift::{DriftKind, Key, Repeated, value_of_system};
use super::matching::match_sides;
use super::side::SideData;
use super::subject::ByItem;
use evenhand_stats::change::{ClusterHistory, betting_wealth, least_look_p_value, look_p_values};
use evenhand_stats::mean_value;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What all looks so far say of the judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriftLooks {
    /// The looks, in the order of the runs.
    pub looks: Vec<DriftLook>,
    /// The p-value that holds however often one looks: 1 over the largest wealth so far, at most 1.
    pub p: f64,
    /// The largest wealth that so many answers could have shown by now.
    #[serde(skip)]
    pub most: f64,
}

/// One look at the judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriftLook {
    /// The run.
    pub run: String,
    /// Judgments of unchanged answers, asked for anew, that the baseline has too.
    pub judgments: usize,
    /// Questions that they are on: what is independent.
    pub questions: usize,
    /// The p-values of this look alone.
    pub tests: Vec<LookTest>,
    /// What a gambler who bets on change has of 1 after this look. The chance that it ever reaches
    /// 1 / a, if the judge stays the same, is at most a.
    pub wealth: f64,
}

/// One way in which the judge may have changed since the runs before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LookTest {
    /// What may have shifted.
    pub what: DriftKind,
    /// Whose share or scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// How likely the values would be as high, had nothing changed.
    pub p_rise: f64,
    /// How likely they would be as low.
    pub p_fall: f64,
}

impl DriftLooks {
    /// Whether the judge was found to have changed at some look, at this level over all looks.
    pub fn is_significant(&self, level: f64) -> bool {
        self.p < 1.0 - level
    }

    /// Whether so many answers could have shown a change by now.
    pub fn can_be_found(&self, level: f64) -> bool {
        1.0 / self.most < 1.0 - level
    }

    /// Returns the look at which the change was found, from 1; None where none was.
    pub fn found_at(&self, level: f64) -> Option<usize> {
        let wealth = self.looks.iter().map(|look| look.wealth);
        let found = wealth
            .into_iter()
            .position(|wealth| 1.0 / wealth < 1.0 - level)?;
        Some(found + 1)
    }
}

/// An unchanged answer, or two in their order: the item's place in the baseline, and the systems.
type Asked = (u32, Key);

/// Looks at the judge after each of these runs, in the order in which they were made; the baseline
/// is the first run, at which there is nothing to see yet.
///
/// The assumption that is tested: of each answer that did not change, the judge's values are
/// exchangeable over the baseline and the runs, independently from question to question. Each run
/// is held against all before it (Vovk, Gammerman and Shafer 2005), so that what the baseline
/// happened to say is not counted at every look. None where no answer was judged twice.
// Long: one look after another, from what was said to the purses and what they hold.
pub fn drift_over_looks(
    baseline: &SideData,
    runs: &[&SideData],
    options: &CompareOptions,
) -> Option<DriftLooks> {
    let first = ByItem::of(baseline);
    // What the judge said in each run so far, the baseline's first.
    let mut said: Vec<BTreeMap<Asked, f64>> = vec![BTreeMap::new()];
    let mut looks: Vec<DriftLook> = Vec::new();
    // For each figure, direction by direction, the p-values of the looks at which there was
    // something to see, and the least that they could be.
    let mut p_values: BTreeMap<(DriftKind, Option<u32>), [Vec<f64>; 2]> = BTreeMap::new();
    let mut least: Vec<f64> = Vec::new();
    let (mut wealth, mut most) = (1.0, 1.0_f64);
    for run in runs {
        let matching = match_sides(baseline, run, &options.anchors);
        let now = ByItem::of(run);
        let repeated = Repeated::find([&first, &now], &matching);
        let mut values: BTreeMap<Asked, f64> = BTreeMap::new();
        let mut by_question: BTreeMap<u32, Vec<Asked>> = BTreeMap::new();
        for (asked, before, now) in repeated.values() {
            said[0].insert(asked, before);
            values.insert(asked, now);
            by_question
                .entry(matching.question_of(asked.0))
                .or_default()
                .push(asked);
        }
        said.push(values);
        let mut figures: Vec<(DriftKind, Option<u32>)> = Vec::new();
        figures.extend(repeated.kinds().iter().map(|what| (*what, None)));
        // Of two systems, one gains what the other loses; the scores of one are the scores.
        let systems = repeated.systems();
        let own = match systems.len() {
            1 => 0,
            2 if !repeated.are_scores() => 1,
            count => count,
        };
        let own = systems.into_iter().take(own);
        figures.extend(own.map(|system| (DriftKind::System, Some(system))));
        figures.push((DriftKind::Turned, None));
        let mut tests = Vec::new();
        for (number, figure) in figures.iter().copied().enumerate() {
            let (what, system) = figure;
            // A purse that has not been bet with yet is one of those whose mean is the wealth.
            let of_figure = p_values.entry(figure).or_default();
            // Of two runs, each is as far from the other.
            if what == DriftKind::Turned && said.len() < 3 {
                continue;
            }
            let histories: Vec<ClusterHistory> = (by_question.values())
                .filter_map(|asked| history_of(asked, &said, what, system))
                .collect();
            // Every look and figure has draws of its own.
            let draws = (said.len() * FIGURES + number) as u64;
            let Ok(found) = look_p_values(&histories, options.plan.seed, draws) else {
                continue;
            };
            if number == 0 {
                least.push(least_look_p_value(&histories));
            }
            of_figure[0].push(found.rise);
            of_figure[1].push(found.fall);
            tests.push(LookTest {
                what,
                system: system.map(|system| baseline.system(system).into()),
                p_rise: found.rise,
                p_fall: found.fall,
            });
        }
        // The mean over kinds of the mean over their figures, so that many systems leave the other
        // kinds their stake.
        let mut purses: BTreeMap<DriftKind, Vec<f64>> = BTreeMap::new();
        for ((what, _), both) in &p_values {
            for p_values in both {
                let of_looks = betting_wealth(p_values).unwrap_or_default();
                let purse = of_looks.last().copied().unwrap_or(1.0);
                purses.entry(*what).or_default().push(purse);
            }
        }
        let of_kinds = purses.values().filter_map(|purses| mean_value(purses));
        wealth = mean_value(&Vec::from_iter(of_kinds)).unwrap_or(wealth);
        // One direction of one kind alone shows the change, and the others nothing.
        let best = betting_wealth(&least)
            .ok()
            .and_then(|all| all.last().copied());
        most = most.max(best.unwrap_or(0.0) / (2 * purses.len()).max(1) as f64);
        looks.push(DriftLook {
            run: run.source.clone(),
            judgments: repeated.values().count(),
            questions: by_question.len(),
            tests,
            wealth,
        });
    }
    if said[0].is_empty() {
        return None;
    }
    let peak = looks.iter().map(|look| look.wealth).fold(1.0, f64::max);
    Some(DriftLooks {
        looks,
        p: 1.0 / peak,
        most,
    })
}

/// More figures than a look has, so that the draws of two looks have no number in common.
const FIGURES: usize = 1 << 20;

/// What a question's answers got in the last run, and in those before that have judged all of them;
/// None where only the last has.
fn history_of(
    asked: &[Asked],
    said: &[BTreeMap<Asked, f64>],
    what: DriftKind,
    system: Option<u32>,
) -> Option<ClusterHistory> {
    let values_of = |run: &BTreeMap<Asked, f64>| {
        let values = asked.iter().map(|one| run.get(one).copied());
        values.collect::<Option<Vec<f64>>>()
    };
    let (last, before) = said.split_last()?;
    let mut all: Vec<Vec<f64>> = before.iter().filter_map(values_of).collect();
    all.push(values_of(last)?);
    let value_of = |run: &Vec<f64>| -> f64 {
        if what == DriftKind::Turned {
            let others = all.iter().flat_map(|other| run.iter().zip(other));
            return others.map(|(one, other)| (one - other).abs()).sum();
        }
        // The sum over the items of the mean of what was said of each.
        let mut by_item: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for ((item, key), value) in asked.iter().zip(run) {
            let own = match system {
                Some(system) => value_of_system(*key, system, *value),
                None => Some(what.value(*value)),
            };
            by_item.entry(*item).or_default().extend(own);
        }
        let means = by_item.values().filter_map(|values| mean_value(values));
        means.sum()
    };
    let mut values: Vec<f64> = all.iter().map(value_of).collect();
    let now = values.pop()?;
    (!values.is_empty()).then_some(ClusterHistory {
        now,
        before: values,
    })
}
