//! What a plan promises is what `compare` does: designs for several differences, simulated, through
//! the test that `compare` makes of them. `EVENHAND_SLOW=1` makes 4,000 data sets a cell.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::Draws;
use evenhand_compare::{CompareOptions, SideData, SideItem, SideVerdict, compare_within};
use evenhand_stats::{Aim, Bootstrap, JudgeScope, LeadKind, VarianceComponents, designs_for};
use evenhand_testing::is_slow;

/// Whether `compare` finds the later system to differ, on items that are each judged so often, by
/// verdicts that are drawn by `lead`, in favour of it or against it by `spread` as the item is.
fn finds(
    [items, judgments]: [u64; 2],
    spread: f64,
    draws: &mut Draws,
    lead: impl Fn(&mut Draws, f64) -> f64,
) -> bool {
    let mut side = SideData {
        systems: vec!["old".into(), "new".into()],
        ..SideData::default()
    };
    for item in 0..items as u32 {
        side.items.push(SideItem {
            id: item.to_string(),
            ..SideItem::default()
        });
        let apart = spread * if draws.uniform() < 0.5 { 1.0 } else { -1.0 };
        for judgment in 0..judgments {
            let value = f64::midpoint(1.0, lead(draws, apart));
            let (first, second, value) = match judgment % 2 {
                0 => (1, 0, value),
                _ => (0, 1, 1.0 - value),
            };
            side.verdicts
                .push(SideVerdict::new(item, first, Some(second), value));
        }
    }
    let options = CompareOptions {
        pair: Some(["old".into(), "new".into()]),
        plan: Bootstrap {
            rounds: 499,
            threads: 1,
            ..Bootstrap::default()
        },
        ..CompareOptions::default()
    };
    let found = compare_within(&side, &options).unwrap();
    found.systems[0].observed.p_value.is_some_and(|p| p < 0.05)
}

/// Every design is found as often as it says, within 0.02 and three standard errors, and promises
/// what was asked for.
#[test]
fn a_plan_s_power_is_that_of_the_test_of_compare() {
    let mut broken = Vec::new();
    println!(
        "points  spread  leads     items  orders  repeats  promised  realised  (standard error)"
    );
    // Between items: none, or half of them 0.3 above the mean lead and half as much below.
    let worlds = [5.0, 10.0, 15.0, 20.0, 30.0].map(|points| [(points, 0.0), (points, 0.3)]);
    for (points, spread) in worlds.into_iter().flatten() {
        if !is_slow() && ![(15.0, 0.0), (30.0, 0.3)].contains(&(points, spread)) {
            continue;
        }
        let lead = points / 50.0;
        let tied = 0.2 * (1.0 - lead);
        for kind in [
            LeadKind::WonOrLost,
            LeadKind::WonTiedOrLost,
            LeadKind::Graded,
        ] {
            // Each judgment by itself: won, lost or tied, or normal around the lead.
            let share = match kind {
                LeadKind::WonTiedOrLost => tied,
                _ => 0.0,
            };
            let variance = match kind {
                LeadKind::Graded => 0.25,
                _ => 1.0 - share - lead * lead - spread * spread,
            };
            let draw = |draws: &mut Draws, apart: f64| match kind {
                LeadKind::Graded => lead + apart + 0.5 * draws.exactly_normal(),
                _ => match draws.uniform() {
                    x if x < share => 0.0,
                    x if x < share + f64::midpoint(1.0 - share, lead + apart) => 1.0,
                    _ => -1.0,
                },
            };
            let components =
                VarianceComponents::assumed(spread * spread, 0.0, 0.0, variance).unwrap();
            let aim = Aim {
                difference: lead,
                power: 0.8,
                level: 0.95,
                judges: JudgeScope::These,
                leads: kind,
            };
            let mut designs = designs_for(&aim, &components).unwrap();
            designs.retain(|design| design.each.repeats <= 2 || design.items > 30);
            designs.sort_by_key(|design| (design.each.orders, design.each.repeats));
            for design in designs {
                // A sign-flip test takes longer than one of counts.
                let is_fast = design.each.judgments() <= 2 && kind == LeadKind::WonOrLost;
                let data_sets = match (is_slow(), is_fast) {
                    (true, true) => 4_000,
                    (true, false) => 2_000,
                    _ => 100,
                };
                let found = (0..data_sets).filter(|seed| {
                    let mut draws = Draws::new(*seed);
                    let size = [design.items, design.each.judgments()];
                    finds(size, spread, &mut draws, draw)
                });
                let realised = found.count() as f64 / data_sets as f64;
                let error = (design.power * (1.0 - design.power) / data_sets as f64).sqrt();
                let line = format!(
                    "{points:6}  {spread:6}  {:8}  {:5}  {:6}  {:7}  {:8.3}  {realised:8.3}  ({error:.3})",
                    match kind {
                        LeadKind::WonOrLost => "+1 -1",
                        LeadKind::WonTiedOrLost => "+1 0 -1",
                        LeadKind::Graded => "graded",
                    },
                    design.items,
                    design.each.orders,
                    design.each.repeats,
                    design.power,
                );
                println!("{line}");
                let is_kept = (realised - design.power).abs() <= 0.02 + 3.0 * error;
                let is_enough = design.power >= 0.8 && design.detectable <= lead + 1e-4;
                if !is_kept || !is_enough {
                    broken.push(line);
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
