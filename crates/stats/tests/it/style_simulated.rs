//! Style control with a judge that reads nothing: how often an interval of a covariate's effect
//! excludes 0, over how many items it varies in, systems and kinds of covariate and of coin.
//!
//! With `EVENHAND_SLOW=1` each cell is 1,000 data sets; else a few.

use crate::common::Draws;
use evenhand_stats::control::{Battles, StyleControl, StyleControlled, style_controlled};
use evenhand_stats::inference::style_covariance;
use evenhand_stats::{Undefined, sigmoid};
use evenhand_testing::is_slow;

/// How the judge decides, reading nothing.
#[derive(Clone, Copy, Debug)]
enum Coin {
    /// Each comparison by itself.
    Each,
    /// Both orders of a pair alike.
    Pair,
    /// By an order of the systems, drawn for each item.
    Order,
}

/// Who has how much of the covariate in an item in which it varies.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// One system, which is another in each item.
    One,
    /// Each with chance a half.
    Half,
    /// The first system.
    First,
    /// Each some, and a few much.
    Skewed,
}

/// All pairs in both orders of so many systems on so many items, in the first `varying` of which
/// the covariate varies; it is worth `effect` to each coin.
fn draw(
    (coin, style): (Coin, Style),
    (systems, items, varying): (u16, u32, u32),
    effect: f64,
    seed: u64,
) -> Option<StyleControlled> {
    let mut draws = Draws::new(seed, 5);
    let mut uniform = || draws.uniform();
    let (mut a, mut b, mut won) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cluster, mut column) = (Vec::new(), Vec::new());
    for item in 0..items {
        let one = (uniform() * f64::from(systems)) as u16;
        let amounts: Vec<f64> = (0..systems)
            .map(|system| match style {
                _ if item >= varying => 0.0,
                Style::One => f64::from(system == one),
                Style::Half => f64::from(uniform() < 0.5),
                Style::First => f64::from(system == 0),
                Style::Skewed => (2.0 * uniform() - 1.0).powi(3),
            })
            .collect();
        let order: Vec<f64> = (0..systems).map(|_| uniform()).collect();
        for i in 0..systems {
            for j in i + 1..systems {
                let more = amounts[usize::from(i)] - amounts[usize::from(j)];
                let chance = sigmoid(effect * more);
                let of_pair = uniform() < chance;
                for is_turned in [false, true] {
                    let first_wins = match coin {
                        Coin::Each => uniform() < chance,
                        Coin::Pair => of_pair,
                        Coin::Order => order[usize::from(i)] > order[usize::from(j)],
                    };
                    let (x, y) = if is_turned { (j, i) } else { (i, j) };
                    a.push(x);
                    b.push(y);
                    won.push(f64::from(first_wins != is_turned));
                    column.push(if is_turned { -more } else { more });
                    cluster.push(item);
                }
            }
        }
    }
    let battles = Battles {
        systems: usize::from(systems),
        a: &a,
        b: &b,
        won: &won,
        weight: None,
        cluster: Some(&cluster),
        covariates: &[column],
    };
    // A covariate that is determined by the systems, or separates the outcomes, is refused.
    style_controlled(&battles, &StyleControl::default()).ok()
}

/// The share of data sets in which the interval excludes 0, and that in which there is one.
fn shares(kind: (Coin, Style), size: (u16, u32, u32), effect: f64, seeds: u64) -> [f64; 2] {
    let (mut found, mut known) = (0, 0);
    for seed in 0..seeds {
        // Cells do not share their luck.
        let seed = seed ^ (u64::from(size.0) << 40) ^ (u64::from(size.2) << 32);
        let Some(fit) = draw(kind, size, effect, seed) else {
            continue;
        };
        let Ok(uncertainty) = fit.uncertainty else {
            continue;
        };
        if let Ok(interval) = uncertainty.coefficients[0] {
            known += 1;
            found += u64::from(interval.low > 0.0 || interval.high < 0.0);
        }
    }
    [found, known].map(|count| count as f64 / seeds as f64)
}

const VARYING: [u32; 9] = [1, 2, 3, 5, 8, 10, 20, 30, 100];

