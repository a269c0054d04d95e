//! What a plan promises is what happens: components are found again, and the power is as said.

use crate::common::Draws;
use evenhand_stats::{
    Aim, ChanceWithin, ItemDesign, JudgeScope, LeadKind, PairOutcome, VarianceComponents,
    designs_for, designs_within, draw_numbers, variance_components,
};
use evenhand_testing::is_slow_or_skips;

/// Items whose lead is normal around `gap`, with a fixed preference for the first place.
struct World {
    gap: f64,
    item: f64,
    order: f64,
    item_order: f64,
    repeat: f64,
    /// Between judges, and of an item with its judge.
    judge: [f64; 2],
}

const WORLD: World = World {
    gap: 0.0,
    item: 0.09,
    judge: [0.0, 0.0],
    order: 0.2,
    item_order: 0.04,
    repeat: 0.16,
};

impl World {
    fn components(&self) -> VarianceComponents {
        let order = self.order * self.order;
        VarianceComponents::assumed(self.item, order, self.item_order, self.repeat).unwrap()
    }

    fn simulate(&self, [items, orders, repeats]: [u32; 3], seed: u64) -> Vec<PairOutcome> {
        let each = ItemDesign {
            orders,
            repeats,
            judges: 1,
        };
        self.simulate_judges(items, each, seed)
    }

    /// Judges are drawn anew for each seed.
    fn simulate_judges(&self, items: u32, each: ItemDesign, seed: u64) -> Vec<PairOutcome> {
        let mut normals = normals(seed);
        let mut next = move |variance: f64| variance.sqrt() * normals.next().unwrap();
        let judges: Vec<f64> = (0..each.judges).map(|_| next(self.judge[0])).collect();
        let mut outcomes = Vec::new();
        for item in 0..items {
            let of_item = self.gap + next(self.item);
            let first = next(1.0) > 0.0;
            for (judge, own) in (0..).zip(&judges) {
                let of_item = of_item + own + next(self.judge[1]);
                for swapped in [first, !first].into_iter().take(each.orders as usize) {
                    let place = if swapped { -self.order } else { self.order };
                    let of_order = of_item + place + next(self.item_order);
                    outcomes.extend((0..each.repeats).map(|_| PairOutcome {
                        pair: 0,
                        item,
                        judge,
                        swapped,
                        lead: of_order + next(self.repeat),
                    }));
                }
            }
        }
        outcomes
    }
}

/// Standard normal draws (Box and Muller).
fn normals(seed: u64) -> impl Iterator<Item = f64> {
    let mut draws = Draws::new(seed, 7);
    std::iter::repeat_with(move || draws.normal())
}

#[test]
fn planted_components_are_found() {
    let found = variance_components(&WORLD.simulate([20_000, 2, 3], 1)).unwrap();
    assert!((found.item - 0.09).abs() < 0.005, "{found:?}");
    assert!((found.order.unwrap() - 0.04).abs() < 0.005, "{found:?}");
    assert!(
        (found.item_order.unwrap() - 0.04).abs() < 0.005,
        "{found:?}"
    );
    assert!((found.repeat.unwrap() - 0.16).abs() < 0.005, "{found:?}");
    assert_eq!(found.items, 20_000);
}

