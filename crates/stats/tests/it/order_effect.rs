//! The order effect as a parameter of the ranking: against a slow twin, and how often its interval
//! and those of the strengths hold what was planted.
//!
//! With `EVENHAND_SLOW=1` each cell is thousands of data sets; else a few.

use crate::common::Draws;
use evenhand_stats::control::{
    Battles, ControlError, StyleControl, StyleControlled, TieLaw, style_controlled, tie_controlled,
};
use evenhand_stats::inference::{compare_jointly_from_covariance, style_covariance};
use evenhand_stats::{Bootstrap, Undefined, draw_numbers, sigmoid};
use evenhand_testing::is_slow;

/// How ties come about, and which model is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ties {
    /// There are none: Bradley-Terry.
    None,
    /// Some, of which half is a win: Bradley-Terry.
    Half,
    Davidson,
    RaoKupper,
}

/// What is planted.
#[derive(Clone, Copy)]
struct Planted {
    ties: Ties,
    items: u32,
    /// What it is worth to be first, in log-odds.
    order: f64,
    /// What a style is worth, where there is one.
    style: Option<f64>,
    strengths: [f64; 4],
    /// Each item has so many pairs, one after another the same.
    copies: usize,
}

/// Comparisons in columns.
#[derive(Default)]
struct Columns {
    a: Vec<u16>,
    b: Vec<u16>,
    won: Vec<f64>,
    ties: Vec<f64>,
    cluster: Vec<u32>,
    covariates: Vec<Vec<f64>>,
}

impl Columns {
    fn battles(&self, systems: usize) -> Battles<'_> {
        Battles {
            systems,
            a: &self.a,
            b: &self.b,
            won: &self.won,
            weight: None,
            cluster: Some(&self.cluster),
            covariates: &self.covariates,
        }
    }

    fn fit(&self, ties: Ties) -> Result<StyleControlled, ControlError> {
        let battles = self.battles(4);
        match ties {
            Ties::None | Ties::Half => style_controlled(&battles, &StyleControl::default()),
            Ties::Davidson => {
                tie_controlled(TieLaw::Davidson, &battles, &self.ties, 0.95).map(|found| found.fit)
            }
            Ties::RaoKupper => {
                tie_controlled(TieLaw::RaoKupper, &battles, &self.ties, 0.95).map(|found| found.fit)
            }
        }
    }
}

/// The chances of (first, tie, second) at a lead.
fn chances(ties: Ties, lead: f64) -> [f64; 3] {
    let win = sigmoid(lead);
    let [first, second] = match ties {
        Ties::None => [win, 1.0 - win],
        // A tie takes as much of a win as of a loss.
        Ties::Half => {
            let tie = 0.6 * win.min(1.0 - win);
            [win - tie / 2.0, 1.0 - win - tie / 2.0]
        }
        Ties::Davidson => {
            let parts = [(lead / 2.0).exp(), 0.8, (-lead / 2.0).exp()];
            let all: f64 = parts.iter().sum();
            [parts[0] / all, parts[2] / all]
        }
        Ties::RaoKupper => [sigmoid(lead - 0.6), sigmoid(-lead - 0.6)],
    };
    [first, 1.0 - first - second, second]
}

/// Two pairs an item, each in one order: the better one comes first in 7 of 10.
fn draw(planted: &Planted, seed: u64) -> Columns {
    let mut draws = Draws::new(seed, 7);
    let mut uniform = || draws.uniform();
    let mut found = Columns::default();
    let (mut first_slot, mut styles) = (Vec::new(), Vec::new());
    for item in 0..planted.items {
        for _ in 0..2 {
            let one = (uniform() * 4.0) as usize;
            let other = (one + 1 + (uniform() * 3.0) as usize) % 4;
            let better_first = uniform() < 0.7;
            let (a, b) = match (one < other) == better_first {
                true => (one, other),
                false => (other, one),
            };
            let style = 2.0 * uniform() - 1.0;
            let lead = planted.strengths[a] - planted.strengths[b]
                + planted.order
                + planted.style.map_or(0.0, |worth| worth * style);
            let [first, tie, _] = chances(planted.ties, lead);
            let drawn = uniform();
            let (won, tied) = match drawn {
                _ if drawn < first => (1.0, 0.0),
                _ if drawn < first + tie => (0.5, 1.0),
                _ => (0.0, 0.0),
            };
            for _ in 0..planted.copies {
                found.a.push(a as u16);
                found.b.push(b as u16);
                found.won.push(won);
                found.ties.push(tied);
                found.cluster.push(item);
                first_slot.push(1.0);
                styles.push(style);
            }
        }
    }
    found.covariates.push(first_slot);
    if planted.style.is_some() {
        found.covariates.push(styles);
    }
    found
}

