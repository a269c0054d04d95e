//! Clusters of unlike weights and sizes: what is said of two systems, of wordings and of noise
//! misses no more than of clusters of one size. Few data sets a cell; `EVENHAND_SLOW=1` makes many.

use crate::common::Draws;
use evenhand_stats::change::{ControlledItem, Moves, clustered_change, controlled_change};
use evenhand_stats::graded_response::graded_response;
use evenhand_stats::inference::{Contributions, pair_differences};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Interval, ItemScore, ItemScores, PairLead,
    PairMethod, PointMethod, noise_of_leads, noise_of_scores, resample_pairs, resample_scores,
};
use evenhand_testing::is_slow;

/// The most that a cell may miss.
const MOST: f64 = 0.065;

/// The numbers of items that questions have.
const SIZES: [(&str, &[(usize, usize)]); 4] = [
    ("60 of 1", &[(60, 1)]),
    ("60 of 1, 3 of 40", &[(60, 1), (3, 40)]),
    ("45 of 1, 10 of 20", &[(45, 1), (10, 20)]),
    ("50 of 4", &[(50, 4)]),
];

fn sizes_of(kinds: &[(usize, usize)]) -> impl Iterator<Item = usize> {
    let each = kinds.iter();
    each.flat_map(|&(count, size)| std::iter::repeat_n(size, count))
}

/// Prints how often a cell misses, and asserts that this is not more than is allowed.
fn check(name: &str, missed: f64, of: f64, told: &str) {
    let share = missed / of.max(1.0);
    let error = (MOST * (1.0 - MOST) / of.max(1.0)).sqrt();
    println!("{name}: {share:.3} of {of}{told}");
    let most = if is_slow() { MOST } else { MOST + 3.0 * error };
    assert!(share <= most, "{name}: {share:.3} of {of}");
}

/// Whether the truth lies below or above an interval.
fn misses(interval: &Interval, truth: f64) -> [bool; 2] {
    let is_below = interval.low.is_some_and(|low| truth < low - 1e-9);
    let is_above = interval.high.is_some_and(|high| truth > high + 1e-9);
    [is_below, is_above]
}

/// What intervals of a difference and of a score miss.
#[derive(Default)]
struct Missed {
    differences: f64,
    below: f64,
    above: f64,
    width: f64,
    scores: f64,
    score_missed: f64,
    score_width: f64,
}

impl Missed {
    fn add(&mut self, difference: Option<&Interval>, score: Option<&Interval>, truth: [f64; 2]) {
        if let Some(interval) = difference {
            let [below, above] = misses(interval, truth[0]).map(|it| f64::from(u8::from(it)));
            self.differences += 1.0;
            self.below += below;
            self.above += above;
            self.width += interval.high.unwrap_or(1.0) - interval.low.unwrap_or(-1.0);
        }
        if let Some(interval) = score {
            let [below, above] = misses(interval, truth[1]).map(|it| f64::from(u8::from(it)));
            self.scores += 1.0;
            self.score_missed += below + above;
            self.score_width += interval.high.unwrap_or(1.0) - interval.low.unwrap_or(0.0);
        }
    }

    fn check(&self, name: &str) {
        let width = self.width / self.differences.max(1.0);
        let sides = format!(
            " (below {}, above {}), {width:.3} wide",
            self.below, self.above
        );
        let missed = self.below + self.above;
        check(
            &format!("{name}, difference"),
            missed,
            self.differences,
            &sides,
        );
        let width = self.score_width / self.scores.max(1.0);
        let wide = format!(", {width:.3} wide");
        check(
            &format!("{name}, score"),
            self.score_missed,
            self.scores,
            &wide,
        );
    }
}

/// Shares that two systems won of items of unlike weights.
#[test]
fn shares_of_weighed_items_are_covered() {
    let sets = if is_slow() { 1000 } else { 60 };
    for weights in [
        "equal",
        "three as heavy as all",
        "lognormal 1",
        "lognormal 2",
    ] {
        for (items, chance) in [(40_u32, 0.5), (40, 0.8), (40, 0.9), (100, 0.9)] {
            let mut found = Missed::default();
            for seed in 0..sets {
                let mut draws = Draws::new(seed, 1700 + u64::from(items));
                let rows = (0..items).map(|item| {
                    let weight = match weights {
                        "equal" => 1.0,
                        "lognormal 1" => draws.normal().exp(),
                        "lognormal 2" => (2.0 * draws.normal()).exp(),
                        _ if item < 3 => f64::from(items) / 3.0,
                        _ => 1.0,
                    };
                    let mut row = Comparison::won(item, 0, 1, draws.uniform() < chance);
                    (row.wins_a, row.wins_b) = (weight * row.wins_a, weight * row.wins_b);
                    row
                });
                let data = Comparisons::new(2, rows.collect()).unwrap();
                let plan = Bootstrap {
                    rounds: 399,
                    seed,
                    ..Bootstrap::default()
                };
                let each = Contributions::of_shares(&data, Cluster::Item, &plan).unwrap();
                let difference = pair_differences(&each, &plan).unwrap().remove(0).interval;
                let drawn = resample_pairs(&data, PairMethod::WinRatio, Cluster::Item, &plan);
                let score = drawn.unwrap().ranking().systems[0].interval.ok();
                found.add(
                    difference.as_ref(),
                    score.as_ref(),
                    [2.0 * chance - 1.0, chance],
                );
            }
            found.check(&format!("{weights}, {items} items, {chance}"));
        }
    }
}

