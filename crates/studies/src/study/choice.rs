//! Which way to judge, chosen on all labelled sets but one and tried on that one.
//!
//! The best of several ways, measured on the pairs that it was chosen by, looks better than it is,
//! and a way that suits one kind of data may be wrong on another. Each set is therefore left out
//! in turn (cross-validation by group; Stone 1974, "Cross-Validatory Choice and Assessment of
//! Statistical Predictions"): what is found there tells how the choice does on a kind of data that
//! it has not seen.

use super::totals::JudgedSets;
use crate::Figure;
use crate::judge::{JudgedPairs, LengthCredit, Settings, length_credits};
use evenhand_core::in_order;
use evenhand_stats::{Error, Undefined, group_interval};
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
    /// interval is for sets of such kinds: sets are drawn, and pairs of each, and each draw chooses
    /// anew.
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
    let plain = || judged.iter().filter(|(_, one)| one.prompts.is_none());
    let inputs: Vec<&str> = in_order(plain().map(|(input, _)| input.as_str()));
    let mut ways: Vec<&JudgedPairs> = Vec::new();
    for (_, one) in plain() {
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
    let judges = in_order(tried.iter().map(|one| one.judged.judge.as_str()));
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
    let chosen = choose_by_others(&valued);
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
    // third. Each draw, of sets and of the pairs in each, chooses anew.
    let clusters = valued.iter().map(|(set, _)| {
        let of_way = ways.iter().map(|way| way.sets[*set].len());
        of_way.max().unwrap_or(0)
    });
    let plan = &settings.bootstrap;
    let ends = group_interval(&clusters.collect::<Vec<_>>(), plan, value, |drawn| {
        let values = drawn.iter().map(|one| {
            let (set, whole) = &valued[one.group];
            let of_way = ways
                .iter()
                .map(|way| weighted_mean(&way.sets[*set], &one.weights));
            // Of a set that has its better responses nearly always among the longer ones, a draw
            // may have no others: it then stands as it is.
            let of_way: Option<Vec<f64>> = of_way.collect();
            (one.group, of_way.unwrap_or_else(|| whole.clone()))
        });
        let values: Vec<(usize, Vec<f64>)> = values.collect();
        let chosen = values.iter().zip(choose_by_others(&values));
        let sum: f64 = chosen.map(|((_, values), chosen)| values[chosen]).sum();
        sum / count as f64
    });
    // Where all verdicts are right, no round differs from another and nothing is known of how sets
    // differ: each is one trial.
    let ends = match ends {
        Err(Error::Undefined(Undefined::SameInRounds)) => {
            let shares: Vec<f64> = sets.iter().map(|set| set.accuracy).collect();
            let of_sets = Figure::of_shares(&shares, plan.level)?;
            let ends = of_sets.ci.unwrap_or_default();
            [ends[0].unwrap_or(0.0), ends[1].unwrap_or(1.0)]
        }
        ends => ends?,
    };
    // Where nearly all verdicts are right, draws differ too little: the interval reaches at least
    // as far as that of the share of all pairs that were tried.
    let counted = valued.iter().zip(&sets).flat_map(|((set, _), left_out)| {
        let own = ways[left_out.chosen].sets[*set].iter();
        own.map(|credit| credit.sum_and_count())
    });
    let share = Figure::of_clusters(&counted.collect::<Vec<_>>(), plan.level)?;
    let mut accuracy = Figure::of_value(value);
    match (share.value, share.ci) {
        (Some(share), Some([Some(from), Some(to)])) => {
            let low = ends[0].min(value - (share - from)).max(0.0);
            let high = ends[1].max(value + (to - share)).min(1.0);
            accuracy.ci = Some([Some(low), Some(high)]);
        }
        _ => accuracy.note = share.note,
    }
    let means: Vec<f64> = (0..ways.len())
        .map(|way| valued.iter().map(|(_, values)| values[way]).sum::<f64>() / count as f64)
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

/// Returns for each set, or each copy of one, the way with the best sum over the others, copies of
/// the same set left out. `values` has the place of each set with what each way has there.
fn choose_by_others(values: &[(usize, Vec<f64>)]) -> Vec<usize> {
    let ways = values.first().map_or(0, |(_, values)| values.len());
    let chosen = values.iter().map(|(own, _)| {
        let others = || values.iter().filter(|(set, _)| set != own);
        let sums = (0..ways).map(|way| others().map(|(_, values)| values[way]).sum::<f64>());
        first_best(&sums.collect::<Vec<f64>>())
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

    /// A world of ways that are right as often as their rates say, the same law for each set: its
    /// rates by set and way, and what was judged. `spread` is the standard deviation of the rates
    /// of sets and ways, `better` what the first way is ahead; one in `shorter` better responses is
    /// the shorter one, as one in 2 and as one in 12. Four verdicts of ten are shared by all ways.
    fn world(
        uniform: &mut impl FnMut() -> f64,
        (sets, pairs, shorter): (usize, usize, u32),
        (base, spread, better): (f64, f64, f64),
    ) -> (Vec<Vec<f64>>, JudgedSets) {
        let ways = 6;
        let mut all = JudgedSets::new();
        let mut rates = Vec::new();
        for set in 0..sets {
            // About a normal number: the sum of 12 uniform ones.
            let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            let own: Vec<f64> = (0..ways)
                .map(|way| base + spread * normal() + if way == 0 { better } else { 0.0 })
                .map(|rate| rate.clamp(0.03, 0.97))
                .collect();
            let common: Vec<f64> = (0..pairs).map(|_| uniform()).collect();
            for (way, rate) in own.iter().enumerate() {
                let right: Vec<bool> = common
                    .iter()
                    .map(|common| {
                        let is_common = uniform() < 0.4;
                        let own = uniform();
                        (if is_common { *common } else { own }) < *rate
                    })
                    .collect();
                let mut one = judged("j", &format!("w{way}"), &right);
                for (pair, number) in one.pairs.iter_mut().zip(0u32..) {
                    let is_shorter = number % shorter == 0;
                    pair.lengths = Some(if is_shorter { [3, 9] } else { [9, 3] });
                }
                all.push((format!("s{set}"), one));
            }
            rates.push(own);
        }
        (rates, all)
    }

    /// Counts the 95 % intervals that hold the mean of the rates of what is chosen, over all that
    /// may be drawn, in 48 kinds of worlds where EVENHAND_SLOW=1 is set (`--nocapture` shows each)
    /// and in four otherwise.
    #[test]
    fn the_interval_holds_what_a_choice_is_worth_on_sets_of_such_a_kind() {
        let is_slow = evenhand_testing::is_slow();
        let mut state = 11u64;
        let mut uniform = move || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (tries, rounds, for_truth) = if is_slow {
            (400, 200, 2000)
        } else {
            (60, 60, 300)
        };
        let laws = [
            ("coins", (0.5, 0.0, 0.0)),
            ("sets differ", (0.5, 0.08, 0.0)),
            ("sets differ much", (0.5, 0.15, 0.1)),
            ("one way is better", (0.5, 0.05, 0.1)),
            ("above a coin", (0.6, 0.1, 0.05)),
            ("nearly all right", (0.95, 0.02, 0.0)),
        ];
        let mut sizes = Vec::new();
        for sets in [3, 7] {
            for pairs in [12, 40] {
                sizes.extend([2, 12].map(|shorter| (sets, pairs, shorter)));
            }
        }
        if !is_slow {
            sizes = vec![(3, 12, 12), (7, 40, 2)];
        }
        for (name, law) in laws.into_iter().step_by(if is_slow { 1 } else { 3 }) {
            for size in &sizes {
                let mut truth = 0.0;
                for _ in 0..for_truth {
                    let (rates, judged) = world(&mut uniform, *size, law);
                    let found = choices(&judged, &settings(2)).unwrap().remove(0);
                    let chosen = rates.iter().zip(&found.sets);
                    let worth: f64 = chosen.map(|(rates, set)| rates[set.chosen]).sum();
                    truth += worth / rates.len() as f64 / f64::from(for_truth);
                }
                let (mut held, mut width) = (0, 0.0);
                for _ in 0..tries {
                    let (_, judged) = world(&mut uniform, *size, law);
                    let found = choices(&judged, &settings(rounds)).unwrap().remove(0);
                    let [low, high] = found.accuracy.ci.unwrap().map(Option::unwrap);
                    held += i32::from(low <= truth && truth <= high);
                    width += (high - low) / f64::from(tries);
                }
                println!(
                    "{name}, {size:?}: {truth:.3} held in {held} of {tries}, width {width:.2}"
                );
                // 0.92 of the tries, and no more than chance may take of so few.
                assert!(
                    held * 100 >= tries * if is_slow { 92 } else { 85 },
                    "{name} {size:?}"
                );
            }
        }
    }

    /// Of sets whose better responses are nearly always the longer ones, many draws have no others:
    /// the interval is there all the same.
    #[test]
    fn few_pairs_have_an_interval_with_two_ends() {
        let mut sets = sets_of(&vec![vec![vec![true, false, true, true]; 3]; 2]);
        for (_, one) in &mut sets {
            for pair in &mut one.pairs[1..] {
                pair.lengths = Some([3, 9]);
            }
        }
        let found = choices(&sets, &settings(200)).unwrap().remove(0);
        let [low, high] = found.accuracy.ci.unwrap().map(Option::unwrap);
        let value = found.accuracy.value.unwrap();
        assert!(0.0 <= low && low < value && value < high && high <= 1.0);
        assert_eq!(found.accuracy.note, None);
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
            // Three sets that are alike are three trials of sets of such kinds, however many pairs.
            let [low, high] = one.accuracy.ci.unwrap().map(Option::unwrap);
            assert!(
                (low - 0.025f64.cbrt()).abs() < 1e-6 && high == 1.0,
                "{low} {high}"
            );
        }
    }
}
