//! One judge, whole: the figures over all pairs, over each part of the input set, and what was read
//! otherwise than recorded.

use super::counts::counts;
use super::decide::decided;
use super::looks;
use super::{Counts, Judged, Measures, Pair, Settings, SystemLevel, measure};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::Error;

/// What is to be said of one judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The judge's name.
    pub judge: String,
    /// How it was asked; empty where that is not known.
    pub protocol: String,
    /// Over all pairs: a weighted total, for each part counts by its pairs.
    pub total: Evaluated,
    /// The unweighted mean of the parts' accuracies (as RewardBench averages); None where there is
    /// one part.
    pub accuracy_macro: Option<Figure>,
    /// Each part of the input set, in the order of its first pair; empty where there is one.
    pub subsets: Vec<(String, Evaluated)>,
    /// The systems ranked by the judge and by people; None where the pairs name fewer than 3
    /// systems.
    pub systems: Option<SystemLevel>,
    /// Games whose text was read otherwise than the source read it; None where the source records
    /// no verdicts.
    pub differences: Option<Vec<Difference>>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// Figures and counts over some pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The figures.
    pub measures: Measures,
    /// The counts, as read.
    pub counts: Counts,
    /// The counts by the source's recorded verdicts, where it records any.
    pub recorded: Option<Counts>,
}

/// A game whose text was read otherwise than the source read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the input set.
    pub subset: String,
    /// The pair.
    pub pair: String,
    /// Whether b was shown first.
    pub swapped: bool,
    /// What the source recorded, of a and b; None where it found nothing.
    pub recorded: Option<Side>,
    /// What was read, of a and b; None where there is no verdict.
    pub read: Option<Side>,
    /// Why none was read, or why what was read is another.
    pub why: Option<String>,
}

/// Evaluates a judge.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn evaluate(judged: &Judged, settings: &Settings) -> Result<Evaluation, Error> {
    let all: Vec<&Pair> = judged.pairs.iter().collect();
    let mut subsets = Vec::new();
    for (at, name) in judged
        .subsets
        .iter()
        .enumerate()
        .filter(|_| judged.subsets.len() > 1)
    {
        let part: Vec<&Pair> = all
            .iter()
            .copied()
            .filter(|pair| pair.subset as usize == at)
            .collect();
        subsets.push((
            name.clone(),
            evaluated(&part, judged.order_known, settings)?,
        ));
    }
    Ok(Evaluation {
        judge: judged.judge.clone(),
        protocol: judged.protocol.clone(),
        total: evaluated(&all, judged.order_known, settings)?,
        accuracy_macro: (!subsets.is_empty()).then(|| mean(&subsets)),
        subsets,
        systems: judged.system_level(&settings.bootstrap)?,
        differences: has_recorded(&all).then(|| differences(judged)),
        warnings: warnings(judged, settings),
    })
}

fn evaluated(pairs: &[&Pair], order_known: bool, settings: &Settings) -> Result<Evaluated, Error> {
    let side = |pair: &Pair, at: usize| pair.in_order(at)?.side();
    let recorded = |pair: &Pair, at: usize| pair.games.get(at)?.as_ref()?.recorded?;
    Ok(Evaluated {
        measures: measure(pairs, order_known, settings)?,
        counts: counts(pairs.iter().copied(), side),
        recorded: has_recorded(pairs).then(|| counts(pairs.iter().copied(), recorded)),
    })
}

fn has_recorded(pairs: &[&Pair]) -> bool {
    pairs
        .iter()
        .flat_map(|pair| pair.games.iter().flatten())
        .any(|game| game.recorded.is_some())
}

fn mean(subsets: &[(String, Evaluated)]) -> Figure {
    let values: Option<Vec<f64>> = subsets
        .iter()
        .map(|(_, part)| part.measures.accuracy.value)
        .collect();
    match values {
        Some(values) => Figure {
            value: Some(values.iter().sum::<f64>() / values.len() as f64),
            ..Figure::default()
        },
        None => Figure::undefined("a part of the input set has no accuracy"),
    }
}

fn differences(judged: &Judged) -> Vec<Difference> {
    let mut found = Vec::new();
    for pair in &judged.pairs {
        for (at, game) in pair.games.iter().enumerate() {
            let Some((game, recorded)) =
                game.as_ref().and_then(|game| Some((game, game.recorded?)))
            else {
                continue;
            };
            let read = game.outcome.as_ref().ok().map(|shares| decided(*shares));
            if read != recorded {
                let subset = judged
                    .subsets
                    .get(pair.subset as usize)
                    .cloned()
                    .unwrap_or_default();
                let (pair, why) = (pair.name.clone(), game.why.clone());
                found.push(Difference {
                    subset,
                    pair,
                    swapped: at == 1,
                    recorded,
                    read,
                    why,
                });
            }
        }
    }
    found
}

fn warnings(judged: &Judged, settings: &Settings) -> Vec<String> {
    let many = |n: u64, one: &str, more: &str| {
        if n == 1 {
            format!("1 {one}")
        } else {
            format!("{n} {more}")
        }
    };
    let counted = [
        (
            judged.unjudged,
            "labelled pair was never judged",
            "labelled pairs were never judged",
        ),
        (
            judged.unlabelled,
            "judgment is about no labelled pair and is left out",
            "judgments are about no labelled pair and are left out",
        ),
        (
            judged.repeated,
            "judgment repeats a pair in the same order and is left out",
            "judgments repeat a pair in the same order and are left out",
        ),
    ];
    let mut warnings: Vec<String> = counted
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, more)| many(n, one, more))
        .collect();
    warnings.extend(looks::note(&judged.pairs));
    warnings.extend(judged.marks.clone());
    let ties = judged
        .pairs
        .iter()
        .filter(|pair| pair.label == Side::Tie)
        .count() as u64;
    if ties > 0 && settings.ties == super::Ties::Class {
        warnings.push(format!(
            "{}; a judge that cannot say so is wrong there (--ties half or exclude)",
            many(ties, "label is a tie", "labels are ties")
        ));
    }
    warnings
}
