//! One judge, whole: the figures over all pairs, over each part of the input set, and what was read
//! otherwise than recorded.

use super::counts::count_pairs;
use super::decide::decided;
use super::looks::note_on_orders;
use super::measure::measure;
use super::{Counts, Game, JudgedPairs, LabelledPair, Measures, Settings, SystemLevel, Ties};
use crate::Figure;
use evenhand_core::{Setting, Side};
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
    pub differences: Option<Vec<ReadingDifference>>,
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
pub struct ReadingDifference {
    /// The part of the input set.
    pub subset: String,
    /// The pair.
    pub pair: String,
    /// Whether b was shown first.
    pub swapped: bool,
    /// What the source recorded, of a and b; None where it found nothing.
    pub recorded: Option<Side>,
    /// What was read, of a and b; None where no verdict was found.
    pub read: Option<Side>,
    /// Why none was read, or why what was read is another.
    pub why: Option<String>,
}

/// Evaluates a judge.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn evaluate(judged: &JudgedPairs, settings: &Settings) -> Result<Evaluation, Error> {
    let all: Vec<&LabelledPair> = judged.pairs.iter().collect();
    let subsets = evaluate_subsets(judged, settings)?;
    Ok(Evaluation {
        judge: judged.judge.clone(),
        protocol: judged.protocol.clone(),
        total: evaluate_pairs(&all, judged.order_known, settings)?,
        accuracy_macro: (!subsets.is_empty()).then(|| mean_accuracy(&subsets)),
        subsets,
        systems: judged.system_level(&settings.bootstrap)?,
        differences: has_recorded(&all).then(|| reading_differences(judged)),
        warnings: warnings(judged, settings),
    })
}

/// Evaluates each part of the input set, where there are several.
fn evaluate_subsets(
    judged: &JudgedPairs,
    settings: &Settings,
) -> Result<Vec<(String, Evaluated)>, Error> {
    if judged.subsets.len() < 2 {
        return Ok(Vec::new());
    }
    let mut subsets = Vec::new();
    for (at, name) in judged.subsets.iter().enumerate() {
        let part: Vec<&LabelledPair> = judged
            .pairs
            .iter()
            .filter(|pair| pair.subset as usize == at)
            .collect();
        let evaluated = evaluate_pairs(&part, judged.order_known, settings)?;
        subsets.push((name.clone(), evaluated));
    }
    Ok(subsets)
}

fn evaluate_pairs(
    pairs: &[&LabelledPair],
    order_known: bool,
    settings: &Settings,
) -> Result<Evaluated, Error> {
    let read = |pair: &LabelledPair, at: usize| pair.in_order(at)?.side();
    let recorded = |pair: &LabelledPair, at: usize| pair.games.get(at)?.as_ref()?.recorded?;
    Ok(Evaluated {
        measures: measure(pairs, order_known, settings)?,
        counts: count_pairs(pairs.iter().copied(), read),
        recorded: has_recorded(pairs).then(|| count_pairs(pairs.iter().copied(), recorded)),
    })
}

fn has_recorded(pairs: &[&LabelledPair]) -> bool {
    pairs
        .iter()
        .flat_map(|pair| pair.games.iter().flatten())
        .any(|game| game.recorded.is_some())
}

fn mean_accuracy(subsets: &[(String, Evaluated)]) -> Figure {
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

fn reading_differences(judged: &JudgedPairs) -> Vec<ReadingDifference> {
    let mut found = Vec::new();
    for pair in &judged.pairs {
        for (order, game) in pair.games.iter().enumerate() {
            let game = game.as_ref();
            found.extend(game.and_then(|game| reading_difference(judged, pair, order, game)));
        }
    }
    found
}

fn reading_difference(
    judged: &JudgedPairs,
    pair: &LabelledPair,
    order: usize,
    game: &Game,
) -> Option<ReadingDifference> {
    let recorded = game.recorded?;
    let read = game.outcome.as_ref().ok().map(|shares| decided(*shares));
    if read == recorded {
        return None;
    }
    let subset = judged.subsets.get(pair.subset as usize);
    Some(ReadingDifference {
        subset: subset.cloned().unwrap_or_default(),
        pair: pair.name.clone(),
        swapped: order == 1,
        recorded,
        read,
        why: game.why.clone(),
    })
}

fn warnings(judged: &JudgedPairs, settings: &Settings) -> Vec<String> {
    let counted = [
        counted(
            judged.unjudged,
            "labelled pair was never judged",
            "labelled pairs were never judged",
        ),
        counted(
            judged.unlabelled,
            "judgment is about no labelled pair and is left out",
            "judgments are about no labelled pair and are left out",
        ),
        counted(
            judged.repeated,
            "judgment repeats a pair in the same order and is left out",
            "judgments repeat a pair in the same order and are left out",
        ),
    ];
    let mut warnings: Vec<String> = counted.into_iter().flatten().collect();
    warnings.extend(note_on_orders(&judged.pairs));
    warnings.extend(judged.marks.clone());
    if settings.ties == Ties::Class {
        warnings.extend(tied_labels(judged));
    }
    warnings
}

/// Returns `1 ONE` or `N SEVERAL`; None for 0.
fn counted(n: u64, one: &str, several: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {several}")),
    }
}

fn tied_labels(judged: &JudgedPairs) -> Option<String> {
    let tied = judged.pairs.iter().filter(|pair| pair.label == Side::Tie);
    let ties = counted(tied.count() as u64, "label is a tie", "labels are ties")?;
    Some(format!(
        "{ties}; a judge that cannot say so is wrong there ({} half or exclude)",
        Setting::Ties
    ))
}
