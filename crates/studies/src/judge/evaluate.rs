//! One judge, whole: the figures over all pairs, over each part of the input set, and what was read
//! otherwise than recorded.

use super::counts::count_pairs;
use super::looks::note_on_orders;
use super::measure::{PairFigures, measure};
use super::{
    Counts, Game, JudgedPairs, LabelledPair, Measures, Repeats, Settings, SystemLevel, Ties,
};
use crate::Figure;
use evenhand_core::{Setting, Side};
use evenhand_stats::Error;

/// What is to be said of one judge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The judge's name.
    pub judge: String,
    /// How it was asked, with the name of the prompts where they are not the built-in ones; empty
    /// where that is not known.
    pub protocol: String,
    /// The evaluation type alone.
    pub kind: String,
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
    /// The accuracy in each repeat of the pairs; None where they were judged once. All other
    /// figures are over the judgments of all repeats.
    pub repeats: Option<Repeats>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// Figures and counts over some pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// The figures.
    pub measures: Measures,
    /// The counts, as read.
    pub counts: Counts,
    /// The counts by the source's recorded verdicts, where it records any.
    pub recorded: Option<Counts>,
}

/// A game whose text was read otherwise than the source read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    Evaluator { judged, settings }.evaluate()
}

/// Evaluates pairs of one judge.
struct Evaluator<'a> {
    judged: &'a JudgedPairs,
    settings: &'a Settings,
}

impl Evaluator<'_> {
    fn evaluate(&self) -> Result<Evaluation, Error> {
        let subsets = self.evaluate_subsets()?;
        Ok(Evaluation {
            accuracy_macro: mean_accuracy(&subsets),
            subsets,
            systems: self.judged.system_level(&self.settings.bootstrap)?,
            warnings: self.warnings(),
            ..self.evaluate_whole()?
        })
    }

    /// Evaluates all pairs together.
    fn evaluate_whole(&self) -> Result<Evaluation, Error> {
        let all: Vec<&LabelledPair> = self.judged.pairs.iter().collect();
        Ok(Evaluation {
            judge: self.judged.judge.clone(),
            protocol: self.judged.protocol_name(),
            kind: self.judged.protocol.clone(),
            total: self.evaluate_pairs(&all)?,
            repeats: self.figures_of(&all).repeats(self.judged)?,
            differences: has_recorded(&all).then(|| reading_differences(self.judged)),
            ..Evaluation::default()
        })
    }

    /// Evaluates each part of the input set, where there are several.
    fn evaluate_subsets(&self) -> Result<Vec<(String, Evaluated)>, Error> {
        let names = &self.judged.subsets;
        let parts = names.iter().zip(0..).filter(|_| names.len() > 1);
        parts
            .map(|(name, at)| self.evaluate_subset(name, at))
            .collect()
    }

    fn evaluate_subset(&self, name: &str, at: u32) -> Result<(String, Evaluated), Error> {
        let part = self.evaluate_pairs(&self.pairs_of(at))?;
        Ok((name.to_string(), part))
    }

    fn pairs_of(&self, subset: u32) -> Vec<&LabelledPair> {
        let pairs = self.judged.pairs.iter();
        pairs.filter(|pair| pair.subset == subset).collect()
    }

    fn evaluate_pairs(&self, pairs: &[&LabelledPair]) -> Result<Evaluated, Error> {
        let recorded = has_recorded(pairs).then(|| count_pairs(pairs, side_recorded));
        Ok(Evaluated {
            measures: measure(pairs, self.judged.order_known, self.settings)?,
            counts: count_pairs(pairs, side_read),
            recorded,
        })
    }

    fn figures_of<'b>(&'b self, pairs: &'b [&'b LabelledPair]) -> PairFigures<'b> {
        PairFigures {
            pairs,
            settings: self.settings,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = left_out_warnings(self.judged);
        let notes = [
            note_on_orders(&self.judged.pairs),
            self.judged.marks.clone(),
            self.tied_labels(),
        ];
        warnings.extend(notes.into_iter().flatten());
        warnings
    }

    /// Says how many labels are ties, where a verdict must say so to be right.
    fn tied_labels(&self) -> Option<String> {
        if self.settings.ties == Ties::Class {
            tied_labels(self.judged)
        } else {
            None
        }
    }
}

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

