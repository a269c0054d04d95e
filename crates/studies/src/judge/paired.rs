//! Two judges, or two protocols of one, on the same labelled pairs: the difference of their
//! accuracies.

use super::decide::Ratio;
use super::pair::PairKey;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen, Settings};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::Side;
use evenhand_stats::inference::{ClusterDifference, InferenceError, clustered_difference};
use evenhand_stats::{Error, holm};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// By what two are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairedMeasure {
    /// How right a verdict is: the mean over the orders, and repeats, that were judged.
    #[default]
    Accuracy,
    /// Whether a pair is right in both orders. One of the two gives a pair no winner whose verdict
    /// changes with the order; the other counts it half, or decides it. Only what is right in both
    /// orders is counted alike.
    AccuracyBoth,
}

/// The difference of two accuracies on the pairs that both have judged.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct PairedDifference {
    /// The two, by judge and protocol.
    pub names: [String; 2],
    /// Pairs that both have judged and that count.
    pub pairs: usize,
    /// By what they are compared.
    pub measure: PairedMeasure,
    /// The measure of each on these pairs.
    pub accuracies: [f64; 2],
    /// That of the first less that of the second. Its interval has the values that the test of `p`
    /// does not reject: it leaves out 0 exactly where p is below 1 - level.
    pub difference: Figure,
    /// Pairs on which the first was more often right than the second over the orders that each
    /// judged, and pairs on which the second was.
    pub ahead: [u32; 2],
    /// Two-sided p-value of the mean difference by clusters of pairs, by
    /// [`clustered_difference`]; None where there are fewer than two clusters.
    pub p: Option<f64>,
    /// How many sign patterns were drawn for it, so that it is at least 1 / (drawn + 1); None where
    /// all were counted.
    pub drawn: Option<usize>,
    /// The same, corrected for all that were compared with it (Holm 1979): in a study those of one
    /// judge on one total.
    pub p_corrected: Option<f64>,
}

/// Compares every two of these on the pairs that both have judged. Two that share none are left
/// out.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn paired_differences(
    judged: &[JudgedPairs],
    settings: &Settings,
) -> Result<Vec<PairedDifference>, Error> {
    let all = 0..judged.len();
    let twos = all.flat_map(|one| (one + 1..judged.len()).map(move |other| [one, other]));
    compare_each(judged, twos, settings)
}

/// Compares the first of these with each of the others, on the pairs that both have judged.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(crate) fn differences_from_first(
    judged: &[JudgedPairs],
    settings: &Settings,
) -> Result<Vec<PairedDifference>, Error> {
    compare_each(judged, (1..judged.len()).map(|other| [0, other]), settings)
}

fn compare_each(
    judged: &[JudgedPairs],
    twos: impl Iterator<Item = [usize; 2]>,
    settings: &Settings,
) -> Result<Vec<PairedDifference>, Error> {
    let all: Vec<Credited> = judged
        .iter()
        .map(|one| Credited {
            judged: one,
            credits: credits_of(one, settings),
            inconsistent: Inconsistent::of_judged(one),
        })
        .collect();
    let mut found = Vec::new();
    for [one, other] in twos {
        found.extend(all[one].compare(&all[other], settings)?);
    }
    // The p-values are corrected for their number.
    let raw: Vec<f64> = found.iter().filter_map(|one| one.p).collect();
    let mut corrected = holm(&raw)?.into_iter();
    for one in found.iter_mut().filter(|one| one.p.is_some()) {
        one.p_corrected = corrected.next();
    }
    Ok(found)
}

/// Returns who judged and how.
pub(super) fn name_judged(judged: &JudgedPairs) -> String {
    match judged.protocol_name().as_str() {
        "" => judged.judge.clone(),
        protocol => format!("{}, {protocol}", judged.judge),
    }
}

/// A judge and how right it was.
struct Credited<'a> {
    judged: &'a JudgedPairs,
    credits: Credits<'a>,
    inconsistent: Inconsistent,
}

/// What a pair counts for whose verdict changes with the order of its responses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inconsistent {
    /// Half: the orders are trials of their own, and one of them is right.
    Half,
    /// Nothing: one trial holds both orders, and gives no winner.
    Nothing,
    /// What the method decides.
    Decided,
    /// There are no such pairs, for it looks once.
    Once,
}

