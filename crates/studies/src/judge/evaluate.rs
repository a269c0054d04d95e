//! One judge, whole: the figures over all pairs, over each part of the input set, and what was read
//! otherwise than recorded.

use super::counts::count_pairs;
use super::looks::note_on_orders;
use super::measure::measure;
use super::{Counts, JudgedPairs, LabelledPair, Measures, Settings, SystemLevel, Ties};
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
    let evaluator = Evaluator { judged, settings };
    let subsets = evaluator.evaluate_subsets()?;
    Ok(Evaluation {
        judge: judged.judge.clone(),
        protocol: judged.protocol.clone(),
        total: evaluator.evaluate_pairs(&all)?,
        accuracy_macro: (!subsets.is_empty()).then(|| mean_accuracy(&subsets)),
        subsets,
        systems: judged.system_level(&settings.bootstrap)?,
        differences: has_recorded(&all).then(|| reading_differences(judged)),
        warnings: evaluator.warnings(),
    })
}

/// Evaluates pairs of one judge.
struct Evaluator<'a> {
    judged: &'a JudgedPairs,
    settings: &'a Settings,
}

impl Evaluator<'_> {
    /// Evaluates each part of the input set, where there are several.
    fn evaluate_subsets(&self) -> Result<Vec<(String, Evaluated)>, Error> {
        let names = &self.judged.subsets;
        if names.len() < 2 {
            return Ok(Vec::new());
        }
        let parts = names.iter().zip(0..);
        parts
            .map(|(name, at)| Ok((name.clone(), self.evaluate_pairs(&self.pairs_of(at))?)))
            .collect()
    }

    fn pairs_of(&self, subset: u32) -> Vec<&LabelledPair> {
        let pairs = self.judged.pairs.iter();
        pairs.filter(|pair| pair.subset == subset).collect()
    }

    fn evaluate_pairs(&self, pairs: &[&LabelledPair]) -> Result<Evaluated, Error> {
        let count = |verdict: Verdict| count_pairs(pairs.iter().copied(), verdict);
        Ok(Evaluated {
            measures: measure(pairs, self.judged.order_known, self.settings)?,
            counts: count(side_read),
            recorded: has_recorded(pairs).then(|| count(side_recorded)),
        })
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = left_out_warnings(self.judged);
        warnings.extend(note_on_orders(&self.judged.pairs));
        warnings.extend(self.judged.marks.clone());
        if self.settings.ties == Ties::Class {
            warnings.extend(tied_labels(self.judged));
        }
        warnings
    }
}

/// Gives the side of a pair's game in an order.
type Verdict = fn(&LabelledPair, usize) -> Option<Side>;

fn side_read(pair: &LabelledPair, order: usize) -> Option<Side> {
    pair.in_order(order)?.side()
}

fn side_recorded(pair: &LabelledPair, order: usize) -> Option<Side> {
    pair.games.get(order)?.as_ref()?.recorded?
}

fn has_recorded(pairs: &[&LabelledPair]) -> bool {
    let mut games = pairs.iter().flat_map(|pair| pair.games.iter().flatten());
    games.any(|game| game.recorded.is_some())
}

fn mean_accuracy(subsets: &[(String, Evaluated)]) -> Figure {
    let accuracies = subsets.iter().map(|(_, part)| part.measures.accuracy.value);
    let Some(values) = accuracies.collect::<Option<Vec<f64>>>() else {
        return Figure::undefined("a part of the input set has no accuracy");
    };
    Figure {
        value: Some(values.iter().sum::<f64>() / values.len() as f64),
        ..Figure::default()
    }
}

fn reading_differences(judged: &JudgedPairs) -> Vec<ReadingDifference> {
    let mut found = Vec::new();
    for pair in &judged.pairs {
        let subset = judged.subsets.get(pair.subset as usize);
        let in_orders = [0, 1].map(|order| reading_difference(pair, order));
        found.extend(
            in_orders
                .into_iter()
                .flatten()
                .map(|difference| ReadingDifference {
                    subset: subset.cloned().unwrap_or_default(),
                    ..difference
                }),
        );
    }
    found
}

/// Returns how a game was read otherwise; its part of the input set is still to be named.
fn reading_difference(pair: &LabelledPair, order: usize) -> Option<ReadingDifference> {
    let game = pair.games[order].as_ref()?;
    let (recorded, read) = (game.recorded?, game.side());
    (read != recorded).then(|| ReadingDifference {
        subset: String::new(),
        pair: pair.name.clone(),
        swapped: order == 1,
        recorded,
        read,
        why: game.why.clone(),
    })
}

fn left_out_warnings(judged: &JudgedPairs) -> Vec<String> {
    let counts = [
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
    counts.into_iter().flatten().collect()
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
