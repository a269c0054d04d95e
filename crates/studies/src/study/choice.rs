//! Which way to judge, chosen on all labelled sets but one and tried on that one.
//!
//! The best of several ways, measured on the pairs that it was chosen by, looks better than it is,
//! and a way that suits one kind of data may be wrong on another. Each set is therefore left out
//! in turn (cross-validation by group; Stone 1974, "Cross-Validatory Choice and Assessment of
//! Statistical Predictions"): what is found there tells how the choice does on a kind of data that
//! it has not seen.

use super::totals::JudgedSets;
use crate::Figure;
use crate::figure::mean;
use crate::judge::{JudgedPairs, LengthCredit, Settings, length_credits};
use evenhand_stats::{Error, Estimate, Undefined, percentile_interval, resample};
use schemars::JsonSchema;
use serde::Serialize;

/// With fewer sets the choice rests on one alone.
const LEAST_SETS: usize = 3;

/// A choice among ways to judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The judge among whose evaluation types it is; null where it is among those of all judges.
    pub judge: Option<String>,
    /// What there is to choose from, in the order of the study.
    pub ways: Vec<Way>,
    /// The sets where each way has a length-balanced accuracy, with the way the others choose.
    pub sets: Vec<LeftOutSet>,
    /// The mean over sets of the length-balanced accuracy of the way that the others choose; its
    /// interval is over pairs, with the choice made anew of each draw.
    pub accuracy: Figure,
    /// The best mean of one way over all sets, in [0, 1]: measured on what it is chosen by.
    pub best_mean: f64,
}

/// A judge by an evaluation type.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Way {
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its mean length-balanced accuracy over the sets, in [0, 1], each set counting alike.
    pub mean: f64,
}

/// A labelled set that a choice is tried on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeftOutSet {
    /// The set.
    pub input: String,
    /// The way with the best mean over the other sets, by its place; the first of several.
    pub chosen: usize,
    /// Its length-balanced accuracy on this set, in [0, 1].
    pub accuracy: f64,
    /// The best of any way here.
    pub best: f64,
}

/// What a way did on each set: the credit of each cluster of pairs.
struct Tried<'a> {
    judged: &'a JudgedPairs,
    sets: Vec<Vec<LengthCredit>>,
}

/// Returns a choice for each judge that was asked in several ways, and one among the ways of all
/// judges where there are several. Only sets count on which each way has a length-balanced
/// accuracy; with fewer than three there is no choice.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(super) fn choices(judged: &JudgedSets, settings: &Settings) -> Result<Vec<Choice>, Error> {
    let mut inputs: Vec<&str> = Vec::new();
    let mut ways: Vec<&JudgedPairs> = Vec::new();
    for (input, one) in judged.iter().filter(|(_, one)| one.prompts.is_none()) {
        if !inputs.contains(&input.as_str()) {
            inputs.push(input);
        }
        if !ways.iter().any(|way| way.is_same_judge(one)) {
            ways.push(one);
        }
    }
    let tried: Vec<Tried<'_>> = ways
        .into_iter()
        .map(|way| Tried {
            judged: way,
            sets: inputs
                .iter()
                .map(|input| {
                    let own = judged
                        .iter()
                        .find(|(set, one)| set == input && one.is_same_judge(way));
                    own.map_or_else(Vec::new, |(_, one)| length_credits(one, settings))
                })
                .collect(),
        })
        .collect();
    let mut judges: Vec<&str> = Vec::new();
    for one in &tried {
        if !judges.contains(&one.judged.judge.as_str()) {
            judges.push(&one.judged.judge);
        }
    }
    let mut found = Vec::new();
    for judge in &judges {
        let own = tried.iter().filter(|one| one.judged.judge == *judge);
        found.extend(choose(Some(judge), &inputs, own.collect(), settings)?);
    }
    if judges.len() > 1 {
        found.extend(choose(None, &inputs, tried.iter().collect(), settings)?);
    }
    Ok(found)
}

