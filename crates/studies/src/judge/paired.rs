//! Two judges, or two protocols of one, on the same labelled pairs: the difference of their
//! accuracies.

use super::pair::PairKey;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen, Settings, Votes};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::Side;
use evenhand_stats::inference::{ClusterDifference, InferenceError, clustered_difference};
use evenhand_stats::{Bootstrap, Error, ItemCount, holm};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

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
    /// The same, corrected for all that were compared with it (Holm 1979): in a study all of one
    /// total.
    pub p_corrected: Option<f64>,
}

/// Why two were not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyNotCompared {
    /// They have judged no pair in common that counts.
    NoPairInCommon,
    /// The labels of the items that they have in common differ, so they may be about different
    /// data.
    LabelsDiffer,
    /// One of them does not name the systems, and the other has several pairs of each item that
    /// they have in common.
    SystemsNotNamed,
}

impl fmt::Display for WhyNotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyNotCompared::NoPairInCommon => "they judged no pair in common",
            WhyNotCompared::LabelsDiffer => {
                "their labels of the same items differ, so they may be about different data"
            }
            WhyNotCompared::SystemsNotNamed => {
                "one of the two does not name the systems, and the other has several pairs of an \
                 item"
            }
        })
    }
}

/// Two that were not compared.
#[derive(Clone, Debug, PartialEq)]
pub struct NotCompared {
    /// The two, by judge and protocol.
    pub names: [String; 2],
    /// Why they were not.
    pub why: WhyNotCompared,
}

/// What was compared on the same pairs, and what could not be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairedDifferences {
    /// The differences, whose p-values are corrected together.
    pub differences: Vec<PairedDifference>,
    /// The others, with the reason.
    pub not_compared: Vec<NotCompared>,
}

/// Compares every two of these on the pairs that both have judged.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn paired_differences(
    judged: &[JudgedPairs],
    settings: &Settings,
) -> Result<PairedDifferences, Error> {
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
    let twos = (1..judged.len()).map(|other| [0, other]);
    Ok(compare_each(judged, twos, settings)?.differences)
}

/// Compares these pairs of places, and corrects the p-values for their number.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(crate) fn compare_each(
    judged: &[JudgedPairs],
    twos: impl Iterator<Item = [usize; 2]>,
    settings: &Settings,
) -> Result<PairedDifferences, Error> {
    let all: Vec<Credited> = judged
        .iter()
        .map(|one| Credited {
            judged: one,
            credits: credits_of(one, settings),
            inconsistent: Inconsistent::of_judged(one),
        })
        .collect();
    let mut found = PairedDifferences::default();
    for [one, other] in twos {
        match all[one].compare(&all[other], settings)? {
            Ok(difference) => found.differences.push(difference),
            Err(why) => found.not_compared.push(NotCompared {
                names: [one, other].map(|at| name_judged(&judged[at])),
                why,
            }),
        }
    }
    correct_together(found.differences.iter_mut())?;
    Ok(found)
}

