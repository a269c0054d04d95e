#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods)]
use evenhand_stats::adaptive::*;
use evenhand_stats::picks;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

fn lines(path: &Path) -> Vec<Value> {
    let reader = BufReader::new(GzDecoder::new(File::open(path).unwrap()));
    reader.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

fn pandalm(folder: &Path, human: bool) -> Vec<Vec<f64>> {
    let judge = lines(&folder.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"));
    let mut pairs: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for (pair, j) in lines(&folder.join("pandalm/pairs.jsonl.gz")).iter().zip(&judge) {
        let h: Vec<i64> = pair["human"].as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect();
        let h = *h.iter().find(|x| h.iter().filter(|y| x == y).count() >= 2).unwrap();
        let v = if human { h } else if let Some(v) = j["verdict"].as_i64() { v } else { continue };
        let v = [0.5, 1.0, 0.0][v as usize];
        let (a, b) = (pair["model_1"].as_str().unwrap().to_owned(), pair["model_2"].as_str().unwrap().to_owned());
        if a < b { pairs.entry((a, b)).or_default().push(v) } else { pairs.entry((b, a)).or_default().push(1.0 - v) }
    }
    pairs.into_values().collect()
}

fn alpaca(folder: &Path) -> Vec<Vec<f64>> {
    let dir = folder.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let tables: Vec<BTreeMap<u64, f64>> = files.iter().map(|file| lines(file).iter().filter_map(|row| {
        let p = row["preference"].as_f64()?;
        Some((row["instruction_id"].as_u64().unwrap(), if p == 0.0 { 0.5 } else { p - 1.0 }))
    }).collect()).collect();
    let common: Vec<u64> = tables[0].keys().copied().filter(|k| tables.iter().all(|t| t.contains_key(k))).collect();
    tables.iter().map(|t| common.iter().map(|k| t[k]).collect()).collect()
}

fn arena_bench(folder: &Path) -> Vec<Vec<f64>> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("arena_bench/judgments")).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let tables: Vec<BTreeMap<String, f64>> = files.iter().map(|file| lines(file).iter().filter_map(|row| {
        Some((row["question_id"].to_string(), (row["score"].as_f64()? - 1.0) / 9.0))
    }).collect()).collect();
    let common: Vec<String> = tables[0].keys().filter(|k| tables.iter().all(|t| t.contains_key(*k))).cloned().collect();
    tables.iter().map(|t| common.iter().map(|k| t[k]).collect()).collect()
}

struct Done { judged: f64, wrong: bool, certified: usize, reached: bool }

fn mean(x: &[f64]) -> f64 { x.iter().sum::<f64>() / x.len() as f64 }

fn go(plan: Plan, batch: usize, value: impl Fn(Unit, usize) -> f64, truth: impl Fn(usize, usize) -> f64) -> Done {
    let mut design = Adaptive::new(plan).unwrap();
    'all: loop {
        let wanted = design.next(batch);
        if wanted.is_empty() { break }
        for w in wanted {
            design.observe(w.unit, w.place, value(w.unit, w.item as usize)).unwrap();
            if design.finished().is_some() { break 'all }
        }
    }
    let c = design.certified();
    Done { judged: design.judged() as f64, wrong: c.iter().any(|c| truth(c.above, c.below) <= 1e-9), certified: c.len(), reached: design.finished() == Some(Reason::Certain) }
}

fn summary(name: &str, found: &[Vec<Done>], seconds: &[f64]) {
    for (i, (name2, ds)) in ALLOC.iter().zip(found).enumerate() {
        let ratio: Vec<f64> = ds.iter().zip(&found[0]).map(|(a, u)| a.judged / u.judged).collect();
        let n = ds.len() as f64;
        println!("{name:34} {:10} judged {:9.1} ratio {:.4} wrong {:.3} certified {:.1} reached {:.2}  {:.2}s", format!("{name2:?}"), ds.iter().map(|d| d.judged).sum::<f64>() / n,
            mean(&ratio), ds.iter().filter(|d| d.wrong).count() as f64 / n, ds.iter().map(|d| d.certified as f64).sum::<f64>() / n, ds.iter().filter(|d| d.reached).count() as f64 / n, seconds[i]);
    }
}
const ALLOC: [Allocation; 4] = [Allocation::Uniform, Allocation::Undecided, Allocation::Adaptive, Allocation::Greedy];

