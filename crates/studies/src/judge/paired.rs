//! Two judges, or two protocols of one, on the same labelled pairs: the difference of their
//! accuracies.

use super::decide::Rule;
use super::pair::PairKey;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen, Settings};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::Side;
use evenhand_stats::inference::{ClusterDifference, InferenceError, clustered_difference};
use evenhand_stats::{Bootstrap, Error, holm};
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
    /// The same, corrected for all differences of the report (Holm 1979).
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
    let all: Vec<Credited> = judged
        .iter()
        .map(|one| Credited::new(one, settings))
        .collect();
    let mut found = Vec::new();
    for (at, first) in all.iter().enumerate() {
        for second in &all[at + 1..] {
            found.extend(first.compare(second, &settings.bootstrap)?);
        }
    }
    correct_all(&mut found)?;
    Ok(found)
}

/// Compares the first of these with each of the others, on the pairs that both have judged.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(crate) fn differences_from_first(
    judged: &[JudgedPairs],
    settings: &Settings,
) -> Result<Vec<PairedDifference>, Error> {
    let mut all = judged.iter().map(|one| Credited::new(one, settings));
    let mut found = Vec::new();
    if let Some(first) = all.next() {
        for other in all {
            found.extend(first.compare(&other, &settings.bootstrap)?);
        }
    }
    correct_all(&mut found)?;
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
    settings: &'a Settings,
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

impl<'a> Credited<'a> {
    fn new(judged: &'a JudgedPairs, settings: &'a Settings) -> Credited<'a> {
        Credited {
            judged,
            settings,
            credits: credits_of(judged, settings),
            inconsistent: Inconsistent::of_judged(judged),
        }
    }

    /// Returns the difference on shared pairs; None where there are none.
    fn compare(
        &self,
        other: &Credited<'_>,
        plan: &Bootstrap,
    ) -> Result<Option<PairedDifference>, Error> {
        use Inconsistent::{Decided, Half, Nothing};
        let unlike = matches!(
            (self.inconsistent, other.inconsistent),
            (Half | Decided, Nothing) | (Nothing, Half | Decided)
        );
        let (measure, shared) = if unlike {
            let [first, second] = [self, other].map(|one| both_credits(one.judged, one.settings));
            (PairedMeasure::AccuracyBoth, shared_credits(&first, &second))
        } else {
            (
                PairedMeasure::Accuracy,
                shared_credits(&self.credits, &other.credits),
            )
        };
        if shared.is_empty() {
            return Ok(None);
        }
        Ok(Some(PairedDifference {
            names: [self, other].map(|one| name_judged(one.judged)),
            measure,
            ..difference_of(&shared, plan)?
        }))
    }
}