/// Corrects the p-values of all these for their number.
///
/// # Errors
/// None that p-values of tests cause.
pub(crate) fn correct_together<'a>(
    differences: impl Iterator<Item = &'a mut PairedDifference>,
) -> Result<(), Error> {
    let tested: Vec<&mut PairedDifference> = differences.filter(|one| one.p.is_some()).collect();
    let raw: Vec<f64> = tested.iter().filter_map(|one| one.p).collect();
    for (one, corrected) in tested.into_iter().zip(holm(&raw)?) {
        one.p_corrected = Some(corrected);
    }
    Ok(())
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
    /// Returns the difference on shared pairs, or why there are none.
    fn compare(
        &self,
        other: &Credited<'_>,
        settings: &Settings,
    ) -> Result<Result<PairedDifference, WhyNotCompared>, Error> {
        let (measure, shared) = if self.inconsistent.is_unlike(other.inconsistent) {
            let [first, second] = [self, other].map(|one| both_credits(one.judged, settings));
            (PairedMeasure::AccuracyBoth, shared_means(&first, &second))
        } else {
            (
                PairedMeasure::Accuracy,
                shared_means(&self.credits, &other.credits),
            )
        };
        let shared = match shared {
            Ok(shared) => shared,
            Err(why) => return Ok(Err(why)),
        };

        let means = || shared.iter().map(|(_, means)| means);
        let accuracies =
            [0, 1].map(|at| means().map(|both| both[at]).sum::<f64>() / shared.len() as f64);
        let ahead = [0, 1].map(|at| means().filter(|both| both[at] > both[1 - at]).count() as u32);
        let differences = shared.iter().map(|(at, [one, other])| (*at, one - other));
        let tested = mean_of_pairs(&differences.collect::<Vec<_>>(), &settings.bootstrap)?;
        Ok(Ok(PairedDifference {
            names: [self, other].map(|one| name_judged(one.judged)),
            pairs: shared.len(),
            measure,
            accuracies,
            difference: tested.figure,
            ahead,
            p: tested.p,
            drawn: tested.drawn,
            p_corrected: None,
        }))
    }
}

/// A mean difference over pairs, tested by their clusters.
pub(super) struct TestedMean {
    /// The mean, with the interval that is the test's inversion.
    pub(super) figure: Figure,
    /// Two-sided; None where there are fewer than two clusters.
    p: Option<f64>,
    /// How many sign patterns were drawn for it.
    drawn: Option<usize>,
}

/// Tests whether differences on pairs, each with its cluster, are 0 on average, by
/// [`clustered_difference`]. There is at least one.
pub(super) fn mean_of_pairs(
    differences: &[(u32, f64)],
    plan: &Bootstrap,
) -> Result<TestedMean, Error> {
    let clusters = ClusterDifference::of_pairs(differences.iter().copied());
    match clustered_difference(&clusters, plan) {
        Ok(tested) => Ok(TestedMean {
            figure: Figure {
                value: Some(tested.difference),
                ci: Some(tested.interval.map(Some)),
                note: None,
            },
            p: Some(tested.p_value),
            drawn: tested.drawn,
        }),
        Err(InferenceError::Input(error)) => Err(error),
        Err(undefined) => {
            let sum: f64 = differences.iter().map(|(_, difference)| difference).sum();
            Ok(TestedMean {
                figure: Figure {
                    value: Some(sum / differences.len() as f64),
                    ..Figure::undefined(undefined.to_string())
                },
                p: None,
                drawn: None,
            })
        }
    }
}

