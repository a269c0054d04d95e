//! Whether slices differ: how often the test is wrong where no slice matters, over sizes, noises
//! and kinds of judgment, and how often it finds a difference that is there.
//!
//! Nothing is planted, but slices differ in how noisy they are. With `EVENHAND_SLOW=1` each cell is
//! 1,000 data sets and the table is the whole range; else a few of both.

use crate::common::Draws;
use evenhand_stats::interaction::{
    Residual, comparison_residuals, controlled_residuals, mean_residuals, score_residuals,
    slice_interaction,
};
use evenhand_stats::{Bootstrap, Comparison, ItemScore, sigmoid};
use evenhand_testing::is_slow;

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Scores of 4 systems.
    Scores,
    /// Scores of 4 systems in whole points from 1 to 5.
    Points,
    /// 3 systems in all pairs and both orders; the noise is that of a system's strength on an item.
    Pairs,
    /// One list of changes, as a comparison of two runs has by score.
    Changes,
    /// One list of changes of -1, 0 and 1, as it has by verdict.
    Verdicts,
    /// One list of 0 and 1, a fifth of them 1, as a check of constraints has: no noise of its own.
    Kept,
}

const KINDS: [Kind; 6] = [
    Kind::Scores,
    Kind::Points,
    Kind::Pairs,
    Kind::Changes,
    Kind::Verdicts,
    Kind::Kept,
];

/// How many items a slice has, and how noisy they are.
type Slice = (u32, f64);

/// Residuals where the first system does better by `extra` in the slice numbered `at`.
fn draw(
    kind: Kind,
    slices: &[Slice],
    (extra, at): (f64, usize),
    seed: u64,
) -> (Vec<Residual>, Vec<u32>) {
    let mut draws = Draws::new(seed, 77);
    let (mut scores, mut comparisons, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (items, noise)) in (0..).zip(slices) {
        let extra = if number as usize == at { extra } else { 0.0 };
        for _ in 0..*items {
            let item = labels.len() as u32;
            labels.push(number);
            let mut score = |system, score| scores.push(ItemScore::new(item, system, score));
            match kind {
                Kind::Scores | Kind::Points => {
                    for system in 0..4 {
                        let beyond = if system == 0 { extra } else { 0.0 };
                        let value = noise * draws.normal() + beyond;
                        match kind {
                            Kind::Points => score(system, (3.0 + value).round().clamp(1.0, 5.0)),
                            _ => score(system, value + 0.3 * f64::from(system)),
                        }
                    }
                }
                Kind::Pairs => {
                    let strengths: [f64; 3] = std::array::from_fn(|system| {
                        let beyond = if system == 0 { extra } else { 0.0 };
                        noise * draws.normal() + beyond
                    });
                    for (a, b) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
                        let lead = strengths[a] - strengths[b];
                        let won = draws.uniform() < sigmoid(lead);
                        comparisons.push(Comparison::won(item, a as u16, b as u16, won));
                    }
                }
                Kind::Changes => score(0, 0.3 + noise * draws.normal() + extra),
                Kind::Verdicts => {
                    let moved = (noise / 4.0).min(0.9);
                    let up = moved * (0.5 + extra.min(0.5));
                    let u = draws.uniform();
                    score(0, f64::from(u < up) - f64::from((up..moved).contains(&u)));
                }
                Kind::Kept => score(0, f64::from(draws.uniform() < 0.2 + extra)),
            }
        }
    }
    let residuals = match kind {
        Kind::Scores | Kind::Points => score_residuals(4, &scores),
        Kind::Pairs => comparison_residuals(3, &comparisons),
        Kind::Changes | Kind::Verdicts | Kind::Kept => mean_residuals(1, &scores),
    };
    (residuals.unwrap(), labels)
}

/// The share of data sets in which a difference is found at 5 %. Where nothing can be tested, none
/// is found.
fn share_found(kind: Kind, slices: &[Slice], planted: (f64, usize), seeds: u64) -> f64 {
    // Changes are tested from 6 items on.
    let least = match kind {
        Kind::Changes | Kind::Verdicts => 6,
        _ => 10,
    };
    let is_found = |seed: &u64| {
        let (residuals, labels) = draw(kind, slices, planted, *seed);
        let plan = Bootstrap {
            rounds: 199,
            seed: *seed,
            ..Bootstrap::default()
        };
        let found = slice_interaction(&residuals, &labels, least, &plan);
        found.is_ok_and(|found| found.p_value <= 0.05 + 1e-12)
    };
    (0..seeds).filter(is_found).count() as f64 / seeds as f64
}

/// Slices of 60, 23, 9 and 5 % of the items, one of them noisier than the rest; none where it is 0.
fn uneven(items: u32, noisy: usize) -> Vec<Slice> {
    let size = |share: f64| (share * f64::from(items)).round() as u32;
    let rest = [size(0.23), size(0.09), size(0.05)];
    let sizes = [items - rest.iter().sum::<u32>(), rest[0], rest[1], rest[2]];
    let noise = |number: usize| match number + 1 == noisy {
        true if number == 3 => 2.5,
        true => 2.0,
        false => 0.6,
    };
    (0..4).map(|at| (sizes[at], noise(at))).collect()
}