fn arms(name: &str, table: &[Vec<f64>], population: Population, stop: Stop, alpha: f64, seeds: u64, order: Option<&dyn Fn(u64) -> Order>) {
    let n = table[0].len();
    let mut all = vec![]; let mut secs = vec![];
    for allocation in ALLOC {
        let start = std::time::Instant::now();
        all.push((0..seeds).map(|seed| {
            let super_len = 10 * n;
            let map: Vec<u32> = match population { Population::Finite => (0..n as u32).collect(), _ => (0..10).flat_map(|r| picks(seed, 100 + r, n as u32)).collect() };
            let len = if population == Population::Finite { n } else { super_len };
            let o = match order { Some(f) => f(seed), None => Order::random(len, population, seed, 0).unwrap() };
            let plan = Plan { systems: table.len(), setting: Setting::Arms(o), alpha, stop, budget: None, allocation };
            go(plan, table.len(), |u, i| match u { Unit::System(s) => table[s][map[i] as usize], _ => panic!() }, |a, b| mean(&table[a]) - mean(&table[b]))
        }).collect::<Vec<_>>());
        secs.push(start.elapsed().as_secs_f64());
    }
    summary(name, &all, &secs);
}

fn pairs(name: &str, k: usize, data: &[Vec<f64>], population: Population, stop: Stop, alpha: f64, seeds: u64) {
    let index: Vec<(usize, usize)> = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
    let mut all = vec![]; let mut secs = vec![];
    for allocation in ALLOC {
        let start = std::time::Instant::now();
        all.push((0..seeds).map(|seed| {
            let map: Vec<Vec<u32>> = data.iter().enumerate().map(|(p, d)| match population { Population::Finite => (0..d.len() as u32).collect(), _ => (0..50).flat_map(|r| picks(seed, 1000 * p as u64 + r, d.len() as u32)).collect() }).collect();
            let orders = map.iter().enumerate().map(|(p, m)| Order::random(m.len(), population, seed, p as u64).unwrap()).collect();
            let plan = Plan { systems: k, setting: Setting::Pairs(orders), alpha, stop, budget: None, allocation };
            let at = |a: usize, b: usize| index.iter().position(|&x| x == (a, b)).unwrap();
            go(plan, data.len(), |u, i| match u { Unit::Pair(a, b) => data[at(a, b)][map[at(a, b)][i] as usize], _ => panic!() },
                |a, b| if a < b { mean(&data[at(a, b)]) - 0.5 } else { 0.5 - mean(&data[at(b, a)]) })
        }).collect::<Vec<_>>());
        secs.push(start.elapsed().as_secs_f64());
    }
    summary(name, &all, &secs);
}

fn main() {
    let folder = std::path::PathBuf::from(std::env::var("EVENHAND_SHARED_DATA").unwrap());
    let seeds: u64 = std::env::args().nth(1).map_or(10, |x| x.parse().unwrap());
    let which = std::env::args().nth(2).unwrap_or_default();
    for human in [true, false] {
        if which.contains('a') { continue }
        let data = pandalm(&folder, human);
        for stop in [Stop::AllPairs, Stop::Share(0.8), Stop::Share(0.5), Stop::Top(1)] {
            for population in [Population::Finite, Population::Superpopulation] {
                if population == Population::Superpopulation && stop == Stop::AllPairs { continue }
                pairs(&format!("pandalm h{human} {stop:?} {population:?}"), 5, &data, population, stop, 0.05, seeds);
            }
        }
    }
    if which.contains('p') { return }
    for (name, data) in [("alpaca", alpaca(&folder)), ("arena_bench", arena_bench(&folder))] {
        println!("{name} {} x {}", data.len(), data[0].len());
        for stop in [Stop::AllPairs, Stop::Share(0.9), Stop::Share(0.8), Stop::Share(0.5), Stop::Top(5)] {
            arms(&format!("{name} {stop:?} finite"), &data, Population::Finite, stop, 0.05, seeds, None);
        }
        arms(&format!("{name} .5 super"), &data, Population::Superpopulation, Stop::Share(0.5), 0.05, seeds, None);
    }
}
