//! The promised error rates hold in simulations: equal means, partly equal means, and designs that
//! look for mistakes. Some hundreds of simulations always, thousands where EVENHAND_SLOW=1 is set.

use evenhand_stats::adaptive::{
    Adaptive, Allocation, Layout, Order, Plan, Population, StopRule, Unit,
};
use evenhand_stats::draw_clusters;
use evenhand_testing::is_slow;

const ALPHA: f64 = 0.2;

fn simulations(few: u64) -> u64 {
    if is_slow() { 10 * few } else { few }
}

/// The share of simulations with a mistake is at most `ALPHA`, but for chance: the normal 99.9 %
/// bound of a binomial.
fn at_most_alpha(mistakes: u64, simulations: u64, what: &str) {
    let share = mistakes as f64 / simulations as f64;
    eprintln!("{what}: {mistakes} of {simulations}, {share:.4}");
    assert!(
        share <= ALPHA + 3.09 * (ALPHA * (1.0 - ALPHA) / simulations as f64).sqrt(),
        "{what}: {share}"
    );
}

/// Numbers from 0 to 1.
fn draws(seed: u64, stream: u64, n: usize) -> Vec<f64> {
    draw_clusters(seed, stream, 1 << 20)
        .take(n)
        .map(|draw| (f64::from(draw) + 0.5) / f64::from(1 << 20))
        .collect()
}