/// Whatever the layout of a pilot, a part is told alone only where the layout tells it, and then it
/// is the planted one; what is told together is the sum of what it holds.
#[test]
fn no_layout_of_a_pilot_tells_more_than_it_can() {
    // Long: the worlds, the layouts, and what each layout may tell of each world.
    let worlds = [
        PANEL,
        // All of it chance, or nothing of it.
        World {
            item: 0.0,
            order: 0.0,
            item_order: 0.0,
            repeat: 0.4,
            judge: [0.0, 0.0],
            ..PANEL
        },
        World {
            item: 0.3,
            item_order: 0.05,
            repeat: 0.0,
            judge: [0.0, 0.2],
            ..PANEL
        },
    ];
    let layouts = [1, 2].map(|orders| {
        [1, 2].map(|repeats| {
            [1, 3].map(|judges| ItemDesign {
                orders,
                repeats,
                judges,
            })
        })
    });
    for (number, world) in (0..).zip(&worlds) {
        for each in layouts.iter().flatten().flatten() {
            let pilot = world.simulate_judges(6_000, *each, 40 + number);
            let found = variance_components(&pilot).unwrap();
            let (is_both, is_repeated) = (each.orders == 2, each.repeats == 2);
            let are_several = each.judges > 1;
            let [own, order] = [world.judge[1], world.order * world.order];
            // What the layout does not tell apart is within the next part that it tells.
            let chance = if is_repeated { 0.0 } else { world.repeat };
            let looks = world.item_order + chance;
            let of_judge = own + if is_both { 0.0 } else { looks };
            let of_item = world.item
                + if is_both { 0.0 } else { order }
                + if are_several { 0.0 } else { of_judge };
            let held = match (is_repeated, is_both, are_several) {
                (true, ..) => None,
                (false, true, _) => Some(ChanceWithin::ItemOrder),
                (false, false, true) => Some(ChanceWithin::ItemJudge),
                (false, false, false) => Some(ChanceWithin::Item),
            };
            assert_eq!(found.chance_within(), held, "{each:?}");
            let is_near =
                |found: f64, planted: f64| (found - planted).abs() < 0.03 * (1.0 + planted);
            let is_known = |found: Option<f64>, known: bool, planted: f64| {
                found.is_some() == known && found.is_none_or(|found| is_near(found, planted))
            };
            assert!(
                is_near(found.item, of_item),
                "{each:?} {of_item}: {found:?}"
            );
            if are_several {
                assert!(
                    is_near(found.item_judge, of_judge),
                    "{each:?} {of_judge}: {found:?}"
                );
            }
            assert!(is_known(found.order, is_both, order), "{each:?}: {found:?}");
            assert!(
                is_known(found.item_order, is_both, looks),
                "{each:?}: {found:?}"
            );
            assert!(
                is_known(found.repeat, is_repeated, world.repeat),
                "{each:?}: {found:?}"
            );
            assert_eq!(found.judge.is_some(), are_several, "{each:?}");
            // And no design that repeats is planned from a pilot that did not.
            let aim = Aim {
                difference: 0.2,
                power: 0.8,
                level: 0.95,
                judges: JudgeScope::These,
                leads: LeadKind::Graded,
            };
            let designs = designs_for(&aim, &found).unwrap();
            let repeats = designs.iter().any(|design| design.each.repeats > 1);
            assert_eq!(repeats, is_repeated, "{each:?}");
        }
    }
}

/// Judges of one population, who differ by 0.2 (10 points of win rate) and on single items.
const PANEL: World = World {
    gap: 0.0,
    item: 0.05,
    order: 0.1,
    item_order: 0.03,
    repeat: 0.1,
    judge: [0.01, 0.06],
};

#[test]
fn what_lies_between_judges_is_found_on_average() {
    let each = ItemDesign {
        orders: 2,
        repeats: 2,
        judges: 4,
    };
    let pilots = (0..400).map(|seed| PANEL.simulate_judges(60, each, seed));
    let found: Vec<VarianceComponents> = pilots
        .map(|pilot| variance_components(&pilot).unwrap())
        .collect();
    let mean = |of: fn(&VarianceComponents) -> f64| found.iter().map(of).sum::<f64>() / 400.0;
    assert!(found.iter().all(|one| one.judges == 4));
    assert!(
        (mean(|one| one.item) - 0.05).abs() < 0.003,
        "{}",
        mean(|one| one.item)
    );
    // Truncated at 0, and with 3 degrees of freedom: a standard error of 0.0004.
    let judge = mean(|one| one.judge.unwrap());
    assert!((judge - 0.01).abs() < 0.002, "{judge}");
    let own = mean(|one| one.item_judge);
    assert!((own - 0.06).abs() < 0.003, "{own}");
    assert!((mean(|one| one.item_order.unwrap()) - 0.03).abs() < 0.003);
    assert!((mean(|one| one.repeat.unwrap()) - 0.1).abs() < 0.003);
    // One judge: all of it is between items, and nothing is said of others.
    let alone = ItemDesign { judges: 1, ..each };
    let one = variance_components(&PANEL.simulate_judges(5_000, alone, 1)).unwrap();
    assert!(
        (one.item - 0.11).abs() < 0.01 && one.judge.is_none(),
        "{one:?}"
    );
}