/// Scores of which one is higher by 1 on all items of a question, or lower, or on each by itself.
#[test]
fn scores_on_questions_of_unlike_sizes_are_covered() {
    let sets = if is_slow() { 1000 } else { 60 };
    for (name, kinds) in SIZES {
        for (chance, alike) in [(0.5, 1.0), (0.8, 1.0), (0.9, 1.0), (0.9, 0.5), (0.9, 0.0)] {
            let mut found = Missed::default();
            for seed in 0..sets {
                let mut draws = Draws::new(seed, 1900);
                let (mut rows, mut question_of) = (Vec::new(), Vec::new());
                for (question, size) in sizes_of(kinds).enumerate() {
                    let own = draws.uniform() < chance;
                    for _ in 0..size {
                        let is_own = draws.uniform() < alike;
                        let won = if is_own {
                            own
                        } else {
                            draws.uniform() < chance
                        };
                        let base = (2.0 + 3.0 * draws.uniform()).floor();
                        let lead = if won { 1.0 } else { -1.0 };
                        let item = question_of.len() as u32;
                        rows.push(ItemScore::new(item, 0, base + lead));
                        rows.push(ItemScore::new(item, 1, base));
                        question_of.push(question as u32);
                    }
                }
                let question_of = |item: u32| question_of[item as usize];
                let data = ItemScores::clustered(2, rows, question_of).unwrap();
                let plan = Bootstrap {
                    rounds: 399,
                    seed,
                    ..Bootstrap::default()
                };
                let (method, cluster) = (PointMethod::Mean, Cluster::Item);
                let each = Contributions::of_scores(&data, method, cluster, &plan).unwrap();
                let difference = pair_differences(&each, &plan).unwrap().remove(0).interval;
                let drawn = resample_scores(&data, method, cluster, &plan).unwrap();
                let score = drawn.ranking().systems[0].interval.ok();
                let truth = 2.0 * chance - 1.0;
                found.add(difference.as_ref(), score.as_ref(), [truth, 3.0 + truth]);
            }
            found.check(&format!("{name}, {chance}, alike {alike}"));
        }
    }
}

/// Two identical systems, of which each is better on half of the questions.
#[test]
fn identical_systems_stay_below_the_floor_of_unlike_questions() {
    let sets = if is_slow() { 2000 } else { 100 };
    for (name, kinds) in SIZES {
        for (alike, scored) in [(1.0, false), (0.5, false), (0.0, false), (1.0, true)] {
            let (mut beyond, mut stated, mut floors) = (0.0, 0.0, 0.0);
            for seed in 0..sets {
                let mut draws = Draws::new(seed, 2100);
                let mut leads = Vec::new();
                for (question, size) in sizes_of(kinds).enumerate() {
                    let own = draws.uniform() < 0.5;
                    let shift = draws.normal();
                    for _ in 0..size {
                        let is_own = draws.uniform() < alike;
                        let won = if is_own { own } else { draws.uniform() < 0.5 };
                        let lead = if won { 1.0 } else { -1.0 };
                        leads.push(PairLead {
                            pair: 0,
                            item: leads.len() as u32,
                            question: question as u32,
                            lead: if scored { shift } else { lead },
                        });
                    }
                }
                let mean = leads.iter().map(|one| one.lead).sum::<f64>() / leads.len() as f64;
                let found = match scored {
                    false => noise_of_leads(|| leads.iter().copied(), 0.95),
                    true => {
                        let both = leads.iter().flat_map(|one| {
                            let row = |system, score| ItemScore::new(one.item, system, score);
                            [row(0, one.lead), row(1, 0.0)]
                        });
                        let question_of = |item: u32| leads[item as usize].question;
                        noise_of_scores(2, &Vec::from_iter(both), question_of, 0.95)
                    }
                };
                let Ok(found) = found else { continue };
                stated += 1.0;
                floors += found.difference;
                beyond += f64::from(u8::from(mean.abs() > found.difference + 1e-9));
            }
            let kind = if scored { "scores" } else { "leads" };
            let floor = format!(", floor {:.3}", floors / stated);
            check(
                &format!("{name}, {kind}, alike {alike}"),
                beyond,
                stated,
                &floor,
            );
        }
    }
}