/// A row of outcomes for each of `means`: an item is hard for all or for none, and a system
/// succeeds or fails on it.
fn arms(seed: u64, means: &[f64], items: usize) -> Vec<Vec<f64>> {
    let hard = draws(seed, 0, items);
    let row = |(system, mean): (usize, &f64)| {
        let luck = draws(seed, 1 + system as u64, items);
        let outcome =
            |(hard, luck): (&f64, &f64)| f64::from(u8::from(*luck < mean + 0.4 * (hard - 0.5)));
        hard.iter().zip(&luck).map(outcome).collect()
    };
    means.iter().enumerate().map(row).collect()
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

fn plan(systems: usize, order: Order, allocation: Allocation) -> Plan {
    Plan {
        systems,
        layout: Layout::Arms(order),
        alpha: ALPHA,
        stop: StopRule::AllPairs,
        budget: None,
        allocation,
    }
}

fn tell(design: &mut Adaptive, table: &[Vec<f64>], system: usize, place: usize, order: &Order) {
    let item = order.places()[place].item as usize;
    design
        .observe(Unit::System(system), place, table[system][item])
        .unwrap();
}

fn mistaken(design: &Adaptive, means: &[f64]) -> bool {
    design
        .certified_pairs()
        .iter()
        .any(|pair| means[pair.above] <= means[pair.below])
}

/// Runs a design to its end.
fn run(plan: Plan, table: &[Vec<f64>], order: &Order) -> Adaptive {
    let mut design = Adaptive::new(plan).unwrap();
    while let [first, ..] = design.next_judgments(1)[..] {
        let Unit::System(system) = first.unit else {
            panic!("arms")
        };
        tell(&mut design, table, system, first.place, order);
    }
    design
}

/// Goes wherever a false claim is closest, and stops as soon as there is one; else it goes on to
/// the end.
fn hunt(
    design: &mut Adaptive,
    table: &[Vec<f64>],
    means: &[f64],
    order: &Order,
    places: usize,
) -> bool {
    let (systems, mut ahead) = (table.len(), vec![0usize; table.len()]);
    let sum = |system: usize, ahead: &[usize]| {
        (0..ahead[system])
            .map(|place| table[system][order.places()[place].item as usize])
            .sum::<f64>()
    };
    while ahead.iter().any(|&place| place < places) {
        // The system with the best next outcome, looked at beforehand (which no real design can),
        // goes on.
        let promising = |system: &usize| {
            let next = table[*system][order.places()[ahead[*system]].item as usize];
            let lead = sum(*system, &ahead) / (ahead[*system] as f64 + 1.0);
            ((next + lead) * 1e6) as u64
        };
        let system = (0..systems)
            .filter(|&system| ahead[system] < places)
            .max_by_key(promising)
            .unwrap();
        tell(design, table, system, ahead[system], order);
        ahead[system] += 1;
        if mistaken(design, means) {
            return true;
        }
    }
    false
}

#[test]
fn equal_means_of_a_superpopulation() {
    let n = simulations(400);
    for allocation in [Allocation::Uniform, Allocation::Adaptive] {
        let means = [0.5; 4];
        let mistakes = (0..n).filter(|&seed| {
            let order = Order::random(150, Population::Superpopulation, seed, 9).unwrap();
            mistaken(
                &run(
                    plan(4, order.clone(), allocation),
                    &arms(seed, &means, 150),
                    &order,
                ),
                &means,
            )
        });
        at_most_alpha(
            mistakes.count() as u64,
            n,
            &format!("four equal systems, {allocation:?}"),
        );
    }
}

#[test]
fn some_means_are_equal() {
    let n = simulations(400);
    let means = [0.8, 0.5, 0.5, 0.2];
    let mistakes = (0..n).filter(|&seed| {
        let order = Order::random(300, Population::Superpopulation, seed, 9).unwrap();
        mistaken(
            &run(
                plan(4, order.clone(), Allocation::Adaptive),
                &arms(seed, &means, 300),
                &order,
            ),
            &means,
        )
    });
    at_most_alpha(mistakes.count() as u64, n, "two of four systems equal");
}

/// Two systems, one claim, no correction for pairs but for the two directions: the bound is nearly
/// met.
#[test]
fn a_design_that_looks_for_mistakes() {
    let n = simulations(400);
    for (systems, population) in [
        (2, Population::Superpopulation),
        (4, Population::Superpopulation),
        (4, Population::Finite),
    ] {
        let means = vec![0.5; systems];
        let mistakes = (0..n).filter(|&seed| {
            let table = if population == Population::Finite {
                permuted(seed, systems, 120)
            } else {
                arms(seed, &means, 400)
            };
            let order = Order::random(table[0].len(), population, seed, 9).unwrap();
            let mut design =
                Adaptive::new(plan(systems, order.clone(), Allocation::Uniform)).unwrap();
            hunt(&mut design, &table, &means, &order, table[0].len())
        });
        at_most_alpha(
            mistakes.count() as u64,
            n,
            &format!("{systems} equal systems hunted, {population:?}"),
        );
    }
}

/// Systems with the same outcomes on other items: their means over the items are exactly equal.
fn permuted(seed: u64, systems: usize, items: usize) -> Vec<Vec<f64>> {
    let values = arms(seed, &[0.5], items).remove(0);
    let row = |system: u64| {
        let order = Order::random(items, Population::Finite, seed, 20 + system).unwrap();
        order
            .places()
            .iter()
            .map(|place| values[place.item as usize])
            .collect()
    };
    (0..systems as u64).map(row).collect()
}

#[test]
fn equal_means_of_a_finite_population_by_weight() {
    let n = simulations(400);
    let means = [0.5; 4];
    let mistakes = (0..n).filter(|&seed| {
        let table = permuted(seed, 4, 120);
        let weights = draws(seed, 50, 120);
        let order = Order::informative(&weights, 0.3, seed, 9).unwrap();
        let mut design = Adaptive::new(plan(4, order.clone(), Allocation::Uniform)).unwrap();
        hunt(&mut design, &table, &means, &order, 120)
    });
    at_most_alpha(
        mistakes.count() as u64,
        n,
        "four equal systems hunted, by weight",
    );
}

/// All intervals hold all differences at the time when the design is stopped, because one system
/// seems best.
#[test]
fn intervals_hold_together() {
    let n = simulations(200);
    let means = [0.7, 0.5, 0.45];
    for population in [Population::Superpopulation, Population::Finite] {
        let misses = (0..n).filter(|&seed| {
            let table = arms(seed, &means, 200);
            let truth: Vec<f64> = if population == Population::Finite {
                table.iter().map(|row| mean(row)).collect()
            } else {
                means.to_vec()
            };
            let order = Order::random(200, population, seed, 9).unwrap();
            let found = run(
                Plan {
                    stop: StopRule::Top(1),
                    ..plan(3, order.clone(), Allocation::Adaptive)
                },
                &table,
                &order,
            );
            let held =
                |difference: f64, low: f64, high: f64| low <= difference && difference <= high;
            !found
                .pair_intervals()
                .iter()
                .all(|pair| held(truth[pair.first] - truth[pair.second], pair.low, pair.high))
        });
        at_most_alpha(
            misses.count() as u64,
            n,
            &format!("intervals missed, {population:?}"),
        );
    }
}
