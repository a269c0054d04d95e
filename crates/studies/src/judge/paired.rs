//! Two judges, or two protocols of one, on the same labelled pairs: the difference of their
//! accuracies.

use super::decide::Rule;
use super::{JudgedPairs, LabelledPair, Settings};
use crate::Figure;
use crate::figure::exact_sign_p;
use evenhand_stats::{Bootstrap, Error, Estimate, holm, percentile_interval, resample};
use std::collections::BTreeMap;

/// The difference of two accuracies on the pairs that both have judged.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedDifference {
    /// The two, by judge and protocol.
    pub names: [String; 2],
    /// Pairs that both have judged and that count.
    pub pairs: usize,
    /// Accuracy of each on these pairs.
    pub accuracies: [f64; 2],
    /// Accuracy of the first less that of the second, with a percentile bootstrap interval over
    /// items.
    pub difference: Figure,
    /// Pairs on which the first was more often right than the second over the orders that each
    /// judged, and pairs on which the second was.
    pub ahead: [u32; 2],
    /// Exact two-sided p-value of the sign test of these, which is McNemar's exact test where each
    /// pair was judged once; None where there are none.
    pub p: Option<f64>,
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
    let credits: Vec<Credits> = judged.iter().map(|one| credits_of(one, settings)).collect();
    let mut found = Vec::new();
    for (at, first) in judged.iter().enumerate() {
        for (later, second) in judged.iter().enumerate().skip(at + 1) {
            let names = [first, second].map(name_judged);
            let both = [&credits[at], &credits[later]];
            found.extend(compare(names, both, &settings.bootstrap)?);
        }
    }
    correct_all(&mut found)?;
    Ok(found)
}

/// Returns who judged and how.
fn name_judged(judged: &JudgedPairs) -> String {
    match judged.protocol.as_str() {
        "" => judged.judge.clone(),
        protocol => format!("{}, {protocol}", judged.judge),
    }
}

/// How right a judge was on each pair that counts, by the pair's part and name.
type Credits<'a> = BTreeMap<(&'a str, &'a str), PairCredit>;

/// How right a judge was on a pair.
#[derive(Clone, Copy)]
struct PairCredit {
    cluster: u32,
    /// The mean over the orders that were judged, from 0 to 1.
    mean: f64,
}

fn credits_of<'a>(judged: &'a JudgedPairs, settings: &Settings) -> Credits<'a> {
    let rule = Rule {
        ties: settings.ties,
        failures: settings.failures,
    };
    let credits = judged.pairs.iter().filter_map(|pair| {
        let part = judged.subsets.get(pair.subset as usize);
        let key = (part.map_or("", String::as_str), pair.name.as_str());
        Some((key, credit_of(pair, rule)?))
    });
    credits.collect()
}

fn credit_of(pair: &LabelledPair, rule: Rule) -> Option<PairCredit> {
    let games = pair.games.iter().flatten();
    let credits: Vec<f64> = games
        .filter_map(|game| rule.credit(game.side(), pair.label))
        .collect();
    (!credits.is_empty()).then(|| PairCredit {
        cluster: pair.cluster,
        mean: credits.iter().sum::<f64>() / credits.len() as f64,
    })
}

fn compare(
    names: [String; 2],
    [first, second]: [&Credits; 2],
    plan: &Bootstrap,
) -> Result<Option<PairedDifference>, Error> {
    let shared: Vec<[PairCredit; 2]> = first
        .iter()
        .filter_map(|(key, one)| Some([*one, *second.get(key)?]))
        .collect();
    if shared.is_empty() {
        return Ok(None);
    }
    let mean =
        |at: usize| shared.iter().map(|both| both[at].mean).sum::<f64>() / shared.len() as f64;
    let count = |at: usize| {
        let ahead = shared
            .iter()
            .filter(|both| both[at].mean > both[1 - at].mean);
        ahead.count() as u32
    };
    let ahead = [count(0), count(1)];
    Ok(Some(PairedDifference {
        names,
        pairs: shared.len(),
        accuracies: [mean(0), mean(1)],
        difference: difference_of(&shared, plan)?,
        ahead,
        p: exact_sign_p(ahead)?,
        p_corrected: None,
    }))
}

/// Returns the mean difference over pairs; pairs of one item are resampled together.
fn difference_of(shared: &[[PairCredit; 2]], plan: &Bootstrap) -> Result<Figure, Error> {
    let mut clusters: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for [one, other] in shared {
        let sum = clusters.entry(one.cluster).or_default();
        *sum = (sum.0 + one.mean - other.mean, sum.1 + 1.0);
    }
    let sums: Vec<(f64, f64)> = clusters.into_values().collect();
    let ratio = |weight: &dyn Fn(usize) -> f64| {
        let weighed = sums
            .iter()
            .enumerate()
            .map(|(at, sum)| (weight(at) * sum.0, weight(at) * sum.1));
        let (top, count) = weighed.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        top / count
    };
    let rounds = resample(sums.len(), plan, |weights| {
        Estimate::Finite(ratio(&|at| weights[at]))
    })
    .and_then(|rounds| percentile_interval(&rounds, plan.level));
    Figure::new(Ok(ratio(&|_| 1.0)), rounds)
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
    use super::super::{Game, OrdersSeen};
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
            seen: OrdersSeen::default(),
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
        assert!(low > 0.3 && high <= 1.0 && low < high, "{low} {high}");
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
