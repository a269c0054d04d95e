//! One judge, whole: the figures over all pairs, over each part of the input set, and what was read
//! otherwise than recorded.

use super::measure::{PairFigures, measure};
use super::{
    JudgedPairs, LabelledPair, Measures, OrdersSeen, Repeats, Settings, SystemLevel, Ties, Votes,
};
use crate::Figure;
use evenhand_core::{Setting, Side};
use evenhand_stats::{Error, part_share};
use schemars::JsonSchema;
use serde::Serialize;

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
    /// How several labels of one pair count.
    pub votes: Votes,
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

/// How many pairs came out how, by equality with the label and failures being wrong, whatever the
/// settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Pairs; votes on pairs, where each counts.
    pub pairs: u64,
    /// Right where a was shown first (LLMBar's `unswapped`).
    pub correct_forward: u64,
    /// Right where b was shown first.
    pub correct_swapped: u64,
    /// Right in both orders.
    pub correct_both: u64,
    /// The same verdict in both orders (LLMBar's `equal`, with two failures counted as the same).
    pub equal: u64,
    /// Right, wrong and undecided when both orders are put together (JudgeBench's rule: the sum of
    /// the two verdicts).
    pub correct: u64,
    /// See `correct`.
    pub incorrect: u64,
    /// See `correct`.
    pub tied: u64,
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
    let all: Vec<&LabelledPair> = judged.pairs.iter().collect();
    let mut subsets = Vec::new();
    if judged.subsets.len() > 1 {
        for (name, at) in judged.subsets.iter().zip(0..) {
            let pairs: Vec<&LabelledPair> = judged
                .pairs
                .iter()
                .filter(|pair| pair.subset == at)
                .collect();
            subsets.push((name.clone(), evaluate_pairs(judged, &pairs, settings)?));
        }
    }
    let figures = PairFigures {
        pairs: &all,
        settings,
    };
    let rule = settings.rule();
    let accuracy_macro = match subsets.len() {
        0 => None,
        parts => {
            let sums = figures.part_sums(parts, |pair| {
                Some((pair.subset as usize, rule.game_credits(pair)))
            });
            let level = settings.bootstrap.level;
            let mean = Figure::of_mean(part_share(&sums, &vec![1.0; parts], level))?;
            Some(match mean.value {
                Some(_) => mean,
                None => Figure::undefined("a part of the input set has no accuracy"),
            })
        }
    };
    Ok(Evaluation {
        judge: judged.judge.clone(),
        protocol: judged.protocol_name(),
        kind: judged.protocol.clone(),
        votes: judged.votes,
        accuracy_macro,
        subsets,
        systems: judged.system_level(&settings.bootstrap)?,
        total: evaluate_pairs(judged, &all, settings)?,
        repeats: figures.repeats(judged)?,
        differences: has_recorded(&all).then(|| reading_differences(judged)),
        warnings: warnings(judged, settings),
    })
}

fn evaluate_pairs(
    judged: &JudgedPairs,
    pairs: &[&LabelledPair],
    settings: &Settings,
) -> Result<Evaluated, Error> {
    Ok(Evaluated {
        measures: measure(pairs, judged.order_known, settings)?,
        counts: count_pairs(pairs, |pair, order| pair.in_order(order)?.side()),
        recorded: has_recorded(pairs).then(|| {
            count_pairs(pairs, |pair, order| {
                pair.games.get(order)?.as_ref()?.recorded?
            })
        }),
    })
}

/// Counts pairs; `verdict` gives the side of a pair's game in an order, None where it has none.
fn count_pairs(
    pairs: &[&LabelledPair],
    verdict: fn(&LabelledPair, usize) -> Option<Side>,
) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs {
        let sides = [0, 1].map(|order| verdict(pair, order));
        let [forward, swapped] = sides.map(|side| side == Some(pair.label));
        counts.pairs += 1;
        counts.correct_forward += u64::from(forward);
        counts.correct_swapped += u64::from(swapped);
        counts.correct_both += u64::from(forward && swapped);
        counts.equal += u64::from(sides[0] == sides[1]);
        // The side that most verdicts are for, failures and ties aside.
        let votes = |wanted| sides.iter().filter(|side| **side == Some(wanted)).count() as f64;
        match Side::of([votes(Side::First), 0.0, votes(Side::Second)]) {
            Side::Tie => counts.tied += 1,
            side if side == pair.label => counts.correct += 1,
            _ => counts.incorrect += 1,
        }
    }
    counts
}

fn has_recorded(pairs: &[&LabelledPair]) -> bool {
    let mut games = pairs.iter().flat_map(|pair| pair.judged_games());
    games.any(|game| game.recorded.is_some())
}

/// Returns the games that were read otherwise than the source read them.
fn reading_differences(judged: &JudgedPairs) -> Vec<ReadingDifference> {
    let mut found = Vec::new();
    for pair in &judged.pairs {
        for (game, swapped) in pair.games.iter().zip([false, true]) {
            // A verdict was read once, however many labels it is held against.
            let Some(game) = game.as_ref().filter(|_| pair.is_first_vote()) else {
                continue;
            };
            let read = game.side();
            if let Some(recorded) = game.recorded
                && recorded != read
            {
                found.push(ReadingDifference {
                    subset: judged.subset_name(pair).to_string(),
                    pair: pair.name.clone(),
                    swapped,
                    recorded,
                    read,
                    why: game.why.clone(),
                });
            }
        }
    }
    found
}

fn warnings(judged: &JudgedPairs, settings: &Settings) -> Vec<String> {
    let [unjudged, unlabelled, repeated] = LEFT_OUT;
    let repeated = match judged.order_known {
        true => repeated,
        false => REPEATED,
    };
    let mut warnings = Vec::new();
    warnings.extend(counted(judged.unjudged, unjudged));
    warnings.extend(counted(judged.unlabelled, unlabelled));
    warnings.extend(counted(judged.repeated, repeated));
    // What holds because of how the orders were judged, and what the figures are of.
    let has = |is: fn(&OrdersSeen) -> bool| judged.pairs.iter().any(|pair| is(&pair.seen));
    if has(|seen| matches!(seen, OrdersSeen::Within(_))) {
        warnings.push(WITHIN.into());
    } else if has(|seen| *seen == OrdersSeen::Unordered) {
        warnings.push(UNORDERED.into());
    }
    warnings.extend(judged.warnings.iter().cloned());
    // A verdict must say that it is a tie to be right.
    if settings.ties == Ties::Class {
        let once = judged.pairs.iter().filter(|pair| pair.repeat == 0);
        let tied = once.filter(|pair| pair.label == Side::Tie).count() as u64;
        let ties = counted(
            tied,
            [
                "label is a tie or evenly split",
                "labels are ties or evenly split",
            ],
        );
        warnings.extend(ties.map(|ties| {
            format!(
                "{ties}; a judge that cannot say so is wrong there ({} half or exclude)",
                Setting::Ties
            )
        }));
    }
    warnings
}

const WITHIN: &str = "each trial holds both orders: accuracy and kappa are of its verdict; \
                      forward, swapped, both, consistent, first slot and counts are of the looks \
                      in each order";
const UNORDERED: &str = "the order of the responses does not enter: forward = swapped, consistent \
                         100 % and first slot 50 % hold by construction";

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

/// Returns `1 ONE` or `N SEVERAL`; None for 0.
fn counted(n: u64, [one, several]: [&str; 2]) -> Option<String> {
    let noun = if n == 1 { one } else { several };
    (n > 0).then(|| format!("{n} {noun}"))
}