#[test]
fn judges_who_differ_are_not_outnumbered_by_items() {
    let of = |judge| {
        let components = VarianceComponents::assumed(0.1, 0.0, 0.0, 0.0).unwrap();
        components.with_judges(judge, 0.05).unwrap()
    };
    let aim = Aim {
        difference: 0.2,
        power: 0.8,
        level: 0.95,
        judges: JudgeScope::Alike,
        leads: LeadKind::Graded,
    };
    // 20 judges of variance 0.1 have an error of 0.07, whatever the items; 0.2 is less than 2.99 of
    // these.
    assert_eq!(designs_for(&aim, &of(0.1)).unwrap(), []);
    let designs = designs_for(&aim, &of(0.02)).unwrap();
    assert!(!designs.is_empty() && designs.iter().all(|one| one.each.judges > 5));
    // Of judges who do not differ, the fewest that are planned will do.
    let equal = designs_for(&aim, &of(0.0)).unwrap();
    assert_eq!(equal[0].each.judges, 5);
}

#[test]
fn a_plan_by_hand() {
    // One variance of 1 between items: n = (1.959964 + 0.841621)^2 / 0.2^2 + 1.92 = 198.15.
    let components = VarianceComponents::assumed(1.0, 0.0, 0.0, 0.0).unwrap();
    let aim = Aim {
        difference: 0.2,
        power: 0.8,
        level: 0.95,
        judges: JudgeScope::These,
        leads: LeadKind::Graded,
    };
    let designs = designs_for(&aim, &components).unwrap();
    let once = ItemDesign {
        orders: 1,
        repeats: 1,
        judges: 1,
    };
    assert_eq!((designs[0].items, designs[0].each), (199, once));
    assert!(designs[0].detectable <= 0.2 && designs[0].detectable > 0.199);
    let within = designs_within(400, &aim, &components).unwrap();
    assert_eq!((within[0].items, within[0].judgments), (400, 400));
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
    if !is_slow_or_skips("a slow simulation of power") {
        return;
    }
    for (difference, power) in [(0.05, 0.8), (0.1, 0.8), (0.2, 0.9)] {
        let aim = Aim {
            difference,
            power,
            level: 0.95,
            judges: JudgeScope::These,
            leads: LeadKind::Graded,
        };
        for design in designs_for(&aim, &WORLD.components())
            .unwrap()
            .iter()
            .take(4)
        {
            let size = [design.items as u32, design.each.orders, design.each.repeats];
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
    if !is_slow_or_skips("a slow simulation of power") {
        return;
    }
    let aim = Aim {
        difference: 0.15,
        power: 0.8,
        level: 0.95,
        judges: JudgeScope::These,
        leads: LeadKind::Graded,
    };
    let world = World {
        gap: 0.15,
        item: 0.05,
        order: 0.1,
        item_order: 0.02,
        repeat: 0.0,
        judge: [0.0, 0.0],
    };
    let (mut found, mut sizes) = (0, Vec::new());
    for seed in 0..1000 {
        let pilot = variance_components(&world.decide([40, 2, 2], seed)).unwrap();
        let design = designs_for(&aim, &pilot).unwrap()[0];
        let size = [design.items as u32, design.each.orders, design.each.repeats];
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

/// Whether a test with judges as random as items says that the systems differ: the mean by its
/// standard error from the mean squares of the layout, with Satterthwaite's freedom.
fn finds_of_judges_alike(outcomes: &[PairOutcome], each: ItemDesign) -> bool {
    let judges = each.judges as usize;
    let mut cells: std::collections::BTreeMap<(u32, u32), f64> = Default::default();
    for outcome in outcomes {
        let share = f64::from(each.orders * each.repeats).recip();
        *cells.entry((outcome.item, outcome.judge)).or_default() += share * outcome.lead;
    }
    let cells: Vec<f64> = cells.into_values().collect();
    let (n, k) = ((cells.len() / judges) as f64, judges as f64);
    let mean = cells.iter().sum::<f64>() / (n * k);
    let rows: Vec<f64> = cells
        .chunks(judges)
        .map(|row| row.iter().sum::<f64>() / k)
        .collect();
    let column = |at: usize| cells.iter().skip(at).step_by(judges).sum::<f64>() / n;
    let columns: Vec<f64> = (0..judges).map(column).collect();
    let squares = |means: &[f64]| means.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let rest: f64 = cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (cell - rows[at / judges] - columns[at % judges] + mean).powi(2))
        .sum();
    let rest = rest / ((n - 1.0) * (k - 1.0));
    let [of_items, of_judges] = [
        k * squares(&rows) / (n - 1.0),
        n * squares(&columns) / (k - 1.0),
    ];
    let of_items = (of_items - rest).max(0.0) / (n * k);
    let of_judges = of_judges / (n * k);
    let whole = of_items + of_judges;
    let freedom = whole * whole / (of_items.powi(2) / (n - 1.0) + of_judges.powi(2) / (k - 1.0));
    mean.abs() > student_quantile(freedom.max(1.0)) * whole.sqrt()
}

/// The 0.975 quantile of Student's t, between those of a table (freedom 1 to 30), by its inverse.
fn student_quantile(freedom: f64) -> f64 {
    const TABLE: [(f64, f64); 12] = [
        (1.0, 12.706),
        (2.0, 4.303),
        (3.0, 3.182),
        (4.0, 2.776),
        (5.0, 2.571),
        (6.0, 2.447),
        (8.0, 2.306),
        (10.0, 2.228),
        (15.0, 2.131),
        (20.0, 2.086),
        (30.0, 2.042),
        (1e9, 1.960),
    ];
    let at = TABLE
        .partition_point(|(known, _)| *known <= freedom)
        .clamp(1, TABLE.len() - 1);
    let [(low, wide), (high, narrow)] = [TABLE[at - 1], TABLE[at]];
    let share = (freedom.recip() - low.recip()) / (high.recip() - low.recip());
    wide + share * (narrow - wide)
}

/// 1,000 seeds each, with judges drawn anew: what is promised of judges like these is kept.
#[test]
fn power_over_other_judges_is_as_promised() {
    if !is_slow_or_skips("a slow simulation of power") {
        return;
    }
    let components = VarianceComponents::assumed(0.05, 0.01, 0.03, 0.1).unwrap();
    let components = components.with_judges(0.01, 0.06).unwrap();
    for difference in [0.12, 0.15, 0.2] {
        let aim = Aim {
            difference,
            power: 0.8,
            level: 0.95,
            judges: JudgeScope::Alike,
            leads: LeadKind::Graded,
        };
        let designs = designs_for(&aim, &components).unwrap();
        let of_each = [5, 10, 20].map(|judges| {
            let mut own = designs.iter().filter(|one| one.each.judges == judges);
            own.find(|one| one.each.orders == 2)
        });
        for design in of_each.into_iter().flatten() {
            let found = |gap: f64, seeds: std::ops::Range<u64>| {
                let world = World { gap, ..PANEL };
                let is_found = |seed: &u64| {
                    let items = design.items as u32;
                    let outcomes = world.simulate_judges(items, design.each, *seed);
                    finds_of_judges_alike(&outcomes, design.each)
                };
                seeds.filter(is_found).count() as f64 / 1000.0
            };
            let (achieved, wrong) = (found(difference, 0..1000), found(0.0, 1000..2000));
            eprintln!(
                "{difference} of judges alike: {} items, {:?} finds {achieved:.3}, without a gap \
                 {wrong:.3}",
                design.items, design.each
            );
            assert!((achieved - 0.8).abs() < 0.05 && wrong < 0.071);
        }
    }
}