/// So many slices of each kind, one after the other.
fn slices_of(parts: &[(usize, u32, f64)]) -> Vec<Slice> {
    let parts = parts.iter();
    parts
        .flat_map(|(count, items, noise)| std::iter::repeat_n((*items, *noise), *count))
        .collect()
}

fn standard_error(seeds: u64) -> f64 {
    (0.05 * 0.95 / seeds as f64).sqrt()
}

/// Prints a row of shares and asserts that none is above 5 % by more than three standard errors,
/// nor their mean by more than two of its own.
fn assert_row(name: &str, shares: &[f64], seeds: u64) {
    let error = standard_error(seeds);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let of_mean = error / (shares.len() as f64).sqrt();
    let cells: Vec<String> = shares
        .iter()
        .map(|x| format!("{:5.1}", 100.0 * x))
        .collect();
    println!(
        "{name:<28} {}   mean {:4.1} ({:.1})",
        cells.join(" "),
        100.0 * mean,
        100.0 * of_mean
    );
    let most = shares.iter().copied().fold(0.0, f64::max);
    assert!(most <= 0.05 + 3.0 * error, "{name}: {shares:?}");
    assert!(mean <= 0.05 + 2.0 * of_mean, "{name}: mean {mean}");
}

#[test]
fn a_noisy_slice_is_no_difference() {
    let (seeds, sizes): (u64, &[u32]) = match is_slow() {
        true => (1000, &[40, 60, 120, 200, 250]),
        false => (200, &[60, 250]),
    };
    println!(
        "False alarms in % of {seeds} (standard error {:.1}) where 5 are promised",
        100.0 * standard_error(seeds)
    );
    println!("slices of 60, 23, 9, 5 % of {sizes:?} items");
    for kind in KINDS {
        for (noisy, name) in [
            "alike",
            "first noisy",
            "second noisy",
            "third noisy",
            "fourth noisy",
        ]
        .iter()
        .enumerate()
        {
            if kind == Kind::Kept && noisy > 0 || !is_slow() && noisy % 3 != 0 {
                continue;
            }
            let of_size = |items: &u32| share_found(kind, &uneven(*items, noisy), (0.0, 0), seeds);
            let shares: Vec<f64> = sizes.iter().map(of_size).collect();
            assert_row(&format!("{kind:?}, {name}"), &shares, seeds);
        }
    }
}

#[test]
fn small_noisy_slices_are_no_difference() {
    let seeds = if is_slow() { 1000 } else { 60 };
    let shapes = [
        slices_of(&[(1, 10, 2.0), (1, 60, 0.6)]),
        slices_of(&[(3, 10, 2.5), (1, 40, 0.6)]),
        slices_of(&[(4, 10, 2.5), (4, 10, 0.6)]),
        slices_of(&[(1, 12, 2.0), (5, 12, 0.6)]),
        slices_of(&[(3, 20, 2.5), (1, 80, 0.6)]),
        slices_of(&[(1, 6, 2.0), (1, 40, 0.6)]),
        slices_of(&[(3, 6, 2.5), (1, 24, 0.6)]),
        slices_of(&[(6, 6, 0.6), (1, 3, 2.5)]),
    ];
    println!(
        "False alarms in % of {seeds}: noisy + quiet slices of 10+60, 3x10+40, 4x10+4x10, 12+5x12, \
         3x20+80, 6+40, 3x6+24, 3+6x6 items"
    );
    let shapes = if is_slow() { &shapes[..] } else { &shapes[..2] };
    for kind in KINDS {
        // Slices of 6 items are for changes, which are tested from there on.
        let is_own = |slices: &&Vec<Slice>| {
            matches!(kind, Kind::Changes | Kind::Verdicts) || slices.iter().any(|s| s.0 >= 10)
        };
        let of_shape = |slices: &Vec<Slice>| share_found(kind, slices, (0.0, 0), seeds);
        let shares: Vec<f64> = shapes.iter().filter(is_own).map(of_shape).collect();
        assert_row(&format!("{kind:?}"), &shares, seeds);
    }
}

#[test]
fn a_planted_difference_is_found() {
    let seeds = if is_slow() { 1000 } else { 40 };
    println!("Power in % of {seeds}: the first system is better in one slice");
    // Three equal slices; and one of 60, 23, 9, 5 % of 250, of which the second is larger than the
    // noisy third.
    let even = slices_of(&[(3, 40, 0.6)]);
    let uneven = uneven(250, 3);
    let planted = [
        (Kind::Scores, 0.5),
        (Kind::Points, 0.5),
        (Kind::Pairs, 0.9),
        (Kind::Changes, 0.5),
        (Kind::Kept, 0.4),
    ];
    for (kind, extra) in planted {
        let [in_even, in_second] = [(&even, 2), (&uneven, 1)]
            .map(|(slices, at)| share_found(kind, slices, (extra, at), seeds));
        println!(
            "{kind:?}, by {extra}: 3x40 items {:5.1}, 23 % of 250 {:5.1}",
            100.0 * in_even,
            100.0 * in_second
        );
        assert!(in_even >= 0.6 && in_second >= 0.6, "{kind:?}");
    }
}