#[test]
fn a_coin_has_no_taste() {
    let (seeds, systems): (u64, &[u16]) = match is_slow() {
        true => (1000, &[2, 3, 6]),
        false => (40, &[3]),
    };
    let error = (0.05 * 0.95 / seeds as f64).sqrt();
    println!(
        "Intervals that exclude 0, in % of {seeds} (standard error {:.1}) where 5 are promised; \
         100 items, of which the covariate varies in {VARYING:?}",
        100.0 * error
    );
    for coin in [Coin::Each, Coin::Pair, Coin::Order] {
        for style in [Style::One, Style::Half, Style::First, Style::Skewed] {
            for systems in systems {
                let of =
                    |varying: &u32| shares((coin, style), (*systems, 100, *varying), 0.0, seeds);
                let found: Vec<f64> = VARYING.iter().map(|varying| of(varying)[0]).collect();
                let mean = found.iter().sum::<f64>() / found.len() as f64;
                let cells: Vec<String> =
                    found.iter().map(|x| format!("{:4.1}", 100.0 * x)).collect();
                println!(
                    "{coin:?} {style:?}, {systems} systems: {}   mean {:.1}",
                    cells.join(" "),
                    100.0 * mean
                );
                let most = found.iter().copied().fold(0.0, f64::max);
                assert!(most <= 0.05 + 3.0 * error, "{found:?}");
                assert!(mean <= 0.05, "{found:?}");
            }
        }
    }
}

#[test]
fn an_effect_is_found() {
    let seeds = if is_slow() { 1000 } else { 40 };
    for (varying, least) in [(10, 0.2), (20, 0.6), (30, 0.8), (100, 0.99)] {
        let [found, known] = shares((Coin::Each, Style::Half), (3, 100, varying), 1.2, seeds);
        println!(
            "an effect of 1.2 log-odds in {varying} items: found in {:.1} %, an interval in {:.1} %",
            100.0 * found,
            100.0 * known
        );
        assert!(found >= least, "{found}");
    }
}

#[test]
fn why_there_is_no_interval_is_said() {
    let fit = draw((Coin::Each, Style::One), (6, 100, 2), 0.0, 3).unwrap();
    assert_eq!(
        fit.uncertainty.unwrap().coefficients,
        [Err(Undefined::FewVaryingClusters {
            varying: 2,
            effective: 2,
            least: 5
        })]
    );
}

/// Intervals of equal strengths hold 0, with few items too, whatever the covariate is worth.
#[test]
fn strengths_are_covered() {
    let seeds: u64 = if is_slow() { 1000 } else { 40 };
    let error = (0.05 * 0.95 / seeds as f64).sqrt();
    let sizes = [(3, 6), (3, 10), (6, 8), (4, 20), (10, 15), (6, 60)];
    println!("Strengths whose interval leaves out 0, in % where 5 are promised; {sizes:?}");
    for (coin, effect) in [
        (Coin::Each, 0.0),
        (Coin::Each, 0.8),
        (Coin::Pair, 0.8),
        (Coin::Order, 0.0),
    ] {
        for style in [Style::Half, Style::Skewed] {
            let missed = sizes.map(|(systems, items)| {
                let (mut missed, mut known) = (0, 0);
                for seed in 0..seeds {
                    let seed = seed ^ (u64::from(systems) << 40) ^ (u64::from(items) << 32);
                    let Some(fit) = draw((coin, style), (systems, items, items), effect, seed)
                    else {
                        continue;
                    };
                    let Ok(covariance) = style_covariance(&fit) else {
                        continue;
                    };
                    for system in 0..usize::from(systems) {
                        if let Ok(interval) = covariance.interval(system, 0.95) {
                            known += 1;
                            let holds = interval.low <= Some(0.0) && interval.high >= Some(0.0);
                            missed += u64::from(!holds);
                        }
                    }
                }
                missed as f64 / f64::from(known)
            });
            let cells = missed.map(|x| format!("{:4.1}", 100.0 * x)).join(" ");
            println!("{coin:?} {style:?}, effect {effect}: {cells}");
            // Strengths of one data set are not independent, so the error is that of the sets.
            let most = missed.into_iter().fold(0.0, f64::max);
            assert!(most <= 0.05 + 3.0 * error, "{missed:?}");
        }
    }
}