/// Whether two count pairs unlike whose verdict changes with the order, so that their accuracies
/// are of unlike things.
pub(super) fn count_unlike(one: &JudgedPairs, other: &JudgedPairs) -> bool {
    let [one, other] = [one, other].map(Inconsistent::of_judged);
    one.is_unlike(other)
}

impl Inconsistent {
    fn is_unlike(self, other: Inconsistent) -> bool {
        use Inconsistent::{Decided, Half, Nothing};
        matches!(
            (self, other),
            (Half | Decided, Nothing) | (Nothing, Half | Decided)
        )
    }

    fn of_judged(judged: &JudgedPairs) -> Inconsistent {
        let pairs = || judged.pairs.iter();
        let decides = |pair: &LabelledPair| {
            let [x, y] = [0, 1].map(|order| pair.in_order(order).and_then(Game::side));
            let verdict = pair.trials().next().and_then(Game::side);
            x != y && verdict.is_some_and(|side| side != Side::Tie)
        };
        if pairs().any(|pair| matches!(pair.seen, OrdersSeen::Within(_))) {
            match pairs().any(decides) {
                true => Inconsistent::Decided,
                false => Inconsistent::Nothing,
            }
        } else if pairs().any(|pair| pair.trials().count() == 2) {
            Inconsistent::Half
        } else {
            Inconsistent::Once
        }
    }
}

impl Credited<'_> {
    /// Returns the difference on shared pairs; None where there are none.
    fn compare(
        &self,
        other: &Credited<'_>,
        settings: &Settings,
    ) -> Result<Option<PairedDifference>, Error> {
        let (measure, shared) = if self.inconsistent.is_unlike(other.inconsistent) {
            let [first, second] = [self, other].map(|one| both_credits(one.judged, settings));
            (PairedMeasure::AccuracyBoth, shared_means(&first, &second))
        } else {
            (
                PairedMeasure::Accuracy,
                shared_means(&self.credits, &other.credits),
            )
        };
        if shared.is_empty() {
            return Ok(None);
        }

        let means = || shared.iter().map(|(_, means)| means);
        let accuracies =
            [0, 1].map(|at| means().map(|both| both[at]).sum::<f64>() / shared.len() as f64);
        let ahead = [0, 1].map(|at| means().filter(|both| both[at] > both[1 - at]).count() as u32);
        let differences = shared.iter().map(|(at, [one, other])| (*at, one - other));
        let clusters = ClusterDifference::of_pairs(differences);
        let (difference, p, drawn) = match clustered_difference(&clusters, &settings.bootstrap) {
            Ok(tested) => {
                let difference = Figure {
                    value: Some(tested.difference),
                    ci: Some(tested.interval.map(Some)),
                    note: None,
                };
                (difference, Some(tested.p_value), tested.drawn)
            }
            Err(InferenceError::Input(error)) => return Err(error),
            Err(undefined) => {
                let difference = Figure {
                    value: Some(accuracies[0] - accuracies[1]),
                    ..Figure::undefined(undefined.to_string())
                };
                (difference, None, None)
            }
        };
        Ok(Some(PairedDifference {
            names: [self, other].map(|one| name_judged(one.judged)),
            pairs: shared.len(),
            measure,
            accuracies,
            difference,
            ahead,
            p,
            drawn,
            p_corrected: None,
        }))
    }
}

/// Returns how right each of two was on the pairs that both have judged, with each pair's cluster.
/// Pairs of one name whose labels differ are of different input sets, and so are all others of
/// their part.
fn shared_means(first: &Credits<'_>, second: &Credits<'_>) -> Vec<(u32, [f64; 2])> {
    let shared = || {
        first
            .iter()
            .filter_map(|(key, one)| Some((key.0, one, second.get(key)?)))
    };
    let unlike: BTreeSet<&str> = shared()
        .filter(|(_, one, other)| one.label != other.label)
        .map(|(subset, ..)| subset)
        .collect();
    shared()
        .filter(|(subset, ..)| !unlike.contains(subset))
        .map(|(_, one, other)| (one.cluster, [one.mean(), other.mean()]))
        .collect()
}

/// How right a judge was on each pair that counts.
pub(super) type Credits<'a> = BTreeMap<PairKey<'a>, PairCredit>;

