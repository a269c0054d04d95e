//! What a plan promises is what happens: components are found again, and the power is as said.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and this test reads the environment"
)]

use evenhand_stats::{
    Aim, PairOutcome, VarianceComponents, designs_for, designs_within, draw_numbers, noise_floor,
    variance_components,
};

/// Items whose lead is normal around `gap`, with a fixed preference for the first place.
struct World {
    gap: f64,
    item: f64,
    order: f64,
    item_order: f64,
    repeat: f64,
}

const WORLD: World = World {
    gap: 0.0,
    item: 0.09,
    order: 0.2,
    item_order: 0.04,
    repeat: 0.16,
};

impl World {
    fn components(&self) -> VarianceComponents {
        let order = self.order * self.order;
        VarianceComponents::assumed(self.item, order, self.item_order, self.repeat).unwrap()
    }

    fn simulate(&self, design: [u32; 3], seed: u64) -> Vec<PairOutcome> {
        let [items, orders, repeats] = design;
        let mut normals = normals(seed);
        let mut next = move |variance: f64| variance.sqrt() * normals.next().unwrap();
        let mut outcomes = Vec::new();
        for item in 0..items {
            let of_item = self.gap + next(self.item);
            let first = next(1.0) > 0.0;
            for swapped in [first, !first].into_iter().take(orders as usize) {
                let place = if swapped { -self.order } else { self.order };
                let of_order = of_item + place + next(self.item_order);
                for _ in 0..repeats {
                    let lead = of_order + next(self.repeat);
                    outcomes.push(PairOutcome {
                        pair: 0,
                        item,
                        swapped,
                        lead,
                    });
                }
            }
        }
        outcomes
    }
}

/// Standard normal draws (Box and Muller).
fn normals(seed: u64) -> impl Iterator<Item = f64> {
    let mut draws = draw_numbers(seed, 7, 1 << 30);
    let mut uniform = move || (f64::from(draws.next().unwrap()) + 0.5) / f64::from(1 << 30);
    std::iter::repeat_with(move || {
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    })
}

#[test]
fn planted_components_are_found() {
    let found = variance_components(&WORLD.simulate([20_000, 2, 3], 1)).unwrap();
    assert!((found.item - 0.09).abs() < 0.005, "{found:?}");
    assert!((found.order - 0.04).abs() < 0.005, "{found:?}");
    assert!((found.item_order - 0.04).abs() < 0.005, "{found:?}");
    assert!((found.repeat.unwrap() - 0.16).abs() < 0.005, "{found:?}");
    assert_eq!(found.items, 20_000);
    // Without repeats what they add is within that of an item with its order.
    let once = variance_components(&WORLD.simulate([20_000, 2, 1], 2)).unwrap();
    assert!(
        once.repeat.is_none() && (once.item_order - 0.20).abs() < 0.01,
        "{once:?}"
    );
    // In one order, all is between items but the repeats.
    let one = variance_components(&WORLD.simulate([20_000, 1, 2], 3)).unwrap();
    assert!(
        (one.item - 0.17).abs() < 0.01 && one.item_order == 0.0,
        "{one:?}"
    );
}

#[test]
fn a_plan_by_hand() {
    // One variance of 1 between items: n = (1.959964 + 0.841621)^2 / 0.2^2 + 1.92 = 198.15.
    let components = VarianceComponents::assumed(1.0, 0.0, 0.0, 0.0).unwrap();
    let aim = Aim {
        difference: 0.2,
        power: 0.8,
        level: 0.95,
    };
    let designs = designs_for(&aim, &components).unwrap();
    assert_eq!(
        (designs[0].items, designs[0].orders, designs[0].repeats),
        (199, 1, 1)
    );
    assert!(designs[0].detectable <= 0.2 && designs[0].detectable > 0.199);
    let within = designs_within(400, &aim, &components).unwrap();
    assert_eq!((within[0].items, within[0].judgments), (400, 400));
    let floor = noise_floor(100, 2, 1, &components, 0.95).unwrap();
    assert!((floor - 0.195_996_4).abs() < 1e-6);
    assert!(
        designs_for(
            &Aim {
                difference: 0.0,
                ..aim
            },
            &components
        )
        .is_err()
    );
    assert!(designs_for(&Aim { power: 1.0, ..aim }, &components).is_err());
    let none = VarianceComponents::assumed(0.0, 0.0, 0.0, 0.0).unwrap();
    assert!(designs_for(&aim, &none).is_err() && variance_components(&[]).is_err());
}