/// Wordings that are equal but for what each makes of a question.
#[test]
fn equal_wordings_are_seldom_told_apart_by_unlike_questions() {
    let sets = if is_slow() { 600 } else { 40 };
    for (name, kinds) in SIZES {
        let (mut told, mut stated) = (0.0, 0.0);
        for seed in 0..sets {
            let mut draws = Draws::new(seed, 2300);
            let (mut rows, mut clusters) = (Vec::new(), Vec::new());
            for (question, size) in sizes_of(kinds).enumerate() {
                let shocks = [(); 3].map(|()| 0.8 * draws.normal());
                let hard = 0.7 * draws.normal();
                for _ in 0..size {
                    let quality = hard + 0.7 * draws.normal();
                    let score = |shock: f64| {
                        let level = 1.5 * quality + shock + draws.normal();
                        let cuts = [-2.0, -0.7, 0.7, 2.0];
                        Some(cuts.iter().filter(|cut| level > **cut).count())
                    };
                    rows.push(Vec::from_iter(shocks.map(score)));
                    clusters.push(question as u32);
                }
            }
            let found = graded_response(&rows, &clusters, 0.95).unwrap();
            let Ok(differences) = found.differences else {
                continue;
            };
            stated += 1.0;
            let is_told = differences.iter().any(|one| {
                let severity = one.severity.iter().map(|it| it.p_adjusted);
                let mut both = severity.chain([one.log_discrimination.p_adjusted]);
                both.any(|p| p < 0.05)
            });
            told += f64::from(u8::from(is_told));
        }
        check(&format!("{name}, wordings"), told, stated, "");
    }
}

/// A system that fails one question in ten, on all of its items, was right on all before. One
/// question that asks 30 % of the items mostly stays as it was, and says then nothing of what it
/// might do.
#[test]
fn changes_on_questions_of_unlike_sizes_are_covered() {
    let sets = if is_slow() { 2000 } else { 400 };
    let heavy: (&str, &[(usize, usize)]) = ("99 of 1, 1 of 42", &[(99, 1), (1, 42)]);
    for (name, kinds) in SIZES.into_iter().chain([heavy]) {
        for (chance, size) in [(0.1, 1.0), (0.3, 1.0), (0.1, 0.5)] {
            let (mut above, mut below, mut width) = (0.0, 0.0, 0.0);
            for seed in 0..sets {
                let mut draws = Draws::new(seed, 2500);
                let questions = sizes_of(kinds).enumerate().flat_map(|(question, items)| {
                    let moved = if draws.uniform() < chance { -size } else { 0.0 };
                    vec![(question as u32, moved); items]
                });
                let items = Vec::from_iter(questions);
                let moves = Moves {
                    step: size,
                    limit: size,
                };
                let found = clustered_change(&items, moves, 0.95).unwrap();
                let [low, high] = found.interval.unwrap();
                above += f64::from(u8::from(low > 1e-9 - chance * size));
                below += f64::from(u8::from(high < -chance * size - 1e-9));
                width += high - low;
            }
            let told = format!(
                " (low end {above}, high end {below}), {:.3} wide",
                width / sets as f64
            );
            let name = format!("{name}, {chance} fall by {size}");
            check(&name, above + below, sets as f64, &told);
        }
    }
}

/// A judge became stricter and no answer changed for the better or worse: the questions whose
/// answers stood are of unlike sizes, and each has a shift of its own.
#[test]
fn a_shift_that_one_large_question_tells_is_no_change() {
    let sets = if is_slow() { 1000 } else { 400 };
    let heavy: (&str, &[(usize, usize)]) = ("39 of 1, 1 of 17", &[(39, 1), (1, 17)]);
    for (name, kinds) in SIZES.into_iter().chain([heavy]) {
        let mut found = 0.0;
        for seed in 0..sets {
            let mut draws = Draws::new(seed, 2700);
            let mut items = Vec::new();
            let last = sizes_of(kinds).count() - 1;
            for (question, size) in sizes_of(kinds).enumerate() {
                let [own, shift] = [(); 2].map(|()| draws.normal() - 0.5);
                let is_told = question == last || draws.uniform() < 0.25;
                let item = ControlledItem {
                    difference: Some(own),
                    changed: true,
                    shift: is_told.then_some(shift),
                    question: question as u32,
                };
                items.extend(vec![item; size]);
            }
            let moves = Moves {
                step: 1.0,
                limit: f64::INFINITY,
            };
            let change = controlled_change(&items, moves, 0.95, false).unwrap();
            found += f64::from(u8::from(change.p_value < 0.05));
        }
        check(&format!("{name}, changes found"), found, sets as f64, "");
    }
}
