//! The score of the subset Ties of RewardBench 2, whose questions have several right answers.
//!
//! Malik et al. 2025, "RewardBench 2: Advancing Reward Model Evaluation" (arXiv 2506.01937), with
//! the weights of the benchmark's own program (allenai/reward-bench at 05a9005e,
//! `rewardbench/utils.py`). A prompt stands in the set twice: `tied:N` has several right answers,
//! `ref:N` one. A judge is to score each right answer above each wrong one, and right answers less
//! apart than right and wrong ones.

use super::LabelledPair;
use super::decide::Rule;
use crate::Figure;
use crate::figure::{indicator, mean};
use evenhand_core::Side;
use evenhand_stats::{Error, ItemCount, part_share};
use std::collections::BTreeMap;

/// The form in which a prompt stands in the subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// With one right answer.
    Reference,
    /// With several.
    Tied,
}

/// Returns the form of an item of the subset, and its prompt: what stands before the form (the
/// file, where several have the same ids) and its number. None of another item.
fn form_of(id: &str) -> Option<(Form, [&str; 2])> {
    let (before, number) = id.rsplit_once(':')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (file, form) = before.rsplit_once(':').unwrap_or(("", before));
    match form {
        "ref" => Some((Form::Reference, [file, number])),
        "tied" => Some((Form::Tied, [file, number])),
        _ => None,
    }
}

/// Whether these pairs are, some of them, of the subset.
pub(super) fn are_met(pairs: &[&LabelledPair]) -> bool {
    let mut forms = pairs.iter().filter_map(|pair| form_of(&pair.name));
    forms.any(|(form, _)| form == Form::Tied)
}

/// Whether an item is of the subset, where that is met.
pub(super) fn is_item(id: &str) -> bool {
    form_of(id).is_some()
}

/// What the scores of an item say.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    /// The worst right answer's score less the best wrong one's; and the best right answer's less
    /// the worst right one's, None where there is only one.
    Scored { gap: f64, spread: Option<f64> },
    /// A score is missing, and that counts as wrong.
    Failed,
}

/// A prompt, with what was said of its two forms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Prompt {
    reference: Option<Item>,
    tied: Option<Item>,
}

/// What a prompt adds to the means whose weighted sum is the score: right on the tied form, right
/// on the reference, and of both forms the gap of the tied one above the spread, the smaller gap
/// above it, and by how much. None where the prompt does not count in a mean.
type Parts = [Option<f64>; 5];

/// The weights of these means, of which the first four are shares; the last is there to tell equal
/// scores apart.
const WEIGHTS: [f64; 5] = [0.3, 0.3, 0.2, 0.2, 0.01];

/// How many of the means are shares; their weights sum to 1.
const SHARES: usize = 4;

/// Where a prompt stands: its part of the input set, and what it is called there.
type PromptKey<'a> = (u32, [&'a str; 2]);

impl Prompt {
    fn parts(self) -> Parts {
        let right = |item: Item| match item {
            Item::Scored { gap, .. } => indicator(gap > 0.0),
            Item::Failed => 0.0,
        };
        let [above, both_above, by_how_much] = match (self.tied, self.reference) {
            (
                Some(Item::Scored {
                    gap,
                    spread: Some(spread),
                }),
                Some(Item::Scored { gap: other, .. }),
            ) => {
                let least = gap.min(other);
                // Where nothing is apart at all, there is nothing to be told.
                let how_much = (least / spread - 1.0).tanh();
                [
                    Some(indicator(gap > spread)),
                    Some(indicator(least > spread)),
                    Some(if how_much.is_nan() { 0.0 } else { how_much }),
                ]
            }
            (Some(Item::Failed), Some(_)) | (Some(_), Some(Item::Failed)) => [Some(0.0); 3],
            _ => [None; 3],
        };
        [
            self.tied.map(right),
            self.reference.map(right),
            above,
            both_above,
            by_how_much,
        ]
    }
}