/// How often intervals of the order effect and of the strengths miss, of those that there are; how
/// many data sets have the first; and how often an interval of the order effect leaves out 0.
struct Misses {
    order: f64,
    strengths: f64,
    /// The mean half width of the intervals of strengths.
    half: f64,
    known: f64,
    found: f64,
}

fn misses(planted: &Planted, seeds: u64) -> Misses {
    let (mut order, mut known, mut found) = (0.0, 0.0, 0.0);
    let (mut strengths, mut widths, mut all) = (0.0, 0.0, 0.0);
    for seed in 0..seeds {
        let seed = seed
            ^ (u64::from(planted.items) << 20)
            ^ ((planted.order * 8.0) as u64) << 32
            ^ (planted.ties as u64) << 40;
        let Ok(fit) = draw(planted, seed).fit(planted.ties) else {
            continue;
        };
        let Ok(uncertainty) = &fit.uncertainty else {
            continue;
        };
        if let Ok(ends) = uncertainty.coefficients[0] {
            known += 1.0;
            order += f64::from(ends.low > planted.order || ends.high < planted.order);
            found += f64::from(ends.low > 0.0 || ends.high < 0.0);
        }
        let covariance = style_covariance(&fit).unwrap();
        // Where one system has no finite strength the others' mean is another.
        if fit.systems.len() < 4 {
            continue;
        }
        for (system, truth) in planted.strengths.iter().enumerate() {
            if let Ok(ends) = covariance.interval(system, 0.95) {
                all += 1.0;
                let (low, high) = (ends.low.unwrap(), ends.high.unwrap());
                strengths += f64::from(!(low <= *truth && *truth <= high));
                widths += high - low;
            }
        }
    }
    Misses {
        order: order / known,
        strengths: strengths / all,
        half: widths / 2.0 / all,
        known: known / seeds as f64,
        found: found / known,
    }
}

/// Each model, alone; and with repeated rows or a style, where the model is the same.
fn cells() -> Vec<(usize, Option<f64>, f64, &'static [u32])> {
    let sizes: [&[u32]; 2] = match is_slow() {
        true => [&[20, 50, 100, 400], &[20, 100]],
        false => [&[60], &[60]],
    };
    vec![
        (1, None, 0.0, sizes[0]),
        (1, None, 0.5, sizes[0]),
        (1, None, 1.5, sizes[0]),
        (2, None, 0.5, sizes[1]),
        (1, Some(0.8), 0.5, sizes[1]),
    ]
}

/// Prints the cells of one model, and holds them to the promise.
fn check_intervals(ties: Ties) {
    let seeds: u64 = if is_slow() { 4000 } else { 30 };
    let error = (0.05 * 0.95 / seeds as f64).sqrt();
    println!("Missed by 95 % intervals, of {seeds} data sets (standard error {error:.4})");
    for (copies, style, order, sizes) in cells() {
        for &items in sizes {
            let planted = Planted {
                ties,
                items,
                order,
                style,
                strengths: [0.6, 0.2, -0.2, -0.6],
                copies,
            };
            let found = misses(&planted, seeds);
            println!(
                "{ties:?} copies {copies} style {style:?} order {order} items {items}: order \
                 {:.4}, strengths {:.4}, half widths {:.3}; known {:.3}, leaves out 0 {:.3}",
                found.order, found.strengths, found.half, found.known, found.found
            );
            // The largest of many cells.
            let worst = found.order.max(found.strengths);
            assert!(
                worst <= 0.05 + 4.0 * error,
                "{ties:?} {order} {items} {worst}"
            );
        }
    }
}

#[test]
fn intervals_hold_what_was_planted() {
    check_intervals(Ties::None);
}

#[test]
fn intervals_hold_what_was_planted_with_ties_half() {
    check_intervals(Ties::Half);
}

#[test]
fn intervals_hold_what_was_planted_with_davidsons_ties() {
    check_intervals(Ties::Davidson);
}

#[test]
fn intervals_hold_what_was_planted_with_rao_and_kuppers_ties() {
    check_intervals(Ties::RaoKupper);
}

/// Of G clusters that say equally much each gradient is raised by the root of G / (G - 1).
#[test]
fn of_equal_clusters_the_correction_is_their_number() {
    for ties in [Ties::None, Ties::Half, Ties::Davidson] {
        for items in [2, 3, 7, 40] {
            let mut columns = Columns::default();
            let numbers = draw_numbers(5, items.into(), 1000);
            let rows = (0..items).flat_map(|item| {
                let pairs = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
                pairs.filter(|(a, b)| a != b).map(move |pair| (item, pair))
            });
            for ((item, (a, b)), number) in rows.zip(numbers) {
                let outcome = match number {
                    0..500 => (1.0, 0.0),
                    500..700 if ties != Ties::None => (0.5, 1.0),
                    _ => (0.0, 0.0),
                };
                columns.a.push(a);
                columns.b.push(b);
                columns.won.push(outcome.0);
                columns.ties.push(outcome.1);
                columns.cluster.push(item);
            }
            columns.covariates.push(vec![1.0; columns.a.len()]);
            let found = columns.fit(ties).unwrap().uncertainty.unwrap();
            let factor = f64::from(items) / f64::from(items - 1);
            for (plain, raised) in found.covariance.iter().zip(found.corrected.unwrap()) {
                assert!((plain * factor - raised).abs() < 1e-9, "{ties:?} {items}");
            }
        }
    }
}