/// Returns how right each of two was on the pairs that both have judged, with each pair's cluster;
/// or why there are none. Pairs of one name whose labels differ are of different input sets, and so
/// are all others of their part.
// Deep: a pair that two recordings name unlike is found within the case that they do.
fn shared_means(
    first: &Credits<'_>,
    second: &Credits<'_>,
) -> Result<Vec<(u32, [f64; 2])>, WhyNotCompared> {
    let names_systems = |all: &Credits<'_>| all.keys().any(|(_, _, systems, _)| systems.is_some());
    let mut is_ambiguous = false;
    let mut shared: Vec<(&str, [PairCredit; 2])> = Vec::new();
    if names_systems(first) == names_systems(second) {
        for (key, one) in first {
            if let Some(other) = second.get(key) {
                shared.push((key.0, [*one, *other]));
            }
        }
    } else {
        // A recording that does not name the systems, as LLMBar's, has one pair of an item. It is
        // the other's, where that has one alone too.
        let mut alone: BTreeMap<ItemKey<'_>, Option<PairCredit>> = BTreeMap::new();
        for (&(subset, name, _, vote), other) in second {
            let known = alone.entry((subset, name, vote));
            known.and_modify(|one| *one = None).or_insert(Some(*other));
        }
        let mut met: BTreeMap<ItemKey<'_>, Vec<PairCredit>> = BTreeMap::new();
        for (&(subset, name, _, vote), one) in first {
            met.entry((subset, name, vote)).or_default().push(*one);
        }
        for (key, ones) in met {
            match (&ones[..], alone.get(&key)) {
                (_, None) => {}
                // Which response a label is of is told by the order in which the pair stands.
                ([one], Some(Some(other))) => {
                    let both = [*one, *other].map(|one| PairCredit {
                        turned: false,
                        ..one
                    });
                    shared.push((key.0, both));
                }
                (_, Some(_)) => is_ambiguous = true,
            }
        }
    }
    let differs = |[one, other]: &[PairCredit; 2]| one.sorted_label() != other.sorted_label();
    let unlike = shared.iter().filter(|(_, both)| differs(both));
    let unlike: BTreeSet<&str> = unlike.map(|(subset, _)| *subset).collect();
    shared.retain(|(subset, _)| !unlike.contains(subset));
    if shared.is_empty() {
        return Err(match (unlike.is_empty(), is_ambiguous) {
            (false, _) => WhyNotCompared::LabelsDiffer,
            (true, true) => WhyNotCompared::SystemsNotNamed,
            (true, false) => WhyNotCompared::NoPairInCommon,
        });
    }
    let means = shared.into_iter();
    Ok(means
        .map(|(_, both)| (both[0].cluster, both.map(PairCredit::mean)))
        .collect())
}

/// A part of an input set, the name of an item, and which of a pair's labels counts.
type ItemKey<'a> = (&'a str, &'a str, u32);

/// How right a judge was on each pair that counts; the two systems of a pair in alphabetical order.
pub(super) type Credits<'a> = BTreeMap<PairKey<'a>, PairCredit>;

/// How right a judge was on a pair.
#[derive(Clone, Copy)]
pub(super) struct PairCredit {
    pub(super) cluster: u32,
    /// What people say, of the responses in the order of the pair.
    label: Side,
    /// Whether that is the reverse of the alphabetical order of its systems.
    turned: bool,
    /// Over the orders, and repeats, that were judged; from 0 to 1 in each.
    credit: ItemCount,
}

