//! Evaluation types beside a baseline on the same pairs: how consistent they are, what they mend
//! and how often they are right, of one judge or as the mean over several (PORTIA, tables 1, 2, 8,
//! 16).

use super::pair::PairKey;
use super::paired::count_unlike;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen, Settings};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Side, are_consistent};
use evenhand_stats::{Error, ItemCount, ItemGain, column_share, mean_relative_gain};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// What one judge said by a method, and by its baseline.
#[derive(Clone, Copy)]
pub(crate) struct MethodColumn<'a> {
    pub(crate) method: &'a JudgedPairs,
    /// None where the method is the baseline, or has none.
    pub(crate) baseline: Option<&'a JudgedPairs>,
    pub(crate) labels: Labels<'a>,
}

/// What verdicts are held against.
#[derive(Clone, Copy)]
pub(crate) enum Labels<'a> {
    /// The labels of the pairs.
    People,
    /// What another judge says in both orders; pairs on which its orders disagree have no label.
    Judge(&'a JudgedPairs),
    /// Nothing.
    None,
}

/// How a method does on pairs, beside its baseline. Over several judges every figure is the mean of
/// theirs. A gain is the share over the baseline's on the same pairs, less 1
/// ([`evenhand_stats::mean_relative_gain`]).
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct MethodFigures {
    /// Pairs; over several judges those of all.
    #[schemars(skip)]
    pub pairs: usize,
    /// Those of them without a verdict in some order: they count as inconsistent.
    #[schemars(skip)]
    pub failed: usize,
    /// Share of the pairs on which both orders prefer the same ("% Con").
    pub consistent: Figure,
    /// How much larger that is than the baseline's, of which 0 is none and 1 twice as large.
    pub consistent_gain: Figure,
    /// Of the pairs on which the baseline is inconsistent, the share on which this is consistent
    /// ("% Fixed Coverage").
    pub mended: Figure,
    /// Share of the pairs on which both orders agree with the label ("HAR"; "AR" where the labels
    /// are a judge's).
    pub right_in_both: Figure,
    /// How much larger that is than the baseline's.
    pub right_in_both_gain: Figure,
    /// Share of verdicts that are right, over the orders that were judged.
    pub accuracy: Figure,
    /// How much larger that is than the baseline's.
    pub accuracy_gain: Figure,
}

/// What is counted of one pair, over its repeats.
#[derive(Clone, Copy, Default)]
struct PairRates {
    cluster: u32,
    /// Whether an order has no verdict.
    failed: bool,
    consistent: ItemCount,
    right_in_both: ItemCount,
    accuracy: ItemCount,
}

type Rates<'a> = BTreeMap<PairKey<'a>, PairRates>;

