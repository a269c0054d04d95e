//! Two judges, or two protocols of one, on the same labelled pairs: the difference of their
//! accuracies.

use super::decide::Rule;
use super::pair::PairKey;
use super::{JudgedPairs, LabelledPair, Settings};
use crate::Figure;
use crate::figure::exact_sign_p;
use evenhand_stats::{Bootstrap, Error, holm};
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
    name: String,
    credits: Credits<'a>,
}

impl<'a> Credited<'a> {
    fn new(judged: &'a JudgedPairs, settings: &Settings) -> Credited<'a> {
        Credited {
            name: name_judged(judged),
            credits: credits_of(judged, settings),
        }
    }

    /// Returns the difference on shared pairs; None where there are none.
    fn compare(
        &self,
        other: &Credited<'_>,
        plan: &Bootstrap,
    ) -> Result<Option<PairedDifference>, Error> {
        let shared = SharedCredits::of_both(&self.credits, &other.credits);
        if shared.0.is_empty() {
            return Ok(None);
        }
        Ok(Some(PairedDifference {
            names: [self.name.clone(), other.name.clone()],
            ..shared.difference(plan)?
        }))
    }
}

/// How right each of two was on the pairs that both have judged.
struct SharedCredits(Vec<[PairCredit; 2]>);

impl SharedCredits {
    fn of_both(first: &Credits<'_>, second: &Credits<'_>) -> SharedCredits {
        let shared = first
            .iter()
            .filter_map(|(key, one)| Some([*one, *second.get(key)?]));
        SharedCredits(shared.collect())
    }

    /// Returns the difference; the names and the correction are still to come.
    fn difference(&self, plan: &Bootstrap) -> Result<PairedDifference, Error> {
        let ahead = [self.count_ahead(0), self.count_ahead(1)];
        Ok(PairedDifference {
            names: Default::default(),
            pairs: self.0.len(),
            accuracies: [self.accuracy(0), self.accuracy(1)],
            difference: difference_of(&self.sums_of_clusters(), plan)?,
            ahead,
            p: exact_sign_p(ahead)?,
            p_corrected: None,
        })
    }

    fn accuracy(&self, at: usize) -> f64 {
        let sum: f64 = self.0.iter().map(|both| both[at].mean()).sum();
        sum / self.0.len() as f64
    }

    /// Returns the pairs on which this one of the two was more often right.
    fn count_ahead(&self, at: usize) -> u32 {
        let shared = self.0.iter();
        let ahead = shared.filter(|both| both[at].mean() > both[1 - at].mean());
        ahead.count() as u32
    }

    /// Returns the summed difference and the number of pairs of each cluster.
    fn sums_of_clusters(&self) -> Vec<(f64, f64)> {
        let mut clusters: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for [one, other] in &self.0 {
            let sum = clusters.entry(one.cluster).or_default();
            *sum = (sum.0 + one.mean() - other.mean(), sum.1 + 1.0);
        }
        clusters.into_values().collect()
    }
}

/// How right a judge was on each pair that counts.
pub(super) type Credits<'a> = BTreeMap<PairKey<'a>, PairCredit>;

/// How right a judge was on a pair.
#[derive(Clone, Copy)]
pub(super) struct PairCredit {
    pub(super) cluster: u32,
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
    let mut credits = Credits::new();
    for pair in &judged.pairs {
        if let Some(credit) = credit_of(pair, settings.rule()) {
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
        sum: credits.iter().sum(),
        count: credits.len() as f64,
    })
}

/// Returns the mean difference over pairs; pairs of one item are resampled together.
fn difference_of(sums: &[(f64, f64)], plan: &Bootstrap) -> Result<Figure, Error> {
    Figure::resampled(sums.len(), plan, |weights| {
        Ok(weighted_ratio(sums, weights))
    })
}

fn weighted_ratio(sums: &[(f64, f64)], weights: &[f64]) -> f64 {
    let (mut top, mut count) = (0.0, 0.0);
    for (sum, weight) in sums.iter().zip(weights) {
        top += weight * sum.0;
        count += weight * sum.1;
    }
    top / count
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
    use super::super::Game;
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