/// A judge that is as often right everywhere, on questions of one pair in some slices and of six in
/// others: ten single pairs that are all right are no slice on which it is better. Pairs of a
/// question are right or wrong together with the chance `alike`.
#[test]
fn slices_of_small_and_large_questions_are_told_apart_by_nothing() {
    let (seeds, limit) = match is_slow() {
        true => (2000, 0.10),
        false => (60, 0.20),
    };
    let designs: [(&str, &[(u32, u32)]); 4] = [
        ("10 x 1, 100 x 6", &[(10, 1), (100, 6)]),
        ("10 x 1, 40 x 6", &[(10, 1), (40, 6)]),
        ("10 x 6, 40 x 1", &[(10, 6), (40, 1)]),
        (
            "six of 10, by turns 1 and 6",
            &[(10, 1), (10, 6), (10, 1), (10, 6), (10, 1), (10, 6)],
        ),
    ];
    for (name, slices) in designs {
        for right in [0.8, 0.95] {
            for alike in [0.0, 0.5, 1.0] {
                let is_found = |seed: &u64| {
                    let mut draws = Draws::new(*seed, 78);
                    let (mut scores, mut labels) = (Vec::new(), Vec::new());
                    for (number, (questions, pairs)) in (0..).zip(slices) {
                        for _ in 0..*questions {
                            let item = labels.len() as u32;
                            labels.push(number);
                            let are_one = draws.uniform() < alike;
                            let all = draws.uniform() < right;
                            for _ in 0..*pairs {
                                let own = draws.uniform() < right;
                                let is_right = if are_one { all } else { own };
                                let score = f64::from(u8::from(is_right));
                                scores.push(ItemScore::new(item, 0, score));
                            }
                        }
                    }
                    let plan = Bootstrap {
                        rounds: 199,
                        seed: *seed,
                        ..Bootstrap::default()
                    };
                    let residuals = mean_residuals(1, &scores).unwrap();
                    let found = slice_interaction(&residuals, &labels, 10, &plan);
                    found.is_ok_and(|found| found.p_value <= 0.05 + 1e-12)
                };
                let found = (0..seeds).filter(is_found).count() as f64 / seeds as f64;
                println!("{name}, right {right}, alike {alike}: accused {found:.3}");
                assert!(found <= limit, "{name} {right} {alike}: {found}");
            }
        }
    }
}

/// Of five systems that judges prefer by strength and by length, the first writes longer in one of
/// two slices. That is style and no slice, where length is controlled for; and where it is better
/// there, too, that is still found.
#[test]
fn style_is_no_slice_where_it_is_controlled_for() {
    let seeds = if is_slow() { 1000 } else { 60 };
    let share_found = |longer: f64, extra: f64, is_controlled: bool| {
        let is_found = |seed: &u64| {
            let mut draws = Draws::new(*seed, 79);
            let (mut rows, mut labels, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
            for item in 0..1500 {
                let a = (5.0 * draws.uniform()) as u16;
                let b = (a + 1 + (4.0 * draws.uniform()) as u16) % 5;
                let is_coding = draws.uniform() < 0.5;
                let mut of = |system: u16| {
                    let is_it = system == 0 && is_coding;
                    let length =
                        (100.0 + 200.0 * draws.uniform()) * if is_it { longer } else { 1.0 };
                    let strength = 0.4 - 0.2 * f64::from(system) + if is_it { extra } else { 0.0 };
                    (length, strength)
                };
                let [(of_a, first), (of_b, second)] = [of(a), of(b)];
                let length = (of_a - of_b) / (of_a + of_b);
                let won = draws.uniform() < sigmoid(first - second + 1.5 * length);
                rows.push(Comparison::won(item, a, b, won));
                labels.push(u32::from(is_coding));
                lengths.push(length);
            }
            let residuals = match is_controlled {
                true => controlled_residuals(5, &rows, &[lengths], 1).unwrap(),
                false => comparison_residuals(5, &rows).unwrap(),
            };
            let plan = Bootstrap {
                rounds: 199,
                seed: *seed,
                ..Bootstrap::default()
            };
            let found = slice_interaction(&residuals, &labels, 10, &plan).unwrap();
            found.p_value <= 0.05 + 1e-12
        };
        (0..seeds).filter(is_found).count() as f64 / seeds as f64
    };
    for longer in [1.0, 1.5, 2.0] {
        let [none, there] = [0.0, 1.2].map(|extra| share_found(longer, extra, true));
        let ignored = share_found(longer, 0.0, false);
        println!(
            "{longer} times as long: {none:.3} accused, {ignored:.3} where length is ignored; \
             {there:.3} of 1.2 log-odds found"
        );
        assert!(
            none <= 0.05 + 3.0 * standard_error(seeds),
            "{longer}: {none}"
        );
        assert!(there >= 0.6, "{longer}: {there}");
        assert!(longer < 2.0 || ignored > 0.3, "{longer}: {ignored}");
    }
}