/// Measures a method of one judge, or of several together: every figure is the mean of the judges'.
/// Intervals are over the items that were judged.
///
/// # Errors
/// A bad level.
pub(crate) fn measure_method(
    columns: &[MethodColumn<'_>],
    settings: &Settings,
) -> Result<MethodFigures, Error> {
    let found = measure_columns(columns, settings)?;
    // A judge whose own verdicts are the labels is right or wrong by nobody's.
    let mut labelled = columns.to_vec();
    labelled.retain(|column| !matches!(column.labels, Labels::None));
    if labelled.is_empty() || labelled.len() == columns.len() {
        return Ok(found);
    }
    Ok(MethodFigures {
        pairs: found.pairs,
        failed: found.failed,
        consistent: found.consistent,
        consistent_gain: found.consistent_gain,
        mended: found.mended,
        ..measure_columns(&labelled, settings)?
    })
}

// Long and deep: every figure is of one table of rates, which the closures fill for each.
fn measure_columns(
    columns: &[MethodColumn<'_>],
    settings: &Settings,
) -> Result<MethodFigures, Error> {
    let counted: Vec<[Option<Rates<'_>>; 2]> = columns
        .iter()
        .map(|column| {
            let both = [Some(column.method), column.baseline];
            both.map(|judged| Some(pair_rates(judged?, column.labels, settings)))
        })
        .collect();
    let methods: Vec<&Rates<'_>> = counted.iter().filter_map(|[own, _]| own.as_ref()).collect();
    let numbers = number_items(&methods);
    let level = settings.bootstrap.level;
    // What each item says in each column, without the items that say nothing in any.
    let table = |cell: &dyn Fn(&PairRates, Option<&PairRates>) -> ItemGain| {
        let last = numbers.values().max().map_or(0, |last| last + 1);
        let mut items = vec![vec![ItemGain::default(); methods.len()]; last];
        for (at, [own, baseline]) in counted.iter().enumerate() {
            for (key, rates) in own.iter().flatten() {
                let other = baseline.as_ref().and_then(|rates| rates.get(key));
                let (sum, one) = (&mut items[numbers[key]][at], cell(rates, other));
                sum.method.add(one.method, 1.0);
                sum.baseline.add(one.baseline, 1.0);
            }
        }
        items.retain(|item| item.iter().any(|one| one.method.count > 0.0));
        items
    };
    let share = |cell: &dyn Fn(&PairRates, Option<&PairRates>) -> ItemCount| {
        let items = table(&|rates, other| ItemGain {
            method: cell(rates, other),
            ..ItemGain::default()
        });
        let counts = items
            .iter()
            .map(|item| item.iter().map(|one| one.method).collect());
        Figure::of_mean(column_share(&counts.collect::<Vec<_>>(), level))
    };
    let gained = |of: fn(&PairRates) -> ItemCount| {
        let gain = match columns.iter().all(|column| column.baseline.is_some()) {
            true => {
                let items = table(&|rates, other| {
                    // A pair counts where both have something to count.
                    let both = other.map(|other| [of(rates), of(other)]);
                    let both = both.filter(|both| both.iter().all(|one| one.count > 0.0));
                    let [method, baseline] = both.unwrap_or_default();
                    ItemGain { method, baseline }
                });
                Figure::of_mean(mean_relative_gain(&items, level))?
            }
            false => Figure::default(),
        };
        Ok::<_, Error>([share(&|rates, _| of(rates))?, gain])
    };
    let [consistent, consistent_gain] = gained(|rates| rates.consistent)?;
    let [right_in_both, right_in_both_gain] = gained(|rates| rates.right_in_both)?;
    let [accuracy, mut accuracy_gain] = gained(|rates| rates.accuracy)?;
    let is_unlike = |column: &MethodColumn<'_>| {
        let baseline = column.baseline;
        baseline.is_some_and(|baseline| count_unlike(column.method, baseline))
    };
    if accuracy_gain.value.is_some() && columns.iter().any(is_unlike) {
        accuracy_gain = Figure::undefined(UNLIKE);
    }
    let mended = match columns.iter().any(|column| column.baseline.is_some()) {
        true => share(&|rates, other| match other {
            Some(other) if other.consistent.mean() == Some(0.0) => rates.consistent,
            _ => ItemCount::default(),
        })?,
        false => Figure::default(),
    };
    Ok(MethodFigures {
        pairs: methods.iter().map(|rates| rates.len()).sum(),
        failed: (methods.iter())
            .map(|rates| rates.values().filter(|one| one.failed).count())
            .sum(),
        consistent,
        consistent_gain,
        mended,
        right_in_both,
        right_in_both_gain,
        accuracy,
        accuracy_gain,
    })
}

const UNLIKE: &str = "one gives an inconsistent pair no winner and the other does, so their \
                      accuracies cannot be compared; compare how often they are right in both \
                      orders";

/// Counts every pair that a judge was asked about.
fn pair_rates<'a>(judged: &'a JudgedPairs, labels: Labels<'a>, settings: &Settings) -> Rates<'a> {
    let rule = settings.rule();
    let gold: BTreeMap<PairKey<'a>, Side> = match labels {
        Labels::Judge(gold) => {
            let agreed = gold.pairs.iter().filter_map(|pair| {
                let [one, other] = pair.in_both_orders()?.map(Game::side);
                Some((gold.pair_key(pair), one.filter(|_| one == other)?))
            });
            agreed.collect()
        }
        Labels::People | Labels::None => BTreeMap::new(),
    };
    let mut all = Rates::new();
    for pair in &judged.pairs {
        let key = judged.pair_key(pair);
        let label = match labels {
            Labels::People => Some(pair.label),
            Labels::Judge(_) => gold.get(&key).copied(),
            Labels::None => None,
        };
        let has_order = judged.order_known && pair.seen != OrdersSeen::Unordered;
        let orders = pair.in_both_orders().filter(|_| has_order);
        let consistent = orders.map(|games| indicator(are_consistent(games.map(Game::side))));
        let both = pair.in_both_orders().filter(|_| judged.order_known);
        let right = label.and_then(|label| match both {
            Some(games) => rule.right_in_both(games, label),
            None => None,
        });
        let labelled = label.map(|label| LabelledPair {
            label,
            ..pair.clone()
        });
        let rates = all.entry(key).or_insert(PairRates {
            cluster: pair.cluster,
            ..PairRates::default()
        });
        let lacks_verdict = |games: [&Game; 2]| games.iter().any(|game| game.side().is_none());
        rates.failed |= pair.in_both_orders().is_some_and(lacks_verdict);
        rates.consistent.add(consistent.into_iter().collect(), 1.0);
        rates.right_in_both.add(right.into_iter().collect(), 1.0);
        if let Some(pair) = labelled {
            rates.accuracy.add(rule.game_credits(&pair), 1.0);
        }
    }
    all
}

/// Numbers the items of several columns: pairs of one cluster in any column are of one item.
fn number_items<'a>(columns: &[&Rates<'a>]) -> BTreeMap<PairKey<'a>, usize> {
    let mut numbers: BTreeMap<PairKey<'a>, usize> = BTreeMap::new();
    let mut next = 0;
    for rates in columns {
        let known = rates
            .iter()
            .filter_map(|(key, one)| Some((one.cluster, *numbers.get(key)?)));
        let mut of_cluster: BTreeMap<u32, usize> = known.collect();
        for (key, one) in *rates {
            if !numbers.contains_key(key) {
                let number = *of_cluster.entry(one.cluster).or_insert(next);
                next = next.max(number + 1);
                numbers.insert(*key, number);
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::super::PairLooks;
    use super::*;

    /// A judge that is right in both orders where a sign says `+`, wrong in both at `-`, and
    /// inconsistent at `±`.
    fn judged(signs: &str) -> JudgedPairs {
        let game = |right: bool| {
            let side = if right { Side::First } else { Side::Second };
            Some(Game::of_shares(side.certain()))
        };
        let pairs = signs.chars().enumerate().map(|(at, sign)| LabelledPair {
            name: at.to_string(),
            cluster: at as u32,
            label: Side::First,
            games: [game(sign != '-'), game(sign == '+')],
            ..LabelledPair::default()
        });
        JudgedPairs {
            subsets: vec!["all".into()],
            pairs: pairs.collect(),
            order_known: true,
            ..JudgedPairs::default()
        }
    }

    fn column<'a>(method: &'a JudgedPairs, baseline: &'a JudgedPairs) -> MethodColumn<'a> {
        MethodColumn {
            method,
            baseline: Some(baseline),
            labels: Labels::People,
        }
    }

    #[test]
    fn a_method_is_held_against_its_baseline() {
        let (before, after) = (judged("++--±±±±±±"), judged("+++-+++-±±"));
        let found = measure_method(&[column(&after, &before)], &Settings::default()).unwrap();
        assert_eq!(found.pairs, 10);
        assert_eq!(found.consistent.value, Some(0.8));
        assert!((found.consistent_gain.value.unwrap() - 1.0).abs() < 1e-12);
        assert!((found.mended.value.unwrap() - 4.0 / 6.0).abs() < 1e-12);
        assert!((found.right_in_both.value.unwrap() - 0.6).abs() < 1e-12);
        assert!((found.right_in_both_gain.value.unwrap() - 2.0).abs() < 1e-12);
        assert!(found.consistent_gain.ci.is_some());
        let own = MethodColumn {
            baseline: None,
            ..column(&before, &before)
        };
        let found = measure_method(&[own], &Settings::default()).unwrap();
        assert_eq!(
            (found.consistent_gain.value, found.mended.value),
            (None, None)
        );
    }

    #[test]
    fn means_are_those_of_the_judges_and_undefined_where_a_baseline_is_nothing() {
        let settings = Settings::default();
        let [one, other] = [("++++±±±±", "++±±±±±±"), ("++++++±±", "++++±±±±")]
            .map(|(after, before)| [after, before].map(judged));
        let both = [column(&one[0], &one[1]), column(&other[0], &other[1])];
        let found = measure_method(&both, &settings).unwrap();
        assert_eq!(found.consistent.value, Some((0.5 + 0.75) / 2.0));
        assert!((found.consistent_gain.value.unwrap() - (1.0 + 0.5) / 2.0).abs() < 1e-12);
        let nothing = judged("±±±±±±±±");
        let both = [both[0], column(&other[0], &nothing)];
        let found = measure_method(&both, &settings).unwrap();
        assert_eq!(found.consistent_gain.value, None);
        assert!(
            found
                .consistent_gain
                .note
                .unwrap()
                .contains("baseline is 0")
        );
    }

    #[test]
    fn a_gold_judge_s_consistent_verdicts_are_labels() {
        let (before, after) = (judged("+-±±"), judged("+-+±"));
        // The gold judge says the first of 0 and 2, the second of 1, and nothing of 3.
        let gold = judged("+-+±");
        let columns = [MethodColumn {
            labels: Labels::Judge(&gold),
            ..column(&after, &before)
        }];
        let found = measure_method(&columns, &Settings::default()).unwrap();
        assert_eq!(found.right_in_both.value, Some(1.0));
        assert!((found.right_in_both_gain.value.unwrap() - 0.5).abs() < 1e-12);
        let columns = [MethodColumn {
            labels: Labels::None,
            ..columns[0]
        }];
        let found = measure_method(&columns, &Settings::default()).unwrap();
        assert_eq!(found.right_in_both.value, None);
        assert_eq!(found.consistent.value, Some(0.75));
    }

    #[test]
    fn where_no_order_enters_nothing_is_consistent_or_not() {
        let mut alone = judged("++--");
        alone
            .pairs
            .iter_mut()
            .for_each(|pair| pair.seen = OrdersSeen::Unordered);
        let before = judged("++±±");
        let found = measure_method(&[column(&alone, &before)], &Settings::default()).unwrap();
        assert_eq!(found.consistent.value, None);
        assert_eq!(found.right_in_both.value, Some(0.5));
        let mut within = judged("+±±±");
        for pair in &mut within.pairs {
            let orders = pair.games.clone();
            pair.games = [
                Some(Game::failed("inconsistent")),
                Some(Game::failed("inconsistent")),
            ];
            pair.seen = OrdersSeen::Within(PairLooks {
                orders,
                ..PairLooks::default()
            });
        }
        let found = measure_method(&[column(&within, &before)], &Settings::default()).unwrap();
        assert_eq!(found.consistent.value, Some(0.25));
        // An inconsistent pair is nothing there, and half in trials of their own.
        assert_eq!(found.accuracy_gain.value, None);
        assert!(
            found
                .accuracy_gain
                .note
                .unwrap()
                .contains("cannot be compared")
        );
        assert!(found.right_in_both_gain.value.is_some());
    }
}