/// How right a judge was on a pair.
#[derive(Clone, Copy)]
pub(super) struct PairCredit {
    pub(super) cluster: u32,
    /// What people say.
    label: Side,
    /// Over the orders, and repeats, that were judged; from 0 to 1 in each.
    credit: Ratio,
}

impl PairCredit {
    pub(super) fn mean(self) -> f64 {
        self.credit.sum / self.credit.count
    }
}

pub(super) fn credits_of<'a>(judged: &'a JudgedPairs, settings: &Settings) -> Credits<'a> {
    let rule = settings.rule();
    gather_credits(judged, |pair| rule.game_credits(pair))
}

/// Returns whether each pair is right in both orders.
fn both_credits<'a>(judged: &'a JudgedPairs, settings: &Settings) -> Credits<'a> {
    let rule = settings.rule();
    gather_credits(judged, |pair| {
        let credit = rule.game_credits(pair).value();
        let right = credit.and_then(|credit| match pair.in_both_orders() {
            Some(games) => rule.right_in_both(games, pair.label),
            // A recording of trials that hold both orders keeps their verdicts alone.
            None => Some(indicator(credit == 1.0)),
        });
        right.into_iter().collect()
    })
}

/// Returns the credit of every pair that has some, over its repeats.
fn gather_credits<'a>(
    judged: &'a JudgedPairs,
    credit: impl Fn(&LabelledPair) -> Ratio,
) -> Credits<'a> {
    let mut credits = Credits::new();
    for pair in &judged.pairs {
        let credit = credit(pair);
        if credit.count > 0.0 {
            let known = credits.entry(judged.pair_key(pair)).or_insert(PairCredit {
                cluster: pair.cluster,
                label: pair.label,
                credit: Ratio::default(),
            });
            known.credit.add(credit, 1.0);
        }
    }
    credits
}

#[cfg(test)]
mod tests {
    use super::super::PairLooks;
    use super::*;
    use evenhand_core::Side;

    /// A judge that is right where a sign says `+`, in both orders, or in one of two (`±`).
    fn judged(protocol: &str, signs: &str) -> JudgedPairs {
        let game = |right: bool| {
            Some(Game::of_shares(if right {
                [1.0, 0.0, 0.0]
            } else {
                [0.0, 0.0, 1.0]
            }))
        };
        let pairs = signs.chars().enumerate().map(|(at, sign)| LabelledPair {
            name: at.to_string(),
            cluster: at as u32,
            subset: 0,
            label: Side::First,
            systems: None,
            lengths: None,
            games: [game(sign != '-'), game(sign == '+')],
            ..LabelledPair::default()
        });
        JudgedPairs {
            judge: "j".into(),
            protocol: protocol.into(),
            subsets: vec!["all".into()],
            pairs: pairs.collect(),
            ..JudgedPairs::default()
        }
    }

    #[test]
    fn differences_are_over_shared_pairs() {
        let both = [judged("a", "++++++++-±"), judged("b", "+--------")];
        let found = paired_differences(&both, &Settings::default()).unwrap();
        let [one] = &found[..] else {
            panic!("one difference")
        };
        assert_eq!((one.pairs, one.ahead), (9, [7, 0]));
        assert_eq!(one.names, ["j, a", "j, b"]);
        assert!((one.difference.value.unwrap() - 7.0 / 9.0).abs() < 1e-12);
        let [low, high] = one.difference.ci.unwrap().map(Option::unwrap);
        assert!(low > 0.2 && high <= 1.0 && low < high, "{low} {high}");
        assert_eq!(
            (one.p, one.p_corrected),
            (Some(2.0 / 128.0), Some(2.0 / 128.0))
        );
    }

    #[test]
    fn half_right_is_half_and_ahead_of_wrong() {
        let both = [judged("a", "±±"), judged("b", "--")];
        let found = paired_differences(&both, &Settings::default()).unwrap();
        assert_eq!(
            (found[0].accuracies, found[0].ahead, found[0].p),
            ([0.5, 0.0], [2, 0], Some(0.5))
        );
    }