#[test]
fn equal_systems_are_not_put_apart() {
    let (seeds, sizes): (u64, &[u32]) = match is_slow() {
        true => (2000, &[20, 50, 100, 200, 400]),
        false => (30, &[40]),
    };
    let error = (0.05 * 0.95 / seeds as f64).sqrt();
    let plan = Bootstrap {
        rounds: 999,
        ..Bootstrap::default()
    };
    for ties in [Ties::Davidson, Ties::RaoKupper] {
        for &items in sizes {
            let mut wrong = 0;
            for seed in 0..seeds {
                let planted = Planted {
                    ties,
                    items,
                    order: 0.8,
                    style: None,
                    strengths: [0.0; 4],
                    copies: 1,
                };
                let seed = seed ^ (u64::from(items) << 20) ^ (ties as u64) << 40;
                let Ok(fit) = draw(&planted, seed).fit(ties) else {
                    continue;
                };
                let Ok(covariance) = style_covariance(&fit) else {
                    continue;
                };
                let covariance = covariance.of_few_clusters();
                if let Ok(joint) = compare_jointly_from_covariance(&covariance, &plan) {
                    wrong += u64::from(!joint.apart.is_empty());
                }
            }
            let share = wrong as f64 / seeds as f64;
            println!("{ties:?} items {items}: some false order in {share:.4} ({error:.4})");
            assert!(share <= 0.05 + 3.0 * error, "{ties:?} {items} {share}");
        }
    }
}

/// Without the order effect the better one's place would be in its strength.
#[test]
fn one_order_is_ranked_without_its_bias() {
    let planted = Planted {
        ties: Ties::None,
        items: 4000,
        order: 1.5,
        style: None,
        strengths: [0.6, 0.2, -0.2, -0.6],
        copies: 1,
    };
    let columns = draw(&planted, 3);
    let with = columns.fit(Ties::None).unwrap();
    let without = Columns {
        covariates: vec![],
        ..columns
    };
    let without = without.fit(Ties::None).unwrap();
    let first = |fit: &StyleControlled| fit.scores.estimates[0].finite().unwrap();
    assert!((first(&with) - 0.6).abs() < 0.1, "{}", first(&with));
    assert!(first(&without) > 0.75, "{}", first(&without));
    assert!((with.coefficients[0] - 1.5).abs() < 0.12);
}

/// The log-likelihood by the models' definitions.
fn log_likelihood(columns: &Columns, ties: Ties, point: &[f64]) -> f64 {
    let rows = 0..columns.a.len();
    let value = rows.map(|row| {
        let (a, b) = (usize::from(columns.a[row]), usize::from(columns.b[row]));
        let effects = columns.covariates.iter().zip(&point[4..]);
        let lead = point[a] - point[b] + effects.map(|(column, by)| column[row] * by).sum::<f64>();
        let tie = point[4 + columns.covariates.len()].exp();
        let [win, lose] = [lead, -lead].map(f64::exp);
        let chances = match ties {
            Ties::None | Ties::Half => [win / (1.0 + win), 0.0, 1.0 / (1.0 + win)],
            Ties::Davidson => {
                let all = win.sqrt() + tie + lose.sqrt();
                [win.sqrt() / all, tie / all, lose.sqrt() / all]
            }
            Ties::RaoKupper => {
                let (first, second) = (win / (win + tie), lose / (lose + tie));
                [first, (tie * tie - 1.0) * first * second, second]
            }
        };
        let (won, half) = (columns.won[row], columns.ties[row] / 2.0);
        let weights = match ties {
            Ties::None | Ties::Half => [won, 0.0, 1.0 - won],
            _ => [won - half, 2.0 * half, 1.0 - won - half],
        };
        let terms = weights.iter().zip(chances);
        terms
            .filter(|(weight, _)| **weight > 0.0)
            .map(|(weight, chance)| weight * chance.ln())
            .sum::<f64>()
    });
    value.sum()
}