impl PairCredit {
    /// Returns the label of the responses in the alphabetical order of their systems.
    fn sorted_label(self) -> Side {
        if self.turned {
            self.label.swapped()
        } else {
            self.label
        }
    }

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
        let credit = rule.game_credits(pair).mean();
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
    credit: impl Fn(&LabelledPair) -> ItemCount,
) -> Credits<'a> {
    let mut credits = Credits::new();
    for pair in &judged.pairs {
        let credit = credit(pair);
        if credit.count > 0.0 {
            // Two files may have the responses of a pair in different orders.
            let (subset, name, systems, mut vote) = judged.pair_key(pair);
            let turned = systems.is_some_and(|[a, b]| b < a);
            let systems = systems.map(|[a, b]| if turned { [b, a] } else { [a, b] });
            if turned && judged.votes == Votes::Each {
                let votes: u32 = pair.votes.iter().sum();
                vote = votes.saturating_sub(1).saturating_sub(vote);
            }
            let key = (subset, name, systems, vote);
            let known = credits.entry(key).or_insert(PairCredit {
                cluster: pair.cluster,
                label: pair.label,
                turned,
                credit: ItemCount::default(),
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
        let found = found.differences;
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

    /// A recording that does not name the systems meets one that does, where an item has one pair;
    /// and files that have a pair's responses in different orders meet.
    #[test]
    fn pairs_meet_with_and_without_the_names_of_systems() {
        let nameless = judged("a", "++++++++++");
        let named = |systems: [u32; 2]| {
            let mut one = judged("b", "++++------");
            one.systems = vec!["x".into(), "y".into(), "z".into()];
            for pair in &mut one.pairs {
                pair.systems = Some(systems);
            }
            one
        };
        let compare = |both: [&JudgedPairs; 2]| {
            let both = both.map(Clone::clone);
            paired_differences(&both, &Settings::default()).unwrap()
        };
        let mut reversed = named([1, 0]);
        assert_eq!(
            compare([&nameless, &named([0, 1])]).differences[0].pairs,
            10
        );
        assert_eq!(compare([&reversed, &nameless]).differences[0].pairs, 10);
        for pair in &mut reversed.pairs {
            pair.label = Side::Second;
        }
        let found = compare([&named([0, 1]), &reversed]);
        assert_eq!(
            (found.differences[0].pairs, found.not_compared.len()),
            (10, 0)
        );
        // Of two pairs of an item nothing tells which is meant.
        let mut both = named([0, 1]);
        both.pairs.extend(named([0, 2]).pairs);
        let found = compare([&nameless, &both]);
        assert_eq!(found.not_compared[0].why, WhyNotCompared::SystemsNotNamed);
        let mut others = nameless.clone();
        for pair in &mut others.pairs {
            pair.name.push('x');
        }
        let found = compare([&nameless, &others]);
        assert_eq!(found.not_compared[0].why, WhyNotCompared::NoPairInCommon);
    }

    #[test]
    fn half_right_is_half_and_ahead_of_wrong() {
        let both = [judged("a", "±±"), judged("b", "--")];
        let found = paired_differences(&both, &Settings::default()).unwrap();
        let found = found.differences;
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
        let found = &paired_differences(&both, &Settings::default())
            .unwrap()
            .differences[0];
        assert_eq!(found.measure, PairedMeasure::AccuracyBoth);
        assert_eq!(found.accuracies, [0.2, 0.5]);
        assert_eq!(found.ahead, [0, 3]);
        // The other way round the same, and by accuracy where the method decides.
        let turned = [both[1].clone(), both[0].clone()];
        let turned = &paired_differences(&turned, &Settings::default())
            .unwrap()
            .differences[0];
        assert_eq!((turned.accuracies, turned.p), ([0.5, 0.2], found.p));
        let decides = [judged("apart", "++±±±±±±±±"), within("+++++±±±±-", true)];
        let found = &paired_differences(&decides, &Settings::default())
            .unwrap()
            .differences[0];
        assert_eq!(found.measure, PairedMeasure::Accuracy);
        assert_eq!(found.accuracies, [0.6, 0.9]);
        let nothing = [within("++±±±±±±±±", false), decides[1].clone()];
        let found = &paired_differences(&nothing, &Settings::default())
            .unwrap()
            .differences[0];
        assert_eq!(
            (found.measure, found.accuracies),
            (PairedMeasure::AccuracyBoth, [0.2, 0.5])
        );
        // Two that count such pairs alike are compared by accuracy.
        let alike = [within("+++++±±±±-", false), within("++±±±±±±±±", false)];
        let found = &paired_differences(&alike, &Settings::default())
            .unwrap()
            .differences[0];
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
        let found = &paired_differences(&both, &Settings::default())
            .unwrap()
            .differences[0];
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
        let found = paired_differences(&[first, second], &Settings::default()).unwrap();
        assert!(found.differences.is_empty());
        let [NotCompared { names, why }] = &found.not_compared[..] else {
            panic!("{found:?}")
        };
        assert_eq!(*names, ["j, a", "j, b"]);
        assert_eq!(*why, WhyNotCompared::LabelsDiffer);
        let one = [judged("a", "+"), judged("b", "-")];
        let found = &paired_differences(&one, &Settings::default())
            .unwrap()
            .differences[0];
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
        let found = found.differences;
        assert_eq!(found.len(), 3);
        for one in &found {
            assert!(one.p_corrected.unwrap() >= one.p.unwrap());
        }
        assert!(
            paired_differences(&[], &Settings::default())
                .unwrap()
                .differences
                .is_empty()
        );
    }
}