impl Inconsistent {
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

/// Returns how right each of two was on the pairs that both have judged. Pairs of one name whose
/// labels differ are of different input sets, and so are all others of their part.
fn shared_credits(first: &Credits<'_>, second: &Credits<'_>) -> Vec<[PairCredit; 2]> {
    let shared = || {
        first
            .iter()
            .filter_map(|(key, one)| Some((key, [*one, *second.get(key)?])))
    };
    let others: BTreeSet<&str> = shared()
        .filter(|(_, [one, other])| one.label != other.label)
        .map(|((subset, ..), _)| subset.as_str())
        .collect();
    shared()
        .filter(|((subset, ..), _)| !others.contains(subset.as_str()))
        .map(|(_, both)| both)
        .collect()
}

/// Returns the difference over pairs; the names, the measure and the correction are still to come.
fn difference_of(shared: &[[PairCredit; 2]], plan: &Bootstrap) -> Result<PairedDifference, Error> {
    let accuracy =
        |at: usize| shared.iter().map(|both| both[at].mean()).sum::<f64>() / shared.len() as f64;
    let ahead = |at: usize| {
        let ahead = shared
            .iter()
            .filter(|both| both[at].mean() > both[1 - at].mean());
        ahead.count() as u32
    };
    let mut clusters: BTreeMap<u32, ClusterDifference> = BTreeMap::new();
    for [one, other] in shared {
        let nothing = ClusterDifference {
            sum: 0.0,
            pairs: 0.0,
        };
        let cluster = clusters.entry(one.cluster).or_insert(nothing);
        cluster.sum += one.mean() - other.mean();
        cluster.pairs += 1.0;
    }
    let clusters: Vec<ClusterDifference> = clusters.into_values().collect();
    let of_pairs = PairedDifference {
        names: Default::default(),
        pairs: shared.len(),
        measure: PairedMeasure::Accuracy,
        accuracies: [accuracy(0), accuracy(1)],
        difference: Figure::of_value(accuracy(0) - accuracy(1)),
        ahead: [ahead(0), ahead(1)],
        p: None,
        drawn: None,
        p_corrected: None,
    };
    match clustered_difference(&clusters, plan) {
        Ok(tested) => Ok(PairedDifference {
            difference: Figure {
                value: Some(tested.difference),
                ci: Some(tested.interval.map(Some)),
                note: None,
            },
            p: Some(tested.p_value),
            drawn: tested.drawn,
            ..of_pairs
        }),
        Err(InferenceError::Input(error)) => Err(error),
        Err(undefined) => Ok(PairedDifference {
            difference: Figure {
                note: Some(undefined.to_string()),
                ..of_pairs.difference
            },
            ..of_pairs
        }),
    }
}

/// How right a judge was on each pair that counts.
pub(super) type Credits<'a> = BTreeMap<PairKey<'a>, PairCredit>;

/// How right a judge was on a pair.
#[derive(Clone, Copy)]
pub(super) struct PairCredit {
    pub(super) cluster: u32,
    /// What people say.
    label: Side,
    /// The sum over the orders, and repeats, that were judged; from 0 to 1 in each.
    sum: f64,
    count: f64,
}

impl PairCredit {
    pub(super) fn mean(self) -> f64 {
        self.sum / self.count
    }

    /// Adds another repeat of the pair.
    fn add(&mut self, other: PairCredit) {
        self.sum += other.sum;
        self.count += other.count;
    }
}

pub(super) fn credits_of<'a>(judged: &'a JudgedPairs, settings: &Settings) -> Credits<'a> {
    let rule = settings.rule();
    gather_credits(judged, |pair| credit_of(pair, rule))
}

/// Returns whether each pair is right in both orders.
fn both_credits<'a>(judged: &'a JudgedPairs, settings: &Settings) -> Credits<'a> {
    let rule = settings.rule();
    gather_credits(judged, |pair| {
        let [x, y] =
            [0, 1].map(|order| Some(rule.credit(pair.in_order(order)?.side(), pair.label)));
        let right = match (x, y) {
            (Some(x), Some(y)) => indicator(x? == 1.0 && y? == 1.0),
            // A recording of trials that hold both orders keeps their verdicts alone.
            _ => indicator(credit_of(pair, rule)?.mean() == 1.0),
        };
        Some(PairCredit {
            sum: right,
            count: 1.0,
            ..credit_of(pair, rule)?
        })
    })
}

fn gather_credits<'a>(
    judged: &'a JudgedPairs,
    credit_of: impl Fn(&LabelledPair) -> Option<PairCredit>,
) -> Credits<'a> {
    let mut credits = Credits::new();
    for pair in &judged.pairs {
        if let Some(credit) = credit_of(pair) {
            let key = judged.pair_key(pair);
            let known = credits.entry(key).and_modify(|known| known.add(credit));
            known.or_insert(credit);
        }
    }
    credits
}

fn credit_of(pair: &LabelledPair, rule: Rule) -> Option<PairCredit> {
    let credits = pair
        .judged_games()
        .map(|game| rule.credit(game.side(), pair.label));
    let credits: Vec<f64> = credits.flatten().collect();
    (!credits.is_empty()).then(|| PairCredit {
        cluster: pair.cluster,
        label: pair.label,
        sum: credits.iter().sum(),
        count: credits.len() as f64,
    })
}

/// Corrects the p-values for their number.
fn correct_all(found: &mut [PairedDifference]) -> Result<(), Error> {
    let raw: Vec<f64> = found.iter().filter_map(|one| one.p).collect();
    let mut corrected = holm(&raw)?.into_iter();
    for one in found.iter_mut().filter(|one| one.p.is_some()) {
        one.p_corrected = corrected.next();
    }
    Ok(())
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
