//! How many judgments the adaptive design saves on recorded data, beside the uniform design with
//! the same tests and the same stopping rule, and how often either certifies something false:
//! PandaLM's people and judge (pairs), AlpacaEval's judge of 39 systems against one reference, and
//! a judge's scores of 12 systems (arms).
//!
//! A seed is an order of the items. 100 seeds of PandaLM always, a few of the others; all 100 where
//! EVENHAND_SLOW=1 is set. `--nocapture` shows the tables of docs/design/adaptive.md.

use crate::common::json_lines;
use evenhand_stats::adaptive::{
    Adaptive, Allocation, Layout, Order, Plan, Population, StopReason, StopRule, Unit,
};
use evenhand_stats::draw_clusters;
use evenhand_testing::{is_slow, shared_data};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Outcomes of each system (arms) or each pair (pairs), item by item.
type Table = Vec<Vec<f64>>;

/// 100 where the slow tests are to run, else a few.
fn seeds(few: u64) -> u64 {
    if is_slow() { 100 } else { few }
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

/// PandaLM's ten pairs of five systems, by the majority of three people or by the judge (without
/// what it left unclear).
fn pandalm(folder: &Path, by_people: bool) -> Table {
    let judgments = json_lines(folder.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"));
    let mut table: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for (pair, judgment) in json_lines(folder.join("pandalm/pairs.jsonl.gz"))
        .iter()
        .zip(&judgments)
    {
        let labels: Vec<u64> = pair["human"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_u64().unwrap())
            .collect();
        let majority = labels
            .iter()
            .copied()
            .find(|x| labels.iter().filter(|y| x == *y).count() >= 2);
        let Some(verdict) = (if by_people {
            majority
        } else {
            judgment["verdict"].as_u64()
        }) else {
            continue;
        };
        let first = [0.5, 1.0, 0.0][verdict as usize];
        let [a, b] = ["model_1", "model_2"].map(|side| pair[side].as_str().unwrap().to_owned());
        let (key, outcome) = if a < b {
            ((a, b), first)
        } else {
            ((b, a), 1.0 - first)
        };
        table.entry(key).or_default().push(outcome);
    }
    table.into_values().collect()
}

/// A row for each file of a folder, of the items that all files have an outcome for.
fn rows(folder: &Path, item: &str, outcome: impl Fn(&Value) -> Option<f64>) -> Table {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let read = |file: &std::path::PathBuf| -> BTreeMap<String, f64> {
        json_lines(file)
            .iter()
            .filter_map(|row| Some((row[item].to_string(), outcome(row)?)))
            .collect()
    };
    let systems: Vec<_> = files.iter().map(read).collect();
    let common: Vec<&String> = systems[0]
        .keys()
        .filter(|item| systems.iter().all(|row| row.contains_key(*item)))
        .collect();
    systems
        .iter()
        .map(|row| common.iter().map(|item| row[*item]).collect())
        .collect()
}

/// The chance that each of 39 systems beats AlpacaEval's reference, on 799 items.
fn alpaca_eval(folder: &Path) -> Table {
    let preference = |row: &Value| {
        row["preference"]
            .as_f64()
            .map(|p| if p == 0.0 { 0.5 } else { p - 1.0 })
    };
    rows(
        &folder.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo"),
        "instruction_id",
        preference,
    )
}

/// Scores from 1 to 10 of 12 systems on 280 items, as shares of the scale.
fn arena_bench(folder: &Path) -> Table {
    rows(
        &folder.join("arena_bench/judgments"),
        "question_id",
        |row| Some((row["score"].as_f64()? - 1.0) / 9.0),
    )
}

/// What is to be found out, and of which data.
#[derive(Clone, Copy)]
struct Study<'a> {
    name: &'a str,
    table: &'a Table,
    arms: bool,
    population: Population,
    stop: StopRule,
    alpha: f64,
    /// Weights of the items and their floor.
    weights: Option<(&'a [f64], f64)>,
}

/// How one design ended.
struct End {
    judged: f64,
    wrong: bool,
    certain: bool,
}

impl Study<'_> {
    /// Which recorded item each item of a population is: itself, or, in a wider population, a draw
    /// from the record.
    fn items(&self, seed: u64, unit: usize) -> Vec<u32> {
        let n = u32::try_from(self.table[unit].len()).unwrap();
        match self.population {
            Population::Finite => (0..n).collect(),
            Population::Superpopulation => (0..50)
                .flat_map(|round| draw_clusters(seed, 1000 * unit as u64 + round, n))
                .collect(),
        }
    }

    fn order(&self, seed: u64, unit: usize, places: usize) -> Order {
        match self.weights {
            Some((weights, floor)) => {
                Order::informative(weights, floor, seed, unit as u64).unwrap()
            }
            None => Order::random(places, self.population, seed, unit as u64).unwrap(),
        }
    }

    fn systems(&self) -> usize {
        let units = self.table.len();
        if self.arms {
            units
        } else {
            (2..).find(|k| k * (k - 1) / 2 == units).unwrap()
        }
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        (0..self.systems())
            .flat_map(|a| (a + 1..self.systems()).map(move |b| (a, b)))
            .collect()
    }

    /// Whether the record says that one system is above another.
    fn true_order(&self, above: usize, below: usize) -> bool {
        if self.arms {
            return mean(&self.table[above]) - mean(&self.table[below]) > 1e-9;
        }
        let of = |pair: (usize, usize)| {
            mean(
                &self.table[self
                    .pairs()
                    .iter()
                    .position(|other| *other == pair)
                    .unwrap()],
            )
        };
        if above < below {
            of((above, below)) > 0.5
        } else {
            of((below, above)) < 0.5
        }
    }

    fn run(&self, seed: u64, allocation: Allocation) -> End {
        let units = if self.arms { 1 } else { self.table.len() };
        let items: Vec<Vec<u32>> = (0..units).map(|unit| self.items(seed, unit)).collect();
        let mut orders: Vec<Order> = (0..units)
            .map(|unit| self.order(seed, unit, items[unit].len()))
            .collect();
        let layout = if self.arms {
            Layout::Arms(orders.remove(0))
        } else {
            Layout::Pairs(orders)
        };
        let plan = Plan {
            systems: self.systems(),
            layout,
            alpha: self.alpha,
            stop: self.stop,
            budget: None,
            allocation,
        };
        let (mut design, pairs) = (Adaptive::new(plan).unwrap(), self.pairs());
        let batch = if self.arms {
            4 * self.table.len()
        } else {
            self.table.len()
        };
        while design.stop_reason().is_none() {
            for wanted in design.next_judgments(batch) {
                let (unit, items) = match wanted.unit {
                    Unit::System(system) => (system, &items[0]),
                    Unit::Pair(a, b) => pairs
                        .binary_search(&(a, b))
                        .map(|pair| (pair, &items[pair]))
                        .unwrap(),
                };
                design
                    .observe(
                        wanted.unit,
                        wanted.place,
                        self.table[unit][items[wanted.item as usize] as usize],
                    )
                    .unwrap();
                if design.stop_reason().is_some() {
                    break;
                }
            }
        }
        End {
            judged: design.judged() as f64,
            wrong: design
                .certified_pairs()
                .iter()
                .any(|pair| !self.true_order(pair.above, pair.below)),
            certain: design.stop_reason() == Some(StopReason::Certain),
        }
    }

    /// The mean ratio of judgments, adaptive to uniform, after printing a row of the table; errors
    /// must be as promised.
    fn row(&self, seeds: u64) -> f64 {
        let start = Instant::now();
        let ends: Vec<[End; 2]> = (0..seeds)
            .map(|seed| [Allocation::Uniform, Allocation::Adaptive].map(|way| self.run(seed, way)))
            .collect();
        let seconds = start.elapsed().as_secs_f64();
        let n = seeds as f64;
        let ratios: Vec<f64> = ends
            .iter()
            .map(|[uniform, adaptive]| adaptive.judged / uniform.judged)
            .collect();
        let ratio = mean(&ratios);
        let reach =
            1.96 * (ratios.iter().map(|x| (x - ratio).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        let judged = [0, 1].map(|way| ends.iter().map(|end| end[way].judged).sum::<f64>() / n);
        let wrong = [0, 1].map(|way| ends.iter().filter(|end| end[way].wrong).count() as f64 / n);
        let certain = [0, 1].map(|way| ends.iter().filter(|end| end[way].certain).count());
        let (stop, alpha, [u, a], [wu, wa]) = (self.stop, self.alpha, judged, wrong);
        let name = if self.population == Population::Finite {
            self.name.to_owned()
        } else {
            format!("{}, wider", self.name)
        };
        eprintln!(
            "| {name} | {stop:?} | {alpha} | {u:.0} | {a:.0} | {ratio:.3} ± {reach:.3} | {wu:.2}, \
             {wa:.2} | {certain:?} of {seeds} \
             | {seconds:.1} s |"
        );
        let most = alpha + 3.09 * (alpha * (1.0 - alpha) / n).sqrt();
        assert!(
            wu <= most && wa <= most,
            "{name}: errors {wrong:?}, promised {alpha}"
        );
        assert_eq!(certain[0], certain[1], "{name}: the designs end alike");
        ratio
    }
}

fn header(name: &str, table: &Table) {
    let items: usize = table.iter().map(Vec::len).sum();
    eprintln!("\n{name}: {} units, {items} judgments in all", table.len());
    eprintln!("| data | stop | alpha | uniform | adaptive | ratio | wrong | certain | time |");
}

/// The ratios of a study's stopping rules at alpha 0.05; where the slow tests run, at 0.2 too.
fn ratios(study: Study, stops: &[StopRule], seeds: u64) -> Vec<f64> {
    if is_slow() {
        stops.iter().for_each(|stop| {
            _ = Study {
                stop: *stop,
                alpha: 0.2,
                ..study
            }
            .row(seeds)
        });
    }
    stops
        .iter()
        .map(|stop| {
            Study {
                stop: *stop,
                ..study
            }
            .row(seeds)
        })
        .collect()
}

fn below(found: &[f64], bounds: &[f64]) {
    assert!(
        found.iter().zip(bounds).all(|(x, bound)| x < bound) && found.len() == bounds.len(),
        "{found:?} {bounds:?}"
    );
}

fn study<'a>(name: &'a str, table: &'a Table, arms: bool) -> Study<'a> {
    Study {
        name,
        table,
        arms,
        population: Population::Finite,
        stop: StopRule::AllPairs,
        alpha: 0.05,
        weights: None,
    }
}

#[test]
fn pandalm_pairs() {
    let Some(folder) = shared_data() else { return };
    for (name, by_people) in [("PandaLM, people", true), ("PandaLM, gpt-3.5-turbo", false)] {
        let table = pandalm(&folder, by_people);
        assert_eq!(
            table.iter().map(Vec::len).sum::<usize>(),
            if by_people { 999 } else { 974 }
        );
        header(name, &table);
        let study = study(name, &table, false);
        let found = ratios(
            study,
            &[
                StopRule::AllPairs,
                StopRule::Share(0.8),
                StopRule::Share(0.5),
                StopRule::Top(1),
            ],
            100,
        );
        below(&found, &[0.7, 0.7, 0.65, 0.45]);
        let wider = Study {
            population: Population::Superpopulation,
            ..study
        };
        below(
            &ratios(
                wider,
                &[StopRule::Share(0.8), StopRule::Share(0.5), StopRule::Top(1)],
                100,
            ),
            &[0.45, 0.6, 0.35],
        );
    }
}

#[test]
fn arena_bench_arms() {
    let Some(folder) = shared_data() else { return };
    let table = arena_bench(&folder);
    assert_eq!((table.len(), table[0].len()), (12, 280));
    header("Arena bench", &table);
    let stops = [
        StopRule::AllPairs,
        StopRule::Share(0.9),
        StopRule::Share(0.8),
        StopRule::Share(0.5),
        StopRule::Top(5),
    ];
    let study = study("Arena bench, gpt-4", &table, true);
    below(
        &ratios(study, &stops, seeds(20)),
        &[0.85, 0.7, 0.75, 0.98, 0.65],
    );
    below(
        &ratios(
            Study {
                population: Population::Superpopulation,
                ..study
            },
            &[StopRule::Share(0.8)],
            seeds(2),
        ),
        &[0.7],
    );
}

#[test]
fn alpaca_eval_arms() {
    let Some(folder) = shared_data() else { return };
    let table = alpaca_eval(&folder);
    assert_eq!((table.len(), table[0].len()), (39, 799));
    header("AlpacaEval", &table);
    let study = study("AlpacaEval, gpt-4-turbo", &table, true);
    below(&ratios(study, &[StopRule::Top(5)], seeds(20)), &[0.33]);
    let stops = [
        StopRule::AllPairs,
        StopRule::Share(0.9),
        StopRule::Share(0.8),
        StopRule::Share(0.5),
    ];
    below(&ratios(study, &stops, seeds(2)), &[0.97, 0.86, 0.86, 0.93]);
    below(
        &ratios(
            Study {
                population: Population::Superpopulation,
                ..study
            },
            &[StopRule::Share(0.5)],
            seeds(2),
        ),
        &[0.95],
    );
}

/// Weights of items from one half of the systems, for a design that ranks the other half.
#[test]
fn informative_items_first() {
    let Some(folder) = shared_data() else { return };
    let tables = [
        ("AlpacaEval", alpaca_eval(&folder)),
        ("Arena bench", arena_bench(&folder)),
    ];
    for ((name, table), half) in tables.iter().flat_map(|table| [(table, 0), (table, 1)]) {
        let part = |side: usize| -> Table { table.iter().skip(side).step_by(2).cloned().collect() };
        let (ranked, known) = (part(half), part(1 - half));
        let spread = |item: usize| {
            let outcomes: Vec<f64> = known.iter().map(|row| row[item]).collect();
            let centre = mean(&outcomes);
            (outcomes.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / outcomes.len() as f64)
                .sqrt()
        };
        let weights: Vec<f64> = (0..ranked[0].len()).map(spread).collect();
        header(&format!("{name}, half {half}"), &ranked);
        for stop in [
            StopRule::AllPairs,
            StopRule::Share(0.8),
            StopRule::Share(0.5),
            StopRule::Top(3),
        ] {
            let even = Study {
                stop,
                ..study("items alike", &ranked, true)
            };
            even.row(seeds(2));
            for (floor, name) in [(0.3, "by weight, floor 0.3"), (0.7, "by weight, floor 0.7")] {
                Study {
                    name,
                    weights: Some((&weights, floor)),
                    ..even
                }
                .row(seeds(2));
            }
        }
    }
}