/// Whether a paired t test of item means at level 0.95 says that the systems differ (its quantile
/// by Cornish and Fisher's expansion).
fn finds(outcomes: &[PairOutcome]) -> bool {
    let mut means: std::collections::BTreeMap<u32, (f64, f64)> = Default::default();
    for outcome in outcomes {
        let (sum, n) = means.entry(outcome.item).or_default();
        (*sum, *n) = (*sum + outcome.lead, *n + 1.0);
    }
    let means: Vec<f64> = means.values().map(|(sum, n)| sum / n).collect();
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let z = 1.959_964_f64;
    let quantile = z + (z.powi(3) + z) / (4.0 * (n - 1.0));
    mean.abs() > quantile * (variance / n).sqrt()
}

/// 1,000 seeds each: every design reaches the power that it promises, with binomial error (three
/// standard errors: 0.038), and no more than 5 % (0.021) find a difference where there is none.
#[test]
fn power_is_as_promised() {
    if std::env::var_os("EVENHAND_SLOW").is_none_or(|value| value != "1") {
        eprintln!("skipped: a slow simulation of power; set EVENHAND_SLOW=1 to run it");
        return;
    }
    for (difference, power) in [(0.05, 0.8), (0.1, 0.8), (0.2, 0.9)] {
        let aim = Aim {
            difference,
            power,
            level: 0.95,
        };
        for design in designs_for(&aim, &WORLD.components())
            .unwrap()
            .iter()
            .take(4)
        {
            let size = [design.items as u32, design.orders, design.repeats];
            let found = |gap: f64, seeds: std::ops::Range<u64>| {
                let world = World { gap, ..WORLD };
                let runs = seeds.filter(|seed| finds(&world.simulate(size, *seed)));
                runs.count() as f64 / 1000.0
            };
            let (achieved, wrong) = (found(difference, 0..1000), found(0.0, 1000..2000));
            eprintln!(
                "{difference} with {power}: {size:?} finds {achieved:.3}, without a gap {wrong:.3}"
            );
            assert!((achieved - power).abs() < 0.038 && wrong < 0.071);
        }
    }
}

/// The whole way, 1,000 times: a pilot of 40 items, twice in both orders, the best design of it,
/// and new data of that design, where each judgment is won or lost. A plan from a pilot is right on
/// average, and not each time.
#[test]
fn a_pilot_promises_what_is_kept_on_average() {
    if std::env::var_os("EVENHAND_SLOW").is_none_or(|value| value != "1") {
        eprintln!("skipped: a slow simulation of power; set EVENHAND_SLOW=1 to run it");
        return;
    }
    let aim = Aim {
        difference: 0.15,
        power: 0.8,
        level: 0.95,
    };
    let world = World {
        gap: 0.15,
        item: 0.05,
        order: 0.1,
        item_order: 0.02,
        repeat: 0.0,
    };
    let (mut found, mut sizes) = (0, Vec::new());
    for seed in 0..1000 {
        let pilot = variance_components(&world.decide([40, 2, 2], seed)).unwrap();
        let design = designs_for(&aim, &pilot).unwrap()[0];
        let size = [design.items as u32, design.orders, design.repeats];
        found += u32::from(finds(&world.decide(size, seed + 1_000_000)));
        sizes.push(design.judgments);
    }
    sizes.sort_unstable();
    let power = f64::from(found) / 1000.0;
    eprintln!(
        "a pilot's plan finds {power:.3}; judgments {} to {} (middle 90 %)",
        sizes[50], sizes[949]
    );
    assert!((power - 0.8).abs() < 0.05);
}

impl World {
    /// Leads that are 1 or -1, with the chances that the world's own leads are.
    fn decide(&self, design: [u32; 3], seed: u64) -> Vec<PairOutcome> {
        let mut chances = draw_numbers(seed, 8, 1 << 30);
        let mut outcomes = self.simulate(design, seed);
        for outcome in &mut outcomes {
            let drawn = 2.0 * f64::from(chances.next().unwrap()) / f64::from(1 << 30) - 1.0;
            outcome.lead = if drawn < outcome.lead { 1.0 } else { -1.0 };
        }
        outcomes
    }
}