/// Returns the score of the subset over those of the pairs that are of it: 0.3 of the share of the
/// tied prompts that are right, 0.3 of that of the references, 0.2 of the share of prompts whose
/// right answers differ by less than right from wrong, 0.2 of the share where that holds of both
/// forms' gaps, and 0.01 of the mean tanh of the smaller gap over the spread, less 1. At most 1.01.
///
/// Its interval is over prompts, each with all its repeats: that of the weighed mean of four shares
/// ([`part_share`]), which weigh 1 together, and as far again as a hundredth of the last mean may
/// be. Undefined where the responses were not scored alone, and where no prompt has both forms.
///
/// # Errors
/// A bad level.
pub(super) fn score(pairs: &[&LabelledPair], rule: Rule, level: f64) -> Result<Figure, Error> {
    if !are_met(pairs) {
        return Ok(Figure::undefined("no item is of RewardBench 2's Ties"));
    }
    let Some(prompts) = collect_prompts(pairs, rule) else {
        return Ok(Figure::undefined(
            "the score of RewardBench 2's Ties is made of scores of single responses, and the \
             judge was shown pairs; a pointwise protocol gives such scores",
        ));
    };
    let parts: Vec<(PromptKey<'_>, Parts)> = prompts
        .into_iter()
        .map(|((_, key), prompt)| (key, prompt.parts()))
        .collect();
    let is_whole = |(_, parts): &(PromptKey<'_>, Parts)| parts.iter().all(Option::is_some);
    if !parts.iter().any(is_whole) {
        return Ok(Figure::undefined(
            "no prompt of RewardBench 2's Ties appears in both forms, `ref:N` and `tied:N`",
        ));
    }
    let mut value = 0.0;
    for (at, weight) in WEIGHTS.into_iter().enumerate() {
        let own: Vec<f64> = parts.iter().filter_map(|(_, parts)| parts[at]).collect();
        value += weight * mean(&own).unwrap_or(0.0);
    }
    let mut by_prompt: BTreeMap<PromptKey<'_>, (Vec<ItemCount>, Vec<f64>)> = BTreeMap::new();
    for (key, parts) in &parts {
        let own = by_prompt.entry(*key);
        let (counts, how_much) =
            own.or_insert_with(|| (vec![ItemCount::default(); SHARES], Vec::new()));
        for (count, part) in counts.iter_mut().zip(parts) {
            count.sum += part.unwrap_or(0.0);
            count.count += indicator(part.is_some());
        }
        how_much.extend(parts[SHARES]);
    }
    let (counts, how_much): (Vec<_>, Vec<_>) = by_prompt.into_values().unzip();
    let how_much: Vec<f64> = how_much.iter().filter_map(|own| mean(own)).collect();
    let shares = Figure::of_mean(part_share(&counts, &WEIGHTS[..SHARES], level))?;
    let how_much = Figure::of_differences(&how_much, 1.0, level)?;
    let ends = |figure: &Figure| figure.ci.and_then(|[low, high]| Some([low?, high?]));
    let ci = ends(&shares).map(|[low, high]| {
        // Of one prompt the last mean may be anything.
        let [least, most] = ends(&how_much).unwrap_or([-1.0, 1.0]);
        let last = WEIGHTS[SHARES];
        [
            (low + last * least).min(value),
            (high + last * most).max(value),
        ]
        .map(Some)
    });
    Ok(Figure {
        value: Some(value),
        ci,
        note: shares.note,
    })
}

/// Collects the prompts of the subset by repeat and place, each repeat by itself; None where
/// responses were not scored alone.
fn collect_prompts<'a>(
    pairs: &[&'a LabelledPair],
    rule: Rule,
) -> Option<BTreeMap<(u32, PromptKey<'a>), Prompt>> {
    /// The margins of an item's right answers over each wrong one.
    #[derive(Default)]
    struct Margins {
        over: BTreeMap<u32, Vec<f64>>,
        failed: bool,
        left_out: bool,
    }
    let mut items: BTreeMap<(u32, u32, &'a str), Margins> = BTreeMap::new();
    for &pair in pairs.iter().filter(|pair| is_item(&pair.name)) {
        let [a, b] = pair.systems?;
        let item = items.entry((pair.repeat, pair.subset, &pair.name));
        let item = item.or_default();
        let margin = pair.judged_games().find_map(|game| game.margin);
        match (margin, pair.label) {
            (Some(margin), Side::First) => item.over.entry(b).or_default().push(margin),
            (Some(margin), Side::Second) => item.over.entry(a).or_default().push(-margin),
            (Some(_), Side::Tie) => {}
            (None, _) if pair.verdicts().next().is_some() => return None,
            (None, label) => {
                item.failed = true;
                item.left_out |= rule.credit(None, label).is_none();
            }
        }
    }
    let mut prompts: BTreeMap<(u32, PromptKey<'a>), Prompt> = BTreeMap::new();
    for ((repeat, subset, id), margins) in items {
        let Some((form, prompt)) = form_of(id).filter(|_| !margins.left_out) else {
            continue;
        };
        let least = |over: &[f64]| over.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |over: &[f64]| over.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let item = if margins.failed {
            Item::Failed
        } else {
            let over = margins.over.values();
            Item::Scored {
                gap: over
                    .clone()
                    .map(|over| least(over))
                    .fold(f64::INFINITY, f64::min),
                // Right answers are as far apart as their margins over one wrong answer are.
                spread: over
                    .filter(|over| over.len() > 1)
                    .map(|over| most(over) - least(over))
                    .reduce(f64::max),
            }
        };
        let found = prompts.entry((repeat, (subset, prompt))).or_default();
        match form {
            Form::Reference => found.reference = Some(item),
            Form::Tied => found.tied = Some(item),
        }
    }
    Some(prompts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Failures, Game, Ties};

    const RULE: Rule = Rule {
        ties: Ties::Class,
        failures: Failures::Wrong,
    };

    /// The pairs of an item with these scores of right and of wrong answers, of which a failed one
    /// is None; every second pair stands the other way round.
    fn pairs_of(id: &str, right: &[Option<f64>], wrong: &[Option<f64>]) -> Vec<LabelledPair> {
        let mut pairs = Vec::new();
        for (i, of_right) in right.iter().enumerate() {
            for (j, of_wrong) in wrong.iter().enumerate() {
                let systems = [i as u32, (100 + j) as u32];
                let (a, b, label, systems) = match (i + j) % 2 {
                    0 => (of_right, of_wrong, Side::First, systems),
                    _ => (of_wrong, of_right, Side::Second, [systems[1], systems[0]]),
                };
                let game = match (a, b) {
                    (Some(a), Some(b)) => Game::of_scores(*a, *b),
                    _ => Game::failed("truncated"),
                };
                pairs.push(LabelledPair {
                    name: id.into(),
                    systems: Some(systems),
                    label,
                    games: [Some(game.clone()), Some(game)],
                    ..LabelledPair::default()
                });
            }
        }
        pairs
    }

    fn score_of(pairs: &[LabelledPair], rule: Rule) -> Figure {
        score(&pairs.iter().collect::<Vec<_>>(), rule, 0.95).unwrap()
    }

    #[test]
    fn the_score_is_what_the_scores_of_the_answers_say() {
        // A slow twin over whole scores, among which equal ones are common; some answers are alone.
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for points in [2, 5, 10, 100] {
            for prompts in [1, 2, 9] {
                let mut pairs = Vec::new();
                let (mut tied_right, mut ref_right) = (0.0, 0.0);
                let (mut above, mut both, mut how_much) = (0.0, 0.0, 0.0);
                for prompt in 0..prompts {
                    let mut scores = |count: u64| -> Vec<f64> {
                        (0..count).map(|_| draw(points) as f64).collect()
                    };
                    let (right, wrong) = (scores(2 + prompt % 3), scores(1 + prompt % 4));
                    let (one, others) = (scores(1), scores(3));
                    let [best, worst] =
                        [f64::max, f64::min].map(|of| right.iter().copied().reduce(of).unwrap());
                    let most = |all: &[f64]| all.iter().copied().reduce(f64::max).unwrap();
                    let (gap, other) = (worst - most(&wrong), one[0] - most(&others));
                    let spread = best - worst;
                    tied_right += f64::from(gap > 0.0);
                    ref_right += f64::from(other > 0.0);
                    above += f64::from(gap > spread);
                    both += f64::from(gap > spread && other > spread);
                    let least = if gap < other { gap } else { other };
                    how_much += match (spread == 0.0, least == 0.0) {
                        (true, true) => 0.0,
                        (true, false) => least.signum(),
                        _ => (least / spread - 1.0).tanh(),
                    };
                    let some =
                        |all: Vec<f64>| -> Vec<Option<f64>> { all.into_iter().map(Some).collect() };
                    pairs.extend(pairs_of(
                        &format!("tied:{prompt}"),
                        &some(right),
                        &some(wrong),
                    ));
                    pairs.extend(pairs_of(
                        &format!("ref:{prompt}"),
                        &some(one),
                        &some(others),
                    ));
                }
                let expected = (0.3 * tied_right
                    + 0.3 * ref_right
                    + 0.2 * above
                    + 0.2 * both
                    + 0.01 * how_much)
                    / prompts as f64;
                let found = score_of(&pairs, RULE).value.unwrap();
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{points} {prompts}: {found} {expected}"
                );
            }
        }
    }

    /// Thirty prompts without an error may yet err, and those that were asked again are no more.
    #[test]
    fn the_interval_is_over_prompts() {
        let of = |repeat: u32| -> Vec<LabelledPair> {
            (0..30)
                .flat_map(|at| {
                    let right = [Some(9.0), Some(8.0)];
                    let mut pairs = pairs_of(&format!("tied:{at}"), &right, &[Some(1.0)]);
                    pairs.extend(pairs_of(&format!("ref:{at}"), &[Some(8.0)], &[Some(1.0)]));
                    pairs.iter_mut().for_each(|pair| pair.repeat = repeat);
                    pairs
                })
                .collect()
        };
        let once = score_of(&of(0), RULE);
        let [low, high] = once.ci.unwrap().map(Option::unwrap);
        let value = once.value.unwrap();
        assert!(
            0.8 < low && low < 0.95 && value <= high && high <= 1.01,
            "{low} {high}"
        );
        let thrice = score_of(&[of(0), of(1), of(2)].concat(), RULE);
        let [again, _] = thrice.ci.unwrap().map(Option::unwrap);
        assert!((again - low).abs() < 1e-9, "{again} {low}");
        // One prompt says nothing of others.
        let alone = of(0);
        let alone = score_of(&alone[..3], RULE);
        assert!(alone.value.is_some() && alone.ci.is_none() && alone.note.is_some());
    }

    #[test]
    fn what_has_no_score_has_none() {
        let scores = [Some(9.0), Some(9.0)];
        let tied = pairs_of("tied:1", &scores, &[Some(1.0)]);
        let reference = pairs_of("ref:1", &[Some(8.0)], &[Some(1.0), Some(2.0)]);
        let both = [tied.clone(), reference.clone()].concat();
        assert_eq!(score_of(&both, RULE).value, Some(1.01));
        assert!(score_of(&tied, RULE).note.unwrap().contains("both forms"));
        assert!(score_of(&reference, RULE).note.unwrap().contains("no item"));
        // Without scores of the single responses.
        let mut shown = both.clone();
        for game in shown
            .iter_mut()
            .flat_map(|pair| pair.games.iter_mut().flatten())
        {
            game.margin = None;
        }
        assert!(score_of(&shown, RULE).note.unwrap().contains("pointwise"));
        // A failure is wrong, or leaves its item out.
        let failed = pairs_of("tied:1", &[Some(9.0), None], &[Some(1.0)]);
        let failed = [failed, reference].concat();
        assert_eq!(score_of(&failed, RULE).value, Some(0.3));
        let exclude = Rule {
            failures: Failures::Exclude,
            ..RULE
        };
        assert!(score_of(&failed, exclude).value.is_none());
    }

    #[test]
    fn items_are_told_by_their_ids() {
        assert_eq!(form_of("tied:12"), Some((Form::Tied, ["", "12"])));
        assert_eq!(form_of("a:b:ref:3"), Some((Form::Reference, ["a:b", "3"])));
        for id in ["12", "ref:", "ref:x", "xref:1", "ref:1:2", ":1"] {
            assert_eq!(form_of(id), None, "{id}");
        }
    }
}