/// Chooses among these ways; None where there is one alone, or where sets are too few.
// Long: the interval repeats the choice, so that the two are read side by side.
fn choose(
    judge: Option<&str>,
    inputs: &[&str],
    ways: Vec<&Tried<'_>>,
    settings: &Settings,
) -> Result<Option<Choice>, Error> {
    // Of each set that counts: its place, and what each way has there.
    let valued: Vec<(usize, Vec<f64>)> = (0..inputs.len())
        .filter_map(|set| {
            let of_way = ways
                .iter()
                .map(|way| weighted_mean(&way.sets[set], &vec![1.0; way.sets[set].len()]));
            Some((set, of_way.collect::<Option<Vec<f64>>>()?))
        })
        .collect();
    if ways.len() < 2 || valued.len() < LEAST_SETS {
        return Ok(None);
    }
    let values: Vec<Vec<f64>> = valued.iter().map(|(_, values)| values.clone()).collect();
    let chosen = choose_by_others(&values);
    let sets: Vec<LeftOutSet> = valued
        .iter()
        .zip(chosen)
        .map(|((set, values), chosen)| LeftOutSet {
            input: inputs[*set].to_string(),
            chosen,
            accuracy: values[chosen],
            best: values[first_best(values)],
        })
        .collect();

    let count = sets.len();
    let value = sets.iter().map(|set| set.accuracy).sum::<f64>() / count as f64;
    // What chance makes good in one set is chosen for the others and counts there, so that the sets
    // stand and fall together: with the choices as they are, intervals would be too narrow by a
    // third. Each draw chooses anew; draws are centred on the value, from which they are drawn.
    let places: Vec<usize> = valued.iter().map(|(set, _)| *set).collect();
    let clusters = places.iter().map(|set| {
        let of_way = ways.iter().map(|way| way.sets[*set].len());
        of_way.max().unwrap_or(0)
    });
    let clusters: Vec<usize> = clusters.collect();
    let plan = &settings.bootstrap;
    let drawn = resample(clusters.iter().sum(), plan, |weights| {
        let mut rest = weights;
        let mut values = Vec::with_capacity(count);
        for (set, size) in places.iter().zip(&clusters) {
            let (own, behind) = rest.split_at(*size);
            rest = behind;
            let of_way = ways.iter().map(|way| weighted_mean(&way.sets[*set], own));
            match of_way.collect::<Option<Vec<f64>>>() {
                Some(of_way) => values.push(of_way),
                None => return Estimate::Undefined(Undefined::NoData),
            }
        }
        let chosen = values.iter().zip(choose_by_others(&values));
        let sum: f64 = chosen.map(|(values, chosen)| values[chosen]).sum();
        Estimate::Finite(sum / count as f64)
    });
    let interval = drawn.and_then(|drawn| {
        let finite: Vec<f64> = drawn.iter().filter_map(|one| one.finite()).collect();
        let shift = mean(&finite).map_or(0.0, |mean| value - mean);
        let centred = drawn.into_iter().map(|one| match one {
            Estimate::Finite(one) => Estimate::Finite((one + shift).clamp(0.0, 1.0)),
            other => other,
        });
        let centred: Vec<Estimate> = centred.collect();
        percentile_interval(Estimate::Finite(value), &centred, plan.level)
    });
    let mut accuracy = Figure::new(Ok(value), interval)?;
    // Where nearly all verdicts are right, draws differ too little: the interval reaches at least
    // as far as that of the share of all pairs that were tried.
    let counted = places.iter().zip(&sets).flat_map(|(set, left_out)| {
        let own = ways[left_out.chosen].sets[*set].iter();
        own.map(|credit| credit.sum_and_count())
    });
    let share = Figure::of_clusters(&counted.collect::<Vec<_>>(), plan.level)?;
    if let (Some([low, high]), Some(share), Some([Some(from), Some(to)])) =
        (&mut accuracy.ci, share.value, share.ci)
    {
        *low = low.map(|low| low.min((value - (share - from)).max(0.0)));
        *high = high.map(|high| high.max((value + (to - share)).min(1.0)));
    }
    let means: Vec<f64> = (0..ways.len())
        .map(|way| values.iter().map(|values| values[way]).sum::<f64>() / count as f64)
        .collect();
    Ok(Some(Choice {
        judge: judge.map(String::from),
        best_mean: means[first_best(&means)],
        ways: ways
            .iter()
            .zip(means)
            .map(|(way, mean)| Way {
                judge: way.judged.judge.clone(),
                kind: way.judged.protocol.clone(),
                mean,
            })
            .collect(),
        sets,
        accuracy,
    }))
}