    /// A method that looks in both orders in one trial, and gives an inconsistent pair (`±`) no
    /// winner; or the first, where it decides.
    fn within(signs: &str, decides: bool) -> JudgedPairs {
        let mut all = judged("within", signs);
        for (pair, sign) in all.pairs.iter_mut().zip(signs.chars()) {
            let orders = pair.games.clone();
            let verdict = match (sign, decides) {
                ('±', false) => Game::failed("inconsistent"),
                _ => orders[0].clone().unwrap(),
            };
            pair.games = [Some(verdict.clone()), Some(verdict)];
            let looks = PairLooks {
                orders,
                ..PairLooks::default()
            };
            pair.seen = OrdersSeen::Within(looks);
        }
        all
    }

    #[test]
    fn like_is_compared_with_like() {
        // Apart, an inconsistent pair is half right; within one trial it is nothing. The second is
        // right in both orders on 5 of 10, the first on 2.
        let both = [judged("apart", "++±±±±±±±±"), within("+++++±±±±-", false)];
        let found = &paired_differences(&both, &Settings::default()).unwrap()[0];
        assert_eq!(found.measure, PairedMeasure::AccuracyBoth);
        assert_eq!(found.accuracies, [0.2, 0.5]);
        assert_eq!(found.ahead, [0, 3]);
        // The other way round the same, and by accuracy where the method decides.
        let turned = [both[1].clone(), both[0].clone()];
        let turned = &paired_differences(&turned, &Settings::default()).unwrap()[0];
        assert_eq!((turned.accuracies, turned.p), ([0.5, 0.2], found.p));
        let decides = [judged("apart", "++±±±±±±±±"), within("+++++±±±±-", true)];
        let found = &paired_differences(&decides, &Settings::default()).unwrap()[0];
        assert_eq!(found.measure, PairedMeasure::Accuracy);
        assert_eq!(found.accuracies, [0.6, 0.9]);
        let nothing = [within("++±±±±±±±±", false), decides[1].clone()];
        let found = &paired_differences(&nothing, &Settings::default()).unwrap()[0];
        assert_eq!(
            (found.measure, found.accuracies),
            (PairedMeasure::AccuracyBoth, [0.2, 0.5])
        );
        // Two that count such pairs alike are compared by accuracy.
        let alike = [within("+++++±±±±-", false), within("++±±±±±±±±", false)];
        let found = &paired_differences(&alike, &Settings::default()).unwrap()[0];
        assert_eq!(
            (found.measure, found.accuracies),
            (PairedMeasure::Accuracy, [0.5, 0.2])
        );
    }

    #[test]
    fn p_and_the_interval_say_one_thing() {
        // The report of a review: accuracies 79.3 and 81.0, "p 0.026" beside an interval with 0.
        let first = "+".repeat(253) + &"-".repeat(66);
        let second = "±".repeat(94) + &"+".repeat(159) + &"+".repeat(52) + &"-".repeat(14);
        let both = [judged("one", &first), judged("two", &second)];
        let found = &paired_differences(&both, &Settings::default()).unwrap()[0];
        let [low, high] = found.difference.ci.unwrap().map(Option::unwrap);
        assert!(low < 0.0 && high > 0.0, "{found:?}");
        assert!(found.p.unwrap() > 0.3, "{found:?}");
        assert!(found.drawn.is_none_or(|drawn| drawn == 19_999));
    }

    #[test]
    fn pairs_of_other_sets_are_not_shared() {
        let first = judged("a", "+-+-+-");
        let mut second = judged("b", "+-+-+-");
        second.pairs[3].label = Side::Second;
        assert!(
            paired_differences(&[first, second], &Settings::default())
                .unwrap()
                .is_empty()
        );
        let one = [judged("a", "+"), judged("b", "-")];
        let found = &paired_differences(&one, &Settings::default()).unwrap()[0];
        assert_eq!((found.p, found.difference.ci), (None, None));
        assert!(found.difference.note.is_some());
    }

    #[test]
    fn p_values_are_corrected_for_their_number() {
        let all = [
            judged("a", "++++++++"),
            judged("b", "+-------"),
            judged("c", "--------"),
        ];
        let found = paired_differences(&all, &Settings::default()).unwrap();
        assert_eq!(found.len(), 3);
        for one in &found {
            assert!(one.p_corrected.unwrap() >= one.p.unwrap());
        }
        assert!(
            paired_differences(&[], &Settings::default())
                .unwrap()
                .is_empty()
        );
    }
}