/// The maximum by walking along one number after another with ever smaller steps.
fn slow_maximum(columns: &Columns, ties: Ties) -> Vec<f64> {
    let size = 4 + columns.covariates.len() + 1;
    let mut point = vec![0.0; size];
    point[size - 1] = 0.5;
    let mut best = log_likelihood(columns, ties, &point);
    let mut step = 0.5;
    while step > 1e-7 {
        let mut moved = false;
        for at in 0..size {
            for by in [step, -step] {
                let mut next = point.clone();
                next[at] += by;
                let value = log_likelihood(columns, ties, &next);
                if value > best {
                    (point, best, moved) = (next, value, true);
                }
            }
        }
        if !moved {
            step /= 2.0;
        }
    }
    let mean = point[..4].iter().sum::<f64>() / 4.0;
    point[..4].iter_mut().for_each(|strength| *strength -= mean);
    point
}

#[test]
fn the_fit_is_the_maximum() {
    for ties in [Ties::None, Ties::Half, Ties::Davidson, Ties::RaoKupper] {
        for (seed, style) in [(1, None), (2, Some(0.5)), (3, Some(-1.0))] {
            let planted = Planted {
                ties,
                items: 60,
                order: 0.7,
                style,
                strengths: [0.6, 0.2, -0.2, -0.6],
                copies: 1,
            };
            let columns = draw(&planted, seed);
            let slow = slow_maximum(&columns, ties);
            let fit = columns.fit(ties).unwrap();
            let strengths = fit.scores.estimates.iter().map(|x| x.finite().unwrap());
            let quick: Vec<f64> = strengths.chain(fit.coefficients.iter().copied()).collect();
            for (x, y) in quick.iter().zip(&slow) {
                assert!((x - y).abs() < 2e-4, "{ties:?} {quick:?} {slow:?}");
            }
        }
    }
}

#[test]
fn without_ties_a_tie_model_is_bradley_terry() {
    let planted = Planted {
        ties: Ties::None,
        items: 50,
        order: 0.4,
        style: None,
        strengths: [0.6, 0.2, -0.2, -0.6],
        copies: 1,
    };
    let columns = draw(&planted, 5);
    let plain = columns.fit(Ties::None).unwrap();
    assert_eq!(columns.fit(Ties::Davidson).unwrap(), plain);
    assert_eq!(columns.fit(Ties::RaoKupper).unwrap(), plain);
}

#[test]
fn where_one_is_always_first_the_order_cannot_be_told() {
    let mut columns = Columns::default();
    for item in 0..30_u32 {
        let other = 1 + (item % 3) as u16;
        columns.a.push(0);
        columns.b.push(other);
        columns.won.push(f64::from(u8::from(item % 5 < 3)));
        columns.ties.push(0.0);
        columns.cluster.push(item);
    }
    columns.covariates.push(vec![1.0; 30]);
    for ties in [Ties::None, Ties::Davidson, Ties::RaoKupper] {
        let found = columns.fit(ties).map(|_| ());
        let expected = ControlError::Collinear {
            covariate: 0,
            by: vec![],
        };
        assert_eq!(found, Err(expected), "{ties:?}");
    }
}

#[test]
fn where_the_first_always_wins_the_order_has_no_bound() {
    let mut columns = Columns::default();
    for item in 0..24_u32 {
        let (one, other) = ((item % 4) as u16, ((item + 1 + item / 8) % 4) as u16);
        if one == other {
            continue;
        }
        let (a, b) = if item % 2 == 0 {
            (one, other)
        } else {
            (other, one)
        };
        columns.a.push(a);
        columns.b.push(b);
        columns.won.push(1.0);
        columns.ties.push(0.0);
        columns.cluster.push(item);
    }
    let rows = columns.a.len();
    columns.covariates.push(vec![1.0; rows]);
    let found = columns.fit(Ties::None).map(|_| ());
    assert_eq!(found, Err(ControlError::Separated { covariate: 0 }));
}

/// Ties only between those that are next to each other, and no win against that order: the tie
/// parameter has no bound.
#[test]
fn ties_that_no_win_contradicts_have_no_bound() {
    let mut columns = Columns::default();
    let mut add = |a: u16, b: u16, won: f64, tied: f64| {
        let item = columns.a.len() as u32;
        columns.a.push(a);
        columns.b.push(b);
        columns.won.push(won);
        columns.ties.push(tied);
        columns.cluster.push(item);
    };
    for _ in 0..5 {
        for (one, other) in [(0, 1), (1, 2)] {
            add(one, other, 0.5, 1.0);
            add(other, one, 0.5, 1.0);
        }
        add(0, 2, 1.0, 0.0);
        add(2, 0, 0.0, 0.0);
    }
    let rows = columns.a.len();
    columns.covariates.push(vec![1.0; rows]);
    let found = tie_controlled(TieLaw::Davidson, &columns.battles(3), &columns.ties, 0.95);
    let expected = ControlError::from(Undefined::InfiniteTies);
    assert_eq!(found.map(|_| ()), Err(expected));
}