/// Returns for each set the way with the best sum over the other sets. `values` are those of each
/// way, by set.
fn choose_by_others(values: &[Vec<f64>]) -> Vec<usize> {
    let ways = values.first().map_or(0, Vec::len);
    let sums: Vec<f64> = (0..ways)
        .map(|way| values.iter().map(|values| values[way]).sum())
        .collect();
    let chosen = values.iter().map(|own| {
        let elsewhere: Vec<f64> = sums.iter().zip(own).map(|(sum, own)| sum - own).collect();
        first_best(&elsewhere)
    });
    chosen.collect()
}

/// Returns a length-balanced accuracy where each cluster counts as often as its weight says.
fn weighted_mean(clusters: &[LengthCredit], weights: &[f64]) -> Option<f64> {
    let mut sum = LengthCredit::default();
    for (cluster, weight) in clusters.iter().zip(weights) {
        sum.add(*cluster, *weight);
    }
    sum.balanced()
}

/// Returns the place of the largest value, the first of several within 1e-12: rounding of sums is
/// no reason to choose.
fn first_best(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| {
        if values[at] > values[best] + 1e-12 {
            at
        } else {
            best
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Game, LabelledPair};
    use evenhand_core::Side;
    use evenhand_stats::Bootstrap;
    use proptest::prelude::*;

    fn settings(rounds: usize) -> Settings {
        Settings::of_plan(Bootstrap {
            rounds,
            ..Bootstrap::default()
        })
    }

    fn game(is_right: bool) -> Game {
        let side = if is_right { Side::First } else { Side::Second };
        Game::of_shares(side.certain())
    }

    /// What a judge said of pairs whose better response is the longer one and the shorter one in
    /// turn.
    fn judged(judge: &str, kind: &str, right: &[bool]) -> JudgedPairs {
        let pairs = right.iter().zip(0..).map(|(right, cluster)| LabelledPair {
            cluster,
            label: Side::First,
            lengths: Some(if cluster % 2 == 0 { [9, 3] } else { [3, 9] }),
            games: [Some(game(*right)), None],
            ..LabelledPair::default()
        });
        JudgedPairs {
            judge: judge.into(),
            protocol: kind.into(),
            pairs: pairs.collect(),
            ..JudgedPairs::default()
        }
    }

    /// Ways by sets by pairs.
    type Grid = Vec<Vec<Vec<bool>>>;

    fn sets_of(grid: &Grid) -> JudgedSets {
        let mut all = JudgedSets::new();
        for set in 0..grid[0].len() {
            for (way, sets) in grid.iter().enumerate() {
                all.push((
                    format!("s{set}"),
                    judged("j", &format!("w{way}"), &sets[set]),
                ));
            }
        }
        all
    }

    /// The share of right verdicts where the longer one is better, and where the shorter one is.
    fn slow_balanced(right: &[bool]) -> f64 {
        let share = |rest: usize| {
            let own: Vec<bool> = (0..right.len())
                .filter(|at| at % 2 == rest)
                .map(|at| right[at])
                .collect();
            own.iter().filter(|one| **one).count() as f64 / own.len() as f64
        };
        (share(0) + share(1)) / 2.0
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Each set is judged by the way that is best without it: counted anew for each set.
        #[test]
        fn a_set_has_no_say_in_what_is_tried_on_it(
            grid in (2usize..5, 3usize..7, 2usize..9).prop_flat_map(|(ways, sets, pairs)| {
                let pairs = prop::collection::vec(any::<bool>(), 2 * pairs);
                prop::collection::vec(prop::collection::vec(pairs, sets), ways)
            })
        ) {
            let found = choices(&sets_of(&grid), &settings(20)).unwrap();
            prop_assert_eq!(found.len(), 1);
            let found = &found[0];
            let sets = grid[0].len();
            let mut mean = 0.0;
            for set in 0..sets {
                let elsewhere = |way: &Vec<Vec<bool>>| -> f64 {
                    (0..sets).filter(|at| *at != set).map(|at| slow_balanced(&way[at])).sum()
                };
                let most = grid.iter().map(elsewhere).fold(f64::MIN, f64::max);
                let chosen = grid.iter().position(|way| elsewhere(way) > most - 1e-9).unwrap();
                let left_out = &found.sets[set];
                prop_assert_eq!(left_out.chosen, chosen);
                prop_assert!((left_out.accuracy - slow_balanced(&grid[chosen][set])).abs() < 1e-9);
                mean += left_out.accuracy / sets as f64;
            }
            prop_assert!((found.accuracy.value.unwrap() - mean).abs() < 1e-9);
            let best = found.ways.iter().map(|way| way.mean).fold(f64::MIN, f64::max);
            prop_assert!((found.best_mean - best).abs() < 1e-12);
        }
    }

    /// Eight ways that are all coins: the best of them looks better than a coin, and what is chosen
    /// without the set is one.
    #[test]
    fn the_best_of_many_coins_is_a_coin() {
        let mut state = 7u64;
        let mut coin = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state >> 63 == 1
        };
        let (mut left_out, mut apparent, mut covered) = (0.0, 0.0, 0);
        let seeds = 200;
        for _ in 0..seeds {
            let mut grid: Grid = vec![vec![vec![false; 30]; 5]; 8];
            for right in grid.iter_mut().flatten().flatten() {
                *right = coin();
            }
            let found = choices(&sets_of(&grid), &settings(100)).unwrap().remove(0);
            left_out += found.accuracy.value.unwrap() / f64::from(seeds);
            apparent += found.best_mean / f64::from(seeds);
            let [low, high] = found.accuracy.ci.unwrap().map(Option::unwrap);
            covered += i32::from(low <= 0.5 && 0.5 <= high);
        }
        // The standard error of the first mean is about 0.004.
        assert!((left_out - 0.5).abs() < 0.012, "{left_out}");
        assert!(apparent > 0.54, "{apparent}");
        // Of choices that stay as they are, intervals hold it in 156.
        assert!(covered >= 190, "{covered} of {seeds}");
    }

    #[test]
    fn two_sets_or_one_way_give_no_choice() {
        let all = [true, false, true, true];
        let grid = |ways: usize, sets: usize| vec![vec![all.to_vec(); sets]; ways];
        for (ways, sets) in [(1, 5), (3, 2)] {
            let found = choices(&sets_of(&grid(ways, sets)), &settings(20)).unwrap();
            assert!(found.is_empty(), "{ways} ways, {sets} sets");
        }
        // A set that one way was not asked about does not count.
        let mut judged = sets_of(&grid(2, 3));
        judged.pop();
        assert!(choices(&judged, &settings(20)).unwrap().is_empty());
    }

    #[test]
    fn several_judges_are_chosen_among_too() {
        let good = [true; 6];
        let bad = [false; 6];
        let mut all = JudgedSets::new();
        for set in ["x", "y", "z"] {
            all.push((set.into(), judged("j", "w", &bad)));
            all.push((set.into(), judged("k", "w", &good)));
            all.push((set.into(), judged("k", "v", &bad)));
        }
        let found = choices(&all, &settings(20)).unwrap();
        let judges: Vec<Option<&str>> = found.iter().map(|one| one.judge.as_deref()).collect();
        assert_eq!(judges, [Some("k"), None]);
        for (one, chosen) in found.iter().zip([0, 1]) {
            assert!(one.sets.iter().all(|set| set.chosen == chosen), "{one:?}");
            assert_eq!(one.accuracy.value, Some(1.0));
        }
    }
}