/// Returns the mean of the parts' accuracies; None where there are no parts.
fn mean_accuracy(subsets: &[(String, Evaluated)]) -> Option<Figure> {
    let parts = subsets.iter().map(|(_, part)| &part.measures);
    let accuracies: Vec<Option<f64>> = parts.map(|part| part.accuracy.value).collect();
    (!subsets.is_empty()).then(|| mean_of_all(&accuracies))
}

fn mean_of_all(values: &[Option<f64>]) -> Figure {
    let sum = values.iter().copied().sum::<Option<f64>>();
    match sum {
        Some(sum) => Figure::of_value(sum / values.len() as f64),
        None => Figure::undefined("a part of the input set has no accuracy"),
    }
}

fn reading_differences(judged: &JudgedPairs) -> Vec<ReadingDifference> {
    let orders = judged.pairs.iter().flat_map(|pair| [(pair, 0), (pair, 1)]);
    orders
        .filter_map(|of| reading_difference(judged, of))
        .collect()
}

/// Returns how a pair's game in an order was read otherwise; None where it was not.
fn reading_difference(
    judged: &JudgedPairs,
    (pair, order): (&LabelledPair, usize),
) -> Option<ReadingDifference> {
    let game = pair.games[order].as_ref()?;
    Some(ReadingDifference {
        subset: judged.subset_name(pair).to_string(),
        pair: pair.name.clone(),
        swapped: order == 1,
        ..game.reading_difference()?
    })
}

impl Game {
    /// Returns how it was read otherwise; whose game it is is still to be named.
    fn reading_difference(&self) -> Option<ReadingDifference> {
        let (recorded, read) = (self.recorded?, self.side());
        (read != recorded).then(|| ReadingDifference {
            recorded,
            read,
            why: self.why.clone(),
            ..ReadingDifference::default()
        })
    }
}

/// What is left out, one and several.
const LEFT_OUT: [[&str; 2]; 3] = [
    [
        "labelled pair was never judged",
        "labelled pairs were never judged",
    ],
    [
        "judgment is about no labelled pair and is left out",
        "judgments are about no labelled pair and are left out",
    ],
    [
        "judgment repeats a pair in the same order and is left out",
        "judgments repeat a pair in the same order and are left out",
    ],
];

/// What repeats a pair where the order is not known.
const REPEATED: [&str; 2] = [
    "judgment repeats a pair and is left out: the recording does not say which response was shown \
     first",
    "judgments repeat a pair and are left out: the recording does not say which response was shown \
     first",
];

fn left_out_warnings(judged: &JudgedPairs) -> Vec<String> {
    let counts = [judged.unjudged, judged.unlabelled, judged.repeated];
    let [unjudged, unlabelled, repeated] = LEFT_OUT;
    let repeated = match judged.order_known {
        true => repeated,
        false => REPEATED,
    };
    let warnings = counts.into_iter().zip([unjudged, unlabelled, repeated]);
    warnings
        .filter_map(|(n, nouns)| counted(n, nouns))
        .collect()
}

/// Returns `1 ONE` or `N SEVERAL`; None for 0.
fn counted(n: u64, [one, several]: [&str; 2]) -> Option<String> {
    let noun = if n == 1 { one } else { several };
    (n > 0).then(|| format!("{n} {noun}"))
}

fn tied_labels(judged: &JudgedPairs) -> Option<String> {
    let once = judged.pairs.iter().filter(|pair| pair.repeat == 0);
    let tied = once.filter(|pair| pair.label == Side::Tie);
    let ties = counted(tied.count() as u64, ["label is a tie", "labels are ties"])?;
    Some(format!(
        "{ties}; a judge that cannot say so is wrong there ({} half or exclude)",
        Setting::Ties
    ))
}
